// A debugger of the core: a workload goes forward clock by clock, and backward by running again from the start.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/result.h"
#include "mobula/lab/expression.h"
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

  // ---- going on

  /// Why it does not go on. `deadlock`: no later clock changes anything; `beginning`: went back to the start;
  /// `unfinished`: as many clocks passed as were allowed; asking again goes on.
  enum class Halt : std::uint8_t { stepped, breakpoint, watch, finished, deadlock, beginning, unfinished };
  /// Runs that many clocks, or to the end; breakpoints also stop it.
  Halt step(std::uint64_t clocks = 1);
  /// To a breakpoint, a change of what is watched, or the end; `most` clocks at a time.
  Halt go(std::uint64_t most = ~std::uint64_t{0});
  /// Undoes so many clocks: `stepped`, or `beginning` where fewer have passed.
  Halt back(std::uint64_t clocks = 1);
  /// Back to where it last would have stopped, or to the start.
  Halt go_back();

  // ---- where to stop

  /// What becomes of an operation, or a change of a register or of memory, that stops it after the clock.
  struct Breakpoint {
    std::uint32_t number = 0;             ///< from 1, given by add()
    std::optional<Happening> place;       ///< when this has happened
    std::optional<std::size_t> which;     ///< instead: when the register at this position of registers() has changed
    std::optional<std::uint64_t> memory;  ///< instead: when the eight bytes there have changed
    std::string condition;                ///< empty, or an expression that must be true
    bool enabled = true;
    bool temporary = false;    ///< goes with its first stop
    std::uint64_t ignore = 0;  ///< hits still to ignore
    std::uint64_t hits = 0;
  };
  /// Its number. DB020: the condition is not an expression.
  Result<std::uint32_t> add(Breakpoint breakpoint);
  /// Replaces the breakpoint of the same number. DB009: there is none; DB020.
  Result<void> replace(Breakpoint breakpoint);
  /// False if there is none.
  bool remove(std::uint32_t number);
  [[nodiscard]] std::vector<Breakpoint> breakpoints() const;  ///< by number
  /// What caused the last Halt::breakpoint or Halt::watch, as it was then; otherwise empty.
  [[nodiscard]] const std::optional<Breakpoint>& halted_by() const;

  // ---- what is there

  [[nodiscard]] const Config& config() const;
  [[nodiscard]] const Workload& workload() const;
  /// Clocks that have passed; 0 = before the first.
  [[nodiscard]] std::uint64_t clock() const;
  [[nodiscard]] bool finished() const;
  /// In the last clock. An operation's result is known to be complete in the clock after that of Times::complete.
  [[nodiscard]] std::span<const Happening> happened() const;
  /// Signals of the last clock, and the matrices after it. Good until the next step.
  [[nodiscard]] const View& view() const;
  /// So far.
  [[nodiscard]] const Times& times(std::uint32_t operation) const;
  /// Why the oldest unissued operation has not been issued.
  [[nodiscard]] Cause cause() const;
  /// Index of the operation that is issued next, or no_operation: none is waiting in the queue.
  [[nodiscard]] std::uint32_t next() const;
  /// A sentence for each operation in flight, and the next one: what each waits for.
  [[nodiscard]] std::vector<std::string> waits() const;
  /// The same without names that one has to know: "waits because ...".
  [[nodiscard]] std::vector<std::string> waits_in_plain_words() const;
  /// As they are now, by file and number.
  [[nodiscard]] std::vector<RegisterValue> registers() const;
  /// Position in registers(). SB161: the core has no such register.
  [[nodiscard]] Result<std::size_t> register_named(std::string_view name) const;
  [[nodiscard]] std::uint64_t value(std::size_t which) const;
  [[nodiscard]] std::string name_of(std::size_t which) const;
  /// Registers and "clock" are names in it, and "*" reads eight bytes of memory. Errors are those of Expression::parse
  /// and evaluate, and SB161.
  [[nodiscard]] Result<Value> evaluate(std::string_view expression) const;
  /// Bytes 1 to 8 of memory; what the workload does not touch is 0.
  [[nodiscard]] std::uint64_t memory(std::uint64_t address, std::uint32_t bytes) const;
  /// Index of the operation of that id. SB162: there is none.
  [[nodiscard]] Result<std::uint32_t> operation(std::uint32_t id) const;
  /// "write 17", "write", of any operation, or "17", whose issue that is. SB162; SB163: it is none of these.
  [[nodiscard]] Result<Happening> happening(std::string_view text) const;
  /// "write     17 fp d=F8 s=F6,F2"
  [[nodiscard]] std::string text_of(const Happening& happening) const;

 private:
  struct Impl;
  explicit Debugger(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::scoreboard
