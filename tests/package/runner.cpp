#include "mobula/environment.h"

int main() {
  mobula::Environment nothing;
  return nothing.load_memory({}, 0, {}) ? 0 : 1;
}
