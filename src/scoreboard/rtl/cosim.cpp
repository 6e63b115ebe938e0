// The Verilog beside the simulator: a wrapper with one vector in and one out, and each clock of the simulator as words.
#include <fmt/format.h>

#include <algorithm>

#include "scoreboard/core/core.h"
#include "scoreboard/core/lanes.h"
#include "scoreboard/core/units.h"
#include "scoreboard/rtl/rtl.h"

namespace mobula::scoreboard {
namespace {

using fmt::format;

struct Layout {
  std::vector<CosimSignal> signals;
  std::uint64_t bits = 0;
  void add(const BusSignal& signal) {
    signals.push_back({signal.name, bits, std::max<std::uint64_t>(signal.width, 1)});
    bits += signals.back().width;
  }
  /// Verilator makes an array of words of what does not fit 64 bits: have it always.
  [[nodiscard]] std::uint32_t words() const {
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(3, (bits + 31) / 32));
  }
};

Layout layout_in(const Rtl& rtl) {
  Layout layout;
  for (std::uint32_t slot = 0; slot < rtl.g.slots; ++slot)
    for (const BusSignal& signal : slot_bus(rtl, slot)) layout.add(signal);
  for (const BusSignal& signal : result_bus(rtl)) layout.add(signal);
  return layout;
}
Layout layout_out(const Rtl& rtl) {
  Layout layout;
  for (const BusSignal& signal : observed_bus(rtl)) layout.add(signal);
  return layout;
}

Module wrapper(const Rtl& rtl, const Layout& in, const Layout& out) {
  ModuleText m("sb_cosim", "sb_top with all inputs in one vector and all outputs in another.");
  m.clock();
  m.in("in", in.words() * 32ull);
  m.out("out", out.words() * 32ull);
  Connections c{{"clk", "clk"}, {"rst", "rst"}};
  const auto slice = [](const char* vector, const CosimSignal& signal) {
    return format("{}[{}:{}]", vector, signal.first + signal.width - 1, signal.first);
  };
  for (const CosimSignal& signal : in.signals) c.emplace_back(signal.name, slice("in", signal));
  for (const CosimSignal& signal : out.signals) c.emplace_back(signal.name, slice("out", signal));
  const auto leave = [&](const std::string& name, std::uint64_t width) {
    m.wire("unused_" + name, width);
    c.emplace_back(name, "unused_" + name);
  };
  leave("accept", rtl.g.slots);
  for (std::uint32_t k = 0; k < rtl.sources(); ++k) leave(format("use_rd{}", k), rtl.columns());
  for (std::uint32_t k = 0; k < rtl.destinations(); ++k) leave(format("use_wr{}", k), rtl.columns());
  if (!rtl.g.tables.empty()) leave("ir_names", std::uint64_t{rtl.g.rows} * rtl.g.registers);
  if (rtl.orders_memory()) leave("mem_wait", rtl.g.units);
  if (in.words() * 32ull > in.bits)
    m.wire("unused_in", in.words() * 32ull - in.bits, format("in[{}:{}]", in.words() * 32 - 1, in.bits));
  if (out.words() * 32ull > out.bits)
    m.assign(format("out[{}:{}]", out.words() * 32 - 1, out.bits), repeat(out.words() * 32ull - out.bits, "1'b0"));
  m.instance("sb_top", "top", c);
  return m.end();
}

constexpr const char* main_text = R"(#include <cstdint>
#include <cstdio>
#include <ctime>

#include "Vsb_cosim.h"
#include "verilated.h"

namespace {{
constexpr unsigned in_words = {}, out_words = {};
std::uint32_t words[in_words + out_words];

void print(const char* name, const std::uint32_t* from) {{
  std::printf("%s", name);
  for (unsigned i = 0; i < out_words; ++i) std::printf(" %08x", from[i]);
  std::printf("\n");
}}
}}  // namespace

int main() {{
  VerilatedContext context;
  Vsb_cosim top(&context);
  unsigned long long clocks = 0;
  std::uint32_t command = 0;
  while (std::fread(&command, sizeof command, 1, stdin) == 1) {{
    const bool reset = command == 0;
    for (unsigned i = 0; i < in_words; ++i) top.in[i] = 0;
    if (!reset) {{
      if (std::fread(words, sizeof words, 1, stdin) != 1) return 2;
      for (unsigned i = 0; i < in_words; ++i) top.in[i] = words[i];
    }}
    top.rst = reset;
    top.clk = 0;
    top.eval();
    std::uint32_t found[out_words];
    bool same = true;
    for (unsigned i = 0; i < out_words; ++i) {{
      found[i] = top.out[i];
      same = same && found[i] == words[in_words + i];
    }}
    if (!reset && !same) {{
      std::printf("difference %llu\n", clocks);
      print("expected", words + in_words);
      print("found", found);
      return 1;
    }}
    clocks += reset ? 0 : 1;
    top.clk = 1;
    top.eval();
  }}
  std::printf("clocks %llu\nseconds %.6f\n", clocks, double(std::clock()) / CLOCKS_PER_SEC);
  return 0;
}}
)";

