#include "io/run_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "core/counted.h"
#include "execute/atomic.h"
#include "execute/kernels.h"
#include "execute/semantics.h"
#include "io/float_bits.h"
#include "io/texture.h"
#include "io/values.h"

namespace mobula::io {
namespace {

std::uint32_t convert(ir::Type to, ir::Type from, std::uint32_t value) {
  return static_cast<std::uint32_t>(ir::evaluate({.op = ir::Op::f2f, .type = to, .from = from}, value, 0, 0));
}

/// Components as the call wants them: bit patterns, narrowed for f16. Beyond the fourth there is nothing.
Fault deliver(const ir::Call& call, const RunVec4& value, std::span<std::uint8_t> out) {
  const std::uint32_t bytes = ir::bytes_of(call.type);
  if (call.type != ir::Type::f32 && call.type != ir::Type::i32 && call.type != ir::Type::f16) {
    return {fmt::format("inputs cannot be given as {}", ir::name(call.type))};
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(call.count, 4); ++i) {
    const std::uint32_t word = call.type == ir::Type::f16 ? convert(ir::Type::f16, ir::Type::f32, value[i]) : value[i];
    write_little_endian(out.subspan(i * bytes, bytes), word);
  }
  return {};
}

/// What a typed store gives: up to four components as words, halves widened.
RunVec4 words_of(const ir::Call& call, std::span<const std::uint8_t> data) {
  const std::uint32_t bytes = ir::bytes_of(call.type);
  RunVec4 words{};
  for (std::size_t i = 0; i < std::min<std::size_t>(call.count, 4); ++i) {
    const auto word = static_cast<std::uint32_t>(read_little_endian(data.subspan(i * bytes, bytes)));
    words[i] = call.type == ir::Type::f16 ? convert(ir::Type::f32, ir::Type::f16, word) : word;
  }
  return words;
}

/// "0, 1, 4" for messages.
template <class Map>
std::string numbers_of(const Map& map) {
  std::string text;
  for (const auto& [number, value] : map) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text.empty() ? "none" : text;
}

/// "1 (colour), nor normal, uv": an input that a thread wants, and what else nothing gives.
template <class IsGiven>
std::string missing_input(const std::vector<Variable>& inputs, std::uint32_t number, IsGiven is_given) {
  const std::string name = vector_name(inputs, number);
  std::string text = std::to_string(number);
  if (!name.empty()) text += " (" + name + ')';
  std::string others;
  for (const Variable& each : inputs) {
    const bool is_it = each.name == name || each.name == name.substr(0, name.find('['));
    if (is_it || each.driver_location < 0 || each.name.starts_with("gl_")) continue;
    if (!is_given(static_cast<std::uint32_t>(each.driver_location)))
      others += (others.empty() ? ", nor " : ", ") + each.name;
  }
  return text + others;
}

}  // namespace

RunVec4 interpolated(const std::array<RunVec4, 4>& corners, float across, float down) {
  RunVec4 result;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto corner = [&](std::size_t number) { return float_of(corners[number][i]); };
    result[i] = std::bit_cast<std::uint32_t>(
        between(between(corner(0), corner(2), down), between(corner(1), corner(3), down), across));
  }
  return result;
}

std::optional<std::uint32_t> constant_word(const ir::Program& program, ir::Operand operand) {
  if (operand.is_none()) return 0;
  if (!operand.is_constant()) return std::nullopt;
  return static_cast<std::uint32_t>(read_little_endian(std::span(program.constants).subspan(operand.byte(), 4)));
}

/// What earlier batches have left.
void RunEnvironment::forget() {
  const std::size_t lanes = lanes_.count();
  have_counts_ = false;
  common_colours_ = most_colours_ = 0;
  if (!colours_.empty() && colours_.front().padded_lanes() != padded_lanes()) colours_.clear();
  spare_varyings_.insert(spare_varyings_.end(), std::move_iterator(varyings_.begin()),
                         std::move_iterator(varyings_.end()));
  varyings_.clear();
  tile_.clear();
  stack_.reset(lanes, world_.thread_local_bytes, {});
  thread_local_.reset(lanes, world_.thread_local_bytes, world_.thread_local_image);
  workgroup_local_.clear();
  if (world_.inputs.fragment_retries != 0) retries_.assign(lanes, 0);
  if (world_.inputs.tile_waits != 0) waits_.assign(lanes, 0);
  overruns_.clear();
  rows_.clear();
  down_.clear();
}

