// What the words of a buffer block are, and where its members lie among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
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

/// The word of the block that holds the member's word `index`. `type`: the member's.
std::uint64_t word_of(const BlockMember& member, const GlslType& type, std::uint64_t index);

}  // namespace mobula::io
