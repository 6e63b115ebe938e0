#include "machines/midgard/timing/timing.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/counted.h"
#include "machines/midgard/spec/codec.h"
#include "machines/midgard/timing/flow.h"

namespace mobula::midgard {
namespace {

/// Defaults without a product; "alu_pipes" takes the product's number.
constexpr std::array parameter_rows{
    TimingParameter{.name = "alu_pipes",
                    .value = 2,
                    .minimum = 1,
                    .maximum = 16,
                    .status = Status::document,
                    .source = "1.6",
                    .summary = "arithmetic pipes of one core; the default is the product's"},
    TimingParameter{
        .name = "max_threads",
        .value = 256,
        .minimum = 1,
        .maximum = 4096,
        .status = Status::driver,
        .source = "5.1",
        .summary =
            "threads a core holds that use at most 4 work registers; half as many with up to 8, a quarter beyond"},
    TimingParameter{.name = "alu_issue_cycles",
                    .value = 1,
                    .minimum = 1,
                    .maximum = 1000,
                    .status = Status::document,
                    .source = "5.1",
                    .summary = "cycles an arithmetic word occupies its pipe"},
    TimingParameter{.name = "load_store_issue_cycles",
                    .value = 1,
                    .minimum = 1,
                    .maximum = 1000,
                    .status = Status::document,
                    .source = "5.1",
                    .summary = "cycles a load/store word occupies its pipe when nothing misses the cache"},
    TimingParameter{.name = "texture_issue_cycles",
                    .value = 1,
                    .minimum = 1,
                    .maximum = 1000,
                    .status = Status::document,
                    .source = "5.1",
                    .summary = "cycles a texture word occupies its pipe: one bilinear texel (trilinear: 2)"},
    TimingParameter{.name = "texture_3d_factor",
                    .value = 1,
                    .minimum = 1,
                    .maximum = 16,
                    .status = Status::unknown,
                    .source = "5.4",
                    .summary = "how many times as long texture words with three coordinates occupy the pipe"},
    TimingParameter{
        .name = "alu_lut_extra_cycles",
        .value = 0,
        .minimum = 0,
        .maximum = 1000,
        .status = Status::unknown,
        .source = "5.2",
        .summary = "further issue cycles of an arithmetic word with a look-up operation (reciprocal, sine ...)"},
    TimingParameter{.name = "alu_64bit_extra_cycles",
                    .value = 0,
                    .minimum = 0,
                    .maximum = 1000,
                    .status = Status::unknown,
                    .source = "5.2",
                    .summary = "further issue cycles of an arithmetic word with a 64-bit operation"},
    TimingParameter{.name = "alu_quadword_extra_cycles",
                    .value = 0,
                    .minimum = 0,
                    .maximum = 1000,
                    .status = Status::unknown,
                    .source = "5.2",
                    .summary = "further issue cycles of an arithmetic word for each quadword after its first"},
    TimingParameter{.name = "load_store_pair_extra_cycles",
                    .value = 0,
                    .minimum = 0,
                    .maximum = 1000,
                    .status = Status::unknown,
                    .source = "5.2",
                    .summary = "further issue cycles of a load/store word with two operations"},
    TimingParameter{.name = "alu_latency",
                    .value = 8,
                    .minimum = 1,
                    .maximum = 100000,
                    .status = Status::unknown,
                    .source = "5.2",
                    .summary = "cycles from the issue of an arithmetic word until its thread can continue"},
    TimingParameter{.name = "load_store_latency",
                    .value = 16,
                    .minimum = 1,
                    .maximum = 100000,
                    .status = Status::unknown,
                    .source = "5.2",
                    .summary = "the same for a load/store word that hits the cache"},
    TimingParameter{.name = "texture_latency",
                    .value = 32,
                    .minimum = 1,
                    .maximum = 100000,
                    .status = Status::unknown,
                    .source = "5.2",
                    .summary = "the same for a texture word that hits the cache"},
    TimingParameter{.name = "writeout_wait",
                    .value = 0,
                    .minimum = 0,
                    .maximum = 100000,
                    .status = Status::unknown,
                    .source = "5.4",
                    .summary = "cycles a fragment waits until the tile buffer takes its colour"},
    TimingParameter{
        .name = "thread_starts",
        .value = 1,
        .minimum = 1,
        .maximum = 4096,
        .status = Status::inferred,
        .source = "5.3",
        .summary = "threads a core can start in one cycle; ARM's compiler reports at least one cycle a thread"},
    TimingParameter{
        .name = "scheduler",
        .value = 0,
        .minimum = 0,
        .maximum = 1,
        .status = Status::unknown,
        .source = "5.2",
        .summary = "which ready thread a pipe takes: 0 the one that has been ready longest, 1 the oldest thread"},
};

/// Bundles in order of address, one at a time: a program may be as large as a file.
template <class Visit>
void for_each_bundle(const Program& program, Visit visit) {
  const auto count = static_cast<std::uint32_t>(program.code.size() / quadword_bytes);
  for (std::uint32_t position = 0; position < count;) {
    const Bundle bundle = decode_bundle(program.code, position);
    visit(bundle);
    position += bundle.quadword_count;
  }
}

class MidgardTiming final : public TimingModel {
 public:
  [[nodiscard]] std::string_view machine() const override { return "midgard"; }

