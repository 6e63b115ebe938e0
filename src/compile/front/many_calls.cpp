#include "compile/front/many_calls.h"

#include <set>
#include <unordered_map>

#include "compile/front/words.h"

namespace mobula::compile {
namespace {

constexpr unsigned most_calls = 64;

/// The first blocks of loops. What says so stands at their end and cannot leave them.
std::set<std::uint32_t> heads_of_loops(const Spirv& module) {
  std::set<std::uint32_t> heads;
  std::uint32_t block = 0;
  for_each_instruction(module, [&](const SpirvWords& each) {
    if (each.op() == spv::Op::OpLabel) block = each[1];
    if (each.op() == spv::Op::OpLoopMerge) heads.insert(block);
  });
  return heads;
}

class Cutter {
 public:
  explicit Cutter(const Spirv& module)
      : heads_(heads_of_loops(module)), made_(module.begin(), module.begin() + spirv_header_words) {
    for_each_instruction(module, [&](const SpirvWords& each) { take(each); });
    lead_phis();
  }

  [[nodiscard]] bool has_cut() const { return !last_pieces_.empty(); }
  Spirv take_made() { return std::move(made_); }

 private:
  void take(const SpirvWords& each) {
    made_.insert(made_.end(), each.words.begin(), each.words.end());
    if (each.op() == spv::Op::OpLabel) block_ = each[1], calls_ = 0;
    if (each.op() == spv::Op::OpLine) line_ = each.words;
    if (each.op() == spv::Op::OpLabel || each.op() == spv::Op::OpNoLine) line_ = {};
    if (each.op() == spv::Op::OpFunctionCall && ++calls_ == most_calls && !heads_.contains(block_)) cut();
  }

  void cut() {
    const std::uint32_t piece = made_[spirv_bound]++;
    append(made_, spv::Op::OpBranch, {piece});
    append(made_, spv::Op::OpLabel, {piece});
    made_.insert(made_.end(), line_.begin(), line_.end());
    last_pieces_[block_] = piece;
    calls_ = 0;
  }

  /// What came from a block comes from its last piece.
  void lead_phis() {
    if (!has_cut()) return;
    for_each_instruction(made_, [&](const SpirvWords& each) {
      if (each.op() != spv::Op::OpPhi) return;
      const auto at = static_cast<std::size_t>(each.words.data() - made_.data());
      for (std::size_t i = 4; i < each.size(); i += 2)
        if (const auto piece = last_pieces_.find(each[i]); piece != last_pieces_.end()) made_[at + i] = piece->second;
    });
  }

  std::set<std::uint32_t> heads_;
  Spirv made_;
  std::uint32_t block_ = 0;
  unsigned calls_ = 0;
  std::span<const std::uint32_t> line_;  ///< that holds where the next instruction stands
  std::unordered_map<std::uint32_t, std::uint32_t> last_pieces_;
};

}  // namespace

bool cut_behind_calls(Spirv& module) {
  Cutter cutter(module);
  if (cutter.has_cut()) module = cutter.take_made();
  return cutter.has_cut();
}

}  // namespace mobula::compile
