#version 300 es
in highp vec4 a;
in highp vec4 b;
out highp vec4 colour;
void main() {
  colour = vec4(mod(a.x, 0.75), step(a.y, b.y), smoothstep(-1.0, 1.0, a.z), sign(a.w));
}
