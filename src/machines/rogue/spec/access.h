// What a group reads and writes: for the checker's paths and for whoever orders groups.
#pragma once

#include <bitset>
#include <vector>

#include "core/export.h"
#include "machines/rogue/spec/codec.h"

namespace mobula::rogue {

/// Registers that can hold a value nobody wrote, or that is not there yet: r0.., vi0.., i0..i7, idx0, idx1.
inline constexpr unsigned tracked_count = 256 + 256 + 8 + 2;
using RegisterSet = std::bitset<tracked_count>;
/// Position in a RegisterSet; -1 for registers of other banks and for indexed operands.
MOBULA_INTERNAL int tracked(const Register& reg);
MOBULA_INTERNAL Register tracked_register(unsigned position);
/// The vertex inputs: they hold something when a program starts.
RegisterSet preloaded();

struct Access {
  RegisterSet reads, writes;
  RegisterSet late_writes;  ///< written some time before the fence counter is waited for
  RegisterSet late_reads;   ///< read some time before
  int counter = -1;         ///< fence counter that is counted up, 0 or 1
  bool waits = false;       ///< of `counter`: waits until it is 0
  bool reads_p0 = false;
  unsigned p0_writers = 0;
};
MOBULA_INTERNAL Access access_of(const Group& group);

/// Slots that the group reads registers through, a bit each: those that operands name, and s2 where idle units of a
/// bitwise group pass it on.
MOBULA_INTERNAL unsigned slots_read(const Group& group);

/// Whether its backend's instruction goes on beside the groups after it: it loads, stores, iterates or samples.
MOBULA_INTERNAL bool goes_on_beside(const Group& group);

/// Words that an instance loads, stores, iterates or is given of a texture; 1 if a register says how many.
MOBULA_INTERNAL unsigned words_moved(const Item& item);

/// How a sample chooses its level.
enum : unsigned { lod_normal, lod_bias, lod_replace, lod_gradient };
inline bool says_lod(const Item& item) { return item.get(F::lodm) == lod_bias || item.get(F::lodm) == lod_replace; }
/// Words of a sample's data, from the register of s1 on; an upper bound where coordinates are packed.
unsigned sample_words(const Item& item);

/// Registers that a source, or a result, of the group goes through as it repeats: a pack stays at its result, an unpack
/// at its source.
MOBULA_INTERNAL unsigned source_turns(const Group& group);
MOBULA_INTERNAL unsigned result_turns(const Group& group);

/// True for an instruction that copies, and edits nothing on the way.
inline bool is_plain_copy(const Op& op, const Item& item) {
  return op.has(copies) && item.get(F::s0neg) == 0 && item.get(F::s0abs) == 0;
}

/// Slot that names the first register a DMA-class instruction writes; -1 if there is none.
MOBULA_INTERNAL int destination_slot(const Group& group);

}  // namespace mobula::rogue
