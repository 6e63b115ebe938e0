// What RunEnvironment does for all lanes of a batch at once. Each function gives what the call of one lane gives, or
// refuses, so that the lanes make their calls one by one and find out what is wrong.

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>

#include "execute/kernels.h"
#include "io/float_bits.h"
#include "io/lane_kernels.h"
#include "io/run_environment.h"
#include "io/texture.h"
#include "io/values.h"

namespace mobula::io {
namespace {

using ir::Service;
using ir::Type;

template <class Use>
void for_each_lane(const LaneSet& lanes, Use use) {
  for (std::uint32_t lane = lanes.begin; lane < lanes.end; ++lane)
    if (lanes.has(lane)) use(lane);
}

/// Whether all of the lanes satisfy something.
template <class Holds>
bool all_of(const LaneSet& lanes, Holds holds) {
  for (std::uint32_t lane = lanes.begin; lane < lanes.end; ++lane)
    if (lanes.has(lane) && !holds(lane)) return false;
  return true;
}

/// The operand, if all of the lanes have the same.
std::optional<std::uint32_t> shared_word(const LaneWords& words, const LaneSet& lanes) {
  if (words.is_shared()) return words[0];
  const std::uint32_t* const mask = lanes.mask;
  const auto first = std::find(mask + lanes.begin, mask + lanes.end, ~0u) - mask;
  if (first == lanes.end) return std::nullopt;
  const std::uint32_t word = words.words[first];
  std::uint32_t differing = 0;
  for (std::uint32_t lane = lanes.begin; lane < lanes.end; ++lane) differing |= (words.words[lane] ^ word) & mask[lane];
  return differing == 0 ? std::optional(word) : std::nullopt;
}

/// Whether typed data of this type can be given as components, see deliver().
bool takes_components(const ir::Call& call) {
  return call.type == Type::f32 || call.type == Type::i32 || call.type == Type::f16;
}

/// Copies words of the lanes: the first operands to the first planes, and so on.
void put(const LaneSet& lanes, std::span<const LaneWords> words, Planes& planes, std::uint32_t first_plane) {
  alignas(4 * ir::lane_padding) static constexpr std::array<std::uint32_t, ir::lane_padding> nothing{};
  const ir::Operand word = ir::Operand::state(0);
  const ir::Kernel move = ir::find_kernel({.op = ir::Op::mov, .type = Type::i32, .dst = word, .src = {word}});
  for (const LaneWords& each : words) {
    std::uint32_t* const out = planes.plane(first_plane++);
    const ir::BoundOperation operation{
        .dst = out,
        .src = {ir::BoundSource{.words = each.is_there() ? each.words : nothing.data(), .keep = each.keep}}};
    const ir::LaneRange range{lanes.begin, lanes.end, lanes.mask};
    if (move)
      (lanes.is_whole ? move.full : move.masked)(&operation, 1, range);
    else
      for_each_lane(lanes, [&](std::uint32_t lane) { out[lane] = each[lane]; });
  }
}

void fill(const LaneSet& lanes, std::uint32_t* out, std::uint32_t value) {
  std::fill(out + lanes.begin, out + lanes.end, value);
}

ir::Kernel narrowing() {
  const auto state = [](std::uint32_t byte) { return ir::Operand::state(byte); };
  return ir::find_kernel({.op = ir::Op::f2f, .type = Type::f16, .from = Type::f32, .dst = state(0), .src = {state(0)}});
}

/// Makes the components what the call wants, from words: bit patterns, narrowed for f16. False if there is no kernel
/// for it.
bool finish_components(const LanesCall& call) {
  for (std::size_t i = 4; i < call.call.count; ++i) fill(call.lanes, call.out[i], 0);
  if (call.call.type != Type::f16) return true;
  const ir::Kernel narrow = narrowing();
  if (!narrow) return false;
  for (std::size_t i = 0; i < std::min<std::size_t>(call.call.count, 4); ++i) {
    const ir::BoundOperation operation{
        .dst = call.out[i], .dst_bits = 16, .src = {ir::BoundSource{.words = call.out[i], .keep = ~0u}}};
    narrow.full(&operation, 1, {call.lanes.begin, call.lanes.end, call.lanes.mask});
  }
  return true;
}

bool give_to_all(const LanesCall& call, const RunVec4& value) {
  for (std::size_t i = 0; i < std::min<std::size_t>(call.call.count, 4); ++i) fill(call.lanes, call.out[i], value[i]);
  return finish_components(call);
}

template <std::size_t count, class ValueOf>
void give_components(const LanesCall& call, ValueOf value_of) {
  std::array<std::uint32_t*, count> out;
  std::copy_n(call.out.begin(), count, out.begin());
  for_each_lane(call.lanes, [&](std::uint32_t lane) {
    const RunVec4& value = value_of(lane);
    for (std::size_t i = 0; i < count; ++i) out[i][lane] = value[i];
  });
}

/// `value_of` gives each lane its RunVec4.
template <class ValueOf>
bool give_to_each(const LanesCall& call, ValueOf value_of) {
  switch (call.call.count) {
    case 1:
      give_components<1>(call, value_of);
      break;
    case 2:
      give_components<2>(call, value_of);
      break;
    case 3:
      give_components<3>(call, value_of);
      break;
    default:
      give_components<4>(call, value_of);
  }
  return finish_components(call);
}

}  // namespace

bool RunEnvironment::gives_same(const ir::Call& call) const {
  const auto has_one = [&](const auto& values, const std::optional<std::uint32_t>& number) {
    const auto found = number ? values.find(*number) : values.end();
    return found != values.end() && found->second.size() == 1;
  };
  switch (call.service) {
    case Service::load_uniform:
      return true;
    case Service::fragment_out:
      return world_.inputs.fragment_retries == 0;
    case Service::tile_ready:
      return world_.inputs.tile_waits == 0;
    case Service::varying: {
      const auto number = constant_word(*world_.lifted, call.args[0]);
      if (world_.image && number && world_.inputs.corners.contains(*number))
        return (call.index & ir::Interpolation::flat) != 0;
      return number != world_.frag_coord && has_one(world_.inputs.varyings, number);
    }
    case Service::attribute:
      return has_one(world_.inputs.attributes, constant_word(*world_.lifted, call.args[0]));
    default:
      return false;
  }
}

bool RunEnvironment::serve(const LanesCall& call) {
  switch (call.call.service) {
    case Service::load_memory:
      return load_memory(call);
    case Service::store_memory:
      return store_memory(call);
    case Service::load_uniform:
      return load_uniform(call);
    case Service::attribute:
      return takes_components(call.call) && attribute(call);
    case Service::varying:
      return takes_components(call.call) && varying(call);
    case Service::store_varying:
      return store_varying(call);
    case Service::fragment_out:
      return fragment_out(call);
    case Service::tile_ready:
      return tile_ready(call);
    default:
      return false;
  }
}

// ---- memory

/// The place of all lanes' accesses in their own memory: `offsets_` by lane. Nothing if one of them is elsewhere, or at
/// no whole word.
Scratch* RunEnvironment::find_all_own(const LanesCall& call, std::size_t bytes) {
  Scratch* scratch = nullptr;
  offsets_.resize(call.lanes.end);
  const bool are_own = all_of(call.lanes, [&](std::uint32_t lane) {
    const Own own = find_own(std::uint64_t{call.high[lane]} << 32 | call.args[0][lane], bytes);
    if (own.scratch == nullptr || own.offset % 4 != 0 || (scratch != nullptr && scratch != own.scratch)) return false;
    scratch = own.scratch;
    offsets_[lane] = own.offset;
    return true;
  });
  return are_own ? scratch : nullptr;
}

/// The same for memory that others can reach: `found_` by lane. The lock must be held.
bool RunEnvironment::find_all_shared(const LanesCall& call, std::size_t bytes) {
  found_.resize(call.lanes.end);
  const std::span threads = lanes_.threads();
  return all_of(call.lanes, [&](std::uint32_t lane) {
    const auto found = find_shared(threads[lane], std::uint64_t{call.high[lane]} << 32 | call.args[0][lane], bytes);
    if (!found) return false;
    found_[lane] = *found;
    return true;
  });
}

bool RunEnvironment::load_memory(const LanesCall& call) {
  const std::uint32_t bytes = ir::bytes_of(call.call.type), count = call.call.count;
  if (bytes == 4) {
    if (Scratch* const scratch = find_all_own(call, std::size_t{count} * 4)) {
      for_each_lane(call.lanes, [&](std::uint32_t lane) {
        for (std::uint32_t i = 0; i < count; ++i) call.out[i][lane] = scratch->read_word(offsets_[lane] / 4 + i)[lane];
      });
      return true;
    }
  }
  const std::lock_guard lock(world_.memory_lock);
  if (!find_all_shared(call, std::size_t{count} * bytes)) return false;
  for_each_lane(call.lanes, [&](std::uint32_t lane) {
    for (std::uint32_t i = 0; i < count; ++i)
      call.out[i][lane] =
          static_cast<std::uint32_t>(read_little_endian(found_[lane].subspan(std::size_t{i} * bytes, bytes)));
  });
  return true;
}

bool RunEnvironment::store_memory(const LanesCall& call) {
  const std::uint32_t bytes = ir::bytes_of(call.call.type), count = call.call.count;
  if (bytes == 4) {
    if (Scratch* const scratch = find_all_own(call, std::size_t{count} * 4)) {
      for_each_lane(call.lanes, [&](std::uint32_t lane) {
        for (std::uint32_t i = 0; i < count; ++i) scratch->write_word(offsets_[lane] / 4 + i)[lane] = call.in[i][lane];
      });
      return true;
    }
  }
  const std::lock_guard lock(world_.memory_lock);
  if (!find_all_shared(call, std::size_t{count} * bytes)) return false;
  for_each_lane(call.lanes, [&](std::uint32_t lane) {
    for (std::uint32_t i = 0; i < count; ++i)
      write_little_endian(found_[lane].subspan(std::size_t{i} * bytes, bytes), call.in[i][lane]);
  });
  return true;
}

/// Loads beyond the end, which are counted, are left to the lanes one by one.
bool RunEnvironment::load_uniform(const LanesCall& call) {
  const auto buffer = call.args[1].is_there() ? shared_word(call.args[1], call.lanes) : call.call.index;
  const auto at = buffer ? world_.uniform_buffers.find(*buffer) : world_.uniform_buffers.end();
  if (at == world_.uniform_buffers.end()) return false;
  const std::vector<std::uint8_t>& bytes = at->second;
  const std::size_t width = ir::bytes_of(call.call.type), size = width * call.call.count;
  const auto is_inside = [&](std::uint32_t offset) { return offset <= bytes.size() && size <= bytes.size() - offset; };
  const auto element = [&](std::uint32_t offset, std::size_t i) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + offset + i * width, width);
    return word;
  };
  if (const auto offset = shared_word(call.args[0], call.lanes)) {
    if (!is_inside(*offset)) return false;
    for (std::size_t i = 0; i < call.call.count; ++i) fill(call.lanes, call.out[i], element(*offset, i));
    return true;
  }
  const LaneWords& offsets = call.args[0];
  if (!all_of(call.lanes, [&](std::uint32_t lane) { return is_inside(offsets[lane]); })) return false;
  for_each_lane(call.lanes, [&](std::uint32_t lane) {
    for (std::size_t i = 0; i < call.call.count; ++i) call.out[i][lane] = element(offsets[lane], i);
  });
  return true;
}

