#include "machines/utgard_gp/schedule_graph.h"

#include <algorithm>
#include <string>

#include "machines/utgard_gp/forwarding.h"

namespace mobula::utgard_gp {

// ------------------------------------------------------------------------------------------------ values

std::size_t Values::Hash::operator()(const Value& value) const {
  std::size_t hash = static_cast<std::size_t>(value.make) * 31 + value.component;
  hash = hash * 0x9E3779B97F4A7C15 + value.index;
  for (const ValueUse& use : value.operands)
    hash = (hash ^ (use.value * 2u + (use.negate ? 1 : 0))) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 29);
}

ValueId Values::add(Value value) {
  const auto [entry, is_new] = ids_.try_emplace(value, static_cast<ValueId>(values_.size()));
  if (is_new) values_.push_back(value);
  return entry->second;
}

ValueId Values::leaf(Make make, unsigned index, unsigned component) {
  return add({.make = make,
              .component = static_cast<std::uint8_t>(component),
              .index = static_cast<std::uint16_t>(index),
              .operands = {}});
}

ValueId Values::mul(ValueId a, ValueId b) {
  return add({.make = Make::mul, .operand_count = 2, .operands = {{{std::min(a, b)}, {std::max(a, b)}}}});
}

ValueId Values::negated(ValueId a) {
  if (values_[a].make == Make::negation) return values_[a].operands[0].value;
  return add({.make = Make::negation, .operand_count = 1, .operands = {{{a}}}});
}

ValueUse Values::without_negation(ValueUse use) const {
  if (use.value == no_value || values_[use.value].make != Make::negation) return use;
  return {values_[use.value].operands[0].value, !use.negate};
}

ValueId Values::adder(Make make, ValueUse a, ValueUse b) {
  a = without_negation(a);
  if (make == Make::floor || make == Make::sign) return add({.make = make, .operand_count = 1, .operands = {{a}}});
  b = without_negation(b);
  const auto after = [](const ValueUse& x, const ValueUse& y) {
    return x.value != y.value ? x.value > y.value : x.negate && !y.negate;
  };
  if (b.value != no_value) {
    if (make == Make::ge || make == Make::lt) {
      const ValueUse mirrored_a{b.value, !b.negate}, mirrored_b{a.value, !a.negate};
      if (after(a, mirrored_a)) {
        a = mirrored_a;
        b = mirrored_b;
      }
    } else if (after(a, b)) {
      std::swap(a, b);
    }
  }
  return add({.make = make, .operand_count = 2, .operands = {{a, b}}});
}

ValueId Values::select(ValueId condition, ValueId if_false, ValueId if_true) {
  return add({.make = Make::select, .operand_count = 3, .operands = {{{condition}, {if_false}, {if_true}}}});
}

ValueId Values::function(Make make, ValueId argument) {
  return add({.make = make, .operand_count = 1, .operands = {{{argument}}}});
}

// ------------------------------------------------------------------------------------------------ one trace

namespace {

/// What a latch holds: a number, or a partial result of a function of `value`.
struct Symbol {
  ResultKind kind = ResultKind::undefined;
  ValueId value = no_value;
};

struct Problem {
  std::uint16_t word = 0;
  std::string text;
};

/// Executes the words of a trace on symbols.
class Simulator {
 public:
  Simulator(std::span<const Word128> words, Values& values, const std::array<ValueId, flat_registers>& registers)
      : words_(words), values_(values), registers_(registers) {}

  /// Fills everything of the segment but its target; false on something that cannot be expressed.
  bool run(Segment& segment) {
    varyings_.clear();
    for (word_ = segment.first; word_ < segment.first + segment.count; ++word_) {
      if (!step()) return false;
      if (is_branch(word())) segment.condition = number(Unit::pass);
    }
    for (const auto& [place, value] : varyings_)
      segment.varyings.push_back({static_cast<std::uint8_t>(place / 4), static_cast<std::uint8_t>(place % 4), value});
    segment.registers = registers_;
    segment.touched = touched_;
    return problem_.text.empty();
  }

