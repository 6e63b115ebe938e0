// Red grows to the right, green grows downwards, blue stays the same.
precision mediump float;
varying vec2 place;

void main() {
  gl_FragColor = vec4(place, 0.5, 1.0);
}
