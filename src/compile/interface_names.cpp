#include "compile/interface_names.h"

#include <utility>

#include "compile/cannot_do.h"

namespace mobula::compile {
namespace {

std::string without_index(const std::string& name) {
  return name.ends_with(']') ? name.substr(0, name.rfind('[')) : std::string();
}

}  // namespace

std::string vector_name(const ssa::Type& type, bool is_signed) {
  const char* const scalar = type.base == ssa::Base::real ? "float" : is_signed ? "int" : "uint";
  if (type.components == 1) return scalar;
  const char* const prefix = type.base == ssa::Base::real ? "" : is_signed ? "i" : "u";
  return prefix + ("vec" + std::to_string(type.components));
}

std::vector<Group> groups_of(const ssa::Variable& variable) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < variable.slots.size(); ++i) {
    const ssa::Slot& slot = variable.slots[i];
    groups.push_back({slot.name, vector_name(slot.type, slot.is_signed), i, 0, 1});
  }
  for (bool joined = true; joined;) {
    joined = false;
    std::vector<Group> next;
    for (std::size_t i = 0; i < groups.size();) {
      const std::string base = without_index(groups[i].name);
      std::size_t count = 0;
      while (!base.empty() && i + count < groups.size() &&
             groups[i + count].name == base + '[' + std::to_string(count) + ']' &&
             groups[i + count].type == groups[i].type && groups[i + count].slots == groups[i].slots)
        ++count;
      if (count == 0 || !groups[i].name.ends_with("[0]")) {
        next.push_back(groups[i++]);
        continue;
      }
      Group all = groups[i];
      all.name = base;
      all.slots *= count;
      all.elements = all.slots;
      next.push_back(all);
      i += count;
      joined = true;
    }
    groups = std::move(next);
  }
  return groups;
}

std::string Group::type_name() const { return elements == 0 ? type : type + '[' + std::to_string(elements) + ']'; }

void refuse_beyond_es(const ssa::Slot& slot) {
  using ssa::BuiltIn;
  switch (slot.built_in) {
    case BuiltIn::clip_distance:
    case BuiltIn::cull_distance:
      return cannot(slot.name + " is not supported", 0, "pass the distance on and discard in the fragment shader");
    case BuiltIn::primitive_id:
    case BuiltIn::layer:
    case BuiltIn::viewport_index:
    case BuiltIn::unknown:
      return cannot(slot.name + " is not supported", 0, "pass its value as a uniform, or as a varying");
    case BuiltIn::none:
    case BuiltIn::position:
    case BuiltIn::point_size:
    case BuiltIn::vertex_id:
    case BuiltIn::instance_id:
    case BuiltIn::frag_coord:
    case BuiltIn::point_coord:
    case BuiltIn::front_facing:
    case BuiltIn::sample_id:
    case BuiltIn::sample_position:
    case BuiltIn::sample_mask:
    case BuiltIn::frag_depth:
    case BuiltIn::helper_invocation:
    case BuiltIn::num_work_groups:
    case BuiltIn::work_group_size:
    case BuiltIn::work_group_id:
    case BuiltIn::local_invocation_id:
    case BuiltIn::global_invocation_id:
    case BuiltIn::local_invocation_index:
    case BuiltIn::viewport_scale:
    case BuiltIn::viewport_offset:
      return;
  }
}

}  // namespace mobula::compile