  [[nodiscard]] const Problem& problem() const { return problem_; }

 private:
  [[nodiscard]] const Word128& word() const { return words_[word_]; }
  [[nodiscard]] unsigned field(const Field& which) const { return static_cast<unsigned>(get(word(), which)); }

  bool refuse(std::string text) {
    if (problem_.text.empty()) problem_ = {word_, std::move(text)};
    return false;
  }

  /// Things no value stands for.
  bool expressible() {
    const unsigned cplx = field(word::cplx_op), mul = field(word::mul_op);
    if (cplx >= cplx_set_a01 && cplx_ops[cplx].operands != 0 && !cplx_ops[cplx].name.empty())
      return refuse("sets an address register");
    if (cplx_ops[cplx].name.empty()) return refuse("cplx.op " + std::to_string(cplx) + " is unknown");
    if ((is_active(word(), Unit::acc0) || is_active(word(), Unit::acc1)) && acc_ops[field(word::acc_op)].name.empty())
      return refuse("acc.op " + std::to_string(field(word::acc_op)) + " is unknown");
    if ((is_active(word(), Unit::mul0) || is_active(word(), Unit::mul1)) && mul_ops[mul].name.empty())
      return refuse("mul.op " + std::to_string(mul) + " is unknown");
    if (mul == mul_select && (field(word::mul0_neg) != 0 || field(word::mul1_neg) != 0))
      return refuse("the negation bits of a select are unknown");
    if (is_active(word(), Unit::pass) && pass_ops[field(word::pass_op)].name.empty())
      return refuse("pass.op " + std::to_string(field(word::pass_op)) + " is unknown");
    if ((field(word::branch) != 0) != (field(word::flow) == 13)) return refuse("branch bit and flow disagree");
    if (const unsigned flow = field(word::flow); flow != 0 && flow != 12 && flow != 13)
      return refuse("flow " + std::to_string(flow) + " is unknown");
    return true;
  }

  bool step() {
    if (!expressible()) return false;
    results_ = {};
    late_ = {};
    std::array<Symbol, 4> port0;  // as fetched: this word's stores come later
    for (unsigned c = 0; c < 4; ++c) port0[c] = port(0, c);
    compute_adder(Unit::acc0, 4);
    compute_adder(Unit::acc1, 6);
    compute_multipliers();
    compute_complex();
    compute_pass();
    store();
    older_ = newer_;
    if (late_before_.kind != ResultKind::undefined) older_[slot(Unit::mul0)] = late_before_;
    late_before_ = late_;
    newer_ = results_;
    std::copy(port0.begin(), port0.end(), newer_.begin() + channel_port0);
    return problem_.text.empty();
  }

  static std::size_t slot(Unit unit) { return static_cast<std::size_t>(unit); }

  Symbol port(unsigned number, unsigned component) {
    const bool attribute = number == 0 && field(word::port0_attr) != 0;
    const unsigned index = field(number == 0 ? word::port0_index : word::port1_index);
    const ValueId value =
        attribute ? values_.leaf(Make::attribute, index, component) : registers_[4 * index + component];
    return {value == no_value ? ResultKind::undefined : ResultKind::number, value};
  }

  Symbol load(unsigned component) {
    if (field(word::ld_off) != 7) {
      refuse("loads at an address register");
      return {};
    }
    return {ResultKind::number, values_.leaf(Make::uniform, field(word::ld_addr), component)};
  }

  Symbol raw(unsigned operand) {
    const OperandField& row = operand_fields[operand];
    const unsigned selector = field(*row.field);
    if (const ForwardedSource source = forwarded_source(selector, row.b); source.age != 0)
      return source.age == 1 ? newer_[source.channel] : older_[source.channel];
    switch (selectors[selector].source) {
      case Source::port0:
        return port(0, selectors[selector].component);
      case Source::port1:
        return port(1, selectors[selector].component);
      case Source::load:
        return load(selectors[selector].component);
      default:
        return {};
    }
  }

