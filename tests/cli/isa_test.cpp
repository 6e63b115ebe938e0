#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

TEST(Isa, SaysWhichSyntaxesAreReadOrPrintedAlone) {
  const std::string text = run({"isa"}).out;
  EXPECT_THAT(text, testing::HasSubstr("    lima  (reads only)  what"));
  EXPECT_THAT(text, testing::HasSubstr("    ogt  (prints only)  the"));
  EXPECT_THAT(text, testing::HasSubstr("    mesa  what Mesa"));
}

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

/// The first notes' names, numbers, registers and special values, with what they are found as.
TEST(Isa, FindsMidgardByEveryNameOfItsDocument) {
  const std::pair<const char*, const char*> all[] = {{"fadd", "ALU 0x10"},      {"fmul", "ALU 0x14"},
                                                     {"fmin", "ALU 0x28"},      {"fmax", "ALU 0x2C"},
                                                     {"fmov", "ALU 0x30"},      {"ffloor", "ALU 0x36"},
                                                     {"fceil", "ALU 0x37"},     {"fdot3", "ALU 0x3C"},
                                                     {"fdot3r", "ALU 0x3D"},    {"fdot4", "ALU 0x3E"},
                                                     {"freduce", "ALU 0x3F"},   {"iadd", "ALU 0x40"},
                                                     {"isub", "ALU 0x46"},      {"imul", "ALU 0x58"},
                                                     {"imov", "ALU 0x7B"},      {"feq", "ALU 0x80"},
                                                     {"fne", "ALU 0x81"},       {"flt", "ALU 0x82"},
                                                     {"fle", "ALU 0x83"},       {"f2i", "ALU 0x99"},
                                                     {"ieq", "ALU 0xA0"},       {"ine", "ALU 0xA1"},
                                                     {"ilt", "ALU 0xA4"},       {"ile", "ALU 0xA5"},
                                                     {"csel", "ALU 0xC5"},      {"i2f", "ALU 0xB8"},
                                                     {"fatan_pt2", "ALU 0xE8"}, {"frcp", "ALU 0xF0"},
                                                     {"frsqrt", "ALU 0xF2"},    {"fsqrt", "ALU 0xF3"},
                                                     {"fexp2", "ALU 0xF4"},     {"flog2", "ALU 0xF5"},
                                                     {"fsin", "ALU 0xF6"},      {"fcos", "ALU 0xF7"},
                                                     {"fatan_pt1", "ALU 0xF9"}, {"noop", "load/store 0x3"},
                                                     {"ld_attr_32", "0x94"},    {"ld_attr_16", "0x95"},
                                                     {"ld_vary_32", "0x98"},    {"ld_vary_16", "0x99"},
                                                     {"ld_uniform_16", "0xAC"}, {"st_vary_32", "0xD4"},
                                                     {"ld_uniform_32", "0xB0"}, {"st_vary_16", "0xD5"},
                                                     {"0x7B", "imov"},          {"7b", "imov"},
                                                     {"0xd4", "st_vary_32"},    {"03", "ld_st_noop"},
                                                     {"r24", "TMP0"},           {"r31", "COND"},
                                                     {"hr63", "COND"},          {"U3", "r8-r23"},
                                                     {"r7", "work register"},   {"K", "constants"},
                                                     {"sample_id", "0x61"},     {"special.sample_id", "0x61"},
                                                     {"GROUP_ID", "workgroup"}, {"GRDESC_DER", "texture 9"},
                                                     {"sample_mask", "0x60"},   {"gl_SampleID", "0x61"},
                                                     {"vertex_id", "0x10"},     {"gl_VertexID", "0x10"},
                                                     {"instance_id", "0x11"},   {"gl_WorkGroupID", "GROUP_ID"}};
  for (const auto& [name, expected] : all) {
    const Outcome outcome = run({"isa", "midgard", name});
    EXPECT_EQ(outcome.status, expected != nullptr ? 0 : 1) << name;
    if (expected == nullptr) continue;
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << name << '\n' << outcome.out;
  }
  EXPECT_NE(run({"isa", "midgard", "f2i"}).out.find("Also called f2i."), std::string::npos);
  const auto entries = parse_json(run({"isa", "midgard", "fsin", "--json"}).out)[0]["result"]["entries"];
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0]["names"], (nlohmann::json{"fsinpi", "0xF6", "F6", "fsin"}));
}

