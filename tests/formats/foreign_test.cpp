#include "formats/foreign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "paths.h"

namespace mobula {
namespace {

using testing::HasSubstr;
using namespace std::string_view_literals;
using Bytes = std::vector<std::uint8_t>;

Bytes padded(std::string_view start, std::size_t size = 64) {
  Bytes bytes(start.begin(), start.end());
  bytes.resize(std::max(size, bytes.size()));
  return bytes;
}

std::string kind(const Bytes& bytes) {
  const auto found = foreign(bytes);
  return found ? found->what : "";
}
std::string kind(std::string_view text) { return kind(Bytes(text.begin(), text.end())); }

TEST(Foreign, BinariesOfOtherKinds) {
  EXPECT_EQ(kind(padded("\x89PNG\r\n\x1A\n\0\0\0\rIHDR"sv)), "a PNG picture");
  EXPECT_EQ(kind(padded("\3\2\x23\7\0\0\1\0\0\0\0\0\x10\0\0\0\0\0\0\0"sv)), "SPIR-V");
  EXPECT_EQ(kind(padded("\7\x23\2\3\0\1\5\0\0\0\0\0\0\0\0\x10\0\0\0\0"sv)), "SPIR-V");
  EXPECT_EQ(kind(padded("PK\3\4\x14\0\0\0\x8\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0a.bin"sv)),
            "a zip archive, as an APK is");
  EXPECT_EQ(kind(padded("\x1F\x8B\x08\0\0\0\0\0\0\3\xED\xBD"sv)), "a gzip archive");
  EXPECT_EQ(kind(padded("%PDF-1.7\n"sv)), "a PDF document");
  EXPECT_EQ(kind(padded("!<arch>\ndebian-binary   1676000000  0     0     100644  4         `\n2.0\n"sv)),
            "a package of Debian");
  EXPECT_EQ(kind(padded("!<arch>\n/               0           0     0     0       14        `\n"sv)),
            "an archive of object files");
  EXPECT_EQ(kind(padded("\xFF\xD8\xFF\xE0\0\x10JFIF\0"sv)), "a JPEG picture");
  EXPECT_EQ(kind(padded("\x7F"
                        "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\xB7\0"sv)),
            "an ELF file for AArch64, the central processor");
  EXPECT_EQ(kind(padded(" \0\0\0\1\0\0\0\xB5\x13\0\0"sv)), "a pipeline cache of Vulkan");
}

TEST(Foreign, TextOfOtherKinds) {
  EXPECT_EQ(kind("#version 310 es\nprecision mediump float;\n"), "source text in GLSL");
  EXPECT_EQ(kind("precision mediump float;\n\nvoid main() {}\n"), "source text in GLSL");
  EXPECT_EQ(kind("// a\nnamespace x {\nint y;\n}\n"), "source text in C++");
  EXPECT_EQ(kind("template <class T> T f(T a);\n"), "source text in C++");
  EXPECT_EQ(kind("/* a */\nstatic int f(int a)\n{\n}\n"), "source text in C");
  EXPECT_EQ(kind("import sys\ndef main():\n  pass\n"), "source text in Python");
  EXPECT_EQ(kind("fn main() {\n}\n"), "source text in Rust");
  EXPECT_EQ(kind("class A {\n"), "source text in a language with classes");
  EXPECT_EQ(kind("/* words of the second\nclass of words, and the\nnamespace they are in */\nmain { nop.end }\n"), "")
      << "what begins alike in a comment";
  EXPECT_EQ(kind("; SPIR-V\n; Version: 1.0\n  OpCapability Shader\n"), "SPIR-V assembly");
  EXPECT_EQ(kind("{\n \"stage\": \"vertex\"}\n"), "JSON");
  EXPECT_EQ(kind("[{\"a\": 1}]"), "JSON");
  EXPECT_THAT(kind("Fragment Job:\n\nShader 0x7f00 (GPU VA 1000) sz 4096\nvmul.FMOV.f32 R0, R1\n"),
              HasSubstr("Panfrost"));
  EXPECT_THAT(kind("shader: MESA_SHADER_FRAGMENT\nname: GLSL1\n"), HasSubstr("NIR"));
  const std::string_view nir = "shader: MESA_SHADER_FRAGMENT\n";
  EXPECT_THAT(foreign({reinterpret_cast<const std::uint8_t*>(nir.data()), nir.size()})->hint,
              HasSubstr("asm --syntax mesa"));
  EXPECT_EQ(kind("<?xml version=\"1.0\"?>\n"), "XML");
  EXPECT_EQ(kind("!!ARBfp1.0\nCOS result.color, fragment.texcoord[0].x;\nEND\n"),
            "a fragment program in OpenGL's assembly language");
  EXPECT_EQ(kind("/* a */\n__kernel void f(global int* a) {}\n"), "source text in OpenCL C");
  EXPECT_EQ(kind("#include <metal_stdlib>\nusing namespace metal;\n"), "source text in Metal's language");
  EXPECT_EQ(kind("@fragment\nfn main() -> @location(0) vec4f {\n"), "source text in WGSL");
  EXPECT_EQ(kind("# Tests what a shader computes of its inputs.\n[require]\nGLSL >= 1.10\n\n[fragment shader]\n"
                 "void main() {}\n"),
            "a test of piglit's shader_runner, which holds several shaders");
  EXPECT_EQ(kind("// void main() {}\nmain { nop.end }\n"), "") << "a comment";
  EXPECT_EQ(kind("[016ee001]\nnop\n"), "");
  EXPECT_EQ(kind("{ p0 = attr0; st0 v0.x = p0.x }\n"), "");
}

TEST(Foreign, TextForPeople) {
  const std::string page =
      "# mobula\n\nThis is a library and a command that read and write machine code.\n"
      "It runs on any computer, and needs no graphics processor at all.\nThe third sentence says that there is "
      "nothing more to be said.\n";
  EXPECT_EQ(kind(page), "text for people to read");
  EXPECT_EQ(kind(page + "```\n#include <mobula/mobula.h>\n```\n"), "text for people to read");
  EXPECT_EQ(kind("// This is a comment of many words in a listing.\n; And this is another one of many more words.\n"
                 "# and a third that is nothing but words again\n{\n  vmul.FMOV.f32 R0, R1\n}\n"),
            "");
}

TEST(Foreign, NumbersOfAFormThatDoesNotTell) {
  const std::string_view what = "a table of numbers whose form does not tell which bytes they are";
  EXPECT_EQ(kind("0000000  88   0  32   0  23 129  16   6\n0000010 149 152 192\n"), what) << "od -t u1";
  EXPECT_EQ(kind(" 0058 0020 8117 0610 0000 0320 0000 0000\n"), what) << "bytes of od -x, or of xxd";
}

/// It is read as the text after the mark.
TEST(Foreign, TextWithAByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF", dump = "00000000: 5800 2000 1781 1006\n";
  const std::string text = mark + dump;
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  EXPECT_EQ(detect_format(bytes), ContainerFormat::hex);
  const auto images = read_container(bytes);
  ASSERT_TRUE(images) << images.error()[0].message;
  EXPECT_EQ((*images)[0].code.size(), 8u);
  EXPECT_EQ(kind(mark + "{\"a\": 1}"), "JSON");
}

/// The first bytes of files of Debian's packages, and the same with one of them changed.
TEST(Foreign, PicturesSoundsFontsAndBytecode) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> files{
      {"OggS\0\2\0\0\0\0\0\0\0\0\1\2\3\4"s, "sound or video in Ogg"},
      {"RIFF\x24\x10\0\0WAVEfmt "s, "sound in WAV"},
      {"RIFF\x24\x10\0\0WEBPVP8 "s, "a WebP picture"},
      {"\0\1\0\0\0\x12\1\0\0\4\0\x20"s, "a font"},
      {"wOF2\0\1\0\0\0\0\0\x10...."s, "a font"},
      {"\xA7\x0D\r\n\0\0\0\0\xF5\x2F\xF2\x63\1\2\3\4"s, "bytecode of Python"},
      {"\xCA\xFE\xBA\xBE\0\0\0\x34\0\x10"s, "bytecode of Java"},
      {"\x76\x2F\x31\1\2\0\0\0Exif"s, "an OpenEXR picture"},
      {"BM\x1A\0\0\0\0\0\0\0\x3E\0\0\0................"s.substr(0, 26), "a BMP picture"},
      {"\0\0\1\0\1\0\x20\x20\x10\0\0\0\0\0\xE8\2\0\0\x16\0\0\0"s, "an icon"},
      {"\xDE\x12\4\x95\0\0\0\0\xD0\5\0\0"s, "translations of gettext"},
      {"#!/bin/sh\nexit\n"s, "a script"}};
  for (const auto& [bytes, what] : files) {
    EXPECT_EQ(kind(bytes), what);
    std::string other = bytes;
    other[other[0] == '#' ? 2 : 1] ^= 0x15;
    EXPECT_NE(kind(other), what);
  }
}

TEST(Foreign, WhatHoldsNumbersInAnotherForm) {
  EXPECT_EQ(kind("> 00000000: 5800 2000 1781 1006\n> 00000008: 5800 2000 1781 1006\n"), "text quoted as in a mail");
  const std::string_view other = "an od dump in decimal, or as characters";
  EXPECT_EQ(kind("0000000   X  \\0      \\0 027 201 020 006\n0000020   *  \\0      \\0\n"), other) << "od -c";
  EXPECT_EQ(kind("0000000   X nul  sp nul etb soh dle ack\n0000020   * nul  sp nul\n"), other) << "od -a";
  EXPECT_EQ(kind("0000000    88    32 33047\n0000020   149   192   123\n"), other) << "od -d";
  EXPECT_EQ(kind("# Blender\nmtllib a.mtl\no Cube\nv 1.0 1 -1\nv 1 1 1\nv 0 0 1e-3\nf 1 2 3\n"),
            "a mesh in Wavefront OBJ");
  EXPECT_EQ(
      kind("\na.o:     file format elf64-x86-64\n\n\nDisassembly of section .text:\n\n0000 <f>:\n   0:\tc3\tret\n"),
      "a listing by objdump of code for the central processor");
  EXPECT_EQ(kind("#include <stdio.h>\nint main() { return 0; }\n"), "source text in C");
}

TEST(Foreign, TextOfSixteenBits) {
  std::string little = "\xFF\xFE", big = "\xFE\xFF", bare;
  for (const char c : std::string("00000000: 5800 2000 1781 1006 0000 2003\r\n00000010: 5800")) {
    little += {c, '\0'};
    big += {'\0', c};
    bare += {c, '\0'};
  }
  for (const std::string& text : {little, big, bare}) EXPECT_EQ(kind(text), "text in UTF-16");
}

/// A dump that somebody wrote twice over, or that was cut.
TEST(Foreign, NumbersWithAByteThatIsNoText) {
  std::string text =
      "00000000: 5800 2000 1781 1006 0000 2003 0000 0000  X. ....... .....\n"
      "00000010: 9598 c000 1781 1006 0000 2003 0000 0000  ....... .. .....\n";
  text[80] = '\0';
  const Bytes bytes(text.begin(), text.end());
  EXPECT_EQ(detect_format(bytes), ContainerFormat::hex);
  const auto images = read_container(bytes);
  ASSERT_FALSE(images);
  EXPECT_EQ(images.error()[0].code, "FM058");
  EXPECT_EQ(images.error()[0].where.byte_offset, 80u);
}

TEST(Foreign, TheStartOfAMagicIsNotEnough) {
  for (const std::string_view start : {"\x89PNG"sv, "PK\3\4"sv, "\x1F\x8B"sv, "%PDF"sv,
                                       "\x7F"
                                       "ELF"sv,
                                       "\3\2\x23\7"sv, "MZ"sv, "BZh1"sv, "\x28\xB5\x2F\xFD\x18"sv}) {
    EXPECT_EQ(kind(Bytes(start.begin(), start.end())), "");
    EXPECT_EQ(kind(padded(start)), "") << "with zeros behind it";
  }
}

TEST(Foreign, SaysWhatAndWhatToDo) {
  const auto images = read_container(padded("\x89PNG\r\n\x1A\n"sv), {}, "a.png");
  ASSERT_FALSE(images);
  EXPECT_EQ(images.error()[0].code, "FM050");
  EXPECT_EQ(images.error()[0].where.file, "a.png");
  EXPECT_EQ(images.error()[0].message, "this is a PNG picture, not machine code");
  EXPECT_THAT(images.error()[0].hint, HasSubstr("--container raw"));
  EXPECT_TRUE(read_container(padded("\x89PNG\r\n\x1A\n"sv), ContainerFormat::raw));
}

TEST(Foreign, TellsSourcesOfShaders) {
  const auto is_shader = [](std::string_view text) { return foreign(Bytes(text.begin(), text.end()))->is_shader; };
  EXPECT_TRUE(is_shader("precision mediump float;\nvoid main() {}\n"));
  EXPECT_TRUE(is_shader("OpCapability Shader\n"));
  EXPECT_FALSE(is_shader("#include <vector>\n"));
}

/// Real code of every machine, and words of any value, are not taken for anything else.
TEST(Foreign, CodeIsNeverRefused) {
  std::size_t samples = 0;
  for (const char* machine : {"midgard", "utgard-gp", "rogue"}) {
    const std::filesystem::path folder = test::sample(machine);
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".bin") continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      const Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
      EXPECT_EQ(detect_format(bytes), ContainerFormat::raw) << entry.path();
      ++samples;
    }
  }
  std::mt19937 random(9);
  for (unsigned round = 0; round < 200'000; ++round) {
    Bytes bytes(16 + random() % 48);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    if (detect_format(bytes) == ContainerFormat::fw) continue;  // a header is 32 bits
    ASSERT_EQ(detect_format(bytes), ContainerFormat::raw) << round;
  }
  if (samples == 0) GTEST_SKIP() << "no samples";
}

