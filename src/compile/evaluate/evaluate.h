// Executes programs as they are defined: slow, scalar, independent of everything that compiles them.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/evaluate/operations.h"

namespace mobula::ssa {

/// A texture access of one lane. What is not there is 0.
struct TextureCall {
  const TextureAccess* access = nullptr;
  std::uint32_t slot = 0;
  Bits coordinate{}, ddx{}, ddy{}, offset{};  ///< differences: of the quad, unless the access has its own
  std::uint32_t reference = 0, lod = 0, sample = 0;
};
/// Fills `out`, or says why not.
using TextureUnit = std::function<std::string(const TextureCall& call, Bits& out)>;

/// What one lane does to a texel of a storage image.
struct TexelCall {
  const TextureAccess* access = nullptr;
  std::uint32_t slot = 0, lane = 0;
  Bits coordinate{};
  bool stores = false;
  bool is_outside = false;  ///< filled in: there is no such texel
};
/// Fills or takes `texel`, or says why not.
using ImageUnit = std::function<std::string(TexelCall& call, Bits& texel)>;

/// Watches an evaluation, and may decide otherwise what GLSL leaves open. Who evaluates a program again with other
/// decisions sees which of its results rest on them.
class Freedom {
 public:
  Freedom() = default;
  Freedom(const Freedom&) = delete;
  Freedom& operator=(const Freedom&) = delete;
  virtual ~Freedom() = default;

  /// What an instruction gave in a lane. Operands and their types are those of an instruction that only computes.
  virtual void gave(const Instruction& each, std::span<const Bits> operands, std::span<const Type> types,
                    std::uint32_t lane, Bits& result) = 0;
  /// The same for what nothing defines: a difference to a neighbour that is not here.
  virtual void left_open(const Instruction& each, std::uint32_t lane, Bits& result) = 0;
  /// What a variable holds before anything is written to it.
  virtual void begins(const Type& type, Bits& content) = 0;
  /// A lane reads or writes beyond the end of a variable or block.
  virtual void is_outside(std::uint32_t lane) = 0;
  /// Lanes come to memory that others use, too, in the order that this leaves them in.
  virtual void put_in_order(std::span<std::uint32_t> lanes) = 0;
};

/// In bytes: as much as a block is made larger for what lanes do beyond its end.
inline constexpr std::uint64_t largest_block = 1U << 18;

struct SlotPlace {
  std::uint32_t variable = 0, slot = 0;
};

/// Threads in step: fragments are taken as quads (the second to the right of the first, the third and fourth in the row
/// after), threads of compute programs as one group.
/// Operands of an atomic operation that stand in front of its place.
std::size_t values_of(AtomicOp op);

class Evaluator {
 public:
  Evaluator(const Program& program, std::uint32_t lanes);

  /// Where GLSL's name is: "colour", "lights[2].place", "m[1]" (a column). An array of one may leave out its "[0]".
  [[nodiscard]] std::optional<SlotPlace> find(std::string_view name) const;
  /// What is there. Uniforms and shared memory are the same for all lanes.
  Bits& at(SlotPlace place, std::uint32_t lane = 0);
  /// The content of a block.
  std::vector<std::uint8_t>& block(std::uint32_t variable) { return blocks_[variable]; }
  void set_textures(TextureUnit unit) { textures_ = std::move(unit); }
  void set_images(ImageUnit unit) { images_ = std::move(unit); }
  /// None: everything is as it is defined.
  void set_freedom(Freedom* freedom) { freedom_ = freedom; }
  /// A run ends as soon as a lane goes beyond the end of what cannot be larger.
  void end_outside() { ends_outside_ = true; }

