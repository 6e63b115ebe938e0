#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "io/memory.h"
#include "io/values.h"
#include "mobula/lab/run.h"

namespace mobula {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Base = io::GlslType::Base;

std::string text_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// JSON has no NaN and no infinity.
OrderedJson number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}
/// The shortest decimal that is this float.
OrderedJson number(float value) {
  if (!std::isfinite(value)) return number(double{value});
  return std::stod(fmt::format("{}", value));
}

OrderedJson value_of(std::uint32_t word, Base base) {
  if (base == Base::i32) return static_cast<std::int32_t>(word);
  if (base == Base::u32) return word;
  return number(std::bit_cast<float>(word));
}
OrderedJson values(std::span<const std::uint32_t> words, Base base) {
  OrderedJson list = OrderedJson::array();
  for (const std::uint32_t word : words) list.push_back(value_of(word, base));
  return list;
}
std::string bits(std::uint32_t word) { return fmt::format("{:08x}", word); }
OrderedJson bits(std::span<const std::uint32_t> words) {
  OrderedJson list = OrderedJson::array();
  for (const std::uint32_t word : words) list.push_back(bits(word));
  return list;
}

/// Of a colour by its type; nothing where that is not known, and where its words are those of a pixel's format.
std::optional<std::uint32_t> components_of(const Variable* variable) {
  if (variable == nullptr || !variable->format.empty()) return {};
  const io::GlslType type = io::parse_glsl_type(variable->type);
  if (type.base == Base::other || type.base == Base::sampler) return {};
  return std::min(static_cast<std::uint32_t>(variable->component) + type.rows, 4u);
}

OrderedJson colour(const ColourOutput& output, const Interface& interface) {
  const bool has_target = output.target != io::no_target;
  const Variable* const variable = has_target ? io::find_colour_output(interface, output.target >> 8) : nullptr;
  OrderedJson json{{"bits", bits(output.colour)},
                   {"value", values(output.colour, io::base_of(interface, variable))},
                   {"depth", bits(output.depth)},
                   {"stencil", bits(output.stencil)},
                   {"target", bits(output.target)}};
  if (io::find_depth_output(interface) != nullptr) json["depth_value"] = number(std::bit_cast<float>(output.depth));
  if (const auto components = components_of(variable)) json["components"] = *components;
  if (variable == nullptr) return json;
  const std::string name = io::colour_name(interface, output.target >> 8);
  if (!name.empty()) json["name"] = name;
  return json;
}

OrderedJson varying(const VaryingOutput& output, const io::OutputPart& part, const Interface& interface) {
  const auto words = std::span(output.value).subspan(part.first, part.stored_count(output.stored));
  OrderedJson json{{"number", output.number}};
  if (!part.name.empty()) json["name"] = part.name;
  if (part.first != 0) json["component"] = part.first;
  json["bits"] = bits(words);
  json["value"] = values(words, io::base_of(interface, part.variable));
  for (std::size_t i = 0; i < words.size(); ++i)
    if ((output.stored >> (part.first + i) & 1) == 0) json["bits"][i] = json["value"][i] = nullptr;
  return json;
}

std::string_view name_of(LaneState state) {
  constexpr std::array<std::string_view, 6> names{"running", "waiting", "blocked", "ended", "discarded", "faulted"};
  return names[static_cast<std::size_t>(state)];
}

using PartsByNumber = std::map<std::uint32_t, std::vector<io::OutputPart>>;

OrderedJson thread(const ThreadResult& result, const Interface& interface, PartsByNumber& parts) {
  OrderedJson json{{"thread", result.thread.index}, {"state", name_of(result.state)}};
  for (const ColourOutput& output : result.colours) json["colours"].push_back(colour(output, interface));
  for (const VaryingOutput& output : result.varyings) {
    const auto [found, is_new] = parts.try_emplace(output.number);
    if (is_new) found->second = io::parts_of_output(interface, output.number);
    for (const io::OutputPart& part : found->second)
      if (part.stored_count(output.stored) != 0) json["varyings"].push_back(varying(output, part, interface));
  }
  return json;
}

OrderedJson buffer(std::uint32_t number, const RunWords& words, const Interface& interface) {
  const Variable* const variable = io::find_variable(interface.ssbo_blocks, number);
  OrderedJson json{{"number", number}};
  if (variable != nullptr) json["name"] = variable->name;
  json["bits"] = bits(words);
  const io::BlockWords kinds(interface, variable);
  json["value"] = OrderedJson::array();
  for (std::size_t i = 0; i < words.size(); ++i) json["value"].push_back(value_of(words[i], kinds[i]));
  return json;
}

OrderedJson region(const MemoryRegion& memory) {
  OrderedJson list = OrderedJson::array();
  for (std::size_t at = 0; at + 4 <= memory.bytes.size(); at += 4) {
    list.push_back(bits(static_cast<std::uint32_t>(io::read_little_endian(std::span(memory.bytes).subspan(at, 4)))));
  }
  return {{"address", fmt::format("0x{:x}", memory.address)}, {"bits", std::move(list)}};
}

}  // namespace

std::string to_json(const RunResult& result, const Program& program, const ir::Program& lifted) {
  OrderedJson json{{"threads",
                    {{"started", result.started},
                     {"ended", result.ended},
                     {"discarded", result.discarded},
                     {"faulted", result.faulted}}},
                   {"outputs", OrderedJson::array()},
                   {"buffers", OrderedJson::array()},
                   {"memory", OrderedJson::array()},
                   {"executions", OrderedJson::array()}};
  PartsByNumber parts;
  for (const ThreadResult& each : result.threads) json["outputs"].push_back(thread(each, program.interface, parts));
  for (const auto& [at, words] : result.buffers) json["buffers"].push_back(buffer(at, words, program.interface));
  for (const MemoryRegion& each : result.memory) json["memory"].push_back(region(each));
  for (std::size_t i = 0; i < result.executions.size() && i < lifted.blocks.size(); ++i) {
    json["executions"].push_back(
        {{"address", fmt::format("0x{:x}", lifted.blocks[i].address)}, {"lanes", result.executions[i]}});
  }
  if (result.image) {
    const ImageSize size = result.image->size;
    const auto covered = std::count(result.image->covered.begin(), result.image->covered.end(), true);
    json["image"] = {{"width", size.width}, {"height", size.height}, {"covered", covered}};
  }
  return text_of(json);
}

std::string to_json(const ReferenceReport& report) {
  OrderedJson json{{"cases", report.cases},
                   {"passed", report.passed},
                   {"values", report.values},
                   {"tolerance", {{"relative", report.relative}, {"absolute", report.absolute}}},
                   {"differences", OrderedJson::array()}};
  for (const Difference& each : report.differences) {
    OrderedJson row{{"case", each.case_index},
                    {"output", each.output},
                    {"component", each.component},
                    {"expected", number(each.expected)}};
    if (!each.missing) {
      row["got"] = number(each.got);
      row["error"] = number(each.error);
    }
    json["differences"].push_back(std::move(row));
  }
  return text_of(json);
}

}  // namespace mobula
