// Variants of machines, as callers name them.
#pragma once

#include "core/export.h"
#include "core/source.h"
#include "mobula/isa/machine.h"

namespace mobula {

/// MOB002 for the name of a variant that the machine does not have; an empty name is its default. The error is at
/// `file`.
MOBULA_INTERNAL Result<void> check_variant(const Machine& machine, std::string_view variant, std::string_view file);
/// What a program says of itself is right for this machine: MOB013 its machine is another, MOB002 its variant is
/// unknown.
MOBULA_INTERNAL Result<void> accept(const Machine& machine, const Program& program);

/// MOB001: there is none of that name. It lists those that there are.
MOBULA_INTERNAL Diagnostic unknown_machine(std::string_view name);
/// The machine whose name that may be a misspelling of.
MOBULA_INTERNAL Nearest nearest_machine(std::string_view name);

}  // namespace mobula
