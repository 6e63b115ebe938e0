#include "scoreboard/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "scoreboard/lanes.h"

namespace mobula::scoreboard {
namespace {

bool overlap(const Operand& a, const Operand& b) {
  return a.used() && b.used() && a.file == b.file && a.number == b.number && a.first < b.first + b.bytes &&
         b.first < a.first + a.bytes;
}

class Planner {
 public:
  Planner(const Config& config, const Workload& workload)
      : config_(config),
        workload_(workload),
        latencies_(times_of(config.latency, 0)),
        intervals_(times_of(config.interval, 1)),
        choices_(choices_of(config)) {
    for (const RegisterFile& file : config.files) {
      const auto letter = static_cast<std::size_t>(file.letter - 'A');
      files_[letter] = &file;
      first_register_[letter] = static_cast<std::uint32_t>(registers_.size());
      for (std::uint32_t i = 0; i < file.count; ++i)
        registers_.push_back({.file = static_cast<std::uint8_t>(letter),
                              .bytes = Operand::whole,
                              .number = static_cast<std::uint16_t>(i)});
    }
  }

  Result<Plan> make() {
    resolved_ = workload_.operations;
    operands_.reserve(3 * resolved_.size());
    for (Operation& op : resolved_) resolve(op);
    initial_ = initial_registers();
    std::vector<PlannedOperation> operations;
    operations.reserve(resolved_.size());
    std::uint32_t branch = no_operation;
    for (std::uint32_t i = 0; i < resolved_.size() && !full(); ++i) {
      if (resolved_[i].path != Path::always && branch == no_operation)
        complain("SB209", i, "runs on one path of a branch, but no branch comes before it");
      operations.push_back(plan(i));
      if (resolved_[i].path != Path::always) operations.back().branch = branch;
      if (resolved_[i].unit == UnitClass::branch) branch = i;
    }
    if (problems_.empty()) check_groups(operations);
    if (!problems_.empty()) return fail(std::move(problems_));
    Plan plan{
        &workload_,
        execute_in_order(workload_, resolved_, initial_, [this](const Operand& operand) { return number(operand); }),
        std::move(operations),
        std::move(operands_),
        std::move(registers_),
        std::move(initial_),
        std::move(resolved_),
        mixed_widths_};
    return plan;
  }

 private:
  [[nodiscard]] bool full() const { return problems_.size() >= 20; }
  [[nodiscard]] std::uint32_t number(const Operand& operand) const {
    return first_register_[operand.file] + operand.number;
  }

  void complain(const char* code, std::uint32_t operation, std::string message, std::string hint = {}) {
    if (full()) return;
    problems_.push_back({Severity::error,
                         code,
                         {.file = workload_.name},
                         "operation " + std::to_string(workload_.operations[operation].id) + " (" +
                             print(workload_.operations[operation]) + "): " + std::move(message),
                         std::move(hint)});
  }

  [[nodiscard]] const RegisterFile* file_of(const Operand& operand) const {
    const RegisterFile* file = files_[operand.file];
    return file != nullptr && operand.number < file->count ? file : nullptr;
  }

  /// Widths that follow from the registers' are filled in.
  void resolve(Operation& op) const {
    const auto fill = [&](Operand& operand) {
      const RegisterFile* file = operand.used() ? file_of(operand) : nullptr;
      if (operand.bytes == Operand::whole && file != nullptr) operand.bytes = static_cast<std::uint8_t>(file->bytes);
    };
    for (Operand& operand : op.sources) fill(operand);
    for (Operand& operand : op.destinations) fill(operand);
    if (op.width != 0) return;
    std::uint32_t bytes = op.memory_bytes;
    for (const Operand& operand : op.sources)
      if (operand.used()) bytes = operand.bytes;
    if (op.sources[0].used()) bytes = op.sources[0].bytes;
    if (op.destinations[0].used()) bytes = op.destinations[0].bytes;
    op.width = 1;
    while (op.width < 8 && op.width < bytes) op.width = static_cast<std::uint8_t>(2 * op.width);
  }

  std::vector<std::uint64_t> initial_registers() {
    std::vector<std::uint64_t> values(registers_.size(), 0);
    for (const RegisterValue& initial : workload_.registers) {
      const RegisterFile* file = file_of(initial.which);
      if (file != nullptr) {
        values[number(initial.which)] = initial.value & byte_mask(file->bytes);
      } else {
        problems_.push_back({Severity::error,
                             "SB202",
                             {.file = workload_.name},
                             "initial value for register " + print(initial.which) + ", which the core does not have",
                             files_hint()});
      }
    }
    return values;
  }

  [[nodiscard]] std::string files_hint() const {
    std::string text = "it has";
    for (const RegisterFile& file : config_.files)
      text += std::string(" ") + file.letter + "0.." + file.letter + std::to_string(file.count - 1) + " of " +
              std::to_string(file.bytes) + " bytes";
    return text;
  }

