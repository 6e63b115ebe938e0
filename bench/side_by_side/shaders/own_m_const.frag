#version 300 es
in mediump vec4 a;
out mediump vec4 colour;
void main() {
  colour = a * vec4(0.25, 0.5, 1.5, 2) + vec4(0.1, 0.2, 0.3, 0.4);
}
