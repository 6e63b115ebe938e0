#include "mobula/isa/live.h"

#include <gmock/gmock.h>

#include "ir/builder.h"

namespace mobula::ir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Operand at(std::uint32_t byte) { return Operand::state(byte); }

/// r0.x to r0.w, r1.x and a result on its way.
Builder builder() {
  return Builder({{"r0.x", 0, 4}, {"r0.y", 4, 4}, {"r0.z", 8, 4}, {"r0.w", 12, 4}, {"r1.x", 16, 4}, {"m0@3", 20, 4}});
}

std::vector<std::string> live_after(const Program& program, std::uint32_t block) {
  return names_of(program, live_words(program)->at(block).live);
}

TEST(Live, UntilTheLastReadOnAnyPath) {
  Builder b = builder();
  b.begin_block(0, 16);
  b.emit(Op::mov, Type::i32, at(0), b.constant_u32(1));
  b.emit(Op::mov, Type::i32, at(4), b.constant_u32(2));
  b.end_block(16);
  b.begin_block(16, 16);
  b.emit(Op::iadd, Type::i32, at(16), at(0), b.constant_u32(1));
  b.branch_if(at(16), 48);
  b.end_block(32);
  b.begin_block(32, 16);
  b.emit(Op::mov, Type::i32, at(4), at(16));
  b.end_block(std::nullopt);
  b.begin_block(48, 16);
  b.emit(Op::iadd, Type::i32, at(0), at(4), at(4));
  b.end_block(std::nullopt);
  const Program program = b.finish(0);
  EXPECT_THAT(live_after(program, 0), ElementsAre("r0.xy"));
  EXPECT_THAT(live_after(program, 1), ElementsAre("r0.y", "r1.x"));
  EXPECT_THAT(live_after(program, 2), IsEmpty()) << "nothing is read after the end";
  const std::vector<LiveWord> words = *live_words(program);
  EXPECT_THAT(names_of(program, words[3].effects.reads), ElementsAre("r0.y"));
  EXPECT_THAT(live_ranges(program, words),
              ElementsAre(LiveRange{"r0.x", 0, 0}, LiveRange{"r0.y", 0, 16}, LiveRange{"r1.x", 16, 16}));
}

TEST(Live, AroundALoop) {
  Builder b = builder();
  b.begin_block(0, 16);
  b.emit(Op::iadd, Type::i32, at(0), at(0), at(4));
  b.branch_if(at(0), 0);
  b.end_block(16);
  b.begin_block(16, 16);
  b.emit(Op::mov, Type::i32, at(0), b.constant_u32(0));
  b.end_block(std::nullopt);
  const Program program = b.finish(0);
  EXPECT_THAT(live_after(program, 0), ElementsAre("r0.xy"));
  EXPECT_THAT(live_after(program, 1), IsEmpty());
}

TEST(Live, PressureIsBySlotAndByRegister) {
  const Program program = [] {
    Builder b = builder();
    b.begin_block(0, 16);
    b.emit(Op::mov, Type::i32, at(0), b.constant_u32(0));
    b.end_block(std::nullopt);
    return b.finish(0);
  }();
  const std::vector<ByteRange> ranges{{0, 8}, {14, 10}};
  EXPECT_THAT(names_of(program, ranges), ElementsAre("r0.xyw", "r1.x", "m0@3"));
  EXPECT_THAT(pressure(program, ranges),
              ElementsAre(testing::Pair("@", Pressure{1, 1}), testing::Pair("r", Pressure{4, 2})));
}

}  // namespace
}  // namespace mobula::ir
