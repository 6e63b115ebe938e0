// The small language of `mobula schedule --expr`: what a vertex computes, as expressions over attributes and uniforms.
// Grammar and meaning: docs/utgard-gp-scheduling.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "machines/utgard_gp/schedule/graph.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/result.h"

namespace mobula::utgard_gp {

using ScalarId = std::uint32_t;

/// One number of one vertex as the text computes it; vectors and matrices are split, functions the machine does
/// not have are spelled out.
struct Scalar {
  Make make = Make::uniform;  ///< never `reg`; the operand of a `load` is the address that is added
  bool is_number = false;     ///< `bits` instead of something made
  std::uint8_t component = 0;
  std::uint16_t index = 0;  ///< attribute, or vec4 of uniform memory
  std::uint32_t bits = 0;   ///< of the number, f32
  std::array<ScalarId, 3> operands{};
};
constexpr unsigned operand_count(Make make) {
  switch (kind_of(make)) {
    case MakeKind::leaf:
      return make == Make::load ? 1 : 0;
    case MakeKind::state:  // not in expressions
      return 0;
    case MakeKind::product:
      return make == Make::negation ? 1 : 2;
    case MakeKind::adder:
      return operation_of(make).operands;
    case MakeKind::select:
      return 3;
    case MakeKind::function:
      return 1;
  }
  return 0;
}

struct Expressions {
  struct Store {
    std::uint8_t varying = 0, component = 0;
    ScalarId value = 0;
  };
  std::vector<Scalar> scalars;  ///< operands before what is made of them
  std::vector<Store> stores;    ///< each component once
  Interface interface;          ///< names of attributes, uniforms and varyings, and their places
  std::uint32_t uniform_vec4s = 0;
};

/// All errors of the text are reported: GP150 unexpected text, GP151 unknown or repeated name, GP152 shapes that do not
/// fit, GP153 a value that is not there, GP154 a limit of the machine or of this language is passed.
Result<Expressions> parse_expressions(const SourceText& source);

/// What the text computes for one vertex: the bits of every store, in their order. `inputs(make, index, component)` are
/// the bits of attributes and of uniform memory, beyond which there are zeros.
template <class Inputs>
std::vector<std::uint32_t> evaluate(const Expressions& expressions, const Inputs& inputs);

/// One operation on the bits of f32 numbers; for makes that are not leaves.
std::uint32_t evaluate(Make make, std::uint32_t a, std::uint32_t b, std::uint32_t c);
/// The vec4 of uniform memory that a load at `base` reads if an address register has been set to these bits.
std::int64_t loaded_vec4(std::uint32_t base, std::uint32_t address);

/// The same as values and as a program of one trace. Numbers go to uniform memory after the declared uniforms: they
/// are added to the interface. Rewritings keep every bit: numbers are folded, x * 1 and x + -0.0 are x, x * -1 is -x.
/// Fails (GP154) if uniform memory is full.
Result<Flow> lower(Expressions& expressions, Values& values);

template <class Inputs>
std::vector<std::uint32_t> evaluate(const Expressions& expressions, const Inputs& inputs) {
  std::vector<std::uint32_t> bits;
  for (const Scalar& scalar : expressions.scalars) {
    if (scalar.is_number) {
      bits.push_back(scalar.bits);
    } else if (scalar.make == Make::load) {
      const std::int64_t vec4 = loaded_vec4(scalar.index, bits[scalar.operands[0]]);
      const bool inside = vec4 >= 0 && vec4 < std::int64_t{memory_vec4s};
      bits.push_back(inside ? inputs(Make::uniform, static_cast<unsigned>(vec4), scalar.component) : 0);
    } else if (is_leaf(scalar.make)) {
      bits.push_back(inputs(scalar.make, scalar.index, scalar.component));
    } else {
      bits.push_back(
          evaluate(scalar.make, bits[scalar.operands[0]], bits[scalar.operands[1]], bits[scalar.operands[2]]));
    }
  }
  std::vector<std::uint32_t> stored;
  for (const Expressions::Store& store : expressions.stores) stored.push_back(bits[store.value]);
  return stored;
}

}  // namespace mobula::utgard_gp
