#include <gtest/gtest.h>

#include "cli/shell.h"

namespace mobula::test {
namespace {

TEST(Isa, ListsMachinesWithVariantsSyntaxesAndPolicies) {
  const Outcome outcome = run({"isa"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("midgard  ARM Mali"), std::string::npos);
  EXPECT_NE(outcome.out.find("\n    t860  Mali-T860"), std::string::npos);
  const auto results = parse_json(run({"isa", "--json"}).out);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0]["result"]["machines"][0]["name"], "midgard");
}

}  // namespace
}  // namespace mobula::test
