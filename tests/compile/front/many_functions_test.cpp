#include "compile/front/many_functions.h"

#include <gmock/gmock.h>

#include "compile/build.h"
#include "compile/front/words.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

/// As many functions that each call the one before; main calls the last, and each line of `more` stands between.
std::string chain(unsigned count, const std::string& before = "", const std::string& after = "",
                  const std::string& line = "") {
  std::string text = "#version 320 es\nprecision highp float;\nuniform vec4 u; out vec4 o;\n" + before +
                     "\nfloat f0(float x) { return x * u.x; }\n";
  for (unsigned i = 1; i < count; ++i) {
    const std::string other = 'f' + std::to_string(i - 1) + "(x + 1.0)";
    text += "float f" + std::to_string(i) + "(float x) { return " + other + " * u.y; }\n";
  }
  return text + after + "\nvoid main() {\n" + line + "\no = vec4(f" + std::to_string(count - 1) + "(u.z)); }\n";
}

std::size_t functions_of(const std::string& text) {
  const auto module = spirv_of(text);
  EXPECT_TRUE(module) << errors_of(module);
  std::size_t found = 0;
  if (module)
    compile::for_each_instruction(
        *module, [&](const compile::SpirvWords& each) { found += each.op() == spv::Op::OpFunction ? 1 : 0; });
  return found;
}

TEST(ManyFunctions, WhatNothingCallsIsDropped) {
  const std::string unused = "float g(float x) { return x; } float h(float x) { return g(x) + f0(x); }";
  for (const unsigned count : {10U, 200U}) EXPECT_EQ(functions_of(chain(count, "", unused)), count + 1) << count;
}

TEST(ManyFunctions, WhatIsNotThereOrCallsItselfIsToldAsOfFew) {
  for (const unsigned count : {10U, 200U}) {
    EXPECT_THAT(errors_of(spirv_of(chain(count, "float g(float x);", "", "o.x = g(1.0);"))),
                HasSubstr("is called and has no body"));
    const std::string round = "float b(float x) { return a(x); } float a(float x) { return b(x); }";
    EXPECT_THAT(errors_of(spirv_of(chain(count, "float a(float x);", round, "o.x = a(1.0);"))),
                HasSubstr("leads back to it"))
        << count;
    EXPECT_THAT(errors_of(spirv_of(chain(count, "float a(float x);", round))), HasSubstr("leads back to it"))
        << "even where nothing calls it";
  }
}

}  // namespace
}  // namespace mobula::test
