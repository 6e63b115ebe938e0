#include "io/json.h"
#include "core/encoding.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

namespace mobula::io {
namespace {

struct TooDeep {};
struct Twice {
  std::string key;
};

/// Keeps the place that the parser has come to.
class CountedText {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedText(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  CountedText& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  friend bool operator==(const CountedText& a, const CountedText& b) { return a.at_ == b.at_; }
  friend bool operator!=(const CountedText& a, const CountedText& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  const char** reached_;
};

/// Refuses what a parser would let pass: an object's later member in place of an earlier one of that name.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& value) {
    if (depth > json_depth_limit) throw TooDeep{};
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key && !open_.back().insert(value.get<std::string>()).second)
      throw Twice{value.get<std::string>()};
    return true;
  }

 private:
  std::vector<std::set<std::string>> open_;  ///< names of the objects around the place
};

/// What a parser's message says is wrong: "... parse error at line 1, column 2: syntax error while parsing value -
/// unexpected '}'; expected ..., last read: ..." names its own error numbers and a place that we show better.
std::string reason(std::string_view what) {
  if (const std::size_t dash = what.find(" - "); dash != std::string_view::npos)
    what.remove_prefix(dash + 3);
  else if (const std::size_t colon = what.find("] "); colon != std::string_view::npos)
    what.remove_prefix(colon + 2);
  const std::size_t read = what.find("; last read: '"), end = what.rfind("'; ");
  if (read == std::string_view::npos) return std::string(what);
  const bool expects = end != std::string_view::npos && end > read;
  return std::string(what.substr(0, read)) + (expects ? std::string(what.substr(end + 1)) : "");
}

/// Of one that is written with a point or an exponent: 1e9. Beyond 2^53 a double may be another number than was
/// written.
std::optional<std::int64_t> whole_number_of_float(const Json& value) {
  constexpr double most = 9007199254740992;
  const double number = value.is_number_float() ? value.get<double>() : 0.5;
  if (std::trunc(number) != number || std::abs(number) > most) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> signed_number(const Json& value) {
  if (!value.is_number_unsigned() && value.is_number_integer()) return value.get<std::int64_t>();
  const auto found = whole_number(value);
  if (!found) return whole_number_of_float(value);
  const bool fits = *found <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  return fits ? std::optional(static_cast<std::int64_t>(*found)) : std::nullopt;
}

std::string shorten(std::string text) {
  constexpr std::size_t shown = 60;
  if (text.size() > shown) text = text.substr(0, shown - 3) + "...";
  return text;
}

std::string describe(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      return value.empty() ? "an empty object" : "an object";
    case Json::value_t::array:
      return value.empty() ? "an empty array" : "an array of " + std::to_string(value.size());
    default:
      return shorten(dump_json(value));
  }
}

Diagnostic syntax_error(const SourceText& source, std::size_t byte, std::string_view what) {
  // nlohmann counts bytes read, so the offending one is at byte - 1.
  const std::size_t offset = std::min(byte > 0 ? byte - 1 : 0, source.text.size());
  const std::string_view before = source.text.substr(0, offset);
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view line =
      source.text.substr(line_begin, std::min(source.text.find('\n', offset), source.text.size()) - line_begin);
  Location where{.file = std::string(source.file),
                 .line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1),
                 .column = static_cast<std::uint32_t>(offset - line_begin + 1)};
  if (line.size() <= 400) where.source_line = line;
  return {Severity::error, "IN001", std::move(where), "not JSON: " + std::string(what), ""};
}

}  // namespace

std::optional<std::uint64_t> whole_number(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  const auto found = whole_number_of_float(value);
  return found && *found >= 0 ? std::optional(static_cast<std::uint64_t>(*found)) : std::nullopt;
}

