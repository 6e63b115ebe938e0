// Parts of a subcommand's work, done by many processes or computers (--shard), and put together again (mobula merge).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/terminal/output.h"
#include "core/shard.h"

namespace mobula::cli {

/// What a subcommand has to do: pieces that do not depend on each other, whose results make the whole.
struct Work {
  std::string command;              ///< "check"
  Json options;                     ///< all that results depend on, and all that the end of the work needs
  std::vector<std::string> pieces;  ///< files, in the order of the results; some may be the same
  std::function<FileResult(std::size_t piece)> job;
  bool one_at_a_time = false;  ///< the pieces cannot be worked on by several threads
};

/// The end of the work: makes the result of those of all pieces, and writes it.
using End = Exit (*)(const Json& options, const std::vector<std::string>& pieces,
                     const std::vector<FileResult>& results, const std::string& output);

/// Does all of it and ends it; of a shard, if it is not empty, its part, whose results go to `output` for mobula merge.
/// That is no failure, whatever the results say.
Exit carry_out(const Work& work, const std::string& shard, const std::string& output, End end);

/// What --shard says; a Stop for what is none.
Shard chosen_shard(const std::string& text);
/// A hash of the names in their order: whether two computers were given the same.
std::string hash_of(const std::vector<std::string>& names);

// The ends of the subcommands that take --shard.
Exit end_check(const Json& options, const std::vector<std::string>& files, const std::vector<FileResult>& results,
               const std::string& output);
Exit end_stat(const Json& options, const std::vector<std::string>& files, const std::vector<FileResult>& results,
              const std::string& output);
#ifdef MOBULA_COMPILE
Exit end_compile(const Json& options, const std::vector<std::string>& files, const std::vector<FileResult>& results,
                 const std::string& output);
#endif

/// What options say of the input, as far as results depend on it.
Json to_json(const InputOptions& input);

/// The results of one shard, read again.
struct ShardResult {
  Shard shard;
  Json whole;  ///< what all shards of the same work say of it: command, options, version, pieces, a hash of their names
  std::map<std::size_t, std::pair<std::string, FileResult>> pieces;  ///< by position: name and result
};
/// SH004 where it is none, SH005 where it is not complete.
Result<ShardResult> read_shard(const std::string& file, std::string_view text);

/// Text that comes back to the last byte, UTF-8 or not, and diagnostics with all that printing them takes.
Json packed(const std::string& text);
Json packed(const Diagnostics& diagnostics);
std::string unpacked_text(const Json& json);
Diagnostics unpacked_diagnostics(const Json& json);

}  // namespace mobula::cli
