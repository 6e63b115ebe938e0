/* What both programs expect of the interface: says where it is not so, and goes on. */
#ifndef MOBULA_TESTS_EXPECT_H
#define MOBULA_TESTS_EXPECT_H

#include <stdio.h>

static int failures = 0;
#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

#endif
