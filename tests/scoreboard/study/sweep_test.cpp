#include "mobula/scoreboard/sweep.h"

#include <algorithm>

#include "scoreboard/support.h"

namespace mobula::scoreboard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SweepOptions options(std::vector<Axis> axes) {
  SweepOptions options;
  options.cores = {*std::ranges::find(presets(), "byte_lane", &Preset::name),
                   *std::ranges::find(presets(), "june2019", &Preset::name)};
  options.axes = std::move(axes);
  options.mixes = {*find_mix("fp")};
  options.mixes[0].registers = 8;
  options.operations = 40;
  options.seeds = 2;
  return options;
}

Sweep made(Result<Sweep> sweep) {
  EXPECT_TRUE(sweep) << (sweep ? "" : render(sweep.error()));
  return std::move(*sweep);
}

std::string cell(const Sweep& sweep, const std::vector<std::string>& row, std::string_view column) {
  const Table table{sweep.header(), {}};
  return row.at(static_cast<std::size_t>(table.column(column)));
}

TEST(ScoreboardSweep, APointEndsWhenItIsTold) {
  const Sweep sweep = made(Sweep::make(options({})));
  EXPECT_EQ(cell(sweep, sweep.run(1, [] { return true; }), "error"), "SB304");
  EXPECT_EQ(cell(sweep, sweep.run(1), "error"), "");
}

TEST(ScoreboardSweep, AxesAreAPathAndValues) {
  const Axis axis = good(parse_axis("ports.read=1,2,unlimited"));
  EXPECT_EQ(axis.path, "ports.read");
  EXPECT_THAT(axis.values, ElementsAre("1", "2", "unlimited"));
  for (const char* wrong : {"", "=", "a", "a=", "=1", "a=1,", "a=,1", "a=1,,2", "a=1,1"})
    EXPECT_EQ(outcome(parse_axis(wrong)), "SB150") << wrong;
}

TEST(ScoreboardSweep, PointsAreAllCombinations) {
  const Sweep sweep =
      made(Sweep::make(options({{"virtual_registers.rows", {"4", "8"}}, {"issue.queue", {"2", "3", "4"}}})));
  ASSERT_EQ(sweep.points(), 2u * 2 * 3 * 2);
  std::vector<std::string> first = sweep.identity(0), last = sweep.identity(23);
  first.pop_back();  // the hash
  last.pop_back();
  EXPECT_THAT(first, ElementsAre("0", "24", "byte_lane", "4", "2", "fp", "1"));
  EXPECT_THAT(last, ElementsAre("23", "24", "june2019", "8", "4", "fp", "2"));
  EXPECT_NE(sweep.identity(0).back(), sweep.identity(1).back()) << "another workload";
  EXPECT_NE(sweep.identity(0).back(), sweep.identity(2).back()) << "another core";
}

TEST(ScoreboardSweep, RowsAreWhatRunSays) {
  const Sweep sweep = made(Sweep::make(options({{"virtual_registers.rows", {"4", "0"}}})));
  const std::vector<std::string> row = sweep.run(0), unlimited = sweep.run(2);
  ASSERT_EQ(row.size(), sweep.header().size());
  Config config = preset("byte_lane");
  config.virtual_registers.rows = 4;
  Mix mix = good(find_mix("fp"));
  mix.registers = 8;
  const RunResult result = good(run(config, generate(mix, 40, 1)));
  EXPECT_EQ(cell(sweep, row, "clocks"), std::to_string(result.clocks));
  EXPECT_EQ(cell(sweep, row, "stall.ir_full"), std::to_string(result.causes[static_cast<std::size_t>(Cause::ir_full)]));
  EXPECT_EQ(cell(sweep, row, "fu_reg_cells"), std::to_string(16 * 4 * 8)) << "units, rows, lanes";
  EXPECT_EQ(cell(sweep, unlimited, "fu_reg_cells"), std::to_string(16 * 264 * 8));
  EXPECT_EQ(cell(sweep, unlimited, "stall.ir_full"), "0");
}

