#version 300 es
flat in highp ivec4 a;
flat in highp ivec4 b;
out highp vec4 colour;
void main() {
  colour = vec4(a + b * 3 - (a - b));
}
