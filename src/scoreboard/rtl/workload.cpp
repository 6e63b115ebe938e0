// Random workloads that reach every part of a core: few registers, so that operations meet.
#include <algorithm>
#include <random>

#include "mobula/scoreboard/hardware.h"

namespace mobula::scoreboard {
namespace {

constexpr std::uint32_t registers_in_use = 5, memory_bytes_in_use = 32;

class ProgramGenerator {
 public:
  ProgramGenerator(const Config& config, const Hardware& hardware, std::uint64_t seed)
      : config_(config), hardware_(hardware), random_(seed) {}

  Workload make(std::uint32_t operations) {
    Workload workload;
    workload.name = "random";
    for (std::uint32_t i = 0; i < operations; ++i) {
      Operation op = operation();
      op.id = i;
      if (config_.issue.together) op.group = group_of_next();
      // With renaming, what is on one way of a branch is issued after it.
      if (config_.waw == Waw::rename && op.unit == UnitClass::branch) left_in_group_ = 0;
      workload.operations.push_back(op);
    }
    if (can_trap() && !workload.operations.empty() && one_in(3)) {
      Operation& op = workload.operations[workload.operations.size() - 1 - below(std::min(operations, 40u))];
      if (op.unit != UnitClass::branch) op.trap = Trap::takes;
    }
    return workload;
  }

 private:
  // The standard's distributions differ between libraries; the same seed must give the same workload everywhere.
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
  bool one_in(std::uint32_t count) { return below(count) == 0; }
  [[nodiscard]] bool can_trap() const { return config_.trap_shadows || config_.waw == Waw::shadow_all; }

  std::uint32_t group_of_next() {
    if (left_in_group_ == 0) {
      left_in_group_ = 1 + below(std::min(config_.issue.width, config_.issue.queue));
      ++group_;
    }
    --left_in_group_;
    return group_;
  }

  /// Width and file that a group's units take.
  bool shape(const Group& group, std::uint32_t& width, const RegisterFile*& file) {
    file = &config_.files[below(static_cast<std::uint32_t>(config_.files.size()))];
    std::vector<std::uint32_t> widths;
    for (const auto* list : {&group.widths, &group.pairs})
      for (const std::uint32_t each : *list)
        if (each <= file->bytes || (each == RegisterBytes::quad && takes_quads(*file))) widths.push_back(each);
    if (widths.empty()) return false;
    width = widths[below(static_cast<std::uint32_t>(widths.size()))];
    return true;
  }

  /// Two registers of 8 bytes, which come through two word lanes.
  [[nodiscard]] bool takes_quads(const RegisterFile& file) const {
    return file.bytes == 8 && file.count > 1 && config_.banks.lanes != 1;
  }

  RegisterBytes operand(const RegisterFile& file, std::uint32_t width) {
    if (hardware_.all_columns && one_in(3)) width = std::min(1u << below(4), file.bytes);
    RegisterBytes result;
    result.file = static_cast<std::uint8_t>(file.letter - 'A');
    result.bytes = static_cast<std::uint8_t>(width);
    const bool quad = width == RegisterBytes::quad;
    result.first = quad ? std::uint8_t{0} : static_cast<std::uint8_t>(width * below(file.bytes / width));
    result.number = static_cast<std::uint16_t>(below(std::min(file.count - (quad ? 1 : 0), registers_in_use)));
    return result;
  }

  /// Two destinations that may not be: renaming gives whole registers a new place.
  [[nodiscard]] bool collide(const RegisterBytes& a, const RegisterBytes& b) const {
    const auto first = [](const RegisterBytes& operand) { return 8u * operand.number + operand.first; };
    return a.used() && a.file == b.file &&
           ((config_.waw == Waw::rename && a.number == b.number) ||
            (first(a) < first(b) + b.bytes && first(b) < first(a) + a.bytes));
  }

