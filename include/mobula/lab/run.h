// Running a program on inputs from files: side files, run inputs, the environment they feed, references to compare
// with.
//
// Nothing here reads a file or prints. Formats of the JSON documents: docs/run-files.md. Values are 32-bit words, bit
// patterns, throughout; floats are IEEE binary32 in them. Error codes: IN (documents), TX (textures), RN (runs).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"
#include "mobula/lab/environment.h"
#include "mobula/lab/interpreter.h"

namespace mobula {

namespace io {
struct Texture;
struct Sampler;
struct StorageImage;
}  // namespace io

// ---- side files

/// What accompanies a program: its interface, and the machine and products it was compiled for.
struct SideFile {
  std::string machine;                    ///< registry name; empty if the file does not say
  std::vector<std::string> compiled_for;  ///< variant names, the first is the one the file is named after
  Interface interface;
  std::vector<SourceLine> lines;  ///< of the source that the program was compiled from, by offset
};

/// "dir/NAME.bin" -> "dir/NAME.json"; without an extension ".json" is appended.
MOBULA_API std::string side_file_name(std::string_view code_file);
/// Unknown members are ignored, wrong values are errors. With `left_out` they are left out, and reported there as
/// warnings.
MOBULA_API Result<SideFile> read_side_file(const SourceText& source, Diagnostics* left_out = nullptr);

// ---- run inputs

using RunVec4 = std::array<std::uint32_t, 4>;
using RunWords = std::vector<std::uint32_t>;

/// Words at an address of the memory a program reaches through 64-bit pointers.
struct MemoryRegion {
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
};

struct RunLimits {
  std::uint64_t steps = 1u << 20;                       ///< blocks a thread may execute
  std::uint64_t all_steps = std::uint64_t{1} << 36;     ///< blocks all threads together may execute
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< buffers, regions, scratch and shared memory together
  std::uint32_t threads = 1u << 24;                     ///< threads of one run, helpers included
};

/// Clip space to pixels and depth: x/w * scale + offset.
struct Viewport {
  std::array<float, 3> scale{128, 96, 0.5f}, offset{128, 96, 0.5f};
};

/// Values of uniforms: words of uniform buffer 0 from a position on.
struct UniformWords {
  std::uint32_t first = 0;  ///< in words
  RunWords values;
};

/// All inputs of a run, with names resolved. Numbers are the machine's.
struct RunInputs {
  std::uint32_t threads = 1;  ///< vertices or fragments; compute: see groups
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::optional<std::array<std::uint32_t, 3>> local_size;  ///< empty = the Interface's
  bool quads = false;              ///< each four consecutive fragments are a quad; else each has a quad of its own
  std::vector<Thread> identities;  ///< empty = the default numbering; else one a thread (vertex, instance, x, y)
  /// Value of each thread (attributes: of each vertex); one entry = the same for all.
  std::map<std::uint32_t, std::vector<RunVec4>> attributes, varyings;
  /// Image mode: value at the left-top, right-top, left-bottom, right-bottom corner of the image.
  std::map<std::uint32_t, std::array<RunVec4, 4>> corners;
  std::map<std::uint32_t, RunWords> uniform_buffers;   ///< whole buffers, or their beginnings
  std::vector<UniformWords> uniforms;                  ///< take precedence over uniform_buffers
  std::map<std::uint32_t, RunVec4> uniform_registers;  ///< register number -> words; take precedence over `push`
  std::map<std::uint32_t, RunWords> buffers;           ///< SSBO number -> words
  std::vector<MemoryRegion> memory;
  std::map<std::string, std::uint32_t, std::less<>> slots;  ///< initial state by slot name, the same for all threads
  std::map<std::uint32_t, std::shared_ptr<const io::Texture>> textures;
  std::map<std::uint32_t, std::shared_ptr<const io::Sampler>>
      samplers;  ///< absent = that of the texture's document, or default
  std::map<std::uint32_t, std::shared_ptr<const io::StorageImage>>
      images;  ///< storage images; their texels lie in memory
  /// What is in the tile buffer when a fragment starts, by render target (31: depth, 30: stencil), as in varyings.
  std::map<std::uint32_t, std::vector<RunVec4>> tile;
  std::optional<Viewport> viewport;                     ///< absent = that of the image, y upwards, or Viewport's own
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< image of vertices; empty = three consecutive vertices each
  std::optional<std::uint32_t> line_colour;             ///< image of vertices: varying with the colour; absent = white
  std::map<std::uint32_t, RunVec4> system_values;       ///< by index k: takes precedence over the computed value
  std::uint32_t fragment_retries = 0;                   ///< how often fragment_out asks a thread to try again
  std::uint32_t tile_waits = 0;                         ///< how often tile_ready asks a thread to wait
  RunLimits limits;
  Policies policies;     ///< for Machine::lift
  Diagnostics warnings;  ///< what was noticed while reading
};

/// Gives the bytes of a file that a document names.
using FileReader = std::function<Result<std::vector<std::uint8_t>>(const std::string& name)>;

/// A document of run inputs, one case of a reference file as it is, or, if the file's name ends in .obj, a mesh.
/// Names are looked up in `interface`. Without `files`, a document that names files is an error, IN018.
MOBULA_API Result<RunInputs> read_run_inputs(const SourceText& source, const Interface& interface,
                                             const FileReader& files = {});

/// Whether a run is a dispatch of workgroups: of a compute program, or of one whose stage nothing says, where the
/// inputs speak of groups.
MOBULA_API bool is_dispatch(Stage stage, const RunInputs& inputs);

// ---- runs

struct ImageSize {
  std::uint32_t width = 0, height = 0;
};

/// Whether a run is done by code of the host, compiled from the program. Results do not depend on it.
enum class NativeChoice : std::uint8_t {
  never,
  automatic,  ///< where it is possible and the run is large enough for it to pay
  always,     ///< wherever it is possible
};
/// Whether there is a compiler for it: the plug-in mobula-jit.
MOBULA_API bool has_native();
/// What became of it.
struct NativeUse {
  bool is_used = false;
  std::string reason;            ///< why not
  double preparing_seconds = 0;  ///< compiling, or finding the code of an earlier run
  std::uint64_t break_even = 0;  ///< pixels from which it pays
};

/// What is kept of the colours of a picture.
enum class PictureColours : std::uint8_t {
  words,  ///< as the program gave them: ImageResult::colours
  bytes,  ///< what to_rgba8() makes of them: ImageResult::rgba8; a quarter of the memory, and of the time to write it
};

struct RunOptions {
  InterpreterOptions interpreter;  ///< its step_limit is replaced by the inputs' limits.steps
  unsigned os_threads = 1;  ///< batches run at the same time; results do not depend on it unless threads share memory
  std::uint32_t batch_lanes = 512;  ///< vertices or fragments started together; a multiple of 4
  /// Fragments: one for each pixel of a rectangle, varyings from RunInputs::corners. Vertices: the lines of their
  /// triangles are drawn where their position puts them.
  std::optional<ImageSize> image;
  PictureColours kept_colours = PictureColours::words;  ///< of pictures of fragments
  NativeChoice native = NativeChoice::never;
  std::string code_folder;  ///< keeps code of the host for later runs; empty = nowhere
  bool outputs = true;      ///< keeps what each thread gives; false: RunResult::threads may stay empty
  /// Called with how many of the batches are done; may be called by any of the OS threads, one at a time.
  std::function<void(std::uint32_t done, std::uint32_t total)> progress;
  /// Asked every few milliseconds by each of the OS threads; true: the run ends, with error RN019.
  std::function<bool()> stop;
};

/// One write to the tile buffer.
struct ColourOutput {
  RunVec4 colour{};
  std::uint32_t depth = 0, stencil = 0, target = 0;  ///< words as the program gave them; target: Midgard reference 4.4
};
/// What a thread stored to one varying.
struct VaryingOutput {
  std::uint32_t number = 0;
  std::uint8_t stored = 0;  ///< bit c: component c was stored; the others are 0
  RunVec4 value{};          ///< f16 data are converted to f32
  /// Components up to the last one that was stored.
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(std::bit_width(stored)); }
};
/// What the spans show is kept by RunResult::outputs.
struct ThreadResult {
  Thread thread;  ///< index = position in the inputs
  LaneState state = LaneState::running;
  std::span<const ColourOutput> colours;
  std::span<const VaryingOutput> varyings;  ///< by number
};

