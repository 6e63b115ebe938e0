#include <algorithm>
#include <memory>
#include <utility>

#include "core/listing_pieces.h"
#include "machines/afuc/image/image.h"
#include "machines/afuc/text/annotate.h"
#include "machines/afuc/text/print.h"
#include "machines/afuc/text/tokens.h"

namespace mobula::afuc {
namespace {

/// Longest line of one instruction without its comments.
constexpr std::size_t line_room = 256;
/// Words that a comment of references names.
constexpr std::size_t most_references = 6;

char* put_lower_hex(char* out, std::uint32_t value, unsigned digits) {
  for (unsigned i = digits; i-- > 0; value >>= 4) out[i] = "0123456789abcdef"[value & 15];
  return out + digits;
}
/// "0x1f".
char* put_number(char* out, std::uint32_t value) {
  unsigned digits = 1;
  while (digits < 8 && value >> (4 * digits) != 0) ++digits;
  return put_lower_hex(put(out, "0x"), value, digits);
}

/// Something that listings consist of, in their order. Words of a core are some thousand at most.
struct Part {
  enum class Kind : std::uint8_t { head, section, words, implied, alignment, table, rest };
  Kind kind{};
  const Core* core = nullptr;
  std::uint32_t begin = 0, end = 0;  ///< of words and of those that what follows implies
};

/// Words in front of the table or the next program that an alignment represents begin here.
std::uint32_t padding(const Image& image, const Core& core, std::uint32_t end, std::uint32_t fill) {
  constexpr std::uint16_t kept = word_reached | word_branch | word_called | word_handler | word_table | word_symbolic;
  std::uint32_t begin = end;
  while (begin > core.start + 1 && end - begin + 1 < section_alignment_words && image.word(begin - 1) == fill &&
         (image.flags(begin - 1) & kept) == 0)
    --begin;
  return begin;
}

void add_core(const Image& image, const Core& core, std::vector<Part>& parts) {
  const auto add = [&](Part::Kind kind, std::uint32_t begin = 0, std::uint32_t end = 0) {
    parts.push_back({kind, &core, begin, end});
  };
  const auto add_words = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t next = 0; begin < end; begin = next) {
      next = std::min(end, begin + piece_bytes / word_bytes);
      add(Part::Kind::words, begin, next);
    }
  };
  if (core.start != 0) add(Part::Kind::section);
  const bool labels = image.table_has_labels(core);
  const bool more = core.end() < image.size();
  const std::uint32_t table = core.table.value_or(core.end());
  const bool aligned = labels && table % section_alignment_words == 0 && (generation_of(image.map()) & g78) != 0;
  const std::uint32_t code_end = aligned ? padding(image, core, table, image.decoder().nop()) : core.code_end();
  const std::uint32_t tail = labels ? table + packet_table_words : table;
  const std::uint32_t end = more ? std::max(padding(image, core, core.end(), 0), std::max(tail, code_end)) : core.end();
  add_words(core.start, code_end);
  if (labels) {
    add(Part::Kind::implied, code_end, table);
    if (aligned) add(Part::Kind::alignment);
    add(Part::Kind::table);
  }
  add_words(tail, end);
  add(Part::Kind::implied, end, core.end());
}

std::vector<Part> parts_of(const Image& image) {
  std::vector<Part> parts{{.kind = Part::Kind::head}};
  for (const Core& core : image.cores()) add_core(image, core, parts);
  parts.push_back({.kind = Part::Kind::rest});
  return parts;
}

class Printer {
 public:
  Printer(const Image& image, Dialect dialect, bool bytes, TextBuffer& out, std::vector<Listing::Word>* words)
      : image_(image), dialect_(dialect), bytes_(bytes), out_(out), words_(words) {}

