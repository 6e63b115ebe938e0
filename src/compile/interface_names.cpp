#include "compile/interface_names.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
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
    groups.push_back({slot.name, vector_name(slot.type, slot.is_signed), i, {}, 1});
  }
  for (bool joined = true; joined;) {
    joined = false;
    std::vector<Group> next;
    for (std::size_t i = 0; i < groups.size();) {
      const std::string base = without_index(groups[i].name);
      std::size_t count = 0;
      while (!base.empty() && i + count < groups.size() &&
             groups[i + count].name == base + '[' + std::to_string(count) + ']' &&
             groups[i + count].type == groups[i].type && groups[i + count].lengths == groups[i].lengths)
        ++count;
      if (count == 0 || !groups[i].name.ends_with("[0]")) {
        next.push_back(groups[i++]);
        continue;
      }
      Group all = groups[i];
      all.name = base;
      all.slots *= count;
      all.lengths.insert(0, '[' + std::to_string(count) + ']');
      next.push_back(all);
      i += count;
      joined = true;
    }
    groups = std::move(next);
  }
  return groups;
}

std::string name_of_array(const ssa::Variable& variable) {
  // glslang calls so what it copies a constant array to where an index is not constant.
  return variable.name == "indexable" ? "an array of constants" : "the array " + variable.name;
}

std::vector<std::uint32_t> initial_words(const ssa::Variable& uniform, std::size_t first, std::size_t slots) {
  std::vector<std::uint32_t> words;
  for (std::size_t slot = first; slot < first + slots && slot < uniform.initial.size(); ++slot) {
    const auto from = uniform.initial[slot].begin();
    words.insert(words.end(), from, from + uniform.slots[slot].type.components);
  }
  return words;
}

namespace {

/// The distance between the vectors of a group; nothing where it is not always the same.
std::optional<std::uint32_t> distance_in(const Group& group, std::span<const ssa::Member> members) {
  const auto of_group = members.subspan(group.first, group.slots);
  const std::uint32_t distance = of_group.size() < 2 ? 0 : of_group[1].offset - of_group[0].offset;
  for (std::size_t i = 0; i < of_group.size(); ++i)
    if (of_group[i].offset != of_group[0].offset + i * distance || of_group[i].step != of_group[0].step) return {};
  return distance;
}

/// "points[].at" of "points[0].at"; "points" of "points[0]".
std::string without_open_index(std::string name) {
  const std::size_t index = name.find("[0]");
  name.erase(index + 1, 1);
  return name.ends_with("[]") ? name.substr(0, name.size() - 2) : name;
}

}  // namespace

std::vector<BlockMember> members_of(const ssa::Variable& block) {
  ssa::Variable closed;
  std::vector<ssa::Member> members;
  std::vector<BlockMember> list, open;
  for (const ssa::Member& member : block.members) {
    const std::string type = vector_name(member.type, member.is_signed);
    if (member.stride != 0) {
      open.push_back({without_open_index(member.name), type + "[]", member.offset, member.stride, member.step});
      continue;
    }
    closed.slots.push_back({.name = member.name, .type = member.type, .is_signed = member.is_signed});
    members.push_back(member);
  }
  for (const Group& group : groups_of(closed)) {
    const ssa::Member& first = members[group.first];
    if (const auto distance = distance_in(group, members)) {
      list.push_back({group.name, group.type_name(), first.offset, *distance, first.step});
      continue;
    }
    for (const ssa::Member& member : std::span(members).subspan(group.first, group.slots))
      list.push_back({member.name, group.type, member.offset, 0, member.step});
  }
  std::ranges::move(open, std::back_inserter(list));
  return list;
}

std::string Group::type_name() const { return type + lengths; }

Location declaration_of_largest(const ssa::Program& program, std::initializer_list<ssa::Storage> kinds) {
  const ssa::Variable* largest = nullptr;
  const auto size = [](const ssa::Variable& each) { return std::max(each.slots.size(), each.members.size()); };
  for (const ssa::Variable& each : program.variables)
    if (std::ranges::find(kinds, each.storage) != kinds.end() && !each.is_table)
      if (largest == nullptr || size(each) > size(*largest)) largest = &each;
  return largest == nullptr ? Location() : largest->declared_at;
}

void refuse_shared_location(std::uint32_t location, const ssa::Variable& output) {
  cannot("outputs that share location " + std::to_string(location) + ", by component or by index, are not supported",
         output.declared_at, "give each output a location of its own");
}

void refuse_beyond_es(const ssa::Variable& variable, const ssa::Slot& slot) {
  using ssa::BuiltIn;
  switch (slot.built_in) {
    case BuiltIn::clip_distance:
    case BuiltIn::cull_distance:
      return cannot(slot.name + " is not supported", variable.declared_at,
                    "pass the distance on and discard in the fragment shader");
    case BuiltIn::primitive_id:
    case BuiltIn::layer:
    case BuiltIn::viewport_index:
    case BuiltIn::unknown:
      return cannot(slot.name + " is not supported", variable.declared_at,
                    "pass its value as a uniform, or as a varying");
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
