// Instructions to words: which unit does what, in which word.
#pragma once

#include "machines/midgard/compile/dependencies.h"
#include "machines/midgard/compile/liveness.h"

namespace mobula::midgard_compiler {

/// What one unit of a word does: an instruction of the block, or only its guard.
struct UnitWork {
  std::uint32_t instruction = ~std::uint32_t{0};
  bool is_guard = false;

  [[nodiscard]] bool is_free() const { return instruction == ~std::uint32_t{0}; }
};

struct Word {
  enum class Kind : std::uint8_t { alu, load_store, texture };
  Kind kind = Kind::alu;
  std::array<UnitWork, midgard::unit_count> units;
  UnitWork branch;                   ///< or a writeout
  std::array<UnitWork, 2> accesses;  ///< of load/store words; the texture operation is the first
  std::array<std::uint32_t, 4> constants{};
  std::uint8_t constant_count = 0;
};

/// Where a value is: a register, and of each component which of the register's.
struct Place {
  std::int16_t reg = -1;
  std::array<std::uint8_t, 4> component{0, 1, 2, 3};
  bool half = false;  ///< components are 16 bits: the first four are the lower half of the register
};

struct Schedule {
  std::vector<std::vector<Word>> blocks;
  std::vector<Place> places;  ///< by value; those of memory and texture words are known now, the others later
};

/// What stays in the order of the source.
enum class Order : std::uint8_t {
  free,    ///< nothing
  of_few,  ///< what reads registers of memory and texture words, so that these few are enough where they are in the
           ///< source
  of_all,
};

/// What comes first where there is a choice.
struct Preference {
  bool short_words = true;  ///< the longest chain of operations is kept going; otherwise what stands last in the source
  /// From so many components alive on, those of 16 bits half, what needs the fewest more.
  unsigned components = ~0U;
  /// Then words are not filled with what needs more, and what needs more only until the next few are placed comes
  /// first.
  bool sparing = false;
  Order order = Order::free;
};

/// What stays the same whatever is preferred.
struct Analysis {
  Liveness liveness;
  std::vector<Dependencies> dependencies;  ///< block by block
  std::vector<std::uint8_t> made;          ///< by value: its components that are made, as a mask
};
Analysis analyse(const Code& code);

/// None if values for memory and texture words do not fit their registers.
std::optional<Schedule> schedule(const Code& code, const Analysis& analysis, const Preference& preference,
                                 bool registers_alias);

/// The 16 bits that stand for a constant as second source of an operation; none if they cannot. `op` becomes the row
/// that takes them so: moves and selects exist for integers and for floats.
std::optional<std::uint16_t> inline_constant(const AluOp*& op, const Source& source, std::uint8_t lanes);

/// Gives constants that one word has no room for a value of their own.
void fit_constants(Code& code);

/// Gives what is written out to register 0 in the word that writes. `careful`: results of textures do not wait for that
/// word where textures leave them.
void prepare_writeouts(Code& code, bool careful);

}  // namespace mobula::midgard_compiler
