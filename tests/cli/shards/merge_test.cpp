// --shard of the subcommands that take it, merge and shard.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using Words = std::vector<std::string>;

/// Programs of all machines, one with a rule broken, one that is none, one of several in a file, one twice.
Words corpus(const Folder& folder) {
  std::string broken = read(example("checker.frag.bin"));
  broken.resize(broken.size() - 8);
  return {example("waves.frag.bin"),   example("checker.frag.bin"),
          example("rogue-loop.rgasm"), folder.file("broken.bin", broken),
          test_data("afuc/small.fw"),  folder.file("README", "this is no code: \xff\xfe, and no UTF-8\n"),
          example("color.vert.bin"),   example("checker.frag.bin")};
}

/// Status, output and messages of the shards, run in this order and put together.
Outcome merged(const Folder& folder, const Words& command, int count, const Words& more = {}) {
  Words files{"merge"};
  for (int i = count - 1; i >= 0; --i) {
    const std::string shard = std::to_string(i) + '/' + std::to_string(count);
    files.push_back(folder.file(std::to_string(i) + "-of-" + std::to_string(count)));
    const Outcome outcome = run(with(command, {"--shard", shard, "-o", files.back()}));
    EXPECT_EQ(outcome.status, 0) << shard << ' ' << outcome.err;
    EXPECT_EQ(outcome.err, "") << "merge tells it";
  }
  return run(with(files, more));
}

void expect_same(const Outcome& whole, const Outcome& merged) {
  EXPECT_EQ(merged.out, whole.out);
  EXPECT_EQ(merged.err, whole.err);
  EXPECT_EQ(merged.status, whole.status);
}

TEST(Shards, MergeToWhatOneRunSays) {
  const Folder folder;
  const Words files = corpus(folder);
  const std::string baseline = folder.file("baseline.json");
  ASSERT_EQ(run({"stat", files[0], files[1], "--baseline", baseline, "--update"}).status, 0);
  const std::vector<Words> commands{{"check"},
                                    {"check", "--json"},
                                    {"check", "-m", "midgard:t860,midgard:t880"},
                                    {"stat"},
                                    {"stat", "--json"},
                                    {"stat", "--format", "shader-db"},
                                    {"stat", "--format", "offline-compiler"},
                                    {"stat", "--baseline", baseline},
                                    {"stat", "--baseline", baseline, "--json"}};
  Words once;  // a baseline has one of each
  for (const std::string& file : files)
    if (std::ranges::find(once, file) == once.end()) once.push_back(file);
  for (const Words& command : commands) {
    const Words all = with(command, std::ranges::find(command, baseline) == command.end() ? files : once);
    const Outcome whole = run(all);
    EXPECT_NE(whole.out, "");
    EXPECT_NE(whole.err, "");
    for (const int count : {1, 3, 11}) {
      SCOPED_TRACE(testing::PrintToString(command) + " in " + std::to_string(count));
      expect_same(whole, merged(folder, all, count));
    }
  }
}

TEST(Shards, AMergedBaselineIsTheSame) {
  const Folder folder;
  const Words files{example("waves.frag.bin"), example("checker.frag.bin"), example("color.vert.bin")};
  const std::string baseline = folder.file("baseline.json");
  const Words command = with({"stat", "--baseline", baseline, "--update"}, files);
  ASSERT_EQ(run(command).status, 0);
  const std::string whole = read(std::filesystem::path(baseline));
  std::filesystem::remove(baseline);
  ASSERT_EQ(merged(folder, command, 2).status, 0);
  EXPECT_EQ(read(std::filesystem::path(baseline)), whole);
}

std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = read(entry.path());
  return files;
}

