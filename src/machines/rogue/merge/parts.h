// What two main groups do, split up: values instead of feedthroughs. main.cpp reads groups into it,
// main_build.cpp makes one group of it.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "machines/rogue/spec/codec.h"

namespace mobula::rogue::merging {

/// Codes of feedthroughs as IS3, IS4 and IS5 have them.
enum Feed : std::uint8_t { ft0, ft1, ft2, fte };

/// What a feedthrough can carry.
struct Value {
  enum class Kind : std::uint8_t { nothing, early, pack, high, reg };
  Kind kind = Kind::nothing;
  std::size_t op = 0;  ///< early and high: position in Parts::early
  Register reg;        ///< reg
  friend bool operator==(const Value&, const Value&) = default;
};

/// An instruction of phase 0 or 1 that is not a copy, with the registers of its first to third source.
struct EarlyOp {
  Item item;
  std::array<Register, 3> sources{};
  unsigned used = 0;  ///< sources, a bit each
  bool in_p0 = true;
};

/// A register that is written, and what with.
struct Output {
  Register reg;
  Value value;
  bool of_first = false;
};

/// What both groups do, with values instead of feedthroughs.
struct Parts {
  std::vector<EarlyOp> early;
  Item pack, test, move, backend;
  Value pack_source, pack_external;                ///< IS3 and FTE
  std::array<Value, 2> tested, moved;              ///< IS1 and IS2; sources of a move that chooses
  std::array<Value, 2> unmoved;                    ///< what W0 and W1 are where it does not
  bool moves_w1 = false;                           ///< W1 is written by a move that chooses
  std::optional<Register> special_w0, special_w1;  ///< registers of ports that no selector alone drives
  bool w0_taken = false, w1_taken = false;         ///< by such results, kept in a register or not
  std::optional<Value> sent;                       ///< value the backend takes from a port
  std::optional<Register> is0_source;              ///< FTE's register as an operand of a 64-bit operation
  std::array<Register, slot_count> backend_slots{};
  unsigned backend_used = 0;
  std::vector<Output> outputs;
};

/// The shortest group that does all of it; nothing if there is none.
std::optional<Group> build_main(const Parts& parts);

}  // namespace mobula::rogue::merging
