#include "cli/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "mobula/isa/machine.h"

namespace mobula::cli {
namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(between)) + part;
  return text;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// In single quotes of any shell but fish, which takes a backslash in them.
std::string quoted(const std::string& text) { return '\'' + replaced(text, "'", "'\\''") + '\''; }
std::string fish_quoted(const std::string& text) {
  return '\'' + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + '\'';
}

std::string machine_names() {
  std::vector<std::string> names;
  for (const Machine* machine : machines()) names.emplace_back(machine->name());
  return joined(names, " ");
}

bool names_machine(const OptionPage& option) {
  return std::ranges::find(option.names, "--machine") != option.names.end();
}

/// Calls `visit` for every command with the words that lead to it: {"scoreboard", "run"}.
void walk(const CommandPage& command, std::vector<std::string>& words,
          const std::function<void(const CommandPage&, const std::vector<std::string>&)>& visit) {
  visit(command, words);
  for (const CommandPage& each : command.commands) {
    words.push_back(each.name);
    walk(each, words, visit);
    words.pop_back();
  }
}

// ------------------------------------------------------------------------------------------------ manual pages

std::string roff(const std::string& text) {
  std::string safe = replaced(replaced(replaced(text, "\\", "\\e"), "-", "\\-"), "\n.", "\n\\&.");
  safe = replaced(safe, "\n'", "\n\\&'");
  return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string manual_page(const CommandPage& command, const std::vector<std::string>& words, const std::string& version) {
  const std::string title = joined(words, "-"), line = joined(words, " ");
  std::string upper = title;
  std::ranges::transform(upper, upper.begin(),
                         [](char letter) { return letter >= 'a' && letter <= 'z' ? letter - 32 : +letter; });
  std::string text = ".TH " + roff(upper) + " 1 \"\" \"mobula " + version + "\" \"User Commands\"\n";
  text += ".SH NAME\n" + roff(title) + " \\- " + roff(command.purpose) + "\n.SH SYNOPSIS\n.B " + roff(line) + "\n";
  if (!command.commands.empty()) text += "COMMAND\n";
  text += "[OPTION]...\n";
  for (const OptionPage& option : command.options)
    if (option.positional) text += roff(option.names.front()) + "...\n";
  if (!command.commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CommandPage& each : command.commands)
      text += ".TP\n.BR " + roff(title + '-' + each.name) + " (1)\n" + roff(each.purpose) + "\n";
  }
  text += ".SH OPTIONS\n";
  for (const OptionPage& option : command.options)
    text += ".TP\n.B " + roff(joined(option.names, ", ")) + (option.takes_value && !option.positional ? " VALUE" : "") +
            "\n" + roff(option.text) + "\n";
  // What help has after the options: headings, and under each lines to copy.
  text += ".SH EXAMPLES AND EXIT STATUS\n.nf\n" + roff(command.examples) + "\n.fi\n";
  if (words.size() > 1) {
    const std::vector<std::string> parent(words.begin(), words.end() - 1);
    text += ".SH SEE ALSO\n.BR " + roff(joined(parent, "-")) + " (1)\n";
  }
  return text;
}

// ------------------------------------------------------------------------------------------------ completions

std::string bash_completion(const CommandPage& root) {
  std::string steps, words_of,
      value_options = "-m|--machine) COMPREPLY=($(compgen -W \"" + machine_names() + "\" -- \"$current\")); return ;;";
  std::vector<std::string> way;
  walk(root, way, [&](const CommandPage& command, const std::vector<std::string>& words) {
    const std::string path = joined(words, " ");
    if (!words.empty()) {
      const std::vector<std::string> before(words.begin(), words.end() - 1);
      steps += "      \"" + joined(before, " ") + "/" + words.back() + "\") command=\"" + path + "\" ;;\n";
    }
    std::vector<std::string> offered;
    for (const CommandPage& each : command.commands) offered.push_back(each.name);
    for (const OptionPage& option : command.options)
      if (!option.positional) offered.insert(offered.end(), option.names.begin(), option.names.end());
    words_of += "    \"" + path + "\") words=\"" + joined(offered, " ") + "\" ;;\n";
  });
  return "# bash completion of mobula\n"
         "_mobula() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= words= i\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    case \"$command/${COMP_WORDS[i]}\" in\n" +
         steps +
         "    esac\n"
         "  done\n"
         "  case $previous in\n    " +
         value_options +
         "\n  esac\n"
         "  case $command in\n" +
         words_of +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- \"$current\"))\n"
         "}\n"
         "complete -o filenames -F _mobula mobula\n";
}

