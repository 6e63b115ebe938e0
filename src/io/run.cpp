#include "mobula/lab/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "core/counted.h"
#include "execute/host_code.h"
#include "io/given_by_gl.h"
#include "io/image_rows.h"
#include "io/lane_kernels.h"
#include "io/lines.h"
#include "io/native_picture.h"
#include "io/png.h"
#include "io/run_environment.h"
#include "io/system_values.h"
#include "io/texture.h"
#include "io/values.h"
#include "laboratory/laboratory.h"

namespace mobula {
namespace {

using io::RunEnvironment;
using io::RunWorld;

/// Pixels from which host code saves more time than it takes to compile it, or to find what an earlier run has kept;
/// see docs/decisions/0072-host-code.md.
constexpr std::uint64_t native_break_even = 1024 * 1024, kept_break_even = 128 * 128;

std::vector<std::uint8_t> bytes_of(const RunWords& words) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(words.size() * 4);
  for (const std::uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  }
  return bytes;
}
RunWords words_of(std::span<const std::uint8_t> bytes) {
  RunWords words;
  words.reserve(bytes.size() / 4);
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    words.push_back(static_cast<std::uint32_t>(io::read_little_endian(bytes.subspan(at, 4))));
  }
  return words;
}

/// Differences between neighbours are only defined in whole quads.
bool needs_quads(const ir::Program& program) {
  const auto differs = [](const ir::Operation& operation) {
    return operation.op == ir::Op::ddx || operation.op == ir::Op::ddy;
  };
  const auto implicit = [](const ir::Texture& texture) { return texture.implicit_lod; };
  return std::any_of(program.operations.begin(), program.operations.end(), differs) ||
         std::any_of(program.textures.begin(), program.textures.end(), implicit);
}

std::optional<std::uint32_t> input_named(const Interface& interface, std::string_view name) {
  for (const Variable& input : interface.inputs) {
    if (input.name == name && input.driver_location >= 0) return static_cast<std::uint32_t>(input.driver_location);
  }
  return std::nullopt;
}

// ---- the threads of a batch

/// Cuts the threads of a run into batches.
class Plan final : public ThreadMaker {
 public:
  enum class Kind : std::uint8_t { threads, helped, quads, image, compute };

  Plan() = default;
  Plan(Kind kind, const RunInputs& inputs, std::array<std::uint32_t, 3> local_size, std::uint32_t batch_lanes,
       ImageSize image)
      : inputs_(&inputs),
        kind_(kind),
        local_size_(local_size),
        groups_(inputs.groups),
        image_(image),
        threads_(inputs.threads),
        batch_lanes_(batch_lanes) {}

  [[nodiscard]] bool is_dispatch() const { return kind_ == Kind::compute; }
  /// Lanes of the whole run, helpers included.
  [[nodiscard]] std::uint64_t lanes() const {
    switch (kind_) {
      case Kind::threads:
        return threads_;
      case Kind::helped:
        return std::uint64_t{threads_} * 4;
      case Kind::quads:
        return (std::uint64_t{threads_} + 3) / 4 * 4;
      case Kind::image:
        return std::uint64_t{io::lanes_of_row(image_)} * ((image_.height + 1) / 2);
      case Kind::compute:
        return product(group_lanes(), product(product(groups_[0], groups_[1]), groups_[2]));
    }
    return 0;
  }
  [[nodiscard]] std::uint64_t lanes_in_batch() const { return kind_ == Kind::compute ? group_lanes() : batch_lanes_; }
  [[nodiscard]] std::uint64_t batches() const {
    return lanes() == 0 ? 0 : (lanes() + lanes_in_batch() - 1) / lanes_in_batch();
  }

  /// A batch without threads where there is none of that number.
  void fill(std::uint32_t number, BatchLanes& lanes) const {
    lanes.begin(*this, number * lanes_in_batch(), lanes_of(number));
  }
  /// Of a picture.
  [[nodiscard]] std::vector<io::QuadRow> rows_of(std::uint32_t number) const {
    return rows_of(number * lanes_in_batch(), lanes_of(number));
  }

