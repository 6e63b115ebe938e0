#include "compile/evaluate/evaluate.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mobula::ssa {

Evaluator::Evaluator(const Program& program, std::uint32_t lanes)
    : program_(program),
      lanes_(lanes),
      values_(program.values.size() * lanes),
      slots_(program.variables.size()),
      blocks_(program.variables.size()),
      ends_(program.variables.size()),
      discarded_(lanes),
      wanted_(program.variables.size()) {
  for (std::uint32_t i = 0; i < program.variables.size(); ++i) {
    slots_[i].resize(program.variables[i].slots.size() * (is_shared(i) ? 1 : lanes));
    for (const Member& member : program.variables[i].members)
      ends_[i] = std::max(ends_[i], member.stride == 0 ? std::uint64_t{member.offset} + member.extent() : UINT64_MAX);
  }
}

bool Evaluator::is_shared(std::uint32_t variable) const {
  const Storage storage = program_.variables[variable].storage;
  return storage == Storage::uniform || storage == Storage::shared;
}

std::optional<SlotPlace> Evaluator::find(std::string_view name) const {
  for (std::uint32_t i = 0; i < program_.variables.size(); ++i) {
    const Variable& variable = program_.variables[i];
    if (variable.storage == Storage::local || variable.storage == Storage::shared) continue;
    for (std::uint32_t slot = 0; slot < variable.slots.size(); ++slot) {
      const std::string_view known = variable.slots[slot].name;
      if (known == name || (known.ends_with("[0]") && known.substr(0, known.size() - 3) == name))
        return SlotPlace{i, slot};
    }
  }
  return {};
}

Bits& Evaluator::at(SlotPlace place, std::uint32_t lane) {
  return is_shared(place.variable) ? slots_[place.variable][place.slot]
                                   : slots_[place.variable][std::size_t{place.slot} * lanes_ + lane];
}

// ------------------------------------------------------------------------------------------------ the run

void Evaluator::restart() {
  for (std::uint32_t i = 0; i < program_.variables.size(); ++i) {
    const Variable& variable = program_.variables[i];
    if (variable.storage == Storage::input || variable.storage == Storage::uniform) continue;
    const std::size_t copies = is_shared(i) ? 1 : lanes_;
    for (std::size_t slot = 0; slot < variable.slots.size(); ++slot)
      for (std::size_t copy = 0; copy < copies; ++copy) {
        Bits& content = slots_[i][slot * copies + copy];
        content = slot < variable.initial.size() ? variable.initial[slot] : Bits{};
        if (freedom_ != nullptr && slot >= variable.initial.size())
          freedom_->begins(variable.slots[slot].type, content);
      }
  }
  block_at_.assign(lanes_, 0);
  came_from_.assign(lanes_, none);
  discarded_.assign(lanes_, false);
  executed_ = work_ = 0;
  is_cut_ = is_over_ = false;
  left_ = none;
  wanted_.assign(program_.variables.size(), 0);
  fault_.clear();
}

std::string Evaluator::run(std::uint64_t most_blocks) {
  restart();
  for (steps_ = 0; !is_cut_ && step(); ++steps_) is_cut_ = steps_ == most_blocks;
  return is_cut_ ? "more than " + std::to_string(most_blocks) + " blocks were executed" : fault_;
}

/// The lanes that are furthest back go on: so those that parted meet again.
bool Evaluator::step() {
  const std::uint32_t first = *std::ranges::min_element(block_at_);
  if (first == none || !fault_.empty() || is_over_) return false;
  Lanes lanes;
  for (std::uint32_t lane = 0; lane < lanes_; ++lane)
    if (block_at_[lane] == first) lanes.push_back(lane);
  run_block(first, lanes);
  return true;
}

void Evaluator::run_block(std::uint32_t number, const Lanes& lanes) {
  const Block& block = program_.blocks[number];
  run_phis(block, lanes);
  work_ += block.instructions.size() * lanes.size();
  for (const Instruction& each : block.instructions) {
    if (each.op != Op::phi) run_instruction(each, lanes);
    executed_ += each.op != Op::phi && each.op != Op::constant ? 1 : 0;
    if (!fault_.empty()) return;
  }
  end_block(number, lanes);
}

