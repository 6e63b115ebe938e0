// The command line: reads what was typed, and runs the subcommand. Its options are in options/.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <sstream>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/choices.h"
#include "cli/command.h"
#include "cli/editor_files.h"
#include "cli/misuse.h"
#include "cli/options/help_format.h"
#include "cli/options/subcommands.h"
#include "cli/pages.h"
#include "cli/response_file.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "cli/version.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/laboratory.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula::cli {
namespace {

/// The compilers' libraries allocate and free much that is small: putting it together each time, and giving it back to
/// the system, which clears it when it is asked for again, takes longer than using it.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int mebibyte = 1 << 20;
  mallopt(M_MXFAST, 0);
  mallopt(M_TOP_PAD, 64 * mebibyte);
  mallopt(M_TRIM_THRESHOLD, 512 * mebibyte);
  mallopt(M_MMAP_THRESHOLD, 32 * mebibyte);
#endif
}

// ------------------------------------------------------------------------------------------------ help and pages

CLI::App& command_named(CLI::App& root, const std::vector<std::string>& words) {
  CLI::App* at = &root;
  for (const std::string& word : words) {
    const auto all = at->get_subcommands({});
    const auto found = std::ranges::find_if(all, [&](const CLI::App* each) { return each->check_name(word); });
    if (found == all.end()) throw no_such_subcommand(*at, word);
    at = *found;
  }
  return *at;
}

void add_help(CLI::App& root, Chosen& chosen) {
  CLI::App& app = *root.add_subcommand("help", "Shows the help of a subcommand.");
  app.footer(
      footer("  mobula help\n"
             "  mobula help disasm\n"
             "  mobula help scoreboard run\n"));
  const auto words = std::make_shared<std::vector<std::string>>();
  app.add_option("COMMAND", *words, "Subcommand; without one, mobula itself");
  app.callback([&root, &chosen, words] {
    chosen = [&root, words] {
      const CLI::App& wanted = command_named(root, *words);
      std::string before = words->empty() ? "" : "mobula";
      for (std::size_t i = 0; i + 1 < words->size(); ++i) before += ' ' + (*words)[i];
      write_output("-",
                   root.get_formatter()->make_help(&wanted, (before.empty() ? "" : before + ' ') + wanted.get_name(),
                                                   CLI::AppFormatMode::Normal));
      return Exit::done;
    };
  });
}

/// What completions offer for an option: the sets that commands check it against.
std::vector<std::string> values_of(const CLI::App& command, const std::string& option) {
  const auto all = [](const auto& names) { return std::vector<std::string>(names.begin(), names.end()); };
  const auto of_machines = [](auto add) {
    std::vector<std::string> values;
    for (const Machine* machine : machines()) add(*machine, values);
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  };
  if (option == "MACHINE")
    return of_machines([](const Machine& machine, auto& values) { values.emplace_back(machine.name()); });
  if (option == "--machine")
    return of_machines([](const Machine& machine, auto& values) {
      values.emplace_back(machine.name());
      for (const Variant& each : machine.variants())
        values.push_back(std::string(machine.name()) + ':' + std::string(each.name));
    });
  if (option == "--syntax")
    return of_machines([](const Machine& machine, auto& values) {
      for (const Syntax& each : machine.syntaxes()) values.emplace_back(each.name);
    });
  if (option == "--policy")
    return of_machines([](const Machine& machine, auto& values) {
      for (const Policy& policy : machine.policies())
        for (const std::string_view value : policy.values)
          values.push_back(std::string(policy.name) + '=' + std::string(value));
    });
  if (option == "--preset" || option == "NAME") {
    std::vector<std::string> values;
    for (const scoreboard::Preset& each : scoreboard::presets()) values.emplace_back(each.name);
    return values;
  }
  if (option == "COMMAND") {
    std::vector<std::string> values;
    for (const CLI::App* each : command.get_parent()->get_subcommands({}))
      if (!each->get_group().empty()) values.push_back(each->get_name());
    return values;
  }
  if (option == "--color") return all(colour_names);
  if (option == "--container") return all(container_names);
  if (option == "--stage") return all(stage_names);
  if (option == "--engine") return all(engine_names);
  if (option == "--emit") return all(emit_names);
  if (option == "--path") return all(path_names);
  if (option == "--predictor") return all(predictor_names);
  if (option == "--format") return all(report_format_names);
  return {};
}

CommandPage page_of(const CLI::App& app, const std::vector<OptionPage>& common) {
  CommandPage page{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    OptionPage row{{}, value_name(*option), option->get_positional(), description(*option), {}};
    for (const std::string& name : option->get_snames()) row.names.push_back('-' + name);
    for (const std::string& name : option->get_lnames()) row.names.push_back("--" + name);
    if (row.positional) row.names = {option->get_name(true)};
    for (const std::string& name : row.names)
      if (row.values.empty()) row.values = values_of(app, name);
    page.options.push_back(std::move(row));
  }
  page.options.insert(page.options.end(), common.begin(), common.end());
  std::vector<OptionPage> everywhere;  // what subcommands take, too
  for (const OptionPage& option : page.options)
    if (option.names.back() == "--color") everywhere.push_back(option);
  for (const CLI::App* each :
       app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); }))
    page.commands.push_back(page_of(*each, everywhere));
  return page;
}

