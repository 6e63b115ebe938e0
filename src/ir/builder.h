// Builder: the way a lifter writes a Program.
//
//   Builder b(slots);
//   b.begin_block(0x0, 16);
//   Operand sum = b.binary(Op::fadd, Type::f32, r0_x, b.constant_f32(1.0f));
//   b.emit(Op::mov, Type::i32, r1_x, sum);
//   b.branch_if(r31_w, 0x40);
//   b.end_block();              // falls through to 0x10
//   Program program = b.finish(0x0);
//
// Branch targets, fall-throughs and the entry are byte addresses; blocks may come in any order and targets before or
// after their branches. An address without an instruction becomes a block of 0 bytes there that traps and says so.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mobula/isa/ir.h"

namespace mobula::ir {

class Builder {
 public:
  /// Architectural state. Slots may not overlap.
  explicit Builder(std::vector<Slot> slots);

  /// Everything emitted until end_block() is the word of `bytes` bytes at this address; one block per address.
  void begin_block(std::uint64_t address, std::uint32_t bytes);
  /// Execution that reaches the end of the block continues at address + bytes.
  void end_block();
  /// Execution that reaches the end of the block continues at `next`; nullopt = the lane ends.
  void end_block(std::optional<std::uint64_t> next);
  /// Operations emitted since begin_block().
  [[nodiscard]] std::uint32_t block_operations() const;

  /// The semantics of this block rest on a fact of this status; Block::fidelity becomes the worst of them.
  void rests_on(Status status);
  /// The same, and a FidelityNote.
  void note(Status status, std::string text);

  /// `count` consecutive elements of scratch state, aligned to the element, valid until end_block().
  Operand temporary(Type type, std::uint32_t count = 1);

  /// Constants, each stored once, aligned to their width.
  Operand constant_u8(std::uint8_t value);
  Operand constant_u16(std::uint16_t value);
  Operand constant_u32(std::uint32_t value);
  Operand constant_u64(std::uint64_t value);
  Operand constant_f32(float value);
  /// The low bits of `bits` that an element of this type has.
  Operand constant(Type type, std::uint64_t bits);

  void emit(const Operation& operation);
  void emit(Op op, Type type, Operand dst, Operand a = {}, Operand b = {}, Operand c = {}, Round round = Round::even);
  void emit_conversion(Op op, Type type, Type from, Operand dst, Operand a, Round round = Round::even);

  // The same with a fresh temporary as destination, which is returned.
  Operand unary(Op op, Type type, Operand a, Round round = Round::even);
  Operand binary(Op op, Type type, Operand a, Operand b, Round round = Round::even);
  Operand ternary(Op op, Type type, Operand a, Operand b, Operand c, Round round = Round::even);
  Operand convert(Op op, Type type, Type from, Operand a, Round round = Round::even);

  void call(const Call& call);
  /// Four elements of texture.result go to `data`.
  void texture(const Texture& texture, Operand data);

  // Control; last in a block. Conditions are bit 0 of an element of `type`.
  void branch(std::uint64_t target);
  void branch_if(Operand condition, std::uint64_t target, Type type = Type::i32);
  void branch_indirect(Operand address, Type type = Type::i32);
  void discard();
  void discard_if(Operand condition, Type type = Type::i32);
  void barrier();
  void end();
  void end_if(Operand condition, Type type = Type::i32);
  void trap(std::string_view reason);
  void trap_if(Operand condition, std::string_view reason, Type type = Type::i32);

  /// The program. The builder is spent afterwards.
  [[nodiscard]] Program finish(std::uint64_t entry);

 private:
  struct OpenBlock {
    Block block;
    std::optional<std::uint64_t> next;
  };
  Operand stored_constant(std::uint64_t bits, std::uint32_t bytes);
  void trap_at_missing_addresses(std::uint64_t entry);
  void sort_blocks();
  void resolve(std::uint64_t entry);

  Program program_;  // until finish(), Operation::extra of a branch is an index of targets_
  std::vector<OpenBlock> blocks_;
  std::vector<std::uint64_t> targets_;                                          // branch targets
  std::uint32_t temporaries_ = 0;                                               // bytes of scratch used by this block
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> constants_;  // width and bits to offset
  std::unordered_map<std::string, std::uint32_t> trap_reasons_;
};

}  // namespace mobula::ir
