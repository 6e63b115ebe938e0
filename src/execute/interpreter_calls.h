// Calls from lanes to their environment.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "execute/interpreter_group.h"
#include "execute/shared_words.h"
#include "mobula/isa/ir.h"
#include "mobula/lab/environment.h"

namespace mobula {

/// Carries calls out, together where the environment can, else lane by lane. Helper threads read the world but do not
/// change it: their stores, atomics (which give 0) and outputs (which say "done") do not reach the environment.
class EnvironmentCalls {
 public:
  EnvironmentCalls(const ir::Program& program, Environment& environment, Group& group)
      : program_(program), environment_(environment), group_(group) {}

  /// Where the word of an operand is.
  using FindWord = std::function<LaneWords(ir::Operand)>;
  /// Gives calls the addresses of their operands, which must be whole words. With `shared`, also for lanes that go the
  /// same way.
  void bind(const FindWord& words, const SharedWords* shared);
  /// The threads of the group are new; see ThreadSource::helpers.
  void see_helpers(std::span<const std::uint32_t> helpers);
  /// Makes the call for all these lanes at once. False, and nothing done, if it has to be made lane by lane.
  bool run_together(const ir::Call& call, ir::LaneRange lanes, bool is_whole) {
    return run(bound_[index_of(call)], call, lanes, is_whole);
  }
  /// The same where all lanes have gone the same way: operands may be rows, and so may results, of the operation's.
  bool run_in_step(const ir::Call& call, ir::LaneRange lanes, bool is_whole) {
    return run(in_step_[index_of(call)], call, lanes, is_whole);
  }

  struct Failure {
    std::uint32_t lane = 0;
    bool waits = false;  ///< see Fault
    std::string reason;
  };
  /// Makes the call for these lanes (ascending), as part of `block`. Returns the lanes that have to stop.
  const std::vector<Failure>& run(const ir::Call& call, std::uint32_t block, std::span<const std::uint32_t> lanes);

 private:
  class OneLane;
  /// The operands of a call as words, and how its results get into the state.
  struct Bound {
    bool is_possible = false;
    bool gives_row = false;  ///< results are the same in all lanes
    bool is_direct = false;  ///< if all lanes take part, results may be put into the state at once
    LanesTexture texture;    ///< without `op` where not possible
    std::array<LaneWords, 4> args;
    LaneWords high;
    std::array<LaneWords, LanesCall::most_elements> in;
    std::vector<ir::BoundOperation> moves_in, moves_out;
    ir::Kernel move;
  };
  [[nodiscard]] std::size_t index_of(const ir::Call& call) const {
    return static_cast<std::size_t>(&call - program_.calls.data());
  }
  [[nodiscard]] Bound bound_call(const ir::Call& call, const FindWord& words);
  bool bind_elements(const ir::Call& call, const FindWord& words, Bound& bound);
  [[nodiscard]] static bool reads_nothing_it_writes(const Bound& bound);
  [[nodiscard]] static LanesTexture bound_texture(const ir::Texture& texture, const FindWord& words);
  bool run(Bound& bound, const ir::Call& call, ir::LaneRange lanes, bool is_whole);
  bool serve(const ir::Call& call, const Bound& bound, const LaneSet& lanes);
  bool sample(Bound& bound, const LaneSet& lanes);
  /// Where the environment puts element i.
  [[nodiscard]] std::uint32_t* place_of(const Bound& bound, std::size_t i, const LaneSet& lanes) {
    return bound.is_direct && lanes.is_whole && i < bound.moves_out.size() ? bound.moves_out[i].dst : element_words(i);
  }
  [[nodiscard]] std::uint32_t* element_words(std::size_t element) {
    return elements_.data() + element * group_.state.padded_lanes();
  }

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

  std::vector<Bound> bound_, in_step_;  ///< parallel to Program::calls
  AlignedWords elements_;               ///< data of a call: a plane for each element
  AlignedWords differences_;            ///< of texture coordinates: for each axis along rows, then along columns
  AlignedWords helpers_;                ///< by lane: all ones if it is a helper; only while there are any
  AlignedWords mask_;                   ///< scratch
  bool has_helpers_ = false;
};

}  // namespace mobula
