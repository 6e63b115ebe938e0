// What stops a debugger: breakpoints and watches by number, with conditions, times to pass by, and those that go with
// their first stop. Where a stop is, only its debugger knows.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "mobula/lab/expression.h"

namespace mobula {

/// `Point` has number, condition, enabled, temporary, ignore and hits; `Seen` is what a watch saw last.
template <class Point, class Seen>
class StopList {
 public:
  struct Armed {
    Point point;
    std::optional<Expression> condition;
    Seen before{};
  };

  /// Its number. DB020: the condition is no expression.
  Result<std::uint32_t> add(Point point) {
    auto condition = condition_of(point);
    if (!condition) return fail(std::move(condition).error());
    point.number = ++last_number_;
    armed_.emplace(last_number_, Armed{std::move(point), std::move(*condition)});
    return last_number_;
  }
  /// Puts it in the place of the one of its number. DB009: there is none; DB020.
  Result<void> replace(Point point) {
    const auto found = armed_.find(point.number);
    if (found == armed_.end()) return fail("DB009", fmt::format("there is no breakpoint {}", point.number));
    auto condition = condition_of(point);
    if (!condition) return fail(std::move(condition).error());
    found->second.point = std::move(point);
    found->second.condition = std::move(*condition);
    return {};
  }
  /// False if there is none.
  bool remove(std::uint32_t number) { return armed_.erase(number) != 0; }
  [[nodiscard]] std::vector<Point> points() const {
    std::vector<Point> all;
    for (const auto& [number, each] : armed_) all.push_back(each.point);
    return all;
  }

  [[nodiscard]] bool empty() const { return armed_.empty(); }
  /// Numbers and what is armed.
  [[nodiscard]] auto begin() { return armed_.begin(); }
  [[nodiscard]] auto end() { return armed_.end(); }

  /// This one was met. Gives it as it is then; nothing if it is to be passed by.
  std::optional<Point> stop_at(std::uint32_t number) {
    const auto met = armed_.find(number);
    Point& stop = met->second.point;
    ++stop.hits;
    if (stop.ignore != 0) {
      --stop.ignore;
      return {};
    }
    Point point = stop;
    if (point.temporary) armed_.erase(met);
    return point;
  }

 private:
  static Result<std::optional<Expression>> condition_of(const Point& point) {
    if (point.condition.empty()) return std::optional<Expression>();
    auto parsed = Expression::parse(point.condition);
    if (!parsed) return fail(std::move(parsed).error());
    return std::optional(std::move(*parsed));
  }

  std::map<std::uint32_t, Armed> armed_;  ///< by number
  std::uint32_t last_number_ = 0;
};

}  // namespace mobula
