/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_TAKE_H
#define RIVULET_QEMU_TAKE_H
/*
 * What the plugin counted, taken out of the shared memory: regions become entries of the profile of their program, and
 * records.
 *
 *   while it runs  take_orders()   rings; now and then written_show() (written.h), for those who watch
 *   at the end     take_all()      counts, what was under way, what is not known; then records
 */
#include "host/qemu/order.h"

struct taken_region {
	struct capture_region *memory; /* NULL: not mapped yet */
	struct order order;
	size_t shown; /* blocks of the order that the file has while it runs (written.h) */
};
struct taken_program {
	struct qemu_program *program; /* NULL: none of its regions has been seen */
	bool own;                     /* program is this one's to free */
	struct code_places places;
	struct estimate estimate;
	uint64_t cycles; /* estimated, so far */
};
struct qemu_take {
	int file; /* of the shared memory */
	struct capture_file *capture;
	struct taken_program *programs; /* by the number that the plugin gave it; CAPTURE_PROGRAMS_MAX of them */
	const struct qemu_options *options;
	struct taken_region *regions;
	size_t region_count, region_room;
	char records_lost[128];     /* why nothing is taken in order any more; "": it is, if it is wanted */
	struct qemu_ranges *ranges; /* of a system; else NULL */
	uint32_t cpu;               /* of a system: the processor that is being taken */
	struct written {            /* the file of the command's program, while that runs; zeros: none yet */
		struct records_writer *writer;
		struct records_header header;
		size_t last;    /* the region whose blocks stand last in it */
		uint64_t bytes; /* of all blocks */
		unsigned rest;  /* times that nothing is shown, because the last one was much work */
		bool failed;    /* nothing more is shown */
	} written;
	char *detail;
	size_t size;
};

/* The command's program; its image and profile are there. */
int take_open(struct qemu_take *take, struct qemu_program *program);
/* *more: something came. */
int take_orders(struct qemu_take *take, bool *more);
int take_all(struct qemu_take *take);
/* *program: that of a region; one whose program is NULL is gone, or was none. */
int take_program(struct qemu_take *take, const struct capture_region *region, struct taken_program **program);
/* The other programs become the caller's: a list in order of their numbers. */
struct qemu_program *take_others(struct qemu_take *take);
void take_close(struct qemu_take *take);
#endif
