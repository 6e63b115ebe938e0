// Any text as expressions to schedule: errors, or values that evaluate to a number for each store.
// seeds: examples/*.gpe
#include <cstdlib>

#include "fuzz/target.h"
#include "machines/utgard_gp/schedule/expression.h"

using namespace mobula;

FUZZ_TARGET(schedule_expressions_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto expressions = utgard_gp::parse_expressions({"input", text});
  if (!expressions) {
    if (!has_errors(expressions.error())) std::abort();
    return 0;
  }
  const auto stored =
      utgard_gp::evaluate(*expressions, [](utgard_gp::Make, unsigned, unsigned) { return 0x3F800000u; });
  if (stored.size() != expressions->stores.size()) std::abort();
  utgard_gp::Values values;
  const auto flow = utgard_gp::lower(*expressions, values);
  if (flow && flow->traces.front().segments.front().varyings.size() != stored.size()) std::abort();
  return 0;
}
