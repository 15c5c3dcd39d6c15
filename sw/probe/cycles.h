/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_CYCLES_H
#define RIVULET_PROBE_CYCLES_H
/*
 * The runtime of `rivulet insert --cycles`: a tree of calling contexts, a node for each function as called from a place
 * in a context (QTY's function accumulators and caller records), and the parallel stack, which is the chain of parents
 * from the running node.
 *
 *   function entered ──► child of the running node by (function, return address), found or made; it runs
 *   function left    ──► its self cycles are added; the parent runs
 *
 * A frame that is deeper on the stack than a new one, or than the one that returns, has been left by longjmp: it ends with
 * what it had at its last call. A tail call keeps the frame that it came from; both end at the return (QTY's exit points).
 * The tree leaves as a profile like counters (probe.h): the object's id is RIVULET_CYCLES_ID, the counters are the words
 * of the nodes.
 *
 * Not for several harts or threads at once. A kernel that switches stacks saves and loads the running node.
 */
#include <stdint.h>
#include "sw/probe/probe.h"

#define RIVULET_CYCLES_ID 0x2C79636C65730002u /* even, as starts of traces are */

struct rivulet_cycles_node {
	struct rivulet_cycles_node *parent; /* NULL: the root, which is nobody */
	uintptr_t *record;                  /* of the function: the node that it last ran as */
	uintptr_t site;                     /* return address */
	uintptr_t sp;
	uintptr_t self, self_high; /* cycles of all calls that have ended */
	uintptr_t calls, least, most;
	uintptr_t now; /* cycles of the call that runs, when it last called somebody */
	struct rivulet_cycles_node *child, *next;
	uintptr_t tail;   /* edge that it was jumped to by, from its parent; 0: called */
	uintptr_t left;   /* edge by which it jumps to another function, which has not been entered */
	uintptr_t serial; /* of the function; for the profile */
};
#define RIVULET_CYCLES_WORDS (sizeof(struct rivulet_cycles_node) / sizeof(uintptr_t))
#ifndef RIVULET_CYCLES_NODES
#define RIVULET_CYCLES_NODES 2048 /* when they are used up, counting stops, and the profile says so */
#endif

#define RIVULET_CYCLES_TABLE 512 /* nodes by site and parent, for cycles_hooks.S, which has the number too */
extern struct rivulet_cycles_node *rivulet_cycles_table[RIVULET_CYCLES_TABLE];
extern struct rivulet_cycles_node *rivulet_cycles_current;
extern uintptr_t rivulet_cycles_pending; /* cycles of the running call, as of the call that it makes */
/* The root's words that are used otherwise: calls: 1 if counting stopped; least: calls of handlers that came into the
 * runtime itself, not counted; most: frames that were left by longjmp; now: returns that fit no frame. */

/* For a kernel: the running context, to be kept with the process; NULL for a new one. */
struct rivulet_cycles_node *rivulet_cycles_switch(struct rivulet_cycles_node *to);
#endif