void RunEnvironment::begin() {
  forget();
  if (!world_.image) return;
  find_rows(*world_.image, lanes_.first(), lanes_.count(), rows_);
  across_ = world_.across.data() + lanes_.first() % lanes_of_row(*world_.image);
}

void RunEnvironment::begin_beyond_edges() {
  forget();
  own_across_.resize(padded_lanes());
  down_.resize(padded_lanes());
  for (std::size_t lane = 0; lane < lanes_.count(); ++lane) {
    own_across_[lane] = lanes_.threads()[lane].x / static_cast<float>(world_.image->width);
    down_[lane] = lanes_.threads()[lane].y / static_cast<float>(world_.image->height);
  }
  across_ = own_across_.data();
}

void RunEnvironment::make_down() {
  if (!down_.empty()) return;
  down_.resize(padded_lanes());
  for (const QuadRow& row : rows_) {
    const float upper = place_of(row.y, world_.image->height), lower = place_of(row.y + 1, world_.image->height);
    for (std::uint32_t lane = row.lane; lane < row.end_lane(); ++lane) down_[lane] = (lane & 2) == 0 ? upper : lower;
  }
}

// ---- memory

RunEnvironment::Own RunEnvironment::find_own(std::uint64_t address, std::size_t size) {
  const auto in = [&](Scratch& scratch, std::uint64_t base) -> Own {
    if (!scratch.holds(address - base, size)) return {};
    return {&scratch, static_cast<std::uint32_t>(address - base)};
  };
  if (address >= thread_local_address) return in(thread_local_, thread_local_address);
  return address >= stack_address ? in(stack_, stack_address) : Own{};
}

std::optional<std::span<std::uint8_t>> RunEnvironment::find_shared(const Thread& thread, std::uint64_t address,
                                                                   std::size_t size) {
  if (address >= workgroup_local_address) {
    if (workgroup_local_.empty()) workgroup_local_.resize(world_.workgroup_local_bytes);
    const std::uint64_t offset = address - workgroup_local_address;
    if (offset <= workgroup_local_.size() && size <= workgroup_local_.size() - offset)
      return std::span(workgroup_local_).subspan(static_cast<std::size_t>(offset), size);
  }
  return thread.helper ? std::nullopt : world_.memory.find(address, size);
}

namespace {
Fault no_memory(std::string_view what, std::size_t bytes, std::uint64_t address) {
  std::string reason =
      fmt::format("{} of {} at 0x{:x}, where there is no memory", what, counted(bytes, "byte"), address);
  if (address >= thread_local_address && address < workgroup_local_address)
    reason += fmt::format(" (byte {} of the thread's own)", address - thread_local_address);
  return {std::move(reason)};
}
}  // namespace

Fault RunEnvironment::load_memory(const Thread& thread, std::uint64_t address, std::span<std::uint8_t> out) {
  if (const Own own = find_own(address, out.size()); own.scratch != nullptr) {
    own.scratch->read(lane_of(thread), own.offset, out);
    return {};
  }
  const std::lock_guard lock(world_.memory_lock);
  const auto found = find_shared(thread, address, out.size());
  // A helper may compute any address; what it loads is never used but for differences.
  if (!found) return thread.helper ? Fault{} : no_memory("load", out.size(), address);
  std::copy(found->begin(), found->end(), out.begin());
  return {};
}

Fault RunEnvironment::store_memory(const Thread& thread, std::uint64_t address, std::span<const std::uint8_t> data) {
  if (const Own own = find_own(address, data.size()); own.scratch != nullptr) {
    own.scratch->write(lane_of(thread), own.offset, data);
    return {};
  }
  const std::lock_guard lock(world_.memory_lock);
  const auto found = find_shared(thread, address, data.size());
  if (!found) return thread.helper ? Fault{} : no_memory("store", data.size(), address);
  std::copy(data.begin(), data.end(), found->begin());
  return {};
}

