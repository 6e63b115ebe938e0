#include "io/native_picture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "execute/interpreter_calls.h"
#include "execute/interpreter_group.h"
#include "execute/semantics.h"
#include "io/float_bits.h"
#include "io/texture.h"
#include "io/values.h"

namespace mobula::io {

using How = native::Binding::How;
using ir::Service;
using ir::Type;
using native::Binding;

namespace {

/// Whether the program has a call of one of these services.
bool calls_any(const ir::Program& program, std::initializer_list<Service> services) {
  return std::any_of(program.calls.begin(), program.calls.end(), [&](const ir::Call& call) {
    return std::find(services.begin(), services.end(), call.service) != services.end();
  });
}

}  // namespace

// ---- what a run has to be like

std::unique_ptr<NativePicture> NativePicture::make(RunWorld& world, const ir::Program& lifted,
                                                   const InitialState& initial, const InterpreterOptions& options,
                                                   PictureColours kept, const CodeSources& sources,
                                                   std::string& reason) {
  std::unique_ptr<NativePicture> picture(new NativePicture(world, lifted, options, kept));
  reason = picture->obstacle(initial);
  if (!reason.empty()) return nullptr;
  picture->fill_initial(initial);
  picture->bind_calls();
  if (!sources.even_if_slow && picture->samples_by_environment()) {
    reason = "the program samples textures in a way that takes as long either way";
    return nullptr;
  }
  picture->code_ = picture->find_code(sources, reason);
  return picture->code_ == nullptr ? nullptr : std::move(picture);
}

std::shared_ptr<const native::ReadyCode> NativePicture::find_code(const CodeSources& sources, std::string& reason) {
  const native::Request request{.program = &lifted_,
                                .calls = bindings_,
                                .places = places_,
                                .most_lanes = std::min(sources.most_lanes, native::most_lanes),
                                .keeps_bytes = kept_ == PictureColours::bytes};
  const std::vector<std::uint8_t> key = native::key_of(request);
  if (auto ready = native::find_ready(key)) {
    is_kept_ = true;
    return ready;
  }
  const std::optional<native::Code> code = find_bytes(request, key, sources, reason);
  if (!code) return nullptr;
  auto ready = std::make_shared<const native::ReadyCode>(*code);
  if (ready->code.entry() == nullptr) {
    reason = "the system gives no memory for code";
    return nullptr;
  }
  native::keep_ready(key, ready);
  return ready;
}

std::optional<native::Code> NativePicture::find_bytes(const native::Request& request,
                                                      const std::vector<std::uint8_t>& key, const CodeSources& sources,
                                                      std::string& reason) {
  const native::CodeCache cache(sources.folder);
  if (auto kept = cache.find(key)) {
    is_kept_ = true;
    return kept;
  }
  if (!sources.compiler) {
    reason = "no earlier run has kept code, and for so few pixels compiling does not pay";
    return std::nullopt;
  }
  const native::Compiler* const compiler = native::find_compiler(reason);
  if (compiler == nullptr) return std::nullopt;
  native::Outcome outcome = compiler->compile(request);
  reason = std::move(outcome.reason);
  if (outcome.code) cache.keep(key, *outcome.code);
  return std::move(outcome.code);
}

/// Why the interpreter has to do the run; empty if it does not.
std::string NativePicture::obstacle(const InitialState& initial) const {
  const RunInputs& inputs = world_.inputs;
  if (!world_.image) return "only pictures of fragments are made by host code";
  if (options_.strict) return "undefined values are tracked";
  if (options_.flush_denormals) return "denormals are flushed";
  if ((initial.fill && !initial.of_picture) || !initial.ids.empty())
    return "fragments start with registers of their own";
  if (inputs.fragment_retries != 0 || inputs.tile_waits != 0) return "the tile buffer makes fragments wait";
  if (calls_any(lifted_, {Service::store_tile})) return "the program stores to the tile buffer";
  const bool has_shared = !inputs.memory.empty() || !inputs.buffers.empty() || !inputs.images.empty();
  if (has_shared && calls_any(lifted_, {Service::store_memory, Service::atomic, Service::store_image}))
    return "fragments may share memory";
  if (lifted_.blocks.size() >= options_.step_limit) return "the limit of steps is small";
  return {};
}

void NativePicture::fill_initial(const InitialState& initial) {
  std::vector<std::uint8_t> bytes(lifted_.state_bytes + 3);
  for (const auto& [slot, value] : initial.constants) {
    std::array<std::uint8_t, 16> whole{};
    write_little_endian(std::span(whole).first(8), value);
    std::copy_n(whole.begin(), std::min<std::size_t>(slot.bytes, whole.size()),
                bytes.begin() + static_cast<std::ptrdiff_t>(slot.byte));
  }
  if (initial.of_picture) {
    for (const auto& [byte, value] : initial.of_picture->words)
      write_little_endian(std::span(bytes).subspan(byte, 4), value);
    for (const auto& [byte, axis] : initial.of_picture->places)
      places_.push_back({byte / 4, static_cast<std::uint32_t>(axis)});
  }
  initial_.resize((lifted_.state_bytes + 3) / 4);
  for (std::size_t word = 0; word < initial_.size(); ++word)
    initial_[word] = static_cast<std::uint32_t>(read_little_endian(std::span(bytes).subspan(4 * word, 4)));
}

// ---- how calls are served

bool NativePicture::samples_by_environment() const {
  for (std::size_t i = 0; i < bindings_.size(); ++i)
    if (lifted_.calls[i].service == Service::texture && bindings_[i].how == How::host) return true;
  return false;
}

void NativePicture::bind_calls() {
  for (const ir::Call& call : lifted_.calls) bindings_.push_back(bind(call));
  for (const ir::Operation& operation : lifted_.operations) kernels_.push_back(ir::find_kernel(operation));
}

Binding NativePicture::bind(const ir::Call& call) {
  switch (call.service) {
    case Service::varying:
      return bind_varying(call);
    case Service::load_uniform:
      return bind_uniform(call);
    case Service::fragment_out:
      return {How::colour};
    case Service::tile_ready:
      return {How::ready};
    case Service::texture:
      return bind_texture(call);
    default:
      return {};
  }
}

Binding NativePicture::constant(const RunVec4& value) {
  constants_.push_back(value);
  return {How::constant, static_cast<std::uint32_t>(constants_.size() - 1)};
}

/// The same cases as in RunEnvironment::varying.
Binding NativePicture::bind_varying(const ir::Call& call) {
  const std::optional<std::uint32_t> number = constant_word(lifted_, call.args[0]);
  if (!number || (call.type != Type::f32 && call.type != Type::i32 && call.type != Type::f16)) return {};
  if (const auto found = world_.inputs.corners.find(*number); found != world_.inputs.corners.end()) {
    if ((call.index & ir::Interpolation::flat) != 0) return constant(found->second[0]);
    std::array<float, 16>& corners = corners_.emplace_back();
    for (std::size_t i = 0; i < 16; ++i) corners[i] = float_of(found->second[i % 4][i / 4]);
    // Nobody promises the bits of a NaN that comes of one.
    if (!std::all_of(corners.begin(), corners.end(), [](float value) { return std::isfinite(value); })) return {};
    return {How::interpolated, static_cast<std::uint32_t>(corners_.size() - 1)};
  }
  if (const auto found = world_.inputs.varyings.find(*number); found != world_.inputs.varyings.end()) {
    const bool same_for_all = found->second.size() == 1 && *number != world_.frag_coord;
    return same_for_all ? constant(found->second[0]) : Binding{};
  }
  if (*number == world_.frag_coord) return {How::position};
  if (*number == world_.front_facing) return constant({~0u, 0, 0, 0});
  return {};
}

Binding NativePicture::bind_uniform(const ir::Call& call) {
  const std::optional<std::uint32_t> number =
      call.args[1].is_none() ? std::optional(call.index) : constant_word(lifted_, call.args[1]);
  if (!number) return {};
  const auto found = world_.uniform_buffers.find(*number);
  if (found == world_.uniform_buffers.end()) return {};
  const std::vector<std::uint8_t>& bytes = found->second;
  const auto known = std::find_if(uniforms_.begin(), uniforms_.end(),
                                  [&](const native::UniformBytes& each) { return each.bytes == bytes.data(); });
  const auto index = static_cast<std::uint32_t>(known - uniforms_.begin());
  if (known == uniforms_.end()) uniforms_.push_back({bytes.data(), bytes.size()});
  const std::optional<std::uint32_t> offset = constant_word(lifted_, call.args[0]);
  if (!offset) return {How::uniform_at, index};
  const std::uint64_t end = *offset + std::uint64_t{call.count} * ir::bytes_of(call.type);
  return end <= bytes.size() ? Binding{How::uniform, index} : Binding{};
}

/// Textures that repeat or are clamped, with one filter for all levels: with what is rare the environment deals.
Binding NativePicture::bind_texture(const ir::Call& call) {
  const ir::Texture& op = lifted_.textures[call.index];
  const std::optional<std::uint32_t> number = constant_word(lifted_, op.texture),
                                     chosen = constant_word(lifted_, op.sampler);
  if (!number || !chosen) return {};
  const auto found = world_.inputs.textures.find(*number);
  if (found == world_.inputs.textures.end() || !is_plain(*found->second, op)) return {};
  const Texture& texture = *found->second;
  const Sampler& sampler = sampler_of(world_.inputs, *chosen);
  native::Sampling sampling{.is_linear = sampler.min == Filter::linear,
                            .chooses_level = asks_for_level(texture, sampler),
                            .mixes_levels = sampler.mip == MipFilter::linear,
                            .uses_sampler_lod = !op.skip_sampler_lod};
  if (!sampler.normalised || sampler.min != sampler.mag || call.data.byte() % 4 != 0 ||
      texture.texels.size() > native::PlainTexture::most_texels)
    return {};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    sampling.clamps[axis] = sampler.wrap[axis] == Wrap::clamp_to_edge;
    if (!sampling.clamps[axis] && sampler.wrap[axis] != Wrap::repeat) return {};
  }
  const auto is_finite = [](const Texel& texel) {
    return std::all_of(texel.begin(), texel.end(), [](std::uint32_t word) { return std::isfinite(float_of(word)); });
  };
  if (!std::all_of(texture.texels.begin(), texture.texels.end(), is_finite)) return {};