  bool check_operand(std::uint32_t i, const Operand& operand) {
    const RegisterFile* file = file_of(operand);
    if (file == nullptr) {
      complain("SB202", i, "the core has no register " + print(operand), files_hint());
    } else if (operand.first + operand.bytes > file->bytes) {
      complain("SB203", i,
               "bytes " + std::to_string(operand.first) + " to " + std::to_string(operand.first + operand.bytes - 1) +
                   " of a register of " + std::to_string(file->bytes) + " bytes",
               files_hint());
    } else {
      return true;
    }
    return false;
  }

  struct Choice {
    std::uint8_t group = no_group;
    bool pair = false;
  };
  static constexpr std::uint8_t no_group = 255;
  using Choices = std::array<std::array<Choice, 9>, unit_class_count>;  // by class and width in bytes
  static Choices choices_of(const Config& config) {
    Choices choices;
    for (std::size_t g = config.groups.size(); g-- != 0;)  // the first that takes it wins
      for (const UnitClass unit : config.groups[g].classes) {
        auto& row = choices[static_cast<std::size_t>(unit)];
        for (const std::uint32_t width : config.groups[g].widths) row[width] = {static_cast<std::uint8_t>(g), false};
        for (const std::uint32_t width : config.groups[g].pairs) row[width] = {static_cast<std::uint8_t>(g), true};
      }
    return choices;
  }

  const Group* choose_group(std::uint32_t i, PlannedOperation& planned) {
    const Operation& op = resolved_[i];
    const Choice choice = op.width > 8 ? Choice{} : choices_[static_cast<std::size_t>(op.unit)][op.width];
    if (choice.group != no_group) {
      planned.group = choice.group;
      planned.pair = choice.pair;
      return &config_.groups[choice.group];
    }
    complain("SB201", i,
             "no group of units takes class " + std::string(name(op.unit)) + " at width " + std::to_string(op.width),
             "add class and width to a group of the configuration");
    return nullptr;
  }

  /// Latencies or intervals by function and class: the function counts first.
  using Times = std::array<std::array<std::uint16_t, unit_class_count>, function_count>;
  static Times times_of(const std::map<std::string, std::uint32_t>& table, std::uint16_t otherwise) {
    Times times;
    for (std::size_t f = 0; f < function_count; ++f)
      for (std::size_t u = 0; u < unit_class_count; ++u) {
        const auto function = static_cast<Function>(f);
        auto found = function == Function::mix ? table.end() : table.find(std::string(name(function)));
        if (found == table.end()) found = table.find(std::string(name(static_cast<UnitClass>(u))));
        times[f][u] = found == table.end() ? otherwise : static_cast<std::uint16_t>(found->second);
      }
    return times;
  }
  static std::uint16_t time_of(const Times& times, const Operation& op, std::uint16_t own) {
    if (own != Operation::by_config) return own;
    return times[static_cast<std::size_t>(op.function)][static_cast<std::size_t>(op.unit)];
  }

  /// The operands of one unit in one direction.
  struct Part {
    std::array<PlannedOperand, max_sources> operands;
    std::size_t count = 0;
    void add(const PlannedOperand& operand) { operands[count++] = operand; }
    [[nodiscard]] std::span<const PlannedOperand> all() const { return {operands.data(), count}; }
  };
  using Parts = std::array<Part, 2>;

  /// The part of an operand that the low (0) or high (1) unit of a pair holds; all of it without a pair.
  void split(const Operand& operand, std::uint8_t port, bool pair, std::uint8_t width, Parts& parts) const {
    const std::uint32_t half = width / 2u;
    for (std::uint32_t part = 0; part < 2; ++part) {
      const std::uint32_t begin = pair && part == 1 ? half : 0;
      const std::uint32_t end = pair && part == 0 ? std::min<std::uint32_t>(half, operand.bytes) : operand.bytes;
      if (begin >= end || (!pair && part == 1)) continue;
      PlannedOperand planned;
      planned.reg = static_cast<std::uint16_t>(number(operand));
      planned.first = static_cast<std::uint8_t>(operand.first + begin);
      planned.bytes = static_cast<std::uint8_t>(end - begin);
      planned.offset = static_cast<std::uint8_t>(begin);
      planned.port = port;
      planned.lanes = columns_of(config_.lanes, planned.first, planned.bytes);
      planned.blocks = expand(config_.lanes, planned.lanes);
      choose_banks(operand, planned);
      parts[part].add(planned);
    }
  }

