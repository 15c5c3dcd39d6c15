/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_CONTEXTS_H
#define RIVULET_INSERT_CONTEXTS_H
/*
 * What `rivulet insert --cycles` counted: the tree of calling contexts out of a profile (sw/probe/cycles.h), in terms
 * of the original program, and its sums by function and by call edge.
 *
 *   profile ──► words of the nodes ──► contexts: function, site, calls, self, least, most
 *   maps of the edited and the original program: record ──► function; return address ──► site
 *
 * The profile is of the edited program; all addresses here are the original's.
 */
#include "host/insert/cost.h"
#include "host/profile/profile.h"

#define CONTEXTS_NOBODY 0u /* the context above all; not a call */
#define CONTEXTS_NONE UINT32_MAX

struct context {
	uint32_t parent;   /* its index is smaller; of the first ones CONTEXTS_NOBODY */
	uint32_t function; /* in the original's map */
	uint64_t site;     /* of the call or jump; 0: it is in code that was not edited, or this is a class */
	uint32_t caller;   /* function that the site is in: not its parent's, if code without counters lies between;
			      CONTEXTS_NONE: it is in code that was not edited */
	bool tail;
	uint64_t calls, self, least, most; /* least, most: own cycles of one call */
	uint64_t inclusive;                /* with all below it */
};

struct context_function { /* by address; those that were called */
	uint32_t function;
	uint64_t address;
	const char *name;
	uint64_t calls, self, inclusive, least, most;
};

struct context_edge { /* by site, target */
	uint64_t site, target;
	uint32_t caller, callee; /* functions of the map */
	bool tail;
	uint64_t calls, self, inclusive, least, most;
};

struct contexts {
	struct context *all;
	size_t count;
	struct context_function *functions;
	size_t function_count;
	struct context_edge *edges; /* site 0: the caller is not known */
	size_t edge_count;
	/* rows of classes (sw/probe/cycles.h) are functions without an address; their callers are known, their sites
	 * not */
	uint64_t self;  /* of all */
	uint64_t input; /* cycles of waiting for a user: in none of the others */
	bool stopped;   /* the runtime had no more room for contexts: those that were new later are not counted */
	uint64_t skipped, unwound, torn; /* calls of handlers, calls left by longjmp, entries that found none */
	uint64_t gone, threads, stacks;  /* handlers that did not return; entries of other threads, of other stacks */
	uint64_t damaged; /* contexts that the program wrote over: found by the runtime, or because their numbers
			     contradict each other */
};

enum contexts_error {
	CONTEXTS_OK = 0,
	CONTEXTS_ENOMEM = -1,
	CONTEXTS_ENONE = -2,  /* the profile has no contexts */
	CONTEXTS_EBUILD = -3, /* the profile, the edited program and the original do not belong together */
	CONTEXTS_EFORM = -4   /* the words of the nodes are no tree */
};
const char *contexts_strerror(int error);

/* edited: only its map and image are read. */
int contexts_make(struct contexts *contexts, const struct insert_original *original,
    const struct insert_original *edited, const struct profile *profile);
void contexts_free(struct contexts *contexts);
/* Whether code without counters lies between the context and its parent: x->caller. */
bool contexts_between(const struct contexts *contexts, const struct context *x);
/* What such a caller is called, where it is of no function of the map. */
#define CONTEXTS_UNCOUNTED "(code without counters)"
#endif
