#include "cli/input.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "mobula/lab/load.h"
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

Stop no_machine() {
  return usage_error("the input does not say which machine it is for",
                     "give --machine, one of " + listed(machines(), [](const Machine* m) { return m->name(); }));
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
  const bool no_image = first.code == "FM020" || first.code == "FM021" || first.code == "FM022";
  throw Stop{no_image ? Exit::usage : Exit::negative, located(program.error(), file)};
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

ContainerFormat format_of(const InputOptions& options, std::span<const std::uint8_t> bytes) {
  if (options.container.empty()) return detect_format(bytes);
  for (const ContainerFormat format : {ContainerFormat::raw, ContainerFormat::hex, ContainerFormat::mbs,
                                       ContainerFormat::fw, ContainerFormat::elf, ContainerFormat::text})
    if (mobula::name(format) == options.container) return format;
  throw usage_error("unknown container \"" + options.container + "\"", "one of raw, hex, mbs, fw, elf, text");
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
  const ContainerFormat format = accept == Accept::assembly ? ContainerFormat::text : format_of(options, bytes);
  if (format == ContainerFormat::text && accept == Accept::code)
    throw Stop{
        Exit::negative,
        located({{Severity::error, "", {}, "this is text, not machine code", "mobula asm makes machine code of it"}},
                file)};
  LoadOptions how{.machine = options.machine, .format = format, .index = options.index, .syntax = options.syntax};
  if (format == ContainerFormat::text) {
    if (!options.side_file.empty()) how.side = load_side_file(options, file);
  } else {
    how.stage = chosen_stage(options.stage);
    how.side = load_side_file(options, file);
  }
  return loaded(bytes, file, how);
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

const Machine& machine_of(const Program& program) { return *find_machine(program.machine); }

}  // namespace mobula::cli
