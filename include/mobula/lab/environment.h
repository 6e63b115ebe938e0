// Environment: everything a thread can reach outside its own state. The command line feeds one from a JSON file; tests
// give their own. Calls come from one OS thread per Interpreter. Every call can be made for one lane; an environment
// that must be fast serves the frequent ones for all lanes at once, too (LanesCall), with the same results.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "mobula/export.h"
#include "mobula/isa/ir.h"

namespace mobula {

/// Identity of one thread, as the hardware would number it.
struct Thread {
  std::uint32_t index = 0;  ///< position in the run, 0-based
  std::uint32_t vertex = 0, instance = 0;
  std::array<std::uint32_t, 3> local_id{}, group_id{}, global_id{};
  float x = 0, y = 0;   ///< fragment centre in pixels
  bool helper = false;  ///< only fills a quad: atomics and outputs are suppressed; see store_memory
};

/// Who the threads of a group are, for those who start many and are asked little.
class MOBULA_API ThreadSource {
 public:
  virtual ~ThreadSource() = default;
  [[nodiscard]] virtual std::uint32_t count() const = 0;
  /// All of them, by lane; asked for only where something has to know more of one than that it is there.
  [[nodiscard]] virtual std::span<const Thread> threads() const = 0;
  /// By lane, all ones for a helper, else 0; empty where none is a helper.
  [[nodiscard]] virtual std::span<const std::uint32_t> helpers() const = 0;
};

/// Outcome of an environment call. A non-empty fault stops the lane with that reason; one that waits blocks it until
/// Interpreter::unblock(), when the lane executes the block again from its start. A block that can be made to wait must
/// therefore change nothing before that call.
struct Fault {
  std::string reason;
  bool waits = false;
  explicit operator bool() const { return waits || !reason.empty(); }
};

/// A texture access of one lane, operands fetched.
struct TextureRequest {
  const ir::Texture* op = nullptr;
  std::array<std::uint32_t, 4> coordinate{};  ///< bits of f32 or i32 as the op says
  std::array<float, 3> ddx{}, ddy{};          ///< of x y z: quad differences if op->implicit_lod, else the op's own
  float lod = 0;                              ///< LOD or bias; fetch: see fetch_lod
  std::int32_t fetch_lod = 0;
  std::array<std::int32_t, 3> offset{};
  std::uint32_t texture = 0, sampler = 0;
};

/// One word of each lane; 0 where there is no such operand. Where all lanes have the same, `keep` is 0.
struct LaneWords {
  const std::uint32_t* words = nullptr;  ///< null: there is no such operand
  std::uint32_t keep = 0;                ///< lane & keep = index in `words`
  [[nodiscard]] bool is_there() const { return words != nullptr; }
  [[nodiscard]] bool is_shared() const { return keep == 0; }
  std::uint32_t operator[](std::uint32_t lane) const { return words == nullptr ? 0 : words[lane & keep]; }
};

/// Which lanes take part: those of [begin, end) whose word of `mask` is all ones; of the others it is 0. Both are
/// multiples of 16, and words of the lanes in between may be read and written whatever the mask says.
struct LaneSet {
  std::uint32_t begin = 0, end = 0;
  const std::uint32_t* mask = nullptr;
  bool is_whole = false;  ///< all lanes that were started take part
  [[nodiscard]] bool has(std::uint32_t lane) const { return mask[lane] != 0; }
};

/// A call that many lanes make at the same time, elements of at most 32 bits, arguments fetched.
struct LanesCall {
  static constexpr std::size_t most_elements = 16;
  const ir::Call& call;
  LaneSet lanes;
  std::array<LaneWords, 4> args;
  LaneWords high;                                   ///< upper half of the first argument, where that has 64 bits
  std::array<LaneWords, most_elements> in;          ///< elements of a store; narrow ones in the low end, zeros above
  std::array<std::uint32_t*, most_elements> out{};  ///< elements of a load, likewise; one word a lane, to be filled for
                                                    ///< all lanes that take part. A result that is not data: out[0]
};

/// A texture access that many lanes make at the same time. With op.implicit_lod, ddx and ddy are quad differences.
struct LanesTexture {
  const ir::Texture* op = nullptr;
  LaneSet lanes;
  std::array<LaneWords, 4> coordinate;  ///< as in TextureRequest; one that is not there is 0, here and below
  std::array<LaneWords, 3> ddx, ddy, offset;
  LaneWords lod, texture, sampler;
  std::array<std::uint32_t*, 4> out{};
};

/// Every default refuses with a fault that names what was asked for, so an environment implements only what it has.
class MOBULA_API Environment {
 public:
  virtual ~Environment() = default;

