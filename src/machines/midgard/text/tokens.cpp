#include "machines/midgard/text/tokens.h"

#include <bit>

namespace mobula::midgard {
namespace {

constexpr Token<8> numbered(std::string_view prefix, unsigned number) {
  Token<8> name(prefix);
  if (number >= 10) name.add(std::string_view{"0123"}.substr(number / 10, 1));
  name.add(std::string_view{"0123456789"}.substr(number % 10, 1));
  return name;
}

constexpr std::array<Token<8>, register_count> plain_registers() {
  std::array<Token<8>, register_count> names;
  for (unsigned i = 0; i < register_count; ++i) names[i] = numbered("R", i);
  return names;
}

constexpr std::array<Token<8>, register_count> with_temporaries() {
  std::array<Token<8>, register_count> names = plain_registers();
  names[register_tmp0] = "TMP0";
  names[register_tmp1] = "TMP1";
  return names;
}

/// Fields as note keys, those of a nested format at their place in the outer word.
template <std::size_t N>
class NoteList {
 public:
  constexpr void add(std::string_view prefix, const Field& field, unsigned base) {
    NoteField& note = notes[count++];
    note.key = prefix;
    note.key.add(field.name);
    note.field = field;
    note.field.low = static_cast<std::uint8_t>(field.low + base);
  }
  std::array<NoteField, N> notes{};
  std::size_t count = 0;
};

constexpr auto vector_list = [] {
  NoteList<11> list;
  for (const Field* field : vec::fields) {
    if (field == &vec::src1 || field == &vec::src2) {
      for (const Field* inner : vecsrc::fields) list.add(field == &vec::src1 ? "src1." : "src2.", *inner, field->low);
    } else {
      list.add("", *field, 0);
    }
  }
  return list;
}();

constexpr auto scalar_list = [] {
  NoteList<12> list;
  for (const Field* field : scalar::fields) {
    if (field == &scalar::src2) {
      for (const Field* inner : scalarsrc::fields) list.add("src2.", *inner, field->low);
    } else {
      list.add("", *field, 0);
    }
  }
  return list;
}();

template <std::size_t N>
constexpr NoteList<N> flat_list(const std::array<const Field*, N>& fields, std::size_t skip = 0) {
  NoteList<N> list;
  for (std::size_t i = skip; i < N; ++i) list.add("", *fields[i], 0);
  return list;
}
constexpr auto compact_list = flat_list(brcond::fields);
constexpr auto jump_list = flat_list(bruncond::fields);
constexpr auto extended_list = flat_list(brx::fields);
constexpr auto ls_list = flat_list(ls::fields);
constexpr auto texture_list = flat_list(tex::fields, 2);  // tag and next belong to the bundle

/// Of the control word only what no line says.
constexpr auto control_list = [] {
  NoteList<control::fields.size()> list;
  for (const Field* field : control::fields)
    if (field->reserved) list.add("", *field, 0);
  return list;
}();

template <std::size_t N>
constexpr std::span<const NoteField> span_of(const NoteList<N>& list) {
  return std::span<const NoteField>(list.notes).first(list.count);
}

// ------------------------------------------------------------------------------------------------ load/store shapes

namespace part {
using Kind = LsPiece::Kind;
constexpr LsPiece result_pieces[] = {{Kind::result}};
constexpr LsPiece lanes_pieces[] = {{Kind::lanes}};
constexpr LsPiece source_pieces[] = {{Kind::stored}, {Kind::letters_but_xyzw, &ls::swizzle}};
constexpr LsPiece vector_pieces[] = {{Kind::selector, &ls::arg}, {Kind::letters, &ls::swizzle}};
constexpr LsPiece address_pieces[] = {{Kind::base}, {Kind::address_index}, {Kind::displacement, &ls::offset}};
constexpr LsPiece base_pieces[] = {{Kind::base}, {Kind::displacement, &ls::offset}};
constexpr LsPiece index_pieces[] = {{Kind::table_index, &ls::table_offset}};
constexpr LsPiece ubo_index_pieces[] = {{Kind::table_index, &ls::ubo_offset}};
constexpr LsPiece ubo_pieces[] = {{Kind::numbered, &ls::ubo_immediate, &ls::ubo_register, "ubo", "the uniform buffer"}};
constexpr LsPiece argument_pieces[] = {{Kind::scalar, &ls::arg, &ls::arg_component}};
constexpr LsPiece vertex_pieces[] = {{Kind::scalar, &ls::arg, &ls::arg_component},
                                     {Kind::vertex_displacement, &ls::vertex_offset}};
constexpr LsPiece coordinates_pieces[] = {
    {Kind::selector, &ls::arg},
    {.kind = Kind::size, .field = &ls::toggle, .what = "u32 or u64, the size of the coordinates"},
    {Kind::component, &ls::arg_component}};
constexpr LsPiece plain_pieces[] = {{Kind::selector, &ls::arg}, {Kind::component_but_x, &ls::arg_component}};
constexpr LsPiece operand_pieces[] = {{Kind::scalar, &ls::atomic_operand, &ls::atomic_component}};
constexpr LsPiece compare_pieces[] = {{Kind::scalar, &ls::index, &ls::index_component}};
constexpr LsPiece target_pieces[] = {
    {.kind = Kind::target, .field = &ls::tile_target, .name = "rt", .what = "the render target"}};
constexpr LsPiece sample_pieces[] = {
    {Kind::numbered, &ls::tile_sample, &ls::tile_sample_register, "sample", "the sample"}};
constexpr LsPiece format_pieces[] = {
    {.kind = Kind::hexadecimal, .field = &ls::pixel_format, .what = "the pixel format"}};
constexpr LsPiece code_pieces[] = {{.kind = Kind::hexadecimal, .field = &ls::offset, .what = "the trap code"}};

constexpr LsPart destination{"R0.xyzw", result_pieces};
constexpr LsPart lanes{"R0.x~~~", lanes_pieces};
constexpr LsPart source{"AL0", source_pieces};
constexpr LsPart vector{"GROUP_ID.xyzw", vector_pieces};
constexpr LsPart address{"AL0.u64.x + AL1.u32.x << 2 + 0x10", address_pieces};
constexpr LsPart base{"AL0.u64.x + 0x10", base_pieces};
constexpr LsPart index{"0.x + 0x1", index_pieces};
constexpr LsPart ubo{"ubo[0]", ubo_pieces};
constexpr LsPart ubo_index{"0.x + 0x10", ubo_index_pieces};
constexpr LsPart argument{"0.x", argument_pieces, true};
constexpr LsPart vertex{"0.x", vertex_pieces, true};
constexpr LsPart coordinates{"AL0.u32.x", coordinates_pieces};
constexpr LsPart plain{"AL0", plain_pieces};
constexpr LsPart operand{"AL0.x", operand_pieces};
constexpr LsPart compare{"AL1.x", compare_pieces};
constexpr LsPart target{"rt[0]", target_pieces};
constexpr LsPart sample{"sample[0]", sample_pieces};
constexpr LsPart format{"0x0", format_pieces};
constexpr LsPart code{"0x1", code_pieces};
}  // namespace part

constexpr const LsPart* parts_plain[] = {&part::destination, &part::plain};
constexpr const LsPart* parts_pack[] = {&part::destination, &part::plain, &part::format};
constexpr const LsPart* parts_load[] = {&part::destination, &part::address};
constexpr const LsPart* parts_move[] = {&part::lanes, &part::vector};
constexpr const LsPart* parts_atomic[] = {&part::lanes, &part::address, &part::operand};
constexpr const LsPart* parts_exchange[] = {&part::lanes, &part::base, &part::operand, &part::compare};
constexpr const LsPart* parts_attribute[] = {&part::destination, &part::index, &part::vertex};
constexpr const LsPart* parts_varying[] = {&part::destination, &part::index, &part::argument};
constexpr const LsPart* parts_special[] = {&part::destination, &part::index};
constexpr const LsPart* parts_ubo[] = {&part::destination, &part::ubo, &part::ubo_index};
constexpr const LsPart* parts_image[] = {&part::destination, &part::index, &part::coordinates};
constexpr const LsPart* parts_tile[] = {&part::destination, &part::target, &part::sample};
constexpr const LsPart* parts_store[] = {&part::source, &part::address};
constexpr const LsPart* parts_store_varying[] = {&part::source, &part::index, &part::argument};
constexpr const LsPart* parts_store_image[] = {&part::source, &part::index, &part::coordinates};
constexpr const LsPart* parts_store_special[] = {&part::source, &part::index};
constexpr const LsPart* parts_store_tile[] = {&part::source, &part::target, &part::sample};
constexpr const LsPart* parts_trap[] = {&part::code};

constexpr LsModifier mods_float_size[] = {{"f16", &ls::toggle, 0, 0xFF}, {"f32", &ls::toggle, 1, 0xFF}};
constexpr LsModifier mods_attribute[] = {
    {"a32", &ls::auto32, 1, 0}, {"secondary", &ls::secondary, 1, 0}, {"vertex", &ls::toggle, 1, 0}};
constexpr LsModifier mods_table[] = {{"a32", &ls::auto32, 1, 0}, {"secondary", &ls::secondary, 1, 0}};
constexpr LsModifier mods_varying[] = {{"a32", &ls::auto32, 1, 0},          {"primary", &ls::secondary, 0, 1},
                                       {"flat", &vary::flat, 1, 0},         {"noperspective", &vary::perspective, 0, 1},
                                       {"centroid", &vary::centroid, 1, 0}, {"nosample", &vary::sample, 0, 1},
                                       {"div_y", &vary::modifier, 1, 0},    {"div_z", &vary::modifier, 2, 0},
                                       {"div_w", &vary::modifier, 3, 0},    {"cubemap", &vary::modifier, 4, 0}};
constexpr LsModifier mods_store_varying[] = {{"a32", &ls::auto32, 1, 0}, {"primary", &ls::secondary, 0, 1}};

constexpr std::uint64_t full_mask = mask_of(ls::mask);

constexpr LsShape shape_none{};
constexpr LsShape shape_pack{parts_pack, {}, 0};
constexpr LsShape shape_load{parts_load, {}, 0};
constexpr LsShape shape_plain{parts_plain, mods_float_size, 0};
constexpr LsShape shape_move{parts_move, {}, 0};
constexpr LsShape shape_atomic{parts_atomic, {}, 0};
constexpr LsShape shape_exchange{parts_exchange, {}, 0};
constexpr LsShape shape_attribute{parts_attribute, mods_attribute, 0};
constexpr LsShape shape_varying{parts_varying, mods_varying, 0};
constexpr LsShape shape_special{parts_special, mods_table, 0};
constexpr LsShape shape_ubo{parts_ubo, {}, 0};
constexpr LsShape shape_image{parts_image, mods_table, 0};
constexpr LsShape shape_tile{parts_tile, {}, 0};
constexpr LsShape shape_store{parts_store, {}, full_mask};
constexpr LsShape shape_store_varying{parts_store_varying, mods_store_varying, full_mask};
constexpr LsShape shape_store_image{parts_store_image, mods_table, full_mask};
constexpr LsShape shape_store_special{parts_store_special, mods_table, full_mask};
constexpr LsShape shape_store_tile{parts_store_tile, {}, full_mask};
constexpr LsShape shape_trap{parts_trap, {}, 0};

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto upper = [](char letter) { return letter >= 'a' && letter <= 'z' ? letter - 32 : letter; };
    if (upper(a[i]) != upper(b[i])) return false;
  }
  return true;
}

