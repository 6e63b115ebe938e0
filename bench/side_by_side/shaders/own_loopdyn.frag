#version 300 es
in highp vec4 a;
out highp vec4 colour;
uniform highp float n;
void main() {
  highp vec4 sum = vec4(1);
  for (highp float i = 0.0; i < 100.0; i += 1.0) {
    if (i >= abs(n) * 8.0 + 1.0) break;
    sum = sum * 0.75 + a * sin(i);
  }
  colour = sum;
}
