// Machine code of another compiler, beside the source that it was made of: all of it does what the source says, and
// what is broken is found.
#include "compile/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compile/build.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/load.h"
#include "paths.h"

namespace mobula::test {
namespace {

using Json = nlohmann::json;
using compile::verify;
using testing::HasSubstr;

/// A source of the references, and one of the binaries that were made of it.
struct Pair {
  std::string name;
  ssa::Program form;
  Program code;
};

std::vector<Pair> pairs(const std::string& only = "") {
  std::vector<Pair> all;
  const std::filesystem::path folder = sample("midgard");
  if (!std::filesystem::is_directory(folder / "ref")) return all;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "ref")) {
    const Json json = Json::parse(std::ifstream(entry.path()));
    if (!only.empty() && json["source"] != only) continue;
    const std::string stage = json["stage"];
    const auto form = ssa_of(json["glsl"].get<std::string>(), stage == "vert"   ? Stage::vertex
                                                              : stage == "comp" ? Stage::compute
                                                                                : Stage::fragment);
    EXPECT_TRUE(form) << errors_of(form);
    for (const Json& name : json["binaries"]) {
      const auto code = load_program_file((folder / (name.get<std::string>() + ".bin")).string());
      EXPECT_TRUE(code) << errors_of(code);
      if (form && code) all.push_back({name, *form, *code});
    }
  }
  return all;
}

TEST(Verify, CodeOfAnotherCompilerDoesWhatItsSourceSays) {
  const std::vector<Pair> all = pairs();
  if (all.empty()) GTEST_SKIP() << "no samples";
  for (const Pair& each : all) {
    const auto outcome = verify(each.form, each.code, {.runs = 32, .seed = 7});
    ASSERT_TRUE(outcome) << each.name << errors_of(outcome);
    EXPECT_FALSE(outcome->difference) << each.name << render({to_diagnostic(*outcome->difference)});
    EXPECT_GT(outcome->compared, outcome->open / 8) << each.name;
    EXPECT_GT(outcome->runs, 24U) << each.name;
  }
  EXPECT_EQ(all.size(), 74U);
}

}  // namespace
}  // namespace mobula::test
