#include "machines/midgard/text/explain.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "core/counted.h"
#include "core/explain.h"
#include "core/hexadecimal.h"
#include "core/listing_pieces.h"
#include "core/system_values.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/text/numbers.h"
#include "machines/midgard/text/parse.h"
#include "machines/midgard/text/print.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {
namespace {

// ------------------------------------------------------------------------------------------------ load/store views

// A load/store instruction's fields as each kind of operation divides them.
namespace shown {
inline constexpr Field table_unknown{.name = "table.unknown_42",
                                     .low = 42,
                                     .width = 9,
                                     .meaning = "no known meaning for this kind of operation",
                                     .fact = {Status::unknown, "2.10"},
                                     .reserved = true};
inline constexpr Field tile_unknown{.name = "tile.unknown_43",
                                    .low = 43,
                                    .width = 17,
                                    .meaning = "no known meaning for this kind of operation",
                                    .fact = {Status::unknown, "2.10"},
                                    .reserved = true};
inline constexpr Field trap_code{
    .name = "code", .low = 42, .width = 18, .meaning = "trap code", .fact = {Status::driver, "2.10"}};

inline constexpr std::array ubo_fields{
    &ls::op,    &ls::reg,   &ls::mask,         &ls::swizzle,     &ls::ubo_immediate, &ls::index_component,
    &ls::index, &ls::shift, &ls::ubo_register, &ls::ubo_unknown, &ls::ubo_offset};
inline constexpr std::array ubo_register_fields{
    &ls::op,    &ls::reg,          &ls::mask,         &ls::swizzle,         &ls::arg_component,
    &ls::arg,   &ls::toggle,       &ls::index_format, &ls::index_component, &ls::index,
    &ls::shift, &ls::ubo_register, &ls::ubo_unknown,  &ls::ubo_offset};
inline constexpr std::array attribute_fields{
    &ls::op,    &ls::reg,    &ls::mask,          &ls::swizzle,     &ls::arg_component,
    &ls::arg,   &ls::toggle, &ls::auto32,        &ls::secondary,   &ls::index_component,
    &ls::index, &ls::shift,  &ls::vertex_offset, &ls::table_offset};
inline constexpr std::array varying_fields{
    &ls::op,         &ls::reg,      &ls::mask,         &ls::swizzle,        &ls::arg_component,
    &ls::arg,        &ls::toggle,   &ls::auto32,       &ls::secondary,      &ls::index_component,
    &ls::index,      &ls::shift,    &vary::modifier,   &vary::flat,         &vary::perspective,
    &vary::centroid, &vary::sample, &vary::unknown_49, &vary::position_bit, &ls::table_offset};
inline constexpr std::array table_fields{
    &ls::op,    &ls::reg,    &ls::mask,      &ls::swizzle,     &ls::arg_component,
    &ls::arg,   &ls::toggle, &ls::auto32,    &ls::secondary,   &ls::index_component,
    &ls::index, &ls::shift,  &table_unknown, &ls::table_offset};
inline constexpr std::array atomic_fields{&ls::op,
                                          &ls::reg,
                                          &ls::mask,
                                          &ls::atomic_component,
                                          &ls::atomic_operand,
                                          &ls::atomic_unknown,
                                          &ls::arg_component,
                                          &ls::arg,
                                          &ls::toggle,
                                          &ls::index_format,
                                          &ls::index_component,
                                          &ls::index,
                                          &ls::shift,
                                          &ls::offset};
inline constexpr std::array tile_fields{
    &ls::op,      &ls::reg,          &ls::mask,        &ls::swizzle, &ls::tile_sample,
    &ls::toggle,  &ls::index_format, &ls::tile_target, &ls::shift,   &ls::tile_sample_register,
    &tile_unknown};
inline constexpr std::array tile_register_fields{
    &ls::op,     &ls::reg,          &ls::mask,        &ls::swizzle, &ls::arg_component,        &ls::arg,
    &ls::toggle, &ls::index_format, &ls::tile_target, &ls::shift,   &ls::tile_sample_register, &tile_unknown};
inline constexpr std::array format_fields{&ls::op,      &ls::reg,           &ls::mask,
                                          &ls::swizzle, &ls::arg_component, &ls::arg,
                                          &ls::toggle,  &ls::index_format,  &ls::index_component,
                                          &ls::index,   &ls::pixel_format};
inline constexpr std::array trap_fields{&ls::op,      &ls::reg,           &ls::mask,
                                        &ls::swizzle, &ls::arg_component, &ls::arg,
                                        &ls::toggle,  &ls::index_format,  &ls::index_component,
                                        &ls::index,   &ls::shift,         &trap_code};

template <std::size_t N>
constexpr Format made(std::string_view name, const std::array<const Field*, N>& fields, std::string_view meaning) {
  return {.name = name, .width = 60, .fields = fields, .meaning = meaning};
}
inline constexpr Format ubo = made("ldst.ubo", ubo_fields, "load from a uniform buffer");
inline constexpr Format ubo_register =
    made("ldst.ubo.register", ubo_register_fields, "load from a uniform buffer whose number is in a register");
inline constexpr Format attribute = made("ldst.attribute", attribute_fields, "load of a vertex attribute");
inline constexpr Format varying = made("ldst.varying", varying_fields, "load of a varying");
inline constexpr Format table = made("ldst.table", table_fields, "store of a varying, images, special values");
inline constexpr Format atomic = made("ldst.atomic", atomic_fields, "atomic operation");
inline constexpr Format tile = made("ldst.tile", tile_fields, "frame buffer access");
inline constexpr Format tile_register =
    made("ldst.tile.register", tile_register_fields, "frame buffer access, sample in a register");
inline constexpr Format pixels = made("ldst.format", format_fields, "conversion from or to a pixel format");
inline constexpr Format trap = made("ldst.trap", trap_fields, "trap");

inline constexpr std::array all{&ubo,    &ubo_register, &attribute,     &varying, &table,
                                &atomic, &tile,         &tile_register, &pixels,  &trap};
static_assert(std::all_of(all.begin(), all.end(),
                          [](const Format* format) { return tiles(*format) && values_fit(*format); }));
}  // namespace shown

const Format& view_of(std::uint64_t word) {
  const LsOp* row = find_ls_op(static_cast<unsigned>(get(word, ls::op)));
  if (row == nullptr) return ls::format;
  switch (row->does) {
    case LsMeaning::ubo:
      return get(word, ls::ubo_register) != 0 ? shown::ubo_register : shown::ubo;
    case LsMeaning::attribute:
      return shown::attribute;
    case LsMeaning::varying:
      return shown::varying;
    case LsMeaning::store_varying:
    case LsMeaning::store_image:
    case LsMeaning::store_special:
    case LsMeaning::load_image:
    case LsMeaning::load_special:
    case LsMeaning::lea_image:
      return shown::table;
    case LsMeaning::atomic:
      return shown::atomic;
    case LsMeaning::load_tile:
    case LsMeaning::store_tile:
      return get(word, ls::tile_sample_register) != 0 ? shown::tile_register : shown::tile;
    case LsMeaning::pack:
    case LsMeaning::unpack:
      return shown::pixels;
    case LsMeaning::trap:
      return shown::trap;
    case LsMeaning::nop:
    case LsMeaning::lea:
    case LsMeaning::cubemap:
    case LsMeaning::move:
    case LsMeaning::perspective:
    case LsMeaning::load:
    case LsMeaning::store:
      return ls::format;
  }
  return ls::format;
}

// ------------------------------------------------------------------------------------------------ values in words

std::string real(unsigned width, std::uint64_t pattern) {
  std::array<char, 32> room;
  return {room.data(), put_real(room.data(), width, pattern)};
}

std::string four_letters(std::uint64_t swizzle) {
  std::string text;
  for (unsigned slot = 0; slot < 4; ++slot) text += element_letters[selector(static_cast<unsigned>(swizzle), slot)];
  return text;
}

std::string lane_letters(unsigned lanes) {
  std::string text;
  for (unsigned lane = 0; lane < 16; ++lane)
    if (lanes >> lane & 1) text += element_letters[lane];
  return text.empty() ? "none" : text;
}

std::string register_name(const std::array<Token<8>, register_count>& names, std::uint64_t number) {
  const std::string own(names[number].view()), plain = "r" + std::to_string(number);
  return own == "R" + std::to_string(number) ? plain : own + " (" + plain + ")";
}

std::string tag_text(std::uint64_t tag) { return std::string(tags[tag].name) + ", " + std::string(tags[tag].meaning); }

// ------------------------------------------------------------------------------------------------ one bundle

class BundleExplainer {
 public:
  BundleExplainer(const Bundle& bundle, std::span<const std::uint8_t> bytes, const Product& product,
                  ExplainedWord& word)
      : bundle_(bundle), bytes_(bytes), product_(product), out_(word) {}

