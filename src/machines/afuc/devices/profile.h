// What the instructions of a core spent: by call stack, and by word of its program.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mobula/afuc/emulator.h"

namespace mobula::afuc {

class CoreProfile {
 public:
  /// Of a program of so many words.
  explicit CoreProfile(std::size_t words) : words_(words) {}

  /// The next things are spent by this word.
  void at(std::uint32_t word) { word_ = word; }
  /// One more of these, for the function on top of the stack and for the word.
  void spend(std::uint64_t Spent::*what) {
    ++(stacks_[top_].spent.*what);
    if (word_ < words_.size()) ++(words_[word_].*what);
  }
  /// The core has begun with a packet: calls are on top of that.
  void packet(std::uint32_t entry) {
    top_ = 0;
    enter(entry, true);
  }
  void enter(std::uint32_t function) { enter(function, false); }
  /// A packet is not left by ret.
  void leave() {
    if (!stacks_[top_].packet) top_ = stacks_[top_].below;
  }

  /// A call stack: what is on its top, and the stack below. The first one is empty.
  struct Stack {
    std::uint32_t below = 0;
    std::uint32_t what = 0;  ///< entry of the packet table, or word index of the function
    std::uint32_t depth = 0;
    bool packet = false;
    Spent spent;
  };
  [[nodiscard]] const std::vector<Stack>& stacks() const { return stacks_; }
  [[nodiscard]] const std::vector<Spent>& words() const { return words_; }

 private:
  static constexpr std::size_t most_stacks = 1u << 16;
  void enter(std::uint32_t what, bool packet);

  std::vector<Stack> stacks_{Stack{}};
  std::unordered_map<std::uint64_t, std::uint32_t> above_;
  std::uint32_t top_ = 0;
  std::vector<Spent> words_;
  std::uint32_t word_ = 0;
};

}  // namespace mobula::afuc
