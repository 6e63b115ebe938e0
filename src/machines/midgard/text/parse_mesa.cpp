// Every line of a listing becomes a line of the machine's own text, which parse_mdg() reads. What Mesa does not say is
// decided here.
#include "machines/midgard/text/parse_mesa.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lexer.h"
#include "core/listing_pieces.h"
#include "core/quote.h"
#include "core/real.h"
#include "core/source.h"
#include "core/text_buffer.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/text/line.h"
#include "machines/midgard/text/mesa_numbers.h"
#include "machines/midgard/text/numbers.h"
#include "machines/midgard/text/parse.h"
#include "machines/midgard/text/parse_memory.h"
#include "machines/midgard/text/print_mesa.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

constexpr std::size_t longest_mesa_text = std::size_t{64} << 20;
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Pieces between `sign`, but for those in angle or square brackets.
std::vector<std::string_view> split_at(std::string_view text, char sign) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || (text[i] == '<' && !text.substr(i).starts_with("<<") && (i == 0 || text[i - 1] != '<')))
      ++depth;
    if ((text[i] == ']' || text[i] == '>') && depth > 0) --depth;
    if (text[i] != sign || depth > 0) continue;
    pieces.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  pieces.push_back(trimmed(text.substr(begin)));
  return pieces;
}

std::string joined(const std::vector<std::string>& pieces, std::string_view between) {
  std::string text;
  for (const std::string& piece : pieces) (text += &piece == pieces.data() ? "" : between) += piece;
  return text;
}

std::string note(std::string_view key, std::uint64_t value) {
  return " !" + std::string(key) + '=' + std::to_string(value);
}

/// The word before the first blank, and what follows it.
std::pair<std::string_view, std::string_view> head_and_rest(std::string_view line) {
  const std::size_t end = std::min(line.find_first_of(blanks), line.size());
  return {line.substr(0, end), trimmed(line.substr(end))};
}

// ------------------------------------------------------------------------------------------------ lines

/// The name of an ALU line: "vmul.FCMP.lt.i32", the unit where the listing is verbose.
struct AluHead {
  std::optional<Unit> unit;
  std::vector<unsigned> opcodes;  ///< those that Mesa gives this name: of signed and of unsigned integers
  unsigned width = 32;
};

std::optional<AluHead> alu_head(std::string_view word) {
  AluHead head;
  for (std::size_t i = 0; i < unit_count && !head.unit; ++i)
    if (word.starts_with(units[i].name) && word.substr(units[i].name.size()).starts_with('.')) {
      head.unit = static_cast<Unit>(i);
      word.remove_prefix(units[i].name.size() + 1);
    }
  const std::size_t dot = word.rfind('.');
  if (dot == std::string_view::npos || dot + 2 > word.size()) return std::nullopt;
  const std::string_view mnemonic = word.substr(0, dot), width = word.substr(dot + 2);
  const bool real = word[dot + 1] == 'f';
  if (!real && word[dot + 1] != 'i') return std::nullopt;
  const auto number = std::from_chars(width.data(), width.data() + width.size(), head.width);
  if (number.ptr != width.data() + width.size() || !std::has_single_bit(head.width) || head.width < 8 ||
      head.width > 64)
    return std::nullopt;
  const auto offer = [&](unsigned opcode) {
    if ((output_kind(opcode) == Kind::f) == real) head.opcodes.push_back(opcode);
  };
  for (const AluOp& row : alu_ops)
    if (row.mnemonic == mnemonic && !row.shift1) offer(row.opcode);
  constexpr std::string_view unnamed = "alu_op_";
  std::uint64_t opcode = 0;
  if (mnemonic.starts_with(unnamed) && mnemonic.size() == unnamed.size() + 2 &&
      parse_integer("0x" + std::string(mnemonic.substr(unnamed.size())), opcode))
    offer(static_cast<unsigned>(opcode));
  if (head.opcodes.empty()) return std::nullopt;
  return head;
}

const LsOp* load_store_row(std::string_view head) {
  const LsOp* found = nullptr;
  for (const LsOp& row : ls_ops)
    if (head.starts_with(row.mnemonic) && (head.size() == row.mnemonic.size() || head[row.mnemonic.size()] == '.') &&
        (found == nullptr || row.mnemonic.size() > found->mnemonic.size()))
      found = &row;
  return found;
}

bool is_branch(std::string_view head) { return head.starts_with("br.") || head.starts_with("brx."); }
bool is_texture(std::string_view head) { return find_texture_name(head.substr(0, head.find('.'))).has_value(); }
constexpr std::string_view constants_word = "uconstants", writeout_word = "writeout", break_word = "break",
                           raw_words = "Unknown word type";

/// Whether the line is one of a listing's.
bool is_listed(std::string_view line) {
  const std::string_view head = head_and_rest(line).first;
  if (head == constants_word || line == writeout_word || line == break_word || line.starts_with(raw_words)) return true;
  // Texture names first: Mesa's MOV.i32 is one of the ALU, MOV.2d one of the texture pipe.
  return alu_head(head) || is_branch(head) || is_texture(head) || load_store_row(head) != nullptr;
}

/// Whether the line is a quadword that a line above has called unknown.
bool is_raw_quadword(std::string_view line) { return line.starts_with("0x") && split_at(line, ',').size() == 4; }

/// What a log writes between listings, and nobody else.
bool is_log_line(std::string_view line) {
  return line.starts_with("shader: MESA_SHADER_") || line.starts_with("Shader 0x") ||
         (line.starts_with("MESA_SHADER_") && line.find(" shader: ") != std::string_view::npos);
}

/// A line of the listing. Blank lines are there, too: they end bundles.
struct MesaLine {
  std::string_view text;
  std::size_t index = 0;  ///< in the source
};

// ------------------------------------------------------------------------------------------------ ALU lines

struct AluItem {
  MesaLine line;
  AluHead head;
  unsigned opcode = 0;
  std::string_view to;
  std::array<std::string_view, 2> from;
  unsigned lanes = 0;               ///< written
  bool one_lane = false;            ///< both sorts of unit may have printed it
  int written = -1;                 ///< register
  std::array<int, 2> read{-1, -1};  ///< registers of the operands that count
};