  void explain() {
    switch (bundle_.form) {
      case Bundle::Form::alu:
        return alu();
      case Bundle::Form::load_store:
        return load_store();
      case Bundle::Form::texture:
        return texture();
      case Bundle::Form::raw:
        break;
    }
    head(ldst::format, ldst::tag, ldst::next);
    data("raw", "low", 8, 56, "not understood", {Status::unknown, "2.1"});
    data("raw", "high", 64, 64, "not understood", {Status::unknown, "2.1"});
  }

 private:
  [[nodiscard]] std::uint64_t bits(unsigned low, unsigned width) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i) value |= std::uint64_t{bytes_[(low + i) / 8] >> ((low + i) % 8) & 1u} << i;
    return value;
  }

  /// Adds a field of a format that begins at bit `base`. `remark`, if there is one, says what the value means.
  void add(const Format& format, const Field& field, unsigned base, std::string_view prefix, std::string remark = {},
           Fact fact = {}) {
    const std::uint64_t value = bits(base + field.low, field.width);
    ExplainedField row = explain_field(format, field, value, base);
    row.name = std::string(prefix) + row.name;
    const bool flag = field.width == 1 && field.values.empty() && !field.reserved;
    if (remark.empty() && flag) remark = value != 0 ? "yes" : "no";
    if (!remark.empty()) row.meaning = std::string(field.meaning) + ": " + remark;
    if (!fact.source.empty()) {
      row.status = fact.status;
      row.source = fact.source;
    }
    if (field.reserved && value != 0)
      warn(row.low, row.width, row.name + " is " + capital_hexadecimal(value) + "; its meaning is unknown");
    out_.fields.push_back(std::move(row));
  }
  void data(const char* format, std::string name, unsigned low, unsigned width, std::string meaning, Fact fact) {
    out_.fields.push_back({.format = format,
                           .name = std::move(name),
                           .low = low,
                           .width = width,
                           .value = bits(low, width),
                           .meaning = std::move(meaning),
                           .status = fact.status,
                           .source = std::string(fact.source)});
  }
  void warn(unsigned low, unsigned width, std::string message) {
    Diagnostic warning{Severity::warning, "MD117", {}, std::move(message), {}};
    warning.where.byte_offset = out_.byte_offset;
    warning.where.bit_low = low;
    warning.where.bit_width = width;
    out_.diagnostics.push_back(std::move(warning));
  }

  void head(const Format& format, const Field& tag, const Field& next) {
    add(format, tag, 0, {}, tag_text(bundle_.tag), tags[bundle_.tag].fact);
    add(format, next, 0, {}, tag_text(bundle_.next), tags[bundle_.next].fact);
  }

  void alu();
  void registers(const AluInstruction& instruction, unsigned base);
  void vector(const AluInstruction& instruction, unsigned base);
  void scalar_fields(const AluInstruction& instruction, unsigned base);
  void branch(const Branch& branch, const Format& format, unsigned base, std::string_view prefix);
  void rest(unsigned at);
  void load_store();
  void instruction(const Field& slot, std::string_view prefix);
  void texture();
  void texture_select(const Field& in_register, const Field& field);

  const Bundle& bundle_;
  std::span<const std::uint8_t> bytes_;
  const Product& product_;
  ExplainedWord& out_;
};

