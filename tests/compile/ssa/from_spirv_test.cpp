#include <gmock/gmock.h>

#include <map>

#include "compile/build.h"
#include "compile/evaluate/evaluate.h"
#include "compile/ssa/print.h"
#include "compile/ssa/validate.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;

TEST(FromSpirv, IsTextThatAPersonReads) {
  const auto program = ssa_of(
      "#version 100\nprecision mediump float;\nuniform vec4 tint;\nvarying highp vec2 place;\n"
      "void main() {\n  if (place.x < 0.5) discard;\n  gl_FragColor = tint * place.y;\n}\n");
  ASSERT_TRUE(program) << errors_of(program);
  EXPECT_EQ(ssa::print(*program), R"(stage fragment
input place
  place: f32x2 location 0
output gl_FragColor
  gl_FragColor: f32x4~
uniform tint
  tint: f32x4~
b0:
  v2 = constant.f32 0.5
  ; line 6
  v0 = load.f32x2 place[0]
  v1 = swizzle.f32 v0.x
  v3 = flt.bool v1, v2
  branch v3 ? b1 : b2  ; meets at b2
b1:  ; from b0
  discard
b2:  ; from b0
  ; line 7
  v4 = load.f32x4~ tint[0]
  v5 = load.f32x2 place[0]
  v6 = swizzle.f32 v5.y
  v7 = swizzle.f32x4 v6.xxxx
  v8 = fmul.f32x4~ v4, v7
  store gl_FragColor[0] v8
  leave
)");
}

TEST(FromSpirv, NamesSlotsAsGlslDoes) {
  const auto program = ssa_of(
      "#version 300 es\nprecision highp float;\nstruct Light { vec3 place; mat2 turn; };\nuniform Light "
      "lights[2];\nuniform int n;\n"
      "out vec4 colour;\nvoid main() { colour = vec4(lights[n].place, lights[1].turn[1].y); }\n");
  ASSERT_TRUE(program) << errors_of(program);
  std::vector<std::string> names;
  for (const ssa::Variable& variable : program->variables)
    for (const ssa::Slot& slot : variable.slots) names.push_back(slot.name);
  EXPECT_THAT(names,
              testing::IsSupersetOf({"lights[0].place", "lights[0].turn[0]", "lights[1].turn[1]", "n", "colour"}));
}

/// As two stages call the instance as they like.
TEST(FromSpirv, NamesMembersOfInterfaceBlocksByTheBlock) {
  for (const std::string array : {"", "[2]"}) {
    const std::string first = array.empty() ? "" : "[0]", last = array.empty() ? "" : "[1]";
    const auto program =
        ssa_of("#version 450\nin Light { vec4 colour; flat int kind; } lights" + array +
               ";\nout vec4 c;\nvoid main() { c = lights" + first + ".colour * float(lights" + last + ".kind); }\n");
    ASSERT_TRUE(program) << errors_of(program);
    std::vector<std::string> names;
    for (const ssa::Variable& variable : program->variables)
      for (const ssa::Slot& slot : variable.slots) names.push_back(slot.name + (slot.flat ? " flat" : ""));
    EXPECT_THAT(names, testing::IsSupersetOf({"Light" + first + ".colour", "Light" + last + ".kind flat"}));
  }
}

/// Names in a module are for people: decorations say what something is.
TEST(FromSpirv, KnowsBuiltInVariablesByTheirDecorations) {
  const auto module = compile::glsl_to_spirv(
      {"a.vert",
       "#version 310 es\nin vec4 p; out vec4 other;\nvoid main() { gl_Position = p; gl_PointSize = p.x; other = p; }\n",
       Stage::vertex,
       {},
       {}});
  ASSERT_TRUE(module) << errors_of(module);
  std::string text = compile::print_spirv(*module);
  const auto rename = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find('"' + from + '"');
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at + 1, from.size(), to);
  };
  rename("gl_Position", "place");
  rename("other", "gl_Position");
  const auto renamed = compile::assemble_spirv(text, "a.spvasm");
  ASSERT_TRUE(renamed) << errors_of(renamed);
  const auto program = ssa::from_spirv(*renamed, Stage::vertex, "a.spvasm");
  ASSERT_TRUE(program) << errors_of(program);
  std::vector<ssa::BuiltIn> outputs;
  for (const ssa::Variable& variable : program->variables)
    if (variable.storage == ssa::Storage::output)
      for (const ssa::Slot& slot : variable.slots) outputs.push_back(slot.built_in);
  EXPECT_THAT(outputs,
              testing::UnorderedElementsAre(ssa::BuiltIn::position, ssa::BuiltIn::point_size, ssa::BuiltIn::none));
}

