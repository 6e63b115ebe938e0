#include "machines/midgard/text/parse_memory.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/quote.h"
#include "machines/midgard/text/parse_alu.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

using TokenKind = LineToken::Kind;

std::string upper(std::string_view text) {
  std::string copy(text);
  for (char& letter : copy)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 32);
  return copy;
}

/// Words and numbers joined by dots, which every operation's name is.
std::vector<LineToken> read_dotted(LineCursor& line) {
  std::vector<LineToken> words{line.take()};
  while (!line.failed() && line.accept(".")) {
    if (line.peek().kind != TokenKind::word && line.peek().kind != TokenKind::number)
      line.fail_expected("a word after '.'");
    else
      words.push_back(line.take());
  }
  return words;
}

/// Text that starts with `prefix` and continues in digits, as a number.
std::optional<std::uint64_t> numbered(std::string_view text, std::string_view prefix) {
  std::uint64_t value = 0;
  if (text.size() <= prefix.size() || !same_word(text.substr(0, prefix.size()), prefix)) return std::nullopt;
  const std::string_view digits = text.substr(prefix.size());
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  if (!parse_integer(digits, value)) return std::nullopt;
  return value;
}

/// Selectors of the letters of a run, each below `count`; no value and an error if one is none.
std::optional<std::vector<unsigned>> read_letters(LineCursor& line, unsigned count) {
  const Span run = line.take_run(".,!#<>+-]");
  std::vector<unsigned> letters;
  for (const char letter : line.text(run)) {
    const int element = element_of(letter);
    if (element < 0 || element >= static_cast<int>(count)) {
      line.fail(
          run, "MD104",
          "expected components " + std::string(element_letters.substr(0, count)) + ", found " + quote(line.text(run)));
      return std::nullopt;
    }
    letters.push_back(static_cast<unsigned>(element));
  }
  if (!letters.empty()) return letters;
  line.fail_expected("components");
  return std::nullopt;
}

unsigned pack_swizzle(const std::vector<unsigned>& letters) {
  unsigned swizzle = 0;
  for (std::size_t i = 0; i < 4; ++i) swizzle |= (letters[i] & 3) << (2 * i);
  return swizzle;
}

// ------------------------------------------------------------------------------------------------ load/store

const std::map<std::string, std::uint8_t, std::less<>>& ls_by_name() {
  static const auto map = [] {
    std::map<std::string, std::uint8_t, std::less<>> names;
    for (const LsOp& row : ls_ops) names[upper(row.mnemonic)] = row.opcode;
    return names;
  }();
  return map;
}

class LsReader {
 public:
  explicit LsReader(LineCursor& line) : line_(line) {}

  std::uint64_t read() {
    operation();
    if (!line_.failed() && shape_ != nullptr) parts();
    if (!line_.failed()) apply_notes(parse_notes(line_, ls_notes), word_);
    return word_;
  }

 private:
  void put(const Field& field, std::uint64_t value) { set(word_, field, value); }
  void operation();
  void modifiers(const std::vector<LineToken>& words, std::size_t first);
  void parts();
  void part(const LsPart& part);
  void piece(const LsPiece& piece);
  void stored();
  void target(const LsPiece& piece);
  void in_brackets(const LsPiece& piece);
  void scalar(const Field& number, const Field& component);
  void size(const LsPiece& piece);
  void number(const LsPiece& piece);
  unsigned selector();
  void component(const Field& field);
  unsigned four_letters();
  void masked(bool own_letters);
  void base();
  void address_index();
  void shift_amount();
  void displacement(const Field& field);
  [[nodiscard]] bool at_selector() const;

  LineCursor& line_;
  const LsOp* row_ = nullptr;
  const LsShape* shape_ = nullptr;
  std::uint64_t word_ = 0;
};

