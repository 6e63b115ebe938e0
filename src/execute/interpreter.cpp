#include "mobula/lab/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/counted.h"
#include "execute/first_reads.h"
#include "execute/interpreter_calls.h"
#include "execute/interpreter_group.h"
#include "execute/kernels.h"
#include "execute/semantics.h"
#include "execute/shared_words.h"
#include "ir/operands.h"

namespace mobula {
namespace {

using ir::Op;
using ir::Operation;
using ir::Type;

/// Operations of a block that are carried out the same way, one after the other.
struct Batch {
  enum class How : std::uint8_t { kernel, scalar, quad, task, enable, call };
  How how = How::scalar;
  bool for_row = false;                ///< kernel: for one vector of lanes
  std::uint32_t first = 0, count = 0;  ///< of Program::operations
  ir::Kernel kernel;
  const WordList* spread = nullptr;  ///< rows to make planes of, before
};

/// A block ready to run.
struct Prepared {
  std::uint32_t first_batch = 0, end_batch = 0;
  std::uint32_t first_step = 0, end_step = 0;        ///< of Impl::steps
  std::uint32_t first_control = 0, end_control = 0;  ///< of Program::operations
};

const WordList no_words;

/// Adds to the batches of a block, which begin at `first`.
void append(std::vector<Batch>& list, std::size_t first, const Batch& batch) {
  const bool continues = list.size() > first && list.back().how == batch.how &&
                         list.back().kernel.full == batch.kernel.full && list.back().for_row == batch.for_row &&
                         batch.spread == nullptr;
  if (continues) {
    ++list.back().count;
  } else {
    list.push_back(batch);
  }
}

/// What all lanes have in common as long as they go the same way. What the group has of each lane, its state excepted,
/// is out of date then.
struct Company {
  bool is_together = false;
  LaneState state = LaneState::running;
  std::uint32_t position = 0;
  std::uint64_t steps = 0;
  bool uses_rows = false;
  const WordList* rows = &no_words;  ///< of the state, that are rows
};

/// Whether a lane's result depends on its place or on other lanes.
bool is_between_lanes(Op op) {
  return op == Op::ddx || op == Op::ddy || op == Op::quad_first || op == Op::task_lane || op == Op::task_first;
}

std::uint32_t padded_to(std::uint32_t lanes) {
  return (lanes + ir::lane_padding - 1) / ir::lane_padding * ir::lane_padding;
}

/// Whether the operation reads or makes float values, rather than moving bits.
bool computes_floats(const Operation& operation) {
  switch (operation.op) {
    case Op::mov:
    case Op::select:
    case Op::fneg:
    case Op::fabs:
      return false;
    default:
      return ir::is_float(ir::source_type(operation)) || ir::is_float(operation.type);
  }
}

}  // namespace

struct Interpreter::Snapshot {
  Group group;
};

struct Interpreter::Impl {
  Impl(const ir::Program& program_to_run, Environment& environment_to_use, InterpreterOptions wanted);

  // Preparing the program, and binding it to the memory of the state.
  [[nodiscard]] Batch batch_of(std::uint32_t operation) const;
  void prepare(const ir::Block& block);
  void bind();
  [[nodiscard]] ir::BoundSource bind_source(ir::Operand operand, Type type);
  void find_shared();
  void prepare_steps(Prepared& block);

  // Choosing what runs.
  void start(std::span<const Thread> threads);
  void restart(const ThreadSource& threads);
  void start_state(std::uint32_t count);
  void find_helpers();
  void begin();
  void find_words_to_reset();
  void note_write(std::uint32_t byte, std::size_t bytes);
  void note_write_of_all(std::uint32_t word);
  void resize_to_group();
  bool gather();
  bool gather_company();
  void part_company();
  /// All lanes go the same way, and operands may be rows.
  [[nodiscard]] bool is_in_step() const { return company.is_together && company.uses_rows && shared.is_found(); }
  /// Before something outside looks at the state, or changes it, of lanes that have rows in common.
  void part_company_if_rows() {
    if (!company.rows->empty()) part_company();
  }
  void spread(const WordList& words);
  bool release_barrier();
  void settle();
  bool step();
  void run(std::uint64_t steps);

  // Executing the current block for the active lanes.
  bool execute();
  void execute_batches(const Prepared& block, std::uint32_t from);
  void execute_steps(const Prepared& block);
  void execute_batch(const Batch& batch, const std::vector<ir::BoundOperation>& operands);
  void execute_scalar(const Operation& operation);
  void execute_quads(const Operation& operation);
  void execute_tasks(const Operation& operation);
  void narrow(std::uint32_t operation);
  void widen();
  void execute_call(const ir::Call& call);
  void report_access(const ir::Call& call);
  [[nodiscard]] std::uint64_t source(std::uint32_t lane, const Operation& operation, std::size_t index) const;
  bool sources_defined(std::uint32_t lane, const Operation& operation);
  void write_result(std::uint32_t lane, const Operation& operation, std::uint64_t result, bool is_defined);
  void poison_volatile_state(std::span<const std::uint32_t> lanes_to_poison);

  // Leaving a block.
  bool follow_controls(const Prepared& block);
  std::uint32_t take(std::uint32_t control);
  void send_taken(std::uint32_t target, std::uint32_t count);
  void stop_taken(LaneState why, std::uint32_t count);
  void stop_all(LaneState why);
  void part(std::uint32_t first_control, std::uint32_t end_control);
  void leave(std::uint32_t lane, std::uint32_t first_control, std::uint32_t end_control);
  std::uint64_t deciding_source(std::uint32_t lane, const Operation& operation);
  bool condition(std::uint32_t lane, const Operation& operation);
  void stop(std::uint32_t lane, LaneState why);
  void fault(std::uint32_t lane, std::string reason);
  void block(std::uint32_t lane);