TEST(Shards, CompileToTheSameFiles) {
  if (run({"compile", "--help"}).status != 0) GTEST_SKIP() << "built without the compiler of shaders";
  const Folder folder;
  const Words files{example("ripple.frag"), folder.file("wrong.frag", "#version 100\nvoid main() { x }\n"),
                    folder.file("plain.frag", "#version 100\nvoid main() { gl_FragColor = vec4(0.5); }\n")};
  const Words command = with({"compile", "-m", "midgard:t860", "--verify", "2"}, files);
  for (const char* name : {"whole", "merged"}) std::filesystem::create_directory(folder.file(name));
  const Outcome whole = run(with(command, {"-o", folder.file("whole")}));
  EXPECT_EQ(whole.status, 1);
  EXPECT_THAT(whole.err, HasSubstr("wrong.frag:2:"));
  expect_same(whole, merged(folder, command, 2, {"-o", folder.file("merged")}));
  const auto made = contents(folder.file("whole"));
  EXPECT_TRUE(made.contains("ripple.frag.bin") && made.contains("ripple.frag.json") && made.contains("plain.frag.bin"));
  EXPECT_FALSE(made.contains("wrong.frag.bin"));
  EXPECT_EQ(contents(folder.file("merged")), made);
  const Words text = with({"compile", "-m", "midgard:t860", "--verify", "0", "--emit", "asm"}, files);
  expect_same(run(text), merged(folder, text, 2));
  EXPECT_THAT(run(command).err, HasSubstr("the code of 3 files goes into a folder"));
  const std::string twin = folder.file("merged/plain.frag", "");
  EXPECT_THAT(run(with(command, {twin, "-o", folder.file("whole")})).err,
              HasSubstr("would both go into plain.frag.bin"));
}

class Merge : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) {
      parts_.push_back(folder_.file(std::to_string(i)));
      ASSERT_EQ(run(with(command_, {"--shard", std::to_string(i) + "/3", "-o", parts_.back()})).status, 0);
    }
  }
  /// What merging these says; nothing may come out.
  static std::string said(const Words& files) {
    const Outcome outcome = run(with({"merge"}, files));
    EXPECT_NE(outcome.status, 0);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  }

  Folder folder_;
  Words command_{"check", example("waves.frag.bin"), example("checker.frag.bin"), example("color.vert.bin"),
                 example("torus.vert.bin")};
  Words parts_;
};

TEST_F(Merge, NamesShardsThatAreMissingOrThereTwice) {
  EXPECT_THAT(said({parts_[0], parts_[2]}), HasSubstr("1 shard is missing: 1/3 [SH003]"));
  EXPECT_THAT(said({parts_[0], parts_[1], parts_[2], parts_[1]}),
              HasSubstr("shard 1/3 is there twice: " + parts_[1] + " and " + parts_[1]));
  const std::string half = folder_.file("half");
  ASSERT_EQ(run(with(command_, {"--shard", "1/2", "-o", half})).status, 0);
  EXPECT_THAT(said({parts_[0], half}), HasSubstr("[SH001]"));
}

TEST_F(Merge, TellsWhatIsNoWholeResult) {
  const std::string text = read(std::filesystem::path(parts_[1]));
  const auto with_second = [&](const std::string& other) {
    return said({parts_[0], folder_.file("other", other), parts_[2]});
  };
  for (std::size_t size = 1; size < text.size(); size += 97)
    EXPECT_THAT(with_second(text.substr(0, size)), AllOf(HasSubstr("other: error:"), HasSubstr("[SH00")));
  const std::size_t second = text.find('\n') + 1, third = text.find('\n', second) + 1;
  EXPECT_THAT(with_second(text.substr(0, second) + text.substr(third)), HasSubstr("pieces are missing [SH005]"));
  EXPECT_THAT(with_second(text.substr(0, second) + "{\"end\":0}\n"), HasSubstr("[SH005]"));
  EXPECT_THAT(with_second(text + text), HasSubstr("[SH005]"));
  EXPECT_THAT(with_second("point,points\n0,1\n"), HasSubstr("is not the result of a shard [SH004]"));
  EXPECT_THAT(with_second(""), HasSubstr("[SH004]"));
  EXPECT_THAT(with_second(text.substr(0, 100)), HasSubstr("not complete: its first line has no end [SH005]"));
}

/// Lines of a result with one piece that failed, and that is a text with diagnostics.
std::vector<nlohmann::json> lines_of(const Folder& folder, const std::string& command) {
  const std::string file = folder.file("whole");
  EXPECT_EQ(run({command, folder.file("no.mdg", ".machine midgard:t860\nnothing such\n"), "--shard", "0/1", "-o", file})
                .status,
            0);
  std::vector<nlohmann::json> lines;
  std::istringstream text(read(std::filesystem::path(file)));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  EXPECT_EQ(lines.size(), 3);
  return lines;
}
Outcome merge_of(const Folder& folder, const std::vector<nlohmann::json>& lines) {
  std::string text;
  for (const auto& line : lines) text += line.dump() + '\n';
  return run({"merge", folder.file("part", text)});
}

