#include "cli/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

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
    text += ".TP\n.B " + roff(joined(option.names, ", ")) +
            (option.value.empty() || option.positional ? "" : ' ' + roff(option.value)) + "\n" + roff(option.text) +
            "\n";
  // What help has after the options: headings, and under each lines to copy.
  text += ".SH EXAMPLES AND EXIT STATUS\n.nf\n" + roff(command.examples) + "\n.fi\n";
  if (words.size() > 1) {
    const std::vector<std::string> parent(words.begin(), words.end() - 1);
    text += ".SH SEE ALSO\n.BR " + roff(joined(parent, "-")) + " (1)\n";
  }
  return text;
}

// ------------------------------------------------------------------------------------------------ Markdown

/// As plain text between words of Markdown, in a table, too.
std::string plain(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (std::string_view("|<>&*_`[]\\").find(letter) != std::string_view::npos)
      safe += fmt::format("&#{};", static_cast<int>(letter));
    else
      safe += letter == '\n' ? ' ' : letter;
  }
  return safe;
}

std::string markdown_page(const CommandPage& command, const std::vector<std::string>& words) {
  const std::string line = joined(words, " ");
  std::string usage = line + (command.commands.empty() ? "" : " COMMAND") + " [OPTION]...";
  std::string options;
  for (const OptionPage& option : command.options) {
    if (option.positional) usage += ' ' + option.names.front() + "...";
    std::string values;
    for (const std::string& value : option.values) values += (values.empty() ? "; one of `" : ", `") + value + '`';
    options +=
        fmt::format("| `{}{}` | {}{} |\n", joined(option.names, ", "),
                    option.value.empty() || option.positional ? "" : ' ' + option.value, plain(option.text), values);
  }
  std::string text = "# " + line + "\n\n" + plain(command.purpose) + "\n\n```\n" + usage + "\n```\n";
  if (!command.commands.empty()) text += "\n## Commands\n\n| command | what it does |\n| --- | --- |\n";
  for (const CommandPage& each : command.commands)
    text += fmt::format("| [{0} {1}]({2}-{1}.md) | {3} |\n", line, each.name, joined(words, "-"), plain(each.purpose));
  text += "\n## Options\n\n| option | what it does |\n| --- | --- |\n" + options;
  const std::size_t first = std::min(command.examples.find_first_not_of('\n'), command.examples.size());
  return text + "\n## Examples and exit status\n\n```\n" + command.examples.substr(first) +
         (command.examples.ends_with('\n') ? "" : "\n") + "```\n";
}

// ------------------------------------------------------------------------------------------------ completions

/// The script's head: words as they were typed, which readline has cut at ":" and "=".
constexpr std::string_view bash_head =
    "# bash completion of mobula\n"
    "_mobula() {\n"
    "  local -a typed=()\n"
    "  local piece last=-1 i option value values= command= words=\n"
    "  for piece in \"${COMP_WORDS[@]:0:COMP_CWORD + 1}\"; do\n"
    "    if ((last > 0)) && [[ $piece == [:=]* || ${typed[last]} == *[:=] ]]; then\n"
    "      typed[last]+=$piece\n"
    "    else\n"
    "      typed[++last]=$piece\n"
    "    fi\n"
    "  done\n"
    "  for ((i = 1; i < last; ++i)); do\n"
    "    case \"$command/${typed[i]}\" in\n";
/// What follows the commands: the values of an option, or else what the command takes.
constexpr std::string_view bash_values =
    "    esac\n"
    "  done\n"
    "  option=${typed[last - 1]} value=${typed[last]}\n"
    "  [[ $value != --*=* ]] || { option=${value%%=*} value=${value#*=}; }\n"
    "  case \"$command $option\" in\n";
constexpr std::string_view bash_words =
    "  esac\n"
    "  if [[ $values ]]; then\n"
    "    COMPREPLY=($(compgen -W \"$values\" -- \"$value\"))\n"
    "    [[ $value != *[:=]* ]] || COMPREPLY=(\"${COMPREPLY[@]#\"${value%\"${value##*[:=]}\"}\"}\")\n"
    "    return\n"
    "  fi\n"
    "  case $command in\n";
constexpr std::string_view bash_tail =
    "  esac\n"
    "  COMPREPLY=($(compgen -W \"$words\" -- \"$value\"))\n"
    "  [[ $value == -* ]] || COMPREPLY+=($(compgen -f -- \"$value\"))\n"
    "}\n"
    "complete -o filenames -F _mobula mobula\n";