  bool is_identity(unsigned operand) const { return field(*operand_fields[operand].field) == selector_identity; }

  /// The operand as a number; its input sign is left to the caller.
  ValueId number(unsigned operand) {
    const Symbol symbol = raw(operand);
    if (symbol.kind == ResultKind::number) return symbol.value;
    const std::string name(operand_fields[operand].field->name);
    refuse(symbol.kind == ResultKind::undefined ? name + " reads something that is not there or comes over a branch"
                                                : name + " uses a partial result outside its sequence");
    return values_.leaf(Make::uniform, 0, 0);  // never used: the program is refused
  }
  ValueUse signed_number(unsigned operand) { return {number(operand), field(*operand_fields[operand].negate) != 0}; }
  ValueId number(Unit unit) {
    const Symbol symbol = results_[slot(unit)];
    if (symbol.kind != ResultKind::number) {
      refuse(std::string(info(unit).name) + " is used in this word but holds no number");
      return values_.leaf(Make::uniform, 0, 0);
    }
    return symbol.value;
  }
  void result(Unit unit, ValueId value) { results_[slot(unit)] = {ResultKind::number, value}; }

  void compute_adder(Unit unit, unsigned a) {
    if (!is_active(word(), unit)) return;
    const unsigned op = field(word::acc_op), b = a + 1;
    const ValueUse x = signed_number(a);
    constexpr std::array<Make, 8> makes{Make::add, Make::floor, Make::sign, Make::add,
                                        Make::ge,  Make::lt,    Make::min,  Make::max};
    if (op == acc_floor || op == acc_sign) return result(unit, values_.adder(makes[op], x));
    const bool negative = field(*operand_fields[b].negate) != 0;
    if (op == acc_add && is_identity(b) && negative)  // x + -0.0 is x
      return result(unit, x.negate ? values_.negated(x.value) : x.value);
    const ValueUse y = is_identity(b) ? ValueUse{no_value, negative} : ValueUse{number(b), negative};
    result(unit, values_.adder(makes[op], x, y));
  }

  void multiply(Unit unit, unsigned a, const Field& negate) {
    if (!is_active(word(), unit)) return;
    const ValueId x = number(a);
    const ValueId product = is_identity(a + 1) ? x : values_.mul(x, number(a + 1));
    result(unit, field(negate) != 0 ? values_.negated(product) : product);
  }

  void compute_multipliers() {
    switch (field(word::mul_op)) {
      case mul_complex1:
        late_ = complex1();
        return;
      case mul_select: {
        const ValueId if_true = number(2);
        result(Unit::mul0, is_identity(1) ? if_true : values_.select(number(1), number(0), if_true));
        return;
      }
      case mul_complex2: {
        const Symbol x = raw(0), again = raw(1);
        if (x.value != again.value || x.kind != again.kind ||
            (x.kind != ResultKind::number && x.kind != ResultKind::pre_exp2)) {
          refuse("complex2 takes one argument twice");
          return;
        }
        results_[slot(Unit::mul0)] = {x.kind == ResultKind::pre_exp2 ? ResultKind::square_pre_exp2 : ResultKind::square,
                                      x.value};
        break;
      }
      default:
        multiply(Unit::mul0, 0, word::mul0_neg);
    }
    multiply(Unit::mul1, 2, word::mul1_neg);
  }

