// Every row of the instruction set, on every family that has it: decoded, printed, read back, explained, checked, and
// executed. What it must do is stated here once more, in plain arithmetic and in traces, by its name and operands.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "machines/afuc/run.h"
#include "machines/afuc/spec/codec.h"

namespace mobula::afuc {
namespace {

struct Family {
  std::string_view chip;
  std::uint8_t generation;
  std::uint32_t id;  ///< of its firmware
};
constexpr Family families[] = {
    {"a530", g5, 0x5FF}, {"a630", g6, 0x6EE}, {"a730", g7, 0x730}, {"a750", g7, 0x520}, {"gen80000", g8, 0x500}};

// ------------------------------------------------------------------------------------------------ rows and words

/// "dss": what the operands are. One mnemonic may do several things, but not with the same operands.
std::string shape_of(const Opcode& row) {
  std::string shape;
  for (const OperandSpec& operand : row.operands)
    shape += operand.field == nullptr && operand.kind == OperandKind::source
                 ? 'l'
                 : "sdnhbcqmrakx"[static_cast<std::size_t>(operand.kind)];
  return shape;
}
std::string key_of(const Opcode& row) { return std::string(row.name) + ' ' + shape_of(row); }

std::string title_of(const Family& family, const Opcode& row) {
  return std::string(family.chip) + ": " + std::string(row.name) + ", form " + std::string(row.format->name);
}

/// Base, offset and pre-increment of an access, as one value of word_of.
constexpr std::uint32_t access(std::uint32_t base, std::uint32_t offset, bool pre = false) {
  return base | offset << 8 | (pre ? 1u << 24 : 0);
}

/// A word of the row; the values are those of the operands that are stored, in their order.
std::uint32_t word_of(const Opcode& row, const std::vector<std::uint32_t>& values) {
  std::uint32_t word = row.match;
  std::size_t next = 0;
  const auto put = [&](const Field& field, std::uint32_t value) {
    word |= (value & static_cast<std::uint32_t>(low_mask(field.width))) << field.low;
  };
  for (const OperandSpec& operand : row.operands) {
    if (operand.field == nullptr) continue;
    const std::uint32_t value = next < values.size() ? values[next] : 0;
    ++next;
    switch (operand.kind) {
      case OperandKind::control:
      case OperandKind::sqe:
      case OperandKind::memory:
        put(field::base, value & 0xFF);
        put(*operand.field, value >> 8 & 0xFFFF);
        put(field::pre, value >> 24);
        break;
      case OperandKind::shifted:
        put(*operand.field, value & 0xFFFF);
        put(field::shift, value >> 16);
        break;
      default:
        put(*operand.field, value);
    }
  }
  return word;
}

// ------------------------------------------------------------------------------------------------ programs

std::string hexadecimal(std::uint32_t value) {
  std::ostringstream text;
  text << std::hex << value;
  return text.str();
}
std::string literal(std::uint32_t word) {
  const std::string digits = hexadecimal(word);
  return '[' + std::string(8 - digits.size(), '0') + digits + "]\n";
}
std::string load_number(std::string_view reg, std::uint32_t value) {
  const std::string name(reg);
  return "mov " + name + ", 0x" + hexadecimal(value >> 16) + " << 16\nor " + name + ", " + name + ", 0x" +
         hexadecimal(value & 0xFFFF) + '\n';
}

/// Stands for the word of a row.
constexpr std::string_view the_word = "[ffffffff]\n";
constexpr std::uint32_t placeholder = 0xFFFFFFFF, first_mark = 0x300;
/// Appends a register to the trace, which lies in control registers that only store.
std::string mark(std::string_view reg) { return "cwrite " + std::string(reg) + ", [$0f + 0x1]!\n"; }
std::string mark(unsigned number) { return mark("$1" + std::to_string(number)); }

std::string prelude(const Family& family) {
  std::string text = literal((family.generation == g5 ? 0 : 0x01000000) | family.id << 12 | 1) +
                     literal(family.generation == g5 ? 0 : 0x01000000) + "mov $0f, 0x2ff\n";
  for (unsigned i = 1; i <= 4; ++i) text += "mov $1" + std::to_string(i) + ", 0x" + std::to_string(i) + '\n';
  return text;
}

/// A program with one row in it, and what became of it.
class Trial {
 public:
  Trial(const Family& family, const Opcode& row) : family_(family), row_(row) {}

