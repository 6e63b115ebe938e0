#include "machines/midgard/compile/emit.h"

#include <algorithm>
#include <bit>

#include "machines/midgard/spec/codec.h"

namespace mobula::midgard_compiler {
namespace {

using midgard::Bundle;
using midgard::Unit;

constexpr unsigned condition_component = 3;
constexpr std::uint64_t memory_nop = 3;

/// A word that is made but for where its branch leads.
struct Made {
  Bundle bundle;
  std::uint32_t line = 0;
  bool branches = false, ends = false;
  midgard::Branch branch;
  std::uint32_t target = 0;  ///< number of the word; one past the last: the end
  std::uint32_t quadwords = 1;
};

class Emitter {
 public:
  Emitter(const Code& code, const Schedule& schedule, const midgard::Product& product)
      : code_(code), schedule_(schedule), product_(product) {}

  void run(Program& program) {
    make_words();
    add_retries();
    if (made_.empty()) made_.push_back({.bundle = memory_word(memory_nop, memory_nop)});
    made_.back().ends = true;
    lay_out();
    write(program);
  }

 private:
  void make_words() {
    std::vector<std::uint32_t> first;
    std::uint32_t count = 0;
    for (const auto& words : schedule_.blocks) {
      first.push_back(count);
      count += static_cast<std::uint32_t>(words.size());
    }
    first.push_back(count);
    for (std::size_t i = 0; i < schedule_.blocks.size(); ++i) {
      block_ = &code_.blocks[i];
      for (const Word& word : schedule_.blocks[i]) {
        word_ = &word;
        Made each;
        switch (word.kind) {
          case Word::Kind::alu:
            each = alu_word();
            break;
          case Word::Kind::load_store:
            each.bundle = memory_word(access(word.accesses[0]), access(word.accesses[1]));
            break;
          case Word::Kind::texture:
            each.bundle = texture_word(instruction(word.accesses[0]));
            break;
        }
        if (each.branches) each.target = first[each.target];
        each.line = line_of(word);
        made_.push_back(each);
      }
    }
  }

  const Instruction& instruction(const UnitWork& work) const { return block_->code[work.instruction]; }

  std::uint32_t line_of(const Word& word) const {
    std::uint32_t line = 0;
    const auto note = [&](const UnitWork& work) {
      if (!work.is_free() && line == 0) line = instruction(work).line;
    };
    for (const UnitWork& work : word.units) note(work);
    for (const UnitWork& work : word.accesses) note(work);
    note(word.branch);
    return line;
  }

  // ---------------------------------------------------------------------------------------------- operands

  struct Register {
    unsigned number = midgard::register_unused;
    unsigned component = 0;
    bool half = false;  ///< 16 bits a component
  };

  [[nodiscard]] Register place_of(Value value, unsigned component) const {
    const Place& place = schedule_.places[value];
    const unsigned last = code_.values[value].components - 1U;
    return {static_cast<unsigned>(place.reg), place.component[std::min(component, last)], place.half};
  }

  /// Where a source is for one of its lanes.
  [[nodiscard]] Register read(const Source& source, unsigned lane) const {
    switch (source.kind) {
      case Source::Kind::none:
        return {};
      case Source::Kind::value:
        return place_of(source.number, source.component[lane]);
      case Source::Kind::machine:
        return {source.number, source.component[lane]};
      case Source::Kind::constant: {
        const auto found = std::ranges::find(word_->constants, source.bits[lane]);
        return {midgard::register_constants, static_cast<unsigned>(found - word_->constants.begin())};
      }
    }
    return {};
  }

  static unsigned modifiers(const AluOp& op, const Source& source) {
    if (op.in != midgard::Kind::f) return 0;
    return (source.absolute ? 1U : 0U) | (source.negative ? 2U : 0U);
  }

  // ---------------------------------------------------------------------------------------------- arithmetic

  /// One unit's work: what it computes, and of each of its lanes which lane of the sources.
  struct Work {
    const AluOp* op = nullptr;
    std::array<const Source*, 2> sources{};
    unsigned destination = midgard::register_unused;
    std::array<int, 4> lane{-1, -1, -1, -1};  ///< by component of the destination, or of its half; -1: not written
    midgard::Shrink shrink = midgard::Shrink::none;
    std::uint8_t lanes = 0;  ///< of the sources, that are read
    unsigned outmod = 0;
    bool high_half = false, is_signed = false;
  };

