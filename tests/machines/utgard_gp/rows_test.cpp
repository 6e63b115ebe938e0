// Every row of every unit, and every selector: it is written, read, explained and checked, and it computes what a
// statement of its own says, which shares nothing with the lifter. A row without a statement fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "core/listing_pieces.h"
#include "lift_run.h"
#include "machines/utgard_gp/check/check.h"
#include "machines/utgard_gp/machine.h"
#include "machines/utgard_gp/spec/codec.h"
#include "mobula/lab/schedule.h"
#include "programs.h"
#include "trials.h"

namespace mobula::utgard_gp {
namespace {

// ------------------------------------------------------------------------------------------------ what rows compute

std::uint32_t bits_of_number(float value) { return std::bit_cast<std::uint32_t>(value); }
float number_of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Uniform memory holds a number of its own in each component, but for u[0]: b, c, 0, 0.
std::uint32_t remembered(std::int64_t vec4) {
  return vec4 < 0 || vec4 >= 512 ? 0 : bits_of_number(1000.0F + static_cast<float>(vec4));
}

/// attr0 is a, b, c, 1.
struct Inputs {
  std::uint32_t a_bits, b_bits, c_bits;
  [[nodiscard]] float a() const { return number_of_bits(a_bits); }
  [[nodiscard]] float b() const { return number_of_bits(b_bits); }
  [[nodiscard]] float c() const { return number_of_bits(c_bits); }
};

// In double: sums and products of two floats come out as if rounded once.
std::uint32_t rounded(double value) { return bits_of_number(static_cast<float>(value)); }
std::uint32_t truth(bool holds) { return holds ? 0x3F800000 : 0; }

/// Numbers before NaN, and of two zeros the negative one.
float smaller(float x, float y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? y : x;
  return std::signbit(x) == std::signbit(y) || x != y ? std::fmin(x, y) : -0.0F;
}
float larger(float x, float y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? y : x;
  return std::signbit(x) == std::signbit(y) || x != y ? std::fmax(x, y) : 0.0F;
}

/// The integer that an address register takes: the next lower one; 0 for NaN, the nearest for what is too large.
std::int64_t address(float x) {
  if (std::isnan(x)) return 0;
  constexpr double lowest = std::numeric_limits<std::int32_t>::min(),
                   highest = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int64_t>(std::clamp(std::floor(double{x}), lowest, highest));
}
std::uint32_t loaded_at_a(const Inputs& in) {
  const std::int64_t vec4 = 4 + address(in.a());
  return vec4 == 0 ? in.b_bits : remembered(vec4);
}
std::uint32_t stored_at_a(const Inputs& in) { return address(in.a()) == 2 ? in.b_bits : remembered(2); }
std::uint32_t a_itself(const Inputs& in) { return in.a_bits; }
std::uint32_t exponential(const Inputs& in) { return rounded(std::exp2(double{in.a()})); }
std::uint32_t logarithm(const Inputs& in) { return rounded(std::log2(double{in.a()})); }
std::uint32_t inverse_root(const Inputs& in) { return rounded(1 / std::sqrt(double{in.a()})); }
std::uint32_t inverse(const Inputs& in) { return rounded(1 / double{in.a()}); }
std::uint32_t product(const Inputs& in) { return rounded(double{in.a()} * double{in.b()}); }

// Sequences of functions, whose steps mean nothing alone.
constexpr std::string_view exp2_of_a =
    "{ p0 = attr0; p = preexp2 p0.x }\n{ c = exp2 p[-1]; m0 = complex2 p[-1], p[-1] }\n"
    "{ m01 = complex1 c[-1], m0[-1], c[-1], p[-2] }\n{ }\n{ a0 = mov m0[-2]; st0 v0.x = a0 }\n";
constexpr std::string_view log2_of_a =
    "{ p0 = attr0; c = log2 p0.x; m0 = complex2 p0.x, p0.x }\n"
    "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.x }\n{ }\n{ p = postlog2 m0[-2]; st0 v0.x = p }\n";
constexpr std::string_view rsqrt_of_a =
    "{ p0 = attr0; c = rsqrt p0.x; m0 = complex2 p0.x, p0.x }\n"
    "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.x }\n{ }\n{ a0 = mov m0[-2]; st0 v0.x = a0 }\n";
constexpr std::string_view rcp_of_a =
    "{ p0 = attr0; c = rcp p0.x; m0 = complex2 p0.x, p0.x }\n"
    "{ p0 = attr0; m01 = complex1 c[-1], m0[-1], c[-1], p0.x }\n{ }\n{ a0 = mov m0[-2]; st0 v0.x = a0 }\n";

/// What the row `name` of a unit computes: what stands in v0.x after the program.
struct Statement {
  std::string_view unit, name, program;
  std::uint32_t (*computes)(const Inputs&);
  bool copies = false;  ///< NaNs come out as they went in
};
constexpr Statement statements[] = {
    {"mul", "mul", "{ p0 = attr0; m0 = mul p0.x, p0.y; st0 v0.x = m0 }", product},
    {"mul", "mul", "{ p0 = attr0; m1 = -mul p0.x, p0.y; st0 v0.x = m1 }",
     [](const Inputs& in) { return product(in) ^ 0x80000000; }},
    {"mul", "mul", "{ p0 = attr0; m0 = mov p0.x; st0 v0.x = m0 }", a_itself, true},
    {"mul", "complex1", rcp_of_a, inverse},
    {"mul", "complex1", exp2_of_a, exponential},
    {"mul", "complex2", rsqrt_of_a, inverse_root},
    {"mul", "complex2", "{ p0 = attr0; m0 = complex2 p0.z, p0.z; m1 = mul p0.x, p0.y; st0 v0.x = m1 }", product},
    {"mul", "select", "{ p0 = attr0; m01 = select p0.x ? p0.y : p0.z; st0 v0.x = m0 }",
     [](const Inputs& in) { return in.a() != 0 ? in.b_bits : in.c_bits; }, true},
    {"acc", "add", "{ p0 = attr0; a0 = add p0.x, p0.y; st0 v0.x = a0 }",
     [](const Inputs& in) { return rounded(double{in.a()} + double{in.b()}); }},
    {"acc", "add", "{ p0 = attr0; a1 = add p0.x, -p0.y; st0 v0.x = a1 }",
     [](const Inputs& in) { return rounded(double{in.a()} - double{in.b()}); }},
    {"acc", "add", "{ p0 = attr0; a0 = add p0.x, ident; st0 v0.x = a0 }",
     [](const Inputs& in) { return rounded(double{in.a()} + 0.0); }},
    {"acc", "add", "{ p0 = attr0; a0 = mov p0.x; st0 v0.x = a0 }", a_itself, true},
    {"acc", "floor", "{ p0 = attr0; a0 = floor p0.x; st0 v0.x = a0 }",
     [](const Inputs& in) { return rounded(std::floor(double{in.a()})); }},
    {"acc", "sign", "{ p0 = attr0; a1 = sign p0.x; st0 v0.x = a1 }",
     [](const Inputs& in) { return in.a() > 0   ? 0x3F800000
                                   : in.a() < 0 ? 0xBF800000
                                                : 0; }},
    {"acc", "ge", "{ p0 = attr0; a0 = ge p0.x, p0.y; st0 v0.x = a0 }",
     [](const Inputs& in) { return truth(in.a() >= in.b()); }},
    {"acc", "lt", "{ p0 = attr0; a0 = lt p0.x, p0.y; st0 v0.x = a0 }",
     [](const Inputs& in) { return truth(in.a() < in.b()); }},
    {"acc", "lt", "{ p0 = attr0; a1 = lt -p0.x, p0.y; st0 v0.x = a1 }",
     [](const Inputs& in) { return truth(-in.a() < in.b()); }},
    {"acc", "min", "{ p0 = attr0; a0 = min p0.x, p0.y; st0 v0.x = a0 }",
     [](const Inputs& in) { return bits_of_number(smaller(in.a(), in.b())); }},
    {"acc", "max", "{ p0 = attr0; a0 = max p0.x, p0.y; st0 v0.x = a0 }",
     [](const Inputs& in) { return bits_of_number(larger(in.a(), in.b())); }},
    {"cplx", "nop", "{ p0 = attr0; a0 = mov p0.x; st0 v0.x = a0 }", a_itself, true},  // nothing comes of it
    {"cplx", "exp2", exp2_of_a, exponential},
    {"cplx", "log2", log2_of_a, logarithm},
    {"cplx", "rsqrt", rsqrt_of_a, inverse_root},
    {"cplx", "rcp", rcp_of_a, inverse},
    {"cplx", "mov", "{ p0 = attr0; c = mov p0.x; st0 v0.x = c }", a_itself, true},
    {"cplx", "setA01",
     "{ p0 = attr0; p = mov p0.x; c = setA01 p0.w; a0 = mov p0.y; st0 t[A0].x = a0 }\n{ }\n{ }\n{ }\n"
     "{ ld = u[2]; a0 = mov ld.x; st0 v0.x = a0 }",
     stored_at_a, true},
    {"cplx", "setA01",
     "{ p0 = attr0; p = mov p0.x; c = setA01 p0.w }\n{ }\n{ }\n{ }\n{ ld = u[4+A1]; a0 = mov ld.x; st0 v0.x = a0 }",
     loaded_at_a, true},
    {"cplx", "setA0",
     "{ p0 = attr0; c = setA0 p0.x; a0 = mov p0.y; st0 t[A0].x = a0 }\n{ }\n{ }\n{ }\n"
     "{ ld = u[2]; a0 = mov ld.x; st0 v0.x = a0 }",
     stored_at_a, true},
    {"cplx", "setA1", "{ p0 = attr0; c = setA1 p0.x }\n{ }\n{ }\n{ }\n{ ld = u[4+A1]; a0 = mov ld.x; st0 v0.x = a0 }",
     loaded_at_a, true},
    {"cplx", "setA2", "{ p0 = attr0; c = setA2 p0.x }\n{ }\n{ }\n{ }\n{ ld = u[4+A2]; a0 = mov ld.x; st0 v0.x = a0 }",
     loaded_at_a, true},
    {"cplx", "setA3", "{ p0 = attr0; c = setA3 p0.x }\n{ }\n{ }\n{ }\n{ ld = u[4+A3]; a0 = mov ld.x; st0 v0.x = a0 }",
     loaded_at_a, true},
    {"cplx", "setA3", "{ p0 = attr0; c = setA3 p0.x; st0 v0.x = c }", a_itself, true},
    {"pass", "mov", "{ p0 = attr0; p = mov p0.x; st0 v0.x = p }", a_itself, true},
    {"pass", "preexp2", exp2_of_a, exponential},
    {"pass", "postlog2", log2_of_a, logarithm},
    {"pass", "clamp", "{ p0 = attr0; ld = u[0]; p = clamp p0.x; st0 v0.x = p }",
     [](const Inputs& in) { return bits_of_number(smaller(larger(in.a(), in.b()), in.c())); }},
};

// ------------------------------------------------------------------------------------------------ rows

struct Row {
  std::string_view unit;
  const Field* field;
  unsigned opcode;
  std::string_view name;  ///< empty if nobody knows what it does
  std::vector<const Field*> operands;
  std::vector<Unit> units;

