// The decompiled view is a program of its own: read from the top it stores what the machine stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <random>

#include "decompiled.h"
#include "machines/utgard_gp/programs.h"
#include "machines/utgard_gp/random_program.h"
#include "machines/utgard_gp/simulator.h"
#include "machines/utgard_gp/words.h"
#include "mobula/isa/machine.h"
#include "paths.h"
#include "trials.h"

namespace mobula::utgard_gp {
namespace {

std::string decompile(const std::vector<std::uint8_t>& code, const Policies& policies = {}) {
  Program program;
  program.code = code;
  const auto listing = find_machine("utgard-gp")->disassemble(program, {.syntax = "decompile", .policies = policies});
  EXPECT_TRUE(listing);
  return listing ? listing->text : "";
}
std::string decompile_text(std::string_view text, const Policies& policies = {}) {
  return decompile(assembled(text).code, policies);
}

std::uint32_t random_bits(std::mt19937& random) {
  constexpr float special[] = {0.0F, -0.0F, 1, -1, 2, 0.5F, 3, 1e10F, 1e-40F, INFINITY, -INFINITY, NAN};
  if (random() % 4 == 0) return std::bit_cast<std::uint32_t>(special[random() % std::size(special)]);
  return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 200);
}

/// "v0.x = 3f800000", all NaNs alike.
template <class Stored>
std::vector<std::string> listed(const std::vector<Stored>& stores) {
  std::vector<std::string> lines;
  for (const Stored& each : stores) {
    const bool number = !std::isnan(std::bit_cast<float>(each.bits));
    lines.push_back('v' + std::to_string(each.varying) + '.' + "xyzw"[each.component] + " = " +
                    (number ? std::to_string(each.bits) : "NaN"));
  }
  return lines;
}

constexpr unsigned most_to_run = 300;

/// Text and machine from the same random state; returns how many values were stored.
std::size_t expect_same(const std::vector<std::uint8_t>& code, std::mt19937& random, const std::string& what,
                        const Policies& policies = {}) {
  const std::string text = decompile(code, policies);
  simulated::Simulator machine(code);
  if (policies.contains("truth")) machine.truth = policies.at("truth");
  if (policies.contains("address")) machine.address = policies.at("address");
  decompiled::Text read(text);
  const auto fill = [&](auto& vec4s) {
    for (auto& vec4 : vec4s)
      for (std::uint32_t& word : vec4) word = random_bits(random);
  };
  fill(machine.attributes);
  fill(machine.registers);
  fill(machine.memory);
  read.attributes = machine.attributes;
  read.registers = machine.registers;
  read.memory = machine.memory;
  machine.run(most_to_run);
  try {
    read.run(most_to_run);
  } catch (const decompiled::NotExecutable& refused) {
    ADD_FAILURE() << what << ": " << refused.what() << '\n' << text;
  }
  EXPECT_EQ(listed(read.stored), listed(machine.stored)) << what << '\n' << text;
  return machine.stored.size();
}

TEST(DecompiledText, DoesWhatEverySampleDoes) {
  const std::filesystem::path folder = mobula::test::sample("utgard-gp");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples at " << folder;
  std::mt19937 random(1);
  std::size_t programs = 0, stores = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    ++programs;
    const std::string code = read_file(entry.path());
    for (int vertex = 0; vertex < 8; ++vertex)
      stores += expect_same({code.begin(), code.end()}, random, entry.path().string());
    if (HasFailure()) return;
  }
  EXPECT_EQ(programs, 48u);
  EXPECT_GT(stores, 8 * 8 * programs) << "not all of them loop for ever";
}

TEST(DecompiledText, DoesWhatFoundProgramsDo) {
  const std::filesystem::path folder = mobula::test::sample("found");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples at " << folder;
  std::mt19937 random(7);
  for (const char* const name : {"gp-302.gpasm", "gp-304.gpasm"})
    for (int vertex = 0; vertex < 20; ++vertex) expect_same(assembled(read_file(folder / name)).code, random, name);
}

