#include "machines/afuc/spec/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/hexadecimal.h"

namespace mobula::afuc {
namespace {

// ------------------------------------------------------------------------------------------------ control registers

/// Whose program uses the name: numbers mean different things to the a5xx's PFP and ME, but the names do not clash.
enum class Owner : std::uint8_t { a5xx, a5xx_pfp, a5xx_me, a6xx, a7xx, a750, a8xx };
constexpr Map map_of(Owner owner) {
  constexpr std::array<Map, 7> maps{Map::a5xx, Map::a5xx, Map::a5xx, Map::a6xx, Map::a7xx, Map::a750, Map::a8xx};
  return maps[static_cast<std::size_t>(owner)];
}
struct ControlRow {
  Owner owner;
  std::uint16_t first, count;
  std::string_view name;
  Status status;
  std::uint8_t releases;
  ControlRole role;
};
constexpr ControlRow control_rows[] = {
#define CONTROL(owner, first, count, name, status, releases, role) \
  {Owner::owner, first, count, name, Status::status, releases, ControlRole::role},
#include "machines/afuc/spec/control_regs.inc"
#undef CONTROL
};
/// Numbers of rows in the order of their names, those of the same name in the order of the table.
const std::vector<std::uint16_t>& rows_by_name() {
  static const std::vector<std::uint16_t> sorted = [] {
    std::vector<std::uint16_t> rows(std::size(control_rows));
    std::iota(rows.begin(), rows.end(), std::uint16_t{0});
    std::ranges::stable_sort(rows, {}, [](std::uint16_t row) { return control_rows[row].name; });
    return rows;
  }();
  return sorted;
}
/// Names of an old release that later ones changed: they are read, but nobody writes them any more.
constexpr bool is_outdated(const ControlRow& row) { return row.releases == m22; }

/// The first register that is wanted. a8xx has A750's registers where nothing else is known of it.
template <class Wanted>
std::optional<unsigned> find_row(Map map, Wanted wanted) {
  for (const ControlRow& row : control_rows)
    if (map_of(row.owner) == map && wanted(row)) return row.first;
  return map == Map::a8xx ? find_row(Map::a750, wanted) : std::nullopt;
}

constexpr unsigned control_count = 0x1000;
constexpr std::uint16_t none = 0xFFFF;

using RowOfNumber = std::array<std::uint16_t, control_count>;
/// The row of every control register of a map: the first one, and that of its name in each naming.
struct ControlIndex {
  RowOfNumber row, own, mesa;

  explicit ControlIndex(Map map) {
    for (RowOfNumber* each : {&row, &own, &mesa}) each->fill(none);
    add(map, map);
    if (map == Map::a8xx) add(map, Map::a750);
  }

