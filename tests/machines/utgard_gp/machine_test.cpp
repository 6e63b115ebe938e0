// The machine as the registry offers it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machines/utgard_gp/spec/codec.h"
#include "mobula/isa/machine.h"
#include "programs.h"
#include "words.h"

namespace mobula::utgard_gp {
namespace {

const Machine& gp() { return *find_machine("utgard-gp"); }

std::string text_of(const Program& program, const DisassembleOptions& options) {
  const auto listing = gp().disassemble(program, options);
  EXPECT_TRUE(listing);
  return listing ? listing->text : "";
}

TEST(Machine, IsRegisteredWithItsProducts) {
  ASSERT_NE(find_machine("utgard-gp"), nullptr);
  for (const char* name : {"mali400", "mali450", "mali200"}) {
    const auto choice = parse_machine(std::string("utgard-gp:") + name);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->machine, &gp());
  }
  EXPECT_EQ(gp().variants().front().name, "mali400");
}

TEST(Machine, EverySyntaxPrintsWhatItsTableSays) {
  const Program program = program_of(program_b());
  std::vector<std::string> heads;
  for (const Syntax& syntax : gp().syntaxes()) {
    const std::string text = text_of(program, {.syntax = syntax.name});
    heads.push_back(std::string(syntax.name) + ": " + text.substr(0, text.find('\n')));
    EXPECT_EQ(gp().assemble({"t", "{ }"}, {.syntax = syntax.name}).has_value(), syntax.parses) << syntax.name;
  }
  EXPECT_THAT(heads, testing::ElementsAre("gpasm: { ld = u[2]; a1 = mov ld.x }", "mesa: 000:\tmov.a1 ^1 t[2].x",
                                          "ogt: uniform.load(2), acc[1].pass(uniform.x);",
                                          "decompile: 004: varying[0].x = (((attribute[0].x * uniform[0].x) * "
                                          "uniform[2].x) + uniform[1].x);"));
  EXPECT_EQ(text_of(program, {}), text_of(program, {.syntax = "gpasm"}));
}

TEST(Machine, UnknownSyntaxesAreNamedWithTheKnownOnes) {
  const auto listing = gp().disassemble({}, {.syntax = "att"});
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error()[0].code, "GP100");
  EXPECT_EQ(listing.error()[0].hint, "available: gpasm, mesa, ogt, decompile");
  const auto program = gp().assemble({"t", ""}, {.syntax = "mesa"});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error()[0].hint, "available: gpasm");
}

TEST(Machine, BytesStandBeforeEachWordInEverySyntax) {
  const Program program = program_of(program_a());
  for (const Syntax& syntax : gp().syntaxes()) {
    const auto listing = gp().disassemble(program, {.syntax = syntax.name, .bytes = true, .words = true});
    ASSERT_TRUE(listing);
    ASSERT_EQ(listing->words.size(), 7u) << syntax.name;
    for (const Listing::Word& word : listing->words)
      EXPECT_EQ(listing->text.substr(word.text_begin, 5), "// 0x") << syntax.name;
    EXPECT_THAT(listing->text, testing::HasSubstr("// 0x0010: AD4FDA56 038022CE 0007FF80 000AD510\n"));
  }
  const auto back = gp().assemble({"t", text_of(program, {.bytes = true})}, {});
  ASSERT_TRUE(back);
  EXPECT_EQ(back->code, program.code);
}

TEST(Machine, ListedWordsCoverTheText) {
  const Program program = program_of(program_c());
  for (const Syntax& syntax : gp().syntaxes())
    for (const bool bytes : {false, true}) {
      const auto listing = gp().disassemble(program, {.syntax = syntax.name, .bytes = bytes, .words = true});
      ASSERT_TRUE(listing);
      std::uint32_t at = 0;
      for (const Listing::Word& word : listing->words) {
        EXPECT_EQ(word.text_begin, at);
        EXPECT_EQ(word.byte_length, 16u);
        at = word.text_end;
      }
      EXPECT_EQ(at, listing->text.size());
    }
}

TEST(Machine, MoreWordsThanItHoldsStillPrint) {
  Program program = program_of({});
  for (unsigned i = 0; i < max_words + 2; ++i) append_word(nop, program.code);
  for (const Syntax& syntax : gp().syntaxes()) {
    const auto listing = gp().disassemble(program, {.syntax = syntax.name, .words = true});
    ASSERT_TRUE(listing);
    EXPECT_EQ(listing->words.size(), max_words + 2) << syntax.name;
  }
  EXPECT_EQ(text_of(program, {.syntax = "decompile"}),
            "512: data(0xAD4AD6B5, 0x038002B5, 0x0007FF80, 0x000AD500);\n"
            "513: data(0xAD4AD6B5, 0x038002B5, 0x0007FF80, 0x000AD500);\n");
}

TEST(Machine, LiftsWithItsPolicies) {
  EXPECT_TRUE(gp().lift(program_of(program_c()), {}));
  for (const Policy& policy : gp().policies())
    for (const std::string_view value : policy.values)
      EXPECT_TRUE(gp().lift(program_of(program_a()), {{std::string(policy.name), std::string(value)}}));
  EXPECT_FALSE(gp().lift(program_of(program_a()), {{"truth", "maybe"}}));
}

}  // namespace
}  // namespace mobula::utgard_gp
