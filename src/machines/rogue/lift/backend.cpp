#include "machines/rogue/lift/backend.h"

#include <algorithm>

#include "core/counted.h"
#include "machines/rogue/lift/fence.h"
#include "machines/rogue/lift/iterate.h"
#include "machines/rogue/lift/memory.h"
#include "machines/rogue/lift/pack.h"
#include "machines/rogue/lift/texture.h"
#include "machines/rogue/lift/visibility.h"
#include "machines/rogue/spec/pixel_formats.h"

namespace mobula::rogue::lifting {
namespace {

constexpr unsigned vertex_outputs = 256;

Operand port(const GroupContext& context, const Item& item) {
  return item.get(F::dsel) == 0 ? context.state.w0 : context.state.w1;
}

void store_output(GroupContext& context, Operand value, Operand number, unsigned component) {
  context.b.call({.service = ir::Service::store_varying, .index = component, .data = value, .args = {number}});
}

/// Four vertex outputs are a varying: output 4 n + c is its component c.
void write_output(GroupContext& context, const Item& item, const BackendSources& sources) {
  ir::Builder& b = context.b;
  if (item.form->find(F::imm_addr) != nullptr) {
    const unsigned address = item.get(F::imm_addr) + context.pass;
    return store_output(context, port(context, item), b.constant_u32(address / 4), address % 4);
  }
  const Operand address = sources.slots[item.get(F::srcsel)];
  context.trap_where(context.i32(Op::ile_u, b.constant_u32(vertex_outputs), address),
                     "there are " + std::to_string(vertex_outputs) + " vertex outputs");
  const Operand number = context.i32(Op::ilsr, address, b.constant_u32(2));
  const Operand component = context.i32(Op::iand, address, b.constant_u32(3));
  const Operand is_there = context.i32(Op::ilt_u, address, b.constant_u32(vertex_outputs));
  for (unsigned i = 0; i < 4; ++i) {
    const Operand is_meant = context.i32(Op::ieq, component, b.constant_u32(i));
    b.emit(Op::enable, Type::i32, {}, context.i32(Op::iand, is_meant, is_there));
    store_output(context, port(context, item), number, i);
    b.emit(Op::enable, Type::i32, {});
    context.mask();
  }
}

/// setl: the link is kept as a byte address, W0 counts 16-bit units.
void set_link(GroupContext& context, const Item& item) {
  const Operand units = item.get(F::ressel) == 0 ? context.state.w0 : context.state.w1;
  context.keep(context.state.link, context.i32(Op::ishl, units, context.b.constant_u32(1)));
}

/// phas: the phase at the address in a slot follows when this one ends.
void name_phase(GroupContext& context, const BackendSources& sources, const Item& item) {
  context.unknown("when phases follow each other is not published; see the policy phase_change");
  const Operand address = sources.slots[item.get(F::exeaddrsrc)];
  context.keep(context.state.next_phase, context.i32(Op::ior, address, context.b.constant_u32(1)));
}

}  // namespace

BackendSources read_backend_sources(GroupContext& context, bool writes_first) {
  BackendSources sources;
  const Item& item = context.group.item(Word::backend);
  const auto read = [&](unsigned slot) {
    sources.slots[slot] = context.read(slot);
    if (writes_first) sources.slots[slot] = context.keep(context.b.temporary(Type::i32), sources.slots[slot]);
  };
  for (const F field : {F::srcsel, F::srcseladd, F::srcseldata, F::srcselbl, F::srcmask, F::exeaddrsrc}) {
    if (item.form->find(field) == nullptr) continue;
    // Stores that are not tiled name a slot for a mask, and do not read it.
    if (field == F::srcmask && item.get(F::nottiled) != 0) continue;
    read(item.get(field));
  }
  if (item.op->does == does::Backend::alpha_test)
    for (unsigned slot = 0; slot < upper_slot; ++slot) read(slot);
  return sources;
}

void lift_backend(GroupContext& context, const BackendSources& sources) {
  const Item& item = context.group.item(Word::backend);
  using does::Backend;
  switch (item.op->does.as<Backend>()) {
    case Backend::write_output:
    case Backend::write_emit_end_task:
      return write_output(context, item, sources);
    case Backend::load:
      return lift_load(context, item, sources);
    case Backend::store:
      return lift_store(context, item, sources);
    case Backend::atomic:
      return lift_atomic(context, item);
    case Backend::iterate:
    case Backend::iterate_perspective:
      return lift_fitr(context, item);
    case Backend::sample:
      return lift_sample(context, item);
    case Backend::emit_pixel:
      return put_out_pixel(context);
    case Backend::set_link:
      return set_link(context, item);
    case Backend::alpha_test:
      return lift_alpha_test(context, item, sources.slots);
    case Backend::depth:
      return lift_depth(context);
    case Backend::change_phase:
      return name_phase(context, sources, item);
    case Backend::execution_mask:  // W0 has these already
    case Backend::sample_mask:
    case Backend::save_mask:
    case Backend::fence:  // stores are seen at once
    case Backend::emit:   // vertices are told apart by their instance
    case Backend::cut:
    case Backend::emit_cut:
    case Backend::end_task:
    case Backend::emit_end_task:
    case Backend::sample_by_byte:  // backend_fault has refused it
      break;
  }
}

/// `target` is none for the only one.
void put_out_colour(GroupContext& context, Operand colour, Operand target) {
  context.b.call({.service = ir::Service::fragment_out,
                  .count = 4,
                  .data = colour,
                  .args = {context.facts.depth ? context.state.depth : Operand{}, Operand{}, target,
                           context.b.temporary(Type::i32)}});
}

unsigned components_of(std::string_view type) {
  const bool is_vector = type.find("vec") != std::string_view::npos && type.back() >= '2' && type.back() <= '4';
  return is_vector ? static_cast<unsigned>(type.back() - '0') : 1;
}

/// Component `i` of a colour whose words are pixel outputs from `first` on.
Operand colour_component(GroupContext& context, const PixelFormat* format, unsigned first, unsigned i) {
  if (format == nullptr) return context.state.at(Space::pixel_output, first + i);
  const Operand word = context.state.at(Space::pixel_output, first + i / format->in_a_word);
  return unpack(context, static_cast<unsigned>(format->pack), i % format->in_a_word, format->is_scaled, word);
}

/// Outputs that the interface names are words of pixel outputs; locations from 4 on are targets.
void put_out_declared(GroupContext& context) {
  constexpr std::int32_t first_colour = 4;
  constexpr std::uint32_t no_target = 0xFF, target_bit = 8;
  ir::Builder& b = context.b;
  const Operand colour = b.temporary(Type::i32, 4);
  bool any = false;
  if (context.facts.feedback) mask_invisible(context);
  for (const Variable& output : *context.facts.outputs) {
    const auto first = static_cast<unsigned>(output.driver_location);
    const PixelFormat* const format = find_pixel_format(output.format);
    if (format == nullptr && !output.format.empty())
      context.unknown("how a program packs " + output.format + " is not known; " + output.name + " is taken as it is");
    const unsigned declared = components_of(output.type);
    const unsigned count = format == nullptr ? declared : std::min<unsigned>(declared, format->components);
    const unsigned words = format == nullptr ? count : format->words(count);
    if (output.driver_location < 0 || first + words > 8) continue;
    const bool is_opaque = format != nullptr && format->components < 4;
    for (unsigned i = 0; i < 4; ++i) {
      const Operand missing = i == 3 && is_opaque ? b.constant_f32(1) : context.zero();
      context.keep(colour.plus(4 * i), i < count ? colour_component(context, format, first, i) : missing);
    }
    const std::int32_t target = std::max(output.location - first_colour, 0);
    put_out_colour(context, colour, b.constant_u32(static_cast<std::uint32_t>(target) << target_bit));
    any = true;
  }
  if (!any) put_out_colour(context, colour, b.constant_u32(no_target));
  if (!context.facts.feedback) return;
  b.emit(Op::enable, Type::i32, {});
  context.mask();
}

/// What the words of pixel outputs mean, the state of the pixel back end says, which is not part of a program.
void put_out_pixel(GroupContext& context) {
  ir::Builder& b = context.b;
  context.unknown("the format of pixel outputs is not in the program; see the policy pixel_output");
  if (context.facts.outputs != nullptr && context.settings.is(PolicyId::pixel_output, "declared"))
    return put_out_declared(context);
  const Operand colour = b.temporary(Type::i32, 4);
  for (unsigned i = 0; i < 4; ++i) {
    if (context.settings.is(PolicyId::pixel_output, "f32")) {
      context.keep(colour.plus(4 * i), context.state.at(Space::pixel_output, i));
      continue;
    }
    const Operand byte = b.convert(Op::u2f, Type::f32, Type::i8, context.state.at(Space::pixel_output, 0).plus(i));
    b.emit(Op::fmul, Type::f32, colour.plus(4 * i), byte, b.constant_f32(1.0f / 255));
  }
  if (context.facts.feedback) mask_invisible(context);
  put_out_colour(context, colour, {});
  if (!context.facts.feedback) return;
  b.emit(Op::enable, Type::i32, {});
  context.mask();
}

std::string backend_fault(const Group& group, const Settings& settings, const State& state) {
  const Item& item = group.item(Word::backend);
  if (item.op->has(dma_write)) {
    const LateWrites writes = late_writes(group);
    if (!register_exists(writes.first, writes.count - 1, state))
      return "there are no " + counted(writes.count, "register") + " from the destination on";
  }
  using does::Backend;
  switch (item.op->does.as<Backend>()) {
    case Backend::sample_by_byte:
      return "what " + std::string(item.op->name) + " does is not published";
    case Backend::load:
    case Backend::store:
    case Backend::atomic:
      return memory_fault(group, item, state);
    case Backend::sample:
      return sample_fault(group, item, settings, state);
    case Backend::iterate:
    case Backend::iterate_perspective:
      return iterate_fault(group, item, state);
    case Backend::change_phase:
      if (settings.is(PolicyId::phase_change, "trap"))
        return "what phas does is not published; see the policy phase_change";
      break;
    case Backend::alpha_test:
    case Backend::execution_mask:
    case Backend::sample_mask:
    case Backend::save_mask:
      return visibility_fault(group, item, settings);
    case Backend::write_output:
    case Backend::write_emit_end_task:
    case Backend::emit:
    case Backend::cut:
    case Backend::emit_cut:
    case Backend::end_task:
    case Backend::emit_end_task:
    case Backend::set_link:
    case Backend::depth:
    case Backend::emit_pixel:
    case Backend::fence:
      break;
  }
  return {};
}

}  // namespace mobula::rogue::lifting