  /// True if a word asks for the row and a unit does it.
  [[nodiscard]] bool is_in(const Word128& word) const {
    if (get(word, *field) != opcode) return false;
    return name == "nop" || std::any_of(units.begin(), units.end(), [&](Unit each) { return is_active(word, each); });
  }
};
std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.unit << ' ' << row.opcode << ' ' << row.name;
}

template <class Table>
void append_rows(const Table& table, Row row, std::vector<Row>& rows) {
  for (row.opcode = 0; row.opcode < table.size(); ++row.opcode) {
    row.name = table[row.opcode].name;
    rows.push_back(row);
  }
}
std::vector<Row> all_rows() {
  std::vector<Row> rows;
  append_rows(mul_ops,
              {.unit = "mul",
               .field = &word::mul_op,
               .operands = {&word::mul0_a, &word::mul0_b, &word::mul1_a, &word::mul1_b},
               .units = {Unit::mul0, Unit::mul1}},
              rows);
  append_rows(acc_ops,
              {.unit = "acc",
               .field = &word::acc_op,
               .operands = {&word::acc0_a, &word::acc0_b},
               .units = {Unit::acc0, Unit::acc1}},
              rows);
  append_rows(cplx_ops,
              {.unit = "cplx", .field = &word::cplx_op, .operands = {&word::cplx_in}, .units = {Unit::complex}}, rows);
  append_rows(pass_ops, {.unit = "pass", .field = &word::pass_op, .operands = {&word::pass_in}, .units = {Unit::pass}},
              rows);
  return rows;
}

std::vector<const Statement*> statements_of(const Row& row) {
  std::vector<const Statement*> all;
  for (const Statement& each : statements)
    if (each.unit == row.unit && each.name == row.name) all.push_back(&each);
  return all;
}

std::vector<Word128> words_of(const std::vector<std::uint8_t>& code) {
  std::vector<Word128> words;
  for (std::uint32_t i = 0; i < word_count(code); ++i) words.push_back(load_word(code, i));
  return words;
}

/// One word that asks for the row and stores what comes of it.
std::vector<std::uint8_t> word_with(const Row& row) {
  Word128 word = nop;
  set(word, word::port0_attr, 1);
  set(word, *row.field, row.opcode);
  for (const Field* operand : row.operands) set(word, *operand, 0);
  set(word, word::st0_x, store_selector(row.units.front()));
  set(word, word::st0_var, 1);
  std::vector<std::uint8_t> code;
  append_word(word, code);
  return code;
}

std::string printed(const std::vector<std::uint8_t>& code) {
  const Program program = program_of(code);
  return joined(in_pieces(program, print(program), {})).text;
}

// ------------------------------------------------------------------------------------------------ values

std::vector<Inputs> good_inputs() {
  constexpr std::uint32_t special[] = {0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0800000,
                                       0x402CCCCD, 0xBF000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FA00001,
                                       0xFFC12345, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF};
  std::vector<Inputs> all;
  constexpr std::size_t count = std::size(special);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < count; ++k)
      all.push_back({special[i], special[k], special[(7 * i + 5 * k + 3) % count]});
  std::mt19937 random(1);
  const auto small = [&] { return bits_of_number(static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 64); };
  for (unsigned i = 0; i < test::trials(100); ++i) {
    all.push_back({static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
                   static_cast<std::uint32_t>(random())});
    all.push_back({small(), small(), small()});
  }
  return all;
}