  [[nodiscard]] const Family& family() const { return family_; }
  [[nodiscard]] const Opcode& row() const { return row_; }

  /// Words of `code` from word 0 on. `the_word` in it becomes the row's word, whose values may depend on where it is.
  std::vector<std::uint32_t> assembled(const std::string& code,
                                       const std::function<std::vector<std::uint32_t>(std::uint32_t index)>& values) {
    const auto program = assemble_text(prelude(family_) + code + "waitin\nmov $01, $data\n");
    EXPECT_TRUE(program) << render(program.error());
    if (!program) return {};
    std::vector<std::uint32_t> words = words_of(*program);
    for (std::uint32_t i = 0; i < words.size(); ++i)
      if (words[i] == placeholder) words[i] = word_of(row_, values(i));
    return words;
  }

  /// All but executing it: text in both dialects and rules.
  void look_at(const std::vector<std::uint32_t>& words) {
    std::vector<std::uint32_t> with_zero{0};
    with_zero.insert(with_zero.end(), words.begin(), words.end());
    const Program program = program_of(bytes_of(with_zero));
    for (const std::string_view syntax : {"afuc", "mesa"}) {
      const auto back = assemble_text(text_of(program, syntax));
      ASSERT_TRUE(back) << render(back.error());
      EXPECT_EQ(words_of(*back), words) << syntax;
    }
    for (const Diagnostic& each : find_machine("afuc")->check(program))
      EXPECT_NE(each.severity, Severity::error) << each.code << ": " << each.message;
  }

  /// Boots `code`, which ends in a waitin.
  Emulator boot(const std::string& code, const std::function<std::vector<std::uint32_t>(std::uint32_t)>& values,
                EmulatorOptions options = {}) {
    const std::vector<std::uint32_t> words = assembled(code, values);
    look_at(words);
    auto emulator = Emulator::create({words}, std::move(options));
    EXPECT_TRUE(emulator->boot()) << emulator->cores()[0].reason;
    return std::move(*emulator);
  }
  Emulator boot(const std::string& code, const std::vector<std::uint32_t>& values, EmulatorOptions options = {}) {
    return boot(
        code, [&](std::uint32_t) { return values; }, std::move(options));
  }

