// Relocation, proved by running: an instruction is put in at many places, one at a time, and the image still boots and
// does to the world what it did.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "machines/afuc/image/image.h"
#include "machines/afuc/run.h"
#include "machines/afuc/spec/codec.h"
#include "trials.h"

namespace mobula::afuc {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream cut(text);
  for (std::string line; std::getline(cut, line);) lines.push_back(line);
  return lines;
}

bool is_instruction(const std::string& line) {
  return !line.empty() && (std::islower(static_cast<unsigned char>(line[0])) != 0 || line[0] == '(') &&
         line.find(':') == std::string::npos;
}
bool has_slot(const std::string& line) {
  for (const std::string_view name : {"brne", "breq", "jump", "call", "ret", "iret", "bl ", "jumpa", "sret", "waitin"})
    if (line.starts_with(name)) return true;
  return line.starts_with("setsecure");
}

/// Lines in front of which an instruction may be put without changing what the program does: not delay slots, not the
/// two words after setsecure, and not the entries of jump tables, which code reaches by counting.
std::vector<std::size_t> places(const std::vector<std::string>& lines) {
  std::vector<std::size_t> result;
  unsigned since = 0, in_table = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with(".section")) since = 0;
    if (!is_instruction(lines[i])) continue;
    if (since >= 3 && in_table == 0) result.push_back(i);
    ++since;
    if (in_table != 0) --in_table;
    if (has_slot(lines[i])) since = lines[i].starts_with("setsecure") ? 0 : 2;
    if (lines[i].starts_with("jump $")) in_table = 300;
  }
  return result;
}

std::string with_line(const std::vector<std::string>& lines, std::size_t at, const std::string& added) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == at) text += added + '\n';
    text += lines[i] + '\n';
  }
  return text;
}

/// What the image does with the stream: writes, by core.
std::string deeds(std::vector<std::vector<std::uint32_t>> images, const std::string& stream, std::string& problem) {
  auto emulator = Emulator::create(std::move(images), {.packet_instructions = 100'000});
  if (!emulator) {
    problem = render(emulator.error());
    return {};
  }
  emulator->boot();
  const RunReport report = run_text(*emulator, stream);
  std::ostringstream text;
  for (const Event& event : report.events)
    if (event.kind != Event::Kind::interrupt)
      text << name(event.kind) << std::hex << ' ' << int{event.core} << ' ' << event.address << '=' << event.value
           << '\n';
  for (const CoreReport& core : emulator->cores()) {
    text << core.name << ' ' << name(core.halt) << '\n';
    problem += core.reason;
  }
  return text.str();
}

/// Puts one instruction in at every `stride`-th place; returns how many images were run.
unsigned relocate(const std::string& listing, const std::string& stream, std::size_t stride) {
  const std::vector<std::string> lines = lines_of(listing);
  std::string problem;
  const std::string expected = deeds({words_of(*assemble_text(listing))}, stream, problem);
  EXPECT_NE(expected.find("gpu_write"), std::string::npos) << problem;
  const std::vector<std::size_t> all = places(lines);
  unsigned images = 0;
  for (std::size_t i = 0; i < all.size(); i += stride) {
    const auto changed = assemble_text(with_line(lines, all[i], "xor $00, $00, $00"));
    EXPECT_TRUE(changed) << lines[all[i]] << render(changed.error());
    if (!changed) return images;
    problem.clear();
    EXPECT_EQ(deeds({words_of(*changed)}, stream, problem), expected)
        << "in front of line " << all[i] + 1 << ": " << lines[all[i]] << '\n'
        << problem;
    ++images;
    if (::testing::Test::HasFailure()) return images;
  }
  return images;
}

TEST(AfucRelocation, OwnImagesDoTheSameWithAnInstructionMore) {
  EXPECT_GT(relocate(data_text("run.asm"), data_text("run.pm4"), 1), 30u);
  EXPECT_GT(relocate(data_text("hardware.asm"),
                     "CP_SET_MARKER 1\nCP_SET_DRAW_STATE 0x01100002 0x50000 0\nCP_DRAW_AUTO 5\n"
                     "CP_CONTEXT_SWITCH_YIELD 0\n.at 0x50000\npkt4 0x8101 1\n",
                     1),
            40u);
  EXPECT_GT(relocate(data_text("cores.asm"), "pkt4 0x8100 1 2\nCP_NOP 1 2\n", 1), 30u);
}

/// The listing of the assembled image, not the source: what the disassembler found has to be enough.
TEST(AfucRelocation, ListingsDoTheSameWithAnInstructionMore) {
  const auto program = assemble_text(data_text("run.asm"));
  EXPECT_GT(relocate(text_of(*program), data_text("run.pm4"), 1), 30u);
  const auto cores = assemble_text(data_text("cores.asm"));
  EXPECT_GT(relocate(text_of(*cores), "pkt4 0x8100 1 2\nCP_NOP 1 2\n", 1), 30u);
}

TEST(AfucRelocation, RealImagesDoTheSameWithAnInstructionMore) {
  const auto files = real_images();
  if (files.empty()) GTEST_SKIP() << "no firmware in " << firmware_cache() << "; scripts/fetch-firmware gets it";
  const std::string stream =
      "CP_INDIRECT_BUFFER 0x100000 0 9\nCP_MEM_WRITE 0x30000 1 0xdead\nCP_REG_TO_MEM 0x8100 0x30010 0\n"
      "CP_SET_DRAW_STATE 0x01000000 0x50000 0\nCP_REG_RMW 0x8101 0xffffff0f 0x40\n.at 0x100000\npkt4 0x8100 1\n"
      "CP_CONTEXT_REG_BUNCH 0x8101 2 0x8103 3\nCP_NOP 1\n";
  unsigned runs = 0;
  std::set<std::string> seen;
  for (const auto& file : files) {
    const std::string name = file.filename().string();
    // One version of each; the PFP and ME of an a5xx only run together.
    if (name.find("_sqe") == std::string::npos || !seen.insert(name).second) continue;
    if (test::sanitized && seen.size() % 8 != 1) continue;
    const std::string listing = text_of(program_of(read_bytes(file)));
    const unsigned run = relocate(listing, stream, places(lines_of(listing)).size() / 6);
    EXPECT_GE(run, 6u) << name;
    if (HasFailure()) FAIL() << name;
    runs += run;
  }
  EXPECT_GE(runs, 6u);
}

}  // namespace
}  // namespace mobula::afuc
