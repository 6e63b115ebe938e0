#version 300 es
in highp vec4 a;
in highp vec4 b;
out highp vec4 colour;
void main() {
  colour = clamp(a * b, 0.0, 1.0) + clamp(a + b, 0.0, 1.0).yxwz;
}
