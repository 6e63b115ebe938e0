// The result of a shard, read again: what a shard writes, or an error that names the place, whatever the file holds.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/terminal/output.h"
#include "core/shard.h"
#include "io/json.h"

namespace mobula::cli {

inline constexpr std::string_view shard_schema = "mobula/shard-result";

/// The results of one shard.
struct ShardResult {
  Shard shard;
  io::Json tool, work;  ///< the same in all shards of the same work: version; command, options, pieces, their hash
  std::map<std::size_t, std::pair<std::string, FileResult>> pieces;  ///< by position: name and result
};
/// SH004 where it is none, SH005 where it is not complete, SH007 where a line holds what no shard writes.
Result<ShardResult> read_shard(const std::string& file, std::string_view text);

struct ShardPart {
  std::string file;
  ShardResult result;
};
/// The results of all pieces and their names.
struct ShardWhole {
  std::vector<std::string> names;
  std::vector<FileResult> results;
};
/// SH005 where a shard does not have the pieces that are its own and only those, SH006 where they are of other names.
/// Precondition: the parts are all shards of the same work.
Result<ShardWhole> put_together(std::vector<ShardPart> parts);

/// A hash of the names in their order: whether two computers were given the same.
std::string hash_of(const std::vector<std::string>& names);

/// Text and diagnostics as packed() writes them; what is wrong is added to the problems of the place.
std::string text_in(const io::JsonPlace& place);
Diagnostics diagnostics_in(const io::JsonPlace& place);
Exit status_in(const io::JsonPlace& place);

/// Calls `read(place)` for the member, or says that there is none.
template <class Read>
void required(const io::JsonPlace& place, std::string_view key, Read read) {
  if (!place.value().is_object()) return place.wrong("an object");
  if (!place.has(key)) return place.error("IN003", "\"" + std::string(key) + "\" is missing");
  place.member(key, read);
}

/// What was found wrong in a line of a result, all of it with the code SH007.
Diagnostics wrong_in_line(Diagnostics problems, const std::string& file, std::size_t line);

}  // namespace mobula::cli
