#include "machines/utgard_gp/text/decompile.h"

#include <string>

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

class Decompiler {
 public:
  Decompiler(std::span<const Word128> words, TextBuffer& out, std::vector<Listing::Word>* ranges)
      : words_(words), forwarding_(words), out_(out), ranges_(ranges) {}

  void run() {
    count_uses();
    depth_.assign(words_.size() * unit_count, 0);
    for (word_ = 0; word_ < words_.size(); ++word_) {
      const auto begin = static_cast<std::uint32_t>(out_.size());
      for (unsigned unit = 0; unit < unit_count; ++unit) define(static_cast<Unit>(unit));
      stores();
      if (is_branch(words_[word_]))
        statement("if (" + result(word_, Unit::pass) + ") goto " + std::to_string(branch_target(words_[word_])));
      if (ranges_ != nullptr)
        ranges_->push_back(
            {std::uint64_t{word_} * word_bytes, word_bytes, begin, static_cast<std::uint32_t>(out_.size())});
    }
  }

 private:
  [[nodiscard]] static std::size_t slot(std::uint16_t word, Unit unit) {
    return std::size_t{word} * unit_count + static_cast<std::size_t>(unit);
  }

  /// Moves are seen through, so a use of a move is a use of what it moved.
  void count_uses() {
    uses_.assign(words_.size() * unit_count, 0);
    for (std::uint16_t word = 0; word < forwarding_.count(); ++word) {
      for (const OperandField& operand : operand_fields) {
        if (!is_live(words_[word], operand)) continue;
        const ForwardedSource source =
            forwarded_source(static_cast<unsigned>(get(words_[word], *operand.field)), operand.b);
        if (source.age == 0 || source.channel >= channel_port0) continue;
        const Latch latch = forwarding_.producer(word, source.channel, source.age);
        if (!latch.merged) ++uses_[slot(latch.word, static_cast<Unit>(latch.channel))];
      }
      for (unsigned half = 0; half < 2; ++half)
        for (const std::uint8_t selector : store_half(words_[word], half).selector)
          if (selector != store_nothing && selector != store_unknown) ++uses_[slot(word, stored_unit(selector))];
    }
  }

  [[nodiscard]] static bool is_leaf(const std::string& text) { return text.find(' ') == std::string::npos; }

  /// Computes the text of a result, and writes a definition if it is to be named.
  void define(Unit unit) {
    if (!is_active(words_[word_], unit)) return;
    std::string text = expression(unit);
    const std::size_t at = slot(word_, unit);
    depth_[at] = deepest_ + 1;
    const bool partial = forwarding_.result_kind(word_, unit) != ResultKind::number;
    if (!is_leaf(text) && !partial && (uses_[at] > 1 || depth_[at] > max_depth)) {
      const std::string name = '^' + std::to_string(6 * word_ + static_cast<unsigned>(unit));
      statement(name + " = " + text);
      text = name;
      depth_[at] = 0;
    }
    texts_.resize(words_.size() * unit_count);
    texts_[at] = std::move(text);
  }

  std::string result(std::uint16_t word, Unit unit) {
    const std::size_t at = slot(word, unit);
    if (at >= texts_.size() || texts_[at].empty()) return "undefined";
    return texts_[at];
  }

  std::string source(const Field& field) {
    const OperandField* operand = nullptr;
    for (const OperandField& row : operand_fields)
      if (row.field == &field) operand = &row;
    const auto selector = static_cast<unsigned>(get(words_[word_], field));
    const bool negated = operand->negate != nullptr && get(words_[word_], *operand->negate) != 0;
    return (negated ? "-" : "") + plain_source(selector, operand->b);
  }

  std::string plain_source(unsigned selector, bool b) {
    const Word128& word = words_[word_];
    const Selector& row = selectors[selector];
    const std::string component = std::string(".") + component_letters[row.component];
    if (const ForwardedSource from = forwarded_source(selector, b); from.age != 0) return forwarded(from, component);
    switch (row.source) {
      case Source::port0:
        return port0(word) + component;
      case Source::port1:
        return "register[" + std::to_string(get(word, word::port1_index)) + ']' + component;
      case Source::load: {
        const auto offset = get(word, word::ld_off);
        return "uniform[" + std::to_string(get(word, word::ld_addr)) +
               (offset == no_offset ? "" : "+A" + std::to_string(offset)) + ']' + component;
      }
      case Source::identity_or_complex:
        return "ident";
      case Source::unknown:
        return "unknown" + std::to_string(selector);
      case Source::result:          // forwarded
      case Source::previous_port0:  // forwarded
      case Source::unused:
        break;
    }
    return "unused";
  }

