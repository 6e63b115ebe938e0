#include "compile/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "compile/verify/outcome.h"
#include "machines/variants.h"
#include "mobula/isa/machine.h"

namespace mobula::compile {
namespace {

using ssa::Base;
using ssa::Bits;
using ssa::BuiltIn;

/// What the ways of computing a program agree on.
struct Promise {
  Outcome defined;
  std::vector<double> allowed;  ///< of each number; infinity: nothing is promised
  std::vector<bool> lanes;      ///< whether anything is promised of a lane
  std::optional<Reach> reach;   ///< of more ways than usual
};

/// A place where the two differ.
struct Mismatch {
  std::uint32_t lane = 0;
  std::string output, expected, found;
  double allowed = 0;
};

std::string text_of(const ssa::Type& type, bool is_signed, std::uint32_t bits) {
  if (type.base == Base::real) return fmt::format("{}", std::bit_cast<float>(bits));
  if (type.base == Base::boolean) return bits != 0 ? "true" : "false";
  return is_signed ? std::to_string(static_cast<std::int32_t>(bits)) : std::to_string(bits);
}

std::string text_of(const GivenVector& vector, std::uint32_t lane) {
  std::string text;
  for (unsigned i = 0; i < vector.type.components; ++i) {
    const std::uint32_t bits = vector.of(lane)[i];
    text += text.empty() ? "" : ", ";
    text += vector.is_boolean ? (bits != 0 ? "true" : "false") : text_of(vector.type, vector.is_signed, bits);
  }
  return vector.type.components == 1 ? text : '(' + text + ')';
}

/// How far a result may be off that is rounded once more when it is stored.
double rounding_of(const OutNumber& number, bool places_positions) {
  if (number.type.base != Base::real) return 0;
  const double magnitude = std::fabs(number.value());
  // A point size is 16 bits for rasterisers, whatever it is for the source.
  const bool is_half = number.type.relaxed || number.built_in == BuiltIn::point_size;
  if (places_positions && number.built_in == BuiltIn::position) return 0x1p-20 * std::max(magnitude, 256.0);
  if (number.step != 0) return number.step;
  return is_half ? std::max(0x1p-9 * magnitude, 0x1p-14) : std::max(0x1p-22 * magnitude, 0x1p-126);
}

class Verification {
 public:
  Verification(const ssa::Program& form, const mobula::Program& code, const ir::Program& lifted,
               const VerifyOptions& options)
      : binding_(form, code), code_(code), lifted_(lifted), options_(options) {}

  VerifyOutcome run() {
    try_inputs(few_steps());
    const bool compares = outcome_.compared != 0 || outcome_.difference;
    if (!compares && !outcome_.obstacle.empty() && few_steps() < options_.steps) try_inputs(options_.steps);
    return std::move(outcome_);
  }

 private:
  /// Steps of a group as large as this take as long as all of a quad's: inputs that need more are left out as long as
  /// there are others.
  [[nodiscard]] std::uint64_t few_steps() const {
    constexpr std::uint64_t quad = 4, least = 256;
    return std::min(options_.steps, std::max(least, options_.steps * quad / binding_.lanes()));
  }

  /// Large groups are many threads each time, with values of their own: fewer will do, but of each kind.
  [[nodiscard]] std::uint32_t inputs_to_try() const {
    constexpr std::uint32_t kinds = 4, many_lanes = 128;
    const std::uint64_t fewer = std::uint64_t{options_.runs} * many_lanes / std::max(many_lanes, binding_.lanes());
    return std::min(options_.runs, std::max(kinds, static_cast<std::uint32_t>(fewer)));
  }

  void try_inputs(std::uint64_t steps) {
    outcome_ = {};
    Random random(options_.seed);
    const std::uint32_t usual = inputs_to_try(), most = usual * times_if_astray;
    for (std::uint32_t turn = 0; turn < (goes_astray() ? most : usual) && !outcome_.difference; ++turn) {
      if (options_.stop && options_.stop()) break;
      GivenInputs given = binding_.make(turn, random);
      given.steps = steps;
      lengthen_blocks(given, turn, random);
      counts_ = true;
      const auto found = difference(given);
      counts_ = false;
      if (found && is_certain(given)) explain(std::move(given), *found);
    }
  }

  /// Whether nothing has been compared, all of it because threads went beyond the end of something: with other integers
  /// they may not.
  [[nodiscard]] bool goes_astray() const {
    return outcome_.compared == 0 && outcome_.open != 0 && outcome_.astray == outcome_.open;
  }
  static constexpr std::uint32_t times_if_astray = 8;

