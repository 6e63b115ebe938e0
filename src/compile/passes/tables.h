// Local arrays that only ever hold constants.
#pragma once

#include <cstdint>
#include <vector>

#include "compile/ssa/ssa.h"

namespace mobula::ssa {

/// By variable: a local one that holds Variable::initial all the time, as nothing is stored to it.
std::vector<bool> tables_of(const Program& program);

/// Makes tables of local arrays into which constants are stored before anything is read, as SPIR-V has every use of a
/// constant array; equal ones become one.
/// \return whether there was one.
bool find_tables(Program& program);

/// Tables that are indexed at run time become uniforms that come with the program, as long as these have no more than
/// so many words together, four an element.
void tables_to_uniforms(Program& program, std::uint32_t most_words);

/// What variables of this storage hold at first is stored where the program begins: outputs before all else, and local
/// ones for machines whose registers and memory begin with anything.
void store_initial(Program& program, Storage storage);

}  // namespace mobula::ssa
