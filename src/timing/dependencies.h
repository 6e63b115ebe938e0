// Which earlier words of its thread a word depends on: the arrows of timelines. Words that a model executes in order
// never wait for them, so models only look for them when a timeline is written.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "mobula/isa/ir.h"
#include "mobula/isa/result.h"
#include "timing/simulation.h"

namespace mobula {

class Dependencies {
 public:
  /// Adds the words of a program, which are counted on from those before. What could not be lifted depends on
  /// nothing.
  void add(const Result<ir::Program>& lifted, std::span<const std::uint64_t> addresses);

  /// Who touched the bytes of a thread's state last.
  struct Touched {
    TimelineCause writer, reader;  ///< `reader`: since the write
  };
  using Thread = std::unordered_map<std::uint32_t, Touched>;
  /// Tells on whom the execution depends, one arrow for each: that it reads what was written counts most, then that it
  /// writes it anew, then that it overwrites what was read.
  void tell(const TimedExecution& now, Thread& thread, Recorder& recorder) const;

 private:
  struct Word {
    std::vector<std::uint32_t> reads, writes;  ///< bytes of the state
  };
  std::vector<Word> words_;
};

}  // namespace mobula
