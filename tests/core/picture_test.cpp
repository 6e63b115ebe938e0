#include "mobula/isa/picture.h"

#include <gmock/gmock.h>

#include <sstream>

#include "mobula/isa/machine.h"
#include "mobula/isa/manual.h"

namespace mobula {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

ExplainedField field(std::string name, std::uint32_t low, std::uint32_t width, Status status = Status::driver) {
  return {.format = "f",
          .name = std::move(name),
          .low = low,
          .width = width,
          .value = 5,
          .meaning = "a <meaning>",
          .status = status,
          .source = "1.2"};
}

TEST(Picture, AWordShowsEveryFieldAndWhatItMeans) {
  const ExplainedWord word{
      .byte_length = 8,
      .text = "op a, b\n",
      .fields = {field("low", 0, 24), field("across", 24, 16), field("top", 40, 24, Status::unknown)},
      .diagnostics = {}};
  const std::string drawing = svg(std::span(&word, 1), {});
  EXPECT_THAT(drawing, HasSubstr(">op a, b<"));
  EXPECT_EQ(count(drawing, ">low<"), 1u);
  EXPECT_EQ(count(drawing, ">across<"), 2u) << "once in each row of 32 bits";
  EXPECT_THAT(drawing, HasSubstr(">f.across<"));
  EXPECT_THAT(drawing, HasSubstr(">39:24<"));
  EXPECT_THAT(drawing, HasSubstr(">a &lt;meaning&gt;  [driver 1.2]<"));
  EXPECT_EQ(count(drawing, "fill=\"#dddddd\""), 2u) << "what is unknown is grey, in the word and in the table";
}

TEST(Picture, FieldsThatOverlapLieBelowEachOther) {
  ExplainedWord word{
      .byte_length = 4, .text = "x", .fields = {field("one", 0, 16), field("two", 16, 16)}, .diagnostics = {}};
  const auto size = [&] {
    const std::string drawing = svg(std::span(&word, 1), {});
    return drawing.substr(0, drawing.find('>'));
  };
  const std::string beside = size();
  word.fields[1].low = 8;
  EXPECT_NE(size(), beside) << "the drawing is higher";
}

TEST(Picture, AFormatShowsItsFieldsAndHowWellTheyAreKnown) {
  const ManualFormat format{"f", 40, {field("low", 0, 24), field("narrow_one", 24, 2), field("top", 26, 14)}};
  const std::string drawing = svg(std::span(&format, 1));
  EXPECT_THAT(drawing, HasSubstr(">f: 40 bits<"));
  EXPECT_EQ(count(drawing, ">low<"), 1u);
  EXPECT_EQ(count(drawing, ">top<"), 2u) << "once in each row of 32 bits";
  EXPECT_EQ(count(drawing, ">driver<"), 4u) << "under each name and number";
  EXPECT_EQ(count(drawing, ">2<"), 2u) << "in the box that is too narrow, and in the list below";
  EXPECT_THAT(drawing, HasSubstr(">25:24<"));
  EXPECT_THAT(drawing, HasSubstr(">narrow_one  [driver]<"));
  EXPECT_THAT(drawing, Not(HasSubstr(">low  [driver]<"))) << "it stands in its box";
}

TEST(Picture, BoxesStandOnAGridAndArrowsBetweenThem) {
  Picture picture{.title = "t", .columns = {}, .boxes = {}, .arrows = {}};
  picture.boxes.push_back({.column = 0, .row = 0, .title = "from", .lines = {"a line"}});
  picture.boxes.push_back({.column = 4, .row = 9, .title = "to", .lines = {}});
  const std::string without = svg({}, std::span(&picture, 1));
  EXPECT_THAT(without, Not(HasSubstr("<path")));
  picture.arrows.push_back({.from = 0, .to = 1, .label = "value"});
  const std::string with = svg({}, std::span(&picture, 1));
  EXPECT_EQ(count(with, "<path"), 2u) << "the line and its head";
  EXPECT_THAT(with, HasSubstr(">value<"));
  picture.arrows.push_back({.from = 0, .to = 2, .label = "to nothing"});
  EXPECT_EQ(svg({}, std::span(&picture, 1)), with);
  // Empty rows and columns take no room.
  picture.boxes[1].column = 1;
  picture.boxes[1].row = 1;
  EXPECT_EQ(svg({}, std::span(&picture, 1)), with);
}

TEST(Picture, ArrowsGoBelowTheBoxesBetween) {
  Picture picture{.title = {}, .columns = {}, .boxes = {}, .arrows = {}};
  for (std::uint32_t column = 0; column < 3; ++column)
    picture.boxes.push_back({.column = column, .row = 0, .title = "box", .lines = {}});
  const auto first_arrow = [](const std::string& drawing) {
    const std::size_t at = drawing.find("<path");
    return drawing.substr(at, drawing.find('C', at) - at);
  };
  picture.arrows.push_back({.from = 0, .to = 2, .label = "over"});
  const std::string around = svg({}, std::span(&picture, 1));
  picture.boxes[1].row = 1;
  EXPECT_NE(first_arrow(svg({}, std::span(&picture, 1))), first_arrow(around)) << "from side to side";
  EXPECT_THAT(around, HasSubstr(">over<"));
}

// ---- what a drawing shows, read from its text

struct Rectangle {
  double left, top, width, height;
};
double number_after(std::string_view text, std::string_view what) {
  return std::stod(std::string(text.substr(text.find(what) + what.size())));
}
std::vector<Rectangle> boxes_of(const std::string& drawing) {
  std::vector<Rectangle> boxes;
  for (std::size_t at = drawing.find("<rect x="); at != std::string::npos; at = drawing.find("<rect x=", at + 1)) {
    const std::string_view box = std::string_view(drawing).substr(at, drawing.find("/>", at) - at);
    boxes.push_back({number_after(box, " x=\""), number_after(box, " y=\""), number_after(box, " width=\""),
                     number_after(box, " height=\"")});
  }
  return boxes;
}
/// Points along the lines that end in heads: M x y, then C of three points or L of one.
std::vector<std::pair<double, double>> arrow_points(const std::string& drawing) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t at = drawing.find("<path d=\"M"); at != std::string::npos;
       at = drawing.find("<path d=\"M", at + 1)) {
    const std::string shape = drawing.substr(at + 9, drawing.find('"', at + 9) - at - 9);
    if (shape.ends_with("Z")) continue;
    std::istringstream read(shape);
    std::pair<double, double> here, a, b, to;
    for (char letter = 0; read >> letter;) {
      if (letter == 'C') read >> a.first >> a.second >> b.first >> b.second;
      read >> to.first >> to.second;
      for (int i = 1; letter != 'M' && i <= 50; ++i) {
        const double t = i / 50.0, s = 1 - t;
        const auto between = [&](double x0, double x1, double x2, double x3) {
          return letter == 'L' ? s * x0 + t * x3
                               : s * s * s * x0 + 3 * s * s * t * x1 + 3 * s * t * t * x2 + t * t * t * x3;
        };
        points.emplace_back(between(here.first, a.first, b.first, to.first),
                            between(here.second, a.second, b.second, to.second));
      }
      here = to;
    }
  }
  return points;
}
void expect_arrows_beside_boxes(const std::string& drawing, const std::string& what) {
  const std::vector<Rectangle> boxes = boxes_of(drawing);
  for (const auto& [x, y] : arrow_points(drawing))
    for (const Rectangle& box : boxes)
      if (x > box.left + 0.2 && x < box.left + box.width - 0.2 && y > box.top + 0.2 && y < box.top + box.height - 0.2) {
        ADD_FAILURE() << what << ": an arrow runs through the box at " << box.left << ' ' << box.top << '\n' << drawing;
        return;
      }
}

