#include "machines/afuc/text/annotate.h"

#include <algorithm>

#include "core/hexadecimal.h"

namespace mobula::afuc {
namespace {

/// Smaller numbers are not considered register addresses.
constexpr std::uint32_t least_register = 0x100;
/// How many instructions after another uses of its result are looked for.
constexpr std::uint32_t use_reach = 8;
constexpr std::uint32_t no_increment = 1u << 18;

bool addresses_registers(unsigned reg) { return reg == reg_addr || reg == reg_usraddr; }

/// True if the value that word `index` leaves in `reg` becomes the address of a GPU register soon.
bool becomes_address(const Image& image, const Core& core, std::uint32_t index, unsigned reg) {
  const std::uint32_t end = std::min(core.code_end(), index + 1 + use_reach);
  for (std::uint32_t i = index + 1; i < end; ++i) {
    const Opcode* opcode = image.code(i);
    if (opcode == nullptr || is_transfer(opcode->op)) return false;
    const std::uint32_t word = image.word(i);
    if (opcode->op == Op::cwrite && field_of(word, field::data_in) == reg && field_of(word, field::base) == reg_zero) {
      const ControlRole role = control_role(image.map(), field_of(word, field::offset));
      if (role == ControlRole::register_write_address || role == ControlRole::register_read) return true;
    }
    const auto written = written_register(word, *opcode);
    if (opcode->op.traits.composes && written && addresses_registers(*written))
      for (const OperandSpec& operand : opcode->operands)
        if (operand.kind == OperandKind::source && field_of(word, *operand.field) == reg) return true;
    if (written == reg) return false;
  }
  return false;
}

/// "|NRT_ADDR" of a number whose upper byte addresses a pipe register.
std::string pipe_name(Map map, std::uint32_t value, bool as_mesa) {
  constexpr std::uint32_t other_bits = 0x00FFFFFF & ~no_increment;
  if (value >> 24 == 0 || (value & other_bits) != 0) return {};
  const std::string_view name = as_mesa ? mesa_pipe_register(map, value >> 24) : pipe_register(map, value >> 24);
  return name.empty() ? hexadecimal(value >> 24, 3) : '|' + std::string(name);
}

/// "CP_NOP packet" of the upper half of a type-7 header.
std::string packet_name(Map map, std::uint32_t value) {
  constexpr std::uint32_t type7 = 0x70000000, opcode_bits = 0x007F0000, parity_bit = 0x00800000;
  if ((value & ~(opcode_bits | parity_bit)) != type7) return {};
  const std::string_view name = packet(map, value >> 16 & 0x7F);
  return name.empty() ? std::string{} : std::string(name) + " packet";
}

}  // namespace

std::string annotation(const Image& image, const Core& core, std::uint32_t index, std::uint32_t word,
                       const Opcode& opcode, bool as_mesa) {
  const bool shifted = opcode.format == &form::mov;
  if (!shifted && opcode.format != &form::imm) return {};
  if ((image.flags(index) & word_symbolic) != 0) return {};
  const std::uint32_t shift = shifted ? field_of(word, field::shift) : 0;
  const std::uint32_t value = field_of(word, field::imm16) << shift;
  if (value < least_register) return {};
  const unsigned reg = field_of(word, field::dst16);
  if (shift >= 16) {
    if (reg == reg_addr) return pipe_name(image.map(), value, as_mesa);
    if (shift == 16 && !as_mesa) return packet_name(image.map(), value);
  }
  if (!as_mesa) {
    if (!opcode.op.traits.composes) return {};
    if (!addresses_registers(reg) && !becomes_address(image, core, index, reg)) return {};
  }
  return gpu_register(image.map(), value);
}

}  // namespace mobula::afuc
