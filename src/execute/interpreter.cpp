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
  std::uint32_t first = 0, count = 0;  ///< of Program::operations
  ir::Kernel kernel;
};

/// A block ready to run.
struct Prepared {
  std::uint32_t first_batch = 0, end_batch = 0;
  std::uint32_t first_control = 0, end_control = 0;  ///< of Program::operations
};

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

  // Choosing what runs.
  void start(std::span<const Thread> threads);
  void restart(std::span<const Thread> threads);
  void begin(std::span<const Thread> threads);
  void find_words_to_reset();
  void note_write(std::uint32_t byte, std::size_t bytes);
  void resize_to_group();
  bool gather();
  bool release_barrier();
  void settle();
  bool step();
  void run(std::uint64_t steps);

  // Executing the current block for the active lanes.
  bool execute();
  void execute_batch(const Batch& batch);
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
  [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(group.threads.size()); }

  const ir::Program& program;
  Environment& environment;
  const InterpreterOptions options;
  const bool scalar_only;
  InterpreterObserver observer;

  std::vector<Batch> batches;
  std::vector<Prepared> blocks;
  AlignedWords constant_rows;
  std::vector<ir::BoundOperation> bound;  ///< parallel to Program::operations; see bind()
  const std::uint32_t* bound_state = nullptr;
  std::uint32_t bound_lanes = 0;

  Group group;
  EnvironmentCalls calls{program, environment, group};

  // What a lane starts with. The words to reset are those that a restart has to bring back: the program may read them
  // first, and something may have written them.
  std::vector<std::uint32_t> initial, initial_defined;  ///< by word of the state
  std::vector<bool> written_outside;                    ///< likewise: by write() and its like
  std::optional<StateUse> state_use;
  std::vector<std::uint32_t> words_to_reset;
  bool knows_words_to_reset = false;

  // The active lanes: those at `current`, which run together until they part, meet lanes at `horizon` or exhaust
  // `budget`. While they run, their entries of Group::position and Group::steps are out of date; settle() brings them
  // up to date.
  std::uint32_t current = 0, horizon = 0;
  std::uint32_t active_count = 0, begin_lane = 0, end_lane = 0;
  AlignedWords mask;
  AlignedWords whole_mask;  ///< of the block, while an `enable` has narrowed `mask`
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
      written_outside(initial.size()) {
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
  for (; index < end && !ir::is_control(program.operations[index].op); ++index) {
    const Batch batch = batch_of(index);
    if (batches.size() > first_batch && batches.back().how == batch.how &&
        batches.back().kernel.full == batch.kernel.full) {
      ++batches.back().count;
    } else {
      batches.push_back(batch);
    }
  }
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
  if (scalar_only || (bound_state == group.state.plane(0) && bound_lanes == group.state.padded_lanes())) return;
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
  calls.bind([&](ir::Operand operand) {
    const ir::BoundSource source = bind_source(operand, Type::i32);
    return LaneWords{source.words, source.keep};
  });
}

// ---- choosing what runs

void Interpreter::Impl::start(std::span<const Thread> threads) {
  const auto count = static_cast<std::uint32_t>(threads.size());
  const std::uint32_t padded = (count + ir::lane_padding - 1) / ir::lane_padding * ir::lane_padding;
  const auto planes = static_cast<std::uint32_t>(initial.size());
  group.state.assign(planes, padded, 0);
  group.strict = options.strict;
  if (group.strict) group.defined.assign(planes, padded, 0);
  for (std::uint32_t word = 0; word < planes; ++word) {
    if (initial[word] != 0) std::fill_n(group.state.plane(word), padded, initial[word]);
    if (group.strict && initial_defined[word] != 0)
      std::fill_n(group.defined.plane(word), padded, initial_defined[word]);
  }
  begin(threads);
}

void Interpreter::Impl::restart(std::span<const Thread> threads) {
  const std::size_t padded = group.state.padded_lanes();
  const bool fits = threads.size() <= padded && threads.size() + ir::lane_padding > padded && padded != 0;
  if (!fits || group.strict) return start(threads);
  if (!knows_words_to_reset) find_words_to_reset();
  for (const std::uint32_t word : words_to_reset) std::fill_n(group.state.plane(word), padded, initial[word]);
  begin(threads);
}

