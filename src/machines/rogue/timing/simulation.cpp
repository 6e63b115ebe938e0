// Tasks on one cluster (6). In each cycle one group of one task is being issued; what it orders from iterators,
// memory or texture unit arrives later, and the task waits for it where a wdf says so. Time jumps from event to event.
#include <algorithm>
#include <array>
#include <set>

#include "machines/rogue/spec/cores.h"
#include "machines/rogue/timing/path.h"
#include "machines/rogue/timing/slots.h"
#include "machines/rogue/timing/timing.h"
#include "mobula/isa/machine.h"
#include "timing/simulation.h"

namespace mobula::rogue {
namespace {

/// A task that the cluster holds.
struct Resident {
  TimedTask task;
  std::uint32_t number = 0;
  std::size_t at = 0;
  std::uint64_t execution = no_execution;  ///< of the group at `at`, once it has been mentioned
  std::uint64_t ready_since = 0;           ///< while it is in the queue
  Wait wait;
  bool waited = false;  ///< for the output, in front of the group at `at`
  struct Finished {
    std::uint64_t cycle = 0, execution = no_execution;
  };
  std::array<Finished, longest_distance> finished{};  ///< the last steps, by their number
  std::array<std::uint32_t, 2> orders{};              ///< under way, by fence counter
  std::array<TimelineCause, 2> last_order{};
  std::array<Server, 2> last_server{};
  int waits_for = -1;                  ///< counter that an order waits for itself
  std::uint64_t drains_since = never;  ///< its groups are done, only what they ordered is still under way

  [[nodiscard]] const Step& step() const { return (*task.path)[at]; }
  [[nodiscard]] std::uint32_t orders_left() const { return orders[0] + orders[1]; }
};

/// Something that happens to a task.
struct Happening {
  enum class Kind : std::uint8_t { done, arrived, goes_on };
  Kind kind = Kind::done;
  std::uint32_t slot = 0, group = 0;
  std::uint64_t execution = 0;
};

class Simulation {
 public:
  Simulation(TimedTasks& tasks, std::span<const TimingParameter> parameters, const SimulationRequest& request,
             std::uint32_t resident_tasks, SimulationReport& report)
      : tasks_(tasks), request_(request), report_(report), recorder_(request, report) {
    const auto value = [&](std::string_view name) { return timing_parameter(parameters, name); };
    lanes_ = value("lanes");
    fetch_bytes_ = value("fetch_bytes");
    group_latency_ = value("group_latency");
    branch_wait_ = value("branch_wait");
    output_wait_ = value("output_wait");
    longest_ready_first_ = value("scheduler") == 1;
    at_once_ = {0, value("iterator_instances"), value("memory_words"), value("texture_instances")};
    latency_ = {0, value("iterator_latency"), value("memory_latency"), value("texture_latency")};
    for (const Group& group : tasks.groups()) groups_.push_back(timed_group(group));
    residents_.resize(std::min(resident_tasks, tasks.count()));
    for (auto slot = static_cast<std::uint32_t>(residents_.size()); slot != 0; --slot) free_.push_back(slot - 1);
  }

  void run() {
    for (;;) {
      let_happen();
      if (recorder_.cycle == request_.max_cycles && !all_left()) {
        stop();
        break;
      }
      start_tasks();
      issue();
      note_waits();
      std::uint64_t next = agenda_.next_cycle();
      if (!ready_.empty()) next = std::min(next, std::max(issue_free_, recorder_.cycle + 1));
      if (next == never) break;
      if (next > request_.max_cycles) {
        stop();
        break;
      }
      recorder_.cycle = next;
    }
    report_.cycles = recorder_.cycle;
  }

  [[nodiscard]] std::uint32_t tasks_started() const { return next_task_; }
  [[nodiscard]] std::uint64_t bytes_fetched() const { return bytes_; }

 private:
  // ---- the steps of a cycle

  void let_happen() {
    while (agenda_.next_cycle() == recorder_.cycle) {
      const Happening now = agenda_.take().what;
      switch (now.kind) {
        case Happening::Kind::done:
          finish_group(now);
          break;
        case Happening::Kind::arrived:
          arrive(now);
          break;
        case Happening::Kind::goes_on:
          end_wait(now.slot);
          consider(now.slot);
          break;
      }
    }
  }

  void start_tasks() {
    while (next_task_ < tasks_.count() && !free_.empty()) {
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      Resident& resident = residents_[slot] = Resident{.task = tasks_.task(next_task_), .number = next_task_};
      ++next_task_;
      report_.threads += resident.task.instances;
      if (resident.task.path->empty())
        leave(slot);
      else
        consider(slot);
    }
  }

