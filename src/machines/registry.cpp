#include <algorithm>
#include <array>

#include "machines/variants.h"

namespace mobula {

#define MOBULA_MACHINE(folder) \
  namespace folder {           \
  const Machine& machine();    \
  }
#include "machines/machines.inc"
#undef MOBULA_MACHINE

namespace {

Diagnostic unknown_variant(const Machine& machine, std::string_view variant, std::string_view file) {
  std::string known;
  for (const Variant& each : machine.variants()) known += (known.empty() ? "" : ", ") + std::string(each.name);
  return {Severity::error,
          "MOB002",
          {.file = std::string(file)},
          "unknown " + std::string(machine.name()) + " variant '" + std::string(variant) + "'",
          "known variants: " + known};
}

/// What a machine can be trusted with: the errors of arguments are given here, once, for all of them.
class CheckedMachine final : public Machine {
 public:
  explicit CheckedMachine(const Machine& machine) : machine_(machine) {}

  [[nodiscard]] std::string_view name() const override { return machine_.name(); }
  [[nodiscard]] std::string_view summary() const override { return machine_.summary(); }
  [[nodiscard]] std::span<const Variant> variants() const override { return machine_.variants(); }
  [[nodiscard]] std::span<const Syntax> syntaxes() const override { return machine_.syntaxes(); }
  [[nodiscard]] std::span<const Policy> policies() const override { return machine_.policies(); }
  void complete(Interface& interface) const override { machine_.complete(interface); }
  [[nodiscard]] std::vector<std::string> slots_meant(std::string_view name, std::uint64_t next,
                                                     std::span<const std::uint64_t> executed) const override {
    return machine_.slots_meant(name, next, executed);
  }

  [[nodiscard]] Result<Listing> disassemble(const Program& program, const DisassembleOptions& options) const override {
    if (auto known = check_variant(machine_, program.variant, program.file); !known) return fail(known.error());
    return machine_.disassemble(program, options);
  }
  [[nodiscard]] Result<Program> assemble(const SourceText& source, const AssembleOptions& options) const override {
    if (auto known = check_variant(machine_, options.variant, source.file); !known) return fail(known.error());
    return machine_.assemble(source, options);
  }
  [[nodiscard]] Diagnostics check(const Program& program) const override {
    if (auto known = check_variant(machine_, program.variant, program.file); !known) return known.error();
    return machine_.check(program);
  }
  [[nodiscard]] std::vector<ExplainedWord> explain(const Program& program) const override {
    if (auto known = check_variant(machine_, program.variant, program.file); !known)
      return {ExplainedWord{.text = {}, .fields = {}, .diagnostics = known.error()}};
    return machine_.explain(program);
  }
  [[nodiscard]] std::vector<Picture> pictures(const Program& program) const override {
    if (!check_variant(machine_, program.variant, program.file)) return {};
    return machine_.pictures(program);
  }
  [[nodiscard]] Manual manual() const override { return machine_.manual(); }
  [[nodiscard]] Result<ir::Program> lift(const Program& program, const Policies& policies) const override {
    if (auto known = check_variant(machine_, program.variant, program.file); !known) return fail(known.error());
    return machine_.lift(program, policies);
  }
  [[nodiscard]] const firmware::Views* firmware_views() const override { return machine_.firmware_views(); }

 private:
  const Machine& machine_;
};

}  // namespace

Result<void> check_variant(const Machine& machine, std::string_view variant, std::string_view file) {
  const auto variants = machine.variants();
  if (variant.empty() ||
      std::any_of(variants.begin(), variants.end(), [&](const Variant& each) { return each.name == variant; }))
    return {};
  return fail(unknown_variant(machine, variant, file));
}

std::span<const Machine* const> machines() {
#define MOBULA_MACHINE(folder) CheckedMachine(folder::machine()),
  static const std::array checked{
#include "machines/machines.inc"
  };
#undef MOBULA_MACHINE
  static const auto all = [] {
    std::array<const Machine*, checked.size()> pointers{};
    std::transform(checked.begin(), checked.end(), pointers.begin(), [](const Machine& each) { return &each; });
    return pointers;
  }();
  return all;
}

const Machine* find_machine(std::string_view name) {
  for (const Machine* machine : machines())
    if (machine->name() == name) return machine;
  return nullptr;
}

Result<MachineChoice> parse_machine(std::string_view text) {
  const std::size_t colon = text.find(':');
  const Machine* machine = find_machine(text.substr(0, colon));
  if (machine == nullptr) {
    std::string known;
    for (const Machine* each : machines()) known += (known.empty() ? "" : ", ") + std::string(each->name());
    return fail("MOB001", "unknown machine '" + std::string(text.substr(0, colon)) + "'", "known machines: " + known);
  }
  if (colon == std::string_view::npos) return MachineChoice{machine, std::string(machine->variants().front().name)};
  const std::string_view wanted = text.substr(colon + 1);
  if (wanted.empty()) return fail(unknown_variant(*machine, wanted, {}));
  if (auto known = check_variant(*machine, wanted, {}); !known) return fail(known.error());
  return MachineChoice{machine, std::string(wanted)};
}

}  // namespace mobula
