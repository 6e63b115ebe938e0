#include "ir/builder.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/hexadecimal.h"
#include "ir/operands.h"

namespace mobula::ir {
namespace {

constexpr std::uint32_t aligned(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

/// The indices of the items in order of their keys; items of equal keys stay in order.
template <class Item, class Key>
std::vector<std::uint32_t> order_by(const std::vector<Item>& items, Key key) {
  std::vector<std::uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(key(items[a]), a) < std::pair(key(items[b]), b);
  });
  return order;
}

}  // namespace

Builder::Builder(std::vector<Slot> slots) {
  std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.byte < b.byte; });
  std::uint32_t end = 0;
  for (const Slot& slot : slots) end = std::max(end, slot.byte + slot.bytes);
  program_.slots = std::move(slots);
  program_.temporary_byte = aligned(end, 8);
  program_.state_bytes = program_.temporary_byte;
}

void Builder::begin_block(std::uint64_t address, std::uint32_t bytes) {
  Block block{.address = address, .bytes = bytes};
  block.first = static_cast<std::uint32_t>(program_.operations.size());
  blocks_.push_back({block, std::nullopt});
  temporaries_ = 0;
}

void Builder::end_block() { end_block(blocks_.back().block.address + blocks_.back().block.bytes); }

void Builder::end_block(std::optional<std::uint64_t> next) {
  OpenBlock& open = blocks_.back();
  open.block.count = block_operations();
  // A block that is always left earlier needs no successor.
  if (open.block.count == 0 || !always_leaves(program_.operations.back())) open.next = next;
}

std::uint32_t Builder::block_operations() const {
  return static_cast<std::uint32_t>(program_.operations.size()) - blocks_.back().block.first;
}

void Builder::rests_on(Status status) {
  Status& fidelity = blocks_.back().block.fidelity;
  fidelity = std::max(fidelity, status);
}

void Builder::note(Status status, std::string text) {
  rests_on(status);
  program_.notes.push_back({static_cast<std::uint32_t>(blocks_.size() - 1), status, std::move(text)});
}

Operand Builder::temporary(Type type, std::uint32_t count) {
  const std::uint32_t offset = aligned(temporaries_, bytes_of(type));
  temporaries_ = offset + bytes_of(type) * count;
  program_.state_bytes = std::max(program_.state_bytes, program_.temporary_byte + aligned(temporaries_, 8));
  return Operand::state(program_.temporary_byte + offset);
}

