// A barrel of threads over the pipes of one core (5.4). Every cycle each pipe takes at most one word of a ready thread;
// a thread goes on when its word has left the pipe. Time jumps from event to event; a word costs O(log threads).
#include <algorithm>
#include <memory>
#include <queue>
#include <unordered_map>

#include "core/hexadecimal.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/timing/timing.h"
#include "machines/midgard/timing/words.h"
#include "timing/simulation.h"

namespace mobula::midgard {
namespace {

/// A thread that occupies the core.
struct Resident {
  std::uint32_t thread = 0;
  std::shared_ptr<const Path> path;
  std::size_t at = 0;
  std::uint64_t execution = no_execution;  ///< of the word at `at`, once it has been mentioned
  bool queued = false;                     ///< for a pipe
  Wait wait;
  // The texture word that others may overtake.
  std::uint64_t texture_execution = no_execution;
  std::uint32_t texture_word = 0, overtakers_left = 0;
  std::uint64_t drains_since = never;  ///< its words are done, only the texture word is still under way

  [[nodiscard]] std::uint32_t word() const { return (*path)[at]; }
};

/// Something that happens to a resident thread.
struct Happening {
  enum class Kind : std::uint8_t { finished, texture_arrived, may_go_on, tile_accepts };
  Kind kind = Kind::finished;
  std::uint32_t resident = 0, word = 0, unit = 0;
  std::uint64_t execution = 0;
};

/// A kind of pipe: its pipes and the threads that wait for one.
struct PipeState {
  struct Waiter {
    std::uint64_t key = 0;
    std::uint32_t thread = 0, resident = 0;
    friend bool operator>(const Waiter& a, const Waiter& b) {
      return a.key != b.key ? a.key > b.key : a.thread > b.thread;
    }
  };
  std::uint32_t first_unit = 0;
  std::vector<std::uint64_t> free_at;  ///< by pipe
  std::priority_queue<Waiter, std::vector<Waiter>, std::greater<>> waiters;
  std::uint64_t last_issue = never;  ///< cycle
  std::uint32_t last_unit = 0;
  TimelineCause last;
};

class Simulation {
 public:
  Simulation(std::vector<TimedWord> words, std::span<const TimingParameter> parameters,
             const SimulationRequest& request, std::uint32_t group_size, SimulationReport& report)
      : words_(std::move(words)),
        request_(request),
        report_(report),
        recorder_(request, report),
        group_size_(group_size),
        starts_per_cycle_(timing_parameter(parameters, "thread_starts")),
        oldest_first_(timing_parameter(parameters, "scheduler") == 1) {
    std::uint32_t unit = 0;
    for (std::size_t kind = 0; kind < pipe_kinds; ++kind) {
      pipes_[kind].first_unit = unit;
      pipes_[kind].free_at.assign(report.pipes[kind].count, 0);
      unit += report.pipes[kind].count;
    }
    residents_.resize(std::min(report.threads_at_once, report.threads));
    for (std::uint32_t slot = static_cast<std::uint32_t>(residents_.size()); slot != 0; --slot)
      free_.push_back(slot - 1);
  }

  /// `path_of` gives the path of a thread when it starts.
  template <class PathOf>
  void run(PathOf path_of) {
    for (;;) {
      let_happen();
      start_threads(path_of);
      issue();
      note_waits();
      const std::uint64_t next = next_cycle();
      if (next == never) break;
      if (next > request_.max_cycles) {
        stop();
        break;
      }
      if (resident_count_ != 0) active_ += next - recorder_.cycle;
      recorder_.cycle = next;
    }
    report_.threads = next_thread_;
    report_.cycles = recorder_.cycle;
  }

  [[nodiscard]] std::uint64_t active_cycles() const { return active_; }

 private:
  // ---- the four steps of a cycle

