// Late results: instructions that count a fence counter up write their registers some time before `wdf` sees it at 0
// (reference 5.6).
//
// Where the policy says so, a register holds a pattern from the issue of such an instruction on, and what it will hold
// is kept beside it in the state, until the wait on its counter brings it over. A program that does not wait reads the
// pattern.
#pragma once

#include <cstdint>
#include <span>

#include "machines/rogue/lift/group.h"

namespace mobula::rogue::lifting {

/// What a register holds whose value is still on its way: a NaN that no computation makes.
inline constexpr std::uint32_t late_pattern = 0x7FBADBAD;

/// Words, values or counts that an instruction says with four bits: 1..16, 16 stored as 0.
inline constexpr unsigned most_words = 16;
constexpr unsigned up_to_16(std::uint32_t stored) { return stored == 0 ? most_words : stored; }

/// Registers that a group writes late; none if count is 0.
struct LateWrites {
  Register first;
  unsigned count = 0;    ///< the most there can be
  unsigned counter = 0;  ///< 0 or 1
};
LateWrites late_writes(const Group& group);

/// True if the group takes values of coefficients at the pixel's position.
bool iterates(const Group& group);
inline constexpr unsigned position_x = 97, position_y = 100;  ///< numbers of special registers

/// `values[i]` goes to the register i after `first`; masked as the rest of the pass. Registers of the task get them at
/// once.
void write_late(GroupContext& context, const LateWrites& writes, std::span<const Operand> values);
/// The same, where `where[i]` is all ones.
void write_late(GroupContext& context, const LateWrites& writes, std::span<const Operand> values,
                std::span<const Operand> where);
/// wdf.
void wait_for(GroupContext& context, unsigned counter);

}  // namespace mobula::rogue::lifting
