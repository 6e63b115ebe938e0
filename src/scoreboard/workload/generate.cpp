// Synthetic workloads with the published mixes (§9.5).
#include <algorithm>
#include <numeric>

#include "mobula/scoreboard/scoreboard.h"

namespace mobula::scoreboard {
namespace {

/// SplitMix64: small, and the same everywhere, which the standard's distributions are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t limit) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t value = state_;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>(((value ^ value >> 31) >> 32) * limit >> 32);
  }
  template <std::size_t N>
  std::size_t weighted(const std::array<std::uint32_t, N>& weights) {
    std::uint32_t ticket = below(std::accumulate(weights.begin(), weights.end(), 0u));
    std::size_t index = 0;
    while (ticket >= weights[index]) ticket -= weights[index++];
    return index;
  }

 private:
  std::uint64_t state_;
};

class Generator {
 public:
  Generator(const Mix& mix, std::uint64_t seed) : mix_(mix), random_(seed) {}

  Operation operation(std::uint32_t id) {
    Operation op;
    op.id = id;
    op.unit = static_cast<UnitClass>(random_.weighted(mix_.units));
    op.function = op.unit == UnitClass::mul ? Function::mul : Function::mix;
    op.width =
        static_cast<std::uint8_t>(std::min(1u << random_.weighted(mix_.widths), std::uint32_t{mix_.register_bytes}));
    const bool memory = op.unit == UnitClass::load || op.unit == UnitClass::store;
    const char file = op.unit == UnitClass::fp || op.unit == UnitClass::mul || op.unit == UnitClass::div ? 'F' : 'I';
    op.sources[0] = source(file, op.width);
    if (random_.below(100) < mix_.two_sources) op.sources[1] = source(file, op.width);
    if (memory) {
      op.memory_bytes = op.width;
      op.address = std::uint64_t{8} * random_.below(64);
    }
    if (op.unit == UnitClass::branch) {
      op.prediction = Prediction::right;
      op.taken = random_.below(2) == 1;
    }
    if (op.unit != UnitClass::store && op.unit != UnitClass::branch) {
      op.destinations[0] = view(file, random_.below(mix_.registers), op.width);
      written_.push_back(op.destinations[0]);
    }
    return op;
  }

 private:
  RegisterBytes view(char file, std::uint32_t number, std::uint32_t width) {
    return {.file = static_cast<std::uint8_t>(file - 'A'),
            .first = static_cast<std::uint8_t>(width * random_.below(mix_.register_bytes / width)),
            .bytes = static_cast<std::uint8_t>(width),
            .number = static_cast<std::uint16_t>(number)};
  }
  /// A recent result, read at this operation's width, or any register.
  RegisterBytes source(char file, std::uint32_t width) {
    if (random_.below(100) < mix_.near_sources) {
      const std::uint32_t back = 1 + random_.below(mix_.distance);
      if (back <= written_.size()) {
        const RegisterBytes& near = written_[written_.size() - back];
        if (near.file == file - 'A') {
          const std::uint32_t first = near.first / width * width;
          return {.file = near.file,
                  .first = static_cast<std::uint8_t>(first),
                  .bytes = static_cast<std::uint8_t>(width),
                  .number = near.number};
        }
      }
    }
    return view(file, random_.below(mix_.registers), width);
  }

  const Mix& mix_;
  Random random_;
  std::vector<RegisterBytes> written_;
};

}  // namespace

Result<Mix> find_mix(std::string_view name) {
  // Weights in the order of UnitClass: int fp mul div ld st br special.
  if (name == "int") return Mix{.name = "int", .units = {43, 0, 0, 0, 21, 12, 24, 0}};
  if (name == "fp") return Mix{.name = "fp", .units = {30, 17, 13, 0, 25, 10, 5, 0}};
  return fail("SB130", "no mix is called \"" + std::string(name) + '"', "one of int, fp");
}

Workload generate(const Mix& mix, std::uint32_t operations, std::uint64_t seed, const std::function<bool()>& stop) {
  Workload workload;
  workload.name = "synthetic " + mix.name;
  Generator generator(mix, seed);
  workload.operations.reserve(operations);
  for (std::uint32_t id = 0; id < operations && !(stop && id % 4096 == 0 && stop()); ++id)
    workload.operations.push_back(generator.operation(id));
  return workload;
}

}  // namespace mobula::scoreboard
