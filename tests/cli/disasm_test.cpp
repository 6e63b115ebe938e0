#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "cli/shell.h"
#include "core/listing_pieces.h"
#include "mobula/isa/machine.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string without_comments(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const std::string_view words = std::string_view(line).substr(std::min(line.find_first_not_of(' '), line.size()));
    if (!words.starts_with(';') && !words.starts_with("//")) kept += line + '\n';
  }
  return kept;
}

TEST(Disasm, PrintsTextThatNamesMachineAndInterface) {
  const Outcome outcome = run({"disasm", example("checker.frag.bin")});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, StartsWith(".machine midgard:t860\n"));
  EXPECT_THAT(outcome.out, HasSubstr("vadd.FADD.f32 R0.x, U0.x.abs, #2\n"));
  EXPECT_THAT(run({"disasm", "--machine", "midgard:t720", example("checker.frag.bin")}).out,
              StartsWith(".machine midgard:t720\n"));
}

TEST(Disasm, BytesAreComments) {
  const std::string plain = run({"disasm", example("checker.frag.bin")}).out;
  const std::string bytes = run({"disasm", "--bytes", example("checker.frag.bin")}).out;
  EXPECT_THAT(bytes, HasSubstr("; 0x0010: 20C09895 01403939 00000030 00000000\n"));
  EXPECT_EQ(without_comments(bytes), plain);
}

TEST(Disasm, JsonHoldsEveryByte) {
  const auto results = parse_json(run({"disasm", "--json", example("checker.frag.bin")}).out);
  ASSERT_EQ(results.size(), 1u);
  std::string bytes;
  for (const auto& word : results[0]["result"]["words"]) bytes += word["bytes"].get<std::string>();
  EXPECT_EQ(bytes, to_hex(read(example("checker.frag.bin"))));
  EXPECT_EQ(results[0]["target"]["variant"], "t860");
  EXPECT_EQ(results[0]["input"]["bytes"], 240);
}

/// So large that its pieces are made on several cores.
TEST(Disasm, LargeProgramsComeInOrder) {
  const Folder folder;
  const std::string once = read(example("checker.frag.bin"));
  std::string code;
  while (code.size() < std::size_t{3} * piece_bytes) code += once;
  const std::string file = folder.file("large.bin", code);
  const std::vector<std::string> disasm{"disasm", "-m", "midgard:t860", "--side", "none", file};
  Program program;
  program.machine = "midgard";
  program.variant = "t860";
  program.code.assign(code.begin(), code.end());
  const Machine& midgard = *find_machine("midgard");
  EXPECT_TRUE(run(disasm).out == midgard.disassemble(program, {.directive = true})->text);
  EXPECT_TRUE(run(with(disasm, {"--bytes"})).out ==
              midgard.disassemble(program, {.bytes = true, .directive = true})->text);

  const auto listing = midgard.disassemble(program, {.words = true});
  const auto rows = parse_json(run(with(disasm, {"--json"})).out)[0]["result"]["words"];
  ASSERT_EQ(rows.size(), listing->words.size());
  bool same = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Listing::Word& word = listing->words[i];
    const std::string text = listing->text.substr(word.text_begin, word.text_end - word.text_begin);
    same = same && rows[i]["text"] == text &&
           std::stoull(rows[i]["offset"].get<std::string>(), nullptr, 16) == word.byte_offset &&
           rows[i]["bytes"] == to_hex(code.substr(word.byte_offset, word.byte_length));
  }
  EXPECT_TRUE(same);
}

TEST(Disasm, ExplainedWordsAreTheListingWithComments) {
  const Folder folder;
  const std::string once = read(example("checker.frag.bin"));
  std::string code;
  while (code.size() < 200 << 10) code += once;
  const std::string file = folder.file("large.bin", code);
  for (const std::vector<std::string>& form : {std::vector<std::string>{}, {"--syntax", "mesa"}}) {
    const std::vector<std::string> disasm = with({"disasm", "-m", "midgard:t860", "--side", "none", file}, form);
    EXPECT_TRUE(without_comments(run(with(disasm, {"--explain"})).out) == without_comments(run(disasm).out));
  }
}

TEST(Disasm, SeveralFilesComeInOrderAndTheWorstStatusWins) {
  const Outcome both = run({"disasm", example("waves.frag.bin"), "/nonexistent", example("checker.frag.bin")});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("cannot read /nonexistent"));
  EXPECT_EQ(both.out, "; " + example("waves.frag.bin") + "\n" + run({"disasm", example("waves.frag.bin")}).out + "; " +
                          example("checker.frag.bin") + "\n" + run({"disasm", example("checker.frag.bin")}).out);
  EXPECT_EQ(parse_json(run({"disasm", "--json", example("waves.frag.bin"), example("checker.frag.bin")}).out).size(),
            2u);
}