  std::string forwarded(const ForwardedSource& from, const std::string& component) {
    const Latch latch = forwarding_.producer(word_, from.channel, from.age);
    if (latch.merged) return std::string(source_names(from)) + "[-" + std::to_string(from.age) + "]";
    if (latch.channel >= channel_port0) return port0(words_[latch.word]) + component;
    const auto unit = static_cast<Unit>(latch.channel);
    deepest_ = std::max(deepest_, depth_[slot(latch.word, unit)]);
    return result(latch.word, unit);
  }
  static std::string_view source_names(const ForwardedSource& from) {
    return from.channel < unit_count ? info(static_cast<Unit>(from.channel)).name : "p0";
  }
  static std::string port0(const Word128& word) {
    return (get(word, word::port0_attr) != 0 ? "attribute[" : "register[") +
           std::to_string(get(word, word::port0_index)) + ']';
  }

  /// The operation a unit performs, in infix notation where there is one.
  std::string expression(Unit unit) {
    deepest_ = 0;
    const Word128& word = words_[word_];
    switch (unit) {
      case Unit::acc0:
        return adder(word::acc0_a, word::acc0_b, get(word, word::acc0_b_neg) != 0);
      case Unit::acc1:
        return adder(word::acc1_a, word::acc1_b, get(word, word::acc1_b_neg) != 0);
      case Unit::mul0:
        return multiplier0();
      case Unit::mul1:
        return product(word::mul1_a, word::mul1_b, get(word, word::mul1_neg) != 0);
      case Unit::pass:
        return pass();
      case Unit::complex:
        return complex();
    }
    return {};
  }

  std::string adder(const Field& a, const Field& b, bool b_negated) {
    const Operation<AccOp>& operation = acc_operation(words_[word_]);
    std::string x = source(a);
    if (operation.operands == 1) return call(name_of(operation, word::acc_op), {x});
    const bool identity = get(words_[word_], b) == selector_identity;
    if (operation.does == AccOp::add && identity && b_negated) return x;
    const std::string y = identity ? (b_negated ? "-0" : "0") : source(b);
    if (!operation.wording.infix.empty()) return '(' + x + ' ' + std::string(operation.wording.infix) + ' ' + y + ')';
    return call(name_of(operation, word::acc_op), {x, y});
  }

  std::string product(const Field& a, const Field& b, bool negated) {
    std::string x = source(a);
    const std::string text = get(words_[word_], b) == selector_identity ? x : '(' + x + " * " + source(b) + ')';
    return negated ? '-' + text : text;
  }

  std::string multiplier0() {
    const Word128& word = words_[word_];
    const Operation<MulOp>& operation = mul_operation(word);
    switch (operation.does) {
      case MulOp::mul:
        return product(word::mul0_a, word::mul0_b, get(word, word::mul0_neg) != 0);
      case MulOp::complex2:
        return source(word::mul0_a);
      case MulOp::select:
        return '(' + source(word::mul0_b) + " ? " + source(word::mul1_a) + " : " + source(word::mul0_a) + ')';
      case MulOp::complex1:
        return function(source(word::mul1_b));
      case MulOp::unknown:
        break;
    }
    return call(name_of(operation, word::mul_op),
                {source(word::mul0_a), source(word::mul0_b), source(word::mul1_a), source(word::mul1_b)});
  }

