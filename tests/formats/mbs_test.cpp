#include "formats/mbs.h"

#include <gtest/gtest.h>

#include <random>

namespace mobula {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put(Bytes& out, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(word >> 8 * i));
}
Bytes words(std::initializer_list<std::uint32_t> values) {
  Bytes out;
  for (const std::uint32_t value : values) put(out, value);
  return out;
}
Bytes join(std::initializer_list<Bytes> parts) {
  Bytes out;
  for (const Bytes& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}
Bytes chunk(std::string_view ident, const Bytes& payload) {
  Bytes out(ident.begin(), ident.end());
  put(out, static_cast<std::uint32_t>(payload.size()));
  return join({out, payload});
}
/// An EBIN as the reference describes it: words, relocations, a word, chunks.
Bytes binary(const Bytes& code, const Bytes& more = {}) {
  return chunk("EBIN",
               join({words({1, 0xFFFFFFFF, 1, 0}), chunk("RLOC", words({0, 0, 0, 0})), words({7}),
                     chunk("FSHA", words({0, 1, 2, 3, 4, 5})), chunk("BFRE", words({0})), more, chunk("OBJC", code)}));
}
Bytes shader(std::string_view stage, const Bytes& ebin) {
  return chunk(stage, join({chunk("VEHW", words({0x0B, 0, 0})),
                            chunk("CMMN", join({chunk("VELA", words({1})),
                                                chunk("SSYM", join({words({1}), chunk("STRI", words({0x00616161}))})),
                                                chunk("UBUF", words({0})), words({1}), ebin})),
                            chunk("FOTV", words({0}))}));
}
const Bytes code_a = words({0x08020018, 1, 2, 3}), code_b = words({0x05, 6, 7, 8, 9, 10, 11, 12});

TEST(Mbs, FindsTheCodeOfAShader) {
  const Bytes file = chunk("MBS2", join({words({3}), shader("FRAG", binary(code_a))}));
  const auto images = read_mbs(file, "a.mbs");
  ASSERT_TRUE(images) << render(images.error());
  ASSERT_EQ(images->size(), 1u);
  const CodeImage& image = images->front();
  EXPECT_EQ(image.code, code_a);
  EXPECT_EQ(image.path, "MBS2/FRAG/CMMN/EBIN/OBJC");
  EXPECT_EQ(image.interface.stage, Stage::fragment);
  EXPECT_EQ(image.machine, "midgard");
  EXPECT_TRUE(std::equal(code_a.begin(), code_a.end(), file.begin() + static_cast<std::ptrdiff_t>(image.byte_offset)));
}

TEST(Mbs, ProgramBinaryHoldsTwoStages) {
  const Bytes file =
      chunk("MPB1", join({words({1, 0}), chunk("MBS2", join({words({3}), shader("VERT", binary(code_a))})),
                          chunk("MBS2", join({words({3}), shader("FRAG", binary(code_b))}))}));
  const auto images = read_mbs(file, "");
  ASSERT_TRUE(images) << render(images.error());
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].interface.stage, Stage::vertex);
  EXPECT_EQ((*images)[1].path, "MPB1/MBS2/FRAG/CMMN/EBIN/OBJC");
  EXPECT_EQ((*images)[1].code, code_b);
}

TEST(Mbs, WorkgroupSizeBelongsToTheCodeBesideIt) {
  const Bytes two = join({binary(code_a), binary(code_b, chunk("KWGS", words({8, 4, 2})))});
  const auto images = read_mbs(chunk("MBS2", join({words({3}), shader("COMP", two)})), "");
  ASSERT_TRUE(images);
  EXPECT_EQ((*images)[0].interface.local_size, (std::array<std::uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ((*images)[1].interface.local_size, (std::array<std::uint32_t, 3>{8, 4, 2}));
}

TEST(Mbs, UnknownChunksAreSteppedOver) {
  const Bytes decoy = chunk("OBJC", code_b);
  const auto images =
      read_mbs(chunk("MBS2", join({words({3}), chunk("XYZ9", decoy), shader("VERT", binary(code_a))})), "");
  ASSERT_TRUE(images);
  ASSERT_EQ(images->size(), 1u);
  EXPECT_EQ(images->front().code, code_a);
}

TEST(Mbs, CodeBelowAnUndocumentedChunkIsFoundByItsIdent) {
  const Bytes file = chunk(
      "MBS2", join({words({3}), chunk("KERN", join({words({5}), chunk("OBJC", code_a), chunk("OBJC", code_b)}))}));
  const auto images = read_mbs(file, "");
  ASSERT_TRUE(images);
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].path, "OBJC");
  EXPECT_EQ((*images)[1].code, code_b);
}

TEST(Mbs, CutOffFileIsAnError) {
  const Bytes whole = chunk("MBS2", join({words({3}), shader("FRAG", binary(code_a))}));
  for (std::size_t size = 4; size < whole.size(); ++size) {
    EXPECT_FALSE(read_mbs(std::span(whole).first(size), "")) << size;
  }
  const auto cut = read_mbs(std::span(whole).first(whole.size() - 4), "f");
  EXPECT_EQ(cut.error()[0].code, "FM010");
  EXPECT_EQ(cut.error()[0].where.byte_offset, 0u);
}

TEST(Mbs, ChildLargerThanItsParentIsAnError) {
  Bytes file = chunk("MBS2", join({words({3}), shader("FRAG", binary(code_a)), words({0, 0, 0, 0, 0, 0})}));
  file[4 + 8 + 4] += 4;  // FRAG grows into what follows: allowed
  EXPECT_TRUE(read_mbs(file, ""));
  file[4 + 8 + 4 + 3] = 0x7F;
  const auto result = read_mbs(file, "");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, "FM010");
  EXPECT_EQ(result.error()[0].where.byte_offset, 12u);
}

TEST(Mbs, OddSizeIsAnError) {
  const Bytes file = join({chunk("MBS2", join({words({3}), chunk("OBJC", {1, 2, 3})})), {0, 0, 0, 0}});
  EXPECT_EQ(read_mbs(file, "").error()[0].code, "FM011");
}

TEST(Mbs, DeepNestingIsAnError) {
  Bytes file = chunk("OBJC", code_a);
  for (int i = 0; i < 1000; ++i) file = chunk("CMMN", file);
  EXPECT_EQ(read_mbs(chunk("MBS2", file), "").error()[0].code, "FM013");
}

TEST(Mbs, NoCodeIsAnError) {
  EXPECT_EQ(read_mbs(chunk("MBS2", words({3})), "").error()[0].code, "FM012");
  EXPECT_EQ(read_mbs(words({1, 2, 3}), "").error()[0].code, "FM014");
}

TEST(Mbs, DamagedFilesNeverYieldMoreThanTheyHold) {
  const Bytes whole = chunk("MBS2", join({words({3}), shader("VERT", binary(code_a)), shader("FRAG", binary(code_b))}));
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    Bytes file = whole;
    for (int i = 0; i < 3; ++i) file[random() % file.size()] = static_cast<std::uint8_t>(random());
    const auto images = read_mbs(file, "");
    std::size_t total = 0;
    if (images) {
      for (const CodeImage& image : *images) total += image.code.size();
    }
    ASSERT_LE(total, file.size());
  }
}

}  // namespace
}  // namespace mobula