 private:
  const Family& family_;
  const Opcode& row_;
};

using Trace = std::vector<std::uint32_t>;
Trace trace_of(const Emulator& emulator) {
  Trace trace;
  for (std::uint32_t at = first_mark; emulator.read_control(0, at) != 0; ++at)
    trace.push_back(emulator.read_control(0, at));
  return trace;
}

// ------------------------------------------------------------------------------------------------ arithmetic

/// What an arithmetic row computes from. Numbers in the instruction take the place of registers.
struct Inputs {
  std::uint32_t a = 0, b = 0;
  std::uint32_t last = 0;   ///< third number: the highest bit
  std::uint32_t old = 0;    ///< of the destination
  std::uint32_t carry = 0;  ///< 1, 0 or -1
};
struct Outputs {
  std::uint32_t value = 0, carry = 0;
};
using Statement = Outputs (*)(const Inputs&);

constexpr std::uint32_t all_ones = 0xFFFFFFFF;

std::uint32_t number_of_ones(std::uint32_t value) {
  std::uint32_t count = 0;
  for (; value != 0; value /= 2) count += value % 2;
  return count;
}
std::uint32_t doubled(std::uint32_t value, std::uint32_t times) {
  while (times-- != 0) value *= 2;
  return value;
}
std::uint32_t halved(std::uint32_t value, std::uint32_t times, std::uint32_t comes_in) {
  while (times-- != 0) value = value / 2 + comes_in;
  return value;
}
std::uint32_t with_bit(std::uint32_t value, std::uint32_t bit, bool set) {
  const std::uint32_t power = doubled(1, bit);
  const bool is_set = value / power % 2 != 0;
  return is_set == set ? value : set ? value + power : value - power;
}

/// Keyed by mnemonic and operands; shifts are those of the policy that is the default.
const std::map<std::string_view, std::pair<std::string_view, Statement>> arithmetic{
    {"add",
     {"dss dsn",
      [](const Inputs& in) {
        const std::uint64_t sum = std::uint64_t{in.a} + in.b;
        return Outputs{static_cast<std::uint32_t>(sum), static_cast<std::uint32_t>(sum >> 32)};
      }}},
    {"addhi",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.a + in.b + in.carry, in.carry};
      }}},
    {"sub",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.a - in.b, in.a < in.b ? all_ones : 0};
      }}},
    {"subhi",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.a - in.b + in.carry, in.carry};
      }}},
    {"and",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.a & in.b, in.carry};
      }}},
    {"or",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.a | in.b, in.carry};
      }}},
    {"xor",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{(in.a | in.b) - (in.a & in.b), in.carry};
      }}},
    {"not",
     {"ds dn",
      [](const Inputs& in) {
        return Outputs{all_ones - in.a, in.carry};
      }}},
    {"bic",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.a - (in.a & in.b), in.carry};
      }}},
    {"shl",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.b > 31 ? 0 : doubled(in.a, in.b), in.carry};
      }}},
    {"ushr",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.b > 31 ? 0 : halved(in.a, in.b, 0), in.carry};
      }}},
    {"ishr",
     {"dss dsn",
      [](const Inputs& in) {
        const std::uint32_t sign = in.a / 0x80000000 * 0x80000000;
        return Outputs{halved(in.a, std::min(in.b, 31u), sign), in.carry};
      }}},
    {"rot",
     {"dss dsn",
      [](const Inputs& in) {
        std::uint32_t value = in.a;
        for (std::uint32_t i = 0; i < in.b % 32; ++i) value = value * 2 + value / 0x80000000;
        return Outputs{value, in.carry};
      }}},
    {"mul8",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.a % 256 * (in.b % 256), in.carry};
      }}},
    {"min",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.a < in.b ? in.a : in.b, in.carry};
      }}},
    {"max",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.a > in.b ? in.a : in.b, in.carry};
      }}},
    {"cmp",
     {"dss dsn",
      [](const Inputs& in) {
        return Outputs{in.a > in.b ? 0x00u : in.a < in.b ? 0x1Eu : 0x2Bu, in.carry};
      }}},
    {"mov",
     {"ds dh",
      [](const Inputs& in) {
        return Outputs{doubled(in.a, in.b), in.carry};
      }}},
    {"setbit",
     {"dsb",
      [](const Inputs& in) {
        return Outputs{with_bit(in.a, in.b, true), in.carry};
      }}},
    {"setbit by register",
     {"dss",
      [](const Inputs& in) {
        return Outputs{with_bit(in.a, in.b / 2 % 32, in.b % 2 != 0), in.carry};
      }}},
    {"clrbit",
     {"dsb",
      [](const Inputs& in) {
        return Outputs{with_bit(in.a, in.b, false), in.carry};
      }}},
    {"ubfx",
     {"dsbb",
      [](const Inputs& in) {
        std::uint32_t value = 0;
        for (std::uint32_t bit = in.b; bit <= in.last; ++bit)
          value = with_bit(value, bit - in.b, in.a / doubled(1, bit) % 2 != 0);
        return Outputs{value, in.carry};
      }}},
    {"bfi",
     {"dsbb",
      [](const Inputs& in) {
        std::uint32_t value = in.old;
        for (std::uint32_t bit = in.b; bit <= in.last; ++bit)
          value = with_bit(value, bit, in.a / doubled(1, bit - in.b) % 2 != 0);
        return Outputs{value, in.carry};
      }}},
    {"msb",
     {"ds",
      [](const Inputs& in) {
        std::uint32_t bit = 0;
        for (std::uint32_t value = in.a; value > 1; value /= 2) ++bit;
        return Outputs{bit, in.carry};
      }}},
    {"popcnt",
     {"ds",
      [](const Inputs& in) {
        return Outputs{number_of_ones(in.a), in.carry};
      }}},
};

