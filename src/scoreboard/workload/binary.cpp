// The binary form of workloads: fixed-size records, little-endian.
//
// Header, 16 bytes: "MOBULASB", version (u32) = 1, number of initial registers (u32). Then 16 bytes for each of these:
// file (u8), 0 (u8), number (u16), 0 (u32), value (u64). Then 96 bytes an operation:
//    0 id u32          4 class u8        5 function u8     6 width u8        7 bits u8 (0 immediate, 1 taken)
//    8 latency u16    10 interval u16   12 prediction u8  13 path u8        14 trap u8         15 memory bytes u8
//   16 immediate u64  24 address u64    32 group u32      36 location u32
//   40 four sources and three destinations, 8 bytes each: file u8, first u8, bytes u8 (0 = unused), 0 u8, number u16, 0
//   u16
#include <algorithm>
#include <cstring>

#include "scoreboard/workload/workload.h"

namespace mobula::scoreboard {
namespace {

constexpr std::string_view magic = "MOBULASB";
constexpr std::size_t header_bytes = 16, register_bytes = 16, operation_bytes = 96, operand_bytes = 8;
constexpr std::size_t first_operand = 40;

class Writer {
 public:
  template <class Value>
  void put(Value value) {
    for (std::size_t i = 0; i < sizeof(Value); ++i)
      bytes_.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> 8 * i));
  }
  void put(const RegisterBytes& operand) {
    put(operand.file);
    put(operand.first);
    put(operand.bytes);
    put(std::uint8_t{0});
    put(operand.number);
    put(std::uint16_t{0});
  }
  std::vector<std::uint8_t> bytes_;
};