// ---- inputs of a stage

bool RunEnvironment::attribute(const LanesCall& call) {
  const auto number = shared_word(call.args[0], call.lanes);
  const auto at = number ? world_.inputs.attributes.find(*number) : world_.inputs.attributes.end();
  if (at == world_.inputs.attributes.end()) return false;
  const std::vector<RunVec4>& values = at->second;
  if (values.size() == 1) return give_to_all(call, values[0]);
  const RunVec4* const first = values.data();
  const std::size_t size = values.size();
  const std::span inputs = lanes_.inputs();
  if (!call.args[1].is_there()) {
    std::uint32_t most = 0;
    const auto end = std::min<std::uint32_t>(call.lanes.end, lanes_.count());  // others fill the last vector
    for (std::uint32_t lane = call.lanes.begin; lane < end; ++lane)
      most = std::max(most, inputs[lane] & call.lanes.mask[lane]);
    return most < size && give_to_each(call, [=](std::uint32_t lane) -> const RunVec4& { return first[inputs[lane]]; });
  }
  const std::span threads = lanes_.threads();
  const auto index_of = [&](std::uint32_t lane) -> std::size_t {
    const std::uint32_t vertex = call.args[1][lane];
    return vertex == threads[lane].vertex ? inputs[lane] : vertex;
  };
  return all_of(call.lanes, [&](std::uint32_t lane) { return index_of(lane) < size; }) &&
         give_to_each(call, [&](std::uint32_t lane) -> const RunVec4& { return first[index_of(lane)]; });
}

