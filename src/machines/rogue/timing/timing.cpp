#include "machines/rogue/timing/timing.h"

#include <algorithm>

#include "core/counted.h"
#include "machines/rogue/spec/access.h"
#include "machines/rogue/spec/cores.h"
#include "machines/rogue/text/text_only.h"
#include "machines/rogue/timing/slots.h"

namespace mobula::rogue {
namespace {

constexpr std::string_view product = "PowerVR Rogue";

constexpr std::array parameter_rows{
    TimingParameter{.name = "lanes",
                    .value = 16,
                    .minimum = 1,
                    .maximum = 32,
                    .status = Status::document,
                    .source = "6",
                    .summary = "instances that a group works on in one cycle"},
    TimingParameter{.name = "task_instances",
                    .value = 32,
                    .minimum = 1,
                    .maximum = 32,
                    .status = Status::driver,
                    .source = "1.1",
                    .summary = "instances of a task at most"},
    TimingParameter{.name = "resident_tasks",
                    .value = 24,
                    .minimum = 1,
                    .maximum = 1024,
                    .status = Status::driver,
                    .source = "6",
                    .summary = "tasks that one cluster holds: 24 on AXE-1-16M, 28 on GX6250"},
    TimingParameter{.name = "free_registers",
                    .value = 24,
                    .minimum = 1,
                    .maximum = 496,
                    .status = Status::document,
                    .source = "6",
                    .summary = "registers of an instance, r and vi, up to which the cluster is full of tasks"},
    TimingParameter{.name = "fetch_bytes",
                    .value = 32,
                    .minimum = 1,
                    .maximum = 32,
                    .status = Status::unknown,
                    .source = "6",
                    .summary = "bytes of code that arrive in one cycle; with 32 no group is late"},
    TimingParameter{.name = "group_latency",
                    .value = 4,
                    .minimum = 0,
                    .maximum = 32,
                    .status = Status::unknown,
                    .source = "6",
                    .summary = "cycles from the end of a group until a group of its task can use its results"},
    TimingParameter{.name = "branch_wait",
                    .value = 1,
                    .minimum = 0,
                    .maximum = 1000,
                    .status = Status::unknown,
                    .source = "6",
                    .summary = "cycles a task waits after a branch, taken or not"},
    TimingParameter{.name = "output_wait",
                    .value = 0,
                    .minimum = 0,
                    .maximum = 100000,
                    .status = Status::unknown,
                    .source = "6",
                    .summary = "cycles a task waits before a wop"},
    TimingParameter{.name = "iterator_instances",
                    .value = 4,
                    .minimum = 1,
                    .maximum = 32,
                    .status = Status::driver,
                    .source = "6",
                    .summary = "instances for which a value is iterated in one cycle: 4 or 8 by product"},
    TimingParameter{.name = "iterator_latency",
                    .value = 16,
                    .minimum = 0,
                    .maximum = 100000,
                    .status = Status::unknown,
                    .source = "6",
                    .summary = "cycles until the last of the values has arrived"},
    TimingParameter{.name = "memory_words",
                    .value = 16,
                    .minimum = 1,
                    .maximum = 1024,
                    .status = Status::unknown,
                    .source = "6",
                    .summary = "words that loads, stores and atomics of all instances move in one cycle"},
    TimingParameter{.name = "memory_latency",
                    .value = 64,
                    .minimum = 0,
                    .maximum = 100000,
                    .status = Status::unknown,
                    .source = "6",
                    .summary = "cycles until the last of them has arrived, all of them in a cache"},
    TimingParameter{
        .name = "texture_instances",
        .value = 4,
        .minimum = 1,
        .maximum = 32,
        .status = Status::inferred,
        .source = "1.6",
        .summary = "instances whose texel addresses are made in one cycle, as the texture address unit does"},
    TimingParameter{.name = "texture_latency",
                    .value = 128,
                    .minimum = 0,
                    .maximum = 100000,
                    .status = Status::unknown,
                    .source = "6",
                    .summary = "cycles until the last of the samples has arrived, all of them in a cache"},
    TimingParameter{
        .name = "scheduler",
        .value = 0,
        .minimum = 0,
        .maximum = 1,
        .status = Status::inferred,
        .source = "1.1",
        .summary =
            "whose group is issued: 0 the same task's until it waits, 1 that of the task that has been ready longest"},
};

class RogueTiming final : public TimingModel {
 public:
  [[nodiscard]] std::string_view machine() const override { return "rogue"; }

