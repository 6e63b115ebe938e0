#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/input/input.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "mobula/isa/firmware_views.h"
#include "mobula/isa/formats.h"

namespace mobula::cli {
namespace {

/// Says which entries of packet tables no label has filled.
void warn_of_missing_handlers(const Program& program) {
  constexpr std::size_t most_named = 4;
  const Machine* machine = find_machine(program.machine);
  if (machine == nullptr || machine->firmware_views() == nullptr) return;
  Diagnostics warnings;
  for (const firmware::CoreInfo& core : value_or_stop(firmware::info(program), program.file).cores) {
    std::string names;
    std::size_t missing = 0;
    for (const firmware::PacketInfo& packet : core.packets)
      if (packet.handler == 0 && ++missing <= most_named) names += (names.empty() ? "" : ", ") + packet.name;
    if (missing > most_named) names += " and " + std::to_string(missing - most_named) + " more";
    if (missing != 0)
      warnings.push_back({Severity::warning,
                          "AF206",
                          {.file = program.file},
                          "the packet table of " + core.name + " has 0 instead of a handler for " + names,
                          "a label that is a packet's name, or UNKNn, makes its word the handler"});
  }
  print(warnings);
}

}  // namespace

Exit assemble(const AsmOptions& options) {
  const Program program = load_program(options.input, options.input.files.front(), Accept::assembly);
  warn_of_missing_handlers(program);
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