  void let_happen() {
    while (agenda_.next_cycle() == recorder_.cycle) {
      const Happening now = agenda_.take().what;
      Resident& resident = residents_[now.resident];
      switch (now.kind) {
        case Happening::Kind::may_go_on:
          advance(now.resident);
          break;
        case Happening::Kind::finished:
          tell_end(now);
          if (words_[now.word].barrier) {
            arrive(now.resident);
          } else if (words_[now.word].tile_wait != 0) {
            begin_wait(now.resident, StallReason::tile_buffer, no_index, {});
            happen(words_[now.word].tile_wait, Happening::Kind::tile_accepts, now);
          } else {
            finish(now.resident);
          }
          break;
        case Happening::Kind::tile_accepts:
          end_wait(now.resident);
          finish(now.resident);
          break;
        case Happening::Kind::texture_arrived:
          tell_end(now);
          recorder_.tell(execution(now), EventKind::retire);
          resident.texture_execution = no_execution;
          if (resident.drains_since != never) {
            recorder_.add_executing(now.word, recorder_.cycle - resident.drains_since);
            leave(now.resident);
          } else if (resident.wait.reason == StallReason::texture) {
            end_wait(now.resident);
            queue(now.resident);
          }
          break;
      }
    }
  }

  template <class PathOf>
  void start_threads(PathOf& path_of) {
    for (std::uint64_t started = 0; started < starts_per_cycle_ && next_thread_ < report_.threads && !free_.empty();
         ++started) {
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      ++resident_count_;
      residents_[slot] = Resident{.thread = next_thread_, .path = path_of(next_thread_)};
      ++next_thread_;
      if (residents_[slot].path->empty())
        leave(slot);
      else
        get_ready(slot);
    }
  }

  void issue() {
    for (std::size_t kind = 0; kind < pipe_kinds; ++kind) {
      PipeState& pipe = pipes_[kind];
      for (std::uint32_t i = 0; i < pipe.free_at.size() && !pipe.waiters.empty(); ++i) {
        if (pipe.free_at[i] > recorder_.cycle) continue;
        const std::uint32_t slot = pipe.waiters.top().resident;
        pipe.waiters.pop();
        issue(slot, pipe, i);
      }
    }
  }

  void issue(std::uint32_t slot, PipeState& pipe, std::uint32_t index) {
    Resident& resident = residents_[slot];
    const std::uint32_t number = resident.word();
    const TimedWord& word = words_[number];
    if (resident.wait) end_wait(slot);
    resident.queued = false;
    recorder_.mention(resident.execution);
    const std::uint32_t unit = pipe.first_unit + index;
    const Happening now{.resident = slot, .word = number, .unit = unit, .execution = resident.execution};
    recorder_.tell_issue(execution(now, unit));
    pipe.free_at[index] = recorder_.cycle + word.issue;
    pipe.last_issue = recorder_.cycle;
    pipe.last_unit = unit;
    pipe.last = execution(now).as_cause();
    SimulationReport::PipeUse& use = report_.use[static_cast<std::size_t>(word.pipe)];
    ++use.words;
    use.issue_cycles += word.issue;
    if (word.overtakers == 0) {
      recorder_.add_executing(number, word.latency);
      happen(word.latency, Happening::Kind::finished, now);
    } else {
      resident.texture_execution = resident.execution;
      resident.texture_word = number;
      resident.overtakers_left = word.overtakers;
      recorder_.add_executing(number, word.issue);
      happen(word.issue, Happening::Kind::may_go_on, now);
      happen(word.latency, Happening::Kind::texture_arrived, now);
    }
  }

  /// Who became ready in this cycle and was not taken begins to wait; who has become the next but finds the pipe
  /// occupied waits for another reason from now on.
  void note_waits() {
    for (const std::uint32_t slot : newly_ready_) {
      const Resident& resident = residents_[slot];
      if (!resident.queued) continue;  // issued at once
      const PipeState& pipe = pipe_of(resident);
      const bool is_next = pipe.waiters.top().resident == slot && pipe.last_issue != recorder_.cycle;
      begin_wait(slot, is_next ? StallReason::unit_busy : StallReason::not_selected, pipe.last_unit, pipe.last);
    }
    newly_ready_.clear();
    for (const PipeState& pipe : pipes_) {
      if (pipe.waiters.empty() || pipe.last_issue == recorder_.cycle) continue;
      const std::uint32_t slot = pipe.waiters.top().resident;
      if (residents_[slot].wait.reason != StallReason::not_selected) continue;
      end_wait(slot);
      begin_wait(slot, StallReason::unit_busy, pipe.last_unit, pipe.last);
    }
  }

