// Rules about the sequences that compute rcp, rsqrt, exp2 and log2 (3.5). Only values have to match, not the units they
// come from, so the program is executed on symbols: equal numbers stand for equal values, seen through moves and
// registers. Where paths meet all values are new and equal to anything; nothing is reported about those.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "machines/utgard_gp/check/report.h"
#include "machines/utgard_gp/spec/forwarding.h"

namespace mobula::utgard_gp {
namespace {

/// Index in Symbols.
using Symbol = std::uint32_t;

/// How a value was made. Those from pre_exp2 to raw_log2 are partial results.
enum class Made : std::uint8_t {
  unknown,  ///< may equal any other
  nothing,  ///< the unit was idle, or there was no such word
  attribute,
  uniform,
  constant,
  negation,
  multiplier,  ///< opcode in `number`, as of all units
  adder,
  pass,
  complex,
  function,
  pre_exp2,
  table,  ///< cplx.op in `number`
  square,
  raw_log2,
};
constexpr bool is_partial(Made made) { return made >= Made::pre_exp2; }

struct Value {
  Made made = Made::unknown;
  std::uint32_t number = 0;
  std::array<Symbol, 4> from{};
  friend bool operator==(const Value&, const Value&) = default;
};

class Symbols {
 public:
  static constexpr Symbol nothing = 0;

  Symbols() { add({.made = Made::nothing}, false); }

  /// A value that may equal any other.
  Symbol unknown() { return add({}, true); }
  Symbol make(const Value& value) {
    const auto [place, is_new] = known_.try_emplace(value, static_cast<Symbol>(values_.size()));
    if (is_new)
      add(value, std::any_of(value.from.begin(), value.from.end(), [&](Symbol from) { return uncertain_[from]; }));
    return place->second;
  }
  [[nodiscard]] const Value& operator[](Symbol symbol) const { return values_[symbol]; }
  [[nodiscard]] Made made(Symbol symbol) const { return values_[symbol].made; }
  /// True if the two cannot be the same value, as far as can be seen.
  [[nodiscard]] bool differ(Symbol a, Symbol b) const { return a != b && !uncertain_[a] && !uncertain_[b]; }

 private:
  struct Hash {
    std::size_t operator()(const Value& value) const {
      std::uint64_t mixed = static_cast<std::uint64_t>(value.made) << 32 | value.number;
      for (const Symbol from : value.from) mixed = (mixed ^ from) * 0x9E3779B97F4A7C15;
      return mixed ^ mixed >> 29;
    }
  };

  Symbol add(const Value& value, bool uncertain) {
    values_.push_back(value);
    uncertain_.push_back(uncertain);
    return static_cast<Symbol>(values_.size() - 1);
  }

  std::vector<Value> values_;
  std::vector<bool> uncertain_;
  std::unordered_map<Value, Symbol, Hash> known_;
};

/// What a word finds when it executes.
struct State {
  struct Write {
    std::uint8_t component = 0;  ///< of all registers, 4 * register + x y z w
    Symbol value = 0;
  };
  using Writes = std::vector<Write>;

  std::array<Symbol, 4 * register_count> registers{};
  std::array<Writes, register_latency - 1> arriving;  ///< [0]: stored by the word before
  std::array<Symbol, unit_count> before{}, before_that{};
  std::array<Symbol, 4> port0{};       ///< of the word before
  Symbol complex1 = Symbols::nothing;  ///< of the word before, readable by the next one
};

class FunctionChecker {
 public:
  explicit FunctionChecker(Report& report) : report_(report), after_(report.words.size()) {}

  void run() {
    report_.for_each_reached([&](std::uint16_t word) {
      index_ = word;
      state_ = state_before(word);
      execute();
      after_[word] = std::move(state_);
    });
  }

 private:
  // ---------------------------------------------------------------------------------------------- state

  State state_before(std::uint16_t word) {
    const std::vector<std::uint16_t>& before = report_.flow.predecessors(word);
    if (before.size() == 1 && before[0] < word) return after_[before[0]];
    State state;
    for (Symbol& value : state.registers) value = symbols_.unknown();
    if (before.size() == 1 && before[0] == before_start) return state;
    for (auto* values : {&state.before, &state.before_that})
      for (Symbol& value : *values) value = symbols_.unknown();
    for (Symbol& value : state.port0) value = symbols_.unknown();
    return state;
  }

