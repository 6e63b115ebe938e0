#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/counted.h"
#include "core/hexadecimal.h"
#include "machines/afuc/machine.h"
#include "machines/afuc/spec/names.h"
#include "machines/afuc/text/packets.h"
#include "machines/variants.h"
#include "mobula/isa/pm4.h"

namespace mobula::pm4 {
namespace {

using afuc::Map;
constexpr std::uint8_t g6 = afuc::g6, g56 = afuc::g56, g78 = afuc::g78, g678 = afuc::g678, g5678 = afuc::g5678;

constexpr std::uint32_t most_type4 = 0x7F, most_type7 = 0x3FFF;
constexpr std::size_t most_errors = 200;
constexpr std::size_t passed_on = std::size_t{64} << 10;  // bytes of text, worth a call

constexpr std::uint32_t odd_parity(std::uint32_t bits) { return std::popcount(bits) % 2 == 0 ? 1 : 0; }

struct FieldRow {
  std::uint8_t generations;
  std::string_view packet;
  std::uint8_t word, words;
  std::string_view name;
  std::uint8_t low, high;
  std::string_view enumeration;
  std::uint8_t shift;
  std::string_view when;
};
constexpr FieldRow field_rows[] = {
#define FIELD(generations, packet, word, words, name, low, high, enumeration, shift, when) \
  {generations, packet, word, words, name, low, high, enumeration, shift, when},
#include "machines/afuc/spec/packet_fields.inc"
#undef FIELD
};

struct EnumRow {
  std::uint8_t generations;
  std::string_view enumeration;
  std::uint32_t value;
  std::string_view name;
};
constexpr EnumRow enum_rows[] = {
#define ENUM(generations, enumeration, value, name) {generations, enumeration, value, name},
#include "machines/afuc/spec/packet_enums.inc"
#undef ENUM
};

/// Packets whose payload has the layout of another, and those that repeat theirs every few words.
struct Layout {
  std::string_view packet, fields;
  std::uint32_t stride = 0;
};
constexpr Layout layouts[] = {
    {"CP_LOAD_STATE6_GEOM", "CP_LOAD_STATE6"},
    {"CP_LOAD_STATE6_FRAG", "CP_LOAD_STATE6"},
    {"CP_SET_DRAW_STATE", "CP_SET_DRAW_STATE", 3},
    {"CP_SET_PSEUDO_REG", "CP_SET_PSEUDO_REG", 3},
};

std::string_view enum_name(std::string_view enumeration, std::uint64_t value, std::uint8_t generation) {
  for (const EnumRow& row : enum_rows)
    if (row.enumeration == enumeration && row.value == value && (row.generations & generation) != 0) return row.name;
  return {};
}

/// Why a word begins no packet.
void explain(Packet& packet) {
  const std::uint32_t type = packet.header >> 28, header = packet.header;
  if (type != 4 && type != 7) {
    packet.code = "PM012";
    packet.problem =
        hex8(header) + " does not begin a packet: its type is " + std::to_string(type) + "; allowed: 4 and 7";
    if (type >> 2 == 0 || type >> 2 == 3) packet.hint = "types 0, 2 and 3 belong to a2xx to a4xx";
    return;
  }
  if (type == 4 && header == type4_header(header >> 8 & 0x7FFFF, 0)) {
    packet.code = "PM021";
    packet.problem = hex8(header) + " does not begin a packet: its payload has 0 words; allowed: 1 to 127";
    return;
  }
  const std::uint32_t wanted = type == 4 ? type4_header(header >> 8 & 0x7FFFF, header & most_type4)
                                         : type7_header(header >> 16 & 0x7F, header & most_type7);
  const bool parity_only = ((header ^ wanted) & ~(type == 4 ? 0x0800'0080u : 0x0080'8000u)) == 0;
  packet.code = parity_only ? "PM010" : "PM013";
  packet.problem = hex8(header) + (parity_only ? " does not begin a packet: its parity is wrong"
                                               : " does not begin a packet: bits that must be 0 are set");
  packet.hint = "such a packet has the header " + hex8(wanted);
}

}  // namespace

std::string hex8(std::uint32_t word) {
  std::string text;
  append_hexadecimal(text, word, 8);
  return text;
}

std::uint32_t type4_header(std::uint32_t first_register, std::uint32_t payload) {
  first_register &= 0x7FFFF;
  payload &= most_type4;
  return 0x4000'0000 | odd_parity(first_register) << 27 | first_register << 8 | odd_parity(payload) << 7 | payload;
}

std::uint32_t type7_header(std::uint32_t opcode, std::uint32_t payload) {
  opcode &= 0x7F;
  payload &= most_type7;
  return 0x7000'0000 | odd_parity(opcode) << 23 | opcode << 16 | odd_parity(payload) << 15 | payload;
}

void decode_each(std::span<const std::uint32_t> words, const std::function<void(const Packet&)>& each) {
  for (std::size_t at = 0; at < words.size();) {
    const std::uint32_t header = words[at];
    Packet packet{.first = at, .header = header};
    const std::uint32_t register_number = header >> 8 & 0x7FFFF, opcode = header >> 16 & 0x7F;
    if ((header & most_type4) != 0 && header == type4_header(register_number, header)) {
      packet.kind = Packet::Kind::type4;
      packet.number = register_number;
      packet.payload = header & most_type4;
    } else if (header == type7_header(opcode, header)) {
      packet.kind = Packet::Kind::type7;
      packet.number = opcode;
      packet.payload = header & most_type7;
    } else {
      explain(packet);
    }
    if (packet.payload > words.size() - at - 1) {
      const std::size_t missing = packet.payload - (words.size() - at - 1);
      packet = {.first = at, .header = header, .code = "PM011"};
      packet.problem =
          hex8(header) + " begins a packet that is cut short: " + counted(missing, "word is", "words are") + " missing";
    }
    at += 1 + packet.payload;
    each(packet);
  }
}

std::vector<Packet> decode(std::span<const std::uint32_t> words) {
  std::vector<Packet> packets;
  decode_each(words, [&](const Packet& packet) { packets.push_back(packet); });
  return packets;
}

Diagnostics check(std::span<const std::uint32_t> words, std::uint64_t byte_offset) {
  Diagnostics found;
  std::size_t left_out = 0;
  decode_each(words, [&](const Packet& packet) {
    if (packet.kind != Packet::Kind::word) return;
    if (found.size() == most_errors) {
      ++left_out;
      return;
    }
    Diagnostic entry{Severity::error, std::string(packet.code), {}, packet.problem, packet.hint};
    entry.where.byte_offset = byte_offset + 4 * packet.first;
    found.push_back(std::move(entry));
  });
  if (left_out != 0)
    found.push_back({Severity::note,
                     "PM014",
                     {},
                     counted(left_out, "more word does", "more words do") + " not begin a packet",
                     {}});
  return found;
}

namespace {

std::string name_on(Map map, const Packet& packet) {
  if (packet.kind == Packet::Kind::word) return {};
  if (packet.kind == Packet::Kind::type4) return "pkt4";
  return afuc::packet_or_number(map, packet.number);
}

std::vector<Field> fields_on(Map map, const Packet& packet, std::span<const std::uint32_t> payload) {
  std::vector<Field> found;
  if (packet.kind == Packet::Kind::type4) {
    const bool same = (packet.number >> 18 & 1) != 0;
    for (std::size_t i = 0; i < payload.size(); ++i) {
      const std::uint32_t number = (packet.number & 0x3FFFF) + static_cast<std::uint32_t>(same ? 0 : i);
      if (std::string name = afuc::gpu_register(map, number); !name.empty())
        found.push_back({i, std::move(name), payload[i], {}});
    }
    return found;
  }
  if (packet.kind == Packet::Kind::word) return found;

  const std::uint8_t generation = afuc::generation_of(map);
  const std::string name = afuc::packet_or_number(map, packet.number);
  std::string_view layout = name;
  std::size_t stride = 0;
  for (const Layout& row : layouts)
    if (row.packet == name) {
      layout = row.fields;
      stride = row.stride;
    }
  std::vector<const FieldRow*> rows;
  for (const FieldRow& row : field_rows)
    if (row.packet == layout && (row.generations & generation) != 0) rows.push_back(&row);
  const auto value_of = [&](const FieldRow& row, std::size_t base) {
    std::uint64_t bits = payload[base + row.word];
    if (row.words == 2) return bits | std::uint64_t{payload[base + row.word + 1]} << 32;
    bits = bits >> row.low & low_mask(row.high - row.low + 1u);
    return bits << row.shift;
  };
  const auto fits = [&](const FieldRow& row, std::size_t base) {
    return base + row.word + row.words <= payload.size();
  };
  for (std::size_t base = 0; base < payload.size() && !rows.empty(); base += stride) {
    std::vector<std::string_view> modes;
    for (const FieldRow* row : rows)
      if (row->when.empty() && fits(*row, base))
        if (const auto mode = enum_name(row->enumeration, value_of(*row, base) >> row->shift, generation);
            !mode.empty())
          modes.push_back(mode);
    for (const FieldRow* row : rows) {
      if (!fits(*row, base)) continue;
      if (!row->when.empty() && std::find(modes.begin(), modes.end(), row->when) == modes.end()) continue;
      const std::uint64_t value = value_of(*row, base);
      const bool whole = row->low == 0 && row->high >= 31;
      const auto meaning = enum_name(row->enumeration, value >> row->shift, generation);
      if (value == 0 && !whole && meaning.empty()) continue;
      found.push_back({base + row->word, std::string(row->name), value, std::string(meaning)});
    }
    if (stride == 0) break;
  }
  std::sort(found.begin(), found.end(), [](const Field& a, const Field& b) { return a.word < b.word; });
  return found;
}

}  // namespace

Result<Map> map_of(std::string_view variant) {
  if (auto known = check_variant(afuc::machine(), variant, {}); !known) return fail(std::move(known).error());
  const afuc::Chip* chip = afuc::find_chip(variant);
  return chip == nullptr ? afuc::default_chip.map : chip->map;
}

Result<std::string> name_of(const Packet& packet, std::string_view variant) {
  const auto map = map_of(variant);
  if (!map) return fail(map.error());
  return name_on(*map, packet);
}

Result<std::vector<Field>> fields(const Packet& packet, std::span<const std::uint32_t> payload,
                                  std::string_view variant) {
  const auto map = map_of(variant);
  if (!map) return fail(map.error());
  return fields_on(*map, packet, payload);
}

std::optional<Indirect> indirect(const Packet& packet, std::span<const std::uint32_t> payload) {
  constexpr std::array<std::uint32_t, 3> opcodes{0x37, 0x3F, 0x57};
  if (packet.kind != Packet::Kind::type7 || payload.size() < 3) return {};
  if (std::find(opcodes.begin(), opcodes.end(), packet.number) == opcodes.end()) return {};
  return Indirect{payload[0] | std::uint64_t{payload[1]} << 32, payload[2] & 0xFFFFF};
}

// ------------------------------------------------------------------------------------------------ printing

namespace {

/// One buffer of words.
class Printer {
 public:
  Printer(const Stream& stream, Map map, const PrintOptions& options) : stream_(stream), map_(map), options_(options) {}

