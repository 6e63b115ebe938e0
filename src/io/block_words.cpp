#include "io/block_words.h"

#include <algorithm>

#include "io/values.h"

namespace mobula::io {
namespace {

using Base = GlslType::Base;

/// As many words as are remembered one by one: what lies beyond is shown as if nothing were known of it.
constexpr std::uint64_t most_words = 1 << 22;

}  // namespace

std::uint64_t word_of(const BlockMember& member, const GlslType& type, std::uint64_t index) {
  const std::uint64_t byte = member.offset + index / type.rows * member.stride + index % type.rows * member.step;
  return byte / 4;
}

std::size_t closed_words(const Variable& block) {
  std::uint64_t words = 0;
  for (const BlockMember& member : block.members) {
    const GlslType type = parse_glsl_type(member.type);
    if (const auto room = type.words(); room && *room != 0)
      words = std::max(words, word_of(member, type, *room - 1) + 1);
  }
  return static_cast<std::size_t>(std::min(words, most_words));
}

BlockWords::BlockWords(const Interface& interface, const Variable* block)
    : rest_(block != nullptr && !block->members.empty() ? Base::other : base_of(interface, block)) {
  if (block == nullptr) return;
  closed_.assign(closed_words(*block), rest_);
  for (const BlockMember& member : block->members) {
    if (parse_glsl_type(member.type).length) continue;
    open_begin_ = std::min<std::size_t>(open_begin_, member.offset / 4);
    if (open_.empty()) open_.assign(std::min<std::uint64_t>(member.stride / 4, most_words), rest_);
  }
  for (const BlockMember& member : block->members) add(member);
}

void BlockWords::add(const BlockMember& member) {
  const GlslType type = parse_glsl_type(member.type);
  if (!type.length) {
    for (std::uint32_t i = 0; i < type.rows && !open_.empty(); ++i)
      open_[(word_of(member, type, i) - open_begin_) % open_.size()] = type.base;
    return;
  }
  const std::uint64_t count = std::min(type.words().value_or(0), most_words);
  for (std::uint64_t i = 0; i < count; ++i)
    if (const std::uint64_t word = word_of(member, type, i); word < closed_.size()) closed_[word] = type.base;
}

Base BlockWords::operator[](std::size_t word) const {
  if (word >= open_begin_ && !open_.empty()) return open_[(word - open_begin_) % open_.size()];
  return word < closed_.size() ? closed_[word] : rest_;
}

std::optional<Base> BlockWords::all() const {
  Base found = rest_;
  for (const auto* words : {&closed_, &open_})
    for (const Base base : *words) {
      if (found == rest_) found = base;
      if (base != rest_ && base != found) return {};
    }
  return found;
}

}  // namespace mobula::io
