#version 300 es
in highp vec4 a;
out highp vec4 colour;
uniform highp vec4 u[8];
uniform highp int idx;
void main() {
  colour = u[idx] * a + u[7 - idx];
}