  void issue() {
    if (ready_.empty() || issue_free_ > recorder_.cycle) return;
    auto chosen = ready_.begin();
    if (!longest_ready_first_ && last_slot_ < residents_.size()) {
      const Resident& last = residents_[last_slot_];
      const auto found = ready_.find({last.ready_since, last.number, last_slot_});
      if (found != ready_.end()) chosen = found;
    }
    const std::uint32_t slot = std::get<2>(*chosen);
    ready_.erase(chosen);
    last_slot_ = slot;
    Resident& resident = residents_[slot];
    if (resident.wait) end_wait(slot);
    recorder_.mention(resident.execution);
    const std::uint32_t number = resident.step().group;
    const TimedGroup& group = groups_[number];
    const std::uint64_t passes = turns(resident.task.instances, lanes_) * group.repeat;
    const std::uint64_t cycles = std::max(passes, turns(group.size, fetch_bytes_));
    issue_free_ = recorder_.cycle + cycles;
    bytes_ += group.size;
    ++report_.use[0].words;
    report_.use[0].issue_cycles += cycles;
    const Happening now{.slot = slot, .group = number, .execution = resident.execution};
    if (resident.step().distance != 0)
      recorder_.tell(execution(now), EventKind::dependency, StallReason::read_after_write, producer_cause(resident));
    recorder_.tell_issue(execution(now));
    executing_since_ = recorder_.cycle;
    executing_ = now;
    happen(cycles, Happening::Kind::done, now);
  }

  // ---- groups and what they order

  void finish_group(const Happening& now) {
    Resident& resident = residents_[now.slot];
    const TimedGroup& group = groups_[now.group];
    add_executing(resident, now.group);
    executing_.execution = no_execution;
    resident.finished[resident.at % longest_distance] = {recorder_.cycle, now.execution};
    if (group.server == Server::issue) {
      recorder_.tell_end(execution(now), EventKind::retire);
    } else {
      order(now, resident, group);
    }
    resident.execution = no_execution;
    resident.waited = false;
    ++resident.at;
    if (resident.at == resident.task.path->size()) {
      if (resident.orders_left() == 0) return leave(now.slot);
      resident.drains_since = recorder_.cycle;
    } else if (group.branches && branch_wait_ != 0) {
      begin_wait(now.slot, StallReason::branch, {});
      happen(branch_wait_, Happening::Kind::goes_on, now);
    } else {
      consider(now.slot);
    }
  }

  void order(const Happening& now, Resident& resident, const TimedGroup& group) {
    const auto server = static_cast<std::size_t>(group.server);
    const std::uint64_t amount = std::uint64_t{group.amount} * resident.task.instances;
    const std::uint64_t busy = turns(amount, at_once_[server]);
    const std::uint64_t start = std::max(server_free_[server], recorder_.cycle);
    server_free_[server] = start + busy;
    ++report_.use[server].words;
    report_.use[server].issue_cycles += busy;
    const auto counter = static_cast<std::size_t>(group.counter);
    ++resident.orders[counter];
    resident.last_order[counter] = {.execution = now.execution, .thread = resident.number, .word = now.group};
    resident.last_server[counter] = group.server;
    if (group.waits) resident.waits_for = group.counter;
    happen(start + busy + latency_[server] - recorder_.cycle, Happening::Kind::arrived, now);
  }

  void arrive(const Happening& now) {
    Resident& resident = residents_[now.slot];
    recorder_.tell_end(execution(now), EventKind::retire);
    const auto counter = static_cast<std::size_t>(groups_[now.group].counter);
    --resident.orders[counter];
    if (resident.drains_since != never) {
      if (resident.orders_left() != 0) return;
      add_draining(resident, now.group);
      leave(now.slot);
    } else if (resident.orders[counter] == 0 && resident.wait.reason == reason_of(resident.last_server[counter]) &&
               waits_for(resident) == static_cast<int>(counter)) {
      end_wait(now.slot);
      consider(now.slot);
    }
  }

  static StallReason reason_of(Server server) {
    if (server == Server::iterator) return StallReason::input;
    return server == Server::texture ? StallReason::texture : StallReason::memory;
  }

  /// Counter that has to be 0 before the task's next group; -1 if none.
  [[nodiscard]] int waits_for(const Resident& resident) const {
    if (resident.waits_for >= 0) return resident.waits_for;
    const TimedGroup& group = groups_[resident.step().group];
    return group.waits && group.server == Server::issue ? group.counter : -1;
  }

  // ---- the life of a task

