// The environment that run inputs feed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "execute/interpreter_group.h"
#include "io/memory.h"
#include "io/quad_rows.h"
#include "io/scratch.h"
#include "io/storage_image.h"
#include "laboratory/feeding.h"
#include "mobula/lab/environment.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// Addresses of the windows a run puts memory at. Buffer k is at buffer_base + k * buffer_stride.
inline constexpr std::uint64_t buffer_base = std::uint64_t{1} << 36, buffer_stride = std::uint64_t{1} << 32;
/// The same address in every thread (or workgroup) means memory of its own.
inline constexpr std::uint64_t stack_address = 0x7D0000000000, thread_local_address = 0x7E0000000000,
                               workgroup_local_address = 0x7F0000000000;
/// Behind what a workgroup's variables need, and part of the same memory.
inline constexpr std::uint64_t instance_memory_address = workgroup_local_address + 0x10000;

/// What all batches of a run share. Only the memory changes while the run lasts; `memory_lock` guards its bytes.
struct RunWorld {
  RunInputs inputs;
  const ir::Program* lifted = nullptr;   // outlives this
  const Interface* interface = nullptr;  // for names in messages; outlives this
  Stage stage = Stage::unknown;
  std::map<std::uint32_t, std::vector<std::uint8_t>> uniform_buffers;  // system values included
  std::map<std::uint32_t, std::vector<std::uint8_t>> buffers;
  Memory memory;
  std::mutex memory_lock;
  std::uint32_t thread_local_bytes = 0, workgroup_local_bytes = 0;
  std::vector<std::uint8_t> thread_local_image;  // what a thread's own memory starts with; zeros after it
  std::optional<ImageSize> image;
  std::vector<float> across;  // image: see places_across()
  // Varyings with a meaning of their own; see input_named in run.cpp.
  std::optional<std::uint32_t> frag_coord, front_facing;
};

/// Between two values: a + (b - a) * part, each step rounded to binary32.
inline float between(float a, float b, float part) { return a + (b - a) * part; }
/// A varying of a picture from its values at the left-top, right-top, left-bottom and right-bottom corner: between
/// those of the left and of the right edge, which lie between their corners.
RunVec4 interpolated(const std::array<RunVec4, 4>& corners, float across, float down);

/// The operand, if it is a constant; 0 where there is none.
std::optional<std::uint32_t> constant_word(const ir::Program& program, ir::Operand operand);

/// The sampler of that number, or the default one.
const Sampler& sampler_of(const RunInputs& inputs, std::uint32_t number);

class RunEnvironment final : public Environment {
 public:
  explicit RunEnvironment(RunWorld& world) : world_(world) {}
  /// The batch to fill in before begin(). The threads' indices must be consecutive.
  [[nodiscard]] BatchLanes& lanes() { return lanes_; }
  [[nodiscard]] const BatchLanes& lanes() const { return lanes_; }
  /// A new batch begins: nothing has been put out, all memory of its own is as it was.
  void begin();
  /// The same for lanes that may lie beyond the edges of the image, and where they are.
  void begin_beyond_edges();

  /// Image: the last colours of render target 0 of the lanes that have put out any, and where the lanes are.
  [[nodiscard]] std::size_t most_colours() const { return most_colours_; }
  [[nodiscard]] std::array<const std::uint32_t*, 4> last_colours() const;
  [[nodiscard]] bool have_all_coloured() const { return common_colours_ != 0; }
  /// By lane, if not all have: how many colours it put out.
  [[nodiscard]] const std::uint32_t* counts_of_some() const { return have_counts_ ? colour_counts_.data() : nullptr; }
  [[nodiscard]] std::span<const QuadRow> rows() const { return rows_; }

  /// What one lane put out, at the end of the lists.
  void add_outputs(std::size_t lane, std::vector<ColourOutput>& colours, std::vector<VaryingOutput>& varyings) const;
  /// Of all lanes together.
  [[nodiscard]] std::size_t count_of_colours() const;
  [[nodiscard]] std::size_t count_of_varyings() const;
  /// Loads beyond the end of a uniform buffer, which gave 0.
  struct Overrun {
    std::uint64_t count = 0;
    std::uint32_t input = 0, byte_offset = 0, bytes = 0;  ///< of the first
  };
  [[nodiscard]] const std::map<std::uint32_t, Overrun>& overruns() const { return overruns_; }

  Fault load_memory(const Thread& thread, std::uint64_t address, std::span<std::uint8_t> out) override;
  Fault store_memory(const Thread& thread, std::uint64_t address, std::span<const std::uint8_t> data) override;
  Fault atomic(const Thread& thread, ir::AtomicOp op, std::uint64_t address, std::uint32_t width, std::uint64_t operand,
               std::uint64_t compare, std::uint64_t& old_value) override;
  Fault load_uniform(const Thread& thread, std::uint32_t buffer, std::uint32_t byte_offset,
                     std::span<std::uint8_t> out) override;
  Fault attribute(const Thread& thread, const ir::Call& call, std::uint32_t number, std::uint32_t vertex,
                  std::span<std::uint8_t> out) override;
  Fault varying(const Thread& thread, const ir::Call& call, std::uint32_t number, std::span<std::uint8_t> out) override;
  Fault store_varying(const Thread& thread, const ir::Call& call, std::uint32_t number,
                      std::span<const std::uint8_t> data) override;
  Fault texture(const Thread& thread, const TextureRequest& request, std::array<std::uint32_t, 4>& out) override;
  Fault fragment_out(const Thread& thread, std::array<std::uint32_t, 4> colour, std::uint32_t depth,
                     std::uint32_t stencil, std::uint32_t target, bool& retry) override;
  Fault tile_ready(const Thread& thread, bool& wait) override;
  Fault load_tile(const Thread& thread, const ir::Call& call, std::uint32_t target, std::uint32_t sample,
                  std::span<std::uint8_t> out) override;
  Fault store_tile(const Thread& thread, const ir::Call& call, std::uint32_t target, std::uint32_t sample,
                   std::span<const std::uint8_t> data) override;
  Fault load_image(const Thread& thread, const ir::Call& call, std::uint32_t image, std::array<std::int32_t, 3> at,
                   std::span<std::uint8_t> out) override;
  Fault store_image(const Thread& thread, const ir::Call& call, std::uint32_t image, std::array<std::int32_t, 3> at,
                    std::span<const std::uint8_t> data) override;
  Fault image_address(const Thread& thread, std::uint32_t image, std::array<std::int32_t, 3> at,
                      std::uint64_t& address) override;
  Fault load_special(const Thread& thread, const ir::Call& call, std::uint32_t selector,
                     std::span<std::uint8_t> out) override;
  bool serve(const LanesCall& call) override;
  [[nodiscard]] bool gives_same(const ir::Call& call) const override;
  bool sample(const LanesTexture& request) override;

