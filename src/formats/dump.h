// Text that shows bytes as numbers beside their offsets: what xxd, hexdump, od, gdb and Mesa's own dumps print.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "mobula/isa/diagnostic.h"
#include "mobula/isa/result.h"

namespace mobula {

/// Code that a text shows as numbers, and what the text says of it.
struct NumberedCode {
  std::string name;     ///< of the array, or what a log writes above the numbers; may be empty
  std::string machine;  ///< registry name, if the text tells
  std::vector<std::uint8_t> bytes;
  Diagnostics remarks;
};

/// Whether the first lines of the text are lines of a dump.
MOBULA_INTERNAL bool is_dump(std::string_view text);
/// The bytes of such a text, or of numbers without offsets whose digits tell what they are: those of xxd -p, and od's
/// octal ones and those of 64 bits. Errors: FM007 an offset that is not due, FM060 a line that is not of a dump, FM061
/// more repeated lines than are believed.
Result<std::vector<std::uint8_t>> read_dump(std::string_view text, std::string_view file);

/// The first line of a text of eight digits on each line, where nothing tells whether these are words, or bytes as xxd
/// -p -c 4 writes them; empty of any other text. od begins its lines with a blank.
std::string_view first_of_words_on_lines(std::string_view text);

/// Whether there is a line of a driver's log that holds code.
MOBULA_INTERNAL bool is_log(std::string_view text);
/// All programs of a log, in its order: numbered instructions of four words each (Mesa's LIMA_DEBUG=gp), and dumps
/// under "shader binary" (Mesa's PCO_DEBUG_PRINT=binary) or "Contents of section" (objdump -s). What stands between
/// them is left out. FM007: a number that is not due.
Result<std::vector<NumberedCode>> read_log(std::string_view text, std::string_view file);

/// Whether the text declares an array of numbers, as C does.
MOBULA_INTERNAL bool is_array(std::string_view text);
/// Whether the first such array is of a type that GLSL does not have.
bool is_array_of_c(std::string_view text);
/// All arrays of numbers, in the order of the text. Errors: FM001 not a number, FM002 an open comment, FM062 a number
/// too large for its type, FM063 an array that does not end, FM064 numbers after its end, FM065 more or fewer than its
/// declaration says, or than a variable of its name and "_len" says. Remark: FM066 elements whose size depends on the
/// compiler.
Result<std::vector<NumberedCode>> read_arrays(std::string_view text, std::string_view file);

/// The line, the column and the text of `token`, which is a part of `text`, in a diagnostic.
Diagnostic error_in_text(std::string_view file, std::string_view text, std::string_view token, std::string code,
                         std::string message, std::string hint);

/// FM061 for a "*" behind which no offset says how many lines it stands for.
Diagnostic repeated_without_offset(std::string_view file, std::string_view text, std::string_view star);

/// The value of a hexadecimal digit; -1 for any other character.
int hex_digit(char c);

}  // namespace mobula
