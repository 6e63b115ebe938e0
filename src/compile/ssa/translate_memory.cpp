#include <algorithm>
#include <utility>

#include "compile/ssa/translate.h"

namespace mobula::ssa {
namespace {

using Kind = SpirvType::Kind;

bool is_block(Storage storage) { return storage == Storage::uniform_block || storage == Storage::storage_block; }

BuiltIn built_in_of(std::uint32_t decoration) {
  switch (static_cast<spv::BuiltIn>(decoration)) {
    case spv::BuiltIn::Position:
      return BuiltIn::position;
    case spv::BuiltIn::PointSize:
      return BuiltIn::point_size;
    case spv::BuiltIn::ClipDistance:
      return BuiltIn::clip_distance;
    case spv::BuiltIn::CullDistance:
      return BuiltIn::cull_distance;
    case spv::BuiltIn::VertexId:
    case spv::BuiltIn::VertexIndex:
      return BuiltIn::vertex_id;
    case spv::BuiltIn::InstanceId:
    case spv::BuiltIn::InstanceIndex:
      return BuiltIn::instance_id;
    case spv::BuiltIn::FragCoord:
      return BuiltIn::frag_coord;
    case spv::BuiltIn::PointCoord:
      return BuiltIn::point_coord;
    case spv::BuiltIn::FrontFacing:
      return BuiltIn::front_facing;
    case spv::BuiltIn::SampleId:
      return BuiltIn::sample_id;
    case spv::BuiltIn::SamplePosition:
      return BuiltIn::sample_position;
    case spv::BuiltIn::SampleMask:
      return BuiltIn::sample_mask;
    case spv::BuiltIn::FragDepth:
      return BuiltIn::frag_depth;
    case spv::BuiltIn::HelperInvocation:
      return BuiltIn::helper_invocation;
    case spv::BuiltIn::PrimitiveId:
      return BuiltIn::primitive_id;
    case spv::BuiltIn::Layer:
      return BuiltIn::layer;
    case spv::BuiltIn::ViewportIndex:
      return BuiltIn::viewport_index;
    case spv::BuiltIn::NumWorkgroups:
      return BuiltIn::num_work_groups;
    case spv::BuiltIn::WorkgroupSize:
      return BuiltIn::work_group_size;
    case spv::BuiltIn::WorkgroupId:
      return BuiltIn::work_group_id;
    case spv::BuiltIn::LocalInvocationId:
      return BuiltIn::local_invocation_id;
    case spv::BuiltIn::GlobalInvocationId:
      return BuiltIn::global_invocation_id;
    case spv::BuiltIn::LocalInvocationIndex:
      return BuiltIn::local_invocation_index;
    default:
      return BuiltIn::unknown;
  }
}

/// GLSL's, as modules need not have any.
std::string name_of_built_in(std::uint32_t decoration) {
  switch (static_cast<spv::BuiltIn>(decoration)) {
    case spv::BuiltIn::BaseVertex:
      return "gl_BaseVertex";
    case spv::BuiltIn::BaseInstance:
      return "gl_BaseInstance";
    case spv::BuiltIn::DrawIndex:
      return "gl_DrawID";
    default:
      break;
  }
  const std::string_view known = name(built_in_of(decoration));
  return known.empty() ? "gl_" + std::to_string(decoration) : std::string(known);
}

/// As run inputs spell it; empty where the shader does not say which it is, or no run has it.
std::string_view format_name(spv::ImageFormat format) {
  switch (format) {
    case spv::ImageFormat::Rgba32f:
      return "rgba32_float";
    case spv::ImageFormat::Rgba16f:
      return "rgba16_float";
    case spv::ImageFormat::R32f:
      return "r32_float";
    case spv::ImageFormat::Rgba8:
      return "rgba8_unorm";
    case spv::ImageFormat::Rgba8Snorm:
      return "rgba8_snorm";
    case spv::ImageFormat::Rgba32i:
      return "rgba32_sint";
    case spv::ImageFormat::Rgba16i:
      return "rgba16_sint";
    case spv::ImageFormat::Rgba8i:
      return "rgba8_sint";
    case spv::ImageFormat::R32i:
      return "r32_sint";
    case spv::ImageFormat::Rgba32ui:
      return "rgba32_uint";
    case spv::ImageFormat::Rgba16ui:
      return "rgba16_uint";
    case spv::ImageFormat::Rgba8ui:
      return "rgba8_uint";
    case spv::ImageFormat::R32ui:
      return "r32_uint";
    default:
      return {};
  }
}

std::optional<AtomicOp> atomic_of(spv::Op op) {
  switch (op) {
    case spv::Op::OpAtomicLoad:
      return AtomicOp::load;
    case spv::Op::OpAtomicStore:
      return AtomicOp::store;
    case spv::Op::OpAtomicExchange:
      return AtomicOp::exchange;
    case spv::Op::OpAtomicCompareExchange:
      return AtomicOp::compare_exchange;
    case spv::Op::OpAtomicIIncrement:
    case spv::Op::OpAtomicIDecrement:
    case spv::Op::OpAtomicIAdd:
    case spv::Op::OpAtomicISub:
      return AtomicOp::add;
    case spv::Op::OpAtomicSMin:
      return AtomicOp::min_s;
    case spv::Op::OpAtomicUMin:
      return AtomicOp::min_u;
    case spv::Op::OpAtomicSMax:
      return AtomicOp::max_s;
    case spv::Op::OpAtomicUMax:
      return AtomicOp::max_u;
    case spv::Op::OpAtomicAnd:
      return AtomicOp::and_;
    case spv::Op::OpAtomicOr:
      return AtomicOp::or_;
    case spv::Op::OpAtomicXor:
      return AtomicOp::xor_;
    default:
      return {};
  }
}

}  // namespace

// ------------------------------------------------------------------------------------------------ variables

/// What cannot be declared is told where it is first used: SPIR-V has no lines of declarations.
void Translator::declare(Words each) {
  const SourceLine before = std::exchange(line_, module_.first_use(each[2]));
  declare_as_known(each);
  line_ = before;
}

void Translator::declare_as_known(Words each) {
  const Id id = each[2], type = module_.type(each[1]).element;
  if (static_cast<spv::StorageClass>(each[3]) == spv::StorageClass::AtomicCounter) return declare_counter(each, type);
  const Decorations& how = module_.decorations(id);
  const auto interface = static_cast<spv::StorageClass>(each[3]);
  const SpirvType* what = &module_.type(type);
  Id single = type;
  while (what->kind == Kind::array || what->kind == Kind::endless_array) what = &module_.type(single = what->element);

  Variable variable;
  variable.name = module_.name_of(id);
  variable.set = how.set.value_or(0);
  const bool is_image = what->kind == Kind::image;
  if (is_image && what->dim == spv::Dim::SubpassData)
    module_.refuse("the input attachment " + variable.name + " is not supported", line_,
                   "give the shader what the pass before has drawn as a texture");
  const bool is_texture = what->kind == Kind::combined || what->kind == Kind::sampler || is_image;
  switch (interface) {
    case spv::StorageClass::Input:
      variable.storage = Storage::input;
      break;
    case spv::StorageClass::Output:
      variable.storage = Storage::output;
      break;
    case spv::StorageClass::UniformConstant:
      variable.storage = is_image && what->is_storage ? Storage::image
                         : is_texture                 ? Storage::texture
                                                      : Storage::uniform;
      break;
    case spv::StorageClass::Uniform:
      variable.storage = module_.decorations(single).buffer_block ? Storage::storage_block : Storage::uniform_block;
      break;
    case spv::StorageClass::StorageBuffer:
      variable.storage = Storage::storage_block;
      break;
    case spv::StorageClass::PushConstant:
      variable.storage = Storage::uniform_block;
      break;
    case spv::StorageClass::Workgroup:
      variable.storage = Storage::shared;
      break;
    case spv::StorageClass::Private:
    case spv::StorageClass::Function:
      variable.storage = Storage::local;
      break;
    default:
      module_.refuse("the variable " + variable.name + " is of a kind that is not supported", line_);
  }
  if (variable.storage != Storage::uniform) variable.binding = how.binding.value_or(none);
  // A module may hold several programs: what this one does not name is not its own.
  const bool of_interface = variable.storage == Storage::input || variable.storage == Storage::output;
  if (of_interface && std::ranges::find(entry_.interface, id) == entry_.interface.end()) return;

  Place place{static_cast<std::uint32_t>(out_.variables.size()), type};
  place.relaxed = how.relaxed;
  if (is_block(variable.storage)) {
    variable.name = module_.name_of(single);
    declare_members(single, variable);
    place.chooses_block = single != type;
    if (place.chooses_block) declare_blocks(type, std::exchange(variable, {}));
  } else if (variable.storage == Storage::texture || variable.storage == Storage::image) {
    declare_textures(type, variable);
  } else if (by_numbers_.contains(id)) {
    place.by_numbers = true;
    declare_numbers(type, variable);
  } else {
    declare_slots(each, type, variable);
  }
  if (!place.chooses_block) out_.variables.push_back(std::move(variable));
  places_[id] = place;
  if (interface == spv::StorageClass::UniformConstant && what->kind == Kind::structure)
    declare_textures_of(place.variable, module_.leaves(type, false));
  if (each.size() > 4) {
    for (const Value leaf : leaves(each[4])) {
      const auto from = std::ranges::find(first_, leaf, &Instruction::result);
      out_.variables.back().initial.push_back(from == first_.end() ? std::array<std::uint32_t, 4>{} : from->data);
    }
  }
}

/// Atomic counters are words of a buffer, one for each binding, which goes by its number.
void Translator::declare_counter(Words each, Id type) {
  constexpr std::uint32_t bytes = 4;
  const Decorations& how = module_.decorations(each[2]);
  const std::uint32_t binding = how.binding.value_or(0), first = how.offset.value_or(0);
  const auto [known, is_new] = counters_.try_emplace(binding, static_cast<std::uint32_t>(out_.variables.size()));
  if (is_new) {
    Variable buffer;
    buffer.name = "counter" + std::to_string(binding);
    buffer.storage = Storage::storage_block;
    buffer.binding = binding;
    out_.variables.push_back(std::move(buffer));
  }
  std::uint32_t at = first;
  for (const Leaf& leaf : module_.leaves(type, false)) {
    out_.variables[known->second].members.push_back({module_.name_of(each[2]) + leaf.path, leaf.type, false, at, 0});
    at += bytes;
  }
  places_[each[2]] = {known->second, type, first};
}

/// A slot for each texture of an array, and the numbers that its texels are.
void Translator::declare_textures(Id type, Variable& variable) const {
  std::uint32_t count = 1;
  const SpirvType* what = &module_.type(type);
  const bool several = what->kind == Kind::array;
  for (; what->kind == Kind::array; what = &module_.type(what->element)) count *= what->count;
  if (what->kind == Kind::combined) what = &module_.type(what->element);
  if (what->is_storage) variable.format = format_name(what->format);
  Slot slot{variable.name, {Base::real, 4}, false, none};
  if (what->kind == Kind::image && module_.type(what->element).kind == Kind::integer) {
    slot.type.base = Base::integer;
    slot.is_signed = module_.type(what->element).is_signed;
  }
  for (std::uint32_t i = 0; i < std::max(count, 1U); ++i) {
    if (several) slot.name = variable.name + '[' + std::to_string(i) + ']';
    variable.slots.push_back(slot);
  }
}

/// The textures in the structures of a uniform: a variable for each, or for each array of them.
void Translator::declare_textures_of(std::uint32_t number, const std::vector<Leaf>& leaves) {
  const std::string prefix = out_.variables[number].name;
  std::string last;
  for (std::uint32_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].opaque == 0) continue;
    const std::string path = prefix + leaves[i].path, name = path.substr(0, path.find('[', path.rfind('.')));
    if (name != last) {
      Variable texture;
      texture.name = last = name;
      texture.storage = Storage::texture;
      declare_textures(leaves[i].opaque, texture);
      texture.slots.front().name = path;
      out_.variables.push_back(std::move(texture));
    } else {
      Variable& texture = out_.variables.back();
      texture.slots.push_back(texture.slots.front());
      texture.slots.back().name = path;
    }
    textures_of_structures_[{number, i}] = {static_cast<std::uint32_t>(out_.variables.size()) - 1,
                                            static_cast<std::uint32_t>(out_.variables.back().slots.size()) - 1};
  }
}