  [[nodiscard]] std::vector<TimingParameter> parameters(std::string_view variant) const override {
    std::vector<TimingParameter> rows(parameter_rows.begin(), parameter_rows.end());
    const Product& product = find_product(variant);
    rows.front().value = product.alu_pipes;
    rows.front().status = product.fact.status;
    return rows;
  }

  [[nodiscard]] Result<Estimate> estimate(const Program& program, const TimingParameters& chosen) const override {
    const auto chosen_rows = with_timing_choices(parameters(program.variant), chosen);
    if (!chosen_rows) return fail(chosen_rows.error());
    const Product& product = find_product(program.variant);
    Estimate result{.file = program.file,
                    .architecture = "Midgard",
                    .machine = "midgard",
                    .variant = std::string(product.name),
                    .product = std::string(product.marketing),
                    .stage = program.interface.stage,
                    .pipes = timing_pipes(static_cast<std::uint32_t>(timing_parameter(*chosen_rows, "alu_pipes")))};
    count_words(program, result);
    measure_paths(program, result);
    const RegisterUse registers = register_use(program);
    result.work_registers = registers.work;
    result.uniform_registers = registers.uniform;
    result.registers_announced = registers.announced;
    result.most_threads = static_cast<std::uint32_t>(timing_parameter(*chosen_rows, "max_threads"));
    result.threads = threads_with(registers.work, result.most_threads);
    return result;
  }

  [[nodiscard]] Result<SimulationReport> simulate(const Program& program,
                                                  const SimulationRequest& request) const override {
    return midgard::simulate(program, request);
  }
  [[nodiscard]] Result<std::vector<SimulationReport>> simulate_together(
      std::span<const Program> programs, const SimulationRequest& request) const override {
    return midgard::simulate_together(programs, request);
  }

 private:
  static void count_words(const Program& program, Estimate& result) {
    result.total.assign(pipe_kinds, 0);
    for_each_bundle(program, [&result](const Bundle& bundle) {
      if (bundle.form == Bundle::Form::raw) return;
      ++result.words;
      result.quadwords += bundle.quadword_count;
      if (const auto pipe = pipe_index(tags[bundle.tag].pipe)) ++result.total[static_cast<std::size_t>(*pipe)];
      switch (bundle.form) {
        case Bundle::Form::alu:
          result.instructions += bundle.alu_count + branches(bundle).count;
          break;
        case Bundle::Form::load_store:
          count_load_store(get(bundle.word, ldst::first), result);
          count_load_store(get(bundle.word, ldst::second), result);
          break;
        case Bundle::Form::texture:
          ++result.instructions;
          break;
        case Bundle::Form::raw:
          break;
      }
    });
  }

  static void count_load_store(std::uint64_t instruction, Estimate& result) {
    const LsOp* op = find_ls_op(static_cast<unsigned>(get(instruction, ls::op)));
    if (op != nullptr && op->does == LsMeaning::nop) return;
    ++result.instructions;
    // Compilers spill to the thread's own storage, selector 3, component x (3.8).
    const bool thread_storage = get(instruction, ls::arg) == 3 && get(instruction, ls::arg_component) == 0;
    if (op == nullptr || !thread_storage) return;
    if (op->does == LsMeaning::store) ++result.spills;
    if (op->does == LsMeaning::load) ++result.fills;
  }