TEST(Picture, ArrowsPassBesideBoxes) {
  // From the first row to the third, where each column of the second one is taken.
  Picture picture{.title = {}, .columns = {}, .boxes = {}, .arrows = {}};
  for (std::uint32_t row = 0; row < 3; ++row)
    for (std::uint32_t column = 0; column < 3; ++column)
      picture.boxes.push_back({.column = column, .row = row, .title = "box", .lines = {"with a line"}});
  for (std::size_t from = 0; from < 3; ++from)
    for (std::size_t to = 6; to < 9; ++to) picture.arrows.push_back({.from = from, .to = to, .label = {}});
  const std::string drawing = svg({}, std::span(&picture, 1));
  EXPECT_GT(arrow_points(drawing).size(), 9U * 50);
  expect_arrows_beside_boxes(drawing, "three rows");
}

TEST(Picture, ArrowsOfEveryMachinePassBesideBoxes) {
  std::size_t arrows = 0;
  for (const Machine* machine : machines())
    for (unsigned seed = 0; seed < 200; ++seed) {
      Program program;
      program.machine = machine->name();
      for (unsigned i = 0; i < 64; ++i)
        program.code.push_back(static_cast<std::uint8_t>((seed + 1) * (i + 7) * 2654435761u >> 13));
      for (const Picture& picture : machine->pictures(program)) {
        arrows += picture.arrows.size();
        expect_arrows_beside_boxes(svg({}, std::span(&picture, 1)), std::string(machine->name()));
        if (testing::Test::HasFailure()) return;
      }
    }
  EXPECT_GT(arrows, 100u);
}

TEST(Picture, LongLinesAreCutBetweenWords) {
  Picture picture{.title = {}, .columns = {}, .boxes = {}, .arrows = {}};
  picture.boxes.push_back({.lines = {"one two three four five six seven eight nine ten"}});
  EXPECT_THAT(svg({}, std::span(&picture, 1)), HasSubstr(">one two three four five six seven<"));
}

TEST(Picture, EveryMachineDrawsAnyBytes) {
  for (const Machine* machine : machines())
    for (unsigned seed = 0; seed < 64; ++seed) {
      Program program;
      program.machine = machine->name();
      for (unsigned i = 0; i < 16 * (seed % 5) + seed % 3; ++i)
        program.code.push_back(static_cast<std::uint8_t>((seed + 1) * (i + 7) * 2654435761u >> 13));
      const std::string drawing = svg(machine->explain(program), machine->pictures(program));
      EXPECT_THAT(drawing, testing::EndsWith("</svg>\n")) << machine->name();
    }
}

}  // namespace
}  // namespace mobula
