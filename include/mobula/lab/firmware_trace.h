// What each instruction of firmware changed.
//
// Use: a Tracer whose step() is EmulatorOptions::on_instruction; begin() with the emulator when the first step is to
// come; take() what there is. report() makes text of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mobula/lab/firmware_emulator.h"

namespace mobula::firmware {

/// An instruction, or an iteration of (rep), that a core executed.
struct TraceStep {
  struct Change {
    std::size_t number = 0;  ///< of the register, in Emulator::register_names()
    std::uint32_t value = 0;
    std::string meaning;
  };
  std::uint8_t core = 0;
  std::uint32_t word = 0;   ///< in the core's program
  std::uint64_t cycle = 0;  ///< in which it began, from the first step
  std::vector<Change> changes;
  std::size_t first_event = 0, event_count = 0;  ///< in RunReport::events
};

class MOBULA_API Tracer {
 public:
  static constexpr std::size_t most_steps = std::size_t{1} << 20;

  /// Of all cores, or of one.
  explicit Tracer(std::optional<std::size_t> core = {}) : core_(core) {}

  /// What is executed from now on is traced.
  void begin(const Emulator& emulator);
  void step(const Executed& executed);
  /// The steps since begin() or the last take().
  std::vector<TraceStep> take();
  /// Steps beyond those that are kept.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  struct Core {
    std::uint32_t first_word = 0;
    std::vector<std::uint32_t> registers;
  };
  Core& core_of(std::size_t core);

  std::optional<std::size_t> core_;
  const Emulator* emulator_ = nullptr;
  std::vector<Core> cores_;
  std::vector<TraceStep> steps_;
  std::optional<std::uint64_t> start_;
  std::size_t events_ = 0;
  std::uint64_t left_out_ = 0;
};

/// A line for each step, with what it changed, and below it what it did to the world.
MOBULA_API std::string report(const Emulator& emulator, std::span<const Program> images,
                              std::span<const TraceStep> steps, std::span<const Event> events);

}  // namespace mobula::firmware
