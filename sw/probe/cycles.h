/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROBE_CYCLES_H
#define RIVULET_PROBE_CYCLES_H
/*
 * The runtime of `rivulet insert --cycles`: a tree of calling contexts, a node for each function as called from a place
 * in a context (QTY's function accumulators and caller records). The parallel stack is the program's own: each frame
 * keeps its node in a register or a word of its own, so that longjmp, tail calls, handlers and other stacks do not tear
 * it.
 *
 *   call site         now = cycles so far; hint = slot[k]: the node of what was called from here last
 *   function entered  the hint's node is its own if tag and site are: no search. Else rivulet_cycles_enter finds or
 *                     makes it
 *   function left     self += cycles, calls++, least, most, now = 0; hint = back: the caller runs
 *
 * The hint is an address such that hint->tag is no function's where no node is known:
 *
 *   a node                      likely the one of what is entered; its parent runs
 *   &node->slot[k] - 1 word     the node runs, and its slot k is empty: slot[k] holds this very value
 *   &node->sp - 1 word          the node runs; nobody knows who calls
 *
 * `now` is not 0 from the first call that a function makes until it is left. A node that is entered while it is not 0,
 * or that is not of those that run when the program ends, was left by longjmp: it ends with what it had at its last
 * call.
 *
 * A tail call leaves the function that makes it (QTY's exit points). The function that is jumped to becomes a child of
 * that one, and returns to its caller. A function that calls nobody does not write the hint when it is left. If such a
 * function is entered by a tail call, its node has an odd site, which no call has: the hint then never names the node
 * as the right one, the runtime is called at the entry, and it writes the hint.
 *
 * The tree is sent as a profile, as counters are (probe.h): the object's id is RIVULET_CYCLES_ID, the counters are the
 * words of the nodes.
 *
 * Not for several harts or threads at once. A kernel that switches stacks saves and loads the hint.
 */
#include <stdint.h>
#include "sw/probe/probe.h"

#define RIVULET_CYCLES_ID 0x2C79636C65730004u /* even, as starts of traces are */
#define RIVULET_CYCLES_SLOTS 14               /* call sites beyond share the last one */

struct rivulet_cycles_node {          /* 32 words, at a multiple of its size; first what inserted code uses */
	uintptr_t sp;                 /* stack pointer when it was left by a jump; never equal to a tag */
	uintptr_t tag;                /* address in the function; 0: a root */
	uintptr_t site;               /* return address; + 1: of a leaf that was jumped to */
	uintptr_t now;                /* cycles of the call that runs, when it last called somebody; of a root 1 */
	uintptr_t back;               /* hint when it has been left */
	uintptr_t self;               /* cycles of all calls that have ended; not where all calls take the same */
	uintptr_t calls, least, most; /* of calls that were left as usual */
	uintptr_t left;               /* edge + 1 by which it jumped to another function; less than 0: to code that
				       * returns, and jumps to nobody who has a context */
	uintptr_t self_high;
	uintptr_t early;                    /* calls that ended at their last call */
	struct rivulet_cycles_node *parent; /* NULL: the root, which is no function */
	uintptr_t *record;                  /* of the function; NULL: root of a process */
	uintptr_t tail;                     /* edge + 1 that it was jumped to by, from its parent; 0: called */
	uintptr_t home;                     /* the slot that it is in; in the profile the function's serial number */
	struct rivulet_cycles_node *child, *next;
	uintptr_t slot[RIVULET_CYCLES_SLOTS];
};
#define RIVULET_CYCLES_WORDS (sizeof(struct rivulet_cycles_node) / sizeof(uintptr_t))
enum rivulet_cycles_word { /* words of it, for the host */
	RIVULET_CYCLES_SP,
	RIVULET_CYCLES_TAG,
	RIVULET_CYCLES_SITE,
	RIVULET_CYCLES_NOW,
	RIVULET_CYCLES_BACK,
	RIVULET_CYCLES_SELF,
	RIVULET_CYCLES_CALLS,
	RIVULET_CYCLES_LEAST,
	RIVULET_CYCLES_MOST,
	RIVULET_CYCLES_LEFT,
	RIVULET_CYCLES_SELF_HIGH,
	RIVULET_CYCLES_EARLY,
	RIVULET_CYCLES_PARENT,
	RIVULET_CYCLES_RECORD,
	RIVULET_CYCLES_TAIL,
	RIVULET_CYCLES_SERIAL, /* home */
	RIVULET_CYCLES_CHILD,
	RIVULET_CYCLES_NEXT,
	RIVULET_CYCLES_SLOT
};
#ifndef RIVULET_CYCLES_NODES /* when they are used up new contexts are not counted, and the profile says so */
#ifdef __linux__
#define RIVULET_CYCLES_NODES 65536 /* memory that is not touched costs nothing there */
#else
#define RIVULET_CYCLES_NODES 1024
#endif
#endif

/* Classes: instructions whose time something outside of the program decides, and those that a user asks for by --class.
 * The cycles of a class are in a node of its own below the function, and not among the function's. */
enum rivulet_cycles_class {
	RIVULET_CYCLES_WAIT,   /* WFI, and what the core's rules call `wait' */
	RIVULET_CYCLES_SYSTEM, /* ECALL */
	RIVULET_CYCLES_DEVICE,
	RIVULET_CYCLES_INPUT, /* for a user: not charged */
	/* what is asked for by --class: cycles in execution, by the rules */
	RIVULET_CYCLES_DIVIDE,
	RIVULET_CYCLES_MULTIPLY,
	RIVULET_CYCLES_CLASSES
};
#define RIVULET_CYCLES_CLASS_ID 0x2C79636C65730006u       /* the records of the classes */
extern struct rivulet_cycles_node rivulet_cycles_nodes[]; /* the first one is the root */
extern uintptr_t rivulet_cycles_hint;
#define RIVULET_CYCLES_TABLE 256 /* nodes by site and parent, for cycles_hooks.S, which has the number too */
extern struct rivulet_cycles_node *rivulet_cycles_table[RIVULET_CYCLES_TABLE];
/* Words of the root that have another meaning there: calls: 1 if there was no more room; least: calls of
 * handlers that came into the runtime itself, not counted; most: calls that were left by longjmp; self: hints that
 * were no node, because the program wrote over them. In the profile also: early: handlers that did not return;
 * self_high: entries on a stack that the program did not report; tail: entries of other threads, not counted; site:
 * nodes that the program wrote over. */

/* For a kernel that changes stacks: returns what is to be kept with the process that ran, and goes on with what was
 * kept with another one; 0: a new process, with a root of its own. */
uintptr_t rivulet_cycles_switch(uintptr_t to);
/* Weak: whether a function that is entered with this stack pointer runs on another stack or in another thread, and is
 * therefore no part of this tree. cycles_linux.c and soc.c define it. */
enum rivulet_cycles_strange { RIVULET_CYCLES_KNOWN, RIVULET_CYCLES_STACK, RIVULET_CYCLES_THREAD };
enum rivulet_cycles_strange rivulet_cycles_strange(uintptr_t sp) __attribute__((weak));
/* Weak: handlers that were entered and did not come back. */
uintptr_t rivulet_cycles_gone(void) __attribute__((weak));
/* For trap entries (trap.c is one): what is called from here on is below nobody, not below what was interrupted.
 * Returns what rivulet_cycles_switch() is given when the handler is left. */
uintptr_t rivulet_cycles_handler(void);
#endif