bool RunEnvironment::varying(const LanesCall& call) {
  const RunInputs& inputs = world_.inputs;
  const auto number = shared_word(call.args[0], call.lanes);
  if (!number) return false;
  if (world_.image) {
    if (const auto corners = inputs.corners.find(*number); corners != inputs.corners.end()) {
      if ((call.call.index & ir::Interpolation::flat) != 0) return give_to_all(call, corners->second[0]);
      interpolate(call, corners->second);
      return finish_components(call);
    }
  }
  if (const auto given = inputs.varyings.find(*number); given != inputs.varyings.end()) {
    const std::vector<RunVec4>& values = given->second;
    if (number == world_.frag_coord) return false;  // a helper's is its own
    if (values.size() == 1) return give_to_all(call, values[0]);
    const std::span positions = lanes_.inputs();
    return give_to_each(call, [&](std::uint32_t lane) -> const RunVec4& {
      return values[std::min<std::size_t>(positions[lane], values.size() - 1)];
    });
  }
  return number == world_.frag_coord && give_places(call);
}

/// Each lane the middle of its pixel.
bool RunEnvironment::give_places(const LanesCall& call) {
  if (rows_.empty()) {
    const std::span threads = lanes_.threads();
    return give_to_each(call, [&](std::uint32_t lane) -> RunVec4 {
      return {float_bits(threads[lane].x), float_bits(threads[lane].y), float_bits(0.5), float_bits(1)};
    });
  }
  std::size_t row = 0;
  return give_to_each(call, [&](std::uint32_t lane) -> RunVec4 {
    while (lane >= rows_[row].end_lane()) ++row;
    const float x = middle_of(rows_[row].x_of(lane)), y = middle_of(rows_[row].y_of(lane));
    return {float_bits(x), float_bits(y), float_bits(0.5), float_bits(1)};
  });
}

