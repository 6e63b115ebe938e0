#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/colour.h"
#include "cli/terminal/output.h"
#include "core/counted.h"
#include "io/in_order.h"
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

FileResult live_values(const IrOptions& options, const Program& program, const std::string& file) {
  const ir::Program lifted = lift(program, parse_policies(options.policies));
  const std::vector<ir::LiveWord> words = value_or_stop(ir::live_words(lifted), file);
  if (options.output.json) return {envelope("live", &program, to_json(lifted, words)), {}};
  return {listing_for(options.output.file, to_text(lifted, words)), {}};
}

/// A row for each block.
std::string rows(const LiftedPiece& piece) {
  std::string all;
  for (std::uint32_t i = piece.first; i < piece.end; ++i) {
    const ir::Block& block = piece.program.blocks[i];
    if (i != piece.first) all += ',';
    all += json_text({{"offset", hex(block.address)},
                      {"bytes", block.bytes},
                      {"fidelity", name(block.fidelity)},
                      {"text", ir::print(piece.program, i)}});
  }
  return all;
}

/// Programs that are lifted as a whole are one piece.
LiftedPieces pieces_of(const IrOptions& options, const Program& program) {
  const Policies policies = parse_policies(options.policies);
  if (auto pieces = machine_of(program).lift_in_pieces(program, policies))
    return value_or_stop(std::move(*pieces), program.file, Exit::usage);
  auto whole = std::make_shared<LiftedPiece>(LiftedPiece{.program = lift(program, policies)});
  whole->end = static_cast<std::uint32_t>(whole->program.blocks.size());
  return [whole]() mutable -> std::function<LiftedPiece()> {
    if (!whole) return {};
    return [piece = std::exchange(whole, nullptr)] { return std::move(*piece); };
  };
}

void write_lifted(const IrOptions& options, const Program& program, ResultInPieces& result) {
  const LiftedPieces pieces = pieces_of(options, program);
  const auto [before, after] = around_rows(envelope("ir", &program, {{"blocks", Json::array()}}), "blocks");
  if (options.output.json) result.write(before);
  const auto next = [&]() -> std::function<std::string()> {
    auto piece = pieces();
    if (!piece) return {};
    return [&options, piece = std::move(piece)] {
      const LiftedPiece lifted = piece();
      return options.output.json ? rows(lifted) : ir::print(lifted.program, lifted.first, lifted.end);
    };
  };
  bool first = true;
  io::for_each_in_order(cores_for(program, options.input), next, [&](std::string made) {
    if (options.output.json && !made.empty() && !std::exchange(first, false)) result.write(std::string_view(","));
    result.write(std::move(made));
  });
  if (options.output.json) result.write(after);
}

/// What does not decode is lifted to a trap, which is no success.
FileResult show_lifted(const IrOptions& options, const std::string& file) {
  const Program program = load_program(options.input, file);
  FileResult result;
  if (options.live) {
    result = live_values(options, program, file);
  } else {
    ResultInPieces pieces(options.output, options.input.files.size() > 1, result, listing_for);
    write_lifted(options, program, pieces);
    pieces.finish();
  }
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
