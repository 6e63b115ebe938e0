// What all cores of a command processor share: memory, GPU registers, locks, the queue between PFP and ME, and the
// events that a run reports.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "machines/afuc/lift/policies.h"
#include "machines/afuc/spec/names.h"
#include "mobula/afuc/emulator.h"

namespace mobula::afuc {

inline constexpr unsigned gpu_registers = 1u << 18;

/// Dwords by byte address; the two lowest bits of addresses are ignored. Pages appear where something is written.
class Memory {
 public:
  explicit Memory(std::uint64_t limit_bytes) : pages_left_(limit_bytes / page_bytes) {}
  [[nodiscard]] std::uint32_t read(std::uint64_t address) const {
    const Page* page = find(address / page_bytes);
    return page == nullptr ? 0 : (*page)[address % page_bytes / 4];
  }
  /// False if the limit is reached.
  bool write(std::uint64_t address, std::uint32_t value);

 private:
  static constexpr std::uint64_t page_bytes = 4096, no_page = ~std::uint64_t{0};
  using Page = std::array<std::uint32_t, page_bytes / 4>;
  [[nodiscard]] Page* find(std::uint64_t number) const { return number == last_number_ ? last_page_ : look_up(number); }
  [[nodiscard]] Page* look_up(std::uint64_t number) const;

  std::uint64_t pages_left_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  mutable std::uint64_t last_number_ = no_page;  ///< streams are read in order: most accesses find the page they had
  mutable Page* last_page_ = nullptr;
};

/// A core to be started, as the registers say that start one.
struct CoreStart {
  std::string_view name;
  std::uint64_t base = 0;             ///< byte address of its word 0
  std::uint32_t base_register = ~0u;  ///< control register, and the next, where the core finds that; none: GPU register
};

class Devices;

class Board {
 public:
  Board(Map map, const EmulatorOptions& options, const Settings& settings);

  void log(const Event& event) {
    if (events.size() < options.events) {
      events.push_back(event);
    } else {
      ++dropped_events;
    }
  }
  /// Writes a GPU register, whoever does.
  void write_gpu(std::uint32_t number, std::uint32_t value) {
    gpu[number] = value;
    if (number == context_switch_ && (value & 1) != 0) switch_requested = true;
  }

  Map map;
  const EmulatorOptions& options;
  Memory memory;
  std::vector<std::uint32_t> gpu = std::vector<std::uint32_t>(gpu_registers, 0);
  std::array<std::uint32_t, 0x100> shared_control{};  ///< registers 0x200..0x2ff where they are shared
  std::array<std::optional<std::uint8_t>, 32> lock_owner{};
  std::deque<std::uint32_t> meq;            ///< a5xx: from PFP to ME
  std::deque<std::uint32_t> states;         ///< a5xx: words that the PFP has fetched for the ME (decision 0042)
  Devices* feeding = nullptr;               ///< the PFP, where an ME takes what it sends
  std::array<Devices*, 8> further{};        ///< a8xx: who reads what a core passes on, by position of the latter
  std::vector<CoreStart> starts;            ///< not yet carried out
  const bool rmw_stops, ports_of_document;  ///< policies rmw and me_ports
  bool switch_requested = false;            ///< a write to CP_CONTEXT_SWITCH_CNTL has asked for preemption
  std::vector<Event> events;
  std::uint64_t dropped_events = 0;

 private:
  std::uint32_t context_switch_;  ///< CP_CONTEXT_SWITCH_CNTL
};

}  // namespace mobula::afuc