TEST(Disasm, SyntaxChoosesTheTextForm) {
  const Outcome unknown = run({"disasm", "--syntax", "latin", example("checker.frag.bin")});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("latin"));
  EXPECT_EQ(run({"disasm", "--syntax", "mdg", example("checker.frag.bin")}).out,
            run({"disasm", example("checker.frag.bin")}).out);
}

TEST(Disasm, AnyBytesAreShownAsData) {
  const Outcome outcome = run({"disasm", "-m", "midgard", "--container", "raw", "-"}, std::string("\xFF\x00\xAB", 3));
  EXPECT_THAT(outcome.out, HasSubstr(".byte 0xFF, 0x00, 0xAB\n"));
}

/// The status is that of every command: bytes that do not decode are a negative result, shown all the same.
TEST(Disasm, BytesThatDoNotDecodeMakeTheStatusOne) {
  const std::string code = read(example("checker.frag.bin")), nonsense(16, '\xFF');
  for (const auto& [machine, bytes] :
       std::vector<std::pair<std::string, std::string>>{{"midgard", std::string(16, '\0') + code},
                                                        {"utgard-gp", read(example("color.vert.bin")) + "abc"},
                                                        {"rogue", nonsense},
                                                        {"afuc:a630", read(test_data("afuc/small.fw")) + "a"}}) {
    const Outcome outcome = run({"disasm", "-m", machine, "--container", "raw", "-"}, bytes);
    EXPECT_EQ(outcome.status, 1) << machine;
    EXPECT_THAT(outcome.err, HasSubstr("[FM057]")) << machine;
    EXPECT_EQ(run({"asm", "-"}, outcome.out).out, bytes) << machine;
    EXPECT_EQ(run({"disasm", "-m", machine, "--container", "raw", "--json", "-"}, bytes).status, 1) << machine;
  }
  EXPECT_EQ(run({"disasm", "-m", "midgard", "-"}, code).status, 0);
}

/// The code is shown whatever is wrong in what surrounds it.
TEST(Disasm, IsKindToSideFiles) {
  const Folder folder;
  const std::string program = folder.file("a.bin", read(example("checker.frag.bin")));
  folder.file("a.json", R"({"machine": "midgard", "first_tag": 999, "uniform_reg_count": 1})");
  const Outcome outcome = run({"disasm", program});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("warning: first_tag: found 999"));
  EXPECT_THAT(outcome.out, HasSubstr(".uniforms 1\n"));
  EXPECT_EQ(run({"run", program}).status, 1) << "what executes needs it";
  folder.file("a.json", "no JSON");
  EXPECT_EQ(run({"disasm", "-m", "midgard", program}).status, 0);
  EXPECT_EQ(run({"info", "-m", "midgard", program}).status, 0);
}

/// A listing of megabytes is written as it is made.
TEST(Disasm, LongListingsArePassedOn) {
  const Folder folder;
  std::string code;
  for (unsigned i = 0; i < 2000; ++i) code += read(example("checker.frag.bin"));
  const std::string file = folder.file("a.bin", code), out = folder.file("a.mdg");
  const Outcome plain = run({"disasm", "-m", "midgard", "--side", "none", file});
  EXPECT_EQ(plain.status, 0);
  EXPECT_EQ(run({"asm", "-"}, plain.out).out, code);
  EXPECT_EQ(run({"disasm", "-m", "midgard", "--side", "none", file, "-o", out}).status, 0);
  EXPECT_EQ(read(out), plain.out);
}

TEST(Disasm, RefusesAssembly) {
  const Folder folder;
  const Outcome outcome = run({"disasm", "-m", "midgard", "-"}, "{\n  vmul.FMOV.f32 R0, R1\n}\n");
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("mobula asm"));
  EXPECT_EQ(run({"disasm", "-m", "midgard", folder.file("a.mdg", "nonsense")}).status, 2) << "its name says so";
  EXPECT_EQ(run({"disasm", folder.file("a.text", "nonsense")}).status, 2) << "and for no machine";
}

