#include "machines/utgard_gp/text/explain.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/explain.h"
#include "core/listing_pieces.h"
#include "machines/utgard_gp/check/check.h"
#include "machines/utgard_gp/spec/names.h"
#include "machines/utgard_gp/text/print.h"
#include "machines/utgard_gp/text/tokens.h"

namespace mobula::utgard_gp {
namespace {

// ------------------------------------------------------------------------------------------------ fields of a word

/// What the fields of one word mean in it, beyond what the table says about their values alone.
class WordExplainer {
 public:
  WordExplainer(const Word128& word, const Names& names) : word_(word), names_(names) {}

  [[nodiscard]] std::vector<ExplainedField> fields() const {
    std::vector<ExplainedField> result;
    result.reserve(word::format.fields.size());
    for (const Field* field : word::format.fields) {
      ExplainedField& row = result.emplace_back(explain_field(word::format, *field, get(word_, *field)));
      row.meaning += remark(*field);
      if (const Fact fact = fact_of_value(*field); !fact.source.empty()) {
        row.status = fact.status;
        row.source = fact.source;
      }
    }
    return result;
  }

 private:
  [[nodiscard]] unsigned value(const Field& field) const { return static_cast<unsigned>(get(word_, field)); }

  static std::string named(const std::string& text, std::string_view name) {
    return name.empty() ? text : text + " (" + std::string(name) + ')';
  }
  [[nodiscard]] std::string attribute() const {
    const unsigned number = value(word::port0_index);
    return named("attribute " + std::to_string(number), names_.attribute(number));
  }
  [[nodiscard]] std::string port0() const {
    return value(word::port0_attr) != 0 ? attribute() : "register " + std::to_string(value(word::port0_index));
  }
  [[nodiscard]] std::string load() const {
    const unsigned address = value(word::ld_addr);
    return named("u[" + std::to_string(address) + "]", names_.uniform(address));
  }

  /// Empty, or text that begins with a separator.
  [[nodiscard]] std::string remark(const Field& field) const {
    for (const OperandField& operand : operand_fields)
      if (operand.field == &field) return operand_remark(operand);
    if (&field == &word::port0_index) return ": " + port0();
    if (&field == &word::port1_index) return ": register " + std::to_string(value(field));
    if (&field == &word::ld_addr) return ": " + load();
    if (&field == &word::st0_index) return store_remark(0);
    if (&field == &word::st1_index) return store_remark(1);
    if (&field == &word::branch_target)
      return is_branch(word_) ? ": word " + std::to_string(branch_target(word_)) : "; this word does not branch";
    return {};
  }

  [[nodiscard]] std::string operand_remark(const OperandField& operand) const {
    const Selector& row = selectors[value(*operand.field)];
    if (row.source == Source::unused) return {};
    if (!is_live(word_, operand)) return "; not read";
    if (row.source == Source::port0) return " = " + port0() + '.' + component_letters[row.component];
    if (row.source == Source::port1)
      return " = register " + std::to_string(value(word::port1_index)) + '.' + component_letters[row.component];
    if (row.source == Source::load && value(word::ld_off) == no_offset)
      return " = " + load() + '.' + component_letters[row.component];
    return {};
  }

  [[nodiscard]] std::string store_remark(unsigned half) const {
    const StoreHalf store = store_half(word_, half);
    switch (store.kind) {
      case StoreKind::none:
        return "; nothing is stored";
      case StoreKind::temporary:
        return "; A0 is the address of a temporary";
      case StoreKind::reg:
        return ": register " + std::to_string(store.index);
      case StoreKind::varying:
        return named(": varying " + std::to_string(store.index), names_.varying(store.index));
    }
    return {};
  }

