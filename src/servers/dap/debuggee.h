// What a client debugs: a program, its inputs, a debugger, and the text that the client shows for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mobula/isa/machine.h"
#include "mobula/lab/debugger.h"
#include "mobula/lab/word_texts.h"
#include "servers/arguments.h"

namespace mobula::servers::dap {

/// The arguments of "launch"; docs/debugging.md describes them.
struct LaunchOptions {
  std::string program, machine, inputs, side;
  std::optional<std::uint32_t> threads, thread;
  std::optional<std::uint64_t> step_limit;
  Policies policies;
  bool stop_on_entry = true, stop_on_exit = false, no_debug = false;
};
LaunchOptions launch_options(const Arguments& arguments);

class Debuggee {
 public:
  /// A Refusal says why it cannot be.
  static std::unique_ptr<Debuggee> launch(const LaunchOptions& options);

  const Program program;
  const ir::Program lifted;
  const RunInputs inputs;
  const WordTexts words;

  Debugger& debugger() { return *debugger_; }

  // ---- text: what was assembled, or else a listing

  /// The Source of the protocol.
  [[nodiscard]] Json source() const;
  /// True if the client means this text by its Source.
  [[nodiscard]] bool is_source(const Arguments& source) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  /// 1-based; nothing where no word starts.
  [[nodiscard]] std::optional<std::uint32_t> line_of(std::uint64_t address) const;
  /// Of the first word in the line or after it.
  [[nodiscard]] std::optional<SourceLine> word_from(std::uint32_t line) const;
  [[nodiscard]] const std::vector<SourceLine>& lines() const { return lines_; }

  // ---- threads: lanes that are not helpers

  /// Of a thread's id, or a Refusal.
  [[nodiscard]] std::uint32_t lane_of(std::int64_t id) const;
  [[nodiscard]] std::int64_t id_of(std::uint32_t lane) const { return std::int64_t{debugger_->thread(lane).index} + 1; }
  /// A thread that can go on.
  [[nodiscard]] std::optional<std::uint32_t> live_lane() const;
  [[nodiscard]] const LaneFault* fault_of(std::uint32_t lane) const;

 private:
  Debuggee(Program read, ir::Program micro_operations, RunInputs fed);
  void read_text();

  std::optional<Debugger> debugger_;
  std::string text_;
  std::vector<SourceLine> lines_;    ///< of words that are executed, by address
  std::vector<SourceLine> by_line_;  ///< the same
  bool is_listing_ = false;
};

}  // namespace mobula::servers::dap