  /// The function whose sequence ends in this complex1.
  std::string function(const std::string& argument) {
    switch (forwarding_.operand_kind(word_, operand_fields[0])) {
      case ResultKind::table_exp2:
        return "exp2(" + argument + ')';
      case ResultKind::table_log2:
        return "log2(" + argument + ')';
      case ResultKind::table_rsqrt:
        return "rsqrt(" + argument + ')';
      case ResultKind::table_rcp:
        return "rcp(" + argument + ')';
      case ResultKind::number:
      case ResultKind::pre_exp2:
      case ResultKind::square:
      case ResultKind::square_pre_exp2:
      case ResultKind::raw_log2:
      case ResultKind::undefined:
      case ResultKind::mixed:
        break;
    }
    return "complex1(" + source(word::mul0_a) + ", " + source(word::mul0_b) + ", " + source(word::mul1_a) + ", " +
           argument + ')';
  }

  std::string pass() {
    const Operation<PassOp>& operation = pass_operation(words_[word_]);
    std::string x = source(word::pass_in);
    if (stands_for_argument(operation.traits)) return x;
    if (!operation.traits.bounds) return call(name_of(operation, word::pass_op), {x});
    constexpr unsigned low = first_selector(Source::load);
    return call(name_of(operation, word::pass_op), {x, plain_source(low, false), plain_source(low + 1, false)});
  }

  std::string complex() {
    const Operation<ComplexOp>& operation = cplx_operation(words_[word_]);
    if (operation.does == ComplexOp::set_addresses_from_pass) return result(word_, Unit::pass);
    if (stands_for_argument(operation.traits)) return source(word::cplx_in);
    return call(name_of(operation, word::cplx_op), {source(word::cplx_in)});
  }

  /// Steps of functions do as copies do: the complex1 at their end names the function.
  static bool stands_for_argument(const Traits& traits) { return traits.copies || traits.step; }

  template <class Does>
  std::string name_of(const Operation<Does>& operation, const Field& opcode) {
    return operation.does == Does::unknown ? "op" + std::to_string(get(words_[word_], opcode))
                                           : std::string(operation.name);
  }

  static std::string call(std::string text, std::initializer_list<std::string> arguments) {
    text += '(';
    for (const std::string& argument : arguments) text.append(text.back() == '(' ? "" : ", ").append(argument);
    return text + ')';
  }

  void stores() {
    const Word128& word = words_[word_];
    for (unsigned half = 0; half < 2; ++half) {
      const StoreHalf store = store_half(word, half);
      for (unsigned i = 0; i < 2; ++i) {
        if (store.selector[i] == store_nothing) continue;
        std::string text =
            store.kind == StoreKind::temporary
                ? "temporary[A0]"
                : (store.kind == StoreKind::varying ? "varying[" : "register[") + std::to_string(store.index) + ']';
        const std::string value =
            store.selector[i] == store_unknown ? "unknown5" : result(word_, stored_unit(store.selector[i]));
        text.append(1, '.').append(1, component_letters[store.first_component + i]).append(" = ").append(value);
        statement(text);
      }
    }
    for (unsigned k = 0; k < address_registers; ++k)
      if (sets_address(word, k)) statement("A" + std::to_string(k) + " = " + address_value());
  }

  std::string address_value() {
    return cplx_operation(words_[word_]).does == ComplexOp::set_addresses_from_pass ? result(word_, Unit::pass)
                                                                                    : source(word::cplx_in);
  }

  void statement(const std::string& text) { out_.append(numbered(word_) + text + ";\n"); }

  std::span<const Word128> words_;
  Forwarding forwarding_;
  TextBuffer& out_;
  std::vector<Listing::Word>* ranges_;
  std::uint16_t word_ = 0;
  unsigned deepest_ = 0;
  std::vector<unsigned> uses_, depth_;
  std::vector<std::string> texts_;
};

}  // namespace

void print_decompiled(const Program& program, TextBuffer& out, std::vector<Listing::Word>* words) {
  const std::uint32_t count = word_count(program.code), executable = std::min(count, max_words);
  std::vector<Word128> executed;
  for (std::uint32_t i = 0; i < executable; ++i) executed.push_back(load_word(program.code, i));
  Decompiler(executed, out, words).run();
  for (std::uint32_t i = executable; i < count; ++i) {
    const auto begin = static_cast<std::uint32_t>(out.size());
    print_data(i, load_word(program.code, i), out);
    if (words != nullptr)
      words->push_back({std::uint64_t{i} * word_bytes, word_bytes, begin, static_cast<std::uint32_t>(out.size())});
  }
}

}  // namespace mobula::utgard_gp
