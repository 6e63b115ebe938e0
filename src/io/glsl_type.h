// GLSL type names as they are in side files: "vec4", "mat3x2[2]", "vec3[2][4]", "sampler2D".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/export.h"
#include "mobula/isa/program.h"

namespace mobula::io {

struct GlslType {
  enum class Base : std::uint8_t {
    f32,
    i32,
    u32,
    boolean,
    real,     ///< a number where all are given as floats, and true as 1.0; see ValueLayout
    integer,  ///< there, an int or uint
    truth,    ///< there, a bool: 1.0 or 0.0
    sampler,
    other,
  };
  Base base = Base::f32;
  std::uint32_t rows = 1, columns = 1;
  std::optional<std::uint32_t> length = 1;  ///< elements of the array, of all its dimensions; nullopt: open, "float[]"

  /// 32-bit words of a tightly packed value; nullopt for open arrays and types that are not understood.
  [[nodiscard]] std::optional<std::uint64_t> words() const;
};

/// What is not understood (structures) is Base::other.
MOBULA_INTERNAL GlslType parse_glsl_type(std::string_view text);

}  // namespace mobula::io
