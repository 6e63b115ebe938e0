#include "mobula/lab/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/counted.h"
#include "mobula/isa/machine.h"

namespace mobula {
namespace {

/// Written by hand into a thread's state, and to be written again when the run is repeated.
struct Edit {
  std::uint64_t steps = 0;  ///< made when this many steps had been executed
  std::uint32_t lane = 0, byte = 0;
  std::vector<std::uint8_t> bytes;
};

/// A word of the current thread.
struct ExecutedWord {
  std::uint64_t steps = 0;  ///< of the interpreter, before it
  std::uint64_t address = 0;
};

struct Execution {
  Run run;
  Run::Batch batch;
};

/// A breakpoint and what it needs while the program runs.
struct Armed {
  Debugger::Breakpoint point;
  std::optional<Expression> condition;
  std::vector<std::uint8_t> before;  ///< bytes of the slot
};

/// What stopped the threads, and which of them.
struct Stop {
  std::size_t armed = 0;
  std::uint32_t lane = 0;
};

std::optional<std::uint64_t> address_in(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return {};
  return value;
}

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char letter) { return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : +letter; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Labels that a listing of the program has; none if the text does not give its bytes again.
std::vector<Label> labels_of_listing(const Program& program) {
  const Machine* machine = find_machine(program.machine);
  if (machine == nullptr) return {};
  const auto listing = machine->disassemble(program, {});
  if (!listing) return {};
  auto again = machine->assemble({program.file, listing->text}, {.variant = program.variant});
  return again && again->code == program.code ? std::move(again->labels) : std::vector<Label>();
}

}  // namespace

struct Debugger::Impl {
  const Program& program;
  const ir::Program& lifted;
  RunInputs inputs;
  std::optional<Execution> execution;
  Interpreter* interpreter = nullptr;  ///< of the execution
  std::uint32_t lane = 0;
  std::uint64_t steps = 0;            ///< of the interpreter, from the start
  std::vector<ExecutedWord> history;  ///< of the current thread, unless another was chosen since
  bool is_history_old = false;
  std::uint32_t last_block = 0;  ///< of the last step
  std::vector<std::uint32_t> last_lanes;
  std::size_t first_fault = 0;  ///< of the last step, among those of the interpreter
  std::vector<Edit> edits;
  std::vector<Armed> armed;  ///< by number
  std::uint32_t last_number = 0;
  std::optional<Breakpoint> halted_by;
  std::optional<std::vector<Label>> labels;

  [[nodiscard]] Result<Execution> start() const {
    auto run = Run::prepare(program, lifted, inputs, {});
    if (!run) return fail(std::move(run).error());
    if (run->batches() == 0) return fail("DB001", "the run has no thread");
    Run::Batch batch = run->start(0);
    return Execution{std::move(*run), std::move(batch)};
  }

  /// At the start, with nothing executed.
  void adopt(Execution fresh) {
    execution.emplace(std::move(fresh));
    interpreter = &execution->batch.interpreter();
    interpreter->set_observer({{}, [this](std::uint32_t block, std::span<const std::uint32_t> lanes) {
                                 last_block = block;
                                 last_lanes.assign(lanes.begin(), lanes.end());
                               }});
    steps = 0;
    history.clear();
    is_history_old = false;
    last_lanes.clear();
  }

  void write_edits(Interpreter& into, std::uint64_t done) const {
    for (const Edit& edit : edits)
      if (edit.steps == done) into.write(edit.lane, edit.byte, edit.bytes);
  }

  /// A fresh execution, gone forward as far as this one. What could be started once can be started again.
  [[nodiscard]] Execution replay() const {
    Execution fresh = std::move(*start());
    Interpreter& again = fresh.batch.interpreter();
    write_edits(again, 0);
    for (std::uint64_t done = 0; done < steps;) {
      again.step();
      write_edits(again, ++done);
    }
    return fresh;
  }

  /// False when nothing can run. That threads reach the limit of their steps is a step, too.
  bool step_once() {
    last_lanes.clear();
    first_fault = interpreter->faults().size();
    if (!interpreter->step() && interpreter->faults().size() == first_fault) return false;
    if (executed_by(lane)) history.push_back({steps, lifted.blocks[last_block].address});
    ++steps;
    return true;
  }
  [[nodiscard]] bool executed_by(std::uint32_t each) const { return std::ranges::binary_search(last_lanes, each); }

