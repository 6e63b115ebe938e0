#include <algorithm>
#include <array>
#include <cctype>
#include <map>

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

/// Takes the name of the target out of the text and puts a number there: "#x" and "#fxn120". Empty if there is none.
std::string take_target(std::string& text) {
  constexpr std::string_view any_target = "+3";
  const std::size_t begin = text.find('#') + 1;
  if (begin == 0 || begin == text.size() || !std::isalpha(static_cast<unsigned char>(text[begin]))) return {};
  std::size_t end = begin;
  while (end < text.size() && is_name(text[end])) ++end;
  std::string name = text.substr(begin, end - begin);
  text.replace(begin, end - begin, any_target);
  return name;
}

/// The text with the wild card `chosen` replaced by `with` and all others by $00; notes all wild cards.
std::string filled(std::string_view pattern, std::string_view chosen, std::string_view with,
                   std::vector<std::string>* names) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    std::size_t end = at + 1;
    if (pattern[at] == '$')
      while (end < pattern.size() && is_name(pattern[end])) ++end;
    const std::string_view piece = pattern.substr(at, end - at);
    if (!is_wild_card(piece)) {
      text += piece;
    } else {
      text += piece == chosen ? with : std::string_view("$00");
      if (names != nullptr && std::find(names->begin(), names->end(), piece) == names->end())
        names->emplace_back(piece);
    }
    at = end;
  }
  return text;
}

Result<std::uint32_t> word_of(const std::string& text, std::string_view chip) {
  auto program = parse({"pattern", text}, {.variant = chip});
  if (!program) {
    Diagnostics errors = std::move(program).error();
    for (Diagnostic& error : errors)
      if (error.code == "AF122") error.hint += "; $x, a letter, is any of them";
    return fail(std::move(errors));
  }
  if (program->code.size() != 2 * word_bytes)
    return fail("AF172", "a pattern is one instruction", "such as: and $x, $12, 0x3");
  return load_word(program->code, 1);
}

Result<Pattern> parse_pattern(const Image& image, std::string text) {
  const std::string_view chip = image.chip().name;
  const std::string target = take_target(text);
  std::vector<std::string> names;
  const auto base = word_of(filled(text, {}, {}, &names), chip);
  if (!base) return fail(base.error());
  Pattern pattern;
  pattern.word = *base;
  for (const std::string& name : names) {
    const auto other = word_of(filled(text, name, "$1f", nullptr), chip);
    if (!other) return fail(other.error());
    pattern.holes.push_back(*base ^ *other);
    pattern.mask &= ~(*base ^ *other);
  }
  if (target.empty()) return pattern;
  const Opcode& opcode = *image.decoder().find(*base);
  for (const OperandSpec& operand : opcode.operands)
    if (operand.kind == OperandKind::relative || operand.kind == OperandKind::absolute)
      pattern.mask &= ~(static_cast<std::uint32_t>(low_mask(operand.field->width)) << operand.field->low);
  // One letter is a wild card, as registers have them.
  if (target.size() > 1) pattern.target = target;
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
std::vector<Place> places_of(const Program& program, const Image& image, Wanted wanted) {
  const InstructionLines lines(program, image, Dialect::own);
  std::vector<Place> places;
  for (const Core& core : image.cores())
    for (std::uint32_t i = core.start; i < core.end(); ++i)
      if (image.code(core, i) != nullptr && wanted(core, i))
        places.push_back(
            {std::string(core.name), i - core.start, image.place(core, i), std::string(lines.instruction(i))});
  return places;
}

}  // namespace

Result<std::vector<Place>> find(const Program& program, std::string_view text) {
  const Image image(program);
  const auto pattern = parse_pattern(image, std::string(text));
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
  return places_of(program, image, [&](const Core& core, std::uint32_t index) {
    if (!pattern->matches(image.word(index))) return false;
    if (pattern->target.empty()) return true;
    const auto wanted = targets.find(core.start);
    const auto to = Image::target(core, index, image.word(index), *image.code(core, index));
    return wanted != targets.end() && to == wanted->second;
  });
}

Result<std::vector<Place>> instructions(const Program& program) {
  return places_of(program, Image(program), [](const Core&, std::uint32_t) { return true; });
}

}  // namespace mobula::afuc::views
