// Compute shaders as they are usually written: with the inputs that verification makes up, all of them are compared,
// and soon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "compile/attempt.h"
#include "compile/build.h"

namespace mobula::test {
namespace {

struct Usual {
  const char* name;
  const char* text;  ///< without #version and precisions
};

constexpr Usual usual[] = {
    {"AddsNeighbours", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { float b[]; };
void main() { uint i = gl_GlobalInvocationID.x; b[i] = a[2u * i] + a[2u * i + 1u]; })"},
    {"ReadsBeforeABarrier", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { float b[]; };
shared float t[64];
void main() {
  uint l = gl_LocalInvocationID.x;
  t[l] = a[gl_WorkGroupID.x * 128u + 2u * l];
  barrier();
  b[gl_GlobalInvocationID.x] = t[63u - l];
})"},
    {"ScalesAsManyAsAreGiven", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { float a[]; };
uniform uint n;
uniform float s;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= n) return;
  a[i] = a[i] * s + 1.0;
})"},
    {"ScalesAsManyAsTheBufferSays", R"(layout(local_size_x = 128) in;
layout(std430, binding = 0) buffer A { int n; float a[]; };
void main() {
  int i = int(gl_GlobalInvocationID.x);
  if (i >= n) return;
  a[i] = a[i] * 2.0;
})"},
    {"ScalesAsManyAsThereAre", R"(layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer A { vec4 a[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(a.length())) return;
  a[i] = a[i].wzyx;
})"},
    {"AddsVectors", R"(layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
uniform int n;
void main() {
  for (uint i = gl_GlobalInvocationID.x; i < uint(n); i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) c[i] = a[i] + b[i];
})"},
    {"ReducesInSharedMemory", R"(layout(local_size_x = 128) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) buffer B { float sums[]; };
shared float t[128];
void main() {
  uint l = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 256u;
  t[l] = a[first + l] + a[first + l + 128u];
  barrier();
  for (uint s = 64u; s > 0u; s >>= 1u) {
    if (l < s) t[l] += t[l + s];
    barrier();
  }
  if (l == 0u) sums[gl_WorkGroupID.x] = t[0];
})"},
    {"ReducesWithManyThreads", R"(layout(local_size_x = 1024) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) buffer B { float sums[]; };
shared float t[1024];
void main() {
  uint l = gl_LocalInvocationIndex;
  t[l] = a[gl_GlobalInvocationID.x];
  barrier();
  for (uint s = gl_WorkGroupSize.x / 2u; s > 0u; s /= 2u) {
    if (l < s) t[l] += t[l + s];
    barrier();
  }
  if (l == 0u) sums[gl_WorkGroupID.x] = t[0];
})"},
    {"ReturnsBeforeABarrier", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { float a[]; };
uniform uint n;
shared float t[64];
void main() {
  uint l = gl_LocalInvocationID.x;
  if (l >= n) return;
  t[l] = a[l];
  barrier();
  a[l] = t[63u - l];
})"},
    {"ReducesWithEarlyReturn", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) buffer B { int sums[]; };
shared int t[64];
uniform int count;
void main() {
  int l = int(gl_LocalInvocationID.x), sum = 0;
  for (int i = l; i < count; i += 64) sum += a[i];
  t[l] = sum;
  barrier();
  if (l != 0) return;
  for (int i = 1; i < 64; i++) sum += t[i];
  sums[gl_WorkGroupID.x] = sum;
})"},
    {"FindsTheLargest", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint largest; };
void main() { atomicMax(largest, a[gl_GlobalInvocationID.x * 4u]); })"},
    {"CountsInBins", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint bins[256]; };
void main() { atomicAdd(bins[a[gl_GlobalInvocationID.x] & 255u], 1u); })"},
    {"CountsInSharedBins", R"(layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint bins[]; };
shared uint own[256];
void main() {
  uint l = gl_LocalInvocationIndex;
  own[l] = 0u;
  barrier();
  atomicAdd(own[a[gl_GlobalInvocationID.x] % 256u], 1u);
  barrier();
  atomicAdd(bins[l], own[l]);
})"},
    {"CountsValuesAsTheyAre", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint bins[]; };
