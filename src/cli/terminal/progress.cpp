#include "cli/terminal/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace mobula::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct State {
  std::mutex lock;
  std::condition_variable_any stops;
  Clock::time_point start = Clock::now();
  std::uint64_t done = 0, total = 0;
  std::string what;
  bool terminal = isatty(STDERR_FILENO) != 0, shown = false;
  std::jthread ticker;
};

State& state() {
  static State state;
  return state;
}

std::string line(const State& now) {
  const double seconds = std::chrono::duration<double>(Clock::now() - now.start).count();
  if (now.total == 0) return fmt::format("{:.0f} s", seconds);
  std::string text = fmt::format("{} of {} {}, {:.0f} s", now.done, now.total, now.what, seconds);
  if (now.done == 0 || now.done >= now.total) return text;  // nothing tells how long the results take to write
  return text + fmt::format(", about {:.0f} s left", seconds / double(now.done) * double(now.total - now.done));
}

/// Once a second on a terminal; in a log now and then, of what is known to take long.
void tick(const std::stop_token& stop) {
  State& now = state();
  std::unique_lock lock(now.lock);
  const std::chrono::seconds pause(now.terminal ? 1 : 10);
  while (!now.stops.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
    if (!now.terminal && now.total == 0) continue;
    std::fputs((now.terminal ? "\r\x1b[K" + line(now) : line(now) + '\n').c_str(), stderr);
    now.shown = now.terminal;
  }
}

}  // namespace

ProgressDisplay::ProgressDisplay() { state().ticker = std::jthread(tick); }

ProgressDisplay::~ProgressDisplay() {
  State& now = state();
  now.ticker.request_stop();
  now.ticker.join();
  clear_progress();
}

void expect_progress(std::uint64_t total, const std::string& what) {
  State& now = state();
  const std::lock_guard lock(now.lock);
  now.start = Clock::now();
  now.done = 0;
  now.total = total;
  now.what = what;
}

void set_progress(std::uint64_t done) {
  State& now = state();
  const std::lock_guard lock(now.lock);
  now.done = done;
}

void ProgressOfPart::show(std::uint64_t done, std::uint64_t total) {
  State& now = state();
  const std::lock_guard lock(now.lock);
  if (!std::exchange(started_, true) && now.total == 0) {
    shown_ = true;
    now.total = total;
    now.what = what_;
  }
  if (shown_) now.done = done;
}

ProgressOfPart::~ProgressOfPart() {
  if (shown_) expect_progress(0, "");
}

void clear_progress() {
  State& now = state();
  const std::lock_guard lock(now.lock);
  if (now.shown) std::fputs("\r\x1b[K", stderr);
  now.shown = false;
}

}  // namespace mobula::cli
