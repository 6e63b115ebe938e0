// Every option of every subcommand on every kind of file: it acts, or it is refused.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "cli/mbs.h"
#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using Words = std::vector<std::string>;

/// A kind of file: how to name it, the machine it is for, and what feeds a run of it.
struct Kind {
  std::string file, machine;
  Words feed;
};

/// How an option shows that it acts.
enum class Proof {
  differs,    ///< something printed or written is different
  states,     ///< it says what is so: a wrong value is refused, or changes the result
  unseen,     ///< it changes how long it takes, or what is allowed; it is accepted
  elsewhere,  ///< it takes minutes, or a terminal: another test shows it
};

/// What an option does. Words with % are replaced: %file, %feed, %inputs, %out (a folder for results), %in (of inputs).
struct Row {
  std::string option, kinds;  ///< those it acts on; on others that the subcommand reads it is refused
  Words value;
  Words beside{};  ///< other options that let it show what it does
  Proof proof = Proof::differs;
  Words wrong{};       ///< for Proof::states: a value that is not so
  bool needs = false;  ///< without those beside it, it is refused
};

/// A subcommand: the kinds of files it reads, its arguments without options, and the rows of its own options.
struct Subcommand {
  std::string name, kinds;
  Words base{"%file"};
  std::vector<Row> rows{};
  std::string input{};  ///< what it reads from standard input
};

// Kinds: M, G, R machine code of Midgard, Utgard GP and Rogue; m, r assembly; F firmware, f its assembly; C a container
// of several programs; W, w workloads as text and binary; E expressions; P packets; T a table; D the result of a shard;
// X words on the command line; S GLSL; - nothing.
const std::string shaders = "MmGRr", firmware = "Ff", programs = shaders + firmware;

const std::vector<Row>& common_rows() {
  static const std::vector<Row> rows{
      {"--machine", programs + "W", {"%machine"}, {}, Proof::states, {"voodoo"}},
      {"--syntax", "mrf", {"%read"}, {}, Proof::states, {"nosuch"}},
      {"--container", programs, {"%container"}, {}, Proof::states, {"mbs"}},
      {"--stage", "CM", {"fragment"}, {}, Proof::states, {"compute"}},
      {"--index", "C", {"1"}},
      {"--side", shaders, {"%side"}, {}, Proof::states, {"/nonexistent"}},
      {"--optimize", "S", {"0"}},
      {"--policy", programs, {"%policy"}, {}, Proof::states, {"nosuch=1"}},
      {"--output", programs + "WwEPTDX-", {"%out/result"}},
      {"--json", programs + "WwEPTX-", {}},
      {"--inputs", shaders, {"%inputs"}},
      {"--threads", shaders, {"3"}, {"%feed"}},
      {"--step-limit", programs, {"2"}, {"%feed"}},
      {"--stream", firmware, {"%in/stream.pm4"}},
      {"--memory", firmware, {"0x100000=%in/words"}, {"%feed"}, Proof::unseen, {}, true},
      {"--timeline", shaders, {}},
      {"--timeline-json", shaders, {"%out/t.json"}},
      {"--konata", shaders, {"%out/t.kanata"}},
      {"--perfetto", shaders, {"%out/t.perfetto"}},
      {"--preset", programs + "Ww-", {"june2019"}, {"%feed"}},
      {"--config", programs + "Ww-", {"%in/core.json"}, {"%feed"}},
      {"--hex", programs + "E", {}},
      {"--svg", programs + "X", {"%out/x.svg"}},
  };
  return rows;
}

std::vector<Row> workload_rows() {
  return {{"--output", programs + "Ww", {"%out/result"}, {"%feed"}},
          {"--json", programs + "Ww", {}, {"%feed"}},
          {"--thread", programs, {"0"}, {"%feed"}, Proof::states, {"100000"}},
          {"--predictor", programs, {"backward"}, {"%feed"}, Proof::states, {"nosuch"}},
          {"--threads", shaders, {"3"}, {"%feed", "--thread", "2"}, Proof::unseen},
          {"--interleave", shaders + "Ww", {"2"}, {"%two_threads"}},
          {"--quads", programs + "Ww", {}, {"%feed"}, Proof::unseen},
          {"--spill-to", programs + "Ww", {"12"}, {"%feed"}, Proof::unseen}};
}

