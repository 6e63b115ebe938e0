// Statements that do, one after the other, what the words do side by side and late. What a name stands for when a
// statement reads it is what the word read: a value whose expression would by then mean something else gets a name of
// its own where it is computed. docs/utgard-gp-mesa.md has the language.
#include "machines/utgard_gp/text/decompile.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>

#include "core/counted.h"
#include "machines/utgard_gp/spec/forwarding.h"
#include "machines/utgard_gp/text/tokens.h"

namespace mobula::utgard_gp {
namespace {

/// A value with more operators in it than this is named, so that expressions stay readable and shallow.
constexpr unsigned max_depth = 24;

/// "004: "
std::string numbered(std::uint32_t word) {
  const std::string number = std::to_string(word);
  return std::string(number.size() < 3 ? 3 - number.size() : 0, '0') + number + ": ";
}

/// A word that cannot be executed, since the machine holds fewer.
void print_data(std::uint32_t index, const Word128& word, TextBuffer& out) {
  out.append(numbered(index));
  char* line = put(out.reserve(64), "data(");
  for (const std::uint32_t part : parts(word)) line = put(put_hex_digits(put(line, "0x"), part, 8), ", ");
  out.commit(put(line - 2, ");\n"));
}

/// What can be assigned: what is written with a delay, by its number there, and after those the merge latches.
using Place = std::uint32_t;

/// The text of a value: an expression, or the name that was given to it.
struct Expression {
  std::string text;
  std::vector<Place> reads;  ///< an assignment to one of these makes another value of the text
  unsigned depth = 0;        ///< operators within operators

  [[nodiscard]] bool is_leaf() const { return text.find(' ') == std::string::npos; }
};

Expression fixed(std::string text) { return {std::move(text), {}, 0}; }
Expression undefined() { return fixed("undefined"); }

/// What an operator makes of its operands; the caller says how it looks.
Expression operation_on(std::initializer_list<const Expression*> operands) {
  Expression made;
  for (const Expression* operand : operands) {
    made.reads.insert(made.reads.end(), operand->reads.begin(), operand->reads.end());
    made.depth = std::max(made.depth, operand->depth + 1);
  }
  return made;
}
Expression call(std::string_view function, const std::vector<Expression>& arguments) {
  Expression made;
  made.text.append(function).append("(");
  for (const Expression& argument : arguments) {
    made.text.append(&argument == &arguments.front() ? "" : ", ").append(argument.text);
    made.reads.insert(made.reads.end(), argument.reads.begin(), argument.reads.end());
    made.depth = std::max(made.depth, argument.depth + 1);
  }
  made.text += ')';
  return made;
}
Expression infix(const Expression& a, std::string_view sign, const Expression& b) {
  Expression made = operation_on({&a, &b});
  made.text = '(' + a.text + ' ' + std::string(sign) + ' ' + b.text + ')';
  return made;
}
Expression choice(const Expression& condition, const Expression& if_true, const Expression& if_false) {
  Expression made = operation_on({&condition, &if_true, &if_false});
  made.text = '(' + condition.text + " ? " + if_true.text + " : " + if_false.text + ')';
  return made;
}
Expression negated(Expression value) {
  value.text.insert(0, 1, '-');
  return value;
}
/// One value, if all have the same bits.
Expression same(std::vector<Expression> values) {
  std::vector<Expression> distinct;
  for (Expression& value : values)
    if (std::none_of(distinct.begin(), distinct.end(), [&](const Expression& each) { return each.text == value.text; }))
      distinct.push_back(std::move(value));
  return distinct.size() == 1 ? std::move(distinct.front()) : call("same", distinct);
}

class Decompiler {
 public:
  Decompiler(std::span<const Word128> words, const Settings& settings)
      : words_(words),
        settings_(settings),
        forwarding_(words),
        named_(words.size() * channel_count),
        lines_(words.size()) {
    find_writes();
    count_uses();
  }