std::string_view first_word(std::string_view operand) { return operand.substr(0, operand.find('.')); }

/// The lane letters of an operand: what follows the first dot unless it is a modifier.
std::string_view letters_of(std::string_view operand) {
  const std::size_t dot = operand.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view word = operand.substr(dot + 1, operand.find('.', dot + 1) - dot - 1);
  const auto is = [&](std::string_view name) { return !name.empty() && name == word; };
  const bool modifier = is("abs") || is("neg") || is("widen") || is("x2") || is("shrink") || is("f") ||
                        std::any_of(float_outmods.begin(), float_outmods.end(), is) ||
                        std::any_of(int_outmods.begin(), int_outmods.end(), is) ||
                        std::any_of(widen_mods.begin(), widen_mods.end(), is);
  return modifier ? std::string_view() : word;
}

bool is_constant(std::string_view operand) { return operand.starts_with('#') || operand.starts_with('<'); }

/// Whether a scalar unit would print the line so.
bool looks_scalar(const AluItem& item) {
  const auto one = [](std::string_view operand) { return operand.starts_with('#') || letters_of(operand).size() == 1; };
  return item.head.width == 32 && letters_of(item.to).size() == 1 && one(item.from[0]) && one(item.from[1]);
}

int register_of(std::string_view operand, std::span<const Token<8>> names) {
  const std::string_view name = first_word(operand);
  for (std::size_t i = 0; i < uniform_names.size(); ++i)
    if (!uniform_names[i].view().empty() && uniform_names[i].view() == name) return static_cast<int>(i);
  return find_register(name, names);
}

/// Units for the lines of a bundle, first to last, as Mesa's scheduler takes them.
struct UnitChoice {
  std::vector<Unit> units;
  bool others = false;  ///< the listing could be of other units as well
};

bool is_select(unsigned opcode) {
  const AluOp* row = find_alu_op(opcode);
  return row != nullptr && (row->does == AluMeaning::select_by_lane || row->does == AluMeaning::select_by_w);
}

/// Whether `units` may execute the lines: each can, and what one line leaves in a stage register another may read.
bool may_execute(const std::vector<AluItem>& items, const std::vector<Unit>& chosen) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const AluItem& item = items[i];
    const UnitInfo& unit = info(chosen[i]);
    if (item.head.unit && *item.head.unit != chosen[i]) return false;
    const AluOp* row = find_alu_op(item.opcode);
    const bool usual = row == nullptr || (row->units >> static_cast<unsigned>(chosen[i]) & 1) != 0;
    if ((!usual && !item.head.unit) || (!unit.vector && !item.one_lane)) return false;
    for (std::size_t k = 0; k < i; ++k) {
      const int passed = items[k].written;
      const bool in_stage = passed == static_cast<int>(register_tmp0) || passed == static_cast<int>(register_tmp1);
      const bool reads = in_stage && (item.read[0] == passed || item.read[1] == passed);
      const bool selects = passed == static_cast<int>(register_condition) && is_select(item.opcode);
      if ((reads || selects) && (info(chosen[k]).stage != 1 || unit.stage != 2)) return false;
    }
  }
  return true;
}

/// How near a choice is to Mesa's scheduler: it fills units in a fixed order, in words that write colours in another,
/// and computes a scalar condition of a selection on sadd, one of several lanes on vmul.
unsigned preference(const std::vector<AluItem>& items, const std::vector<Unit>& chosen, bool writes_out) {
  constexpr std::array usual{Unit::smul, Unit::vlut, Unit::vadd, Unit::sadd, Unit::vmul},
      at_writeout{Unit::vadd, Unit::vmul, Unit::smul, Unit::sadd, Unit::vlut};
  const auto& order = writes_out ? at_writeout : usual;
  unsigned points = 0;
  for (const Unit unit : order) points = 2 * points + (std::find(chosen.begin(), chosen.end(), unit) != chosen.end());
  const bool selects =
      std::any_of(items.begin(), items.end(), [](const AluItem& each) { return is_select(each.opcode); });
  for (std::size_t i = 0; i < items.size() && selects; ++i)
    if (items[i].written == static_cast<int>(register_condition))
      points += chosen[i] == (items[i].one_lane ? Unit::sadd : Unit::vmul) ? 1u << unit_count : 0;
  return points;
}

UnitChoice choose_units(const std::vector<AluItem>& items, bool writes_out) {
  UnitChoice choice;
  unsigned best = 0, count = 0;
  for (unsigned set = 0; set < 1u << unit_count; ++set) {
    if (static_cast<std::size_t>(std::popcount(set)) != items.size()) continue;
    std::vector<Unit> chosen;
    for (unsigned i = 0; i < unit_count; ++i)
      if (set >> i & 1) chosen.push_back(static_cast<Unit>(i));
    if (!may_execute(items, chosen)) continue;
    const unsigned points = preference(items, chosen, writes_out);
    if (count++ == 0 || points > best) {
      best = points;
      choice.units = chosen;
    }
  }
  choice.others = count > 1;
  return choice;
}

// ------------------------------------------------------------------------------------------------ constants

template <class Put>
bool prints_as(std::string_view text, Put put) {
  std::array<char, longest_mesa_number> room{};
  return std::string_view(room.data(), static_cast<std::size_t>(put(room.data()) - room.data())) == text;
}

