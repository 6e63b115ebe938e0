// What the words of a buffer block are, and where its members lie among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "io/glsl_type.h"
#include "mobula/isa/program.h"

namespace mobula::io {

/// The types of a block's words: those of its members; where nothing is known of these, all are as its own type says.
class BlockWords {
 public:
  /// Of no block: floats.
  BlockWords(const Interface& interface, const Variable* block);
  [[nodiscard]] GlslType::Base operator[](std::size_t word) const;
  /// What all of them are, those between members aside; nothing where they differ.
  [[nodiscard]] std::optional<GlslType::Base> all() const;

 private:
  void add(const BlockMember& member);

  GlslType::Base rest_;                 ///< of all words where there are no members; else Base::other, of those between
  std::vector<GlslType::Base> closed_;  ///< from the block's first word on
  std::size_t open_begin_ = std::numeric_limits<std::size_t>::max();  ///< from here on `open_` repeats, if there is any
  std::vector<GlslType::Base> open_;
};

/// The words of a block up to the end of its last member whose length is known.
std::size_t closed_words(const Variable& block);

/// As many words as `words`, or more: up to the end of the element in which they end, of the block's array without an
/// end.
std::size_t whole_elements(const Variable& block, std::size_t words);

/// "all[1].at" or "numbers[1]" of an array without an end, as a member of its own; nothing if there is none.
std::optional<BlockMember> element_of(const Variable& block, std::string_view name);

/// The word of the block that holds the member's word `index`. `type`: the member's.
std::uint64_t word_of(const BlockMember& member, const GlslType& type, std::uint64_t index);

}  // namespace mobula::io