  /// The statements of each word.
  const std::vector<std::string>& run() {
    do decompile();
    while (!settled_);
    return lines_;
  }

 private:
  [[nodiscard]] static std::size_t slot(std::uint16_t word, unsigned channel) {
    return std::size_t{word} * channel_count + channel;
  }
  static constexpr unsigned channel_of(Unit unit) { return static_cast<unsigned>(unit); }
  [[nodiscard]] const Word128& bits() const { return words_[word_]; }
  [[nodiscard]] unsigned field(const Field& field) const { return static_cast<unsigned>(get(bits(), field)); }

  // ---------------------------------------------------------------------------------------------- before printing

  /// What is loaded while a write to it may be on its way is assigned with its delay, all else at once.
  void find_writes() {
    const auto count = forwarding_.count();
    for (std::uint16_t word = 0; word < count; ++word) {
      const DelayedSet loads = forwarding_.delayed_loads(word);
      for (unsigned delayed = 0; delayed < delayed_count; ++delayed)
        if (loads.test(delayed) && forwarding_.may_be_early(word, delayed)) late_.set(delayed);
    }
    for (const Latch& latch : forwarding_.latches())
      if (latch.merged) merges_.push_back(latch);
    for (std::uint16_t word = 0; word < count; ++word) {
      writes_.push_back(delayed_writes(words_[word]) & ~late_);
      DelayedSet arriving = forwarding_.written_before(word, 3);
      for (const std::uint16_t before : forwarding_.predecessors(word))  // what takes four words
        if (before != before_start) arriving |= forwarding_.written_before(before, 3);
      arrivals_.push_back(arriving & late_);
    }
  }

  /// Moves are seen through, so a use of a move is a use of what it moved.
  void count_uses() {
    uses_.assign(words_.size() * channel_count, 0);
    const auto use = [&](const Latch& latch) {
      if (!latch.merged) ++uses_[slot(latch.word, latch.channel)];
    };
    for (std::uint16_t word = 0; word < forwarding_.count(); ++word) {
      for (const OperandField& operand : operand_fields) {
        if (!is_live(words_[word], operand)) continue;
        const ForwardedSource source =
            forwarded_source(static_cast<unsigned>(get(words_[word], *operand.field)), operand.b);
        if (source.age != 0) use(forwarding_.producer(word, source.channel, source.age));
      }
      for (unsigned half = 0; half < 2; ++half)
        for (const std::uint8_t selector : store_half(words_[word], half).selector)
          if (selector != store_nothing && selector != store_unknown)
            ++uses_[slot(word, channel_of(stored_unit(selector)))];
      for (const MergeCopy& copy : forwarding_.copies(word))
        use(copy.own ? Latch{false, word, copy.to.channel} : copy.from);
    }
  }

  // ---------------------------------------------------------------------------------------------- all words

  /// Prints everything; not settled if a value was read that has to be named first.
  void decompile() {
    settled_ = true;
    values_.assign(words_.size() * channel_count, {});
    for (word_ = 0; word_ < words_.size(); ++word_) {
      lines_[word_].clear();
      assigned_.clear();
      names_.clear();
      for (unsigned unit = 0; unit < unit_count; ++unit)
        if (is_active(bits(), static_cast<Unit>(unit))) define(unit, expression(static_cast<Unit>(unit)));
      for (unsigned c = 0; c < 4; ++c)
        if (forwarding_.reads_port(word_, 0, c)) define(channel_port0 + c, port(0, c));
      if (sets_address(bits(), 0)) set_address(0);  // counts for the stores of its word
      store();
      for (unsigned k = 1; k < address_registers; ++k)
        if (sets_address(bits(), k)) set_address(k);
      merge();
      if (is_branch(bits()))
        statement("if (" + truth(used(Unit::pass)).text + ") goto " + std::to_string(branch_target(bits())));
    }
  }