/// Fourteen bytes of any value were text in a fifth of all cases.
TEST(Foreign, RandomBytesAreNotText) {
  std::mt19937 random(4);
  unsigned texts = 0;
  for (unsigned round = 0; round < 100'000; ++round) {
    std::string bytes(14, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    texts += looks_like_text(bytes) ? 1 : 0;
  }
  EXPECT_LT(texts, 20u);
  EXPECT_TRUE(looks_like_text("grün \xE2\x86\x92 \xF0\x9F\x98\x80"));
  EXPECT_FALSE(looks_like_text("\xC0\x80"));
  EXPECT_FALSE(looks_like_text("\xE2\x28"));
}

// ------------------------------------------------------------------------------------------------ trees after a header

std::string tree_chunk(const std::string& ident, const std::string& payload) {
  std::string size(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) size[i] = static_cast<char>(payload.size() >> (8 * i));
  return ident + size + payload;
}
Bytes embedded_bytes(const std::string& text) { return {text.begin(), text.end()}; }

TEST(Embedded, ProgramsAfterAHeaderOfAnotherKind) {
  const auto tree = [](const std::string& stage, const std::string& code) {
    return tree_chunk("MBS2", std::string(4, '\0') + tree_chunk(stage, tree_chunk("CMMN", tree_chunk("OBJC", code))));
  };
  const std::string header("\x12\x34\x56\x78MBS\0driver r12p0", 20);
  const Bytes blob = embedded_bytes(header + tree("VERT", "12345678") + tree("FRAG", std::string("\1\2\3\4", 4)));
  EXPECT_EQ(detect_format(blob), ContainerFormat::mbs);
  const auto images = read_container(blob);
  ASSERT_TRUE(images) << images.error()[0].message;
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].interface.stage, Stage::vertex);
  EXPECT_EQ((*images)[1].interface.stage, Stage::fragment);
  EXPECT_EQ((*images)[1].code, (Bytes{1, 2, 3, 4}));
  EXPECT_EQ((*images)[1].byte_offset, blob.size() - 4);
}

