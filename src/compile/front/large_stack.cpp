#include "compile/front/large_stack.h"

#include <pthread.h>

#include <exception>
#include <new>

namespace mobula::compile {
namespace {

struct Task {
  const std::function<void()>& act;
  std::exception_ptr thrown;
};

void* perform(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  try {
    task.act();
  } catch (...) {
    task.thrown = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void run_on_large_stack(const std::function<void()>& act) {
  constexpr std::size_t bytes = std::size_t{512} << 20;
  Task task{act, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_t thread{};
  const int failed = pthread_create(&thread, &attributes, perform, &task);
  pthread_attr_destroy(&attributes);
  if (failed != 0) throw std::bad_alloc();
  pthread_join(thread, nullptr);
  if (task.thrown) std::rethrow_exception(task.thrown);
}

}  // namespace mobula::compile
