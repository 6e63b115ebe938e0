// Shaders of every kind for every product: compiled by the rules of the product and executed beside their source, or
// refused for a limit that it is published to have.
#include <gtest/gtest.h>

#include "compile/attempt.h"
#include "machines/midgard/spec/spec.h"

namespace mobula::test {
namespace {

using midgard::Product;

struct Shader {
  const char* name;
  Stage stage;
  const char* text;
  /// Part of the reason for which products may refuse it, and which do.
  const char* refusal = "";
  bool (*refuses)(const Product&) = [](const Product&) { return false; };
};

bool every_product(const Product&) { return true; }
bool lacks_targets(const Product& product) { return !product.multiple_targets; }
bool lacks_addresses(const Product& product) { return !product.lea_image; }

#define ES32 "#version 320 es\nprecision highp float; precision highp int;\n"
#define ES3 "#version 310 es\nprecision highp float; precision highp int;\n"

const Shader shaders[] = {
    {"arithmetic", Stage::fragment, ES3 R"(
      in vec4 a, b; uniform vec4 u; uniform float s; out vec4 o;
      void main() {
        vec4 t = mix(a, b, clamp(u, 0.0, 1.0)) + pow(abs(a) + 0.1, vec4(1.5)) * s;
        t += fract(a) - floor(b) + ceil(u) - sign(a) + mod(b, 1.75) + step(a, b) + smoothstep(a, a + 1.0, b);
        o = normalize(t) * length(a.xyz) + vec4(cross(a.xyz, b.xyz), dot(a, b)) + reflect(a, b) * 0.125;
      })"},
    {"transcendental", Stage::fragment, ES3 R"(
      in vec4 a; out vec4 o;
      void main() {
        o = vec4(sin(a.x), cos(a.y), tan(a.z * 0.25), atan(a.w, a.x)) + exp2(a) + log2(abs(a) + 1.0);
        o += vec4(asin(clamp(a.x, -1.0, 1.0)), acos(clamp(a.y, -1.0, 1.0)), inversesqrt(abs(a.z) + 0.5), sqrt(abs(a.w)));
        o += vec4(sinh(a.x * 0.5), cosh(a.y * 0.5), tanh(a.z), exp(a.w * 0.25));
      })"},
    {"textures", Stage::fragment, ES3 R"(
      precision highp sampler2DArray; precision highp sampler3D;
      uniform sampler2D t; uniform sampler3D v; uniform samplerCube c; uniform sampler2DArray l;
      in vec4 a; out vec4 o;
      void main() {
        o = texture(t, a.xy) + texture(v, a.xyz) + texture(c, a.xyz) + texture(l, vec3(a.xy, 1.0));
        o += textureProj(t, a.xyw) + textureLod(t, a.zw, 1.0);
      })"},
    {"offsets", Stage::fragment, ES3 R"(
      uniform sampler2D t; in vec2 a; uniform ivec2 p; out vec4 o;
      void main() {
        o = textureOffset(t, a, ivec2(1, -2)) + texelFetch(t, p & 3, 0) + texelFetchOffset(t, p & 1, 0, ivec2(1, 2));
        o += textureLodOffset(t, a, 0.0, ivec2(-3, 2)) + vec4(textureSize(t, 0), 0, 1);
      })"},
    {"gather", Stage::fragment, ES3 R"(
      uniform sampler2D t; in vec2 a; out vec4 o;
      void main() { o = textureGather(t, a) + textureGather(t, a, 2) * 0.5; })"},
    {"gather by four offsets", Stage::fragment, ES32 R"(
      uniform sampler2D t; in vec2 a; out vec4 o;
      const ivec2 where[4] = ivec2[4](ivec2(0, 1), ivec2(-8, 7), ivec2(3, -2), ivec2(2, 2));
      void main() { o = textureGatherOffsets(t, a, where, 1); })"},
    {"matrices by rows", Stage::vertex, ES3 R"(
      layout(std140, row_major) uniform B { mat3x4 m[2]; mat2 n; layout(column_major) mat2x3 c; }; uniform ivec3 i;
      in vec4 a; out vec4 o;
      void main() {
        gl_Position = vec4(m[i.x & 1][i.y & 1][i.z & 3]) + m[1] * a.xyz; o = vec4(n * a.xy, n[i.x & 1]) + vec4(c[1], 1);
      })"},
    {"shadow", Stage::fragment, ES3 R"(
      precision highp sampler2DShadow; uniform sampler2DShadow t; in vec3 a; out vec4 o;
      void main() { o = vec4(texture(t, a)); })"},
    {"arrays of textures", Stage::fragment, ES3 R"(
      uniform sampler2D t[3]; uniform sampler2D u; in vec4 a; out vec4 o;
      void main() { o = texture(t[2], a.xy) - texture(u, a.xy) * 0.5 + texture(t[0], a.zw) * texture(t[1], a.xy); })"},
    {"integer textures", Stage::fragment, ES3 R"(
      precision highp isampler2D; precision highp usampler2D;
      uniform isampler2D t; uniform usampler2D w; uniform ivec2 p; out vec4 o;
      void main() { o = vec4(texelFetch(t, p & 3, 0)) + vec4(texelFetch(w, p & 3, 0)); })"},
    {"textures of a vertex", Stage::vertex, ES3 R"(
      uniform sampler2D t; in vec4 a; out vec4 c;
      void main() { gl_Position = a; c = textureLod(t, a.xy, 0.0) + texelFetch(t, ivec2(1, 2), 0); })"},
    {"texture in a branch", Stage::fragment, ES3 R"(
      uniform sampler2D t; in vec4 a; out vec4 o;
      void main() { o = a; if (a.x > 0.5) o += textureLod(t, a.xy, 0.0); else o -= textureLod(t, a.zw, 1.0); })"},
    {"loops", Stage::fragment, ES3 R"(
      in vec4 a; uniform int n; out vec4 o;
      void main() {
        vec4 s = vec4(0.0), f = a;
        for (int i = 0; i < (n & 31); ++i) {
          if (i == 7) continue;
          for (int k = 0; k < (n & 3); ++k) { vec4 t = f; f = s; s = t + 0.25; }
          if (s.x > 20.0) break;
          s += f * float(i);
        }
        int j = n & 7;
        while (j > 0) { s.y += a.z; j -= 2; }
        do { s.z += 1.0; ++j; } while (j < 4);
        o = s + f;
      })"},
    {"arrays", Stage::fragment, ES3 R"(
      in vec4 a; uniform vec4 u[5]; uniform int n; uniform struct { float x; vec3 y; mat2 m; } s[3]; out vec4 o;
      void main() {
        float local[9]; vec3 wide[4];
        for (int i = 0; i < 9; ++i) local[(i * n) & 7] = a.x + float(i);
        for (int i = 0; i < 4; ++i) wide[(i + n) & 3] = a.xyz * float(i);
        int k = n & 1;
        o = u[n & 3] * local[n & 7] + vec4(wide[(n >> 1) & 3], s[k].x) + vec4(s[k + 1].y, s[1].m[1].x);
      })"},
    {"discard", Stage::fragment, ES3 R"(
      in vec4 a; uniform float u; out vec4 o;
      void main() { if (a.x > u + 2.0) discard; o = a; if (a.y < 0.0) { o += u; if (a.z < u - 2.0) discard; } })"},
    {"differences", Stage::fragment, ES3 R"(
      in vec4 a; out vec4 o;
      void main() { o = dFdx(a) + dFdy(a * a) + vec4(fwidth(a.x), dFdx(a.yz), 0.0); })"},
    {"several targets", Stage::fragment, ES3 R"(
      in vec4 a; layout(location = 0) out vec4 p; layout(location = 1) out vec3 q; layout(location = 2) out ivec2 r;
      void main() { p = a; q = a.zyx * 2.0; r = ivec2(a.xy * 8.0); })",
     "writes one render target", lacks_targets},
    {"a texture for each target", Stage::fragment, ES3 R"(
      uniform sampler2D t, s; in vec2 a, b;
      layout(location=0) out vec4 p; layout(location=1) out vec4 q; layout(location=2) out vec4 r; layout(location=3) out vec4 o;
      void main() { p = texture(t, a); q = texture(t, b); r = texture(s, a); o = texture(s, b); })",
     "render target", lacks_targets},
    {"depth", Stage::fragment, ES3 R"(
      in vec4 a; out vec4 o; void main() { o = a * 2.0; gl_FragDepth = a.x * 0.5; })"},
    {"depth in a branch", Stage::fragment, ES3 R"(
      in vec4 a; out vec4 o;
      void main() { o = a; gl_FragDepth = 0.25; if (a.x > 0.5) { gl_FragDepth = a.y; o.x = 1.0; } })"},
    {"what fragments know", Stage::fragment, ES3 R"(
      in vec4 a; flat in ivec4 f; out vec4 o;
      void main() { o = gl_FragCoord * 0.01 + (gl_FrontFacing ? a : vec4(f)); })"},
    {"samples of fragments", Stage::fragment, ES32 R"(
      in vec4 a; out vec4 o;
      void main() { o = gl_HelperInvocation ? vec4(2.0) : a * float(gl_SampleID + 3) + float(gl_SampleMaskIn[0]); })"},
    {"masks of samples, by a variable", Stage::fragment, ES32 R"(
      uniform int n; out ivec4 o;
      void main() {
        o = ivec4(gl_SampleMaskIn.length(), gl_SampleMask.length(), 0, 0);
        for (int i = 0; i < gl_SampleMaskIn.length(); ++i) {
          o.z += bitCount(gl_SampleMaskIn[i]);
          gl_SampleMask[i] = n == 3 ? 0 : gl_SampleMaskIn[i] | 1;
        }
      })"},
    {"what only desktops count", Stage::fragment,
     "#version 450\n"
     "out vec4 o; void main() { o = vec4(gl_PrimitiveID); }",
     "gl_PrimitiveID is not supported", every_product},
    {"clip distances", Stage::vertex,
     "#version 450\n"
     "in vec4 p; void main() { gl_Position = p; gl_ClipDistance[0] = p.x; }",
     "gl_ClipDistance[0] is not supported", every_product},
    {"integers", Stage::fragment, ES3 R"(
      flat in ivec4 a; uniform ivec4 b; uniform uvec4 c; out vec4 o;
      void main() {
        ivec4 t = a * b + (a << 3) - (b >> 2) ^ ~a & b | ivec4(c >> 5u);
        t += a / 7 + b % 13 + abs(a) + min(a, b) - max(a, 5) + clamp(b, -3, 9) + a / ((b & 15) + 1);
        uvec4 u = c / 3u + c % ((c >> 28u) + 1u) + uvec4(a) * c;
        int high, low; imulExtended(a.x, b.x, high, low);
        uint more = bitfieldExtract(c.x, 3, 7) + bitfieldReverse(c.y) + bitfieldInsert(c.z, c.w, 2, 5);
        t.x += high ^ low; t.y += bitCount(a.y) + findLSB(a.z) + findMSB(b.w);
        o = vec4(t & 0xFFFF) + vec4(u >> 17u) + vec4(more >> 16u);
      })"},
    {"booleans", Stage::fragment, ES3 R"(
      in vec4 a, b; uniform bvec4 m; uniform bool n; out vec4 o;
      void main() {
        bvec4 t = lessThan(a, b);
        bvec4 s = not(t);
        bool c = any(t) && (a.x > b.y || n) ^^ all(notEqual(t, m));
        o = mix(a, b, t) + vec4(s) + (c ? a.wzyx : b) + vec4(equal(a, b)) + (n ? 1.0 : 0.0);
      })"},
    {"matrices", Stage::vertex, ES3 R"(
      uniform mat4 m; uniform mat3 n; uniform mat2x3 r; in vec4 p; in vec3 a; in mat2 w; out vec3 x; out vec2 y;
      out mat3 z;
      void main() {
        gl_Position = m * p;
        x = n * a + r * a.xy + transpose(n)[1] * determinant(m) + inverse(w)[0].xyx;
        y = a * r + (w * w) * a.yz;
        z = n * n + outerProduct(a, a) + matrixCompMult(n, n);
      })"},
    {"a vertex with points", Stage::vertex, ES3 R"(
      in vec4 p; in mat3x4 v; uniform int n; out vec4 c[3]; out float f; flat out ivec2 i;
      void main() {
        gl_Position = p; gl_PointSize = abs(v[1].x) + 1.0;
        for (int k = 0; k < 3; ++k) c[k] = v[2 - k] * float(k + 1);
        c[n & 1].y += 1.0; f = v[n & 1].x; i = ivec2(gl_VertexID, gl_InstanceID * 2);
      })"},
    {"a position that is read again", Stage::vertex, ES3 R"(
      in vec4 p; uniform int n; out vec4 o;
      void main() {
        gl_Position = p;
        for (int i = 0; i < (n & 3); ++i) { gl_Position.y += 1.0; if (gl_Position.x > 3.0) break; }
        o = gl_Position.wzyx;
      })"},
    {"halves", Stage::fragment,
     "#version 310 es\nprecision mediump float;\n"
     R"(
      in vec4 a; uniform vec4 u; uniform sampler2D t; out vec4 o;
      void main() { o = clamp(a * u + texture(t, a.xy), 0.0, 1.0) + fract(a) * 0.5; })"},
    {"packing", Stage::fragment, ES3 R"(
      in vec4 a; flat in uvec4 b; out vec4 o;
      void main() {
        o.xy = unpackHalf2x16(packHalf2x16(a.xy)); o.zw = unpackSnorm2x16(b.x);
        o += unpackUnorm4x8(packUnorm4x8(a)) + vec4(uintBitsToFloat(floatBitsToUint(a.x)), unpackUnorm2x16(b.y), 1.0);
      })"},
    {"blocks", Stage::fragment, ES3 R"(
      struct Light { vec3 colour; float power; };
      layout(std140) uniform Lights { mat4 view; Light lights[4]; int count; };
      layout(std140) uniform Other { vec2 pair[3]; } other;
      in vec4 a; out vec4 o;
      void main() {
        o = view * a;
        for (int i = 0; i < (count & 3); ++i) o.xyz += lights[i].colour * lights[i].power;
        o.xy += other.pair[count & 1] + other.pair[2];
      })"},
    {"shared memory", Stage::compute, ES3 R"(
      layout(local_size_x = 16) in;
      layout(std430) buffer A { float a[]; };
      layout(std430) buffer B { float b[]; };
      shared float s[16]; shared vec4 v[16];
      void main() {
        uint i = gl_LocalInvocationIndex;
        s[i] = a[gl_GlobalInvocationID.x]; v[i] = vec4(s[i], float(i), 0.0, 1.0);
        barrier();
        b[gl_GlobalInvocationID.x] = s[15u - i] + v[(i + 3u) & 15u].y + float(gl_WorkGroupID.x + gl_NumWorkGroups.x);
      })"},
    {"atomics", Stage::compute, ES3 R"(
      layout(local_size_x = 8) in;
      layout(std430) buffer A { uint sum, least, most; int all, any, odd; uint last; uint given[]; } a;
      shared uint s, t, k; shared int m;
      void main() {
        if (gl_LocalInvocationIndex == 0u) { s = 0u; t = 7u; k = 0u; m = 0; }
        barrier();
        uint v = a.given[gl_GlobalInvocationID.x & 31u] & 1023u;
        atomicAdd(s, v); atomicMax(t, v); atomicMin(m, int(v) - 512); atomicCompSwap(k, 0u, 9u);
        barrier();
        atomicAdd(a.sum, v); atomicMin(a.least, v); atomicMax(a.most, v);
        atomicAnd(a.all, int(v)); atomicOr(a.any, int(v)); atomicXor(a.odd, int(v));
        if (gl_LocalInvocationIndex == 0u) { atomicAdd(a.last, s + t + k); a.given[40u + gl_WorkGroupID.x] = uint(m); }
      })"},
    {"compare and exchange", Stage::compute, ES3 R"(
      layout(local_size_x = 1) in;
      layout(std430) buffer A { uint lock, old, before; int number; };
      void main() {
        old = atomicCompSwap(lock, before, 5u) + atomicExchange(before, 3u);
        number = atomicCompSwap(number, -2, number * 2);
      })"},
    {"buffers of structures", Stage::compute, ES3 R"(
      layout(local_size_x = 4) in;
      struct Particle { vec3 place; float mass; ivec2 cell; mat2 spin; };
      layout(std430) buffer P { int count; Particle all[]; } p;
      layout(std140) buffer Q { vec3 sums[8]; } q;
      uniform float step_size;
      void main() {
        uint i = gl_GlobalInvocationID.x;
        if (int(i) < p.all.length() - 1) {
          p.all[i].place += vec3(p.all[i].spin * p.all[i].place.xy, p.all[i].mass) * step_size;
          p.all[i].cell = ivec2(p.all[i].place.xy * 4.0);
        }
        q.sums[i].xz = p.all[i].place.yx;
      })"},
    {"gradients", Stage::fragment, ES3 R"(
      precision highp sampler3D; uniform sampler2D t[2]; uniform sampler3D v; in vec4 a; out vec4 o;
      void main() { o = textureGrad(t[1], a.xy, a.zw * 0.1, a.wz * 0.1) + textureGrad(v, a.xyz, a.yzw, a.xyx); })"},
    {"gradients of a cube", Stage::fragment, ES3 R"(
      uniform samplerCube t; in vec4 a; out vec4 o; void main() { o = textureGrad(t, a.xyz, a.yzw, a.wzy * 0.3); })"},
    {"arrays of cubes", Stage::fragment, ES32 R"(
      uniform highp samplerCubeArray t; uniform int n; in vec4 a; out vec4 o;
      void main() {
        o = texture(t, a) + textureLod(t, a.zyxw, 0.0) + textureGather(t, a.yxzw, 1) + vec4(textureSize(t, n & 1), 1);
      })"},
    {"arrays of cubes that compare", Stage::fragment, ES32 R"(
      uniform highp samplerCubeArrayShadow t; uniform highp samplerCubeShadow c; in vec4 a; out vec4 o;
      void main() { o = textureGather(t, a, a.x) + vec4(texture(t, a.wzyx, 0.5), texture(t, a, a.y), texture(c, a), 1); })"},
    {"a mask of samples", Stage::fragment, ES32 R"(
      in vec4 a; flat in ivec2 b; out vec4 o;
      void main() {
        o = a;
        if (b.x > 2) return;
        gl_SampleMask[0] = b.y & (gl_SampleMaskIn[0] << gl_SampleID);
        if (a.y > 0.0) o = a.wzyx;
      })"},
    {"varyings elsewhere", Stage::fragment, ES32 R"(
      in vec4 a; in vec2 b[3]; uniform vec2 by; uniform int n; out vec4 o;
      void main() {
        o = interpolateAtCentroid(a) + interpolateAtSample(a, n).wzyx + interpolateAtOffset(b[1], by).xyxy;
      })"},
    {"sizes of levels", Stage::fragment, ES32 R"(
      precision highp sampler2DArray;
      uniform sampler2D t[3]; uniform sampler2DArray l; uniform samplerCube c; uniform int n; in vec4 a; out vec4 o;
      void main() {
        o = vec4(textureSize(t[1], n & 7), textureSize(c, 1)) + vec4(textureSize(l, n & 3), textureSize(t[n & 1], 2).y);
        o += textureGrad(t[n & 1], a.xy, a.zw * 0.1, a.wz * 0.1);
      })"},
    {"textures of several samples", Stage::fragment, ES32 R"(
      uniform highp sampler2DMS t; uniform highp usampler2DMSArray l; uniform highp samplerBuffer b; uniform ivec4 p;
      out vec4 o;
      void main() {
        o = texelFetch(t, p.xy & 3, p.z & 3) + vec4(texelFetch(l, p.xyz & 3, 2)) + texelFetch(b, p.w & 7);
        o.x += float(textureSize(t).y + textureSize(l).z);
      })"},
    {"textures in structures", Stage::fragment, ES3 R"(
      precision highp isampler2D;
      struct Paint { float power; sampler2D shades[2]; isampler2D marks; };
      uniform Paint one; uniform struct { Paint paints[2]; vec2 p; } wall; uniform int n; in vec4 a; out vec4 o;
      vec4 shade(sampler2D t) { return texture(t, a.zw); }
      void main() {
        o = texture(one.shades[1], a.xy) * one.power + shade(wall.paints[1].shades[0]) * wall.paints[n & 1].power;
        o += vec4(texelFetch(wall.paints[0].marks, ivec2(1, 2), 0)) + texture(one.shades[0], wall.p);
      })"},
    {"rectangles", Stage::fragment,
     "#version 430\n"
     R"(
      uniform sampler2DRect r; uniform isampler2DRect i; uniform sampler2DRectShadow s; uniform sampler2DRect many[3];
      uniform int n; in vec4 a; out vec4 o;
      void main() {
        o = texture(r, a.xy) + textureOffset(r, a.zw, ivec2(1, -2)) + textureProj(r, a.xyz) + texture(many[n & 1], a.xy);
        o += texture(i, a.yx) + textureGrad(r, a.xy, a.zw, a.wz) + textureGather(r, a.xw, 1) + texture(s, a.xyz);
        o += texelFetch(r, ivec2(a.xy) & 3) + vec4(textureSize(r), textureSize(s)) + textureProj(s, a);
      })"},
    {"rectangles of vertices", Stage::vertex,
     "#version 430\n"
     R"(
      uniform sampler2DRect r; in vec4 a; out vec4 o;
      void main() { gl_Position = a; o = texture(r, a.xy) + texelFetch(r, ivec2(2, 3)) + textureSize(r).x; })"},
    {"images", Stage::compute, ES32 R"(
      layout(local_size_x = 8) in;
      layout(rgba8) readonly uniform highp image2D given; layout(rgba16f) writeonly uniform highp image2DArray taken;
      layout(r32i) uniform highp iimage3D both; layout(r32ui) writeonly uniform highp uimageCube faces;
      layout(rgba32f) writeonly uniform highp imageBuffer line; layout(r32f) writeonly uniform highp image2D some[3];
      layout(rgba8_snorm) writeonly uniform highp imageCubeArray cubes; uniform int n;
      layout(std430) buffer B { ivec4 sizes[]; };
      void main() {
        ivec3 p = ivec3(gl_GlobalInvocationID.x & 3u, gl_GlobalInvocationID.x >> 2u, gl_WorkGroupID.x);
        imageStore(taken, p, imageLoad(given, p.xy + n) * 2.0);
        imageStore(both, p, imageLoad(both, p.yxz) + 5);
        imageStore(faces, ivec3(p.xy, 4), uvec4(p, 1));
        imageStore(line, p.x + 4 * p.y, vec4(p, n));
        imageStore(some[n & 1], p.xy, vec4(0.25)); imageStore(some[2], p.yx, vec4(p.x));
        imageStore(cubes, ivec3(p.xy, 7), vec4(0.5, -0.25, -2.0, p.x));
        sizes[p.x] = ivec4(imageSize(taken), imageSize(line)) + ivec4(imageSize(cubes), imageSize(faces).y);
      })"},
    {"images of fragments", Stage::fragment, ES32 R"(
      layout(rgba8ui) readonly uniform highp uimage2D given; layout(r32f) writeonly uniform highp image2D taken;
      in vec4 a; out vec4 o;
      void main() {
        ivec2 p = ivec2(gl_FragCoord.xy) & 7;
        o = vec4(imageLoad(given, p)); if (a.x > 0.5) imageStore(taken, p, a);
      })"},
    {"images of vertices", Stage::vertex, ES32 R"(
      layout(r32i) readonly uniform highp iimage2D given; in vec4 a; out vec4 o;
      void main() { gl_Position = a; o = vec4(imageLoad(given, ivec2(gl_VertexID, 1) & 3)); })"},
    {"atomics of images", Stage::compute, ES32 R"(
      layout(local_size_x = 8) in;
      layout(r32ui) coherent uniform highp uimage2D u; layout(r32i) coherent uniform highp iimage2DArray i[2];
      layout(r32f) coherent uniform highp image2D f; uniform int n;
      void main() {
        uint k = gl_LocalInvocationIndex; ivec3 p = ivec3(k & 1u, 1, 2);
        imageAtomicAdd(u, p.xy, k); imageAtomicMax(i[1], p, int(k) - 3); imageAtomicXor(i[n & 1], p.yxz, 5);
        imageAtomicCompSwap(u, ivec2(3, 1), 7u, k); imageAtomicExchange(f, ivec2(int(k) & 7, 2), 0.5);
        if (n == 5) imageAtomicOr(u, ivec2(900, k), k);
      })",
     "an atomic operation on an image is not supported on Mali-T720", lacks_addresses},
    {"atomic counters", Stage::compute, ES32 R"(
      layout(local_size_x = 8) in;
      layout(binding = 1, offset = 4) uniform atomic_uint some[3]; layout(binding = 0) uniform atomic_uint one;
      layout(std430) buffer B { uint b[]; }; uniform int n;
      void main() {
        uint i = gl_GlobalInvocationID.x;
        atomicCounterIncrement(one); b[i] = atomicCounter(some[n & 1]);
        if (i == 3u) b[40] = atomicCounterDecrement(some[2]);
      })"},
    {"chosen blocks", Stage::compute,
     "#version 450\n"
     R"(
      layout(local_size_x = 4) in;
      layout(std140) uniform U { vec4 a; float b[3]; } u[3]; layout(std430) buffer S { uint n; uint list[]; } s[2];
      layout(std430) buffer R { vec4 r[]; }; uniform int n;
      void main() {
        r[gl_GlobalInvocationID.x] = u[n & 1].a * u[(n >> 1) & 1].b[n & 1] + float(s[n & 1].n) + u[2].a;
        if (gl_GlobalInvocationID.x == 0u) s[1].n = s[n & 1].list[2] + uint(s[n & 1].list.length());
      })"},
    {"blocks as drivers lay them out", Stage::compute, ES3 R"(
      layout(local_size_x = 1) in;
      layout(shared) uniform U { mat3 m; bvec3 b; layout(row_major) mat2x3 r[2]; };
      layout(packed) buffer S { bool flags[4]; mat3x2 m[]; } s; buffer T { bvec2 open[]; } t;
      void main() {
        s.flags[1] = b.y || s.flags[2]; s.m[1][2] = m[1].xy + r[1][0].yz; t.open[2] = bvec2(b.z, t.open[1].x);
      })"},
    {"the least integer by -1", Stage::fragment, ES3 R"(
      uniform int n; out vec4 o;
      void main() {
        int least = -2147483647 - 1; ivec2 several = ivec2(least, 9) / ivec2(-1, 2) + ivec2(least, 9) % ivec2(-1, 5);
        o = vec4(several, least / -1, least % -1) + float(n / -1);
      })"},
};

