// Which groups nobody needs.
#include "machines/rogue/compile/tidy.h"

#include <gtest/gtest.h>

#include "machines/rogue/compile/groups.h"

namespace mobula::rogue_compiler {
namespace {

TEST(RogueTidy, DropsAllThatOnlyWhatIsDroppedReads) {
  Code code;
  code.blocks.resize(2);
  constexpr std::uint32_t chain = 40;
  code.blocks[0].code.push_back(move(constant(0), code.add()));
  for (std::uint32_t i = 1; i < chain; ++i) code.blocks[i % 2].code.push_back(move(word(i - 1), code.add()));
  const Operand kept = code.add();
  code.blocks[1].code.push_back(move(word(2), kept));
  code.blocks[1].code.push_back(move(kept, output(0)));
  code.blocks[1].code.push_back(move(kept, output(1)));
  tidy(code);
  EXPECT_EQ(code.blocks[0].code.size() + code.blocks[1].code.size(), 6U)
      << "words 0 to 2, what is made of the last, and what goes out";
}

}  // namespace
}  // namespace mobula::rogue_compiler
