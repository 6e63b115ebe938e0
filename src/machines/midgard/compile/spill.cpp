#include "machines/midgard/compile/spill.h"

#include <map>
#include <unordered_map>
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

class Spiller {
 public:
  Spiller(Code& code, std::span<const Value> values, std::uint32_t byte) : code_(code) {
    for (const Value value : values) {
      code_.values[value].spilled = true;
      bytes_[value] = byte;
      byte += spilled_bytes;
    }
  }

  void run() {
    for (Block& block : code_.blocks) {
      for (Instruction& each : block.code) {
        read_before(each);
        const auto written = bytes_.find(each.result);
        if (written == bytes_.end())
          made_.push_back(each);
        else
          write_after(each, written->second);
      }
      block.code = std::exchange(made_, {});
    }
  }

 private:
  void read_before(Instruction& reader) {
    std::map<Value, std::uint8_t> read;  // components
    each_source(reader, [&](const Source& source, std::uint8_t lanes, bool) {
      if (source.is_value() && bytes_.contains(source.number))
        read[source.number] |= components_read(code_, source, lanes);
    });
    std::map<Value, Value> again;
    for (const auto& [value, components] : read) {
      if (components == 0) continue;
      again[value] = code_.add({.components = code_.values[value].components, .spilled = true});
      Instruction loads = access(memory_row("ld_128"), bytes_.at(value), reader.line);
      loads.result = again[value];
      loads.mask = components;
      made_.push_back(loads);
    }
    each_source(reader, [&](Source& source, std::uint8_t, bool) {
      if (!source.is_value()) return;
      if (const auto found = again.find(source.number); found != again.end()) source.number = found->second;
    });
  }

  void write_after(Instruction& maker, std::uint32_t byte) {
    const std::uint8_t components = code_.values[maker.result].components;
    // What memory words read has two registers: a load needs one for its address, while others may wait in both.
    const bool direct = maker.kind == Instruction::Kind::alu;
    const Home home = maker.kind == Instruction::Kind::texture ? Home::texture_out : Home::work;
    const Value data = code_.add({.components = components, .home = Home::load_store, .spilled = true});
    maker.result = direct ? data : code_.add({.components = components, .home = home, .spilled = true});
    made_.push_back(maker);
    if (!direct) made_.push_back(copy_of(of(maker.result), data, maker.mask, maker.line));
    Instruction stores = access(memory_row("st_128"), byte, maker.line);
    stores.is_store = true;
    stores.stored = maker.mask;
    stores.sources[0] = of(data);
    made_.push_back(stores);
  }

  Code& code_;
  std::unordered_map<Value, std::uint32_t> bytes_;  ///< where each value is
  std::vector<Instruction> made_;
};

}  // namespace

void spill(Code& code, std::span<const Value> values, std::uint32_t byte) { Spiller(code, values, byte).run(); }

}  // namespace mobula::midgard_compiler
