// Firmware that processes command streams; threads are its cores, places are words of a core's program.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mobula/lab/firmware_debugger.h"
#include "servers/dap/debuggee.h"

namespace mobula::servers::dap {

class FirmwareDebuggee final : public Debuggee {
 public:
  using Point = firmware::Debugger::Point;

  /// `first` and the images of the options run together.
  static std::unique_ptr<FirmwareDebuggee> launch(Program first, const LaunchOptions& options);

  firmware::Debugger& debugger() { return debugger_; }

  [[nodiscard]] Answer find_answer(std::string_view command) const override;
  [[nodiscard]] Diagnostics warnings() const override { return {}; }
  Halt advance(const Running& running) override;
  void restart() override;
  [[nodiscard]] std::optional<Met> met() const override;
  void remove_breakpoint(std::uint32_t number) override { debugger_.remove(number); }
  [[nodiscard]] std::int64_t current_thread() const override { return id_of(debugger_.core); }
  [[nodiscard]] std::string fault() const override { return fault_of(debugger_.core); }
  bool choose_live() override { return !debugger_.ended(); }
  [[nodiscard]] Ending ending() const override;

  /// Of going back; an end that was told may come again.
  Halt gone_back(Halt halt);

  // ---- cores

  static std::int64_t id_of(std::size_t core) { return static_cast<std::int64_t>(core) + 1; }
  /// Of a thread's id, or a Refusal.
  [[nodiscard]] std::size_t core_of(std::int64_t id) const;
  [[nodiscard]] std::vector<firmware::CoreReport> cores() const { return debugger_.emulator().cores(); }
  /// Why it cannot go on; empty if it can, or waits for a packet.
  [[nodiscard]] std::string fault_of(std::size_t core) const;

  // ---- places

  static std::uint64_t place_of(Point at) { return std::uint64_t{at.core} << 32 | at.word; }
  /// Of a breakpoint.
  static std::optional<std::uint64_t> place_of(const firmware::Debugger::Breakpoint& point) {
    return point.place ? std::optional(place_of(*point.place)) : std::nullopt;
  }
  /// Of a word with an instruction, or a Refusal.
  [[nodiscard]] Point point_at(std::uint64_t place) const;
  /// Words of a core that are instructions, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& words_of(std::size_t core) const { return words_[core]; }
  [[nodiscard]] std::uint64_t next_place(std::size_t core) const { return place_of(debugger_.next(core)); }

 private:
  FirmwareDebuggee(const std::vector<Program>& images, firmware::Debugger debugger);
  void read_text(const std::vector<Program>& images);

  firmware::Debugger debugger_;
  std::vector<std::vector<std::uint32_t>> words_;  ///< by core
  bool told_fault_ = false;
};

}  // namespace mobula::servers::dap
