#include "mobula/isa/picture.h"

#include <gmock/gmock.h>

#include "mobula/isa/machine.h"

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