class Products : public testing::TestWithParam<Product> {};

TEST_P(Products, CompileEverythingOrSayTheirLimit) {
  const Product& product = GetParam();
  for (const Shader& shader : shaders) {
    SCOPED_TRACE(shader.name);
    const Attempt made =
        attempt(shader.text, shader.stage, {"midgard", std::string(product.name)}, {.runs = 12, .seed = 3});
    if (shader.refuses(product)) {
      EXPECT_EQ(made.end, Attempt::End::back_end) << name(made.end) << ": " << made.why;
      EXPECT_EQ(made.code, "CO030");
      EXPECT_NE(made.why.find(shader.refusal), std::string::npos) << made.why;
      continue;
    }
    EXPECT_TRUE(made.is_verified()) << name(made.end) << ": " << made.code << ' ' << made.why;
    EXPECT_GT(made.outcome.compared, made.outcome.open) << "nearly nothing is promised of what it computes";
    EXPECT_EQ(made.program.variant, product.name);
  }
}

TEST(MidgardProducts, CompileFormsAsTheyCome) {
  const Product& product = midgard::find_product("t860");
  for (const Shader& shader : shaders) {
    if (shader.refuses(product)) continue;
    const Attempt made = attempt(shader.text, shader.stage, {"midgard", "t860"}, {.runs = 4, .seed = 5}, 0);
    EXPECT_TRUE(made.is_verified()) << shader.name << ": " << name(made.end) << ": " << made.code << ' ' << made.why;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Products, testing::ValuesIn(midgard::products),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace mobula::test