void LsReader::operation() {
  const std::vector<LineToken> words = read_dotted(line_);
  if (line_.failed()) return;
  // Names have parts of their own ("LD.32.bswap2"): the longest that fits is meant.
  std::size_t used = 0;
  std::string name;
  for (std::size_t i = 0; i < words.size() && i < 4; ++i) {
    (name += i == 0 ? "" : ".") += upper(words[i].text);
    if (const auto found = ls_by_name().find(name); found != ls_by_name().end()) {
      row_ = find_ls_op(found->second);
      used = i + 1;
    }
  }
  const Span where{words.front().offset,
                   static_cast<std::uint32_t>(words.back().offset + words.back().text.size() - words.front().offset)};
  if (row_ == nullptr) {
    std::uint64_t opcode = 0;
    const std::string_view first = words.front().text;
    if (first.size() == 5 && same_word(first.substr(0, 3), "op_") &&
        parse_integer("0x" + std::string(first.substr(3)), opcode) && words.size() == 1) {
      put(ls::op, opcode);
      return;
    }
    Nearest nearest(name);
    offer_memory_names(nearest);
    return line_.fail(where, "MD102", "there is no operation " + quote(line_.text(where)), nearest.hint());
  }
  put(ls::op, row_->opcode);
  if (row_->does == LsMeaning::nop) {
    if (words.size() > used) line_.fail(words[used], "MD105", "this operation takes no modifiers");
    return;
  }
  shape_ = &ls_shape(*row_);
  word_ |= shape_->defaults;
  modifiers(words, used);
}

void LsReader::modifiers(const std::vector<LineToken>& words, std::size_t first) {
  for (const LsModifier& row : shape_->modifiers)
    if (row.default_value != 0xFF) put(*row.field, row.default_value);
  std::vector<const Field*> given;
  for (std::size_t i = first; i < words.size(); ++i) {
    const auto found = std::find_if(shape_->modifiers.begin(), shape_->modifiers.end(),
                                    [&](const LsModifier& row) { return same_word(row.name, words[i].text); });
    if (found == shape_->modifiers.end()) {
      std::string known;
      for (const LsModifier& row : shape_->modifiers) (known += " .") += row.name;
      return line_.fail(words[i], "MD105", "this operation has no modifier " + quote(words[i].text),
                        known.empty() ? "it takes none" : "it takes" + known);
    }
    if (std::find(given.begin(), given.end(), found->field) != given.end())
      return line_.fail(words[i], "MD105", quote(words[i].text) + " contradicts or repeats another modifier");
    given.push_back(found->field);
    put(*found->field, found->value);
  }
  for (const LsModifier& row : shape_->modifiers)
    if (row.default_value == 0xFF && std::find(given.begin(), given.end(), row.field) == given.end())
      return line_.fail(words.front(), "MD105", "this operation needs .f32 or .f16: the size of its input");
}

void LsReader::parts() {
  bool first = true;
  for (const LsPart* next : shape_->parts) {
    if (!first && next->may_be_left_out && !line_.peek().is(",")) {
      put(ls::arg, zero_selector);
      continue;
    }
    if (!first && !line_.expect(",")) return;
    first = false;
    part(*next);
    if (line_.failed()) return;
  }
}

bool LsReader::at_selector() const {
  const LineToken& token = line_.peek();
  if (token.is("0")) return line_.peek(1).is(".");
  return token.kind == TokenKind::word &&
         std::any_of(std::begin(value::selector), std::end(value::selector),
                     [&](const FieldValue& row) { return same_word(row.name, token.text); });
}

unsigned LsReader::selector() {
  const LineToken& token = line_.peek();
  for (const FieldValue& row : value::selector)
    if (same_word(row.name, token.text)) {
      line_.take();
      return row.value;
    }
  std::string known;
  for (const FieldValue& row : value::selector) (known += known.empty() ? "" : " ") += row.name;
  line_.fail(token, "MD103", "expected a load/store register, found " + quote(token.text), "they are " + known);
  return 0;
}

void LsReader::component(const Field& field) {
  if (!line_.expect(".")) return;
  const LineToken& first = line_.peek();
  const auto letters = read_letters(line_, 4);
  if (!letters) return;
  if (letters->size() != 1) return line_.fail(first, "MD104", "expected one component: x, y, z or w");
  put(field, letters->front());
}

void LsReader::scalar(const Field& number, const Field& part) {
  put(number, selector());
  if (!line_.failed()) component(part);
}

