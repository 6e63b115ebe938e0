#version 300 es
in highp vec2 p;
in highp vec4 c;
in highp vec2 t;
out highp vec4 vc;
out highp vec4 vt;
uniform highp vec2 scale;
uniform highp vec2 off;
void main() {
  gl_Position = vec4(p * scale + off, 0, 1);
  vc = c;
  vt = vec4(t.x, 1.0 - t.y, 0, 0);
}
