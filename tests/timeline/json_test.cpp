#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "paths.h"
#include "timeline/sample.h"

namespace mobula {
namespace {

using nlohmann::json;
using ::testing::UnorderedElementsAreArray;

json schema() {
  std::ifstream file(mobula::test::source_file("docs/schemas/timeline.json"));
  return json::parse(file);
}

/// Holds a value to the part of JSON Schema that the file uses.
void expect_fits(const json& value, const json& rule, const std::string& path) {
  const std::map<std::string, bool> types{{"object", value.is_object()},
                                          {"array", value.is_array()},
                                          {"string", value.is_string()},
                                          {"integer", value.is_number_integer()}};
  if (rule.contains("type")) {
    EXPECT_TRUE(types.at(rule["type"])) << path << " is not a(n) " << rule["type"];
  }
  if (rule.contains("const")) {
    EXPECT_EQ(value, rule["const"]) << path;
  }
  if (rule.contains("enum")) {
    EXPECT_THAT(rule["enum"], ::testing::Contains(value)) << path;
  }
  if (rule.contains("minimum")) {
    EXPECT_GE(value, rule["minimum"]) << path;
  }
  if (rule.contains("items"))
    for (std::size_t i = 0; i < value.size(); ++i) expect_fits(value[i], rule["items"], path + "/" + std::to_string(i));
  if (!rule.contains("properties")) return;
  for (const auto& key : rule.value("required", json::array())) EXPECT_TRUE(value.contains(key)) << path << "/" << key;
  for (const auto& [key, member] : value.items()) {
    ASSERT_TRUE(rule["properties"].contains(key)) << path << "/" << key << " is not in the schema";
    expect_fits(member, rule["properties"][key], path + "/" + key);
  }
}

TEST(JsonTimeline, FitsItsSchema) { expect_fits(json::parse(view_of_sample(json_timeline)), schema(), ""); }

TEST(JsonTimeline, FitsItsSchemaWithoutEvents) {
  std::string text;
  const TimelineInfo info;
  const auto view = json_timeline([&](std::string_view piece) { text += piece; });
  view->begin(info);
  view->end(0);
  expect_fits(json::parse(text), schema(), "");
}

TEST(JsonTimeline, SchemaListsWhatTheCodeHas) {
  const json event = schema()["properties"]["events"]["items"]["properties"];
  std::vector<json> kinds, reasons;
  for (const EventKind kind : event_kinds()) kinds.push_back(name(kind));
  for (const StallReasonInfo& row : stall_reasons())
    if (row.reason != StallReason::none) reasons.push_back(row.name);
  EXPECT_THAT(event["kind"]["enum"], UnorderedElementsAreArray(kinds));
  EXPECT_THAT(event["reason"]["enum"], UnorderedElementsAreArray(reasons));
}

TEST(JsonTimeline, CarriesEveryEvent) {
  const json timeline = json::parse(view_of_sample(json_timeline));
  EXPECT_EQ(timeline["machine"], "toy:one");
  EXPECT_EQ(timeline["cycles"], 9);
  EXPECT_EQ(timeline["words"][1], (json{{"address", "0x10"}, {"text", "load\tr2 \"q\""}}));
  ASSERT_EQ(timeline["events"].size(), 19u);
  EXPECT_EQ(timeline["events"][2], (json{{"cycle", 0},
                                         {"kind", "stall_begin"},
                                         {"execution", 1},
                                         {"thread", 1},
                                         {"word", 0},
                                         {"unit", 0},
                                         {"reason", "unit_busy"},
                                         {"cause", {{"execution", 0}, {"thread", 0}, {"word", 0}}}}));
}

TEST(JsonTimeline, ReplacesBytesThatAreNotUtf8) {
  std::string text;
  const TimelineInfo info{.machine = "a\xff"};
  const auto view = json_timeline([&](std::string_view piece) { text += piece; });
  view->begin(info);
  view->end(0);
  EXPECT_EQ(json::parse(text)["machine"], "a\uFFFD");
}

}  // namespace
}  // namespace mobula
