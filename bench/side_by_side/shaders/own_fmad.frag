#version 300 es
in highp vec4 a;
in highp vec4 b;
out highp vec4 colour;
uniform highp vec4 u;
void main() {
  colour = a * b + u;
}
