#include "machines/midgard/lift/lift.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/hexadecimal.h"
#include "ir/builder.h"
#include "ir/passes.h"
#include "machines/midgard/lift/alu.h"
#include "machines/midgard/lift/bundle.h"
#include "machines/midgard/lift/load_store.h"
#include "machines/midgard/lift/state.h"
#include "machines/midgard/lift/texture.h"

namespace mobula::midgard {
namespace {

using ir::Op;
using ir::Operand;
using ir::Type;

/// Code that is lifted at a time: operations take some dozen times its size.
constexpr std::uint32_t lifted_piece_bytes = 32 << 10;

std::string tag_name(unsigned tag) { return std::to_string(tag) + " (" + std::string(tags[tag & 15].name) + ")"; }

/// Where a thread goes: to a bundle, to its end, or into a fault.
struct Way {
  enum class Kind : std::uint8_t { bundle, end, fault };
  Kind kind = Kind::end;
  std::uint64_t address = 0;
  std::string reason;
};

/// Where the program's bundles start, and their tags.
class Starts {
 public:
  explicit Starts(std::span<const std::uint8_t> code) : code_(code), starts_(code.size() / quadword_bytes) {
    for (std::uint32_t position = 0; position < count(); position += bundle_length(code, position))
      starts_[position] = true;
  }
  /// Quadwords.
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(starts_.size()); }
  [[nodiscard]] bool at(std::int64_t quadword) const {
    return quadword >= 0 && quadword < std::int64_t{count()} && starts_[static_cast<std::size_t>(quadword)];
  }
  /// Precondition: at(quadword).
  [[nodiscard]] unsigned tag(std::int64_t quadword) const {
    return code_[static_cast<std::size_t>(quadword) * quadword_bytes] & 15;
  }

 private:
  std::span<const std::uint8_t> code_;
  std::vector<bool> starts_;
};

class ProgramLifter {
 public:
  ProgramLifter(const Program& program, const Settings& settings, const Starts& starts)
      : program_(program),
        product_(find_product(program.variant)),
        settings_(settings),
        starts_(starts),
        builder_(state::slots(product_)) {}

  ir::Program lift() {
    lift_bundles(0, starts_.count());
    return finish(entry());
  }

  /// The bundles between two quadwords; with the last of them also what stands behind the program.
  LiftedPiece lift_piece(std::uint32_t begin, std::uint32_t end) {
    const std::uint64_t from = std::uint64_t{begin} * quadword_bytes, to = std::uint64_t{end} * quadword_bytes;
    const bool is_last = end == starts_.count();
    lift_bundles(begin, end);
    if (is_last) entry();
    LiftedPiece piece{.program = finish(from)};
    const auto number_of = [&](auto is_inside) {
      const auto& blocks = piece.program.blocks;
      return static_cast<std::uint32_t>(std::ranges::find_if(blocks, is_inside) - blocks.begin());
    };
    piece.first = number_of([&](const ir::Block& block) { return block.address >= from; });
    piece.end = number_of([&](const ir::Block& block) { return !is_last && block.address >= to; });
    return piece;
  }

 private:
  void lift_bundles(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t position = begin; position < end;) {
      const Bundle bundle = decode_bundle(program_.code, position);
      lift_bundle(bundle);
      position += bundle.quadword_count;
    }
  }
  ir::Program finish(std::uint64_t entry) {
    ir::Program lifted = builder_.finish(entry);
    lifted.volatile_state = state::bundle_local();
    ir::coalesce(lifted);
    return lifted;
  }
  [[nodiscard]] Way way_to(std::int64_t quadword, unsigned announced_tag) const;
  std::uint64_t entry();

  void lift_bundle(const Bundle& bundle);
  [[nodiscard]] std::string fault(const BundleContext& context) const;
  void lift_branches(const BundleContext& context, const AluOutcome& alu);
  void lift_jump(const BundleContext& context, const Branch& branch, Operand condition);
  void lift_call(const BundleContext& context, const Branch& branch, Operand condition);
  void lift_return(const BundleContext& context, Operand condition);
  [[nodiscard]] Way way_on(const BundleContext& context) const;
  void fall_through(const BundleContext& context);
  void depart(Operand condition, const Way& way);

  const Program& program_;
  const Product& product_;
  const Settings& settings_;
  const Starts& starts_;
  ir::Builder builder_;
};

