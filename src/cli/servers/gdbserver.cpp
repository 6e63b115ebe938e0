#include "cli/input/input.h"
#include "cli/run/input.h"
#include "cli/servers/connection.h"
#include "cli/terminal/terminal.h"
#include "core/quote.h"
#include "servers/gdb_session.h"

namespace mobula::cli {

Exit gdbserver(const GdbserverOptions& options) {
  if (options.input.files.front() == "-" && !options.port)
    throw usage_error("program and packets cannot both come from standard input", "give the program as a file");
  const Prepared prepared = prepare(options.input, options.feed);
  if (has_ability(prepared.program.machine, Ability::firmware))
    throw usage_error("GDB steps programs of shader cores, and this is firmware", "mobula debug steps firmware");
  print(prepared.inputs.warnings);
  servers::GdbSession session(
      prepared.program, prepared.lifted,
      value_or_stop(mobula::Debugger::create(prepared.program, prepared.lifted, prepared.inputs),
                    prepared.program.file));
  Connection client = options.port ? Connection::accept(*options.port) : Connection::standard();
  while (!session.over()) {
    const auto bytes = client.read(!session.running());
    if (!bytes && !session.unfinished().empty())
      throw usage_error("GDB ended in the middle of a packet: only " + quote(session.unfinished()) + " came");
    if (!bytes) break;
    session.feed(*bytes);
    while (const auto reply = session.answer())
      if (!client.write(*reply)) return Exit::done;
    if (session.running() && !client.write(session.work())) break;
  }
  return Exit::done;
}

}  // namespace mobula::cli