const std::array<Token<8>, register_count> source_names = [] {
  std::array<Token<8>, register_count> names = with_temporaries();
  names[register_constants] = "K";
  names[register_texture0] = "TA0";
  names[register_texture1] = "TA1";
  names[register_condition] = "PC_SP";
  return names;
}();
const std::array<Token<8>, register_count> destination_names = [] {
  std::array<Token<8>, register_count> names = with_temporaries();
  names[register_load_store0] = "AL0";
  names[register_load_store1] = "AL1";
  names[register_texture0] = "AT0";
  names[register_texture1] = "AT1";
  names[register_condition] = "COND";
  return names;
}();
const std::array<Token<8>, register_count> load_names = [] {
  std::array<Token<8>, register_count> names = plain_registers();
  names[register_load_store0] = "AL0";
  names[register_load_store1] = "AL1";
  names[register_texture0] = "AT0";
  names[register_texture1] = "AT1";
  return names;
}();
const std::array<Token<8>, register_count> uniform_names = [] {
  std::array<Token<8>, register_count> names;
  for (unsigned i = last_uniform_register - last_uniform_name; i <= last_uniform_register; ++i)
    names[i] = numbered("U", last_uniform_register - i);
  return names;
}();

int find_register(std::string_view name, std::span<const Token<8>> names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (same_word(name, names[i].view())) return static_cast<int>(i);
  constexpr auto plain = plain_registers();
  for (std::size_t i = 0; i < plain.size(); ++i)
    if (same_word(name, plain[i].view())) return static_cast<int>(i);
  return -1;
}

