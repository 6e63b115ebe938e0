#include "machines/rogue/spec/codec.h"

#include <algorithm>
#include <bit>

namespace mobula::rogue {
namespace {

constexpr std::array<Word, 6> main_words{Word::backend, Word::move, Word::test, Word::pack, Word::p1, Word::p0};
constexpr std::array<Word, 3> bitwise_words{Word::bit2, Word::bit1, Word::bit0};
constexpr std::array<Word, 1> control_words{Word::control};

constexpr std::array<F, 6> slot_index{F::s0, F::s1, F::s2, F::s3, F::s4, F::s5};
constexpr std::array<F, 6> slot_bank{F::sb0, F::sb1, F::sb2, F::sb3, F::sb4, F::sb5};
constexpr std::array<F, 5> selector_fields{F::is1, F::is2, F::is3, F::is4, F::is5};

std::uint64_t load(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::uint64_t bits = 0;
  const std::size_t count = at < bytes.size() ? std::min<std::size_t>(8, bytes.size() - at) : 0;
  for (std::size_t i = 0; i < count; ++i) bits |= std::uint64_t{bytes[at + i]} << (8 * i);
  return bits;
}

/// True if every enumerated field has a value that is named, and every slot exists.
const Place* unnamed(const Form& form, std::uint64_t bits) {
  for (const Place& place : form.fields()) {
    const FieldInfo& field = info(place.field);
    const std::uint32_t value = get(bits, place);
    if (field.kind == Kind::slot || field.kind == Kind::coverage) {
      if (value >= slot_count) return &place;
    } else if (field.kind == Kind::names) {
      if (std::none_of(field.names.begin(), field.names.end(),
                       [&](const FieldValue& row) { return row.value == value; }))
        return &place;
    }
  }
  return nullptr;
}

/// Reads one group and keeps the first thing that is wrong.
class Reader {
 public:
  Reader(std::span<const std::uint8_t> code, std::uint32_t offset) : bytes_(code.subspan(offset)) {
    group_.offset = offset;
  }

  Group run() {
    if (read_header()) {
      const Reader start(*this);
      (void)read_body(Length::shorter);
      if (has_two_lengths()) choose_length(start);
    }
    if (group_.raw()) group_.size = size_of_group(bytes_, 0);
    return group_;
  }

 private:
  /// Which form an 8- or 16-bit integer instruction of phase 0 is taken to have; its bytes do not say (4.6).
  enum class Length : std::uint8_t { shorter, longer };

  bool breaks(std::string_view rule, std::size_t byte, std::string_view text, const Place* place = nullptr) {
    wrong(byte, text, place);
    group_.problem.rule = rule;
    return false;
  }
  bool wrong(std::size_t byte, std::string_view text, const Place* place = nullptr) {
    group_.problem = {static_cast<std::uint32_t>(byte), 0, 8, text, {}};
    if (place != nullptr) {
      const Piece piece = place->pieces[0];
      group_.problem = {static_cast<std::uint32_t>(byte + piece.low / 8),
                        static_cast<std::uint8_t>(piece.low % 8),
                        piece.width,
                        text,
                        {}};
    }
    return false;
  }
  bool read_header() {
    if (bytes_.size() < 2) return wrong(0, "a group has at least two bytes");
    const bool brief = (bytes_[1] & 0x80) == 0;
    if (!brief && bytes_.size() < 3) return wrong(0, "the header is cut off");
    const std::uint64_t bits = load(bytes_, 0);
    const unsigned alutype = brief ? 0 : bits >> 21 & 3;
    if (alutype == 1) return breaks("RG001", 2, "ALU type 01 does not exist");
    header_ = brief          ? &forms::main_brief
              : alutype == 0 ? &forms::main
              : alutype == 2 ? &forms::bitwise
                             : &forms::control;
    group_.brief = brief;
    group_.alu = alutype == 2 ? Alu::bitwise : alutype == 3 ? Alu::control : Alu::main;
    if (!header_->fits(bits)) return wrong(1, "a reserved bit of the header is set");
    if (const Place* place = unnamed(*header_, bits)) return wrong(0, "this value is unknown", place);
    const auto field = [&](F name) { return get(*header_, bits, name); };
    group_.size = field(F::length) == 0 ? max_group_bytes : 2 * field(F::length);
    if (group_.size > bytes_.size()) return wrong(0, "the group is longer than what is left", header_->find(F::length));
    bytes_ = bytes_.first(group_.size);
    group_.condition = static_cast<Condition>(field(F::cc));
    group_.w0p = field(F::w0p) != 0;
    group_.w1p = field(F::w1p) != 0;
    group_.olchk = field(F::olchk) != 0;
    group_.end = field(F::end) != 0;
    group_.atom = field(F::atom) != 0;
    group_.repeat = static_cast<std::uint8_t>(field(F::rpt) + 1);
    group_.ctrlop = static_cast<std::uint8_t>(field(F::ctrlop));
    group_.miscctl = static_cast<std::uint8_t>(field(F::miscctl));
    phases_ = group_.alu == Alu::bitwise ? field(F::opcnt) : field(F::oporg);
    assist_ = field(F::da);
    return true;
  }

