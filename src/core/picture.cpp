// The common drawing of all machines: words as fields of bits, and boxes with arrows.
#include "mobula/isa/picture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "core/svg.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/manual.h"

namespace mobula {
namespace {

/// Sizes and colours.
namespace look {
constexpr double letter = 6.6, line = 15, margin = 16, padding = 8;  // of text of size 11 in a monospaced font
constexpr double bit = 30, strip = 34, numbers = 14;
constexpr unsigned bits_a_row = 32;
constexpr double gap_x = 26, gap_y = 34;
constexpr double lane = 4;  // between arrows that pass beside each other
constexpr std::size_t longest_line = 36;
constexpr std::string_view font = "monospace", edge = "#555555", faint = "#777777", unknown = "#dddddd",
                           arrow = "#d55e00";
constexpr std::array<std::string_view, 8> pale{"#cfe3f2", "#fbe0cd", "#cdebdf", "#f3dfea",
                                               "#e3f1fa", "#fbecc8", "#e8e8f6", "#eef3d2"};
constexpr std::array<std::string_view, 5> kinds{"#f0f0f0", "#cfe3f2", "#fbecc8", "#cdebdf", "#fafafa"};
}  // namespace look

double width_of(std::string_view text) { return look::letter * double(text.size()); }
/// Of text of size 12.
double width_of_heading(std::string_view text) { return width_of(text) * 12 / 11; }

std::string bits_of(const ExplainedField& field) {
  const std::string low = std::to_string(field.low);
  return field.width == 1 ? low : std::to_string(field.low + field.width - 1) + ':' + low;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end != 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Cut between words so that no line is longer than `longest`, where it can be done.
std::vector<std::string> wrapped(const std::string& text, std::size_t longest) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (rest.size() > longest) {
    std::size_t cut = rest.rfind(' ', longest);
    if (cut == std::string_view::npos || cut == 0) cut = rest.find(' ', longest);
    if (cut == std::string_view::npos) break;
    lines.emplace_back(rest.substr(0, cut));
    rest.remove_prefix(cut + 1);
  }
  lines.emplace_back(rest);
  return lines;
}

// ------------------------------------------------------------------------------------------------ bits of a word

/// Bits from the highest to the lowest in rows of 32, and fields as boxes under them.
class BitDrawing {
 public:
  BitDrawing(const std::vector<ExplainedField>& fields, unsigned bits) : fields_(fields), bits_(bits) {
    std::map<std::string_view, std::size_t> formats;
    for (const ExplainedField& field : fields) {
      colours_.push_back(
          field.status == Status::unknown
              ? look::unknown
              : look::pale[formats.emplace(field.format, formats.size()).first->second % look::pale.size()]);
      place(field);
    }
  }

  [[nodiscard]] double width() const { return look::bit * columns(); }
  [[nodiscard]] double height() const { return rows() * row_height(); }
  [[nodiscard]] std::string_view colour(std::size_t index) const { return colours_[index]; }
  /// True if the field has a box in which its name has room.
  [[nodiscard]] bool is_named(std::size_t index) const {
    const ExplainedField& field = fields_[index];
    for (unsigned row = field.low / look::bits_a_row; row * look::bits_a_row < field.low + field.width; ++row)
      if (width_of(field.name) <= part_of(field, row).wide) return true;
    return false;
  }

  /// `below` is what stands under the name of the field with that index, where there is room.
  void draw(Svg& drawing, double top, const std::function<std::string(std::size_t)>& below) const {
    for (std::size_t i = 0; i < fields_.size(); ++i) draw_field(drawing, top, i, below(i));
  }

 private:
  /// What one row of bits has of a field.
  struct Part {
    unsigned low, high;
    double left, wide;
  };
  [[nodiscard]] Part part_of(const ExplainedField& field, unsigned row) const {
    const unsigned first = row * look::bits_a_row, low = std::max(field.low, first);
    const unsigned high = std::min(field.low + field.width, first + look::bits_a_row) - 1;
    return {low, high, look::margin + look::bit * (columns() - 1 - (high - first)), look::bit * (high - low + 1)};
  }
  [[nodiscard]] unsigned columns() const { return std::clamp(bits_, 1U, look::bits_a_row); }
  [[nodiscard]] unsigned rows() const { return (bits_ + look::bits_a_row - 1) / look::bits_a_row; }
  [[nodiscard]] double row_height() const { return look::numbers + look::strip * double(levels_.size()) + 6; }

