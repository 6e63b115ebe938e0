#include "compile/front/library.h"

namespace mobula::compile {

void initialise_library() {
  static const bool done = glslang::InitializeProcess();
  static_cast<void>(done);
}

EShLanguage language_of(Stage stage) {
  switch (stage) {
    case Stage::vertex:
      return EShLangVertex;
    case Stage::compute:
      return EShLangCompute;
    default:
      return EShLangFragment;
  }
}

}  // namespace mobula::compile