  bool read_body(Length length) {
    at_ = header_->bytes;
    switch (group_.alu) {
      case Alu::main:
        if (!read_main(length)) return false;
        break;
      case Alu::bitwise:
        if (!read_bitwise()) return false;
        break;
      case Alu::control:
        if (!read_control()) return false;
        break;
    }
    group_.content = static_cast<std::uint32_t>(at_);
    if (at_ > group_.size) return wrong(0, "the group is longer than its length says");
    return true;
  }

  [[nodiscard]] bool has_two_lengths() const {
    const Item& item = group_.item(Word::p0);
    return item && item.form->bytes == 2 && item.op->has_field(F::s0ch);
  }
  /// Takes the length after which the group ends in the padding an encoder writes, if that is one of the two.
  void choose_length(Reader other) {
    const bool shorter = !group_.raw() && has_regular_padding();
    // Without a longer form that fits, the other one has read the same again.
    const bool longer = other.read_body(Length::longer) && !other.has_two_lengths() && other.has_regular_padding();
    if (shorter && longer)
      wrong(group_.content, "the integer instruction can be read in two lengths");
    else if (longer)
      group_ = other.group_;
    else if (!shorter)
      wrong(group_.content, "with neither length of the integer instruction does the group end properly");
  }

  bool check_assist(std::size_t expected) {
    return assist_ == expected ||
           wrong(0, "the decode assist does not agree with the instructions", header_->find(F::da));
  }

  bool read_item(Unit unit, Length length = Length::shorter) {
    if (at_ >= bytes_.size()) return wrong(at_, "the group ends before its instructions do");
    const std::uint64_t bits = load(bytes_, at_);
    const std::size_t left = bytes_.size() - at_;
    const Candidate* found = nullptr;
    for (const Candidate& each : candidates(unit, static_cast<std::uint8_t>(bits)))
      if (each.form->bytes <= left && (bits & each.mask) == each.bits) {
        found = &each;  // of two that match, the second is the longer one
        if (length == Length::shorter) break;
      }
    if (found != nullptr) return take_item(unit, *found, bits);
    if (unit == Unit::p1 && begins_instruction(Unit::p0, bits))
      return breaks("RG008", at_, "an instruction of phase 0 is in phase 1");
    return wrong(at_, "no instruction begins with this byte here");
  }
  static bool begins_instruction(Unit unit, std::uint64_t bits) {
    const auto all = candidates(unit, static_cast<std::uint8_t>(bits));
    return std::any_of(all.begin(), all.end(), [&](const Candidate& each) { return (bits & each.mask) == each.bits; });
  }
  bool take_item(Unit unit, const Candidate& found, std::uint64_t bits) {
    bits &= low_mask(8u * found.form->bytes);
    if (const Place* place = unnamed(*found.form, bits)) return wrong(at_, "this value is unknown", place);
    group_.item(word_of(unit)) = {found.form, found.op, bits};
    at_ += found.form->bytes;
    return true;
  }

