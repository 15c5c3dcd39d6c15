/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_COUNTED_ELSEWHERE_H
#define RIVULET_COUNTED_ELSEWHERE_H
/*
 * Code that leaves calls, of which the runtime learns nothing: a goto out of a nested function, __builtin_longjmp(), a
 * longjmp() of the program's own, a switch of tasks. It loads its stack pointer from elsewhere:
 *
 *     ld sp, 8(a5)        what the calls between here and there had run is counted in part
 *     jr a4
 */
#include "host/insert/counted.h"

/* The first function that has such code in a block that ran, or that has no counters and may have run; NULL: none. The
 * name is the map's. */
const char *counted_elsewhere(const struct counted *counted);
#endif
