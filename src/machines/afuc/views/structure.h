// Where the blocks of a function go in structured code: loops, what is nested in what, and what comes after.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mobula::afuc {

/// Of each block, by its number; block 0 is the entry. Blocks that it does not lead to are nowhere.
struct Structure {
  struct Place {
    bool reached = false;
    bool loop = false;                 ///< begins a loop: something inside leads back to it
    bool nested = false;               ///< only one path leads here: it goes where that path reaches it
    std::vector<std::uint32_t> joins;  ///< blocks that follow this one, in order, in the same loop
    std::vector<std::uint32_t> after;  ///< of the first block of a loop: those after the loop
  };
  std::vector<Place> places;
};

/// `successors` of each block; those of blocks that choose among many ways (`choices`) are never nested.
Structure structure(std::span<const std::vector<std::uint32_t>> successors, const std::vector<bool>& choices);

}  // namespace mobula::afuc
