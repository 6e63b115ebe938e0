#include "cli/run/output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/counted.h"

namespace mobula::cli {
namespace {

std::string text_of(const Json& values) {
  std::string text;
  for (const Json& value : values)
    text += ' ' + (value.is_string() ? value.get<std::string>() : value.is_null() ? "-" : value.dump());
  return text;
}

/// A varying or a buffer: number, name if it has one, and values.
std::string named_values(std::string_view kind, const Json& row) {
  const std::string name = row.contains("name") ? fmt::format(" ({})", row["name"].get<std::string>()) : std::string();
  return fmt::format("{} {}{} ={}\n", kind, row["number"].get<std::uint32_t>(), name, text_of(row["value"]));
}

/// And the depth, which the last of them has.
std::string colours_text(const Json& colours) {
  std::string text;
  for (const Json& colour : colours) {
    if (colour["target"] == "000000ff" && colour.contains("depth_value")) continue;  // the depth alone
    const std::string name =
        colours.size() > 1 && colour.contains("name") ? fmt::format(" ({})", colour["name"].get<std::string>()) : "";
    auto values = colour["value"].get<Json::array_t>();
    if (colour.contains("components")) values.resize(colour["components"].get<std::size_t>());
    text += fmt::format("  colour{} ={}\n", name, text_of(values));
  }
  const Json& last = colours.back();
  if (last.contains("depth_value"))
    text += fmt::format("  gl_FragDepth ={}\n", text_of(Json::array({last["depth_value"]})));
  return text;
}

std::string thread_text(const Json& thread) {
  std::string text = fmt::format("thread {}", thread["thread"].get<std::uint32_t>());
  if (thread["state"] != "ended") text += ": " + thread["state"].get<std::string>();
  text += '\n';
  if (thread.contains("colours")) text += colours_text(thread["colours"]);
  if (thread.contains("varyings"))
    for (const Json& varying : thread["varyings"]) text += "  " + named_values("varying", varying);
  return text;
}

}  // namespace

Diagnostic not_exact(std::size_t facts, const std::vector<std::string>& reasons, std::optional<std::uint64_t> address) {
  std::string message = "--strict: " + std::to_string(facts) +
                        (facts == 1 ? " executed word or register is" : " executed words or registers are") +
                        " not known exactly";
  if (!reasons.empty()) message += ", the first because " + reasons.front();
  return {Severity::error, "RN018", {.byte_offset = address}, std::move(message), "--fidelity lists them"};
}

Json outputs_json(const Prepared& prepared, const RunResult& result) {
  return Json::parse(to_json(result, prepared.program, prepared.lifted));
}

std::string outputs_text(const Json& outputs) {
  std::string text;
  if (!outputs.contains("image"))
    for (const Json& thread : outputs["outputs"]) text += thread_text(thread);
  for (const Json& buffer : outputs["buffers"]) text += named_values("buffer", buffer);
  for (const Json& region : outputs["memory"])
    text += fmt::format("memory {} ={}\n", region["address"].get<std::string>(), text_of(region["bits"]));
  if (outputs.contains("image")) {
    const Json& image = outputs["image"];
    text += fmt::format("image {}x{}, {} covered\n", image["width"].dump(), image["height"].dump(),
                        counted(image["covered"].get<std::uint64_t>(), "pixel"));
  }
  const Json& threads = outputs["threads"];
  return text + fmt::format("{}: {} ended, {} discarded, {} faulted\n",
                            counted(threads["started"].get<std::uint64_t>(), "thread"), threads["ended"].dump(),
                            threads["discarded"].dump(), threads["faulted"].dump());
}

}  // namespace mobula::cli