  void execute() {
    load();
    std::array<Symbol, unit_count> results{};
    const auto result = [&](Unit unit) -> Symbol& { return results[static_cast<std::size_t>(unit)]; };
    if (active(Unit::acc0)) result(Unit::acc0) = add(word::acc0_a, word::acc0_b);
    if (active(Unit::acc1)) result(Unit::acc1) = add(word::acc1_a, word::acc1_b);
    const Symbol function = multiply(result(Unit::mul0), result(Unit::mul1));
    if (active(Unit::pass)) result(Unit::pass) = pass();
    if (active(Unit::complex)) result(Unit::complex) = complex(result(Unit::pass));
    if (is_branch(word())) number_of(result(Unit::pass), word::branch, "the branch tests p");
    store(results);
    state_.before_that = state_.before;
    if (state_.complex1 != Symbols::nothing) state_.before_that[static_cast<std::size_t>(Unit::mul0)] = state_.complex1;
    state_.before = results;
    state_.complex1 = function;
    state_.port0 = port0_;
  }

  void load() {
    const unsigned index0 = field(word::port0_index), index1 = field(word::port1_index);
    for (std::uint8_t c = 0; c < 4; ++c) {
      port0_[c] = field(word::port0_attr) != 0
                      ? symbols_.make({.made = Made::attribute, .number = 4 * index0 + c, .from = {}})
                      : state_.registers[4 * index0 + c];
      port1_[c] = state_.registers[4 * index1 + c];
      const bool fixed = field(word::ld_off) == no_offset && !report_.stores_temporaries;
      load_[c] = fixed ? symbols_.make({.made = Made::uniform, .number = 4 * field(word::ld_addr) + c, .from = {}})
                       : symbols_.unknown();
    }
  }

  void store(const std::array<Symbol, unit_count>& results) {
    for (const State::Write& write : state_.arriving.back()) state_.registers[write.component] = write.value;
    std::move_backward(state_.arriving.begin(), state_.arriving.end() - 1, state_.arriving.end());
    State::Writes& writes = state_.arriving.front();
    writes.clear();
    const Field* const fields[2][2] = {{&word::st0_x, &word::st0_y}, {&word::st1_z, &word::st1_w}};
    for (unsigned half = 0; half < 2; ++half) {
      const StoreHalf store = store_half(word(), half);
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned selector = store.selector[i];
        if (selector == store_nothing || selector == store_unknown) continue;
        const Unit unit = stored_unit(selector);
        const Symbol value = number_of(results[static_cast<std::size_t>(unit)], *fields[half][i],
                                       std::string(info(unit).name) + " is stored");
        if (store.kind == StoreKind::reg)
          writes.push_back({static_cast<std::uint8_t>(4 * store.index + store.first_component + i), value});
      }
    }
  }

  // ---------------------------------------------------------------------------------------------- operands

  [[nodiscard]] const Word128& word() const { return report_.words[index_]; }
  [[nodiscard]] unsigned field(const Field& field) const { return static_cast<unsigned>(get(word(), field)); }
  [[nodiscard]] bool active(Unit unit) const { return is_active(word(), unit); }
  void report(RuleId id, const Field& place, const std::string& found) {
    report_.add(id, index_, bits_of(place), found);
  }

  /// What an operand selects, negation not applied. `identity` is what 22 means there.
  Symbol select(const Field& operand, Symbol identity) {
    const Selector& selector = selectors[field(operand)];
    switch (selector.source) {
      case Source::port0:
        return port0_[selector.component];
      case Source::port1:
        return port1_[selector.component];
      case Source::load:
        return load_[selector.component];
      case Source::previous_port0:
        return state_.port0[selector.component];
      case Source::result:
        return (selector.age == 1 ? state_.before : state_.before_that)[static_cast<std::size_t>(selector.unit)];
      case Source::identity_or_complex:
        return identity;
      case Source::unused:
      case Source::unknown:
        break;
    }
    return symbols_.unknown();
  }
  Symbol a_operand(const Field& operand) {
    return select(operand, state_.before[static_cast<std::size_t>(Unit::complex)]);
  }
  Symbol constant(std::uint32_t value) { return symbols_.make({.made = Made::constant, .number = value, .from = {}}); }

  /// The value, if it is a number; a partial result is reported, and what is not there has been reported before.
  Symbol number_of(Symbol value, const Field& place, const std::string& use) {
    if (symbols_.made(value) == Made::nothing) return symbols_.unknown();
    if (!is_partial(symbols_.made(value))) return value;
    report(RuleId::partial_result, place, use + ", " + name_of(value));
    return symbols_.unknown();
  }
  Symbol number(const Field& operand, Symbol value) {
    return number_of(value, operand, std::string(operand.name) + " reads " + std::string(spelling(operand)));
  }
  [[nodiscard]] std::string_view spelling(const Field& operand) const { return value::source[field(operand)].name; }

