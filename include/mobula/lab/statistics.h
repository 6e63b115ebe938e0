// Figures of many programs of any machine, and what became of them since a baseline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/machine.h"
#include "mobula/isa/result.h"
#include "mobula/lab/timing.h"

namespace mobula {

/// The figures of one program.
struct ProgramFigures {
  std::string program;                                 ///< its name, by which a baseline is searched
  std::string target;                                  ///< "midgard:t860"
  std::vector<std::pair<std::string, double>> values;  ///< by name, in the order of tables
};

/// The figures of an estimate: instructions, words, bytes, registers, threads, loops, spills, fills, and the cycles of
/// the busiest pipe on the shortest and the longest path and in the whole program. What is unbounded or does not apply
/// is absent.
MOBULA_API ProgramFigures figures_of(const Estimate& estimate, std::string program);
/// The figure of that name.
MOBULA_API std::optional<double> figure(const ProgramFigures& figures, std::string_view name);
/// Which direction is an improvement. Neither: uniform registers, which cost a thread nothing.
enum class Better : std::uint8_t { less, more, neither };
MOBULA_API Better better(std::string_view figure);

/// A figure that is not what it was. Nothing: there was, or is, no such number; a longest path of unknown length.
struct FigureChange {
  std::string program, target, figure;
  std::optional<double> before, after;
  bool worse = false;
  bool counts = false;  ///< it is for the better or the worse, and by more than the threshold
  bool known = true;    ///< false: one of both does not have the figure; else what is not there is unbounded
};
struct FigureComparison {
  std::vector<FigureChange> changes;  ///< in the order of the programs
  std::vector<std::string> added, removed;
  std::size_t same = 0;    ///< programs without a change
  std::size_t worse = 0;   ///< programs with a change for the worse that counts
  std::size_t better = 0;  ///< programs with changes that count, all for the better
  std::size_t within = 0;  ///< programs whose changes do not count
};
/// Programs are the same by name and target. A change for the better or the worse counts if it is more than `threshold`
/// percent of the old value.
MOBULA_API FigureComparison compare_figures(std::span<const ProgramFigures> before,
                                            std::span<const ProgramFigures> after, double threshold = 0);

/// For a person; ends with a newline.
MOBULA_API std::string report(std::span<const ProgramFigures> programs);
MOBULA_API std::string report(const FigureComparison& comparison);

/// {"schema": "mobula/baseline", "version": 1, "programs": [...]}, a line for each program, so that version control
/// shows what changed.
MOBULA_API std::string figures_json(std::span<const ProgramFigures> programs);
/// The inverse. TM010: this is not such a document; IN001 to IN003 where it is no JSON, or a member is wrong.
MOBULA_API Result<std::vector<ProgramFigures>> read_figures(const SourceText& source);

}  // namespace mobula
