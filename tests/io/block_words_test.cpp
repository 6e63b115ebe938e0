#include "io/block_words.h"

#include <gmock/gmock.h>

namespace mobula::io {
namespace {

using Base = GlslType::Base;

/// std140: a float, three ints in vec4s of their own, a row-major mat2; then points to the end of the buffer.
Variable lights() {
  return {.name = "lights",
          .members = {{.name = "scale", .type = "float", .offset = 0},
                      {.name = "modes", .type = "int[3]", .offset = 16, .stride = 16},
                      {.name = "m[0]", .type = "uvec2", .offset = 64, .step = 16},
                      {.name = "m[1]", .type = "uvec2", .offset = 68, .step = 16},
                      {.name = "points[].at", .type = "vec2[]", .offset = 96, .stride = 12},
                      {.name = "points[].kind", .type = "int[]", .offset = 104, .stride = 12}}};
}

std::string kinds_of(const BlockWords& words, std::size_t first, std::size_t count) {
  std::string kinds;
  for (std::size_t i = first; i < first + count; ++i) {
    const Base base = words[i];
    kinds += base == Base::f32 ? 'f' : base == Base::i32 ? 'i' : base == Base::u32 ? 'u' : '.';
  }
  return kinds;
}

TEST(BlockWords, AreThoseOfMembers) {
  const Variable block = lights();
  const BlockWords words({}, &block);
  EXPECT_EQ(kinds_of(words, 0, 24), "f...i...i...i...uu..uu..");
  EXPECT_EQ(kinds_of(words, 24, 9), "ffiffiffi") << "the points go on to the end";
  EXPECT_FALSE(words.all());
}

TEST(BlockWords, AreAsTheBlockSaysWhereNothingIsKnownOfMembers) {
  const Variable block{.name = "b", .type = "uint[]"};
  EXPECT_EQ(BlockWords({}, &block)[1000], Base::u32);
  EXPECT_EQ(BlockWords({}, nullptr)[0], Base::f32);
  EXPECT_EQ(BlockWords({.layout = ValueLayout::float_vec4s}, nullptr)[0], Base::real);
}

TEST(BlockWords, ThoseBetweenMembersDoNotCountWhereAllAreAlike) {
  const Variable alike{.members = {{.name = "modes", .type = "int[3]", .offset = 16, .stride = 16}}};
  EXPECT_EQ(BlockWords({}, &alike).all(), Base::i32);
  const Variable open{.members = {{.name = "c", .type = "uint[]", .offset = 0, .stride = 4}}};
  EXPECT_EQ(BlockWords({}, &open).all(), Base::u32);
}

TEST(BlockWords, MembersKnowTheirPlaces) {
  const Variable block = lights();
  EXPECT_EQ(closed_words(block), 22u);
  const auto word = [&](std::size_t member, std::uint64_t index) {
    return word_of(block.members[member], parse_glsl_type(block.members[member].type), index);
  };
  EXPECT_EQ(word(1, 2), 12u);
  EXPECT_EQ(word(3, 1), 21u) << "rows lie together";
  EXPECT_EQ(word(4, 3), 28u) << "y of the second point";
}

TEST(BlockWords, DamagedMembersTakeNoMemory) {
  const Variable huge{.members = {{.name = "a", .type = "int[4294967295]", .offset = 1 << 30, .stride = 1 << 30},
                                  {.name = "b", .type = "vec4[]", .offset = 1 << 30, .stride = 1 << 30},
                                  {.name = "c", .type = "nonsense[]", .offset = 0, .stride = 0}}};
  EXPECT_LE(closed_words(huge), std::size_t{1} << 22);
  EXPECT_EQ(BlockWords({}, &huge)[0], Base::other);
}

TEST(BlockWords, AnArrayWithoutAnEndHasWholeElements) {
  const Variable block = lights();
  EXPECT_EQ(whole_elements(block, 22), 22u) << "before the array";
  EXPECT_EQ(whole_elements(block, 24), 24u);
  EXPECT_EQ(whole_elements(block, 25), 27u);
  EXPECT_EQ(whole_elements(block, 27), 27u);
  EXPECT_EQ(whole_elements({}, 5), 5u);
}

TEST(BlockWords, AnElementOfAnArrayWithoutAnEndIsAMember) {
  const Variable block = lights();
  const auto kind = element_of(block, "points[2].kind");
  ASSERT_TRUE(kind);
  EXPECT_EQ(kind->type, "int");
  EXPECT_EQ(kind->offset, 128u);
  const Variable numbers{.members = {{.name = "numbers", .type = "uint[]", .offset = 4, .stride = 4}}};
  ASSERT_TRUE(element_of(numbers, "numbers[3]"));
  EXPECT_EQ(element_of(numbers, "numbers[3]")->offset, 16u);
  EXPECT_FALSE(element_of(block, "modes[1]")) << "which has an end";
}

}  // namespace
}  // namespace mobula::io
