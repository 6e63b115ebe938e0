#include "machines/midgard/lift/load_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "core/hexadecimal.h"
#include "machines/midgard/lift/state.h"
#include "machines/midgard/lift/vector.h"

namespace mobula::midgard {
namespace {

using ir::Call;
using ir::Op;
using ir::Operand;
using ir::Service;
using ir::Type;

// ------------------------------------------------------------------------------------------------ fields

/// Selectors (1.5). 0 and 1 are AL0 and AL1.
/// index.format of address operations.
constexpr unsigned index_u64 = 1, index_u32 = 2, index_s32 = 3;
/// vary.modifier.
constexpr unsigned vary_divide_w = 3, vary_cube = 4;
constexpr unsigned tile_stencil = 0x1E, tile_depth = 0x1F;

struct LsView {
  std::uint64_t word = 0;
  const LsOp* op = nullptr;  ///< nullptr: unassigned
  unsigned opcode = 0, reg = 0, mask = 0, swizzle = 0, arg = 0, arg_component = 0, index = 0, index_component = 0,
           index_format = 0, shift = 0;
  bool toggle = false;

  [[nodiscard]] bool is_noop() const { return op != nullptr && op->does == LsMeaning::nop; }
  [[nodiscard]] bool has_address() const { return form_of(op->does).has_address; }
  [[nodiscard]] bool has_address_index() const { return has_address() && !op->is_exchange() && index != selector_zero; }
};

LsView ls_view(std::uint64_t word) {
  const auto field = [&](const Field& f) { return static_cast<unsigned>(get(word, f)); };
  return {.word = word,
          .op = find_ls_op(field(ls::op)),
          .opcode = field(ls::op),
          .reg = field(ls::reg),
          .mask = field(ls::mask),
          .swizzle = field(ls::swizzle),
          .arg = field(ls::arg),
          .arg_component = field(ls::arg_component),
          .index = field(ls::index),
          .index_component = field(ls::index_component),
          .index_format = field(ls::index_format),
          .shift = field(ls::shift),
          .toggle = field(ls::toggle) != 0};
}

std::array<LsView, 2> views(const Bundle& bundle) {
  return {ls_view(get(bundle.word, ldst::first)), ls_view(get(bundle.word, ldst::second))};
}

std::string describe(const LsView& v) { return std::string(v.op->mnemonic); }

constexpr bool is_float(LsType type) { return type == LsType::f32 || type == LsType::f16; }
/// Type of one element as it lies in registers.
constexpr Type element_type(LsType type) {
  return type == LsType::f32 ? Type::f32 : type == LsType::f16 ? Type::f16 : Type::i32;
}

/// Words that four elements take: as many as one of them has bytes.
constexpr unsigned words_of(Type type) { return ir::bytes_of(type); }

// ------------------------------------------------------------------------------------------------ faults

/// A 64-bit operand is two components of a register: x and y, or z and w.
std::string pair_fault(const LsView& v, const std::string& role, unsigned selector, unsigned component) {
  if (component % 2 == 0 || selector == selector_zero) return {};
  return invalid_encoding(describe(v) + ": its 64-bit " + role + " starts at an odd component");
}

std::string address_fault(const LsView& v) {
  if (v.toggle) {
    if (std::string fault = pair_fault(v, "base", v.arg, v.arg_component); !fault.empty()) return fault;
  }
  if (!v.has_address_index()) return {};
  if (v.index_format == 0) return invalid_encoding(describe(v) + ": index format 0 is reserved");
  return v.index_format == index_u64 ? pair_fault(v, "index", v.index, v.index_component) : std::string();
}

std::string atomic_fault(const LsView& v) {
  if (v.op->bytes == 8) {
    const auto operand = static_cast<unsigned>(get(v.word, ls::atomic_operand));
    const auto component = static_cast<unsigned>(get(v.word, ls::atomic_component));
    if (std::string fault = pair_fault(v, "operand", operand, component); !fault.empty()) return fault;
    if (v.op->is_exchange()) {
      std::string fault = pair_fault(v, "compare value", v.index, v.index_component);
      if (!fault.empty()) return fault;
    }
  }
  return {};
}

std::string feature_fault(const BundleContext& context, const LsView& v) {
  const std::string product(context.product.marketing);
  switch (v.op->does) {
    case LsMeaning::load_tile:
    case LsMeaning::store_tile:
      return context.product.tilebuffer ? std::string()
                                        : invalid_encoding(describe(v) + " does not exist on " + product);
    case LsMeaning::lea_image:
      return context.product.lea_image ? std::string()
                                       : invalid_encoding(describe(v) + " does not exist on " + product);
    case LsMeaning::pack:
    case LsMeaning::unpack: {
      const std::uint64_t format = get(v.word, ls::offset) << 4 | v.shift;
      return invalid_encoding(describe(v) + ": the meaning of pixel format specifier " + hexadecimal(format) +
                              " is not known");
    }
    case LsMeaning::trap:
      return "TRAP with code " + std::to_string(get(v.word, ls::offset));
    case LsMeaning::varying:
      if (get(v.word, vary::modifier) <= vary_cube) return {};
      return invalid_encoding(describe(v) + ": varying modifier " + std::to_string(get(v.word, vary::modifier)) +
                              " is unassigned");
    case LsMeaning::nop:
    case LsMeaning::lea:
    case LsMeaning::cubemap:
    case LsMeaning::move:
    case LsMeaning::perspective:
    case LsMeaning::atomic:
    case LsMeaning::load:
    case LsMeaning::store:
    case LsMeaning::attribute:
    case LsMeaning::load_special:
    case LsMeaning::ubo:
    case LsMeaning::load_image:
    case LsMeaning::store_varying:
    case LsMeaning::store_image:
    case LsMeaning::store_special:
      return {};
  }
  return {};
}

std::string instruction_fault(const BundleContext& context, const LsView& v) {
  if (v.op == nullptr) return invalid_encoding("load/store opcode " + hexadecimal(v.opcode) + " is unassigned");
  if (v.is_noop()) return {};
  if (std::string fault = feature_fault(context, v); !fault.empty()) return fault;
  if (form_of(v.op->does).stores) {
    if (v.reg > selector_zero) {
      return invalid_encoding(describe(v) + " stores from register " + std::to_string(v.reg) +
                              "; only registers 0 to 7 can be stored");
    }
  } else if (!state::is_destination(v.reg) && context.settings.is(PolicyId::unknown_registers, "trap")) {
    return operand_fault(describe(v) + " writes r" + std::to_string(v.reg) + ", which has no known meaning");
  }
  if (v.has_address()) {
    if (std::string fault = address_fault(v); !fault.empty()) return fault;
  }
  if (v.op->does == LsMeaning::atomic) return atomic_fault(v);
  return form_of(v.op->does).is_image && v.toggle ? pair_fault(v, "coordinate", v.arg, v.arg_component) : std::string();
}

// ------------------------------------------------------------------------------------------------ one instruction

/// Two steps: access() reads registers and reaches outside, write_back() writes what does not land in registers by
/// itself.
class AccessLifter {
 public:
  /// `may_land`: no other instruction of the bundle reads the destination, so data may go straight there.
  AccessLifter(const BundleContext& context, const LsView& v, bool may_land)
      : context_(context), b_(context.builder), v_(v), may_land_(may_land && is_register_written()) {}

