#include "compile/ssa/translate.h"

#include "compile/ssa/shared_numbers.h"

#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <bit>
#include <set>

#include "compile/front/large_stack.h"
#include "compile/ssa/execution_modes.h"
#include "compile/ssa/from_spirv.h"
#include "compile/ssa/sample_mask.h"
#include "compile/ssa/validate.h"

namespace mobula::ssa {

Translator::Translator(const SpirvModule& module, const SpirvModule::Entry& entry)
    : module_(module), entry_(entry), by_numbers_(shared_by_numbers(module)) {}

/// What is refused without a line has the one that is being translated.
Program Translator::run() {
  try {
    return translated();
  } catch (NotSupported& refused) {
    if (refused.diagnostic.where.line == 0 && line_.line != 0)
      module_.refuse(std::move(refused.diagnostic.message), line_, std::move(refused.diagnostic.hint));
    throw;
  }
}

Program Translator::translated() {
  out_.stage = entry_.stage;
  refuse_modes(module_, entry_);
  out_.local_size = local_size_of(module_, entry_);
  collect_drafts();
  find_reached(first_label_);
  order_blocks();
  for (const Id label : order_) translate_block(label);
  for (const auto& [block, label] : merges_)
    if (drafts_[label].reached) out_.blocks[block].merge = block_of(label);
  for (const auto& [block, label] : turns_)
    if (drafts_[label].reached) out_.blocks[block].next_turn = block_of(label);
  complete_phis();
  auto& begin = out_.blocks.front().instructions;
  begin.insert(begin.begin(), first_.begin(), first_.end());
  return std::move(out_);
}

void Translator::refuse_op(Words each) {
  module_.refuse(
      std::string("Op") + spvOpcodeString(static_cast<std::uint32_t>(each.op())) + " of SPIR-V is not supported",
      line_);
}

// ---------------------------------------------------------------------------------------------------------- blocks

void Translator::collect_drafts() {
  Draft* draft = nullptr;
  bool inside = false, here = false;
  SourceLine line;
  compile::for_each_instruction(module_.words(), [&](Words each) {
    switch (each.op()) {
      case spv::Op::OpExtInstImport:
        if (compile::text_at(each.words.subspan(2)) == "GLSL.std.450") functions_ = each[1];
        return;
      case spv::Op::OpLine:
        line = {each[1], each[2]};
        return;
      case spv::Op::OpNoLine:
        line = {};
        return;
      case spv::Op::OpFunction:
        inside = true;
        here = each[2] == entry_.function;
        return;
      case spv::Op::OpFunctionEnd:
        draft = nullptr;
        return;
      case spv::Op::OpLabel:
        if (!here) return;
        if (first_label_ == 0) first_label_ = each[1];
        draft = &drafts_[each[1]];
        return;
      default:
        break;
    }
    if (!inside) {
      if (each.op() == spv::Op::OpVariable)
        declare(each);
      else if (each.size() > 2 && (each.op() == spv::Op::OpUndef ||
                                   (each.op() >= spv::Op::OpConstantTrue && each.op() <= spv::Op::OpSpecConstantOp)))
        globals_[each[2]] = each;
      return;
    }
    if (!here || draft == nullptr) return;
    switch (each.op()) {
      case spv::Op::OpLoopMerge:
      case spv::Op::OpSelectionMerge:
        draft->merge = each;
        draft->has_merge = true;
        return;
      case spv::Op::OpBranch:
      case spv::Op::OpBranchConditional:
      case spv::Op::OpSwitch:
      case spv::Op::OpReturn:
      case spv::Op::OpKill:
      case spv::Op::OpTerminateInvocation:
      case spv::Op::OpUnreachable:
        draft->end = each;
        draft->end_line = line;
        return;
      default:
        draft->body.push_back(each);
        draft->lines.push_back(line);
    }
  });
}

std::vector<Id> Translator::targets_of(const Draft& draft) const {
  const Words& end = draft.end;
  switch (end.op()) {
    case spv::Op::OpBranch:
      return {end[1]};
    case spv::Op::OpBranchConditional:
      return {end[2], end[3]};
    case spv::Op::OpSwitch: {
      std::vector<Id> targets{end[2]};
      for (std::size_t i = 4; i < end.size(); i += 2) targets.push_back(end[i]);
      return targets;
    }
    default:
      return {};
  }
}

void Translator::find_reached(Id label) {
  std::vector<Id> open{label};
  drafts_[label].reached = true;
  while (!open.empty()) {
    const Id at = open.back();
    open.pop_back();
    for (const Id target : targets_of(drafts_[at])) {
      Draft& next = drafts_[target];
      if (next.end.words.empty()) module_.refuse("a block leads out of its function");
      if (!next.reached) open.push_back(target);
      next.reached = true;
    }
  }
}

/// In front of a block stands everything that leads to it, but for loops; and a construct stands before its merge.
void Translator::order_blocks() {
  std::set<Id> seen;
  struct Step {
    Id label;
    std::vector<Id> next;  ///< visited from the back
  };
  const auto successors = [&](Id label) {
    const Draft& draft = drafts_[label];
    std::vector<Id> next = targets_of(draft);
    // What is visited first comes last: the merge, then where a loop turns.
    if (draft.has_merge && draft.merge.op() == spv::Op::OpLoopMerge) next.push_back(draft.merge[2]);
    if (draft.has_merge) next.push_back(draft.merge[1]);
    std::erase_if(next, [&](Id each) { return !drafts_[each].reached; });
    return next;
  };
  std::vector<Step> path{{first_label_, successors(first_label_)}};
  seen.insert(first_label_);
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next.empty()) {
      order_.push_back(step.label);
      path.pop_back();
      continue;
    }
    const Id next = step.next.back();
    step.next.pop_back();
    if (seen.insert(next).second) path.push_back({next, successors(next)});
  }
  std::ranges::reverse(order_);
  // A switch becomes a row of branches, a block each but for the first.
  std::uint32_t count = 0;
  for (const Id label : order_) {
    Draft& draft = drafts_[label];
    draft.first = count++;
    if (draft.end.op() != spv::Op::OpSwitch) continue;
    std::set<Id> cases;
    for (std::size_t i = 4; i < draft.end.size(); i += 2) cases.insert(draft.end[i]);
    cases.erase(draft.end[2]);
    if (cases.size() > 1) count += static_cast<std::uint32_t>(cases.size()) - 1;
  }
  out_.blocks.resize(count);
}

