#include "mobula/lab/firmware_debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "firmware/images.h"

namespace mobula::firmware {
namespace {

std::optional<std::uint32_t> number_of(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return {};
  return value;
}

}  // namespace

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

Debugger::Halt Debugger::step(std::uint64_t count) {
  first_event_ = last_->events;
  for (std::uint64_t done = 0; done < count;) {
    if (!advance()) return Halt::end;
    if (last_->core == core) ++done;
  }
  return Halt::stepped;
}

Debugger::Halt Debugger::go(std::uint64_t most) {
  first_event_ = last_->events;
  std::map<Register, std::uint32_t> before;
  for (const Register& each : watched) before[each] = emulator_->registers(each.core)[each.number];
  for (; most != 0 && advance(); --most) {
    for (auto& [which, value] : before) {
      if (which.core != last_->core) continue;
      if (const std::uint32_t now = emulator_->registers(which.core)[which.number]; now != value) {
        changed_ = which;
        core = which.core;
        return Halt::watch;
      }
    }
    if (breakpoints.contains(next(last_->core))) {
      core = last_->core;
      return Halt::breakpoint;
    }
  }
  return ended_ ? Halt::end : Halt::unfinished;
}

Result<void> Debugger::back(std::uint64_t count) {
  std::size_t keep = history_.size();
  while (count != 0 && keep != 0)
    if (history_[--keep] == core) --count;
  if (count != 0)
    return fail("DB011", fmt::format("{} has not executed so many instructions of the streams", names_[core]));
  const std::vector<Edit> edits = std::exchange(edits_, {});
  if (auto started = start(); !started) return started;
  for (const Edit& edit : edits) {
    if (edit.after > keep) break;
    while (history_.size() < edit.after && advance()) {
    }
    apply(edit);
    edits_.push_back(edit);
  }
  while (history_.size() < keep && advance()) {
  }
  first_event_ = last_->events;
  return {};
}

Result<Debugger::Point> Debugger::point(std::string_view text) const {
  Point at{core, 0};
  std::string_view place = text;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const auto named = std::find(names_.begin(), names_.end(), text.substr(0, colon));
    if (named == names_.end()) return fail("DB010", fmt::format("there is no core {}", text.substr(0, colon)));
    at.core = static_cast<std::size_t>(named - names_.begin());
    place.remove_prefix(colon + 1);
  }
  if (const auto word = number_of(place)) {
    at.word = *word;
    if (this->place(at) == nullptr)
      return fail("DB010", fmt::format("{} has no instruction at {}", names_[at.core], place));
    return at;
  }
  for (const auto& [key, each] : texts_)
    if (key.first == names_[at.core] && each.where == place) return Point{at.core, key.second};
  const CoreReport report = emulator_->cores()[at.core];
  for (std::uint32_t entry = 0; entry < report.packet_table.size(); ++entry)
    if (emulator_->packet_name(entry) == place) return Point{at.core, report.packet_table[entry]};
  return fail("DB010", fmt::format("there is no place {} in {}", place, names_[at.core]),
              "a packet, a label of mobula disasm, or a word such as 0x21; \"ME:\" in front chooses a core");
}

Result<std::size_t> Debugger::register_number(std::string_view name) const {
  const auto names = emulator_->register_names();
  const auto found = std::find(names.begin(), names.end(), name == "$1c" ? "$rem" : name);
  if (found == names.end())
    return fail("DB012", fmt::format("there is no register {}", name), "$01 to $1b, $rem, carry");
  return static_cast<std::size_t>(found - names.begin());
}

const Place* Debugger::place(Point at) const {
  const auto found = texts_.find({names_[at.core], at.word});
  return found == texts_.end() ? nullptr : &found->second;
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
  if (auto written = emulator_->write_memory(address, {&value, 1}); !written) return written;
  edits_.push_back({.after = history_.size(), .which = {}, .address = address, .value = value});
  return {};
}

}  // namespace mobula::firmware
