#include "machines/utgard_gp/schedule/schedule.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <numeric>
#include <string>

#include "core/counted.h"
#include "machines/utgard_gp/check/rules.h"
#include "machines/utgard_gp/machine.h"
#include "machines/utgard_gp/schedule/attempts.h"
#include "machines/utgard_gp/schedule/bound.h"
#include "machines/utgard_gp/schedule/exact.h"
#include "machines/utgard_gp/schedule/expression.h"
#include "machines/utgard_gp/schedule/fill.h"
#include "machines/utgard_gp/schedule/lines.h"
#include "machines/utgard_gp/schedule/search.h"
#include "machines/utgard_gp/schedule/verify.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::size_t input_limit = 8 * max_words;

/// A word tried takes as long as so many steps of the exact search; of these a conflict may take so many, and to write
/// down what a value may do in a word takes so many.
constexpr std::uint64_t steps_of_fill = 100, steps_of_conflict = 10'000, steps_of_cell = 400;

/// That all questions together may take.
std::uint64_t exact_steps(const ScheduleOptions& options) {
  if (options.exact == 0) return 0;
  return options.exact_steps.value_or(std::uint64_t{options.exact} * 1000 * steps_of_conflict);
}

/// First words of a plan that load what is written with a delay as the trace was entered with it, and those of the
/// traces after it.
FirstLoads find_first_loads(const Trace& trace, const Task& task, const Plan& plan,
                            const std::vector<FirstLoads>& others) {
  constexpr unsigned limit = 3;
  FirstLoads first;
  first.fill(limit);
  const auto meet = [&](unsigned delayed, std::size_t distance) {
    first[delayed] = static_cast<std::uint8_t>(std::min<std::size_t>(first[delayed], distance));
  };
  for (std::size_t i = 0; i < std::min<std::size_t>(plan.size(), limit); ++i)
    for (const PlannedWord::Feed& feed : plan[i].feeds) {
      const Node& node = task.nodes[feed.node];
      if (node.make == Make::reg) meet(feed.flat, feed.port == PlannedWord::Feed::port0_before ? i - 1 : i);
      if (node.make != Make::load) continue;
      meet(delayed_temporary + node.component, i);
      if (node.entry_address != 0) meet(delayed_address + node.entry_address - 1u, i);
    }
  for (const Exit& exit : exits(trace)) {
    if (!exit.target) continue;
    std::size_t length = plan.size();
    if (exit.taken)
      while (length > 0 && plan[length - 1].branch != static_cast<std::int16_t>(exit.segment)) --length;
    for (unsigned delayed = 0; delayed < delayed_count; ++delayed)
      meet(delayed, length + others[*exit.target][delayed]);
  }
  return first;
}

/// Memory after everything that the expressions use: addresses first, then the temporaries themselves.
std::vector<TemporaryPlace> places_behind(const Expressions& expressions) {
  std::uint32_t used = expressions.uniform_vec4s;
  for (const UniformConstant& constant : expressions.interface.constants) used = std::max(used, constant.word / 4 + 1);
  const std::uint32_t left = memory_vec4s_mali400 - std::min<std::uint32_t>(used, memory_vec4s_mali400);
  const std::uint32_t count = std::min<std::uint32_t>(max_temporaries, 4 * left / 5);
  const std::uint32_t first = used + (count + 3) / 4;
  std::vector<TemporaryPlace> places;
  for (std::uint32_t i = 0; i < count && first + i < memory_vec4s_mali400; ++i)
    places.push_back({static_cast<std::uint16_t>(first + i), 4 * used + i});
  return places;
}

class Scheduler {
 public:
  explicit Scheduler(const Attempt& attempt) : options_(attempt.options), keep_(attempt.keep) {}

