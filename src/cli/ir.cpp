#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "core/counted.h"
#include "mobula/isa/ir.h"
#include "mobula/isa/live.h"

namespace mobula::cli {
namespace {

/// The greatest pressure on each bank, and the first word after which it is that.
struct MostLive {
  ir::Pressure pressure;
  std::uint64_t address = 0;
};
std::map<std::string, MostLive> most_live(const ir::Program& lifted, const std::vector<ir::LiveWord>& words) {
  std::map<std::string, MostLive> most;
  for (const ir::LiveWord& word : words)
    for (const auto& [bank, pressure] : ir::pressure(lifted, word.live))
      if (MostLive& known = most[bank]; pressure.slots > known.pressure.slots) known = {pressure, word.address};
  return most;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += ' ' + name;
  return list.empty() ? " -" : list;
}

std::string to_text(const ir::Program& lifted, const std::vector<ir::LiveWord>& words) {
  std::string text;
  for (const ir::LiveWord& word : words) {
    text += hex(word.address) + ":\n  reads " + list_of(ir::names_of(lifted, word.effects.reads)) + "\n  writes" +
            list_of(ir::names_of(lifted, word.effects.writes)) + "\n  live  " +
            list_of(ir::names_of(lifted, word.live)) + '\n';
  }
  text += "\nlive after the words:\n";
  for (const ir::LiveRange& range : ir::live_ranges(lifted, words))
    text += "  " + range.name + "  " + hex(range.first) + (range.first == range.last ? "" : " to " + hex(range.last)) +
            '\n';
  text += "\nat most:\n";
  for (const auto& [bank, most] : most_live(lifted, words))
    text += "  " + bank + "  " + std::to_string(most.pressure.slots) + " live in " +
            counted(most.pressure.registers, "register") + " after " + hex(most.address) + '\n';
  return text;
}

Json to_json(const ir::Program& lifted, const std::vector<ir::LiveWord>& words) {
  const auto counts = [](const ir::Pressure& pressure) {
    return Json{{"slots", pressure.slots}, {"registers", pressure.registers}};
  };
  Json list = Json::array(), ranges = Json::array(), most = Json::object();
  for (const ir::LiveWord& word : words) {
    Json banks = Json::object();
    for (const auto& [bank, pressure] : ir::pressure(lifted, word.live)) banks[bank] = counts(pressure);
    list.push_back({{"offset", hex(word.address)},
                    {"reads", ir::names_of(lifted, word.effects.reads)},
                    {"writes", ir::names_of(lifted, word.effects.writes)},
                    {"live", ir::names_of(lifted, word.live)},
                    {"pressure", std::move(banks)}});
  }
  for (const ir::LiveRange& range : ir::live_ranges(lifted, words))
    ranges.push_back({{"name", range.name}, {"first", hex(range.first)}, {"last", hex(range.last)}});
  for (const auto& [bank, greatest] : most_live(lifted, words)) {
    most[bank] = counts(greatest.pressure);
    most[bank]["offset"] = hex(greatest.address);
  }
  return {{"words", std::move(list)}, {"ranges", std::move(ranges)}, {"most", std::move(most)}};
}

FileResult lifted_text(const IrOptions& options, const Program& program, const std::string& file) {
  const ir::Program lifted = lift(program, parse_policies(options.policies));
  if (options.live) {
    const std::vector<ir::LiveWord> words = value_or_stop(ir::live_words(lifted), file);
    if (options.output.json) return {envelope("live", &program, to_json(lifted, words)), {}};
    return {listing_for(options.output.file, to_text(lifted, words)), {}};
  }
  if (!options.output.json) return {listing_for(options.output.file, ir::print(lifted)), {}};
  Json blocks = Json::array();
  for (std::uint32_t i = 0; i < lifted.blocks.size(); ++i)
    blocks.push_back({{"offset", hex(lifted.blocks[i].address)},
                      {"bytes", lifted.blocks[i].bytes},
                      {"fidelity", name(lifted.blocks[i].fidelity)},
                      {"text", ir::print(lifted, i)}});
  return {envelope("ir", &program, {{"blocks", std::move(blocks)}}), {}};
}

/// What does not decode is lifted to a trap, which is no success.
FileResult show_lifted(const IrOptions& options, const std::string& file) {
  const Program program = load_program(options.input, file);
  FileResult result = lifted_text(options, program, file);
  result.diagnostics = told(program, undecoded(program));
  if (!result.diagnostics.empty()) result.status = Exit::negative;
  return result;
}

}  // namespace

Exit ir(const IrOptions& options) {
  return for_each_file(options.input.files, options.output,
                       [&](const std::string& file) { return show_lifted(options, file); });
}

}  // namespace mobula::cli
