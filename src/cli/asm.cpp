#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "mobula/isa/formats.h"

namespace mobula::cli {

Exit assemble(const AsmOptions& options) {
  const Program program = load_program(options.input, options.input.files.front(), Accept::assembly);
  if (options.output.json) {
    Json labels = Json::array();
    for (const Label& label : program.labels)
      labels.push_back({{"name", label.name}, {"offset", hex(label.byte_offset)}});
    write_output(options.output.file,
                 envelope("asm", &program, {{"code", hex(program.code)}, {"labels", std::move(labels)}}));
  } else if (options.hex) {
    write_output(options.output.file, write_hex(program.code));
  } else {
    if (options.output.file == "-" && isatty(STDOUT_FILENO) != 0)
      throw usage_error("machine code would go to the terminal", "give -o FILE, or --hex for text");
    write_output(options.output.file, {reinterpret_cast<const char*>(program.code.data()), program.code.size()});
  }
  return Exit::done;
}

}  // namespace mobula::cli
