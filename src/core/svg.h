// Drawings as SVG text that is the same everywhere: one decimal, no clock, no fonts but the viewer's.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/export.h"

namespace mobula {

inline constexpr std::size_t palette_size = 8;
/// Colours that stay apart for the colour-blind (Okabe and Ito).
MOBULA_INTERNAL std::string palette(std::size_t index);

class MOBULA_INTERNAL Svg {
 public:
  using Point = std::pair<double, double>;

  Svg(double width, double height, std::string_view font = "sans-serif");
  void line(double x1, double y1, double x2, double y2, std::string_view colour, double width);
  void box(double x, double y, double width, double height, std::string_view fill, std::string_view stroke);
  void dot(double x, double y, std::string_view colour);
  void curve(const std::vector<Point>& points, std::string_view colour, bool dashed);
  /// From side to side, with a head at the end.
  void arrow_across(Point from, Point to, std::string_view colour);
  /// From one thing's lower edge to another's upper edge. What is between the first and the last point are places to
  /// pass, from above and to below each: straight between these two, bent from one place to the next.
  void arrow_down(const std::vector<Point>& way, std::string_view colour);
  /// From one thing's lower edge at y to another's, bent downwards by less than `depth`.
  void arrow_below(double x1, double x2, double y, double depth, std::string_view colour);
  /// `anchor` is start, middle or end.
  void text(double x, double y, std::string_view text, std::string_view anchor, double size = 11,
            std::string_view colour = "#000000");
  [[nodiscard]] std::string end() const;

 private:
  void path(const std::string& shape, std::string_view colour);
  void head(Point tip, Point end, Point side, std::string_view colour);

  std::string body_;
};

}  // namespace mobula