TEST(Shards, NameThePlaceInALine) {
  using Json = nlohmann::json;
  const Folder folder;
  const auto said = [&](const std::string& command, std::size_t line, const std::string& at, const Json& value) {
    std::vector<Json> lines = lines_of(folder, command);
    lines[line][Json::json_pointer(at)] = value;
    const Outcome outcome = merge_of(folder, lines);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("[SH007]"));
    return outcome.err.substr(std::min(outcome.err.find("part:"), outcome.err.size()));
  };
  EXPECT_THAT(said("check", 0, "/work/options/json", "yes"),
              StartsWith("part:1: error: options.json: found \"yes\"; allowed: true or false [SH007]"));
  EXPECT_THAT(said("check", 0, "/work/options", Json::object()),
              StartsWith("part:1: error: options: \"json\" is missing"));
  EXPECT_THAT(said("check", 0, "/work/pieces", -1),
              StartsWith("part:1: error: work.pieces: found -1; allowed: a whole"));
  EXPECT_THAT(said("check", 0, "/work/command", 7),
              StartsWith("part:1: error: work.command: found 7; allowed: a string"));
  EXPECT_THAT(said("check", 0, "/shard", "0/0"),
              StartsWith("part:1: error: shard: found \"0/0\"; allowed: \"INDEX/COUNT\""));
  EXPECT_THAT(said("stat", 0, "/work/options/format", "csv"),
              HasSubstr("options.format: found \"csv\"; allowed: \"text\""));
  EXPECT_THAT(said("stat", 0, "/work/options/threshold", -2), HasSubstr("options.threshold: found -2"));
  EXPECT_THAT(said("check", 1, "/status", 4294967297),
              StartsWith("part:2: error: status: found 4294967297; allowed: a whole"));
  EXPECT_THAT(said("check", 1, "/name", {{"bytes", "4-"}}),
              StartsWith("part:2: error: name: found an object; allowed"));
  EXPECT_THAT(said("check", 1, "/diagnostics/0/line", 1.5),
              StartsWith("part:2: error: diagnostics[0].line: found 1.5"));
  EXPECT_THAT(said("check", 1, "/diagnostics/0/severity", 9),
              StartsWith("part:2: error: diagnostics[0].severity: found 9"));
  std::vector<Json> twice = lines_of(folder, "check");
  twice.insert(twice.begin() + 1, twice[1]);
  EXPECT_THAT(merge_of(folder, twice).err, HasSubstr("part:3: error: piece: piece 0 is there twice [SH007]"));
  std::vector<Json> figures = lines_of(folder, "stat");
  figures[1]["text"] = R"({"programs":[{"program":"a","target":"b","figures":[["words","many"]]}],"failures":[]})";
  EXPECT_THAT(
      merge_of(folder, figures).err,
      HasSubstr("no.mdg: error: programs[0].figures[0]: found an array of 2; allowed: a name and a number [SH007]"));
  figures[1]["text"] = "none";
  EXPECT_THAT(merge_of(folder, figures).err, HasSubstr("no.mdg: error: not JSON"));
}

TEST(Shards, AreNeverABug) {
  using Json = nlohmann::json;
  const Folder folder;
  for (const char* command : {"check", "stat"}) {
    const std::vector<Json> lines = lines_of(folder, command);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Json flat = lines[i].flatten();
      for (auto at = flat.begin(); at != flat.end(); ++at)
        for (const Json& other : {Json(), Json(-1), Json(std::uint64_t(-1)), Json({{"bytes", "f"}})}) {
          SCOPED_TRACE(at.key() + " = " + other.dump());
          std::vector<Json> changed = lines;
          changed[i][Json::json_pointer(at.key())] = other;
          EXPECT_LE(merge_of(folder, changed).status, 2);
        }
    }
  }
}

