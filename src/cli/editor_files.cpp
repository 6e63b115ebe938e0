// One list of patterns for each language, written twice: as a grammar of TextMate, and as a syntax file of Vim. Words
// come from the manual, whose titles say what they are.
#include "cli/editor_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>

#include "mobula/isa/machine.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula::cli {
namespace {

enum class Scope : std::uint8_t {
  comment,
  label,
  reference,
  directive,
  unit,
  mnemonic,
  prefix,
  register_,
  field,
  number
};

struct ScopeNames {
  std::string_view textmate, vim;
};
constexpr std::array<ScopeNames, 10> scope_names{{{"comment.line", "Comment"},
                                                  {"entity.name.function", "Label"},
                                                  {"entity.name.function.reference", "Identifier"},
                                                  {"keyword.control.directive", "PreProc"},
                                                  {"keyword.operator.unit", "Type"},
                                                  {"keyword.mnemonic", "Statement"},
                                                  {"keyword.operator.prefix", "Special"},
                                                  {"variable.other.register", "Identifier"},
                                                  {"keyword.other.field", "Type"},
                                                  {"constant.numeric", "Number"}}};

/// An expression in both dialects: Oniguruma's, and "very magic" of Vim. Where two match at one place, the first of a
/// language's list is meant.
struct Pattern {
  Scope scope;
  std::string textmate, vim;
};

struct Language {
  std::string name, title, extension, comment;  ///< what a comment that an editor makes begins with
  std::vector<Pattern> patterns;
};

// ------------------------------------------------------------------------------------------------ words of the manual

/// What words are whose title in the manual begins so; others are operations.
struct Meaning {
  std::string_view title;
  Scope scope;
};
constexpr std::array meanings{
    Meaning{"unit", Scope::unit},
    Meaning{"load port", Scope::unit},
    Meaning{"memory load", Scope::unit},
    Meaning{"store of", Scope::unit},
    Meaning{"prefix", Scope::prefix},
    Meaning{"register", Scope::register_},
    Meaning{"load/store selector", Scope::register_},
    Meaning{"address register", Scope::register_},
    Meaning{"operand", Scope::register_},
    Meaning{"source", Scope::register_},
    Meaning{"feedthrough", Scope::register_},
    Meaning{"port", Scope::register_},
    Meaning{"predicate", Scope::register_},
    Meaning{"fence counter", Scope::register_},
    Meaning{"temporary register", Scope::register_},
    Meaning{"vertex input", Scope::register_},
    Meaning{"coefficient register", Scope::register_},
    Meaning{"alternate coefficient register", Scope::register_},
    Meaning{"shared register", Scope::register_},
    Meaning{"special", Scope::register_},
    Meaning{"internal register", Scope::register_},
    Meaning{"global register", Scope::register_},
    Meaning{"pixel output", Scope::register_},
    Meaning{"constant memory", Scope::register_},
    Meaning{"index register", Scope::register_},
    Meaning{"selector", Scope::register_},
    Meaning{"control register", Scope::register_},
    Meaning{"SQE register", Scope::register_},
    Meaning{"pipe register", Scope::register_},
};
/// Titles of what documents speak of, and not listings, or what has its meaning by its place in a word.
constexpr std::array<std::string_view, 17> unwritten{
    "policy",       "directive",        "kind of word",   "number of",
    "system value", "operand selector", "store selector", "value of a field",
    "varying",      "uniform",          "part of phase",  "modifier",
    "GPU register", "packet",           "queue",          "control register of",
    "read as"};

bool is_one_of(std::string_view title, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return title.starts_with(each); });
}

Scope scope_of(std::string_view title) {
  const auto* const found =
      std::ranges::find_if(meanings, [&](const Meaning& each) { return title.starts_with(each.title); });
  return found == meanings.end() ? Scope::mnemonic : found->scope;
}

bool is_letter(char each) { return std::isalpha(static_cast<unsigned char>(each)) != 0 || each == '_'; }
bool is_digit(char each) { return std::isdigit(static_cast<unsigned char>(each)) != 0; }

/// Of operations and prefixes what comes before modifiers and inside parentheses: "fadd" of "fadd.rte".
std::string head_of(std::string_view name) {
  const auto is_part = [](char each) { return is_letter(each) || is_digit(each); };
  const auto begin = std::ranges::find_if(name, is_part);
  return {begin, std::find_if_not(begin, name.end(), is_part)};
}

