// Control flow of a program: which words may execute before and after which, and paths through them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/export.h"
#include "machines/utgard_gp/spec/codec.h"
#include "mobula/isa/program.h"

namespace mobula::utgard_gp {

/// Stands for the start of the program among the predecessors of word 0.
inline constexpr std::uint16_t before_start = 0xFFFF;

/// Words in the order they execute. The first may be before_start.
using Path = std::vector<std::uint16_t>;
/// By byte offset, "0xc0 -> 0xd0 -> 0x40"; runs of consecutive words are shortened: "0x00..0x90 -> 0x40".
std::string text_of(const Path& path);

/// Uniform memory that comes with the program: bits by vec4 index * 4 + component.
using Constants = std::unordered_map<std::uint32_t, std::uint32_t>;

/// The word of uniform memory from which this word of the program sets A0, if it does so at a fixed address.
MOBULA_INTERNAL std::optional<unsigned> store_address_word(const Word128& word);
/// The vec4 that a constant names as an address; none if that hangs on how address registers round.
MOBULA_INTERNAL std::optional<unsigned> vec4_of(const Constants& constants, std::uint32_t place);

/// At most 65535 words. Branches leave the program where they lead beyond it. A branch whose condition comes from
/// `constants`, straight or through moves, is decided; unconditional branches are conditional on a constant 1.0 (1.4).
/// `constants` must not be ones that the program overwrites.
class ControlFlow {
 public:
  MOBULA_INTERNAL explicit ControlFlow(std::span<const Word128> words, const Constants& constants = {});

  [[nodiscard]] const std::vector<std::uint16_t>& predecessors(std::uint16_t word) const { return predecessors_[word]; }
  [[nodiscard]] const std::vector<std::uint16_t>& successors(std::uint16_t word) const { return successors_[word]; }
  /// True if control goes beyond the last word from this one.
  [[nodiscard]] bool leaves(std::uint16_t word) const { return word + 1u == size() && falls_through_; }
  /// True if control comes here from more than one word.
  [[nodiscard]] bool is_join(std::uint16_t word) const { return predecessors_[word].size() > 1; }
  [[nodiscard]] std::size_t size() const { return predecessors_.size(); }

  /// Calls use(path) for every path of `length` steps that ends at `word`; its first word is before_start where the
  /// path would begin before the program. All words together have at most 2^length paths a word, as every word has at
  /// most two successors.
  template <class Use>
  void for_each_path(std::uint16_t word, unsigned length, Use use) const {
    Path path(length + 1);
    path[length] = word;
    extend(path, length, use);
  }

 private:
  enum class Taken : std::uint8_t { maybe, always, never };

  void connect(std::span<const Word128> words, const std::vector<Taken>& taken);
  /// The word that alone comes before this one.
  [[nodiscard]] std::optional<std::uint16_t> only_predecessor(std::uint16_t word) const;
  /// What an operand of a word is on every path to it, if that is a constant.
  [[nodiscard]] std::optional<std::uint32_t> constant(std::span<const Word128> words, const Constants& constants,
                                                      std::uint16_t word, const OperandField* operand) const;

  template <class Use>
  void extend(Path& path, unsigned at, Use& use) const {
    if (at == 0) return use(static_cast<const Path&>(path));
    for (const std::uint16_t before : predecessors_[path[at]]) {
      path[at - 1] = before;
      if (before == before_start)
        use(Path(path.begin() + at - 1, path.end()));
      else
        extend(path, at - 1, use);
    }
  }

  std::vector<std::vector<std::uint16_t>> predecessors_, successors_;
  bool falls_through_ = true;  ///< the last word does
};

/// Which words control reaches from the start without completing any word for which `stops` holds.
class Reach {
 public:
  template <class Stops>
  Reach(const ControlFlow& flow, Stops stops) : from_(flow.size(), not_reached) {
    if (flow.size() == 0) return;
    std::vector<std::uint16_t> queue{0};
    from_[0] = before_start;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      if (stops(queue[at])) continue;
      for (const std::uint16_t next : flow.successors(queue[at]))
        if (from_[next] == not_reached) {
          from_[next] = queue[at];
          queue.push_back(next);
        }
    }
  }
  [[nodiscard]] bool reaches(std::uint16_t word) const { return from_[word] != not_reached; }
  /// A shortest path from the first word. Precondition: reaches(word).
  [[nodiscard]] Path path_to(std::uint16_t word) const;

 private:
  static constexpr std::uint16_t not_reached = 0xFFFE;
  std::vector<std::uint16_t> from_;  ///< the word before, before_start for word 0
};

}  // namespace mobula::utgard_gp
