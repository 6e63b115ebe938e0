#include "cli/debug/source_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "io/glsl_type.h"

namespace mobula::cli {
namespace {

using io::GlslType;

const Variable* find(const std::vector<Variable>& variables, std::string_view name) {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  return found == variables.end() ? nullptr : &*found;
}

/// Arrays and matrices are several vectors, and some types are no numbers.
bool is_vector(const GlslType& type) {
  return type.columns == 1 && type.length == 1 && type.base != GlslType::Base::sampler &&
         type.base != GlslType::Base::other;
}

std::string text_of(std::uint32_t bits, GlslType::Base base) {
  switch (base) {
    case GlslType::Base::i32:
      return std::to_string(static_cast<std::int32_t>(bits));
    case GlslType::Base::u32:
      return std::to_string(bits);
    case GlslType::Base::boolean:
    case GlslType::Base::truth:
      return bits != 0 ? "true" : "false";
    default:
      return fmt::format("{}", std::bit_cast<float>(bits));
  }
}

template <class Words>
std::string text_of(const Words& words, const GlslType& type) {
  std::string text;
  for (std::size_t i = 0; i < type.rows; ++i) text += (i == 0 ? "" : " ") + text_of(words[i], type.base);
  return text;
}

std::optional<std::string> value_of_input(const Prepared& prepared, const Variable& input, std::uint32_t thread) {
  const RunInputs& inputs = prepared.inputs;
  const auto& all = prepared.program.interface.stage == Stage::vertex ? inputs.attributes : inputs.varyings;
  const GlslType type = io::parse_glsl_type(input.type);
  const auto given = all.find(static_cast<std::uint32_t>(input.driver_location));
  if (given == all.end() || given->second.empty() || !is_vector(type)) return std::nullopt;
  const std::vector<RunVec4>& values = given->second;
  if (values.size() != 1 && thread >= values.size()) return std::nullopt;
  return text_of(values[values.size() == 1 ? 0 : thread], type);
}

std::optional<std::string> value_of_uniform(const Prepared& prepared, const Variable& uniform) {
  const GlslType type = io::parse_glsl_type(uniform.type);
  if (!is_vector(type)) return std::nullopt;
  const std::size_t unit = prepared.program.interface.layout == ValueLayout::float_vec4s ? 4 : 1;
  const std::size_t first = static_cast<std::size_t>(uniform.driver_location) * unit;
  RunWords words(type.rows);
  const auto put = [&](std::size_t at, std::uint32_t word) {
    if (at >= first && at - first < words.size()) words[at - first] = word;
  };
  if (const auto buffer = prepared.inputs.uniform_buffers.find(0); buffer != prepared.inputs.uniform_buffers.end())
    for (std::size_t i = 0; i < buffer->second.size(); ++i) put(i, buffer->second[i]);
  for (const UniformWords& part : prepared.inputs.uniforms)
    for (std::size_t i = 0; i < part.values.size(); ++i) put(part.first + i, part.values[i]);
  return text_of(words, type);
}

}  // namespace

std::optional<std::string> value_of_source_name(const Prepared& prepared, std::string_view name, std::uint32_t thread) {
  const Interface& interface = prepared.program.interface;
  if (const Variable* const input = find(interface.inputs, name)) return value_of_input(prepared, *input, thread);
  if (const Variable* const uniform = find(interface.uniforms, name)) return value_of_uniform(prepared, *uniform);
  return std::nullopt;
}

std::string hint_of_source_names(const Prepared& prepared, std::string_view name, std::uint32_t thread) {
  const Interface& interface = prepared.program.interface;
  if (find(interface.outputs, name) != nullptr) return "\"outputs\" shows what the shader puts out";
  if (find(interface.inputs, name) != nullptr || find(interface.uniforms, name) != nullptr)
    return "the inputs give it no value of a single number or vector; \"print\" shows the slots that it goes through";
  std::string names;
  for (const std::vector<Variable>* const all : {&interface.inputs, &interface.uniforms})
    for (const Variable& each : *all)
      if (value_of_source_name(prepared, each.name, thread)) names.append(names.empty() ? "" : ", ").append(each.name);
  return names.empty() ? names : "\"print\" shows slots; of the source it knows " + names;
}

}  // namespace mobula::cli
