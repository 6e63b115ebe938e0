#include "core/svg.h"

#include <array>
#include <charconv>
#include <initializer_list>

namespace mobula {
namespace {

/// With so many decimals.
std::string decimal(double value, int decimals = 1) {
  std::array<char, 64> room;
  const auto end = std::to_chars(room.data(), room.data() + room.size(), value, std::chars_format::fixed, decimals);
  return {room.data(), end.ptr};
}

/// `name="value"` for each pair, with a space before it.
using Attribute = std::pair<std::string_view, std::string>;
std::string attributes(std::initializer_list<Attribute> all) {
  std::string text;
  for (const auto& [name, value] : all) ((text += ' ').append(name) += "=\"") += value + '"';
  return text;
}

}  // namespace

std::string palette(std::size_t index) {
  constexpr std::array<std::string_view, palette_size> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                               "#56b4e9", "#e69f00", "#000000", "#999999"};
  return std::string(colours[index % palette_size]);
}

Svg::Svg(double width, double height, std::string_view font) {
  const std::string w = decimal(width, 0), h = decimal(height, 0);
  body_ = "<svg" +
          attributes({{"xmlns", "http://www.w3.org/2000/svg"},
                      {"width", w},
                      {"height", h},
                      {"viewBox", "0 0 " + w + ' ' + h},
                      {"font-family", std::string(font)}}) +
          ">\n<rect" + attributes({{"width", w}, {"height", h}, {"fill", "#ffffff"}}) + "/>\n";
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view colour, double width) {
  body_ += "<line" +
           attributes({{"x1", decimal(x1)},
                       {"y1", decimal(y1)},
                       {"x2", decimal(x2)},
                       {"y2", decimal(y2)},
                       {"stroke", std::string(colour)},
                       {"stroke-width", decimal(width)}}) +
           "/>\n";
}

void Svg::box(double x, double y, double width, double height, std::string_view fill, std::string_view stroke) {
  body_ += "<rect" +
           attributes({{"x", decimal(x)},
                       {"y", decimal(y)},
                       {"width", decimal(width)},
                       {"height", decimal(height)},
                       {"fill", std::string(fill)},
                       {"stroke", std::string(stroke)}}) +
           "/>\n";
}

void Svg::dot(double x, double y, std::string_view colour) {
  body_ += "<circle" + attributes({{"cx", decimal(x)}, {"cy", decimal(y)}, {"r", "3"}, {"fill", std::string(colour)}}) +
           "/>\n";
}

void Svg::curve(const std::vector<Point>& points, std::string_view colour, bool dashed) {
  if (points.size() < 2) return;
  std::string list;
  for (const auto& [x, y] : points) list += (list.empty() ? "" : " ") + decimal(x) + ',' + decimal(y);
  body_ += "<polyline" +
           attributes({{"points", list}, {"fill", "none"}, {"stroke", std::string(colour)}, {"stroke-width", "2"}}) +
           (dashed ? " stroke-dasharray=\"5 3\"" : "") + "/>\n";
}

namespace {
constexpr double head_length = 7, half_head = 3.5;
std::string point(double x, double y) { return decimal(x) + ' ' + decimal(y); }
std::string point(Svg::Point at) { return point(at.first, at.second); }
}  // namespace

void Svg::path(const std::string& shape, std::string_view colour) {
  body_ += "<path" +
           attributes({{"d", shape}, {"fill", "none"}, {"stroke", std::string(colour)}, {"stroke-width", "1.5"}}) +
           "/>\n";
}
void Svg::head(Point tip, Point end, Point side, std::string_view colour) {
  body_ += "<path" +
           attributes({{"d", 'M' + point(tip) + " L" + point(end.first - side.first, end.second - side.second) + " L" +
                                 point(end.first + side.first, end.second + side.second) + " Z"},
                       {"fill", std::string(colour)}}) +
           "/>\n";
}

void Svg::arrow_across(Point from, Point to, std::string_view colour) {
  const Point end{to.first - head_length, to.second};
  const double middle = (from.first + end.first) / 2;
  path('M' + point(from) + " C" + point(middle, from.second) + ' ' + point(middle, end.second) + ' ' + point(end),
       colour);
  head(to, end, {0, half_head}, colour);
}

void Svg::arrow_down(const std::vector<Point>& way, std::string_view colour) {
  std::vector<Point> points = way;
  points.back().second -= head_length;
  std::string shape = 'M' + point(points.front());
  for (std::size_t i = 1; i < points.size(); i += 2) {
    const auto [x1, y1] = points[i - 1];
    const auto [x2, y2] = points[i];
    const double middle = (y1 + y2) / 2;
    shape += " C" + point(x1, middle) + ' ' + point(x2, middle) + ' ' + point(x2, y2);
    if (i + 1 < points.size()) shape += " L" + point(points[i + 1]);
  }
  path(shape, colour);
  head(way.back(), points.back(), {half_head, 0}, colour);
}

void Svg::arrow_below(double x1, double x2, double y, double depth, std::string_view colour) {
  const double end = y + head_length;
  path('M' + point(x1, y) + " C" + point(x1, y + depth) + ' ' + point(x2, y + depth) + ' ' + point(x2, end), colour);
  head({x2, y}, {x2, end}, {half_head, 0}, colour);
}

void Svg::text(double x, double y, std::string_view text, std::string_view anchor, double size,
               std::string_view colour) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '&')
      escaped += "&amp;";
    else if (letter == '<')
      escaped += "&lt;";
    else if (letter == '>')
      escaped += "&gt;";
    else
      escaped += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
  }
  body_ += "<text" +
           attributes({{"x", decimal(x)},
                       {"y", decimal(y)},
                       {"font-size", decimal(size, 0)},
                       {"text-anchor", std::string(anchor)}}) +
           (colour == "#000000" ? "" : attributes({{"fill", std::string(colour)}})) + '>' + escaped + "</text>\n";
}

std::string Svg::end() const { return body_ + "</svg>\n"; }

}  // namespace mobula
