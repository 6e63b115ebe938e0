// Reading ALU lines and embedded constants of the machine's own text form.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "machines/midgard/spec/codec.h"
#include "machines/midgard/text/line.h"
#include "machines/midgard/text/tokens.h"

namespace mobula::midgard {

/// A "!key=value" of a line.
struct Note {
  const NoteField* field = nullptr;
  std::uint64_t value = 0;
};
/// Reads the notes at the end of a line; keys are those of `fields`.
std::vector<Note> parse_notes(LineCursor& line, std::span<const NoteField> fields);
template <class Word>
void apply_notes(const std::vector<Note>& notes, Word& word) {
  for (const Note& note : notes) set(word, note.field->field, note.value);
}
/// The value after the "=" of a note: a tag or an integer of `field`'s width.
std::uint64_t parse_note_value(LineCursor& line, const Field& field);
/// A tag by name, such as "alu/4".
unsigned parse_tag(LineCursor& line);

/// An operand given by value that is not an inline constant: it goes to the bundle's embedded constants.
struct Literal {
  bool source2 = false;
  unsigned width = 32;
  unsigned lanes = 1;                      ///< which lanes read it; 1 for a scalar unit
  std::array<std::uint64_t, 16> values{};  ///< by lane
  Span where;
};

struct AluLine {
  AluInstruction instruction;
  std::array<std::optional<Literal>, 2> literals;
  std::vector<Note> notes;
  Span where;
};
/// Reads the line of a unit, whose name is the next token.
AluLine parse_alu(LineCursor& line, Unit unit);

/// The 16 bytes after an ALU bundle while it is put together.
class ConstantPool {
 public:
  /// Reads a line such as "fconst 1, 0.5". The rest of the 16 bytes is zero.
  void read(LineCursor& line, const ConstantsKind& kind);
  /// Finds room for the literal and writes the source that reads it; false if there is none.
  bool place(const Literal& literal, AluInstruction& instruction);

  [[nodiscard]] bool used() const { return known_ != 0; }
  [[nodiscard]] std::array<std::uint32_t, 4> words() const;

 private:
  /// True if `count` bytes at `at` are this value, or could be when `claim`.
  [[nodiscard]] bool fits(unsigned at, unsigned count, std::uint64_t value, bool claim) const;
  void put(unsigned at, unsigned count, std::uint64_t value);
  bool place_lanes(const Literal& literal, unsigned expand, unsigned& swizzle);
  bool place_wide(const Literal& literal, unsigned& swizzle);

  std::array<std::uint8_t, 16> bytes_{};
  std::uint32_t known_ = 0;  // bit per byte
};

/// Words a misspelled line may have meant.
void offer_alu_names(Nearest& nearest);
/// Units that carry an operation of this name, as a hint for a line that names none; empty if it is not an ALU
/// operation.
std::string units_hint(std::string_view mnemonic);

}  // namespace mobula::midgard
