#include "machines/afuc/timing/timing.h"

#include <algorithm>
#include <array>

namespace mobula::afuc {
namespace {

constexpr TimingParameter cost(std::string_view name, std::uint64_t value, std::string_view summary) {
  return {.name = name,
          .value = value,
          .minimum = 0,
          .maximum = 1'000'000,
          .status = Status::unknown,
          .source = "5",
          .summary = summary};
}

/// Nobody has published a cycle; the defaults count instructions.
constexpr std::array parameter_rows{
    cost("alu_cycles", 1, "cycles of an arithmetic instruction or mov"),
    cost("control_cycles", 1, "cycles of cread and cwrite"),
    cost("sqe_cycles", 1, "cycles of sread and swrite"),
    cost("load_cycles", 1, "cycles of load"),
    cost("store_cycles", 1, "cycles of store"),
    cost("branch_cycles", 1, "cycles of brne, breq, jump and jumpa"),
    cost("call_cycles", 1, "cycles of call, bl, ret, iret and sret"),
    cost("waitin_cycles", 1, "cycles of waitin, without the wait for a packet"),
    cost("setsecure_cycles", 1, "cycles of setsecure"),
    cost("nop_cycles", 1, "cycles of nop"),
    cost("memdata_cycles", 0, "further cycles for each word that an instruction takes from $memdata"),
    cost("regdata_cycles", 0, "further cycles for each word that an instruction takes from $regdata"),
};

constexpr std::string_view parameter_of(Cost cost) {
  switch (cost) {
    case Cost::alu:
      return "alu_cycles";
    case Cost::control:
      return "control_cycles";
    case Cost::sqe:
      return "sqe_cycles";
    case Cost::load:
      return "load_cycles";
    case Cost::store:
      return "store_cycles";
    case Cost::branch:
      return "branch_cycles";
    case Cost::call:
      return "call_cycles";
    case Cost::waitin:
      return "waitin_cycles";
    case Cost::setsecure:
      return "setsecure_cycles";
    case Cost::nop:
      return "nop_cycles";
  }
  return {};
}

class AfucTiming final : public TimingModel {
 public:
  [[nodiscard]] std::string_view machine() const override { return "afuc"; }
  [[nodiscard]] std::vector<TimingParameter> parameters(std::string_view) const override {
    return {parameter_rows.begin(), parameter_rows.end()};
  }

  [[nodiscard]] Result<Estimate> estimate(const Program& program, const TimingParameters& chosen) const override {
    const auto parameters_used = with_timing_choices(parameters(program.variant), chosen);
    if (!parameters_used) return fail(parameters_used.error());
    const Image image(program);
    Estimate result{.file = program.file,
                    .architecture = "Adreno CP",
                    .machine = "afuc",
                    .variant = std::string(image.chip().name),
                    .product = std::string(image.chip().product),
                    .pipes = {{.name = "core", .letter = "I"}}};
    result.words = image.size();
    for (const Core& core : image.cores()) result.instructions += image.count_words(core).instructions;
    result.quadwords = program.code.size() / 16;
    result.bytes = CodeBytes{.total = program.code.size()};
    result.total = {result.instructions};
    result.functions = function_times(image, Costs(*parameters_used));
    for (const FunctionTime& function : result.functions) result.loops += function.loops;
    result.notes.emplace_back(
        "packets are counted from the waitin that waits for them to the next one, as `mobula run` counts; functions, "
        "to their return; both include what they call");
    result.notes.emplace_back(
        "a shortest path goes through no iteration of (rep); a loop or (rep) has no longest path");
    result.notes.emplace_back(
        "cycle counts are not published: each instruction takes one unless --param or --costs says otherwise");
    return result;
  }

  [[nodiscard]] Result<SimulationReport> simulate(const Program& program,
                                                  const SimulationRequest& request) const override {
    return afuc::simulate(program, request);
  }
};

}  // namespace

const TimingModel& timing_model() {
  static const AfucTiming model;
  return model;
}

Costs::Costs(std::span<const TimingParameter> parameters)
    : memdata_(timing_parameter(parameters, "memdata_cycles")),
      regdata_(timing_parameter(parameters, "regdata_cycles")) {
  for (std::size_t i = 0; i < by_cost_.size(); ++i)
    by_cost_[i] = timing_parameter(parameters, parameter_of(static_cast<Cost>(i)));
}

std::uint64_t Costs::of(const Opcode* opcode, std::uint32_t word) const {
  if (opcode == nullptr) return by_cost_[static_cast<std::size_t>(Cost::nop)];
  std::uint64_t cycles = by_cost_[static_cast<std::size_t>(opcode->op.cost)];
  for (const OperandSpec& operand : opcode->operands) {
    if (operand.kind != OperandKind::source || operand.field == nullptr) continue;
    const std::uint32_t reg = field_of(word, *operand.field);
    cycles += reg == reg_memdata ? memdata_ : reg == reg_regdata ? regdata_ : 0;
  }
  return cycles;
}

}  // namespace mobula::afuc
