// The debugger: one interface for the three of the library.
#include "mobula/lab/debugger.h"

#include "handles.h"
#include "mobula/lab/firmware_debugger.h"
#include "mobula/scoreboard/debugger.h"

using namespace mobula;
namespace fw = mobula::firmware;
namespace sb = mobula::scoreboard;

struct mobula_debugger {
  virtual ~mobula_debugger() = default;
  virtual Result<mobula_halt> step(std::uint64_t count) = 0;
  virtual Result<mobula_halt> back(std::uint64_t count) = 0;
  virtual Result<mobula_halt> go(std::uint64_t most) = 0;
  virtual Result<mobula_halt> go_back() = 0;
  virtual Result<std::uint32_t> break_at(const std::string& place) = 0;
  virtual Result<std::uint32_t> watch(const std::string& name) = 0;
  virtual bool remove(std::uint32_t number) = 0;
  [[nodiscard]] virtual Result<Value> evaluate(const std::string& expression) const = 0;
  virtual Result<void> choose(std::uint32_t which) = 0;
  [[nodiscard]] virtual mobula_place where() const = 0;
};

namespace {

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

template <class Halt>
Result<mobula_halt> halt_of(const Result<Halt>& halt, mobula_halt (*name)(Halt)) {
  if (!halt) return fail(halt.error());
  return name(*halt);
}

mobula_halt named(Debugger::Halt halt) {
  switch (halt) {
    case Debugger::Halt::stepped:
      return MOBULA_STEPPED;
    case Debugger::Halt::breakpoint:
      return MOBULA_AT_BREAKPOINT;
    case Debugger::Halt::watch:
      return MOBULA_AT_WATCH;
    case Debugger::Halt::fault:
      return MOBULA_FAULTED;
    case Debugger::Halt::stopped:
      return MOBULA_ENDED;
    case Debugger::Halt::beginning:
      return MOBULA_AT_BEGINNING;
    case Debugger::Halt::unfinished:
      return MOBULA_UNFINISHED;
  }
  return MOBULA_ENDED;
}

mobula_halt named(fw::Debugger::Halt halt) {
  switch (halt) {
    case fw::Debugger::Halt::stepped:
      return MOBULA_STEPPED;
    case fw::Debugger::Halt::breakpoint:
      return MOBULA_AT_BREAKPOINT;
    case fw::Debugger::Halt::watch:
      return MOBULA_AT_WATCH;
    case fw::Debugger::Halt::end:
      return MOBULA_ENDED;
    case fw::Debugger::Halt::beginning:
      return MOBULA_AT_BEGINNING;
    case fw::Debugger::Halt::unfinished:
      return MOBULA_UNFINISHED;
  }
  return MOBULA_ENDED;
}

mobula_halt named(sb::Debugger::Halt halt) {
  switch (halt) {
    case sb::Debugger::Halt::stepped:
      return MOBULA_STEPPED;
    case sb::Debugger::Halt::breakpoint:
      return MOBULA_AT_BREAKPOINT;
    case sb::Debugger::Halt::watch:
      return MOBULA_AT_WATCH;
    case sb::Debugger::Halt::finished:
      return MOBULA_ENDED;
    case sb::Debugger::Halt::deadlock:
      return MOBULA_DEADLOCK;
    case sb::Debugger::Halt::beginning:
      return MOBULA_AT_BEGINNING;
    case sb::Debugger::Halt::unfinished:
      return MOBULA_UNFINISHED;
  }
  return MOBULA_ENDED;
}

class OfProgram : public mobula_debugger {
 public:
  static Result<std::unique_ptr<mobula_debugger>> create(const Program& program, const mobula_inputs* inputs) {
    auto made = std::unique_ptr<OfProgram>(new OfProgram);
    made->program_ = program;
    RunInputs given = inputs == nullptr ? RunInputs() : inputs->inputs;
    auto lifted = c::machine_of(program).lift(program, given.policies);
    if (!lifted) return fail(std::move(lifted).error());
    made->lifted_ = *std::move(lifted);
    auto debugger = Debugger::create(made->program_, made->lifted_, std::move(given));
    if (!debugger) return fail(std::move(debugger).error());
    made->debugger_.emplace(*std::move(debugger));
    return std::unique_ptr<mobula_debugger>(std::move(made));
  }
  Result<mobula_halt> step(std::uint64_t count) override { return named(debugger_->step(count)); }
  Result<mobula_halt> back(std::uint64_t count) override { return named(debugger_->back(count)); }
  Result<mobula_halt> go(std::uint64_t most) override { return named(debugger_->go({}, most)); }
  Result<mobula_halt> go_back() override { return named(debugger_->go_back()); }
  Result<std::uint32_t> break_at(const std::string& place) override {
    const auto address = debugger_->address_of(place);
    if (!address) return fail(address.error());
    return debugger_->add({.address = *address});
  }
  Result<std::uint32_t> watch(const std::string& name) override {
    const auto slot = debugger_->slot(name);
    if (!slot) return fail(slot.error());
    return debugger_->watch(**slot);
  }
  bool remove(std::uint32_t number) override { return debugger_->remove(number); }
  [[nodiscard]] Result<Value> evaluate(const std::string& expression) const override {
    return debugger_->evaluate(expression);
  }
  Result<void> choose(std::uint32_t which) override { return debugger_->choose(which); }
  [[nodiscard]] mobula_place where() const override {
    const auto address = debugger_->address(debugger_->lane());
    return {
        .size = 0, .position = address.value_or(0), .executed = debugger_->words_executed(), .ended = address ? 0 : 1};
  }