Fault RunEnvironment::atomic(const Thread& thread, ir::AtomicOp op, std::uint64_t address, std::uint32_t width,
                             std::uint64_t operand, std::uint64_t compare, std::uint64_t& old_value) {
  if (address % width != 0)
    return {fmt::format("atomic access of {} bytes at 0x{:x}, which is not aligned", width, address)};
  std::array<std::uint8_t, 8> own_bytes{};
  const auto own_value = std::span(own_bytes).first(width);
  const Own own = find_own(address, width);
  const std::lock_guard lock(world_.memory_lock);
  const auto shared = own.scratch == nullptr ? find_shared(thread, address, width) : std::span(own_value);
  if (!shared) return no_memory("atomic access", width, address);
  if (own.scratch != nullptr) own.scratch->read(lane_of(thread), own.offset, own_value);
  old_value = read_little_endian(*shared);
  write_little_endian(*shared, ir::atomic_result(op, width, old_value, operand, compare));
  if (own.scratch != nullptr) own.scratch->write(lane_of(thread), own.offset, own_value);
  return {};
}

Fault RunEnvironment::load_uniform(const Thread& thread, std::uint32_t buffer, std::uint32_t byte_offset,
                                   std::span<std::uint8_t> out) {
  const auto at = world_.uniform_buffers.find(buffer);
  const std::size_t size = at == world_.uniform_buffers.end() ? 0 : at->second.size();
  const std::size_t inside = byte_offset < size ? std::min(out.size(), size - byte_offset) : 0;
  if (inside != 0) std::memcpy(out.data(), at->second.data() + byte_offset, inside);
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(inside), out.end(), std::uint8_t{0});
  if (inside < out.size() && !thread.helper) {
    const Overrun first{.input = lanes_.inputs()[lane_of(thread)],
                        .byte_offset = byte_offset,
                        .bytes = static_cast<std::uint32_t>(out.size())};
    ++overruns_.try_emplace(buffer, first).first->second.count;
  }
  return {};
}

// ---- inputs of a stage

Fault RunEnvironment::attribute(const Thread& thread, const ir::Call& call, std::uint32_t number, std::uint32_t vertex,
                                std::span<std::uint8_t> out) {
  // The numbers of these two are fixed, also where a machine counts attributes otherwise.
  constexpr std::uint32_t vertex_id = 16, instance_id = 17;
  const auto at = world_.inputs.attributes.find(number);
  if (at == world_.inputs.attributes.end()) {
    if (number == vertex_id) return deliver(call, {vertex, 0, 0, 1}, out);
    if (number == instance_id) return deliver(call, {thread.instance, 0, 0, 1}, out);
    const auto is_given = [&](std::uint32_t other) { return world_.inputs.attributes.contains(other); };
    return {fmt::format("the inputs give no attribute {}; given: {}",
                        missing_input(world_.interface->inputs, number, is_given),
                        numbers_of(world_.inputs.attributes))};
  }
  const std::vector<RunVec4>& values = at->second;
  const std::size_t index = vertex == thread.vertex ? lanes_.inputs()[lane_of(thread)] : vertex;
  if (values.size() > 1 && index >= values.size()) {
    return {fmt::format("the inputs give attribute {} for {}; there is no vertex {}", number,
                        counted(values.size(), "vertex", "vertices"), index)};
  }
  return deliver(call, values.size() == 1 ? values[0] : values[index], out);
}

std::optional<RunVec4> RunEnvironment::varying_value(const Thread& thread, std::uint32_t number, bool flat) {
  const RunInputs& inputs = world_.inputs;
  const std::uint32_t x = float_bits(thread.x), y = float_bits(thread.y);
  if (world_.image) {
    const auto corners = inputs.corners.find(number);
    if (corners != inputs.corners.end()) {
      if (flat) return corners->second[0];
      const std::size_t lane = lane_of(thread);
      make_down();
      return interpolated(corners->second, across_[lane], down_[lane]);
    }
  }
  const auto given = inputs.varyings.find(number);
  if (given != inputs.varyings.end()) {
    const std::vector<RunVec4>& values = given->second;
    const std::size_t input = lanes_.inputs()[lane_of(thread)];
    RunVec4 value = values[values.size() == 1 ? 0 : std::min(input, values.size() - 1)];
    // A helper is beside the thread it helps.
    if (thread.helper && number == world_.frag_coord) value = {x, y, value[2], value[3]};
    return value;
  }
  if (number == world_.frag_coord) return RunVec4{x, y, float_bits(0.5), float_bits(1)};
  if (number == world_.front_facing) return RunVec4{~0u, 0, 0, 0};
  return std::nullopt;
}

