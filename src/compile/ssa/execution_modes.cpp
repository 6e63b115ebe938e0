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

/// Whether code is the same with and without it.
bool changes_no_code(spv::ExecutionMode mode) {
  switch (mode) {
    case spv::ExecutionMode::LocalSize:
    case spv::ExecutionMode::LocalSizeId:
    // The first row of a picture is where the API has it.
    case spv::ExecutionMode::OriginUpperLeft:
    case spv::ExecutionMode::OriginLowerLeft:
    // When depths are compared, and what is captured, is state of the draw.
    case spv::ExecutionMode::EarlyFragmentTests:
    case spv::ExecutionMode::Xfb:
    // Promises, which a compiler need not use.
    case spv::ExecutionMode::DepthReplacing:
    case spv::ExecutionMode::DepthGreater:
    case spv::ExecutionMode::DepthLess:
    case spv::ExecutionMode::DepthUnchanged:
      return true;
    default:
      return false;
  }
}

/// "PixelCenterInteger", with its operands, as texts of SPIR-V have it.
std::string name_of(const SpirvModule& module, const compile::SpirvWords& mode) {
  compile::Spirv alone(module.words().begin(), module.words().begin() + compile::spirv_header_words);
  alone.insert(alone.end(), mode.words.begin(), mode.words.end());
  std::string text = compile::print_spirv(alone);
  while (text.ends_with('\n')) text.pop_back();
  const std::size_t behind_program = text.find(' ', text.rfind('%'));
  return behind_program == text.npos ? std::to_string(mode[2]) : text.substr(behind_program + 1);
}

}  // namespace

void refuse_modes(const SpirvModule& module, const SpirvModule::Entry& entry) {
  for (const compile::SpirvWords& each : entry.modes) {
    const auto mode = static_cast<spv::ExecutionMode>(each[2]);
    if (changes_no_code(mode)) continue;
    module.refuse(
        "the execution mode " + name_of(module, each) + " is not supported", {},
        mode == spv::ExecutionMode::PixelCenterInteger ? "subtract 0.5 from x and y of FragCoord instead" : "");
  }
}

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
