// For which instruction sets kernels are compiled, and which of them this machine executes. Files of kernels include it
// before anything of Highway, whose headers alone are used: its library measures a timer whenever a program that links
// it starts (docs/decisions/0074-highway-without-its-library.md).
#pragma once

#include <cstdint>

// Targets without vectors of their own gain nothing over the scalar semantics, SSSE3 next to nothing over SSE4. With
// sanitizers each target takes a compiler half a minute: there the narrowest and the most common wide one will do.
#ifdef MOBULA_SANITIZED
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS HWY_SSSE3
#endif
// g++ before 12.3 makes wrong code of 16-bit numbers' upper products (its bug 106322), which no kernel asks for:
// Highway would leave out vectors of 128 bits altogether, and kernels rely on four lanes.
#define HWY_BROKEN_EMU128 0
// What reports a failed assertion is in the library.
#define HWY_IS_DEBUG_BUILD 0

#include <hwy/targets.h>

namespace mobula::ir {

/// Bits as in HWY_TARGETS. Without x86, the one that the compiler takes for granted.
std::int64_t supported_targets();
/// The best of those that this machine executes, unless force_target() said otherwise.
hwy::ChosenTarget& chosen_target();
/// From now on this one of supported_targets() is chosen; 0: the best.
void force_target(std::int64_t target);

}  // namespace mobula::ir

/// A table of a kernel by target, and the kernel for the chosen one, in place of HWY_EXPORT and HWY_DYNAMIC_DISPATCH.
#define MOBULA_KERNEL(NAME)                                                                              \
  constexpr decltype(&HWY_STATIC_DISPATCH(NAME)) NAME##Table[] = {nullptr, HWY_CHOOSE_TARGET_LIST(NAME), \
                                                                  HWY_CHOOSE_FALLBACK(NAME)}
#define MOBULA_CHOSEN(NAME) (*NAME##Table[mobula::ir::chosen_target().GetIndex()])
