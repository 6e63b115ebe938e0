// How much the lines of a scoreboard move in a run, and what that may mean in watts.
//
// Source of facts: docs/reference/scoreboard.md, §8.4 (proxy: toggles times fan-out, summed over lines); the
// budget is the project's own. Energies are not measured figures: they are named so that they can be replaced.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/scoreboard/hardware.h"

namespace mobula::scoreboard {

/// Lines of one kind.
struct ToggledLine {
  std::string name;
  std::uint64_t toggles = 0;  ///< changes, up or down
  std::uint64_t loads = 0;    ///< changes times the cells on the line
};

struct Activity {
  std::uint64_t clocks = 0;
  std::vector<ToggledLine> lines;
  std::uint64_t cache_accesses = 0;  ///< loads and stores of memory, by cache_accesses()
  std::uint64_t clock_pins = 0;  ///< edges at the clock pins of all latches, were they flip-flops that are never gated
  [[nodiscard]] MOBULA_API std::uint64_t loads() const;
};

/// Counts a run's toggles; call on() from the observer.
class MOBULA_API PowerProxy {
 public:
  PowerProxy(const Config& config, const Hardware& hardware);
  ~PowerProxy();
  PowerProxy(const PowerProxy&) = delete;
  PowerProxy& operator=(const PowerProxy&) = delete;
  void on(const View& view);
  [[nodiscard]] const Activity& activity() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Loads and stores of memory that a run has made.
MOBULA_API std::uint64_t cache_accesses(const Workload& workload, const RunResult& result);

/// Assumptions: 28 nm at 0.9 V; half of C V^2 with 1.5 fF for a gate input and its wire across one cell, and 1 fF for a
/// flip-flop's clock pin. 800 MHz is the project's target.
struct Energies {
  double load = 0.6;       ///< fJ, one change at one cell
  double clock_pin = 0.4;  ///< fJ, one edge at one latch
  double cache = 10'000;   ///< fJ, one load or store of up to 8 bytes in a first-level cache
  double megahertz = 800;
};
inline constexpr double energy_uncertainty = 3;  ///< a factor, either way
inline constexpr double chip_budget_watts = 2.5;

MOBULA_API double watts(const Activity& activity, const Energies& energies);
MOBULA_API std::string report(const Activity& activity, const Energies& energies);

}  // namespace mobula::scoreboard