std::string operation_text(const AluInstruction& instruction) {
  const AluOp* row = find_alu_op(opcode_of(instruction));
  return row == nullptr ? "unknown" : std::string(row->mnemonic) + ", " + std::string(row->meaning);
}
Fact operation_fact(const AluInstruction& instruction) {
  const AluOp* row = find_alu_op(opcode_of(instruction));
  return row == nullptr ? Fact{Status::unknown, "3.2"} : row->fact;
}

/// What a source modifier does; `widened` if the element is half as wide as the lane.
std::string modifier_text(Kind kind, std::uint64_t mod, bool widened) {
  if (kind == Kind::f) {
    constexpr std::array<const char*, 4> texts{"none", "absolute value", "negated", "minus the absolute value"};
    return texts[mod];
  }
  constexpr std::array<const char*, 4> texts{"sign extended", "zero extended", "in both halves", "in the upper half"};
  return widened ? texts[mod] : mod == 0 ? "none" : "no effect, nothing is widened";
}

std::string outmod_text(unsigned opcode, std::uint64_t outmod, bool shrinks) {
  if (output_kind(opcode) == Kind::f) return outmod == 0 ? "none" : std::string(float_outmods[outmod]);
  if (shrinks) return std::string(int_outmods[outmod]);
  return outmod == static_cast<unsigned>(IntOutmod::keeplo)
             ? "none"
             : std::string(int_outmods[outmod]) + ", unknown where nothing shrinks";
}

void BundleExplainer::alu() {
  head(control::format, control::tag, control::next);
  for (const Field* field : std::span(control::fields).subspan(2)) add(control::format, *field, 0, {});
  unsigned at = control::format.width;
  for (const AluInstruction& instruction : bundle_.alu_instructions()) {
    registers(instruction, at);
    at += reg::format.width;
  }
  for (const AluInstruction& instruction : bundle_.alu_instructions()) {
    if (info(instruction.unit).vector)
      vector(instruction, at);
    else
      scalar_fields(instruction, at);
    at += 8u * info(instruction.unit).bytes;
  }
  if (bundle_.has_compact) {
    const Branch compact = compact_branch(bundle_.compact);
    branch(compact, compact.op == BranchMeaning::uncond ? bruncond::format : brcond::format, at, "br.");
    at += brcond::format.width;
  }
  if (bundle_.has_extended) {
    branch(extended_branch(bundle_.extended), brx::format, at, "brx.");
    at += brx::format.width;
  }
  rest(at);
}

void BundleExplainer::registers(const AluInstruction& instruction, unsigned base) {
  const std::string prefix = std::string(info(instruction.unit).name) + '.';
  const std::uint64_t word = instruction.registers;
  add(reg::format, reg::src1, base, prefix, register_name(source_names, get(word, reg::src1)));
  add(reg::format, reg::src2, base, prefix,
      has_inline_constant(instruction) ? "bits 15-11 of " + capital_hexadecimal(inline_constant(instruction))
                                       : register_name(source_names, get(word, reg::src2)));
  add(reg::format, reg::dst, base, prefix, register_name(destination_names, get(word, reg::dst)));
  add(reg::format, reg::inline_constant, base, prefix);
}

std::string inline_text(const AluInstruction& instruction) {
  const std::uint16_t constant = inline_constant(instruction);
  const std::string value = input_kind(opcode_of(instruction)) == Kind::f
                                ? real(16, constant)
                                : std::to_string(static_cast<std::int16_t>(constant));
  return "constant " + capital_hexadecimal(constant) + " = " + value;
}