Resource Translator::texture_of_structure(const Place& place) const {
  if (place.chooses_structure)
    module_.refuse("a texture in an array of structures with an index that is not a constant is not supported", line_,
                   "choose among the textures by if or switch");
  const auto [texture, slot] = textures_of_structures_.at({place.variable, place.at});
  return {place.type, texture, texture, slot, place.added};
}

void Translator::declare_slots(Words each, Id type, Variable& variable) {
  const Decorations& how = module_.decorations(each[2]);
  std::string prefix = variable.name;
  if (how.built_in) prefix = variable.name = name_of_built_in(*how.built_in);
  Id single = type;
  while (module_.type(single).kind == Kind::array) single = module_.type(single).element;
  // Members of a block go by the block's name, those of a block of built-in variables by their own.
  const SpirvType& what = module_.type(single);
  const bool is_interface_block = what.kind == Kind::structure && module_.decorations(single).block;
  if (is_interface_block) prefix = module_.name_of(single);
  for (const Leaf& leaf : module_.leaves(type, how.relaxed))
    variable.slots.push_back({prefix + leaf.path, leaf.type, leaf.is_signed, none,
                              how.built_in ? built_in_of(*how.built_in) : BuiltIn::none, how.flat, how.noperspective,
                              how.invariant});
  // Of uniforms the linker chooses what nobody asked for.
  if (how.location && variable.storage != Storage::uniform)
    for (std::uint32_t i = 0; i < variable.slots.size(); ++i) variable.slots[i].location = *how.location + i;
  if (!is_interface_block) return;
  for (std::uint32_t block = 0; block < variable.slots.size(); block += what.leaves)
    decorate_members(single, std::span(variable.slots).subspan(block, what.leaves));
}

