// Wavefront OBJ: meshes as text. Read are v, vt, vn and f; what else the format has (groups, materials, curves) does
// not change vertices and is left out.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mobula/isa/machine.h"
#include "mobula/isa/result.h"
#include "mobula/lab/run.h"

namespace mobula::io {

/// What a mesh gives each vertex, by the names inputs use.
enum class MeshData : std::uint8_t { position, normal, texcoord, colour };
inline constexpr std::size_t mesh_data_count = 4;
std::string_view name(MeshData data);

/// Vertices as a program is fed with them: one for each different corner of the faces, in the order of first use; all
/// of the file's if it has no faces.
struct Mesh {
  struct Values {
    std::uint32_t components = 0;  ///< 0 = the mesh has none of these data
    std::vector<RunVec4> values;   ///< one for each vertex; a corner without has 0, 0, 0, 1
  };
  std::array<Values, mesh_data_count> data;             ///< by MeshData
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< of vertices; faces with more corners are cut into fans
  [[nodiscard]] std::size_t vertices() const { return data[0].values.size(); }
  [[nodiscard]] const Values& of(MeshData which) const { return data[static_cast<std::size_t>(which)]; }
};

/// OB001 not a number; OB002 wrong number of values; OB003 no such vertex; OB004 not a corner of a face; OB005 too
/// large; OB006 no vertices. All errors, up to 20.
Result<Mesh> read_obj(const SourceText& source);

}  // namespace mobula::io
