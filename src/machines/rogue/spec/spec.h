// Rogue's encoding as data: registers, the forms of headers, maps and instructions, and the instructions themselves.
// Decoder, encoder, text, explain, manual, checker and lifter all read these rows. Facts are cited as sections of the
// Rogue reference. An item (header, map, instruction) is at most 8 bytes long and handled as one 64-bit number whose
// lowest byte is the first in memory; bit b of byte B is bit 8 * B + b.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/export.h"
#include "core/format.h"

namespace mobula::rogue {

// ------------------------------------------------------------------------------------------------ limits (1, 2.4)

inline constexpr unsigned max_group_bytes = 32, slot_count = 6, upper_slot = 3, granule_bytes = 8;
inline constexpr unsigned temporary_count = 248, vertex_input_count = 248, max_repeat = 4, max_index = 2047;

// ------------------------------------------------------------------------------------------------ names of values

// clang-format off
namespace value {
inline constexpr FieldValue oporg[] = {{0, "p0", ""}, {1, "p2", ""}, {2, "be", ""}, {3, "p0_p1", ""}, {4, "p0_p2", ""}, {5, "p0_p1_p2", ""}, {6, "p0_p2_be", ""}, {7, "p0_p1_p2_be", ""}};
inline constexpr FieldValue cc[] = {{0, "always", "where PE is 1"}, {1, "if(p0)", "where PE and P0 are 1"}, {2, "(ignorepe)", "in all instances"}, {3, "if(!p0)", "where PE is 1 and P0 is 0"}};
inline constexpr FieldValue ctrlop[] = {{0, "b", "branch"}, {1, "lapc", "return"}, {2, "savl", "link address to W0"}, {3, "cnd", "execution mask"},
    {4, "wop", "wait for output"}, {5, "wdf", "wait for fence"}, {6, "mutex", ""}, {7, "nop", ""}, {8, "itrsmp", "iterate and sample"},
    {9, "uniq", "name only"}, {10, "fetch", "name only"}, {11, "sbo", "base offset"}, {12, "ditr", "iterate"}};
inline constexpr FieldValue bank[] = {{0, "special", "constants and special registers"}, {1, "temp", "temporaries"}, {2, "vtxin", "vertex inputs"},
    {3, "coeff", "coefficients"}, {4, "shared", "shared registers"}, {5, "coeff_alt", "alternate coefficients"},
    {6, "idx0", "indexed by index register 0"}, {7, "idx1", "indexed by index register 1"}};
inline constexpr FieldValue is0[] = {{0, "s0", ""}, {1, "s3", ""}, {2, "s4", ""}, {3, "s5", ""}, {4, "s1", ""}, {5, "s2", ""}};
inline constexpr FieldValue is1[] = {{0, "ft0", ""}, {1, "fte", ""}};
inline constexpr FieldValue is2[] = {{0, "ft1", ""}, {1, "fte", ""}};
inline constexpr FieldValue is3[] = {{0, "ft0", ""}, {1, "ft1", ""}, {2, "s2", "known from a driver only"}, {3, "fte", ""}};
inline constexpr FieldValue is45[] = {{0, "ft0", ""}, {1, "ft1", ""}, {2, "ft2", ""}, {3, "fte", ""}};
inline constexpr FieldValue sngl_op[] = {{0, "rcp", ""}, {1, "rsq", ""}, {2, "log", ""}, {3, "exp", ""}, {4, "f16sop", "body unknown"},
    {5, "logcn", ""}, {6, "gamma", ""}, {7, "byp", ""}, {8, "dsx", ""}, {9, "dsy", ""}, {10, "dsxf", ""}, {11, "dsyf", ""}, {12, "pck", ""},
    {13, "red", ""}, {14, "sinc", ""}, {15, "arctanc", ""}};
inline constexpr FieldValue pck_format[] = {{0, "u8888", ""}, {1, "s8888", ""}, {2, "o8888", ""}, {3, "u1616", ""}, {4, "s1616", ""},
    {5, "o1616", ""}, {6, "u32", ""}, {7, "s32", ""}, {8, "u1010102", ""}, {9, "s1010102", ""}, {10, "u111110", ""}, {11, "s111110", ""},
    {12, "f111110", ""}, {14, "f16f16", ""}, {15, "f32", ""}, {16, "cov", ""}, {17, "u565u565", ""}, {18, "d24s8", ""}, {19, "s8d24", ""},
    {20, "f32_mask", ""}, {21, "2f10f10f10", ""}, {22, "s8888ogl", ""}, {23, "s1616ogl", ""}, {30, "zero", "0"}, {31, "one", "1.0"}};
inline constexpr FieldValue red_type[] = {{0, "sin", ""}, {1, "cos", ""}};
inline constexpr FieldValue tst_op[] = {{0, "z", "== 0"}, {1, "gz", "> 0"}, {2, "gez", ">= 0"}, {3, "c", "carry"}, {4, "e", "=="}, {5, "g", ">"},
    {6, "ge", ">="}, {7, "ne", "!="}, {8, "l", "<"}, {9, "le", "<="}};
inline constexpr FieldValue tst_type[] = {{0, "f32", ""}, {1, "u16", ""}, {2, "s16", ""}, {3, "u8", ""}, {4, "s8", ""}, {5, "u32", ""}, {6, "s32", ""}};
inline constexpr FieldValue count_src[] = {{0, "s2", ""}, {1, "ft2", ""}};
inline constexpr FieldValue count_op[] = {{0, "cbs", "set bits"}, {1, "ftb", "top bit"}, {2, "byp", ""}};
inline constexpr FieldValue shift1_op[] = {{0, "byp", ""}, {1, "shfl", "interleave"}, {2, "rev", "reverse"}, {3, "lsl", "shift left"}};
inline constexpr FieldValue mska[] = {{0, "_", "not masked"}, {1, "ft1", "masked"}};
inline constexpr FieldValue mskb[] = {{0, "_", "not masked"}, {1, "ft1.invert", "masked"}};
inline constexpr FieldValue logical_op[] = {{0, "or", ""}, {1, "and", ""}, {2, "xor", ""}, {4, "nor", ""}, {5, "nand", ""}, {6, "xnor", ""}, {7, "byp", ""}};
inline constexpr FieldValue tst_src[] = {{0, "ft5", ""}, {1, "ft3", ""}};
inline constexpr FieldValue bw_tst_op[] = {{0, "z", ""}, {1, "nz", ""}};
inline constexpr FieldValue shift2_op[] = {{0, "lsl", ""}, {1, "shr", ""}, {2, "rol", ""}, {3, "cps", ""}, {4, "asr_twb", ""}, {5, "asr_pwb", ""}, {6, "asr_mtb", ""}, {7, "asr_ftb", ""}};
inline constexpr FieldValue port[] = {{0, "w0", ""}, {1, "w1", ""}};
inline constexpr FieldValue msk_mode[] = {{0, "vm", ""}, {1, "icm", ""}, {2, "icmoc", ""}, {3, "icmi", ""}, {4, "caxy", ""}};
inline constexpr FieldValue rate[] = {{0, "inst", ""}, {1, "smp_sel", ""}, {2, "smp_full", ""}};
inline constexpr FieldValue iter_mode[] = {{0, "pixel", ""}, {1, "sample", ""}, {2, "centroid", ""}};
inline constexpr FieldValue atomic_op[] = {{0, "add", ""}, {1, "sub", ""}, {2, "xchg", ""}, {4, "umin", ""}, {5, "imin", ""}, {6, "umax", ""},
    {7, "imax", ""}, {8, "and", ""}, {9, "or", ""}, {10, "xor", ""}};
inline constexpr FieldValue cachemode_ld[] = {{0, "normal", ""}, {1, "bypass", ""}, {2, "force_line_fill", ""}};
inline constexpr FieldValue cachemode_st[] = {{0, "write_through", ""}, {1, "write_back", ""}, {2, "write_back_lazy", ""}};
inline constexpr FieldValue slcmode[] = {{0, "slc_bypass", ""}, {1, "slc_write_back", ""}, {2, "slc_write_through", ""}, {3, "slc_cached_reads", ""}};
inline constexpr FieldValue lodm[] = {{0, "normal", ""}, {1, "bias", ""}, {2, "replace", ""}, {3, "gradient", ""}};
inline constexpr FieldValue sbmode[] = {{0, "none", ""}, {1, "data", ""}, {2, "info", ""}, {3, "both", ""}};
inline constexpr FieldValue bpred[] = {{0, "cc", ""}, {1, "allinst", "taken if no instance runs"}, {2, "anyinst", "unknown rule"}};
enum : std::uint8_t { pcnd_always, pcnd_p0, pcnd_never, pcnd_not_p0 };
inline constexpr FieldValue pcnd[] = {{pcnd_always, "always", ""}, {pcnd_p0, "p0", ""}, {pcnd_never, "never", ""}, {pcnd_not_p0, "!p0", ""}};
inline constexpr FieldValue idx_ctrl[] = {{0, "none", ""}, {1, "idx0", ""}, {2, "idx1", ""}};
inline constexpr FieldValue sched_ctrl[] = {{0, "none", ""}, {1, "schedswap", "the task yields"}, {2, "schedwdf", "waits for the fence"}};
}  // namespace value
// clang-format on

// ------------------------------------------------------------------------------------------------ fields

/// What the stored bits of a field stand for in text.
enum class Kind : std::uint8_t {
  flag,
  number,
  names,          ///< one of a list; values outside the list are not decoded
  slot,           ///< 0..5 = s0..s5; 6 and 7 are not decoded
  coverage,       ///< a slot, or "_" in a store that is not tiled
  drc,            ///< drc0, drc1
  count16,        ///< 1..max, the largest stored as 0
  plus1,          ///< stored less one
  quad,           ///< stored divided by 4
  temporary,      ///< number of an r register
  coefficient,    ///< a cf register divided by 4, indexed as coff_idx_ctrl says
  w_coefficient,  ///< also a coefficient, by woff_idx_ctrl
  shared_quad,    ///< an sh register divided by 4
  immediate,
  target,  ///< of a branch
};

enum class F : std::uint8_t {
#define ROGUE_FIELD(name, kind, names, default_value, meaning) name,
#include "machines/rogue/spec/fields.inc"
#undef ROGUE_FIELD
  count_
};
inline constexpr std::size_t field_count = static_cast<std::size_t>(F::count_);

struct FieldInfo {
  std::string_view name;
  Kind kind = Kind::number;
  std::span<const FieldValue> names{};
  std::uint32_t default_value = 0;
  std::string_view meaning;
};
inline constexpr std::array<FieldInfo, field_count> field_infos{{
#define ROGUE_FIELD(name, kind, names, default_value, meaning) {#name, Kind::kind, names, default_value, meaning},
#include "machines/rogue/spec/fields.inc"
#undef ROGUE_FIELD
}};
constexpr const FieldInfo& info(F field) { return field_infos[static_cast<std::size_t>(field)]; }

/// A value of every field, as stored.
using Values = std::array<std::uint32_t, field_count>;
inline constexpr Values default_values = [] {
  Values values{};
  for (std::size_t i = 0; i < field_count; ++i) values[i] = field_infos[i].default_value;
  return values;
}();
constexpr std::uint32_t& at(Values& values, F field) { return values[static_cast<std::size_t>(field)]; }
constexpr std::uint32_t at(const Values& values, F field) { return values[static_cast<std::size_t>(field)]; }

// ------------------------------------------------------------------------------------------------ forms

/// Neighbouring bits of an item.
struct Piece {
  std::uint8_t low = 0, width = 0;
};
/// Where a field lies in a form: its pieces, the most significant first.
struct Place {
  F field{};
  std::uint8_t piece_count = 0;
  std::array<Piece, 4> pieces{};
  [[nodiscard]] constexpr unsigned width() const {
    unsigned sum = 0;
    for (std::size_t i = 0; i < piece_count; ++i) sum += pieces[i].width;
    return sum;
  }
};

/// One layout of a header, map or instruction: fixed bits and fields, which together are all of its bits.
struct Form {
  std::string_view name;
  std::uint8_t bytes = 0;
  std::uint64_t fixed_mask = 0, fixed_bits = 0;
  std::uint8_t place_count = 0;
  std::array<Place, 26> places{};
  Fact fact;

