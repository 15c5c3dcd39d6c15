/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_HASH_H
#define RIVULET_PROBE_HASH_H
/* What probe.c needs of hash.c. */
#include "sw/probe/probe.h"

#define RIVULET_PROBE_LEVELS 4
/* Buckets in use of a level of nesting, from the pool's number *first on. Weak: without hash.c there are none. */
uint32_t rivulet_probe_used(unsigned level, uint32_t *first) __attribute__((weak));
#endif