  Symbol complex1() {
    const Symbol table = raw(0), square = raw(1), table_again = raw(2), argument = raw(3);
    const bool exponential = table.kind == ResultKind::table_exp2;
    const bool matches = table.kind >= ResultKind::table_exp2 && table.kind <= ResultKind::table_rcp &&
                         table_again.kind == table.kind && table_again.value == table.value &&
                         square.kind == (exponential ? ResultKind::square_pre_exp2 : ResultKind::square) &&
                         square.value == table.value &&
                         argument.kind == (exponential ? ResultKind::pre_exp2 : ResultKind::number) &&
                         argument.value == table.value;
    if (!matches) {
      refuse("complex1 without the table result, complex2 result and argument of one function");
      return {};
    }
    switch (table.kind) {
      case ResultKind::table_exp2:
        return {ResultKind::number, values_.function(Make::exp2, table.value)};
      case ResultKind::table_rsqrt:
        return {ResultKind::number, values_.function(Make::rsqrt, table.value)};
      case ResultKind::table_rcp:
        return {ResultKind::number, values_.function(Make::rcp, table.value)};
      default:
        return {ResultKind::raw_log2, table.value};
    }
  }

  void compute_complex() {
    Symbol& out = results_[slot(Unit::complex)];
    switch (field(word::cplx_op)) {
      case cplx_nop:
        return;
      case cplx_mov:
        return result(Unit::complex, number(8));
      case cplx_exp2:
        if (const Symbol x = raw(8); x.kind == ResultKind::pre_exp2)
          out = {ResultKind::table_exp2, x.value};
        else
          refuse("exp2 without preexp2");
        return;
      case cplx_log2:
        out = {ResultKind::table_log2, number(8)};
        return;
      case cplx_rsqrt:
        out = {ResultKind::table_rsqrt, number(8)};
        return;
      default:
        out = {ResultKind::table_rcp, number(8)};
    }
  }

  void compute_pass() {
    if (!is_active(word(), Unit::pass)) return;
    switch (field(word::pass_op)) {
      case pass_preexp2:
        results_[slot(Unit::pass)] = {ResultKind::pre_exp2, number(9)};
        return;
      case pass_postlog2:
        if (const Symbol x = raw(9); x.kind == ResultKind::raw_log2)
          result(Unit::pass, values_.function(Make::log2, x.value));
        else
          refuse("postlog2 without the result of a log2 sequence");
        return;
      case pass_clamp: {
        const ValueId raised = values_.adder(Make::max, {number(9)}, {load(0).value});
        return result(Unit::pass, values_.adder(Make::min, {raised}, {load(1).value}));
      }
      default:
        return result(Unit::pass, number(9));
    }
  }

  void store() {
    for (unsigned half = 0; half < 2; ++half) {
      const StoreHalf store = store_half(word(), half);
      if (store.kind == StoreKind::none) continue;
      if (store.kind == StoreKind::temporary) {
        refuse("stores a temporary");
        return;
      }
      for (unsigned i = 0; i < 2; ++i) {
        if (store.selector[i] == store_nothing) continue;
        if (store.selector[i] == store_unknown) {
          refuse("store selector 5 is unknown");
          return;
        }
        const ValueId value = number(stored_unit(store.selector[i]));
        const unsigned place = 4u * store.index + store.first_component + i;
        if (store.kind == StoreKind::varying) {
          const auto known =
              std::find_if(varyings_.begin(), varyings_.end(), [&](const auto& entry) { return entry.first == place; });
          if (known != varyings_.end())
            known->second = value;
          else
            varyings_.emplace_back(place, value);
        } else {
          registers_[place] = value;
          touched_ |= std::uint64_t{1} << place;
        }
      }
    }
  }

  std::span<const Word128> words_;
  Values& values_;
  std::array<ValueId, flat_registers> registers_;
  std::uint64_t touched_ = 0;
  std::array<Symbol, channel_count> results_{}, newer_{}, older_{};  ///< of this word, [-1] and [-2]
  Symbol late_, late_before_;                                        ///< of complex1 in this word and in the last
  std::vector<std::pair<unsigned, ValueId>> varyings_;               ///< 4 * index + component
  std::uint16_t word_ = 0;
  Problem problem_;
};

// ------------------------------------------------------------------------------------------------ traces

/// Registers at the entry of a trace; `known` says which values have been found on the paths looked at so far.
struct Entry {
  std::array<ValueId, flat_registers> registers{};
  bool reached = false;
};

class FlowFinder {
 public:
  FlowFinder(std::span<const Word128> words, Values& values, bool past_branches)
      : words_(words), values_(values), past_branches_(past_branches) {}

