// An open text as the language server knows it: which machine it is for, what is wrong with it, its labels, and the
// words it becomes. Knows no protocol.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/isa/manual.h"
#include "mobula/lab/timing.h"
#include "servers/positions.h"

namespace mobula::servers {

/// Bytes of a text from `begin` to before `end`.
struct TextRange {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] bool holds(std::size_t offset) const { return begin <= offset && offset <= end; }
};

/// What a text is written in.
struct Language {
  const Machine* machine = nullptr;  ///< null: operations of the scoreboard core
  std::string variant;
};
/// By the client's name for the language, a machine's or "scoreboard", else by the end of the file's name, ".mdg".
/// Nothing: neither is known.
std::optional<Language> language_of(std::string_view language_id, std::string_view uri);

/// Something wrong, and where.
struct Finding {
  Severity severity = Severity::error;
  std::string code, message;
  TextRange where;
};

struct LabelPlace {
  std::string name;
  TextRange where;
};

/// What a word costs, beside it.
struct Cost {
  TextRange where;  ///< the line's end
  std::string text, explanation;
};

/// What there is to say about a name.
struct Explanation {
  std::string markdown;
  TextRange where;
};

class Document {
 public:
  Document(std::string uri, Language language, std::string text, std::int64_t version);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const std::string uri;
  const Language language;
  const std::string text;
  const std::int64_t version;

  /// Errors of the assembler, or what the rules say of the program; in the order of the text.
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  /// In the order of the text.
  [[nodiscard]] const std::vector<LabelPlace>& definitions() const { return definitions_; }
  /// Of the name at this place; empty if none is there.
  [[nodiscard]] std::string_view label_at(std::size_t offset) const;
  /// Wherever the label is named, its definitions included.
  [[nodiscard]] std::vector<TextRange> places_of(std::string_view label) const;
  [[nodiscard]] std::optional<Explanation> explain(std::size_t offset) const;
  /// The part of a name that ends at this place: what a completion replaces.
  [[nodiscard]] TextRange name_before(std::size_t offset) const;
  /// Cycles of each word for a thread that is alone on the core; of a workload's operations the clocks. Computed once.
  [[nodiscard]] const std::vector<Cost>& costs() const;

 private:
  void assemble();
  void read_workload();
  void add(const Diagnostic& diagnostic);
  void find_labels();
  [[nodiscard]] std::size_t offset_of(std::uint32_t line, std::uint32_t column) const;
  [[nodiscard]] TextRange line_range(std::uint32_t line) const;
  [[nodiscard]] TextRange name_around(std::size_t offset) const;
  [[nodiscard]] std::vector<Cost> word_costs() const;
  [[nodiscard]] std::vector<Cost> operation_costs() const;

  std::vector<std::size_t> lines_;  ///< begin of each, as the assemblers count them
  std::vector<Finding> findings_;
  std::vector<LabelPlace> definitions_;
  std::optional<Program> program_;
  mutable std::optional<std::vector<Cost>> costs_;
};

/// The manual of a machine, made when it is first asked for.
const Manual& manual_of(const Machine& machine);
/// An entry as Markdown.
std::string markdown_of(const ManualEntry& entry);

}  // namespace mobula::servers
