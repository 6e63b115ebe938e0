#include "machines/afuc/devices_numbers.h"

#include <optional>
#include <string>

#include "machines/afuc/names.h"

namespace mobula::afuc {
namespace {

/// Registers without a name in the tables.
struct Unnamed {
  std::uint32_t peek, peek_value, look_ahead, status, error, ib_level, draw_states, wait_for_idle, forward;
};
constexpr std::array<Unnamed, map_count> unnamed_rows{{
    {0x035, 7, no_register, 0x00C, 0x007, 0x031, no_register, 0x2C, no_register},  // CP_WAIT_FOR_IDLE of a530 writes it
    {0x055, 7, 0x057, 0x023, 0x064, 0x054, 0x040, 0x1C, no_register},              // decision 0015; 4.4
    {no_register, 0, 0x057, 0x00F, 0x064, 0x054, 0x040, no_register, no_register},
    {no_register, 0, 0x07D, 0x03C, 0x062, 0x03D, 0x050, no_register, no_register},
    {no_register, 0, 0x07D, 0x03C, 0x062, 0x03D, 0x050, no_register, 0x191},
}};

struct Starter {
  std::string_view name, base, control;
};
constexpr Starter starters[] = {{"BV", "BV_INSTR_BASE", "BV_CNTL"},
                                {"LPAC", "LPAC_INSTR_BASE", "LPAC_CNTL"},
                                {"DDE_BR", "DDE_BR_INSTR_BASE", "DDE_BR_CNTL"},
                                {"DDE_BV", "DDE_BV_INSTR_BASE", "DDE_BV_CNTL"}};

}  // namespace

const ControlNumbers& ControlNumbers::of(Map map) {
  static const std::array<ControlNumbers, map_count> all{ControlNumbers(Map::a5xx), ControlNumbers(Map::a6xx),
                                                         ControlNumbers(Map::a7xx), ControlNumbers(Map::a750),
                                                         ControlNumbers(Map::a8xx)};
  return all[static_cast<std::size_t>(map)];
}

ControlNumbers::ControlNumbers(Map map) {
  const auto number = [&](std::string_view name) { return find_control_register(map, name).value_or(no_register); };
  const Unnamed& unnamed = unnamed_rows[static_cast<std::size_t>(map)];
  peek = unnamed.peek;
  peek_value = unnamed.peek_value;
  look_ahead = unnamed.look_ahead;
  set(look_ahead, ControlFunction::look_ahead);
  ib_level = unnamed.ib_level;
  ib = {number("IB1_BASE"), number("IB2_BASE"), number("IB3_BASE")};
  for (const std::uint32_t base : ib)
    for (std::uint32_t i = 0; base != no_register && i < 3; ++i) set(base + i, ControlFunction::buffer);
  sds_level = ib[2] == no_register ? 3 : 4;
  write_address = number("REG_WRITE_ADDR");
  read_count = number("REG_READ_DWORDS");
  memory_address = number("MEM_READ_ADDR");
  table_address = number("PACKET_TABLE_WRITE_ADDR");
  test_result = number("REG_READ_TEST_RESULT");
  load_store_high = number(map == Map::a5xx ? "STORE_HI" : "LOAD_STORE_HI");
  const std::string_view cache = map >= Map::a7xx ? "CACHE_CLEAN_PEND" : "CACHE_FLUSH_PEND";
  pending_increment = {number("WFI_PEND_INCR"), number("QUERY_PEND_INCR"), number(std::string(cache) + "_INCR")};
  pending = {number("WFI_PEND_CTR"), number("QUERY_PEND_CTR"), number(std::string(cache) + "_CTR")};
  for (const std::uint32_t each : pending_increment) set(each, ControlFunction::pending_increment);

  set(number("REG_WRITE"), ControlFunction::register_write);
  set(number("REG_READ_ADDR"), ControlFunction::register_read);
  set(number("MEM_READ_DWORDS"), ControlFunction::memory_read);
  if (const std::uint32_t privileged = number("MEM_READ_ADDR_HI_PRIVILEGED"); privileged != no_register) {
    set(privileged, ControlFunction::memory_high);
    set(memory_address + 1, ControlFunction::memory_high);
  }
  set(number("PACKET_TABLE_WRITE"), ControlFunction::table_write);
  set(unnamed.status, ControlFunction::stream_status);
  set(unnamed.error, ControlFunction::error);
  set(unnamed.forward, ControlFunction::forward);
  set(number("COPROCESSOR_LOCK"), ControlFunction::lock);
  if (unnamed.draw_states != no_register) set_draw_states(unnamed.draw_states);

  timer = number("PREEMPTION_TIMER");
  timer_control = number("PREEMPTION_TIMER_CNTL");
  set(timer, ControlFunction::preemption_timer);
  set(timer_control, ControlFunction::timer_control);
  set(number("PREEMPT_TRIGGER"), ControlFunction::preempt_trigger);
  set(number("CONTEXT_SWITCH_CNTL"), ControlFunction::context_switch);
  set(number("PERFCNTR_CNTL"), ControlFunction::performance);

  for (const Starter& each : starters) {
    const std::uint32_t control = number(each.control), base = number(each.base);
    if (control == no_register || base == no_register) continue;
    set(control, ControlFunction::start_core);
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
}

void ControlNumbers::set_draw_states(std::uint32_t first) {
  draw = {.select = first + 0x1,
          .sds_base = first + 0x2,
          .base = first + 0x5,
          .header = first + 0x7,
          .active = first + 0x9,
          .set = first + 0xA,
          .mode = first + 0xB};
  for (std::uint32_t i = 0; i < 3; ++i) set(draw.sds_base + i, ControlFunction::draw_state_selected);
  for (std::uint32_t i = 0; i < 2; ++i) set(draw.base + i, ControlFunction::draw_state_selected);
  set(draw.header, ControlFunction::draw_state_selected);
  set(draw.set, ControlFunction::draw_state_header);
  set(first + 0x10, ControlFunction::draw_state_push);
  set(first + 0x11, ControlFunction::draw_state_status);
  set(first + 0x12, ControlFunction::draw_state_ready);
  set(first + 0x13, ControlFunction::draw_state_start);
}

}  // namespace mobula::afuc