Fault RunEnvironment::varying(const Thread& thread, const ir::Call& call, std::uint32_t number,
                              std::span<std::uint8_t> out) {
  const auto value = varying_value(thread, number, (call.index & ir::Interpolation::flat) != 0);
  if (value) return deliver(call, *value, out);
  std::string given = numbers_of(world_.inputs.varyings);
  if (world_.image) given += "; corners: " + numbers_of(world_.inputs.corners);
  const auto is_given = [&](std::uint32_t other) {
    return world_.inputs.varyings.contains(other) || (world_.image && world_.inputs.corners.contains(other));
  };
  return {fmt::format("the inputs give no varying {}; given: {}",
                      missing_input(world_.interface->inputs, number, is_given), given)};
}

Fault RunEnvironment::texture(const Thread&, const TextureRequest& request, std::array<std::uint32_t, 4>& out) {
  const auto at = world_.inputs.textures.find(request.texture);
  if (at == world_.inputs.textures.end()) {
    return {
        fmt::format("the inputs give no texture {}; given: {}", request.texture, numbers_of(world_.inputs.textures))};
  }
  return io::sample(*at->second, sampler_of(world_.inputs, request.sampler), request, out);
}

const Sampler& sampler_of(const RunInputs& inputs, std::uint32_t number) {
  static const Sampler default_sampler;
  const auto sampler = inputs.samplers.find(number);
  return sampler == inputs.samplers.end() ? default_sampler : *sampler->second;
}

Fault RunEnvironment::no_image(std::uint32_t image) const {
  return {fmt::format("the inputs give no image {}; given: {}", image, numbers_of(world_.inputs.images))};
}

const StorageImage* RunEnvironment::find_image(std::uint32_t image, ir::Type type, Fault& fault) const {
  const auto at = world_.inputs.images.find(image);
  if (at == world_.inputs.images.end()) {
    fault = no_image(image);
    return nullptr;
  }
  const StorageImage* const found = at->second.get();
  if (found->format->integer() == (type == ir::Type::i32)) return found;
  fault = {fmt::format("image {} is {}, but the program treats its texels as {}", image, found->format->name,
                       type == ir::Type::i32 ? "integers" : "floats")};
  return nullptr;
}

/// OpenGL ES 3.2, 8.22: loads outside of the image give 0, stores there do nothing.
Fault RunEnvironment::load_image(const Thread& thread, const ir::Call& call, std::uint32_t image,
                                 std::array<std::int32_t, 3> at, std::span<std::uint8_t> out) {
  Fault fault;
  const StorageImage* const found = find_image(image, call.type, fault);
  if (found == nullptr) return fault;
  const auto address = found->address_of(at);
  if (!address) return deliver(call, {}, out);
  std::array<std::uint8_t, 16> bytes{};
  fault = load_memory(thread, *address, std::span(bytes).first(found->format->bytes()));
  return fault ? fault : deliver(call, decode_texel(*found->format, bytes.data()), out);
}

Fault RunEnvironment::store_image(const Thread& thread, const ir::Call& call, std::uint32_t image,
                                  std::array<std::int32_t, 3> at, std::span<const std::uint8_t> data) {
  Fault fault;
  const StorageImage* const found = find_image(image, call.type, fault);
  if (found == nullptr) return fault;
  const auto address = found->address_of(at);
  if (!address || thread.helper) return {};
  const Texel texel = words_of(call, data);
  std::array<std::uint8_t, 16> bytes{};
  if (!encode_texel(*found->format, texel, bytes.data()))
    return {
        fmt::format("stores ({}, {}, {}, {}) to image {}, but {} has no room for it; what is kept then is not known",
                    texel[0], texel[1], texel[2], texel[3], image, found->format->name)};
  return store_memory(thread, *address, std::span(bytes).first(found->format->bytes()));
}

