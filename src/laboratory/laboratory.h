// Laboratory: what a machine's row holds for executing and timing its programs. The part of the row for those who
// read and write them is its Machine; machines.inc lists the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "laboratory/feeding.h"
#include "mobula/isa/relink.h"
#include "mobula/lab/advise.h"
#include "mobula/lab/firmware_emulator.h"
#include "mobula/lab/laboratory.h"
#include "mobula/lab/schedule.h"
#include "mobula/lab/timing.h"

namespace mobula {

/// A text about one machine in the help of the command, and where it stands: "disasm examples".
struct HelpText {
  std::string_view topic, text;
};

/// Where a pointer is null, the machine has no such thing; all have a timing model.
struct Laboratory {
  const TimingModel* timing;
  const Feeding* feeding = nullptr;
  Result<ScheduledProgram> (*schedule)(const Program&, const ScheduleOptions&) = nullptr;
  Result<ScheduledProgram> (*schedule_expressions)(const SourceText&, const ScheduleOptions&) = nullptr;
  Result<Program> (*relink)(Program, const RelinkMoves&) = nullptr;
  Result<MergeAdvice> (*advise)(const Program&, const AdviseOptions&) = nullptr;
  /// Its programs are firmware, which runs on command streams. Each image is its words from word 0.
  Result<std::unique_ptr<firmware::Emulator>> (*emulator)(std::vector<std::vector<std::uint32_t>> images,
                                                          firmware::EmulatorOptions) = nullptr;
  std::span<const HelpText> help;
};

/// nullptr if there is no machine of that name.
const Laboratory* find_laboratory(std::string_view machine);

}  // namespace mobula
