// What comes out of a program, by the names of GLSL, as its definition says and as the machine does it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compile/verify/inputs.h"
#include "compile/verify/reach.h"
#include "mobula/isa/ir.h"

namespace mobula::compile {

/// A number that comes out.
struct OutNumber {
  static constexpr std::uint32_t of_all = ~std::uint32_t{0};

  std::string name;        ///< "colour.x", "gl_Position.w", "r[3]"
  std::uint32_t lane = 0;  ///< whose it is; `of_all`: in memory that all share
  ssa::Type type;
  bool is_signed = false;
  std::uint32_t bits = 0;
  bool is_there = true;
  double step = 0;  ///< from one to the next, of what is kept in fixed point
  ssa::BuiltIn built_in = ssa::BuiltIn::none;

  /// As a person and arithmetic take it.
  [[nodiscard]] double value() const;
};

/// All of one execution, in an order that only the form decides.
struct Outcome {
  std::string problem;  ///< why it came to no end; of a machine's, what the first lane that faulted did
  std::string advice;   ///< of an evaluation's problem
  std::vector<bool> discarded;
  std::vector<bool> astray;   ///< of an evaluation: lanes that went beyond the end of something
  std::vector<bool> faulted;  ///< of a machine's run
  std::vector<OutNumber> numbers;
  std::string left;                                  ///< of an evaluation: what lanes first went beyond the end of
  std::map<std::uint32_t, std::uint64_t> too_small;  ///< the same: blocks by variable, with the size that would do
  std::uint64_t steps = 0;                           ///< the same: blocks that all groups went through, one by one
  std::uint64_t work = 0;                            ///< the same: instructions, each once for every lane
};

/// What a uniform or storage block holds.
std::vector<OutNumber> numbers_of_block(const ssa::Variable& block, std::span<const std::uint8_t> bytes);

/// One way of computing it; see OneWay. The position of a vertex is as the machine stores it, for most in pixels: x/w
/// * scale + offset, and 1/w.
Outcome evaluate(const Binding& binding, const GivenInputs& given, std::uint64_t seed, bool follows,
                 Reach* reach = nullptr);

/// `lifted` of `program`. The numbers are those of evaluate(), one by one; what the machine does not store is not
/// there.
Outcome execute(const Binding& binding, const GivenInputs& given, const Program& program, const ir::Program& lifted,
                const Outcome& wanted);

}  // namespace mobula::compile