/// Registers that a name of the manual stands for: "r0-r15" for "r#", of any number; "w0, w1" for two; "shN" for "sh#".
std::vector<std::string> registers_of(const std::string& name) {
  if (const std::size_t comma = name.find(", "); comma != std::string::npos)
    return {name.substr(0, comma), name.substr(comma + 2)};
  const std::string letters = name.substr(0, name.find_first_of("0123456789"));
  if (const std::size_t dash = name.find('-'); dash != std::string::npos)
    return name.compare(dash + 1, letters.size(), letters) == 0 ? std::vector{letters + '#'}
                                                                : std::vector<std::string>{};
  if (name.size() > 1 && name.back() == 'N' && std::islower(static_cast<unsigned char>(name[name.size() - 2])) != 0)
    return {name.substr(0, name.size() - 1) + '#'};
  return {name};
}

/// A sigil, letters and digits, "#" at the end for any number.
bool is_word(std::string_view name) {
  if (!name.empty() && std::string_view("$@%|").find(name.front()) != std::string_view::npos)
    name.remove_prefix(1);
  else if (name.empty() || !is_letter(name.front()))
    return false;
  if (name.ends_with('#')) name.remove_suffix(1);
  return std::ranges::all_of(name, [](char each) { return is_letter(each) || is_digit(each); });
}

/// The words of a scope, without those that one with "#" covers.
std::vector<std::string> manual_words(const Manual& manual, Scope scope) {
  std::set<std::string> words;
  for (const ManualEntry& entry : manual.entries) {
    if (is_one_of(entry.title, unwritten) || scope_of(entry.title) != scope) continue;
    if (scope != Scope::register_) {
      if (const std::string head = head_of(entry.mnemonic); !head.empty() && is_letter(head.front()))
        words.insert(head);
      continue;
    }
    std::vector<std::string> names = entry.names;
    names.push_back(entry.mnemonic);
    for (const std::string& name : names)
      for (const std::string& each : registers_of(name))
        if (is_word(each)) words.insert(each);
  }
  std::erase_if(words, [&](const std::string& word) {
    const std::string letters = word.substr(0, word.find_last_not_of("0123456789") + 1);
    return letters != word && words.contains(letters + '#');
  });
  return {words.begin(), words.end()};
}

// ------------------------------------------------------------------------------------------------ patterns

std::string alternatives(const std::vector<std::string>& words, std::string_view digits, std::string_view escaped) {
  std::string text;
  for (const std::string& word : words) {
    text += text.empty() ? "" : "|";
    for (const char each : word) {
      if (each == '#')
        text += digits;
      else if (escaped.find(each) != std::string_view::npos)
        text += std::string("\\") + each;
      else
        text += each;
    }
  }
  return text;
}
std::string in_textmate(const std::vector<std::string>& words) { return alternatives(words, "[0-9]+", "$|"); }
std::string in_vim(const std::vector<std::string>& words) { return alternatives(words, "[0-9]+", "$@%|"); }

/// Words in any case, with what follows them after dots where it belongs to them.
Pattern any_of(Scope scope, const std::vector<std::string>& words, bool modifiers = false, bool after_dot = false) {
  const std::string dot = after_dot ? "" : ".";
  return {scope,
          fmt::format("(?<![\\w$@%|#{}])(?i:{})(?!\\w){}", dot, in_textmate(words), modifiers ? "(?:\\.\\w+)*" : ""),
          fmt::format("\\c[A-Za-z0-9_$@%|#{}]@<!%({}){}[A-Za-z0-9_]@!", dot, in_vim(words),
                      modifiers ? "[A-Za-z0-9_]@!%(\\.[A-Za-z0-9_]+)*" : "")};
}

const Pattern slashes_pattern{Scope::comment, "//.*$", "//.*$"};
const Pattern directive_pattern{Scope::directive, "^\\s*\\.[A-Za-z_]\\w*", "^\\s*\\.[A-Za-z_][A-Za-z0-9_]*"};
const Pattern label_pattern{Scope::label, "^\\s*[A-Za-z_$][\\w$]*(?=\\s*:)", "^\\s*[A-Za-z_$][A-Za-z0-9_$]*(\\s*:)@="};
const Pattern reference_pattern{Scope::reference, "#[A-Za-z_.]\\w*", "#[A-Za-z_.][A-Za-z0-9_]*"};
const Pattern number_pattern{
    Scope::number, "(?<![\\w.])#?-?(?:0x[0-9A-Fa-f_]+|[0-9][0-9_]*(?:\\.[0-9]+)?(?:e[+-]?[0-9]+)?)(?!\\w)",
    "[A-Za-z0-9_.]@<!#?-?%(0x[0-9A-Fa-f_]+|[0-9][0-9_]*%(\\.[0-9]+)?%(e[+-]?[0-9]+)?)[A-Za-z0-9_]@!"};

Pattern own_pattern(const TextPattern& own) {
  constexpr std::array scopes{Scope::comment, Scope::unit, Scope::number};
  return {scopes[static_cast<std::size_t>(own.kind)], std::string(own.oniguruma), std::string(own.vim)};
}

