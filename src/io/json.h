// Reading JSON with errors that name the place, what was found there and what is allowed. No exception leaves these
// functions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/export.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/result.h"

namespace mobula::io {

using Json = nlohmann::json;

inline constexpr std::size_t json_bytes_limit = std::size_t{64} << 20;
inline constexpr int json_depth_limit = 64;

/// IN001 syntax (line and column), IN002 too large or nested too deeply.
MOBULA_INTERNAL Result<Json> parse_json(const SourceText& source);

/// None if it is no whole number, or a negative one. 1e9 and 4.0 are, up to 2^53.
MOBULA_INTERNAL std::optional<std::uint64_t> whole_number(const Json& value);

/// Text of a document that may hold any bytes: invalid UTF-8 is replaced, never thrown about.
MOBULA_INTERNAL std::string dump_json(const Json& document);

/// Collects what is wrong with one document, up to a limit.
struct MOBULA_INTERNAL JsonProblems {
  std::string file;
  Diagnostics diagnostics;

  void add(Severity severity, std::string code, std::string message, std::string hint = {});
  [[nodiscard]] bool full() const { return diagnostics.size() >= 20; }
};

/// A value together with the way to it from the root. Lives on the stack while its parent does.
class MOBULA_INTERNAL JsonPlace {
 public:
  JsonPlace(const Json& root, JsonProblems& problems) : value_(&root), problems_(&problems) {}
  JsonPlace(const JsonPlace& parent, std::string_view key, const Json& value)
      : value_(&value), problems_(parent.problems_), parent_(&parent), key_(key) {}
  JsonPlace(const JsonPlace& parent, std::size_t index, const Json& value)
      : value_(&value), problems_(parent.problems_), parent_(&parent), index_(index) {}

  [[nodiscard]] const Json& value() const { return *value_; }
  [[nodiscard]] JsonProblems& problems() const { return *problems_; }
  /// "cases[3].storage[0].ubos"; "the document" for the root.
  [[nodiscard]] std::string path() const;

  /// IN003: "<path>: found <value>; allowed: <allowed>".
  void wrong(std::string_view allowed) const;
  /// Any other error about this value; the path is put in front.
  void error(std::string code, std::string_view message, std::string hint = {}) const;
  void warning(std::string code, std::string_view message, std::string hint = {}) const;

  // Typed access. nullopt = not of that kind, and reported.
  [[nodiscard]] std::optional<std::uint64_t> unsigned_integer(
      std::uint64_t low = 0, std::uint64_t high = std::numeric_limits<std::uint32_t>::max()) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] std::optional<double> number() const;
  [[nodiscard]] std::optional<bool> boolean() const;
  [[nodiscard]] std::optional<std::string> string() const;

  /// The same into a variable that keeps its value when the JSON is wrong.
  void read(std::uint32_t& out, std::uint64_t low = 0,
            std::uint64_t high = std::numeric_limits<std::uint32_t>::max()) const;
  void read(std::optional<std::uint32_t>& out) const;
  void read(float& out) const;
  void read(bool& out) const;
  void read(std::string& out) const;

  /// One of a closed list of words.
  template <class Value>
  void read_choice(Value& out, std::initializer_list<std::pair<std::string_view, Value>> choices) const {
    std::string allowed;
    for (const auto& [word, value] : choices) {
      if (value_->is_string() && value_->get_ref<const std::string&>() == word) {
        out = value;
        return;
      }
      allowed += (allowed.empty() ? "\"" : ", \"") + std::string(word) + '"';
    }
    wrong(allowed);
  }

  /// Calls `visit(place)` for each element; reports anything but an array.
  template <class Visit>
  void elements(Visit visit) const {
    if (!value_->is_array()) return wrong("an array");
    for (std::size_t i = 0; i < value_->size() && !problems_->full(); ++i) visit(JsonPlace(*this, i, (*value_)[i]));
  }
  /// Calls `visit(key, place)` for each member; reports anything but an object.
  template <class Visit>
  void members(Visit visit) const {
    if (!value_->is_object()) return wrong("an object");
    for (auto at = value_->begin(); at != value_->end() && !problems_->full(); ++at) {
      visit(std::string_view(at.key()), JsonPlace(*this, at.key(), at.value()));
    }
  }
  /// Calls `visit(place)` if there is such a member.
  template <class Visit>
  void member(std::string_view key, Visit visit) const {
    if (!value_->is_object()) return;
    const auto found = value_->find(key);
    if (found != value_->end()) visit(JsonPlace(*this, found.key(), *found));
  }
  [[nodiscard]] bool has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
  /// IN004 for each member whose key is not listed.
  void only(std::initializer_list<std::string_view> keys) const;

 private:
  const Json* value_;
  JsonProblems* problems_;
  const JsonPlace* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

}  // namespace mobula::io
