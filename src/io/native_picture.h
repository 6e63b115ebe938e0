// Pictures by host code: strips of two rows, without the interpreter.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execute/code_cache.h"
#include "execute/kernels.h"
#include "io/run_environment.h"
#include "laboratory/feeding.h"
#include "mobula/isa/ir.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// Where code may come from.
struct CodeSources {
  std::string folder;  ///< of earlier runs, and for later ones; none: empty
  bool compiler = true;
  bool even_if_slow = true;  ///< also where code would be no faster than the interpreter
  std::uint32_t most_lanes = native::most_lanes;
};

class NativePicture {
 public:
  /// Nothing, and why, where the interpreter has to do the whole run. World and program must outlive the picture.
  static std::unique_ptr<NativePicture> make(RunWorld& world, const ir::Program& lifted, const InitialState& initial,
                                             const InterpreterOptions& options, PictureColours kept,
                                             const CodeSources& sources, std::string& reason);

  /// Whether it had not to be compiled.
  [[nodiscard]] bool is_kept() const { return is_kept_; }
  [[nodiscard]] std::uint32_t strips() const { return (world_.image->height + 1) / 2; }

  /// What is counted of a strip.
  struct Strip {
    std::uint64_t pixels = 0, discarded = 0;
    std::uint64_t executed = 0;  ///< blocks, by all lanes
  };
  /// What one thread of the system needs to do strips, and what it has done.
  class Worker {
   public:
    explicit Worker(const NativePicture& picture);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Does a strip, which goes to the picture; nothing if the interpreter has to do it.
    std::optional<Strip> run(std::uint32_t strip, ImageResult& image);
    /// Adds the executions of all strips done, by block.
    void add_executions(std::vector<std::uint64_t>& executions) const;

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };

 private:
  NativePicture(RunWorld& world, const ir::Program& lifted, const InterpreterOptions& options, PictureColours kept)
      : world_(world), lifted_(lifted), options_(options), kept_(kept) {}
  [[nodiscard]] std::string obstacle(const InitialState& initial) const;
  [[nodiscard]] std::shared_ptr<const native::ReadyCode> find_code(const CodeSources& sources, std::string& reason);
  /// Of an earlier run, or compiled now.
  [[nodiscard]] std::optional<native::Code> find_bytes(const native::Request& request,
                                                       const std::vector<std::uint8_t>& key, const CodeSources& sources,
                                                       std::string& reason);
  void fill_initial(const InitialState& initial);
  void bind_calls();
  [[nodiscard]] bool samples_by_environment() const;
  [[nodiscard]] native::Binding bind(const ir::Call& call);
  [[nodiscard]] native::Binding bind_varying(const ir::Call& call);
  [[nodiscard]] native::Binding bind_uniform(const ir::Call& call);
  [[nodiscard]] native::Binding bind_texture(const ir::Call& call);
  [[nodiscard]] native::Binding constant(const RunVec4& value);

  RunWorld& world_;
  const ir::Program& lifted_;
  InterpreterOptions options_;
  PictureColours kept_;
  std::vector<native::Binding> bindings_;  ///< by call
  std::vector<std::uint32_t> initial_;     ///< by word of the state
  std::vector<native::PlaceWord> places_;
  std::vector<std::array<std::uint32_t, 4>> constants_;
  std::vector<std::array<float, 16>> corners_;
  std::vector<native::UniformBytes> uniforms_;
  std::vector<native::PlainTexture> textures_;
  std::vector<std::vector<std::array<double, 4>>> wide_texels_;  ///< by texture
  std::vector<std::vector<native::PlainLevel>> levels_;          ///< by texture
  std::vector<ir::Kernel> kernels_;                              ///< by operation
  std::shared_ptr<const native::ReadyCode> code_;
  bool is_kept_ = false;
};

}  // namespace mobula::io
