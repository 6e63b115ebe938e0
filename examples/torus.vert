#version 100

attribute vec3 aPosition, aNormal;
uniform mat4 uMvp;
uniform vec4 uLight;  // direction, and light from everywhere
uniform vec4 uColour;
varying vec4 vColour;

void main() {
  gl_Position = uMvp * vec4(aPosition, 1.0);
  float light = max(dot(aNormal, uLight.xyz), 0.0) + uLight.w;
  vColour = vec4(uColour.rgb * light, uColour.a);
}