void Interpreter::Impl::find_words_to_reset() {
  if (!state_use) state_use = find_state_use(program);
  words_to_reset.clear();
  for (std::uint32_t word = 0; word < initial.size(); ++word)
    if (state_use->read_first[word] && (state_use->written[word] || written_outside[word]))
      words_to_reset.push_back(word);
  knows_words_to_reset = true;
}

/// Something outside the program writes these bytes.
void Interpreter::Impl::note_write(std::uint32_t byte, std::size_t bytes) {
  for (std::size_t word = byte / 4; word * 4 < byte + bytes; ++word) {
    if (written_outside[word]) continue;
    written_outside[word] = true;
    knows_words_to_reset = false;
  }
}

/// Starts the threads in the state that there is.
void Interpreter::Impl::begin(std::span<const Thread> threads) {
  const std::uint32_t padded = group.state.padded_lanes();
  group.threads.assign(threads.begin(), threads.end());
  group.position.assign(padded, Group::nowhere);
  std::fill_n(group.position.data(), threads.size(), program.entry);
  group.resume.assign(threads.size(), 0);
  group.steps.assign(padded, 0);
  group.lane_state.assign(threads.size(), LaneState::running);
  group.faults.clear();
  group.undefined_reads.clear();
  group.undefined_seen.clear();
  group.executions.assign(program.blocks.size(), 0);
  most_steps = 0;
  resize_to_group();
}

/// Fits what goes along with the group to its number of lanes.
void Interpreter::Impl::resize_to_group() {
  active_count = begin_lane = end_lane = 0;
  mask.assign(group.state.padded_lanes(), 0);
  whole_mask.assign(group.state.padded_lanes(), 0);
  taken.assign(group.state.padded_lanes(), 0);
  calls.see_threads();
  bind();
}

/// Makes the running lanes at the lowest block the active ones. False when no lane can run.
bool Interpreter::Impl::gather() {
  for (;;) {
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
  for (std::uint32_t i = block.first_batch; i < block.end_batch; ++i) execute_batch(batches[i]);
  if (is_narrowed) widen();
  return active_count != 0 && follow_controls(block);
}

void Interpreter::Impl::execute_batch(const Batch& batch) {
  if (batch.how == Batch::How::kernel) {
    const auto kernel = active_count == lanes() ? batch.kernel.full : batch.kernel.masked;
    kernel(&bound[batch.first], batch.count, active());
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
  for (std::uint32_t lane = begin_lane; lane < end_lane; ++lane) {
    if (mask[lane] == 0 || (deciding_source(lane, operation) & 1) != 0) continue;
    mask[lane] = 0;
    --active_count;
  }
}

/// Brings back the lanes that `narrow` took out, but for those that have stopped in between.
void Interpreter::Impl::widen() {
  active_count = 0;
  for (std::uint32_t lane = begin_lane; lane < end_lane; ++lane) {
    mask[lane] = whole_mask[lane] != 0 && group.lane_state[lane] == LaneState::running ? whole_mask[lane] : 0;
    active_count += mask[lane] != 0;
  }
  is_narrowed = false;
}

void Interpreter::Impl::execute_call(const ir::Call& call) {
  if (observer.access && ir::has_address(call.service)) report_access(call);
  if (!scalar_only && calls.run_together(call, active(), active_count == lanes())) return;
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
    std::copy(mask.data() + begin_lane, mask.data() + end_lane, taken.data() + begin_lane);
    stop_taken(LaneState::ended, active_count);
    return false;
  }
  if (group.strict) poison_volatile_state(list_active());
  current = *next;
  return !have_parted;
}

/// Finds the active lanes in which a control operation happens; returns how many.
std::uint32_t Interpreter::Impl::take(std::uint32_t control) {
  if (!program.operations[control].src[0].is_none())
    return ir::select_lanes(bound[control].src[0], active(), taken.data());
  std::copy(mask.data() + begin_lane, mask.data() + end_lane, taken.data() + begin_lane);
  return active_count;
}

/// The lanes that have taken a branch, some of the active, go to its target.
void Interpreter::Impl::send_taken(std::uint32_t target, std::uint32_t count) {
  const ir::LaneRange leaving{begin_lane, end_lane, taken.data()};
  ir::set_words(group.position.data(), leaving, target);
  ir::add_counts(group.steps.data(), leaving, pending_steps);
  ir::remove_lanes(mask.data(), leaving);
  active_count -= count;
}

void Interpreter::Impl::stop_taken(LaneState why, std::uint32_t count) {
  send_taken(Group::nowhere, count);
  for (std::uint32_t lane = begin_lane; lane < end_lane; ++lane) {
    if (taken[lane] == 0) continue;
    group.lane_state[lane] = why;
    if (why == LaneState::discarded) environment.discarded(group.threads[lane]);
  }
}

/// Sends each active lane its own way, by the controls of the current block from `first_control` on. None is active
/// then.
void Interpreter::Impl::part(std::uint32_t first_control, std::uint32_t end_control) {
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
        stop(lane, LaneState::discarded);
        return environment.discarded(group.threads[lane]);
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
  return lane < lanes() ? impl_->group.threads[lane] : nobody;
}

void Interpreter::restart(std::span<const Thread> threads) { impl_->restart(threads); }

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
  return static_cast<std::uint32_t>(impl_->group.state.read(lane, byte, 4));
}

