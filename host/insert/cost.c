/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/cost.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sw/probe/cycles.h"
#include "isa/isa.h"

#define PADDING_MAX 16 /* bytes of nops before a label */

/* ---------------------------------------------------------------- the original program */
static struct map *read_map(const char *path, bool *compressed)
{
	GElf_Ehdr elf_header;
	struct map *map = NULL;
	size_t names;
	elf_version(EV_CURRENT);
	int fd = open(path, O_RDONLY);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (elf != NULL && gelf_getehdr(elf, &elf_header) != NULL && elf_getshdrstrndx(elf, &names) == 0) {
		*compressed = (elf_header.e_flags & EF_RISCV_RVC) != 0;
		for (Elf_Scn *scn = NULL; map == NULL && (scn = elf_nextscn(elf, scn)) != NULL;) {
			GElf_Shdr header;
			const char *name =
			    gelf_getshdr(scn, &header) == NULL ? NULL : elf_strptr(elf, names, header.sh_name);
			Elf_Data *data =
			    name != NULL && strcmp(name, ".debug_rivulet") == 0 ? elf_rawdata(scn, NULL) : NULL;
			if (data != NULL)
				map_open(&map, data->d_buf, data->d_size);
		}
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return map;
}

/* Functions of no object: what waits has rows of its own, and what is wanted apart (enum rivulet_cycles_class). */
static const char *const classes[RIVULET_CYCLES_CLASSES] = {
    "[wait]", "[system call]", "[device]", "[input]", "[divide]", "[multiply]"};

int insert_original_open(struct insert_original *o, const char *program, const char *core, char *detail, size_t size)
{
	*o = (struct insert_original){.name = program};
	if (image_open(&o->image, program, detail, size) != IMAGE_OK)
		return -1;
	/* this project's core is one of RV32 */
	const char *usual = image_xlen(o->image) == 64 ? "generic" : core_names[0];
	if (core_open(&o->core, core == NULL ? usual : core, detail, size) != CORE_OK) {
		image_close(o->image);
		o->image = NULL;
		return -1;
	}
	o->map = read_map(program, &o->compressed);
	if (o->map != NULL && map_add_functions(o->map, classes, sizeof classes / sizeof *classes) == MAP_OK)
		return 0;
	map_close(o->map);
	o->map = NULL;
	snprintf(detail, size,
	    "%s: has no map of its blocks: link it from the same objects, each edited by `rivulet insert --map'",
	    program);
	image_close(o->image);
	o->image = NULL;
	return -1;
}

void insert_original_apart(struct insert_original *o, unsigned class)
{
	static const uint8_t divide[] = {
	    ISA_DIV, ISA_DIVU, ISA_REM, ISA_REMU, ISA_DIVW, ISA_DIVUW, ISA_REMW, ISA_REMUW};
	static const uint8_t multiply[] = {ISA_MUL, ISA_MULH, ISA_MULHSU, ISA_MULHU, ISA_MULW};
	for (size_t i = 0; class == RIVULET_CYCLES_DIVIDE && i < sizeof divide / sizeof *divide; i++)
		o->apart[divide[i]] = (uint8_t) class;
	for (size_t i = 0; class == RIVULET_CYCLES_MULTIPLY && i < sizeof multiply / sizeof *multiply; i++)
		o->apart[multiply[i]] = (uint8_t) class;
}

void insert_original_close(struct insert_original *o)
{
	map_close(o->map);
	image_close(o->image);
	*o = (struct insert_original){0};
}

/* ---------------------------------------------------------------- costs */
struct coster {
	struct cost *cost;
	const struct insert_original *o;
	const struct map_function *f;
	int error;
};

static const struct map_block *block_of(const struct coster *c, uint32_t block)
{
	return &c->o->map->blocks[c->f->blocks + block];
}

/* The first address behind a block: its last may be a pair, AUIPC and JALR. */
static uint64_t cost_block_end(struct coster *c, uint32_t block)
{
	struct isa_insn insn, second;
	const struct map_block *b = block_of(c, block);
	uint64_t last = b->last;
	/* the linker may have found that it needs no last instruction: then what follows stands there */
	for (uint32_t e = b->edges; e < b->edges + b->edge_count; e++) {
		const struct graph_edge *edge = &c->o->map->edges[e];
		if (edge->kind == GRAPH_FALL && edge->to != GRAPH_NONE && block_of(c, edge->to)->first == last)
			return last;
	}
	if (!image_insn(c->o->image, last, 0, &insn)) {
		c->error = COST_EOTHER;
		return 0;
	}
	last += insn.length;
	if (insn.op == ISA_AUIPC && image_insn(c->o->image, last, 0, &second) && second.op == ISA_JALR &&
	    second.rs1 == insn.rd)
		last += second.length;
	return last;
}

/* The cycles of the instruction at *pc, which moves behind it. */
static unsigned step_cost(struct coster *c, uint64_t *pc, struct core_state *state, struct isa_insn *insn)
{
	struct core_insn facts;
	if (!image_insn(c->o->image, *pc, 0, insn)) {
		c->error = COST_EOTHER;
		return 0;
	}
	core_facts(&c->o->core, insn, *pc, &facts);
	unsigned cycles = core_next(&c->o->core, state, &facts, (insn->class_bits & ISA_CALL) != 0, 0);
	*pc += insn->length;
	return c->o->apart[insn->op] != 0 ? cycles - facts.least : cycles;
}

/* From the start of a block, in a state, to its first call or its end; state: behind that. */
static uint32_t head_cost(struct coster *c, uint32_t block, struct core_state *state)
{
	const struct map_block *b = block_of(c, block);
	uint32_t cycles = 0;
	uint64_t end = cost_block_end(c, block);
	for (uint64_t pc = b->first; pc < end && c->error == COST_OK;) {
		struct isa_insn insn;
		cycles += step_cost(c, &pc, state, &insn);
		if ((insn.class_bits & ISA_CALL) != 0)
			break;
	}
	return cycles;
}

/* Calls, what lies between them and behind the last, and the state at the end, if there are calls. */
static void walk_calls(struct coster *c, uint32_t block, struct core_state *left)
{
	struct cost *cost = c->cost;
	struct cost_block *cb = &cost->blocks[block];
	const struct map_block *b = block_of(c, block);
	struct core_state state = CORE_START;
	uint32_t cycles = 0;
	uint64_t end = cost_block_end(c, block);
	cb->middles = (uint32_t)cost->middle_count;
	for (uint64_t pc = b->first; pc < end && c->error == COST_OK;) {
		struct isa_insn insn;
		cycles += step_cost(c, &pc, &state, &insn);
		if ((insn.class_bits & ISA_CALL) == 0)
			continue;
		if (cb->calls++ > 0) {
			if (cost->middle_count == cost->middle_size) {
				size_t larger = 2 * cost->middle_size + 64;
				uint32_t *moved = realloc(cost->middles, larger * sizeof *moved);
				if (moved == NULL) {
					c->error = COST_ENOMEM;
					return;
				}
				cost->middles = moved;
				cost->middle_size = larger;
			}
			cost->middles[cost->middle_count++] = cycles;
		}
		cycles = 0;
	}
	cb->tail = cb->calls > 0 ? cycles : 0;
	*left = state;
}

static bool same_core_state(const struct core_state *a, const struct core_state *b)
{
	return core_state_number(a) == core_state_number(b);
}

/* A block is also entered in this state: true if that is new. */
static bool add_state(struct coster *c, uint32_t block, const struct core_state *state)
{
	struct cost_block *b = &c->cost->blocks[block];
	for (uint32_t i = 0; i < b->state_count; i++) {
		if (same_core_state(&b->states[i], state))
			return false;
	}
	if (b->state_count == COST_STATES_MAX) {
		c->error = COST_EOTHER;
		return false;
	}
	b->states[b->state_count++] = *state;
	return true;
}

/* Behind the end of a block, over padding, to what follows in memory: cycles of the padding, the state before it. */
static uint32_t fall_cost(struct coster *c, uint32_t from, uint32_t to, struct core_state *state)
{
	const struct map_block *b = block_of(c, to);
	struct isa_insn insn;
	uint32_t cycles = 0;
	uint64_t pc = cost_block_end(c, from);
	if (b->first < pc || b->first - pc > PADDING_MAX) {
		c->error = COST_EOTHER;
		return 0;
	}
	for (; pc < b->first && c->error == COST_OK;)
		cycles += step_cost(c, &pc, state, &insn);
	return cycles;
}

/* The state behind a block that is entered in its state number i. */
static struct core_state state_behind(
    struct coster *c, uint32_t block, uint32_t i, const struct core_state *after_calls)
{
	struct core_state state = c->cost->blocks[block].states[i];
	if (c->cost->blocks[block].calls > 0)
		return *after_calls;
	head_cost(c, block, &state);
	return state;
}

/* The block that is fallen into behind a block, and over which edge; GRAPH_NONE. */
static uint32_t fallen_into(const struct coster *c, uint32_t block, uint32_t *edge)
{
	const struct map_block *b = block_of(c, block);
	for (*edge = b->edges; *edge < b->edges + b->edge_count; ++*edge) {
		if (c->o->map->edges[*edge].kind == GRAPH_FALL && c->o->map->edges[*edge].to != GRAPH_NONE)
			return c->o->map->edges[*edge].to;
	}
	return GRAPH_NONE;
}

static uint8_t way_in(const struct cost_block *b, const struct core_state *state)
{
	for (uint32_t i = 0; i < b->state_count; i++) {
		if (same_core_state(&b->states[i], state))
			return b->way[i];
	}
	return 0;
}

/* What falling out of a block costs, by the state that it was entered in, and by which way the next one is entered.
 * Blocks are looked at from the last one in memory, so that the next one's ways are known. */
static void fall_of(struct coster *c, uint32_t block, const struct core_state *end)
{
	struct cost_block *b = &c->cost->blocks[block];
	uint32_t e, to = fallen_into(c, block, &e), cycles[2] = {0}, ways = 0;
	uint8_t next[2] = {0};
	if (to == GRAPH_NONE || c->error != COST_OK)
		return;
	const struct cost_block *target = &c->cost->blocks[to];
	for (uint32_t i = 0; i < b->state_count && c->error == COST_OK; i++) {
		struct core_state state = state_behind(c, block, i, end);
		uint32_t took = fall_cost(c, block, to, &state), way = 0;
		uint8_t into = target->mixed ? way_in(target, &state) : 0;
		took += head_cost(c, to, &state);
		while (way < ways && (cycles[way] != took || next[way] != into))
			way++;
		if (way == 2) {
			c->error = COST_EMIXED;
			return;
		}
		cycles[way] = took;
		next[way] = into;
		ways = way == ways ? ways + 1 : ways;
		b->way[i] = (uint8_t)way;
	}
	struct cost_edge *edge = &c->cost->edges[e - c->f->edges];
	b->mixed = ways > 1;
	if (ways > 1 && next[0] > next[1]) { /* the other way round, so that the way of the next block is the same */
		uint32_t first = cycles[0];
		cycles[0] = cycles[1];
		cycles[1] = first;
		next[0] = 0;
		next[1] = 1;
		for (uint32_t i = 0; i < b->state_count; i++)
			b->way[i] ^= 1;
	}
	edge->head = cycles[0];
	edge->more = ways > 1 ? (int32_t)(cycles[1] - cycles[0]) : 0;
	if (target->mixed) {
		if (ways > 1 && next[0] != next[1])
			edge->way = COST_WAY_SAME;
		else if (next[0] != 0)
			edge->way = COST_WAY_1;
		else
			edge->way = COST_WAY_0;
	}
}

struct by_address {
	uint64_t first;
	uint32_t block;
};

static int later_first(const void *a, const void *b)
{
	const struct by_address *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? 1 : -1;
	return x->block < y->block ? 1 : -1; /* one that the linker made empty stands before what follows it */
}

/* What a conditional branch at the end of a block takes more if it is taken. */
static uint32_t taken_more(struct coster *c, uint32_t block)
{
	struct isa_insn insn;
	const struct map_block *b = block_of(c, block);
	if ((b->flags & MAP_TABLE) != 0 || !image_insn(c->o->image, b->last, 0, &insn))
		return 0;
	return (insn.class_bits & ISA_BRANCH) != 0 ? c->o->core.more[insn.op] : 0;
}

static void cost_edges(struct coster *c, const struct core_state *ends)
{
	const struct map *m = c->o->map;
	const struct map_function *f = c->f;
	struct by_address *order = malloc((f->block_count + 1u) * sizeof *order);
	if (order == NULL) {
		c->error = COST_ENOMEM;
		return;
	}
	for (uint32_t b = 0; b < f->block_count; b++)
		order[b] = (struct by_address){block_of(c, b)->first, b};
	qsort(order, f->block_count, sizeof *order, later_first);
	for (uint32_t i = 0; i < f->block_count; i++)
		fall_of(c, order[i].block, &ends[order[i].block]);
	free(order);
	const struct core_state start = CORE_START;
	for (uint32_t b = 0; b < f->block_count && c->error == COST_OK; b++) {
		const struct map_block *block = block_of(c, b);
		uint32_t more = taken_more(c, b);
		c->cost->blocks[b].enter_way = way_in(&c->cost->blocks[b], &start);
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			struct cost_edge *edge = &c->cost->edges[e - f->edges];
			uint32_t to = m->edges[e].to;
			if (to == GRAPH_NONE && more > 0 && m->edges[e].kind == GRAPH_TAKEN)
				c->error = COST_EMIXED; /* a branch out of the function: nothing is added there */
			if (to == GRAPH_NONE || (block_of(c, to)->flags & MAP_TABLE) != 0 ||
			    m->edges[e].kind == GRAPH_FALL)
				continue;
			struct core_state state = start;
			edge->head = head_cost(c, to, &state) + more;
			if (c->cost->blocks[to].mixed)
				edge->way = way_in(&c->cost->blocks[to], &start) != 0 ? COST_WAY_1 : COST_WAY_0;
		}
	}
}