class Record {
 public:
  explicit Record(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  template <class Value>
  [[nodiscard]] Value get(std::size_t offset) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Value); ++i) value |= std::uint64_t{bytes_[offset + i]} << 8 * i;
    return static_cast<Value>(value);
  }
  [[nodiscard]] RegisterBytes operand(std::size_t offset) const {
    return {.file = get<std::uint8_t>(offset),
            .first = get<std::uint8_t>(offset + 1),
            .bytes = get<std::uint8_t>(offset + 2),
            .number = get<std::uint16_t>(offset + 4)};
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

bool is_power_of_two_or_zero(std::uint32_t value) { return (value & (value - 1)) == 0; }

/// What is wrong with an operand, or nothing.
std::string problem_of(const RegisterBytes& operand) {
  if (!operand.used()) return operand == RegisterBytes{} ? "" : "an operand that is not used, but not 0";
  if (operand.file > 25) return "register file " + std::to_string(operand.file) + ", allowed 0 to 25";
  if (operand.bytes == RegisterBytes::whole && operand.first == 0) return {};
  if (operand.bytes == RegisterBytes::quad && operand.first == 0) return {};
  if (operand.first + operand.bytes > 8)
    return "bytes " + std::to_string(operand.first) + " to " + std::to_string(operand.first + operand.bytes - 1) +
           " of a register, which has 8";
  return {};
}

class Reader {
 public:
  Reader(std::string_view file, std::span<const std::uint8_t> bytes) : bytes_(bytes) { workload_.name = file; }

  Result<Workload> read() {
    if (bytes_.size() < header_bytes) return truncated("the header");
    const Record header(bytes_);
    if (header.get<std::uint32_t>(8) != 1) {
      complain(8, "SB121", "version " + std::to_string(header.get<std::uint32_t>(8)) + ", known is 1");
      return fail(std::move(problems_));
    }
    std::size_t at = header_bytes;
    for (std::uint32_t left = header.get<std::uint32_t>(12); left != 0; --left, at += register_bytes) {
      if (bytes_.size() - at < register_bytes) return truncated("the initial registers");
      read_register(at);
      if (problems_.size() == most_problems) return fail(std::move(problems_));
    }
    if ((bytes_.size() - at) % operation_bytes != 0) return truncated("the last operation");
    workload_.operations.reserve((bytes_.size() - at) / operation_bytes);
    for (; at < bytes_.size() && problems_.size() < most_problems; at += operation_bytes) read_operation(at);
    if (!problems_.empty()) return fail(std::move(problems_));
    return std::move(workload_);
  }

 private:
  void complain(std::size_t offset, const char* code, std::string message) {
    if (problems_.size() < most_problems)
      problems_.push_back(
          {Severity::error, code, {.file = workload_.name, .byte_offset = offset}, std::move(message), ""});
  }

  Result<Workload> truncated(const std::string& what) {
    complain(bytes_.size(), "SB122", "the file ends within " + what);
    return fail(std::move(problems_));
  }

  void read_register(std::size_t at) {
    const Record record(bytes_.subspan(at, register_bytes));
    const RegisterBytes which{
        .file = record.get<std::uint8_t>(0), .bytes = RegisterBytes::whole, .number = record.get<std::uint16_t>(2)};
    if (const std::string problem = problem_of(which); !problem.empty()) return complain(at, "SB123", problem);
    workload_.registers.push_back({which, record.get<std::uint64_t>(8)});
  }

  void read_operation(std::size_t at) {
    const Record record(bytes_.subspan(at, operation_bytes));
    const std::size_t problems = problems_.size();
    const auto limited = [&](std::size_t offset, const char* what, std::uint32_t count) {
      const auto value = record.get<std::uint8_t>(offset);
      if (value >= count)
        complain(at + offset, "SB123",
                 std::string(what) + ' ' + std::to_string(value) + ", allowed 0 to " + std::to_string(count - 1));
      return std::min<std::uint32_t>(value, count - 1);
    };
    Operation op;
    op.id = record.get<std::uint32_t>(0);
    op.unit = static_cast<UnitClass>(limited(4, "class", unit_class_count));
    op.function = static_cast<Function>(limited(5, "function", function_count));
    op.width = static_cast<std::uint8_t>(limited(6, "width", 17));
    if (!is_power_of_two_or_zero(op.width)) complain(at + 6, "SB123", "the width is 0, 1, 2, 4, 8 or 16");
    const std::uint32_t bits = limited(7, "bits", 4);
    op.has_immediate = (bits & 1) != 0;
    op.taken = (bits & 2) != 0;
    op.latency = record.get<std::uint16_t>(8);
    op.interval = record.get<std::uint16_t>(10);
    if (op.latency > 10'000 && op.latency != Operation::by_config) complain(at + 8, "SB123", "a latency above 10000");
    if ((op.interval > 10'000 && op.interval != Operation::by_config) || op.interval == 0)
      complain(at + 10, "SB123", "an interval of 0 or above 10000");
    op.prediction = static_cast<Prediction>(limited(12, "prediction", 3));
    op.path = static_cast<Path>(limited(13, "path", 3));
    op.trap = static_cast<Trap>(limited(14, "trap", 3));
    op.memory_bytes = static_cast<std::uint8_t>(limited(15, "memory bytes", 17));
    op.immediate = record.get<std::uint64_t>(16);
    op.address = record.get<std::uint64_t>(24);
    if (!op.has_immediate && op.immediate != 0) complain(at + 16, "SB123", "an immediate without its bit");
    if (op.memory_bytes == 0 && op.address != 0) complain(at + 24, "SB123", "an address without memory bytes");
    if (op.address > ~std::uint64_t{0} - 8) complain(at + 24, "SB123", "the address is at the end of all memory");
    op.group = record.get<std::uint32_t>(32);
    op.location = record.get<std::uint32_t>(36);
    std::size_t offset = first_operand;
    const auto read_operands = [&](auto& operands) {
      bool ended = false;
      for (RegisterBytes& operand : operands) {
        operand = record.operand(offset);
        if (ended && operand.used()) complain(at + offset, "SB123", "an operand after one that is not used");
        ended |= !operand.used();
        if (const std::string problem = problem_of(operand); !problem.empty()) complain(at + offset, "SB123", problem);
        offset += operand_bytes;
      }
    };
    read_operands(op.sources);
    read_operands(op.destinations);
    if (problems_.size() == problems)
      if (const auto problem = inconsistency(op)) complain(at, "SB112", *problem);
    workload_.operations.push_back(op);
  }

  std::span<const std::uint8_t> bytes_;
  Workload workload_;
  Diagnostics problems_;
};

}  // namespace

bool is_binary_workload(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

Result<Workload> read_workload(std::string_view file, std::span<const std::uint8_t> bytes) {
  if (!is_binary_workload(bytes))
    return fail({Severity::error,
                 "SB120",
                 {.file = std::string(file), .byte_offset = 0},
                 "not a binary workload",
                 "it begins with \"MOBULASB\""});
  return Reader(file, bytes).read();
}

std::vector<std::uint8_t> write_workload(const Workload& workload) {
  Writer out;
  for (const char letter : magic) out.put(static_cast<std::uint8_t>(letter));
  out.put(std::uint32_t{1});
  out.put(static_cast<std::uint32_t>(workload.registers.size()));
  for (const RegisterValue& initial : workload.registers) {
    out.put(initial.which.file);
    out.put(std::uint8_t{0});
    out.put(initial.which.number);
    out.put(std::uint32_t{0});
    out.put(initial.value);
  }
  for (const Operation& op : workload.operations) {
    out.put(op.id);
    out.put(static_cast<std::uint8_t>(op.unit));
    out.put(static_cast<std::uint8_t>(op.function));
    out.put(op.width);
    out.put(static_cast<std::uint8_t>((op.has_immediate ? 1 : 0) | (op.taken ? 2 : 0)));
    out.put(op.latency);
    out.put(op.interval);
    out.put(static_cast<std::uint8_t>(op.prediction));
    out.put(static_cast<std::uint8_t>(op.path));
    out.put(static_cast<std::uint8_t>(op.trap));
    out.put(op.memory_bytes);
    out.put(op.immediate);
    out.put(op.address);
    out.put(op.group);
    out.put(op.location);
    for (const RegisterBytes& operand : op.sources) out.put(operand);
    for (const RegisterBytes& operand : op.destinations) out.put(operand);
  }
  return std::move(out.bytes_);
}

}  // namespace mobula::scoreboard