unsigned LsReader::four_letters() {
  const LineToken& first = line_.peek();
  const auto letters = read_letters(line_, 4);
  if (!letters) return 0;
  if (letters->size() == 4) return pack_swizzle(*letters);
  line_.fail(first, "MD104", "expected four components");
  return 0;
}

/// R0.xy~~: `own_letters` if each lane is marked by its own letter, else by the one it takes.
void LsReader::masked(bool own_letters) {
  const LineToken& name = line_.take();
  const int number = name.kind == TokenKind::word ? find_register(name.text, load_names) : -1;
  if (number < 0)
    return line_.fail(name, "MD103", "expected a register to load",
                      "it is R0 to R31; R26 to R29 are also called AL0, AL1, AT0, AT1");
  put(ls::reg, static_cast<unsigned>(number));
  unsigned mask = 15, swizzle = identity_swizzle;
  if (line_.accept(".")) {
    const Span run = line_.take_run(".,!#<>+-");
    const std::string_view text = line_.text(run);
    if (text.size() != 4)
      return line_.fail(run.length != 0 ? run : name.span(), "MD104",
                        "expected four lanes, each a component or ~ for one that is kept");
    mask = swizzle = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
      if (text[lane] == '~') continue;
      const int element = element_of(text[lane]);
      if (element < 0 || element > 3 || (own_letters && element != static_cast<int>(lane)))
        return line_.fail(run, "MD104",
                          own_letters ? "lanes that are written carry their own letter: x y z w, others ~"
                                      : "expected four lanes, each x, y, z, w or ~");
      mask |= 1u << lane;
      swizzle |= static_cast<unsigned>(element) << (2 * lane);
    }
  }
  put(ls::mask, mask);
  if (!own_letters) put(ls::swizzle, fill_result_swizzle(swizzle, mask, result_elements(*row_)));
}

void LsReader::shift_amount() {
  if (!line_.accept("<<")) return;
  const LineToken& first = line_.peek();
  const Value amount = line_.primary();
  if (line_.failed()) return;
  if (amount.real || amount.integer < 0 || amount.integer > 15)
    return line_.fail(first, "MD107", "the index is shifted by 0 to 15");
  put(ls::shift, static_cast<std::uint64_t>(amount.integer));
}

void LsReader::displacement(const Field& field) {
  if (!line_.peek().is("+") && !line_.peek().is("-")) return;
  const auto highest = static_cast<std::int64_t>(low_mask(field.width - 1u));
  put(field, static_cast<std::uint64_t>(line_.integer("the displacement", -highest - 1, highest)));
}

void LsReader::base() {
  if (line_.peek().is("+") || (line_.peek().is("0") && !line_.peek(1).is("."))) {
    line_.accept("0");
    word_ |= no_base;
    return;
  }
  put(ls::arg, selector());
  if (line_.failed() || !line_.expect(".")) return;
  if (line_.accept("u64"))
    put(ls::toggle, 1);
  else if (!line_.accept("u32"))
    return line_.fail_expected("u32 or u64, the size of the base");
  component(ls::arg_component);
}

void LsReader::address_index() {
  const bool plus = line_.peek().is("+");
  const bool zero = line_.peek(1).is("0") && line_.peek(2).is(".");
  const bool word = line_.peek(1).kind == TokenKind::word &&
                    std::any_of(std::begin(value::selector), std::end(value::selector),
                                [&](const FieldValue& row) { return same_word(row.name, line_.peek(1).text); });
  if (!plus || (!zero && !word)) {
    word_ |= no_index;
    return;
  }
  line_.take();
  put(ls::index, selector());
  if (!line_.expect(".")) return;
  const LineToken& format = line_.take();
  for (unsigned i = 0; i < 4; ++i)
    if (same_word(index_formats[i], format.text)) {
      put(ls::index_format, i);
      component(ls::index_component);
      if (!line_.failed()) shift_amount();
      return;
    }
  line_.fail(format, "MD101", "expected u64, u32 or s32, how the index is extended");
}

void LsReader::part(const LsPart& part) {
  for (const LsPiece& next : part.pieces) {
    piece(next);
    if (line_.failed()) return;
  }
}