  /// Until nothing is read or written beyond their ends. What is read there may say how far the next reads go.
  void lengthen_blocks(GivenInputs& given, std::uint32_t turn, Random& random) const {
    constexpr unsigned most_times = 8;
    for (unsigned times = 0; times < most_times && binding_.has_open_blocks(); ++times) {
      const Outcome way = evaluate(binding_, given, 0, true);
      for (const auto& [block, bytes] : way.too_small) binding_.lengthen(given, block, bytes, turn, random);
      if (way.too_small.empty()) return;
    }
  }

  static constexpr std::uint64_t usual_ways = 4, many_ways = 32, enough_ways = 256, most_ways = 4096;
  /// Instructions to be certain of a difference, and to make its inputs small: a few seconds.
  static constexpr std::uint64_t work_of_certainty = 40'000'000, work_of_search = 10'000'000;

  /// What is promised with these inputs, as far as that many ways tell. None: the source comes to no end.
  std::optional<Promise> promise_of(const GivenInputs& given, std::uint64_t ways) {
    Promise promise;
    if (ways > usual_ways) promise.reach.emplace(binding_.form(), binding_.lanes());
    promise.defined = one_way(promise, given, 0, true);
    if (!is_done(promise.defined)) return {};
    promise.lanes.assign(binding_.lanes(), true);
    promise.allowed.assign(promise.defined.numbers.size(), 0);
    for (std::uint32_t lane = 0; lane < binding_.lanes(); ++lane)
      if (promise.defined.astray[lane]) promise.lanes[lane] = false;
    if (has_promises(promise) && !narrow(promise, given, 1, ways)) return {};
    return promise;
  }
  /// Takes from a promise what these ways do differently. False: one of them comes to no end.
  bool narrow(Promise& promise, const GivenInputs& given, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t way = first; way <= last; ++way) {
      const Outcome other = one_way(promise, given, options_.seed * most_ways + way, false);
      work_ += other.work;
      if (!is_done(other)) return false;
      narrow(promise, other);
    }
    return true;
  }
  /// All that a compute shader gives is shared: by one that goes astray, too.
  [[nodiscard]] bool has_promises(const Promise& promise) const {
    return binding_.form().stage != Stage::compute || all_are_promised(promise);
  }
  static bool all_are_promised(const Promise& promise) {
    return std::ranges::find(promise.lanes, false) == promise.lanes.end();
  }
  Outcome one_way(Promise& promise, const GivenInputs& given, std::uint64_t seed, bool follows) const {
    return evaluate(binding_, given, seed, follows, promise.reach ? &*promise.reach : nullptr);
  }
  bool is_done(const Outcome& way) {
    if (way.problem.empty()) return true;
    if (counts_ && outcome_.obstacle.empty()) {
      outcome_.obstacle = way.problem;
      outcome_.advice = way.advice;
    }
    return false;
  }

  /// Takes from a promise what another way does differently.
  static void narrow(Promise& promise, const Outcome& other) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double margin = 3;  // ways are chance: others go further
    for (std::uint32_t lane = 0; lane < promise.lanes.size(); ++lane)
      if (other.astray[lane] || other.discarded[lane] != promise.defined.discarded[lane]) promise.lanes[lane] = false;
    for (std::size_t i = 0; i < promise.allowed.size(); ++i) {
      const OutNumber& number = promise.defined.numbers[i];
      const double defined = number.value(), here = other.numbers[i].value();
      if (number.type.base != Base::real && number.bits != other.numbers[i].bits) promise.allowed[i] = infinity;
      if (number.type.base != Base::real) continue;
      const bool is_known = std::isfinite(defined) && std::isfinite(here);
      promise.allowed[i] = std::max(promise.allowed[i], is_known ? margin * std::fabs(defined - here) : infinity);
    }
  }

  /// The first difference, if there is one.
  std::optional<Mismatch> difference(const GivenInputs& given) {
    const auto usual = promise_of(given, usual_ways);
    if (!usual) return {};
    if (counts_) count(*usual);
    if (!has_promises(*usual)) return {};
    const Outcome found = execute(binding_, given, code_, lifted_, usual->defined);
    if (!compare(*usual, found)) return {};
    // A close decision may have gone the same way in all of a few.
    const auto certain = promise_of(given, many_ways);
    return certain ? compare(*certain, found) : std::nullopt;
  }

  /// Whether they still differ when all is tried that is too slow for each of the smaller inputs: comparisons with what
  /// is no number, one after the other, come out the same way in most. Of large code, not as much is tried.
  [[nodiscard]] bool is_certain(const GivenInputs& given) {
    work_ = 0;
    auto promise = promise_of(given, many_ways);
    if (!promise) return false;
    const Outcome found = execute(binding_, given, code_, lifted_, promise->defined);
    for (std::uint64_t ways = many_ways; compare(*promise, found); ways *= 2) {
      if (ways >= most_ways || (ways >= enough_ways && work_ * 2 > work_of_certainty)) return true;
      if (!narrow(*promise, given, ways + 1, 2 * ways)) return false;
    }
    return false;
  }

