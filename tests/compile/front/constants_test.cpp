#include "compile/front/constants.h"

#include <gtest/gtest.h>

#include <map>

#include "compile/build.h"
#include "compile/front/words.h"

namespace mobula::test {
namespace {

/// By type and value, how often each constant is there.
std::map<std::vector<std::uint32_t>, unsigned> constants_of(const std::string& body) {
  const auto module =
      spirv_of("#version 320 es\nprecision highp float;\nuniform vec4 u; out vec4 o;\nvoid main() {\n" + body + "}");
  EXPECT_TRUE(module) << errors_of(module);
  std::map<std::vector<std::uint32_t>, unsigned> found;
  if (!module) return found;
  compile::for_each_instruction(*module, [&](const compile::SpirvWords& each) {
    if (each.op() != spv::Op::OpConstant && each.op() != spv::Op::OpConstantComposite) return;
    std::vector<std::uint32_t> key(each.words.begin(), each.words.end());
    key.erase(key.begin() + 2);  // its own number
    ++found[key];
  });
  return found;
}

TEST(Constants, AreWrittenOnce) {
  const auto found = constants_of(
      "o = u * vec4(1.5, 2.5, 1.5, 3.5); o += vec4(1.5, 2.5, 1.5, 3.5) * 2.5; o.x += float(7 * int(u.x) + int(u.y) / "
      "7);\n"
      "o.y += -0.0 * u.z + 0.0; o *= vec4(uvec4(7u) / uvec4(u)); o.z -= u.x * 1.5;\n");
  for (const auto& [constant, times] : found) EXPECT_EQ(times, 1U);
  constexpr std::size_t numbers = 5, integers = 2, vectors = 1;
  EXPECT_GE(found.size(), numbers + integers + vectors);
}

TEST(Constants, OfWhichThereAreManyAreWrittenOnce) {
  std::string body;
  for (unsigned round = 0; round < 2; ++round)
    for (unsigned i = 0; i < 200; ++i) body += "o += u * " + std::to_string(i) + ".5;\n";
  const auto found = constants_of(body);
  EXPECT_GE(found.size(), 200U);
  for (const auto& [constant, times] : found) EXPECT_EQ(times, 1U);
}

TEST(Constants, OfAnotherShaderAreOthers) {
  for (const char* const body : {"o = vec4(1.5, 2.5, 3.5, 4.5);", "o = u + 4.5; o *= vec4(4.5, 3.5, 2.5, 1.5);"}) {
    const auto made =
        ssa_of(std::string("#version 320 es\nprecision highp float;\nuniform vec4 u; out vec4 o;\nvoid main() {") +
               body + "}");
    EXPECT_TRUE(made) << errors_of(made);
  }
}

}  // namespace
}  // namespace mobula::test
