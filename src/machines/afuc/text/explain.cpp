#include "machines/afuc/text/explain.h"

#include <algorithm>
#include <map>

#include "core/counted.h"
#include "core/explain.h"
#include "core/hexadecimal.h"
#include "machines/afuc/image/image.h"
#include "machines/afuc/text/print.h"
#include "machines/afuc/text/tokens.h"

namespace mobula::afuc {
namespace {

constexpr Field data_field{"data", 0, 32, "not an instruction of this generation", {Status::unknown, "2.8"}};
constexpr const Field* data_fields[] = {&data_field};
constexpr Format data_format{"data", 32, data_fields, "a word that is not an instruction"};

constexpr Field table_field{"handler", 0, 32, "program address of a packet's handler", {Status::driver, "3.10"}};
constexpr const Field* table_fields[] = {&table_field};
constexpr Format table_format{"table", 32, table_fields, "an entry of the packet table"};

constexpr Field version_field{"version", 0, 12, "version of the firmware", {Status::driver, "7.1"}};
constexpr Field id_field{"id", 12, 12, "which firmware this is", {Status::binaries, "7.1"}};
constexpr Field nop_field{"nop", 24, 8, "makes the word do nothing", {Status::driver, "7.1"}};
constexpr const Field* header_fields[] = {&version_field, &id_field, &nop_field};
constexpr Format header_format{"header", 32, header_fields, "word 0 of an image"};
static_assert(tiles(data_format) && tiles(table_format) && tiles(header_format));

void add_fields(const Format& format, std::uint32_t word, std::vector<ExplainedField>& fields) {
  for (const Field* field : format.fields) fields.push_back(explain_field(format, *field, get(word, *field)));
}

/// The register that an access names, after its number.
void name_register(const Image& image, std::uint32_t word, const Opcode& opcode, std::vector<ExplainedField>& fields) {
  for (const OperandSpec& operand : opcode.operands) {
    const bool control = operand.kind == OperandKind::control;
    if (!control && operand.kind != OperandKind::sqe) continue;
    const std::uint32_t number = field_of(word, field::offset);
    const RegisterName name = control ? image.control_name(number) : sqe_register(number);
    if (!name) continue;
    for (ExplainedField& field : fields)
      if (field.name == field::offset.name)
        field.meaning += ": " + std::string(name.name) + (name.offset == 0 ? "" : "+" + std::to_string(name.offset));
  }
}

std::vector<ExplainedField> fields_of(const Image& image, const Core& core, std::uint32_t index) {
  const std::uint32_t word = image.word(index);
  std::vector<ExplainedField> fields;
  if (index == 0 && image.has_leading_zero()) {
    add_fields(header_format, word, fields);
    return fields;
  }
  if (core.table && index >= *core.table && index < *core.table + packet_table_words) {
    add_fields(table_format, word, fields);
    fields[0].meaning += ": of " + packet_or_number(image.map(), index - *core.table);
    return fields;
  }
  const Opcode* opcode = image.decoder().find(word);
  if (opcode == nullptr) {
    add_fields(data_format, word, fields);
    return fields;
  }
  add_fields(*opcode->format, word, fields);
  fields.back().meaning += ": " + std::string(opcode->name) + ", " + std::string(opcode->meaning);
  name_register(image, word, *opcode, fields);
  return fields;
}

}  // namespace

namespace {

/// Firmware stops at this word on purpose.
constexpr std::uint32_t trap_word = 0xFBADC0DE;

void add_undecodable(ExplainedWord& word, std::string code, std::string found) {
  Diagnostic error{Severity::error, std::move(code), {}, std::move(found), {}};
  error.where.byte_offset = word.byte_offset;
  word.diagnostics.push_back(std::move(error));
}

void explain_line(const Image& image, ExplainedWord& word) {
  const std::uint64_t first = image.byte_offset(0);
  if (word.byte_length < word_bytes)
    add_undecodable(word, "AF201",
                    "the last " + counted(word.byte_length, "byte does", "bytes do") + " not fill a word");
  if (word.byte_offset < first || word.byte_length != word_bytes) return;
  const auto index = static_cast<std::uint32_t>((word.byte_offset - first) / word_bytes);
  word.fields = fields_of(image, image.core_of(index), index);
  if (word.fields.front().format == data_format.name && image.word(index) != trap_word)
    add_undecodable(word, "AF211", hexadecimal(image.word(index), 8) + " is not an instruction of this generation");
}

}  // namespace

void explain_each(const Program& program, const ExplainedWordSink& each) {
  TextBuffer text;
  std::vector<Listing::Word> lines;
  const Image image(program);
  print(image, Dialect::own, text, &lines);
  for (const Listing::Word& line : lines) {
    ExplainedWord word{.byte_offset = line.byte_offset,
                       .byte_length = line.byte_length,
                       .text = std::string(text.view().substr(line.text_begin, line.text_end - line.text_begin)),
                       .fields = {},
                       .diagnostics = {}};
    explain_line(image, word);
    each(std::move(word));
  }
}

namespace {

ManualEntry entry_of(const Opcode& opcode) {
  constexpr std::array<std::string_view, 4> names{"a5xx", "a6xx", "a7xx", "a8xx"};
  ManualEntry entry;
  entry.mnemonic = opcode.name;
  entry.title = std::string(opcode.format->name) + ", " + std::string(opcode.format->meaning) + ';';
  for (std::size_t i = 0; i < names.size(); ++i)
    if ((opcode.generations >> i & 1) != 0) entry.title += ' ' + std::string(names[i]);
  TextBuffer body;
  char* out = put_hex_digits(put(body.reserve(64), "mask 0x"), opcode.mask, 8);
  body.commit(put_hex_digits(put(out, ", value 0x"), opcode.match, 8));
  entry.body = std::string(opcode.meaning) + ".\n" + body.take() + '\n';
  entry.status = opcode.fact.status;
  entry.source = opcode.fact.source;
  return entry;
}

/// The forms of an instruction by another spelling that is read.
void add_alias(const Alias& alias, std::vector<ManualEntry>& entries) {
  for (const Opcode& opcode : opcodes) {
    if (opcode.name != alias.means) continue;
    ManualEntry& entry = entries.emplace_back(entry_of(opcode));
    entry.title = "read as " + entry.mnemonic + ": " + entry.title;
    entry.mnemonic = alias.name;
  }
}

/// A register as a source and as a destination.
void add_register(unsigned number, std::vector<ManualEntry>& entries) {
  const value::Register& row = value::registers[number];
  const auto add = [&](std::string_view mnemonic, std::string_view title, std::string_view meaning) {
    entries.push_back({.mnemonic = std::string(mnemonic),
                       .title = std::string(title),
                       .body = std::string(meaning.empty() ? "scratch" : meaning) + ".\n",
                       .status = Status::driver,
                       .source = "1.3",
                       .names = {'$' + hexadecimal(number, 2).substr(2)}});
  };
  const std::string named = "register " + hexadecimal(number, 2);
  const bool split = row.source != row.destination || row.meaning != row.written;
  add(row.source, named + (split ? ", read" : ""), row.meaning);
  if (split) add(row.destination, named + ", written", row.written);
}

/// What is written before an instruction.
void add_prefixes(std::vector<ManualEntry>& entries) {
  for (const Prefix& prefix : prefixes)
    entries.push_back({.mnemonic = '(' + std::string(prefix.name) + ')',
                       .title = "prefix",
                       .body = std::string(find_value(*prefix.field, prefix.value)->meaning) + ".\n",
                       .status = Status::driver,
                       .source = "2.3",
                       .names = {std::string(prefix.name)},
                       .in_words = false});
}

/// One entry a name, whatever it means in each generation.
void add_names(std::string_view sigil, std::string_view kind, unsigned digits, const std::vector<NamedThing>& things,
               std::vector<ManualEntry>& entries, bool in_words = true) {
  std::map<std::string_view, std::size_t> known;
  for (const NamedThing& thing : things) {
    const auto [place, is_new] = known.try_emplace(thing.name, entries.size());
    if (is_new)
      entries.push_back({.mnemonic = std::string(sigil) + std::string(thing.name),
                         .title = std::string(kind),
                         .body = "",
                         .status = thing.status,
                         .source = std::string(thing.source),
                         .names = {},
                         .in_words = in_words});
    ManualEntry& entry = entries[place->second];
    if (const std::size_t element = thing.name.find("[]."); is_new && element != std::string_view::npos)
      entry.names.push_back(std::string(thing.name.substr(0, element)) + '_' +
                            std::string(thing.name.substr(element + 3)));
    entry.body += thing.where + "\n";
    for (const std::string& number : {hexadecimal(thing.number), hexadecimal(thing.number, digits)})
      if (std::ranges::find(entry.names, number) == entry.names.end()) entry.names.push_back(number);
  }
}

/// What stands around the cores and is read and written by no name.
void add_surroundings(std::vector<ManualEntry>& entries) {
  const auto add = [&](std::string_view name, std::string_view title, std::string_view meaning,
                       Status status = Status::driver) {
    entries.push_back({.mnemonic = std::string(name),
                       .title = std::string(title),
                       .body = std::string(meaning) + ".\n",
                       .status = status,
                       .source = "1.1",
                       .names = {},
                       .in_words = false});
  };
  add("MEQ", "queue of an a5xx, from the PFP to the ME",
      "what the PFP writes to $data; the ME reads its packets from there. It holds " + std::to_string(meq_words) +
          " words, and a PFP that finds it full waits. Registers about it begin with CP_MEQ");
  add("ROQ", "queue in front of the cores",
      "fetches ring buffer, indirect buffers, draw states and what is read from memory; $data reads from there. "
      "Registers about it begin with CP_ROQ");
  // They have no name in any release.
  add("0x018", "control register of the PFP of an a5xx",
      "a write says that the ME is asked for something, and counts 0x008 up; the ME's write of CP_WFI_PEND_CTR "
      "(GPU register 0xb15) counts it down",
      Status::binaries);
  add("0x008", "control register of the PFP of an a5xx",
      "how much the ME has been asked for (0x018) and has not done: the PFP reads it until it is 0 before it reads "
      "what "
      "the ME writes",
      Status::binaries);
}

}  // namespace

Manual manual() {
  Manual manual;
  manual.comment = ";";
  manual.patterns = {{TextPattern::Kind::comment, ";.*$", ";.*$"},
                     {TextPattern::Kind::number, "\\[[0-9A-Fa-f]{8}\\]", "\\[[0-9A-Fa-f]{8}\\]"}};
  for (const Format* format : form::all) manual.formats.push_back(describe_format(*format));
  for (const Opcode& opcode : opcodes) manual.entries.push_back(entry_of(opcode));
  for (const Alias& alias : aliases) add_alias(alias, manual.entries);
  for (unsigned number = 0; number < register_count; ++number) add_register(number, manual.entries);
  add_names("@", "control register", 3, named_control_registers(), manual.entries);
  add_names("%", "SQE register", 2, named_sqe_registers(), manual.entries);
  add_names("|", "pipe register", 2, named_pipe_registers(), manual.entries);
  add_names("", "packet", 2, named_packets(), manual.entries);
  add_names("", "GPU register", 4, named_gpu_registers(), manual.entries, false);
  add_prefixes(manual.entries);
  add_surroundings(manual.entries);
  return manual;
}

}  // namespace mobula::afuc
