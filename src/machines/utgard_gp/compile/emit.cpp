#include "machines/utgard_gp/compile/emit.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "compile/cannot_do.h"
#include "machines/utgard_gp/spec/codec.h"
#include "machines/utgard_gp/spec/forwarding.h"
#include "machines/utgard_gp/spec/spec.h"

namespace mobula::utgard_gp_compiler {
namespace {

using namespace utgard_gp;  // NOLINT(google-build-using-namespace): its tables are what is written here

/// What the scheduler takes, which makes fewer of them.
constexpr std::size_t most_words = 8 * max_words;

/// Something that a word can load.
struct Place {
  enum class Kind : std::uint8_t { none, reg, attribute, memory };
  Kind kind = Kind::none;
  bool negative = false, addressed = false;
  std::uint8_t component = 0;
  std::uint32_t index = 0;

  [[nodiscard]] unsigned flat() const { return 4 * index + component; }
};

/// Where a result goes.
struct Target {
  enum class Kind : std::uint8_t { none, reg, varying, temporary };
  Kind kind = Kind::none;
  unsigned flat = 0;  ///< 4 * number + component
  Place address;      ///< of a temporary
};

/// In the place of a register or varying.
constexpr int stores_temporary_only = register_count + varying_count;

/// A word that is being filled. -1: free.
struct OpenWord {
  Word128 bits = nop;
  std::uint32_t line = 0;  ///< of the source, the last of several; 0 = not known
  int acc_op = -1, mul_op = -1;
  int port0 = -1;  ///< register, or register_count + attribute
  int port1 = -1;
  int load = -1;  ///< vec4; memory_vec4s more if the address register is added
  std::array<int, 2> half{-1, -1};

  [[nodiscard]] bool is_free(const Field& operand) const { return get(bits, operand) == selector_unused; }
  [[nodiscard]] bool is_idle(Unit unit) const { return !is_active(bits, unit); }
};

bool take(int& resource, int value) {
  if (resource >= 0 && resource != value) return false;
  resource = value;
  return true;
}

struct AdderFields {
  Unit unit;
  const Field *a, *b, *a_neg, *b_neg;
};
constexpr std::array<AdderFields, 2> adders{
    {{Unit::acc0, &word::acc0_a, &word::acc0_b, &word::acc0_a_neg, &word::acc0_b_neg},
     {Unit::acc1, &word::acc1_a, &word::acc1_b, &word::acc1_a_neg, &word::acc1_b_neg}}};

unsigned adder_opcode(Do does) {
  switch (does) {
    case Do::floor:
      return opcode_of(AccOp::floor);
    case Do::sign:
      return opcode_of(AccOp::sign);
    case Do::ge:
      return opcode_of(AccOp::ge);
    case Do::lt:
      return opcode_of(AccOp::lt);
    case Do::min:
      return opcode_of(AccOp::min);
    case Do::max:
      return opcode_of(AccOp::max);
    case Do::add:
      return opcode_of(AccOp::add);
    case Do::mul:
    case Do::both:
    case Do::select:
    case Do::rcp:
    case Do::rsqrt:
    case Do::exp2:
    case Do::log2:
    case Do::set_address:
      break;
  }
  throw std::logic_error("an adder does not do this");
}

unsigned table_opcode(Do does) {
  switch (does) {
    case Do::rcp:
      return opcode_of(ComplexOp::rcp);
    case Do::rsqrt:
      return opcode_of(ComplexOp::rsqrt);
    case Do::exp2:
      return opcode_of(ComplexOp::exp2);
    case Do::log2:
      return opcode_of(ComplexOp::log2);
    case Do::add:
    case Do::floor:
    case Do::sign:
    case Do::ge:
    case Do::lt:
    case Do::min:
    case Do::max:
    case Do::mul:
    case Do::both:
    case Do::select:
    case Do::set_address:
      break;
  }
  throw std::logic_error("no table has this function");
}

/// When each register component and the address register are ready, and until when they are needed. Words are counted
/// from the start of a block, where everything is ready.
struct Times {
  std::array<std::size_t, register_places> ready{},
      free{};  ///< first words that may load what was stored, and store anew
  std::size_t address_ready = 0, address_free = 0;
  // By vec4 of memory, as a load takes all of it: the words that load it, and those that store something there.
  struct Keep {
    unsigned component = 0;
    std::size_t at = 0;
  };
  std::map<unsigned, std::vector<std::size_t>> loads;
  std::map<unsigned, std::vector<Keep>> keeps;
};

/// One operation in some words in a row, of which the main one has a few before and after it.
class Bundle {
 public:
  static constexpr std::size_t before = 2, after = 3, length = before + 1 + after;

