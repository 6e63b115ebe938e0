#include "compile/ssa/ssa.h"

namespace mobula::ssa {
namespace {

struct OpRow {
  std::string_view name, signature;
};
constexpr OpRow op_rows[] = {
#define OP(name, signature, meaning) {#name, signature},
#include "compile/ssa/ops.inc"
#undef OP
#define OP(name, meaning) {#name, ""},
#include "compile/ssa/ops_more.inc"
#undef OP
};
static_assert(op_rows[static_cast<std::size_t>(Op::constant)].name == "constant");

}  // namespace

std::string_view name(Op op) { return op_rows[static_cast<std::size_t>(op)].name; }
std::string_view signature(Op op) { return op_rows[static_cast<std::size_t>(op)].signature; }

std::string_view name(Storage storage) {
  constexpr std::array<std::string_view, 9> names{"input",    "output", "uniform", "local", "shared",
                                                  "uniforms", "buffer", "texture", "image"};
  return names[static_cast<std::size_t>(storage)];
}

std::string_view name(BuiltIn built_in) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(BuiltIn::unknown) + 1> names{
      "",
      "gl_Position",
      "gl_PointSize",
      "gl_ClipDistance",
      "gl_CullDistance",
      "gl_VertexID",
      "gl_InstanceID",
      "gl_FragCoord",
      "gl_PointCoord",
      "gl_FrontFacing",
      "gl_SampleID",
      "gl_SamplePosition",
      "gl_SampleMask",
      "gl_FragDepth",
      "gl_HelperInvocation",
      "gl_PrimitiveID",
      "gl_Layer",
      "gl_ViewportIndex",
      "gl_NumWorkGroups",
      "gl_WorkGroupSize",
      "gl_WorkGroupID",
      "gl_LocalInvocationID",
      "gl_GlobalInvocationID",
      "gl_LocalInvocationIndex",
      "(viewport scale)",
      "(viewport offset)",
      ""};
  return names[static_cast<std::size_t>(built_in)];
}

std::string_view name(AtomicOp op) {
  constexpr std::array<std::string_view, 12> names{
      "add", "min_s", "min_u", "max_s", "max_u", "and", "or", "xor", "exchange", "compare_exchange", "load", "store"};
  return names[static_cast<std::size_t>(op)];
}

std::string name(const Type& type) {
  constexpr std::array<std::string_view, 4> bases{"none", "bool", "i32", "f32"};
  std::string text(bases[static_cast<std::size_t>(type.base)]);
  if (type.components > 1) {
    if (type.base != Base::boolean) text += 'x';
    text += std::to_string(type.components);
  }
  if (type.relaxed) text += '~';
  return text;
}

std::vector<std::vector<bool>> stored_slots(const Program& program) {
  std::vector<std::vector<bool>> stored;
  for (const Variable& variable : program.variables) stored.emplace_back(variable.slots.size());
  for (const Block& block : program.blocks)
    for (const Instruction& each : block.instructions) {
      if (each.op != Op::store && each.op != Op::atomic) continue;
      auto& slots = stored[each.variable];
      const bool indexed = each.op == Op::atomic || each.operands.size() > 1;
      if (indexed)
        slots.assign(slots.size(), true);
      else
        slots[each.data[0]] = true;
    }
  return stored;
}

bool has_effect(Op op) {
  switch (op) {
    case Op::store:
    case Op::write:
    case Op::atomic:
    case Op::image_store:
    case Op::image_atomic:
    case Op::barrier:
      return true;
    case Op::constant:
    case Op::undefined:
    case Op::phi:
    case Op::compose:
    case Op::swizzle:
    case Op::extract:
    case Op::insert:
    case Op::load:
    case Op::read:
    case Op::length:
    case Op::texture:
    case Op::image_load:
#define OP(name, ...) case Op::name:
#include "compile/ssa/ops.inc"
#undef OP
      return false;
  }
  return true;
}

bool has_access(Op op) {
  return op == Op::texture || op == Op::image_load || op == Op::image_store || op == Op::image_atomic;
}

bool only_computes(Op op) {
  const bool of_quad = op == Op::ddx || op == Op::ddy;
  return (!signature(op).empty() && !of_quad) || op == Op::compose || op == Op::swizzle || op == Op::extract ||
         op == Op::insert;
}

bool is_unsigned(Op op) {
  switch (op) {
    case Op::imulhi_u:
    case Op::idiv_u:
    case Op::irem_u:
    case Op::imin_u:
    case Op::imax_u:
    case Op::ishr_u:
    case Op::ibits_u:
    case Op::ihighest_u:
    case Op::f_to_u:
    case Op::u_to_f:
    case Op::ilt_u:
    case Op::ile_u:
      return true;
    default:
      return false;
  }
}

bool is_commutative(Op op) {
  switch (op) {
    case Op::fadd:
    case Op::fmul:
    case Op::feq:
    case Op::fne:
    case Op::iadd:
    case Op::imul:
    case Op::iand:
    case Op::ior:
    case Op::ixor:
    case Op::ieq:
    case Op::ine:
    case Op::band:
    case Op::bor:
    case Op::bxor:
      return true;
    default:
      return false;
  }
}

}  // namespace mobula::ssa