  /// MOVE, TEST and PACK, the last one marked or followed by no other.
  bool read_phase2() {
    const auto is = [&](unsigned main_op) { return at_ < bytes_.size() && bytes_[at_] >> 5 == main_op; };
    constexpr unsigned move_op = 6, test_op = 7;
    const std::size_t start = at_;
    bool ended = false;
    if (is(move_op)) {
      if (!read_item(Unit::move)) return false;
      ended = group_.item(Word::move).get(F::p2end) != 0;
    }
    if (!ended && is(test_op)) {
      if (!read_item(Unit::test)) return false;
      ended = group_.item(Word::test).get(F::p2end) != 0;
    }
    if (!ended) return read_item(Unit::pack);
    return at_ > start || wrong(at_, "phase 2 is empty");
  }

  bool read_main(Length length) {
    const Phases phases = phase_sets[phases_];
    if (phases.backend && !read_item(Unit::backend)) return false;
    if (phases.p2 && !read_phase2()) return false;
    if (!check_assist(at_)) return false;
    if (phases.p1 && !read_item(Unit::p1)) return false;
    if (phases.p0 && !read_item(Unit::p0, length)) return false;
    if (!read_sources()) return false;
    if (at_ >= bytes_.size()) return breaks("RG023", at_, "the group ends before its maps and selectors do");
    const std::uint64_t selectors = bytes_[at_++];
    for (std::size_t i = 0; i < selector_fields.size(); ++i)
      group_.selectors[i + 1] = static_cast<std::uint8_t>(get(forms::iss, selectors, selector_fields[i]));
    return read_destinations();
  }

  bool read_bitwise() {
    if (phases_ == 0) return wrong(1, "a bitwise group without phases", header_->find(F::opcnt));
    if ((phases_ & 4) != 0 && !read_item(Unit::shift2)) return false;
    if ((phases_ & 2) != 0 && !read_item(Unit::logical)) return false;
    if ((phases_ & 1) != 0 && !read_item(Unit::bitmask)) return false;
    return check_assist(at_) && read_sources() && read_destinations();
  }

  bool read_control() {
    const std::uint64_t bits = load(bytes_, at_);
    const std::size_t left = bytes_.size() - std::min(at_, bytes_.size());
    const Candidate* found = nullptr;
    for (const Candidate& each : control_candidates(group_.ctrlop))
      if (each.form->bytes <= left && (bits & each.mask) == each.bits) {
        found = &each;
        break;
      }
    if (found == nullptr) return wrong(at_, "no such control instruction is known");
    if (!take_item(Unit::control, *found, bits)) return false;
    const bool sources = has_sources(*found->op), destination = has_destination(*found->op);
    if (!check_assist(sources || destination ? at_ : 0)) return false;
    if (sources && !read_sources()) return false;
    if (destination ? !group_.w0p || group_.w1p : group_.w0p || group_.w1p)
      return breaks("RG033", 1, "the header's destinations do not suit the instruction", header_->find(F::w0p));
    return read_destinations();
  }

  bool read_map(std::span<const Form> forms, const Form*& chosen) {
    const std::uint64_t bits = load(bytes_, at_);
    for (const Form& form : forms)
      if (form.fits(bits)) {
        if (at_ + form.bytes > bytes_.size()) break;
        if (const Place* place = form.find(F::is0)) {
          if (get(bits, *place) >= slot_count) return breaks("RG028", at_, "IS0 is none of the six slots", place);
          group_.selectors[0] = static_cast<std::uint8_t>(get(bits, *place));
        }
        chosen = &form;
        map_bits_ = bits;
        at_ += form.bytes;
        return true;
      }
    return breaks("RG023", at_, "no form of a map has these bits");
  }
  [[nodiscard]] Register map_register(const Form& form, F bank, F number) const {
    return {static_cast<Bank>(get(form, map_bits_, bank)), static_cast<std::uint16_t>(get(form, map_bits_, number))};
  }

