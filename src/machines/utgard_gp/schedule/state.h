// What has been filled of a trace, from its last word upward, and what that asks of the words above.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "machines/utgard_gp/schedule/plan.h"

namespace mobula::utgard_gp {

/// A value that words below read from a result.
struct Demand {
  enum Bits : std::uint8_t {
    near = 1,    ///< by the word just below
    near_b = 2,  ///< there by an operand that cannot take the complex unit's result
    far = 4,     ///< two words below: it must be made in this word
    now = 8,     ///< in this word
    now_b = 16,
  };
  NodeId node = no_node;
  std::uint8_t bits = 0;
};

/// A value that words below read from a register or temporary, and that must still be stored there.
struct Home {
  NodeId node = no_node;
  std::uint16_t flat = 0;        ///< scalar place
  std::uint16_t store_from = 0;  ///< lowest word, counted from the end of the trace, that may store it
};

struct Ports {
  std::int16_t load = port_free, port0 = port_free, port1 = port_free;
};

/// What an address register must hold for words below, and has not been set to yet.
struct Held {
  NodeId node = no_node;
  std::uint16_t set_from = 0;  ///< lowest word, counted from the end of the trace, that may set it
  bool leaves = false;         ///< for a later trace, too
};
using HeldAddresses = std::array<Held, address_registers>;

/// What a store of a temporary waits for.
struct StoreWait {
  std::uint16_t loads = 0;       ///< that must be below it and may still come
  std::uint16_t store_from = 0;  ///< lowest word, counted from the end of the trace, that may store it
};

/// Parts of function sequences that must be in a word yet to be filled.
struct Reserved {
  NodeId combine = no_node, table = no_node, pre = no_node;
};

/// Operations left, for bounds: how many of a kind finish their work in the n-th word of the trace at the earliest.
struct Remaining {
  enum Kind : std::uint8_t {
    add,
    mul = adder_makes.size(),
    square,
    wide,
    pass,
    table,
    kinds
  };                                     ///< adders by Make, from add
  std::vector<std::uint16_t> by_height;  ///< kinds for height 0, then for height 1 ...
  std::uint16_t outputs = 0;
};

using Places = std::bitset<flat_places>;

/// A trace of which words 0 .. words - 1, counted from the end, are filled.
struct FillState {
  std::uint16_t words = 0;
  std::int16_t segment = 0;  ///< the one being filled
  std::vector<Demand> demands;
  std::vector<Home> homes;
  std::vector<NodeId> ready;            ///< operations all of whose readers are placed
  std::vector<std::uint16_t> users;     ///< readers not yet placed, by node
  std::vector<bool> stored;             ///< by output
  std::vector<std::uint16_t> barriers;  ///< stores left below the branch that ends a segment
  std::vector<std::uint16_t> branches;  ///< words of the branches placed, by segment
  Places free, freed;                   ///< free for homes; freed in the last word
  std::uint64_t blocked = 0;            ///< registers of which the value at entry can no longer be loaded
  std::array<Ports, 2> recent;          ///< of the last word and the one before it
  std::array<Reserved, 3> reserved;     ///< in the next word, the one above it ...
  HeldAddresses held;
  std::vector<NodeId> open_loads;  ///< loads that words still to be filled may repeat
  std::vector<StoreWait> waits;    ///< by output; empty if the trace stores no temporaries of the program
  Remaining remaining;
  std::uint64_t hash = 0;  ///< of what is placed

  [[nodiscard]] bool done() const;
};

/// Nothing is filled.
FillState first_state(const Task& task);
/// Vec4s of uniforms that words still to be filled must load, at least.
unsigned loads_needed(const Task& task, const FillState& state);
/// Words that are needed at least to finish the trace.
unsigned words_needed(const Task& task, const FillState& state);
/// Memory loads worth trying in the next word; see load_at().
std::vector<std::int16_t> useful_loads(const Task& task, const FillState& state);

/// Adds (or with -1 takes away) what a node's operation does.
void count_work(const Node& node, Remaining& remaining, int sign);
/// Mixes what is placed into FillState::hash.
constexpr std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}
/// The results of these leave mul0 two words after complex1; no other word can read or store them.
inline bool makes_combine(const Node& node) { return is_function(node.make) && !sequence_of(node.make).ends_in_pass; }

}  // namespace mobula::utgard_gp
