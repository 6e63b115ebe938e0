#include "io/given_by_gl.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>

#include "io/values.h"

namespace mobula::io {
namespace {

constexpr std::uint32_t middle_of_pixel = std::bit_cast<std::uint32_t>(0.5f),
                        farthest = std::bit_cast<std::uint32_t>(1.0f);

struct GivenUniform {
  std::string_view name;
  std::uint32_t value;
};
constexpr std::array<GivenUniform, 4> default_uniforms{{{"gl_NumSamples", 1},
                                                        {"gl_DepthRange.near", 0},
                                                        {"gl_DepthRange.far", farthest},
                                                        {"gl_DepthRange.diff", farthest}}};

struct GivenInput {
  std::string_view name;
  RunVec4 value;
};
constexpr std::array<GivenInput, 3> sample_inputs{{{"gl_SampleID", {0, 0, 0, 0}},
                                                   {"gl_SamplePosition", {middle_of_pixel, middle_of_pixel, 0, 0}},
                                                   {"gl_SampleMask[0]", {1, 0, 0, 0}}}};

/// Words as the program takes them.
RunWords initial_words(const Interface& interface, const Variable& uniform) {
  const auto known = std::ranges::find(default_uniforms, uniform.name, &GivenUniform::name);
  if (known != default_uniforms.end()) return {known->value};
  RunWords words = uniform.initial;
  const GlslType::Base base = parse_glsl_type(uniform.type).base;
  const bool are_signed = base == GlslType::Base::i32;
  if (base_of(interface, base) != base && (are_signed || base == GlslType::Base::u32))
    for (std::uint32_t& word : words)
      word = std::bit_cast<std::uint32_t>(are_signed ? static_cast<float>(static_cast<std::int32_t>(word))
                                                     : static_cast<float>(word));
  return words;
}

/// Of these words, which the inputs give.
std::vector<bool> given_of(const RunInputs& inputs, const UniformWords& words) {
  std::vector<bool> given(words.values.size());
  const auto give = [&](std::size_t first, std::size_t count) {
    const std::size_t begin = std::max<std::size_t>(first, words.first),
                      end = std::min(first + count, words.first + words.values.size());
    for (std::size_t word = begin; word < end; ++word) given[word - words.first] = true;
  };
  for (const UniformWords& each : inputs.uniforms) give(each.first, each.values.size());
  if (const auto whole = inputs.uniform_buffers.find(0); whole != inputs.uniform_buffers.end())
    give(0, whole->second.size());
  return given;
}

}  // namespace

void give_uniforms_of_gl(RunInputs& inputs, const Interface& interface) {
  if (!inputs.uniform_registers.empty()) return;
  for (const Variable& each : interface.uniforms) {
    RunWords initial = initial_words(interface, each);
    if (each.driver_location < 0 || initial.empty()) continue;
    for (const UniformWords& words : placed(interface, each, std::move(initial))) {
      const std::vector<bool> given = given_of(inputs, words);
      for (std::uint32_t i = 0; i < given.size(); ++i)
        if (!given[i]) inputs.uniforms.push_back({words.first + i, {words.values[i]}});
    }
  }
}

void give_sample(RunInputs& inputs, const Interface& interface) {
  for (const Variable& each : interface.inputs) {
    const auto known = std::ranges::find(sample_inputs, each.name, &GivenInput::name);
    if (known == sample_inputs.end() || each.driver_location < 0) continue;
    const auto number = static_cast<std::uint32_t>(each.driver_location);
    if (!inputs.corners.contains(number)) inputs.varyings.try_emplace(number, std::vector{known->value});
  }
}

}  // namespace mobula::io
