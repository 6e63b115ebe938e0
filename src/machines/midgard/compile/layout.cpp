#include "machines/midgard/compile/layout.h"

#include <algorithm>
#include <utility>

#include "compile/cannot_do.h"
#include "compile/interface_names.h"
#include "compile/passes/position.h"

namespace mobula::midgard_compiler {
namespace {

constexpr std::uint32_t vector_bytes = 16;
// 16 and 17 are the numbers of the vertex and the instance; varyings have 9 bits with a sign.
constexpr std::uint32_t most_attributes = 16, most_varyings = 256;

using compile::attribute_location, compile::colour_location, compile::depth_location, compile::point_size_location,
    compile::position_location, compile::varying_location;
using compile::cannot, compile::Group, compile::groups_of, compile::vector_name;
using ssa::BuiltIn;

class Builder {
 public:
  explicit Builder(const ssa::Program& program) : program_(program), stored_(ssa::stored_slots(program)) {
    layout_.bytes.resize(program.variables.size());
    layout_.stride.resize(program.variables.size());
    layout_.numbers.resize(program.variables.size());
    layout_.interface.stage = program.stage;
    layout_.interface.local_size = program.local_size;
  }

  Layout build() {
    find_indexed();
    for (std::uint32_t i = 0; i < program_.variables.size(); ++i) place(i);
    place_images();
    Interface& interface = layout_.interface;
    interface.ubo_count = static_cast<std::uint32_t>(uniform_bytes_ != 0 || next_block_ > 1 ? next_block_ : 0);
    layout_.system_buffer = *interface.ubo_count;
    if (shared_bytes_ != 0) interface.workgroup_local_bytes = shared_bytes_;
    interface.thread_local_bytes = local_bytes_;
    return std::move(layout_);
  }

 private:
  void find_indexed() {
    indexed_.resize(program_.variables.size());
    for (const ssa::Block& block : program_.blocks)
      for (const ssa::Instruction& each : block.instructions) {
        const bool loads = each.op == ssa::Op::load && !each.operands.empty();
        const bool stores = each.op == ssa::Op::store && each.operands.size() > 1;
        if (loads || stores || each.op == ssa::Op::atomic) indexed_[each.variable] = true;
      }
  }

  void place(std::uint32_t number) {
    const ssa::Variable& variable = program_.variables[number];
    switch (variable.storage) {
      case ssa::Storage::input:
        return place_input(number, variable);
      case ssa::Storage::output:
        return place_output(number, variable);
      case ssa::Storage::uniform:
        return place_uniform(number, variable);
      case ssa::Storage::local:
        return place_memory(number, variable, local_bytes_);
      case ssa::Storage::shared:
        return place_memory(number, variable, shared_bytes_);
      case ssa::Storage::uniform_block:
        return place_block(number, variable);
      case ssa::Storage::storage_block:
        return place_buffer(number, variable);
      case ssa::Storage::texture:
        return place_texture(number, variable);
      case ssa::Storage::image:
        return;  // when the attributes are known
    }
  }

  void place_input(std::uint32_t number, const ssa::Variable& variable) {
    if (program_.stage == Stage::compute) return;
    if (special_selector(variable.built_in())) return;
    Interface& interface = layout_.interface;
    const bool is_vertex = program_.stage == Stage::vertex;
    if (variable.built_in() == BuiltIn::vertex_id || variable.built_in() == BuiltIn::instance_id) {
      layout_.numbers[number] = variable.built_in() == BuiltIn::vertex_id ? 16 : 17;
      return;
    }
    for (const ssa::Slot& slot : variable.slots) compile::refuse_beyond_es(variable, slot);
    layout_.numbers[number] = next_input_;
    const std::uint32_t most = is_vertex ? most_attributes : most_varyings;
    if (next_input_ + variable.slots.size() > most)
      cannot("the shader has more than " + std::to_string(most) + (is_vertex ? " attributes" : " varyings"),
             variable.declared_at, "put several into one vector");
    for (const Group& group : groups_of(variable)) {
      const ssa::Slot& slot = variable.slots[group.first];
      const std::int32_t base = is_vertex ? attribute_location : varying_location;
      const std::int32_t location = slot.location == ssa::none
                                        ? base + static_cast<std::int32_t>(next_input_ + group.first)
                                        : base + static_cast<std::int32_t>(slot.location);
      interface.inputs.push_back(
          {group.name, group.type_name(), location, static_cast<std::int32_t>(next_input_ + group.first), 0, ""});
    }
    if (!is_vertex)
      for (std::size_t i = 0; i < variable.slots.size(); ++i)
        interface.varyings_in.push_back({"", "", varying_location + static_cast<std::int32_t>(next_input_ + i),
                                         static_cast<std::int32_t>(next_input_ + i), 0, ""});
    next_input_ += static_cast<std::uint32_t>(variable.slots.size());
  }

