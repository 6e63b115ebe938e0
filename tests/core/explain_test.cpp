#include "core/explain.h"

#include <gtest/gtest.h>

namespace mobula {
namespace {

constexpr FieldValue colours[] = {{0, "red", "a colour"}, {2, "blue", ""}};
constexpr Field colour{.name = "colour",
                       .low = 0,
                       .width = 2,
                       .meaning = "what it looks like",
                       .fact = {Status::driver, "1.1"},
                       .values = colours};
constexpr Field offset{.name = "offset", .low = 2, .width = 4, .meaning = "where it is", .is_signed = true};
constexpr Field spare{
    .name = "spare", .low = 6, .width = 2, .meaning = "zero", .fact = {Status::inferred, "1.2"}, .reserved = true};
constexpr const Field* fields[] = {&colour, &offset, &spare};
constexpr Format format{.name = "thing", .width = 8, .fields = fields, .meaning = "a thing"};

TEST(Explain, NamesTheValue) {
  const ExplainedField field = explain_field(format, colour, 0, 32);
  EXPECT_EQ(field.format, "thing");
  EXPECT_EQ(field.name, "colour");
  EXPECT_EQ(field.low, 32u);
  EXPECT_EQ(field.width, 2u);
  EXPECT_EQ(field.meaning, "what it looks like: red, a colour");
  EXPECT_EQ(field.status, Status::driver);
  EXPECT_EQ(field.source, "1.1");
  EXPECT_EQ(explain_field(format, colour, 2).meaning, "what it looks like: blue");
}

TEST(Explain, WhatTheTablesLackIsUnknown) {
  EXPECT_EQ(explain_field(format, colour, 3).meaning, "what it looks like: unknown");
  EXPECT_EQ(explain_field(format, colour, 3).status, Status::unknown);
  EXPECT_EQ(explain_field(format, spare, 1).status, Status::unknown);
  EXPECT_EQ(explain_field(format, spare, 0).status, Status::inferred);
}

TEST(Explain, SignedNumbersAreReadAsSuch) {
  EXPECT_EQ(explain_field(format, offset, 15).meaning, "where it is: -1");
  EXPECT_EQ(explain_field(format, offset, 15).value, 15u);
}

TEST(Explain, FormatsListTheirValues) {
  const ManualFormat manual = describe_format(format);
  EXPECT_EQ(manual.name, "thing");
  EXPECT_EQ(manual.width, 8u);
  ASSERT_EQ(manual.fields.size(), 3u);
  EXPECT_EQ(manual.fields[0].meaning, "what it looks like: 0 red, 2 blue");
  EXPECT_EQ(manual.fields[1].meaning, "where it is");
  EXPECT_EQ(manual.fields[2].low, 6u);
}

}  // namespace
}  // namespace mobula
