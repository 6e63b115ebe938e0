#include "servers/lsp_server.h"

#include <gmock/gmock.h>

#include "mobula/isa/machine.h"

namespace mobula::servers {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view loop_text =
    "// a loop \xF0\x9F\x98\x80\n"
    ".gpu t860\n"
    "\n"
    "again:\n"
    "{\n"
    "  vadd.FADD.f32 R0, R0, #1.0\n"
    "  smul.FCMP.lt.i32 COND.w, R0.x, #4.0\n"
    "  brx.cond.true again\n"
    "}\n"
    "{\n"
    "  vmul.MOV.i32 R0, _, R0\n"
    "  brx.write.always again2\n"
    "}\n"
    "again2:\n"
    "{\n"
    "  vmul.MOV.i32 R1, _, R0\n"
    "  break\n"
    "}\n";

class Lsp : public testing::Test {
 protected:
  /// Sends messages, and keeps what comes back.
  void send(const Json& message) { send_content({message.dump()}); }
  void send_content(const std::vector<std::string>& contents) {
    for (const std::string& each : contents) server.receive(each);
    while (server.work()) {
    }
  }
  void keep(std::string_view content) {
    Json each = Json::parse(content);
    EXPECT_EQ(each["jsonrpc"], "2.0");
    (each.contains("id") ? answers : notices).push_back(std::move(each));
  }
  Json ask(const std::string& method, Json params) {
    const int id = ++last_id;
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
    if (answers.empty() || answers.back()["id"] != id) return "no answer";
    return answers.back().contains("result") ? answers.back()["result"] : answers.back()["error"];
  }
  void tell(const std::string& method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }
  Json start(std::vector<std::string> encodings = {}) {
    Json params{{"capabilities", Json::object()}};
    if (!encodings.empty()) params["capabilities"]["general"]["positionEncodings"] = encodings;
    Json answer = ask("initialize", params);
    tell("initialized", Json::object());
    return answer;
  }
  void open(std::string_view text, const std::string& language = "midgard", const std::string& name = "file:///t.mdg") {
    tell("textDocument/didOpen",
         {{"textDocument", {{"uri", name}, {"languageId", language}, {"version", 1}, {"text", text}}}});
  }
  /// The newest findings.
  Json findings() { return notices.empty() ? Json("none") : notices.back()["params"]["diagnostics"]; }
  static Json place(int line, int character) {
    return {{"textDocument", {{"uri", "file:///t.mdg"}}}, {"position", {{"line", line}, {"character", character}}}};
  }
  static Json range(int line, int from, int to) {
    return {{"start", {{"line", line}, {"character", from}}}, {"end", {{"line", line}, {"character", to}}}};
  }
  Json hints(const std::string& uri = "file:///t.mdg") {
    return ask("textDocument/inlayHint",
               {{"textDocument", {{"uri", uri}}},
                {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 999}, {"character", 0}}}}}});
  }

  Leaving leaving = Leaving::silent;
  LspServer server{"1.2.3", [this](std::string_view content) { keep(content); }, leaving};
  std::vector<Json> answers, notices;
  int last_id = 0;
};

TEST_F(Lsp, SaysWhatItCanDo) {
  const Json answer = start();
  EXPECT_EQ(answer["serverInfo"], (Json{{"name", "mobula"}, {"version", "1.2.3"}}));
  EXPECT_EQ(answer["capabilities"]["positionEncoding"], "utf-16");
  EXPECT_EQ(answer["capabilities"]["textDocumentSync"]["change"], 1);
  EXPECT_EQ(ask("initialize", Json::object())["code"], -32600);
}

TEST_F(Lsp, TheClientsNameForTheLanguageGoesBeforeTheFiles) {
  start();
  const auto code = [&](const char* language, const char* file) {
    open("nonsense nonsense\n", language, file);
    return findings().empty() ? std::string() : findings()[0].value("code", std::string()).substr(0, 2);
  };
  EXPECT_EQ(code("midgard", "file:///a.rgasm"), "MD");
  EXPECT_EQ(code("midgard", "file:///a.sb"), "MD");
  EXPECT_EQ(code("scoreboard", "file:///a.mdg"), "SB");
  EXPECT_EQ(code("plaintext", "file:///b.rgasm"), "RG");
  EXPECT_EQ(code("plaintext", "file:///b.gpasm"), "GP");
  EXPECT_EQ(code("asm", "file:///b.mdg"), "MD");
  EXPECT_EQ(code("asm", "file:///b.sb"), "SB");
  const std::size_t before = notices.size();
  open("nonsense\n", "plaintext", "file:///a.txt");
  EXPECT_EQ(notices.size(), before) << "nothing says what it is";
}

