// Machine: the interface that every instruction set implements, and the registry that lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/ir.h"
#include "mobula/isa/picture.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"

namespace mobula::firmware {
struct Views;
}

namespace mobula {

/// How well a fact about a machine is established. Ordered from best to worst only between `document` and `unknown`.
enum class Status : std::uint8_t { seed, binaries, driver, document, inferred, unknown };
MOBULA_API std::string_view name(Status status);

/// A product or generation of a machine, e.g. midgard:t860.
struct Variant {
  std::string_view name;          ///< lower case, as typed after the colon
  std::string_view product;       ///< e.g. "Mali-T860"
  std::string_view summary;       ///< one line for listings
  std::string_view same_as = {};  ///< variant that this is an alias of; empty = not an alias
  bool by_content = false;        ///< not a product: the program itself determines it
};

/// A text form a machine prints and (if `parses`) reads.
struct Syntax {
  std::string_view name;
  bool prints = true;
  bool parses = true;
  std::string_view summary;
  bool has_policies = false;  ///< its text depends on the policies that are chosen
};

/// Chosen policy values by name; names not present take their default.
using Policies = std::map<std::string, std::string, std::less<>>;

struct DisassembleOptions {
  std::string_view syntax;  ///< empty = the machine's own
  bool bytes = false;       ///< each word preceded by a comment with its offset and bytes
  bool words = false;       ///< fill Listing::words
  Policies policies = {};   ///< for forms that have them
  bool directive = false;   ///< the machine's own text begins with ".machine NAME:VARIANT", which assemble() follows
};

/// Bytes of a program that are not words of its machine, and are printed as data.
struct Undecoded {
  std::uint64_t bytes = 0;
  std::uint64_t first = 0;  ///< offset of the first of them
  std::string reason;       ///< why a whole program is not code of its machine, where its bytes alone do not show it

  void add(std::uint64_t offset, std::uint64_t count) {
    if (bytes == 0) first = offset;
    bytes += count;
  }
  /// Those of a later piece.
  void add(const Undecoded& more) {
    if (reason.empty()) reason = more.reason;
    add(more.first, more.bytes);
  }
};

/// Text of a program. `words` is filled only when asked for.
struct Listing {
  struct Word {
    std::uint64_t byte_offset = 0;
    std::uint32_t byte_length = 0;
    std::uint32_t text_begin = 0, text_end = 0;  ///< range of the word's lines in `text`
  };
  std::string text;
  std::vector<Word> words;
  Undecoded undecoded;
};

/// Makes some thousand words of a listing; the texts of its words count from its own first letter.
using ListingPiece = std::function<Listing()>;
/// Gives the pieces of a listing in their order, and an empty function after the last one. Several threads may make
/// pieces at the same time, if they begin in the order in which the pieces were given: a piece may wait for those
/// before it.
using ListingPieces = std::function<ListingPiece()>;

/// Some blocks of a lifted program: those of `program` from number `first` to before `end`. What else is in it stands
/// for blocks of other pieces that these lead to.
struct LiftedPiece {
  ir::Program program;
  std::uint32_t first = 0, end = 0;
};
/// Gives them as ListingPieces gives those of a listing.
using LiftedPieces = std::function<std::function<LiftedPiece()>()>;

/// The lines of a word's text joined into one, without the braces around them: for tables and traces.
MOBULA_API std::string one_line(std::string_view text);

/// A text input: name for diagnostics, and the bytes.
struct SourceText {
  std::string_view file;
  std::string_view text;
};

struct AssembleOptions {
  std::string_view syntax;   ///< empty = the machine's own
  std::string_view variant;  ///< empty = what the text says, or else the machine's default
};

/// One field of one word as `explain` shows it.
struct ExplainedField {
  std::string format;  ///< name of the format the field belongs to, e.g. "alu.vector"
  std::string name;
  std::uint32_t low = 0, width = 0;  ///< bit position inside the word that was explained
  std::uint64_t value = 0;
  std::string meaning;  ///< what the field is, and what this value means
  Status status = Status::unknown;
  std::string source;
};
struct ExplainedWord {
  std::uint64_t byte_offset = 0;
  std::uint32_t byte_length = 0;
  std::string text;  ///< its disassembly
  std::vector<ExplainedField> fields;
  Diagnostics diagnostics;
};
using ExplainedWordSink = std::function<void(ExplainedWord word)>;

/// Entry of the reference manual made from a machine's tables.
struct ManualEntry {
  std::string mnemonic, title;  ///< title: opcode number, units, types in one line
  std::string body;             ///< semantics and encoding, plain text
  Status status = Status::unknown;
  std::string source;
  std::vector<std::string>
      names;  ///< other names to look it up by: its number, what documents call it; "rN" is any of r0, r1 ..
  bool in_words =
      true;  ///< listings show it; false for selectors, policies and fields' values, which only documents mention
};
struct ManualFormat {
  std::string name;
  std::uint32_t width = 0;
  std::vector<ExplainedField> fields;  ///< value unused
};
/// For syntax highlighting: patterns specific to one machine.
struct TextPattern {
  enum class Kind : std::uint8_t { comment, unit, number };
  Kind kind{};
  std::string_view oniguruma;  ///< the regular expression, as grammars of TextMate have it
  std::string_view vim;        ///< the same, as Vim has it, "very magic"
};
struct Manual {
  std::vector<ManualFormat> formats;
  std::vector<ManualEntry> entries;
  std::vector<TextPattern> patterns = {};
  std::string_view comment = "//";          ///< what a comment begins with where an editor makes one
  bool has_operations_after_units = false;  ///< as in vmul.fadd
};

/// A decision about unpublished behaviour, and its default.
struct Policy {
  std::string_view name;
  std::string_view default_value;
  std::span<const std::string_view> values;
  std::string_view summary;
};

/// The machines that find_machine() gives check their arguments: a Program::variant that the machine does not have is
/// error MOB002 of each function below, a Program::machine that is another one's MOB013.
class MOBULA_API Machine {
 public:
  virtual ~Machine() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;
  [[nodiscard]] virtual std::span<const Variant> variants() const = 0;  ///< the first is the default
  [[nodiscard]] virtual std::span<const Syntax> syntaxes() const = 0;   ///< the first is the default
  [[nodiscard]] virtual std::string_view extension() const = 0;         ///< of files with its own text, such as ".mdg"
  [[nodiscard]] virtual std::span<const Policy> policies() const = 0;
  /// Whole code is a multiple of this many bytes.
  [[nodiscard]] virtual std::uint32_t word_bytes() const = 0;
  /// Adds what follows from the machine alone, or from its names, to what is known about a program.
  virtual void complete(Interface&) const {}
  /// Slots of the lifted program that may be meant by `name`, such as acc0[-1], the likeliest first. The thread's next
  /// word is at `next`; it has executed the words at `executed`, the last one first.
  [[nodiscard]] virtual std::vector<std::string> slots_meant(std::string_view name, std::uint64_t next,
                                                             std::span<const std::uint64_t> executed) const {
    (void)next, (void)executed;
    return {std::string(name)};
  }

