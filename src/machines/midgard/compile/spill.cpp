#include "machines/midgard/compile/spill.h"

#include <utility>

namespace mobula::midgard_compiler {
namespace {

Instruction access(const LsOp* op, std::uint32_t byte, std::uint32_t line) {
  Instruction each;
  each.kind = Instruction::Kind::load_store;
  each.memory = op;
  set(each.fields, midgard::ls::arg, midgard::selector_local_storage);
  set(each.fields, midgard::ls::toggle, 1);
  set(each.fields, midgard::ls::index, midgard::selector_zero);
  set(each.fields, midgard::ls::offset, byte);
  each.orders = true;
  each.slot = byte / spilled_bytes + 1;
  each.line = line;
  return each;
}

}  // namespace

void spill(Code& code, Value value, std::uint32_t byte) {
  static constexpr const LsOp* load = memory_row("ld_128");
  static constexpr const LsOp* store = memory_row("st_128");
  const std::uint8_t components = code.values[value].components;
  code.values[value].spilled = true;
  for (Block& block : code.blocks) {
    std::vector<Instruction> made;
    for (Instruction& each : block.code) {
      unsigned read = 0;
      each_source(each, [&](const Source& source, std::uint8_t lanes, bool) {
        if (source.is_value() && source.number == value) read |= components_read(code, source, lanes);
      });
      if (read != 0) {
        const Value again = code.add({.components = components, .spilled = true});
        Instruction loads = access(load, byte, each.line);
        loads.result = again;
        loads.mask = static_cast<std::uint8_t>(read);
        made.push_back(loads);
        each_source(each, [&](Source& source, std::uint8_t, bool) {
          if (source.is_value() && source.number == value) source.number = again;
        });
      }
      if (each.result != value) {
        made.push_back(each);
        continue;
      }
      const std::uint8_t mask = each.mask;
      const std::uint32_t line = each.line;
      // What memory words read has two registers: a load needs one for its address, while others may wait in both.
      const bool direct = each.kind == Instruction::Kind::alu;
      const Home home = each.kind == Instruction::Kind::texture ? Home::texture_out : Home::work;
      const Value data = code.add({.components = components, .home = Home::load_store, .spilled = true});
      const Value first = direct ? data : code.add({.components = components, .home = home, .spilled = true});
      each.result = first;
      made.push_back(each);
      if (!direct) made.push_back(copy_of(of(first), data, mask, line));
      Instruction stores = access(store, byte, line);
      stores.is_store = true;
      stores.stored = mask;
      stores.sources[0] = of(data);
      made.push_back(stores);
    }
    block.code = std::move(made);
  }
}

}  // namespace mobula::midgard_compiler