/// Names of the founding documents that are no instructions of the machine's own text, with what they are found as.
TEST(Isa, FindsWhatTheDocumentsCallThings) {
  struct Row {
    const char *machine, *name, *expected;
  };
  const Row all[] = {
      {"midgard", "r31.w", "COND"},
      {"midgard", "r26.xyzw", "constants"},
      {"midgard", "vmul", "Bit 17"},
      {"midgard", "sadd", "unit, stage 1"},
      {"midgard", "alu/16", "kind of word 0xB"},
      {"midgard", "5", "load/store"},
      {"midgard", "alu.control.branch", nullptr},
      {"midgard", "alu.vector.mask", "16 bits of result each"},
      {"midgard", "alu.scalar.source.smul.src2.component", "alu.scalar.source: "},
      {"midgard", "r31.x", "COND"},
      {"midgard", "0x03", "load/store 0x3"},
      {"midgard", "temp", "r24  register"},
      {"midgard", "temporary", "r25  register"},
      {"midgard", "uniform", "r8-r23  registers"},
      {"midgard", "work", "r0-r15  registers"},
      {"midgard", "condition_bit", "policy, bit0"},
      {"rogue", "mul", "fmul"},
      {"rogue", "mad", "fmad"},
      {"rogue", "tstz.f32", "== 0"},
      {"rogue", "uvsw", "uvsw.emit.endtask"},
      {"rogue", "is0", "feeds FTE"},
      {"rogue", "is1", "decision 0028"},
      {"rogue", "is5", "what drives W1"},
      {"rogue", "ft0", "result of phase 0"},
      {"rogue", "ft2", "phase 2"},
      {"rogue", "ftt", "the test"},
      {"rogue", "fte", "chosen by is0"},
      {"rogue", "w0", "port"},
      {"rogue", "W1", "w0, w1  port"},
      {"rogue", "TAU", "texel addresses"},
      {"rogue", "TEST", "before the move"},
      {"rogue", "fred", "fred  phase 0"},
      {"rogue", "s0", "phase 0"},
      {"rogue", "s5", "phase 1"},
      {"rogue", "p0", "predicate"},
      {"rogue", "drc1", "fence counter"},
      {"rogue", "r12", "temporary"},
      {"rogue", "sc95", "(pi)"},
      {"rogue", "face_orient", "sr44"},
      {"rogue", "(ignorepe)", "in all instances"},
      {"rogue", "olchk", "output partition"},
      {"rogue", ".sat", "clamped"},
      {"rogue", "nothing_of_this_name", nullptr},
      {"afuc", "$1c", "payload words left"},
      {"afuc", "$1d", "written"},
      {"afuc", "$1f", "next word of the packet"},
      {"afuc", "VFD_INDEX_OFFSET", "a5xx, 0xe408"},
      {"afuc", "CP_ME_NRT_DATA", "GPU register"},
      {"afuc", "CP_ME_NRT_ADDR", "CP_ME_NRT_ADDR_LO"},
      {"afuc", "CP_SCRATCH_REG", "CP_SCRATCH[].REG"},
      {"afuc", "0x0b0", "control register"},
      {"afuc", "0xe408", "VFD_INDEX_OFFSET"},
      {"afuc", "(rep)", "while $rem is not 0"},
      {"afuc", "xmov1", "prefix"},
      {"afuc", "shift", "policy"},
      {"afuc", "MEQ", "It holds 64 words"},
      {"afuc", "0x018", "counts 0x008 up"},
      {"afuc", "0x008", "until it is 0"},
      {"utgard-gp", "step", "a >= b"},
      {"utgard-gp", "passthrough", "copy"},
      {"utgard-gp", "abs", "max(x, -x)"},
      {"utgard-gp", "8", "s8  operand selector 8"},
      {"utgard-gp", "21", "unused  operand selector 21"},
      {"utgard-gp", "22", "ident  operand selector of b 22"},
      {"utgard-gp", "p0[-1].x", "operand selector 28"},
      {"utgard-gp", "pass.op4", "preexp2"},
      {"utgard-gp", "pass.op5", "postlog2"},
      {"utgard-gp", "mul.op1", "complex1"},
      {"utgard-gp", "mul.op3", "complex2"},
      {"utgard-gp", "complex.exp2", "stage of 2^x"},
      {"utgard-gp", "reciprocal", "stage of 1 / x"},
      {"utgard-gp", "identity", "1.0 for multipliers"},
      {"utgard-gp", "sequence", "policy"},
      {"utgard-gp", "addr0", "A0  address register"},
      {"utgard-gp", "gl_Position", "varying"},
      {"utgard-gp", "gl_mali_ViewportTransform", "the viewport's scale, its offset"},
      {"utgard-gp", "gl_mali_PointSizeParameters", "least and greatest size"},
      {"utgard-gp", "branch.target", "low 8 bits"},
  };
  for (const auto& [machine, name, expected] : all) {
    const Outcome outcome = run({"isa", machine, name});
    EXPECT_EQ(outcome.status, expected != nullptr ? 0 : 1) << machine << ' ' << name;
    if (expected == nullptr) continue;
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << machine << ' ' << name << '\n' << outcome.out;
  }
}

