#include "machines/utgard_gp/schedule/symbols.h"

#include <algorithm>

namespace mobula::utgard_gp {
namespace {

std::size_t slot(Unit unit) { return static_cast<std::size_t>(unit); }

}  // namespace

Contents own_contents(Values& values) {
  Contents own;
  for (unsigned i = 0; i < flat_registers; ++i) own.registers[i] = values.reg(i);
  for (unsigned k = 0; k < address_registers; ++k) own.addresses[k] = values.leaf(Make::address, k, 0);
  for (unsigned c = 0; c < own.memory.size(); ++c) own.memory[c] = values.leaf(Make::memory, 0, c);
  return own;
}

Symbols::Symbols(std::span<const Word128> words, Values& values, const Contents& entry)
    : words_(words), values_(values), now_(entry) {
  memory_.fill(entry.memory);
}

bool Symbols::run(Segment& segment) {
  varyings_.clear();
  segment.made.clear();
  for (word_ = segment.first; word_ < segment.first + segment.count; ++word_) {
    if (!step()) return false;
    segment.made.push_back(made());
    if (is_branch(word())) segment.condition = number(Unit::pass);
  }
  for (const auto& [place, value] : varyings_)
    segment.varyings.push_back({static_cast<std::uint8_t>(place / 4), static_cast<std::uint8_t>(place % 4), value});
  segment.end = now_;
  segment.touched = touched_;
  return problem_.text.empty();
}

std::vector<ValueId> Symbols::made() const {
  std::vector<ValueId> all;
  for (const Symbol& each : results_)
    if (each.kind == ResultKind::number) all.push_back(each.value);
  if (late_.kind == ResultKind::number) all.push_back(late_.value);
  return all;
}

bool Symbols::refuse(std::string text) {
  if (problem_.text.empty()) problem_ = {word_, std::move(text)};
  return false;
}

/// Things that no value represents: what nobody knows, and operations that have no Make.
bool Symbols::expressible() {
  const auto known = [&](const auto& operation, const Field& opcode, bool has_value) {
    if (has_value) return true;
    const std::string what = std::string(opcode.name) + ' ' + std::to_string(field(opcode));
    return refuse(operation.name.empty() ? what + " is unknown"
                                         : "no value represents " + what + ", " + std::string(operation.name));
  };
  const bool multiplies = is_active(word(), Unit::mul0) || is_active(word(), Unit::mul1);
  const bool adds = is_active(word(), Unit::acc0) || is_active(word(), Unit::acc1);
  const Operation<ComplexOp>& complex = cplx_operation(word());
  const bool has_complex =
      complex.does == ComplexOp::nop || complex.traits.copies || complex.traits.step || complex.traits.addresses != 0;
  if (!known(complex, word::cplx_op, has_complex)) return false;
  const Operation<AccOp>& add = acc_operation(word());
  if (!known(add, word::acc_op, !adds || make_of(add.does))) return false;
  const Operation<MulOp>& mul = mul_operation(word());
  if (!known(mul, word::mul_op, !multiplies || mul.traits.step || make_of(mul.does))) return false;
  if (mul.traits.selects && (field(word::mul0_neg) != 0 || field(word::mul1_neg) != 0))
    return refuse("the negation bits of a select are unknown");
  const Operation<PassOp>& pass = pass_operation(word());
  const bool has_pass = pass.traits.copies || pass.traits.step || pass.does == PassOp::clamp;
  if (!known(pass, word::pass_op, !is_active(word(), Unit::pass) || has_pass)) return false;
  if ((field(word::branch) != 0) != (field(word::flow) == flow_branch)) return refuse("branch bit and flow disagree");
  if (const unsigned flow = field(word::flow); flow != 0 && flow != flow_temporary && flow != flow_branch)
    return refuse("flow " + std::to_string(flow) + " is unknown");
  return true;
}

bool Symbols::step() {
  if (!expressible()) return false;
  results_ = {};
  late_ = {};
  new_addresses_.fill(no_value);
  std::array<Symbol, 4> port0;  // as fetched: this word's stores come later
  for (unsigned c = 0; c < 4; ++c) port0[c] = port(0, c);
  compute_adder(Unit::acc0, 4);
  compute_adder(Unit::acc1, 6);
  compute_multipliers();
  compute_pass();
  compute_complex();
  store();
  for (unsigned k = 1; k < address_registers; ++k)  // loads of this word have been served
    if (new_addresses_[k] != no_value) now_.addresses[k] = new_addresses_[k];
  std::copy_backward(memory_.begin(), memory_.end() - 1, memory_.end());
  memory_.front() = now_.memory;
  older_ = newer_;
  if (late_before_.kind != ResultKind::undefined) older_[slot(Unit::mul0)] = late_before_;
  late_before_ = late_;
  newer_ = results_;
  std::copy(port0.begin(), port0.end(), newer_.begin() + channel_port0);
  return problem_.text.empty();
}

Symbols::Symbol Symbols::port(unsigned number, unsigned component) {
  const bool attribute = number == 0 && field(word::port0_attr) != 0;
  const unsigned index = field(number == 0 ? word::port0_index : word::port1_index);
  const ValueId value =
      attribute ? values_.leaf(Make::attribute, index, component) : now_.registers[4 * index + component];
  return {value == no_value ? ResultKind::undefined : ResultKind::number, value};
}

Symbols::Symbol Symbols::load(unsigned component) {
  const unsigned offset = field(word::ld_off);
  if (offset != no_offset && (offset == 0 || offset >= address_registers)) {
    refuse("ld.off " + std::to_string(offset) + " is unknown");
    return {};
  }
  const ValueId address = offset == no_offset ? no_value : now_.addresses[offset];
  return {ResultKind::number, values_.load(field(word::ld_addr), address, component, memory_.back()[component])};
}

Symbols::Symbol Symbols::raw(unsigned operand) {
  const OperandField& row = operand_fields[operand];
  const unsigned selector = field(*row.field);
  if (const ForwardedSource source = forwarded_source(selector, row.b); source.age != 0)
    return source.age == 1 ? newer_[source.channel] : older_[source.channel];
  switch (selectors[selector].source) {
    case Source::port0:
      return port(0, selectors[selector].component);
    case Source::port1:
      return port(1, selectors[selector].component);
    case Source::load:
      return load(selectors[selector].component);
    case Source::result:
    case Source::previous_port0:
    case Source::identity_or_complex:
    case Source::unused:
    case Source::unknown:
      break;
  }
  return {};
}

bool Symbols::is_identity(unsigned operand) const { return field(*operand_fields[operand].field) == selector_identity; }

/// The operand as a number; its input sign is left to the caller.
ValueId Symbols::number(unsigned operand) {
  const Symbol symbol = raw(operand);
  if (symbol.kind == ResultKind::number) return symbol.value;
  const std::string name(operand_fields[operand].field->name);
  refuse(symbol.kind == ResultKind::undefined ? name + " reads something that is not there or comes across a branch"
                                              : name + " uses a partial result outside its sequence");
  return values_.leaf(Make::uniform, 0, 0);  // never used: the program is refused
}
ValueUse Symbols::signed_number(unsigned operand) {
  return {number(operand), field(*operand_fields[operand].negate) != 0};
}
ValueId Symbols::number(Unit unit) {
  const Symbol symbol = results_[slot(unit)];
  if (symbol.kind != ResultKind::number) {
    refuse(std::string(info(unit).name) + " is used in this word but holds no number");
    return values_.leaf(Make::uniform, 0, 0);
  }
  return symbol.value;
}
void Symbols::result(Unit unit, ValueId value) { results_[slot(unit)] = {ResultKind::number, value}; }

void Symbols::compute_adder(Unit unit, unsigned a) {
  if (!is_active(word(), unit)) return;
  const unsigned b = a + 1;
  const ValueUse x = signed_number(a);
  const Make make = *make_of(acc_operation(word()).does);
  if (operation_of(make).operands == 1) return result(unit, values_.adder(make, x));
  const bool negative = field(*operand_fields[b].negate) != 0;
  if (make == Make::add && is_identity(b) && negative)  // x + -0.0 is x
    return result(unit, x.negate ? values_.negated(x.value) : x.value);
  const ValueUse y = is_identity(b) ? ValueUse{no_value, negative} : ValueUse{number(b), negative};
  result(unit, values_.adder(make, x, y));
}

void Symbols::multiply(Unit unit, unsigned a, const Field& negate) {
  if (!is_active(word(), unit)) return;
  const ValueId x = number(a);
  const ValueId product = is_identity(a + 1) ? x : values_.mul(x, number(a + 1));
  result(unit, field(negate) != 0 ? values_.negated(product) : product);
}

void Symbols::compute_multipliers() {
  const Traits& traits = mul_operation(word()).traits;
  if (traits.combines) {
    late_ = complex1();
  } else if (traits.selects) {
    const ValueId if_true = number(2);
    result(Unit::mul0, is_identity(1) ? if_true : values_.select(number(1), number(0), if_true));
  } else if (traits.squares) {
    const Symbol x = raw(0), again = raw(1);
    if (x.value != again.value || x.kind != again.kind ||
        (x.kind != ResultKind::number && x.kind != ResultKind::pre_exp2)) {
      refuse("complex2 takes the same argument twice");
      return;
    }
    results_[slot(Unit::mul0)] = {square_of(x.kind), x.value};
  } else {
    multiply(Unit::mul0, 0, word::mul0_neg);
  }
  multiply(Unit::mul1, 2, word::mul1_neg);
}

Symbols::Symbol Symbols::complex1() {
  const Symbol table = raw(0), square = raw(1), table_again = raw(2), argument = raw(3);
  const bool exponential = table.kind == ResultKind::table_exp2;
  const std::optional<Make> function = make_of(table.kind);
  const bool matches = function && table_again.kind == table.kind && table_again.value == table.value &&
                       square.kind == square_of(argument.kind) && square.value == table.value &&
                       argument.kind == (exponential ? ResultKind::pre_exp2 : ResultKind::number) &&
                       argument.value == table.value;
  if (!matches) {
    refuse("complex1 without the table result, complex2 result and argument of one function");
    return {};
  }
  if (*function == Make::log2) return {ResultKind::raw_log2, table.value};  // postlog2 ends it
  return {ResultKind::number, values_.function(*function, table.value)};
}

void Symbols::compute_complex() {
  if (!is_active(word(), Unit::complex)) return;
  const Traits& traits = cplx_operation(word()).traits;
  Symbol& out = results_[slot(Unit::complex)];
  if (traits.takes == ResultKind::pre_exp2) {
    const Symbol x = raw(8);
    if (x.kind != traits.takes) {
      refuse("exp2 without preexp2");
      return;
    }
    out = {traits.result, x.value};
  } else {
    out = {traits.result, traits.from_pass ? number(Unit::pass) : number(8)};
  }
  for (unsigned k = 0; k < address_registers; ++k)
    if (sets_address(word(), k)) set_address(k, out.value);
}

void Symbols::set_address(unsigned which, ValueId value) {
  new_addresses_[which] = value;
  if (which == 0) now_.addresses[0] = value;  // counts for the stores of this word
}

void Symbols::compute_pass() {
  if (!is_active(word(), Unit::pass)) return;
  const Traits& traits = pass_operation(word()).traits;
  if (traits.takes == ResultKind::raw_log2) {
    const Symbol x = raw(9);
    if (x.kind == traits.takes)
      result(Unit::pass, values_.function(Make::log2, x.value));
    else
      refuse("postlog2 without the result of a log2 sequence");
  } else if (traits.bounds) {
    const ValueId raised = values_.adder(Make::max, {number(9)}, {load(0).value});
    result(Unit::pass, values_.adder(Make::min, {raised}, {load(1).value}));
  } else {
    results_[slot(Unit::pass)] = {traits.result, number(9)};
  }
}

void Symbols::store() {
  for (unsigned half = 0; half < 2; ++half) {
    const StoreHalf store = store_half(word(), half);
    for (unsigned i = 0; i < 2; ++i) {
      if (store.selector[i] == store_nothing) continue;
      if (store.selector[i] == store_unknown) {
        refuse("store selector 5 is unknown");
        return;
      }
      this->store(store, store.first_component + i, number(stored_unit(store.selector[i])));
    }
  }
}

void Symbols::store(const StoreHalf& half, unsigned component, ValueId value) {
  const unsigned place = 4u * half.index + component;
  if (half.kind == StoreKind::reg) {
    now_.registers[place] = value;
    touched_ |= std::uint64_t{1} << place;
  } else if (half.kind == StoreKind::temporary) {
    if (values_[now_.addresses[0]].make == Make::address) {
      refuse("stores a temporary at an address that was set before a branch or join, or never");
      return;
    }
    now_.memory[component] = values_.store(now_.memory[component], now_.addresses[0], value);
  } else {
    const auto known =
        std::find_if(varyings_.begin(), varyings_.end(), [&](const auto& entry) { return entry.first == place; });
    if (known != varyings_.end())
      known->second = value;
    else
      varyings_.emplace_back(place, value);
  }
}

}  // namespace mobula::utgard_gp