  Result<Flow> run() {
    if (!cut()) return failure();
    if (!find_early_reads()) return failure();
    if (!propagate()) return failure();
    find_live();
    return std::move(flow_);
  }

  /// Nothing, or where and how these words do not do what `flow` says.
  std::optional<Problem> differs_from(const Flow& flow) {
    if (!cut() || !find_early_reads()) return problem_;
    if (flow_.traces.size() != flow.traces.size()) return Problem{0, "the program has other traces"};
    for (std::uint16_t i = 0, count = size_of(flow_.traces); i < count; ++i) {
      const Trace& wanted = flow.traces[i];
      Trace& trace = flow_.traces[i];
      std::array<ValueId, flat_registers> entry;
      entry.fill(no_value);
      for (unsigned reg = 0; reg < flat_registers; ++reg)
        if ((wanted.live_in >> reg & 1) != 0) entry[reg] = wanted.entry[reg];
      if (!simulate(i, entry)) return problem_;
      if (trace.segments.size() + 1 == wanted.segments.size() && wanted.segments.back().condition == no_value) {
        // Nothing is left behind the last branch.
        Segment nothing = trace.segments.back();
        nothing.varyings.clear();
        nothing.condition = no_value;
        trace.segments.push_back(std::move(nothing));
      }
      if (trace.segments.size() != wanted.segments.size())
        return Problem{trace.first(), "the trace has other branches"};
      for (std::size_t k = 0; k < trace.segments.size(); ++k)
        if (const std::string text = difference(wanted.segments[k], trace.segments[k]); !text.empty())
          return Problem{trace.segments[k].first, text};
      for (const Exit& exit : exits(wanted))
        if (const std::string text = difference(flow, wanted, trace, exit); !text.empty())
          return Problem{trace.segments[exit.segment].first, text};
    }
    return std::nullopt;
  }

 private:
  static std::string difference(const Segment& wanted, const Segment& segment) {
    if (wanted.condition != segment.condition) return "the branch condition differs";
    if (wanted.condition != no_value && wanted.target != segment.target) return "the branch target differs";
    const auto sorted = [](std::vector<VaryingStore> stores) {
      std::sort(stores.begin(), stores.end(), [](const VaryingStore& a, const VaryingStore& b) {
        return 4 * a.index + a.component < 4 * b.index + b.component;
      });
      return stores;
    };
    return sorted(wanted.varyings) == sorted(segment.varyings) ? "" : "other values are stored in varyings";
  }

  static std::string difference(const Flow& flow, const Trace& wanted, const Trace& trace, const Exit& exit) {
    if (!exit.target) return {};
    for (unsigned reg = 0; reg < flat_registers; ++reg)
      if ((flow.traces[*exit.target].live_in >> reg & 1) != 0 &&
          wanted.segments[exit.segment].registers[reg] != trace.segments[exit.segment].registers[reg])
        return "register $" + std::to_string(reg / 4) + '.' + "xyzw"[reg % 4] + " leaves with another value";
    return {};
  }

  Unexpected failure() const {
    Diagnostic diagnostic{Severity::error, "GP301", {}, {}, {}};
    diagnostic.where.byte_offset = std::uint64_t{problem_.word} * word_bytes;
    diagnostic.message = "word " + std::to_string(problem_.word) + " cannot be scheduled: " + problem_.text;
    return fail(std::move(diagnostic));
  }
  bool refuse(std::uint16_t word, std::string text) {
    problem_ = {word, std::move(text)};
    return false;
  }

