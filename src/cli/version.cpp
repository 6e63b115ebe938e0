#include "cli/version.h"

#include "mobula/isa/machine.h"
#include "mobula/lab/run.h"

namespace mobula::cli {
namespace {

#ifdef MOBULA_COMPILE
constexpr bool has_compiler = true;
#else
constexpr bool has_compiler = false;
#endif

std::string part(const std::string& name, bool is_there) { return name + (is_there ? ": yes\n" : ": no\n"); }

}  // namespace

std::string version_text() {
  std::string machine_names;
  for (const Machine* machine : machines()) {
    machine_names += machine_names.empty() ? "" : ", ";
    machine_names += machine->name();
  }
  return "mobula " MOBULA_VERSION "\nbuilt: " MOBULA_BUILD "\nmachines: " + machine_names + '\n' +
         part("compiler of shaders", has_compiler) + part("code of the host (mobula-jit)", has_native()) +
         part("zip archives", MOBULA_ZIP) + part("editing of lines", MOBULA_EDITING);
}

}  // namespace mobula::cli
