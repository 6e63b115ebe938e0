// What the questions have in common: their JSON, and what is on the desk, which lasts from one question to the next.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "mobula/lab/firmware_debugger.h"
#include "mobula/mobula.h"
#include "mobula/scoreboard/debugger.h"
#include "reply.h"

namespace mobula::web {

/// What the last "open" or "assemble" gave.
struct Desk {
  Program program;
  ir::Program lifted;  ///< of it, while it is being debugged
  std::unique_ptr<Debugger> session;
  std::unique_ptr<firmware::Debugger> firmware;  ///< of a program that is firmware
  /// Where the source is a workload of the scoreboard: its core and run, instead of all that.
  std::unique_ptr<scoreboard::Debugger> core;
};
Desk& desk();
const Machine& machine();
void put_on_desk(Program program);

/// A row for each register: its name, its value, whether it has just changed.
Json register_row(std::string_view name, std::string_view value, bool is_changed);

/// What each thread does in each cycle, in rows: one for each execution.
class Rows final : public TimelineSink {
 public:
  void begin(const TimelineInfo& info) override { info_ = &info; }
  void on(const TimelineEvent& event) override;
  void end(std::uint64_t cycles) override { cycles_ = cycles; }
  Json take();

 private:
  const TimelineInfo* info_ = nullptr;
  std::uint64_t cycles_ = 0;
  std::map<std::uint64_t, Json> rows_;
};

/// The program of a request's text, or of the bytes that came with it.
Result<Program> program_of(const Json& request, Bytes bytes);
Result<RunInputs> inputs_of(const Json& request, const Program& program);

// ---- the questions, by what they are about

using Ask = Answer (*)(const Json&, Bytes);
struct Question {
  std::string_view name;
  Ask ask;
  /// What has to be on the desk.
  enum class Needs : std::uint8_t { nothing, program, core } needs = Needs::program;
};
std::span<const Question> program_questions();
std::span<const Question> view_questions();
std::span<const Question> workload_questions();
std::span<const Question> firmware_questions();

}  // namespace mobula::web
