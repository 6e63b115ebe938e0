#include "machines/afuc/run/registers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/counted.h"
#include "machines/afuc/lift/lift.h"
#include "machines/afuc/spec/codec.h"
#include "machines/afuc/spec/names.h"

namespace mobula::afuc {
namespace {

/// The position in register_slots() of $nn: $00 has none.
constexpr std::size_t position(std::uint32_t reg) { return reg - 1; }

struct Flag {
  std::uint32_t bit;
  std::string_view name;
};
/// Of $14 on a6xx and later (4.10).
constexpr Flag flags[] = {
    {8, "skip IB2 (local)"}, {9, "skip IB2 (global)"}, {10, "predicate"}, {11, "visibility override"}, {15, "GMEM"},
    {29, "CP_SET_MODE"},     {30, "CP_SET_MODE"}};

std::string flags_text(std::uint32_t value) {
  std::string text;
  for (const Flag& flag : flags)
    if ((value >> flag.bit & 1) != 0) text += fmt::format("{}b{} {}", text.empty() ? "" : ", ", flag.bit, flag.name);
  return text;
}

std::string level_text(std::uint32_t level) {
  return level == 0 ? "in the ring buffer" : fmt::format("in IB{}", level);
}

std::string header_text(Map map, std::uint32_t header) {
  if (header >> 28 == 7)
    return fmt::format("{}, {}", packet_or_number(map, header >> 16 & 0x7F), counted(header & 0x3FFF, "word"));
  if (header >> 28 == 4)
    return fmt::format("type 4, register {:#x}, {}", header >> 8 & 0x3FFFF, counted(header & 0x7F, "word"));
  return {};
}

}  // namespace

std::span<const std::string> register_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ir::Slot& slot : register_slots()) all.emplace_back(slot.name);
    return all;
  }();
  return names;
}

std::string register_meaning(Map map, CoreKind kind, std::size_t number, std::uint32_t value) {
  if (number == position(0x01)) return header_text(map, value);
  switch (kind) {
    case CoreKind::pfp:
      return number == position(0x18) ? level_text(value & 3) : std::string();
    case CoreKind::me:
      if (number == position(0x16)) return fmt::format("bank {} of registers 0x2000 to 0x27ff", value >> 10 & 1);
      if (number == position(0x17)) return fmt::format("bank {} of registers 0xe000 to 0xefff", value >> 11 & 1);
      return {};
    case CoreKind::sqe:
      if (number == position(0x12)) return level_text(value & 7);
      if (number == position(0x14)) return flags_text(value);
      return {};
  }
  return {};
}

std::string result_meaning(Map map, std::uint32_t word, std::size_t number, std::uint32_t value) {
  const Opcode* opcode = decoder(generation_of(map)).find(word);
  if (opcode == nullptr || !(opcode->op == Alu::cmp)) return {};
  for (const OperandSpec& operand : opcode->operands)
    if (operand.kind == OperandKind::destination && number == position(field_of(word, *operand.field)))
      return value == 0x2B ? "equal" : value == 0x1E ? "less" : "greater";
  return {};
}

}  // namespace mobula::afuc
