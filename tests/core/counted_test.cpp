#include "core/counted.h"

#include <gtest/gtest.h>

namespace mobula {
namespace {

TEST(Counted, OneIsNotMany) {
  EXPECT_EQ(counted(0, "word"), "0 words");
  EXPECT_EQ(counted(1, "word"), "1 word");
  EXPECT_EQ(counted(2, "word"), "2 words");
  EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(0, "word is", "words are") + " missing", "0 words are missing");
}

}  // namespace
}  // namespace mobula
