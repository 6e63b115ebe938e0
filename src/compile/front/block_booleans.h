// Structures with booleans that are in blocks.
#pragma once

namespace glslang {
class TIntermediate;
}

namespace mobula::compile {

/// In a block a boolean is a number, of which every one but 0 is true. glslang makes booleans of them where a structure
/// or an array of them is assigned or handed over, and nowhere else: what is compared, chosen or put together is
/// assigned to a variable first.
void copy_booleans_of_blocks(glslang::TIntermediate& shader);

}  // namespace mobula::compile
