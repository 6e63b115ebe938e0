#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "machines/afuc/image/calls.h"
#include "machines/afuc/image/image.h"
#include "machines/afuc/text/lines.h"
#include "machines/afuc/text/parse.h"
#include "machines/afuc/text/tokens.h"
#include "machines/afuc/views/flow.h"
#include "machines/afuc/views/views.h"

namespace mobula::afuc::views {
namespace {

using namespace firmware;

CoreInfo describe(const Image& image, const Core& core) {
  CoreInfo info;
  info.name = core.name;
  info.start = core.start;
  info.words = core.words;
  const Image::Words words = image.count_words(core);
  info.instructions = words.instructions;
  info.assumed = words.assumed;
  info.data = words.data;
  for (std::uint32_t i = core.start; i < core.end(); ++i)
    if (!core.in_table(i) && (image.flags(i) & word_called) != 0) ++info.functions;
  unsigned depth = 0;
  bool cycle = false;
  for (const Function& function : functions(image, core)) {
    depth = std::max(depth, function.depth);
    cycle |= function.in_cycle;
  }
  if (!cycle) info.call_depth = depth;
  if (!core.table) return info;
  info.table = *core.table - core.start;
  std::map<std::uint32_t, unsigned> users;
  for (std::uint32_t i = 0; i < packet_table_words; ++i)
    if (packet(image.map(), i).empty()) ++users[image.word(*core.table + i)];
  const auto commonest =
      std::max_element(users.begin(), users.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (std::uint32_t i = 0; i < packet_table_words; ++i) {
    const std::uint32_t handler = image.word(*core.table + i);
    info.packets.push_back({i, packet_or_number(image.map(), i), !packet(image.map(), i).empty(), handler,
                            commonest != users.end() && handler == commonest->first});
  }
  return info;
}

/// What Linux's msm driver asks of word 0, and of word 2 where word 0 says that the firmware was patched:
/// a5xx_ucode_check_version in drivers/gpu/drm/msm/adreno/a5xx_gpu.c, for the PFP only, and a6xx_ucode_check_version in
/// a6xx_gpu.c, by file name.
std::vector<KernelAnswer> ask(const Image& image, std::uint32_t word0, std::uint32_t word2) {
  constexpr std::uint32_t whereami_a630 = 0x190, secure_a650 = 0x095;
  constexpr std::string_view whereami = "has CP_WHERE_AM_I, for a read pointer in memory";
  const std::string_view chip = image.chip().name;
  const bool patched = (word0 & 0xF) == 0xA && (word2 & 0xF) >= 1;
  if (chip == "a530" && image.cores()[0].name == "PFP") return {{std::string(whereami), patched}};
  if (chip == "a630")
    return {{std::string(whereami) + ": at least 0x190, or patched", patched || version(word0) >= whereami_a630}};
  if (chip == "a650") return {{"has the security fixes: at least 0x095", version(word0) >= secure_a650}};
  if (chip == "a660") return {{"has the security fixes: every version", true}};
  return {};
}

// ------------------------------------------------------------------------------------------------ patterns

/// A word with holes: registers that may be any, equal where they have one name, and a target.
struct Pattern {
  std::uint32_t mask = 0xFFFFFFFF, word = 0;
  std::string target;                ///< the place it must lead to; empty if that may be any
  std::vector<std::uint32_t> holes;  // bits of each name; several fields of 5 bits if it occurs several times

  [[nodiscard]] bool matches(std::uint32_t candidate) const {
    if (((candidate ^ word) & mask) != 0) return false;
    return std::all_of(holes.begin(), holes.end(), [&](std::uint32_t bits) { return same(candidate, bits); });
  }

 private:
  /// All fields of the hole have one value.
  static bool same(std::uint32_t candidate, std::uint32_t bits) {
    std::optional<std::uint32_t> value;
    while (bits != 0) {
      unsigned low = 0;
      while ((bits >> low & 1) == 0) ++low;
      const std::uint32_t here = candidate >> low & 31;
      if (value && *value != here) return false;
      value = here;
      bits &= ~(31u << low);
    }
    return true;
  }
};

bool is_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_';
}
/// "$x" and "$x2": a letter and perhaps a number, which no register is called. Whatever else there is, the assembler
/// judges.
bool is_wild_card(std::string_view name) {
  return name.size() >= 2 && name[0] == '$' && std::isalpha(static_cast<unsigned char>(name[1])) != 0 &&
         std::all_of(name.begin() + 2, name.end(), [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

/// Numbers in place of the `?` of a pattern: `value` for the one at `place`, counted from 0, and `others`.
struct Numbers {
  std::size_t place = 0;
  unsigned value = 0, others = 0;
};

/// A pattern as an instruction that the assembler reads: its wild cards are registers and numbers, its target a
/// distance.
class Example {
 public:
  /// The wild card `chosen` is $1f, all others are $00.
  Example(std::string_view pattern, std::string_view chosen, const Numbers& numbers = {}) : pattern_(pattern) {
    bool may_lead = true;
    for (std::size_t at = 0; at < pattern.size();) {
      const std::size_t end = end_of_name(at);
      const std::string_view piece = pattern.substr(at, end - at);
      if (is_wild_card(piece)) {
        wild_cards_.insert(piece);
        fill(piece, piece == chosen ? "$1f" : "$00");
      } else if (piece == "?") {
        fill(piece, std::to_string(numbers_++ == numbers.place ? numbers.value : numbers.others));
      } else {
        text_ += piece;
      }
      at = end;
      if (piece != "#" || !std::exchange(may_lead, false) || at == pattern.size() ||
          std::isalpha(static_cast<unsigned char>(pattern[at])) == 0)
        continue;
      target_ = pattern.substr(at, end_of_name(at) - at);
      fill(target_, "+3");
      at += target_.size();
    }
  }

  [[nodiscard]] const std::set<std::string_view>& wild_cards() const { return wild_cards_; }
  /// How many numbers are left open.
  [[nodiscard]] std::size_t numbers() const { return numbers_; }
  /// "x" of "#x", "fxn120"; empty if it leads nowhere by name.
  [[nodiscard]] std::string_view target() const { return target_; }

  [[nodiscard]] Result<std::uint32_t> word(std::string_view chip) const {
    auto program = parse({"pattern", text_}, {.variant = chip});
    if (!program) {
      Diagnostics errors = std::move(program).error();
      for (Diagnostic& error : errors) tell_as_typed(error);
      return fail(std::move(errors));
    }
    if (program->code.size() != 2 * word_bytes)
      return fail("AF172", "a pattern is one instruction", "such as: and $x, $12, 0x3");
    return load_word(program->code, 1);
  }

 private:
  /// What stands in the text for a piece of the pattern.
  struct Filling {
    std::size_t begin = 0, end = 0;
    std::string_view typed;
  };

  void fill(std::string_view typed, std::string_view with) {
    fillings_.push_back({text_.size(), text_.size() + with.size(), typed});
    text_ += with;
  }
  [[nodiscard]] std::size_t end_of_name(std::size_t at) const {
    std::size_t end = at + 1;
    if (pattern_[at] != '#')
      while (end < pattern_.size() && is_name(pattern_[end])) ++end;
    return end;
  }
  /// Where a place of the text is in the pattern.
  [[nodiscard]] std::size_t typed_place(std::size_t place) const {
    std::size_t typed = place;
    for (const Filling& each : fillings_) {
      if (place <= each.begin) break;
      const std::size_t filled = std::min(place, each.end) - each.begin;
      typed = typed - filled + (place >= each.end ? each.typed.size() : std::min(filled, each.typed.size()));
    }
    return typed;
  }
  /// As if the assembler had read the pattern.
  void tell_as_typed(Diagnostic& error) const {
    if (error.code == "AF122") error.hint += "; $x, a letter, is any of them";
    Location& where = error.where;
    std::size_t line = 0;  // where it begins in the text
    for (std::uint32_t i = 1; i < where.line; ++i) line = text_.find('\n', line) + 1;
    const std::size_t typed_line = typed_place(line);
    where.source_line = pattern_.substr(typed_line, pattern_.find('\n', typed_line) - typed_line);
    if (where.column == 0) return;
    const std::size_t begin = line + where.column - 1, end = begin + where.length;
    const std::string filled = '\'' + text_.substr(begin, end - begin) + '\'';
    const std::size_t from = typed_place(begin), to = typed_place(end);
    where.column = static_cast<std::uint32_t>(from - typed_line + 1);
    where.length = static_cast<std::uint32_t>(to - from);
    if (const std::size_t quoted = error.message.find(filled); quoted != std::string::npos)
      error.message.replace(quoted + 1, filled.size() - 2, pattern_.substr(from, to - from));
  }

  std::string_view pattern_, target_;
  std::string text_;
  std::vector<Filling> fillings_;
  std::set<std::string_view> wild_cards_;
  std::size_t numbers_ = 0;
};

/// The bits that the number at `place` has in the word: those that change with each of its own bits, as far as the
/// instruction takes them. Some numbers must not be below others, so that these are tried small and large.
std::uint32_t bits_of_number(std::string_view text, std::size_t place, std::uint32_t base, const Image& image) {
  constexpr unsigned number_bits = 24, large = 31;
  std::uint32_t bits = 0;
  for (unsigned bit = 0; bit < number_bits; ++bit)
    for (const unsigned others : {0u, large}) {
      const auto word = Example(text, {}, {place, 1u << bit, others}).word(image.chip().name);
      if (!word || image.decoder().find(*word) != image.decoder().find(base)) continue;
      bits |= *word ^ base;
      break;
    }
  return bits;
}

Result<Pattern> parse_pattern(const Image& image, std::string_view text) {
  const std::string_view chip = image.chip().name;
  const Example example(text, {});
  const auto base = example.word(chip);
  if (!base) return fail(base.error());
  Pattern pattern;
  pattern.word = *base;
  for (const std::string_view name : example.wild_cards()) {
    const auto other = Example(text, name).word(chip);
    if (!other) return fail(other.error());
    pattern.holes.push_back(*base ^ *other);
    pattern.mask &= ~(*base ^ *other);
  }
  for (std::size_t place = 0; place < example.numbers(); ++place)
    pattern.mask &= ~bits_of_number(text, place, *base, image);
  if (example.target().empty()) return pattern;
  const Opcode& opcode = *image.decoder().find(*base);
  for (const OperandSpec& operand : opcode.operands)
    if (operand.kind == OperandKind::relative || operand.kind == OperandKind::absolute)
      pattern.mask &= ~(static_cast<std::uint32_t>(low_mask(operand.field->width)) << operand.field->low);
  // One letter is a wild card, as registers have them.
  if (example.target().size() > 1) pattern.target = example.target();
  return pattern;
}

}  // namespace

Result<Info> info(const Program& program) {
  const Image image(program);
  Info info;
  info.chip = image.chip().name;
  info.product = image.chip().product;
  info.generation = afuc::name(image.map());
  info.bytes = program.code.size();
  info.words = image.size();
  if (image.has_leading_zero() && image.size() != 0) {
    const std::uint32_t word2 = image.size() > 2 ? image.word(2) : 0;
    info.id = image.identity().id;
    info.id_known = image.identity().known;
    info.version = version(image.word(0));
    info.kernel_version = kernel_version(image.word(0), word2);
    info.kernel = ask(image, image.word(0), word2);
  }
  for (const Core& core : image.cores()) info.cores.push_back(describe(image, core));
  return info;
}

namespace {

/// The instructions for which wanted(core, index) is true.
template <class Wanted>
std::vector<Place> places_of(const Image& image, Wanted wanted) {
  const InstructionLines lines(image, Dialect::own);
  std::vector<Place> places;
  for (const Core& core : image.cores())
    for (std::uint32_t i = core.start; i < core.end(); ++i)
      if (image.code(i) != nullptr && wanted(core, i))
        places.push_back(
            {std::string(core.name), i - core.start, image.place(core, i), std::string(lines.instruction(i))});
  return places;
}

}  // namespace

Result<std::vector<Place>> find(const Program& program, std::string_view text) {
  const Image image(program);
  const auto pattern = parse_pattern(image, text);
  if (!pattern) return fail(pattern.error());
  std::map<std::uint32_t, std::uint32_t> targets;  // by the first word of their program
  for (const Core& core : image.cores())
    if (const auto place = pattern->target.empty() ? std::nullopt : Functions(image, core).find(pattern->target))
      targets.emplace(core.start, *place);
  if (!pattern->target.empty() && targets.empty())
    return fail(
        "AF170", "there is nothing called '" + pattern->target + "' in this firmware",
        "targets are packets (CP_NOP, UNKN15), functions (fxn120) and labels (l12) as mobula disasm shows them; "
        "one letter, as in #x, is any target");
  return places_of(image, [&](const Core& core, std::uint32_t index) {
    if (!pattern->matches(image.word(index))) return false;
    if (pattern->target.empty()) return true;
    const auto wanted = targets.find(core.start);
    const auto to = Image::target(core, index, image.word(index), *image.code(index));
    return wanted != targets.end() && to == wanted->second;
  });
}

Result<std::vector<Place>> instructions(const Program& program) {
  return places_of(Image(program), [](const Core&, std::uint32_t) { return true; });
}

}  // namespace mobula::afuc::views
