// Work that is done in parts, by several processes or computers, without a word between them. What belongs to a part is
// decided here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "mobula/isa/result.h"

namespace mobula {

/// Part `index`, from 0, of `count` parts.
struct Shard {
  std::uint64_t index = 0, count = 1;

  /// Whether the piece of work of this rank is the shard's: those next to each other, which often take equally long, go
  /// to different shards.
  [[nodiscard]] constexpr bool has(std::uint64_t rank) const { return rank % count == index; }
  /// Of so many pieces of work.
  [[nodiscard]] constexpr std::uint64_t size(std::uint64_t all) const {
    return all / count + (all % count > index ? 1 : 0);
  }
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// "2/8": the third of eight.
MOBULA_INTERNAL std::optional<Shard> parse_shard(std::string_view text);
MOBULA_INTERNAL std::string to_string(const Shard& shard);

/// Positions, ascending, of those names that are the shard's. They are ranked by their bytes: the order in which they
/// come, such as that of a file system, and the language of a computer do not matter.
MOBULA_INTERNAL std::vector<std::size_t> part_of(const Shard& shard, std::span<const std::string> names);

/// A shard, and the file that its result is in.
struct ShardFile {
  Shard shard;
  std::string file;
};
/// Whether every shard is there once. SH001 they are of different numbers of shards, SH002 one is there twice, SH003
/// some are missing; they are named.
MOBULA_INTERNAL Result<void> expect_all(std::span<const ShardFile> shards);

}  // namespace mobula
