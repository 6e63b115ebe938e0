#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "ir/operands.h"
#include "mobula/isa/ir.h"

namespace mobula::ir {
namespace {

constexpr std::uint32_t state_limit = 0x8000'0000;  // operands have 31 bits for a byte
constexpr std::uint32_t max_call_count = 16;

template <class Enum>
bool is_enumerator(Enum value, Enum last) {
  return value <= last;
}

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program) {}

  std::vector<std::string> run() {
    check_layout();
    check_slots();
    check_blocks();
    for (const FidelityNote& note : program_.notes) {
      if (note.block >= program_.blocks.size()) complain("a fidelity note names block " + std::to_string(note.block));
    }
    if (ranges_are_sound_) check_operations();
    return std::move(complaints_);
  }

 private:
  void complain(const std::string& what) { complaints_.push_back(place() + what); }

  /// Of what is being checked; runs verify their program, and words for nothing would take longer than the checks.
  [[nodiscard]] std::string place() const {
    if (slot_ != nullptr) return "slot " + slot_->name + ": ";
    if (block_ == nullptr) return {};
    std::string words = "block " + hexadecimal(block_->address);
    if (operation_ == nullptr) return words + ": ";
    const auto number = static_cast<std::size_t>(operation_ - program_.operations.data()) - block_->first;
    words += ", operation " + std::to_string(number) + ": ";
    if (has_opcode(*operation_)) words += std::string(info(operation_->op).name) + ": ";
    if (call_ != nullptr) words += std::string(name(call_->service)) + ": ";
    return words;
  }
  static bool has_opcode(const Operation& operation) { return static_cast<std::uint32_t>(operation.op) < op_count; }

  void check_layout() {
    if (program_.state_bytes % 8 != 0) complain("state_bytes is not a multiple of 8");
    if (program_.state_bytes > state_limit) complain("state_bytes is more than an operand can name");
    if (program_.constants.size() > state_limit) complain("there are more constants than an operand can name");
    if (program_.temporary_byte > program_.state_bytes) complain("temporary_byte lies outside the state");
  }

