#include "cli/input/input.h"
#include "cli/choices.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "cli/terminal/terminal.h"
#include "mobula/lab/load.h"
#include "mobula/lab/run.h"

namespace mobula::cli {
namespace {

template <class Range, class Name>
std::string listed(const Range& range, Name name_of, const char* between = ", ") {
  std::string text;
  for (const auto& entry : range) text.append(text.empty() ? "" : between).append(name_of(entry));
  return text;
}

Stop no_machine() {
  return usage_error("the input does not say which machine it is for",
                     "give --machine, one of " + listed(machines(), [](const Machine* m) { return m->name(); }));
}

Stage chosen_stage(const std::string& name) {
  if (name.empty()) return Stage::unknown;
  constexpr std::array stages{Stage::vertex, Stage::fragment, Stage::compute};
  return stages[chosen_among(stage_names, "stage", name) % stages.size()];  // each has a long and a short name
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
  return value_or_stop(read_side_file({name, as_text(text)}), name,
                       options.side_file.empty() ? Exit::negative : Exit::usage);
}

std::string_view plural(Kind kind) {
  constexpr std::array<std::string_view, 4> names{"programs of shader cores", "firmware", "workloads", "expressions"};
  return names[static_cast<std::size_t>(kind)];
}

/// Whether there is something to choose: a log or a dump is text that may have one program or several.
bool may_hold_several(const std::vector<std::uint8_t>& bytes, ContainerFormat format, const std::string& file) {
  switch (format) {
    case ContainerFormat::mbs:
    case ContainerFormat::elf:
    case ContainerFormat::foreign:
      return true;
    case ContainerFormat::raw:
    case ContainerFormat::text:
    case ContainerFormat::fw:
      return false;
    case ContainerFormat::hex:
      break;
  }
  const auto images = read_programs(bytes, format, file);
  return !images || images->size() > 1;
}

/// Options that say how to read files of other forms than this one.
void refuse_idle(const InputOptions& options, const std::vector<std::uint8_t>& bytes, ContainerFormat format,
                 const std::string& file, Accept accept) {
  if ((!options.stage.empty() || options.index) && !may_hold_several(bytes, format, file))
    throw usage_error(std::string(options.index ? "--index" : "--stage") +
                          " chooses a program of a container of several; this is " + std::string(name(format)),
                      "leave it out");
  if (format != ContainerFormat::text && accept != Accept::code && !options.syntax.empty())
    throw usage_error("--syntax is for assembly, not for machine code", "leave it out");
}

/// What the library finds wrong with what was asked for is misuse, and is fixed by an option.
Program loaded(const std::vector<std::uint8_t>& bytes, const std::string& file, const LoadOptions& options) {
  Result<Program> program = load_program(bytes, file, options);
  if (program) return std::move(*program);
  const Diagnostic& first = program.error().front();
  if (first.code == "MOB005") throw no_machine();
  if (first.code == "MOB006")
    throw usage_error(first.message,
                      "--machine " + options.side->machine + ", or --side none to read the file without it");
  if (first.code == "MOB001" || first.code == "MOB002") throw Stop{Exit::usage, located(program.error(), "mobula")};
  throw Stop{status_of(first), located(program.error(), file)};
}

/// Whether text is meant to be assembled: it or its name says so, or it assembles to something.
bool is_assembly(const InputOptions& options, const std::string& file, const std::vector<std::uint8_t>& bytes) {
  constexpr std::array<std::string_view, 4> of_text{".asm", ".s", ".txt", ".md"};
  const auto ends = [&](std::string_view ending) { return file.ends_with(ending); };
  if (std::any_of(of_text.begin(), of_text.end(), ends) || !machine_of_text(as_text(bytes), file).empty()) return true;
  const Result<Program> program = load_program(
      bytes, file, LoadOptions{.machine = options.machine, .format = ContainerFormat::text, .syntax = options.syntax});
  return program && !program->code.empty();
}

/// Says how bytes are taken that could be text as well.
void say_if_printable(const std::vector<std::uint8_t>& bytes, const std::string& file) {
  if (detect_format(bytes) == ContainerFormat::text)
    print(located({{Severity::note,
                    "FM006",
                    {},
                    "all of it can be read as text, and is taken as machine code",
                    "--container text takes it as assembly"}},
                  file));
}

}  // namespace

Stop usage_error(std::string message, std::string hint) {
  return {Exit::usage, {{Severity::error, "", {.file = "mobula"}, std::move(message), std::move(hint)}}};
}

std::vector<std::uint8_t> read_file(const std::string& file) {
  if (file != "-") return value_or_usage_error(load_bytes(file));
  // It can be read once, and some subcommands look at a file before they load it.
  static const std::vector<std::uint8_t> standard_input = value_or_usage_error(load_bytes(stdin, "standard input"));
  return standard_input;
}

std::string_view as_text(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Diagnostics located(Diagnostics diagnostics, const std::string& file) {
  for (Diagnostic& entry : diagnostics)
    if (entry.where.file.empty()) entry.where.file = file == "-" ? "standard input" : file;
  return diagnostics;
}

ContainerFormat format_of(const InputOptions& options, std::span<const std::uint8_t> bytes, const std::string& file) {
  if (options.container.empty()) return detect_format(bytes, file);
  constexpr std::array<ContainerFormat, container_names.size()> formats{ContainerFormat::raw, ContainerFormat::hex,
                                                                        ContainerFormat::mbs, ContainerFormat::fw,
                                                                        ContainerFormat::elf, ContainerFormat::text};
  return formats[chosen_among(container_names, "container", options.container)];
}

std::vector<InputOptions> one_by_one(const InputOptions& options) {
  constexpr std::string_view all = ":all";
  std::vector<std::string> names{options.machine};
  if (options.machine.ends_with(all)) {
    const std::string machine = options.machine.substr(0, options.machine.size() - all.size());
    names.clear();
    for (const Variant& variant : choose_machine(machine).machine->variants())
      if (variant.same_as.empty() && !variant.by_content) names.push_back(machine + ':' + std::string(variant.name));
  }
  std::vector<InputOptions> each;
  for (const std::string& file : options.files)
    for (const std::string& name : names) {
      each.push_back(options);
      each.back().files = {file};
      each.back().machine = name;
    }
  return each;
}

MachineChoice choose_machine(const std::string& text) {
  if (text.empty()) throw no_machine();
  return value_or_stop(parse_machine(text), "mobula", Exit::usage);
}

Program load_program(const InputOptions& options, const std::string& file, Accept accept) {
  return load_program(options, file, read_file(file), accept);
}

Program load_program(const InputOptions& options, const std::string& file, const std::vector<std::uint8_t>& bytes,
                     Accept accept) {
  ContainerFormat format = format_of(options, bytes, file);
  if (accept == Accept::assembly && format != ContainerFormat::foreign) format = ContainerFormat::text;
  if (format == ContainerFormat::text && accept == Accept::code) {
    if (options.container == "text" || options.machine.empty() || is_assembly(options, file, bytes))
      throw Stop{
          Exit::usage,
          located(
              {{Severity::error, "FM006", {}, "this is text, not machine code", "mobula asm makes machine code of it"}},
              file)};
    format = ContainerFormat::raw;
  }
  refuse_idle(options, bytes, format, file, accept);
  if (format == ContainerFormat::text && bytes.empty())
    throw Stop{Exit::negative, located({{Severity::error, "FM005", {}, "the input is empty", ""}}, file)};
  if (format == ContainerFormat::raw && options.container.empty()) say_if_printable(bytes, file);
  Diagnostics remarks;
  LoadOptions how{.machine = options.machine,
                  .format = format,
                  .index = options.index,
                  .syntax = options.syntax,
                  .remarks = &remarks};
  if (format == ContainerFormat::text) {
    if (!options.side_file.empty()) how.side = load_side_file(options, file);
  } else {
    how.stage = chosen_stage(options.stage);
    how.side = load_side_file(options, file);
  }
  Program program = loaded(bytes, file, how);
  print(located(remarks, file));
  expect_kind(options, has_ability(program.machine, Ability::firmware) ? Kind::firmware : Kind::shader);
  return program;
}

void expect_kind(const InputOptions& options, Kind kind) {
  for (const BoundOption& option : options.bound)
    if (std::ranges::find(option.kinds, kind) == option.kinds.end())
      throw usage_error(
          option.name + " is for " + listed(option.kinds, plural, " and ") + ", not for " + std::string(plural(kind)),
          "leave it out");
}

Exit status_of(const Diagnostic& error) {
  // No choice among programs, no code at all, no such text form or more text than is read.
  constexpr std::array<std::string_view, 10> misuse{"FM020", "FM021", "FM022", "FM050", "FM051",
                                                    "MD100", "GP100", "RG100", "AF100", "AF140"};
  return std::find(misuse.begin(), misuse.end(), error.code) != misuse.end() ? Exit::usage : Exit::negative;
}

std::vector<CodeImage> images_in(const InputOptions& options, const std::string& file,
                                 const std::vector<std::uint8_t>& bytes) {
  return value_or_stop(read_programs(bytes, format_of(options, bytes, file), file), file);
}

std::vector<Program> load_all(const InputOptions& options, const std::string& file) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  const bool chosen =
      !options.stage.empty() || options.index || format_of(options, bytes, file) == ContainerFormat::text;
  const std::size_t count = chosen ? 1 : images_in(options, file, bytes).size();
  std::vector<Program> programs;
  for (std::size_t i = 0; i < count; ++i) {
    InputOptions one = options;
    if (count > 1) one.index = i;
    programs.push_back(load_program(one, file, bytes));
  }
  return programs;
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
  if (has_ability(program.machine, ability)) return;
  const Diagnostic refusal = lacks_ability(program.machine, ability);
  throw usage_error(refusal.message, refusal.hint);
}

ir::Program lift(const Program& program, const Policies& policies) {
  constexpr std::size_t most = std::size_t{4} << 20;
  if (program.code.size() > most)
    throw usage_error(program.file + " has " + std::to_string(program.code.size()) +
                          " bytes of code; what is executed or timed has at most " + std::to_string(most),
                      "mobula disasm and check take more");
  return value_or_stop(machine_of(program).lift(program, policies), program.file, Exit::usage);
}

const Machine& machine_of(const Program& program) { return *find_machine(program.machine); }

}  // namespace mobula::cli
