#include "machines/afuc/image/image.h"

#include <algorithm>
#include <array>

namespace mobula::afuc {
namespace {

/// How far back the origin of a register's value is looked for, in instructions.
constexpr std::size_t origin_reach = 96;
/// Rounds of finding addresses in code that was found by addresses in code.
constexpr unsigned most_rounds = 8;
/// A core names tables and other cores in its first instructions.
constexpr std::uint32_t header_words = 16, boot_words = 0x400;
/// Smaller immediates are numbers.
constexpr std::uint32_t least_address = 8;

std::string number(std::uint64_t value) { return std::to_string(value); }

/// The AQE gives its length as images of several programs do, and has no packet table.
bool is_aqe(const firmware::Layout& layout, std::uint32_t word1) {
  constexpr std::uint32_t payload = 0xFFFFFF;
  return layout.sections.size() == 1 && !layout.sections.front().table && (word1 & payload) == layout.words;
}

std::string_view core_name(Map map, std::size_t index, bool aqe) {
  constexpr std::array<std::string_view, 16> later{"BR", "BV", "LPAC", "DDE", "P4",  "P5",  "P6",  "P7",
                                                   "P8", "P9", "P10",  "P11", "P12", "P13", "P14", "P15"};
  if (map == Map::a6xx) return index == 0 ? "SQE" : index == 1 ? "LPAC" : later[std::min<std::size_t>(index + 1, 15)];
  if (map == Map::a5xx && index == 0) return "CP";
  return aqe ? "AQE" : later[std::min<std::size_t>(index, 15)];
}

/// True for SQE registers that hold addresses of code.
bool is_code_address(std::uint32_t sqe_register) {
  return sqe_register == sqe_iret_pc || sqe_register == sqe_iret_npc || sqe_register == sqe_preempt_instr;
}
/// True for a mov of a number that is shifted left by so many bits.
bool moves_number(std::uint32_t word, const Opcode& opcode, std::uint32_t shift) {
  return opcode.op == Alu::mov && has_field(opcode, field::imm16) && field_of(word, field::shift) == shift;
}
/// True if the operation is done with a register and a number of 16 bits.
bool takes_number(const Opcode& opcode, Alu alu) { return opcode.op == alu && has_field(opcode, field::imm16); }

}  // namespace

std::optional<unsigned> written_register(std::uint32_t word, const Opcode& opcode) {
  if (opcode.op == Op::bl) return reg_lr;
  for (const OperandSpec& operand : opcode.operands) {
    if (operand.kind == OperandKind::destination && field_of(word, *operand.field) != reg_zero)
      return field_of(word, *operand.field);
    const bool access =
        operand.kind == OperandKind::control || operand.kind == OperandKind::sqe || operand.kind == OperandKind::memory;
    if (access && field_of(word, field::pre) != 0) return field_of(word, field::base);
  }
  return std::nullopt;
}

std::string_view first_core_name(Map map, std::span<const std::uint32_t> words) {
  std::vector<std::uint8_t> bytes(word_bytes * (words.size() + 1));
  std::uint8_t* next = bytes.data() + word_bytes;
  for (const std::uint32_t word : words)
    for (unsigned byte = 0; byte < word_bytes; ++byte) *next++ = static_cast<std::uint8_t>(word >> (8 * byte));
  const firmware::Layout layout = firmware::layout(bytes);
  return core_name(map, 0, words.size() > 1 && is_aqe(layout, words[1]));
}

// ------------------------------------------------------------------------------------------------ references

void Image::References::assign(const std::vector<Pair>& pairs, std::uint32_t words) {
  starts_.assign(std::size_t{words} + 1, 0);
  from_.resize(pairs.size());
  for (const Pair& pair : pairs) ++starts_[pair.to + 1];
  for (std::uint32_t i = 0; i < words; ++i) starts_[i + 1] += starts_[i];
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (const Pair& pair : pairs) from_[next[pair.to]++] = pair.from;
}

void Image::collect_references(bool code_only) {
  std::vector<References::Pair> calls, jumps;
  for (const Core& core : cores_)
    for (std::uint32_t i = core.start; i < core.end(); ++i) {
      const Opcode* opcode = code_only ? code(i) : instruction(i);
      if (opcode == nullptr || !has_target(opcode->op)) continue;
      const auto to = target(core, i, word(i), *opcode);
      if (to) (is_call(opcode->op) ? calls : jumps).push_back({*to, i});
    }
  calls_.assign(calls, size());
  jumps_.assign(jumps, size());
}

// ------------------------------------------------------------------------------------------------ words

Image::Image(const Program& program) : layout_(firmware::layout(program.code)) {
  const std::span<const std::uint8_t> bytes = program.code;
  words_ = bytes.subspan(layout_.byte_offset, std::size_t{layout_.words} * word_bytes);
  rest_ = bytes.subspan(layout_.byte_offset + words_.size());
  if (size() != 0 && has_leading_zero()) identity_ = identify(all_words());
  if (const Chip* chosen = find_chip(program.variant)) {
    chip_ = chosen;
  } else if (size() != 0 && has_leading_zero()) {
    chip_ = identity_.chip;
    by_id_ = true;
  }
  decoder_ = &afuc::decoder(generation_of(map()));
  name_cores();
  flags_.assign(size(), 0);
  instructions_.assign(size(), nullptr);
  for (const Core& core : cores_)
    for (std::uint32_t i = core.start; i < core.end(); ++i) instructions_[i] = decode(core, i);
  collect_references(false);
  for (const Core& core : cores_) analyse(core);
  std::sort(symbolics_.begin(), symbolics_.end(), [](const Symbolic& a, const Symbolic& b) { return a.word < b.word; });
  std::sort(indirect_.begin(), indirect_.end(), [](const References::Pair& a, const References::Pair& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  indirect_.erase(std::unique(indirect_.begin(), indirect_.end()), indirect_.end());
  for (const Core& core : cores_) label(core);
  collect_references(true);
  find_owners();
}

std::vector<std::uint32_t> Image::all_words() const {
  std::vector<std::uint32_t> words(size());
  for (std::uint32_t i = 0; i < size(); ++i) words[i] = word(i);
  return words;
}

void Image::find_owners() {
  owners_.resize(size());
  for (const Core& core : cores_) {
    std::uint32_t owner = core.start;
    for (std::uint32_t i = core.start; i < core.end(); ++i) {
      if ((flags_[i] & (word_called | word_handler)) != 0) owner = i;
      owners_[i] = owner;
    }
  }
}

std::string Image::place(const Core& core, std::uint32_t index) const {
  const std::uint32_t owner = owners_[index];
  std::string text;
  if ((flags_[owner] & word_handler) != 0) {
    const std::vector<std::uint8_t> entries = packets(core, owner);
    const auto named =
        std::find_if(entries.begin(), entries.end(), [&](std::uint8_t entry) { return !packet(map(), entry).empty(); });
    text = packet_or_number(map(), named == entries.end() ? entries.front() : *named);
  } else if ((flags_[owner] & word_called) != 0) {
    text = "fxn" + number(owner - core.start);
  } else {
    text = core.name;
  }
  return index == owner ? text : text + '+' + number(index - owner);
}

void Image::name_cores() {
  for (const firmware::Section& section : layout_.sections) {
    Core& core = cores_.emplace_back();
    core.start = section.start;
    core.words = section.words;
    if (section.table) core.table = section.start + *section.table;
    core.name = core_name(map(), cores_.size() - 1, size() > 1 && is_aqe(layout_, word(1)));
  }
  if (map() != Map::a5xx) return;
  // Each of the two programs begins by asking where it is, which two registers say.
  constexpr std::uint32_t pfp_base = 0x835, me_base = 0x838;
  for (std::uint32_t i = 0; i < std::min(size(), header_words); ++i) {
    const std::uint32_t low = word(i) & 0xFFFF;
    if (low == pfp_base || low == me_base) cores_[0].name = low == pfp_base ? "PFP" : "ME";
  }
}

RegisterName Image::control_name(std::uint32_t number) const {
  const bool is_me = map() == Map::a5xx && cores_[0].name == "ME";
  return is_me && is_of_pfp_alone(map(), number) ? RegisterName{} : control_register(map(), number);
}

const Core& Image::core_of(std::uint32_t index) const {
  const auto after = std::upper_bound(cores_.begin(), cores_.end(), index,
                                      [](std::uint32_t at, const Core& core) { return at < core.start; });
  return *(after - 1);
}

std::optional<std::uint32_t> Image::target(const Core& core, std::uint32_t index, std::uint32_t word,
                                           const Opcode& opcode) {
  std::int64_t to = 0;
  switch (opcode.op.target) {
    case Target::none:
      return std::nullopt;
    case Target::relative:
      to = std::int64_t{index} + distance_of(word);
      break;
    case Target::absolute:
      to = std::int64_t{core.start} + field_of(word, field::target);
      break;
  }
  if (to < core.start || to >= core.end()) return std::nullopt;
  return static_cast<std::uint32_t>(to);
}

const Opcode* Image::decode(const Core& core, std::uint32_t index) const {
  // Word 0 shows the firmware's id, whatever it would do.
  if (index == 0 && has_leading_zero()) return nullptr;
  const std::uint32_t bits = word(index);
  const Opcode* opcode = decoder_->find(bits);
  if (opcode == nullptr || !is_canonical(bits, *opcode)) return nullptr;
  if (has_target(opcode->op)) {
    const auto to = target(core, index, bits, *opcode);
    if (!to || !can_label(core, *to)) return nullptr;
  }
  if (opcode->op.way == Way::skip && !can_label(core, std::uint64_t{index} + 3)) return nullptr;
  return opcode;
}

const Symbolic* Image::symbolic(std::uint32_t index) const {
  const auto at = std::lower_bound(symbolics_.begin(), symbolics_.end(), index,
                                   [](const Symbolic& each, std::uint32_t wanted) { return each.word < wanted; });
  return at != symbolics_.end() && at->word == index ? &*at : nullptr;
}

bool Image::table_has_labels(const Core& core) const {
  if (!core.table) return false;
  for (unsigned i = 0; i < packet_table_words; ++i)
    if (!can_label(core, std::uint64_t{core.start} + word(*core.table + i))) return false;
  return true;
}

std::uint32_t Image::table_address(const Core& core) const {
  return table_has_labels(core) ? *core.table - core.start : 0;
}

std::vector<std::uint32_t> Image::indirect_targets(std::uint32_t index) const {
  std::vector<std::uint32_t> targets;
  auto pair = std::lower_bound(indirect_.begin(), indirect_.end(), index,
                               [](const References::Pair& each, std::uint32_t wanted) { return each.from < wanted; });
  for (; pair != indirect_.end() && pair->from == index; ++pair) targets.push_back(pair->to);
  return targets;
}

std::vector<std::uint8_t> Image::packets(const Core& core, std::uint32_t index) const {
  std::vector<std::uint8_t> entries;
  if (core.table && index != core.start)
    for (unsigned i = 0; i < packet_table_words; ++i)
      if (word(*core.table + i) == index - core.start) entries.push_back(static_cast<std::uint8_t>(i));
  return entries;
}

// ------------------------------------------------------------------------------------------------ analysis

Image::Words Image::count_words(const Core& core) const {
  Words count;
  for (std::uint32_t i = core.start; i < core.end(); ++i) {
    if (core.in_table(i)) continue;
    const bool executes = (flags(i) & word_reached) != 0 && code(i) != nullptr;
    ++(!executes ? count.data : (flags(i) & word_assumed) != 0 ? count.assumed : count.instructions);
  }
  return count;
}

void Image::analyse(const Core& core) {
  std::vector<std::uint32_t> roots{core.start};
  if (table_has_labels(core))
    for (unsigned i = 0; i < packet_table_words; ++i)
      // Entry 0 of a table that nothing was put in means no handler.
      if (word(*core.table + i) != 0) roots.push_back(core.start + word(*core.table + i));
  reach_all(core, std::move(roots), 0);
  find_header_addresses(core);
  find_data_tables(core);
  find_data(core);
  assume_code(core);
  find_data_tables(core);
  find_data(core);
  find_boot_addresses(core);
}

void Image::reach_all(const Core& core, std::vector<std::uint32_t> roots, std::uint16_t how) {
  for (unsigned round = 0; round < most_rounds && !roots.empty(); ++round) {
    reach(core, roots, how);
    roots = find_code_addresses(core);
  }
}

void Image::assume_code(const Core& core) {
  const auto unknown = [&](std::uint32_t i) { return (flags_[i] & (word_reached | word_data)) == 0; };
  // After the last instruction of a run there may be padding.
  std::uint32_t padding = core.code_end();
  while (padding > core.start && unknown(padding - 1) && word(padding - 1) == decoder_->nop()) --padding;
  bool found = false;
  for (std::uint32_t i = core.start; i < padding; ++i) {
    if (!unknown(i) || word(i) == decoder_->nop()) continue;
    reach(core, {i}, word_assumed);
    found = true;
  }
  if (found) reach_all(core, find_code_addresses(core), word_assumed);
}

void Image::reach(const Core& core, const std::vector<std::uint32_t>& roots, std::uint16_t how) {
  struct Step {
    std::uint32_t at;
    bool continues;  // false in the delay slot of what does not come back
  };
  std::vector<Step> steps;
  steps.reserve(roots.size());
  for (const std::uint32_t root : roots) steps.push_back({root, true});
  const std::uint32_t end = core.code_end();
  while (!steps.empty()) {
    const Step step = steps.back();
    steps.pop_back();
    if (step.at >= end || (flags_[step.at] & word_data) != 0) continue;
    const auto wanted = static_cast<std::uint16_t>(word_reached | (step.continues ? word_continues : 0));
    if ((flags_[step.at] & wanted) == wanted) continue;
    if ((flags_[step.at] & word_reached) == 0) flags_[step.at] |= how;
    flags_[step.at] |= wanted;
    const std::uint32_t bits = word(step.at);
    const Opcode* opcode = decoder_->find(bits);
    if (opcode == nullptr) continue;
    if (const auto to = target(core, step.at, bits, *opcode)) steps.push_back({*to, true});
    if (has_delay_slot(opcode->op)) {
      steps.push_back({step.at + 1, step.continues && !ends_flow(opcode->op)});
    } else if (step.continues) {
      steps.push_back({step.at + 1, true});
      if (opcode->op.way == Way::skip) steps.push_back({step.at + 3, true});
    }
  }
}

template <class Use>
void Image::definitions(const Core& core, std::uint32_t index, unsigned reg, Use use) {
  std::vector<std::uint32_t> seen{index};
  const auto step_to = [&](std::uint32_t at) {
    if (origin_budget_ == 0 || seen.size() == origin_reach) return;
    if (std::find(seen.begin(), seen.end(), at) != seen.end()) return;
    --origin_budget_;
    seen.push_back(at);
  };
  for (std::size_t next = 0; next < seen.size(); ++next) {
    const std::uint32_t at = seen[next];
    if (next != 0) {
      const std::uint32_t bits = word(at);
      const Opcode* opcode = instruction(at);
      if (opcode == nullptr) continue;
      const bool writes = written_register(bits, *opcode) == reg;
      const bool compares = takes_number(*opcode, Alu::cmp) && field_of(bits, field::src1) == reg;
      if (writes || compares) use(at, bits, *opcode);
      if (writes) continue;
    }
    // The word before comes before, unless it is the delay slot of what does not come back.
    if (at > core.start && (flags_[at - 1] & word_reached) != 0) {
      const Opcode* two_before = at > core.start + 1 ? decoder_->find(word(at - 2)) : nullptr;
      if (two_before == nullptr || !ends_flow(two_before->op)) step_to(at - 1);
    }
    // What branches here has executed its delay slot.
    for (const std::uint32_t from : jumps_.to(at))
      if ((flags_[from] & word_reached) != 0 && from + 1 < core.end()) step_to(from + 1);
  }
}

void Image::add_symbolic(std::uint32_t index, std::string text) {
  if ((flags_[index] & word_symbolic) != 0) return;
  flags_[index] |= word_symbolic;
  symbolics_.push_back({index, std::move(text)});
}

void Image::add_code_address(const Core& core, std::uint32_t index, std::vector<std::uint32_t>& roots) {
  const std::uint32_t to = core.start + field_of(word(index), field::imm16);
  if (to >= core.code_end()) return;
  add_symbolic(index, "#l" + number(to - core.start));
  flags_[to] |= word_branch;
  if ((flags_[to] & word_continues) == 0) roots.push_back(to);
}

void Image::add_jump_table(const Core& core, std::uint32_t from, std::uint32_t first, std::uint32_t end,
                           std::vector<std::uint32_t>& roots) {
  // An entry is a jump and its delay slot. Where no comparison marks the end, the first word that is not a jump does.
  constexpr std::uint32_t entry_words = 2, most_words = 512;
  if (first == 0) return;
  for (std::uint32_t at = first; at < first + most_words && core.start + at < core.code_end(); at += entry_words) {
    const Opcode* opcode = instruction(core.start + at);
    if (opcode == nullptr || (end > first ? at >= end : opcode->op != Op::jump)) return;
    indirect_.push_back({core.start + at, from});
    if ((flags_[core.start + at] & word_continues) == 0) roots.push_back(core.start + at);
  }
}

std::vector<std::uint32_t> Image::find_code_addresses(const Core& core) {
  std::vector<std::uint32_t> roots;
  const auto table_write = find_control_register(map(), ControlRole::table_write);
  for (std::uint32_t i = core.start; i < core.code_end(); ++i) {
    if ((flags_[i] & word_reached) == 0) continue;
    const std::uint32_t bits = word(i);
    const Opcode* opcode = decoder_->find(bits);
    if (opcode == nullptr) continue;
    if (opcode->op == Op::swrite || opcode->op == Op::cwrite) {
      const std::uint32_t offset = field_of(bits, field::offset);
      const bool takes_address = opcode->op == Op::swrite ? is_code_address(offset) : table_write == offset;
      if (!takes_address || field_of(bits, field::base) != reg_zero || field_of(bits, field::rep) != 0) continue;
      definitions(core, i, field_of(bits, field::data_in),
                  [&](std::uint32_t at, std::uint32_t origin, const Opcode& by) {
                    if (!moves_number(origin, by, 0)) return;
                    add_code_address(core, at, roots);
                    const std::uint32_t to = core.start + field_of(origin, field::imm16);
                    if (to < core.code_end()) flags_[to] |= word_entered;
                  });
    } else if (opcode->op == Op::jump_register && has_field(*opcode, field::jump_register)) {
      const unsigned reg = field_of(bits, field::jump_register);
      std::uint32_t first = 0, single = 0, bound = 0;
      definitions(core, i, reg, [&](std::uint32_t at, std::uint32_t origin, const Opcode& by) {
        const std::uint32_t imm = field_of(origin, field::imm16);
        const bool sum = (takes_number(by, Alu::add) || takes_number(by, Alu::cmp)) && imm >= least_address;
        if (!moves_number(origin, by, 0) && !sum) return;
        add_code_address(core, at, roots);
        (by.op == Alu::cmp ? bound : by.op == Alu::add ? first : single) = imm;
        if (by.op == Alu::mov && core.start + imm < core.code_end()) indirect_.push_back({core.start + imm, i});
      });
      add_jump_table(core, i, first != 0 ? first : single, bound, roots);
    }
  }
  return roots;
}

void Image::find_header_addresses(const Core& core) {
  constexpr std::uint32_t payload = 0xFFFFFF;
  const auto holds = [&](std::uint32_t index, std::uint32_t value) {
    return index < core.code_end() && word(index) == decoder_->nop_with(value) && (value & ~payload) == 0 && value != 0;
  };
  const std::uint32_t first = core.start + 1, fourth = core.start + 3;
  const std::uint32_t table = table_address(core);
  const bool several = core.start == 0 && holds(first, size());
  if (several) add_symbolic(first, "#.end");
  if (table != 0 && holds(several ? fourth : first, table)) add_symbolic(several ? fourth : first, "#jumptbl");
  // The first core of an a8xx has a table of its own after its code.
  const std::uint32_t sixth = core.start + 6;
  if (map() != Map::a8xx || core.start != 0 || sixth >= core.code_end()) return;
  const std::uint32_t to = core.start + (word(sixth) & payload);
  if (!holds(sixth, to) || to < least_address || to >= core.code_end() || (flags_[to] & word_reached) != 0) return;
  flags_[to] |= word_table;
  add_symbolic(sixth, "#data" + number(to));
}

void Image::find_boot_addresses(const Core& core) {
  const std::uint32_t table = table_address(core);
  const auto memory_read = find_control_register(map(), ControlRole::memory_read_address);
  for (std::uint32_t i = core.start; i < std::min(core.code_end(), core.start + boot_words); ++i) {
    const std::uint32_t bits = word(i);
    const Opcode* opcode = (flags_[i] & word_reached) != 0 ? instruction(i) : nullptr;
    if (opcode == nullptr) continue;
    // a660: word addresses of its table and of the other program, at once.
    const std::uint32_t imm = field_of(bits, field::imm16);
    if (moves_number(bits, *opcode, 0) && i - core.start < header_words && imm != 0) {
      if (imm == table) add_symbolic(i, "#jumptbl");
      for (std::size_t other = 1; core.start == 0 && other < cores_.size(); ++other)
        if (imm == cores_[other].start) add_symbolic(i, "#." + std::string(cores_[other].name));
    }
    // A750 and later: byte offsets that are added to where the program lies.
    if (opcode->op == Op::cwrite && memory_read == field_of(bits, field::offset) && table != 0)
      definitions(core, i, field_of(bits, field::data_in),
                  [&](std::uint32_t at, std::uint32_t origin, const Opcode& by) {
                    if (takes_number(by, Alu::add) && field_of(origin, field::imm16) == table * word_bytes)
                      add_symbolic(at, "#jumptbl*4");
                  });
    if (!takes_number(*opcode, Alu::add) || core.start != 0) continue;
    for (std::size_t to = 1; to < cores_.size(); ++to)
      for (std::size_t from = 0; from < to; ++from) {
        if (imm != (cores_[to].start - cores_[from].start) * word_bytes) continue;
        std::string text = "#." + std::string(cores_[to].name) + "*4";
        if (from != 0) text += " - #." + std::string(cores_[from].name) + "*4";
        add_symbolic(i, std::move(text));
      }
  }
}

void Image::find_data_tables(const Core& core) {
  // Tables are read at the program's own address + 4 * index.
  for (std::uint32_t i = core.start; i < core.code_end(); ++i) {
    const std::uint32_t bits = word(i);
    const Opcode* opcode = (flags_[i] & word_reached) != 0 ? instruction(i) : nullptr;
    if (opcode == nullptr || !moves_number(bits, *opcode, 2)) continue;
    const std::uint32_t imm = field_of(bits, field::imm16);
    const std::uint64_t to = std::uint64_t{core.start} + imm;
    if (imm < least_address || to >= core.code_end() || (flags_[to] & word_reached) != 0) continue;
    flags_[to] |= word_table;
    add_symbolic(i, "#data" + number(imm));
  }
}

void Image::find_data(const Core& core) {
  const std::uint32_t end = core.code_end();
  for (std::uint32_t begin = core.start; begin < end;) {
    const auto reached = [&](std::uint32_t i) { return (flags_[i] & word_reached) != 0; };
    if (reached(begin)) {
      ++begin;
      continue;
    }
    std::uint32_t stop = begin;
    std::optional<std::uint32_t> data;
    for (; stop < end && !reached(stop); ++stop) {
      if ((flags_[stop] & word_table) != 0 && !data) data = stop;
      // What cannot be an instruction makes its surroundings data too.
      if (instruction(stop) == nullptr) data = begin;
    }
    for (std::uint32_t i = data.value_or(stop); i < stop; ++i) flags_[i] |= word_data;
    begin = stop;
  }
  for (std::uint32_t i = end; i < core.end(); ++i) flags_[i] |= word_data;
}

void Image::label(const Core& core) {
  for (std::uint32_t i = core.start; i < core.end(); ++i) {
    const Opcode* opcode = code(i);
    if (opcode == nullptr) continue;
    if (const auto to = target(core, i, word(i), *opcode))
      flags_[*to] |= is_call(opcode->op) ? word_called : word_branch;
    if (opcode->op.way == Way::skip) flags_[i + 3] |= word_branch;
  }
  if (!table_has_labels(core)) return;
  for (unsigned i = 0; i < packet_table_words; ++i)
    if (word(*core.table + i) != 0) flags_[core.start + word(*core.table + i)] |= word_handler;
}

}  // namespace mobula::afuc