TEST(Embedded, AsManyProgramsAsThereAre) {
  const std::string tree =
      tree_chunk("MBS2", std::string(4, '\0') + tree_chunk("VERT", tree_chunk("CMMN", tree_chunk("OBJC", "12345678"))));
  std::string text = "0123";
  for (unsigned i = 0; i < 5000; ++i) text += tree;
  const auto images = read_container(embedded_bytes(text));
  ASSERT_TRUE(images);
  EXPECT_EQ(images->size(), 5000u);
  EXPECT_TRUE(images->front().remarks.empty());
}

TEST(Embedded, TheSearchEndsAndSaysSo) {
  const std::string tree =
      tree_chunk("MBS2", std::string(4, '\0') + tree_chunk("VERT", tree_chunk("CMMN", tree_chunk("OBJC", "12345678"))));
  std::string text = "0123" + tree;
  for (unsigned i = 0; i < 100'000; ++i) text += std::string("MBS2\0\0\4\0", 8);
  const auto images = read_container(embedded_bytes(text));
  ASSERT_TRUE(images);
  EXPECT_EQ(images->size(), 1u);
  ASSERT_EQ(images->front().remarks.size(), 1u);
  EXPECT_EQ(images->front().remarks[0].code, "FM053");
}

TEST(Container, WhatFollowsATreeIsTold) {
  const std::string tree =
      tree_chunk("MBS2", std::string(4, '\0') + tree_chunk("VERT", tree_chunk("CMMN", tree_chunk("OBJC", "12345678"))));
  const auto images = read_container(embedded_bytes(tree + "12345"));
  ASSERT_TRUE(images);
  ASSERT_EQ(images->front().remarks.size(), 1u);
  EXPECT_EQ(images->front().remarks[0].code, "FM054");
  EXPECT_EQ(images->front().remarks[0].where.byte_offset, tree.size());
  EXPECT_THAT(images->front().remarks[0].message, HasSubstr("5 bytes follow"));
  EXPECT_TRUE(read_container(embedded_bytes(tree))->front().remarks.empty());
}

TEST(Embedded, AWordThatLooksLikeATreeIsNone) {
  Bytes code = embedded_bytes(std::string("\1\2\3\4MBS2\x8\0\0\0VERT\0\0\0\0", 20));
  EXPECT_EQ(detect_format(code), ContainerFormat::raw) << "no program is in it";
  Bytes many;
  for (unsigned i = 0; i < 100'000; ++i) many.insert(many.end(), {'M', 'B', 'S', '2', 0, 0, 1, 0});
  many.insert(many.begin(), 0);
  EXPECT_EQ(detect_format(many), ContainerFormat::raw);
}

TEST(Container, NamesDecideWhatCouldBeEither) {
  const Bytes printable = embedded_bytes("abcdefgh01234567");
  EXPECT_EQ(detect_format(printable, "a.bin"), ContainerFormat::raw);
  EXPECT_EQ(detect_format(printable, "a.mdg"), ContainerFormat::text);
  EXPECT_EQ(detect_format(printable, "-"), ContainerFormat::text);
  const Bytes numbers = embedded_bytes("0x12345678");
  EXPECT_EQ(detect_format(numbers, "a.bin"), ContainerFormat::raw);
  EXPECT_EQ(detect_format(numbers, "a.hex"), ContainerFormat::hex);
  EXPECT_EQ(detect_format(numbers, "-"), ContainerFormat::hex);
  EXPECT_EQ(detect_format(embedded_bytes("00000000: 0102 0304\n"), "a.bin"), ContainerFormat::hex)
      << "offsets in order are those of a dump";
}

}  // namespace
}  // namespace mobula
