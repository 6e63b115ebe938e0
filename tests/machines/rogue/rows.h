// What every row of the table computes, said a second time: for rows_test.cpp, which runs the rows and compares.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lift_run.h"

namespace mobula::rogue {

/// One thing that a row must do.
struct Statement {
  std::string row;   ///< "p0 fmad": unit and name, and the form where that tells two rows apart
  std::string text;  ///< a program with the row in it
  std::function<void(const Bytes&)> holds{};  ///< runs it and compares
};

std::vector<Statement> main_statements();
std::vector<Statement> bitwise_statements();
std::vector<Statement> backend_statements();
std::vector<Statement> control_statements();

// ---- instructions that compute a value of values

struct Sources {
  std::array<std::uint32_t, 6> words{};  ///< r0..r5
  bool p0 = false;
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const { return words[i]; }
  /// As a float; denormals are zeros.
  [[nodiscard]] float f(std::size_t i) const;
};
/// What r8, r9 and P0 must be; nothing is asked of what is not said.
struct Expected {
  std::optional<std::uint32_t> r8{}, r9{};
  std::optional<bool> p0{};
  bool is_float = false;    ///< r8 is: one NaN is as good as another
  double tolerance = 0;     ///< relative, of r8
  bool is_outside = false;  ///< these sources are not what the instruction is for
};
using Function = std::function<Expected(const Sources&)>;

/// A row whose instruction is run on all pairs of extremes, on random bits and on ordinary floats.
Statement computes(std::string row, std::string text, Function function);

float flush(float x);
/// A float result, rounded to 32 bits, denormals flushed.
Expected real(double x, double tolerance = 0);
inline Expected word(std::uint32_t x) { return {.r8 = x}; }
inline Expected truth(bool x) { return {.p0 = x}; }

/// A row that is run once, by `act` after `prepare`.
Statement acts(std::string row, std::string text, std::function<void(Task&)> prepare,
               std::function<void(Task&)> compare, std::uint32_t lanes = 1, Policies policies = {});
/// A row that stops with this reason, which a policy or the absence of documents says.
Statement stops(std::string row, std::string text, std::string reason);

}  // namespace mobula::rogue
