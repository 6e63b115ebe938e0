// The forms that only print: Mesa's, that of the open-gpu-tools, and the decompiled view.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "machines/utgard_gp/programs.h"
#include "machines/utgard_gp/text/parse.h"
#include "machines/utgard_gp/words.h"
#include "mobula/isa/machine.h"
#include "paths.h"

namespace mobula::utgard_gp {
namespace {

std::string print_as(std::string_view syntax, std::vector<std::uint8_t> code) {
  Program program;
  program.code = std::move(code);
  const auto listing = find_machine("utgard-gp")->disassemble(program, {.syntax = syntax});
  EXPECT_TRUE(listing);
  return listing ? listing->text : "";
}
std::string print_text_as(std::string_view syntax, std::string_view text) {
  const auto program = parse({"t", text}, "");
  EXPECT_TRUE(program) << text;
  return program ? print_as(syntax, program->code) : "";
}

TEST(SyntaxMesa, AgreesWithEverySample) {
  const std::filesystem::path folder = mobula::test::sample("utgard-gp");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples at " << folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    const std::string code = read_file(entry.path());
    EXPECT_EQ(print_as("mesa", {code.begin(), code.end()}),
              read_file(std::filesystem::path(entry.path()).replace_extension(".txt")))
        << entry.path();
  }
}

/// 9.3 as Mesa prints it.
TEST(SyntaxMesa, PrintsTheLoop) {
  const std::string text = print_as("mesa", program_c());
  EXPECT_THAT(text, testing::StartsWith("000:\tmov.a0 ^0/$0.w a0.w\n\tmov.a1 ^1/$0.y a0.y\n\tmov.m0 ^2/$0.x a0.x\n"
                                        "\tmov.m1 ^3/$0.z a0.z\n"));
  EXPECT_THAT(text, testing::HasSubstr("002:\tnop\n003:\tnop\n004:\tsign.a0 ^24 $1.x\n"
                                       "005:\tmax.a0 ^30 $1.x -$1.x\n\tmov.m1 ^33 ^24\n"));
  EXPECT_THAT(text, testing::HasSubstr("009:\tmov.p ^58 ^48\n\tbranch ^58 013\n\tunknown_1 13\n"));
  EXPECT_THAT(text, testing::HasSubstr("014:\tcomplex1.m01 ^86 ^83 ^80 ^83 $0.w\n"));
}

TEST(SyntaxMesa, KeepsHabitsAndPutsDefectsRight) {
  EXPECT_EQ(print_text_as("mesa", "{ p0 = attr2; m1 = -mov p0.x; a0 = neg p0.y; a1 = add p0.y, p0.z }"),
            "000:\tmov.a0 ^0 -a2.y\n\tadd.a1 ^1 a2.y a2.z\n\tmul.m1 ^3 a2.x -1\n");
  EXPECT_EQ(print_text_as("mesa", "{ p0 = attr0; m01 = select p0.x ? p0.y : p0.z; c = setA1 p0.w }"),
            "000:\tsel.m01 ^2 a0.x a0.z a0.y\n\tmov.c ^5/addr1 a0.w\n");
  EXPECT_EQ(print_text_as("mesa", "{ p0 = attr0; a0 = max p0.x, -ident }"), "000:\tmax.a0 ^0 a0.x -0\n") << "no move";
  EXPECT_EQ(print_text_as("mesa", "{ cplx.in:=3 }"), "000:\tnop\n") << "no empty line";
  EXPECT_EQ(print_text_as("mesa", "{ m0 = mov p0[-1].x; m1 = mov a0[-2] }"), "000:\tmov.m0 ^2 $0.x\n\tmov.m1 ^3 ^?\n")
      << "nothing before the program";
}

TEST(SyntaxOgt, PrintsProgramA) {
  EXPECT_THAT(print_as("ogt", program_a()),
              testing::StartsWith("attribute.load(0), mul[0].complex2(attribute.w, attribute.w), "
                                  "complex.rcp(attribute.w);\n"
                                  "uniform.load(0), mul[0].complex1(complex.out[1], mul[0].out[1], complex.out[1], "
                                  "attrib.w[1]), acc[1].pass(uniform.z);\n"));
}

TEST(Decompile, SeesThroughMovesAndFunctions) {
  EXPECT_EQ(print_as("decompile", program_a()),
            "002: varying[0].x = attribute[1].x;\n"
            "002: varying[0].y = attribute[1].y;\n"
            "002: varying[0].z = attribute[1].z;\n"
            "002: varying[0].w = attribute[1].w;\n"
            "003: ^22 = clamp(rcp(attribute[0].w), uniform[2].x, uniform[2].y);\n"
            "006: varying[1].x = (((attribute[0].x * uniform[0].x) * ^22) + uniform[1].x);\n"
            "006: varying[1].y = (((attribute[0].y * uniform[0].y) * ^22) + uniform[1].y);\n"
            "006: varying[1].z = (((attribute[0].z * uniform[0].z) * ^22) + uniform[1].z);\n"
            "006: varying[1].w = ^22;\n");
  EXPECT_THAT(print_as("decompile", program_c()),
              testing::HasSubstr("009: if ((register[1].y >= (sign(register[1].x) * floor(max(register[1].x, "
                                 "-register[1].x))))) goto 13;\n"));
}

}  // namespace
}  // namespace mobula::utgard_gp