  [[nodiscard]] std::uint64_t next_cycle() const {
    std::uint64_t next = agenda_.next_cycle();
    if (next_thread_ < report_.threads && !free_.empty()) next = std::min(next, recorder_.cycle + 1);
    for (const PipeState& pipe : pipes_) {
      if (pipe.waiters.empty()) continue;
      const std::uint64_t free = *std::min_element(pipe.free_at.begin(), pipe.free_at.end());
      const bool reason_changes = residents_[pipe.waiters.top().resident].wait.reason == StallReason::not_selected;
      next = std::min(next, reason_changes ? recorder_.cycle + 1 : std::max(free, recorder_.cycle + 1));
    }
    return next;
  }

  // ---- the life of a thread

  void get_ready(std::uint32_t slot) {
    Resident& resident = residents_[slot];
    if (resident.texture_execution != no_execution) {
      const bool overtakes = words_[resident.word()].pipe != PipeIndex::texture && resident.overtakers_left != 0;
      if (!overtakes) {
        begin_wait(slot, StallReason::texture, no_index,
                   {.execution = resident.texture_execution, .thread = resident.thread, .word = resident.texture_word});
        return;
      }
      --resident.overtakers_left;
    }
    queue(slot);
  }

  void queue(std::uint32_t slot) {
    Resident& resident = residents_[slot];
    resident.queued = true;
    newly_ready_.push_back(slot);
    pipe_of(resident).waiters.push({oldest_first_ ? 0 : recorder_.cycle, resident.thread, slot});
  }

  void finish(std::uint32_t slot) {
    recorder_.tell(current_execution(residents_[slot]), EventKind::retire);
    advance(slot);
  }

  void advance(std::uint32_t slot) {
    Resident& resident = residents_[slot];
    resident.execution = no_execution;
    ++resident.at;
    if (resident.at < resident.path->size())
      get_ready(slot);
    else if (resident.texture_execution != no_execution)
      resident.drains_since = recorder_.cycle;
    else
      leave(slot);
  }

  void leave(std::uint32_t slot) {
    const std::uint32_t thread = residents_[slot].thread;
    residents_[slot] = Resident();
    free_.push_back(slot);
    --resident_count_;
    if (group_size_ > 1) {
      ++group(thread).ended;
      release(thread / group_size_);
    }
  }

  // ---- barriers

  struct Group {
    std::uint32_t threads = 0, ended = 0;
    std::vector<std::uint32_t> arrived;
  };

  Group& group(std::uint32_t thread) {
    const std::uint32_t number = thread / group_size_;
    const auto [entry, is_new] = groups_.try_emplace(number);
    if (is_new) entry->second.threads = std::min(group_size_, report_.threads - number * group_size_);
    return entry->second;
  }

  void arrive(std::uint32_t slot) {
    begin_wait(slot, StallReason::barrier, no_index, {});
    const std::uint32_t thread = residents_[slot].thread;
    group(thread).arrived.push_back(slot);
    release(thread / group_size_);
  }

  void release(std::uint32_t number) {
    const auto entry = groups_.find(number);
    if (entry->second.arrived.size() + entry->second.ended < entry->second.threads) return;
    const std::vector<std::uint32_t> arrived = std::exchange(entry->second.arrived, {});
    if (entry->second.ended == entry->second.threads) groups_.erase(entry);
    for (const std::uint32_t slot : arrived) {
      end_wait(slot);
      finish(slot);
    }
  }

