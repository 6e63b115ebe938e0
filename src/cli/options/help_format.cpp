#include "cli/options/help_format.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

namespace mobula::cli {
namespace {

/// What stands for the values of options that are not numbers. One of the same name takes the same everywhere.
struct ValueName {
  std::string_view option, value;
};
constexpr std::array value_names = std::to_array<ValueName>({{"attribute", "MOVE"},
                                                             {"axis", "MEMBER=VALUES"},
                                                             {"baseline", "FILE"},
                                                             {"by", "COLUMN"},
                                                             {"color", "WHEN"},
                                                             {"config", "FILE"},
                                                             {"container", "FORM"},
                                                             {"core", "NAME"},
                                                             {"costs", "FILE"},
                                                             {"define", "NAME[=VALUE]"},
                                                             {"emit", "FORM"},
                                                             {"energy", "NAME=NUMBER"},
                                                             {"engine", "ENGINE"},
                                                             {"find", "PATTERN"},
                                                             {"format", "FORM"},
                                                             {"function", "PLACE"},
                                                             {"image", "WIDTHxHEIGHT"},
                                                             {"include", "FOLDER"},
                                                             {"inputs", "FILE"},
                                                             {"konata", "FILE"},
                                                             {"machine", "MACHINE"},
                                                             {"matrix-svg", "FILE"},
                                                             {"memory", "ADDRESS=FILE"},
                                                             {"mix", "MIX"},
                                                             {"output", "FILE"},
                                                             {"packet", "PACKET"},
                                                             {"param", "NAME=NUMBER"},
                                                             {"path", "PATH"},
                                                             {"per", "COLUMN"},
                                                             {"perfetto", "FILE"},
                                                             {"pixel-format", "[NAME=]FORMAT"},
                                                             {"policy", "NAME=VALUE"},
                                                             {"power", "FILE"},
                                                             {"predictor", "NAME"},
                                                             {"preset", "CORE"},
                                                             {"program", "FILE"},
                                                             {"reference", "FILE"},
                                                             {"script", "FILE"},
                                                             {"set", "REGISTER=VALUE"},
                                                             {"shard", "PART/PARTS"},
                                                             {"side", "FILE"},
                                                             {"stage", "STAGE"},
                                                             {"stream", "[CORE=]FILE"},
                                                             {"svg", "FILE"},
                                                             {"syntax", "NAME"},
                                                             {"tested", "FILE"},
                                                             {"timeline-json", "FILE"},
                                                             {"title", "TEXT"},
                                                             {"uniform", "MOVE"},
                                                             {"varying", "MOVE"},
                                                             {"vcd", "FILE"},
                                                             {"where", "COLUMN=VALUE"},
                                                             {"x", "COLUMN"},
                                                             {"y", "COLUMN"}});

/// As CLI11 names types, with the limits behind a colon: "UINT:INT in [1 - 256]".
bool is_number(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT");
}

/// "1 to 256"; empty if any number is taken.
std::string limits(const CLI::Option& option) {
  constexpr std::string_view before = " in [", between = " - ";
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find(before), middle = type.find(between, begin), end = type.find(']', middle);
  if (begin == type.npos || middle == type.npos || end == type.npos) return {};
  const std::size_t first = begin + before.size(), second = middle + between.size();
  return type.substr(first, middle - first) + " to " + type.substr(second, end - second);
}

/// As it would be typed; empty if there is none.
std::string default_of(const CLI::Option& option) {
  std::string value = option.get_default_str();  // "[a]" of an option that takes several
  if (value.starts_with('[') && value.ends_with(']')) value = value.substr(1, value.size() - 2);
  return value;
}

bool is_repeated(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size ||
         (option.get_items_expected_max() > option.get_type_size() && option.get_type_size() > 1);
}

class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) return option->get_name(true, false);
    std::string names;
    for (const std::string& name : option->get_snames()) names += (names.empty() ? "-" : ", -") + name;
    for (const std::string& name : option->get_lnames()) names += (names.empty() ? "--" : ", --") + name;
    return names;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional()) return is_repeated(*option) ? "..." : "";
    const std::string value = value_name(*option);
    return value.empty() ? "" : ' ' + value;
  }
  std::string make_option_desc(const CLI::Option* option) const override { return description(*option); }
  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name = option->get_name(true, false);
    const auto least = static_cast<std::size_t>(option->get_required() ? option->get_expected_min() : 0);
    if (is_repeated(*option)) return least == 0 ? '[' + name + "...]" : name + "...";
    std::string words;
    for (std::size_t i = 0; i < static_cast<std::size_t>(option->get_expected_max()); ++i)
      words += (i == 0 ? "" : " ") + (i < least ? name : '[' + name + ']');
    return words;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_format() { return std::make_shared<HelpFormat>(); }

std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  if (!option.get_option_text().empty()) return option.get_option_text();
  if (is_number(option)) return "NUMBER";
  if (option.get_lnames().empty()) return option.get_name(true);
  const auto known = std::ranges::find(value_names, option.get_lnames().front(), &ValueName::option);
  return known == value_names.end() ? "VALUE" : std::string(known->value);
}

std::string description(const CLI::Option& option) {
  std::string text = option.get_description();
  const auto add = [&](const std::string& more) { text += "; " + more; };
  if (!option.get_positional() && is_repeated(option)) add("may be given several times");
  if (const std::string range = limits(option); !range.empty()) add(range);
  if (const std::string value = default_of(option); !value.empty()) add("by default " + value);
  for (const CLI::Option* other : option.get_excludes()) add("not with " + other->get_name());
  return text;
}

}  // namespace mobula::cli
