// Whoever is told "[binaries 3.4]" finds section 3.4 in the reference.
#include <gtest/gtest.h>

#include <set>

#include "machines/utgard_gp/check/rules.h"
#include "machines/utgard_gp/spec/spec.h"
#include "machines/utgard_gp/text/explain.h"
#include "machines/utgard_gp/timing/timing.h"
#include "paths.h"
#include "seed_rows.h"

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

/// A row with the status seed says what the document says and no more: whoever changes one, or makes one, looks there.
TEST(Sources, SeedRowsAreThoseHeldToTheDocument) {
  std::set<std::string> rows = test::seed_rows(manual());
  for (const Rule& row : rules)
    if (row.fact.status == Status::seed) rows.insert(test::seed_row(row.code, row.fact.source, row.title));
  EXPECT_EQ(rows, test::names_of(test::rows_held_to_the_document("utgard-gp")));
}

TEST(Sources, TheDocumentHasTheWordsThatSeedRowsRestOn) {
  const std::string document = test::founding_document("utgard-gp.txt");
  if (document.empty()) GTEST_SKIP() << "the founding documents are not here";
  for (const test::SeedRow& row : test::rows_held_to_the_document("utgard-gp"))
    EXPECT_NE(document.find(test::on_one_line(row.words)), std::string::npos) << row.name << ": " << row.words;
}

}  // namespace
}  // namespace mobula::utgard_gp
