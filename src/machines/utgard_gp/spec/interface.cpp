#include "machines/utgard_gp/spec/interface.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace mobula::utgard_gp {
namespace {

const Variable* find_uniform(const Interface& interface, std::string_view name) {
  const auto found = std::find_if(interface.uniforms.begin(), interface.uniforms.end(), [&](const Variable& uniform) {
    return uniform.name == name && uniform.driver_location >= 0;
  });
  return found == interface.uniforms.end() ? nullptr : &*found;
}

/// Smallest and largest size, a factor, and a number that nothing needs: those of Mesa, whose programs have them among
/// their constants (5.2).
void add_point_size_limits(Interface& interface) {
  constexpr std::array limits{1.0F, 100.0F, 1.0F, 0.0F};
  const Variable* parameters = find_uniform(interface, "gl_mali_PointSizeParameters");
  if (parameters == nullptr) return;
  const auto first = static_cast<std::uint32_t>(4 * parameters->driver_location + parameters->component);
  const bool known = std::any_of(interface.constants.begin(), interface.constants.end(),
                                 [&](const UniformConstant& constant) { return constant.word == first; });
  for (std::uint32_t i = 0; i < limits.size() && !known; ++i)
    interface.constants.push_back({first + i, std::bit_cast<std::uint32_t>(limits[i])});
}

}  // namespace

void complete(Interface& interface) {
  interface.stage = Stage::vertex;
  interface.layout = ValueLayout::float_vec4s;
  const Variable* viewport = find_uniform(interface, "gl_mali_ViewportTransform");
  if (viewport != nullptr && !interface.viewport_vec4)
    interface.viewport_vec4 = static_cast<std::uint32_t>(viewport->driver_location);
  add_point_size_limits(interface);
}

}  // namespace mobula::utgard_gp
