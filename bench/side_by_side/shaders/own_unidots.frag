#version 300 es
in highp vec4 a;
out highp vec4 colour;
uniform highp vec4 u[12];
void main() {
  highp vec4 sum = vec4(0);
  for (int i = 0; i < 12; ++i) sum += u[i] * dot(a, u[i]);
  colour = sum;
}
