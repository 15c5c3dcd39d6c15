/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_VERSIONS_H
#define RIVULET_INSERT_VERSIONS_H
/*
 * Two versions of each function of an object (`rivulet cc --switch`): the one that has its name, and a second one that
 * counts. A word of the runtime chooses at each entry (sw/probe/switch.c).
 *
 *   .text    f:  lw t, rivulet_probe_switch ; bnez t ──────┐      .text (the second one of that name)
 *                f as it was                               └────► f: the same code, with counters
 *                call g ──► g decides for itself                     call g ──► g, the first version
 *
 * A call that began in a version ends in it. Calls, jumps to other functions and addresses of functions always mean the
 * first version, so that a function has one address. What belongs to the second version alone is copied with it: tables
 * of switches, unwind entries, exception tables. Data is not copied: both versions have the same variables.
 */
#include "host/insert/graph.h"

struct versions {
	uint32_t sections; /* of the object before */
	uint32_t *second;  /* by number of a section: that of its copy, 0: it has none */
	uint32_t **labels; /* by number of a section: by offset, the symbol of that place in its copy; 0: none yet */
	struct versions_left { /* functions that have one version, and why */
		uint32_t section;
		uint64_t offset;
		const char *reason;
	} * left;
	size_t left_count, left_room;
};

/* Copies the code of an object. OBJECT_OK: functions that cannot have a second version are in `left`. */
int versions_make(struct object *object, uint32_t reserved, struct versions *versions, char *detail, size_t size);
void versions_free(struct versions *versions);

/* The object is opened again: *seconds, by function of its graph: the function that is its second version; itself: it
 * is one; GRAPH_NONE: it has none. Both keep what callers of one keep over it. To be freed. */
int versions_match(struct versions *versions, struct graph *graph, uint32_t **seconds);
/* Why a function has no second version. */
const char *versions_reason(const struct versions *versions, const struct graph_function *function);

/* ---- versions_tables.c, for versions.c and versions_copy.c ---- */
struct switch_tables { /* of labels, one behind the other, each of one function */
	struct switch_table {
		uint32_t section, function; /* that it lies in; index in the graph */
		uint32_t copy;              /* section with the copy; 0: none */
		uint64_t offset, end;
	} * tables;
	size_t count, room;
};
int versions_find_tables(struct switch_tables *tables, const struct graph *graph);
const struct switch_table *versions_table_around(const struct switch_tables *tables, uint32_t section, uint64_t offset);
/* The function of an atom (section index); GRAPH_NONE: none. */
uint32_t versions_function_at(const struct graph *graph, uint32_t section, size_t atom);
/* Whether a relocation is one of an address in code. */
bool versions_names_address(uint32_t type);
/* Why a function's labels cannot be told from those of its copy; NULL: each version has tables of its own. */
const char *versions_refuse_labels(const struct graph *graph, const struct switch_tables *tables, uint32_t function);
/* Whether an instruction (in section number `code`) names no table of the function by another address. */
bool versions_is_known(const struct graph *graph, const struct switch_tables *tables, uint32_t function,
    const struct edit_atom *atom, uint32_t code);

/* ---- versions_copy.c, for versions.c ---- */
/* Whether a section of code can be copied: NULL, or why not. */
const char *versions_refuse_section(const struct object_section *section);
/* Why a function cannot have a second version; NULL: it can. */
const char *versions_refuse_function(
    const struct graph *graph, const struct switch_tables *tables, const struct graph_function *function);
/* Copies all sections of code and what describes them. can: by function of the graph, whether it gets a version. */
int versions_copy(struct versions *versions, const struct graph *graph, struct switch_tables *tables, const bool *can);
#endif
