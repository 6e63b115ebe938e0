#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/hexadecimal.h"
#include "io/json.h"
#include "io/texture.h"
#include "io/values.h"
#include "mobula/lab/run.h"
#include "mobula/lab/side_file.h"

namespace mobula {
namespace {

using io::JsonPlace;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t list_limit = 65536;

void read_stage(const JsonPlace& place, Stage& stage) {
  place.read_choice<Stage>(stage, {{"vert", Stage::vertex},
                                   {"frag", Stage::fragment},
                                   {"comp", Stage::compute},
                                   {"vertex", Stage::vertex},
                                   {"fragment", Stage::fragment},
                                   {"compute", Stage::compute}});
}

/// Elements of a list whose length is limited.
template <class Value, class Read>
void read_list(const JsonPlace& place, std::vector<Value>& out, Read read) {
  if (place.value().is_array() && place.value().size() > list_limit) {
    return place.wrong("at most " + std::to_string(list_limit) + " elements");
  }
  place.elements([&](const JsonPlace& element) {
    Value value{};
    read(element, value);
    out.push_back(std::move(value));
  });
}

/// What drivers write where there is none.
bool is_none(const JsonPlace& place) { return place.value() == std::numeric_limits<std::uint32_t>::max(); }

void read_location(const JsonPlace& place, std::string_view key, std::int32_t& out) {
  place.member(key, [&](const JsonPlace& number) {
    if (is_none(number))
      out = -1;
    else if (const auto found = number.integer(-1, 1 << 24))
      out = static_cast<std::int32_t>(*found);
  });
}

void read_variable(const JsonPlace& place, Variable& variable) {
  if (!place.value().is_object()) return place.wrong("an object");
  place.member("name", [&](const JsonPlace& name) { name.read(variable.name); });
  place.member("type", [&](const JsonPlace& type) { type.read(variable.type); });
  place.member("format", [&](const JsonPlace& format) {
    format.read(variable.format);
    if (!variable.format.empty() && io::find_texel_format(variable.format) == nullptr)
      format.wrong("the name of a format, such as \"rgba8_unorm\"");
  });
  place.member("semantic", [&](const JsonPlace& semantic) {
    semantic.read_choice<std::string>(
        variable.semantic,
        {{"position", "position"}, {"normal", "normal"}, {"texcoord", "texcoord"}, {"colour", "colour"}});
  });
  place.member("initial", [&](const JsonPlace& words) {
    const io::GlslType type = io::parse_glsl_type(variable.type);
    io::read_words(words, type.base, variable.initial);
    if (const auto count = type.words(); !count || *count != variable.initial.size()) {
      words.wrong("as many values as " + variable.type + " has");
      variable.initial.clear();
    }
  });
  read_location(place, "location", variable.location);
  read_location(place, "driver_location", variable.driver_location);
  read_location(place, "component", variable.component);
  if (variable.component < 0 || variable.component > 3) {
    place.member("component", [](const JsonPlace& component) { component.wrong("0, 1, 2 or 3"); });
  }
}

void read_member(const JsonPlace& place, BlockMember& member) {
  if (!place.value().is_object()) return place.wrong("an object");
  place.member("name", [&](const JsonPlace& name) { name.read(member.name); });
  place.member("type", [&](const JsonPlace& type) { type.read(member.type); });
  const auto read_bytes = [&](std::string_view key, std::uint32_t& out) {
    place.member(key, [&](const JsonPlace& number) {
      number.read(out, 0, 1 << 30);
      if (out % 4 != 0) number.wrong("a multiple of 4");
    });
  };
  read_bytes("offset", member.offset);
  read_bytes("stride", member.stride);
  read_bytes("step", member.step);
}

void read_block(const JsonPlace& place, Variable& block) {
  read_variable(place, block);
  place.member("members", [&](const JsonPlace& list) { read_list(list, block.members, read_member); });
}

/// An entry of varyings_in or varyings_out: location and the index the load/store words use.
void read_varying(const JsonPlace& place, Variable& variable) {
  if (!place.value().is_object()) return place.wrong("an object");
  read_location(place, "location", variable.location);
  read_location(place, "index", variable.driver_location);
}

void read_push(const JsonPlace& place, PushWord& word) {
  if (!place.value().is_array() || place.value().size() != 2) return place.wrong("[buffer number, byte offset]");
  JsonPlace(place, std::size_t{0}, place.value()[0]).read(word.ubo);
  const JsonPlace offset(place, std::size_t{1}, place.value()[1]);
  offset.read(word.byte_offset);
  if (word.byte_offset % 4 != 0) offset.wrong("a multiple of 4");
}

void read_line(const JsonPlace& place, SourceLine& line) {
  if (!place.value().is_array() || place.value().size() != 2) return place.wrong("[byte offset, line]");
  std::uint32_t offset = 0;
  JsonPlace(place, std::size_t{0}, place.value()[0]).read(offset);
  line.byte_offset = offset;
  JsonPlace(place, std::size_t{1}, place.value()[1]).read(line.line);
}

void read_system_value(const JsonPlace& place, SystemValue& value) {
  if (!place.value().is_object()) return place.wrong("an object with type and id");
  place.member("type", [&](const JsonPlace& type) { type.read(value.type); });
  place.member("id", [&](const JsonPlace& id) { id.read(value.id); });
}

/// Words of uniform memory that come with a program, from `constant_vec4_base` on: as bit patterns, else as numbers;
/// null leaves a word out.
void read_constants(const JsonPlace& root, std::vector<UniformConstant>& constants) {
  std::uint32_t first = 0;
  root.member("constant_vec4_base", [&](const JsonPlace& place) { place.read(first, 0, list_limit); });
  std::uint32_t word = 4 * first;
  const auto read = [&](const JsonPlace& place) {
    RunWords words;
    if (place.value().is_null())
      ++word;
    else
      io::read_words(place, io::GlslType::Base::real, words);
    for (const std::uint32_t bits : words) constants.push_back({word++, bits});
  };
  root.member(root.has("constants_hex") ? "constants_hex" : "constants", [&](const JsonPlace& place) {
    if (place.value().is_array())
      place.elements(read);
    else
      read(place);
  });
}

/// The number of a varying or vec4; -1 says that there is none.
void read_slot(const JsonPlace& root, std::string_view key, std::optional<std::uint32_t>& out) {
  root.member(key, [&](const JsonPlace& place) {
    if (is_none(place)) return;
    const auto number = place.integer(-1, list_limit);
    if (number && *number >= 0) out = static_cast<std::uint32_t>(*number);
  });
}

void read_local_size(const JsonPlace& place, std::array<std::uint32_t, 3>& size) {
  if (!place.value().is_array() || place.value().size() != 3) return place.wrong("three numbers");
  for (std::size_t i = 0; i < 3; ++i) JsonPlace(place, i, place.value()[i]).read(size[i], 1, 4096);
}

OrderedJson to_json(const std::vector<BlockMember>& members) {
  OrderedJson list = OrderedJson::array();
  for (const BlockMember& member : members) {
    OrderedJson json{{"name", member.name}, {"type", member.type}, {"offset", member.offset}};
    if (member.stride != 0) json["stride"] = member.stride;
    if (member.step != BlockMember{}.step) json["step"] = member.step;
    list.push_back(std::move(json));
  }
  return list;
}

OrderedJson to_json(const std::vector<Variable>& variables) {
  OrderedJson list = OrderedJson::array();
  for (const Variable& variable : variables) {
    OrderedJson json{{"name", variable.name},
                     {"type", variable.type},
                     {"location", variable.location},
                     {"driver_location", variable.driver_location},
                     {"component", variable.component}};
    if (!variable.format.empty()) json["format"] = variable.format;
    for (const std::uint32_t word : variable.initial) json["initial"].push_back(hexadecimal(word, 8));
    if (!variable.semantic.empty()) json["semantic"] = variable.semantic;
    if (!variable.members.empty()) json["members"] = to_json(variable.members);
    list.push_back(std::move(json));
  }
  return list;
}

OrderedJson to_json(const std::vector<PushWord>& words) {
  OrderedJson list = OrderedJson::array();
  for (const PushWord& word : words) list.push_back(OrderedJson::array({word.ubo, word.byte_offset}));
  return list;
}

OrderedJson to_json(const std::vector<SystemValue>& values) {
  OrderedJson list = OrderedJson::array();
  for (const SystemValue& value : values) list.push_back({{"type", value.type}, {"id", value.id}});
  return list;
}

OrderedJson to_json(const std::vector<SourceLine>& lines) {
  OrderedJson list = OrderedJson::array();
  for (const SourceLine& line : lines) list.push_back(OrderedJson::array({line.byte_offset, line.line}));
  return list;
}

void write_varyings(const std::vector<Variable>& varyings, const char* key, OrderedJson& json) {
  for (const Variable& varying : varyings)
    json[key].push_back({{"index", varying.driver_location}, {"location", varying.location}});
}

std::string_view short_name(Stage stage) {
  return stage == Stage::vertex ? "vert" : stage == Stage::fragment ? "frag" : "comp";
}

void write_constants(const std::vector<UniformConstant>& constants, OrderedJson& json) {
  if (constants.empty()) return;
  const auto [lowest, highest] =
      std::minmax_element(constants.begin(), constants.end(),
                          [](const UniformConstant& a, const UniformConstant& b) { return a.word < b.word; });
  const std::uint32_t first = lowest->word / 4;
  OrderedJson list(highest->word - 4 * first + 1, nullptr);
  for (const UniformConstant& constant : constants) {
    list[constant.word - 4 * first] = hexadecimal(constant.bits, 8);
  }
  json["constant_vec4_base"] = first;
  json["constants_hex"] = std::move(list);
}

}  // namespace

std::string write_side_file(const Program& program) {
  const Interface& interface = program.interface;
  OrderedJson json{{"machine", program.machine}};
  if (interface.stage != Stage::unknown) json["stage"] = short_name(interface.stage);
  if (!program.variant.empty()) json["compiled_for"] = {program.variant};
  const auto number = [&](const char* key, const std::optional<std::uint32_t>& value) {
    if (value) json[key] = *value;
  };
  const auto variables = [&](const char* key, const std::vector<Variable>& list) {
    if (!list.empty()) json[key] = to_json(list);
  };
  number("first_tag", interface.first_tag);
  number("work_reg_count", interface.work_registers);
  number("uniform_reg_count", interface.uniform_registers);
  number("prefetch", interface.prefetch);
  number("tls_size", interface.thread_local_bytes);
  number("wls_size", interface.workgroup_local_bytes);
  number("num_ubos", interface.ubo_count);
  if (interface.stage == Stage::compute) json["local_size"] = interface.local_size;
  if (!interface.push.empty()) json["push"] = to_json(interface.push);
  if (!interface.system_values.empty()) json["sysvals"] = to_json(interface.system_values);
  number("viewport_vec4_base", interface.viewport_vec4);
  write_constants(interface.constants, json);
  number("gl_pos_idx", interface.position);
  number("point_size_idx", interface.point_size);
  variables("inputs", interface.inputs);
  variables("outputs", interface.outputs);
  variables("uniforms", interface.uniforms);
  variables("ubo_blocks", interface.ubo_blocks);
  variables("ssbo_blocks", interface.ssbo_blocks);
  write_varyings(interface.varyings_in, "varyings_in", json);
  write_varyings(interface.varyings_out, "varyings_out", json);
  if (!program.lines.empty()) json["lines"] = to_json(program.lines);
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

std::string side_file_name(std::string_view code_file) {
  const std::size_t slash = code_file.rfind('/');
  const std::size_t base = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t dot = code_file.rfind('.');
  const bool extension = dot != std::string_view::npos && dot > base;
  return std::string(extension ? code_file.substr(0, dot) : code_file) + ".json";
}

Result<SideFile> read_side_file(const SourceText& source, Diagnostics* left_out) {
  const auto document = io::parse_json(source);
  if (!document) return fail(document.error());
  io::JsonProblems problems{.file = std::string(source.file), .diagnostics = {}};
  const JsonPlace root(*document, problems);
  SideFile side;
  Interface& interface = side.interface;
  if (!document->is_object()) root.wrong("an object");

  const auto number = [&](std::string_view key, std::optional<std::uint32_t>& out,
                          std::uint64_t most = std::numeric_limits<std::uint32_t>::max() - 1) {
    root.member(key, [&](const JsonPlace& place) {
      if (is_none(place)) return;
      if (const auto found = place.unsigned_integer(0, most)) out = static_cast<std::uint32_t>(*found);
    });
  };
  constexpr std::uint64_t tags = 15;
  const auto variables = [&](std::string_view key, std::vector<Variable>& out, auto read) {
    root.member(key, [&](const JsonPlace& place) { read_list(place, out, read); });
  };
  root.member("machine", [&](const JsonPlace& place) { place.read(side.machine); });
  root.member("compiled_for", [&](const JsonPlace& place) {
    read_list(place, side.compiled_for, [](const JsonPlace& name, std::string& out) { name.read(out); });
  });
  root.member("stage", [&](const JsonPlace& place) { read_stage(place, interface.stage); });
  number("work_reg_count", interface.work_registers);
  number("uniform_reg_count", interface.uniform_registers);
  number("first_tag", interface.first_tag, tags);
  number("prefetch", interface.prefetch);
  number("tls_size", interface.thread_local_bytes);
  number("wls_size", interface.workgroup_local_bytes);
  number("num_ubos", interface.ubo_count);
  root.member("local_size", [&](const JsonPlace& place) { read_local_size(place, interface.local_size); });
  root.member("push", [&](const JsonPlace& place) { read_list(place, interface.push, read_push); });
  root.member("sysvals", [&](const JsonPlace& place) { read_list(place, interface.system_values, read_system_value); });
  read_slot(root, "viewport_vec4_base", interface.viewport_vec4);
  read_constants(root, interface.constants);
  read_slot(root, "gl_pos_idx", interface.position);
  read_slot(root, "point_size_idx", interface.point_size);
  variables("inputs", interface.inputs, read_variable);
  variables("outputs", interface.outputs, read_variable);
  variables("uniforms", interface.uniforms, read_variable);
  variables("ubo_blocks", interface.ubo_blocks, read_block);
  variables("ssbo_blocks", interface.ssbo_blocks, read_block);
  variables("varyings_in", interface.varyings_in, read_varying);
  variables("varyings_out", interface.varyings_out, read_varying);
  root.member("lines", [&](const JsonPlace& place) { read_list(place, side.lines, read_line); });

  if (left_out == nullptr && has_errors(problems.diagnostics)) return fail(std::move(problems.diagnostics));
  for (Diagnostic& each : problems.diagnostics) {
    if (left_out == nullptr) break;
    each.severity = std::min(each.severity, Severity::warning);
    left_out->push_back(std::move(each));
  }
  return side;
}

}  // namespace mobula