void BundleExplainer::vector(const AluInstruction& instruction, unsigned base) {
  const std::string prefix = std::string(info(instruction.unit).name) + '.';
  const unsigned opcode = opcode_of(instruction), width = lane_bits(instruction);
  const std::uint64_t word = instruction.word;
  const auto mask = static_cast<unsigned>(get(word, vec::mask));
  add(vec::format, vec::opcode, base, prefix, operation_text(instruction), operation_fact(instruction));
  add(vec::format, vec::mode, base, prefix);
  for (const Field* source : {&vec::src1, &vec::src2}) {
    const std::string name = prefix + std::string(source->name) + '.';
    const unsigned at = base + source->low;
    const std::uint64_t part = get(word, *source);
    if (source == &vec::src2 && has_inline_constant(instruction)) {
      add(vecinline::format, vecinline::mod, at, name);
      add(vecinline::format, vecinline::bits_10_8, at, name, inline_text(instruction));
      add(vecinline::format, vecinline::bits_7_0, at, name, inline_text(instruction));
      continue;
    }
    const auto expand = static_cast<unsigned>(get(part, vecsrc::expand));
    add(vecsrc::format, vecsrc::mod, at, name,
        modifier_text(input_kind(opcode), get(part, vecsrc::mod), widens(expand)));
    const bool allowed = expand_allowed(expand, width);
    const FieldValue* row = find_value(vecsrc::expand, expand);
    add(vecsrc::format, vecsrc::expand, at, name,
        std::string(row->meaning) + (allowed ? "" : ", not defined for " + std::to_string(width) + "-bit lanes"),
        allowed ? Fact{} : Fact{Status::unknown, "2.6.2"});
    add(vecsrc::format, vecsrc::swizzle, at, name, four_letters(get(part, vecsrc::swizzle)));
  }
  const auto shrink = static_cast<Shrink>(get(word, vec::shrink));
  const bool shrinks = shrink == Shrink::lower || shrink == Shrink::upper;
  add(vec::format, vec::shrink, base, prefix);
  add(vec::format, vec::outmod, base, prefix, outmod_text(opcode, get(word, vec::outmod), shrinks));
  add(vec::format, vec::mask, base, prefix,
      "lanes " + lane_letters(enabled_lanes(width, mask)) +
          (mask_is_regular(width, mask) ? "" : ", the bits of a lane disagree"));
}

void BundleExplainer::scalar_fields(const AluInstruction& instruction, unsigned base) {
  const std::string prefix = std::string(info(instruction.unit).name) + '.';
  const unsigned opcode = opcode_of(instruction);
  const std::uint64_t word = instruction.word;
  const Kind in = input_kind(opcode);
  const auto component = [](std::uint64_t full, std::uint64_t number) {
    if (full == 0) return std::string("half ") + element_letters[number];
    return std::string(1, element_letters[number >> 1]) + ((number & 1) != 0 ? ", lowest bit should be 0" : "");
  };
  add(scalar::format, scalar::opcode, base, prefix, operation_text(instruction), operation_fact(instruction));
  add(scalar::format, scalar::src1_mod, base, prefix,
      modifier_text(in, get(word, scalar::src1_mod), get(word, scalar::src1_full) == 0));
  add(scalar::format, scalar::src1_full, base, prefix);
  add(scalar::format, scalar::src1_component, base, prefix,
      component(get(word, scalar::src1_full), get(word, scalar::src1_component)));
  const unsigned at = base + scalar::src2.low;
  const std::uint64_t part = get(word, scalar::src2);
  if (has_inline_constant(instruction)) {
    for (const Field* field : scalarinline::fields)
      add(scalarinline::format, *field, at, prefix + "src2.", inline_text(instruction));
  } else {
    add(scalarsrc::format, scalarsrc::mod, at, prefix + "src2.",
        modifier_text(in, get(part, scalarsrc::mod), get(part, scalarsrc::full) == 0));
    add(scalarsrc::format, scalarsrc::full, at, prefix + "src2.");
    add(scalarsrc::format, scalarsrc::component, at, prefix + "src2.",
        component(get(part, scalarsrc::full), get(part, scalarsrc::component)));
    add(scalarsrc::format, scalarsrc::unknown_6, at, prefix + "src2.");
  }
  add(scalar::format, scalar::unknown_25, base, prefix);
  add(scalar::format, scalar::outmod, base, prefix,
      outmod_text(opcode, get(word, scalar::outmod), get(word, scalar::full) == 0));
  add(scalar::format, scalar::full, base, prefix);
  add(scalar::format, scalar::component, base, prefix,
      component(get(word, scalar::full), get(word, scalar::component)));
}

void BundleExplainer::branch(const Branch& branch, const Format& format, unsigned base, std::string_view prefix) {
  for (const Field* field : format.fields) {
    std::string remark;
    if (field->name == brx::offset.name) {
      const std::int64_t target = target_of(bundle_, branch) * quadword_bytes;
      remark = std::to_string(branch.offset);
      if (branch.op != BranchMeaning::discard)
        remark += ", byte " + (target < 0 ? "-" + capital_hexadecimal(static_cast<std::uint64_t>(-target))
                                          : capital_hexadecimal(static_cast<std::uint64_t>(target)));
    }
    Fact fact;
    if (field == &branch::dest_tag) {
      remark = tag_text(branch.dest_tag);
      fact = tags[branch.dest_tag].fact;
    }
    if (field == &brx::lut && find_value(*field, branch.lut) == nullptr)
      remark = "of four conditions, r31.w and r31.x; their order is unknown";
    add(format, *field, base, prefix, std::move(remark), fact);
  }
}

/// What follows the fields of an ALU bundle.
void BundleExplainer::rest(unsigned at) {
  const unsigned padded = at + 8u * bundle_.padding_count;
  for (unsigned low = at; low < padded; low += 64) {
    const unsigned width = std::min(padded - low, 64u);
    data("alu.padding", "padding", low, width, "up to the next multiple of 16 bytes, zero", {Status::driver, "2.2"});
    if (bits(low, width) != 0) warn(low, width, "the padding is not zero");
  }
  if (!bundle_.has_constants) return;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t value = bundle_.constants[i];
    data("alu.constants", std::string("constant.") + element_letters[i], padded + 32 * i, 32,
         "embedded constant: " + real(32, value) + " or " + std::to_string(static_cast<std::int32_t>(value)) +
             ", halves " + real(16, value & 0xFFFF) + " and " + real(16, value >> 16),
         {Status::driver, "2.5.1"});
  }
}

