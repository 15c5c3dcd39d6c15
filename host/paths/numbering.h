/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_NUMBERING_H
#define RIVULET_NUMBERING_H
/*
 * Numbers for the acyclic paths of a graph (EPP sections 3 and 4).
 *
 * Each edge gets a value so that the sums over the paths from ENTRY to EXIT are 0 to paths - 1, each once:
 *
 *   foreach vertex v in reverse topological order:
 *     paths(v) = 0
 *     foreach edge v -> w:  value(v -> w) = paths(v);  paths(v) += paths(w)         paths(EXIT) = 1
 *
 * Cycles are cut at back edges (those that a depth-first search from the roots finds going to a vertex it is still
 * in). For each back edge v -> w the graph gets the dummy edges v -> EXIT and ENTRY -> w, each once:
 *
 *   ENTRY ──► entry ──► ... ──► v ┄┄► EXIT         a path ends at v,
 *   ENTRY ┄┄► w ──► ... ──► EXIT                   the next one begins at w: sum := enter[w]
 *
 * A self loop v -> v takes no part: it gets a counter of its own, and a path goes on through it. Roots other than the
 * entry are targets of dummy edges too.
 *
 * Where a vertex would have more than `limit` paths to EXIT, its edges are cut like back edges (EPP section 5, "too
 * many paths"). Lost is then which paths before the cut were followed by which behind it; every edge and block count
 * stays exact.
 *
 * Vertices are 0 to count - 1; EXIT and ENTRY are no vertices of the caller's graph. Everything is iterative and linear
 * in the size of the graph.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBERING_EXIT UINT32_MAX
#define NUMBERING_NONE UINT64_MAX
#define NUMBERING_LIMIT (UINT64_C(1) << 62)

enum numbering_error {
	NUMBERING_OK = 0,
	NUMBERING_ENOMEM = -1,
	NUMBERING_EGRAPH = -2, /* an edge to a vertex that is none, or no vertex */
	NUMBERING_EPATH = -3,  /* no path has this number */
	NUMBERING_ESIZE = -4   /* more vertices than there is room for */
};
const char *numbering_strerror(int error);

/* The edges of v are to[first[v]] to to[first[v + 1] - 1]; NUMBERING_EXIT leads out. Several edges between the same two
 * vertices are different paths. */
struct numbering_graph {
	uint32_t count, entry;
	const uint32_t *first, *to;
	const bool *root; /* further ways in from outside; NULL: none */
};

enum numbering_kind {
	NUMBERING_PLAIN,
	NUMBERING_BACK, /* cut, because it closes a cycle */
	NUMBERING_SELF, /* v -> v: counted apart */
	NUMBERING_CUT   /* cut, because there would be too many paths */
};

struct numbering {
	struct numbering_graph graph; /* the caller's arrays, which must outlive this */
	uint64_t paths;               /* from ENTRY to EXIT, with those by dummy edges */
	uint64_t limit;               /* that was kept: smaller than asked for if ENTRY would have had too many */
	uint32_t back, self, cut;     /* edges of these kinds */
	uint64_t *value;              /* by edge; meaningless unless it is plain */
	uint8_t *kind;                /* by edge */
	uint64_t *count;              /* by vertex: paths to EXIT */
	uint64_t *enter; /* by vertex: value of ENTRY -> v; NUMBERING_NONE: no such edge. The entry's is that of its
			    plain edge */
	uint64_t *leave; /* by vertex: value of v -> EXIT, the dummy edge */
	uint32_t *order; /* vertices, each before its plain predecessors; `ordered` of them: those the roots reach */
	uint32_t ordered;
	uint32_t *enters; /* vertices with enter, by value */
	uint32_t enter_count;
};

/* limit 0: NUMBERING_LIMIT. */
int numbering_make(struct numbering *numbering, const struct numbering_graph *graph, uint64_t limit);
/* The same paths with other numbers: those that begin where the fewest begin come first. NUMBERING_OK or _ENOMEM. */
int numbering_small_first(struct numbering *numbering);
/* As numbering_make() has them again. */
void numbering_as_made(struct numbering *numbering);
/* The most paths, not more than `most`, that are all that begin at some vertices and have the first numbers. */
uint64_t numbering_first_starts(const struct numbering *numbering, uint64_t most);
void numbering_free(struct numbering *numbering);

/* A path from its number (EPP section 3.5): at each vertex the edge with the largest value that is not above what is
 * left of the sum. */
struct numbering_path {
	uint32_t first;  /* vertex */
	uint32_t length; /* edges to another vertex, stored in edges[]; may be more than max */
	uint32_t last;   /* vertex */
	bool from_entry; /* it begins at the entry, not behind a back edge or cut */
	bool to_exit;    /* by the edge exit; else it ends at a back edge or cut */
	uint32_t exit;
};
int numbering_path(
    const struct numbering *numbering, uint64_t number, struct numbering_path *path, uint32_t *edges, size_t max);
/* The same for a piece: the path from vertex `from` with this sum of values, as far as vertex `to` (NUMBERING_EXIT: to
 * the end). Such a sum is unique among the pieces between the two. */
struct numbering_span {
	uint32_t from, to;
	uint64_t sum;
};
int numbering_piece(const struct numbering *numbering, const struct numbering_span *span, struct numbering_path *path,
    uint32_t *edges, size_t max);
#endif