  [[nodiscard]] ir::LaneRange active() const { return {begin_lane, end_lane, mask.data()}; }
  template <class Use>
  void for_each_active(Use use) const {
    for (std::uint32_t lane = begin_lane; lane < end_lane; ++lane) {
      if (mask[lane] != 0) use(lane);
    }
  }
  [[nodiscard]] std::span<const std::uint32_t> list_active();
  [[nodiscard]] std::uint32_t lanes() const { return group.lanes; }

  const ir::Program& program;
  Environment& environment;
  const InterpreterOptions options;
  const bool scalar_only;
  InterpreterObserver observer;

  std::vector<Batch> batches, steps;  ///< steps: for lanes that go the same way, with operands that may be rows
  std::vector<Prepared> blocks;
  AlignedWords constant_rows;
  std::vector<ir::BoundOperation> bound;  ///< parallel to Program::operations; see bind()
  std::vector<ir::BoundOperation> bound_in_step;
  SharedWords shared;
  bool knows_shared = false;
  const std::uint32_t* bound_state = nullptr;
  std::uint32_t bound_lanes = 0;

  Group group;
  Company company;
  EnvironmentCalls calls{program, environment, group};

  // What a lane starts with. The words to reset are those that a restart has to bring back: the program may read them
  // first, and something may have written them.
  std::vector<std::uint32_t> initial, initial_defined;  ///< by word of the state
  std::vector<bool> written_outside;                    ///< likewise: by write() and its like
  std::vector<bool> differs_at_start;                   ///< likewise: not by broadcast
  std::optional<StateUse> state_use;
  std::vector<std::uint32_t> words_to_reset, words_read_first;
  bool knows_words_to_reset = false;

  // The active lanes: those at `current`, which run together until they part, meet lanes at `horizon` or exhaust
  // `budget`. While they run, their entries of Group::position and Group::steps are out of date; settle() brings them
  // up to date.
  std::uint32_t current = 0, horizon = 0;
  std::uint32_t active_count = 0, begin_lane = 0, end_lane = 0;
  AlignedWords mask;
  bool mask_is_whole = false;      ///< `mask` has all lanes
  std::uint32_t masked_lanes = 0;  ///< how many it was made for
  std::size_t fitted_lanes = 0;    ///< room in `mask` and its like
  AlignedWords whole_mask;         ///< of the block, while an `enable` has narrowed `mask`
  bool is_narrowed = false;
  std::uint64_t pending_steps = 0, budget = 0;
  std::uint64_t steps_done = 0;  ///< blocks, whatever the number of lanes
  std::uint64_t most_steps = 0;  ///< no lane has executed more blocks

