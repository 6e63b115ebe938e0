#include "scoreboard/views/svg.h"

#include <fmt/format.h>

#include <array>

namespace mobula::scoreboard {

std::string palette(std::size_t index) {
  constexpr std::array<std::string_view, palette_size> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                               "#56b4e9", "#e69f00", "#000000", "#999999"};
  return std::string(colours[index % palette_size]);
}

Svg::Svg(double width, double height)
    : body_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\">\n"
                        "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n",
                        width, height)) {}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view colour, double width) {
  body_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>\n", x1, y1,
      x2, y2, colour, width);
}

void Svg::box(double x, double y, double width, double height, std::string_view fill, std::string_view stroke) {
  body_ +=
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" stroke=\"{}\"/>\n", x,
                  y, width, height, fill, stroke);
}

void Svg::dot(double x, double y, std::string_view colour) {
  body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, colour);
}

void Svg::curve(const std::vector<std::pair<double, double>>& points, std::string_view colour, bool dashed) {
  if (points.size() < 2) return;
  std::string list;
  for (const auto& [x, y] : points) list += fmt::format("{}{:.1f},{:.1f}", list.empty() ? "" : " ", x, y);
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", list, colour,
                       dashed ? " stroke-dasharray=\"5 3\"" : "");
}

void Svg::text(double x, double y, std::string_view text, std::string_view anchor, double size) {
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
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.0f}\" text-anchor=\"{}\">{}</text>\n", x, y,
                       size, anchor, escaped);
}

std::string Svg::end() const { return body_ + "</svg>\n"; }

}  // namespace mobula::scoreboard
