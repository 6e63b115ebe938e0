#include "execute/first_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "execute/four_words.h"
#include "ir/builder.h"

namespace mobula {
namespace {

using ir::Builder;
using ir::Op;
using ir::Operand;
using ir::Type;
using testing::ElementsAre;

/// Of a, b, c, d.
std::vector<bool> read_first(const ir::Program& program) {
  auto words = find_state_use(program).read_first;
  words.resize(4);
  return words;
}

TEST(FirstReads, AreThoseBeforeAWriteOfTheWholeWord) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::mov, Type::i32, b, a);  // reads a
  builder.emit(Op::mov, Type::i32, c, b);  // b is written by now
  builder.emit(Op::mov, Type::i16, d, a);  // half of d
  builder.emit(Op::mov, Type::i32, c, d);  // reads the other half
  builder.end_block(std::nullopt);
  EXPECT_THAT(read_first(builder.finish(0)), ElementsAre(true, false, false, true));
}

TEST(FirstReads, FollowEveryPath) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.branch_if(builder.constant_u32(1), 32);
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::mov, Type::i32, b, builder.constant_u32(1));
  builder.emit(Op::mov, Type::i32, c, builder.constant_u32(1));
  builder.end_block();
  builder.begin_block(32, 16);  // b is written on one of two paths
  builder.emit(Op::iadd, Type::i32, d, b, b);
  builder.end_block(std::nullopt);
  const ir::Program program = builder.finish(0);
  EXPECT_THAT(read_first(program), ElementsAre(false, true, false, false));
  EXPECT_TRUE(find_state_use(program).written[1]);
  EXPECT_FALSE(find_state_use(program).written[0]);
}

TEST(FirstReads, AreAllReadsBeforeAJumpToAComputedAddress) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.branch_indirect(a);
  builder.end_block(std::nullopt);
  builder.begin_block(16, 16);
  builder.emit(Op::mov, Type::i32, d, c);
  builder.end_block(std::nullopt);
  EXPECT_THAT(read_first(builder.finish(0)), ElementsAre(true, false, true, false));
}

TEST(FirstReads, KnowThatMaskedWritesKeepOldValues) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit({.op = Op::enable, .type = Type::i32, .src = {a}});
  builder.emit(Op::mov, Type::i32, b, builder.constant_u32(1));
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::mov, Type::i32, c, b);
  builder.end_block(std::nullopt);
  EXPECT_THAT(read_first(builder.finish(0)), ElementsAre(true, true, false, false));
}

}  // namespace
}  // namespace mobula