  void statement(const std::string& text) { lines_[word_].append(numbered(word_)).append(text).append(";\n"); }

  /// Keeps the value of a channel, and names it first if its text will not do.
  void define(unsigned channel, Expression value) {
    const std::size_t at = slot(word_, channel);
    const bool is_number =
        channel >= unit_count || forwarding_.result_kind(word_, static_cast<Unit>(channel)) == ResultKind::number;
    const bool wanted = is_number && !value.is_leaf() && (uses_[at] > 1 || value.depth > max_depth);
    if (named_[at] || wanted) value = fixed(name_for(value.text, channel));
    values_[at] = std::move(value);
  }

  /// Equal texts of one word share a name.
  std::string name_for(const std::string& text, unsigned channel) {
    for (const auto& [known, name] : names_)
      if (known == text) return name;
    std::string name = channel < unit_count ? '^' + std::to_string(unit_count * word_ + channel)
                                            : channel_name(channel) + '@' + std::to_string(word_);
    statement(name + " = " + text);
    names_.emplace_back(text, name);
    return name;
  }
  static std::string channel_name(unsigned channel) {
    if (channel < unit_count) return std::string(info(static_cast<Unit>(channel)).name);
    return std::string("p0.") + component_letters[channel - channel_port0];
  }
  static std::string name_of(const Latch& merge) {
    return channel_name(merge.channel) + "[-" + std::to_string(merge.age) +
           (merge.read_age > merge.age ? "..]@" : "]@") + std::to_string(merge.word);
  }

  // ---------------------------------------------------------------------------------------------- values, when read

  [[nodiscard]] bool assigns(std::uint16_t word, Place place) const {
    if (place < delayed_count) return writes_[word].test(place);
    const auto& copies = forwarding_.copies(word);
    return std::any_of(copies.begin(), copies.end(),
                       [&](const MergeCopy& copy) { return copy.to == merges_[place - delayed_count]; });
  }
  [[nodiscard]] bool arrives(std::uint16_t word, Place place) const {
    return place < delayed_count && arrivals_[word].test(place);
  }
  /// True if the text of a value made in `from` is another value by now. Nothing but `from` leads here.
  [[nodiscard]] bool is_stale(const Expression& value, std::uint16_t from) const {
    return std::any_of(value.reads.begin(), value.reads.end(), [&](Place place) {
      if (std::find(assigned_.begin(), assigned_.end(), place) != assigned_.end()) return true;
      for (std::uint16_t at = word_; at != from; at = forwarding_.predecessors(at)[0])
        if (arrives(at, place) || (at != word_ && assigns(at, place))) return true;
      return from != word_ && assigns(from, place);
    });
  }
  const Expression& value_of(std::uint16_t word, unsigned channel) {
    const std::size_t at = slot(word, channel);
    if (is_stale(values_[at], word)) {
      named_[at] = true;
      settled_ = false;
    }
    return values_[at];
  }
  Expression value_of(const Latch& latch) {
    if (!latch.merged) {
      Expression value = value_of(latch.word, latch.channel);
      return value.text.empty() ? undefined() : value;
    }
    return {name_of(latch), {place_of(latch)}, 0};
  }
  [[nodiscard]] Place place_of(const Latch& merge) const {
    return delayed_count + static_cast<Place>(std::find(merges_.begin(), merges_.end(), merge) - merges_.begin());
  }

  /// A result of this word that is stored or decides something.
  Expression used(Unit unit) {
    const bool partial = forwarding_.result_kind(word_, unit) != ResultKind::number || is_late(bits(), unit);
    return partial ? undefined() : value_of(word_, channel_of(unit));
  }

