#include "servers/lsp_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "mobula/isa/machine.h"
#include "mobula/scoreboard/scoreboard.h"

namespace mobula::servers {
namespace {

/// Codes of the protocol.
enum : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  server_not_initialized = -32002,
  request_cancelled = -32800,
};

/// A request that cannot be answered, whatever its parameters are. It does not leave this file.
struct LspFailure {
  int code;
  std::string message;
};

Json lsp_error(const Json& id, int code, std::string_view message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

Position position_of(const Arguments& position) {
  const auto number = [&](const char* key) {
    const std::int64_t value = position.integer(key);
    if (value < 0) throw Refusal{fmt::format("\"{}\" must be a number from 0", key)};
    return static_cast<std::uint64_t>(value);
  };
  return {number("line"), number("character")};
}

Json json_of(Position position) { return {{"line", position.line}, {"character", position.character}}; }

int severity_number(Severity severity) {
  switch (severity) {
    case Severity::error:
      return 1;
    case Severity::warning:
      return 2;
    case Severity::note:
      return 3;
  }
  return 3;
}

bool is_label(std::string_view name) {
  const auto letter = [](char each) { return (each | 32) >= 'a' && (each | 32) <= 'z'; };
  return !name.empty() && (letter(name.front()) || name.front() == '_') && std::ranges::all_of(name, [&](char each) {
    return letter(each) || each == '_' || (each >= '0' && each <= '9');
  });
}

/// Kinds of the protocol for what is completed.
enum : int { kind_function = 3, kind_keyword = 14, kind_reference = 18 };

}  // namespace

// ------------------------------------------------------------------------------------------------ messages

void LspServer::receive(std::string_view content) {
  Result<Json> message = parse_json(content);
  // To be of use, it goes before what it cancels.
  if (message && message->is_object() && message->value("method", Json()) == "$/cancelRequest") {
    const Json params = message->value("params", Json());
    const Json id = params.is_object() ? params.value("id", Json()) : Json();
    if (std::ranges::any_of(
            waiting_, [&](const auto& each) { return each && each->is_object() && each->value("id", Json()) == id; }))
      cancelled_.insert(id.dump());
    return;
  }
  waiting_.push_back(std::move(message));  // what is none is answered in its turn
}

bool LspServer::work() {
  if (over_) return false;
  std::optional<Json> message;
  if (waiting_.empty()) {
    message = tell_findings();
    if (!message) return false;
  } else {
    const Result<Json> next = std::move(waiting_.front());
    waiting_.pop_front();
    message = next ? handle(*next) : lsp_error(nullptr, parse_error, next.error().front().message);
  }
  if (message) send_(dump_json(*message));
  return true;
}

std::optional<Json> LspServer::handle(const Json& message) {
  if (!message.is_object()) return lsp_error(nullptr, invalid_request, "a message is an object");
  const auto id = message.find("id");
  const auto method = message.find("method");
  const bool request = id != message.end();
  if (method == message.end() || !method->is_string()) {
    const bool response = request && (message.contains("result") || message.contains("error"));
    if (response) return {};  // nothing was asked of the client
    return lsp_error(request ? *id : Json(), invalid_request, "a message has a method");
  }
  if (!request) {
    try {
      notice(method->get<std::string>(), Arguments(message));
    } catch (const Refusal&) {  // nobody waits for an answer
    }
    return {};
  }
  if (!id->is_string() && !id->is_number_integer())
    return lsp_error(nullptr, invalid_request, "an id is a number or a string");
  if (cancelled_.erase(id->dump()) != 0) return lsp_error(*id, request_cancelled, "the request was cancelled");
  try {
    return Json{{"jsonrpc", "2.0"},
                {"id", *id},
                {"result", answer(method->get<std::string>(), Arguments(message).object("params"))}};
  } catch (const LspFailure& failure) {
    return lsp_error(*id, failure.code, failure.message);
  } catch (const Refusal& refusal) {
    return lsp_error(*id, invalid_params, method->get<std::string>() + ": " + refusal.message);
  }
}

Json LspServer::answer(const std::string& method, const Arguments& params) {
  if (method == "initialize") return initialize(params);
  if (!initialized_) throw LspFailure{server_not_initialized, "\"initialize\" comes first"};
  if (shut_down_) throw LspFailure{invalid_request, "after \"shutdown\" only \"exit\" is taken"};
  using Handler = Json (LspServer::*)(const Arguments&);
  static const std::map<std::string_view, Handler> handlers{
      {"textDocument/hover", &LspServer::hover},
      {"textDocument/definition", &LspServer::definition},
      {"textDocument/references", &LspServer::references},
      {"textDocument/documentHighlight", &LspServer::highlights},
      {"textDocument/documentSymbol", &LspServer::symbols},
      {"textDocument/prepareRename", &LspServer::prepare_rename},
      {"textDocument/rename", &LspServer::rename},
      {"textDocument/completion", &LspServer::completion},
      {"textDocument/inlayHint", &LspServer::inlay_hints},
  };
  if (method == "shutdown") {
    shut_down_ = true;
    return nullptr;
  }
  const auto handler = handlers.find(method);
  if (handler == handlers.end()) throw LspFailure{method_not_found, "there is no method " + method.substr(0, 100)};
  return (this->*handler->second)(params);
}

void LspServer::notice(const std::string& method, const Arguments& message) {
  if (method == "exit") {
    over_ = true;
    leaving_ = shut_down_ ? Leaving::good : Leaving::abrupt;
  }
  if (!initialized_ || shut_down_) return;
  const Arguments params = message.object("params");
  if (method == "textDocument/didOpen") return open(params);
  if (method == "textDocument/didChange") return change(params);
  if (method == "textDocument/didClose") return close(params);
}

Json LspServer::initialize(const Arguments& params) {
  if (initialized_) throw LspFailure{invalid_request, "\"initialize\" comes once"};
  // What the client names first it likes best; without a word it counts as JavaScript does.
  constexpr std::array<std::pair<std::string_view, PositionEncoding>, 3> known{
      {{"utf-8", PositionEncoding::utf8}, {"utf-16", PositionEncoding::utf16}, {"utf-32", PositionEncoding::utf32}}};
  std::string chosen = "utf-16";
  for (const Arguments& each : params.object("capabilities").object("general").list("positionEncodings")) {
    const auto found = std::ranges::find_if(known, [&](const auto& row) { return each.json() == row.first; });
    if (found == known.end()) continue;
    chosen = found->first;
    encoding_ = found->second;
    break;
  }
  initialized_ = true;
  return {{"serverInfo", {{"name", "mobula"}, {"version", tool_version_}}},
          {"capabilities",
           {{"positionEncoding", chosen},
            {"textDocumentSync", {{"openClose", true}, {"change", 1}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"documentHighlightProvider", true},
            {"documentSymbolProvider", true},
            {"renameProvider", {{"prepareProvider", true}}},
            {"completionProvider", Json::object()},
            {"inlayHintProvider", true}}}};
}

// ------------------------------------------------------------------------------------------------ texts

void LspServer::Open::look(PositionEncoding encoding) {
  if (document) return;
  document = std::make_unique<Document>(uri, language, std::move(text), version);
  positions = std::make_unique<Positions>(document->text, encoding);
}

void LspServer::put(Open open) {
  closed_.erase(open.uri);
  std::string uri = open.uri;
  open_.insert_or_assign(std::move(uri), std::move(open));
}

void LspServer::open(const Arguments& params) {
  const Arguments item = params.required("textDocument");
  const std::string uri = item.text("uri");
  auto language = language_of(item.text("languageId"), uri);
  if (!language) return;
  put({.uri = uri, .language = std::move(*language), .text = item.text("text"), .version = item.integer("version")});
}

/// Whole texts are what was agreed on; of a client that sends pieces all the same, the text would be an old one.
void LspServer::apply(const Arguments& change, std::string& text) const {
  if (!change.json().contains("range")) {
    text = change.text("text");
    return;
  }
  const Arguments range = change.required("range");
  const Positions positions(text, encoding_);
  const std::size_t begin = positions.offset(position_of(range.required("start"))).value_or(text.size());
  const std::size_t end = positions.offset(position_of(range.required("end"))).value_or(text.size());
  if (end < begin) throw Refusal{"\"range\" ends before it starts"};
  text.replace(begin, end - begin, change.text("text"));
}

void LspServer::change(const Arguments& params) {
  const Arguments item = params.required("textDocument");
  const std::string uri = item.text("uri");
  const auto found = open_.find(uri);
  const std::vector<Arguments> changes = params.list("contentChanges");
  if (found == open_.end() || changes.empty()) return;
  std::string text = found->second.document ? found->second.document->text : found->second.text;
  for (const Arguments& each : changes) apply(each, text);
  put({.uri = uri, .language = found->second.language, .text = std::move(text), .version = item.integer("version")});
}

void LspServer::close(const Arguments& params) {
  const std::string uri = params.required("textDocument").text("uri");
  if (open_.erase(uri) != 0) closed_.insert(uri);
}

std::optional<Json> LspServer::tell_findings() {
  const auto message = [](Json params) {
    return Json{{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", std::move(params)}};
  };
  if (!closed_.empty()) {
    const std::string uri = *closed_.begin();
    closed_.erase(closed_.begin());
    return message({{"uri", uri}, {"diagnostics", Json::array()}});
  }
  for (auto& [uri, open] : open_) {
    if (std::exchange(open.told, true)) continue;
    open.look(encoding_);
    Json list = Json::array();
    for (const Finding& finding : open.document->findings()) {
      Json row{{"range", json_of(open, finding.where)},
               {"severity", severity_number(finding.severity)},
               {"source", "mobula"},
               {"message", finding.message}};
      if (!finding.code.empty()) row["code"] = finding.code;
      list.push_back(std::move(row));
    }
    return message({{"uri", uri}, {"version", open.document->version}, {"diagnostics", std::move(list)}});
  }
  return {};
}

const LspServer::Open& LspServer::opened(const Arguments& params) {
  const std::string uri = params.required("textDocument").text("uri");
  const auto found = open_.find(uri);
  if (found == open_.end()) throw Refusal{"this text is not open: " + uri.substr(0, 200)};
  found->second.look(encoding_);
  return found->second;
}

LspServer::Place LspServer::place(const Arguments& params) {
  const Open& open = opened(params);
  const Position wanted = position_of(params.required("position"));
  const auto offset = open.positions->offset(wanted);
  if (!offset) throw Refusal{fmt::format("there is no line {}; the text has {}", wanted.line, open.positions->lines())};
  return {*open.document, *open.positions, *offset};
}

Json LspServer::json_of(const Open& open, TextRange range) {
  return {{"start", servers::json_of(open.positions->at(range.begin))},
          {"end", servers::json_of(open.positions->at(range.end))}};
}

// ------------------------------------------------------------------------------------------------ requests

Json LspServer::hover(const Arguments& params) {
  const Place at = place(params);
  const auto explanation = at.document.explain(at.offset);
  if (!explanation) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", explanation->markdown}}},
          {"range", json_of(opened(params), explanation->where)}};
}

Json LspServer::definition(const Arguments& params) {
  const Place at = place(params);
  const std::string_view name = at.document.label_at(at.offset);
  Json list = Json::array();
  for (const LabelPlace& each : at.document.definitions())
    if (each.name == name) list.push_back({{"uri", at.document.uri}, {"range", json_of(opened(params), each.where)}});
  return list;
}

/// Ranges of the label at a place.
Json LspServer::labels_at(const Arguments& params, bool with_definitions) {
  const Place at = place(params);
  const auto defines = [&](TextRange range) {
    return std::ranges::binary_search(at.document.definitions(), range.begin, {},
                                      [](const LabelPlace& each) { return each.where.begin; });
  };
  Json list = Json::array();
  for (const TextRange& each : at.document.places_of(at.document.label_at(at.offset)))
    if (with_definitions || !defines(each)) list.push_back(json_of(opened(params), each));
  return list;
}

Json LspServer::references(const Arguments& params) {
  const bool with_definitions = params.required("context").flag_or("includeDeclaration", false);
  Json list = Json::array();
  for (Json& range : labels_at(params, with_definitions))
    list.push_back({{"uri", opened(params).uri}, {"range", std::move(range)}});
  return list;
}

Json LspServer::highlights(const Arguments& params) {
  Json list = Json::array();
  for (Json& range : labels_at(params, true)) list.push_back({{"range", std::move(range)}});
  return list;
}

Json LspServer::symbols(const Arguments& params) {
  constexpr int kind_of_label = 12;  // a function
  const Open& open = opened(params);
  Json list = Json::array();
  for (const LabelPlace& each : open.document->definitions()) {
    const Json range = json_of(open, each.where);
    list.push_back({{"name", each.name}, {"kind", kind_of_label}, {"range", range}, {"selectionRange", range}});
  }
  return list;
}

Json LspServer::prepare_rename(const Arguments& params) {
  const Place at = place(params);
  const std::string_view name = at.document.label_at(at.offset);
  if (name.empty()) return nullptr;
  const auto begin = static_cast<std::size_t>(name.data() - at.document.text.data());
  return json_of(opened(params), {begin, begin + name.size()});
}

Json LspServer::rename(const Arguments& params) {
  const Place at = place(params);
  const std::string name = params.text("newName");
  if (at.document.label_at(at.offset).empty()) throw Refusal{"only labels can be renamed"};
  if (!is_label(name)) throw Refusal{"a label is a letter or \"_\", and then letters, digits and \"_\""};
  if (!at.document.places_of(name).empty()) throw Refusal{"the name " + name.substr(0, 100) + " is already there"};
  Json edits = Json::array();
  for (Json& range : labels_at(params, true)) edits.push_back({{"range", std::move(range)}, {"newText", name}});
  return {{"changes", {{at.document.uri, std::move(edits)}}}};
}

Json LspServer::completion(const Arguments& params) {
  const Place at = place(params);
  const Json range = json_of(opened(params), at.document.name_before(at.offset));
  Json list = Json::array();
  std::set<std::string, std::less<>> named;
  const auto offer = [&](std::string_view name, int kind, std::string_view detail) {
    if (!named.insert(std::string(name)).second) return;
    list.push_back({{"label", name}, {"kind", kind}, {"textEdit", {{"range", range}, {"newText", name}}}});
    if (!detail.empty()) list.back()["detail"] = detail;
  };
  for (const LabelPlace& each : at.document.definitions()) offer(each.name, kind_reference, "label");
  if (at.document.language.machine != nullptr) {
    for (const ManualEntry& entry : manual_of(*at.document.language.machine).entries)
      offer(entry.mnemonic, kind_function, entry.title);
  } else {
    for (std::size_t i = 0; i < scoreboard::function_count; ++i) {
      const auto function = static_cast<scoreboard::Function>(i);
      offer(name(function), kind_function, "function of a unit of class " + std::string(name(class_of(function))));
    }
    for (std::size_t i = 0; i < scoreboard::unit_class_count; ++i)
      offer(name(static_cast<scoreboard::UnitClass>(i)), kind_keyword, "class of units");
  }
  return {{"isIncomplete", false}, {"items", std::move(list)}};
}

Json LspServer::inlay_hints(const Arguments& params) {
  const Open& open = opened(params);
  const Arguments range = params.required("range");
  const Position begin = position_of(range.required("start")), end = position_of(range.required("end"));
  Json list = Json::array();
  for (const Cost& cost : open.document->costs()) {
    const Position at = open.positions->at(cost.where.begin);
    if (at.line < begin.line || at.line > end.line) continue;
    list.push_back({{"position", servers::json_of(at)},
                    {"label", cost.text},
                    {"paddingLeft", true},
                    {"tooltip", cost.explanation}});
  }
  return list;
}

}  // namespace mobula::servers