/// Whatever of the manual stands in a text of its machine can be pointed at there.
TEST_F(Lsp, ShowsEveryEntryOfEveryManual) {
  start();
  for (const Machine* machine : machines()) {
    const Manual manual = machine->manual();
    std::string text;
    for (const ManualEntry& entry : manual.entries) text += entry.mnemonic + '\n';
    open(text, std::string(machine->name()));
    for (std::size_t line = 0; line < manual.entries.size(); ++line) {
      const std::string& name = manual.entries[line].mnemonic;
      if (name.find('+') != std::string::npos) continue;  // a register and a distance are two names
      if (!manual.entries[line].in_words) continue;
      bool found = false;
      for (std::size_t at = 0; at < name.size() && !found; ++at) {
        const Json hover = ask("textDocument/hover", place(static_cast<int>(line), static_cast<int>(at)));
        found = hover.is_object() &&
                hover["contents"]["value"].get<std::string>().find("**" + name + "**") != std::string::npos;
      }
      EXPECT_TRUE(found) << machine->name() << ' ' << name;
    }
  }
}

TEST_F(Lsp, ShowsRegistersAndDirectives) {
  start();
  const auto hover = [&](const char* language, const char* text, int character) {
    open(text, language);
    const Json answer = ask("textDocument/hover", place(0, character));
    return answer.is_object() ? answer["contents"]["value"].get<std::string>() : std::string("nothing");
  };
  for (const char* language : {"midgard", "utgard-gp", "rogue", "afuc"})
    EXPECT_THAT(hover(language, ".machine x\n", 3), HasSubstr("What the text is for")) << language;
  EXPECT_THAT(hover("midgard", ".stage fragment\n", 2), HasSubstr("vertex, fragment or compute"));
  EXPECT_THAT(hover("rogue", "mov r12, sh3\n", 5), HasSubstr("r0 to r247, of each instance"));
  EXPECT_THAT(hover("rogue", "mov r12, sh3\n", 10), HasSubstr("what all instances of a task share"));
  EXPECT_THAT(hover("rogue", "mov r12, sc31\n", 10), HasSubstr("special constant"));
  EXPECT_EQ(hover("rogue", "mov shx\n", 5), "nothing");
  EXPECT_THAT(hover("utgard-gp", "{ p0 = attr3; st0 v1.x = m0 }\n", 8), HasSubstr("an attribute"));
  EXPECT_THAT(hover("utgard-gp", "{ p0 = attr3; st0 v1.x = m0 }\n", 18), HasSubstr("a varying"));
}

TEST_F(Lsp, TakesTheEncodingThatTheClientLikesBest) {
  EXPECT_EQ(start({"klingon", "utf-8", "utf-16"})["capabilities"]["positionEncoding"], "utf-8");
}

TEST_F(Lsp, TellsErrorsOfTheAssembler) {
  start();
  open("// \xF0\x9F\x98\x80\n{\n  vmul.FMULL.f32 R0, R1, R2\n}\n");
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_EQ(findings()[0]["severity"], 1);
  EXPECT_EQ(findings()[0]["code"], "MD102");
  EXPECT_EQ(findings()[0]["source"], "mobula");
  EXPECT_EQ(findings()[0]["range"]["start"], (Json{{"line", 2}, {"character", 7}}));
  EXPECT_THAT(findings()[0]["message"].get<std::string>(), HasSubstr("hint: did you mean"));
  EXPECT_EQ(notices.back()["params"]["version"], 1);
}

TEST_F(Lsp, TellsWhatTheRulesSayAtTheirWords) {
  start();
  open("{\n  vmul.MOV.i32 R0, _, R30\n}\n\n{\n  sadd.FMUL.f32 R0.x, R1.x, R2.x\n  break\n}\n");
  const Json all = findings();
  ASSERT_TRUE(all.is_array());
  ASSERT_FALSE(all.empty());
  bool second = false;
  for (const Json& each : all) {
    EXPECT_TRUE(each.contains("code")) << each;
    second = second || each["range"] == range(5, 2, 32);
  }
  EXPECT_TRUE(second) << all;
}

