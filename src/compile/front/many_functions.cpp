#include "compile/front/many_functions.h"

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mobula::compile {
namespace {

constexpr std::size_t many = 64;

class KeptCalls : public glslang::TIntermediate {
 public:
  static TGraph& of(glslang::TIntermediate& tree) { return tree.*(&KeptCalls::callGraph); }
};

const glslang::TIntermAggregate* function_at(const TIntermNode* node) {
  const glslang::TIntermAggregate* const found = node->getAsAggregate();
  return found != nullptr && found->getOp() == glslang::EOpFunction ? found : nullptr;
}

class CallGraph {
 public:
  explicit CallGraph(glslang::TIntermediate& tree) {
    for (const TIntermNode* const each : tree.getTreeRoot()->getAsAggregate()->getSequence())
      if (const auto* const function = function_at(each)) all_.try_emplace(function->getName());
    for (const auto& call : KeptCalls::of(tree)) all_[call.caller].calls.push_back(call.callee);
  }

  /// Whether all that are called are there, and none leads back to itself.
  bool are_sound() {
    for (const auto& [name, _] : all_)
      if (!walk(name)) return false;
    return true;
  }

  /// Those that this one leads to, and itself.
  void reach(std::string_view name) {
    for (auto& [_, function] : all_) function.state = State::unseen;
    walk(name);
  }
  [[nodiscard]] bool is_reached(std::string_view name) const { return all_.at(name).state == State::done; }

 private:
  enum class State : std::uint8_t { unseen, open, done };
  struct Function {
    std::vector<std::string_view> calls;
    State state = State::unseen;
  };

  /// Without the stack of this program: chains of calls may be as long as the shader.
  bool walk(std::string_view root) {
    std::vector<std::pair<Function*, std::size_t>> path;
    const auto enter = [&](std::string_view name) {
      const auto found = all_.find(name);
      if (found == all_.end() || found->second.state == State::open) return false;
      if (found->second.state == State::unseen) {
        found->second.state = State::open;
        path.emplace_back(&found->second, 0);
      }
      return true;
    };
    if (!enter(root)) return false;
    while (!path.empty()) {
      auto& [function, next] = path.back();
      if (next != function->calls.size()) {
        if (!enter(function->calls[next++])) return false;
        continue;
      }
      function->state = State::done;
      path.pop_back();
    }
    return true;
  }

  std::unordered_map<std::string_view, Function> all_;
};

}  // namespace

bool settle_many_calls(glslang::TIntermediate& tree) {
  if (KeptCalls::of(tree).size() <= many || tree.getTreeRoot() == nullptr) return false;
  CallGraph functions(tree);
  if (!functions.are_sound()) return false;
  functions.reach(tree.getEntryPointMangledName());
  std::erase_if(tree.getTreeRoot()->getAsAggregate()->getSequence(), [&](const TIntermNode* node) {
    const auto* const function = function_at(node);
    return function != nullptr && !functions.is_reached(std::string_view(function->getName()));
  });
  KeptCalls::of(tree).clear();
  return true;
}

// The parser looks back from the last call to the first one of another function: here to one of none.
UncomparedCall::UncomparedCall(glslang::TIntermediate& tree)
    : tree_(tree), is_needed_(KeptCalls::of(tree).size() > many) {
  if (is_needed_) KeptCalls::of(tree).emplace_front("", "");
}
UncomparedCall::~UncomparedCall() {
  if (!is_needed_) return;
  auto& calls = KeptCalls::of(tree_);
  calls.erase(calls.front().caller.empty() ? calls.begin() : std::next(calls.begin()));
}

}  // namespace mobula::compile
