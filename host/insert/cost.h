/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_COST_H
#define RIVULET_INSERT_COST_H
/*
 * What the blocks of a function cost in the unedited program (QTY section I.B, steps 310 to 340), by the rules of a
 * core and the addresses that the linker gave its code: the program that was linked from the same objects with
 * `rivulet insert --map`, whose code is that of the unedited ones.
 *
 * A block's cycles depend on the state of the core (host/cycles/core.h) when it is entered: always the same behind a
 * transfer, another one behind a block that falls into it. So a cost belongs to an edge. It is known if the state
 * behind the block before is known. If that state depends on how the block before was entered, that block is mixed: it
 * is entered in way 0 or in way 1, its edges have a cost for each way, and a variable of the profiler holds the way.
 *
 *        edge ──► head: from the block's start to its first call ─ call ─ middle ─ call ─ tail ──► edge
 *                 by the edge's state                              behind a call: one state
 */
#include "host/cycles/core.h"
#include "host/image/image.h"
#include "host/insert/map.h"

struct insert_original {
	struct map *map;
	struct image *image;
	struct core core;
	const char *name;
	bool compressed;         /* it has compressed instructions, so the core that runs it does */
	uint8_t apart[CORE_OPS]; /* by instruction: its class (enum rivulet_cycles_class) if that is a row of its own;
				      * 0: its function has its cycles */
};
/* Opens program and map. 0, or -1 with a sentence. */
int insert_original_open(
    struct insert_original *original, const char *program, const char *core, char *detail, size_t size);
/* Instructions of this class (RIVULET_CYCLES_DIVIDE or _MULTIPLY) are a row of their own: what they take in execution
 * is not in the cost of their block. Cycles in which they wait for others stay there. */
void insert_original_apart(struct insert_original *original, unsigned class);
void insert_original_close(struct insert_original *original);

#define COST_STATES_MAX 8
struct cost_block {
	uint32_t state_count;
	struct core_state states[COST_STATES_MAX]; /* that it is entered in */
	uint8_t way[COST_STATES_MAX];              /* of each, if it is mixed: 0 or 1 */
	bool mixed;
	uint8_t enter_way; /* for entries from outside of the function */
	uint32_t calls;
	uint32_t middles; /* index in cost->middles: cycles from behind call i to call i + 1, calls - 1 of them */
	uint32_t tail;    /* from behind the last call to the end; of a block without calls 0 */
};
enum cost_way { /* what an edge does to the way, for the block that it leads to */
	COST_WAY_NONE,
	COST_WAY_0,
	COST_WAY_1,
	COST_WAY_SAME /* as it was */
};
struct cost_edge {
	uint32_t head; /* cycles of the block that it leads to, up to its first call; also what lies in between */
	int32_t more;  /* out of a mixed block: more than that, in way 1 */
	uint8_t way;   /* enum cost_way */
};
struct cost {
	struct cost_block *blocks; /* by block of the function */
	struct cost_edge *edges;   /* by edge of the function */
	uint32_t *enter;           /* by block: the head, for entries from outside of the function */
	uint32_t *middles;
	size_t middle_count, middle_size;
};
enum cost_error {
	COST_OK = 0,
	COST_ENOMEM = -1,
	COST_EOTHER = -2 /* the original is another program */,
	COST_EMIXED = -3 /* a block is entered in more than two ways that matter */
};
/* function: index in original->map. */
int cost_make(struct cost *cost, const struct insert_original *original, uint32_t function);
void cost_free(struct cost *cost);
#endif
