// The verbose text of the open-gpu-tools of 2012-2013 (reference 7.2): one instruction a line, every part a call. Print
// only.
#pragma once

#include "machines/utgard_gp/text/pieces.h"

namespace mobula::utgard_gp {

/// The program must outlive it.
PrintWords print_ogt(const Program& program);

}  // namespace mobula::utgard_gp