  /// Starts anew, with the edits made on the way, and calls `visit` after each step.
  template <class Visit>
  void run_again(std::uint64_t wanted, Visit visit) {
    adopt(std::move(*start()));
    write_edits(*interpreter, 0);
    while (steps < wanted && step_once()) {
      write_edits(*interpreter, steps);
      visit();
    }
  }
  void run_again(std::uint64_t wanted) {
    run_again(wanted, [] {});
  }

  /// Which words a thread has executed is found out by running again, when it is asked for.
  const std::vector<ExecutedWord>& past() {
    if (is_history_old) run_again(steps);
    return history;
  }

  void forget_edits_after(std::uint64_t wanted) {
    std::erase_if(edits, [&](const Edit& edit) { return edit.steps > wanted; });
  }

  [[nodiscard]] std::optional<std::uint64_t> address(std::uint32_t of) const {
    const auto block = interpreter->block(of);
    const LaneState state = interpreter->state(of);
    if (!block || (state != LaneState::running && state != LaneState::waiting)) return {};
    return lifted.blocks[*block].address;
  }

  [[nodiscard]] std::vector<std::uint8_t> read(std::uint32_t of, const ir::Slot& slot) const {
    std::vector<std::uint8_t> bytes(slot.bytes);
    interpreter->read(of, slot.byte, bytes);
    return bytes;
  }

  [[nodiscard]] std::vector<std::uint64_t> executed(std::size_t most) {
    const std::vector<ExecutedWord>& words = past();
    std::vector<std::uint64_t> addresses;
    for (auto word = words.rbegin(); word != words.rend() && addresses.size() < most; ++word)
      addresses.push_back(word->address);
    return addresses;
  }

  // ---- names

  [[nodiscard]] std::vector<std::string> meant(std::string_view name, std::uint32_t of) {
    constexpr std::size_t most = 4;  // earlier words that a name may reach back to
    const Machine* machine = find_machine(program.machine);
    if (machine == nullptr) return {std::string(name)};
    const std::vector<std::uint64_t> before = of == lane ? executed(most) : std::vector<std::uint64_t>();
    return machine->slots_meant(name, address(of).value_or(0), before);
  }

  /// The slots for which `is` holds of one of the names that may be meant, the likeliest first.
  template <class Is>
  [[nodiscard]] std::vector<const ir::Slot*> find_slots(std::string_view name, std::uint32_t of, Is is) {
    for (const std::string& each : meant(name, of)) {
      std::vector<const ir::Slot*> found;
      for (const ir::Slot& slot : lifted.slots)
        if (is(std::string_view(slot.name), std::string_view(each))) found.push_back(&slot);
      if (!found.empty()) return found;
    }
    return {};
  }

  /// As it is spelled, or else in letters of the other case.
  [[nodiscard]] const ir::Slot* find_slot(std::string_view name, std::uint32_t of) {
    auto found = find_slots(name, of, std::equal_to<>());
    if (found.empty()) found = find_slots(name, of, same_letters);
    return found.empty() ? nullptr : found.front();
  }

  [[nodiscard]] Result<Value> value_of(std::string_view name, std::uint32_t of) {
    const std::string_view plain = name.starts_with('$') ? name.substr(1) : name;
    for (const std::string_view each : {name, plain})
      if (const ir::Slot* slot = find_slot(each, of)) return Value::of(read(of, *slot));
    if (const auto here = address(of); here && plain == "pc") return Value::integer(static_cast<std::int64_t>(*here));
    for (const Label& label : all_labels())
      if (label.name == name) return Value::integer(static_cast<std::int64_t>(label.byte_offset));
    return fail("DB006", fmt::format("there is no slot \"{}\"", name),
                "\"print\" shows the slots that are not zero; results that no later word reads are not kept");
  }

  const std::vector<Label>& all_labels() {
    if (!labels) labels = program.labels.empty() ? labels_of_listing(program) : program.labels;
    return *labels;
  }

  // ---- stopping