  void make(std::uint64_t first, std::span<Thread> threads, std::span<std::uint32_t> inputs) const override {
    if (kind_ == Kind::image) {
      for (const io::QuadRow& row : rows_of(first, threads.size()))
        io::make_fragments(row, image_, static_cast<std::uint32_t>(first), threads, inputs);
      return;
    }
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (kind_ == Kind::compute) {
        threads[i] = invocation(first + i);
        inputs[i] = static_cast<std::uint32_t>(first + i);
      } else {
        std::tie(threads[i], inputs[i]) = thread(first + i);
      }
      threads[i].index = static_cast<std::uint32_t>(first + i);
    }
  }

  void mark_helpers(std::uint64_t first, std::uint32_t count, std::vector<std::uint32_t>& words) const override {
    if (kind_ == Kind::image) {
      if (image_.width % 2 == 0 && image_.height % 2 == 0) return;
      for (const io::QuadRow& row : rows_of(first, count)) io::mark_beyond_edges(row, image_, count, words);
    } else if (kind_ == Kind::helped || kind_ == Kind::quads) {
      for (std::uint32_t lane = 0; lane < count; ++lane) {
        if (!thread(first + lane).first.helper) continue;
        words.resize(count);
        words[lane] = ~0u;
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t lanes_of(std::uint32_t number) const {
    const std::uint64_t left = number < batches() ? lanes() - number * lanes_in_batch() : 0;
    return static_cast<std::uint32_t>(std::min(lanes_in_batch(), left));
  }
  /// The largest number for all that are larger.
  static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return b != 0 && a > most / b ? most : a * b;
  }
  [[nodiscard]] std::uint64_t group_lanes() const {
    return product(product(local_size_[0], local_size_[1]), local_size_[2]);
  }
  [[nodiscard]] std::vector<io::QuadRow> rows_of(std::uint64_t first, std::size_t count) const {
    std::vector<io::QuadRow> rows;
    io::find_rows(image_, first, static_cast<std::uint32_t>(count), rows);
    return rows;
  }

  [[nodiscard]] std::pair<Thread, std::uint32_t> thread(std::uint64_t lane) const {
    const std::uint64_t wanted = kind_ == Kind::helped ? lane / 4 : lane;
    const auto input = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, threads_ - 1));
    Thread thread{.vertex = input, .x = 0.5f, .y = 0.5f};
    const std::vector<Thread>& identities = inputs_->identities;
    if (!identities.empty()) thread = identities[std::min<std::size_t>(input, identities.size() - 1)];
    thread.helper = wanted != input;
    if (kind_ == Kind::helped) place_in_quad(thread, static_cast<std::uint32_t>(lane % 4));
    return {thread, input};
  }
  /// The thread is where its pixel is in the quad; the other three lanes are its neighbours.
  static void place_in_quad(Thread& thread, std::uint32_t lane) {
    const auto odd = [](float centre) {
      return std::isfinite(centre) && std::fmod(std::floor(centre), 2.0f) != 0 ? 1 : 0;
    };
    const int x = static_cast<int>(lane & 1) - odd(thread.x), y = static_cast<int>(lane >> 1) - odd(thread.y);
    thread.x += static_cast<float>(x);
    thread.y += static_cast<float>(y);
    thread.helper = x != 0 || y != 0;
  }

  [[nodiscard]] Thread invocation(std::uint64_t lane) const {
    const auto split = [](std::uint64_t number, const std::array<std::uint32_t, 3>& size) {
      return std::array<std::uint32_t, 3>{static_cast<std::uint32_t>(number % size[0]),
                                          static_cast<std::uint32_t>(number / size[0] % size[1]),
                                          static_cast<std::uint32_t>(number / size[0] / size[1])};
    };
    Thread thread;
    thread.local_id = split(lane % group_lanes(), local_size_);
    thread.group_id = split(lane / group_lanes(), groups_);
    for (std::size_t i = 0; i < 3; ++i) thread.global_id[i] = thread.group_id[i] * local_size_[i] + thread.local_id[i];
    return thread;
  }

  const RunInputs* inputs_ = nullptr;
  Kind kind_ = Kind::threads;
  std::array<std::uint32_t, 3> local_size_{1, 1, 1}, groups_{1, 1, 1};
  ImageSize image_;
  std::uint32_t threads_ = 1, batch_lanes_ = 4;
};

/// What a thread did, and how many do the same.
struct ThreadRemark {
  Severity severity{};
  std::string_view code;
  std::uint64_t address = 0;
  std::string text;
  std::uint32_t thread = 0;  ///< the first
  std::uint64_t threads = 1;
};

}  // namespace

struct Run::Impl {
  const Program& program;
  const ir::Program& lifted;
  RunOptions options;
  RunWorld world;
  Plan plan;
  InitialState initial;
  const Feeding* feeding = nullptr;  // of the machine; null = it has none
  std::mutex results_lock;
  RunResult results;
  std::atomic<std::uint64_t> executed = 0;                     // blocks, by all lanes of the batches that are finished
  std::uint32_t finished = 0;                                  // batches
  std::vector<std::uint8_t> drawn;                             // by batch: 1 if it has written its pixels
  std::map<std::uint32_t, std::vector<ThreadRemark>> remarks;  // in the order of the batches, whichever ends first
  std::map<std::uint32_t, RunEnvironment::Overrun> overruns;
  /// What the threads of a batch put out.
  struct Outputs {
    std::vector<ColourOutput> colours;
    std::vector<VaryingOutput> varyings;
  };
  std::shared_ptr<std::vector<Outputs>> outputs = std::make_shared<std::vector<Outputs>>();  // RunResult::outputs
  std::uint64_t kept_bytes = 0;
  bool outputs_dropped = false;
  std::uint64_t silent_faults = 0;
  std::atomic<bool> stopped = false;  // by RunOptions::stop

  Impl(const Program& p, const ir::Program& l, RunOptions o) : program(p), lifted(l), options(std::move(o)) {
    if (const Laboratory* laboratory = find_laboratory(p.machine)) feeding = laboratory->feeding;
  }

  Result<void> prepare(RunInputs inputs);
  [[nodiscard]] std::size_t pixels() const {
    return world.image ? std::size_t{world.image->width} * world.image->height : 0;
  }
  Result<void> check_arguments() const;
  Result<void> make_plan();
  Result<void> check_triangles();
  Result<void> check_lists(std::uint64_t fragments);
  Result<void> lay_out_memory();
  void set_initial_state(Interpreter& interpreter) const;
  void fill_uniform_buffers();
  void extend_uniform_buffer(std::uint32_t number, std::span<const std::uint8_t> bytes);
  Result<void> initialise_registers();
  Result<void> set_slot(const std::string& name, std::uint64_t value, std::string_view why);
  void start(Batch::Impl& batch, std::uint32_t number, bool again);
  void collect_pixels(Batch::Impl& batch);
  static void find_kept(Batch::Impl& batch);
  void warn_of_unused_corners();
  void blank_unfinished();
  void begin_rows(io::ImageRows& rows, const io::QuadRow& row);
  void collect_row(Batch::Impl& batch, const io::QuadRow& row, const std::uint32_t* kept);
  void collect_threads(const Batch::Impl& batch);
  void report_dropped_outputs();
  [[nodiscard]] ImageResult draw_lines(const std::vector<ThreadResult>& vertices) const;
  [[nodiscard]] std::unique_ptr<io::NativePicture> make_native();
  bool run_natively(const io::NativePicture& native);
  void report(std::uint32_t batch, const RunEnvironment& environment, const Interpreter& interpreter);
  void add(std::vector<ThreadRemark>& all, ThreadRemark remark, std::size_t most);
  void tell_remarks(Diagnostics& out);
  void fill_open_components();
  void warn(Severity severity, std::string code, std::string message, std::string hint = {}) {
    results.diagnostics.push_back(
        {severity, std::move(code), {.file = program.file}, std::move(message), std::move(hint)});
  }
  [[nodiscard]] Unexpected refuse(std::string code, std::string message, std::string hint = {}) const {
    return fail(
        Diagnostic{Severity::error, std::move(code), {.file = program.file}, std::move(message), std::move(hint)});
  }
};

