#include "machines/rogue/spec/spec.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mobula::rogue {
namespace {

using namespace rows;

/// Calls `item` for each piece of `text` between separators; leading spaces of a piece are dropped.
template <class Item>
constexpr void split(std::string_view text, char separator, Item item) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view piece = text.substr(0, end);
    while (piece.starts_with(' ')) piece.remove_prefix(1);
    if (!piece.empty()) item(piece);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

constexpr Name fixed_name(std::string_view text) {
  const Name name = name_spelled(text);
  if (name == Name::none) throw "no operand of that name";
  return name;
}

/// "s0:1" source with modifiers s1neg .., "is1e" source with element, ">ft0" fixed, ">fte?" fixed and optional,
/// "s3?" slot or nothing, "p0@pwen" predicate, "@drc" field, "@count?" field that may be left out, "w0#" masked W0;
/// "=" before a slot or the field of one: the register there is written later.
constexpr OperandSpec operand(std::string_view text) {
  using What = OperandSpec::What;
  OperandSpec result;
  result.late = text.starts_with('=');
  if (result.late) text.remove_prefix(1);
  const bool question = text.ends_with('?');
  if (question) text.remove_suffix(1);
  result.optional = question;
  if (text.starts_with('>')) {
    result.what = What::fixed;
    result.name = fixed_name(text.substr(1));
  } else if (text.starts_with('@')) {
    result.what = What::field;
    result.field = detail::field(text.substr(1));
  } else if (text.starts_with("p0@")) {
    result.what = What::predicate;
    result.field = detail::field(text.substr(3));
  } else if (text.ends_with('#')) {
    result.what = What::mask;
    result.name = fixed_name(text.substr(0, 2));
  } else {
    result.what = question ? What::maybe : What::source;
    if (text.ends_with('e') && text != "fte") {
      result.element = true;
      text.remove_suffix(1);
    }
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
      result.modified = static_cast<std::uint8_t>(text[colon + 1] - '0');
      text = text.substr(0, colon);
    }
    result.name = fixed_name(text);
  }
  return result;
}

/// "sat" flag, "rtz=roundzero" flag spelled otherwise, "scale_rtz=scale|roundzero" and read in two spellings,
/// "nottiled~tiled" spelled where it is 0, "type" names where not the default, "pck_format!" names always.
constexpr Modifier modifier(std::string_view text) {
  Modifier result;
  if (text.ends_with('!')) {
    result.always = true;
    text.remove_suffix(1);
  }
  if (const std::size_t sign = text.find_first_of("=~"); sign != std::string_view::npos) {
    result.inverted = text[sign] == '~';
    result.flag = text.substr(sign + 1);
    if (const std::size_t bar = result.flag.find('|'); bar != std::string_view::npos) {
      result.also = result.flag.substr(bar + 1);
      result.flag = result.flag.substr(0, bar);
    }
    text = text.substr(0, sign);
  }
  result.field = detail::field(text);
  if (info(result.field).kind == Kind::flag && result.flag.empty()) result.flag = text;
  return result;
}

/// Marks what the text of the instruction says, so that the rest can be told apart.
constexpr void cover(Op& op) {
  const auto mark = [&](F field) { op.covered[static_cast<std::size_t>(field)] = true; };
  mark(F::p2end);  // follows from what else phase 2 holds
  for (std::size_t i = 0; i < op.required_count; ++i) mark(op.required[i].first);
  for (const Modifier& each : op.all_modifiers()) mark(each.field);
  for (const OperandSpec& each : op.all_operands()) {
    if (each.field != F::count_) mark(each.field);
    if (each.what == OperandSpec::What::mask) mark(F::maskw0);
    if (each.element) mark(F::elem);
    if (each.modified <= 2) {
      const SourceModifiers& fields = source_modifiers[each.modified];
      for (const F field : {fields.floor, fields.absolute, fields.negated, fields.element, fields.element_high})
        if (field != F::count_) mark(field);
    }
    if (each.field == F::coff) mark(F::coff_idx_ctrl);
    if (each.field == F::woff) mark(F::woff_idx_ctrl);
  }
}

/// The units that an enumeration is of.
constexpr std::uint16_t units_of(Does::Family family) {
  switch (family) {
    case Does::Family::early:
      return in_p01;
    case Does::Family::pack:
      return in_pack;
    case Does::Family::test:
      return in_test;
    case Does::Family::move:
      return in_move;
    case Does::Family::bitmask:
      return in_bitmask;
    case Does::Family::shift1:
      return in_shift1;
    case Does::Family::count:
      return in_count;
    case Does::Family::logical:
      return in_logical;
    case Does::Family::shift2:
      return in_shift2;
    case Does::Family::bit_test:
      return in_bit_test;
    case Does::Family::backend:
      return in_be;
    case Does::Family::control:
      return in_ctrl;
    case Does::Family::unencoded:
      break;
  }
  return 0;
}
/// True if the row says what an instruction of its units does, or that it has no encoding.
constexpr bool is_of_units(const Row& row) {
  const bool is_encoded = row.forms[0] != nullptr;
  return is_encoded ? (row.units & ~units_of(row.does.family())) == 0 : row.does.family() == Does::Family::unencoded;
}

