#include "machines/midgard/text/parse_alu.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/counted.h"
#include "machines/midgard/text/numbers.h"

namespace mobula::midgard {
namespace {

using TokenKind = LineToken::Kind;
using OpcodeMap = std::map<std::string, std::uint8_t, std::less<>>;

std::string lower(std::string_view text) {
  std::string copy(text);
  for (char& letter : copy)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + 32);
  return copy;
}

constexpr std::string_view doubled = "x2";

std::string alu_key(std::string_view mnemonic, char letter, bool doubles) {
  std::string key = lower(mnemonic) + '.' + letter;
  if (doubles) (key += '.') += doubled;
  return key;
}

const OpcodeMap& opcodes_by_name() {
  static const OpcodeMap map = [] {
    OpcodeMap names;
    for (const AluOp& row : alu_ops) names[alu_key(row.mnemonic, type_letter(row.opcode), row.shift1)] = row.opcode;
    return names;
  }();
  return map;
}

/// "op_1F" as an opcode number.
std::optional<unsigned> numbered_opcode(std::string_view name) {
  std::uint64_t value = 0;
  if (name.size() != 5 || !same_word(name.substr(0, 3), "op_")) return std::nullopt;
  if (!parse_integer("0x" + std::string(name.substr(3)), value)) return std::nullopt;
  return static_cast<unsigned>(value);
}

template <std::size_t N>
int index_in(const std::array<std::string_view, N>& names, std::string_view word) {
  for (std::size_t i = 0; i < N; ++i)
    if (!names[i].empty() && same_word(names[i], word)) return static_cast<int>(i);
  return -1;
}

class AluReader {
 public:
  AluReader(LineCursor& line, Unit unit) : line_(line), vector_(info(unit).vector) { out_.instruction.unit = unit; }

  AluLine read() {
    const LineToken& first = line_.take();
    operation();
    if (!line_.failed()) destination();
    if (!line_.failed()) sources();
    if (!line_.failed()) out_.notes = parse_notes(line_, vector_ ? vector_notes : scalar_notes);
    out_.where = {first.offset, line_.peek().offset - first.offset};
    return std::move(out_);
  }

 private:
  struct Suffixes {
    Span letters;  // of length 0 if there are none
    std::vector<LineToken> modifiers;
  };

  void operation();
  void unknown_operation(Span name, std::string_view mnemonic, std::string_view type);
  void destination();
  void sources();
  void source(bool second);
  void register_source(bool second);
  void constant_source(bool second);
  void literal_list(bool second);
  void unused(bool second);

  template <class IsModifier>
  Suffixes read_suffixes(IsModifier is_modifier);
  std::vector<unsigned> elements_of(Span letters);
  void vector_swizzle(Span letters, const std::vector<unsigned>& lanes, bool widening, unsigned& expand,
                      unsigned& swizzle);
  void wide_swizzle(Span letters, const std::vector<unsigned>& lanes, bool widening, unsigned& expand,
                    unsigned& swizzle);
  [[nodiscard]] unsigned lanes_read(bool second) const {
    return vector_ ? spelled_lanes(opcode_, width_, lanes_, second ? 1 : 0) : 1;
  }
  [[nodiscard]] std::vector<unsigned> lane_list(bool second) const {
    std::vector<unsigned> list;
    for (unsigned lane = 0; lane < 16; ++lane)
      if (lanes_read(second) >> lane & 1) list.push_back(lane);
    return list;
  }
  std::optional<std::uint64_t> pattern(const Value& value, Span where);

  void set_registers(const Field& field, std::uint64_t value) {
    std::uint64_t registers = out_.instruction.registers;
    set(registers, field, value);
    out_.instruction.registers = static_cast<std::uint16_t>(registers);
  }
  std::uint64_t& word() { return out_.instruction.word; }
  [[nodiscard]] bool floats() const { return input_kind(opcode_) == Kind::f; }

