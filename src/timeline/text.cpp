#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "mobula/lab/timeline.h"
#include "timeline/output.h"

namespace mobula {
namespace {

using namespace timeline;

class TextTimeline final : public TimelineSink {
 public:
  TextTimeline(TimelineOutput output, TextTimelineOptions options) : out_(std::move(output)), options_(options) {}

  void begin(const TimelineInfo& info) override { info_ = &info; }

  void on(const TimelineEvent& event) override {
    Row* row = find_row(event);
    if (row == nullptr) return;
    switch (event.kind) {
      case EventKind::issue:
        mark(*row, event.cycle, 'I');
        break;
      case EventKind::execute_begin:
        row->executing_since = event.cycle;
        break;
      case EventKind::execute_end:
        fill(*row, row->executing_since, event.cycle, 'X');
        break;
      case EventKind::write:
        mark(*row, event.cycle, 'W');
        break;
      case EventKind::stall_begin:
        row->waiting_since = event.cycle;
        break;
      case EventKind::stall_end:
        fill(*row, row->waiting_since, event.cycle, mobula::info(event.reason).letter);
        if (row->waiting_since < event.cycle) reasons_used_[static_cast<std::size_t>(event.reason)] = true;
        break;
      case EventKind::dependency:
        break;
      case EventKind::retire:
      case EventKind::flush:
        mark(*row, event.cycle, event.kind == EventKind::retire ? 'R' : 'F');
        open_.erase(event.execution);
        break;
    }
  }

  void end(std::uint64_t cycles) override {
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.thread < b.thread; });
    const std::size_t columns = std::min<std::uint64_t>(cycles + 1, options_.max_cycles);
    std::size_t name_width = 0;
    for (const Row& row : rows_) name_width = std::max(name_width, thread_name(*info_, row.thread).size());
    write_ruler(name_width, columns);
    for (Row& row : rows_) {
      row.cells.resize(columns, ' ');
      out_ << fmt::format("{:<{}}  |{}|  {}\n", thread_name(*info_, row.thread), name_width, row.cells,
                          word_label(*info_, row.word));
    }
    write_legend();
    if (cycles + 1 > columns) out_ << fmt::format("Cut after cycle {} of {}.\n", columns - 1, cycles);
    if (executions_ > rows_.size()) out_ << fmt::format("{} of {} word executions shown.\n", rows_.size(), executions_);
    out_.flush();
  }

 private:
  struct Row {
    std::uint32_t thread = 0, word = 0;
    std::uint64_t executing_since = 0, waiting_since = 0;
    std::string cells;
  };

  /// The row of the event's execution; nullptr if it is one of those that are not shown.
  Row* find_row(const TimelineEvent& event) {
    if (event.execution >= executions_) {
      executions_ = event.execution + 1;
      if (rows_.size() >= options_.max_rows || event.cycle >= options_.max_cycles) return nullptr;
      open_.emplace(event.execution, rows_.size());
      rows_.push_back({.thread = event.thread, .word = event.word});
    }
    const auto found = open_.find(event.execution);
    return found == open_.end() ? nullptr : &rows_[found->second];
  }

  void fill(Row& row, std::uint64_t from, std::uint64_t to, char letter) const {
    const auto limit = [&](std::uint64_t cycle) {
      return static_cast<std::size_t>(std::min<std::uint64_t>(cycle, options_.max_cycles));
    };
    if (row.cells.size() < limit(to)) row.cells.resize(limit(to), ' ');
    for (std::size_t cell = limit(from); cell < limit(to); ++cell)
      if (row.cells[cell] == ' ') row.cells[cell] = letter;
  }
  void mark(Row& row, std::uint64_t cycle, char letter) const {
    if (cycle >= options_.max_cycles) return;
    if (row.cells.size() <= cycle) row.cells.resize(cycle + 1, ' ');
    row.cells[cycle] = letter;
  }

  /// Every tenth cycle by its tens digit, the others by a dot.
  void write_ruler(std::size_t indent, std::size_t columns) {
    std::string ruler;
    for (std::size_t cycle = 0; cycle < columns; ++cycle)
      ruler += cycle % 10 == 0 ? static_cast<char>('0' + cycle / 10 % 10) : '.';
    out_ << fmt::format("{:{}}  |{}|\n", "", indent, ruler);
  }

  void write_legend() {
    out_ << "I issued, X executing, W result written, R finished, F abandoned; waiting:\n";
    for (const StallReasonInfo& row : stall_reasons())
      if (reasons_used_[static_cast<std::size_t>(row.reason)])
        out_ << fmt::format("{} {}: {}\n", row.letter, reason_name(row.reason), row.sentence);
  }

  OutputBuffer out_;
  TextTimelineOptions options_;
  const TimelineInfo* info_ = nullptr;
  std::vector<Row> rows_;
  std::unordered_map<std::uint64_t, std::size_t> open_;
  std::uint64_t executions_ = 0;
  std::vector<bool> reasons_used_ = std::vector<bool>(stall_reasons().size());
};

}  // namespace

std::unique_ptr<TimelineSink> text_timeline(TimelineOutput output, TextTimelineOptions options) {
  return std::make_unique<TextTimeline>(std::move(output), options);
}

}  // namespace mobula
