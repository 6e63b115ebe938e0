#version 300 es
in highp vec4 a;
in highp float z;
out highp vec4 colour;
uniform highp vec4 fogc;
uniform highp float dens;
void main() {
  colour = mix(fogc, a, clamp(exp(-dens * dens * z * z), 0.0, 1.0));
}