struct Run::Batch::Impl {
  std::uint32_t number = 0;
  RunEnvironment environment;
  Interpreter interpreter;
  AlignedWords kept;   ///< scratch of collect_pixels: by lane, all ones where a pixel is covered
  io::ImageRows rows;  ///< of collect_pixels

  Impl(RunWorld& world, const ir::Program& lifted, const InterpreterOptions& options)
      : environment(world), interpreter(lifted, environment, options) {}
};

// ---- making ready

Result<void> Run::Impl::prepare(RunInputs inputs) {
  world.inputs = std::move(inputs);
  world.interface = &program.interface;
  world.stage = program.interface.stage;
  if (options.image && world.stage == Stage::vertex && !world.inputs.viewport)
    world.inputs.viewport = io::viewport_of(*options.image);
  results.diagnostics = std::move(world.inputs.warnings);
  if (auto done = check_arguments(); !done) return done;
  options.interpreter.step_limit = world.inputs.limits.steps;
  options.batch_lanes = (std::clamp(options.batch_lanes, 4u, 4096u) + 3) / 4 * 4;
  world.lifted = &lifted;
  io::give_uniforms_of_gl(world.inputs, program.interface);
  if (world.stage == Stage::fragment) {
    world.frag_coord = input_named(program.interface, "gl_FragCoord");
    world.front_facing = input_named(program.interface, "gl_FrontFacing");
    io::give_sample(world.inputs, program.interface);
  }
  if (!options.image) warn_of_unused_corners();
  if (auto done = make_plan(); !done) return done;
  if (auto done = lay_out_memory(); !done) return done;
  fill_uniform_buffers();
  return initialise_registers();
}

void Run::Impl::warn_of_unused_corners() {
  const auto& given = world.stage == Stage::vertex ? world.inputs.attributes : world.inputs.varyings;
  const auto is_unused = [&](const auto& corner) { return !given.contains(corner.first); };
  const auto first = std::ranges::find_if(world.inputs.corners, is_unused);
  if (first == world.inputs.corners.end()) return;
  const std::string name = io::vector_name(program.interface.inputs, first->first);
  results.diagnostics.push_back(
      {Severity::warning,
       "RN020",
       {.file = program.file},
       fmt::format("corners say how varyings go over a picture, and this run makes none; the first is {}",
                   name.empty() ? fmt::format("varying {}", first->first) : name),
       "ask for a picture (--image), or give the values of one thread under varyings"});
}

/// What readers of documents and lifters never give, but callers can.
Result<void> Run::Impl::check_arguments() const {
  if (const auto wrong = ir::verify(lifted); !wrong.empty())
    return refuse("RN016", "the micro-operations are not well formed: " + wrong.front());
  const RunInputs& inputs = world.inputs;
  const auto missing = [&](const char* what, std::uint32_t number) {
    return refuse("RN015", fmt::format("the inputs give {} {} without a value", what, number));
  };
  for (const auto& [number, values] : inputs.attributes)
    if (values.empty()) return missing("attribute", number);
  for (const auto& [number, values] : inputs.varyings)
    if (values.empty()) return missing("varying", number);
  for (const auto& [number, values] : inputs.tile)
    if (values.empty()) return missing("part of the tile buffer", number);
  for (const auto& [number, texture] : inputs.textures)
    if (texture == nullptr) return missing("texture", number);
  for (const auto& [number, sampler] : inputs.samplers)
    if (sampler == nullptr) return missing("sampler", number);
  for (const auto& [number, image] : inputs.images)
    if (image == nullptr) return missing("image", number);
  const auto expect_room = [&](std::uint64_t words) -> Result<void> {
    if (words * 4 <= inputs.limits.memory_bytes) return {};
    return refuse("RN004", fmt::format("the uniforms need {} bytes of memory; limits.memory_bytes allows {}", words * 4,
                                       inputs.limits.memory_bytes));
  };
  for (const UniformWords& uniform : inputs.uniforms)
    if (auto done = expect_room(std::uint64_t{uniform.first} + uniform.values.size()); !done) return done;
  for (const UniformConstant& constant : program.interface.constants)
    if (auto done = expect_room(std::uint64_t{constant.word} + 1); !done) return done;
  return expect_room(4 * (std::uint64_t{program.interface.viewport_vec4.value_or(0)} + 2));
}

bool is_dispatch(Stage stage, const RunInputs& inputs) {
  const bool says_groups = inputs.local_size || inputs.groups != std::array<std::uint32_t, 3>{1, 1, 1};
  return stage == Stage::compute || (stage == Stage::unknown && says_groups);
}

Result<void> Run::Impl::make_plan() {
  const RunInputs& inputs = world.inputs;
  const bool compute = mobula::is_dispatch(world.stage, inputs);
  auto kind = Plan::Kind::threads;
  if (compute) {
    kind = Plan::Kind::compute;
  } else if (options.image && world.stage != Stage::vertex) {
    kind = Plan::Kind::image;
  } else if (inputs.quads) {
    kind = Plan::Kind::quads;
  } else if (world.stage != Stage::vertex && needs_quads(lifted)) {
    kind = Plan::Kind::helped;
  }
  if (options.image && compute) {
    return refuse("RN001", "a compute program makes no image", "run it without the size of an image");
  }
  const ImageSize image = options.image.value_or(ImageSize{});
  if (options.image &&
      (image.width == 0 || image.height == 0 || image.width > io::image_side_limit ||
       image.height > io::image_side_limit || std::uint64_t{image.width} * image.height > io::texel_limit)) {
    return refuse("RN002", fmt::format("an image of {} x {} pixels is not possible; each side is from 1 to {}, and "
                                       "both together at most {} pixels",
                                       image.width, image.height, io::image_side_limit, io::texel_limit));
  }
  if (options.image && world.stage == Stage::vertex) {
    if (auto done = check_triangles(); !done) return done;
  } else {
    world.image = options.image;
  }
  plan = Plan(kind, inputs, inputs.local_size.value_or(program.interface.local_size), options.batch_lanes, image);
  constexpr std::uint64_t group_limit = 4096;
  if (compute && plan.lanes_in_batch() > group_limit) {
    return refuse("RN003", fmt::format("a workgroup of {} threads is too large; at most {} are run",
                                       plan.lanes_in_batch(), group_limit));
  }
  if (plan.lanes() > inputs.limits.threads) {
    return refuse("RN003", fmt::format("{} more than limits.threads allows: {}",
                                       counted(plan.lanes(), "thread is", "threads are"), inputs.limits.threads));
  }
  const std::uint64_t fragments = world.image ? std::uint64_t{image.width} * image.height : inputs.threads;
  if (world.stage == Stage::fragment)
    if (auto done = check_lists(fragments); !done) return done;
  if (world.image) {
    results.image = io::unset_image(image, options.kept_colours);
    drawn.resize(plan.batches());
    world.across = io::places_across(image, options.batch_lanes);
  } else if (!compute && (options.outputs || options.image)) {  // whose lines are drawn from the outputs
    results.threads.resize(inputs.threads);
    results.outputs = outputs;
  }
  results.executions.resize(lifted.blocks.size());
  return {};
}

