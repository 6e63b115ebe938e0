#version 300 es
in highp vec4 v0;
in highp vec2 v1;
out highp vec4 colour;
void main() {
  highp vec3 a = v0.xyz, b = vec3(v0.w, v1);
  colour = vec4(normalize(a + 3.0), length(b) + distance(a, b));
}
