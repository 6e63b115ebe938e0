#include "machines/rogue/policies.h"

#include <array>
#include <utility>

#include "core/policies.h"

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
constexpr List<2> pixel_output{"rgba8", "f32"};

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
    row("pixel_output", pixel_output, "what po0 to po3 hold at the end of a fragment program: bytes in po0, or floats"),
}};

}  // namespace

std::span<const Policy> policy_rows() { return policy_table; }

Result<Settings> Settings::choose(const Policies& policies) {
  auto chosen = choose_policies("rogue", policy_table, policies, {.no_policy = "RG801", .no_value = "RG802"});
  if (!chosen) return fail(std::move(chosen).error());
  Settings settings;
  settings.values_ = std::move(*chosen);
  return settings;
}

}  // namespace mobula::rogue
