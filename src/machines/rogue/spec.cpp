#include "machines/rogue/spec.h"

#include <algorithm>
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

/// "s0:1" source with modifiers s1neg .., "is1e" source with element, ">ft0" fixed, ">fte?" fixed and optional,
/// "s3?" slot or nothing, "p0@pwen" predicate, "@drc" field, "@count?" field that may be left out, "w0#" masked W0.
constexpr Operand operand(std::string_view text) {
  using What = Operand::What;
  Operand result;
  const bool question = text.ends_with('?');
  if (question) text.remove_suffix(1);
  result.optional = question;
  if (text.starts_with('>')) {
    result.what = What::fixed;
    result.name = text.substr(1);
  } else if (text.starts_with('@')) {
    result.what = What::field;
    result.field = detail::field(text.substr(1));
  } else if (text.starts_with("p0@")) {
    result.what = What::predicate;
    result.field = detail::field(text.substr(3));
  } else if (text.ends_with('#')) {
    result.what = What::mask;
    result.name = text.substr(0, 2);
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
    result.name = text;
  }
  return result;
}

/// "sat" flag, "rtz=roundzero" flag spelled otherwise, "nottiled~tiled" spelled where it is 0, "type" names where not
/// the default, "pck_format!" names always.
constexpr Modifier modifier(std::string_view text) {
  Modifier result;
  if (text.ends_with('!')) {
    result.always = true;
    text.remove_suffix(1);
  }
  if (const std::size_t sign = text.find_first_of("=~"); sign != std::string_view::npos) {
    result.inverted = text[sign] == '~';
    result.flag = text.substr(sign + 1);
    text = text.substr(0, sign);
  }
  result.field = detail::field(text);
  if (info(result.field).kind == Kind::flag && result.flag.empty()) result.flag = text;
  return result;
}

