// A debug adapter and a client in one process.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "mobula/lab/load.h"
#include "mobula/scoreboard/scoreboard.h"
#include "paths.h"
#include "servers/dap/server.h"

namespace mobula::servers::dap {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string example(const std::string& name) { return test::source_file("examples/" + name); }

/// A client that keeps all it hears.
class Client {
 public:
  explicit Client(Compile compile = {})
      : server_([this](std::string_view content) { heard_.push_back(Json::parse(content)); }, std::move(compile)) {}

  void send(const std::string& command, const Json& arguments = Json::object()) {
    server_.receive(
        Json{{"seq", ++sequence_}, {"type", "request"}, {"command", command}, {"arguments", arguments}}.dump());
  }
  void send_text(std::string_view content) { server_.receive(content); }
  void work(int most = 100000) {
    for (int i = 0; i < most && server_.work(); ++i) {
    }
  }
  /// The answer; events are kept.
  Json ask(const std::string& command, const Json& arguments = Json::object()) {
    send(command, arguments);
    return answer_to(sequence_);
  }
  Json answer_to(std::int64_t sequence) {
    work();
    for (const Json& each : heard_)
      if (each.value("request_seq", 0) == sequence) return each;
    ADD_FAILURE() << "no answer to request " << sequence;
    return {};
  }
  /// The body of an answer that is no error.
  Json body(const std::string& command, const Json& arguments = Json::object()) {
    const Json answer = ask(command, arguments);
    EXPECT_TRUE(answer["success"]) << answer;
    return answer.value("body", Json());
  }
  std::string refusal(const std::string& command, const Json& arguments = Json::object()) {
    const Json answer = ask(command, arguments);
    EXPECT_FALSE(answer["success"]) << answer;
    return answer.value("message", "");
  }
  /// The last event of a name.
  Json event(const std::string& name) {
    for (auto each = heard_.rbegin(); each != heard_.rend(); ++each)
      if (each->value("event", "") == name) return each->value("body", Json::object());
    ADD_FAILURE() << "no event " << name;
    return {};
  }
  [[nodiscard]] bool has_event(const std::string& name) const {
    return std::ranges::any_of(heard_, [&](const Json& each) { return each.value("event", "") == name; });
  }
  std::vector<Json>& heard() { return heard_; }
  Server& server() { return server_; }
  [[nodiscard]] std::int64_t last() const { return sequence_; }

 private:
  std::vector<Json> heard_;
  std::int64_t sequence_ = 0;
  Server server_;
};

/// Three threads of a loop over L4 (0x40) that ends at L13 (0xd0); thread i does i + 1 turns.
class Dap : public testing::Test {
 protected:
  void launch(Json more = Json::object()) {
    Json arguments{{"program", example("loop.vert.bin")}, {"inputs", inputs_}};
    arguments.update(more);
    client.body("initialize", {{"adapterID", "mobula"}});
    client.body("launch", arguments);
    EXPECT_TRUE(client.has_event("initialized"));
  }
  void start(Json more = Json::object()) {
    launch(std::move(more));
    client.body("configurationDone");
  }
  /// Address of a thread's next word.
  std::string at(int thread) {
    const Json frames = client.body("stackTrace", {{"threadId", thread}})["stackFrames"];
    return frames.empty() ? "" : frames[0].value("instructionPointerReference", "");
  }
  std::string value(const std::string& expression, int frame = 1) {
    return client.body("evaluate", {{"expression", expression}, {"frameId", frame}})["result"];
  }
  std::int64_t scope(const std::string& name, int frame = 1) {
    const Json all = client.body("scopes", {{"frameId", frame}})["scopes"];
    for (const Json& each : all)
      if (each["name"] == name) return each["variablesReference"];
    ADD_FAILURE() << "no scope " << name;
    return 0;
  }

  Client client;
  const std::string inputs_ = test::source_file("tests/servers/data/loop.inputs.json");
};

TEST_F(Dap, BeginsBeforeTheFirstWord) {
  EXPECT_TRUE(client.body("initialize")["supportsStepBack"]);
  EXPECT_THAT(client.refusal("stackTrace", {{"threadId", 1}}), HasSubstr("no program was launched"));
  start();
  EXPECT_EQ(client.event("stopped")["reason"], "entry");
  EXPECT_EQ(client.event("stopped")["threadId"], 1);
  EXPECT_EQ(client.body("threads")["threads"].size(), 3u);
  EXPECT_EQ(at(1), "0x0");
  EXPECT_THAT(client.refusal("launch", {{"program", inputs_}}), HasSubstr("already"));
}

TEST_F(Dap, SaysWhyItCannotLaunch) {
  client.body("initialize");
  EXPECT_THAT(client.refusal("launch"), HasSubstr("\"program\" must be a text"));
  EXPECT_THAT(client.refusal("launch", {{"program", "/nowhere"}}), HasSubstr("/nowhere"));
  EXPECT_THAT(client.refusal("launch", {{"program", example("loop.vert.bin")}, {"machine", "nosuch"}}),
              HasSubstr("nosuch"));
  EXPECT_THAT(client.refusal("launch", {{"program", example("loop.vert.bin")}, {"threads", 0}}), HasSubstr("threads"));
  EXPECT_THAT(client.refusal("launch", {{"program", example("firmware.afuc")}, {"machine", "afuc"}}),
              HasSubstr("firmware"));
}

/// Only where the code of a line begins is told; what follows is the line's, too.
TEST(DapSource, StepsByLinesOfWhatWasCompiled) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "compiled.frag";
  std::ofstream(file) << "first\nsecond\n";
  Program made = *load_program_file(example("checker.frag.bin"), "midgard");
  made.file = file.string();
  made.lines = {{0, 1}, {0x40, 2}};
  Client client([&](const std::string&, std::span<const std::uint8_t>, const std::string&) {
    return Result<std::optional<Program>>(made);
  });
  client.body("initialize");
  client.body("launch", {{"program", file.string()}, {"inputs", example("checker.inputs.json")}});
  client.body("configurationDone");
  const auto line = [&] { return client.body("stackTrace", {{"threadId", 1}})["stackFrames"][0]["line"]; };
  EXPECT_EQ(line(), 1);
  client.body("next", {{"threadId", 1}, {"granularity", "instruction"}});
  EXPECT_EQ(line(), 1);
  client.body("next", {{"threadId", 1}});
  EXPECT_EQ(line(), 2);
  const Json locations = client.body(
      "breakpointLocations", {{"source", {{"path", file.string()}}}, {"line", 1}, {"endLine", 9}})["breakpoints"];
  EXPECT_EQ(locations.size(), 2u) << locations;
  std::filesystem::remove(file);
}