/// A quadword and the tag that was announced for it (4.3).
Way ProgramLifter::way_to(std::int64_t quadword, unsigned announced_tag) const {
  if (announced_tag == tag_break) return {.kind = Way::Kind::end};
  const auto fault = [](std::string reason) { return Way{.kind = Way::Kind::fault, .reason = std::move(reason)}; };
  const auto place = [&] {
    return quadword < 0 ? "-" + hexadecimal(static_cast<std::uint64_t>(-quadword) * quadword_bytes)
                        : hexadecimal(static_cast<std::uint64_t>(quadword) * quadword_bytes);
  };
  if (!starts_.at(quadword)) return fault("INSTR_INVALID_PC: no bundle starts at " + place());
  if (starts_.tag(quadword) != announced_tag) {
    return fault("INSTR_TYPE_MISMATCH: the bundle at " + place() + " has tag " + tag_name(starts_.tag(quadword)) +
                 " but was announced as " + tag_name(announced_tag));
  }
  return {.kind = Way::Kind::bundle, .address = static_cast<std::uint64_t>(quadword) * quadword_bytes};
}

/// The first bundle, or a block after the program that says why there is none.
std::uint64_t ProgramLifter::entry() {
  const std::uint64_t quadword = program_.entry / quadword_bytes;
  std::string reason;
  if (program_.entry % quadword_bytes != 0) {
    reason = "INSTR_INVALID_PC: the entry " + hexadecimal(program_.entry) + " is not a multiple of 16";
  } else {
    if (quadword >= starts_.count() || !starts_.at(static_cast<std::int64_t>(quadword))) {
      reason = "INSTR_INVALID_PC: no bundle starts at the entry " + hexadecimal(program_.entry);
    } else if (program_.interface.first_tag) {
      const Way way = way_to(static_cast<std::int64_t>(quadword), *program_.interface.first_tag & 15);
      if (way.kind == Way::Kind::fault) reason = way.reason;
    }
  }
  if (reason.empty()) return program_.entry;
  const std::uint64_t after = std::uint64_t{starts_.count()} * quadword_bytes;
  builder_.begin_block(after, 0);
  builder_.trap(reason);
  builder_.end_block();
  return after;
}

std::string ProgramLifter::fault(const BundleContext& context) const {
  const Bundle& bundle = context.bundle;
  if (bundle.form == Bundle::Form::raw) return invalid_encoding(raw_reason(program_.code, bundle.position));
  if (is_writeout_tag(bundle.tag) && !product_.writeout_tags) {
    return invalid_encoding("tag " + tag_name(bundle.tag) + " does not exist on " + std::string(product_.marketing));
  }
  if (bundle.form == Bundle::Form::load_store) return load_store_fault(context);
  if (bundle.form == Bundle::Form::texture) return texture_fault(context);
  if (std::string reason = alu_fault(context); !reason.empty()) return reason;
  if (bundle.has_compact && bundle.has_extended) {
    return invalid_encoding("the effect of a compact and an extended branch in one bundle is not known");
  }
  for (const Branch& branch : branches(bundle)) {
    if (find_value(branch::op, opcode_of(branch.op)) == nullptr) {
      return invalid_encoding("branch operation " + std::to_string(opcode_of(branch.op)) + " is unassigned");
    }
  }
  return {};
}

void ProgramLifter::lift_bundle(const Bundle& bundle) {
  const BundleContext context{builder_, bundle, product_, settings_, program_.interface};
  builder_.begin_block(context.address(), bundle.quadword_count * quadword_bytes);
  builder_.rests_on(tags[bundle.tag].fact.status);
  if (const std::string reason = fault(context); !reason.empty()) {
    builder_.trap(reason);
    builder_.end_block();
    return;
  }
  switch (bundle.form) {
    case Bundle::Form::load_store:
      lift_load_store(context);
      break;
    case Bundle::Form::texture:
      lift_texture(context);
      break;
    case Bundle::Form::alu:
      lift_branches(context, lift_alu(context));
      break;
    case Bundle::Form::raw:  // a fault
      break;
  }
  fall_through(context);
}

/// The way of a thread that no branch takes elsewhere.
Way ProgramLifter::way_on(const BundleContext& context) const {
  return way_to(std::int64_t{context.bundle.position} + context.bundle.quadword_count, context.bundle.next);
}

void ProgramLifter::fall_through(const BundleContext& context) {
  const Way way = way_on(context);
  switch (way.kind) {
    case Way::Kind::bundle:
      return builder_.end_block(way.address);
    case Way::Kind::end:
      return builder_.end_block(std::nullopt);
    case Way::Kind::fault:
      builder_.trap(way.reason);
      return builder_.end_block();
  }
}

void ProgramLifter::depart(Operand condition, const Way& way) {
  switch (way.kind) {
    case Way::Kind::bundle:
      return builder_.branch_if(condition, way.address);
    case Way::Kind::end:
      return builder_.end_if(condition);
    case Way::Kind::fault:
      return builder_.trap_if(condition, way.reason);
  }
}