  LineCursor& line_;
  bool vector_;
  AluLine out_;
  unsigned opcode_ = 0, width_ = 32;
  unsigned lanes_ = 0;  // enabled by the destination
};

/// The operation's name ends in its type: a letter and the lane width.
void AluReader::operation() {
  std::vector<const LineToken*> parts;
  while (line_.accept(".")) {
    const LineToken& part = line_.take();
    if (part.kind != TokenKind::word && part.kind != TokenKind::number)
      return line_.fail(part, "MD101", "expected an operation such as FADD.f32 after the unit");
    parts.push_back(&part);
  }
  if (parts.empty()) return line_.fail_expected("'.' and an operation such as FADD.f32 after the unit");
  const std::uint32_t begin = parts.front()->offset;
  const Span name{begin, static_cast<std::uint32_t>(parts.back()->offset + parts.back()->text.size()) - begin};

  std::string mnemonic;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) (mnemonic += i == 0 ? "" : ".") += lower(parts[i]->text);
  const std::string type = lower(parts.back()->text);
  std::uint64_t bits = 0;
  const bool typed = parts.size() > 1 && std::string_view("fsui").find(type[0]) != std::string_view::npos &&
                     parse_integer(std::string_view(type).substr(1), bits) && std::has_single_bit(bits) && bits >= 8 &&
                     bits <= 64;
  if (!typed) return unknown_operation(name, typed || parts.size() > 1 ? mnemonic : lower(parts[0]->text), {});
  if (const auto number = numbered_opcode(mnemonic); number && type_letter(*number) == type[0]) {
    opcode_ = *number;
  } else if (const auto row = opcodes_by_name().find(alu_key(mnemonic, type[0], false));
             row != opcodes_by_name().end()) {
    opcode_ = row->second;
  } else {
    return unknown_operation(name, mnemonic, type);
  }
  width_ = static_cast<unsigned>(bits);
  set(word(), vec::opcode, opcode_);
  if (vector_)
    set(word(), vec::mode, static_cast<unsigned>(std::countr_zero(bits)) - 3);
  else if (width_ != 32)
    line_.fail(name, "MD105", std::string(info(out_.instruction.unit).name) + " computes in 32 bits only",
               "give the operation to vmul, vadd or lut, or write the type as " + type.substr(0, 1) + "32");
}

void AluReader::unknown_operation(Span name, std::string_view mnemonic, std::string_view type) {
  std::string allowed;
  for (const AluOp& row : alu_ops)
    if (same_word(row.mnemonic, mnemonic)) {
      const std::string one = std::string(row.mnemonic) + '.' + type_letter(row.opcode) + "32";
      if (allowed.find(one) == std::string::npos) allowed += (allowed.empty() ? "" : " or ") + one;
    }
  if (const auto number = numbered_opcode(mnemonic))
    allowed = std::string(mnemonic) + '.' + type_letter(*number) + "32";
  if (!allowed.empty())
    return line_.fail(name, "MD105",
                      type.empty() ? "an operation ends in its type" : "this operation does not have that type",
                      "write " + allowed + ", or another lane width: 8, 16, 32, 64");
  Nearest nearest(mnemonic);
  offer_alu_names(nearest);
  line_.fail(name, "MD102", "there is no ALU operation '" + std::string(line_.text(name).substr(0, 40)) + "'",
             nearest.hint());
}

template <class IsModifier>
AluReader::Suffixes AluReader::read_suffixes(IsModifier is_modifier) {
  Suffixes found;
  while (!line_.failed() && line_.accept(".")) {
    if (line_.peek().kind == TokenKind::word && is_modifier(line_.peek().text)) {
      found.modifiers.push_back(line_.take());
      continue;
    }
    const Span run = line_.take_run(".,!#<>+-");
    if (run.length == 0) {
      line_.fail_expected("lane letters or a modifier");
    } else if (found.letters.length != 0) {
      line_.fail(run, "MD105", "unknown modifier '" + std::string(line_.text(run).substr(0, 40)) + "'");
    } else {
      found.letters = run;
    }
  }
  return found;
}

/// Lane letters as the elements they name; "~" alone names none.
std::vector<unsigned> AluReader::elements_of(Span letters) {
  std::vector<unsigned> elements;
  const std::string_view text = line_.text(letters);
  if (text == "~") return elements;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int element = element_of(text[i]);
    if (width_ == 64 && element < 0) element = text[i] == 'X' ? 0 : text[i] == 'Y' ? 1 : -1;
    if (element < 0) {
      line_.fail(Span{letters.offset + static_cast<std::uint32_t>(i), 1}, "MD104",
                 "'" + std::string(1, text[i]) + "' is not a lane", "lanes are x y z w e f g h i j k l m n o p");
      return {};
    }
    elements.push_back(static_cast<unsigned>(element));
  }
  return elements;
}