  /// Fields that overlap, as two readings of the same bits do, lie below each other.
  void place(const ExplainedField& field) {
    std::size_t level = 0;
    const auto overlaps = [&](const std::vector<bool>& taken) {
      return std::any_of(taken.begin() + field.low, taken.begin() + field.low + field.width, std::identity{});
    };
    for (std::vector<bool>& taken : levels_) taken.resize(std::max<std::size_t>(taken.size(), field.low + field.width));
    while (level < levels_.size() && overlaps(levels_[level])) ++level;
    if (level == levels_.size()) levels_.emplace_back(field.low + field.width);
    std::fill_n(levels_[level].begin() + field.low, field.width, true);
    level_.push_back(level);
  }

  void draw_field(Svg& drawing, double top, std::size_t index, const std::string& below) const {
    const ExplainedField& field = fields_[index];
    for (unsigned row = field.low / look::bits_a_row; row * look::bits_a_row < field.low + field.width; ++row) {
      const auto [low, high, left, wide] = part_of(field, row);
      const double y = top + (rows() - 1 - row) * row_height() + look::numbers;
      const double at = y + look::strip * double(level_[index]);
      drawing.box(left, at, wide, look::strip - 4, colours_[index], look::edge);
      const auto number = [&](unsigned bit, double x, std::string_view anchor) {
        if (level_[index] == 0) drawing.text(x, y - 3, std::to_string(bit), anchor, 9, look::faint);
      };
      if (high == low) {
        number(low, left + wide / 2, "middle");
      } else {
        number(high, left + 2, "start");
        number(low, left + wide - 2, "end");
      }
      const bool fits = width_of(field.name) <= wide;
      drawing.text(left + wide / 2, at + 13, fits ? field.name : std::to_string(index + 1), "middle", fits ? 11 : 9);
      if (width_of(below) <= wide) drawing.text(left + wide / 2, at + 26, below, "middle", 10, look::faint);
    }
  }

  const std::vector<ExplainedField>& fields_;
  unsigned bits_;
  std::vector<std::string_view> colours_;  ///< by field
  std::vector<std::size_t> level_;         ///< by field
  std::vector<std::vector<bool>> levels_;  ///< bits that are taken
};

/// The line of a table that says which field a number in a box stands for.
void draw_number(Svg& drawing, double y, const BitDrawing& bits, const ExplainedField& field, std::size_t index) {
  drawing.box(look::margin, y - 10, 10, 11, bits.colour(index), look::edge);
  drawing.text(look::margin + 5 * look::letter, y, std::to_string(index + 1), "end", 11, look::faint);
  drawing.text(look::margin + 13 * look::letter, y, bits_of(field), "end");
}
constexpr double name_x = look::margin + 15 * look::letter;  ///< where the name stands in such a line

/// One word: its text, its bits, and a table of its fields.
class WordDrawing {
 public:
  explicit WordDrawing(const ExplainedWord& word)
      : word_(word), text_(lines_of(word.text)), bits_(word.fields, 8 * word.byte_length) {
    for (const ExplainedField& field : word.fields) {
      names_ = std::max(names_, full_name(field).size());
      values_ = std::max(values_, hexadecimal(field.value).size());
      meanings_ = std::max(meanings_, meaning_of(field).size());
    }
  }

  [[nodiscard]] double width() const {
    double longest = 0;
    for (const std::string& line : text_) longest = std::max(longest, width_of_heading(line));
    return 2 * look::margin +
           std::max({bits_.width(), longest, meaning_x() - look::margin + look::letter * double(meanings_)});
  }
  [[nodiscard]] double height() const {
    return look::line * double(text_.size() + 1 + word_.fields.size()) + bits_.height() + 2 * look::margin;
  }

  void draw(Svg& drawing, double top) const {
    double y = top + look::line;
    for (const std::string& line : text_) {
      drawing.text(look::margin, y, line, "start", 12);
      y += look::line;
    }
    bits_.draw(drawing, y, [&](std::size_t index) { return hexadecimal(word_.fields[index].value); });
    y += bits_.height() + look::line;
    for (std::size_t i = 0; i < word_.fields.size(); ++i, y += look::line) draw_meaning(drawing, y, i);
  }

 private:
  static std::string full_name(const ExplainedField& field) { return field.format + '.' + field.name; }
  static std::string meaning_of(const ExplainedField& field) {
    return field.meaning + "  [" + std::string(name(field.status)) + (field.source.empty() ? "" : ' ' + field.source) +
           ']';
  }
  [[nodiscard]] double value_x() const { return name_x + look::letter * double(names_ + 2); }
  [[nodiscard]] double meaning_x() const { return value_x() + look::letter * double(values_ + 2); }

