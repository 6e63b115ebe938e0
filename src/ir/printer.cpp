#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string>
#include <string_view>

#include "core/hexadecimal.h"
#include "ir/operands.h"
#include "ir/rounding.h"
#include "mobula/isa/ir.h"

namespace mobula::ir {
namespace {

std::string float_text(Type type, std::uint64_t bits) {
  const FloatFormat format = format_of(type);
  if (format.is_nan(bits)) return hexadecimal(bits);
  if (format.is_infinite(bits)) return format.is_negative(bits) ? "-inf" : "inf";
  std::array<char, 32> digits{};
  const auto write = [&](auto value) {
    return std::string(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  };
  std::string text;
  if (type == Type::f64) {
    text = write(std::bit_cast<double>(bits));
  } else {
    const std::uint64_t f32 = pack(format_of(Type::f32), unpack(format, bits), Round::even);
    text = write(std::bit_cast<float>(static_cast<std::uint32_t>(f32)));
  }
  const bool looks_like_an_integer = text.find_first_of(".e") == std::string::npos;
  return looks_like_an_integer ? text + ".0" : text;
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  void print_operation(const Operation& operation) {
    if (operation.op == Op::call) return print_call(program_.calls[operation.extra]);
    if (!operation.dst.is_none()) append(state_name(operation.dst.byte()), " = ");
    append(info(operation.op).name);
    if (!operation.src[0].is_none()) print_types(operation);
    const char* separator = " ";
    for (const Operand source : operation.src) {
      if (source.is_none()) continue;
      append(separator, operand_text(source, source_type(operation)));
      separator = ", ";
    }
    if (operation.op == Op::branch) append(" -> ", hexadecimal(program_.blocks[operation.extra].address));
    if (operation.op == Op::trap) append(" \"", program_.trap_reasons[operation.extra], "\"");
  }

  std::string text;

 private:
  template <class... Parts>
  void append(const Parts&... parts) {
    ((text += parts), ...);
  }

  /// Nearest even, the default, goes without saying.
  void print_types(const Operation& operation) {
    append(".", name(operation.type));
    if (is_conversion(operation.op)) append(".", name(operation.from));
    if (operation.round != Round::even) append(".", name(operation.round));
  }

  [[nodiscard]] std::string state_name(std::uint32_t byte) const {
    if (byte >= program_.temporary_byte) return "t" + std::to_string(byte - program_.temporary_byte);
    const auto next = std::upper_bound(program_.slots.begin(), program_.slots.end(), byte,
                                       [](std::uint32_t wanted, const Slot& slot) { return wanted < slot.byte; });
    if (next == program_.slots.begin()) return "state+" + std::to_string(byte);
    const Slot& slot = *(next - 1);
    const std::uint32_t offset = byte - slot.byte;
    if (offset >= slot.bytes) return "state+" + std::to_string(byte);
    return offset == 0 ? slot.name : slot.name + "+" + std::to_string(offset);
  }

  [[nodiscard]] std::string operand_text(Operand operand, Type type) const {
    if (operand.is_none()) return "-";
    if (operand.is_state()) return state_name(operand.byte());
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i < bytes_of(type); ++i) {
      bits |= std::uint64_t{program_.constants[operand.byte() + i]} << (8 * i);
    }
    return is_float(type) ? float_text(type, bits) : hexadecimal(bits);
  }

  /// `results = service.type*count arguments, data`
  void print_call(const Call& call) {
    std::string results, arguments;
    const auto add = [](std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; };
    const ServiceInfo& service = info(call.service);
    if (service.data == DataUse::loads) add(results, state_name(call.data.byte()));
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const Argument& argument = service.args[i];
      if (argument.need == Argument::Need::absent) continue;
      const Type type = argument.has_call_type ? call.type : argument.type;
      add(argument.is_written ? results : arguments, operand_text(call.args[i], type));
    }
    if (service.data == DataUse::stores) add(arguments, state_name(call.data.byte()));
    if (!results.empty()) append(results, " = ");
    append(name(call.service));
    if (service.data != DataUse::none) {
      append(".", name(call.type));
      if (call.count != 1) append("*", std::to_string(call.count));
    }
    if (!arguments.empty()) append(" ", arguments);
    if (call.service == Service::texture) {
      print_texture(program_.textures[call.index]);
    } else {
      print_index_and_flags(call);
    }
  }

  void print_index_and_flags(const Call& call) {
    constexpr std::array<std::string_view, 10> atomics{"add",   "and",   "or",    "xor",      "min_s",
                                                       "min_u", "max_s", "max_u", "exchange", "compare_exchange"};
    if (call.service == Service::atomic) {
      append(" ", atomics[call.index]);
    } else if (call.service == Service::varying) {
      add_words(call.index, {"flat", "perspective", "centroid", "sample"});
    } else if (call.index != 0) {
      append(" index ", std::to_string(call.index));
    }
    add_words(call.flags, {"unsigned", "raw", "depth", "stencil"});
  }

  /// The words of the bits that are set, from bit 0.
  void add_words(std::uint32_t bits, const std::array<std::string_view, 4>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if ((bits >> i & 1) != 0) append(" ", words[i]);
    }
  }

  void print_texture(const Texture& texture) {
    constexpr std::array<std::string_view, 3> kinds{"sample", "fetch", "gather"};
    constexpr std::array<std::string_view, 4> shapes{"1d", "2d", "3d", "cube"};
    append(" ", kinds[static_cast<std::size_t>(texture.kind)]);
    if (texture.kind == Texture::Kind::gather) append(" component ", std::to_string(texture.gather_component));
    append(" ", shapes[static_cast<std::size_t>(texture.shape)]);
    if (texture.shadow) text += " shadow";
    if (texture.implicit_lod) text += " implicit_lod";
    if (texture.skip_sampler_lod) text += " skip_sampler_lod";
    detail::visit_texture(texture, [&](const Access& access) {
      if (access.operand.is_none()) return;
      append(", ", access.role, " ", operand_text(access.operand, access.type));
    });
  }

  const Program& program_;
};

bool may_fall_through(const Program& program, const Block& block) {
  return block.count == 0 || !always_leaves(program.operations[block.first + block.count - 1]);
}

void print_block(Printer& printer, const Program& program, const Block& block, std::string_view indent) {
  for (std::uint32_t i = 0; i < block.count; ++i) {
    printer.text += indent;
    printer.print_operation(program.operations[block.first + i]);
    printer.text += '\n';
  }
}

}  // namespace

std::string print(const Program& program, std::uint32_t block) {
  Printer printer(program);
  print_block(printer, program, program.blocks[block], "");
  return std::move(printer.text);
}

std::string print(const Program& program) {
  return print(program, 0, static_cast<std::uint32_t>(program.blocks.size()));
}

std::string print(const Program& program, std::uint32_t first, std::uint32_t end) {
  Printer printer(program);
  for (std::uint32_t i = first; i < end; ++i) {
    const Block& block = program.blocks[i];
    printer.text += hexadecimal(block.address) + ":\n";
    print_block(printer, program, block, "  ");
    if (!may_fall_through(program, block)) continue;
    printer.text += block.next ? "  next " + hexadecimal(program.blocks[*block.next].address) + "\n" : "  next end\n";
  }
  return std::move(printer.text);
}

}  // namespace mobula::ir
