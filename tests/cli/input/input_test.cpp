// What every subcommand that reads programs makes of its inputs.
#include <gmock/gmock.h>

#include "cli/mbs.h"
#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// An MBS2 of a vertex and a fragment program.
std::string container() {
  const auto shader = [](const std::string& stage, const std::string& name) {
    return chunk(stage, chunk("CMMN", chunk("OBJC", read(example(name)))));
  };
  return chunk("MBS2", std::string(4, '\0') + shader("VERT", "light.vert.bin") + shader("FRAG", "checker.frag.bin"));
}

std::string code_of(const Outcome& outcome) {
  const auto results = parse_json(outcome.out);
  if (results.size() != 1) return "none: " + outcome.err;
  std::string bytes;
  for (const auto& word : results[0]["result"]["words"]) bytes += word["bytes"].get<std::string>();
  return bytes;
}

TEST(Input, HexadecimalTextIsTakenWhereverBytesAre) {
  const std::string code = to_hex(read(example("checker.frag.bin")));
  std::string bytes;
  for (std::size_t i = 0; i < code.size(); i += 2) bytes += "0x" + code.substr(i, 2) + (i % 32 == 30 ? "\n" : ", ");
  EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", "-"}, bytes)), code);
  EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", "-"}, read(example("checker.frag.bin")))), code);
}

TEST(Input, ContainerOverridesWhatTheContentTells) {
  const std::string text = "00000008 00000000 00000000 00000000\n";
  EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", "-"}, text)), "08000000000000000000000000000000");
  EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", "--container", "raw", "-"}, text)), to_hex(text));
  EXPECT_EQ(run({"disasm", "-m", "midgard", "--container", "mbs", "-"}, text).status, 1);
  EXPECT_EQ(run({"disasm", "-m", "midgard", "--container", "zip", "-"}, text).status, 2);
}

/// What could be numbers or code is what its name says, and that is said.
TEST(Input, NumbersThatAreNamedAsCodeAreCode) {
  const Folder folder;
  const std::string text = "00000008 00000000 00000000 00000000";
  const Outcome code = run({"disasm", "-m", "midgard", "--json", folder.file("a.bin", text)});
  EXPECT_EQ(code_of(code), to_hex(text));
  EXPECT_THAT(code.err, AllOf(HasSubstr("can be read as hexadecimal numbers, and is taken as machine code, as its name "
                                        "says [FM006]"),
                              HasSubstr("--container hex")));
  EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", folder.file("a.hex", text)})),
            "08000000000000000000000000000000");
}

TEST(Input, ContainersOfSeveralProgramsNeedAChoice) {
  const Folder folder;
  const std::string file = folder.file("both.mbs", container());
  const std::string vertex = to_hex(read(example("light.vert.bin"))),
                    fragment = to_hex(read(example("checker.frag.bin")));
  const Outcome unclear = run({"disasm", "--json", file});
  EXPECT_EQ(unclear.status, 2);
  EXPECT_THAT(unclear.err, HasSubstr("fragment"));
  EXPECT_EQ(code_of(run({"disasm", "--json", "--stage", "vertex", file})), vertex);
  EXPECT_EQ(code_of(run({"disasm", "--json", "--stage", "fragment", file})), fragment);
  EXPECT_EQ(code_of(run({"disasm", "--json", "--index", "0", file})), vertex);
  EXPECT_EQ(code_of(run({"disasm", "--json", "--index", "1", file})), fragment);
  EXPECT_EQ(run({"disasm", "--index", "2", file}).status, 2);
  EXPECT_EQ(code_of(run({"disasm", "--json", "--stage", "frag", file})), fragment);
  EXPECT_EQ(run({"disasm", "--stage", "compute", file}).status, 2);
  EXPECT_EQ(run({"disasm", "--stage", "pixel", file}).status, 2);
}