/// What the members of an interface block say of its slots.
void Translator::decorate_members(Id block, std::span<Slot> slots) const {
  const SpirvType& what = module_.type(block);
  for (std::uint32_t member = 0; member < what.members.size(); ++member) {
    const Decorations& of_member = module_.decorations(block, member);
    const std::uint32_t first = what.first_leaf[member], count = module_.type(what.members[member]).leaves;
    for (std::uint32_t i = first; i < first + count; ++i) {
      if (of_member.location) slots[i].location = *of_member.location + i - first;
      slots[i].flat = slots[i].flat || of_member.flat;
      slots[i].noperspective = slots[i].noperspective || of_member.noperspective;
      slots[i].invariant = slots[i].invariant || of_member.invariant;
      if (!of_member.built_in) continue;
      const std::size_t indices = slots[i].name.find('[');
      const std::string rest = indices == std::string::npos ? "" : slots[i].name.substr(indices);
      slots[i].name = name_of_built_in(*of_member.built_in) + rest;
      slots[i].built_in = built_in_of(*of_member.built_in);
    }
  }
}

void Translator::declare_numbers(Id type, Variable& variable) const {
  for (const Leaf& leaf : module_.leaves(type, false))
    for (std::uint32_t i = 0; i < leaf.type.components; ++i)
      variable.slots.push_back(
          {variable.name + leaf.path + (leaf.type.components == 1 ? "" : std::string(".") + "xyzw"[i]),
           {leaf.type.base},
           leaf.is_signed,
           none});
}

