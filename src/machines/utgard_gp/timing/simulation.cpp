// Vertices through loader, shader and storer, which work at the same time, each on a vertex of its own (10). A vertex
// waits between two units in a buffer of limited size; a unit does not take a vertex if the place after it is not free.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "machines/utgard_gp/machine.h"
#include "machines/utgard_gp/timing/slots.h"
#include "machines/utgard_gp/timing/timing.h"
#include "mobula/isa/machine.h"
#include "timing/dependencies.h"
#include "timing/shared_paths.h"
#include "timing/simulation.h"

namespace mobula::utgard_gp {
namespace {

using WordPath = std::vector<std::uint32_t>;  // words, by index in the program

/// A vertex that a unit works on, or that waits for the next one.
struct Vertex {
  std::uint32_t number = 0;
  std::shared_ptr<const WordPath> path;
  std::size_t at = 0;                      ///< word of the path
  std::uint64_t execution = no_execution;  ///< what it executes or will execute next, once that was mentioned
  std::uint64_t since = 0;                 ///< cycle in which it began to execute
  Wait wait;
  Dependencies::Thread touched;
};

struct UnitState {
  std::optional<Vertex> vertex;
  std::uint64_t until = never;
};

class Simulation {
 public:
  Simulation(std::size_t words, const Dependencies& dependencies, VertexTraffic traffic,
             std::span<const TimingParameter> parameters, const SimulationRequest& request, SimulationReport& report)
      : program_words_(static_cast<std::uint32_t>(words)),
        dependencies_(dependencies),
        load_cycles_(traffic.attributes * timing_parameter(parameters, "attribute_cycles")),
        store_cycles_(traffic.varyings * timing_parameter(parameters, "varying_cycles")),
        word_cycles_(timing_parameter(parameters, "word_cycles")),
        places_(timing_parameter(parameters, "buffered_vertices")),
        request_(request),
        report_(report),
        recorder_(request, report) {
    recorder_.cycle = timing_parameter(parameters, "start_cycles");
  }

  /// `path_of` gives the path of a vertex when its loading begins.
  template <class PathOf>
  void run(PathOf path_of) {
    if (recorder_.cycle > request_.max_cycles) return cut_short();
    for (;;) {
      while (finish_units() || (!at_limit() && start_units(path_of))) {
      }
      if (at_limit() && !all_left()) return cut_short();
      const std::uint64_t next =
          std::min({unit(Stop::loader).until, unit(Stop::shader).until, unit(Stop::storer).until});
      if (next == never) break;
      if (next > request_.max_cycles) return cut_short();
      if (next_vertex_ < report_.threads && !unit(Stop::loader).vertex) loader_waits_ += next - recorder_.cycle;
      recorder_.cycle = next;
    }
    report_.cycles = recorder_.cycle;
  }

  [[nodiscard]] std::uint64_t loader_waits() const { return loader_waits_; }

 private:
  UnitState& unit(Stop stop) { return units_[static_cast<std::size_t>(stop)]; }
  SimulationReport::PipeUse& use(Stop stop) { return report_.use[static_cast<std::size_t>(stop)]; }
  /// Loading and storing have words of their own after those of the program.
  [[nodiscard]] std::uint32_t word_of(Stop stop, const Vertex& vertex) const {
    if (stop == Stop::shader) return (*vertex.path)[vertex.at];
    return program_words_ + (stop == Stop::loader ? 0 : 1);
  }

  [[nodiscard]] bool at_limit() const { return recorder_.cycle == request_.max_cycles; }
  [[nodiscard]] bool all_left() const {
    return next_vertex_ == report_.threads && loaded_.empty() && shaded_.empty() &&
           std::ranges::none_of(units_, [](const UnitState& state) { return state.vertex.has_value(); });
  }

  bool finish_units() {
    bool any = false;
    for (const Stop stop : {Stop::storer, Stop::shader, Stop::loader}) {
      UnitState& state = unit(stop);
      if (state.until != recorder_.cycle) continue;
      any = true;
      end(stop, *state.vertex, EventKind::retire);
      state.until = never;
      if (stop == Stop::shader && state.vertex->at + 1 < state.vertex->path->size()) {
        ++state.vertex->at;
        if (!at_limit()) begin(stop);
        continue;
      }
      Vertex vertex = std::move(*state.vertex);
      state.vertex.reset();
      if (stop == Stop::storer) continue;
      (stop == Stop::loader ? loaded_ : shaded_).push_back(std::move(vertex));
      arrived_ = true;
    }
    return any;
  }

  template <class PathOf>
  bool start_units(PathOf& path_of) {
    bool any = false;
    if (!unit(Stop::storer).vertex && !shaded_.empty()) any = take(Stop::storer, shaded_);
    if (!unit(Stop::shader).vertex && !loaded_.empty() && shaded_.size() < places_) any |= take(Stop::shader, loaded_);
    if (!unit(Stop::loader).vertex && next_vertex_ < report_.threads && loaded_.size() < places_) {
      unit(Stop::loader).vertex = Vertex{.number = next_vertex_, .path = path_of(next_vertex_)};
      ++next_vertex_;
      begin(Stop::loader);
      any = true;
    }
    if (!any && arrived_) note_waits();
    arrived_ &= any;
    return any;
  }

