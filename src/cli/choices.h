// Values of options that take one of a few: what commands check them against, and what completions offer.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace mobula::cli {

inline constexpr std::array<std::string_view, 3> colour_names{"auto", "always", "never"};
inline constexpr std::array<std::string_view, 6> container_names{"raw", "hex", "mbs", "fw", "elf", "text"};
inline constexpr std::array<std::string_view, 6> stage_names{"vertex", "fragment", "compute", "vert", "frag", "comp"};
inline constexpr std::array<std::string_view, 4> engine_names{"native", "vector", "reference", "interpreter"};
inline constexpr std::array<std::string_view, 5> emit_names{"bin", "asm", "ir", "ssa", "spirv"};
inline constexpr std::array<std::string_view, 2> path_names{"shortest", "longest"};
inline constexpr std::array<std::string_view, 2> predictor_names{"perfect", "backward"};
inline constexpr std::array<std::string_view, 3> report_format_names{"text", "shader-db", "offline-compiler"};

/// Position of the value among `names`; a Stop for misuse that lists them if it is none. `what` it is: "path".
std::size_t chosen_among(std::span<const std::string_view> names, std::string_view what, const std::string& value);

}  // namespace mobula::cli
