// Executes and times, with mobula::lab.
#include "mobula/mobula.h"
#include "mobula/scoreboard/scoreboard.h"

#ifdef HAS_COMPILER
bool compiles();
#else
bool compiles() { return true; }
#endif

namespace {

class Nothing final : public mobula::Environment {};

}  // namespace

int main() {
  Nothing nothing;
  mobula::ir::Program program;
  mobula::Interpreter interpreter(program, nothing);
  if (interpreter.step()) return 1;
  if (mobula::find_timing_model("midgard") == nullptr) return 1;
  if (!mobula::to_png({.size = {1, 1}, .colours = {{}}, .covered = {true}}, mobula::ColourFormat::f32)) return 1;
  if (!compiles()) return 1;
  const auto config = mobula::scoreboard::find_preset("june2019");
  return config && mobula::find_machine("midgard") != nullptr && !mobula::event_kinds().empty() ? 0 : 1;
}
