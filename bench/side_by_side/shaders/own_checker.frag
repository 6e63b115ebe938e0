#version 300 es
in highp vec2 a;
out highp vec4 colour;
uniform highp float s;
void main() {
  highp vec2 cell = floor(a * (abs(s) + 2.0));
  colour = mix(vec4(0.1, 0.2, 0.3, 1), vec4(0.9, 0.8, 0.7, 1), mod(cell.x + cell.y, 2.0));
}