  void print(const Part& part) {
    switch (part.kind) {
      case Part::Kind::head:
        return print_head();
      case Part::Kind::section:
        return out_.append("\n.section " + std::string(part.core->name) + "\n\n");
      case Part::Kind::words:
        for (std::uint32_t i = part.begin; i < part.end; ++i) print_word(*part.core, i);
        return;
      case Part::Kind::implied:
        for (std::uint32_t i = part.begin; i < part.end; ++i) note(image_.byte_offset(i), out_.size());
        return;
      case Part::Kind::alignment:
        return out_.append("\n.align 32\n");
      case Part::Kind::table:
        return print_table(*part.core);
      case Part::Kind::rest:
        return print_rest();
    }
  }

 private:
  void print_head();
  void print_word(const Core& core, std::uint32_t index);
  void print_table(const Core& core);
  void print_labels(const Core& core, std::uint32_t index);
  void append_references(const Core& core, std::string_view title, std::span<const std::uint32_t> from);
  char* put_instruction(char* line, const Core& core, std::uint32_t index, std::uint32_t word, const Opcode& opcode);
  char* put_operand(char* line, const Core& core, std::uint32_t index, std::uint32_t word, const OperandSpec& operand);
  char* put_access(char* line, std::uint32_t word, const OperandSpec& operand);
  char* put_register(char* line, unsigned reg, bool destination) const {
    return put(line, register_name(reg, destination, generation_of(image_.map())));
  }
  char* put_target(char* line, const Core& core, std::uint32_t to, bool call) const {
    return put_decimal(put(line, call ? std::string_view("#fxn") : std::string_view("#l")), to - core.start);
  }
  /// The address that the word holds, in our dialect.
  [[nodiscard]] const Symbolic* symbolic(std::uint32_t index) const {
    if ((image_.flags(index) & word_symbolic) == 0) return nullptr;
    const Symbolic* found = image_.symbolic(index);
    return dialect_ == Dialect::own || found->text == "#jumptbl" ? found : nullptr;
  }
  void print_rest();
  void note(std::uint64_t byte_offset, std::size_t begin, std::uint32_t length = word_bytes) {
    if (words_ != nullptr)
      words_->push_back(
          {byte_offset, length, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(out_.size())});
  }

  const Image& image_;
  Dialect dialect_;
  bool bytes_;
  TextBuffer& out_;
  std::vector<Listing::Word>* words_;
};

void Printer::print_head() {
  const std::uint32_t word0 = image_.size() != 0 ? image_.word(0) : 0;
  if (dialect_ == Dialect::mesa) {
    out_.append("; " + std::string(name(image_.map())) + " microcode\n");
  } else if (image_.size() != 0) {
    out_.append("; " + std::string(name(image_.map())) + " microcode, " + std::string(image_.chip().product) + " (" +
                std::string(image_.chip().name) + ")\n");
    if (image_.by_id() && !image_.identity().known) {
      char* line = put(out_.reserve(line_room), "; unknown firmware id 0x");
      line = put_lower_hex(line, image_.identity().id, 3);
      out_.commit(put(line,
                      ": read as the chip of the nearest id whose instructions these are; --machine afuc:CHIP chooses "
                      "another\n"));
    }
  }
  if (image_.has_leading_zero() && image_.size() != 0) {
    char* line = put_lower_hex(put(out_.reserve(line_room), "; Version: "), word0, 8);
    out_.commit(put(line, "\n\n"));
  }
  if (!image_.has_leading_zero()) out_.append(".bare\n");
  const Identity& identity = image_.identity();
  const bool told = image_.has_leading_zero() && identity.known && identity.chip == &image_.chip();
  if (image_.size() != 0 && !told) out_.append(".gpu " + std::string(image_.chip().name) + '\n');
  if (image_.has_leading_zero()) note(0, 0);
}

void Printer::print_table(const Core& core) {
  const std::size_t begin = out_.size();
  print_labels(core, *core.table);
  out_.append("jumptbl:\n.jumptbl\n");
  for (std::uint32_t i = 0; i < packet_table_words; ++i) note(image_.byte_offset(*core.table + i), begin);
}

