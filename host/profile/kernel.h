/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROFILE_KERNEL_H
#define RIVULET_PROFILE_KERNEL_H
/* What the kernel (docs/kernel.md) says of a run: frames 4 of docs/profile-format.md. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_RUN_PROCESSES 255
#define KERNEL_RUN_NAME 33

struct kernel_process {
	bool there;
	char name[KERNEL_RUN_NAME]; /* printable; "" if there is no process in this slot */
	uint64_t cycles;            /* in which it was the one that ran */
	uint64_t slices,
	    preempted;         /* times it got the core; time slices that the timer ended, also if no other was ready */
	uint64_t longest_wait; /* cycles from when it could run to when it ran, at most; 0: not said */
	uint64_t rounds, failures; /* ends; of these by a fault or with a code that is not 0 */
};
struct kernel_slice {
	unsigned slot;
	uint64_t begin, end; /* cycles since the first slice may have begun */
};
struct kernel_run {
	bool there;                    /* the capture has such frames, and the first of them is good */
	uint64_t kernel, idle, slices; /* cycles, cycles, how many there were */
	uint64_t slice;                /* cycles of a time slice */
	unsigned count;                /* slots */
	struct kernel_process processes[KERNEL_RUN_PROCESSES + 1]; /* by slot, from 1 on */
	struct kernel_slice *first;                                /* the first slices, in order */
	size_t first_count;
};

/* Reads all there is in a capture; frames that are damaged are left out, and *bad says how many. Returns 0, or -1 if
 * there is no memory. Afterwards kernel_run_fini(). */
int kernel_run_read(struct kernel_run *run, const uint8_t *bytes, size_t size, unsigned *bad);
void kernel_run_fini(struct kernel_run *run);
/* Cycles of all processes, the kernel, waiting. */
uint64_t kernel_run_cycles(const struct kernel_run *run);
#endif