  bool read_sources() {
    for (unsigned set = 0; set < 2; ++set) {
      const Form*& form = set == 0 ? group_.lower : group_.upper;
      if (!read_map(set == 0 ? std::span<const Form>(forms::lower) : std::span<const Form>(forms::upper), form))
        return false;
      for (unsigned slot = 3 * set; slot < 3 * set + 3; ++slot)
        group_.slots[slot] = map_register(*form, slot_bank[slot], slot_index[slot]);
    }
    return true;
  }

  bool read_destinations() {
    if (group_.w0p && group_.w1p) {
      if (!read_map(forms::two_destinations, group_.destination)) return false;
      group_.written = {map_register(*group_.destination, F::db0, F::d0),
                        map_register(*group_.destination, F::db1, F::d1)};
    } else if (group_.w0p || group_.w1p) {
      if (!read_map(forms::one_destination, group_.destination)) return false;
      group_.written[group_.w0p ? 0 : 1] = map_register(*group_.destination, F::dbN, F::dN);
    }
    return true;
  }

  [[nodiscard]] bool has_regular_padding() const {
    if (at_ > bytes_.size()) return false;
    std::vector<std::uint8_t> padding;
    append_padding(static_cast<unsigned>(at_), static_cast<unsigned>(bytes_.size() / 2), padding);
    return std::equal(padding.begin(), padding.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_), bytes_.end());
  }

  std::span<const std::uint8_t> bytes_;
  Group group_;
  const Form* header_ = nullptr;
  std::size_t at_ = 0;
  std::uint64_t map_bits_ = 0;
  unsigned phases_ = 0, assist_ = 0;
};

void append(std::uint64_t bits, unsigned bytes, std::vector<std::uint8_t>& out) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
}

unsigned oporg(const Group& group) {
  const Phases phases{group.item(Word::p0).form != nullptr, group.item(Word::p1).form != nullptr,
                      group.item(Word::move) || group.item(Word::test) || group.item(Word::pack),
                      group.item(Word::backend).form != nullptr};
  return static_cast<unsigned>(std::find(phase_sets.begin(), phase_sets.end(), phases) - phase_sets.begin());
}

const Form& header_form(const Group& group) {
  if (group.alu == Alu::main) return group.brief ? forms::main_brief : forms::main;
  return group.alu == Alu::bitwise ? forms::bitwise : forms::control;
}

Values map_values(const Group& group) {
  Values values{};
  for (unsigned slot = 0; slot < slot_count; ++slot) {
    at(values, slot_bank[slot]) = static_cast<std::uint32_t>(group.slots[slot].bank);
    at(values, slot_index[slot]) = group.slots[slot].index;
  }
  at(values, F::is0) = group.selectors[0];
  const Register& one = group.written[group.w0p ? 0 : 1];
  at(values, F::dbN) = static_cast<std::uint32_t>(one.bank);
  at(values, F::dN) = one.index;
  at(values, F::db0) = static_cast<std::uint32_t>(group.written[0].bank);
  at(values, F::d0) = group.written[0].index;
  at(values, F::db1) = static_cast<std::uint32_t>(group.written[1].bank);
  at(values, F::d1) = group.written[1].index;
  return values;
}

void append_map(const Form& form, const Group& group, std::vector<std::uint8_t>& out) {
  append(write(form, map_values(group)), form.bytes, out);
}

bool is_lower(const Form& form) { return &form >= std::begin(forms::lower) && &form < std::end(forms::lower); }
bool is_upper(const Form& form) { return &form >= std::begin(forms::upper) && &form < std::end(forms::upper); }

