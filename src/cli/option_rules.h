// What options belong to: which others they need, which leave them nothing to act on, and on what kinds of files they
// act. An option that would do nothing is refused.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mobula::cli {

/// The rules of one subcommand, stated beside its options. An option is named as it is typed, "--trace" or "PROGRAM";
/// "--format=shader-db" is the option with this value.
class OptionRules {
 public:
  using Names = std::vector<std::string>;

  explicit OptionRules(CLI::App& app) : app_(app) {}

  /// Each of `options` acts only beside at least one of `others`.
  void need(const Names& options, const Names& others);
  /// None of `options` goes with any of `others`.
  void exclude(const Names& options, const Names& others);
  /// `option` goes with nothing but its company.
  void alone(const std::string& option, const Names& company);
  /// `options` act only on files of these kinds, which expect_kind() asks once it is known what the file is.
  void act_on(const std::vector<Kind>& kinds, const Names& options, InputOptions& input);

  /// A Stop for the first rule that what was typed breaks, and where several things would be read from standard input.
  void check() const;

 private:
  struct Choice {
    std::string text;
    CLI::Option* option;
    std::string value;  ///< empty = any
    [[nodiscard]] bool given() const;
  };
  struct Rule {
    enum class Kind { needs, excludes, alone } kind;
    std::vector<Choice> options, others;
  };
  struct Bond {
    std::vector<Choice> options;
    std::vector<Kind> kinds;
    InputOptions* input;
  };

  [[nodiscard]] std::vector<Choice> choices(const Names& names) const;
  [[nodiscard]] const Bond* bond_of(const Choice& choice) const;
  [[nodiscard]] bool waits_for_kind(const Rule& rule, const Choice& choice) const;
  [[nodiscard]] std::string lacking(const Choice& choice) const;
  void check(const Rule& rule) const;

  CLI::App& app_;
  std::vector<Rule> rules_;
  std::vector<Bond> bonds_;
};

}  // namespace mobula::cli