  void draw_meaning(Svg& drawing, double y, std::size_t index) const {
    const ExplainedField& field = word_.fields[index];
    draw_number(drawing, y, bits_, field, index);
    drawing.text(name_x, y, full_name(field), "start");
    drawing.text(value_x(), y, hexadecimal(field.value), "start");
    drawing.text(meaning_x(), y, meaning_of(field), "start");
  }

  const ExplainedWord& word_;
  std::vector<std::string> text_;
  BitDrawing bits_;
  std::size_t names_ = 0, values_ = 0, meanings_ = 0;
};

/// One format of a manual: its name, its bits, and the names that have no room in them.
class FormatDrawing {
 public:
  explicit FormatDrawing(const ManualFormat& format) : format_(format), bits_(format.fields, format.width) {
    for (std::size_t i = 0; i < format.fields.size(); ++i)
      if (!bits_.is_named(i)) numbered_.push_back(i);
  }

  [[nodiscard]] double width() const {
    double longest = std::max(bits_.width(), width_of_heading(title()));
    for (const std::size_t index : numbered_)
      longest = std::max(longest, name_x - look::margin + width_of(name_of(index)));
    return 2 * look::margin + longest;
  }
  [[nodiscard]] double height() const {
    return look::line * double(2 + numbered_.size()) + bits_.height() + look::margin;
  }

  void draw(Svg& drawing, double top) const {
    drawing.text(look::margin, top + look::line, title(), "start", 12);
    double y = top + 2 * look::line;
    bits_.draw(drawing, y, [&](std::size_t index) { return std::string(name(format_.fields[index].status)); });
    y += bits_.height() + look::line;
    for (const std::size_t index : numbered_) {
      draw_number(drawing, y, bits_, format_.fields[index], index);
      drawing.text(name_x, y, name_of(index), "start");
      y += look::line;
    }
  }

 private:
  [[nodiscard]] std::string title() const { return format_.name + ": " + counted(format_.width, "bit"); }
  [[nodiscard]] std::string name_of(std::size_t index) const {
    const ExplainedField& field = format_.fields[index];
    return field.name + "  [" + std::string(name(field.status)) + ']';
  }

  const ManualFormat& format_;
  BitDrawing bits_;
  std::vector<std::size_t> numbered_;
};

// ------------------------------------------------------------------------------------------------ boxes and arrows

class GridDrawing {
 public:
  explicit GridDrawing(const Picture& given) : picture_(with_known_ends(given)) {
    const Picture& picture = picture_;
    for (const Picture::Box& box : picture.boxes) {
      std::vector<std::string>& lines = lines_.emplace_back();
      for (const std::string& line : box.lines)
        for (std::string& part : wrapped(line, look::longest_line * box.columns)) lines.push_back(std::move(part));
      widths_.resize(std::max<std::size_t>(widths_.size(), box.column + box.columns));
      heights_.resize(std::max<std::size_t>(heights_.size(), box.row + box.rows));
    }
    for (std::size_t i = 0; i < picture.columns.size() && i < widths_.size(); ++i)
      widths_[i] = std::max(widths_[i], width_of(picture.columns[i]) + 2 * look::padding);
    // Narrow boxes first: what spans several columns only needs what is missing then.
    for (const bool spans : {false, true})
      for (std::size_t i = 0; i < lines_.size(); ++i)
        if ((picture.boxes[i].columns > 1) == spans) make_room(i);
    // Rows and columns without a box take no room.
    const auto after = [](double at, double size, double gap) { return at + (size == 0 ? 0 : size + gap); };
    for (const double width : widths_) lefts_.push_back(after(lefts_.back(), width, look::gap_x));
    tops_.front() = look::line * (picture.title.empty() ? 1 : 2) + (picture.columns.empty() ? 0 : look::line);
    for (const double height : heights_) tops_.push_back(after(tops_.back(), height, look::gap_y));
    for (const Picture::Arrow& arrow : picture.arrows)
      ways_.push_back(goes_down(arrow) ? way_of(arrow) : std::vector<Svg::Point>{});
  }

  [[nodiscard]] double width() const {
    return std::max(lefts_.back(), width_of_heading(picture_.title) + 2 * look::margin);
  }
  [[nodiscard]] double height() const { return tops_.back(); }