void main() { atomicAdd(bins[a[gl_GlobalInvocationID.x]], 1u); })"},
    {"MultipliesMatrices", R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
uniform int n;
void main() {
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x >= n || y >= n) return;
  float sum = 0.0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
})"},
    {"MultipliesMatricesOfThreeSizes", R"(layout(local_size_x = 4, local_size_y = 4) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(std140, binding = 0) uniform Sizes { uint m, n, k; };
void main() {
  uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  if (x < n && y < m) {
    float sum = 0.0;
    for (uint i = 0u; i < k; i++) sum += a[y * k + i] * b[i * n + x];
    c[y * n + x] = sum;
  }
})"},
    {"MultipliesMatricesByTiles", R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
uniform uint n;
shared float s[8][8], t[8][8];
void main() {
  uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
  uvec2 l = gl_LocalInvocationID.xy;
  float sum = 0.0;
  for (uint first = 0u; first < n; first += 8u) {
    s[l.y][l.x] = a[y * n + first + l.x];
    t[l.y][l.x] = b[(first + l.y) * n + x];
    barrier();
    for (uint k = 0u; k < 8u; k++) sum += s[l.y][k] * t[k][l.x];
    barrier();
  }
  c[y * n + x] = sum;
})"},
    {"MultipliesAMatrixByAVector", R"(layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer X { float x[]; };
layout(std430, binding = 2) writeonly buffer Y { float y[]; };
const int columns = 64;
void main() {
  int row = int(gl_GlobalInvocationID.x);
  float sum = 0.0;
  for (int i = 0; i < columns; i++) sum = a[row * columns + i] * x[i] + sum;
  y[row] = sum;
})"},
    {"Transposes", R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { float b[]; };
uniform int width, height;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (at.x < width && at.y < height) b[at.x * height + at.y] = a[at.y * width + at.x];
})"},
    {"TransposesByTiles", R"(layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { float b[]; };
uniform uint width, height;
shared float t[16][17];
void main() {
  uvec2 l = gl_LocalInvocationID.xy, first = gl_WorkGroupID.xy * 16u;
  t[l.y][l.x] = a[(first.y + l.y) * width + first.x + l.x];
  barrier();
  b[(first.x + l.y) * height + first.y + l.x] = t[l.x][l.y];
})"},
    {"SmoothsWithClampedNeighbours", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { float b[]; };
void main() {
  int i = int(gl_GlobalInvocationID.x), last = a.length() - 1;
  b[i] = 0.25 * a[max(i - 1, 0)] + 0.5 * a[i] + 0.25 * a[min(i + 1, last)];
})"},
    {"SmoothsWithClampToAUniform", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { float b[]; };
uniform int n;
void main() {
  int i = int(gl_GlobalInvocationID.x);
  b[i] = (a[clamp(i - 1, 0, n - 1)] + a[clamp(i, 0, n - 1)] + a[clamp(i + 1, 0, n - 1)]) / 3.0;
})"},
    {"FiltersWithAKernel", R"(layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { float b[]; };
layout(std140, binding = 0) uniform Kernel { vec4 weights[2]; int radius; };
void main() {
  int i = int(gl_GlobalInvocationID.x);
  float sum = 0.0;
  for (int k = -3; k <= 3; k++) sum += a[i + k + 3] * weights[(k + 3) / 4][(k + 3) % 4];
  b[i] = sum;
})"},
    {"FiltersWithAHalo", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer B { float b[]; };
shared float t[66];
void main() {
  uint l = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x;
  t[l + 1u] = a[i + 1u];
  if (l == 0u) t[0] = a[i];
  if (l == 63u) t[65] = a[i + 2u];
  barrier();
  b[i] = t[l] - 2.0 * t[l + 1u] + t[l + 2u];
})"},
    {"SumsUpAfterHillisAndSteele", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { float a[]; };
shared float t[64];
void main() {
  uint l = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x;
  t[l] = a[i];
  barrier();
  for (uint d = 1u; d < 64u; d *= 2u) {
    float before = l >= d ? t[l - d] : 0.0;
    barrier();
    t[l] += before;
    barrier();
  }
  a[i] = t[l];
})"},
    {"SumsUpAfterBlelloch", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) writeonly buffer B { int b[]; };
