#include "compile/passes/tables.h"

#include <gtest/gtest.h>

#include "compile/passes/passes.h"
#include "compile/passes/simplify.h"

namespace mobula::test {
namespace {

using ssa::Op;

std::size_t stores(const ssa::Program& program) { return accessed(program, Op::store).size(); }
std::size_t tables(const ssa::Program& program) {
  const std::vector<bool> is_table = ssa::tables_of(program);
  return static_cast<std::size_t>(std::ranges::count(is_table, true));
}

ssa::Program with_tables(const std::string& body) {
  return checked(body, [](ssa::Program& program) {
    ssa::simplify(program);
    ssa::find_tables(program);
  });
}

TEST(Tables, EveryUseOfAConstantArrayIsOfOneTable) {
  const ssa::Program result = with_tables(
      "const float t[5] = float[5](1.5, 2.5, 3.5, 4.5, 5.5); void main() { colour = vec4(t[abs(n) % 5], t[(abs(n) + 1) "
      "% 5], 0.0, 1.0); }");
  EXPECT_EQ(stores(result), 0u) << ssa::print(result);
  const std::vector<std::uint32_t> read = accessed(result, Op::load);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0], read[1]);
  EXPECT_EQ(std::bit_cast<float>(result.variables[read[0]].initial[4][0]), 5.5F);
}

TEST(Tables, OfVectorsAndWholeNumbers) {
  const ssa::Program result = with_tables(
      "const vec2 a[3] = vec2[3](vec2(1, 2), vec2(3, 4), vec2(5, 6)); const int b[3] = int[3](7, -8, 9);\n"
      "void main() { int i = abs(n) % 3; colour = vec4(a[i], float(b[i]), 1.0); }");
  EXPECT_EQ(stores(result), 0u) << ssa::print(result);
  EXPECT_EQ(tables(result), 2u);
}

TEST(Tables, ThoseOfALoopAreNotStoredInEachTurn) {
  const ssa::Program result = with_tables(
      "void main() { colour = vec4(0.0); for (int i = 0; i < 5 + n; ++i) { float t[3] = float[3](1.0, 2.0, 4.0); "
      "colour "
      "+= t[i % 3]; } }");
  EXPECT_EQ(stores(result), 0u) << ssa::print(result);
}

TEST(Tables, WhatChangesIsNone) {
  const std::string begin = "void main() { float t[3]; t[0] = 1.0; t[1] = 2.0; ";
  const std::string end = "colour = vec4(t[abs(n) % 3]); }";
  EXPECT_EQ(stores(with_tables(begin + "t[2] = 4.0; " + end)), 0u);
  for (const char* const change : {"t[2] = u.x; ",                                 // no constant
                                   "t[2] = 4.0; t[0] = 3.0; ",                     // stored twice
                                   "t[2] = 4.0; t[abs(n) % 3] = 0.0; ",            // by an index
                                   "t[2] = 0.0; if (v.x > 0.0) t[2] = 4.0; ",      // twice, under a condition
                                   "colour = vec4(t[abs(n) % 2]); t[2] = 4.0; "})  // read before
    EXPECT_GT(stores(with_tables(begin + change + end)), 0u) << change;
  const ssa::Program later = with_tables(
      "void main() { float t[2]; colour = vec4(0.0); for (int i = 0; i < 3; ++i) { if (i > 0) colour += t[i & 1]; t[0] "
      "= "
      "1.0; t[1] = 2.0; } }");
  EXPECT_GT(stores(later), 0u) << "read in the next turn\n" << ssa::print(later);
}

TEST(Tables, BecomeUniformsAsFarAsThereIsRoom) {
  ssa::Program program = with_tables(
      "const float a[3] = float[3](1.0, 2.0, 3.0); const float b[4] = float[4](1.0, 2.0, 3.0, 4.0); void main() { "
      "colour "
      "= vec4(a[abs(n) % 3], b[abs(n) % 4], 0.0, 1.0); }");
  const auto uniforms = [&] {
    return std::ranges::count_if(program.variables, [](const ssa::Variable& variable) {
      return variable.storage == ssa::Storage::uniform && variable.is_table;
    });
  };
  ssa::tables_to_uniforms(program, 16);
  EXPECT_EQ(uniforms(), 1);
  ssa::tables_to_uniforms(program, 16);
  EXPECT_EQ(uniforms(), 2) << "and the other one by itself";
  EXPECT_EQ(tables(program), 0u) << "uniforms are none";
}

TEST(Tables, WhatThereIsAtFirstIsStored) {
  const ssa::Program result =
      checked("const float t[3] = float[3](1.0, 2.0, 4.0); void main() { colour = vec4(t[abs(n) % 3]); }",
              [](ssa::Program& program) {
                ssa::simplify(program);
                ssa::find_tables(program);
                ssa::store_initial(program, ssa::Storage::local);
              });
  EXPECT_EQ(stores(result), 3u) << ssa::print(result);
  EXPECT_EQ(tables(result), 0u);
}

}  // namespace
}  // namespace mobula::test
