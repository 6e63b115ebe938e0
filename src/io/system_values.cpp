#include "io/system_values.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/system_values.h"
#include "io/run_environment.h"
#include "io/storage_image.h"
#include "io/texture.h"
#include "io/values.h"

namespace mobula::io {
namespace {

RunVec4 bits_of(const std::array<float, 3>& value) {
  return {std::bit_cast<std::uint32_t>(value[0]), std::bit_cast<std::uint32_t>(value[1]),
          std::bit_cast<std::uint32_t>(value[2]), 0};
}

/// The id of a texture size holds the texture's number, its dimensions and whether it is an array.
RunVec4 size_of_texture(const RunInputs& inputs, std::uint32_t id) {
  const std::uint32_t number = id & 0x7F, dimensions = id >> 7 & 3;
  const bool array = (id >> 9 & 1) != 0;
  const auto at = inputs.textures.find(number);
  if (at == inputs.textures.end()) return {};
  const TextureSize& size = at->second->size;
  RunVec4 result{size.width, dimensions > 1 ? size.height : 0, dimensions > 2 ? size.depth : 0, 0};
  if (array) result[dimensions] = size.layers;
  return result;
}

/// The id of an image size holds the same of an image, and whether its slices are the faces of cubes.
RunVec4 size_of_image(const RunInputs& inputs, std::uint32_t id) {
  constexpr std::uint32_t faces = 6;
  const std::uint32_t number = id & 0x7F, dimensions = id >> 7 & 3;
  const bool array = (id >> 9 & 1) != 0, cubes = (id >> 10 & 1) != 0;
  const auto at = inputs.images.find(number);
  if (at == inputs.images.end()) return {};
  RunVec4 result{};
  std::copy_n(at->second->size.begin(), dimensions + (array ? 1 : 0), result.begin());
  if (cubes) result[dimensions] /= faces;
  return result;
}

/// Least and greatest level of detail, and bias. A sampler without mipmaps takes the first level: its range is closed
/// but for what lets magnification and minification differ.
RunVec4 levels_of_sampler(const RunInputs& inputs, std::uint32_t number) {
  constexpr float no_mipmaps = 1.0F / 256;
  const auto at = inputs.samplers.find(number);
  const Sampler sampler = at == inputs.samplers.end() ? Sampler{} : *at->second;
  const float most = sampler.mip == MipFilter::none ? sampler.min_lod + no_mipmaps : sampler.max_lod;
  return bits_of({sampler.min_lod, most, sampler.lod_bias});
}

/// References are kept to what a texture of fixed point holds.
RunVec4 comparison_of_sampler(const RunInputs& inputs, std::uint32_t number) {
  const auto sampler = inputs.samplers.find(number);
  const auto texture = inputs.textures.find(number);
  const bool bounded = texture != inputs.textures.end() && texture->second->normalised;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {static_cast<std::uint32_t>((sampler == inputs.samplers.end() ? Sampler{} : *sampler->second).compare),
          std::bit_cast<std::uint32_t>(bounded ? 0.0F : -infinity),
          std::bit_cast<std::uint32_t>(bounded ? 1.0F : infinity), 0};
}

RunVec4 address_and_size(const Interface& interface, std::uint32_t number,
                         const std::map<std::uint32_t, std::uint64_t>& buffer_bytes, Diagnostics& warnings) {
  const auto at = buffer_bytes.find(number);
  if (at == buffer_bytes.end()) {
    const Variable* const block = find_variable(interface.ssbo_blocks, number);
    warnings.push_back({Severity::warning,
                        "RN014",
                        {},
                        "the inputs give no buffer " + std::to_string(number) +
                            (block == nullptr ? "" : " (" + block->name + ")") + "; its address is 0",
                        "give it under buffers"});
    return {};
  }
  const std::uint64_t address = buffer_base + number * buffer_stride;
  return {static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(address >> 32),
          static_cast<std::uint32_t>(at->second), 0};
}

}  // namespace

RunWords system_value_words(const Interface& interface, const RunInputs& inputs,
                            const std::map<std::uint32_t, std::uint64_t>& buffer_bytes, Diagnostics& warnings) {
  const Viewport viewport = inputs.viewport.value_or(Viewport{});
  RunWords words;
  for (std::uint32_t k = 0; k < interface.system_values.size(); ++k) {
    const SystemValue& value = interface.system_values[k];
    RunVec4 vector{};
    const auto given = inputs.system_values.find(k);
    if (given != inputs.system_values.end()) {
      vector = given->second;
    } else {
      using enum SystemValueType;
      switch (static_cast<SystemValueType>(value.type)) {
        case viewport_scale:
          vector = bits_of(viewport.scale);
          break;
        case viewport_offset:
          vector = bits_of(viewport.offset);
          break;
        case texture_size:
          vector = size_of_texture(inputs, value.id);
          break;
        case image_size:
          vector = size_of_image(inputs, value.id);
          break;
        case storage_buffer:
          vector = address_and_size(interface, value.id, buffer_bytes, warnings);
          break;
        case group_count:
          std::copy(inputs.groups.begin(), inputs.groups.end(), vector.begin());
          break;
        case sampler_lod:
          vector = levels_of_sampler(inputs, value.id);
          break;
        case instance_memory:
          vector = {static_cast<std::uint32_t>(instance_memory_address),
                    static_cast<std::uint32_t>(instance_memory_address >> 32), 0, 0};
          break;
        case sampler_comparison:
          vector = comparison_of_sampler(inputs, value.id);
          break;
        case vertex_instance_offsets:
          break;  // a run starts at vertex 0, instance 0
        default:
          warnings.push_back({Severity::warning,
                              "RN005",
                              {},
                              "system value " + std::to_string(k) + " is of type " + std::to_string(value.type) +
                                  ", which has no known meaning, and is treated as zero",
                              "give it under system_values"});
      }
    }
    words.insert(words.end(), vector.begin(), vector.end());
  }
  return words;
}

RunWords uniform_memory(const Interface& interface, const RunInputs& inputs) {
  RunWords words;
  const auto put = [&words](std::size_t word, std::uint32_t bits) {
    if (words.size() <= word) words.resize(word + 1);
    words[word] = bits;
  };
  for (const UniformConstant& constant : interface.constants) put(constant.word, constant.bits);
  if (interface.viewport_vec4) {
    const Viewport viewport = inputs.viewport.value_or(Viewport{});
    RunVec4 scale = bits_of(viewport.scale);
    scale[3] = std::bit_cast<std::uint32_t>(1.0f);
    const RunVec4 offset = bits_of(viewport.offset);
    for (std::size_t i = 0; i < 4; ++i) {
      put(std::size_t{4} * *interface.viewport_vec4 + i, scale[i]);
      put(std::size_t{4} * *interface.viewport_vec4 + 4 + i, offset[i]);
    }
  }
  return words;
}

}  // namespace mobula::io