void Evaluator::run_phis(const Block& block, const Lanes& lanes) {
  // All are read before one is written.
  std::vector<Bits> found;
  for (const bool writes : {false, true}) {
    std::size_t next = 0;
    for (const Instruction& each : block.instructions) {
      if (each.op != Op::phi) break;
      for (const std::uint32_t lane : lanes) {
        if (writes) {
          value(each.result, lane) = found[next++];
          continue;
        }
        const auto from = std::ranges::find(block.predecessors, came_from_[lane]) - block.predecessors.begin();
        found.push_back(value(each.operands[static_cast<std::size_t>(from)], lane));
      }
    }
  }
}

void Evaluator::end_block(std::uint32_t number, const Lanes& lanes) {
  const End& end = program_.blocks[number].end;
  for (const std::uint32_t lane : lanes) {
    came_from_[lane] = number;
    switch (end.kind) {
      case End::Kind::jump:
        block_at_[lane] = end.targets[0];
        break;
      case End::Kind::branch:
        block_at_[lane] = end.targets[value(end.condition, lane)[0] != 0 ? 0 : 1];
        break;
      case End::Kind::discard:
        discarded_[lane] = true;
        block_at_[lane] = none;
        break;
      case End::Kind::leave:
        block_at_[lane] = none;
        break;
      case End::Kind::unreachable:
        fault_ = "a block was reached that nothing leads to";
        return;
    }
  }
}

// ------------------------------------------------------------------------------------------------ instructions

void Evaluator::run_instruction(const Instruction& each, const Lanes& lanes) {
  switch (each.op) {
    case Op::load:
    case Op::store:
      for (const std::uint32_t lane : in_order(lanes)) run_slots(each, lane);
      return;
    case Op::read:
    case Op::write:
      for (const std::uint32_t lane : in_order(lanes)) run_bytes(each, lane);
      return;
    case Op::atomic:
      for (const std::uint32_t lane : in_order(lanes)) run_atomic(each, lane);
      return;
    case Op::length:
      for (const std::uint32_t lane : lanes)
        value(each.result, lane) = {static_cast<std::uint32_t>(blocks_[each.variable].size())};
      return;
    case Op::texture:
      return run_texture(each, lanes);
    case Op::image_load:
    case Op::image_store:
    case Op::image_atomic:
      for (const std::uint32_t lane : in_order(lanes)) run_image(each, lane);
      return;
    case Op::barrier:
      return run_barrier(lanes);
    case Op::ddx:
    case Op::ddy:
      return run_difference(each, lanes);
    case Op::constant:
    case Op::undefined:
    case Op::phi:
    case Op::compose:
    case Op::swizzle:
    case Op::extract:
    case Op::insert:
    case Op::fneg:
    case Op::fabs:
    case Op::fsign:
    case Op::ffloor:
    case Op::fceil:
    case Op::ftrunc:
    case Op::fround:
    case Op::fadd:
    case Op::fsub:
    case Op::fmul:
    case Op::fdiv:
    case Op::frcp:
    case Op::fmod:
    case Op::frem:
    case Op::ffma:
    case Op::fmin:
    case Op::fmax:
    case Op::fdot:
    case Op::fsqrt:
    case Op::frsqrt:
    case Op::fexp:
    case Op::fexp2:
    case Op::flog:
    case Op::flog2:
    case Op::fpow:
    case Op::fsin:
    case Op::fcos:
    case Op::fsinpi:
    case Op::fcospi:
    case Op::ftan:
    case Op::fasin:
    case Op::facos:
    case Op::fatan:
    case Op::fatan2:
    case Op::fsinh:
    case Op::fcosh:
    case Op::ftanh:
    case Op::fasinh:
    case Op::facosh:
    case Op::fatanh:
    case Op::fmantissa:
    case Op::fexponent:
    case Op::fscale:
    case Op::ineg:
    case Op::iabs:
    case Op::isign:
    case Op::iadd:
    case Op::isub:
    case Op::imul:
    case Op::imulhi_s:
    case Op::imulhi_u:
    case Op::idiv_s:
    case Op::idiv_u:
    case Op::irem_s:
    case Op::imod_s:
    case Op::irem_u:
    case Op::imin_s:
    case Op::imin_u:
    case Op::imax_s:
    case Op::imax_u:
    case Op::iand:
    case Op::ior:
    case Op::ixor:
    case Op::inot:
    case Op::ishl:
    case Op::ishr_s:
    case Op::ishr_u:
    case Op::ibits_s:
    case Op::ibits_u:
    case Op::ibits_put:
    case Op::ireverse:
    case Op::icount:
    case Op::iclz:
    case Op::ilowest:
    case Op::ihighest_s:
    case Op::ihighest_u:
    case Op::f_to_s:
    case Op::f_to_u:
    case Op::s_to_f:
    case Op::u_to_f:
    case Op::f_bits:
    case Op::f_of_bits:
    case Op::f_half:
    case Op::pack_half:
    case Op::unpack_half_low:
    case Op::unpack_half_high:
    case Op::feq:
    case Op::fne:
    case Op::flt:
    case Op::fle:
    case Op::fis_nan:
    case Op::fis_inf:
    case Op::ieq:
    case Op::ine:
    case Op::ilt_s:
    case Op::ilt_u:
    case Op::ile_s:
    case Op::ile_u:
    case Op::band:
    case Op::bor:
    case Op::bxor:
    case Op::bnot:
    case Op::bany:
    case Op::ball:
    case Op::select:
      return run_computing(each, lanes);
  }
}

