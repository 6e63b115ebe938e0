#include <gtest/gtest.h>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// What a side file calls an attribute is no part of the code.
TEST(Diff, NamesOfASideFileAreNoDifference) {
  const Folder folder;
  const std::string alone = folder.file("copy.bin", read(example("color.vert.bin")));
  const Outcome outcome = run({"diff", "-m", "utgard-gp", example("color.vert.bin"), alone});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
}

TEST(Diff, AFixOfOneInstructionIsPlainThoughAllAddressesMoved) {
  const Folder folder;
  const std::string text = read(test_data("afuc/small.asm"));
  const std::string before = folder.file("old.asm", text);
  const std::string after =
      folder.file("new.asm", replaced(text, "mov $03, $data\n", "mov $03, $data\nand $03, $03, 0x3\n"));
  const Outcome outcome = run({"diff", "-m", "afuc", before, after});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("changed SQE CP_MEM_WRITE"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("and $03, $03, 0x3"), std::string::npos);
  const auto result = parse_json(run({"diff", "-m", "afuc", "--json", before, after}).out).at(0)["result"];
  EXPECT_EQ(result["changed"], 1);
  EXPECT_EQ(result["added"], 0);
  EXPECT_EQ(result["removed"], 0);
  unsigned differing = 0;
  for (const auto& function : result["functions"])
    for (const auto& line : function["lines"]) differing += line["kind"] != "same";
  EXPECT_EQ(differing, 1u);
}

/// A fix that many functions got is told once, whatever their destinations.
TEST(Diff, OneInstructionForAnotherInManyFunctions) {
  const Folder folder;
  const std::string head = "[016ee001]\n[#jumptbl]\nwaitin\nmov $01, $data\n", end = "jumptbl:\n.jumptbl\n";
  const auto firmware = [&](const std::string& mask) {
    return head + "CP_NOP:\nnop\nand $02, $12, " + mask + "\nwaitin\nmov $01, $data\nCP_MEM_WRITE:\nand $03, $12, " +
           mask + "\nor $03, $03, 0x1\nwaitin\nmov $01, $data\n" + end;
  };
  const std::string before = folder.file("old.asm", firmware("0x3")), after = folder.file("new.asm", firmware("0x7"));
  const std::string out = run({"diff", "-m", "afuc", before, after}).out;
  EXPECT_NE(out.find("2 times  and $x, $12, 0x3  ->  and $x, $12, 0x7\n           in SQE CP_NOP, SQE CP_MEM_WRITE\n"),
            std::string::npos)
      << out;
  const auto result = parse_json(run({"diff", "-m", "afuc", "--json", before, after}).out).at(0)["result"];
  ASSERT_EQ(result["replacements"].size(), 1u);
  EXPECT_EQ(result["replacements"][0]["places"].size(), 2u);
}

constexpr std::string_view diff_head = "[016ee001]\n[#jumptbl]\n", diff_end = "jumptbl:\n.jumptbl\n";

/// Functions that moved and changed a little are versions of each other, wherever they stand now.
TEST(Diff, WhatIsMostAlikeIsPaired) {
  const Folder folder;
  const auto body = [](unsigned seed, unsigned words) {
    std::string text;
    for (unsigned i = 0; i < words; ++i) text += "and $02, $12, " + std::to_string(seed * 100 + i) + "\n";
    return text + "ret\nnop\n";
  };
  const std::string head = std::string(diff_head) + "call #a\nnop\ncall #b\nnop\nwaitin\nmov $01, $data\n";
  const std::string before =
      folder.file("old.asm", head + "a:\n" + body(1, 20) + "b:\n" + body(2, 20) + std::string(diff_end));
  // b is called first now, stands first, and has a word more; a has another constant.
  const std::string after = folder.file(
      "new.asm", std::string(diff_head) + "call #b\nnop\nnop\ncall #a\nnop\nwaitin\nmov $01, $data\nb: nop\n" +
                     body(2, 20) + "a:\n" + replaced(body(1, 20), " 105\n", " 99\n") + std::string(diff_end));
  const auto result = parse_json(run({"diff", "-m", "afuc", "--json", before, after}).out).at(0)["result"];
  EXPECT_EQ(result["added"], 0);
  EXPECT_EQ(result["removed"], 0);
  EXPECT_EQ(result["changed"], 3) << result;
}

/// Code that is entered by an address in an SQE register is a function, though nothing calls it.
TEST(Diff, FunctionsBeginWhereAddressesLead) {
  const Folder folder;
  const auto firmware = [&](const std::string& more) {
    return std::string(diff_head) + more +
           "mov $02, #entry\nswrite $02, [$00 + %PREEMPT_INSTR]\nwaitin\nmov $01, $data\nentry:\nadd $03, $03, 0x1\n" +
           "iret\nnop\n" + std::string(diff_end);
  };
  const std::string before = folder.file("old.asm", firmware("")), after = folder.file("new.asm", firmware("nop\n"));
  const auto result = parse_json(run({"diff", "-m", "afuc", "--json", before, after}).out).at(0)["result"];
  ASSERT_EQ(result["functions"].size(), 2u) << result;
  EXPECT_EQ(result["functions"][1]["kind"], "same");
  EXPECT_EQ(result["functions"][1]["old_name"], "l6");
  EXPECT_EQ(result["functions"][1]["new_name"], "l7");
}