  /// What all lanes share is promised where all of them are.
  static bool is_promised(const Promise& promise, const OutNumber& number) {
    return number.lane != OutNumber::of_all ? promise.lanes[number.lane] : all_are_promised(promise);
  }

  /// Of a discarded fragment it is compared that it is.
  static bool is_dropped(const Promise& promise, const OutNumber& number) {
    return number.lane != OutNumber::of_all && promise.defined.discarded[number.lane];
  }

  void count(const Promise& promise) {
    ++outcome_.runs;
    if (outcome_.beyond.empty()) outcome_.beyond = promise.defined.left;
    const std::vector<bool>& astray = promise.defined.astray;
    for (std::size_t i = 0; i < promise.allowed.size(); ++i) {
      const OutNumber& number = promise.defined.numbers[i];
      const bool is_compared =
          is_promised(promise, number) && (is_dropped(promise, number) || std::isfinite(promise.allowed[i]));
      ++(is_compared ? outcome_.compared : outcome_.open);
      const bool is_astray =
          number.lane == OutNumber::of_all ? std::ranges::find(astray, true) != astray.end() : astray[number.lane];
      if (!is_compared && is_astray) ++outcome_.astray;
    }
  }

  std::optional<Mismatch> compare(const Promise& promise, const Outcome& found) const {
    if (!found.problem.empty() && (found.faulted.empty() || all_are_promised(promise)))
      return Mismatch{0, "the execution", "an end", found.problem, 0};
    for (std::uint32_t lane = 0; lane < binding_.lanes(); ++lane)
      if (promise.lanes[lane] && promise.defined.discarded[lane] != found.discarded[lane])
        return Mismatch{lane, "whether the fragment is discarded", promise.defined.discarded[lane] ? "yes" : "no",
                        found.discarded[lane] ? "yes" : "no", 0};
    for (std::size_t i = 0; i < promise.allowed.size(); ++i)
      if (auto each = compare(promise, promise.defined.numbers[i], found.numbers[i], promise.allowed[i])) return each;
    return {};
  }
  [[nodiscard]] std::optional<Mismatch> compare(const Promise& promise, const OutNumber& wanted, const OutNumber& found,
                                                double allowed) const {
    const bool counts = is_promised(promise, wanted) && !is_dropped(promise, wanted);
    if (!counts || !std::isfinite(allowed) || !std::isfinite(wanted.value())) return {};
    allowed += rounding_of(wanted, binding_.places_positions());
    const bool is_same = wanted.type.base == Base::boolean ? (wanted.bits != 0) == (found.bits != 0)
                                                           : std::fabs(wanted.value() - found.value()) <= allowed;
    if (found.is_there && is_same) return {};
    return Mismatch{wanted.lane == OutNumber::of_all ? 0 : wanted.lane, wanted.name,
                    text_of(wanted.type, wanted.is_signed, wanted.bits),
                    found.is_there ? text_of(found.type, found.is_signed, found.bits) : "nothing", allowed};
  }

  // ---- the smallest inputs

