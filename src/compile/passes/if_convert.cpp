#include "compile/passes/if_convert.h"

#include <algorithm>
#include <map>

#include "compile/passes/blocks.h"

namespace mobula::ssa {
namespace {

class Converter {
 public:
  Converter(Program& program, unsigned most_operations)
      : program_(program), most_operations_(most_operations), replaced_(program.blocks.size(), none) {}

  bool run() {
    bool any = false;
    // Inner branches first.
    for (auto i = static_cast<std::uint32_t>(program_.blocks.size()); i-- > 0;) any = convert(i) || any;
    for (Block& each : program_.blocks)
      while (each.next_turn != none && replaced_[each.next_turn] != none) each.next_turn = replaced_[each.next_turn];
    if (any) drop_unreached(program_);
    return any;
  }

 private:
  bool convert(std::uint32_t number) {
    const End end = program_.blocks[number].end;
    if (end.kind != End::Kind::branch) return false;
    const auto [yes, no] = end.targets;
    const std::uint32_t after_yes = after_side(yes, number), after_no = after_side(no, number);
    // Both sides, or one that the other way leads past.
    std::uint32_t meeting = none;
    if (after_yes != none && (after_yes == after_no || after_yes == no))
      meeting = after_yes;
    else if (after_no == yes)
      meeting = yes;
    if (meeting == none || meeting == number) return false;
    const std::uint32_t from_yes = yes == meeting ? number : yes, from_no = no == meeting ? number : no;
    unsigned operations = 0;
    for (const std::uint32_t side : {from_yes, from_no})
      if (side != number) operations += count_operations(program_.blocks[side]);
    if (operations > most_operations_) return false;

    for (const std::uint32_t side : {from_yes, from_no})
      if (side != number) take_in(number, side);
    choose(number, end.condition, from_yes, from_no, meeting);
    return true;
  }

  /// Where a side leads that can be executed in any case; none if it cannot.
  [[nodiscard]] std::uint32_t after_side(std::uint32_t side, std::uint32_t from) const {
    const Block& block = program_.blocks[side];
    const bool is_plain = block.predecessors == std::vector{from} && block.end.kind == End::Kind::jump;
    if (!is_plain || side <= from) return none;
    const bool harmless =
        std::ranges::all_of(block.instructions, [&](const Instruction& each) { return is_harmless(each); });
    return harmless ? block.end.targets[0] : none;
  }
  [[nodiscard]] bool is_harmless(const Instruction& each) const {
    if (each.op == Op::read)
      return each.operands.empty() && program_.variables[each.variable].storage == Storage::uniform_block;
    return only_computes(each.op) || each.op == Op::constant || each.op == Op::undefined || each.op == Op::load;
  }

  void take_in(std::uint32_t number, std::uint32_t side) {
    auto& into = program_.blocks[number].instructions;
    auto& from = program_.blocks[side].instructions;
    into.insert(into.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    from.clear();
  }

  /// Leads from `number` to the meeting, with what would have come from either side.
  void choose(std::uint32_t number, Value condition, std::uint32_t from_yes, std::uint32_t from_no,
              std::uint32_t meeting) {
    Block& here = program_.blocks[number];
    Block& there = program_.blocks[meeting];
    const auto place_of = [&](std::uint32_t from) {
      return static_cast<std::size_t>(std::ranges::find(there.predecessors, from) - there.predecessors.begin());
    };
    const std::size_t at_yes = place_of(from_yes), at_no = place_of(from_no);
    std::map<unsigned, Value> conditions{{1, condition}};  // by the number of components that they choose
    for (Instruction& phi : there.instructions) {
      if (phi.op != Op::phi) break;
      Value& wide = conditions.try_emplace(phi.type.components, none).first->second;
      if (wide == none) {
        here.instructions.push_back(
            make_beside(program_, phi, Op::swizzle, {Base::boolean, phi.type.components}, {condition}));
        wide = here.instructions.back().result;
      }
      here.instructions.push_back(
          make_beside(program_, phi, Op::select, phi.type, {wide, phi.operands[at_yes], phi.operands[at_no]}));
      phi.operands[at_yes] = here.instructions.back().result;
    }
    there.predecessors[at_yes] = number;
    program_.blocks[from_yes].end = program_.blocks[from_no].end = {End::Kind::unreachable};
    here.end = {End::Kind::jump, none, {meeting, none}};
    forget_at(there, at_no);
    if (here.next_turn == none) here.merge = none;
    for (const std::uint32_t side : {from_yes, from_no})
      if (side != number) replaced_[side] = number;
  }
  static void forget_at(Block& block, std::size_t at) {
    block.predecessors.erase(block.predecessors.begin() + static_cast<std::ptrdiff_t>(at));
    for (Instruction& each : block.instructions) {
      if (each.op != Op::phi) break;
      each.operands.erase(each.operands.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  Program& program_;
  unsigned most_operations_;
  std::vector<std::uint32_t> replaced_;  ///< by block: the one that took it in
};

}  // namespace

bool convert_branches(Program& program, unsigned most_operations) { return Converter(program, most_operations).run(); }

}  // namespace mobula::ssa