 private:
  OfProgram() = default;
  Program program_;
  ir::Program lifted_;
  std::optional<Debugger> debugger_;  ///< refers to both
};

class OfFirmware : public mobula_debugger {
 public:
  explicit OfFirmware(fw::Debugger debugger) : debugger_(std::move(debugger)) {}
  Result<mobula_halt> step(std::uint64_t count) override { return named(debugger_.step(count)); }
  Result<mobula_halt> back(std::uint64_t count) override { return halt_of(debugger_.back(count), &named); }
  Result<mobula_halt> go(std::uint64_t most) override { return named(debugger_.go({}, most)); }
  Result<mobula_halt> go_back() override { return halt_of(debugger_.go_back(), &named); }
  Result<std::uint32_t> break_at(const std::string& place) override {
    const auto point = debugger_.point(place);
    if (!point) return fail(point.error());
    return debugger_.add({.place = *point});
  }
  Result<std::uint32_t> watch(const std::string& name) override {
    const auto which = debugger_.register_named(name);
    if (!which) return fail(which.error());
    return debugger_.add({.which = *which});
  }
  bool remove(std::uint32_t number) override { return debugger_.remove(number); }
  [[nodiscard]] Result<Value> evaluate(const std::string& expression) const override {
    return debugger_.evaluate(expression);
  }
  Result<void> choose(std::uint32_t which) override {
    if (which >= debugger_.emulator().cores().size()) return fail("DB008", "there is no core " + std::to_string(which));
    debugger_.core = which;
    return {};
  }
  [[nodiscard]] mobula_place where() const override {
    return {.size = 0,
            .position = debugger_.next(debugger_.core).word,
            .executed = debugger_.instructions(),
            .ended = debugger_.ended() ? 1 : 0};
  }

 private:
  fw::Debugger debugger_;
};

class OfWorkload : public mobula_debugger {
 public:
  explicit OfWorkload(sb::Debugger debugger) : debugger_(std::move(debugger)) {}
  Result<mobula_halt> step(std::uint64_t count) override { return named(debugger_.step(count)); }
  Result<mobula_halt> back(std::uint64_t count) override { return named(debugger_.back(count)); }
  Result<mobula_halt> go(std::uint64_t most) override { return named(debugger_.go(most)); }
  Result<mobula_halt> go_back() override { return named(debugger_.go_back()); }
  Result<std::uint32_t> break_at(const std::string& place) override {
    const auto happening = debugger_.happening(place);
    if (!happening) return fail(happening.error());
    return debugger_.add({.place = *happening});
  }
  Result<std::uint32_t> watch(const std::string& name) override {
    const auto which = debugger_.register_named(name);
    if (!which) return fail(which.error());
    return debugger_.add({.which = *which});
  }
  bool remove(std::uint32_t number) override { return debugger_.remove(number); }
  [[nodiscard]] Result<Value> evaluate(const std::string& expression) const override {
    return debugger_.evaluate(expression);
  }
  Result<void> choose(std::uint32_t which) override {
    if (which != 0) return fail("DB008", "a workload has one thread, 0");
    return {};
  }
  [[nodiscard]] mobula_place where() const override {
    return {.size = 0, .position = debugger_.clock(), .executed = executed(), .ended = debugger_.finished() ? 1 : 0};
  }

 private:
  [[nodiscard]] std::uint64_t executed() const {
    std::uint64_t count = 0;
    for (std::uint32_t i = 0; i < debugger_.workload().operations.size(); ++i)
      if (debugger_.times(i).write != 0) ++count;
    return count;
  }
  sb::Debugger debugger_;
};

/// What gives a halt, or a number, through a pointer.
template <class T, class Act>
mobula_status giving(mobula_debugger* debugger, T* out, mobula_diagnostics** diagnostics, Act act) {
  if (debugger == nullptr || out == nullptr) return c::misused(diagnostics);
  return c::guarded(diagnostics, [&]() -> mobula_status {
    const Result<T> result = act();
    if (!result) return c::refuse(result.error(), diagnostics);
    *out = *result;
    return MOBULA_OK;
  });
}

}  // namespace

