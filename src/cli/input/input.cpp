#include "cli/input/input.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>

#include "cli/choices.h"
#include "cli/input/other_machine.h"
#include "cli/input/shader.h"
#include "cli/terminal/terminal.h"
#include "core/counted.h"
#include "core/encoding.h"
#include "mobula/isa/flow.h"
#include "mobula/isa/pm4_capture.h"
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

constexpr std::string_view all_variants = ":all";

/// Misuse. Who asks for several machines is told where that can be.
Stop no_such_machine(const std::string& asked, Diagnostics errors) {
  const bool is_all = asked.ends_with(all_variants) && errors.front().code == "MOB002";
  if (is_all || asked.find(',') != asked.npos)
    errors.front().hint = asked + " is for mobula check, stat and time; " + errors.front().hint;
  return {Exit::usage, located(std::move(errors), "mobula")};
}

/// Who names a form of text has looked: a log of Mesa's begins with another language.
bool is_said_to_be_text(const InputOptions& options, std::span<const std::uint8_t> bytes) {
  return !options.syntax.empty() && std::ranges::find(bytes, 0) == bytes.end();
}

bool takes_code_only(Accept accept) { return accept == Accept::code || accept == Accept::bare_code; }

/// The side file asked for, or the one beside `file` if there is one. Where only the code is wanted, nothing wrong in
/// it is more than a warning.
std::optional<SideFile> load_side_file(const InputOptions& options, const std::string& file, Accept accept) {
  std::string name = options.side_file;
  if (name == "none") return {};
  if (name.empty()) {
    name = side_file_name(file);
    std::error_code unreadable;
    if (file == "-" || name == file || !std::filesystem::is_regular_file(name, unreadable)) return {};
  }
  const std::vector<std::uint8_t> text = read_file(name);
  if (accept != Accept::bare_code) {
    Result<SideFile> side = read_side_file({name, as_text(text)});
    if (side) return std::move(*side);
    Diagnostics errors = located(std::move(side).error(), name);
    if (!options.side_file.empty()) throw Stop{Exit::usage, std::move(errors)};
    if (errors.back().hint.empty())
      errors.back().hint = "its name makes it the side file of " + file + "; --side none reads that without it";
    throw Stop{Exit::negative, std::move(errors)};
  }
  Diagnostics left_out;
  Result<SideFile> side = read_side_file({name, as_text(text)}, &left_out);
  if (!side) left_out = side.error();
  for (Diagnostic& each : left_out) {
    each.severity = Severity::warning;
    if (each.hint.empty()) each.hint = "left out; the code is shown without it";
  }
  print(located(std::move(left_out), name));
  return side ? std::optional(std::move(*side)) : std::nullopt;
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

/// Options that say how to read files of other forms than this one. The stage of raw code is what its side file says.
void refuse_idle(const InputOptions& options, const std::vector<std::uint8_t>& bytes, ContainerFormat format,
                 const std::string& file, Accept accept, const std::optional<SideFile>& side = {}) {
  const bool chooses = !options.stage.empty() || options.index;
  if (chooses && !may_hold_several(bytes, format, file)) {
    const Stage stage = side ? side->interface.stage : Stage::unknown;
    if (options.index || stage == Stage::unknown)
      throw usage_error(std::string(options.index ? "--index" : "--stage") +
                            " chooses a program of a container of several; this is " + std::string(name(format)),
                        "leave it out");
    if (stage != chosen_stage(options.stage))
      throw usage_error("there is no " + options.stage + " code: the side file says that it is of another stage",
                        "leave --stage out, or correct the side file");
  }
  if (format != ContainerFormat::text && !takes_code_only(accept) && !options.syntax.empty())
    throw usage_error("--syntax is for assembly, not for machine code", "leave it out");
}

/// What the library finds wrong with what was asked for is misuse, and is fixed by an option.
Program loaded(Result<Program> program, const std::string& file, const LoadOptions& options) {
  if (program) {
    print(located(program->remarks, file));
    if (options.format == ContainerFormat::raw && !options.side) print(located(doubts(*program), file));
    return std::move(*program);
  }
  const Diagnostic& first = program.error().front();
  const std::string first_code = first.code;
  if (first.code == "MOB005") throw no_machine();
  if (first.code == "MOB001" || first.code == "MOB002") throw no_such_machine(options.machine, program.error());
  Diagnostics errors = located(std::move(program).error(), file);
  constexpr std::array<std::string_view, 3> of_choice{"FM020", "FM021", "FM022"};
  if (std::ranges::find(of_choice, first_code) != of_choice.end())
    errors.front().hint = errors.front().hint.find("stage") == std::string::npos
                              ? "--index N chooses; mobula info lists them"
                              : "--index N or --stage STAGE chooses; mobula info lists them";
  if (first_code == "MOB006") {
    errors.front().hint = "--machine " + options.side->machine + ", or --side none to read the file without it";
    throw Stop{Exit::usage, std::move(errors)};
  }
  throw Stop{status_of(errors.front()), std::move(errors)};
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
  const ContainerFormat by_content = detect_format(bytes);
  const bool hexadecimal = by_content == ContainerFormat::hex;
  if (!hexadecimal && by_content != ContainerFormat::text) return;
  print(located({{Severity::note,
                  "FM006",
                  {},
                  std::string("all of it can be read as ") + (hexadecimal ? "hexadecimal numbers" : "text") +
                      ", and is taken as machine code" + (is_named_as_code(file) ? ", as its name says" : ""),
                  hexadecimal ? "--container hex takes it as numbers" : "--container text takes it as assembly"}},
                file));
}

/// What other subcommands work on, by the names that their files have, and by content where that tells.
void refuse_other_work(const InputOptions& options, const std::string& file, std::span<const std::uint8_t> bytes) {
  if (!options.container.empty()) return;
  if (is_expressions(file))
    throw usage_error(file + " holds expressions, not a program", "mobula schedule makes a program of them");
  if (is_plain_capture(bytes))
    throw usage_error(file + " is a capture of what a driver submitted, not a program",
                      "mobula info lists its submits, mobula pm4 shows them, and run, time and debug take it with "
                      "--stream; shaders in it are those of no machine here");
  if (file.ends_with(".pm4"))
    throw usage_error(file + " holds a command stream, not a program",
                      "mobula pm4 shows it; run, time and debug take it with --stream");
  if (options.machine.empty() && file.ends_with(".sb"))  // with a machine it is assembly of that name
    throw usage_error(file + " holds a workload of the scoreboard core, not a program",
                      "mobula scoreboard run runs it");
}

Program load_shader(const InputOptions& options, const std::string& file, Accept accept) {
  if (accept == Accept::assembly)
    throw usage_error(file + " is the source of a shader, not assembly", "mobula compile makes machine code of it");
  Program program = compile_shader(options, file);
  expect_kind(options, Kind::shader);
  return program;
}

/// Where code is only written as text, --syntax says how, and not that the file is assembly.
bool is_shader_for(Accept accept, const InputOptions& options, const std::string& file,
                   const std::vector<std::uint8_t>& bytes) {
  InputOptions read = options;
  if (takes_code_only(accept)) read.syntax.clear();
  return is_shader(read, file, bytes);
}

/// Of what is no source.
void refuse_level(const InputOptions& options, const std::string& file) {
  if (options.level)
    throw usage_error("--optimize is for GLSL and SPIR-V, which are compiled, and " + file + " is not", "leave it out");
}

/// The program in `bytes`. Raw code of megabytes is not copied where these are `owned`.
Program load(const InputOptions& options, const std::string& file, const std::vector<std::uint8_t>& bytes,
             std::vector<std::uint8_t>* owned, Accept accept) {
  refuse_other_work(options, file, bytes);
  if (is_shader_for(accept, options, file, bytes)) return load_shader(options, file, accept);
  refuse_level(options, file);
  ContainerFormat format =
      takes_code_only(accept) ? format_of(options, bytes, file) : format_or_text(options, bytes, file);
  if (accept == Accept::assembly && (is_said_to_be_text(options, bytes) || format != ContainerFormat::foreign))
    format = ContainerFormat::text;
  if (format == ContainerFormat::text && takes_code_only(accept)) {
    if (options.container == "text" || options.machine.empty() || is_assembly(options, file, bytes))
      throw Stop{Exit::usage, located({{Severity::error,
                                        "FM006",
                                        {},
                                        "this is text, not machine code",
                                        "mobula asm turns it into machine code"}},
                                      file)};
    format = ContainerFormat::raw;
  }
  if (format == ContainerFormat::text && bytes.empty())
    throw Stop{Exit::negative, located({{Severity::error, "FM005", {}, "the input is empty", ""}}, file)};
  if (format == ContainerFormat::raw && options.container.empty()) say_if_printable(bytes, file);
  LoadOptions how{.machine = options.machine, .format = format, .index = options.index, .syntax = options.syntax};
  if (format != ContainerFormat::text || !options.side_file.empty()) how.side = load_side_file(options, file, accept);
  refuse_idle(options, bytes, format, file, accept, how.side);
  if (!options.stage.empty() && may_hold_several(bytes, format, file)) how.stage = chosen_stage(options.stage);
  CodeImage all;
  const bool movable = owned != nullptr && format == ContainerFormat::raw && !bytes.empty();
  if (movable) all.code = std::move(*owned);
  Program program = loaded(movable ? load_image(std::move(all), file, how) : load_program(bytes, file, how), file, how);
  expect_kind(options, has_ability(program.machine, Ability::firmware) ? Kind::firmware : Kind::shader);
  return program;
}

}  // namespace

