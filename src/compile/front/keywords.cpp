#include "compile/front/keywords.h"

#include <algorithm>
#include <array>

namespace mobula::compile {
namespace {

template <std::size_t Count>
bool is_one_of(const std::array<std::string_view, Count>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 4> samplers_of_es_320{"samplerCubeArray", "samplerCubeArrayShadow",
                                                             "isamplerCubeArray", "usamplerCubeArray"};
constexpr std::array<std::string_view, 15> of_desktop{
    "dmat2",   "dmat3",   "dmat4",   "dmat2x2", "dmat2x3",     "dmat2x4",      "dmat3x2",     "dmat3x3",
    "dmat3x4", "dmat4x2", "dmat4x3", "dmat4x4", "image2DRect", "iimage2DRect", "uimage2DRect"};
/// They came with GLSL 1.30 and GLSL ES 3.00.
constexpr std::array<std::string_view, 5> of_130{"case", "common", "partition", "active", "filter"};

constexpr std::array<std::string_view, 6> of_vulkan{"devicecoherent",   "queuefamilycoherent", "workgroupcoherent",
                                                    "subgroupcoherent", "shadercallcoherent",  "nonprivate"};

}  // namespace

bool is_only_a_name(std::string_view word, int version, bool is_es) {
  if (version < 130 && is_one_of(of_130, word)) return true;
  return is_es && version <= 300 && (is_one_of(samplers_of_es_320, word) || is_one_of(of_desktop, word));
}

bool is_qualifier_of_vulkan(std::string_view word) { return is_one_of(of_vulkan, word); }

bool is_reserved(std::string_view word, int version, bool is_es) {
  constexpr std::array<std::string_view, 4> images{"image1DShadow", "image2DShadow", "image1DArrayShadow",
                                                   "image2DArrayShadow"};
  return is_es && version == 300 && is_one_of(images, word);
}

bool is_of_fixed_functions(std::string_view name) {
  constexpr std::array<std::string_view, 3> whole{"gl_Vertex", "gl_Point", "gl_PointParameters"};
  // No other name of GLSL 1.40 begins so.
  constexpr std::array<std::string_view, 20> begins{
      "gl_Color",     "gl_SecondaryColor",      "gl_Normal",        "gl_MultiTexCoord", "gl_Fog",
      "gl_ClipPlane", "gl_ClipVertex",          "gl_FrontColor",    "gl_FrontLight",    "gl_FrontMaterial",
      "gl_Back",      "gl_FrontSecondaryColor", "gl_TexCoord",      "gl_Texture",       "gl_ModelView",
      "gl_Light",     "gl_MaterialParameters",  "gl_ProjectionMat", "gl_EyePlane",      "gl_ObjectPlane"};
  return is_one_of(whole, name) ||
         std::ranges::any_of(begins, [&](std::string_view each) { return name.starts_with(each); });
}

}  // namespace mobula::compile
