/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_LAYOUT_H
#define RIVULET_LAYOUT_H
/*
 * The code of a linked program (host/linked) in a better order, by the exact counts of a run:
 *
 *   functions   callers before what they call, the hot ones together (clusters.h)
 *   blocks      those that follow one another lie behind one another, those that did not run behind them (tsp.h);
 *               branches are inverted, jumps come and go (edit_order())
 *
 * Blocks of a function keep their order where there is any doubt (enum layout_reason). Every address of code that the
 * program has is a relocation, or the program is refused; so each follows what it names.
 */
#include "host/linked/linked.h"

struct layout_site {      /* an instruction that ran */
	uint64_t address; /* of the file */
	uint64_t count, taken, not_taken;
};
enum layout_reason {
	LAYOUT_DONE,    /* its blocks lie in another order, or stayed because that is the best one */
	LAYOUT_UNRUN,   /* it did not run */
	LAYOUT_DATA,    /* data among its code */
	LAYOUT_ADDRESS, /* code reads an address within it */
	LAYOUT_TABLE,   /* a jump by a register, no table that data has, and it reads where it begins itself */
	LAYOUT_NARROW,  /* data has distances of its blocks in 8 or 16 bits, which longer ones would not fit */
	LAYOUT_CATCHES, /* exception tables that name its blocks, and cannot be sorted anew */
	LAYOUT_ENTRIES, /* it is called, or has a symbol of a function, in its middle; or has no size */
	LAYOUT_UNWIND,  /* an unwind entry that cannot be written anew */
	LAYOUT_REACH,   /* a branch would not reach */
	LAYOUT_REASONS
};
const char *layout_reason_text(unsigned reason);

struct layout_options {
	const struct layout_site *sites; /* by address */
	size_t site_count;
	bool functions, blocks; /* what may get another order */
};
struct layout_counts {
	uint64_t functions, ran;          /* ran: of them */
	uint64_t moved;                   /* functions whose blocks have another order */
	uint64_t reasons[LAYOUT_REASONS]; /* of functions that ran */
	uint64_t turned, gone, added;     /* branches inverted; jumps that went, that came */
	uint64_t gone_count, added_count; /* how often they ran, would have run */
	uint64_t old_size, new_size;      /* of code */
	bool debug;                       /* it had debug information, which is left out */
	bool in_order;                    /* functions keep theirs: a jump would not have reached */
	bool far;                         /* calls of what stays are two instructions */
};
/* The program with its code in that order. OBJECT_OK or an error of object.h. */
int layout_program(const struct linked *linked, const struct layout_options *options, struct layout_counts *counts,
    struct linked_result *result);
#endif
