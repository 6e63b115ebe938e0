#include <gtest/gtest.h>

#include "cli/mbs.h"
#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

/// The small program of tests/data, as a file without a telling name.
std::string firmware(const Folder& folder) {
  const std::string file = folder.file("image.bin");
  const Outcome made = run({"asm", "-m", "afuc", test_data("afuc/small.asm"), "-o", file});
  EXPECT_EQ(made.status, 0) << made.err;
  return file;
}

TEST(Info, TellsIdProgramsAndPackets) {
  const Folder folder;
  const std::string file = firmware(folder);
  const Outcome outcome = run({"info", file});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("id 0x6ee, version 0x001"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("has CP_WHERE_AM_I, for a read pointer in memory: at least 0x190, or patched: no"),
            std::string::npos);
  const auto result = parse_json(run({"info", "--json", file}).out).at(0)["result"];
  EXPECT_EQ(result["chip"], "a630");
  EXPECT_EQ(result["cores"][0]["name"], "SQE");
  EXPECT_EQ(result["cores"][0]["functions"], 1);
  EXPECT_EQ(result["cores"][0]["call_depth"], 1);
  EXPECT_EQ(result["cores"][0]["packets"][0x10]["name"], "CP_NOP");
  EXPECT_EQ(result["cores"][0]["packets"].size(), 128u);
}

TEST(Info, FindsInstructionsWithAnyRegister) {
  const Folder folder;
  const std::string file = firmware(folder);
  const auto count = [&](const std::string& pattern) {
    return parse_json(run({"info", "--json", "--find", pattern, file}).out).at(0)["result"]["count"].get<int>();
  };
  EXPECT_EQ(count("mov $x, $regdata"), 2);
  EXPECT_EQ(count("mov $03, $regdata"), 1);
  EXPECT_EQ(count("mov $x, $x"), 0) << "one name is one register";
  EXPECT_EQ(count("(rep)mov $x, $x"), 1) << "(rep)mov $data, $data";
  EXPECT_EQ(count("mov $data, $y"), 2);
  EXPECT_EQ(run({"info", "--find", "mov $x, $x", file}).status, 1);
  const Outcome found = run({"info", "--find", "ushr $x, $01, 0x8", file});
  EXPECT_EQ(found.status, 0);
  EXPECT_NE(found.out.find("PKT4"), std::string::npos) << found.out;
  const Outcome wrong = run({"info", "--find", "and $x, $12", file});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("AF119"), std::string::npos) << wrong.err;
  for (const char* const mistyped : {"mov $99, $x", "mov $rm, $x", "mov $2, $x"}) {
    const Outcome refused = run({"info", "--find", mistyped, file});
    EXPECT_EQ(refused.status, 2) << mistyped;
    EXPECT_NE(refused.err.find("is not a register"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("$x, a letter, is any of them"), std::string::npos) << refused.err;
  }
}

/// Of a pattern, whatever the assembler was given in its place.
TEST(InfoFind, ErrorsShowWhatWasTyped) {
  const Folder folder;
  const std::string file = firmware(folder);
  const auto error = [&](const std::string& pattern) { return run({"info", "--find", pattern, file}).err; };
  EXPECT_EQ(error("mov $x, $02 $long"),
            "pattern:1:13: error: expected ',', found '$long' [AF101]\n  mov $x, $02 $long\n              ^~~~~\n")
      << "not '$00'";
  EXPECT_NE(error("brne $x, 0x33, #fxn120").find("\n  brne $x, 0x33, #fxn120\n           ^~~~\n"), std::string::npos);
  EXPECT_NE(error("nop\nmov $x, $q, $z").find("pattern:2:1:"), std::string::npos);
  EXPECT_NE(error("nop\nmov $x, $q, $z").find("\n  mov $x, $q, $z\n  ^~~"), std::string::npos);
  EXPECT_NE(error("and $x, $12, foo").find("pattern:1:14: error"), std::string::npos);
}