  AlignedWords taken;                    ///< scratch of follow_controls
  std::vector<std::uint32_t> lane_list;  ///< scratch of list_active
};

// ---- preparing

Interpreter::Impl::Impl(const ir::Program& program_to_run, Environment& environment_to_use, InterpreterOptions wanted)
    : program(program_to_run),
      environment(environment_to_use),
      options(wanted),
      scalar_only(wanted.strict || wanted.engine == Engine::reference),
      constant_rows(program.constants.size() / 4 * ir::lane_padding + ir::lane_padding, 0),
      bound(program.operations.size()),
      initial((program.state_bytes + 3) / 4),
      initial_defined(initial.size()),
      written_outside(initial.size()),
      differs_at_start(initial.size()) {
  for (std::size_t byte = 0; byte < program.constants.size(); ++byte) {
    const std::uint32_t bits = std::uint32_t{program.constants[byte]} << (8 * (byte % 4));
    for (std::size_t i = 0; i < ir::lane_padding; ++i) constant_rows[byte / 4 * ir::lane_padding + i] |= bits;
  }
  blocks.reserve(program.blocks.size());
  for (const ir::Block& block : program.blocks) prepare(block);
}

Batch Interpreter::Impl::batch_of(std::uint32_t index) const {
  const Operation& operation = program.operations[index];
  Batch batch{.first = index, .count = 1};
  if (operation.op == Op::call) {
    batch.how = Batch::How::call;
  } else if (operation.op == Op::ddx || operation.op == Op::ddy || operation.op == Op::quad_first) {
    batch.how = Batch::How::quad;
    if (!scalar_only && !options.flush_denormals) batch.kernel = ir::find_quad_kernel(operation);
    if (batch.kernel) batch.how = Batch::How::kernel;
  } else if (operation.op == Op::task_lane || operation.op == Op::task_first) {
    batch.how = Batch::How::task;
  } else if (operation.op == Op::enable) {
    batch.how = Batch::How::enable;
  } else if (!scalar_only && !(options.flush_denormals && computes_floats(operation))) {
    batch.kernel = ir::find_kernel(operation);
    if (batch.kernel) batch.how = Batch::How::kernel;
  }
  return batch;
}

void Interpreter::Impl::prepare(const ir::Block& block) {
  const auto first_batch = static_cast<std::uint32_t>(batches.size());
  const std::uint32_t end = block.first + block.count;
  std::uint32_t index = block.first;
  for (; index < end && !ir::is_control(program.operations[index].op); ++index)
    append(batches, first_batch, batch_of(index));
  blocks.push_back({.first_batch = first_batch,
                    .end_batch = static_cast<std::uint32_t>(batches.size()),
                    .first_control = index,
                    .end_control = end});
}

ir::BoundSource Interpreter::Impl::bind_source(ir::Operand operand, Type type) {
  if (operand.is_none()) return {};
  ir::BoundSource source{.shift = static_cast<std::uint8_t>(8 * (operand.byte() % 4)),
                         .bits = static_cast<std::uint8_t>(std::min(ir::bits_of(type), 32u))};
  if (operand.is_constant()) {
    source.words = constant_rows.data() + std::size_t{operand.byte() / 4} * ir::lane_padding;
    source.keep = 0;
    source.pitch = ir::lane_padding;
  } else {
    source.words = group.state.plane(operand.byte() / 4);
    source.keep = ~0u;
    source.pitch = group.state.padded_lanes();
  }
  return source;
}

/// Gives kernels and conditions the addresses of their operands, unless they have them already.
void Interpreter::Impl::bind() {
  const bool finds_shared = company.uses_rows && !knows_shared;
  const bool is_bound = bound_state == group.state.plane(0) && bound_lanes == group.state.padded_lanes();
  if (scalar_only || (is_bound && !finds_shared)) return;
  if (finds_shared) find_shared();
  bound_state = group.state.plane(0);
  bound_lanes = group.state.padded_lanes();
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const Operation& operation = program.operations[i];
    for (std::size_t k = 0; k < operation.src.size(); ++k) {
      bound[i].src[k] = bind_source(operation.src[k], ir::source_type(operation));
    }
    if (operation.dst.is_none()) continue;
    bound[i].dst = group.state.plane(operation.dst.byte() / 4);
    bound[i].dst_pitch = bound_lanes;
    bound[i].dst_shift = static_cast<std::uint8_t>(8 * (operation.dst.byte() % 4));
    bound[i].dst_bits = static_cast<std::uint8_t>(std::min(ir::bits_of(ir::result_type(operation)), 32u));
  }
  bound_in_step = bound;
  for (std::size_t i = 0; i < shared.operations.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      if ((shared.operations[i].rows >> k & 1) != 0) bound_in_step[i].src[k].keep = 0;
  calls.bind(
      [&](ir::Operand operand) {
        const ir::BoundSource source = bind_source(operand, Type::i32);
        return LaneWords{source.words, source.keep};
      },
      shared.is_found() ? &shared : nullptr);
}

/// Finds which words lanes that go the same way share, and prepares the blocks for them.
void Interpreter::Impl::find_shared() {
  shared = find_shared_words(
      program, {.access =
                    [&](const Operation& operation) {
                      const Batch batch = batch_of(static_cast<std::uint32_t>(&operation - program.operations.data()));
                      if (batch.how != Batch::How::kernel) return LaneAccess::by_lane;
                      return is_between_lanes(operation.op) ? LaneAccess::by_vector : LaneAccess::by_vector_alone;
                    },
                .gives_same = [&](const ir::Call& call) { return environment.gives_same(call); },
                .differs_at_start = differs_at_start});
  knows_shared = true;
  steps.clear();
  if (!shared.is_found()) return;
  for (Prepared& block : blocks) prepare_steps(block);
}

void Interpreter::Impl::prepare_steps(Prepared& block) {
  block.first_step = static_cast<std::uint32_t>(steps.size());
  const std::uint32_t first = program.blocks[static_cast<std::size_t>(&block - blocks.data())].first;
  for (std::uint32_t index = first; index < block.first_control; ++index) {
    const SharedWords::Operation& known = shared.operations[index];
    Batch batch = batch_of(index);
    batch.for_row = known.is_shared && batch.how == Batch::How::kernel;
    if (!known.spread.empty()) batch.spread = &known.spread;
    append(steps, block.first_step, batch);
  }
  block.end_step = static_cast<std::uint32_t>(steps.size());
}

// ---- choosing what runs

void Interpreter::Impl::start(std::span<const Thread> threads) {
  group.source = nullptr;
  group.threads.assign(threads.begin(), threads.end());
  company.uses_rows = false;
  start_state(static_cast<std::uint32_t>(threads.size()));
  find_helpers();
}

void Interpreter::Impl::find_helpers() {
  std::vector<std::uint32_t> helpers;
  for (std::size_t lane = 0; lane < group.threads.size(); ++lane) {
    if (!group.threads[lane].helper) continue;
    helpers.resize(group.threads.size());
    helpers[lane] = ~0u;
  }
  calls.see_helpers(helpers);
}

/// All state as it begins, for so many lanes.
void Interpreter::Impl::start_state(std::uint32_t count) {
  const std::uint32_t padded = padded_to(count);
  const auto planes = static_cast<std::uint32_t>(initial.size());
  group.lanes = count;
  group.state.assign(planes, padded, 0);
  group.strict = options.strict;
  if (group.strict) group.defined.assign(planes, padded, 0);
  for (std::uint32_t word = 0; word < planes; ++word) {
    if (initial[word] != 0) std::fill_n(group.state.plane(word), padded, initial[word]);
    if (group.strict && initial_defined[word] != 0)
      std::fill_n(group.defined.plane(word), padded, initial_defined[word]);
  }
  begin();
}

void Interpreter::Impl::restart(const ThreadSource& threads) {
  group.source = &threads;
  company.uses_rows = !scalar_only && !observer.before && !observer.after && !observer.access;
  const std::uint32_t padded = padded_to(threads.count());
  if (options.strict) {
    start_state(threads.count());
  } else {
    if (!knows_words_to_reset) find_words_to_reset();
    const bool is_new = group.state.padded_lanes() != padded;
    if (is_new) group.state.make(static_cast<std::uint32_t>(initial.size()), padded);
    for (const std::uint32_t word : is_new ? words_read_first : words_to_reset)
      std::fill_n(group.state.plane(word), padded, initial[word]);
    group.lanes = threads.count();
    begin();
  }
  calls.see_helpers(threads.helpers());
}

void Interpreter::Impl::find_words_to_reset() {
  if (!state_use) state_use = find_state_use(program);
  words_to_reset.clear();
  words_read_first.clear();
  for (std::uint32_t word = 0; word < initial.size(); ++word) {
    if (!state_use->read_first[word]) continue;
    words_read_first.push_back(word);
    if (state_use->written[word] || written_outside[word]) words_to_reset.push_back(word);
  }
  knows_words_to_reset = true;
}

/// Something outside the program writes these bytes of a lane.
void Interpreter::Impl::note_write(std::uint32_t byte, std::size_t bytes) {
  if (company.steps != 0) part_company();
  for (std::size_t word = byte / 4; word * 4 < byte + bytes; ++word) {
    note_write_of_all(static_cast<std::uint32_t>(word));
    if (differs_at_start[word]) continue;
    differs_at_start[word] = true;
    knows_shared = false;
  }
}

/// Something outside the program writes the same to this word of all lanes.
void Interpreter::Impl::note_write_of_all(std::uint32_t word) {
  if (company.steps != 0) part_company();
  if (written_outside[word]) return;
  written_outside[word] = true;
  knows_words_to_reset = false;
}

/// Starts the threads in the state that there is.
void Interpreter::Impl::begin() {
  company = {.is_together = true, .position = program.entry, .uses_rows = company.uses_rows};
  group.faults.clear();
  group.undefined_reads.clear();
  group.undefined_seen.clear();
  group.executions.assign(program.blocks.size(), 0);
  most_steps = 0;
  resize_to_group();
}

/// Fits what goes along with the group to its number of lanes.
void Interpreter::Impl::resize_to_group() {
  const std::size_t padded = group.state.padded_lanes();
  active_count = begin_lane = end_lane = 0;
  if (fitted_lanes != padded) {
    mask.assign(padded, 0);
    whole_mask.assign(padded, 0);
    taken.assign(padded, 0);
    fitted_lanes = padded;
  }
  mask_is_whole = mask_is_whole && masked_lanes == lanes();
  masked_lanes = lanes();
  bind();
}

/// Writes down for each lane what all of them had in common so far.
void Interpreter::Impl::part_company() {
  if (!company.is_together) return;
  company.is_together = false;
  const std::uint32_t padded = group.state.padded_lanes();
  group.position.assign(padded, Group::nowhere);
  if (company.state == LaneState::running) std::fill_n(group.position.data(), lanes(), company.position);
  group.resume.assign(lanes(), 0);
  group.steps.assign(padded, 0);
  std::fill_n(group.steps.data(), lanes(), company.steps);
  group.lane_state.assign(lanes(), company.state);
  group.has_waiting = false;
  spread(*company.rows);
}

/// Copies rows to all lanes.
void Interpreter::Impl::spread(const WordList& words) {
  for (const std::uint32_t word : words) {
    std::uint32_t* const plane = group.state.plane(word);
    std::fill_n(plane, group.state.padded_lanes(), plane[0]);
  }
}

/// The same for lanes that go the same way. False where they have to be looked at one by one.
bool Interpreter::Impl::gather_company() {
  if (company.steps >= options.step_limit) return false;
  if (company.uses_rows && !knows_shared) bind();
  current = company.position;
  horizon = Group::nowhere;
  active_count = lanes();
  begin_lane = 0;
  end_lane = group.state.padded_lanes();
  if (!mask_is_whole) {
    std::fill_n(mask.data(), end_lane, 0);
    std::fill_n(mask.data(), lanes(), ~0u);
    mask_is_whole = true;
  }
  pending_steps = 0;
  budget = options.step_limit - company.steps;
  return true;
}

/// Makes the running lanes at the lowest block the active ones. False when no lane can run.
bool Interpreter::Impl::gather() {
  if (company.is_together) {
    if (company.state != LaneState::running || lanes() == 0) return false;
    if (gather_company()) return true;
    part_company();
  }
  for (;;) {
    mask_is_whole = false;
    const ir::LowestLanes found = ir::find_lowest(group.position.data(), group.state.padded_lanes(), mask.data());
    if (found.lowest == Group::nowhere) {
      if (!release_barrier()) return false;
      continue;
    }
    current = found.lowest;
    horizon = found.next;
    active_count = found.count;
    begin_lane = found.range.begin;
    end_lane = found.range.end;
    pending_steps = 0;
    if (most_steps < options.step_limit) {
      budget = options.step_limit - most_steps;
      return true;
    }
    std::uint64_t most_of_active = 0;
    for_each_active([&](std::uint32_t lane) { most_of_active = std::max(most_of_active, group.steps[lane]); });
    if (most_of_active < options.step_limit) {
      budget = options.step_limit - most_of_active;
      return true;
    }
    for_each_active([&](std::uint32_t lane) {
      if (group.steps[lane] < options.step_limit) return;
      fault(lane, fmt::format("step limit of {} reached at {:#x}", counted(options.step_limit, "word"),
                              program.blocks[current].address));
    });
  }
}

/// Lets the lanes that wait at a barrier continue; called when no other lane is left to arrive. False if none waits.
bool Interpreter::Impl::release_barrier() {
  if (!group.has_waiting) return false;
  group.has_waiting = false;
  bool released = false;
  for (std::uint32_t lane = 0; lane < lanes(); ++lane) {
    if (group.lane_state[lane] != LaneState::waiting) continue;
    group.lane_state[lane] = LaneState::running;
    group.position[lane] = group.resume[lane];
    released = true;
  }
  return released;
}

void Interpreter::Impl::settle() {
  if (company.is_together) {
    company.position = current;
    company.steps += std::exchange(pending_steps, 0);
    return;
  }
  ir::set_words(group.position.data(), active(), current);
  ir::add_counts(group.steps.data(), active(), pending_steps);
  pending_steps = 0;
}

bool Interpreter::Impl::step() {
  if (!gather()) return false;
  const std::uint32_t block = current;
  const bool observed = observer.before || observer.after;
  const auto listed = observed ? list_active() : std::span<const std::uint32_t>();
  const std::vector<std::uint32_t> executed(listed.begin(), listed.end());
  if (observer.before) observer.before(block, executed);
  execute();
  settle();
  if (observer.after) observer.after(block, executed);
  return true;
}

void Interpreter::Impl::run(std::uint64_t steps) {
  if (observer.before || observer.after) {
    while (steps-- != 0 && step()) {
    }
    return;
  }
  const std::uint64_t end = steps_done + std::min(steps, ~std::uint64_t{0} - steps_done);
  while (steps_done < end && gather()) {
    budget = std::min(budget, end - steps_done);
    while (execute() && current < horizon && pending_steps < budget) {
    }
    settle();
  }
}

// ---- executing

/// True if the active lanes continue together, at `current`.
bool Interpreter::Impl::execute() {
  const Prepared& block = blocks[current];
  group.executions[current] += active_count;
  ++pending_steps;
  ++steps_done;
  ++most_steps;
  if (is_in_step()) {
    execute_steps(block);
  } else {
    execute_batches(block, 0);
  }
  if (is_narrowed) widen();
  return active_count != 0 && follow_controls(block);
}

/// Executes the operations of a block from this one on.
void Interpreter::Impl::execute_batches(const Prepared& block, std::uint32_t from) {
  for (std::uint32_t i = block.first_batch; i < block.end_batch; ++i) {
    Batch batch = batches[i];
    const std::uint32_t end = batch.first + batch.count;
    if (end <= from) continue;
    batch.first = std::max(batch.first, from);
    batch.count = end - batch.first;
    execute_batch(batch, bound);
  }
}

/// Executes the operations of a block while all lanes go the same way, or, if a call makes them part, those up to it in
/// this way.
void Interpreter::Impl::execute_steps(const Prepared& block) {
  for (std::uint32_t i = block.first_step; i < block.end_step; ++i) {
    const Batch& batch = steps[i];
    if (batch.spread != nullptr) spread(*batch.spread);
    if (batch.how != Batch::How::call) {
      execute_batch(batch, bound_in_step);
      continue;
    }
    for (std::uint32_t at = batch.first; at < batch.first + batch.count; ++at) {
      const std::uint32_t number = program.operations[at].extra;
      company.rows = &shared.calls[number].rows;
      execute_call(program.calls[number]);
      if (!company.is_together) return execute_batches(block, at + 1);
    }
  }
  const SharedWords::Block& known = shared.blocks[current];
  spread(known.spread);
  company.rows = &known.rows;
}

void Interpreter::Impl::execute_batch(const Batch& batch, const std::vector<ir::BoundOperation>& operands) {
  if (batch.how == Batch::How::kernel) {
    const auto kernel = active_count == lanes() ? batch.kernel.full : batch.kernel.masked;
    kernel(&operands[batch.first], batch.count,
           batch.for_row ? ir::LaneRange{0, ir::lane_padding, mask.data()} : active());
    return;
  }
  for (const Operation& operation : std::span(program.operations).subspan(batch.first, batch.count)) {
    switch (batch.how) {
      case Batch::How::kernel:
        break;
      case Batch::How::scalar:
        execute_scalar(operation);
        break;
      case Batch::How::quad:
        execute_quads(operation);
        break;
      case Batch::How::task:
        execute_tasks(operation);
        break;
      case Batch::How::enable:
        narrow(static_cast<std::uint32_t>(&operation - program.operations.data()));
        break;
      case Batch::How::call:
        execute_call(program.calls[operation.extra]);
        break;
    }
  }
}

std::uint64_t Interpreter::Impl::source(std::uint32_t lane, const Operation& operation, std::size_t index) const {
  return group.read(program, lane, operation.src[index], ir::source_type(operation));
}

/// Strict: whether the sources are defined; undefined ones in architectural state are reported. A select between whole
/// values takes one of them only.
bool Interpreter::Impl::sources_defined(std::uint32_t lane, const Operation& operation) {
  bool all_defined = true;
  std::array<ir::Operand, 3> sources = operation.src;
  if (operation.op == Op::select && group.is_defined(lane, sources[2], operation.type)) {
    const std::uint64_t chooser = source(lane, operation, 2);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - ir::bits_of(operation.type));
    if (chooser == 0) sources[0] = {};
    if (chooser == ones) sources[1] = {};
  }
  for (const ir::Operand operand : sources) {
    if (group.is_defined(lane, operand, ir::source_type(operation))) continue;
    all_defined = false;
    if (operand.byte() >= program.temporary_byte) continue;
    group.report_undefined(program, lane, current, operand.byte(), ir::bytes_of(ir::source_type(operation)));
  }
  return all_defined;
}

