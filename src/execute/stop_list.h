// What stops a debugger: breakpoints and watches by number, with conditions, times to pass by, and those that go with
// their first stop. Where a stop is, only its debugger knows.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    point.number = last_number_ + 1;
    armed_.push_back({.point = point});
    if (auto done = replace(std::move(point)); !done) {
      armed_.pop_back();
      return fail(std::move(done).error());
    }
    return ++last_number_;
  }
  /// Puts it in the place of the one of its number. DB009: there is none; DB020.
  Result<void> replace(Point point) {
    const auto found = std::ranges::find(armed_, point.number, [](const Armed& each) { return each.point.number; });
    if (found == armed_.end()) return fail("DB009", fmt::format("there is no breakpoint {}", point.number));
    std::optional<Expression> condition;
    if (!point.condition.empty()) {
      auto parsed = Expression::parse(point.condition);
      if (!parsed) return fail(std::move(parsed).error());
      condition = std::move(*parsed);
    }
    found->point = std::move(point);
    found->condition = std::move(condition);
    return {};
  }
  /// False if there is none.
  bool remove(std::uint32_t number) {
    return std::erase_if(armed_, [&](const Armed& each) { return each.point.number == number; }) != 0;
  }
  [[nodiscard]] std::vector<Point> points() const {
    std::vector<Point> all;
    for (const Armed& each : armed_) all.push_back(each.point);
    return all;
  }

  /// By number.
  [[nodiscard]] auto begin() { return armed_.begin(); }
  [[nodiscard]] auto end() { return armed_.end(); }

  /// This one was met. Gives it as it is then; nothing if it is to be passed by.
  std::optional<Point> stop_at(std::uint32_t number) {
    const auto met = std::ranges::find(armed_, number, [](const Armed& each) { return each.point.number; });
    ++met->point.hits;
    if (met->point.ignore != 0) {
      --met->point.ignore;
      return {};
    }
    Point point = met->point;
    if (point.temporary) armed_.erase(met);
    return point;
  }

 private:
  std::vector<Armed> armed_;
  std::uint32_t last_number_ = 0;
};

}  // namespace mobula
