// A debugger of the core: a workload goes forward clock by clock, and backward by running again from the start.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/result.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {

/// What becomes of an operation in a clock, as members of Times.
enum class Moment : std::uint8_t { issue, read, start, complete, write, kill };
MOBULA_API std::string_view name(Moment moment);
MOBULA_API std::span<const Moment> moments();

/// An operation and what became of it. `operation` is an index; as a breakpoint, no_operation stands for all.
struct Happening {
  Moment moment{};
  std::uint32_t operation = no_operation;
  auto operator<=>(const Happening&) const = default;  // NOLINT(modernize-use-nullptr): the 0 it is compared with
};

class MOBULA_API Debugger {
 public:
  /// SB2xx: the workload does not fit the core.
  static Result<Debugger> create(Config config, Workload workload);
  ~Debugger();
  Debugger(Debugger&&) noexcept;
  Debugger& operator=(Debugger&&) noexcept;

  /// Why it does not go on. `deadlock`: no later clock changes anything.
  enum class Halt : std::uint8_t { stepped, breakpoint, finished, deadlock };
  /// So many clocks, or to the end.
  Halt step(std::uint64_t clocks = 1);
  /// To a breakpoint, or the end.
  Halt go();
  /// To before the last so many clocks. SB160: not so many have passed.
  Result<void> back(std::uint64_t clocks = 1);
  std::set<Happening> breakpoints;
  /// Something happened in the last clock for which there is one.
  [[nodiscard]] bool at_breakpoint() const;

  [[nodiscard]] const Config& config() const;
  [[nodiscard]] const Workload& workload() const;
  /// That have passed; 0 = before the first.
  [[nodiscard]] std::uint64_t clock() const;
  [[nodiscard]] bool finished() const;
  /// In the last clock. An operation's result is known to be complete in the clock after that of Times::complete.
  [[nodiscard]] std::span<const Happening> happened() const;
  /// Signals of the last clock, and the matrices after it. Good until the next step.
  [[nodiscard]] const View& view() const;
  /// So far.
  [[nodiscard]] const Times& times(std::uint32_t operation) const;
  /// Why the oldest operation that is not issued is not.
  [[nodiscard]] Cause cause() const;
  /// Index of the operation that is issued next, or no_operation: none is waiting in the queue.
  [[nodiscard]] std::uint32_t next() const;
  /// A sentence for each operation in flight, and the next one: what each waits for.
  [[nodiscard]] std::vector<std::string> waits() const;
  /// As they are now, by file and number.
  [[nodiscard]] std::vector<RegisterValue> registers() const;
  /// SB161: the core has no such register.
  [[nodiscard]] Result<std::uint64_t> value(std::string_view register_name) const;
  /// Bytes 1 to 8 of memory.
  [[nodiscard]] std::uint64_t memory(std::uint64_t address, std::uint32_t bytes) const;
  /// Index of the operation of that id. SB162: there is none.
  [[nodiscard]] Result<std::uint32_t> operation(std::uint32_t id) const;

 private:
  struct Impl;
  explicit Debugger(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::scoreboard