/// Lines in a side file are those of a text that is not there.
TEST(DapSource, MachineCodeIsShownAsAListing) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "dap_lines";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(example("checker.frag.bin"), folder / "a.bin",
                             std::filesystem::copy_options::overwrite_existing);
  std::ifstream from(example("checker.frag.json"));
  Json side = Json::parse(from);
  side["lines"] = {{0, 13}, {64, 17}};
  std::ofstream(folder / "a.json") << side;
  Client client;
  client.body("initialize");
  client.body(
      "launch",
      {{"program", (folder / "a.bin").string()}, {"machine", "midgard"}, {"inputs", example("checker.inputs.json")}});
  client.body("configurationDone");
  const Json frame = client.body("stackTrace", {{"threadId", 1}})["stackFrames"][0];
  EXPECT_EQ(frame["source"].value("sourceReference", 0), 1) << frame;
  EXPECT_THAT(client.body("source", {{"sourceReference", 1}})["content"].get<std::string>(), HasSubstr("LD_VARY"));
  std::filesystem::remove_all(folder);
}

TEST_F(Dap, StepsForwardAndBack) {
  start();
  client.body("next", {{"threadId", 1}});
  EXPECT_EQ(at(1), "0x10");
  client.body("stepIn", {{"threadId", 1}, {"granularity", "instruction"}});
  EXPECT_EQ(at(1), "0x20");
  client.body("stepBack", {{"threadId", 1}});
  EXPECT_EQ(at(1), "0x10");
  client.body("reverseContinue", {{"threadId", 1}});
  EXPECT_EQ(at(1), "0x0");
  EXPECT_EQ(client.event("stopped")["reason"], "entry");
  client.body("stepBack", {{"threadId", 1}});
  EXPECT_EQ(client.event("stopped")["description"], "Paused at the start");
  EXPECT_THAT(client.refusal("next", {{"threadId", 1}, {"granularity", "atom"}}), HasSubstr("granularity"));
  EXPECT_THAT(client.refusal("next", {{"threadId", 9}}), HasSubstr("no thread with the id 9"));
}

TEST_F(Dap, StopsAtLinesOfTheListing) {
  launch();
  const Json source = client.body("loadedSources")["sources"][0];
  const std::string text =
      client.body("source", {{"sourceReference", source["sourceReference"]}, {"source", source}})["content"];
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("L13:")), '\n');
  const Json set =
      client.body("setBreakpoints", {{"source", source}, {"breakpoints", {{{"line", line}}, {{"line", 9999}}}}});
  EXPECT_TRUE(set["breakpoints"][0]["verified"]);
  EXPECT_EQ(set["breakpoints"][0]["line"], line + 1) << "a label is no word";
  EXPECT_EQ(set["breakpoints"][0]["instructionReference"], "0xd0");
  EXPECT_FALSE(set["breakpoints"][1]["verified"]);
  client.body("configurationDone");
  for (int thread = 1; thread <= 3; ++thread) {
    client.body("continue", {{"threadId", 1}});
    EXPECT_EQ(client.event("stopped")["reason"], "breakpoint");
    EXPECT_EQ(client.event("stopped")["threadId"], thread);
    EXPECT_EQ(client.event("stopped")["hitBreakpointIds"], Json::array({set["breakpoints"][0]["id"]}));
    EXPECT_EQ(at(thread), "0xd0");
  }
  client.body("setBreakpoints", {{"source", source}, {"breakpoints", Json::array()}});
  client.body("continue", {{"threadId", 1}});
  EXPECT_EQ(client.event("exited")["exitCode"], 0);
  EXPECT_TRUE(client.has_event("terminated"));
}

TEST_F(Dap, StopsAtLinesOfAssemblyText) {
  const std::string file = example("negative.comp.mdg");
  launch({{"program", file}, {"machine", "midgard"}, {"inputs", example("negative.inputs.json")}});
  EXPECT_EQ(client.body("loadedSources")["sources"][0]["path"], file);
  const Json where = client.body("breakpointLocations", {{"source", {{"path", file}}}, {"line", 1}, {"endLine", 999}});
  const int line = where["breakpoints"][1]["line"];
  const Json set = client.body("setBreakpoints", {{"source", {{"path", file}}}, {"breakpoints", {{{"line", line}}}}});
  EXPECT_EQ(set["breakpoints"][0]["line"], line);
  client.body("configurationDone");
  client.body("continue", {{"threadId", 1}});
  const Json frame = client.body("stackTrace", {{"threadId", 1}})["stackFrames"][0];
  EXPECT_EQ(frame["line"], line);
  EXPECT_EQ(frame["source"]["path"], file);
  EXPECT_FALSE(client.body("setBreakpoints", {{"source", {{"path", "/other"}}},
                                              {"breakpoints", {{{"line", 1}}}}})["breakpoints"][0]["verified"]);
}

TEST_F(Dap, LinesMayBeCountedFrom0) {
  client.body("initialize", {{"linesStartAt1", false}});
  client.body("launch", {{"program", example("loop.vert.bin")}, {"inputs", inputs_}});
  client.body("configurationDone");
  EXPECT_EQ(client.body("stackTrace", {{"threadId", 1}})["stackFrames"][0]["line"], 0);
}

TEST_F(Dap, BreakpointsHaveConditionsAndCounts) {
  launch();
  const Json set = client.body("setInstructionBreakpoints",
                               {{"breakpoints",
                                 {{{"instructionReference", "0x30"}, {"offset", 16}, {"condition", "$1.y == 2"}},
                                  {{"instructionReference", "0x41"}},
                                  {{"instructionReference", "0x40"}, {"condition", "1 +"}},
                                  {{"instructionReference", "0x40"}, {"hitCondition", "many"}},
                                  {{"instructionReference", "here"}}}}});
  EXPECT_TRUE(set["breakpoints"][0]["verified"]);
  for (int i = 1; i < 5; ++i) EXPECT_FALSE(set["breakpoints"][i]["verified"]) << i;
  client.body("configurationDone");
  client.body("continue", {{"threadId", 1}});
  EXPECT_EQ(client.event("stopped")["reason"], "instruction breakpoint");
  EXPECT_EQ(client.event("stopped")["threadId"], 2);
  EXPECT_EQ(value("$1.y", 2), "0x40000000 (2)");
  client.body("setInstructionBreakpoints", {{"breakpoints", Json::array()}});
  client.body("restart");
  client.body("setFunctionBreakpoints", {{"breakpoints", {{{"name", "L4"}, {"hitCondition", "3"}}}}});
  client.body("continue", {{"threadId", 1}});
  EXPECT_EQ(client.event("stopped")["reason"], "function breakpoint");
  EXPECT_EQ(at(2), "0x40");
}