  [[nodiscard]] Work work_of(const UnitWork& unit) const {
    const Instruction& each = instruction(unit);
    Work work;
    if (unit.is_guard) {
      work.op = each.guard.op;
      work.sources = {&each.guard.sources[0], &each.guard.sources[1]};
      work.destination = midgard::register_condition;
      work.lanes = guard_lanes(each);
      if (each.guard.by_component)
        put_lanes(each, work);
      else
        work.lane[condition_component] = 0;
      if (work.op->out != midgard::Kind::f) work.outmod = static_cast<unsigned>(midgard::IntOutmod::keeplo);
      return work;
    }
    work.op = each.op;
    work.sources = {&each.sources[0], &each.sources[1]};
    work.lanes = lanes_read(each, 0);
    work.outmod = each.outmod;
    work.high_half = each.high_half;
    work.is_signed = each.is_signed;
    if (each.result != no_value) {
      const Place& place = schedule_.places[each.result];
      work.destination = static_cast<unsigned>(place.reg);
      if (place.half) work.shrink = place.component[0] < 4 ? midgard::Shrink::lower : midgard::Shrink::upper;
      put_lanes(each, work);
    }
    return work;
  }
  void put_lanes(const Instruction& each, Work& work) const {
    for (unsigned c = 0; c < 4; ++c)
      if ((each.mask >> c & 1U) != 0)
        work.lane[place_of(each.result, c).component & 3U] = static_cast<int>(each.op->is_horizontal() ? 0 : c);
  }

  midgard::AluInstruction encode(Unit unit, const Work& given) const {
    Work work = given;
    const auto constant = inline_constant(work.op, *work.sources[1], work.lanes);
    if (work.op != given.op) {  // the row for numbers instead of integers
      work.outmod = 0;
    }
    midgard::AluInstruction made{unit, 0, 0};
    const auto first_lane = static_cast<unsigned>(std::countr_zero(work.lanes));
    made.registers = registers(work.destination, read(*work.sources[0], first_lane).number,
                               read(*work.sources[1], first_lane).number);
    if (midgard::info(unit).vector)
      encode_vector(work, made);
    else
      encode_scalar(work, first_lane, made);
    if (constant) midgard::set_inline_constant(made, *constant);
    return made;
  }

  static std::uint16_t registers(unsigned destination, unsigned source1, unsigned source2) {
    std::uint64_t word = 0;
    set(word, midgard::reg::dst, destination);
    set(word, midgard::reg::src1, source1);
    set(word, midgard::reg::src2, source2);
    return static_cast<std::uint16_t>(word);
  }

  void encode_scalar(const Work& work, unsigned lane, midgard::AluInstruction& made) const {
    namespace scalar = midgard::scalar;
    unsigned component = 0;
    while (component < 3 && work.lane[component] < 0) ++component;
    set(made.word, scalar::opcode, work.op->opcode);
    set(made.word, scalar::src1_mod, modifiers(*work.op, *work.sources[0]));
    const Register from = read(*work.sources[0], lane), other = read(*work.sources[1], lane);
    const auto number = [](const Register& at) { return at.half ? at.component : 2 * at.component; };
    set(made.word, scalar::src1_full, from.half ? 0 : 1);
    set(made.word, scalar::src1_component, number(from));
    std::uint64_t second = 0;
    set(second, midgard::scalarsrc::mod, modifiers(*work.op, *work.sources[1]));
    set(second, midgard::scalarsrc::full, other.half ? 0 : 1);
    set(second, midgard::scalarsrc::component, number(other));
    set(made.word, scalar::src2, second);
    set(made.word, scalar::outmod, work.outmod);
    const bool narrows = work.shrink != midgard::Shrink::none;
    if (work.shrink == midgard::Shrink::upper) component += 4;
    set(made.word, scalar::full, narrows ? 0 : 1);
    set(made.word, scalar::component, narrows ? component : 2 * component);
  }

