// What is run on both sides: a sample program, the same in GLSL, and inputs for both from one file.
#pragma once

#include <mobula/lab/run.h>
#include <mobula/mobula.h>

#include <string>
#include <vector>

#include "llvmpipe.h"

namespace side_by_side {

struct Case {
  std::string name;
  std::string glsl;
  mobula::Program program;
  mobula::ir::Program lifted;
  mobula::RunInputs inputs;
  GlInputs gl_inputs;
};

/// Names of the shaders of a stage, "frag" or "vert", that there are in GLSL here and as a sample.
std::vector<std::string> case_names(const std::string& stage);

/// Throws std::runtime_error. The sample is that of a Mali-T860.
Case picture_case(const std::string& name);

/// The same for vertices of Utgard GP: attributes are random numbers in [0.25, 1.75).
Case vertex_case(const std::string& name, std::uint32_t vertices);

}  // namespace side_by_side
