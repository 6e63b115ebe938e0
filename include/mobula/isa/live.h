// Which values a program keeps, and for how long: what each word reads and writes, what is still needed after it, and
// how many registers that takes. For every machine whose programs are lifted.
//
// Use: lift a program, give it to live_words(), and ask names_of() and pressure() about what it finds.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/ir.h"
#include "mobula/isa/result.h"

namespace mobula::ir {

/// One block. `reads`: what it reads before writing it, `writes`, and `live`: what some path from its end reads before
/// it writes it. Nothing is live after a program's end. After a computed branch everything is.
struct LiveWord {
  std::uint64_t address = 0;
  Effects effects;
  std::vector<ByteRange> live;
};
/// For all blocks, in order. Fails (IR001) on a program that would take too much memory. The program must pass
/// verify().
MOBULA_API Result<std::vector<LiveWord>> live_words(const Program& program);

/// Slots that the ranges touch, by name; components of one register together, "r0.xyw".
MOBULA_API std::vector<std::string> names_of(const Program& program, std::span<const ByteRange> ranges);

/// How much of a bank is in use: slots, and registers, which may have several ("r0.x" and "r0.y" are one).
struct Pressure {
  std::uint32_t slots = 0, registers = 0;
  friend bool operator==(const Pressure&, const Pressure&) = default;
};
/// By bank: the letters that the names of its slots begin with. Values on their way between units, "m0@12", are the
/// bank
/// "@".
MOBULA_API std::map<std::string, Pressure> pressure(const Program& program, std::span<const ByteRange> ranges);

/// A slot that is live after each of the words from `first` to `last`.
struct LiveRange {
  std::string name;
  std::uint64_t first = 0, last = 0;  ///< addresses
  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};
/// By slot, then by address.
MOBULA_API std::vector<LiveRange> live_ranges(const Program& program, std::span<const LiveWord> words);

}  // namespace mobula::ir