  Expression port(unsigned number, unsigned component) const {
    const unsigned index = field(number == 0 ? word::port0_index : word::port1_index);
    const std::string place = '[' + std::to_string(index) + "]." + component_letters[component];
    if (number == 0 && field(word::port0_attr) != 0) return fixed("attribute" + place);
    return {"register" + place, {4 * index + component}, 0};
  }
  Expression load(unsigned component) const {
    const unsigned offset = field(word::ld_off);
    Expression value = fixed("uniform[" + std::to_string(field(word::ld_addr)));
    if (offset != no_offset) value.text += "+A" + std::to_string(offset);
    value.text.append("].").append(1, component_letters[component]);
    value.reads.push_back(delayed_temporary + component);
    if (offset >= 1 && offset < address_registers) value.reads.push_back(delayed_address + offset - 1);
    return value;
  }

  [[nodiscard]] unsigned selector_of(const OperandField& operand) const { return field(*operand.field); }
  [[nodiscard]] bool is_identity(const OperandField& operand) const {
    return operand.b && selector_of(operand) == selector_identity;
  }
  [[nodiscard]] ResultKind kind(const OperandField& operand) const {
    return selector_of(operand) == selector_unused ? ResultKind::undefined : forwarding_.operand_kind(word_, operand);
  }

  /// What an operand selects, negation not applied. Partial results are their argument: what they are is known from
  /// the operations that made them.
  Expression raw(const OperandField& operand) {
    const unsigned selector = selector_of(operand);
    const Selector& row = selectors[selector];
    if (const ForwardedSource from = forwarded_source(selector, operand.b); from.age != 0)
      return value_of(forwarding_.producer(word_, from.channel, from.age));
    switch (row.source) {
      case Source::port0:
        return port(0, row.component);
      case Source::port1:
        return port(1, row.component);
      case Source::load:
        return load(row.component);
      case Source::unknown:
        if (selector == selector_perhaps_unused && settings_.is(PolicyId::selector8, "unused")) return undefined();
        return fixed("unknown" + std::to_string(selector));
      case Source::result:               // forwarded
      case Source::previous_port0:       // forwarded
      case Source::identity_or_complex:  // forwarded, or the operation knows what it is
      case Source::unused:
        break;
    }
    return undefined();
  }
  /// An operand as the bits that the operation takes.
  Expression taken(const OperandField& operand, ResultKind takes = ResultKind::number) {
    if (kind(operand) != takes) return undefined();
    const bool negates = operand.negate != nullptr && get(bits(), *operand.negate) != 0;
    return negates ? negated(raw(operand)) : raw(operand);
  }

  // ---------------------------------------------------------------------------------------------- operations

  Expression expression(Unit unit) {
    switch (unit) {
      case Unit::acc0:
        return adder(operand_of(word::acc0_a), operand_of(word::acc0_b));
      case Unit::acc1:
        return adder(operand_of(word::acc1_a), operand_of(word::acc1_b));
      case Unit::mul0:
        return multiplier0();
      case Unit::mul1:
        return product(mul_ops[multiply_opcode], operand_of(word::mul1_a), operand_of(word::mul1_b), word::mul1_neg);
      case Unit::pass:
        return pass();
      case Unit::complex:
        return complex();
    }
    return {};
  }

  template <class Does>
  std::string name_of(const Operation<Does>& operation, const Field& opcode) {
    return operation.does == Does::unknown ? "op" + std::to_string(field(opcode)) : std::string(operation.name);
  }

  Expression adder(const OperandField& a, const OperandField& b) {
    const Operation<AccOp>& operation = acc_operation(bits());
    Expression x = taken(a);
    if (operation.operands == 1) return call(name_of(operation, word::acc_op), {x});
    const bool identity = is_identity(b), minus = get(bits(), *b.negate) != 0;
    if (operation.traits.moves && identity && minus) return x;
    const Expression y = identity ? fixed(minus ? "-0" : "0") : taken(b);
    return binary(operation, word::acc_op, x, y);
  }

