#include "compile/ssa/declared.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "compile/front/words.h"
#include "compile/interface_names.h"
#include "compile/ssa/spirv_module.h"

namespace mobula::ssa {
namespace {

using Kind = SpirvType::Kind;

constexpr std::int32_t nowhere = -1;

mobula::Variable unread(std::string name, std::string type) {
  return {std::move(name), std::move(type), 0, nowhere, 0, ""};
}

/// As the interface has them: by the members of a structure, arrays in one.
std::vector<mobula::Variable> vectors_of(const SpirvModule& module, Id type, const std::string& name) {
  ssa::Variable variable;
  for (const Leaf& leaf : module.leaves(type, false))
    if (leaf.opaque == 0) variable.slots.push_back({name + leaf.path, leaf.type, leaf.is_signed, none});
  std::vector<mobula::Variable> found;
  for (const compile::Group& group : compile::groups_of(variable))
    found.push_back(unread(group.name, group.type_name()));
  return found;
}

/// What an array has, or an array of arrays; else the type itself.
Id element_of(const SpirvModule& module, Id type) {
  while (module.type(type).kind == Kind::array) type = module.type(type).element;
  return type;
}

void declare_blocks(const SpirvModule& module, Id type, spv::StorageClass storage, Declared& declared) {
  const Id single = element_of(module, type);
  const bool is_storage = storage == spv::StorageClass::StorageBuffer || module.decorations(single).buffer_block;
  for (const std::string& index : module.indices_of_blocks(type))
    (is_storage ? declared.ssbo_blocks : declared.ubo_blocks).push_back(module.name_of(single) + index);
}

void declare(const SpirvModule& module, compile::SpirvWords each, Declared& declared) {
  const auto storage = static_cast<spv::StorageClass>(each[3]);
  if (storage == spv::StorageClass::Uniform || storage == spv::StorageClass::StorageBuffer)
    return declare_blocks(module, module.type(each[1]).element, storage, declared);
  const bool is_input = storage == spv::StorageClass::Input;
  if (!is_input && storage != spv::StorageClass::UniformConstant) return;
  const std::string name = module.name_of(each[2]);
  if (name.empty() || name.starts_with("gl_") || module.decorations(each[2]).built_in) return;
  const Id type = module.type(each[1]).element;
  const Id single = element_of(module, type);
  const SpirvType& what = module.type(single);
  if (what.kind == Kind::structure && module.decorations(single).block) return;
  if (what.kind == Kind::image || what.kind == Kind::combined || what.kind == Kind::sampler) {
    declared.uniforms.push_back(unread(name, what.kind == Kind::image && what.is_storage ? "image" : "sampler"));
    return;
  }
  auto& list = is_input ? declared.inputs : declared.uniforms;
  std::ranges::move(vectors_of(module, type, name), std::back_inserter(list));
}

/// "light" of "light.colours[2]".
std::string_view whole(std::string_view name) { return name.substr(0, name.find_first_of(".[")); }

/// Of an array of blocks each that is not known, or the whole array if none is.
void add_blocks(const std::vector<std::string>& declared, std::vector<mobula::Variable>& known) {
  std::set<std::string, std::less<>> names, arrays;
  for (const mobula::Variable& each : known) {
    names.insert(each.name);
    arrays.emplace(whole(each.name));
  }
  for (const std::string& name : declared) {
    const std::string array(whole(name));
    const bool is_of_array = array != name && !arrays.contains(array);
    if (names.insert(is_of_array ? array : name).second)
      known.push_back(unread(is_of_array ? array : name, is_of_array ? "[]" : ""));
  }
}

void add(const std::vector<mobula::Variable>& declared, std::vector<mobula::Variable>& known) {
  std::set<std::string, std::less<>> names;
  for (const mobula::Variable& each : known) names.emplace(whole(each.name));
  std::ranges::copy_if(declared, std::back_inserter(known),
                       [&](const mobula::Variable& each) { return !names.contains(whole(each.name)); });
}

}  // namespace

Declared declared_in(const compile::Spirv& spirv) {
  Declared declared;
  try {
    const SpirvModule module(spirv, "");
    compile::for_each_instruction(spirv, [&](compile::SpirvWords each) {
      if (each.op() == spv::Op::OpVariable) declare(module, each, declared);
    });
  } catch (const NotSupported&) {  // a type that nothing of this reads
  }
  return declared;
}

void add_unread(const Declared& declared, Interface& interface) {
  add(declared.inputs, interface.inputs);
  add(declared.uniforms, interface.uniforms);
  add_blocks(declared.ubo_blocks, interface.ubo_blocks);
  add_blocks(declared.ssbo_blocks, interface.ssbo_blocks);
}

}  // namespace mobula::ssa
