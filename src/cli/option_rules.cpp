#include "cli/option_rules.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>

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

constexpr std::array<std::string_view, 8> options_that_name_inputs{"--baseline", "--config",    "--costs", "--inputs",
                                                                   "--memory",   "--reference", "--side",  "--stream"};

/// "-", and what a part of the run reads: "BV=-".
bool is_standard_input(const std::string& value) { return value == "-" || value.ends_with("=-"); }

/// What one of these reads, another would not find. Subcommands know themselves what they take twice as a program.
void expect_one_reader_of_standard_input(const CLI::App& app) {
  std::string reader, option;
  for (const CLI::Option* each : app.get_options()) {
    const std::string name = each->get_name();
    const bool is_option = std::ranges::count(options_that_name_inputs, name) != 0;
    if (!is_option && !each->get_positional()) continue;
    for (const std::string& value : each->results()) {
      if (!is_standard_input(value) || (!is_option && value != "-")) continue;
      if (!reader.empty() && (is_option || !option.empty()))
        throw usage_error(fmt::format("{} and {} would both be standard input, which can be read once", reader, name),
                          "give one of them as a file");
      reader = name;
      if (is_option) option = name;
    }
  }
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

const OptionRules::Bond* OptionRules::bond_of(const Choice& choice) const {
  const auto bond = std::ranges::find_if(bonds_, [&](const Bond& each) {
    return std::ranges::find(each.options, choice.option, &Choice::option) != each.options.end();
  });
  return bond == bonds_.end() ? nullptr : &*bond;
}

/// Whether what it needs is for files of a kind, too: who gave it with another file is told that, and not to give both.
bool OptionRules::waits_for_kind(const Rule& rule, const Choice& choice) const {
  const Bond* const bond = bond_of(choice);
  return bond != nullptr && std::ranges::any_of(rule.others, [&](const Choice& other) {
           const Bond* const others = bond_of(other);
           return others != nullptr && others->kinds == bond->kinds;
         });
}

std::string OptionRules::lacking(const Choice& choice) const {
  for (const Rule& rule : rules_)
    if (rule.kind == Rule::Kind::needs && waits_for_kind(rule, choice) &&
        std::ranges::find(rule.options, choice.option, &Choice::option) != rule.options.end() &&
        std::ranges::none_of(rule.others, &Choice::given))
      return alternatives(rule.others);
  return {};
}

void OptionRules::check(const Rule& rule) const {
  for (const Choice& choice : rule.options) {
    if (!choice.given()) continue;
    const auto other = std::ranges::find_if(rule.others, &Choice::given);
    switch (rule.kind) {
      case Rule::Kind::needs:
        if (other == rule.others.end() && !waits_for_kind(rule, choice))
          throw nothing_to_act_on(choice.text, alternatives(rule.others));
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
  expect_one_reader_of_standard_input(app_);
  for (const Rule& rule : rules_) check(rule);
  for (const Bond& bond : bonds_)
    for (const Choice& choice : bond.options)
      if (choice.given()) bond.input->bound.push_back({choice.text, bond.kinds, lacking(choice)});
}

}  // namespace mobula::cli
