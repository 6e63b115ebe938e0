#version 300 es
in highp vec4 a;
out highp vec4 colour;
uniform highp int idx;
void main() {
  highp float values[4];
  values[0] = a.x;
  values[1] = a.y * 2.0;
  values[2] = a.z - 1.0;
  values[3] = a.w * a.w;
  highp int i = idx & 3;
  colour = vec4(values[i], values[3 - i], values[(i + 1) & 3], 1);
}
