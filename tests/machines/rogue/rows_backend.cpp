// What the rows of the backend do: through an environment that records, and by what is executed after them.
#include <algorithm>

#include "rows.h"

namespace mobula::rogue {
namespace {

const auto nothing_before = [](Task&) {};

void add_outputs(std::vector<Statement>& all) {
  const std::string head = "main { s0 = r0; s1 = r1; is0 = s0; is4 = fte; be: ", behind = " }\nmov r9, sc1\nnop.end";
  const auto prepare = [](Task& task) { task.set("r0", 77u).set("r1", 6u); };
  const auto writes = [&](const std::string& row, const std::string& instruction, std::uint32_t address, bool ends) {
    all.push_back(acts(row, head + instruction + behind, prepare, [=](Task& task) {
      ASSERT_EQ(task.environment.outputs.size(), 1u);
      EXPECT_EQ(task.environment.outputs[0].address, address);
      EXPECT_EQ(task.environment.outputs[0].value, 77u);
      EXPECT_EQ(task.get("r9"), ends ? 0u : 1u);
    }));
  };
  writes("be uvsw.write uvsw_write_imm", "uvsw.write w0, 3", 3, false);
  writes("be uvsw.write uvsw_write_reg", "uvsw.write w0, s1", 6, false);
  writes("be uvsw.write.emit.endtask uvsw_write_emit_endtask_imm", "uvsw.write.emit.endtask w0, 3", 3, true);
  writes("be uvsw.write.emit.endtask uvsw_write_emit_endtask_reg", "uvsw.write.emit.endtask w0, s1", 6, true);
  // Vertices are told apart by their instance: handing one over leaves nothing behind but an end.
  const auto passes = [&](const std::string& name, const std::string& operand, bool ends) {
    all.push_back(acts("be " + name, "main { be: " + name + operand + behind, nothing_before, [=](Task& task) {
      EXPECT_TRUE(task.environment.outputs.empty());
      EXPECT_TRUE(task.environment.colours.empty());
      EXPECT_EQ(task.get("r9"), ends ? 0u : 1u);
    }));
  };
  for (const std::string name : {"uvsw.emit", "uvsw.cut", "uvsw.emit.cut"}) {
    passes(name, "", false);
    passes(name, " 2", false);
  }
  passes("uvsw.endtask", "", true);
  passes("uvsw.emit.endtask", "", true);
}

// IS4 selects what the instruction then overrides: the checker asks that something drives it (RG030).
void add_execution_masks(std::vector<Statement>& all) {
  all.push_back(acts(
      "be movmsk",
      "(ignorepe) ctrl { cndst p0, i0, i0, 1 }\n(ignorepe) main olchk { is4 = fte; be: movmsk w0; w0 = r8 }\nnop.end",
      [](Task& task) { task.set("p0", [](std::uint32_t lane) { return lane % 3 == 0 ? ~0u : 0u; }); },
      [](Task& task) { EXPECT_EQ(task.get("r8"), 0b001001u); }, 6, {{"execution_mask", "task"}}));
  all.push_back(
      stops("be movmsk", "main olchk { is4 = fte; be: movmsk w0; w0 = r8 }\nnop.end", "see the policy execution_mask"));
  all.push_back(stops("be movmsk.sm", "main olchk { s0 = r0; is4 = fte; be: movmsk.sm w0, s0; w0 = r8 }\nnop.end",
                      "what movmsk.sm does is not published"));
  all.push_back(acts(
      "be savmsk", "main { is4 = fte; be: savmsk.vm w0, w1; w0 = r8 }\nnop.end",
      [](Task& task) { task.set("sr63", [](std::uint32_t lane) { return lane % 2; }); },
      [](Task& task) {
        EXPECT_EQ(task.get("r8", 0), 0u);
        EXPECT_EQ(task.get("r8", 1), 1u);
      },
      2));
  all.push_back(stops("be savmsk", "main { is4 = fte; be: savmsk.caxy w0, w1; w0 = r8 }\nnop.end", "savmsk.caxy"));
}

void add_phases(std::vector<Statement>& all) {
  // The second phase begins at byte 0x20.
  const std::string behind = "mov r8, sc5\nnop.end\n.org 0x40\nmov r9, sc6\nnop.end";
  for (const auto& [row, instruction] : {std::pair<std::string, std::string>{"be phas phas_reg", "phas s0, s1"},
                                         {"be phas phas_imm", "phas.inst s0, 0"}}) {
    const std::string text = "main { s0 = r0; s1 = r1; be: " + instruction + " }\n" + behind;
    all.push_back(acts(
        row, text, [](Task& task) { task.set("r0", 0x40u); },
        [](Task& task) {
          EXPECT_EQ(task.get("r8"), 5u) << "the first phase goes on";
          EXPECT_EQ(task.get("r9"), 6u);
        },
        1, {{"phase_change", "at-end"}}));
    all.push_back(stops(row, text, "see the policy phase_change"));
  }
  // Two groups of eight bytes each come before the place that is linked to.
  all.push_back(acts(
      "be setl",
      "main { s0 = r0; is0 = s0; is4 = fte; be: setl w0 }\nlapc\nmov r8, sc5\nnop.end\n.org 0x40\nmov r9, sc6\nnop.end",
      [](Task& task) { task.set("r0", 0x20u); },
      [](Task& task) {
        EXPECT_EQ(task.get("r8"), 0u);
        EXPECT_EQ(task.get("r9"), 6u) << "the link counts 16-bit units";
      }));
}

void add_pixels(std::vector<Statement>& all) {
  const std::string colour = "main olchk { s0 = r9; is4 = ft0; p0: mbyp ft0, s0; w0 = po0 }\n";
  all.push_back(acts(
      "be depthf", "main { s0 = r0; is0 = s0; is4 = fte; be: depthf w0 }\n" + colour + "nop.end",
      [](Task& task) { task.set("r0", 0.25f); },
      [](Task& task) { EXPECT_EQ(number(task.environment.depths.at(0)), 0.25f); }));
  all.push_back(acts(
      "be emitpix", colour + "main { s0 = sh0; s2 = sh4; be: emitpix s0, s2 }\nctrl { wop }\nmov r8, sc3\nnop.end",
      [](Task& task) { task.set("r9", 0xFF330066u); },
      [](Task& task) {
        const auto found = task.environment.colours.at(0);
        EXPECT_FLOAT_EQ(number(found[0]), 0x66 / 255.0f);
        EXPECT_FLOAT_EQ(number(found[1]), 0);
        EXPECT_FLOAT_EQ(number(found[2]), 0x33 / 255.0f);
        EXPECT_FLOAT_EQ(number(found[3]), 1);
        EXPECT_EQ(task.get("r8"), 3u);
      }));
  // Vulkan's numbers: never, less, equal, less or equal, greater, not equal, greater or equal, always.
  all.push_back(computes(
      "be atst", "main { s0 = r0; s1 = r1; s2 = r5; be: atst.ifb p0, s0, s1, s2 }\nnop.end", [](const Sources& s) {
        const float x = s.f(1), reference = s.f(0);
        const std::array<bool, 8> holds{false, x<reference, x == reference, x <= reference, x> reference,
                                        x != reference, x >= reference, true};
        return truth(holds[s[5] & 7]);
      }));
}

void add_iterations(std::vector<Statement>& all) {
  const auto planes = [](Task& task) {
    task.set("cf0", 0.0f).set("cf1", 0.0f).set("cf2", 4.0f);    // W
    task.set("cf4", 2.0f).set("cf5", 3.0f).set("cf6", 1.0f);    // the first value
    task.set("cf8", -1.0f).set("cf9", 0.5f).set("cf10", 2.0f);  // the second
    task.set("sr97", 1.5f).set("sr100", 2.5f);
  };
  const float first = 2 * 1.5f + 3 * 2.5f + 1, second = -1.5f + 0.5f * 2.5f + 2;
  const auto gives = [&](const std::string& row, const std::string& instruction, float scale) {
    all.push_back(acts(row, instruction + "\nctrl { wdf drc0 }\nnop.end", planes, [=](Task& task) {
      EXPECT_EQ(task.get_f("r8"), first * scale);
      EXPECT_EQ(task.get_f("r9"), second * scale);
    }));
  };
  gives("be fitr", "fitr.pixel r8, drc0, cf4, 2", 1);
  gives("be fitrp", "fitrp.pixel r8, drc0, cf4, cf0, 2", 0.25f);
  gives("ctrl ditr", "ctrl { ditr.pixel r8, drc0, cf4, 2, 0, cf0 }", 1);
  gives("ctrl ditr", "ctrl { ditr.pixel r8, drc0, cf4, 2, 1, cf0 }", 0.25f);
  for (const unsigned dimensions : {1u, 2u, 3u}) {
    const std::string name = "itrsmp" + std::to_string(dimensions) + "d";
    all.push_back(acts("ctrl " + name, name + ".pixel.fcnorm.schedwdf r8, 1, drc0, cf4, sh4, sh8, 4, cf0\nnop.end",
                       planes, [=](Task& task) {
                         const TextureRequest& request = task.environment.requests.at(0);
                         EXPECT_EQ(number(request.coordinate[0]), first / 4);
                         if (dimensions > 1) {
                           EXPECT_EQ(number(request.coordinate[1]), second / 4);
                         }
                         EXPECT_EQ(request.op->shape, dimensions == 1   ? ir::Texture::Shape::d1
                                                      : dimensions == 2 ? ir::Texture::Shape::d2
                                                                        : ir::Texture::Shape::d3);
                         EXPECT_EQ(request.texture, 1u);
                         EXPECT_EQ(request.sampler, 2u);
                         EXPECT_EQ(task.get("r11"), 103u);
                       }));
  }
}

void add_samples(std::vector<Statement>& all) {
  for (const unsigned dimensions : {1u, 2u, 3u}) {
    const std::string name = "smp" + std::to_string(dimensions) + "d";
    all.push_back(acts(
        "be " + name, "main { " + name + ".fcnorm drc0, sh4, r1, sh8, _, r8, 4 }\nctrl { wdf drc0 }\nnop.end",
        [](Task& task) { task.set("r1", 0.25f).set("r2", 0.5f).set("r3", 0.75f); },
        [=](Task& task) {
          const TextureRequest& request = task.environment.requests.at(0);
          for (unsigned i = 0; i < dimensions; ++i)
            EXPECT_EQ(number(request.coordinate[i]), 0.25f * static_cast<float>(i + 1));
          EXPECT_EQ(request.op->shape, dimensions == 1   ? ir::Texture::Shape::d1
                                       : dimensions == 2 ? ir::Texture::Shape::d2
                                                         : ir::Texture::Shape::d3);
          EXPECT_EQ(request.texture, 1u);
          EXPECT_EQ(request.sampler, 2u);
          EXPECT_EQ(task.get("r8"), 100u);
          EXPECT_EQ(task.get("r11"), 103u);
        }));
    all.push_back(stops("be " + name + ".extb",
                        "main { " + name + ".extb.fcnorm drc0, sh4, r1, sh8, _, r8, 4, 5 }\nnop.end",
                        "what " + name + ".extb does is not published"));
  }
}

void add_memory(std::vector<Statement>& all) {
  const auto words = [](Task& task) {
    for (unsigned i = 0; i < 16; ++i) task.environment.poke(0x1'0000'0040 + 4 * i, 100 + i);
    task.set("r0", 0x40u).set("r1", 1u).set("r5", 3u);
  };
  const auto loads = [&](const std::string& row, const std::string& instruction, unsigned count) {
    all.push_back(acts(row, "main { s2 = r5; s3 = r8; s4 = r0; be: " + instruction + " }\nctrl { wdf drc1 }\nnop.end",
                       words, [=](Task& task) {
                         for (unsigned i = 0; i < 5; ++i)
                           EXPECT_EQ(task.get("r" + std::to_string(8 + i)), i < count ? 100 + i : 0);
                       }));
  };
  loads("be ld ld_imm", "ld s3, drc1, 4, s4", 4);
  loads("be ld ld_reg", "ld s3, drc1, s2, s4", 3);
  const auto stores = [&](const std::string& row, const std::string& instruction, unsigned bytes) {
    all.push_back(acts(
        row, "main { s2 = r5; s3 = r8; s4 = r0; s5 = r6; be: " + instruction + " }\nctrl { wdf drc0 }\nnop.end",
        [](Task& task) {
          task.set("r0", 0x40u).set("r1", 1u).set("r5", 2u).set("r6", 1u).set("r8", 0x44332211u).set("r9", 0x88776655u);
        },
        [=](Task& task) {
          EXPECT_EQ(task.environment.memory.size(), bytes);
          for (unsigned i = 0; i < bytes; ++i) EXPECT_EQ(task.environment.memory[0x1'0000'0040 + i], 0x11 * (i + 1));
        }));
  };
  stores("be st st_imm", "st s3, 2, drc0, 2, s4", 8);
  stores("be st st_imm", "st s3, 1, drc0, 1, s4", 2);
  stores("be st st_imm", "st s3, 0, drc0, 1, s4", 1);
  stores("be st st_imm", "st.tiled s3, 2, drc0, 1, s4, s5", 4);
  stores("be st st_reg", "st s3, 2, drc0, s2, s4", 8);
  all.push_back(acts(
      "be idf",
      "main { s3 = r8; s4 = r0; be: st s3, 2, drc0, 1, s4 }\nmain { s0 = r0; be: idf drc0, s0 }\nctrl { wdf drc0 "
      "}\nmov r9, sc1\nnop.end",
      [](Task& task) { task.set("r0", 0x40u).set("r8", 5u); },
      [](Task& task) {
        EXPECT_EQ(task.environment.memory.size(), 4u);
        EXPECT_EQ(task.environment.peek(0x40), 5u);
        EXPECT_TRUE(task.environment.colours.empty());
        EXPECT_EQ(task.get("r9"), 1u);
      }));
  using Combine = std::function<std::uint32_t(std::uint32_t, std::uint32_t)>;
  const auto as_int = [](std::uint32_t x) { return static_cast<std::int32_t>(x); };
  const std::vector<std::pair<std::string, Combine>> atomics{
      {"add", [](std::uint32_t x, std::uint32_t y) { return x + y; }},
      {"sub", [](std::uint32_t x, std::uint32_t y) { return x - y; }},
      {"xchg", [](std::uint32_t, std::uint32_t y) { return y; }},
      {"umin", [](std::uint32_t x, std::uint32_t y) { return std::min(x, y); }},
      {"umax", [](std::uint32_t x, std::uint32_t y) { return std::max(x, y); }},
      {"imin", [=](std::uint32_t x, std::uint32_t y) { return as_int(x) < as_int(y) ? x : y; }},
      {"imax", [=](std::uint32_t x, std::uint32_t y) { return as_int(x) > as_int(y) ? x : y; }},
      {"and", [](std::uint32_t x, std::uint32_t y) { return x & y; }},
      {"or", [](std::uint32_t x, std::uint32_t y) { return x | y; }},
      {"xor", [](std::uint32_t x, std::uint32_t y) { return x ^ y; }}};
  for (const auto& [name, combine] : atomics)
    for (const auto& [old, operand] : {std::pair{5u, ~0u}, {0x80000000u, 7u}, {6u, 3u}})
      all.push_back(acts(
          "be atom", "main { s3 = r8; s4 = r0; be: atom." + name + " s3, drc0, s4 }\nctrl { wdf drc0 }\nnop.end",
          [old = old, operand = operand](Task& task) {
            task.environment.poke(16, old);
            task.set("r0", 16u).set("r2", operand);
          },
          [old = old, operand = operand, combine = combine](Task& task) {
            EXPECT_EQ(task.get("r8"), old) << "the old value is returned";
            EXPECT_EQ(task.environment.peek(16), combine(old, operand));
          }));
}

}  // namespace

std::vector<Statement> backend_statements() {
  std::vector<Statement> all;
  add_outputs(all);
  add_execution_masks(all);
  add_phases(all);
  add_pixels(all);
  add_iterations(all);
  add_samples(all);
  add_memory(all);
  return all;
}

}  // namespace mobula::rogue
