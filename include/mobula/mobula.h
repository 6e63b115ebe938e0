// mobula: reads, writes, checks, executes and times the machine code of mobile GPUs. All that most programs need.
//
//   const auto program = mobula::load_program_file("shader.bin", "midgard:t860");  // Result<Program>: lab/load.h
//   const mobula::Machine& machine = *mobula::find_machine(program->machine);     // isa/machine.h
//   machine.disassemble(*program, {})            text                  machine.assemble({"name", text}, {})  a Program
//   machine.check(*program)                      Diagnostics           machine.explain(*program)  field by field
//   const auto lifted = machine.lift(*program, {});                    // micro-operations: isa/ir.h
//   mobula::run_program(*program, *lifted, inputs)                     // lab/run.h; inputs: load_run_inputs()
//   mobula::trace_program(...), mobula::Debugger::create(...)          // lab/tracer.h, lab/debugger.h
//   mobula::time_program(*program)               estimate, simulation  // lab/timing.h; views: lab/timeline.h
//
// Shapes. A Machine is found by name and never owned. A Program is bytes and what is known about them; an ir::Program
// is what they do. Options are structures whose defaults are right for a first call. Functions return values; report()
// turns them into text for a person. Nothing prints, and only lab/load.h reads files.
//
// Errors. A function that can fail returns a Result: test it before use; error() has Diagnostics, which render() turns
// into text.
// Every rule has a stable code. Those of the library as a whole: MOB001 there is no such machine, MOB002 no such
// variant of it, MOB003 the machine lacks this ability, MOB005 nothing says
// which machine it is, MOB006 a side file for another machine, MOB007 a file that cannot be read, MOB008
// and MOB009 a text for another machine, MOB010 a directive that comes too late, MOB011 a file that is too large,
// MOB012 text in UTF-16, MOB013 a program of another machine, MOB014 bytes where text is expected, MOB015 a container
// of another machine's code. The others begin with what they are about: MD, GP, RG and AF machines, FM containers, IN
// inputs, TX textures, RN runs, DB debugging, TM timing, SB the scoreboard.
//
// Link mobula::lab; mobula::isa is enough for what is in isa/. Not included here: firmware of command processors
// (isa/firmware_*.h, isa/pm4*.h, lab/firmware_*.h), the scoreboard core (scoreboard/*.h), shaders compiled from source
// (compile/shader.h; link mobula::compile), containers written chunk by chunk (isa/mbs1.h). examples/*.cpp are whole
// programs; docs/architecture.md shows how it is built.
#pragma once

#include "mobula/isa/diagnostic.h"  // IWYU pragma: begin_exports
#include "mobula/isa/flow.h"
#include "mobula/isa/formats.h"
#include "mobula/isa/ir.h"
#include "mobula/isa/live.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/picture.h"
#include "mobula/isa/program.h"
#include "mobula/isa/relink.h"
#include "mobula/isa/result.h"
#include "mobula/lab/advise.h"
#include "mobula/lab/debugger.h"
#include "mobula/lab/environment.h"
#include "mobula/lab/fidelity.h"
#include "mobula/lab/interpreter.h"
#include "mobula/lab/laboratory.h"
#include "mobula/lab/line_costs.h"
#include "mobula/lab/load.h"
#include "mobula/lab/run.h"
#include "mobula/lab/schedule.h"
#include "mobula/lab/side_file.h"
#include "mobula/lab/timeline.h"
#include "mobula/lab/timing.h"
#include "mobula/lab/tracer.h"
#include "mobula/lab/word_texts.h"  // IWYU pragma: end_exports
