/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_UNCOUNTED_H
#define RIVULET_UNCOUNTED_H
/*
 * What the counters of a program cannot know: the code that has none.
 *
 *   symbols of functions    main    sort    qsort    memcpy
 *   in a counted block      yes     yes     no       no        ──► 2 functions without counters
 *
 * A cold part of a function is a function of its own here, as its symbol says; its counters are those of its blocks.
 */
#include "host/image/image.h"

/* Functions of the program, and of the libraries that were added to it, that have no counters; the runtime of the
 * counters is not among them. 0: none, or it is stripped. Returns COUNTED_OK, or an error as counted_map() has
 * (counted.h). */
int uncounted_functions(const struct image *image, uint64_t *functions);
#endif