TEST(FromSpirv, SaysWhatIsNotSupportedAndWhere) {
  const auto program = ssa_of(
      "#version 450\nuniform struct { sampler2D shade; } s[2];\nuniform int n; out vec4 colour;\nvoid main() {\n"
      "  colour = texture(s[n].shade, vec2(0));\n}\n");
  ASSERT_FALSE(program);
  EXPECT_THAT(errors_of(program),
              HasSubstr("shader:5: error: a texture in an array of structures with an index that is"));
}

TEST(FromSpirv, SaysInWhichIncludedFileThatIs) {
  const auto find = [](const std::string&, const std::string&, bool) {
    return std::optional(compile::Included{"lib.glsl",
                                           "uniform struct { sampler2D shade; } s[2]; uniform int n;\nvec4 read() {\n"
                                           "  return texture(s[n].shade, vec2(0));\n}\n"});
  };
  const auto module = compile::glsl_to_spirv(
      {"a.frag",
       "#version 450\n#include \"lib.glsl\"\nout vec4 colour;\nvoid main() { colour = read(); }\n",
       Stage::fragment,
       {},
       find});
  ASSERT_TRUE(module) << errors_of(module);
  const auto optimised = compile::optimise(*module, "a.frag");
  ASSERT_TRUE(optimised) << errors_of(optimised);
  EXPECT_THAT(errors_of(ssa::from_spirv(*optimised, Stage::fragment, "a.frag")),
              HasSubstr("lib.glsl:3: error: a texture in an array of structures with an index that is"));
}

/// As glslang makes it of `subpassLoad(past)`.
TEST(FromSpirv, RefusesInputAttachments) {
  const auto module = compile::assemble_spirv(
      "OpCapability Shader\nOpCapability InputAttachment\nOpMemoryModel Logical GLSL450\n"
      "OpEntryPoint Fragment %main \"main\" %c\nOpExecutionMode %main OriginUpperLeft\n"
      "OpName %past \"past\"\nOpDecorate %c Location 0\nOpDecorate %past DescriptorSet 0\n"
      "OpDecorate %past Binding 0\nOpDecorate %past InputAttachmentIndex 0\n"
      "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%float = OpTypeFloat 32\n"
      "%vec4 = OpTypeVector %float 4\n%out = OpTypePointer Output %vec4\n%c = OpVariable %out Output\n"
      "%image = OpTypeImage %float SubpassData 0 0 0 2 Unknown\n%pointer = OpTypePointer UniformConstant %image\n"
      "%past = OpVariable %pointer UniformConstant\n%int = OpTypeInt 32 1\n%zero = OpConstant %int 0\n"
      "%ivec2 = OpTypeVector %int 2\n%here = OpConstantComposite %ivec2 %zero %zero\n"
      "%main = OpFunction %void None %function\n%begin = OpLabel\n%it = OpLoad %image %past\n"
      "%colour = OpImageRead %vec4 %it %here\nOpStore %c %colour\nOpReturn\nOpFunctionEnd\n",
      "a.spvasm");
  ASSERT_TRUE(module) << errors_of(module);
  const auto failed = ssa::from_spirv(*module, Stage::fragment, "a.spvasm");
  ASSERT_FALSE(failed);
  EXPECT_THAT(errors_of(failed), testing::HasSubstr("the input attachment past is not supported [CO020]"));
}

