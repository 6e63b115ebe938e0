// dEQP's shader cases of OpenGL ES 2, and own ones of OpenGL ES 3 in their format: each value block as vertex and as
// fragment shader, by the evaluator and by machine code; and what must be refused.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "compile/attempt.h"
#include "compile/build.h"
#include "compile/deqp/cases.h"
#include "compile/evaluation.h"
#include "compile/machine_run.h"
#include "paths.h"
#include "trials.h"

namespace mobula::test {
namespace {

using deqp::Block;
using deqp::Case;
using Storage = deqp::Value::Storage;

std::vector<Case> cases_of(const std::filesystem::path& folder) {
  std::vector<Case> all;
  if (!std::filesystem::is_directory(folder)) return all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".test") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    for (Case& each : deqp::read_cases(entry.path().stem().string(), text.str())) all.push_back(std::move(each));
  }
  return all;
}
std::vector<Case> all_cases() { return cases_of(sample("deqp-gles2")); }

/// `Run` is an Evaluation or a MachineRun.
template <class Run>
void put_block(Run& run, const Block& block, std::size_t row, bool attributes) {
  for (const deqp::Value& value : block) {
    const std::vector<double>& numbers = value.rows[std::min(row, value.rows.size() - 1)];
    if (value.storage == Storage::uniform) run.put(value.name, numbers);
    if (value.storage == Storage::input)
      run.put(attributes ? deqp::attribute_name(value) : deqp::varying_name(value), numbers);
  }
  run.put("dEQP_Position", {0, 0, 0, 1});
}

bool is_near(double expected, double found) {
  return std::fabs(expected - found) <= 5e-3 + 5e-3 * std::max(std::fabs(expected), std::fabs(found));
}
/// Integers are exact, whether their sign is known or not; what gl_FragData and old varyings have are floats.
bool is_right(const std::string& type, double expected, double found) {
  const auto bits = [](double number) { return static_cast<std::uint32_t>(static_cast<std::int64_t>(number)); };
  if (type.starts_with("int") || type.starts_with("ivec") || type.starts_with('u'))
    return std::isfinite(found) && bits(expected) == bits(found);
  return is_near(expected, found) || (std::isinf(expected) && expected == found);
}

/// Why an output of a text is not what the row says; empty if all are.
template <class Run>
std::string wrong_output(Run& run, const std::string& shader, const Block& block, std::size_t row, bool vertex) {
  for (const deqp::Value& value : block) {
    if (value.storage != Storage::output) continue;
    const std::vector<double>& numbers = value.rows[std::min(row, value.rows.size() - 1)];
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto column = static_cast<unsigned>(i / deqp::rows(value.type)),
                 component = static_cast<unsigned>(i % deqp::rows(value.type));
      const double found =
          vertex ? run.get(deqp::varying_name(value), column, component)
                 : run.get(deqp::colour_name(shader, deqp::first_colour(block, value) + column), 0, component);
      if (!is_right(value.type, numbers[i], found)) {
        std::ostringstream text;
        text << value.name << " component " << i << " of row " << row << ": " << numbers[i] << " is expected, " << found
             << " found";
        return text.str();
      }
    }
  }
  return "";
}

