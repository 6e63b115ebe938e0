#version 300 es
in highp vec4 a;
out highp vec4 colour;
void main() {
  colour = a;
}
