#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::AllOf;
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

TEST(Stat, SeveralMachinesInOneTable) {
  const Outcome outcome = run({"stat", "-m", "midgard:t860,midgard:t880", example("waves.frag.bin")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("(midgard:t860)\n"), HasSubstr("(midgard:t880)\n")));
  const Outcome other = run({"disasm", "-m", "midgard:t860,midgard:t880", example("waves.frag.bin")});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("midgard:t860,midgard:t880 is for mobula check, stat and time"));
}

TEST(Stat, EveryProgramOfAFile) {
  const Folder folder;
  std::string text = read(std::filesystem::path(test_data("formats/checker.c")));
  const std::string once = text;
  const std::string file = folder.file("three.c", text.append(once));
  const Outcome outcome = run({"stat", "-m", "midgard", file});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("three.c#0 (midgard:t860)"), HasSubstr("three.c#2 (midgard:t860)")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("#1"))) << "which is no code";
  EXPECT_THAT(outcome.err, HasSubstr("[TM009]"));
  EXPECT_THAT(run({"stat", "-m", "midgard", "--index", "0", test_data("formats/checker.c")}).out, Not(HasSubstr("#")));
}

/// A script that takes the status for an answer is not told that nothing got worse.
TEST(Stat, WhatFailsHasALine) {
  for (const char* subcommand : {"stat", "coverage"}) {
    const Outcome outcome = run({subcommand, "--json", "/nonexistent", example("checker.frag.bin")});
    EXPECT_EQ(outcome.status, 2);
    const auto lines = parse_json(outcome.out);
    ASSERT_EQ(lines.size(), 2u) << outcome.out;
    EXPECT_EQ(lines[0]["schema"], "mobula/error");
    EXPECT_EQ(lines[0]["input"]["file"], "/nonexistent");
    EXPECT_EQ(lines[1]["schema"], std::string("mobula/") + subcommand);
  }
}

TEST(Stat, ProgramsAreFoundAgainUnderAnyPath) {
  const Folder folder;
  const std::string baseline = folder.file("stat.json"), shader = folder.file("a.bin", read(example("waves.frag.bin")));
  ASSERT_EQ(run({"stat", "-m", "midgard", folder.file("./a.bin"), "--baseline", baseline, "--update"}).status, 0);
  const Outcome same = run({"stat", "-m", "midgard", folder.file(".//a.bin"), "--baseline", baseline});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("1 compared: "));
  const Outcome other = run({"stat", example("checker.frag.bin"), "--baseline", baseline});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("nothing was compared"));
  EXPECT_THAT(other.out, HasSubstr("0 compared: "));
}

TEST(Stat, ProgramsAreFoundAgainByTheirWholePath) {
  const Folder folder;
  const std::string baseline = folder.file("stat.json"), whole = folder.file("a.bin", read(example("waves.frag.bin")));
  const std::string from_here = std::filesystem::proximate(whole).string();
  ASSERT_NE(from_here, whole);
  for (const auto& [before, now] : {std::pair(from_here, whole), std::pair(whole, from_here)}) {
    std::filesystem::remove(baseline);
    ASSERT_EQ(run({"stat", "-m", "midgard", before, "--baseline", baseline, "--update"}).status, 0);
    EXPECT_THAT(read(baseline), HasSubstr('"' + before + '"')) << "the name that was given";
    const Outcome outcome = run({"stat", "-m", "midgard", now, "--baseline", baseline});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("1 compared: 0 worse, 0 better, 0 within the threshold, 1 the same; 0 added, 0 "
                                       "removed"));
    EXPECT_EQ(run({"stat", "-m", "midgard:t880", now, "--baseline", baseline}).status, 1) << "another machine";
  }
  // Where both names are there, each finds its own.
  ASSERT_EQ(run({"stat", "-m", "midgard", whole, from_here, "--baseline", baseline, "--update"}).status, 0);
  EXPECT_THAT(run({"stat", "-m", "midgard", whole, from_here, "--baseline", baseline}).out,
              HasSubstr("2 the same; 0 added, 0 removed"));
  EXPECT_THAT(run({"stat", "-m", "midgard", whole, "--baseline", baseline}).out,
              HasSubstr("1 the same; 0 added, 1 removed"));
}

