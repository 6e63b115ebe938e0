// Programs and other inputs, from files or standard input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "mobula/isa/formats.h"
#include "mobula/isa/machine.h"
#include "mobula/lab/laboratory.h"

namespace mobula::cli {

/// All bytes of a file; "-" is standard input, the same each time. Inputs beyond input_limit are refused.
std::vector<std::uint8_t> read_file(const std::string& file);
/// The bytes as text; they must outlive it.
std::string_view as_text(std::span<const std::uint8_t> bytes);

/// What is asked for, a file and a variant at a time: "MACHINE:all" is every variant that is not another's second name,
/// and commas part several machines. Where it is neither, the files with the machine as it is given.
std::vector<InputOptions> one_by_one(const InputOptions& options);

/// What --stage says; unknown where it was not given.
Stage chosen_stage(const std::string& name);

/// The machine and variant of "MACHINE:VARIANT".
MachineChoice choose_machine(const std::string& text);

/// What the bytes are: what --container says, otherwise what their content and the name of their file say.
ContainerFormat format_of(const InputOptions& options, std::span<const std::uint8_t> bytes, const std::string& file);
/// The same where assembly is taken, too: what --syntax is given with is text, whatever it begins with.
ContainerFormat format_or_text(const InputOptions& options, std::span<const std::uint8_t> bytes,
                               const std::string& file);

/// The program in `file`: machine code of any container, hexadecimal text, or, unless it is to be taken as code only,
/// assembly.
enum class Accept : std::uint8_t {
  code,
  bare_code,  ///< of which what a side file says is not needed: nothing wrong in one stops it
  code_or_assembly,
  assembly
};
Program load_program(const InputOptions& options, const std::string& file, Accept accept = Accept::code_or_assembly);
/// The same for a file that has been read.
Program load_program(const InputOptions& options, const std::string& file, const std::vector<std::uint8_t>& bytes,
                     Accept accept = Accept::code_or_assembly);
/// A program that a file holds, and what the file says of it.
struct HeldProgram {
  CodeImage image;
  std::optional<Program> program;
};
/// Everything in a file that has been read; the chosen one where a stage or an index is given. To list them, one that
/// no machine is known of need not be a program, and what is wrong in a side file stops nothing.
std::vector<HeldProgram> programs_in(const InputOptions& options, const std::string& file,
                                     const std::vector<std::uint8_t>& bytes, bool listing);
/// All programs of a file; the chosen one where a stage or an index is given. `file` of each is the file's name.
std::vector<Program> load_all(const InputOptions& options, const std::string& file);
/// A Stop for more code than is described, checked, executed, timed, counted, compared or lifted as a whole.
void expect_within_limit(const Program& program);
/// Its micro-operations. A Stop for policies that the machine does not have, and for more code than is executed.
ir::Program lift(const Program& program, const Policies& policies);
/// Bytes of it that are not words of its machine.
Undecoded undecoded(const Program& program);
/// A warning of them; nothing where there are none.
Diagnostics told(const Program& program, const Undecoded& left);
/// A Stop where a thread may get to words that do not execute: what estimates and simulations would pass over in
/// silence. Firmware begins with what does, and has more instructions than data.
void expect_executable(const Program& program, const std::string& hint);
/// On how many cores pieces of it are made: one where others would not be worth it, or have other files to work on.
unsigned cores_for(const Program& program, const InputOptions& options);
/// The machine of a loaded program.
const Machine& machine_of(const Program& program);

/// Whether a file of that name holds expressions, which only mobula schedule takes.
bool is_expressions(std::string_view file);

/// A Stop for misuse if an option was given that does not act on files of this kind.
void expect_kind(const InputOptions& options, Kind kind);
/// A capture of what a driver submitted; what is compressed may be anything.
bool is_plain_capture(std::span<const std::uint8_t> bytes);
/// "programs of shader cores"
std::string_view plural(Kind kind);

/// Of an option without the others that it is for.
Stop nothing_to_act_on(const std::string& option, const std::string& missing);
/// A Stop for misuse where an option that is given several times names something again: the other value would be lost.
void expect_first(bool is_first, const std::string& option, const std::string& name);

/// A Stop for misuse, if the program's machine does not have it.
void expect_ability(const Program& program, Ability ability);

/// The value, or a Stop with the negative status; diagnostics that name no file get this one.
template <class T>
T value_or_stop(Result<T> result, const std::string& file, Exit status = Exit::negative);

/// The same where the person at the keyboard asked for what is not there: a Stop for misuse.
template <class T>
T value_or_usage_error(Result<T> result);

/// A file that is not of a kind that is taken, or a choice that it does not offer, is misuse; other faults are its own.
Exit status_of(const Diagnostic& error);

/// Of "name=value" options; the machine checks names and values.
Policies parse_policies(const std::vector<std::string>& settings);

/// What `file` holds, to be read as text: without a mark of byte order; a Stop for UTF-16.
std::string_view text_of(const std::vector<std::uint8_t>& bytes, const std::string& file);

/// Puts `file` into diagnostics that name none.
Diagnostics located(Diagnostics diagnostics, const std::string& file);

template <class T>
T value_or_stop(Result<T> result, const std::string& file, Exit status) {
  if (!result)
    throw Stop{std::max(status, status_of(result.error().front())), located(std::move(result).error(), file)};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

template <class T>
T value_or_usage_error(Result<T> result) {
  if (!result) {
    const Diagnostic& first = result.error().front();
    Stop stop = usage_error(first.message, first.hint);
    stop.diagnostics.front().code = first.code;
    throw stop;
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace mobula::cli
