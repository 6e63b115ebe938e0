#include "machines/midgard/compile/select.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "machines/midgard/compile/selector.h"

namespace mobula::midgard_compiler {

Code select(const ssa::Program& program, Layout& layout, UniformRegisters& uniforms, const midgard::Product& product) {
  return Selector(program, layout, uniforms, product).run();
}

// ------------------------------------------------------------------------------------------------ the frame

Code Selector::run() {
  find_definitions();
  find_outputs();
  lay_out_blocks();
  for (std::uint32_t i = 0; i < program_.blocks.size(); ++i)
    if (order_[i] != ssa::none) select_block(i);
  if (exit_ != ssa::none) {
    here_ = exit_;
    finish_program();
  }
  return std::move(code_);
}

void Selector::find_definitions() {
  makers_.resize(program_.values.size());
  block_of_.resize(program_.values.size());
  values_.resize(program_.values.size(), no_value);
  for (std::uint32_t i = 0; i < program_.blocks.size(); ++i)
    for (const ssa::Instruction& each : program_.blocks[i].instructions)
      if (each.result != ssa::none) {
        makers_[each.result] = &each;
        block_of_[each.result] = i;
      }
}

/// An output is written where the source does if that happens once; otherwise, and in fragments, at the end.
void Selector::find_outputs() {
  kept_.resize(program_.variables.size());
  std::vector<std::vector<std::uint32_t>> accesses(program_.variables.size());
  for (std::size_t i = 0; i < program_.variables.size(); ++i) {
    kept_[i].resize(program_.variables[i].slots.size(), no_value);
    accesses[i].resize(program_.variables[i].slots.size());
  }
  constexpr std::uint32_t many = 2;
  for (const ssa::Block& block : program_.blocks)
    for (const ssa::Instruction& each : block.instructions) {
      const bool is_indexed = each.operands.size() > (each.op == Op::store ? 1U : 0U);
      if ((each.op != Op::load && each.op != Op::store) || is_indexed) continue;
      accesses[each.variable][each.data[0]] += each.op == Op::load ? many : 1;
    }
  for (std::size_t i = 0; i < program_.variables.size(); ++i) {
    const ssa::Variable& variable = program_.variables[i];
    const bool is_output = variable.storage == ssa::Storage::output;
    const bool is_value = variable.storage == ssa::Storage::local && layout_.bytes[i].empty();
    if (!is_output && !is_value) continue;
    for (std::size_t slot = 0; slot < variable.slots.size(); ++slot) {
      const bool at_once = is_output && program_.stage == Stage::vertex && accesses[i][slot] < many;
      if (accesses[i][slot] != 0 && !at_once)
        kept_[i][slot] = code_.add({.components = variable.slots[slot].type.components});
    }
  }
}

bool Selector::only_discards(std::uint32_t block) const {
  const ssa::Block& each = program_.blocks[block];
  return each.end.kind == ssa::End::Kind::discard && each.instructions.empty() &&
         std::ranges::all_of(each.predecessors, [&](std::uint32_t from) {
           const ssa::End& end = program_.blocks[from].end;
           return end.kind == ssa::End::Kind::branch && end.targets[0] != end.targets[1];
         });
}

/// Blocks keep their order. A way back that parts from another one gets a block for what it copies.
void Selector::lay_out_blocks() {
  order_.assign(program_.blocks.size(), ssa::none);
  std::vector<std::uint32_t> leaving;
  for (std::uint32_t i = 0; i < program_.blocks.size(); ++i) {
    const ssa::Block& block = program_.blocks[i];
    const bool is_entry = i == 0;
    if (!is_entry && (block.predecessors.empty() || only_discards(i))) continue;
    order_[i] = static_cast<std::uint32_t>(code_.blocks.size());
    code_.blocks.emplace_back();
    if (block.end.kind == ssa::End::Kind::leave) leaving.push_back(i);
    if (block.end.kind != ssa::End::Kind::branch) continue;
    for (const std::uint32_t target : block.end.targets)
      if (target <= i && !split_.contains({i, target})) {
        split_[{i, target}] = static_cast<std::uint32_t>(code_.blocks.size());
        code_.blocks.emplace_back();
      }
  }
  exit_ = static_cast<std::uint32_t>(code_.blocks.size());
  code_.blocks.emplace_back();
  for (std::uint32_t i = 0; i < program_.blocks.size(); ++i)
    for (const std::uint32_t target : program_.blocks[i].end.targets)
      if (target <= i && order_[i] != ssa::none)
        for (std::uint32_t at = order_[target]; at <= order_[i]; ++at) ++code_.blocks[at].depth;
}

std::uint32_t Selector::target_of(std::uint32_t from, std::uint32_t to) const {
  const auto split = split_.find({from, to});
  return split != split_.end() ? split->second : order_[to];
}
bool Selector::falls_into(std::uint32_t target) const { return target == here_ + 1; }

void Selector::select_block(std::uint32_t number) {
  here_ = order_[number];
  form_block_ = number;
  built_.clear();
  for (const ssa::Instruction& each : program_.blocks[number].instructions) {
    if (each.line != 0) line_ = each.line;
    select_instruction(each);
  }
  end_block(number);
}

void Selector::jump(std::uint32_t target) {
  code_.blocks[here_].successors.push_back(target);
  if (falls_into(target)) return;
  Instruction branch;
  branch.kind = Instruction::Kind::branch;
  branch.target = target;
  emit(branch);
}

void Selector::end_block(std::uint32_t number) {
  const ssa::Block& block = program_.blocks[number];
  if (block.line != 0) line_ = block.line;
  switch (block.end.kind) {
    case ssa::End::Kind::jump:
      copy_for_phis(number, block.end.targets[0]);
      return jump(order_[block.end.targets[0]]);
    case ssa::End::Kind::branch:
      return branch_to(number, block.end.condition, block.end.targets[0], block.end.targets[1]);
    case ssa::End::Kind::leave:
    case ssa::End::Kind::unreachable:
      return jump(exit_);
    case ssa::End::Kind::discard: {
      Instruction branch;
      branch.kind = Instruction::Kind::branch;
      branch.branch = BranchMeaning::discard;
      emit(branch);
      return;
    }
  }
}

void Selector::branch_to(std::uint32_t from, ssa::Value condition, std::uint32_t yes, std::uint32_t no) {
  if (yes == no || known(condition)) {
    const std::uint32_t to = yes == no || *known(condition) != 0 ? yes : no;
    if (order_[to] == ssa::none) {  // it only discards
      Instruction branch;
      branch.kind = Instruction::Kind::branch;
      branch.branch = BranchMeaning::discard;
      emit(branch);
      return;
    }
    copy_for_phis(from, to);
    return jump(order_[to]);
  }
  for (const std::uint32_t to : {yes, no})
    if (order_[to] != ssa::none && !split_.contains({from, to})) copy_for_phis(from, to);
  Instruction branch;
  branch.kind = Instruction::Kind::branch;
  branch.guard = guard_of(condition, true, 1);
  const auto conditional = [&](std::uint32_t target, bool inverted) {
    branch.guard.inverted ^= inverted;
    branch.target = target;
    code_.blocks[here_].successors.push_back(target);
    emit(branch);
  };
  const bool yes_discards = order_[yes] == ssa::none, no_discards = order_[no] == ssa::none;
  if (yes_discards || no_discards) {
    branch.branch = BranchMeaning::discard;
    branch.guard.inverted ^= !yes_discards;
    if (yes_discards && no_discards) branch.guard = {};
    emit(branch);
    if (yes_discards && no_discards) return;
    const std::uint32_t stays = yes_discards ? no : yes;
    jump(target_of(from, stays));
  } else {
    const std::uint32_t first = target_of(from, yes), second = target_of(from, no);
    if (falls_into(first)) {
      conditional(second, true);
      jump(first);
    } else {
      conditional(first, false);
      jump(second);
    }
  }
  for (const std::uint32_t to : {yes, no}) {
    const auto split = split_.find({from, to});
    if (split == split_.end()) continue;
    here_ = split->second;
    built_.clear();
    copy_for_phis(from, to);
    jump(order_[to]);
  }
}

namespace {

bool is_identity(const Source& source, std::uint8_t mask) {
  for (unsigned i = 0; i < 4; ++i)
    if ((mask >> i & 1U) != 0 && source.component[i] != i) return false;
  return true;
}

}  // namespace

/// What a way brings with it: read all, then written, as they may be each other's.
void Selector::copy_for_phis(std::uint32_t from, std::uint32_t to) {
  const ssa::Block& block = program_.blocks[to];
  const auto way = static_cast<std::size_t>(std::ranges::find(block.predecessors, from) - block.predecessors.begin());
  struct Copy {
    Value to = no_value;
    Source from;
    std::uint8_t mask = 0;
  };
  std::vector<Copy> copies;
  for (const ssa::Instruction& each : block.instructions) {
    if (each.op != Op::phi) break;
    Value& into = values_[each.result];
    if (into == no_value) into = code_.add({.components = each.type.components});
    const auto mask = static_cast<std::uint8_t>((1U << each.type.components) - 1);
    const ssa::Value operand = each.operands[way];
    if (const ssa::Instruction* const made = maker(operand); made != nullptr && made->op == Op::undefined) continue;
    Source read = source(operand, false);
    if (read.is_value() && read.number == into && is_identity(read, mask)) continue;
    if (read.kind == Source::Kind::value) {
      const Value kept = code_.add({.components = each.type.components});
      move(kept, mask, read);
      read = of(kept);
    }
    copies.push_back({into, read, mask});
  }
  for (const Copy& copy : copies) move(copy.to, copy.mask, copy.from);
}

/// Writes what was kept until now, and ends.
void Selector::finish_program() {
  if (program_.stage == Stage::vertex) {
    for (std::uint32_t i = 0; i < program_.variables.size(); ++i)
      if (program_.variables[i].storage == ssa::Storage::output)
        for (std::uint32_t slot = 0; slot < kept_[i].size(); ++slot)
          if (kept_[i][slot] != no_value)
            write_varying(kept_[i][slot], layout_.numbers[i] + slot, program_.variables[i].slots[slot].type);
    return;
  }
  if (program_.stage != Stage::fragment) return;
  Source depth;
  struct Target {
    std::uint32_t number = 0;
    Value colour = no_value;
    std::uint8_t components = 0;
    std::uint32_t variable = 0;
  };
  std::vector<Target> targets;
  for (std::uint32_t i = 0; i < program_.variables.size(); ++i) {
    const ssa::Variable& variable = program_.variables[i];
    if (variable.storage != ssa::Storage::output) continue;
    for (std::uint32_t slot = 0; slot < kept_[i].size(); ++slot) {
      if (kept_[i][slot] == no_value) continue;
      if (variable.slots[slot].built_in == ssa::BuiltIn::frag_depth) {
        depth = of(kept_[i][slot]);
        continue;
      }
      const std::uint32_t location = variable.slots[slot].location;
      targets.push_back(
          {location == ssa::none ? slot : location, kept_[i][slot], variable.slots[slot].type.components, i});
    }
  }
  if (targets.empty()) targets.push_back({0, no_value, 0, 0});
  std::ranges::stable_sort(targets, {}, &Target::number);
  if (const auto twice = std::ranges::adjacent_find(targets, {}, &Target::number); twice != targets.end())
    compile::refuse_shared_location(twice->number, program_.variables[std::next(twice)->variable]);
  if (targets.size() > 1 && !product_.multiple_targets)
    cannot("this product writes one render target, and the shader has " + std::to_string(targets.size()),
           program_.variables[targets[1].variable].declared_at, "compile for T760 or later, or write one colour");
  for (const Target& target : targets) {
    Value colour = target.colour;
    if (target.components != 4) {
      colour = code_.add({.components = 4});
      const auto mask = static_cast<std::uint8_t>((1U << target.components) - 1);
      if (mask != 0) move(colour, mask, of(target.colour));
      move(colour, static_cast<std::uint8_t>(15U & ~mask), constant(std::uint32_t{0}));
    }
    Instruction write;
    write.kind = Instruction::Kind::writeout;
    write.sources[0] = of(colour);
    write.sources[1] = depth;
    write.render_target = target.number;
    emit(write);
  }
}

// ------------------------------------------------------------------------------------------------ operands

Source Selector::constant(std::uint32_t bits) {
  Source source;
  source.kind = Source::Kind::constant;
  source.bits.fill(bits);
  return source;
}
Source Selector::constant(float number) { return constant(std::bit_cast<std::uint32_t>(number)); }
std::optional<std::uint32_t> Selector::known(ssa::Value value, unsigned component) const {
  const ssa::Instruction* const made = maker(value);
  if (made == nullptr || made->op != Op::constant) return {};
  return made->data[component];
}

/// Follows a component through what only moves it; of numbers also through signs, which operands of float operations
/// take along.
Part Selector::part_of(ssa::Value value, unsigned component, bool is_real) {
  bool absolute = false, negative = false;
  for (;;) {
    const ssa::Instruction& made = *maker(value);
    switch (made.op) {
      case Op::constant: {
        std::uint32_t bits = made.data[component];
        if (made.type.base == ssa::Base::boolean) bits = bits != 0 ? ~std::uint32_t{0} : 0;  // as comparisons make it
        constexpr std::uint32_t sign = 0x80000000U;
        if (absolute) bits &= ~sign;
        if (negative) bits ^= sign;
        return {.kind = Source::Kind::constant, .bits = bits};
      }
      case Op::undefined:
        return {.kind = Source::Kind::constant};
      case Op::swizzle:
        component = made.data[component];
        value = made.operands[0];
        continue;
      case Op::compose: {
        std::size_t at = 0;
        while (component >= type_of(made.operands[at]).components) component -= type_of(made.operands[at++]).components;
        value = made.operands[at];
        continue;
      }
      case Op::insert:
      case Op::extract: {
        const auto index = known(made.operands.back());
        if (!index) break;
        if (made.op == Op::extract) {
          if (*index >= type_of(made.operands[0]).components) return {.kind = Source::Kind::constant};
          component = *index;
        } else if (*index == component) {
          value = made.operands[1];
          component = 0;
          continue;
        }
        value = made.operands[0];
        continue;
      }
      case Op::f_bits:
      case Op::f_of_bits:
        value = made.operands[0];
        continue;
      case Op::fneg:
        if (!is_real) break;
        if (!absolute) negative = !negative;
        value = made.operands[0];
        continue;
      case Op::fabs:
        if (!is_real) break;
        absolute = true;
        value = made.operands[0];
        continue;
      case Op::load:
      case Op::read:
        if (values_[value] != no_value) break;
        if (const auto words = pushed_.find(value); words != pushed_.end())
          return {words->second.kind, words->second.number, words->second.component[component], 0, absolute, negative};
        break;
      default:
        break;
    }
    return {Source::Kind::value, value_of(value), static_cast<std::uint8_t>(component), 0, absolute, negative};
  }
}

/// The components as one operand, if one register has them all.
std::optional<Source> Selector::joined(std::span<const Part> parts) const {
  Source source;
  source.kind = parts[0].kind;
  source.number = parts[0].number;
  source.absolute = parts[0].absolute;
  source.negative = parts[0].negative;
  for (std::size_t i = 0; i < 4; ++i) {
    const Part& part = parts[std::min(i, parts.size() - 1)];
    if (!part.same_source(parts[0])) return {};
    source.component[i] = part.component;
    source.bits[i] = part.bits;
  }
  return source;
}

Source Selector::source(ssa::Value value, bool is_real) {
  std::array<Part, 4> parts;
  const unsigned count = type_of(value).components;
  for (unsigned i = 0; i < count; ++i) parts[i] = part_of(value, i, is_real);
  if (const auto all = joined(std::span(parts.data(), count))) return *all;
  const auto known = built_.find(value);
  if (known != built_.end()) return of(known->second);
  const Value made = code_.add({.components = static_cast<std::uint8_t>(count)});
  const Precision precision(relaxed_, is_relaxed(value));
  build(made, std::span(parts.data(), count));
  built_[value] = made;
  return of(made);
}

/// Moves the components to where they are together, those that come from one register at once.
void Selector::build(Value into, std::span<const Part> parts, unsigned first) {
  unsigned left = (1U << parts.size()) - 1;
  while (left != 0) {
    const auto lead = static_cast<unsigned>(std::countr_zero(left));
    Source from;
    from.kind = parts[lead].kind;
    from.number = parts[lead].number;
    from.absolute = parts[lead].absolute;
    from.negative = parts[lead].negative;
    from.component.fill(parts[lead].component);
    from.bits.fill(parts[lead].bits);
    unsigned mask = 0;
    for (unsigned i = lead; i < parts.size(); ++i) {
      if ((left >> i & 1U) == 0 || !parts[i].same_source(parts[lead])) continue;
      mask |= 1U << i;
      from.component[i + first] = parts[i].component;
      from.bits[i + first] = parts[i].bits;
    }
    move(into, static_cast<std::uint8_t>(mask << first), from);
    left &= ~mask;
  }
}

/// Where the value is that an instruction made, or makes here as nothing but an operand wants it.
Value Selector::value_of(ssa::Value value) {
  if (values_[value] != no_value) return values_[value];
  const ssa::Instruction& made = *maker(value);
  if (made.op == Op::phi) return values_[value] = code_.add({.components = made.type.components});
  const auto known = built_.find(value);
  if (known != built_.end()) return known->second;
  const Value result = code_.add({.components = made.type.components});
  built_[value] = result;
  std::array<Part, 4> parts;
  const unsigned count = made.type.components;
  const bool is_sign = made.op == Op::fneg || made.op == Op::fabs;
  const Precision precision(relaxed_, is_relaxed(value));
  for (unsigned i = 0; i < count; ++i) parts[i] = part_of(value, i, is_sign);
  build(result, std::span(parts.data(), count));
  return result;
}

/// A copy that memory or texture words can read.
Value Selector::in_home(ssa::Value value, Home home, unsigned components, Placement placement) {
  std::array<Part, 4> parts;
  for (unsigned i = 0; i < components; ++i) parts[i] = part_of(value, i, type_of(value).base == ssa::Base::real);
  const Value copy = code_.add({static_cast<std::uint8_t>(components), home, placement});
  const Precision precision(relaxed_, is_relaxed(value));
  build(copy, std::span(parts.data(), components));
  return copy;
}

// ------------------------------------------------------------------------------------------------ arithmetic

bool Selector::is_relaxed(ssa::Value value) const {
  return type_of(value).base == ssa::Base::real && type_of(value).relaxed;
}

Instruction& Selector::emit(Instruction instruction) {
  instruction.line = line_;
  instruction.relaxed = relaxed_;
  code_.blocks[here_].code.push_back(instruction);
  return code_.blocks[here_].code.back();
}

void Selector::alu_into(Value result, std::uint8_t mask, const AluOp* op, Source a, Source b) {
  Instruction each;
  each.op = op;
  each.result = result;
  each.mask = mask;
  if (op->commutes() && a.kind == Source::Kind::constant && b.kind != Source::Kind::constant) std::swap(a, b);
  each.sources = {a, b};
  if (op->out != midgard::Kind::f) each.outmod = static_cast<std::uint8_t>(midgard::IntOutmod::keeplo);
  emit(each);
}

Value Selector::alu(const AluOp* op, unsigned components, Source a, Source b) {
  const Value result = code_.add({.components = static_cast<std::uint8_t>(components)});
  alu_into(result, static_cast<std::uint8_t>((1U << components) - 1), op, a, b);
  return result;
}

void Selector::move(Value result, std::uint8_t mask, Source from) {
  static constexpr const AluOp* fmov = alu_row("fmov");
  static constexpr const AluOp* imov = alu_row("imov");
  alu_into(result, mask, from.absolute || from.negative ? fmov : imov, {}, from);
}

namespace {

/// The row of a comparison, which may be in the word of what it decides; none for other operations.
const AluOp* comparison(ssa::Op op) {
  static constexpr const AluOp *feq = alu_row("feq"), *fne = alu_row("fne"), *flt = alu_row("flt"),
                               *fle = alu_row("fle"), *ieq = alu_row("ieq"), *ine = alu_row("ine"),
                               *ilt = alu_row("ilt"), *ult = alu_row("ult"), *ile = alu_row("ile"),
                               *ule = alu_row("ule");
  switch (op) {
    case ssa::Op::feq:
      return feq;
    case ssa::Op::fne:
      return fne;
    case ssa::Op::flt:
      return flt;
    case ssa::Op::fle:
      return fle;
    case ssa::Op::ieq:
      return ieq;
    case ssa::Op::ine:
      return ine;
    case ssa::Op::ilt_s:
      return ilt;
    case ssa::Op::ilt_u:
      return ult;
    case ssa::Op::ile_s:
      return ile;
    case ssa::Op::ile_u:
      return ule;
    default:
      return nullptr;
  }
}

}  // namespace

void Selector::select_instruction(const ssa::Instruction& each) {
  switch (each.op) {
    case Op::constant:
    case Op::undefined:
    case Op::phi:
    case Op::compose:
    case Op::swizzle:
      return;  // made where they are read
    case Op::insert:
      return insert(each);
    case Op::extract:
      return extract(each);
    case Op::load:
      return load(each);
    case Op::store:
      return store(each);
    case Op::read:
      return read_block(each);
    case Op::write:
      return write_block(each);
    case Op::atomic:
      return atomic(each);
    case Op::length:
      values_[each.result] = code_.add({.components = 1});
      return move(values_[each.result], 1,
                  system_value(SystemValueType::storage_buffer, layout_.numbers[each.variable], 2, 1));
    case Op::texture:
      return texture(each);
    case Op::image_load:
      return load_texel(each);
    case Op::image_store:
      return store_texel(each);
    case Op::image_atomic:
      return atomic_of_texel(each);
    case Op::barrier:
      return barrier();
#define OP(name, ...) case Op::name:
#include "compile/ssa/ops.inc"
#undef OP
      const Precision precision(relaxed_, is_relaxed(each.result));
      return compute(each);
  }
}

void Selector::compute(const ssa::Instruction& each) {
  switch (each.op) {
    case Op::fneg:
    case Op::fabs:
    case Op::f_bits:
    case Op::f_of_bits:
      return;  // made where they are read
    case Op::ffloor:
      return component_by_component(each, alu_row("ffloor"));
    case Op::fceil:
      return component_by_component(each, alu_row("fceil"));
    case Op::ftrunc:
      return component_by_component(each, alu_row("ftrunc"));
    case Op::fround:
      return component_by_component(each, alu_row("froundeven"));
    case Op::fadd:
      return component_by_component(each, alu_row("fadd"));
    case Op::fmul:
      return component_by_component(each, alu_row("fmul"));
    case Op::iadd:
      return component_by_component(each, alu_row("iadd"));
    case Op::isub:
      return component_by_component(each, alu_row("isub"));
    case Op::imul:
      return component_by_component(each, alu_row("imul"));
    case Op::imin_s:
      return component_by_component(each, alu_row("imin"));
    case Op::imin_u:
      return component_by_component(each, alu_row("umin"));
    case Op::imax_s:
      return component_by_component(each, alu_row("imax"));
    case Op::imax_u:
      return component_by_component(each, alu_row("umax"));
    case Op::iand:
      return component_by_component(each, alu_row("iand"));
    case Op::ior:
      return component_by_component(each, alu_row("ior"));
    case Op::ixor:
      return component_by_component(each, alu_row("ixor"));
    case Op::ishl:
      return component_by_component(each, alu_row("ishl"));
    case Op::ishr_s:
      return component_by_component(each, alu_row("iasr"));
    case Op::ishr_u:
      return component_by_component(each, alu_row("ilsr"));
    case Op::iclz:
      return component_by_component(each, alu_row("iclz"));
    case Op::f_to_s:
      return component_by_component(each, alu_row("f2i_rtz"));
    case Op::f_to_u:
      return component_by_component(each, alu_row("f2u_rtz"));
    case Op::s_to_f:
      return component_by_component(each, alu_row("i2f_rte"));
    case Op::u_to_f:
      return component_by_component(each, alu_row("u2f_rte"));
    case Op::band:
      return component_by_component(each, alu_row("iand"));
    case Op::bor:
      return component_by_component(each, alu_row("ior"));
    case Op::bxor:
      return component_by_component(each, alu_row("ixor"));
    case Op::fmin:
      if (clamp(each)) return;
      return component_by_component(each, alu_row("fmin"));
    case Op::fmax:
      if (clamp(each)) return;
      return component_by_component(each, alu_row("fmax"));
    case Op::feq:
    case Op::fne:
    case Op::flt:
    case Op::fle:
    case Op::ieq:
    case Op::ine:
    case Op::ilt_s:
    case Op::ilt_u:
    case Op::ile_s:
    case Op::ile_u:
      return component_by_component(each, comparison(each.op));
    case Op::frcp:
      return look_up(each, alu_row("frcp"));
    case Op::frsqrt:
      return look_up(each, alu_row("frsqrt"));
    case Op::fsqrt:
      return look_up(each, alu_row("fsqrt"));
    case Op::fexp2:
      return look_up(each, alu_row("fexp2"));
    case Op::flog2:
      return look_up(each, alu_row("flog2"));
    case Op::fsinpi:
      return look_up(each, alu_row("fsinpi"));
    case Op::fcospi:
      return look_up(each, alu_row("fcospi"));
    case Op::fsub: {
      Source b = source(each.operands[1], true);
      if (b.kind == Source::Kind::constant)
        for (auto& bits : b.bits) bits ^= 0x80000000U;
      else
        b.negative = !b.negative;
      return give(each, alu_row("fadd"), source(each.operands[0], true), b);
    }
    case Op::inot:
    case Op::bnot:
      return give(each, alu_row("inor"), source(each.operands[0], false), constant(std::uint32_t{0}));
    case Op::ineg:
      return give(each, alu_row("isub"), constant(std::uint32_t{0}), source(each.operands[0], false));
    case Op::iabs:
      return give(each, alu_row("iabsdiff"), source(each.operands[0], false), constant(std::uint32_t{0}));
    case Op::fatan:
    case Op::fatan2:
      return arc_tangent(each);
    case Op::fdot:
      return dot(each);
    case Op::imulhi_s:
      return multiply_high(each, true);
    case Op::imulhi_u:
      return multiply_high(each, false);
    case Op::select:
      return select_value(each);
    case Op::bany:
    case Op::ball:
      return all_or_any(each);
    case Op::ddx:
      return difference(each, 0);
    case Op::ddy:
      return difference(each, 1);
    // lowered
    case Op::fsign:
    case Op::fdiv:
    case Op::fmod:
    case Op::frem:
    case Op::ffma:
    case Op::fexp:
    case Op::flog:
    case Op::fpow:
    case Op::fsin:
    case Op::fcos:
    case Op::ftan:
    case Op::fasin:
    case Op::facos:
    case Op::fsinh:
    case Op::fcosh:
    case Op::ftanh:
    case Op::fasinh:
    case Op::facosh:
    case Op::fatanh:
    case Op::fmantissa:
    case Op::fexponent:
    case Op::fscale:
    case Op::isign:
    case Op::idiv_s:
    case Op::idiv_u:
    case Op::irem_s:
    case Op::imod_s:
    case Op::irem_u:
    case Op::ibits_s:
    case Op::ibits_u:
    case Op::ibits_put:
    case Op::ireverse:
    case Op::icount:
    case Op::ilowest:
    case Op::ihighest_s:
    case Op::ihighest_u:
    case Op::f_half:
    case Op::pack_half:
    case Op::unpack_half_low:
    case Op::unpack_half_high:
    case Op::fis_nan:
    case Op::fis_inf:
#define OP(name, ...) case Op::name:  // select_instruction has them
#include "compile/ssa/ops_more.inc"
#undef OP
      break;
  }
  cannot("the compiler has no way to do " + std::string(ssa::name(each.op)) + " on Midgard", line_,
         "this is a fault of the compiler: please report it with the shader");
}

void Selector::give(const ssa::Instruction& each, const AluOp* op, const Source& a, const Source& b) {
  values_[each.result] = alu(op, each.type.components, a, b);
}

void Selector::component_by_component(const ssa::Instruction& each, const AluOp* op) {
  const bool is_real = op->in == midgard::Kind::f;
  const Source a = source(each.operands[0], is_real);
  const Source b = each.operands.size() > 1 ? source(each.operands[1], is_real) : constant(std::uint32_t{0});
  give(each, op, a, b);
}

namespace {

/// The numbers of components, as an operand.
Source numbers() {
  Source source;
  source.kind = Source::Kind::constant;
  source.bits = {0, 1, 2, 3};
  return source;
}

}  // namespace

/// A component that is known at run time only is put in where its number is the component's.
void Selector::insert(const ssa::Instruction& each) {
  if (known(each.operands[2])) return;  // made where it is read
  static constexpr const AluOp* ieq = alu_row("ieq");
  static constexpr const AluOp* by_component = alu_row("icsel_v");
  Source index = source(each.operands[2], false), part = source(each.operands[1], false);
  index.component.fill(index.component[0]);
  part.component.fill(part.component[0]);
  values_[each.result] = alu(by_component, each.type.components, part, source(each.operands[0], false));
  code_.blocks[here_].code.back().guard = {.op = ieq, .sources = {index, numbers()}, .by_component = true};
}

/// Of all components but one nothing is left, and then they are joined.
void Selector::extract(const ssa::Instruction& each) {
  if (known(each.operands[1])) return;  // made where it is read
  static constexpr const AluOp* ieq = alu_row("ieq");
  static constexpr const AluOp* iand = alu_row("iand");
  static constexpr const AluOp* ior = alu_row("ior");
  const unsigned count = type_of(each.operands[0]).components;
  Source index = source(each.operands[1], false);
  index.component.fill(index.component[0]);
  const Value chosen = alu(ieq, count, index, numbers());
  const Value kept = alu(iand, count, source(each.operands[0], false), of(chosen));
  if (count == 4) {
    const Value half = alu(ior, 2, of(kept), of(kept, {2, 3, 3, 3}));
    values_[each.result] = alu(ior, 1, of(half), of(half, {1, 1, 1, 1}));
    return;
  }
  Value joined = alu(ior, 1, of(kept), of(kept, {1, 1, 1, 1}));
  if (count == 3) joined = alu(ior, 1, of(joined), of(kept, {2, 2, 2, 2}));
  values_[each.result] = joined;
}

/// max(min(x, 1), 0) in either order, and max(x, 0), are a move that clamps.
bool Selector::clamp(const ssa::Instruction& each) {
  constexpr std::uint32_t one = 0x3F800000U;
  const auto limited = [&](const ssa::Instruction& made, Op op, std::uint32_t limit) -> std::optional<ssa::Value> {
    if (made.op != op) return {};
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned count = type_of(made.operands[i]).components;
      bool all = true;
      for (unsigned c = 0; c < count; ++c) {
        const Part part = maker(made.operands[i])->op == Op::constant ? part_of(made.operands[i], c, true) : Part{};
        all = all && part.kind == Source::Kind::constant && part.bits == limit;
      }
      if (all) return made.operands[1 - i];
    }
    return {};
  };
  std::optional<ssa::Value> inner;
  auto outmod = midgard::FloatOutmod::clamp_0_1;
  if (const auto below = limited(each, Op::fmin, one))
    inner = limited(*maker(*below), Op::fmax, 0);
  else if (const auto above = limited(each, Op::fmax, 0)) {
    inner = limited(*maker(*above), Op::fmin, one);
    if (!inner) {
      inner = above;
      outmod = midgard::FloatOutmod::clamp_0_inf;
    }
  }
  if (!inner) return false;
  static constexpr const AluOp* fmov = alu_row("fmov");
  values_[each.result] = alu(fmov, each.type.components, {}, source(*inner, true));
  code_.blocks[here_].code.back().outmod = static_cast<std::uint8_t>(outmod);
  return true;
}