  /// §6.1. The banks of different files are different ones.
  void choose_banks(const Operand& operand, PlannedOperand& planned) const {
    const auto file = static_cast<std::uint32_t>(files_[operand.file] - config_.files.data());
    const std::uint32_t base = file * config_.banks.count;
    if (config_.banks.mapping == Mapping::modulo) {
      planned.banks[0] = static_cast<std::uint16_t>(base + operand.number % config_.banks.count);
      return;
    }
    std::size_t used = 0;
    for (std::uint32_t half = planned.first / 4u; half <= (planned.first + planned.bytes - 1u) / 4u; ++half)
      planned.banks[used++] = static_cast<std::uint16_t>(base + 2u * (operand.number % 2u) + half);
  }

  /// Operands that are granted together must find ports together.
  void check_ports(std::uint32_t i, std::initializer_list<const Part*> parts, std::uint32_t ports, const char* verb) {
    std::size_t operands = 0;
    for (const Part* part : parts) operands += part->count;
    if (ports == 0 || operands <= ports) return;  // as many in one bank at most
    std::map<std::uint16_t, std::set<std::pair<std::uint32_t, std::uint32_t>>> words;
    for (const Part* part : parts)
      for (const PlannedOperand& operand : part->all())
        for (const std::uint16_t bank : operand.banks)
          if (bank != no_bank) words[bank].emplace(operand.reg, config_.banks.broadcast ? 0u : operand.port);
    for (const auto& [bank, in_bank] : words)
      if (in_bank.size() > ports)
        complain("SB204", i,
                 std::string(verb) + ' ' + std::to_string(in_bank.size()) + " words of bank " + std::to_string(bank) +
                     " in one clock; the bank has " + std::to_string(ports) + " ports",
                 "more ports, other banks, or ports.per_operand");
  }

  /// Without a byte crossbar a lane routes one narrow operand a clock.
  void check_crossbar(std::uint32_t i, const Parts& sources) {
    if (config_.banks.byte_crossbar) return;
    const bool halves_share = config_.ports.lockstep_pairs && config_.banks.lanes == 1;
    std::array<std::uint32_t, max_sources> narrow{};
    for (std::size_t part = 0; part < (halves_share ? 2u : 1u); ++part)
      for (const PlannedOperand& operand : sources[part].all())
        if (operand.narrow()) ++narrow[config_.ports.per_operand ? operand.port : 0];
    const std::uint32_t most = *std::ranges::max_element(narrow);
    if (most > 1)
      complain(
          "SB204", i,
          "reads " + std::to_string(most) +
              " operands of less than 4 bytes through one word lane in one clock; without byte crossbar it takes one",
          "banks.byte_crossbar, more banks.lanes, or ports.per_operand");
  }

  void check_fit(std::uint32_t i, const Group& group, const PlannedOperation& planned, const Parts& sources,
                 const Parts& destinations) {
    if (planned.pair && group.units < 2)
      complain("SB205", i, "takes two adjacent units; group " + group.name + " has " + std::to_string(group.units));
    if (!config_.ports.per_operand) {
      if (config_.ports.lockstep_pairs) {
        check_ports(i, {&sources[0], &sources[1]}, config_.banks.read, "reads");
        check_ports(i, {&destinations[0], &destinations[1]}, config_.banks.write, "writes");
      } else {
        for (std::size_t part = 0; part < 2; ++part) {
          check_ports(i, {&sources[part]}, config_.banks.read, "reads");
          check_ports(i, {&destinations[part]}, config_.banks.write, "writes");
        }
      }
    }
    check_crossbar(i, sources);
    std::size_t operands = 0;
    for (const auto* lists : {&sources, &destinations})
      for (const auto& list : *lists) operands += list.count;
    if (config_.virtual_registers.rows != 0 && config_.virtual_registers.rows < operands) {
      std::map<std::uint32_t, std::set<std::uint32_t>> named;
      for (const auto* lists : {&sources, &destinations})
        for (const auto& list : *lists)
          for (const PlannedOperand& operand : list.all()) named[table_of(operand.reg)].insert(operand.reg);
      check_rows(i, "", named);
    }
    const bool held = config_.trap_shadows || config_.waw == Waw::shadow_all;
    if (resolved_[i].trap == Trap::takes && !held)
      complain("SB207", i, "traps, and nothing holds younger operations back from writing",
               "trap_shadows, or waw shadow_all");
  }