  /// Its next group is due: it gets ready, or waits for the first of what is in its way.
  void consider(std::uint32_t slot) {
    Resident& resident = residents_[slot];
    const Step& step = resident.step();
    if (const int counter = waits_for(resident); counter >= 0) {
      const auto index = static_cast<std::size_t>(counter);
      if (resident.orders[index] != 0)
        return begin_wait(slot, reason_of(resident.last_server[index]), resident.last_order[index]);
      resident.waits_for = -1;
    }
    if (groups_[step.group].waits_for_output && output_wait_ != 0 && !resident.waited) {
      resident.waited = true;
      begin_wait(slot, StallReason::tile_buffer, {});
      return happen(output_wait_, Happening::Kind::goes_on, {.slot = slot});
    }
    if (step.distance != 0) {
      const std::uint64_t there = producer(resident).cycle + group_latency_;
      if (there > recorder_.cycle) {
        begin_wait(slot, StallReason::read_after_write, producer_cause(resident));
        return happen(there - recorder_.cycle, Happening::Kind::goes_on, {.slot = slot});
      }
    }
    resident.ready_since = recorder_.cycle;
    ready_.insert({recorder_.cycle, resident.number, slot});
    newly_ready_.push_back(slot);
  }

  /// The last step whose results the next group uses. Precondition: there is one.
  static const Resident::Finished& producer(const Resident& resident) {
    return resident.finished[(resident.at - resident.step().distance) % longest_distance];
  }
  static TimelineCause producer_cause(const Resident& resident) {
    return {.execution = producer(resident).execution,
            .thread = resident.number,
            .word = (*resident.task.path)[resident.at - resident.step().distance].group};
  }

  void leave(std::uint32_t slot) {
    residents_[slot] = Resident();
    free_.push_back(slot);
  }
  [[nodiscard]] bool all_left() const { return next_task_ == tasks_.count() && free_.size() == residents_.size(); }

  /// Who became ready in this cycle and was not taken waits for its turn.
  void note_waits() {
    for (const std::uint32_t slot : newly_ready_) {
      const Resident& resident = residents_[slot];
      if (!ready_.contains({resident.ready_since, resident.number, slot})) continue;
      begin_wait(slot, StallReason::not_selected, execution(executing_).as_cause());
    }
    newly_ready_.clear();
  }

  // ---- bookkeeping

  static std::uint64_t turns(std::uint64_t amount, std::uint64_t at_once) { return (amount + at_once - 1) / at_once; }

  void happen(std::uint64_t in_cycles, Happening::Kind kind, Happening what) {
    what.kind = kind;
    agenda_.plan(recorder_.cycle + in_cycles, what);
  }

  /// Of a group that executes.
  [[nodiscard]] TimedExecution execution(const Happening& what) const {
    return {.number = what.execution,
            .thread = residents_[what.slot].number,
            .word = what.group,
            .unit = static_cast<std::uint32_t>(groups_[what.group].server)};
  }
  /// Of the group that the task reaches next.
  static TimedExecution next_execution(const Resident& resident) {
    return {.number = resident.execution, .thread = resident.number, .word = resident.step().group};
  }

  void begin_wait(std::uint32_t slot, StallReason reason, const TimelineCause& cause) {
    Resident& resident = residents_[slot];
    recorder_.mention(resident.execution);
    recorder_.begin_wait(resident.wait, next_execution(resident), reason, cause);
  }
  void end_wait(std::uint32_t slot) {
    Resident& resident = residents_[slot];
    recorder_.end_wait(resident.wait, next_execution(resident), resident.task.instances);
  }

  /// Cycles count for each instance of the task.
  void add_draining(const Resident& resident, std::uint32_t group) {
    recorder_.add_waiting(group, StallReason::drain,
                          resident.task.instances * (recorder_.cycle - resident.drains_since));
  }
  void add_executing(const Resident& resident, std::uint32_t group) {
    recorder_.add_executing(group, resident.task.instances * (recorder_.cycle - executing_since_));
  }