TEST_F(Dap, StopsAtChangesOfData) {
  launch();
  const Json info = client.body("dataBreakpointInfo", {{"name", "$1.y"}});
  EXPECT_EQ(info["dataId"], "1:$1.y");
  EXPECT_TRUE(client.body("dataBreakpointInfo", {{"name", "nothing"}})["dataId"].is_null());
  const Json set = client.body("setDataBreakpoints", {{"breakpoints",
                                                       {{{"dataId", "3:$1.y"}, {"condition", "$1.y > 1"}},
                                                        {{"dataId", "x"}},
                                                        {{"dataId", "1:$1.y"}, {"accessType", "read"}}}}});
  EXPECT_TRUE(set["breakpoints"][0]["verified"]);
  EXPECT_FALSE(set["breakpoints"][1]["verified"]);
  EXPECT_FALSE(set["breakpoints"][2]["verified"]);
  client.body("configurationDone");
  client.body("continue", {{"threadId", 1}});
  EXPECT_EQ(client.event("stopped")["reason"], "data breakpoint");
  EXPECT_EQ(client.event("stopped")["threadId"], 3);
  EXPECT_EQ(value("$1.y", 3), "0x40000000 (2)");
}

TEST_F(Dap, StopsAtChangesOfMemory) {
  start({{"program", test::source_file("tests/servers/data/store.mdg")},
         {"machine", "midgard:t860"},
         {"inputs", test::source_file("tests/servers/data/store.inputs.json")}});
  const Json named = client.body("dataBreakpointInfo", {{"name", "*(0xff0 + 0x10)"}});
  EXPECT_EQ(named["dataId"], "1:*0x1000");
  const Json shown = client.body("dataBreakpointInfo", {{"name", "0x1000"}, {"variablesReference", scope("Memory")}});
  EXPECT_EQ(shown["dataId"], named["dataId"]);
  const Json set = client.body(
      "setDataBreakpoints",
      {{"breakpoints", Json::array({{{"dataId", named["dataId"]}}, {{"dataId", "1:*0x99999999"}}})}})["breakpoints"];
  EXPECT_TRUE(set[0]["verified"]);
  EXPECT_THAT(set[1]["message"].get<std::string>(), HasSubstr("there is no memory of 4 bytes at 0x99999999"));
  client.body("continue", {{"threadId", 1}});
  EXPECT_EQ(client.event("stopped")["reason"], "data breakpoint");
  EXPECT_EQ(client.event("stopped")["text"], "*0x1000 has changed");
  EXPECT_EQ(value("*0x1000"), "0x40c00000 (6)");
}

TEST_F(Dap, ShowsWhatThreadsHold) {
  start();
  client.body("next", {{"threadId", 2}});
  client.body("next", {{"threadId", 2}});
  const Json changed = client.body("variables", {{"variablesReference", scope("Changed", 2)}})["variables"];
  EXPECT_THAT(changed.dump(), HasSubstr("$1.x"));
  const Json registers = client.body("variables", {{"variablesReference", scope("Registers", 2)}})["variables"];
  EXPECT_EQ(registers[0]["type"], "changed by the last word") << registers;
  for (const Json& each : registers)
    if (each["name"] == "$1") {
      EXPECT_EQ(each["value"], "2, 0, 0, 0");
      const Json parts = client.body("variables", {{"variablesReference", each["variablesReference"]}})["variables"];
      EXPECT_EQ(parts[0]["name"], "x");
      EXPECT_EQ(parts[0]["value"], "0x40000000 (2)");
      EXPECT_EQ(
          client.body("setVariable",
                      {{"variablesReference", each["variablesReference"]}, {"name", "x"}, {"value", "3.0"}})["value"],
          "0x40400000 (3)");
    }
  EXPECT_EQ(value("$1.x", 2), "0x40400000 (3)");
  EXPECT_EQ(value("$1.x", 3), "0x40400000 (3)") << "its own";
  EXPECT_EQ(value("$1.x", 1), "0x3f800000 (1)");
  EXPECT_EQ(value("$1", 1), "1, 0, 0, 0");
  EXPECT_EQ(value("$1.x * 2", 1), "2");
  client.body("setExpression", {{"expression", "$1.x"}, {"value", "8.0"}, {"frameId", 1}});
  EXPECT_EQ(value("$1.x", 1), "0x41000000 (8)");
  EXPECT_THAT(client.refusal("evaluate", {{"expression", "nothing"}, {"frameId", 1}}), HasSubstr("nothing"));
  for (const char* name : {"All registers", "Uniforms", "Outputs", "Memory", "Thread"})
    EXPECT_TRUE(client.body("variables", {{"variablesReference", scope(name)}})["variables"].is_array()) << name;
  const std::int64_t reference = scope("Registers");
  client.body("next", {{"threadId", 1}});
  EXPECT_THAT(client.refusal("variables", {{"variablesReference", reference}}), HasSubstr("no longer exist"));
}

TEST_F(Dap, ShowsInstructionsAndMemory) {
  start();
  const Json rows =
      client.body("disassemble",
                  {{"memoryReference", "0xd0"}, {"instructionOffset", -20}, {"instructionCount", 40}})["instructions"];
  ASSERT_EQ(rows.size(), 40u);
  EXPECT_EQ(rows[6]["presentationHint"], "invalid");
  EXPECT_EQ(rows[7]["address"], "0x0");
  EXPECT_EQ(rows[20]["symbol"], "L13");
  EXPECT_THAT(rows[20]["instruction"].get<std::string>(), HasSubstr("complex2"));
  EXPECT_EQ(rows[39]["presentationHint"], "invalid");
  std::set<std::string> addresses;
  for (const Json& each : rows) addresses.insert(each["address"]);
  EXPECT_EQ(addresses.size(), rows.size()) << "each has its own";
  const Json memory = client.body("readMemory", {{"memoryReference", "0x1000"}, {"offset", 1}, {"count", 8}});
  EXPECT_EQ(memory["address"], "0x1001");
  EXPECT_EQ(memory["data"], "AgMEBQAAAA==");
  EXPECT_EQ(memory["unreadableBytes"], 1);
  EXPECT_THAT(client.refusal("readMemory", {{"memoryReference", "0x1000"}, {"count", -1}}), HasSubstr("count"));
}

TEST_F(Dap, FaultsAreExceptions) {
  start({{"stepLimit", 20}});
  client.body("continue", {{"threadId", 1}});
  EXPECT_EQ(client.event("stopped")["reason"], "exception");
  EXPECT_EQ(client.event("stopped")["threadId"], 2);
  EXPECT_THAT(client.body("exceptionInfo", {{"threadId", 2}})["description"].get<std::string>(),
              HasSubstr("step limit"));
  EXPECT_NE(at(2), "");
  client.body("continue", {{"threadId", 2}});
  client.body("continue", {{"threadId", 2}});
  EXPECT_EQ(client.event("exited")["exitCode"], 1);
}

