// mobula time --advise: which neighbouring groups could be one.
#include <nlohmann/json.hpp>

#include "cli/input/input.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "mobula/lab/advise.h"

namespace mobula::cli {
namespace {

Json to_json(const MergeAdvice& advice) {
  Json merges = Json::array();
  for (const GroupMerge& merge : advice.merges)
    merges.push_back({{"offsets", merge.offsets},
                      {"before", merge.before},
                      {"after", merge.after},
                      {"bytes_before", merge.bytes_before},
                      {"bytes_after", merge.bytes_after}});
  return {{"groups_before", advice.groups_before}, {"groups", advice.groups},          {"instances", advice.instances},
          {"not_executed", advice.not_executed},   {"code", hex(advice.program.code)}, {"merges", std::move(merges)}};
}

}  // namespace

Exit time_advise(const TimeOptions& options) {
  if (options.input.files.size() != 1) throw usage_error("advice is for one program", "give one FILE");
  const std::string& file = options.input.files.front();
  const Program program = load_program(options.input, file);
  expect_ability(program, Ability::advise);
  const MergeAdvice advice = value_or_stop(advise(program), file);
  const std::string& out = options.output.file;
  if (options.output.json)
    write_output(out, envelope("advise", &advice.program, to_json(advice)));
  else
    write_output(out, report(advice));
  return Exit::done;
}

}  // namespace mobula::cli
