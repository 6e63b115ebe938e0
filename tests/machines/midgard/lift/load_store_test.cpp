// Every load/store opcode and addressing form (1.5, 2.10, 3.8).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machines/midgard/bundles.h"
#include "machines/midgard/lift_run.h"
#include "machines/midgard/words.h"

namespace mobula::midgard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

constexpr unsigned zero = 7, al0 = 0, al1 = 1, pc_sp = 2, local_storage = 3, local_id = 4, group_id = 5, global_id = 6;
constexpr unsigned u64 = 1, u32 = 2, s32 = 3;

/// Runs a bundle whose memory holds bytes 0 1 2 ... from address 0x100000000 on, AL0.xy pointing there.
LiftRun over_memory(const Ls& instruction, const std::string& variant = {}) {
  LiftRun run(program_of({load_store(instruction)}, variant));
  for (unsigned i = 0; i < 64; ++i) run.environment.memory[0x100000000 + i] = static_cast<std::uint8_t>(i + 0x80);
  run.set4("AL0", {0, 1, 0xFFFFFFFC, 3}).set4("AL1", {0x11223344, 0x55667788, 0x99AABBCC, 0xDDEEFF00});
  return run;
}

// ------------------------------------------------------------------------------------------------ loads

TEST(LiftLoadStore, LoadsOfEverySize) {
  const auto loaded = [](unsigned op) {
    LiftRun run = over_memory({.op = op, .reg = 2, .arg = al0, .toggle = true});
    return run.run().get4("r2");
  };
  EXPECT_THAT(loaded(0x80), ElementsAre(0x80, 0, 0, 0));
  EXPECT_THAT(loaded(0x81), ElementsAre(0xFFFFFF80, 0, 0, 0));
  EXPECT_THAT(loaded(0x84), ElementsAre(0x8180, 0, 0, 0));
  EXPECT_THAT(loaded(0x85), ElementsAre(0xFFFF8180, 0, 0, 0));
  EXPECT_THAT(loaded(0x86), ElementsAre(0x8081, 0, 0, 0));
  EXPECT_THAT(loaded(0x87), ElementsAre(0xFFFF8081, 0, 0, 0));
  EXPECT_THAT(loaded(0x88), ElementsAre(0x83828180, 0, 0, 0));
  EXPECT_THAT(loaded(0x89), ElementsAre(0x82838081, 0, 0, 0));
  EXPECT_THAT(loaded(0x8A), ElementsAre(0x80818283, 0, 0, 0));
  EXPECT_THAT(loaded(0x8C), ElementsAre(0x83828180, 0x87868584, 0, 0));
  EXPECT_THAT(loaded(0x8D), ElementsAre(0x82838081, 0x86878485, 0, 0));
  EXPECT_THAT(loaded(0x8E), ElementsAre(0x80818283, 0x84858687, 0, 0));
  EXPECT_THAT(loaded(0x8F), ElementsAre(0x84858687, 0x80818283, 0, 0));
  EXPECT_THAT(loaded(0x90), ElementsAre(0x83828180, 0x87868584, 0x8B8A8988, 0x8F8E8D8C));
  EXPECT_THAT(loaded(0x91), ElementsAre(0x82838081, 0x86878485, 0x8A8B8889, 0x8E8F8C8D));
  EXPECT_THAT(loaded(0x92), ElementsAre(0x80818283, 0x84858687, 0x88898A8B, 0x8C8D8E8F));
  EXPECT_THAT(loaded(0x93), ElementsAre(0x84858687, 0x80818283, 0x8C8D8E8F, 0x88898A8B));
}

