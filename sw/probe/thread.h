/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_THREAD_H
#define RIVULET_PROBE_THREAD_H
/* What thread.c and thread_static.c need of each other. */
#include "sw/probe/probe.h"

struct rivulet_probe_copy { /* of all counters, for one thread at a time */
	intptr_t distance;
	long thread; /* 0: it is being made; RIVULET_PROBE_NO_THREAD */
	void *(*start)(void *);
	void *argument;
};
#define RIVULET_PROBE_NO_THREAD INT32_MAX
extern __thread intptr_t rivulet_probe_thread;
/* One whose thread is gone, or a new one; NULL: there is no more memory, and the new thread counts with the main
 * one. */
struct rivulet_probe_copy *rivulet_probe_copy(void);
#endif