struct Row {
  std::string_view name;
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
  for (const Operand& each : op.all_operands()) {
    if (each.field != F::count_) mark(each.field);
    if (each.what == Operand::What::mask) mark(F::maskw0);
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

constexpr Op make(const Row& row) {
  Op op{.name = row.name,
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
    {"fmad", in_p01, {&fmad, &fmad_ext}, "", "sat lp", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes},
    {"fadd", in_p01, {&fadd}, "", "sat lp", ">ft0, s0:0, s1:1", "a + b", driver, commutes},
    {"fmul", in_p01, {&fmul}, "", "sat lp", ">ft0, s0:0, s1:1", "a * b", driver, commutes},
    {"fadd", in_pack, {&fadd}, "", "sat lp", ">ft2, is3:0, fte:1", "a + b", guess},
    {"fmul", in_pack, {&fmul}, "", "sat lp", ">ft2, is3:0, fte:1", "a * b", guess},
    {"mbyp", in_p01, {&sngl, &sngl_ext}, "sngl_op=7", "", ">ft0, s0:0", "copy; modifiers edit the sign bit", seen, 0, "mbyp0"},
    {"frcp", in_p01, {&sngl, &sngl_ext}, "sngl_op=0", "", ">w0, s0:0", "1 / x", driver, complex_result},
    {"frsq", in_p01, {&sngl, &sngl_ext}, "sngl_op=1", "", ">w0, s0:0", "1 / sqrt x", driver, complex_result},
    {"flog", in_p01, {&sngl, &sngl_ext}, "sngl_op=2", "", ">w0, s0:0", "log2 x", driver, complex_result},
    {"fexp", in_p01, {&sngl, &sngl_ext}, "sngl_op=3", "", ">w0, s0:0", "2^x", driver, complex_result},
    {"flogcn", in_p01, {&sngl, &sngl_ext}, "sngl_op=5", "", ">w0, s0:0", "second variant of log2; purpose unknown", driver, complex_result},
    {"fdsx", in_p01, {&sngl, &sngl_ext}, "sngl_op=8", "", ">ft0, s0:0", "coarse derivative along x", driver},
    {"fdsy", in_p01, {&sngl, &sngl_ext}, "sngl_op=9", "", ">ft0, s0:0", "coarse derivative along y", driver},
    {"fdsxf", in_p01, {&sngl, &sngl_ext}, "sngl_op=10", "", ">ft0, s0:0", "fine derivative along x", driver},
    {"fdsyf", in_p01, {&sngl, &sngl_ext}, "sngl_op=11", "", ">ft0, s0:0", "fine derivative along y", driver},
    {"fsinc", in_p01, {&sngl, &sngl_ext}, "sngl_op=14", "", ">w0, >p0, s0:0", "sin(pi x / 2) / x, x in -1..1; P0: a final multiply is due", driver, complex_result},
    {"farctanc", in_p01, {&sngl, &sngl_ext}, "sngl_op=15", "", ">w0, s0:0", "arctan(x) / x, x in -1..1", driver, complex_result},
    {"gcmp", in_p01, {&gcmp, &gcmp_ext}, "", "", ">w0, s0:0", "linear to sRGB", driver, complex_result},
    {"gexp", in_p01, {&gexp}, "", "", ">w0, s0:0", "sRGB to linear", driver, complex_result},
    {"fred", in_p01, {&fred}, "", "red_type! red_part=partb", ">w0, >w1, p0@pwen, @iter, s0:0, s3?", "range reduction of the argument of sine or cosine", driver, complex_result | complex_w1},
    {"fsqrt", in_p0, {}, "", "", "", "square root", told},
    {"convertfromf64", in_p0, {}, "", "", "", "from a 64-bit float, low word S0, high S2", told},
    {"converttof64", in_pack, {}, "", "", "", "to a 64-bit float, low word FT0, high FT2", told},
    {"f64mul", in_p0, {}, "", "", "", "64-bit float multiply", told},
    {"f64add", in_p0, {}, "", "", "", "64-bit float add", told},
    {"f64mad", in_p0, {}, "", "", "", "64-bit float multiply and add", told},
    {"f64div", in_p0, {}, "", "", "", "64-bit float divide", told},
    {"f64rcp", in_p0, {}, "", "", "", "64-bit float 1 / x", told},
    {"f64sqrt", in_p0, {}, "", "", "", "64-bit float square root", told},
    {"f64rsq", in_p0, {}, "", "", "", "64-bit float 1 / sqrt x", told},
    {"f64byp", in_p0, {}, "", "", "", "64-bit float copy", told},
    {"f16sop", in_p0, {}, "", "", "", "sum of products of 16-bit floats", told},
    {"sop", in_p0, {}, "", "", "", "sum of products of 16-bit floats", told},
    {"sopmad", in_p0, {}, "", "", "", "four multiply-adds of 16-bit floats", told},
    {"sopmov", in_pack, {}, "", "", "", "W1 from S3, beside a sum of products", told},
    {"gta", in_p0, {}, "", "", "", "texel addresses of four instances at a time", told},
};
constexpr Row integer_rows[] = {
    {"uadd8", in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=0 f=0", "sat", ">ft0, s0:0, s1:1", "a + b", driver, commutes},
    {"iadd8", in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=1 f=0", "sat", ">ft0, s0:0, s1:1", "a + b", driver, commutes},
    {"uadd16", in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=0 f=1", "sat", ">ft0, s0:0, s1:1", "a + b", driver, commutes},
    {"iadd16", in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=1 f=1", "sat", ">ft0, s0:0, s1:1", "a + b", driver, commutes},
    {"umul8", in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=0 f=0", "sat", ">ft0, s0:0, s1:1", "a * b", driver, commutes},
    {"imul8", in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=1 f=0", "sat", ">ft0, s0:0, s1:1", "a * b", driver, commutes},
    {"umul16", in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=0 f=1", "sat", ">ft0, s0:0, s1:1", "a * b", driver, commutes},
    {"imul16", in_p01, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=1 f=1", "sat", ">ft0, s0:0, s1:1", "a * b", driver, commutes},
    {"umad8", in_p01, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=0 f=0", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes},
    {"imad8", in_p01, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=1 f=0", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes},
    {"umad16", in_p01, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=0 f=1", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes},
    {"imad16", in_p01, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=1 f=1", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes},
    {"uadd6432", in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=0 s=0", "", ">ft0, >fte?, s0:0, s1:1, s2:2, p0@cin?", "S1:S0 + S2, zero extended", driver, high_result},
    {"sadd6432", in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=0 s=1", "", ">ft0, >fte?, s0:0, s1:1, s2:2, p0@cin?", "S1:S0 + S2, sign extended", driver, high_result},
    {"add64", in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=1", "", ">ft0, >fte?, s0:0, s1:1, s2:2, is0, p0@cin?", "S1:S0 + IS0:S2", driver, high_result | reads_is0},
    {"umadd32", in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=2 s=0", "", ">ft0, s0:0, s1:1, s2:2, p0@cin?", "low 32 bits of a * b + c", seen, commutes},
    {"smadd32", in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=2 s=1", "", ">ft0, s0:0, s1:1, s2:2, p0@cin?", "low 32 bits of a * b + c", seen, commutes},
    {"umadd64", in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=3 s=0", "", ">ft0, >fte?, s0:0, s1:1, s2:2, is0, p0@cin?", "S0 * S1 + IS0:S2, 64 bits", seen, high_result | reads_is0 | commutes},
    {"smadd64", in_p01, {&int32_64, &int32_64_ext}, "int32_64_op=3 s=1", "", ">ft0, >fte?, s0:0, s1:1, s2:2, is0, p0@cin?", "S0 * S1 + IS0:S2, 64 bits", seen, high_result | reads_is0 | commutes},
    {"unpck", in_p01, {&upck}, "", "pck_format! scale_rtz=scale", ">ft0, s0e", "unpack an element; repeated, the following elements", driver},
};
constexpr Row phase2_rows[] = {
    {"pck.zero", in_pack, {&pck}, "pck_format=30 prog=0", "scale rtz=roundzero", ">ft2", "0", seen},
    {"pck.one", in_pack, {&pck}, "pck_format=31 prog=0", "scale rtz=roundzero", ">ft2", "1.0", driver},
    {"pck.prog", in_pack, {&pck}, "prog=1", "scale rtz=roundzero pck_format!", ">ft2, is3, fte", "pack; the format word of FTE is unknown", driver},
    {"pck", in_pack, {&pck}, "prog=0", "scale rtz=roundzero pck_format!", ">ft2, is3", "pack; repeated, from the following sources", driver},
    {"tstz", in_test, {&tst, &tst_ext}, "tst_op=0", "type", ">ftt, p0@pwen, is1e", "a == 0", seen},
    {"tstgz", in_test, {&tst, &tst_ext}, "tst_op=1", "type", ">ftt, p0@pwen, is1e", "a > 0", driver},
    {"tstgez", in_test, {&tst, &tst_ext}, "tst_op=2", "type", ">ftt, p0@pwen, is1e", "a >= 0", driver},
    {"tstc", in_test, {&tst, &tst_ext}, "tst_op=3", "type", ">ftt, p0@pwen", "carry of the integer operation in phase 0", driver},
    {"tste", in_test, {&tst, &tst_ext}, "tst_op=4", "type", ">ftt, p0@pwen, is1e, is2e", "a == b", seen},
    {"tstg", in_test, {&tst, &tst_ext}, "tst_op=5", "type", ">ftt, p0@pwen, is1e, is2e", "a > b", seen},
    {"tstge", in_test, {&tst, &tst_ext}, "tst_op=6", "type", ">ftt, p0@pwen, is1e, is2e", "a >= b", seen},
    {"tstne", in_test, {&tst, &tst_ext}, "tst_op=7", "type", ">ftt, p0@pwen, is1e, is2e", "a != b", seen},
    {"tstl", in_test, {&tst, &tst_ext}, "tst_op=8", "type", ">ftt, p0@pwen, is1e, is2e", "a < b", driver},
    {"tstle", in_test, {&tst, &tst_ext}, "tst_op=9", "type", ">ftt, p0@pwen, is1e, is2e", "a <= b", driver},
    {"tstmin", in_test, {}, "", "", "", "a < b; the code is a guess", told},
    {"tstmax", in_test, {}, "", "", "", "a >= b; the code is a guess", told},
    {"mov", in_move, {&movc_ext}, "aw=1", "", "w0#, @movw0", "bytes of W0 from a feedthrough", seen},
    {"movc", in_move, {&movc, &movc_ext}, "aw=0", "", "w0#, >w1, >ftt, @movw0, @movw1", "where the test holds, W0 and W1 from feedthroughs", seen},
};
constexpr Row bitwise_rows[] = {
    {"byp", in_bitmask, {&phase0_src}, "bitmask_op=0", "", ">ft0, >ft1, s0, s1", "FT0 = S0, FT1 = S1", driver, 0, "bbyp0bm"},
    {"byp", in_bitmask, {&phase0_imm16, &phase0_imm32}, "", "", ">ft0, >ft1, s0, @imm", "FT0 = S0, FT1 = immediate", seen, 0, "bbyp0bm"},
    {"msk", in_bitmask, {&phase0_src}, "bitmask_op=1", "", ">ft0, >ft1, s0, s1", "FT1 = mask of S0 bits from bit S1 up; FT0 = its top bit", driver},
    {"byp", in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=0", "", ">ft2, s2", "copy", driver, 0, "bbyp0s1"},
    {"shfl", in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=1", "", ">ft2, s2, s1", "low halves interleaved", driver},
    {"rev", in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=2", "", ">ft2, s2", "bits reversed", driver},
    {"lsl", in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=3", "", ">ft2, s2, s1", "S2 << S1", seen},
    {"byp", in_count, {&phase0_src, &phase0_imm16, &phase0_imm32}, "count_op=2", "", ">ft3, @count_src", "copy", driver},
    {"cbs", in_count, {&phase0_src, &phase0_imm16, &phase0_imm32}, "count_op=0", "", ">ft3, @count_src", "number of set bits", seen},
    {"ftb", in_count, {&phase0_src, &phase0_imm16, &phase0_imm32}, "count_op=1", "", ">ft3, @count_src", "number of the highest set bit, or -1", driver},
    {"ftb_shi", in_count, {}, "", "", "", "highest bit that differs from the sign", told},
    {"ftb_msb", in_count, {}, "", "", "", "highest set bit, counted from the top", told},
    {"or", in_logical, {&phase1}, "logical_op=0", "", ">ft4, @mska, >ft2, @mskb, s3", "", driver},
    {"and", in_logical, {&phase1}, "logical_op=1", "", ">ft4, @mska, >ft2, @mskb, s3", "", seen},
    {"xor", in_logical, {&phase1}, "logical_op=2", "", ">ft4, @mska, >ft2, @mskb, s3", "", seen},
    {"nor", in_logical, {&phase1}, "logical_op=4", "", ">ft4, @mska, >ft2, @mskb, s3", "", driver},
    {"nand", in_logical, {&phase1}, "logical_op=5", "", ">ft4, @mska, >ft2, @mskb, s3", "", driver},
    {"xnor", in_logical, {&phase1}, "logical_op=6", "", ">ft4, @mska, >ft2, @mskb, s3", "", driver},
    {"byp", in_logical, {&phase1}, "logical_op=7", "", ">ft4, >ft1", "copy", driver},
    {"lsl", in_shift2, {&phase2}, "shift2_op=0", "", ">ft5, >ft4, s4", "FT4 << S4", seen},
    {"shr", in_shift2, {&phase2}, "shift2_op=1", "", ">ft5, >ft4, s4", "FT4 >> S4, zeros in", seen},
    {"rol", in_shift2, {&phase2}, "shift2_op=2", "", ">ft5, >ft4, s4", "rotate left", driver},
    {"cps", in_shift2, {&phase2}, "shift2_op=3", "", ">ft5, >p0, >ft4, s4", "conditional set or clear of the bits of FT4 in S4", driver},
    {"asr.twb", in_shift2, {&phase2}, "shift2_op=4", "", ">ft5, >ft4, s4", "arithmetic right shift, sign in bit 31", driver},
    {"asr.pwb", in_shift2, {&phase2}, "shift2_op=5", "", ">ft5, >ft4, s4", "arithmetic right shift, sign in bit 15", driver},
    {"asr.mtb", in_shift2, {&phase2}, "shift2_op=6", "", ">ft5, >ft4, s4", "arithmetic right shift, sign in bit FT0", driver},
    {"asr.ftb", in_shift2, {&phase2}, "shift2_op=7", "", ">ft5, >ft4, s4", "arithmetic right shift, sign in bit FT3", driver},
    {"tz", in_bit_test, {&phase2}, "bw_tst_op=0", "", "p0@pwen, @tst_src", "== 0", seen},
    {"tnz", in_bit_test, {&phase2}, "bw_tst_op=1", "", "p0@pwen, @tst_src", "!= 0", seen},
};
constexpr Row backend_rows[] = {
    {"uvsw.write", in_be, {&uvsw_write_imm}, "", "", "@dsel, @imm_addr", "vertex output from a port", driver, reads_w0},
    {"uvsw.write", in_be, {&uvsw_write_reg}, "", "", "@dsel, @srcsel", "vertex output from a port", driver, reads_w0},
    {"uvsw.emit", in_be, {&uvsw_emit, &uvsw_emit_imm}, "", "", "@stream_id?", "hands a vertex over", driver},
    {"uvsw.cut", in_be, {&uvsw_cut, &uvsw_cut_imm}, "", "", "@stream_id?", "cuts the strip", driver},
    {"uvsw.emit.cut", in_be, {&uvsw_emit_cut, &uvsw_emit_cut_imm}, "", "", "@stream_id?", "hands a vertex over and cuts", driver},
    {"uvsw.endtask", in_be, {&uvsw_endtask}, "", "", "", "ends the vertex task", driver, ends_task},
    {"uvsw.emit.endtask", in_be, {&uvsw_emit_endtask}, "", "", "", "hands the vertex over and ends", driver, ends_task},
    {"uvsw.write.emit.endtask", in_be, {&uvsw_write_emit_endtask_imm}, "", "", "@dsel, @imm_addr", "writes, hands over and ends", driver, reads_w0 | ends_task},
    {"uvsw.write.emit.endtask", in_be, {&uvsw_write_emit_endtask_reg}, "", "", "@dsel, @srcsel", "writes, hands over and ends", driver, reads_w0 | ends_task},
    {"movmsk", in_be, {&movmsk}, "", "", ">w0", "execution mask", driver},
    {"movmsk.sm", in_be, {&movmsk_sm}, "", "", ">w0, @srcsel", "sample mask", driver},
    {"savmsk", in_be, {&savmsk}, "", "msk_mode!", ">w0, >w1", "saves a mask", driver},
    {"phas", in_be, {&phas_reg}, "", "", "@exeaddrsrc, @paramsrc", "change of phase", driver},
    {"phas", in_be, {&phas_imm}, "", "rate! phas_end=end", "@exeaddrsrc, @commontmp", "change of phase", driver},
    {"setl", in_be, {&setl}, "", "", "@ressel", "link address from a port", driver, reads_w0},
    {"depthf", in_be, {&vistest_depthf}, "", "", ">w0", "depth feedback", driver, reads_w0},
    {"atst", in_be, {&vistest_atst}, "", "ifb", "p0@pwen, s0, s1, s2", "alpha test", driver},
    {"fitr", in_be, {&fitr}, "p=0", "sat iter_mode!", "s3, @drc, s0, @count", "iterates values of coefficient sets", driver, dma_write},
    {"fitrp", in_be, {&fitr}, "p=1", "sat iter_mode!", "s3, @drc, s0, s2, @count", "iterates values, each times 1/W", driver, dma_write},
    {"emitpix", in_be, {&emitpix}, "", "freep", "s0, s2", "sends the pixel outputs", driver},
    {"idf", in_be, {&idf}, "", "", "@drc, @srcseladd", "fence behind stores", seen, dma_read},
    {"atom", in_be, {&atomic}, "", "atomic_op!", "@dstsel, @drc, @srcsel", "atomic operation, returns the old value", driver, dma_write | dma_read},
    {"ld", in_be, {&ld_imm}, "", "cachemode_ld slcmode", "s3, @drc, @burst, @srcseladd", "loads words", seen, dma_write | dma_read},
    {"ld", in_be, {&ld_reg, &ld_reg_ext}, "", "cachemode_ld slcmode", "s3, @drc, @srcselbl, @srcseladd", "loads words, their number in a register", seen, dma_write | dma_read},
    {"st", in_be, {&st_imm, &st_imm_ext}, "", "nottiled~tiled cachemode_st slcmode", "@srcseldata, @dsize, @drc, @burst, @srcseladd, @srcmask?", "stores", seen, dma_read},
    {"st", in_be, {&st_reg, &st_reg_ext}, "", "nottiled~tiled cachemode_st slcmode", "@srcseldata, @dsize, @drc, @srcselbl, @srcseladd, @srcmask?", "stores, the number of words in a register", seen, dma_read},
    {"smp1d", in_be, {&smp, &smp_exta, &smp_extab, &smp_extabc}, "dmn=1", "fcnorm proj nncoords lodm pplod tao soo sno sbmode f16 swap=schedswap wrt array integer comparison f16input direct slcmode", "@drc, s0, s1, s2, s3?, s4, @chan", "samples a texture", driver, dma_write | dma_read},
    {"smp2d", in_be, {&smp, &smp_exta, &smp_extab, &smp_extabc}, "dmn=2", "fcnorm proj nncoords lodm pplod tao soo sno sbmode f16 swap=schedswap wrt array integer comparison f16input direct slcmode", "@drc, s0, s1, s2, s3?, s4, @chan", "samples a texture", driver, dma_write | dma_read},
    {"smp3d", in_be, {&smp, &smp_exta, &smp_extab, &smp_extabc}, "dmn=3", "fcnorm proj nncoords lodm pplod tao soo sno sbmode f16 swap=schedswap wrt array integer comparison f16input direct slcmode", "@drc, s0, s1, s2, s3?, s4, @chan", "samples a texture", driver, dma_write | dma_read},
    {"smp1d.extb", in_be, {&smp_extb}, "dmn=1", "fcnorm lodm", "@drc, s0, s1, s2, s3?, s4, @chan, @extb_byte", "samples a texture; what the last byte says is unknown", {Status::unknown, "4.8"}, dma_write | dma_read},
    {"smp2d.extb", in_be, {&smp_extb}, "dmn=2", "fcnorm lodm", "@drc, s0, s1, s2, s3?, s4, @chan, @extb_byte", "samples a texture; what the last byte says is unknown", {Status::unknown, "4.8"}, dma_write | dma_read},
    {"smp3d.extb", in_be, {&smp_extb}, "dmn=3", "fcnorm lodm", "@drc, s0, s1, s2, s3?, s4, @chan, @extb_byte", "samples a texture; what the last byte says is unknown", {Status::unknown, "4.8"}, dma_write | dma_read},
    {"tessw", in_be, {}, "", "", "", "write to the tessellator", told},
    {"st.texelmode", in_be, {}, "", "", "", "store in texel mode", told},
};
constexpr Row control_rows[] = {
    {"br", in_ctrl, {&branch}, "ctrlop=0 abs=0 link=0", "bpred", "@offset", "branch relative to this group", seen},
    {"ba", in_ctrl, {&branch}, "ctrlop=0 abs=1 link=0", "bpred", "@offset", "branch to an address", driver},
    {"brl", in_ctrl, {&branch}, "ctrlop=0 abs=0 link=1", "bpred", "@offset", "branch and save the next group's address", driver},
    {"bal", in_ctrl, {&branch}, "ctrlop=0 abs=1 link=1", "bpred", "@offset", "branch and save the next group's address", driver},
    {"lapc", in_ctrl, {&none}, "ctrlop=1", "", "", "returns to the saved address", driver},
    {"savl", in_ctrl, {&none}, "ctrlop=2", "", ">w0", "W0 = saved address in 16-bit units", driver},
    {"cndst", in_ctrl, {&cnd}, "ctrlop=3 cndinst=0", "", "@pcnd, >w0, s0, @adjust", "start of a masked region", seen},
    {"cndef", in_ctrl, {&cnd}, "ctrlop=3 cndinst=1", "", "@pcnd, >w0, s0, @adjust", "else of a masked region", driver},
    {"cndsm", in_ctrl, {&cnd}, "ctrlop=3 cndinst=2", "", "@pcnd, >w0, s0, s2", "sets the mask count", driver},
    {"cndlt", in_ctrl, {&cnd}, "ctrlop=3 cndinst=3", "", "@pcnd, >w0, >p0, s0, @adjust", "test of a loop", driver},
    {"cndend", in_ctrl, {&cnd}, "ctrlop=3 cndinst=4", "", ">w0, s0, @adjust", "end of a masked region", seen},
    {"cndsetl.b", in_ctrl, {&cnd}, "ctrlop=3 cndinst=5", "", ">w0, s0, s2", "link selection of a call loop", driver},
    {"cndlpc", in_ctrl, {&cnd}, "ctrlop=3 cndinst=6", "", ">w0, s0", "end of a call loop", driver},
    {"cndsetl.a", in_ctrl, {&cnd}, "ctrlop=3 cndinst=7", "", ">w0, s0, s2", "link selection of a call loop", driver},
    {"wop", in_ctrl, {&none}, "ctrlop=4", "", "", "waits for the output partition", driver},
    {"wdf", in_ctrl, {&none}, "ctrlop=5", "", "@miscctl", "waits until a fence counter is 0", seen},
    {"mutex.release", in_ctrl, {&mutex}, "ctrlop=6 lr=0", "", "@id", "frees a mutex", seen},
    {"mutex.release.sleep", in_ctrl, {&mutex}, "ctrlop=6 lr=1", "", "@id", "frees a mutex and sleeps", seen},
    {"mutex.release.wakeup", in_ctrl, {&mutex}, "ctrlop=6 lr=2", "", "@id", "frees a mutex and wakes others", seen},
    {"mutex.lock", in_ctrl, {&mutex}, "ctrlop=6 lr=3", "", "@id", "takes a mutex", seen},
    {"nop", in_ctrl, {&nop}, "ctrlop=7", "miscctl=end", "", "nothing", seen},
    {"itrsmp1d", in_ctrl, {&itrsmp, &itrsmp_ext, &itrsmp_ext2}, "ctrlop=8 dmn=1", "mode! sat f16 sched_ctrl proj nncoords fcnorm comparison", "@dest, @persp, @drc, @coff, @texoff, @smpoff, @chan, @woff, @count?", "iterates and samples", driver, dma_write},
    {"itrsmp2d", in_ctrl, {&itrsmp, &itrsmp_ext, &itrsmp_ext2}, "ctrlop=8 dmn=2", "mode! sat f16 sched_ctrl proj nncoords fcnorm comparison", "@dest, @persp, @drc, @coff, @texoff, @smpoff, @chan, @woff, @count?", "iterates and samples", driver, dma_write},
    {"itrsmp3d", in_ctrl, {&itrsmp, &itrsmp_ext, &itrsmp_ext2}, "ctrlop=8 dmn=3", "mode! sat f16 sched_ctrl proj nncoords fcnorm comparison", "@dest, @persp, @drc, @coff, @texoff, @smpoff, @chan, @woff, @count?", "iterates and samples", driver, dma_write},
    {"sbo.coeff", in_ctrl, {&sbo}, "ctrlop=11 tgt=0", "", "@sbo_offset", "base of coefficient registers", driver},
    {"sbo.shared", in_ctrl, {&sbo}, "ctrlop=11 tgt=1", "", "@sbo_offset", "base of shared registers", driver},
    {"ditr", in_ctrl, {&ditr}, "ctrlop=12", "mode! sat sched_ctrl f16", "@dest, @drc, @coff, @count, @persp, @woff", "iterates", driver, dma_write},
    {"bpret", in_ctrl, {}, "", "", "", "returns from a breakpoint", told},
    {"uniq", in_ctrl, {}, "", "", "", "name only", {Status::unknown, "3.10"}},
    {"fetch", in_ctrl, {}, "", "", "", "name only", {Status::unknown, "3.10"}},
};
// clang-format on

template <std::size_t N>
constexpr std::array<Op, N> make_all(const Row (&rows)[N]) {
  std::array<Op, N> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = make(rows[i]);
  return all;
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
  std::array<std::array<std::vector<Candidate>, 256>, unit_count> by_byte_;
  std::array<std::vector<Candidate>, 16> by_ctrlop_;
};

const Index& index() {
  static const Index the_index;
  return the_index;
}

}  // namespace

std::span<const Op> ops() { return index().ops(); }
std::span<const Candidate> candidates(Unit unit, std::uint8_t first_byte) { return index().by_byte(unit, first_byte); }
std::span<const Candidate> control_candidates(unsigned ctrlop) { return index().by_ctrlop(ctrlop); }

const Op* find_op(Unit unit, const Form& form, std::uint64_t bits) {
  for (const Candidate& each : candidates(unit, static_cast<std::uint8_t>(bits)))
    if (each.form == &form && (bits & each.mask) == each.bits) return each.op;
  return nullptr;
}

}  // namespace mobula::rogue