/// How many slots a part of the place has.
std::uint32_t Translator::slots_in(const Place& place, Id type) const {
  if (!place.by_numbers) return module_.type(type).leaves;
  std::uint32_t numbers = 0;
  for (const Leaf& leaf : module_.leaves(type, false)) numbers += leaf.type.components;
  return numbers;
}

std::uint32_t Translator::blocks_in(Id type) const {
  const SpirvType& what = module_.type(type);
  return what.kind == Kind::array ? what.count * blocks_in(what.element) : 1;
}

/// As many variables as the array has blocks, at bindings one after the other.
void Translator::declare_blocks(Id type, const Variable& like) {
  const std::vector<std::string> indices = module_.indices_of_blocks(type);
  if (indices.empty())
    module_.refuse("the array of blocks " + like.name + " has more than 256 of them, or no number", line_);
  for (std::uint32_t i = 0; i < indices.size(); ++i) {
    out_.variables.push_back(like);
    out_.variables.back().name += indices[i];
    if (like.binding != none) out_.variables.back().binding += i;
  }
}

void Translator::declare_members(Id type, Variable& variable) {
  const SpirvType& block = module_.type(type);
  for (std::uint32_t i = 0; i < block.members.size(); ++i) {
    const Decorations& how = module_.decorations(type, i);
    add_members(variable, block.members[i], module_.member_name(type, i), how.offset.value_or(0), 0, how, how.relaxed);
  }
}

