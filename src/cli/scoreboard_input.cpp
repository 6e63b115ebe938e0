#include "cli/scoreboard_input.h"

#include "cli/input.h"

namespace mobula::cli {

namespace sb = scoreboard;

sb::Config load_config(const std::string& preset, const std::string& file) {
  if (file.empty()) return value_or_stop(sb::find_preset(preset), "", Exit::usage);
  const std::vector<std::uint8_t> bytes = read_file(file);
  return value_or_stop(sb::parse_config(file, as_text(bytes)), file);
}

sb::Workload load_workload(const std::string& file) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  if (sb::is_binary_workload(bytes)) return value_or_stop(sb::read_workload(file, bytes), file);
  return value_or_stop(sb::parse_workload(file, as_text(bytes)), file);
}

}  // namespace mobula::cli