void AluReader::destination() {
  const LineToken& name = line_.take();
  const int number = name.kind == TokenKind::word ? find_register(name.text, destination_names) : -1;
  if (number < 0)
    return line_.fail(name, "MD103", "expected a register to write",
                      "destinations are R0 to R23, TMP0, TMP1, AL0, AL1, AT0, AT1 and COND");
  set_registers(reg::dst, static_cast<unsigned>(number));

  const bool real = output_kind(opcode_) == Kind::f;
  const Suffixes suffixes = read_suffixes([](std::string_view word) {
    return word == "shrink" || index_in(float_outmods, word) >= 0 || index_in(int_outmods, word) >= 0;
  });
  if (line_.failed()) return;
  bool shrinks = false;
  unsigned outmod = real ? 0 : static_cast<unsigned>(IntOutmod::keeplo);
  for (const LineToken& modifier : suffixes.modifiers) {
    const int float_mod = index_in(float_outmods, modifier.text), int_mod = index_in(int_outmods, modifier.text);
    if (real ? int_mod >= 0 : int_mod < 0)
      return line_.fail(modifier, "MD105",
                        real ? "the result is a float: it takes .shrink and .clamp_... only"
                             : "the result is an integer: it takes .ssat .usat .keeplo .keephi only");
    if (float_mod >= 0) outmod = static_cast<unsigned>(float_mod);
    if (int_mod >= 0) outmod = static_cast<unsigned>(int_mod);
    shrinks = shrinks || float_mod < 0;
  }
  const std::vector<unsigned> elements = elements_of(suffixes.letters);
  if (line_.failed()) return;
  if (!std::is_sorted(elements.begin(), elements.end(), std::less_equal<>()))
    return line_.fail(suffixes.letters, "MD104", "lanes of a destination are in ascending order, each once");
  const Span where = suffixes.letters.length != 0 ? suffixes.letters : name.span();

  if (!vector_) {
    const unsigned highest = shrinks ? 8 : 4;
    if (elements.size() != 1 || elements[0] >= highest)
      return line_.fail(
          where, "MD104",
          shrinks ? "a scalar unit writes one half component, x to h" : "a scalar unit writes one component, x to w");
    set(word(), scalar::component, shrinks ? elements[0] : elements[0] * 2);
    set(word(), scalar::full, shrinks ? 0 : 1);
    set(word(), scalar::outmod, outmod);
    return;
  }
  const unsigned count = 128 / width_;
  if (shrinks && width_ == 8) return line_.fail(where, "MD105", "8-bit lanes cannot shrink");
  const bool upper = shrinks && !elements.empty() && elements.front() >= count;
  const unsigned first = upper ? count : 0;
  if (!elements.empty() && elements.back() >= first + count)
    return line_.fail(where, "MD104",
                      upper || !shrinks || elements.back() >= 2 * count
                          ? "a register has " + counted(shrinks ? 2 * count : count, "element") + " of this width"
                          : "a shrunk result goes to the lower or the upper half, not both");
  for (const unsigned element : elements) lanes_ |= 1u << (element - first);
  if (suffixes.letters.length == 0) lanes_ = (1u << count) - 1;
  const std::uint8_t mask = mask_of_lanes(width_, lanes_);
  if (enabled_lanes(width_, mask) != lanes_)
    return line_.fail(where, "MD104", "8-bit lanes are written in pairs: xy, zw, ef, gh, ij, kl, mn, op");
  set(word(), vec::mask, mask);
  set(word(), vec::shrink, static_cast<unsigned>(!shrinks ? Shrink::none : upper ? Shrink::upper : Shrink::lower));
  set(word(), vec::outmod, outmod);
}