void Translator::add_members(Variable& variable, Id type, const std::string& path, std::uint32_t offset,
                             std::uint32_t stride, const Decorations& how, bool relaxed, std::uint32_t step) {
  const SpirvType& what = module_.type(type);
  if (variable.members.size() > 1 << 16) module_.refuse("a block of more than 65536 vectors is not supported", line_);
  switch (what.kind) {
    case Kind::structure:
      for (std::uint32_t i = 0; i < what.members.size(); ++i) {
        const Decorations& inner = module_.decorations(type, i);
        add_members(variable, what.members[i], path + '.' + module_.member_name(type, i),
                    offset + inner.offset.value_or(0), stride, inner, relaxed || inner.relaxed);
      }
      return;
    case Kind::array:
    case Kind::endless_array: {
      const std::uint32_t every = module_.decorations(type).array_stride.value_or(0);
      const bool endless = what.kind == Kind::endless_array;
      for (std::uint32_t i = 0; i < (endless ? 1 : what.count); ++i)
        add_members(variable, what.element, path + '[' + std::to_string(i) + ']', offset + i * every,
                    endless ? every : stride, how, relaxed);
      return;
    }
    case Kind::matrix: {
      // By columns, whichever way they lie; where rows lie together, a column's numbers are matrix_stride apart.
      const std::uint32_t apart = how.matrix_stride.value_or(16);
      for (std::uint32_t i = 0; i < what.count; ++i)
        add_members(variable, what.element, path + '[' + std::to_string(i) + ']',
                    offset + i * (how.row_major ? 4 : apart), stride, how, relaxed, how.row_major ? apart : 4);
      return;
    }
    default: {
      Type leaf = module_.vector_type(type);
      leaf.relaxed = relaxed;
      variable.members.push_back(
          {path, leaf, module_.type(what.kind == Kind::vector ? what.element : type).is_signed, offset, stride, step});
    }
  }
}

bool Translator::in_bytes(const Place& place) const { return is_block(out_.variables[place.variable].storage); }

// ------------------------------------------------------------------------------------------------ places

bool Translator::translate_memory(Words each) {
  switch (each.op()) {
    case spv::Op::OpVariable:
      declare(each);
      // What the optimiser leaves of a function's variables is made anew with each turn of a loop by a store of its
      // own.
      return true;
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      access_chain(each);
      return true;
    case spv::Op::OpLoad:
      load(each);
      return true;
    case spv::Op::OpStore:
      store(each);
      return true;
    case spv::Op::OpCopyMemory:
      store_to(places_.at(each[1]), load_from(places_.at(each[2])));
      return true;
    case spv::Op::OpArrayLength:
      array_length(each);
      return true;
    case spv::Op::OpControlBarrier:
    case spv::Op::OpMemoryBarrier:
      // All threads see each other's stores at once here; a machine's compiler asks for more where it needs it.
      if (each.op() == spv::Op::OpControlBarrier) make(Op::barrier, {});
      return true;
    default:
      if (!atomic_of(each.op())) return false;
      atomic(each);
      return true;
  }
}

void Translator::access_chain(Words each) {
  if (!places_.contains(each[3])) module_.refuse("a pointer that is made at run time is not supported", line_);
  Place place = places_.at(each[3]);
  const Storage storage = out_.variables[place.variable].storage;
  for (std::size_t i = 4; i < each.size(); ++i) {
    if (module_.type(place.type).kind == Kind::vector && place.by_numbers)
      step_number(place, each[i]);
    else if (module_.type(place.type).kind == Kind::vector)
      step_component(place, each[i]);
    else if (place.chooses_block)
      step_blocks(place, each[i]);
    else if (is_block(storage))
      step_bytes(place, each[i]);
    else
      step_slots(place, each[i]);
  }
  places_[each[2]] = place;
}

void Translator::step_component(Place& place, Id index) {
  place.type = module_.type(place.type).element;
  place.has_component = true;
  if (const auto known = module_.constant(index))
    place.component = *known;
  else
    place.chosen = value(index);
}

void Translator::step_number(Place& place, Id index) {
  const std::uint32_t last = module_.type(place.type).count - 1;
  place.type = module_.type(place.type).element;
  if (const auto known = module_.constant(index))
    place.at += std::min(*known, last);
  else
    place.added = add(place.added, make(Op::imin_u, {Base::integer}, {value(index), integer(last)}));
}

void Translator::step_slots(Place& place, Id index) {
  const SpirvType& type = module_.type(place.type);
  if (type.kind == Kind::structure) {
    const std::uint32_t member = std::min<std::uint32_t>(module_.constant(index).value_or(0),
                                                         static_cast<std::uint32_t>(type.members.size() - 1));
    place.relaxed = place.relaxed || module_.decorations(place.type, member).relaxed;
    for (std::uint32_t i = 0; i < member && place.by_numbers; ++i) place.at += slots_in(place, type.members[i]);
    if (!place.by_numbers) place.at += type.first_leaf[member];
    place.type = type.members[member];
    return;
  }
  const std::uint32_t each = slots_in(place, type.element);
  place.type = type.element;
  if (const auto known = module_.constant(index)) {
    place.at += std::min(*known, type.count == 0 ? 0 : type.count - 1) * each;
    return;
  }
  const SpirvType* inner = &module_.type(type.element);
  while (inner->kind == Kind::array) inner = &module_.type(inner->element);
  place.chooses_structure = place.chooses_structure || inner->kind == Kind::structure;
  // Beyond its end an array gives some element of its own, as robust access has it.
  Value chosen = make(Op::imin_u, {Base::integer}, {value(index), integer(type.count == 0 ? 0 : type.count - 1)});
  if (each != 1) chosen = make(Op::imul, {Base::integer}, {chosen, integer(each)});
  place.added = add(place.added, chosen);
}

