#include "machines/midgard/compile/back_end.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

#include "compile/cannot_do.h"
#include "compile/passes/lower.h"
#include "compile/passes/optimize.h"
#include "compile/passes/outputs.h"
#include "compile/passes/position.h"
#include "compile/passes/tables.h"
#include "machines/midgard/compile/allocate.h"
#include "machines/midgard/compile/emit.h"
#include "machines/midgard/compile/halves.h"
#include "machines/midgard/compile/liveness.h"
#include "machines/midgard/compile/select.h"
#include "machines/midgard/compile/spill.h"
#include "machines/midgard/compile/textures.h"

namespace mobula::midgard_compiler {
namespace {

// 24 registers are uniforms and work; more than eight uniforms leave eight to work with.
constexpr unsigned all_registers = 24, most_work = 16;
constexpr std::uint32_t most_table_words = 4096;

/// What select() has a way to do.
ssa::Native native() {
  using ssa::Op;
  return {Op::fneg,     Op::fabs,     Op::ffloor, Op::fceil,     Op::ftrunc, Op::fround, Op::fadd,   Op::fsub,
          Op::fmul,     Op::fmin,     Op::fmax,   Op::fdot,      Op::fsqrt,  Op::frsqrt, Op::frcp,   Op::fexp2,
          Op::flog2,    Op::fsinpi,   Op::fcospi, Op::ineg,      Op::iabs,   Op::iadd,   Op::isub,   Op::imul,
          Op::imulhi_s, Op::imulhi_u, Op::imin_s, Op::imin_u,    Op::imax_s, Op::imax_u, Op::iand,   Op::ior,
          Op::ixor,     Op::inot,     Op::ishl,   Op::ishr_s,    Op::ishr_u, Op::iclz,   Op::f_to_s, Op::f_to_u,
          Op::s_to_f,   Op::u_to_f,   Op::f_bits, Op::f_of_bits, Op::feq,    Op::fne,    Op::flt,    Op::fle,
          Op::ieq,      Op::ine,      Op::ilt_s,  Op::ilt_u,     Op::ile_s,  Op::ile_u,  Op::band,   Op::bor,
          Op::bxor,     Op::bnot,     Op::bany,   Op::ball,      Op::select, Op::ddx,    Op::ddy,    Op::fatan,
          Op::fatan2};
}

/// A program as operations of the machine, before registers and words.
struct Selected {
  Code code;
  Layout layout;
  UniformRegisters uniforms;
  Analysis analysis;
};
struct Attempt {
  std::shared_ptr<const Selected> selected;
  Schedule schedule;
  Allocation allocation;
};

/// By value: is it read in another block than the one that makes it?
std::vector<bool> read_elsewhere(Code& code) {
  std::vector<std::size_t> made_in(code.values.size());
  for (std::size_t i = 0; i < code.blocks.size(); ++i)
    for (const Instruction& each : code.blocks[i].code)
      if (each.result != no_value) made_in[each.result] = i;
  std::vector<bool> elsewhere(code.values.size());
  for (std::size_t i = 0; i < code.blocks.size(); ++i)
    for (const Instruction& each : code.blocks[i].code)
      each_source(each, [&](const Source& source, std::uint8_t, bool) {
        if (source.is_value() && made_in[source.number] != i) elsewhere[source.number] = true;
      });
  return elsewhere;
}

/// Gives results of textures that are read in another block, or all, a work register of their own.
void copy_texture_results(Code& code, bool all) {
  const std::vector<bool> elsewhere = read_elsewhere(code);
  std::unordered_map<Value, Value> copies;
  for (Block& block : code.blocks)
    for (const Instruction& each : block.code)
      if (each.kind == Instruction::Kind::texture && each.result != no_value && (all || elsewhere[each.result]))
        if (!copies.contains(each.result))
          copies[each.result] = code.add({.components = code.values[each.result].components});
  if (copies.empty()) return;
  for (Block& block : code.blocks) {
    std::vector<Instruction> instructions;
    for (Instruction& each : block.code) {
      each_source(each, [&](Source& source, std::uint8_t, bool) {
        if (!source.is_value()) return;
        if (const auto copy = copies.find(source.number); copy != copies.end()) source.number = copy->second;
      });
      instructions.push_back(each);
      if (each.kind != Instruction::Kind::texture) continue;
      const auto copy = copies.find(each.result);
      if (copy == copies.end()) continue;
      instructions.push_back(copy_of(of(each.result), copy->second, each.mask, each.line));
      instructions.back().relaxed = each.relaxed;
    }
    block.code = std::move(instructions);
  }
}

/// Blocks that no way leads to are empty.
void drop_unreached(Code& code) {
  std::vector<bool> reached(code.blocks.size());
  std::vector<std::uint32_t> open{0};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (reached[at]) continue;
    reached[at] = true;
    const auto& next = code.blocks[at].successors;
    open.insert(open.end(), next.begin(), next.end());
  }
  for (std::size_t i = 0; i < code.blocks.size(); ++i)
    if (!reached[i]) code.blocks[i] = {};
}

/// A block that only the one before it leads to becomes part of that one.
void merge_blocks(Code& code) {
  std::vector<std::uint32_t> ways(code.blocks.size());
  for (const Block& block : code.blocks)
    for (const std::uint32_t next : block.successors) ++ways[next];
  for (std::size_t i = code.blocks.size(); i-- > 1;) {
    Block& block = code.blocks[i];
    Block& before = code.blocks[i - 1];
    if (ways[i] != 1 || before.successors != std::vector{static_cast<std::uint32_t>(i)}) continue;
    std::ranges::move(block.code, std::back_inserter(before.code));
    before.successors = std::move(block.successors);
    block = {};
  }
}

/// With so many work registers; `careful`: results of textures leave their registers at once, and values share less.
Selected select_for(const ssa::Program& form, const midgard::Product& product, unsigned work, bool careful) {
  Selected made{
      .code = {}, .layout = lay_out(form), .uniforms = UniformRegisters(all_registers - work), .analysis = {}};
  made.code = select(form, made.layout, made.uniforms, product);
  drop_unreached(made.code);
  merge_blocks(made.code);
  drop_unused(made.code);
  copy_texture_results(made.code, careful);
  coalesce(made.code, !careful);
  drop_unused(made.code);
  fit_constants(made.code);
  prepare_writeouts(made.code, careful);
  return made;
}

std::size_t words_of(const Schedule& schedule) {
  std::size_t words = 0;
  for (const auto& block : schedule.blocks) words += block.size();
  return words;
}

/// Fewer registers let more threads run at a time: up to 4, 8 and 16. What that is worth depends on what the threads
/// wait for; here as much as so many hundredths of the words.
std::size_t cost_of(const Schedule& schedule, unsigned registers) {
  return words_of(schedule) * (registers <= 4 ? 100 : registers <= 8 ? 106 : 120);
}

/// What one way of doing it comes to; none if values do not fit the registers, or if it costs more whatever registers
/// it needs.
std::optional<Attempt> attempt(std::shared_ptr<const Selected> selected, const midgard::Product& product, unsigned work,
                               const Preference& preference, bool may_spill, std::size_t most_cost) {
  for (;;) {
    const bool alias = product.interpipe_aliasing;
    auto words = schedule(selected->code, selected->analysis, preference, alias);
    if (!words || cost_of(*words, 0) > most_cost) return {};
    Attempt made{.selected = selected, .schedule = std::move(*words), .allocation = {}};
    made.allocation = allocate(selected->code, selected->analysis.liveness, made.schedule, work, alias);
    if (made.allocation.is_complete) return made;
    const std::vector<Value>& without = made.allocation.without;
    if (without.empty() || !may_spill) return {};
    const auto spilled = std::make_shared<Selected>(Selected{selected->code, selected->layout, selected->uniforms, {}});
    std::uint32_t& memory = *spilled->layout.interface.thread_local_bytes;
    memory = (memory + spilled_bytes - 1) / spilled_bytes * spilled_bytes;
    if (memory + without.size() * spilled_bytes > spill_reach) return {};
    memory = spill(spilled->code, without, memory);
    spilled->analysis = analyse(spilled->code);
    selected = spilled;
  }
}

/// Branches taken for short.
unsigned quadwords_of(const Word& word) {
  if (word.kind != Word::Kind::alu) return 1;
  unsigned bytes = 4;
  for (unsigned unit = 0; unit < midgard::unit_count; ++unit)
    if (!word.units[unit].is_free()) bytes += 2U + midgard::info(static_cast<midgard::Unit>(unit)).bytes;
  if (!word.branch.is_free()) bytes += 2;
  constexpr unsigned quadword = 16;
  return (bytes + quadword - 1) / quadword + (word.constant_count != 0 ? 1 : 0);
}

unsigned quadwords_of(const Attempt& made) {
  unsigned quadwords = 0;
  for (const auto& block : made.schedule.blocks)
    for (const Word& word : block) quadwords += quadwords_of(word);
  return quadwords;
}

/// Of what costs the same, what has fewer quadwords and registers in all.
std::pair<std::size_t, unsigned> cost_of(const Attempt& made) {
  const unsigned registers = made.allocation.work_registers;
  return {cost_of(made.schedule, registers), quadwords_of(made) + registers};
}

/// Whether results may be rounded to 16 bits where that saves registers, which depends on what else a shader computes:
/// not where other shaders may have to come to the same results.
bool may_use_halves(const ssa::Program& form) {
  return form.stage == Stage::fragment && std::ranges::none_of(form.variables, [](const ssa::Variable& variable) {
           return variable.storage == ssa::Storage::output &&
                  std::ranges::any_of(variable.slots, &ssa::Slot::invariant);
         });
}

std::shared_ptr<const Selected> analysed(Selected&& selected) {
  selected.analysis = analyse(selected.code);
  return std::make_shared<const Selected>(std::move(selected));
}
/// The same with halves; none if they save nothing.
std::shared_ptr<const Selected> with_halves(const Selected& selected) {
  Selected halves{selected.code, selected.layout, selected.uniforms, {}};
  return use_halves(halves.code) ? analysed(std::move(halves)) : nullptr;
}

/// The best of the ways that have been tried.
class Best {
 public:
  explicit Best(const midgard::Product& product) : product_(product) {}