  void draw(Svg& drawing, double top) const {
    drawing.text(look::margin, top + look::line, picture_.title, "start", 12);
    for (std::size_t i = 0; i < picture_.columns.size() && i < widths_.size(); ++i)
      drawing.text(lefts_[i] + widths_[i] / 2, top + tops_.front() - 8, picture_.columns[i], "middle", 11, look::faint);
    for (const Picture::Arrow& arrow : picture_.arrows) draw_arrow(drawing, top, arrow);
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i) draw_box(drawing, top, i);
  }

 private:
  static Picture with_known_ends(Picture picture) {
    std::erase_if(picture.arrows,
                  [&](const Picture::Arrow& arrow) { return std::max(arrow.from, arrow.to) >= picture.boxes.size(); });
    return picture;
  }

  struct Area {
    double left, top, width, height;
    [[nodiscard]] double middle() const { return left + width / 2; }
  };
  [[nodiscard]] Area area(std::size_t index) const {
    const Picture::Box& box = picture_.boxes[index];
    const std::size_t right = box.column + box.columns - 1, bottom = box.row + box.rows - 1;
    return {lefts_[box.column], tops_[box.row], lefts_[right] + widths_[right] - lefts_[box.column],
            tops_[bottom] + heights_[bottom] - tops_[box.row]};
  }

  void make_room(std::size_t index) {
    const Picture::Box& box = picture_.boxes[index];
    double width = width_of(box.title);
    for (const std::string& line : lines_[index]) width = std::max(width, width_of(line));
    width += 2 * look::padding;
    const auto first = widths_.begin() + box.column, last = first + box.columns;
    const double has = std::accumulate(first, last, 0.0, [](double sum, double column) {
      return sum + (column == 0 ? 0 : column + (sum == 0 ? 0 : look::gap_x));
    });
    if (width > has) std::for_each(first, last, [&](double& column) { column += (width - has) / box.columns; });
    const double height = look::line * double(lines_[index].size() + (box.title.empty() ? 0 : 1)) + look::padding;
    if (box.rows == 1) heights_[box.row] = std::max(heights_[box.row], height);
  }

  void draw_box(Svg& drawing, double top, std::size_t index) const {
    const Picture::Box& box = picture_.boxes[index];
    const Area place = area(index);
    drawing.box(place.left, top + place.top, place.width, place.height, look::kinds[static_cast<std::size_t>(box.kind)],
                look::edge);
    double y = top + place.top + 12;
    if (!box.title.empty()) {
      drawing.text(place.left + look::padding, y, box.title, "start", 11, look::faint);
      y += look::line;
    }
    for (const std::string& line : lines_[index]) {
      drawing.text(place.left + look::padding, y, line, "start");
      y += look::line;
    }
  }

  /// True if the two stand in one row, and the second is not the next box to the right.
  [[nodiscard]] bool passes_boxes(const Picture::Arrow& arrow) const {
    const Picture::Box &from = picture_.boxes[arrow.from], &to = picture_.boxes[arrow.to];
    if (from.row != to.row) return false;
    return to.column < from.column || std::ranges::any_of(picture_.boxes, [&](const Picture::Box& box) {
             return box.row == from.row && box.column >= from.column + from.columns && box.column < to.column;
           });
  }

  [[nodiscard]] bool goes_down(const Picture::Arrow& arrow) const { return area(arrow.to).top > area(arrow.from).top; }

  /// Down where the other box is below, else from side to side, below the boxes that stand between.
  void draw_arrow(Svg& drawing, double top, const Picture::Arrow& arrow) const {
    const Area from = area(arrow.from), to = area(arrow.to);
    const bool down = goes_down(arrow);
    // Arrows of one box leave and arrive beside each other.
    const double leaves = spread(arrow, &Picture::Arrow::from), arrives = spread(arrow, &Picture::Arrow::to);
    if (passes_boxes(arrow)) {
      const double bottom = top + from.top + from.height, right = to.left + arrives * to.width;
      drawing.arrow_below(from.left + leaves * from.width, right, bottom, look::gap_y * 2 / 3, look::arrow);
      drawing.text(right + 4, bottom + 9, arrow.label, "start", 9, look::arrow);
      return;
    }
    const double x2 = to.left + (down ? arrives * to.width : 0);
    const double y2 = top + to.top + (down ? 0 : arrives * to.height);
    if (down) {
      std::vector<Svg::Point> way = ways_[static_cast<std::size_t>(&arrow - picture_.arrows.data())];
      for (Svg::Point& place : way) place.second += top;
      drawing.arrow_down(way, look::arrow);
    } else {
      drawing.arrow_across({from.left + from.width, top + from.top + leaves * from.height}, {x2, y2}, look::arrow);
    }
    drawing.text(x2 + 4, y2 - (down ? 9 : 4), arrow.label, down ? "start" : "end", 9, look::arrow);
  }

