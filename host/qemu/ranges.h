/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_RANGES_H
#define RIVULET_QEMU_RANGES_H
/*
 * Where the instructions of a whole system ran: by processor, privilege mode and range of addresses. Code of a program
 * is one range for each of its files; other code is counted block by block, and pages that touch are one range.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/qemu/capture.h"

struct qemu_range {
	uint32_t cpu;
	uint32_t mode;     /* enum capture_mode */
	uint64_t from, to; /* the first address and the last; both 0: addresses of more than 48 bits */
	const char *path;  /* of the program; NULL: in none */
	uint64_t insns;
};
struct qemu_ranges {
	struct qemu_range *all;
	size_t count, room;
	bool own; /* the paths are: since ranges_sum() */
};
const char *qemu_mode_name(unsigned mode); /* "machine", ...; "not known" */
/* Instructions of a trace that begins at an address. False: out of memory. */
bool ranges_add(struct qemu_ranges *ranges, const struct qemu_range *range);
/* Adds up what belongs together: by processor, by mode (machine first), by address. */
void ranges_sum(struct qemu_ranges *ranges);
void ranges_free(struct qemu_ranges *ranges);
#endif
