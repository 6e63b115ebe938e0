// Constants that the driver provides in a uniform buffer of its own. Numbering: Mesa 22.3, as in the side files.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "mobula/isa/program.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// The buffer: value k is the vec4 at byte 16 * k. `groups` is the size of the dispatch, `buffer_bytes` the sizes of
/// the SSBOs. Types of unknown meaning are zero and get a warning.
RunWords system_value_words(const Interface& interface, const RunInputs& inputs,
                            const std::map<std::uint32_t, std::uint64_t>& buffer_bytes, Diagnostics& warnings);

/// What a program or its driver puts into uniform buffer 0 beside the uniforms: constants, and the viewport where it is
/// wanted, as scale x y z 1 and offset x y z 0.
RunWords uniform_memory(const Interface& interface, const RunInputs& inputs);

}  // namespace mobula::io
