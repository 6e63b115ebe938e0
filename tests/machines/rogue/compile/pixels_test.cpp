// Colours that are packed into pixels.
#include <gmock/gmock.h>

#include <string>

#include "compile/pixel_formats.h"
#include "compile/verify/verify.h"
#include "mobula/isa/machine.h"

namespace mobula::compile {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Packed {
  MachineCode code;
  VerifyOutcome outcome;
  std::string text;
};

Result<Shader> read(const std::string& text, const std::string& format) {
  return Shader::read({.file = "a.frag",
                       .bytes = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()},
                       .formats = {{"", format}}});
}

Packed packed(const std::string& text, const std::string& format) {
  const auto shader = read(text, format);
  if (!shader) throw std::runtime_error(render(shader.error()));
  auto code = shader->compile("rogue");
  if (!code) throw std::runtime_error(render(code.error()));
  EXPECT_EQ(render(find_machine("rogue")->check(code->program)), "");
  auto outcome = shader->verify(code->program);
  if (!outcome) throw std::runtime_error(render(outcome.error()));
  const auto listing = find_machine("rogue")->disassemble(code->program, {});
  return {std::move(*code), std::move(*outcome), listing ? listing->text : ""};
}

const std::string plain =
    "#version 300 es\nprecision highp float; in vec4 v; out vec4 c; void main() { c = v.wzyx * 2.0; }";

TEST(RoguePixels, EveryFormatIsPackedAndVerified) {
  for (const std::string_view format : pixel_formats()) {
    const Packed made = packed(plain, std::string(format));
    EXPECT_FALSE(made.outcome.difference) << format;
    EXPECT_GT(made.outcome.compared, made.outcome.open) << format;
    EXPECT_THAT(made.text, HasSubstr("pck.")) << format;
    EXPECT_EQ(made.code.program.interface.outputs.at(0).format, format);
  }
}

TEST(RoguePixels, AWordIsOneGroupForAllItsComponents) {
  const std::string text = packed(plain, "rgba8_unorm").text;
  EXPECT_THAT(text, HasSubstr("rpt=4"));
  EXPECT_THAT(text, HasSubstr("po0"));
  EXPECT_THAT(text, Not(HasSubstr("po1")));
  EXPECT_THAT(packed(plain, "rgba16_unorm").text, HasSubstr("po1"));
  EXPECT_THAT(packed(plain, "r8_unorm").text, Not(HasSubstr("rpt=")));
}

TEST(RoguePixels, ColoursOfFewerComponentsAreStoredAsFarAsTheyGo) {
  const Packed made =
      packed("#version 300 es\nprecision highp float; in vec4 v; out vec2 c; void main() { c = v.xy; }", "rgba8_unorm");
  EXPECT_FALSE(made.outcome.difference);
  EXPECT_THAT(made.text, HasSubstr("rpt=2"));
}

TEST(RoguePixels, WhatBranchesWriteIsPackedOnce) {
  const Packed made = packed(
      "precision highp float; varying vec4 v; uniform sampler2D t; void main() { gl_FragColor = v;"
      "if (v.x > 0.5) { for (int i = 0; i < 3; ++i) gl_FragColor += texture2D(t, gl_FragColor.xy); } else discard; }",
      "rgba8_unorm");
  EXPECT_FALSE(made.outcome.difference);
  EXPECT_EQ(made.text.find("pck.u8888"), made.text.rfind("pck.u8888"));
}

TEST(RoguePixels, VerificationFindsColoursInAnotherFormat) {
  const auto shader = read(plain, "rgba8_unorm");
  ASSERT_TRUE(shader) << render(shader.error());
  auto code = shader->compile("rogue");
  ASSERT_TRUE(code) << render(code.error());
  code->program.interface.outputs.at(0).format = "rgba8_snorm";
  const auto outcome = shader->verify(code->program);
  ASSERT_TRUE(outcome) << render(outcome.error());
  EXPECT_TRUE(outcome->difference);
}

}  // namespace
}  // namespace mobula::compile