TEST(Stat, SymbolicLinksAreProgramsOfTheirOwn) {
  const Folder folder;
  const std::string baseline = folder.file("stat.json"), shader = folder.file("a.bin", read(example("waves.frag.bin")));
  const std::string link = folder.file("link.bin");
  std::filesystem::create_symlink(shader, link);
  ASSERT_EQ(run({"stat", "-m", "midgard", shader, "--baseline", baseline, "--update"}).status, 0);
  const Outcome outcome = run({"stat", "-m", "midgard", link, shader, "--baseline", baseline});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 the same; 1 added, 0 removed"));
}

/// Words are all of the image, instructions those that control reaches, whoever counts.
TEST(Stat, FirmwareIsCountedAsEverywhere) {
  const std::string file = test_data("afuc/small.fw");
  const auto figures = parse_json(run({"stat", "--json", file}).out).at(0)["result"]["programs"][0]["figures"];
  EXPECT_EQ(figures["words"], 167);
  EXPECT_EQ(figures["instructions"], 37);
  EXPECT_THAT(run({"info", file}).out, AllOf(HasSubstr(", 167 words"), HasSubstr("; 37 instructions, 0 that nothing "
                                                                                 "known reaches, 2 of data")));
  EXPECT_THAT(run({"coverage", file}).out, HasSubstr("afuc: 1 program, 167 words\n"));
  EXPECT_THAT(run({"time", file}).out, HasSubstr("\n167 words, 37 instructions\n"));
  EXPECT_THAT(run({"stat", "--format", "shader-db", file}).out, HasSubstr(": 37 inst, "));
}