  /// By its name and not by where it is: each library may have its own copy of the tables.
  [[nodiscard]] constexpr bool is(const Form& other) const { return name == other.name; }
  [[nodiscard]] constexpr std::span<const Place> fields() const { return {places.data(), place_count}; }
  [[nodiscard]] constexpr const Place* find(F field) const {
    for (std::size_t i = 0; i < place_count; ++i)
      if (places[i].field == field) return &places[i];
    return nullptr;
  }
  [[nodiscard]] constexpr bool fits(std::uint64_t bits) const { return (bits & fixed_mask) == fixed_bits; }
};

constexpr std::uint32_t get(std::uint64_t bits, const Place& place) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < place.piece_count; ++i)
    result = result << place.pieces[i].width | (bits >> place.pieces[i].low & low_mask(place.pieces[i].width));
  return static_cast<std::uint32_t>(result);
}
/// Precondition: `value` fits, and the field's bits are 0.
constexpr void insert(std::uint64_t& bits, const Place& place, std::uint64_t value) {
  for (std::size_t i = place.piece_count; i-- > 0;) {
    bits |= (value & low_mask(place.pieces[i].width)) << place.pieces[i].low;
    value >>= place.pieces[i].width;
  }
}
/// The field's value, or its default where the form lacks it.
constexpr std::uint32_t get(const Form& form, std::uint64_t bits, F field) {
  const Place* place = form.find(field);
  return place == nullptr ? info(field).default_value : get(bits, *place);
}
/// All values of an item; fields the form lacks keep theirs.
constexpr void read(const Form& form, std::uint64_t bits, Values& values) {
  for (const Place& place : form.fields()) at(values, place.field) = get(bits, place);
}
/// True if every field of the form can hold its value.
constexpr bool holds(const Form& form, const Values& values) {
  for (const Place& place : form.fields())
    if (at(values, place.field) > low_mask(place.width())) return false;
  return true;
}
/// Precondition: holds(form, values).
constexpr std::uint64_t write(const Form& form, const Values& values) {
  std::uint64_t bits = form.fixed_bits;
  for (const Place& place : form.fields()) insert(bits, place, at(values, place.field));
  return bits;
}

namespace detail {
constexpr unsigned digit(std::string_view text, std::size_t& at) {
  unsigned value = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') value = value * 10 + (text[at++] - '0');
  return value;
}
/// "1.7:4" or "0.3": byte, highest and lowest bit.
constexpr Piece piece(std::string_view text, std::size_t& at) {
  const unsigned byte = digit(text, at);
  if (text[at++] != '.') throw "expected '.' after the byte";
  const unsigned high = digit(text, at);
  unsigned low = high;
  if (at < text.size() && text[at] == ':') {
    ++at;
    low = digit(text, at);
  }
  if (high > 7 || low > high) throw "no such bits";
  return {static_cast<std::uint8_t>(8 * byte + low), static_cast<std::uint8_t>(high - low + 1)};
}
constexpr F field(std::string_view name) {
  // What tells most of them apart comes first: this runs in each file that includes the table.
  for (std::size_t i = 0; i < field_count; ++i) {
    const std::string_view& each = field_infos[i].name;
    if (each.size() == name.size() && each[0] == name[0] && each == name) return static_cast<F>(i);
  }
  throw "no field of that name";
}
constexpr void claim(std::uint64_t& used, const Piece& piece) {
  const std::uint64_t mask = low_mask(piece.width) << piece.low;
  if ((used & mask) != 0) throw "bits used twice";
  used |= mask;
}
}  // namespace detail

/// Reads a row as the reference writes it: `fixed` is "1.7=0 2.6:5=00", `fields` is "da@0.7:4 cc@2.0,1.0". Does not
/// compile unless both together are all bits of the form, once each.
constexpr Form form(std::string_view name, unsigned bytes, std::string_view fixed, std::string_view fields, Fact fact) {
  Form result{.name = name, .bytes = static_cast<std::uint8_t>(bytes), .fact = fact};
  std::uint64_t used = 0;
  for (std::size_t at = 0; at < fixed.size(); ++at) {
    std::array<Piece, 4> pieces{};
    std::size_t count = 0;
    do {
      if (count != 0) ++at;
      pieces[count] = detail::piece(fixed, at);
      detail::claim(used, pieces[count++]);
    } while (fixed[at] == ',');
    if (fixed[at++] != '=') throw "expected '='";
    for (std::size_t i = 0; i < count; ++i)
      for (unsigned bit = pieces[i].width; bit-- > 0; ++at)
        if (fixed[at] == '1')
          result.fixed_bits |= 1ull << (pieces[i].low + bit);
        else if (fixed[at] != '0')
          throw "expected a binary digit";
    if (at < fixed.size() && fixed[at] != ' ') throw "expected a space";
  }
  result.fixed_mask = used;
  for (std::size_t at = 0; at < fields.size(); ++at) {
    Place& place = result.places[result.place_count++];
    const std::size_t sign = fields.find('@', at);
    place.field = detail::field(fields.substr(at, sign - at));
    at = sign;
    do {
      ++at;
      place.pieces[place.piece_count] = detail::piece(fields, at);
      detail::claim(used, place.pieces[place.piece_count++]);
    } while (at < fields.size() && fields[at] == ',');
    if (at < fields.size() && fields[at] != ' ') throw "expected a space";
  }
  if (used != low_mask(8 * bytes)) throw "fields and fixed bits are not all bits";
  return result;
}