/// The statement of a row, or nullptr; setbit has two.
const Statement* arithmetic_of(const Opcode& row) {
  for (const auto& [name, stated] : arithmetic) {
    const bool has_shape = (' ' + std::string(stated.first) + ' ').find(' ' + shape_of(row) + ' ') != std::string::npos;
    if (has_shape && name.substr(0, name.find(' ')) == row.name) return &stated.second;
  }
  return nullptr;
}

constexpr std::uint32_t good_values[] = {0,     1,      2,          31,         32,         0x41,
                                         0x1FF, 0x8001, 0x7FFFFFFF, 0x80000001, 0xDEADBEEF, 0xFFFFFFFF};
constexpr std::uint32_t good_bits[] = {0, 1, 4, 15, 16, 30, 31};
constexpr std::uint32_t old_value = 0xA5C3A5C3;

struct Sample {
  std::vector<std::uint32_t> values;  ///< of the word
  Inputs in;
};

/// The samples of a row: $02 is the destination, $03 and $04 are sources.
std::vector<Sample> samples_of(const Opcode& row) {
  const std::string shape = shape_of(row);
  std::vector<Sample> samples;
  const auto number_mask = [&] {
    const OperandSpec* number = find_operand(row, OperandKind::number);
    return static_cast<std::uint32_t>(low_mask(number->field->width));
  };
  for (const std::uint32_t a : good_values) {
    if (shape == "ds") samples.push_back({{2, 3}, {.a = a}});
    if (shape == "dn") samples.push_back({{2, a & number_mask()}, {.a = a & number_mask()}});
    if (shape == "dss")
      for (const std::uint32_t b : good_values) samples.push_back({{2, 3, 4}, {.a = a, .b = b}});
    if (shape == "dsn")
      for (const std::uint32_t b : good_values)
        samples.push_back({{2, 3, b & number_mask()}, {.a = a, .b = b & number_mask()}});
    for (const std::uint32_t bit : good_bits) {
      if (shape == "dh") samples.push_back({{2, (a & 0xFFFF) | bit << 16}, {.a = a & 0xFFFF, .b = bit}});
      if (shape == "dsb") samples.push_back({{2, 3, bit}, {.a = a, .b = bit}});
      if (shape == "dsbb")
        for (const std::uint32_t high : good_bits)
          if (high >= bit) samples.push_back({{2, 3, bit, high}, {.a = a, .b = bit, .last = high}});
    }
  }
  constexpr std::uint32_t carries[] = {0, 1, all_ones};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].in.old = old_value;
    samples[i].in.carry = carries[i % std::size(carries)];
  }
  return samples;
}

void compute(const Family& family, const Opcode& row, const Statement& statement) {
  const std::vector<Sample> samples = samples_of(row);
  ASSERT_FALSE(samples.empty());
  std::string code;
  for (const Sample& sample : samples) {
    // A carry that is known, by an instruction that leaves it.
    code += sample.in.carry == 0 ? "add $06, $00, 0x0\n" : "mov $06, 0x1\n";
    if (sample.in.carry == 1) code += "not $06, 0x0\nadd $06, $06, 0x1\n";
    if (sample.in.carry == all_ones) code += "sub $06, $00, 0x1\n";
    code += load_number("$02", sample.in.old) + load_number("$03", sample.in.a) + load_number("$04", sample.in.b);
    code += std::string(the_word) + "addhi $07, $00, 0x0\n";
    code += mark("$02") + mark("$07") + mark("$03") + mark("$04");
  }
  Trial trial(family, row);
  std::size_t next = 0;
  const Emulator emulator = trial.boot(code, [&](std::uint32_t) { return samples[next++].values; });
  EXPECT_EQ(next, samples.size());
  std::uint32_t at = first_mark;
  for (const Sample& sample : samples) {
    const Outputs expected = statement(sample.in);
    const Trace found{emulator.read_control(0, at), emulator.read_control(0, at + 1), emulator.read_control(0, at + 2),
                      emulator.read_control(0, at + 3)};
    ASSERT_EQ(found, (Trace{expected.value, expected.carry, sample.in.a, sample.in.b}))
        << std::hex << sample.in.a << ' ' << sample.in.b << ' ' << sample.in.last << " carry " << sample.in.carry;
    at += 4;
  }
  ASSERT_LE(at, 0x1000u) << "there are not enough control registers";
}