  void consider(const std::shared_ptr<const Selected>& selected, unsigned work, const Preference& preference,
                bool may_spill = false) {
    // memory may take values out of the way, and words with them
    const bool is_bounded = best_ && !may_spill;
    const std::size_t most_cost = is_bounded ? cost_of(*best_).first : std::numeric_limits<std::size_t>::max();
    auto made = attempt(selected, product_, work, preference, may_spill, most_cost);
    if (made && (!best_ || cost_of(*made) < cost_of(*best_))) best_ = std::move(made);
  }
  [[nodiscard]] bool exists() const { return best_.has_value(); }
  std::optional<Attempt> take() { return std::move(best_); }

 private:
  const midgard::Product& product_;
  std::optional<Attempt> best_;
};

std::optional<Attempt> best_of(const ssa::Program& form, const midgard::Product& product) {
  const bool may_round = may_use_halves(form);
  Best best(product);
  for (const unsigned work : {8U, most_work})
    for (const bool careful : {false, true}) {
      if (best.exists() && careful) continue;
      auto selected = analysed(select_for(form, product, work, careful));
      for (const bool halves : {false, true}) {
        if (halves) selected = may_round ? with_halves(*selected) : nullptr;
        if (!selected) break;
        best.consider(selected, work, {});
        for (const unsigned registers : {work / 2, work}) best.consider(selected, work, {true, 4 * registers - 6});
        best.consider(selected, work, {.short_words = false});
        for (const bool short_words : {true, false})
          if (!best.exists()) best.consider(selected, work, {short_words, 4 * work - 6, true});
      }
    }
  if (best.exists()) return best.take();
  std::array<std::shared_ptr<const Selected>, 2> both;
  for (const bool careful : {false, true}) {
    auto& selected = both[careful ? 1 : 0] = analysed(select_for(form, product, most_work, careful));
    if (auto halves = may_round ? with_halves(*selected) : nullptr) selected = std::move(halves);
  }
  // what is read again from memory should be read late
  for (const Order order : {Order::free, Order::of_few})
    for (const unsigned components : {3 * most_work, 2 * most_work, most_work})
      for (const auto& selected : both) {
        if (best.exists()) continue;
        for (const bool short_words : {true, false})
          for (const bool sparing : {false, true})
            best.consider(selected, most_work, {short_words, components, sparing, order}, true);
      }
  if (!best.exists()) best.consider(both.back(), most_work, {.short_words = false, .order = Order::of_all}, true);
  return best.take();
}

}  // namespace

