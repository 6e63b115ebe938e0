#include "machines/utgard_gp/check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "machines/utgard_gp/check/rules.h"
#include "machines/utgard_gp/programs.h"
#include "machines/utgard_gp/spec/codec.h"
#include "machines/utgard_gp/text/parse.h"
#include "machines/utgard_gp/words.h"
#include "mobula/lab/run.h"
#include "paths.h"

namespace mobula::utgard_gp {
namespace {

using Codes = std::set<std::string>;

Program parsed(std::string_view text, const Interface& interface = {}, std::string_view variant = "") {
  auto program = parse({"t", text}, variant);
  EXPECT_TRUE(program) << text << render(program.error());
  if (!program) return {};
  program->interface = interface;
  return *program;
}

Codes codes(const Program& program) {
  Codes all;
  for (const Diagnostic& entry : check(program)) all.insert(entry.code);
  return all;
}

std::string repeated(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

/// For one rule: a program that breaks it and no other, and one close to it that keeps all.
struct Case {
  std::string_view code;
  std::string breaks, keeps;
  Interface interface {
  }, keeping{};  ///< of the two programs
};

Interface with_constant(std::uint32_t place, float value) {
  return {.constants = {{place, std::bit_cast<std::uint32_t>(value)}}};
}
Interface with_names(std::vector<Variable> inputs, std::vector<Variable> outputs) {
  return {.inputs = std::move(inputs), .outputs = std::move(outputs)};
}
Variable variable(std::string name, std::int32_t number) {
  return {.name = std::move(name), .type = "vec4", .driver_location = number};
}

// Frequent pieces. Words of text end with a line.
const std::string nop_word = "{ }\n";
const std::string reciprocal =
    "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w }\n"
    "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.w }\n";
const std::string store_register = "{ p0 = attr0; a0 = mov p0.x; st0 $1.x = a0 }\n";
const std::string load_register = "{ p1 = $1; m0 = mov p1.x }\n";
/// The word that ends a block of `words` words, skipping nothing.
std::string branch_to(unsigned word) { return "{ p0 = attr0; p = mov p0.x; br " + std::to_string(word) + " }\n"; }
/// A word that stores a temporary at p0.y, with more items.
std::string store_temporary(const std::string& more = {}) {
  return "{ p0 = attr0; a0 = mov p0.x; c = setA0 p0.y; st0 t[A0].x = a0" + more + " }\n";
}
std::string store_varyings(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += "{ p0 = attr0; a0 = mov p0.x; st0 v" + std::to_string(i) + ".x = a0 }\n";
  return text;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](std::string_view code, std::string breaks, std::string keeps, Interface interface = {}) {
    all.push_back({code, std::move(breaks), std::move(keeps), interface, interface});
  };
  const auto add_each = [&](std::string_view code, std::string text, Interface breaking, Interface keeping) {
    all.push_back({code, text, text, std::move(breaking), std::move(keeping)});
  };
  /// One word with attr0 at hand.
  const auto word = [&](std::string_view code, const std::string& breaks, const std::string& keeps) {
    add(code, "{ p0 = attr0; " + breaks + " }", "{ p0 = attr0; " + keeps + " }");
  };

  // Program.
  add("GP311", "{ }\n.byte 1, 2, 3", "{ }\n");
  add("GP312", repeated(513, nop_word), repeated(512, nop_word));
  add_each("GP313", "{ ld = u[2]; p = mov ld.x; br end }\n{ }\nend:\n{ }\n", with_constant(8, 1), with_constant(8, 0));
  add_each("GP314", "again:\n{ ld = u[2]; p = mov ld.x; br again }\n", with_constant(8, 1), {});

  // Words.
  word("GP315", "m0 = mov s8", "m0 = mov p0.x");
  word("GP316", "m0 = mul p0.x, unused", "m0 = mul p0.x, ident");
  word("GP317", "c = cplxop" + unknown_opcode(cplx_ops) + " p0.x", "c = mov p0.x");
  word("GP318", "p = mov p0.x; c = setA01 unused", "p = mov p0.x; c = setA1 p0.x");
  word("GP319", "a0 = mov p0.x; st0 v0.x = x5", "a0 = mov p0.x; st0 v0.x = a0");
  add("GP320", "{ ld = u[0+A0]; a0 = mov ld.x }", "{ ld = u[0]; a0 = mov ld.x }");
  add("GP321", "{ flow:=5 }", "{ flow:=0 }");
  word("GP322", "m01 = select p0.x ? p0.y : p0.z neg0", "m01 = select p0.x ? p0.y : p0.z");
  word("GP323", "m01 = select ident ? p0.y : p0.z", "m01 = select p0.x ? p0.y : p0.z");
  word("GP324", "a0 = floor p0.x; acc0.b:=5", "a0 = floor p0.x; acc0.b:=21");
  word("GP325", "m0 = mov p0.x; mul1.neg:=1", "m0 = -mov p0.x");

  // Branches.
  add("GP326", "{ branch:=1 }", branch_to(1) + nop_word);
  add("GP327", "{ br 1 }\n{ }", branch_to(1) + nop_word);
  add("GP328", branch_to(2) + nop_word, branch_to(1) + nop_word);
  word("GP329", "p = mov p0.x; a0 = mov p0.y; br 0", "p = mov p0.x; br 0");

  // Memory and stores.
  add("GP331", "{ ld = u[304]; a0 = mov ld.x }", "{ ld = u[303]; a0 = mov ld.x }");
  add("GP332", store_temporary("; flow:=0"), store_temporary("; flow:=12"));
  add("GP333", store_temporary("; st0.index:=1"), store_temporary("; st0.index:=0"));
  add("GP334", store_temporary("; branch:=1"), store_temporary("; branch:=0"));
  add("GP335", store_temporary("; st1 v0.z = a0"), store_temporary("; st1 t[A0].z = a0"));
  add("GP336", store_temporary("; st0.var:=1"), store_temporary("; st0.var:=0"));

  // Forwarding.
  const std::string computes = "{ p0 = attr0; a0 = mov p0.x }\n";
  add("GP341", computes + "{ m0 = mov a1[-1] }", computes + "{ m0 = mov a0[-1] }");
  add("GP342", computes + "{ m0 = mov a0[-2] }", computes + nop_word + "{ m0 = mov a0[-2] }");
  add("GP343", reciprocal + "{ a0 = mov m0[-1] }", reciprocal + nop_word + "{ a0 = mov m0[-2] }");
  add("GP344", branch_to(2) + "{ p0 = attr0; p = mov p0.y }\n{ a0 = mov p[-1] }",
      branch_to(2) + "{ p0 = attr0; p = mov p0.y }\n{ }\n");
  add("GP345", branch_to(2) + "{ a0 = mov p[-1] }\n{ }\n", branch_to(2) + "{ p0 = attr0; p = mov p0.x }\n{ }\n");

  // Latencies.
  add("GP351", store_register + nop_word + load_register, store_register + nop_word + nop_word + load_register);
  const std::string store_40 = "{ p0 = attr0; ld = u[2]; a0 = mov p0.x; c = setA0 ld.x; st0 t[A0].x = a0 }\n";
  const std::string load_40 = "{ ld = u[40]; a0 = mov ld.x }\n";
  add("GP352", store_40 + repeated(2, nop_word) + load_40, store_40 + repeated(3, nop_word) + load_40,
      with_constant(8, 40));
  add("GP353", store_temporary() + repeated(2, nop_word) + load_40,
      store_temporary() + repeated(3, nop_word) + load_40);
  const std::string set_a1 = "{ p0 = attr0; c = setA1 p0.x }\n", use_a1 = "{ ld = u[0+A1]; a0 = mov ld.x }\n";
  add("GP354", set_a1 + repeated(2, nop_word) + use_a1, set_a1 + repeated(3, nop_word) + use_a1);
  add("GP355", store_register + branch_to(2) + nop_word, store_register + nop_word + branch_to(3) + nop_word);

  // What is read has been written.
  add("GP361", repeated(3, nop_word) + load_register, store_register + repeated(2, nop_word) + load_register);
  add("GP362", "{ p0 = attr0; a0 = mov p0.x; st0 t[A0].x = a0 }", store_temporary());
  add("GP363", use_a1, set_a1 + repeated(3, nop_word) + use_a1);

  // Functions.
  const std::string begins = "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w }\n";
  add("GP371", begins + "{ a0 = mov m0[-1] }", begins + nop_word);
  word("GP372", "m0 = complex2 p0.x, p0.y", "m0 = complex2 p0.x, p0.x");
  add("GP373", "{ p0 = attr0; c = exp2 p0.x }", "{ p0 = attr0; p = preexp2 p0.x }\n{ c = exp2 p[-1] }");
  add("GP374", begins + "{ p0 = attr0; m01 = complex1 c[-1], p0.w, c[-1], p0.w }", reciprocal);
  add("GP375", begins + "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.z }", reciprocal);
  const std::string logarithm =
      "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = log2 p0.w }\n"
      "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.w }\n{ }\n{ p = postlog2 m0[-2] }\n";
  add("GP376", reciprocal + "{ }\n{ p = postlog2 m0[-2] }\n", logarithm);

  // Interface.
  const Interface named = with_names({variable("in", 0)}, {variable("out", 0)});
  add("GP381", "{ p0 = attr1; a0 = mov p0.x }", "{ p0 = attr0; a0 = mov p0.x }", named);
  add("GP382", "{ p0 = attr0; a0 = mov p0.x; st0 v1.x = a0 }", "{ p0 = attr0; a0 = mov p0.x; st0 v0.x = a0 }", named);
  add("GP383", store_varyings(15), store_varyings(14));
  add("GP384", "{ }\n{ p0 = attr0; a0 = mov p0.x }\n", "{ p0 = attr0; a0 = mov p0.x }\n{ }\n", {.prefetch = 0});
  const std::string position = "{ p0 = attr0; a0 = mov p0.x; st0 v0.xy = a0, a0; st1 v0.z";
  add("GP385", position + " = a0 }", position + "w = a0, a0 }", with_names({}, {variable("gl_Position", 0)}));
  return all;
}

TEST(Check, EachRuleIsBrokenAloneAndJustKept) {
  Codes seen;
  for (const Case& each : cases()) {
    const Program breaks = parsed(each.breaks, each.interface), keeps = parsed(each.keeps, each.keeping);
    EXPECT_EQ(codes(breaks), Codes{std::string(each.code)}) << each.breaks << render(check(breaks));
    EXPECT_TRUE(check(keeps).empty()) << each.code << '\n' << each.keeps << render(check(keeps));
    seen.insert(std::string(each.code));
  }
  for (const Rule& row : rules) EXPECT_TRUE(seen.contains(std::string(row.code))) << row.code << " has no case";
}

TEST(Check, FindingsSayWhatTheRuleSays) {
  for (const Case& each : cases())
    for (const Diagnostic& entry : check(parsed(each.breaks, each.interface)))
      for (const Rule& row : rules) {
        if (row.code != entry.code) continue;
        EXPECT_EQ(entry.severity, row.severity) << entry.code;
        EXPECT_THAT(entry.message, testing::HasSubstr(std::string(row.allowed)));
        EXPECT_FALSE(entry.hint.empty()) << entry.code;
      }
}

TEST(Check, RulesAreInOrderAndOnThePage) {
  const std::string page = read_file(mobula::test::source_file("docs/utgard-gp-rules.md"));
  std::string_view before;
  for (const Rule& row : rules) {
    EXPECT_LT(before, row.code);
    before = row.code;
    const std::string line = "| " + std::string(row.code) + " | " + std::string(name(row.severity)) + " | " +
                             std::string(row.title) + " | " + std::string(row.allowed) + " | " +
                             std::string(name(row.fact.status)) + ", " + std::string(row.fact.source) + " |\n";
    EXPECT_THAT(page, testing::HasSubstr(line));
  }
}

TEST(Check, WorkedExamplesAreClean) {
  for (const auto& code : {program_a(), program_b(), program_c()})
    EXPECT_TRUE(check(program_of(code)).empty()) << render(check(program_of(code)));
}

TEST(Check, SamplesAreClean) {
  const std::filesystem::path folder = mobula::test::sample("utgard-gp");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no samples at " << folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    const std::string bytes = read_file(entry.path());
    Program program = program_of(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
    const std::string json = read_file(std::filesystem::path(entry.path()).replace_extension(".json"));
    const auto side = read_side_file({entry.path().string(), json});
    ASSERT_TRUE(side) << render(side.error());
    program.interface = side->interface;
    EXPECT_TRUE(program.interface.prefetch.has_value());
    EXPECT_TRUE(check(program).empty()) << entry.path() << '\n' << render(check(program));
  }
}

/// The only finding of a program.
Diagnostic finding(const Program& program) {
  const Diagnostics all = check(program);
  EXPECT_EQ(all.size(), 1u) << render(all);
  return all.empty() ? Diagnostic{} : all.front();
}

TEST(Check, HazardsNameTheirPathAndWhereToInsert) {
  const Diagnostic straight = finding(parsed(store_register + nop_word + load_register));
  EXPECT_EQ(straight.where.byte_offset, 0x20u);
  EXPECT_THAT(straight.message, testing::StartsWith("$1.x is loaded 2 words after 0x0, which stores it, on the path "
                                                    "0x0..0x20; "));
  EXPECT_EQ(straight.hint, "insert 1 word between 0x10 and 0x20");
}

/// 9.3 with the empty word after its store taken out: the load after the back edge comes one word early.
TEST(Check, FollowsBackEdges) {
  std::vector<std::uint8_t> code = program_c();
  code.erase(code.begin() + 11 * 16, code.begin() + 12 * 16);
  Program program = program_of(code);
  Word128 exit = load_word(program.code, 9);
  set_branch_target(exit, 12);
  std::vector<std::uint8_t> bytes;
  append_word(exit, bytes);
  std::copy(bytes.begin(), bytes.end(), program.code.begin() + 9 * 16);
  Codes found;
  std::string early;
  for (const Diagnostic& entry : check(program)) {
    found.insert(entry.code);
    if (entry.code == "GP351") early += entry.message.substr(0, entry.message.find(';')) + '\n' + entry.hint + '\n';
  }
  // $1.x is not stored in the loop; $1.y is loaded late enough.
  EXPECT_EQ(found, (Codes{"GP355"})) << render(check(program));
  EXPECT_EQ(early, "");
  // The same with a load of what is stored.
  const Diagnostics all =
      check(parsed(store_register + nop_word + nop_word + "again:\n{ p1 = $1; a0 = add p1.x, p1.x; st0 $1.x = a0 }\n" +
                   branch_to(3) + nop_word));
  for (const Diagnostic& entry : all)
    if (entry.code == "GP351") early += entry.message.substr(0, entry.message.find(';')) + '\n' + entry.hint + '\n';
  EXPECT_EQ(early,
            "$1.x is loaded 2 words after 0x30, which stores it, on the path 0x30 -> 0x40 -> 0x30\n"
            "insert 1 word between 0x30 and 0x40\n");
}

/// A store on one of two ways that meet.
TEST(Check, FindsTheOnePathThatIsTooShort) {
  const std::string text =
      store_register + nop_word + branch_to(6) + store_register + nop_word + nop_word + "{ p1 = $1; m0 = mov p1.x }\n";
  for (const Diagnostic& entry : check(parsed(text))) EXPECT_NE(entry.code, "GP351") << render(entry);
  const std::string early =
      store_register + nop_word + branch_to(5) + store_register + nop_word + "{ p1 = $1; m0 = mov p1.x }\n";
  Codes found;
  for (const Diagnostic& entry : check(parsed(early))) {
    found.insert(entry.code);
    if (entry.code == "GP351") {
      EXPECT_THAT(entry.message, testing::HasSubstr("on the path 0x30..0x50;"));
    }
  }
  EXPECT_TRUE(found.contains("GP351"));
}

TEST(Check, UndefinedRegistersNameTheWayRoundTheStore) {
  const Diagnostic entry = finding(parsed(branch_to(4) + store_register + nop_word + nop_word + load_register));
  EXPECT_THAT(entry.message, testing::StartsWith("$1.x is loaded but nothing stores it on the path 0x0 -> 0x40;"));
}

/// The same, seen through the port's memory of one word: the word that loads is at fault.
TEST(Check, PreviousPort0CountsWhereItIsLoaded) {
  const Diagnostic entry = finding(parsed("{ p0 = $3 }\n{ a0 = mov p0[-1].z }"));
  EXPECT_EQ(entry.code, "GP361");
  EXPECT_EQ(entry.where.byte_offset, 0u);
  EXPECT_THAT(entry.message, testing::StartsWith("$3.z is loaded"));
}

TEST(Check, ArgumentsOfFunctionsAreComparedByValue) {
  // A move, another unit and a register stand between the three uses of one argument.
  const std::string head = "{ p0 = attr0; a0 = mov p0.w; st0 $1.x = a0 }\n{ }\n";
  EXPECT_TRUE(check(parsed(head + "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w; a0 = mov p0.w }\n"
                                  "{ p1 = $1; m01 = complex1 c[-1], m0[-1], c[-1], p1.x }\n"))
                  .empty());
  EXPECT_TRUE(check(parsed(head + "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w; p = mov p0.w }\n"
                                  "{ m01 = complex1 c[-1], m0[-1], c[-1], p[-1] }\n"))
                  .empty());
  // -x and another register are not that value.
  EXPECT_EQ(codes(parsed("{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w; a0 = neg p0.w }\n"
                         "{ m01 = complex1 c[-1], m0[-1], c[-1], a0[-1] }\n")),
            Codes{"GP375"});
  // x + 0.0 is another value where x is -0.0, and x + -0.0, which a move is, is not.
  EXPECT_EQ(codes(parsed("{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w; a0 = add p0.w, ident }\n"
                         "{ m01 = complex1 c[-1], m0[-1], c[-1], a0[-1] }\n")),
            Codes{"GP375"});
  EXPECT_EQ(codes(parsed("{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w; a0 = add p0.w, -ident }\n"
                         "{ m01 = complex1 c[-1], m0[-1], c[-1], a0[-1] }\n")),
            Codes{});
  // complex2 of something else.
  EXPECT_EQ(codes(parsed("{ p0 = attr0; m0 = complex2 p0.z, p0.z; c = rcp p0.w }\n"
                         "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.w }\n")),
            Codes{"GP375"});
}

TEST(Check, PartialResultsAreSeenWhereverTheyGo) {
  const std::string begins = "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w";
  const auto misuse = [&](const std::string& text) { return codes(parsed(text)); };
  EXPECT_EQ(misuse(begins + "; st0 v0.x = c }\n"), Codes{"GP371"});
  EXPECT_EQ(misuse(begins + "; st0 $0.x = m0 }\n"), Codes{"GP371"});
  EXPECT_EQ(misuse(begins + " }\n{ c = mov c[-1] }\n"), Codes{"GP371"});
  EXPECT_EQ(misuse(begins + " }\n{ p0 = attr0; a0 = max p0.x, m0[-1] }\n"), Codes{"GP371"});
  EXPECT_EQ(misuse("{ p0 = attr0; p = preexp2 p0.x }\n{ m0 = mov p[-1] }\n"), Codes{"GP371"});
  EXPECT_EQ(misuse("{ p0 = attr0; p = preexp2 p0.x; br 0 }\n"), Codes{"GP371"});
  // log2 before postlog2
  const std::string raw =
      "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = log2 p0.w }\n"
      "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.w }\n{ }\n{ a0 = mov m0[-2] }\n";
  EXPECT_EQ(misuse(raw), Codes{"GP371"});
}

TEST(Check, Complex1IsNotStoredInItsWord) {
  EXPECT_EQ(codes(parsed("{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w }\n"
                         "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.w; st0 v0.x = m0 }\n")),
            Codes{"GP343"});
  EXPECT_EQ(codes(parsed("{ p0 = attr0; m01 = select p0.x ? p0.y : p0.z; st0 v0.x = m1 }\n")), Codes{"GP341"});
}

TEST(Check, ConstantsDecideBranches) {
  // An unconditional branch is followed by another block; $1 is not loaded right after its store.
  const std::string text = store_register + nop_word + "{ ld = u[2]; p = mov ld.x; br 5 }\n" + store_register +
                           nop_word + "{ }\n{ p1 = $1; m0 = mov p1.x }\n";
  EXPECT_EQ(codes(parsed(text)), Codes{"GP355"});
  EXPECT_EQ(codes(parsed(text, with_constant(8, 1))), Codes{"GP313"});
  // Not if the program may overwrite them.
  EXPECT_EQ(codes(parsed(text + store_temporary(), with_constant(8, 1))), Codes{"GP355"});
}

TEST(Check, ConstantsDecideBranchesThroughMoves) {
  const auto skips = [](const std::string& before, const std::string& condition, float value) {
    const std::string text = before + "{ p = mov " + condition + "; br over }\n{ }\nover:\n{ }\n";
    return codes(parsed(text, with_constant(8, value))).contains("GP313");
  };
  const std::string load = "{ ld = u[2]; p = mov ld.x }\n";
  EXPECT_TRUE(skips(load + "{ }\n", "p[-2]", 1));
  EXPECT_FALSE(skips(load + "{ }\n", "p[-2]", 0));
  EXPECT_TRUE(skips(load + "{ a0 = neg p[-1] }\n", "a0[-1]", 1));
  EXPECT_TRUE(skips("{ ld = u[2]; m1 = -mov ld.x }\n{ c = mov m1[-1] }\n", "c[-1]", 2));
  EXPECT_FALSE(skips("{ ld = u[2]; m0 = mul ld.x, ld.x }\n", "m0[-1]", 1)) << "not a move";
  EXPECT_FALSE(skips("{ ld = u[2]; a0 = mov ld.y }\n", "a0[-1]", 1)) << "not a constant";
  EXPECT_FALSE(skips("{ ld = u[2+A1]; a0 = mov ld.x }\n", "a0[-1]", 1)) << "nor at a known address";
  // Two words may be the one before.
  EXPECT_FALSE(skips("{ ld = u[0]; p = mov ld.x; br 2 }\n{ ld = u[2]; p = mov ld.x }\n", "p[-1]", 1));
}

TEST(Check, AddressesOfTemporariesAreComparedWhereKnown) {
  const std::string store = "{ p0 = attr0; ld = u[2]; a0 = mov p0.x; c = setA0 ld.x; st0 t[A0].x = a0 }\n";
  const auto load = [&](const std::string& address, float stored = 40) {
    return parsed(store + "{ ld = u[" + address + "]; a0 = mov ld.x }\n", with_constant(8, stored));
  };
  EXPECT_EQ(codes(load("40")), Codes{"GP352"});
  EXPECT_EQ(codes(load("41")), Codes{});
  EXPECT_EQ(codes(load("40", 40.75F)), Codes{"GP353"}) << "how it is rounded is not known";
  EXPECT_EQ(codes(load("41", 40.75F)), Codes{"GP353"});
  EXPECT_EQ(codes(load("2")), Codes{});
}

TEST(Check, MemoryIsTheProducts) {
  const std::string text = "{ ld = u[304]; a0 = mov ld.x }";
  EXPECT_EQ(codes(parsed(text, {}, "mali450")), Codes{"GP331"});
  EXPECT_EQ(codes(parsed(text, {}, "mali200")), Codes{});
}

TEST(Check, PositionIsWrittenOnEveryPath) {
  const Interface interface = with_names({}, {variable("gl_Position", 3)});
  const std::string whole = "{ p0 = attr0; a0 = mov p0.x; st0 v3.xy = a0, a0; st1 v3.zw = a0, a0 }\n";
  EXPECT_TRUE(check(parsed(branch_to(2) + nop_word + whole, interface)).empty());
  const Diagnostic entry = finding(parsed(branch_to(2) + whole + nop_word, interface));
  EXPECT_THAT(entry.message,
              testing::StartsWith("gl_Position (varying 3) ends without .xyzw on the path 0x0 -> 0x20;"));
}

TEST(Check, StartAndLoopsOfTheFirstWord) {
  // Word 0 is reached from the start and from its branch.
  EXPECT_EQ(codes(parsed("{ a0 = mov p[-1] }\n" + branch_to(0))), Codes{"GP342"});
}

TEST(Check, TheInterfaceSaysWhichVaryingIsThePosition) {
  const std::string text = "{ p0 = attr0; a0 = mov p0.x; st0 v0.xy = a0, a0 }";
  EXPECT_EQ(codes(parsed(text)), Codes{});
  Interface interface = with_names({}, {variable("gl_Position", 1), variable("v", 0)});
  interface.position = 0;
  const Diagnostics found = check(parsed(text, interface));
  ASSERT_EQ(found.size(), 1u) << render(found);
  EXPECT_EQ(found[0].code, "GP385");
  EXPECT_THAT(found[0].message, testing::StartsWith("gl_Position (varying 0) ends without .zw"));
}

TEST(Check, TakesAnyBytesInTheOrderOfAddress) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint8_t> code(random() % 1024);
    for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
    // Branches are rare among random words; make some.
    for (std::size_t at = 0; at + 16 <= code.size(); at += 16) {
      if (random() % 3 != 0) continue;
      code[at + 8] |= 0x60;
      code[at + 14] = static_cast<std::uint8_t>((code[at + 14] & 15) | 13 << 4);
      code[at + 15] = static_cast<std::uint8_t>(random() % 64);
    }
    Program program = program_of(code);
    program.interface =
        with_names({variable("a", 1)}, {variable("gl_Position", static_cast<std::int32_t>(random() % 20))});
    program.interface.prefetch = static_cast<std::uint32_t>(random() % 64);
    program.interface.constants = {{static_cast<std::uint32_t>(random()), 1}};
    std::uint64_t at = 0;
    for (const Diagnostic& entry : check(program)) {
      ASSERT_LE(entry.where.bit_low + entry.where.bit_width, 128u);
      ASSERT_GE(*entry.where.byte_offset, at);
      at = *entry.where.byte_offset;
    }
  }
}

