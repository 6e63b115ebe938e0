// What the cycle simulation knows of a program: the cost of each word and the words each thread executes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "machines/midgard/timing/timing.h"
#include "timing/shared_paths.h"

namespace mobula::midgard {

/// One instruction word and what it costs.
struct TimedWord {
  std::uint64_t address = 0;
  PipeIndex pipe = PipeIndex::arithmetic;
  bool runs = false;          ///< false: a thread that comes here faults
  std::uint64_t issue = 1;    ///< cycles it takes its pipe
  std::uint64_t latency = 1;  ///< cycles until its thread continues, at least `issue`
  std::uint64_t tile_wait = 0;
  std::uint32_t overtakers = 0;  ///< arithmetic and load/store words that need not wait for this texture word
  bool barrier = false;
};

/// The word at a quadword of the code, with what the parameters say of it.
TimedWord timed_word(const Program& program, std::uint32_t position, std::span<const TimingParameter> parameters);

/// Text of the words on one line each; the kind of a word where there is none.
std::vector<std::string> word_texts(const Program& program, std::span<const TimedWord> words);

/// Words by index, in the order in which a thread executes them.
using Path = std::vector<std::uint32_t>;

/// Gives each thread its path, made once for threads that share it.
class Paths {
 public:
  /// TM005 if the run was of another program.
  static Result<Paths> from_run(const Program& program, const ThreadPaths& run);
  /// The same path for all; TM003 if there is none. Says in `notes` what was assumed.
  static Result<Paths> assumed(const Program& program, AssumedPath which, std::vector<std::string>& notes);

  /// Where the words lie; a path's indices count these, ascending.
  [[nodiscard]] const std::vector<std::uint64_t>& addresses() const { return addresses_; }
  /// From now on paths end before a word that cannot run. `words` are those at addresses().
  void cut_at_faults(std::span<const TimedWord> words);
  [[nodiscard]] std::shared_ptr<const Path> of(std::uint32_t thread);

 private:
  [[nodiscard]] Path indices(const std::vector<std::uint64_t>& addresses) const;
  [[nodiscard]] Path cut(Path path) const;

  const ThreadPaths* run_ = nullptr;
  std::vector<std::uint64_t> addresses_;
  std::vector<bool> faults_;            ///< by word; empty = none
  std::shared_ptr<const Path> shared_;  ///< of every thread
  SharedPaths<Path> paths_of_run_;
};

}  // namespace mobula::midgard
