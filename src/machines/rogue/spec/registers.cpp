#include "machines/rogue/spec/registers.h"

#include <array>
#include <bit>
#include <string>

namespace mobula::rogue {
namespace {

struct Constant {
  std::uint8_t index;
  std::uint32_t bits;
  std::string_view name;
};
// clang-format off
constexpr Constant constants[] = {
    {89, 0x402DF854, "e"}, {90, 0x3EBC5AB2, "1 / e"}, {91, 0x3FB504F3, "sqrt 2"}, {92, 0x3F3504F3, "1 / sqrt 2"},
    {93, 0x3F490FDB, "pi / 4"}, {94, 0x3FC90FDB, "pi / 2"}, {95, 0x40490FDB, "pi"}, {128, 0x3EA2F983, "1 / pi"},
    {129, 0x3F22F983, "2 / pi"}, {130, 0x3FA2F983, "4 / pi"}, {131, 0x40C90FDB, "2 pi"}, {132, 0x41490FDB, "4 pi"},
    {133, 0x41C90FDB, "8 pi"}, {134, 0x37800000, "1 / 65536"}, {135, 0x38000000, "1 / 32768"},
    {136, 0x3B4D2E1C, "0.0031308"}, {137, 0x414EB852, "12.92"}, {138, 0x3ED55555, "1 / 2.4"}, {139, 0x3F870A3D, "1.055"},
    {140, 0x3D6147AE, "0.055"}, {141, 0x80000000, "-0.0"}, {142, 0x7F800000, "infinity"}, {143, 0xFFFFFFFF, "all ones"},
    {144, 0x7FFF7FFF, "0x7FFF7FFF"}, {145, 0x3E9A209B, "log10 2"}, {146, 0x3F317218, "ln 2"}, {147, 0x0000007F, "127"},
    {148, 0x7F7FFFFF, "the largest float"}, {149, 0x4B000000, "2^23"}, {150, 0x4B800000, "2^24"},
    {151, 0x3F860A92, "pi / 3"}, {152, 0x3EAAAAAB, "1 / 3"}, {153, 0x3E2AAAAB, "1 / 6"}, {154, 0x40549A78, "log2 10"},
    {155, 0x3FB8AA3B, "log2 e"}, {156, 0x3D25AEE6, "0.04045"}, {157, 0x3D9E8391, "1 / 12.92"},
    {158, 0x3F72A76F, "1 / 1.055"}, {159, 0x4019999A, "2.4"},
};
struct SpecialName {
  std::uint8_t index;
  std::string_view name;
};
constexpr SpecialName special_registers[] = {
    {44, "face_orient"}, {45, "cluster_num"}, {46, "output_part"}, {47, "task_id"}, {48, "slot_num"}, {49, "tile_x_pix"},
    {50, "tile_y_pix"}, {51, "inst_num"}, {52, "dm_task_type"}, {53, "samp_num"}, {54, "tiled_ld_comp0"},
    {55, "tiled_ld_comp1"}, {56, "tiled_ld_comp2"}, {57, "tiled_ld_comp3"}, {58, "tiled_st_comp0"}, {59, "tiled_st_comp1"},
    {60, "tiled_st_comp2"}, {61, "tiled_st_comp3"}, {62, "batch_num"}, {63, "inst_valid"}, {96, "tile_xy"}, {97, "x_p"},
    {98, "x_s"}, {100, "y_p"}, {101, "y_s"}, {102, "wg_id"}, {103, "sh_alloc_size"}, {112, "local_addr_inst_num"},
    {114, "tile_x_p"}, {115, "tile_x_s"}, {116, "tile_y_p"}, {117, "tile_y_s"}, {118, "render_tgt_id"},
    {119, "tiled_ld_comp4"}, {120, "tiled_ld_comp5"}, {121, "tiled_ld_comp6"}, {122, "tiled_ld_comp7"},
    {123, "tiled_st_comp4"}, {124, "tiled_st_comp5"}, {125, "tiled_st_comp6"}, {126, "tiled_st_comp7"},
    {127, "gpu_offset"}, {160, "timer_80ns"},
};
// clang-format on

const Constant* find_constant(unsigned index) {
  for (const Constant& each : constants)
    if (each.index == index) return &each;
  return nullptr;
}

/// Prefixes of register names. `first` is the number of bank 000 that N = 0 means.
struct Prefix {
  std::string_view text;
  Bank bank = Bank::special;
  unsigned first = 0, count = max_index + 1;
  std::optional<unsigned> index_bank{};
};
constexpr Prefix prefixes[] = {
    {"r", Bank::temporary, 0, max_index + 1, indexed_temporary},
    {"vi", Bank::vertex_input, 0, max_index + 1, indexed_vertex_input},
    {"cfa", Bank::coefficient_alt, 0, max_index + 1, indexed_coefficient_alt},
    {"cf", Bank::coefficient, 0, max_index + 1, indexed_coefficient},
    {"sh", Bank::shared, 0, max_index + 1, indexed_shared},
    {"sc", Bank::special},
    {"sr", Bank::special},
    {"c", Bank::special},
    {"i", Bank::special, 36, 8},
    {"g", Bank::special, 104, 8},
};
constexpr unsigned pixel_output_low = 32, pixel_output_high = 164;

}  // namespace

Special special_class(unsigned index) {
  if (index < 32 || (index >= 64 && index < 96) || (index >= 128 && index < 160)) return Special::constant;
  if ((index >= pixel_output_low && index < 36) || (index >= pixel_output_high && index < 168))
    return Special::pixel_output;
  if (index >= 36 && index < 44) return Special::internal;
  if (index >= 104 && index < 112) return Special::global;
  return Special::other;
}

std::optional<std::uint32_t> constant_value(unsigned index) {
  if (index < 32) return index;
  if (index >= 64 && index <= 74) return std::bit_cast<std::uint32_t>(static_cast<float>(1u << (index - 64)));
  if (index >= 75 && index <= 88) return std::bit_cast<std::uint32_t>(1.0f / static_cast<float>(1u << (index - 74)));
  const Constant* row = find_constant(index);
  return row == nullptr ? std::nullopt : std::optional(row->bits);
}

std::optional<Register> constant_with(std::uint32_t bits) {
  constexpr unsigned constants_end = 160;
  for (unsigned index = 0; index < constants_end; ++index)
    if (special_class(index) == Special::constant && constant_value(index) == bits)
      return Register{Bank::special, static_cast<std::uint16_t>(index)};
  return std::nullopt;
}

std::string_view special_name(unsigned index) {
  if (const Constant* row = find_constant(index)) return row->name;
  for (const SpecialName& each : special_registers)
    if (each.index == index) return each.name;
  return {};
}

char* put_register(char* out, const Register& reg) {
  static constexpr std::array<std::string_view, 6> plain{"sr", "r", "vi", "cf", "sh", "cfa"};
  static constexpr std::array<std::string_view, 8> indexed{"r", "vi", "cf", "sh", "dc", "idx", "cfa", "po"};
  if (is_index_register(reg)) {
    out = put(put(out, "idx"), reg.bank == Bank::idx0 ? '0' : '1');
    return reg.offset() == 0 ? out : put(put_decimal(put(out, '['), reg.offset()), ']');
  }
  if (reg.indexed()) {
    out = put_decimal(put(out, indexed[reg.index_bank()]), reg.offset());
    return put(out, reg.bank == Bank::idx0 ? "[idx0]" : "[idx1]");
  }
  if (reg.bank != Bank::special) return put_decimal(put(out, plain[static_cast<std::size_t>(reg.bank)]), reg.index);
  switch (special_class(reg.index)) {
    case Special::constant:
      return put_decimal(put(out, "sc"), reg.index);
    case Special::pixel_output:
      return put_decimal(put(out, "po"), reg.index < 36 ? reg.index - 32u : reg.index - 160u);
    case Special::internal:
      return put_decimal(put(out, 'i'), reg.index - 36u);
    case Special::global:
      return put_decimal(put(out, 'g'), reg.index - 104u);
    case Special::other:
      break;
  }
  return put_decimal(put(out, "sr"), reg.index);
}

std::string text_of(const Register& reg) {
  std::array<char, 24> buffer{};
  return {buffer.data(), put_register(buffer.data(), reg)};
}

std::optional<NamedRegister> parse_register(std::string_view text) {
  const std::size_t digits = text.find_first_of("0123456789");
  if (digits == 0) return std::nullopt;
  std::string prefix(text.substr(0, digits));
  for (char& letter : prefix)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  unsigned number = 0;
  if (digits != std::string_view::npos) {
    if (text.size() - digits > 4) return std::nullopt;
    for (const char letter : text.substr(digits)) {
      if (letter < '0' || letter > '9') return std::nullopt;
      number = number * 10 + static_cast<unsigned>(letter - '0');
    }
  }
  const auto in_special = [&](unsigned index, std::optional<unsigned> index_bank) {
    return NamedRegister{Register{Bank::special, static_cast<std::uint16_t>(index)}, number, index_bank};
  };
  if (prefix == "dc") return NamedRegister{std::nullopt, number, indexed_constant_memory};
  if (prefix == "o" || prefix == "po") {
    if (number >= 8) return NamedRegister{std::nullopt, number, indexed_pixel_output};
    return in_special(number < 4 ? pixel_output_low + number : pixel_output_high + number - 4, indexed_pixel_output);
  }
  if (prefix == "sl") return number < 8 ? std::optional(in_special(43 - number, std::nullopt)) : std::nullopt;
  for (const Prefix& each : prefixes)
    if (each.text == prefix && number < each.count)
      return NamedRegister{Register{each.bank, static_cast<std::uint16_t>(each.first + number)}, number,
                           each.index_bank};
  return std::nullopt;
}

std::string last_before(std::string_view text) {
  const std::size_t digits = text.find_first_of("0123456789");
  if (digits == std::string_view::npos || text.find_first_not_of("0123456789", digits) != std::string_view::npos)
    return {};
  for (const Prefix& each : prefixes)
    if (each.text == text.substr(0, digits) && !parse_register(text))
      return std::string(each.text) + std::to_string(each.count - 1);
  return {};
}

}  // namespace mobula::rogue
