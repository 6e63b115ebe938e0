#version 300 es
in highp vec4 a;
in highp vec4 b;
out highp vec4 colour;
void main() {
  colour = vec4(dot(a, b), dot(a.wzyx, b), dot(a, a), 0.25);
}
