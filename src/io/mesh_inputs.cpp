#include "io/mesh_inputs.h"

#include <algorithm>
#include <array>
#include <string>

namespace mobula::io {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

/// Parts of names that tell what an input is for, and the letter that is its whole name.
struct Clue {
  std::array<std::string_view, 3> parts;
  std::string_view letter;
};
constexpr std::array<Clue, mesh_data_count> clues{{{{"pos", "gl_vertex", "in_vert"}, "p"},
                                                   {{"nor", "nrm", "nml"}, "n"},
                                                   {{"tex", "uv", "coord"}, "t"},
                                                   {{"col", "rgb", "diffuse"}, "c"}}};

bool sounds_like(std::string_view input, MeshData data) {
  const Clue& clue = clues[static_cast<std::size_t>(data)];
  const std::string name = lower(input);
  return name == clue.letter || std::any_of(clue.parts.begin(), clue.parts.end(), [&](std::string_view part) {
           return name.find(part) != std::string::npos;
         });
}

}  // namespace

std::string input_for(MeshData data, const Interface& interface) {
  if (interface.inputs.empty()) return std::to_string(static_cast<unsigned>(data));
  for (const Variable& input : interface.inputs)
    if (input.semantic == name(data)) return input.name;
  for (const Variable& input : interface.inputs)
    if (input.semantic.empty() && sounds_like(input.name, data)) return input.name;
  return {};
}

}  // namespace mobula::io