std::string bash_completion(const CommandPage& root) {
  std::string steps, words_of;
  std::map<std::string, std::string> patterns;  // of commands with their option, by the option's values
  std::vector<std::string> way;
  walk(root, way, [&](const CommandPage& command, const std::vector<std::string>& words) {
    const std::string path = joined(words, " ");
    if (!words.empty()) {
      const std::vector<std::string> before(words.begin(), words.end() - 1);
      steps += "      \"" + joined(before, " ") + "/" + words.back() + "\") command=\"" + path + "\" ;;\n";
    }
    std::vector<std::string> offered;
    for (const CommandPage& each : command.commands) offered.push_back(each.name);
    for (const OptionPage& option : command.options) {
      const std::vector<std::string>& added = option.positional ? option.values : option.names;
      offered.insert(offered.end(), added.begin(), added.end());
      if (option.positional || option.values.empty()) continue;
      std::string& pattern = patterns[joined(option.values, " ")];
      for (const std::string& name : option.names)
        pattern += fmt::format("{}\"{} {}\"", pattern.empty() ? "" : "|", path, name);
    }
    words_of += "    \"" + path + "\") words=\"" + joined(offered, " ") + "\" ;;\n";
  });
  std::string text = std::string(bash_head) + steps + std::string(bash_values);
  for (const auto& [values, pattern] : patterns) text += fmt::format("    {}) values=\"{}\" ;;\n", pattern, values);
  return text + std::string(bash_words) + words_of + std::string(bash_tail);
}

std::string zsh_text(const std::string& text) {
  return replaced(replaced(replaced(text, "[", "\\["), "]", "\\]"), ":", "\\:");
}

/// What completes the value of an option or an argument.
std::string zsh_value(const OptionPage& option) {
  return option.values.empty() ? ":_files" : ":(" + replaced(joined(option.values, " "), ":", "\\:") + ")";
}

/// What completes the arguments of a command, or its subcommands and theirs.
std::string zsh_arguments(const CommandPage& command, const std::string& indent) {
  const auto line = [&](const std::string& text) { return indent + text + '\n'; };
  const auto argument = [&](const std::string& text) { return " \\\n" + indent + "  " + text; };
  std::string text = indent + "_arguments -C";
  for (const OptionPage& option : command.options) {
    if (option.positional) continue;
    const std::string value = !option.value.empty() ? ":value" + zsh_value(option) : "";
    for (const std::string& name : option.names)
      text += argument(quoted(fmt::format("*{}[{}]{}", name, zsh_text(option.text), value)));
  }
  if (command.commands.empty()) {
    const auto positional = std::ranges::find_if(command.options, &OptionPage::positional);
    const std::string value = positional == command.options.end() ? ":_files" : zsh_value(*positional);
    return text + argument(quoted("*:argument" + value)) + '\n';
  }
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
      const std::string values = option.values.empty() ? "" : " -a " + fish_quoted(joined(option.values, " "));
      if (option.positional && values.empty()) continue;
      text += "complete -c mobula" + (condition.empty() ? "" : " -n " + fish_quoted(condition));
      if (option.positional) {
        text += values + "\n";
        continue;
      }
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) text += values.empty() ? " -r" : " -x" + values;
      text += " -d " + fish_quoted(option.text) + "\n";
    }
  });
  return text;
}

}  // namespace

namespace {
/// Calls `visit` for every command with all words of its line.
void walk_lines(const CommandPage& root,
                const std::function<void(const CommandPage&, const std::vector<std::string>&)>& visit) {
  std::vector<std::string> way;
  walk(root, way, [&](const CommandPage& command, const std::vector<std::string>& words) {
    std::vector<std::string> whole{root.name};
    whole.insert(whole.end(), words.begin(), words.end());
    visit(command, whole);
  });
}
}  // namespace

std::vector<std::pair<std::string, std::string>> markdown_files(const CommandPage& root) {
  std::vector<std::pair<std::string, std::string>> files;
  walk_lines(root, [&](const CommandPage& command, const std::vector<std::string>& words) {
    files.emplace_back(joined(words, "-") + ".md", markdown_page(command, words));
  });
  return files;
}

std::vector<std::pair<std::string, std::string>> shared_files(const CommandPage& root, const std::string& version) {
  std::vector<std::pair<std::string, std::string>> files{
      {"bash-completion/completions/mobula", bash_completion(root)},
      {"zsh/site-functions/_mobula", zsh_completion(root)},
      {"fish/vendor_completions.d/mobula.fish", fish_completion(root)}};
  walk_lines(root, [&](const CommandPage& command, const std::vector<std::string>& words) {
    files.emplace_back("man/man1/" + joined(words, "-") + ".1", manual_page(command, words, version));
  });
  return files;
}

}  // namespace mobula::cli
