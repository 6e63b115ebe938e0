// What a run has put out, as JSON and as text for people.
#pragma once

#include <string>

#include "cli/run/input.h"
#include "cli/terminal/output.h"

namespace mobula::cli {

/// The object of docs/schemas/run.json.
Json outputs_json(const Prepared& prepared, const RunResult& result);
/// The same to read.
std::string outputs_text(const Json& outputs);

}  // namespace mobula::cli