char type_letter(unsigned opcode) {
  if (output_kind(opcode) == Kind::f) return 'f';
  const AluOp* row = find_alu_op(opcode);
  if (row == nullptr) return 'i';
  for (const AluOp& other : alu_ops)
    if (other.opcode != opcode && same_mnemonic(other, *row)) return row->in == Kind::u ? 'u' : 's';
  return 'i';
}

std::string_view texture_mode_name(TexMeaning op, unsigned mode) {
  if (op == TexMeaning::derivative) return mode == 0 ? "x" : mode == 1 ? "y" : std::string_view{};
  if (mode < 2) return {};
  const FieldValue* row = find_value(tex::mode, mode);
  return row == nullptr ? std::string_view{} : row->name;
}
unsigned default_texture_mode(TexMeaning op) {
  return op == TexMeaning::derivative || op == TexMeaning::barrier ? 0 : 1;
}

unsigned spelled_lanes(unsigned opcode, unsigned width, unsigned lanes, unsigned source) {
  const AluOp* row = find_alu_op(opcode);
  const unsigned all = width == 8 ? 0xFFFF : (1u << (128 / width)) - 1;
  if (row != nullptr && row->reduces != 0) return ((1u << row->reduces) - 1) & all;
  if (row != nullptr && row->does == AluMeaning::ffma) return source == 0 ? 3 : 1;  // a.x * a.y + b.x
  return lanes == 0 ? all : lanes;
}

