// What the control rows do: by what is executed after them, and by counts and masks.
#include "rows.h"

namespace mobula::rogue {
namespace {

const auto as_it_is = [](Task&) {};

void add_branches(std::vector<Statement>& all) {
  for (const std::string name : {"br", "ba", "brl", "bal"}) {
    const bool links = name.ends_with('l');
    all.push_back(
        acts("ctrl " + name,
             "ctrl { " + name + " over }\nmov r8, sc1\nnop.end\nover: mov r9, sc2\n" + (links ? "lapc" : "nop.end"),
             as_it_is, [=](Task& task) {
               EXPECT_EQ(task.get("r8"), links ? 1u : 0u) << "a link leads back";
               EXPECT_EQ(task.get("r9"), 2u);
             }));
  }
  all.push_back(acts("ctrl lapc", "ctrl { brl over }\nmov r8, sc1\nnop.end\nover: lapc\nmov r9, sc2\nnop.end", as_it_is,
                     [](Task& task) {
                       EXPECT_EQ(task.get("r8"), 1u);
                       EXPECT_EQ(task.get("r9"), 0u);
                     }));
  // The branch is 8 bytes long.
  all.push_back(acts("ctrl savl", "ctrl { brl over }\nnop.end\nover: savl r8\nnop.end", as_it_is,
                     [](Task& task) { EXPECT_EQ(task.get("r8"), 4u) << "in 16-bit units"; }));
}

/// The new count of an instance by the old one, what is added or taken off, and whether the condition holds.
using Counted = std::function<std::uint32_t(std::uint32_t, std::uint32_t, bool)>;

void add_masks(std::vector<Statement>& all) {
  constexpr std::uint32_t level = 3;
  const auto counts = [&](const std::string& name, bool is_conditional, const std::string& behind,
                          const Counted& counted) {
    for (const std::string condition : {"always", "p0", "never", "!p0"}) {
      if (!is_conditional && condition != "always") continue;
      const std::string text = "(ignorepe) ctrl { " + name + (is_conditional ? " " + condition + "," : "") + " i0, " +
                               behind + " }\nnop.end";
      const auto holds = [=](const Bytes& code) {
        for (const bool p0 : {false, true})
          for (std::uint32_t count = 0; count < 5; ++count) {
            Task task(code);
            task.set("i0", count).set("p0", p0 ? ~0u : 0u).set("r5", level).set("masked", count == 0 ? 0u : ~0u).run();
            EXPECT_EQ(task.fault(), "");
            const bool is_true = condition == "always" || (condition == "p0" && p0) || (condition == "!p0" && !p0);
            const std::uint32_t expected = counted(count, 2, is_true);
            EXPECT_EQ(task.get("i0"), expected) << count << ' ' << p0;
            EXPECT_EQ(task.get("masked") != 0, expected != 0) << count << ' ' << p0;
            if (name == "cndlt") {
              EXPECT_EQ(task.get("p0") != 0, is_true && count == 0) << "someone goes on";
            }
          }
      };
      all.push_back({"ctrl " + name, text, holds});
    }
  };
  using U = std::uint32_t;
  const auto lowered = [](U count, U by) { return count > by ? count - by : 0; };
  counts("cndst", true, "i0, 2", [](U count, U by, bool holds) { return holds && count == 0 ? 0 : count + by; });
  counts("cndef", true, "i0, 2", [](U count, U by, bool holds) {
    return count == 0 ? by : count == 1 && holds ? 0 : count;
  });
  counts("cndsm", true, "i0, r5", [](U count, U, bool holds) { return count == 0 && holds ? level : count; });
  counts("cndend", false, "i0, 2", [=](U count, U by, bool) { return lowered(count, by); });
  counts("cndlpc", false, "i0", [](U count, U, bool) { return count == 0 ? 2 : count == 1 ? 0 : count; });
  counts("cndlt", true, "p0, i0, 2",
         [=](U count, U by, bool holds) { return holds && count == 0 ? 0 : lowered(count, by); });
  // Whoever goes on where another instance does not: it waits.
  all.push_back(acts(
      "ctrl cndlt", "(ignorepe) ctrl { cndlt p0, i0, p0, i0, 2 }\nnop.end",
      [](Task& task) { task.set("p0", [](std::uint32_t lane) { return lane == 1 ? ~0u : 0u; }); },
      [](Task& task) {
        EXPECT_EQ(task.get("i0", 0), 2u);
        EXPECT_EQ(task.get("i0", 1), 0u);
        EXPECT_EQ(task.get("p0", 0), ~0u);
      },
      2));
  for (const std::string kind : {"a", "b"})
    all.push_back(acts(
        "ctrl cndsetl." + kind, "(ignorepe) ctrl { cndsetl." + kind + " i0, i0, r5 }\nnop.end",
        [](Task& task) { task.set("r5", [](std::uint32_t lane) { return lane == 2 ? 9u : 8u; }); },
        [](Task& task) {
          EXPECT_EQ(task.get("link"), 16u);
          for (std::uint32_t lane = 0; lane < 3; ++lane) EXPECT_EQ(task.get("i0", lane), lane == 2 ? 1u : 0u);
        },
        3, {{"call_link", "as-b"}}));
  all.push_back(
      stops("ctrl cndsetl.a", "(ignorepe) ctrl { cndsetl.a i0, i0, r5 }\nnop.end", "see the policy call_link"));
}

void add_waits(std::vector<Statement>& all) {
  const auto goes_on = [](Task& task) { EXPECT_EQ(task.get("r8"), 1u); };
  all.push_back(acts("ctrl wop", "ctrl { wop }\nmov r8, sc1\nnop.end", as_it_is, goes_on));
  all.push_back(acts("ctrl nop", "nop\nmov r8, sc1\nnop.end\nmov r8, sc2\nnop.end", as_it_is, goes_on));
  all.push_back(acts(
      "ctrl wdf",
      "main { s3 = r8; s4 = r0; be: ld s3, drc1, 1, s4 }\nctrl { wdf drc0 }\nmov r9, r8\nctrl { wdf drc1 }\nnop.end",
      [](Task& task) {
        task.environment.poke(64, 7);
        task.set("r0", 64u);
      },
      [](Task& task) {
        EXPECT_NE(task.get("r9"), 7u) << "it waits for the other counter";
        EXPECT_EQ(task.get("r8"), 7u);
      }));
  for (const std::string name : {"mutex.release", "mutex.release.wakeup", "mutex.release.sleep"}) {
    all.push_back(acts("ctrl " + name,
                       "mutex.lock 4\n" + name + " 4\nmutex.lock 4\nmutex.release 4\nmov r8, sc1\nnop.end", as_it_is,
                       goes_on, 2, {{"mutex_sleep", "wake"}}));
    all.push_back(stops("ctrl " + name, "mutex.lock 3\n" + name + " 4\nmutex.release 3\nnop.end",
                        "mutex 4 is released, but this task does not hold it"));
  }
  all.push_back(
      stops("ctrl mutex.release.sleep", "mutex.lock 4\nmutex.release.sleep 4\nnop.end", "see the policy mutex_sleep"));
  all.push_back(stops("ctrl mutex.lock", "mutex.lock 4\nmutex.lock 4\nmutex.release 4\nnop.end",
                      "mutex 4 is locked by this task already"));
}

void add_bases(std::vector<Statement>& all) {
  all.push_back(acts(
      "ctrl sbo.shared", "ctrl { sbo.shared 4 }\nmov r8, sh1\nmov r9, cf1\nnop.end",
      [](Task& task) { task.set("sh1", 11u).set("sh5", 15u).set("cf1", 21u); },
      [](Task& task) {
        EXPECT_EQ(task.get("r8"), 15u);
        EXPECT_EQ(task.get("r9"), 21u);
      }));
  all.push_back(acts(
      "ctrl sbo.coeff", "ctrl { sbo.coeff 4 }\nmov r8, cf1\nmov r9, sh1\nnop.end",
      [](Task& task) { task.set("cf1", 11u).set("cf5", 15u).set("sh1", 21u); },
      [](Task& task) {
        EXPECT_EQ(task.get("r8"), 15u);
        EXPECT_EQ(task.get("r9"), 21u);
      }));
}

}  // namespace

std::vector<Statement> control_statements() {
  std::vector<Statement> all;
  add_branches(all);
  add_masks(all);
  add_waits(all);
  add_bases(all);
  return all;
}

}  // namespace mobula::rogue
