#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string>& programs() {
  static const std::vector<std::string> files{example("checker.frag.bin"), example("color.vert.bin"),
                                              example("rogue-loop.rgasm"), test_data("afuc/small.fw")};
  return files;
}

TEST(Stat, CountsProgramsOfAllMachines) {
  const Outcome outcome = run(with({"stat"}, programs()));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* target : {"midgard:t860", "utgard-gp:mali400", "rogue:usc", "afuc:a630"})
    EXPECT_THAT(outcome.out, HasSubstr(std::string(" (") + target + ")\n"));
  const auto result = parse_json(run(with({"stat", "--json"}, programs())).out).at(0)["result"];
  ASSERT_EQ(result["programs"].size(), 4u);
  EXPECT_EQ(result["programs"][0]["figures"]["words"], 9);
  EXPECT_EQ(result["programs"][0]["figures"]["bytes"], 240);
  EXPECT_EQ(result["programs"][0]["figures"]["shortest_cycles"], 3.5);
}

TEST(Stat, EveryProgramOfAFile) {
  const Outcome outcome = run({"stat", "-m", "midgard", test_data("formats/checker.c")});
  EXPECT_THAT(outcome.out, HasSubstr("checker.c#0 (midgard:t860)"));
  EXPECT_THAT(outcome.out, HasSubstr("checker.c#1 (midgard:t860)"));
  EXPECT_THAT(run({"stat", "-m", "midgard", "--index", "0", test_data("formats/checker.c")}).out, Not(HasSubstr("#")));
}

TEST(Stat, ABaselineFindsWhatGotWorse) {
  const Folder folder;
  const std::string baseline = folder.file("stat.json"),
                    shader = folder.file("a.bin", read(example("checker.frag.bin"))),
                    other = folder.file("b.bin", read(example("waves.frag.bin")));
  const std::vector<std::string> both{"stat", "-m", "midgard", shader, other, "--baseline", baseline};
  ASSERT_EQ(run(with(both, {"--update"})).status, 0);
  const Outcome same = run(both);
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out,
              HasSubstr("2 compared: 0 worse, 0 better, 0 within the threshold, 2 the same; 0 added, 0 removed"));

  // The shader got longer: 240 bytes became 336.
  write(shader, read(example("waves.frag.bin")));
  const Outcome worse = run(both);
  EXPECT_EQ(worse.status, 1);
  EXPECT_THAT(worse.out, HasSubstr("bytes                    240 -> 336          +40.0 %  worse"));
  EXPECT_THAT(worse.out, HasSubstr("2 compared: 1 worse"));
  EXPECT_EQ(run(with(both, {"--threshold", "80"})).status, 0);
  EXPECT_THAT(run(with(both, {"--threshold", "80"})).out, HasSubstr("within the threshold"));
  const auto comparison = parse_json(run(with(both, {"--json"})).out).at(0)["result"]["comparison"];
  EXPECT_EQ(comparison["worse"], 1);
  EXPECT_EQ(comparison["same"], 1);

  // The other way round it got better.
  ASSERT_EQ(run(with(both, {"--update"})).status, 0);
  write(shader, read(example("checker.frag.bin")));
  EXPECT_EQ(run(both).status, 0);
  EXPECT_THAT(run(both).out, HasSubstr("0 worse, 1 better"));
}

TEST(Stat, ProgramsThatCameOrWentAreTold) {
  const Folder folder;
  const std::string baseline = folder.file("stat.json");
  ASSERT_EQ(run({"stat", example("checker.frag.bin"), "--baseline", baseline, "--update"}).status, 0);
  const Outcome outcome = run({"stat", example("waves.frag.bin"), "--baseline", baseline});
  EXPECT_EQ(outcome.status, 0) << "nothing got worse";
  EXPECT_THAT(outcome.out, HasSubstr("added: " + example("waves.frag.bin")));
  EXPECT_THAT(outcome.out, HasSubstr("removed: " + example("checker.frag.bin")));
}

