#include "machines/utgard_gp/text/print_ogt.h"

#include "machines/utgard_gp/text/tokens.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::size_t ogt_word_room = 2048;

constexpr std::array<std::string_view, unit_count> unit_calls{"acc[0]", "acc[1]", "mul[0]",
                                                              "mul[1]", "pass",   "complex"};
constexpr std::string_view call_of(Unit unit) { return unit_calls[static_cast<std::size_t>(unit)]; }

class OgtPrinter {
 public:
  OgtPrinter(const Word128& word, char* out) : word_(word), out_(out) {}

  char* run() {
    each_item(word_, [&](const Item& item) { print(item); });
    if (const auto flow = get(word_, word::flow); flow != 0)
      out_ = put(put_decimal(put(part(), "unknown_1("), flow), ')');
    return put(out_, ";\n");
  }

 private:
  char* part() {
    if (!first_) out_ = put(out_, ", ");
    first_ = false;
    return out_;
  }

  void load(std::string_view what, std::uint32_t number) {
    out_ = put(put_decimal(put(put(part(), what), ".load("), number), ')');
  }

  void print(const Item& item) {
    switch (item.kind) {
      case Item::Kind::port0_attribute:
        load("attribute", item.number);
        break;
      case Item::Kind::port0_register:
        load("register[0]", item.number);
        break;
      case Item::Kind::port1:
        load("register[1]", item.number);
        break;
      case Item::Kind::load:
        out_ = put_decimal(put(part(), "uniform.load("), item.number);
        if (item.offset != no_offset) out_ = put_decimal(put(out_, ", address["), item.offset);
        out_ = put(out_, item.offset != no_offset ? std::string_view("])") : std::string_view(")"));
        break;
      case Item::Kind::mul:
        multiplier(item);
        break;
      case Item::Kind::wide:
        wide(item);
        break;
      case Item::Kind::acc:
        adder(item);
        break;
      case Item::Kind::complex:
        single(item, cplx_ops[item.opcode]);
        break;
      case Item::Kind::pass:
        single(item, pass_ops[item.opcode]);
        break;
      case Item::Kind::store:
        store(item);
        break;
      case Item::Kind::branch:
        out_ = put(put_decimal(put(part(), "branch("), item.number), ')');
        break;
      case Item::Kind::force:
        break;
    }
  }

  void call(Unit unit, std::string_view name, unsigned opcode) {
    out_ = put(put(part(), call_of(unit)), '.');
    if (name.empty())
      out_ = put_decimal(put(out_, "unknown_"), opcode);
    else
      out_ = put(out_, name);
    out_ = put(out_, '(');
  }

  void multiplier(const Item& item) {
    const bool move = is_move(item);
    call(item.unit, move ? std::string_view("pass") : mul_ops[item.opcode].name, item.opcode);
    if (item.negated) out_ = put(out_, '-');
    source(item.operands[0], false);
    if (!move) source(item.operands[1], true);
    out_ = put(out_, ')');
  }
  void wide(const Item& item) {
    call(Unit::mul0, mul_ops[item.opcode].name, item.opcode);
    for (unsigned i = 0; i < 4; ++i) source(item.operands[i], (i & 1) != 0);
    out_ = put(out_, ')');
  }
  void adder(const Item& item) {
    const bool move = is_move(item) || is_negated_move(item);
    call(item.unit, move ? std::string_view("pass") : acc_ops[item.opcode].name, item.opcode);
    source(item.operands[0], false);
    if (!move && acc_ops[item.opcode].operands == 2) source(item.operands[1], true);
    out_ = put(out_, ')');
  }
  template <class Does>
  void single(const Item& item, const Operation<Does>& operation) {
    call(item.unit, operation.traits.copies ? std::string_view("pass") : operation.name, item.opcode);
    source(item.operands[0], false);
    out_ = put(out_, ')');
  }

  void source(const ItemOperand& operand, bool b) {
    if (out_[-1] != '(' && out_[-1] != '-') out_ = put(out_, ", ");
    if (operand.negated) out_ = put(out_, '-');
    const Selector& row = selectors[operand.selector];
    const auto component = [&](std::string_view of) {
      out_ = put(put(put(out_, of), '.'), component_letters[row.component]);
    };
    switch (row.source) {
      case Source::port0:
        component(get(word_, word::port0_attr) != 0 ? "attribute" : "register[0]");
        break;
      case Source::port1:
        component("register[1]");
        break;
      case Source::load:
        component("uniform");
        break;
      case Source::previous_port0:
        component("attrib");
        out_ = put(out_, "[1]");
        break;
      case Source::unused:
        out_ = put(out_, "unused");
        break;
      case Source::unknown:
        out_ = put_decimal(put(out_, "unknown"), operand.selector);
        break;
      case Source::identity_or_complex:
        if (b) {
          out_ = put(out_, "ident");
          break;
        }
        [[fallthrough]];
      case Source::result:
        out_ = put(put_decimal(put(put(out_, call_of(row.unit)), ".out["), row.age), ']');
        break;
    }
  }

  void store(const Item& item) {
    constexpr std::array<std::string_view, 4> kinds{"", "register", "varying", "temporary"};
    out_ = put(put_decimal(put(part(), "store["), item.half), "].");
    out_ = put(put(out_, kinds[static_cast<std::size_t>(item.store.kind)]), '(');
    if (item.store.kind != StoreKind::temporary) out_ = put(put_decimal(out_, item.store.index), ", ");
    for (unsigned i = 0; i < 2; ++i) {
      if (i != 0) out_ = put(out_, ", ");
      const unsigned selector = item.store.selector[i];
      if (selector == store_nothing)
        out_ = put(out_, "unused");
      else if (selector == store_unknown)
        out_ = put(out_, "unknown5");
      else
        out_ = put(put(out_, call_of(stored_unit(selector))), ".out");
    }
    out_ = put(out_, ')');
  }

  const Word128& word_;
  char* out_;
  bool first_ = true;
};

}  // namespace

PrintWords print_ogt(const Program& program) {
  return [&program](std::uint32_t from, std::uint32_t to, TextBuffer& out, std::vector<Listing::Word>* words) {
    for (std::uint32_t i = from; i < to; ++i) {
      const auto begin = static_cast<std::uint32_t>(out.size());
      const Word128 word = load_word(program.code, i);
      out.commit(OgtPrinter(word, out.reserve(ogt_word_room)).run());
      if (words != nullptr)
        words->push_back({std::uint64_t{i} * word_bytes, word_bytes, begin, static_cast<std::uint32_t>(out.size())});
    }
  };
}

}  // namespace mobula::utgard_gp