void Interpreter::Impl::write_result(std::uint32_t lane, const Operation& operation, std::uint64_t result,
                                     bool is_defined) {
  const Type type = ir::result_type(operation);
  group.write(lane, operation.dst, type, result);
  if (!is_defined) group.mark(lane, operation.dst.byte(), ir::bytes_of(type), false);
}

void Interpreter::Impl::execute_scalar(const Operation& operation) {
  const ir::FloatMode mode{.flush_denormals = options.flush_denormals};
  for_each_active([&](std::uint32_t lane) {
    const bool is_defined = !group.strict || sources_defined(lane, operation);
    const std::uint64_t result = ir::evaluate(operation, source(lane, operation, 0), source(lane, operation, 1),
                                              source(lane, operation, 2), mode);
    write_result(lane, operation, result, is_defined);
  });
}

/// A lane whose neighbour is not active here sees no difference.
void Interpreter::Impl::execute_quads(const Operation& operation) {
  const ir::FloatMode mode{.flush_denormals = options.flush_denormals};
  const std::uint64_t sign = std::uint64_t{1} << (ir::bits_of(operation.type) - 1);
  Operation add = operation;
  add.op = Op::fadd;
  for (std::uint32_t quad = begin_lane; quad < end_lane; quad += 4) {
    std::array<std::uint64_t, 4> values{};
    std::array<bool, 4> are_defined{true, true, true, true};
    for (std::uint32_t place = 0; place < 4; ++place) {
      if (mask[quad + place] == 0) continue;
      values[place] = source(quad + place, operation, 0);
      if (group.strict) are_defined[place] = sources_defined(quad + place, operation);
    }
    for (std::uint32_t place = 0; place < 4; ++place) {
      if (mask[quad + place] == 0) continue;
      if (operation.op == Op::quad_first) {
        const std::uint32_t from = mask[quad] != 0 ? 0 : place;
        write_result(quad + place, operation, values[from], are_defined[from]);
        continue;
      }
      const QuadPair pair = operation.op == Op::ddx ? quad_row(place) : quad_column(place);
      const bool both = mask[quad + pair.first] != 0 && mask[quad + pair.second] != 0;
      const std::uint64_t difference =
          both ? ir::evaluate(add, values[pair.second], values[pair.first] ^ sign, 0, mode) : 0;
      write_result(quad + place, operation, difference, are_defined[pair.first] && are_defined[pair.second]);
    }
  }
}

