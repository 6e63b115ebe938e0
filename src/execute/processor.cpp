#include "execute/processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "execute/semantics.h"

namespace mobula {

using ir::Op;
using ir::Operation;
using ir::Type;

// Operations on 32-bit words that have a step of their own: MOBULA_STEP(name, result). They are ir::evaluate's; a test
// compares them.
#define MOBULA_STEPS(MOBULA_STEP)                                           \
  MOBULA_STEP(mov, *a)                                                      \
  MOBULA_STEP(select, (*c & *a) | (~*c & *b))                               \
  MOBULA_STEP(iadd, *a + *b)                                                \
  MOBULA_STEP(isub, *a - *b)                                                \
  MOBULA_STEP(imul, *a** b)                                                 \
  MOBULA_STEP(imin_u, std::min(*a, *b))                                     \
  MOBULA_STEP(imax_u, std::max(*a, *b))                                     \
  MOBULA_STEP(imax_s, as_signed(*a) > as_signed(*b) ? *a : *b)              \
  MOBULA_STEP(ishl, *a << (*b & 31))                                        \
  MOBULA_STEP(ilsr, *a >> (*b & 31))                                        \
  MOBULA_STEP(iasr, static_cast<std::uint32_t>(as_signed(*a) >> (*b & 31))) \
  MOBULA_STEP(iand, *a&* b)                                                 \
  MOBULA_STEP(ior, *a | *b)                                                 \
  MOBULA_STEP(ixor, *a ^ *b)                                                \
  MOBULA_STEP(iandnot, *a & ~*b)                                            \
  MOBULA_STEP(inot, ~*a)                                                    \
  MOBULA_STEP(iclz, static_cast<std::uint32_t>(std::countl_zero(*a)))       \
  MOBULA_STEP(ipopcnt, static_cast<std::uint32_t>(std::popcount(*a)))       \
  MOBULA_STEP(ieq, *a == *b ? ~0u : 0u)                                     \
  MOBULA_STEP(ine, *a != *b ? ~0u : 0u)                                     \
  MOBULA_STEP(ilt_u, *a < *b ? ~0u : 0u)

enum class Processor::Step::Kind : std::uint8_t {
  lift,
  other,  ///< through ir::evaluate
  read,
  write,
  go,
  go_if,
  go_indirect,
  end,
  end_if,
  trap,
  trap_if,
#define MOBULA_STEP(name, result) name,
  MOBULA_STEPS(MOBULA_STEP)
#undef MOBULA_STEP
};

namespace {

static_assert(std::endian::native == std::endian::little, "devices put bytes into words of state");

constexpr std::uint32_t unknown = ~0u;
const std::string unsupported = "a processor has no such operation";

std::int32_t as_signed(std::uint32_t value) { return static_cast<std::int32_t>(value); }

/// What ir::Builder makes of a target it does not have.
bool stands_for_another(const ir::Program& piece, const ir::Block& block) {
  if (block.bytes != 0 || block.count != 1) return false;
  const Operation& only = piece.operations[block.first];
  return only.op == Op::trap && only.src[0].is_none();
}

bool is_whole_word(const Operation& operation) {
  const auto aligned = [](ir::Operand operand) { return operand.is_none() || operand.byte() % 4 == 0; };
  return operation.type == Type::i32 && aligned(operation.dst) &&
         std::all_of(operation.src.begin(), operation.src.end(), aligned);
}

}  // namespace

Processor::Processor(CodeSource& source, Environment& environment, std::uint64_t code_bytes, std::uint64_t entry)
    : source_(source), environment_(environment), state_words_(state_limit / 4, 0), known_(code_bytes, unknown) {
  steps_.push_back({.kind = Step::Kind::lift});
  at_ = entry_at(entry);
}

std::uint32_t Processor::entry_at(std::uint64_t address) {
  if (address < known_.size() && known_[address] != unknown) return known_[address];
  const auto index = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({.address = address});
  origins_.emplace_back();
  if (address < known_.size()) known_[address] = index;
  return index;
}

// ---- lifting and binding

const std::uint32_t* Processor::place(const ir::Program& piece, ir::Operand operand) const {
  if (operand.is_none()) return nullptr;
  if (operand.is_constant()) return reinterpret_cast<const std::uint32_t*>(piece.constants.data() + operand.byte());
  return state_words_.data() + operand.byte() / 4;
}

/// Lifts the block at which the processor stands, and binds it and what came with it.
void Processor::lift() {
  const std::uint64_t address = entries_[at_].address;
  std::optional<ir::Program> lifted;
  if (address < known_.size()) lifted = source_.lift(address);
  if (!lifted) return fault(fmt::format("there is no instruction at {:#x}", address));
  assert(lifted->state_bytes <= state_limit);
  const ir::Program& piece = pieces_.emplace_back(std::move(*lifted));
  for (const ir::Block& block : piece.blocks)
    if (!stands_for_another(piece, block)) bind(piece, block);
  if (entries_[at_].first == 0) fault(fmt::format("there is no instruction at {:#x}", address));
}

void Processor::bind(const ir::Program& piece, const ir::Block& block) {
  const std::uint32_t index = entry_at(block.address);
  entries_[index].first = static_cast<std::uint32_t>(steps_.size());
  entries_[index].words = block.bytes != 0 ? 1 : 0;
  origins_[index] = {&piece, &block};
  for (std::uint32_t i = block.first; i < block.first + block.count; ++i)
    steps_.push_back(bind(piece, piece.operations[i]));
  if (block.next) {
    const std::uint32_t target = entry_at(piece.blocks[*block.next].address);
    steps_.push_back({.kind = Step::Kind::go, .target = target});
  } else {
    steps_.push_back({.kind = Step::Kind::end});
  }
}

Processor::Step Processor::bind(const ir::Program& piece, const Operation& operation) {
  Step step{.operation = &operation, .reason = &unsupported};
  step.a = place(piece, operation.src[0]);
  step.b = place(piece, operation.src[1]);
  step.c = place(piece, operation.src[2]);
  if (!operation.dst.is_none()) step.dst = &state_words_[operation.dst.byte() / 4];
  switch (operation.op) {
    case Op::call: {
      const ir::Call& call = piece.calls[operation.extra];
      step.a = place(piece, call.args[0]);
      step.dst = &state_words_[call.data.byte() / 4];
      return bind_call(call, step);
    }
    case Op::branch:
      step.kind = step.a == nullptr ? Step::Kind::go : Step::Kind::go_if;
      step.target = entry_at(piece.blocks[operation.extra].address);
      return step;
    case Op::branch_indirect:
      step.kind = Step::Kind::go_indirect;
      return step;
    case Op::end:
      step.kind = step.a == nullptr ? Step::Kind::end : Step::Kind::end_if;
      return step;
    case Op::trap:
      step.kind = step.a == nullptr ? Step::Kind::trap : Step::Kind::trap_if;
      step.reason = &piece.trap_reasons[operation.extra];
      return step;
    case Op::ddx:
    case Op::ddy:
    case Op::barrier:
    case Op::discard:
      step.kind = Step::Kind::trap;
      return step;
    default:
      break;
  }
  step.kind = Step::Kind::other;
  if (!is_whole_word(operation)) return step;
  switch (operation.op) {
#define MOBULA_STEP(name, result) \
  case Op::name:                  \
    step.kind = Step::Kind::name; \
    break;
    MOBULA_STEPS(MOBULA_STEP)
#undef MOBULA_STEP
    default:
      break;
  }
  return step;
}

Processor::Step Processor::bind_call(const ir::Call& call, const Step& begun) {
  Step step = begun;
  step.call = &call;
  step.kind = Step::Kind::trap;
  if (call.type != Type::i32) return step;
  if (call.service == ir::Service::device_read) step.kind = Step::Kind::read;
  if (call.service == ir::Service::device_write) step.kind = Step::Kind::write;
  return step;
}

// ---- executing

/// The block did not happen.
void Processor::forget_block() {
  --blocks_;
  --entries_[at_].executions;
  words_ -= entries_[at_].words;
}

void Processor::fault(std::string reason) {
  state_ = LaneState::faulted;
  reason_ = std::move(reason);
}

void Processor::stop(const Fault& why) {
  if (!why.waits) return fault(why.reason);
  state_ = LaneState::blocked;
  forget_block();
}

void Processor::unblock() {
  if (state_ == LaneState::blocked) state_ = LaneState::running;
}

void Processor::go_to(std::uint64_t address) {
  assert(state_ == LaneState::running || state_ == LaneState::blocked);
  state_ = LaneState::running;
  at_ = entry_at(address);
}

/// Any type, through the scalar semantics.
void Processor::execute_other(const Step& step) {
  const Operation& operation = *step.operation;
  const std::uint32_t bytes = ir::bytes_of(ir::source_type(operation));
  const auto value = [&](std::size_t index, const std::uint32_t* words) {
    std::uint64_t bits = 0;
    if (words == nullptr) return bits;
    const ir::Operand operand = operation.src[index];
    const std::size_t within = operand.is_constant() ? 0 : operand.byte() % 4;
    std::memcpy(&bits, reinterpret_cast<const std::uint8_t*>(words) + within, bytes);
    return bits;
  };
  const std::uint64_t result = ir::evaluate(operation, value(0, step.a), value(1, step.b), value(2, step.c));
  std::memcpy(reinterpret_cast<std::uint8_t*>(step.dst) + operation.dst.byte() % 4, &result,
              ir::bytes_of(ir::result_type(operation)));
}

/// To the observer, that the block of an entry was executed; one that made the thread wait, or stop, was not.
void Processor::tell(std::uint32_t entry) {
  const Origin& origin = origins_[entry];
  if (state_ == LaneState::running || state_ == LaneState::ended)
    observer_({*origin.piece,
               *origin.block,
               accesses_,
               {reinterpret_cast<const std::uint8_t*>(state_words_.data()), state_limit}});
  accesses_.clear();
}

void Processor::run(std::uint64_t blocks) {
  end_ = blocks_ + std::min(blocks, ~std::uint64_t{0} - blocks_);
  if (observer_) return run_to_end<true>();
  run_to_end<false>();
}

/// In two versions, so that a run that nobody observes does not pay for it.
template <bool observed>
void Processor::run_to_end() {
  const Thread thread{};
  while (state_ == LaneState::running && blocks_ < end_) {
    Entry& entry = entries_[at_];
    [[maybe_unused]] const std::uint32_t executed = at_;
    [[maybe_unused]] const bool is_lifted = entry.first != 0;
    ++entry.executions;
    ++blocks_;
    words_ += entry.words;
    for (const Step* step = &steps_[entry.first];; ++step) {
      const std::uint32_t *const a = step->a, *const b = step->b, *const c = step->c;
      switch (step->kind) {
        case Step::Kind::lift:
          forget_block();
          lift();
          break;
        case Step::Kind::other:
          execute_other(*step);
          continue;
        case Step::Kind::read:
          if constexpr (observed) accesses_.push_back({step->call, *a});
          if (const Fault why = environment_.device_read(
                  thread, *step->call, *a, {reinterpret_cast<std::uint8_t*>(step->dst), 4u * step->call->count})) {
            stop(why);
            break;
          }
          continue;
        case Step::Kind::write:
          if constexpr (observed) accesses_.push_back({step->call, *a});
          if (const Fault why = environment_.device_write(
                  thread, *step->call, *a,
                  {reinterpret_cast<const std::uint8_t*>(step->dst), 4u * step->call->count})) {
            stop(why);
            break;
          }
          continue;
        case Step::Kind::go:
          at_ = step->target;
          break;
        case Step::Kind::go_if:
          if ((*a & 1) == 0) continue;
          at_ = step->target;
          break;
        case Step::Kind::go_indirect:
          at_ = entry_at(*a);
          break;
        case Step::Kind::end_if:
          if ((*a & 1) == 0) continue;
          [[fallthrough]];
        case Step::Kind::end:
          state_ = LaneState::ended;
          break;
        case Step::Kind::trap_if:
          if ((*a & 1) == 0) continue;
          [[fallthrough]];
        case Step::Kind::trap:
          fault(*step->reason);
          break;
#define MOBULA_STEP(name, result) \
  case Step::Kind::name:          \
    *step->dst = (result);        \
    continue;
          MOBULA_STEPS(MOBULA_STEP)
#undef MOBULA_STEP
      }
      if constexpr (observed)
        if (is_lifted) tell(executed);
      break;
    }
  }
}

}  // namespace mobula