/// Any bytes are code with -m, and what could be either is said.
TEST(Disasm, BytesThatCanBeReadAreCode) {
  const Folder folder;
  const Outcome either = run({"disasm", "-m", "midgard", folder.file("a", "abcdefgh01234567")});
  EXPECT_EQ(either.status, 1) << "the tag of no word";
  EXPECT_THAT(either.err, HasSubstr("note: all of it can be read as text, and is taken as machine code"));
  EXPECT_EQ(run({"asm", "-"}, either.out).out, "abcdefgh01234567");
  for (const char* command : {"check", "time", "ir"}) {
    const std::string file = folder.file("a.bin", "abcdefgh01234567");
    EXPECT_THAT(run({command, "-m", "midgard", file}).err, HasSubstr("taken as machine code")) << command;
    EXPECT_THAT(run({command, "-m", "midgard", "--container", "raw", file}).err, Not(HasSubstr("can be read")))
        << command;
  }
}

/// `disasm | asm` needs no machine, and -m that says another is refused.
TEST(Disasm, TextTellsItsMachine) {
  const Folder folder;
  const std::string rogue = folder.file("loop.bin", run({"asm", example("rogue-loop.rgasm")}).out);
  const std::vector<std::vector<std::string>> programs{{example("checker.frag.bin"), "-m", "midgard:t720"},
                                                       {example("color.vert.bin"), "-m", "utgard-gp:mali450"},
                                                       {rogue, "-m", "rogue:complex-p1"},
                                                       {source_file("tests/data/afuc/small.fw")}};
  for (const auto& program : programs) {
    const Outcome text = run(with({"disasm"}, program));
    ASSERT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(text.out, StartsWith(".machine " + (program.size() > 1 ? program[2] : "afuc") + "\n"));
    EXPECT_EQ(run({"asm", "-"}, text.out).out, read(program[0])) << program[0];
    const std::string machine = text.out.substr(9, text.out.find_first_of(":\n") - 9);
    EXPECT_EQ(run({"asm", "-m", machine, "-"}, text.out).out, read(program[0])) << "no variant contradicts none";
    const Outcome other = run({"asm", "-m", machine == "rogue" ? "midgard" : "rogue", "-"}, text.out);
    EXPECT_EQ(other.status, 1);
    EXPECT_THAT(other.err, HasSubstr("[MOB008]"));
  }
  EXPECT_THAT(run({"disasm", example("checker.frag.bin"), "--syntax", "mesa"}).out, Not(HasSubstr(".machine")));
  EXPECT_THAT(run({"asm", "-m", "midgard:t860", "-"}, "; a comment\n.machine midgard:t720\n").err,
              HasSubstr("-:2:10: error: the text is for midgard:t720, but midgard:t860 was asked for [MOB008]"));
  EXPECT_EQ(run({"asm", "-m", "midgard:t750", "-"}, ".machine midgard:t760\n{\n  vadd.FADD.f32 R0, R0, R0\n}\n").status,
            0)
      << "two names of one product";
  EXPECT_THAT(run({"asm", "-"}, ".machine midgard:t999\n").err, HasSubstr("[MOB002]"));
  EXPECT_THAT(run({"asm", "-m", "midgard", "-"}, ".machine\n").err, HasSubstr(".machine names no machine [MOB010]"));
  for (const char* machine : {"midgard:t860", "utgard-gp", "rogue", "afuc:a630"}) {
    const std::string line = ".machine " + std::string(machine) + '\n';
    EXPECT_THAT(run({"asm", "-"}, line + line).err,
                HasSubstr("-:2:2: error: .machine may appear only once, before everything else [MOB010]"));
  }
}

TEST(Asm, AFileHoldsOneProgram) {
  const std::string both = run({"disasm", example("checker.frag.bin"), example("color.vert.bin")}).out;
  const Outcome outcome = run({"asm", "-"}, both);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("hint: a file holds one program; put what follows into a file of its own\n"));
  EXPECT_EQ(outcome.err.find("error:"), outcome.err.rfind("error:")) << "nothing is said of the other: " << outcome.err;
}

/// A directive that no line follows, or an unknown one, is like any other line.
TEST(Asm, NamesTellTheMachine) {
  const Folder folder;
  const std::string text = "main { nop.end }\n";
  EXPECT_EQ(run({"check", folder.file("a.rgasm", read(example("rogue-loop.rgasm")))}).status, 0);
  EXPECT_EQ(run({"asm", folder.file("a.text", read(example("rogue-loop.rgasm"))), "--hex"}).status, 2);
  EXPECT_EQ(run({"asm", example("torus.vert.gpasm"), "--hex"}).status, 0);
  EXPECT_EQ(run({"asm", example("brighten.frag.mdg"), "--hex"}).status, 0);
  EXPECT_EQ(run({"asm", example("firmware.afuc"), "--hex"}).status, 0);
}

