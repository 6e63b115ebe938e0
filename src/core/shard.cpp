#include "core/shard.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "core/counted.h"

namespace mobula {

std::optional<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  if (index.ec != std::errc() || index.ptr == end || *index.ptr != '/') return {};
  const auto count = std::from_chars(index.ptr + 1, end, shard.count);
  if (count.ec != std::errc() || count.ptr != end || shard.index >= shard.count) return {};
  return shard;
}

std::string to_string(const Shard& shard) { return std::to_string(shard.index) + '/' + std::to_string(shard.count); }

std::vector<std::size_t> part_of(const Shard& shard, std::span<const std::string> names) {
  std::vector<std::size_t> ranked(names.size()), own;
  std::iota(ranked.begin(), ranked.end(), std::size_t{0});
  std::ranges::stable_sort(ranked, {}, [&](std::size_t at) -> const std::string& { return names[at]; });
  own.reserve(shard.size(names.size()));
  for (std::size_t rank = 0; rank < ranked.size(); ++rank)
    if (shard.has(rank)) own.push_back(ranked[rank]);
  std::ranges::sort(own);
  return own;
}

Result<void> expect_all(std::span<const ShardFile> shards) {
  std::map<std::uint64_t, const ShardFile*> there;
  for (const ShardFile& each : shards) {
    const ShardFile& first = shards.front();
    if (each.shard.count != first.shard.count)
      return fail("SH001",
                  each.file + " is shard " + to_string(each.shard) + ", and " + first.file + " is shard " +
                      to_string(first.shard),
                  "shards that all have the same COUNT");
    const auto [known, is_new] = there.emplace(each.shard.index, &each);
    if (!is_new)
      return fail("SH002",
                  "shard " + to_string(each.shard) + " is there twice: " + known->second->file + " and " + each.file,
                  "leave one of them out");
  }
  if (shards.empty() || there.size() == shards.front().shard.count) return {};
  constexpr std::size_t most = 10;
  const std::uint64_t count = shards.front().shard.count, missing = count - there.size();
  std::string list;
  std::size_t listed = 0;
  for (std::uint64_t index = 0; listed < std::min<std::uint64_t>(most, missing); ++index) {
    if (there.contains(index)) continue;
    list += (list.empty() ? "" : ", ") + to_string(Shard{index, count});
    ++listed;
  }
  return fail("SH003",
              counted(missing, "shard is", "shards are") + " missing: " + list + (listed < missing ? " ..." : ""),
              "run them, or those that were stopped, again");
}

}  // namespace mobula
