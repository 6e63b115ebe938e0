#include "io/json.h"
#include "mobula/lab/timing.h"

namespace mobula {

Result<TimingParameters> read_costs(const SourceText& source) {
  const auto document = io::parse_json(source);
  if (!document) return fail(document.error());
  const io::Json& table = *document;
  const auto wrong = [&](const std::string& what) {
    return fail({Severity::error,
                 "TM006",
                 {.file = std::string(source.file)},
                 what,
                 R"(costs are a JSON object of whole numbers, such as {"load_cycles": 40}; --params lists the names)"});
  };
  if (!table.is_object()) return wrong("this is not a JSON object");
  TimingParameters parameters;
  for (const auto& [name, value] : table.items()) {
    const auto cost = io::whole_number(value);
    if (!cost) return wrong('"' + name + "\" is not a whole number");
    parameters.emplace(name, *cost);
  }
  return parameters;
}

}  // namespace mobula