/// An inline constant in the machine's own text; nothing if "#number" is none.
std::optional<std::string> inline_operand(std::string_view operand, unsigned opcode, unsigned width) {
  if (!operand.starts_with('#')) return std::nullopt;
  const std::string_view text = operand.substr(1);
  if (input_kind(opcode) == Kind::f) {
    double value = 0;
    const bool negative = text.starts_with('-');
    const auto read = read_real(text.substr(negative ? 1 : 0), value);
    if (read.ptr != text.data() + text.size() || text.empty()) return std::nullopt;
    const auto half = static_cast<std::uint16_t>(real_pattern(negative ? -value : value, 16));
    if (!prints_as(operand, [&](char* out) { return put_mesa_immediate(out, opcode, half); })) return std::nullopt;
    // By its bits at the operand's width, as the text rounds.
    std::array<char, 18> bits{};
    const char* const end = put_hex(bits.data(), widen_half(half, std::max(width, 16u)));
    return '#' + std::string(bits.data(), static_cast<std::size_t>(end - bits.data()));
  }
  std::uint32_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ptr != text.data() + text.size() || read.ec != std::errc{} || value > 0xFFFF)
    return std::nullopt;
  return '#' + std::to_string(static_cast<std::int16_t>(value));
}

using ConstantWords = std::array<std::uint32_t, 4>;

/// The source of a vector unit that reads these values from the constants.
struct ConstantSource {
  unsigned mod = 0, expand = 0, swizzle = 0;
};

/// Which selector of the swizzle a slot of Mesa's list shows.
unsigned selector_of_slot(unsigned width, bool widened, unsigned slot) {
  if (width == 64) return widened ? slot : 2 * slot;
  return selector_slot(width, width == 16 && widened ? slot / 2 : slot);
}

std::optional<unsigned> matching_swizzle(const AluItem& item, const std::vector<std::string_view>& texts,
                                         const ConstantWords& words, unsigned expand, unsigned mod, unsigned source) {
  const unsigned width = item.head.width;
  const bool widened = widens(expand) && width > 8, pairs = width == 64 && !widened;
  const auto [slots, bits] = mesa_slots(item.opcode, width, mask_of_lanes(width, item.lanes), expand);
  if (static_cast<std::size_t>(std::popcount(slots)) != texts.size()) return std::nullopt;
  unsigned swizzle = 0, known = 0, next = 0;
  for (unsigned slot = 0; slot < 128 / bits; ++slot) {
    if ((slots >> slot & 1) == 0) continue;
    const unsigned at = selector_of_slot(width, widened, slot);
    bool found = false;
    for (unsigned choice = 0; choice < 4 && !found; ++choice) {
      if ((known >> at & 1) != 0 && selector(swizzle, at) != choice) continue;
      if (pairs && choice % 2 != 0) continue;
      unsigned trial = (swizzle & ~(3u << (2 * at))) | choice << (2 * at);
      if (pairs) trial = (trial & ~(3u << (2 * at + 2))) | (choice + 1) << (2 * at + 2);
      const unsigned element = mesa_constant_element(width, expand, trial, slot);
      found = prints_as(texts[next], [&, width_of_slot = bits](char* out) {
        return put_mesa_constant(out, words, item.opcode, width_of_slot, element, mod, widened);
      });
      if (found) swizzle = trial;
    }
    if (!found) return std::nullopt;
    known |= 1u << at;
    ++next;
  }
  return fill_swizzle(width, swizzle, spelled_lanes(item.opcode, width, item.lanes, source));
}

std::optional<ConstantSource> find_constants(const AluItem& item, const std::vector<std::string_view>& texts,
                                             const ConstantWords& words, unsigned source) {
  constexpr std::array<unsigned, 4> real_mods{0, 2, 1, 3}, integer_mods{1, 0, 2, 3};
  const bool real = input_kind(item.opcode) == Kind::f;
  for (const bool widening : {false, true}) {
    if (widening && item.head.width == 8) continue;
    for (const std::uint8_t expand : expand_order(item.head.width, widening))
      for (const unsigned mod : real ? real_mods : integer_mods) {
        const unsigned chosen = real || widening ? mod : 0;
        if (const auto swizzle = matching_swizzle(item, texts, words, expand, chosen, source))
          return ConstantSource{chosen, expand, *swizzle};
      }
  }
  return std::nullopt;
}

/// Component and modifier of a scalar unit's source that reads the value, as notes.
std::optional<std::string> find_scalar_constant(const AluItem& item, std::string_view text, const ConstantWords& words,
                                                std::string_view source) {
  for (const bool full : {true, false})
    for (unsigned mod = 0; mod < 4; ++mod)
      for (unsigned component = 0; component < (full ? 4 : 8); ++component)
        if (prints_as(text, [&](char* out) {
              return put_mesa_constant(out, words, item.opcode, full ? 32 : 16, component, mod, false);
            }))
          return note(std::string(source) + ".mod", input_kind(item.opcode) == Kind::f ? mod : 0) +
                 note(std::string(source) + ".full", full ? 1 : 0) +
                 note(std::string(source) + ".component", full ? 2 * component : component);
  return std::nullopt;
}

/// Notes that make a source read the operand's numbers from the constants.
std::optional<std::string> embedded_operand(const AluItem& item, Unit unit, unsigned source, const ConstantWords& words,
                                            const std::string& name) {
  const std::string_view operand = item.from[source];
  if (!info(unit).vector) return find_scalar_constant(item, operand.substr(1), words, name);
  const bool closed = operand.starts_with('<') && operand.ends_with('>');
  const auto found =
      find_constants(item, split_at(operand.substr(1, operand.size() - (closed ? 2 : 1)), ','), words, source);
  if (!found) return std::nullopt;
  return note(name + ".mod", found->mod) + note(name + ".expand", found->expand) +
         note(name + ".swizzle", found->swizzle);
}

/// Whether a decimal constant of the line can only be of an unsigned or only of a signed operation.
std::optional<Kind> kind_of_constants(const AluItem& item) {
  for (const std::string_view operand : item.from) {
    if (operand.starts_with('<') || operand.starts_with("#-")) {
      for (const std::string_view text :
           split_at(operand.substr(1, operand.size() - (operand.ends_with('>') ? 2 : 1)), ',')) {
        if (text.starts_with('-')) return Kind::i;
        if (text.size() >= 10 && text > "2147483647") return Kind::u;
      }
    } else if (operand.size() >= 11 && operand.starts_with('#') && operand.substr(1) > "2147483647") {
      return Kind::u;
    }
  }
  return std::nullopt;
}

// ------------------------------------------------------------------------------------------------ the reader