TEST(Diff, OtherNumbersForScratchRegistersAreNoChange) {
  const Folder folder;
  const auto firmware = [&](const std::string& a, const std::string& b, const std::string& first) {
    return std::string(diff_head) + "waitin\nmov $01, $data\nCP_NOP:\n" + first + "mov " + a + ", $data\nand " + b +
           ", " + a + ", 0x3\nadd $12, $12, " + b + "\nwaitin\nmov $01, $data\n" + std::string(diff_end);
  };
  const std::string before = folder.file("old.asm", firmware("$02", "$03", ""));
  const std::string after = folder.file("new.asm", firmware("$05", "$02", ""));
  const Outcome same = run({"diff", "-m", "afuc", before, after});
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_NE(same.out.find("same SQE CP_NOP, 5 words, $05 for $02, $02 for $03\n"), std::string::npos) << same.out;
  const auto result = parse_json(run({"diff", "-m", "afuc", "--json", before, after}).out).at(0)["result"];
  EXPECT_EQ(result["functions"][1]["registers"], (nlohmann::json{{"$02", "$05"}, {"$03", "$02"}}));
  // One register for two is a change, and so is another one for what lives longer or came from outside.
  for (const std::string& other : {firmware("$02", "$02", ""), firmware("$02", "$13", "")})
    EXPECT_EQ(run({"diff", "-m", "afuc", before, folder.file("other.asm", other)}).status, 1);
  const std::string takes = folder.file("takes.asm", firmware("$02", "$03", "add $02, $02, 0x1\n"));
  const std::string takes_other = folder.file("takes_other.asm", firmware("$05", "$03", "add $05, $05, 0x1\n"));
  EXPECT_EQ(run({"diff", "-m", "afuc", takes, takes_other}).status, 1);
}

TEST(Diff, BeginsWithASummary) {
  const Folder folder;
  const std::string text = read(test_data("afuc/small.asm"));
  const std::string before = folder.file("old.asm", text);
  const std::string after =
      folder.file("new.asm", replaced(text, "mov $03, $data\n", "mov $03, $data\nand $03, $03, 0x3\n"));
  const std::string out = run({"diff", "-m", "afuc", before, after}).out;
  const std::string first = out.substr(0, out.find('\n'));
  EXPECT_NE(first.find("functions the same, 1 changed, 0 added, 0 removed"), std::string::npos) << out;
  EXPECT_NE(out.find("\n  changed SQE CP_MEM_WRITE, "), std::string::npos) << out;
  EXPECT_NE(out.find(" words: -0 +1 lines\n"), std::string::npos) << out;
}

TEST(Diff, FunctionsThatCameAndWent) {
  const Folder folder;
  const std::string text = read(test_data("afuc/small.asm"));
  const std::string before = folder.file("old.asm", text);
  const std::string after = folder.file(
      "new.asm",
      replaced(text, "CP_NOP:\n", "CP_WAIT_FOR_IDLE:\nmov $addr, 0x80 << 24\nwaitin\nmov $01, $data\nCP_NOP:\n"));
  EXPECT_NE(run({"diff", "-m", "afuc", before, after}).out.find("added SQE CP_WAIT_FOR_IDLE, 3 words"),
            std::string::npos);
  EXPECT_NE(run({"diff", "-m", "afuc", after, before}).out.find("removed SQE CP_WAIT_FOR_IDLE, 3 words"),
            std::string::npos);
}

TEST(Diff, TheSameIsTheSame) {
  const std::string file = test_data("afuc/several.asm");
  const Outcome outcome = run({"diff", "-m", "afuc", file, file});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find(" 0 changed, 0 added, 0 removed"), std::string::npos) << outcome.out;
}

/// A word that is put in is the only difference, though the addresses and branches after it moved.
TEST(Diff, AWordMoreInAnyMachine) {
  const Folder folder;
  const auto differs = [&](const std::string& name, const std::string& text, const std::string& at,
                           const std::string& more) {
    const std::string before = folder.file("old" + name, text),
                      after = folder.file("new" + name, replaced(text, at, more + at));
    const Outcome outcome = run({"diff", "--json", before, after});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    const auto result = parse_json(outcome.out).at(0)["result"];
    EXPECT_EQ(result["added"], 1) << outcome.out;
    EXPECT_EQ(result["removed"], 0) << outcome.out;
    EXPECT_EQ(run({"diff", before, before}).status, 0);
  };
  const std::string loop = run({"disasm", example("loop.vert.bin")}).out;
  differs(".gpasm", loop, "{", "{ p0 = attr0 }\n");
  differs(".mdg", run({"disasm", example("waves.frag.bin")}).out, "{\n", "{\n  vmul.FMOV.f32 R1.x, R1.x\n}\n");
  differs(".rgasm", read(example("rogue-loop.rgasm")), "main", "nop\n");
}

TEST(Diff, ABranchThatLeadsElsewhereIsADifference) {
  const Folder folder;
  const std::string start =
      "L0:\n{\n  vmul.FMOV.f32 R0, R1\n}\nL1:\n{\n  vmul.FMOV.f32 R0, R2\n}\n{\n  vmul.FMOV.f32 R0, R3\n  "
      "brx.cond.always ";
  const std::string one = folder.file("a.mdg", start + "L0\n}\n"), other = folder.file("b.mdg", start + "L1\n}\n");
  const Outcome outcome = run({"diff", one, other});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("2 words are the same, 1 added, 1 removed"), std::string::npos) << outcome.out;
}

TEST(Diff, OfTwoMachinesIsRefused) {
  const Outcome outcome = run({"diff", example("checker.frag.bin"), example("color.vert.bin")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("one program is for midgard, the other for utgard-gp [MOB009]"), std::string::npos);
}

}  // namespace
}  // namespace mobula::test