void Translator::step_blocks(Place& place, Id index) {
  const SpirvType& type = module_.type(place.type);
  const auto known = module_.constant(index);
  const std::uint32_t step = blocks_in(type.element);
  place.type = type.element;
  place.chooses_block = module_.type(type.element).kind == Kind::array;
  if (known) {
    place.variable += std::min(*known, type.count - 1) * step;
    return;
  }
  if (place.chosen_block != none)
    module_.refuse("an array of arrays of blocks with two indices that are not constants is not supported", line_,
                   "choose among the blocks by if or switch");
  place.chosen_block = value(index);
  place.blocks = type.count;
  place.block_step = step;
}

/// What `load` gives of the block that is chosen, whose number is known at run time only.
std::vector<Value> Translator::load_from_chosen(const Place& place, const std::function<Values(const Place&)>& load) {
  Place each = place;
  each.chosen_block = none;
  Values chosen = load(each);
  for (std::uint32_t i = 1; i < place.blocks; ++i) {
    each.variable += place.block_step;
    const Values here = load(each);
    const Value is = make(Op::ieq, {Base::boolean}, {place.chosen_block, integer(i)});
    for (std::size_t k = 0; k < chosen.size(); ++k)
      chosen[k] = make(Op::select, type_of(chosen[k]), {splat(is, type_of(chosen[k]).components), here[k], chosen[k]});
  }
  return chosen;
}

void Translator::refuse_chosen_block(const Place& place) const {
  if (place.chosen_block == none) return;
  module_.refuse("writing to an array of blocks with an index that is not a constant is not supported", line_,
                 "choose among the blocks by if or switch");
}

/// Of an array in bytes. Only those of atomic counters do not say it: their elements follow each other.
std::uint32_t Translator::stride_of(Id array) const {
  return module_.decorations(array).array_stride.value_or(4 * module_.type(module_.type(array).element).leaves);
}

void Translator::step_bytes(Place& place, Id index) {
  const SpirvType& type = module_.type(place.type);
  if (type.kind == Kind::structure) {
    const std::uint32_t member = std::min<std::uint32_t>(module_.constant(index).value_or(0),
                                                         static_cast<std::uint32_t>(type.members.size() - 1));
    const Decorations& how = module_.decorations(place.type, member);
    place.relaxed = place.relaxed || how.relaxed;
    place.at += how.offset.value_or(0);
    if (how.matrix_stride) place.matrix_stride = *how.matrix_stride;
    place.row_major = how.row_major;
    place.type = type.members[member];
    return;
  }
  const bool matrix = type.kind == Kind::matrix;
  const std::uint32_t step = !matrix ? stride_of(place.type) : place.row_major ? 4 : place.matrix_stride;
  place.type = type.element;
  if (const auto known = module_.constant(index))
    place.at += *known * step;
  else
    place.added = add(place.added, make(Op::imul, {Base::integer}, {value(index), integer(step)}));
  if (!matrix) return;
  // What is reached is a column, whose numbers lie together or not.
  if (!place.row_major) place.matrix_stride = 0;
}

// ------------------------------------------------------------------------------------------------ loads and stores

namespace {

std::vector<Value> with_place(std::vector<Value> operands, Value added) {
  if (added != none) operands.push_back(added);
  return operands;
}

}  // namespace

/// Calls `act` for each vector of `type` at byte `at` of the place, whose matrix layout is that of the vector.
void Translator::for_each_byte_leaf(const Place& place, Id type, std::uint32_t at,
                                    const std::function<void(const Place&, std::uint32_t, Type)>& act) {
  const SpirvType& what = module_.type(type);
  switch (what.kind) {
    case Kind::structure:
      for (std::uint32_t i = 0; i < what.members.size(); ++i) {
        const Decorations& how = module_.decorations(type, i);
        Place inner = place;
        inner.matrix_stride = how.matrix_stride.value_or(0);
        inner.row_major = how.row_major;
        for_each_byte_leaf(inner, what.members[i], at + how.offset.value_or(0), act);
      }
      return;
    case Kind::array:
      for (std::uint32_t i = 0; i < what.count; ++i)
        for_each_byte_leaf(place, what.element, at + i * module_.decorations(type).array_stride.value_or(0), act);
      return;
    case Kind::matrix:
      for (std::uint32_t i = 0; i < what.count; ++i)
        act(place, at + i * (place.row_major ? 4 : place.matrix_stride), module_.vector_type(what.element));
      return;
    case Kind::endless_array:
      module_.refuse("an array without a length cannot be copied", line_);
    default:
      act(place, at, module_.vector_type(type));
  }
}

