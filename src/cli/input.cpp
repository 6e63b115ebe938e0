#include "cli/input.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "mobula/lab/run.h"

namespace mobula::cli {
namespace {

constexpr std::size_t input_limit = std::size_t{256} << 20;

template <class Range, class Name>
std::string listed(const Range& range, Name name_of) {
  std::string text;
  for (const auto& entry : range) text.append(text.empty() ? "" : ", ").append(name_of(entry));
  return text;
}

Stage chosen_stage(const std::string& name) {
  if (name.empty()) return Stage::unknown;
  if (name == "vertex" || name == "vert") return Stage::vertex;
  if (name == "fragment" || name == "frag") return Stage::fragment;
  if (name == "compute" || name == "comp") return Stage::compute;
  throw usage_error("unknown stage \"" + name + "\"", "one of vertex, fragment, compute, or vert, frag, comp");
}

/// The side file asked for, or the one beside `file` if there is one.
std::optional<SideFile> load_side_file(const InputOptions& options, const std::string& file) {
  std::string name = options.side_file;
  if (name == "none") return {};
  if (name.empty()) {
    name = side_file_name(file);
    std::error_code unreadable;
    if (file == "-" || name == file || !std::filesystem::is_regular_file(name, unreadable)) return {};
  }
  const std::vector<std::uint8_t> text = read_file(name);
  return value_or_stop(read_side_file({name, as_text(text)}), name);
}

/// The numbers of a side file mean nothing to another machine.
void expect_machine(const SideFile& side, const Machine& machine, const std::string& file) {
  if (side.machine.empty() || side.machine == machine.name()) return;
  throw usage_error(file + ": its side file is for " + side.machine + ", not for " + std::string(machine.name()),
                    "--machine " + side.machine + ", or --side none to read the file without it");
}

}  // namespace

Stop usage_error(std::string message, std::string hint) {
  return {Exit::usage, {{Severity::error, "", {.file = "mobula"}, std::move(message), std::move(hint)}}};
}

std::vector<std::uint8_t> read_file(const std::string& file) {
  struct Closer {
    void operator()(std::FILE* stream) const {
      if (stream != stdin) std::fclose(stream);
    }
  };
  const std::unique_ptr<std::FILE, Closer> stream(file == "-" ? stdin : std::fopen(file.c_str(), "rb"));
  if (!stream) throw usage_error("cannot read " + file + ": " + std::strerror(errno));
  std::vector<std::uint8_t> bytes;
  for (std::size_t used = 0;;) {
    bytes.resize(std::max<std::size_t>(64 << 10, 2 * used));
    used += std::fread(bytes.data() + used, 1, bytes.size() - used, stream.get());
    if (std::ferror(stream.get()) != 0) throw usage_error("cannot read " + file + ": " + std::strerror(errno));
    if (used > input_limit) throw usage_error(file + " is larger than 256 MiB");
    if (used < bytes.size()) {
      bytes.resize(used);
      return bytes;
    }
  }
}

std::string_view as_text(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Diagnostics located(Diagnostics diagnostics, const std::string& file) {
  for (Diagnostic& entry : diagnostics)
    if (entry.where.file.empty()) entry.where.file = file == "-" ? "standard input" : file;
  return diagnostics;
}

Format format_of(const InputOptions& options, std::span<const std::uint8_t> bytes) {
  if (options.container.empty()) return detect_format(bytes);
  for (const Format format : {Format::raw, Format::hex, Format::mbs, Format::fw, Format::elf, Format::text})
    if (mobula::name(format) == options.container) return format;
  throw usage_error("unknown container \"" + options.container + "\"", "one of raw, hex, mbs, fw, elf, text");
}

MachineChoice choose_machine(const std::string& text) {
  if (text.empty())
    throw usage_error("the input does not tell its machine",
                      "give --machine, one of " + listed(machines(), [](const Machine* m) { return m->name(); }));
  return value_or_stop(parse_machine(text), "mobula", Exit::usage);
}

Program load_program(const InputOptions& options, const std::string& file, Accept accept) {
  return load_program(options, file, read_file(file), accept);
}

Program load_program(const InputOptions& options, const std::string& file, const std::vector<std::uint8_t>& bytes,
                     Accept accept) {
  const Format format = accept == Accept::assembly ? Format::text : format_of(options, bytes);
  if (format == Format::text) {
    if (accept == Accept::code)
      throw Stop{
          Exit::negative,
          located({{Severity::error, "", {}, "this is text, not machine code", "mobula asm makes machine code of it"}},
                  file)};
    const MachineChoice choice = choose_machine(options.machine);
    Program program =
        value_or_stop(choice.machine->assemble({file, as_text(bytes)}, {options.syntax, choice.variant}), file);
    if (!options.side_file.empty())
      if (auto side = load_side_file(options, file)) {
        expect_machine(*side, *choice.machine, file);
        program.interface = std::move(side->interface);
      }
    choice.machine->complete(program.interface);
    return program;
  }
  auto images = value_or_stop(read_container(bytes, format, file), file);
  CodeImage image = value_or_stop(select_image(std::move(images), chosen_stage(options.stage), options.index, file),
                                  file, Exit::usage);
  std::optional<SideFile> side = load_side_file(options, file);
  std::string machine = options.machine.empty() ? image.machine : options.machine;
  if (side && machine.empty()) machine = side->machine;
  if (side && machine == side->machine && !side->compiled_for.empty()) machine += ':' + side->compiled_for.front();
  const MachineChoice choice = choose_machine(machine);
  Program program;
  program.file = file;
  program.machine = choice.machine->name();
  program.variant = choice.variant;
  program.code = std::move(image.code);
  if (side) expect_machine(*side, *choice.machine, file);
  program.interface = std::move(side ? side->interface : image.interface);
  choice.machine->complete(program.interface);
  return program;
}

Policies parse_policies(const std::vector<std::string>& settings) {
  Policies policies;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
      throw usage_error("policy \"" + setting + "\" has no value", "write --policy name=value");
    policies[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return policies;
}

void expect_ability(const Program& program, Ability ability) {
  if (has(program.machine, ability)) return;
  const Diagnostic refusal = lacks(program.machine, ability);
  throw usage_error(refusal.message, refusal.hint);
}

const Machine& machine_of(const Program& program) { return *find_machine(program.machine); }

}  // namespace mobula::cli