TEST(Input, SideFileBesideTheProgramIsRead) {
  const Folder folder;
  const std::string program = folder.file("a.bin", read(example("checker.frag.bin")));
  EXPECT_EQ(run({"disasm", program}).status, 2) << "nothing tells the machine";
  const std::string side = folder.file("a.json", read(example("checker.frag.json")));
  EXPECT_THAT(run({"disasm", program}).out, HasSubstr("\n.uniforms 1\n"));
  EXPECT_THAT(run({"disasm", "--side", "none", "-m", "midgard", program}).out, Not(HasSubstr(".uniforms")));

  const std::string other = folder.file("b.bin", read(example("checker.frag.bin")));
  EXPECT_EQ(run({"disasm", "--side", side, other}).out, run({"disasm", program}).out);
  EXPECT_EQ(run({"disasm", "--side", folder.file("c.json"), other}).status, 2);
}

TEST(Input, BrokenSideFileIsNamed) {
  const Folder folder;
  const std::string program = folder.file("a.bin", read(example("checker.frag.bin")));
  folder.file("a.json", "{\"stage\": 7}");
  const Outcome outcome = run({"check", "-m", "midgard", program});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr(folder.file("a.json")));
  EXPECT_THAT(outcome.err, HasSubstr("\n  hint: its name makes it the side file of " + program +
                                     "; --side none reads that without it\n"));
  EXPECT_EQ(run({"check", "-m", "midgard", program, "--side", "none"}).err, "");
}

