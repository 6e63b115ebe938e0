// What a program computes, free of when and where: the values of each trace, what leaves it, and through which exits.
//
// A trace is a run of basic blocks that can only be entered at its start: each further block follows its predecessor's
// untaken branch and has no other predecessor. Traces are found by executing the words symbolically; moves vanish,
// function sequences become one value, equal values become one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machines/utgard_gp/schedule/symbols.h"
#include "mobula/isa/result.h"

namespace mobula::utgard_gp {

/// Words, segments and traces are counted in 16 bits; longer programs are refused before.
template <class Range>
std::uint16_t size_of(const Range& range) {
  return static_cast<std::uint16_t>(range.size());
}

/// Of what a trace is entered with: what matters.
struct Live {
  std::uint64_t registers = 0;
  std::uint8_t addresses = 0;  ///< A1..A3: bits 1 to 3
  std::uint8_t memory = 0;     ///< temporaries, by component
  friend bool operator==(const Live&, const Live&) = default;
};

struct Trace {
  std::vector<Segment> segments;
  std::optional<std::uint16_t> next;  ///< trace that follows the last word; none = the program ends
  Live live_in;
  Contents entry;  ///< at its entry: registers are themselves, or what they are known to hold

  [[nodiscard]] std::uint16_t first() const { return segments.front().first; }
  [[nodiscard]] std::uint16_t words() const {
    return static_cast<std::uint16_t>(segments.back().first + segments.back().count - segments.front().first);
  }
};

/// A way out of a trace: after this segment, to this trace (none = the program's end).
struct Exit {
  std::uint16_t segment = 0;
  std::optional<std::uint16_t> target;
  bool taken = false;  ///< by the segment's branch
};
std::vector<Exit> exits(const Trace& trace);

struct Flow {
  std::vector<Trace> traces;  ///< in program order
};

/// True if a program stores temporaries or uses address registers. Its traces must be basic blocks, so that every store
/// of a temporary happens.
bool uses_addresses(std::span<const Word128> words);

/// Finds what the program computes. `past_branches` = a trace continues after an untaken branch; not for programs that
/// use addresses. Fails (GP3xx) on what cannot be expressed: unknown opcodes and selectors, results that are not there,
/// registers and addresses read before their store arrives, memory read in a trace before a store of the one before it
/// arrives, values forwarded into the start of a trace, A0 used where it may not have been set. An A0 that is set in
/// one trace and used in another passes as a register that the words leave alone.
Result<Flow> find_flow(std::span<const Word128> words, Values& values, bool past_branches);

/// Holds another program to a flow: the same traces that leave the same values in varyings, in the registers, address
/// registers and temporaries that matter, and for the branches to decide on. Fails (GP302) on the first difference.
Result<void> compare_flow(const Flow& flow, std::span<const Word128> words, Values& values, bool past_branches);

}  // namespace mobula::utgard_gp
