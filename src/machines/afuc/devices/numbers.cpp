#include "machines/afuc/devices/numbers.h"

#include <algorithm>
#include <optional>

#include "machines/afuc/spec/names.h"

namespace mobula::afuc {
namespace {

/// Registers without a name in the tables.
struct Unnamed {
  std::uint32_t peek, peek_value, look_ahead, status, error, ib_level, draw_states, wait_for_idle, forward,
      wait_increment, wait_pending;
};
constexpr std::array<Unnamed, map_count> unnamed_rows{{
    {0x035, 7, no_register, 0x00C, 0x007, 0x031, no_register, 0x2C, no_register, 0x018, 0x008},  // decision 0031
    {0x055, 7, 0x057, 0x023, 0x064, 0x054, 0x040, 0x1C, no_register, no_register, no_register},  // decision 0015; 4.4
    {no_register, 0, 0x057, 0x00F, 0x064, 0x054, 0x040, no_register, no_register, no_register, no_register},
    {no_register, 0, 0x07D, 0x03C, 0x062, 0x03D, 0x050, no_register, no_register, no_register, no_register},
    {no_register, 0, 0x07D, 0x03C, 0x062, 0x03D, 0x050, no_register, 0x191, no_register, no_register},
}};

struct Starter {
  std::string_view name;
  ControlRole base, control;
};
constexpr Starter starters[] = {{"BV", ControlRole::bv_base, ControlRole::bv_control},
                                {"LPAC", ControlRole::lpac_base, ControlRole::lpac_control},
                                {"DDE_BR", ControlRole::dde_br_base, ControlRole::dde_br_control},
                                {"DDE_BV", ControlRole::dde_bv_base, ControlRole::dde_bv_control}};

/// What a register that code knows does by itself.
ControlFunction function_of(ControlRole role) {
  switch (role) {
    case ControlRole::register_write:
      return ControlFunction::register_write;
    case ControlRole::register_read:
      return ControlFunction::register_read;
    case ControlRole::memory_read:
      return ControlFunction::memory_read;
    case ControlRole::memory_read_high:
      return ControlFunction::memory_high;
    case ControlRole::table_write:
      return ControlFunction::table_write;
    case ControlRole::wait_increment:
    case ControlRole::query_increment:
    case ControlRole::cache_increment:
      return ControlFunction::pending_increment;
    case ControlRole::lock:
      return ControlFunction::lock;
    case ControlRole::preemption_timer:
      return ControlFunction::preemption_timer;
    case ControlRole::timer_control:
      return ControlFunction::timer_control;
    case ControlRole::preempt_trigger:
      return ControlFunction::preempt_trigger;
    case ControlRole::context_switch:
      return ControlFunction::context_switch;
    case ControlRole::performance:
      return ControlFunction::performance;
    case ControlRole::bv_control:
    case ControlRole::lpac_control:
    case ControlRole::dde_br_control:
    case ControlRole::dde_bv_control:
      return ControlFunction::start_core;
    // Others ask for what these hold, or they belong to a group: buffers, draw states.
    case ControlRole::storage:
    case ControlRole::chip_revision:
    case ControlRole::chip_id:
    case ControlRole::secure_mode:
    case ControlRole::register_write_address:
    case ControlRole::register_read_count:
    case ControlRole::memory_read_address:
    case ControlRole::table_address:
    case ControlRole::buffer_1:
    case ControlRole::buffer_2:
    case ControlRole::buffer_3:
    case ControlRole::wait_pending:
    case ControlRole::query_pending:
    case ControlRole::cache_pending:
    case ControlRole::load_store_high:
    case ControlRole::load_store_high_alternative:
    case ControlRole::test_result:
    case ControlRole::bv_base:
    case ControlRole::lpac_base:
    case ControlRole::dde_br_base:
    case ControlRole::dde_bv_base:
      return ControlFunction::storage;
  }
  return ControlFunction::storage;
}

}  // namespace

const ControlNumbers& ControlNumbers::of(Map map) {
  static const std::array<ControlNumbers, map_count> all{ControlNumbers(Map::a5xx), ControlNumbers(Map::a6xx),
                                                         ControlNumbers(Map::a7xx), ControlNumbers(Map::a750),
                                                         ControlNumbers(Map::a8xx)};
  return all[static_cast<std::size_t>(map)];
}

ControlNumbers::ControlNumbers(Map map) {
  const auto number = [&](ControlRole role) { return find_control_register(map, role).value_or(no_register); };
  const Unnamed& unnamed = unnamed_rows[static_cast<std::size_t>(map)];
  peek = unnamed.peek;
  peek_value = unnamed.peek_value;
  look_ahead = unnamed.look_ahead;
  ib_level = unnamed.ib_level;
  ib = {number(ControlRole::buffer_1), number(ControlRole::buffer_2), number(ControlRole::buffer_3)};
  sds_level = ib[2] == no_register ? 3 : 4;
  write_address = number(ControlRole::register_write_address);
  read_count = number(ControlRole::register_read_count);
  memory_address = number(ControlRole::memory_read_address);
  table_address = number(ControlRole::table_address);
  test_result = number(ControlRole::test_result);
  load_store_high_alternative = number(ControlRole::load_store_high_alternative);
  load_store_high = number(ControlRole::load_store_high);
  pending_increment = {number(ControlRole::wait_increment), number(ControlRole::query_increment),
                       number(ControlRole::cache_increment)};
  pending = {number(ControlRole::wait_pending), number(ControlRole::query_pending), number(ControlRole::cache_pending)};
  if (unnamed.wait_increment != no_register) {
    pending_increment[0] = unnamed.wait_increment;
    pending[0] = unnamed.wait_pending;
    set(unnamed.wait_increment, ControlFunction::pending_increment);
  }
  for (std::size_t i = 0; i < control_role_count; ++i) {
    const auto role = static_cast<ControlRole>(i);
    if (function_of(role) != ControlFunction::storage) set(number(role), function_of(role));
  }
  for (const std::uint32_t base : ib)
    for (std::uint32_t i = 0; base != no_register && i < 3; ++i) set(base + i, ControlFunction::buffer);
  // Where the upper half of an address has a privileged twin, both count.
  if (number(ControlRole::memory_read_high) != no_register) set(memory_address + 1, ControlFunction::memory_high);
  set(look_ahead, ControlFunction::look_ahead);
  set(unnamed.status, ControlFunction::stream_status);
  set(unnamed.error, ControlFunction::error);
  set(unnamed.forward, ControlFunction::forward);
  if (const auto header = draw_state_header_register(map)) set_draw_states(unnamed.draw_states, *header);
  if (map == Map::a5xx) set_state_queue();

  timer = number(ControlRole::preemption_timer);
  timer_control = number(ControlRole::timer_control);
  for (const Starter& each : starters) {
    const std::uint32_t control = number(each.control), base = number(each.base);
    if (control == no_register || base == no_register) continue;
    starts.push_back({each.name, base, control});
  }
  first_shared = map >= Map::a750 ? 0x230 : 0x200;
  const auto gpu = [&](std::string_view name, std::optional<unsigned> index, std::string_view member) {
    return find_gpu_register(map, name, index, member).value_or(no_register);
  };
  protect_cntl = gpu("CP_PROTECT_CNTL", {}, {});
  protect = gpu("CP_PROTECT", 0, "REG");
  context_switch = gpu("CP_CONTEXT_SWITCH_CNTL", {}, {});
  wait_for_idle = unnamed.wait_for_idle;
  if (map == Map::a5xx) wait_done = gpu("CP_WFI_PEND_CTR", {}, {});

  for (std::uint32_t i = 0; i < pipe.roles.size(); ++i) pipe.roles[i] = pipe_role(map, i);
  pipe.write_address = pipe.number(PipeRole::write_address);
  pipe.read_count = pipe.number(PipeRole::read_count);
  pipe.event_address = pipe.number(PipeRole::event_address);
  pipe.event_control = pipe.number(PipeRole::event_control);
  pipe.event_data = pipe.number(PipeRole::event_data);
}

std::uint32_t PipeNumbers::number(PipeRole role) const {
  const auto found = std::find(roles.begin(), roles.end(), role);
  return found == roles.end() ? 0 : static_cast<std::uint32_t>(found - roles.begin());
}

/// The registers of the selected group have the same places in all generations.
void ControlNumbers::set_draw_state_groups(std::uint32_t first) {
  draw.select = first + 0x1;
  draw.sds_base = first + 0x2;
  draw.base = first + 0x5;
  draw.header = first + 0x7;
  draw.active = first + 0x9;
  for (std::uint32_t i = 0; i < 3; ++i) set(draw.sds_base + i, ControlFunction::draw_state_selected);
  for (std::uint32_t i = 0; i < 2; ++i) set(draw.base + i, ControlFunction::draw_state_selected);
  set(draw.header, ControlFunction::draw_state_selected);
}

void ControlNumbers::set_draw_states(std::uint32_t first, std::uint32_t header) {
  set_draw_state_groups(first);
  draw.set = header;
  draw.mode = first + 0xB;
  set(draw.set, ControlFunction::draw_state_header);
  set(first + 0x10, ControlFunction::draw_state_push);
  set(first + 0x11, ControlFunction::draw_state_status);
  set(first + 0x12, ControlFunction::draw_state_ready);
  set(first + 0x13, ControlFunction::draw_state_start);
}

/// a5xx: the PFP compares groups and fetches them, and the ME executes them (decision 0042).
void ControlNumbers::set_state_queue() {
  constexpr std::uint32_t first = 0x020;
  set_draw_state_groups(first);
  draw.clean = first + 0x8;
  set(first + 0xA, ControlFunction::draw_state_now);
  set(first + 0xB, ControlFunction::draw_state_word);
  set(first + 0xC, ControlFunction::draw_state_first);
  state_base = 0x0BC;
  set(state_base + 2, ControlFunction::state_words);
  set(read_count, ControlFunction::state_words);  // the ME's, which has no other use for the number
  set(ib_level, ControlFunction::queue_choice);
  set(0x0BF, ControlFunction::buffer_reset);
}

}  // namespace mobula::afuc
