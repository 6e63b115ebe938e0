#include <gtest/gtest.h>

#include "mobula/isa/machine.h"

namespace mobula {
namespace {

TEST(OneLine, JoinsLinesAndDropsBraces) {
  EXPECT_EQ(one_line("{\n  vmul.FMUL.f32 R0, R1, R2\n  break\n}\n"), "vmul.FMUL.f32 R0, R1, R2; break");
  EXPECT_EQ(one_line("add r1, r2;\n"), "add r1, r2");
  EXPECT_EQ(one_line("  no newline"), "no newline");
  EXPECT_EQ(one_line("{\n}\n\n"), "");
}

}  // namespace
}  // namespace mobula
