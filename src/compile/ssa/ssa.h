// The form that shaders are compiled from: every value is made once, by an instruction; blocks stand in an order in
// which ways that part meet again at a block below them. docs/decisions/0080 says why it is as it is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/isa/diagnostic.h"
#include "mobula/isa/program.h"

namespace mobula::ssa {

enum class Base : std::uint8_t { none, boolean, integer, real };

/// One to four numbers of 32 bits. `relaxed`: 16 bits are enough (mediump), if the machine gains by it.
struct Type {
  Base base = Base::none;
  std::uint8_t components = 1;
  bool relaxed = false;

  friend bool operator==(const Type& a, const Type& b) = default;
  [[nodiscard]] bool same_numbers(const Type& other) const {
    return base == other.base && components == other.components;
  }
};

using Value = std::uint32_t;  ///< its number in the program
inline constexpr std::uint32_t none = ~std::uint32_t{0};

enum class Op : std::uint8_t {
#define OP(name, ...) name,
#include "compile/ssa/ops.inc"
#include "compile/ssa/ops_more.inc"
#undef OP
};

enum class AtomicOp : std::uint8_t {
  add,
  min_s,
  min_u,
  max_s,
  max_u,
  and_,
  or_,
  xor_,
  exchange,
  compare_exchange,
  load,
  store
};

struct Instruction {
  Op op = Op::undefined;
  Type type;  ///< of the result; Base::none: there is none
  Value result = none;
  std::vector<Value> operands;
  std::array<std::uint32_t, 4> data{};
  std::uint32_t variable = none;
  AtomicOp atomic = AtomicOp::add;
  bool precise = false;    ///< computed as it stands: nothing contracted or reordered
  std::uint32_t line = 0;  ///< of the source; 0 = not known
};

/// How a texture is read, or which texel of a storage image it is. Numbers of operands; -1 = there is none.
struct TextureAccess {
  enum class Kind : std::uint8_t { sample, fetch, gather, size, levels, lod, texel };
  enum class Shape : std::uint8_t { d1, d2, d3, cube, rectangle, buffer };
  enum class Level : std::uint8_t { implicit, bias, given, gradients };
  Kind kind = Kind::sample;
  Shape shape = Shape::d2;
  Level level = Level::implicit;
  bool layered = false, shadow = false, multisample = false;
  std::uint8_t component = 0;              ///< that gather takes
  std::uint32_t texture = 0, sampler = 0;  ///< variables; the same where they are one
  std::uint32_t slot = 0;                  ///< of the texture
  std::int8_t index = -1, coordinate = -1, reference = -1, lod = -1, ddx = -1, ddy = -1, offset = -1, sample = -1;
};

enum class Storage : std::uint8_t {
  input,
  output,
  uniform,
  local,
  shared,
  uniform_block,
  storage_block,
  texture,
  image
};

/// Which of GLSL's built-in variables something is, or which uniform that a pass added for the driver; what the
/// shader declares itself is none of them, whatever it is called.
enum class BuiltIn : std::uint8_t {
  none,
  position,
  point_size,
  clip_distance,
  cull_distance,
  vertex_id,
  instance_id,
  frag_coord,
  point_coord,
  front_facing,
  sample_id,
  sample_position,
  sample_mask,
  frag_depth,
  helper_invocation,
  primitive_id,
  layer,
  viewport_index,
  num_work_groups,
  work_group_size,
  work_group_id,
  local_invocation_id,
  global_invocation_id,
  local_invocation_index,
  viewport_scale,
  viewport_offset,
  unknown  ///< one of SPIR-V's that GLSL for these machines has not
};

/// One vector of a variable, under the name that GLSL has for it: "lights[2].colour". A matrix has one a column:
/// "m[1]". A texture in a structure is a variable of its own; its slot here has no components.
struct Slot {
  std::string name;
  Type type;
  bool is_signed = false;
  std::uint32_t location = none;
  BuiltIn built_in = BuiltIn::none;
  bool flat = false, noperspective = false, invariant = false;
  std::string format;  ///< of a colour whose pixels hold less than its numbers: "rgba8_unorm"
};

/// Of a block: a vector at its place. The name of an array whose length is not given ends in "[0]"; stride tells where
/// the next ones are.
struct Member {
  std::string name;
  Type type;
  bool is_signed = false;
  std::uint32_t offset = 0, stride = 0;
  std::uint32_t step = 4;  ///< bytes from one of its numbers to the next: more where the rows of a matrix lie together

  /// In bytes from the start of its first number to the end of its last.
  [[nodiscard]] std::uint32_t extent() const { return step * (type.components - 1U) + 4; }
};

struct Variable {
  std::string name;
  Storage storage = Storage::local;
  std::vector<Slot> slots;
  std::vector<Member> members;
  std::vector<std::array<std::uint32_t, 4>> initial;  ///< by slot; empty = nothing is written at first
  std::uint32_t binding = none, set = 0;
  std::string format;     ///< of a storage image, as run inputs spell it: "rgba8_unorm"
  bool is_table = false;  ///< a uniform that comes with the program: `initial`
  Location declared_at;   ///< in the source; no line where that is not known

  /// Of a variable that is one built-in; of a block of them each slot has its own.
  [[nodiscard]] BuiltIn built_in() const { return slots.empty() ? BuiltIn::none : slots.front().built_in; }
};

/// How a block ends.
struct End {
  enum class Kind : std::uint8_t { jump, branch, leave, discard, unreachable };
  Kind kind = Kind::leave;
  Value condition = none;
  std::array<std::uint32_t, 2> targets{none, none};  ///< if true, if not; a jump has the first
};

struct Block {
  std::vector<std::uint32_t> predecessors;
  std::vector<Instruction> instructions;  ///< phis first
  End end;
  std::uint32_t line = 0;
  /// Where the ways that part here meet again, and, of the head of a loop, where its next turn begins.
  std::uint32_t merge = none, next_turn = none;
};

struct Program {
  Stage stage = Stage::unknown;
  std::array<std::uint32_t, 3> local_size{1, 1, 1};
  std::vector<Variable> variables;
  std::vector<TextureAccess> accesses;
  std::vector<Block> blocks;  ///< the first is where it begins
  std::vector<Type> values;   ///< types, by number
};

std::string_view name(Op op);
/// As in ops.inc; empty for those that are not there.
std::string_view signature(Op op);
std::string_view name(Storage storage);
/// As GLSL has it: "gl_Position". Empty for none and unknown.
std::string_view name(BuiltIn built_in);
std::string_view name(AtomicOp op);
/// "f32x4", "i32", "bool2"; "~" behind it where 16 bits are enough.
std::string name(const Type& type);

/// Of each variable, which of its slots something is stored to. An index that is not known means all of them.
std::vector<std::vector<bool>> stored_slots(const Program& program);

/// Whether the operation may not go even if nobody uses its result.
bool has_effect(Op op);
/// Whether it has a row of Program::accesses.
bool has_access(Op op);
/// Whether the result depends on the operands alone. (A constant has none, and is none of these.)
bool only_computes(Op op);
/// Whether its integers, operands or result, are without a sign.
bool is_unsigned(Op op);
/// Whether its two operands may change places.
bool is_commutative(Op op);

}  // namespace mobula::ssa