class MesaReader {
 public:
  MesaReader(const Source& source, const Product& product)
      : source_(source), errors_(source), product_(product), rewritten_(source.line_count()) {}

  /// The listing in the machine's own text, a line for each line.
  Result<std::string> run();
  /// Lines of the listing, with texture registers under this product's names.
  [[nodiscard]] const std::vector<std::pair<std::size_t, std::string>>& listed() const { return listed_; }
  [[nodiscard]] Diagnostics assumed() const;

 private:
  enum Assumption : std::uint8_t { unit, sign, lane, constant, base, varying, target, selectors, assumptions };

  std::vector<MesaLine> listing();
  std::vector<MesaLine> listing_of_log(const std::vector<MesaLine>& lines);
  void bundle(const std::vector<MesaLine>& lines);
  void alu_bundle(const std::vector<MesaLine>& lines);
  std::optional<AluItem> alu_item(const MesaLine& line);
  std::string alu_line(const AluItem& item, Unit chosen, const std::optional<ConstantWords>& words);
  std::string constant_operand(const AluItem& item, Unit chosen, unsigned source,
                               const std::optional<ConstantWords>& words, std::string& notes);
  std::string wide_operand(const AluItem& item, std::string_view operand);
  std::string branch(std::string_view line);
  std::optional<ConstantWords> constants(std::string_view line);
  std::string address(std::string_view operand);
  std::string load_store(std::string_view line);
  std::string texture(const MesaLine& line);
  std::string renamed(std::string_view operand) const;

  void assume(Assumption what, std::string_view where) {
    if (counts_[what]++ == 0) first_[what] = span(where);
  }
  [[nodiscard]] Span span(std::string_view text) const {
    return {static_cast<std::uint32_t>(text.data() - source_.text().data()), static_cast<std::uint32_t>(text.size())};
  }
  void fail(std::string_view where, std::string message, std::string hint = {}) {
    errors_.report(span(where), "MD119", std::move(message), std::move(hint));
  }

  const Source& source_;
  ErrorSink errors_;
  const Product& product_;
  bool constants_unread_ = false;  ///< by any operand of the word that cannot be inline
  bool verbose_ = false;           ///< the listing names units, and with them zero bases
  std::vector<std::string> rewritten_;
  std::vector<std::pair<std::size_t, std::string>> listed_;
  std::array<Span, assumptions> first_{};
  std::array<std::size_t, assumptions> counts_{};
};

/// Nothing in `text` but the instruction; false if it has a comment that stands for bits of its word.
bool without_comments(std::string_view& text) {
  const std::size_t slashes = text.find("//"), star = text.find("/*");
  const bool says_bits = text.find("// unknown") != std::string_view::npos ||
                         (star != std::string_view::npos && star != 0) || text.starts_with("/* unknown") ||
                         text.starts_with("/* selector");
  text = trimmed(text.substr(0, std::min(slashes, star)));
  return !says_bits;
}

std::vector<MesaLine> MesaReader::listing() {
  std::vector<MesaLine> lines;
  bool log = false;
  for (std::size_t i = 0; i < source_.line_count(); ++i) {
    const std::string_view whole = trimmed(source_.line(i));
    std::string_view text = whole;
    log = log || is_log_line(text);
    if (!without_comments(text))
      fail(whole, "a comment of Mesa's stands for bits that the line does not show",
           "use the program itself, or remove the comment to leave the bits at their usual values");
    if (whole.empty() || !text.empty()) lines.push_back({text, i});
  }
  return log ? listing_of_log(lines) : lines;
}

/// The one run of a listing's lines in a log.
std::vector<MesaLine> MesaReader::listing_of_log(const std::vector<MesaLine>& lines) {
  std::vector<std::vector<MesaLine>> runs;
  bool open = false, raw = false;
  for (const MesaLine& line : lines) {
    const bool listed = line.text.empty() || is_listed(line.text) || (raw && is_raw_quadword(line.text));
    raw = line.text.starts_with(raw_words);
    if (!listed)
      open = false;
    else if (!open && !line.text.empty()) {
      runs.emplace_back();
      open = true;
    }
    if (open) runs.back().push_back(line);
  }
  if (runs.size() == 1) return runs.front();
  std::string places;
  for (std::size_t i = 0; i < runs.size() && i < 16; ++i)
    places += (i == 0 ? "" : ", ") + std::to_string(runs[i].front().index + 1);
  if (runs.empty())
    fail(source_.line(0), "this log holds no Midgard listing", "Mesa prints them with MIDGARD_MESA_DEBUG=shaders");
  else
    fail(runs[1].front().text,
         "this log holds " + std::to_string(runs.size()) + " listings; they begin on lines " + places +
             (runs.size() > 16 ? ", ..." : ""),
         "give only one of them");
  return {};
}

Result<std::string> MesaReader::run() {
  std::vector<MesaLine> open;
  const auto close = [&] {
    if (!open.empty() && !errors_.full()) bundle(open);
    open.clear();
  };
  const std::vector<MesaLine> lines = listing();
  verbose_ = std::any_of(lines.begin(), lines.end(), [](const MesaLine& line) {
    const auto head = alu_head(head_and_rest(line.text).first);
    return head && head->unit;
  });
  for (const MesaLine& line : lines) {
    if (line.text.empty())
      close();
    else
      open.push_back(line);
  }
  close();
  if (!errors_.empty()) return mobula::fail(errors_.take());
  return joined(rewritten_, "\n");
}