 private:
  void add(Map map, Map from) {
    for (std::size_t i = 0; i < std::size(control_rows); ++i) {
      const ControlRow& each = control_rows[i];
      if (map_of(each.owner) != from || is_outdated(each)) continue;
      const auto meanings = control_registers_named(map, each.name, Names::any);
      // A name that would be read as another register is not a name.
      if (meanings.front().number != each.first) continue;
      put(row, each, i);
      if (meanings.size() > 1) continue;
      put(own, each, i);
      if ((each.releases & m25) != 0) put(mesa, each, i);
    }
  }
  static void put(RowOfNumber& rows, const ControlRow& row, std::size_t number) {
    for (unsigned i = row.first; i < unsigned{row.first} + row.count; ++i)
      if (rows[i] == none) rows[i] = static_cast<std::uint16_t>(number);
  }
};
template <Map map>
const ControlIndex& index_of() {
  static const ControlIndex index(map);
  return index;
}
const ControlIndex& control_index(Map map) {
  constexpr std::array<const ControlIndex& (*)(), map_count> all{
      index_of<Map::a5xx>, index_of<Map::a6xx>, index_of<Map::a7xx>, index_of<Map::a750>, index_of<Map::a8xx>};
  return all[static_cast<std::size_t>(map)]();
}
RegisterName name_in(const RowOfNumber& rows, unsigned number) {
  const std::uint16_t row = number < control_count ? rows[number] : none;
  if (row == none) return {};
  return {control_rows[row].name, number - control_rows[row].first};
}

// ------------------------------------------------------------------------------------------------ SQE and pipe
// registers

struct SqeRow {
  std::uint8_t number;
  std::string_view name;
  Status status;
};
constexpr SqeRow sqe_rows[] = {
#define SQE(number, id, name, status) {number, name, Status::status},
#include "machines/afuc/spec/sqe_regs.inc"
#undef SQE
};

struct PipeRow {
  std::uint8_t generations, number;
  std::string_view name;
  bool triggers;
  Status status;
  PipeRole role;
};
constexpr PipeRow pipe_rows[] = {
#define PIPE(generations, number, name, triggers, status, role) \
  {generations, number, name, triggers, Status::status, PipeRole::role},
#include "machines/afuc/spec/pipe_regs.inc"
#undef PIPE
};

/// The generation whose names are used: a8xx has a7xx's as far as known.
constexpr std::uint8_t naming_generation(Map map) { return map == Map::a8xx ? std::uint8_t{g7} : generation_of(map); }

const PipeRow* find_pipe(Map map, unsigned number) {
  for (const PipeRow& row : pipe_rows)
    if (row.number == number && (row.generations & naming_generation(map)) != 0) return &row;
  return nullptr;
}

// ------------------------------------------------------------------------------------------------ GPU registers

struct GpuRow {
  std::uint16_t first, count, stride;
  std::string_view name;  ///< "[]" stands for an element's index
  std::uint8_t words;
};
#define GPU(first, count, stride, name, words) {first, count, stride, name, words},
constexpr GpuRow gpu_rows_a5xx[] = {
#include "machines/afuc/spec/gpu_regs_a5xx.inc"
};
constexpr GpuRow gpu_rows_a6xx[] = {
#include "machines/afuc/spec/gpu_regs_a6xx.inc"
};
constexpr GpuRow gpu_rows_a7xx[] = {
#include "machines/afuc/spec/gpu_regs_a7xx.inc"
};
#undef GPU

/// The bit by which a register of an a5xx is in the second bank; 0 if it is not.
constexpr unsigned second_bank_bit(Map map, unsigned number) {
  constexpr unsigned draw_bank = 1u << 11, other_bank = 1u << 10;
  if (map != Map::a5xx) return 0;
  switch (banked(number)) {
    case Banked::none:
      return 0;
    case Banked::other:
      return number & other_bank;
    case Banked::draw:
      return number & draw_bank;
  }
  return 0;
}

/// Both directions of one generation's table.
struct GpuIndex {
  std::span<const GpuRow> rows;
  std::vector<std::uint16_t> by_number;  ///< row of each of 65536 registers
  std::unordered_map<std::string_view, const GpuRow*> by_name;
  std::vector<std::string_view> names;

  explicit GpuIndex(std::span<const GpuRow> table) : rows(table), by_number(0x10000, none) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const GpuRow& each = rows[row];
      by_name.try_emplace(each.name, &each);
      names.push_back(each.name);
      for (unsigned i = 0; i < each.count; ++i)
        for (unsigned word = 0; word < each.words; ++word) {
          const unsigned number = each.first + i * each.stride + word;
          if (number < by_number.size() && by_number[number] == none)
            by_number[number] = static_cast<std::uint16_t>(row);
        }
    }
  }
};
const GpuIndex& gpu_index(Map map) {
  static const GpuIndex a5xx(gpu_rows_a5xx);
  static const GpuIndex a6xx(gpu_rows_a6xx);
  static const GpuIndex a7xx(gpu_rows_a7xx);
  static const GpuIndex nothing(std::span<const GpuRow>{});
  switch (map) {
    case Map::a5xx:
      return a5xx;
    case Map::a6xx:
      return a6xx;
    case Map::a7xx:
    case Map::a750:
      return a7xx;
    case Map::a8xx:
      return nothing;
  }
  return nothing;
}

// ------------------------------------------------------------------------------------------------ packets

struct PacketRow {
  std::uint8_t generations, opcode;
  std::string_view name;
};
constexpr PacketRow packet_rows[] = {
#define PACKET(generations, opcode, name) {generations, opcode, name},
#define OLD_PACKET(generations, opcode, name)
#include "machines/afuc/spec/packets.inc"
#undef OLD_PACKET
#undef PACKET
};
constexpr PacketRow old_packet_rows[] = {
#define PACKET(generations, opcode, name)
#define OLD_PACKET(generations, opcode, name) {generations, opcode, name},
#include "machines/afuc/spec/packets.inc"
#undef OLD_PACKET
#undef PACKET
};

}  // namespace

RegisterName control_register(Map map, unsigned number) { return name_in(control_index(map).own, number); }
RegisterName mesa_control_register(Map map, unsigned number) { return name_in(control_index(map).mesa, number); }

std::vector<NamedControl> control_registers_named(Map map, std::string_view name, Names names) {
  constexpr std::array<std::uint8_t, 4> releases{ours, m22, m25, m26};
  const std::uint8_t release = releases[static_cast<std::size_t>(names)];
  const auto rows =
      std::ranges::equal_range(rows_by_name(), name, {}, [](std::uint16_t row) { return control_rows[row].name; });
  std::vector<NamedControl> found;
  const auto add = [&](Map from) {
    for (const std::uint16_t number : rows) {
      const ControlRow& row = control_rows[number];
      if (map_of(row.owner) != from) continue;
      if ((row.releases & release) != 0) {
        found.assign(1, {row.first, row.releases});
        return;
      }
      const auto same = [&](const NamedControl& each) { return each.number == row.first; };
      if (const auto known = std::find_if(found.begin(), found.end(), same); known != found.end())
        known->releases |= row.releases;
      else
        found.push_back({row.first, row.releases});
    }
  };
  add(map);
  if (map == Map::a8xx && found.empty()) add(Map::a750);
  return found;
}

