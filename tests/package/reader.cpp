#include <cstdio>

#include "mobula/machine.h"

int main() {
  for (const mobula::Machine* machine : mobula::machines()) std::puts(machine->name().data());
  return mobula::find_machine("midgard") == nullptr ? 1 : 0;
}
