#version 300 es
in highp vec2 a;
out highp vec4 colour;
uniform highp sampler2D t;
void main() {
  colour = texture(t, a, 1.0);
}
