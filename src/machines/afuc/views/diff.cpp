#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "machines/afuc/image/image.h"
#include "machines/afuc/text/lines.h"
#include "machines/afuc/views/views.h"

namespace mobula::afuc::views {
namespace {

using namespace firmware;

constexpr std::size_t none = ~std::size_t{0};
/// Functions this much alike (words in common, of a hundred) may be versions of each other.
constexpr std::size_t least_alike = 50;
/// Packets and functions keep what lives longer elsewhere.
constexpr unsigned first_scratch = 0x02, last_scratch = 0x11;
constexpr bool is_scratch(unsigned reg) { return reg >= first_scratch && reg <= last_scratch; }

/// Registers of one version by those of the other.
using Registers = std::array<std::uint8_t, register_count>;
constexpr Registers same_registers = [] {
  Registers all{};
  for (std::uint8_t i = 0; i < register_count; ++i) all[i] = i;
  return all;
}();

/// The fields of the word that number registers, those it reads first.
template <class Use>
void for_registers(const Opcode& opcode, Use use) {
  const auto is_base = [](const OperandSpec& operand) {
    return operand.kind == OperandKind::control || operand.kind == OperandKind::sqe ||
           operand.kind == OperandKind::memory;
  };
  for (const OperandSpec& operand : opcode.operands) {
    if (is_base(operand)) use(field::base, false);
    if (operand.kind == OperandKind::source && operand.field != nullptr) use(*operand.field, false);
  }
  for (const OperandSpec& operand : opcode.operands)
    if (operand.kind == OperandKind::destination) use(*operand.field, true);
}

/// Lines shown around those that differ.
constexpr std::size_t context_lines = 2;
/// Functions longer than this are compared from both ends only: the table of all pairs would not fit.
constexpr std::size_t longest_compared = 6000;

/// A piece of code that has a name.
struct Unit {
  std::uint32_t begin = 0, end = 0;  // image words
  std::string name;
  std::vector<std::string> packets;
  std::vector<std::uint32_t> shape;  // words without addresses
  std::vector<std::uint32_t> kinds;  // and with one number for all scratch registers
  std::size_t partner = none;
};

/// One side of the comparison: one core of one image.
class Side {
 public:
  Side(const Image& image, const Core& core) : image_(image), core_(core), lines_(image, Dialect::mesa) {
    unit_of_.resize(core.words);
    for (std::uint32_t i = core.start; i < core.code_end(); ++i) {
      if (units.empty() || (image.flags(i) & (word_called | word_handler | word_entered)) != 0) begin_unit(i);
      units.back().end = i + 1;
      units.back().shape.push_back(shape_of(i));
      units.back().kinds.push_back(kind_of(i));
      unit_of_[i - core.start] = units.size() - 1;
    }
  }

  /// What the word is apart from addresses, and the unit it leads to if that is another one and has a partner.
  /// Registers are those of `numbers`.
  [[nodiscard]] std::uint64_t meaning(std::uint32_t index, const std::vector<std::size_t>& identities,
                                      const Registers& numbers) const {
    std::uint64_t value = shape_of(index);
    const Opcode* opcode = image_.code(index);
    if (opcode == nullptr) return value;
    for_registers(*opcode, [&](const Field& field, bool) {
      const std::uint32_t reg = field_of(image_.word(index), field);
      value ^= std::uint64_t{reg ^ numbers[reg]} << field.low;
    });
    const auto to = Image::target(core_, index, image_.word(index), *opcode);
    if (!to || *to >= core_.code_end()) return value;
    const std::size_t unit = unit_of_[*to - core_.start];
    if (unit != unit_of_[index - core_.start]) value |= std::uint64_t{identities[unit] & 0xFFFFFFFF} << 32;
    return value;
  }

