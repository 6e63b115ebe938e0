// Loading: a program from bytes of any form, with what its side file says; and the few functions that read files.
//
// Errors are those of read_container, select_image, read_side_file, parse_machine and Machine::assemble, and MOB005:
// the machine is not stated; MOB006: the side file is for another machine; MOB007: the file cannot be read;
// MOB011: it is larger than input_limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mobula/export.h"
#include "mobula/isa/formats.h"
#include "mobula/isa/program.h"
#include "mobula/isa/result.h"
#include "mobula/lab/run.h"

namespace mobula {

struct LoadOptions {
  std::string machine;  ///< "midgard:t860"; empty = what the container, the side file, the text or its name says
  std::optional<ContainerFormat> format;  ///< empty = what the bytes look like
  Stage stage = Stage::unknown;           ///< of the program wanted from a container of several
  std::optional<std::size_t> index;       ///< its position among those
  std::string_view syntax;                ///< of assembly; empty = the machine's own
  std::optional<SideFile> side;           ///< its interface replaces the container's
};

/// The program in these bytes: machine code in any container, hexadecimal text, or assembly. `file` is its name in
/// diagnostics.
MOBULA_API Result<Program> load_program(std::span<const std::uint8_t> bytes, std::string_view file,
                                        LoadOptions options = {});

/// One of the programs that read_programs() finds. `format`, `stage`, `index` and `syntax` of the options are ignored.
MOBULA_API Result<Program> load_image(CodeImage image, std::string_view file, LoadOptions options = {});

/// What a text, or the name of its file, says about the machine it is for: "midgard:t860"; empty = nothing.
MOBULA_API std::string_view machine_of_text(std::string_view text, std::string_view file);

/// All programs in these bytes, as read_container() gives them; of zip archives, too, where the build has libzip
/// (FM051: there are none in it; FM052: it is damaged).
MOBULA_API Result<std::vector<CodeImage>> read_programs(std::span<const std::uint8_t> bytes,
                                                        std::optional<ContainerFormat> format = {},
                                                        std::string_view file = {});

// ---- files

/// Limit for whatever is read, a program, its inputs or a picture for them: some files never end.
inline constexpr std::size_t input_limit = std::size_t{256} << 20;

MOBULA_API Result<std::vector<std::uint8_t>> load_bytes(const std::string& file);
/// What is left of a stream, as of standard input; `name` is what it is called in diagnostics.
MOBULA_API Result<std::vector<std::uint8_t>> load_bytes(std::FILE* stream, const std::string& name);
/// The program in a file; where it is machine code, a side file beside it is read, too. `machine` as in LoadOptions.
MOBULA_API Result<Program> load_program_file(const std::string& file, std::string machine = {});
/// The run inputs in a file; names of other files in it are relative to its folder.
MOBULA_API Result<RunInputs> load_run_inputs(const std::string& file, const Interface& interface);

}  // namespace mobula
