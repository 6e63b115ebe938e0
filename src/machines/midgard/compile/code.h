// Midgard code on its way to words: operations of the machine on values of up to four components, which have no
// registers yet. Not single assignment: what meets at a block is written on each way to it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/format.h"
#include "machines/midgard/spec/spec.h"

namespace mobula::midgard_compiler {

using midgard::AluOp;
using midgard::BranchMeaning;
using midgard::LsOp;

using Value = std::uint32_t;  ///< its number in the code
inline constexpr Value no_value = ~Value{0};

/// Which registers a value may be in.
enum class Home : std::uint8_t {
  work,
  load_store,   ///< what load/store words read: r26, r27
  texture_in,   ///< what texture words read: r28, r29, or as load_store where registers alias
  texture_out,  ///< what texture words write: r28, r29, or r0, r1
};

/// Where in a register a value may be.
enum class Placement : std::uint8_t {
  anywhere,  ///< its components in any order
  even,      ///< in order, from an even component on: an address
  first,     ///< in order, from the first component on
};

struct ValueInfo {
  std::uint8_t components = 1;
  Home home = Home::work;
  Placement placement = Placement::anywhere;
  std::int8_t fixed = -1;  ///< the only register that it can be in; its placement is `first` then
  bool spilled = false;    ///< kept in memory but for the moment: not to be chosen again
  bool half = false;       ///< floats of 16 bits where it is in a work register
};

/// An operand. Components and bits go by the component of the result that they are for; operations that combine
/// components and everything but arithmetic count them from 0.
struct Source {
  enum class Kind : std::uint8_t { none, value, constant, machine };
  Kind kind = Kind::none;
  std::uint32_t number = 0;  ///< of the value, or of the machine's register
  std::array<std::uint8_t, 4> component{};
  std::array<std::uint32_t, 4> bits{};  ///< of a constant
  bool absolute = false, negative = false;

  [[nodiscard]] bool is_value() const { return kind == Kind::value; }
};

/// What makes the condition of a select or of a branch, in register 31 of the same word.
struct Guard {
  const AluOp* op = nullptr;  ///< none: there is no condition
  std::array<Source, 2> sources;
  bool by_component = false;  ///< of a select: each component has its own
  bool inverted = false;      ///< of a branch: it is taken if the condition does not hold
};

struct Instruction {
  enum class Kind : std::uint8_t { alu, load_store, texture, branch, writeout };
  Kind kind = Kind::alu;
  Value result = no_value;
  std::uint8_t mask = 0;                         ///< components of the result that are written
  std::array<std::uint8_t, 4> from{0, 1, 2, 3};  ///< of a load or texture: which of its components each is
  std::array<Source, 4> sources;
  Guard guard;
  std::uint32_t line = 0;

  // alu
  const AluOp* op = nullptr;
  std::uint8_t outmod = 0;
  bool high_half = false, is_signed = false;  ///< of a product of 64 bits
  bool relaxed = false;                       ///< also of a load or texture: 16 bits are enough for its floats

  // load_store: sources are the data of a store or the operand of an atomic, the argument, the index
  const LsOp* memory = nullptr;
  std::uint64_t fields = 0;  ///< all fields of the 60 bits but operation, registers, mask and swizzle
  bool is_store = false;     ///< or has another effect on memory
  bool argument_is_pair = false, whole_argument = false;
  bool orders = false;      ///< of memory that threads write: stays where it is among others
  std::uint32_t slot = 0;   ///< of a thread's own memory: among those of the same; 0: any other memory
  std::uint8_t stored = 0;  ///< mask of a store

  // texture: sources are the coordinates, the level of detail, the offset, the number of texture and sampler
  Word128 texture;
  bool is_barrier = false;
  bool samples = false;  ///< with a sampler

  // branch
  BranchMeaning branch = BranchMeaning::cond;
  std::uint32_t target = 0;  ///< block

  // writeout: sources are the colour, the depth
  std::uint32_t render_target = 0;

  [[nodiscard]] bool has_guard() const { return guard.op != nullptr; }
  [[nodiscard]] bool has_effect() const {
    return kind == Kind::branch || kind == Kind::writeout || is_store || is_barrier;
  }
  /// Whether it combines components of its sources, or counts them from 0 for another reason.
  [[nodiscard]] bool combines() const { return kind != Kind::alu || op->is_horizontal(); }
};

struct Block {
  std::vector<Instruction> code;
  std::vector<std::uint32_t> successors;
  std::uint32_t depth = 0;  ///< loops around it
};

struct Code {
  std::vector<ValueInfo> values;
  std::vector<Block> blocks;

  Value add(ValueInfo info) {
    values.push_back(info);
    return static_cast<Value>(values.size() - 1);
  }
};

/// A value as an operand.
Source of(Value value, std::array<std::uint8_t, 4> component = {0, 1, 2, 3});
/// The same, from one of its components on.
Source from_component(Value value, unsigned component = 0);

/// The binary16 number of the same value; none if there is none that is normal or 0.
std::optional<std::uint16_t> as_half(std::uint32_t bits);
/// The nearest number of 16 bits, as one of 32; none where it is not normal or 0.
std::optional<std::uint32_t> rounded_to_half(std::uint32_t bits);
/// Whether 16 bits hold these lanes of a constant as they are.
bool are_halves(const Source& constant, std::uint8_t lanes);

/// The row that does with numbers what this one does with bits; null if there is none.
const AluOp* real_twin(const AluOp* op);

/// An instruction that copies bits.
Instruction copy_of(const Source& from, Value result, std::uint8_t mask, std::uint32_t line);

/// A row of the table of operations, at compile time.
consteval const AluOp* alu_row(std::string_view name) {
  for (const AluOp& row : midgard::alu_ops)
    if (row.name == name) return &row;
  throw "no such operation";
}
consteval const LsOp* memory_row(std::string_view name) {
  for (const LsOp& row : midgard::ls_ops)
    if (row.name == name) return &row;
  throw "no such operation";
}

/// Components of a value that are read in these lanes.
inline std::uint8_t components_read(const Code& code, const Source& source, std::uint8_t lanes) {
  std::uint8_t read = 0;
  for (unsigned lane = 0; lane < 4; ++lane)
    if ((lanes >> lane & 1U) != 0) read |= static_cast<std::uint8_t>(1U << source.component[lane]);
  return read & static_cast<std::uint8_t>((1U << code.values[source.number].components) - 1);
}
/// Lanes of one of its sources that an instruction reads.
std::uint8_t lanes_read(const Instruction& instruction, unsigned source);
/// Lanes that its guard reads.
std::uint8_t guard_lanes(const Instruction& instruction);

/// Calls `use(source, lanes, is_guard)` for everything that is read.
template <class Any, class Use>
void each_source(Any& instruction, Use use) {
  for (unsigned i = 0; i < instruction.sources.size(); ++i)
    if (instruction.sources[i].kind != Source::Kind::none)
      use(instruction.sources[i], lanes_read(instruction, i), false);
  if (instruction.has_guard())
    for (auto& source : instruction.guard.sources)
      if (source.kind != Source::Kind::none) use(source, guard_lanes(instruction), true);
}

}  // namespace mobula::midgard_compiler
