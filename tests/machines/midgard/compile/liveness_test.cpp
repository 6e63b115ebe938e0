#include "machines/midgard/compile/liveness.h"

#include <bit>
#include <random>

#include "machines/midgard/compile/spill.h"
#include "machines/midgard/compile/words.h"

namespace mobula::test {
namespace {

using midgard_compiler::Code;
using midgard_compiler::Ranges;
using midgard_compiler::Source;
using midgard_compiler::Value;
using MachineInstruction = midgard_compiler::Instruction;

/// Code that is made by hand.
struct Builder {
  Code code;

  Value value(std::uint8_t components = 1) { return code.add({.components = components}); }
  static Source of(Value value, std::array<std::uint8_t, 4> component = {0, 1, 2, 3}) {
    Source source;
    source.kind = Source::Kind::value;
    source.number = value;
    source.component = component;
    return source;
  }
  void block(std::vector<std::uint32_t> successors) {
    code.blocks.emplace_back();
    code.blocks.back().successors = std::move(successors);
  }
  void move(Value to, std::uint8_t mask, const Source& from) {
    MachineInstruction each;
    each.op = midgard_compiler::alu_row("imov");
    each.outmod = static_cast<std::uint8_t>(midgard::IntOutmod::keeplo);
    each.result = to;
    each.mask = mask;
    each.sources[1] = from;
    code.blocks.back().code.push_back(each);
  }
  void add(Value to, std::uint8_t mask, const Source& a, const Source& b) {
    MachineInstruction each;
    each.op = midgard_compiler::alu_row("fadd");
    each.result = to;
    each.mask = mask;
    each.sources = {a, b, {}};
    code.blocks.back().code.push_back(each);
  }
  void write(Value colour) {
    MachineInstruction each;
    each.kind = MachineInstruction::Kind::writeout;
    each.sources[0] = of(colour);
    code.blocks.back().code.push_back(each);
  }
};

/// Which places between 0 and 64 are in them.
std::uint64_t places_of(const Ranges& ranges) {
  std::uint64_t places = 0;
  ranges.all([&](std::uint32_t start, std::uint32_t end) {
    for (std::uint32_t at = start; at < end; ++at) places |= std::uint64_t{1} << at;
    return true;
  });
  return places;
}

TEST(MidgardLiveness, RangesAreSetsOfPlaces) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 2'000; ++round) {
    std::array<Ranges, 2> both;
    for (Ranges& each : both)
      for (auto end = static_cast<std::uint32_t>(random() % 64); end > 8; end -= 1 + random() % 7)
        each.add_before(end - 1 - random() % 4, end);
    const std::uint64_t one = places_of(both[0]), other = places_of(both[1]);
    EXPECT_EQ(both[0].overlaps(both[1]), (one & other) != 0);
    both[0].unite(std::move(both[1]));
    EXPECT_EQ(places_of(both[0]), one | other);
    std::uint64_t stretches = 0;
    both[0].all([&](std::uint32_t, std::uint32_t) { return ++stretches != 0; });
    const std::uint64_t united = one | other;
    EXPECT_EQ(stretches, static_cast<std::uint64_t>(std::popcount(united & ~(united << 1U)))) << "they do not touch";
  }
}

TEST(MidgardLiveness, RangesAreUnitedAndCompared) {
  Ranges one, other, third;
  one.add_before(10, 12);
  one.add_before(2, 4);
  other.add_before(4, 10);
  third.add_before(11, 20);
  EXPECT_EQ(one.start(), 2U);
  EXPECT_EQ(one.end(), 12U);
  EXPECT_EQ(one.length(), 4U);
  EXPECT_FALSE(one.overlaps(other)) << "they only touch";
  EXPECT_TRUE(one.overlaps(third));
  EXPECT_FALSE(other.overlaps(third));
  one.unite(std::move(other));
  EXPECT_EQ(one.length(), 10U);
  EXPECT_TRUE(one.overlaps(third));
  EXPECT_TRUE(one.all([](std::uint32_t start, std::uint32_t end) { return start < end; }));
  EXPECT_TRUE(Ranges().empty());
  EXPECT_FALSE(Ranges().overlaps(one));
}

TEST(MidgardLiveness, WhatALoopReadsIsAliveAllAroundIt) {
  Builder made;
  const Value before = made.value(4), turned = made.value(4), inside = made.value(4);
  made.block({1});
  made.move(before, 15, Source{.kind = Source::Kind::constant});
  made.move(turned, 15, Source{.kind = Source::Kind::constant});
  made.block({1, 2});
  made.add(inside, 15, Builder::of(turned), Builder::of(before, {0, 0, 1, 1}));
  made.move(turned, 15, Builder::of(inside));
  made.block({});
  made.write(turned);
  const auto found = midgard_compiler::find_liveness(made.code);
  const auto alive = [](const std::vector<midgard_compiler::Alive>& all, Value value) {
    const auto each = std::ranges::find(all, value, &midgard_compiler::Alive::value);
    return each == all.end() ? 0 : int{each->components};
  };
  EXPECT_EQ(alive(found.in[1], before), 3) << "two components are read";
  EXPECT_EQ(alive(found.out[1], before), 3) << "the next turn reads them again";
  EXPECT_EQ(alive(found.out[1], turned), 15);
  EXPECT_EQ(alive(found.in[2], before), 0);
  EXPECT_EQ(alive(found.in[1], inside), 0) << "each turn makes it anew";
  EXPECT_EQ(alive(found.in[0], before), 0);
}