  /// Units that the calls of this one lead to, in order of the calls.
  [[nodiscard]] std::vector<std::size_t> callees(const Unit& unit) const {
    std::vector<std::size_t> result;
    for (std::uint32_t i = unit.begin; i < unit.end; ++i) {
      const Opcode* opcode = image_.code(i);
      if (opcode == nullptr || !is_call(opcode->op)) continue;
      if (const auto to = Image::target(core_, i, image_.word(i), *opcode); to && *to < core_.code_end())
        result.push_back(unit_of_[*to - core_.start]);
    }
    return result;
  }

  /// Calls use(register, writes) for the registers of the word, in the order of their use.
  template <class Use>
  void registers(std::uint32_t index, Use use) const {
    if (const Opcode* opcode = image_.code(index))
      for_registers(*opcode,
                    [&](const Field& field, bool writes) { use(field_of(image_.word(index), field), writes); });
  }

  /// Scratch registers that the unit, read from top to bottom, writes before it reads them, as bits.
  [[nodiscard]] std::uint32_t begun_in(const Unit& unit) const {
    std::uint32_t seen = 0, begun = 0;
    for (std::uint32_t i = unit.begin; i < unit.end; ++i)
      registers(i, [&](unsigned reg, bool writes) {
        const std::uint32_t bit = 1u << reg;
        if (writes && is_scratch(reg) && (seen & bit) == 0) begun |= bit;
        seen |= bit;
      });
    return begun;
  }

  [[nodiscard]] DiffLine line(DiffLine::Kind kind, std::uint32_t index) const {
    return {kind, index - core_.start, std::string(lines_.line(index))};
  }
  [[nodiscard]] const Core& core() const { return core_; }

  std::vector<Unit> units;

 private:
  void begin_unit(std::uint32_t index) {
    Unit& unit = units.emplace_back();
    unit.begin = index;
    // What code enters by its address has only a label.
    const bool named = index == core_.start || (image_.flags(index) & (word_called | word_handler)) != 0;
    unit.name = named ? image_.place(core_, index) : 'l' + std::to_string(index - core_.start);
    if ((image_.flags(index) & word_handler) != 0)
      for (const std::uint8_t entry : image_.packets(core_, index))
        unit.packets.push_back(packet_or_number(image_.map(), entry));
  }

  [[nodiscard]] std::uint32_t shape_of(std::uint32_t index) const {
    const std::uint32_t word = image_.word(index);
    // The version and the size of the image are not code.
    if (index == core_.start) return 0;
    if ((image_.flags(index) & word_symbolic) != 0) return word & 0xFFFF0000;
    const Opcode* opcode = image_.code(index);
    if (opcode == nullptr) return word;
    switch (opcode->op.target) {
      case Target::none:
        return word;
      case Target::relative:
        return word & 0xFFFF0000;
      case Target::absolute:
        return word & 0xFC000000;
    }
    return word;
  }

  [[nodiscard]] std::uint32_t kind_of(std::uint32_t index) const {
    std::uint32_t kind = shape_of(index);
    if (const Opcode* opcode = image_.code(index))
      for_registers(*opcode, [&](const Field& field, bool) {
        const std::uint32_t reg = field_of(image_.word(index), field);
        if (is_scratch(reg)) kind ^= (reg ^ first_scratch) << field.low;
      });
    return kind;
  }

  const Image& image_;
  const Core& core_;
  InstructionLines lines_;
  std::vector<std::size_t> unit_of_;  // of each word of the core
};

class Comparison {
 public:
  Comparison(Side& before, Side& after, Diff& diff) : old_(before), new_(after), diff_(diff) {}

  void run() {
    pair_by_packets();
    pair_by_shape();
    pair_by_calls();
    pair_by_order();
    pair_by_likeness();
    pair_by_calls();
    report();
  }

