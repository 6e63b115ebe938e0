// Firmware, of whatever machine.
#pragma once

#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::firmware {

/// What is said to a program whose machine has no firmware.
Unexpected other_machine(const Program& program);

}  // namespace mobula::firmware