  [[nodiscard]] std::string name_of(Symbol symbol) const {
    const Value& value = symbols_[symbol];
    switch (value.made) {
      case Made::pre_exp2:
        return "the result of preexp2";
      case Made::table:
        return "the table result of " + std::string(cplx_ops[value.number].name);
      case Made::square:
        return "the result of complex2";
      case Made::raw_log2:
        return "log2 before postlog2";
      case Made::unknown:
      case Made::nothing:
      case Made::attribute:
      case Made::uniform:
      case Made::constant:
      case Made::negation:
      case Made::multiplier:
      case Made::adder:
      case Made::pass:
      case Made::complex:
      case Made::function:
        break;
    }
    return "a number";
  }

  // ---------------------------------------------------------------------------------------------- units

  Symbol negated(Symbol value, bool negate) {
    return negate ? symbols_.make({.made = Made::negation, .number = 0, .from = {value}}) : value;
  }

  Symbol add(const Field& a_field, const Field& b_field) {
    const bool first = &a_field == &word::acc0_a;
    const unsigned opcode = field(word::acc_op);
    const Operation<AccOp>& operation = acc_ops[opcode];
    Symbol a = negated(number(a_field, a_operand(a_field)), field(first ? word::acc0_a_neg : word::acc1_a_neg) != 0);
    if (operation.operands == 1) return symbols_.make({.made = Made::adder, .number = opcode, .from = {a}});
    const bool minus = field(first ? word::acc0_b_neg : word::acc1_b_neg) != 0;
    // Adding 0.0 instead makes another value of -0.0.
    if (operation.traits.moves && field(b_field) == selector_identity && minus) return a;
    Symbol b = negated(number(b_field, select(b_field, constant(0))), minus);
    if (operation.traits.exchanged == Exchanged::same && b < a) std::swap(a, b);
    return symbols_.make({.made = Made::adder, .number = opcode, .from = {a, b}});
  }

  /// Fills in the results of both multipliers; returns the result of complex1, if it is one.
  Symbol multiply(Symbol& mul0, Symbol& mul1) {
    const Operation<MulOp>& operation = mul_operation(word());
    if (operation.does == MulOp::unknown) {
      mul0 = mul1 = symbols_.unknown();
      return Symbols::nothing;
    }
    if (operation.traits.combines) {
      mul0 = symbols_.unknown();  // half done
      return complex1();
    }
    if (operation.traits.squares)
      mul0 = complex2();
    else if (operation.traits.wide)
      mul0 = of_four(operation.operands);
    else if (active(Unit::mul0))
      mul0 = product(field(word::mul_op), word::mul0_a, word::mul0_b, word::mul0_neg);
    if (active(Unit::mul1)) mul1 = product(opcode_of(MulOp::mul), word::mul1_a, word::mul1_b, word::mul1_neg);
    return Symbols::nothing;
  }

  /// What a wide operation makes of the first so many operands of both multipliers.
  Symbol of_four(unsigned operands) {
    Value made{.made = Made::multiplier, .number = field(word::mul_op), .from = {}};
    for (unsigned i = 0; i < operands; ++i) {
      const OperandField& operand = operand_fields[i];
      const Symbol value = operand.b ? select(*operand.field, constant(1)) : a_operand(*operand.field);
      made.from[i] = number(*operand.field, value);
    }
    return symbols_.make(made);
  }

  Symbol product(unsigned opcode, const Field& a_field, const Field& b_field, const Field& negate) {
    const Traits& traits = mul_ops[opcode].traits;
    const bool minus = traits.negates && field(negate) != 0;
    Symbol a = number(a_field, a_operand(a_field));
    if (traits.moves && field(b_field) == selector_identity) return negated(a, minus);
    Symbol b = number(b_field, select(b_field, constant(1)));
    if (traits.exchanged == Exchanged::same && b < a) std::swap(a, b);
    return negated(symbols_.make({.made = Made::multiplier, .number = opcode, .from = {a, b}}), minus);
  }

  Symbol pass() {
    const Operation<PassOp>& operation = pass_operation(word());
    const Symbol value = a_operand(word::pass_in);
    if (operation.does == PassOp::unknown) return symbols_.unknown();
    if (operation.traits.takes == ResultKind::raw_log2) return finish_log2(value);
    const Symbol x = number(word::pass_in, value);
    if (operation.traits.copies) return x;
    if (operation.traits.result == ResultKind::pre_exp2)
      return symbols_.make({.made = Made::pre_exp2, .number = 0, .from = {x}});
    Value made{.made = Made::pass, .number = field(word::pass_op), .from = {x}};
    if (operation.traits.bounds) std::copy_n(load_.begin(), 2, made.from.begin() + 1);
    return symbols_.make(made);
  }

