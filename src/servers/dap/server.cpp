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
    const Answer function = command.is_string() ? answer_of(command.get<std::string>()) : nullptr;
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

/// What the session answers itself, or else what is debugged; before a launch, what would be.
Answer Server::answer_of(const std::string& command) const {
  if (const Answer own = find_answer(command)) return own;
  return debuggee_ == nullptr ? find_shader_answer(command) : debuggee_->find_answer(command);
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
  debuggee_ = Debuggee::launch(options, compile_);
  debuggee_->name_files_by_uri(names_files_by_uri_);
  options_ = options;
  for (const Diagnostic& each : debuggee_->warnings())
    send_later("output", {{"category", "console"}, {"output", render(each)}});
  send_later("initialized", {});
}

void Server::name_files_by_uri(bool by_uri) {
  names_files_by_uri_ = by_uri;
  if (debuggee_ != nullptr) debuggee_->name_files_by_uri(by_uri);
}

void Server::begin_session() {
  stopped_debuggee();
  if (std::exchange(has_begun_, true)) throw Refusal{"the configuration was done already"};
  begin();
}

void Server::restart() {
  debuggee().restart();
  running_.reset();
  has_ended_ = false;
  forget_containers();
  begin();
}

void Server::begin() {
  if (options_.stop_on_entry && !options_.no_debug) return tell_halt(Halt::stepped, "entry");
  run({});
}

void Server::run(Running running) {
  forget_containers();
  running_ = std::move(running);
}

void Server::pause() {
  if (!std::exchange(running_, std::nullopt)) return;
  tell_halt(Halt::stepped, "pause");
}

void Server::has_moved(Halt halt) {
  forget_containers();
  tell_halt(halt, "step");
}

bool Server::run_slice() {
  if (!running_) return false;
  const Halt halt = debuggee_->advance(*running_);
  if (halt == Halt::unfinished) return true;
  const std::string reason = running_->reason;
  running_.reset();
  tell_halt(halt, reason);
  for (auto& [event, body] : std::exchange(later_, {})) send_event(event, std::move(body));
  return true;
}

void Server::tell_halt(Halt halt, const std::string& reason) {
  Json body{{"reason", reason.empty() ? "step" : reason}};
  const auto met = debuggee_->met();
  if (halt == Halt::fault) {
    body["reason"] = "exception";
    body["description"] = "Paused on a fault";
    if (std::string fault = debuggee_->fault(); !fault.empty()) body["text"] = std::move(fault);
  } else if (met && (halt == Halt::breakpoint || halt == Halt::watch)) {
    const auto group = groups_.find(met->breakpoint);
    const Group kind = group == groups_.end() ? Group::lines : group->second;
    body["reason"] = kind == Group::data           ? "data breakpoint"
                     : kind == Group::instructions ? "instruction breakpoint"
                     : kind == Group::functions    ? "function breakpoint"
                                                   : "breakpoint";
    body["hitBreakpointIds"] = {met->breakpoint};
    if (!met->text.empty()) body["text"] = met->text;
  } else if (halt == Halt::beginning) {
    body["reason"] = "entry";
    body["description"] = "Paused at the start";
  } else if (!debuggee_->choose_live()) {
    return tell_end();
  }
  body["threadId"] = debuggee_->current_thread();
  body["allThreadsStopped"] = true;
  send_later("stopped", std::move(body));
}

void Server::tell_end() {
  const Debuggee::Ending ending = debuggee_->ending();
  if (!std::exchange(has_ended_, true)) {
    if (!ending.complaints.empty()) send_later("output", {{"category", "console"}, {"output", ending.complaints}});
    send_later("output", {{"category", "stdout"}, {"output", ending.summary}});
  }
  if (options_.stop_on_exit && !options_.no_debug) {
    return send_later("stopped", {{"reason", "exit"},
                                  {"description", "Paused after the last word"},
                                  {"threadId", debuggee_->current_thread()},
                                  {"allThreadsStopped", true}});
  }
  send_later("exited", {{"exitCode", ending.status}});
  send_later("terminated", {});
}

// ---- what numbers stand for

void Server::clear_breakpoints(Group group) {
  std::erase_if(groups_, [&](const auto& entry) {
    return entry.second == group && (debuggee_->remove_breakpoint(entry.first), true);
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
