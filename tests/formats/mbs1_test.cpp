#include "mobula/isa/mbs1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mobula/isa/formats.h"

namespace mobula::mbs1 {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put_word(Bytes& out, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}
Bytes words(std::initializer_list<std::uint32_t> list) {
  Bytes bytes;
  for (const std::uint32_t word : list) put_word(bytes, word);
  return bytes;
}
Bytes chunk(std::string_view ident, std::initializer_list<Bytes> parts) {
  Bytes payload;
  for (const Bytes& part : parts) payload.insert(payload.end(), part.begin(), part.end());
  Bytes bytes(ident.begin(), ident.end());
  put_word(bytes, static_cast<std::uint32_t>(payload.size()));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}
Bytes name(std::string text) {
  text.resize((text.size() + 4) / 4 * 4);
  return chunk("STRI", {Bytes(text.begin(), text.end())});
}
Bytes record(std::uint8_t type, std::uint16_t components, std::uint16_t offset) {
  Bytes bytes(20);
  bytes[1] = type;
  bytes[2] = static_cast<std::uint8_t>(components);
  bytes[4] = 4;
  bytes[16] = static_cast<std::uint8_t>(offset);
  bytes[17] = static_cast<std::uint8_t>(offset >> 8);
  bytes[18] = bytes[19] = 0xFF;
  return bytes;
}
Bytes file(bool space_word = false) {
  const Bytes uniforms = chunk("VUNI", {name("gl_mali_ViewportTransform"), record(1, 4, 0), chunk("VIDX", {Bytes{}})});
  const Bytes constant = chunk(
      "VUNI", {name("__maligp2_constant_000"), record(1, 4, 8), chunk("VINI", {words({2, 0xD01502F9, 0x501502F9})})});
  return chunk("MBS1", {chunk("CVER", {words({6}), chunk("FINS", {words({0, 1, 5})}),
                                       chunk("SUNI", {space_word ? words({2, 12}) : words({2}), uniforms, constant}),
                                       chunk("SATT", {words({1}), chunk("VATT", {name("aPosition"), record(1, 4, 4)})}),
                                       chunk("SVAR", {words({1}), chunk("VVAR", {name("gone"), record(1, 4, 0xFFFF)})}),
                                       chunk("DBIN", {words({0xad4ad6b5, 0x038002b5, 0x0007ff80, 0x000ad500})})})});
}

TEST(Mbs1, ReadsTheTablesOfAVertexShader) {
  const auto shader = vertex_shader(file());
  ASSERT_TRUE(shader) << render(shader.error());
  EXPECT_EQ(shader->version, 6u);
  EXPECT_EQ(shader->instructions, 1u);
  EXPECT_EQ(shader->prefetch, 5u);
  ASSERT_EQ(shader->uniforms.size(), 2u);
  EXPECT_EQ(shader->uniforms[1].name, "__maligp2_constant_000");
  EXPECT_THAT(shader->uniforms[1].initial, testing::ElementsAre(0xD01502F9, 0x501502F9));
  EXPECT_EQ(shader->code.size(), 16u);
  const Interface interface = interface_of(*shader);
  ASSERT_EQ(interface.inputs.size(), 1u);
  EXPECT_EQ(interface.inputs[0].driver_location, 1);
  EXPECT_TRUE(interface.outputs.empty()) << "an eliminated symbol has no number";
  ASSERT_EQ(interface.constants.size(), 2u);
  EXPECT_EQ(interface.constants[1].word, 9u);
}

TEST(Mbs1, EveryByteSurvivesARoundTrip) {
  for (const bool space_word : {false, true}) {
    const Bytes bytes = file(space_word);
    const auto root = read(bytes);
    ASSERT_TRUE(root) << render(root.error());
    EXPECT_EQ(write(*root), bytes);
    EXPECT_EQ(vertex_shader(bytes)->uniforms.size(), 2u);
  }
}

TEST(Mbs1, CodeAndNumbersOfSymbolsCanBeReplaced) {
  auto root = read(file());
  ASSERT_TRUE(root);
  const Bytes code(48, 7);
  ASSERT_TRUE(replace_code(*root, code));
  renumber(*root, "SUNI", {{2, 300}, {7, 9}});
  renumber(*root, "SATT", {{1, 15}});
  renumber(*root, "SVAR", {{16383, 1}});
  const Bytes bytes = write(*root);
  const auto shader = vertex_shader(bytes);
  ASSERT_TRUE(shader) << render(shader.error());
  EXPECT_EQ(shader->code, code);
  EXPECT_EQ(shader->uniforms[0].offset, 0u);
  EXPECT_EQ(shader->uniforms[1].offset, 1200u);
  EXPECT_EQ(shader->attributes[0].offset, 60u);
  EXPECT_EQ(shader->varyings[0].offset, 0xFFFFu) << "what was eliminated stays so";
  Chunk empty{"MBS1", {}};
  EXPECT_FALSE(replace_code(empty, code));
}

TEST(Mbs1, IsAContainerOfUtgardCode) {
  const Bytes bytes = file();
  EXPECT_EQ(detect_format(bytes), ContainerFormat::mbs);
  const auto images = read_container(bytes);
  ASSERT_TRUE(images) << render(images.error());
  EXPECT_EQ((*images)[0].machine, "utgard-gp");
  Bytes mali200 = bytes;
  mali200[16] = 2;  // CVER's version
  EXPECT_EQ((*read_container(mali200))[0].machine, "utgard-gp:mali200");
  EXPECT_EQ((*images)[0].code[0], 0xb5);
  EXPECT_EQ(bytes[(*images)[0].byte_offset], 0xb5);
}

TEST(Mbs1, EveryTruncationIsAnErrorOrStillATree) {
  const Bytes bytes = file();
  for (std::size_t size = 4; size < bytes.size(); ++size) {
    const auto shader = vertex_shader(std::span(bytes).first(size));
    EXPECT_FALSE(shader) << size;
  }
}

TEST(Mbs1, EveryDamagedByteIsSurvived) {
  for (std::size_t at = 0; at < file().size(); ++at)
    for (const int value : {0x00, 0x7F, 0xFF}) {
      Bytes bytes = file();
      bytes[at] = static_cast<std::uint8_t>(value);
      if (const auto root = read(bytes)) {
        EXPECT_EQ(write(*root), bytes);
      }
      (void)vertex_shader(bytes);
    }
}

TEST(Mbs1, SaysThatAFragmentShaderIsAnotherMachine) {
  const auto shader = vertex_shader(chunk("MBS1", {chunk("CFRA", {words({7})})}));
  ASSERT_FALSE(shader);
  EXPECT_THAT(shader.error()[0].hint, testing::HasSubstr("fragment"));
}

}  // namespace
}  // namespace mobula::mbs1
