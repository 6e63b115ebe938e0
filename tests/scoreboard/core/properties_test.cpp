// The properties of §10.5 over random workloads, on every preset and on variations of them. P8 and P9 (registers and
// memory as in order, at traps as before the trap) are what run() itself checks.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "scoreboard/core/units.h"
#include "scoreboard/support.h"
#include "timeline/contract.h"
#include "trials.h"

namespace mobula::scoreboard {
namespace {

/// Listens to a run and notes which properties it breaks.
class Checker {
 public:
  Checker(const Config& config, const Workload& workload)
      : config_(config), workload_(workload), events_(workload.operations.size()) {}

  void on(const View& view) {
    const Signals& now = view.signals();
    for_each(now.issue, [&](std::uint32_t unit) { in_unit_[unit] = view.operation(unit); });
    for_each(now.go_rd, [&](std::uint32_t unit) {
      Clocks& clocks = events_[in_unit_[unit]];
      if (clocks.first_read == 0) clocks.first_read = now.clock;
      clocks.last_read = now.clock;
    });
    for_each(now.go_wr, [&](std::uint32_t unit) {
      Clocks& clocks = events_[in_unit_[unit]];
      if (clocks.first_write == 0) clocks.first_write = now.clock;
      clocks.last_write = now.clock;
    });
    check_grants(now);
    check_matrices(view);
    check_rows(view);
    last_ = now;
  }

  void finish(const RunResult& result) {
    if (has_one_clock_an_operation()) check_order(result);
    std::uint64_t sum = 0;
    for (const std::uint64_t clocks : result.causes) sum += clocks;
    if (sum != result.clocks) note("P13: the causes do not sum to the clocks");
  }

  [[nodiscard]] const std::set<std::string>& broken() const { return broken_; }

 private:
  struct Clocks {
    std::uint64_t first_read = 0, last_read = 0, first_write = 0, last_write = 0;
  };

  void note(const std::string& what) { broken_.insert(what); }

  void check_grants(const Signals& now) {
    const bool pairs = config_.lanes == Lanes::two_level;
    if (!config_.ports.per_operand && !pairs) {
      if (config_.ports.read != 0 && count(now.go_rd) > config_.ports.read) note("P4: too many reads");
      if (config_.ports.write != 0 && count(now.go_wr) > config_.ports.write) note("P4: too many writes");
    }
    if ((now.go_rd & ~(now.rd_rel & now.readable)) != 0) note("P4: a read is granted that was not asked for");
    if (config_.ports.per_operand) return;
    if ((now.go_wr & ~(now.req_rel & now.writable & now.shadown)) != 0)
      note("P4: a write is granted that was not asked for");
    if ((now.rd_rel & now.req_rel) != 0) note("P12: asks to read and to write");
    if ((now.rd_rel & last_.go_rd) != 0) note("P12: asks to read again");
    if ((now.req_rel & last_.go_wr) != 0) note("P12: asks to write again");
    const bool waits_for_its_pair = pairs && !config_.ports.lockstep_pairs;
    if ((now.busy & (last_.die | (waits_for_its_pair ? 0 : last_.go_wr))) != 0) note("P12: busy after the end");
    if ((now.busy & now.issue) != 0) note("issued to a busy unit");
  }

  void check_matrices(const View& view) {
    for (std::uint32_t unit = 0; unit < config_.units(); ++unit) {
      const Units waits = view.waits_for_write(unit) | view.waits_for_read(unit) | view.held_by(unit);
      if (waits != 0 && view.operation(unit) == no_operation) note("P5: an idle unit waits");
      for_each(waits, [&](std::uint32_t other) {
        if (view.operation(other) == no_operation) note("P5, P7: waits for an idle unit");
        if (view.operation(other) >= view.operation(unit)) note("P5: waits for a younger operation");
      });
    }
  }

  void check_rows(const View& view) {
    if (config_.virtual_registers.rows == 0) return;
    std::set<std::string> named;
    for (std::size_t row = 0; row < view.pending_reads().size(); ++row) {
      bool used = false;
      for (std::uint32_t unit = 0; unit < config_.units(); ++unit)
        used |= view.source_lanes(unit, row) != 0 || view.destination_lanes(unit, row) != 0 || keeps(view, unit, row);
      const std::string name = view.column(row);
      if (used == (name == "-")) note("P11: a row is free if and only if its columns are clear");
      if (name != "-" && !named.insert(name).second) note("P11: a register has two rows");
    }
  }

