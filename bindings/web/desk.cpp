#include "desk.h"

namespace mobula::web {
Desk& desk() {
  static Desk the_desk;
  return the_desk;
}
const Machine& machine() { return *find_machine(desk().program.machine); }

void put_on_desk(Program program) {
  desk() = Desk();
  desk().program = std::move(program);
}

}  // namespace mobula::web
