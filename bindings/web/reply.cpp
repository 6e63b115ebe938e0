#include "reply.h"

namespace mobula::web {
namespace {

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Json to_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& each : diagnostics) {
    Json row{{"severity", name(each.severity)},
             {"code", each.code},
             {"line", each.where.line},
             {"column", each.where.column},
             {"length", each.where.length},
             {"message", each.message},
             {"hint", each.hint}};
    if (each.where.byte_offset) row["offset"] = *each.where.byte_offset;
    list.push_back(std::move(row));
  }
  return list;
}
Answer refuse(const Diagnostics& diagnostics) {
  return {text_of({{"ok", false}, {"diagnostics", to_json(diagnostics)}, {"text", render(diagnostics)}}), {}};
}
Answer done(Json json) {
  json["ok"] = true;
  return {text_of(json), {}};
}

std::string given(const Json& request, const char* member) {
  const auto found = request.find(member);
  return found != request.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace mobula::web
