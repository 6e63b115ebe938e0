#include "io/lines.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "io/float_bits.h"

namespace mobula::io {
namespace {

/// The outputs that vertices show.
std::deque<std::vector<VaryingOutput>> outputs_of_vertices;

/// A vertex that a program put at pixel (x, y), with 1/w.
ThreadResult at(float x, float y, float reciprocal = 1) {
  const VaryingOutput position{
      .number = 2, .stored = 15, .value = {float_bits(x), float_bits(y), float_bits(0.5f), float_bits(reciprocal)}};
  return {.varyings = outputs_of_vertices.emplace_back(1, position)};
}
ThreadResult coloured(ThreadResult vertex, float red) {
  std::vector<VaryingOutput>& list = outputs_of_vertices.emplace_back(vertex.varyings.begin(), vertex.varyings.end());
  list.push_back({.number = 5, .stored = 7, .value = {float_bits(red), 0, float_bits(1), 0}});
  vertex.varyings = list;
  return vertex;
}

/// The covered pixels as text, a row a line.
std::string drawn(const std::vector<ThreadResult>& vertices, ImageSize size,
                  const std::vector<std::array<std::uint32_t, 3>>& triangles = {}) {
  const ImageResult image = draw_lines(vertices, triangles, 2, {}, size);
  std::string text;
  for (std::uint32_t y = 0; y < size.height; ++y) {
    for (std::uint32_t x = 0; x < size.width; ++x) text += image.covered[y * size.width + x] ? '#' : '.';
    text += '\n';
  }
  return text;
}

TEST(Lines, ATriangleHasThreeEdges) {
  EXPECT_EQ(drawn({at(0.5f, 0.5f), at(4.5f, 0.5f), at(0.5f, 4.5f)}, {6, 6}),
            "#####.\n"
            "#..#..\n"
            "#.#...\n"
            "##....\n"
            "#.....\n"
            "......\n");
}

TEST(Lines, TrianglesAreConsecutiveVerticesUnlessGiven) {
  const std::vector<ThreadResult> vertices{at(0.5f, 0.5f), at(3.5f, 0.5f), at(3.5f, 0.5f), at(0.5f, 1.5f)};
  EXPECT_EQ(drawn(vertices, {4, 2}), "####\n....\n");
  EXPECT_EQ(drawn(vertices, {4, 2}, {{0, 3, 3}}), "#...\n#...\n");
}

TEST(Lines, SteepLinesStepDownwards) {
  EXPECT_EQ(drawn({at(0.5f, 0.5f), at(1.5f, 4.5f), at(0.5f, 0.5f)}, {2, 5}), "#.\n#.\n.#\n.#\n.#\n");
}

TEST(Lines, WhatIsBeyondTheImageIsCutOff) {
  EXPECT_EQ(drawn({at(-1000, 1.5f), at(1000, 1.5f), at(1000, 1.5f)}, {4, 3}), "....\n####\n....\n");
  EXPECT_EQ(drawn({at(-5, -5), at(-5, 10), at(-9, 3)}, {4, 3}), "....\n....\n....\n");
  EXPECT_EQ(drawn({at(1.5f, -1e30f), at(1.5f, 1e30f), at(1.5f, 0)}, {3, 2}), ".#.\n.#.\n");
}

TEST(Lines, TheEndBehindTheEyeDoesNotFlipTheLine) {
  // w = 1 at (0.5, 0.5); w = -1 with x * w = 2.5: the line leaves to the right, as x/w grows while w falls to 0.
  EXPECT_EQ(drawn({at(0.5f, 0.5f), at(-2.5f, 0.5f, -1), at(0.5f, 0.5f)}, {4, 1}), "####\n");
  EXPECT_EQ(drawn({at(1, 0.5f, -1), at(2, 0.5f, -1), at(3, 0.5f, -1)}, {4, 1}), "....\n");
}

TEST(Lines, VerticesWithoutAPlaceAreLeftOut) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  for (const ThreadResult& wrong :
       {at(nan, 0), at(inf, 0), at(0, -inf), at(1, 1, 0), at(1, 1, nan), at(1, 1, inf), ThreadResult{}})
    EXPECT_EQ(drawn({at(0.5f, 0.5f), at(2.5f, 0.5f), wrong}, {3, 2}), "###\n...\n");
}

TEST(Lines, TheirColourRunsFromEndToEnd) {
  const ImageResult image =
      draw_lines({coloured(at(0, 0.5f), 0), coloured(at(4, 0.5f), 1), coloured(at(4, 0.5f), 1)}, {}, 2, 5, {4, 1});
  EXPECT_EQ(image.colours[0], (RunVec4{float_bits(0.125f), 0, float_bits(1), float_bits(1)}));
  EXPECT_EQ(image.colours[2], (RunVec4{float_bits(0.625f), 0, float_bits(1), float_bits(1)}));
  EXPECT_EQ(to_rgba8(draw_lines({}, {}, 2, {}, {1, 1}), ColourFormat::f32), (std::vector<std::uint8_t>{0, 0, 0, 255}));
}

TEST(Lines, PositionsInClipSpaceAreDividedAndPutOnTheScreen) {
  const auto in_clip_space = [](float x, float y, float w) { return at(x * w, y * w, w); };
  const std::vector<ThreadResult> vertices{in_clip_space(-0.9f, 0.9f, 1), in_clip_space(0.9f, 0.9f, 4),
                                           in_clip_space(-0.9f, -0.9f, 0.5f)};
  const ImageResult image = draw_lines(vertices, {}, 2, {}, {8, 8}, Positions::in_clip_space);
  const std::vector<ThreadResult> on_screen{at(0.4f, 0.4f), at(7.6f, 0.4f, 0.25f), at(0.4f, 7.6f, 2)};
  EXPECT_EQ(image.covered, draw_lines(on_screen, {}, 2, {}, {8, 8}).covered);
  EXPECT_EQ(image.covered[0], 1);
  EXPECT_EQ(image.covered[7], 1);
  EXPECT_EQ(image.covered[63], 0);
}

TEST(Lines, TheViewportOfAnImageHasYUpwards) {
  const Viewport viewport = viewport_of({200, 100});
  EXPECT_EQ(viewport.scale, (std::array<float, 3>{100, -50, 0.5f}));
  EXPECT_EQ(viewport.offset, (std::array<float, 3>{100, 50, 0.5f}));
}

}  // namespace
}  // namespace mobula::io
