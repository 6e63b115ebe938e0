#include "execute/interpreter_calls.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "execute/atomic.h"

namespace mobula {
namespace {

using ir::Service;
using ir::Type;

/// Whether the call changes what is outside the thread. A store may go to the thread's own scratch memory: the
/// environment knows.
bool has_effect(Service service) {
  switch (service) {
    case Service::atomic:
    case Service::store_varying:
    case Service::store_image:
    case Service::fragment_out:
    case Service::store_special:
    case Service::store_tile:
    case Service::device_write:
      return true;
    default:
      return false;
  }
}

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

std::uint64_t byte_swap(std::uint64_t value, std::uint32_t bytes) {
  return __builtin_bswap64(value) >> (64 - 8 * bytes);
}

constexpr std::uint32_t quad_of(std::uint32_t lane) { return lane / 4; }

}  // namespace

/// One lane's side of a call: arguments in, data in or out, results out.
class EnvironmentCalls::OneLane {
 public:
  OneLane(EnvironmentCalls& calls, const ir::Call& call, std::uint32_t lane)
      : calls_(calls), call_(call), lane_(lane) {}

  [[nodiscard]] const Thread& thread() const { return calls_.group_.threads[lane_]; }
  [[nodiscard]] std::uint32_t word(std::size_t arg) const { return word(call_.args[arg]); }
  [[nodiscard]] std::uint32_t word(ir::Operand operand) const {
    return static_cast<std::uint32_t>(calls_.argument(lane_, operand, Type::i32));
  }
  [[nodiscard]] std::uint32_t word_or(std::size_t arg, std::uint32_t otherwise) const {
    return call_.args[arg].is_none() ? otherwise : word(arg);
  }
  [[nodiscard]] std::uint64_t address() const { return calls_.argument(lane_, call_.args[0], Type::i64); }
  [[nodiscard]] std::uint64_t typed(std::size_t arg) const {
    return calls_.argument(lane_, call_.args[arg], call_.type);
  }
  [[nodiscard]] std::array<std::int32_t, 3> texel() const {
    return {static_cast<std::int32_t>(word(1)), static_cast<std::int32_t>(word(2)), static_cast<std::int32_t>(word(3))};
  }

  /// Where the environment puts loaded data; deliver() hands them to the lane.
  [[nodiscard]] std::span<std::uint8_t> out() const {
    const auto bytes = calls_.buffer(call_);
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    return bytes;
  }
  Fault deliver(Fault fault) const {
    if (!fault) calls_.store_data(call_, lane_);
    return fault;
  }
  [[nodiscard]] std::span<const std::uint8_t> data() const { return calls_.fetch_data(call_, lane_); }
  void set_result(ir::Operand operand, Type type, std::uint64_t value) const {
    calls_.group_.write(lane_, operand, type, value);
  }

