/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_ORDER_H
#define RIVULET_QEMU_ORDER_H
/*
 * The order of traces: what comes through the ring of a region, while the program runs, goes compressed into a
 * temporary file of the region's own. At the end they become one record file, a thread behind the other, because only
 * then all libraries are known, which its header names, and because calls of a thread are followed from record to
 * record.
 *
 *   ring ──► runs of keys ──► temporary .rvr of the thread ──┐ blocks are copied as they are
 *   ring ──► runs of keys ──► temporary .rvr of the thread ──┴─► header, blocks, end
 *
 * Times are instructions of the thread, or its estimated cycles, and count on from thread to thread.
 */
#include <stdio.h>
#include "host/cycles/estimate.h"
#include "host/qemu/places.h"

struct order_key {     /* of a trace of the region */
	uint32_t use;  /* its number in `keys` of the writer; ORDER_NEW, ORDER_OUTSIDE */
	uint32_t left; /* that of the same trace, if it went on outside of what is known; ORDER_NEW */
};
#define ORDER_NEW UINT32_MAX
#define ORDER_OUTSIDE (UINT32_MAX - 1)

struct order { /* of one region; zeros are one without records */
	FILE *file;
	struct records_writer *writer;
	struct order_key *known; /* by the region's key */
	size_t known_count, known_room;
	struct record *keys;
	size_t key_count, key_room;
	struct record_run *runs; /* ORDER_RUNS of them */
	size_t run_count;
	bool pending;     /* the last run waits for what comes behind it */
	uint32_t last;    /* its key in the region */
	uint64_t time;    /* of what the writer has */
	uint64_t outside; /* entries of traces that are in no record */
	uint32_t there;   /* keys that the region had when its ring was looked at */
	long flushed;     /* bytes of the file after order_settle() */
};

struct order_source { /* the same for all regions */
	struct code_places *places;
	struct estimate *estimate;
	const char *folder; /* for temporary files */
};

/* Takes what is in the ring. QEMU_OK, QEMU_ENOMEM, QEMU_ERECORDS, QEMU_EBROKEN. */
int order_drain(
    struct order *order, const struct order_source *source, struct capture_region *region, uint32_t context);
/* What the ring never had: the trace that ended last and how often. Then the temporary file is whole. under_way: of a
 * program that was ended, the trace in which that was, or NULL. */
int order_finish(struct order *order, const struct order_source *source, struct capture_region *region,
    uint32_t context, const struct record *under_way);
/* While the program runs: what came since the last time is in the temporary file as far as blocks are full, and if none
 * was, all of it. So who reads it each second misses a second at most, and blocks stay large. */
int order_settle(struct order *order, uint32_t context);
/* Puts the blocks of the temporary file from *done on behind what the writer has, and counts them in *done; *time
 * counts on by all that the order has so far. */
int order_append(struct order *order, struct records_writer *writer, size_t *done, uint64_t *time);
void order_close(struct order *order);
#endif
