#include "execute/kernel_targets.h"

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace mobula::ir {
namespace {

constinit hwy::ChosenTarget chosen;

#if HWY_ARCH_X86
/// Two features that come with AVX2, but that not every compiler has a name for.
bool has_f16c_and_lzcnt() {
  constexpr unsigned f16c = 1u << 29, lzcnt = 1u << 5;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & f16c) == 0) return false;
  return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0 && (ecx & lzcnt) != 0;
}

/// Each of Highway's targets needs the ones below it, and what the compiler was told to use for it.
std::int64_t targets_of_processor() {
  __builtin_cpu_init();
  std::int64_t targets = HWY_STATIC_TARGET;
  if (!__builtin_cpu_supports("ssse3")) return targets;
  targets |= HWY_SSSE3;
  if (!__builtin_cpu_supports("sse4.1") || !__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("pclmul") ||
      !__builtin_cpu_supports("aes"))
    return targets;
  targets |= HWY_SSE4;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
      !__builtin_cpu_supports("fma") || !has_f16c_and_lzcnt())
    return targets;
  targets |= HWY_AVX2;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512cd"))
    return targets;
  return targets | HWY_AVX3;
}
#else
std::int64_t targets_of_processor() { return HWY_STATIC_TARGET; }
#endif

}  // namespace

std::int64_t supported_targets() {
  static const std::int64_t targets = targets_of_processor();
  return targets;
}

hwy::ChosenTarget& chosen_target() {
  if (!chosen.IsInitialized()) force_target(0);
  return chosen;
}

void force_target(std::int64_t target) { chosen.Update(target == 0 ? supported_targets() : target); }

}  // namespace mobula::ir
