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

/// Without a file the inputs are an empty document, whose warnings say what is missing.
RunInputs load_inputs(const std::string& file, const Interface& interface) {
  if (file.empty()) return value_or_stop(read_run_inputs({"", "{}"}, interface, reader_beside("")), "", Exit::usage);
  const std::vector<std::uint8_t> text = read_file(file);
  return value_or_stop(read_run_inputs({file, as_text(text)}, interface, reader_beside(file)), file, Exit::usage);
}

}  // namespace

void expect_readable(const FeedOptions& feed, const InputOptions& input, const std::string& file,
                     const std::vector<std::uint8_t>& bytes) {
  if (feed.inputs.empty() || feed.inputs.ends_with(".obj") || !is_shader(input, file, bytes)) return;
  const std::vector<std::uint8_t> text = read_file(feed.inputs);
  value_or_stop(io::parse_json({feed.inputs, as_text(text)}), feed.inputs, Exit::usage);
}

Prepared prepare(const InputOptions& input, const FeedOptions& feed) {
  const std::string& file = input.files.front();
  return prepare(input, feed, file, read_file(file));
}

Prepared prepare(const InputOptions& input, const FeedOptions& feed, const std::string& file,
                 const std::vector<std::uint8_t>& bytes) {
  expect_readable(feed, input, file, bytes);
  const Policies policies = parse_policies(feed.policies);
  Program program = load_program(input, file, bytes);
  RunInputs inputs = load_inputs(feed.inputs, program.interface);
  for (const auto& [name, value] : policies) inputs.policies[name] = value;
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
