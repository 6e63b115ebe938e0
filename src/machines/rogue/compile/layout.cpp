#include "machines/rogue/compile/layout.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compile/cannot_do.h"
#include "compile/interface_names.h"
#include "compile/pixel_formats.h"
#include "machines/rogue/spec/pixel_formats.h"

namespace mobula::rogue_compiler {
namespace {

using compile::cannot;
using ssa::BuiltIn;

constexpr std::uint32_t most_shared = 2048;  // what an operand names
constexpr std::uint32_t most_inputs = 244, most_sets = 512, most_outputs = 256, most_pixel_words = 8, vector = 4;
constexpr std::uint32_t bytes_of_a_vector = 16;

class Builder {
 public:
  explicit Builder(const ssa::Program& program) : program_(program), stored_(ssa::stored_slots(program)) {
    layout_.first.resize(program.variables.size());
    layout_.stride.resize(program.variables.size());
    layout_.interface.stage = program.stage;
    layout_.interface.local_size = program.local_size;
  }

  Layout build() {
    find_indexed();
    if (program_.stage == Stage::fragment) place_fragment();
    if (program_.stage == Stage::vertex) place_position();
    if (program_.stage == Stage::compute) place_threads();
    each(ssa::Storage::texture, [&](std::uint32_t i) { place_texture(i); });
    each(ssa::Storage::image, [&](std::uint32_t i) { place_texture(i); });
    // What is indexed comes first, as lower numbers cost less.
    for (const bool indexed : {true, false}) place_shared_registers(indexed);
    place_barrier();
    place_system_values();
    if (shared_ > most_shared)
      cannot("the uniforms and shared variables need " + std::to_string(shared_) + " words, and there are " +
                 std::to_string(most_shared),
             compile::declaration_of_largest(
                 program_, {ssa::Storage::uniform, ssa::Storage::shared, ssa::Storage::uniform_block}),
             "use fewer uniforms, or put them in a storage block");
    if (!layout_.interface.ubo_count) layout_.interface.ubo_count = shared_;
    each(ssa::Storage::storage_block, [&](std::uint32_t i) { place_buffer(i); });
    each(ssa::Storage::input, [&](std::uint32_t i) { place_input(i); });
    each(ssa::Storage::output, [&](std::uint32_t i) { place_output(i); });
    each(ssa::Storage::local, [&](std::uint32_t i) { place_local(i); });
    layout_.first_free_input = next_input_;
    return std::move(layout_);
  }

 private:
  template <class Act>
  void each(ssa::Storage storage, Act act) {
    for (std::uint32_t i = 0; i < program_.variables.size(); ++i)
      if (program_.variables[i].storage == storage) act(i);
  }

  void find_indexed() {
    layout_.is_indexed.resize(program_.variables.size());
    for (const ssa::Block& block : program_.blocks)
      for (const ssa::Instruction& each : block.instructions) {
        const bool loads = each.op == ssa::Op::load && !each.operands.empty();
        const bool stores = each.op == ssa::Op::store && each.operands.size() > 1;
        const bool reads = each.op == ssa::Op::read && !each.operands.empty();
        const bool changes = each.op == ssa::Op::atomic && each.operands.size() > values_before_place(each.atomic);
        if (loads || stores || reads || changes) layout_.is_indexed[each.variable] = true;
      }
  }

  void place_shared_registers(bool indexed) {
    each(ssa::Storage::uniform, [&](std::uint32_t i) {
      if (layout_.is_indexed[i] == indexed) place_uniform(i);
    });
    each(ssa::Storage::shared, [&](std::uint32_t i) {
      if (layout_.is_indexed[i] == indexed) place_shared(i);
    });
    each(ssa::Storage::uniform_block, [&](std::uint32_t i) {
      if (layout_.is_indexed[i] == indexed) place_block(i);
    });
  }

  /// What the tasks of a workgroup count at a barrier: those that have arrived, and how often all had. A run begins
  /// with zeros.
  void place_barrier() {
    if (threads_of(program_) <= task_threads) return;
    const bool waits = std::ranges::any_of(program_.blocks, [](const ssa::Block& block) {
      return std::ranges::any_of(block.instructions,
                                 [](const ssa::Instruction& each) { return each.op == ssa::Op::barrier; });
    });
    if (!waits) return;
    layout_.barrier = shared_;
    for (std::uint32_t i = 0; i < barrier_registers; ++i) layout_.interface.constants.push_back({shared_++, 0});
  }

