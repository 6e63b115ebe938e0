#include "mobula/lab/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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
struct Executed {
  std::uint64_t steps = 0;  ///< of the interpreter, before it
  std::uint64_t address = 0;
};

struct Execution {
  Run run;
  Run::Batch batch;
};

}  // namespace

struct Debugger::Impl {
  const Program& program;
  const ir::Program& lifted;
  RunInputs inputs;
  std::optional<Execution> execution;
  Interpreter* interpreter = nullptr;  ///< of the execution
  std::uint32_t lane = 0;
  std::uint64_t steps = 0;  ///< of the interpreter, from the start
  std::vector<Executed> history;
  std::optional<std::uint64_t> executed;  ///< address of the last step's word, if it was the current thread's
  std::vector<Edit> edits;
  const ir::Slot* changed = nullptr;

  [[nodiscard]] Result<Execution> start() const {
    auto run = Run::prepare(program, lifted, inputs, {});
    if (!run) return fail(std::move(run).error());
    if (run->batches() == 0) return fail("DB001", "the run has no thread");
    Run::Batch batch = run->start(0);
    return Execution{std::move(*run), std::move(batch)};
  }

  /// A fresh execution, gone forward by so many steps, with the edits made on the way. What could be started once can
  /// be started again.
  [[nodiscard]] Execution replay(std::uint64_t wanted) const {
    Execution fresh = std::move(*start());
    Interpreter& again = fresh.batch.interpreter();
    auto edit = edits.begin();
    for (std::uint64_t done = 0;; ++done) {
      for (; edit != edits.end() && edit->steps == done; ++edit) again.write(edit->lane, edit->byte, edit->bytes);
      if (done == wanted) return fresh;
      again.step();
    }
  }

  void adopt(Execution fresh) {
    execution.emplace(std::move(fresh));
    interpreter = &execution->batch.interpreter();
    interpreter->set_observer({{}, [this](std::uint32_t block, std::span<const std::uint32_t> lanes) {
                                 if (std::ranges::find(lanes, lane) != lanes.end())
                                   executed = lifted.blocks[block].address;
                               }});
  }

