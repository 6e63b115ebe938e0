// Workloads and cores for the tests of the scoreboard.
#pragma once

#include <gmock/gmock.h>

#include <array>
#include <random>
#include <string>
#include <string_view>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

/// The value, or a failed test that shows the diagnostics.
template <class T>
T good(Result<T> result) {
  EXPECT_TRUE(result.has_value()) << (result ? "" : render(result.error()));
  return result ? std::move(*result) : T{};
}

inline std::string codes(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& entry : diagnostics)
    if (entry.severity == Severity::error) text += (text.empty() ? "" : " ") + entry.code;
  return text;
}

/// Codes of the errors, or "good".
template <class T>
std::string outcome(const Result<T>& result) {
  return result ? "good" : codes(result.error());
}

inline Config preset(std::string_view name) { return good(find_preset(name)); }
inline Workload workload(std::string_view text) { return good(parse_workload("test.sb", text)); }

/// What random workloads contain.
struct Spice {
  std::uint32_t operations = 60;
  std::uint32_t registers = 6;  ///< of each of the files I and F, 8 bytes each
  bool odd_ranges = false;      ///< operands of any bytes; otherwise aligned views of the operation's width
  bool paths = false;           ///< branches with operations on both ways
  bool traps = false;
  bool groups = false;
  std::vector<std::uint32_t> widths{1, 2, 4, 8};
  std::uint32_t destinations = 1, sources = 3;  ///< up to so many
  bool exactly_one = false;                     ///< one source and one destination each
};

/// The same for the same seed.
inline Workload random_workload(std::uint32_t seed, const Spice& spice) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  const auto operand = [&](std::uint32_t width) {
    std::uint32_t first = width > 8 ? 0 : width * below(8 / width), bytes = width;
    if (width <= 8 && spice.odd_ranges && below(3) == 0) {
      first = below(8);
      bytes = 1 + below(8 - first);
      if (bytes > width) bytes = width;
    }
    if (width > 8 && below(4) == 0) first = 4 * below(2), bytes = 4;  // the same number for all four
    return RegisterBytes{.file = static_cast<std::uint8_t>(below(2) == 0 ? 'I' - 'A' : 'F' - 'A'),
                         .first = static_cast<std::uint8_t>(first),
                         .bytes = static_cast<std::uint8_t>(bytes),
                         .number = static_cast<std::uint16_t>(below(spice.registers))};
  };
  Workload made;
  made.name = "random " + std::to_string(seed);
  for (std::uint16_t number = 0; number < spice.registers; ++number)
    for (const char file : {'I', 'F'})
      made.registers.push_back(
          {{.file = static_cast<std::uint8_t>(file - 'A'), .bytes = RegisterBytes::whole, .number = number},
           (std::uint64_t{random()} << 32) + random()});
  bool branched = false;
  std::uint32_t since_branch = 0;
  for (std::uint32_t id = 0; id < spice.operations; ++id) {
    Operation op;
    op.id = id;
    op.width = static_cast<std::uint8_t>(spice.widths[below(static_cast<std::uint32_t>(spice.widths.size()))]);
    constexpr std::array<UnitClass, 10> classes{
        UnitClass::integer, UnitClass::integer, UnitClass::fp,    UnitClass::fp,   UnitClass::mul,
        UnitClass::div,     UnitClass::load,    UnitClass::store, UnitClass::load, UnitClass::special};
    op.unit = classes[below(classes.size())];
    if (below(12) == 0) op.unit = UnitClass::branch;
    for (std::uint32_t k = spice.exactly_one ? 1 : below(spice.sources + 1); k-- != 0;)
      op.sources[k] = operand(op.width);
    for (std::uint32_t k = spice.exactly_one ? 1 : below(spice.destinations + 1); k-- != 0;) {
      op.destinations[k] = operand(op.width);
      // Destinations of one operation are different registers.
      op.destinations[k].number = static_cast<std::uint16_t>(op.destinations[k].number / 3 * 3 + k);
    }
    op.latency = static_cast<std::uint16_t>(below(3) == 0 ? Operation::by_config : below(7));
    if (op.unit == UnitClass::load || op.unit == UnitClass::store) {
      op.memory_bytes = op.width;
      op.address = below(40);
    }
    if (op.unit == UnitClass::branch) {
      op.taken = below(2) == 1;
      if (!spice.paths) op.prediction = below(4) == 0 ? Prediction::wrong : Prediction::right;
      if (spice.paths && below(2) == 0) op.function = Function::bgt, op.taken = false;
      branched = true;
      since_branch = 0;
    } else if (spice.paths && branched && ++since_branch < 6) {
      op.path = below(3) == 0 ? Path::always : below(2) == 0 ? Path::if_ok : Path::if_not_ok;
    }
    if (spice.traps && op.unit != UnitClass::branch && below(6) == 0)
      op.trap = below(10) == 0 ? Trap::takes : Trap::may;
    if (spice.groups) op.group = 1 + id / 2;
    made.operations.push_back(op);
  }
  return made;
}

}  // namespace mobula::scoreboard
