#version 300 es
in highp vec4 p;
in highp vec4 a;
out highp vec4 x;
void main() {
  gl_Position = p;
  x = (((a * 0.02 + 0.1) * a - 0.2) * a + 0.3) * a - 0.4;
}
