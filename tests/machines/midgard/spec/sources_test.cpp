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

/// `seed` is what the first notes say: these operations, and no other. They name 3F (freduce) as well, of which nothing
/// but the name is known.
TEST(Sources, TheFirstNotesNameTheOperationsThatSaySo) {
  const std::set<unsigned> arithmetic{0x10, 0x14, 0x28, 0x2C, 0x30, 0x36, 0x37, 0x3C, 0x3D, 0x3E, 0x40, 0x46,
                                      0x58, 0x7B, 0x80, 0x81, 0x82, 0x83, 0x99, 0xA0, 0xA1, 0xA4, 0xA5, 0xB8,
                                      0xC5, 0xE8, 0xF0, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF9};
  const std::set<unsigned> load_store{0x03, 0x94, 0x95, 0x98, 0x99, 0xAC, 0xB0, 0xD4, 0xD5};
  for (const AluOp& row : alu_ops)
    EXPECT_EQ(row.fact.status == Status::seed, arithmetic.contains(row.opcode)) << row.name;
  for (const LsOp& row : ls_ops)
    EXPECT_EQ(row.fact.status == Status::seed, load_store.contains(row.opcode)) << row.name;
  for (const TexOp& row : tex_ops) EXPECT_NE(row.fact.status, Status::seed) << row.name;
  // Of the sixteen kinds of words the notes give six, and the 1 that ends.
  for (unsigned tag = 0; tag < tags.size(); ++tag)
    EXPECT_EQ(tags[tag].fact.status == Status::seed, (std::set{1U, 3U, 5U, 8U, 9U, 10U, 11U}.contains(tag))) << tag;
  for (const Format* format : formats())
    for (const Field* field : format->fields)
      if (field->values.data() == value::tag.data()) {
        EXPECT_NE(field->fact.status, Status::seed) << format->name << '.' << field->name;
      }
  std::set<std::string_view> of_rules;
  for (const Rule& row : rules)
    if (row.fact.status == Status::seed) of_rules.insert(row.code);
  // Words of 128 bits, next tags, r0 to r(23-N) and r(24-N) to r23.
  EXPECT_EQ(of_rules, (std::set<std::string_view>{"MD201", "MD205", "MD211", "MD258"}));
}

}  // namespace
}  // namespace mobula::midgard