// clang-format off
namespace forms {
constexpr Fact seen(std::string_view section) { return {Status::binaries, section}; }
constexpr Fact driver(std::string_view section) { return {Status::driver, section}; }

// headers (4.2)
inline constexpr Form main_brief = form("main_brief", 2, "1.7=0", "da@0.7:4 length@0.3:0 oporg@1.6:4 olchk@1.3 w1p@1.2 w0p@1.1 cc@1.0", seen("4.2"));
inline constexpr Form main = form("main", 3, "1.7=1 2.6:5=00 2.4=0", "da@0.7:4 length@0.3:0 oporg@1.6:4 olchk@1.3 w1p@1.2 w0p@1.1 cc@2.0,1.0 end@2.7 atom@2.3 rpt@2.2:1", seen("4.2"));
inline constexpr Form bitwise = form("bitwise", 3, "1.7=1 2.6:5=10 2.4=0", "da@0.7:4 length@0.3:0 opcnt@1.6:4 olchk@1.3 w1p@1.2 w0p@1.1 cc@2.0,1.0 end@2.7 atom@2.3 rpt@2.2:1", seen("4.2"));
inline constexpr Form control = form("control", 3, "1.7=1 1.6:4=000 2.6:5=11", "da@0.7:4 length@0.3:0 olchk@1.3 w1p@1.2 w0p@1.1 cc@2.0,1.0 miscctl@2.7 ctrlop@2.4:1", seen("4.2"));

// source maps (4.3), each set from the shortest
inline constexpr Form lower[] = {
    form("1lo_1b6i", 1, "0.7=0", "sb0@0.6 s0@0.5:0", seen("4.3")),
    form("1lo_3b11i_2m", 3, "0.7=1 1.7=0 1.6=0 2.7:3=00000", "sb0@1.3:2,0.6 s0@2.2:0,1.1:0,0.5:0 is0@1.5:4", seen("4.3")),
    form("2lo_1b6i_1b5i", 2, "0.7=1 1.7=1 1.6=0", "sb0@0.6 s0@0.5:0 sb1@1.5 s1@1.4:0", seen("4.3")),
    form("2lo_2b7i_2b7i_2m", 3, "0.7=1 1.7=1 1.6=1 2.7=0", "sb0@2.4,0.6 s0@2.2,0.5:0 sb1@2.3,1.5 s1@2.1:0,1.4:0 is0@2.6:5", seen("4.3")),
    form("2lo_3b11i_2b8i_3m", 4, "0.7=1 1.7=1 1.6=1 2.7=1 3.2=0", "sb0@3.3,2.4,0.6 s0@3.7:5,3.1,2.2,0.5:0 sb1@2.3,1.5 s1@3.0,2.1:0,1.4:0 is0@3.4,2.6:5", seen("4.3")),
    form("3lo_2b7i_2b7i_2b6i_2m", 4, "0.7=1 1.7=0 1.6=1 2.7=0", "sb0@2.4,0.6 s0@2.2,0.5:0 sb1@2.3,1.5 s1@2.1:0,1.4:0 sb2@3.7:6 s2@3.5:0 is0@2.6:5", seen("4.3")),
    form("3lo_3b8i_2b8i_3b8i_3m", 5, "0.7=1 1.7=0 1.6=1 2.7=1 4.2=0", "sb0@4.3,2.4,0.6 s0@4.1,2.2,0.5:0 sb1@2.3,1.5 s1@4.0,2.1:0,1.4:0 sb2@4.7,3.7:6 s2@4.6:5,3.5:0 is0@4.4,2.6:5", seen("4.3")),
    form("3lo_3b11i_2b8i_3b11i_3m", 6, "0.7=1 1.7=0 1.6=1 2.7=1 4.2=1 5.7:6=00",
        "sb0@4.3,2.4,0.6 s0@5.2:0,4.1,2.2,0.5:0 sb1@2.3,1.5 s1@4.0,2.1:0,1.4:0 sb2@4.7,3.7:6 s2@5.5:3,4.6:5,3.5:0 is0@4.4,2.6:5", seen("4.3")),
};
inline constexpr Form upper[] = {
    form("1up_1b6i", 1, "0.7=0", "sb3@0.6 s3@0.5:0", seen("4.3")),
    form("1up_3b11i", 3, "0.7=1 1.7=0 1.6=0 1.5:4=00 2.7:3=00000", "sb3@1.3:2,0.6 s3@2.2:0,1.1:0,0.5:0", seen("4.3")),
    form("2up_1b6i_1b5i", 2, "0.7=1 1.7=1 1.6=0", "sb3@0.6 s3@0.5:0 sb4@1.5 s4@1.4:0", seen("4.3")),
    form("2up_2b7i_2b7i", 3, "0.7=1 1.7=1 1.6=1 2.7=0 2.6:5=00", "sb3@2.4,0.6 s3@2.2,0.5:0 sb4@2.3,1.5 s4@2.1:0,1.4:0", seen("4.3")),
    form("2up_3b11i_2b8i", 4, "0.7=1 1.7=1 1.6=1 2.7=1 3.2=0 3.4,2.6:5=000", "sb3@3.3,2.4,0.6 s3@3.7:5,3.1,2.2,0.5:0 sb4@2.3,1.5 s4@3.0,2.1:0,1.4:0", seen("4.3")),
    form("3up_2b7i_2b7i_2b6i", 4, "0.7=1 1.7=0 1.6=1 2.7=0 2.6:5=00", "sb3@2.4,0.6 s3@2.2,0.5:0 sb4@2.3,1.5 s4@2.1:0,1.4:0 sb5@3.7:6 s5@3.5:0", seen("4.3")),
    form("3up_3b8i_2b8i_2b8i", 5, "0.7=1 1.7=0 1.6=1 2.7=1 4.2=0 4.4,2.6:5=000 4.7=0", "sb3@4.3,2.4,0.6 s3@4.1,2.2,0.5:0 sb4@2.3,1.5 s4@4.0,2.1:0,1.4:0 sb5@3.7:6 s5@4.6:5,3.5:0", seen("4.3")),
    form("3up_3b11i_2b8i_2b8i", 6, "0.7=1 1.7=0 1.6=1 2.7=1 4.2=1 4.4,2.6:5=000 4.7=0 5.7:6=00 5.5:3=000",
        "sb3@4.3,2.4,0.6 s3@5.2:0,4.1,2.2,0.5:0 sb4@2.3,1.5 s4@4.0,2.1:0,1.4:0 sb5@3.7:6 s5@4.6:5,3.5:0", seen("4.3")),
};
inline constexpr Form iss = form("iss", 1, "", "is5@0.7:6 is4@0.5:4 is3@0.3:2 is2@0.1 is1@0.0", seen("4.4"));
// destination maps (4.5)
inline constexpr Form one_destination[] = {
    form("1_1b6i", 1, "0.7=0", "dbN@0.6 dN@0.5:0", seen("4.5")),
    form("1_3b11i", 2, "0.7=1 1.7=0", "dbN@1.3:2,0.6 dN@1.6:4,1.1:0,0.5:0", seen("4.5")),
};
inline constexpr Form two_destinations[] = {
    form("2_1b7i_1b6i", 2, "1.7=0", "db0@0.7 d0@0.6:0 db1@1.6 d1@1.5:0", seen("4.5")),
    form("2_3b8i_3b8i", 3, "1.7=1 2.7=0", "db0@2.2:1,0.7 d0@2.0,0.6:0 db1@2.6:5,1.6 d1@2.4:3,1.5:0", seen("4.5")),
    form("2_3b11i_3b11i", 4, "1.7=1 2.7=1 3.7:6=00", "db0@2.2:1,0.7 d0@3.2:0,2.0,0.6:0 db1@2.6:5,1.6 d1@3.5:3,2.4:3,1.5:0", seen("4.5")),
};

// main ALU (4.6)
inline constexpr Form fadd = form("fadd", 1, "0.7:6=00", "lp@0.5 sat@0.4 s0neg@0.3 s0abs@0.2 s1abs@0.1 s0flr@0.0", driver("4.6"));
inline constexpr Form fmul = form("fmul", 1, "0.7:6=01", "lp@0.5 sat@0.4 s0neg@0.3 s0abs@0.2 s1abs@0.1 s0flr@0.0", driver("4.6"));
inline constexpr Form sngl = form("sngl", 1, "0.7:5=100 0.4=0", "sngl_op@0.3:0", seen("4.6"));
inline constexpr Form sngl_ext = form("sngl_ext", 2, "0.7:5=100 0.4=1 1.7,1.6:4,1.3=00000 1.2=0", "sngl_op@0.3:0 s0neg@1.1 s0abs@1.0", driver("4.6"));
inline constexpr Form gcmp = form("gcmp", 1, "0.7:5=100 0.4=0 0.3:0=0110", "", driver("4.6"));
inline constexpr Form gcmp_ext = form("gcmp_ext", 2, "0.7:5=100 0.4=1 0.3:0=0110 1.7,1.6:4,1.3=00000 1.2=0", "s0neg@1.1 s0abs@1.0", driver("4.6"));
inline constexpr Form gexp = form("gexp", 2, "0.7:5=100 0.4=1 0.3:0=0110 1.7,1.6:4,1.3=00000 1.2=1", "s0neg@1.1 s0abs@1.0", driver("4.6"));
inline constexpr Form pck = form("pck", 2, "0.7:5=100 0.4=1 0.3:0=1100", "prog@1.7 rtz@1.6 scale@1.5 pck_format@1.4:0", seen("4.6"));
inline constexpr Form upck = form("upck", 2, "0.7:5=100 0.4=1 0.3:0=1100", "elem@1.7:6 scale_rtz@1.5 pck_format@1.4:0", driver("4.6"));
inline constexpr Form fred = form("fred", 2, "0.7:5=100 0.4=1 0.3:0=1101", "red_part@1.7 iter@1.6:4 red_type@1.3 pwen@1.2 s0neg@1.1 s0abs@1.0", driver("4.6"));
inline constexpr Form int8_16 = form("int8_16", 1, "0.7:5=101 0.4=0 0.3=0", "int8_16_op@0.2 s@0.1 f@0.0", driver("4.6"));
inline constexpr Form int8_16_ext = form("int8_16_ext", 2, "0.7:5=101 0.4=1 0.3=0 1.6=0",
    "int8_16_op@0.2 s@0.1 f@0.0 s2ch@1.7 s2neg@1.5 s2abs@1.4 s1abs@1.3 s0neg@1.2 s0abs@1.1 sat@1.0", driver("4.6"));
inline constexpr Form int8_16_ext_sel = form("int8_16_ext_sel", 3, "0.7:5=101 0.4=1 0.3=0 1.6=0 2.7:4=0000",
    "int8_16_op@0.2 s@0.1 f@0.0 s2ch@1.7 s2neg@1.5 s2abs@1.4 s1abs@1.3 s0neg@1.2 s0abs@1.1 sat@1.0 s1ch@2.3:2 s0ch@2.1:0", driver("4.6"));
inline constexpr Form mad8_16 = form("mad8_16", 1, "0.7:5=101 0.4=0 0.3=1", "s2hi@0.2 s@0.1 f@0.0", driver("4.6"));
inline constexpr Form mad8_16_ext = form("mad8_16_ext", 2, "0.7:5=101 0.4=1 0.3=1 1.6=0", "s2hi@0.2 s@0.1 f@0.0 s2ch@1.7 s2neg@1.5 s2abs@1.4 s1abs@1.3 s0neg@1.2 s0abs@1.1 sat@1.0", driver("4.6"));
inline constexpr Form mad8_16_ext_sel = form("mad8_16_ext_sel", 3, "0.7:5=101 0.4=1 0.3=1 1.6=0 2.7:4=0000",
    "s2hi@0.2 s@0.1 f@0.0 s2ch@1.7 s2neg@1.5 s2abs@1.4 s1abs@1.3 s0neg@1.2 s0abs@1.1 sat@1.0 s1ch@2.3:2 s0ch@2.1:0", driver("4.6"));
inline constexpr Form fmad = form("fmad", 1, "0.7:5=110 0.4=0", "s0neg@0.3 s0abs@0.2 s2neg@0.1 sat@0.0", driver("4.6"));
inline constexpr Form fmad_ext = form("fmad_ext", 2, "0.7:5=110 0.4=1 1.7:5=000", "s0neg@0.3 s0abs@0.2 s2neg@0.1 sat@0.0 lp@1.4 s1abs@1.3 s1neg@1.2 s2flr@1.1 s2abs@1.0", driver("4.6"));
inline constexpr Form int32_64 = form("int32_64", 1, "0.7:5=111 0.4=0", "s@0.3 s2neg@0.2 int32_64_op@0.1:0", seen("4.6"));
inline constexpr Form int32_64_ext = form("int32_64_ext", 2, "0.7:5=111 0.4=1 1.3,1.7=00", "s@0.3 s2neg@0.2 int32_64_op@0.1:0 cin@1.6 s1neg@1.5 s0neg@1.4 s0abs@1.2 s1abs@1.1 s2abs@1.0", seen("4.6"));
inline constexpr Form movc = form("movc", 1, "0.7:5=110 0.4=0", "movw1@0.3:2 movw0@0.1:0", seen("4.6"));
inline constexpr Form movc_ext = form("movc_ext", 2, "0.7:5=110 0.4=1 1.7:6=00", "movw1@0.3:2 movw0@0.1:0 maskw0@1.5:2 aw@1.1 p2end@1.0", seen("4.6"));
inline constexpr Form tst = form("tst", 1, "0.7:5=111 0.4=0", "tst_op@0.3:1 pwen@0.0", seen("4.6"));
inline constexpr Form tst_ext = form("tst_ext", 2, "0.7:5=111 0.4=1 1.1=0", "tst_op@1.0,0.3:1 pwen@0.0 type@1.7:5 p2end@1.4 elem@1.3:2", seen("4.6"));

// bitwise ALU (4.7)
inline constexpr Form phase0_src = form("phase0_src", 1, "0.4=0", "p0mark@0.7 count_src@0.6 count_op@0.1,0.5 bitmask_op@0.0 shift1_op@0.3:2", seen("4.7"));
inline constexpr Form phase0_imm16 = form("phase0_imm16", 3, "0.4=1 0.0=0", "p0mark@0.7 count_src@0.6 count_op@0.1,0.5 shift1_op@0.3:2 imm@2.7:0,1.7:0", seen("4.7"));
inline constexpr Form phase0_imm32 = form("phase0_imm32", 5, "0.4=1 0.0=1", "p0mark@0.7 count_src@0.6 count_op@0.1,0.5 shift1_op@0.3:2 imm@4.7:0,3.7:0,2.7:0,1.7:0", driver("4.7"));
inline constexpr Form phase1 = form("phase1", 1, "0.7=0 0.6=1 0.4=0", "mskb@0.5 mska@0.3 logical_op@0.2:0", seen("4.7"));
inline constexpr Form phase2 = form("phase2", 1, "0.7=0 0.6=0", "pwen@0.5 tst_src@0.4 bw_tst_op@0.3 shift2_op@0.2:0", seen("4.7"));

// backend (4.8)
inline constexpr Form uvsw_write_reg = form("uvsw_write_reg", 2, "0.7:5=000 0.3=0 0.2:0=000 1.7:3=00000", "dsel@0.4 srcsel@1.2:0", driver("4.8"));
inline constexpr Form uvsw_write_imm = form("uvsw_write_imm", 2, "0.7:5=000 0.3=1 0.2:0=000", "dsel@0.4 imm_addr@1.7:0", driver("4.8"));
inline constexpr Form uvsw_emit = form("uvsw_emit", 1, "0.7:5=000 0.4=0 0.3=0 0.2:0=001", "", driver("4.8"));
inline constexpr Form uvsw_emit_imm = form("uvsw_emit_imm", 2, "0.7:5=000 0.4=0 0.3=1 0.2:0=001 1.7:2=000000", "stream_id@1.1:0", driver("4.8"));
inline constexpr Form uvsw_cut = form("uvsw_cut", 1, "0.7:5=000 0.4=0 0.3=0 0.2:0=010", "", driver("4.8"));
inline constexpr Form uvsw_cut_imm = form("uvsw_cut_imm", 2, "0.7:5=000 0.4=0 0.3=1 0.2:0=010 1.7:2=000000", "stream_id@1.1:0", driver("4.8"));
inline constexpr Form uvsw_emit_cut = form("uvsw_emit_cut", 1, "0.7:5=000 0.4=0 0.3=0 0.2:0=011", "", driver("4.8"));
inline constexpr Form uvsw_emit_cut_imm = form("uvsw_emit_cut_imm", 2, "0.7:5=000 0.4=0 0.3=1 0.2:0=011 1.7:2=000000", "stream_id@1.1:0", driver("4.8"));
inline constexpr Form uvsw_endtask = form("uvsw_endtask", 1, "0.7:5=000 0.4=0 0.3=0 0.2:0=100", "", driver("4.8"));
inline constexpr Form uvsw_emit_endtask = form("uvsw_emit_endtask", 1, "0.7:5=000 0.4=0 0.3=0 0.2:0=101", "", driver("4.8"));
inline constexpr Form uvsw_write_emit_endtask_reg = form("uvsw_write_emit_endtask_reg", 2, "0.7:5=000 0.3=0 0.2:0=110 1.7:3=00000", "dsel@0.4 srcsel@1.2:0", driver("4.8"));
inline constexpr Form uvsw_write_emit_endtask_imm = form("uvsw_write_emit_endtask_imm", 2, "0.7:5=000 0.3=1 0.2:0=110", "dsel@0.4 imm_addr@1.7:0", driver("4.8"));
inline constexpr Form movmsk = form("movmsk", 1, "0.7:5=001 0.4=1 0.3=0 0.2:0=001", "", driver("4.8"));
inline constexpr Form movmsk_sm = form("movmsk_sm", 2, "0.7:5=001 0.4=1 0.3=1 0.2:0=001 1.7:3=00000", "srcsel@1.2:0", driver("4.8"));
inline constexpr Form savmsk = form("savmsk", 1, "0.7:5=001 0.4=0 0.3=0", "msk_mode@0.2:0", driver("4.8"));
inline constexpr Form phas_reg = form("phas_reg", 2, "0.7:5=010 0.1=0 0.0=0 1.7:3=00000", "exeaddrsrc@0.4:2 paramsrc@1.2:0", driver("4.8"));
inline constexpr Form phas_imm = form("phas_imm", 2, "0.7:5=010 0.0=1", "exeaddrsrc@0.4:2 phas_end@0.1 rate@1.7:6 commontmp@1.5:0", driver("4.8"));
inline constexpr Form setl = form("setl", 1, "0.7:5=011 0.4:1=0000", "ressel@0.0", driver("4.8"));
inline constexpr Form vistest_depthf = form("vistest_depthf", 1, "0.7:5=100 0.4:3=00 0.2=0 0.1=0 0.0=0", "", driver("4.8"));
inline constexpr Form vistest_atst = form("vistest_atst", 1, "0.7:5=100 0.4:3=00 0.1=1", "pwen@0.2 ifb@0.0", driver("4.8"));
inline constexpr Form fitr = form("fitr", 2, "0.7:5=101 0.2=0 1.7:5=000", "p@0.4 drc@0.3 iter_mode@0.1:0 sat@1.4 count@1.3:0", driver("4.8"));
inline constexpr Form emitpix = form("emitpix", 1, "0.7:5=110 0.4:2=000 0.0=0", "freep@0.1", driver("4.8"));
inline constexpr Form idf = form("idf", 2, "0.7:5=111 0.4=0 0.2:0=000 1.7:3=00000", "drc@0.3 srcseladd@1.2:0", seen("4.8"));
inline constexpr Form atomic = form("atomic", 3, "0.7:5=111 0.4=0 0.2:0=101 1.3=0 2.7:3=00000", "drc@0.3 atomic_op@1.7:4 srcsel@1.2:0 dstsel@2.2:0", driver("4.8"));
inline constexpr Form ld_reg = form("ld_reg", 2, "0.7:5=111 0.4=0 0.2:0=001", "drc@0.3 srcseladd@1.7:5 srcselbl@1.4:2 cachemode_ld@1.1:0", seen("4.8"));
inline constexpr Form ld_reg_ext = form("ld_reg_ext", 3, "0.7:5=111 0.4=1 0.2:0=001 2.7:4=0000 2.3=1 2.0=0", "drc@0.3 srcseladd@1.7:5 srcselbl@1.4:2 cachemode_ld@1.1:0 slcmode@2.2:1", seen("4.8"));
inline constexpr Form ld_imm = form("ld_imm", 3, "0.7:5=111 0.4=1 0.2:0=001 2.7:4=0000 2.3=0", "drc@0.3 srcseladd@1.7:5 burst@2.0,1.4:2 cachemode_ld@1.1:0 slcmode@2.2:1", seen("4.8"));
inline constexpr Form st_reg = form("st_reg", 3, "0.7:5=111 0.4=0 0.2:0=010 2.7=0 2.1=0 2.0=0", "drc@0.3 srcseladd@1.7:5 srcselbl@1.4:2 cachemode_st@1.1:0 srcseldata@2.6:4 dsize@2.3:2", seen("4.8"));
inline constexpr Form st_reg_ext = form("st_reg_ext", 4, "0.7:5=111 0.4=0 0.2:0=010 2.7=1 2.1=0 2.0=0 3.7:6=00",
    "drc@0.3 srcseladd@1.7:5 srcselbl@1.4:2 cachemode_st@1.1:0 srcseldata@2.6:4 dsize@2.3:2 srcmask@3.2:0 slcmode@3.4:3 nottiled@3.5", seen("4.8"));
inline constexpr Form st_imm = form("st_imm", 3, "0.7:5=111 0.4=1 0.2:0=010 2.7=0 2.1=0", "drc@0.3 srcseladd@1.7:5 burst@2.0,1.4:2 cachemode_st@1.1:0 srcseldata@2.6:4 dsize@2.3:2", seen("4.8"));
inline constexpr Form st_imm_ext = form("st_imm_ext", 4, "0.7:5=111 0.4=1 0.2:0=010 2.7=1 2.1=0 3.7:6=00",
    "drc@0.3 srcseladd@1.7:5 burst@2.0,1.4:2 cachemode_st@1.1:0 srcseldata@2.6:4 dsize@2.3:2 srcmask@3.2:0 slcmode@3.4:3 nottiled@3.5", seen("4.8"));
inline constexpr Form smp = form("smp", 2, "0.7:5=111 0.2:0=100 1.7=0 1.4=0", "fcnorm@0.4 drc@0.3 dmn@1.6:5 chan@1.3:2 lodm@1.1:0", driver("4.8"));
inline constexpr Form smp_exta = form("smp_exta", 3, "0.7:5=111 0.2:0=100 1.7=0 1.4=1",
    "fcnorm@0.4 drc@0.3 dmn@1.6:5 chan@1.3:2 lodm@1.1:0 pplod@2.7 proj@2.6 sbmode@2.5:4 nncoords@2.3 sno@2.2 soo@2.1 tao@2.0", driver("4.8"));
inline constexpr Form smp_extb = form("smp_extb", 3, "0.7:5=111 0.2:0=100 1.7=1 1.4=0", "fcnorm@0.4 drc@0.3 dmn@1.6:5 chan@1.3:2 lodm@1.1:0 extb_byte@2.7:0", {Status::unknown, "4.8"});
inline constexpr Form smp_extab = form("smp_extab", 4, "0.7:5=111 0.2:0=100 1.7=1 1.4=1 3.7=0",
    "fcnorm@0.4 drc@0.3 dmn@1.6:5 chan@1.3:2 lodm@1.1:0 pplod@2.7 proj@2.6 sbmode@2.5:4 nncoords@2.3 sno@2.2 soo@2.1 tao@2.0 slcmode@3.6:5 f16@3.4 "
    "swap@3.3 cachemode@3.2:1 wrt@3.0", driver("4.8"));
inline constexpr Form smp_extabc = form("smp_extabc", 5, "0.7:5=111 0.2:0=100 1.7=1 1.4=1 3.7=1 4.7:5=000",
    "fcnorm@0.4 drc@0.3 dmn@1.6:5 chan@1.3:2 lodm@1.1:0 pplod@2.7 proj@2.6 sbmode@2.5:4 nncoords@2.3 sno@2.2 soo@2.1 tao@2.0 slcmode@3.6:5 f16@3.4 "
    "swap@3.3 cachemode@3.2:1 wrt@3.0 direct@4.4 f16input@4.3 comparison@4.2 integer@4.1 array@4.0", driver("4.8"));

// control (4.9)
inline constexpr Form none = form("none", 0, "", "", seen("4.9"));
inline constexpr Form branch = form("branch", 5, "1.0,0.0,0.6:5,0.7=00000", "link@0.4 bpred@0.3:2 abs@0.1 offset@4.7:0,3.7:0,2.7:0,1.7:1", seen("4.9"));
inline constexpr Form cnd = form("cnd", 1, "0.7=0", "adjust@0.6:5 pcnd@0.4:3 cndinst@0.2:0", seen("4.9"));
inline constexpr Form mutex = form("mutex", 1, "0.5:4=00", "lr@0.7:6 id@0.3:0", seen("4.9"));
inline constexpr Form nop = form("nop", 1, "0.7:0=00000000", "", seen("4.9"));
inline constexpr Form sbo = form("sbo", 2, "1.7:1=0000000", "tgt@0.0 sbo_offset@1.0,0.7:1", driver("4.9"));
inline constexpr Form ditr = form("ditr", 5, "4.7=0 4.5:4=00",
    "dest@0.7:0 coff@1.7:2 persp@1.1:0 woff@2.7:2 mode@2.1:0 count@3.7:4 coff_idx_ctrl@3.3:2 woff_idx_ctrl@3.1:0 f16@4.6 sched_ctrl@4.3:2 drc@4.1 "
    "sat@4.0", driver("4.9"));
inline constexpr Form itrsmp = form("itrsmp", 6, "5.7=0",
    "dest@0.7:0 coff@1.7:2 persp@1.1:0 texoff@2.7:2 drc@2.1 mode@2.0 smpoff@3.7:2 dmn@3.1:0 woff@4.7:2 proj@4.1 sat@4.0 f16@5.6 sched_ctrl@5.5:4 "
    "chan@5.3:2 nncoords@5.1 fcnorm@5.0", driver("4.9"));
inline constexpr Form itrsmp_ext = form("itrsmp_ext", 7, "5.7=1 6.7=0 6.1:0=00",
    "dest@0.7:0 coff@1.7:2 persp@1.1:0 texoff@2.7:2 drc@2.1 mode@2.0 smpoff@3.7:2 dmn@3.1:0 woff@4.7:2 proj@4.1 sat@4.0 f16@5.6 sched_ctrl@5.5:4 "
    "chan@5.3:2 nncoords@5.1 fcnorm@5.0 count@6.6:3 comparison@6.2", driver("4.9"));
inline constexpr Form itrsmp_ext2 = form("itrsmp_ext2", 8, "5.7=1 6.7=1 6.1:0=00 7.7:5=000",
    "dest@0.7:0 coff@1.7:2 persp@1.1:0 texoff@2.7:2 drc@2.1 smpoff@3.7:2 dmn@3.1:0 woff@4.7:2 proj@4.1 sat@4.0 f16@5.6 sched_ctrl@5.5:4 chan@5.3:2 "
    "nncoords@5.1 fcnorm@5.0 count@6.6:3 comparison@6.2 coff_idx_ctrl@7.4:3 woff_idx_ctrl@7.2:1 mode@7.0,2.0", driver("4.9"));
}  // namespace forms
// clang-format on