 private:
  EnvironmentCalls& calls_;
  const ir::Call& call_;
  std::uint32_t lane_;
};

const std::vector<EnvironmentCalls::Failure>& EnvironmentCalls::run(const ir::Call& call, std::uint32_t block,
                                                                    std::span<const std::uint32_t> lanes) {
  block_ = block;
  failures_.clear();
  if (call.service == Service::texture) {
    run_texture(call, lanes);
    return failures_;
  }
  for (const std::uint32_t lane : lanes) {
    if (Fault fault = make(call, lane)) failures_.push_back({lane, fault.waits, std::move(fault.reason)});
  }
  return failures_;
}

std::uint64_t EnvironmentCalls::argument(std::uint32_t lane, ir::Operand operand, Type type) {
  if (group_.strict && !group_.is_defined(lane, operand, type)) {
    group_.report_undefined(program_, lane, block_, operand.byte(), ir::bytes_of(type));
  }
  return group_.read(program_, lane, operand, type);
}

std::span<std::uint8_t> EnvironmentCalls::buffer(const ir::Call& call) {
  return std::span(data_).first(std::size_t{call.count} * ir::bytes_of(call.type));
}

std::span<const std::uint8_t> EnvironmentCalls::fetch_data(const ir::Call& call, std::uint32_t lane) {
  const std::uint32_t bytes = ir::bytes_of(call.type);
  for (std::uint32_t i = 0; i < call.count; ++i) {
    const std::uint64_t value = argument(lane, call.data.plus(i * bytes), call.type);
    for (std::uint32_t k = 0; k < bytes; ++k) data_[i * bytes + k] = static_cast<std::uint8_t>(value >> (8 * k));
  }
  return buffer(call);
}

void EnvironmentCalls::store_data(const ir::Call& call, std::uint32_t lane) {
  const std::uint32_t bytes = ir::bytes_of(call.type);
  for (std::uint32_t i = 0; i < call.count; ++i) {
    std::uint64_t value = 0;
    for (std::uint32_t k = 0; k < bytes; ++k) value |= std::uint64_t{data_[i * bytes + k]} << (8 * k);
    group_.write(lane, call.data.plus(i * bytes), call.type, value);
  }
}

Fault EnvironmentCalls::make(const ir::Call& call, std::uint32_t lane) {
  const OneLane io(*this, call, lane);
  const Thread& thread = io.thread();
  if (thread.helper && has_effect(call.service)) {
    if (call.service == Service::atomic) io.set_result(call.data, call.type, 0);
    if (call.service == Service::fragment_out) io.set_result(call.args[3], Type::i32, 0);
    return {};
  }
  switch (call.service) {
    case Service::load_memory:
      return io.deliver(environment_.load_memory(thread, io.address(), io.out()));
    case Service::store_memory:
      return environment_.store_memory(thread, io.address(), io.data());
    case Service::atomic: {
      std::uint64_t old_value = 0;
      const bool swapped = (call.flags & ir::CallFlags::big_endian) != 0;
      Fault fault = swapped ? big_endian_atomic(call, thread, io.address(), io.typed(1), io.typed(2), old_value)
                            : environment_.atomic(thread, static_cast<ir::AtomicOp>(call.index), io.address(),
                                                  ir::bytes_of(call.type), io.typed(1), io.typed(2), old_value);
      if (!fault) io.set_result(call.data, call.type, old_value);
      return fault;
    }
    case Service::load_uniform:
      return io.deliver(environment_.load_uniform(thread, io.word_or(1, call.index), io.word(0), io.out()));
    case Service::attribute:
      return io.deliver(environment_.attribute(thread, call, io.word(0), io.word_or(1, thread.vertex), io.out()));
    case Service::varying:
      return io.deliver(environment_.varying(thread, call, io.word(0), io.out()));
    case Service::store_varying:
      return environment_.store_varying(thread, call, io.word(0), io.data());
    case Service::texture:
      return {};  // run_texture: needs the whole quad
    case Service::load_image:
      return io.deliver(environment_.load_image(thread, call, io.word(0), io.texel(), io.out()));
    case Service::store_image:
      return environment_.store_image(thread, call, io.word(0), io.texel(), io.data());
    case Service::fragment_out: {
      std::array<std::uint32_t, 4> colour{};
      for (std::uint32_t i = 0; i < 4; ++i) colour[i] = io.word(call.data.plus(4 * i));
      bool retry = false;
      Fault fault = environment_.fragment_out(thread, colour, io.word(0), io.word(1), io.word(2), retry);
      if (!fault) io.set_result(call.args[3], Type::i32, retry ? ~0u : 0u);
      return fault;
    }
    case Service::tile_ready: {
      bool wait = false;
      Fault fault = environment_.tile_ready(thread, wait);
      if (!fault) io.set_result(call.args[3], Type::i32, wait ? ~0u : 0u);
      return fault;
    }
    case Service::load_tile:
      return io.deliver(environment_.load_tile(thread, call, io.word(0), io.word(1), io.out()));
    case Service::store_tile:
      return environment_.store_tile(thread, call, io.word(0), io.word(1), io.data());
    case Service::image_address: {
      std::uint64_t address = 0;
      Fault fault = environment_.image_address(thread, io.word(0), io.texel(), address);
      if (!fault) io.set_result(call.data, Type::i64, address);
      return fault;
    }
    case Service::load_special:
      return io.deliver(environment_.load_special(thread, call, io.word(0), io.out()));
    case Service::store_special:
      return environment_.store_special(thread, call, io.word(0), io.data());
    case Service::device_read:
      return io.deliver(environment_.device_read(thread, call, io.word(0), io.out()));
    case Service::device_write:
      return environment_.device_write(thread, call, io.word(0), io.data());
  }
  return {"unknown service"};
}

/// Environments know little-endian memory: the new value is computed here and put there if nobody else has written in
/// between.
Fault EnvironmentCalls::big_endian_atomic(const ir::Call& call, const Thread& thread, std::uint64_t address,
                                          std::uint64_t operand, std::uint64_t compare, std::uint64_t& old_value) {
  const std::uint32_t bytes = ir::bytes_of(call.type);
  std::uint64_t seen = 0, found = 0;
  do {
    seen = found;
    old_value = byte_swap(seen, bytes);
    const std::uint64_t wanted =
        ir::atomic_result(static_cast<ir::AtomicOp>(call.index), bytes, old_value, operand, compare);
    if (Fault fault = environment_.atomic(thread, ir::AtomicOp::compare_exchange, address, bytes,
                                          byte_swap(wanted, bytes), seen, found))
      return fault;
  } while (found != seen);
  return {};
}

TextureRequest EnvironmentCalls::texture_request(const ir::Texture& texture, std::uint32_t lane) {
  const auto word = [&](ir::Operand operand) { return static_cast<std::uint32_t>(argument(lane, operand, Type::i32)); };
  TextureRequest request{.op = &texture};
  for (std::size_t i = 0; i < 4; ++i) request.coordinate[i] = word(texture.coordinate[i]);
  const std::uint32_t lod = word(texture.lod);
  if (texture.kind == ir::Texture::Kind::fetch) {
    request.fetch_lod = static_cast<std::int32_t>(lod);
  } else {
    request.lod = as_float(lod);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    request.ddx[i] = as_float(word(texture.ddx[i]));
    request.ddy[i] = as_float(word(texture.ddy[i]));
  }
  for (std::size_t i = 0; i < 3; ++i) request.offset[i] = static_cast<std::int32_t>(word(texture.offset[i]));
  request.texture = word(texture.texture);
  request.sampler = word(texture.sampler);
  return request;
}

/// Coordinate differences along the rows and columns of one quad, of whose lanes `lanes` take part. A lane whose
/// neighbour does not take part has no difference in that direction.
void EnvironmentCalls::add_differences(std::span<const std::uint32_t> lanes, std::span<TextureRequest> requests) const {
  std::array<const TextureRequest*, 4> in_quad{};
  for (std::size_t i = 0; i < lanes.size(); ++i) in_quad[lanes[i] % 4] = &requests[i];
  const auto difference = [&](QuadPair pair, std::size_t axis) {
    const TextureRequest *const from = in_quad[pair.first], *const to = in_quad[pair.second];
    if (from == nullptr || to == nullptr) return 0.0f;
    const bool cube = from->op->shape == ir::Texture::Shape::cube;  // places on different faces cannot be compared
    if (cube && from->coordinate[0] != to->coordinate[0]) return 0.0f;
    return as_float(to->coordinate[axis]) - as_float(from->coordinate[axis]);
  };
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::uint32_t place = lanes[i] % 4;
    // The first coordinate of a cube is the number of a face.
    for (std::size_t axis = requests[i].op->shape == ir::Texture::Shape::cube ? 1 : 0; axis < 3; ++axis) {
      requests[i].ddx[axis] = difference(quad_row(place), axis);
      requests[i].ddy[axis] = difference(quad_column(place), axis);
    }
  }
}