Language language_of(const Machine& machine) {
  const Manual manual = machine.manual();
  Language language{std::string(machine.name()),
                    std::string(machine.name()) + " assembly",
                    std::string(machine.extension()),
                    std::string(manual.comment),
                    {slashes_pattern}};
  std::ranges::transform(manual.patterns, std::back_inserter(language.patterns), own_pattern);
  language.patterns.push_back(label_pattern);
  language.patterns.push_back(directive_pattern);
  for (const Scope scope : {Scope::prefix, Scope::unit, Scope::register_, Scope::mnemonic})
    if (const std::vector<std::string> words = manual_words(manual, scope); !words.empty())
      language.patterns.push_back(any_of(scope, words, scope == Scope::mnemonic,
                                         scope == Scope::mnemonic && manual.has_operations_after_units));
  language.patterns.push_back(number_pattern);
  language.patterns.push_back(reference_pattern);
  return language;
}

Language scoreboard_language() {
  std::vector<std::string> operations;
  for (std::size_t i = 0; i < scoreboard::unit_class_count; ++i)
    operations.emplace_back(name(static_cast<scoreboard::UnitClass>(i)));
  for (std::size_t i = 0; i < scoreboard::function_count; ++i)
    if (const std::string each(name(static_cast<scoreboard::Function>(i)));
        std::ranges::find(operations, each) == operations.end())
      operations.push_back(each);
  return {"scoreboard",
          "Scoreboard workload",
          ".sb",
          "#",
          {{Scope::comment, "#.*$", "#.*$"},
           {Scope::label, "^\\s*[0-9]+(?=\\s+[a-z])", "^\\s*[0-9]+(\\s+[a-z])@="},
           {Scope::directive, "^\\s*reg\\b", "^\\s*reg>"},
           any_of(Scope::mnemonic, operations),
           {Scope::field, "\\b(?:d|s|f|imm|mem|br|predicted|if|trap|g|at)(?==)",
            "<%(d|s|f|imm|mem|br|predicted|if|trap|g|at)(\\=)@="},
           {Scope::register_, "\\b[A-Z][0-9]+\\b", "\\C<[A-Z][0-9]+>"},
           number_pattern}};
}

// ------------------------------------------------------------------------------------------------ files

std::string grammar(const Language& language) {
  nlohmann::ordered_json patterns = nlohmann::ordered_json::array();
  for (const Pattern& each : language.patterns)
    patterns.push_back(
        {{"name", scope_names[static_cast<std::size_t>(each.scope)].textmate}, {"match", each.textmate}});
  const nlohmann::ordered_json json = {
      {"information_for_contributors", "made by `mobula pages` from the tables of mobula"},
      {"scopeName", "source.mobula." + language.name},
      {"patterns", patterns}};
  return json.dump(2) + '\n';
}

/// Of matches at one place Vim takes the last that was defined.
std::string vim_syntax(const Language& language) {
  std::string text = "\" Vim syntax of mobula: " + language.title + ". Made by `mobula pages`.\n" +
                     "if exists(\"b:current_syntax\")\n  finish\nendif\n";
  std::set<std::string> groups;
  for (auto each = language.patterns.rbegin(); each != language.patterns.rend(); ++each) {
    const std::string_view kind = scope_names[static_cast<std::size_t>(each->scope)].vim;
    const std::string group = "mobula" + std::string(kind);
    std::string expression;
    for (const char letter : each->vim) expression += letter == '/' ? "\\/" : std::string(1, letter);
    text += fmt::format("syntax match {} /\\v{}/\n", group, expression);
    groups.insert(fmt::format("highlight default link {} {}\n", group, kind));
  }
  for (const std::string& link : groups) text += link;
  return text + "let b:current_syntax = \"" + language.name + "\"\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> editor_files() {
  std::vector<Language> languages;
  for (const Machine* machine : machines()) languages.push_back(language_of(*machine));
  languages.push_back(scoreboard_language());
  std::vector<std::pair<std::string, std::string>> files;
  std::string detection = "\" Vim: which files mobula's languages are in. Made by `mobula pages`.\n";
  for (const Language& language : languages) {
    files.emplace_back("mobula/editors/vscode/syntaxes/" + language.name + ".json", grammar(language));
    files.emplace_back("vim/vimfiles/syntax/" + language.name + ".vim", vim_syntax(language));
    files.emplace_back(
        "vim/vimfiles/ftplugin/" + language.name + ".vim",
        "\" Vim: comments. Made by `mobula pages`.\nsetlocal commentstring=" + language.comment + "\\ %s\n");
    detection += fmt::format("autocmd BufNewFile,BufRead *{} setfiletype {}\n", language.extension, language.name);
  }
  files.emplace_back("vim/vimfiles/ftdetect/mobula.vim", detection);
  return files;
}

}  // namespace mobula::cli
