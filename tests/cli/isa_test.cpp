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

TEST(Isa, KnowsEveryNameOfFirmware) {
  const auto manual = [](const std::string& name) { return run({"isa", "afuc", name}).out; };
  EXPECT_NE(manual("comp").find("0x00 if a > b, 0x2b if equal"), std::string::npos);
  EXPECT_NE(manual("comp").find("read as cmp"), std::string::npos);
  for (const char* name : {"MARKER", "@MARKER"}) {
    EXPECT_NE(manual(name).find("a6xx, 0x098, in Mesa 26.1.0"), std::string::npos) << manual(name);
    EXPECT_NE(manual(name).find("a6xx, 0x12a, in Mesa 22.3.6 and 25.0.7"), std::string::npos);
  }
  EXPECT_NE(manual("CP_NOP").find("opcode and table entry 0x10"), std::string::npos);
  EXPECT_NE(manual("$01").find("packet header"), std::string::npos);
  EXPECT_NE(manual("$12").find("level of the indirect buffer"), std::string::npos);
  EXPECT_NE(manual("$addr").find("written"), std::string::npos);
  EXPECT_NE(manual("NRT_DATA").find("a6xx a7xx, 0xa2"), std::string::npos);
  EXPECT_NE(manual("%SP").find("a6xx and later, 0x05"), std::string::npos);
  EXPECT_EQ(run({"isa", "afuc", "CP_NOTHING"}).status, 1);
}

/// The first notes' names, numbers, registers and special values, with what they are found as.
TEST(Isa, FindsMidgardByEveryNameOfItsDocument) {
  const std::pair<const char*, const char*> all[] = {{"fadd", "ALU 0x10"},      {"fmul", "ALU 0x14"},
                                                     {"fmin", "ALU 0x28"},      {"fmax", "ALU 0x2C"},
                                                     {"fmov", "ALU 0x30"},      {"ffloor", "ALU 0x36"},
                                                     {"fceil", "ALU 0x37"},     {"fdot3", "ALU 0x3C"},
                                                     {"fdot3r", "ALU 0x3D"},    {"fdot4", "ALU 0x3E"},
                                                     {"freduce", "ALU 0x3F"},   {"iadd", "ALU 0x40"},
                                                     {"isub", "ALU 0x46"},      {"imul", "ALU 0x58"},
                                                     {"imov", "ALU 0x7B"},      {"feq", "ALU 0x80"},
                                                     {"fne", "ALU 0x81"},       {"flt", "ALU 0x82"},
                                                     {"fle", "ALU 0x83"},       {"f2i", "ALU 0x99"},
                                                     {"ieq", "ALU 0xA0"},       {"ine", "ALU 0xA1"},
                                                     {"ilt", "ALU 0xA4"},       {"ile", "ALU 0xA5"},
                                                     {"csel", "ALU 0xC5"},      {"i2f", "ALU 0xB8"},
                                                     {"fatan_pt2", "ALU 0xE8"}, {"frcp", "ALU 0xF0"},
                                                     {"frsqrt", "ALU 0xF2"},    {"fsqrt", "ALU 0xF3"},
                                                     {"fexp2", "ALU 0xF4"},     {"flog2", "ALU 0xF5"},
                                                     {"fsin", "ALU 0xF6"},      {"fcos", "ALU 0xF7"},
                                                     {"fatan_pt1", "ALU 0xF9"}, {"noop", "load/store 0x3"},
                                                     {"ld_attr_32", "0x94"},    {"ld_attr_16", "0x95"},
                                                     {"ld_vary_32", "0x98"},    {"ld_vary_16", "0x99"},
                                                     {"ld_uniform_16", "0xAC"}, {"st_vary_32", "0xD4"},
                                                     {"ld_uniform_32", "0xB0"}, {"st_vary_16", "0xD5"},
                                                     {"0x7B", "imov"},          {"7b", "imov"},
                                                     {"0xd4", "st_vary_32"},    {"03", "ld_st_noop"},
                                                     {"r24", "TMP0"},           {"r31", "COND"},
                                                     {"hr63", "COND"},          {"U3", "r8-r23"},
                                                     {"r7", "work register"},   {"K", "constants"},
                                                     {"sample_id", nullptr},    {"special.sample_id", "0x61"},
                                                     {"GROUP_ID", "workgroup"}, {"GRDESC_DER", "texture 9"}};
  for (const auto& [name, expected] : all) {
    const Outcome outcome = run({"isa", "midgard", name});
    EXPECT_EQ(outcome.status, expected != nullptr ? 0 : 1) << name;
    if (expected == nullptr) continue;
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << name << '\n' << outcome.out;
  }
  EXPECT_NE(run({"isa", "midgard", "f2i"}).out.find("Also called f2i."), std::string::npos);
  const auto entries = parse_json(run({"isa", "midgard", "fsin", "--json"}).out)[0]["result"]["entries"];
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0]["names"], (nlohmann::json{"fsinpi", "0xF6", "F6", "fsin"}));
}

}  // namespace
}  // namespace mobula::test
