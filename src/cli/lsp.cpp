#include "cli/command.h"
#include "cli/connection.h"
#include "servers/lsp_server.h"

namespace mobula::cli {

Exit lsp(const LspOptions&) {
  servers::LspServer server(MOBULA_VERSION);
  Connection client = Connection::standard();
  while (!server.over()) {
    const auto bytes = client.read(true);
    if (!bytes) return Exit::negative;  // it left without a word
    server.feed(*bytes);
    while (const auto message = server.next())
      if (!client.write(*message)) return Exit::negative;
  }
  if (!server.broken().empty()) throw Stop{Exit::negative, server.broken()};
  return server.ended_well() ? Exit::done : Exit::negative;
}

}  // namespace mobula::cli
