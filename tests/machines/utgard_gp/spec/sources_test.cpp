// Whoever is told "[binaries 3.4]" finds section 3.4 in the reference.
#include <gtest/gtest.h>

#include <set>

#include "machines/utgard_gp/check/rules.h"
#include "machines/utgard_gp/spec/spec.h"
#include "machines/utgard_gp/timing/timing.h"
#include "paths.h"

namespace mobula::utgard_gp {
namespace {

TEST(Sources, EverySectionThatIsCitedIsInTheReference) {
  std::set<std::string> cited;
  const auto cite = [&](const auto& rows) {
    for (const auto& row : rows) cited.insert(std::string(row.fact.source));
  };
  cite(mul_ops);
  cite(acc_ops);
  cite(cplx_ops);
  cite(pass_ops);
  cite(products);
  cite(rules);
  for (const Field* field : word::fields) cited.insert(std::string(field->fact.source));
  for (const TimingParameter& parameter : timing_model().parameters("")) cited.insert(std::string(parameter.source));
  EXPECT_GT(cited.size(), 15u);
  const std::set<std::string> there = mobula::test::reference_sections("utgard-gp");
  for (const std::string& section : cited) EXPECT_TRUE(there.contains(section)) << '\'' << section << '\'';
}

}  // namespace
}  // namespace mobula::utgard_gp