  sampling.has_power_sides = std::all_of(texture.levels.begin(), texture.levels.end(), [](const Texture::Level& level) {
    return std::has_single_bit(level.width) && std::has_single_bit(level.height);
  });
  auto& wide = wide_texels_.emplace_back();
  sampling.is_wide = sampling.is_linear && texture.texels.size() <= native::PlainTexture::most_wide;
  if (sampling.is_wide)
    for (const Texel& texel : texture.texels)
      wide.push_back({float_of(texel[0]), float_of(texel[1]), float_of(texel[2]), float_of(texel[3])});
  auto& levels = levels_.emplace_back();
  for (const Texture::Level& level : texture.levels)
    levels.push_back({.width = static_cast<std::int32_t>(level.width),
                      .height = static_cast<std::int32_t>(level.height),
                      .first = static_cast<std::int32_t>(level.first),
                      .per_width = 1.0 / level.width,
                      .per_height = 1.0 / level.height});
  textures_.push_back({.texels = reinterpret_cast<const std::uint32_t(*)[4]>(texture.texels.data()),
                       .wide = reinterpret_cast<const double(*)[4]>(wide.data()),
                       .levels = levels.data(),
                       .last = static_cast<double>(levels.size() - 1),
                       .lod_bias = sampler.lod_bias,
                       .min_lod = sampler.min_lod,
                       .max_lod = sampler.max_lod});
  return {How::sampled, static_cast<std::uint32_t>(textures_.size() - 1), sampling};
}

