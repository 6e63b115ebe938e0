#include "ir/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mobula/isa/machine.h"

namespace mobula::ir {
namespace {

using testing::ElementsAre;

Builder two_registers() { return Builder({{"r1", 4, 4}, {"r0", 0, 4}, {"flag", 8, 1}}); }

TEST(Builder, LaysTemporariesAfterTheSlotsOnAnEightByteBoundary) {
  Builder b = two_registers();
  b.begin_block(0, 4);
  EXPECT_EQ(b.temporary(Type::i8), Operand::state(16));
  EXPECT_EQ(b.temporary(Type::f32), Operand::state(20));
  EXPECT_EQ(b.temporary(Type::i16, 3), Operand::state(24));
  EXPECT_EQ(b.temporary(Type::f64), Operand::state(32));
  b.end();
  b.end_block();
  b.begin_block(4, 4);
  EXPECT_EQ(b.temporary(Type::i64), Operand::state(16)) << "a new block starts with fresh scratch";
  b.end();
  b.end_block();
  const Program program = b.finish(0);
  EXPECT_EQ(program.temporary_byte, 16u);
  EXPECT_EQ(program.state_bytes, 40u);
  EXPECT_EQ(program.slots.front().name, "r0") << "slots are sorted by byte";
}

TEST(Builder, StoresEachConstantOnceAndAligned) {
  Builder b = two_registers();
  const Operand byte = b.constant_u8(0xFF);
  const Operand word = b.constant_u32(0x3F800000);
  EXPECT_EQ(byte, Operand::constant(0));
  EXPECT_EQ(word, Operand::constant(4));
  EXPECT_EQ(b.constant_f32(1.0f), word);
  EXPECT_EQ(b.constant(Type::f32, 0x3F800000), word);
  EXPECT_EQ(b.constant(Type::i8, 0x12FF), byte) << "only the bits of the type count";
  EXPECT_EQ(b.constant_u64(0x3F800000), Operand::constant(8)) << "another width is another constant";
  EXPECT_EQ(b.constant_u16(0x1234), Operand::constant(16));
  b.begin_block(0, 4);
  b.end();
  b.end_block();
  EXPECT_THAT(b.finish(0).constants,
              ElementsAre(0xFF, 0, 0, 0, 0, 0, 0x80, 0x3F, 0, 0, 0x80, 0x3F, 0, 0, 0, 0, 0x34, 0x12));
}

TEST(Builder, ResolvesBranchesInBothDirections) {
  Builder b = two_registers();
  b.begin_block(0x10, 8);
  b.branch_if(Operand::state(0), 0x18);
  b.branch(0x10);
  b.end_block();
  b.begin_block(0x18, 8);
  b.end();
  b.end_block();
  const Program program = b.finish(0x10);
  ASSERT_EQ(program.blocks.size(), 2u);
  EXPECT_EQ(program.operations[0].extra, 1u);
  EXPECT_EQ(program.operations[1].extra, 0u);
  EXPECT_EQ(program.blocks[0].next, std::nullopt) << "nothing falls through an unconditional branch";
  EXPECT_EQ(program.blocks[1].next, std::nullopt);
}

TEST(Builder, ContinuesAfterADepartureWithACondition) {
  Builder b = two_registers();
  b.begin_block(0, 4);
  b.trap_if(Operand::state(0), "first");
  b.end_if(Operand::state(4));
  b.end_block();
  b.begin_block(4, 4);
  b.end();
  b.end_block();
  const Program program = b.finish(0);
  EXPECT_EQ(program.blocks[0].next, 1u);
  EXPECT_EQ(program.blocks[1].next, std::nullopt);
  EXPECT_EQ(program.operations[0].src[0], Operand::state(0));
  EXPECT_EQ(program.operations[1].src[0], Operand::state(4));
  EXPECT_TRUE(program.operations[2].src[0].is_none());
}

TEST(Builder, FallsThroughToTheNextWordUnlessToldOtherwise) {
  Builder b = two_registers();
  b.begin_block(0, 4);
  b.discard_if(Operand::state(0));
  b.end_block();
  b.begin_block(4, 4);
  b.end_block(0);
  b.begin_block(8, 4);
  b.end_block(std::nullopt);
  const Program program = b.finish(4);
  EXPECT_EQ(program.blocks[0].next, 1u);
  EXPECT_EQ(program.blocks[1].next, 0u);
  EXPECT_EQ(program.blocks[2].next, std::nullopt);
  EXPECT_EQ(program.entry, 1u);
}

TEST(Builder, SortsBlocksWithTheirOperationsAndNotes) {
  Builder b = two_registers();
  b.begin_block(0x20, 8);
  b.note(Status::inferred, "second");
  b.note(Status::inferred, "third");
  b.rests_on(Status::seed);
  b.emit(Op::iadd, Type::i32, Operand::state(0), Operand::state(0), Operand::state(4));
  b.branch(0x0);
  b.end_block();
  b.begin_block(0x0, 8);
  b.note(Status::unknown, "first");
  b.end_block(0x20);
  const Program program = b.finish(0x0);
  ASSERT_EQ(program.blocks.size(), 2u);
  EXPECT_EQ(program.blocks[0].address, 0u);
  EXPECT_EQ(program.blocks[0].count, 0u);
  EXPECT_EQ(program.blocks[0].next, 1u);
  EXPECT_EQ(program.blocks[0].fidelity, Status::unknown);
  EXPECT_EQ(program.blocks[1].first, 0u);
  EXPECT_EQ(program.blocks[1].count, 2u);
  EXPECT_EQ(program.blocks[1].fidelity, Status::inferred);
  EXPECT_EQ(program.operations[1].extra, 0u);
  ASSERT_EQ(program.notes.size(), 3u);
  EXPECT_EQ(program.notes[0].block, 0u);
  EXPECT_EQ(program.notes[0].text, "first");
  EXPECT_EQ(program.notes[1].block, 1u);
  EXPECT_EQ(program.notes[1].text, "second");
  EXPECT_EQ(program.notes[2].text, "third");
}

TEST(Builder, TrapsWhereAnAddressHasNoInstruction) {
  Builder b = two_registers();
  b.begin_block(0x0, 8);
  b.branch_if(Operand::state(0), 0x4);
  b.branch_if(Operand::state(0), 0x40);
  b.end_block();
  b.begin_block(0x8, 8);
  b.end_block();
  const Program program = b.finish(0x100);
  ASSERT_EQ(program.blocks.size(), 6u);
  EXPECT_EQ(program.operations[0].extra, 1u);
  EXPECT_EQ(program.operations[1].extra, *program.block_at(0x40));
  EXPECT_EQ(program.blocks[0].next, *program.block_at(0x8));
  EXPECT_EQ(program.blocks[2].next, *program.block_at(0x10));
  EXPECT_EQ(program.entry, *program.block_at(0x100));
  for (const std::uint64_t address : {0x4, 0x10, 0x40, 0x100}) {
    const Block& block = program.blocks[*program.block_at(address)];
    EXPECT_EQ(block.bytes, 0u);
    ASSERT_EQ(block.count, 1u);
    EXPECT_EQ(program.operations[block.first].op, Op::trap);
    EXPECT_EQ(block.next, std::nullopt);
  }
  EXPECT_EQ(program.trap_reasons[program.operations[program.blocks[1].first].extra], "there is no instruction at 0x4");
}

TEST(Builder, GivesAnEmptyProgramAnEntryThatTraps) {
  const Program program = two_registers().finish(0);
  ASSERT_EQ(program.blocks.size(), 1u);
  EXPECT_EQ(program.operations[0].op, Op::trap);
}

TEST(Builder, StoresEqualTrapReasonsOnce) {
  Builder b = two_registers();
  for (std::uint64_t address = 0; address < 3; ++address) {
    b.begin_block(address, 1);
    b.trap(address == 1 ? "odd" : "even");
    b.end_block();
  }
  const Program program = b.finish(0);
  EXPECT_THAT(program.trap_reasons, ElementsAre("even", "odd"));
  EXPECT_EQ(program.operations[2].extra, 0u);
}

TEST(Builder, FillsOperations) {
  Builder b = two_registers();
  b.begin_block(0, 4);
  const Operand r0 = Operand::state(0), r1 = Operand::state(4);
  const Operand sum = b.ternary(Op::ffma, Type::f32, r0, r1, r0, Round::up);
  const Operand half = b.convert(Op::f2f, Type::f16, Type::f32, sum, Round::zero);
  EXPECT_EQ(half, Operand::state(20));
  b.texture({.result = Texture::Result::u32, .coordinate = {r0, r1}}, b.temporary(Type::i32, 4));
  b.call({.service = Service::store_memory, .type = Type::i8, .data = r0, .args = {r1}});
  EXPECT_EQ(b.block_operations(), 4u);
  b.end();
  b.end_block();
  const Program program = b.finish(0);
  const Operation& fma = program.operations[0];
  EXPECT_EQ(fma.type, Type::f32);
  EXPECT_EQ(fma.from, Type::f32);
  EXPECT_EQ(fma.round, Round::up);
  EXPECT_THAT(fma.src, ElementsAre(r0, r1, r0));
  const Operation& narrow = program.operations[1];
  EXPECT_EQ(narrow.type, Type::f16);
  EXPECT_EQ(narrow.from, Type::f32);
  EXPECT_THAT(narrow.src, ElementsAre(sum, Operand(), Operand()));
  EXPECT_EQ(program.operations[2].extra, 0u);
  EXPECT_EQ(program.operations[3].extra, 1u);
  EXPECT_EQ(program.calls[0].count, 4u);
  EXPECT_EQ(program.calls[0].type, Type::i32);
  EXPECT_EQ(program.calls[0].flags, CallFlags::is_unsigned);
  EXPECT_EQ(program.calls[1].index, 0u);
  EXPECT_EQ(program.textures.size(), 1u);
}

}  // namespace
}  // namespace mobula::ir
