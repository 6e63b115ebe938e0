#include "machines/utgard_gp/text/print_mesa.h"

#include <bit>

#include "machines/utgard_gp/text/tokens.h"

namespace mobula::utgard_gp {
namespace {

/// Room for all lines of one word.
constexpr std::size_t word_room = 1024;

/// Results are numbered through the program: six a word, in the order of Unit but with pass before complex as it
/// stands.
constexpr unsigned result_number(std::uint32_t index, Unit unit) { return 6 * index + static_cast<unsigned>(unit); }

// Names as in the native text but for what Mesa calls otherwise.
template <class Does, std::size_t N>
constexpr std::array<Spelling, N> mesa_names_of(const std::array<Operation<Does>, N>& table, std::string_view unknown) {
  std::array<Spelling, N> names = spellings_of(table, unknown);
  for (std::size_t i = 0; i < N; ++i)
    if (!table[i].wording.mesa.empty()) names[i] = Spelling(table[i].wording.mesa);
  return names;
}
constexpr auto mesa_acc_names = mesa_names_of(acc_ops, "op");
constexpr auto mesa_pass_names = mesa_names_of(pass_ops, "unk");
constexpr auto mesa_mul_names = mesa_names_of(mul_ops, "unknown");
constexpr auto mesa_cplx_names = mesa_names_of(cplx_ops, "unk");

/// The index of a word with at least three digits.
char* put_index(char* out, std::uint32_t index) {
  if (index < 100) out = put(out, '0');
  if (index < 10) out = put(out, '0');
  return put_decimal(out, index);
}

/// Prints one word; `previous` is the word before it in memory, for what its port 0 loaded.
class MesaPrinter {
 public:
  MesaPrinter(const Word128& word, const Word128& previous, std::uint32_t index, char* out)
      : word_(word), previous_(previous), index_(index), out_(out) {
    each_store(word, [&](const Item& item) {
      const StoreHalf& half = halves_[item.half] = item.store;
      for (unsigned i = 0; i < 2; ++i)
        stored_[half.selector[i]] |= static_cast<std::uint8_t>(1U << (half.first_component + i));
    });
  }

