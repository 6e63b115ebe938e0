// What is read when a program begins, and loads and stores of variables.
#include <algorithm>

#include "compile/cannot_do.h"
#include "compile/pixel_formats.h"
#include "machines/rogue/compile/selector.h"
#include "machines/rogue/compile/spill.h"

namespace mobula::rogue_compiler {

using ssa::BuiltIn;
using ssa::Op;
using ssa::Storage;

namespace {

constexpr std::uint32_t face_register = 44, x_register = 97, y_register = 100;
constexpr std::uint32_t most_in_a_row = 16;  // that one group iterates
constexpr std::uint32_t most_array_words = 4096;
constexpr std::uint32_t constant_coefficient = 2;  // of A, B, C: what is left where x and y are 0

Operation operation_of(rogue::Pack pack) {
  switch (pack) {
    case rogue::Pack::u8888:
      return Operation::pck_u8888;
    case rogue::Pack::s8888:
      return Operation::pck_s8888;
    case rogue::Pack::u1616:
      return Operation::pck_u1616;
    case rogue::Pack::f16f16:
      break;
  }
  return Operation::pck_half;
}

bool is_flat(const ssa::Slot& slot) { return slot.flat || slot.type.base != ssa::Base::real; }

}  // namespace

void Selector::begin() {
  if (program_.stage == Stage::fragment) begin_varyings();
  if (discards_) move(immediate(0), internal(discarded_register));
  for (std::uint32_t i = 0; i < program_.variables.size(); ++i) {
    const ssa::Variable& variable = program_.variables[i];
    if (variable.storage == Storage::output && variable.built_in() == BuiltIn::frag_depth) {
      depth_value_ = code_.add();
      move(immediate(0), depth_value_);
    }
    if (variable.storage != Storage::local) continue;
    locals_[i].resize(variable.slots.size());
    const std::uint32_t words = layout_.stride[i] * static_cast<std::uint32_t>(variable.slots.size());
    if (layout_.is_indexed[i] && words > most_array_words)
      compile::cannot(compile::name_of_array(variable) + " needs " + std::to_string(words) + " words, and there are " +
                          std::to_string(most_array_words),
                      0, "use a smaller array");
    const Operand row = layout_.is_indexed[i] ? code_.add(static_cast<std::uint16_t>(words)) : Operand{};
    for (std::uint32_t slot = 0; slot < variable.slots.size(); ++slot)
      for (unsigned k = 0; k < variable.slots[slot].type.components; ++k) {
        Operand& place = locals_[i][slot][k];
        place = layout_.is_indexed[i] ? word(row.number + layout_.first[i][slot] + k) : code_.add();
        if (layout_.is_indexed[i] ? words <= most_array_in_registers : end_ > 1) move(immediate(0), place);
      }
  }
}

/// All that the program reads at once, and one wait.
void Selector::begin_varyings() {
  std::map<std::uint32_t, bool> sets;  // in perspective?
  for (const ssa::Block& block : program_.blocks)
    for (const ssa::Instruction& each : block.instructions) {
      if (each.op != Op::load || program_.variables[each.variable].storage != Storage::input) continue;
      const ssa::Variable& variable = program_.variables[each.variable];
      if (variable.built_in() == BuiltIn::frag_coord) {
        sets[depth_set] = sets[w_set] = false;
      } else if (variable.built_in() != BuiltIn::front_facing) {
        // Where an index is known at run time only, all from there on.
        const std::size_t last = each.operands.empty() ? each.data[0] : variable.slots.size() - 1;
        for (std::size_t slot = each.data[0]; slot <= last; ++slot)
          for (std::uint32_t i = 0; i < each.type.components && !is_flat(variable.slots[slot]); ++i)
            sets[layout_.first[each.variable][slot] + i] =
                variable.built_in() != BuiltIn::point_coord && !variable.slots[slot].noperspective;
      }
    }
  for (auto at = sets.begin(); at != sets.end();) {
    auto behind = at;
    std::uint8_t count = 0;
    while (behind != sets.end() && behind->first == at->first + count && behind->second == at->second &&
           count < most_in_a_row)
      ++behind, ++count;
    const Operand row = code_.add(count);
    const auto coefficients = [](std::uint32_t set) {
      return machine(Operand::Kind::coefficient, registers_of_a_set * set);
    };
    if (at->second)
      emit(rows::iterate_perspective, Operation::none, {coefficients(at->first), coefficients(w_set)}, {row}, count);
    else
      emit(rows::iterate, Operation::none, {coefficients(at->first)}, {row}, count);
    for (std::uint8_t i = 0; i < count; ++i) varyings_[at->first + i] = word(row.number + i);
    at = behind;
  }
  if (!sets.empty()) emit(rows::wait, Operation::none, {}, {});
}

std::uint32_t Selector::set_index(ssa::Value index, std::uint32_t variable, std::uint32_t slot) {
  const auto last = static_cast<std::uint32_t>(program_.variables[variable].slots.size()) - slot - 1;
  const Operand within = make(rows::choose_tested, Operation::tstl_u32, {at(index, 0), immediate(last)});
  const bool is_local = program_.variables[variable].storage == Storage::local;
  const std::uint32_t base = is_local ? 0 : counted_from(layout_.first[variable][slot]);
  const Operand scaled =
      layout_.stride[variable] == 1 && base == 0
          ? within
          : make(rows::integer, Operation::none, {within, immediate(layout_.stride[variable]), immediate(base)});
  move(scaled, machine(Operand::Kind::index, 0));
  return base;
}

void Selector::load(const ssa::Instruction& each) {
  const ssa::Variable& variable = program_.variables[each.variable];
  Components& made = values_[each.result];
  const std::uint32_t slot = each.data[0];
  if (variable.storage == Storage::input) return load_input(each);
  const bool is_local = variable.storage == Storage::local;
  const bool is_indexed = !each.operands.empty();
  const std::uint32_t base = is_indexed ? set_index(each.operands[0], each.variable, slot) : 0;
  for (unsigned i = 0; i < each.type.components; ++i) {
    Operand from = is_local ? locals_[each.variable][slot][i]
                            : machine(Operand::Kind::shared, layout_.first[each.variable][slot] + i - base);
    if (is_indexed && !is_local) from.kind = Operand::Kind::indexed_shared;
    if (is_indexed && is_local) {
      // All of the array from here on may be read.
      from.kind = Operand::Kind::indexed_word;
      from.count = static_cast<std::uint16_t>(layout_.stride[each.variable] * (variable.slots.size() - slot) - i);
    }
    const bool stays = variable.storage == Storage::uniform && !is_indexed;
    made[i] = stays ? from : make(rows::move, Operation::none, {from});
  }
}

Operand Selector::chosen(const Operand& index, const std::vector<Operand>& all) {
  Operand made = immediate(0);
  for (std::uint32_t i = 0; i < all.size(); ++i)
    made = make(rows::choose, Operation::none,
                {all[i], made, make(rows::logical, Operation::xor_, {index, immediate(i)})});
  return made;
}

/// Numbers of threads, from those that whoever starts them provides.
void Selector::load_thread(const ssa::Instruction& each) {
  const ssa::Variable& variable = program_.variables[each.variable];
  Components& made = values_[each.result];
  const auto local = [&](std::uint32_t i) { return machine(Operand::Kind::input, layout_.local_id + i); };
  const auto group = [&](std::uint32_t i) { return machine(Operand::Kind::input, layout_.group_id + i); };
  const auto multiplied = [&](const Operand& a, std::uint32_t by, const Operand& c) {
    return make(rows::integer, Operation::none, {a, immediate(by), c});
  };
  const auto component = [&](std::uint32_t i) {
    switch (variable.built_in()) {
      case BuiltIn::local_invocation_index:
        return multiplied(multiplied(local(2), program_.local_size[1], local(1)), program_.local_size[0], local(0));
      case BuiltIn::local_invocation_id:
        return local(i);
      case BuiltIn::work_group_id:
        return group(i);
      case BuiltIn::global_invocation_id:
        return multiplied(group(i), program_.local_size[i], local(i));
      case BuiltIn::num_work_groups:
        return machine(Operand::Kind::shared, layout_.system_values.at({SystemValueType::group_count, 0}) + i);
      default:  // a dispatch has no other
        compile::cannot("the input " + variable.name + " is not supported on Rogue", line_,
                        "please report it with the shader");
    }
  };
  for (std::uint32_t i = 0; i < each.type.components; ++i) made[i] = component(i);
}

void Selector::load_input(const ssa::Instruction& each) {
  const ssa::Variable& variable = program_.variables[each.variable];
  Components& made = values_[each.result];
  const auto special = [](std::uint32_t number) { return machine(Operand::Kind::special, number); };
  if (program_.stage == Stage::compute) return load_thread(each);
  if (program_.stage == Stage::fragment && variable.built_in() == BuiltIn::front_facing) {
    made[0] = compare(Operation::tste_u32, special(face_register), immediate(0));
    return;
  }
  if (program_.stage == Stage::fragment && variable.built_in() == BuiltIn::frag_coord) {
    made = Components{special(x_register), special(y_register), varyings_.at(depth_set), varyings_.at(w_set)};
    return;
  }
  const auto input = [&](std::uint32_t slot, std::uint32_t i) {
    const std::uint32_t number = layout_.first[each.variable][slot] + i;
    if (program_.stage == Stage::vertex) return machine(Operand::Kind::input, number);
    if (is_flat(variable.slots[slot]))
      return machine(Operand::Kind::coefficient, registers_of_a_set * number + constant_coefficient);
    return varyings_.at(number);
  };
  for (unsigned i = 0; i < each.type.components; ++i) {
    made[i] = input(each.data[0], i);
    if (each.operands.empty()) continue;
    std::vector<Operand> all;
    for (std::uint32_t slot = each.data[0]; slot < variable.slots.size(); ++slot) all.push_back(input(slot, i));
    made[i] = chosen(at(each.operands[0], 0), all);
  }
}

void Selector::store(const ssa::Instruction& each) {
  const ssa::Variable& variable = program_.variables[each.variable];
  if (variable.storage == Storage::output) return store_output(each);
  const std::uint32_t slot = each.data[0];
  const bool is_indexed = each.operands.size() > 1;
  const std::uint32_t base = is_indexed ? set_index(each.operands[1], each.variable, slot) : 0;
  // What is stored may be of the words that are stored to.
  std::array<Operand, 4> from{};
  const unsigned count = type_of(each.operands[0]).components;
  for (unsigned i = 0; i < count; ++i) from[i] = at(each.operands[0], i);
  for (unsigned i = 0; i < count; ++i) {
    if (variable.storage == Storage::shared) {
      const Operand::Kind kind = is_indexed ? Operand::Kind::indexed_shared : Operand::Kind::shared;
      move(from[i], machine(kind, layout_.first[each.variable][slot] + i - base));
      continue;
    }
    Operand to = locals_[each.variable][slot][i];
    if (is_indexed) {
      to.kind = Operand::Kind::indexed_word;
      to.count = static_cast<std::uint16_t>(layout_.stride[each.variable] * (variable.slots.size() - slot) - i);
    }
    move(from[i], to);
  }
}

void Selector::store_output(const ssa::Instruction& each) {
  const ssa::Slot& slot = program_.variables[each.variable].slots[each.data[0]];
  const std::uint32_t first = layout_.first[each.variable][each.data[0]];
  if (each.operands.size() > 1)
    compile::cannot("the outputs " + slot.name + " are indexed at run time", line_, "index them with constants");
  if (const rogue::PixelFormat* const format = rogue::find_pixel_format(slot.format))
    return pack_colour(each.operands[0], compile::stored_components(slot), *format, first);
  for (unsigned i = 0; i < type_of(each.operands[0]).components; ++i) {
    const Operand& from = at(each.operands[0], i);
    if (program_.stage == Stage::vertex)
      emit(rows::put_out, Operation::none, {from}, {}, first + i);
    else if (slot.built_in == BuiltIn::frag_depth)
      move(from, depth_value_);
    else
      move(from, machine(Operand::Kind::output, first + i));
  }
}

void Selector::pack_colour(ssa::Value colour, unsigned components, const rogue::PixelFormat& format,
                           std::uint32_t first) {
  for (unsigned i = 0; i < components; i += format.in_a_word) {
    std::vector<Operand> numbers;
    for (unsigned k = i; k < components && k < i + format.in_a_word; ++k) numbers.push_back(at(colour, k));
    emit(rows::pack_pixel, operation_of(format.pack), {in_a_row(numbers)}, {machine(Operand::Kind::output, first++)});
  }
}

}  // namespace mobula::rogue_compiler
