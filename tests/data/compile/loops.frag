#version 300 es
precision highp float;
in vec4 v;
flat in int k;
uniform vec4 u[3];
uniform int n;
uniform bool on;
out vec4 c;
struct Light { vec3 place; float power[2]; };
float sum(float a[4], int last) {
  float s = 0.0;
  for (int i = 0; i <= last; ++i) {
    if (a[i] < 0.0) continue;
    if (a[i] > 9.0) break;
    s += a[i];
  }
  return s;
}
void main() {
  float a[4];
  for (int i = 0; i < 4; ++i) a[i] = v[i] * float(i + k);
  a[n & 3] += 1.0;
  Light lights[2];
  for (int i = 0; i < 2; ++i) {
    lights[i].place = u[i].xyz;
    for (int j = i; j >= 0; --j) lights[i].power[j] = a[j] / 3.0;
  }
  c = vec4(sum(a, 3), sum(a, n), lights[n & 1].place.x, lights[k & 1].power[n & 1]);
  switch (n) {
    case 0: c.x += 1.0;
    case 1: c = c.yzwx; break;
    case 5: if (on) discard;
    default: c *= on ? 2.0 : 0.5;
  }
  int turns = 0;
  do { c.z = fract(c.z + 0.3); ++turns; } while (c.z < 0.9 && turns < n);
  while (turns-- > 0) c.w -= pow(abs(c.x), 2.0);
}
