#include "formats/dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "mobula/isa/formats.h"
#include "paths.h"

namespace mobula {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
std::string dump(const std::string& name) { return content(test::test_data("formats/" + name)); }
Bytes bytes_of_text(std::string_view text) { return {text.begin(), text.end()}; }

std::string code_of(std::string_view text) {
  const auto bytes = read_hex(text, "dump");
  return bytes ? "read" : bytes.error()[0].code;
}

/// What the tools themselves wrote.
TEST(Dump, OfEveryToolIsTheSameProgram) {
  const Bytes program = bytes_of_text(content(test::source_file("examples/checker.frag.bin")));
  for (const char* name : {"checker.xxd", "checker.xxd-e", "checker.xxd-g4", "checker.xxd-g1", "checker.hexdump-C",
                           "checker.hexdump", "checker.od", "checker.od-o1", "checker.od-x1z", "checker.od-x4",
                           "checker.od-none", "checker.gdb", "checker.words", "checker.xxd-e-g2", "checker.xxd-b",
                           "checker.od-none-x1z", "checker.od-none-x2z", "checker.od-none-x4z", "checker.objdump-s"}) {
    const std::string text = dump(name);
    EXPECT_EQ(detect_format(bytes_of_text(text)), ContainerFormat::hex) << name;
    const auto images = read_container(bytes_of_text(text), {}, name);
    ASSERT_TRUE(images) << name << ": " << images.error()[0].message;
    ASSERT_EQ(images->size(), 1u) << name;
    EXPECT_EQ(images->front().code, program) << name;
  }
}

TEST(Dump, HalfwordsOfGdbAreNumbers) {
  const Bytes expected{0x58, 0, 0x20, 0, 0x17, 0x81, 6, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0};
  EXPECT_EQ(read_hex("0x55550000:\t0x0058\t0x0020\t0x8117\t0x0006\t0x0001\t0x0002\t0x0003\t0x0004\n"
                     "0x55550010:\t0x0005\n")
                .value(),
            expected);
}

TEST(Dump, RepeatedLinesAreFilledIn) {
  const std::string text =
      "00000000  01 02 03 04 05 06 07 08  09 0a 0b 0c 0d 0e 0f 10  |................|\n"
      "00000010  20 20 20 20 20 20 20 20  20 20 20 20 20 20 20 20  |                |\n*\n"
      "00000040  61 62                                             |ab|\n00000042\n";
  Bytes expected{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  expected.insert(expected.end(), 0x30, 0x20);
  expected.push_back('a');
  expected.push_back('b');
  EXPECT_EQ(read_hex(text).value(), expected);
  // The older form of Mesa's dumps: zeros from that offset on.
  EXPECT_EQ(
      read_hex("000000  01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 \n000010  *\n000030  AA \n").value().size(),
      0x31u);
}

TEST(Dump, CharactersBesideTheBytesAreNotBytes) {
  // "12 34" are the characters of the bytes before them.
  EXPECT_EQ(read_hex("00000000: 3132 2033 34                              12 34\n").value(),
            (Bytes{0x31, 0x32, 0x20, 0x33, 0x34}));
  EXPECT_EQ(read_hex("00000000: 6162 6364 6566 6162 6364 6566 6162 6364  abcdefabcdefabcd\n00000010: 6162  ab\n")
                .value()
                .size(),
            18u);
}

TEST(Dump, AnOddByteAtTheEnd) {
  EXPECT_EQ(read_hex("0000000 0201 0003\n0000003\n").value(), (Bytes{1, 2, 3}));
  EXPECT_EQ(read_hex("00000000: 0102 03  ...\n").value(), (Bytes{1, 2, 3}));
}

TEST(Dump, AddressesNeedNotBeginAtZero) {
  EXPECT_EQ(read_hex("0x1000: 0x01 0x02\n0x1002: 0x03 0x04\n").value(), (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(read_hex("ffff0000 00000001 00000002\nffff0008 00000003 00000004\n").value().size(), 16u);
}

TEST(Dump, PlainNumbersStayPlain) {
  EXPECT_EQ(read_hex("00000000 12345678").value().size(), 8u);
  EXPECT_EQ(read_hex("00000000 00000010\n00000010 00000020\n").value().size(), 16u);
  EXPECT_EQ(code_of("00000001 02"), "FM003");
  EXPECT_EQ(read_hex("00000000 00000001 00000002 00000003\n0000000C 00000001 00000002 00000003\n").value().size(), 32u);
  EXPECT_EQ(read_hex("00 01\n01 02\n02 03\n").value().size(), 6u);
}

TEST(Dump, ErrorsNameThePlace) {
  const std::string line = "00000000: 0102 0304 0506 0708 090a 0b0c 0d0e 0f10  ................\n";
  const auto gap = read_hex(
      line + "00000010: 0102 0304 0506 0708 090a 0b0c 0d0e 0f10  ................\n" + "00000030: 0102  ..\n", "a.xxd");
  ASSERT_FALSE(gap);
  EXPECT_EQ(gap.error()[0].code, "FM007");
  EXPECT_EQ(gap.error()[0].where.line, 3u);
  EXPECT_EQ(gap.error()[0].where.file, "a.xxd");
  EXPECT_EQ(code_of(line + "00000010: 0102  ..\nsome words\n"), "FM060");
  EXPECT_EQ(code_of(line + "00000010: 0102  ..\n00000012: zz\n"), "FM060");
}

/// A last line that is damaged is not left out, in any form.
TEST(Dump, DamagedLinesAreErrors) {
  const std::string words = "00000000: 00200058 06108117 03200000 00000000  X. ....... .....\n";
  EXPECT_EQ(read_hex(words + "00000010:   c09895                             ...\n").value().size(), 19u)
      << "of xxd -e";
  EXPECT_EQ(code_of(words + "00000010: 0020005 06108117                    X. .....\n"), "FM060");
  EXPECT_EQ(code_of(words + "00000010: 00200058 0610811                    X. .....\n"), "FM060");
  EXPECT_EQ(code_of("0000000 0201 0003 00zz\n0000006\n"), "FM001");
  EXPECT_EQ(code_of("00000000: 0102 03zz  ...\n"), "FM060");
}

/// Those below it tell what it was to be.
TEST(Dump, AFirstLineThatIsDamagedIsAnError) {
  const std::string below =
      "00000010: 0102 0304 0506 0708 090a 0b0c 0d0e 0f10  ................\n"
      "00000020: 0102 0304 0506 0708 090a 0b0c 0d0e 0f10  ................\n";
  for (const char* first :
       {"00000000: 01g2 0304 0506 0708 090a 0b0c 0d0e 0f10  ................\n", "0000000x: 0102\n"}) {
    EXPECT_TRUE(is_dump(first + below));
    const auto read = read_dump(first + below, "a.xxd");
    ASSERT_FALSE(read) << first;
    EXPECT_EQ(read.error()[0].code, "FM060");
    EXPECT_EQ(read.error()[0].where.line, 1u);
  }
  EXPECT_FALSE(is_dump("a heading\n" + below.substr(below.find('\n') + 1))) << "offsets that do not begin below it";
}

TEST(Dump, AGapOfTwoLinesIsExplained) {
  for (const char* text : {"00000000: 5800 2000 1781 1006 0000 2003 0000 0000  X. ....... .....\n"
                           "00000020: 5800 2000 1781 1006 0000 2003 0000 0000  X. ....... .....\n",
                           "00000000  58 00 20 00 17 81 10 06  00 00 20 03 00 00 00 00  |X. ....... .....|\n"
                           "00000020  58 00 20 00 17 81 10 06  00 00 20 03 00 00 00 00  |X. ....... .....|\n",
                           "0x1000:\t0x00200058\t0x06108117\t0x03200000\t0x00000000\n"
                           "0x1020:\t0x00200058\t0x06108117\t0x03200000\t0x00000000\n"}) {
    const auto gap = read_hex(text, "gap");
    ASSERT_FALSE(gap);
    EXPECT_EQ(gap.error()[0].code, "FM007") << text;
    EXPECT_THAT(gap.error()[0].message, HasSubstr("16 bytes are missing before it"));
  }
}

TEST(Dump, OneLineMayBeginAnywhereWhereItsFormTellsThatItIsOne) {
  const auto words = read_hex("04020018 02300018 ff2e4800 0000c047").value();
  EXPECT_EQ(read_hex("(gdb) x/4xw buf\n0x1000 <buf>:\t0x04020018\t0x02300018\t0xff2e4800\t0x0000c047\n").value(),
            words);
  EXPECT_EQ(read_hex("0x7f10:\t0x04020018\t0x02300018\t0xff2e4800\t0x0000c047\n").value(), words);
  EXPECT_FALSE(read_hex("00001000: 04020018 02300018\n")) << "an address, or a word";
}

/// x/8wx in gdb, with what was typed, and from address 0.
TEST(Dump, ListingsOfGdb) {
  const std::string lines =
      "0x0:\t0x00200058\t0x06108117\t0x03200000\t0x00000000\n"
      "0x10:\t0x00200058\t0x06108117\t0x03200000\t0x00000000\n";
  EXPECT_EQ(read_hex(lines).value().size(), 32u);
  EXPECT_EQ(read_hex("(gdb) x/8wx 0\n" + lines + "(gdb) \n").value(), read_hex(lines).value());
  EXPECT_EQ(read_hex("0x4010 <code>:\t0x04030201\t0x08070605\t0x0c0b0a09\t0x100f0e0d\n0x4020 <code+16>:\t0x14131211\n")
                .value()
                .size(),
            20u);
}

/// xxd -p, and od without offsets where the digits tell what they are.
TEST(Dump, NumbersWithoutOffsets) {
  const Bytes bytes{0x58, 0, 0x20, 0, 0x17, 0x81, 0x10, 6, 0, 0, 0x20, 3, 0, 0, 0, 0};
  EXPECT_EQ(read_hex("58002000178110060000200300000000\n").value(), bytes);
  EXPECT_EQ(read_hex("580020001781\n100600002003\n00000000\n").value(), bytes);
  EXPECT_EQ(read_hex(" 000130 000040 100427 003020 000000 001440 000000 000000\n").value(), bytes);
  EXPECT_EQ(read_hex(" 130 000 040 000 027 201 020 006 000 000 040 003 000 000 000 000\n").value(), bytes);
  EXPECT_EQ(read_hex(" 0610811700200058 0000000003200000\n").value(), bytes);
  EXPECT_EQ(read_hex(" 00200058 06108117 03200000 00000000\n").value(), bytes);
  EXPECT_EQ(detect_format(bytes_of_text("58002000178110060000200300000000\n")), ContainerFormat::hex);
  EXPECT_EQ(code_of("0011223344556677\n"), "FM001") << "eight bytes or a word of 64 bits";
  EXPECT_EQ(code_of(" 130 000 04\n"), "FM001");
  EXPECT_EQ(code_of("580020001781\n10060000200g\n"), "FM001");
}

/// od writes its characters between signs; the same program in either order is the same program.
TEST(Dump, SignsAroundTheCharactersTellTheOrder) {
  const Bytes code{'M', 'B', 'S', '2', 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '<', 0, 1, 2, 3, 4, 5, 6};
  for (const char* text : {"000000 4d42 5332 0400 0000 0000 0000 0000 0000  >MBS2............<\n"
                           "000010 3c00 0102 0304 0506                      ><.......<\n000018\n",
                           "000000 4d425332 04000000 00000000 00000000  >MBS2............<\n"
                           "000010 3c000102 03040506                    ><.......<\n000018\n",
                           "000000 4d42533204000000 0000000000000000  >MBS2............<\n"
                           "000010 3c00010203040506                   ><.......<\n000018\n",
                           "0000000 11520451462 00400000000 00000000000 00000000000  >MBS2............<\n"
                           "0000020 07400000402 00301002406                          ><.......<\n0000030\n",
                           " 4d425332 04000000 00000000 00000000  >MBS2............<\n"
                           " 3c000102 03040506                    ><.......<\n",
                           " 4d42 5332 0400 0000 0000 0000 0000 0000  >MBS2............<\n"
                           " 3c00 0102 0304 0506                      ><.......<\n"})
    EXPECT_EQ(read_hex(text, "od").value_or(Bytes()), code) << text;
}

/// Groups longer than a machine's numbers, and lines that end in the middle of one.
TEST(Dump, GroupsOfEveryLength) {
  const Bytes code{0x58, 0, 0x20, 0, 0x17, 0x81, 0x10, 6, 'A', 'B', 'C', 'D', 0, 0, 0, 0, 0x95, 0x98, 0xC0, 0x20};
  for (const char* text : {"00000000: 00000000444342410610811700200058  X. .....ABCD....\n"
                           "00000010:                         20c09895  ... \n",
                           "00000000: 0610811700200058         44434241  X. .....ABCD\n"
                           "0000000c: 20c0989500000000                   ....... \n",
                           "00000000: 01011000000000000010000000000000 00010111100000010001000000000110  X. .....\n"
                           "00000008: 01000001010000100100001101000100 00000000000000000000000000000000  ABCD....\n"
                           "00000010: 10010101100110001100000000100000                                   ... \n"})
    EXPECT_EQ(read_hex(text, "xxd").value_or(Bytes()), code) << text;
  std::string bits = "00000000: ";
  for (int i = 0; i < 20; ++i) bits += "01000001";
  EXPECT_EQ(read_hex(bits + "  AAAAAAAAAAAAAAAAAAAA\n").value_or(Bytes()), Bytes(20, 'A')) << "of xxd -b -g 0";
}

/// What xxd -E writes beside the bytes are characters in EBCDIC.
TEST(Dump, CharactersOfAnotherSetAreThoseOfXxd) {
  const Bytes code{0x95, 0x98, 0xC0, 0x20, 0x39, 0x39, 0x40, 1};
  EXPECT_EQ(read_hex("00000000: 9598c020 39394001  nq{... .\n").value(), code);
  EXPECT_EQ(read_hex("0x4010 <code>: 20c09895 01403939\n0x4018 <code+8>: 00000000\n").value_or(Bytes(4)).front(), 0x95)
      << "no characters";
}

/// A blank that stands at the end of the characters in one order, and at their start in the other.
TEST(Dump, BlanksOfCharactersTellNoOrder) {
  EXPECT_EQ(read_hex("00000000: c020  . \n00000002: 9598  ..\n").value(), (Bytes{0xC0, 0x20, 0x95, 0x98}));
  EXPECT_EQ(read_hex("00000000: 20c09895  ... \n00000004: 44434241  ABCD\n").value(),
            (Bytes{0x95, 0x98, 0xC0, 0x20, 'A', 'B', 'C', 'D'}));
}

/// od -A n -t o8 -w8 writes as many digits as xxd -p -c 11, behind a blank.
TEST(Dump, OneOctalNumberOnALine) {
  const std::string lines = " 0030204021340010000130\n 0000000000010420641101\n";
  EXPECT_EQ(read_hex(lines).value(), (Bytes{0x58, 0, 0x20, 0, 0x17, 0x81, 0x10, 6, 'A', 'B', 'C', 'D', 0, 0, 0, 0}));
  EXPECT_EQ(read_hex("0030204021340010000130\n").value().size(), 11u);
}

/// od fills the last number up with zeros.
TEST(Dump, CharactersTellWhereTheLastNumberEnds) {
  EXPECT_EQ(read_hex(" 0610811700200058  >X. .....<\n 0000000020c09895  >... <\n").value(),
            (Bytes{0x58, 0, 0x20, 0, 0x17, 0x81, 0x10, 6, 0x95, 0x98, 0xC0, 0x20}));
}

/// Words, or bytes of xxd -p -c 4.
TEST(Dump, EightDigitsOnEachLineMayBeEither) {
  const std::string text = "\n00200058\n06108117\n";
  EXPECT_EQ(read_hex(text).value().at(0), 0x58) << "who asks for words";
  EXPECT_EQ(read_container(bytes_of_text(text), ContainerFormat::hex)->at(0).code.at(0), 0x58);
  const auto either = read_container(bytes_of_text(text), {}, "a");
  ASSERT_FALSE(either);
  EXPECT_EQ(either.error()[0].code, "FM069");
  EXPECT_EQ(either.error()[0].where.line, 2u);
  for (const char* words :
       {"00200058\n", "0x00200058\n0x06108117\n", "00200058 06108117\n", " 00200058\n 06108117\n", "00200058 // a\n"})
    EXPECT_EQ(read_hex(words).value_or(Bytes()).at(0), 0x58) << words;
}

/// What od, hexdump and xxd wrote in a form that does not give the bytes is no machine code.
TEST(Dump, FormsThatAreNotReadAreNamed) {
  for (const char* text : {
           "0000000    2.938859e-39    2.717823e-35\n0000010        781.0352               0\n",  // od -t f4 -w8
           "0000000                           nan\n0000020     3.28559732003719367e-4934\n",      // od -t fL
           "0000000    2.938859e-39            -nan\n               00200058        ffffffff\n",  // od -t f4 -t x4
           "0000000   X  \\0      \\0 027 201 020 006\n0000010   A   B   C   D  \\n  \\0  \\0  \\0\n",  // od -t c -w8
           "0000000   X nul  sp nul\n0000004 etb soh dle ack\n0000010   A   B   C   D\n",               // od -t a -w4
           "0000000     2097240\n0000004   101744919\n0000010           0\n*\n0000020  1145258561\n",   // od -t d4 -w4
           "0000000     2097240   101744919  >X. .....<\n0000010  1145258561           0  >ABCD....<\n",  // od -t d4z
           "0000000  88   0  32   0  23 129  >X. ...<\n0000006  16   6  65  66  67  68  >..ABCD<\n",      // od -t u1z
           "0000000   X  \\0      \\0 027 201 020 006\n         cc  00  20  00  17  81  10  06\n",  // od -t c -t x1
           "   X  \\0      \\0 027 201 020 006\n 225 230 300       9   9   @ 001\n",                // od -A n -c
           "0000000   X  \\0      \\0 027 201\n0000004 225 230 300   \xC3\xA9  **   9        \n",   // hexdump -c
           "0000000   X  \\0      \\0\n00000000  58 00 20 00        |X. .|\n0000004\n",             // hexdump -c -C
           " 0058 0020\n 8117 0610\n 0000 0000\n*\n 9895 20c0\n",                                   // od -A n -t x2
           "000000 000130 000040 100427\n*\n00000c 000000 000000 114225\n",                         // od -A x -t o2 -w6
           "00000000: 0610811700200058         44434241..ABCD\n0000000c: 20c0989500000000         01403939. 99@.\n",
       }) {
    EXPECT_EQ(detect_format(bytes_of_text(text)), ContainerFormat::foreign) << text;
    const auto read = read_container(bytes_of_text(text));
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error()[0].code, "FM050") << text;
    EXPECT_TRUE(read_container(bytes_of_text(text), ContainerFormat::raw)) << text;
  }
}

/// Lines that are not all of a dump are assembly, or anything else.
TEST(Dump, OtherTextIsNotNamedADump) {
  for (const char* text : {"add r0 r1\nnop\nsub r1 r2\n", "0000000 nop\n0000010 sub x y z\n",
                           "a b c d e f g h\nstore 0 1 2 3\n", "00000000: fnop\n00000008: mov r0, r1\n"})
    EXPECT_EQ(detect_format(bytes_of_text(text)), ContainerFormat::text) << text;
}

/// Of short lines only the third tells whether offsets are decimal.
TEST(Dump, ThreeLinesTellTheBaseOfOffsets) {
  const std::string line = " 58 00 20 00 17 81 10 06\n";
  const auto size = [&](const std::string& text) { return read_hex(text, "od").value_or(Bytes()).size(); };
  EXPECT_EQ(size("0000000" + line + "0000008" + line + "0000016" + line + "0000024\n"), 24u);
  EXPECT_EQ(size("0000000" + line + "0000008 58 00 20 00\n0000012\n"), 12u);
  EXPECT_EQ(size("000000" + line + "000008" + line + "000010" + line + "000018\n"), 24u);
  EXPECT_EQ(size("0000000" + line + "0000010" + line + "0000020" + line + "0000030\n"), 24u);
}

/// The order of bytes in a group is told by any line whose characters show it.
TEST(Dump, CharactersTellTheOrder) {
  const std::string zeros = "00000000: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n";
  EXPECT_EQ(read_hex(zeros + "00000010: 4241 4443                                ABCD\n").value().at(16), 'A');
  EXPECT_EQ(read_hex(zeros + "00000010: 4142 4344                                ABCD\n").value().at(16), 'A');
  EXPECT_EQ(read_hex("00000000: 00000001 00010000\n00000008: 00000000 00000000\n").value().size(), 16u)
      << "words of 32 bits, not of digits 0 and 1";
}

/// What was typed before a dump, and the next prompt after it.
TEST(Dump, PromptsAreNotOfIt) {
  const std::string lines = "00000000: 5800 2000 1781 1006 0000 2003 0000 0000  X. ....... .....\n";
  for (const char* prompt :
       {"$ xxd a.bin\n", "me@host:~/x$ xxd a.bin\n", "[me@host x]$ xxd a.bin\n", "# xxd a.bin\n"}) {
    const std::string text = prompt + lines + "me@host:~$ \n";
    EXPECT_EQ(detect_format(bytes_of_text(text)), ContainerFormat::hex) << prompt;
    ASSERT_EQ(code_of(text), "read") << prompt;
    EXPECT_EQ(read_hex(text).value().size(), 16u) << prompt;
  }
  EXPECT_EQ(
      read_hex("(lldb) memory read $pc\n0x7fff00: 58 00 20 00 17 81 10 06 00 00 20 03 00 00 00 00  X. ....... .....\n"
               "0x7fff10: 58 00 20 00 17 81 10 06 00 00 20 03 00 00 00 00  X. ....... .....\n")
          .value()
          .size(),
      32u);
}

/// objdump -s shows bytes as they lie in memory, whatever the characters tell.
TEST(Log, SectionsOfObjdump) {
  const auto images = read_container(bytes_of_text(
      "a.o:     file format elf32-little\n\nContents of section .text:\n 8000 00010203 04050607"
      "                    ........        \nContents of section .data:\n 0000 0a0b                       "
      "           ..              \n"));
  ASSERT_TRUE(images) << images.error()[0].message;
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].path, ".text");
  EXPECT_EQ((*images)[0].code, (Bytes{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ((*images)[1].code, (Bytes{10, 11}));
}

TEST(Dump, AStarIsNotBelievedAnything) {
  const std::string line = "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n";
  EXPECT_EQ(read_hex(line + "00010000\n").value().size(), 0x10000u);
  EXPECT_EQ(code_of(line + "7fffffff\n"), "FM061");
  EXPECT_EQ(code_of(line + "ffffffffffffff0\n"), "FM061");
}

TEST(Dump, AStarWithoutAnOffsetIsRefused) {
  const std::string offsets = "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n";
  for (const char* lines :
       {" 12 34 56 78 12 34 56 78\n*\n", " 78563412 78563412\n*\n 00000001\n", " 000012 000034\n*\n",
        " 7856341278563412 7856341278563412\n*\n", offsets.c_str(), "000000  01 02 03 04\n000004  *\n"}) {
    const auto read = read_hex(lines, "a");
    ASSERT_FALSE(read) << lines;
    EXPECT_EQ(read.error()[0].code, "FM061") << lines;
    EXPECT_EQ(read.error()[0].where.line, 2u);
  }
}

TEST(Dump, WhatItHoldsMayBeAContainer) {
  const auto images = read_container(bytes_of_text(
      "00000000: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............\n00000010: 0200 3e00            "
      "                      ..>.\n"));
  ASSERT_FALSE(images);
  EXPECT_EQ(images.error()[0].code.substr(0, 3), "FM0");
}

// ------------------------------------------------------------------------------------------------ logs

TEST(Log, EveryProgramOfAGeometryProcessorsLog) {
  const Bytes program = bytes_of_text(content(test::source_file("examples/color.vert.bin")));
  const std::string text = dump("lima-gp.log");
  EXPECT_EQ(detect_format(bytes_of_text(text)), ContainerFormat::hex);
  const auto images = read_container(bytes_of_text(text));
  ASSERT_TRUE(images) << images.error()[0].message;
  ASSERT_EQ(images->size(), 2u);
  for (const CodeImage& image : *images) EXPECT_EQ(image.code, program);
  for (const CodeImage& image : *images) EXPECT_EQ(image.machine, "utgard-gp");
  EXPECT_EQ((*read_container(bytes_of_text(text.substr(text.find("\n000: ") + 1))))[0].machine, "")
      << "without its heading a log tells nothing";
  EXPECT_EQ(code_of(text), "FM021") << "one is wanted";
}

TEST(Log, BinariesOfPowervrsCompiler) {
  const auto images = read_container(bytes_of_text(dump("pco.log")));
  ASSERT_TRUE(images) << images.error()[0].message;
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].machine, "rogue");
  EXPECT_EQ((*images)[0].path, "after encoding");
  EXPECT_EQ((*images)[1].code.size(), 82u);
  EXPECT_EQ((*images)[1].code[64], 0) << "of a line that is only a star";
}

TEST(Log, CutShortIsAnError) {
  const std::string text = dump("pco.log");
  const std::size_t second = text.find("\n000010  ");
  const auto images = read_container(bytes_of_text(text.substr(0, second + 1) + "000090  11 22 33\n"), {}, "pco.log");
  ASSERT_FALSE(images);
  EXPECT_EQ(images.error()[0].code, "FM007");
  EXPECT_EQ(images.error()[0].where.file, "pco.log");
}

// ------------------------------------------------------------------------------------------------ arrays

TEST(Array, OfCAreProgramsByTheirNames) {
  const Bytes program = bytes_of_text(content(test::source_file("examples/checker.frag.bin")));
  const auto images = read_container(bytes_of_text(dump("checker.c")));
  ASSERT_TRUE(images) << images.error()[0].message;
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].path, "checker_frag");
  EXPECT_EQ((*images)[0].code, program);
  EXPECT_EQ((*images)[1].code, (Bytes{0, 0, 15, 255})) << "octal and decimal";
}

