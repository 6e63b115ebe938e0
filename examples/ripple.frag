#version 100
precision mediump float;

#ifndef RINGS
#define RINGS 5
#endif

varying highp vec2 place;
uniform highp float time;
uniform vec3 colours[2];

void main() {
  highp float distance_to_centre = length(place - vec2(0.5));
  if (distance_to_centre > 0.5) discard;
  float height = 0.0;
  for (int ring = 1; ring <= RINGS; ++ring)
    height += sin(distance_to_centre * float(ring) * 20.0 - time) / float(ring);
  gl_FragColor = vec4(mix(colours[0], colours[1], 0.5 + 0.5 * height), 1.0);
}