  Expression product(const Operation<MulOp>& operation, const OperandField& a, const OperandField& b,
                     const Field& negate) {
    Expression made = taken(a);
    if (!operation.traits.moves || !is_identity(b)) made = binary(operation, word::mul_op, made, one_or(b));
    return operation.traits.negates && field(negate) != 0 ? negated(std::move(made)) : made;
  }
  Expression one_or(const OperandField& b) { return is_identity(b) ? fixed("1") : taken(b); }

  template <class Does>
  Expression binary(const Operation<Does>& operation, const Field& opcode, const Expression& a, const Expression& b) {
    if (!operation.wording.infix.empty()) return infix(a, operation.wording.infix, b);
    return call(name_of(operation, opcode), {a, b});
  }

  Expression multiplier0() {
    const Operation<MulOp>& operation = mul_operation(bits());
    const OperandField &a = operand_of(word::mul0_a), &b = operand_of(word::mul0_b), &c = operand_of(word::mul1_a),
                       &d = operand_of(word::mul1_b);
    if (operation.traits.squares) return square(a, b);
    if (operation.traits.combines) return function(a, b, c, d);
    if (operation.traits.selects) return choice(truth(one_or(b)), taken(c), taken(a));
    if (!operation.traits.wide) return product(operation, a, b, word::mul0_neg);
    std::vector<Expression> arguments;
    for (const OperandField* operand : {&a, &b, &c, &d})
      if (arguments.size() < operation.operands) arguments.push_back(one_or(*operand));
    return call(name_of(operation, word::mul_op), arguments);
  }
  /// What is not equal to 0 holds, unless the policy says otherwise.
  Expression truth(const Expression& value) const {
    if (settings_.is(PolicyId::truth, "positive")) return infix(fixed("0"), "<", value);
    if (settings_.is(PolicyId::truth, "half")) return infix(value, ">=", fixed("0.5"));
    return value;
  }
  Expression square(const OperandField& a, const OperandField& b) {
    const bool known = kind(a) == ResultKind::number || kind(a) == ResultKind::pre_exp2;
    if (!known || kind(b) != kind(a) || is_identity(b)) return undefined();
    return same({raw(a), raw(b)});
  }
  /// The function whose sequence ends in this complex1.
  Expression function(const OperandField& table, const OperandField& square, const OperandField& again,
                      const OperandField& argument) {
    const Operation<ComplexOp>* const row = table_operation(kind(table));
    const bool fits = row != nullptr && kind(again) == kind(table) && kind(argument) == row->traits.takes &&
                      kind(square) == square_of(row->traits.takes) && !is_identity(square) && !is_identity(argument);
    if (!fits) return undefined();
    return call(row->name, {same({raw(table), raw(again), raw(square), raw(argument)})});
  }

  Expression pass() {
    const Operation<PassOp>& operation = pass_operation(bits());
    Expression x = taken(operand_of(word::pass_in), operation.traits.takes);
    if (stands_for_argument(operation.traits)) return x;
    if (!operation.traits.bounds) return call(name_of(operation, word::pass_op), {x});
    return call(name_of(operation, word::pass_op), {x, load(0), load(1)});
  }

  Expression complex() {
    const Operation<ComplexOp>& operation = cplx_operation(bits());
    if (operation.traits.from_pass) return used(Unit::pass);
    Expression x = taken(operand_of(word::cplx_in), operation.traits.takes);
    return stands_for_argument(operation.traits) ? x : call(name_of(operation, word::cplx_op), {x});
  }

  /// Steps of functions do as copies do: the complex1 at their end names the function.
  static bool stands_for_argument(const Traits& traits) {
    return traits.copies || traits.step || traits.addresses != 0;
  }

  // ---------------------------------------------------------------------------------------------- assignments

  /// `place` is what the assignment writes with a delay.
  void assign(const std::string& to, const Expression& value, Place place) {
    const bool late = late_.test(place);
    statement(to + " = " + value.text + (late ? " after " + counted(latency_of(place), "word") : ""));
    if (!late) assigned_.push_back(place);
  }

