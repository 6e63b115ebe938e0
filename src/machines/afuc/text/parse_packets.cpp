#include <array>
#include <charconv>
#include <limits>

#include "core/counted.h"
#include "core/token_cursor.h"
#include "machines/afuc/spec/names.h"
#include "machines/afuc/text/packets.h"
#include "mobula/isa/pm4.h"

namespace mobula::pm4 {
namespace {

constexpr std::size_t most_words = 1u << 26;

class Parser : TokenCursor {
 public:
  Parser(const SourceText& text, afuc::Map map) : source_(text.file, text.text), map_(map) {}

  Result<Stream> run() {
    for (line_ = 0; line_ < source_.line_count(); ++line_) {
      lex_line(source_, line_, tokens_);
      start(tokens_);
      if (!at_end()) parse_line();
    }
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(stream_);
  }

 private:
  /// All errors of a text, one a line; the rest of the line is left alone.
  void complain(std::string_view code, std::string message, std::string hint = {}) {
    if (failed_) return;
    failed_ = true;
    if (errors_.size() < 1000)
      errors_.push_back(
          {Severity::error, std::string(code), source_.locate(peek().span()), std::move(message), std::move(hint)});
  }

  /// What a wrong name is likely to mean; not for every one of a text that is nothing but wrong names.
  template <class Names>
  std::string suggestion(std::string_view wrong, const Names& names) const {
    if (errors_.size() >= 100) return {};
    Nearest nearest(wrong);
    for (const std::string_view name : names) nearest.offer(name);
    return nearest.hint();
  }

  std::vector<std::uint32_t>& words() { return in_ring_ ? stream_.ring : stream_.memory.back().words; }
  void emit(std::uint32_t word) {
    if (++emitted_ <= most_words) return words().push_back(word);
    complain("PM007", "the stream is longer than " + std::to_string(most_words) + " words");
  }

  void parse_line() {
    failed_ = false;
    if (accept("[")) {
      parse_raw();
    } else if (accept(".")) {
      parse_directive();
    } else {
      parse_packet();
    }
    if (!failed_ && !at_end()) complain("PM001", "nothing more is expected here");
  }

  void parse_raw() {
    const std::string_view digits = peek().text;
    std::uint32_t word = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), word, 16);
    if (digits.empty() || end.ec != std::errc() || end.ptr != digits.data() + digits.size())
      return complain("PM002", "a word of up to eight hexadecimal digits is expected");
    take();
    if (!accept("]")) return complain("PM001", "\"]\" is expected");
    emit(word);
  }

  void parse_directive() {
    if (accept("ring")) {
      in_ring_ = true;
    } else if (accept("at")) {
      const auto address = number(std::numeric_limits<std::uint64_t>::max());
      if (!address) return;
      if (*address % 4 != 0) return complain("PM003", "an address is a multiple of 4");
      in_ring_ = false;
      stream_.memory.push_back({*address, {}});
    } else if (accept("reg")) {
      const auto reg = register_number();
      const auto value = reg ? number(0xFFFF'FFFF) : std::nullopt;
      if (value) stream_.registers.push_back({*reg & 0x3FFFF, static_cast<std::uint32_t>(*value)});
    } else {
      complain("PM001", "there is no directive \"." + std::string(peek().text) + '"', "one of .ring, .at, .reg");
    }
  }

  /// A number up to `most`.
  std::optional<std::uint64_t> number(std::uint64_t most) {
    std::uint64_t value = 0;
    if (peek().kind != LineToken::Kind::number || !parse_integer(peek().text, value)) {
      complain("PM002", "a number is expected");
      return {};
    }
    if (value > most) {
      complain("PM003", "the number is too large: at most " + std::to_string(most) + " is allowed");
      return {};
    }
    take();
    return value;
  }

  /// 0x8100, NAME, NAME+0x1, NAME[2].MEMBER
  std::optional<std::uint32_t> register_number() {
    if (peek().kind != LineToken::Kind::word) {
      const auto value = number(0x7FFFF);
      if (!value) return {};
      return static_cast<std::uint32_t>(*value);
    }
    const LineToken name = peek();
    take();
    std::optional<unsigned> index;
    std::string_view member;
    if (accept("[")) {
      const auto value = number(0xFFFF);
      if (!value) return {};
      index = static_cast<unsigned>(*value);
      if (!accept("]")) complain("PM001", "\"]\" is expected");
      if (accept(".")) {
        member = peek().text;
        take();
      }
    }
    std::uint64_t offset = 0;
    if (accept("+")) {
      const auto value = number(0xFFFF);
      if (!value) return {};
      offset = *value;
    }
    const auto found = afuc::find_gpu_register(map_, name.text, index, member);
    if (!found) {
      complain("PM004",
               "there is no GPU register \"" + std::string(name.text) + "\" in " + std::string(afuc::name(map_)),
               suggestion(name.text, afuc::gpu_register_names(map_)));
      return {};
    }
    return static_cast<std::uint32_t>(*found + offset);
  }

  void parse_packet() {
    const bool type4 = accept("pkt4");
    std::uint32_t number_of_packet = 0;
    if (type4) {
      const auto reg = register_number();
      if (!reg) return;
      number_of_packet = *reg;
    } else if (accept("pkt7")) {
      const auto opcode = number(0x7F);
      if (!opcode) return;
      number_of_packet = static_cast<std::uint32_t>(*opcode);
    } else {
      const auto opcode = afuc::find_packet(map_, peek().text);
      if (!opcode) {
        std::array<std::string_view, 128> names;
        for (unsigned i = 0; i < names.size(); ++i) names[i] = afuc::packet(map_, i);
        const std::string hint = suggestion(peek().text, names);
        return complain("PM005",
                        "there is no packet \"" + std::string(peek().text) + "\" in " + std::string(afuc::name(map_)),
                        hint.empty() ? "pkt4 REGISTER, pkt7 OPCODE, or a packet's name" : hint);
      }
      number_of_packet = *opcode;
      take();
    }
    payload_.clear();
    while (!failed_ && !at_end()) {
      const auto word = number(0xFFFF'FFFF);
      if (word) payload_.push_back(static_cast<std::uint32_t>(*word));
      accept(",");
    }
    if (failed_) return;
    const std::size_t most = type4 ? 0x7F : 0x3FFF;
    if (payload_.size() > most)
      return complain("PM006", counted(payload_.size(), "payload word is", "payload words are") +
                                   " too many: at most " + std::to_string(most) + " are allowed");
    if (type4 && payload_.empty())
      return complain(
          "PM021", "pkt4 without payload words, which no packet is",
          "give it 1 to 127 words, or write the word as it is: [" + hex8(type4_header(number_of_packet, 0)) + "]");
    const auto count = static_cast<std::uint32_t>(payload_.size());
    emit(type4 ? type4_header(number_of_packet, count) : type7_header(number_of_packet, count));
    for (const std::uint32_t word : payload_) emit(word);
  }

  Source source_;
  afuc::Map map_;
  std::size_t line_ = 0;
  std::vector<LineToken> tokens_;
  std::size_t emitted_ = 0;
  bool failed_ = false, in_ring_ = true;
  std::vector<std::uint32_t> payload_;
  Stream stream_;
  Diagnostics errors_;
};

}  // namespace

Result<Stream> assemble(const SourceText& source, std::string_view variant) {
  if (source.text.size() >= std::numeric_limits<std::uint32_t>::max())
    return fail("PM007", "the text is longer than 4 GiB");
  const auto map = map_of(variant);
  if (!map) return fail(map.error());
  return Parser(source, *map).run();
}

}  // namespace mobula::pm4