void BundleExplainer::load_store() {
  head(ldst::format, ldst::tag, ldst::next);
  instruction(ldst::first, "first.");
  instruction(ldst::second, "second.");
}

void BundleExplainer::instruction(const Field& slot, std::string_view prefix) {
  const std::uint64_t word = bits(slot.low, slot.width);
  const LsOp* row = find_ls_op(static_cast<unsigned>(get(word, ls::op)));
  const Format& format = view_of(word);
  for (const Field* field : format.fields) {
    std::string remark;
    Fact fact;
    const std::uint64_t value = get(word, *field);
    if (field == &ls::op) {
      remark = row == nullptr ? "unknown" : std::string(row->mnemonic) + ", " + std::string(row->meaning);
      fact = row == nullptr ? Fact{Status::unknown, "3.8"} : row->fact;
    } else if (field == &ls::reg && row != nullptr && form_of(row->does).stores) {
      remark = value < 8 ? std::string(find_value(ls::arg, value)->name) : "no known register";
    } else if (field == &ls::reg) {
      remark = register_name(load_names, value);
    } else if (field == &ls::mask) {
      remark = lane_letters(static_cast<unsigned>(value));
    } else if (field == &ls::swizzle) {
      remark = four_letters(value);
    } else if (field == &ls::arg_component || field == &ls::index_component || field == &ls::atomic_component) {
      remark = std::string(1, element_letters[value]);
    } else if (field == &ls::secondary) {
      remark = value != 0 ? "secondary" : "primary";
    } else if (field == &vary::position_bit) {
      remark = std::to_string(value);
    } else if (field == &ls::tile_target) {
      remark = value == target_depth     ? "depth"
               : value == target_stencil ? "stencil"
                                         : "colour " + std::to_string(value);
    }
    add(format, *field, slot.low, prefix, std::move(remark), fact);
  }
}

/// LOD, sampler or texture number: an immediate, or a register component and bits nobody knows.
void BundleExplainer::texture_select(const Field& in_register, const Field& field) {
  const std::uint64_t value = bits(field.low, field.width);
  if (bits(in_register.low, 1) == 0) {
    std::string remark = std::to_string(value);
    if (&field == &tex::lod_fraction && static_cast<TexMeaning>(bits(tex::op.low, tex::op.width)) != TexMeaning::fetch)
      remark = real(64, real_pattern(static_cast<double>(value) / 256, 64));
    return add(tex::format, field, 0, {}, remark);
  }
  const std::string prefix = std::string(field.name) + '.';
  for (const Field* part : texselect::fields) {
    std::string remark;
    if (part == &texselect::select) remark = register_name(load_names, texture_input(product_) + get(value, *part));
    if (part == &texselect::component) remark = std::string(1, element_letters[get(value, *part)]);
    add(texselect::format, *part, field.low, prefix, std::move(remark));
  }
  if (field.width == texselect::format.width) return;
  static constexpr Field upper{.name = "unknown_8",
                               .low = 8,
                               .width = 8,
                               .meaning = "beside the register select, always zero so far",
                               .fact = {Status::unknown, "2.9"},
                               .reserved = true};
  add(tex::format, upper, field.low, prefix);
}

void BundleExplainer::texture() {
  head(tex::format, tex::tag, tex::next);
  const Word128& word = bundle_.word;
  const auto op = static_cast<TexMeaning>(get(word, tex::op));
  for (const Field* field : std::span(tex::fields).subspan(2)) {
    const std::uint64_t value = get(word, *field);
    std::string remark;
    Fact fact;
    if (field == &tex::op) {
      const TexOp* row = find_tex_op(op);
      remark = row == nullptr ? "unknown" : std::string(row->mnemonic) + ", " + std::string(row->meaning);
      fact = row == nullptr ? Fact{Status::unknown, "3.9"} : row->fact;
    } else if (field == &tex::mode && op == TexMeaning::derivative && value < 2) {
      remark = value == 0 ? "d/dx" : "d/dy";
    } else if (field == &tex::mode && op != TexMeaning::derivative && value == default_texture_mode(op)) {
      remark = "plain";
    } else if (field == &tex::in_select) {
      remark = register_name(load_names, texture_input(product_) + value);
    } else if (field == &tex::out_select) {
      remark = register_name(product_.interpipe_aliasing ? load_names : source_names, texture_output(product_) + value);
    } else if (field == &tex::in_swizzle || field == &tex::swizzle) {
      remark = four_letters(value);
    } else if (field == &tex::mask) {
      remark = lane_letters(static_cast<unsigned>(value));
    } else if (field == &tex::outmod) {
      remark = value == 0 ? "none" : std::string(float_outmods[value]);
    } else if (field == &tex::lod_fraction) {
      texture_select(tex::lod_register, *field);
      continue;
    } else if (field == &tex::sampler) {
      texture_select(tex::sampler_register, *field);
      continue;
    } else if (field == &tex::texture) {
      texture_select(tex::texture_register, *field);
      continue;
    } else if (field == &tex::offset) {
      const bool in_register = get(word, tex::offset_register) != 0;
      const Format& format = in_register ? texoffsetreg::format : texoffset::format;
      for (const Field* part : format.fields) {
        std::string inner;
        if (part == &texoffsetreg::select)
          inner = register_name(load_names, texture_input(product_) + get(value, *part));
        if (part == &texoffsetreg::swizzle) inner = four_letters(get(value, *part));
        add(format, *part, field->low, "offset.", std::move(inner));
      }
      continue;
    }
    add(tex::format, *field, 0, {}, std::move(remark), fact);
  }
}