TEST(Input, ASideFileOfAnotherMachineIsRefused) {
  const Outcome outcome = run({"check", "-m", "utgard-gp", example("checker.frag.bin")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, testing::HasSubstr("its side file is for midgard, not for utgard-gp"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("--side none"));
  EXPECT_NE(run({"check", "-m", "utgard-gp", "--side", "none", example("checker.frag.bin")}).status, 2);
}

/// Every command that takes programs says what a picture is, of whatever machine it is asked to be.
TEST(Input, RawCodeOfAnotherMachineIsDoubted) {
  const Folder folder;
  const std::string shader = folder.file("shader.bin", read(example("checker.frag.bin"))),
                    vertices = folder.file("vertices.bin", read(example("torus.vert.bin"))),
                    random = folder.file("random.bin", [] {
                      std::string bytes;
                      for (std::uint32_t i = 0, state = 1; i < 256; ++i, state = state * 1664525 + 1013904223)
                        bytes += static_cast<char>(state >> 24);
                      return bytes;
                    }());
  const auto said = [](const char* machine, const std::string& file) { return run({"ir", "-m", machine, file}).err; };
  EXPECT_THAT(said("utgard-gp", shader),
              AllOf(HasSubstr(shader + ": warning: the rules of utgard-gp find "),
                    HasSubstr("in this code, and those of midgard none: is it code of midgard? [MOB016]\n"
                              "  hint: --machine midgard takes it for that")));
  EXPECT_THAT(said("midgard", vertices), HasSubstr("is it code of utgard-gp? [MOB016]"));
  EXPECT_THAT(run({"stat", "-m", "rogue", vertices}).err, HasSubstr("is it code of utgard-gp? [MOB016]"));
  for (const auto& [machine, file] : {std::pair{"midgard", shader},
                                      {"utgard-gp", vertices},
                                      {"midgard", random},
                                      {"utgard-gp", random},
                                      {"rogue", random}})
    EXPECT_THAT(said(machine, file), Not(HasSubstr("MOB016"))) << machine << ' ' << file;
  // Code with an error of its own is not another machine's.
  std::string broken = read(shader);
  broken[17] = static_cast<char>(broken[17] ^ 0x40);
  EXPECT_THAT(said("midgard", folder.file("broken.bin", broken)), Not(HasSubstr("MOB016")));
}

TEST(Input, WhatIsNoCodeIsNamed) {
  const Folder folder;
  for (const char* machine : {"midgard", "utgard-gp", "rogue", "afuc"})
    for (const char* command : {"disasm", "asm", "check", "time", "run", "ir", "cfg", "info", "stat", "debug"}) {
      std::vector<std::string> arguments{command, "-m", machine, example("bricks.png")};
      if (machine == std::string_view("afuc") && command == std::string_view("debug"))
        arguments = with(arguments, {"--stream", example("stream.pm4")});
      const Outcome picture = run(arguments);
      EXPECT_EQ(picture.status, 2) << command << ' ' << machine << picture.out;
      EXPECT_THAT(picture.err, HasSubstr("this is a PNG picture, not machine code [FM050]"))
          << command << ' ' << machine;
    }
  EXPECT_THAT(run({"disasm", "-m", "afuc", folder.file("a.frag", "void main() {}\n")}).err,
              HasSubstr("there is no compiler for afuc"));
  EXPECT_THAT(run({"check", "-m", "rogue", example("checker.inputs.json")}).err, HasSubstr("this is JSON"));
  const std::string cpp = folder.file("a.cpp", "// a\nnamespace x {\nint y;\n}\n");
  for (const char* command : {"disasm", "asm", "check"})
    EXPECT_THAT(run({command, "-m", "midgard", cpp}).err, HasSubstr("this is source text in C++")) << command;
  EXPECT_NE(run({"disasm", "-m", "rogue", "--container", "raw", example("bricks.png")}).status, 2);
  const std::string readme = folder.file(
      "README.md",
      "# A title\n\nThis is the first sentence of a text for people.\nThis is the second one, which says no more than "
      "that.\nAnd this is the third and the last one of them.\n");
  for (const char* command : {"disasm", "asm", "check", "time", "run"})
    for (const char* machine : {"midgard", "utgard-gp", "rogue", "afuc"})
      EXPECT_THAT(run({command, "-m", machine, readme}).err, HasSubstr("this is text for people to read")) << command;
  EXPECT_THAT(run({"time", example("light.gpe")}).err, HasSubstr("holds expressions, not a program"));
}

TEST(Input, DumpsAndArraysAreTakenWhereverBytesAre) {
  const std::string code = to_hex(read(example("checker.frag.bin")));
  for (const char* name : {"checker.xxd", "checker.hexdump-C", "checker.od", "checker.gdb"})
    EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", "-"}, read(test_data(std::string("formats/") + name)))),
              code)
        << name;
  EXPECT_EQ(code_of(run({"disasm", "-m", "midgard", "--json", "--index", "0", test_data("formats/checker.c")})), code);
  const Outcome several = run({"disasm", "-m", "utgard-gp", test_data("formats/lima-gp.log")});
  EXPECT_EQ(several.status, 2);
  EXPECT_THAT(several.err, HasSubstr("there are 2 programs to choose from"));
  EXPECT_THAT(several.err, HasSubstr("\n  hint: --index N chooses; mobula info lists them\n"));
  EXPECT_EQ(run({"disasm", "--index", "0", test_data("formats/pco.log")}).status, 0) << "the log tells the machine";
}

/// An archive of stored entries: names and contents.
std::string zip(const std::vector<std::pair<std::string, std::string>>& entries) {
  const auto half = [](std::size_t value) { return word(static_cast<std::uint32_t>(value)).substr(0, 2); };
  const auto whole = [](std::size_t value) { return word(static_cast<std::uint32_t>(value)); };
  std::string local, central;
  for (const auto& [name, content] : entries) {
    std::uint32_t sum = 0xFFFFFFFF;
    for (const char c : content) {
      sum ^= static_cast<unsigned char>(c);
      for (unsigned i = 0; i < 8; ++i) sum = sum >> 1 ^ (0xEDB88320 & (0 - (sum & 1)));
    }
    const std::string sizes = word(~sum) + whole(content.size()) + whole(content.size());
    const std::string common =
        half(20) + half(0) + half(0) + half(0) + half(0x21) + sizes + half(name.size()) + half(0);
    central += "PK\1\2" + half(20) + common + half(0) + half(0) + half(0) + whole(0) + whole(local.size()) + name;
    local += "PK\3\4" + common + name + content;
  }
  return local + central + "PK\5\6" + half(0) + half(0) + half(entries.size()) + half(entries.size()) +
         whole(central.size()) + whole(local.size()) + half(0);
}
std::string zip(const std::string& name, const std::string& content) { return zip({{name, content}}); }

TEST(Input, ArchivesAreSearched) {
  const Folder folder;
  const std::string file = folder.file("game.apk", zip("assets/both.mbs", container()));
  const Outcome fragment = run({"disasm", "--json", "--stage", "fragment", file});
  if (fragment.err.find("a zip archive, as an APK is") != std::string::npos) GTEST_SKIP() << "built without libzip";
  EXPECT_EQ(code_of(fragment), to_hex(read(example("checker.frag.bin")))) << fragment.err;
  EXPECT_THAT(run({"info", file}).out, HasSubstr("assets/both.mbs: MBS2/VERT"));
  const Outcome none = run({"info", folder.file("b.zip", zip("a.txt", "nothing"))});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err,
              HasSubstr("no entry of this zip archive shows that it holds a program; it has 1 entry [FM051]"));
  // A library that is none stands before the one that is there.
  std::string libraries = std::filesystem::path(folder.file("libzip.so.4", "")).parent_path().string();
  const char* const others = std::getenv("LD_LIBRARY_PATH");  // NOLINT(concurrency-mt-unsafe)
  if (others != nullptr) libraries += ':' + std::string(others);
  const Outcome without = run({"info", file}, {}, {"LD_LIBRARY_PATH=" + libraries});
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.err, AllOf(HasSubstr("the library that opens zip archives cannot be loaded: "),
                                 HasSubstr("/libzip.so.4: file too short [FM059]")));
  const std::string whole = zip("assets/both.mbs", container());
  for (std::size_t size = 30; size < whole.size(); size += 7) {
    const Outcome cut = run({"info", "-"}, whole.substr(0, size));
    EXPECT_TRUE(cut.status == 1 || cut.status == 2) << size << cut.err;
  }
}

