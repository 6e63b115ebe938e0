// A workload on the scoreboard core, clock by clock. There is one thread, the core; a place is an operation of the
// workload, and the next one to be issued is where it stands.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mobula/scoreboard/debugger.h"
#include "servers/dap/debuggee.h"

namespace mobula::servers::dap {

class ScoreboardDebuggee final : public Debuggee {
 public:
  static constexpr std::int64_t thread = 1;  ///< its id

  static std::unique_ptr<ScoreboardDebuggee> launch(std::span<const std::uint8_t> bytes, const LaunchOptions& options);

  scoreboard::Debugger& debugger() { return debugger_; }

  [[nodiscard]] Answer find_answer(std::string_view command) const override;
  [[nodiscard]] Diagnostics warnings() const override { return {}; }
  Halt advance(const Running& running) override;
  void restart() override { go_back(debugger_.clock()); }
  [[nodiscard]] std::optional<Met> met() const override;
  void remove_breakpoint(std::uint32_t number) override { debugger_.remove(number); }
  [[nodiscard]] std::int64_t current_thread() const override { return thread; }
  [[nodiscard]] std::string fault() const override;
  bool choose_live() override { return !debugger_.finished() && !is_stuck_; }
  [[nodiscard]] Ending ending() const override;

  Halt step();
  Halt go_back(std::uint64_t clocks);
  /// To where it last would have stopped.
  Halt go_back();

  // ---- places

  /// That of the operation which is issued next; after the last one, where none is left.
  [[nodiscard]] std::uint64_t next_place() const;
  [[nodiscard]] std::string text_of(std::uint64_t place) const;
  /// Of a breakpoint.
  static std::optional<std::uint64_t> place_of(const scoreboard::Debugger::Breakpoint& point);

 private:
  ScoreboardDebuggee(scoreboard::Debugger debugger, const std::string& file, std::string_view typed);
  Halt halted(scoreboard::Debugger::Halt halt);

  scoreboard::Debugger debugger_;
  bool is_stuck_ = false;  ///< told, too
};

}  // namespace mobula::servers::dap