void AluReader::sources() {
  std::size_t count = 0, angle = 0;
  for (std::size_t i = 0; line_.peek(i).kind != TokenKind::end && !line_.peek(i).is("!"); ++i) {
    if (line_.peek(i).is("<")) ++angle;
    if (line_.peek(i).is(">") && angle > 0) --angle;
    if (angle == 0 && line_.peek(i).is(",")) ++count;
  }
  const AluOp* row = find_alu_op(opcode_);
  const bool single = row != nullptr && row->operands == 1;
  if (count == 1 && single) {
    unused(!row->uses_source2);
    if (line_.expect(",")) source(row->uses_source2);
    return;
  }
  if (line_.expect(",")) source(false);
  if (!line_.failed() && line_.expect(",")) source(true);
}

void AluReader::unused(bool second) {
  const UnusedOperand bits = unused_operand(vector_, second);
  out_.instruction.registers =
      static_cast<std::uint16_t>((out_.instruction.registers & ~bits.registers_mask) | bits.registers);
  word() = (word() & ~bits.word_mask) | bits.word;
}

void AluReader::source(bool second) {
  if (line_.accept("_")) return unused(second);
  if (line_.accept("#")) return constant_source(second);
  if (line_.accept("<")) return literal_list(second);
  register_source(second);
}

void AluReader::register_source(bool second) {
  const LineToken& name = line_.peek();
  int number = name.kind == TokenKind::word ? find_register(name.text, source_names) : -1;
  for (unsigned i = last_uniform_register - last_uniform_name; number < 0 && i <= last_uniform_register; ++i)
    if (same_word(name.text, uniform_names[i].view())) number = static_cast<int>(i);
  if (number < 0 && (name.kind == TokenKind::number || name.is("-")))
    return line_.fail(name, "MD103", "expected a register or a constant to read",
                      name.is("-") ? "constants begin with #, which goes before the -"
                                   : "constants begin with #: write #" + std::string(name.text));
  if (number < 0)
    return line_.fail(name, "MD103", "expected a register or a constant to read",
                      "sources are R0 to R23, U0 to U15, TMP0, TMP1, TA0, TA1, K, PC_SP, #number, <numbers> and _");
  line_.take();
  set_registers(second ? reg::src2 : reg::src1, static_cast<unsigned>(number));

  const Suffixes suffixes = read_suffixes([](std::string_view word) {
    return same_word(word, "abs") || same_word(word, "neg") || same_word(word, "widen") || same_word(word, doubled) ||
           index_in(widen_mods, word) >= 0;
  });
  if (line_.failed()) return;
  unsigned mod = 0;
  bool widening = false;
  for (const LineToken& modifier : suffixes.modifiers) {
    const int integer_mod = index_in(widen_mods, modifier.text);
    if (same_word(modifier.text, doubled)) {
      const AluOp* row = find_alu_op(opcode_);
      const auto other = row == nullptr ? opcodes_by_name().end()
                                        : opcodes_by_name().find(alu_key(row->mnemonic, type_letter(opcode_), true));
      if (second || other == opcodes_by_name().end())
        return line_.fail(modifier, "MD105", ".x2 goes with source 1 of ADD.i and SUB.i only");
      opcode_ = other->second;
      set(word(), vec::opcode, opcode_);
      continue;
    }
    if (floats() ? integer_mod >= 0 : integer_mod < 0)
      return line_.fail(modifier, "MD105",
                        floats() ? "the operands are floats: they take .abs .neg .widen only"
                                 : "the operands are integers: they take .sext .zext .replicate .lshift only");
    if (same_word(modifier.text, "abs")) mod |= 1;
    if (same_word(modifier.text, "neg")) mod |= 2;
    if (integer_mod >= 0) mod = static_cast<unsigned>(integer_mod);
    widening = widening || integer_mod >= 0 || same_word(modifier.text, "widen");
  }

  if (!vector_) {
    const std::vector<unsigned> elements = elements_of(suffixes.letters);
    if (line_.failed()) return;
    if (elements.size() != 1 || elements[0] >= (widening ? 8u : 4u))
      return line_.fail(
          suffixes.letters.length != 0 ? suffixes.letters : name.span(), "MD104",
          widening ? "a scalar unit reads one half component, x to h" : "a scalar unit reads one component, x to w");
    const unsigned component = widening ? elements[0] : elements[0] * 2;
    if (second) {
      std::uint64_t bits = 0;
      set(bits, scalarsrc::mod, mod);
      set(bits, scalarsrc::full, widening ? 0 : 1);
      set(bits, scalarsrc::component, component);
      set(word(), scalar::src2, bits);
    } else {
      set(word(), scalar::src1_mod, mod);
      set(word(), scalar::src1_full, widening ? 0 : 1);
      set(word(), scalar::src1_component, component);
    }
    return;
  }
  if (widening && width_ == 8) return line_.fail(name, "MD105", "nothing widens to 8 bits");
  unsigned expand = widening ? expand_order(width_, true).front() : 0, swizzle = identity_swizzle;
  if (suffixes.letters.length != 0) {
    if (width_ == 64)
      wide_swizzle(suffixes.letters, lane_list(second), widening, expand, swizzle);
    else
      vector_swizzle(suffixes.letters, lane_list(second), widening, expand, swizzle);
  }
  std::uint64_t bits = 0;
  set(bits, vecsrc::mod, mod);
  set(bits, vecsrc::expand, expand);
  set(bits, vecsrc::swizzle, swizzle);
  set(word(), second ? vec::src2 : vec::src1, bits);
}

