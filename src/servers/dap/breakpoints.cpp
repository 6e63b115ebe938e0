// Where the program is to stop. What cannot be set is answered as not verified, with the reason.
#include <fmt/format.h>

#include <charconv>
#include <set>

#include "servers/dap/set_breakpoints.h"
#include "servers/dap/shader.h"

namespace mobula::servers::dap {
namespace {

constexpr std::size_t watched_bytes = 4;  // of memory

/// A register's name, or "*0x1000", as a thread sees it.
Json data_breakpoint(ShaderDebuggee& debuggee, std::uint32_t lane, const std::string& name) {
  return {{"dataId", fmt::format("{}:{}", debuggee.id_of(lane), name)},
          {"description", fmt::format("{} of thread {}", name, debuggee.debugger().thread(lane).index)},
          {"accessTypes", Json::array({"write"})},
          {"canPersist", true}};
}

std::uint64_t word_at(Server& server, std::uint64_t address) {
  return value_or_refusal(shader(server).debugger().address_of(reference_to(address)));
}

}  // namespace

/// How often a breakpoint is passed by: the protocol's hit condition is the number of the time it stops.
std::uint64_t times_to_ignore(const std::string& hit_condition) {
  if (hit_condition.empty()) return 0;
  std::uint64_t hits = 0;
  const char* const end = hit_condition.data() + hit_condition.size();
  const auto parsed = std::from_chars(hit_condition.data(), end, hits);
  if (parsed.ec != std::errc() || parsed.ptr != end || hits == 0)
    throw Refusal{fmt::format("the hit condition \"{}\" is not a number from 1", hit_condition)};
  return hits - 1;
}

void add_place(Json& breakpoint, Server& server, std::uint64_t place) {
  breakpoint["instructionReference"] = reference_to(place);
  const auto line = server.debuggee().line_of(place);
  if (!line) return;
  breakpoint["source"] = server.debuggee().source();
  breakpoint["line"] = server.to_client(*line);
}

std::uint64_t place_of_line(Server& server, bool is_ours, const Arguments& wanted) {
  if (!is_ours) throw Refusal{"this is not a text of the program"};
  const auto word = server.debuggee().word_from(server.from_client(wanted.integer("line")));
  if (!word) throw Refusal{"no word begins in this line or after it"};
  return word->byte_offset;
}

Json answer_set_breakpoints(Server& server, const Arguments& arguments) {
  const bool is_ours = server.debuggee().is_source(arguments.object("source"));
  return set_all(server, shader(server), Group::lines, arguments, [&](const Arguments& wanted) -> Debugger::Breakpoint {
    return {.address = place_of_line(server, is_ours, wanted)};
  });
}

Json answer_set_function_breakpoints(Server& server, const Arguments& arguments) {
  return set_all(server, shader(server), Group::functions, arguments,
                 [&](const Arguments& wanted) -> Debugger::Breakpoint {
                   return {.address = value_or_refusal(shader(server).debugger().address_of(wanted.text("name")))};
                 });
}

Json answer_set_instruction_breakpoints(Server& server, const Arguments& arguments) {
  return set_all(
      server, shader(server), Group::instructions, arguments, [&](const Arguments& wanted) -> Debugger::Breakpoint {
        const std::uint64_t from = address_in(wanted.text("instructionReference"));
        return {.address = word_at(server, from + static_cast<std::uint64_t>(wanted.integer_or("offset", 0)))};
      });
}

/// Faults always stop it.
Json answer_set_exception_breakpoints(Server&, const Arguments&) { return {}; }

Json answer_data_breakpoint_info(Server& server, const Arguments& arguments) {
  ShaderDebuggee& debuggee = stopped_shader(server);
  Debugger& debugger = debuggee.debugger();
  std::uint32_t lane = debugger.lane();
  std::string name = arguments.text("name");
  if (const std::int64_t reference = arguments.integer_or("variablesReference", 0); reference != 0) {
    const Container& container = server.container(reference);
    lane = container.lane;
    if (container.kind == Container::Kind::group) name = container.name + '.' + name;
    if (container.kind == Container::Kind::memory) name = '*' + name;
  }
  if (name.starts_with('*')) {
    const Value address = value_or_refusal(debugger.evaluate(std::string_view(name).substr(1)));
    return data_breakpoint(debuggee, lane, '*' + reference_to(static_cast<std::uint64_t>(address.as_integer())));
  }
  const auto slot = debugger.slot(name);
  if (!slot) return {{"dataId", nullptr}, {"description", fmt::format("{} is not one register", name)}};
  return data_breakpoint(debuggee, lane, (*slot)->name);
}

Json answer_set_data_breakpoints(Server& server, const Arguments& arguments) {
  return set_all(server, shader(server), Group::data, arguments, [&](const Arguments& wanted) -> Debugger::Breakpoint {
    const std::string id = wanted.text("dataId");
    const std::size_t colon = id.find(':');
    if (colon == std::string::npos) throw Refusal{"a data id is THREAD:REGISTER"};
    if (const std::string access = wanted.text_or("accessType", "write"); access != "write")
      throw Refusal{fmt::format("only a change stops the program, not \"{}\"", access)};
    ShaderDebuggee& debuggee = shader(server);
    const std::uint32_t lane = debuggee.lane_of(static_cast<std::int64_t>(address_in(id.substr(0, colon))));
    const std::string name = id.substr(colon + 1);
    if (name.starts_with('*'))
      return {.memory = Debugger::MemoryRange{address_in(name.substr(1)), watched_bytes}, .lane = lane};
    return {.slot = value_or_refusal(debuggee.debugger().slot(name)), .lane = lane};
  });
}

Json answer_breakpoint_locations(Server& server, const Arguments& arguments) {
  const Debuggee& debuggee = server.debuggee();
  const std::uint32_t first = server.from_client(arguments.integer("line"));
  const std::uint32_t last = server.from_client(arguments.integer_or("endLine", arguments.integer("line")));
  std::set<std::uint32_t> lines;  // of which some have several words
  if (debuggee.is_source(arguments.object("source")))
    for (const SourceLine& each : debuggee.lines())
      if (each.line >= first && each.line <= last) lines.insert(each.line);
  Json locations = Json::array();
  for (const std::uint32_t line : lines) locations.push_back({{"line", server.to_client(line)}});
  return {{"breakpoints", std::move(locations)}};
}

}  // namespace mobula::servers::dap