bool is_nan(std::uint32_t bits) { return std::isnan(number_of_bits(bits)); }

void expect_computes(const std::vector<std::uint8_t>& code, const Statement& statement, Engine engine) {
  static const std::vector<Inputs> inputs = good_inputs();
  VertexRun run(code, {}, {.engine = engine});
  for (const Inputs& in : inputs) {
    run.environment.stores.clear();
    run.environment.attributes[0] = {in.a_bits, in.b_bits, in.c_bits, 0x3F800000};
    for (unsigned vec4 = 0; vec4 < 512; ++vec4) run.environment.memory[vec4].fill(remembered(vec4));
    run.environment.memory[0] = {in.b_bits, in.c_bits, 0, 0};
    run.run();
    ASSERT_EQ(run.environment.stores.size(), 1u) << printed(code);
    const std::uint32_t expected = statement.computes(in), got = bits_of_number(run.environment.stores[0].value);
    const bool equal = got == expected || (!statement.copies && is_nan(got) && is_nan(expected));
    ASSERT_TRUE(equal) << statement.unit << ' ' << statement.name << " of " << in.a() << ", " << in.b() << ", "
                       << in.c() << " is " << number_of_bits(got) << ", not " << number_of_bits(expected) << '\n'
                       << printed(code);
  }
}