void MesaReader::bundle(const std::vector<MesaLine>& lines) {
  const MesaLine& first = lines.front();
  const std::string_view head = head_and_rest(first.text).first;
  for (const MesaLine& line : lines) listed_.emplace_back(line.index, std::string(line.text));
  if (first.text.starts_with(raw_words)) {
    if (lines.size() != 2 || !is_raw_quadword(lines[1].text))
      return fail(first.text, "expected the four words of the quadword on the next line");
    std::string words;
    for (const std::string_view word : split_at(lines[1].text, ',')) words += ' ' + std::string(word);
    rewritten_[lines[1].index] = ".quad" + words;
    return;
  }
  const bool of_alu = alu_head(head) || is_branch(head) || head == constants_word || first.text == writeout_word;
  if (of_alu) return alu_bundle(lines);
  for (const MesaLine& line : lines) {
    const std::string_view word = head_and_rest(line.text).first;
    std::string& out = rewritten_[line.index];
    if (line.text == break_word)
      out = break_word;
    else if (load_store_row(word) != nullptr)
      out = load_store(line.text);
    else if (is_texture(word))
      out = texture(line);
    else
      return fail(line.text, quote(word) + " is not a line that Mesa's listings for Midgard have here",
                  "a blank line ends the instructions of a word");
  }
  rewritten_[first.index].insert(0, "{ ");
  rewritten_[lines.back().index] += " }";
}

// ------------------------------------------------------------------------------------------------ ALU

void MesaReader::alu_bundle(const std::vector<MesaLine>& lines) {
  std::vector<AluItem> items;
  std::optional<ConstantWords> words;
  bool writeout = false, writes_colour = false;
  unsigned bytes = 4;
  for (const MesaLine& line : lines) {
    const std::string_view head = head_and_rest(line.text).first;
    if (alu_head(head)) {
      auto item = alu_item(line);
      if (!item) return;
      items.push_back(std::move(*item));
    } else if (is_branch(head)) {
      bytes += head.starts_with("brx.") ? 6 : 2;
      writes_colour = writes_colour || head.find(".write") != std::string_view::npos;
      rewritten_[line.index] = branch(line.text);
    } else if (head == constants_word) {
      words = constants(line.text);
      if (!words) return;
      rewritten_[line.index] = "uconst " + std::string(head_and_rest(line.text).second);
    } else if (line.text == writeout_word) {
      writeout = true;
    } else if (line.text == break_word) {
      rewritten_[line.index] = break_word;
    } else {
      return fail(line.text, quote(head) + " does not belong to an arithmetic word",
                  "a blank line ends the instructions of a word");
    }
  }
  constants_unread_ = std::none_of(items.begin(), items.end(), [](const AluItem& item) {
    const bool second = is_constant(item.from[1]) && !inline_operand(item.from[1], item.opcode, item.head.width);
    return is_constant(item.from[0]) || second;
  });
  const UnitChoice choice = choose_units(items, writes_colour);
  if (choice.units.size() != items.size())
    return fail(items.front().line.text, "the five units cannot execute these lines in this order",
                "a word has at most one line each of vmul, sadd, vadd, smul and lut, in this order");
  if (choice.others) assume(unit, items.front().line.text);
  for (std::size_t i = 0; i < items.size(); ++i) {
    rewritten_[items[i].line.index] = alu_line(items[i], choice.units[i], words);
    bytes += 2u + info(choice.units[i]).bytes;
  }
  const unsigned length = (bytes + quadword_bytes - 1) / quadword_bytes + (words ? 1 : 0);
  if (length > 4) return fail(lines.front().text, "these lines need more than the 64 bytes of the longest word");
  const unsigned tag = (writeout ? tag_alu_writeout_4 : tag_alu_4) + length - 1;
  rewritten_[lines.front().index].insert(0, "{ !tag=" + std::string(tags[tag].name) + ' ');
  rewritten_[lines.back().index] += " }";
}

std::optional<AluItem> MesaReader::alu_item(const MesaLine& line) {
  const auto [head, rest] = head_and_rest(line.text);
  const std::vector<std::string_view> operands = split_at(rest, ',');
  if (operands.size() != 3) {
    fail(line.text, "expected a destination and two operands, found " + std::to_string(operands.size()));
    return std::nullopt;
  }
  AluItem item{.line = line, .head = *alu_head(head), .to = operands[0], .from = {operands[1], operands[2]}};
  item.opcode = item.head.opcodes.front();
  if (item.head.opcodes.size() > 1) {
    const std::optional<Kind> kind = kind_of_constants(item);
    for (const unsigned opcode : item.head.opcodes)
      if (input_kind(opcode) == kind.value_or(Kind::i)) item.opcode = opcode;
    if (!kind) assume(sign, head);
  }
  const unsigned count = 128 / item.head.width;
  for (const char letter : letters_of(item.to)) {
    const int element = letter == 'X' ? 0 : letter == 'Y' ? 1 : element_of(letter);
    if (element >= 0) item.lanes |= 1u << (static_cast<unsigned>(element) % count);
  }
  if (letters_of(item.to).empty()) item.lanes = count == 16 ? 0xFFFF : (1u << count) - 1;
  item.one_lane = looks_scalar(item);
  item.written = register_of(item.to, destination_names);
  const AluOp* row = find_alu_op(item.opcode);
  for (unsigned i = 0; i < 2; ++i)
    if (row == nullptr || row->operands != 1 || row->uses_source2 == (i == 1))
      item.read[i] = is_constant(item.from[i]) ? -1 : register_of(item.from[i], source_names);
  return item;
}

std::string MesaReader::alu_line(const AluItem& item, Unit chosen, const std::optional<ConstantWords>& words) {
  const AluOp* row = find_alu_op(item.opcode);
  std::array<char, 2> digits{};
  put_hex_digits(digits.data(), item.opcode, 2);
  std::string text = std::string(info(chosen).name) + '.' +
                     (row != nullptr ? std::string(row->mnemonic) : "op_" + std::string(digits.data(), 2)) + '.' +
                     type_letter(item.opcode) + std::to_string(item.head.width) + ' ';
  // Without lanes Mesa means all of them, and a result that does not shrink.
  std::string to(item.to), notes;
  for (unsigned i = 0; i < int_outmods.size() && letters_of(item.to).empty(); ++i)
    if (const std::string suffix = '.' + std::string(int_outmods[i]); to.ends_with(suffix)) {
      to.resize(to.size() - suffix.size());
      notes += note("outmod", i);
    }
  text += to;
  const unsigned all = item.head.width == 8 ? 0xFFFF : (1u << (128 / item.head.width)) - 1;
  const bool swizzles = !letters_of(item.from[0]).empty() || !letters_of(item.from[1]).empty();
  if (info(chosen).vector && item.lanes != all && swizzles) assume(selectors, item.line.text);
  for (unsigned i = 0; i < 2; ++i) {
    const std::string_view operand = item.from[i];
    text += ", ";
    if (is_constant(operand))
      text += constant_operand(item, chosen, i, words, notes);
    else if (first_word(operand) == "AL1")
      text += "R27" + std::string(operand.substr(3));
    else
      text += wide_operand(item, operand);
  }
  return text + notes;
}

