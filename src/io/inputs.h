// Run inputs inside a larger document.
#pragma once

#include <vector>

#include "io/json.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// What read_run_inputs reads, at this place. `storage_group` chooses among the images of a reference case that does
/// not say.
RunInputs read_inputs(const JsonPlace& place, const Interface& interface, const FileReader& files,
                      std::uint32_t storage_group);

/// The uniforms that are samplers; their driver location is the number of their texture.
std::vector<Variable> samplers_of(const Interface& interface);
/// The same for those that are storage images.
std::vector<Variable> images_of(const Interface& interface);

/// The storage buffer a reference case means; nullptr if the program has not got it. The counter that every compute
/// reference has, cnt0, is an atomic counter in some programs: the compiler then calls its buffer counter0.
const Variable* find_reference_buffer(const Interface& interface, std::string_view name);

}  // namespace mobula::io