  /// Without times: whether there are enough ports at all.
  Bundle(const std::array<OpenWord, length>& words, const Times* times, std::size_t main)
      : words_(words), times_(times), main_(main) {}

  /// `early`, bit n for operand n: goes through the pass unit of the words before.
  bool place(Do does, const std::array<Place, 3>& operands, const Target& target, unsigned early) {
    std::array<unsigned, 3> from{};
    std::size_t ahead = 0;
    for (unsigned i = 0; i < 3; ++i) {
      if (operands[i].kind == Place::Kind::none || (does == Do::exp2 && i == 0)) continue;
      const bool is_early = (early >> i & 1) != 0;
      const auto found = is_early ? carry(operands[i], ++ahead) : read(before, operands[i]);
      if (!found) return false;
      from[i] = *found;
    }
    switch (does) {
      case Do::mul:
        return multiply(from[0], from[1], target);
      case Do::select:
        return select(from, target);
      case Do::rcp:
      case Do::rsqrt:
      case Do::log2:
        return look_up(does, operands[0], from[0], target);
      case Do::exp2:
        return raise(operands[0], target);
      case Do::set_address:
        return set_address(from[0]);
      case Do::add:
      case Do::floor:
      case Do::sign:
      case Do::ge:
      case Do::lt:
      case Do::min:
      case Do::max:
        return add(before, adder_opcode(does), from[0], operands[0].negative,
                   operands[1].kind == Place::Kind::none ? std::nullopt : std::optional(from[1]), operands[1].negative,
                   target);
      case Do::both:
        break;
    }
    throw std::logic_error("a unit for this is chosen before words are filled");
  }

  /// What the main word reads something with, if it can.
  std::optional<unsigned> source(const Place& place) { return read(before, place); }

  /// What has been placed, if place() says so.
  [[nodiscard]] const std::array<OpenWord, length>& words() const { return words_; }
  void tell(Times& times) const {
    for (const auto& [flat, at] : reads_) times.free[flat] = std::max(times.free[flat], at);
    if (addressed_at_) times.address_free = std::max(times.address_free, *addressed_at_);
    if (address_set_at_) times.address_ready = *address_set_at_ + address_latency;
    for (const auto& [vec4, at] : loaded_) times.loads[vec4].push_back(at);
    if (kept_) times.keeps[kept_->first / 4].push_back({kept_->first % 4, kept_->second});
    if (stored_) {
      times.ready[stored_->first] = stored_->second + register_latency;
      times.free[stored_->first] = stored_->second + 1;
    }
  }

 private:
  [[nodiscard]] std::size_t time_of(std::size_t word) const { return main_ + word - before; }

  /// The selector with which a word reads something.
  std::optional<unsigned> read(std::size_t at, const Place& place) {
    OpenWord& word = words_[at];
    const auto index = static_cast<int>(place.index);
    switch (place.kind) {
      case Place::Kind::attribute:
        if (!take(word.port0, static_cast<int>(register_count) + index)) return {};
        set(word.bits, word::port0_attr, 1);
        set(word.bits, word::port0_index, place.index);
        return first_selector(Source::port0) + place.component;
      case Place::Kind::memory:
        if (times_ != nullptr && place.addressed && time_of(at) < times_->address_ready) return {};
        if (!place.addressed) {
          if (is_on_its_way(place, time_of(at))) return {};
          loaded_.emplace_back(place.index, time_of(at));
        }
        if (!take(word.load, index + (place.addressed ? static_cast<int>(memory_vec4s) : 0))) return {};
        set(word.bits, word::ld_addr, place.index);
        if (place.addressed) {
          set(word.bits, word::ld_off, 1);
          addressed_at_ = time_of(at);
        }
        return first_selector(Source::load) + place.component;
      case Place::Kind::reg: {
        if (times_ != nullptr && time_of(at) < times_->ready[place.flat()]) return {};
        reads_.emplace_back(place.flat(), time_of(at));
        if (word.port0 != index && take(word.port1, index)) {
          set(word.bits, word::port1_index, place.index);
          return first_selector(Source::port1) + place.component;
        }
        if (!take(word.port0, index)) return {};
        set(word.bits, word::port0_index, place.index);
        return first_selector(Source::port0) + place.component;
      }
      case Place::Kind::none:
        break;
    }
    return {};
  }

