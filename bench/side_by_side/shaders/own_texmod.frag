#version 300 es
in mediump vec4 b;
in highp vec2 a;
out mediump vec4 colour;
uniform mediump sampler2D t;
void main() {
  colour = texture(t, a) * b;
}