void LsReader::stored() {
  const LineToken& token = line_.peek();
  const auto raw = token.kind == TokenKind::word ? numbered(token.text, "R") : std::nullopt;
  if (raw && *raw >= 8 && *raw < 32) {
    line_.take();
    return put(ls::reg, *raw);
  }
  put(ls::reg, selector());
}

void LsReader::size(const LsPiece& piece) {
  if (!line_.expect(".")) return;
  if (line_.accept("u64"))
    put(*piece.field, 1);
  else if (!line_.accept("u32"))
    line_.fail_expected(piece.what);
}

void LsReader::number(const LsPiece& piece) {
  const auto highest = static_cast<std::int64_t>(low_mask(piece.field->width));
  put(*piece.field, static_cast<std::uint64_t>(line_.integer(piece.what, 0, highest)));
}

void LsReader::target(const LsPiece& piece) {
  if (line_.accept(target_depth_name))
    put(*piece.field, target_depth);
  else if (line_.accept(target_stencil_name))
    put(*piece.field, target_stencil);
  else
    number(piece);
}

void LsReader::in_brackets(const LsPiece& piece) {
  if (!line_.expect(piece.name) || !line_.expect("[")) return;
  if (piece.kind == LsPiece::Kind::target) {
    target(piece);
  } else if (at_selector()) {
    put(*piece.second, 1);
    scalar(ls::arg, ls::arg_component);
  } else {
    number(piece);
  }
  if (!line_.failed()) line_.expect("]");
}

void LsReader::piece(const LsPiece& piece) {
  using Kind = LsPiece::Kind;
  switch (piece.kind) {
    case Kind::result:
      return masked(false);
    case Kind::lanes:
      return masked(true);
    case Kind::stored:
      return stored();
    case Kind::selector:
      return put(*piece.field, selector());
    case Kind::component:
      return component(*piece.field);
    case Kind::component_but_x:
      if (line_.peek().is(".")) component(*piece.field);
      return;
    case Kind::scalar:
      return scalar(*piece.field, *piece.second);
    case Kind::letters:
    case Kind::letters_but_xyzw:
      put(*piece.field, identity_swizzle);
      if (line_.accept(".")) put(*piece.field, four_letters());
      return;
    case Kind::size:
      return size(piece);
    case Kind::base:
      return base();
    case Kind::address_index:
      return address_index();
    case Kind::table_index:
      scalar(ls::index, ls::index_component);
      if (!line_.failed()) shift_amount();
      if (!line_.failed()) displacement(*piece.field);
      return;
    case Kind::displacement:
      return displacement(*piece.field);
    case Kind::vertex_displacement:
      if (!line_.peek().is("+") && !line_.peek().is("-")) return;
      if (get(word_, ls::toggle) == 0)
        return line_.fail(line_.peek(), "MD105", "only an operation with .vertex has a vertex displacement");
      return displacement(*piece.field);
    case Kind::hexadecimal:
      return number(piece);
    case Kind::target:
    case Kind::numbered:
      return in_brackets(piece);
  }
}

// ------------------------------------------------------------------------------------------------ texture

class TextureReader {
 public:
  TextureReader(LineCursor& line, const Product& product) : line_(line), product_(product) {}

  Word128 read() {
    operation();
    if (!line_.failed() && op_ != TexMeaning::barrier) {
      destination();
      if (!line_.failed() && line_.expect(",")) resource("texture", tex::texture_register, tex::texture);
      if (!line_.failed() && line_.expect(",")) sampler();
      if (!line_.failed() && line_.expect(",")) coordinates();
      while (!line_.failed() && line_.accept(",")) argument();
    }
    if (!line_.failed()) apply_notes(parse_notes(line_, texture_notes), word_);
    return word_;
  }

 private:
  struct Source {
    unsigned select = 0;
    bool full = true, upper = false;
    std::vector<unsigned> letters;  // selectors within the half
  };

  void put(const Field& field, std::uint64_t value) { set(word_, field, value); }
  void operation();
  void destination();
  void resource(std::string_view word, const Field& in_register, const Field& field);
  void sampler();
  void coordinates();
  void argument();
  unsigned register_number(unsigned first, std::string_view what);
  Source source(std::size_t letters);
  std::uint64_t select();