/// An ELF file of 32 bits whose first segment is hashes, and whose others are these.
std::string elf_file(const Folder& folder, const std::vector<std::string>& segments) {
  constexpr std::size_t header = 52, entry = 32;
  const std::size_t count = segments.size() + 1;
  std::string bytes(header + entry * count, '\0');
  const auto put = [&](std::size_t at, std::size_t width, std::size_t value) {
    for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
  };
  put(0, 4, 0x464C457F);
  put(4, 2, 0x0101);
  put(28, 4, header);
  put(42, 2, entry);
  put(44, 2, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string content = i == 0 ? "hash" : segments[i - 1];
    put(header + entry * i, 4, 1);
    put(header + entry * i + 4, 4, bytes.size());
    put(header + entry * i + 16, 4, content.size());
    put(header + entry * i + 24, 4, i == 0 ? 0x02000000 : 5);
    bytes += content;
  }
  return folder.file("zap.mbn", bytes);
}

TEST(Info, EveryCommandTakesFirmwareInAnElfFile) {
  const Folder folder;
  const std::string own = folder.file("own.fw");
  ASSERT_EQ(run({"asm", "-m", "afuc", test_data("afuc/run.asm"), "-o", own}).status, 0);
  const std::string stream = test_data("afuc/run.pm4");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{"info"},
                                                                                       {"disasm"},
                                                                                       {"check"},
                                                                                       {"cfg"},
                                                                                       {"ir"},
                                                                                       {"time"},
                                                                                       {"time", "--stream", stream},
                                                                                       {"run"},
                                                                                       {"run", "--stream", stream},
                                                                                       {"debug", "--stream", stream},
                                                                                       {"scoreboard", "run"}}) {
    std::vector<std::string> plain = command, wrapped = command, chosen = command;
    plain.push_back(own);
    wrapped.push_back(elf_file(folder, {read(own)}));
    Outcome expected = run(plain, "where\n"), outcome = run(wrapped, "where\n");
    EXPECT_EQ(outcome.status, expected.status) << command[0] << outcome.err;
    for (std::size_t at = expected.out.find(own); at != std::string::npos; at = expected.out.find(own))
      expected.out.replace(at, own.size(), wrapped.back());
    EXPECT_EQ(outcome.out, expected.out) << command[0];
  }
  const std::string two = elf_file(folder, {"\1\2\3\4", read(own)});
  const Outcome undecided = run({"run", two});
  EXPECT_NE(undecided.status, 0);
  EXPECT_NE(undecided.err.find("segment 2"), std::string::npos) << undecided.err;
  EXPECT_EQ(run({"run", "--index", "1", two}).status, 0);
}

TEST(Info, FindsInstructionsWithAnyTargetOrOne) {
  const Folder folder;
  const std::string file = folder.file(
      "a.asm",
      "[016ee001]\n[01000000]\nbrne $02, b0, #l8\nnop\ncall #fxn8\nnop\nbrne $03, b0, #l9\nnop\nfxn8: l8: ret\n"
      "l9: nop\nwaitin\nmov $01, $data\n");
  const auto count = [&](const std::string& pattern) {
    const Outcome outcome = run({"info", "-m", "afuc", "--json", "--find", pattern, file});
    return parse_json(outcome.out).at(0)["result"]["count"].get<int>();
  };
  EXPECT_EQ(count("brne $x, b0, #x"), 2);
  EXPECT_EQ(count("brne $02, b0, #x"), 1);
  EXPECT_EQ(count("brne $x, b1, #x"), 0);
  EXPECT_EQ(count("brne $x, b0, #l9"), 1);
  EXPECT_EQ(count("call #x"), 1);
  EXPECT_EQ(count("call #fxn8"), 1);
  EXPECT_EQ(count("brne $x, b?, #x"), 2);
  EXPECT_EQ(count("brne $x, ?, #x"), 0) << "compares with a number";
  const Outcome wrong = run({"info", "-m", "afuc", "--find", "call #fxn99", file});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("there is nothing called 'fxn99'"), std::string::npos) << wrong.err;
}

