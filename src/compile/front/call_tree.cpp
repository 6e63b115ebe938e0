#include "compile/front/call_tree.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compile/front/words.h"

namespace mobula::compile {
namespace {

constexpr std::uint64_t endless = std::uint64_t{1} << 62;

struct Size {
  std::uint64_t instructions = 0, blocks = 0;

  Size& operator+=(const Size& other) {
    instructions = std::min(endless, instructions + other.instructions);
    blocks = std::min(endless, blocks + other.blocks);
    return *this;
  }
};

struct Function {
  Size own;
  std::vector<std::uint32_t> calls;
  Size expanded;      ///< no instructions: not known yet
  bool open = false;  ///< one of those that are being counted
};

struct Functions {
  std::map<std::uint32_t, Function> all;
  std::map<std::uint32_t, std::string> names;
  bool recursive = false;

  explicit Functions(const Spirv& module) {
    Function* inside = nullptr;
    for_each_instruction(module, [&](SpirvWords each) {
      if (each.op() == spv::Op::OpName) names[each[1]] = text_at(each.words.subspan(2));
      if (each.op() == spv::Op::OpFunction) inside = &all[each[2]];
      if (inside == nullptr) return;
      inside->own += {1, each.op() == spv::Op::OpLabel ? 1u : 0u};
      if (each.op() == spv::Op::OpFunctionCall) inside->calls.push_back(each[3]);
    });
  }

  /// Deep chains of calls are walked without the stack of this program.
  Size expand(std::uint32_t root) {
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{root, 0}};
    all[root].open = true;
    while (!path.empty()) {
      auto& [id, next] = path.back();
      Function& function = all[id];
      if (next == function.calls.size()) {
        function.expanded = function.own;
        for (const std::uint32_t call : function.calls) function.expanded += all[call].expanded;
        function.open = false;
        path.pop_back();
        continue;
      }
      const std::uint32_t call = function.calls[next++];
      Function& called = all[call];
      if (called.open) recursive = true;
      if (called.open || called.expanded.instructions != 0) continue;
      called.open = true;
      path.emplace_back(call, 0);
    }
    return all[root].expanded;
  }
};

}  // namespace

ExpandedSize expanded_size(const Spirv& module) {
  Functions functions(module);
  ExpandedSize size;
  std::vector<std::uint32_t> ids;
  for (const auto& [id, _] : functions.all) ids.push_back(id);
  for (const std::uint32_t id : ids) {
    const Size known = functions.all[id].expanded;
    const Size expanded = known.instructions != 0 ? known : functions.expand(id);
    if (expanded.instructions <= size.instructions) continue;
    size.instructions = expanded.instructions;
    size.blocks = expanded.blocks;
    size.function = functions.names[id];
  }
  size.recursive = functions.recursive;
  return size;
}

}  // namespace mobula::compile