/// Points share workloads, plans and runs; a sweep that has made nothing else shares nothing.
TEST(ScoreboardSweep, PointsAreWhatTheyAreAlone) {
  SweepOptions wanted = options({{"virtual_registers.rows", {"5", "16", "24"}},
                                 {"groups.*.units", {"3", "8"}},
                                 {"ports.read", {"1", "3", "0"}},
                                 {"latency.ld", {"3", "9"}},
                                 {"workload.registers", {"8", "20"}}});
  wanted.cores.pop_back();
  wanted.seeds = 1;
  const Sweep sweep = made(Sweep::make(wanted));
  std::vector<std::uint64_t> points;
  for (std::uint64_t point = 0; point < sweep.points(); ++point) points.push_back(point);
  for (const std::uint64_t point : sweep.in_order_of_workloads(points))
    EXPECT_EQ(sweep.run(point), made(Sweep::make(wanted)).run(point));
}

TEST(ScoreboardSweep, PointsOfOneWorkloadFollowEachOther) {
  const Sweep sweep = made(Sweep::make(options({{"virtual_registers.rows", {"4", "8"}}})));
  EXPECT_THAT(sweep.in_order_of_workloads({0, 1, 2, 3, 7}), ElementsAre(0, 2, 1, 3, 7));
}

TEST(ScoreboardSweep, GroupsAreNamedNumberedOrAll) {
  SweepOptions wanted = options({{"groups.alu.units", {"2"}}});
  wanted.cores.erase(wanted.cores.begin());
  const Sweep alu = made(Sweep::make(wanted));
  EXPECT_EQ(cell(alu, alu.run(0), "units"), "3");
  wanted.axes[0].path = "groups.1.units";
  const Sweep branch = made(Sweep::make(wanted));
  EXPECT_EQ(cell(branch, branch.run(0), "units"), "6");
  wanted.axes[0].path = "groups.*.units";
  const Sweep all = made(Sweep::make(wanted));
  EXPECT_EQ(cell(all, all.run(0), "units"), "4");
  for (const char* none : {"groups.none.units", "groups.7.units", "hazards.units", "virtual.rows"}) {
    wanted.axes[0].path = none;
    EXPECT_FALSE(Sweep::make(wanted)) << none;
  }
}

TEST(ScoreboardSweep, WhatCannotRunIsARow) {
  // june2019 has no file F; and a core without units is contradictory.
  const Sweep sweep = made(Sweep::make(options({{"groups.0.units", {"0", "4"}}})));
  EXPECT_EQ(cell(sweep, sweep.run(0), "error"), "SB003");
  EXPECT_EQ(cell(sweep, sweep.run(2), "error"), "");
  EXPECT_EQ(cell(sweep, sweep.run(6), "error"), "SB202");
  EXPECT_EQ(cell(sweep, sweep.run(6), "clocks"), "");
}

TEST(ScoreboardSweep, TooManyPointsAreRefused) {
  Axis axis{"issue.queue", {}};
  for (int i = 1; i <= 1000; ++i) axis.values.push_back(std::to_string(i));
  SweepOptions wanted = options({axis, axis});
  EXPECT_EQ(outcome(Sweep::make(wanted)), "SB152");
  wanted.axes.clear();
  wanted.mixes.clear();
  EXPECT_EQ(outcome(Sweep::make(wanted)), "SB152") << "nothing to run";
}

TEST(ScoreboardTable, CsvComesBack) {
  const Table table{{"a", "b"}, {{"1", "x,y"}, {"\"", "two\nlines"}, {"", ""}}};
  const Table back = good(parse_csv("t", print_csv(table)));
  EXPECT_EQ(back.header, table.header);
  EXPECT_EQ(back.rows, table.rows);
  EXPECT_EQ(good(parse_csv("t", "a,b\r\n1,2\r\n")).rows[0][1], "2");
  EXPECT_EQ(outcome(parse_csv("t", "a,b\n1\n")), "SB151");
  EXPECT_EQ(outcome(parse_csv("t", "a,b\n1,2")), "SB151");
  EXPECT_EQ(good(parse_csv("t", "a,b\n1,2\n3,", true)).rows.size(), 1u) << "of a sweep that was stopped";
  EXPECT_EQ(outcome(parse_csv("t", "")), "SB151");
}