/// Not as if it were a shader.
TEST(Input, FirmwareInDumpsAndArchivesRunsAsFirmware) {
  const Folder folder;
  const std::string file = folder.file("small.fw"), stream = example("stream.pm4");
  ASSERT_EQ(run({"asm", example("firmware.afuc"), "-o", file}).status, 0);
  const std::string image = read(file);
  const Outcome plain = run({"run", file, "--stream", stream}), alone = run({"scoreboard", "run", file});
  ASSERT_EQ(plain.status, 0) << plain.err;
  std::string values;
  for (const char byte : image) values += std::to_string(static_cast<unsigned char>(byte)) + ",";
  const std::string array = "[] = {" + values + "};\n";
  std::vector<std::string> others{folder.file("small.hex", to_hex(image)),
                                  folder.file("small.c", "unsigned char small" + array)};
  const std::string archive = folder.file("small.zip", zip("small.fw", image));
  if (run({"info", archive}).status == 0) others.push_back(archive);  // else built without libzip
  for (const std::string& other : others) {
    EXPECT_EQ(run({"run", other, "--stream", stream}).out, plain.out) << other;
    EXPECT_EQ(run({"debug", other, "--stream", stream}, "c\n").status, 0) << other;
    const std::string clocks = run({"scoreboard", "run", other}).out;
    EXPECT_EQ(clocks.substr(clocks.find('\n')), alone.out.substr(alone.out.find('\n'))) << other;
  }
  const std::string two = folder.file("two.c", "unsigned char a" + array + "unsigned char b" + array);
  EXPECT_EQ(run({"run", two, "--index", "1", "--stream", stream}).out, plain.out);
  EXPECT_THAT(run({"info", two}).out, HasSubstr("0  afuc:a630 "));
}

/// What is put before an archive does not hide it; one within another is told.
TEST(Input, ArchivesBehindProgramsAndInArchives) {
  const Folder folder;
  const std::string whole = zip("assets/both.mbs", container());
  const std::string file = folder.file("setup.run", "#!/bin/sh\nexec unzip \"$0\"\n" + whole);
  const Outcome info = run({"info", file});
  if (info.err.find("a zip archive, with a program") != std::string::npos) GTEST_SKIP() << "built without libzip";
  EXPECT_THAT(info.out, HasSubstr("assets/both.mbs: MBS2/VERT")) << info.err;
  EXPECT_THAT(run({"info", folder.file("a.zip", zip("inner.zip", whole))}).err,
              HasSubstr("it has 1 entry, of which 1 entry is an archive itself; the first is 'inner.zip' [FM051]"));
  EXPECT_THAT(run({"info", folder.file("e.zip", "PK\5\6" + std::string(18, '\0'))}).err,
              HasSubstr("this zip archive is empty [FM051]"));
}

