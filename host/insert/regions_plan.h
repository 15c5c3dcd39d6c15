/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REGIONS_PLAN_H
#define RIVULET_REGIONS_PLAN_H
/* What --regions does with one function: of profile_regions.c (which ways there are),
 * regions_variables.c and regions_codes.c. */
#include "host/insert/induction.h"
#include "host/insert/place.h"
#include "host/insert/regions_map.h"

#define NONE (-1)

struct own { /* a region */
	struct chords chords;
	struct placement placement;
	bool uses;       /* a sum */
	bool turns;      /* one path, counted when the region is left */
	bool difference; /* by the induction register */
	struct insert_induction induction;
	int variable;   /* NONE: none */
	int kept;       /* where the outer sum is while this region runs; NONE: it stays where it is */
	uint64_t place; /* its first counter among the function's; REGIONS_HASHED: its paths are in the hash table */
	uint64_t use;   /* weight of the codes for its sum */
	uint64_t into;  /* of the edges into it */
	/* where the sum is, and the outer one while this region runs (pending.h); 0: nowhere */
	uint32_t at, kept_at;
};

struct plan {
	struct insert_job *job;
	const struct graph_function *f;
	struct insert_numbered n;
	struct regions regions;
	struct regions_values values; /* region-based */
	struct regions_global global;
	struct own *own;
	bool is_global, is_stack, has_global;
	/* --hash: a table for regions of more paths than `array`, by number (regions_map.h) */
	bool regions_hashed, global_hashed, hashed; /* in either embodiment, and in the one at hand */
	uint64_t array, arrays;                     /* arrays: counters of the others */
	struct insert_table table;
	uint64_t base;
	int shared; /* stack: the one variable */
	bool again; /* it calls setjmp() */
	int levels[REGIONS_DEPTH_MAX + 1];
};

/* One step in the region-based embodiment, and in the global-based one; at most 8 codes. */
size_t region_codes(const struct plan *plan, const struct regions_step *step, struct inserter_code *codes);
size_t global_codes(const struct plan *plan, const struct regions_step *step, struct inserter_code *codes);
/* All steps of an edge or a way in, with push and pop. */
#define CODES_MAX (4 * REGIONS_STEPS_MAX)
size_t codes_of(const struct plan *plan, const struct regions_step *steps, uint32_t count, struct inserter_code *codes);

/* regions_pending.c: where the sums are, when all is put in; and the words that say so (regions_map.h). */
void regions_pending_find(struct plan *plan, const struct inserter *in);
int regions_pending_put(const struct plan *plan, struct insert_result *result);

/* regions_variables.c: where the sums of regions are. OBJECT_EUNSUPPORTED with a reason: nowhere. */
int regions_give_variables(struct plan *plan, struct inserter *in, const char **reason);
/* What codes cost, in instructions about; more if a variable is a word of the stack. */
uint64_t regions_codes_cost(const struct inserter *in, const struct inserter_code *codes, size_t count);
#define REGIONS_COST_SAVED 4
#endif
