// Any bytes as Rogue code under any policies: lifting gives a well-formed program, and a quad of instances does the
// same on both engines. The first 32 bytes choose policies. seeds: examples/*.bin
#include "fuzz/lift.h"
#include "fuzz/target.h"

FUZZ_TARGET(rogue_lift_fuzz) {
  mobula::fuzz::check_lift("rogue", {data, size});
  return 0;
}
