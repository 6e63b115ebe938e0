// Ways through a program, for the static estimates of timing models.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/export.h"
#include "mobula/isa/diagnostic.h"

namespace mobula {

/// A word and where control may go after it.
struct PathNode {
  bool ends = false;  ///< a thread may end after this word
  std::array<std::uint32_t, 3> next{};
  std::uint8_t next_count = 0;
  [[nodiscard]] std::span<const std::uint32_t> successors() const { return {next.data(), next_count}; }
  /// Does nothing if it is there already.
  MOBULA_INTERNAL void lead_to(std::uint32_t node);
};

struct PathGraph {
  std::vector<PathNode> nodes;           ///< nodes[0] is the entry; empty if there is none
  std::vector<std::uint32_t> postorder;  ///< every node after all nodes reached from it, loops apart
  std::uint32_t loops = 0;               ///< nodes that loops return to
  /// Finds postorder and loops. Nodes that nothing leads to are in neither.
  MOBULA_INTERNAL void order();
};

/// Nodes of the way from the entry to an end with the least weight; nullopt if no way leads to an end.
MOBULA_INTERNAL std::optional<std::vector<std::uint32_t>> lightest_path(const PathGraph& graph,
                                                                        std::span<const std::uint8_t> weights);
/// The same with the most weight; nullopt if there is a loop or no way leads to an end.
MOBULA_INTERNAL std::optional<std::vector<std::uint32_t>> heaviest_path(const PathGraph& graph,
                                                                        std::span<const std::uint8_t> weights);

/// TM003: no path to assume. `empty`: there is no word at the entry.
MOBULA_INTERNAL Diagnostic no_path(bool empty, bool shortest, bool has_loops);
/// Says in a report what way all threads are taken to go.
MOBULA_INTERNAL std::string assumption(bool shortest, std::size_t words);

}  // namespace mobula
