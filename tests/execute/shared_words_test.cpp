#include "execute/shared_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "execute/four_words.h"
#include "ir/builder.h"

namespace mobula {
namespace {

using ir::Builder;
using ir::Op;
using ir::Type;
using testing::ElementsAre;

/// Of lanes that start with an `a` of their own.
SharedWords find(const ir::Program& program, LaneAccess access = LaneAccess::by_vector_alone) {
  std::vector<bool> differs((program.state_bytes + 3) / 4);
  differs[0] = true;
  return find_shared_words(program, {.access = [=](const ir::Operation&) { return access; },
                                     .gives_same = [](const ir::Call&) { return true; },
                                     .differs_at_start = differs});
}

TEST(SharedWords, ComeOfSharedWords) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::iadd, Type::i32, b, builder.constant_u32(1), c);
  builder.emit(Op::iadd, Type::i32, d, b, a);
  builder.emit(Op::iadd, Type::i32, c, d, b);
  builder.end_block(std::nullopt);
  const SharedWords found = find(builder.finish(0));
  EXPECT_TRUE(found.operations[0].is_shared);
  EXPECT_EQ(found.operations[0].rows, 3u);
  EXPECT_FALSE(found.operations[1].is_shared);
  EXPECT_EQ(found.operations[1].rows, 1u);
  EXPECT_FALSE(found.operations[2].is_shared);
  EXPECT_EQ(found.operations[2].rows, 2u);
  EXPECT_THAT(found.blocks[0].rows, ElementsAre(1));
}

TEST(SharedWords, AreSpreadWhereTheResultOfLanesTakesTheirPlace) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::mov, Type::i32, b, builder.constant_u32(1));
  builder.emit(Op::iadd, Type::i32, b, a, b);  // the second vector of lanes would read what the first one wrote
  builder.end_block(std::nullopt);
  const SharedWords found = find(builder.finish(0));
  EXPECT_EQ(found.operations[1].rows, 0u);
  EXPECT_THAT(found.operations[1].spread, ElementsAre(1));
}

TEST(SharedWords, AreSpreadForWhatReadsLaneByLane) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::mov, Type::i32, b, builder.constant_u32(1));
  builder.emit(Op::isub, Type::i32, c, b, b);
  builder.end_block(std::nullopt);
  const ir::Program program = builder.finish(0);
  const SharedWords found =
      find_shared_words(program, {.access =
                                      [](const ir::Operation& each) {
                                        return each.op == Op::mov ? LaneAccess::by_vector_alone : LaneAccess::by_lane;
                                      },
                                  .gives_same = [](const ir::Call&) { return false; },
                                  .differs_at_start = std::vector<bool>(4)});
  EXPECT_THAT(found.operations[1].spread, ElementsAre(1));
  EXPECT_EQ(found.operations[1].rows, 0u);
  EXPECT_FALSE(found.operations[1].is_shared);
}

TEST(SharedWords, StayPlanesWhereOnlyAPartIsWritten) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::mov, Type::i16, a, builder.constant_u32(1));  // the other half is each lane's own
  builder.emit(Op::mov, Type::i16, b, builder.constant_u32(1));
  builder.emit(Op::mov, Type::i16, b, a);
  builder.end_block(std::nullopt);
  const SharedWords found = find(builder.finish(0));
  EXPECT_FALSE(found.operations[0].is_shared);
  EXPECT_TRUE(found.operations[1].is_shared);
  EXPECT_FALSE(found.operations[2].is_shared);
  EXPECT_THAT(found.operations[2].spread, ElementsAre(1)) << "half of the row stays";
}

TEST(SharedWords, AreSpreadWhereTheyMeetWordsOfLanes) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::mov, Type::i32, c, a);
  builder.branch_if(a, 32);
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::mov, Type::i32, c, builder.constant_u32(1));
  builder.emit(Op::mov, Type::i32, d, builder.constant_u32(1));
  builder.end_block();
  builder.begin_block(32, 16);  // c is the lane's own on one way, d is shared on both
  builder.emit(Op::iadd, Type::i32, b, c, d);
  builder.end_block(std::nullopt);
  const SharedWords found = find(builder.finish(0));
  EXPECT_THAT(found.blocks[1].spread, ElementsAre(2));
  EXPECT_THAT(found.blocks[1].rows, ElementsAre(3));
  EXPECT_EQ(found.operations.back().rows, 2u);
}

TEST(SharedWords, OfALoopAreThoseThatStaySharedInIt) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::mov, Type::i32, b, builder.constant_u32(0));
  builder.emit(Op::mov, Type::i32, c, builder.constant_u32(0));
  builder.end_block();
  builder.begin_block(16, 16);
  builder.emit(Op::iadd, Type::i32, b, b, builder.constant_u32(1));
  builder.emit(Op::iadd, Type::i32, c, c, a);
  builder.branch_if(b, 16);
  builder.end_block(std::nullopt);
  const SharedWords found = find(builder.finish(0));
  EXPECT_THAT(found.blocks[0].rows, ElementsAre(1));
  EXPECT_THAT(found.blocks[0].spread, ElementsAre(2)) << "the loop adds to c in each lane";
  EXPECT_TRUE(found.operations[2].is_shared);
  EXPECT_FALSE(found.operations[3].is_shared);
}

TEST(SharedWords, AreNotMadeWhereSomeLanesAreLeftOut) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.emit(Op::mov, Type::i32, b, builder.constant_u32(0));
  builder.emit(Op::enable, Type::i32, {}, a);
  builder.emit(Op::mov, Type::i32, b, builder.constant_u32(1));
  builder.emit(Op::enable, Type::i32, {});
  builder.end_block(std::nullopt);
  const SharedWords found = find(builder.finish(0));
  EXPECT_FALSE(found.operations[2].is_shared);
  EXPECT_THAT(found.operations[2].spread, ElementsAre(1));
}

TEST(SharedWords, AreNotLookedForWhereControlGoesAnywhere) {
  Builder builder = new_builder();
  builder.begin_block(0, 16);
  builder.branch_indirect(a);
  builder.end_block(std::nullopt);
  EXPECT_FALSE(find(builder.finish(0)).is_found());
}

}  // namespace
}  // namespace mobula
