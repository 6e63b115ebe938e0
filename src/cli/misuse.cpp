#include "cli/misuse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/counted.h"
#include "core/source.h"

namespace mobula::cli {
namespace {

using Halves = std::optional<std::pair<std::string, std::string>>;

Halves split(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  return std::pair(std::string(text.substr(0, at)), std::string(text.substr(at + mark.size())));
}

/// The subcommand that was typed, however deep; the root if none was.
const CLI::App& innermost(const CLI::App& root, std::string& words) {
  const CLI::App* at = &root;
  words = root.get_name();
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    words += ' ' + at->get_name();
  }
  return *at;
}

/// "Could not convert: --threads = abc"
std::string unreadable(const CLI::App& command, const std::string& name, const std::string& value) {
  const CLI::Option* const option = command.get_option_no_throw(name);
  if (option != nullptr && option->get_items_expected_max() == 0) return name + " takes no value";
  const bool is_number = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
  if (is_number) return name + ' ' + value + " is too large";
  const bool is_whole = option == nullptr || !option->get_type_name().starts_with("FLOAT");
  return name + " takes a " + (is_whole ? "whole " : "") + "number, not \"" + value + '"';
}

/// "--output: At Most 1 required but received 2", "--widths: At least 4 required but received 1"
std::string wrong_count(const std::string& expected, const std::string& received) {
  const Halves name = split(expected, ": At ");
  const bool at_most = name && name->second.starts_with("Most ");
  const std::string number = name ? name->second.substr(name->second.find(' ') + 1) : "";
  if (!name) return expected;
  return name->first + " takes at " + (at_most ? "most " : "least ") + number + (number == "1" ? " value" : " values") +
         ", and there " + (received == "1" ? "is 1" : "are " + received);
}

std::string in_our_words(const CLI::App& command, const std::string& said) {
  if (const Halves range = split(said, " not in range "))
    if (const Halves value = split(range->first, ": Value "))
      return value->first + " takes a number from " + range->second + ", not " + value->second;
  if (const Halves count = split(said, " required but received ")) return wrong_count(count->first, count->second);
  if (said.ends_with(" missing"))  // "--machine: 1 required TEXT missing"
    if (const Halves name = split(said, ": ")) {
      const std::string number = name->second.substr(0, name->second.find(' '));
      return name->first + (number == "1" ? " needs a value" : " needs " + number + " values");
    }
  if (const Halves value = split(said, "Could not convert: "))
    if (const Halves name = split(value->second, " = ")) return unreadable(command, name->first, name->second);
  return said;
}

Stop unexpected(const CLI::App& command, const std::string& typed, const std::vector<std::string>& words) {
  const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('-'); });
  if (option == words.end()) {
    if (!command.get_subcommands({}).empty()) return no_such_subcommand(command, words.front());
    return usage_error(typed + " has nothing to do with \"" + words.front() + '"', typed + " --help");
  }
  const std::string name = option->substr(0, option->find('='));
  Nearest nearest(name);
  for (const CLI::Option* each : command.get_options())
    for (const std::string& known : each->get_lnames()) nearest.offer("--" + known);
  const std::string meant = nearest.hint();
  return usage_error(typed + " has no option " + name,
                     (meant.empty() ? "" : meant + ' ') + typed + " --help lists them");
}

}  // namespace

Stop no_such_subcommand(const CLI::App& command, const std::string& word) {
  Nearest nearest(word);
  for (const CLI::App* each : command.get_subcommands({}))
    if (!each->get_group().empty()) nearest.offer(each->get_name());
  const std::string meant = nearest.hint();
  std::string typed;
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent()) typed.insert(0, at->get_name() + ' ');
  return usage_error("unknown subcommand \"" + word + '"',
                     (meant.empty() ? "" : meant + ' ') + typed + "--help lists them");
}

void expect_own_output(const CLI::App& root) {
  std::string typed;
  const CLI::App& command = innermost(root, typed);
  const CLI::Option* const output = command.get_option_no_throw("--output");
  if (output == nullptr || output->count() == 0) return;
  const std::string file = output->results().back();
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return;
  const auto is_file = [&](const std::string& value) { return std::filesystem::equivalent(file, value, unknown); };
  // What these write is what they read, changed: it may take its place.
  const bool rewrites = command.get_name() == "relink" || command.get_name() == "schedule";
  for (const CLI::Option* each : command.get_options()) {
    if (each == output || (rewrites && each->get_positional())) continue;
    for (const std::string& value : each->results())
      // "ADDRESS=FILE", too.
      if (is_file(value) || is_file(value.substr(value.find('=') + 1)))
        throw usage_error("-o " + file + " is " +
                              (each->get_positional() ? "the input" : "the file of " + each->get_name()) +
                              ", which would be overwritten",
                          "give it a name of its own");
  }
}

Stop misuse(const CLI::App& root, const CLI::ParseError& error) {
  std::string typed;
  const CLI::App& command = innermost(root, typed);
  // An option that does not exist is what is wrong first.
  if (std::vector<std::string> unknown = root.remaining(true); !unknown.empty()) {
    std::ranges::reverse(unknown);
    return unexpected(command, typed, unknown);
  }
  const std::string said = error.what();
  const std::string help = typed + " --help";
  if (said == "A subcommand is required") return usage_error(typed + " needs a subcommand", help + " lists them");
  if (said.ends_with(" is required")) {
    const CLI::Option* const missing = command.get_option_no_throw(said.substr(0, said.find(' ')));
    const bool reads_input = missing != nullptr && missing->get_description().find("- is standard input") != said.npos;
    return usage_error(said, help + (reads_input ? "; - is standard input" : ""));
  }
  if (const Halves two = split(said, " excludes "))
    return usage_error(two->first + " and " + two->second + " do not go together", "give one of them");
  return usage_error(in_our_words(command, said), help);
}

}  // namespace mobula::cli
