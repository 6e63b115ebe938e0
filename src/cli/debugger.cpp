#include "cli/debugger.h"

#include <algorithm>

#include "cli/input.h"

namespace mobula::cli {

Debugger::Debugger(const Prepared& prepared) : prepared_(prepared) { adopt(start()); }

Debugger::Execution Debugger::start() const {
  Run run =
      value_or_stop(Run::prepare(prepared_.program, prepared_.lifted, prepared_.inputs, {}), prepared_.program.file);
  Run::Batch batch = run.start(0);
  return {std::move(run), std::move(batch)};
}

Debugger::Execution Debugger::replay(std::uint64_t steps) const {
  Execution fresh = start();
  Interpreter& interpreter = fresh.batch.interpreter();
  auto edit = edits_.begin();
  for (std::uint64_t done = 0;; ++done) {
    for (; edit != edits_.end() && edit->steps == done; ++edit) interpreter.write(edit->lane, edit->byte, edit->bytes);
    if (done == steps) return fresh;
    interpreter.step();
  }
}

void Debugger::adopt(Execution execution) {
  execution_.emplace(std::move(execution));
  interpreter_ = &execution_->batch.interpreter();
  interpreter_->set_observer({{}, [this](std::uint32_t block, std::span<const std::uint32_t> lanes) {
                                if (std::ranges::find(lanes, lane_) != lanes.end())
                                  executed_ = prepared_.lifted.blocks[block].address;
                              }});
}

bool Debugger::step_once() {
  executed_.reset();
  if (interpreter_->step()) ++steps_;
  if (executed_) history_.push_back({steps_ - 1, *executed_});
  return executed_.has_value();
}

Debugger::Halt Debugger::step(std::uint64_t count) {
  while (count > 0) {
    if (state(lane_) != LaneState::running && state(lane_) != LaneState::waiting) return Halt::stopped;
    const std::uint64_t before = steps_;
    if (step_once())
      --count;
    else if (steps_ == before)
      return Halt::stopped;  // nothing can run: threads wait for each other
  }
  return address(lane_) ? Halt::stepped : Halt::stopped;
}

void Debugger::remember_watched() {
  before_.clear();
  for (const ir::Slot* slot : watched) before_.emplace_back(slot, read(*slot));
}

Debugger::Halt Debugger::go() {
  remember_watched();
  for (;;) {
    const Halt halt = step(1);
    for (const auto& [slot, bytes] : before_)
      if (read(*slot) != bytes) {
        changed_ = slot;
        return Halt::watch;
      }
    if (halt == Halt::stopped) return halt;
    if (breakpoints.contains(*address(lane_))) return Halt::breakpoint;
  }
}

bool Debugger::back(std::uint64_t count) {
  if (count > history_.size()) return false;
  if (count == 0) return true;
  steps_ = history_[history_.size() - count].steps;
  history_.resize(history_.size() - count);
  std::erase_if(edits_, [&](const Edit& edit) { return edit.steps > steps_; });
  adopt(replay(steps_));
  return true;
}

std::vector<std::uint64_t> Debugger::executed(std::size_t most) const {
  std::vector<std::uint64_t> addresses;
  for (auto word = history_.rbegin(); word != history_.rend() && addresses.size() < most; ++word)
    addresses.push_back(word->address);
  return addresses;
}

std::uint32_t Debugger::threads() const { return interpreter_->lanes(); }

bool Debugger::choose(std::uint32_t lane) {
  if (lane >= threads()) return false;
  lane_ = lane;
  history_.clear();
  return true;
}

std::optional<std::uint64_t> Debugger::address(std::uint32_t lane) const {
  const auto block = interpreter_->block(lane);
  if (!block || (state(lane) != LaneState::running && state(lane) != LaneState::waiting)) return {};
  return prepared_.lifted.blocks[*block].address;
}

std::vector<std::uint8_t> Debugger::read(const ir::Slot& slot) const {
  std::vector<std::uint8_t> bytes(slot.bytes);
  interpreter_->read(lane_, slot.byte, bytes);
  return bytes;
}

void Debugger::write(const ir::Slot& slot, std::vector<std::uint8_t> bytes) {
  interpreter_->write(lane_, slot.byte, bytes);
  edits_.push_back({steps_, lane_, slot.byte, std::move(bytes)});
}

RunResult Debugger::outputs() const {
  Execution copy = replay(steps_);
  copy.run.finish(copy.batch);
  return copy.run.result();
}

}  // namespace mobula::cli
