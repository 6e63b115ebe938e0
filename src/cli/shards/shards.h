// Parts of a subcommand's work, done by many processes or computers (--shard), and put together again (mobula merge).
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/shards/shard_file.h"
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

/// Text that comes back to the last byte, UTF-8 or not, and diagnostics with all that printing them takes.
Json packed(const std::string& text);
Json packed(const std::vector<std::string>& texts);
Json packed(const Diagnostics& diagnostics);
/// The text again. Precondition: packed() wrote it, or text_in() found nothing wrong.
std::string unpacked(const Json& json);

}  // namespace mobula::cli
