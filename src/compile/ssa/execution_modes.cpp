#include "compile/ssa/execution_modes.h"

#include "compile/front/limits.h"

namespace mobula::ssa {
namespace {

using Sides = std::array<std::uint32_t, 3>;

Sides values_of(const SpirvModule& module, const std::array<Id, 3>& constants) {
  Sides sides{};
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::optional<std::uint32_t> value = module.constant(constants[i]);
    if (!value)
      module.refuse("a size of workgroups that is computed from constants is not supported", {},
                    "give the constants of its sides their values");
    sides[i] = *value;
  }
  return sides;
}

Sides stated_size(const SpirvModule& module, const SpirvModule::Entry& entry) {
  if (const auto constants = module.workgroup_size()) return values_of(module, *constants);
  for (const compile::SpirvWords& each : entry.modes) {
    const auto mode = static_cast<spv::ExecutionMode>(each[2]);
    if (mode == spv::ExecutionMode::LocalSize) return {each[3], each[4], each[5]};
    if (mode == spv::ExecutionMode::LocalSizeId) return values_of(module, {each[3], each[4], each[5]});
  }
  return {1, 1, 1};
}

}  // namespace

Sides local_size_of(const SpirvModule& module, const SpirvModule::Entry& entry) {
  const Sides sides = stated_size(module, entry);
  const auto [across, down, deep] = sides;
  // One by one, as the product may be too large for any integer.
  constexpr std::uint64_t most = compile::most_threads_of_group;
  const bool fits =
      across <= most && std::uint64_t{across} * down <= most && std::uint64_t{across} * down * deep <= most;
  if (!fits)
    module.refuse("a workgroup of " + std::to_string(across) + " x " + std::to_string(down) + " x " +
                      std::to_string(deep) + " threads is not supported",
                  {}, "it has " + std::to_string(most) + " threads at most");
  return sides;
}

}  // namespace mobula::ssa
