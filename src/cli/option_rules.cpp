#include "cli/option_rules.h"

#include <CLI/App.hpp>
#include <algorithm>

#include "cli/input/input.h"

namespace mobula::cli {
namespace {

template <class Choices>
std::string alternatives(const Choices& choices) {
  std::string text;
  for (const auto& choice : choices) text.append(text.empty() ? "" : " or ").append(choice.text);
  return text;
}

[[noreturn]] void do_not_go_together(const std::string& one, const std::string& other) {
  throw usage_error(one + " and " + other + " do not go together", "give one of them");
}

}  // namespace

bool OptionRules::Choice::given() const {
  return option->count() > 0 && (value.empty() || option->results().back() == value);
}

std::vector<OptionRules::Choice> OptionRules::choices(const Names& names) const {
  std::vector<Choice> found;
  for (const std::string& name : names) {
    const std::size_t equals = std::min(name.find('='), name.size());
    const std::string value = equals == name.size() ? "" : name.substr(equals + 1);
    found.push_back(
        {value.empty() ? name : name.substr(0, equals) + ' ' + value, app_.get_option(name.substr(0, equals)), value});
  }
  return found;
}

void OptionRules::need(const Names& options, const Names& others) {
  rules_.push_back({Rule::Kind::needs, choices(options), choices(others)});
}

void OptionRules::exclude(const Names& options, const Names& others) {
  rules_.push_back({Rule::Kind::excludes, choices(options), choices(others)});
}

void OptionRules::alone(const std::string& option, const Names& company) {
  rules_.push_back({Rule::Kind::alone, choices({option}), choices(company)});
}

void OptionRules::act_on(const std::vector<Kind>& kinds, const Names& options, InputOptions& input) {
  bonds_.push_back({choices(options), kinds, &input});
}

/// " is for firmware, and", where an option is for files of one kind: what FILE is is not known yet.
std::string OptionRules::belongs_to(const Choice& choice) const {
  for (const Bond& bond : bonds_)
    if (bond.kinds.size() == 1 && std::ranges::find(bond.options, choice.option, &Choice::option) != bond.options.end())
      return " is for " + std::string(plural(bond.kinds.front())) + ", and";
  return {};
}

void OptionRules::check(const Rule& rule) const {
  for (const Choice& choice : rule.options) {
    if (!choice.given()) continue;
    const auto other = std::ranges::find_if(rule.others, &Choice::given);
    switch (rule.kind) {
      case Rule::Kind::needs:
        if (other == rule.others.end())
          throw usage_error(
              choice.text + belongs_to(choice) + " has nothing to act on without " + alternatives(rule.others),
              "give both, or leave " + choice.text + " out");
        break;
      case Rule::Kind::excludes:
        if (other != rule.others.end()) do_not_go_together(choice.text, other->text);
        break;
      case Rule::Kind::alone:
        for (const CLI::Option* each : app_.get_options()) {
          const bool company = each == choice.option || each->get_positional() ||
                               std::ranges::find(rule.others, each, &Choice::option) != rule.others.end();
          if (each->count() > 0 && !company) do_not_go_together(choice.text, each->get_name());
        }
        break;
    }
  }
}

void OptionRules::check() const {
  for (const Rule& rule : rules_) check(rule);
  for (const Bond& bond : bonds_)
    for (const Choice& choice : bond.options)
      if (choice.given()) bond.input->bound.push_back({choice.text, bond.kinds});
}

}  // namespace mobula::cli