unsigned fill_swizzle(unsigned width, unsigned swizzle, unsigned lanes) {
  if (width == 64) {
    const unsigned low = swizzle & 15, high = swizzle >> 4;
    return lanes == 1 ? low * 0x11 : lanes == 2 ? high * 0x11 : swizzle;
  }
  unsigned slots = lanes;
  if (width == 16) slots = lanes | lanes >> 4;
  if (width == 8) {
    slots = 0;
    for (unsigned lane = 0; lane < 16; ++lane) slots |= (lanes >> lane & 1) << selector_slot(8, lane);
  }
  slots &= 15;
  if (slots == 0) return swizzle;
  unsigned last = selector(swizzle, static_cast<unsigned>(std::countr_zero(slots))), filled = 0;
  for (unsigned slot = 0; slot < 4; ++slot) {
    if (slots >> slot & 1) last = selector(swizzle, slot);
    filled |= last << (2 * slot);
  }
  return filled;
}

std::span<const std::uint8_t> expand_order(unsigned width, bool widening) {
  // Compilers replicate halves of 16-bit operands; of 8-bit ones there is nothing to go by.
  static constexpr std::uint8_t none[] = {0}, bytes[] = {0, 1, 2, 3}, halves[] = {1, 2, 0, 3}, widen[] = {4, 5},
                                widen_halves[] = {4, 5, 6, 7};
  if (widening) return width == 16 ? std::span<const std::uint8_t>(widen_halves) : widen;
  if (width == 8) return bytes;
  return width == 16 ? std::span<const std::uint8_t>(halves) : none;
}

