#include "machines/afuc/devices/devices.h"

#include <cstring>

#include "machines/afuc/spec/codec.h"

namespace mobula::afuc {

Devices::Devices(Board& board, CoreKind kind, std::uint8_t index)
    : board_(board), kind_(kind), index_(index), numbers_(ControlNumbers::of(board.map)) {}

std::uint32_t Devices::preempt_entry() const { return board_.map == Map::a5xx ? 0 : sqe_[sqe_preempt_instr]; }

std::uint32_t Devices::call_depth() const { return has_sqe_stack() ? sqe_[sqe_sp] : stack_pointer_; }

// ------------------------------------------------------------------------------------------------ ports

Fault Devices::device_read(const Thread&, const ir::Call& call, std::uint32_t address, std::span<std::uint8_t> out) {
  std::array<std::uint32_t, 2> words{};
  switch (static_cast<Port>(call.index)) {
    case Port::data:
      if (Fault fault = read_data((call.flags & peek_flag) != 0, words[0], words[1])) return fault;
      break;
    case Port::memdata:
      if (Fault fault = read_memory_queue(words[0])) return fault;
      break;
    case Port::regdata:
      if (Fault fault = read_register_queue(words[0])) return fault;
      break;
    case Port::control:
      if (Fault fault = read_control_port(address, words[0])) return fault;
      break;
    case Port::sqe:
      words[0] = sqe_[address % sqe_.size()];
      break;
    case Port::memory:
      if (Fault fault = access_memory(false, address, MemoryAccess::of(call.flags), words[0])) return fault;
      break;
    case Port::stack: {
      const bool visible = has_sqe_stack();
      std::uint32_t& top = visible ? sqe_[sqe_sp] : stack_pointer_;
      if (top == 0) return {"ret finds the stack empty"};
      --top;
      if (profile_) profile_->leave();
      words[0] = static_cast<std::uint32_t>(
          block_address(visible ? sqe_[sqe_stack0 + top % stack_depth] : stack_[top % stack_depth], Role::plain));
      break;
    }
    case Port::header:
      if (!granted_) return {.reason = {}, .waits = true};
      granted_ = false;
      wants_header_ = true;
      in_packet_ = false;
      break;
    case Port::dispatch:
      wants_header_ = false;
      if (Fault fault = dispatch(words[0], words[1])) return fault;
      break;
    case Port::secure:
      words[0] = board_.options.secure ? 1 : 0;
      break;
    case Port::interrupted: {
      const std::uint32_t pc = sqe_[sqe_iret_pc], next = sqe_[sqe_iret_npc];
      in_interrupt_ = false;
      words[0] = static_cast<std::uint32_t>(block_address(pc, next == pc + 1 ? Role::plain : Role::slot));
      words[1] = static_cast<std::uint32_t>(block_address(next, Role::plain));
      break;
    }
    case Port::addr:
    case Port::usraddr:
    case Port::extra_moves:
    case Port::control_sds:
      return {"this port is not read"};
  }
  std::memcpy(out.data(), words.data(), word_bytes);
  if (out.size() > word_bytes) std::memcpy(out.data() + word_bytes, &words[1], word_bytes);
  return {};
}

Fault Devices::device_write(const Thread&, const ir::Call& call, std::uint32_t address,
                            std::span<const std::uint8_t> data) {
  std::uint32_t value = 0;
  std::memcpy(&value, data.data(), word_bytes);
  switch (static_cast<Port>(call.index)) {
    case Port::data:
      return write_data(value);
    case Port::addr:
      return write_address(value, false);
    case Port::usraddr:
      return write_address(value, true);
    case Port::extra_moves:
      return extra_moves(address, ExtraMoves::of(call.flags), value);
    case Port::control:
      return write_control(address, value);
    case Port::control_sds:
      set_draw_state_base(address % control_registers, call.flags, value);
      return {};
    case Port::sqe:
      sqe_[address % sqe_.size()] = value;
      return {};
    case Port::memory:
      return access_memory(true, address, MemoryAccess::of(call.flags), value);
    case Port::stack: {
      const bool visible = has_sqe_stack();
      std::uint32_t& top = visible ? sqe_[sqe_sp] : stack_pointer_;
      if (top >= stack_depth) return {"call finds the stack full: it has 8 entries"};
      (visible ? sqe_[sqe_stack0 + top] : stack_[top]) = value;
      ++top;
      if (profile_ && value >= 2 && value - 2 < words_.size())
        profile_->enter(field_of(words_[value - 2], field::target));
      return {};
    }
    case Port::memdata:
    case Port::regdata:
    case Port::header:
    case Port::dispatch:
    case Port::secure:
    case Port::interrupted:
      break;
  }
  return {"this port is not written"};
}

}  // namespace mobula::afuc
