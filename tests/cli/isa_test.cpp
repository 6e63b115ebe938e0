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

}  // namespace
}  // namespace mobula::test
