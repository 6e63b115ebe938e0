// What the parts of the lifter share while they lift one pass of one group.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "machines/rogue/lift/arrivals.h"
#include "machines/rogue/lift/policies.h"
#include "machines/rogue/lift/state.h"
#include "machines/rogue/spec/codec.h"

namespace mobula::rogue::lifting {

/// What a whole program says about how its groups are lifted.
struct ProgramFacts {
  bool masks = false;                              ///< some group changes PE
  bool feedback = false;                           ///< some group tells the depth test which pixels are seen
  bool depth = false;                              ///< some group gives a depth
  bool phases = false;                             ///< some group names a phase that follows
  std::uint32_t mutexes = 0;                       ///< that some group locks or frees, a bit each
  const std::vector<Variable>* outputs = nullptr;  ///< what a fragment program is known to put out
  std::set<std::uint32_t> cubes, images;           ///< what the interface says of textures, by number
  bool several_tasks = false;                      ///< a workgroup is of more instances than a task
  std::set<unsigned> written_shared;               ///< shared registers that groups write by their numbers
  bool indexes_written_shared = false;             ///< and others that they write by an index
  Arrivals arrivals;
};

/// Why an instance stops, found while the program runs: where `condition` is all ones.
struct Trap {
  Operand condition;
  std::string reason;
  bool is_of_task = false;  ///< stops instances that do not execute the group, too
};

class GroupContext {
 public:
  GroupContext(ir::Builder& builder, const Group& lifted, const State& registers, const Settings& choices,
               const ProgramFacts& program)
      : b(builder), group(lifted), state(registers), settings(choices), facts(program) {}

  ir::Builder& b;
  const Group& group;
  const State& state;
  const Settings& settings;
  const ProgramFacts& facts;
  unsigned pass = 0;  ///< of a repeated group, from 0
  Operand enabled;    ///< all ones in the instances that execute the group; none = all do
  std::vector<Trap> traps;

  // ---- masks

  /// Where the group's condition holds (V-13), computed for all instances; none = everywhere.
  Operand condition();
  /// What follows is done where `enabled` is, or everywhere again.
  void mask() {
    if (!enabled.is_none()) b.emit(Op::enable, Type::i32, {}, enabled);
  }
  void unmask() {
    if (!enabled.is_none()) b.emit(Op::enable, Type::i32, {});
  }
  /// `enabled`, or all ones.
  Operand enabled_mask() { return enabled.is_none() ? ones() : enabled; }

  // ---- values

  Operand zero() { return b.constant_u32(0); }
  Operand ones() { return b.constant_u32(~0u); }
  Operand i32(Op op, Operand x, Operand y) { return b.binary(op, Type::i32, x, y); }
  /// x where `mask` is all ones, y where it is 0.
  Operand choose(Operand mask, Operand x, Operand y) { return b.ternary(Op::select, Type::i32, x, y, mask); }
  /// Two words as one of 64 bits.
  Operand pair(Operand low, Operand high) {
    const Operand both = b.temporary(Type::i64);
    keep(both, low);
    keep(both.plus(4), high);
    return both;
  }
  /// Copies `value` to a slot; returns the slot.
  Operand keep(Operand slot, Operand value) {
    b.emit(Op::mov, Type::i32, slot, value);
    return slot;
  }
  /// All ones in all instances of a task where `mask` is in one of them.
  Operand in_some_instance(Operand mask) { return b.binary(Op::task_first, Type::i32, ones(), mask); }
  /// All ones in instances whose PE is 1.
  Operand running() { return facts.masks ? b.unary(Op::inot, Type::i32, state.masked) : ones(); }
  void unknown(std::string text) { b.note(Status::unknown, std::move(text)); }
  void inferred(std::string text) { b.note(Status::inferred, std::move(text)); }

  // ---- registers

  /// Reads a source slot (0..5) in this pass; 0 if there is no such register.
  Operand read(unsigned slot);
  /// Bits of a constant that a slot holds; nothing for registers.
  [[nodiscard]] std::optional<std::uint32_t> constant(unsigned slot) const;
  /// Reads a register of a class, counted from the base offset.
  Operand read(Space space, unsigned number);
  /// Reads `reg`, `further` registers on. Constants stay, unless the policy says otherwise.
  Operand read(const Register& reg, unsigned further);
  /// Writes `value`; masked as the rest of the pass.
  void write(const Register& reg, unsigned further, Operand value);
  /// Stops the instances that execute the group and have all ones in `condition`.
  // ---- memory of a workgroup of several tasks

  /// Address of a word that all tasks of the workgroup see: shared registers have two each, what was written to them
  /// and all ones once something was; behind them are what mutexes need, and one that counts turns.
  Operand word_of_workgroup(Operand number);
  Operand word_of_workgroup(unsigned number) { return word_of_workgroup(b.constant_u32(number)); }
  enum MutexWord : unsigned { is_locked, wakings };
  [[nodiscard]] unsigned mutex_word(unsigned id, MutexWord which) const {
    return 2 * (state.extent(Space::shared) + id) + which;
  }
  [[nodiscard]] unsigned turn_word() const { return mutex_word(mutex_count, is_locked); }
  /// What was in the word; done where `where` is all ones.
  Operand change_word(unsigned number, ir::AtomicOp op, Operand value, Operand where);
  void store_word(unsigned number, Operand value, Operand where);
  Operand load_word(unsigned number);
  void trap_where(Operand condition, std::string reason) {
    traps.push_back({.condition = condition, .reason = std::move(reason)});
  }

 private:
  static constexpr unsigned mutex_count = 32;
  [[nodiscard]] bool is_of_workgroup(Space space) const { return facts.several_tasks && space == Space::shared; }
  Operand load_shared(Operand index, Operand initial);
  void store_shared(Operand index, Operand value, Operand where);
  Operand index_of(const Register& reg, unsigned further, Space space);
  Operand pick(Space space, Operand index);
  void put(Space space, Operand index, Operand value);
  void write_task_wide(Operand slot, Operand value, Operand where);
};

/// True if the register `further` numbers after `reg` is there, in the same class.
bool register_exists(const Register& reg, unsigned further, const State& state);
/// Why a register that a group names cannot be read or written; empty if it can.
std::string register_fault(const Group& group, const State& state);

}  // namespace mobula::rogue::lifting