  /// Cuts the program into segments and traces.
  bool cut() {
    const auto count = static_cast<std::uint16_t>(words_.size());
    std::vector<bool> leads(count, false), entered(count, false);
    leads[0] = entered[0] = true;
    for (std::uint16_t word = 0; word < count; ++word) {
      if (!is_branch(words_[word])) continue;
      const unsigned target = branch_target(words_[word]);
      if (target >= count)
        return refuse(word, "branches to word " + std::to_string(target) + " of " + std::to_string(count));
      leads[target] = entered[target] = true;
      if (word + 1u == count) continue;
      leads[word + 1u] = true;
      if (!past_branches_) entered[word + 1u] = true;
    }
    std::vector<std::uint16_t> trace_of(count, 0);
    for (std::uint16_t word = 0; word < count; ++word) {
      if (entered[word]) flow_.traces.emplace_back();
      Trace& trace = flow_.traces.back();
      if (leads[word]) {
        trace.segments.emplace_back();
        trace.segments.back().first = word;
      }
      ++trace.segments.back().count;
      trace_of[word] = static_cast<std::uint16_t>(flow_.traces.size() - 1);
    }
    for (std::size_t i = 0; i < flow_.traces.size(); ++i) {
      Trace& trace = flow_.traces[i];
      if (i + 1 < flow_.traces.size()) trace.next = static_cast<std::uint16_t>(i + 1);
      for (Segment& segment : trace.segments)
        if (const Word128& last = words_[segment.first + segment.count - 1u]; is_branch(last))
          segment.target = trace_of[branch_target(last)];
    }
    return true;
  }

  /// A register read one or two words after its store sees the old value; no value stands for that.
  bool find_early_reads() {
    const Forwarding forwarding(words_);
    for (std::uint16_t word = 0, count = size_of(words_); word < count; ++word)
      for (const OperandField& operand : operand_fields) {
        if (!is_live(words_[word], operand)) continue;
        const Selector& selector = selectors[get(words_[word], *operand.field)];
        std::vector<std::uint16_t> readers{word};
        Source source = selector.source;
        if (source == Source::previous_port0) {
          const auto before = forwarding.predecessors(word);
          readers.assign(before.begin(), before.end());
          source = Source::port0;
        }
        if (source != Source::port0 && source != Source::port1) continue;
        for (const std::uint16_t reader : readers) {
          if (reader == before_start) continue;
          if (source == Source::port0 && get(words_[reader], word::port0_attr) != 0) continue;
          const auto reg = static_cast<unsigned>(
              get(words_[reader], source == Source::port0 ? word::port0_index : word::port1_index));
          if (forwarding.may_be_early(reader, 4 * reg + selector.component))
            return refuse(reader, "reads register $" + std::to_string(reg) + " before its last store arrives");
        }
      }
    return true;
  }

  [[nodiscard]] std::array<ValueId, flat_registers> own_registers() const {
    std::array<ValueId, flat_registers> registers;
    for (unsigned i = 0; i < flat_registers; ++i) registers[i] = values_.reg(i);
    return registers;
  }

  bool simulate(std::uint16_t index, const std::array<ValueId, flat_registers>& registers) {
    Simulator simulator(words_, values_, registers);
    for (Segment& segment : flow_.traces[index].segments) {
      segment.varyings.clear();
      if (!simulator.run(segment)) {
        problem_ = simulator.problem();
        return false;
      }
    }
    return true;
  }

