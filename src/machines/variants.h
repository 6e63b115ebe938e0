// Variants of machines, as callers name them.
#pragma once

#include "core/export.h"
#include "mobula/isa/machine.h"

namespace mobula {

/// MOB002 for the name of a variant that the machine does not have; an empty name is its default. The error is at
/// `file`.
MOBULA_INTERNAL Result<void> check_variant(const Machine& machine, std::string_view variant, std::string_view file);

/// MOB001: there is none of that name. It lists those that there are.
MOBULA_INTERNAL Diagnostic unknown_machine(std::string_view name);

}  // namespace mobula