TEST(MidgardLiveness, UnusedComponentsGo) {
  Builder made;
  const Value read = made.value(4), unread = made.value(4), colour = made.value(4);
  made.block({});
  made.move(read, 15, Source{.kind = Source::Kind::constant});
  made.add(unread, 15, Builder::of(read, {3, 3, 3, 3}), Builder::of(read, {3, 3, 3, 3}));
  made.move(colour, 15, Builder::of(read, {1, 1, 0, 1}));
  made.write(colour);
  midgard_compiler::drop_unused(made.code);
  ASSERT_EQ(made.code.blocks[0].code.size(), 3U);
  EXPECT_EQ(made.code.blocks[0].code[0].mask, 3);
  EXPECT_EQ(made.code.blocks[0].code[1].result, colour);
}

TEST(MidgardCoalesce, CopiesBecomeOneUnlessBothAreAliveAndDiffer) {
  for (const bool differs : {false, true}) {
    Builder made;
    const Value first = made.value(4), copy = made.value(4), sum = made.value(4);
    made.block({});
    made.move(first, 15, Source{.kind = Source::Kind::constant});
    made.move(copy, 15, Builder::of(first));
    made.add(copy, 15, Builder::of(copy), Builder::of(copy));
    made.add(sum, 15, Builder::of(differs ? first : copy), Builder::of(copy));
    made.write(sum);
    midgard_compiler::coalesce(made.code, true);
    const Value made_first = made.code.blocks[0].code.front().result;
    const auto& code = made.code.blocks[0].code;
    const auto& last = code[code.size() - 2];
    EXPECT_EQ(last.sources[1].number == made_first, !differs);
  }
}

TEST(MidgardSpill, WritesAfterWhatMakesItAndReadsBeforeWhatReadsIt) {
  Builder made;
  const Value first = made.value(4), kept = made.value(4), sum = made.value(4);
  made.block({1});
  made.move(first, 15, Source{.kind = Source::Kind::constant});
  made.add(kept, 15, Builder::of(first), Builder::of(first));
  made.block({});
  made.add(sum, 15, Builder::of(kept), Builder::of(kept));
  made.write(sum);
  midgard_compiler::spill(made.code, std::array{kept}, 32);
  const auto stores = [](const midgard_compiler::Block& block) {
    return std::ranges::count_if(block.code, [](const MachineInstruction& each) { return each.is_store; });
  };
  const auto loads = [](const midgard_compiler::Block& block) {
    return std::ranges::count_if(block.code, [](const MachineInstruction& each) {
      return each.kind == MachineInstruction::Kind::load_store && !each.is_store;
    });
  };
  EXPECT_EQ(stores(made.code.blocks[0]), 1);
  EXPECT_EQ(loads(made.code.blocks[0]), 0);
  EXPECT_EQ(stores(made.code.blocks[1]), 0);
  EXPECT_GE(loads(made.code.blocks[1]), 1);
  for (const MachineInstruction& each : made.code.blocks[1].code)
    if (each.kind == MachineInstruction::Kind::alu) {
      EXPECT_NE(each.sources[0].number, kept);
    }
}

/// Alive all at once: each is read only after all of them are made, in another order.
std::string many_alive(unsigned count) {
  std::string text = "#version 310 es\nprecision highp float; in vec4 a, b; uniform int n; out vec4 o; void main() {\n";
  for (unsigned i = 0; i < count; ++i)
    text += "vec4 v" + std::to_string(i) + " = sin(a * " + std::to_string(i + 1) + ".0 + b.yzwx);\n";
  text += "vec4 s = vec4(0.0);\nfor (int i = 0; i < (n & 3); ++i) {\n";
  for (unsigned i = 0; i < count; ++i) text += "s = s * 0.75 + v" + std::to_string((i * 7) % count) + ";\n";
  return text + "} o = s; }";
}

TEST(MidgardSpill, MoreValuesThanRegistersAreInTheThreadsMemory) {
  const Attempt few = verified(many_alive(6));
  EXPECT_EQ(few.program.interface.thread_local_bytes.value_or(0), 0U);
  for (const unsigned count : {20U, 30U}) {
    const Attempt many = verified(many_alive(count));
    const std::uint32_t bytes = many.program.interface.thread_local_bytes.value_or(0);
    EXPECT_GE(bytes, 16 * (count - 16)) << "sixteen registers hold no more";
    EXPECT_LE(bytes, 16 * 2 * count) << "each is written once, and few of their components apart";
    EXPECT_EQ(bytes % 16, 0U);
    EXPECT_LE(*many.program.interface.work_registers, 16U);
  }
}

TEST(MidgardSpill, UniformsAreFetchedAgainInstead) {
  std::string text =
      "#version 310 es\nprecision highp float; in vec4 a; uniform vec4 u[60]; out vec4 o; void main() {\n";
  text += "vec4 s = a;\n";
  for (const unsigned step : {1U, 7U, 13U})
    for (unsigned i = 0; i < 60; ++i) text += "s = s.yzwx * 0.5 + u[" + std::to_string(i * step % 60) + "];\n";
  const Attempt made = verified(text + "o = s; }");
  EXPECT_EQ(made.program.interface.thread_local_bytes.value_or(0), 0U);
  EXPECT_GT(Words(made).count_memory("ld_ubo_128"), 60U) << "registers do not hold them all";
}

}  // namespace
}  // namespace mobula::test
