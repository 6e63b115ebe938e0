// The views of a timeline that options ask for, written while a simulation runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/output.h"
#include "mobula/lab/timeline.h"

namespace mobula::cli {

class TimelineFiles {
 public:
  /// Of options that have `timeline`, `timeline_json`, `konata` and `perfetto`.
  template <class Options>
  explicit TimelineFiles(const Options& options) {
    if (options.timeline) sinks_.push_back(text_timeline([this](std::string_view piece) { text_ += piece; }));
    add(options.timeline_json, json_timeline);
    add(options.konata, konata_timeline);
    add(options.perfetto, perfetto_timeline);
  }
  // The sinks write here.
  TimelineFiles(const TimelineFiles&) = delete;
  TimelineFiles& operator=(const TimelineFiles&) = delete;

  [[nodiscard]] bool wanted() const { return !sinks_.empty(); }
  [[nodiscard]] std::vector<TimelineSink*> listeners() const {
    std::vector<TimelineSink*> all;
    for (const auto& sink : sinks_) all.push_back(sink.get());
    return all;
  }
  /// Of --timeline.
  [[nodiscard]] const std::string& text() const { return text_; }
  void commit() {
    for (const auto& output : outputs_) output->commit();
  }

 private:
  void add(const std::string& file, std::unique_ptr<TimelineSink> (*make)(TimelineOutput)) {
    if (file.empty()) return;
    Output* output = outputs_.emplace_back(std::make_unique<Output>(file)).get();
    sinks_.push_back(make([output](std::string_view piece) { output->write(piece); }));
  }

  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<std::unique_ptr<TimelineSink>> sinks_;
  std::string text_;
};

}  // namespace mobula::cli