Fault RunEnvironment::image_address(const Thread&, std::uint32_t image, std::array<std::int32_t, 3> at,
                                    std::uint64_t& address) {
  const auto found = world_.inputs.images.find(image);
  if (found == world_.inputs.images.end()) return no_image(image);
  const auto texel = found->second->address_of(at);
  if (!texel)
    return {fmt::format("takes the address of texel ({}, {}, {}), which is outside of image {}", at[0], at[1], at[2],
                        image)};
  address = *texel;
  return {};
}

Fault RunEnvironment::load_special(const Thread& thread, const ir::Call& call, std::uint32_t selector,
                                   std::span<std::uint8_t> out) {
  // The selectors that are known; docs/run-files.md.
  constexpr std::uint32_t sample_mask_in = 0x60, sample_id = 0x61, typed_tile = 0x01, raw_tile = 0x10;
  if (selector == sample_mask_in) return deliver(call, {thread.helper ? 0u : 1u, 0, 0, 0}, out);
  if (selector == sample_id) return deliver(call, {}, out);
  if (selector == typed_tile || selector == raw_tile) return load_tile(thread, call, 0, 0, out);
  return Environment::load_special(thread, call, selector, out);
}

// ---- outputs

namespace {
// Writes to the tile buffer that are kept of one lane, and different varyings of one batch. Real programs have fewer;
// it bounds what one can make us keep.
constexpr std::size_t colour_limit = 16, output_limit = 256;
}  // namespace

Fault RunEnvironment::store_varying(const Thread& thread, const ir::Call& call, std::uint32_t number,
                                    std::span<const std::uint8_t> data) {
  if (ir::bytes_of(call.type) > 4) return {fmt::format("varyings cannot be stored as {}", ir::name(call.type))};
  const std::size_t first = call.index, count = call.count;
  if (first + count > 4) return {fmt::format("a varying has 4 components; stores {} from component {}", count, first)};
  VaryingOfLanes* const varying = varying_of_lanes(number);
  if (varying == nullptr) return {fmt::format("stores to more than {} different varyings", output_limit)};
  const std::size_t lane = lane_of(thread);
  const RunVec4 words = words_of(call, data);
  for (std::size_t i = 0; i < count; ++i) {
    if ((varying->declared >> (first + i) & 1) == 0) continue;
    varying->values[lane][first + i] = words[i];
    varying->stored[lane] = static_cast<std::uint8_t>(varying->stored[lane] | 1u << (first + i));
  }
  return {};
}

RunEnvironment::VaryingOfLanes* RunEnvironment::varying_of_lanes(std::uint32_t number) {
  const auto place = std::lower_bound(varyings_.begin(), varyings_.end(), number,
                                      [](const VaryingOfLanes& each, std::uint32_t at) { return each.number < at; });
  if (place != varyings_.end() && place->number == number) return &*place;
  if (varyings_.size() == output_limit) return nullptr;
  VaryingOfLanes varying;
  if (!spare_varyings_.empty()) {
    varying = std::move(spare_varyings_.back());
    spare_varyings_.pop_back();
  }
  varying.number = number;
  const auto [known, is_new] = declared_.try_emplace(number);
  if (is_new) known->second = components_of_output(*world_.interface, number);
  varying.declared = known->second;
  varying.values.assign(lanes_.count(), {});
  varying.stored.assign(lanes_.count(), 0);
  return &*varyings_.insert(place, std::move(varying));
}

Planes* RunEnvironment::new_colours(std::size_t position) {
  constexpr std::uint32_t parts = 7;
  if (position >= colour_limit) return nullptr;
  most_colours_ = std::max(most_colours_, position + 1);
  const std::size_t kept_at = world_.image ? 0 : position;
  if (kept_at == colours_.size()) colours_.emplace_back().assign(parts, static_cast<std::uint32_t>(padded_lanes()), 0);
  return &colours_[kept_at];
}

std::array<const std::uint32_t*, 4> RunEnvironment::last_colours() const {
  const Planes& planes = colours_.front();
  return {planes.plane(0), planes.plane(1), planes.plane(2), planes.plane(3)};
}

std::uint32_t* RunEnvironment::own_counts() {
  if (!have_counts_) colour_counts_.assign(padded_lanes(), 0);
  have_counts_ = true;
  return colour_counts_.data();
}