/// An empty compute program, `modes` being of it; `constants` come in front of it.
std::string empty_program(const std::string& modes, const std::string& constants = {}) {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n" + modes +
         "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n" + constants +
         "%main = OpFunction %void None %function\n%begin = OpLabel\nOpReturn\nOpFunctionEnd\n";
}
Result<ssa::Program> read_text(const std::string& text, Stage stage) {
  const auto module = compile::assemble_spirv(text, "a.spvasm");
  return module ? ssa::from_spirv(*module, stage, "a.spvasm") : Result<ssa::Program>(fail(module.error()));
}

TEST(FromSpirv, KnowsTheSizeOfWorkgroupsHoweverItIsTold) {
  const std::string constants = "%two = OpConstant %uint 2\n%three = OpSpecConstant %uint 3\n",
                    composite =
                        "%uvec3 = OpTypeVector %uint 3\n%size = OpSpecConstantComposite %uvec3 %three %two %two\n";
  const auto size_of = [](const std::string& modes, const std::string& before) {
    const auto program = read_text(empty_program(modes, before), Stage::compute);
    EXPECT_TRUE(program) << errors_of(program);
    return program ? program->local_size : std::array<std::uint32_t, 3>{};
  };
  EXPECT_THAT(size_of("OpExecutionMode %main LocalSize 8 4 2\n", ""), testing::ElementsAre(8, 4, 2));
  EXPECT_THAT(size_of("OpExecutionModeId %main LocalSizeId %two %three %two\n", constants),
              testing::ElementsAre(2, 3, 2));
  EXPECT_THAT(
      size_of("OpExecutionMode %main LocalSize 8 4 2\nOpDecorate %size BuiltIn WorkgroupSize\n", constants + composite),
      testing::ElementsAre(3, 2, 2));
}

/// A program with a shared array of `length`, which is computed from the constant `three` for specialisation.
std::string program_with_array(const std::string& length) {
  std::string text = empty_program(
      "OpExecutionMode %main LocalSize 4 1 1\nOpName %array \"array\"\nOpDecorate %three SpecId 0\n",
      "%int = OpTypeInt 32 1\n%zero = OpConstant %int 0\n%three = OpSpecConstant %int 3\n%four = OpConstant %int 4\n"
      "%least = OpConstant %int -2147483648\n%minus = OpSpecConstant %int -1\n%length = OpSpecConstantOp %int " +
          length +
          "\n%type = OpTypeArray %uint %length\n%whole = OpTypePointer Workgroup %type\n"
          "%part = OpTypePointer Workgroup %uint\n%array = OpVariable %whole Workgroup\n"
          "%one = OpConstant %uint 1\n%kinds = OpConstant %uint 264\n");
  text.insert(text.find("OpReturn"),
              "%at = OpAccessChain %part %array %zero\n%old = OpAtomicIAdd %uint %at %one %kinds %one\n");
  return text;
}

TEST(FromSpirv, ComputesConstantsForSpecialisation) {
  const auto read = [](const std::string& length) -> Result<ssa::Program> {
    const auto module = compile::assemble_spirv(program_with_array(length), "a.spvasm");
    if (!module) return fail(module.error());
    const auto optimised = compile::optimise(*module, "a.spvasm");
    return optimised ? ssa::from_spirv(*optimised, Stage::compute, "a.spvasm") : fail(optimised.error());
  };
  const auto program = read("IAdd %three %four");
  ASSERT_TRUE(program) << errors_of(program);
  ASSERT_EQ(program->variables.size(), 1u);
  EXPECT_EQ(program->variables[0].slots.size() + program->variables[0].members.size(), 7u) << ssa::print(*program);
  EXPECT_THAT(
      errors_of(read("SDiv %least %minus")),
      HasSubstr("an array whose length is computed from constants for specialisation is not supported [CO020]"));
}

TEST(FromSpirv, RefusesWorkgroupsOfTooManyThreads) {
  EXPECT_TRUE(read_text(empty_program("OpExecutionMode %main LocalSize 1024 1 1\n"), Stage::compute));
  for (const char* const size : {"1025 1 1", "32 33 1", "1024 1 2", "65536 65536 65536"})
    EXPECT_THAT(errors_of(read_text(empty_program(std::string("OpExecutionMode %main LocalSize ") + size + "\n"),
                                    Stage::compute)),
                testing::AllOf(HasSubstr("a workgroup of "), HasSubstr(" threads is not supported [CO020]"),
                               HasSubstr("it has 1024 threads at most")))
        << size;
}

