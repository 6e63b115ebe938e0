#include "machines/utgard_gp/compile/back_end.h"

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "compile/cannot_do.h"
#include "compile/passes/lower.h"
#include "compile/passes/optimize.h"
#include "compile/passes/position.h"
#include "machines/utgard_gp/compile/allocate.h"
#include "machines/utgard_gp/compile/emit.h"
#include "machines/utgard_gp/compile/outputs.h"
#include "machines/utgard_gp/compile/select.h"
#include "machines/utgard_gp/compile/spill.h"
#include "machines/utgard_gp/spec/spec.h"

namespace mobula::utgard_gp_compiler {
namespace {

/// What 1/w is kept to where w is near 0, as drivers have it.
constexpr float farthest = 1e10F;

/// What is made of other functions. Everything else is select()'s, which has a way to do it or says that there is none.
ssa::Native native() {
  using ssa::Op;
  ssa::Native native{};
  for (std::uint8_t op = 0; op < static_cast<std::uint8_t>(Op::constant); ++op) native.set(static_cast<Op>(op));
  for (const Op op : {Op::fround, Op::fmod, Op::frem, Op::fexp, Op::flog, Op::fpow, Op::ftan, Op::fasin, Op::facos,
                      Op::fatan, Op::fatan2, Op::fsinh, Op::fcosh, Op::ftanh, Op::fasinh, Op::facosh, Op::fatanh})
    native.set(op, false);
  native.has_bits = false;
  return native;
}

/// The machine has no local memory that an index would find its way in, and branches cost it more than sums.
ssa::Effort effort() { return {.level = 2, .branch_operations = 24, .chosen_elements = most_chosen}; }

/// min(max(x, low), high) of two numbers becomes a clamp where those are side by side.
void place_bounds(const Code& code, Layout& layout) {
  const auto number_of = [](const Operation& each) -> const Operand* {
    for (const Operand& operand : each.operands)
      if (operand.kind == Operand::Kind::constant && !operand.negative) return &operand;
    return nullptr;
  };
  std::vector<const Operand*> raised_to(code.values);  // by value
  for (const Block& block : code.blocks)
    for (const Operation& each : block.operations)
      if (each.does == Do::max && each.result != no_value) raised_to[each.result] = number_of(each);
  for (const Block& block : code.blocks)
    for (const Operation& each : block.operations)
      if (const Operand* const high = each.does == Do::min ? number_of(each) : nullptr)
        each_operand(each, [&](const Operand& operand) {
          if (operand.is_value() && !operand.negative && raised_to[operand.number] != nullptr)
            layout.place_bounds(raised_to[operand.number]->number, high->number);
        });
}

/// Numbers that come with the program, where they are.
void place_constants(Code& code, Layout& layout) {
  const auto place = [&](Operand& operand) {
    if (operand.kind != Operand::Kind::constant) return;
    const bool negative = operand.negative;
    operand = layout.constant(operand.number);
    operand.negative = negative;
  };
  for (Block& block : code.blocks) {
    for (Operation& each : block.operations) each_operand(each, place);
    for (Phi& phi : block.phis)
      for (Operand& operand : phi.operands) place(operand);
    place(block.condition);
  }
}

/// What registers do not suffice for goes to memory.
Allocation allocate_with_memory(Code& code, Layout& layout) {
  for (;;) {
    if (auto made = allocate(code)) return std::move(*made);
    if (!spill(code, layout))
      compile::cannot("the shader needs more than " + std::to_string(register_places) +
                          " numbers at a time that come from several ways through it, and Utgard GP has " +
                          std::to_string(utgard_gp::register_count) + " registers of four",
                      0, "make it smaller, or split it into several");
  }
}

bool jumps(const Code& code) { return code.blocks.size() > 1; }

}  // namespace

Result<Program> compile(const ssa::Program& form, const std::string& variant) {
  const utgard_gp::Product& product = utgard_gp::find_product(variant);
  try {
    if (form.stage != Stage::vertex)
      compile::cannot("Utgard GP computes vertices and nothing else", 0,
                      "compile a vertex shader, or choose another machine");
    ssa::Program lowered = form;
    store_outputs_at_the_end(lowered);
    ssa::place_positions(lowered, {.bound = farthest, .scales_first = true});
    ssa::optimize(lowered, effort());
    ssa::lower(lowered, native());
    ssa::optimize(lowered, effort());
    Layout layout(lowered, product.memory);
    Code code = select(lowered, layout);
    split_edges(code);
    drop_unused(code);
    choose_units(code);
    place_bounds(code, layout);
    place_constants(code, layout);
    const Operand one = jumps(code) ? layout.constant(std::bit_cast<std::uint32_t>(1.0F)) : Operand{};
    Program program;
    program.machine = "utgard-gp";
    program.variant = std::string(product.name);
    emit(code, allocate_with_memory(code, layout), one, program);
    program.interface = layout.interface();
    return program;
  } catch (compile::CannotDo& refused) {
    return fail(std::move(refused.why));
  }
}

}  // namespace mobula::utgard_gp_compiler

namespace mobula::utgard_gp {

const compile::BackEnd& back_end() {
  static constexpr compile::BackEnd row{.compile = utgard_gp_compiler::compile,
                                        .limits = {.varyings = fragment_varyings, .vertex_textures = 0}};
  return row;
}

}  // namespace mobula::utgard_gp
