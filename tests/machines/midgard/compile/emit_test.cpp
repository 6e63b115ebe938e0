#include "machines/midgard/compile/emit.h"

#include "machines/midgard/compile/words.h"

namespace mobula::test {
namespace {

using midgard::Branch;
using midgard::BranchMeaning;
using midgard::Bundle;

std::string branching(unsigned statements) {
  std::string text =
      "#version 310 es\nprecision highp float; uniform sampler2D t; in vec4 a; uniform int n; out vec4 o;\n"
      "void main() { o = a; if (n > 3) {\n";
  for (unsigned i = 0; i < statements; ++i)
    text += "o = sin(o * " + std::to_string(i % 7 + 1) + ".1) + textureLod(t, o.xy, 0.0);\n";
  return text + "} else o = a.wzyx; o *= 2.0; }";
}

TEST(MidgardEmit, BranchesAreShortWhereTheyReach) {
  const Words near(verified(branching(2))), far(verified(branching(30)));
  ASSERT_GT(far.all().size(), 64U);
  const auto extended = [](const Words& words) {
    return std::ranges::any_of(words.all(), [](const Bundle& bundle) { return bundle.has_extended; });
  };
  EXPECT_FALSE(extended(near));
  EXPECT_TRUE(extended(far));
}

TEST(MidgardEmit, BranchesLeadToTheWordThatTheySay) {
  for (const std::string& text : {branching(1), branching(30)}) {
    const Words words(verified(text));
    for (const Bundle& bundle : words.all())
      for (const Branch& each : midgard::branches(bundle)) {
        if (each.op == BranchMeaning::discard) continue;
        const std::int64_t target = midgard::target_of(bundle, each);
        const auto found = std::ranges::find_if(
            words.all(), [&](const Bundle& other) { return std::int64_t{other.position} == target; });
        ASSERT_NE(found, words.all().end()) << target;
        EXPECT_EQ(each.dest_tag, found->tag);
      }
  }
}

TEST(MidgardEmit, LoopsLeadBack) {
  const Words words(
      verified("#version 310 es\nprecision highp float; in vec4 a; uniform int n; out vec4 o;"
               "void main() { o = a; for (int i = 0; i < (n & 7); ++i) o = fract(o * 1.5) + a; }"));
  bool back = false;
  for (const Bundle& bundle : words.all())
    for (const Branch& each : midgard::branches(bundle))
      back = back || (each.op != BranchMeaning::write && midgard::target_of(bundle, each) <= bundle.position);
  EXPECT_TRUE(back);
}

TEST(MidgardEmit, WritesAreRepeatedUntilTheySucceed) {
  const Words words(verified("precision highp float; varying vec4 a; void main() { gl_FragColor = a * 2.0; }"));
  const Bundle& last = words.all().back();
  const auto writes = midgard::branches(last);
  ASSERT_EQ(writes.count, 1);
  EXPECT_EQ(writes.items[0].op, BranchMeaning::write);
  EXPECT_EQ(midgard::target_of(last, writes.items[0]), last.position) << "the last word leads to itself";
  EXPECT_EQ(words.branches(BranchMeaning::write).size(), 2U);
}

TEST(MidgardEmit, EachTargetIsWritten) {
  const Attempt made = verified(
      "#version 310 es\nprecision highp float; in vec4 a; layout(location = 0) out vec4 o;"
      "layout(location = 1) out vec4 p; layout(location = 3) out ivec4 q;"
      "void main() { o = a; p = a * 2.0; q = ivec4(a * 9.0); gl_FragDepth = 0.5 * a.x; }");
  EXPECT_EQ(Words(made).branches(BranchMeaning::write).size(), 6U) << "three, and each once again";
}

TEST(MidgardEmit, TagsAreThoseOfTheProduct) {
  for (const midgard::Product& product : midgard::products) {
    const Attempt made = verified("precision highp float; varying vec4 a; void main() { gl_FragColor = a * 2.0; }",
                                  Stage::fragment, std::string(product.name));
    const std::vector<Bundle> words = Words(made).all();
    EXPECT_EQ(made.program.interface.first_tag, words[0].tag);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto all = midgard::branches(words[i]);
      const bool writes =
          std::any_of(all.begin(), all.end(), [](const Branch& each) { return each.op == BranchMeaning::write; });
      EXPECT_EQ(midgard::is_writeout_tag(words[i].tag), writes && product.writeout_tags) << product.name;
      if (words[i].next != midgard::tag_break) {
        EXPECT_EQ(words[i].next, words.at(i + 1).tag) << product.name;
      }
    }
    EXPECT_EQ(words.back().next, midgard::tag_break);
  }
}

TEST(MidgardEmit, LinesOfTheSourceAreKept) {
  const Attempt made = verified(
      "#version 310 es\nprecision highp float;\nin vec4 a, b;\nout vec4 o;\nvoid main() {\n"
      "  vec4 x = sin(a);\n  vec4 y = exp2(b);\n  o = x * y;\n}");
  std::vector<std::uint32_t> lines;
  for (const SourceLine& each : made.program.lines) {
    lines.push_back(each.line);
    EXPECT_LT(each.byte_offset, made.program.code.size());
  }
  for (const std::uint32_t line : {6U, 7U, 8U}) EXPECT_NE(std::ranges::find(lines, line), lines.end()) << line;
  EXPECT_TRUE(std::ranges::is_sorted(made.program.lines, {}, &SourceLine::byte_offset));
}

TEST(MidgardEmit, AShaderThatDoesNothingIsAProgram) {
  for (const Stage stage : {Stage::vertex, Stage::fragment, Stage::compute}) {
    const std::string groups = stage == Stage::compute ? "layout(local_size_x = 1) in;\n" : "";
    const Attempt made = attempt("#version 310 es\n" + groups + "void main() {}", stage);
    EXPECT_EQ(made.why, "");
    EXPECT_GE(made.program.code.size(), 16U);
  }
}

}  // namespace
}  // namespace mobula::test