  bool pass(std::size_t at, unsigned opcode, unsigned from) {
    OpenWord& word = words_[at];
    if (!word.is_idle(Unit::pass)) return false;
    set(word.bits, word::pass_op, opcode);
    set(word.bits, word::pass_in, from);
    return true;
  }

  /// Through the pass unit, so many words ahead.
  std::optional<unsigned> carry(const Place& place, std::size_t ahead) {
    if (ahead > before) return {};
    const auto from = read(before - ahead, place);
    if (!from || !pass(before - ahead, opcode_of(PassOp::mov), *from)) return {};
    return result_selector(Unit::pass, ahead);
  }

  bool store(std::size_t at, Unit unit, const Target& target) {
    if (target.kind == Target::Kind::none) return true;
    if (target.kind == Target::Kind::temporary) return keep(at, unit, target);
    OpenWord& word = words_[at];
    const unsigned component = target.flat % 4, index = target.flat / 4;
    const bool is_varying = target.kind == Target::Kind::varying;
    if (!take(word.half[component / 2], static_cast<int>(index + (is_varying ? varying_count : 0)))) return false;
    static constexpr std::array<const Field*, 4> selectors{&word::st0_x, &word::st0_y, &word::st1_z, &word::st1_w};
    if (get(word.bits, *selectors[component]) != store_nothing) return false;
    set(word.bits, *selectors[component], store_selector(unit));
    set(word.bits, component < 2 ? word::st0_index : word::st1_index, index);
    set(word.bits, component < 2 ? word::st0_var : word::st1_var, is_varying ? 1 : 0);
    if (is_varying) return true;
    if (times_ != nullptr && time_of(at) < times_->free[target.flat]) return false;
    for (const auto& [flat, time] : reads_)
      if (flat == target.flat && time > time_of(at)) return false;
    stored_ = {target.flat, time_of(at)};
    return true;
  }

  /// Whether the number is not there yet, or anything else is on its way to its vec4.
  [[nodiscard]] bool is_on_its_way(const Place& place, std::size_t time) const {
    if (times_ == nullptr) return false;
    const auto kept = times_->keeps.find(place.index);
    if (kept == times_->keeps.end()) return false;
    return std::ranges::any_of(kept->second, [&](const Times::Keep& each) {
      return time < each.at + temporary_latency && (each.component == place.component || each.at < time);
    });
  }
  [[nodiscard]] bool is_loaded_too_soon(unsigned vec4, std::size_t time) const {
    const auto too_soon = [&](std::size_t at) { return time < at && at < time + temporary_latency; };
    for (const auto& [loaded, at] : loaded_)
      if (loaded == vec4 && too_soon(at)) return true;
    if (times_ == nullptr) return false;
    const auto loads = times_->loads.find(vec4);
    return loads != times_->loads.end() && std::ranges::any_of(loads->second, too_soon);
  }

  /// In a word that stores nothing else, as it is unproven whether one can.
  bool keep(std::size_t at, Unit unit, const Target& target) {
    OpenWord& word = words_[at];
    if (word.half[0] >= 0 || word.half[1] >= 0 || !word.is_idle(Unit::complex)) return false;
    if (is_loaded_too_soon(target.flat / 4, time_of(at))) return false;
    const auto address = read(at, target.address);
    if (!address) return false;
    const unsigned component = target.flat % 4;
    static constexpr std::array<const Field*, 4> selectors{&word::st0_x, &word::st0_y, &word::st1_z, &word::st1_w};
    word.half.fill(stores_temporary_only);
    set(word.bits, word::cplx_op, opcode_that_sets(0));
    set(word.bits, word::cplx_in, *address);
    set(word.bits, *selectors[component], store_selector(unit));
    set(word.bits, component < 2 ? word::st0_index : word::st1_index, 0);
    set(word.bits, component < 2 ? word::st0_temp : word::st1_temp, 1);
    set(word.bits, word::flow, flow_temporary);
    kept_ = {target.flat, time_of(at)};
    return true;
  }