TEST(Input, WhatCannotBeReadInArchivesIsCounted) {
  const Folder folder;
  const std::string broken = container().substr(0, container().size() - 8), inner = zip("a.mbs", container());
  const std::string file =
      folder.file("a.zip", zip({{"a.mbs", container()}, {"b.mbs", broken}, {"c.zip", inner}, {"d.zip", inner}}));
  const Outcome info = run({"info", file});
  if (info.err.find("a zip archive, as an APK is") != std::string::npos) GTEST_SKIP() << "built without libzip";
  EXPECT_EQ(info.status, 0);
  EXPECT_THAT(info.out, testing::StartsWith("archive: 2 programs\n"));
  EXPECT_EQ(parse_json(run({"info", "--json", file}).out)[0]["result"]["container"], "archive");
  EXPECT_THAT(run({"disasm", "--stage", "fragment", file}).err,
              HasSubstr("warning: 1 entry is MBS or firmware that cannot be read, 2 entries are archives themselves; "
                        "the first is 'b.mbs' [FM056]"));
  const Outcome alone = run({"info", folder.file("b.zip", zip("b.mbs", broken))});
  EXPECT_EQ(alone.status, 1);
  EXPECT_THAT(alone.err,
              HasSubstr("of which 1 entry is MBS or firmware that cannot be read; the first is 'b.mbs' [FM052]"));
}

/// Text is UTF-8, with a mark or without, wherever text is read; UTF-16 is named.
TEST(Input, MarksAndCharactersOfText) {
  const Folder folder;
  const auto marked = [&](const std::string& name, const std::string& text) {
    return folder.file("marked-" + name, "\xEF\xBB\xBF" + text);
  };
  const auto wide = [&](const std::string& name, const std::string& text) {
    std::string letters = "\xFF\xFE";
    for (const char c : text) letters += {c, '\0'};
    return folder.file("wide-" + name, letters);
  };
  const std::string checker = example("checker.frag.bin"), inputs = read(example("checker.inputs.json")),
                    assembly = run({"disasm", checker}).out;
  const std::vector<std::pair<std::vector<std::string>, std::string>> readers{
      {{"asm", "--hex", "FILE"}, assembly},
      {{"schedule", "--text", "--expr", "FILE"}, "attribute float a;\nvarying float b;\nb = a + 1.0;\n"},
      {{"run", checker, "--inputs", "FILE"}, inputs},
      {{"scoreboard", "run", "FILE"}, read(example("scoreboard-worked.sb"))},
      {{"disasm", "-m", "midgard", "FILE"}, read(std::filesystem::path(test_data("formats/checker.xxd")))},
      {{"debug", checker, "--inputs", example("checker.inputs.json"), "-x", "FILE"}, "step\n"}};
  for (const auto& [words, text] : readers) {
    const auto given = [&, &line = words](const std::string& file) {
      std::vector<std::string> arguments = line;
      std::replace(arguments.begin(), arguments.end(), std::string("FILE"), file);
      return run(arguments);
    };
    const Outcome as_it_is = given(folder.file("plain", text)), with_mark = given(marked("text", text));
    EXPECT_EQ(with_mark.status, as_it_is.status) << words[0] << with_mark.err;
    EXPECT_EQ(as_it_is.status, 0) << words[0] << as_it_is.err;
    const Outcome refused = given(wide("text", text));
    EXPECT_NE(refused.status, 0) << words[0];
    EXPECT_THAT(refused.err, HasSubstr("in UTF-16")) << words[0];
  }
}

/// Files of other subcommands are named, and who takes them.
TEST(Input, WhatOtherSubcommandsTakeIsNamed) {
  const Folder folder;
  const auto little = [](std::initializer_list<std::uint32_t> words) {
    std::string bytes;
    for (const std::uint32_t each : words) bytes += word(each);
    return bytes;
  };
  const std::string capture =
      folder.file("a.rd", little({13, 4, 630, 3, 12, 0x20000, 8, 0, 12, 8, 0x48810001, 0x11, 6, 12, 0x20000, 2, 0}));
  const std::vector<std::pair<std::string, std::string>> files{{example("stream.pm4"), "mobula pm4"},
                                                               {example("scoreboard-worked.sb"), "scoreboard run"},
                                                               {example("light.gpe"), "mobula schedule"},
                                                               {example("torus.obj"), "docs/run-files.md"},
                                                               {source_file("src/cli/check.cpp"), "source text in C"},
                                                               {capture, "mobula pm4"}};
  for (const auto& [file, says] : files)
    for (const std::string command : {"info", "check", "disasm", "stat", "time", "coverage"}) {
      const Outcome outcome = run({command, file});
      if (command == "info" && file == capture) continue;
      EXPECT_EQ(outcome.status, 2) << command << ' ' << file;
      EXPECT_THAT(outcome.err, HasSubstr(says)) << command << ' ' << file;
    }
  const std::string zipped =
      folder.file("a.gz", std::string("\x1F\x8B\x08\0\0\0\0\0\2\3\x2B\xC9\xC8\x2C\x56\0\0\0\0\0", 20));
  EXPECT_THAT(run({"info", zipped}).err, HasSubstr("a gzip archive"));
  EXPECT_THAT(run({"info", capture}).out,
              HasSubstr("an a630: 1 submit\n      0  1 command stream, 1 buffer, 8 bytes\n"));
  EXPECT_EQ(parse_json(run({"info", "--json", capture}).out).at(0)["result"]["submits"][0]["bytes"], 8);
}