/// One component at a time; equal ones at once.
void Selector::look_up(const ssa::Instruction& each, const AluOp* op) {
  const Value result = code_.add({.components = each.type.components});
  const Source from = source(each.operands[0], true);
  const bool is_constant = from.kind == Source::Kind::constant;
  unsigned left = (1U << each.type.components) - 1;
  while (left != 0) {
    const auto lead = static_cast<unsigned>(std::countr_zero(left));
    Source one = from;
    one.component.fill(from.component[lead]);
    one.bits.fill(from.bits[lead]);
    unsigned mask = 0;
    for (unsigned i = lead; i < each.type.components; ++i)
      if (is_constant ? from.bits[i] == from.bits[lead] : from.component[i] == from.component[lead]) mask |= 1U << i;
    mask &= left;
    alu_into(result, static_cast<std::uint8_t>(mask), op, one, constant(std::uint32_t{0}));
    left &= ~mask;
  }
  values_[each.result] = result;
}

/// In two steps, the first of which makes three components (reference 3.4).
void Selector::arc_tangent(const ssa::Instruction& each) {
  static constexpr const AluOp* first = alu_row("fatan2_pt1");
  static constexpr const AluOp* second = alu_row("fatan2_pt2");
  static constexpr const AluOp* fmul = alu_row("fmul");
  constexpr std::uint8_t made = 0b1101;
  const Value result = code_.add({.components = each.type.components});
  const Source n = source(each.operands[0], true);
  const Source d = each.op == Op::fatan2 ? source(each.operands[1], true) : constant(1.0F);
  const auto component = [](Source from, unsigned which) {
    from.component.fill(from.component[which]);
    from.bits.fill(from.bits[which]);
    return from;
  };
  for (unsigned i = 0; i < each.type.components; ++i) {
    const Value parts = code_.add({.components = 4, .placement = Placement::first});
    Value tangent = no_value;
    {
      const Precision precision(relaxed_, false);
      alu_into(parts, made, first, component(n, i), component(d, i));
      tangent = alu(fmul, 1, of(parts, {2, 2, 2, 2}), of(parts, {3, 3, 3, 3}));
    }
    Source angle = of(tangent);
    angle.component.fill(0);
    alu_into(result, static_cast<std::uint8_t>(1U << i), second, of(parts, {0, 0, 0, 0}), angle);
  }
  values_[each.result] = result;
}