  bool add(std::size_t at, unsigned opcode, unsigned a, bool a_negative, std::optional<unsigned> b, bool b_negative,
           const Target& target) {
    OpenWord& word = words_[at];
    if (!take(word.acc_op, static_cast<int>(opcode))) return false;
    for (const AdderFields& each : adders) {
      if (!word.is_free(*each.a)) continue;
      set(word.bits, word::acc_op, opcode);
      set(word.bits, *each.a, a);
      set(word.bits, *each.a_neg, a_negative ? 1 : 0);
      if (acc_ops[opcode].operands == 2) {
        // A move adds -0, which changes nothing.
        set(word.bits, *each.b, b.value_or(selector_identity));
        set(word.bits, *each.b_neg, !b || b_negative ? 1 : 0);
      }
      return store(at, each.unit, target);
    }
    return false;
  }

  bool multiply(unsigned a, unsigned b, const Target& target) {
    OpenWord& word = words_[before];
    constexpr unsigned plain = opcode_of(MulOp::mul), beside = opcode_of(MulOp::complex2);
    if (word.mul_op != static_cast<int>(beside) && !take(word.mul_op, plain)) return false;
    if (word.is_free(word::mul0_a)) {
      set(word.bits, word::mul0_a, a);
      set(word.bits, word::mul0_b, b);
      return store(before, Unit::mul0, target);
    }
    if (!word.is_free(word::mul1_a)) return false;
    set(word.bits, word::mul1_a, a);
    set(word.bits, word::mul1_b, b);
    return store(before, Unit::mul1, target);
  }

  bool take_multipliers(OpenWord& word, unsigned opcode) {
    if (word.mul_op >= 0) return false;
    word.mul_op = static_cast<int>(opcode);
    set(word.bits, word::mul_op, opcode);
    return true;
  }

  bool select(const std::array<unsigned, 3>& from, const Target& target) {
    OpenWord& word = words_[before];
    if (!take_multipliers(word, opcode_of(MulOp::select))) return false;
    set(word.bits, word::mul0_b, from[0]);
    set(word.bits, word::mul1_a, from[1]);
    set(word.bits, word::mul0_a, from[2]);
    return store(before, Unit::mul0, target);
  }

  /// Table operation and square in the main word; they are put together in the next (3.5).
  bool begin_function(Do does, unsigned argument, unsigned argument_later) {
    OpenWord &first = words_[before], &second = words_[before + 1];
    if (!first.is_idle(Unit::complex) || !take_multipliers(first, opcode_of(MulOp::complex2)) ||
        !take_multipliers(second, opcode_of(MulOp::complex1)))
      return false;
    set(first.bits, word::cplx_op, table_opcode(does));
    set(first.bits, word::cplx_in, argument);
    set(first.bits, word::mul0_a, argument);
    set(first.bits, word::mul0_b, argument);
    set(second.bits, word::mul0_a, result_selector(Unit::complex, 1));
    set(second.bits, word::mul0_b, result_selector(Unit::mul0, 1));
    set(second.bits, word::mul1_a, result_selector(Unit::complex, 1));
    set(second.bits, word::mul1_b, argument_later);
    return true;
  }
  bool look_up(Do does, const Place& argument, unsigned now, const Target& target) {
    const auto later = read(before + 1, argument);
    if (!later || !begin_function(does, now, *later)) return false;
    if (does == Do::log2)
      return pass(before + 3, opcode_of(PassOp::postlog2), result_selector(Unit::mul0, 2)) &&
             store(before + 3, Unit::pass, target);
    return finish_function(target);
  }
  bool raise(const Place& argument, const Target& target) {
    const auto from = read(before - 1, argument);
    if (!from || !pass(before - 1, opcode_of(PassOp::preexp2), *from)) return false;
    return begin_function(Do::exp2, result_selector(Unit::pass, 1), result_selector(Unit::pass, 2)) &&
           finish_function(target);
  }
  bool finish_function(const Target& target) {
    return add(before + 3, opcode_of(AccOp::add), result_selector(Unit::mul0, 2), false, {}, false, target);
  }

  bool set_address(unsigned from) {
    OpenWord& word = words_[before];
    if (!word.is_idle(Unit::complex) || (times_ != nullptr && time_of(before) < times_->address_free)) return false;
    set(word.bits, word::cplx_op, opcode_that_sets(1));
    set(word.bits, word::cplx_in, from);
    address_set_at_ = time_of(before);
    return true;
  }

  std::array<OpenWord, length> words_;
  const Times* times_;
  std::size_t main_;
  std::vector<std::pair<unsigned, std::size_t>> reads_;
  std::vector<std::pair<unsigned, std::size_t>> loaded_;
  std::optional<std::pair<unsigned, std::size_t>> stored_, kept_;
  std::optional<std::size_t> addressed_at_, address_set_at_;
};

/// The words of one block. `apart`: what is of different lines shares no word.
class BlockWords {
 public:
  BlockWords(const Allocation& allocation, bool apart) : allocation_(allocation), apart_(apart) {}