  void encode_vector(const Work& work, midgard::AluInstruction& made) const {
    namespace vec = midgard::vec;
    set(made.word, vec::opcode, work.op->opcode);
    set(made.word, vec::outmod, work.outmod);
    if (work.high_half) return encode_high_half(work, made);
    set(made.word, vec::mode, static_cast<unsigned>(midgard::RegMode::bits32));
    set(made.word, vec::shrink, static_cast<unsigned>(work.shrink));
    unsigned written = 0;
    for (unsigned c = 0; c < 4; ++c)
      if (work.lane[c] >= 0) written |= 1U << c;
    set(made.word, vec::mask, midgard::mask_of_lanes(32, written));
    const Field* const fields[] = {&vec::src1, &vec::src2};
    for (unsigned i = 0; i < 2; ++i) {
      std::uint64_t source = 0;
      set(source, midgard::vecsrc::mod, modifiers(*work.op, *work.sources[i]));
      set(source, midgard::vecsrc::expand, static_cast<unsigned>(expansion_of(*work.sources[i])));
      set(source, midgard::vecsrc::swizzle, swizzle_of(work, *work.sources[i]));
      set(made.word, *fields[i], source);
    }
  }

  /// All components of a value of 16 bits each are in one half of its register.
  [[nodiscard]] midgard::Expand expansion_of(const Source& source) const {
    const Register at = read(source, 0);
    if (!at.half) return midgard::Expand::none;
    return at.component < 4 ? midgard::Expand::low : midgard::Expand::high;
  }

  /// Of lanes that are not written: as the nearest one to the left, or the first.
  unsigned swizzle_of(const Work& work, const Source& source) const {
    if (source.kind == Source::Kind::none) return 0;
    std::array<int, 4> lanes{};
    if (work.op->is_horizontal()) {
      for (int i = 0; i < 4; ++i) lanes[static_cast<std::size_t>(i)] = std::min(i, work.op->reduces - 1);
    } else {
      const auto first = std::ranges::find_if(work.lane, [](int lane) { return lane >= 0; });
      int last = first == work.lane.end() ? 0 : *first;
      for (std::size_t i = 0; i < 4; ++i) {
        if (work.lane[i] >= 0) last = work.lane[i];
        lanes[i] = last;
      }
    }
    unsigned swizzle = 0;
    for (unsigned i = 0; i < 4; ++i) swizzle |= (read(source, static_cast<unsigned>(lanes[i])).component & 3U) << 2 * i;
    return swizzle;
  }

  /// 64-bit lanes of which the upper halves are kept: source components are widened, the result is narrowed.
  void encode_high_half(const Work& work, midgard::AluInstruction& made) const {
    namespace vec = midgard::vec;
    unsigned component = 0;
    while (component < 3 && work.lane[component] < 0) ++component;
    const auto lane = static_cast<unsigned>(work.lane[component]);
    set(made.word, vec::mode, static_cast<unsigned>(midgard::RegMode::bits64));
    set(made.word, vec::shrink, static_cast<unsigned>(component < 2 ? midgard::Shrink::lower : midgard::Shrink::upper));
    set(made.word, vec::mask, (component & 1U) == 0 ? 0x0F : 0xF0);
    const Field* const fields[] = {&vec::src1, &vec::src2};
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned from = read(*work.sources[i], lane).component;
      const auto extend = work.is_signed ? midgard::IntSourceMod::sext : midgard::IntSourceMod::zext;
      std::uint64_t source = 0;
      set(source, midgard::vecsrc::mod, static_cast<unsigned>(extend));
      set(source, midgard::vecsrc::expand,
          static_cast<unsigned>(from < 2 ? midgard::Expand::low : midgard::Expand::high));
      set(source, midgard::vecsrc::swizzle, (from & 1U) == 0 ? 0x44 : 0xEE);
      set(made.word, *fields[i], source);
    }
  }

