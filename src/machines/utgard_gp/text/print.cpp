#include "machines/utgard_gp/text/print.h"

#include <string>
#include <vector>

#include "machines/utgard_gp/spec/names.h"
#include "machines/utgard_gp/text/tokens.h"

namespace mobula::utgard_gp {
namespace {

/// Room for any word's line: items, forced fields, label and comment without names.
constexpr std::size_t line_room = 2048;

/// Adds names to a line: "  // attr0 = aPosition, u[2] = mvp[1]", or nothing.
class NamesComment {
 public:
  NamesComment(const Names& names, char* out) : names_(names), out_(out) {}

  void add(const Item& item) {
    if (item.kind == Item::Kind::port0_attribute) {
      if (begin(names_.attribute(item.number))) name(put_decimal(put(out_, "attr"), item.number));
    } else if (item.kind == Item::Kind::load) {
      if (begin(names_.uniform(item.number))) name(put(put_decimal(put(out_, "u["), item.number), ']'));
    } else if (item.kind == Item::Kind::store && item.store.kind == StoreKind::varying) {
      if (item.store.index == varying_) return;  // both halves store the same one
      varying_ = item.store.index;
      if (begin(names_.varying(varying_))) name(put_decimal(put(out_, "v"), varying_));
    }
  }
  [[nodiscard]] char* end() const { return out_; }

 private:
  bool begin(std::string_view name) {
    name_ = name;
    if (name.empty()) return false;
    out_ = first_ ? put(out_, "  // ") : put(out_, ", ");
    first_ = false;
    return true;
  }
  void name(char* out) { out_ = put(put(out, " = "), name_); }

  const Names& names_;
  char* out_;
  std::string_view name_;
  bool first_ = true;
  unsigned varying_ = varying_count;
};

char* put_operand(char* out, const ItemOperand& operand, bool b) {
  if (operand.negated) out = put(out, '-');
  return put(out, source_spellings[b ? 1 : 0][operand.selector]);
}

char* put_operands(char* out, const Item& item, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (i != 0) out = put(out, ',');
    out = put_operand(put(out, ' '), item.operands[i], is_b_operand(item.kind, i));
  }
  return out;
}

char* put_mul(char* out, const Item& item) {
  out = item.unit == Unit::mul0 ? put(out, "m0 = ") : put(out, "m1 = ");
  if (item.negated) out = put(out, '-');
  if (is_move(item)) {
    out = put(out, "mov ");
    return put_operand(out, item.operands[0], false);
  }
  out = put(out, mul_spellings[item.opcode]);
  return put_operands(out, item, 2);
}

char* put_wide(char* out, const Item& item) {
  out = put(out, "m01 = ");
  if (mul_ops[item.opcode].traits.selects) {
    out = put(out, "select ");
    out = put_operand(out, item.operands[1], true);
    out = put(out, " ? ");
    out = put_operand(out, item.operands[2], false);
    out = put(out, " : ");
    out = put_operand(out, item.operands[0], false);
    if (item.operands[3].selector != selector_unused) {
      out = put(out, ", ");
      out = put_operand(out, item.operands[3], true);
    }
  } else {
    out = put(out, mul_spellings[item.opcode]);
    out = put_operands(out, item, 4);
  }
  if (item.negated) out = put(out, " neg0");
  if (item.negated1) out = put(out, " neg1");
  return out;
}

char* put_acc(char* out, const Item& item) {
  out = item.unit == Unit::acc0 ? put(out, "a0 = ") : put(out, "a1 = ");
  if (is_move(item) || is_negated_move(item)) {
    out = is_move(item) ? put(out, "mov ") : put(out, "neg ");
    return put_operand(out, {item.operands[0].selector, false}, false);
  }
  out = put(out, acc_spellings[item.opcode]);
  return put_operands(out, item, acc_ops[item.opcode].operands);
}

char* put_store(char* out, const Item& item) {
  out = item.half == 0 ? put(out, "st0 ") : put(out, "st1 ");
  if (item.store.kind == StoreKind::temporary) {
    out = put(out, "t[A0]");
  } else {
    out = put(out, item.store.kind == StoreKind::varying ? 'v' : '$');
    out = put_decimal(out, item.store.index);
  }
  out = put(out, '.');
  for (unsigned i = 0; i < 2; ++i)
    if (item.store.selector[i] != store_nothing) out = put(out, component_letters[item.store.first_component + i]);
  out = put(out, " = ");
  bool first = true;
  for (const std::uint8_t selector : item.store.selector) {
    if (selector == store_nothing) continue;
    if (!first) out = put(out, ", ");
    first = false;
    out = put(out, stored_spellings[selector]);
  }
  return out;
}

char* put_load(char* out, const Item& item) {
  out = put(out, "ld = u[");
  out = put_decimal(out, item.number);
  if (item.offset != no_offset) {
    out = put(out, "+A");
    out = put_decimal(out, item.offset);
  }
  return put(out, ']');
}

char* put_item(char* out, const Item& item, const std::vector<bool>& labels) {
  switch (item.kind) {
    case Item::Kind::port0_attribute:
      return put_decimal(put(out, "p0 = attr"), item.number);
    case Item::Kind::port0_register:
      return put_decimal(put(out, "p0 = $"), item.number);
    case Item::Kind::port1:
      return put_decimal(put(out, "p1 = $"), item.number);
    case Item::Kind::load:
      return put_load(out, item);
    case Item::Kind::mul:
      return put_mul(out, item);
    case Item::Kind::wide:
      return put_wide(out, item);
    case Item::Kind::acc:
      return put_acc(out, item);
    case Item::Kind::complex:
      out = put(put(out, "c = "), cplx_spellings[item.opcode]);
      return put_operands(out, item, 1);
    case Item::Kind::pass:
      out = put(put(out, "p = "), pass_spellings[item.opcode]);
      return put_operands(out, item, 1);
    case Item::Kind::store:
      return put_store(out, item);
    case Item::Kind::branch:
      out = put(out, "br ");
      if (item.number < labels.size() && labels[item.number]) out = put(out, 'L');
      return put_decimal(out, item.number);
    case Item::Kind::force:
      return put_decimal(put(put(out, item.field->name), ":="), item.number);
  }
  return out;
}

[[gnu::noinline]] char* put_forced(char* out, const Word128& word, const Word128& said) {
  for (const Field* field : word::format.fields) {
    if (get(word, *field) == get(said, *field)) continue;
    Item item{.field = field, .number = static_cast<std::uint32_t>(get(word, *field))};
    out = put(put_item(put(out, ' '), item, {}), ';');
  }
  return out;
}

[[gnu::flatten]] char* put_word(char* out, const Word128& word, const std::vector<bool>& labels) {
  Word128 said = nop;
  out = put(out, '{');
  each_item(word, [&](const Item& item) {
    out = put(put_item(put(out, ' '), item, labels), ';');
    apply(item, said);
  });
  if (!(said == word)) out = put_forced(out, word, said);
  if (out[-1] == ';') --out;
  return put(out, " }");
}

/// Which words branches lead to; these get labels.
std::vector<bool> labelled_words(std::span<const std::uint8_t> code, std::uint32_t count) {
  std::vector<bool> labels(count);
  for (std::uint32_t i = 0; i < count; ++i)
    if (const Word128 word = load_word(code, i); is_branch(word) && branch_target(word) < count)
      labels[branch_target(word)] = true;
  return labels;
}

}  // namespace