  /// Three words each that whoever starts the threads provides.
  void place_threads() {
    const auto place = [&](BuiltIn which) {
      layout_.interface.inputs.push_back(
          {std::string(name(which)), "uvec3", 0, static_cast<std::int32_t>(next_input_), 0, ""});
      return std::exchange(next_input_, next_input_ + vector);
    };
    layout_.local_id = place(BuiltIn::local_invocation_id);
    layout_.group_id = place(BuiltIn::work_group_id);
  }

  /// The interface has the place of the pixel first, as every iteration in perspective needs its last component.
  void place_fragment() {
    const bool any = std::ranges::any_of(program_.variables, [](const ssa::Variable& variable) {
      return variable.storage == ssa::Storage::input && variable.built_in() != BuiltIn::front_facing;
    });
    if (!any) return;
    layout_.interface.inputs.push_back({"gl_FragCoord", "vec4", 0, 0, 0, ""});
    next_set_ = vector;
  }
  /// The machine finds the position in the first outputs.
  void place_position() {
    for (const ssa::Variable& variable : program_.variables)
      if (variable.storage == ssa::Storage::output)
        for (const ssa::Slot& slot : variable.slots)
          if (slot.built_in == BuiltIn::position) next_output_ = 1;
  }

  void place_input(std::uint32_t number) {
    const ssa::Variable& variable = program_.variables[number];
    const bool is_vertex = program_.stage == Stage::vertex;
    if (program_.stage == Stage::compute) return layout_.first[number].assign(variable.slots.size(), 0);
    if (variable.built_in() == BuiltIn::frag_coord) return layout_.first[number].assign(1, 0);
    std::uint32_t& next = is_vertex ? next_input_ : next_set_;
    for (const ssa::Slot& slot : variable.slots) {
      compile::refuse_beyond_es(variable, slot);
      const std::int32_t own = static_cast<std::int32_t>(slot.location == ssa::none ? next / vector : slot.location);
      layout_.first[number].push_back(next);
      layout_.interface.inputs.push_back({slot.name, compile::vector_name(slot.type, slot.is_signed),
                                          own + (is_vertex ? compile::attribute_location : compile::varying_location),
                                          static_cast<std::int32_t>(next), 0, ""});
      if (slot.type.base == ssa::Base::boolean) layout_.interface.inputs.back().type = "bool";
      next += vector;
    }
    if (next > (is_vertex ? most_inputs : most_sets))
      cannot(
          std::string("the shader has more ") + (is_vertex ? "attributes" : "varyings") + " than there are registers",
          variable.declared_at, "put several into one vector");
  }

  void place_output(std::uint32_t number) {
    const ssa::Variable& variable = program_.variables[number];
    layout_.first[number].resize(variable.slots.size());
    if (program_.stage == Stage::fragment) return place_colours(number);
    for (const compile::Group& group : compile::groups_of(variable)) {
      bool any = false;
      for (std::size_t i = 0; i < group.slots; ++i) any = any || stored_[number][group.first + i];
      if (!any) continue;
      const ssa::Slot& slot = variable.slots[group.first];
      compile::refuse_beyond_es(variable, slot);
      const bool is_position = slot.built_in == BuiltIn::position;
      const std::uint32_t index = is_position ? 0 : next_output_;
      if (!is_position) next_output_ += static_cast<std::uint32_t>(group.slots);
      for (std::uint32_t i = 0; i < group.slots; ++i) layout_.first[number][group.first + i] = vector * (index + i);
      std::int32_t location =
          compile::varying_location + static_cast<std::int32_t>(slot.location == ssa::none ? index : slot.location);
      if (is_position) location = compile::position_location;
      if (slot.built_in == BuiltIn::point_size) location = compile::point_size_location;
      layout_.interface.outputs.push_back(
          {group.name, group.type_name(), location, static_cast<std::int32_t>(index), 0, ""});
    }
    if (vector * next_output_ > most_outputs)
      cannot("the shader puts out more than " + std::to_string(most_outputs / vector) + " vectors",
             variable.declared_at, "put several into one vector");
  }
  void place_colours(std::uint32_t number) {
    const ssa::Variable& variable = program_.variables[number];
    for (std::size_t i = 0; i < variable.slots.size(); ++i) {
      if (!stored_[number][i]) continue;
      const ssa::Slot& slot = variable.slots[i];
      const bool is_depth = slot.built_in == BuiltIn::frag_depth;
      const auto own = static_cast<std::int32_t>(slot.location == ssa::none ? i : slot.location);
      if (!is_depth && !colours_.insert(own).second)
        compile::refuse_shared_location(static_cast<std::uint32_t>(own), variable);
      const rogue::PixelFormat* const format = rogue::find_pixel_format(slot.format);
      layout_.first[number][i] = next_pixel_word_;
      layout_.interface.outputs.push_back({slot.name, compile::vector_name(slot.type, slot.is_signed),
                                           is_depth ? compile::depth_location : compile::colour_location + own,
                                           is_depth ? -1 : static_cast<std::int32_t>(next_pixel_word_), 0, ""});
      layout_.interface.outputs.back().format = slot.format;
      if (!is_depth)
        next_pixel_word_ += format == nullptr ? slot.type.components : format->words(compile::stored_components(slot));
    }
    if (next_pixel_word_ > most_pixel_words)
      cannot("the colours need " + std::to_string(next_pixel_word_) + " words, and a pixel has " +
                 std::to_string(most_pixel_words),
             variable.declared_at,
             "write fewer colours, or fewer components, or pack them into the format of the pixels");
  }

