#include "io/quad_rows.h"

#include <algorithm>

#include "execute/kernels.h"

namespace mobula::io {

void find_rows(ImageSize image, std::uint64_t first, std::uint32_t count, std::vector<QuadRow>& rows) {
  const std::uint32_t row_lanes = lanes_of_row(image);
  rows.clear();
  for (std::uint32_t lane = 0; lane < count;) {
    const std::uint64_t next = first + lane;
    const auto column = static_cast<std::uint32_t>(next % row_lanes);
    const std::uint32_t lanes = std::min(row_lanes - column, count - lane);
    rows.push_back(
        {.lane = lane, .quads = lanes / 4, .x = column / 2, .y = static_cast<std::uint32_t>(next / row_lanes) * 2});
    lane += lanes;
  }
}

std::vector<float> places_across(ImageSize image, std::uint32_t batch_lanes) {
  const std::uint32_t row_lanes = lanes_of_row(image);
  const QuadRow row{.quads = row_lanes / 4};
  std::vector<float> places(std::size_t{row_lanes} + batch_lanes + ir::lane_padding);
  for (std::uint32_t lane = 0; lane < row_lanes; ++lane) places[lane] = place_of(row.x_of(lane), image.width);
  for (std::size_t i = row_lanes; i < places.size(); ++i) places[i] = places[i - row_lanes];
  return places;
}

void make_fragments(const QuadRow& row, ImageSize image, std::uint32_t first_index, std::span<Thread> threads,
                    std::span<std::uint32_t> inputs) {
  for (std::uint32_t lane = row.lane; lane < row.end_lane(); ++lane) {
    const std::uint32_t x = row.x_of(lane), y = row.y_of(lane);
    Thread& thread = threads[lane];
    thread.index = first_index + lane;
    thread.x = middle_of(x);
    thread.y = middle_of(y);
    thread.helper = x >= image.width || y >= image.height;
    inputs[lane] = thread.helper ? no_input : y * image.width + x;
  }
}

void mark_beyond_edges(const QuadRow& row, ImageSize image, std::uint32_t count, std::vector<std::uint32_t>& words) {
  if (row.x + 2 * row.quads <= image.width && row.y + 2 <= image.height) return;
  words.resize(count);
  for (std::uint32_t lane = row.lane; lane < row.end_lane(); ++lane)
    if (row.x_of(lane) >= image.width || row.y_of(lane) >= image.height) words[lane] = ~0u;
}

}  // namespace mobula::io
