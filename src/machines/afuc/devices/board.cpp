#include "machines/afuc/devices/board.h"

#include "machines/afuc/lift/policies.h"

namespace mobula::afuc {

Memory::Page* Memory::look_up(std::uint64_t number) const {
  const auto page = pages_.find(number);
  if (page == pages_.end()) return nullptr;
  last_number_ = number;
  last_page_ = page->second.get();
  return last_page_;
}

bool Memory::write(std::uint64_t address, std::uint32_t value) {
  const std::uint64_t number = address / page_bytes;
  Page* page = find(number);
  if (page == nullptr) {
    if (pages_left_ == 0) return false;
    --pages_left_;
    page = pages_.emplace(number, std::make_unique<Page>()).first->second.get();
  }
  (*page)[address % page_bytes / 4] = value;
  return true;
}

Board::Board(Map map_of_chip, const EmulatorOptions& wanted, const Settings& settings)
    : map(map_of_chip),
      options(wanted),
      memory(wanted.memory_bytes),
      rmw_stops(settings.is(PolicyId::rmw, "trap")),
      ports_of_document(settings.is(PolicyId::me_ports, "document")),
      context_switch_(find_gpu_register(map, "CP_CONTEXT_SWITCH_CNTL", {}, {}).value_or(gpu_registers)) {}

}  // namespace mobula::afuc
