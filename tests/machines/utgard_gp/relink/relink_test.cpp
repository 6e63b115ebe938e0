#include "mobula/isa/relink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machines/utgard_gp/words.h"

namespace mobula::utgard_gp {
namespace {

Program linked() {
  Program program;
  program.machine = "utgard-gp";
  program.code = program_a();
  program.interface.inputs = {{"aPosition", "float", 0, 0, 0}, {"aColor", "float", 4, 1, 0}};
  program.interface.outputs = {{"vColor", "float", 0, 0, 0}, {"gl_Position", "float", 4, 1, 0}};
  program.interface.constants = {{8, 0xD01502F9}};
  return program;
}

TEST(Relink, GivesTheWordsTheDriverLinkedFrom) {
  // 9.1: before linking, attributes and varyings are the other way round; only these words differ.
  const auto program = relink(linked(), {.attributes = {{0, 1}, {1, 0}}, .varyings = {{0, 1}, {1, 0}}, .uniforms = {}});
  ASSERT_TRUE(program) << render(program.error());
  const auto word = [&](unsigned index, unsigned part) {
    const std::uint8_t* at = program->code.data() + 16 * index + 4 * part;
    return static_cast<std::uint32_t>(at[0] | at[1] << 8 | at[2] << 16 | at[3] << 24);
  };
  EXPECT_EQ(word(0, 1), 0x478002B5u);
  EXPECT_EQ(word(2, 2), 0xC6462180u);
  EXPECT_EQ(word(6, 2), 0x4243C080u);
  EXPECT_EQ(program->interface.inputs[0].driver_location, 1);
  EXPECT_EQ(program->interface.outputs[0].driver_location, 1);
}

TEST(Relink, MovesUniformsAndTheirConstants) {
  const auto program = relink(linked(), {.attributes = {}, .varyings = {}, .uniforms = {{2, 300}}});
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(program->interface.constants[0].word, 1200u);
  const auto back = relink(*program, {.attributes = {}, .varyings = {}, .uniforms = {{300, 2}}});
  ASSERT_TRUE(back);
  EXPECT_EQ(back->code, linked().code);
  EXPECT_NE(program->code, linked().code);
}

TEST(Relink, RefusesCollisionsAndLimitsAllAtOnce) {
  const auto program = relink(linked(), {.attributes = {{0, 1}}, .varyings = {{1, 16}}, .uniforms = {{0, 304}}});
  ASSERT_FALSE(program);
  std::string codes;
  for (const Diagnostic& each : program.error()) codes += each.code + ' ';
  EXPECT_EQ(codes, "GP202 GP201 GP201 ");
}

TEST(Relink, RefusesWhatIsNotThere) {
  const auto program = relink(linked(), {.attributes = {{7, 8}}, .varyings = {{15, 2}}, .uniforms = {{300, 301}}});
  ASSERT_FALSE(program);
  for (const Diagnostic& each : program.error()) EXPECT_EQ(each.code, "GP204");
  EXPECT_EQ(program.error().size(), 3u);
}

TEST(Relink, MovesArraysAsOne) {
  Program program = linked();
  program.interface.uniforms = {{"viewport", "vec4[2]", 0, 0, 0}};
  const auto torn = relink(program, {.attributes = {}, .varyings = {}, .uniforms = {{0, 8}}});
  ASSERT_FALSE(torn);
  EXPECT_EQ(torn.error()[0].code, "GP205");
  EXPECT_EQ(torn.error()[0].message, "viewport takes uniforms 0 to 1 and would be torn apart");
  const auto whole = relink(program, {.attributes = {}, .varyings = {}, .uniforms = {{0, 8}, {1, 9}}});
  ASSERT_TRUE(whole) << render(whole.error());
  EXPECT_EQ(whole->interface.uniforms[0].driver_location, 8);
}

/// An input that the code does not load still has its place.
TEST(Relink, NamesOfTheInterfaceTakePlaces) {
  Program program = linked();
  program.interface.inputs.push_back({"unused", "vec4", 0, 5, 0});
  const auto moved = relink(program, {.attributes = {{0, 5}}, .varyings = {}, .uniforms = {}});
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error()[0].code, "GP202");
}

TEST(Relink, KeepsTrailingBytes) {
  Program program = linked();
  program.code.push_back(7);
  EXPECT_EQ(relink(program, {})->code, program.code);
}

}  // namespace
}  // namespace mobula::utgard_gp