TEST(DecompiledText, DoesWhatTheDocumentsProgramsDo) {
  std::mt19937 random(2);
  for (int vertex = 0; vertex < 20; ++vertex)
    for (const auto& code : {program_a(), program_b(), program_c()}) expect_same(code, random, "a worked example");
}

void expect_same_of_random(const RandomProgramOptions& options, unsigned programs, unsigned seed,
                           const Policies& policies = {}) {
  std::mt19937 random(seed);
  for (unsigned i = 0; i < test::trials(programs) && !testing::Test::HasFailure(); ++i) {
    RandomProgramOptions chosen = options;
    chosen.words = 6 + static_cast<unsigned>(random() % options.words);
    expect_same(random_program(random, chosen), random, "program " + std::to_string(i), policies);
  }
}
TEST(DecompiledText, DoesWhatStraightProgramsDo) { expect_same_of_random({.words = 30}, 400, 3); }
TEST(DecompiledText, DoesWhatMisusedPartialResultsDo) {
  expect_same_of_random({.words = 30, .loose_sequences = true}, 400, 4);
}
TEST(DecompiledText, DoesWhatBranchesAndLoopsDo) { expect_same_of_random({.words = 30, .branches = true}, 400, 5); }
TEST(DecompiledText, DoesWhatTemporariesDo) {
  expect_same_of_random({.words = 30, .branches = true, .temporaries = true}, 300, 6);
}

TEST(DecompiledText, DoesWhatThePoliciesSay) {
  const RandomProgramOptions options{.words = 30, .branches = true, .temporaries = true};
  expect_same_of_random(options, 100, 8, {{"truth", "positive"}, {"address", "truncate"}});
  expect_same_of_random(options, 100, 9, {{"truth", "half"}, {"address", "nearest"}});
}

TEST(DecompiledText, SpellsOutThePoliciesThatAreNotTheDefaults) {
  constexpr std::string_view choice =
      "{ p0 = attr0; ld = u[0]; m01 = select ld.x ? p0.y : p0.x; st0 v0.x = m0; c = setA1 p0.z }";
  EXPECT_EQ(decompile_text(choice),
            "000: varying[0].x = (uniform[0].x ? attribute[0].y : attribute[0].x);\n000: A1 = attribute[0].z;\n");
  EXPECT_EQ(decompile_text(choice, {{"truth", "positive"}, {"address", "truncate"}}),
            "000: varying[0].x = ((0 < uniform[0].x) ? attribute[0].y : attribute[0].x);\n"
            "000: A1 = truncate(attribute[0].z);\n");
  EXPECT_EQ(decompile_text(choice, {{"truth", "half"}, {"address", "nearest"}}),
            "000: varying[0].x = ((uniform[0].x >= 0.5) ? attribute[0].y : attribute[0].x);\n"
            "000: A1 = nearest(attribute[0].z);\n");
}

TEST(DecompiledText, SelectorEightReadsNothingWhereThePolicySaysSo) {
  Program program = assembled("{ p0 = attr0; a0 = add p0.x, p0.y; st0 v0.x = a0 }");
  Word128 word = load_word(program.code, 0);
  set(word, word::acc0_b, 8);
  program.code.clear();
  append_word(word, program.code);
  EXPECT_EQ(decompile(program.code), "000: varying[0].x = (attribute[0].x + unknown8);\n");
  EXPECT_EQ(decompile(program.code, {{"selector8", "unused"}}), "000: varying[0].x = (attribute[0].x + undefined);\n");
}

