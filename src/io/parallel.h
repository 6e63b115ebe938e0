// Work that falls into parts, on several OS threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace mobula::io {

/// Calls use(index) for every index below `count`, from this thread and at most os_threads - 1 others. An exception
/// ends the work and is thrown here.
template <class Use>
void for_each_index(std::size_t count, unsigned os_threads, Use use) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failed;
  std::mutex failed_lock;
  const auto work = [&] {
    try {
      for (std::size_t index = next++; index < count; index = next++) use(index);
    } catch (...) {
      const std::lock_guard lock(failed_lock);
      failed = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min<std::size_t>(os_threads, count); ++i) helpers.emplace_back(work);
    work();
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace mobula::io