TEST(Check, LooksAtTheWordsTheMachineHolds) {
  std::vector<std::uint8_t> code(std::size_t{1} << 20, 0xFF);
  const Diagnostics all = check(program_of(code));
  for (const Diagnostic& entry : all) EXPECT_LE(*entry.where.byte_offset, max_words * word_bytes);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Diagnostic& entry) { return entry.code == "GP312"; }), 1);
  EXPECT_EQ(codes(program_of(std::vector<std::uint8_t>{})), Codes{"GP312"});
}

/// The symbols of registers change three words after a store, not before and not never.
TEST(Check, ArgumentsThroughRegistersAreThoseThatHaveArrived) {
  const std::string store_w = "{ p0 = attr0; a0 = mov p0.w; st0 $1.x = a0 }\n",
                    store_z = "{ p0 = attr0; a0 = mov p0.z; st0 $1.x = a0 }\n", nothing = "{ }\n",
                    begins = "{ p0 = attr0; m0 = complex2 p0.w, p0.w; c = rcp p0.w }\n",
                    ends = "{ p1 = $1; m01 = complex1 c[-1], m0[-1], c[-1], p1.x }\n";
  EXPECT_EQ(codes(parsed(store_w + nothing + begins + ends)), Codes{});
  EXPECT_EQ(codes(parsed(store_z + nothing + begins + ends)), Codes{"GP375"});
  EXPECT_EQ(codes(parsed(store_w + nothing + nothing + store_z + nothing + begins + ends)), Codes{"GP375"});
  EXPECT_EQ(codes(parsed(store_z + nothing + nothing + store_w + nothing + begins + ends)), Codes{});
}

}  // namespace
}  // namespace mobula::utgard_gp