  [[nodiscard]] Place place_of(const Operand& operand) const {
    Place place{Place::Kind::none, operand.negative, operand.addressed, operand.component, operand.number};
    switch (operand.kind) {
      case Operand::Kind::value:
        place = in_register(allocation_.place[operand.number]);
        place.negative = operand.negative;
        break;
      case Operand::Kind::attribute:
        place.kind = Place::Kind::attribute;
        break;
      case Operand::Kind::memory:
        place.kind = Place::Kind::memory;
        break;
      case Operand::Kind::none:
      case Operand::Kind::constant:
        break;
    }
    return place;
  }
  static Place in_register(unsigned flat) {
    return {Place::Kind::reg, false, false, static_cast<std::uint8_t>(flat % 4), flat / 4};
  }

  void operation(const Operation& each) {
    Target target;
    if (each.varying >= 0) target = {Target::Kind::varying, static_cast<unsigned>(each.varying), {}};
    if (each.result != no_value) target = {Target::Kind::reg, allocation_.place[each.result], {}};
    if (each.temporary >= 0)
      target = {Target::Kind::temporary, static_cast<unsigned>(each.temporary), place_of(each.address)};
    put(each.does, {place_of(each.operands[0]), place_of(each.operands[1]), place_of(each.operands[2])}, target,
        each.line);
  }

  /// One after the other, so that none replaces what another one takes.
  void copies(const Copies& copies) {
    struct Open {
      unsigned to;
      Place from;
    };
    std::vector<Open> open;
    for (const Copies::Copy& each : copies.all) open.push_back({each.to, place_of(each.from)});
    const auto takes = [](const Open& each, unsigned flat) {
      return each.from.kind == Place::Kind::reg && each.from.flat() == flat;
    };
    while (!open.empty()) {
      const auto next = std::ranges::find_if(open, [&](const Open& each) {
        return std::ranges::none_of(open, [&](const Open& other) { return &other != &each && takes(other, each.to); });
      });
      if (next != open.end()) {
        put(Do::add, {next->from}, {Target::Kind::reg, next->to, {}});
        open.erase(next);
        continue;
      }
      // They go round in a ring: what the first replaces is kept elsewhere.
      if (copies.spare >= register_places) compile::cannot("a loop keeps all registers in use", 0, "make it smaller");
      const unsigned kept = open.front().to;
      put(Do::add, {in_register(kept)}, {Target::Kind::reg, copies.spare, {}});
      for (Open& each : open)
        if (takes(each, kept)) {
          const bool negative = each.from.negative;
          each.from = in_register(copies.spare);
          each.from.negative = negative;
        }
    }
  }

  /// A branch if the condition is not 0; its target comes later.
  void branch(const Place& condition) {
    settle();  // the condition, too
    Bundle bundle(Window{}, &times_, words_.size());
    const auto from = bundle.source(condition);
    OpenWord& word = words_.emplace_back(bundle.words()[Bundle::before]);
    set(word.bits, word::pass_in, from.value());
    set(word.bits, word::branch, 1);
    set(word.bits, word::flow, flow_branch);
  }
  /// Until everything that was stored is there.
  void settle() {
    while (words_.size() < settled_) words_.emplace_back();
  }
  void nothing() { words_.emplace_back(); }

  [[nodiscard]] const std::vector<OpenWord>& words() const { return words_; }

 private:
  using Window = std::array<OpenWord, Bundle::length>;

  /// Which operands have to come through the pass unit, as the ports do not suffice.
  static unsigned early_operands(Do does, const std::array<Place, 3>& operands, const Target& target) {
    for (const unsigned early : {0U, 1U, 2U, 4U, 3U, 5U, 6U}) {
      Bundle bundle(Window{}, nullptr, Bundle::before);
      if (bundle.place(does, operands, target, early)) return early;
    }
    return 0;
  }

  /// Whether something of this line may go into the words that it changes.
  [[nodiscard]] bool may_share(const Window& before, const Window& after, std::uint32_t line) const {
    if (!apart_ || line == 0) return true;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i].bits != after[i].bits && before[i].line != 0 && before[i].line != line) return false;
    return true;
  }

