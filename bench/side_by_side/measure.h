// Times of several subjects that do the same work, taken in turn so that whatever else the machine does falls on all.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace side_by_side {

struct Subject {
  std::string name;
  std::function<void()> work;  ///< does it once
  unsigned times = 1;          ///< how often it is done for one sample
  double seconds = 0;          ///< once, in the sample that the rest of the machine disturbed least
};

struct Effort {
  unsigned repeats = 5;
  double least_seconds = 0.02;  ///< a sample takes no less
};

/// Keeps this process, and threads that it makes from now on, on the last `count` of the cores that it may use.
void pin(unsigned count);

/// Measures all subjects. With one thread it is the time of the processor, which others cannot lengthen by taking their
/// turn on it; with more, that of the clock.
void measure(std::vector<Subject>& subjects, const Effort& effort, unsigned threads);

}  // namespace side_by_side