/// The same with the values of its maps, which are those of the group.
bool map_holds(const Form& map, const Group& group, const Values& values) {
  if (!holds(map, values)) return false;
  const auto absent = [&](F field) { return map.find(field) == nullptr && at(values, field) != 0; };
  const bool lower = is_lower(map);
  if (lower || is_upper(map)) {
    const unsigned first = lower ? 0 : upper_slot;
    for (unsigned slot = first; slot < first + 3; ++slot)
      if (absent(slot_bank[slot]) || absent(slot_index[slot])) return false;
    return !lower || !absent(F::is0);
  }
  return (map.find(F::dbN) == nullptr) == (group.w0p && group.w1p);
}

const Form* shortest_map(std::span<const Form> forms, const Group& group, unsigned first) {
  const unsigned used = slots_used(group);
  unsigned count = 1;
  for (unsigned i = 0; i < 3; ++i)
    if ((used >> (first + i) & 1) != 0) count = i + 1;
  const Values values = map_values(group);
  const Form* best = nullptr;
  for (const Form& form : forms)
    if ((best == nullptr || form.bytes < best->bytes) && form.find(slot_index[first + count - 1]) != nullptr &&
        map_holds(form, group, values))
      best = &form;
  return best;
}

/// Slots an instruction's operands name, by what the text says.
unsigned operand_slots(const Item& item, const Op& op, bool phase1) {
  unsigned slots = 0;
  for (const OperandSpec& operand : op.all_operands()) {
    if (operand.what == OperandSpec::What::source && is_slot(operand.name)) {
      const unsigned slot = number_of(operand.name);
      slots |= 1u << (phase1 && slot < 3 ? slot + 3 : slot);
    } else if (operand.what == OperandSpec::What::field) {
      const Kind kind = info(operand.field).kind;
      const std::uint32_t value = item.get(operand.field);
      if (kind == Kind::slot || (kind == Kind::coverage && (value != 0 || item.get(F::nottiled) == 0)))
        slots |= 1u << value;
      if (operand.field == F::count_src && value == 0) slots |= 1u << 2;
    }
  }
  return slots;
}

}  // namespace

unsigned Group::external_slot() const { return is0_slots[selectors[0]]; }
bool Group::ends() const {
  const Item& control = item(Word::control);
  return end || (control && control.op->does == does::Control::nothing && miscctl != 0);
}

std::span<const Word> words_of(Alu alu) {
  if (alu == Alu::main) return main_words;
  return alu == Alu::bitwise ? std::span<const Word>(bitwise_words) : std::span<const Word>(control_words);
}

bool has_sources(const Op& op) {
  return std::any_of(op.all_operands().begin(), op.all_operands().end(),
                     [](const OperandSpec& each) { return each.what == OperandSpec::What::source; });
}
bool has_destination(const Op& op) {
  return std::any_of(op.all_operands().begin(), op.all_operands().end(), [](const OperandSpec& each) {
    return each.what == OperandSpec::What::fixed && each.name == Name::w0;
  });
}

Group decode_group(std::span<const std::uint8_t> code, std::uint32_t offset) { return Reader(code, offset).run(); }

std::uint32_t size_of_group(std::span<const std::uint8_t> code, std::uint32_t offset) {
  const unsigned words = code[offset] & 15;
  const std::size_t announced = words == 0 ? max_group_bytes : 2 * words;
  return static_cast<std::uint32_t>(std::min(announced, code.size() - offset));
}

bool may_be_control_group(std::span<const std::uint8_t> code, std::uint32_t offset) {
  const std::span<const std::uint8_t> bytes = code.subspan(offset);
  return bytes.size() >= 3 && (bytes[1] & 0x80) != 0 && (bytes[2] >> 5 & 3) == 3;
}

std::vector<Group> decode(std::span<const std::uint8_t> code) {
  std::vector<Group> groups;
  for (std::uint32_t offset = 0; offset < code.size(); offset += groups.back().size)
    groups.push_back(decode_group(code, offset));
  return groups;
}