// ------------------------------------------------------------------------------------------------ everything else

constexpr std::uint32_t three_words = 3;

void branches(Trial& trial, const std::function<bool(std::uint32_t value, std::uint32_t operand)>& is_taken) {
  for (const std::uint32_t value : {0u, 1u, 5u, 31u, 0x20u, 0x80000005u, 0xFFFFFFFFu})
    for (const std::uint32_t operand : {0u, 2u, 5u, 31u}) {
      const Emulator emulator = trial.boot(
          load_number("$05", value) + std::string(the_word) + mark(1) + mark(2) + mark(3), {5, operand, three_words});
      EXPECT_EQ(trace_of(emulator), is_taken(value, operand) ? (Trace{1, 3}) : (Trace{1, 2, 3}))
          << std::hex << value << ' ' << operand;
    }
}

/// `setup` puts the word index of "to" where the row looks for it.
void jumps(Trial& trial, const std::string& setup,
           const std::function<std::vector<std::uint32_t>(std::uint32_t)>& values) {
  const Emulator emulator = trial.boot(setup + std::string(the_word) + mark(1) + mark(2) + "to:\n" + mark(3), values);
  EXPECT_EQ(trace_of(emulator), (Trace{1, 3}));
}

/// Register $05 and offset 8 address the place 0x18 after `origin`.
void stores_at(Trial& trial, std::uint32_t origin,
               const std::function<std::uint32_t(const Emulator&, std::uint32_t)>& read) {
  for (const bool pre : {false, true}) {
    const std::string code = load_number("$03", 0xCAFE1234) + load_number("$05", origin + 0x10) +
                             std::string(the_word) + mark("$05") + mark("$03");
    const Emulator emulator = trial.boot(code, {3, access(5, 8, pre)});
    EXPECT_EQ(read(emulator, origin + 0x18), 0xCAFE1234);
    EXPECT_EQ(read(emulator, origin + 0x10), 0u);
    EXPECT_EQ(trace_of(emulator), (Trace{origin + (pre ? 0x18 : 0x10), 0xCAFE1234}));
  }
}
/// The same, read; `setup` puts 0xcafe1234 of $03 there.
void loads_from(Trial& trial, std::uint32_t origin, const std::string& setup) {
  for (const bool pre : {false, true}) {
    const std::string code = load_number("$03", 0xCAFE1234) + setup + load_number("$05", origin + 0x10) +
                             std::string(the_word) + mark("$02") + mark("$05");
    EXPECT_EQ(trace_of(trial.boot(code, {2, access(5, 8, pre)})), (Trace{0xCAFE1234, origin + (pre ? 0x18 : 0x10)}));
  }
}

constexpr std::string_view stored_in_memory = "mov $06, 0x2 << 16\nstore $03, [$06 + 0x18]\n";

