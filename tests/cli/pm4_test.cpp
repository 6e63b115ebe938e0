#include <gmock/gmock.h>

#include "cli/shell.h"
#include "paths.h"

namespace mobula::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string stream_file(const std::string& name) { return test_data("afuc/") + name; }

TEST(Pm4Command, WordsBecomeTextAndBack) {
  const Folder folder;
  const std::string text = "CP_NOP 0x1 0x2\npkt4 0x8100 0x11\n", file = folder.file("a.bin");
  EXPECT_EQ(run({"pm4", "--asm", "-", "-o", file}, text).status, 0);
  EXPECT_EQ(to_hex(read(file)), "0200107001000000020000000100814811000000");
  const Outcome shown = run({"pm4", "--plain", file});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(shown.out, text);
  EXPECT_THAT(run({"pm4", file}).out, HasSubstr("  ; 0 "));
}

/// A capture of two submits, each of which writes a register through an indirect buffer.
std::string capture_file(const Folder& folder) {
  std::string bytes;
  const auto words = [&](std::initializer_list<std::uint32_t> all) {
    for (const std::uint32_t word : all)
      for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(word >> (8 * i));
  };
  words({13, 4, 630});
  for (const std::uint32_t value : {0x11u, 0x12u}) {
    words({3, 12, 0x20000, 8, 0, 12, 8, 0x48810001, value});
    words({3, 12, 0x30000, 4, 0, 12, 4, 0xdead});
    words({6, 12, 0x20000, 2, 0});
  }
  return folder.file("a.rd", bytes);
}

TEST(Pm4Command, CapturesAreShownSubmitBySubmit) {
  const Folder folder;
  const Outcome shown = run({"pm4", "--plain", capture_file(folder)});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(shown.out,
            "; submit 0 of 2: 1 command streams; 2 buffers in the capture\n"
            "CP_INDIRECT_BUFFER 0x20000 0x0 0x2\n\n.at 0x20000\npkt4 0x8100 0x11\n\n"
            ".ring\n; submit 1 of 2: 1 command streams; 2 buffers in the capture\n"
            "CP_INDIRECT_BUFFER 0x20000 0x0 0x2\n\n.at 0x20000\npkt4 0x8100 0x12\n");
  const auto json = parse_json(run({"pm4", "--json", capture_file(folder)}).out).at(0);
  EXPECT_EQ(schema_errors("pm4", json), std::vector<std::string>{});
  EXPECT_EQ(json["result"]["submits"].size(), 2u);
  EXPECT_EQ(json["target"]["variant"], "a630");
  EXPECT_EQ(run({"pm4", "-"}, read(capture_file(folder))).out, run({"pm4", capture_file(folder)}).out);
}

TEST(Pm4Command, CapturesAreStreams) {
  const Folder folder;
  const Outcome outcome = run({"run", "-m", "afuc", example("firmware.afuc"), "--stream", capture_file(folder)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("register 0x8100 GRAS_LRZ_CNTL = 0x11\n"));
  EXPECT_THAT(outcome.out, HasSubstr("register 0x8100 GRAS_LRZ_CNTL = 0x12\n"));
  const Outcome other = run({"run", "-m", "afuc:a530", test_data("afuc/pfp.asm"), "--stream", capture_file(folder)});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("is a capture from an a630, but the firmware is for an a530"));
  const Outcome memory = run({"pm4", "--memory", "0x1000=" + capture_file(folder), stream_file("run.pm4")});
  EXPECT_EQ(memory.status, 2);
  EXPECT_THAT(memory.err, HasSubstr("is a capture of what a driver submitted"));
}

TEST(Pm4Command, HexadecimalGoesBothWays) {
  const Outcome hex = run({"pm4", "--asm", "--hex", "-"}, "CP_NOP\n");
  EXPECT_EQ(hex.out, "70108000\n");
  EXPECT_EQ(run({"pm4", "-"}, hex.out).out, "CP_NOP\n");
}

TEST(Pm4Command, NamesAreThoseOfTheMachine) {
  EXPECT_EQ(run({"pm4", "-m", "afuc:a530", "--plain", "-"}, "70b08000\n").out, "CP_LOAD_STATE4\n");
  EXPECT_EQ(run({"pm4", "-m", "afuc:a630", "--plain", "-"}, "70b08000\n").out, "UNKN48\n");
  EXPECT_EQ(run({"pm4", "-m", "midgard", "-"}, "70108000\n").status, 2);
}

TEST(Pm4Command, ErrorsNameTheOffset) {
  const Outcome outcome = run({"pm4", "-"}, "70108000 70100000\n");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("0x4"));
  EXPECT_THAT(outcome.err, HasSubstr("[PM010]"));
  EXPECT_THAT(outcome.out, HasSubstr("[70100000]")) << "what is wrong is shown, too";
}

TEST(Pm4Command, HalfAWordIsAnError) {
  const Folder folder;
  const Outcome outcome = run({"pm4", "--container", "raw", folder.file("a.bin", "abcde")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[PM008]"));
}

TEST(Pm4Command, IndirectBuffersAreShownWithTheStream) {
  const Folder folder;
  const std::string buffer = folder.file("ib.hex", "70108000\n");
  const Outcome outcome = run({"pm4", "--memory", "0x1000=" + buffer, "-"}, "CP_INDIRECT_BUFFER 0x1000 0 1\n");
  EXPECT_THAT(outcome.out, HasSubstr(".at 0x1000\nCP_NOP\n"));
  EXPECT_EQ(run({"pm4", "--memory", "1001=" + buffer, "-"}, "CP_NOP\n").status, 2);
  EXPECT_EQ(run({"pm4", "--asm", stream_file("run.pm4")}).status, 1) << "memory cannot be said in words alone";
}

TEST(Pm4, MemoryIsGivenOnce) {
  const Folder folder;
  const std::string two = folder.file("two", "00000001 00000002\n");
  const auto told = [&](const std::string& first, const std::string& second) {
    return run({"pm4", "--memory", first + "=" + two, "--memory", second + "=" + two, "-"}, "CP_NOP 0\n").err;
  };
  EXPECT_EQ(told("0x1000", "0x1008"), "");
  EXPECT_EQ(told("0x1008", "0x1000"), "");
  for (const auto& [first, second] : {std::pair("0x1000", "0x1000"), {"0x1000", "0x1004"}, {"0x1004", "0x1000"}})
    EXPECT_THAT(told(first, second), HasSubstr("both give the word at 0x100")) << first << ' ' << second;
}

TEST(Pm4Command, JsonKeepsToItsSchema) {
  const auto results = parse_json(run({"pm4", "--json", stream_file("run.pm4")}).out);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0]["result"]["packets"][2]["indirect"]["address"], "0x100000");
  EXPECT_EQ(results[0]["result"]["memory"][1]["packets"][0]["register"], "0x8108");
  EXPECT_EQ(parse_json(run({"pm4", "--json", "-"}, "12345678\n").out)[0]["result"]["packets"][0]["header"],
            "0x12345678");
}

TEST(Pm4, EmptyFilesAreErrors) {
  const Outcome outcome = run({"pm4", "-"}, "");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[FM005]"));
  EXPECT_EQ(run({"pm4", "--asm", "--hex", "-"}, "").status, 1);
}

}  // namespace
}  // namespace mobula::test
