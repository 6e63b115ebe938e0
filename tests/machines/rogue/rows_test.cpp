// Every row of the table: it decodes, prints, parses back, explains, checks, and computes its own function, which
// rows_*.cpp say independently of the lifter.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "machines/rogue/check/check.h"
#include "machines/rogue/machine.h"
#include "machines/rogue/text/explain.h"
#include "machines/rogue/text/print_instruction.h"
#include "rows.h"

namespace mobula::rogue {

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
float Sources::f(std::size_t i) const { return flush(number(words[i])); }
Expected real(double x, double tolerance) {
  return {.r8 = bits(flush(static_cast<float>(x))), .is_float = true, .tolerance = tolerance};
}

namespace {

constexpr unsigned row_lanes = 256;

std::vector<std::array<Sources, row_lanes>> row_samples() {
  constexpr std::array<std::uint32_t, 16> extremes{
      0,          0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 1,
      0x807FFFFF, 0x7F7FFFFF, 0xFFFFFFFF, 0x7FFFFFFF, 0x00800000, 0x40490FDB, 0x0000FF80, 0x12345678};
  std::mt19937_64 random(11);
  std::uniform_real_distribution<float> wide(-8, 8), narrow(-1, 1);
  std::vector<std::array<Sources, row_lanes>> all(4);
  for (unsigned lane = 0; lane < row_lanes; ++lane)
    for (unsigned i = 0; i < 6; ++i) {
      const unsigned pick = i == 0 ? lane / 16 : i == 1 ? lane % 16 : lane * 7 + lane / 16 * (i + 3);
      all[0][lane].words[i] = extremes[pick % 16];
      all[1][lane].words[i] = static_cast<std::uint32_t>(random());
      all[2][lane].words[i] = bits(wide(random));
      all[3][lane].words[i] = i % 2 == 0 ? bits(narrow(random)) : static_cast<std::uint32_t>(random() % 70);
    }
  for (auto& batch : all)
    for (Sources& each : batch) each.p0 = random() % 2 != 0;
  return all;
}

bool agrees(std::uint32_t found, std::uint32_t expected, const Expected& how) {
  if (found == expected) return true;
  if (!how.is_float) return false;
  const float x = number(found), y = number(expected);
  if (std::isnan(y)) return std::isnan(x);
  return how.tolerance != 0 && std::isfinite(y) && std::abs(double{x} - y) <= how.tolerance * std::abs(double{y});
}

std::string shown(const Sources& sources) {
  std::string text;
  std::array<char, 16> word{};
  for (const std::uint32_t each : sources.words) text += std::string(word.data(), put_hex(word.data(), each)) + ' ';
  return text + (sources.p0 ? "P0" : "");
}

std::string key_of(const Op& op, Unit unit) {
  static constexpr std::array<std::string_view, unit_count> units{
      "p0", "p1", "pack", "test", "move", "be", "bitmask", "shift1", "count", "logical", "shift2", "btest", "ctrl"};
  const bool is_twin = std::any_of(ops().begin(), ops().end(), [&](const Op& other) {
    return &other != &op && other.name == op.name && other.in(unit) && other.encodable();
  });
  std::string key = std::string(units[static_cast<std::size_t>(unit)]) + ' ' + std::string(op.name);
  if (is_twin) key += ' ' + std::string(op.forms[0]->name);
  return key;
}

/// The rows that the program's groups are made of.
std::set<std::string> rows_of(const Bytes& code) {
  std::set<std::string> keys;
  for (const Group& group : decode(code)) {
    EXPECT_FALSE(group.raw()) << group.problem.text;
    for (const Unit unit : text_order)
      if (const Item& item = group.item(word_of(unit)); item && !group.raw()) {
        const Op* op =
            (unit >= Unit::bitmask && unit <= Unit::bit_test) ? find_op(unit, *item.form, item.bits) : item.op;
        if (op != nullptr && op->in(unit)) keys.insert(key_of(*op, unit));
      }
  }
  return keys;
}

void expect_sound(const Statement& statement, const Bytes& code) {
  EXPECT_TRUE(rows_of(code).contains(statement.row)) << "the program has no such row";
  expect_round_trip(code);
  const Program program = program_of(code);
  const auto words = machine().explain(program);
  EXPECT_FALSE(words.empty());
  for (const ExplainedWord& each : words) EXPECT_FALSE(each.fields.empty()) << each.text;
  for (const Diagnostic& each : check_groups(program))
    EXPECT_NE(each.severity, Severity::error) << each.code << ' ' << each.message;
}

std::vector<Statement> all_statements() {
  std::vector<Statement> all;
  for (auto part : {main_statements, bitwise_statements, backend_statements, control_statements})
    for (Statement& each : part()) all.push_back(std::move(each));
  return all;
}

TEST(Rows, EachComputesItsOwnFunction) {
  for (const Statement& statement : all_statements()) {
    SCOPED_TRACE(statement.row + ": " + statement.text);
    const Bytes code = assemble(statement.text);
    if (code.empty()) continue;  // assemble() has complained
    expect_sound(statement, code);
    try {
      statement.holds(code);
    } catch (const std::exception& failure) {  // the rows that follow are to be tried, too
      ADD_FAILURE() << failure.what();
    }
  }
}

TEST(Rows, EachIsStated) {
  std::set<std::string> stated;
  for (const Statement& each : all_statements()) stated.insert(each.row);
  for (const Op& op : ops()) {
    if (!op.encodable()) continue;
    for (std::size_t i = 0; i < unit_count; ++i) {
      const auto unit = static_cast<Unit>(i);
      // Complex operations are the same in phase 1, where a core has them (CoissueTest).
      if (!op.in(unit) || (unit == Unit::p1 && op.has(drives_w0))) continue;
      EXPECT_TRUE(stated.contains(key_of(op, unit))) << key_of(op, unit) << " has no statement of what it computes";
    }
  }
}

TEST(Rows, OthersAreNamesOnly) {
  // What rogue:model executes of them, text_only_test.cpp compares.
  const std::set<std::string_view> modelled{"f16sop", "sop", "sopmad", "sopmov", "gta"};
  for (const Op& op : ops()) {
    if (op.encodable()) continue;
    const std::string alu = op.in(Unit::control) ? "ctrl" : op.in(Unit::count) ? "bit" : "main";
    EXPECT_NE(errors_of(alu + " { " + std::string(op.name) + " }"), "") << op.name;
    if (!modelled.contains(op.name)) {
      const auto program = parse({"t", "0: " + std::string(op.name)}, "model");
      EXPECT_FALSE(program) << op.name;
    }
  }
}

/// The bytes of a group with each instruction of phase 0 in phase 1, beside a copy.
template <class Visit>
void for_each_moved_to_phase1(Visit visit) {
  for (const Op& op : ops()) {
    if (!op.encodable() || !op.in(Unit::p0) || (op.in(Unit::p1) && !op.has(drives_w0))) continue;
    Values values = default_values;
    for (std::size_t i = 0; i < op.required_count; ++i) at(values, op.required[i].first) = op.required[i].second;
    const Form& form = *shortest_form(op, values);
    Group group =
        decode(assemble("main { s0 = r0; s3 = r1; is5 = ft1; p0: mbyp ft0, s0; p1: mbyp ft1, s3; w1 = r9 }"))[0];
    group.item(Word::p1) = {&form, &op, write(form, values)};
    Bytes code;
    const unsigned content = content_bytes(group);
    encode_content(group, (content + 1) / 2, code);
    append_padding(content, (content + 1) / 2, code);
    visit(op, code);
  }
}

TEST(Rows, SomeStandInPhase0Only) {
  for_each_moved_to_phase1([](const Op& op, const Bytes& code) {
    const bool complex = op.in(Unit::p1);
    EXPECT_THAT(Task(code).run().fault(), testing::HasSubstr(complex ? "is in phase 1, which is an option of some cores"
                                                                     : "an instruction of phase 0 is in phase 1"));
    EXPECT_EQ(codes_of(check_groups(program_of(code))), complex ? "RG007 " : "RG008 ") << op.name;
    EXPECT_THAT(print_code(code), testing::StartsWith(".byte")) << "what the assembler refuses";
    expect_round_trip(code);
    const std::string text = "main { p0: mbyp ft0, r0; p1: " + std::string(op.name) + " w0, r1 }";
    EXPECT_THAT(errors_of(text), testing::StartsWith(complex ? "RG007 " : "RG008 ")) << text;
  });
}

TEST(Rows, TheManualSaysPhase0Only) {
  const Manual manual = rogue::manual();
  std::set<std::string> in_phase1;
  for (const ManualEntry& each : manual.entries)
    if (each.title.find("phase 0 or phase 1") != std::string::npos) in_phase1.insert(each.mnemonic);
  EXPECT_THAT(in_phase1, testing::ElementsAre("fadd", "fdsx", "fdsxf", "fdsy", "fdsyf", "fmad", "fmul", "mbyp"));
}

}  // namespace

Statement computes(std::string row, std::string text, Function function) {
  const auto holds = [function = std::move(function)](const Bytes& code) {
    static const auto samples = row_samples();
    for (const auto& batch : samples) {
      Task task(code, row_lanes);
      const auto of_lane = [&](unsigned i) { return [&batch, i](std::uint32_t lane) { return batch[lane][i]; }; };
      for (unsigned i = 0; i < 6; ++i) task.set("r" + std::to_string(i), of_lane(i));
      task.set("p0", [&](std::uint32_t lane) { return batch[lane].p0 ? ~0u : 0u; }).run();
      EXPECT_EQ(task.fault(), "");
      unsigned wrong = 0;
      for (std::uint32_t lane = 0; lane < row_lanes && wrong < 3; ++lane) {
        const Sources& sources = batch[lane];
        const Expected expected = function(sources);
        if (expected.is_outside) continue;
        const std::uint32_t r8 = task.get("r8", lane), r9 = task.get("r9", lane);
        const bool right = (!expected.r8 || agrees(r8, *expected.r8, expected)) &&
                           (!expected.r9 || r9 == *expected.r9) &&
                           (!expected.p0 || (task.get("p0", lane) != 0) == *expected.p0);
        EXPECT_TRUE(right) << "of " << shown(sources) << std::hex << ": r8 " << r8 << " for " << expected.r8.value_or(0)
                           << ", r9 " << r9 << " for " << expected.r9.value_or(0) << ", P0 " << task.get("p0", lane);
        wrong += right ? 0 : 1;
      }
    }
  };
  return {std::move(row), std::move(text), holds};
}

Statement acts(std::string row, std::string text, std::function<void(Task&)> prepare,
               std::function<void(Task&)> compare, std::uint32_t lanes, Policies policies) {
  const auto holds = [=](const Bytes& code) {
    Task task(code, lanes, policies);
    prepare(task);
    task.run();
    EXPECT_EQ(task.fault(), "");
    compare(task);
  };
  return {std::move(row), std::move(text), holds};
}

Statement stops(std::string row, std::string text, std::string reason) {
  return {std::move(row), std::move(text),
          [reason](const Bytes& code) { EXPECT_THAT(Task(code).run().fault(), testing::HasSubstr(reason)); }};
}

}  // namespace mobula::rogue
