#include "io/obj.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/counted.h"
#include "core/encoding.h"
#include "core/real.h"
#include "core/source.h"
#include "io/json.h"

namespace mobula::io {
namespace {

constexpr std::size_t most_errors = 20;
constexpr std::uint32_t absent = 0;  // of a corner's indices, which count from 1

/// One list of the file: v, vt or vn.
struct List {
  std::uint32_t components = 0;  ///< of the longest entry
  std::vector<RunVec4> values;
};

struct Corner {
  std::array<std::uint32_t, 3> index{};  ///< v, vt, vn; from 1
  friend bool operator==(const Corner&, const Corner&) = default;
};
struct CornerHash {
  std::size_t operator()(const Corner& corner) const {
    std::uint64_t mixed = 0;
    for (const std::uint32_t index : corner.index) mixed = (mixed ^ index) * 0x9E3779B97F4A7C15;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
  }
};

class Reader {
 public:
  explicit Reader(const SourceText& source) : source_(source.file, without_mark(source.text)) {}

  Result<Mesh> run() {
    for (std::size_t line = 0; line < source_.line_count() && errors_.size() < most_errors; ++line) read_line(line);
    if (errors_.empty() && lists_[0].values.empty()) error(0, 0, "OB006", "the mesh has no vertices", "");
    if (!errors_.empty()) return fail(std::move(errors_));
    if (mesh_.triangles.empty()) take_all();
    for (std::size_t which = 0; which < mesh_data_count; ++which)
      mesh_.data[which].components = list_of(static_cast<MeshData>(which)).components;
    return std::move(mesh_);
  }

 private:
  /// The words of the line after its keyword are read one by one.
  struct Words {
    std::string_view rest;
    std::uint32_t offset = 0;  ///< of `rest` in the source
    std::string_view next() {
      const auto skip = [this](std::size_t count) {
        rest.remove_prefix(count);
        offset += static_cast<std::uint32_t>(count);
      };
      skip(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r#"));
      if (word.empty()) return {};  // the end, or a comment
      skip(word.size());
      return word;
    }
    [[nodiscard]] std::uint32_t begin_of(std::string_view word) const {
      return offset - static_cast<std::uint32_t>(word.size());
    }
  };

  void error(std::uint32_t offset, std::size_t length, std::string code, std::string message, std::string hint) {
    errors_.push_back({Severity::error, std::move(code),
                       source_.locate({offset, static_cast<std::uint32_t>(std::max<std::size_t>(length, 1))}),
                       std::move(message), std::move(hint)});
  }

  void read_line(std::size_t line) {
    Words words{source_.line(line), source_.line_offset(line)};
    const std::string_view keyword = words.next();
    if (keyword == "v") {
      read_vertex(words, keyword);
    } else if (keyword == "vt") {
      read_values(words, keyword, 1, 3, lists_[1]);
    } else if (keyword == "vn") {
      read_values(words, keyword, 3, 3, lists_[2]);
    } else if (keyword == "f") {
      read_face(words, keyword);
    }
  }

  std::optional<std::uint32_t> number(const Words& words, std::string_view word) {
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    float value = 0;
    const auto [end, status] = read_real(digits, value);
    if (end == digits.data() + digits.size() && (status == std::errc() || status == std::errc::result_out_of_range))
      return std::bit_cast<std::uint32_t>(value);
    error(words.begin_of(word), word.size(), "OB001", "\"" + std::string(word.substr(0, 40)) + "\" is not a number",
          "");
    return std::nullopt;
  }

  /// All numbers of the line, no more than `most`.
  std::optional<std::vector<std::uint32_t>> numbers(Words& words, std::string_view keyword, std::size_t least,
                                                    std::size_t most) {
    std::vector<std::uint32_t> values;
    const std::uint32_t begin = words.begin_of(keyword);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      const auto value = number(words, word);
      if (!value) return std::nullopt;
      values.push_back(*value);
      if (values.size() > most) break;
    }
    if (values.size() >= least && values.size() <= most) return values;
    error(begin, words.offset - begin, "OB002",
          std::string(keyword) + " has " + (values.size() > most ? "more" : "fewer") + " numbers than it can have",
          "it has " + std::to_string(least) + (least == most ? "" : " to " + std::to_string(most)));
    return std::nullopt;
  }

  static void append(List& list, std::span<const std::uint32_t> values) {
    RunVec4 vector{0, 0, 0, 0x3F800000};
    std::copy(values.begin(), values.end(), vector.begin());
    list.values.push_back(vector);
    list.components = std::max(list.components, static_cast<std::uint32_t>(values.size()));
  }

  void read_values(Words words, std::string_view keyword, std::size_t least, std::size_t most, List& list) {
    // A wrong line still takes its number, so that the faces after it are not all wrong, too.
    append(list, numbers(words, keyword, least, most).value_or(std::vector<std::uint32_t>{}));
  }

  /// x y z, perhaps w; or, as many programs write it, x y z and red green blue.
  void read_vertex(Words words, std::string_view keyword) {
    const std::uint32_t begin = words.begin_of(keyword);
    const std::vector<std::uint32_t> values = numbers(words, keyword, 3, 6).value_or(std::vector<std::uint32_t>{});
    const std::span<const std::uint32_t> all(values);
    const bool coloured = values.size() == 6;
    append(lists_[0], coloured ? all.first(3) : all.first(std::min<std::size_t>(values.size(), 4)));
    if (coloured) {
      colours_.values.resize(lists_[0].values.size() - 1, white);
      append(colours_, all.last(3));
    }
    if (values.size() == 5) error(begin, words.offset - begin, "OB002", "v has 5 numbers", "it has 3, 4 or 6");
  }

