#include "machines/utgard_gp/compile/layout.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "compile/cannot_do.h"
#include "compile/interface_names.h"
#include "compile/passes/position.h"
#include "compile/passes/tables.h"
#include "machines/utgard_gp/compile/pack.h"
#include "machines/utgard_gp/spec/spec.h"

namespace mobula::utgard_gp_compiler {
namespace {

using compile::attribute_location, compile::point_size_location, compile::position_location, compile::varying_location;
using compile::cannot;
using ssa::BuiltIn, ssa::Storage;
using utgard_gp::fragment_varyings;

bool is_of_viewport(const ssa::Variable& variable) {
  return variable.built_in() == BuiltIn::viewport_scale || variable.built_in() == BuiltIn::viewport_offset;
}

Variable named(const compile::Group& group, std::int32_t location, std::uint32_t place) {
  return {group.name, group.type_name(), location, static_cast<std::int32_t>(place), 0, ""};
}

/// What the shader writes of an output variable.
struct Output {
  std::uint32_t variable = 0;
  compile::Group group;
  ssa::Slot slot;  ///< the first of the group

  [[nodiscard]] bool is_varying() const { return slot.built_in == BuiltIn::none; }
  [[nodiscard]] Shape shape() const { return {slot.type.components, static_cast<std::uint32_t>(group.slots)}; }
};

/// The position first.
std::vector<Output> stored_outputs(const ssa::Program& program) {
  const auto stored = ssa::stored_slots(program);
  std::vector<Output> outputs;
  for (std::uint32_t number = 0; number < stored.size(); ++number) {
    const ssa::Variable& variable = program.variables[number];
    if (variable.storage != Storage::output) continue;
    for (const compile::Group& group : compile::groups_of(variable)) {
      const auto first = stored[number].begin() + static_cast<std::ptrdiff_t>(group.first);
      const auto end = first + static_cast<std::ptrdiff_t>(group.slots);
      if (std::find(first, end, true) == end) continue;
      const Output& output = outputs.emplace_back(Output{number, group, variable.slots[group.first]});
      const BuiltIn built_in = output.slot.built_in;
      if (!output.is_varying() && built_in != BuiltIn::position && built_in != BuiltIn::point_size)
        cannot("Utgard GP has nothing that takes " + output.slot.name, variable.declared_at,
               "leave it out; the fragment shader can discard what is clipped");
    }
  }
  std::ranges::stable_partition(outputs, [](const Output& each) { return each.slot.built_in == BuiltIn::position; });
  return outputs;
}

/// Each has rows of its own as long as there are enough: its numbers lie as they are written, and linking moves it
/// without any other.
std::vector<Corner> corners_of(const std::vector<Output>& outputs, const ssa::Program& program) {
  std::vector<Shape> varyings;
  std::uint32_t rows = 0;
  for (const Output& each : outputs) {
    if (!each.is_varying()) continue;
    varyings.push_back(each.shape());
    rows += varyings.back().rows;
  }
  const auto packed = rows > fragment_varyings ? pack(varyings, fragment_varyings) : std::nullopt;
  if (rows > fragment_varyings && !packed)
    cannot("the shader has " + std::to_string(rows) + " varyings, and they do not fit into the " +
               std::to_string(fragment_varyings) +
               " of four components that Utgard GP puts out, packed as in GLSL ES 1.00, appendix A.7",
           compile::declaration_of_largest(program, {Storage::output}),
           "use fewer or smaller ones; an element of an array and a column of a matrix are one varying each");
  std::vector<Corner> corners;
  std::uint32_t next = 0;
  std::size_t varying = 0;
  const auto built_ins = static_cast<std::uint32_t>(outputs.size() - varyings.size());
  for (const Output& each : outputs) {
    if (packed && each.is_varying()) {
      corners.push_back((*packed)[varying++]);
      corners.back().row += built_ins;
    } else {
      corners.push_back({std::exchange(next, next + each.shape().rows), 0});
    }
  }
  return corners;
}

}  // namespace

float as_float(std::uint32_t bits, ssa::Base base, std::uint32_t line) {
  if (base == ssa::Base::real) return std::bit_cast<float>(bits);
  if (base == ssa::Base::boolean) return bits != 0 ? 1 : 0;
  const auto number = static_cast<std::int32_t>(bits);
  if (number > most_integer || number < -most_integer)
    cannot("the integer " + std::to_string(number) + " is beyond what is exact on Utgard GP, whose integers are floats",
           line, "use integers from -16777216 to 16777216");
  return static_cast<float>(number);
}

Layout::Layout(const ssa::Program& program, unsigned memory) : places_(program.variables.size()), memory_(memory) {
  interface_.stage = Stage::vertex;
  interface_.layout = ValueLayout::float_vec4s;
  place_inputs(program);
  place_outputs(program);
  place_uniforms(program);
}

void Layout::place_inputs(const ssa::Program& program) {
  std::uint32_t next = 0;
  for (std::uint32_t number = 0; number < places_.size(); ++number) {
    const ssa::Variable& variable = program.variables[number];
    if (variable.storage != Storage::input) continue;
    if (variable.built_in() != BuiltIn::none)
      cannot(variable.name + " is not known to Utgard GP", variable.declared_at,
             "give the vertex an attribute with its number");
    for (const compile::Group& group : compile::groups_of(variable)) {
      const std::uint32_t own = variable.slots[group.first].location;
      const auto location = attribute_location + static_cast<std::int32_t>(own == ssa::none ? next : own);
      interface_.inputs.push_back(named(group, location, next));
      for (std::size_t i = 0; i < group.slots; ++i) places_[number].push_back(next++);
    }
  }
  if (next > utgard_gp::attribute_count)
    cannot("the shader has " + std::to_string(next) + " attributes, and Utgard GP 16",
           compile::declaration_of_largest(program, {Storage::input}),
           "put several values into one vec4; a column of a matrix is one attribute");
}

void Layout::place_outputs(const ssa::Program& program) {
  const std::vector<Output> outputs = stored_outputs(program);
  const std::vector<Corner> corners = corners_of(outputs, program);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [variable, group, slot] = outputs[i];
    const auto [row, component] = corners[i];
    auto location = varying_location + static_cast<std::int32_t>(slot.location == ssa::none ? row : slot.location);
    if (slot.built_in == BuiltIn::position) {
      location = position_location;
      interface_.position = row;
    }
    if (slot.built_in == BuiltIn::point_size) {
      location = point_size_location;
      interface_.point_size = row;
    }
    interface_.outputs.push_back(named(group, location, row));
    interface_.outputs.back().component = static_cast<std::int32_t>(component);
    places_[variable].resize(program.variables[variable].slots.size());
    for (std::uint32_t j = 0; j < group.slots; ++j) places_[variable][group.first + j] = 4 * (row + j) + component;
  }
}