std::uint32_t Translator::block_of(Id label) const { return drafts_.at(label).first; }

void Translator::translate_block(Id label) {
  const Draft& draft = drafts_[label];
  block_ = &out_.blocks[draft.first];
  for (std::size_t i = 0; i < draft.body.size(); ++i) {
    const Words each = draft.body[i];
    line_ = draft.lines[i];
    if (i == 0) block_->line = line_.line;
    if (each.op() == spv::Op::OpPhi) {
      begin_phi(label, each);
      continue;
    }
    precise_ = each.size() > 2 && module_.decorations(each[2]).precise;
    if (!translate_memory(each) && !translate_arithmetic(each) && !translate_texture(each)) refuse_op(each);
  }
  line_ = draft.end_line;
  end_block(label, draft);
}

void Translator::connect(Id from, Id target) {
  const auto at = static_cast<std::uint32_t>(block_ - out_.blocks.data());
  edges_[{from, target}] = at;
  out_.blocks[block_of(target)].predecessors.push_back(at);
}

void Translator::jump(Id from, Id target) {
  block_->end = {End::Kind::jump, none, {block_of(target), none}};
  connect(from, target);
}

void Translator::branch(Value condition, std::uint32_t yes, std::uint32_t no) {
  block_->end = {End::Kind::branch, condition, {yes, no}};
}

void Translator::end_block(Id label, const Draft& draft) {
  if (draft.has_merge) {
    merges_.emplace_back(draft.first, draft.merge[1]);
    if (draft.merge.op() == spv::Op::OpLoopMerge) turns_.emplace_back(draft.first, draft.merge[2]);
  }
  const Words& end = draft.end;
  switch (end.op()) {
    case spv::Op::OpBranch:
      return jump(label, end[1]);
    case spv::Op::OpBranchConditional:
      if (end[2] == end[3]) return jump(label, end[2]);
      branch(value(end[1]), block_of(end[2]), block_of(end[3]));
      connect(label, end[2]);
      connect(label, end[3]);
      return;
    case spv::Op::OpSwitch:
      return end_switch(label, draft);
    case spv::Op::OpReturn:
      block_->end.kind = End::Kind::leave;
      return;
    case spv::Op::OpKill:
    case spv::Op::OpTerminateInvocation:
      block_->end.kind = End::Kind::discard;
      return;
    default:
      block_->end.kind = End::Kind::unreachable;
  }
}