// ------------------------------------------------------------------------------------------------ tests

TEST(Rows, EveryStatementIsOfARow) {
  for (const Statement& statement : statements) {
    unsigned rows = 0;
    for (const Row& row : all_rows()) rows += row.unit == statement.unit && row.name == statement.name ? 1 : 0;
    EXPECT_EQ(rows, 1u) << statement.unit << ' ' << statement.name;
  }
}

TEST(Rows, EveryRowComputesItsFunction) {
  for (const Row& row : all_rows()) {
    if (row.name.empty()) continue;
    const std::vector<const Statement*> said = statements_of(row);
    EXPECT_FALSE(said.empty()) << row << ": nothing says what it computes";
    for (const Statement* statement : said) {
      const std::vector<std::uint8_t> code = assemble(statement->program);
      const std::vector<Word128> words = words_of(code);
      EXPECT_TRUE(std::any_of(words.begin(), words.end(), [&](const Word128& each) { return row.is_in(each); }))
          << row << " is not in\n"
          << statement->program;
      expect_computes(code, *statement, Engine::reference);
      expect_computes(code, *statement, Engine::simd);
    }
  }
}

TEST(Rows, EveryRowComputesItsFunctionWhenScheduled) {
  for (const Statement& statement : statements) {
    Statement loose = statement;
    loose.copies = false;  // how NaNs travel is not kept
    const auto scheduled = schedule(program_of(assemble(statement.program)), {.effort = 1, .exact = 0, .vertices = 4});
    if (!scheduled) {  // a row that the scheduler has no value for is refused
      EXPECT_THAT(render(scheduled.error()), testing::HasSubstr("no value represents")) << statement.program;
      continue;
    }
    expect_computes(scheduled->program.code, loose, Engine::simd);
  }
}