  /// Never fails on any bytes: what is not understood is printed as data. Fails on an unknown syntax name.
  [[nodiscard]] Result<Listing> disassemble(const Program& program, const DisassembleOptions& options) const;
  /// The same for programs of any size, piece by piece. The program must outlive the pieces.
  [[nodiscard]] virtual Result<ListingPieces> disassemble_in_pieces(const Program& program,
                                                                    const DisassembleOptions& options) const = 0;
  /// All errors of the text are reported, not only the first. MOB008: the text begins with a directive that names
  /// another machine or variant than the one that is asked for.
  [[nodiscard]] virtual Result<Program> assemble(const SourceText& source, const AssembleOptions& options) const = 0;
  /// Every rule of the machine. Empty = nothing to say.
  [[nodiscard]] virtual Diagnostics check(const Program& program) const = 0;
  /// Calls `each` with one word after the other, of which some take a thousand times their size. What does not concern
  /// a single word is in the diagnostics of an entry without bytes.
  virtual void explain_each(const Program& program, const ExplainedWordSink& each) const = 0;
  /// All of them.
  [[nodiscard]] std::vector<ExplainedWord> explain(const Program& program) const;
  /// What the machine makes of the program's words: units, stages and the values between them, for svg() of picture.h.
  [[nodiscard]] virtual std::vector<Picture> pictures(const Program& program) const = 0;
  [[nodiscard]] virtual Manual manual() const = 0;
  /// Micro-operations of the whole program. Fails if a word cannot be decoded or a policy is unknown.
  [[nodiscard]] virtual Result<ir::Program> lift(const Program& program, const Policies& policies) const = 0;
  /// The same for programs of any size, piece by piece: every block is in one of them. The program must outlive the
  /// pieces. Nothing where the machine's programs are lifted as a whole.
  [[nodiscard]] virtual std::optional<Result<LiftedPieces>> lift_in_pieces(const Program&, const Policies&) const {
    return std::nullopt;
  }
  /// Nullptr unless its programs are firmware of command processors.
  [[nodiscard]] virtual const firmware::Views* firmware_views() const { return nullptr; }
};

/// All machines, in the order of docs and listings.
MOBULA_API std::span<const Machine* const> machines();
/// nullptr if there is none of that name.
MOBULA_API const Machine* find_machine(std::string_view name);
/// Splits "midgard:t860" and looks both up; the error lists what exists.
struct MachineChoice {
  const Machine* machine = nullptr;
  std::string variant;
};
MOBULA_API Result<MachineChoice> parse_machine(std::string_view text);
/// What a text says it is for: the directive ".machine NAME" or ".machine NAME:VARIANT" before anything but comments.
/// Empty where there is none.
MOBULA_API std::string_view machine_directive(std::string_view text);

}  // namespace mobula
