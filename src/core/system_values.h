// What drivers provide beside the uniforms: the types of Interface::system_values, as Mesa 22.3 numbers them in side
// files.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mobula {

enum class SystemValueType : std::uint32_t {
  viewport_scale = 1,
  viewport_offset = 2,
  texture_size = 3,
  storage_buffer = 4,
  group_count = 5,
  sampler_lod = 7,
  image_size = 10,
  vertex_instance_offsets = 14,
  // No numbers of Mesa's.
  sampler_comparison = 64,
  instance_memory = 65,
};

struct SystemValueInfo {
  SystemValueType type{};
  std::string_view name, meaning;
};
inline constexpr std::array<SystemValueInfo, 10> system_value_types{{
    {SystemValueType::viewport_scale, "viewport_scale", "from clip space to pixels and depth: factors of x, y, z"},
    {SystemValueType::viewport_offset, "viewport_offset", "the same: what is added to x, y, z"},
    {SystemValueType::texture_size, "texture_size",
     "width, height, depth, layers; id: the texture's number in bits 6-0, its dimensions in 8-7, bit 9 for an array"},
    {SystemValueType::storage_buffer, "storage_buffer", "address in two words, and size; id: the buffer's number"},
    {SystemValueType::group_count, "group_count", "workgroups of the dispatch in x, y, z"},
    {SystemValueType::sampler_lod, "sampler_lod",
     "least and greatest level of detail, and bias; id: the sampler's number"},
    {SystemValueType::image_size, "image_size",
     "the same of a storage image; bit 10 for an array of cubes, whose faces are not counted"},
    {SystemValueType::vertex_instance_offsets, "vertex_instance_offsets", "first vertex and instance of the draw"},
    {SystemValueType::sampler_comparison, "sampler_comparison",
     "how a sampler compares, as Vulkan numbers it, and the least and greatest reference; id: the sampler's number"},
    {SystemValueType::instance_memory, "instance_memory",
     "address in two words of what instances keep for themselves; id: bytes of each, of 4096 in each cluster"},
}};

}  // namespace mobula