  Operation operation() {
    const Group* group = nullptr;
    std::uint32_t width = 0;
    const RegisterFile* file = nullptr;
    do group = &config_.groups[below(static_cast<std::uint32_t>(config_.groups.size()))];
    while (!shape(*group, width, file));
    Operation op;
    choose_kind(*group, op);
    if (op.unit == UnitClass::branch && conditional_ != 0) op = plain_kind(*group);
    op.width = static_cast<std::uint8_t>(width);
    op.latency = static_cast<std::uint16_t>(below(one_in(8) ? 12 : 4));
    const bool memory = op.unit == UnitClass::load || op.unit == UnitClass::store;
    const bool writes = op.unit != UnitClass::branch && op.unit != UnitClass::store;
    const std::uint32_t sources = below(most_sources(*group, width) + 1);
    for (std::uint32_t k = 0; k < sources; ++k) op.sources[k] = operand(*file, width);
    const std::uint32_t most = most_destinations(*file, width);
    const std::uint32_t destinations = !writes || most == 0 ? 0 : one_in(10) ? 0 : 1 + below(most);
    for (std::uint32_t k = 0; k < destinations; ++k) {
      const RegisterBytes destination = operand(*file, width);
      if (std::ranges::any_of(op.destinations, [&](const RegisterBytes& other) { return collide(other, destination); }))
        break;
      op.destinations[k] = destination;
    }
    if (memory) {
      op.memory_bytes = static_cast<std::uint8_t>(width);
      op.address = width * below(memory_bytes_in_use / width);
    }
    if (conditional_ != 0) {
      --conditional_;
      op.path = one_in(2) ? Path::if_ok : Path::if_not_ok;
    }
    if (op.unit == UnitClass::branch)
      branch(op);
    else if (can_trap() && one_in(12))
      op.trap = Trap::may;
    return op;
  }

  /// A class that the group takes, or one of its functions.
  void choose_kind(const Group& group, Operation& op) {
    const auto kinds = static_cast<std::uint32_t>(group.classes.size() + group.functions.size());
    const std::uint32_t kind = below(kinds);
    if (kind < group.classes.size()) {
      op.unit = group.classes[kind];
    } else {
      op.function = group.functions[kind - group.classes.size()];
      op.unit = class_of(op.function);
    }
  }
  /// What the group takes first.
  static Operation plain_kind(const Group& group) {
    Operation op;
    op.function = group.classes.empty() ? group.functions.front() : Function::mix;
    op.unit = group.classes.empty() ? class_of(op.function) : group.classes.front();
    return op;
  }

  /// As many as banks and byte crossbars take at once.
  [[nodiscard]] std::uint32_t most_sources(const Group& group, std::uint32_t width) const {
    const bool at_once = !config_.ports.per_operand;
    std::uint32_t most = hardware_.sources;
    if (config_.banks.read != 0 && config_.banks.read < words_in_bank(width)) most = 0;
    if (at_once && config_.banks.read != 0) most = std::min(most, config_.banks.read / words_in_bank(width));
    // Renaming reads what a register was before a part of it is written.
    if (config_.waw == Waw::rename) {
      const auto ports = static_cast<std::uint32_t>(max_sources);
      const std::uint32_t free = at_once && config_.banks.read != 0 ? std::min(ports, config_.banks.read) : ports;
      most = std::min(most, free - std::min(free, hardware_.destinations));
    }
    const bool pair = std::ranges::count(group.pairs, width) != 0;
    if (config_.banks.byte_crossbar || (!hardware_.all_columns && (pair ? width / 2 : width) >= 4)) return most;
    const bool halves_share_lane = pair && config_.ports.lockstep_pairs && config_.banks.lanes == 1;
    return halves_share_lane ? 0 : std::min(most, at_once ? 1u : most);
  }

  void branch(Operation& op) {
    op.path = Path::always;
    if (op.function == Function::mix) op.function = one_in(2) ? Function::bgt : Function::beq;
    op.taken = one_in(2) && op.function < Function::bgt;
    op.prediction = static_cast<Prediction>(below(3));
    conditional_ = op.prediction == Prediction::none ? below(6) : 0;
  }

  /// Words of an operand that may all be in one bank.
  [[nodiscard]] std::uint32_t words_in_bank(std::uint32_t width) const {
    const bool beside = config_.waw != Waw::rename && (config_.banks.count > 1);
    return width == RegisterBytes::quad && !beside ? 2 : 1;
  }
  [[nodiscard]] std::uint32_t most_destinations(const RegisterFile& file, std::uint32_t width) const {
    std::uint32_t most = hardware_.destinations;
    // What is written together shares the ports of one bank, and finds new places in one clock.
    if (config_.banks.write != 0 && !config_.ports.per_operand) most = 1;
    if (config_.banks.write != 0 && config_.banks.write < words_in_bank(width)) most = 0;
    if (config_.waw == Waw::rename)
      most = std::min(most, (file.physical - file.count) / (width == RegisterBytes::quad ? 2 : 1));
    return most;
  }

  const Config& config_;
  const Hardware& hardware_;
  std::mt19937_64 random_;
  std::uint32_t conditional_ = 0, group_ = 0, left_in_group_ = 0;
};

}  // namespace

Workload cosim_workload(const Config& config, const Hardware& hardware, std::uint32_t operations, std::uint64_t seed) {
  return ProgramGenerator(config, hardware, seed).make(operations);
}

}  // namespace mobula::scoreboard