void Interpreter::broadcast_u32(std::uint32_t byte, std::uint32_t value) {
  if (byte % 4 != 0 || lanes() == 0 || !holds(byte, 4)) return;
  impl_->note_write(byte, 4);
  std::fill_n(impl_->group.state.plane(byte / 4), lanes(), value);
  if (impl_->group.strict) std::fill_n(impl_->group.defined.plane(byte / 4), lanes(), ~0u);
}

void Interpreter::jump(std::uint32_t lane, std::uint32_t block) {
  Group& group = impl_->group;
  if (lane >= lanes() || block >= impl_->program.blocks.size()) return;
  if (group.lane_state[lane] == LaneState::waiting) group.lane_state[lane] = LaneState::running;
  if (group.lane_state[lane] == LaneState::running) group.position[lane] = block;
}

void Interpreter::set_observer(InterpreterObserver observer) { impl_->observer = std::move(observer); }
bool Interpreter::step() { return impl_->step(); }
void Interpreter::run() { impl_->run(~std::uint64_t{0}); }
void Interpreter::run(std::uint64_t steps) { impl_->run(steps); }

void Interpreter::unblock(std::uint32_t lane) {
  if (state(lane) != LaneState::blocked) return;
  impl_->group.lane_state[lane] = LaneState::running;
  impl_->group.position[lane] = impl_->group.resume[lane];
}

std::span<const LaneState> Interpreter::states() const { return impl_->group.lane_state; }

LaneState Interpreter::state(std::uint32_t lane) const {
  return lane < lanes() ? impl_->group.lane_state[lane] : LaneState::ended;
}

std::optional<std::uint32_t> Interpreter::block(std::uint32_t lane) const {
  switch (state(lane)) {
    case LaneState::running:
      return impl_->group.position[lane];
    case LaneState::waiting:
    case LaneState::blocked:
      return impl_->group.resume[lane];
    default:
      return std::nullopt;
  }
}

const std::vector<LaneFault>& Interpreter::faults() const { return impl_->group.faults; }
const std::vector<UndefinedRead>& Interpreter::undefined_reads() const { return impl_->group.undefined_reads; }
std::uint64_t Interpreter::steps(std::uint32_t lane) const { return lane < lanes() ? impl_->group.steps[lane] : 0; }
const std::vector<std::uint64_t>& Interpreter::executions() const { return impl_->group.executions; }

std::shared_ptr<const Interpreter::Snapshot> Interpreter::snapshot() const {
  return std::make_shared<const Snapshot>(Snapshot{impl_->group});
}

void Interpreter::restore(const Snapshot& snapshot) {
  impl_->group = snapshot.group;
  impl_->most_steps = 0;
  for (const std::uint64_t steps : impl_->group.steps) impl_->most_steps = std::max(impl_->most_steps, steps);
  impl_->resize_to_group();
}

}  // namespace mobula