TEST(FromSpirv, RefusesModesThatCodeWouldHaveToFollow) {
  const auto told = [](const std::string& modes, const std::string& capabilities = {}) {
    std::string text = capabilities + empty_program(modes);
    text.replace(text.find("GLCompute"), 9, "Fragment");
    return errors_of(read_text(text, Stage::fragment));
  };
  const std::string origin = "OpExecutionMode %main OriginUpperLeft\n", mode = "OpExecutionMode %main ";
  EXPECT_EQ(told(origin + mode + "EarlyFragmentTests\n" + mode + "DepthReplacing\n" + mode + "DepthLess\n"), "");
  EXPECT_THAT(told(origin + mode + "PixelCenterInteger\n"),
              testing::AllOf(HasSubstr("the execution mode PixelCenterInteger is not supported [CO020]"),
                             HasSubstr("hint: subtract 0.5 from x and y of FragCoord instead")));
  EXPECT_THAT(told(origin + mode + "RoundingModeRTZ 32\n", "; Version: 1.4\nOpCapability RoundingModeRTZ\n"),
              HasSubstr("the execution mode RoundingModeRTZ 32 is not supported [CO020]"));
}

TEST(FromSpirv, RefusesNumbersOfOtherSizes) {
  const auto program = ssa_of("#version 450\nuniform double d; out vec4 c; void main() { c = vec4(float(d)); }");
  EXPECT_THAT(errors_of(program), HasSubstr("numbers of 64 bits are not supported"));
  const auto packed =
      ssa_of("#version 450\nflat in uvec2 d; out vec4 c; void main() { c = vec4(float(packDouble2x32(d))); }");
  EXPECT_THAT(errors_of(packed), HasSubstr("numbers of 64 bits are not supported"));
}

TEST(FromSpirv, TellsOfVariablesWhereTheyAreFirstUsed) {
  EXPECT_THAT(
      errors_of(ssa_of("#version 450\nuniform double d;\nout vec4 c;\nvoid main() {\n  c = vec4(float(d));\n}")),
      HasSubstr("shader:5: error: numbers of 64 bits are not supported [CO020]"));
  EXPECT_THAT(
      errors_of(ssa_of("#version 450\nbuffer U { float a[3]; } u[2];\nuniform int n;\nout vec4 c;\nvoid main() {\n"
                       "  u[n].a[1] = 2.0; c = vec4(1);\n}")),
      HasSubstr(
          "shader:6: error: writing to an array of blocks with an index that is not a constant is not supported"));
}

TEST(FromSpirv, MakesAVariableOfEachBlockOfAnArray) {
  const auto program = ssa_of(
      "#version 450\nlayout(std140, binding = 2) uniform B { vec4 a; float b[3]; } "
      "bs[2][2];\n"
      "layout(std430, binding = 1) buffer S { vec4 q[]; } ss[2];\nin vec4 v;\nout vec4 c;\n"
      "void main() { c = bs[1][0].a + bs[1][1].b[int(v.x)] + ss[1].q[2]; ss[0].q[0] = c; }\n");
  ASSERT_TRUE(program) << errors_of(program);
  std::map<std::string, std::uint32_t> bindings;
  for (const ssa::Variable& variable : program->variables)
    if (!variable.members.empty()) bindings[variable.name] = variable.binding;
  EXPECT_EQ(bindings, (std::map<std::string, std::uint32_t>{
                          {"B[0][0]", 2}, {"B[0][1]", 3}, {"B[1][0]", 4}, {"B[1][1]", 5}, {"S[0]", 1}, {"S[1]", 2}}));
  std::vector<std::string> read;
  for (const ssa::Block& block : program->blocks)
    for (const ssa::Instruction& each : block.instructions)
      if (each.op == ssa::Op::read || each.op == ssa::Op::write)
        read.push_back(program->variables[each.variable].name + '+' + std::to_string(each.data[0]));
  EXPECT_THAT(read, testing::UnorderedElementsAre("B[1][0]+0", "B[1][1]+16", "S[1]+32", "S[0]+0"));
}

