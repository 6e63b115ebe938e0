#version 300 es
in highp vec4 v0;
in highp vec2 v1;
out highp vec4 colour;
void main() {
  colour = vec4(cross(v0.xyz, vec3(v0.w, v1)), 1);
}
