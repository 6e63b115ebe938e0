// A barrel of threads over the pipes of one core (5.4). Every cycle each pipe takes at most one word of a ready thread;
// a thread continues when its word has left the pipe. Time jumps from event to event; a word costs O(log threads).
#include <algorithm>
#include <memory>
#include <queue>
#include <unordered_map>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "machines/midgard/machine.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/timing/timing.h"
#include "machines/midgard/timing/words.h"
#include "timing/dependencies.h"
#include "timing/simulation.h"

namespace mobula::midgard {
namespace {

/// A program whose threads share the core with those of others.
struct Member {
  std::uint32_t threads = 0;       ///< to start
  std::uint32_t first_thread = 0;  ///< the number of its first one
  std::uint32_t share = 1;         ///< of the register file that a thread takes, in the smallest shares there are
  std::uint32_t group_size = 1;
  std::uint32_t started = 0, left = 0;
  std::uint64_t ended = 0;  ///< cycle in which the last thread that has left did
};

/// A thread that occupies the core.
struct Resident {
  std::uint32_t thread = 0, member = 0;
  std::shared_ptr<const Path> path;
  std::size_t at = 0;
  std::uint64_t execution = no_execution;  ///< of the word at `at`, once it has been mentioned
  bool queued = false;                     ///< for a pipe
  Wait wait;
  // The texture word that others may overtake.
  std::uint64_t texture_execution = no_execution;
  std::uint32_t texture_word = 0, overtakers_left = 0;
  std::uint64_t drains_since = never;  ///< its words are done, only the texture word is still under way
  Dependencies::Thread touched;

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
  std::vector<std::uint64_t> free_at;   ///< by pipe
  std::vector<std::uint32_t> taken_by;  ///< word, by pipe
  std::priority_queue<Waiter, std::vector<Waiter>, std::greater<>> waiters;
  std::uint64_t last_issue = never;  ///< cycle
  std::uint32_t last_unit = 0;
  TimelineCause last;
};

class Simulation {
 public:
  /// `report` counts for all members; its words are theirs, one member's after the other's.
  Simulation(std::vector<TimedWord> words, const Dependencies& dependencies,
             std::span<const TimingParameter> parameters, const SimulationRequest& request, std::vector<Member> members,
             std::uint32_t shares, SimulationReport& report)
      : words_(std::move(words)),
        dependencies_(dependencies),
        request_(request),
        report_(report),
        recorder_(request, report),
        members_(std::move(members)),
        issue_cycles_(words_.size()),
        free_shares_(shares),
        starts_per_cycle_(timing_parameter(parameters, "thread_starts")),
        oldest_first_(timing_parameter(parameters, "scheduler") == 1) {
    std::uint32_t unit = 0;
    for (std::size_t kind = 0; kind < pipe_kinds; ++kind) {
      pipes_[kind].first_unit = unit;
      pipes_[kind].free_at.assign(report.pipes[kind].count, 0);
      pipes_[kind].taken_by.assign(report.pipes[kind].count, no_index);
      unit += report.pipes[kind].count;
    }
    std::uint32_t smallest = shares, threads = 0;
    for (const Member& member : members_) {
      smallest = std::min(smallest, member.share);
      threads += member.threads;
    }
    residents_.resize(std::min(shares / smallest, threads));
    for (std::uint32_t slot = static_cast<std::uint32_t>(residents_.size()); slot != 0; --slot)
      free_.push_back(slot - 1);
  }