  PlannedOperation plan(std::uint32_t i) {
    const Operation& op = resolved_[i];
    PlannedOperation planned;
    planned.operands = static_cast<std::uint32_t>(operands_.size());
    const Group* group = choose_group(i, planned);
    bool good = group != nullptr;
    for (const Operand& operand : op.sources) good &= !operand.used() || check_operand(i, operand);
    for (const Operand& operand : op.destinations) good &= !operand.used() || check_operand(i, operand);
    for (std::size_t a = 0; good && a < max_destinations; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (overlap(op.destinations[a], op.destinations[b])) {
          complain("SB210", i, "two destinations have bytes in common");
          good = false;
        }
    if (!good) return planned;
    Parts &sources = sources_, &destinations = destinations_;
    for (Parts* parts : {&sources_, &destinations_})
      for (Part& part : *parts) part.count = 0;
    for (std::uint8_t k = 0; k < max_sources; ++k)
      if (op.sources[k].used()) split(op.sources[k], k, planned.pair, op.width, sources);
    for (std::uint8_t k = 0; k < max_destinations; ++k)
      if (op.destinations[k].used()) split(op.destinations[k], k, planned.pair, op.width, destinations);
    for (const auto& operand : op.sources) mixed_widths_ += operand.used() && operand.bytes != op.width ? 1u : 0u;
    for (const auto& operand : op.destinations) mixed_widths_ += operand.used() && operand.bytes != op.width ? 1u : 0u;
    check_fit(i, *group, planned, sources, destinations);
    for (std::size_t part = 0; part < 2; ++part) {
      planned.sources[part] = static_cast<std::uint8_t>(sources[part].count);
      planned.destinations[part] = static_cast<std::uint8_t>(destinations[part].count);
      for (const Part* each : {&sources[part], &destinations[part]})
        operands_.insert(operands_.end(), each->all().begin(), each->all().end());
    }
    planned.latency = time_of(latencies_, op, op.latency);
    planned.interval = time_of(intervals_, op, op.interval);
    return planned;
  }

  /// Operations that issue in one clock must find places, units and rows in one clock.
  void check_groups(const std::vector<PlannedOperation>& operations) {
    if (!config_.issue.together) return;
    for (std::uint32_t first = 0; first < operations.size() && !full();) {
      std::uint32_t end = first + 1;
      while (end < operations.size() && resolved_[first].group != 0 && resolved_[end].group == resolved_[first].group)
        ++end;
      check_group(operations, first, end);
      first = end;
    }
  }

  void check_group(const std::vector<PlannedOperation>& operations, std::uint32_t first, std::uint32_t end) {
    const std::string group = "its group of " + std::to_string(end - first) + " operations ";
    if (end - first > config_.issue.width || end - first > config_.issue.queue)
      complain("SB208", first,
               group + "must issue in one clock; issue.width is " + std::to_string(config_.issue.width) +
                   ", issue.queue " + std::to_string(config_.issue.queue));
    std::map<std::size_t, std::uint32_t> units;
    std::map<std::uint32_t, std::set<std::uint32_t>> registers;
    for (std::uint32_t i = first; i < end; ++i) {
      units[operations[i].group] += operations[i].pair ? 2 : 1;
      const std::uint32_t next =
          i + 1 < operations.size() ? operations[i + 1].operands : static_cast<std::uint32_t>(operands_.size());
      for (std::uint32_t k = operations[i].operands; k < next; ++k)
        registers[table_of(operands_[k].reg)].insert(operands_[k].reg);
    }
    for (const auto& [number, wanted] : units)
      if (wanted > config_.groups[number].units)
        complain("SB208", first,
                 group + "needs " + std::to_string(wanted) + " units \"" + config_.groups[number].name +
                     "\" in one clock; there are " + std::to_string(config_.groups[number].units));
    check_rows(first, group, registers);
  }

  void check_rows(std::uint32_t i, const std::string& who,
                  const std::map<std::uint32_t, std::set<std::uint32_t>>& named) {
    if (config_.virtual_registers.rows == 0) return;
    for (const auto& [table, registers] : named)
      if (registers.size() > config_.virtual_registers.rows)
        complain("SB206", i,
                 who + "names " + std::to_string(registers.size()) + " registers; the table of virtual registers has " +
                     std::to_string(config_.virtual_registers.rows) + " rows",
                 "virtual_registers.rows must be at least the registers that are issued together");
  }

  [[nodiscard]] std::uint32_t table_of(std::uint32_t reg) const {
    return config_.virtual_registers.per_file ? registers_[reg].file : 0u;
  }

  const Config& config_;
  const Workload& workload_;
  Times latencies_, intervals_;
  Choices choices_;
  std::array<const RegisterFile*, 26> files_{};
  std::array<std::uint32_t, 26> first_register_{};
  std::vector<Operand> registers_;
  std::vector<std::uint64_t> initial_;
  std::vector<Operation> resolved_;
  std::vector<PlannedOperand> operands_;
  Parts sources_, destinations_;  ///< of the operation that is planned
  std::uint64_t mixed_widths_ = 0;
  Diagnostics problems_;
};

}  // namespace

Result<Plan> make_plan(const Config& config, const Workload& workload) { return Planner(config, workload).make(); }

}  // namespace mobula::scoreboard