/// A core at work, and its clocks as words.
class Recorder {
 public:
  Recorder(const Rtl& rtl, const Plan& plan)
      : rtl_(rtl),
        plan_(plan),
        core_(rtl.config, plan, true),
        in_(layout_in(rtl)),
        out_(layout_out(rtl)),
        record_(1 + in_.words() + out_.words()),
        resident_(rtl.g.units, no_operation),
        rows_in_use_(rtl.g.tables.empty() ? 0 : rtl.g.rows) {}

  /// One clock. The result is good until the next call.
  std::span<const std::uint32_t> step() {
    std::ranges::fill(record_, 0);
    record_[0] = 1;
    offered_.assign(core_.queued().begin(), core_.queued().end());
    last_.resize(offered_.size());
    for (std::size_t i = 0; i < offered_.size(); ++i) last_[i] = is_last(i);
    for (std::uint32_t unit = 0; unit < rtl_.g.units; ++unit) resident_[unit] = core_.operation(unit);
    for (std::uint32_t row = 0; row < rows_in_use_.size(); ++row)
      rows_in_use_[row] = core_.row_in_use(row_of_core(row));
    core_.step();
    at_ = 32;
    slots();
    results();
    at_ = 32 + std::uint64_t{in_.words()} * 32;
    observed();
    return record_;
  }
  [[nodiscard]] const Core& core() const { return core_; }

 private:
  void put(Units value, std::uint64_t width) {
    for (std::uint64_t i = 0; i < width; ++i, ++at_)
      if (i < max_units && (value >> i & 1) != 0) record_[at_ / 32] |= 1u << (at_ % 32);
  }
  void put(bool value) { put(value ? 1 : 0, 1); }