const std::map<std::string_view, void (*)(Trial&)> effects{
    {"cwrite sc",
     [](Trial& trial) {
       stores_at(trial, 0x400, [](const Emulator& emulator, std::uint32_t at) { return emulator.read_control(0, at); });
     }},
    {"cread dc", [](Trial& trial) { loads_from(trial, 0x400, "cwrite $03, [$00 + 0x418]\n"); }},
    {"swrite sq",
     [](Trial& trial) {
       const Emulator emulator = trial.boot(load_number("$03", 0xCAFE1234) + "mov $05, 0x2\n" + std::string(the_word) +
                                                "sread $07, [$00 + 0x6]\n" + mark("$07"),
                                            {3, access(5, 4)});
       EXPECT_EQ(trace_of(emulator), (Trace{0xCAFE1234}));
       EXPECT_EQ(emulator.read_control(0, 6), 0u) << "a space of its own";
     }},
    {"sread dq",
     [](Trial& trial) {
       const Emulator emulator = trial.boot(load_number("$03", 0xCAFE1234) + "mov $05, 0x2\nswrite $03, [$00 + 0x7]\n" +
                                                std::string(the_word) + mark("$02") + mark("$05"),
                                            {2, access(5, 5, true)});
       EXPECT_EQ(trace_of(emulator), (Trace{0xCAFE1234, 7}));
     }},
    {"store sm",
     [](Trial& trial) {
       stores_at(trial, 0x20000, [](const Emulator& emulator, std::uint32_t at) { return emulator.read_memory(at); });
     }},
    {"load dm", [](Trial& trial) { loads_from(trial, 0x20000, std::string(stored_in_memory)); }},

    {"brne snr",
     [](Trial& trial) { branches(trial, [](std::uint32_t value, std::uint32_t number) { return value != number; }); }},
    {"breq snr",
     [](Trial& trial) { branches(trial, [](std::uint32_t value, std::uint32_t number) { return value == number; }); }},
    {"brne sbr",
     [](Trial& trial) {
       branches(trial, [](std::uint32_t value, std::uint32_t bit) { return halved(value, bit, 0) % 2 == 0; });
     }},
    {"breq sbr",
     [](Trial& trial) {
       branches(trial, [](std::uint32_t value, std::uint32_t bit) { return halved(value, bit, 0) % 2 == 1; });
     }},
    {"jump r",
     [](Trial& trial) { jumps(trial, "", [](std::uint32_t) { return std::vector<std::uint32_t>{three_words}; }); }},
    {"jumpa a",
     [](Trial& trial) {
       jumps(trial, "", [](std::uint32_t index) { return std::vector<std::uint32_t>{index + three_words}; });
     }},
    {"jump s",
     [](Trial& trial) { jumps(trial, "mov $05, #to\n", [](std::uint32_t) { return std::vector<std::uint32_t>{5}; }); }},
    {"jump l",
     [](Trial& trial) { jumps(trial, "mov $lr, #to\n", [](std::uint32_t) { return std::vector<std::uint32_t>{}; }); }},
    {"sret ",
     [](Trial& trial) { jumps(trial, "mov $lr, #to\n", [](std::uint32_t) { return std::vector<std::uint32_t>{}; }); }},
    {"call a",
     [](Trial& trial) {
       const Emulator emulator = trial.boot(
           std::string(the_word) + mark(1) + mark(2) + "jump #end\nnop\n" + mark(3) + "ret\n" + mark(4) + "end:\n",
           [](std::uint32_t index) { return std::vector<std::uint32_t>{index + 5}; });
       EXPECT_EQ(trace_of(emulator), (Trace{1, 3, 4, 2}));
     }},
    {"bl a",
     [](Trial& trial) {
       std::uint32_t at = 0;
       const Emulator emulator = trial.boot(std::string(the_word) + mark(1) + mark(2) + "jump #end\nnop\n" +
                                                mark("$lr") + "jump $lr\n" + mark(4) + "end:\n",
                                            [&](std::uint32_t index) {
                                              at = index;
                                              return std::vector<std::uint32_t>{index + 5};
                                            });
       EXPECT_EQ(trace_of(emulator), (Trace{1, at + 2, 4, 2}));
     }},
    {"ret ",
     [](Trial& trial) {
       const Emulator emulator = trial.boot("call #f\n" + mark(1) + mark(2) + "jump #end\nnop\nf:\n" + mark(3) +
                                                std::string(the_word) + mark(4) + "end:\n",
                                            std::vector<std::uint32_t>{});
       EXPECT_EQ(trace_of(emulator), (Trace{1, 3, 4, 2}));
     }},
    {"iret ",
     [](Trial& trial) {
       const Emulator emulator = trial.boot(
           "mov $05, #back\nswrite $05, [$00 + %IRET_PC]\nadd $05, $05, 0x1\nswrite $05, [$00 + %IRET_NPC]\n" +
               std::string(the_word) + mark(1) + mark(2) + "back:\n" + mark(3),
           std::vector<std::uint32_t>{});
       EXPECT_EQ(trace_of(emulator), (Trace{1, 3}));
     }},
    {"waitin ",
     [](Trial& trial) {
       Emulator emulator = trial.boot(
           "mov $05, 0x10\ncwrite $05, [$00 + @PACKET_TABLE_WRITE_ADDR]\nmov $05, #handler\n"
           "cwrite $05, [$00 + @PACKET_TABLE_WRITE]\njump #idle\nnop\nhandler:\n" +
               mark("$rem") + "mov $03, $data\n" + mark("$03") + mark("$rem") + "idle:\n" + std::string(the_word) +
               "mov $01, $data\n",
           std::vector<std::uint32_t>{});
       EXPECT_EQ(trace_of(emulator), Trace{});
       run_text(emulator, "CP_NOP 0x123\n");
       EXPECT_EQ(trace_of(emulator), (Trace{1, 0x123})) << "payload words, the word, and then none is left";
       EXPECT_EQ(emulator.cores()[0].halt, Halt::idle);
     }},
    {"setsecure xk",
     [](Trial& trial) {
       for (const bool secure : {false, true}) {
         EmulatorOptions options;
         options.secure = secure;
         const Emulator emulator = trial.boot("mov $02, 0x2\n" + std::string(the_word) + mark(1) + mark(2) + mark(3),
                                              std::vector<std::uint32_t>{}, std::move(options));
         EXPECT_EQ(trace_of(emulator), secure ? (Trace{3}) : (Trace{1, 2, 3}));
       }
     }},
    {"nop ",
     [](Trial& trial) {
       const Emulator emulator =
           trial.boot("mov $rem, 0x7\n" + std::string(the_word) + mark(1) + mark("$rem"), std::vector<std::uint32_t>{});
       EXPECT_EQ(trace_of(emulator), (Trace{1, 7}));
     }},
};