void AluReader::vector_swizzle(Span letters, const std::vector<unsigned>& lanes, bool widening, unsigned& expand,
                               unsigned& swizzle) {
  const std::vector<unsigned> elements = elements_of(letters);
  if (line_.failed()) return;
  if (elements.size() != lanes.size())
    return line_.fail(
        letters, "MD104",
        counted(elements.size(), "lane is", "lanes are") + " named but " + counted(lanes.size(), "is", "are") + " read",
        "name one lane for each lane of the destination, or none to mean the same ones");
  unsigned mask = 0;
  for (const unsigned lane : lanes) mask |= 1u << lane;
  for (const std::uint8_t candidate : expand_order(width_, widening)) {
    std::array<int, 4> chosen{-1, -1, -1, -1};
    bool good = true;
    for (std::size_t i = 0; i < lanes.size() && good; ++i) {
      int& slot = chosen[selector_slot(width_, lanes[i])];
      good = false;
      for (unsigned choice = 0; choice < 4 && !good; ++choice) {
        if (slot >= 0 && slot != static_cast<int>(choice)) continue;
        if (lane_source(width_, candidate, choice * 0x55, lanes[i]).element != elements[i]) continue;
        slot = static_cast<int>(choice);
        good = true;
      }
    }
    if (!good) continue;
    unsigned bits = 0;
    for (unsigned slot = 0; slot < 4; ++slot)
      if (chosen[slot] >= 0) bits |= static_cast<unsigned>(chosen[slot]) << (2 * slot);
    expand = candidate;
    swizzle = fill_swizzle(width_, bits, mask);
    return;
  }
  std::string hint = "one register half is read at a time";
  if (width_ == 32 && !widening) hint = "32-bit lanes are x y z w; half registers need .widen, .sext or .zext";
  if (width_ == 16) hint = "lanes 0 to 3 read one half, lanes 4 to 7 one half, at the same four places";
  if (width_ == 8) hint = "8-bit lanes are read in pairs, the same places in both halves";
  line_.fail(letters, "MD104", "no operand can read these lanes", hint);
}