/// Which part of a group an instruction is. Main: p0 to backend; bitwise: bitmask to bit_test.
enum class Unit : std::uint8_t {
  p0,
  p1,
  pack,
  test,
  move,
  backend,
  bitmask,
  shift1,
  count,
  logical,
  shift2,
  bit_test,
  control
};
/// The item of a group that holds a unit's instruction; the units of a bitwise phase share one.
enum class Word : std::uint8_t { p0, p1, pack, test, move, backend, bit0, bit1, bit2, control };
inline constexpr std::size_t unit_count = 13, word_count = 10;
inline constexpr std::array<Word, unit_count> word_of_unit{
    Word::p0,   Word::p1,   Word::pack, Word::test, Word::move, Word::backend, Word::bit0,
    Word::bit0, Word::bit0, Word::bit1, Word::bit2, Word::bit2, Word::control};
constexpr Word word_of(Unit unit) { return word_of_unit[static_cast<std::size_t>(unit)]; }
/// Units in the order of text.
inline constexpr std::array<Unit, unit_count> text_order{
    Unit::p0,     Unit::p1,    Unit::pack,    Unit::test,   Unit::move,     Unit::backend, Unit::bitmask,
    Unit::shift1, Unit::count, Unit::logical, Unit::shift2, Unit::bit_test, Unit::control};

