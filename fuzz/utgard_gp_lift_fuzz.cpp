// Any bytes as Utgard GP code under any policies: lifting gives a well-formed program, and a quad of threads does the
// same on both engines. The first 32 bytes choose product and policies.
// seeds: examples/*.bin
#include "fuzz/lift.h"
#include "fuzz/target.h"

FUZZ_TARGET(utgard_gp_lift_fuzz) {
  mobula::fuzz::check_lift("utgard-gp", {data, size});
  return 0;
}