std::vector<std::string> names_of(const ssa::Program& program, ssa::Storage storage) {
  std::vector<std::string> names;
  for (const ssa::Variable& variable : program.variables)
    if (variable.storage == storage) {
      names.push_back(variable.name);
      for (const ssa::Slot& slot : variable.slots) names.push_back(slot.name);
      for (const ssa::Member& member : variable.members)
        names.push_back(member.name + '+' + std::to_string(member.offset));
    }
  return names;
}

TEST(FromSpirv, MakesVariablesOfTexturesInStructures) {
  const auto program = ssa_of(
      "#version 310 es\nprecision highp float; struct S { float f; sampler2D t[2]; }; uniform struct { S s[2]; } u;"
      "out vec4 o; void main() { o = texture(u.s[1].t[1], vec2(u.s[0].f)) + texture(u.s[0].t[0], vec2(1)); }");
  ASSERT_TRUE(program) << errors_of(program);
  EXPECT_EQ(
      names_of(*program, ssa::Storage::texture),
      (std::vector<std::string>{"u.s[0].t", "u.s[0].t[0]", "u.s[0].t[1]", "u.s[1].t", "u.s[1].t[0]", "u.s[1].t[1]"}));
  std::vector<std::string> read;
  for (const ssa::TextureAccess& access : program->accesses)
    read.push_back(program->variables[access.texture].slots[access.slot].name);
  EXPECT_THAT(read, testing::UnorderedElementsAre("u.s[1].t[1]", "u.s[0].t[0]"));
  EXPECT_THAT(
      errors_of(ssa_of("#version 320 es\nprecision highp float; struct S { float f; sampler2D t; }; uniform S s[2];\n"
                       "uniform int n; out vec4 o; void main() { o = texture(s[n].t, vec2(1)); }")),
      HasSubstr("shader:3: error: a texture in an array of structures with an index that is not a constant"));
}

TEST(FromSpirv, MakesBuffersOfAtomicCounters) {
  const auto program = ssa_of(
      "#version 310 es\nlayout(local_size_x = 1) in; layout(binding = 2, offset = 8) uniform atomic_uint a[2];"
      "layout(binding = 2, offset = 0) uniform atomic_uint b; layout(binding = 1) uniform atomic_uint c;"
      "void main() { atomicCounterIncrement(a[1]); atomicCounterIncrement(b); atomicCounterIncrement(c); }",
      Stage::compute);
  ASSERT_TRUE(program) << errors_of(program);
  EXPECT_EQ(names_of(*program, ssa::Storage::storage_block),
            (std::vector<std::string>{"counter2", "a[0]+8", "a[1]+12", "b+0", "counter1", "c+0"}));
  std::vector<std::uint32_t> places;
  for (const ssa::Instruction& each : program->blocks[0].instructions)
    if (each.op == ssa::Op::atomic) places.push_back(each.data[0]);
  EXPECT_EQ(places, (std::vector<std::uint32_t>{12, 0, 0}));
}

/// A pixel has one sample: the mask without it is a fragment without a pixel.
TEST(FromSpirv, DiscardsWhereTheMaskLacksTheSample) {
  const auto discards = [](const std::string& statements) {
    const auto program =
        ssa_of("#version 320 es\nprecision highp float;\nuniform int u;\nout vec4 o;\nvoid main() { o = vec4(1); " +
               statements + " }");
    EXPECT_TRUE(program);
    ssa::Evaluator evaluator(*program, 4);
    const auto u = evaluator.find("u");
    std::string result;
    for (const std::uint32_t value : {0U, 1U, 2U, 3U}) {
      if (u) evaluator.at(*u) = {value};
      EXPECT_EQ(evaluator.run(), "");
      result += evaluator.discarded(0) ? 'x' : '.';
    }
    return result;
  };
  EXPECT_EQ(discards("gl_SampleMask[0] = u;"), "x.x.");
  EXPECT_EQ(discards("if (u < 2) gl_SampleMask[0] = 0;"), "xx..");
  EXPECT_EQ(discards("gl_SampleMask[0] = u; if (u == 0) gl_SampleMask[0] = ~gl_SampleMask[0];"), "..x.");
  EXPECT_EQ(discards("gl_SampleMask[0] = 0; if (u > 1) return; gl_SampleMask[0] = 1;"), "..xx");
  EXPECT_EQ(discards(""), "....");
}

