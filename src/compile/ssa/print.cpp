#include "compile/ssa/print.h"

#include <bit>
#include <span>

#include "core/text_buffer.h"

namespace mobula::ssa {
namespace {

std::string number_of(Value value) { return value == none ? "none" : "v" + std::to_string(value); }
std::string label_of(std::uint32_t block) { return block == none ? "none" : "b" + std::to_string(block); }

std::string list_of_values(std::span<const Value> values) {
  std::string text;
  for (const Value value : values) {
    text += text.empty() ? " " : ", ";
    text += number_of(value);
  }
  return text;
}

std::string constant_text(Base base, std::uint32_t bits) {
  if (base == Base::boolean) return bits != 0 ? "true" : "false";
  if (base == Base::integer) return std::to_string(static_cast<std::int32_t>(bits));
  std::array<char, 32> digits;
  return {digits.data(), put_float(digits.data(), std::bit_cast<float>(bits))};
}

std::string data_text(const Instruction& each) {
  std::string text;
  if (each.op == Op::constant)
    for (unsigned i = 0; i < each.type.components; ++i)
      text.append(i == 0 ? " " : ", ").append(constant_text(each.type.base, each.data[i]));
  if (each.op == Op::swizzle) {
    text = ".";
    for (unsigned i = 0; i < each.type.components; ++i) text += "xyzw"[each.data[i] & 3];
  }
  return text;
}

/// "name[+3]": a place is a number of slots, or of bytes, and what the last operand adds.
std::string place_text(const Program& program, const Instruction& each) {
  std::string text = " ";
  text += program.variables[each.variable].name;
  text += '[';
  text += std::to_string(each.data[0]);
  text += ']';
  return text;
}

std::string access_text(const Program& program, const TextureAccess& access) {
  constexpr std::array<std::string_view, 7> kinds{"sample", "fetch", "gather", "size", "levels", "lod", "texel"};
  constexpr std::array<std::string_view, 6> shapes{"1d", "2d", "3d", "cube", "rectangle", "buffer"};
  std::string text = ".";
  text += kinds[static_cast<std::size_t>(access.kind)];
  text += '.';
  text += shapes[static_cast<std::size_t>(access.shape)];
  if (access.layered) text += "_array";
  if (access.shadow) text += ".shadow";
  text += ' ';
  text += program.variables[access.texture].name;
  const auto part = [&](std::string_view what, int operand) {
    if (operand < 0) return;
    text += ' ';
    text += what;
    text += '=';
    text += std::to_string(operand);
  };
  part("index", access.index), part("at", access.coordinate), part("reference", access.reference);
  part(access.level == TextureAccess::Level::bias ? "bias" : "lod", access.lod);
  part("ddx", access.ddx), part("ddy", access.ddy), part("offset", access.offset), part("sample", access.sample);
  text += ':';
  return text;
}

std::string end_text(const Block& block) {
  std::string text;
  switch (block.end.kind) {
    case End::Kind::jump:
      text = "jump " + label_of(block.end.targets[0]);
      break;
    case End::Kind::branch:
      text = "branch " + number_of(block.end.condition);
      text += " ? ";
      text += label_of(block.end.targets[0]);
      text += " : ";
      text += label_of(block.end.targets[1]);
      break;
    case End::Kind::leave:
      text = "leave";
      break;
    case End::Kind::discard:
      text = "discard";
      break;
    case End::Kind::unreachable:
      text = "unreachable";
      break;
  }
  if (block.merge != none) text += "  ; meets at " + label_of(block.merge);
  if (block.next_turn != none) text += ", turns at " + label_of(block.next_turn);
  return text;
}

std::string variable_text(const Variable& variable) {
  std::string text(name(variable.storage));
  text += ' ';
  text += variable.name;
  if (!variable.format.empty()) text.append(" ").append(variable.format);
  if (variable.binding != none) text += " binding " + std::to_string(variable.binding);
  text += '\n';
  for (const Slot& slot : variable.slots) {
    text += "  ";
    text += slot.name;
    text += ": ";
    text += name(slot.type);
    if (slot.location != none) text += " location " + std::to_string(slot.location);
    if (slot.flat) text += " flat";
    if (slot.noperspective) text += " noperspective";
    if (slot.invariant) text += " invariant";
    if (!slot.format.empty()) text += " " + slot.format;
    text += '\n';
  }
  for (const Member& member : variable.members) {
    text += "  ";
    text += std::to_string(member.offset);
    text += ": ";
    text += member.name;
    text += ": ";
    text += name(member.type);
    if (member.stride != 0) text += " every " + std::to_string(member.stride);
    text += '\n';
  }
  return text;
}

std::string_view stage_word(Stage stage) {
  switch (stage) {
    case Stage::vertex:
      return "vertex";
    case Stage::fragment:
      return "fragment";
    case Stage::compute:
      return "compute";
    case Stage::unknown:
      break;
  }
  return "unknown";
}

}  // namespace

std::string print(const Program& program, const Instruction& each) {
  std::string text;
  if (each.result != none) text = number_of(each.result) + " = ";
  text += name(each.op);
  if (each.op == Op::atomic || each.op == Op::image_atomic) text.append(".").append(name(each.atomic));
  if (each.type.base != Base::none) text += '.' + name(each.type);
  if (each.precise) text += ".precise";
  if (has_access(each.op)) text += access_text(program, program.accesses[each.data[0]]);
  if (each.variable != none) text += place_text(program, each);
  text += list_of_values(each.operands);
  text += data_text(each);
  return text;
}

std::string print(const Program& program) {
  std::string text = "stage ";
  text += stage_word(program.stage);
  if (program.stage == Stage::compute)
    for (const std::uint32_t size : program.local_size) text += ' ' + std::to_string(size);
  text += '\n';
  for (const Variable& variable : program.variables) text += variable_text(variable);
  std::uint32_t line = 0;
  for (std::uint32_t i = 0; i < program.blocks.size(); ++i) {
    const Block& block = program.blocks[i];
    text += label_of(i);
    text += ':';
    if (!block.predecessors.empty()) text += "  ; from";
    for (const std::uint32_t from : block.predecessors) text += ' ' + label_of(from);
    text += '\n';
    for (const Instruction& each : block.instructions) {
      if (each.line != 0 && each.line != line) text += "  ; line " + std::to_string(line = each.line) + '\n';
      text += "  ";
      text += print(program, each);
      text += '\n';
    }
    text += "  ";
    text += end_text(block);
    text += '\n';
  }
  return text;
}

}  // namespace mobula::ssa
