// What mobula says of itself: help and its examples, manual pages, completions, files of arguments, colours.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The lines between "Subcommands:" and the examples that name one.
std::vector<std::string> subcommands_of(const std::vector<std::string>& command) {
  const std::string help = run(with(command, {"--help"})).out;
  const std::size_t begin = help.find("Subcommands:");
  std::vector<std::string> names;
  if (begin == std::string::npos) return names;
  std::istringstream lines(help.substr(begin, help.find("Examples:") - begin));
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_search(line, match, std::regex("^  ([a-z0-9]+) "))) names.push_back(match[1]);
  return names;
}

/// Every command, as its words.
std::vector<std::vector<std::string>> all_commands() {
  std::vector<std::vector<std::string>> all{{}};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::string& name : subcommands_of(all[i])) all.push_back(with(all[i], {name}));
  return all;
}

std::vector<std::string> examples_of(const std::vector<std::string>& command) {
  std::istringstream help(run(with(command, {"--help"})).out);
  std::vector<std::string> found;
  for (std::string line; std::getline(help, line);)
    if (line.starts_with("  mobula ")) found.push_back(line.substr(2));
  return found;
}

/// What the command prints when it is started by a shell in `folder`.
int run_by_shell(const Folder& folder, const std::string& command) {
  const std::string bin = std::filesystem::path(command_file()).parent_path().string();
  folder.file("command.sh",
              "cd '" + folder.file("") + "' && PATH='" + bin + "':$PATH && set -e -o pipefail; " + command);
  return std::system(
      ("bash '" + folder.file("command.sh") + "' >'" + folder.file("out") + "' 2>&1 </dev/null").c_str());
}

