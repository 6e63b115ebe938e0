// Inputs and outputs of a run as arrays, under the names that the program's source gave them: for callers that hold
// many values, where documents (read_run_inputs) would be long.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"
#include "mobula/lab/run.h"

namespace mobula {

/// What 32-bit words are.
enum class NumberKind : std::uint8_t { f32, i32, u32 };
MOBULA_API std::string_view name(NumberKind kind);  ///< "float32", "int32", "uint32"

/// Rows of values, one after the other, in the caller's memory; it is read during the call only.
struct ArrayView {
  std::span<const std::uint32_t> words;
  std::size_t rows = 1;
  NumberKind kind = NumberKind::f32;
};

/// Gives values to what has that name in the program's source:
///   - an attribute (vertex programs) or varying: a row for each thread, or one row for all;
///   - a uniform: all of its values;
///   - a storage buffer or uniform buffer: its words, which are what its members are; where these are of several types,
///     uint32 only.
/// Whole numbers become floats where the program takes floats. IN005: no such name; IN007: more values than fit; IN009:
/// rows for another number of threads; IN010: a texture or image; IN021: floats where the program takes whole numbers;
/// IN022: the words do not fill whole rows; IN024: a negative number for a uint, or one beyond the greatest int for an
/// int.
MOBULA_API Result<void> set_array(RunInputs& inputs, const Interface& interface, std::string_view name,
                                  const ArrayView& array);
/// A varying's values at the corners of an image, a row for each: left-top, right-top, left-bottom, right-bottom.
MOBULA_API Result<void> set_corners(RunInputs& inputs, const Interface& interface, std::string_view name,
                                    const ArrayView& array);
/// A picture for the sampler of that name: one level of a 2D texture, rows from t = 0. `format` is one of
/// docs/run-files.md, "rgba8_unorm". Errors as above, TX010 to TX013, and TX016: there is no such format.
MOBULA_API Result<void> set_texture(RunInputs& inputs, const Interface& interface, std::string_view name,
                                    ImageSize size, std::string_view format, std::span<const std::uint8_t> texels);

/// What all threads of a run gave under one name.
struct OutputArray {
  NumberKind kind = NumberKind::f32;
  std::vector<std::size_t> shape;  ///< outermost first: {threads, components}; of buffers {words}
  RunWords words;
};
/// Varyings and colours of all threads, and storage buffers, by name. Outputs that nothing names are called "varying
/// 3", "buffer 0"; a colour has the name of the program's output of its target, or is called "colour", "colour 1". It
/// is the last one that a thread wrote there; what a thread did not write is 0.
MOBULA_API std::map<std::string, OutputArray> output_arrays(const RunResult& result, const Interface& interface);

}  // namespace mobula
