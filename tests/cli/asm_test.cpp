#include <gmock/gmock.h>

#include "cli/shell.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Asm, RestoresWhatDisasmShows) {
  const Folder folder;
  for (const char* name :
       {"checker.frag.bin", "waves.frag.bin", "textured.frag.bin", "light.vert.bin", "mad.comp.bin"}) {
    const std::string text = run({"disasm", example(name)}).out;
    const std::string file = folder.file("out.bin");
    const Outcome outcome = run({"asm", "-m", "midgard", "-", "-o", file}, text);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read(file), read(example(name))) << name;
    EXPECT_EQ(run({"asm", "-m", "midgard", "-"}, text).out, read(example(name)));
  }
}

TEST(Asm, HexIsTextThatDisasmTakes) {
  const std::string text = run({"disasm", example("checker.frag.bin")}).out;
  const std::string hex = run({"asm", "-m", "midgard", "--hex", "-"}, text).out;
  EXPECT_THAT(hex, StartsWith("00200058 06108117 03200000 00000000\n"));
  EXPECT_EQ(run({"asm", "-m", "midgard", "-"}, run({"disasm", "-m", "midgard", "-"}, hex).out).out,
            read(example("checker.frag.bin")));
}

TEST(Asm, JsonHasCodeAndLabels) {
  const std::string text = run({"disasm", example("checker.frag.bin")}).out;
  const auto results = parse_json(run({"asm", "-m", "midgard", "--json", "-"}, text).out);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0]["result"]["code"], to_hex(read(example("checker.frag.bin"))));
  EXPECT_EQ(results[0]["result"]["labels"][0], (nlohmann::json{{"name", "L13"}, {"offset", "0xd0"}}));
}

TEST(Asm, BytesAreNoText) {
  const Folder folder;
  const std::string bytes = folder.file("bytes", std::string("\xff{\0}", 4)),
                    latin = folder.file("latin", "\xe9\xff{\n");
  for (const char* machine : {"midgard", "utgard-gp", "rogue", "afuc:a630"}) {
    const Outcome outcome = run({"asm", "-m", machine, bytes, "--hex"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("bytes:0x2: error: this is not text: there is a zero byte here [MOB014]"));
    const std::string said = run({"asm", "-m", machine, latin, "--hex"}).err;
    EXPECT_EQ(said.find_first_of("\xe9\xff"), said.npos) << "what is no text is spelled";
    EXPECT_THAT(said, HasSubstr("\n  ??{\n  ^"));
  }
}

/// Lines of it with carets below would show nothing to anybody.
TEST(Asm, NoiseIsNoTextWhereverTextIsRead) {
  const Folder folder;
  const std::string noise =
                        "ab\x0f|\xdf^\x92\x8e"
                        "4\xf1\x82j}\xd1\\kY\x01\x8a\x8b\n\x1c\x7f",
                    said =
                        ":0x2: error: this is not text: from here on there are control characters, and bytes that are "
                        "not UTF-8 [MOB014]\n  hint: is this the right file?";
  const std::string any = folder.file("any", noise), json = folder.file("a.json", noise),
                    workload = folder.file("a.sb", noise), expressions = folder.file("a.gpe", noise),
                    checker = example("checker.frag.bin");
  std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"pm4", "--asm", any}, any},
      {{"schedule", "--text", expressions}, expressions},
      {{"scoreboard", "run", workload}, workload},
      {{"run", checker, "--inputs", json}, json},
      {{"debug", checker, "--script", any}, any},
      {{"stat", checker, "--baseline", json}, json},
      {{"asm", "-m", "midgard", "--syntax", "mesa", any}, any}};
  for (const char* machine : {"midgard", "utgard-gp", "rogue", "afuc:a630"})
    cases.push_back({{"asm", "-m", machine, any, "--hex"}, any});
  if (run({"compile", "--help"}).status == 0) {
    const std::string shader = folder.file("a.frag", noise);
    cases.push_back({{"compile", "-m", "midgard", shader, "-o", folder.file("o")}, shader});
  }
  for (const auto& [command, file] : cases) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << command.front();
    EXPECT_THAT(outcome.err, HasSubstr(file + said)) << command.front();
  }
  // Comments in an older encoding are no noise, and a stray character has its place.
  const std::string old = "// caf\xe9, na\xefve, d\xe9j\xe0 vu\n{\n  vadd.FADD.f32 R0.x, U0.x, #2\n}\n";
  EXPECT_EQ(run({"asm", "-m", "midgard", "--hex", "-"}, old).status, 0);
  EXPECT_THAT(run({"asm", "-m", "midgard", "--hex", "-"}, old + "\x01").err, HasSubstr(":5:1: error: "));
}