TEST_F(Lsp, FollowsVersions) {
  start();
  open("nonsense\n");
  EXPECT_FALSE(findings().empty());
  tell("textDocument/didChange", {{"textDocument", {{"uri", "file:///t.mdg"}, {"version", 7}}},
                                  {"contentChanges", {{{"text", "more nonsense"}}, {{"text", loop_text}}}}});
  EXPECT_EQ(notices.back()["params"]["version"], 7);
  for (const Json& each : findings()) EXPECT_NE(each["severity"], 1) << each;
  tell("textDocument/didClose", {{"textDocument", {{"uri", "file:///t.mdg"}}}});
  EXPECT_EQ(notices.back()["params"], (Json{{"uri", "file:///t.mdg"}, {"diagnostics", Json::array()}}));
}

/// Pieces are not what was agreed on, but what is meant is clear.
TEST_F(Lsp, TakesPiecesOfTexts) {
  start();
  open("{\n  vmul.FMUL.f32 R0.x, R0.y, R0.z\n}\n");
  EXPECT_TRUE(findings().empty()) << findings();
  const auto change = [&](Json changes) {
    tell("textDocument/didChange",
         {{"textDocument", {{"uri", "file:///t.mdg"}, {"version", 2}}}, {"contentChanges", std::move(changes)}});
  };
  change(Json::array({{{"range", range(1, 7, 11)}, {"text", "NOTHING"}}}));
  ASSERT_EQ(findings().size(), 1u) << findings();
  EXPECT_EQ(notices.back()["params"]["version"], 2);
  change(Json::array({{{"range", range(1, 7, 14)}, {"text", "FADD"}}, {{"range", range(1, 2, 6)}, {"text", "vadd"}}}));
  EXPECT_TRUE(findings().empty()) << findings();
  change(Json::array({{{"text", ""}}, {{"range", range(900, 0, 3)}, {"text", "nonsense\n"}}}));
  EXPECT_EQ(findings().size(), 1u) << "behind the end is at the end";
  const std::size_t before = notices.size();
  change(Json::array({{{"range", range(0, 8, 2)}, {"text", "x"}}}));
  EXPECT_EQ(notices.size(), before) << "a range has an order";
}

TEST_F(Lsp, PointsAtZeroBytes) {
  start();
  for (const char* language : {"midgard", "utgard-gp", "rogue", "afuc"}) {
    open(std::string_view("// a\n// b\0c\n", 12), language);
    ASSERT_EQ(findings().size(), 1u) << findings();
    EXPECT_EQ(findings()[0]["range"], range(1, 4, 5));
  }
}

TEST_F(Lsp, CarriageReturnsEndLines) {
  start();
  open("// a\r{\r\n  vmul.FMUL.f32 R0.x, R0.y, R0.z\r}\r");
  EXPECT_TRUE(findings().empty()) << findings();
  open("// a\rnonsense\r");
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_EQ(findings()[0]["range"]["start"], range(1, 0, 8)["start"]);
}

TEST_F(Lsp, LooksOnlyAtTheNewestOfSeveralVersions) {
  start();
  open(loop_text);
  const std::size_t before = notices.size();
  std::vector<std::string> contents;
  for (int version = 2; version < 50; ++version)
    contents.push_back(Json{{"jsonrpc", "2.0"},
                            {"method", "textDocument/didChange"},
                            {"params",
                             {{"textDocument", {{"uri", "file:///t.mdg"}, {"version", version}}},
                              {"contentChanges", {{{"text", loop_text}}}}}}}
                           .dump());
  send_content(contents);
  EXPECT_EQ(notices.size(), before + 1);
  EXPECT_EQ(notices.back()["params"]["version"], 49);
}

TEST_F(Lsp, ExplainsFromTheManual) {
  start();
  open(loop_text);
  const Json hover = ask("textDocument/hover", place(6, 9));
  EXPECT_EQ(hover["range"], range(6, 7, 14)) << "FCMP.lt of smul.FCMP.lt.i32";
  EXPECT_THAT(hover["contents"]["value"].get<std::string>(), AllOf(HasSubstr("**FCMP.lt**"), HasSubstr("ALU 0x82")));
  EXPECT_THAT(ask("textDocument/hover", place(3, 2))["contents"]["value"].get<std::string>(),
              AllOf(HasSubstr("**again** label"), HasSubstr("byte 0x0")));
  EXPECT_TRUE(ask("textDocument/hover", place(4, 0)).is_null());
  EXPECT_TRUE(ask("textDocument/hover", place(2, 0)).is_null());
}

