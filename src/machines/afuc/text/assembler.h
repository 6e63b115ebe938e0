// Reading firmware's text: one assembler for all dialects. Its parts: parse.cpp lines and instructions,
// parse_operands.cpp what is in them, parse_encode.cpp words and labels.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/token_cursor.h"
#include "machines/afuc/spec/codec.h"
#include "machines/afuc/spec/names.h"
#include "machines/afuc/text/tokens.h"
#include "mobula/isa/machine.h"

namespace mobula::afuc {

/// Firmware is loaded as one piece; targets have 26 bits.
inline constexpr std::size_t most_assembled_words = 1 << 26, most_parse_errors = 1000;

/// A label or symbol times a factor, as part of a number.
struct Term {
  std::string_view name;
  bool symbol = false;  ///< a program of the image, or its end: "#.LPAC"
  std::int64_t factor = 1;
  Span where;
};
struct Number {
  std::int64_t value = 0;
  std::vector<Term> terms;
  Span where;
  [[nodiscard]] bool is_plain() const { return terms.empty(); }
};

/// An operand as written.
struct Written {
  enum class Kind : std::uint8_t { reg, bit, number, access, target } kind = Kind::number;
  unsigned reg = 0;  ///< also the base of an access
  unsigned bit = 0;
  Number number;  ///< also the offset of an access, and a target's label or number
  std::uint32_t shift = 0;
  bool shifted = false;
  bool pre = false;
  std::optional<std::uint32_t> flags;  ///< bits 15:12 as old listings write them
  Span where;
};

/// What has to be put into a word when all labels are known.
struct Fixup {
  enum class Kind : std::uint8_t { field, relative, absolute, skip, payload } kind = Kind::field;
  const Field* field = nullptr;
  std::size_t word = 0;
  std::uint32_t section = 0;
  Number number;
};

/// A word written as an instruction that does not use all of its bits.
struct LooseWord {
  std::uint32_t word = 0;
  std::string_view name;
  Span where;
};

struct Section {
  std::string name;
  std::size_t start = 0;
  Span where;
  std::unordered_map<std::string_view, std::size_t> labels;  // words of the image
  std::optional<std::size_t> table;
};

class Assembler : TokenCursor {
 public:
  Assembler(const SourceText& source, const AssembleOptions& options, Names names)
      : source_(source.file, source.text),
        file_(source.file),
        chip_(find_chip(options.variant)),
        variant_(options.variant),
        names_(names) {
    sections_.emplace_back();
  }

  Result<Program> run();

 private:
  // Tokens.
  void error(Span span, std::string code, std::string message, std::string hint = {}) {
    if (diagnostics_.size() < most_parse_errors)
      diagnostics_.push_back(
          {Severity::error, std::move(code), source_.locate(span), std::move(message), std::move(hint)});
  }
  bool expect(std::string_view spelling) {
    if (accept(spelling)) return true;
    error(peek().span(), "AF101", "expected '" + std::string(spelling) + "'" + found());
    return false;
  }
  std::optional<std::uint64_t> integer(std::string_view what);

  // Lines.
  void choose_chip();
  void parse_line();
  void parse_label();
  void parse_directive();
  void parse_align(const LineToken& name);
  void parse_section();
  void begin_section(std::string_view name, Span where);
  void parse_literal();
  void parse_instruction();

  // Operands.
  bool parse_operand(Written& operand);
  bool parse_access(Written& operand);
  bool parse_number(Number& number);
  bool parse_term(Number& number, std::int64_t sign);
  bool parse_name(Number& number, std::int64_t sign);
  bool add_control_register(Number& number, std::int64_t sign, const LineToken& name);
  bool parse_target(Written& operand);
  std::optional<unsigned> parse_register(const LineToken& token);

  // Encoding.
  [[nodiscard]] bool fits(const Opcode& opcode, const std::vector<Written>& operands) const;
  void encode(const Opcode& opcode, const std::vector<Written>& operands, const std::vector<LineToken>& prefix_tokens,
              const std::vector<const Prefix*>& used);
  void put_operand(std::uint32_t& word, const OperandSpec& operand, const Written& written, const Opcode& opcode);
  void put_access(std::uint32_t& word, const OperandSpec& operand, const Written& written, const Opcode& opcode);
  void put_number(std::uint32_t& word, const Field& field, const Number& number);
  void no_form(const LineToken& name, std::string_view mnemonic);

  // The end.
  void resolve();
  void resolve(const Fixup& fixup);
  void fill_tables();
  void append_table();
  /// Where a piece of the text stands.
  [[nodiscard]] Span span_of(std::string_view piece) const {
    return {static_cast<std::uint32_t>(piece.data() - source_.text().data()), static_cast<std::uint32_t>(piece.size())};
  }
  std::optional<std::int64_t> value_of(const Number& number, const Section& section);
  /// Listings of Mesa show data as instructions, and leave out the bits that those do not use.
  void remark_on_loose_words(Program& program);

  void add_word(std::uint32_t word) {
    if (words_.size() < most_assembled_words) words_.push_back(word);
  }
  void fix(Fixup::Kind kind, const Number& number, const Field* field = nullptr) {
    fixups_.push_back({kind, field, words_.size(), static_cast<std::uint32_t>(sections_.size() - 1), number});
  }
  [[nodiscard]] std::uint8_t generation() const { return generation_of(chip_->map); }

  Source source_;
  std::string file_;
  const Chip* chip_;
  std::string variant_;
  Names names_;
  const Decoder* decoder_ = nullptr;
  bool bare_ = false;
  std::vector<LineToken> tokens_;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint8_t> rest_;
  std::vector<Section> sections_;
  std::vector<Fixup> fixups_;
  std::vector<LooseWord> loose_words_;
  Diagnostics diagnostics_;
};

}  // namespace mobula::afuc