/// An archive without this entry's password is not silently an archive without it.
TEST(Input, EncryptedEntriesAreTold) {
  const Folder folder;
  std::string archive = zip("assets/both.mbs", container());
  const std::string file = folder.file("locked.zip", archive);
  if (run({"info", file}).err.find("a zip archive, as an APK is") != std::string::npos)
    GTEST_SKIP() << "built without libzip";
  // The flag of encryption, in the local header and in the central directory.
  archive[6] = '\1';
  archive[archive.find("PK\1\2") + 8] = '\1';
  const Outcome locked = run({"info", folder.file("locked.zip", archive)});
  EXPECT_EQ(locked.status, 2);
  EXPECT_THAT(locked.err, HasSubstr("of which 1 entry is encrypted; the first is 'assets/both.mbs'"));
}

/// What is wrong with one of several files names it, and no name steers the terminal.
TEST(Input, ErrorsNameTheirFile) {
  const Folder folder;
  const std::string file = folder.file("a.bin", read(example("checker.frag.bin")));
  const Outcome outcome = run({"disasm", file, example("checker.frag.bin")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, testing::StartsWith(file + ": error: the input does not say which machine it is for"));
  const Outcome odd = run({"disasm", "-m", "midgard", folder.file("a\x1b[2J\nb.bin")});
  EXPECT_EQ(odd.err.find('\x1b'), std::string::npos);
  EXPECT_THAT(odd.err, HasSubstr("a\\x1b[2J\\x0ab.bin"));
}

/// Code that is cut in a word is told of by everything that counts words.
TEST(Input, CodeCutShortIsTold) {
  const Folder folder;
  const std::string file = folder.file("a.bin", read(example("checker.frag.bin")) + "abc");
  for (const char* command : {"stat", "time", "info"})
    EXPECT_THAT(run({command, "-m", "midgard", file}).err, HasSubstr("the last 3 fill none")) << command;
  const std::string firmware = run({"info", folder.file("a.fw", read(test_data("afuc/small.fw")) + "abc")}).err;
  EXPECT_THAT(firmware, HasSubstr("the last 3 fill none"));
  EXPECT_EQ(firmware.find("[FM055]"), firmware.rfind("[FM055]")) << "once: " << firmware;
  EXPECT_THAT(run({"explain", "-m", "midgard", "00220089"}).err,
              HasSubstr("a word of midgard has 16 bytes, and these are 4"));
}

TEST(Input, TheStageOfRawCodeIsThatOfItsSideFile) {
  const std::string file = example("checker.frag.bin");
  EXPECT_EQ(run({"disasm", "--stage", "fragment", file}).out, run({"disasm", file}).out);
  const Outcome other = run({"disasm", "--stage", "vertex", file});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("there is no vertex code: the side file says that it is of another stage"));
}