  // ---- bookkeeping

  PipeState& pipe_of(const Resident& resident) {
    return pipes_[static_cast<std::size_t>(words_[resident.word()].pipe)];
  }

  void happen(std::uint64_t in_cycles, Happening::Kind kind, Happening what) {
    what.kind = kind;
    agenda_.plan(recorder_.cycle + in_cycles, what);
  }

  /// Of a word that has been issued.
  [[nodiscard]] TimedExecution execution(const Happening& what, std::uint32_t unit = no_index) const {
    return {.number = what.execution, .thread = residents_[what.resident].thread, .word = what.word, .unit = unit};
  }
  /// Of the word that the thread is at.
  static TimedExecution current_execution(const Resident& resident, std::uint32_t unit = no_index) {
    return {.number = resident.execution, .thread = resident.thread, .word = resident.word(), .unit = unit};
  }

  void begin_wait(std::uint32_t slot, StallReason reason, std::uint32_t unit, const TimelineCause& cause) {
    Resident& resident = residents_[slot];
    recorder_.mention(resident.execution);
    recorder_.begin_wait(resident.wait, current_execution(resident, unit), reason, cause);
  }
  void end_wait(std::uint32_t slot) {
    Resident& resident = residents_[slot];
    recorder_.end_wait(resident.wait, current_execution(resident));
  }

  void tell_end(const Happening& what) {
    recorder_.tell(execution(what, what.unit), EventKind::execute_end);
    recorder_.tell(execution(what), EventKind::write);
  }

  /// Gives up at the limit: what is under way is abandoned, and counted as far as it got.
  void stop() {
    const std::uint64_t left = request_.max_cycles - recorder_.cycle;
    if (resident_count_ != 0) active_ += left;
    recorder_.cycle = request_.max_cycles;
    report_.complete = false;
    for (std::size_t kind = 0; kind < pipe_kinds; ++kind)
      for (const std::uint64_t free : pipes_[kind].free_at)
        report_.use[kind].issue_cycles -= free > recorder_.cycle ? free - recorder_.cycle : 0;
    while (agenda_.next_cycle() != never) {
      const auto [cycle, order, what] = agenda_.take();
      if (what.kind == Happening::Kind::finished || what.kind == Happening::Kind::may_go_on)
        recorder_.take_back_executing(what.word, cycle - recorder_.cycle);
      if (what.kind == Happening::Kind::finished || what.kind == Happening::Kind::texture_arrived) {
        recorder_.tell(execution(what, what.unit), EventKind::execute_end);
        recorder_.tell(execution(what), EventKind::flush);
      }
    }
    for (std::uint32_t slot = 0; slot < residents_.size(); ++slot) {
      const Resident& resident = residents_[slot];
      if (resident.drains_since != never)
        recorder_.add_executing(resident.texture_word, recorder_.cycle - resident.drains_since);
      if (!resident.wait) continue;
      end_wait(slot);
      recorder_.tell(current_execution(resident), EventKind::flush);
    }
  }

  std::vector<TimedWord> words_;
  const SimulationRequest& request_;
  SimulationReport& report_;
  Recorder recorder_;
  std::uint32_t group_size_;
  std::uint64_t starts_per_cycle_;
  bool oldest_first_;