// ------------------------------------------------------------------------------------------------ what instructions do

/// A closed enumeration for each kind of unit, so that whoever cares switches over it without a default and the
/// compiler names every place that a new instruction must reach. Every row says its own; no code goes by a row's name.
namespace does {

/// Phases 0 and 1 of the main ALU.
enum class Early : std::uint8_t {
  multiply_add,
  add,
  multiply,
  copy,
  reciprocal,
  reciprocal_root,
  log2,
  log2_variant,
  exp2,
  sinc,
  arctan_ratio,
  to_srgb,
  from_srgb,
  reduce,
  derivative_x,
  derivative_y,
  fine_derivative_x,
  fine_derivative_y,
  narrow_add,
  narrow_multiply,
  narrow_multiply_add,
  add_word_to_pair,
  add_pairs,
  multiply_add_word,
  multiply_add_pair,
  unpack,
};

/// Phase 2 of the main ALU: what drives FT2.
enum class Pack : std::uint8_t { add, multiply, zero, one, pack, pack_by_word };

enum class Test : std::uint8_t {
  zero,
  positive,
  not_negative,
  carry,
  equal,
  greater,
  at_least,
  unequal,
  less,
  at_most,
};

/// `replace`: bytes of W0, always. `choose`: W0 and W1, where the test holds.
enum class Move : std::uint8_t { replace, choose };

// The bitwise ALU.
enum class Bitmask : std::uint8_t { pass, pass_immediate, mask };
enum class Shift1 : std::uint8_t { pass, interleave, reverse, left };
enum class Count : std::uint8_t { pass, set_bits, top_bit };
enum class Logical : std::uint8_t { or_, and_, xor_, nor, nand, xnor, pass };
/// Arithmetic shifts to the right are told apart by the bit that holds the sign: 31, 15, FT0's, FT3's.
enum class Shift2 : std::uint8_t {
  left,
  right,
  rotate,
  set_or_clear,
  arithmetic_31,
  arithmetic_15,
  arithmetic_ft0,
  arithmetic_ft3,
};
enum class BitTest : std::uint8_t { zero, not_zero };

enum class Backend : std::uint8_t {
  write_output,
  emit,
  cut,
  emit_cut,
  end_task,
  emit_end_task,
  write_emit_end_task,
  execution_mask,
  sample_mask,
  save_mask,
  change_phase,
  set_link,
  depth,
  alpha_test,
  iterate,
  iterate_perspective,
  emit_pixel,
  fence,
  atomic,
  load,
  store,
  sample,
  sample_by_byte,
};

enum class Control : std::uint8_t {
  branch,
  return_to_link,
  save_link,
  start_mask,
  else_mask,
  set_mask,
  test_loop,
  end_mask,
  select_link_a,
  select_link_b,
  end_call,
  wait_output,
  wait_fence,
  mutex_release,
  mutex_release_sleep,
  mutex_release_wakeup,
  mutex_lock,
  nothing,
  iterate_and_sample,
  base_of_coefficients,
  base_of_shared,
  iterate,
};

/// Instructions of which no encoding is published, whatever their unit.
enum class Unencoded : std::uint8_t {
  square_root,
  from_f64,
  to_f64,
  f64_multiply,
  f64_add,
  f64_multiply_add,
  f64_divide,
  f64_reciprocal,
  f64_square_root,
  f64_reciprocal_root,
  f64_copy,
  sum_of_products,
  four_multiply_adds,
  move_beside_sum,
  texel_address,
  test_less,
  test_at_least,
  top_bit_unlike_sign,
  top_bit_from_top,
  write_tessellator,
  store_texels,
  return_from_breakpoint,
  uniq,
  fetch,
};

}  // namespace does

/// One of them.
class Does {
 public:
  enum class Family : std::uint8_t {
    early,
    pack,
    test,
    move,
    bitmask,
    shift1,
    count,
    logical,
    shift2,
    bit_test,
    backend,
    control,
    unencoded
  };

  // Implicit, so that rows and comparisons name the enumerator alone. One too many for position() does not compile.
  consteval Does(does::Early x) : Does(Family::early, static_cast<unsigned>(x)) {}
  consteval Does(does::Pack x) : Does(Family::pack, static_cast<unsigned>(x)) {}
  consteval Does(does::Test x) : Does(Family::test, static_cast<unsigned>(x)) {}
  consteval Does(does::Move x) : Does(Family::move, static_cast<unsigned>(x)) {}
  consteval Does(does::Bitmask x) : Does(Family::bitmask, static_cast<unsigned>(x)) {}
  consteval Does(does::Shift1 x) : Does(Family::shift1, static_cast<unsigned>(x)) {}
  consteval Does(does::Count x) : Does(Family::count, static_cast<unsigned>(x)) {}
  consteval Does(does::Logical x) : Does(Family::logical, static_cast<unsigned>(x)) {}
  consteval Does(does::Shift2 x) : Does(Family::shift2, static_cast<unsigned>(x)) {}
  consteval Does(does::BitTest x) : Does(Family::bit_test, static_cast<unsigned>(x)) {}
  consteval Does(does::Backend x) : Does(Family::backend, static_cast<unsigned>(x)) {}
  consteval Does(does::Control x) : Does(Family::control, static_cast<unsigned>(x)) {}
  consteval Does(does::Unencoded x) : Does(Family::unencoded, static_cast<unsigned>(x)) {}

  [[nodiscard]] constexpr Family family() const { return family_; }
  /// The enumerator, to switch over. Precondition: it is of that enumeration, which the unit says.
  template <class Enumeration>
  [[nodiscard]] constexpr Enumeration as() const {
    return static_cast<Enumeration>(value_);
  }
  /// In a table of all there are, with gaps.
  [[nodiscard]] constexpr std::size_t position() const { return most * static_cast<std::size_t>(family_) + value_; }
  static constexpr std::size_t most = 32;  ///< of one family
  static constexpr std::size_t position_count = most * (static_cast<std::size_t>(Family::unencoded) + 1);
  friend constexpr bool operator==(Does, Does) = default;

 private:
  consteval Does(Family family, unsigned value)
      : family_(family), value_(value < most ? static_cast<std::uint8_t>(value) : throw "more than `most`") {}

  Family family_;
  std::uint8_t value_;
};

// ------------------------------------------------------------------------------------------------ operands' names

/// Names of operands that are not registers. Those of one kind are next to each other.
enum class Name : std::uint8_t {
  none,
  s0,
  s1,
  s2,
  s3,
  s4,
  s5,
  is0,
  is1,
  is2,
  is3,
  is4,
  is5,
  ft0,
  ft1,
  ft2,
  ft3,
  ft4,
  ft5,
  fte,
  ftt,
  w0,
  w1,
  p0,
  drc0,
  drc1,
  nothing,
};
inline constexpr std::array<std::string_view, 27> name_spellings{
    "",    "s0",  "s1",  "s2",  "s3",  "s4",  "s5",  "is0", "is1", "is2", "is3",  "is4",  "is5", "ft0",
    "ft1", "ft2", "ft3", "ft4", "ft5", "fte", "ftt", "w0",  "w1",  "p0",  "drc0", "drc1", "_"};
constexpr std::string_view spelling(Name name) { return name_spellings[static_cast<std::size_t>(name)]; }
/// Name::none for words that are not such a name.
constexpr Name name_spelled(std::string_view text) {
  if (text.empty() || text.size() > 4) return Name::none;
  for (std::size_t i = 1; i < name_spellings.size(); ++i)
    if (name_spellings[i] == text) return static_cast<Name>(i);
  return Name::none;
}
constexpr bool is_slot(Name name) { return name >= Name::s0 && name <= Name::s5; }
constexpr bool is_selector(Name name) { return name >= Name::is0 && name <= Name::is5; }
constexpr bool is_feedthrough(Name name) { return name >= Name::ft0 && name <= Name::fte; }
constexpr bool is_port(Name name) { return name == Name::w0 || name == Name::w1; }
/// Of slots, selectors and ports: which of them.
constexpr unsigned number_of(Name name) {
  const Name first = is_slot(name) ? Name::s0 : is_selector(name) ? Name::is0 : Name::w0;
  return static_cast<unsigned>(name) - static_cast<unsigned>(first);
}