void Selector::dot(const ssa::Instruction& each) {
  const Source a = source(each.operands[0], true), b = source(each.operands[1], true);
  const unsigned count = type_of(each.operands[0]).components;
  static constexpr const AluOp* dots[] = {alu_row("fdot3"), alu_row("fdot4")};
  if (count > 2) {
    values_[each.result] = alu(dots[count - 3], 1, a, b);
    return;
  }
  static constexpr const AluOp* fmul = alu_row("fmul");
  static constexpr const AluOp* fadd = alu_row("fadd");
  Value products = no_value;
  {
    const Precision precision(relaxed_, false);
    products = alu(fmul, 2, a, b);
  }
  values_[each.result] = alu(fadd, 1, of(products, {0, 0, 0, 0}), of(products, {1, 1, 1, 1}));
}

void Selector::multiply_high(const ssa::Instruction& each, bool is_signed) {
  static constexpr const AluOp* imul = alu_row("imul");
  const Value result = code_.add({.components = each.type.components});
  // Sources of this form are registers: constants would be of 64 bits.
  std::array<Source, 2> from;
  for (unsigned i = 0; i < 2; ++i) {
    from[i] = source(each.operands[i], false);
    if (from[i].kind != Source::Kind::constant) continue;
    const Value copy = code_.add({.components = each.type.components});
    move(copy, static_cast<std::uint8_t>((1U << each.type.components) - 1), from[i]);
    from[i] = of(copy);
  }
  for (unsigned i = 0; i < each.type.components; ++i) {
    alu_into(result, static_cast<std::uint8_t>(1U << i), imul, from[0], from[1]);
    Instruction& made = code_.blocks[here_].code.back();
    made.high_half = true;
    made.is_signed = is_signed;
    made.outmod = static_cast<std::uint8_t>(midgard::IntOutmod::keephi);
  }
  values_[each.result] = result;
}

