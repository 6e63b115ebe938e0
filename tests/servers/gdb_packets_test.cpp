#include "servers/gdb_packets.h"

#include <gmock/gmock.h>

#include <array>

namespace mobula::servers {
namespace {

/// What a reader makes of bytes that come one by one.
std::string gdb_events(std::string_view bytes) {
  GdbReader reader;
  std::string seen;
  for (const char byte : bytes) {
    reader.feed({&byte, 1});
    while (const auto event = reader.next()) {
      constexpr std::array<std::string_view, 4> names{"packet:", "damaged", "refused", "interrupt"};
      seen += std::string(names[static_cast<std::size_t>(event->kind)]) + event->data + ' ';
    }
  }
  return seen;
}

TEST(GdbPackets, CarryDataWithItsSum) {
  EXPECT_EQ(gdb_packet("OK"), "$OK#9a");
  EXPECT_EQ(gdb_packet(""), "$#00");
  EXPECT_EQ(gdb_packet("a#b$c}d*"),
            "$a}\x03"
            "b}\x04"
            "c}]d}\x0a#" +
                std::string("ec"));
}

TEST(GdbPackets, AreReadHoweverTheyWereCut) {
  EXPECT_EQ(gdb_events("+$OK#9a+$m0,4#fd"), "packet:OK packet:m0,4 ");
  EXPECT_EQ(gdb_events("$OK#9A"), "packet:OK ");
  EXPECT_EQ(gdb_events(gdb_packet("a#b$c}d*\x03")), "packet:a#b$c}d*\x03 ");
  EXPECT_EQ(gdb_events("\x03-$#00"), "interrupt refused packet: ");
}

TEST(GdbPackets, DamagedOnesAreSeen) {
  EXPECT_EQ(gdb_events("$OK#9b$OK#9a"), "damaged packet:OK ");
  EXPECT_EQ(gdb_events("$OK#xy$OK#9a"), "damaged packet:OK ");
  EXPECT_EQ(gdb_events("nonsense\xff$OK#9a"), "packet:OK ");
  EXPECT_EQ(gdb_events("$never ends"), "");
}

TEST(GdbPackets, LongerOnesThanAllowedArePassedOver) {
  GdbReader reader;
  const std::string much(GdbReader::longest, 'x');
  reader.feed('$' + much);
  EXPECT_FALSE(reader.next());
  for (int i = 0; i < 100; ++i) {
    reader.feed(much);
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.unfinished().starts_with("$x"));
  }
  reader.feed("#0");
  EXPECT_FALSE(reader.next());
  reader.feed("0$OK#9a");
  EXPECT_EQ(reader.next()->kind, GdbEvent::Kind::damaged);
  EXPECT_EQ(reader.next()->data, "OK");
  EXPECT_EQ(reader.unfinished(), "");
}

TEST(GdbPackets, Digits) {
  EXPECT_EQ(gdb_hex(std::string_view("\x01\xfe", 2)), "01fe");
  EXPECT_EQ(gdb_unhex("01FE"), std::string("\x01\xfe", 2));
  for (const char* bad : {"0", "0g", "-1", "+1", " 1"}) EXPECT_EQ(gdb_unhex(bad), std::nullopt) << bad;
  EXPECT_EQ(gdb_number("ff"), 255u);
  for (const char* bad : {"", "-1", "0x1", "g", "11111111111111111"}) EXPECT_EQ(gdb_number(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace mobula::servers