  /// With rows until completion: the operation in the unit names the row's register.
  [[nodiscard]] bool keeps(const View& view, std::uint32_t unit, std::size_t row) const {
    const std::uint32_t index = view.operation(unit);
    if (!config_.virtual_registers.until_completion || index == no_operation) return false;
    const Operation& op = workload_.operations[index];
    const auto names = [&](RegisterBytes operand) {
      operand.first = 0;
      operand.bytes = operand.used() ? RegisterBytes::whole : std::uint8_t{0};
      return operand.used() && print(operand) == view.column(row);
    };
    return std::ranges::any_of(op.sources, names) || std::ranges::any_of(op.destinations, names);
  }

  /// Parts of an operation that are granted by themselves wait by themselves, too; for those only the values tell.
  [[nodiscard]] bool has_one_clock_an_operation() const {
    if (config_.lanes == Lanes::two_level && !config_.ports.lockstep_pairs) return false;
    return !config_.ports.per_operand || std::ranges::all_of(workload_.operations, [](const Operation& op) {
      return !op.sources[1].used() && !op.destinations[1].used() && op.sources[0].used() && op.destinations[0].used();
    });
  }

  /// P1, P2, P3 and P7, byte by byte.
  void check_order(const RunResult& result) {
    struct Byte {
      std::uint32_t writer = no_operation;
      std::vector<std::uint32_t> readers;  // since the last write
    };
    std::map<std::tuple<int, int, int>, Byte> bytes;
    const auto each_byte = [&](const RegisterBytes& operand, auto visit) {
      for (int k = 0; k < operand.bytes; ++k)
        visit(bytes[{operand.file, operand.number + (operand.first + k) / 8, (operand.first + k) % 8}]);
    };
    for (std::uint32_t i = 0; i < workload_.operations.size(); ++i) {
      if (result.times[i].kill != 0 && events_[i].last_write != 0) note("P7: a killed one writes");
      if (i == result.trapped) break;
      if (result.times[i].issue == 0 || result.times[i].kill != 0) continue;
      const Clocks& own = events_[i];
      if (own.last_write == 0) note("P6: never written");
      for (const RegisterBytes& source : workload_.operations[i].sources)
        if (source.used())
          each_byte(source, [&](Byte& byte) {
            byte.readers.push_back(i);
            if (byte.writer == no_operation || latches_results(config_.forwarding)) return;
            const std::uint64_t written = events_[byte.writer].last_write;
            if (writes_through(config_.forwarding) ? written > own.first_read : written >= own.first_read)
              note("P1: read before it was written");
          });
      for (const RegisterBytes& destination : workload_.operations[i].destinations)
        if (destination.used())
          each_byte(destination, [&](Byte& byte) {
            for (const std::uint32_t reader : byte.readers)
              if (config_.waw != Waw::rename && reader != i && events_[reader].last_read >= own.first_write)
                note("P2: overwritten before it was read");
            if (byte.writer != no_operation && byte.writer != i && config_.waw != Waw::last_writer &&
                config_.waw != Waw::rename && events_[byte.writer].first_write >= own.last_write)
              note("P3: written in the wrong order");
            byte.writer = i;
            byte.readers.clear();
          });
    }
  }

