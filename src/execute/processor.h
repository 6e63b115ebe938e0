// Processor: one thread that runs micro-operations with devices around it, such as a core that runs firmware. Its code
// is lifted when it first gets there, and memory is reached through devices alone. The Interpreter runs many threads
// of programs that are lifted as a whole; on one thread of 32-bit words this is several times faster.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/code_source.h"
#include "mobula/isa/ir.h"
#include "mobula/lab/environment.h"
#include "mobula/lab/executed_block.h"
#include "mobula/lab/interpreter.h"

namespace mobula {

class Processor {
 public:
  static constexpr std::uint32_t state_limit = 4096;  ///< bytes of state, slots and temporaries, that blocks may use

  /// Stands at block `entry`, with all state zero. Blocks start at addresses below `code_bytes`. Both references must
  /// outlive the processor.
  Processor(CodeSource& source, Environment& environment, std::uint64_t code_bytes, std::uint64_t entry = 0);

  /// Called after each block that is executed; costs nothing where it is not set.
  using Observer = std::function<void(const ExecutedBlock&)>;
  void set_observer(Observer observer) { observer_ = std::move(observer); }

  /// Executes this many blocks, unless the thread stops, waits, or is paused.
  void run(std::uint64_t blocks);
  /// Ends run() after the block that is being executed.
  void pause() { end_ = blocks_; }
  /// running, blocked, ended or faulted.
  [[nodiscard]] LaneState state() const { return state_; }
  /// Lets it try again what made it wait.
  void unblock();
  /// Goes on at another block; only while it runs or waits.
  void go_to(std::uint64_t address);

  /// Byte address of the block executed next, or of the one that stopped it.
  [[nodiscard]] std::uint64_t address() const { return entries_[at_].address; }
  /// Why it is faulted.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// Blocks executed; one that made the thread wait does not count.
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  /// The same, but only of those that have bytes.
  [[nodiscard]] std::uint64_t words() const { return words_; }
  [[nodiscard]] std::uint32_t read_u32(std::uint32_t byte) const { return state_words_[byte / 4]; }
  void write_u32(std::uint32_t byte, std::uint32_t value) { state_words_[byte / 4] = value; }

  /// Calls use(address, executions) for each block with bytes that was executed.
  template <class Use>
  void for_each_executed(Use use) const {
    for (const Entry& entry : entries_)
      if (entry.executions != 0 && entry.words != 0) use(entry.address, entry.executions);
  }

 private:
  /// An operation, bound to the memory of its operands.
  struct Step {
    enum class Kind : std::uint8_t;
    Kind kind{};
    std::uint32_t target = 0;  ///< entry to go to
    std::uint32_t* dst = nullptr;
    const std::uint32_t *a = nullptr, *b = nullptr, *c = nullptr;
    const ir::Operation* operation = nullptr;
    const ir::Call* call = nullptr;
    const std::string* reason = nullptr;
  };
  /// A block, lifted or not.
  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t first = 0;  ///< step; 0 is the one that lifts
    std::uint32_t words = 0;  ///< 1 if the block has bytes
    std::uint64_t executions = 0;
  };
  /// What an entry was lifted to, for the observer.
  struct Origin {
    const ir::Program* piece = nullptr;
    const ir::Block* block = nullptr;
  };

  template <bool observed>
  void run_to_end();
  void tell(std::uint32_t entry);
  std::uint32_t entry_at(std::uint64_t address);
  void lift();
  void bind(const ir::Program& piece, const ir::Block& block);
  [[nodiscard]] Step bind(const ir::Program& piece, const ir::Operation& operation);
  [[nodiscard]] Step bind_call(const ir::Call& call, const Step& begun);
  [[nodiscard]] const std::uint32_t* place(const ir::Program& piece, ir::Operand operand) const;
  void execute_other(const Step& step);
  void fault(std::string reason);
  void stop(const Fault& fault);
  void forget_block();

  CodeSource& source_;
  Environment& environment_;
  std::vector<std::uint32_t> state_words_;
  std::vector<std::uint32_t> known_;  ///< entry by address, or `unknown`
  std::vector<Entry> entries_;
  std::vector<Origin> origins_;  ///< by entry
  std::vector<Step> steps_;
  std::deque<ir::Program> pieces_;
  std::uint32_t at_ = 0;
  LaneState state_ = LaneState::running;
  std::string reason_;
  std::uint64_t blocks_ = 0, words_ = 0, end_ = 0;
  Observer observer_;
  std::vector<ExecutedBlock::Access> accesses_;  ///< of the block that is executed, for the observer
};

}  // namespace mobula