TEST(ScoreboardTable, ShardsMakeAWhole) {
  const Sweep sweep = made(Sweep::make(options({})));
  std::array<Table, 2> shards{Table{sweep.header(), {}}, Table{sweep.header(), {}}};
  Table whole{sweep.header(), {}};
  for (std::uint64_t point = 0; point < sweep.points(); ++point) {
    whole.rows.push_back(sweep.run(point));
    shards[point % 2].rows.insert(shards[point % 2].rows.begin(), whole.rows.back());
  }
  EXPECT_EQ(good(merge(shards)).rows, whole.rows);
  EXPECT_EQ(outcome(merge(std::span(shards).first(1))), "SB155");
  std::array<Table, 2> twice{whole, whole};
  EXPECT_EQ(good(merge(twice)).rows, whole.rows);
  twice[1].rows[0].back() = "9";
  EXPECT_EQ(outcome(merge(twice)), "SB154");
  const Sweep other = made(Sweep::make(options({{"issue.queue", {"2"}}})));
  twice[1] = {other.header(), {}};
  EXPECT_EQ(outcome(merge(twice)), "SB153");
}

Table numbers() {
  return {{"point", "points", "core", "v", "error", "clocks", "operations"},
          {{"0", "5", "a", "4", "", "10", "10"},
           {"1", "5", "a", "4", "", "14", "10"},
           {"2", "5", "a", "8", "", "8", "10"},
           {"3", "5", "b", "8", "", "6", "10"},
           {"4", "5", "b", "4", "SB206", "", ""}}};
}

TEST(ScoreboardFigure, MeansHaveTheirIntervals) {
  const Figure found = good(
      figure(numbers(), {.x = "v", .y = {"clocks"}, .per = "operations", .by = {"core"}, .where = {}, .title = ""}));
  EXPECT_THAT(found.x, ElementsAre("4", "8"));
  ASSERT_EQ(found.curves.size(), 2u);
  EXPECT_EQ(found.failed, 1u);
  const Mean four = found.curves[0].at[0];
  EXPECT_DOUBLE_EQ(four.mean, 1.2);
  // Two values: t = 12.706, s = 0.2828, n = 2.
  EXPECT_NEAR(four.interval, 12.706 * 0.282843 / 1.414214, 1e-4);
  EXPECT_EQ(found.curves[1].at[0].count, 0u);
  EXPECT_THAT(markdown(found), HasSubstr("| 4 | 1.2 ± 2.5 | |\n| 8 | 0.8 | 0.6 |\n"));
}

TEST(ScoreboardFigure, DrawingsAreTheSameAlways) {
  const Figure found = good(figure(
      numbers(), {.x = "v", .y = {"clocks"}, .per = "", .by = {"core"}, .where = {{"core", "a"}}, .title = "<t>"}));
  const std::string drawing = svg(found);
  EXPECT_EQ(drawing, svg(found));
  EXPECT_THAT(drawing, HasSubstr("&lt;t&gt;"));
  EXPECT_THAT(drawing, HasSubstr("<polyline points=\""));
  EXPECT_THAT(drawing, testing::EndsWith("</svg>\n"));
}

TEST(ScoreboardFigure, WrongColumnsAreErrors) {
  EXPECT_EQ(outcome(figure(numbers(), {.x = "none", .y = {"nothing"}, .per = "", .by = {}, .where = {}, .title = ""})),
            "SB156 SB156");
  EXPECT_EQ(outcome(figure(numbers(), {.x = "v", .y = {"core"}, .per = "", .by = {}, .where = {}, .title = ""})),
            "SB157");
  EXPECT_EQ(outcome(figure(numbers(),
                           {.x = "v", .y = {"clocks"}, .per = "", .by = {}, .where = {{"core", "c"}}, .title = ""})),
            "SB158");
}

TEST(ScoreboardMatrixDrawing, ShowsEachClock) {
  const Config config = preset("june2019");
  MatrixDrawing drawing(config);
  RunOptions run_options;
  run_options.observer = [&](const View& view) { drawing.on(view); };
  good(run(config, workload("0 mul d=I1 s=I2,I3\n1 add d=I5 s=I1,I4\n"), run_options));
  const std::string text = drawing.svg();
  EXPECT_THAT(text, HasSubstr("clock 3<"));
  EXPECT_THAT(text, HasSubstr(">I5<"));
  EXPECT_THAT(text, HasSubstr("#999999")) << "the order shadow";
}