TEST(Rows, EveryRowIsWrittenReadExplainedAndChecked) {
  for (const Row& row : all_rows()) {
    std::vector<std::vector<std::uint8_t>> programs;
    for (const Statement* statement : statements_of(row)) programs.push_back(assemble(statement->program));
    if (row.name.empty()) programs.push_back(word_with(row));
    for (const std::vector<std::uint8_t>& code : programs) {
      EXPECT_EQ(assemble(printed(code)), code) << row;
      const std::vector<Word128> words = words_of(code);
      const std::vector<ExplainedWord> explained = machine().explain(program_of(code));
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (!row.is_in(words[i])) continue;
        if (row.name != "nop") {
          const std::string name = row.name.empty() ? "op" + std::to_string(row.opcode) : std::string(row.name);
          const bool is_move = explained[i].text.find("mov ") != std::string::npos;
          EXPECT_TRUE(explained[i].text.find(name) != std::string::npos || is_move) << row << explained[i].text;
        }
        for (const ExplainedField& field : explained[i].fields) {
          if (field.name != row.field->name) continue;
          if (row.name.empty())
            EXPECT_EQ(field.status, Status::unknown) << row;
          else
            EXPECT_THAT(field.meaning, testing::HasSubstr(": " + std::string(row.name))) << row;
        }
      }
      std::vector<std::string> found;
      for (const Diagnostic& entry : check(program_of(code))) {
        EXPECT_NE(entry.severity, Severity::error) << row << entry.code << entry.message;
        found.push_back(entry.code);
      }
      EXPECT_EQ(std::count(found.begin(), found.end(), "GP317"), row.name.empty() ? 1 : 0) << row;
    }
  }
}

// Nobody knows what they do, so that they stop the thread.
TEST(Rows, UnknownRowsTrap) {
  unsigned unknown = 0;
  for (const Row& row : all_rows()) {
    if (!row.name.empty()) continue;
    ++unknown;
    VertexRun run(word_with(row));
    run.run();
    ASSERT_EQ(run.faults.size(), 1u) << row;
    EXPECT_EQ(run.faults[0].reason, std::string(row.unit) + ".op " + std::to_string(row.opcode) + " is unknown");
    EXPECT_TRUE(run.environment.stores.empty()) << row;
    EXPECT_FALSE(schedule(program_of(word_with(row)), {.effort = 1, .exact = 0, .vertices = 4})) << row;
  }
  EXPECT_GT(unknown, 0u);
}

// ------------------------------------------------------------------------------------------------ selectors

constexpr float attribute_value(unsigned number, unsigned component) {
  return static_cast<float>(100 + 4 * number + component);
}
constexpr float register_value(unsigned component) { return static_cast<float>(200 + component); }
constexpr float uniform_value(unsigned vec4, unsigned component) {
  return static_cast<float>(300 + 4 * vec4 + component);
}

VertexRun prepared(const std::vector<std::uint8_t>& code) {
  VertexRun run(code);
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned c = 0; c < 4; ++c) {
      run.environment.attributes[i][c] = bits_of_number(attribute_value(i, c));
      run.environment.memory[i][c] = bits_of_number(uniform_value(i, c));
      run.slots["$3." + std::string(1, "xyzw"[c])] = bits_of_number(register_value(c));
    }
  run.run();
  return run;
}

/// Every unit moves a value of its own: attribute `i` in a0 a1 m0 m1, x and y of u[i] in p and c.
std::string busy_word(unsigned i, const std::string& more = "") {
  const std::string number = std::to_string(i);
  return "{ p0 = attr" + number + "; ld = u[" + number +
         "]; m0 = mov p0.z; m1 = mov p0.w; a0 = mov p0.x; a1 = mov p0.y; c = mov ld.y; p = mov ld.x" + more + " }\n";
}