Result<Program> compile(const ssa::Program& form, const std::string& variant) {
  const midgard::Product& product = midgard::find_product(variant);
  try {
    ssa::Program lowered = form;
    ssa::gather_outputs(lowered);
    ssa::tables_to_uniforms(lowered, most_table_words);
    if (form.stage == Stage::vertex) ssa::place_positions(lowered);
    prepare_textures(lowered);
    ssa::optimize(lowered, {.level = 1});
    ssa::lower(lowered, native());
    ssa::optimize(lowered, {.level = 1});
    ssa::store_initial(lowered, ssa::Storage::local);
    auto best = best_of(lowered, product);
    if (!best)
      compile::cannot("the shader needs more than " + std::to_string(most_work) +
                          " registers at a time, and more than " + std::to_string(spill_reach) +
                          " bytes of memory for its arrays and the other values",
                      0, "make its arrays smaller, or split it into several");
    Program program;
    program.machine = "midgard";
    program.variant = std::string(product.name);
    program.interface = best->selected->layout.interface;
    // none at all is erratum 9275
    program.interface.work_registers = std::max(best->allocation.work_registers, 1U);
    program.interface.uniform_registers = best->selected->uniforms.count();
    program.interface.push = best->selected->uniforms.words();
    emit(best->selected->code, best->schedule, product, program);
    return program;
  } catch (compile::CannotDo& refused) {
    return fail(std::move(refused.why));
  }
}

}  // namespace mobula::midgard_compiler

namespace mobula::midgard {

const compile::BackEnd& back_end() {
  static constexpr compile::BackEnd row{.compile = midgard_compiler::compile};
  return row;
}

}  // namespace mobula::midgard