Operand Builder::stored_constant(std::uint64_t bits, std::uint32_t bytes) {
  std::vector<std::uint8_t>& pool = program_.constants;
  const auto offset = aligned(static_cast<std::uint32_t>(pool.size()), bytes);
  const auto [entry, is_new] = constants_.try_emplace({bytes, bits}, offset);
  if (is_new) {
    pool.resize(offset + bytes);
    for (std::uint32_t i = 0; i < bytes; ++i) pool[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
  }
  return Operand::constant(entry->second);
}

Operand Builder::constant_u8(std::uint8_t value) { return stored_constant(value, 1); }
Operand Builder::constant_u16(std::uint16_t value) { return stored_constant(value, 2); }
Operand Builder::constant_u32(std::uint32_t value) { return stored_constant(value, 4); }
Operand Builder::constant_u64(std::uint64_t value) { return stored_constant(value, 8); }
Operand Builder::constant_f32(float value) { return constant_u32(std::bit_cast<std::uint32_t>(value)); }

Operand Builder::constant(Type type, std::uint64_t bits) {
  const std::uint32_t unused = 64 - bits_of(type);
  return stored_constant(bits << unused >> unused, bytes_of(type));
}

void Builder::emit(const Operation& operation) { program_.operations.push_back(operation); }

void Builder::emit(Op op, Type type, Operand dst, Operand a, Operand b, Operand c, Round round) {
  emit({.op = op, .type = type, .from = type, .round = round, .dst = dst, .src = {a, b, c}});
}

void Builder::emit_conversion(Op op, Type type, Type from, Operand dst, Operand a, Round round) {
  emit({.op = op, .type = type, .from = from, .round = round, .dst = dst, .src = {a}});
}

Operand Builder::unary(Op op, Type type, Operand a, Round round) {
  const Operand dst = temporary(type);
  emit(op, type, dst, a, {}, {}, round);
  return dst;
}

Operand Builder::binary(Op op, Type type, Operand a, Operand b, Round round) {
  const Operand dst = temporary(type);
  emit(op, type, dst, a, b, {}, round);
  return dst;
}

Operand Builder::ternary(Op op, Type type, Operand a, Operand b, Operand c, Round round) {
  const Operand dst = temporary(type);
  emit(op, type, dst, a, b, c, round);
  return dst;
}

Operand Builder::convert(Op op, Type type, Type from, Operand a, Round round) {
  const Operand dst = temporary(type);
  emit_conversion(op, type, from, dst, a, round);
  return dst;
}

void Builder::call(const Call& call) {
  emit({.op = Op::call, .extra = static_cast<std::uint32_t>(program_.calls.size())});
  program_.calls.push_back(call);
}

void Builder::texture(const Texture& texture, Operand data) {
  call({.service = Service::texture,
        .type = texture.result == Texture::Result::f32 ? Type::f32 : Type::i32,
        .count = 4,
        .index = static_cast<std::uint32_t>(program_.textures.size()),
        .flags = texture.result == Texture::Result::u32 ? CallFlags::is_unsigned : 0,
        .data = data});
  program_.textures.push_back(texture);
}

void Builder::branch(std::uint64_t target) { branch_if({}, target); }

void Builder::branch_if(Operand condition, std::uint64_t target, Type type) {
  emit({.op = Op::branch, .type = type, .src = {condition}, .extra = static_cast<std::uint32_t>(targets_.size())});
  targets_.push_back(target);
}

void Builder::branch_indirect(Operand address, Type type) {
  emit({.op = Op::branch_indirect, .type = type, .src = {address}});
}

void Builder::discard() { discard_if({}); }
void Builder::discard_if(Operand condition, Type type) { emit({.op = Op::discard, .type = type, .src = {condition}}); }
void Builder::barrier() { emit({.op = Op::barrier}); }
void Builder::end() { end_if({}); }
void Builder::end_if(Operand condition, Type type) { emit({.op = Op::end, .type = type, .src = {condition}}); }

void Builder::trap(std::string_view reason) { trap_if({}, reason); }
void Builder::trap_if(Operand condition, std::string_view reason, Type type) {
  const auto index = static_cast<std::uint32_t>(program_.trap_reasons.size());
  const auto [entry, is_new] = trap_reasons_.try_emplace(std::string(reason), index);
  if (is_new) program_.trap_reasons.emplace_back(reason);
  emit({.op = Op::trap, .type = type, .src = {condition}, .extra = entry->second});
}

Program Builder::finish(std::uint64_t entry) {
  trap_at_missing_addresses(entry);
  sort_blocks();
  resolve(entry);
  return std::move(program_);
}

void Builder::trap_at_missing_addresses(std::uint64_t entry) {
  std::vector<std::uint64_t> present;
  std::vector<std::uint64_t> wanted = targets_;
  wanted.push_back(entry);
  for (const OpenBlock& open : blocks_) {
    present.push_back(open.block.address);
    if (open.next) wanted.push_back(*open.next);
  }
  std::sort(present.begin(), present.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (const std::uint64_t address : wanted) {
    if (std::binary_search(present.begin(), present.end(), address)) continue;
    begin_block(address, 0);
    trap("there is no instruction at " + hexadecimal(address));
    end_block();
  }
}

void Builder::sort_blocks() {
  const std::vector<std::uint32_t> order = order_by(blocks_, [](const OpenBlock& open) { return open.block.address; });
  std::vector<OpenBlock> blocks;
  std::vector<Operation> operations;
  std::vector<std::uint32_t> new_index(blocks_.size());
  blocks.reserve(blocks_.size());
  operations.reserve(program_.operations.size());
  for (const std::uint32_t old : order) {
    OpenBlock open = blocks_[old];
    const auto first = program_.operations.begin() + open.block.first;
    open.block.first = static_cast<std::uint32_t>(operations.size());
    operations.insert(operations.end(), first, first + open.block.count);
    new_index[old] = static_cast<std::uint32_t>(blocks.size());
    blocks.push_back(open);
  }
  for (FidelityNote& note : program_.notes) note.block = new_index[note.block];
  std::vector<FidelityNote> notes;
  for (const std::uint32_t old : order_by(program_.notes, [](const FidelityNote& note) { return note.block; })) {
    notes.push_back(std::move(program_.notes[old]));
  }
  program_.notes = std::move(notes);
  blocks_ = std::move(blocks);
  program_.operations = std::move(operations);
}

void Builder::resolve(std::uint64_t entry) {
  for (const OpenBlock& open : blocks_) program_.blocks.push_back(open.block);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].next) program_.blocks[i].next = program_.block_at(*blocks_[i].next);
  }
  for (Operation& operation : program_.operations) {
    if (operation.op == Op::branch) operation.extra = *program_.block_at(targets_[operation.extra]);
  }
  program_.entry = *program_.block_at(entry);
}

}  // namespace mobula::ir
