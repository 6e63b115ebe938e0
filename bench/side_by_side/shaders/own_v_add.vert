#version 300 es
in highp vec4 p;
in highp vec4 a;
in highp vec4 b;
out highp vec4 x;
out highp vec4 y;
void main() {
  gl_Position = p;
  x = a + b;
  y = a - b;
}