  void explain(GivenInputs given, Mismatch found) {
    tries_ = 400;
    work_ = 0;
    if (binding_.form().stage != Stage::compute) try_alike(given, found);
    for (std::size_t i = 0; i < given.vectors.size(); ++i) try_zero(given, found, i);
    for (std::size_t i = 0; i < given.vectors.size(); ++i)
      for (unsigned component = 0; component < given.vectors[i].type.components; ++component)
        try_rounder(given, found, i, component);
    for (auto& [block, bytes] : given.blocks)
      for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) try_zero_word(given, found, block, at);
    Counterexample& example = outcome_.difference.emplace();
    for (const GivenVector& vector : given.vectors)
      example.inputs.push_back({vector.name, text_of(vector, found.lane)});
    tell_blocks(given, example);
    example.output = found.output;
    example.expected = found.expected;
    example.found = found.found;
    example.allowed = found.allowed;
  }

  /// Keeps a change with which the two still differ.
  bool try_change(GivenInputs& given, Mismatch& found, const GivenInputs& changed) {
    if (tries_ == 0 || work_ > work_of_search) return false;
    --tries_;
    const auto still = difference(changed);
    if (!still) return false;
    given = changed;
    found = *still;
    return true;
  }
  /// All lanes with what the lane has in which they differ.
  void try_alike(GivenInputs& given, Mismatch& found) {
    GivenInputs changed = given;
    for (GivenVector& vector : changed.vectors)
      if (vector.built_in != BuiltIn::frag_coord) vector.values = {Bits(vector.of(found.lane))};
    try_change(given, found, changed);
  }
  void try_zero(GivenInputs& given, Mismatch& found, std::size_t which) {
    GivenInputs changed = given;
    if (changed.vectors[which].built_in == BuiltIn::frag_coord) return;
    for (Bits& value : changed.vectors[which].values) value = {};
    try_change(given, found, changed);
  }
  void try_rounder(GivenInputs& given, Mismatch& found, std::size_t which, unsigned component) {
    const GivenVector& vector = given.vectors[which];
    const std::uint32_t now = vector.of(found.lane)[component];
    if (now == 0 || vector.is_boolean || vector.built_in == BuiltIn::frag_coord) return;
    std::vector<std::uint32_t> rounder{0};
    if (vector.type.base == Base::real) {
      const float value = std::bit_cast<float>(now);
      for (const float step : {1.0F, 0.25F, 0.0625F})
        rounder.push_back(std::bit_cast<std::uint32_t>(std::round(value / step) * step));
    } else {
      rounder.push_back(1);
    }
    for (const std::uint32_t bits : rounder) {
      if (bits == now) return;
      GivenInputs changed = given;
      for (Bits& value : changed.vectors[which].values) value[component] = bits;
      if (try_change(given, found, changed)) return;
    }
  }

  void try_zero_word(GivenInputs& given, Mismatch& found, std::uint32_t block, std::size_t at) {
    const auto is_zero = [at](const std::vector<std::uint8_t>& bytes) {
      return std::ranges::count(std::span(bytes).subspan(at, 4), 0) == 4;
    };
    if (tries_ == 0 || is_zero(given.blocks.at(block))) return;
    GivenInputs changed = given;
    std::ranges::fill(std::span(changed.blocks.at(block)).subspan(at, 4), 0);
    try_change(given, found, changed);
  }
  /// The numbers of blocks that are not 0; of many the first.
  void tell_blocks(const GivenInputs& given, Counterexample& example) const {
    constexpr std::size_t most = 16;
    for (const auto& [block, bytes] : given.blocks) {
      std::size_t told = 0;
      for (const OutNumber& number : numbers_of_block(binding_.form().variables[block], bytes))
        if (number.bits != 0 && told++ < most)
          example.inputs.push_back({number.name, text_of(number.type, number.is_signed, number.bits)});
    }
  }

  const Binding binding_;
  const mobula::Program& code_;
  const ir::Program& lifted_;
  const VerifyOptions& options_;
  VerifyOutcome outcome_;
  bool counts_ = false;
  unsigned tries_ = 0;
  std::uint64_t work_ = 0;  ///< of evaluations, since that was last set to 0
};

}  // namespace

Result<VerifyOutcome> verify(const ssa::Program& form, const mobula::Program& code, const VerifyOptions& options) {
  const Machine* const machine = find_machine(code.machine);
  if (machine == nullptr) return fail(unknown_machine(code.machine));
  const Result<ir::Program> lifted = machine->lift(code, {});
  if (!lifted) return fail(lifted.error());
  return Verification(form, code, *lifted, options).run();
}

Diagnostic to_diagnostic(const Counterexample& difference) {
  std::string message = "the machine code does not compute what the source says: " + difference.output + ": " +
                        difference.expected + " is expected, " + difference.found + " found";
  if (difference.allowed > 0) message += fmt::format(" (it may be off by {:.3g})", difference.allowed);
  std::string inputs;
  for (const Counterexample::Value& each : difference.inputs)
    inputs += fmt::format("{}{} = {}", inputs.empty() ? "with " : ", ", each.name, each.value);
  return {Severity::error, "VF001", {}, std::move(message), std::move(inputs)};
}

Diagnostics remarks_of(const VerifyOutcome& outcome) {
  if (outcome.compared != 0 || (outcome.runs != 0 && outcome.open == 0)) return {};
  const auto remark = [](const std::string& why, const std::string& advice) {
    return Diagnostics{{Severity::warning, "VF003", {}, "nothing was verified: with the inputs tried, " + why, advice}};
  };
  const std::string compare = "give inputs and results of your own: mobula run --reference compares them";
  if (outcome.runs == 0 && outcome.obstacle.empty()) return {};  // none was tried
  if (outcome.runs == 0) return remark(outcome.obstacle, outcome.advice.empty() ? compare : outcome.advice);
  const std::string what = outcome.beyond.empty() ? "an array, or its integers beyond those that the machine has"
                                                  : '\'' + outcome.beyond + '\'';
  if (outcome.astray == outcome.open)
    return remark("the source goes beyond the end of " + what,
                  "--verify N tries more inputs; or " + compare +
                      "; or keep indices inside whatever uniforms and buffers hold, as clamp() does");
  return remark(
      "GLSL promises nothing about what the source computes, as of 1/0, NaN, and variables that nothing has written",
      compare);
}

}  // namespace mobula::compile
