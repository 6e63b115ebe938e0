#version 310 es
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Numbers { uint total; uint numbers[]; };
shared uint parts[8];
void main() {
  uint i = gl_LocalInvocationIndex;
  parts[i] = i < uint(numbers.length()) ? numbers[i] : 0u;
  barrier();
  for (uint step = 1u; step < 8u; step <<= 1) {
    uint before = i >= step ? parts[i - step] : 0u;
    barrier();
    parts[i] += before;
    barrier();
  }
  if (i == 7u) atomicAdd(total, parts[7]);
  numbers[i] = parts[i];
}
