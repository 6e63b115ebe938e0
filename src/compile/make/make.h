// From the form to the machine code that is written: the back end of the machine, and where it has one its scheduler,
// or what merges its groups.
#pragma once

#include "compile/back_end.h"
#include "mobula/compile/shader.h"

namespace mobula::compile {

/// `effort`: 0 to 2, as -O of the command: how long is looked for fewer words. What comes out keeps every rule of the
/// machine, warnings included. Precondition: the machine has a back end.
///
/// `progress`: as ScheduleOptions::progress.
///
/// Errors: CO030 what the machine cannot do; those of schedule(), such as GP303, too many words.
Result<MachineCode> make_code(const ssa::Program& form, const Target& target, unsigned effort = usual_level,
                              const Progress& progress = {});

}  // namespace mobula::compile
