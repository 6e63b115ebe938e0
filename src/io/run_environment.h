// The environment that run inputs feed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "io/memory.h"
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

/// What all batches of a run share. Only the memory changes while the run lasts; `memory_lock` guards its bytes.
struct RunWorld {
  RunInputs inputs;
  const Interface* interface = nullptr;  // for names in messages; outlives this
  Stage stage = Stage::unknown;
  std::map<std::uint32_t, std::vector<std::uint8_t>> uniform_buffers;  // system values included
  std::map<std::uint32_t, std::vector<std::uint8_t>> buffers;
  Memory memory;
  std::mutex memory_lock;
  std::uint32_t thread_local_bytes = 0, workgroup_local_bytes = 0;
  std::vector<std::uint8_t> thread_local_image;  // what a thread's own memory starts with; zeros after it
  std::optional<ImageSize> image;
  // Varyings with a meaning of their own; see input_named in run.cpp.
  std::optional<std::uint32_t> frag_coord, front_facing;
};

class RunEnvironment final : public Environment {
 public:
  /// The threads' indices must be consecutive.
  RunEnvironment(RunWorld& world, std::vector<LanePlan> lanes);

  /// What one lane put out.
  struct Outputs {
    std::vector<ColourOutput> colours;
    std::vector<VaryingOutput> varyings;
    std::map<std::uint32_t, RunVec4> tile;  ///< what the lane itself stored, by sample << 8 | target
  };
  [[nodiscard]] const std::vector<LanePlan>& lanes() const { return lanes_; }
  [[nodiscard]] std::vector<Outputs>& outputs() { return outputs_; }
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

 private:
  /// Bytes of memory, and the lock that must be held while they are touched, if others can reach them.
  struct Found {
    std::span<std::uint8_t> bytes;
    std::unique_lock<std::mutex> lock;
  };
  std::optional<Found> find(const Thread& thread, std::uint64_t address, std::size_t size);
  /// Memory of the threads' own, which is made when the first of them touches it: most programs never do.
  std::vector<std::uint8_t>& made_stack();
  std::vector<std::uint8_t>& made_thread_local();
  [[nodiscard]] Fault no_image(std::uint32_t image) const;
  /// The image, if the call's kind of numbers is that of its format; else says what is wrong.
  const StorageImage* find_image(std::uint32_t image, ir::Type type, Fault& fault) const;
  [[nodiscard]] std::size_t lane_of(const Thread& thread) const { return thread.index - lanes_.front().thread.index; }
  [[nodiscard]] std::optional<RunVec4> varying_value(const Thread& thread, std::uint32_t number, bool flat) const;

  RunWorld& world_;
  std::vector<LanePlan> lanes_;
  std::vector<Outputs> outputs_;
  std::vector<std::uint8_t> stack_, thread_local_, workgroup_local_;
  std::vector<std::uint32_t> retries_, waits_;
  std::map<std::uint32_t, Overrun> overruns_;
};

}  // namespace mobula::io