/// For whoever packs mobula: not listed.
void add_pages(CLI::App& root, Chosen& chosen) {
  CLI::App& app =
      *root.add_subcommand("pages", "Writes manual pages, shells' completions and editors' files into a folder.");
  app.group("");
  const auto folder = std::make_shared<std::string>();
  app.add_option("FOLDER", *folder, "Where to")->required();
  const auto markdown = std::make_shared<bool>();
  app.add_flag("--markdown", *markdown, "Write pages of a site instead: one of each command");
  app.callback([&root, &chosen, folder, markdown] {
    chosen = [&root, folder, markdown] {
      const CommandPage page = page_of(root, {});
      std::vector<std::pair<std::string, std::string>> files =
          *markdown ? markdown_files(page) : shared_files(page, MOBULA_VERSION);
      if (!*markdown) std::ranges::move(editor_files(), std::back_inserter(files));
      for (const auto& [name, content] : files) {
        const std::filesystem::path file = std::filesystem::path(*folder) / name;
        std::error_code failed;
        std::filesystem::create_directories(file.parent_path(), failed);
        if (failed) throw usage_error("cannot make " + file.parent_path().string() + ": " + failed.message());
        write_output(file.string(), content);
      }
      return Exit::done;
    };
  });
}

bool is_beyond_64_bits(std::string_view value) {
  std::uint64_t number = 0;
  return std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc::result_out_of_range;
}

/// No option takes an empty text, and those that count from 0 would take -1, and what has more than 64 bits, as the
/// largest number there is.
void refuse_empty_and_unfit(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    const bool counts = option->get_type_name().starts_with("UINT");
    option->check([counts](const std::string& value) -> std::string {
      if (value.empty()) return "an empty value";
      if (counts && value.front() == '-') return value + " is negative";
      return counts && is_beyond_64_bits(value) ? value + " is too large" : "";
    });
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) refuse_empty_and_unfit(*command);
}

/// Gives the root the subcommand that the first word names, whose options are most of what a short command takes time
/// for besides. Where it names none: all of them, for help and for what was meant.
void add_subcommands(CLI::App& app, Chosen& chosen, const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "--version" || first == "-V") return;
  const std::array tables{reading_subcommands(), compile_subcommands(), run_subcommands(), scoreboard_subcommands()};
  const auto add_those = [&](const auto& is_wanted) {
    for (const std::span<const Subcommand> table : tables)
      for (const Subcommand& each : table)
        if (is_wanted(each)) each.add({app, chosen, std::string(each.name)});
  };
  add_those([&](const Subcommand& each) { return each.name == first; });
  if (!app.get_subcommands({}).empty()) return;
  add_those([](const Subcommand&) { return true; });
  add_help(app, chosen);
  add_pages(app, chosen);
  if (!first.empty() && !first.starts_with('-')) command_named(app, {first});
}

Exit run(int count, char** arguments) {
  CLI::App app("Reads, writes, checks, executes and times the machine code of mobile GPUs.", "mobula");
  app.formatter(help_format());
  app.set_version_flag("-V,--version", version_text);
  app.require_subcommand(1);
  app.footer(footer(help_text("examples") + "  mobula help disasm\n"));
  std::string colour = "auto";
  app.add_option(
      "--color", colour,
      "Colours in listings and messages: auto (on a terminal, or where CLICOLOR_FORCE is set, unless NO_COLOR "
      "is), always or never");

  Chosen chosen;
  std::vector<std::string> words = with_response_files({arguments + 1, arguments + count});
  add_subcommands(app, chosen, words);
  refuse_empty_and_unfit(app);
  try {
    std::ranges::reverse(words);  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream text;
    app.exit(asked, text, text);
    write_output("-", text.str());
    return Exit::done;
  } catch (const CLI::ParseError& error) {
    throw misuse(app, error);
  }
  expect_own_output(app);
  set_colour(colour);
  std::optional<ProgressDisplay> progress;
  constexpr std::array<std::string_view, 5> waiting{"debug", "dap", "gdbserver", "lsp",
                                                    "serve"};  // for a person or a client
  if (std::ranges::find(waiting, app.get_subcommands().front()->get_name()) == waiting.end()) progress.emplace();
  return chosen();
}

/// Standard output may be what failed.
void try_to_write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) std::fflush(stdout);
}

}  // namespace
}  // namespace mobula::cli

int main(int count, char** arguments) {
  using namespace mobula::cli;
  keep_freed_memory();
  handle_interrupts();
  Stop failed;
  try {
    return static_cast<int>(run(count, arguments));
  } catch (const Stop& stop) {
    failed = stop;
  } catch (const std::bad_alloc&) {
    failed = usage_error("there is not enough memory for this",
                         "a smaller input, fewer threads or pixels, or a lower limit needs less");
  } catch (const std::exception& bug) {
    failed = usage_error(std::string("internal error: ") + bug.what(),
                         "this is a bug in mobula; please report it with the command and its input");
    failed.status = Exit::internal;
  }
  print(failed.diagnostics);
  if (std::any_of(arguments, arguments + count, [](std::string_view each) { return each == "--json"; }))
    try_to_write(failure_envelope(failed));
  return static_cast<int>(failed.status);
}