  void put(Do does, const std::array<Place, 3>& operands, const Target& target, std::uint32_t line = 0) {
    const unsigned early = early_operands(does, operands, target);
    const std::size_t back = does == Do::exp2 ? 1 : static_cast<std::size_t>(std::popcount(early));
    constexpr std::size_t far = 48;  // words that are still looked at
    std::size_t at = std::max(back, words_.size() > far ? words_.size() - far : 0);
    for (;; ++at) {
      Window window;
      for (std::size_t i = 0; i < window.size(); ++i)
        if (const std::size_t word = at + i; word >= Bundle::before && word - Bundle::before < words_.size())
          window[i] = words_[word - Bundle::before];
      Bundle bundle(window, &times_, at);
      if (!bundle.place(does, operands, target, early) || !may_share(window, bundle.words(), line)) continue;
      bundle.tell(times_);
      for (std::size_t i = 0; i < window.size(); ++i) {
        if (at + i < Bundle::before || bundle.words()[i].bits == nop) continue;
        const std::size_t word = at + i - Bundle::before;
        if (word >= words_.size()) words_.resize(word + 1);
        words_[word] = bundle.words()[i];
        if (window[i].bits != words_[word].bits) words_[word].line = std::max(words_[word].line, line);
      }
      if (target.kind == Target::Kind::reg) settled_ = std::max(settled_, times_.ready[target.flat]);
      if (target.kind == Target::Kind::temporary)
        settled_ = std::max(settled_, times_.keeps.at(target.flat / 4).back().at + temporary_latency);
      return;
    }
  }

  const Allocation& allocation_;
  bool apart_;
  std::vector<OpenWord> words_;
  Times times_;
  std::size_t settled_ = 0;
};

class Emitter {
 public:
  Emitter(const Code& code, const Allocation& allocation, const Operand& one, bool apart)
      : code_(code), allocation_(allocation), one_(one), apart_(apart) {
    starts_.resize(code_.blocks.size());
    for (std::size_t i = 0; i < code_.order.size(); ++i) {
      const bool is_last = i + 1 == code_.order.size();
      block(code_.order[i], is_last ? no_block : code_.order[i + 1]);
    }
  }

  [[nodiscard]] bool fits() const {
    return words_.size() <= most_words &&
           std::ranges::all_of(jumps_, [&](const Jump& each) { return starts_[each.to] < max_words; });
  }
  /// Precondition: it fits.
  void write(Program& program) {
    for (const Jump& each : jumps_) set_branch_target(words_[each.at].bits, static_cast<unsigned>(starts_[each.to]));
    for (const OpenWord& each : words_) {
      if (each.line != 0 && (program.lines.empty() || program.lines.back().line != each.line))
        program.lines.push_back({program.code.size(), each.line});
      append_word(each.bits, program.code);
    }
  }

 private:
  struct Jump {
    std::size_t at;
    std::uint32_t to;
  };

  void block(std::uint32_t number, std::uint32_t next) {
    starts_[number] = words_.size();
    const Block& block = code_.blocks[number];
    BlockWords made(allocation_, apart_);
    for (const Operation& each : block.operations) made.operation(each);
    made.copies(allocation_.copies[number]);
    std::vector<std::uint32_t> targets;
    if (block.successors.size() == 2) {
      made.branch(made.place_of(block.condition));
      targets.push_back(block.successors[0]);
    }
    if (!block.successors.empty() && block.successors.back() != next) {
      made.branch(made.place_of(one_));
      targets.push_back(block.successors.back());
    }
    made.settle();
    if (block.successors.empty() && made.words().empty()) made.nothing();
    std::size_t jump = made.words().size() - targets.size();
    for (const std::uint32_t target : targets) jumps_.push_back({words_.size() + jump++, target});
    words_.insert(words_.end(), made.words().begin(), made.words().end());
  }

  const Code& code_;
  const Allocation& allocation_;
  const Operand& one_;
  bool apart_;
  std::vector<OpenWord> words_;
  std::vector<std::size_t> starts_;
  std::vector<Jump> jumps_;
};

}  // namespace

void emit(const Code& code, const Allocation& allocation, const Operand& one, Program& program) {
  for (const bool apart : {true, false})
    if (Emitter made(code, allocation, one, apart); made.fits()) return made.write(program);
  compile::cannot("the shader needs more than the 512 words that Utgard GP has", 0,
                  "make it smaller, or compute what is the same for all vertices outside of it");
}

}  // namespace mobula::utgard_gp_compiler
