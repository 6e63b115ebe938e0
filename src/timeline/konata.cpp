#include <algorithm>

#include "mobula/lab/timeline.h"
#include "timeline/output.h"

namespace mobula {
namespace {

using namespace timeline;

/// Columns of a Kanata line are separated by tabs, lines by newlines.
std::string column(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

class KonataTimeline final : public TimelineSink {
 public:
  explicit KonataTimeline(TimelineOutput output) : out_(std::move(output)) {}

  void begin(const TimelineInfo& info) override {
    info_ = &info;
    for (std::uint32_t word = 0; word < info.words.size(); ++word) labels_.push_back(column(word_label(info, word)));
    for (std::uint32_t unit = 0; unit < info.units.size(); ++unit) stages_.push_back(stage(unit));
    out_ << "Kanata\t0004\nC=\t0\n";
  }

  void on(const TimelineEvent& event) override {
    advance(event.cycle);
    if (event.execution >= next_execution_) introduce(event);
    switch (event.kind) {
      case EventKind::issue:
        start(event.execution, 0, "Is");
        break;
      case EventKind::execute_begin:
        start(event.execution, 0, execute_stage(event.unit));
        break;
      case EventKind::execute_end:
        finish(event.execution, 0, execute_stage(event.unit));
        break;
      case EventKind::write:
        start(event.execution, 0, "Wb");
        break;
      case EventKind::stall_begin:
        start(event.execution, 1, mobula::info(event.reason).name);
        label(event.execution, 2, mobula::info(event.reason).sentence);
        if (const std::string detail = stall_detail(*info_, event); !detail.empty())
          label(event.execution, 2, " (" + column(detail) + ")");
        break;
      case EventKind::stall_end:
        finish(event.execution, 1, mobula::info(event.reason).name);
        break;
      case EventKind::dependency:
        if (event.cause.execution == no_execution) break;
        out_ << "W\t" << event.execution << "\t" << event.cause.execution << "\t0\n";
        if (const std::string detail = dependency_detail(*info_, event); !detail.empty())
          label(event.execution, 2, column(detail) + "; ");
        break;
      case EventKind::retire:
        out_ << "R\t" << event.execution << "\t" << retired_++ << "\t0\n";
        break;
      case EventKind::flush:
        out_ << "R\t" << event.execution << "\t" << retired_ << "\t1\n";
        break;
    }
  }

  void end(std::uint64_t cycles) override {
    advance(cycles);
    out_.flush();
  }

 private:
  void advance(std::uint64_t cycle) {
    if (cycle <= cycle_) return;
    out_ << "C\t" << cycle - cycle_ << "\n";
    cycle_ = cycle;
  }
  void introduce(const TimelineEvent& event) {
    next_execution_ = event.execution + 1;
    out_ << "I\t" << event.execution << "\t" << event.execution << "\t" << event.thread << "\n";
    label(event.execution, 0, event.word < labels_.size() ? labels_[event.word] : word_label(*info_, event.word));
    label(event.execution, 1, column(thread_name(*info_, event.thread)));
  }
  void label(std::uint64_t execution, std::uint64_t type, std::string_view text) {
    out_ << "L\t" << execution << "\t" << type << "\t" << text << "\n";
  }
  void start(std::uint64_t execution, std::uint64_t lane, std::string_view stage_name) {
    out_ << "S\t" << execution << "\t" << lane << "\t" << stage_name << "\n";
  }
  void finish(std::uint64_t execution, std::uint64_t lane, std::string_view stage_name) {
    out_ << "E\t" << execution << "\t" << lane << "\t" << stage_name << "\n";
  }
  /// The viewer draws dependency arrows only between stages with an X in their name.
  [[nodiscard]] std::string stage(std::uint32_t unit) const { return "X" + column(unit_name(*info_, unit)); }
  [[nodiscard]] std::string_view execute_stage(std::uint32_t unit) const {
    return unit < stages_.size() ? std::string_view(stages_[unit]) : "X";
  }

  OutputBuffer out_;
  const TimelineInfo* info_ = nullptr;
  std::vector<std::string> labels_, stages_;
  std::uint64_t cycle_ = 0, next_execution_ = 0, retired_ = 0;
};

}  // namespace

std::unique_ptr<TimelineSink> konata_timeline(TimelineOutput output) {
  return std::make_unique<KonataTimeline>(std::move(output));
}

}  // namespace mobula