std::vector<Row> operator+(std::vector<Row> rows, const std::vector<Row>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

const std::vector<Subcommand>& always_built() {
  static const std::vector<Subcommand> subcommands{
      {"disasm",
       "MGRFC",
       {"%file"},
       {{"--syntax", "MGRF", {"%printed"}, {}, Proof::states, {"nosuch"}},
        {"--bytes", "MGRF", {}},
        {"--explain", "MGRF", {}},
        {"--policy", "G", {"truth=half"}, {"--syntax", "decompile"}, Proof::states, {"nosuch=1"}, true}}},
      {"asm", "mrf"},
      {"check", programs + "C", {"%file"}, {{"--shard", programs, {"0/2"}}}},
      {"merge", "D"},
      {"shard", "-", {"0/2"}, {}, "a\nb\n"},
      {"explain",
       "X",
       {"04020018", "02300018", "FF2E4800", "0000C047"},
       {{"--machine", "X", {"midgard"}, {}, Proof::states, {"voodoo"}}}},
      {"run",
       programs + "C",
       {"%file"},
       {{"--output", programs, {"%out/result"}, {"%feed"}},
        {"--json", programs, {}, {"%feed"}},
        {"--inputs", shaders, {"%inputs"}, {"--image", "4x4", "-o", "%out/p.png"}},
        {"--reference", shaders, {"%in/checker.ref.json"}, {}, Proof::states, {"/nonexistent"}},
        {"--image", "MmGRr", {"4x4"}, {"%feed"}, Proof::states, {"4by4"}},
        {"--raw", "MmGRr", {}, {"%feed", "--image", "4x4", "-o", "%out/p"}},
        {"--trace", programs, {}, {"%feed"}},
        {"--thread", programs, {"0"}, {"%feed", "--trace"}, Proof::states, {"100000"}, true},
        {"--fidelity", programs, {}, {"%feed"}},
        {"--strict", programs, {}, {"%feed"}, Proof::unseen},
        {"--engine", shaders, {"reference"}, {"%feed"}, Proof::states, {"steam"}},
        {"--no-cache", shaders, {}, {"%feed", "--image", "4x4", "-o", "%out/p.png"}, Proof::unseen, {}, true},
        {"--stats", shaders, {}, {"%feed"}},
        {"--jobs", shaders, {"1"}, {"%feed"}, Proof::unseen},
        {"--all-events", firmware, {}, {"%feed"}, Proof::differs, {}, true},
        {"--coverage", firmware, {}, {"%feed"}},
        {"--profile", firmware, {}, {"%feed"}},
        {"--collapsed", firmware, {}, {"%feed"}}}},
      {"time",
       programs + "C",
       {"%file"},
       {{"--policy", programs, {"%policy"}, {"%feed"}, Proof::states, {"nosuch=1"}, true},
        {"--step-limit", programs, {"2"}, {"%feed"}, Proof::differs, {}, true},
        {"--format", programs, {"shader-db"}},
        {"--path", shaders, {"longest"}},
        {"--param", programs, {"%parameter"}, {"%fed_firmware"}, Proof::states, {"nosuch=1"}},
        {"--costs", programs, {"%in/%letter.costs.json"}, {"%fed_firmware"}, Proof::states, {"/nonexistent"}},
        {"--params", programs, {}},
        {"--keep-going", programs, {}, {}, Proof::unseen},
        {"--max-cycles", programs, {"5"}, {"%fed_firmware"}},
        {"--timeline", programs, {}, {"%fed_firmware"}},
        {"--timeline-json", programs, {"%out/t.json"}, {"%fed_firmware"}},
        {"--konata", programs, {"%out/t.kanata"}, {"%fed_firmware"}},
        {"--perfetto", programs, {"%out/t.perfetto"}, {"%fed_firmware"}},
        {"--advise", "Rr", {}},
        {"--together", "Mm", {}, {"%file"}}}},
      {"debug",
       programs + "Ww",
       {"%file", "%fed_firmware"},
       {{"--memory", firmware, {"0x100000=%in/words"}, {}, Proof::unseen},
        {"--inputs", shaders, {"%inputs"}, {"-x", "%in/commands"}},
        {"--threads", shaders, {"2"}, {"-x", "%in/threads"}},
        {"--step-limit", programs, {"1"}, {"%feed", "-x", "%in/commands"}},
        {"--stream", firmware, {"%in/stream.pm4"}, {}, Proof::unseen},
        {"--script", programs + "Ww", {"%in/commands"}},
        {"--json", programs + "Ww", {}, {"-x", "%in/commands"}},
        {"--preset", programs + "Ww", {"textbook6600"}, {"-x", "%in/clocks"}},
        {"--config", programs + "Ww", {"%in/core.json"}, {"-x", "%in/clocks"}}}},
      {"dap", "-", {}},
      {"lsp", "-", {}},
      {"serve",
       "-",
       {"%file"},
       {{"--port", "-", {"0"}, {}, Proof::elsewhere},
        {"--open", "-", {}, {}, Proof::elsewhere},
        {"--idle", "-", {"1"}, {}, Proof::elsewhere}}},
      {"help", "-", {}},
      {"gdbserver",
       shaders + "FfC",
       {"%file"},
       {{"--inputs", shaders, {"%inputs"}},
        {"--threads", shaders, {"3"}, {"%feed"}},
        {"--step-limit", shaders, {"2"}, {"%feed"}},
        {"--machine", shaders, {"%machine"}, {}, Proof::states, {"voodoo"}},
        {"--syntax", "mr", {"%read"}, {}, Proof::states, {"nosuch"}},
        {"--container", shaders, {"%container"}, {}, Proof::states, {"mbs"}},
        {"--policy", shaders, {"%policy"}, {}, Proof::states, {"nosuch=1"}},
        {"--port", shaders, {"0"}, {}, Proof::elsewhere}},
       // The client asks for the threads, and goes on to the end.
       "+$qfThreadInfo#bb+$c#63"},
      {"coverage", programs + "C", {"%file"}, {{"--fields", programs, {}}, {"--tested", programs, {"%file"}}}},
      {"stat",
       programs + "C",
       {"%file"},
       {{"--format", programs, {"shader-db"}},
        {"--baseline", programs, {"%in/%letter.stat.json"}},
        {"--update", programs, {}, {"--baseline", "%out/stat.json"}, Proof::differs, {}, true},
        {"--threshold", programs, {"1000000"}, {"--baseline", "%in/%letter.stat.json"}, Proof::differs, {}, true},
        {"--shard", programs, {"0/2"}}}},
      {"isa", "-", {"midgard", "alu.control"}, {{"--svg", "-", {"%out/bits.svg"}}}},
      {"info", programs + "C", {"%file"}, {{"--find", firmware, {"mov $x, $y"}}}},
      {"diff", programs + "C", {"%file", "%file"}},
      {"cfg",
       programs + "C",
       {"%file"},
       {{"--function", firmware, {"SQE"}, {}, Proof::states, {"nosuch"}},
        {"--packet", firmware, {"CP_NOP"}},
        {"--core", firmware, {"SQE"}, {}, Proof::states, {"nosuch"}},
        {"--pseudo", firmware, {}}}},
      {"ir", programs + "C", {"%file"}, {{"--live", programs, {}}}},
      {"schedule",
       "GE",
       {"%short"},
       {{"--text", "GE", {}},
        {"--expr", "E", {}, {}, Proof::unseen},
        {"--effort", "GE", {"1"}, {}, Proof::unseen},
        {"--exact", "GE", {"0"}, {"--json"}},
        {"--vertices", "GE", {"1"}, {}, Proof::unseen},
        {"--plain-branches", "GE", {}, {}, Proof::unseen}}},
      {"relink",
       "G",
       {"%file", "--attribute", "0=5"},
       {{"--hex", "G", {}}, {"--attribute", "G", {"1=6"}}, {"--varying", "G", {"0=5"}}, {"--uniform", "G", {"4=90"}}}},
      {"pm4",
       "P",
       {"%file"},
       {{"--machine", "P", {"afuc:a530"}, {}, Proof::states, {"midgard"}},
        {"--container", "P", {"text"}, {}, Proof::states, {"mbs"}},
        {"--memory", "P", {"0x100000=%in/words"}},
        {"--asm", "P", {}},
        {"--hex", "P", {}, {"--asm"}, Proof::differs, {}, true},
        {"--plain", "P", {}}}},
      {"scoreboard run",
       programs + "WwC",
       {"%file"},
       workload_rows() + std::vector<Row>{{"--set", programs + "Ww", {"I1=5"}, {"%feed"}, Proof::states, {"X"}},
                                          {"--max-clocks", programs + "Ww", {"3"}, {"%feed"}},
                                          {"--signals", programs + "Ww", {}, {"%feed"}},
                                          {"--matrices", programs + "Ww", {}, {"%feed"}},
                                          {"--table", programs + "Ww", {}, {"%feed"}},
                                          {"--timeline", programs + "Ww", {}, {"%feed"}},
                                          {"--timeline-json", programs + "Ww", {"%out/t.json"}, {"%feed"}},
                                          {"--konata", programs + "Ww", {"%out/t.kanata"}, {"%feed"}},
                                          {"--perfetto", programs + "Ww", {"%out/t.perfetto"}, {"%feed"}},
                                          {"--matrix-svg", programs + "Ww", {"%out/m.svg"}, {"%feed"}},
                                          {"--svg-clocks",
                                           programs + "Ww",
                                           {"2"},
                                           {"--matrix-svg", "%out/m.svg", "%feed"},
                                           Proof::differs,
                                           {},
                                           true},
                                          {"--vcd", programs + "Ww", {"%out/v.vcd"}, {"%feed"}}}},
      {"scoreboard record",
       programs + "WwC",
       {"%file"},
       workload_rows() + std::vector<Row>{{"--binary", programs + "Ww", {}, {"%feed"}}}},
      {"scoreboard generate",
       "-",
       {},
       {{"--mix", "-", {"int"}},
        {"--count", "-", {"5"}},
        {"--seed", "-", {"5"}},
        {"--registers", "-", {"5"}},
        {"--widths", "-", {"1", "0", "0", "0"}},
        {"--binary", "-", {}}}},
      {"scoreboard sweep",
       programs + "WwC",
       {"%file"},
       workload_rows() +
           std::vector<Row>{
               {"--axis", programs + "Ww", {"latency.ld=1,2"}, {"%feed"}},
               {"--mix", programs + "Ww", {"int"}, {"%feed"}},
               {"--seeds", programs + "Ww", {"2"}, {"%feed", "--mix", "int"}, Proof::differs, {}, true},
               {"--count", programs + "Ww", {"5"}, {"%feed", "--mix", "int"}, Proof::differs, {}, true},
               {"--registers", programs + "Ww", {"4"}, {"%feed", "--mix", "int"}, Proof::differs, {}, true},
               {"--widths", programs + "Ww", {"1", "0", "0", "0"}, {"%feed", "--mix", "int"}, Proof::differs, {}, true},
               {"--shard", programs + "Ww", {"1/2"}, {"%feed"}},
               {"--jobs", programs + "Ww", {"1"}, {"%feed"}, Proof::unseen},
               {"--max-clocks", programs + "Ww", {"3"}, {"%feed"}}}},
      {"scoreboard merge", "T"},
      {"scoreboard plot",
       "T",
       {"%file", "--x", "latency.ld", "--y", "clocks"},
       {{"--x", "T", {"operations"}, {}, Proof::elsewhere},
        {"--y", "T", {"operations"}},
        {"--per", "T", {"operations"}},
        {"--by", "T", {"latency.ld"}},
        {"--where", "T", {"latency.ld=1"}},
        {"--title", "T", {"A title"}},
        {"--markdown", "T", {}}}},
      {"scoreboard presets", "-", {}},
      {"scoreboard cost",
       "-",
       {},
       {{"--sources", "-", {"2"}},
        {"--destinations", "-", {"2"}},
        {"--all-columns", "-", {}},
        {"--power", "-", {"%in/worked.sb"}},
        {"--energy", "-", {"load=9"}, {"--power", "%in/worked.sb"}, Proof::differs, {}, true},
        {"--spill-to", "-", {"8"}, {"--power", "%in/worked.sb"}, Proof::unseen, {}, true}}},
      {"scoreboard rtl",
       "-",
       {},
       {{"--sources", "-", {"2"}},
        {"--destinations", "-", {"2"}},
        {"--all-columns", "-", {}},
        {"--synth", "-", {}, {}, Proof::elsewhere},
        {"--cosim", "-", {}, {}, Proof::elsewhere},
        {"--program", "-", {"%in/worked.sb"}, {}, Proof::elsewhere, {}, true},
        {"--clocks", "-", {"3"}, {}, Proof::elsewhere, {}, true},
        {"--operations", "-", {"3"}, {}, Proof::elsewhere, {}, true},
        {"--seed", "-", {"3"}, {}, Proof::elsewhere, {}, true}}},
  };
  return subcommands;
}

/// mobula compile, where the command was built with it.
std::vector<Subcommand> compiling() {
  if (run({"compile", "--help"}).status != 0) return {};
  return {{"compile",
           "S",
           {"%file"},
           {{"--stage", "S", {"fragment"}, {"--emit", "ssa"}, Proof::states, {"vertex"}},
            {"--define", "S", {"RINGS=9"}, {"--emit", "ssa"}},
            {"--include", "S", {"%in/"}, {"--emit", "ssa"}, Proof::unseen},
            {"--machine", "S", {"midgard:t860"}, {"--emit", "asm"}, Proof::states, {"voodoo"}},
            {"--verify", "S", {"3"}, {"-m", "midgard:t860"}, Proof::unseen, {}, true},
            {"--verify-steps", "S", {"1"}, {"-m", "midgard:t860"}},
            {"--no-verify", "S", {}, {"-m", "midgard:t860"}, Proof::unseen, {}, true},
            {"--link", "S", {}, {"%in/other.vert", "--emit", "ssa"}},
            {"--pixel-format", "S", {"rgba8_unorm"}, {"--emit", "ssa"}, Proof::states, {"rgba9_unorm"}},
            {"--explain-cost", "S", {}, {"-m", "midgard:t860"}, Proof::differs, {}, true},
            {"--emit", "S", {"spirv"}, {}, Proof::states, {"nosuch"}},
            {"--optimize", "S", {"0"}, {"--emit", "ssa"}, Proof::states, {"3"}},
            {"--shard", "S", {"0/2"}, {"--emit", "ssa"}},
            {"--output", "S", {"%out/result"}, {"--emit", "ssa"}},
            {"--json", "S", {}, {"--emit", "ssa"}}}}};
}

const std::vector<Subcommand>& table() {
  static const std::vector<Subcommand> subcommands = [] {
    std::vector<Subcommand> all = always_built();
    for (const Subcommand& each : compiling()) all.push_back(each);
    return all;
  }();
  return subcommands;
}

/// Names in a list of --help.
std::set<std::string> listed(const std::string& help, const std::string& pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator match(help.begin(), help.end(), regex), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

std::set<std::string> subcommands_of(const Words& command) {
  const std::string help = run(with(command, {"--help"})).out;
  const std::size_t begin = help.find("Subcommands:");
  if (begin == std::string::npos) return {};
  return listed(help.substr(begin, help.find("Examples:") - begin), "\n  ([a-z0-9]+) ");
}

Words words_of(const std::string& text) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::set<std::string> options_of(const std::string& subcommand) {
  std::set<std::string> options =
      listed(run(with(words_of(subcommand), {"--help"})).out, "\n  (?:-[a-zA-Z], )?(--[a-z-]+)");
  options.erase("--help");
  return options;
}

const Row* row_of(const Subcommand& subcommand, const std::string& option) {
  for (const std::vector<Row>* rows : {&subcommand.rows, &common_rows()})
    for (const Row& row : *rows)
      if (row.option == option) return &row;
  return nullptr;
}

TEST(Options, TheTableKnowsEverySubcommand) {
  std::set<std::string> known, there;
  for (const Subcommand& each : table()) known.insert(each.name);
  for (const std::string& name : subcommands_of({})) {
    const std::set<std::string> below = subcommands_of({name});
    if (below.empty()) there.insert(name);
    for (const std::string& inner : below) there.insert(name + ' ' + inner);
  }
  EXPECT_EQ(known, there);
}

/// Few words, whose exact schedule is found at once, and only by searching for it.
constexpr const char* expressions = R"(attribute vec4 position;
attribute vec3 normal;
uniform vec3 light;
varying vec4 color;
n = normalize(normal);
color.xyz = position.xyz * max(dot(n, light), 0.0);
color.w = 1.0;
)";

/// The files the walk uses.
class Files {
 public:
  Files() {
    const auto copy = [&](const char* name) { return in_.file(name, read(example(name))); };
    const auto assembled = [&](const std::string& text, const char* machine, const char* file) {
      EXPECT_EQ(mobula::test::run({"asm", "-m", machine, text, "-o", in_.file(file)}).status, 0);
      return in_.file(file);
    };
    copy("checker.frag.json"), copy("torus.vert.json"), copy("loop.vert.bin"), copy("loop.vert.json");
    copy("torus.obj"), copy("checker.ref.json"), copy("stream.pm4");
    in_.file("words", "00000001 00000002\n");
    in_.file("other.vert", "#version 100\nvoid main() { gl_Position = vec4(0.0); }\n");
    in_.file("clocks", "continue\nwhere\n");
    in_.file("commands", "step 3\nwhere\nthreads\n");
    in_.file("threads", "threads\n");
    in_.file("worked.sb", read(example("scoreboard-worked.sb")));
    in_.file("core.json", mobula::test::run({"scoreboard", "presets", "june2019"}).out);
    for (const char kind : programs) {
      const std::string parameter = parameter_of(kind);
      const std::size_t equals = parameter.find('=');
      in_.file(std::string(1, kind) + ".costs.json",
               "{\"" + parameter.substr(0, equals) + "\": " + parameter.substr(equals + 1) + "}");
    }
    const auto fed = [&](const char* inputs) { return Words{"--inputs", copy(inputs)}; };
    // From 27 it takes 111 steps, and without inputs, from 0, it has no end: hundreds of runs are made of it.
    const std::string collatz_text =
        in_.file("collatz.rgasm", std::regex_replace(read(example("rogue-collatz.rgasm")), std::regex("mov r0, vi0"),
                                                     "umadd32 r0, vi0, sc1, sc1"));
    const Words collatz{"--inputs",
                        in_.file("collatz.json", std::regex_replace(read(example("rogue-collatz.inputs.json")),
                                                                    std::regex("\\[27,"), "[3,"))};
    const Words streamed{"--stream", in_.file("stream.pm4")};
    kinds_ = {{'M', {copy("checker.frag.bin"), "", fed("checker.inputs.json")}},
              {'m', {copy("brighten.frag.mdg"), "midgard:t860", fed("brighten.inputs.json")}},
              {'G', {copy("torus.vert.bin"), "", fed("torus.inputs.json")}},
              {'R', {assembled(collatz_text, "rogue", "collatz.bin"), "rogue", collatz}},
              {'r', {collatz_text, "rogue", collatz}},
              {'F', {assembled(example("firmware.afuc"), "afuc:a630", "own.fw"), "", streamed}},
              {'f', {copy("firmware.afuc"), "afuc:a630", streamed}},
              {'C', {in_.file("both.mbs", container()), "", {}}},
              {'W', {in_.file("worked.sb"), "", {}}},
              {'w', {in_.file("worked.sbb"), "", {}}},
              {'E', {in_.file("lit.gpe", expressions), "", {}}},
              {'P', {in_.file("write.pm4", "CP_MEM_WRITE 0x1000 0 5\n"), "", {}}},
              {'T', {in_.file("table.csv"), "", {}}},
              {'D', {in_.file("0.shard"), "", {}}},
              {'S', {copy("ripple.frag"), "", {}}},
              {'X', {"", "midgard", {}}},
              {'-', {}}};
    for (const char kind : programs) write_baseline(kind);
    mobula::test::run({"check", in_.file("checker.frag.bin"), "--shard", "0/1", "-o", in_.file("0.shard")});
    mobula::test::run({"scoreboard", "generate", "--count", "30", "--binary", "-o", in_.file("worked.sbb")});
    mobula::test::run(
        {"scoreboard", "sweep", in_.file("worked.sb"), "--axis", "latency.ld=1,2", "-o", in_.file("table.csv")});
  }

  /// The subcommand on a file of this kind, and what it printed and wrote.
  struct Result {
    Outcome outcome;
    std::map<std::string, std::string> files;
    friend bool operator==(const Result& a, const Result& b) {
      return a.outcome.status == b.outcome.status && a.outcome.out == b.outcome.out && a.outcome.err == b.outcome.err &&
             a.files == b.files;
    }
  };
  Result run(const Subcommand& subcommand, char kind, const Words& beside, const Row* row, const Words& value) {
    const Folder out;
    Words words = words_of(subcommand.name);
    const bool names_machine = row != nullptr && row->option == "--machine";
    append(words, subcommand.base, kind, out);
    if (!names_machine && !kinds_.at(kind).machine.empty()) append(words, {"-m", kinds_.at(kind).machine}, kind, out);
    append(words, beside, kind, out);
    if (row != nullptr) {
      words.push_back(row->option);
      append(words, value, kind, out);
    }
    Result result{mobula::test::run(words, subcommand.input), {}};
    for (const std::string& name : out.names()) result.files[name] = read(out.file(name));
    return result;
  }

  /// The same without the option; the subcommand is always the same.
  const Result& without(const Subcommand& subcommand, char kind, const Words& beside) {
    const auto known = without_.find({kind, beside});
    if (known != without_.end()) return known->second;
    return without_.emplace(std::pair(kind, beside), run(subcommand, kind, beside, nullptr, {})).first->second;
  }

 private:
  static std::string container() {
    const auto shader = [](const std::string& stage, const std::string& name) {
      return chunk(stage, chunk("CMMN", chunk("OBJC", read(example(name)))));
    };
    return chunk("MBS2", std::string(4, '\0') + shader("VERT", "light.vert.bin") + shader("FRAG", "checker.frag.bin"));
  }
  /// Figures that every program is worse than.
  void write_baseline(char kind) {
    const Kind& program = kinds_.at(kind);
    const std::string file = in_.file(std::string(1, kind) + ".stat.json");
    Words words{"stat", program.file, "--baseline", file, "--update"};
    if (!program.machine.empty()) words.insert(words.end(), {"-m", program.machine});
    EXPECT_EQ(mobula::test::run(words).status, 0);
    const std::regex bytes("\"bytes\":[0-9]+");
    write(file, std::regex_replace(read(std::filesystem::path(file)), bytes, "\"bytes\":1"));
  }
  static std::string policy_of(char kind) {
    if (kind == 'G') return "truth=half";
    if (kind == 'R' || kind == 'r') return "rounding=zero";
    return kind == 'F' || kind == 'f' ? "shift=wrap" : "pc_value=this";
  }
  static std::string parameter_of(char kind) {
    if (kind == 'G') return "word_cycles=2";
    if (kind == 'R' || kind == 'r') return "lanes=8";
    return kind == 'F' || kind == 'f' ? "alu_cycles=5" : "alu_latency=20";
  }
  void append(Words& words, const Words& more, char kind, const Folder& out) const {
    const Kind& file = kinds_.at(kind);
    const std::string lower(1, static_cast<char>(std::tolower(kind)));
    for (const std::string& word : more) {
      if (word == "%feed" || (word == "%fed_firmware" && lower == "f")) {
        words.insert(words.end(), file.feed.begin(), file.feed.end());
      } else if (word == "%two_threads") {
        words.insert(words.end(), file.feed.begin(), file.feed.end());
        if (!file.feed.empty()) words.insert(words.end(), {"--threads", "2"});
      } else if (word != "%fed_firmware") {
        std::string text = word;
        const std::pair<std::string, std::string> replacements[] = {
            {"%file", file.file},
            {"%short", kind == 'G' ? in_.file("loop.vert.bin") : file.file},  // torus takes ten times as long
            {"%machine", machine_of(kind)},
            {"%container", std::string("MGR").find(kind) != std::string::npos ? "raw"
                           : kind == 'F'                                      ? "fw"
                                                                              : "text"},
            {"%side", kind == 'M'   ? in_.file("checker.frag.json")
                      : kind == 'G' ? in_.file("torus.vert.json")
                                    : "none"},
            {"%printed", kind == 'R' ? "isr" : "mesa"},
            {"%read", kind == 'm'   ? "lima"
                      : kind == 'r' ? "isr"
                                    : "mesa"},
            {"%policy", policy_of(kind)},
            {"%parameter", parameter_of(kind)},
            {"%inputs", file.feed.size() > 1 ? file.feed[1] : in_.file("checker.inputs.json")},
            {"%letter", std::string(1, kind)},
            {"%out", out.file("")},
            {"%in/", in_.file("")}};
        for (const auto& [name, replacement] : replacements)
          if (const std::size_t at = text.find(name); at != std::string::npos)
            text.replace(at, name.size(), replacement);
        words.push_back(text);
      }
    }
  }
  [[nodiscard]] static std::string machine_of(char kind) {
    const std::map<char, std::string> machines{{'M', "midgard"}, {'m', "midgard"}, {'G', "utgard-gp"}, {'R', "rogue"},
                                               {'r', "rogue"},   {'F', "afuc"},    {'f', "afuc:a630"}};
    const auto found = machines.find(kind);
    return found == machines.end() ? "midgard" : found->second;
  }

  Folder in_;
  std::map<char, Kind> kinds_;
  std::map<std::pair<char, Words>, Result> without_;
};

class OptionsOf : public testing::TestWithParam<Subcommand> {};

void expect_acts(Files& files, const Subcommand& subcommand, char kind, const Row& row) {
  if (row.proof == Proof::elsewhere) return;
  const Files::Result given = files.run(subcommand, kind, row.beside, &row, row.value);
  EXPECT_NE(given.outcome.status, 2) << given.outcome.err;
  if (row.proof == Proof::differs) {
    EXPECT_FALSE(given == files.without(subcommand, kind, row.beside)) << "it does nothing";
  } else if (row.proof == Proof::states) {
    EXPECT_NE(files.run(subcommand, kind, row.beside, &row, row.wrong).outcome.status, 0) << "anything is taken";
  }
  if (row.needs) {
    const Files::Result alone = files.run(subcommand, kind, {}, &row, row.value);
    EXPECT_EQ(alone.outcome.status, 2) << "it has nothing to act on alone";
  }
}

TEST_P(OptionsOf, ActOrAreRefused) {
  const Subcommand& subcommand = GetParam();
  Files files;
  for (const std::string& option : options_of(subcommand.name)) {
    const Row* const row = row_of(subcommand, option);
    ASSERT_NE(row, nullptr) << "no row says what " << subcommand.name << ' ' << option << " does";
    for (const char kind : subcommand.kinds) {
      SCOPED_TRACE(subcommand.name + ' ' + option + " on " + kind);
      if (row->kinds.find(kind) != std::string::npos) {
        expect_acts(files, subcommand, kind, *row);
      } else if (kind != 'C') {  // which is nothing without its own two options
        const Files::Result refused = files.run(subcommand, kind, {}, row, row->value);
        EXPECT_EQ(refused.outcome.status, 2) << refused.outcome.err;
        EXPECT_EQ(refused.outcome.out, "");
        EXPECT_TRUE(refused.files.empty());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Subcommands, OptionsOf, testing::ValuesIn(table()), [](const auto& each) {
  std::string name = each.param.name;
  std::ranges::replace(name, ' ', '_');
  return name;
});

}  // namespace
}  // namespace mobula::test
