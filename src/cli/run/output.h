// What a run has put out, as JSON and as text for people.
#pragma once

#include <string>

#include "cli/run/input.h"
#include "cli/terminal/output.h"

namespace mobula::cli {

/// Why --strict fails: RN018, so many facts that the run rests on are not exact. The reasons and the address are those
/// of the first.
Diagnostic not_exact(std::size_t facts, const std::vector<std::string>& reasons,
                     std::optional<std::uint64_t> address = {});

/// The object of docs/schemas/run.json.
Json outputs_json(const Prepared& prepared, const RunResult& result);
/// The same to read.
std::string outputs_text(const Json& outputs);

}  // namespace mobula::cli