  /// `path_of` gives the path of a member's thread, counted from 0, when it starts.
  template <class PathOf>
  void run(PathOf path_of) {
    for (;;) {
      let_happen();
      if (recorder_.cycle == request_.max_cycles && !all_left()) {
        stop();
        break;
      }
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
    report_.cycles = recorder_.cycle;
  }

  [[nodiscard]] std::uint64_t active_cycles() const { return active_; }
  [[nodiscard]] std::span<const Member> members() const { return members_; }
  /// By word: cycles in which one of its pipes was taken by it.
  [[nodiscard]] std::span<const std::uint64_t> issue_cycles() const { return issue_cycles_; }
  [[nodiscard]] PipeIndex pipe_of_word(std::size_t word) const { return words_[word].pipe; }

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
    for (std::uint64_t started = 0; started < starts_per_cycle_ && may_start(); ++started) {
      const std::uint32_t index = turn_, slot = free_.back();
      Member& member = members_[index];
      free_.pop_back();
      free_shares_ -= member.share;
      ++resident_count_;
      residents_[slot] = Resident{
          .thread = member.first_thread + member.started, .member = index, .path = path_of(index, member.started)};
      ++member.started;
      pass_turn();
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
    if (request_.timeline != nullptr) dependencies_.tell(execution(now), resident.touched, recorder_);
    recorder_.tell_issue(execution(now, unit));
    pipe.free_at[index] = recorder_.cycle + word.issue;
    pipe.last_issue = recorder_.cycle;
    pipe.last_unit = unit;
    pipe.last = execution(now).as_cause();
    pipe.taken_by[index] = number;
    issue_cycles_[number] += word.issue;
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
    if (may_start()) next = std::min(next, recorder_.cycle + 1);
    for (const PipeState& pipe : pipes_) {
      if (pipe.waiters.empty()) continue;
      const std::uint64_t free = *std::min_element(pipe.free_at.begin(), pipe.free_at.end());
      const bool reason_changes = residents_[pipe.waiters.top().resident].wait.reason == StallReason::not_selected;
      next = std::min(next, reason_changes ? recorder_.cycle + 1 : std::max(free, recorder_.cycle + 1));
    }
    return next;
  }

  // ---- whose threads start

  /// The next thread is that of the member whose turn it is; it waits until the register file has room.
  [[nodiscard]] bool may_start() const {
    const Member& member = members_[turn_];
    return member.started < member.threads && member.share <= free_shares_ && !free_.empty();
  }
  [[nodiscard]] bool all_left() const {
    return resident_count_ == 0 && members_[turn_].started == members_[turn_].threads;
  }
  /// To the next member that has threads left.
  void pass_turn() {
    const auto count = static_cast<std::uint32_t>(members_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      turn_ = (turn_ + 1) % count;
      if (members_[turn_].started < members_[turn_].threads) return;
    }
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
    const std::uint32_t thread = residents_[slot].thread, index = residents_[slot].member;
    Member& member = members_[index];
    residents_[slot] = Resident();
    free_.push_back(slot);
    free_shares_ += member.share;
    --resident_count_;
    ++member.left;
    member.ended = recorder_.cycle;
    if (member.group_size > 1) {
      ++group(index, thread).ended;
      release(index, thread);
    }
  }

  // ---- barriers

  struct Group {
    std::uint32_t threads = 0, ended = 0;
    std::vector<std::uint32_t> arrived;
  };

  /// The number of the first thread of a thread's group.
  [[nodiscard]] std::uint32_t group_of(const Member& member, std::uint32_t thread) const {
    return thread - (thread - member.first_thread) % member.group_size;
  }

  Group& group(std::uint32_t index, std::uint32_t thread) {
    const Member& member = members_[index];
    const std::uint32_t first = group_of(member, thread);
    const auto [entry, is_new] = groups_.try_emplace(first);
    if (is_new) entry->second.threads = std::min(member.group_size, member.first_thread + member.threads - first);
    return entry->second;
  }

  void arrive(std::uint32_t slot) {
    begin_wait(slot, StallReason::barrier, no_index, {});
    const std::uint32_t thread = residents_[slot].thread, index = residents_[slot].member;
    group(index, thread).arrived.push_back(slot);
    release(index, thread);
  }

  void release(std::uint32_t index, std::uint32_t thread) {
    const auto entry = groups_.find(group_of(members_[index], thread));
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
    for (const PipeState& pipe : pipes_)
      for (std::size_t i = 0; i < pipe.free_at.size(); ++i)
        if (pipe.free_at[i] > recorder_.cycle) issue_cycles_[pipe.taken_by[i]] -= pipe.free_at[i] - recorder_.cycle;
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
      const bool has_waited = resident.queued && resident.execution != no_execution;
      if (!resident.wait && !has_waited) continue;
      if (resident.wait) end_wait(slot);
      recorder_.tell(current_execution(resident), EventKind::flush);
    }
  }