// ------------------------------------------------------------------------------------------------ manual

std::string_view kind_name(Kind kind) {
  return kind == Kind::f ? "float" : kind == Kind::u ? "unsigned integer" : "integer";
}

/// An operation's unique name, its number as the program writes it and as the first notes do, and other names.
template <class Row>
std::vector<std::string> names_of(const Row& row, std::span<const OtherName> others) {
  const std::string number = capital_hexadecimal(row.opcode);
  std::vector<std::string> names{std::string(row.name), number, number.substr(2)};
  if (row.opcode < 16) names.push_back("0" + number.substr(2));
  for (const OtherName& other : others)
    if (other.opcode == row.opcode) names.emplace_back(other.name);
  return names;
}

std::string called(unsigned opcode, std::span<const OtherName> others) {
  for (const OtherName& other : others)
    if (other.opcode == opcode) return "Also called " + std::string(other.name) + ".\n";
  return {};
}

ManualEntry alu_entry(const AluOp& row) {
  std::string unit_names, vector_unit;
  for (std::size_t i = 0; i < unit_count; ++i) {
    if ((row.units >> i & 1) == 0) continue;
    if (vector_unit.empty() && units[i].vector) vector_unit = units[i].name;
    (unit_names += unit_names.empty() ? "" : ", ") += units[i].name;
  }
  std::string body(row.meaning);
  (body += ".\nWritten ").append(vector_unit) += '.';
  (body += row.mnemonic) += '.';
  body += type_letter(row.opcode);
  body += "32 R0, ";
  body += row.operands == 2 ? (row.shift1 ? "R1.x2, R2" : "R1, R2") : row.uses_source2 ? "_, R2" : "R1, _";
  body += ".\nCompilers use it on " + unit_names + ".\n";
  body.append("Operands: ").append(kind_name(row.in)).append("; result: ").append(kind_name(row.out));
  body += row.reduces != 0 ? ", one lane of " + std::to_string(row.reduces) + " of each operand.\n"
          : row.look_up    ? ", one component of the operand in every lane.\n"
                           : ", lane by lane.\n";
  if (row.is_select())
    body += "The condition is r31, written in the same bundle by " +
            std::string(row.does == AluMeaning::select_by_lane ? "vmul" : "sadd") + ".\n";
  body += called(row.opcode, alu_other_names);
  return {.mnemonic = std::string(row.mnemonic),
          .title = "ALU " + capital_hexadecimal(row.opcode) + ", " + std::string(row.name),
          .body = std::move(body),
          .status = row.fact.status,
          .source = std::string(row.fact.source),
          .names = names_of(row, alu_other_names)};
}

ManualEntry ls_entry(const LsOp& row) {
  const LsShape& shape = ls_shape(row);
  std::string line(row.mnemonic), optional;
  for (const LsModifier& modifier : shape.modifiers) {
    if (modifier.default_value != 0xFF)
      (optional += " .") += modifier.name;
    else if (modifier.value != 0)
      (line += '.') += modifier.name;
  }
  std::string separator = " ";
  for (const LsPart* part : shape.parts) {
    (line += separator) += part->example;
    separator = ", ";
  }
  std::string body = std::string(row.meaning) + ".\nWritten " + line + ".\n";
  if (!optional.empty()) body += "Modifiers:" + optional + ".\n";
  std::uint64_t word = row.opcode;
  body += "Format " + std::string(view_of(word).name) + ".\n" + called(row.opcode, ls_other_names);
  return {.mnemonic = std::string(row.mnemonic),
          .title = "load/store " + capital_hexadecimal(row.opcode) + ", " + std::string(row.name),
          .body = std::move(body),
          .status = row.fact.status,
          .source = std::string(row.fact.source),
          .names = names_of(row, ls_other_names)};
}

ManualEntry texture_entry(const TexOp& row) {
  std::string body = std::string(row.meaning) + ".\nARM calls it " + std::string(row.arm_name) + ".\nWritten ";
  body += row.mnemonic;
  if (row.does != TexMeaning::barrier) {
    if (row.does == TexMeaning::derivative) body += ".x";
    body += ".2d TA0.f32, texture0, fsampler0, AT0.xyzw.32";
    if (row.does == TexMeaning::sample) body += ", lod + 0.5";
    if (row.does == TexMeaning::gradient || row.does == TexMeaning::fetch) body += ", lod = 2";
  }
  return {.mnemonic = std::string(row.mnemonic),
          .title = "texture " + std::to_string(opcode_of(row.does)) + ", " + std::string(row.name),
          .body = body + ".\n",
          .status = row.fact.status,
          .source = std::string(row.fact.source),
          .names = {std::string(row.name), std::string(row.arm_name), capital_hexadecimal(opcode_of(row.does))}};
}

