#version 300 es
in highp vec4 a;
in highp vec4 b;
out highp vec4 colour;
highp float f(highp float x, highp float y) {
  return y < x ? x * y + 1.0 : sqrt(x * x + 0.5 + y * y);
}
void main() {
  colour = vec4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));
}