  LineCursor& line_;
  const Product& product_;
  Word128 word_;
  TexMeaning op_{};
  char type_ = 'f';
  LineToken type_token_;
};

void TextureReader::operation() {
  const std::vector<LineToken> words = read_dotted(line_);
  if (line_.failed()) return;
  op_ = *find_texture_name(words.front().text);
  put(tex::op, opcode_of(op_));
  put(tex::mode, default_texture_mode(op_));
  put(tex::exec, 3);
  bool vertex = false, format = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i].text;
    bool known = false;
    for (unsigned mode = 0; mode < texture_mode_count && !known; ++mode)
      if (same_word(word, texture_mode_name(op_, mode)) && op_ != TexMeaning::barrier) {
        put(tex::mode, mode);
        known = true;
      }
    for (const FieldValue& row : value::texture_format)
      if (!known && same_word(word, row.name) && op_ != TexMeaning::barrier) {
        put(tex::format_, row.value);
        known = format = true;
      }
    for (const FieldValue& row : value::execution)
      if (!known && (row.value == 1 || row.value == 2) && same_word(word, row.name) && op_ != TexMeaning::barrier) {
        put(tex::exec, row.value);
        known = true;
      }
    if (!known && same_word(word, "vtx") && op_ != TexMeaning::barrier) vertex = known = true;
    if (const auto count = numbered(word, "ooo"); !known && count && *count < 16 && op_ != TexMeaning::barrier) {
      put(tex::out_of_order, *count);
      known = true;
    }
    if (!known)
      return line_.fail(words[i], "MD105", "this operation has no modifier " + quote(word),
                        op_ == TexMeaning::barrier ? "BARRIER takes none"
                        : units_hint(words.front().text).empty()
                            ? "it takes vtx, a mode such as shadow, 1d 2d 3d or cube, skip or kill, ooo1 to ooo15"
                            : units_hint(words.front().text));
  }
  if (op_ != TexMeaning::barrier && !format)
    return line_.fail(words.front(), "MD105", "the operation needs the texture's dimensions",
                      "append .1d, .2d, .3d or .cube");
  put(tex::tag, texture_tag(op_, vertex));
}

unsigned TextureReader::register_number(unsigned first, std::string_view what) {
  const LineToken& token = line_.take();
  int number = token.kind == TokenKind::word ? find_register(token.text, load_names) : -1;
  if (number < 0 && token.kind == TokenKind::word) number = find_register(token.text, source_names);
  const auto chosen = static_cast<unsigned>(number) - first;
  if (number >= 0 && chosen < 2) return chosen;
  const bool result = first == texture_output(product_);
  const auto& names = result && !product_.interpipe_aliasing ? source_names : load_names;
  line_.fail(token, "MD103", "expected " + std::string(what),
             "on " + std::string(product_.name) + " it is " + std::string(names[first].view()) + " or " +
                 std::string(names[first + 1].view()));
  return 0;
}

void TextureReader::destination() {
  put(tex::out_select, register_number(texture_output(product_), "the register of the result"));
  if (line_.failed() || !line_.expect(".")) return;
  unsigned mask = 15;
  bool upper = false;
  const auto typed = [&] {
    const std::string_view text = line_.peek().text;
    return text.size() == 3 && std::string_view("fiuFIU").find(text[0]) != std::string_view::npos &&
           (text.substr(1) == "32" || text.substr(1) == "16");
  };
  if (!typed()) {
    const Span run = line_.take_run(".,!#<>+-");
    mask = 0;
    int last = -1;
    for (const char letter : line_.text(run)) {
      if (letter == '~' && run.length == 1) break;
      const int element = element_of(letter);
      if (element <= last || element > 7 || (last >= 0 && (element >= 4) != upper))
        return line_.fail(run, "MD104",
                          "expected lanes of the result in ascending order: x to w, or e to h of the upper half");
      last = element;
      upper = element >= 4;
      mask |= 1u << (element & 3);
    }
    if (run.length == 0) return line_.fail_expected("lanes or the type of the result");
    if (!line_.expect(".")) return;
  }
  if (!typed()) return line_.fail_expected("the type of the result: f32, f16, i32 or i16");
  type_token_ = line_.take();
  type_ = static_cast<char>(type_token_.text[0] | 32);
  const bool full = type_token_.text.substr(1) == "32";
  if (full && upper) return line_.fail(type_token_, "MD104", "only 16-bit results go to the upper half");
  put(tex::mask, mask);
  put(tex::out_full, full ? 1 : 0);
  put(tex::out_upper, upper ? 1 : 0);
  if (!line_.accept(".")) return;
  const LineToken& modifier = line_.take();
  for (unsigned i = 1; i < float_outmods.size(); ++i)
    if (same_word(float_outmods[i], modifier.text)) return put(tex::outmod, i);
  line_.fail(modifier, "MD105", "unknown output modifier " + quote(modifier.text),
             "it is clamp_0_inf, clamp_m1_1 or clamp_0_1");
}

