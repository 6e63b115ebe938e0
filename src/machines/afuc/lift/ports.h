// What the lifted microcode reaches outside its registers: numbers of the devices behind Service::device_read and
// device_write (Call::index), and what their calls carry. Data are i32 words; section numbers are those of the afuc
// reference.
#pragma once

#include <cstdint>

namespace mobula::afuc {

enum class Port : std::uint32_t {
  data,         ///< read: next word of the stream, and how many words left the packet (0 when peeking); flags:
                ///< peek_flag. write: to the register addressed last (3.2, 4.2)
  memdata,      ///< read: next word of the memory queue (1.3)
  regdata,      ///< read: next word of the queue of GPU registers read
  addr,         ///< write: address of the GPU or pipe register for `data` (4.2)
  usraddr,      ///< the same, checked against CP_PROTECT
  extra_moves,  ///< write: the moves of (xmovN); address: how many; flags: ExtraMoves; data: the source if no queue
                ///< (3.4)
  control,      ///< read, write: control register at `address` (4.3)
  control_sds,  ///< write: a further word of (sdsN)cwrite; flags: which, from 1 (3.5)
  sqe,          ///< read, write: SQE register at `address`
  memory,       ///< read, write: memory at the low 32 bits `address`; flags: MemoryAccess (3.6)
  stack,        ///< write: pushes a word index. read: pops one, as byte address of its block (3.8)
  header,       ///< read: lets the thread continue when a packet header can be read (3.10)
  dispatch,     ///< read: payload words of the header just read, and byte address of its handler's block
  secure,       ///< read: 1 if the secure world did what `address` ($02) asks for (3.9)
  interrupted,  ///< read: byte addresses of the block that an interrupt stopped, and of the one after it (3.8)
};

inline constexpr std::uint32_t peek_flag = 1;

/// Call::flags of Port::extra_moves.
struct ExtraMoves {
  std::uint8_t source = 0;       ///< 0x1D..0x1F: the queue the words come from; otherwise `data` again and again
  std::uint8_t destination = 0;  ///< of the instruction
  [[nodiscard]] constexpr std::uint32_t flags() const { return source | std::uint32_t{destination} << 8; }
  static constexpr ExtraMoves of(std::uint32_t flags) {
    return {static_cast<std::uint8_t>(flags), static_cast<std::uint8_t>(flags >> 8)};
  }
};

/// Call::flags of Port::memory.
struct MemoryAccess {
  std::uint8_t size = 0;  ///< bits 13:12 of the word: 0 a dword; 1 a byte, 2 half a word (inferred)
  bool window = false;    ///< bit 15: an access of another kind (unknown)
  [[nodiscard]] constexpr std::uint32_t flags() const { return size | (window ? 4u : 0u); }
  static constexpr MemoryAccess of(std::uint32_t flags) {
    return {static_cast<std::uint8_t>(flags & 3), (flags & 4) != 0};
  }
};

// ------------------------------------------------------------------------------------------------ blocks

// A word is one or more blocks: by itself, and, after an instruction with a delay slot, once more as that slot, from
// where execution continues at the transfer's target. A word with (rep) has a block in front of its own that executes
// nothing and asks whether $rem is 0.

/// How a word is reached.
enum class Role : std::uint8_t { plain = 0, slot = 1 };

/// Byte address of the block at which execution of a word starts.
constexpr std::uint64_t block_address(std::uint64_t word, Role role) {
  return 4 * word + static_cast<std::uint64_t>(role);
}
/// Byte address of the block of one iteration of a word with (rep).
constexpr std::uint64_t iteration_address(std::uint64_t word, Role role) { return block_address(word, role) + 2; }
constexpr std::uint64_t word_of_block(std::uint64_t address) { return address / 4; }

}  // namespace mobula::afuc
