// Commands about breakpoints and watches: the same for every session.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/debug/console.h"
#include "cli/input/input.h"
#include "core/counted.h"

namespace mobula::cli {

template <class Debugger>
class StopSession : public DebugSession {
 public:
  using Breakpoint = typename Debugger::Breakpoint;

 protected:
  explicit StopSession(Debugger debugger) : debugger_(std::move(debugger)) {}

  /// Of a place as it is typed; a Stop for misuse if there is none. The same for what is watched: all of the name.
  [[nodiscard]] virtual Breakpoint stop_at(const std::string& place) const = 0;
  [[nodiscard]] virtual std::vector<Breakpoint> watches_of(const std::string& name) const = 0;
  /// It watches something, rather than a place.
  [[nodiscard]] virtual bool is_watch(const Breakpoint& stop) const = 0;
  [[nodiscard]] virtual bool is_same(const Breakpoint& one, const Breakpoint& other) const = 0;
  /// What it is at: "at 0x00d0 <L13>: ...", "$1.y = 2".
  [[nodiscard]] virtual std::string text_of(const Breakpoint& stop) const = 0;
  /// Adds the same to the JSON of the stop, and may add to the list's.
  virtual void describe(const Breakpoint& stop, Json& row, Json& list) const = 0;

  /// Their help says what a place is, and what can be watched.
  std::vector<DebugCommand> stop_commands(std::string_view places, std::string_view watched) {
    using S = StopSession;
    const auto call = commands_of(this);
    return {
        {"break", "b br", "[PLACE [if CONDITION]]", places, many_arguments, false, call(&S::set_breakpoint)},
        {"tbreak", "tb", "PLACE [if CONDITION]", "the same, once", many_arguments, false, call(&S::set_temporary)},
        {"delete", "d clear", "[N...|PLACE]",
         "remove the breakpoints and watches of these numbers, or the breakpoint at a place, or all of both",
         many_arguments, false, call(&S::remove)},
        {"condition", "cond", "N [CONDITION]", "stop there only if this is true", many_arguments, false,
         call(&S::set_condition)},
        {"ignore", "", "N COUNT", "ignore the breakpoint this many times", 2, false, call(&S::ignore)},
        {"enable", "en", "[N...]", "enable these again, or all", many_arguments, false, call(&S::enable)},
        {"disable", "dis", "[N...]", "disable these, or all", many_arguments, false, call(&S::disable)},
        {"watch", "w", "[NAME [if CONDITION]]", watched, many_arguments, false, call(&S::watch)},
        {"unwatch", "uw", "[NAME]", "stop watching it, in whichever thread or core, or everything", many_arguments,
         false, call(&S::unwatch)},
        {"info breakpoints", "", "", "list breakpoints", 0, false, call(&S::breakpoints)},
        {"info watchpoints", "", "", "list what is watched", 0, false, call(&S::watchpoints)},
    };
  }

  Debugger debugger_;

 private:
  Reply breakpoints(const Arguments&) { return list(false); }
  Reply watchpoints(const Arguments&) { return list(true); }
  Reply set_breakpoint(const Arguments& arguments) { return add(arguments, false); }
  Reply set_temporary(const Arguments& arguments) { return add(arguments, true); }
  Reply enable(const Arguments& arguments) { return set_enabled(arguments, true); }
  Reply disable(const Arguments& arguments) { return set_enabled(arguments, false); }

  [[nodiscard]] Reply list(bool watches) const {
    Reply reply;
    const char* const key = watches ? "watched" : "breakpoints";
    reply.json[key] = Json::array();
    for (const Breakpoint& each : debugger_.breakpoints()) {
      if (is_watch(each) != watches) continue;
      reply.text += fmt::format("{} {}", each.number, text_of(each));
      if (!each.condition.empty()) reply.text += fmt::format(", if {}", each.condition);
      if (each.temporary) reply.text += ", once";
      if (!each.enabled) reply.text += ", disabled";
      if (each.ignore != 0) reply.text += ", passed by " + counted(each.ignore, "more time");
      if (each.hits != 0) reply.text += ", met " + counted(each.hits, "time");
      reply.text += '\n';
      Json row{{"number", each.number}};
      describe(each, row, reply.json);
      if (!each.condition.empty()) row["condition"] = each.condition;
      row["enabled"] = each.enabled;
      row["temporary"] = each.temporary;
      row["ignore"] = each.ignore;
      row["hits"] = each.hits;
      reply.json[key].push_back(std::move(row));
    }
    return reply;
  }