TEST(Stat, WhatCannotBeExecutedHasNoFigures) {
  const Outcome outcome = run({"stat", "-m", "midgard:t604", example("checker.frag.bin")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[TM009]"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("checker.frag.bin (")));
}

TEST(Stat, FirmwareBeginsWithCode) {
  const Folder folder;
  const Outcome zeros = run({"stat", "-m", "afuc:a630", folder.file("zeros.fw", std::string(4000, '\0'))});
  EXPECT_EQ(zeros.status, 1);
  EXPECT_NE(zeros.err.find("[TM009]"), std::string::npos) << zeros.err;
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
  EXPECT_EQ(outcome.status, 1) << "nothing was compared";
  EXPECT_EQ(run({"stat", example("checker.frag.bin"), example("waves.frag.bin"), "--baseline", baseline}).status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("added: " + example("waves.frag.bin")));
  EXPECT_THAT(outcome.out, HasSubstr("removed: " + example("checker.frag.bin")));
}

/// Which it shows; the figures of programs that are not given are gone.
TEST(Stat, AnUpdateReplacesTheBaseline) {
  const Folder folder;
  const std::string baseline = folder.file("stat.json", ""), checker = example("checker.frag.bin"),
                    waves = example("waves.frag.bin");
  const Outcome first = run({"stat", checker, waves, "--baseline", baseline, "--update"});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("instr.")) << "there was nothing to compare with";
  const Outcome second = run({"stat", checker, "--baseline", baseline, "--update"});
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_THAT(second.out, HasSubstr("removed: " + waves));
  EXPECT_THAT(read(baseline), Not(HasSubstr("waves")));
  // What is no baseline is not lost.
  const std::string mine = folder.file("mine.json", "{\"precious\": 1}");
  EXPECT_EQ(run({"stat", checker, "--baseline", mine, "--update"}).status, 2);
  EXPECT_EQ(read(mine), "{\"precious\": 1}");
  EXPECT_EQ(run({"stat", checker, "--baseline", checker, "--update"}).status, 2);
  const Outcome half = run({"stat", "/nonexistent", checker, "--baseline", baseline, "--update"});
  EXPECT_THAT(half.err, HasSubstr("the baseline is not written"));
}

TEST(Stat, WrongBaselinesAreToldWithThePlace) {
  const Folder folder;
  const auto told = [&](const std::string& content) {
    return run({"stat", example("checker.frag.bin"), "--baseline", folder.file("b.json", content)}).err;
  };
  EXPECT_THAT(told("{\"schema\": \"mobula/baseline\",\n  oops"), HasSubstr("b.json:2:3: error: "));
  EXPECT_THAT(told(R"({"schema": "mobula/baseline", "schema": 1})"), HasSubstr("schema"));
  const std::string before = R"({"schema": "mobula/baseline", "version": 1, "programs": [)";
  EXPECT_THAT(told(before + R"({"program": "a", "target": "b", "figures": {"words": "x"}}]})"),
              HasSubstr("programs[0].figures.words: found \"x\"; allowed: a number"));
  EXPECT_THAT(told(before + R"({"program": "a"}]})"),
              HasSubstr("programs[0]: this program of the baseline has no \"target\" [TM010]"));
  EXPECT_THAT(told("{}"), HasSubstr("this is not a baseline: it has no \"schema\""));
  EXPECT_THAT(told(R"({"schema": "mobula/baseline", "version": 2})"), HasSubstr("this baseline is of another version"));
  for (const char* empty : {"", " \n"})
    EXPECT_THAT(told(empty),
                HasSubstr("b.json: error: this baseline is empty [TM010]\n  hint: mobula stat --baseline"));
}

TEST(Stat, ABaselineThatIsNotThereIsWrittenByUpdateAlone) {
  const Folder folder;
  const std::string checker = example("checker.frag.bin"), missing = folder.file("missing.json");
  const Outcome compared = run({"stat", checker, "--baseline", missing});
  EXPECT_EQ(compared.status, 2);
  EXPECT_THAT(compared.err, HasSubstr("there is no baseline " + missing + "\n  hint: --update writes it\n"));
  for (const std::string& file : {missing, folder.file("empty.json", "")}) {
    const Outcome written = run({"stat", checker, "--baseline", file, "--update"});
    EXPECT_EQ(written.status, 0);
    EXPECT_EQ(written.err, file + ": note: this baseline is new: it has 1 program\n");
    EXPECT_EQ(run({"stat", checker, "--baseline", file, "--update", "--json"}).err,
              file + ": note: this baseline is replaced: it now has 1 program\n");
    EXPECT_THAT(run({"stat", checker, "--baseline", file}).out,
                HasSubstr("1 compared: 0 worse, 0 better, 0 within the threshold, 1 the same"))
        << file;
  }
}

TEST(Stat, ABaselineHasEachProgramOnce) {
  const Folder folder;
  const std::string checker = example("checker.frag.bin"), file = folder.file("b.json");
  const Outcome twice = run({"stat", checker, checker, "--baseline", file, "--update"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("is given twice for midgard:t860, and a baseline has one of each"));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(run({"stat", checker, checker}).status, 0) << "a table may have it twice";
}

TEST(Stat, FirmwareHasLoopsAndAllItsBytes) {
  const auto result = parse_json(run({"stat", "--json", "-m", "afuc:a630", example("firmware.afuc")}).out).at(0);
  const auto& figures = result["result"]["programs"][0]["figures"];
  EXPECT_GT(figures["loops"], 0);
  const auto words = parse_json(run({"disasm", "--json", "-m", "afuc:a630", test_data("afuc/small.fw")}).out).at(0);
  EXPECT_EQ(parse_json(run({"stat", "--json", "-m", "afuc:a630", test_data("afuc/small.fw")}).out)
                .at(0)["result"]["programs"][0]["figures"]["bytes"],
            words["input"]["bytes"]);
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

/// A baseline that an older version wrote, say: what it does not have was not unbounded.
TEST(Stat, FiguresThatABaselineDoesNotHaveAreNotCompared) {
  const Folder folder;
  const std::string file = example("checker.frag.bin"), baseline = folder.file("stat.json");
  ASSERT_EQ(run({"stat", file, "--baseline", baseline, "--update"}).status, 0);
  std::string text = read(baseline);
  const std::size_t begin = text.find("\"words\""), end = text.find("\"bytes\"");
  ASSERT_LT(begin, end);
  write(baseline, text.erase(begin, end - begin));
  const Outcome outcome = run({"stat", file, "--baseline", baseline});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("words +- -> 9 +not in the baseline\n"));
  EXPECT_THAT(outcome.out, HasSubstr("0 worse, 0 better, 1 within"));
  const auto json = parse_json(run({"stat", "--json", file, "--baseline", baseline}).out).at(0);
  EXPECT_EQ(json["result"]["comparison"]["changes"][0]["known"], false) << json;
  write(baseline, text.insert(begin, "\"wards\": 3, "));
  EXPECT_THAT(run({"stat", file, "--baseline", baseline}).out,
              testing::ContainsRegex("wards +3 -> - +no longer counted\n"));
}

TEST(Stat, FormatsOfOtherTools) {
  EXPECT_THAT(run({"stat", "--format", "shader-db", example("checker.frag.bin")}).out,
              HasSubstr(" - MESA_SHADER_FRAGMENT shader: 17 inst, 9 bundles, 15 quadwords, 2 registers, 4 threads, 0 "
                        "loops, 0:0 spills:fills\n"));
}

/// The names and values of a list of properties.
nlohmann::json properties_of(const nlohmann::json& holder) {
  nlohmann::json found = nlohmann::json::object();
  for (const auto& property : holder.at("properties"))
    found[property.at("name").get<std::string>()] = property.at("value");
  return found;
}

std::set<std::string> names_of(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

/// Cycles of each pipe, and the names of the busiest ones, either of them null where they are not known.
void expect_path(const nlohmann::json& performance, const char* path) {
  const auto& cycles = performance.at(path);
  EXPECT_EQ(cycles.at("cycle_count").size(), performance.at("pipelines").size()) << path;
  for (const auto& count : cycles.at("cycle_count")) EXPECT_TRUE(count.is_number() || count.is_null()) << path;
  for (const auto& pipe : cycles.at("bound_pipelines")) EXPECT_TRUE(pipe.is_string() || pipe.is_null()) << path;
}

/// What Flutter's differ takes from a report on Mali-T880: it looks at this core and at Mali-G78, keys shaders by name
/// and core, and fails if a property that one of two reports has is missing in the other. The names are those of the
/// golden file that it keeps.
TEST(Stat, FluttersDifferReadsTheReport) {
  const auto report = nlohmann::json::parse(
      run({"stat", "-m", "midgard:t880", "--format", "offline-compiler", example("checker.frag.bin"),
           test_data("midgard/own_v_light.vert.t860.bin"), test_data("midgard/own_loopdyn.frag.t860.bin")})
          .out);
  ASSERT_EQ(report.at("shaders").size(), 3u);
  for (const auto& shader : report["shaders"]) {
    EXPECT_EQ(shader.at("hardware").at("core"), "Mali-T880");
    EXPECT_TRUE(shader.at("filename").is_string());
    EXPECT_TRUE(shader.at("shader").at("type").is_string());
    EXPECT_EQ(names_of(properties_of(shader)), std::set<std::string>{"has_uniform_computation"});
    ASSERT_EQ(shader.at("variants").size(), 1u);
    const auto& variant = shader["variants"][0];
    EXPECT_EQ(variant.at("name"), "Main");
    EXPECT_EQ(names_of(properties_of(variant)),
              (std::set<std::string>{"has_stack_spilling", "thread_occupancy", "uniform_registers_used",
                                     "work_registers_used"}));
    const auto& performance = variant.at("performance");
    EXPECT_EQ(performance.at("pipelines"), (nlohmann::json{"arithmetic", "load_store", "texture"}));
    for (const char* path : {"longest_path_cycles", "shortest_path_cycles", "total_cycles"})
      expect_path(performance, path);
  }
  EXPECT_EQ(report["shaders"][0]["shader"]["type"], "Fragment");
  EXPECT_EQ(report["shaders"][1]["shader"]["type"], "Vertex");
  // Numbers are those that ARM's compiler writes for as many words: as floats.
  const auto& counts = report["shaders"][0]["variants"][0]["performance"]["shortest_path_cycles"]["cycle_count"];
  for (const auto& count : counts) EXPECT_EQ(count.get<double>(), double(count.get<float>()));
}

TEST(Stat, TheFormatOfTheOfflineCompilerHasOneName) {
  for (const char* command : {"stat", "time"}) {
    const Outcome outcome = run({command, "--format", "malioc", example("checker.frag.bin")});
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("malioc is called offline-compiler")) << command;
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