void AluReader::wide_swizzle(Span letters, const std::vector<unsigned>& lanes, bool widening, unsigned& expand,
                             unsigned& swizzle) {
  const std::string_view text = line_.text(letters);
  const auto bad = [&](std::string_view message) {
    line_.fail(letters, "MD104", std::string(message),
               widening ? "a widened lane is x y z or w, or two words such as [xz]"
                        : "a 64-bit lane is X or Y, or two words such as [xz]");
  };
  std::vector<unsigned> pairs;
  int half = -1;  // of the register, when widening
  for (std::size_t i = 0; i < text.size();) {
    unsigned pair = 0;
    int from = -1;
    if (text[i] == '[') {
      if (i + 3 >= text.size() || text[i + 3] != ']') return bad("expected two letters in brackets");
      const int low = element_of(text[i + 1]), high = element_of(text[i + 2]);
      const int limit = widening ? 8 : 4;
      if (low < 0 || high < 0 || low >= limit || high >= limit || low / 4 != high / 4)
        return bad("these are not two words of one half");
      pair = static_cast<unsigned>((low & 3) | (high & 3) << 2);
      from = low / 4;
      i += 4;
    } else {
      const int element = widening ? element_of(text[i]) : text[i] == 'X' ? 0 : text[i] == 'Y' ? 1 : -1;
      if (element < 0 || element > 3) return bad("'" + std::string(1, text[i]) + "' is not a lane here");
      pair = (element & 1) != 0 ? 0xE : 0x4;
      from = element / 2;
      ++i;
    }
    if (widening && half >= 0 && half != from) return bad("widened lanes come from one half of the register");
    half = from;
    pairs.push_back(pair);
  }
  if (pairs.size() != lanes.size())
    return bad(counted(pairs.size(), "lane is", "lanes are") + " named but " + counted(lanes.size(), "is", "are") +
               " read");
  unsigned mask = 0, bits = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    mask |= 1u << lanes[i];
    bits |= pairs[i] << (4 * lanes[i]);
  }
  if (widening) expand = half == 1 ? 5 : 4;
  swizzle = fill_swizzle(64, bits, mask);
}

/// A number as the bits of one lane.
std::optional<std::uint64_t> AluReader::pattern(const Value& value, Span where) {
  const auto bits = floats() ? float_pattern(value, std::max(width_, 16u)) : integer_pattern(value, width_);
  if (!bits && !line_.failed())
    line_.fail(where, "MD107",
               value.real && !floats() ? "this operation takes integers"
                                       : "this number does not fit in " + counted(width_, "bit"),
               floats() ? largest_float(std::max(width_, 16u)) : "");
  return bits;
}

/// "#number": an inline constant if it can be one, else an embedded constant for all lanes.
void AluReader::constant_source(bool second) {
  const LineToken& first = line_.peek();
  const Value value = line_.expression();
  if (line_.failed()) return;
  const Span where{first.offset, line_.peek().offset - first.offset};
  if (second && !floats() && width_ <= 16) {
    const auto bits = integer_pattern(value, 16);
    if (!bits) return line_.fail(where, "MD107", "an inline constant is a 16-bit integer");
    return set_inline_constant(out_.instruction, static_cast<std::uint16_t>(*bits));
  }
  const auto bits = pattern(value, where);
  if (!bits) return;
  if (second) {
    const auto half = floats() ? narrow_exactly(*bits, width_) : std::optional(static_cast<std::uint16_t>(*bits));
    const bool exact =
        floats() ? half.has_value() : (static_cast<std::uint64_t>(sign_extend(*bits, 16)) & low_mask(width_)) == *bits;
    if (exact) return set_inline_constant(out_.instruction, *half);
  }
  if (width_ == 8 && floats()) return line_.fail(where, "MD107", "there are no 8-bit floats");
  Literal literal{.source2 = second, .width = width_, .lanes = lanes_read(second), .where = where};
  literal.values.fill(*bits);
  out_.literals[second ? 1 : 0] = literal;
}

/// "<a, b, c>": an embedded constant with a value for each lane.
void AluReader::literal_list(bool second) {
  const LineToken& first = line_.peek();
  const std::vector<unsigned> lanes = lane_list(second);
  Literal literal{.source2 = second, .width = width_, .lanes = lanes_read(second), .where = {}};
  std::size_t count = 0;
  do {
    const LineToken& start = line_.peek();
    const auto bits = pattern(line_.expression(), start.span());
    if (line_.failed() || !bits) return;
    if (count < lanes.size()) literal.values[lanes[count]] = *bits;
    ++count;
  } while (line_.accept(","));
  if (!line_.expect(">")) return;
  literal.where = {first.offset, line_.peek().offset - first.offset};
  if (count != lanes.size())
    return line_.fail(literal.where, "MD104",
                      counted(count, "value is", "values are") + " given but " +
                          counted(lanes.size(), "lane is", "lanes are") + " read",
                      "give one value for each lane of the destination, or write #value for all");
  if (width_ == 8 && floats()) return line_.fail(literal.where, "MD107", "there are no 8-bit floats");
  out_.literals[second ? 1 : 0] = literal;
}

}  // namespace

