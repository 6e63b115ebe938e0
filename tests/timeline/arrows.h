// Reads the arrows of a timeline.
#pragma once

#include <string>
#include <vector>

#include "mobula/lab/timeline.h"

namespace mobula {

/// "3 write_after_read 1": word 3 of the first thread must come after its word 1.
class Arrows : public TimelineSink {
 public:
  void begin(const TimelineInfo&) override {}
  void on(const TimelineEvent& event) override {
    if (event.kind == EventKind::dependency && event.thread == 0)
      list.push_back(std::to_string(event.word) + ' ' + std::string(info(event.reason).name) + ' ' +
                     std::to_string(event.cause.word));
  }
  void end(std::uint64_t) override {}
  std::vector<std::string> list;
};

}  // namespace mobula