TEST(Rows, EverySourceSelectorReadsWhatItNames) {
  const auto attribute = attribute_value;
  const auto uniform = uniform_value;
  const std::map<unsigned, float> expected{
      {0, attribute(2, 0)},   {1, attribute(2, 1)},   {2, attribute(2, 2)},   {3, attribute(2, 3)},
      {4, register_value(0)}, {5, register_value(1)}, {6, register_value(2)}, {7, register_value(3)},
      {12, uniform(2, 0)},    {13, uniform(2, 1)},    {14, uniform(2, 2)},    {15, uniform(2, 3)},
      {16, attribute(1, 0)},  {17, attribute(1, 1)},  {18, attribute(1, 2)},  {19, attribute(1, 3)},
      {20, uniform(1, 0)},    {22, uniform(1, 1)},    {23, uniform(0, 0)},    {24, attribute(0, 0)},
      {25, attribute(0, 1)},  {26, attribute(0, 2)},  {27, attribute(0, 3)},  {28, attribute(1, 0)},
      {29, attribute(1, 1)},  {30, attribute(1, 2)},  {31, attribute(1, 3)}};
  for (unsigned selector = 0; selector < selectors.size(); ++selector) {
    std::vector<std::uint8_t> code = assemble(busy_word(0) + busy_word(1));
    Word128 word = words_of(assemble("{ p0 = attr2; p1 = $3; ld = u[2]; m0 = mov p0.x; st0 v0.x = m0 }")).front();
    set(word, word::mul0_a, selector);
    append_word(word, code);
    EXPECT_EQ(assemble(printed(code)), code) << selector;
    const VertexRun run = prepared(code);
    const auto value = expected.find(selector);
    if (value != expected.end()) {
      EXPECT_TRUE(run.faults.empty()) << selector;
      EXPECT_EQ(run.varying(0)[0], value->second) << selector;
    } else if (selector == 21) {  // the unit is idle
      EXPECT_TRUE(std::isnan(run.varying(0)[0]));
    } else {
      ASSERT_EQ(run.faults.size(), 1u) << selector;
      EXPECT_THAT(run.faults[0].reason, testing::HasSubstr("source selector " + std::to_string(selector)));
    }
  }
}

TEST(Rows, EveryStoreSelectorTakesTheResultItNames) {
  const std::map<unsigned, float> expected{{0, attribute_value(1, 0)}, {1, attribute_value(1, 1)},
                                           {2, attribute_value(1, 2)}, {3, attribute_value(1, 3)},
                                           {4, uniform_value(1, 0)},   {6, uniform_value(1, 1)}};
  const Field* const places[4] = {&word::st0_x, &word::st0_y, &word::st1_z, &word::st1_w};
  for (unsigned component = 0; component < 4; ++component)
    for (unsigned selector = 0; selector < 8; ++selector) {
      Word128 word = words_of(assemble(busy_word(1))).front();
      set(word, component < 2 ? word::st0_var : word::st1_var, 1);
      set(word, *places[component], selector);
      std::vector<std::uint8_t> code;
      append_word(word, code);
      EXPECT_EQ(assemble(printed(code)), code) << selector;
      const VertexRun run = prepared(code);
      const auto value = expected.find(selector);
      EXPECT_EQ(run.environment.stores.size(), value != expected.end() ? 1u : 0u) << selector;
      EXPECT_EQ(run.faults.size(), selector == 5 ? 1u : 0u) << selector;
      if (value == expected.end()) continue;
      EXPECT_EQ(run.varying(0)[component], value->second) << selector;
    }
}

TEST(Rows, OffsetsThatNothingSetsTrap) {
  for (unsigned offset = 0; offset < 8; ++offset) {
    Word128 word = words_of(assemble("{ ld = u[2]; a0 = mov ld.x; st0 v0.x = a0 }")).front();
    set(word, word::ld_off, offset);
    std::vector<std::uint8_t> code;
    append_word(word, code);
    const bool known = (offset >= 1 && offset <= 3) || offset == 7;
    EXPECT_EQ(prepared(code).faults.size(), known ? 0u : 1u) << offset;
  }
}

TEST(Rows, ABranchIsTakenIfItsConditionIsNotZero) {
  VertexRun run(assemble("{ p0 = attr0; p = mov p0.x; br 2 }\n{ p0 = attr0; a0 = mov p0.x; st0 v0.x = a0 }\n{ }\n"));
  for (const Inputs& in : good_inputs()) {
    run.environment.stores.clear();
    run.environment.attributes[0] = {in.a_bits, 0, 0, 0};
    run.run();
    EXPECT_EQ(run.environment.stores.empty(), in.a() != 0) << in.a();
  }
}

}  // namespace
}  // namespace mobula::utgard_gp