// ------------------------------------------------------------------------------------------------ branches
// (2.8, 4.3, 4.4)

/// What a branch tests: never, always, or an operand.
struct Condition {
  enum class Kind : std::uint8_t { never, always, tested };
  Kind kind = Kind::always;
  Operand operand;  // none unless tested
};

/// A condition bit: of a half of r31.w or r31.x.
Operand tested_bit(const BundleContext& context, Type type, std::uint32_t byte) {
  const Operand whole = Operand::state(state::condition + byte);
  if (context.settings.is(PolicyId::condition_bit, "bit0")) return whole;
  return context.builder.binary(Op::ine, type, whole, context.builder.constant(type, 0));
}

/// The entry of a table of four conditions, in bit 0.
Operand looked_up(const BundleContext& context, std::uint16_t table) {
  ir::Builder& b = context.builder;
  constexpr std::uint32_t x = 0, w = 12;
  const std::string_view order = context.settings.value(PolicyId::condition_lut);
  Operand index;
  for (unsigned bit = 0; bit < 4; ++bit) {
    // Each of the four names is three letters long: register component, then half.
    const std::string_view name = order.substr(4 * bit, 3);
    const std::uint32_t byte = (name[0] == 'w' ? w : x) + (name.substr(1) == "hi" ? 2 : 0);
    const Operand half = tested_bit(context, Type::i16, byte);
    const Operand one =
        b.binary(Op::iand, Type::i32, b.convert(Op::zext, Type::i32, Type::i16, half), b.constant_u32(1));
    const Operand placed = bit == 0 ? one : b.binary(Op::ishl, Type::i32, one, b.constant_u32(bit));
    index = bit == 0 ? placed : b.binary(Op::ior, Type::i32, index, placed);
  }
  return b.binary(Op::ilsr, Type::i32, b.constant_u32(table), index);
}

Condition condition_of(const BundleContext& context, std::uint16_t table, bool wrote_condition) {
  if (table == 0xFFFF) return {.kind = Condition::Kind::always};
  if (table == 0) return {.kind = Condition::Kind::never};
  if (!wrote_condition) context.unknown("the branch tests r31, which this bundle does not write");
  if (table != (table & 3) * 0x5555) {
    context.unknown("the order of the four conditions of a branch table is unpublished");
    return {Condition::Kind::tested, looked_up(context, table)};
  }
  const Operand bit = tested_bit(context, Type::i32, 12);
  if ((table & 3) == 2) return {Condition::Kind::tested, bit};
  return {Condition::Kind::tested, context.builder.unary(Op::inot, Type::i32, bit)};
}

Condition both(const BundleContext& context, const Condition& condition, Operand operand) {
  switch (condition.kind) {
    case Condition::Kind::never:
      return condition;
    case Condition::Kind::always:
      return {Condition::Kind::tested, operand};
    case Condition::Kind::tested:
      return {Condition::Kind::tested, context.builder.binary(Op::iand, Type::i32, condition.operand, operand)};
  }
  return {};
}

constexpr unsigned call_mode_reserved = 0, call_mode_call = 2, call_mode_return = 3;
/// Where the policy call_return=r1.w keeps the return address.
constexpr std::uint32_t link_byte = state::work + state::register_bytes + 12;

Way unsupported(const std::string& what) {
  return {.kind = Way::Kind::fault, .reason = invalid_encoding("how a " + what + " keeps its address is not known")};
}

void note_doubts(const BundleContext& context, const Branch& branch) {
  const bool is_conditional = branch.lut != 0xFFFF;
  if (branch.op == BranchMeaning::uncond && branch.extended) {
    context.unknown("extended unconditional branches are said to have issues; this one is always taken");
  }
  if (branch.op == BranchMeaning::uncond && !branch.extended && branch.call_mode == call_mode_reserved) {
    context.unknown("call mode 0 of a compact branch has not been observed; it jumps");
  }
  if (branch.op == BranchMeaning::write && is_conditional) {
    context.unknown("a condition on a writeout is assumed to concern its retry");
  }
  if (branch.op == BranchMeaning::tilebuffer && is_conditional) {
    context.unknown("a condition on a tile buffer wait has not been observed");
  }
}

Operand asked_result(const BundleContext& context, ir::Call call) {
  call.args[3] = context.builder.temporary(Type::i32);
  context.builder.call(call);
  return call.args[3];
}

