#include "servers/gdb_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <set>
#include <string_view>

namespace mobula::servers {
namespace {

constexpr std::string_view vector_components = "xyzw";
constexpr std::uint32_t component_bytes = 4;

/// The name of the vector whose first component this slot is, if the others follow it.
std::string_view vector_at(const std::vector<ir::Slot>& slots, std::size_t first) {
  if (first + vector_components.size() > slots.size()) return {};
  const std::string_view name = slots[first].name;
  if (name.size() < 3) return {};
  const std::string_view base = name.substr(0, name.size() - 2);
  for (std::size_t i = 0; i < vector_components.size(); ++i) {
    const ir::Slot& slot = slots[first + i];
    const std::string_view component = slot.name;
    if (component.size() != name.size() || !component.starts_with(base) || component[base.size()] != '.' ||
        component.back() != vector_components[i] || slot.bytes != component_bytes ||
        slot.byte != slots[first].byte + component_bytes * i)
      return {};
  }
  return base;
}

/// Names that GDB gives registers of an aarch64 and parts of them.
bool is_gdb_name(std::string_view name) {
  constexpr std::array<std::string_view, 9> whole{"sp", "pc", "fp", "lr", "ip0", "ip1", "cpsr", "fpsr", "fpcr"};
  if (std::ranges::find(whole, name) != whole.end()) return true;
  constexpr std::string_view families = "xwvqdshb";
  return name.size() >= 2 && name.size() <= 3 && families.find(name.front()) != std::string_view::npos &&
         std::all_of(name.begin() + 1, name.end(), [](unsigned char digit) { return std::isdigit(digit) != 0; });
}

/// A name as GDB reads it after "$".
std::string gdb_name(std::string_view name) {
  std::string plain;
  for (const char letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
      plain += letter;
    else if (!plain.empty() && plain.back() != '_' && letter != '[' && letter != ']' && letter != '$')
      plain += '_';
  }
  return is_gdb_name(plain) || plain.empty() || std::isdigit(static_cast<unsigned char>(plain.front())) != 0
             ? '_' + plain
             : plain;
}

std::string_view type_of(const GdbRegister& reg) {
  if (reg.slots.size() > 1) return "vec4";
  switch (reg.bytes()) {
    case 1:
      return "uint8";
    case 2:
      return "uint16";
    case 4:
      return "word";
    case 8:
      return "uint64";
    default:
      return "uint128";
  }
}

}  // namespace

std::uint32_t GdbRegister::bytes() const {
  return std::accumulate(slots.begin(), slots.end(), 0u,
                         [](std::uint32_t sum, const ir::Slot* slot) { return sum + slot->bytes; });
}

std::vector<GdbRegister> gdb_registers(const ir::Program& lifted) {
  const auto known = [](std::uint32_t bytes) { return bytes <= 16 && (bytes & (bytes - 1)) == 0 && bytes != 0; };
  std::vector<GdbRegister> registers;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < lifted.slots.size();) {
    const std::string_view vector = vector_at(lifted.slots, i);
    const std::size_t count = vector.empty() ? 1 : vector_components.size();
    GdbRegister reg{gdb_name(vector.empty() ? std::string_view(lifted.slots[i].name) : vector), {}};
    for (std::size_t end = i + count; i < end; ++i) reg.slots.push_back(&lifted.slots[i]);
    if (!known(reg.bytes())) continue;
    while (!taken.insert(reg.name).second) reg.name += '_';
    registers.push_back(std::move(reg));
  }
  return registers;
}

std::string gdb_target_description(const std::vector<GdbRegister>& registers) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
      "<architecture>aarch64</architecture>\n<feature name=\"org.gnu.gdb.aarch64.core\">\n";
  // A group of its own keeps the registers that mean nothing out of "info registers".
  for (int i = 0; i <= 30; ++i)
    text += fmt::format("<reg name=\"x{}\" bitsize=\"64\" type=\"int\" group=\"aarch64\"/>\n", i);
  text +=
      "<reg name=\"sp\" bitsize=\"64\" type=\"data_ptr\" group=\"aarch64\"/>\n"
      "<reg name=\"pc\" bitsize=\"64\" type=\"code_ptr\"/>\n"
      "<reg name=\"cpsr\" bitsize=\"32\" type=\"uint32\" group=\"aarch64\"/>\n</feature>\n"
      "<feature name=\"mobula.slots\">\n"
      "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>\n<vector id=\"v4u\" type=\"uint32\" count=\"4\"/>\n"
      "<vector id=\"v8h\" type=\"ieee_half\" count=\"8\"/>\n"
      "<union id=\"vec4\"><field name=\"f\" type=\"v4f\"/><field name=\"u\" type=\"v4u\"/>"
      "<field name=\"h\" type=\"v8h\"/></union>\n"
      "<union id=\"word\"><field name=\"f\" type=\"ieee_single\"/><field name=\"u\" type=\"uint32\"/></union>\n";
  std::size_t number = gdb_core_registers;
  for (const GdbRegister& reg : registers)
    text += fmt::format("<reg name=\"{}\" bitsize=\"{}\" type=\"{}\" regnum=\"{}\" group=\"general\"/>\n", reg.name,
                        8 * reg.bytes(), type_of(reg), number++);
  return text + "</feature>\n</target>\n";
}

}  // namespace mobula::servers