TEST_F(Lsp, KnowsLabels) {
  start();
  open(loop_text);
  const Json symbols = ask("textDocument/documentSymbol", {{"textDocument", {{"uri", "file:///t.mdg"}}}});
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols[0]["name"], "again");
  EXPECT_EQ(symbols[0]["range"], range(3, 0, 5));
  const Json definition = ask("textDocument/definition", place(7, 18));
  ASSERT_EQ(definition.size(), 1u);
  EXPECT_EQ(definition[0]["range"], range(3, 0, 5));
  EXPECT_EQ(definition[0]["uri"], "file:///t.mdg");
  Json params = place(3, 5);
  params["context"]["includeDeclaration"] = false;
  const Json uses = ask("textDocument/references", params);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0]["range"], range(7, 16, 21));
  params["context"]["includeDeclaration"] = true;
  EXPECT_EQ(ask("textDocument/references", params).size(), 2u);
  EXPECT_EQ(ask("textDocument/documentHighlight", place(3, 0)).size(), 2u);
  EXPECT_TRUE(ask("textDocument/definition", place(5, 9)).empty());
}

TEST_F(Lsp, RenamesLabels) {
  start();
  open(loop_text);
  EXPECT_EQ(ask("textDocument/prepareRename", place(7, 18)), range(7, 16, 21));
  EXPECT_TRUE(ask("textDocument/prepareRename", place(5, 9)).is_null());
  Json params = place(7, 18);
  params["newName"] = "more";
  const Json edits = ask("textDocument/rename", params)["changes"]["file:///t.mdg"];
  EXPECT_EQ(edits, (Json{{{"range", range(3, 0, 5)}, {"newText", "more"}},
                         {{"range", range(7, 16, 21)}, {"newText", "more"}}}));
  for (const char* bad : {"", "4ever", "two words", "again2", "R0"}) {
    params["newName"] = bad;
    EXPECT_EQ(ask("textDocument/rename", params)["code"], -32602) << bad;
  }
}

TEST_F(Lsp, Completes) {
  start();
  open(loop_text);
  const Json answer = ask("textDocument/completion", place(6, 9));
  std::vector<std::string> labels;
  for (const Json& each : answer["items"]) labels.push_back(each["label"]);
  EXPECT_THAT(labels, AllOf(Contains("again"), Contains("FADD"), Contains("FCMP.lt"), Contains("LD_VARY.f32")));
  EXPECT_EQ(answer["items"][0]["textEdit"]["range"], range(6, 7, 9));
}

TEST_F(Lsp, ShowsCyclesBesideWords) {
  start();
  open(loop_text);
  const Json answer = hints();
  ASSERT_GE(answer.size(), 2u);
  EXPECT_EQ(answer[0]["position"], (Json{{"line", 4}, {"character", 1}}));
  EXPECT_THAT(answer[0]["label"].get<std::string>(), HasSubstr(" cycle"));
  EXPECT_THAT(answer[0]["tooltip"].get<std::string>(), HasSubstr("executing"));
  open("nonsense");
  EXPECT_TRUE(hints().empty());
}

TEST_F(Lsp, KnowsEveryMachine) {
  start();
  for (const Machine* machine : machines()) {
    const std::string name(machine->name()), uri = "file:///" + name;
    open("nonsense nonsense {", name, uri);
    EXPECT_FALSE(findings().empty()) << name;
    EXPECT_EQ(notices.back()["params"]["uri"], uri);
    (void)hints(uri);
  }
  open("nonsense", "cobol", "file:///t.cob");
  EXPECT_NE(notices.back()["params"]["uri"], "file:///t.cob");
}

TEST_F(Lsp, KnowsWorkloads) {
  start();
  open("reg I1 = 34\n0 mul d=I1 s=I1,I1 # \xC3\xA4\n\nad d=I2 s=I1\n", "plaintext", "file:///w.sb");
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_EQ(findings()[0]["range"], range(3, 0, 2));
  open("reg I1 = 34\n0 mul d=I1 s=I1,I1 # \xC3\xA4\n\nadd d=I2 s=I1\n", "plaintext", "file:///w.sb");
  EXPECT_TRUE(findings().empty());
  const Json answer = hints("file:///w.sb");
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_EQ(answer[0]["position"], (Json{{"line", 1}, {"character", 22}}));
  EXPECT_EQ(answer[1]["position"]["line"], 3);
  EXPECT_THAT(answer[0]["label"].get<std::string>(), HasSubstr("clocks "));
}