  Result<ScheduledProgram> run(const Program& program) {
    result_.program = program;
    if (program.code.size() % word_bytes != 0)
      return fail("GP305", "the program has " + counted(program.code.size(), "byte") +
                               ", not a multiple of 16: it ends inside a word");
    if (word_count(program.code) > input_limit)
      return fail("GP305",
                  "the program has " + counted(word_count(program.code), "word") + ", and at most " +
                      std::to_string(input_limit) + " are scheduled",
                  "the machine holds 512 of them: is this one program, and of Utgard GP? `mobula info` tells what the "
                  "file holds");
    if (program.entry != 0)
      return fail("GP305", "the program is entered at byte " + std::to_string(program.entry) + ", not at its first",
                  "give the words from there on as a program of its own");
    for (std::uint32_t i = 0; i < word_count(program.code); ++i) words_.push_back(load_word(program.code, i));
    if (words_.empty()) return std::move(result_);
    Constants constants;
    for (const UniformConstant& each : program.interface.constants) constants[each.word] = each.bits;
    values_ = Values(memory_facts(words_, std::move(constants)));
    past_branches_ = options_.past_branches && !uses_addresses(words_);
    auto flow = find_flow(words_, values_, past_branches_);
    if (!flow) return fail(std::move(flow).error());
    flow_ = std::move(*flow);
    temporaries_ = known_temporaries(values_.facts());
    if (auto done = make_program(); !done) return fail(std::move(done).error());
    if (new_words_ == words_) return std::move(result_);
    if (auto same = verify(); !same) return fail(std::move(same).error());
    follow_lines();
    const Diagnostics before = machine().check(program), after = machine().check(result_.program);
    if (has_errors(after) && !has_errors(before)) return broken_rule(after);
    if (words_.size() <= max_words)
      if (auto same = compare_runs(program, result_.program, options_.vertices); !same)
        return fail(std::move(same).error());
    remark_on_unproven(before, after);
    return std::move(result_);
  }

  Result<ScheduledProgram> run(const SourceText& source) {
    auto expressions = parse_expressions(source);
    if (!expressions) return fail(std::move(expressions).error());
    auto flow = lower(*expressions, values_);
    if (!flow) return fail(std::move(flow).error());
    flow_ = std::move(*flow);
    temporaries_ = places_behind(*expressions);
    result_.program.file = source.file;
    result_.program.machine = machine().name();
    result_.program.interface = expressions->interface;
    result_.program.interface.stage = Stage::vertex;
    if (auto done = make_program(); !done) return fail(std::move(done).error());
    announce_temporaries();
    if (auto same = verify(); !same) return fail(std::move(same).error());
    const Diagnostics found = machine().check(result_.program);
    if (has_errors(found)) return broken_rule(found);
    remark_on_unproven({}, found);
    if (auto same = compare_evaluation(*expressions, result_.program, options_.vertices); !same)
      return fail(std::move(same).error());
    return std::move(result_);
  }

 private:
  static Unexpected broken_rule(const Diagnostics& found) {
    const auto error = std::find_if(found.begin(), found.end(),
                                    [](const Diagnostic& each) { return each.severity == Severity::error; });
    return fail("GP304", "the result breaks rule " + error->code + ": " + error->message,
                "this is a bug of the scheduler; please report the program");
  }

  /// Says of which rules the new program has warnings that the one before does not have, or more of them.
  void remark_on_unproven(const Diagnostics& before, const Diagnostics& after) {
    std::string list;
    for (const Rule& each : rules) {
      if (each.fact.status != Status::inferred && each.fact.status != Status::unknown) continue;
      const auto of_rule = [&](const Diagnostic& found) {
        return found.severity == Severity::warning && found.code == each.code;
      };
      const auto count = std::count_if(after.begin(), after.end(), of_rule);
      if (count <= std::count_if(before.begin(), before.end(), of_rule)) continue;
      list.append(list.empty() ? "" : ", ").append(each.code).append(" in ");
      list.append(counted(static_cast<std::uint64_t>(count), "word"));
    }
    if (list.empty()) return;
    result_.remarks.push_back({Severity::note,
                               "GP307",
                               {},
                               "the new program does what is not proven on hardware: " + list,
                               "check says where; plain branches (--plain-branches) avoid it"});
  }

  Result<void> make_program() {
    const auto found = schedule_traces();
    if (!found) return fail(found.error());
    if (!*found) {
      if (words_.empty())
        return fail("GP306", "no schedule was found: too many values are needed at once",
                    "values that operations far apart need are kept all the way between; use fewer of them");
      code_.clear();  // the program stays as it is
    }
    link();
    if (result_.words > max_words)
      return fail("GP303",
                  "the program needs " + counted(result_.words, "word") + ", " +
                      std::to_string(result_.words - max_words) + " more than the machine's 512",
                  "make it smaller, or compute outside of it what is the same for all vertices");
    return {};
  }

