// The state of a group of lanes, and its elements as the scalar semantics take them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <tuple>
#include <vector>

#include "execute/kernels.h"
#include "mobula/lab/interpreter.h"

namespace mobula {

/// Words aligned and padded as the vector kernels need.
class AlignedWords {
 public:
  AlignedWords() = default;
  AlignedWords(std::size_t words, std::uint32_t value) { assign(words, value); }
  /// Keeps the memory where it suffices.
  void assign(std::size_t words, std::uint32_t value) {
    Vector vector;
    std::fill(std::begin(vector.words), std::end(vector.words), value);
    vectors_.assign((words + ir::lane_padding - 1) / ir::lane_padding, vector);
  }
  /// Room for so many, which hold anything.
  void make(std::size_t words) {
    vectors_.clear();
    vectors_.resize((words + ir::lane_padding - 1) / ir::lane_padding);
  }
  [[nodiscard]] std::uint32_t* data() { return vectors_.empty() ? nullptr : vectors_.front().words; }
  [[nodiscard]] const std::uint32_t* data() const { return vectors_.empty() ? nullptr : vectors_.front().words; }
  std::uint32_t& operator[](std::size_t index) { return data()[index]; }
  std::uint32_t operator[](std::size_t index) const { return data()[index]; }

 private:
  struct alignas(4 * ir::lane_padding) Vector {
    Vector() {}  // NOLINT(modernize-use-equals-default): not to be cleared
    std::uint32_t words[ir::lane_padding];
  };
  std::vector<Vector> vectors_;
};

/// State by words: a plane of lanes for each (see kernels.h).
class Planes {
 public:
  void assign(std::uint32_t planes, std::uint32_t padded_lanes, std::uint32_t value) {
    lanes_ = padded_lanes;
    words_.assign(std::size_t{planes} * padded_lanes, value);
  }
  /// The words hold anything.
  void make(std::uint32_t planes, std::uint32_t padded_lanes) {
    lanes_ = padded_lanes;
    words_.make(std::size_t{planes} * padded_lanes);
  }
  [[nodiscard]] std::uint32_t* plane(std::uint32_t index) { return words_.data() + std::size_t{index} * lanes_; }
  [[nodiscard]] const std::uint32_t* plane(std::uint32_t index) const {
    return words_.data() + std::size_t{index} * lanes_;
  }
  [[nodiscard]] std::uint32_t padded_lanes() const { return lanes_; }

  /// `bytes` bytes of a lane, at most 8, in the low end.
  [[nodiscard]] std::uint64_t read(std::uint32_t lane, std::uint32_t byte, std::uint32_t bytes) const {
    std::uint64_t value = 0;
    for_each_part(byte, bytes, [&](std::uint32_t plane, Part part) {
      value |= std::uint64_t{(words_[index(lane, plane)] & part.mask) >> part.shift} << part.value_shift;
    });
    return value;
  }
  void write(std::uint32_t lane, std::uint32_t byte, std::uint32_t bytes, std::uint64_t value) {
    if (bytes == 4 && byte % 4 == 0) {  // nearly always
      words_[index(lane, byte / 4)] = static_cast<std::uint32_t>(value);
      return;
    }
    for_each_part(byte, bytes, [&](std::uint32_t plane, Part part) {
      std::uint32_t& to = words_[index(lane, plane)];
      to = (to & ~part.mask) | ((static_cast<std::uint32_t>(value >> part.value_shift) << part.shift) & part.mask);
    });
  }

 private:
  /// What an element occupies of one word: its bits there, and where those belong in the element.
  struct Part {
    std::uint32_t mask;
    std::uint32_t shift, value_shift;
  };
  template <class Use>
  static void for_each_part(std::uint32_t byte, std::uint32_t bytes, Use use) {
    for (std::uint32_t done = 0; done < bytes;) {
      const std::uint32_t first = (byte + done) % 4, count = std::min(4 - first, bytes - done);
      use((byte + done) / 4, Part{(~0u >> (32 - 8 * count)) << (8 * first), 8 * first, 8 * done});
      done += count;
    }
  }
  [[nodiscard]] std::size_t index(std::uint32_t lane, std::uint32_t plane) const {
    return std::size_t{plane} * lanes_ + lane;
  }

  std::uint32_t lanes_ = 0;
  AlignedWords words_;
};

/// The two lanes of a quad whose difference a lane at this place (lane mod 4) sees along x or y.
struct QuadPair {
  std::uint32_t first, second;
};
constexpr QuadPair quad_row(std::uint32_t place) { return {place & 2, place | 1}; }
constexpr QuadPair quad_column(std::uint32_t place) { return {place & 1, place | 2}; }

/// All that changes while a group runs; a copy is a snapshot.
struct Group {
  /// Position of a lane that is not running.
  static constexpr std::uint32_t nowhere = ~0u;

  std::uint32_t lanes = 0;
  const ThreadSource* source = nullptr;  ///< of `threads`, as long as nobody has asked for one
  std::vector<Thread> threads;
  Planes state;
  bool strict = false;
  Planes defined;                     ///< strict: shadow of `state`, all ones for a byte that is defined
  AlignedWords position;              ///< by lane, padded: next block of a running lane, else nowhere
  std::vector<std::uint32_t> resume;  ///< by lane: next block of a waiting lane
  std::vector<std::uint64_t> steps;   ///< by lane: blocks executed
  std::vector<LaneState> lane_state;
  bool has_waiting = false;  ///< a lane may wait at a barrier
  std::vector<LaneFault> faults;
  std::vector<UndefinedRead> undefined_reads;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> undefined_seen;  ///< block, byte, bytes
  std::vector<std::uint64_t> executions;                                             ///< by block

  [[nodiscard]] const Thread& thread(std::uint32_t lane) {
    read_threads();
    return threads[lane];
  }
  void read_threads();

  [[nodiscard]] std::uint64_t read(const ir::Program& program, std::uint32_t lane, ir::Operand operand,
                                   ir::Type type) const;
  void write(std::uint32_t lane, ir::Operand operand, ir::Type type, std::uint64_t value);

  /// Strict runs only: whether the element is defined. A constant is, and so is an operand that is not there.
  [[nodiscard]] bool is_defined(std::uint32_t lane, ir::Operand operand, ir::Type type) const;
  void mark(std::uint32_t lane, std::uint32_t byte, std::uint32_t bytes, bool is_defined);
  /// Reports that a block read these bytes; once for each block and range, up to a limit for a run.
  void report_undefined(const ir::Program& program, std::uint32_t lane, std::uint32_t block, std::uint32_t byte,
                        std::uint32_t bytes);
};

}  // namespace mobula
