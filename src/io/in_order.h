// Work that falls into parts, on several OS threads, whose results are used in order. Apart from parallel.h, which is
// also compiled where there are no threads.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace mobula::io {

/// What next() gives is made on so many OS threads, this one among them, and used in the order in which it was given.
/// next() gives functions without arguments, and an empty one at the end; use() takes what they return. Neither is
/// called by two threads at once. Few results at a time wait for those before them. An exception ends the work and is
/// thrown here.
template <class Next, class Use>
void for_each_in_order(unsigned os_threads, Next next, Use use) {
  using Make = std::invoke_result_t<Next&>;
  using Made = std::invoke_result_t<Make&>;
  const std::size_t most_waiting = std::size_t{4} * os_threads;
  std::mutex giving, order;  // taken in this order
  std::condition_variable room;
  std::map<std::size_t, Made> waiting;
  std::size_t given = 0, used = 0;
  bool ended = false, using_one = false;
  std::exception_ptr failed;
  const auto take = [&](Make& make, std::size_t& number) {
    const std::lock_guard one_at_a_time(giving);
    std::unique_lock lock(order);
    room.wait(lock, [&] { return ended || given - used < most_waiting; });
    if (ended) return false;
    lock.unlock();
    make = next();
    lock.lock();
    ended = ended || !make;
    number = given++;
    return !ended;
  };
  // Whoever has made what comes next uses all that has been waiting for it.
  const auto put = [&](std::size_t number, Made made) {
    std::unique_lock lock(order);
    waiting.emplace(number, std::move(made));
    if (using_one) return;
    using_one = true;
    for (auto first = waiting.begin(); !failed && first != waiting.end() && first->first == used;
         first = waiting.begin()) {
      Made ready = std::move(first->second);
      waiting.erase(first);
      lock.unlock();
      use(std::move(ready));
      lock.lock();
      ++used;
      room.notify_all();
    }
    using_one = false;
  };
  const auto work = [&] {
    try {
      std::size_t number = 0;
      for (Make make; take(make, number);) put(number, make());
    } catch (...) {
      const std::lock_guard lock(order);
      if (!failed) failed = std::current_exception();
      ended = true;
      room.notify_all();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < os_threads; ++i) helpers.emplace_back(work);
    work();
  }
  if (failed) std::rethrow_exception(failed);
}

/// The same for `count` things in parts of `size` and a smaller last one: make(first, how many).
template <class Make, class Use>
void for_each_part_in_order(std::size_t count, std::size_t size, unsigned os_threads, Make make, Use use) {
  using Made = std::invoke_result_t<Make&, std::size_t, std::size_t>;
  std::size_t next = 0;
  for_each_in_order(
      os_threads,
      [&]() -> std::function<Made()> {
        const std::size_t first = next, part = std::min(size, count - first);
        next += part;
        if (part == 0) return {};
        return [&make, first, part] { return make(first, part); };
      },
      use);
}

}  // namespace mobula::io
