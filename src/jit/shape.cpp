#include "jit/shape.h"

#include <algorithm>

#include "ir/operands.h"

namespace mobula::jit {
namespace {

using ir::Op;
using ir::Operation;

/// Sets of words or segments.
using Set = std::vector<bool>;

bool unite(Set& into, const Set& from) {
  bool grew = false;
  for (std::size_t i = 0; i < into.size(); ++i) {
    grew |= from[i] && !into[i];
    into[i] = into[i] || from[i];
  }
  return grew;
}

class ShapeFinder {
 public:
  explicit ShapeFinder(const native::Request& request)
      : program_(*request.program),
        calls_(request.calls),
        places_(request.places),
        words_((program_.state_bytes + 3) / 4) {}

  Shape run() {
    shape_.idle.assign(program_.operations.size(), false);
    for (const ir::Block& block : program_.blocks) find_idle(block);
    find_pieces();
    cut();
    find_alike();
    find_live();
    return std::move(shape_);
  }

 private:
  /// Marks branches on words that a binding makes zero in the same block.
  void find_idle(const ir::Block& block) {
    Set zero(words_);
    bool narrowed = false;
    const auto is_zero = [&](ir::Operand operand) {
      return !operand.is_none() && operand.is_state() && operand.byte() % 4 == 0 && zero[operand.byte() / 4];
    };
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      const Operation& operation = program_.operations[i];
      if (ir::is_conditional(operation.op)) shape_.idle[i] = is_zero(operation.src[0]);
      const bool stays_zero = operation.op == Op::iand && operation.type == ir::Type::i32 &&
                              (is_zero(operation.src[0]) || is_zero(operation.src[1]));
      ir::for_each_access(program_, operation, [&](const ir::Access& access) {
        if (!access.is_write) return;
        for (std::uint32_t word = access.operand.byte() / 4; word <= (access.operand.byte() + access.bytes() - 1) / 4;
             ++word)
          zero[word] = false;
      });
      if (operation.op == Op::enable) narrowed = !operation.src[0].is_none();
      if (narrowed) continue;
      if (stays_zero && operation.dst.byte() % 4 == 0) zero[operation.dst.byte() / 4] = true;
      if (operation.op != Op::call) continue;
      const native::Binding::How how = calls_[operation.extra].how;
      const ir::Operand result = program_.calls[operation.extra].args[3];
      if ((how == native::Binding::How::colour || how == native::Binding::How::ready) && result.byte() % 4 == 0)
        zero[result.byte() / 4] = true;
    }
  }

