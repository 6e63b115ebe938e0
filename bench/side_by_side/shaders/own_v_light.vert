#version 300 es
in highp vec4 p;
in highp vec3 n;
out highp vec4 vc;
uniform highp mat4 mvp;
uniform highp mat3 nm;
uniform highp vec3 l;
uniform highp vec4 k;
void main() {
  gl_Position = mvp * p;
  highp vec3 normal = normalize(nm * n + vec3(0, 0, 5));
  vc = k * max(dot(normal, l), 0.0) + 0.1;
}