void Interpreter::Impl::report_access(const ir::Call& call) {
  const Type type = ir::info(call.service).args[0].type;
  for_each_active(
      [&](std::uint32_t lane) { observer.access(lane, call, group.read(program, lane, call.args[0], type)); });
}

void Interpreter::Impl::execute_tasks(const Operation& operation) {
  constexpr std::uint32_t task_lanes = 32;
  if (operation.op == Op::task_lane)
    return for_each_active([&](std::uint32_t lane) { write_result(lane, operation, lane % task_lanes, true); });
  for (std::uint32_t task = begin_lane / task_lanes * task_lanes; task < end_lane; task += task_lanes) {
    const std::uint32_t end = std::min(task + task_lanes, end_lane);
    bool is_defined = true;
    std::uint64_t value = 0;
    for (std::uint32_t lane = std::max(task, begin_lane); lane < end; ++lane) {
      if (mask[lane] == 0) continue;
      if (group.strict && !group.is_defined(lane, operation.src[1], operation.type)) is_defined = false;
      if ((source(lane, operation, 1) & 1) == 0) continue;
      if (group.strict) is_defined = sources_defined(lane, operation) && is_defined;
      value = source(lane, operation, 0);
      break;
    }
    for (std::uint32_t lane = std::max(task, begin_lane); lane < end; ++lane) {
      if (mask[lane] != 0) write_result(lane, operation, value, is_defined);
    }
  }
}

