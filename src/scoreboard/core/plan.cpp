#include "scoreboard/core/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/counted.h"
#include "scoreboard/core/lanes.h"

namespace mobula::scoreboard {
namespace {

bool overlap(const RegisterBytes& a, const RegisterBytes& b) {
  const auto first = [](const RegisterBytes& operand) { return 8u * operand.number + operand.first; };
  return a.used() && b.used() && a.file == b.file && first(a) < first(b) + b.bytes && first(b) < first(a) + a.bytes;
}

bool same_register(const RegisterBytes& a, const RegisterBytes& b) {
  return a.used() && b.used() && a.file == b.file && a.number == b.number;
}

class Planner {
 public:
  Planner(const Config& config, const Workload& workload)
      : config_(config),
        workload_(workload),
        latencies_(times_of(config.latency, 0)),
        intervals_(times_of(config.interval, 1)),
        choices_(choices_of(config)),
        counts_banks_(config.waw != Waw::rename && !config.ports.per_operand && config.ports.lockstep_pairs &&
                      !config.banks.broadcast && config.banks.byte_crossbar &&
                      config.files.size() * config.banks.count <= most_counted_banks &&
                      std::max(config.banks.read, config.banks.write) <= most_counted_ports) {
    for (std::uint32_t first = 0; first < 8; ++first)
      for (std::uint32_t bytes = 1; first + bytes <= 8; ++bytes) {
        PlannedOperand& planned = parts_[first][bytes];
        planned.lanes = columns_of(config.lanes, first, bytes);
        planned.blocks = expand(config.lanes, planned.lanes);
        planned.first = static_cast<std::uint8_t>(first);
        planned.bytes = static_cast<std::uint8_t>(bytes);
      }
    for (const RegisterFile& file : config.files) {
      const auto letter = static_cast<std::size_t>(file.letter - 'A');
      const auto first_bank = static_cast<std::uint32_t>(&file - config.files.data()) * config.banks.count;
      files_[letter] = &file;
      first_register_[letter] = static_cast<std::uint32_t>(registers_.size());
      for (std::uint32_t i = 0; i < file.count; ++i) {
        registers_.push_back({.file = static_cast<std::uint8_t>(letter),
                              .bytes = RegisterBytes::whole,
                              .number = static_cast<std::uint16_t>(i)});
        const std::uint32_t bank = config.banks.mapping == Mapping::modulo ? i % config.banks.count : i % 2 * 2;
        bank_of_.push_back(static_cast<std::uint16_t>(first_bank + bank));
      }
    }
  }

  Result<Plan> make(const std::function<bool()>& stop) {
    const auto count = static_cast<std::uint32_t>(workload_.operations.size());
    operands_.reserve(3 * std::size_t{count});
    std::vector<PlannedOperation> operations;
    operations.reserve(count);
    std::vector<std::uint64_t> initial = initial_registers();
    Memory memory(workload_);
    Reference reference{initial, memory};
    std::uint32_t branch = no_operation;
    for (std::uint32_t i = 0; i < count && !full(); ++i) {
      if (stop && i % 4096 == 0 && stop())
        return fail(
            Diagnostic{Severity::error, "SB304", {.file = workload_.name}, "stopped before its first clock", ""});
      const Operation& op = resolved(workload_.operations[i]);
      if (op.path != Path::always && branch == no_operation)
        complain("SB209", i, "runs on one path of a branch, but no branch comes before it");
      else if (op.path != Path::always && workload_.operations[branch].prediction != Prediction::none)
        complain("SB212", i,
                 "runs on one path of operation " + std::to_string(workload_.operations[branch].id) +
                     ", a branch that is predicted",
                 "after a branch with predicted= only the right path follows; leave out predicted=, or if=");
      PlannedOperation& planned = operations.emplace_back();
      plan(i, op, planned);
      if (op.path != Path::always) planned.branch = branch;
      if (op.unit == UnitClass::branch) branch = i;
      if (problems_.empty())
        reference.execute(i, op, op.width, [this](const RegisterBytes& operand) { return number(operand); });
    }
    if (problems_.empty()) check_groups(operations);
    if (!problems_.empty()) return fail(std::move(problems_));
    return Plan{&workload_,           std::move(memory),     std::move(reference), std::move(operations),
                std::move(operands_), std::move(registers_), std::move(initial),   counts_banks_,
                longest_latency_,     mixed_widths_,         most_operands_};
  }

