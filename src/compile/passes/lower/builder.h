// Writes what stands for an operation that a machine lacks.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compile/evaluate/operations.h"
#include "compile/passes/lower.h"

namespace mobula::ssa {

/// Writes the instructions that stand for another one. What the machine lacks of them is lowered in turn, and what only
/// constants go into is one.
class Builder {
 public:
  Builder(Program& program, const Native& native);

  /// What is made next has the line and the qualifiers of the instruction that is replaced.
  void stand_for(const Instruction& each);
  /// Of a result that stands for one of this type 16 bits are enough if they were of that.
  void set_precision(Value result, const Type& type);
  /// Puts what was made into the block, as far as the value needs it: operands first, from left to right. In which
  /// order a formula's parts were made is up to the compiler of C++.
  void place(Value value, std::vector<Instruction>& block);

  Value make(Op op, std::vector<Value> operands);
  /// As the machine has it, which may be for some operands only (Native).
  Value make_native(Op op, std::vector<Value> operands);
  Value swizzle(Value from, std::initializer_list<std::uint32_t> components);
  Value splat(Value scalar, std::uint8_t components);
  Value constant(Type type, const Bits& bits);

  [[nodiscard]] const Native& native() const { return native_; }
  [[nodiscard]] const Type& type_of(Value value) const { return program_.values[value]; }
  [[nodiscard]] std::optional<Bits> constant_of(Value value) const;
  /// The constants that were made, in front of everything, in the order of their first use.
  void place_constants();

  bool precise = false;  ///< of what is made next

 private:
  Value write(Op op, Type type, std::vector<Value> operands, std::array<std::uint32_t, 4> data = {});

  Program& program_;
  const Native& native_;
  std::map<Value, Instruction> made_here_;  ///< not yet in a block
  std::vector<Instruction> first_;
  std::unordered_map<Value, Bits> known_;  ///< all constants
  std::map<std::pair<std::array<std::uint32_t, 2>, Bits>, Value> made_;
  bool relaxed_ = false;
  std::uint32_t line_ = 0;
};

}  // namespace mobula::ssa
