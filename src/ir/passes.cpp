#include "ir/passes.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/operands.h"

namespace mobula::ir {
namespace {

/// Names an operation by its index in the program + 1; 0 stands for none. Stamps grow through the program, so a table
/// of stamps by byte of the state needs no clearing between blocks: what a block did not write itself is at most its
/// `first`.
using Stamp = std::uint32_t;

bool is_temporary(const Program& program, Operand operand) {
  return operand.is_state() && operand.byte() >= program.temporary_byte;
}

void remove(Program& program, const std::vector<bool>& is_dropped) {
  std::uint32_t kept = 0;
  for (Block& block : program.blocks) {
    const std::uint32_t begin = block.first, end = block.first + block.count;
    block.first = kept;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (!is_dropped[i]) program.operations[kept++] = program.operations[i];
    }
    block.count = kept - block.first;
  }
  program.operations.resize(kept);
}

/// By operation: the `enable` that masks it, as a stamp; 0 = it is done in all lanes.
std::vector<Stamp> masks(const Program& program) {
  std::vector<Stamp> all(program.operations.size());
  for (const Block& block : program.blocks) {
    Stamp mask = 0;
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      const Operation& operation = program.operations[i];
      if (operation.op == Op::enable) mask = operation.src[0].is_none() ? 0 : i + 1;
      if (!is_control(operation.op)) all[i] = mask;
    }
  }
  return all;
}

/// The operation that last touched each byte of the state.
class Touches {
 public:
  explicit Touches(const Program& program) : last_(program.state_bytes) {}

  void record(Operand operand, std::uint32_t bytes, Stamp stamp) { std::fill_n(begin(operand), bytes, stamp); }
  [[nodiscard]] Stamp at(std::uint32_t byte) const { return last_[byte]; }
  template <class Test>
  [[nodiscard]] bool all(Operand operand, std::uint32_t bytes, Test test) const {
    const auto first = last_.begin() + operand.byte();
    return std::all_of(first, first + bytes, test);
  }

 private:
  std::vector<Stamp>::iterator begin(Operand operand) { return last_.begin() + operand.byte(); }
  std::vector<Stamp> last_;
};

/// Operations read the source of a copy instead of the temporary that holds it, unless the copy was made in fewer
/// lanes.
class CopyForwarding {
 public:
  explicit CopyForwarding(Program& program) : program_(program), masks_(masks(program)), writes_(program) {}

  void run() {
    for (const Block& block : program_.blocks) {
      for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
        Operation& operation = program_.operations[i];
        for (Operand& source : operation.src) {
          if (is_temporary(program_, source)) source = origin(i, source, bytes_of(source_type(operation)), block);
        }
        for_each_access(program_, operation, [&](const Access& access) {
          if (access.is_write) writes_.record(access.operand, access.bytes(), i + 1);
        });
      }
    }
  }

 private:
  /// Where these bytes were copied from, if they are still there; otherwise the operand itself.
  [[nodiscard]] Operand origin(std::uint32_t reader, Operand operand, std::uint32_t bytes, const Block& block) const {
    const Stamp writer = writes_.at(operand.byte());
    if (writer <= block.first) return operand;
    const Operation& copy = program_.operations[writer - 1];
    if (copy.op != Op::mov) return operand;
    if (masks_[writer - 1] != 0 && masks_[writer - 1] != masks_[reader]) return operand;
    const bool is_whole = writes_.all(operand, bytes, [writer](Stamp stamp) { return stamp == writer; });
    if (!is_whole) return operand;
    // As aligned as the operand was, since both sides of the copy are aligned for its wider or equal type.
    const Operand source = copy.src[0].plus(operand.byte() - copy.dst.byte());
    const bool is_unchanged =
        source.is_constant() || writes_.all(source, bytes, [writer](Stamp stamp) { return stamp < writer; });
    return is_unchanged ? source : operand;
  }

  Program& program_;
  const std::vector<Stamp> masks_;
  Touches writes_;
};

/// Operations whose results nobody reads, and moves of a place onto itself, go.
class DeadCode {
 public:
  explicit DeadCode(Program& program)
      : program_(program),
        masks_(masks(program)),
        is_needed_(program.state_bytes),
        is_dropped_(program.operations.size()) {}

  void run() {
    for (std::size_t block = program_.blocks.size(); block-- > 0;) {
      run(program_.blocks[block]);
      std::fill(is_needed_.begin() + program_.temporary_byte, is_needed_.end(), false);
    }
    remove(program_, is_dropped_);
  }