unsigned spelled_expand(unsigned width, unsigned expand, unsigned lanes) {
  if (!expand_allowed(expand, width)) return 0;
  if (width > 16) return expand;
  for (const std::uint8_t candidate : expand_order(width, widens(expand))) {
    bool same = true;
    for (unsigned lane = 0; lane < 128 / width && same; ++lane)
      if (lanes >> lane & 1)
        same = lane_source(width, candidate, identity_swizzle, lane).element ==
               lane_source(width, expand, identity_swizzle, lane).element;
    if (same) return candidate;
  }
  return expand;
}

unsigned fill_result_swizzle(unsigned swizzle, unsigned mask, unsigned elements) {
  const int first = mask == 0 ? 0 : std::countr_zero(mask);
  const int shift = first - static_cast<int>(mask == 0 ? 0 : selector(swizzle, static_cast<unsigned>(first)));
  unsigned filled = 0;
  for (int lane = 0; lane < 4; ++lane) {
    int chosen = lane - shift;
    if (chosen < 0) chosen = 0;
    if (chosen >= static_cast<int>(elements)) chosen = static_cast<int>(elements) - 1;
    if (mask >> lane & 1) chosen = static_cast<int>(selector(swizzle, static_cast<unsigned>(lane)));
    filled |= static_cast<unsigned>(chosen) << (2 * lane);
  }
  return filled;
}

UnusedOperand unused_operand(bool vector, bool source2) {
  // Source 1: r24, all selectors x (full width on a scalar unit). Source 2: the inline constant 0. Both are what
  // compilers write.
  UnusedOperand unused;
  unused.source2 = source2;
  std::uint64_t registers = 0, registers_mask = 0;
  if (source2) {
    set(registers, reg::inline_constant, 1);
    registers_mask = mask_of(reg::src2) | mask_of(reg::inline_constant);
    unused.word_mask = mask_of(vector ? vec::src2 : scalar::src2);
  } else {
    set(registers, reg::src1, register_unused);
    registers_mask = mask_of(reg::src1);
    if (vector) {
      unused.word_mask = mask_of(vec::src1);
    } else {
      unused.word_mask = mask_of(scalar::src1_mod) | mask_of(scalar::src1_full) | mask_of(scalar::src1_component);
      set(unused.word, scalar::src1_full, 1);
    }
  }
  unused.registers = static_cast<std::uint16_t>(registers);
  unused.registers_mask = static_cast<std::uint16_t>(registers_mask);
  return unused;
}

const std::span<const NoteField> vector_notes = span_of(vector_list), scalar_notes = span_of(scalar_list),
                                 compact_notes = span_of(compact_list), jump_notes = span_of(jump_list),
                                 extended_notes = span_of(extended_list), ls_notes = span_of(ls_list),
                                 texture_notes = span_of(texture_list), control_notes = span_of(control_list);

