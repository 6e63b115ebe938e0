#include "mobula/isa/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "core/lexer.h"

namespace mobula {
namespace {

constexpr std::array<std::string_view, 8> kind_names{"comment",  "directive", "label", "mnemonic",
                                                     "register", "number",    "name",  "sign"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return result;
}

/// "r0" of "r0.x", "acc0" of "acc0[-1]", "$01" of itself.
std::string_view register_of(std::string_view slot) { return slot.substr(0, slot.find_first_of(".[", 1)); }

/// What words of a listing can be: names of operations, registers and labels, without regard to case.
class Vocabulary {
 public:
  Vocabulary(const Machine& machine, const ir::Program& lifted) : machine_(machine) {
    for (const ManualEntry& entry : machine.manual().entries)
      if (entry.in_words) add_word(entry.mnemonic);
    for (const ir::Slot& slot : lifted.slots) registers_.insert(lower(register_of(slot.name)));
  }

  void add_label(std::string_view label) { labels_.emplace(label); }
  [[nodiscard]] bool is_label(std::string_view word) const { return labels_.contains(word); }
  [[nodiscard]] bool is_mnemonic(std::string_view word) const { return mnemonics_.contains(lower(word)); }
  /// The registers that are meant by it; none if it means no register.
  [[nodiscard]] std::set<std::string> registers_meant(std::string_view word) const {
    std::set<std::string> meant;
    for (const std::string& slot : machine_.slots_meant(word, 0, {}))
      if (std::string name = lower(register_of(slot)); registers_.contains(name)) meant.insert(std::move(name));
    if (std::string name = lower(word); registers_.contains(name)) meant.insert(std::move(name));
    return meant;
  }

 private:
  /// What comes first, "fadd" of "fadd.rte"; the rest are modifiers.
  void add_word(std::string_view mnemonic) {
    const auto is_part = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; };
    const char* const last = mnemonic.data() + mnemonic.size();
    const char* const begin = std::find_if(mnemonic.data(), last, is_part);
    const char* const end = std::find_if_not(begin, last, is_part);
    if (begin != end && std::isdigit(static_cast<unsigned char>(*begin)) == 0) mnemonics_.insert(lower({begin, end}));
  }

  const Machine& machine_;
  std::set<std::string> mnemonics_, registers_;
  std::set<std::string, std::less<>> labels_;
};

/// A line of a listing, cut into what the assembler's lexer sees and the comment after it.
struct Line {
  std::vector<LineToken> tokens;
  Span comment;  ///< empty if there is none
};

/// Outside braces, where some machines separate operations by it, a semicolon begins a comment.
Line line_of(const Source& source, std::size_t index, int& depth) {
  Line line;
  lex_line(source, index, line.tokens, Comments::slashes_only);
  std::size_t after = source.line_offset(index);
  for (std::size_t i = 0; i < line.tokens.size(); ++i) {
    const LineToken& token = line.tokens[i];
    if (token.kind == LineToken::Kind::end) break;
    if (token.is(";") && depth == 0) {
      line.tokens.resize(i);
      break;
    }
    depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
    after = token.offset + token.text.size();
  }
  const std::size_t line_end = source.line_offset(index) + source.line(index).size();
  const std::size_t begin = source.text().substr(0, line_end).find_first_not_of(" \t", after);
  if (begin < line_end)
    line.comment = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(line_end - begin)};
  return line;
}

/// "name:" at the beginning of a line.
bool defines_label(const std::vector<LineToken>& line) {
  return line.size() > 2 && line[0].kind == LineToken::Kind::word && line[1].is(":");
}

Token::Kind kind_of(const LineToken& token, const Vocabulary& vocabulary) {
  if (token.kind == LineToken::Kind::number) return Token::Kind::number;
  if (token.kind != LineToken::Kind::word) return Token::Kind::sign;
  if (vocabulary.is_label(token.text)) return Token::Kind::label;
  if (!vocabulary.registers_meant(token.text).empty()) return Token::Kind::register_;
  return vocabulary.is_mnemonic(token.text) ? Token::Kind::mnemonic : Token::Kind::name;
}

}  // namespace

std::string_view name(Token::Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::vector<Token> tokens(const Machine& machine, const Listing& listing, const ir::Program& lifted) {
  const Source source("", listing.text);
  Vocabulary vocabulary(machine, lifted);
  std::vector<Line> lines;
  lines.reserve(source.line_count());
  int depth = 0;
  for (std::size_t i = 0; i < source.line_count(); ++i) {
    lines.push_back(line_of(source, i, depth));
    if (defines_label(lines.back().tokens)) vocabulary.add_label(lines.back().tokens[0].text);
  }
  std::vector<Token> all;
  for (const Line& line : lines) {
    const bool directive = line.tokens.size() > 2 && line.tokens[0].is(".") && line.tokens[0].touches(line.tokens[1]);
    for (const LineToken& token : line.tokens) {
      if (token.kind == LineToken::Kind::end) break;
      const Span span = token.span();
      const bool is_head = directive && &token < &line.tokens[2];
      all.push_back(
          {is_head ? Token::Kind::directive : kind_of(token, vocabulary), span.offset, span.offset + span.length});
    }
    if (line.comment.length != 0)
      all.push_back({Token::Kind::comment, line.comment.offset, line.comment.offset + line.comment.length});
  }
  return all;
}

std::vector<WordEffects> word_effects(const Machine& machine, const Listing& listing, std::span<const Token> tokens,
                                      const ir::Program& lifted) {
  std::vector<WordEffects> all;
  if (!ir::verify(lifted).empty()) return all;
  const Vocabulary vocabulary(machine, lifted);
  const auto named_in = [&](const Listing::Word& word) {
    std::set<std::string> names;
    for (auto token = std::ranges::lower_bound(tokens, word.text_begin, {}, &Token::begin);
         token != tokens.end() && token->begin < word.text_end; ++token)
      if (token->kind == Token::Kind::register_)
        names.merge(
            vocabulary.registers_meant(std::string_view(listing.text).substr(token->begin, token->end - token->begin)));
    return names;
  };
  for (std::uint32_t block = 0; block < lifted.blocks.size(); ++block) {
    WordEffects& word = all.emplace_back(WordEffects{.byte_offset = lifted.blocks[block].address, .effects = {}});
    const auto text = std::ranges::lower_bound(listing.words, word.byte_offset, {}, &Listing::Word::byte_offset);
    const std::set<std::string> named = text != listing.words.end() && text->byte_offset == word.byte_offset
                                            ? named_in(*text)
                                            : std::set<std::string>();
    const auto add = [&](const std::vector<ir::ByteRange>& ranges, bool writes) {
      for (const ir::Slot& slot : lifted.slots)
        for (const ir::ByteRange& range : ranges) {
          const std::uint32_t first = std::max(slot.byte, range.byte);
          const std::uint32_t end = std::min(slot.byte + slot.bytes, range.byte + range.bytes);
          if (first >= end) continue;
          word.effects.push_back({.slot = slot.name,
                                  .writes = writes,
                                  .first = first - slot.byte,
                                  .bytes = end - first,
                                  .slot_bytes = slot.bytes,
                                  .implicit = !named.contains(lower(register_of(slot.name)))});
        }
    };
    const ir::Effects effects = ir::effects(lifted, block);
    add(effects.reads, false);
    add(effects.writes, true);
  }
  return all;
}

}  // namespace mobula