/// Takes the lanes out of what follows in the block where bit 0 of the operation's source is 0.
void Interpreter::Impl::narrow(std::uint32_t index) {
  const Operation& operation = program.operations[index];
  if (operation.src[0].is_none()) {
    if (is_narrowed) widen();
    return;
  }
  if (!is_narrowed) std::copy_n(mask.data(), group.state.padded_lanes(), whole_mask.data());
  is_narrowed = true;
  mask_is_whole = false;
  if (!scalar_only) {
    active_count = ir::select_lanes((is_in_step() ? bound_in_step : bound)[index].src[0], active(), taken.data());
    std::copy(taken.data() + begin_lane, taken.data() + end_lane, mask.data() + begin_lane);
    return;
  }
  for (std::uint32_t lane = begin_lane; lane < end_lane; ++lane) {
    if (mask[lane] == 0 || (deciding_source(lane, operation) & 1) != 0) continue;
    mask[lane] = 0;
    --active_count;
  }
}

/// Brings back the lanes that `narrow` took out, but for those that have stopped in between.
void Interpreter::Impl::widen() {
  is_narrowed = false;
  if (company.is_together) {
    std::copy_n(whole_mask.data(), group.state.padded_lanes(), mask.data());
    active_count = lanes();
    return;
  }
  active_count = 0;
  for (std::uint32_t lane = begin_lane; lane < end_lane; ++lane) {
    mask[lane] = whole_mask[lane] != 0 && group.lane_state[lane] == LaneState::running ? whole_mask[lane] : 0;
    active_count += mask[lane] != 0;
  }
}

void Interpreter::Impl::execute_call(const ir::Call& call) {
  if (observer.access && ir::has_address(call.service)) report_access(call);
  const bool is_whole = active_count == lanes();
  if (is_in_step()) {
    if (calls.run_in_step(call, active(), is_whole)) return;
    part_company();
  } else if (!scalar_only && calls.run_together(call, active(), is_whole)) {
    return;
  }
  for (const EnvironmentCalls::Failure& failure : calls.run(call, current, list_active())) {
    if (failure.waits) {
      block(failure.lane);
    } else {
      fault(failure.lane, failure.reason);
    }
  }
}

/// Strict: what is only defined within a block is undefined after it.
void Interpreter::Impl::poison_volatile_state(std::span<const std::uint32_t> lanes_to_poison) {
  for (const ir::ByteRange range : program.volatile_state) {
    for (const std::uint32_t lane : lanes_to_poison) group.mark(lane, range.byte, range.bytes, false);
  }
}

std::span<const std::uint32_t> Interpreter::Impl::list_active() {
  lane_list.clear();
  for_each_active([&](std::uint32_t lane) { lane_list.push_back(lane); });
  return lane_list;
}

// ---- leaving a block

/// True if the active lanes continue together, at `current`; otherwise lanes have gone different ways.
bool Interpreter::Impl::follow_controls(const Prepared& block) {
  std::uint32_t control = block.first_control;
  bool have_parted = false;
  for (; !scalar_only && control < block.end_control; ++control) {
    const Operation& operation = program.operations[control];
    if (operation.op == Op::barrier || operation.op == Op::branch_indirect) break;
    const std::uint32_t count = take(control);
    if (count == 0) continue;
    if (operation.op == Op::trap) break;
    if (operation.op != Op::branch) {
      stop_taken(operation.op == Op::discard ? LaneState::discarded : LaneState::ended, count);
    } else if (count == active_count) {
      current = operation.extra;
      return !have_parted;
    } else {
      send_taken(operation.extra, count);
      have_parted = true;
    }
    if (active_count == 0) return false;
  }
  if (control < block.end_control) {
    part(control, block.end_control);
    return false;
  }
  const std::optional<std::uint32_t> next = program.blocks[current].next;
  if (!next) {
    if (group.strict) poison_volatile_state(list_active());
    if (company.is_together) {
      stop_all(LaneState::ended);
      return false;
    }
    std::copy(mask.data() + begin_lane, mask.data() + end_lane, taken.data() + begin_lane);
    stop_taken(LaneState::ended, active_count);
    return false;
  }
  if (group.strict) poison_volatile_state(list_active());
  current = *next;
  return !have_parted;
}