AluLine parse_alu(LineCursor& line, Unit unit) { return AluReader(line, unit).read(); }

void offer_alu_names(Nearest& nearest) {
  for (const AluOp& row : alu_ops) nearest.offer(row.mnemonic);
}

std::string units_hint(std::string_view mnemonic) {
  for (const AluOp& row : alu_ops) {
    if (!same_word(row.mnemonic, mnemonic)) continue;
    std::string hint;
    for (std::size_t i = 0; i < unit_count; ++i)
      if (row.units >> i & 1) hint += (hint.empty() ? "write the unit first: " : " or ") + std::string(units[i].name);
    return hint + " before ." + std::string(row.mnemonic);
  }
  return {};
}

// ------------------------------------------------------------------------------------------------ notes

unsigned parse_tag(LineCursor& line) {
  const LineToken& first = line.peek();
  const Span run = line.take_run(",!");
  for (std::size_t i = 0; i < tags.size(); ++i)
    if (same_word(line.text(run), tags[i].name)) return static_cast<unsigned>(i);
  std::string known;
  for (const TagInfo& tag : tags) (known += known.empty() ? "" : " ") += tag.name;
  line.fail(run.length != 0 ? run : first.span(), "MD101", "expected a tag", "tags are " + known);
  return 0;
}

std::uint64_t parse_note_value(LineCursor& line, const Field& field) {
  if (holds_tag(field) && line.peek().kind == TokenKind::word) return parse_tag(line);
  const LineToken& first = line.peek();
  const Value value = line.expression();
  if (line.failed()) return 0;
  if (const auto bits = integer_pattern(value, field.width)) return *bits;
  line.fail(first, "MD107", "the field has " + counted(field.width, "bit"));
  return 0;
}

std::vector<Note> parse_notes(LineCursor& line, std::span<const NoteField> fields) {
  std::vector<Note> notes;
  while (!line.failed() && line.accept("!")) {
    const Span key = line.take_run("=");
    if (line.failed() || !line.expect("=")) break;
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const NoteField& row) { return row.key.view() == line.text(key); });
    if (found == fields.end()) {
      Nearest nearest(line.text(key));
      std::string known;
      for (const NoteField& row : fields) {
        nearest.offer(row.key.view());
        (known += known.empty() ? "" : " ") += row.key.view();
      }
      line.fail(key, "MD113", "this line has no field '" + std::string(line.text(key).substr(0, 40)) + "'",
                nearest.best().empty() ? "it has " + known : nearest.hint());
      break;
    }
    notes.push_back({&*found, parse_note_value(line, found->field)});
  }
  return notes;
}

// ------------------------------------------------------------------------------------------------ embedded constants

void ConstantPool::read(LineCursor& line, const ConstantsKind& kind) {
  const unsigned bytes = kind.bits / 8;
  unsigned at = 0;
  do {
    const LineToken& first = line.peek();
    const Value value = line.expression();
    if (line.failed()) return;
    if (at >= bytes_.size())
      return line.fail(first, "MD111",
                       "a bundle has 16 bytes of constants: " + std::to_string(16 / bytes) + " values of " +
                           counted(kind.bits, "bit"));
    const auto bits = kind.real ? float_pattern(value, kind.bits) : integer_pattern(value, kind.bits);
    if (!bits)
      return line.fail(first, "MD107", "this number does not fit in " + counted(kind.bits, "bit"),
                       kind.real    ? largest_float(kind.bits)
                       : value.real ? "floats go into fconst, hconst or dconst"
                                    : "");
    put(at, bytes, *bits);
    at += bytes;
  } while (line.accept(","));
  known_ = 0xFFFF;
}

bool ConstantPool::fits(unsigned at, unsigned count, std::uint64_t value, bool claim) const {
  for (unsigned i = 0; i < count; ++i) {
    const bool known = (known_ >> (at + i) & 1) != 0;
    if (known ? bytes_[at + i] != (value >> (8 * i) & 0xFF) : !claim) return false;
  }
  return true;
}

