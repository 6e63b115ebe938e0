// Four operations on the 32-bit numbers of a quad, or two on its halves, gathered into one.
#include <algorithm>
#include <array>
#include <ranges>
#include <span>

#include "mobula/scoreboard/reshape.h"

namespace mobula::scoreboard {
namespace {

std::uint32_t place_of(const RegisterBytes& operand) { return 8u * operand.number + operand.first; }

bool same_bytes_follow(const RegisterBytes& first, const RegisterBytes& other, std::uint32_t distance) {
  return first.file == other.file && first.bytes == other.bytes && place_of(other) == place_of(first) + distance;
}

bool overlaps(const RegisterBytes& a, const RegisterBytes& b) {
  return a.used() && b.used() && a.file == b.file && place_of(a) < place_of(b) + b.bytes &&
         place_of(b) < place_of(a) + a.bytes;
}

/// Registers of quads have 8 bytes, so a whole one is those; so is the width of an operation that does not say it.
Operation spelled_out(Operation op) {
  const auto bytes_of = [](RegisterBytes& operand) {
    if (operand.bytes == RegisterBytes::whole) operand.bytes = 8;
    return operand.bytes;
  };
  std::uint8_t width = 0;
  for (RegisterBytes& operand : std::views::reverse(op.sources))
    if (operand.used()) width = bytes_of(operand);
  for (RegisterBytes& operand : std::views::reverse(op.destinations))
    if (operand.used()) width = bytes_of(operand);
  if (op.width == 0) op.width = width;
  return op;
}

/// Whether two numbers of 32 bits beside each other, computed as one of 64, come out as each by itself would.
bool keeps_halves_apart(Function function) {
  switch (function) {
    case Function::mix:  // which is a hash of the operation that it is in
    case Function::move:
    case Function::bit_and:
    case Function::bit_or:
    case Function::bit_xor:
      return true;
    case Function::add:
    case Function::sub:
    case Function::mul:
    case Function::shr:
    case Function::bgt:
    case Function::blt:
    case Function::beq:
    case Function::bne:
      return false;
  }
  return false;
}

/// The parts of one operation on quads, in the order of their numbers.
class Parts {
 public:
  /// Precondition: as many as one operation on quads has, by the width of the first.
  explicit Parts(std::span<const Operation> written) : written_(written), parts_(spelled_.data(), written.size()) {
    std::ranges::transform(written, spelled_.begin(), spelled_out);
  }

  [[nodiscard]] bool are_a_quad() const {
    return alike() && operands_match(&Operation::destinations, false) && operands_match(&Operation::sources, true) &&
           is_wide() && !one_meets_another() && values_stay();
  }
  [[nodiscard]] Operation gathered() const {
    Operation all = written_.front();
    all.width = RegisterBytes::quad;
    if (all.memory_bytes != 0) all.memory_bytes = RegisterBytes::quad;
    const auto widen = [&](auto member) {
      for (std::size_t k = 0; k < (all.*member).size(); ++k)
        if ((parts_.front().*member)[k] != (parts_.back().*member)[k]) (all.*member)[k].bytes = RegisterBytes::quad;
    };
    widen(&Operation::sources);
    widen(&Operation::destinations);
    return all;
  }

 private:
  [[nodiscard]] bool alike() const {
    const Operation& first = parts_.front();
    if (first.unit == UnitClass::branch || first.trap != Trap::never || first.path != Path::always) return false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Operation other = parts_[i];
      if (other.memory_bytes != 0 &&
          (other.memory_bytes != other.width || other.address != first.address + i * first.width))
        return false;
      other.id = first.id;
      other.address = first.address;
      other.sources = first.sources;
      other.destinations = first.destinations;
      if (other != first) return false;
    }
    return true;
  }

  /// All follow each other from a register's first byte on, or are the same in all parts, where that is allowed.
  template <class Operands>
  [[nodiscard]] bool operands_match(Operands member, bool may_repeat) const {
    for (std::size_t k = 0; k < (parts_.front().*member).size(); ++k) {
      const RegisterBytes& first = (parts_.front().*member)[k];
      bool follows = first.first == 0 && first.bytes == parts_.front().width, repeats = may_repeat;
      for (std::size_t i = 1; i < parts_.size(); ++i) {
        const RegisterBytes& other = (parts_[i].*member)[k];
        if (!first.used() && other.used()) return false;
        follows &= same_bytes_follow(first, other, static_cast<std::uint32_t>(i * first.bytes));
        repeats &= other == first;
      }
      if (first.used() && !follows && !repeats) return false;
    }
    return true;
  }
  /// Something is a quad at all, and not four times the same.
  [[nodiscard]] bool is_wide() const {
    const auto wide = [&](auto member) {
      const auto& first = parts_.front().*member;
      const auto& last = parts_.back().*member;
      return !std::ranges::equal(first, last);
    };
    return wide(&Operation::destinations) || (!parts_.front().destinations[0].used() && wide(&Operation::sources));
  }
  /// A part reads or writes what one before it writes.
  [[nodiscard]] bool one_meets_another() const {
    for (std::size_t writer = 0; writer < parts_.size(); ++writer)
      for (const Operation& later : parts_.subspan(writer + 1))
        for (const RegisterBytes& to : parts_[writer].destinations) {
          const auto meets = [&](const RegisterBytes& operand) { return overlaps(to, operand); };
          if (std::ranges::any_of(later.sources, meets) || std::ranges::any_of(later.destinations, meets)) return true;
        }
    return false;
  }
  /// The one operation computes what the parts do. Precondition: the operands match.
  [[nodiscard]] bool values_stay() const {
    const Operation& first = parts_.front();
    const bool is_loaded = first.unit == UnitClass::load && first.memory_bytes != 0;
    if (is_loaded || first.function == Function::mix) return true;
    const bool halves = first.width == 8;
    if (halves && (!keeps_halves_apart(first.function) || first.has_immediate)) return false;
    for (std::size_t k = 0; k < first.sources.size(); ++k) {
      const RegisterBytes& source = first.sources[k];
      if (!source.used() || parts_.back().sources[k] != source) continue;
      // How wide a whole register is depends on the core: those of a quad have 8 bytes, others need not.
      if (written_.front().sources[k].bytes == RegisterBytes::whole) return false;
      if (halves ? source.bytes != 8 : source.bytes > 4) return false;
    }
    return true;
  }

  static constexpr std::size_t most_parts = 4;
  std::span<const Operation> written_;
  std::array<Operation, most_parts> spelled_{};
  std::span<const Operation> parts_;
};

/// How many operations from here on are one of quads; 1 = none.
std::size_t parts_of_quad(std::span<const Operation> rest) {
  const std::uint32_t width = spelled_out(rest.front()).width;
  if (width != 4 && width != 8) return 1;
  const std::size_t count = RegisterBytes::quad / width;
  return rest.size() >= count && Parts(rest.first(count)).are_a_quad() ? count : 1;
}

}  // namespace

Workload gather_quads(const Workload& workload) {
  Workload gathered{workload.name, {}, workload.registers};
  for (std::span<const Operation> rest(workload.operations); !rest.empty();) {
    const std::size_t parts = parts_of_quad(rest);
    gathered.operations.push_back(parts == 1 ? rest.front() : Parts(rest.first(parts)).gathered());
    rest = rest.subspan(parts);
  }
  return gathered;
}

}  // namespace mobula::scoreboard
