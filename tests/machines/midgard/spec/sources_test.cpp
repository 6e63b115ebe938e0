// What the tables cite can be read: docs/reference/midgard.md has a section for every source.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "machines/midgard/check/rules.h"
#include "machines/midgard/spec/spec.h"
#include "machines/midgard/text/explain.h"
#include "machines/midgard/timing/timing.h"
#include "machines/midgard/words.h"
#include "paths.h"
#include "seed_rows.h"

namespace mobula::midgard {
namespace {

std::string reference_page() { return read_file(mobula::test::source_file("docs/reference/midgard.md")); }

TEST(Sources, EverySectionThatATableCitesIsThere) {
  const std::set<std::string> there = mobula::test::reference_sections("midgard");
  const auto cites = [&](std::string_view source, std::string_view who) {
    EXPECT_TRUE(there.contains(std::string(source))) << who << " cites " << source;
  };
  for (const Rule& row : rules) cites(row.fact.source, row.code);
  for (const TagInfo& row : tags) cites(row.fact.source, row.name);
  for (const Product& row : products) cites(row.fact.source, row.name);
  const Manual manual = midgard::manual();
  for (const ManualFormat& format : manual.formats)
    for (const ExplainedField& field : format.fields) cites(field.source, format.name + "." + field.name);
  for (const ManualEntry& entry : manual.entries)
    if (entry.title != "directive") cites(entry.source, entry.mnemonic);
  for (const TimingParameter& row : timing_model().parameters({})) cites(row.source, row.name);
}

/// Its tables of operations are the program's.
TEST(Sources, ThePageListsEveryOperation) {
  const std::string page = reference_page();
  const auto line_of = [&](const auto& row, std::string_view units) {
    char number[8];
    std::snprintf(number, sizeof number, "0x%X", static_cast<unsigned>(row.opcode));
    return "| " + std::string(number) + " | " + std::string(row.name) + " | " + std::string(row.mnemonic) + " | " +
           std::string(units);
  };
  for (const AluOp& row : alu_ops) EXPECT_NE(page.find(line_of(row, "")), std::string::npos) << row.name;
  for (const LsOp& row : ls_ops)
    EXPECT_NE(page.find(line_of(row, row.meaning) + " | " + std::string(name(row.fact.status)) + " |\n"),
              std::string::npos)
        << row.name;
  for (const TexOp& row : tex_ops)
    EXPECT_NE(page.find(" | " + std::string(row.name) + " | " + std::string(row.mnemonic) + " | "), std::string::npos);
}

/// A row with the status seed says what the document says and no more: whoever changes one, or makes one, looks there.
TEST(Sources, SeedRowsAreThoseHeldToTheDocument) {
  std::set<std::string> rows = test::seed_rows(manual());
  for (const Rule& row : rules)
    if (row.fact.status == Status::seed) rows.insert(test::seed_row(row.code, row.fact.source, row.title));
  EXPECT_EQ(rows, test::names_of(test::rows_held_to_the_document("midgard")));
}

TEST(Sources, TheDocumentHasTheWordsThatSeedRowsRestOn) {
  const std::string document = test::founding_document("midgard-t6xx.txt");
  if (document.empty()) GTEST_SKIP() << "the founding documents are not here";
  for (const test::SeedRow& row : test::rows_held_to_the_document("midgard"))
    EXPECT_NE(document.find(test::on_one_line(row.words)), std::string::npos) << row.name << ": " << row.words;
}

/// Nor is what the notes leave out theirs: products with their features, texture operations, the tags of fields.
TEST(Sources, NoOtherTableRestsOnTheFirstNotes) {
  for (const Product& row : products) EXPECT_NE(row.fact.status, Status::seed) << row.name;
  for (const TexOp& row : tex_ops) EXPECT_NE(row.fact.status, Status::seed) << row.name;
  for (const TimingParameter& row : timing_model().parameters({})) EXPECT_NE(row.status, Status::seed) << row.name;
}

}  // namespace
}  // namespace mobula::midgard