/// Finds the active lanes in which a control operation happens; returns how many. Which they are goes to `taken`, if
/// they are some, but not all of those who go the same way.
std::uint32_t Interpreter::Impl::take(std::uint32_t control) {
  const bool happens_in_all = program.operations[control].src[0].is_none();
  const ir::BoundSource& condition = (is_in_step() ? bound_in_step : bound)[control].src[0];
  if (company.is_together) {
    if (happens_in_all) return active_count;
    if (condition.keep == 0) return (*condition.words >> condition.shift & 1) != 0 ? active_count : 0;
    return ir::select_lanes(condition, active(), taken.data());
  }
  if (!happens_in_all) return ir::select_lanes(condition, active(), taken.data());
  std::copy(mask.data() + begin_lane, mask.data() + end_lane, taken.data() + begin_lane);
  return active_count;
}

/// The lanes that have taken a branch, some of the active, go to its target.
void Interpreter::Impl::send_taken(std::uint32_t target, std::uint32_t count) {
  part_company();
  mask_is_whole = false;
  const ir::LaneRange leaving{begin_lane, end_lane, taken.data()};
  ir::set_words(group.position.data(), leaving, target);
  ir::add_counts(group.steps.data(), leaving, pending_steps);
  ir::remove_lanes(mask.data(), leaving);
  active_count -= count;
}

void Interpreter::Impl::stop_taken(LaneState why, std::uint32_t count) {
  if (company.is_together && count == lanes()) return stop_all(why);
  send_taken(Group::nowhere, count);
  LaneState* const states = group.lane_state.data();
  const std::uint32_t end = std::min(end_lane, lanes());
  for (std::uint32_t lane = begin_lane; lane < end; ++lane) states[lane] = taken[lane] != 0 ? why : states[lane];
}

/// All lanes, which have gone the same way, stop.
void Interpreter::Impl::stop_all(LaneState why) {
  company.state = why;
  company.steps += std::exchange(pending_steps, 0);
  active_count = 0;
}

/// Sends each active lane its own way, by the controls of the current block from `first_control` on. None is active
/// then.
void Interpreter::Impl::part(std::uint32_t first_control, std::uint32_t end_control) {
  part_company();
  settle();
  const auto parting = list_active();
  for (const std::uint32_t lane : parting) leave(lane, first_control, end_control);
  if (group.strict) poison_volatile_state(parting);
  active_count = begin_lane = end_lane = 0;
}

void Interpreter::Impl::leave(std::uint32_t lane, std::uint32_t first_control, std::uint32_t end_control) {
  bool waits = false;
  std::optional<std::uint32_t> next = program.blocks[current].next;
  for (std::uint32_t control = first_control; control < end_control; ++control) {
    const Operation& operation = program.operations[control];
    switch (operation.op) {
      case Op::barrier:
        waits = true;
        continue;
      case Op::branch:
        if (!condition(lane, operation)) continue;
        next = operation.extra;
        break;
      case Op::branch_indirect: {
        const std::uint64_t address = deciding_source(lane, operation);
        next = program.block_at(address);
        if (!next) return fault(lane, fmt::format("indirect branch to {:#x}, where no block starts", address));
        break;
      }
      case Op::discard:
        if (!condition(lane, operation)) continue;
        return stop(lane, LaneState::discarded);
      case Op::end:
        if (!condition(lane, operation)) continue;
        return stop(lane, LaneState::ended);
      default:
        if (!condition(lane, operation)) continue;
        return fault(lane, program.trap_reasons[operation.extra]);
    }
    break;
  }
  if (!next) return stop(lane, LaneState::ended);
  if (waits) {
    stop(lane, LaneState::waiting);
    group.has_waiting = true;
    group.resume[lane] = *next;
  } else {
    group.position[lane] = *next;
  }
}

/// The value a lane's way depends on. Strict: reported if undefined, temporary or not.
std::uint64_t Interpreter::Impl::deciding_source(std::uint32_t lane, const Operation& operation) {
  if (group.strict && !group.is_defined(lane, operation.src[0], operation.type)) {
    group.report_undefined(program, lane, current, operation.src[0].byte(), ir::bytes_of(operation.type));
  }
  return source(lane, operation, 0);
}

bool Interpreter::Impl::condition(std::uint32_t lane, const Operation& operation) {
  return operation.src[0].is_none() || (deciding_source(lane, operation) & 1) != 0;
}

void Interpreter::Impl::stop(std::uint32_t lane, LaneState why) {
  part_company();
  mask_is_whole = false;
  group.lane_state[lane] = why;
  group.position[lane] = Group::nowhere;
  group.steps[lane] += pending_steps;
  mask[lane] = 0;
  --active_count;
}

void Interpreter::Impl::fault(std::uint32_t lane, std::string reason) {
  group.faults.push_back({.lane = lane, .address = program.blocks[current].address, .reason = std::move(reason)});
  stop(lane, LaneState::faulted);
}

/// The lane stays at the current block, as if it had not come to it.
void Interpreter::Impl::block(std::uint32_t lane) {
  stop(lane, LaneState::blocked);
  group.resume[lane] = current;
  --group.steps[lane];
  --group.executions[current];
}

// ---- the public face

Interpreter::Interpreter(const ir::Program& program, Environment& environment, InterpreterOptions options)
    : impl_(std::make_unique<Impl>(program, environment, options)) {}
Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;

