// An image: its words, the programs in them, and what static analysis knows of each word. Everything that looks at
// whole firmware (text, check, explain, info, cfg, diff) starts here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "machines/afuc/spec/codec.h"
#include "machines/afuc/spec/names.h"
#include "mobula/isa/firmware.h"
#include "mobula/isa/program.h"

namespace mobula::afuc {

/// What is known of a word, as bits.
enum WordFlags : std::uint16_t {
  word_reached = 1,     ///< control reaches it from the start, a packet or an address that code names
  word_continues = 2,   ///< and continues to the next word
  word_branch = 4,      ///< a branch leads here, or code names it: it has the label lN
  word_called = 8,      ///< it is called: it has the label fxnN
  word_handler = 16,    ///< it handles packets
  word_data = 32,       ///< not an instruction; printed as bits
  word_table = 64,      ///< code names it as data: it has the label dataN
  word_symbolic = 128,  ///< its number is an address; see Image::symbolic
  word_assumed = 256,   ///< nothing known reaches it, but it looks like code and is treated so; also word_reached
  word_entered = 512,   ///< code puts its address where interrupts and packets find it
};

/// An immediate or a header word that holds an address; its text says which, so that it follows when words move.
struct Symbolic {
  std::uint32_t word = 0;
  std::string text;  ///< "#l120", "#jumptbl*4", "#.LPAC"
};

/// One program. Addresses inside it ("program addresses") count from its first word, as branches and tables do; all
/// other word numbers count from word 0 of the image.
struct Core {
  std::string_view name;  ///< PFP, ME, SQE, BR, BV, LPAC ...
  std::uint32_t start = 0, words = 0;
  std::optional<std::uint32_t> table;  ///< image word of its packet table

  [[nodiscard]] std::uint32_t end() const { return start + words; }
  /// Where its code and data end.
  [[nodiscard]] std::uint32_t code_end() const { return table ? *table : end(); }
  [[nodiscard]] bool in_table(std::uint32_t index) const {
    return table && index >= *table && index < *table + packet_table_words;
  }
};

class Image {
 public:
  MOBULA_INTERNAL explicit Image(const Program& program);

  [[nodiscard]] const Chip& chip() const { return *chip_; }
  [[nodiscard]] Map map() const { return chip_->map; }
  /// Of a control register; PFP and ME of an a5xx do not have the same ones everywhere.
  [[nodiscard]] RegisterName control_name(std::uint32_t number) const;
  [[nodiscard]] const Decoder& decoder() const { return *decoder_; }
  /// Word 0 named the chip, by an id of its own or the nearest one. False if the variant did, or there is no word 0.
  [[nodiscard]] bool by_id() const { return by_id_; }
  [[nodiscard]] const Identity& identity() const { return identity_; }

  /// The file begins with the zero word that kernels drop.
  [[nodiscard]] bool has_leading_zero() const { return layout_.leading_zero; }
  [[nodiscard]] std::uint32_t size() const { return layout_.words; }
  [[nodiscard]] std::uint32_t word(std::uint32_t index) const { return firmware::load_word(words_, index); }
  [[nodiscard]] std::vector<std::uint32_t> all_words() const;
  [[nodiscard]] std::uint64_t byte_offset(std::uint32_t index) const {
    return layout_.byte_offset + std::uint64_t{index} * word_bytes;
  }
  /// Bytes after the last whole word.
  [[nodiscard]] std::span<const std::uint8_t> rest() const { return rest_; }

  [[nodiscard]] std::span<const Core> cores() const { return cores_; }
  [[nodiscard]] const Core& core_of(std::uint32_t index) const;

  /// The instruction the word is, or nullptr: unknown, with reserved bits, or with a target no label can be at.
  [[nodiscard]] const Opcode* instruction(std::uint32_t index) const { return instructions_[index]; }
  /// The same, but also nullptr for words that analysis takes for data.
  [[nodiscard]] const Opcode* code(std::uint32_t index) const {
    return (flags_[index] & word_data) != 0 ? nullptr : instruction(index);
  }
  [[nodiscard]] std::uint16_t flags(std::uint32_t index) const { return flags_[index]; }
  /// How many words of the core are what; those of its packet table are none of these.
  struct Words {
    std::uint32_t instructions = 0;  ///< that control is known to reach
    std::uint32_t assumed = 0;       ///< instructions by their looks, where nothing known leads
    std::uint32_t data = 0;          ///< all others, such as id and version
  };
  [[nodiscard]] MOBULA_INTERNAL Words count_words(const Core& core) const;
  /// nullptr if the word holds no address.
  [[nodiscard]] const Symbolic* symbolic(std::uint32_t index) const;
  [[nodiscard]] std::span<const Symbolic> symbolics() const { return symbolics_; }