// ---- strips

constexpr std::uint64_t no_chunk = std::numeric_limits<std::uint64_t>::max();

/// The lanes of one chunk, beyond the edges of the image, too.
struct ChunkThreads final : ThreadMaker {
  void make(std::uint64_t first, std::span<Thread> threads, std::span<std::uint32_t> inputs) const override {
    make_fragments(place, image, static_cast<std::uint32_t>(first), threads, inputs);
  }
  void mark_helpers(std::uint64_t, std::uint32_t count, std::vector<std::uint32_t>& words) const override {
    mark_beyond_edges(place, image, count, words);
  }
  QuadRow place;
  ImageSize image;
};

struct NativePicture::Worker::Impl {
  explicit Impl(const NativePicture& of);

  static void operate(native::Frame* frame, std::uint32_t operation, std::uint32_t lanes);
  static bool call(native::Frame* frame, std::uint32_t call, std::uint32_t block, std::uint32_t lanes);
  void bind_operations();
  ir::BoundSource bind_source(ir::Operand operand, Type type);
  void meet_chunk(std::uint32_t column);

  const NativePicture& picture;
  const std::uint32_t chunk_lanes;
  native::Frame frame;
  std::vector<std::uint64_t> executions, before;  ///< by entry of counted_

  // For what the code leaves to us: the interpreter's own, with the lanes of one chunk.
  Group group;
  AlignedWords constant_rows;
  std::vector<ir::BoundOperation> bound;
  AlignedWords mask, scratch;
  ChunkThreads maker;
  RunEnvironment environment;
  EnvironmentCalls calls;
  std::uint64_t met = no_chunk;  ///< first lane of the chunk that they have seen
};