  /// What stands before "if", and the condition after it.
  static std::pair<std::string, std::string> split(const Arguments& arguments) {
    const auto found = std::ranges::find(arguments, "if");
    const auto words = static_cast<std::size_t>(found - arguments.begin());
    std::string condition = found == arguments.end() ? std::string() : arguments.text(words + 1);
    if (found != arguments.end() && condition.empty())
      throw usage_error("a condition is needed after \"if\"", "\"break PLACE if REGISTER > 2\"");
    if (words == 0) throw usage_error("a place or a name is needed before \"if\"", "\"break PLACE if REGISTER > 2\"");
    Arguments before = arguments;
    before.resize(words);
    return {before.text(), std::move(condition)};
  }

  Reply add(const Arguments& arguments, bool temporary) {
    if (arguments.empty()) return list(false);
    auto [place, condition] = split(arguments);
    Breakpoint stop = stop_at(place);
    stop.condition = std::move(condition);
    stop.temporary = temporary;
    value_or_usage_error(debugger_.add(std::move(stop)));
    return list(false);
  }

  Reply watch(const Arguments& arguments) {
    if (arguments.empty()) return list(true);
    const auto [name, condition] = split(arguments);
    for (Breakpoint& each : watches_of(name)) {
      each.condition = condition;
      value_or_usage_error(debugger_.add(std::move(each)));
    }
    return list(true);
  }

  Reply unwatch(const Arguments& arguments) {
    const std::vector<Breakpoint> wanted = arguments.empty() ? std::vector<Breakpoint>() : watches_of(arguments.text());
    bool found = arguments.empty();
    for (const Breakpoint& each : debugger_.breakpoints())
      if (is_watch(each) && (arguments.empty() || is_among(each, wanted))) found = debugger_.remove(each.number);
    if (!found) throw usage_error(arguments.text() + " is not watched", "\"info watchpoints\" lists what is");
    return list(true);
  }

  [[nodiscard]] bool is_among(const Breakpoint& stop, const std::vector<Breakpoint>& wanted) const {
    return std::ranges::any_of(wanted, [&](const Breakpoint& each) { return is_same(each, stop); });
  }

  [[nodiscard]] Breakpoint numbered(const std::string& text) const {
    const std::uint64_t number = debug_number(text);
    for (const Breakpoint& each : debugger_.breakpoints())
      if (each.number == number) return each;
    throw usage_error("there is no breakpoint " + text,
                      "\"info breakpoints\" and \"info watchpoints\" list them by number");
  }

  /// Those of the numbers; without a number all.
  [[nodiscard]] std::vector<Breakpoint> all_numbered(const Arguments& numbers) const {
    if (numbers.empty()) return debugger_.breakpoints();
    std::vector<Breakpoint> all;
    for (const std::string& each : numbers) all.push_back(numbered(each));
    return all;
  }

  [[nodiscard]] std::vector<Breakpoint> all_at(const std::string& place) const {
    const Breakpoint wanted = stop_at(place);
    std::vector<Breakpoint> all = debugger_.breakpoints();
    std::erase_if(all, [&](const Breakpoint& each) { return !is_same(each, wanted); });
    if (all.empty()) throw usage_error("there is no breakpoint at " + place, "\"info breakpoints\" lists them");
    return all;
  }

  Reply remove(const Arguments& arguments) {
    const bool has_numbers = std::ranges::all_of(
        arguments, [](const std::string& each) { return each.find_first_not_of("0123456789") == std::string::npos; });
    for (const Breakpoint& each : has_numbers ? all_numbered(arguments) : all_at(arguments.text()))
      debugger_.remove(each.number);
    return list(false);
  }

  Reply replace(const Breakpoint& stop) {
    value_or_usage_error(debugger_.replace(stop));
    return list(is_watch(stop));
  }

  Reply set_condition(const Arguments& arguments) {
    if (arguments.empty()) throw usage_error("the number of a breakpoint is needed", "\"condition 1 REGISTER > 2\"");
    Breakpoint stop = numbered(arguments[0]);
    stop.condition = arguments.text(1);
    return replace(stop);
  }

  Reply ignore(const Arguments& arguments) {
    if (arguments.size() != 2) throw usage_error("a number and a count are needed", "\"ignore 1 10\"");
    Breakpoint stop = numbered(arguments[0]);
    stop.ignore = debug_number(arguments[1]);
    return replace(stop);
  }

  Reply set_enabled(const Arguments& arguments, bool enabled) {
    Reply reply = list(false);
    for (Breakpoint& each : all_numbered(arguments)) {
      each.enabled = enabled;
      reply = replace(each);
    }
    return reply;
  }
};

}  // namespace mobula::cli