  Symbol finish_log2(Symbol value) {
    if (symbols_.made(value) == Made::raw_log2)
      return symbols_.make(
          {.made = Made::function, .number = symbols_[value].number, .from = {symbols_[value].from[0]}});
    if (symbols_.made(value) != Made::unknown && symbols_.made(value) != Made::nothing)
      report(RuleId::log2_result, word::pass_in, "postlog2 takes " + name_of(value));
    return symbols_.unknown();
  }

  Symbol complex(Symbol pass_result) {
    const unsigned opcode = field(word::cplx_op);
    const Operation<ComplexOp>& operation = cplx_ops[opcode];
    const Symbol value = a_operand(word::cplx_in);
    if (operation.does == ComplexOp::unknown) return symbols_.unknown();
    if (operation.traits.from_pass) return number_of(pass_result, word::cplx_op, "setA01 takes p");
    if (operation.traits.takes == ResultKind::pre_exp2) return look_up_exp2(value);
    const Symbol x = number(word::cplx_in, value);
    if (operation.traits.copies || operation.traits.addresses != 0) return x;
    const bool table = operation.traits.result != ResultKind::number;
    return symbols_.make({.made = table ? Made::table : Made::complex, .number = opcode, .from = {x}});
  }

  Symbol look_up_exp2(Symbol value) {
    const Made made = symbols_.made(value);
    if (made == Made::pre_exp2)
      return symbols_.make({.made = Made::table, .number = field(word::cplx_op), .from = {value}});
    if (made != Made::unknown && made != Made::nothing)
      report(RuleId::exp2_argument, word::cplx_in, "exp2 takes " + name_of(value));
    return symbols_.unknown();
  }

  // ---------------------------------------------------------------------------------------------- functions

  Symbol complex2() {
    const Symbol a = a_operand(word::mul0_a), b = select(word::mul0_b, constant(1));
    if (a == Symbols::nothing || b == Symbols::nothing) return symbols_.unknown();
    if (symbols_.differ(a, b)) {
      report(RuleId::square_argument, word::mul0_b,
             "the operands are " + std::string(spelling(word::mul0_a)) + " and " + b_spelling(word::mul0_b));
      return symbols_.unknown();
    }
    const bool pre = symbols_.made(a) == Made::pre_exp2;
    return symbols_.make({.made = Made::square, .number = 0, .from = {pre ? a : number(word::mul0_a, a)}});
  }
  [[nodiscard]] std::string b_spelling(const Field& operand) const {
    return std::string(value::source_b[field(operand)].name);
  }

  Symbol complex1() {
    const std::array<Symbol, 4> operands{a_operand(word::mul0_a), select(word::mul0_b, constant(1)),
                                         a_operand(word::mul1_a), select(word::mul1_b, constant(1))};
    const auto is_open = [&](Symbol symbol) {
      return symbols_.made(symbol) == Made::unknown || symbols_.made(symbol) == Made::nothing;
    };
    const auto [table, square, table_again, argument] = operands;
    const bool has_table = is_open(table) || symbols_.made(table) == Made::table;
    const bool has_square = is_open(square) || symbols_.made(square) == Made::square;
    if (!has_table || !has_square || symbols_.differ(table, table_again)) {
      const Field& wrong = !has_table ? word::mul0_a : !has_square ? word::mul0_b : word::mul1_a;
      report(RuleId::complex1_parts, wrong,
             std::string(wrong.name) + " reads " +
                 (&wrong == &word::mul0_b ? b_spelling(wrong) : std::string(spelling(wrong))) +
                 part_found(!has_table    ? table
                            : !has_square ? square
                                          : table_again));
      return symbols_.unknown();
    }
    if (is_open(table)) return symbols_.unknown();
    const Symbol x = symbols_[table].from[0];
    if (!is_open(square) && symbols_.differ(symbols_[square].from[0], x)) return wrong_argument(word::mul0_b);
    if (symbols_.differ(argument, x)) return wrong_argument(word::mul1_b);
    const unsigned function = symbols_[table].number;
    const bool raw = cplx_ops[function].traits.result == ResultKind::table_log2;
    return symbols_.make({.made = raw ? Made::raw_log2 : Made::function, .number = function, .from = {x}});
  }
  [[nodiscard]] std::string part_found(Symbol symbol) const { return ", " + name_of(symbol); }

  Symbol wrong_argument(const Field& operand) {
    report(RuleId::complex1_argument, operand,
           &operand == &word::mul0_b ? "complex2 and the table operation took different arguments"
                                     : b_spelling(operand) + " is not what the table operation took");
    return symbols_.unknown();
  }

  Report& report_;
  Symbols symbols_;
  std::vector<State> after_;  ///< by word
  std::uint16_t index_ = 0;
  State state_;
  std::array<Symbol, 4> port0_{}, port1_{}, load_{};
};

}  // namespace

void check_functions(Report& report) { FunctionChecker(report).run(); }

}  // namespace mobula::utgard_gp
