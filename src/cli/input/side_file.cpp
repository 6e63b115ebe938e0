#include "cli/input/side_file.h"

#include "cli/terminal/output.h"
#include "mobula/lab/run.h"
#include "mobula/lab/side_file.h"

namespace mobula::cli {

std::string side_file_of(const Program& program) {
  const Interface& interface = program.interface;
  const bool known = interface.first_tag || interface.prefetch || interface.position || interface.viewport_vec4 ||
                     !interface.constants.empty() || !interface.inputs.empty() || !interface.outputs.empty() ||
                     !interface.uniforms.empty();
  return known ? write_side_file(program) : "";
}

void write_side_file_beside(const std::string& code_file, const Program& program) {
  const std::string name = side_file_name(code_file), text = side_file_of(program);
  if (code_file == "-" || name == code_file || text.empty()) return;
  write_output(name, text);
}

}  // namespace mobula::cli