void Evaluator::gave(const Instruction& each, std::uint32_t lane) {
  if (freedom_ != nullptr) freedom_->gave(each, {}, {}, lane, value(each.result, lane));
}

void Evaluator::is_outside(std::uint32_t variable, std::uint32_t lane, bool can_grow) {
  if (left_ == none) left_ = variable;
  is_over_ |= ends_outside_ && !can_grow;
  if (freedom_ != nullptr) freedom_->is_outside(lane);
}

/// Whether what ends there is in the block. A larger one may have it.
bool Evaluator::is_inside(std::uint32_t variable, std::uint64_t end, std::uint32_t lane) {
  if (end <= end_of_block(variable)) return true;
  const bool can_grow = ends_[variable] == UINT64_MAX && end <= largest_block;
  if (can_grow) wanted_[variable] = std::max(wanted_[variable], end);
  is_outside(variable, lane, can_grow);
  return false;
}

Evaluator::Lanes Evaluator::in_order(const Lanes& lanes) const {
  Lanes ordered = lanes;
  if (freedom_ != nullptr) freedom_->put_in_order(ordered);
  return ordered;
}

void Evaluator::run_computing(const Instruction& each, const Lanes& lanes) {
  std::vector<Bits> operands(each.operands.size());
  std::vector<Type> types;
  for (const Value operand : each.operands) types.push_back(program_.values[operand]);
  for (const std::uint32_t lane : lanes) {
    for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = value(each.operands[i], lane);
    Bits& result = value(each.result, lane);
    result = compute(each, operands, types);
    if (freedom_ != nullptr) freedom_->gave(each, operands, types, lane, result);
  }
}

/// Between a lane and its neighbour in the quad (1: beside it, 2: in the next row). 0 where that one is not here.
Bits Evaluator::difference(Value of, std::uint32_t lane, const Lanes& lanes, std::uint32_t neighbour) const {
  const std::uint32_t other = lane ^ neighbour;
  Bits result{};
  if (!std::ranges::binary_search(lanes, other)) return result;
  const std::uint32_t low = std::min(lane, other), high = std::max(lane, other);
  for (unsigned i = 0; i < program_.values[of].components; ++i)
    result[i] = std::bit_cast<std::uint32_t>(std::bit_cast<float>(value(of, high)[i]) -
                                             std::bit_cast<float>(value(of, low)[i]));
  return result;
}

