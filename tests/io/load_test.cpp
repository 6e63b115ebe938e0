#include "mobula/lab/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mobula/isa/machine.h"
#include "paths.h"

namespace mobula {
namespace {

using testing::HasSubstr;

std::string code_of(const auto& result) { return result ? "" : result.error()[0].code; }

TEST(Load, AProgramWithTheSideFileBesideIt) {
  const auto program = load_program_file(test::source_file("examples/checker.frag.bin"));
  ASSERT_TRUE(program) << program.error()[0].message;
  EXPECT_EQ(program->machine, "midgard");
  EXPECT_EQ(program->variant, "t860");
  EXPECT_EQ(program->interface.stage, Stage::fragment);
  EXPECT_EQ(program->code.size(), 240u);
}

TEST(Load, CodeAloneTellsNoMachine) {
  const auto bytes = load_bytes(test::source_file("examples/checker.frag.bin"));
  ASSERT_TRUE(bytes);
  const auto program = load_program(*bytes, "checker");
  ASSERT_EQ(code_of(program), "MOB005");
  for (const Machine* machine : machines()) EXPECT_THAT(program.error()[0].hint, HasSubstr(machine->name()));
  EXPECT_TRUE(load_program(*bytes, "checker", {.machine = "midgard:t720"}));
}

TEST(Load, ASideFileOfAnotherMachineIsRefused) {
  EXPECT_EQ(code_of(load_program_file(test::source_file("examples/checker.frag.bin"), "rogue")), "MOB006");
}

TEST(Load, AContainerOfAnotherMachineIsTold) {
  const std::string file = test::source_file("tests/data/afuc/small.fw");
  const auto own = load_program_file(file, "afuc"), other = load_program_file(file, "midgard");
  ASSERT_TRUE(own && other);
  EXPECT_TRUE(own->remarks.empty());
  ASSERT_FALSE(other->remarks.empty());
  EXPECT_EQ(other->remarks[0].code, "MOB015");
  const auto bytes = load_bytes(file);
  ASSERT_TRUE(bytes);
  const auto raw = load_program(*bytes, file, {.machine = "midgard", .format = ContainerFormat::raw});
  ASSERT_TRUE(raw);
  for (const Diagnostic& each : raw->remarks) EXPECT_NE(each.code, "MOB015");
}

TEST(Load, AnUnknownMachineOrVariantIsRefused) {
  const std::string file = test::source_file("examples/rogue-loop.rgasm");
  EXPECT_TRUE(load_program_file(file, "rogue"));
  EXPECT_FALSE(load_program_file(file, "rogeu"));
  EXPECT_FALSE(load_program_file(file, "rogue:none"));
}

TEST(Load, AssemblyIsAssembled) {
  const std::string_view text = "main { nop.end }\n";
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  EXPECT_EQ(code_of(load_program(bytes, "text")), "MOB005");
  const auto wrong = load_program(bytes, "text", {.machine = "rogue"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error()[0].code, testing::StartsWith("RG"));
  EXPECT_EQ(wrong.error()[0].where.file, "text");
}

TEST(Load, FilesThatCannotBeRead) {
  EXPECT_EQ(code_of(load_bytes(test::source_file("examples/none.bin"))), "MOB007");
  EXPECT_EQ(code_of(load_bytes(test::source_file("examples"))), "MOB007");
  EXPECT_EQ(code_of(load_program_file(test::source_file("examples/none.bin"))), "MOB007");
  EXPECT_EQ(code_of(load_run_inputs(test::source_file("examples/none.json"), {})), "MOB007");
}

TEST(Load, FilesWithoutEndAreRefused) {
  EXPECT_EQ(code_of(load_bytes("/dev/zero")), "MOB011");
  EXPECT_EQ(code_of(load_program_file("/dev/zero", "midgard")), "MOB011");
  EXPECT_EQ(code_of(load_run_inputs("/dev/zero", {})), "MOB011");
}

TEST(Load, InputsFindTheirFilesBesideThem) {
  const auto program = load_program_file(test::source_file("examples/textured.frag.bin"));
  ASSERT_TRUE(program);
  const auto inputs = load_run_inputs(test::source_file("examples/textured.inputs.json"), program->interface);
  ASSERT_TRUE(inputs) << inputs.error()[0].message;
}

}  // namespace
}  // namespace mobula