TEST_F(Dap, StaysAtTheEndIfAsked) {
  start({{"stopOnEntry", false}, {"stopOnExit", true}});
  EXPECT_EQ(client.event("stopped")["reason"], "exit");
  EXPECT_FALSE(client.has_event("terminated"));
  const Json frame = client.body("stackTrace", {{"threadId", 1}})["stackFrames"][0];
  EXPECT_EQ(frame["name"], "ended");
  EXPECT_FALSE(frame.contains("instructionPointerReference"));
  EXPECT_THAT(client.body("variables", {{"variablesReference", scope("Registers", frame["id"])}})["variables"],
              Not(IsEmpty()));
  client.body("stepBack", {{"threadId", 1}});
  EXPECT_NE(at(1), "");
}

TEST_F(Dap, SaysNothingEmpty) {
  start({{"stopOnEntry", false}});
  EXPECT_TRUE(client.has_event("terminated"));
  for (const Json& each : client.heard())
    if (each.value("event", "") == "output") EXPECT_NE(each["body"]["output"], "");
}

TEST_F(Dap, IsConfiguredOnce) {
  start();
  const auto stops = [&] {
    return std::ranges::count_if(client.heard(), [](const Json& each) { return each.value("event", "") == "stopped"; });
  };
  EXPECT_EQ(stops(), 1);
  EXPECT_THAT(client.refusal("configurationDone"), HasSubstr("already"));
  EXPECT_EQ(stops(), 1);
}

TEST_F(Dap, AnswersHalvesOfCharacters) {
  start();
  client.send_text(R"({"seq": 77, "type": "request", "command": "evaluate", "arguments": {"expression": "\ud800"}})");
  EXPECT_FALSE(client.answer_to(77)["success"]);
}

/// The thread has no words there, and what it shows is not of another place.
TEST_F(Dap, DisassemblesFromTheReferenceOn) {
  start();
  const auto addresses = [&](Json arguments) {
    std::vector<std::string> all;
    const Json rows = client.body("disassemble", arguments)["instructions"];
    for (const Json& each : rows)
      all.push_back((each.contains("presentationHint") ? "no " : "") + each["address"].get<std::string>());
    return all;
  };
  EXPECT_THAT(addresses({{"memoryReference", "0x15"}, {"instructionCount", 2}}), ElementsAre("0x10", "0x20"));
  EXPECT_THAT(addresses({{"memoryReference", "0x10000"}, {"instructionCount", 2}}),
              ElementsAre("no 0x10000", "no 0x10001"));
  EXPECT_THAT(addresses({{"memoryReference", "0xd0"}, {"offset", 4096}, {"instructionCount", 1}}),
              ElementsAre("no 0x10d0"));
  EXPECT_THAT(addresses({{"memoryReference", "0x0"}, {"instructionOffset", -2}, {"instructionCount", 3}}),
              ElementsAre("no -2", "no -1", "0x0"));
  EXPECT_THAT(addresses({{"memoryReference", "0x2"}, {"offset", -4}, {"instructionCount", 3}}),
              ElementsAre("no -2", "no -1", "0x0"));
  const std::vector<std::string> end =
      addresses({{"memoryReference", "0x10000"}, {"offset", -65280}, {"instructionCount", 40}});
  ASSERT_EQ(end.size(), 40u);
  const auto first = std::ranges::find_if(end, [](const std::string& each) { return each.starts_with("no "); });
  ASSERT_NE(first, end.end());
  const std::string beyond = first->substr(3);
  const std::vector<std::string> back =
      addresses({{"memoryReference", beyond}, {"offset", 2}, {"instructionOffset", -3}, {"instructionCount", 4}});
  EXPECT_FALSE(back[0].starts_with("no")) << "the last word";
  EXPECT_EQ(back[1], "no " + beyond);
}

TEST_F(Dap, NamesFilesAsItsClientDoes) {
  EXPECT_THAT(client.refusal("initialize", {{"pathFormat", "banana"}}),
              AllOf(HasSubstr("\"pathFormat\" must be path or uri"), HasSubstr("banana")));
  const std::string program = testing::TempDir() + "a store.mdg", uri_end = "/a%20store.mdg";
  std::filesystem::copy_file(test::source_file("tests/servers/data/store.mdg"), program,
                             std::filesystem::copy_options::overwrite_existing);
  client.body("initialize", {{"pathFormat", "uri"}});
  client.body("launch", {{"program", program},
                         {"machine", "midgard:t860"},
                         {"inputs", test::source_file("tests/servers/data/store.inputs.json")}});
  const std::string uri = client.body("loadedSources")["sources"][0]["path"];
  EXPECT_TRUE(uri.starts_with("file:///") && uri.ends_with(uri_end)) << uri;
  const auto verified = [&](const std::string& path) {
    return client.body("setBreakpoints",
                       {{"source", {{"path", path}}}, {"breakpoints", {{{"line", 1}}}}})["breakpoints"][0]["verified"];
  };
  EXPECT_EQ(verified(uri), true);
  EXPECT_EQ(verified(program), false) << "this is no URI";
  client.body("initialize", {{"pathFormat", "path"}});
  EXPECT_EQ(verified(program), true);
}

TEST_F(Dap, WritesMemoryByExpressions) {
  start({{"program", test::source_file("tests/servers/data/store.mdg")},
         {"machine", "midgard:t860"},
         {"inputs", test::source_file("tests/servers/data/store.inputs.json")}});
  EXPECT_EQ(client.body("setExpression", {{"expression", "*0x1000"}, {"value", "3.5"}, {"frameId", 1}})["value"],
            value("*0x1000"));
  EXPECT_THAT(value("*0x1000"), HasSubstr("3.5"));
  EXPECT_THAT(client.refusal("setExpression", {{"expression", "*0x99999999"}, {"value", "1"}}),
              HasSubstr("cannot be written"));
}

TEST_F(Dap, SaysThatARegisterHasComponents) {
  start();
  const Json groups = client.body("variables", {{"variablesReference", scope("All registers")}})["variables"];
  const auto group = std::ranges::find_if(groups, [](const Json& each) { return each["variablesReference"] != 0; });
  ASSERT_NE(group, groups.end());
  const std::string name = (*group)["name"];
  EXPECT_THAT(
      client.refusal("setVariable", {{"variablesReference", scope("All registers")}, {"name", name}, {"value", "1"}}),
      AllOf(HasSubstr("is not one slot: there are " + name + ".x"), HasSubstr("name one of them")));
}

TEST_F(Dap, PausesWhatRuns) {
  start({{"inputs", test::source_file("tests/servers/data/endless.inputs.json")}, {"stepLimit", 4000000000}});
  client.send("continue", {{"threadId", 1}});
  client.work(10);
  EXPECT_TRUE(client.server().is_running());
  client.send("stackTrace", {{"threadId", 1}});
  client.send("pause", {{"threadId", 1}});
  client.work(2);
  EXPECT_FALSE(client.server().is_running());
  EXPECT_EQ(client.event("stopped")["reason"], "pause");
  EXPECT_THAT(client.answer_to(client.last() - 1)["message"].get<std::string>(), HasSubstr("running"));
  EXPECT_TRUE(client.answer_to(client.last())["success"]);
}

