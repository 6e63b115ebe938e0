// Any bytes as Midgard code under any policies: lifting gives a well-formed program, and a quad of threads does the
// same on both engines. The first 32 bytes choose product and policies.
// seeds: tests/data/midgard/*.bin
#include "fuzz/lift.h"
#include "fuzz/target.h"

FUZZ_TARGET(midgard_lift_fuzz) {
  mobula::fuzz::check_lift("midgard", {data, size});
  return 0;
}