/// Values of a varying are one for all fragments, or one for each.
Result<void> Run::Impl::check_lists(std::uint64_t fragments) {
  for (const auto& [number, values] : world.inputs.varyings) {
    const bool is_by_corners = world.image && world.inputs.corners.contains(number);
    if (is_by_corners || values.size() <= 1 || values.size() == fragments) continue;
    const std::string name = io::vector_name(program.interface.inputs, number);
    return refuse("IN009",
                  fmt::format("varying {}{} has {}, and there are {}", number, name.empty() ? "" : " (" + name + ')',
                              counted(values.size(), "value"), counted(fragments, "fragment")),
                  "one value is for all of them; else give one for each");
  }
  return {};
}

Result<void> Run::Impl::check_triangles() {
  if (!io::position_of(program.interface))
    return refuse("RN001", "nothing says which varying is the position, so there are no lines to draw",
                  "name an output gl_Position in the side file");
  for (const auto& triangle : world.inputs.triangles)
    for (const std::uint32_t vertex : triangle)
      if (vertex >= world.inputs.threads)
        return refuse("RN009", fmt::format("a triangle has the vertex {}, but there are only {}, numbered from 0",
                                           vertex, world.inputs.threads));
  return {};
}

namespace {

/// How many batches run at the same time.
unsigned workers(unsigned wanted, std::uint64_t batches) {
  constexpr unsigned most = 256;
  return static_cast<unsigned>(
      std::max<std::uint64_t>(std::min<std::uint64_t>(std::clamp(wanted, 1u, most), batches), 1));
}

}  // namespace

Result<void> Run::Impl::lay_out_memory() {
  // Without a side file it is not known how much scratch memory a program uses; this suits most.
  constexpr std::uint32_t scratch_default = 4096, shared_default = 32768;
  world.thread_local_bytes = program.interface.thread_local_bytes.value_or(scratch_default);
  if (feeding != nullptr && feeding->thread_local_bytes != nullptr)
    world.thread_local_bytes = feeding->thread_local_bytes(lifted).value_or(world.thread_local_bytes);
  world.workgroup_local_bytes = program.interface.workgroup_local_bytes.value_or(shared_default);
  std::uint64_t total = (2 * plan.lanes_in_batch() * world.thread_local_bytes + world.workgroup_local_bytes) *
                        workers(options.os_threads, plan.batches());
  total += results.threads.size() * sizeof(ThreadResult);
  const bool keeps_bytes = world.image && options.kept_colours == PictureColours::bytes;
  if (options.image)
    total += std::uint64_t{options.image->width} * options.image->height * (keeps_bytes ? 4 : sizeof(RunVec4));
  for (const auto& [number, words] : world.inputs.buffers) total += words.size() * 4;
  for (const MemoryRegion& region : world.inputs.memory) total += region.bytes.size();
  if (total > world.inputs.limits.memory_bytes) {
    return refuse("RN004", fmt::format("the run needs {} bytes of memory; limits.memory_bytes allows {}", total,
                                       world.inputs.limits.memory_bytes));
  }
  for (const auto& [number, words] : world.inputs.buffers) {
    const auto bytes = std::span(world.buffers[number] = bytes_of(words));
    if (bytes.size() > io::buffer_stride || number > 1023 ||
        !world.memory.add(io::buffer_base + number * io::buffer_stride, bytes)) {
      return refuse("RN006",
                    fmt::format("buffer {} does not fit: numbers are from 0 to 1023, sizes up to 4 GiB", number));
    }
  }
  for (MemoryRegion& region : world.inputs.memory) {
    if (!world.memory.add(region.address, region.bytes)) {
      return refuse(
          "RN006",
          fmt::format(
              "memory at 0x{:x} of {} bytes overlaps another region or buffer, or goes beyond the end of addresses",
              region.address, region.bytes.size()));
    }
  }
  return {};
}