TEST(Disasm, ExplanationsAreComments) {
  const std::string plain = run({"disasm", example("checker.frag.bin")}).out;
  const std::string explained = run({"disasm", "--explain", example("checker.frag.bin")}).out;
  EXPECT_THAT(explained, HasSubstr("tag = 0x8"));
  EXPECT_EQ(without_comments(explained), plain);
}

TEST(Disasm, ExplanationsAssembleInEveryMachine) {
  for (const char* file : {"checker.frag.bin", "color.vert.bin"}) {
    const Outcome explained = run({"disasm", "--explain", example(file)});
    const std::string machine = file == std::string_view("color.vert.bin") ? "utgard-gp" : "midgard";
    EXPECT_EQ(run({"asm", "-m", machine, "-"}, explained.out).out, read(example(file))) << file;
  }
  const std::string group = run({"asm", "-m", "rogue", example("rogue-loop.rgasm")}).out;
  EXPECT_EQ(run({"asm", "-m", "rogue", "-"}, run({"disasm", "-m", "rogue", "--explain", "-"}, group).out).out, group);
}

TEST(Disasm, DrawsOneProgram) {
  const Folder folder;
  const std::string file = folder.file("a.svg");
  const Outcome outcome = run({"disasm", example("checker.frag.bin"), "--svg", file});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, StartsWith(".machine midgard:t860\n")) << "the text stays what it was";
  EXPECT_THAT(read(file), HasSubstr(">vadd, stage 2<"));
  EXPECT_THAT(read(file), Not(HasSubstr(">alu.control.tag<")));
  const Outcome two = run({"disasm", example("checker.frag.bin"), example("waves.frag.bin"), "--svg", file});
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasSubstr("--svg draws one program"));
}

TEST(Disasm, DrawsTheBitsWhereThereIsNothingElseToDraw) {
  const Folder folder;
  const std::string file = folder.file("a.svg");
  EXPECT_EQ(run({"disasm", "-m", "afuc:a630", folder.file("words.hex", "01000000 2bffffff"), "--svg", file}).status, 0);
  EXPECT_THAT(read(file), HasSubstr(">alu.imm.imm<"));
}

TEST(Explain, DrawsBitsAndUnits) {
  const Folder folder;
  const std::string file = folder.file("a.svg");
  const std::vector<std::string> bundle{"explain",  "-m",       "midgard",  "00220089", "80186000", "00548214",
                                        "02360F20", "0F20002A", "00000000", "00000000", "00000000"};
  const Outcome plain = run(bundle);
  EXPECT_EQ(run(with(bundle, {"--svg", file})).out, plain.out);
  EXPECT_THAT(read(file), HasSubstr(">alu.control.tag<"));
  EXPECT_THAT(read(file), HasSubstr(">vadd, stage 2<"));
}

TEST(Explain, NeverSendsToItself) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"rogue", "ff"}, {"rogue", "00"}, {"midgard", "00000000"}, {"utgard-gp", "00"}, {"afuc:a630", "ffffffff"}}) {
    const Outcome outcome = run(with({"explain", "-m"}, words));
    EXPECT_NE(outcome.err, "") << words[0];
    EXPECT_EQ(outcome.err.find("mobula explain"), std::string::npos) << outcome.err;
  }
}

TEST(Explain, WordsThatAreNoneMakeTheStatusOne) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> undecodable{
      {{"midgard", "FFFFFFFF", "FFFFFFFF", "FFFFFFFF", "FFFFFFFF"}, "MD118"},
      {{"midgard", "00000001"}, "MD118"},
      {{"utgard-gp", "00000001"}, "GP311"},
      {{"rogue", "00000001"}, "RG201"},
      {{"afuc:a630", "FFFFFFFF"}, "AF211"},
      {{"afuc:a630", "00"}, "AF201"}};
  for (const auto& [words, code] : undecodable) {
    const Outcome outcome = run(with({"explain", "-m"}, words));
    EXPECT_EQ(outcome.status, 1) << words[0] << ' ' << words[1];
    EXPECT_THAT(outcome.err, HasSubstr('[' + code + ']'));
    EXPECT_FALSE(outcome.out.empty()) << "what is known is shown all the same";
    const Outcome json = run(with(with({"explain", "-m"}, words), {"--json"}));
    EXPECT_EQ(json.status, 1);
    EXPECT_EQ(parse_json(json.out)[0]["result"]["words"][0]["diagnostics"][0]["code"], code);
  }
  EXPECT_EQ(run({"explain", "-m", "afuc:a630", "fbadc0de"}).status, 0) << "firmware stops there on purpose";
}

