// Reports on firmware for a person: what it is, what changed, and what it did when it ran. Every text ends with a
// newline unless it is empty.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/firmware_diff.h"
#include "mobula/isa/firmware_info.h"
#include "mobula/lab/firmware_emulator.h"
#include "mobula/lab/firmware_run.h"

namespace mobula::firmware {

MOBULA_API std::string report(const Info& info);
MOBULA_API std::string report(std::span<const Place> places);
MOBULA_API std::string report(const Diff& diff);
MOBULA_API std::string_view name(DiffFunction::Kind kind);
MOBULA_API std::string_view name(DiffLine::Kind kind);

/// "SQE: idle at word 0x0021 after 153 instructions".
MOBULA_API std::string report(const CoreReport& core);
/// Entry, handler and name of each packet.
MOBULA_API std::string packet_table(const Emulator& emulator, const CoreReport& core);
/// "register 0x8100 = 0x11", "packet CP_NOP 70108000".
MOBULA_API std::string report(const Emulator& emulator, const Event& event);
/// Events in order; the instructions of a packet follow its line.
MOBULA_API std::string report(const Emulator& emulator, const Round& round);
/// What cores did at the same time: a line each.
MOBULA_API std::string report(const JointTiming& timing);
/// What a run rested on that is not exact.
MOBULA_API std::string report(const Emulator& emulator, std::span<const Program> images, std::span<const Doubt> doubts);
/// Performance counters that are not 0.
MOBULA_API std::string counter_table(std::span<const CoreReport> cores);

MOBULA_API std::string report(const Coverage& coverage);
/// The most expensive lines only; the value has all.
MOBULA_API std::string report(const Profile& profile);
/// One line per stack, "SQE;CP_NOP;fxn120 17", as tools for flame graphs read it.
MOBULA_API std::string collapsed(std::span<const ProfileRow> stacks);

}  // namespace mobula::firmware
