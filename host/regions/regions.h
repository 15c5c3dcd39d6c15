/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_REGIONS_H
#define RIVULET_REGIONS_H
/*
 * Regions of a graph and the graph of each region (HPP: "Hierarchical Software Path Profiling").
 *
 * A region is a subgraph; two regions are nested or disjoint; a region has any number of entries and exits. The whole
 * graph is the outermost region. A hierarchical path runs inside one region, from an entry to an exit, and shows each
 * region inside it as one node (FIG. 1, 2 and 7):
 *
 *        A   B           region R2: A B R1 G H        paths  A R1 H   A R1 G   B R1 H   B R1 G
 *       ┌▼───▼──┐
 *       │ C ► E │        region R1: C D E F           paths  C D   C D F   C E F   E F
 *       │ ▼   ▼ │
 *       │ D ► F │        (F ► C goes back)
 *       └─▼───▼─┘
 *         H   G
 *
 * The graph of a region, CFG(R), is made by the numbered actions of HPP, "Outline of region-based augmentation":
 *
 *   1   back edges are removed; the source of one counts as an exit of R, the target as an entry
 *   2   a source Re leads to all entries                 (numbering.h: ENTRY; enter[] holds the values of Re -> e)
 *   3   all exits lead to a sink Rx                      (numbering.h: EXIT; one edge for each exit, its first)
 *   4   Rx leads to Re                                   (chords.h: EXIT -> ENTRY)
 *   5a  a region inside R is one node
 *   5b  each prolog node (source of an edge into it) has one edge to that node
 *   5c  that node has one edge to each epilog node (target of an edge out of it)
 *
 * What closes a cycle is decided in CFG(R), where inner regions are nodes already: a region that is left and entered
 * again (X -> Z -> Y with X and Y in it) closes one, though the graph has none there.
 *
 * Two slips of the document. RB_PProf puts `sum = val(Re -> e)` into the entry e itself; an entry may be reached from
 * inside its region too (E of FIG. 4), so it belongs on the edges from outside, as FIG. 5 and the text have it. And an
 * edge may enter several regions at once as it may leave several: each of them begins a path.
 *
 * Vertices, edges and roots are those of numbering.h, section on graphs. Nodes of CFG(R) are counted from 0, in order
 * of their lowest vertex. Functions of a million vertices are allowed; deeper nests than REGIONS_DEPTH_MAX are refused.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/paths/numbering.h"

enum regions_error {
	REGIONS_OK = 0,
	REGIONS_ENOMEM = -1,
	REGIONS_EGRAPH = -2,   /* the graph is none (numbering.h) */
	REGIONS_EEMPTY = -3,   /* a region without vertices, or with one that is not there */
	REGIONS_EOVERLAP = -4, /* it shares vertices with a region, and neither lies in the other */
	REGIONS_ESAME = -5,    /* there is a region of just these vertices */
	REGIONS_EDEPTH = -6,   /* nested deeper than REGIONS_DEPTH_MAX */
	REGIONS_ESIZE = -7,    /* more paths than asked for */
	REGIONS_EPATH = -8     /* no path has this sum */
};
const char *regions_strerror(int error);

#define REGIONS_NONE UINT32_MAX
#define REGIONS_DEPTH_MAX 64u

enum regions_kind {
	REGIONS_WHOLE,       /* the outermost region, always index 0 */
	REGIONS_LOOP,        /* a natural loop: entered at its head only */
	REGIONS_IRREDUCIBLE, /* a loop with several entries; its head is the one that a search finds first */
	REGIONS_HAMMOCK,     /* one entry, and all ways out lead to one vertex (find.h) */
	REGIONS_NAMED        /* by the user */
};
const char *regions_kind_name(unsigned kind);

struct regions_node { /* of CFG(R): one of the two is REGIONS_NONE */
	uint32_t vertex, region;
};

struct region {
	uint8_t kind;
	uint32_t parent, depth; /* REGIONS_NONE and 0: the outermost */
	uint32_t head;          /* vertex: of a loop or hammock; else the lowest */
	uint32_t size;          /* vertices, with those of inner regions */
	uint32_t tag;           /* the caller's */
	/* set by regions_close(): */
	uint32_t inner;             /* regions in it, at any depth: they follow it */
	uint32_t node;              /* of the region in its parent's graph */
	uint32_t nodes, node_count; /* in regions->nodes, ->entry, ->exit */
	uint32_t edges, edge_count; /* of CFG(R): its edges as indexes from here on, over all regions */
	uint32_t Er, Xr;            /* representative entry and exit node (5a); Xr REGIONS_NONE: it is never left */
	struct numbering numbering; /* of CFG(R) */
};

struct regions {
	struct numbering_graph graph; /* the caller's arrays, which must outlive this */
	uint64_t limit;
	struct region *all; /* each before those in it */
	uint32_t count;
	size_t room;
	uint32_t *of;               /* by vertex: the innermost region */
	uint32_t *inside, *touched; /* of regions_add() */
	/* set by regions_close(): */
	uint32_t *node; /* by vertex: in the graph of that region */
	bool *reached;  /* by vertex: from the entry or a root; other vertices are in no region, and their edges have no
			   data */
	uint32_t *common; /* by edge: the innermost region with both ends; REGIONS_NONE: the edge leads to EXIT */
	uint32_t
	    *local; /* by edge: the edge of CFG(common), counted from its first; REGIONS_NONE: it goes back, or out */
	struct regions_node *nodes;
	bool *entry, *exit; /* by node: entered from outside of the region, or from behind a back edge; left likewise */
	bool *outside, *leaves; /* by node: by an edge of the program, not only for a back edge */
	uint32_t *first, *to;   /* CFG(R) for the numbering; first has one more for each region */
	uint32_t node_count, edge_count;
};

/* The outermost region alone. limit: of paths of a region, from each node on (numbering.h); 0: as 64 bits hold. */
int regions_open(struct regions *regions, const struct numbering_graph *graph, uint64_t limit);
void regions_free(struct regions *regions);
/* Adds a region, in any order. *found: the region that it overlaps, or equals (REGIONS_EOVERLAP, REGIONS_ESAME), else
 * its own index for now. Indexes change in regions_close(); tags do not. */
struct regions_new {
	const uint32_t *vertices;
	uint32_t count;
	unsigned kind;
	uint32_t head, tag; /* head REGIONS_NONE: the lowest vertex */
};
int regions_add(struct regions *regions, const struct regions_new *region, uint32_t *found);
/* No more regions are added: makes and numbers the graph of each. */
int regions_close(struct regions *regions);

/* Whether region `inner` is `outer` or lies in it. After regions_close(). */
static inline bool regions_within(const struct regions *regions, uint32_t inner, uint32_t outer)
{
	return inner >= outer && inner - outer <= regions->all[outer].inner;
}
/* The node of a vertex in the graph of a region that it lies in. */
uint32_t regions_node_of(const struct regions *regions, uint32_t region, uint32_t vertex);

/* Prolog and epilog nodes of a region (5b, 5c): nodes of its parent's graph; at most max are stored, the number of them
 * is returned. */
uint32_t regions_prologs(const struct regions *regions, uint32_t region, uint32_t *nodes, uint32_t max);
uint32_t regions_epilogs(const struct regions *regions, uint32_t region, uint32_t *nodes, uint32_t max);
#endif