bool is_there(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

TEST(Help, EveryExampleSucceeds) {
  const Folder folder;
  std::filesystem::create_directory_symlink(source_file("examples"), folder.file("examples"));
  folder.file("mobula.html", "<!doctype html>");
  folder.file("list.txt", "one\ntwo\nthree\n");
  std::size_t examples = 0;
  for (const std::vector<std::string>& command : all_commands())
    for (const std::string& example : examples_of(command)) {
      const auto uses = [&](std::string_view part) { return example.find(part) != std::string::npos; };
      if ((uses("| dot ") && !is_there("dot")) || (uses("--synth") && !is_there("yosys")) ||
          (uses("--cosim") && !is_there("verilator")) || uses("--open"))  // a browser, and the page
        continue;
      ++examples;
      // What waits for a client does so until it is stopped; what takes minutes need only begin.
      const bool endless = uses("--port") || uses("--cosim");
      const std::string started = endless ? "timeout 1 " + example + " || [ $? = 124 ]" : example;
      // Server of an editor: one that leaves without a word is worth a status.
      const bool server = example.starts_with("mobula lsp");
      // Input that is nobody's: nothing is said then.
      std::smatch input;
      if (std::regex_search(example, input, std::regex(" < ([a-z.]+)( |$)"))) folder.file(input[1], "");
      const int status = run_by_shell(folder, server ? "! " + started : started);
      EXPECT_EQ(status, 0) << example << '\n' << read(folder.file("out"));
    }
  EXPECT_GT(examples, 60u);
}

TEST(Help, SaysValuesLimitsAndDefaultsInWords) {
  const std::regex of_the_parser(
      "\\b(U?INT|FLOAT|REQUIRED|Excludes|Needs)\\b|TEXT \\.\\.\\.| in \\[|=\\[|\\([0-9]+x\\)| VALUE ");
  for (const std::vector<std::string>& command : all_commands()) {
    const std::string help = run(with(command, {"--help"})).out;
    std::smatch found;
    EXPECT_FALSE(std::regex_search(help, found, of_the_parser)) << found.str() << " in:\n" << help;
  }
  EXPECT_THAT(run({"run", "--help"}).out,
              AllOf(HasSubstr("  -o, --output FILE "), HasSubstr("  --policy NAME=VALUE "),
                    HasSubstr("; may be given several times"), HasSubstr("by default all; 1 to 4096\n"),
                    HasSubstr("\n  FILE... "), HasSubstr("  --image WIDTHxHEIGHT ")));
  EXPECT_THAT(run({"debug", "--help"}).out, HasSubstr("; not with --preset\n"));
  EXPECT_THAT(run({"diff", "--help"}).out, HasSubstr("Usage: mobula diff [OPTIONS] FILE FILE\n"));
  EXPECT_THAT(run({"scoreboard", "run", "--help"}).out, HasSubstr("[OPTIONS] PROGRAM [PROGRAM]\n"));
  EXPECT_THAT(run({"scoreboard", "sweep", "--help"}).out,
              AllOf(HasSubstr("[OPTIONS] [PROGRAM...]\n"), HasSubstr("; by default seed_two_level\n"),
                    HasSubstr("several times\n")));
}

/// "-o, --output FILE" and what it says, of each option of a command.
std::vector<std::pair<std::string, std::string>> options_of(const std::vector<std::string>& command) {
  std::istringstream help(run(with(command, {"--help"})).out);
  const std::regex row("^  (-[-a-zA-Z, ]*[a-z])( [A-Z][^ ]*)?  +(.+)$");
  std::vector<std::pair<std::string, std::string>> found;
  std::smatch match;
  for (std::string line; std::getline(help, line);)
    if (std::regex_match(line, match, row)) found.emplace_back(match[1], match[2].str() + ": " + match[3].str());
  return found;
}

TEST(Help, SaysTheSameOfAnOptionEverywhere) {
  // Where an option is about something else.
  const std::map<std::string, std::set<std::string>> other{
      {"--config", {"debug"}},                       // a core instead of the machine
      {"--container", {"pm4"}},                      // of command streams
      {"--hex", {"relink", "pm4"}},                  // the form of FILE is kept; with --asm only
      {"--json", {"debug"}},                         // a line for each answer
      {"--memory", {"pm4"}},                         // buffers that are shown
      {"--mix", {"scoreboard sweep"}},               // any number
      {"--port", {"serve"}},                         // of the page
      {"--preset", {"debug"}},                       // a core instead of the machine
      {"--seed", {"scoreboard rtl"}},                // the first of several
      {"--shard", {"scoreboard sweep"}},             // put together by another command
      {"--spill-to", {"scoreboard cost"}},           // a workload without threads
      {"--stage", {"compile"}},                      // what text is, not which part of a container
      {"--svg", {"explain", "isa"}},                 // what is drawn
      {"--thread", {"run"}},                         // traced, not recorded
      {"--timeline", {"scoreboard run"}},            // by operations and clocks
      {"-m, --machine", {"check", "stat", "time"}},  // several
      {"-o, --output", {"merge", "compile"}},        // folders
  };
  std::map<std::string, std::map<std::string, std::string>> said;  // by option and text: a command
  std::size_t seen = 0, excepted = 0;
  for (const std::vector<std::string>& command : all_commands()) {
    std::string name;
    for (const std::string& word : command) name += (name.empty() ? "" : " ") + word;
    for (const auto& [option, text] : options_of(command)) {
      ++seen;
      if (const auto found = other.find(option); found != other.end() && found->second.contains(name))
        ++excepted;
      else
        said[option].emplace(text, name);
    }
  }
  for (const auto& [option, texts] : said) {
    std::string all;
    for (const auto& [text, command] : texts) all += '\n' + command + text;
    EXPECT_EQ(texts.size(), 1u) << option << all;
  }
  EXPECT_GT(seen, 300u);
  EXPECT_EQ(excepted, 22u) << "an exception is of no option any more";
}

TEST(Help, IsThereByItsOwnNameToo) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "disasm"}).out, run({"disasm", "--help"}).out);
  EXPECT_EQ(run({"help", "scoreboard", "run"}).out, run({"scoreboard", "run", "--help"}).out);
  const Outcome wrong = run({"help", "disarm"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean disasm?"));
  EXPECT_THAT(run({"disarm"}).err, HasSubstr("did you mean disasm?"));
  EXPECT_EQ(run({"-V"}).out, run({"--version"}).out);
}

TEST(Help, OffersTheNearestNameOfTheManual) {
  const Outcome wrong = run({"isa", "midgard", "fmulx"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean FMUL?"));
  EXPECT_THAT(run({"isa", "afuc", "MARKET"}).err, HasSubstr("did you mean MARKER?"));
  EXPECT_THAT(run({"isa", "midgard", "completely_different_thing"}).err, Not(HasSubstr("did you mean")));
}

TEST(Pages, AreMadeFromTheOptions) {
  const Folder folder;
  ASSERT_EQ(run({"pages", folder.file("share")}).status, 0);
  for (const std::vector<std::string>& command : all_commands()) {
    std::string title = "mobula";
    for (const std::string& word : command) title += '-' + word;
    const std::string page = read(folder.file("share/man/man1/" + title + ".1"));
    EXPECT_THAT(page, StartsWith(".TH ")) << title;
    EXPECT_THAT(page, HasSubstr(".SH OPTIONS")) << title;
    EXPECT_THAT(page, HasSubstr("\\-\\-color")) << title;
  }
  EXPECT_THAT(read(folder.file("share/man/man1/mobula-disasm.1")),
              AllOf(HasSubstr(".B \\-o, \\-\\-output FILE\n"), HasSubstr(".B \\-\\-bytes\n"), HasSubstr("FILE...\n")));
  if (is_there("groff")) {
    for (const auto& page : std::filesystem::directory_iterator(folder.file("share/man/man1"))) {
      const int status = run_by_shell(folder, "groff -man -ww -z -Tascii '" + page.path().string() + "'");
      EXPECT_EQ(status, 0) << page.path();
      EXPECT_EQ(read(folder.file("out")), "") << page.path();
    }
  }
}

TEST(Pages, OfASiteHaveEveryCommandWithItsOptions) {
  const Folder folder;
  ASSERT_EQ(run({"pages", "--markdown", folder.file("pages")}).status, 0);
  const auto page = [&](const std::string& name) { return read(folder.file("pages/" + name + ".md")); };
  EXPECT_THAT(page("mobula"), AllOf(StartsWith("# mobula\n"), HasSubstr("| [mobula disasm](mobula-disasm.md) | ")));
  EXPECT_THAT(page("mobula-scoreboard"), HasSubstr("| [mobula scoreboard run](mobula-scoreboard-run.md) | "));
  EXPECT_THAT(page("mobula-scoreboard-run"), HasSubstr("| `--preset CORE` | "));
  EXPECT_THAT(page("mobula-isa"), AllOf(HasSubstr("\nmobula isa [OPTION]... MACHINE... MNEMONIC...\n"),
                                        HasSubstr("; one of `afuc`, `midgard`, "), HasSubstr("```\nExamples:\n")));
  EXPECT_THAT(page("mobula-time"), Not(HasSubstr(" NO_COLOR "))) << "what Markdown would take for emphasis";
  EXPECT_FALSE(std::filesystem::exists(folder.file("pages/man")));
}

TEST(Pages, CompletionsKnowCommandsAndOptions) {
  const Folder folder;
  ASSERT_EQ(run({"pages", folder.file("share")}).status, 0);
  const auto offered = [&](const std::string& words) {
    const std::string script = "set +e; . share/bash-completion/completions/mobula; COMP_WORDS=(mobula " + words +
                               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _mobula; echo \"${COMPREPLY[*]}\"";
    EXPECT_EQ(run_by_shell(folder, script), 0);
    return read(folder.file("out"));
  };
  EXPECT_EQ(offered("dis"), "disasm\n");
  EXPECT_EQ(offered("disasm --by"), "--bytes\n");
  EXPECT_EQ(offered("isa mid"), "midgard\n");
  EXPECT_THAT(offered("disasm -m mid"), StartsWith("midgard midgard:"));
  EXPECT_EQ(offered("disasm -m midgard : t72"), "t720\n") << "readline cuts words at colons";
  EXPECT_THAT(offered("disasm -m midgard :"), AllOf(HasSubstr("t720 "), Not(HasSubstr("midgard"))));
  EXPECT_EQ(offered("check --machine = midgard : t72"), "t720\n");
  EXPECT_THAT(offered("disasm --syntax me"), StartsWith("mesa mesa-"));
  EXPECT_EQ(offered("run --policy fma = f"), "fused\n");
  EXPECT_EQ(offered("info --container e"), "elf\n");
  EXPECT_EQ(offered("info --container = e"), "elf\n");
  EXPECT_EQ(offered("time --format s"), "shader-db\n");
  EXPECT_EQ(offered("stat --format o"), "offline-compiler\n");
  EXPECT_EQ(offered("--color a"), "auto always\n");
  EXPECT_EQ(offered("disasm --color n"), "never\n");
  EXPECT_EQ(offered("scoreboard presets june"), "june2019\n");
  EXPECT_EQ(offered("debug --preset june"), "june2019\n");
  EXPECT_EQ(offered("help dis"), "disasm\n");
  EXPECT_EQ(offered("scoreboard rec"), "record\n");
  EXPECT_EQ(offered("scoreboard run --matrix-"), "--matrix-svg\n");
  EXPECT_EQ(offered("check --bytes --by"), "\n") << "check has no such option";
  EXPECT_EQ(offered("disasm share"), "share\n") << "files, too";
  for (const char* shell : {"zsh", "fish"}) {
    const std::string file =
        std::string(shell) == "zsh" ? "zsh/site-functions/_mobula" : "fish/vendor_completions.d/mobula.fish";
    EXPECT_THAT(read(folder.file("share/" + file)), AllOf(HasSubstr("scoreboard"), HasSubstr("matrix-svg"),
                                                          HasSubstr("t720"), HasSubstr("offline-compiler")));
    if (!is_there(shell)) continue;
    EXPECT_EQ(run_by_shell(folder, std::string(shell) + " -n share/" + file), 0) << read(folder.file("out"));
  }
}

TEST(Arguments, ComeFromFiles) {
  const Folder folder;
  const std::string program = example("checker.frag.bin");
  const std::string file = folder.file("arguments", "disasm\t--bytes\n'" + program + "'\n");
  EXPECT_EQ(run({"@" + file}).out, run({"disasm", "--bytes", program}).out);
  const std::string nested = folder.file("nested", "@" + file + " --color \"never\"");
  EXPECT_EQ(run({"@" + nested}).out, run({"disasm", "--bytes", program}).out);
  EXPECT_EQ(run({"isa", "afuc", "@MARKER"}).status, 0)
      << "where there is no such file it is an argument like any other";
  const std::string itself = folder.file("itself");
  write(itself, "@" + itself);
  const Outcome endless = run({"@" + itself});
  EXPECT_EQ(endless.status, 2);
  EXPECT_THAT(endless.err, HasSubstr("does one of them name itself?"));
  const Outcome open = run({"@" + folder.file("open", "disasm 'x")});
  EXPECT_EQ(open.status, 2);
  EXPECT_THAT(open.err, HasSubstr("a quote is not closed"));
  EXPECT_EQ(run({"@" + folder.file("escapes", "disasm a\\ b \"c'd\" '' x")}).err,
            run({"disasm", "a b", "c'd", "", "x"}).err);
}

TEST(Colours, AreInListingsWhereTheyAreWanted) {
  const std::string program = example("checker.frag.bin");
  const std::string plain = run({"disasm", program}).out;
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  const std::string coloured = run({"disasm", "--color=always", program}).out;
  EXPECT_THAT(coloured, AllOf(HasSubstr("\x1b[36m.stage fragment\x1b[0m\n"), HasSubstr("\x1b[33mL13:\x1b[0m\n")));
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9]*m"), ""), plain);
  EXPECT_THAT(run({"disasm", "--bytes", "--color=always", program}).out, HasSubstr("\x1b[2m; 0x0000"));
  EXPECT_EQ(run({"disasm", program}, {}, {"CLICOLOR_FORCE=1"}).out, coloured);
  EXPECT_EQ(run({"disasm", program}, {}, {"CLICOLOR_FORCE=0"}).out, plain);
  EXPECT_EQ(run({"disasm", program}, {}, {"CLICOLOR_FORCE=1", "NO_COLOR=1"}).out, plain);
  EXPECT_EQ(run({"disasm", "--color=never", program}, {}, {"CLICOLOR_FORCE=1"}).out, plain);
  const Folder folder;
  EXPECT_EQ(run({"disasm", "--color=always", program, "-o", folder.file("listing")}).status, 0);
  EXPECT_EQ(read(folder.file("listing")), plain) << "files hold no colours";
  for (const std::vector<std::string>& listing : std::vector<std::vector<std::string>>{
           {"ir", program},
           {"diff", program, example("waves.frag.bin")},
           {"explain", "-m", "midgard", "00220089 80186000 00548214 02360F20 0F20002A 00000000 00000000 00000000"}}) {
    EXPECT_THAT(run(with(listing, {"--color=always"})).out, HasSubstr("\x1b[32m")) << listing[0];
    EXPECT_EQ(run(listing, {}, {"CLICOLOR_FORCE=1", "NO_COLOR=1"}).out, run(listing).out) << listing[0];
    EXPECT_THAT(run(with(listing, {"--color=always", "--json"})).out, Not(HasSubstr("\x1b"))) << listing[0];
  }
  EXPECT_THAT(run({"disasm", program, "--json", "--color=always"}).out, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace mobula::test
