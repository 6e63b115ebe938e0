#version 300 es
in highp vec4 a;
in highp vec4 b;
out highp vec4 colour;
void main() {
  colour = a.xxyz * b.wzwx;
}