  /// True when the current thread executed a word.
  bool step_once() {
    executed.reset();
    if (interpreter->step()) ++steps;
    if (executed) history.push_back({steps - 1, *executed});
    return executed.has_value();
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

Debugger::Halt Debugger::step(std::uint64_t count) {
  impl_->changed = nullptr;
  while (count > 0) {
    if (!address(lane())) return Halt::stopped;
    const std::uint64_t before = impl_->steps;
    if (impl_->step_once())
      --count;
    else if (impl_->steps == before)
      return Halt::stopped;  // nothing can run: threads wait for each other
  }
  return address(lane()) ? Halt::stepped : Halt::stopped;
}

Debugger::Halt Debugger::go() {
  std::vector<std::pair<const ir::Slot*, std::vector<std::uint8_t>>> before;
  for (const ir::Slot* each : watched)
    if (each != nullptr) before.emplace_back(each, read(*each));
  for (;;) {
    const Halt halt = step(1);
    for (const auto& [each, bytes] : before)
      if (read(*each) != bytes) {
        impl_->changed = each;
        return Halt::watch;
      }
    if (halt == Halt::stopped) return halt;
    if (breakpoints.contains(*address(lane()))) return Halt::breakpoint;
  }
}

Result<void> Debugger::back(std::uint64_t count) {
  std::vector<Executed>& history = impl_->history;
  if (count > history.size()) return fail("DB002", "the thread has not executed that many words");
  if (count == 0) return {};
  impl_->steps = history[history.size() - count].steps;
  history.resize(history.size() - count);
  std::erase_if(impl_->edits, [&](const Edit& edit) { return edit.steps > impl_->steps; });
  impl_->adopt(impl_->replay(impl_->steps));
  return {};
}

Result<std::uint64_t> Debugger::address_of(std::string_view text) const {
  const auto label = std::ranges::find(impl_->program.labels, text, &Label::name);
  std::uint64_t address = 0;
  if (label != impl_->program.labels.end()) {
    address = label->byte_offset;
  } else {
    const bool hexadecimal = text.starts_with("0x");
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + (hexadecimal ? 2 : 0), end, address, hexadecimal ? 16 : 10);
    if (parsed.ec != std::errc() || parsed.ptr != end)
      return fail("DB003", fmt::format("\"{}\" is not a number", text));
  }
  if (!impl_->lifted.block_at(address))
    return fail("DB004", fmt::format("no word starts at {:#x}", address), "\"list\" shows where words start");
  return address;
}

Result<const ir::Slot*> Debugger::slot(std::string_view name) const {
  constexpr std::size_t most = 4;  // earlier words that a name may reach back to
  std::vector<std::string> meant{std::string(name)};
  if (const Machine* machine = find_machine(impl_->program.machine))
    meant = machine->slots_meant(name, address(lane()).value_or(0), executed(most));
  for (const std::string& each : meant)
    if (const ir::Slot* found = impl_->lifted.find_slot(each)) return found;
  return fail("DB006", fmt::format("there is no slot \"{}\"", name),
              "\"print\" shows the slots that are not zero; results that no later word reads are not kept");
}

Result<std::vector<const ir::Slot*>> Debugger::slots(std::string_view name) const {
  std::vector<const ir::Slot*> found;
  const std::string components = std::string(name) + '.';
  for (const ir::Slot& each : impl_->lifted.slots)
    if (each.name == name || each.name.starts_with(components)) found.push_back(&each);
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

const ir::Slot* Debugger::changed() const { return impl_->changed; }

std::vector<std::uint8_t> Debugger::read(const ir::Slot& slot) const {
  std::vector<std::uint8_t> bytes(slot.bytes);
  impl_->interpreter->read(lane(), slot.byte, bytes);
  return bytes;
}

Result<void> Debugger::write(const ir::Slot& slot, std::vector<std::uint8_t> bytes) {
  if (bytes.size() != slot.bytes || std::uint64_t{slot.byte} + slot.bytes > impl_->lifted.state_bytes)
    return fail("DB007", fmt::format("{} bytes do not fit in {}, which has {}", bytes.size(), slot.name, slot.bytes));
  impl_->interpreter->write(lane(), slot.byte, bytes);
  impl_->edits.push_back({impl_->steps, lane(), slot.byte, std::move(bytes)});
  return {};
}

std::uint32_t Debugger::threads() const { return impl_->interpreter->lanes(); }
std::uint32_t Debugger::lane() const { return impl_->lane; }

Result<void> Debugger::choose(std::uint32_t lane) {
  if (lane >= threads()) return fail("DB008", fmt::format("there is no lane {}; there are {}", lane, threads()));
  impl_->lane = lane;
  impl_->history.clear();
  return {};
}

std::optional<std::uint32_t> Debugger::lane_of(std::uint64_t thread_number) const {
  for (std::uint32_t each = 0; each < threads(); ++each)
    if (!thread(each).helper && thread(each).index == thread_number) return each;
  return {};
}

const Thread& Debugger::thread(std::uint32_t lane) const { return impl_->interpreter->thread(lane); }
LaneState Debugger::state(std::uint32_t lane) const { return impl_->interpreter->state(lane); }

std::optional<std::uint64_t> Debugger::address(std::uint32_t lane) const {
  const auto block = impl_->interpreter->block(lane);
  if (!block || (state(lane) != LaneState::running && state(lane) != LaneState::waiting)) return {};
  return impl_->lifted.blocks[*block].address;
}

std::uint64_t Debugger::words_executed() const { return impl_->history.size(); }

std::vector<std::uint64_t> Debugger::executed(std::size_t most) const {
  std::vector<std::uint64_t> addresses;
  for (auto word = impl_->history.rbegin(); word != impl_->history.rend() && addresses.size() < most; ++word)
    addresses.push_back(word->address);
  return addresses;
}

const std::vector<LaneFault>& Debugger::faults() const { return impl_->interpreter->faults(); }

std::vector<std::uint64_t> Debugger::around(std::size_t count) const {
  const std::vector<ir::Block>& blocks = impl_->lifted.blocks;
  const auto here = address(lane());
  const std::size_t next = here ? *impl_->lifted.block_at(*here) : blocks.size();
  const std::size_t first = next - std::min(next, count / 2);
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = first; i < blocks.size() && i - first < count; ++i) addresses.push_back(blocks[i].address);
  return addresses;
}

RunResult Debugger::outputs() const {
  Execution copy = impl_->replay(impl_->steps);
  copy.run.finish(copy.batch);
  return copy.run.result();
}

}  // namespace mobula
