// What GDB is told a thread's registers are: an aarch64 core, without which it knows no registers at all, of which only
// the program counter means anything (the address to return to is the same, so that GDB finds no caller); and, as a
// feature of mobula's own, the slots of the lifted program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mobula/isa/ir.h"

namespace mobula::servers {

/// x0 to x30, sp, pc and cpsr have the numbers 0 to 33; the numbers of others follow.
inline constexpr std::size_t gdb_return = 30, gdb_pc = 32, gdb_cpsr = 33, gdb_core_registers = 34;
constexpr std::uint32_t gdb_core_bytes(std::size_t number) { return number == gdb_cpsr ? 4 : 8; }

/// A register made of slots: one, or the four components of a vector.
struct GdbRegister {
  std::string name;
  std::vector<const ir::Slot*> slots;
  [[nodiscard]] std::uint32_t bytes() const;
};

/// Names are letters, digits and "_": "r0", "m0_2" for m0@2. Those that GDB has for an aarch64 get "_" in front.
std::vector<GdbRegister> gdb_registers(const ir::Program& lifted);
/// The document that qXfer:features:read gives.
std::string gdb_target_description(const std::vector<GdbRegister>& registers);

}  // namespace mobula::servers