 private:
  void run(const Block& block) {
    for (std::size_t i = block.first + block.count; i-- > block.first;) {
      const Operation& operation = program_.operations[i];
      is_dropped_[i] = is_dead(operation);
      if (is_dropped_[i]) continue;
      if (masks_[i] == 0) record(operation, true);  // the lanes that are masked need what was there
      record(operation, false);
    }
  }
  [[nodiscard]] bool is_dead(const Operation& operation) const {
    if (operation.dst.is_none()) return false;
    if (operation.op == Op::mov && operation.dst == operation.src[0]) return true;
    if (!is_temporary(program_, operation.dst)) return false;
    const auto first = is_needed_.begin() + operation.dst.byte();
    return std::find(first, first + bytes_of(operation.type), true) == first + bytes_of(operation.type);
  }

  /// Bytes written are not needed further up, bytes read are.
  void record(const Operation& operation, bool writes) {
    for_each_access(program_, operation, [&](const Access& access) {
      if (access.is_write != writes || !access.operand.is_state()) return;
      std::fill_n(is_needed_.begin() + access.operand.byte(), access.bytes(), !writes);
    });
  }

  Program& program_;
  const std::vector<Stamp> masks_;
  std::vector<bool> is_needed_;  // bytes that a later operation reads
  std::vector<bool> is_dropped_;
};

/// Operations write the slot that a later move would fill from their temporary.
class MoveMerging {
 public:
  explicit MoveMerging(Program& program)
      : program_(program),
        masks_(masks(program)),
        reads_(program),
        writes_(program),
        bytes_read_(program.operations.size()) {}

  void run() {
    for (const Block& block : program_.blocks) {
      for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
        if (const Stamp writer = mergeable_writer(i, block); writer != 0) {
          candidates_.emplace_back(writer, i + 1);
        }
        for_each_access(program_, program_.operations[i], [&](const Access& access) { record(access, i + 1); });
      }
    }
    merge();
  }

 private:
  /// The operation whose result this move could spare, if no other reads it; 0 = none.
  [[nodiscard]] Stamp mergeable_writer(std::uint32_t at, const Block& block) const {
    const Operation& move = program_.operations[at];
    if (move.op != Op::mov || is_temporary(program_, move.dst) || !is_temporary(program_, move.src[0])) return 0;
    const std::uint32_t bytes = bytes_of(move.type);
    const Stamp writer = writes_.at(move.src[0].byte());
    if (writer <= block.first || masks_[writer - 1] != masks_[at]) return 0;
    const Operation& made = program_.operations[writer - 1];
    const bool is_whole = made.dst == move.src[0] && bytes_of(made.type) == bytes &&
                          writes_.all(made.dst, bytes, [writer](Stamp stamp) { return stamp == writer; });
    const auto not_since = [writer](Stamp stamp) { return stamp <= writer; };
    return is_whole && writes_.all(move.dst, bytes, not_since) && reads_.all(move.dst, bytes, not_since) ? writer : 0;
  }

  void record(const Access& access, Stamp stamp) {
    if (!access.operand.is_state()) return;
    if (!access.is_write) {
      for (std::uint32_t i = 0; i < access.bytes(); ++i) {
        const Stamp writer = writes_.at(access.operand.byte() + i);
        if (writer != 0) ++bytes_read_[writer - 1];
      }
    }
    (access.is_write ? writes_ : reads_).record(access.operand, access.bytes(), stamp);
  }

  void merge() {
    std::vector<bool> is_dropped(program_.operations.size());
    for (const auto& [writer, move] : candidates_) {
      Operation& made = program_.operations[writer - 1];
      const bool is_read_by_the_move_alone = bytes_read_[writer - 1] == bytes_of(made.type);
      if (!is_read_by_the_move_alone) continue;
      made.dst = program_.operations[move - 1].dst;
      is_dropped[move - 1] = true;
    }
    remove(program_, is_dropped);
  }

  Program& program_;
  const std::vector<Stamp> masks_;
  Touches reads_, writes_;
  std::vector<std::uint32_t> bytes_read_;            // of each operation's result, how often a byte is read
  std::vector<std::pair<Stamp, Stamp>> candidates_;  // writer and move
};

}  // namespace

void coalesce(Program& program) {
  CopyForwarding(program).run();
  DeadCode(program).run();
  MoveMerging(program).run();
}

}  // namespace mobula::ir
