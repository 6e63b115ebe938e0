#include "mobula/lab/debugger.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/counted.h"
#include "core/source_lines.h"
#include "execute/stop_list.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/word_texts.h"

namespace mobula {
namespace {

/// Done to a thread by hand, and to be done again when the run is repeated.
struct Edit {
  enum class Kind : std::uint8_t { state, memory, jump };
  std::uint64_t steps = 0;  ///< made when this many steps had been executed
  Kind kind = Kind::state;
  std::uint32_t lane = 0;
  std::uint64_t where = 0;  ///< byte of the state, address, or block
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

using Stops = StopList<Debugger::Breakpoint, std::vector<std::uint8_t>>;  // bytes of the slot or of memory
using Armed = Stops::Armed;

/// What stopped the threads, and which of them.
struct Stop {
  Debugger::Breakpoint point;
  std::uint32_t lane = 0;
};

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char letter) { return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : +letter; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

Unexpected no_word_at(std::uint64_t address) {
  return fail("DB004", fmt::format("no word starts at {:#x}", address),
              "\"list\" shows where words start; a line of the text is \":12\"");
}

Unexpected no_memory_at(std::uint64_t address, std::size_t bytes) {
  return fail("DB023", fmt::format("there is no memory of {} bytes at {:#x}", bytes, address),
              "the inputs say what memory there is");
}

Unexpected has_stopped() { return fail("DB025", "the thread has stopped", "\"back\" lets it go on again"); }

/// As it was given, or without the folders before it.
bool is_name_of(std::string_view name, std::string_view file) {
  return file.ends_with(name) && (file.size() == name.size() || file[file.size() - name.size() - 1] == '/');
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
  Stops stops;
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

  /// What was once possible is possible again.
  static void apply(const Edit& edit, Run::Batch& batch) {
    Interpreter& into = batch.interpreter();
    switch (edit.kind) {
      case Edit::Kind::state:
        return into.write(edit.lane, static_cast<std::uint32_t>(edit.where), edit.bytes);
      case Edit::Kind::memory:
        (void)batch.environment().store_memory(into.thread(edit.lane), edit.where, edit.bytes);
        return;
      case Edit::Kind::jump:
        return into.jump(edit.lane, static_cast<std::uint32_t>(edit.where));
    }
  }
  void apply_edits(Run::Batch& batch, std::uint64_t done) const {
    for (const Edit& edit : edits)
      if (edit.steps == done) apply(edit, batch);
  }
  void make(Edit edit) {
    apply(edit, execution->batch);
    edits.push_back(std::move(edit));
  }

  /// A fresh execution, gone forward as far as this one. What could be started once can be started again.
  [[nodiscard]] Execution replay() const {
    Execution fresh = std::move(*start());
    apply_edits(fresh.batch, 0);
    for (std::uint64_t done = 0; done < steps;) {
      fresh.batch.interpreter().step();
      apply_edits(fresh.batch, ++done);
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
    apply_edits(execution->batch, 0);
    while (steps < wanted && step_once()) {
      apply_edits(execution->batch, steps);
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

  /// As the thread would load it; up to the first byte that it cannot.
  [[nodiscard]] std::vector<std::uint8_t> read_memory(std::uint32_t of, std::uint64_t address, std::size_t count) {
    constexpr std::size_t piece = 4096;
    Environment& world = execution->batch.environment();
    std::vector<std::uint8_t> bytes;  // grows with what can be read: nobody has room for what only was asked for
    std::size_t done = 0;
    const auto load = [&](std::size_t size) {
      bytes.resize(done + size);
      return !world.load_memory(interpreter->thread(of), address + done, std::span(bytes).subspan(done, size));
    };
    // Regions end anywhere: what cannot be read in one piece is read in smaller ones.
    for (std::size_t size = piece; size != 0; size /= 2)
      while (done < count && (size <= count - done || size == 1) && load(std::min(size, count - done)))
        done += std::min(size, count - done);
    bytes.resize(done);
    return bytes;
  }

  /// The word there, as the thread would load it.
  [[nodiscard]] Result<Value> load(std::uint64_t address, std::uint32_t of) {
    constexpr std::size_t word_bytes = 4;
    const std::vector<std::uint8_t> bytes = read_memory(of, address, word_bytes);
    if (bytes.size() != word_bytes) return no_memory_at(address, word_bytes);
    return Value::of(bytes);
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
    if (plain == "pc") {
      const auto here = address(of);
      if (!here) return has_stopped();
      return Value::integer(static_cast<std::int64_t>(*here));
    }
    for (const Label& label : all_labels())
      if (label.name == name) return Value::integer(static_cast<std::int64_t>(label.byte_offset));
    return no_slot(name, of);
  }

  /// All components of a name, and the slot of that name itself.
  [[nodiscard]] std::vector<const ir::Slot*> find_parts(std::string_view name, std::uint32_t of) {
    const auto is_part = [](auto same) {
      return [same](std::string_view slot, std::string_view whole) {
        return same(slot.substr(0, whole.size()), whole) &&
               (slot.size() == whole.size() || slot[std::min(whole.size(), slot.size() - 1)] == '.');
      };
    };
    auto found = find_slots(name, of, is_part(std::equal_to<>()));
    return found.empty() ? find_slots(name, of, is_part(same_letters)) : found;
  }

  /// DB006: there is none, or there are several.
  [[nodiscard]] Unexpected no_slot(std::string_view name, std::uint32_t of) {
    std::string parts;
    for (const ir::Slot* part : find_parts(name, of)) parts += (parts.empty() ? "" : ", ") + part->name;
    if (!parts.empty())
      return fail("DB006", fmt::format("\"{}\" is not one slot: there are {}", name, parts), "name one of them");
    return fail("DB006", fmt::format("there is no slot \"{}\"", name),
                "\"print\" shows the slots that are not zero; results that no later word reads are not kept");
  }

  [[nodiscard]] Result<Value> evaluate(const Expression& expression, std::uint32_t of) {
    return expression.evaluate([&](std::string_view name) { return value_of(name, of); },
                               [&](std::uint64_t address) { return load(address, of); });
  }

  /// Of the first word in a line or after it: ":12", "t.mdg:12".
  [[nodiscard]] Result<std::uint64_t> address_of_line(std::string_view text) const {
    const std::size_t colon = text.rfind(':');
    const std::string_view file = text.substr(0, colon), digits = text.substr(colon + 1);
    if (program.lines.empty())
      return fail("DB003", "the program has no lines: it was neither compiled nor assembled here",
                  "give an address or a label");
    if (!file.empty() && !is_name_of(file, program.file))
      return fail("DB003", fmt::format("the program does not come from {}", file),
                  "its lines are those of " + program.file);
    const auto line = read_number(digits);
    if (!line || *line == 0)
      return fail("DB003", fmt::format("\"{}\" is not the number of a line", digits), "they count from 1: \":12\"");
    // Code of compilers does not follow its lines in order.
    const SourceLine* found = nullptr;
    for (const SourceLine& each : program.lines) {
      const bool is_nearer = each.line >= *line && (found == nullptr || each.line < found->line);
      if (is_nearer && lifted.block_at(each.byte_offset)) found = &each;
    }
    if (found == nullptr)
      return fail("DB003", fmt::format("no word begins in line {} or later", *line),
                  "\"list\" shows the words that there are");
    return found->byte_offset;
  }

  const std::vector<Label>& all_labels() {
    if (!labels) labels = program.labels.empty() ? labels_of_listing(program) : program.labels;
    return *labels;
  }

  // ---- stopping

  [[nodiscard]] static bool is_watch(const Breakpoint& point) { return point.slot != nullptr || point.memory; }
  /// What a watch is to see changing.
  [[nodiscard]] std::vector<std::uint8_t> watched(const Breakpoint& point) {
    return point.slot != nullptr ? read(point.lane, *point.slot)
                                 : read_memory(point.lane, point.memory->address, point.memory->bytes);
  }

  /// That there is what it is to watch.
  [[nodiscard]] Result<void> check(const Breakpoint& point) {
    if (point.address && !lifted.block_at(*point.address)) return no_word_at(*point.address);
    if (!point.memory || (point.memory->bytes != 0 && watched(point).size() == point.memory->bytes)) return {};
    return no_memory_at(point.memory->address, point.memory->bytes);
  }

  void arm() {
    (void)past();  // what is executed from here on is added to it
    for (auto& [number, each] : stops)
      if (is_watch(each.point)) each.before = watched(each.point);
  }

  /// True where a breakpoint's condition holds; one that cannot be evaluated holds, so that it is seen.
  [[nodiscard]] bool holds(const Armed& each, std::uint32_t of) {
    if (!each.condition) return true;
    const auto value = evaluate(*each.condition, of);
    return !value || value->is_true();
  }

  /// A lane of the last step for which `is` holds, the current one rather than others.
  template <class Is>
  [[nodiscard]] std::optional<std::uint32_t> lane_of_step(Is is) const {
    if (executed_by(lane) && is(lane)) return lane;
    const auto found = std::ranges::find_if(last_lanes, is);
    return found == last_lanes.end() ? std::nullopt : std::optional(*found);
  }

  /// The lane whose step changed what is watched.
  [[nodiscard]] std::optional<std::uint32_t> lane_that_changed(Armed& each) {
    const bool is_slot = each.point.slot != nullptr;
    if (is_slot && !executed_by(each.point.lane)) return {};
    std::vector<std::uint8_t> now = watched(each.point);
    if (now == each.before) return {};
    each.before = std::move(now);
    const auto of = is_slot ? std::optional(each.point.lane) : lane_of_step([](std::uint32_t) { return true; });
    return of && holds(each, *of) ? of : std::nullopt;
  }

  /// The lane that the last step brought to the place.
  [[nodiscard]] std::optional<std::uint32_t> lane_at(const Armed& each) {
    return lane_of_step([&](std::uint32_t of) {
      return address(of) == each.point.address && !interpreter->thread(of).helper && holds(each, of);
    });
  }

  /// Where the lanes of the last step are now, in order: few places, however many lanes there are.
  [[nodiscard]] std::vector<std::uint64_t> places_of_step() const {
    std::vector<std::uint64_t> places;
    for (const std::uint32_t of : last_lanes)
      if (const auto here = address(of); here && (places.empty() || places.back() != *here)) places.push_back(*here);
    std::ranges::sort(places);
    return places;
  }

  /// What the last step met: the first of several. Each watch sees every step.
  [[nodiscard]] std::optional<Stop> met() {
    if (stops.empty()) return {};
    const std::vector<std::uint64_t> places = places_of_step();
    std::optional<Stop> first;
    for (auto& [number, each] : stops) {
      if (!each.point.enabled || (first && !is_watch(each.point))) continue;
      if (each.point.address && !std::ranges::binary_search(places, *each.point.address)) continue;
      const auto of = is_watch(each.point) ? lane_that_changed(each) : lane_at(each);
      if (of && !first) first = Stop{each.point, *of};
    }
    return first;
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
    auto point = stops.stop_at(stop->point.number);
    if (!point) return {};
    halted_by = std::move(point);
    choose(stop->lane);
    return is_watch(*halted_by) ? Halt::watch : Halt::breakpoint;
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

Debugger::Halt Debugger::back(std::uint64_t count) {
  const std::vector<ExecutedWord>& history = impl_->past();
  const bool is_too_far = count > history.size();
  const std::size_t words = is_too_far ? history.size() : static_cast<std::size_t>(count);
  impl_->halted_by.reset();
  if (words != 0) {
    const std::uint64_t wanted = history[history.size() - words].steps;
    impl_->forget_edits_after(wanted);
    impl_->run_again(wanted);
  }
  return is_too_far ? Halt::beginning : Halt::stepped;
}

Debugger::Halt Debugger::go_back(bool even_here) {
  struct Found {
    std::uint64_t steps = 0;
    Stop stop;
  };
  std::optional<Found> last;
  const std::uint64_t now = impl_->steps;
  impl_->halted_by.reset();
  impl_->run_again(0);
  impl_->arm();
  impl_->run_again(now, [&] {
    const auto stop = impl_->met();
    if (stop && (impl_->steps != now || (even_here && stop->point.memory))) last = Found{impl_->steps, *stop};
  });
  const std::uint64_t wanted = last ? last->steps : 0;
  impl_->forget_edits_after(wanted);
  if (last) impl_->lane = last->stop.lane;
  impl_->run_again(wanted);
  if (!last) return Halt::beginning;
  impl_->halted_by = last->stop.point;
  return Impl::is_watch(last->stop.point) ? Halt::watch : Halt::breakpoint;
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
  if (auto checked = impl_->check(breakpoint); !checked) return fail(std::move(checked).error());
  return impl_->stops.add(std::move(breakpoint));
}

std::uint32_t Debugger::break_at(std::uint64_t address) { return *add({.address = address}); }
std::uint32_t Debugger::watch(const ir::Slot& slot) { return *add({.slot = &slot, .lane = lane()}); }

Result<void> Debugger::replace(Breakpoint breakpoint) {
  if (auto checked = impl_->check(breakpoint); !checked) return checked;
  return impl_->stops.replace(std::move(breakpoint));
}

bool Debugger::remove(std::uint32_t number) { return impl_->stops.remove(number); }

std::vector<Debugger::Breakpoint> Debugger::breakpoints() const { return impl_->stops.points(); }

const std::optional<Debugger::Breakpoint>& Debugger::halted_by() const { return impl_->halted_by; }

// ---- places

Result<std::uint64_t> Debugger::address_of(std::string_view text) const {
  if (text.starts_with('*')) text.remove_prefix(1);
  if (text.find(':') != std::string_view::npos) return impl_->address_of_line(text);
  std::optional<std::uint64_t> address;
  const std::size_t plus = text.find('+');
  const auto label = std::ranges::find(labels(), text.substr(0, plus), &Label::name);
  if (label != labels().end()) {
    const auto distance = plus == std::string_view::npos ? 0 : read_number(text.substr(plus + 1));
    if (distance) address = label->byte_offset + *distance;
  } else {
    address = read_number(text);
  }
  if (!address)
    return fail("DB003", fmt::format("\"{}\" is not a number, and there is no such label", text),
                "0x20, a label of the listing such as L2, L2+0x10, or :12 for a line of the text");
  if (!impl_->lifted.block_at(*address)) return no_word_at(*address);
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
  if (!impl_->lifted.block_at(address)) return {};
  return source_line(impl_->program.lines, address);
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
  return impl_->no_slot(name, lane());
}

Result<std::vector<const ir::Slot*>> Debugger::slots(std::string_view name) const {
  auto found = impl_->find_parts(name, lane());
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
  impl_->make({.steps = impl_->steps, .lane = lane(), .where = slot.byte, .bytes = std::move(bytes)});
  return {};
}

Result<void> Debugger::assign(const ir::Slot& slot, std::string_view expression) {
  const auto value = evaluate(expression);
  if (!value) return fail(value.error());
  auto bytes = slot_bytes(slot, *value);
  if (!bytes) return fail(std::move(bytes).error());
  return write(slot, std::move(*bytes));
}

Result<void> Debugger::assign(std::string_view target, std::string_view expression) {
  if (!target.starts_with('*')) {
    const auto named = slot(target);
    return named ? assign(**named, expression) : fail(named.error());
  }
  static const ir::Slot word{.name = "a word of memory", .bytes = 4};
  const auto address = evaluate(target.substr(1)), value = evaluate(expression);
  if (!address) return fail(address.error());
  if (!value) return fail(value.error());
  auto bytes = slot_bytes(word, *value);
  if (!bytes) return fail(std::move(bytes).error());
  return write_memory(static_cast<std::uint64_t>(address->as_integer()), std::move(*bytes));
}

Result<void> Debugger::write_memory(std::uint64_t address, std::vector<std::uint8_t> bytes) {
  Environment& world = impl_->execution->batch.environment();
  if (const Fault fault = world.store_memory(thread(lane()), address, bytes))
    return fail("DB024", fmt::format("{} bytes at {:#x} cannot be written: {}", bytes.size(), address, fault.reason));
  impl_->edits.push_back({impl_->steps, Edit::Kind::memory, lane(), address, std::move(bytes)});
  return {};
}

Result<void> Debugger::jump(std::uint64_t address) {
  const auto block = impl_->lifted.block_at(address);
  if (!block) return no_word_at(address);
  if (!impl_->address(lane())) return has_stopped();
  impl_->make({impl_->steps, Edit::Kind::jump, lane(), *block, {}});
  return {};
}

Result<Value> Debugger::evaluate(std::string_view expression) const {
  const auto parsed = Expression::parse(expression);
  if (!parsed) return fail(parsed.error());
  return impl_->evaluate(*parsed, lane());
}

std::vector<std::uint8_t> Debugger::read_memory(std::uint64_t address, std::size_t count) const {
  return impl_->read_memory(lane(), address, count);
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
