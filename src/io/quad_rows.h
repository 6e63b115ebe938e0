// Where the lanes of an image are: quads of four lanes, in rows of quads, of which each covers two rows of pixels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mobula/lab/environment.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// Lanes that are side by side in one row of quads.
struct QuadRow {
  std::uint32_t lane = 0;  ///< the first
  std::uint32_t quads = 0;
  std::uint32_t x = 0, y = 0;  ///< of the first pixel

  [[nodiscard]] std::uint32_t end_lane() const { return lane + 4 * quads; }
  [[nodiscard]] std::uint32_t x_of(std::uint32_t of_lane) const {
    return x + (of_lane - lane) / 4 * 2 + (of_lane - lane) % 2;
  }
  [[nodiscard]] std::uint32_t y_of(std::uint32_t of_lane) const { return y + (of_lane - lane) / 2 % 2; }
};

/// Lanes of a whole row of quads. In one of odd width, the last pixels are beyond the edge.
constexpr std::uint32_t lanes_of_row(ImageSize image) { return (image.width + 1) / 2 * 4; }
/// The rows that these lanes of the image are of.
void find_rows(ImageSize image, std::uint64_t first, std::uint32_t count, std::vector<QuadRow>& rows);

/// The middle of a pixel, and where that is in the image, 0 to 1.
inline float middle_of(std::uint32_t pixel) { return static_cast<float>(pixel) + 0.5f; }
inline float place_of(std::uint32_t pixel, std::uint32_t size) { return middle_of(pixel) / static_cast<float>(size); }
/// Where the lanes of a row are from left to right, again and again, so that so many lanes of a batch are found in one
/// piece wherever they begin.
std::vector<float> places_across(ImageSize image, std::uint32_t batch_lanes);

/// Who the lanes of a row are. All but place, number and input is as it was.
void make_fragments(const QuadRow& row, ImageSize image, std::uint32_t first_index, std::span<Thread> threads,
                    std::span<std::uint32_t> inputs);
/// The position in the inputs of a lane that is beyond the edge.
inline constexpr std::uint32_t no_input = ~0u;
/// Sets the words of lanes that are beyond the edge to all ones. If there are any, and no words yet, makes so many.
void mark_beyond_edges(const QuadRow& row, ImageSize image, std::uint32_t count, std::vector<std::uint32_t>& words);

}  // namespace mobula::io
