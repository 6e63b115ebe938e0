#include "scoreboard/support.h"

namespace mobula::scoreboard {
namespace {

/// A small core that is right, with one member replaced or added.
std::string core(const std::string& member, const std::string& text) {
  std::map<std::string, std::string> members{
      {"groups", R"([{"name": "a", "classes": ["int"], "widths": [4], "units": 2}])"},
      {"files", R"([{"name": "I", "count": 8}])"}};
  members[member] = text;
  std::string json;
  for (const auto& [key, value] : members) json += (json.empty() ? "{" : ", ") + ('"' + key + "\": " + value);
  return json + "}";
}

std::string refused(const std::string& json) { return outcome(parse_config("core.json", json)); }

TEST(Config, PresetsAreGood) {
  std::string names;
  for (const Preset& row : presets()) {
    const Config config = preset(row.name);
    EXPECT_EQ(config.name, row.name);
    EXPECT_NE(config.summary, "");
    names += config.name + ' ';
  }
  EXPECT_EQ(
      names,
      "byte_lane inorder_hazard_vector june2019 libresoc2020 quads renaming seed_full4 seed_two_level textbook6600 ");
  EXPECT_EQ(outcome(find_preset("cdc7600")), "SB002");
}

TEST(Config, SmallestCore) { EXPECT_EQ(refused(core("name", "\"small\"")), "good"); }

TEST(Config, ContradictionsAreRefused) {
  const auto group = [](const std::string& text) { return core("groups", "[" + text + "]"); };
  EXPECT_EQ(refused(core("groups", "[]")), "SB003");
  EXPECT_EQ(refused(group(R"({"classes": ["int"], "widths": [4], "units": 0})")), "SB003");
  EXPECT_EQ(refused(group(R"({"classes": ["int"], "widths": [4], "units": 129})")), "IN003") << "and nothing else";
  EXPECT_EQ(refused(group(R"({"classes": [], "widths": [4], "units": 1})")), "SB004");
  EXPECT_EQ(refused(group(R"({"functions": ["add"], "widths": [4], "units": 1})")), "good");
  EXPECT_EQ(refused(group(R"({"classes": ["int"], "widths": [4, 16], "units": 1})")), "good");
  EXPECT_EQ(refused(group(R"({"classes": ["int"], "pairs": [16], "units": 2})")), "IN003");
  EXPECT_EQ(refused(group(R"({"functions": ["mix"], "widths": [4], "units": 1})")), "IN003");
  EXPECT_EQ(refused(group(R"({"functions": ["add"], "widths": [4], "units": 1},
                             {"functions": ["sub", "add"], "widths": [4], "units": 1})")),
            "SB015");
  EXPECT_EQ(refused(group(R"({"classes": ["int"], "units": 1})")), "SB005");
  EXPECT_EQ(refused(group(R"({"classes": ["int"], "pairs": [8], "units": 1})")), "SB006");
  EXPECT_EQ(refused(group(R"({"classes": ["int"], "widths": [4], "pairs": [4], "units": 2})")), "SB006");
  EXPECT_EQ(refused(group(R"({"classes": ["int"], "widths": [8], "pairs": [4], "units": 2})")), "SB006");
  EXPECT_EQ(refused(core("files", "[]")), "SB007");
  EXPECT_EQ(refused(core("files", R"([{"name": "I", "count": 0}])")), "SB007");
  EXPECT_EQ(refused(core("latency", R"({"fft": 1})")), "SB008");
  EXPECT_EQ(refused(core("ports", R"({"read": 0})")), "SB009");
  EXPECT_EQ(refused(core("banks", R"({"write": 0})")), "SB009");
  EXPECT_EQ(refused(group(R"({"classes": ["int"], "widths": [4, 4], "units": 1})")), "SB010");
  EXPECT_EQ(refused(core("banks", R"({"mapping": "parity_half", "count": 2})")), "SB011");
  EXPECT_EQ(refused(core("memory", R"({"low_bit": 12, "high_bit": 4})")), "SB012");
  EXPECT_EQ(
      refused(group(
          R"({"classes": ["int"], "widths": [4], "units": 100}, {"classes": ["fp"], "widths": [4], "units": 29})")),
      "SB013");
  EXPECT_EQ(refused(core("files", R"([{"name": "I", "count": 8}, {"name": "I", "count": 4}])")), "SB014");
  EXPECT_EQ(
      refused(group(
          R"({"classes": ["int"], "widths": [4], "units": 1}, {"classes": ["int"], "widths": [4, 8], "units": 1})")),
      "SB015");
  EXPECT_EQ(
      refused(
          R"({"lanes": "two_level", "groups": [{"classes": ["int"], "widths": [8], "units": 1}], "files": [{"name": "I", "count": 8}]})"),
      "SB016");
  EXPECT_EQ(refused(core("hazards", "\"vector\"")), "SB017");
  EXPECT_EQ(
      refused(
          R"({"hazards": "vector", "waw": "stall_issue", "forwarding": "result_latch", "groups": [{"classes": ["int"], "widths": [8], "units": 1}], "files": [{"name": "I", "count": 8}]})"),
      "SB018");
  EXPECT_EQ(
      refused(
          R"({"waw": "stall_issue", "issue": {"together": true}, "groups": [{"classes": ["int"], "widths": [8], "units": 1}], "files": [{"name": "I", "count": 8}]})"),
      "SB019");
}

TEST(Config, RenamingIsOfWholeRegistersAndNeedsMoreOfThem) {
  const auto renames = [](const std::string& files, const std::string& more) {
    return refused(R"({"waw": "rename", "groups": [{"classes": ["int"], "widths": [8], "units": 2}], "files": [)" +
                   files + "]" + more + "}");
  };
  const std::string file = R"({"name": "I", "count": 8, "physical": 9})";
  EXPECT_EQ(renames(file, ""), "good");
  EXPECT_EQ(renames(file, R"(, "renaming": {"window": 4})"), "good");
  EXPECT_EQ(renames(R"({"name": "I", "count": 8})", ""), "SB020");
  EXPECT_EQ(renames(R"({"name": "I", "count": 8, "physical": 8})", ""), "SB020");
  EXPECT_EQ(renames(file, R"(, "hazards": "conservative")"), "SB020");
  EXPECT_EQ(renames(file, R"(, "lanes": "byte")"), "SB020");
  EXPECT_EQ(renames(file, R"(, "virtual_registers": {"rows": 8})"), "SB020");
  EXPECT_EQ(refused(R"({"waw": "rename", "groups": [{"classes": ["int"], "pairs": [8], "units": 2}], "files": [)" +
                    file + "]}"),
            "SB020");
  EXPECT_EQ(refused(core("files", "[" + file + "]")), "SB020");
  EXPECT_EQ(refused(core("renaming", R"({"window": 4})")), "SB020");
}

TEST(Config, AllErrorsAreNamedWithTheirPlaces) {
  const Result<Config> result = parse_config("core.json", R"({
    "hazards": "optimistic",
    "groups": [{"classes": ["int", "vector"], "widths": [3], "units": 129}],
    "files": [{"name": "i", "count": 8, "bits": 64}],
    "ports": {"read": 0}
  })");
  ASSERT_FALSE(result);
  const std::string text = render(result.error());
  for (const char* place :
       {"hazards: found \"optimistic\"", "groups[0].classes[1]: found \"vector\"", "groups[0].widths[0]: found 3",
        "groups[0].units: found 129", "files[0].name: found \"i\"", "files[0]", "ports.read"})
    EXPECT_THAT(text, testing::HasSubstr(place));
}

TEST(Config, HostileDocuments) {
  for (const char* json :
       {"", "[]", "null", "{\"groups\": 7}", "{\"groups\": [7], \"files\": [[]]}", "{\"issue\": []}", "{"})
    EXPECT_FALSE(parse_config("x", json)) << json;
  EXPECT_FALSE(parse_config("x", std::string(100'000, '[')));
}

TEST(Config, LatencyIsOfTheFunctionFirst) {
  Config config = good(parse_config("x", core("latency", R"({"int": 4, "add": 1})")));
  const RunResult result =
      good(run(config, workload("0 int w4 d=I1[0:4) s=I2[0:4)\n1 add w4 d=I3[0:4) s=I2[0:4)\n2 int w4 L9 d=I4[0:4)")));
  EXPECT_EQ(result.times[0].complete - result.times[0].start, 4u);
  EXPECT_EQ(result.times[1].complete - result.times[1].start, 1u);
  EXPECT_EQ(result.times[2].complete - result.times[2].start, 9u);
}

}  // namespace
}  // namespace mobula::scoreboard
