#include <algorithm>
#include <map>
#include <set>

#include "core/counted.h"
#include "io/json.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {
namespace {

using io::JsonPlace;

constexpr std::uint32_t most_registers = 2048, most_rows = 2048, most_window = 4096;

std::optional<UnitClass> unit_class(const std::string& word) {
  for (std::size_t i = 0; i < unit_class_count; ++i)
    if (name(static_cast<UnitClass>(i)) == word) return static_cast<UnitClass>(i);
  return std::nullopt;
}

/// But mix, which is what operations of any class compute.
std::optional<Function> function_of(const std::string& word) {
  for (std::size_t i = 1; i < function_count; ++i)
    if (name(static_cast<Function>(i)) == word) return static_cast<Function>(i);
  return std::nullopt;
}

std::string function_words() {
  std::string words;
  for (std::size_t i = 1; i < function_count; ++i)
    words += (i == 1 ? "" : ", ") + std::string(name(static_cast<Function>(i)));
  return words;
}

std::string class_words() {
  std::string words;
  for (std::size_t i = 0; i < unit_class_count; ++i)
    words += (i == 0 ? "" : ", ") + std::string(name(static_cast<UnitClass>(i)));
  return words;
}

void read_widths(const JsonPlace& place, std::vector<std::uint32_t>& widths, std::uint64_t least, std::uint64_t most) {
  place.elements([&](const JsonPlace& element) {
    const auto width = element.unsigned_integer(least, most);
    if (!width) return;
    if ((*width & (*width - 1)) != 0) return element.wrong("1, 2, 4, 8 or 16 bytes");
    if (std::ranges::count(widths, *width) != 0) return element.error("SB010", "the width is named twice");
    widths.push_back(static_cast<std::uint32_t>(*width));
  });
}

void read_group(const JsonPlace& place, Group& group) {
  place.only({"name", "classes", "functions", "widths", "pairs", "units", "alus"});
  const std::size_t told = place.problems().diagnostics.size();
  place.member("name", [&](const JsonPlace& at) { at.read(group.name); });
  place.member("classes", [&](const JsonPlace& at) {
    at.elements([&](const JsonPlace& element) {
      const auto word = element.string();
      if (!word) return;
      const auto found = unit_class(*word);
      if (!found) return element.wrong(class_words());
      group.classes.push_back(*found);
    });
  });
  place.member("functions", [&](const JsonPlace& at) {
    at.elements([&](const JsonPlace& element) {
      const auto word = element.string();
      if (!word) return;
      const auto found = function_of(*word);
      if (!found) return element.wrong(function_words());
      group.functions.push_back(*found);
    });
  });
  place.member("widths", [&](const JsonPlace& at) { read_widths(at, group.widths, 1, 16); });
  place.member("pairs", [&](const JsonPlace& at) { read_widths(at, group.pairs, 2, 8); });
  place.member("units", [&](const JsonPlace& at) { at.read(group.units, 0, max_units); });
  place.member("alus", [&](const JsonPlace& at) { at.read(group.alus, 0, max_units); });
  // What is wrong with a member has been told; it is not missing as well.
  if (place.problems().diagnostics.size() != told) return;
  if (group.units == 0)
    place.error("SB003", "group \"" + group.name + "\" has no units", "\"units\" is 1 to " + std::to_string(max_units));
  if (group.classes.empty() && group.functions.empty())
    place.error("SB004", "group \"" + group.name + "\" takes no class and no function",
                "\"classes\" of " + class_words() + ", or \"functions\" of " + function_words());
  if (group.widths.empty() && group.pairs.empty())
    place.error("SB005", "group \"" + group.name + "\" takes no width",
                "\"widths\" or \"pairs\" with 1, 2, 4 or 8 bytes, \"widths\" also with 16");
  if (!group.pairs.empty() && group.units == 1) place.error("SB006", "pairs need two units; the group has one");
  for (const std::uint32_t width : group.pairs) {
    if (std::ranges::count(group.widths, width) != 0)
      place.error("SB006", "width " + std::to_string(width) + " takes one unit and a pair of units");
    if (std::ranges::any_of(group.widths, [&](std::uint32_t one) { return one > width && one != 16; }))
      place.error("SB006", "a pair of units for " + std::to_string(width) + " bytes, one unit for more than that");
  }
}

void read_file(const JsonPlace& place, RegisterFile& file) {
  place.only({"name", "count", "bytes", "physical"});
  place.member("name", [&](const JsonPlace& at) {
    const auto word = at.string();
    if (!word) return;
    if (word->size() != 1 || (*word)[0] < 'A' || (*word)[0] > 'Z') return at.wrong("a letter A to Z");
    file.letter = (*word)[0];
  });
  place.member("count", [&](const JsonPlace& at) { at.read(file.count, 0, most_registers); });
  place.member("bytes", [&](const JsonPlace& at) {
    at.read(file.bytes, 1, 8);
    if ((file.bytes & (file.bytes - 1)) != 0) at.wrong("1, 2, 4 or 8 bytes");
  });
  place.member("physical", [&](const JsonPlace& at) { at.read(file.physical, 1, most_registers); });
  if (file.count == 0) place.error("SB007", std::string("register file ") + file.letter + " has no registers");
}

void read_times(const JsonPlace& place, std::map<std::string, std::uint32_t>& times, std::uint64_t least) {
  place.members([&](std::string_view key, const JsonPlace& at) {
    const std::string word(key);
    if (!unit_class(word) && !function_of(word))
      return at.error("SB008", "\"" + word + "\" is neither a class nor a function");
    at.read(times[word], least, 10'000);
  });
}

/// A number of ports, or "unlimited".
void read_ports(const JsonPlace& place, std::uint32_t& ports) {
  if (place.value() == "unlimited") {
    ports = 0;
    return;
  }
  if (place.value() == 0)
    return place.error("SB009", "without a port nothing is ever granted", "a number from 1, or \"unlimited\"");
  place.read(ports, 1, max_units);
}

void read_document(const JsonPlace& root, Config& config) {
  if (!root.value().is_object()) return root.wrong("an object");
  root.only({"name", "summary", "hazards", "waw", "lanes", "forwarding", "trap_shadows", "groups", "files", "latency",
             "interval", "issue", "ports", "banks", "virtual_registers", "renaming", "memory"});
  root.member("name", [&](const JsonPlace& at) { at.read(config.name); });
  root.member("summary", [&](const JsonPlace& at) { at.read(config.summary); });
  root.member("hazards", [&](const JsonPlace& at) {
    at.read_choice(
        config.hazards,
        {{"conservative", Hazards::conservative}, {"precise", Hazards::precise}, {"vector", Hazards::vector}});
  });
  root.member("waw", [&](const JsonPlace& at) {
    at.read_choice(config.waw, {{"stall_issue", Waw::stall_issue},
                                {"shadow_all", Waw::shadow_all},
                                {"shadow_same_dest", Waw::shadow_same_dest},
                                {"last_writer", Waw::last_writer},
                                {"rename", Waw::rename}});
  });
  root.member("lanes", [&](const JsonPlace& at) {
    at.read_choice(
        config.lanes,
        {{"lock", Lanes::lock}, {"full", Lanes::full}, {"two_level", Lanes::two_level}, {"byte", Lanes::byte}});
  });
  root.member("forwarding", [&](const JsonPlace& at) {
    at.read_choice(config.forwarding, {{"none", Forwarding::none},
                                       {"write_through", Forwarding::write_through},
                                       {"result_latch", Forwarding::result_latch},
                                       {"both", Forwarding::both}});
  });
  root.member("trap_shadows", [&](const JsonPlace& at) { at.read(config.trap_shadows); });
  root.member("groups", [&](const JsonPlace& at) {
    at.elements([&](const JsonPlace& element) { read_group(element, config.groups.emplace_back()); });
  });
  root.member("files", [&](const JsonPlace& at) {
    at.elements([&](const JsonPlace& element) { read_file(element, config.files.emplace_back()); });
  });
  root.member("latency", [&](const JsonPlace& at) { read_times(at, config.latency, 0); });
  root.member("interval", [&](const JsonPlace& at) { read_times(at, config.interval, 1); });
  root.member("issue", [&](const JsonPlace& at) {
    at.only({"width", "queue", "fetch", "together", "mask_same_clock"});
    at.member("width", [&](const JsonPlace& value) { value.read(config.issue.width, 1, 16); });
    at.member("queue", [&](const JsonPlace& value) { value.read(config.issue.queue, 1, 1024); });
    at.member("fetch", [&](const JsonPlace& value) { value.read(config.issue.fetch, 1, 16); });
    at.member("together", [&](const JsonPlace& value) { value.read(config.issue.together); });
    at.member("mask_same_clock", [&](const JsonPlace& value) { value.read(config.issue.mask_same_clock); });
  });
  root.member("ports", [&](const JsonPlace& at) {
    at.only({"per_operand", "pairs", "read", "write", "priority"});
    at.member("per_operand", [&](const JsonPlace& value) { value.read(config.ports.per_operand); });
    at.member("pairs", [&](const JsonPlace& value) {
      value.read_choice(config.ports.lockstep_pairs, {{"lockstep", true}, {"independent", false}});
    });
    at.member("read", [&](const JsonPlace& value) { read_ports(value, config.ports.read); });
    at.member("write", [&](const JsonPlace& value) { read_ports(value, config.ports.write); });
    at.member("priority", [&](const JsonPlace& value) {
      value.read_choice(config.ports.priority,
                        {{"fixed", Priority::fixed}, {"rotate", Priority::rotate}, {"oldest", Priority::oldest}});
    });
  });
  root.member("banks", [&](const JsonPlace& at) {
    at.only({"count", "mapping", "read", "write", "broadcast", "lanes", "byte_crossbar"});
    at.member("count", [&](const JsonPlace& value) { value.read(config.banks.count, 1, 16); });
    at.member("mapping", [&](const JsonPlace& value) {
      value.read_choice(config.banks.mapping, {{"modulo", Mapping::modulo}, {"parity_half", Mapping::parity_half}});
    });
    at.member("read", [&](const JsonPlace& value) { read_ports(value, config.banks.read); });
    at.member("write", [&](const JsonPlace& value) { read_ports(value, config.banks.write); });
    at.member("broadcast", [&](const JsonPlace& value) { value.read(config.banks.broadcast); });
    at.member("lanes", [&](const JsonPlace& value) { value.read(config.banks.lanes, 0, max_units); });
    at.member("byte_crossbar", [&](const JsonPlace& value) { value.read(config.banks.byte_crossbar); });
    if (config.banks.mapping == Mapping::parity_half && config.banks.count != 4)
      at.error("SB011", "mapping parity_half has 4 banks (odd or even register, low or high half), \"count\" is " +
                            std::to_string(config.banks.count));
  });
  root.member("virtual_registers", [&](const JsonPlace& at) {
    at.only({"rows", "per_file", "until"});
    at.member("rows", [&](const JsonPlace& value) { value.read(config.virtual_registers.rows, 0, most_rows); });
    at.member("per_file", [&](const JsonPlace& value) { value.read(config.virtual_registers.per_file); });
    at.member("until", [&](const JsonPlace& value) {
      value.read_choice(config.virtual_registers.until_completion, {{"access", false}, {"completion", true}});
    });
  });
  root.member("renaming", [&](const JsonPlace& at) {
    at.only({"window"});
    at.member("window", [&](const JsonPlace& value) { value.read(config.renaming.window, 1, most_window); });
    if (config.waw != Waw::rename) at.error("SB020", "nothing is renamed", "waw rename");
  });
  root.member("memory", [&](const JsonPlace& at) {
    at.only({"match_addresses", "low_bit", "high_bit"});
    at.member("match_addresses", [&](const JsonPlace& value) { value.read(config.memory.match_addresses); });
    at.member("low_bit", [&](const JsonPlace& value) { value.read(config.memory.low_bit, 0, 63); });
    at.member("high_bit", [&](const JsonPlace& value) { value.read(config.memory.high_bit, 0, 63); });
    if (config.memory.low_bit > config.memory.high_bit) at.error("SB012", "low_bit is above high_bit");
  });
}

/// Renaming gives whole registers new places; what keeps parts of them or names apart has no place beside it.
void check_renaming(const JsonPlace& root, const Config& config) {
  for (const RegisterFile& file : config.files) {
    const std::string name = std::string("register file ") + file.letter;
    if (config.waw != Waw::rename && file.physical != 0)
      root.error("SB020", name + " has physical registers, and nothing is renamed", "waw rename");
    if (config.waw == Waw::rename && file.physical <= file.count)
      root.error("SB020",
                 name + " has " + counted(file.count, "register") + " and " + counted(file.physical, "physical one") +
                     "; a write needs one that no register is",
                 "\"physical\" above \"count\"");
  }
  if (config.waw != Waw::rename) return;
  const auto refuse = [&](bool wrong, const char* what, const char* hint) {
    if (wrong) root.error("SB020", what, hint);
  };
  refuse(config.hazards != Hazards::precise, "renamed registers are compared exactly", "hazards precise");
  refuse(config.lanes != Lanes::lock, "registers are renamed as a whole; columns for their parts are of no use",
         "lanes lock");
  refuse(std::ranges::any_of(config.groups, [](const Group& group) { return !group.pairs.empty(); }),
         "the two units of a pair would each rename the register that they write", "\"widths\" instead of \"pairs\"");
  refuse(config.virtual_registers.rows != 0, "registers have two kinds of names, virtual and physical ones",
         "virtual_registers.rows 0");
}

/// What no single member shows.
void check_document(const JsonPlace& root, const Config& config) {
  if (config.groups.empty())
    root.error("SB003", "the core has no units", "\"groups\" with at least one group of units");
  if (config.units() > max_units)
    root.error("SB013",
               "the groups have " + counted(config.units(), "unit") + "; at most " + std::to_string(max_units));
  check_renaming(root, config);
  if (config.files.empty()) root.error("SB007", "the core has no registers", "\"files\" with at least one file");
  std::set<char> letters;
  for (const RegisterFile& file : config.files)
    if (!letters.insert(file.letter).second)
      root.error("SB014", std::string("two register files are called ") + file.letter);
  std::map<std::pair<UnitClass, std::uint32_t>, const Group*> served;
  for (const Group& group : config.groups)
    for (const UnitClass unit : group.classes)
      for (const auto* widths : {&group.widths, &group.pairs})
        for (const std::uint32_t width : *widths)
          if (served.try_emplace({unit, width}, &group).first->second != &group)
            root.error("SB015", "class " + std::string(name(unit)) + " at width " + std::to_string(width) +
                                    " is taken by two groups, the second is \"" + group.name + '"');
  std::map<std::pair<Function, std::uint32_t>, const Group*> computed;
  for (const Group& group : config.groups)
    for (const Function function : group.functions)
      for (const auto* widths : {&group.widths, &group.pairs})
        for (const std::uint32_t width : *widths)
          if (computed.try_emplace({function, width}, &group).first->second != &group)
            root.error("SB015", "function " + std::string(name(function)) + " at width " + std::to_string(width) +
                                    " is taken by two groups, the second is \"" + group.name + '"');
  if (config.lanes == Lanes::two_level)
    for (const Group& group : config.groups)
      for (const std::uint32_t width : group.widths)
        if (width == 2 || width == 8)
          root.error("SB016",
                     "lanes two_level has no columns of " + std::to_string(width) + " bytes, group \"" + group.name +
                         "\" has units of that width",
                     "put the width into \"pairs\"");
  if (config.hazards == Hazards::vector && config.waw != Waw::stall_issue)
    root.error("SB017", "hazards vector stalls issue for writes; \"waw\" says otherwise", "waw stall_issue");
  if (config.hazards == Hazards::vector && latches_results(config.forwarding))
    root.error("SB018", "hazards vector issues only when registers are written; there is nothing to forward");
  if (config.issue.together && config.waw == Waw::stall_issue)
    root.error("SB019", "operations that write the same register cannot issue together and stall issue for each other",
               "another \"waw\", or issue.together false");
}

}  // namespace

std::uint32_t Config::units() const {
  std::uint32_t units = 0;
  for (const Group& group : groups) units += group.units;
  return units;
}

Result<Config> parse_config(std::string_view file, std::string_view json) {
  const Result<io::Json> document = io::parse_json({file, json});
  if (!document) return fail(document.error());
  Config config;
  io::JsonProblems problems{std::string(file), {}};
  const JsonPlace root(*document, problems);
  read_document(root, config);
  if (document->is_object()) check_document(root, config);
  if (has_errors(problems.diagnostics)) return fail(std::move(problems.diagnostics));
  if (config.name.empty()) config.name = file;
  return config;
}

Result<Config> find_preset(std::string_view name) {
  std::string known;
  for (const Preset& preset : presets()) {
    if (preset.name == name) return parse_config(preset.name, preset.json);
    known += (known.empty() ? "" : ", ") + std::string(preset.name);
  }
  return fail("SB002", "no preset is called \"" + std::string(name) + '"', "one of " + known);
}

}  // namespace mobula::scoreboard
