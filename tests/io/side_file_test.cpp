#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "mobula/isa/machine.h"
#include "mobula/lab/load.h"
#include "mobula/lab/run.h"
#include "mobula/lab/side_file.h"
#include "paths.h"

namespace mobula {
namespace {

using testing::HasSubstr;

TEST(SideFile, NameReplacesTheExtension) {
  EXPECT_EQ(side_file_name("a/b.t860.bin"), "a/b.t860.json");
  EXPECT_EQ(side_file_name("a.b/c"), "a.b/c.json");
  EXPECT_EQ(side_file_name("c"), "c.json");
  EXPECT_EQ(side_file_name("dir/.hidden"), "dir/.hidden.json");
}

TEST(SideFile, WritesWhatItReads) {
  Program program;
  program.machine = "utgard-gp";
  program.variant = "mali450";
  Interface& interface = program.interface;
  interface.stage = Stage::vertex;
  interface.prefetch = 7;
  interface.viewport_vec4 = 3;
  interface.position = 1;
  interface.constants = {{23, 0x80000000}, {9, 0x7FC00001}};
  interface.inputs = {{"p\xFF", "vec4", 2, 1, 0, "position"}};
  interface.outputs = {{"v", "vec2", 0, 3, 2, ""}};
  interface.ssbo_blocks = {{.name = "s", .members = {{"m", "vec2[2]", 16, 16, 8}, {"n", "int", 48}}}};
  const std::string text = write_side_file(program);
  const auto side = read_side_file({"f.json", text});
  ASSERT_TRUE(side) << text << render(side.error());
  EXPECT_EQ(side->machine, "utgard-gp");
  EXPECT_EQ(side->compiled_for, std::vector<std::string>{"mali450"});
  EXPECT_EQ(side->interface.stage, Stage::vertex);
  EXPECT_EQ(side->interface.prefetch, 7u);
  EXPECT_EQ(side->interface.viewport_vec4, 3u);
  EXPECT_EQ(side->interface.position, 1u);
  EXPECT_FALSE(side->interface.point_size);
  ASSERT_EQ(side->interface.constants.size(), 2u) << "words between them are none";
  EXPECT_EQ(side->interface.constants[0].word, 9u);
  EXPECT_EQ(side->interface.constants[0].bits, 0x7FC00001u);
  EXPECT_EQ(side->interface.constants[1].word, 23u);
  EXPECT_EQ(side->interface.constants[1].bits, 0x80000000u);
  ASSERT_EQ(side->interface.inputs.size(), 1u);
  EXPECT_EQ(side->interface.inputs[0].semantic, "position");
  EXPECT_EQ(side->interface.inputs[0].driver_location, 1);
  ASSERT_EQ(side->interface.outputs.size(), 1u);
  EXPECT_EQ(side->interface.outputs[0].component, 2);
  ASSERT_EQ(side->interface.ssbo_blocks.at(0).members.size(), 2u);
  const BlockMember& first = side->interface.ssbo_blocks[0].members[0];
  const BlockMember& second = side->interface.ssbo_blocks[0].members[1];
  EXPECT_EQ(std::tie(first.name, first.type, first.offset, first.stride, first.step),
            std::tuple("m", "vec2[2]", 16u, 16u, 8u));
  EXPECT_EQ(std::tie(second.name, second.type, second.offset, second.stride, second.step),
            std::tuple("n", "int", 48u, 0u, 4u));
}

TEST(SideFile, ReadsTheInterface) {
  const auto side = read_side_file({"f.json", R"({
    "machine": "midgard", "stage": "comp", "compiled_for": ["t860", "t720"], "first_tag": 5, "work_reg_count": 2,
    "uniform_reg_count": 3, "tls_size": 80, "wls_size": 32, "num_ubos": 1, "local_size": [8, 2, 1],
    "push": [[0, 0], [1, 12]], "sysvals": [{"type": 4, "id": 2}], "sha1": "ignored",
    "varyings_in": [{"index": 3, "location": 32, "format": "PIPE_FORMAT_R32G32_FLOAT"}],
    "uniforms": [{"name": "u", "type": "vec4[8]", "location": 0, "driver_location": 32, "component": 1, "precision": 1}],
    "ssbo_blocks": [{"name": "r", "type": "float[]", "driver_location": 2}]})"});
  ASSERT_TRUE(side) << render(side.error());
  const Interface& interface = side->interface;
  EXPECT_EQ(side->machine, "midgard");
  EXPECT_EQ(side->compiled_for, (std::vector<std::string>{"t860", "t720"}));
  EXPECT_EQ(interface.stage, Stage::compute);
  EXPECT_EQ(interface.first_tag, 5u);
  EXPECT_EQ(interface.work_registers, 2u);
  EXPECT_EQ(interface.uniform_registers, 3u);
  EXPECT_EQ(interface.thread_local_bytes, 80u);
  EXPECT_EQ(interface.workgroup_local_bytes, 32u);
  EXPECT_EQ(interface.ubo_count, 1u);
  EXPECT_EQ(interface.local_size, (std::array<std::uint32_t, 3>{8, 2, 1}));
  ASSERT_EQ(interface.push.size(), 2u);
  EXPECT_EQ(interface.push[1].ubo, 1u);
  EXPECT_EQ(interface.push[1].byte_offset, 12u);
  EXPECT_EQ(interface.system_values[0].type, 4u);
  EXPECT_EQ(interface.system_values[0].id, 2u);
  EXPECT_EQ(interface.varyings_in[0].driver_location, 3);
  EXPECT_EQ(interface.varyings_in[0].location, 32);
  EXPECT_EQ(interface.uniforms[0].name, "u");
  EXPECT_EQ(interface.uniforms[0].type, "vec4[8]");
  EXPECT_EQ(interface.uniforms[0].driver_location, 32);
  EXPECT_EQ(interface.uniforms[0].component, 1);
  EXPECT_EQ(interface.ssbo_blocks[0].driver_location, 2);
}

/// Everything in it, to be compared.
std::string told(const Interface& of) {
  std::ostringstream text;
  const auto number = [&](const std::optional<std::uint32_t>& value) { text << (value ? int(*value) : -1) << ' '; };
  const auto variables = [&](const std::vector<Variable>& list) {
    text << '\n';
    for (const Variable& each : list)
      text << each.name << '/' << each.type << '/' << each.location << '/' << each.driver_location << '/'
           << each.component << '/' << each.semantic << '/' << each.format << '/'
           << testing::PrintToString(each.initial) << ' ';
  };
  text << static_cast<int>(of.stage) << ' ' << static_cast<int>(of.layout) << ' ';
  for (const auto& value : {of.work_registers, of.uniform_registers, of.first_tag, of.prefetch, of.thread_local_bytes,
                            of.workgroup_local_bytes, of.ubo_count, of.viewport_vec4, of.position, of.point_size})
    number(value);
  for (const std::uint32_t side : of.local_size) text << side << ' ';
  for (const PushWord& word : of.push) text << word.ubo << ':' << word.byte_offset << ' ';
  for (const SystemValue& value : of.system_values) text << value.type << ':' << value.id << ' ';
  for (const UniformConstant& constant : of.constants) text << constant.word << ':' << constant.bits << ' ';
  for (const auto* list :
       {&of.inputs, &of.outputs, &of.uniforms, &of.ubo_blocks, &of.ssbo_blocks, &of.varyings_in, &of.varyings_out})
    variables(*list);
  return text.str();
}

TEST(SideFile, EverySampleIsWrittenAsItIsRead) {
  std::size_t count = 0;
  for (const char* machine : {"midgard", "utgard-gp"}) {
    const std::filesystem::path folder = mobula::test::sample(machine);
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples in " << folder;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".bin") continue;
      const auto program = load_program_file(entry.path().string());
      ASSERT_TRUE(program) << render(program.error());
      Program lined = *program;
      lined.lines = {{0, 3}, {16, 7}};
      const std::string text = write_side_file(lined);
      const auto side = read_side_file({"f.json", text});
      ASSERT_TRUE(side) << text << render(side.error());
      Interface read = side->interface;
      find_machine(program->machine)->complete(read);
      EXPECT_EQ(told(read), told(program->interface)) << entry.path();
      EXPECT_EQ(side->machine, program->machine);
      EXPECT_EQ(side->compiled_for.front(), program->variant);
      ASSERT_EQ(side->lines.size(), 2u);
      EXPECT_EQ(side->lines[1].byte_offset, 16u);
      EXPECT_EQ(side->lines[1].line, 7u);
      ++count;
    }
  }
  EXPECT_GT(count, 300u);
}

TEST(SideFile, ColoursHaveFormatsAndUniformsInitialValues) {
  Program program;
  program.interface.stage = Stage::fragment;
  program.interface.outputs = {{"colour", "vec4", 4, 0, 0, "", {}, "rgba8_unorm"}};
  program.interface.uniforms = {{.name = "pair", .type = "ivec2", .initial = {7, ~0u}}};
  const auto side = read_side_file({"f.json", write_side_file(program)});
  ASSERT_TRUE(side) << render(side.error());
  EXPECT_EQ(told(side->interface), told(program.interface));
}

TEST(SideFile, ItsLinesAreThoseOfTheProgram) {
  LoadOptions options;
  options.machine = "midgard:t860";
  options.side.emplace();
  options.side->lines = {{0, 12}};
  const auto program = load_program(std::vector<std::uint8_t>(16), "f.bin", options);
  ASSERT_TRUE(program) << render(program.error());
  ASSERT_EQ(program->lines.size(), 1u);
  EXPECT_EQ(program->lines[0].line, 12u);
}

TEST(SideFile, WrongValuesNameThePlace) {
  const auto message = [](std::string_view text) {
    const auto side = read_side_file({"f.json", text});
    EXPECT_FALSE(side) << text;
    return side ? std::string() : side.error().front().message;
  };
  EXPECT_EQ(message(R"({"outputs":[{"name":"c","format":"rgba9"}]})"),
            "outputs[0].format: found \"rgba9\"; allowed: the name of a format, such as \"rgba8_unorm\"");
  EXPECT_EQ(message("[]"), "the document: found an empty array; allowed: an object");
  EXPECT_THAT(message(R"({"stage":"geometry"})"), HasSubstr("stage: found \"geometry\"; allowed: \"vert\", \"frag\""));
  EXPECT_EQ(message(R"({"push":[[0,0],[1]]})"), "push[1]: found an array of 1; allowed: [buffer number, byte offset]");
  EXPECT_EQ(message(R"({"push":[[0,2]]})"), "push[0][1]: found 2; allowed: a multiple of 4");
  EXPECT_EQ(message(R"({"lines":[3]})"), "lines[0]: found 3; allowed: [byte offset, line]");
  EXPECT_THAT(message(R"({"inputs":[{"name":1}]})"), HasSubstr("inputs[0].name: found 1; allowed: a string"));
  EXPECT_THAT(message(R"({"inputs":[{"component":9}]})"), HasSubstr("allowed: 0, 1, 2 or 3"));
  EXPECT_THAT(message(R"({"local_size":[0,1,1]})"), HasSubstr("local_size[0]: found 0"));
  EXPECT_THAT(message(R"({"num_ubos":-1})"), HasSubstr("num_ubos: found -1"));
  EXPECT_THAT(message("{\"stage\""), HasSubstr("not JSON"));
}

TEST(SideFile, AllSamplesAreAccepted) {
  const std::filesystem::path folder = mobula::test::sample("midgard");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples in " << folder;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto side = read_side_file({entry.path().string(), text.str()});
    ASSERT_TRUE(side) << render(side.error());
    EXPECT_NE(side->interface.stage, Stage::unknown);
    EXPECT_EQ(side->machine, "midgard");
    // Registers are filled whole words at a time; the last one may be partial.
    EXPECT_EQ((side->interface.push.size() + 3) / 4, side->interface.uniform_registers.value());
    ++count;
  }
  EXPECT_GT(count, 200u);
}

TEST(SideFile, WhatDriversWriteForNoneIsNone) {
  const auto side =
      read_side_file({"a.json", R"({"gl_pos_idx": 4294967295, "point_size_idx": 4294967295, "first_tag": 4294967295,
                     "inputs": [{"name": "a", "driver_location": 4294967295}]})"});
  ASSERT_TRUE(side) << render(side.error());
  EXPECT_FALSE(side->interface.position);
  EXPECT_FALSE(side->interface.point_size);
  EXPECT_FALSE(side->interface.first_tag);
  EXPECT_EQ(side->interface.inputs[0].driver_location, -1);
}

TEST(SideFile, ATagHasFourBits) {
  const auto side = read_side_file({"a.json", R"({"first_tag": 999})"});
  ASSERT_FALSE(side);
  EXPECT_EQ(side.error().front().message, "first_tag: found 999; allowed: a whole number from 0 to 15");
  EXPECT_TRUE(read_side_file({"a.json", R"({"first_tag": 15})"}));
}

}  // namespace
}  // namespace mobula
