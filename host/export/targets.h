/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_TARGETS_H
#define RIVULET_EXPORT_TARGETS_H
/*
 * Where calls and jumps by a register went: the values of function pointers, switches, computed gotos. Returns are left
 * out. From records in order, visit by visit:
 *
 *   visit  ... jalr a5 │ visit  entry of the callee ...       one more of (jalr, callee)
 *   visit  ... jr   a5 │ a gap, or the end of the run         one more of which the target is not known
 */
#include "host/base/hash.h"
#include "host/export/gather.h"

#define TARGET_UNKNOWN UINT64_MAX
struct target_count {
	uint64_t from, to, count; /* to: TARGET_UNKNOWN: nobody saw where it went */
	bool call;
};
struct targets {
	struct target_count *all;
	size_t count, room;
	struct hash table;
	struct target_count open; /* the jump that the last visit ended with; from 0: none */
	uint32_t process;         /* of that visit */
};

/* A gather_watcher, for GATHER_VISITS; targets: all 0 at first. */
int targets_visit(void *targets, const struct gather_visit *visit);
/* The last jump of the run has no target. Sorts by jump, the hottest target first. GATHER_OK or GATHER_ENOMEM. */
int targets_finish(struct targets *targets);
void targets_free(struct targets *targets);
#endif
