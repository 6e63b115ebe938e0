#include "compile/verify/inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "compile/back_end.h"
#include "core/system_values.h"
#include "io/values.h"

namespace mobula::compile {
namespace {

using ssa::Base;
using ssa::Bits;
using ssa::BuiltIn;
using ssa::Storage;

constexpr std::uint32_t quad = 4;

std::uint32_t bits_of(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

/// The kinds of values that inputs take in turn.
enum class Kind : std::uint8_t { near_one, with_sign, edges, any_size };
Kind kind_of(std::uint32_t turn) { return static_cast<Kind>(turn % 4); }

double some_float(Kind kind, Random& random) {
  constexpr std::array edges{0.0, 1.0, -1.0, 0.5, 2.0, -0.5, 3.0, 0.25, 10.0, -7.0};
  switch (kind) {
    case Kind::near_one:
      return random.between(0.02, 1.5);
    case Kind::with_sign:
      return random.between(-2, 2);
    case Kind::edges:
      return edges[random.below(edges.size())];
    case Kind::any_size:
      return std::exp2(random.between(-8, 8)) * (random.below(2) == 0 ? 1 : -1);
  }
  return 0;
}

std::uint32_t some_integer(Kind kind, bool is_signed, bool is_small, Random& random) {
  constexpr std::array<std::uint32_t, 10> edges{0, 1, 2, 3, 7, 31, 255, 0x7FFF, 0x7FFFFFFF, 0x80000000};
  switch (kind) {
    case Kind::near_one:
      return random.below(4);
    case Kind::with_sign:
      return is_signed ? random.below(17) - 8 : random.below(17);
    case Kind::edges:
      return edges[random.below(is_small ? 8U : std::uint32_t{edges.size()})] *
             (is_signed && random.below(3) == 0 ? ~0U : 1U);
    case Kind::any_size:
      return is_small ? random.below(1U << 15) : static_cast<std::uint32_t>(random.next()) >> random.below(32);
  }
  return 0;
}

std::uint32_t some_word(const ssa::Type& type, bool is_signed, Kind kind, Random& random) {
  if (type.base == Base::real) return bits_of(some_float(kind, random));
  return some_integer(kind, is_signed, type.relaxed, random);
}

std::vector<std::uint8_t> make_texels(const io::StorageImage& image, Kind kind, Random& random) {
  std::vector<std::uint8_t> bytes(image.bytes());
  const bool is_real = image.format->kind == io::TexelFormat::Kind::real;
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  for (std::size_t at = 0; is_real && at < bytes.size(); at += image.format->bytes()) {
    io::Texel texel{};
    for (std::uint32_t& bits : texel) bits = bits_of(some_float(kind, random));
    io::encode_texel(*image.format, texel, bytes.data() + at);
  }
  return bytes;
}

/// Which system value the number of the first vertex is; none = the machine's program does not ask for it.
std::optional<std::uint32_t> first_vertex_value(const Interface& interface) {
  const auto kind = static_cast<std::uint32_t>(SystemValueType::vertex_instance_offsets);
  const auto found = std::ranges::find(interface.system_values, kind, &SystemValue::type);
  if (found == interface.system_values.end()) return {};
  return static_cast<std::uint32_t>(found - interface.system_values.begin());
}

/// Whether a name is that of the array or matrix, with an index.
bool is_element(std::string_view name, std::string_view whole) {
  return name.size() > whole.size() && name.starts_with(whole) && name[whole.size()] == '[';
}

/// What a fragment of a picture with one sample a pixel knows of it.
std::optional<std::uint32_t> of_one_sample(BuiltIn built_in) {
  if (built_in == BuiltIn::sample_mask) return 1;
  if (built_in == BuiltIn::sample_id || built_in == BuiltIn::helper_invocation) return 0;
  return {};
}

/// Number of the vertex or the instance: of a lane.
bool is_count(BuiltIn built_in) { return built_in == BuiltIn::vertex_id || built_in == BuiltIn::instance_id; }

}  // namespace

const Variable* find_block(const std::vector<Variable>& blocks, const ssa::Variable& block) {
  const auto named = [&](std::string_view name) -> const Variable* {
    const auto found = std::ranges::find(blocks, name, &Variable::name);
    return found == blocks.end() || found->driver_location < 0 ? nullptr : &*found;
  };
  if (const Variable* found = named(block.name)) return found;
  if (block.members.empty()) return nullptr;
  const std::string_view first = block.members[0].name;
  return named(first.substr(0, first.find('[')));
}

std::optional<io::FoundVariable> find_vector(const std::vector<Variable>& variables, const ssa::Variable& of,
                                             std::uint32_t slot) {
  const ssa::Slot& wanted = of.slots[slot];
  std::string_view name = wanted.name;
  while (true) {
    // A matrix or an array is one variable of the machine: its vectors follow each other.
    std::size_t before = 0;
    for (std::uint32_t i = 0; i < slot; ++i)
      before += name.size() < wanted.name.size() && is_element(of.slots[i].name, name) ? 1 : 0;
    io::FoundVariable found = io::find_components(name, variables);
    if (found.variable != nullptr) {
      const std::size_t first = std::min(before * wanted.type.components, found.components.size());
      found.components.erase(found.components.begin(), found.components.begin() + static_cast<std::ptrdiff_t>(first));
      found.components.resize(std::min<std::size_t>(found.components.size(), wanted.type.components));
      return found;
    }
    const std::size_t bracket = name.rfind('[');
    if (!name.ends_with(']') || bracket == std::string_view::npos) return {};
    name = name.substr(0, bracket);
  }
}

Binding::Binding(const ssa::Program& form, const mobula::Program& code)
    : form_(form),
      interface_(code.interface),
      places_positions_(compile::places_positions(code.machine)),
      compares_texels_(compile::compares_texels(code.machine)),
      lanes_(quad) {
  if (form.stage == Stage::compute) lanes_ = form.local_size[0] * form.local_size[1] * form.local_size[2];
  for (std::uint32_t number = 0; number < form.variables.size(); ++number) {
    const ssa::Variable& variable = form.variables[number];
    const bool is_input = variable.storage == Storage::input;
    if (!is_input && variable.storage != Storage::uniform) continue;
    for (std::uint32_t slot = 0; slot < variable.slots.size(); ++slot) {
      if (variable.slots[slot].type.components == 0) continue;
      GivenVector vector{variable.slots[slot].name,
                         {number, slot},
                         variable.slots[slot].type,
                         variable.slots[slot].is_signed,
                         variable.slots[slot].type.base == Base::boolean,
                         variable.slots[slot].built_in,
                         {}};
      if (const auto found = find_vector(is_input ? interface_.inputs : interface_.uniforms, variable, slot))
        vector.is_boolean |= io::parse_glsl_type(found->variable->type).base == io::GlslType::Base::boolean;
      vectors_.push_back(std::move(vector));
    }
  }
  bind_textures();
}

// ------------------------------------------------------------------------------------------------ values

GivenInputs Binding::make(std::uint32_t turn, Random& random) const {
  const Kind kind = kind_of(turn);
  GivenInputs given;
  given.is_quad = form_.stage == Stage::fragment;
  if (first_vertex_value(interface_)) given.first_vertex = turn % 3;
  const std::uint32_t left = random.below(32) * 2, top = random.below(32) * 2;
  for (const GivenVector& each : vectors_) {
    GivenVector& vector = given.vectors.emplace_back(each);
    const ssa::Variable& variable = form_.variables[each.place.variable];
    const auto word = [&] {
      if (vector.is_boolean || vector.built_in == BuiltIn::front_facing) return random.below(2) == 0 ? 0U : ~0U;
      return some_word(vector.type, vector.is_signed, kind, random);
    };
    const bool shared = variable.storage == Storage::uniform || (given.is_quad && vector.type.base != Base::real) ||
                        (given.is_quad && variable.slots[each.place.slot].flat);
    vector.values.resize(shared ? 1 : lanes_);
    for (unsigned i = 0; i < vector.type.components; ++i) {
      const std::uint32_t first = word();
      const double across = random.between(-0.1, 0.1), down = random.between(-0.1, 0.1);
      for (std::uint32_t lane = 0; lane < vector.values.size(); ++lane) {
        std::uint32_t& bits = vector.values[lane][i];
        bits = lane == 0 || given.is_quad ? first : word();
        if (given.is_quad && !shared && lane != 0)
          bits = bits_of(std::bit_cast<float>(first) + (lane % 2 != 0 ? across : 0) + (lane / 2 != 0 ? down : 0));
      }
    }
    for (std::uint32_t lane = 0; lane < vector.values.size(); ++lane) {
      Bits& value = vector.values[lane];
      if (vector.built_in == BuiltIn::frag_coord)
        value = {bits_of(left + lane % 2 + 0.5), bits_of(top + (lane >> 1U) + 0.5), bits_of(0.5), bits_of(1)};
      if (const auto fixed = of_one_sample(vector.built_in)) value = {*fixed};
      if (is_count(vector.built_in)) value = {lane + (vector.built_in == BuiltIn::vertex_id ? given.first_vertex : 0)};
    }
  }
  if (form_.stage == Stage::compute) given.groups = {2, 1, 1};
  for (std::uint32_t number = 0; number < form_.variables.size(); ++number) {
    const ssa::Variable& variable = form_.variables[number];
    if (variable.storage == Storage::uniform_block || variable.storage == Storage::storage_block)
      given.blocks[number] = make_block(variable, turn, random);
  }
  for (const TextureKind& each : textures_) {
    std::uint32_t texels = 0;
    for (std::uint32_t level = 0; level < each.size.levels; ++level)
      texels += std::max(each.size.width >> level, 1U) * std::max(each.size.height >> level, 1U) * each.size.depth *
                each.size.layers * (each.size.shape == ir::Texture::Shape::cube ? 6 : 1);
    const bool real = each.numbers == io::Texture::Numbers::f32;
    const io::TexelFormat* format = io::find_texel_format(real                                        ? "rgba8_unorm"
                                                          : each.numbers == io::Texture::Numbers::u32 ? "rgba8_uint"
                                                                                                      : "rgba8_sint");
    std::vector<std::uint8_t> bytes(std::size_t{texels} * 4);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    if (auto texture = io::make_texture(each.size, *format, bytes, "texture")) {
      const bool has_levels = real && each.size.shape != ir::Texture::Shape::cube;
      if (has_levels && !io::generate_levels(*texture)) continue;
      given.textures[each.number] = std::make_shared<const io::Texture>(std::move(*texture));
    }
  }
  for (const auto& [number, image] : images_) given.images[number] = {image, make_texels(*image, kind, random)};
  return given;
}

bool Binding::has_open_blocks() const {
  return std::ranges::any_of(form_.variables, [](const ssa::Variable& each) {
    return !each.members.empty() && each.members.back().stride != 0;
  });
}

std::size_t Binding::size_of(const ssa::Variable& block, std::uint32_t elements) {
  std::size_t size = 16;
  for (const ssa::Member& member : block.members) {
    const std::size_t more =
        member.stride != 0 && &member == &block.members.back() ? std::size_t{elements} * member.stride : 0;
    size = std::max(size, member.offset + member.extent() + more);
  }
  return (size + 15) / 16 * 16;
}

namespace {

/// Gives values to what lies in a block from a byte on.
void fill_block(const ssa::Variable& block, std::size_t first, Kind kind, Random& random,
                std::vector<std::uint8_t>& bytes) {
  for (const ssa::Member& member : block.members) {
    const std::uint32_t step = member.stride;
    for (std::size_t at = member.offset; at + member.extent() <= bytes.size(); at += step) {
      for (unsigned i = 0; i < member.type.components; ++i) {
        const std::size_t place = at + std::size_t{member.step} * i;
        if (place < first) continue;
        const std::uint32_t word = some_word(member.type, member.is_signed, kind, random);
        std::memcpy(bytes.data() + place, &word, 4);
      }
      if (step == 0) break;
    }
  }
}

}  // namespace

std::vector<std::uint8_t> Binding::make_block(const ssa::Variable& block, std::uint32_t turn, Random& random) const {
  std::vector<std::uint8_t> bytes(size_of(block, first_length()));
  fill_block(block, 0, kind_of(turn), random, bytes);
  return bytes;
}

void Binding::lengthen(GivenInputs& given, std::uint32_t block, std::uint64_t bytes, std::uint32_t turn,
                       Random& random) const {
  std::vector<std::uint8_t>& content = given.blocks.at(block);
  const std::size_t before = content.size();
  for (std::uint32_t elements = first_length(); content.size() < bytes; elements *= 2)
    content.resize(std::max(before, size_of(form_.variables[block], elements)));
  fill_block(form_.variables[block], before, kind_of(turn), random, content);
}

// ------------------------------------------------------------------------------------------------ textures

void Binding::bind_textures() {
  for (const ssa::TextureAccess& access : form_.accesses) {
    const ssa::Variable& variable = form_.variables[access.texture];
    const auto named =
        std::ranges::find_if(interface_.uniforms, [&](const Variable& each) { return each.name == variable.name; });
    if (named == interface_.uniforms.end()) continue;
    if (variable.storage == Storage::image)
      bind_image(access, *named);
    else
      bind_texture(access, *named);
  }
}

void Binding::bind_texture(const ssa::TextureAccess& access, const Variable& named) {
  const io::GlslType type = io::parse_glsl_type(named.type);
  TextureKind kind;
  switch (access.shape) {
    using Shape = ssa::TextureAccess::Shape;
    case Shape::d1:
    case Shape::buffer:
      kind.size = {.shape = ir::Texture::Shape::d1, .width = 8};
      break;
    case Shape::d3:
      kind.size = {.shape = ir::Texture::Shape::d3, .width = 4, .height = 8, .depth = 4};
      break;
    case Shape::cube:
      kind.size = {.shape = ir::Texture::Shape::cube, .width = 4, .height = 4};
      // What level a quad takes by itself is the machine's choice, where it sees several faces.
      if (std::ranges::none_of(form_.accesses, [&](const ssa::TextureAccess& each) {
            return each.texture == access.texture && each.kind == ssa::TextureAccess::Kind::sample &&
                   (each.level == ssa::TextureAccess::Level::implicit || each.level == ssa::TextureAccess::Level::bias);
          }))
        kind.size.levels = 3;
      break;
    default:
      kind.size = {.shape = ir::Texture::Shape::d2, .width = 8, .height = 4};
  }
  if (access.layered) kind.size.layers = 3;
  if (named.type.starts_with('i')) kind.numbers = io::Texture::Numbers::i32;
  if (named.type.starts_with('u')) kind.numbers = io::Texture::Numbers::u32;
  for (std::uint32_t i = 0; i < type.length.value_or(1); ++i) {
    kind.number = static_cast<std::uint32_t>(named.driver_location) + i;
    textures_.push_back(kind);
  }
}

void Binding::bind_image(const ssa::TextureAccess& access, const Variable& named) {
  constexpr std::uint64_t first_address = 0x10000000, address_step = 0x100000;
  const ssa::Variable& variable = form_.variables[access.texture];
  const ssa::Slot& slot = variable.slots.front();
  const std::string_view widest = slot.type.base == Base::real ? "rgba32_float"
                                  : slot.is_signed             ? "rgba32_sint"
                                                               : "rgba32_uint";
  io::StorageImage image;
  image.format = io::find_texel_format(variable.format.empty() ? widest : variable.format);
  // Room for the threads of two groups: once some change something beyond an edge, nothing of a run is promised.
  const auto& [across, down, deep] = form_.local_size;
  switch (access.shape) {
    using Shape = ssa::TextureAccess::Shape;
    case Shape::d1:
    case Shape::buffer:
      image.size = {std::max(16U, 2 * across), 1, 1};
      image.dimensions = 1;
      break;
    case Shape::d3:
      image.size = {std::max(8U, 2 * across), std::max(4U, down), std::max(4U, deep)};
      break;
    case Shape::cube:
      image.size = {8, 8, access.layered ? 12U : 6U};
      break;
    default:
      image.size = {std::max(8U, 2 * across), std::max(4U, down), access.layered ? std::max(3U, deep) : 1U};
  }
  if (image.size[2] > 1) image.dimensions = 3;
  for (std::uint32_t i = 0; i < variable.slots.size(); ++i) {
    const std::uint32_t number = static_cast<std::uint32_t>(named.driver_location) + i;
    image.address = first_address + number * address_step;
    images_[number] = std::make_shared<const io::StorageImage>(image);
  }
}

std::uint32_t Binding::texture_number(std::uint32_t variable, std::uint32_t slot) const {
  const std::string& name = form_.variables[variable].name;
  for (const Variable& each : interface_.uniforms)
    if (each.name == name) return static_cast<std::uint32_t>(each.driver_location) + slot;
  return ~0U;
}

// ------------------------------------------------------------------------------------------------ for the machine

std::optional<std::uint32_t> Binding::storage_number(std::uint32_t variable) const {
  const Variable* const found = find_block(interface_.ssbo_blocks, form_.variables[variable]);
  return found == nullptr ? std::nullopt : std::optional(static_cast<std::uint32_t>(found->driver_location));
}

Bits Binding::as_machine_has(const GivenVector& vector, std::uint32_t lane) const {
  Bits bits = vector.of(lane);
  if (!has_floats_only() || vector.type.base == Base::real) return bits;
  for (std::uint32_t& each : bits) {
    if (vector.is_boolean)
      each = bits_of(each != 0 ? 1 : 0);
    else
      each = bits_of(vector.is_signed ? static_cast<double>(static_cast<std::int32_t>(each)) : each);
  }
  return bits;
}

void Binding::put_uniform(const GivenVector& vector, RunInputs& inputs) const {
  const auto found = find_vector(interface_.uniforms, form_.variables[vector.place.variable], vector.place.slot);
  if (!found) return;
  // The words of a variable follow each other, whatever vectors they are of; or each has four.
  const ssa::Variable& variable = form_.variables[vector.place.variable];
  std::uint32_t before = 0;
  const std::string_view whole = found->variable->name;
  for (std::uint32_t i = 0; i < vector.place.slot; ++i)
    if (is_element(variable.slots[i].name, whole)) before += has_floats_only() ? 4 : variable.slots[i].type.components;
  const auto first = static_cast<std::uint32_t>(found->variable->driver_location);
  UniformWords words{(has_floats_only() ? 4 * first : first) + before, {}};
  const Bits bits = as_machine_has(vector, 0);
  words.values.assign(bits.begin(), bits.begin() + vector.type.components);
  inputs.uniforms.push_back(std::move(words));
}

void Binding::put_input(const GivenVector& vector, RunInputs& inputs) const {
  const auto found = find_vector(interface_.inputs, form_.variables[vector.place.variable], vector.place.slot);
  if (!found || is_count(vector.built_in)) return;
  auto& all = form_.stage == Stage::vertex ? inputs.attributes : inputs.varyings;
  for (std::size_t i = 0; i < found->components.size(); ++i) {
    const io::Component at = found->components[i];
    std::vector<RunVec4>& values = all[at.slot];
    if (values.empty()) values.assign(lanes_, io::default_vector(io::GlslType::Base::f32));
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) values[lane][at.component] = as_machine_has(vector, lane)[i];
  }
}

RunInputs Binding::for_machine(const GivenInputs& given) const {
  RunInputs inputs;
  inputs.threads = lanes_;
  inputs.quads = given.is_quad;
  inputs.groups = given.groups;
  inputs.limits.steps = words_of_a_step * given.steps;
  for (const GivenVector& vector : given.vectors) {
    const bool is_uniform = form_.variables[vector.place.variable].storage == Storage::uniform;
    if (is_uniform)
      put_uniform(vector, inputs);
    else if (form_.stage != Stage::compute)
      put_input(vector, inputs);
  }
  if (form_.stage == Stage::compute)
    inputs.local_size = form_.local_size;
  else
    inputs.identities.resize(lanes_);
  for (std::uint32_t lane = 0; lane < inputs.identities.size(); ++lane) {
    Thread& thread = inputs.identities[lane];
    thread.vertex = thread.instance = lane;
    for (const GivenVector& vector : given.vectors)
      if (vector.built_in == BuiltIn::frag_coord) {
        thread.x = std::bit_cast<float>(vector.of(lane)[0]);
        thread.y = std::bit_cast<float>(vector.of(lane)[1]);
      }
  }
  for (const auto& [variable, bytes] : given.blocks) {
    const bool is_storage = form_.variables[variable].storage == Storage::storage_block;
    const Variable* const found =
        find_block(is_storage ? interface_.ssbo_blocks : interface_.ubo_blocks, form_.variables[variable]);
    if (found == nullptr) continue;
    RunWords& words =
        (is_storage ? inputs.buffers : inputs.uniform_buffers)[static_cast<std::uint32_t>(found->driver_location)];
    words.resize(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
  }
  if (const auto value = first_vertex_value(interface_)) inputs.system_values[*value] = {given.first_vertex, 0, 0, 0};
  inputs.textures = given.textures;
  for (const auto& [number, each] : given.images) {
    inputs.images[number] = each.image;
    inputs.memory.push_back({each.image->address, each.bytes});
  }
  return inputs;
}

}  // namespace mobula::compile
