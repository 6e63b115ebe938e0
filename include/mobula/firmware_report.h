// Reports on firmware for a person: what it is, what changed, and what it did when it ran. Every text ends with a
// newline unless it is empty.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mobula/firmware_diff.h"
#include "mobula/firmware_emulator.h"
#include "mobula/firmware_info.h"
#include "mobula/firmware_run.h"

namespace mobula::firmware {

std::string report(const Info& info);
std::string report(std::span<const Place> places);
std::string report(const Diff& diff);
std::string_view name(DiffFunction::Kind kind);
std::string_view name(DiffLine::Kind kind);

/// "SQE: idle at word 0x0021 after 153 instructions".
std::string report(const CoreReport& core);
/// Entry, handler and name of each packet.
std::string packet_table(const Emulator& emulator, const CoreReport& core);
/// Events in order; the instructions of a packet stand behind its line.
std::string report(const Emulator& emulator, const Round& round);
/// Performance counters that are not 0.
std::string counter_table(std::span<const CoreReport> cores);

std::string report(const Coverage& coverage);
/// The most expensive lines only; the value has all.
std::string report(const Profile& profile);
/// A line a stack, "SQE;CP_NOP;fxn120 17", as tools for flame graphs read it.
std::string collapsed(std::span<const ProfileRow> stacks);

}  // namespace mobula::firmware
