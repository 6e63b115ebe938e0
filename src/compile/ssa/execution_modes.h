// What a module says of a whole program.
#pragma once

#include <array>
#include <cstdint>

#include "compile/ssa/spirv_module.h"

namespace mobula::ssa {

/// The sides of its workgroups, 1 where none is told. CO020 where they have more threads than is possible.
std::array<std::uint32_t, 3> local_size_of(const SpirvModule& module, const SpirvModule::Entry& entry);

/// CO020 for what code would have to follow and does not.
void refuse_modes(const SpirvModule& module, const SpirvModule::Entry& entry);

}  // namespace mobula::ssa