  bool take(Stop stop, std::deque<Vertex>& waiting) {
    UnitState& state = unit(stop);
    state.vertex = std::move(waiting.front());
    waiting.pop_front();
    end_wait(stop, *state.vertex);
    if (stop == Stop::shader && state.vertex->path->empty()) {
      shaded_.push_back(std::move(*state.vertex));
      state.vertex.reset();
      arrived_ = true;
    } else {
      begin(stop);
    }
    return true;
  }

  // ---- executions

  void begin(Stop stop) {
    UnitState& state = unit(stop);
    Vertex& vertex = *state.vertex;
    const std::uint64_t cycles = stop == Stop::loader   ? load_cycles_
                                 : stop == Stop::shader ? word_cycles_
                                                        : store_cycles_;
    recorder_.mention(vertex.execution);
    vertex.since = recorder_.cycle;
    state.until = recorder_.cycle + cycles;
    if (request_.timeline != nullptr && stop == Stop::shader)
      dependencies_.tell(execution(stop, vertex), vertex.touched, recorder_);
    recorder_.tell_issue(execution(stop, vertex));
    ++use(stop).words;
  }

  /// Counts what was executed, up to now.
  void end(Stop stop, Vertex& vertex, EventKind how) {
    const std::uint64_t cycles = recorder_.cycle - vertex.since;
    use(stop).issue_cycles += cycles;
    recorder_.add_executing(word_of(stop, vertex), cycles);
    recorder_.tell_end(execution(stop, vertex), how);
    vertex.execution = no_execution;
  }

  // ---- waiting

  /// Whoever was not taken waits for the unit, or for the unit to get rid of what it has made.
  void note_waits() {
    note_waits(Stop::shader, loaded_, unit(Stop::shader).vertex ? StallReason::unit_busy : StallReason::no_free_slot);
    note_waits(Stop::storer, shaded_, StallReason::unit_busy);
  }
  void note_waits(Stop stop, std::deque<Vertex>& waiting, StallReason reason) {
    for (Vertex& vertex : waiting) {
      if (vertex.wait.reason == reason || (stop == Stop::shader && vertex.path->empty())) continue;
      end_wait(stop, vertex);
      recorder_.mention(vertex.execution);
      const std::optional<Vertex>& occupant = unit(stop).vertex;
      recorder_.begin_wait(vertex.wait, execution(stop, vertex), reason,
                           occupant ? execution(stop, *occupant).as_cause() : TimelineCause{});
    }
  }
  void end_wait(Stop stop, Vertex& vertex) {
    if (vertex.wait) recorder_.end_wait(vertex.wait, execution(stop, vertex));
  }

  /// At the limit everything under way is given up, and counted as far as it got.
  void cut_short() {
    report_.complete = false;
    if (next_vertex_ < report_.threads && next_vertex_ != 0 && !unit(Stop::loader).vertex)
      loader_waits_ += request_.max_cycles - recorder_.cycle;
    report_.threads = next_vertex_;
    recorder_.cycle = report_.cycles = request_.max_cycles;
    for (const Stop stop : {Stop::storer, Stop::shader, Stop::loader})
      if (unit(stop).vertex && unit(stop).until != never) end(stop, *unit(stop).vertex, EventKind::flush);
    for (const Stop stop : {Stop::shader, Stop::storer})
      for (Vertex& vertex : stop == Stop::shader ? loaded_ : shaded_) {
        end_wait(stop, vertex);
        if (vertex.execution != no_execution) recorder_.tell(execution(stop, vertex), EventKind::flush);
      }
  }

  /// What the vertex executes in the unit, or will execute there next.
  [[nodiscard]] TimedExecution execution(Stop stop, const Vertex& vertex) const {
    return {.number = vertex.execution,
            .thread = vertex.number,
            .word = word_of(stop, vertex),
            .unit = static_cast<std::uint32_t>(stop)};
  }