/* States of all blocks, until there are no new ones. */
static void find_core_states(struct coster *c, const struct core_state *ends)
{
	const struct map *m = c->o->map;
	const struct map_function *f = c->f;
	const struct core_state start = CORE_START;
	bool more = true;
	for (uint32_t b = 0; b < f->block_count; b++) {
		if (b == 0 || (block_of(c, b)->flags & (MAP_ROOT | MAP_PAD)) != 0)
			add_state(c, b, &start);
	}
	while (more && c->error == COST_OK) {
		more = false;
		for (uint32_t b = 0; b < f->block_count; b++) {
			const struct map_block *block = block_of(c, b);
			for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
				uint32_t to = m->edges[e].to;
				if (to == GRAPH_NONE)
					continue;
				if (m->edges[e].kind != GRAPH_FALL) {
					more |= add_state(c, to, &start);
					continue;
				}
				for (uint32_t i = 0; i < c->cost->blocks[b].state_count && c->error == COST_OK; i++) {
					struct core_state state = state_behind(c, b, i, &ends[b]);
					fall_cost(c, b, to, &state);
					more |= add_state(c, to, &state);
				}
			}
		}
	}
}

int cost_make(struct cost *cost, const struct insert_original *o, uint32_t function)
{
	struct coster c = {.cost = cost, .o = o, .f = &o->map->functions[function]};
	size_t blocks = c.f->block_count + 1u;
	*cost = (struct cost){.blocks = calloc(blocks, sizeof *cost->blocks),
	    .edges = calloc(c.f->edge_count + 1u, sizeof *cost->edges),
	    .enter = calloc(blocks, sizeof *cost->enter)};
	struct core_state *ends = calloc(blocks, sizeof *ends);
	if (cost->blocks == NULL || cost->edges == NULL || cost->enter == NULL || ends == NULL)
		c.error = COST_ENOMEM;
	for (uint32_t b = 0; b < c.f->block_count && c.error == COST_OK; b++) {
		if ((block_of(&c, b)->flags & MAP_TABLE) != 0)
			continue;
		struct core_state state = CORE_START;
		walk_calls(&c, b, &ends[b]);
		cost->enter[b] = head_cost(&c, b, &state);
	}
	if (c.error == COST_OK)
		find_core_states(&c, ends);
	if (c.error == COST_OK)
		cost_edges(&c, ends);
	free(ends);
	return c.error;
}

void cost_free(struct cost *cost)
{
	free(cost->blocks);
	free(cost->edges);
	free(cost->enter);
	free(cost->middles);
	*cost = (struct cost){0};
}
