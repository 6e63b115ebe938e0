// Spellings shared by the printer and the parser.
#pragma once

#include <array>
#include <string_view>

#include "machines/afuc/spec/spec.h"

namespace mobula::afuc {

inline constexpr std::string_view bare_directive = "bare", gpu_directive = "gpu", section_directive = "section",
                                  align_directive = "align", table_directive = "jumptbl", byte_directive = "byte";
inline constexpr std::string_view table_label = "jumptbl", end_symbol = "end";

/// Spelling of a register. On a5xx and a6xx $1a is an ordinary register.
constexpr std::string_view register_name(unsigned reg, bool destination, std::uint8_t generation) {
  if (reg == reg_sp && (generation & g56) != 0) return "$1a";
  return destination ? value::registers[reg].destination : value::registers[reg].source;
}

/// Other spellings of registers that are read.
struct RegisterAlias {
  std::string_view name;
  std::uint8_t reg;
};
inline constexpr RegisterAlias register_aliases[] = {
    {"$rem", reg_rem},         {"$memdata", reg_memdata}, {"$addr", reg_addr},
    {"$regdata", reg_regdata}, {"$usraddr", reg_usraddr}, {"$addr2", reg_usraddr},
    {"$data", reg_data},       {"$sp", reg_sp},           {"$lr", reg_lr}};

/// A prefix and the field it sets to a number.
struct Prefix {
  std::string_view name;
  const Field* field;
  std::uint8_t value;
};
inline constexpr Prefix prefixes[] = {
    {"rep", &field::rep, 1},   {"xmov1", &field::xmov, 1}, {"xmov2", &field::xmov, 2}, {"xmov3", &field::xmov, 3},
    {"peek", &field::peek, 1}, {"sds1", &field::sds, 1},   {"sds2", &field::sds, 2},   {"sds3", &field::sds, 3}};

/// The bits that old listings print after an address, as a number: bits 15:12.
inline constexpr Field access_bits{"flags", 12, 4};

}  // namespace mobula::afuc
