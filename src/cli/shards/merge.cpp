// mobula merge and shard: results of shards put together, and what belongs to a shard of any list.
#include <algorithm>
#include <array>
#include <optional>

#include "cli/input/input.h"
#include "cli/shards/shards.h"
#include "core/counted.h"

namespace mobula::cli {
namespace {

/// What scripts/shards.py writes: texts of pieces of work that mobula knows nothing of.
Exit end_campaign(const Json& /*options*/, const std::vector<std::string>& pieces,
                  const std::vector<FileResult>& results, const std::string& output) {
  return write_results(pieces, results, {.file = output});
}

struct Ending {
  std::string_view command;
  End end;
};
constexpr Ending endings[] = {{"check", end_check},
                              {"stat", end_stat},
#ifdef MOBULA_COMPILE
                              {"compile", end_compile},
#endif
                              {"campaign", end_campaign}};

End end_of(const std::string& command, const std::string& file) {
  const auto found = std::ranges::find(endings, command, &Ending::command);
  if (found == std::end(endings))
    throw usage_error("this mobula cannot put results of mobula " + command + " together", file);
  return found->end;
}

struct Part {
  std::string file;
  ShardResult result;
};

[[noreturn]] void stop(std::string code, std::string message, std::string hint) {
  throw Stop{Exit::negative,
             {{Severity::error, std::move(code), {.file = "merge"}, std::move(message), std::move(hint)}}};
}

/// Why results of the two are not of the same work.
std::string difference(const Json& one, const Json& other) {
  if (one.at("tool") != other.at("tool")) return "another version of mobula wrote it";
  const Json &a = one.at("work"), &b = other.at("work");
  if (a.at("command") != b.at("command")) return "it is of another subcommand";
  if (a.at("options") != b.at("options")) return "it was made with other options";
  return "it is of other files, or of the same in another order";
}

std::vector<Part> read_parts(const std::vector<std::string>& files) {
  std::vector<Part> parts;
  for (const std::string& file : files) {
    const std::vector<std::uint8_t> bytes = read_file(file);
    parts.push_back({file, value_or_stop(read_shard(file, as_text(bytes)), file)});
    const Part &first = parts.front(), &last = parts.back();
    if (last.result.whole != first.result.whole)
      stop("SH006",
           last.file + " is not a shard of the same work as " + first.file + ": " +
               difference(last.result.whole, first.result.whole),
           "the same command on every computer, with the files in the same order");
  }
  return parts;
}

/// The results of all pieces and their names. A shard must have the pieces that are its own, and only those.
struct Whole {
  std::vector<std::string> names;
  std::vector<FileResult> results;
};
Whole put_together(std::vector<Part> parts) {
  const Json& work = parts.front().result.whole.at("work");
  const std::size_t count = work.at("pieces");
  const auto not_its_own = [](const Part& part) {
    stop("SH005", part.file + " does not have the pieces of work that shard " + to_string(part.result.shard) + " has",
         "remove the file, and run the shard again");
  };
  std::size_t there = 0;
  for (const Part& part : parts) {
    if (part.result.pieces.size() != part.result.shard.size(count)) not_its_own(part);
    there += part.result.pieces.size();
  }
  Whole whole{std::vector<std::string>(there), std::vector<FileResult>(there)};
  for (Part& part : parts)
    for (auto& [piece, named] : part.result.pieces) {
      if (piece >= there) not_its_own(part);
      whole.names[piece] = named.first;
      whole.results[piece] = std::move(named.second);
    }
  for (const Part& part : parts) {
    const std::vector<std::size_t> own = part_of(part.result.shard, whole.names);
    if (!std::ranges::equal(own, part.result.pieces, {}, {}, [](const auto& each) { return each.first; }))
      not_its_own(part);
  }
  if (Json(hash_of(whole.names)) != work.at("names"))
    stop("SH006", "the names of the files are not those that the shards were made of", "run the shards again");
  return whole;
}

}  // namespace

Exit merge(const MergeOptions& options) {
  std::vector<Part> parts = read_parts(options.files);
  std::vector<ShardFile> shards;
  for (const Part& part : parts) shards.push_back({part.result.shard, part.file});
  value_or_stop(expect_all(shards), "merge");
  const Json work = parts.front().result.whole.at("work");
  const End end = end_of(work.at("command"), parts.front().file);
  const Whole whole = put_together(std::move(parts));
  return end(work.at("options"), whole.names, whole.results, options.output);
}

Exit shard(const ShardOptions& options) {
  const auto shard = parse_shard(options.shard);
  if (!shard) throw usage_error(options.shard + " is not a shard", "write INDEX/COUNT, the index from 0: 0/4 to 3/4");
  const std::vector<std::uint8_t> bytes = read_file(options.list);
  std::vector<std::string> lines;
  for (std::string_view text = text_of(bytes, options.list); !text.empty();) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::string text;
  Json pieces = Json::array();
  for (const std::size_t each : part_of(*shard, lines)) {
    text += lines[each] + '\n';
    pieces.push_back({{"piece", each}, {"line", lines[each]}});
  }
  if (options.output.json)
    text = envelope("shard", nullptr,
                    {{"shard", to_string(*shard)},
                     {"pieces", lines.size()},
                     {"names", hash_of(lines)},
                     {"own", std::move(pieces)}});
  write_output(options.output.file, text);
  return Exit::done;
}

}  // namespace mobula::cli