/// A register of 64-bit lanes. Of a widened one Mesa's letters tell less than which component it is: y is y or z.
std::string MesaReader::wide_operand(const AluItem& item, std::string_view operand) {
  std::string text(operand);
  const std::string_view letters = letters_of(operand);
  const bool widened = std::any_of(widen_mods.begin(), widen_mods.end(),
                                   [&](std::string_view each) { return operand.ends_with('.' + std::string(each)); }) ||
                       operand.ends_with(".widen");
  if (item.head.width != 64 || !widened || letters.empty()) return text;
  if (letters.find_first_of("yz") != std::string_view::npos) assume(lane, operand);
  for (std::size_t i = 0; i < letters.size(); ++i)
    if (letters[i] == 'z') text[static_cast<std::size_t>(letters.data() - operand.data()) + i] = 'w';
  return text;
}

std::string MesaReader::constant_operand(const AluItem& item, Unit chosen, unsigned source,
                                         const std::optional<ConstantWords>& words, std::string& notes) {
  const std::string_view operand = item.from[source];
  const auto at_once = source == 1 ? inline_operand(operand, item.opcode, item.head.width) : std::nullopt;
  const AluOp* row = find_alu_op(item.opcode);
  const bool counts = row == nullptr || row->operands != 1 || row->uses_source2 == (source == 1);
  const std::string name = source == 0 ? "src1" : "src2";
  const auto embedded = words ? embedded_operand(item, chosen, source, *words, name) : std::nullopt;
  if (at_once && (!embedded || !counts)) return *at_once;
  if (at_once) assume(constant, operand);
  // Of two that look alike the embedded ones are meant where nothing else would read them.
  if (at_once && !constants_unread_) return *at_once;
  if (embedded) {
    notes += *embedded;
    return info(chosen).vector ? "K" : "K.x";
  }
  fail(operand,
       !words                ? "this is not an inline constant, and the word has no uconstants line that holds it"
       : info(chosen).vector ? "uconstants does not hold these numbers where an operand could read them"
                             : "uconstants does not hold this number",
       "correct the number, or the uconstants line");
  return "K.x";
}

std::optional<ConstantWords> MesaReader::constants(std::string_view line) {
  ConstantWords words{};
  const std::vector<std::string_view> texts = split_at(head_and_rest(line).second, ',');
  bool good = texts.size() == words.size();
  for (std::size_t i = 0; good && i < words.size(); ++i) {
    std::uint64_t value = 0;
    good = parse_integer(texts[i], value) && value <= UINT32_MAX;
    words[i] = static_cast<std::uint32_t>(value);
  }
  if (good) return words;
  fail(line, "uconstants has four 32-bit words", "write uconstants 0x3F800000, 0x0, 0x0, 0x0");
  return std::nullopt;
}

/// "brx.reserved.write.always -2 -> alu/8": the mode of the extended form comes first, that of the compact jump last.
std::string MesaReader::branch(std::string_view line) {
  const auto [head, rest] = head_and_rest(line);
  std::vector<std::string_view> words = split_at(head, '.');
  constexpr std::array<std::string_view, 4> modes{"reserved", "", "call", "return"};
  const auto mode_of = [&](std::string_view word) {
    return static_cast<unsigned>(std::find(modes.begin(), modes.end(), word) - modes.begin());
  };
  const bool extended = words[0] == "brx", jump = !extended && words.size() > 1 && words[1] == "uncond";
  unsigned mode = 1;
  const std::size_t at = jump ? 2 : 1;
  if (words.size() > at && mode_of(words[at]) < modes.size()) {
    mode = mode_of(words[at]);
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  }
  std::string text(words[0]);
  if (mode >= 2) text += '.' + std::string(modes[mode]);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool unknown = i == 1 && words[i].starts_with("unk");
    text += '.' + (unknown ? "op" + std::string(words[i].substr(3)) : std::string(words[i]));
  }
  text += ' ' + std::string(rest);
  if (extended && mode == 1) text += note("call_mode", 1);
  if (jump && mode == 0) text += note("call_mode", 0);
  return text;
}

// ------------------------------------------------------------------------------------------------ load/store

/// An address in the machine's own text. Unless the listing is verbose Mesa leaves a zero base out, so that an index
/// alone looks like a base.
std::string MesaReader::address(std::string_view operand) {
  constexpr std::string_view zero = "0.u64.x";
  if (operand.starts_with(zero)) return '0' + std::string(operand.substr(zero.size()));
  if (operand.starts_with('+') || operand.starts_with('-')) return "0 " + std::string(operand);
  const std::size_t plus = operand.find(" + ");
  const bool alone = plus == std::string_view::npos || operand.substr(plus + 3).starts_with("0x");
  const std::string_view first = operand.substr(0, plus);
  const bool index = first.find(".s32.") != std::string_view::npos || first.find("<<") != std::string_view::npos;
  if (verbose_ || !alone) return (index ? "0 + " : "") + std::string(operand);
  // Mesa's compiler puts pointers of its own into the index, and names those of the machine as a base.
  const bool pointer = first.starts_with("AL");
  if (!index) assume(base, operand);
  return (index || pointer ? "0 + " : "") + std::string(operand);
}

