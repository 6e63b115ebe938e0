#version 300 es
flat in highp uvec4 a;
flat in highp uvec4 b;
out highp vec4 colour;
void main() {
  colour = vec4(a.x < b.x ? 1u : 2u, max(a.y, b.y), (a.z ^ b.z) & 15u, ~(a.w | b.w) & 255u);
}