mobula_status mobula_debug_program(const mobula_program* program, const mobula_inputs* inputs,
                                   mobula_debugger** debugger, mobula_diagnostics** diagnostics) {
  if (program == nullptr) return c::misused(debugger, diagnostics);
  return c::making(debugger, diagnostics, [&] { return OfProgram::create(program->program, inputs); });
}

mobula_status mobula_debug_firmware(const mobula_firmware* firmware, mobula_debugger** debugger,
                                    mobula_diagnostics** diagnostics) {
  if (firmware == nullptr) return c::misused(debugger, diagnostics);
  return c::making(debugger, diagnostics, [&]() -> Result<std::unique_ptr<mobula_debugger>> {
    auto rounds = fw::in_rounds(firmware->streams, firmware->cores);
    if (!rounds) return fail(std::move(rounds).error());
    auto made = fw::Debugger::create(firmware->images, {}, *std::move(rounds), firmware->memory);
    if (!made) return fail(std::move(made).error());
    return std::unique_ptr<mobula_debugger>(std::make_unique<OfFirmware>(*std::move(made)));
  });
}

mobula_status mobula_debug_workload(const mobula_core* core, const mobula_workload* workload,
                                    mobula_debugger** debugger, mobula_diagnostics** diagnostics) {
  if (core == nullptr || workload == nullptr) return c::misused(debugger, diagnostics);
  return c::making(debugger, diagnostics, [&]() -> Result<std::unique_ptr<mobula_debugger>> {
    auto made = sb::Debugger::create(core->config, workload->workload);
    if (!made) return fail(std::move(made).error());
    return std::unique_ptr<mobula_debugger>(std::make_unique<OfWorkload>(*std::move(made)));
  });
}

void mobula_debugger_free(mobula_debugger* debugger) { delete debugger; }

mobula_status mobula_debugger_step(mobula_debugger* debugger, uint64_t count, mobula_halt* halt,
                                   mobula_diagnostics** diagnostics) {
  return giving(debugger, halt, diagnostics, [&] { return debugger->step(count); });
}
mobula_status mobula_debugger_back(mobula_debugger* debugger, uint64_t count, mobula_halt* halt,
                                   mobula_diagnostics** diagnostics) {
  return giving(debugger, halt, diagnostics, [&] { return debugger->back(count); });
}
mobula_status mobula_debugger_go(mobula_debugger* debugger, uint64_t most, mobula_halt* halt,
                                 mobula_diagnostics** diagnostics) {
  return giving(debugger, halt, diagnostics, [&] { return debugger->go(most == 0 ? no_limit : most); });
}
mobula_status mobula_debugger_go_back(mobula_debugger* debugger, mobula_halt* halt, mobula_diagnostics** diagnostics) {
  return giving(debugger, halt, diagnostics, [&] { return debugger->go_back(); });
}

mobula_status mobula_debugger_break(mobula_debugger* debugger, const char* place, uint32_t* number,
                                    mobula_diagnostics** diagnostics) {
  if (place == nullptr) return c::misused(diagnostics);
  return giving(debugger, number, diagnostics, [&] { return debugger->break_at(place); });
}
mobula_status mobula_debugger_watch(mobula_debugger* debugger, const char* name, uint32_t* number,
                                    mobula_diagnostics** diagnostics) {
  if (name == nullptr) return c::misused(diagnostics);
  return giving(debugger, number, diagnostics, [&] { return debugger->watch(name); });
}
mobula_status mobula_debugger_remove(mobula_debugger* debugger, uint32_t number) {
  if (debugger == nullptr) return MOBULA_BAD_ARGUMENT;
  return c::guarded(nullptr, [&] { return debugger->remove(number) ? MOBULA_OK : MOBULA_ERROR; });
}

mobula_status mobula_debugger_evaluate(mobula_debugger* debugger, const char* expression, mobula_value* value,
                                       mobula_diagnostics** diagnostics) {
  if (debugger == nullptr || expression == nullptr) return c::misused(diagnostics);
  return c::guarded(diagnostics, [&]() -> mobula_status {
    const Result<Value> result = debugger->evaluate(expression);
    if (!result) return c::refuse(result.error(), diagnostics);
    const bool is_real = result->kind == Value::Kind::real;
    return c::give({.size = 0,
                    .is_real = is_real ? 1 : 0,
                    .integer = is_real ? 0 : result->bits,
                    .real = is_real ? result->number : result->as_real()},
                   value);
  });
}

mobula_status mobula_debugger_choose(mobula_debugger* debugger, uint32_t which, mobula_diagnostics** diagnostics) {
  if (debugger == nullptr) return c::misused(diagnostics);
  return c::guarded(diagnostics, [&] { return c::outcome(debugger->choose(which), diagnostics); });
}

mobula_status mobula_debugger_where(const mobula_debugger* debugger, mobula_place* place) {
  if (debugger == nullptr) return MOBULA_BAD_ARGUMENT;
  return c::guarded(nullptr, [&] { return c::give(debugger->where(), place); });
}
