/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PATHS_PRIVATE_H
#define RIVULET_PATHS_PRIVATE_H
/* Shared by paths.c (tables) and build.c (frames) only. */
#include "host/base/array.h"
#include "host/base/hash.h"
#include "host/base/shelf.h"
#include "host/paths/paths.h"

struct function { /* beside cfg->functions */
	struct numbering numbering;
	uint64_t *counts; /* of whole paths by number, or NULL: they are in the table */
	uint64_t *spent;  /* beside them */
	bool joined;      /* cut paths were */
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
	uint32_t word;     /* the observer's */
	uint32_t turning;  /* the self loop (index in cfg->edges) whose turn this is, + 1; 0: none */
	uint64_t spent;    /* cycles of the path so far */
};

struct counter { /* of a path or piece, beside those in function->counts */
	uint32_t from, to;
	uint64_t sum, count, spent;
	bool begins;
	uint32_t joined; /* parts before it + 1; 0: none; PATHS_LOST */
};
struct joined_part {     /* of a path that was cut */
	uint32_t before; /* the one before it + 1; 0: none; PATHS_LOST */
	uint32_t function, from;
	uint64_t sum, number, key;
};
struct counter_key {
	const struct paths *paths;
	uint32_t from, to;
	bool begins;
	uint64_t sum;
	uint32_t joined;
};

struct paths {
	const struct cfg *cfg;
	struct function *functions;
	uint32_t *first, *to; /* graphs, all functions: first has one more for each */
	bool *root;
	bool *certain; /* by block: a record that starts there shows that a path begins there */
	uint64_t *edge_counts, *edge_spent, *block_spent;
	bool *edge_unknown;                /* edge_counts is not known */
	uint64_t *cut_behind, *cut_before; /* by block, by paths_list() */
	struct counter *counters;
	size_t counter_count, counter_room;
	struct hash table; /* of counters */
	struct joined_part *parts;
	size_t part_count, part_room;
	struct hash part_table;
	struct frame *frames; /* the newest is frames[depth - 1] */
	size_t depth, frame_size;
	size_t low;         /* frames below it have not changed since the last paths_save() or paths_load() */
	struct shelf shelf; /* of saved frames */
	uint64_t times;
	enum paths_continuity continuity;
	bool begun; /* paths_begin() was the last call */
	struct paths_counts counts;
	struct paths_observer observer; /* context NULL: none */
	int error;                      /* that it returned */
};

/* joined.c: the first block and the key of an entry that was joined. */
void paths_begin_joined(const struct paths *paths, uint32_t joined, struct paths_entry *entry);

/* The frames between two records, as a number; equal frames have equal numbers. Valid until paths_forget(). */
int paths_save(struct paths *paths, uint32_t *frames);
int paths_load(struct paths *paths, uint32_t frames);
int paths_forget(struct paths *paths);
uint32_t paths_hash_frame(const void *frame);
bool paths_same_frame(const void *a, const void *b);

/* The edge to a block, or one out of the function of this kind (and target, unless 0); CFG_NONE: there is none. */
uint32_t paths_find_edge(const struct cfg *cfg, uint32_t from, uint32_t to, unsigned kind, uint64_t target);
/* Adds count executions of so many cycles each. */
int paths_count(struct paths *paths, const struct counter_key *key, uint64_t spent, uint64_t count);
/* The same by all that makes a counter but its count, beside the arrays. */
int paths_count_key(struct paths *paths, const struct counter_key *key, uint64_t spent, uint64_t count);
#endif
