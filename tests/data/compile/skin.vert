#version 100
attribute vec4 position;
attribute vec3 normal;
attribute vec4 weights, bones;
uniform mat4 projection, pose[4];
uniform bool lit;
varying vec3 shade;
invariant gl_Position;
void main() {
  mat4 m = pose[int(bones.x)] * weights.x + pose[int(bones.y)] * weights.y;
  gl_Position = projection * m * position;
  shade = lit ? max(vec3(0.0), mat3(m) * normalize(normal)) : vec3(1.0);
  gl_PointSize = length(shade.xy) > 0.5 && lit ? 2.0 : 1.0;
}