Value Translator::load_vector(const Place& place, std::uint32_t at, Type type) {
  const bool bytes = in_bytes(place);
  const auto read = [&](std::uint32_t from, Type as) {
    const Value result = make(bytes ? Op::read : Op::load, as, with_place({}, place.added), {from});
    block_->instructions.back().variable = place.variable;
    return result;
  };
  if (!bytes || !place.row_major || type.components == 1) return read(at, type);
  Values parts;
  for (std::uint32_t i = 0; i < type.components; ++i)
    parts.push_back(read(at + i * place.matrix_stride, {type.base, 1, type.relaxed}));
  return compose(parts);
}

void Translator::store_vector(const Place& place, std::uint32_t at, Value what) {
  const bool bytes = in_bytes(place);
  const auto write = [&](std::uint32_t to, Value part) {
    make(bytes ? Op::write : Op::store, {}, with_place({part}, place.added), {to});
    block_->instructions.back().variable = place.variable;
  };
  if (!bytes || !place.row_major || type_of(what).components == 1) return write(at, what);
  for (std::uint32_t i = 0; i < type_of(what).components; ++i) write(at + i * place.matrix_stride, swizzle(what, i));
}

/// A number of a vector in memory is a place of its own.
Place Translator::number_at(const Place& place) {
  Place number = place;
  const std::uint32_t step = place.row_major && place.matrix_stride != 0 ? place.matrix_stride : 4;
  if (place.chosen != none)
    number.added = add(place.added, make(Op::imul, {Base::integer}, {place.chosen, integer(step)}));
  number.at += place.component * step;
  return number;
}

std::vector<Value> Translator::load_from(const Place& place) {
  if (place.chooses_block) module_.refuse("an array of blocks cannot be copied", line_);
  if (place.chosen_block != none) return load_from_chosen(place, [&](const Place& one) { return load_from(one); });
  Values loaded;
  if (place.has_component && in_bytes(place)) {
    const Place number = number_at(place);
    return {load_vector(number, number.at, module_.vector_type(place.type))};
  }
  if (place.has_component) {
    const Value whole = load_vector(place, place.at, out_.variables[place.variable].slots[place.at].type);
    if (place.chosen == none)
      return {swizzle(whole, std::min<std::uint32_t>(place.component, type_of(whole).components - 1))};
    return {make(Op::extract, {type_of(whole).base, 1, type_of(whole).relaxed}, {whole, place.chosen})};
  }
  if (in_bytes(place)) {
    for_each_byte_leaf(place, place.type, place.at, [&](const Place& at, std::uint32_t byte, Type type) {
      type.relaxed = place.relaxed && type.base != Base::boolean;
      loaded.push_back(load_vector(at, byte, type));
    });
    return loaded;
  }
  std::uint32_t at = place.at;
  for (const Leaf& leaf : module_.leaves(place.type, place.relaxed)) {
    Values numbers;
    for (std::uint32_t i = 0; i < leaf.type.components && place.by_numbers; ++i)
      numbers.push_back(load_vector(place, at++, {leaf.type.base, 1, leaf.type.relaxed}));
    loaded.push_back(place.by_numbers ? compose(numbers) : load_vector(place, at++, leaf.type));
  }
  return loaded;
}

void Translator::store_to(const Place& place, std::span<const Value> stored) {
  if (place.chooses_block) module_.refuse("an array of blocks cannot be copied", line_);
  refuse_chosen_block(place);
  if (place.has_component && in_bytes(place)) {
    const Place number = number_at(place);
    return store_vector(number, number.at, stored.front());
  }
  if (place.has_component) {
    const Type type = out_.variables[place.variable].slots[place.at].type;
    const Value whole = load_vector(place, place.at, type);
    const Value component = place.chosen == none ? integer(place.component) : place.chosen;
    if (type.components == 1) return store_vector(place, place.at, stored.front());
    return store_vector(place, place.at, make(Op::insert, type, {whole, stored.front(), component}));
  }
  std::size_t next = 0;
  if (in_bytes(place))
    return for_each_byte_leaf(place, place.type, place.at, [&](const Place& at, std::uint32_t byte, Type) {
      store_vector(at, byte, stored[next++]);
    });
  std::uint32_t at = place.at;
  for (const Value part : stored) {
    if (!place.by_numbers) store_vector(place, at++, part);
    for (std::uint32_t i = 0; i < type_of(part).components && place.by_numbers; ++i)
      store_vector(place, at++, swizzle(part, i));
  }
}

