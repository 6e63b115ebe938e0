// The page that the tables' sources name has a section for each of them.
#include <gtest/gtest.h>

#include <set>

#include "machines/rogue/check/rules.h"
#include "machines/rogue/machine.h"
#include "machines/rogue/programs.h"
#include "machines/rogue/text/explain.h"
#include "machines/rogue/timing/timing.h"
#include "paths.h"
#include "seed_rows.h"

namespace mobula::rogue {
namespace {

TEST(Sources, HaveASectionOfThePage) {
  std::set<std::string> cited;
  for (const RogueRule& each : rules) cited.emplace(each.rule.fact.source);
  for (const TimingParameter& each : timing_model().parameters("")) cited.emplace(each.source);
  const Manual tables = manual();
  for (const ManualEntry& each : tables.entries) cited.insert(each.source);
  for (const ManualFormat& format : tables.formats)
    for (const ExplainedField& field : format.fields) cited.insert(field.source);
  auto padded =
      parse({"t", "nop\nsop r8, r0, r1, add, r2, r3\ngta r8, r9, _, r3, r0, r1, r4, r5\nnop.end\n.byte 1, 2"}, "model");
  ASSERT_TRUE(padded);
  for (const ExplainedWord& word : machine().explain(*padded))
    for (const ExplainedField& field : word.fields) cited.insert(field.source);
  cited.erase("");
  EXPECT_GE(cited.size(), 55u);
  const std::set<std::string> sections = mobula::test::reference_sections("rogue");
  for (const std::string& each : cited) EXPECT_TRUE(sections.contains(each)) << each << " is cited and has no heading";
}

/// A row with the status seed says what the document says and no more: whoever changes one, or makes one, looks there.
TEST(Sources, SeedRowsAreThoseHeldToTheDocument) {
  std::set<std::string> rows = test::seed_rows(manual());
  for (const RogueRule& row : rules)
    if (row.rule.fact.status == Status::seed)
      rows.insert(test::seed_row(row.rule.code, row.rule.fact.source, row.rule.title));
  EXPECT_EQ(rows, test::names_of(test::rows_held_to_the_document("rogue")));
}

TEST(Sources, TheDocumentHasTheWordsThatSeedRowsRestOn) {
  const std::string document = test::founding_document("rogue-main-alu.txt");
  if (document.empty()) GTEST_SKIP() << "the founding documents are not here";
  for (const test::SeedRow& row : test::rows_held_to_the_document("rogue"))
    EXPECT_NE(document.find(test::on_one_line(row.words)), std::string::npos) << row.name << ": " << row.words;
}

}  // namespace
}  // namespace mobula::rogue
