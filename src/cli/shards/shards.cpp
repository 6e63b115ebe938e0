#include "cli/shards/shards.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

namespace mobula::cli {
namespace {

Json header_of(const Work& work, const Shard& shard) {
  return {{"schema", shard_schema},
          {"version", 1},
          {"tool", {{"name", "mobula"}, {"version", MOBULA_VERSION}}},
          {"work",
           {{"command", work.command},
            {"options", work.options},
            {"pieces", work.pieces.size()},
            {"names", hash_of(work.pieces)}}},
          {"shard", to_string(shard)}};
}

Json line_of(const FileResult& result, std::size_t piece, const std::string& name) {
  Json files = Json::array();
  for (const auto& [file, content] : result.files)
    files.push_back({{"name", packed(file)}, {"content", packed(content)}});
  return {{"piece", piece},
          {"name", packed(name)},
          {"status", static_cast<int>(result.status)},
          {"text", packed(result.text)},
          {"said", packed(result.said)},
          {"diagnostics", packed(result.diagnostics)},
          {"files", std::move(files)}};
}

/// A computer that lacks the files, for instance because a file system is not mounted, is not to say of all of them
/// that they cannot be read: its shard is not done.
void expect_readable(const std::vector<std::string>& names, const std::vector<std::size_t>& own) {
  for (const std::size_t each : own)
    if (names[each] != "-" && ::access(names[each].c_str(), R_OK) != 0)
      throw usage_error("cannot read " + names[each], "a shard is not done while one of its files is missing");
}

}  // namespace

Shard chosen_shard(const std::string& text) {
  if (const auto shard = parse_shard(text)) return *shard;
  throw usage_error("--shard " + text + " is not a shard", "write INDEX/COUNT, the index from 0: 0/4 to 3/4");
}

Json packed(const std::string& text) {
  try {
    [[maybe_unused]] const std::string written = Json(text).dump();
    return text;
  } catch (const Json::exception&) {  // not UTF-8
    return {{"bytes", hex(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()))}};
  }
}

Json packed(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& each : diagnostics) {
    const Location& where = each.where;
    list.push_back({{"severity", static_cast<int>(each.severity)},
                    {"code", each.code},
                    {"file", packed(where.file)},
                    {"line", where.line},
                    {"column", where.column},
                    {"length", where.length},
                    {"source", packed(where.source_line)},
                    {"offset", where.byte_offset ? Json(*where.byte_offset) : Json(nullptr)},
                    {"bits", {where.bit_low, where.bit_width}},
                    {"message", packed(each.message)},
                    {"hint", packed(each.hint)}});
  }
  return list;
}

std::string unpacked(const Json& json) {
  io::JsonProblems none;
  const io::Json text = json;
  return text_in(io::JsonPlace(text, none));
}

Json packed(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(packed(text));
  return list;
}

Json to_json(const InputOptions& input) {
  Json json{{"machine", packed(input.machine)},
            {"syntax", packed(input.syntax)},
            {"container", packed(input.container)},
            {"stage", packed(input.stage)},
            {"side", packed(input.side_file)}};
  json["index"] = input.index ? Json(*input.index) : Json(nullptr);
  json["level"] = input.level ? Json(*input.level) : Json(nullptr);
  return json;
}

Exit carry_out(const Work& work, const std::string& shard, const std::string& output, End end) {
  const unsigned cores = work.one_at_a_time ? 1 : 0;
  if (shard.empty()) {
    std::vector<std::size_t> all(work.pieces.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return end(work.options, work.pieces, results_of(work.pieces, all, work.job, cores), output);
  }
  const Shard chosen = chosen_shard(shard);
  const std::vector<std::size_t> own = part_of(chosen, work.pieces);
  expect_readable(work.pieces, own);
  const std::vector<FileResult> results = results_of(work.pieces, own, work.job, cores);
  std::string text = json_text(header_of(work, chosen)) + '\n';
  for (std::size_t i = 0; i < own.size(); ++i)
    text += json_text(line_of(results[i], own[i], work.pieces[own[i]])) + '\n';
  write_output(output, text + json_text({{"end", own.size()}}) + '\n');
  return Exit::done;
}

}  // namespace mobula::cli