unsigned content_bytes(const Group& group) {
  unsigned bytes = header_form(group).bytes;
  for (const Item& item : group.items)
    if (item) bytes += item.form->bytes;
  for (const Form* map : {group.lower, group.upper, group.destination})
    if (map != nullptr) bytes += map->bytes;
  return bytes + (group.alu == Alu::main ? 1 : 0);
}

void encode_content(const Group& group, unsigned words, std::vector<std::uint8_t>& out) {
  const std::size_t start = out.size();
  const Form& header = header_form(group);
  out.resize(start + header.bytes);
  std::size_t first_part = header.bytes;
  for (const Word word : words_of(group.alu))
    if (const Item& item = group.item(word)) {
      append(item.bits, item.form->bytes, out);
      if (word != Word::p0 && word != Word::p1) first_part += item.form->bytes;
    }
  if (group.lower != nullptr) append_map(*group.lower, group, out);
  if (group.upper != nullptr) append_map(*group.upper, group, out);
  Values values = default_values;
  if (group.alu == Alu::main) {
    for (std::size_t i = 0; i < selector_fields.size(); ++i) at(values, selector_fields[i]) = group.selectors[i + 1];
    append(write(forms::iss, values), 1, out);
  }
  if (group.destination != nullptr) append_map(*group.destination, group, out);
  at(values, F::da) = static_cast<std::uint32_t>(
      group.alu == Alu::control && group.lower == nullptr && group.destination == nullptr ? 0 : first_part);
  at(values, F::length) = words % 16;
  at(values, F::oporg) = oporg(group);
  at(values, F::opcnt) =
      (group.item(Word::bit0) ? 1u : 0) | (group.item(Word::bit1) ? 2u : 0) | (group.item(Word::bit2) ? 4u : 0);
  at(values, F::olchk) = group.olchk;
  at(values, F::w1p) = group.w1p;
  at(values, F::w0p) = group.w0p;
  at(values, F::cc) = static_cast<std::uint32_t>(group.condition);
  at(values, F::end) = group.end;
  at(values, F::atom) = group.atom;
  at(values, F::rpt) = group.repeat - 1u;
  at(values, F::miscctl) = group.miscctl;
  at(values, F::ctrlop) = group.ctrlop;
  const std::uint64_t bits = write(header, values);
  for (unsigned i = 0; i < header.bytes; ++i) out[start + i] = static_cast<std::uint8_t>(bits >> (8 * i));
}

void append_padding(unsigned content, unsigned words, std::vector<std::uint8_t>& out) {
  if (content % 2 != 0) out.push_back(0xFF);
  const unsigned whole = (content + 1) / 2;
  if (words <= whole) return;
  const unsigned more = words - whole;
  out.push_back(static_cast<std::uint8_t>(0xF0 | more));
  out.insert(out.end(), 2 * more - 1, 0xFF);
}

unsigned slots_used(const Group& group) {
  unsigned slots = group.modelled.slots;
  for (std::size_t i = 0; i < unit_count; ++i) {
    const auto unit = static_cast<Unit>(i);
    const Item& item = group.item(word_of(unit));
    if (!item) continue;
    const bool bitwise = unit == Unit::shift1 || unit == Unit::count || unit == Unit::bit_test;
    const Op* op = bitwise ? find_op(unit, *item.form, item.bits) : item.op;
    if (op == nullptr || !op->in(unit)) continue;
    // An unused unit of a bitwise phase holds byp: it reads what other units bind.
    if (op->does == does::Shift1::pass || op->does == does::Count::pass) continue;
    slots |= operand_slots(item, *op, unit == Unit::p1);
  }
  if (group.alu == Alu::main && (selectors_used(group) & 1) != 0) slots |= 1u << group.external_slot();
  return slots;
}

