// A program being evaluated, its values by the names of GLSL. Four lanes have the same.
#pragma once

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "compile/evaluate/evaluate.h"

namespace mobula::test {

struct Evaluation {
  const ssa::Program& program;
  ssa::Evaluator evaluator;

  explicit Evaluation(const ssa::Program& of) : program(of), evaluator(of, 4) {}

  /// Numbers one after the other into the vectors from the named one on. What the shader does not use is not there.
  void put(const std::string& name, const std::vector<double>& numbers) {
    auto place = evaluator.find(name);
    if (!place) return;
    const auto& slots = program.variables[place->variable].slots;
    std::size_t next = 0;
    for (; place->slot < slots.size() && next < numbers.size(); ++place->slot)
      for (unsigned i = 0; i < slots[place->slot].type.components && next < numbers.size(); ++i, ++next)
        for (std::uint32_t lane = 0; lane < 4; ++lane)
          evaluator.at(*place, lane)[i] = bits_as(slots[place->slot].type, numbers[next]);
  }
  /// NaN if there is nothing of that name.
  double get(const std::string& name, unsigned slot, unsigned component) {
    auto place = evaluator.find(name);
    if (!place) return std::nan("");
    place->slot += slot;
    const std::uint32_t bits = evaluator.at(*place, 0)[component];
    const bool is_real = program.variables[place->variable].slots[place->slot].type.base == ssa::Base::real;
    return is_real ? std::bit_cast<float>(bits) : static_cast<double>(static_cast<std::int32_t>(bits));
  }

 private:
  static std::uint32_t bits_as(const ssa::Type& type, double value) {
    if (type.base == ssa::Base::real) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  }
};

}  // namespace mobula::test
