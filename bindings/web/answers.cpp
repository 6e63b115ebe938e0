#include "answers.h"

#include <algorithm>

#include "desk.h"

namespace mobula::web {
namespace {

bool has_what_it_needs(Question::Needs needs) {
  switch (needs) {
    case Question::Needs::nothing:
      return true;
    case Question::Needs::program:
      return !desk().program.machine.empty();
    case Question::Needs::core:
      return desk().is_workload;
  }
  return false;
}

}  // namespace

Answer answer(std::string_view request, std::span<const std::uint8_t> bytes) {
  const Json asked = Json::parse(request, nullptr, false);
  const std::string wanted = asked.is_object() ? given(asked, "ask") : std::string();
  for (const std::span<const Question> table : questions())
    for (const Question& each : table)
      if (each.name == wanted && has_what_it_needs(each.needs)) return each.ask(asked, bytes);
  return refuse({{Severity::error, "", {}, "the page asked for what there is not: " + wanted, ""}});
}

}  // namespace mobula::web