  void arm() {
    (void)past();  // what is executed from here on is added to it
    for (Armed& each : armed)
      if (each.point.slot != nullptr) each.before = read(each.point.lane, *each.point.slot);
  }

  /// True where a breakpoint's condition holds; one that cannot be evaluated holds, so that it is seen.
  [[nodiscard]] bool holds(const Armed& each, std::uint32_t of) {
    if (!each.condition) return true;
    const auto value = each.condition->evaluate([&](std::string_view name) { return value_of(name, of); });
    return !value || value->is_true();
  }

  /// The lane that is at the place, or whose slot has changed, after the last step; the current one rather than others.
  [[nodiscard]] std::optional<std::uint32_t> lane_at(Armed& each) {
    if (each.point.slot != nullptr) {
      if (!executed_by(each.point.lane)) return {};
      std::vector<std::uint8_t> now = read(each.point.lane, *each.point.slot);
      if (now == each.before) return {};
      each.before = std::move(now);
      return each.point.lane;
    }
    const auto is_there = [&](std::uint32_t of) {
      return address(of) == each.point.address && !interpreter->thread(of).helper && holds(each, of);
    };
    if (executed_by(lane) && is_there(lane)) return lane;
    const auto found = std::ranges::find_if(last_lanes, is_there);
    return found == last_lanes.end() ? std::nullopt : std::optional(*found);
  }

  /// What the last step met.
  [[nodiscard]] std::optional<Stop> met() {
    for (std::size_t i = 0; i < armed.size(); ++i) {
      if (!armed[i].point.enabled) continue;
      const auto of = lane_at(armed[i]);
      if (of && (armed[i].point.slot == nullptr || holds(armed[i], *of))) return Stop{i, *of};
    }
    return {};
  }

  void choose(std::uint32_t wanted) {
    if (lane == wanted) return;
    lane = wanted;
    is_history_old = true;
  }

  /// The same, counted: nothing if it is to be passed by.
  std::optional<Halt> stop_at_met() {
    const auto stop = met();
    if (!stop) return {};
    Breakpoint& point = armed[stop->armed].point;
    ++point.hits;
    if (point.ignore != 0) {
      --point.ignore;
      return {};
    }
    halted_by = point;
    if (point.temporary) armed.erase(armed.begin() + static_cast<std::ptrdiff_t>(stop->armed));
    choose(stop->lane);
    return halted_by->slot != nullptr ? Halt::watch : Halt::breakpoint;
  }

  /// A thread that the last step stopped for good becomes the current one, if that is not such a thread itself.
  bool found_fault() {
    const auto faults = std::span(interpreter->faults()).subspan(first_fault);
    const auto is_thread = [&](const LaneFault& fault) { return !interpreter->thread(fault.lane).helper; };
    const auto found = std::ranges::find_if(faults, is_thread);
    if (found == faults.end()) return false;
    if (std::ranges::find(faults, lane, &LaneFault::lane) == faults.end()) choose(found->lane);
    return true;
  }