TEST_F(Dap, CancelsWhatWaits) {
  start();
  client.send("threads");
  client.send("cancel", {{"requestId", client.last()}});
  client.work();
  EXPECT_EQ(client.answer_to(client.last() - 1)["message"], "cancelled");
  EXPECT_TRUE(client.answer_to(client.last())["success"]);
}

TEST_F(Dap, EndsWhenItIsTold) {
  start();
  client.body("terminate");
  EXPECT_TRUE(client.has_event("terminated"));
  client.body("disconnect");
  EXPECT_TRUE(client.server().is_over());
}

TEST_F(Dap, NonsenseHarmsNothing) {
  for (const char* content : {"", "{", "[]", "1", "null", "{\"type\":\"request\"}", "{\"type\":\"response\"}",
                              "{\"type\":\"request\",\"command\":7,\"seq\":\"x\"}",
                              "{\"type\":\"request\",\"command\":\"cancel\",\"arguments\":[1]}",
                              "{\"type\":\"request\",\"command\":\"launch\",\"arguments\":\"x\"}", "\xff\xfe"})
    client.send_text(content);
  client.send_text(std::string(100000, '['));
  client.work();
  start();
  EXPECT_EQ(client.refusal("nosuch"), "there is no such request");
  EXPECT_EQ(at(1), "0x0");
}

TEST_F(Dap, ArgumentsOfAnotherTypeAreRefused) {
  for (const Json& wrong : {Json(7), Json("x"), Json::array(), Json(true)}) {
    for (const char* command : {"initialize", "launch", "threads", "cancel"})
      EXPECT_EQ(client.refusal(command, wrong), "\"arguments\" must be an object") << wrong;
    EXPECT_EQ(client.refusal("launch", {{"program", example("loop.vert.bin")}, {"policies", wrong}}),
              "\"policies\" must be an object");
  }
  launch();
  EXPECT_EQ(client.refusal("setBreakpoints", {{"source", 7}}), "\"source\" must be an object");
  EXPECT_EQ(client.refusal("setBreakpoints", {{"source", Json::object()}, {"breakpoints", 7}}),
            "\"breakpoints\" must be a list");
  EXPECT_TRUE(client.ask("threads", nullptr)["success"]);
}

TEST_F(Dap, SaysWhatIsNoMessage) {
  client.send_text("{\"seq\": 1, nonsense");
  client.work();
  EXPECT_THAT(client.event("output")["output"].get<std::string>(), HasSubstr("it goes wrong at byte 13 of 19"));
}

/// Whoever waited for a pipe would not hear its client any more.
TEST_F(Dap, FilesThatMayNeverEndAreRefused) {
  const std::string pipe =
      (std::filesystem::temp_directory_path() / ("mobula-pipe-" + std::to_string(getpid()))).string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  client.body("initialize");
  for (const std::string& file : {pipe, std::string("/dev/zero"), std::string("/tmp")}) {
    const std::string expected = file + " is not a regular file (pipes and folders are not read here)";
    EXPECT_EQ(client.refusal("launch", {{"program", file}, {"machine", "midgard"}}), expected);
    EXPECT_EQ(client.refusal("launch", {{"program", example("loop.vert.bin")}, {"inputs", file}}), expected);
    EXPECT_EQ(client.refusal("launch", {{"program", example("loop.vert.bin")}, {"side", file}}), expected);
  }
  std::filesystem::remove(pipe);
}

TEST_F(Dap, LinesThatAreNoneAreRefused) {
  launch();
  const Json source = client.body("loadedSources")["sources"][0];
  const Json wanted{{{"line", -1}}, {{"line", 0}}, {{"line", 4294967296}}};
  for (const Json& each : client.body("setBreakpoints", {{"source", source}, {"breakpoints", wanted}})["breakpoints"]) {
    EXPECT_FALSE(each["verified"]) << each;
    EXPECT_THAT(each["message"].get<std::string>(), HasSubstr("is not the number of a line: they count from 1"));
  }
  EXPECT_THAT(client.refusal("breakpointLocations", {{"source", source}, {"line", -1}}), HasSubstr("count from 1"));
}

TEST_F(Dap, MemoryIsEvaluatedToo) {
  const Json memory{{"program", example("negative.comp.mdg")}, {"inputs", example("negative.inputs.json")}};
  start(memory);
  EXPECT_EQ(value("uint(*0x1000)"), "4278190080");
  EXPECT_THAT(client.refusal("evaluate", {{"expression", "*0x99999999"}}), HasSubstr("there is no memory of 4 bytes"));
}

TEST_F(Dap, SaysWhatElseStepsFirmware) {
  client.body("initialize");
  const std::string firmware = test::source_file("tests/data/afuc/small.fw");
  EXPECT_THAT(client.refusal("launch", {{"program", firmware}}),
              AllOf(HasSubstr("name them in \"streams\""), HasSubstr("-m afuc " + firmware + " --stream STREAM")));
  const Json streams = Json::array({{{"file", example("stream.pm4")}}});
  EXPECT_THAT(client.refusal("launch", {{"program", example("loop.vert.bin")}, {"streams", streams}}),
              HasSubstr("are for firmware"));
}

TEST_F(Dap, CountsBeyondAllMeasureAreRefused) {
  start();
  for (const Json& count : {Json(1 << 21), Json(-1), Json(std::numeric_limits<std::int64_t>::max())})
    EXPECT_EQ(client.refusal("readMemory", {{"memoryReference", "0x0"}, {"count", count}}),
              "\"count\" must be from 0 to 1048576");
  EXPECT_EQ(client.refusal("readMemory", {{"memoryReference", "0x0"}, {"count", ~std::uint64_t{0}}}),
            "\"count\" must be a signed integer of 64 bits");
  EXPECT_EQ(client.refusal("readMemory", {{"memoryReference", "0x0"}, {"count", 1e300}}),
            "\"count\" must be a signed integer of 64 bits");
}

