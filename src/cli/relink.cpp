#include "mobula/isa/relink.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/input/side_file.h"
#include "cli/terminal/output.h"
#include "mobula/isa/formats.h"

namespace mobula::cli {
namespace {

using Map = std::map<std::uint32_t, std::uint32_t>;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// The number of what has this name.
std::uint32_t number_of(std::string_view name, const std::vector<Variable>& variables, const std::string& setting) {
  if (const auto value = number(name)) return *value;
  std::string known;
  for (const Variable& variable : variables) {
    if (variable.name == name && variable.driver_location >= 0)
      return static_cast<std::uint32_t>(variable.driver_location);
    known.append(known.empty() ? "" : ", ").append(variable.name);
  }
  throw usage_error("in \"" + setting + "\", \"" + std::string(name) + "\" is neither a number nor a known name",
                    known.empty() ? "neither the container nor a side file gives names" : "there is " + known);
}

/// Of "OLD=NEW" settings.
Map parse_moves(const std::vector<std::string>& settings, const std::vector<Variable>& variables) {
  Map map;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.rfind('=');
    const auto to = equals == std::string::npos ? std::nullopt : number(std::string_view(setting).substr(equals + 1));
    if (!to) throw usage_error("\"" + setting + "\" does not say what to move where", "write OLD=NEW, such as 0=1");
    const std::uint32_t from = number_of(std::string_view(setting).substr(0, equals), variables, setting);
    if (!map.try_emplace(from, *to).second)
      throw usage_error("number " + std::to_string(from) + " is moved twice", "give one move for each");
  }
  return map;
}

std::size_t words_changed(const Program& before, const Program& after) {
  constexpr std::size_t word_bytes = 16;
  std::size_t count = 0;
  for (std::size_t at = 0; at + word_bytes <= before.code.size(); at += word_bytes) {
    const auto first = before.code.begin() + static_cast<std::ptrdiff_t>(at);
    if (!std::equal(first, first + word_bytes, after.code.begin() + static_cast<std::ptrdiff_t>(at))) ++count;
  }
  return count;
}

Json to_json(const Map& moves) {
  Json list = Json::array();
  for (const auto& [from, to] : moves) list.push_back({{"from", from}, {"to", to}});
  return list;
}

}  // namespace

Exit relink(const RelinkOptions& options) {
  const std::string& file = options.input.files.front();
  if (options.attributes.empty() && options.varyings.empty() && options.uniforms.empty())
    throw usage_error("there is nothing to move", "give --attribute, --varying or --uniform OLD=NEW");
  const std::vector<std::uint8_t> bytes = read_file(file);
  const Program program = load_program(options.input, file, bytes, Accept::code);
  expect_ability(program, Ability::relink);
  const RelinkMoves moves{.attributes = parse_moves(options.attributes, program.interface.inputs),
                          .varyings = parse_moves(options.varyings, program.interface.outputs),
                          .uniforms = parse_moves(options.uniforms, program.interface.uniforms)};
  const Program moved = value_or_stop(mobula::relink(program, moves), file, Exit::usage);
  const OutputOptions& output = options.output;
  if (output.json) {
    write_output(output.file, envelope("relink", &program,
                                       {{"code", hex(moved.code)},
                                        {"words_changed", words_changed(program, moved)},
                                        {"attributes", to_json(moves.attributes)},
                                        {"varyings", to_json(moves.varyings)},
                                        {"uniforms", to_json(moves.uniforms)}}));
    return Exit::done;
  }
  const ContainerFormat format = options.hex ? ContainerFormat::hex : format_of(options.input, bytes, file);
  if (format == ContainerFormat::hex) {
    write_with_side_file(output.file, write_hex(moved.code), side_file_of(moved));
    return Exit::done;
  }
  if (output.file == "-" && isatty(STDOUT_FILENO) != 0)
    throw usage_error("machine code would go to the terminal", "give -o FILE, or --hex for text");
  if (format == ContainerFormat::mbs)
    write_output(output.file, as_text(value_or_stop(relink_mbs1(bytes, moved, moves), file)));
  else
    write_with_side_file(output.file, as_text(moved.code), side_file_of(moved));
  return Exit::done;
}

}  // namespace mobula::cli