  [[nodiscard]] bool returns(std::uint32_t block) const {
    const ir::Block& row = lifted.blocks[block];
    const auto operations = std::span(lifted.operations).subspan(row.first, row.count);
    return std::ranges::any_of(operations,
                               [](const ir::Operation& each) { return each.op == ir::Op::branch_indirect; });
  }
};

Debugger::Debugger(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Debugger::~Debugger() = default;
Debugger::Debugger(Debugger&&) noexcept = default;
Debugger& Debugger::operator=(Debugger&&) noexcept = default;

Result<Debugger> Debugger::create(const Program& program, const ir::Program& lifted, RunInputs inputs) {
  auto impl = std::make_unique<Impl>(Impl{.program = program, .lifted = lifted, .inputs = std::move(inputs)});
  auto execution = impl->start();
  if (!execution) return fail(std::move(execution).error());
  impl->adopt(std::move(*execution));
  return Debugger(std::move(impl));
}

// ---- going on

Debugger::Halt Debugger::step(std::uint64_t count) {
  impl_->halted_by.reset();
  impl_->arm();
  while (count > 0) {
    if (!address(lane()) || !impl_->step_once()) return Halt::stopped;  // or threads wait for each other
    if (state(lane()) == LaneState::faulted) return Halt::fault;
    if (!impl_->executed_by(lane())) continue;
    --count;
    if (count == 0) break;
    if (const auto halt = impl_->stop_at_met()) return *halt;
  }
  return address(lane()) ? Halt::stepped : Halt::stopped;
}

Debugger::Halt Debugger::go(const Goal& goal, std::uint64_t most) {
  impl_->halted_by.reset();
  impl_->arm();
  const auto from = address(lane());
  const std::uint32_t whose = lane();
  for (; most != 0; --most) {
    if (!impl_->step_once()) return Halt::stopped;
    if (const auto halt = impl_->stop_at_met()) return *halt;
    if (impl_->found_fault()) return Halt::fault;
    if (!impl_->executed_by(whose)) continue;
    const auto now = address(whose);
    if (!now) {
      if (goal.address || goal.later || goal.returned) return Halt::stopped;
      continue;
    }
    if (goal.address == now || (goal.later && now > from)) return Halt::stepped;
    if (goal.returned && impl_->returns(impl_->last_block)) return Halt::stepped;
  }
  return Halt::unfinished;
}

Result<void> Debugger::back(std::uint64_t count) {
  const std::vector<ExecutedWord>& history = impl_->past();
  if (count > history.size()) return fail("DB002", "the thread has not executed that many words");
  if (count == 0) return {};
  impl_->halted_by.reset();
  const std::uint64_t wanted = history[history.size() - count].steps;
  impl_->forget_edits_after(wanted);
  impl_->run_again(wanted);
  return {};
}

Debugger::Halt Debugger::go_back() {
  struct Found {
    std::uint64_t steps = 0;
    Breakpoint point;
    std::uint32_t lane = 0;
  };
  std::optional<Found> last;
  const std::uint64_t now = impl_->steps;
  impl_->halted_by.reset();
  impl_->run_again(0);
  impl_->arm();
  impl_->run_again(now == 0 ? 0 : now - 1, [&] {
    if (const auto stop = impl_->met()) last = Found{impl_->steps, impl_->armed[stop->armed].point, stop->lane};
  });
  const std::uint64_t wanted = last ? last->steps : 0;
  impl_->forget_edits_after(wanted);
  if (last) impl_->lane = last->lane;
  impl_->run_again(wanted);
  if (!last) return Halt::beginning;
  impl_->halted_by = last->point;
  return last->point.slot != nullptr ? Halt::watch : Halt::breakpoint;
}

void Debugger::restart() {
  impl_->halted_by.reset();
  impl_->edits.clear();
  impl_->run_again(0);
}

bool Debugger::has_returns() const {
  for (std::uint32_t block = 0; block < impl_->lifted.blocks.size(); ++block)
    if (impl_->returns(block)) return true;
  return false;
}

// ---- where to stop

Result<std::uint32_t> Debugger::add(Breakpoint breakpoint) {
  breakpoint.number = impl_->last_number + 1;
  impl_->armed.push_back({.point = breakpoint});
  if (auto done = replace(std::move(breakpoint)); !done) {
    impl_->armed.pop_back();
    return fail(std::move(done).error());
  }
  return ++impl_->last_number;
}

std::uint32_t Debugger::break_at(std::uint64_t address) { return *add({.address = address}); }
std::uint32_t Debugger::watch(const ir::Slot& slot) { return *add({.slot = &slot, .lane = lane()}); }

Result<void> Debugger::replace(Breakpoint breakpoint) {
  const auto found =
      std::ranges::find(impl_->armed, breakpoint.number, [](const Armed& each) { return each.point.number; });
  if (found == impl_->armed.end()) return fail("DB009", fmt::format("there is no breakpoint {}", breakpoint.number));
  std::optional<Expression> condition;
  if (!breakpoint.condition.empty()) {
    auto parsed = Expression::parse(breakpoint.condition);
    if (!parsed) return fail(std::move(parsed).error());
    condition = std::move(*parsed);
  }
  found->point = std::move(breakpoint);
  found->condition = std::move(condition);
  return {};
}

bool Debugger::remove(std::uint32_t number) {
  return std::erase_if(impl_->armed, [&](const Armed& each) { return each.point.number == number; }) != 0;
}

std::vector<Debugger::Breakpoint> Debugger::breakpoints() const {
  std::vector<Breakpoint> all;
  for (const Armed& each : impl_->armed) all.push_back(each.point);
  return all;
}

const std::optional<Debugger::Breakpoint>& Debugger::halted_by() const { return impl_->halted_by; }

// ---- places

Result<std::uint64_t> Debugger::address_of(std::string_view text) const {
  if (text.starts_with('*')) text.remove_prefix(1);
  std::optional<std::uint64_t> address;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    const auto line = address_in(text.substr(colon + 1));
    if (impl_->program.lines.empty())
      return fail("DB003", "the program has no lines: it was not assembled", "give an address or a label");
    for (const SourceLine& each : impl_->program.lines)
      if (line && !address && each.line >= *line) address = each.byte_offset;
    if (!address) return fail("DB003", fmt::format("no word begins in line {} or later", text.substr(colon + 1)));
    return *address;
  }
  const std::size_t plus = text.find('+');
  const auto label = std::ranges::find(labels(), text.substr(0, plus), &Label::name);
  if (label != labels().end()) {
    const auto distance = plus == std::string_view::npos ? 0 : address_in(text.substr(plus + 1));
    if (distance) address = label->byte_offset + *distance;
  } else {
    address = address_in(text);
  }
  if (!address)
    return fail("DB003", fmt::format("\"{}\" is not a number, and there is no such label", text),
                "0x20, a label of the listing such as L2, L2+0x10, or :12 for a line of assembly text");
  if (!impl_->lifted.block_at(*address))
    return fail("DB004", fmt::format("no word starts at {:#x}", *address), "\"list\" shows where words start");
  return *address;
}

const std::vector<Label>& Debugger::labels() const { return impl_->all_labels(); }

std::string Debugger::symbol(std::uint64_t address) const {
  const Label* nearest = nullptr;
  for (const Label& each : labels())
    if (each.byte_offset <= address && (nearest == nullptr || each.byte_offset > nearest->byte_offset)) nearest = &each;
  if (nearest == nullptr) return {};
  if (nearest->byte_offset == address) return nearest->name;
  return fmt::format("{}+{:#x}", nearest->name, address - nearest->byte_offset);
}

std::optional<std::uint32_t> Debugger::line_of(std::uint64_t address) const {
  const auto found = std::ranges::find(impl_->program.lines, address, &SourceLine::byte_offset);
  if (found == impl_->program.lines.end()) return {};
  return found->line;
}

std::vector<std::uint64_t> Debugger::around(std::size_t count, std::optional<std::uint64_t> centre) const {
  const std::vector<ir::Block>& blocks = impl_->lifted.blocks;
  if (!centre) centre = address(lane());
  const std::size_t next = centre ? impl_->lifted.block_at(*centre).value_or(0) : blocks.size();
  const std::size_t first = next - std::min(next, count / 2);
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = first; i < blocks.size() && i - first < count; ++i) addresses.push_back(blocks[i].address);
  return addresses;
}

