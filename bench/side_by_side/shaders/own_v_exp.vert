#version 300 es
in highp vec4 p;
in highp vec4 a;
out highp vec4 x;
void main() {
  gl_Position = p;
  x = vec4(exp2(a.x), exp(a.y), exp2(-a.z), 1);
}