std::vector<std::string_view> control_register_names(Map map) {
  std::vector<std::string_view> names;
  for (const ControlRow& row : control_rows)
    if (map_of(row.owner) == map || (map == Map::a8xx && row.owner == Owner::a750)) names.push_back(row.name);
  return names;
}

std::optional<unsigned> find_control_register(Map map, ControlRole role) {
  return find_row(map, [&](const ControlRow& row) { return row.role == role; });
}
ControlRole control_role(Map map, unsigned number) {
  const std::uint16_t row = number < control_count ? control_index(map).row[number] : none;
  return row == none ? ControlRole::storage : control_rows[row].role;
}

bool is_of_pfp_alone(Map map, unsigned number) {
  const std::uint16_t row = number < control_count ? control_index(map).row[number] : none;
  if (row == none || control_rows[row].owner != Owner::a5xx_pfp) return false;
  return std::none_of(std::begin(control_rows), std::end(control_rows),
                      [&](const ControlRow& each) { return each.owner == Owner::a5xx_me && each.first == number; });
}

Status control_register_status(Map map, unsigned number) {
  if (number >= control_count) return Status::unknown;
  const std::uint16_t row = control_index(map).row[number];
  if (row == none) return Status::unknown;
  return map_of(control_rows[row].owner) == map ? control_rows[row].status : Status::inferred;
}

RegisterName sqe_register(unsigned number) {
  for (const SqeRow& row : sqe_rows)
    if (row.number == number) return {row.name, 0};
  return {};
}

/// What the driver's people found, they named.
RegisterName mesa_sqe_register(unsigned number) {
  for (const SqeRow& row : sqe_rows)
    if (row.number == number && row.status == Status::driver) return {row.name, 0};
  return {};
}

std::optional<unsigned> find_sqe_register(std::string_view name) {
  for (const SqeRow& row : sqe_rows)
    if (row.name == name) return row.number;
  return std::nullopt;
}

std::string_view pipe_register(Map map, unsigned number) {
  const PipeRow* row = find_pipe(map, number);
  return row == nullptr ? std::string_view() : row->name;
}
std::string_view mesa_pipe_register(Map map, unsigned number) {
  const PipeRow* row = find_pipe(map, number);
  return row == nullptr || row->status != Status::driver ? std::string_view() : row->name;
}
PipeRole pipe_role(Map map, unsigned number) {
  const PipeRow* row = find_pipe(map, number);
  return row == nullptr ? PipeRole::storage : row->role;
}

std::string gpu_register(Map map, unsigned number) {
  const GpuIndex& index = gpu_index(map);
  if (number >= index.by_number.size()) return {};
  if (index.by_number[number] == none) {
    const unsigned bank_bit = second_bank_bit(map, number);
    const std::string first = bank_bit != 0 ? gpu_register(map, number & ~bank_bit) : std::string();
    return first.empty() ? first : first + " in bank 1";
  }
  const GpuRow& row = index.rows[index.by_number[number]];
  unsigned word = number - row.first;
  std::string name(row.name);
  if (row.stride != 0) {
    const unsigned element = word / row.stride;
    word %= row.stride;
    name.insert(name.find("[]") + 1, element == 0 ? "0" : hexadecimal(element));
  }
  return word == 0 ? name : name + '+' + hexadecimal(word);
}

std::optional<unsigned> find_gpu_register(Map map, std::string_view name, std::optional<unsigned> index,
                                          std::string_view member) {
  const GpuIndex& all = gpu_index(map);
  if (!index) {
    const auto row = all.by_name.find(name);
    return row == all.by_name.end() ? std::nullopt : std::optional<unsigned>(row->second->first);
  }
  std::string full = std::string(name) + "[]";
  if (!member.empty()) full += '.' + std::string(member);
  auto row = all.by_name.find(full);
  if (row == all.by_name.end() && member.empty()) row = all.by_name.find(full += ".REG");
  if (row == all.by_name.end() && name.ends_with("_REG"))
    row = all.by_name.find(full = std::string(name.substr(0, name.size() - 4)) + "[].REG");
  if (row != all.by_name.end() && *index < row->second->count) return row->second->first + *index * row->second->stride;
  // Single elements are rows of their own.
  full = std::string(name) + '[' + (*index == 0 ? "0" : hexadecimal(*index)) + ']';
  if (!member.empty()) full += '.' + std::string(member);
  row = all.by_name.find(full);
  return row == all.by_name.end() ? std::nullopt : std::optional<unsigned>(row->second->first);
}

