// What the questions of the laboratory have in common: what is being done with the program on the desk.
#pragma once

#include <map>
#include <memory>

#include "desk.h"
#include "mobula/lab/firmware_debugger.h"
#include "mobula/scoreboard/debugger.h"

namespace mobula::web {

struct Work {
  ir::Program lifted;  ///< of the program, while it is being debugged
  std::unique_ptr<Debugger> session;
  std::unique_ptr<firmware::Debugger> firmware;  ///< of a program that is firmware
  /// Where the source is a workload of the scoreboard: its core and run, instead of all that.
  std::unique_ptr<scoreboard::Debugger> core;
};
Work& work();

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

/// How much of what takes long is done, told to the page.
void show_progress(std::uint64_t done, std::uint64_t total);

/// What was given with the program: meshes, pictures, what shaders include. By name; `name` may have folders before it.
const std::vector<std::uint8_t>* find_file(std::string_view name);

Result<RunInputs> inputs_of(const Json& request, const Program& program);

/// So far a timeline goes.
constexpr std::uint64_t shown_cycles = 2000;
/// Of firmware: the report of "mobula time --stream" with the stream in "inputs", and what its cores do.
Answer time_stream(const Json& request);

std::span<const Question> file_questions();
std::span<const Question> run_questions();
std::span<const Question> workload_questions();
std::span<const Question> firmware_questions();
/// Where the module has the compiler of shaders.
std::span<const Question> compile_questions();

}  // namespace mobula::web