TEST(Stat, ALongestPathThatBecameUnboundedIsWorse) {
  const Folder folder;
  const std::string file = folder.file("a.gpasm", "{ p0 = attr0; a0 = mov p0.x; st0 v0.x = a0 }\n"),
                    baseline = folder.file("stat.json");
  ASSERT_EQ(run({"stat", file, "--baseline", baseline, "--update"}).status, 0);
  write(file, run({"disasm", example("loop.vert.bin")}).out);
  EXPECT_THAT(run({"stat", file, "--baseline", baseline}).out,
              testing::ContainsRegex("longest_cycles .* -> unbounded .* worse"));
}

TEST(Stat, FormatsOfOtherTools) {
  EXPECT_THAT(run({"stat", "--format", "shader-db", example("checker.frag.bin")}).out,
              HasSubstr(" - MESA_SHADER_FRAGMENT shader: 17 inst, 9 bundles, 15 quadwords, 2 registers, 4 threads, 0 "
                        "loops, 0:0 spills:fills\n"));
  // What Flutter's differ takes from each file: these members, and every property by its name.
  const auto document = nlohmann::json::parse(
      run({"stat", "--format", "offline-compiler", example("checker.frag.bin"), example("torus.vert.bin")}).out);
  ASSERT_EQ(document["shaders"].size(), 2u);
  const auto& shader = document["shaders"][0];
  EXPECT_TRUE(shader["hardware"]["core"].is_string());
  EXPECT_EQ(shader["shader"]["type"], "Fragment");
  EXPECT_TRUE(shader["filename"].is_string());
  std::set<std::string> names;
  for (const auto& property : shader["properties"])
    names.insert(property.at("name").get<std::string>()), (void)property.at("value");
  EXPECT_EQ(names, (std::set<std::string>{"has_side_effects", "has_uniform_computation", "modifies_coverage",
                                          "reads_color_buffer", "uses_late_zs_test", "uses_late_zs_update"}));
  const auto& variant = shader["variants"][0];
  EXPECT_EQ(variant["name"], "Main");
  for (const auto& property : variant["properties"]) (void)property.at("name"), (void)property.at("value");
  for (const char* path : {"longest_path_cycles", "shortest_path_cycles", "total_cycles"}) {
    EXPECT_EQ(variant["performance"][path]["cycle_count"].size(), variant["performance"]["pipelines"].size());
    EXPECT_TRUE(variant["performance"][path]["bound_pipelines"].is_array());
  }
}

TEST(Stat, RefusesWhatDoesNotFit) {
  const Folder folder;
  const std::string shader = example("checker.frag.bin"), baseline = folder.file("stat.json");
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--update"},
           {"--threshold", "2"},
           {"--format", "csv"},
           {"--format", "shader-db", "--json"},
           {"--baseline", baseline},
           {"--baseline", folder.file("x.json", "{}")},
           {"--baseline", folder.file("y.json", "[1")},
           {"--baseline",
            folder.file("z.json", R"({"schema": "mobula/baseline", "version": 1, "programs": [{"program": 7}]})")},
           {"--baseline", folder.file("w.json", R"({"schema": "mobula/baseline", "version": 2, "programs": []})")},
           {"--baseline", baseline, "--update", "--threshold", "1"},
           {"--baseline", baseline, "--format", "shader-db"}})
    EXPECT_EQ(run(with({"stat", shader}, more)).status, 2) << more.front() << ' ' << more.back();
  // A program that cannot be read writes no baseline, and hides no other.
  const Outcome half = run({"stat", "/nonexistent", shader, "--baseline", baseline, "--update"});
  EXPECT_EQ(half.status, 2);
  EXPECT_FALSE(std::filesystem::exists(baseline));
  EXPECT_THAT(run({"stat", "/nonexistent", shader}).out, HasSubstr("checker.frag.bin"));
}

}  // namespace
}  // namespace mobula::test