  /// Where a block may send lanes.
  std::vector<std::uint32_t> exits(std::uint32_t index) const {
    const ir::Block& block = program_.blocks[index];
    std::vector<std::uint32_t> targets;
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      const Operation& operation = program_.operations[i];
      if (shape_.idle[i]) continue;
      if (operation.op == Op::branch) targets.push_back(operation.extra);
      if (ir::always_leaves(operation)) return targets;
    }
    if (block.next) targets.push_back(*block.next);
    return targets;
  }
  bool has_controls(std::uint32_t index) const {
    const ir::Block& block = program_.blocks[index];
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i)
      if (ir::is_control(program_.operations[i].op) && !shape_.idle[i]) return true;
    return false;
  }

  void cut() {
    const std::size_t count = program_.blocks.size();
    Set reached(count), leads(count);
    std::vector<std::uint32_t> open{program_.entry};
    reached[program_.entry] = leads[program_.entry] = true;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      const bool ends = has_controls(at);
      for (const std::uint32_t to : exits(at)) {
        if (ends || to != at + 1) leads[to] = true;
        if (reached[to]) continue;
        reached[to] = true;
        open.push_back(to);
      }
    }
    shape_.segment_of.assign(count, ~0u);
    for (std::uint32_t block = 0; block < count; ++block) {
      if (!reached[block]) continue;
      if (leads[block]) {
        shape_.segment_of[block] = static_cast<std::uint32_t>(shape_.segments.size());
        shape_.segments.push_back({.first = block, .last = block});
      } else {
        shape_.segments.back().last = block;
      }
    }
    for (std::uint32_t at = 0; at < shape_.segments.size(); ++at) {
      Segment& segment = shape_.segments[at];
      for (const std::uint32_t to : exits(segment.last)) segment.next.push_back(shape_.segment_of[to]);
      std::sort(segment.next.begin(), segment.next.end());
      segment.next.erase(std::unique(segment.next.begin(), segment.next.end()), segment.next.end());
      shape_.has_loops |= !segment.next.empty() && segment.next.front() <= at;
    }
  }

  // ---- what is the same in all lanes

  /// Takes everything for the same in all lanes until the opposite is found.
  void find_alike() {
    shape_.alike.assign(program_.operations.size(), true);
    alike_words_.assign(shape_.segments.size(), Set(words_, true));
    for (const native::PlaceWord& place : places_) alike_words_[shape_.segment_of[program_.entry]][place.word] = false;
    for (bool changed = true; changed;) {
      find_pending();
      changed = false;
      for (std::uint32_t at = 0; at < shape_.segments.size(); ++at) {
        Set words = alike_words_[at];
        changed |= follow(at, words);
        for (const std::uint32_t to : shape_.segments[at].next) changed |= remove_others(alike_words_[to], words);
      }
    }
    for (std::uint32_t at = 0; at < shape_.segments.size(); ++at)
      shape_.segments[at].jumps = is_alone(at) && goes_one_way(at);
  }

  static bool remove_others(Set& from, const Set& kept) {
    bool shrank = false;
    for (std::size_t i = 0; i < from.size(); ++i) {
      shrank |= from[i] && !kept[i];
      from[i] = from[i] && kept[i];
    }
    return shrank;
  }

  /// Whether no lanes wait elsewhere while the segment runs.
  bool is_alone(std::uint32_t segment) const {
    return std::find(pending_[segment].begin(), pending_[segment].end(), true) == pending_[segment].end();
  }

  /// Goes through a segment with the words that are the same in all lanes at its beginning; true if an operation turns
  /// out not to be.
  bool follow(std::uint32_t at, Set& words) {
    const bool alone = is_alone(at);
    bool changed = false;
    for (std::uint32_t block = shape_.segments[at].first; block <= shape_.segments[at].last; ++block) {
      bool narrowed = false;
      const std::uint32_t first = program_.blocks[block].first;
      for (std::uint32_t i = first; i < first + program_.blocks[block].count; ++i) {
        const Operation& operation = program_.operations[i];
        if (operation.op == Op::enable) narrowed = !operation.src[0].is_none();
        const bool alike = alone && !narrowed && is_alike(operation, words);
        for_each_word(operation, true,
                      [&](std::uint32_t word, bool is_whole) { words[word] = alike && (is_whole || words[word]); });
        changed |= shape_.alike[i] && !alike;
        shape_.alike[i] = alike;
      }
    }
    return changed;
  }

  bool is_alike(const Operation& operation, const Set& words) const {
    switch (operation.op) {
      case Op::ddx:
      case Op::ddy:
      case Op::quad_first:
      case Op::task_lane:
      case Op::task_first:
        return false;
      case Op::call:
        switch (calls_[operation.extra].how) {
          case native::Binding::How::constant:
          case native::Binding::How::uniform:
          case native::Binding::How::colour:
          case native::Binding::How::ready:
            return true;
          case native::Binding::How::uniform_at:
            break;
          default:
            return false;
        }
        break;
      default:
        break;
    }
    bool alike = true;
    for_each_word(operation, false, [&](std::uint32_t word, bool) { alike = alike && words[word]; });
    return alike;
  }

  /// Numbers of 64 bits are two pieces. What lies across pieces is none.
  void find_pieces() {
    shape_.pieces.assign(words_, 0);
    for (const Operation& operation : program_.operations)
      ir::for_each_access(program_, operation, [&](const ir::Access& access) {
        if (!access.is_write || !access.operand.is_state()) return;
        const std::uint32_t begin = access.operand.byte(), size = std::min(ir::bytes_of(access.type), 4u);
        const std::uint32_t piece = begin % size == 0 ? size : 1;
        for (std::uint32_t word = begin / 4; word * 4 < begin + access.bytes(); ++word) {
          std::uint8_t& known = shape_.pieces[word];
          known = static_cast<std::uint8_t>(known == 0 || known == piece ? piece : 1);
        }
      });
  }

  /// Calls use(word, is_whole) for the words that an operation writes, or reads.
  template <class Use>
  void for_each_word(const Operation& operation, bool writes, Use use) const {
    ir::for_each_access(program_, operation, [&](const ir::Access& access) {
      if (access.is_write != writes || !access.operand.is_state()) return;
      const std::uint32_t begin = access.operand.byte(), end = begin + access.bytes();
      for (std::uint32_t word = begin / 4; word * 4 < end; ++word) use(word, begin <= word * 4 && word * 4 + 4 <= end);
    });
  }

  /// Whether the lanes of a segment leave it the same way.
  bool goes_one_way(std::uint32_t segment) const {
    const ir::Block& block = program_.blocks[shape_.segments[segment].last];
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      const Operation& operation = program_.operations[i];
      if (!ir::is_control(operation.op) || shape_.idle[i]) continue;
      if (!ir::is_conditional(operation.op) || !shape_.alike[i]) return false;
    }
    return true;
  }

  // ---- who waits where

  /// The lowest segment with lanes runs; the others wait. pending_[s]: where lanes may wait while s runs.
  void find_pending() {
    const std::size_t count = shape_.segments.size();
    pending_.assign(count, Set(count));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t at = 0; at < count; ++at) {
        const std::vector<std::uint32_t>& next = shape_.segments[at].next;
        if (goes_one_way(at)) {
          for (const std::uint32_t to : next) changed |= send(at, {&to, 1});
        } else {
          changed |= send(at, next);
        }
      }
    }
  }
  /// Lanes go from a segment to all of these.
  bool send(std::uint32_t at, std::span<const std::uint32_t> next) {
    bool changed = false;
    Set after = pending_[at];
    for (const std::uint32_t to : next) after[to] = true;
    for (std::uint32_t runs = 0; runs < after.size(); ++runs) {
      if (!after[runs]) continue;
      Set waits = after;
      std::fill_n(waits.begin(), runs + 1, false);
      changed |= unite(pending_[runs], waits);
    }
    return changed;
  }

  void find_live() {
    const std::size_t count = shape_.segments.size();
    std::vector<Set> live(count, Set(words_)), overwritten(count, Set(words_));
    for (std::size_t i = 0; i < count; ++i) read_segment(shape_.segments[i], live[i], overwritten[i]);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = count; i-- > 0;) {
        for (const std::uint32_t to : shape_.segments[i].next) {
          Set through = live[to];
          for (std::size_t word = 0; word < words_; ++word)
            if (overwritten[i][word]) through[word] = false;
          changed |= unite(live[i], through);
        }
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      Segment& segment = shape_.segments[i];
      segment.blended.assign(words_, false);
      for (std::size_t other = 0; other < count; ++other) {
        if (!pending_[i][other]) continue;
        segment.partial = true;
        unite(segment.blended, live[other]);
      }
    }
    shape_.read_first = live[shape_.segment_of[program_.entry]];
  }

  /// Words that a segment reads before it has written all of them, and those it writes whole.
  void read_segment(const Segment& segment, Set& reads, Set& writes) const {
    bool narrowed = false;
    for (std::uint32_t at = segment.first; at <= segment.last; ++at) {
      const ir::Block& block = program_.blocks[at];
      narrowed = false;
      for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
        const Operation& operation = program_.operations[i];
        if (operation.op == Op::enable) narrowed = !operation.src[0].is_none();
        const bool writes_less = narrowed || (operation.op == Op::call && program_.calls[operation.extra].count > 4);
        ir::for_each_access(program_, operation, [&](const ir::Access& access) {
          if (access.operand.is_constant()) return;
          const std::uint32_t begin = access.operand.byte(), end = begin + access.bytes();
          for (std::uint32_t word = begin / 4; word * 4 < end; ++word) {
            const bool whole = begin <= word * 4 && word * 4 + 4 <= end;
            if (access.is_write && whole && !writes_less) {
              writes[word] = true;
            } else if (!writes[word]) {
              reads[word] = true;
            }
          }
        });
      }
    }
  }

  const ir::Program& program_;
  std::span<const native::Binding> calls_;
  std::span<const native::PlaceWord> places_;
  std::size_t words_;
  Shape shape_;
  std::vector<Set> pending_;
  std::vector<Set> alike_words_;  ///< by segment: words that are the same in all lanes at its beginning
};

}  // namespace

Shape shape_of(const native::Request& request) { return ShapeFinder(request).run(); }

}  // namespace mobula::jit