  const Config& config_;
  const Workload& workload_;
  std::vector<Clocks> events_;
  std::array<std::uint32_t, max_units> in_unit_{};
  Signals last_;
  std::set<std::string> broken_;
};

RunResult check(const Config& config, const Workload& workload) {
  Checker checker(config, workload);
  TimelineContract contract;
  RunOptions options;
  options.max_clocks = 100'000;
  options.observer = [&](const View& view) { checker.on(view); };
  options.timeline = &contract;
  const Result<RunResult> result = run(config, workload, options);
  EXPECT_TRUE(result) << config.name << ", " << workload.name << '\n' << (result ? "" : render(result.error()));
  if (!result) return {};
  checker.finish(*result);
  EXPECT_THAT(checker.broken(), testing::IsEmpty()) << config.name << ", " << workload.name;
  EXPECT_THAT(contract.broken(), testing::IsEmpty()) << config.name << ", " << workload.name;
  return *result;
}

/// All presets, and each with one thing changed. All have the files I and F.
std::vector<Config> cores() {
  std::vector<Config> all;
  const auto add = [&](const char* base, const std::string& change, auto edit) {
    Config config = preset(base);
    const std::uint32_t physical = config.waw == Waw::rename ? 24 : 0;
    config.files = {{'I', 16, 8, physical}, {'F', 16, 8, physical}};
    edit(config);
    config.name = std::string(base) + ' ' + change;
    all.push_back(std::move(config));
  };
  for (const Preset& row : presets()) add(std::string(row.name).c_str(), "as it is", [](Config&) {});
  for (const char* base : {"june2019", "seed_full4", "seed_two_level", "byte_lane", "libresoc2020"}) {
    add(base, "conservative", [](Config& c) { c.hazards = Hazards::conservative; });
    add(base, "shadow_all", [](Config& c) { c.waw = Waw::shadow_all; });
    add(base, "shadow_same_dest", [](Config& c) { c.waw = Waw::shadow_same_dest; });
    add(base, "stall_issue", [](Config& c) { c.waw = Waw::stall_issue; });
    add(base, "last_writer", [](Config& c) { c.waw = Waw::last_writer; });
    add(base, "write_through", [](Config& c) { c.forwarding = Forwarding::write_through; });
    add(base, "result_latch", [](Config& c) {
      c.forwarding = Forwarding::result_latch;
      c.hazards = Hazards::precise;
    });
    add(base, "write_through and result_latch", [](Config& c) {
      c.forwarding = Forwarding::both;
      c.hazards = Hazards::precise;
    });
    add(base, "write_through and result_latch last_writer", [](Config& c) {
      c.forwarding = Forwarding::both;
      c.hazards = Hazards::precise;
      c.waw = Waw::last_writer;
    });
    add(base, "result_latch last_writer", [](Config& c) {
      c.forwarding = Forwarding::result_latch;
      c.hazards = Hazards::precise;
      c.waw = Waw::last_writer;
    });
    add(base, "rotate", [](Config& c) {
      c.ports.priority = Priority::rotate;
      c.ports.read = 2;
      c.ports.write = 2;
    });
    add(base, "oldest", [](Config& c) {
      c.ports.priority = Priority::oldest;
      c.ports.read = 1;
      c.ports.write = 1;
    });
    add(base, "three a clock", [](Config& c) { c.issue = {.width = 3, .queue = 8, .fetch = 3}; });
    add(base, "three a clock conservative", [](Config& c) {
      c.issue = {.width = 3, .queue = 8, .fetch = 3};
      c.hazards = Hazards::conservative;
    });
    add(base, "groups together", [](Config& c) {
      for (Group& group : c.groups) group.units = 8;
      c.issue = {.width = 4, .queue = 8, .fetch = 4, .together = true};
      c.virtual_registers.rows = 0;
    });
    add(base, "10 rows", [](Config& c) { c.virtual_registers.rows = 10; });
    add(base, "10 rows until completion",
        [](Config& c) { c.virtual_registers = {.rows = 10, .until_completion = true}; });
    add(base, "10 rows a file", [](Config& c) { c.virtual_registers = {.rows = 10, .per_file = true}; });
    add(base, "one port", [](Config& c) {
      c.banks = {.count = 2, .read = 1, .write = 1};
      c.ports.per_operand = true;
    });
    add(base, "lanes", [](Config& c) {
      c.banks = {.count = 4,
                 .mapping = Mapping::parity_half,
                 .read = 2,
                 .write = 1,
                 .broadcast = true,
                 .lanes = 4,
                 .byte_crossbar = false};
      c.ports.per_operand = true;
    });
    add(base, "per operand", [](Config& c) { c.ports.per_operand = true; });
    add(base, "per operand, one grant", [](Config& c) {
      c.ports.per_operand = true;
      c.ports.read = c.ports.write = 1;
    });
    add(base, "shared ALU", [](Config& c) {
      for (Group& group : c.groups) group.alus = 1;
      c.interval["mul"] = 4;
    });
    add(base, "96 units or more", [](Config& c) {
      for (Group& group : c.groups) group.units = 96 / static_cast<std::uint32_t>(c.groups.size()) + 1;
      c.issue = {.width = 4, .queue = 8, .fetch = 4};
      c.virtual_registers.rows = 0;
    });
    add(base, "no address match", [](Config& c) { c.memory.match_addresses = false; });
    add(base, "coarse address match", [](Config& c) { c.memory = {.low_bit = 5, .high_bit = 6}; });
  }
  for (const char* base : {"byte_lane", "seed_two_level", "seed_full4", "libresoc2020", "renaming"})
    add(base, "quads", [](Config& c) {
      Group quads = c.groups[0];
      quads.name = "quads";
      quads.classes.assign({UnitClass::integer, UnitClass::fp, UnitClass::mul, UnitClass::div, UnitClass::load,
                            UnitClass::store, UnitClass::branch, UnitClass::special});
      quads.widths = {16};
      quads.pairs = {};
      quads.units = 5;
      c.groups.push_back(quads);
      if (c.waw == Waw::rename) c.banks.read = c.banks.write = 0;
      if (c.virtual_registers.rows != 0) c.virtual_registers.rows = 12;
    });
  add("renaming", "few physical", [](Config& c) { c.files = {{'I', 16, 8, 17}, {'F', 16, 8, 18}}; });
  add("renaming", "small window", [](Config& c) { c.renaming.window = 3; });
  add("renaming", "write_through", [](Config& c) { c.forwarding = Forwarding::write_through; });
  add("renaming", "result_latch", [](Config& c) { c.forwarding = Forwarding::result_latch; });
  add("renaming", "both", [](Config& c) { c.forwarding = Forwarding::both; });
  add("renaming", "per operand", [](Config& c) { c.ports.per_operand = true; });
  add("renaming", "modulo", [](Config& c) { c.banks = {.count = 3, .read = 4, .write = 1}; });
  add("renaming", "three a clock", [](Config& c) {
    c.issue = {.width = 3, .queue = 8, .fetch = 3};
    c.ports = {.read = 2, .write = 2, .priority = Priority::oldest};
  });
  add("renaming", "groups together",
      [](Config& c) { c.issue = {.width = 4, .queue = 8, .fetch = 4, .together = true}; });
  add("seed_two_level", "independent pairs", [](Config& c) { c.ports.lockstep_pairs = false; });
  add("seed_two_level", "independent pairs per operand", [](Config& c) {
    c.ports.lockstep_pairs = false;
    c.ports.per_operand = true;
  });
  return all;
}

class Properties : public testing::TestWithParam<Config> {};

/// As many programs as fit: with one issue a clock the workload's groups must not matter.
Spice spice_for(const Config& config, std::uint32_t seed) {
  Spice spice;
  spice.groups = config.issue.together;
  spice.odd_ranges = seed % 2 == 1;
  spice.paths = seed % 4 >= 2;
  const bool held = config.trap_shadows || config.waw == Waw::shadow_all;
  spice.traps = held && seed % 3 == 2;
  const bool quads =
      std::ranges::any_of(config.groups, [](const Group& group) { return std::ranges::count(group.widths, 16u) != 0; });
  if (quads) spice.widths = {4, 8, 16, 16};
  if (config.waw == Waw::rename) {  // which takes a port for the old bytes of what is written in part
    spice.paths = spice.paths && !spice.groups;
  } else if (config.ports.per_operand && seed % 2 == 1 && !quads) {
    spice.destinations = 3;
    spice.sources = 4;
  } else if (config.ports.per_operand) {
    spice.exactly_one = true;
  }
  return spice;
}

TEST_P(Properties, HoldOnRandomWorkloads) {
  for (std::uint32_t seed = 0; seed < 24 && !HasFailure(); ++seed)
    check(GetParam(), random_workload(seed, spice_for(GetParam(), seed)));
}

/// Sets of units are words of 64 bits where they suffice: units that nothing is issued to make them wider.
TEST_P(Properties, DoNotChangeWithTheWidthOfSets) {
  Config wide = GetParam();
  if (wide.units() > 64) return;
  wide.groups.push_back({.name = "idle", .units = 65});
  const auto clocks_of = [](const Config& config, const Workload& workload) {
    std::vector<std::array<std::uint32_t, 7>> clocks;
    for (const Times& each : good(run(config, workload)).times)
      clocks.push_back({each.issue, each.read, each.start, each.complete, each.write, each.kill, each.unit});
    return clocks;
  };
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const Workload workload = random_workload(seed, spice_for(GetParam(), seed));
    EXPECT_EQ(clocks_of(wide, workload), clocks_of(GetParam(), workload)) << seed;
  }
}

std::string name_of(const testing::TestParamInfo<Config>& info) {
  std::string name;
  for (const char letter : info.param.name)
    name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Cores, Properties, testing::ValuesIn(cores()), name_of);

/// Every program of three operations over two registers, two widths and latencies 0 to 2, on small cores.
TEST(SmallScope, EveryProgramOfThreeOperations) {
  std::vector<Operation> choices;
  for (const std::uint8_t width : {std::uint8_t{8}, std::uint8_t{1}})
    for (const std::uint16_t latency : {std::uint16_t{0}, std::uint16_t{2}})
      for (std::uint16_t to = 0; to < 2; ++to)
        for (std::uint16_t from = 0; from < 2; ++from) {
          Operation op;
          op.width = width;
          op.latency = latency;
          op.destinations[0] = {.file = 'I' - 'A', .bytes = width, .number = to};
          op.sources[0] = {.file = 'I' - 'A', .bytes = width, .number = from};
          choices.push_back(op);
        }
  for (const Hazards hazards : {Hazards::conservative, Hazards::precise})
    for (const Waw waw : {Waw::stall_issue, Waw::shadow_all, Waw::shadow_same_dest, Waw::last_writer})
      for (const std::uint32_t width : {1u, 2u}) {
        Config config;
        config.name = "small";
        config.hazards = hazards;
        config.waw = waw;
        config.lanes = Lanes::full;
        config.groups = {{.name = "any", .classes = {UnitClass::integer}, .widths = {1, 8}, .units = 2}};
        config.files = {{'I', 2, 8}};
        config.ports.read = config.ports.write = 1;
        config.issue = {.width = width, .queue = 4, .fetch = width};
        Workload program;
        program.name = "small";
        program.operations.resize(3);
        const std::size_t n = choices.size();
        for (std::size_t number = 0; number < n * n * n && !testing::Test::HasFailure();
             number += test::sanitized ? 7 : 1) {
          std::size_t rest = number;
          for (std::uint32_t i = 0; i < 3; ++i, rest /= n) {
            program.operations[i] = choices[rest % n];
            program.operations[i].id = i;
          }
          check(config, program);
        }
      }
}

/// P14: on average, not for every program.
TEST(Monotonicity, MoreIsNotSlowerOnAverage) {
  const auto mean = [](auto edit) {
    Config config = preset("byte_lane");
    config.files = {{'I', 16, 8}, {'F', 16, 8}};
    config.ports.read = config.ports.write = 1;
    edit(config);
    std::uint64_t clocks = 0;
    for (std::uint32_t seed = 0; seed < 40; ++seed) clocks += good(run(config, random_workload(seed, {}))).clocks;
    return clocks;
  };
  const std::uint64_t base = mean([](Config&) {});
  EXPECT_GT(mean([](Config& c) { c.hazards = Hazards::conservative; }), base);
  EXPECT_GT(mean([](Config& c) { c.waw = Waw::shadow_all; }), base);
  EXPECT_GT(mean([](Config& c) { c.groups[0].units = 2; }), base);
  EXPECT_GT(mean([](Config& c) { c.virtual_registers.rows = 4; }), base);
  EXPECT_GT(mean([](Config& c) { c.lanes = Lanes::lock; }), base);
  EXPECT_LE(mean([](Config& c) { c.ports.read = c.ports.write = 0; }), base);
  EXPECT_LE(mean([](Config& c) { c.forwarding = Forwarding::write_through; }), base);
}

}  // namespace
}  // namespace mobula::scoreboard
