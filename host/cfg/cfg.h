/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CFG_H
#define RIVULET_CFG_H
/*
 * Control-flow graphs of a program's functions, from its instructions alone; symbols help where there are any.
 *
 *   symbols, ELF entry, call targets, ──► functions ──► blocks ──► edges ──► dominators, loops
 *   code pointers, gaps                      ▲                       │
 *                                            └── jump tables, calls ─┘
 *
 * A function is what its entry reaches without following calls. A jump to the entry of another function is a tail
 * call; code that two functions reach becomes a function of its own (CFG_SHARED). `f.cold` is a part of f. A call whose
 * callee never returns ends its block's function there. Code inside a function's symbol that nothing known reaches is
 * kept as further roots.
 *
 * An indirect jump is resolved if its target is a known constant, or is loaded from a table at a known address by a
 * bounded or countable index, as gcc and clang compile `switch` (absolute and relative entries) and computed goto. What
 * is not resolved is an edge CFG_UNRESOLVED out of the function and counted.
 *
 * Everything belongs to the graph, strings to the image, which must outlive it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/image/image.h"

enum cfg_error { CFG_OK = 0, CFG_ENOMEM = -1 };

#define CFG_NONE UINT32_MAX

enum cfg_edge_kind {
	CFG_FALL,  /* into the next block; a conditional branch that is not taken */
	CFG_TAKEN, /* a conditional branch that is */
	CFG_JUMP,
	CFG_AFTER_CALL, /* from a call to where it returns to */
	CFG_TABLE,      /* an indirect jump, resolved */
	/* these leave the function: to is CFG_NONE */
	CFG_RETURN,
	CFG_TAIL,          /* to another function's entry; also by falling into it */
	CFG_TAIL_INDIRECT, /* by a register, with the caller's frame gone */
	CFG_NO_RETURN,     /* the call before does not return */
	CFG_XRET,          /* trap return */
	CFG_STOP,          /* an instruction that always traps, and that nothing says goes on */
	CFG_UNRESOLVED,    /* an indirect jump whose targets are not known */
	CFG_OUTSIDE,       /* code ends here, or is of no known kind */
	CFG_EDGE_KINDS
};
const char *cfg_edge_name(unsigned kind); /* "fall", ... */

struct cfg_edge {
	uint32_t to;     /* block, or CFG_NONE */
	uint64_t target; /* its address; 0 if it is not known */
	uint8_t kind;
};

enum cfg_call { CFG_NO_CALL, CFG_CALL, CFG_CALL_INDIRECT };

struct cfg_block {
	uint64_t start, end, last; /* first address, first behind it, address of the last instruction */
	uint32_t insns;
	uint32_t function;
	uint32_t edges, edge_count; /* in cfg->edges, in the order of enum cfg_edge_kind, tables by address */
	uint32_t callee;            /* CFG_CALL: function, or CFG_NONE: no code there */
	uint32_t loop;              /* innermost, or CFG_NONE */
	uint32_t dominator; /* immediate dominator; CFG_NONE for the function's entry and for what it does not reach */
	uint8_t call;       /* enum cfg_call */
	bool root;          /* nothing known leads here: entry, or left over */
};

enum cfg_origin { /* how a function was found */
	CFG_SYMBOL,
	CFG_ENTRY,
	CFG_CALLED,
	CFG_POINTER, /* its address is formed in code or lies in data */
	CFG_SHARED,  /* several functions jump there */
	CFG_GAP      /* code that nothing known reaches */
};
const char *cfg_origin_name(unsigned origin);

struct cfg_function {
	const char *name; /* NULL: has none */
	uint64_t start;
	uint32_t blocks, block_count; /* in cfg->blocks, by address */
	uint32_t entry;               /* block */
	uint32_t loops, loop_count;   /* in cfg->loops, an outer one before those in it */
	uint32_t insns, edge_count;
	uint32_t unresolved; /* indirect jumps */
	uint32_t leftover;   /* roots other than the entry */
	uint8_t origin;
	bool returns;   /* some path through it returns to the caller, as far as is known */
	bool reducible; /* each loop is entered at its head only */
};

/* A loop: its head and everything that reaches the head again without leaving. */
struct cfg_loop {
	uint32_t function, head, parent; /* parent: index, or CFG_NONE */
	uint32_t depth;                  /* 1: outermost */
	uint32_t block_count;            /* with inner loops */
	uint32_t latches;                /* edges back to the head */
	bool reducible;
};

struct cfg_table { /* an indirect jump inside a function: neither a call nor an indirect tail call */
	uint64_t site;
	uint64_t address; /* of the table; 0: no table */
	uint32_t targets; /* distinct; 0: unresolved */
	uint32_t entries; /* of the table */
	bool bounded;     /* the code checks the index; else the end of the table was guessed */
	uint32_t function;
};

struct cfg_counts {
	uint32_t functions, blocks, edges, insns, loops, irreducible;
	uint32_t calls, indirect_calls, tail_calls, indirect_tail_calls, no_return_calls;
	uint32_t tables, guessed, unresolved; /* indirect jumps; guessed ones are among tables */
	uint32_t leftover, stops, outside;    /* blocks without known way in; edges of these kinds */
	uint32_t origins[6];
	uint32_t text_bytes, code_bytes; /* of executable sections; in blocks */
	bool stripped, sections;
	bool unsettled; /* functions that share code were not all told apart */
};

struct cfg {
	const struct image *image;
	struct cfg_function *functions; /* by address */
	struct cfg_block *blocks;       /* grouped by function */
	struct cfg_edge *edges;         /* grouped by block */
	struct cfg_loop *loops;         /* grouped by function */
	struct cfg_table *tables;       /* by site */
	uint32_t table_count;
	struct cfg_counts counts;
	struct cfg_map *map;
};

int cfg_open(struct cfg **cfg, const struct image *image);
void cfg_close(struct cfg *cfg);

/* The block in which address lies, or CFG_NONE. */
uint32_t cfg_block_at(const struct cfg *cfg, uint64_t address);
/* The function with this entry, or CFG_NONE. */
uint32_t cfg_function_at(const struct cfg *cfg, uint64_t start);
uint32_t cfg_function_named(const struct cfg *cfg, const char *name);
/* Its name, or in text "libm.so+0x412", in a program "at_80000100". */
#define CFG_NAME IMAGE_PLACE
const char *cfg_function_name(const struct cfg *cfg, uint32_t function, char text[CFG_NAME]);
/* Whether block a dominates b (same function). */
bool cfg_dominates(const struct cfg *cfg, uint32_t a, uint32_t b);
/* Whether a block is in a loop, or in one inside of it. block CFG_NONE: it is in none. */
bool cfg_in_loop(const struct cfg *cfg, uint32_t block, uint32_t loop);

/* Calls and tail calls from function to callee, each once, by callee; callee CFG_NONE: by a register. *calls is to be
 * freed. */
struct cfg_call_edge {
	uint32_t caller, callee;
	uint32_t sites, tails; /* tails are among sites */
};
int cfg_call_graph(const struct cfg *cfg, struct cfg_call_edge **calls, size_t *count);
#endif