/// Any request in any state, with arguments of any kind: each has one answer, and nothing else happens.
TEST_F(Dap, EveryRequestHasOneAnswer) {
  const std::vector<std::string> commands{"initialize",
                                          "configurationDone",
                                          "restart",
                                          "cancel",
                                          "setBreakpoints",
                                          "setFunctionBreakpoints",
                                          "setInstructionBreakpoints",
                                          "setExceptionBreakpoints",
                                          "dataBreakpointInfo",
                                          "setDataBreakpoints",
                                          "breakpointLocations",
                                          "continue",
                                          "next",
                                          "stepIn",
                                          "stepOut",
                                          "stepBack",
                                          "reverseContinue",
                                          "pause",
                                          "threads",
                                          "stackTrace",
                                          "source",
                                          "loadedSources",
                                          "exceptionInfo",
                                          "scopes",
                                          "variables",
                                          "setVariable",
                                          "setExpression",
                                          "evaluate",
                                          "readMemory",
                                          "disassemble",
                                          "terminate",
                                          "nosuch"};
  const std::vector<std::string> names{"threadId",
                                       "frameId",
                                       "variablesReference",
                                       "name",
                                       "value",
                                       "expression",
                                       "source",
                                       "breakpoints",
                                       "memoryReference",
                                       "count",
                                       "instructionCount",
                                       "instructionOffset",
                                       "line",
                                       "condition",
                                       "granularity",
                                       "offset",
                                       "requestId"};
  const std::vector<Json> values{0,
                                 1,
                                 2,
                                 3,
                                 -1,
                                 9007199254740993,
                                 "",
                                 "r0.x",
                                 "$1.y",
                                 "0x40",
                                 "x",
                                 true,
                                 nullptr,
                                 1.5,
                                 Json::array(),
                                 Json::object(),
                                 Json::array({Json::object()}),
                                 Json::array({{{"line", 3}}, {{"instructionReference", "0x40"}}, {{"name", "L4"}}}),
                                 Json{{"sourceReference", 1}}};
  std::mt19937 random(7);
  const auto any = [&](const auto& list) { return list[random() % list.size()]; };
  start();
  for (int i = 0; i < 3000; ++i) {
    Json arguments = Json::object();
    for (const std::string& name : names)
      if (random() % 2 == 0) arguments[name] = any(values);
    if (random() % 2 == 0) arguments["threadId"] = 1 + random() % 3;
    client.send(any(commands), arguments);
    if (random() % 4 != 0) client.work(static_cast<int>(random() % 5));
    if (client.heard().size() > 10000) client.heard().erase(client.heard().begin(), client.heard().begin() + 5000);
  }
  client.heard().clear();
  client.work();
  const std::int64_t before = client.last();
  client.body("threads");
  std::map<std::int64_t, int> answers;
  for (const Json& each : client.heard())
    if (each.contains("request_seq")) ++answers[each["request_seq"]];
  for (const auto& [sequence, count] : answers) EXPECT_EQ(count, 1) << sequence;
  EXPECT_TRUE(answers.contains(before + 1));
}

// ---- firmware

/// Firmware for an a630 that handles a stream with two indirect buffers; CP_NOP is at word 0x24 and the last packet.
class DapFirmware : public Dap {
 protected:
  static Json firmware(Json more = Json::object()) {
    Json arguments{{"program", example("firmware.afuc")},
                   {"machine", "afuc:a630"},
                   {"inputs", ""},
                   {"streams", Json::array({{{"file", example("stream.pm4")}}})}};
    arguments.update(more);
    return arguments;
  }
  /// "CP_NOP+2"
  std::string name_at(int thread = 1) {
    return client.body("stackTrace", {{"threadId", thread}})["stackFrames"][0]["name"];
  }
  Json go(const std::string& command) {
    client.body(command, {{"threadId", 1}});
    return client.event("stopped");
  }
  Json break_in(const std::string& function) {
    return client.body("setFunctionBreakpoints",
                       {{"breakpoints", Json::array({{{"name", function}}})}})["breakpoints"][0];
  }
};

TEST_F(DapFirmware, IsSteppedByInstructionsForwardAndBack) {
  start(firmware());
  EXPECT_EQ(client.event("stopped")["reason"], "entry");
  EXPECT_THAT(client.body("threads")["threads"], ElementsAre(Json({{"id", 1}, {"name", "SQE"}})));
  EXPECT_TRUE(break_in("CP_NOP")["verified"]);
  EXPECT_EQ(go("continue")["reason"], "function breakpoint");
  EXPECT_EQ(name_at(), "CP_NOP");
  EXPECT_EQ(at(1), "0x24");
  EXPECT_EQ(go("next")["reason"], "step");
  EXPECT_EQ(name_at(), "CP_NOP+2") << "past (rep)waitin's delay slot";
  go("stepBack");
  EXPECT_EQ(name_at(), "CP_NOP");
  EXPECT_EQ(go("reverseContinue")["reason"], "entry") << "no breakpoint before";
  EXPECT_EQ(go("continue")["reason"], "function breakpoint");
}

TEST_F(DapFirmware, StopsAtLinesOfItsTextAndAtChanges) {
  start(firmware());
  const Json source{{"path", example("firmware.afuc")}};
  break_in("CP_NOP");
  go("continue");
  const Json frame = client.body("stackTrace", {{"threadId", 1}})["stackFrames"][0];
  EXPECT_EQ(frame["source"], client.body("loadedSources")["sources"][0]);
  const std::string text = client.body("source", {{"source", source}})["content"];
  const auto line = static_cast<std::size_t>(frame["line"].get<int>());
  std::istringstream lines(text);
  std::string typed;
  for (std::size_t i = 0; i < line; ++i) std::getline(lines, typed);
  EXPECT_THAT(typed, HasSubstr("(rep)(xmov3)mov $00, $data"));
  break_in("nowhere");
  client.body("restart");
  client.work();
  const Json set =
      client.body("setBreakpoints", {{"source", source}, {"breakpoints", Json::array({{{"line", line}}})}});
  EXPECT_EQ(set["breakpoints"][0]["instructionReference"], "0x24");
  EXPECT_EQ(go("continue")["reason"], "breakpoint");
  client.body("setBreakpoints", {{"source", source}, {"breakpoints", Json::array()}});
  const Json data = client.body("dataBreakpointInfo", {{"name", "$12"}});
  EXPECT_EQ(data["dataId"], "1:$12");
  client.body("setDataBreakpoints",
              {{"breakpoints", Json::array({{{"dataId", "1:$12"}}, {{"dataId", "1:*0x100030000"}}})}});
  Json changed = go("continue");
  EXPECT_EQ(changed["reason"], "data breakpoint");
  EXPECT_EQ(changed["text"], "$12 = 0x1");
  for (int i = 0; i < 5 && changed["text"].get<std::string>().starts_with("$12"); ++i) changed = go("continue");
  EXPECT_EQ(changed["text"], "*0x100030000 = 0xdead");
}