std::size_t rows_of(const Block& block) {
  std::size_t rows = 1;
  for (const deqp::Value& value : block) rows = std::max(rows, value.rows.size());
  return rows;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// One text as one stage, all rows.
std::string failure_of(const std::string& text, const Block& block, bool vertex) {
  const std::string whole = vertex ? deqp::vertex_text(text, block) : deqp::fragment_text(text, block);
  const auto program = ssa_of(whole, vertex ? Stage::vertex : Stage::fragment);
  if (!program) return first_line(errors_of(program));
  for (const Form& form : forms_of(*program)) {
    Evaluation run(form.program);
    for (std::size_t row = 0; row < rows_of(block); ++row) {
      put_block(run, block, row, vertex);
      if (const std::string fault = run.evaluator.run(); !fault.empty()) return fault;
      if (const std::string wrong = wrong_output(run, text, block, row, vertex); !wrong.empty()) return wrong;
    }
  }
  return "";
}

std::string failure_of_forms(const ssa::Program& vertex, const ssa::Program& fragment, const Case& each,
                             const Block& block) {
  Evaluation first(vertex), second(fragment);
  for (std::size_t row = 0; row < rows_of(block); ++row) {
    put_block(first, block, row, true);
    put_block(second, block, row, false);
    if (const std::string fault = first.evaluator.run(); !fault.empty()) return fault;
    for (const ssa::Variable& variable : vertex.variables)
      for (const ssa::Slot& slot : variable.slots)
        if (variable.storage == ssa::Storage::output)
          if (const auto place = second.evaluator.find(slot.name))
            for (std::uint32_t lane = 0; lane < 4; ++lane)
              second.evaluator.at(*place, lane) = first.evaluator.at(*first.evaluator.find(slot.name), 0);
    if (const std::string fault = second.evaluator.run(); !fault.empty()) return fault;
    if (const std::string wrong = wrong_output(second, each.fragment, block, row, false); !wrong.empty()) return wrong;
  }
  return "";
}

/// A vertex and a fragment shader, one after the other.
std::string failure_of_pair(const Case& each, const Block& block) {
  const auto vertex = ssa_of(deqp::vertex_text(each.vertex, block), Stage::vertex);
  if (!vertex) return first_line(errors_of(vertex));
  const auto fragment = ssa_of(deqp::fragment_text(each.fragment, block), Stage::fragment);
  if (!fragment) return first_line(errors_of(fragment));
  const std::vector<Form> vertex_forms = forms_of(*vertex), fragment_forms = forms_of(*fragment);
  for (std::size_t i = 0; i < vertex_forms.size(); ++i)
    if (const std::string failure = failure_of_forms(vertex_forms[i].program, fragment_forms[i].program, each, block);
        !failure.empty())
      return failure;
  return "";
}

// ---- by machine code

std::string failure_of_attempt(const Attempt& made) {
  return made.is_verified() ? "" : std::string(name(made.end)) + ": " + made.code + ' ' + first_line(made.why);
}

std::string failure_of_rows(const Attempt& made, const std::string& text, const Block& block, bool vertex) {
  if (!made.is_verified()) return failure_of_attempt(made);
  const auto lifted = find_machine(made.program.machine)->lift(made.program, {});
  MachineRun run(made.form, made.program, *lifted);
  for (std::size_t row = 0; row < rows_of(block); ++row) {
    put_block(run, block, row, vertex);
    if (const std::string fault = run.run(); !fault.empty()) return fault;
    if (const std::string wrong = wrong_output(run, text, block, row, vertex); !wrong.empty()) return wrong;
  }
  return "";
}

std::string failure_of_code(const compile::Target& target, const std::string& text, const Block& block, bool vertex) {
  const std::string whole = vertex ? deqp::vertex_text(text, block) : deqp::fragment_text(text, block);
  return failure_of_rows(attempt(whole, vertex ? Stage::vertex : Stage::fragment, target), text, block, vertex);
}

std::string failure_of_code_pair(const compile::Target& target, const Case& each, const Block& block) {
  const Attempt vertex = attempt(deqp::vertex_text(each.vertex, block), Stage::vertex, target);
  const Attempt fragment = attempt(deqp::fragment_text(each.fragment, block), Stage::fragment, target);
  for (const Attempt* made : {&vertex, &fragment})
    if (!made->is_verified()) return failure_of_attempt(*made);
  const Machine& machine = *find_machine(target.machine);
  const auto vertex_lifted = machine.lift(vertex.program, {}), fragment_lifted = machine.lift(fragment.program, {});
  MachineRun first(vertex.form, vertex.program, *vertex_lifted);
  MachineRun second(fragment.form, fragment.program, *fragment_lifted);
  for (std::size_t row = 0; row < rows_of(block); ++row) {
    put_block(first, block, row, true);
    put_block(second, block, row, false);
    if (const std::string fault = first.run(); !fault.empty()) return fault;
    for (const ssa::Variable& variable : vertex.form.variables)
      for (const ssa::Slot& slot : variable.slots) {
        if (variable.storage != ssa::Storage::output) continue;
        std::vector<double> numbers;
        for (unsigned i = 0; i < slot.type.components; ++i) numbers.push_back(first.get(slot.name, 0, i));
        second.put(slot.name, numbers);
      }
    if (const std::string fault = second.run(); !fault.empty()) return fault;
    if (const std::string wrong = wrong_output(second, each.fragment, block, row, false); !wrong.empty()) return wrong;
  }
  return "";
}

/// What is counted, and the names of what failed, by why.
struct Count {
  int passed = 0, limits = 0;
  std::map<std::string, std::string> failed;
  void add(const std::string& name, const std::string& as, const std::string& failure) {
    if (failure.find("a pixel has 8") != std::string::npos) {
      ++limits;
      return;
    }
    if (failure.empty())
      ++passed;
    else
      failed[name + as] = failure;
  }
  [[nodiscard]] std::string list() const {
    std::string text;
    for (const auto& [name, why] : failed) text += name + ": " + why + '\n';
    return text;
  }
};

/// One case of how many the evaluator computes: all of them take minutes under sanitizers.
std::size_t evaluated_step() { return sanitized && !whole() ? 24 : 1; }
/// The same of machine code, of which they take minutes anyway.
std::size_t machine_step() { return whole() ? 1 : sanitized ? 72 : 12; }

/// The value blocks of one case of `step`, by one way of computing them.
void check_value_blocks(const std::function<std::string(const std::string&, const Block&, bool)>& of_text,
                        const std::function<std::string(const Case&, const Block&)>& of_pair, std::size_t step,
                        int beyond_a_pixel = 0) {
  const std::vector<Case> cases = all_cases();
  if (cases.empty()) GTEST_SKIP() << "no samples";
  Count vertex, fragment, pairs;
  int blocks = 0;
  std::size_t number = 0;
  for (const Case& each : cases) {
    blocks += static_cast<int>(each.blocks.size());
    if (each.expect != "pass" || number++ % step != 0) continue;
    const std::vector<Block> run = each.blocks.empty() ? std::vector<Block>{{}} : each.blocks;
    for (std::size_t i = 0; i < run.size(); ++i) {
      const std::string name = each.name + (i == 0 ? "" : '#' + std::to_string(i));
      if (!each.both.empty()) {
        vertex.add(name, " as vertex shader", of_text(each.both, run[i], true));
        fragment.add(name, " as fragment shader", of_text(each.both, run[i], false));
      } else {
        pairs.add(name, " as a pair", of_pair(each, run[i]));
      }
    }
  }
  EXPECT_EQ(blocks, 1076);
  std::printf(
      "%d value blocks: as vertex shaders %d pass; as fragment shaders %d; %d pairs pass; %d are beyond a pixel's "
      "words\n",
      blocks, vertex.passed, fragment.passed, pairs.passed, fragment.limits + pairs.limits);
  if (step == 1) EXPECT_EQ(fragment.limits + pairs.limits, beyond_a_pixel);
  EXPECT_EQ(vertex.list() + fragment.list() + pairs.list(), "");
}

TEST(Deqp, EveryValueBlockComesOut) { check_value_blocks(failure_of, failure_of_pair, evaluated_step()); }

/// Own cases of OpenGL ES 3 and 3.1, one of `step`, by `of_text` and `of_pair` as above.
void check_own_cases(const std::function<std::string(const std::string&, const Block&, bool)>& of_text,
                     const std::function<std::string(const Case&, const Block&)>& of_pair, std::size_t step) {
  const std::vector<Case> cases = cases_of(test_data("deqp-es3"));
  EXPECT_GT(cases.size(), 400U);
  std::string failures;
  for (std::size_t number = 0; number < cases.size(); number += step) {
    const Case& each = cases[number];
    if (each.expect != "pass") continue;
    for (std::size_t i = 0; i < each.blocks.size(); ++i) {
      const auto add = [&](const char* as, const std::string& failure) {
        if (!failure.empty()) failures += each.name + as + ": " + failure + '\n';
      };
      if (each.both.empty()) {
        add(" as a pair", of_pair(each, each.blocks[i]));
      } else {
        add(" as vertex shader", of_text(each.both, each.blocks[i], true));
        add(" as fragment shader", of_text(each.both, each.blocks[i], false));
      }
    }
  }
  EXPECT_EQ(failures, "");
}

TEST(DeqpEs3, EveryOwnCaseComesOut) { check_own_cases(failure_of, failure_of_pair, evaluated_step()); }

TEST(DeqpEs3, EveryOwnCaseComesOutOfMachineCode) {
  const compile::Target target{"midgard", "t860"};
  check_own_cases([&](const std::string& text, const Block& block,
                      bool vertex) { return failure_of_code(target, text, block, vertex); },
                  [&](const Case& each, const Block& block) { return failure_of_code_pair(target, each, block); },
                  machine_step());
}

/// Whether all integers are those that a float has exactly.
bool has_small_integers(const Block& block) {
  constexpr double most = 1 << 24;
  for (const deqp::Value& value : block)
    for (const std::vector<double>& row : value.rows)
      for (const double number : row)
        if (value.type.find_first_of("iu") == 0 && std::fabs(number) > most) return false;
  return true;
}

/// Machines that cannot do everything: what they refuse, they refuse for a limit of theirs.
void check_own_cases_within_limits(const compile::Target& target,
                                   const std::function<bool(const Block&, bool)>& applies) {
  int refused = 0, passed = 0;
  std::map<std::string, int> limits;
  const auto counted = [&](const std::string& failure) -> std::string {
    const bool is_limit = failure.find("CO030") != std::string::npos || failure.find("GP303") != std::string::npos;
    ++(is_limit ? refused : passed);
    if (is_limit) ++limits[failure];
    return is_limit ? "" : failure;
  };
  const auto of_text = [&](const std::string& text, const Block& block, bool vertex) {
    return applies(block, vertex) ? counted(failure_of_code(target, text, block, vertex)) : "";
  };
  const auto of_pair = [&](const Case& each, const Block& block) -> std::string {
    if (applies(block, false)) return counted(failure_of_code_pair(target, each, block));
    if (!applies(block, true)) return "";
    return counted(failure_of_attempt(attempt(deqp::vertex_text(each.vertex, block), Stage::vertex, target)));
  };
  check_own_cases(of_text, of_pair, machine_step());
  std::printf("%d pass, %d are beyond %s:\n", passed, refused, target.machine.c_str());
  for (const auto& [why, times] : limits) std::printf("%4d %s\n", times, why.c_str());
  EXPECT_GT(passed, refused);
}

TEST(DeqpEs3, EveryOwnCaseComesOutOfRogueOrIsBeyondIt) {
  check_own_cases_within_limits({"rogue", ""}, [](const Block&, bool) { return true; });
}

TEST(DeqpEs3, EveryOwnCaseComesOutOfUtgardGpOrIsBeyondIt) {
  check_own_cases_within_limits({"utgard-gp", "mali450"},
                                [](const Block& block, bool vertex) { return vertex && has_small_integers(block); });
}

/// Matrices of 12 and 16 numbers do not fit a pixel of Rogue.
void check_machine_code(const compile::Target& target, int beyond_a_pixel = 0) {
  check_value_blocks([&](const std::string& text, const Block& block,
                         bool vertex) { return failure_of_code(target, text, block, vertex); },
                     [&](const Case& each, const Block& block) { return failure_of_code_pair(target, each, block); },
                     machine_step(), beyond_a_pixel);
}

TEST(Deqp, EveryValueBlockComesOutOfMachineCode) { check_machine_code({"midgard", "t860"}); }

TEST(Deqp, EveryValueBlockComesOutOfRogueCode) { check_machine_code({"rogue", ""}, 26); }

/// Every text for both stages as vertex shader; of pairs the vertex shader, whose outputs are no values of the block.
TEST(Deqp, EveryValueBlockComesOutOfUtgardGpOrIsBeyondIt) {
  const std::vector<Case> cases = all_cases();
  if (cases.empty()) GTEST_SKIP() << "no samples";
  Count both, pairs;
  std::map<std::string, int> limits;
  std::size_t number = 0;
  for (const Case& each : cases) {
    if (each.expect != "pass" || number++ % machine_step() != 0) continue;
    const std::vector<Block> run = each.blocks.empty() ? std::vector<Block>{{}} : each.blocks;
    for (std::size_t i = 0; i < run.size(); ++i) {
      const std::string name = each.name + (i == 0 ? "" : '#' + std::to_string(i));
      const bool is_pair = each.both.empty();
      const std::string text = deqp::vertex_text(is_pair ? each.vertex : each.both, run[i]);
      const Attempt made = attempt(text, Stage::vertex, {"utgard-gp", "mali450"});
      if (made.end == Attempt::End::back_end && made.code == "CO030")
        ++limits[made.why];
      else
        (is_pair ? pairs : both)
            .add(name, "", is_pair ? failure_of_attempt(made) : failure_of_rows(made, text, run[i], true));
    }
  }
  std::printf("vertex shaders: %d pass; of pairs %d; beyond the machine:\n", both.passed, pairs.passed);
  for (const auto& [why, times] : limits) std::printf("%4d %s\n", times, why.c_str());
  EXPECT_EQ(both.list() + pairs.list(), "");
}

/// Why a text that must be refused is not; empty if it is.
std::string failure_to_refuse(const Case& each) {
  const Block block = each.blocks.empty() ? Block{} : each.blocks.front();
  const std::string& vertex = each.both.empty() ? each.vertex : each.both;
  const std::string& fragment = each.both.empty() ? each.fragment : each.both;
  const bool vertex_taken = spirv_of(deqp::vertex_text(vertex, block), Stage::vertex).has_value();
  const bool fragment_taken = spirv_of(deqp::fragment_text(fragment, block), Stage::fragment).has_value();
  // A text for both stages must be refused as either, a pair in one of them.
  const bool wrong = each.both.empty() ? vertex_taken && fragment_taken : vertex_taken || fragment_taken;
  return wrong ? std::string("is taken as ") + (vertex_taken ? "vertex" : "fragment") + " shader" : "";
}

/// What of a pair does not fit, line by line; each of the two is taken by itself.
std::string misfits_of(const Case& each) {
  const Block block = each.blocks.empty() ? Block{} : each.blocks.front();
  compile::Remarks vertex, fragment;
  const std::string vertex_text = deqp::vertex_text(each.vertex, block),
                    fragment_text = deqp::fragment_text(each.fragment, block);
  const auto first = compile::glsl_to_spirv({"vertex", vertex_text, Stage::vertex, {}, {}}, &vertex);
  const auto second = compile::glsl_to_spirv({"fragment", fragment_text, Stage::fragment, {}, {}}, &fragment);
  if (!first || !second) return "";
  std::string text;
  for (const Diagnostic& misfit : compile::misfits(vertex.shared, fragment.shared)) text += misfit.message + '\n';
  return text;
}

/// Why a text is not taken as either stage, or one of a pair by itself; empty if they are.
std::string errors_of_texts(const Case& each) {
  const Block block = each.blocks.empty() ? Block{} : each.blocks.front();
  const std::string& vertex = each.both.empty() ? each.vertex : each.both;
  const std::string& fragment = each.both.empty() ? each.fragment : each.both;
  std::string text;
  if (const auto taken = spirv_of(deqp::vertex_text(vertex, block), Stage::vertex); !taken) text += errors_of(taken);
  if (const auto taken = spirv_of(deqp::fragment_text(fragment, block), Stage::fragment); !taken)
    text += errors_of(taken);
  return text;
}

TEST(DeqpEs3, WhatMustBeRefusedIsRefused) {
  std::string taken;
  for (const Case& each : cases_of(test_data("deqp-es3"))) {
    if (const std::string why = each.expect == "compile_fail" ? failure_to_refuse(each) : ""; !why.empty())
      taken += each.name + ": " + why + '\n';
    if (each.expect == "link_fail" && misfits_of(each).empty()) taken += each.name + ": is linked\n";
    if (each.expect != "build_successful") continue;
    const std::string misfits = each.both.empty() ? misfits_of(each) : "";
    if (const std::string why = errors_of_texts(each) + misfits; !why.empty()) taken += each.name + ": " + why + '\n';
  }
  EXPECT_EQ(taken, "");
}

TEST(Deqp, WhatMustBeRefusedIsRefused) {
  const std::vector<Case> cases = all_cases();
  if (cases.empty()) GTEST_SKIP() << "no samples";
  Count refused;
  Count to_link, fitting;
  int inapplicable = 0;
  for (const Case& each : cases) {
    if (each.expect == "link_fail") to_link.add(each.name, "", misfits_of(each).empty() ? "is linked" : "");
    if (each.expect == "pass" && each.both.empty()) fitting.add(each.name, "", misfits_of(each));
    if (each.expect != "compile_fail") continue;
    // Ours has more, as all of these machines do.
    if (each.requires_what == "exactly_one_draw_buffer") {
      ++inapplicable;
      continue;
    }
    refused.add(each.name, "", failure_to_refuse(each));
  }
  std::printf("%d are refused, %d do not apply; of %d pairs linking refuses %d, and takes %d of the others\n",
              refused.passed, inapplicable, to_link.passed + fitting.passed, to_link.passed, fitting.passed);
  EXPECT_EQ(refused.passed + inapplicable, 517);
  EXPECT_EQ(refused.list() + to_link.list() + fitting.list(), "");
  EXPECT_EQ(to_link.passed, 10);
}

}  // namespace
}  // namespace mobula::test
