#include "machines/rogue/spec/spec.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mobula::rogue {
namespace {

constexpr std::uint16_t bit(Unit unit) { return static_cast<std::uint16_t>(1u << static_cast<unsigned>(unit)); }

constexpr std::uint16_t in_p0 = bit(Unit::p0), in_p01 = bit(Unit::p0) | bit(Unit::p1), in_pack = bit(Unit::pack),
                        in_test = bit(Unit::test), in_move = bit(Unit::move), in_be = bit(Unit::backend),
                        in_bitmask = bit(Unit::bitmask), in_shift1 = bit(Unit::shift1), in_count = bit(Unit::count),
                        in_logical = bit(Unit::logical), in_shift2 = bit(Unit::shift2),
                        in_bit_test = bit(Unit::bit_test), in_ctrl = bit(Unit::control);

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
/// "s3?" slot or nothing, "p0@pwen" predicate, "@drc" field, "@count?" field that may be left out, "w0#" masked W0.
constexpr OperandSpec operand(std::string_view text) {
  using What = OperandSpec::What;
  OperandSpec result;
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

struct Row {
  std::string_view name;
  Does does;
  std::uint16_t units;
  std::array<const Form*, 4> forms;
  std::string_view required, modifiers, operands, meaning;
  Fact fact;
  std::uint16_t traits = 0;
  std::string_view mesa = {};
};

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

constexpr Op make(const Row& row) {
  if (!is_of_units(row)) throw "what the row does is not of its unit";
  Op op{.name = row.name,
        .does = row.does,
        .units = row.units,
        .forms = row.forms,
        .traits = row.traits,
        .fact = row.fact,
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

// clang-format off
constexpr Fact seen{Status::binaries, "3"}, driver{Status::driver, "3"}, told{Status::document, "3"}, guess{Status::inferred, "4.6"};
using namespace forms;
constexpr Row float_rows[] = {
    {"fmad", does::Early::multiply_add, in_p01, {&fmad, &fmad_ext}, "", "sat lp", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes | any_early},
    {"fadd", does::Early::add, in_p01, {&fadd}, "", "sat lp", ">ft0, s0:0, s1:1", "a + b", driver, commutes | any_early},
    {"fmul", does::Early::multiply, in_p01, {&fmul}, "", "sat lp", ">ft0, s0:0, s1:1", "a * b", driver, commutes | any_early},
    {"fadd", does::Pack::add, in_pack, {&fadd}, "", "sat lp", ">ft2, is3:0, fte:1", "a + b", guess},
    {"fmul", does::Pack::multiply, in_pack, {&fmul}, "", "sat lp", ">ft2, is3:0, fte:1", "a * b", guess},
    {"mbyp", does::Early::copy, in_p01, {&sngl, &sngl_ext}, "sngl_op=7", "", ">ft0, s0:0", "copy; modifiers edit the sign bit", seen, any_early, "mbyp0"},
    {"frcp", does::Early::reciprocal, in_p01, {&sngl, &sngl_ext}, "sngl_op=0", "", ">w0, s0:0", "1 / x", driver, complex_result},
    {"frsq", does::Early::reciprocal_root, in_p01, {&sngl, &sngl_ext}, "sngl_op=1", "", ">w0, s0:0", "1 / sqrt x", driver, complex_result},
    {"flog", does::Early::log2, in_p01, {&sngl, &sngl_ext}, "sngl_op=2", "", ">w0, s0:0", "log2 x", driver, complex_result},
    {"fexp", does::Early::exp2, in_p01, {&sngl, &sngl_ext}, "sngl_op=3", "", ">w0, s0:0", "2^x", driver, complex_result},
    {"flogcn", does::Early::log2_variant, in_p01, {&sngl, &sngl_ext}, "sngl_op=5", "", ">w0, s0:0", "second variant of log2; purpose unknown", driver, complex_result},
    {"fdsx", does::Early::derivative_x, in_p01, {&sngl, &sngl_ext}, "sngl_op=8", "", ">ft0, s0:0", "coarse derivative along x", driver, any_early},
    {"fdsy", does::Early::derivative_y, in_p01, {&sngl, &sngl_ext}, "sngl_op=9", "", ">ft0, s0:0", "coarse derivative along y", driver, any_early},
    {"fdsxf", does::Early::fine_derivative_x, in_p01, {&sngl, &sngl_ext}, "sngl_op=10", "", ">ft0, s0:0", "fine derivative along x", driver, any_early},
    {"fdsyf", does::Early::fine_derivative_y, in_p01, {&sngl, &sngl_ext}, "sngl_op=11", "", ">ft0, s0:0", "fine derivative along y", driver, any_early},
    {"fsinc", does::Early::sinc, in_p01, {&sngl, &sngl_ext}, "sngl_op=14", "", ">w0, >p0, s0:0", "sin(pi x / 2) / x, x in -1..1; P0: a final multiply is due", driver, complex_result},
    {"farctanc", does::Early::arctan_ratio, in_p01, {&sngl, &sngl_ext}, "sngl_op=15", "", ">w0, s0:0", "arctan(x) / x, x in -1..1", driver, complex_result},
    {"gcmp", does::Early::to_srgb, in_p01, {&gcmp, &gcmp_ext}, "", "", ">w0, s0:0", "linear to sRGB", driver, complex_result},
    {"gexp", does::Early::from_srgb, in_p01, {&gexp}, "", "", ">w0, s0:0", "sRGB to linear", driver, complex_result},
    {"fred", does::Early::reduce, in_p01, {&fred}, "", "red_type! red_part=partb", ">w0, >w1, p0@pwen, @iter, s0:0, s3?", "range reduction of the argument of sine or cosine", driver, complex_result | complex_w1},
    {"fsqrt", does::Unencoded::square_root, in_p0, {}, "", "", "", "square root", told},
    {"convertfromf64", does::Unencoded::from_f64, in_p0, {}, "", "", "", "from a 64-bit float, low word S0, high S2", told},
    {"converttof64", does::Unencoded::to_f64, in_pack, {}, "", "", "", "to a 64-bit float, low word FT0, high FT2", told},
    {"f64mul", does::Unencoded::f64_multiply, in_p0, {}, "", "", "", "64-bit float multiply", told},
    {"f64add", does::Unencoded::f64_add, in_p0, {}, "", "", "", "64-bit float add", told},
    {"f64mad", does::Unencoded::f64_multiply_add, in_p0, {}, "", "", "", "64-bit float multiply and add", told},
    {"f64div", does::Unencoded::f64_divide, in_p0, {}, "", "", "", "64-bit float divide", told},
    {"f64rcp", does::Unencoded::f64_reciprocal, in_p0, {}, "", "", "", "64-bit float 1 / x", told},
    {"f64sqrt", does::Unencoded::f64_square_root, in_p0, {}, "", "", "", "64-bit float square root", told},
    {"f64rsq", does::Unencoded::f64_reciprocal_root, in_p0, {}, "", "", "", "64-bit float 1 / sqrt x", told},
    {"f64byp", does::Unencoded::f64_copy, in_p0, {}, "", "", "", "64-bit float copy", told},
    {"f16sop", does::Unencoded::sum_of_products, in_p0, {}, "", "", "", "sum of products of 16-bit floats", told},
    {"sop", does::Unencoded::sum_of_products, in_p0, {}, "", "", "", "sum of products of 16-bit floats", told},
    {"sopmad", does::Unencoded::four_multiply_adds, in_p0, {}, "", "", "", "four multiply-adds of 16-bit floats", told},
    {"sopmov", does::Unencoded::move_beside_sum, in_pack, {}, "", "", "", "W1 from S3, beside a sum of products", told},
    {"gta", does::Unencoded::texel_address, in_p0, {}, "", "", "", "texel addresses of four instances at a time", told},
};
constexpr Row integer_rows[] = {
    {"uadd8", does::Early::narrow_add, in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=0 f=0", "sat", ">ft0, s0:0, s1:1", "a + b", driver, commutes},
    {"iadd8", does::Early::narrow_add, in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=1 f=0", "sat", ">ft0, s0:0, s1:1", "a + b", driver, commutes | signed_numbers},
    {"uadd16", does::Early::narrow_add, in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=0 f=1", "sat", ">ft0, s0:0, s1:1", "a + b", driver, commutes | half_words},
    {"iadd16", does::Early::narrow_add, in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=1 f=1", "sat", ">ft0, s0:0, s1:1", "a + b", driver, commutes | signed_numbers | half_words},
    {"umul8", does::Early::narrow_multiply, in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=0 f=0", "sat", ">ft0, s0:0, s1:1", "a * b", driver, commutes},
    {"imul8", does::Early::narrow_multiply, in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=1 f=0", "sat", ">ft0, s0:0, s1:1", "a * b", driver, commutes | signed_numbers},
    {"umul16", does::Early::narrow_multiply, in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=0 f=1", "sat", ">ft0, s0:0, s1:1", "a * b", driver, commutes | half_words},
    {"imul16", does::Early::narrow_multiply, in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=1 f=1", "sat", ">ft0, s0:0, s1:1", "a * b", driver, commutes | signed_numbers | half_words},
    {"umad8", does::Early::narrow_multiply_add, in_p01, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=0 f=0", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes},
    {"imad8", does::Early::narrow_multiply_add, in_p01, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=1 f=0", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes | signed_numbers},
    {"umad16", does::Early::narrow_multiply_add, in_p01, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=0 f=1", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes | half_words},
    {"imad16", does::Early::narrow_multiply_add, in_p01, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=1 f=1", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes | signed_numbers | half_words},
    {"uadd6432", does::Early::add_word_to_pair, in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=0 s=0", "", ">ft0, >fte?, s0:0, s1:1, s2:2, p0@cin?", "S1:S0 + S2, zero extended", driver, high_result | gives_carry},
    {"sadd6432", does::Early::add_word_to_pair, in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=0 s=1", "", ">ft0, >fte?, s0:0, s1:1, s2:2, p0@cin?", "S1:S0 + S2, sign extended", driver, high_result | gives_carry | signed_numbers},
    {"add64", does::Early::add_pairs, in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=1", "", ">ft0, >fte?, s0:0, s1:1, s2:2, is0, p0@cin?", "S1:S0 + IS0:S2", driver, high_result | reads_is0 | gives_carry},
    {"umadd32", does::Early::multiply_add_word, in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=2 s=0", "", ">ft0, s0:0, s1:1, s2:2, p0@cin?", "low 32 bits of a * b + c", seen, commutes | gives_carry},
    {"smadd32", does::Early::multiply_add_word, in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=2 s=1", "", ">ft0, s0:0, s1:1, s2:2, p0@cin?", "low 32 bits of a * b + c", seen, commutes | gives_carry | signed_numbers},
    {"umadd64", does::Early::multiply_add_pair, in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=3 s=0", "", ">ft0, >fte?, s0:0, s1:1, s2:2, is0, p0@cin?", "S0 * S1 + IS0:S2, 64 bits", seen, high_result | reads_is0 | commutes | gives_carry},
    {"smadd64", does::Early::multiply_add_pair, in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=3 s=1", "", ">ft0, >fte?, s0:0, s1:1, s2:2, is0, p0@cin?", "S0 * S1 + IS0:S2, 64 bits", seen, high_result | reads_is0 | commutes | gives_carry | signed_numbers},
    {"unpck", does::Early::unpack, in_p01, {&upck}, "", "pck_format! scale_rtz=scale|roundzero", ">ft0, s0e", "unpack an element; repeated, the following elements", driver},
};
constexpr Row phase2_rows[] = {
    {"pck.zero", does::Pack::zero, in_pack, {&pck}, "pck_format=30 prog=0", "scale rtz=roundzero", ">ft2", "0", seen, gathers},
    {"pck.one", does::Pack::one, in_pack, {&pck}, "pck_format=31 prog=0", "scale rtz=roundzero", ">ft2", "1.0", driver, gathers},
    {"pck.prog", does::Pack::pack_by_word, in_pack, {&pck}, "prog=1", "scale rtz=roundzero pck_format!", ">ft2, is3, fte", "pack; the format word of FTE is unknown", driver, gathers},
    {"pck", does::Pack::pack, in_pack, {&pck}, "prog=0", "scale rtz=roundzero pck_format!", ">ft2, is3", "pack; repeated, from the following sources", driver, gathers},
    {"tstz", does::Test::zero, in_test, {&tst, &tst_ext}, "tst_op=0", "type", ">ftt, p0@pwen, is1e", "a == 0", seen},
    {"tstgz", does::Test::positive, in_test, {&tst, &tst_ext}, "tst_op=1", "type", ">ftt, p0@pwen, is1e", "a > 0", driver},
    {"tstgez", does::Test::not_negative, in_test, {&tst, &tst_ext}, "tst_op=2", "type", ">ftt, p0@pwen, is1e", "a >= 0", driver},
    {"tstc", does::Test::carry, in_test, {&tst, &tst_ext}, "tst_op=3", "type", ">ftt, p0@pwen", "carry of the integer operation in phase 0", driver},
    {"tste", does::Test::equal, in_test, {&tst, &tst_ext}, "tst_op=4", "type", ">ftt, p0@pwen, is1e, is2e", "a == b", seen},
    {"tstg", does::Test::greater, in_test, {&tst, &tst_ext}, "tst_op=5", "type", ">ftt, p0@pwen, is1e, is2e", "a > b", seen},
    {"tstge", does::Test::at_least, in_test, {&tst, &tst_ext}, "tst_op=6", "type", ">ftt, p0@pwen, is1e, is2e", "a >= b", seen},
    {"tstne", does::Test::unequal, in_test, {&tst, &tst_ext}, "tst_op=7", "type", ">ftt, p0@pwen, is1e, is2e", "a != b", seen},
    {"tstl", does::Test::less, in_test, {&tst, &tst_ext}, "tst_op=8", "type", ">ftt, p0@pwen, is1e, is2e", "a < b", driver},
    {"tstle", does::Test::at_most, in_test, {&tst, &tst_ext}, "tst_op=9", "type", ">ftt, p0@pwen, is1e, is2e", "a <= b", driver},
    {"tstmin", does::Unencoded::test_less, in_test, {}, "", "", "", "a < b; the code is a guess", told},
    {"tstmax", does::Unencoded::test_at_least, in_test, {}, "", "", "", "a >= b; the code is a guess", told},
    {"mov", does::Move::replace, in_move, {&movc_ext}, "aw=1", "", "w0#, @movw0", "bytes of W0 from a feedthrough", seen},
    {"movc", does::Move::choose, in_move, {&movc, &movc_ext}, "aw=0", "", "w0#, >w1, >ftt, @movw0, @movw1", "where the test holds, W0 and W1 from feedthroughs", seen},
};
constexpr Row bitwise_rows[] = {
    {"byp", does::Bitmask::pass, in_bitmask, {&phase0_src}, "bitmask_op=0", "", ">ft0, >ft1, s0, s1", "FT0 = S0, FT1 = S1", driver, 0, "bbyp0bm"},
    {"byp", does::Bitmask::pass_immediate, in_bitmask, {&phase0_imm16, &phase0_imm32}, "", "", ">ft0, >ft1, s0, @imm", "FT0 = S0, FT1 = immediate", seen, 0, "bbyp0bm"},
    {"msk", does::Bitmask::mask, in_bitmask, {&phase0_src}, "bitmask_op=1", "", ">ft0, >ft1, s0, s1", "FT1 = mask of S0 bits from bit S1 up; FT0 = its top bit", driver},
    {"byp", does::Shift1::pass, in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=0", "", ">ft2, s2", "copy", driver, 0, "bbyp0s1"},
    {"shfl", does::Shift1::interleave, in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=1", "", ">ft2, s2, s1", "low halves interleaved", driver},
    {"rev", does::Shift1::reverse, in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=2", "", ">ft2, s2", "bits reversed", driver},
    {"lsl", does::Shift1::left, in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=3", "", ">ft2, s2, s1", "S2 << S1", seen},
    {"byp", does::Count::pass, in_count, {&phase0_src, &phase0_imm16, &phase0_imm32}, "count_op=2", "", ">ft3, @count_src", "copy", driver},
    {"cbs", does::Count::set_bits, in_count, {&phase0_src, &phase0_imm16, &phase0_imm32}, "count_op=0", "", ">ft3, @count_src", "number of set bits", seen},
    {"ftb", does::Count::top_bit, in_count, {&phase0_src, &phase0_imm16, &phase0_imm32}, "count_op=1", "", ">ft3, @count_src", "number of the highest set bit, or -1", driver},
    {"ftb_shi", does::Unencoded::top_bit_unlike_sign, in_count, {}, "", "", "", "highest bit that differs from the sign", told},
    {"ftb_msb", does::Unencoded::top_bit_from_top, in_count, {}, "", "", "", "highest set bit, counted from the top", told},
    {"or", does::Logical::or_, in_logical, {&phase1}, "logical_op=0", "", ">ft4, @mska, >ft2, @mskb, s3", "", driver},
    {"and", does::Logical::and_, in_logical, {&phase1}, "logical_op=1", "", ">ft4, @mska, >ft2, @mskb, s3", "", seen},
    {"xor", does::Logical::xor_, in_logical, {&phase1}, "logical_op=2", "", ">ft4, @mska, >ft2, @mskb, s3", "", seen},
    {"nor", does::Logical::nor, in_logical, {&phase1}, "logical_op=4", "", ">ft4, @mska, >ft2, @mskb, s3", "", driver},
    {"nand", does::Logical::nand, in_logical, {&phase1}, "logical_op=5", "", ">ft4, @mska, >ft2, @mskb, s3", "", driver},
    {"xnor", does::Logical::xnor, in_logical, {&phase1}, "logical_op=6", "", ">ft4, @mska, >ft2, @mskb, s3", "", driver},
    {"byp", does::Logical::pass, in_logical, {&phase1}, "logical_op=7", "", ">ft4, >ft1", "copy", driver},
    {"lsl", does::Shift2::left, in_shift2, {&phase2}, "shift2_op=0", "", ">ft5, >ft4, s4", "FT4 << S4", seen},
    {"shr", does::Shift2::right, in_shift2, {&phase2}, "shift2_op=1", "", ">ft5, >ft4, s4", "FT4 >> S4, zeros in", seen},
    {"rol", does::Shift2::rotate, in_shift2, {&phase2}, "shift2_op=2", "", ">ft5, >ft4, s4", "rotate left", driver},
    {"cps", does::Shift2::set_or_clear, in_shift2, {&phase2}, "shift2_op=3", "", ">ft5, >p0, >ft4, s4", "conditional set or clear of the bits of FT4 in S4", driver},
    {"asr.twb", does::Shift2::arithmetic_31, in_shift2, {&phase2}, "shift2_op=4", "", ">ft5, >ft4, s4", "arithmetic right shift, sign in bit 31", driver},
    {"asr.pwb", does::Shift2::arithmetic_15, in_shift2, {&phase2}, "shift2_op=5", "", ">ft5, >ft4, s4", "arithmetic right shift, sign in bit 15", driver},
    {"asr.mtb", does::Shift2::arithmetic_ft0, in_shift2, {&phase2}, "shift2_op=6", "", ">ft5, >ft4, s4", "arithmetic right shift, sign in bit FT0", driver},
    {"asr.ftb", does::Shift2::arithmetic_ft3, in_shift2, {&phase2}, "shift2_op=7", "", ">ft5, >ft4, s4", "arithmetic right shift, sign in bit FT3", driver},
    {"tz", does::BitTest::zero, in_bit_test, {&phase2}, "bw_tst_op=0", "", "p0@pwen, @tst_src", "== 0", seen},
    {"tnz", does::BitTest::not_zero, in_bit_test, {&phase2}, "bw_tst_op=1", "", "p0@pwen, @tst_src", "!= 0", seen},
};
constexpr Row backend_rows[] = {
    {"uvsw.write", does::Backend::write_output, in_be, {&uvsw_write_imm}, "", "", "@dsel, @imm_addr", "vertex output from a port", driver, reads_w0},
    {"uvsw.write", does::Backend::write_output, in_be, {&uvsw_write_reg}, "", "", "@dsel, @srcsel", "vertex output from a port", driver, reads_w0},
    {"uvsw.emit", does::Backend::emit, in_be, {&uvsw_emit, &uvsw_emit_imm}, "", "", "@stream_id?", "hands a vertex over", driver},
    {"uvsw.cut", does::Backend::cut, in_be, {&uvsw_cut, &uvsw_cut_imm}, "", "", "@stream_id?", "cuts the strip", driver},
    {"uvsw.emit.cut", does::Backend::emit_cut, in_be, {&uvsw_emit_cut, &uvsw_emit_cut_imm}, "", "", "@stream_id?", "hands a vertex over and cuts", driver},
    {"uvsw.endtask", does::Backend::end_task, in_be, {&uvsw_endtask}, "", "", "", "ends the vertex task", driver, ends_task},
    {"uvsw.emit.endtask", does::Backend::emit_end_task, in_be, {&uvsw_emit_endtask}, "", "", "", "hands the vertex over and ends", driver, ends_task},
    {"uvsw.write.emit.endtask", does::Backend::write_emit_end_task, in_be, {&uvsw_write_emit_endtask_imm}, "", "", "@dsel, @imm_addr", "writes, hands over and ends", driver, reads_w0 | ends_task},
    {"uvsw.write.emit.endtask", does::Backend::write_emit_end_task, in_be, {&uvsw_write_emit_endtask_reg}, "", "", "@dsel, @srcsel", "writes, hands over and ends", driver, reads_w0 | ends_task},
    {"movmsk", does::Backend::execution_mask, in_be, {&movmsk}, "", "", ">w0", "execution mask", driver},
    {"movmsk.sm", does::Backend::sample_mask, in_be, {&movmsk_sm}, "", "", ">w0, @srcsel", "sample mask", driver},
    {"savmsk", does::Backend::save_mask, in_be, {&savmsk}, "", "msk_mode!", ">w0, >w1", "saves a mask", driver},
    {"phas", does::Backend::change_phase, in_be, {&phas_reg}, "", "", "@exeaddrsrc, @paramsrc", "change of phase", driver},
    {"phas", does::Backend::change_phase, in_be, {&phas_imm}, "", "rate! phas_end=end", "@exeaddrsrc, @commontmp", "change of phase", driver},
    {"setl", does::Backend::set_link, in_be, {&setl}, "", "", "@ressel", "link address from a port", driver, reads_w0},
    {"depthf", does::Backend::depth, in_be, {&vistest_depthf}, "", "", ">w0", "depth feedback", driver, reads_w0},
    {"atst", does::Backend::alpha_test, in_be, {&vistest_atst}, "", "ifb", "p0@pwen, s0, s1, s2", "alpha test", driver},
    {"fitr", does::Backend::iterate, in_be, {&fitr}, "p=0", "sat iter_mode!", "s3, @drc, s0, @count", "iterates values of coefficient sets", driver, dma_write},
    {"fitrp", does::Backend::iterate_perspective, in_be, {&fitr}, "p=1", "sat iter_mode!", "s3, @drc, s0, s2, @count", "iterates values, each times 1/W", driver, dma_write},
    {"emitpix", does::Backend::emit_pixel, in_be, {&emitpix}, "", "freep", "s0, s2", "sends the pixel outputs", driver},
    {"idf", does::Backend::fence, in_be, {&idf}, "", "", "@drc, @srcseladd", "fence behind stores", seen, dma_read},
    {"atom", does::Backend::atomic, in_be, {&atomic}, "", "atomic_op!", "@dstsel, @drc, @srcsel", "atomic operation, returns the old value", driver, dma_write | dma_read},
    {"ld", does::Backend::load, in_be, {&ld_imm}, "", "cachemode_ld slcmode", "s3, @drc, @burst, @srcseladd", "loads words", seen, dma_write | dma_read},
    {"ld", does::Backend::load, in_be, {&ld_reg, &ld_reg_ext}, "", "cachemode_ld slcmode", "s3, @drc, @srcselbl, @srcseladd", "loads words, their number in a register", seen, dma_write | dma_read},
    {"st", does::Backend::store, in_be, {&st_imm, &st_imm_ext}, "", "nottiled~tiled cachemode_st slcmode", "@srcseldata, @dsize, @drc, @burst, @srcseladd, @srcmask?", "stores", seen, dma_read},
    {"st", does::Backend::store, in_be, {&st_reg, &st_reg_ext}, "", "nottiled~tiled cachemode_st slcmode", "@srcseldata, @dsize, @drc, @srcselbl, @srcseladd, @srcmask?", "stores, the number of words in a register", seen, dma_read},
    {"smp1d", does::Backend::sample, in_be, {&smp, &smp_exta, &smp_extab, &smp_extabc}, "dmn=1", "fcnorm proj nncoords lodm pplod tao soo sno sbmode f16 swap=schedswap wrt array integer comparison f16input direct slcmode", "@drc, s0, s1, s2, s3?, s4, @chan", "samples a texture", driver, dma_write | dma_read},
    {"smp2d", does::Backend::sample, in_be, {&smp, &smp_exta, &smp_extab, &smp_extabc}, "dmn=2", "fcnorm proj nncoords lodm pplod tao soo sno sbmode f16 swap=schedswap wrt array integer comparison f16input direct slcmode", "@drc, s0, s1, s2, s3?, s4, @chan", "samples a texture", driver, dma_write | dma_read},
    {"smp3d", does::Backend::sample, in_be, {&smp, &smp_exta, &smp_extab, &smp_extabc}, "dmn=3", "fcnorm proj nncoords lodm pplod tao soo sno sbmode f16 swap=schedswap wrt array integer comparison f16input direct slcmode", "@drc, s0, s1, s2, s3?, s4, @chan", "samples a texture", driver, dma_write | dma_read},
    {"smp1d.extb", does::Backend::sample_by_byte, in_be, {&smp_extb}, "dmn=1", "fcnorm lodm", "@drc, s0, s1, s2, s3?, s4, @chan, @extb_byte", "samples a texture; what the last byte says is unknown", {Status::unknown, "4.8"}, dma_write | dma_read},
    {"smp2d.extb", does::Backend::sample_by_byte, in_be, {&smp_extb}, "dmn=2", "fcnorm lodm", "@drc, s0, s1, s2, s3?, s4, @chan, @extb_byte", "samples a texture; what the last byte says is unknown", {Status::unknown, "4.8"}, dma_write | dma_read},
    {"smp3d.extb", does::Backend::sample_by_byte, in_be, {&smp_extb}, "dmn=3", "fcnorm lodm", "@drc, s0, s1, s2, s3?, s4, @chan, @extb_byte", "samples a texture; what the last byte says is unknown", {Status::unknown, "4.8"}, dma_write | dma_read},
    {"tessw", does::Unencoded::write_tessellator, in_be, {}, "", "", "", "write to the tessellator", told},
    {"st.texelmode", does::Unencoded::store_texels, in_be, {}, "", "", "", "store in texel mode", told},
};
constexpr Row control_rows[] = {
    {"br", does::Control::branch, in_ctrl, {&branch}, "ctrlop=0 abs=0 link=0", "bpred", "@offset", "branch relative to this group", seen},
    {"ba", does::Control::branch, in_ctrl, {&branch}, "ctrlop=0 abs=1 link=0", "bpred", "@offset", "branch to an address", driver},
    {"brl", does::Control::branch, in_ctrl, {&branch}, "ctrlop=0 abs=0 link=1", "bpred", "@offset", "branch and save the next group's address", driver},
    {"bal", does::Control::branch, in_ctrl, {&branch}, "ctrlop=0 abs=1 link=1", "bpred", "@offset", "branch and save the next group's address", driver},
    {"lapc", does::Control::return_to_link, in_ctrl, {&none}, "ctrlop=1", "", "", "returns to the saved address", driver},
    {"savl", does::Control::save_link, in_ctrl, {&none}, "ctrlop=2", "", ">w0", "W0 = saved address in 16-bit units", driver},
    {"cndst", does::Control::start_mask, in_ctrl, {&cnd}, "ctrlop=3 cndinst=0", "", "@pcnd, >w0, s0, @adjust", "start of a masked region", seen, changes_masks},
    {"cndef", does::Control::else_mask, in_ctrl, {&cnd}, "ctrlop=3 cndinst=1", "", "@pcnd, >w0, s0, @adjust", "else of a masked region", driver, changes_masks},
    {"cndsm", does::Control::set_mask, in_ctrl, {&cnd}, "ctrlop=3 cndinst=2", "", "@pcnd, >w0, s0, s2", "sets the mask count", driver, changes_masks},
    {"cndlt", does::Control::test_loop, in_ctrl, {&cnd}, "ctrlop=3 cndinst=3", "", "@pcnd, >w0, >p0, s0, @adjust", "test of a loop", driver, changes_masks},
    {"cndend", does::Control::end_mask, in_ctrl, {&cnd}, "ctrlop=3 cndinst=4", "", ">w0, s0, @adjust", "end of a masked region", seen, changes_masks},
    {"cndsetl.b", does::Control::select_link_b, in_ctrl, {&cnd}, "ctrlop=3 cndinst=5", "", ">w0, s0, s2", "link selection of a call loop", driver, changes_masks},
    {"cndlpc", does::Control::end_call, in_ctrl, {&cnd}, "ctrlop=3 cndinst=6", "", ">w0, s0", "end of a call loop", driver, changes_masks},
    {"cndsetl.a", does::Control::select_link_a, in_ctrl, {&cnd}, "ctrlop=3 cndinst=7", "", ">w0, s0, s2", "link selection of a call loop", driver, changes_masks},
    {"wop", does::Control::wait_output, in_ctrl, {&none}, "ctrlop=4", "", "", "waits for the output partition", driver, task_waits},
    {"wdf", does::Control::wait_fence, in_ctrl, {&none}, "ctrlop=5", "", "@miscctl", "waits until a fence counter is 0", seen, task_waits},
    {"mutex.release", does::Control::mutex_release, in_ctrl, {&mutex}, "ctrlop=6 lr=0", "", "@id", "frees a mutex", seen, task_waits},
    {"mutex.release.sleep", does::Control::mutex_release_sleep, in_ctrl, {&mutex}, "ctrlop=6 lr=1", "", "@id", "frees a mutex and sleeps", seen, task_waits},
    {"mutex.release.wakeup", does::Control::mutex_release_wakeup, in_ctrl, {&mutex}, "ctrlop=6 lr=2", "", "@id", "frees a mutex and wakes others", seen, task_waits},
    {"mutex.lock", does::Control::mutex_lock, in_ctrl, {&mutex}, "ctrlop=6 lr=3", "", "@id", "takes a mutex", seen, task_waits},
    {"nop", does::Control::nothing, in_ctrl, {&nop}, "ctrlop=7", "miscctl=end", "", "nothing", seen},
    {"itrsmp1d", does::Control::iterate_and_sample, in_ctrl, {&itrsmp, &itrsmp_ext, &itrsmp_ext2}, "ctrlop=8 dmn=1", "mode! sat f16 sched_ctrl proj nncoords fcnorm comparison", "@dest, @persp, @drc, @coff, @texoff, @smpoff, @chan, @woff, @count?", "iterates and samples", driver, dma_write},
    {"itrsmp2d", does::Control::iterate_and_sample, in_ctrl, {&itrsmp, &itrsmp_ext, &itrsmp_ext2}, "ctrlop=8 dmn=2", "mode! sat f16 sched_ctrl proj nncoords fcnorm comparison", "@dest, @persp, @drc, @coff, @texoff, @smpoff, @chan, @woff, @count?", "iterates and samples", driver, dma_write},
    {"itrsmp3d", does::Control::iterate_and_sample, in_ctrl, {&itrsmp, &itrsmp_ext, &itrsmp_ext2}, "ctrlop=8 dmn=3", "mode! sat f16 sched_ctrl proj nncoords fcnorm comparison", "@dest, @persp, @drc, @coff, @texoff, @smpoff, @chan, @woff, @count?", "iterates and samples", driver, dma_write},
    {"sbo.coeff", does::Control::base_of_coefficients, in_ctrl, {&sbo}, "ctrlop=11 tgt=0", "", "@sbo_offset", "base of coefficient registers", driver},
    {"sbo.shared", does::Control::base_of_shared, in_ctrl, {&sbo}, "ctrlop=11 tgt=1", "", "@sbo_offset", "base of shared registers", driver},
    {"ditr", does::Control::iterate, in_ctrl, {&ditr}, "ctrlop=12", "mode! sat sched_ctrl f16", "@dest, @drc, @coff, @count, @persp, @woff", "iterates", driver, dma_write},
    {"bpret", does::Unencoded::return_from_breakpoint, in_ctrl, {}, "", "", "", "returns from a breakpoint", told},
    {"uniq", does::Unencoded::uniq, in_ctrl, {}, "", "", "", "name only", {Status::unknown, "3.10"}},
    {"fetch", does::Unencoded::fetch, in_ctrl, {}, "", "", "", "name only", {Status::unknown, "3.10"}},
};
// clang-format on

template <std::size_t N>
constexpr std::array<Op, N> make_all(const Row (&rows)[N]) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) { return std::array<Op, N>{make(rows[i])...}; }
  (std::make_index_sequence<N>());
}

/// Candidates by unit and first byte. Built once; a list may be shared by many bytes.
class Index {
 public:
  Index() {
    const auto add = [&](const auto& rows) {
      for (const Op& op : rows) ops_.push_back(op);
    };
    static constexpr auto floats = make_all(float_rows);
    static constexpr auto integers = make_all(integer_rows);
    static constexpr auto phase2s = make_all(phase2_rows);
    static constexpr auto bitwises = make_all(bitwise_rows);
    static constexpr auto backends = make_all(backend_rows);
    static constexpr auto controls = make_all(control_rows);
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
    if (each.form == &form && (bits & each.mask) == each.bits) return each.op;
  return nullptr;
}

}  // namespace mobula::rogue
