#version 300 es
in highp vec4 a;
in highp vec4 b;
out highp vec4 colour;
void main() {
  if (dot(a, b) < -1.5) discard;
  colour = a * b + 0.5;
  if (b.x > 1.7) discard;
}
