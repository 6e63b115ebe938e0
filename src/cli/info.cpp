#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "mobula/firmware_info.h"

namespace mobula::cli {
namespace {

using firmware::CoreInfo;
using firmware::Info;
using firmware::Place;

Json to_json(const CoreInfo& core) {
  Json packets = Json::array();
  for (const firmware::PacketInfo& packet : core.packets)
    packets.push_back({{"opcode", hex(packet.opcode)},
                       {"name", packet.name},
                       {"named", packet.named},
                       {"handler", hex(packet.handler)},
                       {"shared", packet.shared}});
  Json json = {{"name", core.name},           {"start", hex(core.start)},
               {"words", core.words},         {"instructions", core.instructions},
               {"assumed", core.assumed},     {"data", core.data},
               {"functions", core.functions}, {"packets", std::move(packets)}};
  if (core.table) json["table"] = hex(*core.table);
  if (core.call_depth) json["call_depth"] = *core.call_depth;
  return json;
}

Json to_json(const Info& info) {
  Json cores = Json::array(), kernel = Json::array();
  for (const CoreInfo& core : info.cores) cores.push_back(to_json(core));
  for (const auto& each : info.kernel) kernel.push_back({{"question", each.question}, {"answer", each.answer}});
  Json json = {{"chip", info.chip},         {"product", info.product},    {"generation", info.generation},
               {"id_known", info.id_known}, {"bytes", info.bytes},        {"words", info.words},
               {"cores", std::move(cores)}, {"kernel", std::move(kernel)}};
  if (info.id) {
    json["id"] = hex(*info.id);
    json["version"] = hex(info.version);
    json["kernel_version"] = hex(info.kernel_version);
  }
  return json;
}

std::string to_text(const CoreInfo& core) {
  std::string text = fmt::format(
      "\n{}: words {:#06x} to {:#06x}; {} instructions, {} that nothing known reaches, {} of data; {} functions",
      core.name, core.start, core.start + core.words - 1, core.instructions, core.assumed, core.data, core.functions);
  text += core.call_depth ? fmt::format(", calls {} deep\n", *core.call_depth) : "\n";
  if (!core.table) return text;
  text += fmt::format("packet table at {:#06x}; * marks the handler of unknown packets\n", *core.table);
  for (const firmware::PacketInfo& packet : core.packets)
    if (packet.named || !packet.shared)
      text += fmt::format("  0x{:02x}  0x{:04x}{} {}\n", packet.opcode, packet.handler, packet.shared ? '*' : ' ',
                          packet.name);
  return text;
}

std::string to_text(const Info& info) {
  std::string text;
  if (info.id)
    text += fmt::format("id 0x{:03x}{}, version 0x{:03x} (kernels read 0x{:03x})\n", *info.id,
                        info.id_known ? "" : " (unknown: read as the chip of the nearest id)", info.version,
                        info.kernel_version);
  text +=
      fmt::format("{}, {}, {}\n{} bytes, {} words\n", info.chip, info.product, info.generation, info.bytes, info.words);
  for (const auto& each : info.kernel) text += fmt::format("{}: {}\n", each.question, each.answer ? "yes" : "no");
  for (const CoreInfo& core : info.cores) text += to_text(core);
  return text;
}

Json to_json(const std::vector<Place>& places) {
  Json json = Json::array();
  for (const Place& place : places)
    json.push_back({{"core", place.core}, {"word", hex(place.word)}, {"where", place.where}, {"text", place.text}});
  return json;
}

std::string to_text(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places)
    text += fmt::format("{} 0x{:04x}  {:24} {}\n", place.core, place.word, place.where, place.text);
  return text + fmt::format("{} found\n", places.size());
}

FileResult describe(const InfoOptions& options, const std::string& file) {
  const Program program = load_program(options.input, file);
  FileResult result;
  Json json;
  if (options.pattern.empty()) {
    const Info info = value_or_stop(firmware::info(program), file);
    json = to_json(info);
    result.text = to_text(info);
  } else {
    const auto places = value_or_stop(firmware::find(program, options.pattern), file);
    json = {{"pattern", options.pattern}, {"count", places.size()}, {"found", to_json(places)}};
    result.text = to_text(places);
    if (places.empty()) result.status = Exit::negative;
  }
  if (options.output.json)
    result.text = envelope("info", &program, std::move(json));
  else if (options.input.files.size() > 1)
    result.text = file + '\n' + result.text + '\n';
  return result;
}

}  // namespace

Exit info(const InfoOptions& options) {
  return for_each_file(options.input.files, options.output.file,
                       [&](const std::string& file) { return describe(options, file); });
}

}  // namespace mobula::cli