  static void measure_paths(const Program& program, Estimate& result) {
    const Flow flow = find_flow(program);
    result.loops = flow.loops;
    result.shortest = Estimate::Words();
    result.longest = Estimate::Words();
    for (std::size_t pipe = 0; pipe < pipe_kinds; ++pipe) {
      std::vector<std::uint8_t> weights;
      for (const FlowWord& word : flow.words)
        weights.push_back(pipe_index(word.pipe) == static_cast<PipeIndex>(pipe) ? 1 : 0);
      const auto add = [&](std::optional<Estimate::Words>& words,
                           const std::optional<std::vector<std::uint32_t>>& path) {
        if (!path || !words) {
          words.reset();
          return;
        }
        words->push_back(0);
        for (const std::uint32_t node : *path) words->back() += weights[node];
      };
      add(result.shortest, lightest_path(flow, weights));
      add(result.longest, heaviest_path(flow, weights));
    }
    result.notes = flow.notes;
    if (flow.loops != 0)
      result.notes.push_back(counted(flow.loops, "loop whose trip count is", "loops whose trip counts are") +
                             " unknown: there is no longest path");
    if (!flow.nodes.empty() && !result.shortest) result.notes.emplace_back("no path leads to an end of the program");
    if (program.code.size() % quadword_bytes != 0)
      result.notes.emplace_back("the last bytes of the code do not fill a quadword and are left out");
  }
};

/// Which registers a program names. A register that is written anywhere is a work register, and so are those below it;
/// what is read above them comes from the uniforms (1.4: work registers from r0 up, uniforms from r23 down).
class RegisterCounter {
 public:
  void add(const Bundle& bundle, const Product& product) {
    switch (bundle.form) {
      case Bundle::Form::alu:
        for (const AluInstruction& instruction : bundle.alu_instructions()) {
          add_sources(instruction);
          written_ |= bit(get(instruction.registers, reg::dst));
        }
        break;
      case Bundle::Form::load_store:
        for (const Field* half : {&ldst::first, &ldst::second}) {
          const std::uint64_t instruction = get(bundle.word, *half);
          const LsOp* op = find_ls_op(static_cast<unsigned>(get(instruction, ls::op)));
          if (op != nullptr && form_of(op->does).writes) written_ |= bit(get(instruction, ls::reg));
        }
        break;
      case Bundle::Form::texture:
        if (product.interpipe_aliasing && bundle.tag != tag_barrier) written_ |= bit(get(bundle.word, tex::out_select));
        break;
      case Bundle::Form::raw:
        break;
    }
  }

  [[nodiscard]] RegisterUse use() const {
    constexpr std::uint32_t always_work = 0xFF, may_be_work = 0xFFFF, may_be_uniform = 0xFFFF00;
    RegisterUse use;
    use.work = static_cast<std::uint32_t>(std::bit_width((written_ & may_be_work) | (read_ & always_work)));
    const std::uint32_t uniforms = read_ & may_be_uniform & ~((1u << use.work) - 1);
    if (uniforms != 0) use.uniform = last_uniform_register + 1 - static_cast<std::uint32_t>(std::countr_zero(uniforms));
    return use;
  }

 private:
  static std::uint32_t bit(std::uint64_t number) { return 1u << number; }

  void add_sources(const AluInstruction& instruction) {
    const AluOp* op = find_alu_op(opcode_of(instruction));
    const bool second_only = op != nullptr && op->uses_source2;
    const bool first_only = op != nullptr && op->operands == 1 && !second_only;
    if (!second_only) read_ |= bit(get(instruction.registers, reg::src1));
    if (!first_only && !has_inline_constant(instruction)) read_ |= bit(get(instruction.registers, reg::src2));
  }

  std::uint32_t written_ = 0, read_ = 0;
};

}  // namespace

const TimingModel& timing_model() {
  static const MidgardTiming model;
  return model;
}

std::vector<TimingPipe> timing_pipes(std::uint32_t alu_pipes) {
  return {{.name = "arithmetic", .letter = "A", .count = alu_pipes},
          {.name = "load_store", .letter = "LS"},
          {.name = "texture", .letter = "T"}};
}

RegisterUse register_use(const Program& program) {
  const Interface& interface = program.interface;
  RegisterCounter counter;
  if (!interface.work_registers || !interface.uniform_registers)
    for_each_bundle(program, [&](const Bundle& bundle) { counter.add(bundle, find_product(program.variant)); });
  RegisterUse use = counter.use();
  use.announced = interface.work_registers.has_value();
  use.work = interface.work_registers.value_or(use.work);
  use.uniform = interface.uniform_registers.value_or(use.uniform);
  return use;
}

}  // namespace mobula::midgard
