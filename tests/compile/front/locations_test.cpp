#include "compile/front/locations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/build.h"
#include "compile/front/words.h"

namespace mobula::test {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

/// Inputs and outputs by name, with their locations.
std::map<std::string, std::uint32_t> locations_of(const std::string& text, Stage stage = Stage::vertex) {
  const auto module = spirv_of(text, stage);
  EXPECT_TRUE(module) << errors_of(module);
  if (!module) return {};
  std::map<std::uint32_t, std::string> names;
  std::map<std::string, std::uint32_t> found;
  compile::for_each_instruction(*module, [&](const compile::SpirvWords& each) {
    if (each.op() == spv::Op::OpName) names[each[1]] = compile::text_at(each.words.subspan(2));
    if (each.op() == spv::Op::OpDecorate && static_cast<spv::Decoration>(each[2]) == spv::Decoration::Location)
      EXPECT_TRUE(found.emplace(names[each[1]], each[3]).second) << names[each[1]] << " has two";
  });
  return found;
}

TEST(Locations, AreCountedInTheOrderOfDeclaration) {
  EXPECT_THAT(locations_of("#version 300 es\nin vec4 a; in vec4 b; out vec4 c; out vec4 d;\n"
                           "void main() { d = b; c = a; gl_Position = a; }\n"),
              UnorderedElementsAre(Pair("a", 0), Pair("b", 1), Pair("c", 0), Pair("d", 1)))
      << "though b and d are used first";
}

TEST(Locations, ArraysAndMatricesHaveSeveral) {
  EXPECT_THAT(locations_of("#version 300 es\nin mat3 m; in vec4 a; out vec2 t[5]; out mat2 n[2]; out vec4 z;\n"
                           "void main() { t[0] = a.xy; n[1] = mat2(a); z = vec4(m[0], 1); gl_Position = a; }\n"),
              UnorderedElementsAre(Pair("m", 0), Pair("a", 3), Pair("t", 0), Pair("n", 5), Pair("z", 9)));
}

TEST(Locations, StructuresAndBlocksToo) {
  EXPECT_THAT(locations_of("#version 320 es\nstruct S { vec4 a; mat3 b; }; in vec4 p; out S s;\n"
                           "out B { vec4 x; mat2 y; } block; out vec4 z;\n"
                           "void main() { s.a = p; block.x = p; z = p; gl_Position = p; }\n"),
              UnorderedElementsAre(Pair("p", 0), Pair("s", 0), Pair("block", 4), Pair("z", 7)));
}

TEST(Locations, AreCountedPastThoseOfTheSource) {
  EXPECT_THAT(locations_of("#version 310 es\nin vec4 p; layout(location = 0) in vec4 q; in mat2 m;\n"
                           "layout(location = 3) in vec4 r; in vec4 z; out vec4 n; layout(location = 0) out mat2 e;\n"
                           "void main() { gl_Position = p + r; n = q + z; e = m; }\n"),
              UnorderedElementsAre(Pair("q", 0), Pair("p", 1), Pair("m", 4), Pair("r", 3), Pair("z", 6), Pair("e", 0),
                                   Pair("n", 2)))
      << "two in a row are free behind r only";
}

TEST(Locations, ThoseOfTheSourceStay) {
  EXPECT_THAT(locations_of("#version 310 es\nlayout(location = 5) in vec4 a; in vec4 b;\n"
                           "void main() { gl_Position = a + b; }\n"),
              UnorderedElementsAre(Pair("a", 5), Pair("b", 0)));
}

TEST(Locations, WhatIsGlslsOwnHasNone) {
  EXPECT_THAT(locations_of("#version 120\nvoid main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; }\n"),
              IsEmpty());
  EXPECT_THAT(locations_of("#version 100\nvoid main() { gl_FragColor = gl_FragCoord; }\n", Stage::fragment), IsEmpty());
}

}  // namespace
}  // namespace mobula::test