const LsShape& ls_shape(const LsOp& op) {
  switch (op.does) {
    case LsMeaning::nop:
      return shape_none;
    case LsMeaning::pack:
    case LsMeaning::unpack:
      return shape_pack;
    case LsMeaning::lea:
    case LsMeaning::load:
      return shape_load;
    case LsMeaning::cubemap:
    case LsMeaning::perspective:
      return shape_plain;
    case LsMeaning::move:
      return shape_move;
    case LsMeaning::atomic:
      return op.is_exchange() ? shape_exchange : shape_atomic;
    case LsMeaning::attribute:
      return shape_attribute;
    case LsMeaning::varying:
      return shape_varying;
    case LsMeaning::load_special:
      return shape_special;
    case LsMeaning::ubo:
      return shape_ubo;
    case LsMeaning::lea_image:
    case LsMeaning::load_image:
      return shape_image;
    case LsMeaning::load_tile:
      return shape_tile;
    case LsMeaning::store:
      return shape_store;
    case LsMeaning::store_varying:
      return shape_store_varying;
    case LsMeaning::store_image:
      return shape_store_image;
    case LsMeaning::store_special:
      return shape_store_special;
    case LsMeaning::store_tile:
      return shape_store_tile;
    case LsMeaning::trap:
      return shape_trap;
  }
  return shape_none;
}

unsigned result_elements(const LsOp& op) {
  if (op.does == LsMeaning::load) return op.bytes <= 4 ? 1 : op.bytes / 4;
  if (op.does == LsMeaning::load_special) return 1;
  if (op.does == LsMeaning::varying && op.type == LsType::f16) return 2;
  return 4;
}

Word128 spelled_texture(const Word128& word) {
  Word128 said = word;
  const auto op = static_cast<TexMeaning>(get(word, tex::op));
  if (op == TexMeaning::barrier) {
    said = {};
    for (const Field* field : {&tex::tag, &tex::next, &tex::op}) set(said, *field, get(word, *field));
    set(said, tex::exec, 3);
    return said;
  }
  const auto mode = static_cast<unsigned>(get(word, tex::mode));
  if (texture_mode_name(op, mode).empty()) set(said, tex::mode, default_texture_mode(op));
  if (get(word, tex::exec) == 0) set(said, tex::exec, 3);
  set(said, tex::unknown_35, 0);
  set(said, tex::unknown_60, 0);
  if (get(word, tex::in_full) != 0) set(said, tex::in_upper, 0);
  if (get(word, tex::out_full) != 0 || get(word, tex::mask) == 0) set(said, tex::out_upper, 0);
  const auto say_select = [&](const Field& field) {
    std::uint64_t select = get(word, field) & 0x1F;
    if (get(select, texselect::full) != 0) set(select, texselect::upper, 0);
    set(said, field, select);
  };
  if (get(word, tex::sampler_register) != 0) say_select(tex::sampler);
  if (get(word, tex::texture_register) != 0) say_select(tex::texture);
  if (get(word, tex::lod_register) != 0) {
    say_select(tex::lod_fraction);
    set(said, tex::lod_integer, 0);
  } else if (op == TexMeaning::fetch) {
    set(said, tex::lod_integer, 0);
  }
  if (get(word, tex::offset_register) != 0) {
    std::uint64_t offset = get(word, tex::offset);
    set(offset, texoffsetreg::unknown_11, 0);
    if (get(offset, texoffsetreg::full) != 0) set(offset, texoffsetreg::upper, 0);
    set(said, tex::offset, offset);
  }
  return said;
}

unsigned computed_tag(const Bundle& bundle, const Product& product) {
  bool writes = false;
  for (const Branch& branch : branches(bundle))
    writes = writes || branch.op == BranchMeaning::write || branch.op == BranchMeaning::tilebuffer;
  const unsigned first = writes && product.writeout_tags ? tag_alu_writeout_4 : tag_alu_4;
  return first + alu_quadwords(bundle) - 1;
}

unsigned implied_next(const Branches& all, unsigned following) {
  for (const Branch& branch : all)
    if (branch.op == BranchMeaning::write && branch.offset == 0) return tag_break;
  return quadwords(following) == 0 ? tag_break : following;
}

}  // namespace mobula::midgard
