#include "execute/interpreter_calls.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "execute/atomic.h"
#include "ir/operands.h"

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

/// Words of an operand that is not there.
alignas(4 * ir::lane_padding) constexpr std::array<std::uint32_t, ir::lane_padding> nothing{};

constexpr std::uint32_t quad_of(std::uint32_t lane) { return lane / 4; }

}  // namespace

/// One lane's side of a call: arguments in, data in or out, results out.
class EnvironmentCalls::OneLane {
 public:
  OneLane(EnvironmentCalls& calls, const ir::Call& call, std::uint32_t lane)
      : calls_(calls), call_(call), lane_(lane) {}

  [[nodiscard]] const Thread& thread() const { return calls_.group_.thread(lane_); }
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

// ---- all lanes together

namespace {

/// Whether environments may be asked for this service for many lanes at once.
bool is_frequent(Service service) {
  switch (service) {
    case Service::load_memory:
    case Service::store_memory:
    case Service::load_uniform:
    case Service::attribute:
    case Service::varying:
    case Service::store_varying:
    case Service::texture:
    case Service::load_image:
    case Service::store_image:
    case Service::fragment_out:
    case Service::tile_ready:
    case Service::load_tile:
    case Service::store_tile:
    case Service::load_special:
      return true;
    default:
      return false;
  }
}

bool is_word(ir::Operand operand) { return operand.is_none() || operand.byte() % 4 == 0; }

/// Whether the result of the service is its fourth argument.
bool gives_word(Service service) { return service == Service::fragment_out || service == Service::tile_ready; }

}  // namespace

void EnvironmentCalls::bind(const FindWord& words, const SharedWords* shared) {
  const std::size_t lanes = group_.state.padded_lanes();
  elements_.assign(LanesCall::most_elements * lanes, 0);
  differences_.assign(6 * lanes, 0);
  mask_.assign(lanes, 0);
  bound_.clear();
  in_step_.clear();
  for (const ir::Call& call : program_.calls) bound_.push_back(bound_call(call, words));
  if (shared == nullptr) return;
  for (std::size_t i = 0; i < program_.calls.size(); ++i) {
    const SharedWords::Call& known = shared->calls[i];
    in_step_.push_back(bound_call(program_.calls[i], [&](ir::Operand operand) {
      LaneWords found = words(operand);
      if (operand.is_state() && known.is_shared[operand.byte() / 4]) found.keep = 0;
      return found;
    }));
    in_step_.back().gives_row = known.gives_row;
  }
}

EnvironmentCalls::Bound EnvironmentCalls::bound_call(const ir::Call& call, const FindWord& words) {
  Bound bound;
  if (call.service == Service::texture) bound.texture = bound_texture(program_.textures[call.index], words);
  if (!is_frequent(call.service) || !std::all_of(call.args.begin(), call.args.end(), is_word)) return bound;
  for (std::size_t i = 0; i < call.args.size(); ++i) bound.args[i] = words(call.args[i]);
  const ir::ServiceInfo& service = ir::info(call.service);
  if (service.args[0].type == Type::i64 && !service.args[0].has_call_type) bound.high = words(call.args[0].plus(4));
  bound.is_possible = bind_elements(call, words, bound);
  return bound;
}

/// False where the elements are too many or too wide.
bool EnvironmentCalls::bind_elements(const ir::Call& call, const FindWord& words, Bound& bound) {
  const ir::DataUse use = ir::info(call.service).data;
  const bool loads = use == ir::DataUse::loads || gives_word(call.service);
  const Type type = gives_word(call.service) || call.service == Service::texture ? Type::i32 : as_integer(call.type);
  const std::uint32_t bytes = ir::bytes_of(type);
  if (bytes > 4 || call.count > LanesCall::most_elements) return false;
  const auto bits = static_cast<std::uint8_t>(8 * bytes);
  const auto place = [&](ir::Operand operand) {
    const LaneWords word = words(ir::Operand::state(operand.byte() / 4 * 4));
    return ir::BoundSource{word.words, word.keep, 0, static_cast<std::uint8_t>(8 * (operand.byte() % 4)), bits};
  };
  const auto add_move_out = [&](ir::Operand to, std::size_t element) {
    const ir::BoundSource plane = place(to);
    bound.moves_out.push_back({.dst = const_cast<std::uint32_t*>(plane.words),
                               .dst_shift = plane.shift,
                               .dst_bits = bits,
                               .src = {ir::BoundSource{.words = element_words(element), .keep = ~0u, .bits = bits}}});
  };
  bound.move = ir::find_kernel({.op = ir::Op::mov, .type = type, .dst = call.data, .src = {call.data}});
  if (!bound.move) return false;
  if (gives_word(call.service)) add_move_out(call.args[3], 0);
  for (std::uint32_t i = 0; use != ir::DataUse::none && i < call.count; ++i) {
    const ir::Operand element = call.data.plus(i * bytes);
    if (loads && use == ir::DataUse::loads) {
      add_move_out(element, i);
    } else if (bytes == 4) {
      bound.in[i] = words(element);
    } else {
      bound.in[i] = {element_words(i), ~0u};
      bound.moves_in.push_back({.dst = element_words(i), .src = {place(element)}});
    }
  }
  bound.is_direct = bytes == 4 && reads_nothing_it_writes(bound);
  return true;
}

/// Whether no word of the results is one of the operands.
bool EnvironmentCalls::reads_nothing_it_writes(const Bound& bound) {
  const auto is_result = [&](const LaneWords& words) {
    return words.is_there() && std::any_of(bound.moves_out.begin(), bound.moves_out.end(),
                                           [&](const ir::BoundOperation& move) { return move.dst == words.words; });
  };
  const auto has_result = [&](const auto& list) { return std::any_of(list.begin(), list.end(), is_result); };
  const LanesTexture& texture = bound.texture;
  return !has_result(bound.args) && !is_result(bound.high) && !has_result(bound.in) &&
         !has_result(texture.coordinate) && !has_result(texture.ddx) && !has_result(texture.ddy) &&
         !has_result(texture.offset) && !is_result(texture.lod) && !is_result(texture.texture) &&
         !is_result(texture.sampler);
}

/// Without operands if one of them is no whole word.
LanesTexture EnvironmentCalls::bound_texture(const ir::Texture& texture, const FindWord& words) {
  LanesTexture bound;
  bool are_words = true;
  const auto bind_to = [&](LaneWords& to, ir::Operand from) {
    are_words = are_words && is_word(from);
    if (are_words) to = from.is_none() ? LaneWords{nothing.data(), 0} : words(from);
  };
  for (std::size_t i = 0; i < 4; ++i) bind_to(bound.coordinate[i], texture.coordinate[i]);
  for (std::size_t i = 0; i < 3; ++i) {
    bind_to(bound.ddx[i], texture.ddx[i]);
    bind_to(bound.ddy[i], texture.ddy[i]);
    bind_to(bound.offset[i], texture.offset[i]);
  }
  bind_to(bound.lod, texture.lod);
  bind_to(bound.texture, texture.texture);
  bind_to(bound.sampler, texture.sampler);
  // Places on different faces of a cube cannot be compared: lane by lane.
  const bool compares_faces = texture.implicit_lod && texture.shape == ir::Texture::Shape::cube;
  if (are_words && !compares_faces) bound.op = &texture;
  return bound;
}

void EnvironmentCalls::see_helpers(std::span<const std::uint32_t> helpers) {
  has_helpers_ = !helpers.empty();
  if (!has_helpers_) return;
  helpers_.assign(group_.state.padded_lanes(), 0);
  std::copy(helpers.begin(), helpers.end(), helpers_.data());
}

bool EnvironmentCalls::run(Bound& bound, const ir::Call& call, ir::LaneRange lanes, bool is_whole) {
  if (!bound.is_possible) return false;
  LaneSet set{lanes.begin, lanes.end, lanes.mask, is_whole};
  const bool without_helpers = has_helpers_ && has_effect(call.service);
  if (without_helpers) {
    std::copy(lanes.mask + lanes.begin, lanes.mask + lanes.end, mask_.data() + lanes.begin);
    ir::remove_lanes(mask_.data(), {lanes.begin, lanes.end, helpers_.data()});
    set.mask = mask_.data();
    set.is_whole = false;
  }
  if (bound.gives_row) lanes.end = ir::lane_padding;
  if (bound.gives_row && !gives_word(call.service)) set.end = lanes.end;
  if (call.service == Service::texture ? !sample(bound, set) : !serve(call, bound, set)) return false;
  if (without_helpers && gives_word(call.service))
    ir::set_words(element_words(0), {lanes.begin, lanes.end, helpers_.data()}, 0);
  if (!bound.moves_out.empty() && !(bound.is_direct && set.is_whole))
    (is_whole ? bound.move.full : bound.move.masked)(bound.moves_out.data(), bound.moves_out.size(), lanes);
  return true;
}

bool EnvironmentCalls::serve(const ir::Call& call, const Bound& bound, const LaneSet& lanes) {
  const ir::LaneRange range{lanes.begin, lanes.end, lanes.mask};
  if (!bound.moves_in.empty()) bound.move.full(bound.moves_in.data(), bound.moves_in.size(), range);
  LanesCall request{.call = call, .lanes = lanes, .args = bound.args, .high = bound.high, .in = bound.in};
  for (std::size_t i = 0; i < LanesCall::most_elements; ++i) request.out[i] = place_of(bound, i, lanes);
  return environment_.serve(request);
}

/// All lanes bring their coordinates before the first result overwrites a register.
bool EnvironmentCalls::sample(Bound& bound, const LaneSet& lanes) {
  LanesTexture& request = bound.texture;
  if (request.op == nullptr) return false;
  request.lanes = lanes;
  for (std::size_t i = 0; i < 4; ++i) request.out[i] = place_of(bound, i, lanes);
  if (request.op->implicit_lod) {
    const std::size_t pitch = group_.state.padded_lanes();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (request.op->coordinate[axis].is_none()) continue;
      const ir::BoundSource source{.words = request.coordinate[axis].words, .keep = request.coordinate[axis].keep};
      for (const bool columns : {false, true}) {
        std::uint32_t* const out = differences_.data() + (2 * axis + (columns ? 1 : 0)) * pitch;
        ir::quad_differences(source, {lanes.begin, lanes.end, lanes.mask}, columns, out);
        (columns ? request.ddy : request.ddx)[axis] = {out, ~0u};
      }
    }
  }
  return environment_.sample(request);
}

// ---- lane by lane

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
      if (Fault fault = environment_.texture(group_.thread(quad[i]), requests[i], texel)) {
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
