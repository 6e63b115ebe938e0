// How varyings share rows of four components where one each would be too many: GLSL ES 1.00, appendix A.7.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mobula::utgard_gp_compiler {

/// What a varying takes: an array and a matrix a row for each vector.
struct Shape {
  std::uint32_t components = 0, rows = 0;
};

/// Where it begins.
struct Corner {
  std::uint32_t row = 0, component = 0;
};

/// Where each of them is in so many rows; nothing if they do not fit. A mat2 counts as vec2[2], and not as whole rows.
std::optional<std::vector<Corner>> pack(std::span<const Shape> shapes, std::uint32_t rows);

}  // namespace mobula::utgard_gp_compiler