TEST(Array, ElementsAreAsWideAsTheirType) {
  EXPECT_EQ(read_hex("u16 a[] = {0x1, 2};").value(), (Bytes{1, 0, 2, 0}));
  EXPECT_EQ(read_hex("std::array<std::uint64_t, 1> a{0x1ULL};").value(), (Bytes{1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(read_hex("unsigned int a[2][1] = { {1}, {2} };\nunsigned int a_len = 8;").value().size(), 8u);
  EXPECT_EQ(code_of("uint8_t a[] = { 0x100 };"), "FM062");
  EXPECT_EQ(code_of("uint8_t a[] = { 1, x };"), "FM001");
  EXPECT_EQ(code_of("uint8_t a[] = { 1, 2"), "FM063");
  EXPECT_EQ(code_of("uint8_t a[] = { 1, 2 }; /* no end"), "FM002");
}

TEST(Array, OfAShaderIsNoCode) {
  const std::string list = "void main() {\n  const uint k[2] = {1u, 2u};\n}\n";
  EXPECT_EQ(detect_format(bytes_of_text("#version 450\n" + list)), ContainerFormat::foreign);
  EXPECT_EQ(
      detect_format(bytes_of_text("uniform int b[2];\nvoid main() {\n  if (uint(b[1]) < 2u) {\n    --x;\n  }\n}\n")),
      ContainerFormat::foreign);
  EXPECT_EQ(detect_format(bytes_of_text("out vec4 c; void main() { const uint k[2] = {1u, 2u}; c = vec4(k[1]); }\n")),
            ContainerFormat::text);
  for (const char* before : {"", "/*\n#version 310 es\nvoid main() {}\n*/\n", "void main(void) {}\n"})
    EXPECT_EQ(detect_format(bytes_of_text(before + std::string("const unsigned k[2] = {1u, 2u};\n"))),
              ContainerFormat::hex);
}

TEST(Array, CastsAndMacrosAroundNumbers) {
  EXPECT_EQ(read_hex("uint32_t a[] = { UINT32_C(0x1), (uint32_t)2, (unsigned int) 3 };").value(),
            (Bytes{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}));
  EXPECT_EQ(detect_format(bytes_of_text("uint32_t f(int a[]) { uint64_t lower; }")), ContainerFormat::text);
  EXPECT_EQ(detect_format(bytes_of_text("uint32_t a[] = { (b + c) };")), ContainerFormat::text);
}

TEST(Array, ALongIsAsLongAsTheCompilerSays) {
  const auto images = read_container(bytes_of_text("unsigned long a[] = {1}; unsigned long long b[] = {1};"));
  ASSERT_TRUE(images) << images.error()[0].message;
  EXPECT_EQ((*images)[0].code.size(), 8u);
  ASSERT_EQ((*images)[0].remarks.size(), 1u);
  EXPECT_EQ((*images)[0].remarks[0].code, "FM066");
  EXPECT_TRUE((*images)[1].remarks.empty());
}

/// What xxd -i writes after the array.
TEST(Array, HasAsManyBytesAsItsLengthSays) {
  EXPECT_EQ(code_of("unsigned char a[] = { 1, 2 };\nunsigned int a_len = 2;"), "read");
  EXPECT_EQ(code_of("unsigned char a[] = { 1, 2 };\nunsigned int a_len = 3;"), "FM065");
  EXPECT_EQ(code_of("unsigned char a[] = { 1, 2 };\nunsigned int b_len = 3;"), "read");
}

TEST(Array, LinesThatChooseWhatIsCompiledAreNoValues) {
  EXPECT_EQ(code_of("uint8_t a[] = { 1,\n#if 0\n 2,\n#endif\n 3 };"), "FM001");
  EXPECT_EQ(code_of("uint8_t a[] = { 1,\n#include \"rest.h\"\n};"), "FM001");
  EXPECT_EQ(code_of("#ifdef X\n#include <stdint.h>\n#endif\nuint8_t a[] = { 1,\n#define N 2\n 2 };"), "read");
}

TEST(Array, EndsWhereItEnds) {
  EXPECT_EQ(code_of("uint8_t a[] = { 1, 2 } , 3 };"), "FM064");
  EXPECT_EQ(code_of("uint8_t a[] = { 1, 2 } 3 };"), "FM064");
  EXPECT_EQ(code_of("uint8_t a[2][2] = { {1, 2} , 3, 4 };"), "read");
  const auto two =
      read_container(bytes_of_text("uint16_t a[1] = {1}, b[] = {2, /* } */ 3}; // }\nuint8_t c[2]={4,5};"));
  ASSERT_TRUE(two) << two.error()[0].message;
  ASSERT_EQ(two->size(), 3u);
  EXPECT_EQ((*two)[1].path, "b");
  EXPECT_EQ((*two)[1].code, (Bytes{2, 0, 3, 0}));
}

TEST(Array, HasAsManyValuesAsItSays) {
  EXPECT_EQ(code_of("uint32_t x[3] = { 1, 2 };"), "FM065");
  EXPECT_EQ(code_of("uint32_t x[1] = { 1, 2 };"), "FM065");
  EXPECT_EQ(code_of("uint32_t x[2][2] = { { 1, 2 }, { 3 } };"), "FM065");
  EXPECT_EQ(code_of("std::array<uint32_t, 3> x = { 1, 2 };"), "FM065");
  for (const char* good :
       {"uint32_t x[2] = { 1, 2 };", "uint32_t x[] = { 1, 2 };", "uint32_t x[N] = { 1, 2 };",
        "uint32_t x[4 * 4] = { 1, 2 };", "uint32_t x[][2] = { { 1, 2 }, { 3, 4 } };",
        "std::array<std::array<uint32_t, 2>, 1> x{{{1, 2}}};", "std::array<uint32_t, 2> x = { 1, 2 };"})
    EXPECT_EQ(code_of(good), "read") << good;
}

}  // namespace
}  // namespace mobula
