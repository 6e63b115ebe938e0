// What is in a listing, piece by piece: for those who show or search it.
//
// Use: disassemble with DisassembleOptions::words, give the listing to tokens(), and the lifted program to
// word_effects().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/ir.h"
#include "mobula/isa/machine.h"

namespace mobula {

/// A piece of a listing. Between tokens there is only space.
struct Token {
  enum class Kind : std::uint8_t {
    comment,    ///< to the end of its line
    directive,  ///< a line that begins with a dot: for the assembler
    label,      ///< where it stands, or where it is jumped to
    mnemonic,   ///< a word of what the manual calls an operation
    register_,  ///< of the machine's state
    number,
    name,  ///< any other word: units, modifiers, components
    sign,
  };
  Kind kind = Kind::name;
  std::uint32_t begin = 0, end = 0;  ///< its bytes in the text
};
MOBULA_API std::string_view name(Token::Kind kind);

/// All tokens of a listing, in order. Registers are those of `lifted`.
MOBULA_API std::vector<Token> tokens(const Machine& machine, const Listing& listing, const ir::Program& lifted);

/// What a word does to a slot.
struct SlotEffect {
  std::string slot;
  bool writes = false;                 ///< false: reads what an earlier word, or the start, has left there
  std::uint32_t first = 0, bytes = 0;  ///< the bytes of the slot that it touches
  std::uint32_t slot_bytes = 0;
  bool implicit = false;  ///< the text of the word does not name the slot, or the register that it is a part of
  [[nodiscard]] bool partial() const { return bytes != slot_bytes; }
};
struct WordEffects {
  std::uint64_t byte_offset = 0;
  std::vector<SlotEffect> effects;  ///< reads, then writes, each in the order of the slots
};
/// Of all words that `lifted` has, by address; what ir::effects() says, in terms of slots. None for a program that does
/// not pass ir::verify(). `listing` is the program's, with its words; `tokens` are its tokens.
MOBULA_API std::vector<WordEffects> word_effects(const Machine& machine, const Listing& listing,
                                                 std::span<const Token> tokens, const ir::Program& lifted);

}  // namespace mobula
