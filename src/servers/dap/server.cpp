#include "servers/dap/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "servers/dap/requests.h"

namespace mobula::servers::dap {
namespace {

void refuse(Json& response, const std::string& why) {
  response["success"] = false;
  response["message"] = why;
  response["body"] = {{"error", {{"id", 1}, {"format", why}, {"showUser", true}}}};
}

}  // namespace

// ---- messages

void Server::receive(std::string_view content) {
  auto message = parse_json(content);
  if (!message || !message->is_object()) {
    const std::string why = message ? "a message must be an object" : message.error().front().message;
    return send_event("output", {{"category", "console"}, {"output", "ignored: " + why + '\n'}});
  }
  if (Arguments(*message).json().value("type", Json()) != "request")
    return;  // we ask for nothing, so expect no answers
  if (message->value("command", Json()) == "cancel") take_back(*message);
  requests_.push_back(std::move(*message));
}

/// A request that still waits is answered that it was cancelled.
void Server::take_back(const Json& cancel) {
  const Json wanted = cancel.value("arguments", Json::object());
  if (!wanted.is_object() || !wanted.contains("requestId")) return;
  for (Json& each : requests_)
    if (each.value("seq", Json()) == wanted["requestId"]) each["cancelled"] = true;
}

/// What runs goes on before the next message is looked at: what follows "continue" finds a short program stopped again.
bool Server::work() {
  const bool has_run = run_slice();
  if (requests_.empty()) return has_run;
  const Json request = std::move(requests_.front());
  requests_.pop_front();
  answer(request);
  return true;
}

void Server::answer(const Json& request) {
  const Json command = request.value("command", Json()), sequence = request.value("seq", Json());
  Json response{{"type", "response"},
                {"request_seq", sequence.is_number_integer() ? sequence : Json(0)},
                {"success", true},
                {"command", command.is_string() ? command : Json("")}};
  try {
    if (request.contains("cancelled")) throw Refusal{"cancelled"};
    const Answer function = command.is_string() ? find_answer(command.get<std::string>()) : nullptr;
    if (function == nullptr) throw Refusal{"there is no such request"};
    Json body = function(*this, Arguments(request).object("arguments"));
    if (!body.is_null()) response["body"] = std::move(body);
  } catch (const Refusal& refusal) {
    refuse(response, refusal.message);
  } catch (const std::bad_alloc&) {
    refuse(response, "there is not enough memory for this");
  }
  send_message(response);
  for (auto& [event, body] : std::exchange(later_, {})) send_event(event, std::move(body));
}

void Server::send_message(const Json& message) {
  Json numbered{{"seq", ++sequence_}};
  numbered.update(message);
  send_(dump_json(numbered));
}

void Server::send_event(const std::string& event, Json body) {
  Json message{{"type", "event"}, {"event", event}};
  if (!body.is_null()) message["body"] = std::move(body);
  send_message(message);
}

std::uint32_t Server::from_client(std::int64_t line) const {
  const std::int64_t first = lines_from_1_ ? 1 : 0;
  if (line < first || line >= std::numeric_limits<std::uint32_t>::max())
    throw Refusal{fmt::format("{} is not the number of a line: they count from {}", line, first)};
  return static_cast<std::uint32_t>(line + 1 - first);
}

// ---- the program

Debuggee& Server::debuggee() {
  if (debuggee_ == nullptr) throw Refusal{"no program was launched"};
  return *debuggee_;
}

Debuggee& Server::stopped_debuggee() {
  if (running_) throw Refusal{"the program is running (\"pause\" stops it)"};
  return debuggee();
}

void Server::launch(const LaunchOptions& options) {
  if (debuggee_ != nullptr) throw Refusal{"a program was launched already"};
  debuggee_ = Debuggee::launch(options);
  options_ = options;
  for (const Diagnostic& each : debuggee_->inputs.warnings)
    send_later("output", {{"category", "console"}, {"output", render(each)}});
  send_later("initialized", {});
}

void Server::restart() {
  debuggee().debugger().restart();
  running_.reset();
  has_ended_ = false;
  forget_containers();
  begin();
}

void Server::begin() {
  if (options_.stop_on_entry && !options_.no_debug) return tell_halt(Debugger::Halt::stepped, "entry");
  run({});
}

void Server::run(Running running) {
  forget_containers();
  running_ = std::move(running);
}

void Server::pause() {
  if (!std::exchange(running_, std::nullopt)) return;
  tell_halt(Debugger::Halt::stepped, "pause");
}

void Server::went_back(Debugger::Halt halt) {
  forget_containers();
  tell_halt(halt, "step");
}

/// Goes on for a while, until what is wanted is reached, or it stops.
Debugger::Halt Server::advance() {
  constexpr std::uint64_t words = 4096;
  Debugger& debugger = debuggee_->debugger();
  if (!running_->leave_line) return debugger.go(running_->goal, words);
  for (std::uint64_t i = 0; i < words; ++i) {
    const Debugger::Halt halt = debugger.step();
    const auto now = debugger.address(debugger.lane());
    if (halt != Debugger::Halt::stepped || !now || debuggee_->line_of(*now) != running_->leave_line) return halt;
  }
  return Debugger::Halt::unfinished;
}

bool Server::run_slice() {
  if (!running_) return false;
  const Debugger::Halt halt = advance();
  if (halt == Debugger::Halt::unfinished) return true;
  const std::string reason = running_->reason;
  running_.reset();
  tell_halt(halt, reason);
  for (auto& [event, body] : std::exchange(later_, {})) send_event(event, std::move(body));
  return true;
}

void Server::tell_halt(Debugger::Halt halt, const std::string& reason) {
  Debugger& debugger = debuggee_->debugger();
  Json body{{"reason", reason.empty() ? "step" : reason}};
  if (halt == Debugger::Halt::fault) {
    body["reason"] = "exception";
    body["description"] = "Paused on a fault";
    if (const LaneFault* fault = debuggee_->fault_of(debugger.lane())) body["text"] = fault->reason;
  } else if (const auto& point = debugger.halted_by();
             point && (halt == Debugger::Halt::breakpoint || halt == Debugger::Halt::watch)) {
    const auto group = groups_.find(point->number);
    const Group kind = group == groups_.end() ? Group::lines : group->second;
    body["reason"] = kind == Group::data           ? "data breakpoint"
                     : kind == Group::instructions ? "instruction breakpoint"
                     : kind == Group::functions    ? "function breakpoint"
                                                   : "breakpoint";
    body["hitBreakpointIds"] = {point->number};
    if (point->slot != nullptr)
      body["text"] = fmt::format("{} = {}", point->slot->name, slot_text(*point->slot, debugger.read(*point->slot)));
    if (point->memory) body["text"] = fmt::format("*{:#x} has changed", point->memory->address);
  } else if (halt == Debugger::Halt::beginning) {
    body["reason"] = "entry";
    body["description"] = "Paused at the start";
  } else if (const auto live = debuggee_->live_lane()) {
    value_or_refusal(debugger.choose(*live));
  } else {
    return tell_end();
  }
  body["threadId"] = debuggee_->id_of(debugger.lane());
  body["allThreadsStopped"] = true;
  send_later("stopped", std::move(body));
}

void Server::tell_end() {
  Debugger& debugger = debuggee_->debugger();
  const RunResult result = debugger.outputs();
  if (!std::exchange(has_ended_, true)) {
    send_later("output", {{"category", "console"}, {"output", render(result.diagnostics)}});
    send_later("output", {{"category", "stdout"},
                          {"output", fmt::format("threads: {} ended, {} discarded, {} faulted\n", result.ended,
                                                 result.discarded, result.faulted)}});
  }
  if (options_.stop_on_exit && !options_.no_debug) {
    return send_later("stopped", {{"reason", "exit"},
                                  {"description", "Paused after the last word"},
                                  {"threadId", debuggee_->id_of(debugger.lane())},
                                  {"allThreadsStopped", true}});
  }
  send_later("exited", {{"exitCode", result.faulted == 0 ? 0 : 1}});
  send_later("terminated", {});
}

// ---- what numbers stand for

void Server::clear_breakpoints(Group group) {
  std::erase_if(groups_, [&](const auto& entry) {
    return entry.second == group && (debuggee_->debugger().remove(entry.first), true);
  });
}

std::int64_t Server::reference_to_container(const Container& container) {
  auto found = std::ranges::find(containers_, container);
  if (found == containers_.end()) found = containers_.insert(containers_.end(), container);
  return found - containers_.begin() + 1;
}

const Container& Server::container(std::int64_t reference) const {
  if (reference < 1 || reference > static_cast<std::int64_t>(containers_.size()))
    throw Refusal{"these variables no longer exist"};
  return containers_[static_cast<std::size_t>(reference - 1)];
}

void Server::forget_containers() { containers_.clear(); }

}  // namespace mobula::servers::dap
