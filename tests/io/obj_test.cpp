#include "io/obj.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "io/float_bits.h"

namespace mobula::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Triangle = std::array<std::uint32_t, 3>;

Mesh read(std::string_view text) {
  auto mesh = read_obj({"m.obj", text});
  EXPECT_TRUE(mesh) << render(mesh.error());
  return mesh ? std::move(*mesh) : Mesh{};
}
Diagnostics refused(std::string_view text) {
  const auto mesh = read_obj({"m.obj", text});
  EXPECT_FALSE(mesh) << text;
  return mesh ? Diagnostics{{}} : mesh.error();
}

TEST(Obj, FacesBecomeFansOfDistinctCorners) {
  const Mesh mesh = read(R"(# a square
o square
v 0 0 0
v 1 0 0  # a comment
v 1 1 0
v 0 +1e0 .5
vn 0 0 1
f 1//1 2//1 3//1 4//1
f -1 -2 -3
)");
  EXPECT_EQ(mesh.vertices(), 7u);  // the second face has no normals, so its corners are others
  EXPECT_THAT(mesh.triangles, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}, Triangle{4, 5, 6}));
  EXPECT_EQ(mesh.of(MeshData::position).values[3], (RunVec4{0, float_bits(1), float_bits(0.5f), float_bits(1)}));
  EXPECT_EQ(mesh.of(MeshData::position).values[4], mesh.of(MeshData::position).values[3]);
  EXPECT_EQ(mesh.of(MeshData::position).components, 3u);
  EXPECT_EQ(mesh.of(MeshData::normal).values[0], (RunVec4{0, 0, float_bits(1), float_bits(1)}));
  EXPECT_EQ(mesh.of(MeshData::normal).values[4], (RunVec4{0, 0, 0, float_bits(1)}));
  EXPECT_EQ(mesh.of(MeshData::texcoord).components, 0u);
  EXPECT_EQ(mesh.of(MeshData::colour).components, 0u);
}

TEST(Obj, CornersNameTheirTextureCoordinateAndNormal) {
  const Mesh mesh =
      read("v 1 0 0 2\nv 2 0 0\nv 3 0 0\nvt 0.25\nvt 0.5 0.75\nvn 1 0 0\nvn 0 1 0\nf 1/2/1 2/1/2 3/2/2\n");
  EXPECT_EQ(mesh.of(MeshData::texcoord).components, 2u);
  EXPECT_EQ(mesh.of(MeshData::texcoord).values[0], (RunVec4{float_bits(0.5f), float_bits(0.75f), 0, float_bits(1)}));
  EXPECT_EQ(mesh.of(MeshData::texcoord).values[1][0], float_bits(0.25f));
  EXPECT_EQ(mesh.of(MeshData::normal).values[1][1], float_bits(1));
  EXPECT_EQ(mesh.of(MeshData::position).components, 4u);
  EXPECT_EQ(mesh.of(MeshData::position).values[0][3], float_bits(2));
}

TEST(Obj, VerticesWithoutFacesAreTakenAsTheyStand) {
  const Mesh mesh = read("v 1 2 3\r\nv 4 5 6 0.5 0.25 1\r\n");
  EXPECT_EQ(mesh.vertices(), 2u);
  EXPECT_TRUE(mesh.triangles.empty());
  EXPECT_EQ(mesh.of(MeshData::colour).components, 3u);
  EXPECT_EQ(mesh.of(MeshData::colour).values[0], (RunVec4{float_bits(1), float_bits(1), float_bits(1), float_bits(1)}));
  EXPECT_EQ(mesh.of(MeshData::colour).values[1],
            (RunVec4{float_bits(0.5f), float_bits(0.25f), float_bits(1), float_bits(1)}));
}

TEST(Obj, ErrorsNameTheirPlace) {
  const Diagnostics wrong =
      refused("v 1 2\nv 1 2 x\nvn 1 2 3 4\nv 1 2 3\nf 1 2 9\nf 1/1 1 1\nf a 1 1\nf 1 1\nf 0 1 1\nv 1 2 3 4 5\n");
  ASSERT_EQ(wrong.size(), 9u);
  const std::array<std::string, 9> codes{"OB002", "OB001", "OB002", "OB003", "OB003",
                                         "OB004", "OB002", "OB003", "OB002"};
  for (std::size_t i = 0; i < wrong.size(); ++i) EXPECT_EQ(wrong[i].code, codes[i]) << i << ' ' << wrong[i].message;
  EXPECT_EQ(wrong[1].where.line, 2u);
  EXPECT_EQ(wrong[1].where.column, 7u);
  EXPECT_THAT(wrong[3].hint, HasSubstr("there are 3 so far"));
  EXPECT_EQ(wrong[8].where.line, 10u);
  EXPECT_EQ(wrong[8].where.column, 1u);
}

TEST(Obj, HostileTextsAreRefused) {
  EXPECT_EQ(refused("")[0].code, "OB006");
  EXPECT_EQ(refused("nothing here\n")[0].code, "OB006");
  EXPECT_EQ(refused("v 0 0 0\nf 1//\n")[0].code, "OB004");
  EXPECT_EQ(refused("v 0 0 0\nf 1/\n")[0].code, "OB004");
  EXPECT_EQ(refused("v 0 0 0\nf 99999999999999999999 1 1\n")[0].code, "OB004");
  EXPECT_EQ(refused("v 0 0 0\nf -2 1 1\n")[0].code, "OB003");
  std::string many = "v 0 0 0\n";
  for (int i = 0; i < 1000; ++i) many += "f 7 7 7\n";
  EXPECT_EQ(refused(many).size(), 20u);
}

}  // namespace
}  // namespace mobula::io
