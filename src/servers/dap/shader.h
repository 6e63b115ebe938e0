// A program of shader cores with its inputs; places are addresses, threads are lanes that are no helpers.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mobula/isa/machine.h"
#include "mobula/lab/debugger.h"
#include "mobula/lab/word_texts.h"
#include "servers/dap/debuggee.h"

namespace mobula::servers::dap {

class ShaderDebuggee final : public Debuggee {
 public:
  static std::unique_ptr<ShaderDebuggee> launch(Program program, const LaunchOptions& options);

  const Program program;
  const ir::Program lifted;
  const RunInputs inputs;
  const WordTexts words;

  Debugger& debugger() { return *debugger_; }

  [[nodiscard]] Answer find_answer(std::string_view command) const override;
  [[nodiscard]] Diagnostics warnings() const override { return inputs.warnings; }
  Halt advance(const Running& running) override;
  void restart() override { debugger_->restart(); }
  [[nodiscard]] std::optional<Met> met() const override;
  void remove_breakpoint(std::uint32_t number) override { debugger_->remove(number); }
  [[nodiscard]] std::int64_t current_thread() const override { return id_of(debugger_->lane()); }
  [[nodiscard]] std::string fault() const override;
  bool choose_live() override;
  [[nodiscard]] Ending ending() const override;

  /// Of a breakpoint.
  static std::optional<std::uint64_t> place_of(const Debugger::Breakpoint& point) { return point.address; }

  // ---- threads

  /// Of a thread's id, or a Refusal.
  [[nodiscard]] std::uint32_t lane_of(std::int64_t id) const;
  [[nodiscard]] std::int64_t id_of(std::uint32_t lane) const { return std::int64_t{debugger_->thread(lane).index} + 1; }
  [[nodiscard]] const LaneFault* fault_of(std::uint32_t lane) const;

 private:
  ShaderDebuggee(Program read, ir::Program micro_operations, RunInputs fed);
  void read_text();

  std::optional<Debugger> debugger_;
};

/// The debuggee of a request that find_answer() gave; a Refusal if it must be stopped and is running.
ShaderDebuggee& shader(Server& server);
ShaderDebuggee& stopped_shader(Server& server);

}  // namespace mobula::servers::dap