/// Memory for the colours of pictures, on lines of caches. Of large blocks, the last one that was given back is kept
/// for the next picture, and the system may take it while nobody uses it. For all OS threads.
[[nodiscard]] MOBULA_API void* take_picture_memory(std::size_t bytes);
MOBULA_API void give_back_picture_memory(void* first, std::size_t bytes) noexcept;

/// For large arrays whose elements are written next, as vectors: those that are given no value have none at first.
template <class Value>
struct Unset {
  using value_type = Value;

  Unset() = default;
  template <class Other>
  Unset(const Unset<Other>&) noexcept {}  // NOLINT(google-explicit-constructor): as allocators are
  [[nodiscard]] Value* allocate(std::size_t count) {
    return static_cast<Value*>(take_picture_memory(count * sizeof(Value)));
  }
  void deallocate(Value* values, std::size_t count) noexcept {
    give_back_picture_memory(values, count * sizeof(Value));
  }
  friend bool operator==(const Unset&, const Unset&) noexcept { return true; }
  template <class Element>
  void construct(Element* at) noexcept {
    ::new (static_cast<void*>(at)) Element;
  }
  template <class Element, class... Arguments>
  void construct(Element* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) Element(std::forward<Arguments>(arguments)...);
  }
};

/// Colours of an image, rows from the top: the last ones of render target 0. Discarded pixels and pixels without output
/// are zero and not covered.
struct ImageResult {
  ImageSize size;
  std::array<std::uint8_t, 4> background{};                ///< RGBA of what is not covered
  std::vector<RunVec4, Unset<RunVec4>> colours;            ///< unless only bytes are kept
  std::vector<std::uint8_t, Unset<std::uint8_t>> covered;  ///< 1 or 0
  std::vector<std::uint8_t, Unset<std::uint8_t>> rgba8;    ///< 4 bytes a pixel, if only bytes are kept
};

