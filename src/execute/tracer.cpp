#include "mobula/lab/tracer.h"

#include <fmt/format.h>

#include <algorithm>

#include "mobula/lab/word_texts.h"

namespace mobula {
namespace {

std::vector<const ir::Slot*> written_slots(const ir::Program& program, std::uint32_t block) {
  const ir::Effects effects = ir::effects(program, block);
  std::vector<const ir::Slot*> slots;
  for (const ir::Slot& slot : program.slots)
    if (std::ranges::any_of(effects.writes, [&](const ir::ByteRange& range) {
          return range.byte < slot.byte + slot.bytes && slot.byte < range.byte + range.bytes;
        }))
      slots.push_back(&slot);
  return slots;
}

}  // namespace

Tracer::Tracer(const ir::Program& program, std::optional<std::uint32_t> thread) : program_(program), thread_(thread) {
  for (std::uint32_t block = 0; block < program.blocks.size(); ++block)
    written_.push_back(written_slots(program, block));
}

void Tracer::watch(Interpreter& interpreter) {
  step_ = 0;
  interpreter.set_observer({{}, [this, &interpreter](std::uint32_t block, std::span<const std::uint32_t> lanes) {
                              for (const std::uint32_t lane : lanes) add(interpreter, block, lane);
                              ++step_;
                            }});
}

void Tracer::add(const Interpreter& interpreter, std::uint32_t block, std::uint32_t lane) {
  const Thread& thread = interpreter.thread(lane);
  if (thread.helper || (thread_ && *thread_ != thread.index)) return;
  TraceStep step{step_, thread.index, program_.blocks[block].address, {}};
  for (const ir::Slot* slot : written_[block]) {
    std::vector<std::uint8_t> bytes(slot->bytes);
    interpreter.read(lane, slot->byte, bytes);
    step.changes.emplace_back(slot, std::move(bytes));
  }
  steps_.push_back(std::move(step));
}

Result<TracedRun> trace_program(const Program& program, const ir::Program& lifted, const RunInputs& inputs,
                                const RunOptions& options, std::optional<std::uint32_t> thread) {
  auto run = Run::prepare(program, lifted, inputs, options);
  if (!run) return fail(std::move(run).error());
  Tracer tracer(lifted, thread);
  for (std::uint32_t i = 0; i < run->batches() && !run->over_budget(); ++i) {
    Run::Batch batch = run->start(i);
    tracer.watch(batch.interpreter());
    batch.interpreter().run();
    run->finish(batch);
  }
  return TracedRun{run->result(), tracer.steps()};
}

std::string report(const Program& program, std::span<const TraceStep> steps) {
  const WordTexts words(program);
  std::string text;
  for (const TraceStep& step : steps) {
    text += fmt::format("step {} thread {} {:#06x} {}\n", step.step, step.thread, step.address, words.at(step.address));
    for (const auto& [slot, bytes] : step.changes)
      text += fmt::format("    {} = {}\n", slot->name, slot_text(*slot, bytes));
  }
  return text;
}

}  // namespace mobula