 private:
  void pair(std::size_t before, std::size_t after) {
    old_.units[before].partner = after;
    new_.units[after].partner = before;
  }
  [[nodiscard]] bool open(std::size_t before, std::size_t after) const {
    return old_.units[before].partner == none && new_.units[after].partner == none;
  }
  void pair_by_packets();
  void pair_by_shape();
  void pair_by_calls();
  void pair_by_order();
  void pair_by_likeness();
  [[nodiscard]] std::size_t alike(const Unit& before, const Unit& after) const;
  using Meanings = std::vector<std::uint64_t>;
  [[nodiscard]] static Meanings meanings(const Side& side, const Unit& unit, const std::vector<std::size_t>& identities,
                                         const Registers& numbers);
  [[nodiscard]] Registers renumbering(const Unit& before, const Unit& after, const Meanings& a,
                                      const Meanings& b) const;
  void report();
  void report_pair(const Unit& before, const Unit& after, const std::vector<std::size_t>& old_identities,
                   const std::vector<std::size_t>& new_identities);
  void report_alone(DiffFunction::Kind kind, const Unit& unit);

  Side& old_;
  Side& new_;
  Diff& diff_;
};

void Comparison::pair_by_packets() {
  std::map<std::string, std::size_t> handlers;
  for (std::size_t i = 0; i < old_.units.size(); ++i)
    for (const std::string& packet : old_.units[i].packets) handlers.emplace(packet, i);
  if (!old_.units.empty() && !new_.units.empty()) pair(0, 0);
  for (std::size_t i = 0; i < new_.units.size(); ++i)
    for (const std::string& packet : new_.units[i].packets)
      if (const auto found = handlers.find(packet); found != handlers.end() && open(found->second, i))
        pair(found->second, i);
}

/// Functions with the same words, in order where there are several.
void Comparison::pair_by_shape() {
  std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> shapes;
  for (std::size_t i = old_.units.size(); i-- > 0;)
    if (old_.units[i].partner == none) shapes[old_.units[i].shape].push_back(i);
  for (std::size_t i = 0; i < new_.units.size(); ++i) {
    if (new_.units[i].partner != none) continue;
    const auto found = shapes.find(new_.units[i].shape);
    if (found == shapes.end() || found->second.empty()) continue;
    pair(found->second.back(), i);
    found->second.pop_back();
  }
}

/// What partners call in the same order.
void Comparison::pair_by_calls() {
  std::vector<std::size_t> queue;
  for (std::size_t i = 0; i < new_.units.size(); ++i)
    if (new_.units[i].partner != none) queue.push_back(i);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const auto before = old_.callees(old_.units[new_.units[queue[next]].partner]),
               after = new_.callees(new_.units[queue[next]]);
    if (before.size() != after.size()) continue;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (open(before[i], after[i]) && alike(old_.units[before[i]], new_.units[after[i]]) >= least_alike) {
        pair(before[i], after[i]);
        queue.push_back(after[i]);
      }
  }
}

/// What is between the same neighbours and is much alike.
void Comparison::pair_by_order() {
  for (std::size_t i = 1; i < new_.units.size(); ++i) {
    const std::size_t before = new_.units[i - 1].partner;
    if (new_.units[i].partner != none || before == none || before + 1 >= old_.units.size()) continue;
    if (open(before + 1, i) && alike(old_.units[before + 1], new_.units[i]) >= least_alike) pair(before + 1, i);
  }
}

/// What is left, those most alike first; among equals those nearest to where they were.
void Comparison::pair_by_likeness() {
  struct Candidate {
    std::size_t alike, distance, before, after;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < old_.units.size(); ++i)
    for (std::size_t j = 0; j < new_.units.size(); ++j) {
      if (!open(i, j)) continue;
      const std::size_t old_words = old_.units[i].shape.size(), new_words = new_.units[j].shape.size();
      if (std::min(old_words, new_words) * 100 < std::max(old_words, new_words) * least_alike) continue;
      const std::size_t likeness = alike(old_.units[i], new_.units[j]);
      if (likeness >= least_alike) candidates.push_back({likeness, i > j ? i - j : j - i, i, j});
    }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(b.alike, a.distance, a.before) < std::tie(a.alike, b.distance, b.before);
  });
  for (const Candidate& each : candidates)
    if (open(each.before, each.after)) pair(each.before, each.after);
}

