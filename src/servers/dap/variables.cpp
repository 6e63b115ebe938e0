// What a thread holds, and what it is fed with.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/counted.h"
#include "servers/dap/requests.h"
#include "servers/dap/shader.h"

namespace mobula::servers::dap {
namespace {

using Kind = Container::Kind;

/// "r0" of "r0.x"; all of a name without a component.
std::string group_of(const ir::Slot& slot) { return slot.name.substr(0, slot.name.find('.')); }
std::string component_of(const ir::Slot& slot) {
  const std::size_t dot = slot.name.find('.');
  return dot == std::string::npos ? slot.name : slot.name.substr(dot + 1);
}

/// Of format.hex: in hexadecimal alone.
std::string shown(const Debugger& debugger, const ir::Slot& slot, bool hexadecimal) {
  const std::vector<std::uint8_t> bytes = debugger.read(slot);
  return hexadecimal ? value_or_refusal(format_value(Value::of(bytes), "x")) : slot_text(slot, bytes);
}

/// A group on one line: floats as numbers.
std::string summary(const Debugger& debugger, const std::vector<const ir::Slot*>& slots, bool hexadecimal) {
  std::string text;
  for (const ir::Slot* slot : slots)
    text += (text.empty() ? "" : ", ") + value_or_refusal(format_value(Value::of(debugger.read(*slot)),
                                                                       hexadecimal || slot->bytes != 4 ? "x" : "f"));
  return text;
}

/// The debugger, with the thread whose values are wanted as the current one.
Debugger& debugger_of(Server& server, std::uint32_t lane) {
  Debugger& debugger = stopped_shader(server).debugger();
  value_or_refusal(debugger.choose(lane));
  return debugger;
}

/// Slots by the register that they are components of, those of the last word first.
Json register_groups(Server& server, std::uint32_t lane, bool all, bool hexadecimal) {
  const Debugger& debugger = debugger_of(server, lane);
  const std::vector<const ir::Slot*> written = debugger.slots_written();
  const std::vector<const ir::Slot*> used = debugger.slots_in_use();
  Json changed = Json::array(), others = Json::array();
  const std::vector<ir::Slot>& slots = shader(server).lifted.slots;
  for (std::size_t i = 0; i < slots.size();) {
    const std::string name = group_of(slots[i]);
    std::vector<const ir::Slot*> group;
    for (; i < slots.size() && group_of(slots[i]) == name; ++i) group.push_back(&slots[i]);
    const auto any_of = [&](const std::vector<const ir::Slot*>& wanted) {
      return std::ranges::any_of(group, [&](const ir::Slot* slot) { return std::ranges::count(wanted, slot) != 0; });
    };
    const bool is_changed = any_of(written);
    if (!is_changed && !all && !any_of(used)) continue;
    const bool is_single = group.size() == 1;
    Json row =
        variable(is_single ? group.front()->name : name,
                 is_single ? shown(debugger, *group.front(), hexadecimal) : summary(debugger, group, hexadecimal),
                 is_single ? 0 : server.reference_to_container({.kind = Kind::group, .lane = lane, .name = name}));
    row["evaluateName"] = row["name"];
    if (is_changed) row["type"] = "changed by the last word";
    (is_changed ? changed : others).push_back(std::move(row));
  }
  for (Json& each : others) changed.push_back(std::move(each));
  return changed;
}

Json slot_rows(const Debugger& debugger, const std::vector<const ir::Slot*>& slots, bool short_names,
               bool hexadecimal) {
  Json rows = Json::array();
  for (const ir::Slot* slot : slots) {
    rows.push_back(variable(short_names ? component_of(*slot) : slot->name, shown(debugger, *slot, hexadecimal)));
    rows.back()["evaluateName"] = slot->name;
  }
  return rows;
}

std::string words_text(std::span<const std::uint32_t> words) {
  constexpr std::size_t most = 16;
  std::string text;
  for (const std::uint32_t word : words.first(std::min(most, words.size())))
    text += fmt::format("{}{:g}", text.empty() ? "" : ", ", std::bit_cast<float>(word));
  return words.size() > most ? text + ", ..." : text;
}

Json uniform_rows(const ShaderDebuggee& debuggee) {
  Json rows = Json::array();
  for (const UniformWords& each : debuggee.inputs.uniforms)
    rows.push_back(variable(fmt::format("words from {}", each.first), words_text(each.values)));
  for (const auto& [number, words] : debuggee.inputs.uniform_buffers)
    rows.push_back(variable(fmt::format("buffer {}", number), words_text(words)));
  for (const auto& [number, words] : debuggee.inputs.uniform_registers)
    rows.push_back(variable(fmt::format("register {}", number), words_text(words)));
  for (Json& row : rows)
    for (const Variable& named : debuggee.program.interface.uniforms)
      if (row["name"] == fmt::format("words from {}", named.driver_location))
        row["type"] = named.type + ' ' + named.name;
  return rows;
}

Json memory_rows(const ShaderDebuggee& debuggee) {
  Json rows = Json::array();
  for (const MemoryRegion& region : debuggee.inputs.memory) {
    const std::string address = reference_to(region.address);
    rows.push_back(variable(address, counted(region.bytes.size(), "byte")));
    rows.back()["memoryReference"] = address;
  }
  return rows;
}

/// What the thread has put out so far.
Json output_rows(ShaderDebuggee& debuggee, std::uint32_t lane) {
  Json rows = Json::array();
  const RunResult result = debuggee.debugger().outputs();
  for (const ThreadResult& thread : result.threads) {
    if (thread.thread.index != debuggee.debugger().thread(lane).index) continue;
    for (const ColourOutput& each : thread.colours)
      rows.push_back(variable(fmt::format("target {}", each.target), words_text(each.colour)));
    for (const VaryingOutput& each : thread.varyings)
      rows.push_back(
          variable(fmt::format("varying {}", each.number), words_text(std::span(each.value).first(each.count()))));
  }
  return rows;
}

Json thread_rows(const Debugger& debugger, std::uint32_t lane) {
  const Thread& thread = debugger.thread(lane);
  const auto triple = [](const std::array<std::uint32_t, 3>& numbers) {
    return fmt::format("{}", fmt::join(numbers, ", "));
  };
  return Json::array(
      {variable("index", std::to_string(thread.index)), variable("vertex", std::to_string(thread.vertex)),
       variable("instance", std::to_string(thread.instance)), variable("local id", triple(thread.local_id)),
       variable("group id", triple(thread.group_id)), variable("global id", triple(thread.global_id)),
       variable("x", fmt::format("{}", thread.x)), variable("y", fmt::format("{}", thread.y))});
}

Json rows_of(Server& server, const Container& container, bool hexadecimal) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  switch (container.kind) {
    case Kind::changed:
      return slot_rows(debugger_of(server, container.lane), debuggee.debugger().slots_written(), false, hexadecimal);
    case Kind::registers:
      return register_groups(server, container.lane, false, hexadecimal);
    case Kind::all_registers:
      return register_groups(server, container.lane, true, hexadecimal);
    case Kind::group: {
      const Debugger& debugger = debugger_of(server, container.lane);
      return slot_rows(debugger, value_or_refusal(debugger.slots(container.name)), true, hexadecimal);
    }
    case Kind::uniforms:
      return uniform_rows(debuggee);
    case Kind::memory:
      return memory_rows(debuggee);
    case Kind::outputs:
      return output_rows(debuggee, container.lane);
    case Kind::thread:
      return thread_rows(debuggee.debugger(), container.lane);
    case Kind::units:
    case Kind::matrices:
    case Kind::rows:
    case Kind::signals:
      break;  // of the scoreboard core
  }
  return Json::array();
}

bool wants_hexadecimal(const Arguments& arguments) { return arguments.object("format").flag_or("hex", false); }

/// Writes a register or a word of memory, and gives what it holds then.
Json write_value(Debugger& debugger, const std::string& name, const std::string& text) {
  value_or_refusal(debugger.assign(name, text));
  if (name.starts_with('*'))
    return {{"value", value_or_refusal(format_value(value_or_refusal(debugger.evaluate(name)), {}))}};
  const ir::Slot& slot = *value_or_refusal(debugger.slot(name));
  return {{"value", slot_text(slot, debugger.read(slot))}};
}

/// Lane of a frame, whose id is that of its thread; of no frame, the current one.
std::uint32_t lane_of_frame(ShaderDebuggee& debuggee, const Arguments& arguments) {
  const std::int64_t frame = arguments.integer_or("frameId", 0);
  return frame == 0 ? debuggee.debugger().lane() : debuggee.lane_of(frame);
}

}  // namespace

