/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CFG_PRIVATE_H
#define RIVULET_CFG_PRIVATE_H
/* Shared by the files of host/cfg only: what is known while the graph is being made. */
#include "host/base/array.h"
#include "host/cfg/cfg.h"
struct isa_insn; /* isa/isa.h */

#define PASSES_MAX 16 /* over the whole program, until no code is shared any more */
#define TABLE_ENTRIES_MAX 4096

struct range { /* code that may be executed; slot: that of its first halfword */
	uint64_t start, size;
	size_t slot;
};

enum {                 /* of a slot */
	AT_START = 1,  /* an instruction of owner[slot] begins here */
	AT_LEADER = 2, /* and a block */
	AT_ENTRY = 4,  /* the entry of a function */
	AT_ROOT = 8,   /* of a block nothing known leads to */
	AT_COLD = 16,  /* f.cold: a symbol, but part of f */
	AT_SPLIT = 32  /* an entry that was found because code is shared */
};

struct waiter { /* for the news that function callee returns */
	uint32_t callee, function;
	uint64_t address; /* address goes on then; 0: function returns too */
};

struct jump { /* an indirect jump */
	uint64_t site;
	uint32_t function;
	uint64_t table;
	uint32_t entries;
	uint32_t first, count;    /* targets, in map->targets; count 0: unresolved */
	bool bounded, tail, call; /* tail: by a register out of the function */
};

struct maker {               /* a function */
	uint64_t start, end; /* end: of its symbol, else 0 */
	const char *name;
	uint8_t origin;
	bool returns, jumps; /* jumps: has indirect ones */
	size_t tried;        /* leaders when they were looked at last */
	uint64_t *leaders;
	size_t leader_count, leader_size;
	uint32_t first_waiter; /* of those that wait for it: index + 1 in map->waiters, linked by next_waiter */
};

/* One entry for each halfword of code. */
struct cfg_map {
	const struct image *image;
	struct range *ranges;
	size_t range_count, slots;
	uint32_t *owner; /* function + 1; 0: none */
	uint8_t *flags;
	uint32_t *block; /* when done: block + 1 that an instruction here belongs to */
	struct maker *makers;
	size_t maker_count, maker_size;
	struct waiter *waiters;
	uint32_t *next_waiter;
	size_t waiter_count, waiter_size, next_size;
	struct jump *jumps; /* by site */
	size_t jump_count, jump_size;
	uint64_t *targets;
	size_t target_count, target_size;
	struct {
		uint32_t function;
		uint64_t address;
	} * work;
	size_t work_count, work_size;
	uint64_t ones; /* of the width: addresses and values wrap there */
	/* of the pass: code is shared; it found a split that the passes before had not */
	bool shared, split;
	bool sections, stripped, settled;
};

/* Slot of an address in code, or SIZE_MAX. */
size_t map_slot(const struct cfg_map *map, uint64_t address);
/* false: no complete instruction there. Illegal ones are decoded too. */
bool map_decode(const struct cfg_map *map, uint64_t address, struct isa_insn *insn);
bool map_is_entry(const struct cfg_map *map, uint64_t address);
/* The constant target of the indirect jump at address: of a JALR if the instruction before it is the AUIPC or LUI of
 * the pair, of a CM.JT or CM.JALT by the table at __jvt_base$. */
bool map_far_target(const struct cfg_map *map, uint64_t address, const struct isa_insn *insn, uint64_t *target);
struct jump *map_jump(const struct cfg_map *map, uint64_t site);
/* The function that address is the entry of (CFG_NONE: none). */
uint32_t map_function(const struct cfg_map *map, uint64_t address);
/* Whether nothing goes on behind insn at address: it is illegal, always traps, or is an EBREAK that is no semihosting
 * call. */
bool map_stops(const struct cfg_map *map, uint64_t address, const struct isa_insn *insn);

/* discover.c */
int cfg_discover(struct cfg_map *map);
int cfg_add_function(struct cfg_map *map, uint64_t address, uint8_t origin);

/* blocks.c: the blocks of a function from its leaders. Blocks and edges are appended; edges' to are indexes from
 * first_block on, or CFG_NONE. */
struct graph {
	struct cfg_block *blocks;
	size_t block_count, block_size;
	struct cfg_edge *edges;
	size_t edge_count, edge_size;
};
int cfg_blocks(struct cfg_map *map, uint32_t function, struct graph *graph);

/* values.c: what registers hold. */
enum value_kind { VALUE_NONE, VALUE_CONST, VALUE_STACK, VALUE_SCALED, VALUE_LOADED };
#define VALUE_FIXED UINT64_MAX /* id of a load from a constant address */
struct value {
	uint8_t kind;
	uint8_t shift; /* SCALED, LOADED: of the index */
	uint8_t bytes; /* LOADED */
	bool sign;
	uint64_t c;    /* CONST: the value. STACK: on top of the stack pointer at entry. SCALED: c + (id << shift).
			  LOADED: plus [base + (id << shift)] */
	uint64_t base; /* LOADED */
	uint64_t id;   /* an unknown number */
};
struct registers {
	struct value r[32];
};
/* Registers at the end of block `at` of the graph's function, before its last instruction, with the index bounds that
 * hold there: bound[id] values of id + bias, 0: unknown. */
struct bound {
	uint64_t id;
	uint64_t bias;
	uint32_t count;
	bool mask; /* by a mask: the table may be shorter, if the compiler knew more */
};
#define BOUNDS_MAX 32
struct values;
int values_make(struct values **values, const struct cfg_map *map, const struct graph *graph, uint32_t entry);
void values_free(struct values *values);
void values_before(const struct values *values, uint32_t block, struct registers *registers, struct bound *bounds,
    unsigned *bound_count);

/* tables.c: looks at the function's indirect jumps again; new targets go to the work list. */
int cfg_resolve(struct cfg_map *map, uint32_t function);

/* loops.c */
int cfg_loops(struct cfg *cfg);
#endif