/// What cannot be stated by a program of one core: the a5xx has no SQE registers that say what an interrupt stopped.
bool is_left_out(const Family& family, const Opcode& row) { return family.generation == g5 && row.name == "iret"; }

// ------------------------------------------------------------------------------------------------ tests

template <class Use>
void for_each_row(Use use) {
  for (const Family& family : families)
    for (const Opcode& row : opcodes) {
      if ((row.generations & family.generation) == 0) continue;
      SCOPED_TRACE(title_of(family, row));
      use(family, row);
    }
}

TEST(AfucRows, EachComputesItsOwnFunction) {
  for_each_row([](const Family& family, const Opcode& row) {
    if (is_left_out(family, row)) return;
    if (const Statement* stated = arithmetic_of(row)) return compute(family, row, *stated);
    const auto effect = effects.find(key_of(row));
    ASSERT_NE(effect, effects.end()) << "nothing states what '" << key_of(row) << "' does";
    Trial trial(family, row);
    effect->second(trial);
  });
}

TEST(AfucRows, EachStatementIsOfARow) {
  std::set<std::string> keys;
  for (const Opcode& row : opcodes) keys.insert(key_of(row));
  for (const auto& [key, effect] : effects) EXPECT_TRUE(keys.contains(std::string(key))) << key;
  for (const auto& [name, stated] : arithmetic) {
    std::istringstream shapes{std::string(stated.first)};
    const std::string mnemonic(name.substr(0, name.find(' ')));
    for (std::string shape; shapes >> shape;) EXPECT_TRUE(keys.contains(mnemonic + ' ' + shape)) << name << shape;
  }
}