shared int t[128];
void main() {
  uint l = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 128u, step = 1u;
  t[2u * l] = a[first + 2u * l];
  t[2u * l + 1u] = a[first + 2u * l + 1u];
  for (uint d = 64u; d > 0u; d >>= 1u) {
    barrier();
    if (l < d) t[step * (2u * l + 2u) - 1u] += t[step * (2u * l + 1u) - 1u];
    step *= 2u;
  }
  if (l == 0u) t[127] = 0;
  for (uint d = 1u; d < 128u; d *= 2u) {
    step >>= 1u;
    barrier();
    if (l < d) {
      uint i = step * (2u * l + 1u) - 1u, k = step * (2u * l + 2u) - 1u;
      int old = t[i];
      t[i] = t[k];
      t[k] += old;
    }
  }
  barrier();
  b[first + 2u * l] = t[2u * l];
  b[first + 2u * l + 1u] = t[2u * l + 1u];
})"},
    {"SortsInSharedMemory", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
shared uint t[128];
void main() {
  uint l = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 128u;
  t[l] = a[first + l];
  t[l + 64u] = a[first + l + 64u];
  barrier();
  for (uint size = 2u; size <= 128u; size <<= 1u)
    for (uint stride = size >> 1u; stride > 0u; stride >>= 1u) {
      uint i = 2u * l - (l & (stride - 1u)), k = i + stride;
      bool up = (i & size) == 0u;
      uint x = t[i], y = t[k];
      if ((x > y) == up) { t[i] = y; t[k] = x; }
      barrier();
    }
  a[first + l] = t[l];
  a[first + l + 64u] = t[l + 64u];
})"},
    {"SortsByStepsOfUniforms", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { int a[]; };
uniform uint size, stride;
void main() {
  uint i = gl_GlobalInvocationID.x, k = i ^ stride;
  if (k <= i) return;
  int x = a[i], y = a[k];
  if (((i & size) == 0u) == (x > y)) { a[i] = y; a[k] = x; }
})"},
    {"MovesParticles", R"(layout(local_size_x = 64) in;
struct Particle { vec4 place; vec4 velocity; };
layout(std430, binding = 0) buffer P { Particle particles[]; };
uniform float dt;
void main() {
  uint i = gl_GlobalInvocationID.x;
  Particle p = particles[i];
  p.velocity.y -= 9.8 * dt;
  p.place.xyz += p.velocity.xyz * dt;
  if (p.place.y < 0.0) { p.place.y = -p.place.y; p.velocity.y *= -0.5; }
  particles[i] = p;
})"},
    {"MovesAsManyParticlesAsAreGiven", R"(layout(local_size_x = 128) in;
struct Particle { vec2 place, velocity; float age; uint kind; };
layout(std430, binding = 0) readonly buffer P { Particle old[]; };
layout(std430, binding = 1) writeonly buffer Q { Particle moved[]; };
layout(std140, binding = 0) uniform Step { float dt; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  Particle p = old[i];
  p.place += p.velocity * dt;
  p.age += dt;
  if (p.kind == 3u) p.velocity = -p.velocity;
  moved[i] = p;
})"},
    {"AttractsBodies", R"(layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer P { vec4 bodies[]; };
layout(std430, binding = 1) buffer V { vec4 velocities[]; };
shared vec4 t[32];
void main() {
  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
  vec3 own = bodies[i].xyz, force = vec3(0);
  for (uint tile = 0u; tile < gl_NumWorkGroups.x; tile++) {
    t[l] = bodies[tile * 32u + l];
    barrier();
    for (int k = 0; k < 32; k++) {
      vec3 d = t[k].xyz - own;
      float r = dot(d, d) + 0.01;
      force += d * (t[k].w / (r * sqrt(r)));
    }
    barrier();
  }
  velocities[i].xyz += force;
})"},
    {"PlaysLifeInABuffer", R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer A { int now[]; };
layout(std430, binding = 1) writeonly buffer B { int next[]; };
uniform int width, height;
int at(int x, int y) { return now[((y + height) % height) * width + (x + width) % width] & 1; }
void main() {
  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);
  if (x >= width || y >= height) return;
  int n = at(x - 1, y - 1) + at(x, y - 1) + at(x + 1, y - 1) + at(x - 1, y) + at(x + 1, y) + at(x - 1, y + 1) +
          at(x, y + 1) + at(x + 1, y + 1);
  next[y * width + x] = n == 3 || (n == 2 && at(x, y) == 1) ? 1 : 0;
})"},
    {"PlaysLifeInImages", R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(r32ui, binding = 0) readonly uniform uimage2D now;
layout(r32ui, binding = 1) writeonly uniform uimage2D next;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  uint n = 0u;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      if (x != 0 || y != 0) n += imageLoad(now, at + ivec2(x, y)).x & 1u;
  uint own = imageLoad(now, at).x & 1u;
  imageStore(next, at, uvec4(n == 3u || (n == 2u && own == 1u) ? 1u : 0u));
})"},
    {"InvertsAnImage", R"(layout(local_size_x = 16, local_size_y = 16) in;
layout(rgba8, binding = 0) readonly uniform image2D from;
layout(rgba8, binding = 1) writeonly uniform image2D to;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, imageSize(to)))) return;
  vec4 c = imageLoad(from, at);
  imageStore(to, at, vec4(1.0 - c.rgb, c.a));
})"},
    {"BlursAnImageByRows", R"(layout(local_size_x = 32) in;
layout(rgba32f, binding = 0) readonly uniform image2D from;
layout(rgba32f, binding = 1) writeonly uniform image2D to;
shared vec4 t[32];
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  int l = int(gl_LocalInvocationID.x);
  t[l] = imageLoad(from, at);
  barrier();
  vec4 sum = t[l];
  for (int k = 1; k <= 2; k++) sum += t[max(l - k, 0)] + t[min(l + k, 31)];
  imageStore(to, at, sum / 5.0);
})"},
    {"ReadsATexture", R"(layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) uniform sampler2D from;
layout(std430, binding = 0) writeonly buffer B { vec4 b[]; };
uniform vec2 size;
void main() {
  uint i = gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x + gl_GlobalInvocationID.x;
  b[i] = textureLod(from, (vec2(gl_GlobalInvocationID.xy) + 0.5) / vec2(16, 4), 0.0);
})"},
    {"DrawsTheMandelbrotSet", R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) writeonly buffer B { uint b[]; };