void Printer::append_references(const Core& core, std::string_view title, std::span<const std::uint32_t> from) {
  if (dialect_ == Dialect::mesa || from.empty()) return;
  out_.append(title);
  for (std::size_t i = 0; i < from.size() && i < most_references; ++i) {
    if (i != 0) out_.append(", ");
    out_.append(image_.place(core, from[i]));
  }
  if (from.size() > most_references) out_.append(" and " + std::to_string(from.size() - most_references) + " more");
}

void Printer::print_labels(const Core& core, std::uint32_t index) {
  const std::uint16_t flags = image_.flags(index);
  if ((flags & (word_branch | word_called | word_handler | word_table)) == 0) return;
  const std::uint32_t address = index - core.start;
  if ((flags & (word_called | word_handler | word_table)) != 0 && address != 0) out_.append('\n');
  if ((flags & word_handler) != 0) {
    std::vector<std::string> names;
    for (const std::uint8_t entry : image_.packets(core, index)) names.push_back(packet_or_number(image_.map(), entry));
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) out_.append(name + ":\n");
  }
  if ((flags & word_called) != 0) {
    out_.append("fxn" + std::to_string(address) + ':');
    append_references(core, "\t; called from ", image_.callers(index));
    out_.append('\n');
  }
  if ((flags & word_table) != 0) out_.append("data" + std::to_string(address) + ":\n");
  if ((flags & word_branch) != 0) {
    out_.append('l' + std::to_string(address) + ':');
    append_references(core, "\t; jumped to from ", image_.jumps(index));
    out_.append('\n');
  }
}

void Printer::print_word(const Core& core, std::uint32_t index) {
  const std::size_t begin = out_.size();
  print_labels(core, index);
  const std::uint32_t word = image_.word(index);
  const Opcode* opcode = image_.code(index);
  char* line = out_.reserve(line_room);
  if (opcode != nullptr) {
    line = put_instruction(line, core, index, word, *opcode);
  } else if (const Symbolic* address = symbolic(index)) {
    line = put(put(put(line, '['), address->text), ']');
  } else {
    line = put(put_lower_hex(put(line, '['), word, 8), ']');
  }
  out_.commit(line);
  const std::string comment =
      opcode == nullptr ? std::string() : annotation(image_, core, index, word, *opcode, dialect_ == Dialect::mesa);
  if (!comment.empty()) {
    out_.append("\t; ");
    out_.append(comment);
  }
  line = out_.reserve(line_room);
  if (bytes_) {
    line = put_lower_hex(put(line, "\t; "), index - core.start, 4);
    line = put_lower_hex(put(line, ": "), word, 8);
  }
  out_.commit(put(line, '\n'));
  note(image_.byte_offset(index), begin);
}

char* Printer::put_instruction(char* line, const Core& core, std::uint32_t index, std::uint32_t word,
                               const Opcode& opcode) {
  for (const Prefix& prefix : prefixes)
    if (field_of(word, *prefix.field) == prefix.value && has_field(opcode, *prefix.field))
      line = put(put(put(line, '('), prefix.name), ')');
  line = put(line, opcode.name);
  std::string_view separator = " ";
  for (const OperandSpec& operand : opcode.operands) {
    line = put_operand(put(line, separator), core, index, word, operand);
    separator = ", ";
  }
  return line;
}

