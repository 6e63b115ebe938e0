// What is wrong with what was typed: what CLI11 finds, in the words of all other messages.
#pragma once

#include "cli/command.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace mobula::cli {

/// A Stop where -o names a file that another option or argument names: it would be lost. relink and schedule may
/// write over the program that they rewrite.
void expect_own_output(const CLI::App& root);

Stop misuse(const CLI::App& root, const CLI::ParseError& error);

/// Of a word that names no subcommand of `command`.
Stop no_such_subcommand(const CLI::App& command, const std::string& word);

}  // namespace mobula::cli