void Evaluator::run_difference(const Instruction& each, const Lanes& lanes) {
  const std::uint32_t neighbour = each.op == Op::ddx ? 1 : 2;
  for (const std::uint32_t lane : lanes) {
    value(each.result, lane) = difference(each.operands[0], lane, lanes, neighbour);
    if (freedom_ != nullptr && !std::ranges::binary_search(lanes, lane ^ neighbour))
      freedom_->left_open(each, lane, value(each.result, lane));
  }
}

void Evaluator::run_slots(const Instruction& each, std::uint32_t lane) {
  const bool stores = each.op == Op::store;
  const std::size_t added = stores ? 1 : 0;
  std::uint32_t slot = each.data[0];
  if (each.operands.size() > added) slot += value(each.operands[added], lane)[0];
  // Beyond the end nothing is written, and zeros are read.
  const bool inside = slot < program_.variables[each.variable].slots.size();
  if (stores && inside) at({each.variable, slot}, lane) = value(each.operands[0], lane);
  if (!inside) is_outside(each.variable, lane);
  if (stores) return;
  value(each.result, lane) = inside ? at({each.variable, slot}, lane) : Bits{};
  gave(each, lane);
}

/// 2^32 further on it is inside again, and not every machine drops the carry.
std::uint32_t Evaluator::place_of(const Instruction& each, std::size_t values, std::uint32_t lane) {
  std::uint64_t place = each.data[0];
  if (each.operands.size() > values) place += value(each.operands[values], lane)[0];
  if (place > 0xFFFFFFFF) is_outside(each.variable, lane);
  return static_cast<std::uint32_t>(place);
}

void Evaluator::run_bytes(const Instruction& each, std::uint32_t lane) {
  const bool writes = each.op == Op::write;
  const std::size_t added = writes ? 1 : 0;
  std::uint64_t byte = place_of(each, added, lane);
  std::vector<std::uint8_t>& bytes = blocks_[each.variable];
  const Type type = writes ? program_.values[each.operands[0]] : each.type;
  Bits read{};
  for (unsigned i = 0; i < type.components; ++i, byte += 4) {
    if (!is_inside(each.variable, byte + 4, lane)) break;  // as above
    if (writes)
      std::memcpy(bytes.data() + byte, &value(each.operands[0], lane)[i], 4);
    else
      std::memcpy(&read[i], bytes.data() + byte, 4);
  }
  if (writes) return;
  value(each.result, lane) = read;
  gave(each, lane);
}

std::size_t values_of(AtomicOp op) { return op == AtomicOp::load ? 0 : op == AtomicOp::compare_exchange ? 2 : 1; }

namespace {

std::uint32_t changed_by(AtomicOp op, std::uint32_t old, std::uint32_t given, std::uint32_t compared) {
  const auto is_less = [](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  };
  switch (op) {
    case AtomicOp::add:
      return old + given;
    case AtomicOp::min_s:
      return is_less(given, old) ? given : old;
    case AtomicOp::min_u:
      return std::min(given, old);
    case AtomicOp::max_s:
      return is_less(old, given) ? given : old;
    case AtomicOp::max_u:
      return std::max(given, old);
    case AtomicOp::and_:
      return old & given;
    case AtomicOp::or_:
      return old | given;
    case AtomicOp::xor_:
      return old ^ given;
    case AtomicOp::exchange:
    case AtomicOp::store:
      return given;
    case AtomicOp::compare_exchange:
      return old == compared ? given : old;
    case AtomicOp::load:
      break;
  }
  return old;
}

}  // namespace

void Evaluator::run_atomic(const Instruction& each, std::uint32_t lane) {
  const std::size_t values = values_of(each.atomic);
  const std::uint32_t place = place_of(each, values, lane);
  const bool in_slots = program_.variables[each.variable].storage == Storage::shared;
  std::vector<std::uint8_t>& bytes = blocks_[each.variable];
  const bool inside = in_slots ? place < program_.variables[each.variable].slots.size()
                               : is_inside(each.variable, std::uint64_t{place} + 4, lane);
  if (!inside && in_slots) is_outside(each.variable, lane);
  std::uint32_t old = 0;
  if (inside && in_slots) old = at({each.variable, place})[0];
  if (inside && !in_slots) std::memcpy(&old, bytes.data() + place, 4);
  const std::uint32_t given = values > 0 ? value(each.operands[0], lane)[0] : 0,
                      compared = values > 1 ? value(each.operands[1], lane)[0] : 0;
  const std::uint32_t result = changed_by(each.atomic, old, given, compared);
  if (inside && in_slots) at({each.variable, place})[0] = result;
  if (inside && !in_slots) std::memcpy(bytes.data() + place, &result, 4);
  if (each.result != none) value(each.result, lane) = {old};
}