  [[nodiscard]] std::uint64_t compact(std::uint16_t lanes) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < rtl_.lanes.size(); ++i) bits |= std::uint64_t{lanes >> rtl_.lanes[i] & 1u} << i;
    return bits;
  }

  void slots() {
    for (std::uint32_t slot = 0; slot < rtl_.g.slots; ++slot) this->slot(slot);
  }
  /// In the order of slot_bus().
  void slot(std::uint32_t index) {
    static const Operation nothing;
    const bool valid = index < offered_.size() && core_.trapped() == no_operation;
    const std::uint32_t at = valid ? offered_[index] : 0;
    const Operation& op = valid ? plan_.workload->operations[at] : nothing;
    static const PlannedOperation unplanned;
    const PlannedOperation& planned = valid ? plan_.operations[at] : unplanned;
    put(valid);
    put(valid ? bit(planned.group) : Units{0}, rtl_.g.groups.size());
    if (rtl_.g.parts == 2) put(planned.pair);
    if (rtl_.config.issue.together) put(!valid || last_[index]);
    if (rtl_.branches()) {
      put(valid && op.unit == UnitClass::branch);
      put(op.prediction != Prediction::none);
      put(planned.branch != no_operation);
      put(op.path == Path::if_ok);
    }
    if (rtl_.config.trap_shadows) put(op.trap != Trap::never);
    if (rtl_.orders_memory()) {
      put(op.memory_bytes != 0 && op.unit == UnitClass::load);
      put(op.memory_bytes != 0 && op.unit != UnitClass::load);
    }
    if (rtl_.renames() && rtl_.speculates()) put(valid && op.unit == UnitClass::store);
    for (const bool reads : {true, false})
      for (std::uint32_t k = 0; k < (reads ? rtl_.sources() : rtl_.destinations()); ++k) {
        std::array<const PlannedOperand*, 2> parts{};
        const PlannedOperand* next = nullptr;
        for (std::uint32_t part = 0; valid && part < rtl_.g.parts; ++part)
          for (const PlannedOperand& operand : reads ? plan_.sources(at, part) : plan_.destinations(at, part))
            if (operand.port == k) (operand.second() ? next : parts[part]) = &operand;
        put(parts[0] != nullptr ? parts[0]->reg : parts[1] != nullptr ? parts[1]->reg : 0u, register_bits(rtl_));
        if (rtl_.quads()) put(next != nullptr);
        if (rtl_.quads() && rtl_.tells_banks(reads)) put(next != nullptr ? banks_of(*next) : 0, rtl_.banks());
        for (std::uint32_t part = 0; part < rtl_.g.parts; ++part) {
          put(parts[part] != nullptr ? compact(parts[part]->lanes) : 0, rtl_.lanes.size());
          if (rtl_.tells_banks(reads)) put(parts[part] != nullptr ? banks_of(*parts[part]) : 0, rtl_.banks());
          if (reads && rtl_.routes_one()) put(parts[part] != nullptr && parts[part]->narrow());
          if (!reads && rtl_.drops_overwritten()) put(parts[part] != nullptr ? bytes_of(*parts[part]) : 0, 8);
        }
      }
  }

  /// Of its group, whose operations on the wrong way of a branch are not offered.
  [[nodiscard]] bool is_last(std::size_t index) const {
    const auto group_of = [&](std::size_t i) { return plan_.workload->operations[offered_[i]].group; };
    const std::uint32_t group = group_of(index);
    if (group == 0) return true;
    return index + 1 < offered_.size() ? group_of(index + 1) != group : !core_.more_to_come(group);
  }

  [[nodiscard]] static Units banks_of(const PlannedOperand& operand) {
    Units banks = 0;
    for (const std::uint16_t bank : operand.banks)
      if (bank != no_bank) banks |= bit(bank);
    return banks;
  }
  /// Of its register.
  [[nodiscard]] static std::uint64_t bytes_of(const PlannedOperand& operand) {
    return ((std::uint64_t{1} << operand.bytes) - 1) << operand.first;
  }

  /// In the order of result_bus(). What a unit held at the start of the clock decides.
  void results() {
    Units valid = 0, ok = 0, trap = 0, start = 0;
    for (std::uint32_t unit = 0; unit < rtl_.g.units; ++unit) {
      const std::uint32_t op = resident_[unit];
      if (op == no_operation) continue;
      const Times& times = core_.times()[op];
      if (times.complete != 0 && times.complete < now().clock) valid |= bit(unit);
      if (core_.branch_ok(unit)) ok |= bit(unit);
      if (plan_.workload->operations[op].trap == Trap::takes && has(valid, unit)) trap |= bit(unit);
      if (times.start == now().clock && times.unit == unit) start |= bit(unit);
    }
    put(valid, rtl_.g.units);
    if (rtl_.branches()) put(ok, rtl_.g.units);
    if (rtl_.traps()) put(trap, rtl_.g.units);
    if (!rtl_.orders_memory()) return;
    put(start, rtl_.g.units);
    for (std::uint32_t a = 0; rtl_.config.memory.match_addresses && a < rtl_.g.units; ++a) put(differ(a), rtl_.g.units);
  }
  [[nodiscard]] Units differ(std::uint32_t a) const {
    Units differ = 0;
    if (!has(core_.address_known(), a) || resident_[a] == no_operation) return 0;
    for_each(core_.address_known() & ~bit(a), [&](std::uint32_t b) {
      if (resident_[b] == no_operation) return;
      if (core_.addresses_differ(plan_.workload->operations[resident_[a]], plan_.workload->operations[resident_[b]]))
        differ |= bit(b);
    });
    return differ;
  }

  void observed() {
    for (const Units units : {now().issue, now().busy, now().rd_rel, now().readable, now().go_rd, now().req_rel,
                              now().writable, now().go_wr, now().shadown, now().die})
      put(units, rtl_.g.units);
    for (const auto& pending : {core_.pending_reads(), core_.pending_writes()})
      for (std::uint32_t row = 0; row < rtl_.g.rows; ++row) put(compact(pending[row_of_core(row)]), rtl_.lanes.size());
    for (const bool used : rows_in_use_) put(used);
    for (std::uint32_t unit = 0; rtl_.drops_overwritten() && unit < rtl_.g.units; ++unit)
      for (std::uint32_t k = 0; k < rtl_.destination_registers(); ++k)
        put(bytes_written(unit, k % rtl_.destinations(), k >= rtl_.destinations()), 8);
    if (!rtl_.renames()) return;
    std::vector<bool> current(rtl_.g.rows);
    for (std::uint32_t reg = 0; reg < rtl_.g.registers; ++reg)
      current[core_.renaming().physical(static_cast<std::uint16_t>(reg))] = true;
    for (const bool is : current) put(is);
    for (std::uint32_t row = 0; row < rtl_.g.rows; ++row) put(core_.renaming().is_free(row));
  }
  /// In this clock, and not overwritten by a younger operation.
  [[nodiscard]] std::uint64_t bytes_written(std::uint32_t unit, std::uint32_t port, bool second) const {
    const std::uint32_t op = resident_[unit];
    if (op == no_operation || !has(core_.go_wr(rtl_.write_grant(port)), unit)) return 0;
    const auto operands = plan_.destinations(op, core_.times()[op].unit == unit ? 0 : 1);
    for (std::uint32_t i = 0; i < operands.size(); ++i)
      if (operands[i].port == port && operands[i].second() == second)
        return bytes_of(operands[i]) & ~std::uint64_t{core_.overwritten(unit, i)};
    return 0;
  }

  /// The core has a table for each letter, the hardware for each file.
  [[nodiscard]] std::size_t row_of_core(std::uint32_t row) const {
    if (rtl_.g.tables.empty() || !rtl_.config.virtual_registers.per_file) return row;
    const std::uint32_t rows = rtl_.config.virtual_registers.rows;
    return std::size_t{static_cast<std::uint32_t>(rtl_.config.files[row / rows].letter - 'A')} * rows + row % rows;
  }
  [[nodiscard]] const Signals& now() const { return core_.signals(); }

  const Rtl& rtl_;
  const Plan& plan_;
  Core core_;
  Layout in_, out_;
  std::vector<std::uint32_t> record_;
  std::uint64_t at_ = 0;
  std::vector<std::uint32_t> resident_, offered_;  // at the start of the clock
  std::vector<bool> last_;                         // of those offered
  std::vector<bool> rows_in_use_;
};

