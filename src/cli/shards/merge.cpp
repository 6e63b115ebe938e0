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

/// A member of the options that the end of a subcommand's work needs.
struct Needed {
  std::string_view key;
  void (*expect)(const io::JsonPlace& place);
};
void expect_flag(const io::JsonPlace& place) { (void)place.boolean(); }
void expect_text(const io::JsonPlace& place) { (void)text_in(place); }
void expect_format(const io::JsonPlace& place) {
  std::string_view chosen;
  place.read_choice(chosen, {{"text", "text"}, {"shader-db", "shader-db"}, {"offline-compiler", "offline-compiler"}});
}
void expect_threshold(const io::JsonPlace& place) {
  if (place.value().is_null() || (place.value().is_number() && place.value().get<double>() >= 0)) return;
  place.wrong("a number of at least 0, or null");
}

struct Ending {
  std::string_view command;
  End end;
  std::vector<Needed> needed;
};
const std::vector<Ending>& endings() {
  static const std::vector<Ending> all{
      {"check", end_check, {{"json", expect_flag}}},
      {"stat",
       end_stat,
       {{"format", expect_format},
        {"baseline", expect_text},
        {"update", expect_flag},
        {"threshold", expect_threshold},
        {"json", expect_flag}}},
#ifdef MOBULA_COMPILE
      {"compile", end_compile, {{"json", expect_flag}, {"cost", expect_flag}, {"code", expect_flag}}},
#endif
      {"campaign", end_campaign, {}}};
  return all;
}

/// How the work of the shards ends, whose options are as that needs them.
End end_of(const io::Json& work, const std::string& file) {
  const auto command = work.at("command").get<std::string>();
  const auto found = std::ranges::find(endings(), command, &Ending::command);
  if (found == endings().end())
    throw usage_error("this mobula cannot put results of mobula " + command + " together", file);
  io::JsonProblems problems{file, {}};
  const io::JsonPlace root(work, problems);
  root.member("options", [&](const io::JsonPlace& options) {
    for (const Needed& each : found->needed) required(options, each.key, each.expect);
  });
  if (!problems.diagnostics.empty())
    throw Stop{Exit::negative, wrong_in_line(std::move(problems.diagnostics), file, 1)};
  return found->end;
}

[[noreturn]] void stop(std::string code, std::string message, std::string hint) {
  throw Stop{Exit::negative,
             {{Severity::error, std::move(code), {.file = "merge"}, std::move(message), std::move(hint)}}};
}

/// Why results of the two are not of the same work.
std::string difference(const ShardResult& one, const ShardResult& other) {
  if (one.tool != other.tool) return "another version of mobula wrote it";
  const io::Json &a = one.work, &b = other.work;
  if (a.at("command") != b.at("command")) return "it is of another subcommand";
  if (a.at("options") != b.at("options")) return "it was made with other options";
  return "it is of other files, or of the same in another order";
}

std::vector<ShardPart> read_parts(const std::vector<std::string>& files) {
  std::vector<ShardPart> parts;
  for (const std::string& file : files) {
    const std::vector<std::uint8_t> bytes = read_file(file);
    parts.push_back({file, value_or_stop(read_shard(file, as_text(bytes)), file)});
    const ShardPart &first = parts.front(), &last = parts.back();
    if (last.result.tool != first.result.tool || last.result.work != first.result.work)
      stop("SH006",
           last.file + " is not a shard of the same work as " + first.file + ": " +
               difference(last.result, first.result),
           "the same command on every computer, with the files in the same order");
  }
  return parts;
}

}  // namespace

Exit merge(const MergeOptions& options) {
  std::vector<ShardPart> parts = read_parts(options.files);
  std::vector<ShardFile> shards;
  for (const ShardPart& part : parts) shards.push_back({part.result.shard, part.file});
  value_or_stop(expect_all(shards), "merge");
  const io::Json work = parts.front().result.work;
  const End end = end_of(work, parts.front().file);
  const ShardWhole whole = value_or_stop(put_together(std::move(parts)), "merge");
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
