#include "cli/run/input.h"

#include <filesystem>

#include "cli/input/input.h"
#include "cli/input/shader.h"
#include "cli/terminal/terminal.h"
#include "io/json.h"

namespace mobula::cli {
namespace {

/// Reads the files a document names, which are relative to its own folder.
FileReader reader_beside(const std::string& document) {
  const std::filesystem::path folder = std::filesystem::path(document).parent_path();
  return [folder](const std::string& name) -> Result<std::vector<std::uint8_t>> {
    try {
      return read_file((folder / name).string());
    } catch (const Stop& stop) {
      return fail(stop.diagnostics);
    }
  };
}

RunInputs parse_inputs(const ReadInputs& given, const Interface& interface) {
  return value_or_stop(read_run_inputs({given.file, as_text(given.text)}, interface, reader_beside(given.file)),
                       given.file, Exit::usage);
}

}  // namespace

ReadInputs read_given(const FeedOptions& feed, const InputOptions& input, const std::string& file,
                      const std::vector<std::uint8_t>& bytes) {
  ReadInputs given{.file = feed.inputs, .text = {'{', '}'}, .policies = {}};
  if (!given.file.empty()) given.text = read_file(given.file);
  if (!given.file.ends_with(".obj") && is_shader(input, file, bytes))
    value_or_stop(io::parse_json({given.file, as_text(given.text)}), given.file, Exit::usage);
  given.policies = parse_policies(feed.policies);
  return given;
}

Prepared prepare(const InputOptions& input, const FeedOptions& feed) {
  const std::string& file = input.files.front();
  return prepare(input, feed, file, read_file(file));
}

Prepared prepare(const InputOptions& input, const FeedOptions& feed, const std::string& file,
                 const std::vector<std::uint8_t>& bytes) {
  const ReadInputs given = read_given(feed, input, file, bytes);
  return prepare(load_program(input, file, bytes), feed, given);
}

Prepared prepare(Program program, const FeedOptions& feed, const ReadInputs& given) {
  RunInputs inputs = parse_inputs(given, program.interface);
  for (const auto& [name, value] : given.policies) inputs.policies[name] = value;
  if (feed.threads) {
    if (is_dispatch(program.interface.stage, inputs))
      throw usage_error("--threads counts vertices or fragments, and this is a compute program",
                        "its inputs say with \"groups\" and \"local_size\" how many threads there are");
    inputs.threads = *feed.threads;
  }
  if (feed.step_limit) inputs.limits.steps = *feed.step_limit;
  ir::Program lifted = lift(program, inputs.policies);
  return {std::move(program), std::move(lifted), std::move(inputs)};
}

}  // namespace mobula::cli