  /// Inputs, uniforms and blocks stay as they are; everything else begins anew. Empty, or why it came to no end.
  std::string run(std::uint64_t most_blocks = 1'000'000);
  /// False: the last run was cut off after as many blocks as it was allowed.
  [[nodiscard]] bool ended() const { return !is_cut_; }
  /// Blocks of the program that the last run went through, whichever lanes did.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  /// Instructions of the last run, each once for every lane that was there.
  [[nodiscard]] std::uint64_t work() const { return work_; }
  /// Whether it ended because a lane went beyond the end of something.
  [[nodiscard]] bool is_over() const { return is_over_; }
  /// What a lane of the last run first went beyond the end of; none = nothing.
  [[nodiscard]] std::uint32_t left() const { return left_; }
  /// How large a block with an array of no given length has to be for what lanes of the last run read and wrote in it
  /// beyond its end; 0 = it is large enough, or cannot be made so.
  [[nodiscard]] std::uint64_t wanted_size(std::uint32_t variable) const { return wanted_[variable]; }
  [[nodiscard]] bool discarded(std::uint32_t lane) const { return discarded_[lane]; }
  /// Instructions of the run, constants and phis aside: one for all lanes that are there.
  [[nodiscard]] std::uint64_t executed() const { return executed_; }

 private:
  using Lanes = std::vector<std::uint32_t>;

  void restart();
  bool step();
  void run_block(std::uint32_t number, const Lanes& lanes);
  void run_phis(const Block& block, const Lanes& lanes);
  void run_instruction(const Instruction& each, const Lanes& lanes);
  void run_computing(const Instruction& each, const Lanes& lanes);
  void run_difference(const Instruction& each, const Lanes& lanes);
  void run_slots(const Instruction& each, std::uint32_t lane);
  void run_bytes(const Instruction& each, std::uint32_t lane);
  void run_atomic(const Instruction& each, std::uint32_t lane);
  void run_texture(const Instruction& each, const Lanes& lanes);
  void run_image(const Instruction& each, std::uint32_t lane);
  void run_barrier(const Lanes& lanes);
  void gave(const Instruction& each, std::uint32_t lane);
  /// In bytes: a buffer may go on after its block's last member.
  [[nodiscard]] std::uint64_t end_of_block(std::uint32_t variable) const {
    return std::min<std::uint64_t>(blocks_[variable].size(), ends_[variable]);
  }
  std::uint32_t place_of(const Instruction& each, std::size_t values, std::uint32_t lane);
  bool is_inside(std::uint32_t variable, std::uint64_t end, std::uint32_t lane);
  void is_outside(std::uint32_t variable, std::uint32_t lane, bool can_grow = false);
  [[nodiscard]] Lanes in_order(const Lanes& lanes) const;
  void end_block(std::uint32_t number, const Lanes& lanes);

  [[nodiscard]] Bits difference(Value value, std::uint32_t lane, const Lanes& lanes, std::uint32_t neighbour) const;
  /// In its quad. Levels of textures that are chosen by differences to it are not defined.
  [[nodiscard]] bool has_discarded_neighbour(std::uint32_t lane) const;
  Bits& value(Value number, std::uint32_t lane) { return values_[std::size_t{number} * lanes_ + lane]; }
  [[nodiscard]] const Bits& value(Value number, std::uint32_t lane) const {
    return values_[std::size_t{number} * lanes_ + lane];
  }
  [[nodiscard]] bool is_shared(std::uint32_t variable) const;

  const Program& program_;
  std::uint32_t lanes_;
  std::vector<Bits> values_;
  std::vector<std::vector<Bits>> slots_;             ///< by variable: slot by slot, in each lane by lane
  std::vector<std::vector<std::uint8_t>> blocks_;    ///< by variable
  std::vector<std::uint64_t> ends_;                  ///< by variable: where a block's last member ends
  std::vector<std::uint32_t> block_at_, came_from_;  ///< by lane
  std::vector<bool> discarded_;
  std::uint64_t executed_ = 0;
  TextureUnit textures_;
  ImageUnit images_;
  Freedom* freedom_ = nullptr;
  bool is_cut_ = false, ends_outside_ = false, is_over_ = false;
  std::uint64_t steps_ = 0, work_ = 0;
  std::uint32_t left_ = none;
  std::vector<std::uint64_t> wanted_;  ///< by variable
  std::string fault_;
};

}  // namespace mobula::ssa
