// Program: machine code together with what is known about it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/diagnostic.h"

namespace mobula {

/// A named address inside the code (label, entry point).
struct Label {
  std::string name;
  std::uint64_t byte_offset = 0;
};

/// Where in assembly text a word begins.
struct SourceLine {
  std::uint64_t byte_offset = 0;
  std::uint32_t line = 0;  ///< 1-based
};

enum class Stage : std::uint8_t { unknown, vertex, fragment, compute };
MOBULA_API std::string_view name(Stage stage);

/// A member of a buffer block, or part of one: numbers of one type.
struct BlockMember {
  std::string name;  ///< as GLSL has it: "lights[1].colour"; in "points[].at" the index of an open array is left out
  std::string type;  ///< "float", "ivec3", "vec4[8]" (also the columns of a matrix), "float[]" up to the end
  std::uint32_t offset = 0;  ///< byte in the buffer
  std::uint32_t stride = 0;  ///< of an array: bytes from one element to the next
  std::uint32_t step = 4;  ///< bytes from one number of a vector to the next; more where rows of a matrix lie together
};

/// A shader input, output, uniform or buffer block by its source name.
struct Variable {
  std::string name;
  std::string type;                  ///< GLSL spelling: "vec4", "float[]", ...
  std::int32_t location = 0;         ///< API location (Mesa numbering in the accepted side files)
  std::int32_t driver_location = 0;  ///< index the machine code uses
  std::int32_t component = 0;        ///< first component, 0..3
  std::string semantic;              ///< inputs: "position", "normal", "texcoord", "colour" of a mesh; usually empty
  std::vector<BlockMember> members;  ///< buffer blocks: what is known of their words; empty: nothing
  std::string format;  ///< colours that the program packs: "rgba8_unorm", from driver_location on; usually empty
  std::vector<std::uint32_t>
      initial;  ///< uniforms: words of its type, which it has where nothing gives it; usually empty
};

/// One 32-bit word of a uniform register image: where the driver copies it from.
struct PushWord {
  std::uint32_t ubo = 0;          ///< uniform buffer number
  std::uint32_t byte_offset = 0;  ///< offset in that buffer
};

/// A constant that the driver provides. Its meaning is the driver's; the numbers are Mesa's, as in side files.
struct SystemValue {
  std::uint32_t type = 0;
  std::uint32_t id = 0;
};

/// One word of uniform memory that comes with the program.
struct UniformConstant {
  std::uint32_t word = 0;  ///< position in 32-bit words: vec4 index * 4 + component
  std::uint32_t bits = 0;
};

/// How a machine takes the input values of a program.
enum class ValueLayout : std::uint8_t {
  words,        ///< numbers keep their type; uniforms lie packed in buffer 0, whose words their driver_location counts
  float_vec4s,  ///< every number is a float, true is 1.0; each column and array element of a uniform begins a vec4 of
                ///< buffer 0, and their driver_location counts vec4s
};

/// What the bytes of a shader do not say; comes from a container or from a JSON side file. Absent numbers are nullopt.
struct Interface {
  Stage stage = Stage::unknown;
  std::optional<std::uint32_t> work_registers;     ///< 128-bit registers allocated to a thread
  std::optional<std::uint32_t> uniform_registers;  ///< 128-bit registers preloaded with uniforms
  std::optional<std::uint32_t> first_tag;          ///< Midgard: tag of the first bundle as announced out of band
  std::optional<std::uint32_t> prefetch;           ///< Utgard GP: last word announced to load an attribute
  std::optional<std::uint32_t> thread_local_bytes;
  std::optional<std::uint32_t> workgroup_local_bytes;
  std::optional<std::uint32_t> ubo_count;
  std::array<std::uint32_t, 3> local_size{1, 1, 1};  ///< compute workgroup size
  std::vector<PushWord> push;
  std::vector<SystemValue> system_values;
  ValueLayout layout = ValueLayout::words;
  std::vector<UniformConstant> constants;             ///< Utgard GP
  std::optional<std::uint32_t> viewport_vec4;         ///< Utgard GP: of two vec4s of buffer 0, scale and offset
  std::optional<std::uint32_t> position, point_size;  ///< varying numbers; absent = as the names of `outputs` say
  std::vector<Variable> inputs, outputs, uniforms, ubo_blocks, ssbo_blocks;
  std::vector<Variable> varyings_in, varyings_out;  ///< location and index (in driver_location) only
};

/// Machine code of one program. `machine` and `variant` are registry names ("midgard", "t860"); variant may be empty.
struct Program {
  std::string file;  ///< where it came from, for diagnostics
  std::string machine;
  std::string variant;
  std::vector<std::uint8_t> code;
  /// Byte offset of the first word executed. Midgard and Rogue look at it; the others begin where their code does.
  std::uint64_t entry = 0;
  std::vector<Label> labels;
  std::vector<SourceLine> lines;  ///< by offset; empty unless the program was assembled
  Interface interface;
  Diagnostics remarks;  ///< warnings: what its text leaves open, bytes around or after its words that were not read
};

}  // namespace mobula
