#version 300 es
in highp vec4 a;
out highp vec4 colour;
void main() {
  colour = vec4(sin(a.x), cos(a.y), tan(a.z * 0.4), sin(a.w) * cos(a.w));
}