  void access();
  void write_back();

 private:
  using Words = std::array<Operand, 4>;

  [[nodiscard]] bool is_register_written() const {
    return state::is_destination(v_.reg) && v_.reg != register_tmp0 && v_.reg != register_tmp1;
  }
  [[nodiscard]] std::uint32_t destination() const { return state::destination(v_.reg, context_.product); }
  /// Lanes of the destination that are written.
  [[nodiscard]] unsigned lanes() const { return is_register_written() ? v_.mask : 0; }

  // operands
  Operand word(unsigned selector, unsigned component);
  Operand pair(unsigned selector, unsigned component);
  Operand typed(Type type, unsigned selector, unsigned component);
  Operand argument() { return word(v_.arg, v_.arg_component); }
  Operand sum(Type type, Operand a, Operand b);
  Operand plus(Type type, Operand value, std::int64_t constant);
  Operand index_value();
  Operand address();
  Operand number();
  Operand gathered(unsigned selector, unsigned swizzle, unsigned words);
  Operand swapped(Operand data, unsigned bytes);

  // kinds of access
  void load_bytes(Call call);
  void load_extended(Call call);
  void load_typed(Call call);
  void load_varying();
  void load_image();
  void load_tile();
  void store_tile();
  void compute_texel_address();
  void load_uniform();
  void compute_address();
  void copy_argument();
  void divide_argument();
  void make_cube_descriptor();
  void atomic();
  void store_bytes();
  void store_typed(Call call);
  void store_image();
  void set_texel(Call& call);
  void set_tile(Call& call);