Stage chosen_stage(const std::string& name) {
  if (name.empty()) return Stage::unknown;
  constexpr std::array stages{Stage::vertex, Stage::fragment, Stage::compute};
  return stages[chosen_among(stage_names, "stage", name) % stages.size()];  // each has a long and a short name
}

Stop usage_error(std::string message, std::string hint) {
  return {Exit::usage, {{Severity::error, "", {.file = "mobula"}, std::move(message), std::move(hint)}}};
}

Stop nothing_to_act_on(const std::string& option, const std::string& missing) {
  return usage_error(option + " has nothing to act on without " + missing, "give both, or leave " + option + " out");
}

void expect_first(bool is_first, const std::string& option, const std::string& name) {
  if (!is_first) throw usage_error(option + " gives \"" + name + "\" two values", "give it one");
}

std::vector<std::uint8_t> read_file(const std::string& file) {
  if (file != "-") return value_or_usage_error(load_bytes(file));
  // It can be read once, and some subcommands look at a file before they load it.
  static const std::vector<std::uint8_t> standard_input = value_or_usage_error(load_bytes(stdin, "standard input"));
  return standard_input;
}

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view text_of(const std::vector<std::uint8_t>& bytes, const std::string& file) {
  const std::string_view text = as_text(bytes);
  if (auto problem = refuse_other_than_text(file, text)) throw Stop{Exit::usage, {std::move(*problem)}};
  return without_mark(text);
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

ContainerFormat format_or_text(const InputOptions& options, std::span<const std::uint8_t> bytes,
                               const std::string& file) {
  const ContainerFormat format = format_of(options, bytes, file);
  return format == ContainerFormat::foreign && is_said_to_be_text(options, bytes) ? ContainerFormat::text : format;
}

namespace {

/// "MACHINE:all" and "A,B", one by one; what is neither as it is.
std::vector<std::string> machines_of(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, end - at);
    at = end + 1;
    if (name.empty() && !text.empty())
      throw usage_error("--machine \"" + text + "\" names nothing beside a comma",
                        "give a name on each side, or leave the comma out");
    if (!name.ends_with(all_variants)) {
      names.push_back(name);
      continue;
    }
    const std::string machine = name.substr(0, name.size() - all_variants.size());
    for (const Variant& variant : choose_machine(machine).machine->variants())
      if (variant.same_as.empty() && !variant.by_content) names.push_back(machine + ':' + std::string(variant.name));
  }
  return names;
}

}  // namespace