void Run::Impl::fill_uniform_buffers() {
  for (const auto& [number, words] : world.inputs.uniform_buffers) world.uniform_buffers[number] = bytes_of(words);
  std::map<std::uint32_t, std::uint64_t> sizes;
  for (const auto& [number, bytes] : world.buffers) sizes[number] = bytes.size();
  Diagnostics warnings;
  const auto computed = bytes_of(io::system_value_words(program.interface, world.inputs, sizes, warnings));
  for (Diagnostic& warning : warnings) {
    warning.where.file = program.file;
    results.diagnostics.push_back(std::move(warning));
  }
  extend_uniform_buffer(program.interface.ubo_count.value_or(0), computed);
  extend_uniform_buffer(0, bytes_of(io::uniform_memory(program.interface, world.inputs)));
  for (const UniformWords& uniform : world.inputs.uniforms) {
    auto& buffer = world.uniform_buffers[0];
    const std::vector<std::uint8_t> bytes = bytes_of(uniform.values);
    const std::size_t first = std::size_t{4} * uniform.first;
    buffer.resize(std::max(buffer.size(), first + bytes.size()));
    std::copy(bytes.begin(), bytes.end(), buffer.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

/// What the inputs give for the beginning of the buffer wins.
void Run::Impl::extend_uniform_buffer(std::uint32_t number, std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  auto& buffer = world.uniform_buffers[number];
  if (buffer.size() < bytes.size())
    buffer.insert(buffer.end(), bytes.begin() + static_cast<std::ptrdiff_t>(buffer.size()), bytes.end());
}

Result<void> Run::Impl::set_slot(const std::string& name, std::uint64_t value, std::string_view why) {
  const ir::Slot* const slot = lifted.find_slot(name);
  if (slot == nullptr) {
    return refuse("RN007", fmt::format("{} need the register {}, which {} does not have", why, name, program.machine));
  }
  initial.constants.push_back({*slot, value});
  return {};
}

Result<void> Run::Impl::initialise_registers() {
  world.uniform_buffers.try_emplace(0);
  if (feeding != nullptr) {
    initial = feeding->initial_state({.lifted = lifted,
                                      .interface = program.interface,
                                      .inputs = world.inputs,
                                      .uniform_buffers = world.uniform_buffers,
                                      .image = world.image,
                                      .dispatch = plan.is_dispatch(),
                                      .stack_address = io::stack_address,
                                      .thread_local_address = io::thread_local_address,
                                      .workgroup_local_address = io::workgroup_local_address});
    world.thread_local_image = std::move(initial.thread_local_image);
    for (Diagnostic& found : initial.diagnostics) {
      found.where.file = program.file;
      results.diagnostics.push_back(std::move(found));
    }
  }
  constexpr std::string_view components = "xyzw";
  const auto register_name = [&](std::uint32_t number, std::size_t component) {
    return fmt::format("r{}.{}", number, components[component]);
  };
  for (std::size_t i = 0; i < program.interface.push.size(); ++i) {
    const PushWord& from = program.interface.push[i];
    constexpr std::size_t first_register = 23;
    if (i / 4 > first_register)
      return refuse("RN007", "the side file pushes more words than there are uniform registers: 96");
    const auto number = static_cast<std::uint32_t>(first_register - i / 4);
    if (world.inputs.uniform_registers.contains(number)) continue;
    const auto buffer = world.uniform_buffers.find(from.ubo);
    std::uint64_t word = 0;
    if (buffer != world.uniform_buffers.end() && std::uint64_t{from.byte_offset} + 4 <= buffer->second.size()) {
      word = io::read_little_endian(std::span(buffer->second).subspan(from.byte_offset, 4));
    }
    if (auto done = set_slot(register_name(number, i % 4), word, "the side file's pushed uniforms"); !done) return done;
  }
  for (const auto& [number, vector] : world.inputs.uniform_registers) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (auto done = set_slot(register_name(number, i), vector[i], "the inputs"); !done) return done;
    }
  }
  for (const auto& [name, value] : world.inputs.slots) {
    if (auto done = set_slot(name, value, "the inputs"); !done) return done;
  }
  return {};
}

// ---- running

Result<Run> Run::prepare(const Program& program, const ir::Program& lifted, RunInputs inputs, RunOptions options) {
  auto impl = std::make_unique<Impl>(program, lifted, std::move(options));
  if (auto done = impl->prepare(std::move(inputs)); !done) return fail(std::move(done).error());
  return Run(std::move(impl));
}
Run::Run(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

Run::Batch::Batch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::Batch::~Batch() = default;
Run::Batch::Batch(Batch&&) noexcept = default;
Run::Batch& Run::Batch::operator=(Batch&&) noexcept = default;
Interpreter& Run::Batch::interpreter() { return impl_->interpreter; }
Environment& Run::Batch::environment() { return impl_->environment; }
std::optional<std::uint32_t> Run::Batch::input(std::uint32_t lane) const {
  const BatchLanes& lanes = impl_->environment.lanes();
  if (lane >= lanes.count() || lanes.threads()[lane].helper) return std::nullopt;
  return lanes.inputs()[lane];
}

std::uint32_t Run::batches() const { return static_cast<std::uint32_t>(impl_->plan.batches()); }

Run::Batch Run::start(std::uint32_t batch) {
  Batch made = make_batch();
  impl_->start(*made.impl_, batch, false);
  return made;
}

/// One that has not been started.
Run::Batch Run::make_batch() {
  auto state = std::make_unique<Batch::Impl>(impl_->world, impl_->lifted, impl_->options.interpreter);
  impl_->set_initial_state(state->interpreter);
  return Batch(std::move(state));
}

void Run::restart(Batch& batch, std::uint32_t number) { impl_->start(*batch.impl_, number, true); }

void Run::Impl::set_initial_state(Interpreter& interpreter) const {
  for (const auto& [slot, value] : initial.constants) {
    std::array<std::uint8_t, 16> bytes{};
    io::write_little_endian(std::span(bytes).first(8), value);
    interpreter.set_initial(slot.byte, std::span(bytes).first(std::min<std::size_t>(slot.bytes, bytes.size())));
  }
}

void Run::Impl::start(Batch::Impl& batch, std::uint32_t number, bool again) {
  batch.number = number;
  BatchLanes& lanes = batch.environment.lanes();
  plan.fill(number, lanes);
  batch.environment.begin();
  Interpreter& interpreter = batch.interpreter;
  if (again)
    interpreter.restart(lanes);
  else
    interpreter.start(lanes.threads());
  if (initial.fill) initial.fill(interpreter, lanes);
  for (const auto& [byte, id, component] : initial.ids)
    for (std::uint32_t lane = 0; lane < lanes.count(); ++lane)
      interpreter.write_u32(lane, byte, (lanes.threads()[lane].*id)[component]);
}

/// Each pixel is of one batch, which writes it, covered or not: nobody else does. The last colour of a lane counts.
void Run::Impl::collect_pixels(Batch::Impl& batch) {
  const RunEnvironment& environment = batch.environment;
  const bool has_colours = environment.most_colours() != 0;
  const bool covers_all = environment.have_all_coloured() && batch.interpreter.common_state() == LaneState::ended;
  if (has_colours && !covers_all) find_kept(batch);
  for (const io::QuadRow& row : environment.rows()) {
    begin_rows(batch.rows, row);
    if (has_colours)
      collect_row(batch, row, covers_all ? nullptr : batch.kept.data());
    else
      batch.rows.blank();
  }
  if (batch.number < drawn.size()) drawn[batch.number] = 1;
}

void Run::Impl::blank_unfinished() {
  io::ImageRows rows;
  for (std::uint32_t number = 0; number < drawn.size(); ++number) {
    if (drawn[number] != 0) continue;
    for (const io::QuadRow& row : plan.rows_of(number)) {
      begin_rows(rows, row);
      rows.blank();
    }
  }
}

/// The pixels of quads, as far as the picture goes.
void Run::Impl::begin_rows(io::ImageRows& rows, const io::QuadRow& row) {
  rows.begin(*results.image, row.x, row.y, std::min(2 * row.quads, world.image->width - row.x));
}

/// Finds the lanes whose pixels are covered.
void Run::Impl::find_kept(Batch::Impl& batch) {
  const std::span<const LaneState> states = batch.interpreter.states();
  const std::uint32_t* const counts =
      batch.environment.have_all_coloured() ? nullptr : batch.environment.counts_of_some();
  batch.kept.assign(states.size(), ~0u);
  std::uint32_t* const kept = batch.kept.data();
  if (counts != nullptr)
    for (std::size_t lane = 0; lane < states.size(); ++lane) kept[lane] = counts[lane] != 0 ? ~0u : 0;
  for (std::size_t lane = 0; lane < states.size(); ++lane)
    kept[lane] = states[lane] == LaneState::discarded ? 0 : kept[lane];
}

/// `kept`: see find_kept(); nullptr: all of them.
void Run::Impl::collect_row(Batch::Impl& batch, const io::QuadRow& row, const std::uint32_t* kept) {
  const auto [width, height] = *world.image;
  std::array<const std::uint32_t*, 4> planes = batch.environment.last_colours();
  for (const std::uint32_t*& plane : planes) plane += row.lane;
  if (kept != nullptr) kept += row.lane;
  io::ImageRows& rows = batch.rows;
  // Quads that lie partly beyond the edges are the last of a row, or all of the last row.
  const std::uint32_t whole_quads = rows.count() < 2 ? 0 : std::min(row.quads, (width - row.x) / 2);
  if (whole_quads != 0) {
    io::store_quads(planes, kept, whole_quads, rows.colours(0)->data(), rows.colours(1)->data());
    if (kept == nullptr) {
      for (std::size_t line = 0; line < 2; ++line) std::fill_n(rows.covered(line), 2 * whole_quads, std::uint8_t{1});
    } else {
      io::store_quad_bytes(kept, whole_quads, rows.covered(0), rows.covered(1));
    }
  }
  for (std::uint32_t lane = row.lane + 4 * whole_quads; lane < row.end_lane(); ++lane) {
    const std::uint32_t x = row.x_of(lane), y = row.y_of(lane), at = lane - row.lane;
    if (x >= width || y >= height) continue;
    const std::uint32_t mask = kept == nullptr ? ~0u : kept[at];
    rows.colours(y - row.y)[x - row.x] = {planes[0][at] & mask, planes[1][at] & mask, planes[2][at] & mask,
                                          planes[3][at] & mask};
    rows.covered(y - row.y)[x - row.x] = mask & 1;
  }
  rows.end();
}

/// What became of each thread of a batch, helpers aside, and what it put out: the outputs of a batch are in one list of
/// each kind.
void Run::Impl::collect_threads(const Batch::Impl& batch) {
  const RunEnvironment& environment = batch.environment;
  const BatchLanes& lanes = environment.lanes();
  const std::span<const std::uint32_t> helpers = lanes.helpers();
  auto& [colours, varyings] = outputs->emplace_back();
  colours.reserve(environment.count_of_colours());  // spans into them must stay
  varyings.reserve(environment.count_of_varyings());
  for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
    if (!helpers.empty() && helpers[lane] != 0) continue;
    ThreadResult& thread = results.threads[lanes.inputs()[lane]];
    thread.thread = lanes.threads()[lane];
    thread.thread.index = lanes.inputs()[lane];
    thread.state = batch.interpreter.state(lane);
    if (thread.state == LaneState::discarded) continue;
    const std::size_t first_colour = colours.size(), first_varying = varyings.size();
    environment.add_outputs(lane, colours, varyings);
    thread.colours = std::span(colours).subspan(first_colour);
    thread.varyings = std::span(varyings).subspan(first_varying);
    const std::uint64_t bytes = thread.colours.size_bytes() + thread.varyings.size_bytes();
    if (kept_bytes + bytes <= world.inputs.limits.memory_bytes) {
      kept_bytes += bytes;
      continue;
    }
    thread.colours = {};
    thread.varyings = {};
    colours.resize(first_colour);
    varyings.resize(first_varying);
    report_dropped_outputs();
  }
}

void Run::Impl::report_dropped_outputs() {
  if (!outputs_dropped)
    warn(Severity::error, "RN008", "the outputs need more memory than limits.memory_bytes allows; the rest is dropped");
  outputs_dropped = true;
}

void Run::Impl::report(std::uint32_t batch, const RunEnvironment& environment, const Interpreter& interpreter) {
  constexpr std::size_t most = 20;
  std::vector<ThreadRemark> found;
  const BatchLanes& lanes = environment.lanes();
  for (const LaneFault& fault : interpreter.faults())
    if (!lanes.threads()[fault.lane].helper)
      add(found, {Severity::error, "RN010", fault.address, fault.reason, lanes.inputs()[fault.lane]}, most);
  for (const UndefinedRead& read : interpreter.undefined_reads()) {
    if (lanes.threads()[read.lane].helper) continue;
    const auto slot = std::find_if(lifted.slots.begin(), lifted.slots.end(), [&](const ir::Slot& each) {
      return read.byte >= each.byte && read.byte < each.byte + each.bytes;
    });
    const std::string what = slot == lifted.slots.end() ? fmt::format("byte {} of its state", read.byte) : slot->name;
    add(found,
        {Severity::warning, "RN012", read.address, fmt::format("reads {} before anything has written it", what),
         lanes.inputs()[read.lane]},
        most);
  }
  if (!found.empty()) remarks[batch] = std::move(found);
}

/// What several threads do at one place is said once, and of many different things some.
void Run::Impl::add(std::vector<ThreadRemark>& all, ThreadRemark remark, std::size_t most) {
  const auto same = std::ranges::find_if(all, [&](const ThreadRemark& each) {
    return each.address == remark.address && each.severity == remark.severity && each.text == remark.text;
  });
  if (same != all.end())
    same->threads += remark.threads;
  else if (all.size() < most)
    all.push_back(std::move(remark));
  else if (remark.severity == Severity::error)
    silent_faults += remark.threads;
}

void Run::Impl::tell_remarks(Diagnostics& out) {
  constexpr std::size_t most = 100;
  std::vector<ThreadRemark> all;
  for (auto& [batch, found] : remarks)
    for (ThreadRemark& each : found) add(all, std::move(each), most);
  for (ThreadRemark& each : all) {
    const std::string others = each.threads == 1 ? "" : fmt::format(", and {} more", each.threads - 1);
    out.push_back({each.severity,
                   std::string(each.code),
                   {.file = program.file, .byte_offset = each.address},
                   fmt::format("thread {}{}: {}", each.thread, others, each.text),
                   {}});
  }
  if (silent_faults != 0)
    out.push_back({Severity::error,
                   "RN010",
                   {.file = program.file},
                   fmt::format("and {} more threads with faults", silent_faults),
                   ""});
}

void Run::finish(Batch& batch) {
  Batch::Impl& state = *batch.impl_;
  if (impl_->results.image) impl_->collect_pixels(state);
  const BatchLanes& lanes = state.environment.lanes();
  const std::span<const std::uint32_t> helpers = lanes.helpers();
  std::array<std::uint64_t, 6> in_state{};  // threads by LaneState
  if (const auto common = state.interpreter.common_state()) {
    in_state[static_cast<std::size_t>(*common)] = lanes.count();
    for (const std::uint32_t helper : helpers) in_state[static_cast<std::size_t>(*common)] -= helper & 1;
  } else {
    const std::span<const LaneState> states = state.interpreter.states();
    for (auto from = states.begin(); from != states.end();) {  // neighbours mostly end alike
      const auto to = std::find_if(from, states.end(), [&](LaneState other) { return other != *from; });
      in_state[static_cast<std::size_t>(*from)] += static_cast<std::uint64_t>(to - from);
      from = to;
    }
    for (std::size_t lane = 0; lane < helpers.size(); ++lane)
      in_state[static_cast<std::size_t>(states[lane])] -= helpers[lane] & 1;
  }
  const auto count = [&](LaneState which) { return in_state[static_cast<std::size_t>(which)]; };

  const std::lock_guard lock(impl_->results_lock);
  impl_->results.started += std::accumulate(in_state.begin(), in_state.end(), std::uint64_t{0});
  impl_->results.ended += count(LaneState::ended);
  impl_->results.discarded += count(LaneState::discarded);
  impl_->results.faulted += count(LaneState::faulted);
  if (!impl_->results.threads.empty()) impl_->collect_threads(state);
  const std::vector<std::uint64_t>& executions = state.interpreter.executions();
  impl_->executed += std::accumulate(executions.begin(), executions.end(), std::uint64_t{0});
  ++impl_->finished;
  if (impl_->options.progress) impl_->options.progress(impl_->finished, batches());
  for (std::size_t i = 0; i < executions.size() && i < impl_->results.executions.size(); ++i) {
    impl_->results.executions[i] += executions[i];
  }
  impl_->report(state.number, state.environment, state.interpreter);
  for (const auto& [buffer, overrun] : state.environment.overruns()) {
    auto& total = impl_->overruns[buffer];
    if (total.count == 0 || overrun.input < total.input) {
      total = {total.count, overrun.input, overrun.byte_offset, overrun.bytes};
    }
    total.count += overrun.count;
  }
}

ImageResult Run::Impl::draw_lines(const std::vector<ThreadResult>& vertices) const {
  return io::draw_lines(vertices, world.inputs.triangles, *io::position_of(program.interface), world.inputs.line_colour,
                        *options.image, feeding != nullptr ? feeding->positions : Positions::on_screen);
}

bool Run::over_budget() const { return impl_->executed >= impl_->world.inputs.limits.all_steps; }

/// What a colour of fewer than four components leaves open.
void Run::Impl::fill_open_components() {
  const Variable* const colour =
      world.stage == Stage::fragment ? io::find_colour_output(program.interface, 0) : nullptr;
  if (colour == nullptr) return;
  using Base = io::GlslType::Base;
  const io::GlslType type = io::parse_glsl_type(colour->type);
  const bool is_known = type.base != Base::other && type.base != Base::sampler;
  if (is_known && type.rows < 4)
    io::fill_open_components(*results.image, type.rows, type.base == Base::i32 || type.base == Base::u32);
}

RunResult Run::result() {
  if (impl_->results.image && !impl_->results.native.is_used) impl_->blank_unfinished();
  if (impl_->results.image) impl_->fill_open_components();
  RunResult results = std::move(impl_->results);
  const std::string& file = impl_->program.file;
  impl_->tell_remarks(results.diagnostics);
  if (impl_->finished < batches() && over_budget())
    results.diagnostics.push_back(
        {Severity::error,
         "RN017",
         {.file = file},
         fmt::format("{} been executed, and limits.all_steps allows {}; {} of {} threads did not run",
                     counted(impl_->executed.load(), "word has", "words have"), impl_->world.inputs.limits.all_steps,
                     impl_->plan.lanes() - std::min(impl_->plan.lanes(), results.started), impl_->plan.lanes()),
         "a thread may never end: run one with --trace; --step-limit ends each of them sooner"});
  for (const auto& [buffer, overrun] : impl_->overruns) {
    const auto at = impl_->world.uniform_buffers.find(buffer);
    const bool given = at != impl_->world.uniform_buffers.end() && !at->second.empty();
    std::string found = counted(overrun.count, "load");
    found += given ? fmt::format(" reached beyond the {} of uniform buffer {} and read zeros",
                                 counted(at->second.size(), "byte"), buffer)
                   : fmt::format(" of uniform buffer {}, which the inputs do not give, gave 0", buffer);
    results.diagnostics.push_back(
        {Severity::warning,
         "RN013",
         {.file = file},
         fmt::format("{}; the first is of {} at offset {} by thread {}", found, counted(overrun.bytes, "byte"),
                     overrun.byte_offset, overrun.input),
         given ? "give the rest of the buffer under ubos or uniforms" : "give the buffer under ubos or uniforms"});
  }
  for (const auto& [number, bytes] : impl_->world.buffers) results.buffers[number] = words_of(bytes);
  results.memory = std::move(impl_->world.inputs.memory);
  if (impl_->options.image && !results.image) results.image = impl_->draw_lines(results.threads);
  return results;
}

// ---- all of it

bool has_native() { return !native::compiler_identity().empty(); }

namespace {

/// Calls work(stop) on so many threads of the system; each ends when another one has set `stop`. What one of them
/// throws, as when memory runs out, is thrown here.
template <class Work>
void in_parallel(unsigned threads, Work work) {
  std::atomic<bool> stop = false;
  std::exception_ptr failed;
  std::mutex failed_lock;
  const auto guarded = [&] {
    try {
      work(stop);
    } catch (...) {
      const std::lock_guard lock(failed_lock);
      failed = std::current_exception();
      stop = true;
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(guarded);
    guarded();
  }
  if (failed) std::rethrow_exception(failed);
}

/// Runs a batch to its end. False where the caller of the run wants it to stop.
bool run_to_end(Interpreter& interpreter, const std::function<bool()>& stop) {
  if (!stop) {
    interpreter.run();
    return true;
  }
  constexpr std::uint64_t steps = 4096;  // some milliseconds with 256 lanes
  const auto executed = [&] {
    return std::accumulate(interpreter.executions().begin(), interpreter.executions().end(), std::uint64_t{0});
  };
  for (std::uint64_t before = 0;;) {
    if (stop()) return false;
    interpreter.run(steps);
    const std::uint64_t now = executed();
    if (now == before) return true;
    before = now;
  }
}

}  // namespace

/// Code of the host for the run, if it is wanted and there is any.
std::unique_ptr<io::NativePicture> Run::Impl::make_native() {
  NativeUse& use = results.native;
  use.break_even = native_break_even;
  if (options.native == NativeChoice::never) return nullptr;
  const bool is_wanted = options.native == NativeChoice::always;
  if (!is_wanted && pixels() < kept_break_even) {
    use.reason = fmt::format("fewer than {} pixels", kept_break_even);
    return nullptr;
  }
  const auto start = std::chrono::steady_clock::now();
  const io::CodeSources sources{.folder = options.code_folder,
                                .compiler = is_wanted || pixels() >= native_break_even,
                                .even_if_slow = is_wanted,
                                .most_lanes = options.batch_lanes};
  auto native =
      io::NativePicture::make(world, lifted, initial, options.interpreter, options.kept_colours, sources, use.reason);
  if (native != nullptr && native->is_kept()) use.break_even = kept_break_even;
  use.preparing_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return native;
}

/// Lets host code do the run. False, and nothing done, if there is something that only the interpreter can do.
bool Run::Impl::run_natively(const io::NativePicture& native) {
  std::atomic<std::uint32_t> next = 0;
  std::uint32_t done = 0;
  in_parallel(workers(options.os_threads, native.strips()), [&](std::atomic<bool>& stop) {
    io::NativePicture::Worker worker(native);
    for (std::uint32_t number = next++; number < native.strips() && !stop; number = next++) {
      const std::optional<io::NativePicture::Strip> strip = worker.run(number, *results.image);
      const std::lock_guard lock(results_lock);
      if (strip) executed += strip->executed;
      if (!strip || executed >= world.inputs.limits.all_steps) {
        stop = true;
        return;
      }
      results.started += strip->pixels;
      results.discarded += strip->discarded;
      results.ended += strip->pixels - strip->discarded;
      if (options.progress) options.progress(++done, native.strips());
      if (options.stop && options.stop()) {
        stopped = stop = true;
        return;
      }
    }
    const std::lock_guard lock(results_lock);
    worker.add_executions(results.executions);
  });
  results.native.is_used = results.started == pixels();
  if (results.native.is_used || stopped) return true;
  results.native.reason = "a fragment does what only the interpreter can report";
  results.started = results.ended = results.discarded = executed = 0;
  std::fill(results.executions.begin(), results.executions.end(), 0);
  return false;
}

Result<RunResult> run_program(const Program& program, const ir::Program& lifted, const RunInputs& inputs,
                              const RunOptions& options) {
  auto impl = std::make_unique<Run::Impl>(program, lifted, options);
  if (auto done = impl->prepare(inputs); !done) return fail(std::move(done).error());
  Run prepared(std::move(impl));
  Run* const run = &prepared;
  const auto done = [&]() -> Result<RunResult> {
    if (!run->impl_->stopped) return run->result();
    return run->impl_->refuse("RN019", "stopped by the caller before all threads had ended");
  };
  if (run->run_natively()) return done();
  std::atomic<std::uint32_t> next = 0;
  in_parallel(workers(options.os_threads, run->batches()), [&](std::atomic<bool>& stop) {
    Run::Batch batch = run->make_batch();
    for (std::uint32_t number = next++; number < run->batches() && !stop && !run->over_budget(); number = next++) {
      run->restart(batch, number);
      if (!run_to_end(batch.interpreter(), options.stop)) {
        run->impl_->stopped = stop = true;
        return;
      }
      run->finish(batch);
    }
  });
  return done();
}

bool Run::run_natively() {
  const auto native = impl_->make_native();
  if (native == nullptr || !impl_->run_natively(*native)) return false;
  impl_->finished = batches();
  return true;
}

}  // namespace mobula