  void place_output(std::uint32_t number, const ssa::Variable& variable) {
    Interface& interface = layout_.interface;
    layout_.numbers[number] = next_output_;
    if (next_output_ + variable.slots.size() > most_varyings)
      cannot("the shader has more than " + std::to_string(most_varyings) + " outputs", variable.declared_at,
             "put several into one vector");
    const bool is_vertex = program_.stage == Stage::vertex;
    for (const Group& group : groups_of(variable)) {
      const ssa::Slot& slot = variable.slots[group.first];
      const auto first = stored_[number].begin() + static_cast<std::ptrdiff_t>(group.first);
      if (std::none_of(first, first + static_cast<std::ptrdiff_t>(group.slots), [](bool each) { return each; }))
        continue;
      compile::refuse_beyond_es(variable, slot);
      const auto index = static_cast<std::int32_t>(next_output_ + group.first);
      const std::int32_t own = slot.location == ssa::none ? index : static_cast<std::int32_t>(slot.location);
      std::int32_t location = (is_vertex ? varying_location : colour_location) + own;
      if (slot.built_in == BuiltIn::position) location = position_location;
      if (slot.built_in == BuiltIn::point_size) location = point_size_location;
      if (slot.built_in == BuiltIn::frag_depth) location = depth_location;
      interface.outputs.push_back({group.name, group.type_name(), location, index, 0, ""});
      if (!is_vertex) continue;
      for (std::size_t i = 0; i < group.slots; ++i)
        interface.varyings_out.push_back(
            {"", "", location + static_cast<std::int32_t>(i), index + static_cast<std::int32_t>(i), 0, ""});
    }
    next_output_ += static_cast<std::uint32_t>(variable.slots.size());
  }

  /// Packed, word after word, as drivers have them; where an index is known at run time only, and vectors differ, each
  /// begins 16 bytes.
  void place_uniform(std::uint32_t number, const ssa::Variable& variable) {
    if (variable.built_in() == BuiltIn::viewport_scale) {
      layout_.driver_uniforms[number] = SystemValueType::viewport_scale;
      return;
    }
    if (variable.built_in() == BuiltIn::viewport_offset) {
      layout_.driver_uniforms[number] = SystemValueType::viewport_offset;
      return;
    }
    const auto same = [&](const ssa::Slot& slot) { return slot.type.same_numbers(variable.slots.front().type); };
    const bool even = std::ranges::all_of(variable.slots, same);
    const bool wide = indexed_[number] && !even;
    if (wide) uniform_bytes_ = (uniform_bytes_ + vector_bytes - 1) / vector_bytes * vector_bytes;
    for (const ssa::Slot& slot : variable.slots) {
      layout_.bytes[number].push_back(uniform_bytes_);
      uniform_bytes_ += wide ? vector_bytes : 4U * slot.type.components;
    }
    if (!variable.slots.empty())
      layout_.stride[number] = wide ? vector_bytes : 4U * variable.slots.front().type.components;
    for (std::size_t slot = 0; variable.is_table && slot < variable.initial.size(); ++slot)
      for (std::uint32_t i = 0; i < variable.slots[slot].type.components; ++i)
        layout_.interface.constants.push_back({layout_.bytes[number][slot] / 4 + i, variable.initial[slot][i]});
    if (variable.is_table) return;
    for (const Group& group : groups_of(variable)) {
      if (variable.slots[group.first].type.components == 0) continue;
      const bool split = wide && group.slots > 1;
      for (std::size_t i = 0; i < (split ? group.slots : 1); ++i) {
        const ssa::Slot& slot = variable.slots[group.first + i];
        layout_.interface.uniforms.push_back(
            {split ? slot.name : group.name, split ? vector_name(slot.type, slot.is_signed) : group.type_name(), 0,
             static_cast<std::int32_t>(layout_.bytes[number][group.first + i] / 4), 0, ""});
        layout_.interface.uniforms.back().initial =
            compile::initial_words(variable, group.first + i, split ? 1 : group.slots);
      }
    }
  }

  void place_memory(std::uint32_t number, const ssa::Variable& variable, std::uint32_t& size) {
    const bool is_shared = variable.storage == ssa::Storage::shared;
    if (!is_shared && !indexed_[number]) return;  // values
    const auto same = [&](const ssa::Slot& slot) { return slot.type.components == 1; };
    const std::uint32_t stride = is_shared && std::ranges::all_of(variable.slots, same) ? 4 : vector_bytes;
    size = (size + stride - 1) / stride * stride;
    for (std::size_t i = 0; i < variable.slots.size(); ++i) {
      layout_.bytes[number].push_back(size);
      size += stride;
    }
    layout_.stride[number] = stride;
  }