TEST(Info, FindsInstructionsWithAnyNumber) {
  const Folder folder;
  const std::string file = folder.file("a.asm",
                                       "[01740001]\n[01000000]\nmov $02, 0x5\nmov $03, 0x3 << 6\nand $02, $03, 0xffff\n"
                                       "cwrite $02, [$00 + 0x10]\ncwrite $02, [$03 + 0x7ff]\nubfx $02, $03, b4, b9\n"
                                       "ubfx $02, $03, b4, b31\nwaitin\nmov $01, $data\n");
  const auto count = [&](const std::string& pattern) {
    const Outcome outcome = run({"info", "-m", "afuc", "--json", "--find", pattern, file});
    return parse_json(outcome.out).at(0)["result"]["count"].get<int>();
  };
  EXPECT_EQ(count("mov $x, ?"), 1);
  EXPECT_EQ(count("mov $x, ? << ?"), 2);
  EXPECT_EQ(count("mov $x, ? << 6"), 1);
  EXPECT_EQ(count("and $x, $y, ?"), 1);
  EXPECT_EQ(count("cwrite $02, [$00 + ?]"), 1);
  EXPECT_EQ(count("cwrite $02, [$x + ?]"), 2);
  EXPECT_EQ(count("ubfx $x, $y, b?, b?"), 2);
  EXPECT_EQ(count("ubfx $x, $y, b?, b9"), 1);
  EXPECT_EQ(count("ubfx $x, $y, b5, b?"), 0);
}

TEST(Info, FindsInFirmwareOnly) {
  EXPECT_EQ(run({"info", "--find", "mov $x, $x", "-m", "midgard", example("checker.frag.bin")}).status, 2);
}

std::string tree(const std::string& stage, const std::string& code) {
  return chunk(stage, chunk("CMMN", chunk("OBJC", code)));
}

/// What a file holds, for every machine, and how to choose from it.
TEST(Info, ListsTheProgramsOfAFile) {
  const Folder folder;
  const std::string both =
      folder.file("both.mbs", chunk("MBS2", std::string(4, '\0') + tree("VERT", read(example("light.vert.bin"))) +
                                                tree("FRAG", read(example("checker.frag.bin")))));
  const Outcome outcome = run({"info", both});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("mbs: 2 programs\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("choose one with --index N, or with --stage"), std::string::npos);
  const auto programs = parse_json(run({"info", "--json", both}).out).at(0)["result"]["programs"];
  ASSERT_EQ(programs.size(), 2u);
  EXPECT_EQ(programs[0]["stage"], "vertex");
  EXPECT_EQ(programs[1]["stage"], "fragment");
  EXPECT_EQ(programs[1]["bytes"], 240);
  EXPECT_EQ(programs[1]["where"], "MBS2/FRAG/CMMN/OBJC");
  EXPECT_NE(run({"info", "--index", "1", both}).out.find("Mali-T860, 9 words, 17 instructions"), std::string::npos);
  EXPECT_EQ(run({"info", "--index", "2", both}).status, 2);
}

TEST(Info, OutputsInJsonSayWhereInTheirVaryingTheyBegin) {
  const Folder folder;
  const std::string code = folder.file("a.hex", "ad4ad6b5 038002b5 0007ff80 000ad500\n");
  folder.file("a.json", R"({"machine": "utgard-gp", "outputs": [{"name": "a", "type": "vec2", "driver_location": 3},
      {"name": "b", "type": "float", "driver_location": 3, "component": 2}]})");
  const auto program = parse_json(run({"info", "--json", code}).out).at(0)["result"]["programs"][0];
  EXPECT_EQ(program["outputs"], nlohmann::json::parse(R"([{"name": "a", "type": "vec2", "number": 3},
      {"name": "b", "type": "float", "number": 3, "component": 2}])"));
}

TEST(Info, VariablesAreInJsonToo) {
  const auto program =
      parse_json(run({"info", "--json", example("checker.frag.bin")}).out).at(0)["result"]["programs"][0];
  EXPECT_EQ(program["inputs"], nlohmann::json::parse(R"([{"name": "a", "type": "vec2", "number": 0}])"));
  EXPECT_EQ(program["uniforms"], nlohmann::json::parse(R"([{"name": "s", "type": "float", "number": 0}])"));
  EXPECT_EQ(program["outputs"][0]["type"], "vec4");
  EXPECT_FALSE(program.contains("storage_blocks"));
}