void Translator::load(Words each) {
  if (!places_.contains(each[3])) module_.refuse("a pointer that is made at run time is not supported", line_);
  const Place& place = places_.at(each[3]);
  const Storage storage = out_.variables[place.variable].storage;
  if (storage == Storage::texture || storage == Storage::image) {
    Resource found{place.type, place.variable, place.variable, place.at, place.added};
    resources_[each[2]] = found;
    return;
  }
  if (const Kind kind = module_.type(place.type).kind; kind == Kind::combined || kind == Kind::image) {
    resources_[each[2]] = texture_of_structure(place);
    return;
  }
  set_leaves(each, load_from(place));
}

void Translator::store(Words each) {
  if (!places_.contains(each[1])) module_.refuse("a pointer that is made at run time is not supported", line_);
  store_to(places_.at(each[1]), leaves(each[2]));
}

void Translator::array_length(Words each) {
  const Place& block = places_.at(each[3]);
  const SpirvType& type = module_.type(block.type);
  const Id array = type.members[each[4]];
  const std::uint32_t first = module_.decorations(block.type, each[4]).offset.value_or(0);
  const auto length = [&](const Place& one) {
    const Value result = make(Op::length, {Base::integer});
    block_->instructions.back().variable = one.variable;
    return Values{result};
  };
  const Value bytes = (block.chosen_block == none ? length(block) : load_from_chosen(block, length)).front();
  // The buffer may end before the array begins.
  const Value end = first == 0 ? bytes : make(Op::imax_u, {Base::integer}, {bytes, integer(first)});
  const Value after = first == 0 ? bytes : make(Op::isub, {Base::integer}, {end, integer(first)});
  set(each, make(Op::idiv_u, {Base::integer}, {after, integer(module_.decorations(array).array_stride.value_or(4))}));
}

/// What goes into an atomic operation beside its place.
std::vector<Value> Translator::atomic_operands(Words each) {
  switch (each.op()) {
    case spv::Op::OpAtomicLoad:
      return {};
    case spv::Op::OpAtomicStore:
      return {value(each[4])};
    case spv::Op::OpAtomicIIncrement:
      return {integer(1)};
    case spv::Op::OpAtomicIDecrement:
      return {integer(~std::uint32_t{0})};
    case spv::Op::OpAtomicISub:
      return {make(Op::ineg, {Base::integer}, {value(each[6])})};
    case spv::Op::OpAtomicCompareExchange:
      return {value(each[7]), value(each[8])};
    default:
      return {value(each[6])};
  }
}

void Translator::atomic(Words each) {
  const bool stores = each.op() == spv::Op::OpAtomicStore;
  const Id pointer = each[stores ? 1 : 3];
  if (const auto texel = texels_.find(pointer); texel != texels_.end()) return atomic_of_texel(each, texel->second);
  if (!places_.contains(pointer)) module_.refuse("a pointer that is made at run time is not supported", line_);
  const Place& vector = places_.at(pointer);
  refuse_chosen_block(vector);
  const Storage storage = out_.variables[vector.variable].storage;
  const bool is_component = vector.has_component && in_bytes(vector);
  const Place place = is_component ? number_at(vector) : vector;
  if ((storage != Storage::shared && storage != Storage::storage_block) || vector.has_component != is_component)
    module_.refuse("an atomic operation on anything but a number in a buffer or in shared memory is not supported",
                   line_);
  Values operands = atomic_operands(each);
  const Type type = stores ? Type{} : result_type(each);
  const Value result = make(Op::atomic, type, with_place(std::move(operands), place.added), {place.at});
  block_->instructions.back().variable = place.variable;
  block_->instructions.back().atomic = *atomic_of(each.op());
  if (!stores) set(each, result);
}

void Translator::atomic_of_texel(Words each, const Texel& texel) {
  const bool stores = each.op() == spv::Op::OpAtomicStore;
  Values operands = atomic_operands(each);
  const TextureAccess access = texel_access(texel.image, texel.at, operands);
  const Value result = add_access(Op::image_atomic, stores ? Type{} : result_type(each), access, std::move(operands));
  block_->instructions.back().atomic = *atomic_of(each.op());
  if (!stores) set(each, result);
}

}  // namespace mobula::ssa
