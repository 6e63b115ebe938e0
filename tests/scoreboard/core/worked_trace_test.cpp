// The examples whose every clock is known: the published hardware's (§3.2), and the textbooks'.
#include <fstream>
#include <sstream>

#include "paths.h"
#include "scoreboard/support.h"

namespace mobula::scoreboard {
namespace {

std::string read(const std::string& file) {
  std::ifstream in(mobula::test::source_file("examples/") + file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// issue busy rd_rel readable go_rd req_rel writable go_wr shadown
constexpr const char* published =
    "1 00001 00000 00000 11111 00000 00000 11111 00000 11111\n"
    "2 00010 00001 00001 11111 00001 00000 11111 00000 11101\n"
    "3 00100 00011 00010 11101 00000 00000 11111 00000 11001\n"
    "4 01000 00111 00110 11001 00000 00000 11011 00000 10001\n"
    "5 00000 01111 01110 10001 00000 00000 10011 00000 10001\n"
    "6 00000 01111 01110 10001 00000 00000 10011 00000 10001\n"
    "7 00000 01111 01110 10001 00000 00000 10011 00000 10001\n"
    "8 00000 01111 01110 10001 00000 00001 10011 00001 10001\n"
    "9 00001 01110 01110 10111 00010 00000 10011 00000 10010\n"
    "10 00000 01111 01101 10110 00100 00010 11111 00010 10010\n"
    "11 00010 01101 01001 10110 00000 00000 11111 00000 10100\n"
    "12 00000 01111 01011 10100 00000 00000 11111 00000 10100\n"
    "13 00000 01111 01011 10100 00000 00100 11111 00100 10100\n"
    "14 00000 01011 01011 11101 00001 00000 11111 00000 11100\n"
    "15 00000 01011 01010 11101 01000 00000 11111 00000 11100\n"
    "16 00000 01011 00010 11101 00000 01000 11111 01000 11100\n"
    "17 00000 00011 00010 11101 00000 00001 11111 00001 11101\n"
    "18 00000 00010 00010 11111 00010 00000 11111 00000 11111\n"
    "19 00000 00010 00000 11111 00000 00010 11111 00010 11111\n";

std::vector<std::uint64_t> first_registers(const RunResult& result) {
  std::vector<std::uint64_t> values;
  for (const RegisterValue& reg : result.registers) values.push_back(reg.value);
  return values;
}

TEST(WorkedTrace, June2019IsThePublishedHardware) {
  std::string lines, g_rd, g_wr;
  RunOptions options;
  options.observer = [&](const View& view) {
    const Signals& now = view.signals();
    lines += std::to_string(now.clock);
    for (const Units set :
         {now.issue, now.busy, now.rd_rel, now.readable, now.go_rd, now.req_rel, now.writable, now.go_wr, now.shadown})
      lines += ' ' + bits(set, 5);
    lines += '\n';
    if (now.clock != 2) return;
    g_rd = bits(view.pending_reads());
    g_wr = bits(view.pending_writes());
  };
  const RunResult result = good(run(preset("june2019"), workload(read("scoreboard-worked.sb")), options));
  EXPECT_EQ(lines, published);
  EXPECT_EQ(g_rd, "00011110");
  EXPECT_EQ(g_wr, "00100010");
  EXPECT_EQ(first_registers(result), (std::vector<std::uint64_t>{0, 1572, 101, 1569, 65533, 1523, 49, 52}));
}

TEST(WorkedTrace, PreciseHazardsReadAndWriteEarlier) {
  Config config = preset("june2019");
  config.hazards = Hazards::precise;
  const RunResult result = good(run(config, workload(read("scoreboard-worked.sb"))));
  std::string clocks;
  for (const Times& times : result.times)
    clocks += std::to_string(times.issue) + ' ' + std::to_string(times.read) + ' ' + std::to_string(times.write) + '\n';
  EXPECT_EQ(clocks, "1 2 8\n2 9 10\n3 4 11\n4 5 12\n9 11 13\n11 14 15\n");
}

TEST(WorkedTrace, Textbook6600IsTheTextbooksTable) {
  const RunResult result = good(run(preset("textbook6600"), workload(read("scoreboard-textbook.sb"))));
  std::string clocks;
  for (const Times& times : result.times)
    clocks += std::to_string(times.issue) + ' ' + std::to_string(times.read) + ' ' + std::to_string(times.complete) +
              ' ' + std::to_string(times.write) + '\n';
  EXPECT_EQ(clocks,
            "1 2 3 4\n"
            "5 6 7 8\n"
            "6 9 19 20\n"
            "7 9 11 12\n"
            "8 21 61 62\n"
            "13 14 16 22\n");
}

}  // namespace
}  // namespace mobula::scoreboard
