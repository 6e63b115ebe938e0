#include "compile/cannot_do.h"

#include <gtest/gtest.h>

namespace mobula::test {
namespace {

TEST(CannotDo, SaysWhatWhereAndWhatHelps) {
  try {
    compile::cannot("what", 5, "hint");
  } catch (const compile::CannotDo& refused) {
    EXPECT_EQ(refused.why.code, "CO030");
    EXPECT_EQ(refused.why.message, "what");
    EXPECT_EQ(refused.why.where.line, 5U);
    EXPECT_EQ(refused.why.hint, "hint");
    return;
  }
  FAIL() << "nothing is thrown";
}

}  // namespace
}  // namespace mobula::test
