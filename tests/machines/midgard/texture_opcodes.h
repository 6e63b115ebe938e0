// Opcodes of texture operations, as tests write them into words.
#pragma once

#include "machines/midgard/spec/spec.h"

namespace mobula::midgard {

inline constexpr unsigned tex_sample = opcode_of(TexMeaning::sample), tex_gradient = opcode_of(TexMeaning::gradient),
                          tex_fetch = opcode_of(TexMeaning::fetch),
                          tex_grad_from_derivative = opcode_of(TexMeaning::gradient_of_derivatives),
                          tex_mov = opcode_of(TexMeaning::move), tex_barrier = opcode_of(TexMeaning::barrier),
                          tex_grad_from_coords = opcode_of(TexMeaning::gradient_of_coordinates),
                          tex_derivative = opcode_of(TexMeaning::derivative);

}  // namespace mobula::midgard
