#include "cli/shards/shard_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace mobula::cli {
namespace {

using io::JsonPlace;

constexpr std::string_view beginning = R"({"schema":"mobula/shard-result",)";
constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

/// Reads one shard's lines.
class Reader {
 public:
  Reader(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  Result<ShardResult> read() {
    const auto first = next_line();
    if (!first && text_.starts_with(beginning)) return not_complete("its first line has no end");
    if (!first) return is_none();
    const auto header = io::parse_json({file_, *first});
    if (!header || !header->is_object() || header->value("schema", io::Json()) != shard_schema ||
        header->value("version", io::Json()) != 1)
      return is_none();
    if (auto problems = problems_of(*header, [&](const JsonPlace& place) { read_header(place); }); !problems.empty())
      return fail(std::move(problems));
    while (!text_.empty()) {
      const auto line = next_line();
      if (!line) return not_complete("its last line has no end");
      const auto json = io::parse_json({file_, *line});
      if (!json) return fail(wrong_in_line(json.error(), file_, line_));
      const bool is_end = json->is_object() && json->contains("end");
      auto problems = problems_of(*json, [&](const JsonPlace& place) { is_end ? read_end(place) : read_piece(place); });
      if (!problems.empty()) return fail(std::move(problems));
      if (!is_end) continue;
      if (end_ != result_.pieces.size()) return not_complete("pieces are missing");
      if (!text_.empty()) return not_complete("something follows its end");
      return std::move(result_);
    }
    return not_complete("its last lines are missing");
  }

 private:
  [[nodiscard]] Unexpected is_none() const {
    return fail(
        {Severity::error,
         "SH004",
         {.file = file_},
         "this is not the result of a shard",
         "what check, stat and compile write with --shard; mobula scoreboard merge takes the tables of sweeps"});
  }
  [[nodiscard]] Unexpected not_complete(const std::string& what) const {
    return fail({Severity::error,
                 "SH005",
                 {.file = file_},
                 "the result of the shard is not complete: " + what,
                 "remove the file, and run the shard again"});
  }

  std::optional<std::string_view> next_line() {
    const std::size_t end = text_.find('\n');
    if (end == text_.npos) return {};
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    ++line_;
    return line;
  }

  template <class Read>
  Diagnostics problems_of(const io::Json& json, Read read) {
    io::JsonProblems problems{file_, {}};
    read(JsonPlace(json, problems));
    return wrong_in_line(std::move(problems.diagnostics), file_, line_);
  }

  void read_header(const JsonPlace& place) {
    required(place, "shard", [&](const JsonPlace& shard) {
      const auto text = shard.string();
      if (!text) return;
      if (const auto parsed = parse_shard(*text))
        result_.shard = *parsed;
      else
        shard.wrong("\"INDEX/COUNT\", the index from 0");
    });
    required(place, "tool", [&](const JsonPlace& tool) { result_.tool = tool.value(); });
    required(place, "work", [&](const JsonPlace& work) {
      required(work, "command", [](const JsonPlace& command) { (void)command.string(); });
      required(work, "options", [](const JsonPlace& options) {
        if (!options.value().is_object()) options.wrong("an object");
      });
      required(work, "pieces", [](const JsonPlace& pieces) { (void)pieces.unsigned_integer(0, any_number); });
      required(work, "names", [](const JsonPlace& names) { (void)names.string(); });
      result_.work = work.value();
    });
  }

  void read_piece(const JsonPlace& place) {
    std::uint64_t piece = 0;
    std::string name;
    FileResult result;
    required(place, "piece", [&](const JsonPlace& each) {
      piece = each.unsigned_integer(0, any_number).value_or(0);
      if (result_.pieces.contains(piece)) each.error("IN003", fmt::format("piece {} is there twice", piece));
    });
    required(place, "name", [&](const JsonPlace& each) { name = text_in(each); });
    required(place, "status", [&](const JsonPlace& each) { result.status = status_in(each); });
    required(place, "text", [&](const JsonPlace& each) { result.text = text_in(each); });
    required(place, "said", [&](const JsonPlace& each) { result.said = diagnostics_in(each); });
    required(place, "diagnostics", [&](const JsonPlace& each) { result.diagnostics = diagnostics_in(each); });
    required(place, "files", [&](const JsonPlace& files) {
      files.elements([&](const JsonPlace& file) {
        auto& [called, content] = result.files.emplace_back();
        required(file, "name", [&](const JsonPlace& each) { called = text_in(each); });
        required(file, "content", [&](const JsonPlace& each) { content = text_in(each); });
      });
    });
    result_.pieces.emplace(piece, std::pair(std::move(name), std::move(result)));
  }

  void read_end(const JsonPlace& place) {
    required(place, "end", [&](const JsonPlace& end) { end_ = end.unsigned_integer(0, any_number).value_or(0); });
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t line_ = 0;
  std::uint64_t end_ = 0;
  ShardResult result_;
};

Unexpected not_its_own(const ShardPart& part) {
  return fail("SH005",
              part.file + " does not have the pieces of work that shard " + to_string(part.result.shard) + " has",
              "remove the file, and run the shard again");
}

Location location_in(const JsonPlace& place) {
  Location where;
  required(place, "file", [&](const JsonPlace& each) { where.file = text_in(each); });
  required(place, "line", [&](const JsonPlace& each) { each.read(where.line); });
  required(place, "column", [&](const JsonPlace& each) { each.read(where.column); });
  required(place, "length", [&](const JsonPlace& each) { each.read(where.length); });
  required(place, "source", [&](const JsonPlace& each) { where.source_line = text_in(each); });
  required(place, "offset", [&](const JsonPlace& each) {
    if (!each.value().is_null()) where.byte_offset = each.unsigned_integer(0, any_number);
  });
  required(place, "bits", [&](const JsonPlace& bits) {
    if (!bits.value().is_array() || bits.value().size() != 2)
      return bits.wrong("the lowest bit and the number of bits");
    JsonPlace(bits, std::size_t{0}, bits.value()[0]).read(where.bit_low);
    JsonPlace(bits, std::size_t{1}, bits.value()[1]).read(where.bit_width);
  });
  return where;
}

}  // namespace

Result<ShardResult> read_shard(const std::string& file, std::string_view text) { return Reader(file, text).read(); }

Result<ShardWhole> put_together(std::vector<ShardPart> parts) {
  const auto count = parts.front().result.work.at("pieces").get<std::uint64_t>();
  std::size_t there = 0;
  for (const ShardPart& part : parts) {
    if (part.result.pieces.size() != part.result.shard.size(count)) return not_its_own(part);
    there += part.result.pieces.size();
  }
  ShardWhole whole{std::vector<std::string>(there), std::vector<FileResult>(there)};
  for (ShardPart& part : parts)
    for (auto& [piece, named] : part.result.pieces) {
      if (piece >= there) return not_its_own(part);
      whole.names[piece] = named.first;
      whole.results[piece] = std::move(named.second);
    }
  for (const ShardPart& part : parts) {
    const std::vector<std::size_t> own = part_of(part.result.shard, whole.names);
    if (!std::ranges::equal(own, part.result.pieces, {}, {}, [](const auto& each) { return each.first; }))
      return not_its_own(part);
  }
  if (io::Json(hash_of(whole.names)) != parts.front().result.work.at("names"))
    return fail("SH006", "the names of the files are not those that the shards were made of", "run the shards again");
  return whole;
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

std::string text_in(const JsonPlace& place) {
  if (place.value().is_string()) return place.value().get<std::string>();
  std::string text;
  const auto wrong = [&] { place.wrong("a string, or {\"bytes\": hexadecimal digits}"); };
  if (!place.has("bytes") || !place.value().at("bytes").is_string()) {
    wrong();
    return text;
  }
  const auto& digits = place.value().at("bytes").get_ref<const std::string&>();
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    std::uint8_t byte = 0;
    const char* const at = digits.data() + i;
    const char* const end = digits.data() + std::min(i + 2, digits.size());
    if (std::from_chars(at, end, byte, 16).ptr != at + 2) {
      wrong();
      break;
    }
    text += static_cast<char>(byte);
  }
  return text;
}

Diagnostics diagnostics_in(const JsonPlace& place) {
  Diagnostics diagnostics;
  place.elements([&](const JsonPlace& each) {
    Diagnostic& diagnostic = diagnostics.emplace_back();
    std::uint32_t severity = 0;
    required(each, "severity",
             [&](const JsonPlace& value) { value.read(severity, 0, static_cast<unsigned>(Severity::error)); });
    diagnostic.severity = static_cast<Severity>(severity);
    required(each, "code", [&](const JsonPlace& value) { value.read(diagnostic.code); });
    diagnostic.where = location_in(each);
    required(each, "message", [&](const JsonPlace& value) { diagnostic.message = text_in(value); });
    required(each, "hint", [&](const JsonPlace& value) { diagnostic.hint = text_in(value); });
  });
  return diagnostics;
}

Exit status_in(const JsonPlace& place) {
  return static_cast<Exit>(place.unsigned_integer(0, static_cast<unsigned>(Exit::not_exact)).value_or(0));
}

Diagnostics wrong_in_line(Diagnostics problems, const std::string& file, std::size_t line) {
  for (Diagnostic& each : problems) {
    each.code = "SH007";
    each.where.file = file;
    each.where.line = static_cast<std::uint32_t>(line);
    if (each.hint.empty()) each.hint = "remove the file, and run the shard again";
  }
  return problems;
}

}  // namespace mobula::cli