/// By what it holds, where no name tells; then an option tells the stage.
TEST(Input, SourcesOfShadersComeFromStandardInput) {
  if (run({"compile", "--help"}).status != 0) GTEST_SKIP() << "built without the compiler";
  const std::string source = read(example("ripple.frag"));
  for (const char* command : {"disasm", "check", "stat", "time", "ir", "cfg", "coverage", "info"}) {
    const Outcome outcome = run({command, "-m", "midgard", "--stage", "fragment", "-"}, source);
    EXPECT_EQ(outcome.status, 0) << command << outcome.err;
  }
  EXPECT_THAT(run({"check", "-m", "midgard", "-"}, source).err, HasSubstr("does not tell the stage of this shader"));
  EXPECT_THAT(run({"check", "--stage", "fragment", "-"}, source).err, HasSubstr("add -m MACHINE"));
  EXPECT_THAT(run({"asm", "-m", "midgard", "-"}, source).err, HasSubstr("mobula compile makes machine code of it"));
}

/// Some subcommands look at a file more than once.
TEST(Input, StandardInputIsReadOnce) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
      {{"run", "-", "--inputs", "-"}, "FILE and --inputs"},
      {{"run", "--inputs", "-", "-"}, "FILE and --inputs"},
      {{"debug", "-", "--inputs", "-", "-x", "none"}, "FILE and --inputs"},
      {{"stat", "-", "--baseline", "-"}, "FILE and --baseline"},
      {{"time", "-", "--costs", "-"}, "FILE and --costs"},
      {{"disasm", "--side", "-", "-"}, "FILE and --side"},
      {{"run", example("firmware.afuc"), "--stream", "-", "--memory", "0x1000=-"}, "--stream and --memory"},
      {{"diff", "-", "-"}, "both programs"}};
  for (const auto& [arguments, both] : rows) {
    const Outcome outcome = run(arguments, "");
    EXPECT_EQ(outcome.status, 2) << both;
    EXPECT_THAT(outcome.err, testing::ContainsRegex(both + " would (both )?be standard input, which can be read once"))
        << both;
  }
}

TEST(Input, StandardInputIsAFileLikeAnother) {
  const std::string program = read(example("checker.frag.bin")), firmware = read(test_data("afuc/small.fw"));
  const std::vector<std::string> side{"-", "--side", example("checker.frag.json"), "--inputs",
                                      example("checker.inputs.json")};
  for (const char* command : {"time", "run"}) {
    const Outcome outcome = run(with({command}, side), program);
    EXPECT_EQ(outcome.status, 0) << command << outcome.err;
  }
  EXPECT_EQ(run({"info", "-"}, firmware).out, run({"info", test_data("afuc/small.fw")}).out);
  EXPECT_EQ(run({"run", "-", "--stream", example("stream.pm4")}, firmware).out,
            run({"run", test_data("afuc/small.fw"), "--stream", example("stream.pm4")}).out);
  EXPECT_EQ(run({"stat", "-m", "midgard", "-"}, program).status, 0);
  EXPECT_EQ(
      run({"disasm", "-m", "midgard", example("checker.frag.bin"), "--side", "-"}, read(example("checker.frag.json")))
          .status,
      0);
}

TEST(Input, AllVariantsOfAMachine) {
  const std::string file = example("checker.frag.bin");
  const Outcome check = run({"check", "-m", "midgard:all", file});
  for (const char* variant : {"t604", "t620", "t650", "t720", "t760", "t820", "t830", "t860", "t880"}) {
    EXPECT_THAT(check.out, HasSubstr(file + " (midgard:" + variant + "): ")) << variant;
    EXPECT_THAT(run({"time", "--keep-going", "-m", "midgard:all", file}).out,
                HasSubstr("(midgard:" + std::string(variant) + ")"));
  }
  const Outcome stat = run({"stat", "-m", "midgard:all", file});
  for (const char* variant : {"t820", "t830", "t860", "t880"})
    EXPECT_THAT(stat.out, HasSubstr("(midgard:" + std::string(variant) + ")"));
  EXPECT_THAT(stat.out, Not(HasSubstr("t604"))) << "which cannot execute it";
  EXPECT_THAT(check.out, Not(HasSubstr("t750"))) << "another name of t760";
  EXPECT_EQ(parse_json(run({"check", "-m", "utgard-gp:all", "--json", example("color.vert.bin")}).out).size(), 3u);
  EXPECT_EQ(run({"check", "-m", "nobody:all", file}).status, 2);
  EXPECT_EQ(run({"disasm", "-m", "midgard:all", file}).status, 2);
  EXPECT_EQ(run({"time", "-m", "midgard:all", file, "--timeline"}).status, 2);
}

}  // namespace
}  // namespace mobula::test
