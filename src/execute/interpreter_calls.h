// Calls from lanes to their environment.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "execute/interpreter_group.h"
#include "mobula/isa/ir.h"
#include "mobula/lab/environment.h"

namespace mobula {

/// Carries calls out, lane by lane. Helper threads read the world but do not change it: their stores, atomics (which
/// give 0) and outputs (which say "done") do not reach the environment.
class EnvironmentCalls {
 public:
  EnvironmentCalls(const ir::Program& program, Environment& environment, Group& group)
      : program_(program), environment_(environment), group_(group) {}

  struct Failure {
    std::uint32_t lane = 0;
    bool waits = false;  ///< see Fault
    std::string reason;
  };
  /// Makes the call for these lanes (ascending), as part of `block`. Returns the lanes that have to stop.
  const std::vector<Failure>& run(const ir::Call& call, std::uint32_t block, std::span<const std::uint32_t> lanes);

 private:
  class OneLane;

  void run_texture(const ir::Call& call, std::span<const std::uint32_t> lanes);
  [[nodiscard]] TextureRequest texture_request(const ir::Texture& texture, std::uint32_t lane);
  void add_differences(std::span<const std::uint32_t> lanes, std::span<TextureRequest> requests) const;
  [[nodiscard]] std::uint64_t argument(std::uint32_t lane, ir::Operand operand, ir::Type type);
  Fault make(const ir::Call& call, std::uint32_t lane);
  Fault big_endian_atomic(const ir::Call& call, const Thread& thread, std::uint64_t address, std::uint64_t operand,
                          std::uint64_t compare, std::uint64_t& old_value);
  /// The data of a call as bytes, to be filled or to be taken.
  [[nodiscard]] std::span<std::uint8_t> buffer(const ir::Call& call);
  [[nodiscard]] std::span<const std::uint8_t> fetch_data(const ir::Call& call, std::uint32_t lane);
  void store_data(const ir::Call& call, std::uint32_t lane);

  const ir::Program& program_;
  Environment& environment_;
  Group& group_;
  std::uint32_t block_ = 0;
  std::vector<Failure> failures_;
  std::array<std::uint8_t, 255 * 8> data_{};  ///< the most a call can move
};

}  // namespace mobula