/// Words in common, whatever their order and scratch registers, of a hundred of the longer one.
std::size_t Comparison::alike(const Unit& before, const Unit& after) const {
  std::unordered_map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t word : before.kinds) ++counts[word];
  std::size_t common = 0;
  for (const std::uint32_t word : after.kinds)
    if (auto found = counts.find(word); found != counts.end() && found->second > 0) --found->second, ++common;
  const std::size_t longer = std::max(before.shape.size(), after.shape.size());
  return longer == 0 ? 100 : common * 100 / longer;
}

void Comparison::report_alone(DiffFunction::Kind kind, const Unit& unit) {
  DiffFunction function;
  function.kind = kind;
  function.core = new_.core().name;
  const bool added = kind == DiffFunction::Kind::added;
  (added ? function.new_name : function.old_name) = unit.name;
  (added ? function.new_words : function.old_words) = unit.end - unit.begin;
  ++(added ? diff_.added : diff_.removed);
  diff_.functions.push_back(std::move(function));
}

/// Lines of the longest common subsequence, as pairs of positions.
std::vector<std::pair<std::size_t, std::size_t>> common_lines(const std::vector<std::uint64_t>& a,
                                                              const std::vector<std::uint64_t>& b) {
  std::size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < head; ++i) pairs.emplace_back(i, i);
  const std::size_t rows = a.size() - head - tail, columns = b.size() - head - tail;
  if (rows <= longest_compared && columns <= longest_compared) {
    std::vector<std::uint16_t> best((rows + 1) * (columns + 1));
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& { return best[i * (columns + 1) + j]; };
    for (std::size_t i = rows; i-- > 0;)
      for (std::size_t j = columns; j-- > 0;)
        at(i, j) = a[head + i] == b[head + j] ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                              : std::max(at(i + 1, j), at(i, j + 1));
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
      if (a[head + i] == b[head + j])
        pairs.emplace_back(head + i++, head + j++);
      else
        ++(at(i + 1, j) >= at(i, j + 1) ? i : j);
    }
  }
  for (std::size_t i = tail; i-- > 0;) pairs.emplace_back(a.size() - 1 - i, b.size() - 1 - i);
  return pairs;
}

Comparison::Meanings Comparison::meanings(const Side& side, const Unit& unit,
                                          const std::vector<std::size_t>& identities, const Registers& numbers) {
  Meanings all;
  for (std::uint32_t i = unit.begin; i < unit.end; ++i) all.push_back(side.meaning(i, identities, numbers));
  return all;
}

/// The new numbers of scratch registers, if lines that are alike but for such numbers all agree on them; else none
/// changed. `a` and `b` are the units with one number for all scratch registers.
Registers Comparison::renumbering(const Unit& before, const Unit& after, const Meanings& a, const Meanings& b) const {
  constexpr std::uint8_t open_number = 0xFF;
  Registers numbers = same_registers, back = same_registers;
  for (unsigned reg = first_scratch; reg <= last_scratch; ++reg) numbers[reg] = back[reg] = open_number;
  bool agree = true;
  for (const auto& [i, j] : common_lines(a, b)) {
    std::array<unsigned, 4> used{};
    std::size_t count = 0, at = 0;
    old_.registers(before.begin + static_cast<std::uint32_t>(i), [&](unsigned reg, bool) { used[count++] = reg; });
    new_.registers(after.begin + static_cast<std::uint32_t>(j), [&](unsigned to, bool) {
      const unsigned from = used[at++];
      if (numbers[from] == open_number && back[to] == open_number) {
        numbers[from] = static_cast<std::uint8_t>(to);
        back[to] = static_cast<std::uint8_t>(from);
      }
      agree = agree && numbers[from] == to && back[to] == from;
    });
  }
  if (!agree) return same_registers;
  // Others may have put something into what is read first.
  const std::uint32_t old_begun = old_.begun_in(before), new_begun = new_.begun_in(after);
  for (unsigned reg = first_scratch; reg <= last_scratch; ++reg) {
    if (numbers[reg] == open_number) numbers[reg] = static_cast<std::uint8_t>(reg);
    if (numbers[reg] != reg && ((old_begun >> reg & 1) == 0 || (new_begun >> numbers[reg] & 1) == 0))
      return same_registers;
  }
  return numbers;
}

