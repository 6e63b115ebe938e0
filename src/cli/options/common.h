// What the options of several subcommands have in common. The files of this folder, with option_rules.cpp and main.cpp,
// are the only ones that know CLI11: they fill the plain options of command.h.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/option_rules.h"

namespace mobula::cli {

/// What the subcommand that was typed does.
using Chosen = std::function<Exit()>;

/// Where a subcommand goes, under which name, and what it sets when it was typed.
struct SubcommandPlace {
  CLI::App& parent;
  Chosen& chosen;
  std::string name;
};
/// A subcommand, and what gives its parent it and its options.
struct Subcommand {
  std::string_view name;
  void (*add)(const SubcommandPlace& place);
};

/// The end of a subcommand's help.
std::string footer(const std::string& examples);

/// A subcommand that calls `run` with the options it was given.
template <class Options>
struct Added {
  CLI::App& app;
  Options& options;
  OptionRules& rules;
};
template <class Options>
Added<Options> add(const SubcommandPlace& place, const std::string& purpose, const std::string& examples,
                   Exit (*run)(const Options&)) {
  CLI::App& app = *place.parent.add_subcommand(place.name, purpose);
  app.footer(footer(examples));
  app.fallthrough();
  const auto options = std::make_shared<Options>();
  const auto rules = std::make_shared<OptionRules>(app);
  app.callback([=, &chosen = place.chosen] {
    rules->check();
    chosen = [=] { return run(*options); };
  });
  return {app, *options, *rules};
}

/// --machine alone, of subcommands that read no programs.
void add_machine(CLI::App& app, std::string& machine);
/// FILE or FILES, and --machine.
void add_input(CLI::App& app, InputOptions& input, bool several);
void add_syntax(CLI::App& app, InputOptions& input);
/// Of subcommands that take every variant of a machine.
void allow_all_variants(CLI::App& app);
void add_container(CLI::App& app, OptionRules& rules, InputOptions& input);
/// -O, of what compiles.
void add_level(CLI::App& app, std::optional<unsigned>& level);
void add_output(CLI::App& app, OutputOptions& output);
/// Of work that several computers can do together. `merge` puts it together again.
void add_shard(CLI::App& app, std::string& shard, const std::string& merge);
void add_policies(CLI::App& app, std::vector<std::string>& policies);
/// Of subcommands that count and time.
void add_format(CLI::App& app, std::string& format);
void add_feed(CLI::App& app, FeedOptions& feed);
/// FILE, and all that says how a program is read from it.
void add_program(CLI::App& app, OptionRules& rules, InputOptions& input);
/// The same for several files.
void add_programs(CLI::App& app, OptionRules& rules, InputOptions& input);

}  // namespace mobula::cli