/// A component of a texture input register: AT0.x.32.
std::uint64_t TextureReader::select() {
  const Source from = source(1);
  std::uint64_t bits = 0;
  if (line_.failed()) return bits;
  set(bits, texselect::full, from.full ? 1 : 0);
  set(bits, texselect::select, from.select);
  set(bits, texselect::upper, from.upper ? 1 : 0);
  set(bits, texselect::component, from.letters.front());
  return bits;
}

TextureReader::Source TextureReader::source(std::size_t letters) {
  Source from;
  from.select = register_number(texture_input(product_), "a texture input register");
  if (line_.failed() || !line_.expect(".")) return from;
  const LineToken& first = line_.peek();
  if (!first.is("32") && !first.is("16")) {
    if (const auto elements = read_letters(line_, 8)) {
      from.letters = *elements;
      from.upper = from.letters.front() >= 4;
      for (unsigned& element : from.letters) {
        if ((element >= 4) != from.upper) line_.fail(first, "MD104", "the components are from both halves");
        element &= 3;
      }
    }
    if (!line_.failed()) line_.expect(".");
  } else if (letters == 4) {
    from.letters = {0, 1, 2, 3};
  }
  if (line_.failed()) return from;
  if (from.letters.size() != letters) {
    line_.fail(first, "MD104", letters == 4 ? "expected four components" : "expected one component");
    return from;
  }
  if (line_.accept("32"))
    from.full = true;
  else if (line_.accept("16"))
    from.full = false;
  else
    line_.fail_expected("32 or 16, the width of the components");
  if (from.full && from.upper) line_.fail(first, "MD104", "32-bit components are x, y, z and w");
  return from;
}

/// "texture5" or "texture[AT0.x.32]".
void TextureReader::resource(std::string_view word, const Field& in_register, const Field& field) {
  const LineToken& token = line_.take();
  if (const auto number = numbered(token.text, word)) {
    if (*number > 0xFFFF) return line_.fail(token, "MD107", "the number must be at most 65535");
    return put(field, *number);
  }
  if (!same_word(token.text, word))
    return line_.fail(token, "MD101", "expected " + std::string(word) + " and its number");
  if (!line_.expect("[")) return;
  put(in_register, 1);
  put(field, select());
  if (!line_.failed()) line_.expect("]");
}

void TextureReader::sampler() {
  const LineToken& token = line_.peek();
  for (unsigned type = 0; type < sampler_letters.size(); ++type) {
    const std::string word = std::string(sampler_letters[type]) + "sampler";
    if (token.text.size() < word.size() || !same_word(token.text.substr(0, word.size()), word)) continue;
    put(tex::sampler_type, type);
    resource(word, tex::sampler_register, tex::sampler);
    if (line_.failed()) return;
    if ((type == 1) != (type_ == 'f'))
      return line_.fail(type_token_, "MD105", "the types of the result and of the sampler disagree",
                        "fsampler gives f32 or f16, isampler and usampler i32 or i16");
    put(tex::swizzle, identity_swizzle);
    if (!line_.accept(".")) return;
    const LineToken& first = line_.peek();
    const auto letters = read_letters(line_, 4);
    if (!letters) return;
    if (letters->size() != 4) return line_.fail(first, "MD104", "expected four components");
    return put(tex::swizzle, pack_swizzle(*letters));
  }
  line_.fail_expected("fsampler, isampler or usampler and its number");
}