TEST(Asm, WarnsOfPacketsWithoutAHandler) {
  const Outcome outcome = run({"asm", "-m", "afuc:a630", "--hex", "-"},
                              "[016ee001]\n[#jumptbl]\nCP_NOP: UNKN0: UNKN1: nop\njumptbl:\n.jumptbl\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("warning: the packet table of SQE has 0 instead of a handler for UNKN2, UNKN3, PKT4, "
                        "UNKN5 and 121 more [AF206]"));
  std::string all = "[016ee001]\n[#jumptbl]\n";
  for (unsigned i = 0; i < 128; ++i) all += "UNKN" + std::to_string(i) + ": ";
  EXPECT_EQ(run({"asm", "-m", "afuc:a630", "--hex", "-"}, all + "nop\njumptbl:\n.jumptbl\n").err, "");
}

TEST(Asm, ErrorsShowTheLineAndLeaveTheOutputAlone) {
  const Folder folder;
  const std::string source = folder.file("a.asm", "{\n  vmul.FROB.f32 R0, R1, R2\n  vadd.FADD.f32 R0, R99, R2\n}\n");
  const std::string target = folder.file("a.bin", "old");
  const Outcome outcome = run({"asm", "-m", "midgard", source, "-o", target});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith(source + ":2:8: error: "));
  EXPECT_THAT(outcome.err, HasSubstr("\n    vmul.FROB.f32 R0, R1, R2\n         ^"));
  EXPECT_THAT(outcome.err, HasSubstr(source + ":3:")) << "all errors are reported, not only the first";
  EXPECT_EQ(read(target), "old");
}

TEST(Asm, ATextWithoutCodeIsAnError) {
  const Folder folder;
  for (const char* machine : {"midgard", "rogue", "afuc:a630"}) {
    const std::string text = std::string("// only\n.machine ") + machine + '\n';
    const Outcome outcome = run({"asm", folder.file("a.txt", text), "-o", folder.file("a.out")});
    EXPECT_EQ(outcome.status, 1) << machine;
    EXPECT_THAT(outcome.err, HasSubstr("there is no code in this text, only comments and directives [FM005]"));
    EXPECT_EQ(folder.names().size(), 1u) << machine << ": nothing is written";
  }
}

TEST(Asm, SyntaxMustBeOneThatIsRead) {
  EXPECT_EQ(run({"asm", "-m", "midgard", "--syntax", "latin", "-"}, "{\n}\n").status, 2);
  EXPECT_EQ(run({"asm", "-m", "midgard", "--syntax", "mdg", "-"}, "{\n  break\n}\n").out,
            run({"asm", "-m", "midgard", "-"}, "{\n  break\n}\n").out);
}

/// Mesa's listing of a program, alone or in a log, and a warning of what it leaves open.
TEST(Asm, ReadsListingsOfMesa) {
  const Folder folder;
  for (const char* syntax : {"mesa", "mesa-verbose"}) {
    const std::string listing = run({"disasm", "--syntax", syntax, example("checker.frag.bin")}).out;
    for (const std::string& text : {listing, "shader: MESA_SHADER_FRAGMENT\nimpl main {\n}\n\n" + listing}) {
      const Outcome outcome = run({"asm", "-m", "midgard", "--syntax", syntax, "-"}, text);
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      const std::string file = folder.file("a.bin", outcome.out);
      EXPECT_EQ(run({"disasm", "-m", "midgard", "--syntax", syntax, file}).out, listing);
      for (const char* command : {"check", "ir", "stat", "info"}) {
        const Outcome taken = run({command, "-m", "midgard", "--syntax", syntax, "-"}, text);
        EXPECT_EQ(taken.out, run({command, "-m", "midgard", "--syntax", syntax, "-"}, listing).out) << command;
        EXPECT_EQ(taken.status, 0) << command << ": " << taken.err;
      }
    }
  }
  const Outcome open = run({"asm", "-m", "midgard", "--syntax", "mesa", "--hex", "-"}, "FMUL.f32 R0, R0, #0.5\n");
  EXPECT_EQ(open.status, 0);
  EXPECT_NE(open.err.find("1:1: warning: the listing does not say which unit executes this"), std::string::npos)
      << open.err;
}

}  // namespace
}  // namespace mobula::test