  /// Executes the traces until it is known which registers hold the same attribute or uniform on every path into a
  /// trace; those are loaded again instead of kept.
  bool propagate() {
    const std::array<ValueId, flat_registers> own = own_registers();
    std::vector<Entry> entries(flow_.traces.size());
    entries[0] = {own, true};
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::uint16_t i = 0, count = size_of(flow_.traces); i < count; ++i) {
        if (!entries[i].reached) continue;
        if (!simulate(i, entries[i].registers)) return false;
        flow_.traces[i].entry = entries[i].registers;
        for (const Exit& exit : exits(flow_.traces[i]))
          if (exit.target) changed |= meet(entries[*exit.target], flow_.traces[i].segments[exit.segment], own);
      }
    }
    return true;
  }

  bool meet(Entry& entry, const Segment& segment, const std::array<ValueId, flat_registers>& own) const {
    bool changed = !entry.reached;
    for (unsigned i = 0; i < flat_registers; ++i) {
      const ValueId value = segment.registers[i];
      const bool loadable = value != no_value && is_leaf(values_[value].make) && values_[value].make != Make::reg;
      const ValueId incoming = loadable ? value : own[i];
      const ValueId merged = !entry.reached || entry.registers[i] == incoming ? incoming : own[i];
      changed |= entry.registers[i] != merged;
      entry.registers[i] = merged;
    }
    entry.reached = true;
    return changed;
  }

  /// Registers that matter at the entry of each trace: those from which something is computed that leaves the program
  /// or decides a branch.
  void find_live() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t i = flow_.traces.size(); i-- > 0;) changed |= find_live(flow_.traces[i]);
    }
  }

  bool find_live(Trace& trace) const {
    std::vector<ValueId> stack;
    std::uint64_t live = 0;
    for (const Segment& segment : trace.segments) {
      for (const VaryingStore& store : segment.varyings) stack.push_back(store.value);
      if (segment.condition != no_value) stack.push_back(segment.condition);
    }
    for (const Exit& exit : exits(trace)) {
      if (!exit.target) continue;
      const Segment& segment = trace.segments[exit.segment];
      for (unsigned i = 0; i < flat_registers; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        if ((flow_.traces[*exit.target].live_in & bit) == 0) continue;
        if ((segment.touched & bit) != 0)
          stack.push_back(segment.registers[i]);
        else
          live |= bit;
      }
    }
    std::vector<bool> seen(values_.size(), false);
    while (!stack.empty()) {
      const ValueId id = stack.back();
      stack.pop_back();
      if (id == no_value || seen[id]) continue;
      seen[id] = true;
      const Value& value = values_[id];
      if (value.make == Make::reg) live |= std::uint64_t{1} << (4 * value.index + value.component);
      for (unsigned k = 0; k < value.operand_count; ++k) stack.push_back(value.operands[k].value);
    }
    const bool changed = live != trace.live_in;
    trace.live_in = live;
    return changed;
  }

  std::span<const Word128> words_;
  Values& values_;
  bool past_branches_;
  Flow flow_;
  Problem problem_;
};

}  // namespace

std::vector<Exit> exits(const Trace& trace) {
  std::vector<Exit> all;
  for (std::uint16_t i = 0, count = size_of(trace.segments); i < count; ++i)
    if (trace.segments[i].condition != no_value) all.push_back({i, trace.segments[i].target, true});
  all.push_back({static_cast<std::uint16_t>(trace.segments.size() - 1), trace.next, false});
  return all;
}

Result<Flow> find_flow(std::span<const Word128> words, Values& values, bool past_branches) {
  if (words.empty()) return Flow{};
  return FlowFinder(words, values, past_branches).run();
}

Result<void> compare_flow(const Flow& flow, std::span<const Word128> words, Values& values, bool past_branches) {
  if (words.empty() && flow.traces.empty()) return {};
  const auto problem = FlowFinder(words, values, past_branches).differs_from(flow);
  if (!problem) return {};
  Diagnostic diagnostic{Severity::error, "GP302", {}, {}, {}};
  diagnostic.where.byte_offset = std::uint64_t{problem->word} * word_bytes;
  diagnostic.message = "word " + std::to_string(problem->word) + ": " + problem->text;
  return fail(std::move(diagnostic));
}

}  // namespace mobula::utgard_gp
