// The expression behind every store and branch of a program: moves and forwarding seen through (reference 7.2
// "decompile").
#pragma once

#include <string>

#include "machines/utgard_gp/lift/policies.h"
#include "machines/utgard_gp/text/pieces.h"

namespace mobula::utgard_gp {

/// Statements in program order, each with the word that executes it:
///   004: varying[0].x = ((attribute[0].x * uniform[0].x) + uniform[1].x);
/// A result that is used more than once is named `^K` (Mesa's number of the result) and defined where it is computed.
/// Words beyond the 512 the machine holds are data. Policies that stop threads have no text: policy_without_text().
/// The program must outlive it.
PrintWords print_decompiled(const Program& program, const Settings& settings);

/// "name=value" of the first chosen policy that no statement says; empty if there is none.
std::string policy_without_text(const Settings& settings);

}  // namespace mobula::utgard_gp
