/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MCDC_MATCH_H
#define RIVULET_MCDC_MATCH_H
/*
 * Which conditional branch of a program is which condition of the source, and which way is true.
 *
 *   line table ──► branches in a decision's lines and columns ─┐
 *   mapping ────► which condition follows which ───────────────┴─► one way to lay it over the other? ──► branches
 *
 * A branch is taken for a condition only if all of this holds:
 *
 * - Each copy of the decision (inlined, or in a loop that the compiler turned) has a branch for each condition.
 * - Its two ways go to the branches of the conditions that the source evaluates next, or out of the decision; of all
 *   ways to say which branch is which and which way is true, exactly one fits. Where the decision's value is computed
 *   first (clang -O0 in loops), the last branch tests that; a run must then have it as the conditions gave it.
 * - Its line and column are those that the compiler gives to this condition: clang has the operator behind it (the last
 *   one: the statement), gcc the operator before it (the first one: the statement, or the outermost operator). A
 *   compiler that had joined conditions and taken them apart again, perhaps in another order, would have one place for
 *   both. Code of gcc -O0 keeps their order, so its columns are not asked.
 * - No other branch of the program stands in the decision.
 */
#include "host/image/image.h"
#include "host/mcdc/mapping.h"

enum mcdc_reason {     /* why nothing can be said of a decision */
	MCDC_TOLD,     /* it can */
	MCDC_LARGE,    /* too many conditions */
	MCDC_UNCLEAR,  /* mapping */
	MCDC_CONSTANT, /* the compiler knows a condition */
	MCDC_NO_CODE,  /* no instruction of it in the program */
	MCDC_NO_BRANCH,
	MCDC_FOLDED, /* fewer branches than conditions */
	MCDC_EXTRA,  /* a branch that is no condition's */
	MCDC_SHAPE,  /* the branches do not go where the conditions go */
	MCDC_PLACE,  /* their columns do not tell the conditions apart */
	MCDC_SIDES,  /* which way is true is open */
	MCDC_ASTRAY, /* a run had its branches in an order that no evaluation has */
	MCDC_REASONS
};
/* "conditions were folded into one branch", as the rest of a sentence. */
const char *mcdc_reason_text(unsigned reason);

/* Ways of a branch on which the decision is known, and which lead to the branch of the last condition all the same: the
 * decision's value is computed, and that branch tests it. */
enum { MCDC_ECHO_TAKEN = 1, MCDC_ECHO_NOT_TAKEN = 2 };

struct mcdc_branch { /* sorted by pc */
	uint64_t pc;
	uint32_t decision;
	uint8_t condition;
	uint8_t echo; /* MCDC_ECHO_... */
	bool taken_is_true;
};

struct mcdc_found {        /* of one decision */
	uint8_t reason;    /* enum mcdc_reason */
	bool has_code;     /* there are instructions with a place in it */
	bool ran;          /* one of them did */
	bool never;        /* nor did anything else of its function */
	uint32_t branches; /* that stand in it */
	uint64_t pc;       /* an instruction of it, or the branch that does not fit */
};

struct mcdc_match {
	struct mcdc_branch *branches;
	size_t count, room;
	struct mcdc_found *found; /* by decision */
};

/* ran, ran_count: addresses that ran, sorted. MCDC_OK, MCDC_ENOMEM. To be freed in any case. */
int mcdc_match_make(struct mcdc_match *match, const struct mcdc_mapping *mapping, struct image *image,
    const uint64_t *ran, size_t ran_count);
void mcdc_match_free(struct mcdc_match *match);
/* The matched branch at pc, or NULL. */
const struct mcdc_branch *mcdc_branch_at(const struct mcdc_match *match, uint64_t pc);
#endif