char* Printer::put_operand(char* line, const Core& core, std::uint32_t index, std::uint32_t word,
                           const OperandSpec& operand) {
  const std::uint32_t value = operand.field == nullptr ? 0 : field_of(word, *operand.field);
  switch (operand.kind) {
    case OperandKind::source:
      return put_register(line, operand.field == nullptr ? reg_lr : value, false);
    case OperandKind::destination:
      return put_register(line, value, true);
    case OperandKind::secure:
      return put_register(line, reg_secure, false);
    case OperandKind::number:
    case OperandKind::shifted: {
      const Symbolic* address = symbolic(index);
      line = address != nullptr ? put(line, address->text) : put_number(line, value);
      const std::uint32_t shift = operand.kind == OperandKind::shifted ? field_of(word, field::shift) : 0;
      return shift == 0 ? line : put_decimal(put(line, " << "), shift);
    }
    case OperandKind::bit:
      return put_decimal(put(line, 'b'), value);
    case OperandKind::control:
    case OperandKind::sqe:
    case OperandKind::memory:
      return put_access(line, word, operand);
    case OperandKind::relative:
    case OperandKind::absolute: {
      const Opcode& opcode = *image_.decoder().find(word);
      return put_target(line, core, *Image::target(core, index, word, opcode), is_call(opcode.op));
    }
    case OperandKind::skip:
      return put_target(line, core, index + 3, false);
  }
  return line;
}

char* Printer::put_access(char* line, std::uint32_t word, const OperandSpec& operand) {
  const std::uint32_t offset = field_of(word, field::offset);
  const bool pre = field_of(word, field::pre) != 0;
  line = put(put_register(put(line, '['), field_of(word, field::base), false), " + ");
  RegisterName name;
  const bool as_mesa = dialect_ == Dialect::mesa;
  if (!pre && operand.kind == OperandKind::control)
    name = as_mesa ? mesa_control_register(image_.map(), offset) : image_.control_name(offset);
  if (!pre && operand.kind == OperandKind::sqe) name = as_mesa ? mesa_sqe_register(offset) : sqe_register(offset);
  if (name) {
    line = put(put(line, operand.kind == OperandKind::sqe ? '%' : '@'), name.name);
    if (name.offset != 0) line = put_number(put(line, '+'), name.offset);
  } else if (!pre && operand.kind == OperandKind::control) {
    line = put_lower_hex(put(line, "0x"), offset, 3);
  } else {
    line = put_number(line, offset);
  }
  line = put(line, ']');
  if (pre) line = put(line, '!');
  // Size and kind of memory accesses have no spelling of their own.
  if (operand.kind == OperandKind::memory)
    if (const std::uint32_t bits = field_of(word, access_bits) & ~4u; bits != 0)
      line = put_number(put(line, ", "), bits);
  return line;
}

void Printer::print_rest() {
  const auto rest = image_.rest();
  if (rest.empty()) return;
  const std::size_t begin = out_.size();
  char* line = put(out_.reserve(line_room), ".byte");
  for (std::size_t i = 0; i < rest.size(); ++i)
    line = put_lower_hex(put(line, i == 0 ? std::string_view(" 0x") : std::string_view(", 0x")), rest[i], 2);
  out_.commit(put(line, '\n'));
  note(image_.byte_offset(image_.size()), begin, static_cast<std::uint32_t>(rest.size()));
}

}  // namespace

void print(const Image& image, Dialect dialect, TextBuffer& out, std::vector<Listing::Word>* words) {
  Printer printer(image, dialect, false, out, words);
  for (const Part& part : parts_of(image)) printer.print(part);
}

ListingPieces print_in_pieces(const std::shared_ptr<const Image>& image, Dialect dialect,
                              const DisassembleOptions& options) {
  return [image, dialect, options, parts = std::make_shared<const std::vector<Part>>(parts_of(*image)),
          next = std::size_t{0}]() mutable -> ListingPiece {
    if (next == parts->size()) return {};
    // What has few words goes with those before.
    const std::size_t begin = next;
    for (std::size_t words = 0; next < parts->size() && words < piece_bytes / word_bytes / 2; ++next)
      words += (*parts)[next].end - (*parts)[next].begin;
    return [image, dialect, options, parts, begin, end = next] {
      Listing listing;
      TextBuffer out;
      Printer printer(*image, dialect, options.bytes, out, options.words ? &listing.words : nullptr);
      for (std::size_t i = begin; i < end; ++i) printer.print((*parts)[i]);
      listing.text = out.take();
      return listing;
    };
  };
}

}  // namespace mobula::afuc