// In phase 1 the first result is FT1.
constexpr Name in_unit(Name name, Unit unit) { return unit == Unit::p1 && name == Name::ft0 ? Name::ft1 : name; }

/// What the codes of IS4, IS5 and the sources of a move stand for; also those of IS3, except 2, which is S2.
inline constexpr std::array<Name, 4> fed_names{Name::ft0, Name::ft1, Name::ft2, Name::fte};
inline constexpr std::uint8_t external_feed = 3;
/// True if the field's value is the code of a feedthrough.
constexpr bool is_feed(F field) { return field == F::movw0 || field == F::movw1; }

// ------------------------------------------------------------------------------------------------ instructions

/// One operand of an instruction's text.
struct OperandSpec {
  enum class What : std::uint8_t {
    source,     ///< s0..s5, is0..is5, or a feedthrough that is read; `number` is the slot in phase 0
    fixed,      ///< exactly this name
    field,      ///< as the field's kind says
    predicate,  ///< p0 if the field is set, else _
    maybe,      ///< a source slot, or _ where the map holds nothing there
    mask,       ///< w0 with the elements of maskw0
  };
  What what = What::fixed;
  Name name = Name::none;     ///< none where the field says what it is
  F field = F::count_;        ///< for field and predicate
  std::uint8_t modified = 9;  ///< 0, 1, 2: modifiers are s0neg .., s1neg .., s2neg ..; 9 = none but elem
  bool element = false;       ///< may carry the instruction's `elem`
  bool optional = false;      ///< may be left out where it has its default
  bool late = false;          ///< a slot that names the first register written, some time later
};

/// Fields of the modifiers of the first, second and third source: floor, absolute value, negation, element. A field
/// that no form of an instruction has is a modifier it does not take.
struct SourceModifiers {
  F floor, absolute, negated, element, element_high;  ///< F::count_ = there is none in any form
};
inline constexpr std::array<SourceModifiers, 3> source_modifiers{{{F::s0flr, F::s0abs, F::s0neg, F::s0ch, F::count_},
                                                                  {F::count_, F::s1abs, F::s1neg, F::s1ch, F::count_},
                                                                  {F::s2flr, F::s2abs, F::s2neg, F::s2ch, F::s2hi}}};

/// A modifier after the mnemonic.
struct Modifier {
  F field = F::count_;
  std::string_view flag;  ///< spelling if `field` is a flag
  std::string_view also;  ///< another spelling that is read
  bool inverted = false;  ///< flag spelled where the field is 0
  bool always = false;    ///< names are printed for the default value, too
};

/// What an instruction does to the rest of its group, beyond its operands.
enum Trait : std::uint32_t {
  drives_w0 = 1,              ///< itself, whatever IS4 says; in phases 0 and 1 the complex operations
  drives_w1 = 2,              ///< likewise
  high_result = 4,            ///< FTE carries the high half of its result
  reads_is0 = 8,              ///< IS0 is an operand
  dma_write = 16,             ///< writes registers later, until a fence
  dma_read = 32,              ///< reads registers later
  ends_task = 64,             ///< uvsw ... endtask
  reads_w0 = 128,             ///< the backend reads a W port
  commutes = 256,             ///< first and second source may change places
  copies = 512,               ///< and edits only what modifiers say
  gives_carry = 1024,         ///< a test of the group may ask for its carry
  signed_numbers = 2048,      ///< of integers: two's complement
  half_words = 4096,          ///< of narrow integers: 16 bits, not 8
  task_waits = 8192,          ///< the task waits, or is waited for: all of it, under no condition
  changes_masks = 16384,      ///< the execution masks
  gathers = 32768,            ///< repeated, into one register
  by_texture_unit = 1 << 16,  ///< of what a fence counter counts: done by the texture unit
  by_iterator = 1 << 17,      ///< by the iterators; without either by memory
  only_fences = 1 << 18,      ///< moves nothing, and is done when what came before it is
  writes_vertex = 1 << 19,    ///< a vertex output
  emits_pixel = 1 << 20,
  reads_masks = 1 << 21,   ///< the execution masks
  names_code = 1 << 22,    ///< where the program continues some time later
  adds_to_mask = 1 << 23,  ///< counts the execution mask up by its adjustment
  takes_off_mask = 1 << 24,
  tests_mask = 1 << 25,  ///< takes its adjustment off where the loop that it tests ends
};

/// An instruction as the tables below say it; spec.cpp reads its words.
struct Row {
  std::string_view name;
  Does does;
  std::uint16_t units;
  std::array<const Form*, 4> forms;
  std::string_view required, modifiers, operands, meaning;
  Fact fact;
  std::uint32_t traits = 0;
  std::string_view mesa = {};
};