Json answer_scopes(Server& server, const Arguments& arguments) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  const std::uint32_t lane = debuggee.lane_of(arguments.integer("frameId"));
  Json scopes = Json::array();
  const auto add = [&](const char* name, Kind kind, const char* hint, bool is_expensive) {
    Json scope{{"name", name},
               {"variablesReference", server.reference_to_container({.kind = kind, .lane = lane})},
               {"expensive", is_expensive}};
    if (*hint != '\0') scope["presentationHint"] = hint;
    scopes.push_back(std::move(scope));
  };
  add("Changed", Kind::changed, "", false);
  add("Registers", Kind::registers, "registers", false);
  add("All registers", Kind::all_registers, "registers", true);
  add("Uniforms", Kind::uniforms, "", false);
  add("Outputs", Kind::outputs, "", true);
  add("Memory", Kind::memory, "", false);
  add("Thread", Kind::thread, "", true);
  return {{"scopes", std::move(scopes)}};
}

Json answer_variables(Server& server, const Arguments& arguments) {
  const Container container = server.container(arguments.integer("variablesReference"));
  return part_of_variables(rows_of(server, container, wants_hexadecimal(arguments)), arguments);
}

Json part_of_variables(Json rows, const Arguments& arguments) {
  const auto first = static_cast<std::size_t>(std::max<std::int64_t>(0, arguments.integer_or("start", 0)));
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, arguments.integer_or("count", 0)));
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(first, rows.size())));
  if (count != 0 && count < rows.size()) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end());
  return {{"variables", std::move(rows)}};
}

