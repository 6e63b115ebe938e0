// What holds of every module that the front end takes: the form is valid, stays so in every pass, and computes the
// same.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <string_view>

#include "compile/evaluate/evaluate.h"
#include "compile/front/shader.h"
#include "compile/passes/control_flow.h"
#include "compile/passes/if_convert.h"
#include "compile/passes/optimize.h"
#include "compile/passes/promote.h"
#include "compile/passes/simplify.h"
#include "compile/passes/unroll.h"
#include "compile/ssa/from_spirv.h"
#include "compile/ssa/print.h"
#include "compile/ssa/validate.h"

namespace mobula::fuzz {

/// Whether a run does not depend on which threads are where at a time.
inline bool runs_alone(const ssa::Program& program) {
  return std::ranges::all_of(program.blocks, [](const ssa::Block& block) {
    return std::ranges::none_of(block.instructions, [](const ssa::Instruction& each) {
      return each.op == ssa::Op::ddx || each.op == ssa::Op::ddy || each.op == ssa::Op::write ||
             each.op == ssa::Op::atomic || each.op == ssa::Op::barrier;
    });
  });
}

/// Numbers for everything that a program reads.
inline void feed(const ssa::Program& program, ssa::Evaluator& evaluator) {
  std::uint32_t state = 1;
  const auto next = [&] { return (state = state * 1664525 + 1013904223) >> 16; };
  for (std::uint32_t i = 0; i < program.variables.size(); ++i) {
    const ssa::Variable& variable = program.variables[i];
    for (std::uint32_t slot = 0; slot < variable.slots.size(); ++slot) {
      if (variable.storage != ssa::Storage::input && variable.storage != ssa::Storage::uniform) continue;
      for (std::uint32_t lane = 0; lane < 4; ++lane)
        for (unsigned k = 0; k < variable.slots[slot].type.components; ++k) {
          const auto number = static_cast<float>(static_cast<int>(next() % 64) - 16) / 4;
          const ssa::Base base = variable.slots[slot].type.base;
          evaluator.at({i, slot}, lane)[k] = base == ssa::Base::real      ? std::bit_cast<std::uint32_t>(number)
                                             : base == ssa::Base::integer ? next() % 9
                                                                          : next() % 2;
        }
    }
    evaluator.block(i).assign(variable.members.empty() ? 0 : 256, 7);
  }
  evaluator.set_textures([](const ssa::TextureCall& call, ssa::Bits& out) {
    for (unsigned i = 0; i < 4; ++i) out[i] = call.coordinate[i] ^ call.slot;
    return std::string();
  });
}

/// Both end the same way, with the same outputs, bit by bit.
inline void expect_same(const ssa::Program& program, const ssa::Program& other) {
  constexpr std::uint64_t most_blocks = 2000;
  ssa::Evaluator first(program, 4), second(other, 4);
  feed(program, first);
  feed(other, second);
  if (!first.run(most_blocks).empty()) return;
  if (!second.run(2 * most_blocks).empty()) std::abort();
  for (std::uint32_t lane = 0; lane < 4; ++lane) {
    if (first.discarded(lane) != second.discarded(lane)) std::abort();
    for (std::uint32_t i = 0; i < program.variables.size() && !first.discarded(lane); ++i)
      for (std::uint32_t slot = 0; slot < program.variables[i].slots.size(); ++slot)
        if (program.variables[i].storage == ssa::Storage::output &&
            first.at({i, slot}, lane) != second.at({i, slot}, lane))
          std::abort();
  }
}

inline void expect_valid(const ssa::Program& program) {
  if (!ssa::faults(program).empty() || ssa::print(program).empty()) std::abort();
}

inline void check_passes(const ssa::Program& program) {
  for (const unsigned level : {1U, 2U}) {
    ssa::Program result = program;
    ssa::optimize(result, {.level = level, .chosen_elements = 8, .multiplies_and_adds = true});
    expect_valid(result);
  }
  // Those that change no number.
  ssa::Program result = program;
  for (unsigned round = 0; round < 4; ++round) {
    ssa::simplify(result);
    ssa::straighten(result);
    ssa::unroll(result, 256);
    expect_valid(result);
    ssa::choose_elements(result, 8);
    ssa::promote(result);
    expect_valid(result);
    ssa::convert_branches(result, 20);
    expect_valid(result);
  }
  if (program.values.size() < 4096 && runs_alone(program)) expect_same(program, result);
}

/// The stage that a text of GLSL is most likely of.
inline Stage likely_stage(std::string_view text) {
  const auto says = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return says("local_size") ? Stage::compute : says("gl_Position") ? Stage::vertex : Stage::fragment;
}

/// Of whatever stage is in it.
inline void check_module(const Result<compile::Spirv>& module) {
  if (!module) {
    if (!has_errors(module.error())) std::abort();
    return;
  }
  const auto optimised = compile::optimise(*module, "input");
  if (!optimised) return;
  const auto program = ssa::from_spirv(*optimised, Stage::unknown, "input");
  if (program) return check_passes(*program);
  const bool is_fault =
      std::ranges::any_of(program.error(), [](const Diagnostic& each) { return each.code == "CO021"; });
  if (is_fault || !has_errors(program.error())) std::abort();
}

}  // namespace mobula::fuzz
