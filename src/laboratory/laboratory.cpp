#include "laboratory/laboratory.h"

#include <array>

#include "core/counted.h"
#include "machines/variants.h"
#include "mobula/isa/mbs1.h"

namespace mobula {

#define MOBULA_MACHINE(folder)    \
  namespace folder {              \
  const Machine& machine();       \
  const Laboratory& laboratory(); \
  }
#include "machines/machines.inc"
#undef MOBULA_MACHINE

namespace {

/// A timing model that first checks what it is asked.
class CheckedTimingModel final : public TimingModel {
 public:
  CheckedTimingModel(const Machine& machine, const TimingModel& model) : machine_(machine), model_(model) {}

  [[nodiscard]] std::string_view machine() const override { return model_.machine(); }
  [[nodiscard]] std::vector<TimingParameter> parameters(std::string_view variant) const override {
    if (!check_variant(machine_, variant, {})) return {};
    return model_.parameters(variant);
  }
  [[nodiscard]] Result<Estimate> estimate(const Program& program, const TimingParameters& parameters) const override {
    if (auto known = accept(machine_, program); !known) return fail(known.error());
    return model_.estimate(program, parameters);
  }
  [[nodiscard]] Result<SimulationReport> simulate(const Program& program,
                                                  const SimulationRequest& request) const override {
    if (auto known = accept(machine_, program); !known) return fail(known.error());
    if (auto few = check_threads(request.threads); !few) return fail(few.error());
    return model_.simulate(program, request);
  }
  [[nodiscard]] Result<std::vector<SimulationReport>> simulate_together(
      std::span<const Program> programs, const SimulationRequest& request) const override {
    for (const Program& program : programs)
      if (auto known = accept(machine_, program); !known) return fail(known.error());
    if (auto few = check_threads(std::uint64_t{request.threads} * programs.size()); !few) return fail(few.error());
    return model_.simulate_together(programs, request);
  }

 private:
  static Result<void> check_threads(std::uint64_t threads) {
    constexpr std::uint32_t most_threads = SimulationRequest::most_threads;
    if (threads <= most_threads) return {};
    return fail("TM007", counted(threads, "thread is", "threads are") + " too many; at most " +
                             std::to_string(most_threads) + " are simulated");
  }

  const Machine& machine_;
  const TimingModel& model_;
};

struct LaboratoryRow {
  std::string_view machine;
  const Laboratory& laboratory;
  CheckedTimingModel timing;
};

std::span<const LaboratoryRow> laboratories() {
#define MOBULA_MACHINE(folder)                                  \
  LaboratoryRow{folder::machine().name(), folder::laboratory(), \
                CheckedTimingModel(folder::machine(), *folder::laboratory().timing)},
  static const std::array all{
#include "machines/machines.inc"
  };
#undef MOBULA_MACHINE
  return all;
}

bool has_ability(const Laboratory& laboratory, Ability ability) {
  switch (ability) {
    case Ability::schedule:
      return laboratory.schedule != nullptr;
    case Ability::relink:
      return laboratory.relink != nullptr;
    case Ability::advise:
      return laboratory.advise != nullptr;
    case Ability::firmware:
      return laboratory.emulator != nullptr;
  }
  return false;
}

}  // namespace

const Laboratory* find_laboratory(std::string_view machine) {
  for (const LaboratoryRow& row : laboratories())
    if (row.machine == machine) return &row.laboratory;
  return nullptr;
}

bool has_ability(std::string_view machine, Ability ability) {
  const Laboratory* laboratory = find_laboratory(machine);
  return laboratory != nullptr && has_ability(*laboratory, ability);
}

std::vector<std::string_view> machines_with(Ability ability) {
  std::vector<std::string_view> names;
  for (const LaboratoryRow& row : laboratories())
    if (has_ability(row.laboratory, ability)) names.push_back(row.machine);
  return names;
}

Diagnostic lacks_ability(std::string_view machine, Ability ability) {
  if (!machine.empty() && find_machine(machine) == nullptr) return unknown_machine(machine);
  const std::string programs = "programs of " + std::string(machine);
  std::string have;
  for (const std::string_view each : machines_with(ability)) have.append(have.empty() ? "" : ", ").append(each);
  const auto diagnostic = [](std::string message, std::string hint) {
    return Diagnostic{Severity::error, "MOB003", {}, std::move(message), std::move(hint)};
  };
  switch (ability) {
    case Ability::schedule:
      return diagnostic(programs + " cannot be scheduled", "programs of " + have + " can");
    case Ability::relink:
      return diagnostic(programs + " cannot be relinked", "programs of " + have + " can");
    case Ability::advise:
      return diagnostic("there is no advice for " + programs, "advice is for programs of " + have);
    case Ability::firmware:
      break;
  }
  return diagnostic(programs + " are not firmware", "programs of " + have + " are");
}

std::string help_text(std::string_view topic) {
  std::string text;
  for (const LaboratoryRow& row : laboratories())
    for (const HelpText& help : row.laboratory.help)
      if (help.topic == topic) text += help.text;
  return text;
}

const TimingModel* find_timing_model(std::string_view machine) {
  for (const LaboratoryRow& row : laboratories())
    if (row.machine == machine) return &row.timing;
  return nullptr;
}

Result<ScheduledProgram> schedule(const Program& program, const ScheduleOptions& options) {
  const Laboratory* laboratory = find_laboratory(program.machine);
  if (laboratory == nullptr || laboratory->schedule == nullptr)
    return fail(lacks_ability(program.machine, Ability::schedule));
  return laboratory->schedule(program, options);
}

Result<ScheduledProgram> schedule_expressions(const SourceText& source, const ScheduleOptions& options) {
  for (const LaboratoryRow& row : laboratories())
    if (row.laboratory.schedule_expressions != nullptr) return row.laboratory.schedule_expressions(source, options);
  return fail(lacks_ability("", Ability::schedule));
}

Result<Program> relink(Program program, const RelinkMoves& moves) {
  const Laboratory* laboratory = find_laboratory(program.machine);
  if (laboratory == nullptr || laboratory->relink == nullptr)
    return fail(lacks_ability(program.machine, Ability::relink));
  return laboratory->relink(std::move(program), moves);
}

Result<std::vector<std::uint8_t>> relink_mbs1(std::span<const std::uint8_t> bytes, const Program& relinked,
                                              const RelinkMoves& moves) {
  auto root = mbs1::read(bytes, relinked.file);
  if (!root) return fail(std::move(root).error());
  mbs1::replace_code(*root, relinked.code);
  mbs1::renumber(*root, "SATT", moves.attributes);
  mbs1::renumber(*root, "SVAR", moves.varyings);
  mbs1::renumber(*root, "SUNI", moves.uniforms);
  return mbs1::write(*root);
}

Result<MergeAdvice> advise(const Program& program, const AdviseOptions& options) {
  const Laboratory* laboratory = find_laboratory(program.machine);
  if (laboratory == nullptr || laboratory->advise == nullptr)
    return fail(lacks_ability(program.machine, Ability::advise));
  return laboratory->advise(program, options);
}

}  // namespace mobula