TEST(FromSpirv, KeepsTheFormatsOfImages) {
  const auto program = ssa_of(
      "#version 310 es\nprecision highp float; layout(rgba8_snorm) readonly uniform highp image2D i; out vec4 o;"
      "void main() { o = imageLoad(i, ivec2(3)); }");
  ASSERT_TRUE(program) << errors_of(program);
  EXPECT_THAT(ssa::print(*program), HasSubstr("image i rgba8_snorm"));
  EXPECT_THAT(ssa::print(*program), HasSubstr("= image_load.f32x4.texel.2d i at=0: v"));
}

/// A program that adds two floats in one block.
ssa::Program sum() {
  ssa::Program program;
  program.values = {{ssa::Base::real}, {ssa::Base::real}};
  ssa::Instruction one, add;
  one.op = ssa::Op::constant;
  one.type = add.type = {ssa::Base::real};
  one.result = 0;
  add.op = ssa::Op::fadd;
  add.result = 1;
  add.operands = {0, 0};
  program.blocks.push_back({{}, {one, add}, {}, 0});
  return program;
}

TEST(Validate, FindsNothingInWhatIsRight) { EXPECT_EQ(ssa::faults(sum()), std::vector<std::string>{}); }

TEST(Validate, FindsEachFault) {
  const auto fault_of = [](auto change) {
    ssa::Program program = sum();
    change(program, program.blocks[0].instructions);
    const std::vector<std::string> found = ssa::faults(program);
    return found.empty() ? "" : found.front();
  };
  EXPECT_THAT(fault_of([](auto&, auto& list) { std::swap(list[0], list[1]); }), HasSubstr("has not been made here"));
  EXPECT_THAT(fault_of([](auto&, auto& list) { list[1].operands.pop_back(); }),
              HasSubstr("another number of operands"));
  EXPECT_THAT(fault_of([](auto&, auto& list) { list[1].op = ssa::Op::iadd; }), HasSubstr("another type"));
  EXPECT_THAT(fault_of([](auto&, auto& list) { list[1].result = 0; }), HasSubstr("made twice"));
  EXPECT_THAT(fault_of([](auto&, auto& list) { list[1].result = 7; }), HasSubstr("has no type"));
  EXPECT_THAT(fault_of([](auto& program, auto&) { program.values[1].components = 2; }), HasSubstr("another type"));
  EXPECT_THAT(fault_of([](auto& program, auto&) { program.blocks[0].predecessors = {0}; }),
              HasSubstr("other predecessors"));
  EXPECT_THAT(fault_of([](auto& program, auto&) { program.blocks[0].end.kind = ssa::End::Kind::jump; }),
              HasSubstr("leads nowhere"));
  EXPECT_THAT(fault_of([](auto& program, auto&) { program.blocks.clear(); }), HasSubstr("no block"));
}

/// Places of a block's members, as the program prints them.
std::string block_with(const std::string& layout) {
  const auto program =
      ssa_of("#version 310 es\nprecision highp float; struct S { float a; vec3 b; }; " + layout +
             "uniform B { vec2 v; float f[2]; mat3 m; S s[2]; float last; } b; out vec4 o;"
             "uniform int i; void main() { o = vec4(b.v, b.f[i], b.last) + b.m[i].xyzx + b.s[i].b.xyzx; }");
  EXPECT_TRUE(program) << errors_of(program);
  if (!program) return {};
  const std::string text = ssa::print(*program);
  return text.substr(text.find("uniforms B"), text.find("output o") - text.find("uniforms B"));
}

TEST(FromSpirv, BlocksWithoutALayoutLieAsStd140) {
  EXPECT_EQ(block_with(""), block_with("layout(std140) "));
  EXPECT_EQ(block_with("layout(row_major) "), block_with("layout(std140, row_major) "));
  EXPECT_NE(block_with("layout(row_major) "), block_with(""));
}

}  // namespace
}  // namespace mobula::test