void ConstantPool::put(unsigned at, unsigned count, std::uint64_t value) {
  for (unsigned i = 0; i < count; ++i) bytes_[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  known_ |= ((1u << count) - 1) << at;
}

/// Lanes of 8, 16 or 32 bits: each selector takes values already there if it can, else free bytes.
bool ConstantPool::place_lanes(const Literal& literal, unsigned expand, unsigned& swizzle) {
  const unsigned bytes = literal.width / 8;
  const auto element = [&](unsigned choice, unsigned lane) {
    return lane_source(literal.width, expand, choice * 0x55, lane).element * bytes;
  };
  swizzle = 0;
  for (unsigned slot = 0; slot < 4; ++slot) {
    bool placed = false;
    for (const bool claim : {false, true}) {
      for (unsigned choice = 0; choice < 4 && !placed; ++choice) {
        ConstantPool trial = *this;
        placed = true;
        for (unsigned lane = 0; lane < 128 / literal.width && placed; ++lane) {
          if ((literal.lanes >> lane & 1) == 0 || selector_slot(literal.width, lane) != slot) continue;
          placed = trial.fits(element(choice, lane), bytes, literal.values[lane], claim);
          if (placed) trial.put(element(choice, lane), bytes, literal.values[lane]);
        }
        if (!placed) continue;
        *this = trial;
        swizzle |= choice << (2 * slot);
      }
    }
    if (!placed) return false;
  }
  return true;
}

/// Lanes of 64 bits: any two words, best the two halves of one element.
bool ConstantPool::place_wide(const Literal& literal, unsigned& swizzle) {
  static constexpr std::array<std::uint8_t, 16> pairs{0x4, 0xE, 0x0, 0x1, 0x2, 0x3, 0x5, 0x6,
                                                      0x7, 0x8, 0x9, 0xA, 0xB, 0xC, 0xD, 0xF};
  swizzle = 0;
  for (unsigned lane = 0; lane < 2; ++lane) {
    if ((literal.lanes >> lane & 1) == 0) continue;
    const std::uint64_t value = literal.values[lane];
    bool placed = false;
    for (const bool claim : {false, true}) {
      for (const std::uint8_t pair : pairs) {
        ConstantPool trial = *this;
        if (placed || !trial.fits(4 * (pair & 3u), 4, value, claim)) continue;
        trial.put(4 * (pair & 3u), 4, value);
        if (!trial.fits(4 * (pair >> 2u), 4, value >> 32, claim)) continue;
        trial.put(4 * (pair >> 2u), 4, value >> 32);
        *this = trial;
        swizzle |= unsigned{pair} << (4 * lane);
        placed = true;
      }
    }
    if (!placed) return false;
  }
  return true;
}

bool ConstantPool::place(const Literal& literal, AluInstruction& instruction) {
  const bool vector = info(instruction.unit).vector;
  unsigned swizzle = 0, expand = 0;
  bool placed = false;
  if (literal.width == 64) {
    placed = place_wide(literal, swizzle);
  } else {
    for (const std::uint8_t candidate : expand_order(literal.width, false)) {
      ConstantPool trial = *this;
      if (placed || !trial.place_lanes(literal, candidate, swizzle)) continue;
      *this = trial;
      expand = candidate;
      placed = true;
      break;
    }
  }
  if (!placed) return false;
  std::uint64_t registers = instruction.registers, bits = 0;
  set(registers, literal.source2 ? reg::src2 : reg::src1, register_constants);
  instruction.registers = static_cast<std::uint16_t>(registers);
  if (vector) {
    set(bits, vecsrc::expand, expand);
    set(bits, vecsrc::swizzle, fill_swizzle(literal.width, swizzle, literal.lanes));
    set(instruction.word, literal.source2 ? vec::src2 : vec::src1, bits);
  } else if (literal.source2) {
    set(bits, scalarsrc::full, 1);
    set(bits, scalarsrc::component, 2 * (swizzle & 3));
    set(instruction.word, scalar::src2, bits);
  } else {
    set(instruction.word, scalar::src1_full, 1);
    set(instruction.word, scalar::src1_component, 2 * (swizzle & 3));
  }
  return true;
}

std::array<std::uint32_t, 4> ConstantPool::words() const {
  std::array<std::uint32_t, 4> words{};
  std::memcpy(words.data(), bytes_.data(), bytes_.size());
  return words;
}

}  // namespace mobula::midgard
