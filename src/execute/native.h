// Host code: the boundary between what runs programs (mobula-lab) and what compiles them (mobula-jit, which is loaded
// when it is wanted and is the only one that knows LLVM).
//
// Compiled is a whole program of fragments for a picture. The code takes a strip of it, two rows of pixels, and goes
// through the strip in chunks of eight or sixteen lanes: quads side by side, lanes numbered as the interpreter numbers
// them.
// It has only two ways to end: the strip is done, with the results that the interpreter would give, bit for bit; or it
// leaves early, and the interpreter does the whole run, with all that is rare: faults, traps, step limits, loads beyond
// a buffer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mobula/isa/ir.h"

namespace mobula::native {

/// Lanes of a chunk at most, and words from one plane of Frame::planes to the next.
inline constexpr std::uint32_t most_lanes = 16, plane_pitch = 16;
inline constexpr std::uint32_t scratch_bytes = 768;

/// How code samples a plain texture: of two dimensions, all of it finite binary32.
struct Sampling {
  bool is_linear = true;  ///< the filter within a level
  bool is_wide = false;   ///< the code takes its texels from PlainTexture::wide
  bool chooses_level = false, mixes_levels = false, uses_sampler_lod = true;
  bool has_power_sides = false;  ///< each side of each level is a power of two
  std::array<bool, 2> clamps{};  ///< to the edge, by axis; else it repeats
  friend bool operator==(const Sampling&, const Sampling&) = default;
};

/// How a call of the program is served.
struct Binding {
  enum class How : std::uint8_t {
    host,          ///< by Frame::call
    interpolated,  ///< varying: from Frame::corners, entry `index`
    constant,      ///< varying: the four words of Frame::constants, entry `index`
    position,      ///< varying: place of the fragment: x, y, 1/2, 1
    uniform,       ///< the bytes of buffer `index` of Frame::uniforms at a constant offset; they are known to be there
    uniform_at,    ///< the same at an offset of each lane's own; leaves early where one is beyond the buffer
    colour,        ///< fragment_out: the last colour of render target 0 counts; nobody is asked to try again
    ready,         ///< tile_ready: always
    sampled,       ///< texture: entry `index` of Frame::textures
  };
  How how = How::host;
  std::uint32_t index = 0;
  Sampling sampling;
  friend bool operator==(const Binding&, const Binding&) = default;
};

struct UniformBytes {
  const std::uint8_t* bytes = nullptr;
  std::uint64_t size = 0;
};

struct PlainLevel {
  std::int32_t width = 1, height = 1;
  std::int32_t first = 0;  ///< the number of its first texel
  std::int32_t unused = 0;
  double per_width = 1, per_height = 1;
};
/// A texture that code samples, and what its sampler says.
struct PlainTexture {
  static constexpr std::uint32_t most_texels = 1u << 27;  ///< the code counts their bytes in 32 bits
  static constexpr std::uint32_t most_wide = 1u << 15;
  const std::uint32_t (*texels)[4] = nullptr;
  const double (*wide)[4] = nullptr;  ///< the same, as filters take them: of small textures
  const PlainLevel* levels = nullptr;
  double last = 0;  ///< level
  double lod_bias = 0, min_lod = 0, max_lod = 0;
};

/// A strip, as the code takes it.
struct Frame {
  // The strip, and where its results go.
  std::uint32_t width = 0;   ///< pixels of a row
  std::uint32_t height = 0;  ///< of the picture
  std::uint32_t first_row = 0;
  std::uint32_t rows = 2;               ///< rows of the strip that are in the picture: 1 or 2
  std::uint32_t (*colours[2])[4] = {};  ///< of the first pixel of each row, unless Request::keeps_bytes
  std::uint8_t (*rgba8[2])[4] = {};     ///< the same, otherwise
  std::uint8_t* covered[2] = {};        ///< 1 where a colour is, else 0, as is the colour
  std::uint64_t* executions = nullptr;  ///< by Code::counted; the code adds to them
  std::uint64_t discarded = 0;          ///< pixels; the code adds to it
  std::uint64_t step_limit = 0;         ///< blocks that a lane may execute
  // What the program reads.
  const std::uint32_t* initial = nullptr;  ///< words of the state, the same for all lanes but for Request::places
  const std::uint32_t (*constants)[4] = nullptr;
  const float (*corners)[16] = nullptr;  ///< component c of corner k at 4 * c + k
  const float* across = nullptr;         ///< by lane of a row, and as many more as a chunk has: its centre, 0 to 1
  const UniformBytes* uniforms = nullptr;
  const PlainTexture* textures = nullptr;
  // What it does not do itself. Operands and results are in `planes`: a row of lanes for each word of the state.
  std::uint32_t* planes = nullptr;
  void* scratch = nullptr;  ///< scratch_bytes for the code alone, aligned to 64 bytes
  std::uint32_t chunk = 0;  ///< column of the chunk's first pixel, set before the functions are called
  /// Carries out an operation of the program for the lanes of the mask (bit k: lane k).
  void (*operate)(Frame* frame, std::uint32_t operation, std::uint32_t lanes) = nullptr;
  /// Makes a call; false: leave.
  bool (*call)(Frame* frame, std::uint32_t call, std::uint32_t block, std::uint32_t lanes) = nullptr;
  void* host = nullptr;
};

/// True: the strip is done.
using Entry = bool (*)(Frame* frame);

/// Position-independent code of the host, good for any number of runs that have the same bindings.
struct Code {
  std::vector<std::uint8_t> bytes;
  std::uint64_t entry = 0;  ///< byte offset of a function of type Entry
  std::uint32_t lanes = 0;  ///< of a chunk
  /// Blocks that are always executed together, for one entry of Frame::executions each.
  std::vector<std::vector<std::uint32_t>> counted;
};

/// A word of the state that begins with where the centre of the pixel is, as binary32: x (axis 0) or y.
struct PlaceWord {
  std::uint32_t word = 0, axis = 0;
};

struct Request {
  const ir::Program* program = nullptr;  ///< passes ir::verify()
  std::span<const Binding> calls;        ///< by call
  std::span<const PlaceWord> places;
  std::uint32_t most_lanes = native::most_lanes;  ///< of a chunk
  bool keeps_bytes = false;                       ///< of colours; binary32 numbers become them as in to_rgba8()
};

/// Code, or why there is none.
struct Outcome {
  std::optional<Code> code;
  std::string reason;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  [[nodiscard]] virtual Outcome compile(const Request& request) const = 0;
};

/// The one function of the plug-in.
using FindCompiler = const Compiler* (*)();
inline constexpr const char* find_compiler_name = "mobula_jit_compiler";

}  // namespace mobula::native