TEST(ScoreboardSweep, HasLatenciesAndRegistersAsAxes) {
  SweepOptions wanted;
  wanted.cores = {*std::ranges::find(presets(), "byte_lane", &Preset::name)};
  wanted.axes = {*parse_axis("latency.ld=3,20"), *parse_axis("workload.registers=8,128"),
                 *parse_axis("workload.spill_to=8,128")};
  wanted.mixes = {*find_mix("fp")};
  wanted.operations = 200;
  const Sweep sweep = made(Sweep::make(wanted));
  const auto value = [&](std::uint64_t point, const char* column) {
    return std::stoul(cell(sweep, sweep.run(point), column));
  };
  // The last axis changes first.
  EXPECT_EQ(value(0, "operations"), 200u);
  EXPECT_GT(value(2, "operations"), 200u);  // 128 registers in 8
  EXPECT_EQ(value(3, "operations"), 200u);
  EXPECT_GT(value(7, "clocks"), value(3, "clocks"));  // loads of 20
  EXPECT_EQ(value(3, "clock_levels"), value(3, "clocks") * value(3, "levels"));
  EXPECT_NE(sweep.identity(2).back(), sweep.identity(3).back());
  for (const char* wrong : {"workload.spill_to=0", "workload.registers=few", "workload.threads=2"}) {
    wanted.axes = {*parse_axis(wrong)};
    EXPECT_EQ(outcome(Sweep::make(wanted)), "SB150") << wrong;
  }
  wanted.axes = {*parse_axis("latency.ld=1"), *parse_axis("latency.ld=2")};
  EXPECT_EQ(outcome(Sweep::make(wanted)), "SB150") << "an axis has all its values";
  wanted.axes.clear();
  ASSERT_TRUE(Sweep::make(wanted));
  for (const auto& again : {+[](SweepOptions& all) { all.mixes.push_back(all.mixes.front()); },
                            +[](SweepOptions& all) { all.cores.push_back(all.cores.front()); }}) {
    SweepOptions twice = wanted;
    again(twice);
    EXPECT_EQ(outcome(Sweep::make(twice)), "SB150") << "each row would be there twice";
  }
  wanted.axes = {*parse_axis("workload.registers=8")};
  wanted.workloads = {workload("int d=I1\n")};
  EXPECT_EQ(outcome(Sweep::make(wanted)), "SB150");
}

TEST(ScoreboardMatrixDrawing, ShowsRowsLanesAndWhatTheCascadeBlocks) {
  const auto draw = [](const Config& config) {
    MatrixDrawing drawing(config);
    RunOptions run_options;
    run_options.observer = [&](const View& view) { drawing.on(view); };
    good(run(config, workload("0 int w2 d=F5[2:4) s=F9[4:6)\n"), run_options));
    return drawing.svg();
  };
  const std::string full = draw(preset("seed_full4"));
  EXPECT_THAT(full, HasSubstr(">row 1<"));
  EXPECT_THAT(full, HasSubstr("#009e73")) << "the virtual-to-real table";
  EXPECT_THAT(full, HasSubstr(">cascade<"));
  EXPECT_THAT(full, HasSubstr(">H3<"));
  // A half blocks the double word, a word and two bytes: four pale lanes read, four written.
  const auto pale = [](const std::string& text, std::string_view colour) {
    std::size_t count = 0;
    for (std::size_t at = text.find(colour); at != std::string::npos; at = text.find(colour, at + 1)) ++count;
    return count;
  };
  const std::size_t panels = pale(full, ">clock ");
  EXPECT_EQ(pale(full, "#f8dcc8"), 4 * (panels - 1)) << "until it is written";
  EXPECT_EQ(pale(full, "#d6ecf8"), 4u) << "until it is read";
  const std::string bytes = draw(preset("byte_lane"));
  EXPECT_THAT(bytes, testing::Not(HasSubstr(">cascade<")));
  EXPECT_THAT(bytes, testing::Not(HasSubstr("#d6ecf8")));
}

}  // namespace
}  // namespace mobula::scoreboard
