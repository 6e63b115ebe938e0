// What cores executed, one instruction after the other, each for the cycles it costs. Cores run at the same time and do
// not wait for each other; a wait for a packet takes no time.
#include <algorithm>
#include <tuple>

#include "core/hexadecimal.h"
#include "machines/afuc/text/lines.h"
#include "machines/afuc/timing/timing.h"
#include "timing/simulation.h"

namespace mobula::afuc {
namespace {

/// One core: what it executes, and how far it is.
struct Lane {
  std::vector<std::uint32_t> words;  ///< of the image
  std::size_t next = 0;
  std::uint64_t clock = 0, began = 0;
  std::uint64_t execution = no_execution;  ///< under way
};

class Simulation {
 public:
  Simulation(std::vector<Lane> lanes, std::vector<std::uint64_t> costs, const SimulationRequest& request,
             SimulationReport& report)
      : lanes_(std::move(lanes)),
        costs_(std::move(costs)),
        request_(request),
        report_(report),
        recorder_(request, report) {}

  void run() {
    while (true) {
      const auto first = std::min_element(lanes_.begin(), lanes_.end(),
                                          [](const Lane& a, const Lane& b) { return turn(a) < turn(b); });
      if (first == lanes_.end() || idle(*first)) return;
      const auto thread = static_cast<std::uint32_t>(first - lanes_.begin());
      if (first->clock + (first->execution == no_execution) > request_.max_cycles) {
        cut_short();
        return;
      }
      recorder_.cycle = first->clock;
      if (first->execution != no_execution) end(*first, thread, EventKind::retire);
      if (first->next < first->words.size() && first->clock < request_.max_cycles) begin(*first, thread);
      report_.cycles = std::max(report_.cycles, first->clock);
    }
  }

 private:
  /// At one clock, what ends comes before what begins.
  static std::tuple<bool, std::uint64_t, bool> turn(const Lane& lane) {
    return {idle(lane), lane.clock, lane.execution == no_execution};
  }
  static bool idle(const Lane& lane) { return lane.execution == no_execution && lane.next == lane.words.size(); }

  void begin(Lane& lane, std::uint32_t thread) {
    recorder_.mention(lane.execution);
    lane.began = lane.clock;
    const std::uint32_t word = lane.words[lane.next++];
    recorder_.tell_issue({.number = lane.execution, .thread = thread, .word = word, .unit = 0});
    lane.clock += costs_[word];
    ++report_.use[0].words;
  }
  void end(Lane& lane, std::uint32_t thread, EventKind how) {
    const std::uint32_t word = lane.words[lane.next - 1];
    const std::uint64_t cycles = recorder_.cycle - lane.began;
    recorder_.add_executing(word, cycles);
    report_.use[0].issue_cycles += cycles;
    recorder_.tell_end({.number = lane.execution, .thread = thread, .word = word, .unit = 0}, how);
    lane.execution = no_execution;
  }
  void cut_short() {
    report_.complete = false;
    recorder_.cycle = report_.cycles = request_.max_cycles;
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      if (lanes_[i].execution != no_execution) end(lanes_[i], static_cast<std::uint32_t>(i), EventKind::flush);
  }

  std::vector<Lane> lanes_;
  std::vector<std::uint64_t> costs_;
  const SimulationRequest& request_;
  SimulationReport& report_;
  Recorder recorder_;
};

}  // namespace

Result<SimulationReport> simulate(const Program& program, const SimulationRequest& request) {
  auto parameters = with_timing_choices(timing_model().parameters(program.variant), request.parameters);
  if (!parameters) return fail(parameters.error());
  if (request.paths == nullptr)
    return fail("TM003", "firmware executes what packets ask for",
                "give a command stream with --stream, and its instructions are counted");
  const Image image(program);
  SimulationReport report{.file = program.file,
                          .machine = "afuc",
                          .variant = std::string(image.chip().name),
                          .product = std::string(image.chip().product),
                          .threads = request.paths->threads(),
                          .threads_at_once = request.paths->threads(),
                          .pipes = {{.name = "core", .letter = "I", .count = std::max(1u, request.paths->threads())}},
                          .use = std::vector<SimulationReport::PipeUse>(1)};
  const std::uint64_t first = image.byte_offset(0);
  std::vector<Lane> lanes(report.threads);
  for (std::uint32_t thread = 0; thread < report.threads; ++thread)
    for (const std::uint64_t address : request.paths->addresses(request.paths->path_id(thread))) {
      if (address < first || (address - first) / word_bytes >= image.size())
        return fail("TM005", "a path leads to " + hexadecimal(address) + ", where the firmware has no word");
      lanes[thread].words.push_back(static_cast<std::uint32_t>((address - first) / word_bytes));
    }
  if (request.paths->truncated()) report.notes.emplace_back("The run was too long to remember: it is cut short.");

  const Costs costs(*parameters);
  const InstructionLines lines(image, Dialect::own);
  std::vector<std::uint64_t> cycles(image.size());
  report.words.resize(image.size());
  std::vector<std::string> cores;
  for (const Core& core : image.cores()) {
    for (std::uint32_t i = core.start; i < core.end(); ++i) {
      cycles[i] = costs.of(image.code(i), image.word(i));
      report.words[i].address = image.byte_offset(i);
      report.words[i].text = image.place(core, i) + "  " + std::string(lines.instruction(i));
    }
    cores.emplace_back(core.name);
  }
  TimelineInfo info = timeline_info(report);
  info.threads = std::move(cores);
  info.threads.resize(report.threads);
  if (request.timeline != nullptr) request.timeline->begin(info);
  Simulation(std::move(lanes), std::move(cycles), request, report).run();
  if (request.timeline != nullptr) request.timeline->end(report.cycles);
  report.counters = {{"INSTRUCTIONS", report.use[0].words}};
  finish(report, request, std::move(*parameters));
  report.notes.emplace_back("Boot is not counted, nor the time in which a core waits for a packet.");
  return report;
}

}  // namespace mobula::afuc