const std::vector<std::string_view>& gpu_register_names(Map map) { return gpu_index(map).names; }

std::string_view packet(Map map, unsigned opcode) {
  for (const PacketRow& row : packet_rows)
    if (row.opcode == opcode && (row.generations & naming_generation(map)) != 0) return row.name;
  return {};
}

std::string packet_or_number(Map map, unsigned opcode) {
  const std::string_view known = packet(map, opcode);
  return known.empty() ? "UNKN" + std::to_string(opcode) : std::string(known);
}

std::optional<unsigned> find_packet(Map map, std::string_view name) {
  for (const PacketRow& row : packet_rows)
    if (row.name == name && (row.generations & naming_generation(map)) != 0) return row.opcode;
  for (const PacketRow& row : old_packet_rows)
    if (row.name == name && (row.generations & naming_generation(map)) != 0) return row.opcode;
  if (!name.starts_with("UNKN")) return std::nullopt;
  const std::string_view digits = name.substr(4);
  unsigned opcode = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), opcode);
  if (error != std::errc{} || end != digits.data() + digits.size() || opcode >= packet_table_words) return std::nullopt;
  return opcode;
}

std::string releases_text(std::uint8_t releases) {
  constexpr std::pair<std::uint8_t, std::string_view> all[] = {{m22, "22.3.6"}, {m25, "25.0.7"}, {m26, "26.1.0"}};
  std::string text;
  for (const auto& [release, name] : all)
    if ((releases & release) != 0) text += (text.empty() ? "Mesa " : " and ") + std::string(name);
  return text;
}

namespace {
/// "a5xx a6xx"
std::string generations_text(std::uint8_t generations) {
  constexpr std::array<std::string_view, 4> names{"a5xx", "a6xx", "a7xx", "a8xx"};
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if ((generations >> i & 1) != 0) text += (text.empty() ? "" : " ") + std::string(names[i]);
  return text;
}
}  // namespace

std::vector<NamedThing> named_control_registers() {
  std::vector<NamedThing> all;
  for (const ControlRow& row : control_rows) {
    std::string where = std::string(name(map_of(row.owner)));
    if (row.owner == Owner::a5xx_pfp) where += " PFP";
    if (row.owner == Owner::a5xx_me) where += " ME";
    where += ", " + hexadecimal(row.first, 3);
    if (row.count > 1) where += " and " + hexadecimal(row.first + 1u, 3);
    const std::string releases = releases_text(row.releases);
    where += releases.empty() ? ", a name of this project" : ", in " + releases;
    all.push_back({row.name, row.first, std::move(where), row.status, "4.3"});
  }
  return all;
}

std::vector<NamedThing> named_sqe_registers() {
  std::vector<NamedThing> all;
  for (const SqeRow& row : sqe_rows)
    all.push_back({row.name, row.number, "a6xx and later, " + hexadecimal(row.number, 2), row.status, "4.3"});
  return all;
}

std::vector<NamedThing> named_pipe_registers() {
  std::vector<NamedThing> all;
  for (const PipeRow& row : pipe_rows)
    all.push_back({row.name, row.number,
                   generations_text(row.generations) + ", " + hexadecimal(row.number, 2) +
                       (row.triggers ? ", acts when $addr gets its number" : ""),
                   row.status, "4.4"});
  return all;
}

std::vector<NamedThing> named_packets() {
  std::vector<NamedThing> all;
  for (const PacketRow& row : packet_rows)
    all.push_back({row.name, row.opcode,
                   generations_text(row.generations) + ", opcode and table entry " + hexadecimal(row.opcode, 2),
                   Status::driver, "4.11"});
  for (const PacketRow& row : old_packet_rows)
    all.push_back({row.name, row.opcode,
                   generations_text(row.generations) + ", opcode and table entry " + hexadecimal(row.opcode, 2) +
                       ", in Mesa 22.3.6",
                   Status::driver, "4.11"});
  return all;
}

std::vector<NamedThing> named_gpu_registers() {
  std::vector<NamedThing> all;
  const auto add = [&](std::span<const GpuRow> rows, std::string_view generation) {
    for (const GpuRow& row : rows) {
      std::string where = std::string(generation) + ", " + hexadecimal(row.first, 4);
      if (row.count > 1)
        where += ", and " + std::to_string(row.count - 1) + " more, " + hexadecimal(row.stride) + " apart";
      all.push_back({row.name, row.first, std::move(where), Status::driver, "4.1"});
    }
  };
  add(gpu_rows_a5xx, "a5xx");
  add(gpu_rows_a6xx, "a6xx");
  add(gpu_rows_a7xx, "a7xx");
  return all;
}

}  // namespace mobula::afuc