Fault RunEnvironment::add_colour(std::size_t lane, const ColourOutput& colour) {
  if (world_.image && !is_of_first_target(colour.target)) return {};
  Planes* const planes = new_colours(count_of_colours(lane));
  if (planes == nullptr) return {fmt::format("more than {} colours written", colour_limit)};
  for (std::uint32_t i = 0; i < 4; ++i) planes->plane(i)[lane] = colour.colour[i];
  planes->plane(4)[lane] = colour.depth;
  planes->plane(5)[lane] = colour.stencil;
  planes->plane(6)[lane] = colour.target;
  ++own_counts()[lane];
  return {};
}

std::size_t RunEnvironment::count_of_colours() const {
  std::size_t count = common_colours_ * lanes_.count();
  if (have_counts_)
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) count += colour_counts_[lane];
  return count;
}

std::size_t RunEnvironment::count_of_varyings() const {
  std::size_t count = 0;
  for (const VaryingOfLanes& varying : varyings_)
    count += varying.stored.size() -
             static_cast<std::size_t>(std::count(varying.stored.begin(), varying.stored.end(), std::uint8_t{0}));
  return count;
}

void RunEnvironment::add_outputs(std::size_t lane, std::vector<ColourOutput>& colours,
                                 std::vector<VaryingOutput>& varyings) const {
  const std::size_t count = count_of_colours(lane);
  for (std::size_t i = 0; i < count; ++i) {
    const auto part = [&](std::uint32_t number) { return colours_[i].plane(number)[lane]; };
    colours.push_back({{part(0), part(1), part(2), part(3)}, part(4), part(5), part(6)});
  }
  for (const VaryingOfLanes& varying : varyings_)
    if (varying.stored[lane] != 0) varyings.push_back({varying.number, varying.stored[lane], varying.values[lane]});
}

Fault RunEnvironment::fragment_out(const Thread& thread, std::array<std::uint32_t, 4> colour, std::uint32_t depth,
                                   std::uint32_t stencil, std::uint32_t target, bool& retry) {
  const std::size_t lane = lane_of(thread);
  retry = world_.inputs.fragment_retries != 0 && retries_[lane] < world_.inputs.fragment_retries;
  if (retry) {
    ++retries_[lane];
    return {};
  }
  return add_colour(lane, {colour, depth, stencil, target});
}

/// A lane finds what it stored itself, else what the inputs say.
Fault RunEnvironment::load_tile(const Thread& thread, const ir::Call& call, std::uint32_t target, std::uint32_t sample,
                                std::span<std::uint8_t> out) {
  const std::size_t lane = lane_of(thread);
  const auto stored = tile_.find({lane, sample << 8 | target});
  if (stored != tile_.end()) return deliver(call, stored->second, out);
  const auto given = world_.inputs.tile.find(target);
  if (given == world_.inputs.tile.end()) {
    return {fmt::format("the inputs do not give part {} of the tile buffer; given: {}", target,
                        numbers_of(world_.inputs.tile))};
  }
  const std::vector<RunVec4>& values = given->second;
  return deliver(call, values[std::min<std::size_t>(lanes_.inputs()[lane], values.size() - 1)], out);
}

/// Recorded as a colour is; what holds depth or stencil alone has target 0xff.
Fault RunEnvironment::store_tile(const Thread& thread, const ir::Call& call, std::uint32_t target, std::uint32_t sample,
                                 std::span<const std::uint8_t> data) {
  const std::size_t lane = lane_of(thread);
  const RunVec4 words = words_of(call, data);
  ColourOutput output{.colour = words, .target = target << 8 | sample};
  if ((call.flags & ir::CallFlags::depth) != 0) {
    output = {.depth = words[0], .target = no_target};
  } else if ((call.flags & ir::CallFlags::stencil) != 0) {
    output = {.stencil = words[0], .target = no_target};
  }
  Fault fault = add_colour(lane, output);
  if (!fault) tile_[{lane, sample << 8 | target}] = words;
  return fault;
}

Fault RunEnvironment::tile_ready(const Thread& thread, bool& wait) {
  wait = false;
  if (world_.inputs.tile_waits == 0) return {};
  std::uint32_t& waited = waits_[lane_of(thread)];
  wait = waited < world_.inputs.tile_waits;
  waited += wait;
  return {};
}

}  // namespace mobula::io