TEST_F(Lsp, BadPlacesAreErrorsAndNotTheEnd) {
  start();
  open(loop_text);
  EXPECT_EQ(ask("textDocument/hover", place(99, 0))["code"], -32602);
  EXPECT_EQ(ask("textDocument/hover", place(-1, 0))["code"], -32602);
  EXPECT_EQ(ask("textDocument/hover", place(0, -1))["code"], -32602);
  Json params = place(0, 0);
  params["position"]["line"] = 1e300;
  EXPECT_EQ(ask("textDocument/hover", params)["code"], -32602);
  params["position"] = "here";
  EXPECT_EQ(ask("textDocument/hover", params)["code"], -32602);
  params = place(0, 0);
  params["textDocument"]["uri"] = "file:///other";
  EXPECT_EQ(ask("textDocument/hover", params)["code"], -32602);
  EXPECT_TRUE(ask("textDocument/hover", place(0, 9999)).is_null()) << "what is after a line is its end";
}

TEST_F(Lsp, ParametersOfAnotherTypeAreErrors) {
  const auto expect_refused = [&](const std::string& method, const Json& params, const std::string& member) {
    const Json answer = ask(method, params);
    EXPECT_EQ(answer.value("code", 0), -32602) << method << params;
    EXPECT_EQ(answer.value("message", ""), method + ": \"" + member + "\" must be an object");
  };
  for (const Json& wrong : {Json(7), Json("x"), Json::array(), Json(true)}) {
    expect_refused("initialize", wrong, "params");
    expect_refused("initialize", {{"capabilities", wrong}}, "capabilities");
    expect_refused("initialize", {{"capabilities", {{"general", wrong}}}}, "general");
  }
  EXPECT_TRUE(ask("initialize", nullptr).contains("capabilities")) << "what was refused began nothing";
  open(loop_text);
  for (const char* method :
       {"textDocument/hover", "textDocument/definition", "textDocument/references", "textDocument/documentHighlight",
        "textDocument/documentSymbol", "textDocument/prepareRename", "textDocument/rename", "textDocument/completion",
        "textDocument/inlayHint", "shutdown"})
    for (const Json& wrong : {Json(7), Json("x"), Json::array(), Json(true)}) expect_refused(method, wrong, "params");
  tell("textDocument/didOpen", 7);
  EXPECT_FALSE(ask("textDocument/hover", place(3, 0)).contains("code")) << "and it goes on";
  EXPECT_TRUE(ask("shutdown", nullptr).is_null());
  tell("exit", 7);
  EXPECT_EQ(leaving, Leaving::good) << "nobody waits for an answer: the end is the end";
}

TEST_F(Lsp, ErrorsHaveReasons) {
  start();
  open(loop_text);
  const auto reason = [&](const char* method, const Json& params) {
    return ask(method, params).value("message", std::string("no error"));
  };
  EXPECT_EQ(reason("textDocument/hover", Json::object()), "textDocument/hover: \"textDocument\" must be an object");
  EXPECT_EQ(reason("textDocument/hover", {{"textDocument", {{"uri", 3}}}}),
            "textDocument/hover: \"uri\" must be a text");
  EXPECT_EQ(reason("textDocument/hover", {{"textDocument", {{"uri", "file:///t.mdg"}}}}),
            "textDocument/hover: \"position\" must be an object");
  EXPECT_EQ(reason("textDocument/hover", place(-1, 0)), "textDocument/hover: \"line\" must be a number from 0");
  EXPECT_EQ(reason("textDocument/hover", place(99, 0)), "textDocument/hover: there is no line 99; the text has 19");
  Json rename = place(3, 0);
  EXPECT_EQ(reason("textDocument/rename", rename), "textDocument/rename: \"newName\" must be a text");
  EXPECT_EQ(reason("textDocument/references", place(3, 0)), "textDocument/references: \"context\" must be an object");
  EXPECT_EQ(reason("textDocument/inlayHint", place(3, 0)), "textDocument/inlayHint: \"range\" must be an object");
  send_content({"{\"id\": 1, nonsense"});
  EXPECT_THAT(answers.back()["error"]["message"].get<std::string>(), HasSubstr("it goes wrong at byte 12 of 18"));
}