  std::uint64_t active_ = 0, resident_count_ = 0;
  std::uint32_t next_thread_ = 0;
  std::array<PipeState, pipe_kinds> pipes_;
  std::vector<Resident> residents_;
  std::vector<std::uint32_t> free_, newly_ready_;
  std::unordered_map<std::uint32_t, Group> groups_;
  Agenda<Happening> agenda_;
};

/// Threads that meet at a barrier.
std::uint32_t threads_of_a_group(const Program& program) {
  std::uint64_t threads = 1;
  if (program.interface.stage == Stage::compute)
    for (const std::uint32_t dimension : program.interface.local_size)
      threads = std::min<std::uint64_t>(threads * std::max(dimension, 1u), no_index);
  return static_cast<std::uint32_t>(threads);
}

/// The names of the units, in the order of PipeState::first_unit.
std::vector<std::string> unit_names(std::span<const TimingPipe> pipes) {
  std::vector<std::string> names;
  for (const TimingPipe& pipe : pipes)
    for (std::uint32_t i = 0; i < pipe.count; ++i)
      names.push_back(std::string(pipe.letter) + (pipe.count > 1 ? std::to_string(i) : ""));
  return names;
}

void count_like_the_hardware(const Program& program, std::uint64_t active, SimulationReport& report) {
  const SimulationReport::PipeUse &arithmetic = report.use[0], &load_store = report.use[1], &texture = report.use[2];
  report.counters = {{"TRIPIPE_ACTIVE", active},
                     {"ARITH_WORDS", arithmetic.words / report.pipes[0].count},
                     {"LS_WORDS", load_store.words},
                     {"LS_ISSUES", load_store.issue_cycles},
                     {"TEX_WORDS", texture.words},
                     {"TEX_ISSUES", texture.issue_cycles},
                     {program.interface.stage == Stage::fragment ? "FRAG_THREADS" : "COMPUTE_THREADS", report.threads}};
}

}  // namespace

Result<SimulationReport> simulate(const Program& program, const SimulationRequest& request) {
  auto parameters = with_timing_choices(timing_model().parameters(program.variant), request.parameters);
  if (!parameters) return fail(parameters.error());
  const Product& product = find_product(program.variant);
  SimulationReport report{.file = program.file,
                          .machine = "midgard",
                          .variant = std::string(product.name),
                          .product = std::string(product.marketing),
                          .pipes = timing_pipes(static_cast<std::uint32_t>(timing_parameter(*parameters, "alu_pipes"))),
                          .use = std::vector<SimulationReport::PipeUse>(pipe_kinds)};
  report.threads_at_once = threads_with(register_use(program).work,
                                        static_cast<std::uint32_t>(timing_parameter(*parameters, "max_threads")));
  report.threads = threads_to_simulate(request, 2 * report.threads_at_once);
  auto paths = request.paths != nullptr ? Paths::from_run(program, *request.paths)
                                        : Paths::assumed(program, request.assumed, report.notes);
  if (!paths) return fail(paths.error());
  if (request.paths != nullptr && request.paths->truncated())
    report.notes.emplace_back("The run was too long to remember: the threads' paths are cut short.");

  std::vector<TimedWord> words;
  for (const std::uint64_t address : paths->addresses())
    words.push_back(timed_word(program, static_cast<std::uint32_t>(address / quadword_bytes), *parameters));
  for (const TimedWord& word : words)
    if (!word.runs)
      report.notes.push_back("The word at " + hexadecimal(word.address) + " cannot run: threads end there.");
  paths->cut_at_faults(words);

  const std::uint32_t group_size = threads_of_a_group(program);
  if (group_size > report.threads_at_once && std::ranges::any_of(words, &TimedWord::barrier))
    return fail("TM004",
                "a workgroup has " + std::to_string(group_size) +
                    " threads that meet at a barrier, but the core holds only " +
                    std::to_string(report.threads_at_once),
                "use fewer work registers, or a smaller workgroup");

  const std::vector<std::string> texts = word_texts(program, words);
  for (std::size_t i = 0; i < words.size(); ++i)
    report.words.push_back({.address = words[i].address, .text = texts[i]});
  TimelineInfo info = timeline_info(report);
  info.units = unit_names(report.pipes);
  if (request.timeline != nullptr) request.timeline->begin(info);
  Simulation simulation(std::move(words), *parameters, request, group_size, report);
  simulation.run([&paths](std::uint32_t thread) { return paths->of(thread); });
  if (request.timeline != nullptr) request.timeline->end(report.cycles);
  count_like_the_hardware(program, simulation.active_cycles(), report);
  finish(report, request, std::move(*parameters));
  return report;
}

}  // namespace mobula::midgard
