/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MCDC_MAPPING_H
#define RIVULET_MCDC_MAPPING_H
/*
 * Decisions and their conditions, as clang 19 writes them into an object with
 *
 *   clang-19 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -c x.c
 *
 * (LLVM, "Code Coverage Mapping Format", version 7). The object may be of any machine: nothing of its code is used. A
 * decision is an expression of && and || with at least two conditions; a condition is an operand that is neither.
 *
 *   __llvm_covmap ──► names of files ─┐
 *   __llvm_covfun ──► regions ────────┴─► decision ──► conditions, each with the next one for true and for false
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mcdc_error {
	MCDC_OK = 0,
	MCDC_ENOMEM = -1,
	MCDC_EOPEN = -2,    /* cannot be read */
	MCDC_EELF = -3,     /* not an object */
	MCDC_ENOMAP = -4,   /* without a mapping, or without decisions in it */
	MCDC_EVERSION = -5, /* of another version of the format */
	MCDC_EFORMAT = -6   /* damaged */
};
const char *mcdc_strerror(int error);

#define MCDC_CONDITIONS 12                /* of a decision that can be told; larger ones are named as such */
enum { MCDC_FALSE = -2, MCDC_TRUE = -1 }; /* where a decision ends */

struct mcdc_span { /* end_column is the first one behind it; columns count bytes, from 1 on */
	unsigned line, column, end_line, end_column;
};

struct mcdc_condition {
	struct mcdc_span span;
	bool constant;         /* the compiler knows its value */
	int if_true, if_false; /* the next condition, a later one; MCDC_TRUE, MCDC_FALSE: the decision's outcome */
};

struct mcdc_decision {
	char *file; /* as clang names it: whole, by the folder that it was called in */
	char *name; /* the same without that folder */
	struct mcdc_span span;
	struct mcdc_condition *conditions; /* in the order of the source */
	unsigned count;
	bool
	    unclear; /* the mapping does not have each condition once; then, and above MCDC_CONDITIONS: none are here */
};

struct mcdc_mapping {                    /* of zeros: empty */
	struct mcdc_decision *decisions; /* each place once */
	size_t count, room;
};

/* Adds the decisions of an object. On an error what was there stays. */
int mcdc_mapping_read(struct mcdc_mapping *mapping, const char *path);
/* The same from bytes of an object. */
int mcdc_mapping_take(struct mcdc_mapping *mapping, const void *bytes, size_t size);
/* Only decisions of files that are wanted stay. */
void mcdc_mapping_choose(struct mcdc_mapping *mapping, bool (*wanted)(void *, const char *), void *context);
/* By file, then place. */
void mcdc_mapping_sort(struct mcdc_mapping *mapping);
void mcdc_mapping_free(struct mcdc_mapping *mapping);
#endif
