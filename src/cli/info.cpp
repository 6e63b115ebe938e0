#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "mobula/lab/firmware_report.h"

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

Json to_json(const std::vector<Place>& places) {
  Json json = Json::array();
  for (const Place& place : places)
    json.push_back({{"core", place.core}, {"word", hex(place.word)}, {"where", place.where}, {"text", place.text}});
  return json;
}

FileResult describe(const InfoOptions& options, const std::string& file) {
  const Program program = load_program(options.input, file);
  FileResult result;
  Json json;
  if (options.pattern.empty()) {
    const Info info = value_or_stop(firmware::info(program), file);
    json = to_json(info);
    result.text = report(info);
  } else {
    const auto places = value_or_stop(firmware::find(program, options.pattern), file);
    json = {{"pattern", options.pattern}, {"count", places.size()}, {"found", to_json(places)}};
    result.text = firmware::report(places);
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