  void check_slots() {
    std::vector<std::pair<std::size_t, std::string_view>> names;  // after hashes, which are soon compared
    names.reserve(program_.slots.size());
    std::uint64_t end = 0;
    for (const Slot& slot : program_.slots) {
      slot_ = &slot;
      if (slot.name.empty()) complain("has no name");
      if (slot.bytes == 0) complain("has no bytes");
      if (slot.byte < end) complain("overlaps the slot before it or is out of order");
      end = std::uint64_t{slot.byte} + slot.bytes;
      if (end > program_.temporary_byte) complain("reaches into the temporaries");
      names.emplace_back(std::hash<std::string_view>{}(slot.name), slot.name);
    }
    slot_ = nullptr;
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) complain("two slots are named " + std::string(twice->second));
  }

  void check_blocks() {
    if (program_.entry >= program_.blocks.size()) complain("the entry is not a block");
    std::uint64_t first = 0;
    const Block* previous = nullptr;
    for (const Block& block : program_.blocks) {
      block_ = &block;
      if (previous != nullptr && block.address <= previous->address)
        complain("does not come after the block before it");
      if (block.first != first) {
        complain("does not start at the operation where the block before it ends");
        ranges_are_sound_ = false;
      }
      if (block.next && *block.next >= program_.blocks.size()) complain("its successor is not a block");
      first = std::uint64_t{block.first} + block.count;
      previous = &block;
    }
    block_ = nullptr;
    if (first != program_.operations.size()) {
      complain("the blocks do not end where the operations end");
      ranges_are_sound_ = false;
    }
  }

  void check_operations() {
    for (const Block& block : program_.blocks) {
      block_ = &block;
      bool in_control = false;
      for (std::uint32_t i = 0; i < block.count; ++i) {
        const Operation& operation = program_.operations[block.first + i];
        operation_ = &operation;
        call_ = nullptr;
        if (!has_opcode(operation)) {
          complain("unknown opcode " + std::to_string(static_cast<unsigned>(operation.op)));
          continue;
        }
        if (is_control(operation.op)) {
          in_control = true;
        } else if (in_control) {
          complain("follows a control operation");
        }
        const bool has_types = check_types(operation), has_extra = check_extra(operation);
        if (has_types && has_extra) check_operands(operation);
      }
    }
  }

  bool check_types(const Operation& operation) {
    if (!is_enumerator(operation.type, Type::f64) || !is_enumerator(operation.from, Type::f64) ||
        !is_enumerator(operation.round, Round::up)) {
      complain("unknown type or rounding");
      return false;
    }
    const char types = info(operation.op).types;
    if (types != 'A' && is_float(operation.type) != (types == 'F')) {
      complain("does not exist for " + std::string(name(operation.type)));
      return false;
    }
    if (is_conversion(operation.op)) check_conversion(operation);
    return true;
  }

  void check_conversion(const Operation& operation) {
    const bool takes_float = operation.op == Op::f2f || operation.op == Op::f2i || operation.op == Op::f2u;
    const bool widens = operation.op == Op::sext || operation.op == Op::zext;
    const bool changes_width = !takes_float && !is_float(operation.type);
    const std::string from(name(operation.from)), to(name(operation.type));
    if (is_float(operation.from) != takes_float) {
      complain("does not convert from " + from);
    } else if (changes_width && (widens ? bits_of(operation.from) > bits_of(operation.type)
                                        : bits_of(operation.from) < bits_of(operation.type))) {
      complain("does not convert from " + from + " to " + to);
    }
  }

  /// Whether the call and texture, if any, can be looked at.
  bool check_extra(const Operation& operation) {
    std::size_t limit = 1;
    if (operation.op == Op::branch) limit = program_.blocks.size();
    if (operation.op == Op::trap) limit = program_.trap_reasons.size();
    if (operation.op == Op::call) limit = program_.calls.size();
    if (operation.extra >= limit) {
      complain("extra is " + std::to_string(operation.extra) + ", must be below " + std::to_string(limit));
      return false;
    }
    return operation.op != Op::call || check_call(program_.calls[operation.extra]);
  }

  bool check_call(const Call& call) {
    if (!is_enumerator(call.service, Service::image_address) || !is_enumerator(call.type, Type::f64)) {
      complain("unknown service or type");
      return false;
    }
    call_ = &call;
    if (call.service == Service::texture && !check_texture(call)) return false;
    const ServiceInfo& service = info(call.service);
    if (call.count < 1 || call.count > max_call_count) complain("count must be 1 to 16");
    if (call.data.is_none() != (service.data == DataUse::none)) {
      complain(call.data.is_none() ? "has no data" : "takes no data");
    } else if (call.data.is_constant()) {
      complain("data must be in the state");
    }
    for (std::size_t i = 0; i < call.args.size(); ++i) check_argument(service.args[i], call.args[i], i);
    if (call.service == Service::atomic) check_atomic(call);
    if (call.service == Service::fragment_out && (call.count != 4 || bytes_of(call.type) != 4)) {
      complain("data must be four elements of four bytes");
    }
    return true;
  }

  void check_argument(const Argument& argument, Operand operand, std::size_t number) {
    const std::string which = "argument " + std::to_string(number);
    if (operand.is_none()) {
      if (argument.need == Argument::Need::required) complain(which + " is missing");
    } else if (argument.need == Argument::Need::absent) {
      complain(which + " is one too many");
    }
  }

  void check_atomic(const Call& call) {
    if (is_float(call.type) || bytes_of(call.type) < 4 || call.count != 1) complain("data must be one i32 or i64");
    constexpr auto compare_exchange = static_cast<std::uint32_t>(AtomicOp::compare_exchange);
    if (call.index > compare_exchange) complain("index is not an AtomicOp");
    if ((call.index == compare_exchange) == call.args[2].is_none()) {
      complain("only compare_exchange has an argument 2");
    }
  }

  bool check_texture(const Call& call) {
    if (call.index >= program_.textures.size()) {
      complain("index " + std::to_string(call.index) + " is not a texture access");
      return false;
    }
    const Texture& texture = program_.textures[call.index];
    if (!is_enumerator(texture.kind, Texture::Kind::gather) || !is_enumerator(texture.shape, Texture::Shape::cube) ||
        !is_enumerator(texture.result, Texture::Result::integer) || texture.gather_component > 3) {
      complain("unknown kind, shape, result or component");
      return false;
    }
    if (texture.texture.is_none()) complain("has no texture number");
    if (texture.coordinate[0].is_none()) complain("has no coordinate");
    if (call.count != 4 || bytes_of(call.type) != 4) complain("data must be four elements of four bytes");
    return true;
  }

  void check_operands(const Operation& operation) {
    const bool makes_value = !is_control(operation.op) && operation.op != Op::enable && operation.op != Op::call;
    if (operation.dst.is_none() == makes_value) complain(makes_value ? "has no result" : "has no use for a result");
    check_sources(operation);
    for_each_access(program_, operation, [this](const Access& access) { check_access(access); });
  }

  void check_sources(const Operation& operation) {
    const std::uint32_t most = info(operation.op).sources;
    const std::uint32_t least = is_conditional(operation.op) || operation.op == Op::enable ? 0 : most;
    const auto first_absent =
        std::find_if(operation.src.begin(), operation.src.end(), [](Operand o) { return o.is_none(); });
    const auto present = static_cast<std::uint32_t>(first_absent - operation.src.begin());
    const bool has_gap = std::any_of(first_absent, operation.src.end(), [](Operand o) { return !o.is_none(); });
    if (has_gap || present < least || present > most) complain("must have " + counted(most, "source"));
  }

  void check_access(const Access& access) {
    const bool is_constant = access.operand.is_constant();
    if (is_constant && access.is_write) return complain(std::string(access.role) + " is a constant");
    const std::uint64_t size = is_constant ? program_.constants.size() : program_.state_bytes;
    if (std::uint64_t{access.operand.byte()} + access.bytes() > size) {
      complain(std::string(access.role) + " lies outside the " + (is_constant ? "constants" : "state"));
    }
    if (access.operand.byte() % std::min(4u, bytes_of(access.type)) != 0) {
      complain(std::string(access.role) + " at byte " + std::to_string(access.operand.byte()) + " is not aligned for " +
               std::string(name(access.type)));
    }
  }

  const Program& program_;
  // What is being checked; with where it is, every complaint starts.
  const Slot* slot_ = nullptr;
  const Block* block_ = nullptr;
  const Operation* operation_ = nullptr;
  const Call* call_ = nullptr;
  bool ranges_are_sound_ = true;
  std::vector<std::string> complaints_;
};

}  // namespace

std::vector<std::string> verify(const Program& program) { return Verifier(program).run(); }

}  // namespace mobula::ir
