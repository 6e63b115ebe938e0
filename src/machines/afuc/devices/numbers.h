// Control registers that do something, by generation (afuc reference 4.3), and what else stands where the generations
// differ.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "machines/afuc/spec/names.h"

namespace mobula::afuc {

inline constexpr unsigned control_registers = 0x1000;
/// Stands for a register that a generation does not have.
inline constexpr std::uint32_t no_register = ~0u;

/// What a write to or a read of a control register does beside storing.
enum class ControlFunction : std::uint8_t {
  storage,
  register_write,       ///< writes the GPU register at the address register, and counts that up
  register_read,        ///< starts reads for $regdata
  memory_read,          ///< starts reads for $memdata
  memory_high,          ///< of the address that memory_read takes
  table_write,          ///< fills the packet table
  pending_increment,    ///< counts up its counter
  stream_status,        ///< bits 1:0 are 3 when a word can be read
  buffer,               ///< address and words of an indirect buffer; the words start it
  look_ahead,           ///< a bit a level: reads go ahead without taking words
  draw_state_header,    ///< stores a header, whose group further words complete
  draw_state_selected,  ///< shows the selected group
  draw_state_push,      ///< puts a group after those to be executed
  draw_state_start,     ///< puts all groups there that the mode wants
  draw_state_status,    ///< whether groups are being fetched; or, after a start, whether any are left
  draw_state_ready,     ///< whether a group can be executed
  draw_state_first,     ///< a5xx: takes the first word of groups' headers and addresses (decision 0042)
  draw_state_word,      ///< a5xx: takes the others
  draw_state_now,       ///< a5xx: bitmask of the groups that are to be loaded at once
  state_words,          ///< a5xx: the PFP fetches words for the ME's second queue; the ME: how many it reads of them
  queue_choice,         ///< a5xx: the queue that the ME reads; the level of the PFP's indirect buffers
  buffer_reset,         ///< a5xx: drops the indirect buffers of the levels whose bits are set
  preempt_trigger,      ///< interrupts the core
  context_switch,       ///< CP_CONTEXT_SWITCH_CNTL
  preemption_timer,     ///< counts while its control register says so
  timer_control,        ///< bit 0 lets the timer run
  performance,          ///< commands to the performance counters
  error,                ///< reports an error
  forward,              ///< passes words on to another core
  lock,
  start_core,
};

/// Registers of draw-state groups (4.7, decision 0012); consecutive in all maps that have them.
struct DrawStateNumbers {
  std::uint32_t select = no_register;  ///< the group that the next registers show
  std::uint32_t sds_base = no_register, base = no_register, header = no_register;
  std::uint32_t active = no_register;  ///< bitmask of groups
  std::uint32_t clean = no_register;   ///< a5xx: bitmask of groups that need not be loaded where they are the same
  std::uint32_t set = no_register;     ///< takes headers
  std::uint32_t mode = no_register;    ///< what start compares the groups' masks with
};

/// Pipe registers (4.4).
struct PipeNumbers {
  std::array<PipeRole, 256> roles{};
  std::uint32_t write_address = 0, read_count = 0, event_address = 0, event_control = 0, event_data = 0;

  /// The first register of the role; 0, which no role has, where there is no such register.
  [[nodiscard]] std::uint32_t number(PipeRole role) const;
};

struct ControlNumbers {
  static const ControlNumbers& of(Map map);

  std::array<ControlFunction, control_registers> function{};

  // Streams (4.6).
  std::uint32_t peek = no_register, peek_value = 0;  ///< reads look ahead while the register has this value
  std::uint32_t look_ahead = no_register;            ///< a bit a level
  std::uint32_t ib_level = no_register, sds_level = no_register;
  std::array<std::uint32_t, 3> ib{};  ///< base low, base high and dwords of IB1..3

  std::uint32_t write_address = no_register, read_count = no_register, memory_address = no_register,
                table_address = no_register, test_result = no_register, load_store_high = no_register,
                load_store_high_alternative = no_register, timer = no_register, timer_control = no_register;
  std::array<std::uint32_t, 3> pending_increment{}, pending{};  ///< waits for idle, queries, caches
  DrawStateNumbers draw;
  std::uint32_t state_base = no_register;  ///< a5xx: address of the words that the PFP fetches for the ME
  PipeNumbers pipe;

  /// Other cores: the register that starts one, and where the address of its program is put before.
  struct Start {
    std::string_view name;
    std::uint32_t base, control;
  };
  std::vector<Start> starts;
  std::uint32_t first_shared = 0;  ///< control registers up to 0x2ff that all cores share

  // GPU registers.
  std::uint32_t protect_cntl = no_register, protect = no_register, context_switch = no_register;
  std::uint32_t wait_for_idle = no_register;  ///< waits until the GPU is idle, where no pipe register does
  std::uint32_t wait_done = no_register;      ///< a5xx: the ME has done what the PFP waits for (decision 0031)

 private:
  explicit ControlNumbers(Map map);
  void set(std::uint32_t number, ControlFunction what) {
    if (number != no_register) function[number] = what;
  }
  void set_draw_state_groups(std::uint32_t first);
  void set_draw_states(std::uint32_t first, std::uint32_t header);
  void set_state_queue();
};

}  // namespace mobula::afuc