  void store() {
    for (unsigned half = 0; half < 2; ++half) {
      const StoreHalf store = store_half(bits(), half);
      for (unsigned i = 0; i < 2; ++i) {
        if (store.selector[i] == store_nothing) continue;
        const unsigned component = store.first_component + i;
        const Expression value =
            store.selector[i] == store_unknown ? fixed("unknown5") : used(stored_unit(store.selector[i]));
        const std::string to = '[' + std::to_string(store.index) + "]." + component_letters[component];
        if (store.kind == StoreKind::varying) statement("varying" + to + " = " + value.text);
        if (store.kind == StoreKind::reg) assign("register" + to, value, 4u * store.index + component);
        if (store.kind == StoreKind::temporary)
          assign(std::string("temporary[A0].") + component_letters[component], value, delayed_temporary + component);
      }
    }
  }

  void set_address(unsigned k) {
    const std::string to = 'A' + std::to_string(k);
    const Expression value = rounded(used(Unit::complex));
    if (k == 0)
      statement(to + " = " + value.text);
    else
      assign(to, value, delayed_address + k - 1);
  }

  /// What is assigned to an address register is rounded down, unless the policy says otherwise.
  Expression rounded(const Expression& value) const {
    if (settings_.is(PolicyId::address, "truncate")) return call("truncate", {value});
    if (settings_.is(PolicyId::address, "nearest")) return call("nearest", {value});
    return value;
  }

  /// Where paths meet, what a selector reads there is left by the last word of each. What comes from a merge latch is
  /// taken before that latch changes.
  void merge() {
    for (const bool own : {false, true})
      for (const MergeCopy& copy : forwarding_.copies(word_)) {
        if (copy.own != own) continue;
        const bool half_done = own && copy.to.read_age == 1 && is_late(bits(), static_cast<Unit>(copy.to.channel));
        const Expression value =
            half_done ? undefined() : value_of(own ? Latch{false, word_, copy.to.channel} : copy.from);
        statement(name_of(copy.to) + " = " + value.text);
        assigned_.push_back(place_of(copy.to));
      }
  }

  std::span<const Word128> words_;
  const Settings& settings_;
  Forwarding forwarding_;
  DelayedSet late_;                            ///< what is assigned with its delay
  std::vector<DelayedSet> writes_, arrivals_;  ///< by word: assigned at once; may arrive before the word
  std::vector<Latch> merges_;
  std::vector<unsigned> uses_;  ///< by slot, as all below
  std::vector<bool> named_;     ///< found to be in need of a name
  std::vector<Expression> values_;
  bool settled_ = false;
  std::vector<std::string> lines_;

  std::uint16_t word_ = 0;
  std::vector<Place> assigned_;                             ///< by the statements of this word so far
  std::vector<std::pair<std::string, std::string>> names_;  ///< texts that have got a name in this word
};

}  // namespace

std::string policy_without_text(const Settings& settings) {
  if (settings.is(PolicyId::sequence, "trap")) return "sequence=trap";
  return settings.is(PolicyId::early, "trap") ? "early=trap" : "";
}

PrintWords print_decompiled(const Program& program, const Settings& settings) {
  std::vector<Word128> executed;
  for (std::uint32_t i = 0; i < std::min(word_count(program.code), max_words); ++i)
    executed.push_back(load_word(program.code, i));
  return [&program, lines = Decompiler(executed, settings).run()](std::uint32_t from, std::uint32_t to, TextBuffer& out,
                                                                  std::vector<Listing::Word>* words) {
    for (std::uint32_t i = from; i < to; ++i) {
      const auto begin = static_cast<std::uint32_t>(out.size());
      if (i < lines.size())
        out.append(lines[i]);
      else
        print_data(i, load_word(program.code, i), out);
      if (words != nullptr)
        words->push_back({std::uint64_t{i} * word_bytes, word_bytes, begin, static_cast<std::uint32_t>(out.size())});
    }
  };
}

}  // namespace mobula::utgard_gp
