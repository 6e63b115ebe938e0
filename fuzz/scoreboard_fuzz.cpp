// Any bytes as workload, text and binary, as configuration and as table: errors, or what comes back the same; and what
// fits a core ends, with the registers of execution in order, or says why it does not.
// seeds: examples/*.sb src/scoreboard/presets/*.json tests/data/scoreboard/*
#include <cstdlib>
#include <string>

#include "fuzz/target.h"
#include "mobula/scoreboard/hardware.h"
#include "mobula/scoreboard/scoreboard.h"
#include "mobula/scoreboard/sweep.h"

using namespace mobula;
namespace sb = scoreboard;

namespace {

/// A core or workload may be wrong, but no run may end otherwise than in order or go on for ever.
void run_on(const sb::Config& config, const sb::Workload& workload) {
  if (workload.operations.size() > 200) return;
  const auto result = sb::run(config, workload, {.max_clocks = 100'000});
  if (result) return;
  for (const Diagnostic& error : result.error())
    if (error.code == "SB303") std::abort();
}

void check(const sb::Workload& workload) {
  const auto again = sb::parse_workload("again", sb::print(workload));
  if (!again || again->operations != workload.operations || again->registers != workload.registers) std::abort();
  const auto binary = sb::read_workload("binary", sb::write_workload(workload));
  if (!binary || binary->operations != workload.operations) std::abort();
  for (const char* preset : {"june2019", "seed_two_level", "libresoc2020"}) run_on(*sb::find_preset(preset), workload);
}

}  // namespace

FUZZ_TARGET(scoreboard_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto workload = sb::parse_workload("input", text)) check(*workload);
  if (const auto workload = sb::read_workload("input", {data, size})) check(*workload);
  if (const auto table = sb::parse_csv("input", text)) {
    const auto again = sb::parse_csv("again", sb::print_csv(*table));
    if (!again || again->rows != table->rows) std::abort();
    (void)sb::merge({&*table, 1});
  }
  (void)sb::parse_axis(text);
  if (const auto config = sb::parse_config("input", text)) {
    (void)sb::cost(*config, {});
    sb::Mix mix = *sb::find_mix("fp");
    mix.registers = 4;
    run_on(*config, sb::generate(mix, 30, 1));
    run_on(*config, sb::cosim_workload(*config, {}, 30, 1));
  }
  return 0;
}