  Made alu_word() {
    Made made;
    Bundle& bundle = made.bundle;
    bundle.form = Bundle::Form::alu;
    for (unsigned i = 0; i < midgard::unit_count; ++i)
      if (!word_->units[i].is_free()) add(bundle, encode(static_cast<Unit>(i), work_of(word_->units[i])));
    bundle.has_constants = word_->constant_count != 0;
    bundle.constants = word_->constants;
    if (word_->branch.is_free()) return made;
    const Instruction& each = instruction(word_->branch);
    made.branches = true;
    if (each.kind == Instruction::Kind::writeout) {
      made.branch.op = BranchMeaning::write;
      writeouts_.push_back({made_.size(), each.sources[1].is_value(), each.sources[2].is_value()});
      return made;
    }
    made.branch.op = each.branch;
    made.target = each.target;
    constexpr std::uint16_t if_true = 0xAAAA, if_false = 0x5555;
    if (each.has_guard()) {
      made.branch.lut = each.guard.inverted ? if_false : if_true;
    } else if (each.branch == BranchMeaning::cond) {
      made.branch.op = BranchMeaning::uncond;
    }
    return made;
  }
  static void add(Bundle& bundle, const midgard::AluInstruction& each) {
    bundle.alu[bundle.alu_count++] = each;
    bundle.control |= 1U << midgard::info(each.unit).control_bit;
  }

  // ---------------------------------------------------------------------------------------------- memory, textures

  static Bundle memory_word(std::uint64_t first, std::uint64_t second) {
    Bundle bundle;
    bundle.form = Bundle::Form::load_store;
    set(bundle.word, midgard::ldst::tag, midgard::tag_load_store);
    set(bundle.word, midgard::ldst::first, first);
    set(bundle.word, midgard::ldst::second, second);
    return bundle;
  }

  std::uint64_t access(const UnitWork& work) const {
    if (work.is_free()) return memory_nop;
    namespace ls = midgard::ls;
    const Instruction& each = instruction(work);
    std::uint64_t word = each.fields;
    set(word, ls::op, each.memory->opcode);
    const auto operand = [&](const Source& source, const Field& selector, const Field& component) {
      if (!source.is_value()) return;
      const Register at = read(source, 0);
      set(word, selector, at.number - midgard::register_load_store0);
      set(word, component, at.component);
    };
    operand(each.sources[1], ls::arg, ls::arg_component);
    operand(each.sources[2], ls::index, ls::index_component);
    if (each.memory->does == midgard::LsMeaning::atomic) {
      operand(each.sources[0], ls::atomic_operand, ls::atomic_component);
    } else if (each.is_store) {
      unsigned swizzle = 0;
      for (unsigned i = 0; i < 4; ++i) swizzle |= read(each.sources[0], i).component << 2 * i;
      set(word, ls::reg, read(each.sources[0], 0).number - midgard::register_load_store0);
      set(word, ls::swizzle, swizzle);
      set(word, ls::mask, each.stored);
      return word;
    }
    if (each.result == no_value) return word;
    const auto [mask, swizzle] = result_lanes(each);
    set(word, ls::reg, place_of(each.result, 0).number);
    set(word, ls::mask, mask);
    if (each.memory->does != midgard::LsMeaning::atomic) set(word, ls::swizzle, swizzle);
    return word;
  }

  struct Lanes {
    unsigned mask = 0, swizzle = 0;
  };
  /// Of lanes that are not written: as compilers have them, counted from the first one that is.
  [[nodiscard]] Lanes result_lanes(const Instruction& each) const {
    Lanes lanes;
    std::array<int, 4> from{-1, -1, -1, -1};
    for (unsigned c = 0; c < 4; ++c) {
      if ((each.mask >> c & 1U) == 0) continue;
      const unsigned at = place_of(each.result, c).component;
      lanes.mask |= 1U << at;
      from[at] = each.from[c];
    }
    const int first = std::countr_zero(lanes.mask);
    for (int i = 0; i < 4; ++i) {
      const int selected =
          from[static_cast<std::size_t>(i)] >= 0 ? from[static_cast<std::size_t>(i)] : std::max(0, i - first);
      lanes.swizzle |= static_cast<unsigned>(selected) << 2 * i;
    }
    return lanes;
  }