/// In the middle of a program, so that all targets are inside; with each prefix that the form takes.
TEST(AfucRows, EachIsDecodedPrintedReadBackAndExplained) {
  for_each_row([](const Family& family, const Opcode& row) {
    const std::uint32_t nop = family.generation == g5 ? 0 : 0x01000000;
    constexpr std::uint32_t place = 12;
    std::vector<std::uint32_t> values;
    for (const OperandSpec& operand : row.operands)
      if (operand.field != nullptr)
        values.push_back(operand.kind == OperandKind::absolute ? 3 : 5 + static_cast<std::uint32_t>(values.size()));
    std::vector<std::uint32_t> candidates{word_of(row, values)};
    for (const Field* prefix : {&field::rep, &field::xmov, &field::peek, &field::sds})
      if (has_field(row, *prefix)) candidates.push_back(candidates.front() | 1u << prefix->low);
    for (const std::uint32_t word : candidates) {
      ASSERT_EQ(decoder(family.generation).find(word), &row) << std::hex << word;
      ASSERT_TRUE(is_canonical(word, row));
      std::vector<std::uint32_t> words(2 * place, nop);
      words[0] = 0;
      words[1] = nop | family.id << 12 | 1;
      words[place] = word;
      const Program program = program_of(bytes_of(words));
      for (const std::string_view syntax : {"afuc", "mesa"}) {
        const auto listing = find_machine("afuc")->disassemble(program, {.syntax = syntax, .words = true});
        ASSERT_TRUE(listing);
        const Listing::Word& range = listing->words[place];
        const std::string text = listing->text.substr(range.text_begin, range.text_end - range.text_begin);
        const std::string instruction = text.substr(text.rfind('\n', text.size() - 2) + 1);
        const std::size_t prefix_end = instruction.rfind(')', instruction.find_first_of(" \n"));
        EXPECT_TRUE(instruction.substr(prefix_end == std::string::npos ? 0 : prefix_end + 1).starts_with(row.name))
            << text;
        const auto back = assemble_text(listing->text);
        ASSERT_TRUE(back) << render(back.error());
        EXPECT_EQ(back->code, program.code) << listing->text;
      }
      const auto explained = find_machine("afuc")->explain(program);
      ASSERT_FALSE(explained[place].fields.empty());
      EXPECT_TRUE(explained[place].fields.back().meaning.ends_with(": " + std::string(row.name) + ", " +
                                                                   std::string(row.meaning)));
      ASSERT_TRUE(find_machine("afuc")->lift(program, {}));
    }
  });
}

/// A register as a source and as a destination, by what it does as either.
TEST(AfucRows, EachRegisterIsReadAndWrittenAsItsRowSays) {
  for (const Family& family : families)
    for (unsigned reg = 0; reg < reg_memdata; ++reg) {
      if (reg == 0x0F) continue;  // the trace's own
      const std::string name = std::string("$") + (reg < 16 ? "0" : "1") + "0123456789abcdef"[reg % 16];
      SCOPED_TRACE(std::string(family.chip) + ' ' + name);
      const auto program = assemble_text(prelude(family) + "mov " + name + ", 0x77\nadd $02, " + name + ", 0x1\n" +
                                         mark("$02") + "waitin\nmov $01, $data\n");
      ASSERT_TRUE(program) << render(program.error());
      auto emulator = Emulator::create({words_of(*program)});
      ASSERT_TRUE(emulator->boot());
      EXPECT_EQ(trace_of(*emulator), (Trace{reg == reg_zero ? 1u : 0x78u}));
    }
}
TEST(AfucRows, QueuesAreReadInOrderAndWrittenThroughAddresses) {
  for (const Family& family : families) {
    if (family.generation == g5) continue;  // the a5xx has these in two cores
    SCOPED_TRACE(family.chip);
    const auto program = assemble_text(
        prelude(family) +
        "mov $05, 0x3000\ncwrite $05, [$00 + @MEM_READ_ADDR]\nmov $05, 0x2\ncwrite $05, [$00 + @MEM_READ_DWORDS]\n"
        "mov $02, $memdata\n" +
        mark("$02") + "mov $02, $memdata\n" + mark("$02") +
        "mov $addr, 0x100\nmov $data, 0x9\nmov $usraddr, 0x102\nmov $data, 0xa\nmov $data, 0xb\n"
        "mov $05, 0x2\ncwrite $05, [$00 + @REG_READ_DWORDS]\nmov $05, 0x102\ncwrite $05, [$00 + @REG_READ_ADDR]\n"
        "mov $02, $regdata\n" +
        mark("$02") + "mov $02, $regdata\n" + mark("$02") + "waitin\nmov $01, $data\n");
    ASSERT_TRUE(program) << render(program.error());
    auto emulator = Emulator::create({words_of(*program)});
    const std::vector<std::uint32_t> memory{0x51, 0x52};
    ASSERT_TRUE(emulator->write_memory(0x3000, memory));
    ASSERT_TRUE(emulator->boot()) << emulator->cores()[0].reason;
    EXPECT_EQ(trace_of(*emulator), (Trace{0x51, 0x52, 0xA, 0xB}));
    EXPECT_EQ(emulator->read_register(0x100), 9u);
    EXPECT_EQ(emulator->read_register(0x103), 0xBu);
  }
}

}  // namespace
}  // namespace mobula::afuc
