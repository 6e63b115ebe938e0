#include "machines/utgard_gp/syntax_mesa.h"

#include "machines/utgard_gp/text_tokens.h"

namespace mobula::utgard_gp {
namespace {

/// Room for all lines of one word.
constexpr std::size_t word_room = 1024;

/// Results are numbered through the program: six a word, in the order of Unit but with pass before complex as it
/// stands.
constexpr unsigned result_number(std::uint32_t index, Unit unit) { return 6 * index + static_cast<unsigned>(unit); }

/// Prints one word; `previous` is the word before it in memory, for what its port 0 loaded.
class MesaPrinter {
 public:
  MesaPrinter(const Word128& word, const Word128& previous, std::uint32_t index, char* out)
      : word_(word), previous_(previous), index_(index), out_(out) {}

  char* run() {
    for (const Unit unit : {Unit::acc0, Unit::acc1})
      if (is_active(word_, unit)) adder(unit);
    if (is_wide(op(word::mul_op)))
      wide();
    else
      for (const Unit unit : {Unit::mul0, Unit::mul1})
        if (is_active(word_, unit)) multiplier(unit);
    if (is_active(word_, Unit::complex)) complex();
    if (is_active(word_, Unit::pass)) pass();
    if (get(word_, word::branch) != 0) branch();
    if (const unsigned flow = op(word::flow); flow != 0) {
      line();
      out_ = put_decimal(put(out_, "unknown_1 "), flow);
    }
    if (first_) {
      line();
      out_ = put(out_, "nop");
    }
    return put(out_, '\n');
  }

 private:
  [[nodiscard]] unsigned op(const Field& field) const { return static_cast<unsigned>(get(word_, field)); }

  void line() {
    if (!first_) out_ = put(out_, '\n');
    first_ = false;
    out_ = put(out_, '\t');
  }

  void number(unsigned result) { out_ = put_decimal(put(out_, '^'), result); }

  /// "mnemonic.unit ^K/stores "
  void head(std::string_view mnemonic, std::string_view suffix, Unit unit) {
    line();
    out_ = put(put(put(out_, mnemonic), '.'), suffix);
    out_ = put(out_, ' ');
    number(result_number(index_, unit));
    destinations(unit);
  }
  void head_numbered(std::string_view prefix, unsigned opcode, std::string_view suffix, Unit unit) {
    line();
    out_ = put(put_decimal(put(out_, prefix), opcode), '.');
    out_ = put(put(out_, suffix), ' ');
    number(result_number(index_, unit));
    destinations(unit);
  }

  void destinations(Unit unit) {
    for (unsigned half = 0; half < 2; ++half) {
      const StoreHalf store = store_half(word_, half);
      bool named = false;
      for (unsigned i = 0; i < 2; ++i) {
        if (store.selector[i] == store_nothing || store.selector[i] == store_unknown ||
            stored_unit(store.selector[i]) != unit)
          continue;
        if (!named) destination(store);
        named = true;
        out_ = put(out_, component_letters[store.first_component + i]);
      }
    }
  }
  void destination(const StoreHalf& store) {
    out_ = put(out_, '/');
    if (store.kind == StoreKind::temporary) {
      out_ = put(out_, "t[addr0]");
    } else {
      out_ = put(out_, store.kind == StoreKind::varying ? 'v' : '$');
      out_ = put_decimal(out_, store.index);
    }
    out_ = put(out_, '.');
  }

  void port0(const Word128& word, unsigned component) {
    out_ = put(out_, get(word, word::port0_attr) != 0 ? 'a' : '$');
    out_ = put_decimal(out_, get(word, word::port0_index));
    out_ = put(put(out_, '.'), component_letters[component]);
  }

  void source(const Field& field, bool b_operand, char identity) {
    const unsigned selector = op(field);
    const Selector& row = selectors[selector];
    switch (row.source) {
      case Source::port0:
        port0(word_, row.component);
        break;
      case Source::previous_port0:
        port0(previous_, row.component);
        break;
      case Source::port1:
        out_ = put_decimal(put(out_, '$'), op(word::port1_index));
        out_ = put(put(out_, '.'), component_letters[row.component]);
        break;
      case Source::load:
        load(row.component);
        break;
      case Source::unused:
        out_ = put(out_, "unused");
        break;
      case Source::unknown:
        out_ = put_decimal(put(out_, "unknown"), selector - 8);
        break;
      case Source::identity_or_complex:
        if (b_operand) {
          out_ = put(out_, identity);
          break;
        }
        [[fallthrough]];
      case Source::result:
        earlier(row);
        break;
    }
  }
  void load(unsigned component) {
    out_ = put_decimal(put(out_, "t["), op(word::ld_addr));
    if (const unsigned offset = op(word::ld_off); offset != 7) out_ = put_decimal(put(out_, "+addr"), offset);
    out_ = put(put(out_, "]."), component_letters[component]);
  }
  /// A result of one of the last two words; before the program there is none.
  void earlier(const Selector& row) {
    if (index_ < row.age)
      out_ = put(out_, "^?");
    else
      number(result_number(index_ - row.age, row.unit));
  }
  void operand(const Field& field, bool b_operand, char identity, bool negated) {
    out_ = put(out_, ' ');
    if (negated) out_ = put(out_, '-');
    source(field, b_operand, identity);
  }

