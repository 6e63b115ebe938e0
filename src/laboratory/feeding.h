// Feeding: what the threads of a run start with, beyond what the inputs name by slot. Each machine has its own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mobula/lab/interpreter.h"
#include "mobula/lab/run.h"

namespace mobula {

/// Knows who the threads of a run are, by the number of their lane in it.
class ThreadMaker {
 public:
  virtual ~ThreadMaker() = default;
  /// So many from this one on. `inputs`: see BatchLanes.
  virtual void make(std::uint64_t first, std::span<Thread> threads, std::span<std::uint32_t> inputs) const = 0;
  /// Where helpers are among so many: a word a lane, all ones for a helper, else 0. No words where there are none.
  virtual void mark_helpers(std::uint64_t first, std::uint32_t count, std::vector<std::uint32_t>& words) const = 0;
};

/// The threads of a batch, by lane; made when somebody asks who they are.
class BatchLanes final : public ThreadSource {
 public:
  /// Others than before. The maker must outlive them.
  void begin(const ThreadMaker& maker, std::uint64_t first, std::uint32_t count) {
    maker_ = &maker;
    first_ = first;
    count_ = count;
    threads_.clear();
    helpers_.clear();
    maker.mark_helpers(first, count, helpers_);
  }
  [[nodiscard]] std::uint32_t count() const override { return count_; }
  /// The number of the first lane in the run.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::span<const Thread> threads() const override {
    make();
    return threads_;
  }
  /// Positions in the inputs' per-thread values; of a helper, that of the thread it helps.
  [[nodiscard]] std::span<const std::uint32_t> inputs() const {
    make();
    return inputs_;
  }
  [[nodiscard]] std::span<const std::uint32_t> helpers() const override { return helpers_; }

 private:
  void make() const {
    if (threads_.size() == count_) return;
    threads_.resize(count_);
    inputs_.resize(count_);
    maker_->make(first_, threads_, inputs_);
  }

  const ThreadMaker* maker_ = nullptr;
  std::uint64_t first_ = 0;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> helpers_;
  mutable std::vector<Thread> threads_;  ///< empty: not made yet
  mutable std::vector<std::uint32_t> inputs_;
};

/// What is known of a run before its threads start. Good until the run ends.
struct FedRun {
  const ir::Program& lifted;
  const Interface& interface;
  const RunInputs& inputs;
  const std::map<std::uint32_t, std::vector<std::uint8_t>>& uniform_buffers;  ///< system values included
  std::optional<ImageSize> image;                                             ///< of which each fragment is a pixel
  bool dispatch = false;                                                      ///< threads are invocations of workgroups
  std::uint64_t stack_address = 0, thread_local_address = 0, workgroup_local_address = 0;
};

/// What is written into the state of every thread before it starts, in this order.
struct InitialState {
  struct Constant {
    ir::Slot slot;
    std::uint64_t value = 0;
  };
  struct PerThread {
    std::uint32_t byte = 0;
    std::array<std::uint32_t, 3> Thread::*id = nullptr;
    std::size_t component = 0;
  };
  /// Called for each batch when set; lanes are in the order of the interpreter's.
  std::function<void(Interpreter& interpreter, const BatchLanes& lanes)> fill;
  /// All that `fill` writes for the fragments of a picture, where it depends on nothing but their places.
  struct OfPicture {
    struct Word {
      std::uint32_t byte = 0, value = 0;
    };
    struct Place {
      std::uint32_t byte = 0;
      std::size_t axis = 0;  ///< Thread::x or Thread::y
    };
    std::vector<Word> words;  ///< the same for all; later ones count
    std::vector<Place> places;
  };
  std::optional<OfPicture> of_picture;
  std::vector<Constant> constants;
  std::vector<PerThread> ids;
  std::vector<std::uint8_t> thread_local_image;  ///< what a thread's own memory starts with; zeros after it
  Diagnostics diagnostics;                       ///< what is worth saying about it; they name no file

  /// A machine's programs have the slots they use: nothing is written where there is none of that name.
  void set_if_there(const ir::Program& lifted, std::string_view name, std::uint64_t value) {
    if (const ir::Slot* const slot = lifted.find_slot(name)) constants.push_back({*slot, value});
  }
  /// A 64-bit address in two slots.
  void set_address(const ir::Program& lifted, std::string_view low, std::string_view high, std::uint64_t address) {
    set_if_there(lifted, low, static_cast<std::uint32_t>(address));
    set_if_there(lifted, high, address >> 32);
  }
};

/// How vertex programs put out positions: on the screen with 1/w, or before the division by w and the viewport.
enum class Positions : std::uint8_t { on_screen, in_clip_space };

struct Feeding {
  InitialState (*initial_state)(const FedRun& run);
  /// Bytes of memory of its own that each thread needs; nullptr, or nothing: as many as the interface says.
  std::optional<std::uint32_t> (*thread_local_bytes)(const ir::Program& lifted) = nullptr;
  Positions positions = Positions::on_screen;
};

}  // namespace mobula
