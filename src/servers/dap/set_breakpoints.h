// Breakpoints as the protocol sets them, for whatever is debugged. What cannot be set is answered as not verified, with
// the reason.
#pragma once

#include <string>
#include <utility>

#include "servers/dap/requests.h"

namespace mobula::servers::dap {

using Group = Server::Group;

/// How often a breakpoint is passed by that stops at the time of this number.
std::uint64_t times_to_ignore(const std::string& hit_condition);
/// Where a word is, for a client.
void add_place(Json& breakpoint, Server& server, std::uint64_t place);
/// Of the first word in the line of the program's text, or after it; a Refusal if there is none, or it is another text.
std::uint64_t place_of_line(Server& server, bool is_ours, const Arguments& wanted);

/// Adds what `find` gives for one of the client's breakpoints, or says why not.
template <class Debuggee, class Find>
Json set_one(Server& server, Debuggee& debuggee, Group group, const Arguments& wanted, Find find) {
  try {
    auto point = find(wanted);
    point.condition = wanted.text_or("condition", {});
    point.ignore = times_to_ignore(wanted.text_or("hitCondition", {}));
    const auto place = debuggee.place_of(point);
    const std::uint32_t number = value_or_refusal(debuggee.debugger().add(std::move(point)));
    server.remember_breakpoint(group, number);
    Json set{{"id", number}, {"verified", true}};
    if (place) add_place(set, server, *place);
    return set;
  } catch (const Refusal& refusal) {
    return {{"verified", false}, {"message", refusal.message}};
  }
}

template <class Debuggee, class Find>
Json set_all(Server& server, Debuggee& debuggee, Group group, const Arguments& arguments, Find find) {
  server.clear_breakpoints(group);
  Json all = Json::array();
  for (const Arguments& each : arguments.list("breakpoints"))
    all.push_back(set_one(server, debuggee, group, each, find));
  return {{"breakpoints", std::move(all)}};
}

}  // namespace mobula::servers::dap