uniform vec2 centre;
uniform float scale;
uniform int width;
void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  vec2 c = centre + (vec2(at) - 8.0) * scale / 16.0, z = vec2(0);
  uint n = 0u;
  for (; n < 64u && dot(z, z) < 4.0; n++) z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
  b[int(at.y) * width + int(at.x)] = n;
})"},
    {"Gathers", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer I { uint indices[]; };
layout(std430, binding = 2) writeonly buffer B { float b[]; };
void main() { uint i = gl_GlobalInvocationID.x; b[i] = a[indices[i]]; })"},
    {"GathersBySignedIndices", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { vec4 a[]; };
layout(std430, binding = 1) readonly buffer I { ivec2 pairs[]; };
layout(std430, binding = 2) writeonly buffer B { vec4 b[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  b[i] = a[pairs[i].x] - a[pairs[i].y];
})"},
    {"MultipliesASparseMatrix", R"(layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer R { uint row[]; };
layout(std430, binding = 1) readonly buffer K { uint column[]; };
layout(std430, binding = 2) readonly buffer A { float a[]; };
layout(std430, binding = 3) readonly buffer X { float x[]; };
layout(std430, binding = 4) writeonly buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  float sum = 0.0;
  for (uint k = row[i]; k < row[i + 1u]; k++) sum += a[k] * x[column[k]];
  y[i] = sum;
})"},
    {"CompactsWithACounter", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) buffer N { uint count, mask; };
uniform int least;
void main() {
  int x = a[gl_GlobalInvocationID.x * 3u];
  if (x < least) return;
  atomicAdd(count, 1u);
  atomicOr(mask, uint(x));
})"},
    {"LoopsAsOftenAsEachThreadSays", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) writeonly buffer B { int b[]; };
shared int t[64];
void main() {
  int l = int(gl_LocalInvocationID.x), sum = 0;
  for (int i = 0; i < (a[gl_GlobalInvocationID.x] & 15); i++) sum += i * l;
  t[l] = sum;
  barrier();
  b[gl_GlobalInvocationID.x] = t[l ^ 1];
})"},
    {"HashesNumbers", R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
uniform uint seed;
void main() {
  uint i = gl_GlobalInvocationID.x, x = a[i] ^ seed;
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  a[i] = x ^ (x >> 16);
})"},
    {"TransformsPointsByMatrices", R"(layout(local_size_x = 32) in;
struct Bone { mat4 m; };
layout(std430, binding = 0) readonly buffer M { Bone bones[]; };
layout(std430, binding = 1) readonly buffer P { vec4 points[]; };
layout(std430, binding = 2) writeonly buffer Q { vec4 moved[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  moved[i] = bones[i / 4u].m * points[i];
})"},
    {"FillsAVolume", R"(layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
layout(std430, binding = 0) writeonly buffer B { float b[]; };
uniform uvec3 size;
void main() {
  uvec3 at = gl_GlobalInvocationID;
  if (any(greaterThanEqual(at, size))) return;
  b[(at.z * size.y + at.y) * size.x + at.x] = length(vec3(at) - vec3(size) * 0.5);
})"},
};

