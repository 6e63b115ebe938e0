#include "machines/midgard/spec/operands.h"

#include <gtest/gtest.h>

#include "machines/midgard/build.h"

namespace mobula::midgard {
namespace {

using namespace build;

Bytes reads(Unit unit, const Vector& op, unsigned number) { return source_bytes(alu(unit, op), number).bytes; }
Bytes reads(const Scalar& op, unsigned number) { return source_bytes(alu(Unit::smul, op), number).bytes; }
Bytes writes(const Vector& op) { return destination_bytes(alu(Unit::vmul, op)).bytes; }
Bytes writes(const Scalar& op) { return destination_bytes(alu(Unit::smul, op)).bytes; }

TEST(Operands, VectorDestinationsFollowMaskAndShrink) {
  EXPECT_EQ(writes(Vector{}), 0xFFFF);
  EXPECT_EQ(writes(Vector{.mask = 0x0C}), 0x00F0);
  EXPECT_EQ(writes(Vector{.mode = 1, .mask = 0x81}), 0xC003);
  EXPECT_EQ(writes(Vector{.opcode = imov, .mode = 0, .mask = 0x81}), 0xC003);  // a mask bit is a pair of 8-bit lanes
  EXPECT_EQ(writes(Vector{.opcode = imov, .mode = 3, .mask = 0xF0}), 0xFF00);
  EXPECT_EQ(writes(Vector{.shrink = 0, .mask = 0xC3}), 0x00C3);
  EXPECT_EQ(writes(Vector{.shrink = 1, .mask = 0xC3}), 0xC300);
  EXPECT_EQ(writes(Vector{.opcode = imov, .mode = 3, .shrink = 1, .mask = 0x0F}), 0x0F00);
  EXPECT_EQ(destination_bytes(alu(Unit::vmul, Vector{.dst = 9})).reg, 9);
}

TEST(Operands, VectorSourcesFollowSwizzleAndExpand) {
  EXPECT_EQ(reads(Unit::vmul, {.swizzle1 = 0xFF}, 1), 0xF000);
  EXPECT_EQ(reads(Unit::vmul, {.swizzle1 = 0xE4, .mask = 0x0C}, 1), 0x00F0);
  EXPECT_EQ(reads(Unit::vmul, {.expand1 = 5}, 1), 0xFF00);
  EXPECT_EQ(reads(Unit::vmul, {.mode = 1, .expand2 = 2}, 2), 0xFF00);
  EXPECT_EQ(reads(Unit::vmul, {.opcode = iadd, .mode = 1, .expand1 = 4}, 1), 0x00FF);
  EXPECT_EQ(reads(Unit::vmul, {.opcode = iadd, .mode = 3, .swizzle1 = 0xEE, .mask = 0x0F}, 1), 0xFF00);
  EXPECT_EQ(reads(Unit::vmul, {.opcode = iadd, .mode = 3, .expand1 = 5, .swizzle1 = 0x44, .mask = 0x0F}, 1), 0x0F00);
}

TEST(Operands, ScalarOperandsAreHalvesOrWords) {
  EXPECT_EQ(writes(Scalar{.component = 6}), 0xF000);
  EXPECT_EQ(writes(Scalar{.component = 5, .full = false}), 0x0C00);
  EXPECT_EQ(reads(Scalar{.component1 = 2}, 1), 0x00F0);
  EXPECT_EQ(reads(Scalar{.component2 = 7, .full2 = false}, 2), 0xC000);
}

TEST(Operands, SomeOperationsReadOtherLanesThanTheyWrite) {
  EXPECT_EQ(reads(Unit::vmul, {.opcode = fdot3, .mask = 0x03}, 1), 0x0FFF);
  EXPECT_EQ(reads(Unit::vmul, {.opcode = 0x3E, .mask = 0x0C}, 2), 0xFFFF);  // fdot4
  EXPECT_EQ(reads(Unit::vlut, {.opcode = 0x38, .mask = 0xC0}, 1), 0x00FF);  // ffma: a.x * a.y + b.x
  EXPECT_EQ(reads(Unit::vlut, {.opcode = 0x38, .mask = 0xC0}, 2), 0x000F);
  EXPECT_EQ(reads(Unit::vadd, {.opcode = 0x7E, .mask = 0x03}, 1), 0xFFFF);  // ichoose: a[b[i]]
  EXPECT_EQ(reads(Unit::vadd, {.opcode = 0x7E, .mask = 0x03}, 2), 0x000F);
}

TEST(Operands, UnusedSourcesAndInlineConstantsReadNothing) {
  EXPECT_EQ(reads(Unit::vmul, {.opcode = imov}, 1), 0);
  EXPECT_EQ(reads(Unit::vmul, {.opcode = imov}, 2), 0xFFFF);
  EXPECT_EQ(reads(Unit::vlut, {.opcode = frcp, .mask = 3}, 2), 0);
  EXPECT_EQ(reads(Unit::vmul, {.constant = 0x3C00}, 2), 0);
  EXPECT_TRUE(uses_source(0x00, 1) && uses_source(0x00, 2)) << "unassigned operations use both";
}

}  // namespace
}  // namespace mobula::midgard