TEST(Explain, SaysHowLongAWordIs) {
  const std::tuple<const char*, const char*, const char*> all[] = {
      {"rogue", "a word of rogue has at least 2 bytes, and this is 1", "mobula isa rogue length"},
      {"afuc:a630", "a word of afuc has 4 bytes, and this is 1", "1 word of eight digits"},
      {"midgard", "a word of midgard has 16 bytes, and this is 1", "4 words of eight digits"},
      {"utgard-gp", "a word of utgard-gp has 16 bytes, and this is 1", "4 words of eight digits"}};
  for (const auto& [machine, found, mend] : all) {
    const Outcome outcome = run({"explain", "-m", machine, "00"});
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(found), HasSubstr(mend))) << machine;
  }
  EXPECT_THAT(run({"explain", "-m", "midgard", "00000385"}).err, HasSubstr("and these are 4"));
}

TEST(Disasm, PoliciesBelongToFormsThatDependOnThem) {
  const std::string loop = example("loop.vert.bin");
  const std::vector<std::string> decompile{"disasm", loop, "--syntax", "decompile"};
  const Outcome chosen = run(with(decompile, {"--policy", "truth=half"}));
  EXPECT_EQ(chosen.status, 0) << chosen.err;
  EXPECT_THAT(chosen.out, HasSubstr(" >= 0.5)"));
  EXPECT_THAT(run(decompile).out, Not(HasSubstr("0.5")));
  const Outcome plain = run({"disasm", loop, "--policy", "truth=half"});
  EXPECT_EQ(plain.status, 2);
  EXPECT_THAT(plain.err, HasSubstr("--policy belongs to --syntax decompile"));
  const Outcome other = run({"disasm", example("checker.frag.bin"), "--policy", "truth=half"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("no text form of midgard depends on policies"));
  const Outcome stops = run(with(decompile, {"--policy", "early=trap"}));
  EXPECT_EQ(stops.status, 2);
  EXPECT_THAT(stops.err, HasSubstr("[GP803]"));
}

TEST(Pictures, OfTheDocumentationAreWhatTheCommandsDraw) {
  const Folder folder;
  const std::string file = folder.file("a.svg");
  const auto drawn = [&](std::vector<std::string> arguments) {
    EXPECT_EQ(run(with(std::move(arguments), {file})).status, 0);
    return read(file);
  };
  EXPECT_EQ(drawn({"explain", "-m", "afuc:a630", "98430801", "--svg"}),
            read(source_file("docs/images/explain-afuc.svg")));
  EXPECT_EQ(drawn({"disasm", example("torus.vert.bin"), "--svg"}), read(source_file("docs/images/torus-words.svg")));
  const auto assembled = [&](const std::string& machine, const std::string& text) {
    const std::string code = folder.file(machine + ".bin");
    EXPECT_EQ(run({"asm", "-m", machine, "-", "-o", code}, text).status, 0);
    return drawn({"disasm", "-m", machine, code, "--svg"});
  };
  EXPECT_EQ(assembled("midgard",
                      "{\n sadd.FADD.f32 TMP0.x, R0.x, R0.y.neg\n lut.FMUL.f32 R0, TMP0.xxxx, K\n"
                      " fconst 0.79999995, 0.6, 0.39999998, 0\n}\n"),
            read(source_file("docs/images/bundle.svg")));
  EXPECT_EQ(assembled("rogue", "main { p0: mbyp ft0, r1; p2: tstg.s32 ftt, p0, ft0, sc0 }\n"),
            read(source_file("docs/images/group.svg")));
  EXPECT_EQ(run({"asm", "-m", "afuc", example("firmware.afuc"), "-o", folder.file("own.fw")}).status, 0);
  EXPECT_EQ(drawn({"disasm", folder.file("own.fw"), "--svg"}), read(source_file("docs/images/firmware-packets.svg")));
  EXPECT_EQ(drawn({"scoreboard", "run", example("documents/scoreboard/cascade.sb"), "--config",
                   example("scoreboard-study/units16-full.json"), "--svg-clocks", "3", "--matrix-svg"}),
            read(source_file("docs/images/scoreboard-cascade.svg")));
}

}  // namespace
}  // namespace mobula::test
