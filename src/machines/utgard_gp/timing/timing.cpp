#include "machines/utgard_gp/timing/timing.h"

#include <bit>

#include "core/counted.h"
#include "machines/utgard_gp/timing/slots.h"
#include "timeline/output.h"

namespace mobula::utgard_gp {
namespace {

constexpr std::array parameter_rows{
    TimingParameter{.name = "word_cycles",
                    .value = 1,
                    .minimum = 1,
                    .maximum = 1000,
                    .status = Status::inferred,
                    .source = "10",
                    .summary = "cycles an instruction word occupies the shader"},
    TimingParameter{.name = "attribute_cycles",
                    .value = 1,
                    .minimum = 0,
                    .maximum = 1000,
                    .status = Status::unknown,
                    .source = "10",
                    .summary = "cycles the loader takes for each attribute of a vertex"},
    TimingParameter{.name = "varying_cycles",
                    .value = 1,
                    .minimum = 0,
                    .maximum = 1000,
                    .status = Status::unknown,
                    .source = "10",
                    .summary = "cycles the storer takes for each varying of a vertex, the position among them"},
    TimingParameter{.name = "buffered_vertices",
                    .value = 2,
                    .minimum = 1,
                    .maximum = 1024,
                    .status = Status::unknown,
                    .source = "10",
                    .summary = "vertices that may wait between loader and shader, and between shader and storer"},
    TimingParameter{.name = "start_cycles",
                    .value = 0,
                    .minimum = 0,
                    .maximum = 1000000,
                    .status = Status::unknown,
                    .source = "10",
                    .summary = "cycles before the first vertex, for copying program and uniforms"},
};

class UtgardGpTiming final : public TimingModel {
 public:
  [[nodiscard]] std::string_view machine() const override { return "utgard-gp"; }

  [[nodiscard]] std::vector<TimingParameter> parameters(std::string_view) const override {
    return {parameter_rows.begin(), parameter_rows.end()};
  }

  [[nodiscard]] Result<Estimate> estimate(const Program& program, const TimingParameters& chosen) const override {
    const auto chosen_rows = with_timing_choices(parameters(program.variant), chosen);
    if (!chosen_rows) return fail(chosen_rows.error());
    const Product& product = find_product(program.variant);
    const std::vector<Word128> words = words_of(program);
    Estimate result{.file = program.file,
                    .architecture = "Utgard GP",
                    .machine = "utgard-gp",
                    .variant = std::string(product.name),
                    .product = std::string(product.marketing),
                    .stage = Stage::vertex,
                    .pipes = timing_pipes(*chosen_rows)};
    result.words = result.quadwords = words.size();
    count_slots(words, result);
    count_registers(words, result);
    measure_paths(words, result);
    result.notes.emplace_back(
        "the loader's words are attributes, the storer's are varyings; a vertex takes as long as "
        "the slowest of the three units");
    if (program.code.size() % word_bytes != 0)
      result.notes.emplace_back("the last bytes of the code do not fill a word and are left out");
    return result;
  }

  [[nodiscard]] Result<SimulationReport> simulate(const Program& program,
                                                  const SimulationRequest& request) const override {
    return utgard_gp::simulate(program, request);
  }

 private:
  static void count_slots(std::span<const Word128> words, Estimate& result) {
    SlotCounter slots(words);
    for (std::uint32_t i = 0; i < words.size(); ++i) {
      slots.add(i);
      const Operations operations = operations_of(words[i]);
      result.instructions += operations.all;
      result.moves += operations.moves;
      for (const unsigned half : {0u, 1u}) result.spills += store_half(words[i], half).kind == StoreKind::temporary;
    }
    result.slots = slots.take();
  }

  static void count_registers(std::span<const Word128> words, Estimate& result) {
    std::uint32_t registers = 0;
    std::array<bool, memory_vec4s> loaded{};
    for (const Word128& word : words) {
      if (components_read(word, Source::port0) != 0 && get(word, word::port0_attr) == 0)
        registers |= 1u << get(word, word::port0_index);
      if (components_read(word, Source::port1) != 0) registers |= 1u << get(word, word::port1_index);
      for (const unsigned half : {0u, 1u})
        if (const StoreHalf store = store_half(word, half); store.kind == StoreKind::reg)
          registers |= 1u << store.index;
      if (reads_load(word)) loaded[get(word, word::ld_addr)] = true;
    }
    result.work_registers = static_cast<std::uint32_t>(std::bit_width(registers));
    for (const bool used : loaded) result.uniform_registers += used;
  }

  static void measure_paths(std::span<const Word128> words, Estimate& result) {
    const VertexTraffic traffic = traffic_of(words);
    const PathGraph graph = find_paths(words);
    const std::vector<std::uint8_t> weights(words.size(), 1);
    const auto row = [&](std::uint64_t executed) {
      return Estimate::Words{traffic.attributes, executed, traffic.varyings};
    };
    result.total = row(words.size());
    result.loops = graph.loops;
    if (const auto path = lightest_path(graph, weights)) result.shortest = row(path->size());
    if (const auto path = heaviest_path(graph, weights)) result.longest = row(path->size());
    if (graph.loops != 0)
      result.notes.push_back(counted(graph.loops, "loop whose trip count is", "loops whose trip counts are") +
                             " unknown: there is no longest path");
    if (!words.empty() && !result.shortest) result.notes.emplace_back("no path leads to an end of the program");
  }
};

}  // namespace

const TimingModel& timing_model() {
  static const UtgardGpTiming model;
  return model;
}

std::vector<Word128> words_of(const Program& program) {
  std::vector<Word128> words;
  words.reserve(word_count(program.code));
  for (std::uint32_t i = 0; i < word_count(program.code); ++i) words.push_back(load_word(program.code, i));
  return words;
}

VertexTraffic traffic_of(std::span<const Word128> words) {
  std::uint32_t attributes = 0, varyings = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool kept = i + 1 < words.size() && components_read(words[i + 1], Source::previous_port0) != 0;
    if (get(words[i], word::port0_attr) != 0 && (kept || components_read(words[i], Source::port0) != 0))
      attributes |= 1u << get(words[i], word::port0_index);
    for (const unsigned half : {0u, 1u})
      if (const StoreHalf store = store_half(words[i], half); store.kind == StoreKind::varying)
        varyings |= 1u << store.index;
  }
  return {static_cast<std::uint32_t>(std::popcount(attributes)), static_cast<std::uint32_t>(std::popcount(varyings))};
}

PathGraph find_paths(std::span<const Word128> words) {
  PathGraph graph;
  graph.nodes.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    PathNode& node = graph.nodes[i];
    const auto lead_to = [&](std::size_t to) {
      if (to < words.size())
        node.lead_to(static_cast<std::uint32_t>(to));
      else
        node.ends = true;
    };
    lead_to(i + 1);
    if (is_branch(words[i])) lead_to(branch_target(words[i]));
  }
  graph.order();
  return graph;
}

std::vector<TimingPipe> timing_pipes(std::span<const TimingParameter> parameters) {
  const auto cycles = [&](std::string_view name) {
    return static_cast<std::uint32_t>(timing_parameter(parameters, name));
  };
  return {{.name = "loader", .letter = "L", .word_cycles = cycles("attribute_cycles")},
          {.name = "shader", .letter = "S", .word_cycles = cycles("word_cycles")},
          {.name = "storer", .letter = "ST", .word_cycles = cycles("varying_cycles")}};
}

}  // namespace mobula::utgard_gp