ManualEntry branch_entry(const FieldValue& row) {
  const std::string name(row.name);
  std::string body = std::string(row.meaning) + ".\nWritten ";
  if (row.value == opcode_of(BranchMeaning::uncond))
    body += "br.uncond +1 -> alu/4.\nWritten brx.uncond.always +1 -> alu/4.\n";
  else
    body += "br." + name + ".true +1 -> alu/4.\nWritten brx." + name + ".true +1 -> alu/4.\n";
  body += "The compact form (br) reaches -64 to 63 quadwords.\n";
  return {.mnemonic = "br." + name,
          .title = "branch " + std::to_string(row.value) + ", " + name,
          .body = std::move(body),
          .status = branch::op.fact.status,
          .source = "2.8.4",
          .names = {name, "brx." + name, capital_hexadecimal(row.value)}};
}

ManualEntry register_entry(const RegisterRole& row) {
  const auto numbered = [](std::string_view letters, unsigned number) {
    return std::string(letters) + std::to_string(number);
  };
  ManualEntry entry{.mnemonic = numbered("r", row.first), .title = "register"};
  if (row.first != row.last) {
    entry.mnemonic += "-" + numbered("r", row.last);
    entry.title += "s";
  }
  for (unsigned number = row.first; number <= row.last; ++number)
    for (const std::string& name : {numbered("r", number), numbered("hr", 2 * number), numbered("hr", 2 * number + 1)})
      entry.names.push_back(name);
  for (std::size_t at = 0; at < row.names.size();) {
    const std::size_t end = std::min(row.names.find(' ', at), row.names.size());
    entry.names.emplace_back(row.names.substr(at, end - at));
    at = end + 1;
  }
  if (!row.names.empty()) entry.body = "In text: " + std::string(row.names) + ".\n";
  entry.body += "As source: " + std::string(row.read) + ".\nAs destination: " + std::string(row.written) + ".\n";
  entry.body += "hr" + std::to_string(2 * row.first) + " is the lower half of r" + std::to_string(row.first) + ", hr" +
                std::to_string(2 * row.first + 1) + " the upper one.\n";
  entry.status = row.fact.status;
  entry.source = row.fact.source;
  return entry;
}

/// One of the five ALUs of a word.
ManualEntry unit_entry(const UnitInfo& row) {
  const auto count =
      std::ranges::count_if(alu_ops, [&](const AluOp& op) { return op.units >> (&row - units.data()) & 1; });
  return {.mnemonic = std::string(row.name),
          .title = "unit, stage " + std::to_string(row.stage),
          .body = "Bit " + std::to_string(row.control_bit) + " of the control word says that it is used; " +
                  counted(row.bytes * 8u, "bit") + " in format " +
                  std::string(row.vector ? vec::format.name : scalar::format.name) + ".\nCompilers use it for " +
                  counted(static_cast<std::uint64_t>(count), "operation") + ".\n",
          .status = Status::driver,
          .source = "2.3",
          .names = {},
          .in_words = false};
}

/// What GLSL calls a value that programs load by number or selector, and the document a kind of registers.
struct CommonName {
  std::string_view value, name;
};
constexpr CommonName common_names[] = {{"r0-r15", "work"},
                                       {"r8-r23", "uniform"},
                                       {"r24", "temporary"},
                                       {"r24", "temp"},
                                       {"r25", "temporary"},
                                       {"r25", "temp"},
                                       {"LOCAL_THREAD_ID", "gl_LocalInvocationID"},
                                       {"GROUP_ID", "gl_WorkGroupID"},
                                       {"GLOBAL_THREAD_ID", "gl_GlobalInvocationID"},
                                       {"special.sample_mask", "gl_SampleMaskIn"},
                                       {"special.sample_id", "gl_SampleID"},
                                       {"attribute.vertex_id", "gl_VertexID"},
                                       {"attribute.instance_id", "gl_InstanceID"},
                                       {"clamp_0_1", "saturate"},
                                       {"ssat", "saturate"},
                                       {"usat", "saturate"}};

/// A value that a field takes instead of a number without meaning.
ManualEntry value_entry(const FieldValue& row, std::string_view field, const Fact& fact) {
  return {.mnemonic = std::string(row.name),
          .title = std::string(field) + ' ' + capital_hexadecimal(row.value),
          .body = std::string(row.meaning) + ".\n",
          .status = fact.status,
          .source = std::string(fact.source),
          .names = {capital_hexadecimal(row.value), capital_hexadecimal(row.value).substr(2)}};
}

/// The lines of embedded constants, by the words that begin them.
void add_constants(std::vector<ManualEntry>& entries) {
  for (const ConstantsKind& row : constants_kinds)
    entries.push_back({.mnemonic = std::string(row.name),
                       .title = "line of embedded constants",
                       .body = "Up to " + std::to_string(128 / row.bits) + " numbers of " + std::to_string(row.bits) +
                               " bits, " + (row.real ? "floats" : "integers") +
                               ", separated by commas; operands read them as r26.\n",
                       .status = Status::driver,
                       .source = "2.5",
                       .names = {},
                       .in_words = false});
}