NativePicture::Worker::Impl::Impl(const NativePicture& of)
    : picture(of), chunk_lanes(of.code_->lanes), environment(of.world_), calls(of.lifted_, environment, group) {
  const ir::Program& program = picture.lifted_;
  group.state.assign((program.state_bytes + 3) / 4, native::plane_pitch, 0);
  mask.assign(native::plane_pitch, 0);
  scratch.assign(native::scratch_bytes / 4, 0);
  executions.resize(picture.code_->counted.size());
  bind_operations();
  frame.width = picture.world_.image->width;
  frame.height = picture.world_.image->height;
  frame.executions = executions.data();
  frame.step_limit = picture.options_.step_limit;
  frame.initial = picture.initial_.data();
  frame.constants = reinterpret_cast<const std::uint32_t(*)[4]>(picture.constants_.data());
  frame.corners = reinterpret_cast<const float(*)[16]>(picture.corners_.data());
  frame.across = picture.world_.across.data();
  frame.uniforms = picture.uniforms_.data();
  frame.textures = picture.textures_.data();
  frame.planes = group.state.plane(0);
  frame.scratch = scratch.data();
  frame.operate = operate;
  frame.call = call;
  frame.host = this;
}

ir::BoundSource NativePicture::Worker::Impl::bind_source(ir::Operand operand, Type type) {
  if (operand.is_none()) return {};
  ir::BoundSource source{.shift = static_cast<std::uint8_t>(8 * (operand.byte() % 4)),
                         .bits = static_cast<std::uint8_t>(std::min(ir::bits_of(type), 32u))};
  if (operand.is_constant()) {
    source.words = constant_rows.data() + std::size_t{operand.byte() / 4} * ir::lane_padding;
    source.pitch = ir::lane_padding;
  } else {
    source.words = group.state.plane(operand.byte() / 4);
    source.keep = ~0u;
    source.pitch = native::plane_pitch;
  }
  return source;
}

void NativePicture::Worker::Impl::bind_operations() {
  const ir::Program& program = picture.lifted_;
  constant_rows.assign((program.constants.size() / 4 + 1) * ir::lane_padding, 0);
  for (std::size_t byte = 0; byte < program.constants.size(); ++byte) {
    const std::uint32_t bits = std::uint32_t{program.constants[byte]} << (8 * (byte % 4));
    for (std::size_t i = 0; i < ir::lane_padding; ++i) constant_rows[byte / 4 * ir::lane_padding + i] |= bits;
  }
  bound.resize(program.operations.size());
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const ir::Operation& operation = program.operations[i];
    for (std::size_t k = 0; k < 3; ++k) bound[i].src[k] = bind_source(operation.src[k], ir::source_type(operation));
    if (operation.dst.is_none()) continue;
    bound[i].dst = group.state.plane(operation.dst.byte() / 4);
    bound[i].dst_pitch = native::plane_pitch;
    bound[i].dst_shift = static_cast<std::uint8_t>(8 * (operation.dst.byte() % 4));
    bound[i].dst_bits = static_cast<std::uint8_t>(std::min(ir::bits_of(ir::result_type(operation)), 32u));
  }
  calls.bind(
      [&](ir::Operand operand) {
        const ir::BoundSource source = bind_source(operand, Type::i32);
        return LaneWords{source.words, source.keep};
      },
      nullptr);
}

