// What the questions have in common: their JSON, and what is on the desk, which lasts from one question to the next.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/mobula.h"
#include "reply.h"

namespace mobula::web {

/// What the last "open" or "assemble" gave.
struct Desk {
  Program program;
  /// What is being done with it (laboratory.h), which goes when another program comes.
  std::shared_ptr<void> work;
  bool is_workload = false;  ///< of the scoreboard, instead of a program
};
Desk& desk();
const Machine& machine();
void put_on_desk(Program program);

/// The program of a request's text, or of the bytes that came with it.
Result<Program> program_of(const Json& request, Bytes bytes);
/// Words, what the rules say, and what is known of the interface.
Json about(const Program& program);

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

/// Those of this module: decoders.cpp or laboratory.cpp.
std::vector<std::span<const Question>> questions();

}  // namespace mobula::web