ssa::Value Selector::without_not(ssa::Value condition, bool& inverted) const {
  while (maker(condition)->op == Op::bnot) {
    condition = maker(condition)->operands[0];
    inverted = !inverted;
  }
  return condition;
}

/// What makes the condition in its word: the comparison itself where it is of this block, or a move.
Guard Selector::guard_of(ssa::Value condition, bool for_branch, unsigned components) {
  Guard guard;
  condition = without_not(condition, guard.inverted);
  const ssa::Instruction& made = *maker(condition);
  guard.by_component = !for_branch && components > 1 && type_of(condition).components > 1;
  if (const AluOp* const test = comparison(made.op); test != nullptr && block_of_[condition] == form_block_) {
    guard.op = test;
    for (unsigned i = 0; i < 2; ++i) guard.sources[i] = source(made.operands[i], guard.op->in == midgard::Kind::f);
    return guard;
  }
  static constexpr const AluOp* imov = alu_row("imov");
  guard.op = imov;
  guard.sources[1] = source(condition, false);
  return guard;
}

void Selector::select_value(const ssa::Instruction& each) {
  static constexpr const AluOp* iand = alu_row("iand");
  static constexpr const AluOp* iandnot = alu_row("iandnot");
  static constexpr const AluOp* by_w = alu_row("icsel");
  static constexpr const AluOp* by_w_real = alu_row("fcsel");
  static constexpr const AluOp* by_component = alu_row("icsel_v");
  static constexpr const AluOp* by_component_real = alu_row("fcsel_v");
  const unsigned components = each.type.components;
  const bool is_real = each.type.base == ssa::Base::real;
  Source yes = source(each.operands[1], is_real), no = source(each.operands[2], is_real);
  bool inverted = false;
  const ssa::Value condition = without_not(each.operands[0], inverted);
  if (inverted) std::swap(yes, no);
  const Precision precision(relaxed_, false);  // it changes no number
  const auto is_zero = [&](const Source& from) {
    return from.kind == Source::Kind::constant &&
           std::all_of(from.bits.begin(), from.bits.begin() + components, [](std::uint32_t bits) { return bits == 0; });
  };
  const bool plain_bits = !yes.absolute && !yes.negative && !no.absolute && !no.negative;
  if (plain_bits && is_zero(no)) {
    values_[each.result] = alu(iand, components, source(condition, false), yes);
    return;
  }
  if (plain_bits && is_zero(yes)) {
    values_[each.result] = alu(iandnot, components, no, source(condition, false));
    return;
  }
  Guard guard = guard_of(condition, false, components);
  if (guard.by_component) {  // all the same: one condition
    const auto same = [&](const Source& from) {
      if (from.kind == Source::Kind::none) return true;
      for (unsigned i = 1; i < components; ++i)
        if (from.kind == Source::Kind::constant ? from.bits[i] != from.bits[0] : from.component[i] != from.component[0])
          return false;
      return true;
    };
    guard.by_component = !same(guard.sources[0]) || !same(guard.sources[1]);
  }
  const AluOp* const op =
      guard.by_component ? (is_real ? by_component_real : by_component) : (is_real ? by_w_real : by_w);
  values_[each.result] = alu(op, components, yes, no);
  code_.blocks[here_].code.back().guard = guard;
}

void Selector::all_or_any(const ssa::Instruction& each) {
  static constexpr const AluOp* any = alu_row("ibany_neq");
  static constexpr const AluOp* all = alu_row("iball_neq");
  Source from = source(each.operands[0], false);
  const unsigned count = type_of(each.operands[0]).components;
  for (unsigned i = count; i < 4; ++i) {
    from.component[i] = from.component[count - 1];
    from.bits[i] = from.bits[count - 1];
  }
  values_[each.result] = alu(each.op == Op::bany ? any : all, 1, from, constant(std::uint32_t{0}));
}

}  // namespace mobula::midgard_compiler