/// All lanes of a quad bring their coordinates before the first result overwrites a register.
void EnvironmentCalls::run_texture(const ir::Call& call, std::span<const std::uint32_t> lanes) {
  const ir::Texture& texture = program_.textures[call.index];
  while (!lanes.empty()) {
    const auto end = std::find_if(lanes.begin(), lanes.end(),
                                  [&](std::uint32_t lane) { return quad_of(lane) != quad_of(lanes.front()); });
    const auto quad = lanes.first(static_cast<std::size_t>(end - lanes.begin()));
    lanes = lanes.subspan(quad.size());

    std::array<TextureRequest, 4> requests;
    for (std::size_t i = 0; i < quad.size(); ++i) requests[i] = texture_request(texture, quad[i]);
    if (texture.implicit_lod) add_differences(quad, requests);
    for (std::size_t i = 0; i < quad.size(); ++i) {
      std::array<std::uint32_t, 4> texel{};
      if (Fault fault = environment_.texture(group_.threads[quad[i]], requests[i], texel)) {
        failures_.push_back({quad[i], fault.waits, std::move(fault.reason)});
        continue;
      }
      for (std::uint32_t k = 0; k < std::min<std::uint32_t>(call.count, 4); ++k) {
        group_.write(quad[i], call.data.plus(4 * k), Type::i32, texel[k]);
      }
    }
  }
}

}  // namespace mobula