void print_rest(const Program& program, TextBuffer& out) {
  const std::size_t count = program.code.size() % word_bytes;
  if (count == 0) return;
  char* line = put(out.reserve(16 + 6 * count), ".byte");
  for (std::size_t i = program.code.size() - count; i < program.code.size(); ++i) {
    line = put(line, i % word_bytes == 0 ? std::string_view(" 0x") : std::string_view(", 0x"));
    line = put_hex_digits(line, program.code[i], 2);
  }
  out.commit(put(line, '\n'));
}

PrintWords print(const Program& program) {
  const std::uint32_t count = word_count(program.code);
  return [&program, count, labels = labelled_words(program.code, count), names = Names(program.interface)](
             std::uint32_t from, std::uint32_t to, TextBuffer& out, std::vector<Listing::Word>* words) {
    for (std::uint32_t i = from; i < to; ++i) {
      const auto begin = static_cast<std::uint32_t>(out.size());
      const Word128 word = load_word(program.code, i);
      if (labels[i]) {
        char* label = put_decimal(put(out.reserve(32), 'L'), i);
        out.commit(put(label, ":\n"));
      }
      char* line = put_word(out.reserve(line_room), word, labels);
      if (names.known()) {
        NamesComment comment(names, line);
        each_item(word, [&](const Item& item) { comment.add(item); });
        line = comment.end();
      }
      out.commit(put(line, '\n'));
      if (words != nullptr)
        words->push_back({std::uint64_t{i} * word_bytes, word_bytes, begin, static_cast<std::uint32_t>(out.size())});
    }
    if (to == count) print_rest(program, out);
  };
}

}  // namespace mobula::utgard_gp