  /// From the lower edge of one box to the upper edge of another, beside the boxes of the rows between them.
  [[nodiscard]] std::vector<Svg::Point> way_of(const Picture::Arrow& arrow) {
    const Area from = area(arrow.from), to = area(arrow.to);
    const Picture::Box& first = picture_.boxes[arrow.from];
    const double arrives = to.left + spread(arrow, &Picture::Arrow::to) * to.width;
    std::vector<Svg::Point> way{
        {from.left + spread(arrow, &Picture::Arrow::from) * from.width, from.top + from.height}};
    for (std::uint32_t row = first.row + first.rows; row < picture_.boxes[arrow.to].row; ++row) {
      if (heights_[row] == 0) continue;
      const double x = free_place(row, way.back().first, arrives);
      passed_.emplace(row, x);
      way.emplace_back(x, tops_[row]);
      way.emplace_back(x, tops_[row] + heights_[row]);
    }
    way.emplace_back(arrives, to.top);
    return way;
  }
  /// Where an arrow passes a row: as near to its way as can be, beside the row's boxes and the arrows that pass there.
  [[nodiscard]] double free_place(std::uint32_t row, double comes_from, double goes_to) const {
    std::vector<double> places{comes_from, goes_to};
    std::vector<Area> boxes;
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i) {
      const Picture::Box& box = picture_.boxes[i];
      if (row < box.row || row >= box.row + box.rows) continue;
      boxes.push_back(area(i));
      for (double distance = look::lane; distance < look::gap_x; distance += look::lane) {
        places.push_back(boxes.back().left - distance);
        places.push_back(boxes.back().left + boxes.back().width + distance);
      }
    }
    const auto is_blocked = [&](double x) {
      return x < look::lane || std::ranges::any_of(boxes, [&](const Area& box) {
               return x > box.left - look::lane && x < box.left + box.width + look::lane;
             });
    };
    const auto passed = passed_.equal_range(row);
    const auto is_taken = [&](double x) {
      return std::any_of(passed.first, passed.second,
                         [&](const auto& each) { return std::abs(each.second - x) < look::lane; });
    };
    // Blocked places are the worst, then those where arrows lie on each other, then those off the way.
    const auto cost = [&](double x) {
      return std::tuple(is_blocked(x), is_taken(x), std::abs(x - comes_from) + std::abs(x - goes_to));
    };
    return *std::ranges::min_element(places, {}, cost);
  }
  /// Where on its side an arrow is among those of the same box, from 0 to 1.
  [[nodiscard]] double spread(const Picture::Arrow& arrow, std::size_t Picture::Arrow::*end) const {
    std::size_t count = 0, before = 0;
    for (const Picture::Arrow& other : picture_.arrows) {
      if (other.*end != arrow.*end) continue;
      ++count;
      if (&other < &arrow) ++before;
    }
    return double(before + 1) / double(count + 1);
  }

  Picture picture_;
  std::vector<std::vector<std::string>> lines_;  ///< by box
  std::vector<double> widths_, heights_, lefts_{look::margin}, tops_{0};
  std::vector<std::vector<Svg::Point>> ways_;    ///< of arrows that go down, below the top of the drawing
  std::multimap<std::uint32_t, double> passed_;  ///< by row, where arrows pass it
};

/// Above each other.
template <class... Drawings>
std::string drawn(const Drawings&... drawings) {
  double width = 2 * look::margin, height = look::margin;
  const auto measure = [&](const auto& those) {
    for (const auto& each : those) {
      width = std::max(width, each.width());
      height += each.height() + look::margin;
    }
  };
  (measure(drawings), ...);
  Svg drawing(width, height, look::font);
  double top = look::margin / 2;
  const auto draw = [&](const auto& those) {
    for (const auto& each : those) {
      each.draw(drawing, top);
      top += each.height() + look::margin;
    }
  };
  (draw(drawings), ...);
  return drawing.end();
}

}  // namespace

std::string svg(std::span<const ExplainedWord> words, std::span<const Picture> pictures) {
  return drawn(std::vector<WordDrawing>(words.begin(), words.end()),
               std::vector<GridDrawing>(pictures.begin(), pictures.end()));
}

std::string svg(std::span<const ManualFormat> formats) {
  return drawn(std::vector<FormatDrawing>(formats.begin(), formats.end()));
}

}  // namespace mobula
