#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/builder.h"
#include "mobula/isa/ir.h"

namespace mobula::ir {

void PrintTo(const ByteRange& range, std::ostream* out) { *out << range.byte << "+" << range.bytes; }

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class EffectsTest : public testing::Test {
 protected:
  template <class Emit>
  Effects of(Emit emit) {
    Builder b({{"r", 0, 64}});
    b.begin_block(0, 16);
    emit(b);
    b.end_block(std::nullopt);
    return effects(b.finish(0), 0);
  }
  static Operand at(std::uint32_t byte) { return Operand::state(byte); }
};

TEST_F(EffectsTest, AreExactToTheByte) {
  const Effects found = of([](Builder& b) {
    b.emit(Op::iadd, Type::i8, at(5), at(7), at(9));
    b.emit(Op::iadd, Type::i64, at(16), at(24), b.constant_u64(1));
  });
  EXPECT_THAT(found.reads, ElementsAre(ByteRange{7, 1}, ByteRange{9, 1}, ByteRange{24, 8}));
  EXPECT_THAT(found.writes, ElementsAre(ByteRange{5, 1}, ByteRange{16, 8}));
}

TEST_F(EffectsTest, MergeNeighbours) {
  const Effects found = of([](Builder& b) {
    b.emit(Op::iadd, Type::i32, at(4), at(12), at(8));
    b.emit(Op::mov, Type::i32, at(0), at(12));
  });
  EXPECT_THAT(found.reads, ElementsAre(ByteRange{8, 8}));
  EXPECT_THAT(found.writes, ElementsAre(ByteRange{0, 8}));
}

TEST_F(EffectsTest, AByteWrittenFirstIsNotRead) {
  const Effects found = of([](Builder& b) {
    b.emit(Op::mov, Type::i16, at(2), b.constant_u16(1));
    b.emit(Op::mov, Type::i32, at(8), at(0));
  });
  EXPECT_THAT(found.reads, ElementsAre(ByteRange{0, 2})) << "only the half that was not written";
}

TEST_F(EffectsTest, AnOperationReadsBeforeItWrites) {
  const Effects found = of([](Builder& b) { b.emit(Op::inot, Type::i32, at(0), at(0)); });
  EXPECT_THAT(found.reads, ElementsAre(ByteRange{0, 4}));
  EXPECT_THAT(found.writes, ElementsAre(ByteRange{0, 4}));
}

TEST_F(EffectsTest, ConversionsReadTheWidthTheyConvertFrom) {
  const Effects found = of([](Builder& b) { b.emit_conversion(Op::f2f, Type::f16, Type::f64, at(0), at(8)); });
  EXPECT_THAT(found.reads, ElementsAre(ByteRange{8, 8}));
  EXPECT_THAT(found.writes, ElementsAre(ByteRange{0, 2}));
}

TEST_F(EffectsTest, LeaveOutTemporariesAndConstants) {
  const Effects found = of([](Builder& b) {
    const Operand scratch = b.unary(Op::inot, Type::i32, b.constant_u32(1));
    b.unary(Op::inot, Type::i32, scratch);
  });
  EXPECT_THAT(found.reads, IsEmpty());
  EXPECT_THAT(found.writes, IsEmpty());
}

TEST_F(EffectsTest, WhatIsWrittenInSomeLanesOnlyIsReadToo) {
  const Effects found = of([](Builder& b) {
    b.emit(Op::mov, Type::i32, at(0), b.constant_u32(1));
    b.emit(Op::enable, Type::i32, {}, at(4));
    b.emit(Op::mov, Type::i32, at(0), b.constant_u32(2));
    b.emit(Op::mov, Type::i32, at(8), b.constant_u32(3));
  });
  EXPECT_THAT(found.reads, ElementsAre(ByteRange{4, 8}));
  EXPECT_THAT(found.writes, ElementsAre(ByteRange{0, 4}, ByteRange{8, 4}));
}

TEST_F(EffectsTest, IncludeConditions) {
  const Effects found = of([](Builder& b) {
    b.discard_if(at(4), Type::i16);
    b.branch_if(at(8), 0);
  });
  EXPECT_THAT(found.reads, ElementsAre(ByteRange{4, 2}, ByteRange{8, 4}));
}

TEST_F(EffectsTest, IncludeLoadsAndStores) {
  const Effects load = of([](Builder& b) {
    b.call({.service = Service::load_memory, .type = Type::i16, .count = 3, .data = at(16), .args = {at(16)}});
  });
  EXPECT_THAT(load.reads, ElementsAre(ByteRange{16, 8})) << "the address, before the data replace it";
  EXPECT_THAT(load.writes, ElementsAre(ByteRange{16, 6}));
  const Effects store = of([](Builder& b) {
    b.call({.service = Service::store_memory, .type = Type::i16, .count = 3, .data = at(16), .args = {at(0)}});
  });
  EXPECT_THAT(store.reads, ElementsAre(ByteRange{0, 8}, ByteRange{16, 6}));
  EXPECT_THAT(store.writes, IsEmpty());
}

TEST_F(EffectsTest, IncludeAtomicOperandsOfTheCallsType) {
  const Effects found = of([](Builder& b) {
    const auto index = static_cast<std::uint32_t>(AtomicOp::compare_exchange);
    b.call({.service = Service::atomic,
            .type = Type::i64,
            .index = index,
            .data = at(0),
            .args = {at(8), at(16), at(32)}});
  });
  EXPECT_THAT(found.reads, ElementsAre(ByteRange{8, 16}, ByteRange{32, 8}));
  EXPECT_THAT(found.writes, ElementsAre(ByteRange{0, 8}));
}

TEST_F(EffectsTest, IncludeTheResultOfAWriteout) {
  const Effects found = of([](Builder& b) {
    b.call({.service = Service::fragment_out, .count = 4, .data = at(0), .args = {at(16), {}, at(24), at(32)}});
  });
  EXPECT_THAT(found.reads, ElementsAre(ByteRange{0, 20}, ByteRange{24, 4}));
  EXPECT_THAT(found.writes, ElementsAre(ByteRange{32, 4}));
}

TEST_F(EffectsTest, IncludeEveryTextureOperand) {
  const Effects found = of([](Builder& b) {
    b.texture({.coordinate = {at(0), at(8), {}, at(12)},
               .lod = at(20),
               .offset = {at(28), {}, at(36)},
               .texture = at(44),
               .sampler = at(52)},
              at(0));
  });
  EXPECT_THAT(found.reads, ElementsAre(ByteRange{0, 4}, ByteRange{8, 8}, ByteRange{20, 4}, ByteRange{28, 4},
                                       ByteRange{36, 4}, ByteRange{44, 4}, ByteRange{52, 4}));
  EXPECT_THAT(found.writes, ElementsAre(ByteRange{0, 16}));
}

}  // namespace
}  // namespace mobula::ir