  Bundle texture_word(const Instruction& each) const {
    namespace tex = midgard::tex;
    Bundle bundle;
    bundle.form = Bundle::Form::texture;
    bundle.word = each.texture;
    if (each.is_barrier) return bundle;
    set(bundle.word, tex::in_full, 1);
    unsigned swizzle = 0;
    for (unsigned i = 0; i < 4; ++i) swizzle |= read(each.sources[0], i).component << 2 * i;
    set(bundle.word, tex::in_swizzle, swizzle);
    set(bundle.word, tex::in_select, read(each.sources[0], 0).number & 1U);
    const auto scalar = [&](const Source& source) {
      const Register at = read(source, 0);
      std::uint64_t select = 0;
      set(select, midgard::texselect::full, 1);
      set(select, midgard::texselect::select, at.number & 1U);
      set(select, midgard::texselect::component, at.component);
      return select;
    };
    if (each.sources[1].is_value()) {
      set(bundle.word, tex::lod_register, 1);
      set(bundle.word, tex::lod_fraction, scalar(each.sources[1]));
    }
    if (each.sources[3].is_value()) {
      set(bundle.word, tex::texture_register, 1);
      set(bundle.word, tex::texture, scalar(each.sources[3]));
      set(bundle.word, tex::sampler_register, each.samples ? 1 : 0);
      if (each.samples) set(bundle.word, tex::sampler, scalar(each.sources[3]));
    }
    if (each.sources[2].is_value()) {
      unsigned components = 0;
      for (unsigned i = 0; i < 3; ++i) components |= read(each.sources[2], i).component << 2 * i;
      std::uint64_t offset = 0;
      set(offset, midgard::texoffsetreg::full, 1);
      set(offset, midgard::texoffsetreg::select, read(each.sources[2], 0).number & 1U);
      set(offset, midgard::texoffsetreg::swizzle, components);
      set(bundle.word, tex::offset_register, 1);
      set(bundle.word, tex::offset, offset);
    }
    set(bundle.word, tex::out_full, 1);
    if (each.result == no_value) return bundle;
    const auto [mask, from] = result_lanes(each);
    set(bundle.word, tex::out_select, place_of(each.result, 0).number & 1U);
    set(bundle.word, tex::mask, mask);
    set(bundle.word, tex::swizzle, from);
    return bundle;
  }

  // ---------------------------------------------------------------------------------------------- the whole

  struct Writeout {
    std::size_t word = 0;
    bool has_depth = false, has_target = false;
  };

  /// A word for each writeout that repeats it until it succeeds.
  void add_retries() {
    static constexpr const AluOp* imov = alu_row("imov");
    const auto keep = [&](Bundle& bundle, Unit unit, unsigned reg, unsigned mask) {
      midgard::AluInstruction each{unit, registers(reg, midgard::register_unused, reg), 0};
      const auto outmod = static_cast<unsigned>(midgard::IntOutmod::keeplo);
      if (midgard::info(unit).vector) {
        constexpr unsigned identity = 0xE4;
        std::uint64_t source = 0;
        set(source, midgard::vecsrc::swizzle, identity);
        set(each.word, midgard::vec::opcode, imov->opcode);
        set(each.word, midgard::vec::mode, static_cast<unsigned>(midgard::RegMode::bits32));
        set(each.word, midgard::vec::src2, source);
        set(each.word, midgard::vec::shrink, static_cast<unsigned>(midgard::Shrink::none));
        set(each.word, midgard::vec::outmod, outmod);
        set(each.word, midgard::vec::mask, midgard::mask_of_lanes(32, mask));
      }
      add(bundle, each);
    };
    for (std::size_t i = 0; i < writeouts_.size(); ++i) {
      const Writeout& writeout = writeouts_[i];
      const bool is_last = i + 1 == writeouts_.size();
      Made retry;
      retry.bundle.form = Bundle::Form::alu;
      keep(retry.bundle, Unit::vmul, 0, 15);
      const unsigned special = (writeout.has_depth ? 1U : 0U) | (writeout.has_target ? 4U : 0U);
      if (special != 0) keep(retry.bundle, Unit::vadd, 1, special);
      retry.branches = true;
      retry.branch.op = BranchMeaning::write;
      retry.target = static_cast<std::uint32_t>(made_.size());
      retry.line = made_[writeout.word].line;
      made_[writeout.word].target = retry.target;
      made_[writeout.word].ends = is_last;
      made_.push_back(retry);
      if (is_last) continue;
      Made back;
      back.bundle.form = Bundle::Form::alu;
      back.branches = true;
      back.branch.op = BranchMeaning::uncond;
      back.target = static_cast<std::uint32_t>(writeout.word + 1);
      made_.back().ends = false;
      made_.push_back(back);
    }
  }