std::string zsh_text(const std::string& text) {
  return replaced(replaced(replaced(text, "[", "\\["), "]", "\\]"), ":", "\\:");
}

/// What completes the arguments of a command, or its subcommands and theirs.
std::string zsh_arguments(const CommandPage& command, const std::string& indent) {
  const auto line = [&](const std::string& text) { return indent + text + '\n'; };
  const auto argument = [&](const std::string& text) { return " \\\n" + indent + "  " + text; };
  std::string text = indent + "_arguments -C";
  for (const OptionPage& option : command.options) {
    if (option.positional) continue;
    const std::string value = !option.takes_value     ? ""
                              : names_machine(option) ? ":machine:(" + machine_names() + ")"
                                                      : ":value:_files";
    for (const std::string& name : option.names)
      text += argument(quoted(fmt::format("*{}[{}]{}", name, zsh_text(option.text), value)));
  }
  if (command.commands.empty()) return text + argument("'*:file:_files'") + '\n';
  text += argument("'1:command:->command'") + argument("'*::argument:->argument'") + '\n';
  text += line("case $state in") + line("  command)") + line("    local -a known=(");
  for (const CommandPage& each : command.commands)
    text += line("      " + quoted(each.name + ":" + replaced(each.purpose, ":", "\\:")));
  text += line("    )") + line("    _describe command known ;;") + line("  argument)") + line("    case $words[1] in");
  for (const CommandPage& each : command.commands) {
    text += line("      " + each.name + ")");
    text += zsh_arguments(each, indent + "        ");
    text += line("        ;;");
  }
  return text + line("    esac ;;") + line("esac");
}

std::string zsh_completion(const CommandPage& root) {
  return "#compdef mobula\n_mobula() {\n  local curcontext=\"$curcontext\" state line\n" + zsh_arguments(root, "  ") +
         "}\n_mobula \"$@\"\n";
}

std::string fish_completion(const CommandPage& root) {
  std::string text = "# fish completion of mobula\n";
  std::vector<std::string> way;
  walk(root, way, [&](const CommandPage& command, const std::vector<std::string>& words) {
    std::string condition;
    for (const std::string& word : words)
      condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
    if (!command.commands.empty()) {
      std::vector<std::string> names;
      for (const CommandPage& each : command.commands) names.push_back(each.name);
      const std::string none =
          (condition.empty() ? "" : condition + "; and ") + "not __fish_seen_subcommand_from " + joined(names, " ");
      for (const CommandPage& each : command.commands)
        text += "complete -c mobula -n " + fish_quoted(none) + " -a " + each.name + " -d " + fish_quoted(each.purpose) +
                "\n";
    }
    for (const OptionPage& option : command.options) {
      if (option.positional) continue;
      text += "complete -c mobula" + (condition.empty() ? "" : " -n " + fish_quoted(condition));
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_value) text += names_machine(option) ? " -x -a " + fish_quoted(machine_names()) : " -r";
      text += " -d " + fish_quoted(option.text) + "\n";
    }
  });
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> shared_files(const CommandPage& root, const std::string& version) {
  std::vector<std::pair<std::string, std::string>> files{
      {"bash-completion/completions/mobula", bash_completion(root)},
      {"zsh/site-functions/_mobula", zsh_completion(root)},
      {"fish/vendor_completions.d/mobula.fish", fish_completion(root)}};
  std::vector<std::string> way;
  walk(root, way, [&](const CommandPage& command, const std::vector<std::string>& words) {
    std::vector<std::string> whole{root.name};
    whole.insert(whole.end(), words.begin(), words.end());
    files.emplace_back("man/man1/" + joined(whole, "-") + ".1", manual_page(command, whole, version));
  });
  return files;
}

}  // namespace mobula::cli