void Translator::end_switch(Id label, const Draft& draft) {
  const Words& end = draft.end;
  const Id otherwise = end[2];
  std::vector<std::pair<Id, std::vector<std::uint32_t>>> cases;  // targets, each with its numbers
  for (std::size_t i = 3; i + 1 < end.size(); i += 2) {
    if (end[i + 1] == otherwise) continue;
    const auto known = std::ranges::find(cases, end[i + 1], [](const auto& each) { return each.first; });
    if (known == cases.end())
      cases.push_back({end[i + 1], {end[i]}});
    else
      known->second.push_back(end[i]);
  }
  if (cases.empty()) return jump(label, otherwise);
  const Value selector = value(end[1]);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Value chosen = none;
    for (const std::uint32_t number : cases[i].second) {
      const Value is = make(Op::ieq, {Base::boolean}, {selector, integer(number)});
      chosen = chosen == none ? is : make(Op::bor, {Base::boolean}, {chosen, is});
    }
    const bool last = i + 1 == cases.size();
    const auto here = static_cast<std::uint32_t>(block_ - out_.blocks.data());
    branch(chosen, block_of(cases[i].first), last ? block_of(otherwise) : here + 1);
    connect(label, cases[i].first);
    if (last) {
      connect(label, otherwise);
    } else {
      block_ = &out_.blocks[here + 1];
      block_->predecessors.push_back(here);
    }
  }
}

void Translator::begin_phi(Id label, Words each) {
  Phi phi{each, label, static_cast<std::uint32_t>(block_ - out_.blocks.data()), {}};
  Values made;
  for (const Leaf& leaf : module_.leaves(each[1], module_.decorations(each[2]).relaxed)) {
    phi.at.push_back(block_->instructions.size());
    made.push_back(make(Op::phi, leaf.type));
  }
  set_leaves(each, std::move(made));
  phis_.push_back(std::move(phi));
}

void Translator::complete_phis() {
  for (const Phi& phi : phis_) {
    Block& block = out_.blocks[phi.block];
    for (const std::size_t at : phi.at) block.instructions[at].operands.assign(block.predecessors.size(), none);
    for (std::size_t i = 3; i + 1 < phi.words.size(); i += 2) {
      const Id from = phi.words[i + 1];
      const auto edge = edges_.find({from, phi.label});
      if (edge == edges_.end()) continue;  // from where nothing comes
      const Values& operands = leaves(phi.words[i]);
      const auto at = std::ranges::find(block.predecessors, edge->second) - block.predecessors.begin();
      for (std::size_t k = 0; k < phi.at.size(); ++k) block.instructions[phi.at[k]].operands[at] = operands[k];
    }
  }
}

// ---------------------------------------------------------------------------------------------------------- values

Value Translator::make(Op op, Type type, Values operands, std::array<std::uint32_t, 4> data) {
  Instruction each;
  each.op = op;
  each.type = type;
  each.operands = std::move(operands);
  each.data = data;
  each.line = line_.line;
  each.precise = precise_ && type.base == Base::real;
  if (type.base != Base::none) {
    each.result = static_cast<Value>(out_.values.size());
    out_.values.push_back(type);
  }
  const Value result = each.result;
  block_->instructions.push_back(std::move(each));
  return result;
}

Value Translator::constant(Type type, std::uint32_t bits) {
  const auto [known, is_new] = constants_.try_emplace({static_cast<std::uint32_t>(type.base), type.components, bits},
                                                      static_cast<Value>(out_.values.size()));
  if (!is_new) return known->second;
  put_first(Op::constant, type);
  for (unsigned i = 0; i < type.components; ++i) first_.back().data[i] = bits;
  return known->second;
}

/// Of what stands before everything else.
Value Translator::put_first(Op op, Type type) {
  Instruction each;
  each.op = op;
  each.type = type;
  each.result = static_cast<Value>(out_.values.size());
  out_.values.push_back(type);
  first_.push_back(std::move(each));
  return first_.back().result;
}

Value Translator::real(float value, std::uint8_t components) {
  return constant({Base::real, components}, std::bit_cast<std::uint32_t>(value));
}

Value Translator::swizzle(Value from, std::uint32_t component) {
  const Type type = type_of(from);
  if (type.components == 1) return from;
  return make(Op::swizzle, {type.base, 1, type.relaxed}, {from}, {component});
}

