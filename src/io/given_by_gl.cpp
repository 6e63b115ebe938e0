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

}  // namespace

void give_uniforms_of_gl(RunInputs& inputs, const Interface& interface) {
  if (inputs.uniform_buffers.contains(0) || !inputs.uniform_registers.empty()) return;
  const auto is_given = [&inputs](std::uint32_t word) {
    return std::ranges::any_of(inputs.uniforms, [word](const UniformWords& each) {
      return each.first <= word && word - each.first < each.values.size();
    });
  };
  for (const Variable& each : interface.uniforms) {
    const auto known = std::ranges::find(default_uniforms, each.name, &GivenUniform::name);
    if (known == default_uniforms.end() || each.driver_location < 0) continue;
    for (UniformWords& words : placed(interface, each, {known->value}))
      if (!is_given(words.first)) inputs.uniforms.push_back(std::move(words));
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
