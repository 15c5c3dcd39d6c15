/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PATHS_PRIVATE_H
#define RIVULET_PATHS_PRIVATE_H
/* Shared by paths.c (tables) and build.c (frames) only. */
#include "host/paths/paths.h"

struct function { /* beside cfg->functions */
	struct numbering numbering;
	uint64_t *counts; /* of whole paths by number, or NULL: they are in the table */
};

enum pending {      /* how a frame goes on */
	AT_NOTHING, /* its path has ended */
	AT_MIDDLE,  /* behind an instruction inside its block, at `next` */
	AT_DIRECT,  /* at `next`: fall, branch or jump from the end of its block */
	AT_CALL,    /* in a callee, which returns to `next` */
	AT_RETURN,
	AT_INDIRECT,
	AT_XRET
};

struct frame {
	uint32_t from, block; /* first block of the path or piece, present one; CFG_NONE: outside of all blocks */
	uint64_t next;        /* address */
	uint32_t insns;       /* of the present block, executed */
	uint64_t sum;
	bool begins, trap; /* trap: a handler; the frame below it is what it interrupted */
	uint8_t pending;   /* enum pending */
};

struct slot { /* count 0: empty */
	uint32_t from, to;
	uint64_t sum, count;
	bool begins;
};

struct paths {
	const struct cfg *cfg;
	struct function *functions;
	uint32_t *first, *to; /* graphs, all functions: first has one more for each */
	bool *root;
	bool *certain; /* by block: a record that starts there shows that a path begins there */
	uint64_t *edge_counts;
	struct slot *slots;
	size_t size, used;
	struct frame *frames; /* the newest is frames[depth - 1] */
	size_t depth, frame_size;
	uint64_t times;
	enum paths_continuity continuity;
	bool begun; /* paths_begin() was the last call */
	struct paths_counts counts;
};

/* Adds count executions. */
int paths_count(struct paths *paths, uint32_t from, uint32_t to, bool begins, uint64_t sum, uint64_t count);
#endif
