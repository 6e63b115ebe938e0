#version 300 es
in highp vec4 a;
out highp vec4 colour;
uniform highp float k;
void main() {
  highp vec4 term = a, sum = a;
  for (int i = 1; i < 8; ++i) {
    term *= k * 0.4;
    sum += term;
  }
  colour = sum;
}
