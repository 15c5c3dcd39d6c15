/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_EXPORT_GATHER_PRIVATE_H
#define RIVULET_EXPORT_GATHER_PRIVATE_H
/* gather.c adds, gather_result.c makes the sorted result. */
#include "host/account/weights.h"
#include "host/export/gather.h"
#include "host/profile/profile.h"

struct unit { /* a block, or the first part of one, in a context */
	const struct walk_block *block;
	uint32_t node, count;
	uint64_t visits, taken, not_taken;
	uint64_t *cycles; /* of each instruction; NULL: free slot. Behind them: those of records that were cut off */
};
struct move { /* one visit of the trace at hand */
	struct walk_visit visit;
	const struct cost *costs; /* of the block's instructions */
};

struct step { /* an instruction of it */
	uint32_t weight;
	uint64_t cycles;
};

struct costs { /* of one block, in its `user` */
	struct costs *next;
	struct cost all[];
};

struct gather {
	const struct image *image;
	struct walk_config config;
	struct walk *walks[4]; /* by NO_INDIRECT, NO_BACKWARD of CTRL; made when needed */
	struct walk *walk;     /* the one for the records at hand */
	struct stack *stack;
	struct unit *units; /* open addressing, size a power of two, at most half full */
	size_t unit_size, unit_count;
	struct gather_call *calls; /* the same; count 0: free slot */
	size_t call_size, call_count;
	struct move *moves; /* the trace at hand */
	size_t move_count, move_room;
	struct step *steps; /* its instructions: weights, cycles */
	size_t step_count, step_room;
	struct costs *costs;
	/* an indirect call that ended the last record: its target is the next record's start */
	bool waiting;
	uint64_t waiting_site;
	/* Whole records, added up by path as an account adds them, by NO_INDIRECT, NO_BACKWARD of CTRL as walks. */
	struct profile paths[4];
	bool entries;  /* of a profile were added: they are paths already */
	bool broken;   /* the last record was not followed to its end: what follows it is not known to */
	uint64_t next; /* where the program goes on behind the last record; odd: not known */
	gather_watcher *watcher;
	void *watcher_context;
	uint32_t process;
	struct stack_node *nodes;         /* scaled copy */
	uint64_t whole_known, whole_lost; /* cycles of whole records, before the paths are shared */
	bool cut_off;                     /* the record at hand ends at a discontinuity */
	struct gather_result result;
};

/* Of an instruction in sorted code; count: it is not there. */
size_t gather_index(const struct gather_code *code, size_t count, uint64_t pc);
/* Adds the cycles that each instruction has by the paths of all records: want, by index in code. Corrects the sums of the
 * result: of a path that is known in part, the known part is a share of all its cycles, not of each record's. */
int gather_share_paths(struct gather *gather, const struct gather_code *code, size_t count, uint64_t *want);
#endif
