// Tables of results as curves with confidence intervals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/real.h"
#include "core/svg.h"
#include "mobula/scoreboard/sweep.h"

namespace mobula::scoreboard {
namespace {

/// Student's t for 95 % both sides (Hill's expansion around the normal distribution; exact for 1 and 2).
double student(std::uint64_t degrees) {
  if (degrees == 1) return 12.706;
  if (degrees == 2) return 4.303;
  const auto n = double(degrees);
  return 1.95996 + 2.37227 / n + 2.82250 / (n * n) + 2.55585 / (n * n * n);
}

Mean estimate_of(const std::vector<double>& values) {
  Mean result{.count = values.size()};
  for (const double value : values) result.mean += value;
  result.mean /= double(values.size());
  const bool all_equal = std::ranges::all_of(values, [&](double value) { return value == values.front(); });
  if (values.size() < 2 || all_equal) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  const double deviation = std::sqrt(squares / double(values.size() - 1));
  result.interval = student(values.size() - 1) * deviation / std::sqrt(double(values.size()));
  return result;
}

class FigureReader {
 public:
  FigureReader(const Table& table, const PlotOptions& options) : table_(table), options_(options) {}

  Result<Figure> read() {
    const std::size_t x = column(options_.x), error = column("error", true);
    std::vector<std::size_t> ys, by;
    for (const std::string& name : options_.y) ys.push_back(column(name));
    for (const std::string& name : options_.by) by.push_back(column(name));
    const std::size_t per = options_.per.empty() ? none : column(options_.per);
    std::vector<std::pair<std::size_t, std::string>> where;
    for (const auto& [name, value] : options_.where) where.emplace_back(column(name), value);
    if (!problems_.empty()) return fail(std::move(problems_));

    Figure figure{.title = options_.title, .x_name = options_.x, .y_name = y_name()};
    std::vector<std::vector<std::vector<double>>> values;  // by curve and x
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      const std::vector<std::string>& row = table_.rows[i];
      if (std::ranges::any_of(where, [&](const auto& each) { return row[each.first] != each.second; })) continue;
      if (error != none && !row[error].empty()) {
        ++figure.failed;
        continue;
      }
      const std::size_t at = place(figure.x, row[x]);
      for (const std::size_t y : ys) {
        const std::size_t curve = curve_of(figure, row, by, y);
        double value = cell(i, y);
        if (per != none) value /= cell(i, per);
        if (!std::isfinite(value)) value = 0;  // nothing of nothing
        values.resize(std::max(values.size(), curve + 1));
        values[curve].resize(std::max(values[curve].size(), at + 1));
        values[curve][at].push_back(value);
      }
      if (!problems_.empty()) return fail(std::move(problems_));
    }
    if (figure.x.empty())
      return fail("SB158", "no row is left to show", figure.failed == 0 ? "" : "in all of them the run failed");
    for (std::size_t curve = 0; curve < figure.curves.size(); ++curve)
      for (std::size_t at = 0; at < figure.x.size(); ++at)
        figure.curves[curve].at.push_back(
            at < values[curve].size() && !values[curve][at].empty() ? estimate_of(values[curve][at]) : Mean{});
    return figure;
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  std::size_t column(const std::string& name, bool optional = false) {
    const int found = table_.column(name);
    if (found >= 0) return static_cast<std::size_t>(found);
    std::string known;
    for (const std::string& each : table_.header) known += (known.empty() ? "" : ", ") + each;
    if (!optional)
      problems_.push_back({Severity::error, "SB156", {}, "the table has no column \"" + name + '"', "one of " + known});
    return none;
  }
  double cell(std::size_t row, std::size_t column) {
    const std::string& text = table_.rows[row][column];
    double value = 0;
    const auto parsed = read_real(text, value);
    if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && std::isfinite(value)) return value;
    if (problems_.empty())
      problems_.push_back(
          {Severity::error,
           "SB157",
           {},
           fmt::format("\"{}\" in column {}, row {}, is not a number", text, table_.header[column], row + 2),
           ""});
    return 0;
  }
  static std::size_t place(std::vector<std::string>& list, const std::string& value) {
    const auto found = std::ranges::find(list, value);
    if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
    list.push_back(value);
    return list.size() - 1;
  }
  std::size_t curve_of(Figure& figure, const std::vector<std::string>& row, const std::vector<std::size_t>& by,
                       std::size_t y) const {
    std::string name;
    for (const std::size_t column : by) name += (name.empty() ? "" : ", ") + row[column];
    if (options_.y.size() > 1 || name.empty()) {
      name += (name.empty() ? "" : ", ") + table_.header[y];
      if (!options_.per.empty()) name += " / " + options_.per;
    }
    const auto found = std::ranges::find(figure.curves, name, &Curve::name);
    if (found != figure.curves.end()) return static_cast<std::size_t>(found - figure.curves.begin());
    figure.curves.push_back({std::move(name), {}});
    return figure.curves.size() - 1;
  }
  [[nodiscard]] std::string y_name() const {
    std::string text;
    for (const std::string& name : options_.y) text += (text.empty() ? "" : ", ") + name;
    return options_.per.empty() ? text : text + " / " + options_.per;
  }