std::vector<InputOptions> one_by_one(const InputOptions& options) {
  const std::vector<std::string> names = machines_of(options.machine);
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
  Result<MachineChoice> choice = parse_machine(text);
  if (!choice) throw no_such_machine(text, std::move(choice).error());
  return std::move(*choice);
}

Program load_program(const InputOptions& options, const std::string& file, Accept accept) {
  std::vector<std::uint8_t> bytes = read_file(file);
  return load(options, file, bytes, &bytes, accept);
}

Program load_program(const InputOptions& options, const std::string& file, const std::vector<std::uint8_t>& bytes,
                     Accept accept) {
  return load(options, file, bytes, nullptr, accept);
}

bool is_plain_capture(std::span<const std::uint8_t> bytes) {
  return pm4::is_capture(bytes) && detect_format(bytes) == ContainerFormat::raw;
}

std::string_view plural(Kind kind) {
  constexpr std::array<std::string_view, 4> names{"programs of shader cores", "firmware", "workloads", "expressions"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_expressions(std::string_view file) { return file.ends_with(".gpe"); }

void expect_kind(const InputOptions& options, Kind kind) {
  for (const BoundOption& option : options.bound)
    if (std::ranges::find(option.kinds, kind) == option.kinds.end())
      throw usage_error(
          option.name + " is for " + listed(option.kinds, plural, " and ") + ", not for " + std::string(plural(kind)),
          "leave it out");
  for (const BoundOption& option : options.bound)
    if (!option.lacking.empty()) throw nothing_to_act_on(option.name, option.lacking);
}

Exit status_of(const Diagnostic& error) {
  // No choice among programs, no code at all, nothing that opens it, no text at all, no such text form or more text
  // than is read.
  constexpr std::array<std::string_view, 13> misuse{"FM020",  "FM021", "FM022", "FM050", "FM051", "FM059", "MOB012",
                                                    "MOB014", "MD100", "GP100", "RG100", "AF100", "AF140"};
  return std::find(misuse.begin(), misuse.end(), error.code) != misuse.end() ? Exit::usage : Exit::negative;
}

std::vector<HeldProgram> programs_in(const InputOptions& options, const std::string& file,
                                     const std::vector<std::uint8_t>& bytes, bool listing) {
  refuse_other_work(options, file, bytes);
  const ContainerFormat format = format_or_text(options, bytes, file);
  std::vector<HeldProgram> all;
  if (!options.stage.empty() || options.index || format == ContainerFormat::text || is_shader(options, file, bytes)) {
    HeldProgram& held = all.emplace_back();
    held.program = load_program(options, file, bytes);
    held.image.code = held.program->code;
    return all;
  }
  refuse_level(options, file);
  std::vector<CodeImage> images = value_or_stop(read_programs(bytes, format, file), file);
  LoadOptions how{.machine = options.machine, .format = format};
  how.side = load_side_file(options, file, listing ? Accept::bare_code : Accept::code_or_assembly);
  refuse_idle(options, bytes, format, file, Accept::code_or_assembly);
  std::set<std::string> said;
  for (CodeImage& image : images) {
    HeldProgram& held = all.emplace_back();
    held.image = std::move(image);
    const bool tells = !options.machine.empty() || how.side || !held.image.machine.empty();
    if (!listing || tells) {
      // What is said of the file is said once.
      std::erase_if(held.image.remarks, [&](const Diagnostic& each) { return !said.insert(each.message).second; });
      held.program = loaded(load_image(held.image, file, how), file, how);
      expect_kind(options, has_ability(held.program->machine, Ability::firmware) ? Kind::firmware : Kind::shader);
    }
  }
  return all;
}

std::vector<Program> load_all(const InputOptions& options, const std::string& file) {
  std::vector<Program> programs;
  for (HeldProgram& held : programs_in(options, file, read_file(file), false))
    programs.push_back(std::move(*held.program));
  return programs;
}

Policies parse_policies(const std::vector<std::string>& settings) {
  Policies policies;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
      throw usage_error("policy \"" + setting + "\" has no value", "write --policy name=value");
    const std::string name = setting.substr(0, equals);
    expect_first(policies.emplace(name, setting.substr(equals + 1)).second, "--policy", name);
  }
  return policies;
}

void expect_ability(const Program& program, Ability ability) {
  if (has_ability(program.machine, ability)) return;
  const Diagnostic refusal = lacks_ability(program.machine, ability);
  throw usage_error(refusal.message, refusal.hint);
}

void expect_within_limit(const Program& program) {
  constexpr std::size_t most = std::size_t{4} << 20;
  if (program.code.size() > most)
    throw usage_error(program.file + " has " + std::to_string(program.code.size()) +
                          " bytes of code; what is described, checked, executed, timed, counted, compared or lifted to "
                          "micro-operations as a whole has at most " +
                          std::to_string(most),
                      "mobula disasm takes more, and a part of the file can be cut out");
}

ir::Program lift(const Program& program, const Policies& policies) {
  expect_within_limit(program);
  return value_or_stop(machine_of(program).lift(program, policies), program.file, Exit::usage);
}

Diagnostics told(const Program& program, const Undecoded& left) {
  if (left.bytes == 0) return {};
  const std::string why = left.reason.empty() ? "" : ": " + left.reason;
  return {{Severity::warning,
           "FM057",
           {.file = program.file, .byte_offset = left.first},
           counted(left.bytes, "byte is", "bytes are") + " not code of " + program.machine + ", from here on" + why,
           "is the code of this machine, and does it begin here? mobula explain shows a word"}};
}

Undecoded undecoded(const Program& program) {
  Undecoded all;
  const ListingPieces pieces = value_or_stop(machine_of(program).disassemble_in_pieces(program, {}), program.file);
  while (const ListingPiece piece = pieces()) all.add(piece().undecoded);
  return all;
}

void expect_executable(const Program& program, const std::string& hint) {
  Diagnostics errors;
  const auto add = [&](std::uint64_t offset, const std::string& why) {
    errors.push_back({Severity::error,
                      "TM009",
                      {.file = program.file, .byte_offset = offset},
                      "this cannot be executed on " + program.machine + ':' + program.variant + ": " + why,
                      hint});
  };
  // Real firmware has gaps of words that are not instructions, which computed jumps pass over.
  const bool is_firmware = has_ability(program.machine, Ability::firmware);
  const ir::Program lifted = lift(program, {});
  for (const ReachableTrap& trap : reachable_traps(lifted))
    if (!is_firmware || trap.address == lifted.blocks[lifted.entry].address) add(trap.address, trap.reason);
  if (is_firmware && errors.empty())
    if (const Undecoded left = undecoded(program); !left.reason.empty()) add(left.first, left.reason);
  if (!errors.empty()) throw Stop{Exit::negative, std::move(errors)};
}

unsigned cores_for(const Program& program, const InputOptions& options) {
  constexpr std::size_t worth_a_thread = std::size_t{256} << 10;
  if (options.files.size() > 1 || program.code.size() < worth_a_thread) return 1;
  return std::max(1u, std::thread::hardware_concurrency());
}

const Machine& machine_of(const Program& program) { return *find_machine(program.machine); }

}  // namespace mobula::cli
