// Names of control, SQE, pipe and GPU registers and of packets, per generation (reference 4.3, 4.4, 4.11).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "core/format.h"
#include "machines/afuc/spec/chips.h"

namespace mobula::afuc {

/// Room in the queue from PFP to ME (decision 0031).
inline constexpr std::size_t meq_words = 64;

/// Releases of Mesa whose names are known, as bits: 22.3.6, 25.0.7, 26.1.0. A name that none of them has is this
/// project's.
enum : std::uint8_t { ours = 0, m22 = 1, m25 = 2, m26 = 4 };
/// Whose names a text is written with.
enum class Names : std::uint8_t { any, mesa22, mesa25, mesa26 };

/// Registers of the GPU of which an a5xx has two banks, so that draws that still run keep theirs (inferred).
enum class Banked : std::uint8_t { none, other, draw };
constexpr Banked banked(unsigned number) {
  if (number >= 0xE000 && number <= 0xEFFF) return Banked::draw;
  return number >= 0x2000 && number <= 0x27FF ? Banked::other : Banked::none;
}

/// Control registers that code knows, whatever their number. Names may differ between generations.
enum class ControlRole : std::uint8_t {
  storage,  ///< any other
  chip_revision,
  chip_id,
  secure_mode,
  register_write_address,
  register_write,
  register_read_count,
  register_read,
  memory_read_address,
  memory_read_high,  ///< the address's upper half, where it is a register of its own
  memory_read,
  table_address,
  table_write,
  buffer_1,
  buffer_2,
  buffer_3,
  wait_increment,
  query_increment,
  cache_increment,
  wait_pending,
  query_pending,
  cache_pending,
  load_store_high,
  load_store_high_alternative,
  test_result,
  lock,
  preemption_timer,
  timer_control,
  preempt_trigger,
  context_switch,
  performance,
  bv_base,
  bv_control,
  lpac_base,
  lpac_control,
  dde_br_base,
  dde_br_control,
  dde_bv_base,
  dde_bv_control,
};
inline constexpr std::size_t control_role_count = static_cast<std::size_t>(ControlRole::dde_bv_control) + 1;

/// Pipe registers that code knows.
enum class PipeRole : std::uint8_t {
  storage,  ///< any other
  wait,
  wait_done,
  query_done,
  write_address,
  write_address_high,
  write_data,
  read_count,
  event,
  event_address,
  event_address_high,
  event_control,
  event_data,
  event_last,  ///< data too; written last, it lets the event happen
};

/// SQE registers: sqe_iret_pc is the number of IRET_PC.
enum SqeRegister : std::uint8_t {
#define SQE(number, id, name, status) sqe_##id = number,
#include "machines/afuc/spec/sqe_regs.inc"
#undef SQE
};

/// A register: a name, and how many registers after the one that has the name.
struct RegisterName {
  std::string_view name;  ///< empty if the register has none
  unsigned offset = 0;
  explicit operator bool() const { return !name.empty(); }
};

/// What a name means, and in which releases of Mesa.
struct NamedControl {
  unsigned number = 0;
  std::uint8_t releases = ours;
};

/// No name that two releases of Mesa give to different registers.
MOBULA_INTERNAL RegisterName control_register(Map map, unsigned number);
/// Whether the name of a register is that of the a5xx's PFP, and its ME has another register there.
MOBULA_INTERNAL bool is_of_pfp_alone(Map map, unsigned number);
/// The same as control_register(), and only names that Mesa 25.0.7 has.
RegisterName mesa_control_register(Map map, unsigned number);
/// The registers that the name means: several where releases of Mesa disagree and `names` does not say which of them.
MOBULA_INTERNAL std::vector<NamedControl> control_registers_named(Map map, std::string_view name, Names names);
/// Names of control registers, for suggestions.
MOBULA_INTERNAL std::vector<std::string_view> control_register_names(Map map);

/// Something that has a name, for the manual.
struct NamedThing {
  std::string_view name;
  unsigned number = 0;
  std::string where;  ///< "a6xx, 0x098", and the releases of Mesa that have the name
  Status status = Status::driver;
  std::string_view source;
};
/// Rows of the tables in their order; those with the same name may be far from each other.
std::vector<NamedThing> named_control_registers();
std::vector<NamedThing> named_sqe_registers();
std::vector<NamedThing> named_pipe_registers();
std::vector<NamedThing> named_packets();
std::vector<NamedThing> named_gpu_registers();
/// "Mesa 22.3.6 and 25.0.7"; empty for `ours`.
std::string releases_text(std::uint8_t releases);
MOBULA_INTERNAL std::optional<unsigned> find_control_register(Map map, ControlRole role);
MOBULA_INTERNAL ControlRole control_role(Map map, unsigned number);
/// Status of the name; unknown for registers without one.
MOBULA_INTERNAL Status control_register_status(Map map, unsigned number);

/// a5xx has none.
RegisterName sqe_register(unsigned number);
/// The same, and only names that Mesa 25.0.7 has.
RegisterName mesa_sqe_register(unsigned number);
std::optional<unsigned> find_sqe_register(std::string_view name);

/// Empty if it has none. Register numbers are 8 bits.
MOBULA_INTERNAL std::string_view pipe_register(Map map, unsigned number);
/// The same, and only names that Mesa 25.0.7 has.
std::string_view mesa_pipe_register(Map map, unsigned number);

MOBULA_INTERNAL PipeRole pipe_role(Map map, unsigned number);

/// "CP_SCRATCH[0x2].REG", "CP_RB_BASE+0x1", "VFD_INDEX_OFFSET in bank 1"; empty if the register has no name. No names
/// of a8xx are known.
MOBULA_INTERNAL std::string gpu_register(Map map, unsigned number);
/// Reads a name with its index; "CP_SCRATCH[2]" and the older "CP_SCRATCH_REG[2]" mean CP_SCRATCH[0x2].REG.
MOBULA_INTERNAL std::optional<unsigned> find_gpu_register(Map map, std::string_view name, std::optional<unsigned> index,
                                                          std::string_view member);
/// All names of GPU registers that need no index, and those that do; for suggestions.
const std::vector<std::string_view>& gpu_register_names(Map map);

/// Name of a packet-table entry, "CP_NOP"; empty if it has none.
std::string_view packet(Map map, unsigned opcode);
/// The same, or "UNKN15".
MOBULA_INTERNAL std::string packet_or_number(Map map, unsigned opcode);
/// Entry of a packet's name or of "UNKN15"; nothing for other names.
std::optional<unsigned> find_packet(Map map, std::string_view name);

}  // namespace mobula::afuc
