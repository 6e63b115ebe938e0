// Memory of pictures: in large pages, and kept from one large picture to the next. Getting it from the system page by
// page would take most of the time of a simple picture.
#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "mobula/lab/run.h"

namespace mobula {
namespace {

constexpr std::align_val_t line{64};
constexpr std::size_t large_page = std::size_t{2} << 20;
/// malloc keeps smaller blocks by itself.
constexpr std::size_t least_kept = std::size_t{32} << 20;

struct Block {
  void* first = nullptr;
  std::size_t bytes = 0;
};

constinit std::mutex mutex;
constinit Block spare;

/// Asks the system for something about the whole pages of a block: a wish.
void advise([[maybe_unused]] const Block& block, [[maybe_unused]] int advice) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t page = 4096;
  void* first = block.first;
  std::size_t bytes = block.bytes;
  if (std::align(page, 1, first, bytes) != nullptr) madvise(first, bytes / page * page, advice);
#endif
}

}  // namespace

void* take_picture_memory(std::size_t bytes) {
  if (bytes >= least_kept) {
    const std::lock_guard lock(mutex);
    if (spare.bytes >= bytes && spare.bytes / 2 <= bytes) return std::exchange(spare, {}).first;
  }
  void* const first = ::operator new(bytes, line);
#ifdef MADV_HUGEPAGE
  if (bytes >= large_page) advise({first, bytes}, MADV_HUGEPAGE);
#endif
  return first;
}

void give_back_picture_memory(void* first, std::size_t bytes) noexcept {
  Block block{first, bytes};
  if (bytes >= least_kept) {
#ifdef MADV_FREE
    advise(block, MADV_FREE);
#endif
    const std::lock_guard lock(mutex);
    if (spare.bytes < bytes) std::swap(spare, block);
  }
  ::operator delete(block.first, line);
}

}  // namespace mobula