unsigned selectors_used(const Group& group) {
  if (group.alu != Alu::main || group.modelled.present) return 0;  // others drive their ports themselves
  unsigned used = 0;
  const auto read = [&](Name name) {
    if (name == Name::fte) used |= 1;
    if (is_selector(name)) used |= 1u << number_of(name);
  };
  bool w0_driven = false, w1_driven = false, w0_read = false, w1_read = false;
  for (const Item& item : group.items) {
    if (!item) continue;
    for (const OperandSpec& operand : item.op->all_operands())
      if (operand.what == OperandSpec::What::source) read(operand.name);
    for (const F field : {F::movw0, F::movw1})
      if (item.form->find(field) != nullptr && item.get(field) == external_feed) used |= 1;
    if (item.op->has(drives_w0)) w0_driven = true;
    if (item.op->has(drives_w1)) w1_driven = true;
    if (item.op->has(reads_w0)) {
      const bool second = item.get(F::dsel) != 0 || item.get(F::ressel) != 0;
      (second ? w1_read : w0_read) = true;
    }
  }
  if ((group.w0p || w0_read) && !w0_driven) used |= 1u << 4;
  if ((group.w1p || w1_read) && !w1_driven) used |= 1u << 5;
  for (const unsigned i : {1u, 2u})
    if ((used >> i & 1) != 0 && group.selectors[i] == 1) used |= 1;
  for (const unsigned i : {3u, 4u, 5u})
    if ((used >> i & 1) != 0 && group.selectors[i] == external_feed) used |= 1;
  const Item& p0 = group.item(Word::p0);
  // The high half of a 64-bit result takes FTE's place; without a fourth source IS0 is idle then.
  if (p0 && p0.op->has(high_result) && !p0.op->has(reads_is0)) used &= ~1u;
  return used;
}

void choose_header(Group& group) {
  group.brief = group.alu == Alu::main && !group.end && !group.atom && group.repeat == 1 &&
                (group.condition == Condition::always || group.condition == Condition::if_p0);
}
bool map_holds(const Form& map, const Group& group) { return map_holds(map, group, map_values(group)); }

const Form* shortest_lower(const Group& group) { return shortest_map(forms::lower, group, 0); }
const Form* shortest_upper(const Group& group) { return shortest_map(forms::upper, group, upper_slot); }
const Form* shortest_destination(const Group& group) {
  const Values values = map_values(group);
  for (const std::span<const Form> all :
       {std::span<const Form>(forms::two_destinations), std::span<const Form>(forms::one_destination)})
    for (const Form& form : all)
      if (map_holds(form, group, values)) return &form;
  return nullptr;
}

const Form* shortest_form(const Op& op, const Values& values) {
  for (const Form* form : op.all_forms()) {
    bool all = holds(*form, values);
    for (const Form* other : op.all_forms())
      for (const Place& place : other->fields())
        all = all && (form->find(place.field) != nullptr || at(values, place.field) == info(place.field).default_value);
    if (all) return form;
  }
  return nullptr;
}

const Op* visible_op(const Group& group, Unit unit) {
  const Item& item = group.item(word_of(unit));
  if (!item) return nullptr;
  if (unit != Unit::shift1 && unit != Unit::count && unit != Unit::bit_test)
    return item.op->in(unit) ? item.op : nullptr;
  const Op* op = find_op(unit, *item.form, item.bits);
  if (unit == Unit::bit_test)
    return item.get(F::pwen) != 0 || item.get(F::tst_src) != 0 || item.get(F::bw_tst_op) != 0 ? op : nullptr;
  const Item& logical = group.item(Word::bit1);
  if (unit == Unit::shift1)
    return item.get(F::shift1_op) != 0 || (logical && logical.op->does != does::Logical::pass) ? op : nullptr;
  return item.get(F::count_op) != info(F::count_op).default_value || item.get(F::count_src) != 0 ? op : nullptr;
}

std::int64_t branch_target(const Group& group, const Item& branch) {
  const std::int64_t offset = sign_extend(std::uint64_t{branch.get(F::offset)} << 1, 32);
  return branch.get(F::abs) != 0 ? offset : group.offset + offset;
}

}  // namespace mobula::rogue
