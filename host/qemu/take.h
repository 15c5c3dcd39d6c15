/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_TAKE_H
#define RIVULET_QEMU_TAKE_H
/*
 * What the plugin counted, taken out of the shared memory: regions become entries of a profile, and records.
 *
 *   while it runs  take_orders()   rings
 *   at the end     take_all()      counts, what was under way, what is not known; then records
 */
#include "host/qemu/order.h"

struct taken_region {
	struct capture_region *memory; /* NULL: not mapped yet */
	struct order order;
};
struct qemu_take {
	int file; /* of the shared memory */
	struct capture_file *capture;
	struct code_places places;
	struct estimate estimate;
	uint64_t cycles; /* estimated, so far */
	struct profile *profile;
	struct qemu_run *run;
	const struct qemu_options *options;
	struct taken_region *regions;
	size_t region_count, region_room;
	char *detail;
	size_t size;
};

/* *more: something came. */
int take_orders(struct qemu_take *take, bool *more);
int take_all(struct qemu_take *take);
void take_close(struct qemu_take *take);
#endif