struct RunResult {
  std::uint64_t started = 0, ended = 0, discarded = 0, faulted = 0;  ///< threads, helpers not counted
  std::vector<ThreadResult> threads;          ///< vertices or fragments outside image mode, in the order of the inputs
  std::shared_ptr<const void> outputs;        ///< what the threads' colours and varyings are in
  std::map<std::uint32_t, RunWords> buffers;  ///< SSBOs after the run
  std::vector<MemoryRegion> memory;           ///< regions after the run
  std::optional<ImageResult> image;
  std::vector<std::uint64_t> executions;  ///< lane-executions of each block of the micro-operations, helpers included
  Diagnostics diagnostics;                ///< faults as errors, other remarks as warnings
  NativeUse native;
};

/// Runs all threads. Errors are those of Run::prepare; faults of threads are diagnostics of the result.
MOBULA_API Result<RunResult> run_program(const Program& program, const ir::Program& lifted, const RunInputs& inputs,
                                         const RunOptions& options = {});

/// A prepared run, for those who want to watch it batch by batch (a trace, a debugger); run_program does it all at
/// once. Batches are independent of each other except through buffers and memory, and may run on different OS threads.
class MOBULA_API Run {
 public:
  /// Both programs must outlive the run. RN00x: more threads or memory than the limits allow; inputs that do not fit.
  /// RN015: values that are missing in the inputs; RN016: micro-operations that are not well formed.
  static Result<Run> prepare(const Program& program, const ir::Program& lifted, RunInputs inputs, RunOptions options);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  /// Threads that were started together, with their initial state: a workgroup, or up to batch_lanes vertices or
  /// fragments.
  class MOBULA_API Batch {
   public:
    ~Batch();
    Batch(Batch&&) noexcept;
    Batch& operator=(Batch&&) noexcept;
    [[nodiscard]] Interpreter& interpreter();
    /// What its threads reach outside themselves.
    [[nodiscard]] Environment& environment();
    /// Position in the inputs of the thread that a lane runs (a pixel's number in image mode, an invocation's in a
    /// dispatch); nullopt for helpers. Thread::index counts lanes.
    [[nodiscard]] std::optional<std::uint32_t> input(std::uint32_t lane) const;

   private:
    friend class Run;
    struct Impl;
    explicit Batch(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
  };

  [[nodiscard]] std::uint32_t batches() const;
  /// A number that is not below batches() gives a batch without threads.
  [[nodiscard]] Batch start(std::uint32_t batch);
  /// The same in the memory of a batch of this run that is finished, for callers that do not inspect the state of its
  /// threads; see Interpreter::restart.
  void restart(Batch& batch, std::uint32_t number);
  /// Collects the outputs of a batch that has finished running.
  void finish(Batch& batch);
  /// The finished batches have executed all that limits.all_steps allows: no more are to be started.
  [[nodiscard]] bool over_budget() const;
  /// Everything the finished batches did. The run is spent afterwards.
  [[nodiscard]] RunResult result();

