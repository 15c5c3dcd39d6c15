/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SURVEY_H
#define RIVULET_SURVEY_H
/*
 * What a path profile says beyond its counts: the columns of EPP's tables 2 and 3.
 *
 * Length of a path: its edges, with the one at its end (out of the function, or back); its instructions. Averages are
 * weighted by executions. Self loops, being no part of paths, are left out of lengths and predictions.
 *
 * Prediction by an edge profile: from the path's first block follow at each block the edge with the highest count; of
 * equal ones the last, which for a conditional branch is the taken one. A path is predicted correctly if that gives all
 * of its edges; else as far as the first wrong one. A back edge is right if the path ends by one there.
 */
#include "host/paths/paths.h"

struct paths_row {              /* of a function, or of all */
	uint64_t possible;      /* paths that the function has; of those executed at all only in the total */
	uint64_t executed;      /* distinct whole paths */
	uint64_t count;         /* executions of whole paths */
	uint64_t pieces;        /* executions of pieces */
	uint64_t insns;         /* instructions in whole paths */
	double parts;           /* of these executions: of parts of paths, which a cut begins or ends; at most */
	double part_insns;      /* instructions in those */
	uint64_t cut_functions; /* functions with such parts: 0 or 1; in the total their number */
	uint64_t self_insns;    /* in turns of self loops */
	uint64_t spent;         /* cycles in whole paths, if the records have them */
	uint64_t self_spent;    /* in turns of self loops */
	uint64_t edges;         /* in whole paths */
	uint64_t longest_edges, longest_insns;
	uint64_t hottest;              /* executions of the hottest path */
	uint64_t correct;              /* executions of paths that the edge profile predicts */
	uint64_t correct_paths;        /* distinct ones */
	uint64_t hit_edges, hit_insns; /* over all executions: as far as predicted */
	uint64_t hit_longest_edges, hit_longest_insns;
	uint32_t functions; /* with executed paths: 0 or 1; in the total their number */
	uint32_t missed;    /* functions whose hottest path is not the one that the edge profile names */
	uint64_t most;      /* distinct paths of the function that has most */
	bool truncated;     /* the function has more paths than were numbered */
	bool saturated;     /* the total of possible paths passes 64 bits */
};

struct survey {
	struct paths_row *rows; /* by function */
	struct paths_row total;
	uint64_t *blocks, *edges; /* block and edge profile; edges of pieces too */
	bool *part;               /* by entry: it may be a part of a path, cut off at its beginning or its end */
	bool *correct;            /* by entry: whole, and predicted by the edge profile */
	uint64_t *insns;          /* by entry: instructions of one execution */
};
int survey_make(struct survey *survey, const struct paths *paths, const struct paths_entry *entries, size_t count);
void survey_free(struct survey *survey);

/* The edge of vertex v that an edge profile names, not counting self loops; UINT32_MAX: it has none, or no counts. */
uint32_t survey_predict(const struct numbering *numbering, const uint64_t *counts, uint32_t v);

/* How much two profiles of a program have in common (EPP table 3): of b's paths those that a has too. */
struct common {
	uint64_t paths;      /* in both */
	uint64_t of;         /* of b */
	uint64_t count, all; /* executions of b's paths that a has; of all of b's */
	uint64_t insns, all_insns;
	double overlap; /* sum over paths of the smaller share of executions */
};
/* insns: by entry of b, one execution (struct survey). Whole paths only; both sorted as paths_list() does. */
void survey_common(const struct paths_entry *a, size_t a_count, const struct paths_entry *b, size_t b_count,
    const uint64_t *insns, struct common *common);
#endif
