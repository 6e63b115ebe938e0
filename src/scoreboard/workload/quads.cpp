// Four operations on the 32-bit numbers of a quad, or two on its halves, gathered into one.
#include <algorithm>

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

/// The parts of one operation on quads, in the order of their numbers.
class Parts {
 public:
  explicit Parts(std::span<const Operation> parts) : parts_(parts) {}

  [[nodiscard]] bool are_a_quad() const {
    return alike() && operands_match(&Operation::destinations, false) && operands_match(&Operation::sources, true) &&
           is_wide() && !one_reads_another();
  }
  [[nodiscard]] Operation gathered() const {
    Operation all = parts_.front();
    all.width = RegisterBytes::quad;
    if (all.memory_bytes != 0) all.memory_bytes = RegisterBytes::quad;
    const auto widen = [&](auto member) {
      for (std::size_t k = 0; k < (all.*member).size(); ++k)
        if (steps((parts_.front().*member)[k], (parts_.back().*member)[k]))
          (all.*member)[k].bytes = RegisterBytes::quad;
    };
    widen(&Operation::sources);
    widen(&Operation::destinations);
    return all;
  }

 private:
  [[nodiscard]] static bool steps(const RegisterBytes& first, const RegisterBytes& last) { return first != last; }

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
  [[nodiscard]] bool one_reads_another() const {
    for (std::size_t writer = 0; writer < parts_.size(); ++writer)
      for (std::size_t reader = writer + 1; reader < parts_.size(); ++reader)
        for (const RegisterBytes& to : parts_[writer].destinations)
          for (const RegisterBytes& from : parts_[reader].sources)
            if (overlaps(to, from)) return true;
    return false;
  }

  std::span<const Operation> parts_;
};

/// How many operations from here on are one of quads; 1 = none.
std::size_t parts_of_quad(std::span<const Operation> rest) {
  const std::uint32_t width = rest.front().width;
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