  void place_block(std::uint32_t number, const ssa::Variable& variable) {
    layout_.numbers[number] = next_block_++;
    const auto block = static_cast<std::int32_t>(layout_.numbers[number]);
    layout_.interface.ubo_blocks.push_back({variable.name, "", 0, block, 0, "", compile::members_of(variable)});
  }
  void place_buffer(std::uint32_t number, const ssa::Variable& variable) {
    layout_.numbers[number] = next_buffer_++;
    const auto buffer = static_cast<std::int32_t>(layout_.numbers[number]);
    layout_.interface.ssbo_blocks.push_back({variable.name, "", 0, buffer, 0, "", compile::members_of(variable)});
  }
  void place_texture(std::uint32_t number, const ssa::Variable& variable) {
    name_opaque("sampler", number, variable, next_texture_);
  }
  /// Images have descriptors among those of the attributes, behind these.
  void place_images() {
    std::uint32_t next = program_.stage == Stage::vertex ? next_input_ : 0;
    for (std::uint32_t i = 0; i < program_.variables.size(); ++i)
      if (program_.variables[i].storage == ssa::Storage::image) name_opaque("image", i, program_.variables[i], next);
    constexpr std::uint32_t most_images = 256;  // 9 bits with a sign
    if (next > most_images)
      cannot("the shader has more than 256 attributes and images",
             compile::declaration_of_largest(program_, {ssa::Storage::image}), "use fewer images");
  }
  /// A texture or an image, or an array of them.
  void name_opaque(const char* what, std::uint32_t number, const ssa::Variable& variable, std::uint32_t& next) {
    layout_.numbers[number] = next;
    const ssa::Slot& first = variable.slots.front();
    std::string type = first.type.base == ssa::Base::real ? "" : first.is_signed ? "i" : "u";
    type += what;
    if (first.name.ends_with(']')) type += '[' + std::to_string(variable.slots.size()) + ']';
    layout_.interface.uniforms.push_back({variable.name, std::move(type), 0, static_cast<std::int32_t>(next), 0, ""});
    next += static_cast<std::uint32_t>(variable.slots.size());
  }

  const ssa::Program& program_;
  Layout layout_;
  std::vector<std::vector<bool>> stored_;
  std::vector<bool> indexed_;
  std::uint32_t next_input_ = 0, next_output_ = 0, next_block_ = 1, next_buffer_ = 0, next_texture_ = 0;
  std::uint32_t uniform_bytes_ = 0, local_bytes_ = 0, shared_bytes_ = 0;
};

}  // namespace

BufferWord Layout::system_value(SystemValueType type, std::uint32_t id) {
  const auto number = static_cast<std::uint32_t>(type);
  auto& all = interface.system_values;
  const auto same = [&](const SystemValue& each) { return each.type == number && each.id == id; };
  const auto found = std::ranges::find_if(all, same);
  const auto index = static_cast<std::uint32_t>(found - all.begin());
  if (found == all.end()) all.push_back({number, id});
  return {system_buffer, index * vector_bytes};
}

std::optional<std::uint32_t> special_selector(BuiltIn input) {
  constexpr std::uint32_t sample_mask = 0x60, sample_id = 0x61;
  if (input == BuiltIn::sample_mask || input == BuiltIn::helper_invocation) return sample_mask;
  if (input == BuiltIn::sample_id) return sample_id;
  return {};
}

Layout lay_out(const ssa::Program& program) { return Builder(program).build(); }

std::optional<Source> UniformRegisters::find(BufferWord first, unsigned words) {
  const auto key = std::pair{first, words};
  auto known = found_.find(key);
  if (known == found_.end()) {
    const auto at = place(first, words);
    if (!at) return {};
    known = found_.emplace(key, *at).first;
  }
  Source source;
  source.kind = Source::Kind::machine;
  source.number = midgard::last_uniform_register - known->second.first;
  for (unsigned i = 0; i < 4; ++i)
    source.component[i] = static_cast<std::uint8_t>(std::min(known->second.second + i, 3U));
  return source;
}

/// Where the words already are in a row, or the first register with room for them.
std::optional<std::pair<unsigned, unsigned>> UniformRegisters::place(BufferWord first, unsigned words) {
  const auto word = [&](unsigned i) { return BufferWord{first.buffer, first.byte + 4 * i}; };
  for (unsigned pass = 0; pass < 2; ++pass)
    for (unsigned row = 0; row < (pass == 0 ? used_.size() : most_); ++row) {
      if (row == used_.size()) used_.emplace_back();
      for (unsigned at = 0; at + words <= 4; ++at) {
        const auto fits = [&](unsigned i) {
          const auto& there = used_[row][at + i];
          return pass == 0 ? there == word(i) : !there.has_value();
        };
        bool all = true;
        for (unsigned i = 0; i < words; ++i) all = all && fits(i);
        if (!all) continue;
        for (unsigned i = 0; i < words; ++i) used_[row][at + i] = word(i);
        return std::pair{row, at};
      }
    }
  return {};
}

std::vector<PushWord> UniformRegisters::words() const {
  std::vector<PushWord> all;
  for (const auto& row : used_)
    for (const auto& each : row) {
      const BufferWord word = each.value_or(BufferWord{});
      all.push_back({word.buffer, word.byte});
    }
  return all;
}

}  // namespace mobula::midgard_compiler