/// All of them, and in a time that grows as the file does: a test would not end otherwise.
TEST(Info, ListsThousandsOfPrograms) {
  const Folder folder;
  std::string trees = "head", arrays;
  for (unsigned i = 0; i < 5000; ++i) trees += chunk("MBS2", std::string(4, '\0') + tree("VERT", "1234567812345678"));
  const Outcome many = run({"info", folder.file("many.blob", trees)});
  EXPECT_EQ(many.status, 0) << many.err;
  EXPECT_NE(many.out.find("mbs: 5000 programs\n"), std::string::npos);
  for (unsigned i = 0; i < 20000; ++i)
    arrays += "static const uint32_t code" + std::to_string(i) + "[4] = {0x00000385, 0, 0xC0860990, 0x001403D3};\n";
  EXPECT_NE(run({"info", "-m", "midgard", folder.file("many.c", arrays)}).out.find("hex: 20000 programs\n"),
            std::string::npos);
}

TEST(Info, SaysWhereMachineOverridesTheFile) {
  const std::string checker = example("checker.frag.bin"), image = test_data("afuc/small.fw");
  EXPECT_EQ(run({"info", checker}).err, "");
  EXPECT_EQ(run({"info", checker, "-m", "midgard:t860"}).err, "");
  EXPECT_THAT(run({"info", checker, "-m", "midgard:t760"}).err,
              HasSubstr("note: by itself this is for midgard:t860; --machine takes it for midgard:t760 [FM068]"));
  EXPECT_EQ(run({"info", image, "-m", "afuc:a630"}).err, "") << "the chip that its id tells";
  EXPECT_THAT(run({"info", image, "-m", "afuc:a740"}).err,
              HasSubstr("note: by itself this is for afuc:a630; --machine takes it for afuc:a740 [FM068]"));
  EXPECT_THAT(run({"info", image, "-m", "rogue"}).err,
              HasSubstr("warning: the file says that this is code of afuc, and it is taken for rogue"));
}

TEST(Info, SaysWhereBytesAreNotCodeOfTheMachine) {
  const Folder folder;
  std::string bytes;
  for (std::uint32_t i = 0, x = 1; i < 4096; ++i) bytes += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  write(folder.file("random.bin"), bytes);
  for (const char* machine : {"midgard", "rogue", "afuc", "afuc:a530"}) {
    const Outcome outcome = run({"info", "-m", machine, folder.file("random.bin")});
    EXPECT_EQ(outcome.status, 1) << machine;
    EXPECT_NE(outcome.err.find("[FM057]"), std::string::npos) << machine << outcome.err;
    EXPECT_NE(outcome.out, "") << "what it holds is told all the same";
  }
  EXPECT_EQ(run({"info", "-m", "afuc:a630", firmware(folder)}).status, 0);
}

TEST(Info, TellsOfOneProgramWhatIsKnown) {
  for (const auto& [file, line] : std::vector<std::pair<std::string, std::string>>{
           {"checker.frag.bin", "Mali-T860, 9 words, 17 instructions, registers: 2 work, 1 uniform\ninputs: vec2 a\n"},
           {"color.vert.bin", "Mali-400 GP, 7 words, 22 instructions"},
           {"rogue-loop.rgasm", "PowerVR Rogue, "}})
    EXPECT_NE(run({"info", example(file)}).out.find(line), std::string::npos) << run({"info", example(file)}).out;
}

TEST(Info, SaysWhatIsMissing) {
  const Folder folder;
  const Outcome unknown = run({"info", folder.file("a.bin", std::string("\1\2\3\4", 4))});
  EXPECT_EQ(unknown.status, 0);
  EXPECT_NE(unknown.out.find("nothing says which machine this is for: give --machine"), std::string::npos);
  EXPECT_EQ(run({"info", example("bricks.png")}).status, 2);
  EXPECT_EQ(run({"info", "-m", "midgard", folder.file("damaged.mbs", "MBS2\xFF\xFF\xFF\xFF")}).status, 1);
}

}  // namespace
}  // namespace mobula::test