Result<Json> parse_json(const SourceText& file) {
  if (auto problem = refuse_noise(file.file, file.text)) return fail(std::move(*problem));
  const SourceText source{file.file, without_mark(file.text)};
  const auto problem = [&](std::string message) {
    return fail(Diagnostic{Severity::error, "IN002", {.file = std::string(source.file)}, std::move(message), ""});
  };
  if (source.text.size() > json_bytes_limit) {
    return problem("the file is " + std::to_string(source.text.size()) + " bytes long; at most " +
                   std::to_string(json_bytes_limit) + " are read");
  }
  // The library takes it for the end.
  if (const std::size_t zero = source.text.find('\0'); zero != std::string_view::npos)
    return fail(syntax_error(source, zero + 1, "a zero byte"));
  const char* const begin = source.text.data();
  const char* reached = begin;
  const auto here = [&] { return static_cast<std::size_t>(reached - begin); };
  try {
    return Json::parse(CountedText(begin, &reached), CountedText(begin + source.text.size(), &reached),
                       [watch = Watch()](int depth, Json::parse_event_t event, Json& value) mutable {
                         return watch(depth, event, value);
                       });
  } catch (const TooDeep&) {
    return problem("the values are nested more than " + std::to_string(json_depth_limit) + " deep");
  } catch (const Twice& twice) {
    return fail(syntax_error(source, here(), '"' + shorten(twice.key) + "\" appears twice in one object"));
  } catch (const Json::parse_error& error) {
    return fail(syntax_error(source, error.byte, reason(error.what())));
  } catch (const Json::exception&) {  // only a number can be out of range
    const std::string_view before = source.text.substr(0, here());
    const std::size_t end = before.find_last_of("0123456789");
    const std::size_t begins = before.find_last_not_of("+-.0123456789Ee", end) + 1;
    return fail(syntax_error(
        source, begins + 1,
        "the number " + shorten(std::string(before.substr(begins, end + 1 - begins))) + " is too large for 64 bits"));
  }
}

std::string dump_json(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

void JsonProblems::add(Severity severity, std::string code, std::string message, std::string hint) {
  if (full()) return;
  diagnostics.push_back({severity, std::move(code), {.file = file}, std::move(message), std::move(hint)});
}

std::string JsonPlace::path() const {
  if (parent_ == nullptr) return "the document";
  std::string text = parent_->parent_ == nullptr ? "" : parent_->path();
  if (key_.data() == nullptr) return text + '[' + std::to_string(index_) + ']';
  return text + (text.empty() ? "" : ".") + shorten(std::string(key_));
}

void JsonPlace::wrong(std::string_view allowed) const {
  error("IN003", "found " + describe(*value_) + "; allowed: " + std::string(allowed));
}
void JsonPlace::error(std::string code, std::string_view message, std::string hint) const {
  problems_->add(Severity::error, std::move(code), path() + ": " + std::string(message), std::move(hint));
}
void JsonPlace::warning(std::string code, std::string_view message, std::string hint) const {
  problems_->add(Severity::warning, std::move(code), path() + ": " + std::string(message), std::move(hint));
}

std::optional<std::uint64_t> JsonPlace::unsigned_integer(std::uint64_t low, std::uint64_t high) const {
  const auto found = whole_number(*value_);
  if (found && *found >= low && *found <= high) return found;
  wrong("a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return std::nullopt;
}
std::optional<std::int64_t> JsonPlace::integer(std::int64_t low, std::int64_t high) const {
  const auto found = signed_number(*value_);
  if (found && *found >= low && *found <= high) return found;
  wrong("a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return std::nullopt;
}
std::optional<double> JsonPlace::number() const {
  if (value_->is_number()) return value_->get<double>();
  wrong("a number");
  return std::nullopt;
}
std::optional<bool> JsonPlace::boolean() const {
  if (value_->is_boolean()) return value_->get<bool>();
  wrong("true or false");
  return std::nullopt;
}
std::optional<std::string> JsonPlace::string() const {
  if (value_->is_string()) return value_->get<std::string>();
  wrong("a string");
  return std::nullopt;
}

void JsonPlace::read(std::uint32_t& out, std::uint64_t low, std::uint64_t high) const {
  if (const auto found = unsigned_integer(low, high)) out = static_cast<std::uint32_t>(*found);
}
void JsonPlace::read(std::optional<std::uint32_t>& out) const {
  if (const auto found = unsigned_integer()) out = static_cast<std::uint32_t>(*found);
}
void JsonPlace::read(float& out) const {
  const auto found = number();
  if (!found) return;
  const auto value = static_cast<float>(*found);
  if (std::isinf(value)) return wrong("a number that 32 bits hold; \"inf\" is infinity");
  out = value;
}
void JsonPlace::read(bool& out) const {
  if (const auto found = boolean()) out = *found;
}
void JsonPlace::read(std::string& out) const {
  if (auto found = string()) out = std::move(*found);
}

void JsonPlace::only(std::initializer_list<std::string_view> keys) const {
  members([&](std::string_view key, const JsonPlace& place) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return;
    std::string allowed;
    for (const std::string_view each : keys) allowed.append(allowed.empty() ? "" : ", ").append(each);
    place.error("IN004", "unknown member; allowed: " + allowed);
  });
}

}  // namespace mobula::io