  std::vector<TimedWord> words_;
  const Dependencies& dependencies_;
  const SimulationRequest& request_;
  SimulationReport& report_;
  Recorder recorder_;
  std::vector<Member> members_;
  std::vector<std::uint64_t> issue_cycles_;
  std::uint32_t free_shares_, turn_ = 0;
  std::uint64_t starts_per_cycle_;
  bool oldest_first_;

  std::uint64_t active_ = 0, resident_count_ = 0;
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

/// A program before it is simulated, alone or with others.
struct SharedProgram {
  SimulationReport report;
  std::vector<TimingParameter> parameters;
  Paths paths;
  std::vector<TimedWord> words;
  std::uint32_t share = 1, group_size = 1, first_word = 0;  ///< `first_word`: of its words among those of all

  /// With words counted among those of all programs.
  std::shared_ptr<const Path> path_of(std::uint32_t thread) {
    std::shared_ptr<const Path> path = paths.of(thread);
    if (first_word == 0) return path;
    if (moved_from != path) {
      auto moved = std::make_shared<Path>(*path);
      for (std::uint32_t& word : *moved) word += first_word;
      moved_from = path;
      moved_path = std::move(moved);
    }
    return moved_path;
  }
  std::shared_ptr<const Path> moved_from, moved_path;  ///< the last path that was asked for
};

SimulationReport empty_report(const Program& program, std::span<const TimingParameter> parameters) {
  const Product& product = find_product(program.variant);
  return {.file = program.file,
          .machine = "midgard",
          .variant = std::string(product.name),
          .product = std::string(product.marketing),
          .pipes = timing_pipes(static_cast<std::uint32_t>(timing_parameter(parameters, "alu_pipes"))),
          .use = std::vector<SimulationReport::PipeUse>(pipe_kinds)};
}

Result<SharedProgram> prepare(const Program& program, const SimulationRequest& request) {
  auto parameters = with_timing_choices(timing_model().parameters(program.variant), request.parameters);
  if (!parameters) return fail(parameters.error());
  const auto most_threads = static_cast<std::uint32_t>(timing_parameter(*parameters, "max_threads"));
  const std::uint32_t work = register_use(program).work;
  SimulationReport report = empty_report(program, *parameters);
  report.threads_at_once = threads_with(work, most_threads);
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
  const std::vector<std::string> texts = word_texts(program, words);
  for (std::size_t i = 0; i < words.size(); ++i)
    report.words.push_back({.address = words[i].address, .text = texts[i]});
  return SharedProgram{.report = std::move(report),
                       .parameters = std::move(*parameters),
                       .paths = std::move(*paths),
                       .words = std::move(words),
                       .share = share_of_registers(work),
                       .group_size = threads_of_a_group(program)};
}

/// The register file in the shares of threads with few registers; one thread of each program always has room.
std::uint32_t shares_of_core(std::span<const SharedProgram> programs) {
  auto shares = static_cast<std::uint32_t>(timing_parameter(programs.front().parameters, "max_threads"));
  for (const SharedProgram& program : programs) shares = std::max(shares, program.share);
  return shares;
}

/// Groups whose threads wait for each other must find room side by side, or the core could come to a standstill.
std::string barrier_fault(std::span<const SharedProgram> programs, std::uint32_t shares) {
  std::uint64_t threads = 0, needed = 0;
  for (const SharedProgram& program : programs) {
    if (std::ranges::none_of(program.words, &TimedWord::barrier)) continue;
    threads += program.group_size;
    needed += std::uint64_t{program.group_size} * program.share;
  }
  if (needed <= shares) return {};
  if (programs.size() > 1)
    return "workgroups of " + counted(threads, "thread") +
           " in all meet at barriers, but the core does not hold one of each program at the same time";
  return "a workgroup has " + counted(threads, "thread that meets", "threads that meet") +
         " at a barrier, but the core holds only " + std::to_string(programs.front().report.threads_at_once);
}

/// Tells apart whose threads and words a timeline shows.
void name_threads(std::span<const SharedProgram> programs, TimelineInfo& info) {
  for (const SharedProgram& program : programs) {
    for (std::size_t i = 0; i < program.words.size(); ++i) {
      std::string& text = info.words[program.first_word + i].text;
      text.insert(0, program.report.file + ": ");
    }
    for (std::uint32_t thread = 0; thread < program.report.threads; ++thread)
      info.threads.push_back(program.report.file + " " + std::to_string(thread));
  }
}

/// What the simulation counted for one program.
void take_part(const Simulation& simulation, const SimulationReport& core, SharedProgram& program,
               const Member& member) {
  SimulationReport& report = program.report;
  report.complete = core.complete;
  report.threads = member.started;
  report.cycles = member.left == member.threads ? member.ended : core.cycles;
  for (std::size_t i = 0; i < report.words.size(); ++i) {
    const std::size_t word = program.first_word + i;
    report.words[i] = core.words[word];
    report.executing += core.words[word].executing;
    for (std::size_t reason = 0; reason < stall_reason_count; ++reason)
      report.waiting[reason] += core.words[word].waiting[reason];
    SimulationReport::PipeUse& use = report.use[static_cast<std::size_t>(simulation.pipe_of_word(word))];
    use.words += core.words[word].executions;
    use.issue_cycles += simulation.issue_cycles()[word];
  }
}

}  // namespace

Result<SimulationReport> simulate(const Program& program, const SimulationRequest& request) {
  auto reports = simulate_together({&program, 1}, request);
  if (!reports) return fail(std::move(reports).error());
  return std::move(reports->front());
}

Result<std::vector<SimulationReport>> simulate_together(std::span<const Program> programs,
                                                        const SimulationRequest& request) {
  std::vector<SharedProgram> shared;
  for (const Program& program : programs) {
    auto prepared = prepare(program, request);
    if (!prepared) return fail(std::move(prepared).error());
    if (prepared->report.variant != (shared.empty() ? prepared->report : shared.front().report).variant)
      return fail(
          "TM008",
          "threads of " + shared.front().report.product + " and " + prepared->report.product + " do not share a core",
          "time them for one product");
    shared.push_back(std::move(*prepared));
  }
  const std::vector<TimingParameter>& parameters = shared.front().parameters;
  const std::uint32_t shares = shares_of_core(shared);
  if (const std::string fault = barrier_fault(shared, shares); !fault.empty())
    return fail("TM004", fault, "use fewer work registers, or smaller workgroups");

  SimulationReport core = empty_report(programs.front(), parameters);
  std::vector<TimedWord> words;
  Dependencies dependencies;
  std::vector<Member> members;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    SharedProgram& one = shared[i];
    if (request.timeline != nullptr) dependencies.add(machine().lift(programs[i], {}), one.paths.addresses());
    one.first_word = static_cast<std::uint32_t>(words.size());
    words.insert(words.end(), one.words.begin(), one.words.end());
    core.words.insert(core.words.end(), one.report.words.begin(), one.report.words.end());
    const std::uint32_t first = members.empty() ? 0 : members.back().first_thread + members.back().threads;
    members.push_back(
        {.threads = one.report.threads, .first_thread = first, .share = one.share, .group_size = one.group_size});
  }
  TimelineInfo info;
  if (request.timeline != nullptr) {
    info = timeline_info(core);
    info.units = unit_names(core.pipes);
    if (shared.size() > 1) name_threads(shared, info);
    request.timeline->begin(info);
  }
  Simulation simulation(std::move(words), dependencies, parameters, request, std::move(members), shares, core);
  simulation.run([&shared](std::uint32_t member, std::uint32_t thread) { return shared[member].path_of(thread); });
  if (request.timeline != nullptr) request.timeline->end(core.cycles);

  std::vector<SimulationReport> reports;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    SimulationReport& report = shared[i].report;
    take_part(simulation, core, shared[i], simulation.members()[i]);
    count_like_the_hardware(programs[i], simulation.active_cycles(), report);
    for (const Program& other : programs)
      if (&other != &programs[i]) report.together_with.push_back(other.file);
    finish(report, request, parameters);
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace mobula::midgard