  virtual Fault load_memory(const Thread&, std::uint64_t address, std::span<std::uint8_t> out);
  /// A helper may only store to memory that no other thread can see; its other stores must be dropped.
  virtual Fault store_memory(const Thread&, std::uint64_t address, std::span<const std::uint8_t> data);
  /// `width` is 4 or 8 bytes; returns the old value in `old_value`.
  virtual Fault atomic(const Thread&, ir::AtomicOp op, std::uint64_t address, std::uint32_t width,
                       std::uint64_t operand, std::uint64_t compare, std::uint64_t& old_value);
  virtual Fault load_uniform(const Thread&, std::uint32_t buffer, std::uint32_t byte_offset,
                             std::span<std::uint8_t> out);
  /// Elements of call.type, call.count of them, little-endian in `out`. The same for the typed calls below.
  virtual Fault attribute(const Thread&, const ir::Call& call, std::uint32_t number, std::uint32_t vertex,
                          std::span<std::uint8_t> out);
  virtual Fault varying(const Thread&, const ir::Call& call, std::uint32_t number, std::span<std::uint8_t> out);
  virtual Fault store_varying(const Thread&, const ir::Call& call, std::uint32_t number,
                              std::span<const std::uint8_t> data);
  virtual Fault texture(const Thread&, const TextureRequest& request, std::array<std::uint32_t, 4>& out);
  virtual Fault load_image(const Thread&, const ir::Call& call, std::uint32_t image, std::array<std::int32_t, 3> at,
                           std::span<std::uint8_t> out);
  virtual Fault store_image(const Thread&, const ir::Call& call, std::uint32_t image, std::array<std::int32_t, 3> at,
                            std::span<const std::uint8_t> data);
  /// One write to the tile buffer. `retry` asks the program to run its retry branch.
  virtual Fault fragment_out(const Thread&, std::array<std::uint32_t, 4> colour, std::uint32_t depth,
                             std::uint32_t stencil, std::uint32_t target, bool& retry);
  virtual Fault tile_ready(const Thread&, bool& wait);
  virtual Fault load_tile(const Thread&, const ir::Call& call, std::uint32_t target, std::uint32_t sample,
                          std::span<std::uint8_t> out);
  virtual Fault store_tile(const Thread&, const ir::Call& call, std::uint32_t target, std::uint32_t sample,
                           std::span<const std::uint8_t> data);
  virtual Fault image_address(const Thread&, std::uint32_t image, std::array<std::int32_t, 3> at,
                              std::uint64_t& address);
  virtual Fault load_special(const Thread&, const ir::Call& call, std::uint32_t selector, std::span<std::uint8_t> out);
  virtual Fault store_special(const Thread&, const ir::Call& call, std::uint32_t selector,
                              std::span<const std::uint8_t> data);
  virtual Fault device_read(const Thread&, const ir::Call& call, std::uint32_t address, std::span<std::uint8_t> out);
  virtual Fault device_write(const Thread&, const ir::Call& call, std::uint32_t address,
                             std::span<const std::uint8_t> data);
  /// All these lanes' calls at once, as if each lane had made its own, one after the other. False, with nothing done,
  /// where that is not possible, as when one of them would fault or wait: then they are made one by one. Helpers take
  /// part in loads only, and in stores to memory (see store_memory).
  virtual bool serve(const LanesCall&) { return false; }
  virtual bool sample(const LanesTexture&) { return false; }
  /// Whether all lanes that make this call together, with the same arguments where it loads, get the same results. Then
  /// serve() may be asked for the results of the first 16 lanes alone, in the name of all.
  [[nodiscard]] virtual bool gives_same(const ir::Call&) const { return false; }
};

}  // namespace mobula
