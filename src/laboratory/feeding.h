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

/// The threads of a batch, by lane.
struct BatchLanes {
  std::vector<Thread> threads;
  std::vector<std::uint32_t> inputs;  ///< position in the inputs' per-thread values; of a helper, that of the thread it
                                      ///< helps
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

struct Feeding {
  InitialState (*initial_state)(const FedRun& run);
  /// Bytes of memory of its own that each thread needs; nullptr, or nothing: as many as the interface says.
  std::optional<std::uint32_t> (*thread_local_bytes)(const ir::Program& lifted) = nullptr;
};

}  // namespace mobula
