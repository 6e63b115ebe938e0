#include "cli/shards/shards.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

namespace mobula::cli {
namespace {

constexpr const char* schema = "mobula/shard-result";

Json header_of(const Work& work, const Shard& shard) {
  return {{"schema", schema},
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

FileResult result_in(const Json& json) {
  FileResult result{.text = unpacked_text(json.at("text")),
                    .diagnostics = unpacked_diagnostics(json.at("diagnostics")),
                    .status = static_cast<Exit>(json.at("status").get<int>()),
                    .said = unpacked_diagnostics(json.at("said"))};
  if (result.status > Exit::not_exact) throw std::out_of_range("status");
  for (const Json& file : json.at("files"))
    result.files.emplace_back(unpacked_text(file.at("name")), unpacked_text(file.at("content")));
  return result;
}

/// A computer that lacks the files, for instance because a file system is not mounted, is not to say of all of them
/// that they cannot be read: its shard is not done.
void expect_readable(const std::vector<std::string>& names, const std::vector<std::size_t>& own) {
  for (const std::size_t each : own)
    if (names[each] != "-" && ::access(names[each].c_str(), R_OK) != 0)
      throw usage_error("cannot read " + names[each], "a shard is not done while one of its files is missing");
}

std::size_t number(const Json& json) {
  if (!json.is_number_unsigned()) throw std::out_of_range("number");
  return json.get<std::size_t>();
}

}  // namespace

Shard chosen_shard(const std::string& text) {
  if (const auto shard = parse_shard(text)) return *shard;
  throw usage_error("--shard " + text + " is not a shard", "write INDEX/COUNT, the index from 0: 0/4 to 3/4");
}

std::string hash_of(const std::vector<std::string>& names) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const std::string& name : names) {
    for (const char each : name) add(static_cast<unsigned char>(each));
    add(0);
  }
  return fmt::format("{:016x}", hash);
}

Json packed(const std::string& text) {
  try {
    [[maybe_unused]] const std::string written = Json(text).dump();
    return text;
  } catch (const Json::exception&) {  // not UTF-8
    return {{"bytes", hex(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()))}};
  }
}

std::string unpacked_text(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  const std::string digits = json.at("bytes").get<std::string>();
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return text;
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

Diagnostics unpacked_diagnostics(const Json& json) {
  Diagnostics diagnostics;
  for (const Json& each : json) {
    Location where{.file = unpacked_text(each.at("file")),
                   .line = each.at("line"),
                   .column = each.at("column"),
                   .length = each.at("length"),
                   .source_line = unpacked_text(each.at("source")),
                   .byte_offset = {},
                   .bit_low = each.at("bits").at(0),
                   .bit_width = each.at("bits").at(1)};
    if (!each.at("offset").is_null()) where.byte_offset = each.at("offset").get<std::uint64_t>();
    const int severity = each.at("severity");
    if (severity < 0 || severity > static_cast<int>(Severity::error)) throw std::out_of_range("severity");
    diagnostics.push_back({static_cast<Severity>(severity), each.at("code"), std::move(where),
                           unpacked_text(each.at("message")), unpacked_text(each.at("hint"))});
  }
  return diagnostics;
}

Json to_json(const InputOptions& input) {
  Json json{{"machine", input.machine},
            {"syntax", input.syntax},
            {"container", input.container},
            {"stage", input.stage},
            {"side", input.side_file}};
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

Result<ShardResult> read_shard(const std::string& file, std::string_view text) {
  const auto wrong = [&] {
    return fail(
        {Severity::error,
         "SH004",
         {.file = file},
         "this is not the result of a shard",
         "what check, stat and compile write with --shard; mobula scoreboard merge takes the tables of sweeps"});
  };
  const auto cut_off = [&](const std::string& what) {
    return fail({Severity::error,
                 "SH005",
                 {.file = file},
                 "the result of the shard is not complete: " + what,
                 "remove the file, and run the shard again"});
  };
  ShardResult result;
  bool ended = false;
  std::size_t line = 0;
  try {
    for (; !text.empty() && !ended; ++line) {
      const std::size_t end = text.find('\n');
      if (end == text.npos) return line == 0 ? wrong() : cut_off("its last line has no end");
      const Json json = Json::parse(text.substr(0, end));
      text.remove_prefix(end + 1);
      if (line == 0) {
        const auto shard = parse_shard(json.at("shard").get<std::string>());
        if (json.at("schema") != schema || json.at("version") != 1 || !shard) return wrong();
        result.shard = *shard;
        result.whole = {{"tool", json.at("tool")}, {"work", json.at("work")}};
        number(json.at("work").at("pieces"));
      } else if (json.contains("end")) {
        ended = true;
        if (number(json.at("end")) != result.pieces.size()) return cut_off("pieces are missing");
      } else {
        result.pieces.emplace(number(json.at("piece")), std::pair(unpacked_text(json.at("name")), result_in(json)));
      }
    }
  } catch (const std::exception&) {
    if (line == 0) return wrong();
    return cut_off("line " + std::to_string(line + 1) + " is none of it");
  }
  if (line == 0) return wrong();
  if (!ended) return cut_off("its last lines are missing");
  if (!text.empty()) return cut_off("something follows its end");
  return result;
}

}  // namespace mobula::cli
