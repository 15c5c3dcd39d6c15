/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_INSERT_GRAPH_H
#define RIVULET_INSERT_GRAPH_H
/*
 * Control-flow graphs of an object's functions, from its atoms (host/object/edit.h), symbols and relocations.
 *
 * A function is what lies between its symbol and the next one; parts that jump into each other's middle (f and f.cold)
 * are one function. A call does not end a block. All indirect jumps through one table go to a vertex of its own without
 * code, and from there to the targets: code for a way through the table goes before the jump, and behind the table's
 * entry.
 *
 * Registers that are live are found by the usual iteration over the instructions; a register that a caller of the same
 * object keeps over a call, against the calling convention (libgcc's division does), is live at the callee's return.
 */
#include "host/object/edit.h"

struct isa_insn; /* isa/isa.h */

enum graph_edge_kind {
	GRAPH_FALL,
	GRAPH_TAKEN,
	GRAPH_JUMP,  /* direct, also into a far pair */
	GRAPH_INTO,  /* an indirect jump, to its table's vertex */
	GRAPH_TABLE, /* from there to a target */
	/* these leave the function: `to` is GRAPH_NONE */
	GRAPH_RETURN,     /* also a trap return */
	GRAPH_TAIL,       /* a jump to another function, direct or by a register */
	GRAPH_TAIL_TAKEN, /* by a conditional branch */
	GRAPH_TAIL_FALL,  /* by falling into it */
	GRAPH_NO_RETURN   /* a call with nothing behind it, an instruction that traps */
};

#define GRAPH_NONE UINT32_MAX
/* Functions of the C++ and C runtimes, by their names in objects, that come back to nobody. */
bool graph_never_returns(const char *name);

struct graph_edge {
	uint32_t to; /* block */
	uint8_t kind;
};

struct graph_block {
	uint32_t section;     /* index in edit->sections; GRAPH_NONE: a table's vertex */
	uint32_t first, last; /* atoms */
	uint32_t edges, edge_count;
	uint32_t depth;          /* of loops around it */
	uint32_t ways;           /* edges of the graph that lead here */
	uint32_t fall;           /* that of kind GRAPH_FALL, or GRAPH_NONE */
	bool named;              /* something that is no branch names its label */
	bool root, pad;          /* entered from outside; pad: by an exception */
	uint32_t live_x, live_f; /* before its first atom */
};

struct graph_function {
	uint32_t symbol; /* names it */
	uint32_t section;
	uint64_t offset;              /* of its entry: section number, old offset */
	uint32_t blocks, block_count; /* in graph->blocks; the first is the entry */
	uint32_t edge_first, edge_count;
	const char *odd;   /* why nothing can be put into it; NULL */
	bool fixed;        /* something computes places of its code: its instructions keep their lengths */
	bool calls;        /* has calls; without them registers that calls change are its own */
	bool calls_system; /* has an ECALL */
	bool writes_gp;
	uint32_t mentioned;        /* integer registers that it reads, writes or has live somewhere */
	uint32_t takes_x, takes_f; /* temporaries that it is given values in (clang: arguments; gcc: a static chain) */
	uint32_t kept;             /* that its callers keep over it, though they need not; all that are reserved */
	uint32_t reserves;         /* that belong to the program, by what this function does with them (reserved.h) */
};

struct graph {
	struct edit *edit;
	unsigned set; /* of isa_decode() */
	struct graph_function *functions;
	size_t function_count, function_size;
	struct graph_block *blocks;
	size_t block_count, block_size;
	struct graph_edge *edges;
	size_t edge_count, edge_size;
	uint32_t **block_of;             /* by section index and atom: block + 1 */
	struct graph_table {             /* what refers to a label in code: a jump table's entry, a stored address */
		uint32_t section, block; /* code: section number; block of the vertex */
		uint64_t offset;         /* code */
		uint32_t from;           /* section that holds the entry; 0: an AUIPC without relocation names it */
		size_t reloc;            /* in that section */
		uint32_t object;         /* symbol of the program's object that the entry lies in; 0: none */
		bool distance, narrow;   /* a half of a distance between labels; in 8 or 16 bits */
		bool entry;              /* it is the entry of a function, by a name of its own */
	} * takens;
	size_t taken_count, taken_size;
	struct graph_way {               /* a table's vertex */
		uint32_t block, section; /* section that holds the table */
		bool all; /* it leads to every label that something names, and what names them must stay as it is */
		uint64_t offset, end; /* in it */
	} * ways;
	size_t way_count, way_size;
	bool writes_gp;
	uint32_t missing;  /* integer registers that the machine does not have: RV32E */
	uint32_t reserved; /* integer registers that nothing may be kept in: what was given, and what functions say */
};

int graph_open(struct graph **graph, struct edit *edit, uint32_t reserved);
void graph_close(struct graph *graph);
/* The instruction of an atom; of a pair: its JALR, as if it stood alone. */
void graph_insn(const struct graph *graph, const struct edit_atom *atom, struct isa_insn *insn);
/* Registers live before an atom of a block; only integer registers in x. */
void graph_live(const struct graph *graph, uint32_t block, uint32_t atom, uint32_t *x, uint32_t *f);

/* Whether what names a label is an entry of a table. */
bool graph_in_way(const struct graph *graph, const struct graph_way *way, const struct graph_table *taken);
/* Registers that a function writes before it reads them, whatever is live there otherwise: its first instruction calls
 * millicode (-msave-restore) by t0. */
uint32_t graph_dead_at_entry(const struct graph *graph, const struct graph_function *function);
/* Some functions are copies of others (all[i]: the function that is the copy of i, or i, or GRAPH_NONE): what callers
 * of one keep over it, or give it, they do so of the other. */
int graph_keep_alike(struct graph *graph, const uint32_t *all);
/* The way of a vertex. */
const struct graph_way *graph_way_of(const struct graph *graph, uint32_t vertex);

#define GRAPH_CALLER_SAVED 0xF003FCE0u /* ra is not among them: t0-t2, a0-a7, t3-t6 */
#define GRAPH_ARGUMENTS 0x0003FC00u
#define GRAPH_CALLEE_SAVED 0x0FFC0300u
#endif