 private:
  [[nodiscard]] bool full() const { return problems_.size() >= 20; }
  [[nodiscard]] std::uint32_t number(const RegisterBytes& operand) const {
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

  [[nodiscard]] const RegisterFile* file_of(const RegisterBytes& operand) const {
    const RegisterFile* file = files_[operand.file];
    return file != nullptr && operand.number < file->count ? file : nullptr;
  }

  /// The operation, or where widths follow from the registers', a copy with these, until the next call.
  const Operation& resolved(const Operation& given) {
    const auto is_whole = [](const RegisterBytes& operand) { return operand.bytes == RegisterBytes::whole; };
    if (given.width != 0 && std::ranges::none_of(given.sources, is_whole) &&
        std::ranges::none_of(given.destinations, is_whole))
      return given;  // NOLINT(bugprone-return-const-ref-from-parameter): callers keep their operations
    resolved_ = given;
    resolve(resolved_);
    return resolved_;
  }
  void resolve(Operation& op) const {
    const auto fill = [&](RegisterBytes& operand) {
      if (operand.bytes != RegisterBytes::whole) return;
      if (const RegisterFile* file = file_of(operand)) operand.bytes = static_cast<std::uint8_t>(file->bytes);
    };
    for (RegisterBytes& operand : op.sources) fill(operand);
    for (RegisterBytes& operand : op.destinations) fill(operand);
    if (op.width != 0) return;
    std::uint32_t bytes = op.memory_bytes;
    for (const RegisterBytes& operand : op.sources)
      if (operand.used()) bytes = operand.bytes;
    if (op.sources[0].used()) bytes = op.sources[0].bytes;
    if (op.destinations[0].used()) bytes = op.destinations[0].bytes;
    if (bytes == RegisterBytes::whole) bytes = 8;  // of a register that the core does not have
    op.width = 1;
    while (op.width < 16 && op.width < bytes) op.width = static_cast<std::uint8_t>(2 * op.width);
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
      text += (&file == &config_.files.front() ? std::string(" ") : std::string(", ")) + file.letter + "0.." +
              file.letter + std::to_string(file.count - 1) + " of " + counted(file.bytes, "byte");
    return text;
  }

  [[nodiscard]] bool exists(const RegisterBytes& operand) const {
    const RegisterFile* file = file_of(operand);
    if (file != nullptr && operand.bytes == RegisterBytes::quad)
      return file->bytes == 8 && operand.number + 1u < file->count;
    return file != nullptr && operand.first + operand.bytes <= file->bytes;
  }
  /// Says why the operand does not exist.
  bool refuse(std::uint32_t i, const RegisterBytes& operand) {
    const RegisterFile* file = file_of(operand);
    if (file != nullptr && operand.bytes == RegisterBytes::quad) {
      complain("SB203", i, print(operand) + " is two registers of 8 bytes, this and the next one", files_hint());
    } else if (file == nullptr) {
      complain("SB202", i, "the core has no register " + print(operand), files_hint());
    } else {
      complain("SB203", i,
               print(operand) + " is bytes " + std::to_string(operand.first) + " to " +
                   std::to_string(operand.first + operand.bytes - 1) + " of a register of " +
                   counted(file->bytes, "byte"),
               files_hint());
    }
    return false;
  }

  struct Choice {
    std::uint8_t group = no_group;
    bool pair = false;
  };
  static constexpr std::uint8_t no_group = 255;
  using Choices = std::array<std::array<Choice, 17>, unit_class_count>;  // by class and width in bytes
  static void choose(Choices& choices, UnitClass unit, std::size_t group, const Group& its) {
    auto& row = choices[static_cast<std::size_t>(unit)];
    for (const std::uint32_t width : its.widths) row[width] = {static_cast<std::uint8_t>(group), false};
    for (const std::uint32_t width : its.pairs) row[width] = {static_cast<std::uint8_t>(group), true};
  }
  /// By function: groups that name it go before those that take its class.
  static std::array<Choices, function_count> choices_of(const Config& config) {
    Choices by_class;
    for (std::size_t g = config.groups.size(); g-- != 0;)  // the first that takes it wins
      for (const UnitClass unit : config.groups[g].classes) choose(by_class, unit, g, config.groups[g]);
    std::array<Choices, function_count> all;
    all.fill(by_class);
    for (std::size_t g = config.groups.size(); g-- != 0;)
      for (const Function function : config.groups[g].functions)
        choose(all[static_cast<std::size_t>(function)], class_of(function), g, config.groups[g]);
    return all;
  }

  const Group* choose_group(std::uint32_t i, const Operation& op, PlannedOperation& planned) {
    const Choice choice =
        op.width > 16 ? Choice{}
                      : choices_[static_cast<std::size_t>(op.function)][static_cast<std::size_t>(op.unit)][op.width];
    if (choice.group != no_group) {
      planned.group = choice.group;
      planned.pair = choice.pair;
      return &config_.groups[choice.group];
    }
    complain("SB201", i,
             "no group of units takes function " + std::string(name(op.function)) + " of class " +
                 std::string(name(op.unit)) + " at width " + std::to_string(op.width),
             "add function or class, and width, to a group of the configuration");
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

  using Part = std::span<const PlannedOperand>;  ///< the operands of one unit in one direction

  /// The parts of an operation's operands that the low (0) or high (1) unit of a pair holds; without a pair, all of
  /// them. Gives their number.
  template <std::size_t Count>
  std::uint8_t add(const std::array<RegisterBytes, Count>& operands, const PlannedOperation& planned,
                   std::uint32_t part, std::uint8_t width) {
    const std::size_t before = operands_.size();
    const std::uint32_t half = width / 2u;
    for (std::size_t port = 0; port < Count; ++port) {
      const RegisterBytes& operand = operands[port];
      if (!operand.used()) continue;
      if (part == 0 && operand.bytes != width) ++mixed_widths_;
      if (operand.bytes == RegisterBytes::quad) {
        add_quad(operand, port);
        continue;
      }
      const std::uint32_t begin = part == 0 ? 0 : half;
      const std::uint32_t end =
          planned.pair && part == 0 ? std::min<std::uint32_t>(half, operand.bytes) : operand.bytes;
      if (begin >= end) continue;
      PlannedOperand& own = operands_.emplace_back(parts_[operand.first + begin][end - begin]);
      own.reg = static_cast<std::uint16_t>(number(operand));
      own.offset = static_cast<std::uint8_t>(begin);
      own.port = static_cast<std::uint8_t>(port);
      own.repeats = width == RegisterBytes::quad;
      choose_banks(own);
    }
    return static_cast<std::uint8_t>(operands_.size() - before);
  }

  /// Four 32-bit numbers in two registers, as one operand of one unit.
  void add_quad(const RegisterBytes& operand, std::size_t port) {
    has_quads_ = true;
    for (std::uint8_t second = 0; second < 2; ++second) {
      PlannedOperand& own = operands_.emplace_back(parts_[0][8]);
      own.reg = static_cast<std::uint16_t>(number(operand) + second);
      own.offset = static_cast<std::uint8_t>(8 * second);
      own.port = static_cast<std::uint8_t>(port);
      choose_banks(own);
    }
  }

  /// A renamed register whose other bytes stay is read before it is written, through the next free source ports.
  std::uint8_t add_merges(std::uint32_t i, const Operation& op) {
    std::uint8_t merges = 0;
    std::size_t port = 0;
    for (std::uint8_t k = 0; k < max_destinations; ++k) {
      const RegisterBytes& operand = op.destinations[k];
      if (!operand.used() || operand.bytes >= file_of(operand)->bytes) continue;
      while (port < max_sources && op.sources[port].used()) ++port;
      if (port == max_sources) {
        complain("SB211", i,
                 "reads the registers that it writes parts of, and has more than " + std::to_string(max_sources) +
                     " sources with these",
                 "renaming gives whole registers a new place: fewer sources, or writes of whole registers");
        return merges;
      }
      PlannedOperand own{.reg = static_cast<std::uint16_t>(number(operand)),
                         .lanes = 1,
                         .blocks = 1,
                         .first = 0,
                         .bytes = static_cast<std::uint8_t>(file_of(operand)->bytes),
                         .offset = k,
                         .port = static_cast<std::uint8_t>(port++),
                         .merge = true};
      choose_banks(own);
      operands_.push_back(own);
      ++merges;
    }
    return merges;
  }

  /// §6.1. The banks of different files are different ones.
  void choose_banks(PlannedOperand& planned) const {
    const std::uint16_t first = bank_of_[planned.reg];
    planned.banks[0] = first;
    if (config_.banks.mapping == Mapping::modulo) return;
    // In numbers, because branches on widths would rarely be predicted.
    const unsigned low = planned.first < 4 ? 1 : 0, high = planned.first + planned.bytes > 4 ? 1 : 0;
    planned.banks[0] = static_cast<std::uint16_t>(first + 1 - low);
    planned.banks[1] = static_cast<std::uint16_t>((first + 1) | ((low & high) - 1));
  }

  /// Operands that are granted together must find ports together.
  void check_ports(std::uint32_t i, std::initializer_list<Part> parts, std::uint32_t ports, const char* verb) {
    std::size_t operands = 0;
    for (const Part part : parts) operands += part.size();
    if (ports == 0 || operands <= ports) return;  // as many in one bank at most
    if (config_.waw == Waw::rename)
      return complain("SB204", i,
                      std::string(verb) + ' ' + counted(operands, "word") +
                          " in one clock, which may all be renamed into one bank; a bank has " + counted(ports, "port"),
                      "more ports, or ports.per_operand");
    std::map<std::uint16_t, std::set<std::pair<std::uint32_t, std::uint32_t>>> words;
    for (const Part part : parts)
      for (const PlannedOperand& operand : part)
        for (const std::uint16_t bank : operand.banks)
          if (bank != no_bank) words[bank].emplace(operand.reg, config_.banks.broadcast ? 0u : operand.port);
    for (const auto& [bank, in_bank] : words)
      if (in_bank.size() > ports)
        complain("SB204", i,
                 std::string(verb) + ' ' + counted(in_bank.size(), "word") + " of bank " + std::to_string(bank) +
                     " in one clock; the bank has " + counted(ports, "port"),
                 "more ports, other banks, or ports.per_operand");
  }

  /// Two registers that are one operand are granted together.
  void check_quads(std::uint32_t i, Part operands, std::uint32_t ports, const char* verb) {
    for (std::size_t k = 1; k < operands.size(); ++k)
      if (operands[k].second()) check_ports(i, {operands.subspan(k - 1, 2)}, ports, verb);
  }

  /// Without a byte crossbar a lane routes one narrow operand a clock.
  void check_crossbar(std::uint32_t i, const std::array<Part, 2>& sources) {
    if (config_.banks.byte_crossbar) return;
    const bool halves_share = config_.ports.lockstep_pairs && config_.banks.lanes == 1;
    std::array<std::uint32_t, max_sources> narrow{};
    for (std::size_t part = 0; part < (halves_share ? 2u : 1u); ++part)
      for (const PlannedOperand& operand : sources[part])
        if (operand.narrow()) ++narrow[config_.ports.per_operand ? operand.port : 0];
    const std::uint32_t most = *std::ranges::max_element(narrow);
    if (most > 1)
      complain("SB204", i,
               "reads " + counted(most, "operand") +
                   " of less than 4 bytes through one word lane in one clock; without a byte crossbar it takes one",
               "banks.byte_crossbar, more banks.lanes, or ports.per_operand");
  }

  /// Nothing in check_fit() can go wrong: most operations have fewer operands than there are ports and rows.
  [[nodiscard]] bool fits_surely(const Operation& op, const PlannedOperation& planned) const {
    const auto at_most = [](std::uint32_t operands, std::uint32_t limit) { return limit == 0 || operands <= limit; };
    const std::uint32_t sources = planned.sources[0], destinations = planned.destinations[0];
    return !planned.pair && op.width <= 8 && op.trap != Trap::takes && config_.banks.byte_crossbar &&
           at_most(sources, config_.banks.read) && at_most(destinations, config_.banks.write) &&
           at_most(sources + destinations, config_.virtual_registers.rows) &&
           (config_.waw != Waw::rename || destinations <= 1) && !has_quads_;
  }

  [[nodiscard]] static BankCounts count_banks(Part low, Part high) {
    BankCounts counts = 0;
    for (const PlannedOperand& operand : low) counts += scoreboard::count_banks(operand);
    for (const PlannedOperand& operand : high) counts += scoreboard::count_banks(operand, low);
    return counts;
  }

  /// The operands of both units, by unit.
  struct Parts {
    std::array<Part, 2> sources, destinations;
    Part all;
  };
  [[nodiscard]] Parts parts_of(const PlannedOperation& planned) const {
    Parts parts;
    const PlannedOperand* const first = operands_.data() + planned.operands;
    const PlannedOperand* at = first;
    for (std::size_t part = 0; part < 2; ++part) {
      parts.sources[part] = {at, planned.sources[part]};
      at += planned.sources[part];
      parts.destinations[part] = {at, planned.destinations[part]};
      at += planned.destinations[part];
    }
    parts.all = {first, at};
    return parts;
  }

  void check_fit(std::uint32_t i, const Group& group, const PlannedOperation& planned) {
    const auto [sources, destinations, all] = parts_of(planned);
    if (planned.pair && group.units < 2)
      complain("SB205", i, "takes two adjacent units; group " + group.name + " has " + std::to_string(group.units));
    if (!config_.ports.per_operand) {
      if (config_.ports.lockstep_pairs) {
        check_ports(i, {sources[0], sources[1]}, config_.banks.read, "reads");
        check_ports(i, {destinations[0], destinations[1]}, config_.banks.write, "writes");
      } else {
        for (std::size_t part = 0; part < 2; ++part) {
          check_ports(i, {sources[part]}, config_.banks.read, "reads");
          check_ports(i, {destinations[part]}, config_.banks.write, "writes");
        }
      }
    }
    if (config_.ports.per_operand) {
      check_quads(i, sources[0], config_.banks.read, "reads");
      check_quads(i, destinations[0], config_.banks.write, "writes");
    }
    check_crossbar(i, sources);
    if (config_.banks.lanes == 1 && std::ranges::any_of(all, &PlannedOperand::second))
      complain("SB204", i, "reads two registers as one operand; there is one word lane, which has one register a clock",
               "banks.lanes");
    if (config_.waw == Waw::rename) check_renames(i, {destinations[0]});
    if (config_.virtual_registers.rows != 0 && config_.virtual_registers.rows < all.size()) {
      std::map<std::uint32_t, std::set<std::uint32_t>> named;
      for (const PlannedOperand& operand : all) named[table_of(operand.reg)].insert(operand.reg);
      check_rows(i, "", named);
    }
    const bool held = config_.trap_shadows || config_.waw == Waw::shadow_all;
    if (workload_.operations[i].trap == Trap::takes && !held)
      complain("SB207", i, "traps, and nothing holds younger operations back from writing",
               "trap_shadows, or waw shadow_all");
  }

  void plan(std::uint32_t i, const Operation& op, PlannedOperation& planned) {
    planned.operands = static_cast<std::uint32_t>(operands_.size());
    planned.width = op.width;
    has_quads_ = false;
    const Group* group = choose_group(i, op, planned);
    bool good = group != nullptr;
    for (const RegisterBytes& operand : op.sources) good &= !operand.used() || exists(operand) || refuse(i, operand);
    for (const RegisterBytes& operand : op.destinations)
      good &= !operand.used() || exists(operand) || refuse(i, operand);
    const bool several = op.destinations[1].used() || op.destinations[2].used();
    for (std::size_t a = 1; several && good && a < max_destinations; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (overlap(op.destinations[a], op.destinations[b])) {
          complain("SB210", i, "two destinations have bytes in common");
          good = false;
        } else if (config_.waw == Waw::rename && same_register(op.destinations[a], op.destinations[b])) {
          complain("SB210", i, "two destinations are parts of one register, which renaming gives one new place",
                   "one destination with all the bytes, or two operations");
          good = false;
        }
    if (!good) return;
    for (std::uint32_t part = 0; part < (planned.pair ? 2u : 1u); ++part) {
      planned.sources[part] = add(op.sources, planned, part, op.width);
      if (config_.waw == Waw::rename) planned.sources[part] += add_merges(i, op);
      planned.destinations[part] = add(op.destinations, planned, part, op.width);
    }
    most_operands_ = std::max(most_operands_, static_cast<std::uint32_t>(operands_.size() - planned.operands));
    if (!fits_surely(op, planned)) check_fit(i, *group, planned);
    if (counts_banks_) {
      const Parts parts = parts_of(planned);
      planned.reads = count_banks(parts.sources[0], parts.sources[1]);
      planned.writes = count_banks(parts.destinations[0], parts.destinations[1]);
    }
    planned.latency = time_of(latencies_, op, op.latency);
    planned.interval = time_of(intervals_, op, op.interval);
    longest_latency_ = std::max<std::uint32_t>(longest_latency_, planned.latency);
  }

  /// Operations that issue in one clock must find places, units and rows in one clock.
  void check_groups(const std::vector<PlannedOperation>& operations) {
    if (!config_.issue.together) return;
    for (std::uint32_t first = 0; first < operations.size() && !full();) {
      std::uint32_t end = first + 1;
      const std::uint32_t group = workload_.operations[first].group;
      while (end < operations.size() && group != 0 && workload_.operations[end].group == group) ++end;
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
    if (config_.waw == Waw::rename) check_renamed_group(operations, first, end, group);
    for (const auto& [number, wanted] : units)
      if (wanted > config_.groups[number].units)
        complain("SB208", first,
                 group + "needs " + counted(wanted, "unit") + " \"" + config_.groups[number].name +
                     "\" in one clock; there are " + std::to_string(config_.groups[number].units));
    check_rows(first, group, registers);
  }

  void check_renamed_group(const std::vector<PlannedOperation>& operations, std::uint32_t first, std::uint32_t end,
                           const std::string& group) {
    std::vector<PlannedOperand> written;
    for (std::uint32_t i = first; i < end; ++i) {
      const Parts parts = parts_of(operations[i]);
      written.insert(written.end(), parts.destinations[0].begin(), parts.destinations[0].end());
      if (operations[i].branch != no_operation && operations[i].branch >= first)
        complain("SB208", i, group + "has it and the branch that it waits for; with renaming it is issued after that");
    }
    check_renames(first, {written});
    if (end - first > config_.renaming.window)
      complain("SB208", first, group + "has no place in a window of " + std::to_string(config_.renaming.window));
  }

  void check_rows(std::uint32_t i, const std::string& who,
                  const std::map<std::uint32_t, std::set<std::uint32_t>>& named) {
    if (config_.virtual_registers.rows == 0) return;
    for (const auto& [table, registers] : named)
      if (registers.size() > config_.virtual_registers.rows)
        complain("SB206", i,
                 who + "names " + counted(registers.size(), "register") + "; the table of virtual registers has " +
                     counted(config_.virtual_registers.rows, "row"),
                 "virtual_registers.rows must be at least the registers that are issued together");
  }

  /// What is issued in one clock finds new physical registers in one clock.
  void check_renames(std::uint32_t i, std::initializer_list<Part> written) {
    std::map<std::uint8_t, std::uint32_t> wanted;
    for (const Part part : written)
      for (const PlannedOperand& operand : part) ++wanted[registers_[operand.reg].file];
    for (const auto& [letter, count] : wanted) {
      const RegisterFile& file = *files_[letter];
      if (count > file.physical - file.count)
        complain("SB206", i,
                 "writes " + counted(count, "register") + " of file " + file.letter + " in one clock; it has " +
                     counted(file.physical - file.count, "physical register") + " more than named ones",
                 "\"physical\" must be above \"count\" by what is issued together");
    }
  }

  [[nodiscard]] std::uint32_t table_of(std::uint32_t reg) const {
    return config_.virtual_registers.per_file ? registers_[reg].file : 0u;
  }

  const Config& config_;
  const Workload& workload_;
  Times latencies_, intervals_;
  std::array<Choices, function_count> choices_;  ///< by function
  std::array<const RegisterFile*, 26> files_{};
  std::array<std::uint32_t, 26> first_register_{};
  std::vector<RegisterBytes> registers_;
  std::vector<std::uint16_t> bank_of_;  ///< by register number; with parity_half of the low half
  std::vector<PlannedOperand> operands_;
  std::array<std::array<PlannedOperand, 9>, 8> parts_{};  ///< of any register, by first byte and number of bytes
  bool counts_banks_;
  std::uint32_t longest_latency_ = 0;
  std::uint64_t mixed_widths_ = 0;
  std::uint32_t most_operands_ = 0;
  bool has_quads_ = false;  ///< the operation that is planned
  Operation resolved_;
  Diagnostics problems_;
};

}  // namespace

Result<Plan> make_plan(const Config& config, const Workload& workload, const std::function<bool()>& stop) {
  return Planner(config, workload).make(stop);
}

namespace {

/// The configuration without what planning does not look at, or not if it has succeeded for this plan.
Config as_planned(const Plan& plan, Config config) {
  config.name.clear();
  config.summary.clear();
  config.hazards = {};
  config.forwarding = {};
  config.memory = {};
  config.ports.read = config.ports.write = 0;
  config.ports.priority = {};
  config.virtual_registers.until_completion = false;
  for (Group& group : config.groups) {
    group.name.clear();
    group.alus = 0;
  }
  if (config.issue.together) return config;  // groups must find places, units and rows in one clock
  config.issue = {};
  config.renaming = {};
  if (config.virtual_registers.rows >= plan.most_operands) config.virtual_registers.rows = 0;
  for (Group& group : config.groups) group.units = std::min(group.units, 2u);  // a pair
  return config;
}

}  // namespace

bool is_plan_for(const Plan& plan, const Config& config, const Config& other) {
  return as_planned(plan, config) == as_planned(plan, other);
}

}  // namespace mobula::scoreboard