  [[nodiscard]] std::vector<TimingParameter> parameters(std::string_view) const override {
    return {parameter_rows.begin(), parameter_rows.end()};
  }

  [[nodiscard]] Result<Estimate> estimate(const Program& program, const TimingParameters& chosen) const override {
    const auto rows = with_timing_choices(parameters(program.variant), chosen);
    if (!rows) return fail(rows.error());
    Estimate result{.file = program.file,
                    .architecture = "Rogue",
                    .machine = "rogue",
                    .variant = std::string(variant_of(program)),
                    .product = std::string(product),
                    .stage = program.interface.stage,
                    .pipes = timing_pipes(*rows),
                    .total = Estimate::Words(server_count),
                    .word_name = "group",
                    .bytes = CodeBytes{}};
    bool counted_in_register = false;
    SlotCounter slots;
    for_each_group(program, [&](const Group& group) {
      const TimedGroup timed = timed_group(group);
      ++result.words;
      result.bytes->total += group.size;
      add(timed, result.total);
      slots.add(group);
      const Operations operations = operations_of(group);
      result.instructions += operations.all;
      result.moves += operations.moves;
      counted_in_register |= timed.counted_in_register;
    });
    result.slots = slots.take();
    result.quadwords = (program.code.size() + 15) / 16;
    count_registers(program, *rows, result);
    measure_paths(program, result);
    if (counted_in_register) result.notes.emplace_back("bursts whose length a register holds count as one word");
    result.notes.emplace_back(
        "groups, bytes and issue cycles are facts of the code; what iterator, memory and texture take, and all "
        "waiting, is assumed (--params)");
    return result;
  }

  [[nodiscard]] Result<SimulationReport> simulate(const Program& program,
                                                  const SimulationRequest& request) const override {
    return rogue::simulate(program, request);
  }

 private:
  static void add(const TimedGroup& group, Estimate::Words& words) {
    words[0] += group.repeat;
    if (group.server != Server::issue) words[static_cast<std::size_t>(group.server)] += group.amount;
  }

  static void count_registers(const Program& program, std::span<const TimingParameter> parameters, Estimate& result) {
    const RegisterUse use = register_use(program);
    result.work_registers = use.temporaries;
    result.uniform_registers = use.shared;
    const auto instances = static_cast<std::uint32_t>(timing_parameter(parameters, "task_instances"));
    result.threads = resident_tasks(use, parameters) * instances;
    result.most_threads = static_cast<std::uint32_t>(timing_parameter(parameters, "resident_tasks")) * instances;
  }