/// Words for the values of fields, where nothing else has that name. One that means something else of floats than of
/// integers has a name for each: "clamp_m1_1 / keeplo".
void add_values(std::vector<ManualEntry>& entries) {
  std::set<std::string, std::less<>> taken;
  for (const ManualEntry& entry : entries) {
    taken.insert(entry.mnemonic);
    taken.insert(entry.names.begin(), entry.names.end());
  }
  constexpr std::string_view between = " / ";
  std::map<std::string_view, ManualEntry> values;
  const auto add = [&](std::string_view name, const Field& field, std::uint64_t value, std::string_view meaning) {
    const bool is_number = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0;
    if (is_number || name == "reserved" || taken.contains(name)) return;
    ManualEntry& entry = values[name];
    const std::string line = "field " + std::string(field.name) + ": " + std::to_string(value) +
                             (meaning.empty() ? "" : ", " + std::string(meaning)) + '\n';
    if (entry.body.find(line) != entry.body.npos) return;  // several formats have the field
    entry.mnemonic = name;
    entry.title = "value of a field";
    entry.body += line;
    entry.status = Status::driver;  // the names are its own
    entry.source = field.fact.source;
    entry.in_words = false;
  };
  for (const Format* format : formats())
    for (const Field* field : format->fields)
      for (const FieldValue& row : field->values)
        for (std::string_view names = row.name; !names.empty();) {
          const std::size_t end = names.find(between);
          add(names.substr(0, end), *field, row.value, row.meaning);
          names.remove_prefix(end == names.npos ? names.size() : end + between.size());
        }
  add(target_depth_name, ls::tile_target, target_depth, "the depth of the pixel, written rt[depth]");
  add(target_stencil_name, ls::tile_target, target_stencil, "the stencil of the pixel, written rt[stencil]");
  for (auto& [name, entry] : values) entries.push_back(std::move(entry));
}

ManualEntry system_value_entry(const SystemValueInfo& row) {
  const std::string name(row.name);
  return {.mnemonic = "sysvals." + name,
          .title = "system value, type " + std::to_string(static_cast<std::uint32_t>(row.type)) + " in side files",
          .body = std::string(row.meaning) +
                  ".\nA vec4 that the driver provides: number k is at byte 16 k of buffer num_ubos.\n",
          .status = Status::driver,
          .source = "1.4",
          .names = {"system_values." + name},
          .in_words = false};
}

}  // namespace

namespace {

void add_undecoded(ExplainedWord& word, std::string found) {
  Diagnostic error{Severity::error, "MD118", {}, std::move(found), {}};
  error.where.byte_offset = word.byte_offset;
  word.diagnostics.push_back(std::move(error));
}

ExplainedWord explain_word(const Program& program, const Listing::Word& place, std::string_view text) {
  const std::span<const std::uint8_t> code = program.code;
  ExplainedWord word{.byte_offset = place.byte_offset,
                     .byte_length = place.byte_length,
                     .text = std::string(text),
                     .fields = {},
                     .diagnostics = {}};
  if (place.byte_length % quadword_bytes != 0) {
    add_undecoded(word, "the last " + counted(place.byte_length, "byte does", "bytes do") + " not fill a quadword");
    return word;
  }
  const auto position = static_cast<std::uint32_t>(place.byte_offset / quadword_bytes);
  const Bundle bundle = decode_bundle(code, position);
  BundleExplainer(bundle, code.subspan(place.byte_offset, place.byte_length), find_product(program.variant), word)
      .explain();
  if (const std::string reason = raw_reason(code, position); !reason.empty())
    add_undecoded(word, "this is not a bundle: " + reason);
  return word;
}

}  // namespace

void explain_each(const Program& program, const ExplainedWordSink& each) {
  for_each_word(print_mdg(program, {.words = true}),
                [&](const Listing::Word& place, std::string_view text) { each(explain_word(program, place, text)); });
}

Manual manual() {
  Manual manual;
  manual.has_operations_after_units = true;
  for (const Format* format : formats()) manual.formats.push_back(describe_format(*format));
  for (const Format* format : shown::all) manual.formats.push_back(describe_format(*format));
  for (const AluOp& row : alu_ops) manual.entries.push_back(alu_entry(row));
  for (const LsOp& row : ls_ops) manual.entries.push_back(ls_entry(row));
  for (const TexOp& row : tex_ops) manual.entries.push_back(texture_entry(row));
  for (const FieldValue& row : value::branch_op) manual.entries.push_back(branch_entry(row));
  for (const RegisterRole& row : register_roles) manual.entries.push_back(register_entry(row));
  for (const UnitInfo& row : units) manual.entries.push_back(unit_entry(row));
  for (const FieldValue& row : value::tag) {
    manual.entries.push_back(value_entry(row, "kind of word", tags[row.value].fact));
    manual.entries.back().in_words = false;
  }
  for (const FieldValue& row : value::selector)
    manual.entries.push_back(value_entry(row, "load/store selector", {Status::driver, "1.5"}));
  for (const FieldValue& row : value::special)
    manual.entries.push_back(value_entry(row, "number of LD_SPECIAL", {Status::driver, "3.8"}));
  for (const FieldValue& row : value::attribute)
    manual.entries.push_back(value_entry(row, "number of LD_ATTR", {Status::driver, "4.5"}));
  for (const SystemValueInfo& row : system_value_types) manual.entries.push_back(system_value_entry(row));
  add_constants(manual.entries);
  add_values(manual.entries);
  for (ManualEntry& entry : manual.entries)
    for (const CommonName& row : common_names)
      if (row.value == entry.mnemonic) entry.names.emplace_back(row.name);
  for (const Directive& row : directives)
    manual.entries.push_back({.mnemonic = '.' + std::string(row.name),
                              .title = "directive",
                              .body = '.' + std::string(row.name) + ' ' + std::string(row.arguments) + ": " +
                                      std::string(row.meaning) + ".\n",
                              .status = Status::document,
                              .source = {},
                              .names = {},
                              .in_words = false});
  return manual;
}

}  // namespace mobula::midgard