void NativePicture::Worker::Impl::operate(native::Frame* frame, std::uint32_t index, std::uint32_t lanes) {
  Impl& self = *static_cast<Impl*>(frame->host);
  if (const ir::Kernel& kernel = self.picture.kernels_[index])
    return kernel.full(&self.bound[index], 1, {0, native::plane_pitch, nullptr});
  const ir::Program& program = self.picture.lifted_;
  const ir::Operation& operation = program.operations[index];
  const Type from = ir::source_type(operation), to = ir::result_type(operation);
  for (std::uint32_t lane = 0; lane < self.chunk_lanes; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const auto source = [&](std::size_t k) { return self.group.read(program, lane, operation.src[k], from); };
    self.group.write(lane, operation.dst, to, ir::evaluate(operation, source(0), source(1), source(2)));
  }
}

/// Makes the threads of a chunk, as a batch of the environment's.
void NativePicture::Worker::Impl::meet_chunk(std::uint32_t column) {
  const std::uint32_t across = (frame.width + 1) / 2;
  const std::uint64_t first_lane = (std::uint64_t{frame.first_row / 2} * across + column / 2) * 4;
  if (met == first_lane) return;
  met = first_lane;
  maker.place = {.lane = 0, .quads = chunk_lanes / 4, .x = column, .y = frame.first_row};
  maker.image = {frame.width, frame.height};
  BatchLanes& lanes = environment.lanes();
  lanes.begin(maker, first_lane, chunk_lanes);
  group.threads.assign(lanes.threads().begin(), lanes.threads().end());
  environment.begin_beyond_edges();
  calls.see_helpers(lanes.helpers());
}

bool NativePicture::Worker::Impl::call(native::Frame* frame, std::uint32_t index, std::uint32_t block,
                                       std::uint32_t lanes) {
  Impl& self = *static_cast<Impl*>(frame->host);
  std::array<std::uint32_t, native::most_lanes> list{};
  std::size_t count = 0;
  for (std::uint32_t lane = 0; lane < self.chunk_lanes; ++lane) {
    const bool takes_part = (lanes >> lane & 1) != 0;
    self.mask[lane] = takes_part ? ~0u : 0;
    if (takes_part) list[count++] = lane;
  }
  const ir::Call& call = self.picture.lifted_.calls[index];
  const auto together = [&] {
    return self.calls.run_together(call, {0, native::plane_pitch, self.mask.data()}, count == self.chunk_lanes);
  };
  // Samples that no lane has to take alone are of no thread.
  if (call.service == Service::texture && together()) return true;
  self.meet_chunk(frame->chunk);
  if (call.service != Service::texture && together()) return true;
  const auto& failures = self.calls.run(call, block, std::span(list).first(count));
  return failures.empty() && self.environment.overruns().empty();
}

NativePicture::Worker::Worker(const NativePicture& picture) : impl_(std::make_unique<Impl>(picture)) {}
NativePicture::Worker::~Worker() = default;

std::optional<NativePicture::Strip> NativePicture::Worker::run(std::uint32_t number, ImageResult& image) {
  native::Frame& frame = impl_->frame;
  frame.first_row = 2 * number;
  frame.rows = std::min(2u, frame.height - frame.first_row);
  for (std::uint32_t row = 0; row < frame.rows; ++row) {
    const std::size_t first = std::size_t{frame.first_row + row} * frame.width;
    if (impl_->picture.kept_ == PictureColours::words)
      frame.colours[row] = reinterpret_cast<std::uint32_t(*)[4]>(image.colours.data() + first);
    else
      frame.rgba8[row] = reinterpret_cast<std::uint8_t(*)[4]>(image.rgba8.data() + 4 * first);
    frame.covered[row] = image.covered.data() + first;
  }
  frame.discarded = 0;
  impl_->met = no_chunk;
  impl_->before = impl_->executions;
  if (!impl_->picture.code_->code.entry()(&frame)) return std::nullopt;
  Strip strip{.pixels = std::uint64_t{frame.rows} * frame.width, .discarded = frame.discarded};
  for (std::size_t i = 0; i < impl_->executions.size(); ++i)
    strip.executed += (impl_->executions[i] - impl_->before[i]) * impl_->picture.code_->counted[i].size();
  return strip;
}

void NativePicture::Worker::add_executions(std::vector<std::uint64_t>& executions) const {
  for (std::size_t i = 0; i < impl_->executions.size(); ++i)
    for (const std::uint32_t block : impl_->picture.code_->counted[i]) executions[block] += impl_->executions[i];
}

}  // namespace mobula::io
