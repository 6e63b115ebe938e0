// Any bytes from a browser: each prefix waits or gets one answer, which is whole, and nothing but what was given to be
// served is ever in it.
#include <cstdlib>
#include <string>

#include "fuzz/target.h"
#include "servers/web_server.h"

using namespace mobula;

FUZZ_TARGET(web_server_fuzz) {
  static const servers::WebServer server({{"/index.html", "page"}, {"/a.txt", "text"}}, 80);
  const std::string received(reinterpret_cast<const char*>(data), size);
  const auto answer = server.answer(received);
  if (!answer) {
    if (received.find("\r\n\r\n") != std::string::npos || received.size() >= servers::WebServer::head_limit)
      std::abort();
    return 0;
  }
  const std::size_t end = answer->find("\r\n\r\n");
  if (!answer->starts_with("HTTP/1.1 ") || end == std::string::npos) std::abort();
  const bool is_good = answer->starts_with("HTTP/1.1 200 ");
  const std::string content = answer->substr(end + 4);
  if (is_good && !content.empty() && content != "page" && content != "text") std::abort();
  if (is_good && received.find("127.0.0.1:80") == std::string::npos) std::abort();
  return 0;
}
