// Shaders in source form, GLSL or SPIR-V, to machine code, and whether that computes what the source says.
//
//   const auto shader = mobula::compile::Shader::read({.file = "phong.frag", .bytes = bytes});
//   const auto code = shader->compile("midgard:t860");          // code->program: a Program like any other
//   const auto outcome = shader->verify(code->program);         // executes both: outcome->difference, if there is one
//
// Link mobula::compile; it is there where the build has glslang and SPIRV-Tools. docs/compile.md says what is supported
// and what verification promises.
//
// Errors, with file, line and column where the source has them: CO001 and CO003 to CO005 of GLSL, CO010 to CO014 of
// SPIR-V, CO015 of the stage, CO020 what is not supported, CO021 a fault of the compiler, CO030 what the machine cannot
// do; CO006: no such level; CO016: shaders that do not fit; CO017: formats of pixels that cannot be; MOB003: the
// machine has no compiler. form() and compile() report what is not supported.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"
#include "mobula/lab/advise.h"
#include "mobula/lab/schedule.h"

namespace mobula::compile {

// ---- what goes in

/// The text that `#include "name"` stands for, and the name that errors in it go by.
struct Included {
  std::string name, text;
};
/// Finds what `from` includes by this name; `quoted` is "name", else it is `<name>`. None if there is no such file.
using FindIncluded =
    std::function<std::optional<Included>(const std::string& name, const std::string& from, bool quoted)>;

struct Macro {
  std::string name, value;
};

/// How the pixels hold a colour of a fragment shader, for machines whose programs pack it.
struct PixelFormat {
  std::string output;  ///< "colour", "gl_FragData[1]"; empty: every one that no other names
  std::string format;  ///< one of pixel_formats()
};
/// "rgba8_unorm" and the like, as run files spell the formats of textures.
MOBULA_API std::vector<std::string_view> pixel_formats();

struct ShaderSource {
  std::string file;                     ///< its name in errors
  std::span<const std::uint8_t> bytes;  ///< GLSL, or SPIR-V as binary (of either byte order) or as text
  Stage stage = Stage::unknown;         ///< unknown: by the name of the file; of SPIR-V, its only one
  std::vector<Macro> macros;            ///< of GLSL
  FindIncluded find_included;           ///< of GLSL; empty: nothing can be included
  std::vector<PixelFormat> formats;     ///< of a fragment shader; colours without one are put out as they are
  std::string machine;  ///< of GLSL: whose limits gl_MaxVaryingVectors and the like tell; empty: what every machine has
};

enum class Language : std::uint8_t { glsl, spirv, spirv_text };
/// What these bytes are, by how they begin. What is no SPIR-V is taken for GLSL.
MOBULA_API Language language_of(std::span<const std::uint8_t> bytes);
/// The stage that the name of a file tells: .vert, .frag and .comp, also before another suffix (a.frag.glsl).
MOBULA_API Stage stage_of_name(std::string_view file);

// ---- what comes out

/// How much is optimised, as -O of the command. 0: nothing; 1: what is fast; 2: everything, also writing out loops,
/// which may make code longer.
inline constexpr unsigned usual_level = 2, most_level = 2;

using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct MachineCode {
  /// With its Interface (names, push words, system values, locations) and source lines (Program::lines).
  mobula::Program program;
  /// Where the machine has a scheduler: what it says of the program. There was none before: words_before are 0.
  std::optional<ScheduledProgram> schedule;
  /// Where groups of the machine merge: what became of them, and how few they could be at usual_level.
  std::optional<MergeAdvice> merging;
};

inline constexpr std::uint32_t most_verify_runs = 1'000'000;
inline constexpr std::uint64_t most_verify_steps = 1'000'000'000;

struct VerifyOptions {
  /// Quads of fragments, fours of vertices, dispatches; at most most_verify_runs. Fewer of workgroups with more than
  /// 128 threads, but at least 4, and up to eight times as many while all threads go beyond the end of something.
  std::uint32_t runs = 16;
  std::uint64_t seed = 1;
  /// Turns of loops and sides of branches after which a source is taken to come to no end; of its code, 512 words for
  /// each. At most most_verify_steps.
  std::uint64_t steps = 20'000;
  std::function<bool()> stop;  ///< asked before each run; true: there are no more
};

/// Inputs with which the two differ, as small and round as was found.
struct Counterexample {
  struct Value {
    std::string name, value;  ///< "lights[1].colour", "(0.5, 0, 1)"
  };
  std::vector<Value> inputs;
  std::string output;  ///< "colour.x", "whether the fragment is discarded"
  std::string expected, found;
  double allowed = 0;  ///< how far a number may be off
};

struct VerifyOutcome {
  std::uint32_t runs = 0;      ///< that came to an end
  std::uint64_t compared = 0;  ///< numbers
  std::uint64_t open = 0;      ///< numbers of which GLSL promises nothing with these inputs
  std::uint64_t astray = 0;    ///< those of them that are so because threads went beyond the end of something
  std::string beyond;          ///< the name of what they first went beyond the end of
  /// Why the first of the runs that are not counted came to no end, and what to do about it; empty: all are counted.
  std::string obstacle, advice;
  std::optional<Counterexample> difference;
};

/// The difference as an error, VF001, with the inputs as its hint.
MOBULA_API Diagnostic to_diagnostic(const Counterexample& difference);
/// VF003, why nothing was compared; none where something was, or there is nothing to compare.
MOBULA_API Diagnostics remarks_of(const VerifyOutcome& outcome);

/// The machines that shaders are compiled for, in the order of docs and listings.
MOBULA_API std::vector<std::string_view> target_machines();

/// A shader that was read and found valid. Cheap to copy; its functions may be called by several threads.
class Shader {
 public:
  /// Reads, checks and optimises the source. Threads wait for each other, as the libraries behind it have things that
  /// are there once; find_included must read no other shader.
  MOBULA_API static Result<Shader> read(const ShaderSource& source);

