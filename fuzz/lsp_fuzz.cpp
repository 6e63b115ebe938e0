// Any text and any messages from an editor: requests are answered once each, and places outside texts are errors. The
// first byte chooses the language of the text; its lines then come as messages, too.
//
// seeds: tests/data/midgard/*.asm tests/data/utgard_gp/*.gpasm tests/data/rogue/*.rgasm examples/*.mdg examples/*.sb
#include <algorithm>
#include <cstdlib>
#include <string>

#include "fuzz/target.h"
#include "mobula/isa/machine.h"
#include "servers/lsp_server.h"

using namespace mobula;
using servers::Json;

FUZZ_TARGET(lsp_fuzz) {
  if (size == 0) return 0;
  std::size_t answers = 0;
  auto leaving = servers::Leaving::silent;
  servers::LspServer server(
      "0", [&](std::string_view content) { answers += Json::parse(content).contains("id") ? 1 : 0; }, leaving);
  std::size_t requests = 0;
  const auto ask = [&](const char* method, Json params) {
    server.receive(
        Json{{"jsonrpc", "2.0"}, {"id", ++requests}, {"method", method}, {"params", std::move(params)}}.dump());
    while (server.work()) {
    }
    if (answers != requests) std::abort();
  };
  const auto tell = [&](const char* method, Json params) {
    server.receive(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump());
    while (server.work()) {
    }
  };
  ask("initialize",
      {{"capabilities", {{"general", {{"positionEncodings", {data[0] % 2 == 0 ? "utf-16" : "utf-8"}}}}}}});
  const auto all = machines();
  const std::size_t chosen = data[0] / 2 % (all.size() + 1);
  const std::string language = chosen < all.size() ? std::string(all[chosen]->name()) : "scoreboard";
  // JSON holds no invalid UTF-8.
  std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  std::ranges::replace_if(
      text, [](char each) { return static_cast<unsigned char>(each) >= 0x80; }, '?');
  const Json document{{"uri", "file:///x"}};
  tell("textDocument/didOpen",
       {{"textDocument", {{"uri", "file:///x"}, {"languageId", language}, {"version", 1}, {"text", text}}}});
  for (std::size_t i = 0; i < size && i < 40; i += 3) {
    const Json at{{"textDocument", document},
                  {"position", {{"line", data[i] % 50}, {"character", i + 1 < size ? data[i + 1] : 0}}},
                  {"context", {{"includeDeclaration", true}}},
                  {"newName", "other"}};
    for (const char* method : {"textDocument/hover", "textDocument/definition", "textDocument/references",
                               "textDocument/prepareRename", "textDocument/rename", "textDocument/documentHighlight"})
      ask(method, at);
  }
  ask("textDocument/completion", {{"textDocument", document}, {"position", {{"line", 0}, {"character", 0}}}});
  ask("textDocument/documentSymbol", {{"textDocument", document}});
  ask("textDocument/inlayHint",
      {{"textDocument", document},
       {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 99}, {"character", 0}}}}}});
  // And whatever the bytes are as messages.
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    server.receive(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  while (server.work()) {
  }
  return 0;
}