/// Letters of two, three and four bytes before what is meant.
TEST_F(Lsp, PlacesAreCountedInTheClientsUnits) {
  constexpr std::string_view comments =
      "// \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 again\nagain:\n{\n  vmul.MOV.i32 R0, _, R1 // \xF0\x9F\x98\x80 again\n"
      "  brx.write.always again\n}\n";
  for (const auto& [encoding, comment_at] :
       std::initializer_list<std::pair<const char*, int>>{{"utf-8", 33}, {"utf-16", 31}, {"utf-32", 30}}) {
    LspServer other(
        "1", [this](std::string_view content) { keep(content); }, leaving);
    const auto tell_other = [&](const Json& message) {
      other.receive(message.dump());
      while (other.work()) {
      }
    };
    tell_other({{"id", 1},
                {"method", "initialize"},
                {"params", {{"capabilities", {{"general", {{"positionEncodings", Json::array({encoding})}}}}}}}});
    const auto open_other = [&](std::string_view content) {
      tell_other({{"method", "textDocument/didOpen"},
                  {"params",
                   {{"textDocument",
                     {{"uri", "file:///t.mdg"}, {"languageId", "midgard"}, {"version", 1}, {"text", content}}}}}});
    };
    open_other(comments);
    tell_other({{"id", 2},
                {"method", "textDocument/references"},
                {"params",
                 {{"textDocument", {{"uri", "file:///t.mdg"}}},
                  {"position", {{"line", 1}, {"character", 2}}},
                  {"context", {{"includeDeclaration", true}}}}}});
    const Json found = answers.back()["result"];
    bool in_comment = false;
    for (const Json& each : found)
      in_comment = in_comment || each["range"]["start"] == Json{{"line", 3}, {"character", comment_at}};
    EXPECT_TRUE(in_comment) << encoding << found;
    tell_other(
        {{"id", 3},
         {"method", "textDocument/hover"},
         {"params", {{"textDocument", {{"uri", "file:///t.mdg"}}}, {"position", {{"line", 4}, {"character", 20}}}}}});
    EXPECT_EQ(answers.back()["result"]["range"], range(4, 19, 24)) << encoding;
  }
}

TEST_F(Lsp, AnswersWhatItDoesNotKnow) {
  EXPECT_EQ(ask("textDocument/hover", place(0, 0))["code"], -32002);
  start();
  EXPECT_EQ(ask("textDocument/fold", Json::object())["code"], -32601);
  EXPECT_EQ(ask("textDocument/hover", 3)["code"], -32602);
  EXPECT_EQ(ask("textDocument/hover", nullptr)["code"], -32602);
  const std::size_t before = answers.size();
  tell("$/whatever", Json::object());
  tell("textDocument/didOpen", 3);
  tell("textDocument/didChange",
       {{"textDocument", {{"uri", "file:///closed"}, {"version", 1}}}, {"contentChanges", Json::array()}});
  send({{"jsonrpc", "2.0"}, {"id", 5}, {"result", nullptr}});
  for (const Json& params : {Json(3), Json(nullptr), Json::array(), Json::object()}) tell("$/cancelRequest", params);
  EXPECT_EQ(answers.size(), before);
  for (const Json& message :
       {Json(3), Json::array(), Json::object(), Json{{"method", 3}}, Json{{"method", "x"}, {"id", Json::array()}}}) {
    send(message);
    EXPECT_EQ(answers.back()["error"]["code"], -32600) << message;
  }
  send_content({"{nonsense"});
  EXPECT_EQ(answers.back()["error"]["code"], -32700);
  send_content({std::string(100'000, '[')});
  EXPECT_EQ(answers.back()["error"]["code"], -32700);
  EXPECT_FALSE(server.is_over());
}

TEST_F(Lsp, CancelsWhatWaits) {
  start();
  open(loop_text);
  send_content({Json{{"id", "a"}, {"method", "textDocument/hover"}, {"params", place(6, 9)}}.dump(),
                Json{{"method", "$/cancelRequest"}, {"params", {{"id", "a"}}}}.dump()});
  EXPECT_EQ(answers.back()["id"], "a");
  EXPECT_EQ(answers.back()["error"]["code"], -32800);
  tell("$/cancelRequest", {{"id", "long gone"}});
  EXPECT_TRUE(ask("textDocument/hover", place(6, 9)).contains("contents"));
}

TEST_F(Lsp, EndsAsItShould) {
  start();
  EXPECT_TRUE(ask("shutdown", nullptr).is_null());
  EXPECT_EQ(ask("textDocument/hover", place(0, 0))["code"], -32600);
  tell("exit", nullptr);
  EXPECT_TRUE(server.is_over());
  EXPECT_EQ(leaving, Leaving::good);
}

TEST_F(Lsp, KnowsExitAlone) {
  start();
  tell("exit", nullptr);
  EXPECT_EQ(leaving, Leaving::abrupt);
}

}  // namespace
}  // namespace mobula::servers