  /// What is doubtful in the source, and no error: CO002.
  [[nodiscard]] MOBULA_API const Diagnostics& warnings() const;
  /// These, and what remarks_of() says of an outcome of verify(), with the file's name: for Program::remarks.
  [[nodiscard]] MOBULA_API Diagnostics remarks_on(const VerifyOutcome& outcome) const;
  /// The optimised module as text, which read() takes.
  [[nodiscard]] MOBULA_API std::string spirv() const;
  /// The form that is compiled from as text; level 0 is as it comes from SPIR-V.
  [[nodiscard]] MOBULA_API Result<std::string> form(unsigned level = usual_level) const;
  /// `machine`: "midgard", "midgard:t860". What comes out keeps every rule of the machine, warnings included.
  /// `progress` is called where the machine's scheduler takes long, as ScheduleOptions::progress is.
  [[nodiscard]] MOBULA_API Result<MachineCode> compile(std::string_view machine, unsigned level = usual_level,
                                                       const Progress& progress = {}) const;
  /// Executes what compile() made, with its Interface, beside the form as it comes from SPIR-V. Fails if the code
  /// cannot be executed at all.
  [[nodiscard]] MOBULA_API Result<VerifyOutcome> verify(const mobula::Program& code,
                                                        const VerifyOptions& options = {}) const;

  /// What keeps this vertex shader and a fragment shader out of one program: CO016 for each input, uniform and block
  /// of that which is not what this one has by the name. Nothing where one of the two was no GLSL.
  [[nodiscard]] MOBULA_API Diagnostics misfits(const Shader& fragment) const;

 private:
  struct Read;
  explicit Shader(std::shared_ptr<const Read> read) : read_(std::move(read)) {}

  std::shared_ptr<const Read> read_;
};

}  // namespace mobula::compile