  /// Branches are short where they reach, which decides how far it is.
  void lay_out() {
    for (Made& each : made_) {
      if (each.branches) set_form(each, false);
      measure(each);
    }
    for (bool changed = true; changed;) {
      changed = false;
      position();
      for (Made& each : made_) {
        if (!each.branches || each.bundle.has_extended) continue;
        if (midgard::fits_compact(aimed(each))) continue;
        set_form(each, true);
        measure(each);
        changed = true;
      }
    }
  }
  void position() {
    positions_.clear();
    std::uint32_t at = 0;
    for (Made& each : made_) {
      each.bundle.position = at;
      positions_.push_back(at);
      at += each.quadwords;
    }
    positions_.push_back(at);
  }
  static void set_form(Made& each, bool extended) {
    each.bundle.has_compact = !extended;
    each.bundle.has_extended = extended;
    const unsigned compact = 1U << midgard::control::branch_compact.low,
                   far = 1U << midgard::control::branch_extended.low;
    each.bundle.control = (each.bundle.control & ~(compact | far)) | (extended ? far : compact);
    // the extended jump is avoided: a conditional one that is always taken
    if (extended && each.branch.op == BranchMeaning::uncond) each.branch.op = BranchMeaning::cond;
    each.branch.extended = extended;
    each.branch.call_mode = extended ? 0 : 1;
  }
  static void measure(Made& each) {
    each.quadwords = each.bundle.form == Bundle::Form::alu ? midgard::alu_quadwords(each.bundle) : 1;
  }
  [[nodiscard]] midgard::Branch aimed(const Made& each) const {
    midgard::Branch branch = each.branch;
    constexpr std::int32_t discard_offset = 2;  // as drivers' compilers have it: it leads nowhere
    if (branch.op == BranchMeaning::discard) {
      branch.offset = discard_offset;
      return branch;
    }
    branch.offset = static_cast<std::int32_t>(positions_[each.target]) -
                    static_cast<std::int32_t>(each.bundle.position + each.quadwords);
    branch.dest_tag = each.target < made_.size() ? tag_of(made_[each.target]) : midgard::tag_break;
    return branch;
  }
  [[nodiscard]] std::uint8_t tag_of(const Made& each) const {
    if (each.bundle.form != Bundle::Form::alu) return static_cast<std::uint8_t>(each.bundle.word.low & 15U);
    const bool writes = each.branches && each.branch.op == BranchMeaning::write && product_.writeout_tags;
    return static_cast<std::uint8_t>((writes ? midgard::tag_alu_writeout_4 : midgard::tag_alu_4) + each.quadwords - 1);
  }

  void write(Program& program) {
    for (std::size_t i = 0; i < made_.size(); ++i) {
      Made& each = made_[i];
      Bundle& bundle = each.bundle;
      bundle.tag = tag_of(each);
      bundle.next = each.ends || i + 1 == made_.size() ? midgard::tag_break : tag_of(made_[i + 1]);
      if (each.branches && bundle.has_extended) bundle.extended = midgard::encode_extended(aimed(each));
      if (each.branches && bundle.has_compact) bundle.compact = midgard::encode_compact(aimed(each));
      if (bundle.form != Bundle::Form::alu) set(bundle.word, midgard::ldst::next, bundle.next);
      if (each.line != 0 && (program.lines.empty() || program.lines.back().line != each.line))
        program.lines.push_back({program.code.size(), each.line});
      midgard::encode_bundle(bundle, program.code);
    }
    program.interface.first_tag = tag_of(made_.front());
  }

  const Code& code_;
  const Schedule& schedule_;
  const midgard::Product& product_;
  const Block* block_ = nullptr;
  const Word* word_ = nullptr;
  std::vector<Made> made_;
  std::vector<Writeout> writeouts_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace

void emit(const Code& code, const Schedule& schedule, const midgard::Product& product, Program& program) {
  Emitter(code, schedule, product).run(program);
}

}  // namespace mobula::midgard_compiler