std::string MesaReader::load_store(std::string_view line) {
  const auto [head, rest] = head_and_rest(line);
  const LsOp& row = *load_store_row(head);
  const LsForm form = form_of(row.does);
  std::string name(head), notes;
  std::vector<std::string> operands;
  for (const std::string_view operand : split_at(rest, ',')) operands.emplace_back(operand);
  const auto is = [&](LsMeaning meaning) { return row.does == meaning; };
  if (operands[0].starts_with("PC_SP.") && form.writes) operands[0].replace(0, 5, "R31");
  // Mesa shows the argument of the two address makers a second time.
  if (is(LsMeaning::lea) && operands.size() == 3) operands.erase(operands.begin() + 2);
  if (is(LsMeaning::lea_image) && operands.size() == 4) operands.erase(operands.begin() + 1);
  if (form.has_address && operands.size() > 1) operands[1] = address(split_at(rest, ',')[1]);
  if (is(LsMeaning::ubo) && operands.size() == 3) {
    // The immediate buffer number looks like the register its bits would name, and the register like a number.
    unsigned number = 0;
    const std::string& buffer = operands[1];
    const auto read = std::from_chars(buffer.data(), buffer.data() + buffer.size(), number);
    if (read.ptr == buffer.data() + buffer.size()) {
      const FieldValue* selected = find_value(ls::arg, number >> 2 & 7);
      notes += number > 31 ? note("index.format", number >> 6) + note("toggle", number >> 5 & 1) : "";
      operands[1] = "ubo[" + std::string(selected->name) + '.' + element_letters[number & 3] + ']';
    } else {
      for (const FieldValue& selected : value::selector)
        for (unsigned component = 0; component < 4; ++component)
          if (buffer == std::string(selected.name) + '.' + element_letters[component])
            operands[1] = "ubo[" + std::to_string(selected.value << 2 | component) + ']';
    }
  }
  if (is(LsMeaning::pack) || is(LsMeaning::unpack) || is(LsMeaning::cubemap) || is(LsMeaning::perspective)) {
    // Mesa shows the swizzle of the result beside the argument.
    const std::string letters(operands.size() > 1 ? letters_of(operands[1]) : "");
    const std::size_t dot = operands[0].find('.');
    for (std::size_t i = 0; i < 4 && letters.size() == 4 && dot + 1 + i < operands[0].size(); ++i)
      if (operands[0][dot + 1 + i] != '~') operands[0][dot + 1 + i] = letters[i];
    if (!letters.empty()) operands[1] = std::string(first_word(operands[1]));
  }
  if (is(LsMeaning::attribute) && operands.size() == 3 && operands[2].find(' ') != std::string::npos) name += ".vertex";
  if (form.stores) {
    const std::string letters(letters_of(operands[0]));
    if (!letters.empty() && letters.size() < 4) {
      operands[0].append(4 - letters.size(), letters.back());
      notes += note("mask", (1u << letters.size()) - 1);
    }
  }
  if (is(LsMeaning::varying)) {
    assume(varying, head);
    // Integers are never interpolated.
    if (row.type == LsType::u32 || row.type == LsType::s32) name += ".flat";
  }
  if (is(LsMeaning::load_tile) || is(LsMeaning::store_tile)) {
    assume(target, head);
    operands.insert(operands.end(), {"rt[0]", "sample[0]"});
  }
  if (is(LsMeaning::nop)) return name;
  return name + ' ' + joined(operands, ", ") + notes;
}

// ------------------------------------------------------------------------------------------------ texture

/// A register by this product's name; Mesa has older versions that use one set of names for all.
std::string MesaReader::renamed(std::string_view operand) const {
  struct Names {
    std::string_view apart, shared;
  };
  constexpr std::array<Names, 4> registers{{{"TA0", "R0"}, {"TA1", "R1"}, {"AT0", "AL0"}, {"AT1", "AL1"}}};
  for (const Names& each : registers) {
    const std::string_view from = product_.interpipe_aliasing ? each.apart : each.shared;
    const std::string_view to = product_.interpipe_aliasing ? each.shared : each.apart;
    if (operand.starts_with(from) &&
        (operand.size() == from.size() || operand[from.size()] == '.' || operand[from.size()] == '\''))
      return std::string(to) + std::string(operand.substr(from.size()));
  }
  return std::string(operand);
}

std::string MesaReader::texture(const MesaLine& line) {
  const auto [head, rest] = head_and_rest(line.text);
  std::string name, notes;
  const std::vector<std::string_view> words = split_at(head, '.');
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    std::string own(word);
    if (word == "gather" && i + 1 < words.size() && words[i + 1] == "shadow") {
      own = "gather_shadow";
      ++i;
    } else if (word.starts_with("gather") && word.size() == 7) {
      own = "gather_" + std::string(1, static_cast<char>(word[6] + ('a' - 'A')));
    } else if (word == "reserved") {
      notes += note("exec", 0);
      continue;
    } else if (word.starts_with("ooo") && words[0] == "BARRIER") {
      notes += " !ooo=" + std::string(word.substr(3));
      continue;
    }
    name += (i == 0 ? "" : ".") + own;
  }
  if (rest.empty()) return name + notes;
  std::vector<std::string> operands;
  std::string canonical(head);
  for (std::string_view piece : split_at(rest, ',')) {
    if (piece.empty()) continue;
    // The register at the start of an operand, in brackets, or after "lod =".
    std::string text;
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t end = std::min(piece.find_first_of(" []", at), piece.size());
      text += renamed(piece.substr(at, end - at));
      if (end < piece.size()) text += piece[end];
      at = end + 1;
    }
    canonical += (operands.empty() ? " " : ", ") + text;
    operands.push_back(std::move(text));
  }
  std::find_if(listed_.rbegin(), listed_.rend(), [&](const auto& each) { return each.first == line.index; })->second =
      canonical + ',';
  if (operands.size() < 4) {
    fail(line.text, "expected the result, a texture, a sampler and the coordinates");
    return name;
  }
  // The upper half of a result that is all of it has an apostrophe in the place of letters.
  if (const std::size_t mark = operands[0].find('\''); mark != std::string::npos) operands[0].replace(mark, 1, ".efgh");
  if (operands[2].starts_with('?')) operands[2].erase(0, 1);
  if (const std::size_t plus = operands[3].find(" + "); plus != std::string::npos) {
    std::string offset = operands[3].substr(plus + 3);
    operands[3].resize(plus);
    if (offset.starts_with('<') && offset.ends_with('>')) {
      // Four bits each, which Mesa prints unsigned.
      std::vector<std::string> numbers;
      for (const std::string_view each : split_at(std::string_view(offset).substr(1, offset.size() - 2), ',')) {
        int value = 0;
        std::from_chars(each.data(), each.data() + each.size(), value);
        numbers.push_back(std::to_string(value > 7 ? value - 16 : value));
      }
      offset = '<' + joined(numbers, ", ") + '>';
    }
    operands.insert(operands.begin() + 4, "offset " + offset);
  }
  for (std::string& operand : operands)
    if (operand.starts_with("lod - ")) operand.replace(0, 6, "lod + -");
  return name + ' ' + joined(operands, ", ") + notes;
}

