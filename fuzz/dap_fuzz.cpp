// Any bytes as what a client of the Debug Adapter Protocol sends, whole messages and others: every answer is JSON.
// seeds: tests/data/dap/*.txt
#include <cstdlib>
#include <string>

#include "fuzz/target.h"
#include "servers/dap/server.h"
#include "servers/messages.h"

using namespace mobula;

FUZZ_TARGET(dap_fuzz) {
  servers::MessageReader reader;
  servers::dap::Server server([](std::string_view content) {
    if (!servers::parse_json(content)) std::abort();
  });
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (std::size_t at = 0; at < size; at += 7) {
    reader.feed(bytes.substr(at, 7));
    for (;;) {
      const auto message = reader.next();
      if (!message) return 0;
      if (!*message) break;
      server.receive(**message);
    }
    for (int i = 0; i < 4 && server.work(); ++i) {
    }
  }
  return 0;
}
