#version 310 es
precision mediump float;
uniform sampler2D colours;
uniform highp sampler2DArrayShadow shadows;
uniform samplerCube sky;
layout(std140, binding = 1) uniform Block { mat4 m; vec3 rows[3]; layout(row_major) mat3 r; } blocks[2];
in vec3 place;
layout(location = 0) out vec4 c;
layout(location = 1) out uvec2 d;
void main() {
  vec4 t = texture(colours, place.xy) + textureLod(sky, place, 1.5);
  if (texture(shadows, vec4(place, 0.25)) < 0.5) t *= blocks[1].m;
  t.xyz += blocks[0].r * blocks[0].rows[int(place.z) % 3];
  c = texelFetch(colours, ivec2(t.xy), 0) * inverse(mat2(t))[1].xyxy + vec4(dFdx(place), 1.0);
  d = uvec2(packHalf2x16(t.xy), uint(textureSize(colours, 0).x) / 8u % 3u);
}