// clang-format off
namespace rows {
constexpr std::uint16_t bit(Unit unit) { return static_cast<std::uint16_t>(1u << static_cast<unsigned>(unit)); }

inline constexpr std::uint16_t in_p0 = bit(Unit::p0), in_p01 = bit(Unit::p0) | bit(Unit::p1), in_pack = bit(Unit::pack),
                        in_test = bit(Unit::test), in_move = bit(Unit::move), in_be = bit(Unit::backend),
                        in_bitmask = bit(Unit::bitmask), in_shift1 = bit(Unit::shift1), in_count = bit(Unit::count),
                        in_logical = bit(Unit::logical), in_shift2 = bit(Unit::shift2),
                        in_bit_test = bit(Unit::bit_test), in_ctrl = bit(Unit::control);
// Facts without a section are of the section that their table is of.
inline constexpr Fact seen{Status::binaries, ""}, driver{Status::driver, ""}, told{Status::document, ""}, guess{Status::inferred, "4.6"}, sums{Status::document, "3.3"}, narrow{Status::driver, "3.5"};
using namespace forms;
inline constexpr Row float_rows[] = {
    {"fmad", does::Early::multiply_add, in_p01, {&fmad, &fmad_ext}, "", "sat lp", ">ft0, s0:0, s1:1, s2:2", "a * b + c", driver, commutes},
    {"fadd", does::Early::add, in_p01, {&fadd}, "", "sat lp", ">ft0, s0:0, s1:1", "a + b", driver, commutes},
    {"fmul", does::Early::multiply, in_p01, {&fmul}, "", "sat lp", ">ft0, s0:0, s1:1", "a * b", driver, commutes},
    {"fadd", does::Pack::add, in_pack, {&fadd}, "", "sat lp", ">ft2, is3:0, fte:1", "a + b", guess},
    {"fmul", does::Pack::multiply, in_pack, {&fmul}, "", "sat lp", ">ft2, is3:0, fte:1", "a * b", guess},
    {"mbyp", does::Early::copy, in_p01, {&sngl, &sngl_ext}, "sngl_op=7", "", ">ft0, s0:0", "copy; modifiers edit the sign bit", seen, copies, "mbyp0"},
    {"frcp", does::Early::reciprocal, in_p01, {&sngl, &sngl_ext}, "sngl_op=0", "", ">w0, s0:0", "1 / x", driver, drives_w0},
    {"frsq", does::Early::reciprocal_root, in_p01, {&sngl, &sngl_ext}, "sngl_op=1", "", ">w0, s0:0", "1 / sqrt x", driver, drives_w0},
    {"flog", does::Early::log2, in_p01, {&sngl, &sngl_ext}, "sngl_op=2", "", ">w0, s0:0", "log2 x", driver, drives_w0},
    {"fexp", does::Early::exp2, in_p01, {&sngl, &sngl_ext}, "sngl_op=3", "", ">w0, s0:0", "2^x", driver, drives_w0},
    {"flogcn", does::Early::log2_variant, in_p01, {&sngl, &sngl_ext}, "sngl_op=5", "", ">w0, s0:0", "second variant of log2; purpose unknown", driver, drives_w0},
    {"fdsx", does::Early::derivative_x, in_p01, {&sngl, &sngl_ext}, "sngl_op=8", "", ">ft0, s0:0", "coarse derivative along x", driver},
    {"fdsy", does::Early::derivative_y, in_p01, {&sngl, &sngl_ext}, "sngl_op=9", "", ">ft0, s0:0", "coarse derivative along y", driver},
    {"fdsxf", does::Early::fine_derivative_x, in_p01, {&sngl, &sngl_ext}, "sngl_op=10", "", ">ft0, s0:0", "fine derivative along x", driver},
    {"fdsyf", does::Early::fine_derivative_y, in_p01, {&sngl, &sngl_ext}, "sngl_op=11", "", ">ft0, s0:0", "fine derivative along y", driver},
    {"fsinc", does::Early::sinc, in_p01, {&sngl, &sngl_ext}, "sngl_op=14", "", ">w0, >p0, s0:0", "sin(pi x / 2) / x, x in -1..1; P0: a final multiply is due", driver, drives_w0},
    {"farctanc", does::Early::arctan_ratio, in_p01, {&sngl, &sngl_ext}, "sngl_op=15", "", ">w0, s0:0", "arctan(x) / x, x in -1..1", driver, drives_w0},
    {"gcmp", does::Early::to_srgb, in_p01, {&gcmp, &gcmp_ext}, "", "", ">w0, s0:0", "linear to sRGB", driver, drives_w0},
    {"gexp", does::Early::from_srgb, in_p01, {&gexp}, "", "", ">w0, s0:0", "sRGB to linear", driver, drives_w0},
    {"fred", does::Early::reduce, in_p0, {&fred}, "", "red_type! red_part=partb", ">w0, >w1, p0@pwen, @iter, s0:0, s3?",
        "range reduction of the argument of sine or cosine", driver, drives_w0 | drives_w1},
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
    {"f16sop", does::Unencoded::sum_of_products, in_p0, {}, "", "", "", "sum of products of 16-bit floats", sums},
    {"sop", does::Unencoded::sum_of_products, in_p0, {}, "", "", "", "sum of products of 16-bit floats", sums},
    {"sopmad", does::Unencoded::four_multiply_adds, in_p0, {}, "", "", "", "four multiply-adds of 16-bit floats", sums},
    {"sopmov", does::Unencoded::move_beside_sum, in_pack, {}, "", "", "", "W1 from S3, beside a sum of products", sums},
    {"gta", does::Unencoded::texel_address, in_p0, {}, "", "", "", "texel addresses of four instances at a time", {Status::document, "3.4"}},
};
inline constexpr Row integer_rows[] = {
    {"uadd8", does::Early::narrow_add, in_p0, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=0 f=0", "sat", ">ft0, s0:0, s1:1", "a + b", narrow, commutes},
    {"iadd8", does::Early::narrow_add, in_p0, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=1 f=0", "sat", ">ft0, s0:0, s1:1", "a + b", narrow, commutes | signed_numbers},
    {"uadd16", does::Early::narrow_add, in_p0, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=0 f=1", "sat", ">ft0, s0:0, s1:1", "a + b", narrow, commutes | half_words},
    {"iadd16", does::Early::narrow_add, in_p0, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=0 s=1 f=1", "sat", ">ft0, s0:0, s1:1", "a + b", narrow, commutes | signed_numbers | half_words},
    {"umul8", does::Early::narrow_multiply, in_p0, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=0 f=0", "sat", ">ft0, s0:0, s1:1", "a * b", narrow, commutes},
    {"imul8", does::Early::narrow_multiply, in_p0, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=1 f=0", "sat", ">ft0, s0:0, s1:1", "a * b", narrow, commutes | signed_numbers},
    {"umul16", does::Early::narrow_multiply, in_p0, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=0 f=1", "sat", ">ft0, s0:0, s1:1", "a * b", narrow, commutes | half_words},
    {"imul16", does::Early::narrow_multiply, in_p0, {&int8_16, &int8_16_ext, &int8_16_ext_sel}, "int8_16_op=1 s=1 f=1", "sat", ">ft0, s0:0, s1:1",
        "a * b", narrow, commutes | signed_numbers | half_words},
    {"umad8", does::Early::narrow_multiply_add, in_p0, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=0 f=0", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", narrow, commutes},
    {"imad8", does::Early::narrow_multiply_add, in_p0, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=1 f=0", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", narrow, commutes | signed_numbers},
    {"umad16", does::Early::narrow_multiply_add, in_p0, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=0 f=1", "sat", ">ft0, s0:0, s1:1, s2:2", "a * b + c", narrow, commutes | half_words},
    {"imad16", does::Early::narrow_multiply_add, in_p0, {&mad8_16, &mad8_16_ext, &mad8_16_ext_sel}, "s=1 f=1", "sat", ">ft0, s0:0, s1:1, s2:2",
        "a * b + c", narrow, commutes | signed_numbers | half_words},
    {"uadd6432", does::Early::add_word_to_pair, in_p0, {&int32_64, &int32_64_ext}, "int32_64_op=0 s=0", "", ">ft0, >fte?, s0:0, s1:1, s2:2, p0@cin?",
        "S1:S0 + S2, zero extended", driver, high_result | gives_carry},
    {"sadd6432", does::Early::add_word_to_pair, in_p0, {&int32_64, &int32_64_ext}, "int32_64_op=0 s=1", "", ">ft0, >fte?, s0:0, s1:1, s2:2, p0@cin?",
        "S1:S0 + S2, sign extended", driver, high_result | gives_carry | signed_numbers},
    {"add64", does::Early::add_pairs, in_p0, {&int32_64, &int32_64_ext}, "int32_64_op=1", "", ">ft0, >fte?, s0:0, s1:1, s2:2, is0, p0@cin?",
        "S1:S0 + IS0:S2", driver, high_result | reads_is0 | gives_carry},
    {"umadd32", does::Early::multiply_add_word, in_p0, {&int32_64, &int32_64_ext}, "int32_64_op=2 s=0", "", ">ft0, s0:0, s1:1, s2:2, p0@cin?",
        "low 32 bits of a * b + c", seen, commutes | gives_carry},
    {"smadd32", does::Early::multiply_add_word, in_p0, {&int32_64, &int32_64_ext}, "int32_64_op=2 s=1", "", ">ft0, s0:0, s1:1, s2:2, p0@cin?",
        "low 32 bits of a * b + c", seen, commutes | gives_carry | signed_numbers},
    {"umadd64", does::Early::multiply_add_pair, in_p0, {&int32_64, &int32_64_ext}, "int32_64_op=3 s=0", "",
        ">ft0, >fte?, s0:0, s1:1, s2:2, is0, p0@cin?", "S0 * S1 + IS0:S2, 64 bits", seen, high_result | reads_is0 | commutes | gives_carry},
    {"smadd64", does::Early::multiply_add_pair, in_p0, {&int32_64, &int32_64_ext}, "int32_64_op=3 s=1", "",
        ">ft0, >fte?, s0:0, s1:1, s2:2, is0, p0@cin?", "S0 * S1 + IS0:S2, 64 bits", seen,
        high_result | reads_is0 | commutes | gives_carry | signed_numbers},
    {"unpck", does::Early::unpack, in_p0, {&upck}, "", "pck_format! scale_rtz=scale|roundzero", ">ft0, s0e", "unpack an element; repeated, the following elements", {Status::driver, "3.8"}},
};
inline constexpr Row phase2_rows[] = {
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
    {"mov", does::Move::replace, in_move, {&movc_ext}, "aw=1", "", "w0#, @movw0", "bytes of W0 from a feedthrough", seen, copies},
    {"movc", does::Move::choose, in_move, {&movc, &movc_ext}, "aw=0", "", "w0#, >w1, >ftt, @movw0, @movw1", "where the test holds, W0 and W1 from feedthroughs", seen},
};
inline constexpr Row bitwise_rows[] = {
    {"byp", does::Bitmask::pass, in_bitmask, {&phase0_src}, "bitmask_op=0", "", ">ft0, >ft1, s0, s1", "FT0 = S0, FT1 = S1", driver, copies, "bbyp0bm"},
    {"byp", does::Bitmask::pass_immediate, in_bitmask, {&phase0_imm16, &phase0_imm32}, "", "", ">ft0, >ft1, s0, @imm", "FT0 = S0, FT1 = immediate", seen, copies, "bbyp0bm"},
    {"msk", does::Bitmask::mask, in_bitmask, {&phase0_src}, "bitmask_op=1", "", ">ft0, >ft1, s0, s1", "FT1 = mask of S0 bits from bit S1 up; FT0 = its top bit", driver},
    {"byp", does::Shift1::pass, in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=0", "", ">ft2, s2", "copy", driver, copies, "bbyp0s1"},
    {"shfl", does::Shift1::interleave, in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=1", "", ">ft2, s2, s1", "low halves interleaved", driver},
    {"rev", does::Shift1::reverse, in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=2", "", ">ft2, s2", "bits reversed", driver},
    {"lsl", does::Shift1::left, in_shift1, {&phase0_src, &phase0_imm16, &phase0_imm32}, "shift1_op=3", "", ">ft2, s2, s1", "S2 << S1", seen},
    {"byp", does::Count::pass, in_count, {&phase0_src, &phase0_imm16, &phase0_imm32}, "count_op=2", "", ">ft3, @count_src", "copy", driver, copies},
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
    {"byp", does::Logical::pass, in_logical, {&phase1}, "logical_op=7", "", ">ft4, >ft1", "copy", driver, copies},
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
inline constexpr Row backend_rows[] = {
    {"uvsw.write", does::Backend::write_output, in_be, {&uvsw_write_imm}, "", "", "@dsel, @imm_addr", "vertex output from a port", driver, reads_w0 | writes_vertex},
    {"uvsw.write", does::Backend::write_output, in_be, {&uvsw_write_reg}, "", "", "@dsel, @srcsel", "vertex output from a port", driver, reads_w0 | writes_vertex},
    {"uvsw.emit", does::Backend::emit, in_be, {&uvsw_emit, &uvsw_emit_imm}, "", "", "@stream_id?", "hands a vertex over", driver},
    {"uvsw.cut", does::Backend::cut, in_be, {&uvsw_cut, &uvsw_cut_imm}, "", "", "@stream_id?", "cuts the strip", driver},
    {"uvsw.emit.cut", does::Backend::emit_cut, in_be, {&uvsw_emit_cut, &uvsw_emit_cut_imm}, "", "", "@stream_id?", "hands a vertex over and cuts", driver},
    {"uvsw.endtask", does::Backend::end_task, in_be, {&uvsw_endtask}, "", "", "", "ends the vertex task", driver, ends_task},
    {"uvsw.emit.endtask", does::Backend::emit_end_task, in_be, {&uvsw_emit_endtask}, "", "", "", "hands the vertex over and ends", driver, ends_task},
    {"uvsw.write.emit.endtask", does::Backend::write_emit_end_task, in_be, {&uvsw_write_emit_endtask_imm}, "", "", "@dsel, @imm_addr",
        "writes, hands over and ends", driver, reads_w0 | ends_task | writes_vertex},
    {"uvsw.write.emit.endtask", does::Backend::write_emit_end_task, in_be, {&uvsw_write_emit_endtask_reg}, "", "", "@dsel, @srcsel",
        "writes, hands over and ends", driver, reads_w0 | ends_task | writes_vertex},
    {"movmsk", does::Backend::execution_mask, in_be, {&movmsk}, "", "", ">w0", "execution mask", driver, drives_w0 | reads_masks},
    {"movmsk.sm", does::Backend::sample_mask, in_be, {&movmsk_sm}, "", "", ">w0, @srcsel", "sample mask", driver, drives_w0 | reads_masks},
    {"savmsk", does::Backend::save_mask, in_be, {&savmsk}, "", "msk_mode!", ">w0, >w1", "saves a mask", driver, drives_w0 | drives_w1},
    {"phas", does::Backend::change_phase, in_be, {&phas_reg}, "", "", "@exeaddrsrc, @paramsrc", "change of phase", driver, names_code},
    {"phas", does::Backend::change_phase, in_be, {&phas_imm}, "", "rate! phas_end=end", "@exeaddrsrc, @commontmp", "change of phase", driver, names_code},
    {"setl", does::Backend::set_link, in_be, {&setl}, "", "", "@ressel", "link address from a port", driver, reads_w0 | names_code},
    {"depthf", does::Backend::depth, in_be, {&vistest_depthf}, "", "", ">w0", "depth feedback", driver, reads_w0},
    {"atst", does::Backend::alpha_test, in_be, {&vistest_atst}, "", "ifb", "p0@pwen, s0, s1, s2", "alpha test", driver},
    {"fitr", does::Backend::iterate, in_be, {&fitr}, "p=0", "sat iter_mode!", "=s3, @drc, s0, @count", "iterates values of coefficient sets", driver, dma_write | by_iterator},
    {"fitrp", does::Backend::iterate_perspective, in_be, {&fitr}, "p=1", "sat iter_mode!", "=s3, @drc, s0, s2, @count", "iterates values, each times 1/W", driver, dma_write | by_iterator},
    {"emitpix", does::Backend::emit_pixel, in_be, {&emitpix}, "", "freep", "s0, s2", "sends the pixel outputs", driver, emits_pixel},
    {"idf", does::Backend::fence, in_be, {&idf}, "", "", "@drc, @srcseladd", "fence after stores", seen, dma_read | only_fences},
    {"atom", does::Backend::atomic, in_be, {&atomic}, "", "atomic_op!", "=@dstsel, @drc, @srcsel", "atomic operation, returns the old value", driver, dma_write | dma_read},
    {"ld", does::Backend::load, in_be, {&ld_imm}, "", "cachemode_ld slcmode", "=s3, @drc, @burst, @srcseladd", "loads words", seen, dma_write | dma_read},
    {"ld", does::Backend::load, in_be, {&ld_reg, &ld_reg_ext}, "", "cachemode_ld slcmode", "=s3, @drc, @srcselbl, @srcseladd", "loads words, their number in a register", seen, dma_write | dma_read},
    {"st", does::Backend::store, in_be, {&st_imm, &st_imm_ext}, "", "nottiled~tiled cachemode_st slcmode", "@srcseldata, @dsize, @drc, @burst, @srcseladd, @srcmask?", "stores", seen, dma_read},
    {"st", does::Backend::store, in_be, {&st_reg, &st_reg_ext}, "", "nottiled~tiled cachemode_st slcmode",
        "@srcseldata, @dsize, @drc, @srcselbl, @srcseladd, @srcmask?", "stores, the number of words in a register", seen, dma_read},
    {"smp1d", does::Backend::sample, in_be, {&smp, &smp_exta, &smp_extab, &smp_extabc}, "dmn=1",
        "fcnorm proj nncoords lodm pplod tao soo sno sbmode f16 swap=schedswap wrt array integer comparison f16input direct slcmode",
        "@drc, s0, s1, s2, s3?, =s4, @chan", "samples a texture", driver, dma_write | dma_read | by_texture_unit},
    {"smp2d", does::Backend::sample, in_be, {&smp, &smp_exta, &smp_extab, &smp_extabc}, "dmn=2",
        "fcnorm proj nncoords lodm pplod tao soo sno sbmode f16 swap=schedswap wrt array integer comparison f16input direct slcmode",
        "@drc, s0, s1, s2, s3?, =s4, @chan", "samples a texture", driver, dma_write | dma_read | by_texture_unit},
    {"smp3d", does::Backend::sample, in_be, {&smp, &smp_exta, &smp_extab, &smp_extabc}, "dmn=3",
        "fcnorm proj nncoords lodm pplod tao soo sno sbmode f16 swap=schedswap wrt array integer comparison f16input direct slcmode",
        "@drc, s0, s1, s2, s3?, =s4, @chan", "samples a texture", driver, dma_write | dma_read | by_texture_unit},
    {"smp1d.extb", does::Backend::sample_by_byte, in_be, {&smp_extb}, "dmn=1", "fcnorm lodm", "@drc, s0, s1, s2, s3?, =s4, @chan, @extb_byte",
        "samples a texture; what the last byte says is unknown", {Status::unknown, "4.8"}, dma_write | dma_read | by_texture_unit},
    {"smp2d.extb", does::Backend::sample_by_byte, in_be, {&smp_extb}, "dmn=2", "fcnorm lodm", "@drc, s0, s1, s2, s3?, =s4, @chan, @extb_byte",
        "samples a texture; what the last byte says is unknown", {Status::unknown, "4.8"}, dma_write | dma_read | by_texture_unit},
    {"smp3d.extb", does::Backend::sample_by_byte, in_be, {&smp_extb}, "dmn=3", "fcnorm lodm", "@drc, s0, s1, s2, s3?, =s4, @chan, @extb_byte",
        "samples a texture; what the last byte says is unknown", {Status::unknown, "4.8"}, dma_write | dma_read | by_texture_unit},
    {"tessw", does::Unencoded::write_tessellator, in_be, {}, "", "", "", "write to the tessellator", told},
    {"st.texelmode", does::Unencoded::store_texels, in_be, {}, "", "", "", "store in texel mode", told},
};
inline constexpr Row control_rows[] = {
    {"br", does::Control::branch, in_ctrl, {&branch}, "ctrlop=0 abs=0 link=0", "bpred", "@offset", "branch relative to this group", seen},
    {"ba", does::Control::branch, in_ctrl, {&branch}, "ctrlop=0 abs=1 link=0", "bpred", "@offset", "branch to an address", driver},
    {"brl", does::Control::branch, in_ctrl, {&branch}, "ctrlop=0 abs=0 link=1", "bpred", "@offset", "branch and save the next group's address", driver},
    {"bal", does::Control::branch, in_ctrl, {&branch}, "ctrlop=0 abs=1 link=1", "bpred", "@offset", "branch and save the next group's address", driver},
    {"lapc", does::Control::return_to_link, in_ctrl, {&none}, "ctrlop=1", "", "", "returns to the saved address", driver},
    {"savl", does::Control::save_link, in_ctrl, {&none}, "ctrlop=2", "", ">w0", "W0 = saved address in 16-bit units", driver},
    {"cndst", does::Control::start_mask, in_ctrl, {&cnd}, "ctrlop=3 cndinst=0", "", "@pcnd, >w0, s0, @adjust", "start of a masked region", seen, changes_masks | adds_to_mask},
    {"cndef", does::Control::else_mask, in_ctrl, {&cnd}, "ctrlop=3 cndinst=1", "", "@pcnd, >w0, s0, @adjust", "else of a masked region", driver, changes_masks},
    {"cndsm", does::Control::set_mask, in_ctrl, {&cnd}, "ctrlop=3 cndinst=2", "", "@pcnd, >w0, s0, s2", "sets the mask count", driver, changes_masks},
    {"cndlt", does::Control::test_loop, in_ctrl, {&cnd}, "ctrlop=3 cndinst=3", "", "@pcnd, >w0, >p0, s0, @adjust", "test of a loop", driver, changes_masks | tests_mask},
    {"cndend", does::Control::end_mask, in_ctrl, {&cnd}, "ctrlop=3 cndinst=4", "", ">w0, s0, @adjust", "end of a masked region", seen, changes_masks | takes_off_mask},
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
    {"itrsmp1d", does::Control::iterate_and_sample, in_ctrl, {&itrsmp, &itrsmp_ext, &itrsmp_ext2}, "ctrlop=8 dmn=1",
        "mode! sat f16 sched_ctrl proj nncoords fcnorm comparison", "@dest, @persp, @drc, @coff, @texoff, @smpoff, @chan, @woff, @count?",
        "iterates and samples", driver, dma_write | by_texture_unit},
    {"itrsmp2d", does::Control::iterate_and_sample, in_ctrl, {&itrsmp, &itrsmp_ext, &itrsmp_ext2}, "ctrlop=8 dmn=2",
        "mode! sat f16 sched_ctrl proj nncoords fcnorm comparison", "@dest, @persp, @drc, @coff, @texoff, @smpoff, @chan, @woff, @count?",
        "iterates and samples", driver, dma_write | by_texture_unit},
    {"itrsmp3d", does::Control::iterate_and_sample, in_ctrl, {&itrsmp, &itrsmp_ext, &itrsmp_ext2}, "ctrlop=8 dmn=3",
        "mode! sat f16 sched_ctrl proj nncoords fcnorm comparison", "@dest, @persp, @drc, @coff, @texoff, @smpoff, @chan, @woff, @count?",
        "iterates and samples", driver, dma_write | by_texture_unit},
    {"sbo.coeff", does::Control::base_of_coefficients, in_ctrl, {&sbo}, "ctrlop=11 tgt=0", "", "@sbo_offset", "base of coefficient registers", driver},
    {"sbo.shared", does::Control::base_of_shared, in_ctrl, {&sbo}, "ctrlop=11 tgt=1", "", "@sbo_offset", "base of shared registers", driver},
    {"ditr", does::Control::iterate, in_ctrl, {&ditr}, "ctrlop=12", "mode! sat sched_ctrl f16", "@dest, @drc, @coff, @count, @persp, @woff", "iterates", driver, dma_write | by_iterator},
    {"bpret", does::Unencoded::return_from_breakpoint, in_ctrl, {}, "", "", "", "returns from a breakpoint", told},
    {"uniq", does::Unencoded::uniq, in_ctrl, {}, "", "", "", "name only", {Status::unknown, "3.10"}},
    {"fetch", does::Unencoded::fetch, in_ctrl, {}, "", "", "", "name only", {Status::unknown, "3.10"}},
};
}  // namespace rows
// clang-format on

/// A row, read.
struct Op {
  std::string_view name;  ///< with the modifiers that belong to it: "uvsw.write.emit.endtask"
  Does does;
  std::uint16_t units = 0;  ///< bit per Unit
  std::uint8_t form_count = 0;
  std::array<const Form*, 4> forms{};  ///< from the shortest; none = no published encoding
  std::uint8_t required_count = 0;
  std::array<std::pair<F, std::uint8_t>, 3> required{};
  std::uint8_t modifier_count = 0;
  std::array<Modifier, 18> modifiers{};
  std::uint8_t operand_count = 0;
  std::array<OperandSpec, 10> operands{};
  std::uint32_t traits = 0;
  Fact fact;
  std::string_view meaning;
  std::string_view mesa;                    ///< Mesa's mnemonic
  std::array<bool, field_count> covered{};  ///< fields that name, modifiers and operands speak of

  [[nodiscard]] constexpr bool in(Unit unit) const { return (units >> static_cast<unsigned>(unit) & 1) != 0; }
  [[nodiscard]] constexpr bool has(Trait trait) const { return (traits & trait) != 0; }
  [[nodiscard]] constexpr bool encodable() const { return form_count != 0; }
  [[nodiscard]] constexpr std::span<const Form* const> all_forms() const { return {forms.data(), form_count}; }
  [[nodiscard]] constexpr std::span<const OperandSpec> all_operands() const { return {operands.data(), operand_count}; }
  [[nodiscard]] constexpr std::span<const Modifier> all_modifiers() const { return {modifiers.data(), modifier_count}; }
  /// True if some form has the field.
  [[nodiscard]] constexpr bool has_field(F field) const {
    for (const Form* each : all_forms())
      if (each->find(field) != nullptr) return true;
    return false;
  }
};

/// All instructions, those without an encoding among them.
std::span<const Op> ops();
/// The first row that does this. Precondition: some row does.
MOBULA_INTERNAL const Op& op_that(Does does);

/// A form of an instruction of a unit, and the bits that tell it from others: fixed ones and required values.
struct Candidate {
  const Op* op = nullptr;
  const Form* form = nullptr;
  std::uint64_t mask = 0, bits = 0;
};
/// Those that may begin with this byte, in the order of the table. Control instructions are not listed.
std::span<const Candidate> candidates(Unit unit, std::uint8_t first_byte);
/// The instruction of a unit that these bits of a form are; nullptr if none.
MOBULA_INTERNAL const Op* find_op(Unit unit, const Form& form, std::uint64_t bits);
/// Control instructions of a header's ctrlop.
std::span<const Candidate> control_candidates(unsigned ctrlop);

/// Which units the phases of a main group have, by `oporg` (V-02).
struct Phases {
  bool p0 = false, p1 = false, p2 = false, backend = false;
  friend constexpr bool operator==(const Phases&, const Phases&) = default;
};
inline constexpr std::array<Phases, 8> phase_sets{{{true},
                                                   {false, false, true},
                                                   {false, false, false, true},
                                                   {true, true},
                                                   {true, false, true},
                                                   {true, true, true},
                                                   {true, false, true, true},
                                                   {true, true, true, true}}};

}  // namespace mobula::rogue
