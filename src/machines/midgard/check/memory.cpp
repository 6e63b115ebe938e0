// Rules of load/store and texture words.
#include <bit>

#include "core/counted.h"
#include "machines/midgard/check/report.h"
#include "machines/midgard/spec/operands.h"

namespace mobula::midgard {
namespace {

constexpr unsigned selector_constant_zero = 7, selector_local = 3;

/// One of the two instructions of a load/store word.
struct Slot {
  std::uint64_t word = ls_noop;
  unsigned at = 0;  ///< its bit in the bundle
  const LsOp* op = nullptr;
  LsForm form;

  [[nodiscard]] unsigned field(const Field& row) const { return static_cast<unsigned>(get(word, row)); }
  [[nodiscard]] bool does(LsMeaning meaning) const { return op != nullptr && op->does == meaning; }
  [[nodiscard]] bool is_auto32() const { return form.uses_table && field(ls::auto32) != 0; }
  /// True if the index is a register.
  [[nodiscard]] bool indexed() const { return field(ls::index) != selector_constant_zero; }
  [[nodiscard]] std::string name() const {
    return op != nullptr ? std::string(op->name) : "operation " + capital_hexadecimal(field(ls::op));
  }
};

Slot slot_of(const Bundle& bundle, const Field& field) {
  Slot slot{.word = get(bundle.word, field), .at = field.low};
  slot.op = find_ls_op(slot.field(ls::op));
  if (slot.op != nullptr) slot.form = form_of(slot.op->does);
  return slot;
}

Touched written_by(const Slot& slot) {
  if (!slot.form.writes) return {};
  Touched touched{.reg = static_cast<std::uint8_t>(slot.field(ls::reg))};
  for (unsigned lane = 0; lane < 4; ++lane)
    if (slot.field(ls::mask) >> lane & 1) touched.bytes |= static_cast<Bytes>(15u << (4 * lane));
  return touched;
}

/// Bytes of r26 and r27 that an instruction reads.
struct Inputs {
  std::array<Bytes, 2> bytes{};

  void add(unsigned selector, unsigned component, bool wide = false) {
    if (selector < 2) bytes[selector] |= static_cast<Bytes>((wide ? 255u : 15u) << (4 * component));
  }
  void add_swizzled(unsigned selector, unsigned swizzle) {
    for (unsigned lane = 0; lane < 4; ++lane) add(selector, swizzle >> (2 * lane) & 3);
  }
  /// The first `count` elements.
  void add_elements(unsigned selector, unsigned count, bool is_32_bit) {
    if (selector < 2) bytes[selector] |= static_cast<Bytes>(low_mask(count * (is_32_bit ? 4 : 2)));
  }
};

Inputs inputs_of(const Slot& slot) {
  Inputs inputs;
  if (slot.op == nullptr) return inputs;
  const bool toggle = slot.field(ls::toggle) != 0;
  const unsigned argument = slot.field(ls::arg), component = slot.field(ls::arg_component);
  if (slot.form.stores) inputs.add_swizzled(slot.field(ls::reg), slot.field(ls::swizzle));
  switch (slot.op->does) {
    case LsMeaning::nop:
    case LsMeaning::trap:
      return inputs;
    case LsMeaning::pack:
    case LsMeaning::unpack:
    case LsMeaning::move:
      inputs.add_swizzled(argument, slot.field(ls::swizzle));
      return inputs;
    // The swizzle of these two is the result's.
    case LsMeaning::cubemap:
      inputs.add_elements(argument, 3, toggle);
      return inputs;
    case LsMeaning::perspective:
      inputs.add_elements(argument, 4, toggle);
      return inputs;
    case LsMeaning::load_tile:
    case LsMeaning::store_tile:
      if (slot.field(ls::tile_sample_register) != 0) inputs.add(argument, component);
      return inputs;
    case LsMeaning::ubo:
      if (slot.field(ls::ubo_register) != 0) inputs.add(argument, component);
      break;
    case LsMeaning::attribute:
      if (toggle) inputs.add(argument, component);
      break;
    case LsMeaning::atomic: {
      const bool is_64_bit = slot.op->bytes == 8;
      inputs.add(slot.field(ls::atomic_operand), slot.field(ls::atomic_component), is_64_bit);
      inputs.add(argument, component, toggle);
      if (!slot.op->is_exchange()) break;
      // The index is the value that memory is compared with.
      inputs.add(slot.field(ls::index), slot.field(ls::index_component), is_64_bit);
      return inputs;
    }
    case LsMeaning::lea:
    case LsMeaning::lea_image:
    case LsMeaning::load:
    case LsMeaning::load_image:
    case LsMeaning::store:
    case LsMeaning::store_image:
      inputs.add(argument, component, toggle);
      break;
    case LsMeaning::varying:
    case LsMeaning::load_special:
    case LsMeaning::store_varying:
    case LsMeaning::store_special:
      inputs.add(argument, component);
      break;
  }
  constexpr unsigned format_u64 = 1;
  inputs.add(slot.field(ls::index), slot.field(ls::index_component),
             slot.form.has_address && slot.field(ls::index_format) == format_u64);
  return inputs;
}

// ------------------------------------------------------------------------------------------------ load/store

class LoadStoreChecker {
 public:
  LoadStoreChecker(Report& report, const Bundle& bundle)
      : report_(report), bundle_(bundle), slots_{slot_of(bundle, ldst::first), slot_of(bundle, ldst::second)} {}