  const Table& table_;
  const PlotOptions& options_;
  Diagnostics problems_;
};

/// A round number not below the value, and the distance of lines that divide it well.
std::pair<double, double> axis_scale(double most) {
  if (most <= 0) return {1, 0.25};
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (const double step : {0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 2.5})
    if (most <= 5 * step * power) return {std::ceil(most / (step * power) - 1e-9) * step * power, step * power};
  return {10 * power, 2 * power};
}

constexpr double plot_left = 64, plot_top = 36, plot_width = 480, plot_height = 300, legend_width = 200;

}  // namespace

Result<Figure> figure(const Table& table, const PlotOptions& options) { return FigureReader(table, options).read(); }

std::string svg(const Figure& figure) {
  Svg drawing(plot_left + plot_width + legend_width, plot_top + plot_height + 56);
  double most = 0;
  for (const Curve& curve : figure.curves)
    for (const Mean& at : curve.at) most = std::max(most, at.mean + at.interval);
  const auto [limit, step] = axis_scale(most);
  const auto x_of = [&](std::size_t i) { return plot_left + plot_width * (double(i) + 0.5) / double(figure.x.size()); };
  const auto y_of = [limit = limit](double value) {
    return plot_top + plot_height * (1 - std::max(value, 0.0) / limit);
  };

  if (!figure.title.empty()) drawing.text(plot_left, plot_top - 16, figure.title, "start", 14);
  const auto lines = static_cast<std::uint32_t>(std::lround(limit / step));
  for (std::uint32_t i = 0; i <= lines; ++i) {
    const double value = step * i;
    drawing.line(plot_left, y_of(value), plot_left + plot_width, y_of(value), i == 0 ? "#404040" : "#d8d8d8", 1);
    drawing.text(plot_left - 6, y_of(value) + 4, fmt::format("{:.4g}", value), "end");
  }
  std::size_t longest = 1;
  for (const std::string& label : figure.x) longest = std::max(longest, label.size());
  // A letter is about 0.6 of the size wide: as large as fits between its neighbours.
  const double size = std::clamp(plot_width / double(figure.x.size()) / (0.6 * double(longest)), 5.0, 11.0);
  for (std::size_t i = 0; i < figure.x.size(); ++i)
    drawing.text(x_of(i), plot_top + plot_height + 16, figure.x[i], "middle", std::floor(size));
  drawing.text(plot_left + plot_width / 2, plot_top + plot_height + 36, figure.x_name, "middle");
  drawing.text(plot_left, plot_top - 2, figure.y_name, "start");

  for (std::size_t c = 0; c < figure.curves.size(); ++c) {
    const Curve& curve = figure.curves[c];
    const std::string colour = palette(c);
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < curve.at.size(); ++i) {
      const Mean& at = curve.at[i];
      if (at.count == 0) continue;
      points.emplace_back(x_of(i), y_of(at.mean));
      if (at.interval > 0)
        drawing.line(x_of(i), y_of(at.mean - at.interval), x_of(i), y_of(at.mean + at.interval), colour, 1.5);
      drawing.dot(x_of(i), y_of(at.mean), colour);
    }
    drawing.curve(points, colour, c >= palette_size);
    const double y = plot_top + 12 + 18 * double(c);
    drawing.line(plot_left + plot_width + 12, y - 4, plot_left + plot_width + 32, y - 4, colour, 2);
    drawing.text(plot_left + plot_width + 38, y, curve.name, "start");
  }
  return drawing.end();
}

std::string markdown(const Figure& figure) {
  std::string text = "| " + figure.x_name + " |", rule = "| --- |";
  for (const Curve& curve : figure.curves) {
    text += ' ' + curve.name + " |";
    rule += " --- |";
  }
  text += '\n' + rule + '\n';
  for (std::size_t i = 0; i < figure.x.size(); ++i) {
    text += "| " + figure.x[i] + " |";
    for (const Curve& curve : figure.curves) {
      const Mean& at = curve.at[i];
      if (at.count == 0)
        text += " |";
      else if (at.interval > 0)
        text += fmt::format(" {:.4g} ± {:.2g} |", at.mean, at.interval);
      else
        text += fmt::format(" {:.4g} |", at.mean);
    }
    text += '\n';
  }
  return text;
}

}  // namespace mobula::scoreboard