/// The words between backquotes.
std::set<std::string> quoted_words(const std::string& page) {
  std::set<std::string> words;
  for (std::size_t begin = page.find('`'); begin != std::string::npos; begin = page.find('`', begin + 1)) {
    const std::size_t end = page.find('`', begin + 1);
    if (end == std::string::npos) break;
    words.insert(page.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  return words;
}

/// Every name that the references write as code: what is none of the machine's is a status, a file, a text form, a
/// command or an example of several words.
TEST(Isa, KnowsEveryNameOfTheReferences) {
  const std::set<std::string> others{"binaries",
                                     "document",
                                     "driver",
                                     "inferred",
                                     "seed",
                                     "unknown",
                                     "explain",
                                     "check",
                                     "mesa",
                                     "ogt",
                                     "gpasm",
                                     "mdg",
                                     "pco",
                                     "rogue",
                                     "msm",
                                     "firmware-qcom-soc",
                                     "0x00",
                                     "0x1e",
                                     "0x2b",
                                     "!",
                                     "(xmovN)",
                                     "(sds)",
                                     "cnd...",
                                     "(sdsN)cwrite",
                                     "rogue:model",
                                     "rogue:complex-p1",
                                     "xyzwefghijklmnop"};
  for (const char* machine : {"afuc", "midgard", "rogue", "utgard-gp"}) {
    std::size_t known = 0;
    for (const std::string& word : quoted_words(read(source_file(std::string("docs/reference/") + machine + ".md")))) {
      if (word.find_first_of(" ,?=\n") != std::string::npos || others.contains(word)) continue;
      ++known;
      EXPECT_EQ(run({"isa", machine, word}).status, 0) << machine << ' ' << word;
    }
    EXPECT_GT(known, 0u) << machine;
  }
}

/// Fields of fields, queues, and what side files speak of.
TEST(Isa, FindsWhatStandsAroundWords) {
  const auto manual = [](const char* machine, const char* name) { return run({"isa", machine, name}).out; };
  const std::string component = manual("midgard", "src2.component");
  EXPECT_NE(component.find("alu.scalar.source: 11 bits\n  3+3  component  source 2 component"), std::string::npos)
      << component;
  EXPECT_EQ(component.find("destination component"), std::string::npos) << component;
  EXPECT_EQ(run({"isa", "midgard", "src9.component"}).status, 1);
  EXPECT_NE(manual("afuc", "MEQ").find("from the PFP to the ME"), std::string::npos);
  EXPECT_NE(manual("afuc", "roq").find("fetches ring buffer"), std::string::npos);
  for (const char* all : {"sysvals", "system_values"})
    EXPECT_NE(manual("midgard", all).find("sysvals.group_count  system value, type 5"), std::string::npos) << all;
  EXPECT_NE(manual("midgard", "viewport_scale").find("type 1 in side files"), std::string::npos);
}

/// Letters' case tells F2I, which rounds, from the document's f2i, and A0 from a0.
TEST(Isa, ShowsWhatIsWrittenExactlySoFirst) {
  const auto first = [](const char* machine, const char* name) {
    return run({"isa", machine, name}).out.substr(0, 20);
  };
  EXPECT_EQ(first("midgard", "f2i").substr(0, 17), "F2I.rtz  ALU 0x99");
  EXPECT_EQ(first("midgard", "F2I").substr(0, 13), "F2I  ALU 0x98");
  EXPECT_EQ(first("utgard-gp", "A0").substr(0, 19), "A0  address registe");
  EXPECT_EQ(first("utgard-gp", "a0").substr(0, 19), "a0  store selector ");
  // $0 is a register, and not the operation of number 0.
  EXPECT_NE(first("utgard-gp", "0").substr(0, 3), first("utgard-gp", "$0").substr(0, 3));
  // An instruction comes before the bits of a format that is called as it is.
  EXPECT_EQ(first("rogue", "fred").substr(0, 13), "fred  phase 0");
  EXPECT_EQ(first("rogue", "movc").substr(0, 18), "movc  phase 2 move");
}

TEST(Isa, SaysWhoseManualThereIs) {
  for (const char* machine : {"midgard:t720", "rogue:model", "afuc:a530"}) {
    const Outcome outcome = run({"isa", machine, "nop"});
    EXPECT_EQ(outcome.status, 2) << machine;
    EXPECT_NE(outcome.err.find("is one for all variants"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("check -m " + std::string(machine)), std::string::npos) << outcome.err;
  }
  const Outcome variant = run({"isa", "midgard", "t860"});
  EXPECT_EQ(variant.status, 2);
  EXPECT_NE(variant.err.find("is a variant of midgard"), std::string::npos) << variant.err;
  EXPECT_NE(variant.err.find("check -m midgard:t860"), std::string::npos) << variant.err;
  const Outcome scoreboard = run({"isa", "scoreboard"});
  EXPECT_EQ(scoreboard.status, 2);
  EXPECT_NE(scoreboard.err.find("has no instruction set"), std::string::npos) << scoreboard.err;
  EXPECT_NE(scoreboard.err.find("mobula scoreboard presets"), std::string::npos) << scoreboard.err;
}

TEST(Isa, ANameWithoutItsMachineIsAnswered) {
  for (const auto& [asked, meant] : {std::pair{"f2i", "`mobula isa midgard f2i`"}, {"fmulx", "`mobula isa midgard "}}) {
    const Outcome outcome = run({"isa", asked});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find(std::string("did you mean ") + meant), std::string::npos) << outcome.err;
  }
  EXPECT_NE(run({"isa", "qqqqqqqq"}).err.find("unknown machine"), std::string::npos);
  EXPECT_NE(run({"isa", "midgrd"}).err.find("did you mean midgard?"), std::string::npos);
}

TEST(Isa, AnswersWithTheFieldsOfAName) {
  const auto formats = parse_json(run({"isa", "utgard-gp", "ld.off", "--json"}).out)[0]["result"]["formats"];
  ASSERT_EQ(formats.size(), 1u);
  ASSERT_EQ(formats[0]["fields"].size(), 1u);
  EXPECT_EQ(formats[0]["fields"][0]["low"], 55);
}

TEST(Isa, DrawsTheBitsOfFormats) {
  const Folder folder;
  const std::string file = folder.file("bits.svg");
  const Outcome one = run({"isa", "midgard", "alu.control", "--svg", file});
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.out, run({"isa", "midgard", "alu.control"}).out);
  const std::string drawing = read(file);
  EXPECT_NE(drawing.find(">alu.control: 32 bits<"), std::string::npos);
  EXPECT_EQ(drawing.find(">texture: 128 bits<"), std::string::npos);
  ASSERT_EQ(run({"isa", "midgard", "--svg", file}).status, 0);
  EXPECT_NE(read(file).find(">texture: 128 bits<"), std::string::npos);
  const Outcome no_bits = run({"isa", "midgard", "r31", "--svg", folder.file("none.svg")});
  EXPECT_EQ(no_bits.status, 2);
  EXPECT_NE(no_bits.err.find("nothing that is shown has bits to draw"), std::string::npos);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"bits.svg"});
}

}  // namespace
}  // namespace mobula::test
