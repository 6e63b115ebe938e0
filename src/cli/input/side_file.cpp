#include "cli/input/side_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/input/input.h"
#include "cli/terminal/output.h"
#include "mobula/lab/run.h"
#include "mobula/lab/side_file.h"

namespace mobula::cli {
namespace {

bool is_side_file(const std::string& file) {
  const Json document = Json::parse(read_file(file), nullptr, false);
  return document.is_object() && (document.contains("machine") || document.contains("stage"));
}

}  // namespace

std::string side_file_of(const Program& program) {
  const Interface& interface = program.interface;
  const bool known = interface.stage != Stage::unknown || interface.first_tag || interface.prefetch ||
                     interface.position || interface.viewport_vec4 || !interface.constants.empty() ||
                     !interface.inputs.empty() || !interface.outputs.empty() || !interface.uniforms.empty();
  return known ? write_side_file(program) : "";
}

void expect_replaceable(const std::string& side_file) {
  std::error_code unreadable;
  if (std::filesystem::is_regular_file(side_file, unreadable) && !is_side_file(side_file))
    throw usage_error(side_file + " is not a side file, and the code's side file would take its place",
                      "give another name after -o, or to this file");
}

void write_with_side_file(const std::string& file, std::string_view code, const std::string& side_file) {
  const std::string name = side_file_name(file);
  const bool beside = file != "-" && name != file && !side_file.empty();
  if (beside) expect_replaceable(name);
  write_output(file, code);
  if (beside) write_output(name, side_file);
}

}  // namespace mobula::cli