TEST_F(DapFirmware, ShowsAndWritesRegistersMemoryAndInstructions) {
  start(firmware());
  break_in("CP_NOP");
  go("continue");
  EXPECT_EQ(value("$12"), "0x2 (in IB2)");
  EXPECT_EQ(value("$02 + 1"), "0x40001");
  Json rows = client.body("variables", {{"variablesReference", scope("Registers")}})["variables"];
  EXPECT_EQ(rows[0]["name"], "$01");
  EXPECT_EQ(rows[0]["value"], "0x70108000 (CP_NOP, 0 words)");
  EXPECT_EQ(client.body("setVariable",
                        {{"variablesReference", scope("All registers")}, {"name", "$07"}, {"value", "0x11"}})["value"],
            "0x11");
  EXPECT_EQ(client.body("setExpression", {{"expression", "*0x30010"}, {"value", "$07 * 2"}})["value"], "0x22");
  EXPECT_EQ(client.body("readMemory", {{"memoryReference", "0x30010"}, {"count", 4}})["data"], "IgAAAA==");
  rows = client.body("variables", {{"variablesReference", scope("Outputs")}})["variables"];
  EXPECT_EQ(rows.back()["value"], "packet CP_NOP 70108000 at level 2");
  rows = client.body("disassemble",
                     {{"memoryReference", "0x24"}, {"instructionOffset", -1}, {"instructionCount", 3}})["instructions"];
  EXPECT_EQ(rows[1]["symbol"], "CP_NOP");
  EXPECT_EQ(rows[1]["instruction"], "(rep)(xmov3)mov $00, $data");
  EXPECT_EQ(rows[2]["address"], "0x25");
  rows = client.body("disassemble",
                     {{"memoryReference", "0x0"}, {"instructionOffset", -1}, {"instructionCount", 1}})["instructions"];
  EXPECT_EQ(rows[0]["presentationHint"], "invalid");
}

TEST_F(DapFirmware, EndsWithWhatBecameOfTheCores) {
  launch(firmware({{"stopOnEntry", false}}));
  client.body("configurationDone");
  client.work();
  EXPECT_EQ(client.event("exited")["exitCode"], 0);
  EXPECT_TRUE(client.has_event("terminated"));
  EXPECT_THAT(client.event("output")["output"].get<std::string>(), HasSubstr("SQE: idle"));
}

/// A packet that the firmware has no handler for leads into an endless loop.
TEST_F(DapFirmware, StopsAtAFault) {
  const std::string stream = testing::TempDir() + "unknown.pm4";
  std::ofstream(stream) << "pkt7 0x2 0x1\n";
  start(firmware({{"streams", Json::array({{{"core", "SQE"}, {"file", stream}}})}, {"stepLimit", 1000}}));
  const Json stop = go("continue");
  EXPECT_EQ(stop["reason"], "exception");
  EXPECT_THAT(client.body("exceptionInfo", {{"threadId", 1}})["description"].get<std::string>(), Not(IsEmpty()));
  client.body("continue", {{"threadId", 1}});
  client.work();
  EXPECT_EQ(client.event("exited")["exitCode"], 1);
}

/// DB010, in each of its ways.
TEST_F(DapFirmware, RefusesPlacesThatThereAreNot) {
  start(firmware());
  const auto told = [&](const std::string& place) {
    const Json answer = break_in(place);
    EXPECT_FALSE(answer["verified"]) << place;
    return answer["message"].get<std::string>();
  };
  EXPECT_THAT(told("nowhere"), HasSubstr("there is no place nowhere in SQE"));
  EXPECT_THAT(told("ME:CP_NOP"), HasSubstr("there is no core ME"));
  EXPECT_THAT(told("0x99999"), HasSubstr("SQE has no instruction at 0x99999"));
  EXPECT_THAT(told("0x100000024"), HasSubstr("SQE has no instruction at 0x100000024")) << "not the word 0x24";
  const Json at =
      client.body("setInstructionBreakpoints", {{"breakpoints", Json::array({{{"instructionReference", "0x99999"}}})}});
  EXPECT_FALSE(at["breakpoints"][0]["verified"]);
}

TEST_F(DapFirmware, SaysWhatIsWrongWithALaunchOrARequest) {
  client.body("initialize");
  EXPECT_THAT(client.refusal("launch",
                             firmware({{"streams", Json::array({{{"core", "ME"}, {"file", example("stream.pm4")}}})}})),
              HasSubstr("no core ME"));
  EXPECT_THAT(client.refusal("launch", firmware({{"streams", Json::array({{{"file", "/nowhere"}}})}})),
              HasSubstr("/nowhere"));
  EXPECT_THAT(
      client.refusal("launch",
                     firmware({{"memory", Json::array({{{"address", "0x2"}, {"file", example("stream.pm4")}}})}})),
      HasSubstr("multiple of 4"));
  EXPECT_THAT(client.refusal("launch", firmware({{"threads", 3}})), HasSubstr("shader cores"));
  start(firmware());
  EXPECT_THAT(break_in("nowhere")["message"].get<std::string>(), HasSubstr("there is no place nowhere"));
  EXPECT_THAT(client.refusal("stackTrace", {{"threadId", 2}}), HasSubstr("no thread with the id 2"));
  EXPECT_THAT(client.refusal("evaluate", {{"expression", "$zz"}}), HasSubstr("$zz"));
  EXPECT_THAT(client.refusal("exceptionInfo", {{"threadId", 1}}), HasSubstr("no fault"));
  EXPECT_THAT(client.refusal("disassemble", {{"memoryReference", "0x700000000"}, {"instructionCount", 1}}),
              HasSubstr("no core"));
}

// ---- workloads of the scoreboard core

/// Six operations in lines 3 to 8, of which one reads what an earlier one loads.
class DapScoreboard : public Dap {
 protected:
  static Json workload(Json more = Json::object()) {
    Json arguments{{"program", example("scoreboard-textbook.sb")}, {"inputs", ""}};
    arguments.update(more);
    return arguments;
  }
  Json frame() { return client.body("stackTrace", {{"threadId", 1}})["stackFrames"][0]; }
  Json go(const std::string& command) {
    client.body(command, {{"threadId", 1}});
    client.work();
    return client.event("stopped");
  }
  /// "next=3 fp d=F8 s=F6,F2", and so on.
  std::vector<std::string> rows(const std::string& name) {
    std::vector<std::string> all;
    const Json body = client.body("variables", {{"variablesReference", scope(name)}});
    for (const Json& row : body["variables"])
      all.push_back(row["name"].get<std::string>() + '=' + row["value"].get<std::string>());
    return all;
  }
};

TEST_F(DapScoreboard, IsSteppedClockByClockForwardAndBack) {
  start(workload());
  EXPECT_EQ(client.event("stopped")["reason"], "entry");
  EXPECT_THAT(client.body("threads")["threads"], ElementsAre(Json({{"id", 1}, {"name", "core"}})));
  EXPECT_EQ(frame()["name"], "clock 0");
  EXPECT_EQ(frame()["line"], 3) << "the first operation";
  EXPECT_EQ(go("next")["reason"], "step");
  EXPECT_EQ(frame()["name"], "clock 1");
  EXPECT_THAT(rows("Clock"), testing::Contains("issue=0 ld d=F6 s=I2 mem=256+8"));
  go("stepIn");
  EXPECT_EQ(frame()["name"], "clock 2");
  go("stepBack");
  EXPECT_EQ(frame()["name"], "clock 1");
  EXPECT_EQ(go("reverseContinue")["reason"], "entry");
  EXPECT_EQ(frame()["name"], "clock 0");
}