  /// From the last trace to the first, so that most successors are known: a register may be stored the later in its
  /// trace the later it is loaded after it. False if no schedule was found for one of them.
  Result<bool> schedule_traces() {
    first_loads_.assign(flow_.traces.size(), FirstLoads{});
    code_.resize(flow_.traces.size());
    result_.traces.resize(flow_.traces.size());
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < flow_.traces.size(); ++i) {
      const Task task = make_task(flow_, i, values_, first_loads_);
      sizes.push_back(task.nodes.size() + 1);
      if (uses_addresses(task)) temporaries_.clear();  // the program needs them itself
      report(task, i);
    }
    if (keep_) return false;
    const std::size_t size = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    for (std::size_t i = flow_.traces.size(); i-- > 0;)
      if (auto found = schedule_trace(i, sizes[i], std::uint64_t{options_.effort} * 1000 * sizes[i] / size);
          !found || !*found)
        return found;
    return true;
  }

  void report(const Task& task, std::size_t index) {
    ScheduledTrace& report = result_.traces[index];
    report.first_word = flow_.traces[index].first();
    report.words_before = report.words = flow_.traces[index].words();
    report.bounds.clear();
    for (const Bound& bound : lower_bounds(task)) report.bounds.push_back({std::string(bound.resource), bound.words});
  }

  Result<bool> schedule_trace(std::size_t index, std::size_t size, std::uint64_t effort) {
    const Trace& trace = flow_.traces[index];
    Task task = make_task(flow_, index, values_, first_loads_);
    report(task, index);  // again: the later traces are known now
    ScheduledTrace& report = result_.traces[index];
    SearchLimits limits{.fills = effort,
                        .enough = report.bound(),
                        .below = static_cast<unsigned>(trace.words() * 2 + 3 * size + 16),
                        .share_branch_words = options_.share_branch_words};
    limits.tried = [this](std::uint64_t fills) { show_progress(steps_ + fills * steps_of_fill); };
    if (!temporaries_.empty()) limits.rounds_without_result = 4;
    auto found = search(task, limits);
    if (!found && !temporaries_.empty()) {
      use_temporaries();
      task = make_task(flow_, index, values_, first_loads_, temporaries_);
      limits.rounds_without_result = SearchLimits{}.rounds_without_result;
      found = search(task, limits);
    }
    if (!found) return false;
    result_.words_tried += found->fills;
    steps_ += found->fills * steps_of_fill;
    improve(task, found->plan, report);
    report.words = static_cast<std::uint32_t>(found->plan.size());
    auto code = emit(task, found->plan);
    if (!code) return fail(std::move(code).error());
    // Else no register is stored in the last two words before another trace.
    if (options_.past_branches) first_loads_[index] = find_first_loads(trace, task, found->plan, first_loads_);
    code_[index] = std::move(*code);
    return true;
  }

  /// The registers do not suffice.
  void use_temporaries() {
    for (const TemporaryPlace& place : temporaries_) {
      values_.facts().temporary.set(place.vec4);
      values_.facts().constants[place.address_word] = std::bit_cast<std::uint32_t>(static_cast<float>(place.vec4));
    }
  }
  /// Whoever runs the program must place the addresses that it loads.
  void announce_temporaries() {
    std::bitset<memory_vec4s> loaded;
    for (const Word128& word : new_words_)
      if (reads_load(word)) loaded.set(get(word, word::ld_addr));
    for (const TemporaryPlace& place : temporaries_)
      if (values_.facts().may_change(place.vec4) && loaded[place.address_word / 4])
        result_.program.interface.constants.push_back(
            {place.address_word, std::bit_cast<std::uint32_t>(static_cast<float>(place.vec4))});
  }

  /// Asks the exact search for as few words as the bound allows, in short, and for one more where there is no such
  /// schedule; then for one word less than there are until it finds none.
  void improve(const Task& task, Plan& plan, ScheduledTrace& report) {
    const std::uint64_t conflicts = std::uint64_t{options_.exact} * 1000;
    while (ask(task, report.bound(), conflicts / 10, plan, report) == Sat::Answer::no) {
    }
    while (ask(task, plan.size() - 1, conflicts, plan, report) == Sat::Answer::yes) {
    }
  }

  /// A shorter plan, or a higher bound, where so many conflicts suffice.
  Sat::Answer ask(const Task& task, std::size_t words, std::uint64_t conflicts, Plan& plan, ScheduledTrace& report) {
    const std::uint64_t most = exact_steps(options_), before = exact_steps_;
    if (before + task.nodes.size() * words * steps_of_cell >= most || words < report.bound() || words >= plan.size() ||
        !is_exact_possible(task, static_cast<unsigned>(words)))
      return Sat::Answer::unknown;
    ExactAnswer exact = find_exactly(task, static_cast<unsigned>(words), conflicts, options_.share_branch_words,
                                     [&](std::uint64_t steps) {
                                       show_progress(steps_ + before + steps);
                                       return before + steps < most;
                                     });
    exact_steps_ = before + exact.steps;
    if (exact.answer == Sat::Answer::yes) plan = std::move(exact.plan);
    if (exact.answer == Sat::Answer::no)
      report.bounds.insert(report.bounds.begin(), {"search", static_cast<std::uint32_t>(words + 1)});
    return exact.answer;
  }

  void show_progress(std::uint64_t done) const {
    if (!options_.progress) return;
    const std::uint64_t total = std::uint64_t{options_.effort} * 1000 * steps_of_fill + exact_steps(options_);
    options_.progress(std::min(done, total), total);
  }

  void link() {
    std::vector<std::uint16_t> starts;
    for (const auto& code : code_) {
      starts.push_back(static_cast<std::uint16_t>(new_words_.size()));
      new_words_.insert(new_words_.end(), code.begin(), code.end());
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      std::size_t segment = 0;
      for (std::size_t k = 0; k < code_[i].size(); ++k, ++at)
        if (is_branch(new_words_[at]))
          set_branch_target(new_words_[at], starts[flow_.traces[i].segments[segment++].target]);
    }
    if (!words_.empty() && (code_.empty() || new_words_.size() >= words_.size())) {
      new_words_ = words_;
      for (ScheduledTrace& trace : result_.traces) trace.words = trace.words_before;
    }
    result_.program.code.clear();
    for (const Word128& word : new_words_) append_word(word, result_.program.code);
    if (new_words_ != words_) result_.program.labels.clear();
    result_.words_before = static_cast<std::uint32_t>(words_.size());
    result_.words = static_cast<std::uint32_t>(new_words_.size());
    for (const ScheduledTrace& trace : result_.traces) result_.bound += trace.bound();
    for (std::uint32_t i = 0; i < new_words_.size(); ++i)
      if (get(new_words_[i], word::port0_attr) != 0) result_.prefetch = i;
    if (auto& announced = result_.program.interface.prefetch) announced = std::max(*announced, result_.prefetch);
  }

  /// The new words compute what the flow says.
  Result<void> verify() { return compare_flow(flow_, new_words_, values_, past_branches_); }

  /// Precondition: verified.
  void follow_lines() {
    std::vector<SourceLine>& lines = result_.program.lines;
    if (!lines.empty()) lines = utgard_gp::follow_lines(flow_, lines, *find_flow(new_words_, values_, past_branches_));
  }

  const ScheduleOptions options_;
  const bool keep_;  ///< the program as it is, and what is known of it
  std::vector<Word128> words_, new_words_;
  Values values_;
  Flow flow_;
  bool past_branches_ = true;
  std::vector<TemporaryPlace> temporaries_;  ///< that values may be kept in
  std::vector<FirstLoads> first_loads_;      ///< by trace
  std::vector<std::vector<Word128>> code_;   ///< by trace; empty if no schedule was found
  std::uint64_t steps_ = 0;                  ///< of the heuristic
  std::uint64_t exact_steps_ = 0;
  ScheduledProgram result_;
};

}  // namespace

Result<ScheduledProgram> schedule(const Program& program, const ScheduleOptions& options) {
  return first_verified(attempts_of(options, true), [&](const Attempt& each) { return Scheduler(each).run(program); });
}

Result<ScheduledProgram> schedule_expressions(const SourceText& source, const ScheduleOptions& options) {
  return first_verified(attempts_of(options, false), [&](const Attempt& each) { return Scheduler(each).run(source); });
}

}  // namespace mobula::utgard_gp