// ------------------------------------------------------------------------------------------------ what was assumed

Diagnostics MesaReader::assumed() const {
  struct Text {
    Severity severity;
    std::string_view message, hint;
  };
  constexpr Severity may_matter = Severity::warning, changes_nothing = Severity::note;
  constexpr std::array<Text, assumptions> texts{{
      {may_matter, "the listing does not say which unit executes this; chosen as Mesa's scheduler would",
       "Mesa's verbose listing, and mesa-verbose here, begin with the unit: vmul.FADD.f32"},
      {may_matter, "the listing does not say whether this operation is signed; taken as signed",
       "the machine's own text, mdg, says so: CMP.lt.u32"},
      {may_matter, "the listing has one letter for two components of a widened operand; y is taken as y, z as w",
       "the machine's own text, mdg, tells them apart"},
      {changes_nothing, "the listing does not say whether this number is in the instruction or in uconstants",
       "the machine's own text, mdg, says so: #1 or K.x"},
      {changes_nothing, "the listing does not say whether this address is a base or an index alone",
       "the machine's own text, mdg, says so: AL0.u64.x or 0 + AL0.u64.x"},
      {may_matter,
       "the listing does not say how this varying is interpolated; integers are taken as flat, others as smooth",
       "the machine's own text, mdg, says so: LD_VARY.f32.centroid"},
      {may_matter, "the listing does not say which render target and sample this is; taken as the first",
       "the machine's own text, mdg, says so: rt[1], sample[0]"},
      {changes_nothing, "the listing does not say what the lanes that are not written would read", ""},
  }};
  Diagnostics all;
  for (std::size_t i = 0; i < assumptions; ++i) {
    if (counts_[i] == 0) continue;
    const std::string more = counts_[i] == 1 ? "" : ", and likewise for " + std::to_string(counts_[i] - 1) + " more";
    all.push_back({texts[i].severity, "MD120", source_.locate(first_[i]), std::string(texts[i].message) + more,
                   std::string(texts[i].hint)});
  }
  return all;
}

// ------------------------------------------------------------------------------------------------ reading back

/// A line without blanks, and without its unit.
std::string compared(std::string_view line) {
  for (const UnitInfo& each : units)
    if (line.starts_with(each.name) && line.substr(each.name.size()).starts_with('.'))
      line.remove_prefix(each.name.size() + 1);
  std::string text;
  for (const char letter : line)
    if (blanks.find(letter) == std::string_view::npos) text += letter;
  return text;
}

std::vector<std::string> printed_lines(const Listing& listing) {
  std::vector<std::string> lines;
  for (std::string_view rest = listing.text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    without_comments(line);
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

/// The first line that the program does not print as it was read.
std::optional<Diagnostic> first_difference(const Source& source, const Program& program,
                                           const std::vector<std::pair<std::size_t, std::string>>& listed) {
  const std::vector<std::string> plain = printed_lines(joined(print_mesa(program, {}))),
                                 verbose = printed_lines(joined(print_mesa_verbose(program, {})));
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const auto& [index, text] = listed[i];
    const std::string_view line = source.line(index);
    const Span where{source.line_offset(index), static_cast<std::uint32_t>(line.size())};
    if (i >= plain.size())
      return Diagnostic{Severity::error, "MD119", source.locate(where),
                        "the program ends before this line: no branch leads on from the word above",
                        "give only one program"};
    if (compared(text) == compared(plain[i]) || compared(text) == compared(verbose[i])) continue;
    return Diagnostic{Severity::error, "MD119", source.locate(where),
                      "this line cannot be read exactly: what comes out prints as " + quote(plain[i]),
                      "write it that way if that is what is meant; the machine's own text, mdg, says everything"};
  }
  if (plain.size() > listed.size() && !listed.empty()) {
    const std::size_t index = listed.back().first;
    return Diagnostic{
        Severity::error, "MD119",
        source.locate({source.line_offset(index), static_cast<std::uint32_t>(source.line(index).size())}),
        "this line cannot be read exactly: what comes out prints " + quote(plain[listed.size()]) + " after it",
        "is the listing cut short?"};
  }
  return std::nullopt;
}

/// Errors of the rewritten text, at the lines they came from.
Diagnostics placed_in(const Source& source, Diagnostics errors) {
  for (Diagnostic& each : errors) {
    if (each.where.line == 0) continue;
    const std::size_t index = each.where.line - 1;
    each.where = source.locate({source.line_offset(index), static_cast<std::uint32_t>(source.line(index).size())});
  }
  return errors;
}

}  // namespace

Result<Program> parse_mesa(const SourceText& source, const AssembleOptions& options) {
  if (source.text.size() > longest_mesa_text)
    return fail("MD116", "the text is longer than " + std::to_string(longest_mesa_text >> 20) + " MiB");
  const Source text(source.file, source.text);
  MesaReader reader(text, find_product(options.variant));
  const Result<std::string> own = reader.run();
  if (!own) return fail(own.error());
  Result<Program> program = parse_mdg({source.file, *own}, options);
  if (!program) return fail(placed_in(text, std::move(program).error()));
  if (auto difference = first_difference(text, *program, reader.listed())) return fail(std::move(*difference));
  program->remarks = reader.assumed();
  return program;
}

}  // namespace mobula::midgard
