// The libraries walk expressions and types by calling themselves: what a person may write needs a deep stack.
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace mobula::compile {

/// Runs `act` on a stack of its own of 512 MiB, of which only what it touches takes memory. What it throws comes out.
/// std::bad_alloc where there is no room for the stack.
void run_on_large_stack(const std::function<void()>& act);

/// The same for what has a value.
template <class Act>
auto on_large_stack(Act act) {
  std::optional<std::invoke_result_t<Act>> result;
  run_on_large_stack([&] { result.emplace(act()); });
  return std::move(*result);
}

}  // namespace mobula::compile
