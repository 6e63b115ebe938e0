#include "machines/rogue/lift/policies.h"

#include <array>
#include <utility>

namespace mobula::rogue {
namespace {

template <std::size_t count>
using List = std::array<std::string_view, count>;

constexpr List<2> rounding{"even", "zero"};
constexpr List<2> denormals{"flush", "keep"};
constexpr List<2> fma{"fused", "separate"};
constexpr List<3> divergent_branch{"trap", "any", "each"};
constexpr List<2> idle_branch{"stay", "taken"};
constexpr List<2> anyinst_branch{"trap", "any-runs"};
constexpr List<2> allinst_condition{"trap", "all-agree"};
constexpr List<2> repeat_constants{"stay", "advance"};
constexpr List<2> late_results{"at-wait", "at-issue"};
constexpr List<3> pixel_output{"declared", "rgba8", "f32"};
constexpr List<3> base_offset{"registers", "fours", "trap"};
constexpr List<2> alpha_test{"compare-op", "trap"};
constexpr List<2> coverage{"one-sample", "trap"};
constexpr List<3> execution_mask{"trap", "instance", "task"};
constexpr List<2> phase_change{"trap", "at-end"};
constexpr List<2> call_link{"trap", "as-b"};
constexpr List<2> mutex_sleep{"trap", "wake"};
constexpr List<2> named_formats{"trap", "by-name"};
constexpr List<2> f16_words{"pairs", "low-halves"};
constexpr List<2> sample_comparison{"trap", "last"};
constexpr List<2> sop_precision{"f16", "f32"};
constexpr List<2> texel_address{"trap", "linear"};

constexpr Policy row(std::string_view name, std::span<const std::string_view> values, std::string_view summary) {
  return {.name = name, .default_value = values.front(), .values = values, .summary = summary};
}

constexpr std::array<Policy, policy_count> policy_table{{
    row("rounding", rounding, "rounding of float results: to nearest even, or toward zero"),
    row("denormals", denormals, "float denormals are zeros, as operands and results, or numbers"),
    row("fma", fma, "fmad rounds once, or the product, too"),
    row("divergent_branch", divergent_branch,
        "a branch whose condition holds in some running instances only: stop, take it, or each its own way"),
    row("idle_branch", idle_branch, "a conditional branch when no instance runs: not taken, or taken"),
    row("anyinst_branch", anyinst_branch, "br.anyinst: stop, or taken when some instance runs"),
    row("allinst_condition", allinst_condition,
        "br.allinst with a condition on p0: stop, or taken when it holds in all running instances"),
    row("repeat_constants", repeat_constants, "numbers of constants in the passes of a repeated group"),
    row("late_results", late_results, "results of loads and iterations: a pattern until the wait, or there at once"),
    row("pixel_output", pixel_output,
        "what pixel outputs hold at the end of a fragment program: what the side file's outputs say, or without them "
        "bytes "
        "in po0; bytes in po0; floats in po0 to po3"),
    row("base_offset", base_offset, "what sbo counts: registers, sets of four of them, or stop"),
    row("alpha_test", alpha_test, "bits 2:0 of atst's state: Vulkan's number of the comparison, or stop"),
    row("coverage", coverage, "masks of samples (savmsk, pck.cov): pixels have one sample, or stop"),
    row("execution_mask", execution_mask,
        "movmsk: stop, 1 where the instance runs, or a bit for each instance of the task that runs"),
    row("phase_change", phase_change, "phas: stop, or the named phase follows when this one ends"),
    row("call_link", call_link, "cndsetl.a: stop, or as cndsetl.b"),
    row("mutex_sleep", mutex_sleep, "mutex.release.sleep of a task that is alone: stop, or wake up at once"),
    row("named_formats", named_formats,
        "o8888, o1616, 2f10f10f10: stop, or excess codes and 5-bit exponents as the names suggest"),
    row("f16_words", f16_words,
        "16-bit results and coordinates: two in a register, or each in its register's low half"),
    row("sample_comparison", sample_comparison, "smp.comparison: stop, or the reference follows all other data"),
    row("sop_precision", sop_precision, "sums of 16-bit products: every step rounds to 16 bits, or only the result"),
    row("texel_address", texel_address, "gta: stop, or texels of four bytes in rows without gaps"),
}};

}  // namespace

std::span<const Policy> policy_rows() { return policy_table; }

Result<Settings> choose_settings(const Policies& policies) {
  return Settings::choose("rogue", policy_table, policies, {.no_policy = "RG801", .no_value = "RG802"});
}

}  // namespace mobula::rogue