/// Hands r0 to the tile writer, with what the bundle gives of r1; the result says whether to try again.
Operand write_out(const BundleContext& context, const AluOutcome& alu) {
  constexpr std::uint32_t r0 = state::work, r1 = r0 + state::register_bytes;
  ir::Call call{.service = ir::Service::fragment_out, .type = Type::i32, .count = 4, .data = Operand::state(r0)};
  const bool takes_all = context.settings.is(PolicyId::writeout_r1, "always");
  for (unsigned i = 0; i < 3; ++i) {
    if (takes_all || alu.wrote_r1[i]) call.args[i] = Operand::state(r1 + 4 * i);
  }
  return asked_result(context, call);
}

void ProgramLifter::lift_branches(const BundleContext& context, const AluOutcome& alu) {
  const Branches all = branches(context.bundle);
  // Nothing but control may follow control, so what the branch needs is made before value-dependent faults depart.
  const auto trap_on_values = [&] {
    for (const AluOutcome::Trap& trap : alu.traps) builder_.trap_if(trap.condition, trap.reason);
  };
  if (all.count == 0) return trap_on_values();
  const Branch& branch = all.items[0];
  note_doubts(context, branch);
  const std::uint16_t table = branch.op == BranchMeaning::uncond ? 0xFFFF : branch.lut;
  Condition condition = condition_of(context, table, alu.wrote_condition);
  if (branch.op == BranchMeaning::tilebuffer)
    condition = both(context, condition, asked_result(context, {.service = ir::Service::tile_ready}));
  if (branch.op == BranchMeaning::write) condition = both(context, condition, write_out(context, alu));
  trap_on_values();
  if (condition.kind == Condition::Kind::never) return;
  switch (branch.op) {
    case BranchMeaning::uncond:
    case BranchMeaning::cond:
      return lift_jump(context, branch, condition.operand);
    case BranchMeaning::discard:
      return builder_.discard_if(condition.operand);
    case BranchMeaning::tilebuffer:
    case BranchMeaning::write:
      return depart(condition.operand, way_to(target_of(context.bundle, branch), branch.dest_tag));
  }
}

void ProgramLifter::lift_jump(const BundleContext& context, const Branch& branch, Operand condition) {
  if (branch.call_mode == call_mode_call) return lift_call(context, branch, condition);
  if (branch.call_mode == call_mode_return) return lift_return(context, condition);
  depart(condition, way_to(target_of(context.bundle, branch), branch.dest_tag));
}

/// Policy call_return=r1.w: the address of the next bundle goes to r1.w when the call is taken.
void ProgramLifter::lift_call(const BundleContext& context, const Branch& branch, Operand condition) {
  if (settings_.is(PolicyId::call_return, "trap")) return depart(condition, unsupported("call"));
  const Operand link = Operand::state(link_byte);
  const Operand next = builder_.constant_u32(static_cast<std::uint32_t>(context.next_address()));
  if (condition.is_none()) {
    builder_.emit(Op::mov, Type::i32, link, next);
  } else {
    const Operand bit = builder_.binary(Op::iand, Type::i32, condition, builder_.constant_u32(1));
    const Operand mask = builder_.binary(Op::isub, Type::i32, builder_.constant_u32(0), bit);
    builder_.emit(Op::select, Type::i32, link, next, link, mask);
    condition = bit;
  }
  depart(condition, way_to(target_of(context.bundle, branch), branch.dest_tag));
}

void ProgramLifter::lift_return(const BundleContext& context, Operand condition) {
  if (settings_.is(PolicyId::call_return, "trap")) return depart(condition, unsupported("return"));
  if (!condition.is_none()) depart(builder_.unary(Op::inot, Type::i32, condition), way_on(context));
  builder_.branch_indirect(Operand::state(link_byte));
}

}  // namespace

Result<ir::Program> lift(const Program& program, const Policies& policies) {
  Result<Settings> settings = choose_settings(policies);
  if (!settings) return fail(std::move(settings.error()));
  return ProgramLifter(program, *settings, Starts(program.code)).lift();
}

Result<LiftedPieces> lift_in_pieces(const Program& program, const Policies& policies) {
  Result<Settings> settings = choose_settings(policies);
  if (!settings) return fail(std::move(settings.error()));
  struct All {
    const Program& program;
    Settings settings;
    Starts starts;
  };
  const auto all = std::make_shared<const All>(All{program, std::move(*settings), Starts(program.code)});
  return LiftedPieces([all, next = std::uint32_t{0}, done = false]() mutable -> std::function<LiftedPiece()> {
    if (done) return {};
    const std::uint32_t begin = next, count = all->starts.count();
    while (next < count && next - begin < lifted_piece_bytes / quadword_bytes)
      next += bundle_length(all->program.code, next);
    done = next == count;
    return [all, begin, end = next] {
      return ProgramLifter(all->program, all->settings, all->starts).lift_piece(begin, end);
    };
  });
}

}  // namespace mobula::midgard