  /// A label may precede this word of the core: all but the inside of the packet table.
  [[nodiscard]] static bool can_label(const Core& core, std::uint64_t index) {
    return index >= core.start && index < core.end() &&
           !(core.table && index > *core.table && index < *core.table + packet_table_words);
  }
  /// Every entry of the core's packet table is the address of a word that can have a label.
  [[nodiscard]] bool table_has_labels(const Core& core) const;

  /// Instructions that go to each word: those that call it and those that branch to it, ascending.
  [[nodiscard]] std::span<const std::uint32_t> callers(std::uint32_t index) const { return calls_.to(index); }
  [[nodiscard]] std::span<const std::uint32_t> jumps(std::uint32_t index) const { return jumps_.to(index); }
  /// Where the register jump at the word leads, as far as code shows: addresses put into its register, and the entries
  /// of the table it jumps into. Ascending.
  [[nodiscard]] std::vector<std::uint32_t> indirect_targets(std::uint32_t index) const;
  /// Packets that the word handles, ascending.
  [[nodiscard]] std::vector<std::uint8_t> packets(const Core& core, std::uint32_t index) const;

  /// "CP_NOP+3": the handler or function that precedes the word, and by how much.
  [[nodiscard]] MOBULA_INTERNAL std::string place(const Core& core, std::uint32_t index) const;

  /// Where a branch, call or jump to a constant address leads; nothing for other instructions and outside the core.
  [[nodiscard]] MOBULA_INTERNAL static std::optional<std::uint32_t> target(const Core& core, std::uint32_t index,
                                                                           std::uint32_t word, const Opcode& opcode);

 private:
  /// Sources by target, in one array.
  class References {
   public:
    struct Pair {
      std::uint32_t to, from;
      friend bool operator==(const Pair&, const Pair&) = default;
    };
    void assign(const std::vector<Pair>& pairs, std::uint32_t words);
    [[nodiscard]] std::span<const std::uint32_t> to(std::uint32_t index) const {
      return std::span(from_).subspan(starts_[index], starts_[index + 1] - starts_[index]);
    }

   private:
    std::vector<std::uint32_t> starts_, from_;
  };

  void name_cores();
  [[nodiscard]] const Opcode* decode(const Core& core, std::uint32_t index) const;
  void find_owners();
  void analyse(const Core& core);
  /// Follows control from the roots, and from the addresses of code found meanwhile. `how` is 0 or word_assumed.
  void reach_all(const Core& core, std::vector<std::uint32_t> roots, std::uint16_t how);
  void reach(const Core& core, const std::vector<std::uint32_t>& roots, std::uint16_t how);
  void assume_code(const Core& core);
  /// Immediates that are addresses of code; returns the addresses that were not known before.
  std::vector<std::uint32_t> find_code_addresses(const Core& core);
  void find_boot_addresses(const Core& core);
  void find_data(const Core& core);
  void label(const Core& core);
  void collect_references(bool code_only);
  /// Calls use(index, word, opcode) for the instructions that last wrote `reg` before `index` on the ways there, and
  /// for comparisons of it with a number in between.
  template <class Use>
  void definitions(const Core& core, std::uint32_t index, unsigned reg, Use use);
  void add_symbolic(std::uint32_t index, std::string text);
  /// The entries of a table of jumps that a register jump at `from` goes into.
  void add_jump_table(const Core& core, std::uint32_t from, std::uint32_t first, std::uint32_t end,
                      std::vector<std::uint32_t>& roots);
  /// The immediate of the instruction is a program address of code: names it and notes the root.
  void add_code_address(const Core& core, std::uint32_t index, std::vector<std::uint32_t>& roots);
  void find_data_tables(const Core& core);
  void find_header_addresses(const Core& core);
  /// Word address in the program of a packet table that text can label; 0 without one.
  [[nodiscard]] std::uint32_t table_address(const Core& core) const;

  const Chip* chip_ = &default_chip;
  const Decoder* decoder_ = nullptr;
  bool by_id_ = false;
  Identity identity_;
  firmware::Layout layout_;
  std::span<const std::uint8_t> words_, rest_;
  std::vector<Core> cores_;
  std::vector<std::uint16_t> flags_;  // WordFlags of each word
  std::vector<Symbolic> symbolics_;   // ascending by word
  std::vector<const Opcode*> instructions_;
  std::vector<std::uint32_t> owners_;  // the handler or function that precedes each word
  References calls_, jumps_;
  std::vector<References::Pair> indirect_;   // of register jumps, ascending by `from`, then `to`
  std::uint32_t origin_budget_ = 2'000'000;  // instructions that may still be visited on the way to origins of values
};

/// Name of the first program of the words of an image.
MOBULA_INTERNAL std::string_view first_core_name(Map map, std::span<const std::uint32_t> words);

/// Register that the instruction writes beside memory and other state, if any; `$00` does not count.
std::optional<unsigned> written_register(std::uint32_t word, const Opcode& opcode);

}  // namespace mobula::afuc
