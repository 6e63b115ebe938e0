#include "machines/utgard_gp/compile/pack.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <tuple>

namespace mobula::utgard_gp_compiler {
namespace {

class Grid {
 public:
  explicit Grid(std::uint32_t rows) : rows_(rows) {}

  /// As the appendix says where for each size.
  std::optional<Corner> place(const Shape& shape) {
    std::optional<Corner> found = shape.components == 1 ? in_fullest_column(shape) : lowest(shape, 0);
    if (!found && shape.components == 2) found = highest(shape, 2);
    if (found) take(*found, shape);
    return found;
  }

 private:
  [[nodiscard]] bool is_free(const Corner& at, const Shape& shape) const {
    for (std::uint32_t row = at.row; row < at.row + shape.rows; ++row)
      for (std::uint32_t i = at.component; i < at.component + shape.components; ++i)
        if (rows_[row][i]) return false;
    return true;
  }
  void take(const Corner& at, const Shape& shape) {
    for (std::uint32_t row = at.row; row < at.row + shape.rows; ++row)
      for (std::uint32_t i = at.component; i < at.component + shape.components; ++i) rows_[row][i] = true;
  }

  [[nodiscard]] std::optional<Corner> lowest(const Shape& shape, std::uint32_t component) const {
    for (std::uint32_t row = 0; row + shape.rows <= rows_.size(); ++row)
      if (is_free({row, component}, shape)) return Corner{row, component};
    return {};
  }
  [[nodiscard]] std::optional<Corner> highest(const Shape& shape, std::uint32_t component) const {
    for (std::size_t end = rows_.size(); end >= shape.rows; --end)
      if (const Corner at{static_cast<std::uint32_t>(end) - shape.rows, component}; is_free(at, shape)) return at;
    return {};
  }
  /// Of those that it fits in.
  [[nodiscard]] std::optional<Corner> in_fullest_column(const Shape& shape) const {
    std::optional<Corner> found;
    std::ptrdiff_t most = -1;
    for (std::uint32_t component = 0; component < 4; ++component) {
      const auto taken = std::ranges::count_if(rows_, [&](const auto& row) { return row[component]; });
      const auto at = taken > most ? lowest(shape, component) : std::nullopt;
      if (!at) continue;
      found = at;
      most = taken;
    }
    return found;
  }

  std::vector<std::array<bool, 4>> rows_;  ///< what is taken
};

}  // namespace

std::optional<std::vector<Corner>> pack(std::span<const Shape> shapes, std::uint32_t rows) {
  std::vector<std::size_t> order(shapes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t each) { return std::tuple(shapes[each].components, shapes[each].rows); });
  Grid grid(rows);
  std::vector<Corner> corners(shapes.size());
  for (const std::size_t each : order) {
    const auto corner = grid.place(shapes[each]);
    if (!corner) return {};
    corners[each] = *corner;
  }
  return corners;
}

}  // namespace mobula::utgard_gp_compiler