void Comparison::report_pair(const Unit& before, const Unit& after, const std::vector<std::size_t>& old_identities,
                             const std::vector<std::size_t>& new_identities) {
  Registers numbers = same_registers;
  Meanings a = meanings(old_, before, old_identities, numbers);
  const Meanings b = meanings(new_, after, new_identities, numbers);
  if (a != b) {
    Registers blank = same_registers;
    for (unsigned reg = first_scratch; reg <= last_scratch; ++reg) blank[reg] = first_scratch;
    numbers = renumbering(before, after, meanings(old_, before, old_identities, blank),
                          meanings(new_, after, new_identities, blank));
    a = meanings(old_, before, old_identities, numbers);
  }
  DiffFunction function;
  function.core = new_.core().name;
  function.old_name = before.name;
  function.new_name = after.name;
  function.old_words = before.end - before.begin;
  function.new_words = after.end - after.begin;
  for (unsigned reg = first_scratch; reg <= last_scratch; ++reg)
    if (numbers[reg] != reg)
      function.registers.push_back(
          {std::string(value::registers[reg].source), std::string(value::registers[numbers[reg]].source)});
  if (a == b) {
    ++diff_.same;
    diff_.functions.push_back(std::move(function));
    return;
  }
  ++diff_.changed;
  function.kind = DiffFunction::Kind::changed;
  struct Step {
    DiffLine::Kind kind;
    std::size_t at;
  };
  std::vector<Step> steps;
  std::size_t i = 0, j = 0;
  auto pairs = common_lines(a, b);
  pairs.emplace_back(a.size(), b.size());
  for (const auto& common : pairs) {
    while (i < common.first) steps.push_back({DiffLine::Kind::removed, i++});
    while (j < common.second) steps.push_back({DiffLine::Kind::added, j++});
    if (i == a.size() && j == b.size()) break;
    steps.push_back({DiffLine::Kind::same, j});
    ++i;
    ++j;
  }
  std::size_t shown = 0;  // steps before it are dealt with
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].kind == DiffLine::Kind::same) continue;
    const std::size_t from = std::max(shown, k < context_lines ? 0 : k - context_lines);
    const std::size_t to = std::min(steps.size(), k + 1 + context_lines);
    for (std::size_t each = from; each < to; ++each) {
      const bool removed = steps[each].kind == DiffLine::Kind::removed;
      const Side& side = removed ? old_ : new_;
      const Unit& unit = removed ? before : after;
      function.lines.push_back(side.line(steps[each].kind, unit.begin + static_cast<std::uint32_t>(steps[each].at)));
    }
    shown = std::max(shown, to);
  }
  diff_.functions.push_back(std::move(function));
}