void TextureReader::coordinates() {
  const Source from = source(4);
  if (line_.failed()) return;
  put(tex::in_full, from.full ? 1 : 0);
  put(tex::in_select, from.select);
  put(tex::in_upper, from.upper ? 1 : 0);
  put(tex::in_swizzle, pack_swizzle(from.letters));
}

void TextureReader::argument() {
  if (line_.accept("offset")) {
    std::uint64_t bits = 0;
    if (line_.accept("<")) {
      for (const Field* field : {&texoffset::x, &texoffset::y, &texoffset::z}) {
        set(bits, *field, static_cast<std::uint64_t>(line_.integer("a texel offset", -8, 7)));
        if (line_.failed() || !line_.expect(field == &texoffset::z ? ">" : ",")) return;
      }
    } else {
      const Source from = source(4);
      if (line_.failed()) return;
      set(bits, texoffsetreg::full, from.full ? 1 : 0);
      set(bits, texoffsetreg::select, from.select);
      set(bits, texoffsetreg::upper, from.upper ? 1 : 0);
      set(bits, texoffsetreg::swizzle, pack_swizzle(from.letters));
      put(tex::offset_register, 1);
    }
    return put(tex::offset, bits);
  }
  if (!line_.accept("lod")) return line_.fail_expected("offset or lod");
  const LineToken& sign = line_.take();
  const bool bias = op_ == TexMeaning::sample;
  if (!sign.is("+") && !sign.is("=")) return line_.fail(sign, "MD101", "expected '=' or '+' after lod");
  if (sign.is("+") != bias)
    return line_.fail(sign, "MD105", bias ? "TEX adds a bias to its LOD" : "this operation sets the LOD",
                      bias ? "write lod + bias, or use TEX_GRAD to set it" : "write lod = value");
  const LineToken& first = line_.peek();
  if (first.kind == TokenKind::word && find_register(first.text, load_names) >= 0) {
    put(tex::lod_register, 1);
    return put(tex::lod_fraction, select());
  }
  if (op_ == TexMeaning::fetch)
    return put(tex::lod_fraction, static_cast<std::uint64_t>(line_.integer("the LOD", 0, 255)));
  const Value value = line_.expression();
  if (line_.failed()) return;
  const double fixed = std::nearbyint(value.number * 256);
  if (!(fixed >= -32768 && fixed <= 32767))
    return line_.fail(first, "MD107", "the LOD must be from -128 to 127.99609375");
  const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(fixed));
  put(tex::lod_fraction, bits & 0xFF);
  put(tex::lod_integer, bits >> 8);
}

}  // namespace

std::optional<TexMeaning> find_texture_name(std::string_view word) {
  for (const TexOp& row : tex_ops)
    if (same_word(row.mnemonic, word)) return row.does;
  std::uint64_t number = 0;
  if (word.size() == 8 && same_word(word.substr(0, 7), "tex_op_") &&
      parse_integer("0x" + std::string(word.substr(7)), number))
    return static_cast<TexMeaning>(number);
  return std::nullopt;
}

std::uint64_t parse_load_store(LineCursor& line) { return LsReader(line).read(); }

Word128 parse_texture(LineCursor& line, const Product& product) { return TextureReader(line, product).read(); }

void offer_memory_names(Nearest& nearest) {
  for (const LsOp& row : ls_ops) nearest.offer(row.mnemonic);
  for (const TexOp& row : tex_ops) nearest.offer(row.mnemonic);
}

bool begins_load_store(std::string_view word) {
  if (word.size() == 5 && same_word(word.substr(0, 3), "op_")) return true;
  const std::string name = upper(word);
  const auto at = ls_by_name().lower_bound(name);
  return at != ls_by_name().end() && at->first.starts_with(name) &&
         (at->first.size() == name.size() || at->first[name.size()] == '.');
}

}  // namespace mobula::midgard