  void print(std::span<const std::uint32_t> words) {
    decode_each(words, [&](const Packet& packet) {
      if (options_.write && text_.size() >= passed_on) options_.write(take());
      const auto payload = words.subspan(packet.first + 1, packet.payload);
      if (packet.kind == Packet::Kind::word) {
        text_ += '[' + hex8(packet.header) + "]  ; " + packet.problem + '\n';
        return;
      }
      const bool is4 = packet.kind == Packet::Kind::type4;
      text_ += is4 ? "pkt4 " + hexadecimal(packet.number) : name_on(map_, packet);
      for (const std::uint32_t word : payload) text_ += ' ' + hexadecimal(word);
      text_ += '\n';
      if (options_.fields) print_fields(packet, payload);
    });
  }
  void add(std::string_view text) { text_ += text; }
  std::string take() { return std::exchange(text_, {}); }

 private:
  void print_fields(const Packet& packet, std::span<const std::uint32_t> payload) {
    for (const Field& field : fields_on(map_, packet, payload)) {
      text_ += "  ; " + std::to_string(field.word) + ' ' + field.name + " = " + hexadecimal(field.value);
      if (!field.meaning.empty()) text_ += ' ' + field.meaning;
      text_ += '\n';
    }
    const auto buffer = indirect(packet, payload);
    if (!buffer) return;
    const bool known = std::any_of(stream_.memory.begin(), stream_.memory.end(), [&](const Buffer& each) {
      return buffer->address >= each.address && buffer->address - each.address < 4 * each.words.size();
    });
    text_ += "  ; to " + counted(buffer->words, "word") + " at " + hexadecimal(buffer->address) +
             (known ? ", see below\n" : ", which are not here\n");
  }

  const Stream& stream_;
  Map map_;
  const PrintOptions& options_;
  std::string text_;
};

}  // namespace

Result<std::string> print(const Stream& stream, const PrintOptions& options) {
  const auto map = map_of(options.variant);
  if (!map) return fail(map.error());
  Printer printer(stream, *map, options);
  for (const RegisterValue& value : stream.registers)
    printer.add(".reg " + hexadecimal(value.number) + ' ' + hexadecimal(value.value) + '\n');
  printer.print(stream.ring);
  for (const Buffer& buffer : stream.memory) {
    printer.add("\n.at " + hexadecimal(buffer.address) + '\n');
    printer.print(buffer.words);
  }
  if (!options.write) return printer.take();
  options.write(printer.take());
  return std::string();
}

}  // namespace mobula::pm4
