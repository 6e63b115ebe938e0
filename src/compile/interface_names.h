// What variables of the form are called in the interface of machine code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "compile/ssa/ssa.h"

namespace mobula::compile {

/// Locations of side files: of vertex programs position, point size and the first varying; of the others the first
/// attribute, colour, and the depth.
inline constexpr std::int32_t position_location = 0, point_size_location = 12, varying_location = 32,
                              attribute_location = 15, colour_location = 4, depth_location = 0;

/// GLSL's name of the type of a vector.
std::string vector_name(const ssa::Type& type, bool is_signed);

/// Slots that the interface has as one variable: `name` of `slots` vectors.
struct Group {
  std::string name, type;
  std::size_t first = 0;
  std::string lengths;  ///< of an array or a matrix, as they stand behind its type: "[2][4]"
  std::size_t slots = 1;

  /// "vec4", "vec3[4]", of arrays of arrays and of matrices "vec3[2][4]".
  [[nodiscard]] std::string type_name() const;
};

/// Arrays and matrices become one variable again, as long as their vectors lie in a row.
std::vector<Group> groups_of(const ssa::Variable& variable);

/// The words that a uniform has where nothing gives it, of the vectors of these slots; empty: 0, as GLSL has it.
std::vector<std::uint32_t> initial_words(const ssa::Variable& uniform, std::size_t first, std::size_t slots);

/// "the array points", for messages.
std::string name_of_array(const ssa::Variable& variable);

/// What a block consists of.
std::vector<BlockMember> members_of(const ssa::Variable& block);

/// Where the largest variable of these kinds is declared: what to make smaller where all of them are too much.
Location declaration_of_largest(const ssa::Program& program, std::initializer_list<ssa::Storage> kinds);

/// Refuses two outputs in one location: desktop GLSL has components of it, and two colours for blending.
[[noreturn]] void refuse_shared_location(std::uint32_t location, const ssa::Variable& output);

/// Refuses what no GLSL ES of these machines has and what would otherwise pass for a varying of the shader's own: clip
/// distances, layers, numbers of primitives.
void refuse_beyond_es(const ssa::Variable& variable, const ssa::Slot& slot);

}  // namespace mobula::compile