TEST(DecompiledText, RefusesPoliciesThatStopThreads) {
  const Program program = assembled("{ p0 = attr0; a0 = mov p0.x; st0 v0.x = a0 }");
  for (const Policies& policies : {Policies{{"sequence", "trap"}}, Policies{{"early", "trap"}}}) {
    const auto listing = find_machine("utgard-gp")->disassemble(program, {.syntax = "decompile", .policies = policies});
    ASSERT_FALSE(listing);
    EXPECT_EQ(listing.error()[0].code, "GP803");
    EXPECT_TRUE(find_machine("utgard-gp")->disassemble(program, {.policies = policies})) << "gpasm says what is there";
  }
  EXPECT_EQ(find_machine("utgard-gp")
                ->disassemble(program, {.syntax = "decompile", .policies = {{"trust", "half"}}})
                .error()[0]
                .code,
            "GP801");
}

TEST(DecompiledText, NamesWhatARegisterHeldBeforeItWasStoredAnew) {
  EXPECT_EQ(decompile_text("{ p1 = $1; a0 = mov p1.x; a1 = mov p1.y; st0 $1.xy = a1, a0 }"),
            "000: ^0 = register[1].x;\n"
            "000: register[1].x = register[1].y;\n"
            "000: register[1].y = ^0;\n");
  EXPECT_EQ(decompile_text("{ p0 = $1; a1 = mov p0.y; st0 $1.x = a1 } { a0 = mov p0[-1].x; st0 v0.x = a0 }"),
            "000: p0.x@0 = register[1].x;\n"
            "000: register[1].x = register[1].y;\n"
            "001: varying[0].x = p0.x@0;\n");
}

TEST(DecompiledText, WritesLateOnlyWhatIsReadEarly) {
  EXPECT_EQ(decompile_text("{ p0 = attr0; a0 = mov p0.x; st0 $1.x = a0 } { p1 = $1; a0 = mov p1.x; st0 v0.x = a0 }"),
            "000: register[1].x = attribute[0].x after 3 words;\n"
            "001: varying[0].x = register[1].x;\n");
  EXPECT_EQ(
      decompile_text("{ p0 = attr0; a0 = mov p0.x; st0 $1.x = a0 } {} {} { p1 = $1; a0 = mov p1.x; st0 v0.x = a0 }"),
      "000: register[1].x = attribute[0].x;\n"
      "003: varying[0].x = register[1].x;\n");
}

TEST(DecompiledText, LeavesAValueToTheWordsWherePathsMeet) {
  EXPECT_EQ(
      decompile_text(
          "{ p0 = attr0; a0 = mov p0.x }\nL1:\n{ a0 = add a0[-1], a0[-1]; p = mov a0[-1]; st0 v0.x = a0; br L1 }"),
      "000: a0[-1]@1 = attribute[0].x;\n"
      "001: ^6 = (a0[-1]@1 + a0[-1]@1);\n"
      "001: ^10 = a0[-1]@1;\n"
      "001: varying[0].x = ^6;\n"
      "001: a0[-1]@1 = ^6;\n"
      "001: if (^10) goto 1;\n");
}

TEST(DecompiledText, SetsTheStoreAddressBeforeItsStores) {
  EXPECT_EQ(decompile_text("{ ld = u[1]; c = setA0 ld.x; a0 = mov ld.y; st0 t[A0].x = a0 }"),
            "000: A0 = uniform[1].x;\n"
            "000: temporary[A0].x = uniform[1].y;\n");
}

TEST(DecompiledText, SaysWhichStepsOfAFunctionMustAgree) {
  EXPECT_EQ(
      decompile_text("{ p0 = attr0; m0 = complex2 p0.x, p0.x; c = rcp p0.x }\n"
                     "{ p0 = attr1; m01 = complex1 c[-1], m0[-1], c[-1], p0.x } {} { a0 = mov m0[-2]; st0 v0.x = a0 }"),
      "003: varying[0].x = rcp(same(attribute[0].x, attribute[1].x));\n");
  EXPECT_EQ(decompile_text("{ p0 = attr0; c = rcp p0.x } { a0 = add c[-1], p0[-1].x; st0 v0.x = a0 }"),
            "001: varying[0].x = (undefined + attribute[0].x);\n");
}

}  // namespace
}  // namespace mobula::utgard_gp
