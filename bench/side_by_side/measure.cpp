#include "measure.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace side_by_side {
namespace {

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Seconds of doing it once.
double sample(const Subject& subject, clockid_t clock) {
  const double start = now(clock);
  for (unsigned i = 0; i < subject.times; ++i) subject.work();
  return std::max(now(clock) - start, 1e-9) / subject.times;
}

}  // namespace

void pin(unsigned count) {
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (int core = CPU_SETSIZE - 1; core >= 0 && CPU_COUNT(&chosen) < static_cast<int>(count); --core)
    if (CPU_ISSET(core, &allowed)) CPU_SET(core, &chosen);
  sched_setaffinity(0, sizeof chosen, &chosen);
}

void measure(std::vector<Subject>& subjects, const Effort& effort, unsigned threads) {
  const clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  constexpr double most_times = 1000;
  for (Subject& subject : subjects) {
    subject.work();  // what is made for the first use only
    subject.times = 1;
    subject.times =
        static_cast<unsigned>(std::clamp(std::ceil(effort.least_seconds / sample(subject, clock)), 1.0, most_times));
  }
  std::vector<std::vector<double>> samples(subjects.size());
  for (unsigned turn = 0; turn < effort.repeats; ++turn)
    for (std::size_t i = 0; i < subjects.size(); ++i) samples[i].push_back(sample(subjects[i], clock));
  for (std::size_t i = 0; i < subjects.size(); ++i)
    subjects[i].seconds = *std::min_element(samples[i].begin(), samples[i].end());
}

}  // namespace side_by_side