  /// Packed, word after word; where an index is known at run time only, and vectors differ, each has four words.
  void place_uniform(std::uint32_t number) {
    const ssa::Variable& variable = program_.variables[number];
    const auto same = [&](const ssa::Slot& slot) { return slot.type.same_numbers(variable.slots.front().type); };
    const bool wide = layout_.is_indexed[number] && !std::ranges::all_of(variable.slots, same);
    for (const ssa::Slot& slot : variable.slots) {
      layout_.first[number].push_back(shared_);
      shared_ += wide ? vector : slot.type.components;
    }
    if (!variable.slots.empty()) layout_.stride[number] = wide ? vector : variable.slots.front().type.components;
    for (std::size_t slot = 0; variable.is_table && slot < variable.initial.size(); ++slot)
      for (std::uint32_t i = 0; i < variable.slots[slot].type.components; ++i)
        layout_.interface.constants.push_back({layout_.first[number][slot] + i, variable.initial[slot][i]});
    if (variable.is_table) return;
    for (const compile::Group& group : compile::groups_of(variable)) {
      const bool split = wide && group.slots > 1;
      for (std::size_t i = 0; i < (split ? group.slots : 1); ++i) {
        const ssa::Slot& slot = variable.slots[group.first + i];
        layout_.interface.uniforms.push_back(
            {split ? slot.name : group.name,
             split ? compile::vector_name(slot.type, slot.is_signed) : group.type_name(), 0,
             static_cast<std::int32_t>(layout_.first[number][group.first + i]), 0, ""});
        layout_.interface.uniforms.back().initial =
            compile::initial_words(variable, group.first + i, split ? 1 : group.slots);
      }
    }
  }

  void place_shared(std::uint32_t number) {
    const ssa::Variable& variable = program_.variables[number];
    const auto same = [&](const ssa::Slot& slot) { return slot.type.same_numbers(variable.slots.front().type); };
    const bool even = !variable.slots.empty() && std::ranges::all_of(variable.slots, same);
    layout_.stride[number] = even ? variable.slots.front().type.components : vector;
    for (std::size_t i = 0; i < variable.slots.size(); ++i, shared_ += layout_.stride[number])
      layout_.first[number].push_back(shared_);
  }

  /// Its words are those of the uniform buffer with the number of its first register: buffer 0 is the uniforms. A
  /// buffer may end with the last vector that the block has a part of, as std140 counts.
  void place_block(std::uint32_t number) {
    const ssa::Variable& variable = program_.variables[number];
    std::uint32_t bytes = 0;
    for (const ssa::Member& member : variable.members) bytes = std::max(bytes, member.offset + member.extent());
    shared_ = std::max(shared_, 1U);
    layout_.first[number] = {shared_};
    layout_.stride[number] = bytes / 4;
    layout_.interface.ubo_blocks.push_back(
        {variable.name, "", 0, static_cast<std::int32_t>(shared_), 0, "", compile::members_of(variable)});
    shared_ += (bytes + bytes_of_a_vector - 1) / bytes_of_a_vector * vector;
  }
  void place_buffer(std::uint32_t number) {
    layout_.first[number] = {buffer_number(number)};
    const ssa::Variable& variable = program_.variables[number];
    layout_.interface.ssbo_blocks.push_back(
        {variable.name, "", 0, static_cast<std::int32_t>(buffer_number(number)), 0, "", compile::members_of(variable)});
  }
  [[nodiscard]] std::uint32_t buffer_number(std::uint32_t number) const {
    std::uint32_t before = 0;
    for (std::uint32_t i = 0; i < number; ++i)
      if (program_.variables[i].storage == ssa::Storage::storage_block) ++before;
    return before;
  }

