// Reading what Mesa's disassembler prints for Midgard.
#pragma once

#include "mobula/isa/machine.h"

namespace mobula::midgard {

/// A listing of Mesa's, with or without units, or a log that holds one. The program prints as the same listing, or it
/// is an error (MD119); what the listing leaves open is taken as Mesa's compiler writes it, and told in
/// Program::remarks.
Result<Program> parse_mesa(const SourceText& source, const AssembleOptions& options);

}  // namespace mobula::midgard
