#version 300 es
in highp vec4 v0;
in highp vec2 v1;
out highp vec4 colour;
void main() {
  highp vec3 a = v0.xyz, b = vec3(v0.w, v1);
  highp vec3 n = normalize(b + vec3(0, 0, 4));
  colour = vec4(reflect(a, n) + refract(normalize(a + 4.0), n, 0.6) + faceforward(n, a, b), 1);
}
