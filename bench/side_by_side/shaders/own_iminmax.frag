#version 300 es
flat in highp ivec4 a;
flat in highp ivec4 b;
out highp vec4 colour;
void main() {
  colour = vec4(min(a, b)) + vec4(max(a, b.yxwz)) * 0.01 + vec4(abs(a)) * 10.0 + vec4(clamp(b, -1, 1));
}
