// Listings piece by piece: tokens with kinds, jumps, effects of words. (Every machine's text: tests/bindings/python.)
#include "mobula/isa/tokens.h"

#include <gtest/gtest.h>

#include "mobula/isa/flow.h"

namespace mobula {
namespace {

struct Assembled {
  const Machine& machine;
  Program program;
  Listing listing;
  ir::Program lifted;

  explicit Assembled(std::string_view text)
      : machine(*find_machine("midgard")),
        program(machine.assemble({"t", text}, {.variant = "t860"}).value_or(Program())),
        listing(machine.disassemble(program, {.words = true}).value_or(Listing())),
        lifted(machine.lift(program, {}).value_or(ir::Program())) {}

  [[nodiscard]] std::string of_kind(Token::Kind kind) const {
    std::string all;
    for (const Token& token : tokens(machine, listing, lifted))
      if (token.kind == kind) all += listing.text.substr(token.begin, token.end - token.begin) + ' ';
    return all;
  }
};

constexpr std::string_view loop = "L0:\n{\n  vmul.FMUL.f16 R1.x, R0.x, R0.y\n}\n{\n  br.uncond L0\n}\n";

TEST(Tokens, HaveKinds) {
  const Assembled assembled(loop);
  EXPECT_EQ(assembled.of_kind(Token::Kind::register_), "R1 R0 R0 ");
  EXPECT_EQ(assembled.of_kind(Token::Kind::label), "L0 L0 ");
  EXPECT_NE(assembled.of_kind(Token::Kind::mnemonic).find("FMUL "), std::string::npos);
  EXPECT_EQ(assembled.of_kind(Token::Kind::comment), "");
}

TEST(Tokens, KnowDirectivesAndComments) {
  const Assembled assembled(loop);
  Listing listing{.text = ".machine m\n\nr0 // note\n; all of it\n{ a; b }\n", .words = {}, .undecoded = {}};
  std::vector<std::string> found;
  for (const Token& token : tokens(assembled.machine, listing, assembled.lifted))
    if (token.kind == Token::Kind::directive || token.kind == Token::Kind::comment)
      found.push_back(listing.text.substr(token.begin, token.end - token.begin));
  EXPECT_EQ(found, (std::vector<std::string>{".", "machine", "// note", "; all of it"}));
}

TEST(WordEffects, ArePartialAndImplicit) {
  const Assembled assembled(loop);
  const auto words = word_effects(assembled.machine, assembled.listing,
                                  tokens(assembled.machine, assembled.listing, assembled.lifted), assembled.lifted);
  ASSERT_EQ(words.size(), 2u);
  bool seen = false;
  for (const SlotEffect& effect : words[0].effects) {
    if (effect.slot != "r1.x") continue;
    seen = true;
    EXPECT_TRUE(effect.writes && effect.partial() && !effect.implicit);
    EXPECT_EQ(effect.bytes, 2u);
  }
  EXPECT_TRUE(seen);
  // Without tokens nothing is named.
  const auto unnamed = word_effects(assembled.machine, assembled.listing, {}, assembled.lifted);
  for (const SlotEffect& effect : unnamed[0].effects) EXPECT_TRUE(effect.implicit);
}

TEST(Jumps, SayFromWhereToWhere) {
  const Assembled assembled(loop);
  const std::vector<Jump> all = jumps(assembled.lifted);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().from, 16u);
  EXPECT_EQ(all.front().to, 0u);
  EXPECT_EQ(all.front().kind, FlowGraph::EdgeKind::jump);
}

}  // namespace
}  // namespace mobula