void RunEnvironment::interpolate(const LanesCall& call, const std::array<RunVec4, 4>& corners) {
  for (std::size_t i = 0; i < std::min<std::size_t>(call.call.count, 4); ++i) {
    std::array<float, 4> values{};
    for (std::size_t corner = 0; corner < 4; ++corner) values[corner] = float_of(corners[corner][i]);
    if (rows_.size() == 1) {
      const std::uint32_t y = rows_[0].y, height = world_.image->height;
      interpolate_row(values, across_, {place_of(y, height), place_of(y + 1, height)}, call.lanes.begin, call.lanes.end,
                      call.out[i]);
    } else {
      make_down();
      interpolate_lanes(values, across_, down_.data(), call.lanes.begin, call.lanes.end, call.out[i]);
    }
  }
}

// ---- outputs

bool RunEnvironment::store_varying(const LanesCall& call) {
  const auto number = shared_word(call.args[0], call.lanes);
  const std::size_t first = call.call.index, count = call.call.count;
  if (!number || ir::bytes_of(call.call.type) != 4 || first + count > 4) return false;
  VaryingOfLanes* const varying = varying_of_lanes(*number);
  if (varying == nullptr) return false;
  const auto stored = static_cast<std::uint8_t>(((1u << count) - 1) << first & varying->declared);
  for_each_lane(call.lanes, [&](std::uint32_t lane) {
    for (std::size_t i = 0; i < count; ++i)
      if ((stored >> (first + i) & 1) != 0) varying->values[lane][first + i] = call.in[i][lane];
    varying->stored[lane] = static_cast<std::uint8_t>(varying->stored[lane] | stored);
  });
  return true;
}

bool RunEnvironment::fragment_out(const LanesCall& call) {
  if (world_.inputs.fragment_retries != 0) return false;
  if (world_.image && !call.call.args[2].is_none()) {
    const auto target = shared_word(call.args[2], call.lanes);
    if (!target) return false;
    if (!is_of_first_target(*target)) {
      fill(call.lanes, call.out[0], 0);
      return true;
    }
  }
  Planes* const planes = new_colours_of(call.lanes);
  if (planes == nullptr) return false;
  put(call.lanes, std::span(call.in).first(4), *planes, 0);
  if (!world_.image) put(call.lanes, std::span(call.args).first(3), *planes, 4);
  if (call.lanes.is_whole) {
    ++common_colours_;
  } else {
    std::uint32_t* const counts = own_counts();
    const std::uint32_t* const mask = call.lanes.mask;
    const std::uint32_t end = call.lanes.end;
    for (std::uint32_t lane = call.lanes.begin; lane < end; ++lane) counts[lane] -= mask[lane];
  }
  fill(call.lanes, call.out[0], 0);
  return true;
}

/// Where the next colours of all these lanes go: nullptr if that is not one place, or if there is no room.
Planes* RunEnvironment::new_colours_of(const LaneSet& lanes) {
  // Of an image's the last alone is kept.
  if (world_.image || !have_counts_) return new_colours(world_.image ? most_colours_ : common_colours_);
  const auto own = shared_word({colour_counts_.data(), ~0u}, lanes);
  return own ? new_colours(common_colours_ + *own) : nullptr;
}

bool RunEnvironment::tile_ready(const LanesCall& call) {
  if (world_.inputs.tile_waits != 0) return false;
  fill(call.lanes, call.out[0], 0);
  return true;
}

// ---- textures

bool RunEnvironment::sample(const LanesTexture& request) {
  const auto number = shared_word(request.texture, request.lanes), chosen = shared_word(request.sampler, request.lanes);
  if (!number || !chosen) return false;
  const auto at = world_.inputs.textures.find(*number);
  if (at == world_.inputs.textures.end()) return false;
  return sample_lanes(*at->second, sampler_of(world_.inputs, *chosen), request);
}

}  // namespace mobula::io
