#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "mobula/isa/ir.h"
#include "paths.h"

namespace mobula::ir {
namespace {

/// The table of docs/ir.md.
std::string operation_table() {
  std::string table = "| operation | sources | types | result |\n| --- | --- | --- | --- |\n";
  for (std::uint32_t i = 0; i < op_count; ++i) {
    const OpInfo& op = info(static_cast<Op>(i));
    std::string summary;
    for (const char c : op.summary) summary += c == '|' ? "\\|" : std::string(1, c);
    table += "| `" + std::string(op.name) + "` | " + std::to_string(op.sources) + " | " + op.types + " | " + summary +
             " |\n";
  }
  return table;
}

TEST(Definition, TheManualListsEveryOperation) {
  std::ifstream file(mobula::test::source_file("docs/ir.md"));
  std::ostringstream manual;
  manual << file.rdbuf();
  EXPECT_NE(manual.str().find(operation_table()), std::string::npos) << "docs/ir.md must contain this table:\n"
                                                                     << operation_table();
}

TEST(Definition, OperationsNeedAsManySourcesAsTheyHave) {
  for (std::uint32_t i = 0; i < op_count; ++i) EXPECT_LE(info(static_cast<Op>(i)).sources, 3u);
}

TEST(Definition, GroupsOfOperations) {
  const auto names = [](bool (*is_member)(Op)) {
    std::string list;
    for (std::uint32_t i = 0; i < op_count; ++i) {
      if (is_member(static_cast<Op>(i))) list += std::string(info(static_cast<Op>(i)).name) + " ";
    }
    return list;
  };
  EXPECT_EQ(names(is_control), "barrier branch branch_indirect discard end trap ");
  EXPECT_EQ(names(is_conversion), "f2f f2i f2u i2f u2f sext zext trunc sat_s2s sat_s2u sat_u2s sat_u2u ");
  EXPECT_EQ(names(is_float_comparison), "feq fne flt fle ");
}

TEST(Definition, TypesOfSourcesAndResults) {
  const Operation conversion{.op = Op::f2i, .type = Type::i16, .from = Type::f64};
  EXPECT_EQ(source_type(conversion), Type::f64);
  EXPECT_EQ(result_type(conversion), Type::i16);
  const Operation comparison{.op = Op::fle, .type = Type::f16, .from = Type::i64};
  EXPECT_EQ(source_type(comparison), Type::f16);
  EXPECT_EQ(result_type(comparison), Type::i16);
}

TEST(Definition, EveryNameIsThere) {
  EXPECT_EQ(name(Type::i8), "i8");
  EXPECT_EQ(name(Type::f64), "f64");
  EXPECT_EQ(name(Round::even), "even");
  EXPECT_EQ(name(Round::up), "up");
  EXPECT_EQ(name(Service::load_memory), "load_memory");
  EXPECT_EQ(name(Service::device_write), "device_write");
  EXPECT_EQ(name(Service::image_address), "image_address");
}

TEST(Definition, FindsSlotsAndBlocks) {
  Program program;
  program.slots = {{"r0", 0, 4}, {"r1", 4, 4}};
  program.blocks = {{.address = 0x10}, {.address = 0x18}, {.address = 0x40}};
  ASSERT_NE(program.find_slot("r1"), nullptr);
  EXPECT_EQ(program.find_slot("r1")->byte, 4u);
  EXPECT_EQ(program.find_slot("r"), nullptr);
  EXPECT_EQ(program.block_at(0x18), 1u);
  EXPECT_EQ(program.block_at(0x40), 2u);
  EXPECT_EQ(program.block_at(0x17), std::nullopt);
  EXPECT_EQ(program.block_at(0x41), std::nullopt);
}

}  // namespace
}  // namespace mobula::ir