 private:
  friend Result<RunResult> run_program(const Program& program, const ir::Program& lifted, const RunInputs& inputs,
                                       const RunOptions& options);
  struct Impl;
  explicit Run(std::unique_ptr<Impl> impl);
  /// True: the run is done.
  bool run_natively();
  Batch make_batch();
  std::unique_ptr<Impl> impl_;
};

enum class ColourFormat : std::uint8_t {
  f32,  ///< four binary32 words
  f16,  ///< four binary16 numbers in the first two words
};
/// 8-bit RGBA of all pixels: the bytes that were kept, or made of the colours. Pixels that `image` has no values
/// for are not covered; nothing if the image is too large to be made. Clamped to 0..1 and rounded to nearest, NaN is 0;
/// pixels not covered have the background. The result does not depend on the number of OS threads that work on it; the
/// same for to_png.
MOBULA_API std::vector<std::uint8_t> to_rgba8(const ImageResult& image, ColourFormat format, unsigned os_threads = 1);
/// Files of pictures. All but PNG are written without compression.
enum class PictureFormat : std::uint8_t {
  png,  ///< RGBA, 8 bits a component
  ppm,  ///< RGB, 8 bits a component (P6)
  pfm,  ///< RGB, binary32 as the program gave them, rows from the bottom (PF, little-endian)
  raw,  ///< RGBA, binary32 as the program gave them, little-endian, rows from the top; nothing else
};
/// By the ending of a file's name: PNG where it says nothing else.
MOBULA_API PictureFormat picture_format(std::string_view file);
/// Takes what comes next of a file.
using WritePiece = std::function<void(std::span<const std::uint8_t> piece)>;
/// The image as a file; TX003 if that is not a possible image, or one of bytes as pfm or raw: then nothing is written.
/// There, pixels that are not covered have the background. `write` is called by any of the OS threads, one at a time;
/// what it throws ends the work and is thrown here.
MOBULA_API Result<void> write_picture(const ImageResult& image, ColourFormat colours, PictureFormat format,
                                      unsigned os_threads, const WritePiece& write);
/// The same as the bytes of the file.
MOBULA_API Result<std::vector<std::uint8_t>> to_picture(const ImageResult& image, ColourFormat colours,
                                                        PictureFormat format, unsigned os_threads = 1);
/// The image as a PNG file.
MOBULA_API Result<std::vector<std::uint8_t>> to_png(const ImageResult& image, ColourFormat format,
                                                    unsigned os_threads = 1);

/// The result as a JSON object: counts, outputs as values and bit patterns, buffers, memory, executions by address.
/// Names come from program.interface. Diagnostics are left to the caller. Schema: docs/schemas/run.json.
MOBULA_API std::string to_json(const RunResult& result, const Program& program, const ir::Program& lifted);

// ---- references

/// Where a run and a reference differ.
struct Difference {
  std::size_t case_index = 0;
  std::string output;            ///< "r0", "discard", "varying 1 (x)", "buffer 0 (r)"
  std::uint32_t component = 0;   ///< of the output; word of a buffer
  double expected = 0, got = 0;  ///< discard: 0 or 1
  bool missing = false;          ///< the run made no such output; `got` means nothing
  double error = 0;              ///< |expected - got|
};
struct ReferenceReport {
  std::size_t cases = 0, passed = 0;
  std::uint64_t values = 0;  ///< values compared
  double relative = 0, absolute = 0;
  std::vector<Difference> differences;  ///< the first thousand
  Diagnostics diagnostics;              ///< faults of the runs, each preceded by its case
};

/// Runs every case of a reference file (format: docs/run-files.md) and compares |x - y| <= absolute + relative *
/// max(|x|, |y|); NaN equals NaN. The images of the cases are those of the storage group that lists program.file's name
/// without its extension.
MOBULA_API Result<ReferenceReport> check_reference(const Program& program, const ir::Program& lifted,
                                                   const SourceText& reference, const RunOptions& options = {});
/// The report as a JSON object; schema: docs/schemas/run.json.
MOBULA_API std::string to_json(const ReferenceReport& report);

}  // namespace mobula
