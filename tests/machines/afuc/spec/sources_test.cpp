// The page that the tables' sources name has a section for each of them.
#include <gtest/gtest.h>

#include <set>

#include "machines/afuc/build.h"
#include "machines/afuc/check/rules.h"
#include "machines/afuc/machine.h"
#include "machines/afuc/spec/chips.h"
#include "machines/afuc/text/explain.h"
#include "machines/afuc/timing/timing.h"
#include "paths.h"
#include "seed_rows.h"

namespace mobula::afuc {
namespace {

TEST(Sources, HaveASectionOfTheReference) {
  std::set<std::string> cited;
  for (const Rule& each : rules) cited.emplace(each.fact.source);
  for (const TimingParameter& each : timing_model().parameters("")) cited.emplace(each.source);
  const Manual tables = manual();
  for (const ManualEntry& each : tables.entries) cited.insert(each.source);
  for (const ManualFormat& format : tables.formats)
    for (const ExplainedField& field : format.fields) cited.insert(field.source);
  const auto image = assemble_text(data_text("small.asm"));
  ASSERT_TRUE(image);
  for (const ExplainedWord& word : machine().explain(*image))
    for (const ExplainedField& field : word.fields) cited.insert(field.source);
  cited.erase("");
  EXPECT_GE(cited.size(), 18u);
  const std::set<std::string> sections = mobula::test::reference_sections("afuc");
  for (const std::string& each : cited) EXPECT_TRUE(sections.contains(each)) << each << " is cited and has no heading";
}

/// A row with the status seed says what the document says and no more: whoever changes one, or makes one, looks there.
TEST(Sources, SeedRowsAreThoseHeldToTheDocument) {
  std::set<std::string> rows = test::seed_rows(manual());
  for (const Rule& row : rules)
    if (row.fact.status == Status::seed) rows.insert(test::seed_row(row.code, row.fact.source, row.title));
  EXPECT_EQ(rows, test::names_of(test::rows_held_to_the_document("afuc")));
}

TEST(Sources, TheDocumentHasTheWordsThatSeedRowsRestOn) {
  const std::string document = test::founding_document("adreno-afuc.rst");
  if (document.empty()) GTEST_SKIP() << "the founding documents are not here";
  for (const test::SeedRow& row : test::rows_held_to_the_document("afuc"))
    EXPECT_NE(document.find(test::on_one_line(row.words)), std::string::npos) << row.name << ": " << row.words;
}

/// The document has names and meanings of instructions of a5xx and a6xx, and no bits.
TEST(Sources, TheDocumentSaysNothingOfBitsAndOfA7xx) {
  for (const Format* format : form::all)
    for (const Field* field : format->fields)
      EXPECT_NE(field->fact.status, Status::seed) << format->name << '.' << field->name;
  for (const Opcode& row : opcodes)
    if (row.fact.status == Status::seed) {
      EXPECT_EQ(row.generations & g78, 0) << row.name;
    }
  for (const Rule& row : rules) EXPECT_NE(row.fact.status, Status::seed) << row.code;
}

}  // namespace
}  // namespace mobula::afuc