 private:
  /// Memory of the threads' own that an address is in, and where there.
  struct Own {
    Scratch* scratch = nullptr;
    std::uint32_t offset = 0;
  };
  [[nodiscard]] Own find_own(std::uint64_t address, std::size_t size);
  /// The same for memory that others can reach, too: world_.memory_lock must be held while it is touched. A helper
  /// finds that of its workgroup only.
  [[nodiscard]] std::optional<std::span<std::uint8_t>> find_shared(const Thread& thread, std::uint64_t address,
                                                                   std::size_t size);
  [[nodiscard]] Fault no_image(std::uint32_t image) const;
  /// The image, if the call's kind of numbers is that of its format; else says what is wrong.
  const StorageImage* find_image(std::uint32_t image, ir::Type type, Fault& fault) const;
  [[nodiscard]] std::size_t lane_of(const Thread& thread) const {
    return thread.index - static_cast<std::uint32_t>(lanes_.first());
  }
  void forget();
  void make_down();
  [[nodiscard]] std::size_t padded_lanes() const {
    return (std::size_t{lanes_.count()} + ir::lane_padding - 1) / ir::lane_padding * ir::lane_padding;
  }
  [[nodiscard]] std::optional<RunVec4> varying_value(const Thread& thread, std::uint32_t number, bool flat);

  // Colours and varyings that the lanes of the batch have put out.
  struct VaryingOfLanes {
    std::uint32_t number = 0;
    std::uint8_t declared = 0;  ///< as of components_of_output(): others are not kept
    std::vector<RunVec4> values;
    std::vector<std::uint8_t> stored;  ///< as in VaryingOutput
  };
  /// The planes of the colours at this position of the lanes' lists: four components, depth, stencil, target. nullptr
  /// if a list may not be that long.
  [[nodiscard]] Planes* new_colours(std::size_t position);
  /// How many colours a lane has put out. Those of all lanes together are counted once, until a lane puts out one
  /// alone.
  [[nodiscard]] std::size_t count_of_colours(std::size_t lane) const {
    return common_colours_ + (have_counts_ ? colour_counts_[lane] : 0);
  }
  std::uint32_t* own_counts();
  Planes* new_colours_of(const LaneSet& lanes);
  /// At the end of the lane's list.
  Fault add_colour(std::size_t lane, const ColourOutput& colour);
  /// nullptr if there are too many.
  [[nodiscard]] VaryingOfLanes* varying_of_lanes(std::uint32_t number);

  // All lanes at once: run_lanes.cpp.
  bool load_memory(const LanesCall& call);
  bool store_memory(const LanesCall& call);
  bool find_all_shared(const LanesCall& call, std::size_t bytes);
  [[nodiscard]] Scratch* find_all_own(const LanesCall& call, std::size_t bytes);
  bool load_uniform(const LanesCall& call);
  bool attribute(const LanesCall& call);
  bool varying(const LanesCall& call);
  void interpolate(const LanesCall& call, const std::array<RunVec4, 4>& corners);
  bool give_places(const LanesCall& call);
  bool store_varying(const LanesCall& call);
  bool fragment_out(const LanesCall& call);
  bool tile_ready(const LanesCall& call);

  RunWorld& world_;
  BatchLanes lanes_;
  std::vector<Planes> colours_;           ///< by position in the lane's list, image: of the last; see new_colours()
  std::vector<VaryingOfLanes> varyings_;  ///< by number
  std::vector<VaryingOfLanes> spare_varyings_;      ///< memory of earlier batches
  std::map<std::uint32_t, std::uint8_t> declared_;  ///< components_of_output() of varyings that were stored
  AlignedWords colour_counts_;                      ///< beyond common_colours_; see count_of_colours()
  bool have_counts_ = false;
  std::size_t common_colours_ = 0, most_colours_ = 0;              ///< most: the longest list
  std::map<std::pair<std::size_t, std::uint32_t>, RunVec4> tile_;  ///< stored by lane, sample << 8 | target
  Scratch stack_, thread_local_;
  std::vector<std::uint8_t> workgroup_local_;
  std::vector<std::uint32_t> retries_, waits_;
  std::map<std::uint32_t, Overrun> overruns_;
  std::vector<QuadRow> rows_;                   ///< image
  const float* across_ = nullptr;               ///< image: where the lanes' centres are, 0 to 1; whole vectors of lanes
  std::vector<float> down_, own_across_;        ///< likewise; down_ is made when it is asked for
  std::vector<std::uint32_t> offsets_;          ///< scratch of find_all_own
  std::vector<std::span<std::uint8_t>> found_;  ///< scratch of find_all_shared
};

}  // namespace mobula::io