  void run();

 private:
  void add(RuleId id, const Slot& slot, const Field& field, const std::string& found) {
    report_.add(id, bundle_, bits_of(field, slot.at), slot.name() + ": " + found);
  }
  void check_slot(const Slot& slot);
  void check_reserved(const Slot& slot);
  void check_registers(const Slot& slot);
  void check_address(const Slot& slot);
  void check_range(const Slot& slot);
  void check_product(const Slot& slot);
  void check_special(const Slot& slot);
  void check_pair();

  Report& report_;
  const Bundle& bundle_;
  std::array<Slot, 2> slots_;
};

void LoadStoreChecker::check_reserved(const Slot& slot) {
  const auto zero = [&](const Field& field) {
    if (slot.field(field) != 0)
      add(RuleId::reserved_bits, slot, field,
          std::string(field.name) + " is " + capital_hexadecimal(slot.field(field)));
  };
  if (slot.does(LsMeaning::ubo)) zero(ls::ubo_unknown);
  if (slot.does(LsMeaning::atomic)) zero(ls::atomic_unknown);
  if (slot.does(LsMeaning::varying)) zero(vary::unknown_49);
  if (slot.does(LsMeaning::nop) && slot.word != ls_noop)
    report_.add(RuleId::reserved_bits, bundle_, {slot.at + ls::op.width, ls::format.width - ls::op.width},
                slot.name() + ": the other fields are not zero");
  else if (!slot.form.uses_toggle)
    zero(ls::toggle);
}

void LoadStoreChecker::check_registers(const Slot& slot) {
  const unsigned reg = slot.field(ls::reg);
  if (slot.form.stores) {
    if (reg > selector_constant_zero)
      add(RuleId::store_selector, slot, ls::reg, "the source is " + std::to_string(reg));
    return;
  }
  if (!slot.form.writes || slot.field(ls::mask) == 0) return;
  if (reg == register_tmp0 || reg == register_tmp1 || reg == register_unknown || reg == register_condition)
    add(RuleId::load_destination, slot, ls::reg, "the destination is " + register_name(reg));
  if ((reg == register_texture0 || reg == register_texture1) && report_.product.interpipe_aliasing)
    add(RuleId::aliased_register, slot, ls::reg, "the destination is " + register_name(reg));
  if (const auto broken = register_rule(report_, reg, true))
    add(*broken, slot, ls::reg, register_name(reg) + " is written");
}

void LoadStoreChecker::check_address(const Slot& slot) {
  if (!slot.form.has_address) return;
  const bool indexed = slot.indexed() && !slot.op->is_exchange();
  if (indexed && slot.field(ls::index_format) == 0)
    add(RuleId::index_format, slot, ls::index_format, "the index format is 0 (reserved)");
  const auto odd = [&](const Field& component) {
    if ((slot.field(component) & 1) != 0)
      add(RuleId::wide_pointer, slot, component,
          "64 bits starting at component " + std::to_string(slot.field(component)));
  };
  constexpr unsigned format_u64 = 1;
  if (slot.field(ls::toggle) != 0 && slot.field(ls::arg) != selector_constant_zero) odd(ls::arg_component);
  if (indexed && slot.field(ls::index_format) == format_u64) odd(ls::index_component);
}

/// Accesses whose offset from an aligned base is known: uniform buffers, local memory and absolute addresses.
void LoadStoreChecker::check_range(const Slot& slot) {
  const bool memory = slot.does(LsMeaning::load) || slot.does(LsMeaning::store) || slot.does(LsMeaning::atomic);
  if ((!memory && !slot.does(LsMeaning::ubo)) || slot.indexed()) return;
  const Field& field = memory ? ls::offset : ls::ubo_offset;
  const std::int64_t first = get_signed(slot.word, field), end = first + slot.op->bytes;
  const bool local = memory && slot.field(ls::arg) == selector_local;
  const bool aligned_base = slot.does(LsMeaning::ubo) || local || slot.field(ls::arg) == selector_constant_zero;
  if (report_.product.unaligned_access_fails && aligned_base && (first & 15) + slot.op->bytes > 16)
    add(RuleId::unaligned, slot, field,
        counted(slot.op->bytes, "byte") + " at offset " + std::to_string(first) + " cross a multiple of 16");
  if (!local) return;
  const bool shared = slot.field(ls::arg_component) >= 2;
  const Interface& interface = report_.program.interface;
  const std::optional<std::uint32_t> size = shared ? interface.workgroup_local_bytes : interface.thread_local_bytes;
  if (size && (first < 0 || end > std::int64_t{*size}))
    add(RuleId::local_range, slot, field,
        std::string(shared ? "workgroup" : "thread") + "-local bytes " + std::to_string(first) + " to " +
            std::to_string(end - 1) + " of " + std::to_string(*size));
}

void LoadStoreChecker::check_product(const Slot& slot) {
  const Product& product = report_.product;
  const auto add_product = [&](RuleId id, const Field& field) {
    add(id, slot, field, "used on " + std::string(product.marketing));
  };
  if (slot.is_auto32() && !product.auto32) add_product(RuleId::auto32_product, ls::auto32);
  const bool tile = slot.does(LsMeaning::load_tile) || slot.does(LsMeaning::store_tile);
  if (tile && !product.tilebuffer) add_product(RuleId::tilebuffer_product, ls::op);
  if (slot.does(LsMeaning::lea_image) && !product.lea_image) add_product(RuleId::lea_image_product, ls::op);
}

void LoadStoreChecker::check_special(const Slot& slot) {
  if (slot.does(LsMeaning::varying) && slot.field(vary::modifier) > 4)
    add(RuleId::varying_modifier, slot, vary::modifier,
        "the modifier is " + std::to_string(slot.field(vary::modifier)));
  if (slot.does(LsMeaning::ubo) && slot.field(ls::ubo_register) != 0)
    add(RuleId::ubo_register, slot, ls::ubo_register, "the buffer number is taken from a register");
  if (!slot.does(LsMeaning::load_special) || slot.indexed()) return;
  const std::int64_t selector = get_signed(slot.word, ls::table_offset);
  constexpr std::int64_t typed = 0x01, raw = 0x10, sample_mask = 0x60, sample_id = 0x61;
  if (selector == typed && report_.product.broken_blend_loads)
    add(RuleId::typed_framebuffer, slot, ls::table_offset, "selector 0x1 on " + std::string(report_.product.marketing));
  if (selector != typed && selector != raw && selector != sample_mask && selector != sample_id)
    add(RuleId::special_selector, slot, ls::table_offset, "selector " + std::to_string(selector));
}

void LoadStoreChecker::check_slot(const Slot& slot) {
  if (slot.op == nullptr) {
    add(RuleId::ls_op, slot, ls::op, "the operation is unassigned");
    return;
  }
  check_reserved(slot);
  check_registers(slot);
  check_address(slot);
  check_range(slot);
  check_product(slot);
  check_special(slot);
}

void LoadStoreChecker::check_pair() {
  const Touched written[2] = {written_by(slots_[0]), written_by(slots_[1])};
  if (written[0].reg == written[1].reg && (written[0].bytes & written[1].bytes) != 0)
    add(RuleId::ls_overlap, slots_[1], ls::mask, "both operations write " + register_name(written[0].reg));
  for (unsigned i = 0; i < 2; ++i) {
    const Inputs inputs = inputs_of(slots_[1 - i]);
    const unsigned input = written[i].reg - register_load_store0;
    if (input < 2 && (inputs.bytes[input] & written[i].bytes) != 0)
      add(RuleId::ls_dependency, slots_[1 - i], ls::op,
          "it reads " + register_name(written[i].reg) + ", which " + slots_[i].name() + " of the same word writes");
    const bool is_stored = slots_[i].does(LsMeaning::store_varying) && slots_[i].is_auto32();
    const bool same_kind = slots_[1 - i].does(LsMeaning::store_varying) && slots_[1 - i].is_auto32();
    if (is_stored && !same_kind && slots_[1 - i].word != ls_noop)
      add(RuleId::auto32_pair, slots_[i], ls::op, "it is paired with " + slots_[1 - i].name());
  }
}

void LoadStoreChecker::run() {
  for (const Slot& slot : slots_) check_slot(slot);
  check_pair();
}

// ------------------------------------------------------------------------------------------------ texture

/// Where an instruction that moves a value takes the given bytes of it from.
Touched moved_from(AluInstruction move, Bytes bytes) {
  if (info(move.unit).vector) {
    unsigned mask = 0;
    for (unsigned bit = 1; bit <= get(move.word, vec::mask); bit <<= 1) {
      AluInstruction part = move;
      set(part.word, vec::mask, get(move.word, vec::mask) & bit);
      if ((destination_bytes(part).bytes & bytes) != 0) mask |= bit;
    }
    set(move.word, vec::mask, mask);
  }
  return source_bytes(move, 2);
}

constexpr bool clamps(AluMeaning does) {
  return does == AluMeaning::fmin || does == AluMeaning::fmin_nan || does == AluMeaning::fmax ||
         does == AluMeaning::fmax_nan;
}
constexpr bool moves(AluMeaning does) { return does == AluMeaning::fmov || does == AluMeaning::imov; }

/// True if the value is a minimum or a maximum, moved or not, in the words before as they are in memory.
bool is_clamped(std::span<const Bundle> preceding, Touched value) {
  for (auto word = preceding.rbegin(); word != preceding.rend(); ++word) {
    unsigned read_before = 3;  // the stage; what it reads was written in an earlier one
    const std::span<const AluInstruction> all = word->alu_instructions();
    for (auto instruction = all.rbegin(); instruction != all.rend(); ++instruction) {
      const Touched written = destination_bytes(*instruction);
      const unsigned stage = info(instruction->unit).stage;
      if (stage >= read_before || written.reg != value.reg || (value.bytes & ~written.bytes) != 0) continue;
      const AluOp* op = find_alu_op(opcode_of(*instruction));
      if (op == nullptr || !moves(op->does)) return op != nullptr && clamps(op->does);
      value = moved_from(*instruction, value.bytes);
      // A constant, or a register that another pipe writes.
      if (value.bytes == 0 || value.reg >= register_constants) return false;
      read_before = stage;
    }
    if (value.reg == register_tmp0 || value.reg == register_tmp1) return false;
    if (word->form != Bundle::Form::load_store) continue;
    for (const Field* field : {&ldst::first, &ldst::second})
      if (const Touched loaded = written_by(slot_of(*word, *field));
          loaded.reg == value.reg && (loaded.bytes & value.bytes) != 0)
        return false;
  }
  return false;
}

class TextureChecker {
 public:
  TextureChecker(Report& report, const Bundle& bundle)
      : report_(report), bundle_(bundle), op_(static_cast<TexMeaning>(field(tex::op))) {}