void Interpreter::start(std::span<const Thread> threads) { impl_->start(threads); }
std::uint32_t Interpreter::lanes() const { return impl_->lanes(); }
const Thread& Interpreter::thread(std::uint32_t lane) const {
  static const Thread nobody;
  return lane < lanes() ? impl_->group.thread(lane) : nobody;
}

void Interpreter::restart(const ThreadSource& threads) { impl_->restart(threads); }

bool Interpreter::holds(std::uint32_t byte, std::size_t bytes) const {
  return byte <= impl_->program.state_bytes && bytes <= impl_->program.state_bytes - byte;
}

void Interpreter::set_initial(std::uint32_t byte, std::span<const std::uint8_t> data) {
  if (!holds(byte, data.size())) return;
  for (const std::uint8_t value : data) {
    const std::uint32_t shift = 8 * (byte % 4), field = 0xFFu << shift;
    std::uint32_t& word = impl_->initial[byte / 4];
    word = (word & ~field) | std::uint32_t{value} << shift;
    impl_->initial_defined[byte / 4] |= field;
    ++byte;
  }
}

void Interpreter::write(std::uint32_t lane, std::uint32_t byte, std::span<const std::uint8_t> data) {
  if (lane >= lanes() || !holds(byte, data.size())) return;
  impl_->note_write(byte, data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    impl_->group.write(lane, ir::Operand::state(byte + static_cast<std::uint32_t>(i)), Type::i8, data[i]);
  }
}

void Interpreter::read(std::uint32_t lane, std::uint32_t byte, std::span<std::uint8_t> out) const {
  impl_->part_company_if_rows();
  if (lane >= lanes() || !holds(byte, out.size())) {
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(impl_->group.state.read(lane, byte + static_cast<std::uint32_t>(i), 1));
  }
}

void Interpreter::write_u32(std::uint32_t lane, std::uint32_t byte, std::uint32_t value) {
  if (lane >= lanes() || !holds(byte, 4)) return;
  impl_->note_write(byte, 4);
  if (byte % 4 != 0) return impl_->group.write(lane, ir::Operand::state(byte), Type::i32, value);
  impl_->group.state.plane(byte / 4)[lane] = value;
  if (impl_->group.strict) impl_->group.defined.plane(byte / 4)[lane] = ~0u;
}

std::uint32_t Interpreter::read_u32(std::uint32_t lane, std::uint32_t byte) const {
  if (lane >= lanes() || !holds(byte, 4)) return 0;
  impl_->part_company_if_rows();
  return static_cast<std::uint32_t>(impl_->group.state.read(lane, byte, 4));
}

void Interpreter::broadcast_u32(std::uint32_t byte, std::uint32_t value) {
  if (byte % 4 != 0 || lanes() == 0 || !holds(byte, 4)) return;
  impl_->note_write_of_all(byte / 4);
  std::fill_n(impl_->group.state.plane(byte / 4), impl_->group.state.padded_lanes(), value);
  if (impl_->group.strict) std::fill_n(impl_->group.defined.plane(byte / 4), lanes(), ~0u);
}

void Interpreter::jump(std::uint32_t lane, std::uint32_t block) {
  Group& group = impl_->group;
  impl_->part_company();
  if (lane >= lanes() || block >= impl_->program.blocks.size()) return;
  if (group.lane_state[lane] == LaneState::waiting) group.lane_state[lane] = LaneState::running;
  if (group.lane_state[lane] == LaneState::running) group.position[lane] = block;
}

void Interpreter::set_observer(InterpreterObserver observer) { impl_->observer = std::move(observer); }
bool Interpreter::step() { return impl_->step(); }
void Interpreter::run() { impl_->run(~std::uint64_t{0}); }
void Interpreter::run(std::uint64_t steps) { impl_->run(steps); }

void Interpreter::unblock(std::uint32_t lane) {
  impl_->part_company();
  if (state(lane) != LaneState::blocked) return;
  impl_->group.lane_state[lane] = LaneState::running;
  impl_->group.position[lane] = impl_->group.resume[lane];
}

std::span<const LaneState> Interpreter::states() const {
  impl_->part_company();
  return impl_->group.lane_state;
}

std::optional<LaneState> Interpreter::common_state() const {
  return impl_->company.is_together ? std::optional(impl_->company.state) : std::nullopt;
}

LaneState Interpreter::state(std::uint32_t lane) const {
  if (impl_->company.is_together && lane < lanes()) return impl_->company.state;
  return lane < lanes() ? impl_->group.lane_state[lane] : LaneState::ended;
}

std::optional<std::uint32_t> Interpreter::block(std::uint32_t lane) const {
  switch (state(lane)) {
    case LaneState::running:
      return impl_->company.is_together ? impl_->company.position : impl_->group.position[lane];
    case LaneState::waiting:
    case LaneState::blocked:
      return impl_->group.resume[lane];
    default:
      return std::nullopt;
  }
}

const std::vector<LaneFault>& Interpreter::faults() const { return impl_->group.faults; }
const std::vector<UndefinedRead>& Interpreter::undefined_reads() const { return impl_->group.undefined_reads; }
std::uint64_t Interpreter::steps(std::uint32_t lane) const {
  if (lane >= lanes()) return 0;
  return impl_->company.is_together ? impl_->company.steps : impl_->group.steps[lane];
}
const std::vector<std::uint64_t>& Interpreter::executions() const { return impl_->group.executions; }

std::shared_ptr<const Interpreter::Snapshot> Interpreter::snapshot() const {
  impl_->part_company();
  impl_->group.read_threads();
  return std::make_shared<const Snapshot>(Snapshot{impl_->group});
}

void Interpreter::restore(const Snapshot& snapshot) {
  impl_->group = snapshot.group;
  impl_->company.is_together = false;
  impl_->find_helpers();
  impl_->most_steps = 0;
  for (const std::uint64_t steps : impl_->group.steps) impl_->most_steps = std::max(impl_->most_steps, steps);
  impl_->resize_to_group();
}

}  // namespace mobula
