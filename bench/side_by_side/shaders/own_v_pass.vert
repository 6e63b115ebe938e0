#version 300 es
in highp vec4 p;
in highp vec4 c;
out highp vec4 vc;
void main() {
  gl_Position = p;
  vc = c;
}
