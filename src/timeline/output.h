// What the views of a timeline share: a buffer in front of the caller's output, and the names of things.
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "core/hexadecimal.h"
#include "mobula/lab/timeline.h"

namespace mobula::timeline {

/// Collects text and hands it on in large pieces.
class OutputBuffer {
 public:
  explicit OutputBuffer(TimelineOutput output) : output_(std::move(output)) {}

  OutputBuffer& operator<<(std::string_view text) {
    if (pending_.size() + text.size() > piece) flush();
    pending_.append(text);
    return *this;
  }
  OutputBuffer& operator<<(std::uint64_t number) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }
  void flush() {
    if (!pending_.empty() && output_) output_(pending_);
    pending_.clear();
  }

 private:
  static constexpr std::size_t piece = 1u << 16;
  TimelineOutput output_;
  std::string pending_;
};

/// "0x40: text of the word". A word that was never declared shows its number.
inline std::string word_label(const TimelineInfo& info, std::uint32_t word) {
  if (word >= info.words.size()) return "word " + std::to_string(word);
  return hexadecimal(info.words[word].address) + ": " + info.words[word].text;
}
inline std::string unit_name(const TimelineInfo& info, std::uint32_t unit) {
  return unit < info.units.size() ? info.units[unit] : "unit " + std::to_string(unit);
}
inline std::string thread_name(const TimelineInfo& info, std::uint32_t thread) {
  return thread < info.threads.size() ? info.threads[thread] : "thread " + std::to_string(thread);
}

/// "waits for LS, after thread 3 at 0x40": what a stall event says beyond its reason. Empty if it says no more.
inline std::string stall_detail(const TimelineInfo& info, const TimelineEvent& event) {
  std::string text;
  if (event.unit != no_index) text = "waits for " + unit_name(info, event.unit);
  if (event.cause.thread != no_index || event.cause.word != no_index) {
    text += text.empty() ? "waits for" : ", after";
    if (event.cause.thread != no_index) text += ' ' + thread_name(info, event.cause.thread);
    if (event.cause.word < info.words.size()) text += " at " + hexadecimal(info.words[event.cause.word].address);
  }
  return text;
}

/// "read_after_write (RAW)": the abbreviation is that of books on processors, where they have one.
inline std::string reason_name(StallReason reason) {
  std::string name(mobula::info(reason).name);
  if (reason == StallReason::read_after_write) return name + " (RAW)";
  if (reason == StallReason::write_after_read) return name + " (WAR)";
  if (reason == StallReason::write_after_write) return name + " (WAW)";
  return name;
}

/// "read_after_write (RAW) on 0x10"
inline std::string dependency_detail(const TimelineInfo& info, const TimelineEvent& event) {
  if (event.reason == StallReason::none || event.cause.word >= info.words.size()) return {};
  return reason_name(event.reason) + " on " + hexadecimal(info.words[event.cause.word].address);
}

}  // namespace mobula::timeline
