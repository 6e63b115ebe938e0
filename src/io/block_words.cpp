#include "io/block_words.h"

#include <algorithm>
#include <string>

#include "io/values.h"

namespace mobula::io {
namespace {

using Base = GlslType::Base;

/// As many words as are remembered one by one: what lies beyond is shown as if nothing were known of it.
constexpr std::uint64_t most_words = 1 << 22;

/// The array of a block that goes on to the end of the buffer, in words.
struct OpenArray {
  std::size_t begin = 0, each = 0;
};
std::optional<OpenArray> open_array_of(const Variable& block) {
  std::optional<OpenArray> found;
  for (const BlockMember& member : block.members) {
    if (parse_glsl_type(member.type).length) continue;
    if (!found) found = {member.offset / 4, member.stride / 4};
    found->begin = std::min<std::size_t>(found->begin, member.offset / 4);
  }
  return found;
}

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

std::size_t whole_elements(const Variable& block, std::size_t words) {
  const auto open = open_array_of(block);
  if (!open || open->each == 0 || words <= open->begin) return words;
  return open->begin + (words - open->begin + open->each - 1) / open->each * open->each;
}

std::optional<BlockMember> element_of(const Variable& block, std::string_view name) {
  const std::size_t begin = name.find('['), end = name.find(']');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  const auto index = parse_number(name.substr(begin + 1, end - begin - 1));
  const std::string_view part = name.substr(end + 1);
  const std::string all = std::string(name.substr(0, begin)) + (part.empty() ? "" : "[]") + std::string(part);
  const auto found = std::ranges::find(block.members, all, &BlockMember::name);
  if (!index || found == block.members.end() || parse_glsl_type(found->type).length) return {};
  const std::uint64_t offset = found->offset + std::uint64_t{*index} * found->stride;
  if (offset > std::numeric_limits<std::uint32_t>::max()) return {};
  BlockMember element = *found;
  element.name = name;
  element.type.resize(element.type.find('['));
  element.offset = static_cast<std::uint32_t>(offset);
  return element;
}

BlockWords::BlockWords(const Interface& interface, const Variable* block)
    : rest_(block != nullptr && !block->members.empty() ? Base::other : base_of(interface, block)) {
  if (block == nullptr) return;
  closed_.assign(closed_words(*block), rest_);
  if (const auto open = open_array_of(*block)) {
    open_begin_ = open->begin;
    open_.assign(std::min<std::uint64_t>(open->each, most_words), rest_);
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
