#include <nlohmann/json.hpp>

#include "mobula/lab/timeline.h"
#include "timeline/output.h"

namespace mobula {
namespace {

using namespace timeline;

/// A JSON string; bytes that are not UTF-8 become the replacement character.
std::string json_string(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

class JsonTimeline final : public TimelineSink {
 public:
  explicit JsonTimeline(TimelineOutput output) : out_(std::move(output)) {}

  void begin(const TimelineInfo& info) override {
    out_ << R"({"schema": "mobula/timeline", "version": 1, "machine": )" << json_string(info.machine)
         << ",\n\"units\": ";
    strings(info.units);
    out_ << ",\n\"threads\": ";
    strings(info.threads);
    out_ << ",\n\"words\": [";
    for (std::size_t i = 0; i < info.words.size(); ++i)
      out_ << (i == 0 ? "\n" : ",\n") << R"({"address": ")" << hexadecimal(info.words[i].address) << R"(", "text": )"
           << json_string(info.words[i].text) << "}";
    out_ << "],\n\"stall_reasons\": [";
    bool first = true;
    for (const StallReasonInfo& row : stall_reasons()) {
      if (row.reason == StallReason::none) continue;
      out_ << (std::exchange(first, false) ? "\n" : ",\n") << R"({"name": ")" << row.name << R"(", "sentence": )"
           << json_string(row.sentence) << "}";
    }
    out_ << "],\n\"events\": [";
  }

  void on(const TimelineEvent& event) override {
    out_ << (std::exchange(first_event_, false) ? "\n" : ",\n") << R"({"cycle": )" << event.cycle << R"(, "kind": ")"
         << name(event.kind) << R"(", "execution": )" << event.execution << R"(, "thread": )" << event.thread
         << R"(, "word": )" << event.word;
    if (event.unit != no_index) out_ << R"(, "unit": )" << event.unit;
    if (event.reason != StallReason::none) out_ << R"(, "reason": ")" << mobula::info(event.reason).name << "\"";
    cause(event.cause);
    out_ << "}";
  }

  void end(std::uint64_t cycles) override {
    out_ << "],\n\"cycles\": " << cycles << "}\n";
    out_.flush();
  }

 private:
  void strings(const std::vector<std::string>& list) {
    out_ << "[";
    for (std::size_t i = 0; i < list.size(); ++i) out_ << (i == 0 ? "" : ", ") << json_string(list[i]);
    out_ << "]";
  }
  void cause(const TimelineCause& cause) {
    std::string_view separator = R"(, "cause": {)";
    const auto part = [&](std::string_view key, std::uint64_t value) {
      out_ << std::exchange(separator, ", ") << "\"" << key << "\": " << value;
    };
    if (cause.execution != no_execution) part("execution", cause.execution);
    if (cause.thread != no_index) part("thread", cause.thread);
    if (cause.word != no_index) part("word", cause.word);
    if (separator == ", ") out_ << "}";
  }

  OutputBuffer out_;
  bool first_event_ = true;
};

}  // namespace

std::unique_ptr<TimelineSink> json_timeline(TimelineOutput output) {
  return std::make_unique<JsonTimeline>(std::move(output));
}

}  // namespace mobula