  std::uint32_t program_words_;
  const Dependencies& dependencies_;
  std::uint64_t load_cycles_, store_cycles_, word_cycles_, places_;
  const SimulationRequest& request_;
  SimulationReport& report_;
  Recorder recorder_;
  std::array<UnitState, stop_count> units_;
  std::deque<Vertex> loaded_, shaded_;
  bool arrived_ = false;  ///< a vertex came to a buffer in this cycle
  std::uint32_t next_vertex_ = 0;
  std::uint64_t loader_waits_ = 0;
};

/// The way every vertex takes where nothing was executed.
Result<std::shared_ptr<const WordPath>> assumed_path(std::span<const Word128> words, AssumedPath which,
                                                     std::vector<std::string>& notes) {
  const PathGraph graph = find_paths(words);
  const std::vector<std::uint8_t> weights(words.size(), 1);
  const bool shortest = which == AssumedPath::shortest;
  auto path = shortest ? lightest_path(graph, weights) : heaviest_path(graph, weights);
  if (!path) return fail(no_path(words.empty(), shortest, graph.loops != 0));
  notes.push_back(assumption(shortest, path->size()));
  return std::make_shared<const WordPath>(std::move(*path));
}

/// TM005 where the run was of another program.
Result<void> expect_words(const ThreadPaths& run, std::size_t words) {
  for (const std::uint64_t address : run.all_addresses())
    if (address % word_bytes != 0 || address / word_bytes >= words)
      return fail("TM005", "a path leads to " + hexadecimal(address) + ", where the program has no word");
  return {};
}

WordPath path_of_run(const ThreadPaths& run, std::uint32_t path_id) {
  WordPath path;
  for (const std::uint64_t address : run.addresses(path_id))
    path.push_back(static_cast<std::uint32_t>(address / word_bytes));
  return path;
}

/// The program's words by index, then loading and storing, which come after the end of the program.
std::vector<SimulationReport::WordUse> named_words(const Program& program, std::size_t count, VertexTraffic traffic) {
  std::vector<SimulationReport::WordUse> words(count + 2);
  for (std::size_t i = 0; i < words.size(); ++i) words[i].address = std::uint64_t{i} * word_bytes;
  if (const auto listing = find_machine("utgard-gp")->disassemble(program, {.words = true}))
    for (const Listing::Word& word : listing->words)
      if (word.byte_offset / word_bytes < count)
        words[word.byte_offset / word_bytes].text =
            one_line(std::string_view(listing->text).substr(word.text_begin, word.text_end - word.text_begin));
  words[count].text = "load " + counted(traffic.attributes, "attribute");
  words[count + 1].text = "store " + counted(traffic.varyings, "varying");
  return words;
}

}  // namespace

Result<SimulationReport> simulate(const Program& program, const SimulationRequest& request) {
  auto parameters = with_timing_choices(timing_model().parameters(program.variant), request.parameters);
  if (!parameters) return fail(parameters.error());
  const Product& product = find_product(program.variant);
  const std::vector<Word128> words = words_of(program);
  const VertexTraffic traffic = traffic_of(words);
  const auto places = static_cast<std::uint32_t>(timing_parameter(*parameters, "buffered_vertices"));
  constexpr std::uint32_t default_vertices = 64;
  SimulationReport report{.file = program.file,
                          .machine = "utgard-gp",
                          .variant = std::string(product.name),
                          .product = std::string(product.marketing),
                          .threads_at_once = 2 * places + static_cast<std::uint32_t>(stop_count),
                          .pipes = timing_pipes(*parameters),
                          .use = std::vector<SimulationReport::PipeUse>(stop_count)};
  report.threads = threads_to_simulate(request, default_vertices);
  report.words = named_words(program, words.size(), traffic);

  std::shared_ptr<const WordPath> assumed;  // without a run
  if (request.paths == nullptr) {
    auto path = assumed_path(words, request.assumed, report.notes);
    if (!path) return fail(std::move(path).error());
    assumed = std::move(*path);
  } else {
    if (auto right = expect_words(*request.paths, words.size()); !right) return fail(std::move(right).error());
    if (request.paths->truncated())
      report.notes.emplace_back("The run was too long to remember: the vertices' paths are cut short.");
  }

  const TimelineInfo info = timeline_info(report);
  Dependencies dependencies;
  if (request.timeline != nullptr) {
    std::vector<std::uint64_t> addresses;
    for (std::size_t i = 0; i < words.size(); ++i) addresses.push_back(report.words[i].address);
    dependencies.add(machine().lift(program, {}), addresses);
    request.timeline->begin(info);
  }
  Simulation simulation(words.size(), dependencies, traffic, *parameters, request, report);
  SharedPaths<WordPath> paths_of_run;
  simulation.run([&](std::uint32_t vertex) {
    if (assumed) return assumed;
    const std::uint32_t id = request.paths->path_id(vertex);
    return paths_of_run.of(id, [&] { return path_of_run(*request.paths, id); });
  });
  if (request.timeline != nullptr) request.timeline->end(report.cycles);

  SlotCounter slots(words);
  for (std::uint32_t i = 0; i < words.size(); ++i) slots.add(i, report.words[i].executions);
  report.slots = slots.take();
  report.counters = {{"ACTIVE_CYCLES", report.cycles},
                     {"ACTIVE_CYCLES_VERTEX_LOADER", report.use[0].issue_cycles},
                     {"ACTIVE_CYCLES_VERTEX_SHADER", report.use[1].issue_cycles},
                     {"ACTIVE_CYCLES_VERTEX_STORER", report.use[2].issue_cycles},
                     {"CYCLES_VERTEX_LOADER_WAITING_VERTEX_SHADER", simulation.loader_waits()},
                     {"VERTICES_PROCESSED", report.use[2].words}};
  finish(report, request, std::move(*parameters));
  return report;
}

}  // namespace mobula::utgard_gp