constexpr const char* desktop = "#version 430\n";
constexpr const char* es =
    "#version 310 es\nprecision highp float; precision highp int; precision highp image2D;\n"
    "precision highp uimage2D; precision highp sampler2D;\n";

class VerifyCompute : public testing::TestWithParam<std::tuple<Usual, compile::Target, const char*>> {};

TEST_P(VerifyCompute, ComparesUsualShaders) {
  const auto& [shader, target, head] = GetParam();
  const Attempt made = attempt(std::string(head) + shader.text, Stage::compute, target, {.runs = 16});
  EXPECT_TRUE(made.is_verified()) << made.why;
  EXPECT_EQ(render(compile::remarks_of(made.outcome)), "");
  EXPECT_GT(made.outcome.compared, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, VerifyCompute,
                         testing::Combine(testing::ValuesIn(usual),
                                          testing::Values(compile::Target{"midgard", "t860"},
                                                          compile::Target{"rogue", "usc"}),
                                          testing::Values(desktop, es)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + '_' + std::get<1>(info.param).machine +
                                  (std::get<2>(info.param) == es ? "_es" : "");
                         });

/// Code of a shader beside another one, from which it differs in one place.
TEST(VerifyComputeBroken, IsFound) {
  struct Change {
    const char *shader, *from, *to;
  };
  constexpr Change changes[] = {
      {"AddsNeighbours", "2u * i + 1u", "2u * i + 2u"},
      {"ReadsBeforeABarrier", "63u - l", "62u - l & 63u"},
      {"ReducesWithEarlyReturn", "i = 1; i < 64", "i = 2; i < 64"},
      {"MultipliesMatricesByTiles", "k < 8u", "k < 7u"},
      {"Transposes", "at.x * height", "at.x * width"},
      {"SumsUpAfterHillisAndSteele", "l >= d", "l > d"},
      {"SortsInSharedMemory", "(x > y) == up", "(x > y) != up"},
      {"MovesParticles", "p.velocity.y *= -0.5", "p.velocity.y *= -0.25"},
      {"GathersBySignedIndices", "pairs[i].y", "pairs[i].x"},
      {"PlaysLifeInImages", "n == 3u", "n == 4u"},
  };
  for (const Change& change : changes) {
    const auto shader =
        std::ranges::find_if(usual, [&](const Usual& each) { return std::string_view(each.name) == change.shader; });
    ASSERT_NE(shader, std::end(usual)) << change.shader;
    std::string text = std::string(desktop) + shader->text;
    const std::size_t at = text.find(change.from);
    ASSERT_NE(at, std::string::npos) << change.shader;
    const Attempt right = attempt(text, Stage::compute);
    text.replace(at, std::string_view(change.from).size(), change.to);
    const auto other = ssa_of(text, Stage::compute);
    ASSERT_TRUE(other) << change.shader << errors_of(other);
    const auto outcome = compile::verify(*other, right.program);
    ASSERT_TRUE(outcome) << errors_of(outcome);
    EXPECT_TRUE(outcome->difference) << change.shader;
  }
}

/// Threads that stop, and others that wait for them at a barrier: no end is waited for where the source promises
/// nothing anyway.
TEST(VerifyComputeAstray, EndsSoon) {
  const Attempt made = attempt(std::string(es) + R"(layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { float a[64]; };
shared float t[64];
void main() {
  uint l = gl_LocalInvocationID.x;
  t[l] = a[gl_WorkGroupID.x * 128u + 2u * l];
  barrier();
  a[l] = t[63u - l];
})",
                               Stage::compute, {"rogue", "usc"}, {.runs = 16, .steps = 200'000});
  EXPECT_TRUE(made.is_verified()) << made.why;
  EXPECT_EQ(made.outcome.compared, 0U);
  EXPECT_THAT(render(compile::remarks_of(made.outcome)), testing::HasSubstr("the source goes beyond the end of 'A'"));
}

}  // namespace
}  // namespace mobula::test