void Layout::place_uniforms(const ssa::Program& program) {
  for (std::uint32_t number = 0; number < places_.size(); ++number) {
    const ssa::Variable& variable = program.variables[number];
    if (variable.storage != Storage::uniform || is_of_viewport(variable)) continue;
    for (const compile::Group& group : compile::groups_of(variable)) {
      interface_.uniforms.push_back(named(group, 0, vec4s_));
      interface_.uniforms.back().initial = compile::initial_words(variable, group.first, group.slots);
      for (std::size_t i = 0; i < group.slots; ++i) places_[number].push_back(vec4s_++);
    }
  }
  place_tables(program);
  place_viewport(program);
  if (vec4s_ > memory_)
    cannot("uniforms, arrays of constants and the viewport take " + std::to_string(vec4s_) +
               " vec4s, and the machine has " + std::to_string(memory_) +
               "; uniforms are not packed as in GLSL ES 1.00, appendix A.7",
           compile::declaration_of_largest(program, {Storage::uniform}),
           "use fewer; every element of an array and every column of a matrix takes a vec4");
}

/// Local arrays that hold what they held at first are constants, and can be indexed there.
void Layout::place_tables(const ssa::Program& program) {
  const std::vector<bool> is_table = ssa::tables_of(program);
  std::vector<bool> is_loaded(places_.size());
  for (const ssa::Block& block : program.blocks)
    for (const ssa::Instruction& each : block.instructions)
      if (each.op == ssa::Op::load) is_loaded[each.variable] = true;
  for (std::uint32_t number = 0; number < places_.size(); ++number) {
    const ssa::Variable& variable = program.variables[number];
    if (!is_table[number] || !is_loaded[number]) continue;
    for (std::size_t slot = 0; slot < variable.slots.size(); ++slot) {
      const ssa::Type& type = variable.slots[slot].type;
      for (unsigned i = 0; i < type.components; ++i)
        interface_.constants.push_back(
            {4 * vec4s_ + i, std::bit_cast<std::uint32_t>(as_float(variable.initial[slot][i], type.base, 0))});
      places_[number].push_back(vec4s_++);
    }
  }
}

/// The scale, and the offset behind it.
void Layout::place_viewport(const ssa::Program& program) {
  for (std::uint32_t number = 0; number < places_.size(); ++number) {
    if (!is_of_viewport(program.variables[number])) continue;
    if (program.variables[number].built_in() == BuiltIn::viewport_scale) interface_.viewport_vec4 = vec4s_;
    places_[number].push_back(vec4s_++);
  }
}

void Layout::place_constant(std::uint32_t bits, std::uint32_t word) {
  words_.emplace(bits, word);
  interface_.constants.push_back({word, bits});
}

void Layout::place_bounds(std::uint32_t low, std::uint32_t high) {
  if (low == high || words_.contains(low) || words_.contains(high) || vec4s_ >= memory_) return;
  const std::uint32_t x = 4 * vec4s_++;
  place_constant(low, x);
  place_constant(high, x + 1);
  free_words_.insert(free_words_.begin(), {x + 3, x + 2});
}

std::uint32_t Layout::take_vec4() {
  if (vec4s_ >= memory_)
    cannot("uniforms, constants and what is kept in memory take more than the " + std::to_string(memory_) +
               " vec4s that the machine has",
           0, "use fewer uniforms or different numbers, or a smaller shader");
  return vec4s_++;
}

Operand Layout::temporary() {
  if (temporaries_ % 4 == 0) temporary_vec4_ = take_vec4();
  return {Operand::Kind::memory, false, false, static_cast<std::uint8_t>(temporaries_++ % 4), temporary_vec4_};
}

Operand Layout::constant(std::uint32_t bits) {
  if (!words_.contains(bits)) {
    if (free_words_.empty()) {
      const std::uint32_t x = 4 * take_vec4();
      free_words_ = {x + 3, x + 2, x + 1, x};
    }
    place_constant(bits, free_words_.back());
    free_words_.pop_back();
  }
  const std::uint32_t word = words_.at(bits);
  return {Operand::Kind::memory, false, false, static_cast<std::uint8_t>(word % 4), word / 4};
}

}  // namespace mobula::utgard_gp_compiler