  void read_face(Words words, std::string_view keyword) {
    const std::uint32_t begin = words.begin_of(keyword);
    std::array<std::uint32_t, 2> fan{};  // the first corner and the last one before
    std::size_t count = 0;
    for (std::string_view word = words.next(); !word.empty(); word = words.next(), ++count) {
      const auto corner = read_corner(words, word);
      if (!corner) return;
      const std::uint32_t vertex = vertex_of(*corner);
      if (count == 0) fan[0] = vertex;
      if (count >= 2) mesh_.triangles.push_back({fan[0], fan[1], vertex});
      fan[1] = vertex;
    }
    if (count < 3)
      error(begin, words.offset - begin, "OB002", "a face has " + counted(count, "corner"), "it has 3 or more");
  }

  /// "7", "7/3", "7//2" or "7/3/2"; negative ones count back from the last.
  std::optional<Corner> read_corner(const Words& words, std::string_view word) {
    Corner corner;
    std::string_view rest = word;
    for (std::size_t which = 0; which < corner.index.size(); ++which) {
      const std::string_view text = rest.substr(0, rest.find('/'));
      rest.remove_prefix(text.size());
      std::int64_t index = 0;
      const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), index);
      const bool skipped = text.empty() && which == 1 && !rest.empty();
      if (!skipped && (status != std::errc() || end != text.data() + text.size())) break;
      const std::size_t size = lists_[which].values.size();
      if (index < 0) index += static_cast<std::int64_t>(size) + 1;
      if (!skipped && (index < 1 || index > static_cast<std::int64_t>(size))) {
        error(words.begin_of(word), word.size(), "OB003",
              "corner " + std::string(word.substr(0, 40)) + ": there is no " + std::string(list_names[which]) + ' ' +
                  std::string(text.substr(0, 20)),
              "there are " + std::to_string(size) + " so far, numbered from 1");
        return std::nullopt;
      }
      corner.index[which] = skipped ? absent : static_cast<std::uint32_t>(index);
      if (rest.empty()) return corner;
      rest.remove_prefix(1);
    }
    error(words.begin_of(word), word.size(), "OB004",
          "\"" + std::string(word.substr(0, 40)) + "\" is not a corner of a face", "allowed: 7, 7/3, 7//2, 7/3/2");
    return std::nullopt;
  }

  std::uint32_t vertex_of(const Corner& corner) {
    const auto [found, fresh] = vertices_.try_emplace(corner, static_cast<std::uint32_t>(mesh_.vertices()));
    if (fresh) add_vertex(corner);
    return found->second;
  }
  void add_vertex(const Corner& corner) {
    constexpr std::array<std::size_t, mesh_data_count> index_of{0, 2, 1, 0};  // by MeshData
    for (std::size_t which = 0; which < mesh_data_count; ++which) {
      const List& list = list_of(static_cast<MeshData>(which));
      const std::uint32_t index = corner.index[index_of[which]];
      const bool there = index != absent && index <= list.values.size();
      const RunVec4 otherwise = static_cast<MeshData>(which) == MeshData::colour ? white : RunVec4{0, 0, 0, 0x3F800000};
      mesh_.data[which].values.push_back(there ? list.values[index - 1] : otherwise);
    }
  }
  void take_all() {
    for (auto& data : mesh_.data) data.values.clear();
    for (std::uint32_t i = 1; i <= lists_[0].values.size(); ++i) add_vertex({{i, i, i}});
  }

  [[nodiscard]] const List& list_of(MeshData which) const {
    switch (which) {
      case MeshData::position:
        return lists_[0];
      case MeshData::texcoord:
        return lists_[1];
      case MeshData::normal:
        return lists_[2];
      case MeshData::colour:
        break;
    }
    return colours_;
  }

  static constexpr std::array<std::string_view, 3> list_names{"vertex", "texture coordinate", "normal"};
  static constexpr RunVec4 white{0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000};

  Source source_;
  std::array<List, 3> lists_;  // v, vt, vn
  List colours_;               // of the first vertices; the others are white
  std::unordered_map<Corner, std::uint32_t, CornerHash> vertices_;
  Mesh mesh_;
  Diagnostics errors_;
};

}  // namespace

std::string_view name(MeshData data) {
  constexpr std::array<std::string_view, mesh_data_count> names{"position", "normal", "texcoord", "colour"};
  return names[static_cast<std::size_t>(data)];
}

Result<Mesh> read_obj(const SourceText& source) {
  if (auto problem = refuse_noise(source.file, source.text)) return fail(std::move(*problem));
  if (source.text.size() > json_bytes_limit)
    return fail(Diagnostic{Severity::error,
                           "OB005",
                           {.file = std::string(source.file)},
                           "the mesh has " + std::to_string(source.text.size()) + " bytes; at most " +
                               std::to_string(json_bytes_limit) + " are read",
                           ""});
  return Reader(source).run();
}

}  // namespace mobula::io
