#include "machines/afuc/views/flow.h"

#include <gtest/gtest.h>

#include "machines/afuc/build.h"
#include "mobula/isa/firmware_flow.h"

namespace mobula::afuc {
namespace {

using Kind = FlowGraph::EdgeKind;

FlowGraph graph_of(const std::string& text, const std::string& place) {
  return firmware::flow(assemble_text(text).value(), {.core = {}, .place = place}).value().at(0);
}
std::string pseudo_of(const std::string& text, const std::string& place) {
  return firmware::pseudo(assemble_text(text).value(), {.core = {}, .place = place}).value();
}
/// "0004 0005/" for each block: its words, those in delay slots with a slash.
std::string words_in(const FlowGraph& graph) {
  std::string text;
  for (const FlowGraph::Block& block : graph.blocks) {
    for (const FlowGraph::Line& line : block.lines)
      text += std::to_string(line.address) + (line.slot ? "/" : "") + (&line == &block.lines.back() ? "" : " ");
    text += '|';
  }
  return text;
}
/// "next 1, taken 2" for each block.
std::string edges_in(const FlowGraph& graph) {
  std::string text;
  for (const FlowGraph::Block& block : graph.blocks) {
    for (const FlowGraph::Edge& edge : block.edges)
      text += (&edge == &block.edges.front() ? "" : ", ") + std::string(name(edge.kind)) + ' ' +
              (edge.block ? std::to_string(*edge.block) : edge.name) + (edge.pair ? "!" : "");
    text += '|';
  }
  return text;
}

const std::string head = "[016ee001]\n[#jumptbl]\n", tail = "\njumptbl:\n.jumptbl\n";

TEST(Flow, DelaySlotsBelongToTheBranch) {
  const FlowGraph graph =
      graph_of(head + "breq $02, 0x0, #l\nmov $03, $04\nmov $05, $06\nl:\nret\nmov $07, $08" + tail, "SQE");
  EXPECT_EQ(words_in(graph), "0 1 2 3/|4|5 6/|");
  EXPECT_EQ(edges_in(graph), "taken 2, next 1|next 2|back |");
  EXPECT_EQ(graph.blocks[0].lines[2].text, "breq $02, 0x0, #l5");
}

/// A branch in the slot of a branch that is not taken is a branch like others.
TEST(Flow, BranchesInARow) {
  const FlowGraph graph =
      graph_of(head + "breq $02, 0x0, #a\nbreq $02, 0x1, #b\nnop\nret\nnop\na:\nret\nnop\nb:\nret\nnop" + tail, "SQE");
  EXPECT_EQ(words_in(graph), "0 1 2|3 4/|5 6/|7 8/|9 10/|");
  EXPECT_EQ(edges_in(graph), "taken 3, next 1|taken 4, next 2|back |back |back |");
}

/// A slot that is also jumped to stands in both blocks.
TEST(Flow, SlotThatIsATarget) {
  const FlowGraph graph =
      graph_of(head + "l:\nbreq $02, 0x0, #out\ns:\nmov $03, $04\njump #s\nnop\nout:\nret\nnop" + tail, "SQE");
  EXPECT_EQ(words_in(graph), "0 1 2 3/|3|4 5/|6 7/|");
  EXPECT_EQ(edges_in(graph), "taken 3, next 2|next 2|jump 1|back |");
}

TEST(Flow, CallsContinueAfterTheirSlot) {
  const FlowGraph graph =
      graph_of(head + "call #f\nmov $02, 0x1\ncall #f\nnop\nwaitin\nmov $01, $data\nf:\nret\nnop" + tail, "SQE");
  EXPECT_EQ(words_in(graph), "0 1 2 3/ 4 5/ 6 7/|");
  EXPECT_EQ(edges_in(graph), "packet |");
  EXPECT_EQ(graph.blocks[0].calls, std::vector<std::string>{"fxn8"});
}

/// The header is taken where the jump leads.
TEST(Flow, WaitinInTheSlotOfAJump) {
  const FlowGraph graph = graph_of(head + "jump #l\nwaitin\nnop\nl:\nmov $01, $data\nret\nnop" + tail, "SQE");
  EXPECT_EQ(words_in(graph), "0 1 2 3/ 5/|");
  EXPECT_EQ(edges_in(graph), "packet |");
}

TEST(Flow, SetsecureHasNoSlot) {
  const FlowGraph graph =
      graph_of(head + "setsecure $02, #l\njump #e\nnop\nl:\nret\nnop\ne:\njump #e\nnop" + tail, "SQE");
  EXPECT_EQ(words_in(graph), "0 1 2|3 4/|5 6/|7 8/|");
  EXPECT_EQ(edges_in(graph), "next 1, skip 2|jump 3|back |jump 3|");
}

TEST(Flow, TablesOfJumpsAndOtherHandlers) {
  const std::string text = data_text("view.asm");
  const FlowGraph graph = graph_of(text, "CP_DRAW_AUTO");
  EXPECT_EQ(edges_in(graph), "indirect 1, indirect 2|jump 3|jump 4|next 4|next CP_NOP|");
}

TEST(Flow, RunsIntoWhatIsNotAnInstruction) {
  const FlowGraph graph = graph_of(head + "brne $02, 0x0, #l\nnop\n[fbadc0de]\nl:\nret\nnop" + tail, "SQE");
  EXPECT_EQ(edges_in(graph), "taken 1, stop |back |");
  EXPECT_NE(pseudo_of(head + "brne $02, 0x0, #l\nnop\n[fbadc0de]\nl:\nret\nnop" + tail, "SQE").find("trap;"),
            std::string::npos);
}

TEST(Flow, PlacesThatAreNotThere) {
  const Program program = assemble_text(data_text("view.asm")).value();
  for (const std::string place : {"CP_DRAW_PRED_SET_", "fxn1", "l3", "0x8000", "", "BV"}) {
    const auto flow = firmware::flow(program, {.core = place.empty() ? "LPAC" : "", .place = place});
    ASSERT_FALSE(flow) << place;
    EXPECT_EQ(flow.error().at(0).code, "AF170");
  }
}

TEST(Flow, AnyBytes) {
  for (const std::vector<std::uint8_t>& bytes :
       {std::vector<std::uint8_t>{}, {0}, {0, 0, 0, 0}, {0, 0, 0, 0, 0x7A, 0xE1, 0x6E, 1, 0xFF, 0xFF}}) {
    const Program program = program_of(bytes);
    EXPECT_TRUE(firmware::flow(program, {}) || !firmware::flow(program, {}).error().empty());
    EXPECT_TRUE(firmware::pseudo(program, {}) || !firmware::pseudo(program, {}).error().empty());
  }
  std::uint32_t state = 1;
  for (int round = 0; round < 40; ++round) {
    std::vector<std::uint32_t> words{0, 0x016EE17A, 0x01000100};
    for (int i = 0; i < 400; ++i) {
      state = state * 1664525 + 1013904223;
      // Mostly branches near by, of all kinds.
      const std::uint32_t near = 0xC0000000 | (state & 0x3FFF0000) | (((state >> 4 & 63) - 32) & 0xFFFF);
      words.push_back((state >> 12 & 3) != 0 ? near : state);
    }
    const Program program = program_of(bytes_of(words));
    const auto text = firmware::pseudo(program, {});
    ASSERT_TRUE(text);
    EXPECT_NE(text->size(), 0u);
  }
}

TEST(Pseudo, Loops) {
  EXPECT_EQ(pseudo_of(data_text("view.asm"), "CP_WAIT_REG_MEM"), R"(CP_WAIT_REG_MEM()
0004    $02 = $data;
        while (true) {
0005      fxn56();
0007      if ($03 == 1) break;
0009      $07 = 0x10;
0008      if ($03 == 2) break;
          do {
000a        taken = $07 != 0;
000b        $07 = $07 - 1;
000a      } while (taken);
        }
000e    waitin($01 = $data);
)");
}

TEST(Pseudo, ValuesAndConditions) {
  EXPECT_EQ(pseudo_of(data_text("view.asm"), "CP_REG_RMW"), R"(CP_REG_RMW()
0010    $02 = $data;
0013    $03 = (($02 >> 8) & 0xff) | 0x100;
0014    $04 = cmp($03, $02);
0015    if ($03 > $02) {
001a      @REG_WRITE_ADDR = $02;
        } else {
0017      @REG_WRITE_ADDR = $03;
        }
001b    @REG_WRITE = 0;
0036    waitin($01 = $data);
)");
}

TEST(Pseudo, EffectsAreThere) {
  EXPECT_EQ(pseudo_of(data_text("view.asm"), "CP_MEM_WRITE"), R"(CP_MEM_WRITE()
001e    $addr = 0xa0000000;  // |NRT_ADDR
001f    repeat ($rem) { $data = $data; xmov($data = $data); }
0020    mem[$03 += 0x4] = $02;
0021    $04 = mem[$03 + 0x8];
0022    $05 = $04 + $04;
0023    $06 = 0 + 0 + carry;
0024    repeat ($rem) nop;
0025    if (setsecure($02)) waitin($01 = $data);
0026    goto CP_NOP;
)");
}

TEST(Pseudo, Functions) {
  EXPECT_EQ(pseudo_of(data_text("view.asm"), "fxn56"), R"(fxn56()
        do {
0038      $03 = mem[$02];
0039    } while (!$03.b3);
003c    $03 = $03 & 0xf;
003b    return;
)");
}

class RealFlow : public ::testing::Test {
 protected:
  void SetUp() override {
    images_ = real_images();
    if (images_.empty()) GTEST_SKIP() << "no firmware in " << firmware_cache() << "; scripts/fetch-firmware gets it";
  }
  std::vector<std::filesystem::path> images_;
};

/// Every known instruction is in some function, and every edge inside leads to a block that begins where it says. What
/// stands after two jumps in a row is never executed.
TEST_F(RealFlow, CoversEveryImage) {
  for (const auto& file : images_) {
    const Program program = program_of(read_bytes(file));
    const Image image(program);
    std::vector<bool> covered(image.size());
    for (const Core& core : image.cores()) {
      const Functions functions(image, core);
      for (const std::uint32_t entry : functions.entries()) {
        const FunctionFlow flow = functions.flow(entry);
        EXPECT_TRUE(flow.complete);
        for (const FlowBlock& block : flow.blocks) {
          EXPECT_FALSE(block.edges.empty());
          for (const FlowStep& step : block.steps) covered[step.word] = true;
          for (const FlowEdge& edge : block.edges)
            if (edge.block) {
              EXPECT_EQ(flow.blocks.at(*edge.block).begin(), edge.word);
            }
        }
      }
      const auto leaves = [&](std::uint32_t i) {
        const Opcode* opcode = image.code(i);
        return opcode != nullptr && ends_flow(opcode->op);
      };
      for (std::uint32_t i = core.start + 2; i < core.code_end(); ++i)
        if (!(leaves(i - 2) && leaves(i - 1)) && (image.flags(i) & (word_reached | word_assumed)) == word_reached &&
            image.code(i) != nullptr) {
          EXPECT_TRUE(covered[i]) << file << ' ' << image.place(core, i);
        }
    }
  }
}

/// The labels that a function's gotos name: in the function itself, or those that other functions have as names.
void expect_labels(const std::string& function, const std::string& all) {
  constexpr std::string_view jump = "goto l";
  for (std::size_t at = function.find(jump); at != std::string::npos; at = function.find(jump, at + 1)) {
    const std::size_t begin = at + jump.size() - 1;
    const std::string label = function.substr(begin, function.find(';', begin) - begin);
    EXPECT_TRUE(function.find('\n' + label + ":\n") != std::string::npos ||
                all.find(label + "()\n") != std::string::npos)
        << label << " of " << function.substr(0, function.find('\n'));
  }
}

TEST_F(RealFlow, PseudoCodeOfEveryImage) {
  for (const auto& file : images_) {
    const auto text = firmware::pseudo(program_of(read_bytes(file)), {});
    ASSERT_TRUE(text) << file;
    EXPECT_GT(text->size(), 1000u);
    EXPECT_EQ(text->find("waitin()"), std::string::npos) << file;
    for (std::size_t begin = 0, end = 0; begin < text->size(); begin = end + 2) {
      end = std::min(text->find("\n\n", begin), text->size());
      expect_labels(text->substr(begin, end + 1 - begin), *text);
    }
  }
}

}  // namespace
}  // namespace mobula::afuc
