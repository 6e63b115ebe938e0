#version 300 es
in highp vec4 a;
out highp vec4 colour;
void main() {
  colour = 1.0 / (a * a + 1.0);
}
