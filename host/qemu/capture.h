/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_CAPTURE_H
#define RIVULET_QEMU_CAPTURE_H
/*
 * What the plugin (host/qemu/plugin.c), which runs inside qemu, hands to the command that started qemu: a file of one
 * header and its traces, in the machine's own byte order, since both run on it. A child of fork() writes FILE.PID.
 */
#include <stdint.h>

#define CAPTURE_MAGIC UINT64_C(0x31465145554d5652)
#define CAPTURE_HIST 64 /* bits of a history: 63 outcomes */

struct capture_header {
	uint64_t magic;
	uint64_t start_code; /* where the program's code begins in memory: behind its link address by the load bias */
	uint64_t executed;   /* instructions of all blocks that began: those that a fault cut short count whole */
	uint64_t unknown;    /* of these, in blocks that did not go on as they must: how many ran is not known */
	uint64_t count;      /* traces that follow */
};

struct capture_trace {
	uint64_t start, hist, count;
	uint32_t insns;
	uint32_t reason; /* enum trace_reason */
};
#endif
