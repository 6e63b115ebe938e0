#include "compile/front/keywords.h"

#include <algorithm>
#include <array>

#include "compile/front/tokens.h"
#include "core/source.h"

namespace mobula::compile {
namespace {

template <std::size_t Count>
bool is_one_of(const std::array<std::string_view, Count>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Keywords of GLSL 4.00 and GLSL ES 3.20; GLSL ES 3.10 reserves them.
constexpr std::array<std::string_view, 4> of_400{"samplerCubeArray", "samplerCubeArrayShadow", "isamplerCubeArray",
                                                 "usamplerCubeArray"};
/// Keywords of GLSL 4.20, which reserves its other images from 1.30 on; GLSL ES 3.10 reserves them.
constexpr std::array<std::string_view, 3> of_420{"image2DRect", "iimage2DRect", "uimage2DRect"};
/// GLSL ES 3.10 reserves them.
constexpr std::array<std::string_view, 12> of_doubles{"dmat2",   "dmat3",   "dmat4",   "dmat2x2", "dmat2x3", "dmat2x4",
                                                      "dmat3x2", "dmat3x3", "dmat3x4", "dmat4x2", "dmat4x3", "dmat4x4"};
/// They came with GLSL 1.30 and GLSL ES 3.00.
constexpr std::array<std::string_view, 5> of_130{"case", "common", "partition", "active", "filter"};

/// What desktop GLSL reserves from one version on, until another has it for a keyword or for a name.
struct Reserved {
  std::string_view word;
  int from, until;
};
constexpr std::array<Reserved, 10> of_desktop{{{"lowp", 120, 130},
                                               {"mediump", 120, 130},
                                               {"highp", 120, 130},
                                               {"precision", 120, 130},
                                               {"samplerBuffer", 130, 140},
                                               {"row_major", 130, 140},
                                               {"image1DShadow", 130, 420},
                                               {"image2DShadow", 130, 420},
                                               {"image1DArrayShadow", 130, 420},
                                               {"image2DArrayShadow", 130, 420}}};

/// Keywords that no version has.
struct OfExtension {
  std::string_view word;
  const char* extension;
};
constexpr const char* memory_scopes = "GL_KHR_memory_scope_semantics";
constexpr std::array<OfExtension, 8> of_extensions{{{"devicecoherent", memory_scopes},
                                                    {"queuefamilycoherent", memory_scopes},
                                                    {"workgroupcoherent", memory_scopes},
                                                    {"subgroupcoherent", memory_scopes},
                                                    {"shadercallcoherent", memory_scopes},
                                                    {"nonprivate", memory_scopes},
                                                    {"pervertexNV", "GL_NV_fragment_shader_barycentric"},
                                                    {"pervertexEXT", "GL_EXT_fragment_shader_barycentric"}}};
const OfExtension* find_of_extension(std::string_view word) {
  const auto found = std::ranges::find(of_extensions, word, &OfExtension::word);
  return found == of_extensions.end() ? nullptr : &*found;
}

/// Constants whose names begin and end in the same way.
struct Constants {
  std::string_view begin, end;
  int desktop, es;
  std::array<const char*, 3> extensions;
};
constexpr const char *images = "GL_ARB_shader_image_load_store", *geometry_ext = "GL_EXT_geometry_shader",
                     *geometry_oes = "GL_OES_geometry_shader";
constexpr std::array<const char*, 3> tessellation{"GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader",
                                                  "GL_OES_tessellation_shader"};
/// Of several that a name fits the first.
constexpr std::array<Constants, 12> constants{
    {{"gl_MaxCompute", "", 430, 310, {"GL_ARB_compute_shader"}},
     {"gl_MaxGeometry", "ImageUniforms", 420, 320, {images, geometry_ext, geometry_oes}},
     {"gl_MaxGeometry", "", 150, 320, {geometry_ext, geometry_oes}},
     {"gl_MaxTess", "ImageUniforms", 420, 320, {images}},
     {"gl_MaxTess", "", 400, 320, tessellation},
     {"gl_MaxPatchVertices", "", 400, 320, tessellation},
     {"gl_Max", "ImageUniforms", 420, 310, {images}},
     {"gl_MaxImage", "", 420, 310, {images}},
     {"gl_MaxCombinedImageUnits", "", 420, 310, {images}},
     {"gl_MaxViewports", "", 410, 320, {"GL_ARB_viewport_array"}},
     {"gl_M", "ProgramTexelOffset", 420, 300, {"GL_ARB_shading_language_420pack"}},
     {"gl_MaxSamples", "", 450, 320, {"GL_OES_sample_variables"}}}};

}  // namespace

bool is_only_a_name(std::string_view word, int version, bool is_es) {
  if (find_of_extension(word) != nullptr) return true;
  if (version < 130 && is_one_of(of_130, word)) return true;
  if (is_one_of(of_400, word)) return version < (is_es ? 310 : 400);
  if (is_one_of(of_420, word)) return version < (is_es ? 310 : 420);
  return is_es && version < 310 && is_one_of(of_doubles, word);
}

const char* extension_with(std::string_view word) {
  if (const OfExtension* const found = find_of_extension(word)) return found->extension;
  if (is_one_of(of_400, word)) return "GL_ARB_texture_cube_map_array";
  if (is_one_of(of_420, word)) return "GL_ARB_shader_image_load_store";
  return nullptr;
}

bool is_reserved(std::string_view word, int version, bool is_es) {
  constexpr std::array<std::string_view, 4> images{"image1DShadow", "image2DShadow", "image1DArrayShadow",
                                                   "image2DArrayShadow"};
  if (!is_es)
    return std::ranges::any_of(of_desktop, [&](const Reserved& each) {
      return each.word == word && version >= each.from && version < each.until;
    });
  return (version == 300 && is_one_of(images, word)) || (version >= 300 && word == "sampler1DArray");
}

bool is_of_fixed_functions(std::string_view name, int version) {
  constexpr std::array<std::string_view, 6> whole{"gl_Vertex",    "gl_Point",         "gl_PointParameters",
                                                  "gl_MaxLights", "gl_MaxClipPlanes", "gl_MaxTextureCoords"};
  // No other name of GLSL begins so.
  constexpr std::array<std::string_view, 20> begins{
      "gl_Color",     "gl_SecondaryColor",      "gl_Normal",        "gl_MultiTexCoord", "gl_Fog",
      "gl_ClipPlane", "gl_ClipVertex",          "gl_FrontColor",    "gl_FrontLight",    "gl_FrontMaterial",
      "gl_Back",      "gl_FrontSecondaryColor", "gl_TexCoord",      "gl_Texture",       "gl_ModelView",
      "gl_Light",     "gl_MaterialParameters",  "gl_ProjectionMat", "gl_EyePlane",      "gl_ObjectPlane"};
  return is_one_of(whole, name) || (version >= 150 && name == "gl_MaxTextureUnits") ||
         std::ranges::any_of(begins, [&](std::string_view each) { return name.starts_with(each); });
}

std::string near_keyword(std::string_view word) {
  Tokens keywords(
      "void bool int uint float double vec2 vec3 vec4 bvec2 bvec3 bvec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4 mat2 mat3 "
      "mat4 mat2x3 mat2x4 mat3x2 mat3x4 mat4x2 mat4x3 sampler2D sampler3D samplerCube sampler2DArray sampler2DShadow "
      "isampler2D usampler2D image2D iimage2D uimage2D image3D imageCube atomic_uint attribute varying uniform const "
      "in out inout flat smooth centroid layout precision highp mediump lowp struct invariant buffer shared coherent "
      "volatile restrict readonly writeonly");
  Nearest nearest(word);
  for (std::string_view each = keywords.next(); !each.empty(); each = keywords.next()) {
    if (each == word) return "it is a keyword of other versions of GLSL";
    nearest.offer(each);
  }
  return nearest.hint();
}

std::string hint_for_name(std::string_view name) {
  struct Names {
    std::string_view names, hint;
  };
  constexpr std::array<Names, 11> known{
      {{"gl_FragColor gl_FragData", "this version has outputs that a shader declares: out vec4 colour;"},
       {"attribute", "this version has 'in' in its place"},
       {"varying", "this version has 'out' in vertex shaders and 'in' in fragment shaders in its place"},
       {"texture1D texture2D texture3D textureCube shadow1D shadow2D texture2DRect shadow2DRect",
        "this version has 'texture' in its place, for every sampler"},
       {"texture1DProj texture2DProj texture3DProj shadow1DProj shadow2DProj texture2DRectProj shadow2DRectProj",
        "this version has 'textureProj' in its place, for every sampler"},
       {"texture1DLod texture2DLod texture3DLod textureCubeLod shadow1DLod shadow2DLod",
        "this version has 'textureLod' in its place, for every sampler"},
       {"gl_FragCoord gl_FrontFacing gl_PointCoord gl_FragDepth", "fragment shaders have it"},
       {"dFdx dFdy fwidth",
        "fragment shaders have it, of GLSL ES 1.00 with #extension GL_OES_standard_derivatives : enable"},
       {"gl_Position gl_PointSize", "vertex shaders have it"},
       {"gl_VertexID gl_InstanceID", "vertex shaders have it, from GLSL ES 3.00 and GLSL 1.30 and 1.40 on"},
       {"gl_WorkGroupID gl_WorkGroupSize gl_NumWorkGroups gl_LocalInvocationID gl_GlobalInvocationID "
        "gl_LocalInvocationIndex barrier memoryBarrierShared groupMemoryBarrier",
        "compute shaders have it, from GLSL ES 3.10 and GLSL 4.30 on"}}};
  for (const Names& each : known) {
    Tokens names(each.names);
    for (std::string_view token = names.next(); !token.empty(); token = names.next())
      if (token == name) return std::string(each.hint);
  }
  return {};
}

std::optional<Since> constant_since(std::string_view name, bool is_es) {
  const auto found = std::ranges::find_if(
      constants, [&](const Constants& each) { return name.starts_with(each.begin) && name.ends_with(each.end); });
  if (found == constants.end()) return {};
  return Since{is_es ? found->es : found->desktop, found->extensions};
}

}  // namespace mobula::compile