constexpr Op make(const Row& row, std::string_view section) {
  if (!is_of_units(row)) throw "what the row does is not of its unit";
  Op op{.name = row.name,
        .does = row.does,
        .units = row.units,
        .forms = row.forms,
        .traits = row.traits,
        .fact = row.fact.source.empty() ? Fact{row.fact.status, section} : row.fact,
        .meaning = row.meaning,
        .mesa = row.mesa.empty() ? row.name : row.mesa};
  while (op.form_count < 4 && op.forms[op.form_count] != nullptr) ++op.form_count;
  split(row.required, ' ', [&](std::string_view text) {
    std::size_t at = text.find('=') + 1;
    op.required[op.required_count++] = {detail::field(text.substr(0, at - 1)),
                                        static_cast<std::uint8_t>(detail::digit(text, at))};
  });
  split(row.modifiers, ' ', [&](std::string_view text) { op.modifiers[op.modifier_count++] = modifier(text); });
  split(row.operands, ',', [&](std::string_view text) { op.operands[op.operand_count++] = operand(text); });
  cover(op);
  return op;
}

template <std::size_t N>
constexpr std::array<Op, N> make_all(const Row (&rows)[N], std::string_view section) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) { return std::array<Op, N>{make(rows[i], section)...}; }
  (std::make_index_sequence<N>());
}

/// Candidates by unit and first byte. Built once; a list may be shared by many bytes.
class Index {
 public:
  Index() {
    const auto add = [&](const auto& rows) {
      for (const Op& op : rows) ops_.push_back(op);
    };
    static constexpr auto floats = make_all(float_rows, "3.1");
    static constexpr auto integers = make_all(integer_rows, "3.6");
    static constexpr auto phase2s = make_all(phase2_rows, "3.8");
    static constexpr auto bitwises = make_all(bitwise_rows, "3.7");
    static constexpr auto backends = make_all(backend_rows, "3.9");
    static constexpr auto controls = make_all(control_rows, "3.10");
    add(floats);
    add(integers);
    add(phase2s);
    add(bitwises);
    add(backends);
    add(controls);
    for (const Op& op : ops_) {
      const Op*& first = by_meaning_[op.does.position()];
      if (first == nullptr) first = &op;
    }
    for (std::size_t unit = 0; unit < unit_count; ++unit) {
      const std::vector<Candidate> all = of_unit(static_cast<Unit>(unit));
      if (static_cast<Unit>(unit) == Unit::control)
        index_control(all);
      else
        for (unsigned byte = 0; byte < 256; ++byte)
          for (const Candidate& each : all)
            if (((byte ^ each.bits) & each.mask & 0xFF) == 0) by_byte_[unit][byte].push_back(each);
    }
  }
  [[nodiscard]] std::span<const Op> ops() const { return ops_; }
  [[nodiscard]] const Op& that(Does does) const { return *by_meaning_[does.position()]; }
  [[nodiscard]] std::span<const Candidate> by_byte(Unit unit, unsigned byte) const {
    return by_byte_[static_cast<std::size_t>(unit)][byte];
  }
  [[nodiscard]] std::span<const Candidate> by_ctrlop(unsigned ctrlop) const { return by_ctrlop_[ctrlop & 15]; }

 private:
  [[nodiscard]] std::vector<Candidate> of_unit(Unit unit) const {
    std::vector<Candidate> all;
    for (const Op& op : ops_)
      if (op.in(unit))
        for (const Form* each : op.all_forms()) {
          Candidate candidate{&op, each, each->fixed_mask, each->fixed_bits};
          for (std::size_t i = 0; i < op.required_count; ++i)
            if (const Place* place = each->find(op.required[i].first)) {
              insert(candidate.mask, *place, low_mask(place->width()));
              insert(candidate.bits, *place, op.required[i].second);
            }
          all.push_back(candidate);
        }
    return all;
  }
  void index_control(std::span<const Candidate> all) {
    for (const Candidate& each : all) by_ctrlop_[each.op->required[0].second].push_back(each);
  }

  std::vector<Op> ops_;
  std::array<const Op*, Does::position_count> by_meaning_{};
  std::array<std::array<std::vector<Candidate>, 256>, unit_count> by_byte_;
  std::array<std::vector<Candidate>, 16> by_ctrlop_;
};

const Index& index() {
  static const Index the_index;
  return the_index;
}

}  // namespace

std::span<const Op> ops() { return index().ops(); }
const Op& op_that(Does does) { return index().that(does); }
std::span<const Candidate> candidates(Unit unit, std::uint8_t first_byte) { return index().by_byte(unit, first_byte); }
std::span<const Candidate> control_candidates(unsigned ctrlop) { return index().by_ctrlop(ctrlop); }

const Op* find_op(Unit unit, const Form& form, std::uint64_t bits) {
  for (const Candidate& each : candidates(unit, static_cast<std::uint8_t>(bits)))
    if ((bits & each.mask) == each.bits && each.form->is(form)) return each.op;
  return nullptr;
}

}  // namespace mobula::rogue