TEST(Shards, TellApartWhatIsNoText) {
  if (run({"compile", "--help"}).status != 0) GTEST_SKIP() << "built without the compiler of shaders";
  const Folder folder;
  const Words files{example("ripple.frag"), folder.file("plain.frag", "#version 100\nvoid main() {}\n")};
  Words parts;
  for (const int i : {0, 1}) {
    parts.push_back(folder.file(std::to_string(i)));
    const Words command{
        "compile", "-m", "midgard:t860", "--verify", "0", "--emit", "asm", "-D", i == 0 ? "A=\xff" : "A=\xfe"};
    ASSERT_EQ(run(with(with(command, files), {"--shard", std::to_string(i) + "/2", "-o", parts.back()})).status, 0);
  }
  EXPECT_THAT(run(with({"merge"}, parts)).err, HasSubstr("made with other options [SH006]"));
}

TEST_F(Merge, TellsWhatIsOfOtherWork) {
  const auto other = [&](const Words& command) {
    EXPECT_EQ(run(with(command, {"--shard", "1/3", "-o", folder_.file("other")})).status, 0);
    return said({parts_[0], folder_.file("other"), parts_[2]});
  };
  Words turned = command_;
  std::ranges::reverse(turned.begin() + 1, turned.end());
  EXPECT_THAT(other(turned), AllOf(HasSubstr("in another order"), HasSubstr("[SH006]")));
  EXPECT_THAT(other(with(command_, {"-m", "midgard:t880"})), HasSubstr("made with other options [SH006]"));
  turned = command_;
  turned[0] = "stat";
  EXPECT_THAT(other(turned), HasSubstr("of another subcommand [SH006]"));
}

TEST_F(Merge, AMissingFileIsNoResult) {
  const std::string lost = folder_.file("lost.bin"), part = folder_.file("part");
  const Outcome outcome = run(with(command_, {lost, "--shard", "0/1", "-o", part}));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cannot read " + lost));
  EXPECT_FALSE(std::filesystem::exists(part));
  EXPECT_THAT(run(with(command_, {"--shard", "3/3"})).err, HasSubstr("--shard 3/3 is not a shard"));
}

TEST(Shards, OfAnyList) {
  const Outcome first = run({"shard", "0/2"}, "c\na\n\nb\n"), second = run({"shard", "1/2"}, "c\na\n\nb");
  EXPECT_EQ(first.out, "\nb\n");
  EXPECT_EQ(second.out, "c\na\n");
  const auto result = parse_json(run({"shard", "1/2", "--json"}, "c\na\n\nb\n").out)[0]["result"];
  EXPECT_EQ(result["pieces"], 4);
  EXPECT_EQ(result["own"], nlohmann::json::parse(R"([{"piece":0,"line":"c"},{"piece":1,"line":"a"}])"));
  EXPECT_EQ(run({"shard", "2/2"}, "a\n").status, 2);
}

TEST(Shards, OfSweepsAreNamedToo) {
  const Folder folder;
  const Words command{"scoreboard", "sweep",         "--mix", "fp",     "--seeds",
                      "3",          "--count",       "30",    "--axis", "virtual_registers.rows=4,8",
                      "--axis",     "ports.read=1,0"};
  const Outcome whole = run(command);
  Words parts, merge{"scoreboard", "merge"};
  for (int i = 0; i < 20; ++i) {  // more than points: some tables have no row
    parts.push_back(folder.file(std::to_string(i)));
    const Outcome outcome = run(with(command, {"--shard", std::to_string(i) + "/20", "-o", parts.back()}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  expect_same(whole, run(with(merge, parts)));
  EXPECT_EQ(whole.status, 1) << "some points fail, and both say so";
  Words fewer = parts;
  fewer.erase(fewer.begin() + 15);
  EXPECT_THAT(run(with(merge, fewer)).err, HasSubstr("1 shard is missing: 15/20 [SH003]"));
  EXPECT_THAT(run(with(merge, with(parts, {parts[3]}))).err, HasSubstr("shard 3/20 is there twice"));
  const std::string table = read(std::filesystem::path(parts[3]));
  write(parts[3], table.substr(0, table.find('\n') + 1));
  EXPECT_THAT(run(with(merge, parts)).err, HasSubstr("missing"));
}

}  // namespace
}  // namespace mobula::test