Value Translator::compose(const Values& parts) {
  if (parts.size() == 1) return parts.front();
  Type type = type_of(parts.front());
  type.components = 0;
  for (const Value part : parts) {
    type.components = static_cast<std::uint8_t>(type.components + type_of(part).components);
    type.relaxed = type.relaxed && type_of(part).relaxed;
  }
  return make(Op::compose, type, parts);
}

Value Translator::splat(Value scalar, std::uint8_t components) {
  if (components == 1) return scalar;
  const Type type = type_of(scalar);
  return make(Op::swizzle, {type.base, components, type.relaxed}, {scalar});
}

Value Translator::add(Value a, Value b) {
  if (a == none || b == none) return a == none ? b : a;
  return make(Op::iadd, {Base::integer}, {a, b});
}

Type Translator::result_type(Words each) const {
  Type type = module_.vector_type(each[1]);
  type.relaxed = type.base != Base::boolean && module_.decorations(each[2]).relaxed;
  return type;
}

const std::vector<Value>& Translator::leaves(Id id) {
  const auto known = values_.find(id);
  if (known != values_.end()) return known->second;
  if (!globals_.contains(id)) module_.refuse("a value that is not a number is used", line_);
  Values made = constant_leaves(id);
  return values_[id] = std::move(made);
}

std::vector<Value> Translator::constant_leaves(Id id) {
  const Words each = globals_.at(id);
  Values made;
  const auto same = [&](std::uint32_t bits) {
    for (const Leaf& leaf : module_.leaves(each[1], false)) made.push_back(constant(leaf.type, bits));
  };
  switch (each.op()) {
    case spv::Op::OpConstantTrue:
    case spv::Op::OpSpecConstantTrue:
      same(1);
      return made;
    case spv::Op::OpConstantFalse:
    case spv::Op::OpSpecConstantFalse:
    case spv::Op::OpConstantNull:
      same(0);
      return made;
    case spv::Op::OpUndef:
      for (const Leaf& leaf : module_.leaves(each[1], false)) made.push_back(put_first(Op::undefined, leaf.type));
      return made;
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant:
      same(each[3]);
      return made;
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite:
      break;
    default:
      refuse_op(each);
  }
  for (std::size_t i = 3; i < each.size(); ++i) {
    const Values part = leaves(each[i]);
    made.insert(made.end(), part.begin(), part.end());
  }
  if (module_.type(each[1]).kind != SpirvType::Kind::vector) return made;
  std::vector<Instruction> parts;
  for (const Value part : made) parts.push_back(*std::ranges::find(first_, part, &Instruction::result));
  const bool is_known = std::ranges::find(parts, Op::undefined, &Instruction::op) == parts.end();
  // A vector of constants is one, too.
  const Value vector = put_first(is_known ? Op::constant : Op::compose, module_.vector_type(each[1]));
  if (!is_known) first_.back().operands = made;
  for (std::size_t i = 0; is_known && i < parts.size(); ++i) first_.back().data[i] = parts[i].data[0];
  return {vector};
}

// ---------------------------------------------------------------------------------------------------------- the door

namespace {

Result<Program> translated(const compile::Spirv& spirv, Stage stage, std::string_view file) {
  try {
    const SpirvModule module(spirv, file);
    const SpirvModule::Entry* chosen = nullptr;
    for (const SpirvModule::Entry& entry : module.entries()) {
      if (entry.stage == Stage::unknown || (stage != Stage::unknown && entry.stage != stage)) continue;
      if (chosen != nullptr) return fail("CO015", "there are several programs in this module", "--stage chooses one");
      chosen = &entry;
    }
    if (chosen == nullptr)
      return fail("CO015", "there is no vertex, fragment or compute program of that stage in this module");
    Program program = Translator(module, *chosen).run();
    discard_by_sample_mask(program);
    if (const std::vector<std::string> wrong = faults(program); !wrong.empty())
      return fail("CO021", "a fault of the compiler: " + wrong.front(), "please report it with the shader");
    return program;
  } catch (NotSupported& refused) {
    return fail(std::move(refused.diagnostic));
  }
}

}  // namespace

Result<Program> from_spirv(const compile::Spirv& module, Stage stage, std::string_view file) {
  return compile::on_large_stack([&] { return translated(module, stage, file); });
}

}  // namespace mobula::ssa
