#include "mobula/lab/firmware_debugger.h"

#include <fmt/format.h>

#include <algorithm>

#include "execute/stop_list.h"
#include "firmware/images.h"

namespace mobula::firmware {

struct Debugger::Stops : StopList<Debugger::Breakpoint, std::uint32_t> {};

Debugger::Debugger() : stops_(std::make_unique<Stops>()) {}
Debugger::~Debugger() = default;
Debugger::Debugger(Debugger&&) noexcept = default;
Debugger& Debugger::operator=(Debugger&&) noexcept = default;

Result<Debugger> Debugger::create(std::vector<Program> images, EmulatorOptions options,
                                  std::vector<std::vector<StreamInput>> rounds, std::vector<pm4::Buffer> memory) {
  Debugger debugger;
  debugger.texts_ = texts_of(images);
  debugger.images_ = std::move(images);
  debugger.options_ = std::move(options);
  debugger.rounds_ = std::move(rounds);
  debugger.memory_ = std::move(memory);
  debugger.last_ = std::make_unique<Executed>();
  debugger.options_.on_wait = nullptr;
  debugger.options_.on_instruction = [last = debugger.last_.get()](const Executed& executed) { *last = executed; };
  if (auto started = debugger.start(); !started) return fail(std::move(started).error());
  return debugger;
}

/// Switches on and boots, and stops before the first instruction of the first round.
Result<void> Debugger::start() {
  auto emulator = switch_on(images_, options_);
  if (!emulator) return fail(std::move(emulator).error());
  emulator_ = std::move(*emulator);
  if (!emulator_->boot()) return fail(complaints(emulator_->cores()));
  names_.clear();
  for (const CoreReport& each : emulator_->cores()) names_.push_back(each.name);
  for (const pm4::Buffer& buffer : memory_)
    if (auto written = emulator_->write_memory(buffer.address, buffer.words); !written) return written;
  history_.clear();
  round_ = 0;
  ended_ = false;
  return begin_round();
}

Result<void> Debugger::begin_round() {
  if (round_ == rounds_.size()) {
    ended_ = true;
    return {};
  }
  first_event_ = last_->events = 0;
  std::vector<CoreStream> rings;
  for (const StreamInput& input : rounds_[round_]) {
    for (const pm4::Buffer& buffer : input.stream.memory)
      if (auto written = emulator_->write_memory(buffer.address, buffer.words); !written) return written;
    for (const pm4::RegisterValue& value : input.stream.registers) emulator_->write_register(value.number, value.value);
    rings.push_back({input.core, input.stream.ring});
  }
  ++round_;
  return emulator_->begin(rings);
}

/// One instruction of whichever core comes next. False at the end.
bool Debugger::advance() {
  while (!ended_ && !emulator_->step()) {
    const std::vector<CoreReport> cores = emulator_->cores();
    const bool stopped = std::any_of(cores.begin(), cores.end(),
                                     [](const CoreReport& each) { return each.halt != firmware::Halt::idle; });
    if (stopped || !begin_round()) ended_ = true;
  }
  if (ended_) return false;
  history_.push_back(last_->core);
  return true;
}

// ---- going on

/// A stop that the last instruction came to, counted, unless it is to be passed by.
std::optional<Debugger::Halt> Debugger::stop_at_met() {
  const auto point = met();
  if (point) halted_by_ = stops_->stop_at(point->number);
  if (!halted_by_) return {};
  core = last_->core;
  return halted_by_->place ? Halt::breakpoint : Halt::watch;
}

Debugger::Halt Debugger::step(std::uint64_t count) {
  halted_by_.reset();
  first_event_ = last_->events;
  arm();
  while (count != 0) {
    if (!advance()) return Halt::end;
    if (last_->core == core && --count == 0) break;
    if (const auto halt = stop_at_met()) return *halt;
  }
  return Halt::stepped;
}

Debugger::Halt Debugger::go(const Goal& goal, std::uint64_t most) {
  halted_by_.reset();
  first_event_ = last_->events;
  arm();
  for (; most != 0 && advance(); --most) {
    if (const auto halt = stop_at_met()) return *halt;
    if (goal.place && *goal.place == next(last_->core)) {
      core = last_->core;
      return Halt::stepped;
    }
    if (goal.call_depth && last_->core == core && emulator_->call_depth(core) < *goal.call_depth) return Halt::stepped;
  }
  return ended_ ? Halt::end : Halt::unfinished;
}

/// Executes anew from the start up to so many instructions, with what was written by hand on the way, and calls `visit`
/// after each.
template <class Visit>
Result<void> Debugger::run_again(std::size_t wanted, Visit visit) {
  const std::vector<Edit> edits = std::exchange(edits_, {});
  if (auto started = start(); !started) return started;
  auto edit = edits.begin();
  const auto write = [&] {
    for (; edit != edits.end() && edit->after == history_.size(); ++edit) {
      apply(*edit);
      edits_.push_back(*edit);
    }
  };
  write();
  while (history_.size() < wanted && advance()) {
    visit();
    write();
  }
  first_event_ = last_->events;
  return {};
}

Result<Debugger::Halt> Debugger::back(std::uint64_t count) {
  std::size_t keep = history_.size();
  for (std::size_t at = keep; count != 0 && at != 0;)
    if (history_[--at] == core) {
      keep = at;
      --count;
    }
  halted_by_.reset();
  if (auto done = run_again(keep, [] {}); !done) return fail(std::move(done).error());
  return count == 0 ? Halt::stepped : Halt::beginning;
}

Result<Debugger::Halt> Debugger::go_back() {
  struct Found {
    std::size_t instructions = 0, core = 0;
    Breakpoint point;
  };
  std::optional<Found> found;
  const std::size_t now = history_.size();
  halted_by_.reset();
  if (auto started = run_again(0, [] {}); !started) return fail(std::move(started).error());
  arm();
  auto again = run_again(now == 0 ? 0 : now - 1, [&] {
    if (auto point = met()) found = Found{history_.size(), last_->core, std::move(*point)};
  });
  if (again) again = run_again(found ? found->instructions : 0, [] {});
  if (!again) return fail(std::move(again).error());
  if (!found) return Halt::beginning;
  core = found->core;
  halted_by_ = std::move(found->point);
  return halted_by_->place ? Halt::breakpoint : Halt::watch;
}

Result<void> Debugger::restart() {
  halted_by_.reset();
  edits_.clear();
  return run_again(0, [] {});
}

// ---- where to stop

/// What a watch looks at, as it is now.
std::uint32_t Debugger::watched(const Breakpoint& point) const {
  return point.which ? value(*point.which) : emulator_->read_memory(*point.memory);
}

void Debugger::arm() {
  for (auto& [number, each] : *stops_)
    if (!each.point.place) each.before = watched(each.point);
}

/// What the last instruction met. A condition that cannot be evaluated holds, so that it is seen.
std::optional<Debugger::Breakpoint> Debugger::met() {
  const std::size_t of = last_->core;
  const auto holds = [&](const Stops::Armed& each) {
    if (!each.condition) return true;
    const auto value = evaluate(*each.condition, of);
    return !value || value->is_true();
  };
  for (auto& [number, each] : *stops_) {
    if (!each.point.enabled) continue;
    if (each.point.place) {
      if (each.point.place != next(of)) continue;
    } else {
      if (each.point.which && each.point.which->core != of) continue;
      const std::uint32_t now = watched(each.point);
      if (std::exchange(each.before, now) == now) continue;
    }
    if (holds(each)) return each.point;
  }
  return {};
}

Result<std::uint32_t> Debugger::add(Breakpoint breakpoint) {
  if (breakpoint.place && place(*breakpoint.place) == nullptr)
    return fail("DB010", fmt::format("there is no instruction at {:#x}", breakpoint.place->word));
  if (breakpoint.memory)
    if (const auto there = memory(*breakpoint.memory); !there) return fail(there.error());
  return stops_->add(std::move(breakpoint));
}
Result<void> Debugger::replace(Breakpoint breakpoint) { return stops_->replace(std::move(breakpoint)); }
bool Debugger::remove(std::uint32_t number) { return stops_->remove(number); }
std::vector<Debugger::Breakpoint> Debugger::breakpoints() const { return stops_->points(); }

// ---- names

Result<std::size_t> Debugger::take_core(std::string_view& name, std::size_t otherwise) const {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return otherwise;
  const std::string_view wanted = name.substr(0, colon);
  name.remove_prefix(colon + 1);
  const auto named = std::find(names_.begin(), names_.end(), wanted);
  if (named == names_.end()) return fail("DB010", fmt::format("there is no core {}", wanted), "\"cores\" lists them");
  return static_cast<std::size_t>(named - names_.begin());
}

Result<Debugger::Point> Debugger::point(std::string_view text) const { return point(text, core); }

Result<Debugger::Point> Debugger::point(std::string_view text, std::size_t of) const {
  const auto chosen = take_core(text, of);
  if (!chosen) return fail(chosen.error());
  Point at{*chosen, 0};
  if (const auto word = read_number(text)) {
    at.word = static_cast<std::uint32_t>(*word);
    if (at.word != *word || place(at) == nullptr)
      return fail("DB010", fmt::format("{} has no instruction at {}", names_[at.core], text));
    return at;
  }
  if (text == "pc" || text == "$pc") return next(at.core);
  for (const auto& [key, each] : texts_)
    if (key.first == names_[at.core] && each.where == text) return Point{at.core, key.second};
  const CoreReport report = emulator_->cores()[at.core];
  for (std::uint32_t entry = 0; entry < report.packet_table.size(); ++entry)
    if (emulator_->packet_name(entry) == text) return Point{at.core, report.packet_table[entry]};
  return fail("DB010", fmt::format("there is no place {} in {}", text, names_[at.core]),
              "a packet, a label of mobula disasm, or a word such as 0x21; \"ME:\" in front chooses a core");
}

Result<Debugger::Register> Debugger::register_named(std::string_view text) const { return register_named(text, core); }

Result<Debugger::Register> Debugger::register_named(std::string_view text, std::size_t of) const {
  const auto chosen = take_core(text, of);
  if (!chosen) return fail(chosen.error());
  const auto names = emulator_->register_names();
  const auto found = std::find(names.begin(), names.end(), text == "$1c" || text == "rem" ? "$rem" : text);
  if (found == names.end())
    return fail(
        "DB012", fmt::format("there is no register {}", text),
        "$01 to $1b, $rem, carry; others, such as $addr and $data, are ports that hold no value: \"info outputs\" "
        "shows what went out, \"memory\", \"gpu\" and \"control\" what is there now");
  return Register{*chosen, static_cast<std::size_t>(found - names.begin())};
}

Result<Value> Debugger::value_of(std::string_view name, std::size_t of) const {
  const auto which = register_named(name, of);
  if (which) return Value::integer(value(*which));
  if (const auto at = point(name, of)) return Value::integer(at->word);
  return fail(which.error());
}

Result<Value> Debugger::evaluate(const Expression& expression, std::size_t of) const {
  return expression.evaluate([&](std::string_view name) { return value_of(name, of); },
                             [&](std::uint64_t address) -> Result<Value> {
                               const auto dword = memory(address);
                               if (!dword) return fail(dword.error());
                               return Value::integer(*dword);
                             });
}

Result<Value> Debugger::evaluate(std::string_view expression) const {
  const auto parsed = Expression::parse(expression);
  if (!parsed) return fail(parsed.error());
  return evaluate(*parsed, core);
}

Result<std::uint32_t> Debugger::memory(std::uint64_t address) const {
  constexpr std::uint64_t dword = 4;
  if (address % dword != 0)
    return fail("DB013", fmt::format("{:#x} is not a multiple of {}", address, dword),
                fmt::format("the dword that holds it is at {:#x}", address - address % dword));
  return emulator_->read_memory(address);
}

const Place* Debugger::place(Point at) const {
  const auto found = texts_.find({names_[at.core], at.word});
  return found == texts_.end() ? nullptr : &found->second;
}

std::vector<Place> Debugger::labels() const {
  std::vector<Place> all;
  for (const auto& [key, each] : texts_)
    if (key.first == names_[core] && each.where.find('+') == std::string::npos) all.push_back(each);
  return all;
}

std::vector<Event> Debugger::events() const {
  std::vector<Event> all = emulator_->report().events;
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(first_event_, all.size())));
  return all;
}

void Debugger::apply(const Edit& edit) {
  if (edit.which) {
    emulator_->set_register(edit.which->core, edit.which->number, edit.value);
  } else {
    (void)emulator_->write_memory(edit.address, {&edit.value, 1});
  }
}

void Debugger::set_register(Register which, std::uint32_t value) {
  edits_.push_back({.after = history_.size(), .which = which, .value = value});
  apply(edits_.back());
}

Result<void> Debugger::set_memory(std::uint64_t address, std::uint32_t value) {
  if (const auto there = memory(address); !there) return fail(there.error());
  if (auto written = emulator_->write_memory(address, {&value, 1}); !written) return written;
  edits_.push_back({.after = history_.size(), .which = {}, .address = address, .value = value});
  return {};
}

}  // namespace mobula::firmware