Json answer_set_variable(Server& server, const Arguments& arguments) {
  const Container container = server.container(arguments.integer("variablesReference"));
  const std::string name = arguments.text("name");
  switch (container.kind) {
    case Kind::changed:
    case Kind::registers:
    case Kind::all_registers:
      return write_value(debugger_of(server, container.lane), name, arguments.text("value"));
    case Kind::group:
      return write_value(debugger_of(server, container.lane), container.name + '.' + name, arguments.text("value"));
    case Kind::uniforms:
    case Kind::memory:
    case Kind::outputs:
    case Kind::thread:
    case Kind::units:
    case Kind::matrices:
    case Kind::rows:
    case Kind::signals:
      break;
  }
  throw Refusal{"only registers can be written"};
}

Json answer_set_expression(Server& server, const Arguments& arguments) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  return write_value(debugger_of(server, lane_of_frame(debuggee, arguments)), arguments.text("expression"),
                     arguments.text("value"));
}

Json answer_evaluate(Server& server, const Arguments& arguments) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  const std::string expression = arguments.text("expression");
  const std::uint32_t lane = lane_of_frame(debuggee, arguments);
  const Debugger& debugger = debugger_of(server, lane);
  const bool hexadecimal = wants_hexadecimal(arguments);
  if (const auto slots = debugger.slots(expression); slots && slots->size() > 1)
    return {{"result", summary(debugger, *slots, hexadecimal)},
            {"variablesReference",
             server.reference_to_container({.kind = Kind::group, .lane = lane, .name = group_of(*slots->front())})}};
  const Value value = value_or_refusal(debugger.evaluate(expression));
  Json body{{"result", value_or_refusal(format_value(value, hexadecimal ? "x" : ""))}, {"variablesReference", 0}};
  if (value.kind != Value::Kind::real && value.kind != Value::Kind::word)
    body["memoryReference"] = reference_to(static_cast<std::uint64_t>(value.bits));
  return body;
}

}  // namespace mobula::servers::dap