// ---- what is there

Result<const ir::Slot*> Debugger::slot(std::string_view name) const {
  if (const ir::Slot* found = impl_->find_slot(name, lane())) return found;
  return fail("DB006", fmt::format("there is no slot \"{}\"", name),
              "\"print\" shows the slots that are not zero; results that no later word reads are not kept");
}

Result<std::vector<const ir::Slot*>> Debugger::slots(std::string_view name) const {
  const auto is_part = [](auto same) {
    return [same](std::string_view slot, std::string_view whole) {
      return same(slot.substr(0, whole.size()), whole) &&
             (slot.size() == whole.size() || slot[std::min(whole.size(), slot.size() - 1)] == '.');
    };
  };
  auto found = impl_->find_slots(name, lane(), is_part(std::equal_to<>()));
  if (found.empty()) found = impl_->find_slots(name, lane(), is_part(same_letters));
  if (!found.empty()) return found;
  const auto meant = slot(name);
  if (!meant) return fail(meant.error());
  return std::vector{*meant};
}

std::vector<const ir::Slot*> Debugger::slots_in_use() const {
  std::vector<const ir::Slot*> found;
  for (const ir::Slot& each : impl_->lifted.slots)
    if (std::ranges::any_of(read(each), [](std::uint8_t byte) { return byte != 0; })) found.push_back(&each);
  return found;
}