TEST_F(DapScoreboard, StopsAtLinesMomentsAndChanges) {
  start(workload());
  const Json source{{"path", example("scoreboard-textbook.sb")}};
  EXPECT_EQ(client.body("loadedSources")["sources"][0]["path"], example("scoreboard-textbook.sb"));
  const Json lines = client.body("setBreakpoints",
                                 {{"source", source}, {"breakpoints", Json::array({{{"line", 6}}, {{"line", 99}}})}});
  EXPECT_EQ(lines["breakpoints"][0]["instructionReference"], "0x3");
  EXPECT_FALSE(lines["breakpoints"][1]["verified"]);
  EXPECT_EQ(go("continue")["reason"], "breakpoint");
  EXPECT_EQ(client.event("stopped")["text"], "issue     3 fp d=F8 s=F6,F2");
  const Json moments = client.body("setFunctionBreakpoints",
                                   {{"breakpoints", Json::array({{{"name", "write 0"}}, {{"name", "write 99"}}})}});
  EXPECT_TRUE(moments["breakpoints"][0]["verified"]);
  EXPECT_EQ(moments["breakpoints"][1]["message"], "the workload has no operation 99");
  EXPECT_EQ(go("continue")["reason"], "function breakpoint");
  EXPECT_THAT(rows("Clock"), testing::Contains("write=0 ld d=F6 s=I2 mem=256+8"));
  EXPECT_EQ(client.body("dataBreakpointInfo", {{"name", "F2"}})["dataId"], "F2");
  EXPECT_TRUE(client.body("dataBreakpointInfo", {{"name", "Q2"}})["dataId"].is_null());
  client.body("setFunctionBreakpoints", {{"breakpoints", Json::array()}});
  client.body("setDataBreakpoints", {{"breakpoints", Json::array({{{"dataId", "F10"}}})}});
  EXPECT_EQ(go("continue")["reason"], "data breakpoint");
  EXPECT_THAT(client.event("stopped")["text"].get<std::string>(), testing::StartsWith("F10 = 0x"));
  EXPECT_EQ(go("reverseContinue")["reason"], "breakpoint") << "at the line";
}

TEST_F(DapScoreboard, ShowsUnitsMatricesRegistersAndMemory) {
  start(workload());
  EXPECT_THAT(rows("Units"), IsEmpty()) << "no clock has passed";
  for (int i = 0; i < 4; ++i) go("next");
  EXPECT_THAT(rows("Units"), AllOf(testing::Contains("4 (32)=2 mul d=F0 s=F2,F4"),
                                   testing::Contains(HasSubstr("waits: read_after_write, for operation 1"))));
  EXPECT_THAT(rows("Matrices"), testing::Contains(HasSubstr("waits for write")));
  EXPECT_THAT(rows("Signals"), testing::SizeIs(2));
  EXPECT_THAT(rows("Virtual registers"), testing::Contains("0=F4"));
  EXPECT_EQ(value("clock + 1"), "5");
  EXPECT_THAT(rows("All registers"), Not(IsEmpty()));
  EXPECT_EQ(client.body("readMemory", {{"memoryReference", "0x100"}, {"count", 8}})["address"], "0x100");
  const Json operations = client.body(
      "disassemble", {{"memoryReference", "0x5"}, {"instructionOffset", -1}, {"instructionCount", 3}})["instructions"];
  EXPECT_EQ(operations[0]["instruction"], "4 div d=F10 s=F0,F6");
  EXPECT_EQ(operations[2]["presentationHint"], "invalid");
  EXPECT_THAT(client.refusal("setExpression", {{"expression", "F0"}, {"value", "1"}}),
              HasSubstr("F0 cannot be written: going back runs the workload again"));
  EXPECT_THAT(
      client.refusal("setVariable", {{"variablesReference", scope("All registers")}, {"name", "F2"}, {"value", "1"}}),
      HasSubstr("F2 cannot be written"));
}

/// Two operations that each write what the other reads, issued in one clock without a look at each other.
TEST_F(DapScoreboard, ADeadlockIsAnException) {
  const std::string circle = testing::TempDir() + "circle.sb", config = testing::TempDir() + "circle.json";
  std::ofstream(circle) << "int d=I1 s=I2\nint d=I2 s=I1\n";
  const auto presets = scoreboard::presets();
  Json core = Json::parse(std::ranges::find(presets, "june2019", &scoreboard::Preset::name)->json);
  core["issue"].update({{"width", 2}, {"queue", 2}, {"fetch", 2}, {"mask_same_clock", false}});
  std::ofstream(config) << core;
  start(workload({{"program", circle}, {"config", config}}));
  EXPECT_THAT(client.refusal("exceptionInfo", {{"threadId", 1}}), HasSubstr("the core has no fault"));
  const Json stop = go("continue");
  EXPECT_EQ(stop["reason"], "exception");
  const Json info = client.body("exceptionInfo", {{"threadId", 1}});
  EXPECT_EQ(info["exceptionId"], "deadlock");
  EXPECT_THAT(info["description"].get<std::string>(),
              AllOf(testing::StartsWith("deadlock: no later clock changes anything; "), HasSubstr("operation")));
  EXPECT_EQ(go("stepBack")["reason"], "step");
  EXPECT_THAT(client.refusal("exceptionInfo", {{"threadId", 1}}), HasSubstr("the core has no fault"));
  EXPECT_EQ(go("continue")["reason"], "exception") << "it is met again";
  client.body("continue", {{"threadId", 1}});
  client.work();
  EXPECT_EQ(client.event("exited")["exitCode"], 1);
}

TEST_F(DapScoreboard, EndsAfterTheLastClock) {
  start(workload({{"stopOnEntry", false}, {"preset", "textbook6600"}}));
  client.work();
  EXPECT_EQ(client.event("exited")["exitCode"], 0);
  EXPECT_THAT(client.event("output")["output"].get<std::string>(), testing::StartsWith("6 operations, "));
}

TEST_F(DapScoreboard, SaysWhatIsWrongWithALaunch) {
  client.body("initialize");
  EXPECT_THAT(client.refusal("launch", workload({{"preset", "nosuch"}})), HasSubstr("nosuch"));
  EXPECT_THAT(client.refusal("launch", workload({{"threads", 3}})), HasSubstr("are for programs"));
  EXPECT_THAT(client.refusal("launch", {{"program", example("loop.vert.bin")}, {"preset", "textbook6600"}}),
              HasSubstr("are for workloads"));
  const std::string wrong = testing::TempDir() + "wrong.sb";
  std::ofstream(wrong) << "0 frobnicate\n";
  EXPECT_THAT(client.refusal("launch", workload({{"program", wrong}})), HasSubstr("frobnicate"));
}

}  // namespace
}  // namespace mobula::servers::dap