  void run(std::span<const Bundle> preceding, std::span<const Bundle> following);

 private:
  [[nodiscard]] unsigned field(const Field& row) const { return static_cast<unsigned>(get(bundle_.word, row)); }
  [[nodiscard]] Touched lod_component() const;
  void add(RuleId id, const Field& row, const std::string& found) { report_.add(id, bundle_, bits_of(row), found); }
  void add(RuleId id, const Field& inner, const Field& outer, const std::string& found) {
    report_.add(id, bundle_, bits_of(inner, outer.low), found);
  }

  void check_operation();
  void check_explicit_lod(std::span<const Bundle> preceding);
  void check_tag();
  void check_operands();
  void check_select(const Field& row);
  void check_offset();
  void check_reserved();
  void check_result(std::span<const Bundle> following);

  Report& report_;
  const Bundle& bundle_;
  TexMeaning op_;
};

void TextureChecker::check_operation() {
  const unsigned mode = field(tex::mode), type = field(tex::sampler_type);
  if (field(tex::exec) == 0) add(RuleId::execution, tex::exec, "the partial execution mode is 0 (reserved)");
  const bool known =
      op_ == TexMeaning::derivative ? mode <= 1 : mode == 1 || mode == 5 || mode == 6 || (mode >= 8 && mode <= 11);
  if ((is_lookup(op_) || op_ == TexMeaning::derivative) && !known)
    add(RuleId::texture_mode, tex::mode, "the mode is " + std::to_string(mode));
  const bool untyped = op_ == TexMeaning::move || op_ == TexMeaning::barrier;
  if (untyped != (type == 0))
    add(RuleId::sampler_type, tex::sampler_type, "the sampler type is " + std::to_string(type));
  constexpr unsigned type_float = 1;
  if (type != type_float && field(tex::outmod) != 0)
    add(RuleId::texture_outmod, tex::outmod, "the output modifier is " + std::to_string(field(tex::outmod)));
  if (op_ == TexMeaning::derivative && std::popcount(field(tex::mask)) > 2)
    add(RuleId::derivative_lanes, tex::mask, "the mask is " + capital_hexadecimal(field(tex::mask)));
}

void TextureChecker::check_explicit_lod(std::span<const Bundle> preceding) {
  if (op_ != TexMeaning::gradient || !report_.product.broken_lod) return;
  if (field(tex::lod_register) != 0 && is_clamped(preceding, lod_component())) return;
  add(RuleId::broken_lod, tex::op, "TEX_GRAD on " + std::string(report_.product.marketing));
}

/// The register an LOD comes from, as arithmetic writes it.
Touched TextureChecker::lod_component() const {
  const unsigned select = field(tex::lod_fraction);
  const bool full = get(select, texselect::full) != 0, upper = get(select, texselect::upper) != 0;
  const auto component = static_cast<unsigned>(get(select, texselect::component));
  const unsigned first = report_.product.interpipe_aliasing ? register_load_store0 : register_texture0;
  return {.reg = static_cast<std::uint8_t>(first + get(select, texselect::select)),
          .bytes = static_cast<Bytes>(full ? 15u << (4 * component) : 3u << (2 * component + (upper ? 8 : 0)))};
}

void TextureChecker::check_tag() {
  const Stage stage = report_.program.interface.stage;
  if ((op_ == TexMeaning::barrier) != (bundle_.tag == tag_barrier)) {
    add(RuleId::barrier_tag, tex::tag,
        "operation " + std::to_string(opcode_of(op_)) + " under " + tag_name(bundle_.tag));
    return;
  }
  if (op_ == TexMeaning::barrier) {
    if (stage == Stage::vertex || stage == Stage::fragment)
      add(RuleId::barrier_stage, tex::op, "a barrier outside a compute shader");
    return;
  }
  if (op_ == TexMeaning::fetch) {
    if (bundle_.tag != tag_texture_vertex) add(RuleId::fetch_tag, tex::tag, "a fetch under " + tag_name(bundle_.tag));
    return;
  }
  const bool implicit = op_ == TexMeaning::sample || op_ == TexMeaning::derivative;
  const bool misplaced = (stage == Stage::fragment && implicit && bundle_.tag == tag_texture_vertex) ||
                         ((stage == Stage::vertex || stage == Stage::compute) && bundle_.tag == tag_texture);
  if (misplaced)
    add(RuleId::quad_tag, tex::tag, "operation " + std::to_string(opcode_of(op_)) + " under " + tag_name(bundle_.tag));
}

/// A register select byte of LOD, sampler or texture number.
void TextureChecker::check_select(const Field& row) {
  const unsigned select = field(row);
  if (get(select, texselect::full) != 0 && get(select, texselect::upper) != 0)
    add(RuleId::half_of_full, texselect::upper, row, "full and upper are both set");
  constexpr unsigned unknown = texselect::unknown_5.low;
  if (select >> unknown != 0)
    report_.add(RuleId::reserved_bits, bundle_, {row.low + unknown, row.width - unknown},
                "the upper bits of a register select are not zero");
}

void TextureChecker::check_operands() {
  if (field(tex::in_full) != 0 && field(tex::in_upper) != 0)
    add(RuleId::half_of_full, tex::in_upper, "full and upper are both set");
  if (field(tex::out_full) != 0 && field(tex::out_upper) != 0)
    add(RuleId::half_of_full, tex::out_upper, "full and upper are both set");
  if (field(tex::sampler_register) != 0) check_select(tex::sampler);
  if (field(tex::texture_register) != 0) check_select(tex::texture);
  if (field(tex::lod_register) != 0) check_select(tex::lod_fraction);
  check_offset();
}

void TextureChecker::check_offset() {
  const unsigned offset = field(tex::offset);
  if (field(tex::offset_register) != 0) {
    if (get(offset, texoffsetreg::full) != 0 && get(offset, texoffsetreg::upper) != 0)
      add(RuleId::half_of_full, texoffsetreg::upper, tex::offset, "full and upper are both set");
    if (get(offset, texoffsetreg::unknown_11) != 0)
      add(RuleId::reserved_bits, texoffsetreg::unknown_11, tex::offset, "bit 11 of the register offset is set");
    return;
  }
  if (op_ == TexMeaning::fetch) return;
  for (const Field* part : {&texoffset::x, &texoffset::y, &texoffset::z})
    if (get_signed(offset, *part) < 0)
      add(RuleId::offset_range, *part, tex::offset,
          "the " + std::string(part->name) + " offset is " + std::to_string(get_signed(offset, *part)));
}

void TextureChecker::check_reserved() {
  for (const Field* row : {&tex::unknown_35, &tex::unknown_60})
    if (field(*row) != 0)
      add(RuleId::reserved_bits, *row, std::string(row->name) + " is " + capital_hexadecimal(field(*row)));
  if ((op_ == TexMeaning::fetch || field(tex::lod_register) != 0) && field(tex::lod_integer) != 0)
    add(RuleId::reserved_bits, tex::lod_integer,
        "the integer LOD byte is " + capital_hexadecimal(field(tex::lod_integer)));
}

/// True if a word that runs beside the lookup reads or writes bytes of its result.
bool touches(const Bundle& bundle, const Touched& result, bool aliasing) {
  const auto same = [&](const Touched& other) { return other.reg == result.reg && (other.bytes & result.bytes) != 0; };
  for (const AluInstruction& instruction : bundle.alu_instructions()) {
    if (same(source_bytes(instruction, 1)) || same(source_bytes(instruction, 2))) return true;
    // r28 and r29 are written as inputs, which are other registers.
    if (aliasing && same(destination_bytes(instruction))) return true;
  }
  if (bundle.form != Bundle::Form::load_store || !aliasing) return false;
  return same(written_by(slot_of(bundle, ldst::first))) || same(written_by(slot_of(bundle, ldst::second)));
}

void TextureChecker::check_result(std::span<const Bundle> following) {
  const bool aliasing = report_.product.interpipe_aliasing, full = field(tex::out_full) != 0;
  const unsigned count = field(tex::out_of_order);
  Touched result{.reg = static_cast<std::uint8_t>((aliasing ? 0 : register_texture0) + field(tex::out_select))};
  for (unsigned lane = 0; lane < 4; ++lane)
    if (field(tex::mask) >> lane & 1)
      result.bytes |= full ? static_cast<Bytes>(15u << (4 * lane))
                           : static_cast<Bytes>(3u << (2 * lane + (field(tex::out_upper) != 0 ? 8 : 0)));
  if (aliasing && op_ != TexMeaning::barrier && result.bytes != 0)
    if (const auto broken = register_rule(report_, result.reg, true))
      add(*broken, tex::out_select, "the lookup writes " + register_name(result.reg));
  if (count == 0) return;
  if (!report_.product.out_of_order) {
    add(RuleId::overtaking_product, tex::out_of_order,
        "the count is " + std::to_string(count) + " on " + std::string(report_.product.marketing));
    return;
  }
  for (std::size_t i = 0; i < count && i < following.size(); ++i) {
    if (following[i].form != Bundle::Form::alu && following[i].form != Bundle::Form::load_store) return;
    if (touches(following[i], result, aliasing)) {
      add(RuleId::overtaking_hazard, tex::out_of_order,
          "the count is " + std::to_string(count) + " but word " + std::to_string(i + 1) + " from here touches " +
              register_name(result.reg));
      return;
    }
  }
}

void TextureChecker::run(std::span<const Bundle> preceding, std::span<const Bundle> following) {
  if (find_tex_op(op_) == nullptr) return add(RuleId::tex_op, tex::op, "operation " + std::to_string(opcode_of(op_)));
  check_operation();
  check_explicit_lod(preceding);
  check_tag();
  check_operands();
  check_reserved();
  check_result(following);
}

}  // namespace

void check_load_store(Report& report, const Bundle& bundle) { LoadStoreChecker(report, bundle).run(); }

void check_texture(Report& report, const Bundle& bundle, std::span<const Bundle> preceding,
                   std::span<const Bundle> following) {
  TextureChecker(report, bundle).run(preceding, following);
}

}  // namespace mobula::midgard