  /// At the limit everything under way is given up, and counted as far as it got.
  void stop() {
    recorder_.cycle = request_.max_cycles;
    report_.complete = false;
    if (executing_.execution != no_execution) {
      add_executing(residents_[executing_.slot], executing_.group);
      report_.use[0].issue_cycles -= issue_free_ - recorder_.cycle;
      recorder_.tell_end(execution(executing_), EventKind::flush);
    }
    while (agenda_.next_cycle() != never) {
      const Happening now = agenda_.take().what;
      if (now.kind != Happening::Kind::arrived) continue;
      Resident& resident = residents_[now.slot];
      if (resident.drains_since != never) add_draining(resident, now.group);
      resident.drains_since = never;
      recorder_.tell_end(execution(now), EventKind::flush);
    }
    for (std::size_t server = 1; server < server_count; ++server)
      report_.use[server].issue_cycles -=
          server_free_[server] > recorder_.cycle ? server_free_[server] - recorder_.cycle : 0;
    for (std::uint32_t slot = 0; slot < residents_.size(); ++slot) {
      const Resident& resident = residents_[slot];
      if (resident.wait) end_wait(slot);
      if (resident.execution == no_execution || resident.execution == executing_.execution) continue;
      // As anything given up, it is said to be where it would have executed.
      recorder_.tell(execution({.slot = slot, .group = resident.step().group, .execution = resident.execution}),
                     EventKind::flush);
    }
  }

  TimedTasks& tasks_;
  const SimulationRequest& request_;
  SimulationReport& report_;
  Recorder recorder_;
  std::uint64_t lanes_ = 1, fetch_bytes_ = 1, group_latency_ = 0, branch_wait_ = 0, output_wait_ = 0;
  bool longest_ready_first_ = false;
  std::array<std::uint64_t, server_count> at_once_{}, latency_{}, server_free_{};
  std::vector<TimedGroup> groups_;

  std::uint64_t issue_free_ = 0, executing_since_ = 0, bytes_ = 0;
  std::uint32_t next_task_ = 0, last_slot_ = no_index;
  Happening executing_{.execution = no_execution};  ///< the group that is being issued
  std::vector<Resident> residents_;
  std::vector<std::uint32_t> free_, newly_ready_;
  std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> ready_;  ///< ready since, task, slot
  Agenda<Happening> agenda_;
};

/// The groups' texts without labels, by address.
std::vector<SimulationReport::WordUse> named_groups(const Program& program, std::span<const Group> groups) {
  std::vector<SimulationReport::WordUse> words;
  for (const Group& group : groups) words.push_back({.address = group.offset});
  const auto listing = find_machine("rogue")->disassemble(program, {.words = true});
  if (!listing) return words;
  for (SimulationReport::WordUse& word : words) {
    const auto found = std::ranges::lower_bound(listing->words, word.address, {}, &Listing::Word::byte_offset);
    if (found == listing->words.end() || found->byte_offset != word.address) continue;
    std::string_view lines =
        std::string_view(listing->text).substr(found->text_begin, found->text_end - found->text_begin);
    if (const std::size_t label = lines.find(":\n"); label != std::string_view::npos) lines.remove_prefix(label + 2);
    word.text = one_line(lines);
  }
  return words;
}

}  // namespace

Result<SimulationReport> simulate(const Program& program, const SimulationRequest& request) {
  auto parameters = with_timing_choices(timing_model().parameters(program.variant), request.parameters);
  if (!parameters) return fail(parameters.error());
  const auto instances = static_cast<std::uint32_t>(timing_parameter(*parameters, "task_instances"));
  const std::uint32_t residents = resident_tasks(register_use(program), *parameters);
  SimulationReport report{.file = program.file,
                          .machine = "rogue",
                          .variant = std::string(variant_of(program)),
                          .product = "PowerVR Rogue",
                          .threads_at_once = residents * instances,
                          .pipes = timing_pipes(*parameters),
                          .use = std::vector<SimulationReport::PipeUse>(server_count)};
  const std::uint32_t threads = threads_to_simulate(request, 2 * report.threads_at_once);
  auto tasks = request.paths != nullptr
                   ? TimedTasks::from_run(program, *request.paths, instances, report.notes)
                   : TimedTasks::assumed(program, request.assumed, threads, instances, report.notes);
  if (!tasks) return fail(tasks.error());
  report.words = named_groups(program, tasks->groups());

  const TimelineInfo info = timeline_info(report);
  if (request.timeline != nullptr) request.timeline->begin(info);
  Simulation simulation(*tasks, *parameters, request, residents, report);
  simulation.run();
  if (request.timeline != nullptr) request.timeline->end(report.cycles);

  SlotCounter slots;
  for (std::size_t i = 0; i < report.words.size(); ++i) slots.add(tasks->groups()[i], report.words[i].executions);
  report.slots = slots.take();
  report.counters = {{"TASKS", simulation.tasks_started()},
                     {"GROUPS_ISSUED", report.use[0].words},
                     {"BYTES_FETCHED", simulation.bytes_fetched()},
                     {"ISSUE_CYCLES", report.use[0].issue_cycles},
                     {"ASSUMED_STALL_CYCLES", report.cycles - report.use[0].issue_cycles}};
  finish(report, request, std::move(*parameters));
  return report;
}

}  // namespace mobula::rogue
