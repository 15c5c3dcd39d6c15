/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_PLUGIN_CHOOSE_H
#define RIVULET_QEMU_PLUGIN_CHOOSE_H
/*
 * Which blocks shall be silent (plugin_silent.c), of those that ran, by how often they ran: so that the blocks that
 * call are the seldom ones, and no more than CAPTURE_SILENT_DEPTHS silent ones follow each other along any way.
 *
 *   loop of eight, each as often:   a ─► b ─► CALLS ─► c ─► d ─► CALLS ─► e ─► CALLS (an indirect jump) ─► a
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct choice {
	uint64_t address, weight; /* no address is there twice */
	uint64_t ways[2];         /* where it goes on, if that is in the code */
	uint8_t way_count;
	bool calls;    /* it has to */
	uint8_t depth; /* what is chosen: it is at most so many silent blocks behind one that calls; 0: it calls */
};
/* Chooses for all of them. False: out of memory. */
bool choose_silent(struct choice *all, size_t count);
#endif
