// How the help of subcommands reads: options as manuals write them, limits and defaults in words.
#pragma once

#include <memory>
#include <string>

namespace CLI {
class FormatterBase;
class Option;
}  // namespace CLI

namespace mobula::cli {

/// Of the root; its subcommands take it over.
std::shared_ptr<CLI::FormatterBase> help_format();

/// What stands for the option's value, "FILE" or "NAME=VALUE"; empty of a flag.
std::string value_name(const CLI::Option& option);
/// What the option does, with its limits, its default and what it does not go with.
std::string description(const CLI::Option& option);

}  // namespace mobula::cli
