// WebAssembly cannot change its stack: the module is linked with a large one, and the browser ends what needs more.
#include "compile/front/large_stack.h"

namespace mobula::compile {

void run_on_large_stack(const std::function<void()>& act) { act(); }

}  // namespace mobula::compile