TEST(LiftLoadStore, UniformLoadsOfEverySize) {
  const auto loaded = [](unsigned op) {
    // UBO 0x25 is spread over arg_component, arg, toggle and index_format.
    LiftRun run(
        program_of({load_store({.op = op, .reg = 2, .arg = 1, .arg_component = 1, .toggle = true, .offset = 8 << 2})}));
    run.environment.uniforms[0x25] = bytes_of_words({0, 0, 0x83828180, 0x87868584, 0x8B8A8988, 0x8F8E8D8C});
    EXPECT_EQ(run.run().fault(), "");
    return run.get4("r2");
  };
  EXPECT_EQ(loaded(0xA0)[0], 0x80u);
  EXPECT_EQ(loaded(0xA1)[0], 0xFFFFFF80u);
  EXPECT_EQ(loaded(0xA4)[0], 0x8180u);
  EXPECT_EQ(loaded(0xA5)[0], 0xFFFF8180u);
  EXPECT_EQ(loaded(0xA6)[0], 0x8081u);
  EXPECT_EQ(loaded(0xA7)[0], 0xFFFF8081u);
  EXPECT_THAT(loaded(0xA8), ElementsAre(0x83828180, 0, 0, 0));
  EXPECT_EQ(loaded(0xA9)[0], 0x82838081u);
  EXPECT_EQ(loaded(0xAA)[0], 0x80818283u);
  EXPECT_THAT(loaded(0xAC), ElementsAre(0x83828180, 0x87868584, 0, 0));
  EXPECT_EQ(loaded(0xAD)[1], 0x86878485u);
  EXPECT_EQ(loaded(0xAE)[1], 0x84858687u);
  EXPECT_EQ(loaded(0xAF)[1], 0x80818283u);
  EXPECT_THAT(loaded(0xB0), ElementsAre(0x83828180, 0x87868584, 0x8B8A8988, 0x8F8E8D8C));
  EXPECT_EQ(loaded(0xB1)[3], 0x8E8F8C8Du);
  EXPECT_EQ(loaded(0xB2)[3], 0x8C8D8E8Fu);
  EXPECT_EQ(loaded(0xB3)[3], 0x88898A8Bu);
}