  /// Gives the call a place for `words` words at most and makes it; false if no lane wants any.
  bool load(Call& call, unsigned words);
  [[nodiscard]] std::optional<std::uint32_t> landing(unsigned words) const;
  [[nodiscard]] unsigned wanted_words(unsigned words) const;
  void yield_words(Operand data, unsigned words);
  Operand divided(Operand data, Type type, unsigned divisor);
  void yield_cube_descriptor(Operand data, Type type);
  [[nodiscard]] std::uint32_t typed_flags() const;
  void note_doubts() const;
  void note_table_doubts(const std::string& what) const;

  const BundleContext& context_;
  ir::Builder& b_;
  const LsView& v_;
  bool may_land_;
  Words result_{};  // by word of the value; none = not written back
};

void AccessLifter::access() {
  if (v_.is_noop()) return;
  b_.rests_on(v_.op->fact.status);
  note_doubts();
  switch (v_.op->does) {
    case LsMeaning::load:
      return load_bytes({.service = Service::load_memory, .args = {address()}});
    case LsMeaning::ubo:
      return load_uniform();
    case LsMeaning::store:
      return store_bytes();
    case LsMeaning::atomic:
      return atomic();
    case LsMeaning::lea:
      return compute_address();
    case LsMeaning::lea_image:
      return compute_texel_address();
    case LsMeaning::move:
      return copy_argument();
    case LsMeaning::perspective:
      return divide_argument();
    case LsMeaning::cubemap:
      return make_cube_descriptor();
    case LsMeaning::attribute: {
      Call call{.service = Service::attribute, .args = {number()}};
      if (v_.toggle) call.args[1] = plus(Type::i32, argument(), get_signed(v_.word, ls::vertex_offset));
      return load_typed(call);
    }
    case LsMeaning::varying:
      return load_varying();
    case LsMeaning::load_special:
      return load_typed({.service = Service::load_special, .args = {number()}});
    case LsMeaning::load_image:
      return load_image();
    case LsMeaning::load_tile:
      return load_tile();
    case LsMeaning::store_varying:
      return store_typed({.service = Service::store_varying, .args = {number()}});
    case LsMeaning::store_special:
      return store_typed({.service = Service::store_special, .args = {number()}});
    case LsMeaning::store_image:
      return store_image();
    case LsMeaning::store_tile:
      return store_tile();
    // Never executed: instruction_fault() names them.
    case LsMeaning::nop:
    case LsMeaning::pack:
    case LsMeaning::unpack:
    case LsMeaning::trap:
      return;
  }
}

void AccessLifter::write_back() {
  if (v_.is_noop() || form_of(v_.op->does).stores || result_[0].is_none()) return;
  // The old value of an atomic goes to every lane; it has no result swizzle.
  const bool is_swizzled = v_.op->does != LsMeaning::atomic;
  for (unsigned lane = 0; lane < 4; ++lane) {
    if ((lanes() >> lane & 1) == 0) continue;
    const unsigned from = is_swizzled ? selected(v_.swizzle, lane) : v_.op->bytes == 8 ? lane & 1 : 0;
    const Operand value = result_[from].is_none() ? b_.constant_u32(0) : result_[from];
    b_.emit(Op::mov, Type::i32, Operand::state(destination() + 4 * lane), value);
  }
}

// ---- operands

Operand AccessLifter::word(unsigned selector, unsigned component) {
  const auto in_state = [&](std::uint32_t base) { return Operand::state(base + 4 * component); };
  const std::uint64_t pc = context_.program_counter();
  switch (selector) {
    case 0:
    case 1:
      return in_state(state::load_store + selector * state::register_bytes);
    case selector_pc_sp:
      return component >= 2 ? in_state(state::pc_sp) : b_.constant(Type::i32, pc >> (32 * component));
    case selector_local_storage:
      return in_state(state::local_storage);
    case selector_local_id:
    case selector_group:
    case selector_global_id:
      // There is no fourth id.
      if (component == 3) return b_.constant_u32(0);
      return in_state(state::local_id + (selector - selector_local_id) * state::register_bytes);
    default:  // selector_zero: the field has three bits
      return b_.constant_u32(0);
  }
}

Operand AccessLifter::pair(unsigned selector, unsigned component) {
  const Operand low = word(selector, component), high = word(selector, component + 1);
  if (low.is_state() && high.is_state()) return low;
  if (selector == selector_zero) return b_.constant_u64(0);
  if (selector == selector_pc_sp) return b_.constant_u64(context_.program_counter());
  return b_.convert(Op::zext, Type::i64, Type::i32, low);
}

Operand AccessLifter::typed(Type type, unsigned selector, unsigned component) {
  return type == Type::i64 ? pair(selector, component) : word(selector, component);
}

Operand AccessLifter::sum(Type type, Operand a, Operand b) {
  if (a.is_none()) return b;
  return b.is_none() ? a : b_.binary(Op::iadd, type, a, b);
}

Operand AccessLifter::plus(Type type, Operand value, std::int64_t constant) {
  if (constant == 0 && !value.is_none()) return value;
  return sum(type, value, b_.constant(type, static_cast<std::uint64_t>(constant)));
}

/// index << shift in 32 bits; none when there is no index.
Operand AccessLifter::index_value() {
  if (v_.index == selector_zero) return {};
  const Operand value = word(v_.index, v_.index_component);
  return v_.shift == 0 ? value : b_.binary(Op::ishl, Type::i32, value, b_.constant_u32(v_.shift));
}

/// base + (extended index << shift) + displacement (3.8).
Operand AccessLifter::address() {
  Operand base, index;
  if (v_.arg != selector_zero) {
    base = v_.toggle ? pair(v_.arg, v_.arg_component) : b_.convert(Op::zext, Type::i64, Type::i32, argument());
  }
  if (v_.has_address_index()) {
    const Operand low = word(v_.index, v_.index_component);
    if (v_.index_format == index_u64) index = pair(v_.index, v_.index_component);
    if (v_.index_format == index_u32) index = b_.convert(Op::zext, Type::i64, Type::i32, low);
    if (v_.index_format == index_s32) index = b_.convert(Op::sext, Type::i64, Type::i32, low);
    if (v_.shift != 0) index = b_.binary(Op::ishl, Type::i64, index, b_.constant_u64(v_.shift));
  }
  return plus(Type::i64, sum(Type::i64, base, index), get_signed(v_.word, ls::offset));
}

/// Number of an attribute, varying, image or special value.
Operand AccessLifter::number() { return plus(Type::i32, index_value(), get_signed(v_.word, ls::table_offset)); }

/// Words of a register as `words` consecutive ones of the state.
Operand AccessLifter::gathered(unsigned selector, unsigned swizzle, unsigned words) {
  constexpr unsigned identity = 0xE4;
  const unsigned wanted = (1u << (2 * words)) - 1;
  const bool is_in_state = selector < selector_pc_sp || selector == selector_local_storage;
  if (is_in_state && (swizzle & wanted) == (identity & wanted)) return word(selector, 0);
  const Operand all = b_.temporary(Type::i32, words);
  for (unsigned i = 0; i < words; ++i) {
    b_.emit(Op::mov, Type::i32, all.plus(4 * i), word(selector, selected(swizzle, i)));
  }
  return all;
}

/// The bytes with their order reversed in each group of op->swap.
Operand AccessLifter::swapped(Operand data, unsigned bytes) {
  const unsigned group = v_.op->swap;
  if (group == 0) return data;
  const Operand result = b_.temporary(Type::i64, (bytes + 7) / 8);
  for (unsigned i = 0; i < bytes; ++i) {
    const unsigned from = i / group * group + (group - 1 - i % group);
    b_.emit(Op::mov, Type::i8, result.plus(i), data.plus(from));
  }
  return result;
}

// ---- loads

unsigned AccessLifter::wanted_words(unsigned words) const {
  unsigned wanted = 0;
  for (unsigned lane = 0; lane < 4; ++lane)
    if (lanes() >> lane & 1) wanted = std::max(wanted, selected(v_.swizzle, lane) + 1);
  return std::min(wanted, words);
}

/// Where consecutive words can land in the destination themselves: the lanes written are neighbours and take them in
/// order.
std::optional<std::uint32_t> AccessLifter::landing(unsigned words) const {
  if (!may_land_) return std::nullopt;
  const auto first = static_cast<unsigned>(std::countr_zero(lanes()));
  const auto count = static_cast<unsigned>(std::popcount(lanes()));
  if (lanes() >> first != (1u << count) - 1 || count > words) return std::nullopt;
  for (unsigned i = 0; i < count; ++i)
    if (selected(v_.swizzle, first + i) != i) return std::nullopt;
  return destination() + 4 * first;
}

bool AccessLifter::load(Call& call, unsigned words) {
  const unsigned wanted = wanted_words(words);
  if (lanes() == 0) return false;
  call.count = static_cast<std::uint8_t>(std::max(1u, wanted) * 4 / ir::bytes_of(call.type));
  const auto land = landing(words);
  call.data = land ? Operand::state(*land) : b_.temporary(Type::i32, 4);
  b_.call(call);
  if (!land) yield_words(call.data, wanted);
  return true;
}

void AccessLifter::yield_words(Operand data, unsigned words) {
  for (unsigned i = 0; i < words; ++i) result_[i] = data.plus(4 * i);
}

void AccessLifter::load_bytes(Call call) {
  const unsigned bytes = v_.op->bytes;
  if (lanes() == 0) return;
  if (bytes < 4) return load_extended(call);
  call.type = Type::i32;
  if (v_.op->swap == 0) {
    load(call, bytes / 4);
    return;
  }
  call.count = static_cast<std::uint8_t>(bytes / 4);
  call.data = b_.temporary(Type::i32, bytes / 4);
  b_.call(call);
  yield_words(swapped(call.data, bytes), bytes / 4);
}

void AccessLifter::load_extended(Call call) {
  call.type = integer_type(8 * v_.op->bytes);
  call.data = b_.temporary(call.type);
  b_.call(call);
  const bool is_signed = v_.op->type == LsType::s8 || v_.op->type == LsType::s16;
  const Operand narrow = swapped(call.data, v_.op->bytes);
  result_[0] = b_.convert(is_signed ? Op::sext : Op::zext, Type::i32, call.type, narrow);
}

std::uint32_t AccessLifter::typed_flags() const {
  std::uint32_t flags = 0;
  if (v_.op->type == LsType::u32) flags |= ir::CallFlags::is_unsigned;
  const bool has_table = v_.op->does == LsMeaning::attribute || v_.op->does == LsMeaning::varying ||
                         v_.op->does == LsMeaning::store_varying;
  if (v_.op->type == LsType::bits || (has_table && get(v_.word, ls::auto32) != 0)) flags |= ir::CallFlags::raw;
  return flags;
}

/// 16-bit elements come in pairs (3.8): four of them are the words x and y.
void AccessLifter::load_typed(Call call) {
  call.type = element_type(v_.op->type);
  call.flags |= typed_flags();
  load(call, words_of(call.type));
}

void AccessLifter::load_varying() {
  const auto bit = [&](const Field& field, std::uint32_t meaning) { return get(v_.word, field) != 0 ? meaning : 0; };
  using In = ir::Interpolation;
  Call call{.service = Service::varying, .type = element_type(v_.op->type), .args = {number()}};
  call.flags = typed_flags();
  call.index = bit(vary::flat, In::flat);
  if (call.index == 0) {
    call.index =
        bit(vary::perspective, In::perspective) | bit(vary::centroid, In::centroid) | bit(vary::sample, In::sample);
  }
  const auto modifier = static_cast<unsigned>(get(v_.word, vary::modifier));
  if (modifier == 0 || lanes() == 0) {
    load(call, words_of(call.type));
    return;
  }
  call.count = 4;
  call.data = b_.temporary(Type::i32, 4);
  b_.call(call);
  if (modifier <= vary_divide_w) {
    yield_words(divided(call.data, call.type, modifier), words_of(call.type));
  } else {
    yield_cube_descriptor(call.data, call.type);
  }
}

/// (x, y, z, w) / divisor, with 1 in the divisor's place. Integers are treated as floats: the operation is
/// defined for floats.
Operand AccessLifter::divided(Operand data, Type type, unsigned divisor) {
  const Type number = ir::is_float(type) ? type : Type::f32;
  const std::uint32_t bytes = ir::bytes_of(number);
  const Operand result = b_.temporary(number, 4);
  const Operand reciprocal = b_.unary(Op::frcp, number, data.plus(divisor * bytes));
  for (unsigned i = 0; i < 4; ++i) {
    const Operand to = result.plus(i * bytes);
    if (i == divisor) {
      b_.emit(Op::mov, ir::as_integer(number), to, b_.constant(number, number == Type::f16 ? 0x3C00 : 0x3F800000));
    } else {
      b_.emit(Op::fmul, number, to, data.plus(i * bytes), reciprocal);
    }
  }
  return result;
}

void AccessLifter::yield_cube_descriptor(Operand data, Type type) {
  std::array<Operand, 3> xyz;
  for (unsigned i = 0; i < 3; ++i) {
    const Operand element = data.plus(i * ir::bytes_of(type));
    xyz[i] = type == Type::f16 ? b_.convert(Op::f2f, Type::f32, Type::f16, element) : element;
  }
  const CubeDescriptor descriptor = cube_descriptor(b_, xyz[0], xyz[1], xyz[2]);
  result_[0] = descriptor.s_and_face;
  result_[1] = descriptor.t;
}

/// Coordinates are 16-bit numbers in one or (toggle) two words (4.5).
void AccessLifter::set_texel(Call& call) {
  const auto half = [&](Operand packed, unsigned which) {
    return b_.convert(Op::zext, Type::i32, Type::i16, packed.plus(2 * which));
  };
  call.args = {number(), half(argument(), 0), half(argument(), 1), b_.constant_u32(0)};
  if (v_.toggle) call.args[3] = half(word(v_.arg, v_.arg_component + 1), 0);
}

void AccessLifter::load_image() {
  Call call{.service = Service::load_image};
  if (lanes() == 0) return;
  set_texel(call);
  load_typed(call);
}

void AccessLifter::set_tile(Call& call) {
  const auto target = static_cast<unsigned>(get(v_.word, ls::tile_target));
  if (target == tile_depth) call.flags = ir::CallFlags::depth;
  if (target == tile_stencil) call.flags = ir::CallFlags::stencil;
  const auto sample = static_cast<std::uint32_t>(get(v_.word, ls::tile_sample));
  call.args = {b_.constant_u32(target),
               get(v_.word, ls::tile_sample_register) != 0 ? argument() : b_.constant_u32(sample)};
}

void AccessLifter::load_tile() {
  Call call{.service = Service::load_tile};
  set_tile(call);
  load_typed(call);
}

void AccessLifter::store_tile() {
  Call call{.service = Service::store_tile};
  set_tile(call);
  store_typed(call);
}

/// The byte offset wraps at 32 bits (2.10).
void AccessLifter::load_uniform() {
  Call call{.service = Service::load_uniform,
            .args = {plus(Type::i32, index_value(), get_signed(v_.word, ls::ubo_offset))}};
  if (get(v_.word, ls::ubo_register) != 0) {
    call.args[1] = argument();
  } else {
    call.index = static_cast<std::uint32_t>(get(v_.word, ls::ubo_immediate));
  }
  load_bytes(call);
}

// ---- results made here

void AccessLifter::compute_address() {
  const Operand held = b_.unary(Op::mov, Type::i64, address());
  yield_words(held, 2);
}

void AccessLifter::compute_texel_address() {
  Call call{.service = Service::image_address, .type = Type::i64, .data = b_.temporary(Type::i64)};
  set_texel(call);
  b_.call(call);
  yield_words(call.data, 2);
}

void AccessLifter::copy_argument() {
  for (unsigned i = 0; i < 4; ++i) result_[i] = b_.unary(Op::mov, Type::i32, word(v_.arg, i));
}

void AccessLifter::divide_argument() {
  const Type type = v_.toggle ? Type::f32 : Type::f16;
  constexpr unsigned identity = 0xE4;
  const Operand data = gathered(v_.arg, identity, words_of(type));
  yield_words(divided(data, type, v_.op->divisor), words_of(type));
}

void AccessLifter::make_cube_descriptor() {
  const Type type = v_.toggle ? Type::f32 : Type::f16;
  constexpr unsigned identity = 0xE4;
  yield_cube_descriptor(gathered(v_.arg, identity, words_of(type)), type);
}

// ---- memory

void AccessLifter::atomic() {
  const Type type = v_.op->bytes == 8 ? Type::i64 : Type::i32;
  Call call{.service = Service::atomic, .type = type, .data = b_.temporary(type)};
  call.index = static_cast<std::uint32_t>(v_.op->atomic);
  if (v_.op->swap != 0) call.flags = ir::CallFlags::big_endian;
  call.args = {address(), typed(type, static_cast<unsigned>(get(v_.word, ls::atomic_operand)),
                                static_cast<unsigned>(get(v_.word, ls::atomic_component)))};
  if (v_.op->is_exchange()) call.args[2] = typed(type, v_.index, v_.index_component);
  b_.call(call);
  yield_words(call.data, v_.op->bytes / 4);
}

/// One mask bit is a quarter of the access, a byte at least (3.8).
void AccessLifter::store_bytes() {
  const unsigned bytes = v_.op->bytes, unit = std::max(1u, bytes / 4), units = bytes / unit;
  const unsigned mask = v_.mask & ((1u << units) - 1);
  if (mask == 0) return;
  const Operand data = swapped(gathered(v_.reg, v_.swizzle, (bytes + 3) / 4), bytes);
  const Operand to = address();
  if (mask == (1u << units) - 1) {
    const Type type = integer_type(8 * std::min(4u, bytes));
    const auto count = static_cast<std::uint8_t>(bytes / ir::bytes_of(type));
    return b_.call({.service = Service::store_memory, .type = type, .count = count, .data = data, .args = {to}});
  }
  for (unsigned first = 0; first < units;) {
    const auto count = static_cast<unsigned>(std::countr_one(mask >> first));
    if (count != 0) {
      b_.call({.service = Service::store_memory,
               .type = integer_type(8 * unit),
               .count = static_cast<std::uint8_t>(count),
               .data = data.plus(first * unit),
               .args = {plus(Type::i64, to, first * unit)}});
    }
    first += std::max(1u, count);
  }
}

void AccessLifter::store_typed(Call call) {
  call.type = element_type(v_.op->type);
  call.count = 4;
  call.flags |= typed_flags();
  call.data = gathered(v_.reg, v_.swizzle, words_of(call.type));
  b_.call(call);
}

void AccessLifter::store_image() {
  Call call{.service = Service::store_image};
  set_texel(call);
  store_typed(call);
}

// ---- what the semantics rest on

void AccessLifter::note_doubts() const {
  constexpr std::string_view cube_layout = ": the layout of cube descriptors is unpublished",
                             division = ": how the division is rounded is unpublished";
  const std::string what = describe(v_);
  const bool loads = !form_of(v_.op->does).stores;
  if (loads && !state::is_destination(v_.reg)) context_.unknown(what + " writes a register without a known meaning");
  switch (v_.op->does) {
    case LsMeaning::cubemap:
      return context_.unknown(what + std::string(cube_layout));
    case LsMeaning::perspective:
      return context_.unknown(what + std::string(division));
    case LsMeaning::varying: {
      note_table_doubts(what);
      const auto modifier = get(v_.word, vary::modifier);
      if (modifier == vary_cube) context_.unknown(what + std::string(cube_layout));
      if (modifier != 0 && modifier != vary_cube) context_.unknown(what + std::string(division));
      if (modifier != 0 && !is_float(v_.op->type)) context_.unknown(what + ": division of integers; treated as floats");
      if (v_.arg != selector_zero || get(v_.word, vary::position_bit) != 0) {
        context_.unknown(what + ": sample positions are not modelled; the parameters in a register are ignored");
      }
      return;
    }
    case LsMeaning::attribute:
    case LsMeaning::store_varying:
      return note_table_doubts(what);
    case LsMeaning::ubo:
      if (get(v_.word, ls::ubo_register) != 0) context_.inferred(what + ": the buffer number comes from the argument");
      return;
    case LsMeaning::nop:
    case LsMeaning::pack:
    case LsMeaning::unpack:
    case LsMeaning::lea:
    case LsMeaning::lea_image:
    case LsMeaning::move:
    case LsMeaning::atomic:
    case LsMeaning::load:
    case LsMeaning::store:
    case LsMeaning::load_special:
    case LsMeaning::load_image:
    case LsMeaning::load_tile:
    case LsMeaning::store_image:
    case LsMeaning::store_special:
    case LsMeaning::store_tile:
    case LsMeaning::trap:
      return;
  }
}

void AccessLifter::note_table_doubts(const std::string& what) const {
  const bool is_secondary = get(v_.word, ls::secondary) != 0;
  if (is_secondary != (v_.op->does != LsMeaning::attribute)) {
    context_.unknown(what + ": the other descriptor table is treated as the usual one");
  }
  if (get(v_.word, ls::auto32) != 0 && !context_.product.auto32) {
    context_.unknown(what + ": .a32 is broken on " + std::string(context_.product.marketing));
  }
}

}  // namespace

std::string load_store_fault(const BundleContext& context) {
  for (const LsView& v : views(context.bundle)) {
    if (std::string fault = instruction_fault(context, v); !fault.empty()) return fault;
  }
  return {};
}

void lift_load_store(const BundleContext& context) {
  const std::array<LsView, 2> both = views(context.bundle);
  const auto may_land = [&](unsigned i) {
    const bool is_input = both[i].reg >= register_load_store0 && both[i].reg <= register_texture1;
    return !is_input || both[1 - i].is_noop();
  };
  AccessLifter first(context, both[0], may_land(0)), second(context, both[1], may_land(1));
  first.access();
  second.access();
  first.write_back();
  second.write_back();
}

}  // namespace mobula::midgard