  /// How well the value is known where that is not what is known of the field; no source if it is.
  [[nodiscard]] Fact fact_of_value(const Field& field) const {
    if (&field == &word::mul_op) return mul_operation(word_).fact;
    if (&field == &word::acc_op) return acc_operation(word_).fact;
    if (&field == &word::cplx_op) return cplx_operation(word_).fact;
    if (&field == &word::pass_op) return pass_operation(word_).fact;
    const bool is_operand = std::any_of(operand_fields.begin(), operand_fields.end(),
                                        [&](const OperandField& operand) { return operand.field == &field; });
    const bool is_stored =
        &field == &word::st0_x || &field == &word::st0_y || &field == &word::st1_z || &field == &word::st1_w;
    const bool is_unknown = (is_operand && selectors[value(field)].source == Source::unknown) ||
                            (is_stored && value(field) == store_unknown) ||
                            (&field == &word::ld_off && value(field) == 0);
    return is_unknown ? Fact{Status::unknown, "11"} : Fact{};
  }

  const Word128& word_;
  const Names& names_;
};

// ------------------------------------------------------------------------------------------------ manual

/// One table of opcodes and what its entries have in common.
struct Table {
  const Field& field;
  std::string_view unit;     ///< in the founding document's formulas
  std::string_view unknown;  ///< prefix of opcodes without a name
  std::string_view title;
  std::string_view body;
};
constexpr Table mul_table{
    word::mul_op, "mul", unknown_mul, "multipliers",
    "One operation for both multipliers; results are readable one word later as m0[-1], m1[-1] and "
    "two words later as m0[-2], m1[-2], and storable in this word. A negation is of the result.\n"};
constexpr Table wide_table{word::mul_op, "mul", unknown_mul, "both multipliers together",
                           "Takes the operands of both multipliers, m01 = ...; m1 has no result of its own.\n"};
constexpr Table acc_table{
    word::acc_op, "acc", unknown_acc, "adders",
    "One operation for both adders, a0 = ... and a1 = ...; results are readable one word later as "
    "a0[-1], a1[-1] and two words later as a0[-2], a1[-2], and storable in this word. Each operand "
    "may be negated.\n"};
constexpr Table cplx_table{
    word::cplx_op, "complex", unknown_cplx, "complex unit",
    "c = ...; the result is readable one word later as c[-1], except by b operands, and storable in "
    "this word.\n"};
constexpr Table pass_table{word::pass_op, "pass", unknown_pass, "pass unit",
                           "p = ...; the result is readable one word later as p[-1] and two words later as p[-2], and "
                           "storable in this word.\n"};

/// The opcode alone and as in "pass.op4", and what documents call it.
std::vector<std::string> names_of(const Table& table, std::string_view called, unsigned opcode) {
  const std::string number = std::to_string(opcode);
  std::vector<std::string> names{number, std::string(table.unit) + ".op" + number};
  while (!called.empty()) {
    const std::size_t end = std::min(called.find(' '), called.size());
    names.emplace_back(called.substr(0, end));
    called.remove_prefix(std::min(end + 1, called.size()));
  }
  return names;
}

template <class Does>
void add_entry(const Table& table, const Operation<Does>& row, unsigned opcode, Manual& manual) {
  const bool known = row.does != Does::unknown;
  ManualEntry entry;
  entry.mnemonic = known ? std::string(row.name) : std::string(table.unknown) + std::to_string(opcode);
  entry.title = std::string(table.field.name) + ' ' + std::to_string(opcode) + ", " + std::string(table.title);
  entry.body = std::string(row.meaning) + '\n';
  if (known) entry.body.append(row.wording.usage).append(table.body);
  entry.status = row.fact.status;
  entry.source = row.fact.source;
  entry.names = names_of(table, row.wording.called, opcode);
  if (known) entry.names.push_back(std::string(table.unit) + '.' + entry.mnemonic);
  manual.entries.push_back(std::move(entry));
}

/// Where operands and stores come from.
void add_selectors(Manual& manual) {
  const auto add = [&](const FieldValue& row, std::string_view kind, std::string_view section) {
    const bool known = row.meaning != "unknown";
    manual.entries.push_back({.mnemonic = std::string(row.name),
                              .title = std::string(kind) + ' ' + std::to_string(row.value),
                              .body = std::string(row.meaning) + ".\n",
                              .status = known ? Status::seed : Status::unknown,
                              .source = std::string(known ? section : "11"),
                              .names = {std::to_string(row.value)},
                              .in_words = false});
  };
  constexpr std::string_view operand = "operand selector";
  for (const FieldValue& row : value::source) {
    add(row, operand, "2.2");
    ManualEntry& entry = manual.entries.back();
    if (row.value == selector_perhaps_unused)
      entry.body += "In idle fields of one program; policy selector8 says what it gives elsewhere.\n";
    if (row.value == selector_unused) entry.names.emplace_back("nop");
  }
  const FieldValue& identity = value::source_b[selector_identity];
  add(identity, std::string(operand) + " of b", "2.2");
  manual.entries.back().names.emplace_back("identity");
  for (const FieldValue& row : value::stored) add(row, "store selector", "2.4");
}

/// What words do beside the units' operations.
void add_loads_and_stores(Manual& manual) {
  struct Row {
    std::string_view mnemonic, title, body;
    Status status;
    std::string_view source;
  };
  static constexpr Row rows[] = {
      {"p0", "load port 0",
       "p0 = attrN or p0 = $N: a vec4 readable in this word as p0.x to p0.w and in the next as p0[-1].x to p0[-1].w.\n",
       Status::driver, "2.2"},
      {"p1", "load port 1", "p1 = $N: a vec4 readable in this word as p1.x to p1.w.\n", Status::driver, "2.2"},
      {"ld", "memory load",
       "ld = u[N] or ld = u[N+A1]: a vec4 of uniforms or temporaries, readable in this word as ld.x to ld.w.\n",
       Status::seed, "2.3"},
      {"st0", "store of x and y",
       "st0 $N.xy = a0, a1: results of this word's units to a register (readable by loads three words later), a "
       "varying (vN) or a temporary (t[A0], four words later).\n",
       Status::driver, "2.4"},
      {"st1", "store of z and w", "st1 v0.zw = a0, a1: as st0, to a destination of its own.\n", Status::driver, "2.4"},
      {"br", "branch",
       "br N: to word N if this word's pass result is true; there is no delay slot. The program ends after its last "
       "word.\n",
       Status::driver, "2.5"},
  };
  for (const Row& row : rows)
    manual.entries.push_back({.mnemonic = std::string(row.mnemonic),
                              .title = std::string(row.title),
                              .body = std::string(row.body),
                              .status = row.status,
                              .source = std::string(row.source)});
}

}  // namespace

void explain_each(const Program& program, const ExplainedWordSink& each) {
  const Names names(program.interface);
  const Diagnostics findings = check_words(program);
  std::size_t finding = 0;
  const auto take_findings = [&](ExplainedWord& word) {
    const std::uint64_t end = word.byte_offset + word.byte_length;
    for (; finding < findings.size() && findings[finding].where.byte_offset.value_or(0) < end; ++finding)
      word.diagnostics.push_back(findings[finding]);
  };
  for_each_word(in_pieces(program, print(program), {.words = true}),
                [&](const Listing::Word& line, std::string_view text) {
                  ExplainedWord word{.byte_offset = line.byte_offset,
                                     .byte_length = line.byte_length,
                                     .text = std::string(text),
                                     .fields = {},
                                     .diagnostics = {}};
                  const auto index = static_cast<std::uint32_t>(line.byte_offset / word_bytes);
                  word.fields = WordExplainer(load_word(program.code, index), names).fields();
                  take_findings(word);
                  each(std::move(word));
                });
  const std::size_t rest = program.code.size() % word_bytes;
  if (rest == 0) return;
  TextBuffer text;
  print_rest(program, text);
  ExplainedWord word{.byte_offset = program.code.size() - rest,
                     .byte_length = static_cast<std::uint32_t>(rest),
                     .text = text.take(),
                     .fields = {},
                     .diagnostics = {}};
  take_findings(word);
  each(std::move(word));
}

namespace {

/// What words read and write, as the text names it with a number after it.
constexpr std::array<std::array<std::string_view, 2>, 8> operand_names{{
    {"attr", "an attribute of the vertex, which port 0 loads"},
    {"$", "a register, four components"},
    {"u", "a vec4 of uniform memory, with an address register added where one stands beside it"},
    {"t", "a vec4 of temporary memory"},
    {"v", "a varying, which st0 and st1 store"},
    {"m", "a multiplier: its result in this word, of one word before with [-1], of two words before with [-2]"},
    {"a", "an adder: its result in this word, of one word before with [-1], of two words before with [-2]"},
    {"ident", "of second operands only, without a number: 1 for multipliers, 0 for adders"},
}};

/// What texts, drivers and the interfaces of programs name, beside operations.
void add_state(Manual& manual) {
  struct Row {
    std::string_view mnemonic, title, body, source;
    std::string_view also = {};
  };
  static constexpr Row rows[] = {
      {"A0", "address register",
       "Where temporaries are stored: t[A0]. setA0 and setA01 set it, for stores of the same word and later ones.\n",
       "4.3", "addr0"},
      {"A1", "address register",
       "Offset of memory loads, as in u[N+A1]. setA1 and setA01 set it, for loads four words later.\n", "4.3", "addr1"},
      {"A2", "address register", "Offset of memory loads, as in u[N+A2]. setA2 sets it, for loads four words later.\n",
       "4.3", "addr2"},
      {"A3", "address register", "Offset of memory loads, as in u[N+A3]. setA3 sets it, for loads four words later.\n",
       "4.3", "addr3"},
      {"gl_Position", "varying", "The position: x, y and z scaled to the viewport, and 1/w in w.\n", "5.1"},
      {"gl_PointSize", "varying", "The size of a point, limited and scaled. Which varying it is is not fixed.\n",
       "5.2"},
      {"gl_mali_ViewportTransform", "uniform", "vec4 [2] that ARM's compiler adds: the viewport's scale, its offset.\n",
       "5.1"},
      {"gl_mali_PointSizeParameters", "uniform",
       "vec4 that ARM's compiler adds: least and greatest size of a point, and a factor.\n", "5.2"},
  };
  for (const Row& row : rows) {
    manual.entries.push_back({.mnemonic = std::string(row.mnemonic),
                              .title = std::string(row.title),
                              .body = std::string(row.body),
                              .status = Status::seed,
                              .source = std::string(row.source),
                              .names = {},
                              .in_words = false});
    if (!row.also.empty()) manual.entries.back().names.emplace_back(row.also);
  }
}

}  // namespace

Manual manual() {
  Manual manual;
  manual.formats.push_back(describe_format(word::format));
  add_loads_and_stores(manual);
  for (unsigned op = 0; op < mul_ops.size(); ++op)
    add_entry(is_wide(op) ? wide_table : mul_table, mul_ops[op], op, manual);
  for (unsigned op = 0; op < acc_ops.size(); ++op) add_entry(acc_table, acc_ops[op], op, manual);
  for (unsigned op = 0; op < cplx_ops.size(); ++op) add_entry(cplx_table, cplx_ops[op], op, manual);
  for (unsigned op = 0; op < pass_ops.size(); ++op) add_entry(pass_table, pass_ops[op], op, manual);
  add_selectors(manual);
  add_state(manual);
  const auto add = [&](std::string_view name, std::string_view meaning, Status status, std::string_view source) {
    manual.entries.push_back({.mnemonic = std::string(name),
                              .title = "operand",
                              .body = std::string(meaning) + ".\n",
                              .status = status,
                              .source = std::string(source),
                              .names = {std::string(name) + 'N'},
                              .in_words = false});
  };
  for (const auto& [name, meaning] : operand_names) add(name, meaning, Status::seed, "2.1");
  add("s", "a selector of unknown meaning", Status::unknown, "11");
  return manual;
}

}  // namespace mobula::utgard_gp