std::vector<const ir::Slot*> Debugger::slots_written() const {
  const std::vector<std::uint64_t> last = executed(1);
  if (last.empty()) return {};
  const auto block = impl_->lifted.block_at(last.front());
  if (!block) return {};
  const ir::Effects effects = ir::effects(impl_->lifted, *block);
  std::vector<const ir::Slot*> found;
  for (const ir::Slot& slot : impl_->lifted.slots)
    if (std::ranges::any_of(effects.writes, [&](const ir::ByteRange& range) {
          return range.byte < slot.byte + slot.bytes && slot.byte < range.byte + range.bytes;
        }))
      found.push_back(&slot);
  return found;
}

std::vector<std::uint8_t> Debugger::read(const ir::Slot& slot, std::uint32_t lane) const {
  return impl_->read(lane, slot);
}

Result<void> Debugger::write(const ir::Slot& slot, std::vector<std::uint8_t> bytes) {
  if (bytes.size() != slot.bytes || std::uint64_t{slot.byte} + slot.bytes > impl_->lifted.state_bytes)
    return fail("DB007", fmt::format("{} not fit in {}, which has {}", counted(bytes.size(), "byte does", "bytes do"),
                                     slot.name, slot.bytes));
  impl_->interpreter->write(lane(), slot.byte, bytes);
  impl_->edits.push_back({impl_->steps, lane(), slot.byte, std::move(bytes)});
  return {};
}

Result<Value> Debugger::evaluate(std::string_view expression) const {
  const auto parsed = Expression::parse(expression);
  if (!parsed) return fail(parsed.error());
  return parsed->evaluate([&](std::string_view name) { return impl_->value_of(name, lane()); });
}

std::vector<std::uint8_t> Debugger::read_memory(std::uint64_t address, std::size_t count) const {
  constexpr std::size_t piece = 4096;
  Environment& world = impl_->execution->batch.environment();
  std::vector<std::uint8_t> bytes(count);
  std::size_t done = 0;
  const auto load = [&](std::size_t size) {
    return !world.load_memory(thread(lane()), address + done, std::span(bytes).subspan(done, size));
  };
  // Regions end anywhere: what cannot be read in one piece is read in smaller ones.
  for (std::size_t size = piece; size != 0; size /= 2)
    while (done < count && (size <= count - done || size == 1) && load(std::min(size, count - done)))
      done += std::min(size, count - done);
  bytes.resize(done);
  return bytes;
}

// ---- threads

std::uint32_t Debugger::threads() const { return impl_->interpreter->lanes(); }
std::uint32_t Debugger::lane() const { return impl_->lane; }

Result<void> Debugger::choose(std::uint32_t lane) {
  if (lane >= threads()) return fail("DB008", fmt::format("there is no lane {}; there are {}", lane, threads()));
  impl_->choose(lane);
  return {};
}

std::optional<std::uint32_t> Debugger::lane_of(std::uint64_t thread_number) const {
  for (std::uint32_t each = 0; each < threads(); ++each)
    if (!thread(each).helper && thread(each).index == thread_number) return each;
  return {};
}

const Thread& Debugger::thread(std::uint32_t lane) const { return impl_->interpreter->thread(lane); }
LaneState Debugger::state(std::uint32_t lane) const { return impl_->interpreter->state(lane); }
std::optional<std::uint64_t> Debugger::address(std::uint32_t lane) const { return impl_->address(lane); }
std::uint64_t Debugger::words_executed() const { return impl_->past().size(); }
std::vector<std::uint64_t> Debugger::executed(std::size_t most) const { return impl_->executed(most); }
const std::vector<LaneFault>& Debugger::faults() const { return impl_->interpreter->faults(); }

RunResult Debugger::outputs() const {
  Execution copy = impl_->replay();
  copy.run.finish(copy.batch);
  return copy.run.result();
}

}  // namespace mobula