void Evaluator::run_texture(const Instruction& each, const Lanes& lanes) {
  const TextureAccess& access = program_.accesses[each.data[0]];
  if (!textures_) {
    fault_ = "there is nothing that reads textures";
    return;
  }
  const auto operand = [&](std::int8_t number, std::uint32_t lane) {
    return number < 0 ? Bits{} : value(each.operands[static_cast<std::size_t>(number)], lane);
  };
  for (const std::uint32_t lane : lanes) {
    TextureCall call{&access, access.slot + operand(access.index, lane)[0]};
    call.coordinate = operand(access.coordinate, lane);
    call.offset = operand(access.offset, lane);
    call.reference = operand(access.reference, lane)[0];
    call.lod = operand(access.lod, lane)[0];
    call.sample = operand(access.sample, lane)[0];
    call.ddx = operand(access.ddx, lane);
    call.ddy = operand(access.ddy, lane);
    const bool of_quad = access.level == TextureAccess::Level::implicit || access.level == TextureAccess::Level::bias;
    const bool is_of_neighbours = of_quad && access.coordinate >= 0 && program_.stage == Stage::fragment;
    if (is_of_neighbours) {
      call.ddx = difference(each.operands[static_cast<std::size_t>(access.coordinate)], lane, lanes, 1);
      call.ddy = difference(each.operands[static_cast<std::size_t>(access.coordinate)], lane, lanes, 2);
    }
    fault_ = textures_(call, value(each.result, lane));
    if (!fault_.empty()) return;
    gave(each, lane);
    if (is_of_neighbours && freedom_ != nullptr && has_discarded_neighbour(lane))
      freedom_->left_open(each, lane, value(each.result, lane));
  }
}

bool Evaluator::has_discarded_neighbour(std::uint32_t lane) const {
  return std::ranges::any_of(std::array{1u, 2u, 3u},
                             [&](std::uint32_t step) { return (lane ^ step) < lanes_ && discarded_[lane ^ step]; });
}

void Evaluator::run_image(const Instruction& each, std::uint32_t lane) {
  const TextureAccess& access = program_.accesses[each.data[0]];
  if (!images_) {
    fault_ = "there is nothing that has images";
    return;
  }
  const auto operand = [&](std::int8_t number) {
    return number < 0 ? Bits{} : value(each.operands[static_cast<std::size_t>(number)], lane);
  };
  TexelCall call{&access, access.slot + operand(access.index)[0], lane, operand(access.coordinate), false};
  Bits texel = each.op == Op::image_store ? operand(0) : Bits{};
  if (each.op != Op::image_store) fault_ = images_(call, texel);
  if (each.op == Op::image_load) {
    value(each.result, lane) = texel;
    return gave(each, lane);
  }
  if (each.op == Op::image_atomic) {
    if (call.is_outside) is_outside(access.texture, lane);
    const std::size_t values = values_of(each.atomic);
    if (each.result != none) value(each.result, lane) = {texel[0]};
    texel[0] = changed_by(each.atomic, texel[0], values > 0 ? operand(0)[0] : 0, values > 1 ? operand(1)[0] : 0);
  }
  call.stores = true;
  if (fault_.empty()) fault_ = images_(call, texel);
}

void Evaluator::run_barrier(const Lanes& lanes) {
  std::size_t running = 0;
  for (const std::uint32_t block : block_at_) running += block != none ? 1 : 0;
  if (lanes.size() != running)
    fault_ = "a barrier is not reached by all threads of its workgroup, but stands where only some of them come";
}

}  // namespace mobula::ssa