  void adder(Unit unit) {
    const bool first = unit == Unit::acc0;
    const Field &a = first ? word::acc0_a : word::acc1_a, &b = first ? word::acc0_b : word::acc1_b;
    const bool a_neg = op(first ? word::acc0_a_neg : word::acc1_a_neg) != 0,
               b_neg = op(first ? word::acc0_b_neg : word::acc1_b_neg) != 0;
    const std::string_view suffix = info(unit).mesa_suffix;
    const unsigned opcode = op(word::acc_op);
    const bool move = opcode == acc_add && op(b) == selector_identity && b_neg;
    if (move)
      head("mov", suffix, unit);
    else if (acc_ops[opcode].name.empty())
      head_numbered("op", opcode, suffix, unit);
    else
      head(acc_ops[opcode].name, suffix, unit);
    operand(a, false, '0', a_neg);
    if (!move && acc_ops[opcode].operands == 2) operand(b, true, '0', b_neg);
  }

  void multiplier(Unit unit) {
    const bool first = unit == Unit::mul0;
    const Field &a = first ? word::mul0_a : word::mul1_a, &b = first ? word::mul0_b : word::mul1_b;
    const bool negated = op(first ? word::mul0_neg : word::mul1_neg) != 0;
    const bool complex2 = first && op(word::mul_op) == mul_complex2;
    const bool move = !complex2 && op(b) == selector_identity && !negated;
    head(complex2 ? "complex2" : move ? "mov" : "mul", info(unit).mesa_suffix, unit);
    operand(a, false, '1', false);
    if (!move) operand(b, true, '1', negated);
  }

  void wide() {
    const unsigned opcode = op(word::mul_op);
    if (opcode == mul_select) {
      head("sel", "m01", Unit::mul0);
      operand(word::mul0_b, true, '1', false);
      operand(word::mul0_a, false, '1', false);
      operand(word::mul1_a, false, '1', false);
      return;
    }
    if (opcode == mul_complex1)
      head("complex1", "m01", Unit::mul0);
    else
      head_numbered("unknown", opcode, "m01", Unit::mul0);
    operand(word::mul0_a, false, '1', false);
    operand(word::mul0_b, true, '1', false);
    operand(word::mul1_a, false, '1', false);
    operand(word::mul1_b, true, '1', false);
  }

  void complex() {
    const unsigned opcode = op(word::cplx_op);
    const bool sets_address = opcode >= cplx_set_a0;
    if (sets_address || opcode == cplx_mov)
      head("mov", "c", Unit::complex);
    else if (cplx_ops[opcode].name.empty() || opcode == cplx_set_a01)
      head_numbered("unk", opcode, "c", Unit::complex);
    else
      head(cplx_ops[opcode].name, "c", Unit::complex);
    if (sets_address) out_ = put_decimal(put(out_, "/addr"), opcode - cplx_set_a0);
    operand(word::cplx_in, false, '0', false);
  }

  void pass() {
    const unsigned opcode = op(word::pass_op);
    if (pass_ops[opcode].name.empty())
      head_numbered("unk", opcode, "p", Unit::pass);
    else
      head(pass_ops[opcode].name, "p", Unit::pass);
    operand(word::pass_in, false, '0', false);
  }

  void branch() {
    line();
    out_ = put(out_, "branch ");
    number(result_number(index_, Unit::pass));
    const unsigned target = branch_target(word_);
    out_ = put(out_, ' ');
    for (const unsigned unit : {100u, 10u, 1u}) out_ = put(out_, static_cast<char>('0' + target / unit % 10));
  }

  const Word128 &word_, &previous_;
  std::uint32_t index_;
  char* out_;
  bool first_ = true;
};

}  // namespace

void print_mesa(const Program& program, TextBuffer& out, std::vector<Listing::Word>* words) {
  Word128 previous = nop;
  for (std::uint32_t i = 0; i < word_count(program.code); ++i) {
    const auto begin = static_cast<std::uint32_t>(out.size());
    const Word128 word = load_word(program.code, i);
    char* line = out.reserve(word_room);
    if (i < 100) line = put(line, '0');
    if (i < 10) line = put(line, '0');
    line = put(put_decimal(line, i), ':');
    out.commit(MesaPrinter(word, previous, i, line).run());
    if (words != nullptr)
      words->push_back({std::uint64_t{i} * word_bytes, word_bytes, begin, static_cast<std::uint32_t>(out.size())});
    previous = word;
  }
}

}  // namespace mobula::utgard_gp