/// 2.10: compilers pass negative indices with a positive displacement.
TEST(LiftLoadStore, UniformOffsetsWrapAtThirtyTwoBits) {
  LiftRun run(program_of({load_store(
      {.op = 0xA8, .reg = 2, .arg = 0, .index = al1, .index_component = 2, .shift = 4, .offset = 0x20 << 2})}));
  run.environment.uniforms[0] = bytes_of_words({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(run.set("AL1.z", 0xFFFFFFFF).run().get("r2.x"), 5u);
}

TEST(LiftLoadStore, UniformBufferNumberFromARegister) {
  LiftRun run(program_of({load_store({.op = 0xA8, .reg = 2, .arg = al0, .arg_component = 3, .offset = 1})}));
  run.environment.uniforms[9] = bytes_of_words({42});
  EXPECT_EQ(run.set("AL0.w", 9).run().get("r2.x"), 42u);
}

TEST(LiftLoadStore, ResultsAreSwizzledUnderTheMask) {
  const auto loaded = [](unsigned mask, unsigned swizzle, unsigned op = 0x90) {
    LiftRun run = over_memory({.op = op, .reg = 2, .mask = mask, .swizzle = swizzle, .arg = al0, .toggle = true});
    return run.set4("r2", {1, 2, 3, 4}).run().get4("r2");
  };
  EXPECT_THAT(loaded(0b0010, xxxx), ElementsAre(1, 0x83828180, 3, 4));
  EXPECT_THAT(loaded(0b1010, 0x1B), ElementsAre(1, 0x8B8A8988, 3, 0x83828180));
  EXPECT_THAT(loaded(0b1100, 0b01'00'00'00), ElementsAre(1, 2, 0x83828180, 0x87868584));
  EXPECT_THAT(loaded(0, xyzw), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(loaded(0b0011, yyyy, 0x88), ElementsAre(0, 0, 3, 4)) << "there is no second word";
}

TEST(LiftLoadStore, LoadsMayFeedOtherPipes) {
  for (const auto& [reg, name] : {std::pair{26u, "AL0.y"}, {27u, "AL1.y"}, {28u, "AT0.y"}, {29u, "AT1.y"}}) {
    EXPECT_EQ(over_memory({.op = 0x90, .reg = reg, .arg = al0, .toggle = true}).run().get(name), 0x87868584u);
  }
  EXPECT_EQ(over_memory({.op = 0x90, .reg = 28, .arg = al0, .toggle = true}, "t720").run().get("AL0.y"), 0x87868584u);
  EXPECT_THAT(over_memory({.op = 0x90, .reg = 30, .arg = al0, .toggle = true}).run().fault(), HasSubstr("writes r30"));
  EXPECT_EQ(over_memory({.op = 0x90, .reg = 24, .arg = al0, .toggle = true}).run().fault(), "") << "no destination";
}

// ------------------------------------------------------------------------------------------------ addresses

TEST(LiftLoadStore, EffectiveAddresses) {
  const auto address = [](Ls i) {
    i.op = 0x0C;
    i.reg = 2;
    LiftRun run = over_memory(i);
    run.set4("LOCAL_STORAGE_PTR", {0x10, 0x20, 0x30, 0x40}).set("PC_SP.z", 0x50).set("PC_SP.w", 0x60);
    run.set("LOCAL_THREAD_ID.x", 5).set("GROUP_ID.y", 6).set("GLOBAL_THREAD_ID.z", 7).run();
    EXPECT_EQ(run.fault(), "");
    EXPECT_EQ(run.get("r2.z"), 0u);
    return run.get("r2.x") | std::uint64_t{run.get("r2.y")} << 32;
  };
  EXPECT_EQ(address({}), 0u);
  EXPECT_EQ(address({.offset = -4}), 0xFFFFFFFFFFFFFFFCu);
  EXPECT_EQ(address({.arg = al0, .toggle = true}), 0x100000000u);
  EXPECT_EQ(address({.arg = al0, .arg_component = 2, .toggle = true, .offset = 8}), 0x400000004u);
  EXPECT_EQ(address({.arg = al0, .arg_component = 2}), 0xFFFFFFFCu) << "32 bits, zero-extended";
  EXPECT_EQ(address({.index_format = u32, .index = al0, .index_component = 2, .shift = 2}), 0x3FFFFFFF0u);
  EXPECT_EQ(address({.index_format = s32, .index = al0, .index_component = 2, .shift = 2}), 0xFFFFFFFFFFFFFFF0u);
  EXPECT_EQ(address({.index_format = u64, .index = al0, .index_component = 2, .shift = 4}), 0x3FFFFFFFC0u);
  EXPECT_EQ(address({.arg = al0,
                     .toggle = true,
                     .index_format = s32,
                     .index = al0,
                     .index_component = 2,
                     .shift = 1,
                     .offset = -8}),
            0xFFFFFFF0u);
  EXPECT_EQ(address({.arg = local_storage, .arg_component = 2, .toggle = true}), 0x4000000030u);
  EXPECT_EQ(address({.arg = pc_sp, .arg_component = 2, .toggle = true}), 0x6000000050u);
  EXPECT_EQ(address({.arg = pc_sp, .toggle = true}), 0x10u);
  EXPECT_EQ(address({.arg = local_id, .index_format = u32, .index = group_id, .index_component = 1, .shift = 8}),
            0x605u);
  EXPECT_EQ(address({.arg = global_id, .arg_component = 2, .toggle = true}), 7u);
  EXPECT_EQ(address({.arg = global_id, .arg_component = 3}), 0u) << "there is no fourth id";
  EXPECT_EQ(address({.arg = zero, .arg_component = 1, .toggle = true}), 0u);
}

/// C14: global load with scaled 32-bit index and negative displacement.
TEST(LiftLoadStore, ScaledIndexOfTheReference) {
  LiftRun run(program_of({0xC8208815, 0xFFF08941, 0x0000003F, 0x00000000}));
  run.environment.poke(0x500000000 + 4 * 7 - 4, 0xCAFE, 4);
  run.set("AL0.y", 5).set("AL1.x", 7).run();
  EXPECT_EQ(run.fault(), "");
  EXPECT_EQ(run.get("r0.x"), 0xCAFEu);
}

TEST(LiftLoadStore, WideOperandsStartAtEvenComponents) {
  for (const Ls& i : {Ls{.op = 0x88, .arg = al0, .arg_component = 1, .toggle = true},
                      Ls{.op = 0xC8, .index_format = u64, .index = al1, .index_component = 3},
                      Ls{.op = 0x41, .swizzle = 1, .arg = al0, .toggle = true},
                      Ls{.op = 0x65, .swizzle = 0, .arg = al0, .toggle = true, .index = al1, .index_component = 1},
                      Ls{.op = 0xB4, .arg = al0, .arg_component = 1, .toggle = true}}) {
    EXPECT_THAT(over_memory(i).run().fault(), HasSubstr("odd component")) << i.op;
  }
  EXPECT_THAT(over_memory({.op = 0x88, .index = al0}).run().fault(), HasSubstr("index format 0"));
}

// ------------------------------------------------------------------------------------------------ stores

TEST(LiftLoadStore, StoresOfEverySize) {
  const auto stored = [](unsigned op, unsigned mask = 15, unsigned swizzle = xyzw) {
    LiftRun run = over_memory({.op = op, .reg = al1, .mask = mask, .swizzle = swizzle, .arg = al0, .toggle = true});
    run.environment.memory.clear();
    EXPECT_EQ(run.run().fault(), "");
    std::string bytes;
    for (unsigned i = 0; i < 16; ++i) {
      const auto found = run.environment.memory.find(0x100000000 + i);
      constexpr char digits[] = "0123456789ABCDEF";
      bytes += found == run.environment.memory.end()
                   ? "--"
                   : std::string{digits[found->second >> 4], digits[found->second & 15]};
    }
    return bytes.substr(0, bytes.find_last_not_of('-') + 1);
  };
  EXPECT_EQ(stored(0xC0), "44");
  EXPECT_EQ(stored(0xC1), "44");
  EXPECT_EQ(stored(0xC4), "4433");
  EXPECT_EQ(stored(0xC5), "4433");
  EXPECT_EQ(stored(0xC6), "3344");
  EXPECT_EQ(stored(0xC7), "3344");
  EXPECT_EQ(stored(0xC8), "44332211");
  EXPECT_EQ(stored(0xC9), "33441122");
  EXPECT_EQ(stored(0xCA), "11223344");
  EXPECT_EQ(stored(0xCC), "4433221188776655");
  EXPECT_EQ(stored(0xCD), "3344112277885566");
  EXPECT_EQ(stored(0xCE), "1122334455667788");
  EXPECT_EQ(stored(0xCF), "5566778811223344");
  EXPECT_EQ(stored(0xD0), "4433221188776655CCBBAA9900FFEEDD");
  EXPECT_EQ(stored(0xD1), "3344112277885566BBCC99AAFF00DDEE");
  EXPECT_EQ(stored(0xD2), "112233445566778899AABBCCDDEEFF00");
  EXPECT_EQ(stored(0xD3), "5566778811223344DDEEFF0099AABBCC");

  EXPECT_EQ(stored(0xC8, 0b1010), "--33--11") << "a mask bit is a byte of a 32-bit store";
  EXPECT_EQ(stored(0xCC, 0b0110), "----22118877");
  EXPECT_EQ(stored(0xD0, 0b1011), "4433221188776655--------00FFEEDD");
  EXPECT_EQ(stored(0xC4, 0b0010), "--33");
  EXPECT_EQ(stored(0xC0, 0b1110), "");
  EXPECT_EQ(stored(0xCC, 15, 0b00'00'11'10), "CCBBAA9900FFEEDD");
}

TEST(LiftLoadStore, StoresTakeAnySelector) {
  const auto stored = [](unsigned selector) {
    LiftRun run = over_memory({.op = 0xD0, .reg = selector, .arg = al0, .toggle = true});
    run.set("GROUP_ID.y", 9).set("PC_SP.z", 4).run();
    EXPECT_EQ(run.fault(), "");
    return std::array<std::uint64_t, 2>{run.environment.peek(0x100000000, 8), run.environment.peek(0x100000008, 8)};
  };
  EXPECT_THAT(stored(group_id), ElementsAre(9ull << 32, 0));
  EXPECT_THAT(stored(pc_sp), ElementsAre(0x10, 4));
  EXPECT_THAT(stored(zero), ElementsAre(0, 0));
  EXPECT_THAT(over_memory({.op = 0xD0, .reg = 8, .arg = al0, .toggle = true}).run().fault(),
              HasSubstr("stores from register 8"));
}

// ------------------------------------------------------------------------------------------------ atomics

TEST(LiftLoadStore, Atomics) {
  struct Expected {
    unsigned op;
    std::uint32_t result;
  };
  const std::uint32_t old_value = 0xFFFFFFF0, operand = 0x00000012;
  for (const auto& [op, result] : {Expected{0x40, old_value + operand},
                                   {0x44, 0x10},
                                   {0x48, 0xFFFFFFF2},
                                   {0x4C, 0xFFFFFFE2},
                                   {0x50, old_value},
                                   {0x54, operand},
                                   {0x58, operand},
                                   {0x5C, old_value},
                                   {0x60, operand}}) {
    // the usual global form: the pointer is the index; operand AL1.y
    LiftRun run =
        over_memory({.op = op, .reg = 2, .mask = 0b0101, .swizzle = al1 << 2 | 1, .index_format = u64, .index = al0});
    run.environment.poke(0x100000000, old_value, 4);
    run.set("AL1.y", operand).run();
    EXPECT_EQ(run.environment.peek(0x100000000, 4), result) << op;
    EXPECT_THAT(run.get4("r2"), ElementsAre(old_value, 0, old_value, 0))
        << "the old value goes to every lane of the mask";
  }
}

TEST(LiftLoadStore, WideAtomics) {
  LiftRun run = over_memory({.op = 0x41, .reg = 2, .swizzle = al1 << 2 | 2, .arg = al0, .toggle = true});
  run.environment.poke(0x100000000, 0xFFFFFFFFFF, 8);
  run.set("AL1.z", 1).set("AL1.w", 2).run();
  EXPECT_EQ(run.environment.peek(0x100000000, 8), 0x102'00000000u);
  EXPECT_THAT(run.get4("r2"), ElementsAre(0xFFFFFFFF, 0xFF, 0xFFFFFFFF, 0xFF));
}

/// The memory operand is big endian: 0x00000102 there is 258, whatever a little-endian load of it would give.
TEST(LiftLoadStore, BigEndianAtomics) {
  LiftRun run = over_memory({.op = 0x42, .reg = 2, .mask = 1, .swizzle = al1 << 2, .arg = al0, .toggle = true});
  run.environment.poke(0x100000000, 0x02010000, 4);
  EXPECT_EQ(run.set("AL1.x", 0xFF).run().get("r2.x"), 0x102u);
  EXPECT_EQ(run.environment.peek(0x100000000, 4), 0x01020000u) << "0x102 + 0xFF = 0x201";
  LiftRun wide = over_memory({.op = 0x5F, .reg = 2, .swizzle = al1 << 2, .arg = al0, .toggle = true});
  wide.environment.poke(0x100000000, 0x0300000000000000, 8);
  EXPECT_EQ(wide.set("AL1.x", 7).set("AL1.y", 0).run().get("r2.x"), 3u);
  EXPECT_EQ(wide.environment.peek(0x100000000, 8), 0x0700000000000000u);
}

TEST(LiftLoadStore, CompareExchange) {
  for (const std::uint32_t compare : {5u, 6u}) {
    LiftRun run = over_memory({.op = 0x64,
                               .reg = 2,
                               .mask = 1,
                               .swizzle = al1 << 2 | 0,
                               .arg = al0,
                               .toggle = true,
                               .index_format = u32,
                               .index = al1,
                               .index_component = 3,
                               .shift = 3,
                               .offset = 4});
    run.environment.poke(0x100000004, 5, 4);
    run.set("AL1.x", 77).set("AL1.w", compare).run();
    EXPECT_EQ(run.environment.peek(0x100000004, 4), compare == 5 ? 77u : 5u);
    EXPECT_EQ(run.get("r2.x"), 5u);
  }
}

/// C15: atomic add on shared memory.
TEST(LiftLoadStore, SharedAtomicOfTheReference) {
  LiftRun run(program_of({0x08204015, 0x000001DC, 0x00000030, 0x00000000}));
  run.environment.poke(0x7008, 30, 4);
  run.set("LOCAL_STORAGE_PTR.z", 0x7000).set("AL0.x", 8).set("AL1.x", 12).run();
  EXPECT_EQ(run.fault(), "");
  EXPECT_EQ(run.environment.peek(0x7008, 4), 42u);
  EXPECT_EQ(run.get("r0.x"), 30u);
}

// ------------------------------------------------------------------------------------------------ typed accesses

TEST(LiftLoadStore, AttributesAndVaryings) {
  struct Typed {
    unsigned op;
    ir::Type type;
    unsigned count;
    std::uint32_t flags;
  };
  using F = ir::CallFlags;
  for (const auto& [op, type, count, flags] : {Typed{0x94, ir::Type::f32, 4, 0},
                                               {0x95, ir::Type::f16, 4, 0},
                                               {0x96, ir::Type::i32, 4, F::is_unsigned},
                                               {0x97, ir::Type::i32, 4, 0},
                                               {0x98, ir::Type::f32, 4, 0},
                                               {0x99, ir::Type::f16, 4, 0},
                                               {0x9A, ir::Type::i32, 4, F::is_unsigned},
                                               {0x9B, ir::Type::i32, 4, 0}}) {
    const unsigned mask = type == ir::Type::f16 ? 3 : 15;
    LiftRun run(program_of({load_store({.op = op,
                                        .reg = 2,
                                        .mask = mask,
                                        .index_format = op < 0x98 ? 0u : 2u,
                                        .index = al0,
                                        .shift = 1,
                                        .offset = table(-2)})}));
    run.environment.attributes[6] = run.environment.varyings[6] = bytes_of_words({1, 2, 3, 4});
    run.set("AL0.x", 4).run();
    EXPECT_EQ(run.fault(), "");
    ASSERT_THAT(run.environment.calls, SizeIs(1));
    EXPECT_EQ(run.environment.calls[0].call.type, type);
    EXPECT_EQ(run.environment.calls[0].call.count, count);
    EXPECT_EQ(run.environment.calls[0].call.flags, flags);
    EXPECT_EQ(run.get("r2.y"), 2u);
  }
}

TEST(LiftLoadStore, AttributeOfAnotherVertex) {
  LiftRun own(program_of({load_store({.op = 0x94, .reg = 2, .offset = table(1)})}));
  own.environment.attributes[1] = bytes_of_words({1, 2, 3, 4});
  own.run();
  EXPECT_EQ(own.environment.calls[0].second, 0u);
  LiftRun other(program_of(
      {load_store({.op = 0x94, .reg = 2, .arg = al1, .arg_component = 2, .toggle = true, .offset = table(1, 0x1FF)})}));
  other.environment.attributes[1] = bytes_of_words({1, 2, 3, 4});
  other.set("AL1.z", 10).run();
  EXPECT_EQ(other.environment.calls[0].second, 9u) << "the displacement is signed";
}

TEST(LiftLoadStore, InterpolationOfVaryings) {
  const auto parameters = [](std::int32_t bits) {
    LiftRun run(program_of({load_store({.op = 0x98, .reg = 2, .index_format = 2, .offset = bits})}));
    run.environment.varyings[0] = bytes_of_words({1, 2, 3, 4});
    run.run();
    return run.environment.calls.at(0).call.index;
  };
  using In = ir::Interpolation;
  EXPECT_EQ(parameters(0x50), In::perspective | In::sample);
  EXPECT_EQ(parameters(0x20), In::centroid);
  EXPECT_EQ(parameters(0x58), In::flat);
  EXPECT_EQ(parameters(0x00), 0u);
}

TEST(LiftLoadStore, VaryingsDividedByAComponent) {
  const auto loaded = [](unsigned op, unsigned modifier, const std::vector<std::uint32_t>& words) {
    LiftRun run(program_of(
        {load_store({.op = op, .reg = 2, .index_format = 2, .offset = static_cast<std::int32_t>(0x50 | modifier)})}));
    run.environment.varyings[0] = bytes_of_words(words);
    EXPECT_EQ(run.run().fault(), "");
    return run;
  };
  const std::vector<std::uint32_t> words{bits(8), bits(2), bits(4), bits(16)};
  EXPECT_THAT(loaded(0x98, 1, words).get4f("r2"), ElementsAre(4, 1, 2, 8));
  EXPECT_THAT(loaded(0x98, 2, words).get4f("r2"), ElementsAre(2, 0.5f, 1, 4));
  EXPECT_THAT(loaded(0x98, 3, words).get4f("r2"), ElementsAre(0.5f, 0.125f, 0.25f, 1));
  EXPECT_THAT(loaded(0x99, 3, {0x40004800, 0x4C004400}).get4("r2"), ElementsAre(0x30003800, 0x3C003400, 0, 0));
  LiftRun bad(program_of({load_store({.op = 0x98, .reg = 2, .offset = 5})}));
  EXPECT_THAT(bad.run().fault(), HasSubstr("varying modifier 5"));
}

TEST(LiftLoadStore, PerspectiveDivisionOfARegister) {
  const auto divided = [](unsigned op) {
    LiftRun run(program_of({load_store({.op = op, .reg = 2, .arg = al1, .toggle = true})}));
    return run.set4f("AL1", {8, 2, 4, 16}).run().get4f("r2");
  };
  EXPECT_THAT(divided(0x11), ElementsAre(4, 1, 2, 8));
  EXPECT_THAT(divided(0x12), ElementsAre(2, 0.5f, 1, 4));
  EXPECT_THAT(divided(0x13), ElementsAre(0.5f, 0.125f, 0.25f, 1));
  LiftRun halves(program_of({load_store({.op = 0x13, .reg = 2, .mask = 3, .arg = al1})}));
  EXPECT_THAT(halves.set("AL1.x", 0x40004800).set("AL1.y", 0x4C004400).run().get4("r2"),
              ElementsAre(0x30003800, 0x3C003400, 0, 0));
}

TEST(LiftLoadStore, CopiesOfAnySelector) {
  // 8.2.5 [18]: GROUP_ID.x into R0.z
  LiftRun run(program_of({load_store({.op = 0x10, .reg = 0, .mask = 4, .swizzle = 0x40, .arg = group_id})}));
  EXPECT_EQ(run.set("GROUP_ID.x", 7).run().get("r0.z"), 7u);
  LiftRun pc(program_of({load_store({.op = 0x10, .reg = 0, .arg = pc_sp})}));
  EXPECT_THAT(pc.set("PC_SP.w", 3).run().get4("r0"), ElementsAre(0x10, 0, 0, 3));
}

TEST(LiftLoadStore, BothInstructionsReadBeforeEitherWrites) {
  // AL0 = memory, AL1 = AL0
  LiftRun run(program_of(
      {load_store({.op = 0x90, .reg = 26, .arg = al0, .toggle = true}, {.op = 0x10, .reg = 27, .arg = al0})}));
  run.environment.poke(0x40, 0x1111, 8);
  run.environment.poke(0x48, 0x2222, 8);
  run.set4("AL0", {0x40, 0, 5, 6}).run();
  EXPECT_THAT(run.get4("AL0"), ElementsAre(0x1111, 0, 0x2222, 0));
  EXPECT_THAT(run.get4("AL1"), ElementsAre(0x40, 0, 5, 6));
}

TEST(LiftLoadStore, VaryingStores) {
  // 8.2.1 [13]: two stores in one bundle, swizzles zzzz and xyyy, auto32
  LiftRun run(program_of({0x55E0D415, 0x100039B9, 0x8A9E0D40, 0x0080039B}));
  run.set4("AL0", {1, 2, 3, 4}).run();
  ASSERT_THAT(run.environment.calls, SizeIs(2));
  EXPECT_EQ(run.environment.calls[0].number, 2u);
  EXPECT_EQ(run.environment.calls[0].data, bytes_of_words({3, 3, 3, 3}));
  EXPECT_EQ(run.environment.calls[0].call.flags, ir::CallFlags::raw);
  EXPECT_EQ(run.environment.calls[1].number, 1u);
  EXPECT_EQ(run.environment.calls[1].data, bytes_of_words({1, 2, 2, 2}));
  LiftRun halves(
      program_of({load_store({.op = 0xD5, .reg = al1, .mask = 0, .swizzle = 0b00'00'00'01, .index_format = 2})}));
  halves.set4("AL1", {1, 2, 3, 4}).run();
  EXPECT_EQ(halves.environment.calls.at(0).data, bytes_of_words({2, 1}));
  EXPECT_EQ(halves.environment.calls[0].call.type, ir::Type::f16);
  EXPECT_EQ(halves.environment.calls[0].call.flags, 0u);
  for (const auto& [op, flags] : {std::pair{0xD6u, ir::CallFlags::is_unsigned}, {0xD7u, 0u}}) {
    LiftRun integers(program_of({load_store({.op = op, .reg = al1, .index_format = 2})}));
    integers.run();
    EXPECT_EQ(integers.environment.calls.at(0).call.type, ir::Type::i32);
    EXPECT_EQ(integers.environment.calls[0].call.flags, flags);
  }
}

TEST(LiftLoadStore, SpecialValues) {
  for (const unsigned op : {0x9Cu, 0x9Du, 0x9Eu, 0x9Fu}) {
    LiftRun run(program_of({load_store({.op = op, .reg = 2, .mask = 1, .swizzle = xxxx, .offset = table(0x60)})}));
    run.environment.specials[0x60] = bytes_of_words({15});
    EXPECT_EQ(run.run().get("r2.x"), 15u) << op;
  }
  for (const unsigned op : {0xDCu, 0xDDu, 0xDEu, 0xDFu}) {
    LiftRun run(program_of({load_store({.op = op, .reg = al0, .offset = table(3)})}));
    run.set4("AL0", {1, 2, 3, 4}).run();
    ASSERT_THAT(run.environment.calls, SizeIs(1));
    EXPECT_EQ(run.environment.calls[0].number, 3u);
    EXPECT_EQ(run.environment.calls[0].data, op == 0xDD ? bytes_of_words({1, 2}) : bytes_of_words({1, 2, 3, 4}));
  }
}

TEST(LiftLoadStore, Images) {
  for (const unsigned op : {0xB4u, 0xB5u, 0xB6u, 0xB7u}) {
    LiftRun run(program_of({load_store(
        {.op = op, .reg = 2, .arg = al1, .arg_component = 2, .toggle = true, .index = al0, .offset = table(1)})}));
    run.environment.images[4] = bytes_of_words({1, 2, 3, 4});
    run.set("AL0.x", 3).set("AL1.z", 0xFFFE0005).set("AL1.w", 7).run();
    EXPECT_EQ(run.fault(), "");
    EXPECT_THAT(run.environment.calls.at(0).at, ElementsAre(5, 0xFFFE, 7));
    EXPECT_EQ(run.get("r2.y"), 2u);
  }
  for (const unsigned op : {0xD8u, 0xD9u, 0xDAu, 0xDBu}) {
    LiftRun run(program_of({load_store({.op = op, .reg = al0, .arg = al1, .offset = table(2)})}));
    run.set4("AL0", {1, 2, 3, 4}).set4("AL1", {0x00020001, 9, 9, 9}).run();
    EXPECT_EQ(run.environment.calls.at(0).number, 2u);
    EXPECT_THAT(run.environment.calls[0].at, ElementsAre(1, 2, 0));
    EXPECT_EQ(run.environment.calls[0].data.size(), op == 0xD9 ? 8u : 16u);
  }
}

TEST(LiftLoadStore, AddressOfATexel) {
  const Ls lea{.op = 0x0D, .reg = 2, .mask = 3, .arg = al0, .toggle = true, .offset = table(5)};
  LiftRun run = over_memory(lea);
  run.set("AL0.x", 0x00030002).set("AL0.y", 4).run();
  EXPECT_THAT(run.get4("r2"), ElementsAre(2 + 300 + 40000, 5, 0, 0));
  EXPECT_THAT(over_memory(lea, "t720").run().fault(), HasSubstr("does not exist on Mali-T720"));
}

TEST(LiftLoadStore, FrameBuffer) {
  struct Load {
    unsigned op;
    std::uint32_t flags;
  };
  for (const auto& [op, flags] : {Load{0xB8, 0}, {0xB9, 0}, {0xBA, ir::CallFlags::raw}}) {
    LiftRun run(
        program_of({load_store({.op = op, .reg = 2, .arg = 0, .arg_component = 2, .index = 0, .index_component = 3})}));
    run.environment.tile = bytes_of_words({1, 2, 3, 4});
    run.run();
    ASSERT_THAT(run.environment.calls, SizeIs(1));
    EXPECT_EQ(run.environment.calls[0].number, 3u);
    EXPECT_EQ(run.environment.calls[0].second, 2u);
    EXPECT_EQ(run.environment.calls[0].call.flags, flags);
    EXPECT_EQ(run.get("r2.y"), 2u);
  }
  // depth is target 0x1F; the sample number in a register
  LiftRun depth(program_of({load_store(
      {.op = 0xB8, .reg = 2, .arg = al1, .arg_component = 1, .index = 7, .index_component = 3, .offset = 1})}));
  depth.set("AL1.y", 6).run();
  EXPECT_EQ(depth.environment.calls.at(0).second, 6u);
  EXPECT_EQ(depth.environment.calls[0].call.flags, ir::CallFlags::depth);
  for (const unsigned op : {0xE8u, 0xE9u, 0xEAu}) {
    LiftRun run(program_of({load_store({.op = op, .reg = al1, .arg = 0, .index = 7, .index_component = 2})}));
    run.set4("AL1", {1, 2, 3, 4}).run();
    EXPECT_EQ(run.environment.calls.at(0).call.flags & ir::CallFlags::stencil, ir::CallFlags::stencil);
    EXPECT_EQ(run.environment.calls[0].data.size(), op == 0xE9 ? 8u : 16u);
  }
  EXPECT_THAT(LiftRun(program_of({load_store({.op = 0xB8, .reg = 2})}, "t620")).run().fault(),
              HasSubstr("does not exist"));
}

// ------------------------------------------------------------------------------------------------ what cannot be done

TEST(LiftLoadStore, Traps) {
  EXPECT_EQ(over_memory({.op = 0xFC, .offset = 5}).run().fault(), "TRAP with code 5");
  for (unsigned op = 0x04; op < 0x0C; ++op) {
    EXPECT_THAT(over_memory({.op = op, .shift = 3, .offset = 0x12}).run().fault(),
                HasSubstr("pixel format specifier 0x123"));
  }
  EXPECT_THAT(over_memory({.op = 0x70}).run().fault(), HasSubstr("opcode 0x70 is unassigned"));
}

TEST(LiftLoadStore, EveryOpcodeLifts) {
  for (const LsOp& op : ls_ops) {
    LiftRun run(program_of({load_store({.op = op.opcode, .reg = 2, .arg = al0, .index_format = u32, .index = al1})}));
    EXPECT_FALSE(run.program().operations.empty() && op.does != LsMeaning::nop) << op.name;
    const std::string reason = run.run().fault();
    EXPECT_FALSE(reason.find("unassigned") != std::string::npos) << op.name;
  }
}

TEST(LiftLoadStore, AFaultOfTheSecondInstructionStopsTheFirst) {
  LiftRun run(program_of({load_store({.op = 0xC8, .reg = al1, .arg = al0, .toggle = true}, {.op = 0x70})}));
  run.run();
  EXPECT_THAT(run.fault(), StartsWith("INSTR_INVALID_ENC"));
  EXPECT_TRUE(run.environment.memory.empty());
}

}  // namespace
}  // namespace mobula::midgard
