#include "machines/rogue/compile/back_end.h"

#include <utility>

#include "compile/cannot_do.h"
#include "compile/passes/lower.h"
#include "compile/passes/optimize.h"
#include "compile/passes/outputs.h"
#include "compile/passes/tables.h"
#include "machines/rogue/compile/emit.h"
#include "machines/rogue/compile/saturate.h"
#include "machines/rogue/compile/select.h"
#include "machines/rogue/compile/spill.h"
#include "machines/rogue/compile/tidy.h"
#include "machines/rogue/spec/spec.h"

namespace mobula::rogue_compiler {
namespace {

// Of the 2,048 shared registers.
constexpr std::uint32_t most_table_words = 1024;
// Arrays of so many elements are chosen from rather than kept in registers that are indexed.
constexpr unsigned chosen_elements = 4;

/// What select() has a way to do.
ssa::Native native() {
  using ssa::Op;
  return {Op::fneg,
          Op::fabs,
          Op::ffloor,
          Op::fadd,
          Op::fsub,
          Op::fmul,
          Op::ffma,
          Op::frcp,
          Op::fmin,
          Op::fmax,
          Op::frsqrt,
          Op::fexp2,
          Op::flog2,
          Op::fsin,
          Op::fcos,
          Op::ineg,
          Op::iabs,
          Op::iadd,
          Op::isub,
          Op::imul,
          Op::imulhi_s,
          Op::imulhi_u,
          Op::imin_s,
          Op::imin_u,
          Op::imax_s,
          Op::imax_u,
          Op::iand,
          Op::ior,
          Op::ixor,
          Op::inot,
          Op::ishl,
          Op::ishr_s,
          Op::ishr_u,
          Op::icount,
          Op::ireverse,
          Op::f_to_s,
          Op::f_to_u,
          Op::s_to_f,
          Op::u_to_f,
          Op::f_bits,
          Op::f_half,
          Op::f_of_bits,
          Op::feq,
          Op::fne,
          Op::flt,
          Op::fle,
          Op::ieq,
          Op::ine,
          Op::ilt_s,
          Op::ilt_u,
          Op::ile_s,
          Op::ile_u,
          Op::band,
          Op::bor,
          Op::bxor,
          Op::bnot,
          Op::select,
          Op::ddx,
          Op::unpack_half_low,
          Op::unpack_half_high,
          Op::ddy,
          Op::ihighest_u};
}

}  // namespace

Result<Program> compile(const ssa::Program& form, const std::string& variant) {
  try {
    ssa::Program lowered = form;
    ssa::gather_outputs(lowered);
    ssa::tables_to_uniforms(lowered, most_table_words);
    const ssa::Effort effort{.level = 1, .chosen_elements = chosen_elements, .multiplies_and_adds = true};
    ssa::optimize(lowered, effort);
    ssa::lower(lowered, native());
    ssa::optimize(lowered, effort);
    ssa::store_initial(lowered, ssa::Storage::local);
    Layout layout = lay_out(lowered);
    Code code = select(lowered, layout, find_flow(lowered));
    saturate(code);
    tidy(code);
    const std::vector<std::uint32_t> registers = allocate_with_memory(code, layout);
    if (registers.empty() && !code.first_of_row.empty())
      mobula::compile::cannot(
          "the shader needs more than " +
              std::to_string(rogue::temporary_count + rogue::vertex_input_count - layout.first_free_input) +
              " registers at a time",
          0, "make it smaller, or split it into several");
    Program program;
    program.machine = "rogue";
    program.variant = variant;
    program.interface = std::move(layout.interface);
    if (auto done = emit(code, registers, program); !done) return fail(std::move(done).error());
    return program;
  } catch (mobula::compile::CannotDo& refused) {
    return fail(std::move(refused.why));
  }
}

}  // namespace mobula::rogue_compiler

namespace mobula::rogue {

const compile::BackEnd& back_end() {
  static constexpr compile::BackEnd row{
      .compile = rogue_compiler::compile, .places_positions = false, .compares_texels = false, .packs_colours = true};
  return row;
}

}  // namespace mobula::rogue