  /// Addresses and sizes, which whoever runs the program knows.
  void place_system_values() {
    const auto place = [&](SystemValueType type, std::uint32_t id) {
      if (!layout_.system_values.try_emplace({type, id}, shared_).second) return;
      if (!layout_.interface.ubo_count) layout_.interface.ubo_count = shared_;
      layout_.interface.system_values.push_back({static_cast<std::uint32_t>(type), id});
      shared_ += vector;
    };
    for (const ssa::Block& block : program_.blocks)
      for (const ssa::Instruction& each : block.instructions) {
        if (each.variable != ssa::none) {
          const ssa::Variable& variable = program_.variables[each.variable];
          if (variable.storage == ssa::Storage::storage_block)
            place(SystemValueType::storage_buffer, buffer_number(each.variable));
          if (variable.built_in() == BuiltIn::num_work_groups) place(SystemValueType::group_count, 0);
        }
        if (each.op != ssa::Op::texture) continue;
        const ssa::TextureAccess& access = program_.accesses[each.data[0]];
        const ssa::Variable& texture = program_.variables[access.texture];
        const bool asks_size = access.kind == ssa::TextureAccess::Kind::size;
        if (!asks_size && !access.shadow) continue;
        const std::size_t slots = access.index >= 0 ? texture.slots.size() : access.slot + 1;
        for (std::size_t slot = access.index >= 0 ? 0 : access.slot; slot < slots; ++slot) {
          const std::uint32_t number = layout_.first[access.texture][slot] / state_registers;
          if (asks_size)
            place(size_type(texture), size_id(access, texture, number));
          else
            place(SystemValueType::sampler_comparison, number);
        }
      }
  }

  void place_local(std::uint32_t number) {
    const ssa::Variable& variable = program_.variables[number];
    const bool even = std::ranges::all_of(variable.slots, [&](const ssa::Slot& slot) {
      return slot.type.components == variable.slots.front().type.components;
    });
    layout_.stride[number] = even && !variable.slots.empty() ? variable.slots.front().type.components : vector;
    for (std::uint32_t i = 0; i < variable.slots.size(); ++i)
      layout_.first[number].push_back(i * layout_.stride[number]);
  }

  void place_texture(std::uint32_t number) {
    const ssa::Variable& variable = program_.variables[number];
    const ssa::Slot& first = variable.slots.front();
    std::string type = first.type.base == ssa::Base::real ? "" : first.is_signed ? "i" : "u";
    type += variable.storage == ssa::Storage::image ? "image" : is_cube(number) ? "samplerCube" : "sampler";
    if (first.name.ends_with(']')) type += '[' + std::to_string(variable.slots.size()) + ']';
    layout_.interface.uniforms.push_back(
        {variable.name, std::move(type), 0, static_cast<std::int32_t>(shared_ / state_registers), 0, ""});
    for (std::size_t i = 0; i < variable.slots.size(); ++i, shared_ += state_registers)
      layout_.first[number].push_back(shared_);
  }

  [[nodiscard]] bool is_cube(std::uint32_t texture) const {
    return std::ranges::any_of(program_.accesses, [&](const ssa::TextureAccess& access) {
      return access.texture == texture && access.shape == ssa::TextureAccess::Shape::cube;
    });
  }

  const ssa::Program& program_;
  Layout layout_;
  std::vector<std::vector<bool>> stored_;
  std::set<std::int32_t> colours_;  ///< their locations
  std::uint32_t shared_ = 0, next_input_ = 0, next_set_ = 0, next_output_ = 0, next_pixel_word_ = 0;
};

}  // namespace

SystemValueType size_type(const ssa::Variable& texture) {
  return texture.storage == ssa::Storage::image ? SystemValueType::image_size : SystemValueType::texture_size;
}

std::uint32_t size_id(const ssa::TextureAccess& access, const ssa::Variable& texture, std::uint32_t number) {
  using Shape = ssa::TextureAccess::Shape;
  constexpr unsigned dimensions_bit = 7, layers_bit = 9, cubes_bit = 10;
  const bool is_line = access.shape == Shape::d1 || access.shape == Shape::buffer;
  const std::uint32_t dimensions = is_line ? 1 : access.shape == Shape::d3 ? 3 : 2;
  const bool counts_cubes = texture.storage == ssa::Storage::image && access.shape == Shape::cube && access.layered;
  return number | dimensions << dimensions_bit | (access.layered ? 1U : 0U) << layers_bit |
         (counts_cubes ? 1U : 0U) << cubes_bit;
}

std::uint32_t threads_of(const ssa::Program& program) {
  return program.local_size[0] * program.local_size[1] * program.local_size[2];
}

Layout lay_out(const ssa::Program& program) { return Builder(program).build(); }

}  // namespace mobula::rogue_compiler