/// SB403: what the ports and columns of the hardware do not take.
Diagnostics misfits(const Rtl& rtl, const Plan& plan) {
  Diagnostics problems;
  for (std::uint32_t i = 0; i < plan.operations.size() && problems.size() < 20; ++i) {
    const auto complain = [&](const std::string& message, const char* hint) {
      problems.push_back({Severity::error,
                          "SB403",
                          {.file = plan.workload->name},
                          "operation " + std::to_string(plan.workload->operations[i].id) + ": " + message,
                          hint});
    };
    const std::uint16_t lanes = rtl.g.groups[plan.operations[i].group].lanes;
    for (std::uint32_t part = 0; part < 2; ++part) {
      for (const PlannedOperand& operand : plan.sources(i, part)) {
        if (operand.port >= rtl.sources())
          complain(format("source {} of {}", operand.port, rtl.sources()), "--sources");
        if ((operand.lanes & ~lanes) != 0) complain("a source has no column in its unit's row", "--all-columns");
      }
      for (const PlannedOperand& operand : plan.destinations(i, part)) {
        if (operand.port >= rtl.destinations())
          complain(format("destination {} of {}", operand.port, rtl.destinations()), "--destinations");
        if ((operand.lanes & ~lanes) != 0) complain("a destination has no column in its unit's row", "--all-columns");
      }
    }
  }
  return problems;
}

}  // namespace

Result<CosimBuild> cosim_build(const Config& config, const Hardware& hardware) {
  Result<std::vector<Module>> modules = verilog(config, hardware);
  if (!modules) return fail(modules.error());
  const Result<Rtl> rtl = make_rtl(config, hardware);
  if (!rtl) return fail(rtl.error());
  const Layout in = layout_in(*rtl), out = layout_out(*rtl);
  modules->push_back(wrapper(*rtl, in, out));
  return CosimBuild{std::move(*modules), format(main_text, in.words(), out.words()),
                    in.signals,          out.signals,
                    in.words(),          out.words()};
}

Result<CosimRun> cosim_run(const Config& config, const Hardware& hardware, const Workload& workload,
                           const std::function<bool(std::span<const std::uint32_t>)>& sink) {
  const Result<Rtl> rtl = make_rtl(config, hardware);
  if (!rtl) return fail(rtl.error());
  const Result<Plan> plan = make_plan(config, workload);
  if (!plan) return fail(plan.error());
  if (Diagnostics problems = misfits(*rtl, *plan); !problems.empty()) return fail(std::move(problems));
  Recorder recorder(*rtl, *plan);
  CosimRun result;
  const std::array<std::uint32_t, 1> reset{0};
  result.stopped = !sink(reset);
  while (!result.stopped && !recorder.core().finished()) {
    result.stopped = !sink(recorder.step());
    ++result.clocks;
    if (recorder.core().stuck() && !recorder.core().finished())
      return fail("SB301", "deadlock at clock " + std::to_string(result.clocks),
                  join(recorder.core().waits(), "\n", ""));
  }
  return result;
}

}  // namespace mobula::scoreboard