void Comparison::report() {
  // Partners have the number of the new one; what has no partner has a number of its own.
  std::vector<std::size_t> old_identities(old_.units.size()), new_identities(new_.units.size());
  for (std::size_t i = 0; i < new_identities.size(); ++i) new_identities[i] = i + 1;
  for (std::size_t i = 0; i < old_identities.size(); ++i)
    old_identities[i] = old_.units[i].partner == none ? new_identities.size() + i + 1 : old_.units[i].partner + 1;
  const auto removed_behind = [&](std::size_t first) {
    for (std::size_t i = first; i < old_.units.size() && old_.units[i].partner == none; ++i)
      report_alone(DiffFunction::Kind::removed, old_.units[i]);
  };
  if (new_.units.empty()) removed_behind(0);
  for (const Unit& unit : new_.units) {
    if (unit.partner == none) {
      report_alone(DiffFunction::Kind::added, unit);
      continue;
    }
    report_pair(old_.units[unit.partner], unit, old_identities, new_identities);
    removed_behind(unit.partner + 1);
  }
}

/// The instruction without its comment, and its first register as $x.
std::pair<std::string, std::string> without_destination(std::string_view line) {
  std::string text(line.substr(0, line.find('\t')));
  const std::size_t begin = text.find('$');
  if (begin == std::string::npos) return {text, {}};
  const std::size_t end = std::min(text.find_first_of(", ]", begin), text.size());
  const std::string reg = text.substr(begin, end - begin);
  return {text.replace(begin, end - begin, "$x"), reg};
}

/// A removed line with one added after it, and neither removed nor added ones around them.
std::vector<DiffReplacement> replacements_of(const Diff& diff) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> found;
  for (const DiffFunction& function : diff.functions) {
    const auto kind = [&](std::size_t i) {
      return i < function.lines.size() ? function.lines[i].kind : DiffLine::Kind::same;
    };
    for (std::size_t i = 0; i + 1 < function.lines.size(); ++i) {
      const bool alone = i == 0 || kind(i - 1) == DiffLine::Kind::same;
      if (!alone || kind(i) != DiffLine::Kind::removed || kind(i + 1) != DiffLine::Kind::added ||
          kind(i + 2) != DiffLine::Kind::same)
        continue;
      auto before = without_destination(function.lines[i].text),
           after = without_destination(function.lines[i + 1].text);
      if (before.second != after.second) {
        before.first = function.lines[i].text.substr(0, function.lines[i].text.find('\t'));
        after.first = function.lines[i + 1].text.substr(0, function.lines[i + 1].text.find('\t'));
      }
      found[{std::move(before.first), std::move(after.first)}].push_back(function.core + ' ' + function.new_name);
    }
  }
  std::vector<DiffReplacement> all;
  all.reserve(found.size());
  for (auto& [texts, places] : found) all.push_back({texts.first, texts.second, std::move(places)});
  std::sort(all.begin(), all.end(), [](const DiffReplacement& a, const DiffReplacement& b) {
    return a.places.size() != b.places.size() ? a.places.size() > b.places.size()
                                              : std::tie(a.before, a.after) < std::tie(b.before, b.after);
  });
  return all;
}

const Core* find_core(const Image& image, std::string_view name) {
  for (const Core& core : image.cores())
    if (core.name == name) return &core;
  return nullptr;
}

}  // namespace

Result<Diff> diff(const Program& old_program, const Program& new_program) {
  const Image before(old_program), after(new_program);
  Diff result;
  const auto whole = [&](const Core& core, bool added) {
    DiffFunction function;
    function.kind = added ? DiffFunction::Kind::added : DiffFunction::Kind::removed;
    function.core = core.name;
    (added ? function.new_name : function.old_name) = core.name;
    (added ? function.new_words : function.old_words) = core.words;
    ++(added ? result.added : result.removed);
    result.functions.push_back(std::move(function));
  };
  for (const Core& core : after.cores()) {
    const Core* partner = find_core(before, core.name);
    if (partner == nullptr) {
      whole(core, true);
      continue;
    }
    Side old_side(before, *partner), new_side(after, core);
    Comparison(old_side, new_side, result).run();
  }
  for (const Core& core : before.cores())
    if (find_core(after, core.name) == nullptr) whole(core, false);
  result.replacements = replacements_of(result);
  return result;
}

}  // namespace mobula::afuc::views
