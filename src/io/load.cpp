#include "mobula/lab/load.h"

#include "core/encoding.h"
#include "io/archive.h"
#include "mobula/isa/machine.h"

namespace mobula {
namespace {

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<MachineChoice> machine_of(std::string_view name) {
  if (!name.empty()) return parse_machine(name);
  std::string known;
  for (const Machine* machine : machines()) known.append(known.empty() ? "" : ", ").append(machine->name());
  return fail("MOB005", "the input does not say which machine it is for", "name it, one of " + known);
}

/// The numbers of a side file mean nothing to another machine.
Result<void> hold_to(const std::optional<SideFile>& side, const Machine& machine, std::string_view file) {
  if (!side || side->machine.empty() || side->machine == machine.name()) return {};
  return fail(Diagnostic{Severity::error,
                         "MOB006",
                         {.file = std::string(file)},
                         "its side file is for " + side->machine + ", not for " + std::string(machine.name()),
                         "load it for " + side->machine + ", or without the side file"});
}

/// The machine whose texts have names that end like this one.
std::string_view machine_by_extension(std::string_view file) {
  for (const Machine* machine : machines())
    if (file.ends_with(machine->extension())) return machine->name();
  return {};
}

Result<Program> load_assembly(std::string_view text, std::string_view file, LoadOptions&& options) {
  if (auto problem = refuse_other_than_text(file, text)) return fail(std::move(*problem));
  text = without_mark(text);
  const std::string_view name = options.machine.empty() ? machine_of_text(text, file) : options.machine;
  const Result<MachineChoice> choice = machine_of(name);
  if (!choice) return fail(choice.error());
  // Where nobody asked for a variant, the text may say which.
  const bool asked = name.find(':') != std::string_view::npos;
  Result<Program> program =
      choice->machine->assemble({file, text}, {options.syntax, asked ? std::string_view(choice->variant) : ""});
  if (!program) return program;
  if (program->entry >= program->code.size())  // firmware begins with a word that is none
    return fail(Diagnostic{Severity::error,
                           "FM005",
                           {.file = std::string(file)},
                           "there is no code in this text, only comments and directives",
                           ""});
  if (const auto held = hold_to(options.side, *choice->machine, file); !held) return fail(held.error());
  if (options.side) program->interface = std::move(options.side->interface);
  choice->machine->complete(program->interface);
  return program;
}

/// The machine as it is typed, with the first product that the side file was compiled for.
std::string machine_name(const LoadOptions& options, const CodeImage& image) {
  std::string name = options.machine.empty() ? image.machine : options.machine;
  if (!options.side) return name;
  if (name.empty()) name = options.side->machine;
  if (name == options.side->machine && !options.side->compiled_for.empty())
    name += ':' + options.side->compiled_for.front();
  return name;
}

/// MOB015 where a container says that its code is for another machine than is asked for. It need not be right: what is
/// asked for counts.
void remark_on_machine(Program& program, const CodeImage& image) {
  const std::string_view own = std::string_view(image.machine).substr(0, image.machine.find(':'));
  if (own.empty() || own == program.machine) return;
  program.remarks.push_back({Severity::warning,
                             "MOB015",
                             {.file = program.file},
                             "the file says that this is code of " + std::string(own) + ", and it is taken for " +
                                 program.machine + " because that was asked for",
                             "is it the right machine?"});
}

/// What is left of the code after its last whole word.
void remark_on_rest(Program& program, const Machine& machine) {
  const std::size_t bytes = program.code.size(), rest = bytes % machine.word_bytes();
  if (rest == 0) return;
  program.remarks.push_back({Severity::warning,
                             "FM055",
                             {.file = program.file, .byte_offset = bytes - rest},
                             "words of " + program.machine + " have " + std::to_string(machine.word_bytes()) +
                                 " bytes; of the " + std::to_string(bytes) + " here the last " +
                                 (rest == 1 ? "one fills" : std::to_string(rest) + " fill") + " none",
                             "is the code cut short?"});
}

}  // namespace

Result<Program> load_image(CodeImage image, std::string_view file, LoadOptions options) {
  Result<MachineChoice> choice = machine_of(machine_name(options, image));
  if (!choice) return fail(std::move(choice).error());
  if (const auto held = hold_to(options.side, *choice->machine, file); !held) return fail(held.error());
  Program program;
  program.file = file;
  program.machine = choice->machine->name();
  program.variant = std::move(choice->variant);
  program.code = std::move(image.code);
  program.interface = std::move(options.side ? options.side->interface : image.interface);
  if (options.side) program.lines = std::move(options.side->lines);
  choice->machine->complete(program.interface);
  program.remarks = std::move(image.remarks);
  remark_on_machine(program, image);
  remark_on_rest(program, *choice->machine);
  return program;
}

std::string_view machine_of_text(std::string_view text, std::string_view file) {
  const std::string_view directive = machine_directive(without_mark(text));
  return directive.empty() ? machine_by_extension(file) : directive;
}

Result<std::vector<CodeImage>> read_programs(std::span<const std::uint8_t> bytes, std::optional<ContainerFormat> format,
                                             std::string_view file) {
  const bool unpack = (!format || format == ContainerFormat::foreign) && is_readable_archive(bytes);
  return unpack ? read_archive(bytes, file) : read_container(bytes, format, file);
}

Result<Program> load_program(std::span<const std::uint8_t> bytes, std::string_view file, LoadOptions options) {
  const ContainerFormat format = options.format.value_or(detect_format(bytes, file));
  if (format == ContainerFormat::text) return load_assembly(as_text(bytes), file, std::move(options));
  auto images = read_programs(bytes, format, file);
  if (!images) return fail(std::move(images).error());
  auto image = select_image(std::move(*images), options.stage, options.index, file);
  if (!image) return fail(std::move(image).error());
  return load_image(std::move(*image), file, std::move(options));
}

}  // namespace mobula
