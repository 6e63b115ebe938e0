#include "machines/midgard/spec/codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "machines/midgard/texture_opcodes.h"
#include "machines/midgard/words.h"

namespace mobula::midgard {
namespace {

Bundle bundle_of(std::initializer_list<std::uint32_t> words) { return decode_bundle(program_of(words).code, 0); }

unsigned field(std::uint64_t word, const Field& row) { return static_cast<unsigned>(get(word, row)); }

std::vector<std::uint8_t> encoded(const std::vector<Bundle>& bundles) {
  std::vector<std::uint8_t> bytes;
  for (const Bundle& bundle : bundles) encode_bundle(bundle, bytes);
  return bytes;
}

// ------------------------------------------------------------------------------------------------ worked examples

/// 8.2.2 [6]: four units, embedded constants, an inline constant on a scalar unit.
TEST(Codec, CutsArithmeticBundle) {
  const Bundle bundle = bundle_of({0x028A009A, 0xFC006358, 0x8000031A, 0x1000027B, 0x14A503A0, 0x04C1D830, 0x02F65801,
                                   0x03200000, 0x3FD9999A, 0x3F000000, 0, 0});
  ASSERT_EQ(bundle.form, Bundle::Form::alu);
  EXPECT_EQ(bundle.tag, 0xA);
  EXPECT_EQ(bundle.next, 9);
  EXPECT_EQ(bundle.quadword_count, 3);
  EXPECT_EQ(alu_quadwords(bundle), 3u);
  ASSERT_EQ(bundle.alu_count, 4);
  EXPECT_EQ(bundle.find(Unit::vadd), nullptr);
  EXPECT_FALSE(bundle.has_compact || bundle.has_extended);
  ASSERT_TRUE(bundle.has_constants);
  EXPECT_EQ(bundle.constants, (std::array<std::uint32_t, 4>{0x3FD9999A, 0x3F000000, 0, 0}));
  EXPECT_EQ(bundle.padding_count, 0);

  // vmul.MOV.i32 TMP0.x, TMP0.x, #1056964608: source 2 is constant y.
  const AluInstruction& vmul = *bundle.find(Unit::vmul);
  EXPECT_EQ(vmul.registers, 0x6358);
  EXPECT_EQ(vmul.word, 0x03A01000027Bu);
  EXPECT_EQ(field(vmul.registers, reg::src1), 24u);
  EXPECT_EQ(field(vmul.registers, reg::src2), 26u);
  EXPECT_EQ(field(vmul.registers, reg::dst), 24u);
  EXPECT_EQ(opcode_of(vmul), 0x7Bu);
  EXPECT_EQ(lane_bits(vmul), 32u);
  EXPECT_EQ(field(vmul.word, vec::shrink), 2u);
  EXPECT_EQ(field(vmul.word, vec::outmod), 2u);
  EXPECT_EQ(field(vmul.word, vec::mask), 3u);
  const unsigned source2 = field(vmul.word, vec::src2);
  EXPECT_EQ(field(source2, vecsrc::mod), 0u);
  EXPECT_EQ(field(source2, vecsrc::expand), 0u);
  EXPECT_EQ(field(source2, vecsrc::swizzle) & 3, 1u);

  // sadd.CMP.le.i32 R31.w, R0.y, #3
  const AluInstruction& sadd = *bundle.find(Unit::sadd);
  EXPECT_EQ(sadd.registers, 0xFC00);
  EXPECT_EQ(opcode_of(sadd), 0xA5u);
  EXPECT_EQ(field(sadd.registers, reg::dst), 31u);
  EXPECT_TRUE(has_inline_constant(sadd));
  EXPECT_EQ(inline_constant(sadd), 3u);
  EXPECT_EQ(field(sadd.word, scalar::src1_full), 1u);
  EXPECT_EQ(field(sadd.word, scalar::src1_component), 2u);
  EXPECT_EQ(field(sadd.word, scalar::full), 1u);
  EXPECT_EQ(field(sadd.word, scalar::component), 6u);
  EXPECT_EQ(lane_bits(sadd), 32u);

  // smul.CSEL.scalar.i32 R0.y, #1071225242, TMP0.x and lut.FSINPI.f32 R0.x, R0.x, #0
  EXPECT_EQ(opcode_of(*bundle.find(Unit::smul)), 0xC1u);
  EXPECT_EQ(bundle.find(Unit::smul)->registers, 0x031A);
  EXPECT_EQ(opcode_of(*bundle.find(Unit::vlut)), 0xF6u);
  EXPECT_EQ(inline_constant(*bundle.find(Unit::vlut)), 0u);
}

TEST(Codec, ReadsInlineConstants) {
  // C3: 0.5 on a vector unit; C4: -128 on a scalar unit.
  EXPECT_EQ(inline_constant(bundle_of({0x00020018, 0x021480E0, 0xFF200072, 0}).alu[0]), 0x3800);
  EXPECT_EQ(inline_constant(bundle_of({0x00080018, 0xD462E7E0, 0x00005809, 0}).alu[0]), 0xFF80);
}

TEST(Codec, ReadsBranches) {
  // 8.1: a writeout that branches to itself.
  const Branch retry = compact_branch(0xFFC7);
  EXPECT_FALSE(retry.extended);
  EXPECT_EQ(retry.op, BranchMeaning::write);
  EXPECT_EQ(retry.dest_tag, 8);
  EXPECT_EQ(retry.offset, -1);
  EXPECT_EQ(retry.lut, 0xFFFF);
  // 8.2.3 [10]: a back edge.
  const Branch back = extended_branch(0xFFFFFFFFDC42);
  EXPECT_TRUE(back.extended);
  EXPECT_EQ(back.op, BranchMeaning::cond);
  EXPECT_EQ(back.dest_tag, 8);
  EXPECT_EQ(back.call_mode, 0);
  EXPECT_EQ(back.offset, -18);
  EXPECT_EQ(back.lut, 0xFFFF);
  // 8.2.2 [3]: a discard with its dummy target.
  const Branch discard = extended_branch(0xAAAA00000404);
  EXPECT_EQ(discard.op, BranchMeaning::discard);
  EXPECT_EQ(discard.dest_tag, 0);
  EXPECT_EQ(discard.offset, 2);
  EXPECT_EQ(discard.lut, 0xAAAA);
  // A compact jump: op 1, tag 5, call mode 2, offset -3.
  const Branch call = compact_branch(static_cast<std::uint16_t>(1 | 5 << 3 | 2 << 7 | (128 - 3) << 9));
  EXPECT_EQ(call.op, BranchMeaning::uncond);
  EXPECT_EQ(call.dest_tag, 5);
  EXPECT_EQ(call.call_mode, 2);
  EXPECT_EQ(call.offset, -3);
}

TEST(Codec, ListsBranchesInOrder) {
  // Control word with both branches: compact write +0, then extended jump -2.
  const Bundle bundle = bundle_of({0x0C000018, 0xDC42C047, 0xFFFFFFFF, 0});
  ASSERT_EQ(bundle.form, Bundle::Form::alu);
  const Branches list = branches(bundle);
  ASSERT_EQ(list.count, 2);
  EXPECT_FALSE(list.items[0].extended);
  EXPECT_EQ(list.items[0].op, BranchMeaning::write);
  EXPECT_TRUE(list.items[1].extended);
  EXPECT_EQ(target_of(bundle, list.items[1]), 1 - 18);
}

TEST(Codec, CutsTheOtherPipes) {
  // 8.2.1 [13]: two stores.
  const Bundle stores = bundle_of({0x55E0D415, 0x100039B9, 0x8A9E0D40, 0x0080039B});
  ASSERT_EQ(stores.form, Bundle::Form::load_store);
  const std::uint64_t first = get(stores.word, ldst::first), second = get(stores.word, ldst::second);
  for (const std::uint64_t word : {first, second}) {
    EXPECT_EQ(get(word, ls::op), 0xD4u);
    EXPECT_EQ(get(word, ls::reg), 0u);
    EXPECT_EQ(get(word, ls::auto32), 1u);
    EXPECT_EQ(get(word, ls::secondary), 1u);
    EXPECT_EQ(get(word, ls::arg), 7u);
    EXPECT_EQ(get(word, ls::index), 7u);
  }
  EXPECT_EQ(get_signed(first, ls::table_offset), 2);
  EXPECT_EQ(get(first, ls::swizzle), 0xAAu);
  EXPECT_EQ(get_signed(second, ls::table_offset), 1);
  EXPECT_EQ(get(second, ls::swizzle), 0x54u);
  // 8.1: parameters of a smooth varying.
  const Bundle varying = bundle_of({0x00000385, 0, 0xC0860990, 0x001403D3});
  EXPECT_EQ(get(varying.word, ldst::first), ls_noop);
  const std::uint64_t load = get(varying.word, ldst::second);
  EXPECT_EQ(get(load, ls::op), 0x99u);
  EXPECT_EQ(get(load, vary::perspective), 1u);
  EXPECT_EQ(get(load, vary::sample), 1u);
  EXPECT_EQ(get(load, vary::flat), 0u);
  EXPECT_EQ(get(load, vary::modifier), 0u);
  // C14: a negative displacement.
  EXPECT_EQ(get_signed(get(bundle_of({0xC8208815, 0xFFF08941, 0x3F, 0}).word, ldst::first), ls::offset), -4);
  // C17: a fetch.
  const Bundle fetch = bundle_of({0x210B1412, 0x00E43C67, 0x00020F10, 0x00030001});
  ASSERT_EQ(fetch.form, Bundle::Form::texture);
  EXPECT_EQ(get(fetch.word, tex::op), tex_fetch);
  EXPECT_EQ(get(fetch.word, tex::texture), 3u);
  EXPECT_EQ(get(fetch.word, tex::sampler), 1u);
  EXPECT_EQ(get(fetch.word, tex::lod_fraction), 2u);
  EXPECT_EQ(get_signed(get(fetch.word, tex::offset), texoffset::x), 1);
  EXPECT_EQ(get_signed(get(fetch.word, tex::offset), texoffset::y), -1);
}

// ------------------------------------------------------------------------------------------------ round trips

TEST(Codec, CompactBranchesRoundTrip) {
  for (unsigned word = 0; word <= 0xFFFF; ++word) {
    const Branch branch = compact_branch(static_cast<std::uint16_t>(word));
    ASSERT_EQ(encode_compact(branch), word);
    ASSERT_TRUE(fits_compact(branch)) << word;
  }
}

TEST(Codec, ExtendedBranchesRoundTrip) {
  std::mt19937_64 random(2);
  for (unsigned bit = 0; bit < 48; ++bit) ASSERT_EQ(encode_extended(extended_branch(1ull << bit)), 1ull << bit);
  for (int round = 0; round < 10000; ++round) {
    const std::uint64_t word = random() >> 16;
    ASSERT_EQ(encode_extended(extended_branch(word)), word);
  }
}

TEST(Codec, KnowsWhatFitsTheCompactForm) {
  const Branch good{.op = BranchMeaning::cond, .dest_tag = 8, .call_mode = 1, .lut = 0xAAAA, .offset = 63};
  EXPECT_TRUE(fits_compact(good));
  Branch bad = good;
  bad.offset = 64;
  EXPECT_FALSE(fits_compact(bad));
  bad.offset = -64;
  EXPECT_TRUE(fits_compact(bad));
  bad.offset = -65;
  EXPECT_FALSE(fits_compact(bad));
  bad = good;
  bad.lut = 0x8888;
  EXPECT_FALSE(fits_compact(bad));
  bad = good;
  bad.call_mode = 0;
  EXPECT_FALSE(fits_compact(bad));
}

TEST(Codec, InlineConstantsRoundTrip) {
  for (unsigned unit = 0; unit < unit_count; ++unit) {
    AluInstruction instruction{.unit = static_cast<Unit>(unit), .registers = 0x7C1F, .word = ~0ull >> 16};
    if (!units[unit].vector) instruction.word = 0xFFFFFFFF;
    const AluInstruction before = instruction;
    const Field& source = units[unit].vector ? vec::src2 : scalar::src2;
    for (unsigned constant = 0; constant <= 0xFFFF; ++constant) {
      set_inline_constant(instruction, static_cast<std::uint16_t>(constant));
      ASSERT_EQ(inline_constant(instruction), constant) << units[unit].name;
      ASSERT_TRUE(has_inline_constant(instruction));
    }
    // Nothing else has changed, and a vector source keeps its modifier bits.
    AluInstruction restored = instruction;
    set(restored.word, source, get(before.word, source));
    EXPECT_EQ(restored.word, before.word);
    EXPECT_EQ(restored.registers & 0x7C1F, 0x7C1F);
    if (units[unit].vector) {
      EXPECT_EQ(get(get(instruction.word, vec::src2), vecinline::mod), 3u);
    }
  }
}

TEST(Codec, RandomProgramsRoundTrip) {
  std::mt19937 random(3);
  unsigned arithmetic = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint8_t> code(16 * (1 + random() % 12));
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    const std::vector<Bundle> bundles = decode_program(code);
    ASSERT_EQ(encoded(bundles), code);
    std::uint32_t position = 0;
    for (const Bundle& bundle : bundles) {
      ASSERT_EQ(bundle.position, position);
      position += bundle.quadword_count;
      ASSERT_EQ(raw_reason(code, bundle.position).empty(), bundle.form != Bundle::Form::raw);
      arithmetic += bundle.form == Bundle::Form::alu ? 1 : 0;
    }
    ASSERT_EQ(position * 16, code.size());
  }
  EXPECT_GT(arithmetic, 100u) << "the random words hardly ever were arithmetic";
}

/// Every set of units and branches with and without constants: length by tag, and each byte kept, padding too.
TEST(Codec, EveryArithmeticShapeRoundTrips) {
  for (unsigned shape = 0; shape < 256; ++shape) {
    std::uint32_t control = 0;
    unsigned bytes = 4;
    for (unsigned unit = 0; unit < unit_count; ++unit)
      if (shape >> unit & 1) {
        control |= 1u << units[unit].control_bit;
        bytes += 2 + (units[unit].vector ? 6 : 4);
      }
    if (shape >> 5 & 1) control |= 1u << 26, bytes += 2;
    if (shape >> 6 & 1) control |= 1u << 27, bytes += 6;
    const bool constants = shape >> 7 & 1;
    const unsigned quads = (bytes + 15) / 16 + (constants ? 1 : 0);
    ASSERT_LE(quads, 4u);
    control |= 0x10 | (8 + quads - 1);
    std::vector<std::uint8_t> code(quads * 16);
    for (std::size_t i = 0; i < code.size(); ++i) code[i] = static_cast<std::uint8_t>(i * 7 + 3);
    for (unsigned i = 0; i < 4; ++i) code[i] = static_cast<std::uint8_t>(control >> (8 * i));
    const Bundle bundle = decode_bundle(code, 0);
    ASSERT_EQ(bundle.form, Bundle::Form::alu) << shape;
    EXPECT_EQ(bundle.alu_count, std::popcount(shape & 31u));
    EXPECT_EQ(bundle.has_constants, constants);
    EXPECT_EQ(bundle.padding_count, (16 - bytes % 16) % 16);
    EXPECT_EQ(alu_quadwords(bundle), quads);
    EXPECT_EQ(encoded({bundle}), code);
  }
}

TEST(Codec, WritesZeroPaddingWhenTheContentsChanged) {
  Bundle bundle = bundle_of({0x00020018, 0x021480E0, 0xFF200072, 0x55555555});
  EXPECT_EQ(bundle.padding_count, 4);
  bundle.control |= 1u << 26;
  bundle.has_compact = true;
  bundle.compact = 0xC047;
  EXPECT_EQ(encoded({bundle}), program_of({0x04020018, 0x021480E0, 0xFF200072, 0x0000C047}).code);
}

TEST(Codec, SamplesRoundTripWithoutRawWords) {
  const std::vector<Sample> all = samples();
  if (all.empty()) GTEST_SKIP() << "no samples";
  for (const Sample& sample : all) {
    const std::vector<Bundle> bundles = decode_program(sample.program.code);
    EXPECT_EQ(encoded(bundles), sample.program.code) << sample.path;
    for (const Bundle& bundle : bundles) EXPECT_NE(bundle.form, Bundle::Form::raw) << sample.path << bundle.position;
  }
}

TEST(Codec, SaysWhyAWordIsRaw) {
  const auto reason = [](std::initializer_list<std::uint32_t> words) { return raw_reason(program_of(words).code, 0); };
  EXPECT_EQ(reason({0x00000000, 0, 0, 0}), "tag 0 (invalid) does not begin a known bundle");
  EXPECT_EQ(reason({0x00000001, 0, 0, 0}), "tag 1 (break) does not begin a known bundle");
  EXPECT_EQ(reason({0x00000007, 0, 0, 0}), "tag 7 (unk2) does not begin a known bundle");
  EXPECT_EQ(reason({0x00020019, 0, 0, 0}), "tag 9 announces 2 quadwords but 1 is left");
  EXPECT_EQ(reason({0x0002001B, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
            "tag 11 announces 4 quadwords but the units present take 1, or 2 with constants");
  EXPECT_EQ(reason({0x00AA0018, 0, 0, 0}),
            "tag 8 announces 1 quadword but the units present take 2, or 3 with constants");
  EXPECT_EQ(reason({0x00020018, 0, 0, 0}), "");
  EXPECT_EQ(reason({0x00000005, 0, 0, 0}), "");
}

TEST(Codec, IgnoresBytesThatFillNoQuadword) {
  std::vector<std::uint8_t> code(16 + 15);
  EXPECT_EQ(decode_program(code).size(), 1u);
  EXPECT_TRUE(decode_program({}).empty());
}

// ------------------------------------------------------------------------------------------------ lanes

/// The table of 2.6.2, line by line, independent of the codec: element of the register and its width.
LaneSource lane_by_table(unsigned mode, unsigned expand, unsigned swizzle, unsigned i) {
  const unsigned s[4] = {swizzle & 3, swizzle >> 2 & 3, swizzle >> 4 & 3, swizzle >> 6 & 3};
  const auto from = [](unsigned element, unsigned bits) {
    return LaneSource{static_cast<std::uint8_t>(element), static_cast<std::uint8_t>(bits)};
  };
  if (mode == 32) {
    if (expand == 0) return from(s[i], 32);
    if (expand == 4) return from(0 + s[i], 16);
    return from(4 + s[i], 16);
  }
  if (mode == 16) {
    switch (expand) {
      case 0:
        return from((i < 4 ? 0 : 4) + s[i & 3], 16);
      case 1:
        return from(0 + s[i & 3], 16);
      case 2:
        return from(4 + s[i & 3], 16);
      case 3:
        return from((i < 4 ? 4 : 0) + s[i & 3], 16);
      case 4:
        return from((i < 4 ? 0 : 4) + s[i & 3], 8);
      case 5:
        return from(8 + (i < 4 ? 0 : 4) + s[i & 3], 8);
      case 6:
        return from((i < 4 ? 4 : 0) + s[i & 3], 8);
      default:
        return from(8 + (i < 4 ? 4 : 0) + s[i & 3], 8);
    }
  }
  const unsigned h = i >> 3, p = (i >> 1) & 3;
  switch (expand) {
    case 0:
      return from(8 * h + 2 * s[p] + (i & 1), 8);
    case 1:
      return from(2 * s[p] + (i & 1), 8);
    case 2:
      return from(8 + 2 * s[p] + (i & 1), 8);
    default:
      return from(8 * (1 - h) + 2 * s[p] + (i & 1), 8);
  }
}

TEST(Codec, LaneSourcesFollowTheTable) {
  const std::initializer_list<std::pair<unsigned, std::vector<unsigned>>> modes = {
      {8, {0, 1, 2, 3}}, {16, {0, 1, 2, 3, 4, 5, 6, 7}}, {32, {0, 4, 5}}};
  for (const auto& [mode, expands] : modes)
    for (unsigned expand = 0; expand < 8; ++expand) {
      const bool allowed = std::find(expands.begin(), expands.end(), expand) != expands.end();
      EXPECT_EQ(expand_allowed(expand, mode), allowed) << mode << ' ' << expand;
      for (unsigned swizzle = 0; allowed && swizzle < 256; ++swizzle)
        for (unsigned lane = 0; lane < 128 / mode; ++lane) {
          const LaneSource expected = lane_by_table(mode, expand, swizzle, lane);
          const LaneSource found = lane_source(mode, expand, swizzle, lane);
          ASSERT_EQ(found.element, expected.element) << mode << ' ' << expand << ' ' << swizzle << ' ' << lane;
          ASSERT_EQ(found.bits, expected.bits);
        }
    }
}

TEST(Codec, WideLaneSourcesFollowTheTable) {
  for (unsigned expand = 0; expand < 8; ++expand)
    EXPECT_EQ(expand_allowed(expand, 64), expand == 0 || expand == 4 || expand == 5) << expand;
  for (unsigned swizzle = 0; swizzle < 256; ++swizzle)
    for (unsigned lane = 0; lane < 2; ++lane)
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned k = (swizzle >> (4 * lane + 2 * half)) & 3;
        ASSERT_EQ(wide_lane_source(0, swizzle, lane, half).element, k);
        // The widened vector V is {low e0, high e0, low e1, high e1}.
        constexpr unsigned element[4] = {0, 0, 1, 1};
        constexpr bool high_word[4] = {false, true, false, true};
        for (const unsigned expand : {4u, 5u}) {
          const WideLaneSource found = wide_lane_source(expand, swizzle, lane, half);
          ASSERT_EQ(found.element, element[k] + (expand == 5 ? 2 : 0));
          ASSERT_EQ(found.high_word, high_word[k]);
        }
      }
}

/// 2.6.4: mask bits of each lane, written out.
TEST(Codec, MasksFollowTheTable) {
  for (unsigned mask = 0; mask < 256; ++mask) {
    unsigned lanes8 = 0, lanes32 = 0, lanes64 = 0;
    for (unsigned bit = 0; bit < 8; ++bit)
      if (mask >> bit & 1) lanes8 |= 1u << (2 * bit) | 1u << (2 * bit + 1);
    for (unsigned lane = 0; lane < 4; ++lane)
      if (mask & (3u << (2 * lane))) lanes32 |= 1u << lane;
    for (unsigned lane = 0; lane < 2; ++lane)
      if (mask & (15u << (4 * lane))) lanes64 |= 1u << lane;
    EXPECT_EQ(enabled_lanes(8, mask), lanes8);
    EXPECT_EQ(enabled_lanes(16, mask), mask);
    EXPECT_EQ(enabled_lanes(32, mask), lanes32);
    EXPECT_EQ(enabled_lanes(64, mask), lanes64);
    EXPECT_TRUE(mask_is_regular(8, mask));
    EXPECT_TRUE(mask_is_regular(16, mask));
    EXPECT_EQ(mask_is_regular(32, mask), (mask & 0x55) == (mask >> 1 & 0x55)) << mask;
    EXPECT_EQ(mask_is_regular(64, mask), (mask & 15) % 15 == 0 && (mask >> 4) % 15 == 0) << mask;
  }
  for (const unsigned width : {8u, 16u, 32u, 64u})
    for (unsigned lanes = 0; lanes < (1u << std::min(128 / width, 8u)); ++lanes) {
      // 8-bit lanes go in pairs.
      unsigned wanted = 0;
      for (unsigned lane = 0; lane < 8; ++lane)
        if (lanes >> lane & 1) wanted |= width == 8 ? 3u << (2 * lane) : 1u << lane;
      EXPECT_EQ(enabled_lanes(width, mask_of_lanes(width, wanted)), wanted) << width;
      EXPECT_TRUE(mask_is_regular(width, mask_of_lanes(width, wanted)));
    }
}

/// A component that a scalar unit reads in full as source 2 is bits 18 and 19 of the word: compilers name all four
/// there, and leave bit 17 alone.
TEST(Codec, SamplesPlaceTheComponentOfSource2TwoBitsHigh) {
  std::array<unsigned, 8> seen{};
  for (const Sample& sample : samples())
    for (const Bundle& bundle : decode_program(sample.program.code))
      for (const AluInstruction& instruction : bundle.alu_instructions()) {
        if (info(instruction.unit).vector || has_inline_constant(instruction)) continue;
        const std::uint64_t source = get(instruction.word, scalar::src2);
        EXPECT_EQ(get(source, scalarsrc::unknown_6), 0u) << sample.path;
        if (get(source, scalarsrc::full) != 0) ++seen[instruction.word >> 17 & 7];
      }
  if (samples().empty()) GTEST_SKIP() << "no samples";
  for (const unsigned even : {0u, 2u, 4u, 6u}) {
    EXPECT_GT(seen[even], 100u);
    EXPECT_EQ(seen[even + 1], 0u);
  }
}

}  // namespace
}  // namespace mobula::midgard