  [[gnu::flatten]] char* run() {
    each_adder(word_, [&](const Item& item) { adder(item); });
    each_multiplier(word_, [&](const Item& item) { item.kind == Item::Kind::wide ? wide(item) : multiplier(item); });
    each_single(word_, [&](const Item& item) { item.kind == Item::Kind::complex ? complex(item) : pass(item); });
    if (get(word_, word::branch) != 0) branch();
    if (const std::uint64_t flow = get(word_, word::flow); flow != 0) {
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
  void line() {
    if (!first_) out_ = put(out_, '\n');
    first_ = false;
    out_ = put(out_, '\t');
  }

  void number(unsigned result) { out_ = put_decimal(put(out_, '^'), result); }

  /// "mnemonic.unit ^K/stores"
  template <class Name>
  void head(const Name& mnemonic, std::string_view suffix, Unit unit) {
    line();
    out_ = put(put(put(out_, mnemonic), '.'), suffix);
    out_ = put(out_, ' ');
    number(result_number(index_, unit));
    const unsigned stored = stored_[store_selector(unit)];
    if ((stored & 3) != 0) destination(halves_[0], stored & 3);
    if ((stored & 12) != 0) destination(halves_[1], stored & 12);
  }
  void destination(const StoreHalf& store, unsigned components) {
    out_ = put(out_, '/');
    if (store.kind == StoreKind::temporary) {
      out_ = put(out_, "t[addr0]");
    } else {
      out_ = put(out_, store.kind == StoreKind::varying ? 'v' : '$');
      out_ = put_decimal(out_, store.index);
    }
    out_ = put(out_, '.');
    for (unsigned i = 0; i < 4; ++i)
      if ((components >> i & 1) != 0) out_ = put(out_, component_letters[i]);
  }

  void port0(const Word128& word, unsigned component) {
    out_ = put(out_, get(word, word::port0_attr) != 0 ? 'a' : '$');
    out_ = put_decimal(out_, get(word, word::port0_index));
    out_ = put(put(out_, '.'), component_letters[component]);
  }
  void load(unsigned component) {
    out_ = put_decimal(put(out_, "t["), get(word_, word::ld_addr));
    if (const std::uint64_t offset = get(word_, word::ld_off); offset != no_offset)
      out_ = put_decimal(put(out_, "+addr"), offset);
    out_ = put(put(out_, "]."), component_letters[component]);
  }
  /// A result of one of the last two words; before the program there is none.
  void earlier(const Selector& row) {
    if (index_ < row.age)
      out_ = put(out_, "^?");
    else
      number(result_number(index_ - row.age, row.unit));
  }
  void source(unsigned selector, bool b_operand, char identity) {
    const Selector& row = selectors[selector];
    switch (row.source) {
      case Source::port0:
        return port0(word_, row.component);
      case Source::previous_port0:
        return port0(previous_, row.component);
      case Source::port1:
        out_ = put_decimal(put(out_, '$'), get(word_, word::port1_index));
        out_ = put(put(out_, '.'), component_letters[row.component]);
        return;
      case Source::load:
        return load(row.component);
      case Source::unused:
        out_ = put(out_, "unused");
        return;
      case Source::unknown:
        out_ = put_decimal(put(out_, "unknown"), selector - first_selector(Source::unknown));
        return;
      case Source::identity_or_complex:
        if (!b_operand) return earlier(row);
        out_ = put(out_, identity);
        return;
      case Source::result:
        return earlier(row);
    }
  }
  /// Operand `index` of an item; multipliers negate their second one.
  void operand(const Item& item, unsigned index, bool negated) {
    out_ = put(out_, ' ');
    if (negated) out_ = put(out_, '-');
    source(item.operands[index].selector, is_b_operand(item.kind, index), item.kind == Item::Kind::acc ? '0' : '1');
  }

  void adder(const Item& item) {
    const std::string_view suffix = info(item.unit).mesa_suffix;
    const bool move = is_move(item) || is_negated_move(item);
    if (move)
      head("mov", suffix, item.unit);
    else
      head(mesa_acc_names[item.opcode], suffix, item.unit);
    operand(item, 0, item.operands[0].negated);
    if (!move && acc_ops[item.opcode].operands == 2) operand(item, 1, item.operands[1].negated);
  }

  void multiplier(const Item& item) {
    const std::string_view suffix = info(item.unit).mesa_suffix;
    const bool move = is_move(item) && !item.negated;
    if (move)
      head("mov", suffix, item.unit);
    else
      head(mesa_mul_names[item.opcode], suffix, item.unit);
    operand(item, 0, false);
    if (!move) operand(item, 1, item.negated);
  }

  void wide(const Item& item) {
    head(mesa_mul_names[item.opcode], "m01", Unit::mul0);
    if (mul_ops[item.opcode].traits.selects) {
      for (const unsigned index : {1U, 0U, 2U}) operand(item, index, false);
      return;
    }
    for (unsigned index = 0; index < 4; ++index) operand(item, index, false);
  }

  void complex(const Item& item) {
    head(mesa_cplx_names[item.opcode], "c", Unit::complex);
    if (const Traits& traits = cplx_ops[item.opcode].traits; std::has_single_bit(traits.addresses))
      out_ = put_decimal(put(out_, "/addr"), std::countr_zero(traits.addresses));
    operand(item, 0, false);
  }

  void pass(const Item& item) {
    head(mesa_pass_names[item.opcode], "p", Unit::pass);
    operand(item, 0, false);
  }

  void branch() {
    line();
    out_ = put(out_, "branch ");
    number(result_number(index_, Unit::pass));
    out_ = put_index(put(out_, ' '), branch_target(word_));
  }

  const Word128 &word_, &previous_;
  std::uint32_t index_;
  char* out_;
  bool first_ = true;
  std::array<StoreHalf, 2> halves_;
  std::array<std::uint8_t, 8> stored_{};  ///< components by store selector, bit 0 for x
};

}  // namespace

PrintWords print_mesa(const Program& program) {
  return [&program](std::uint32_t from, std::uint32_t to, TextBuffer& out, std::vector<Listing::Word>* words) {
    Word128 previous = from == 0 ? nop : load_word(program.code, from - 1);
    for (std::uint32_t i = from; i < to; ++i) {
      const auto begin = static_cast<std::uint32_t>(out.size());
      const Word128 word = load_word(program.code, i);
      out.commit(MesaPrinter(word, previous, i, put(put_index(out.reserve(word_room), i), ':')).run());
      if (words != nullptr)
        words->push_back({std::uint64_t{i} * word_bytes, word_bytes, begin, static_cast<std::uint32_t>(out.size())});
      previous = word;
    }
  };
}

}  // namespace mobula::utgard_gp