  static void measure_paths(const Program& program, Estimate& result) {
    const Flow flow = find_flow(program);
    result.notes.insert(result.notes.end(), flow.notes.begin(), flow.notes.end());
    result.loops = flow.loops;
    if (flow.calls != 0)
      result.notes.push_back(counted(flow.calls, "call") + ": what is called counts for the whole program only");
    if (flow.loops != 0)
      result.notes.push_back(counted(flow.loops, "loop whose trip count is", "loops whose trip counts are") +
                             " unknown: there is no longest path");
    std::vector<std::uint8_t> weights(flow.nodes.size());
    const auto measure = [&](auto weight_of, auto path_of) -> std::optional<std::uint64_t> {
      std::ranges::transform(flow.groups, weights.begin(), weight_of);
      const auto path = path_of(flow, weights);
      if (!path) return std::nullopt;
      std::uint64_t sum = 0;
      for (const std::uint32_t node : *path) sum += weights[node];
      return sum;
    };
    const auto both = [&](auto weight_of, auto take) {
      take(measure(weight_of, lightest_path), measure(weight_of, heaviest_path));
    };
    const auto size_of = [](const TimedGroup& group) { return group.size; };
    both(size_of, [&](auto least, auto most) { result.bytes->shortest = least, result.bytes->longest = most; });
    if (result.bytes->shortest) result.shortest.emplace();
    if (result.bytes->longest) result.longest.emplace();
    for (std::size_t i = 0; i < server_count; ++i) {
      const auto amount_of = [i](const TimedGroup& group) -> std::uint8_t {
        if (i == 0) return group.repeat;
        return static_cast<std::size_t>(group.server) == i ? group.amount : 0;
      };
      both(amount_of, [&](auto least, auto most) {
        if (least) result.shortest->push_back(*least);
        if (most) result.longest->push_back(*most);
      });
    }
    if (!flow.nodes.empty() && !result.shortest) result.notes.emplace_back("no path leads to an end of the program");
  }
};

}  // namespace

const TimingModel& timing_model() {
  static const RogueTiming model;
  return model;
}

std::vector<TimingPipe> timing_pipes(std::span<const TimingParameter> parameters) {
  const std::uint64_t instances = timing_parameter(parameters, "task_instances");
  const auto turns = [&](std::string_view at_once) {
    const std::uint64_t width = timing_parameter(parameters, at_once);
    return static_cast<std::uint32_t>((instances + width - 1) / width);
  };
  return {{.name = "issue", .letter = "issue", .word_cycles = turns("lanes")},
          {.name = "iterator", .letter = "iterator", .word_cycles = turns("iterator_instances")},
          {.name = "memory", .letter = "memory", .word_cycles = turns("memory_words")},
          {.name = "texture", .letter = "texture", .word_cycles = turns("texture_instances")}};
}

RegisterUse register_use(const Program& program) {
  RegisterUse use;
  const auto touch = [&](const Register& reg, std::uint32_t count) {
    if (reg.indexed()) return;
    const std::uint32_t end = reg.index + count;
    if (reg.bank == Bank::temporary) use.temporaries = std::max(use.temporaries, end);
    if (reg.bank == Bank::vertex_input) use.vertex_inputs = std::max(use.vertex_inputs, end);
    if (reg.bank == Bank::shared) use.shared = std::max(use.shared, end);
  };
  for_each_group(program, [&](const Group& group) {
    if (group.raw()) return;
    const Access access = access_of(group);
    const RegisterSet all = access.reads | access.writes | access.late_reads | access.late_writes;
    for (unsigned i = 0; i < tracked_count; ++i)
      if (all.test(i)) touch(tracked_register(i), 1);
    const unsigned used = group.lower != nullptr ? slots_used(group) : 0;
    for (unsigned slot = 0; slot < slot_count; ++slot)
      if ((used >> slot & 1) != 0) touch(group.slots[slot], 1);
    for (unsigned port = 0; port < 2; ++port)
      if (port == 0 ? group.w0p : group.w1p) touch(group.written[port], 1);
  });
  return use;
}

std::uint32_t resident_tasks(const RegisterUse& use, std::span<const TimingParameter> parameters) {
  constexpr std::uint32_t granule = 8;  // registers are allocated in eights (6)
  const auto rounded = [](std::uint32_t count) { return (count + granule - 1) / granule * granule; };
  const std::uint64_t tasks = timing_parameter(parameters, "resident_tasks"),
                      free = timing_parameter(parameters, "free_registers");
  const std::uint64_t registers = rounded(use.temporaries) + rounded(use.vertex_inputs);
  const std::uint64_t room = registers <= free ? tasks : tasks * free / registers;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(room, 1));
}

}  // namespace mobula::rogue
