#include "machines/midgard/compile/spill.h"

#include <map>
#include <optional>
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

/// Whether it makes the same wherever it stands, as a uniform or a constant that is fetched.
bool can_be_repeated(const Instruction& each) {
  bool reads_values = false;
  each_source(each, [&](const Source& source, std::uint8_t, bool) {
    reads_values = reads_values || source.kind != Source::Kind::constant;
  });
  if (reads_values || each.has_guard()) return false;
  if (each.kind != Instruction::Kind::load_store) return each.kind == Instruction::Kind::alu;
  const midgard::LsMeaning does = each.memory->does;
  return does == midgard::LsMeaning::ubo || does == midgard::LsMeaning::varying ||
         does == midgard::LsMeaning::attribute;
}

class Spiller {
 public:
  Spiller(Code& code, std::span<const Value> values, std::uint32_t byte) : code_(code), end_(byte) {
    for (const Value value : values) {
      code_.values[value].spilled = true;
      kept_[value] = {};
    }
  }

  /// \return the byte behind what is kept.
  std::uint32_t run() {
    find_makers();
    for (Block& block : code_.blocks) {
      for (Instruction& each : block.code) {
        read_before(each);
        const auto written = kept_.find(each.result);
        if (written == kept_.end())
          made_.push_back(each);
        else if (!written->second.repeated)
          write_after(each, written->second.byte);
      }
      block.code = std::exchange(made_, {});
    }
    return end_;
  }

 private:
  struct Kept {
    std::uint32_t makers = 0;
    std::optional<Instruction> repeated;  ///< instead of being in memory
    std::uint32_t byte = 0;
  };

  void find_makers() {
    for (const Block& block : code_.blocks)
      for (const Instruction& each : block.code) {
        const auto found = kept_.find(each.result);
        if (found == kept_.end()) continue;
        Kept& kept = found->second;
        kept.repeated = ++kept.makers == 1 && can_be_repeated(each) ? std::optional(each) : std::nullopt;
      }
    for (auto& [_, kept] : kept_)
      if (!kept.repeated) kept.byte = std::exchange(end_, end_ + spilled_bytes);
  }

  void read_before(Instruction& reader) {
    std::map<Value, std::uint8_t> read;  // components
    each_source(reader, [&](const Source& source, std::uint8_t lanes, bool) {
      if (source.is_value() && kept_.contains(source.number))
        read[source.number] |= components_read(code_, source, lanes);
    });
    std::map<Value, Value> again;
    for (const auto& [value, components] : read) {
      if (components == 0) continue;
      again[value] = code_.add({.components = code_.values[value].components, .spilled = true});
      const Kept& kept = kept_.at(value);
      Instruction loads = kept.repeated.value_or(access(memory_row("ld_128"), kept.byte, reader.line));
      loads.line = reader.line;
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
  std::map<Value, Kept> kept_;
  std::uint32_t end_;
  std::vector<Instruction> made_;
};

}  // namespace

std::uint32_t spill(Code& code, std::span<const Value> values, std::uint32_t byte) {
  return Spiller(code, values, byte).run();
}

}  // namespace mobula::midgard_compiler
