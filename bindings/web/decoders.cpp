// The module that a page starts with: what programs are, not what they do.
#include "desk.h"

namespace mobula::web {

std::vector<std::span<const Question>> questions() { return {program_questions(), view_questions()}; }

}  // namespace mobula::web
