#version 300 es
flat in highp uvec4 a;
flat in highp uvec4 b;
out highp vec4 colour;
void main() {
  colour = vec4(a / (b + 1u)) + vec4(a % (b + 1u)) * 0.001;
}
