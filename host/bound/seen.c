/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/bound/seen.h"

#include <stdlib.h>
#include "host/base/array.h"
#include "host/base/hash.h"

struct seen_frame {       /* the call of a context that is at hand */
	uint64_t entered; /* as the gatherer counts it */
	uint32_t call;    /* number of the call, over all runs */
	uint32_t block;   /* the last that ran in it, or CFG_NONE */
	uint64_t cycles;  /* of this execution of it, so far */
};

struct seen_flow {
	const struct cfg *cfg;
	struct seen_context *contexts;
	struct seen_frame *frames; /* by context */
	size_t context_count, context_room, frame_room;
	struct seen_loop *loops;
	uint32_t *loop_calls; /* by loop: the call that in_call is of */
	size_t loop_count, loop_room, call_room;
	struct hash by_loop;
	struct seen_block *blocks;
	size_t block_count, block_room;
	struct hash by_block;
	bool *ran;
	uint32_t *own; /* by the gatherer's context: ours, 0: not known yet */
	size_t own_count, own_room;
};

int seen_flow_open(struct seen_flow **out, const struct cfg *cfg)
{
	struct seen_flow *seen = calloc(1, sizeof *seen);
	*out = seen;
	if (seen == NULL)
		return GATHER_ENOMEM;
	seen->cfg = cfg;
	seen->ran = calloc(cfg->counts.blocks + 1u, sizeof *seen->ran);
	if (seen->ran == NULL || !array_room(&seen->contexts, 1, &seen->context_room) ||
	    !array_room(&seen->frames, 1, &seen->frame_room))
		return GATHER_ENOMEM;
	seen->contexts[0] = (struct seen_context){.function = CFG_NONE};
	seen->frames[0] = (struct seen_frame){.block = CFG_NONE};
	seen->context_count = 1;
	return GATHER_OK;
}

void seen_flow_close(struct seen_flow *seen)
{
	if (seen == NULL)
		return;
	free(seen->contexts);
	free(seen->frames);
	free(seen->loops);
	free(seen->loop_calls);
	free(seen->ran);
	free(seen->own);
	free(seen->blocks);
	hash_free(&seen->by_loop);
	hash_free(&seen->by_block);
	free(seen);
}

void seen_flow_begin(struct seen_flow *seen)
{
	seen->own_count = 0;
	for (size_t i = 0; i < seen->context_count; i++) {
		seen->frames[i].entered = UINT64_MAX;
		seen->frames[i].block = CFG_NONE;
	}
}

/* ---- contexts */

static uint32_t child_of(struct seen_flow *seen, uint32_t parent, const struct stack_node *node)
{
	const bool trap = node->kind == STACK_TRAP;
	const uint64_t site = trap ? 0 : node->site; /* a handler comes anywhere */
	const uint32_t function = cfg_function_at(seen->cfg, node->entry);
	for (uint32_t c = seen->contexts[parent].child; c != 0; c = seen->contexts[c].next) {
		const struct seen_context *child = &seen->contexts[c];
		if (child->site == site && child->function == function && child->trap == trap)
			return c;
	}
	if (!array_room(&seen->contexts, seen->context_count + 1, &seen->context_room) ||
	    !array_room(&seen->frames, seen->context_count + 1, &seen->frame_room))
		return 0;
	uint32_t made = (uint32_t)seen->context_count++;
	seen->contexts[made] = (struct seen_context){
	    .parent = parent, .function = function, .site = site, .trap = trap, .next = seen->contexts[parent].child};
	seen->frames[made] = (struct seen_frame){.entered = UINT64_MAX, .block = CFG_NONE};
	seen->contexts[parent].child = made;
	return made;
}

/* The context of one of the gatherer's; SEEN_ROOT: out of memory. A parent's number is smaller than its children's. */
static uint32_t own_context(struct seen_flow *seen, const struct stack_node *nodes, uint32_t node)
{
	if (node < seen->own_count)
		return seen->own[node];
	if (!array_room(&seen->own, node + 1u, &seen->own_room))
		return SEEN_ROOT;
	for (; seen->own_count <= node; seen->own_count++) {
		uint32_t n = (uint32_t)seen->own_count;
		seen->own[n] = n == STACK_NOBODY ? SEEN_ROOT : child_of(seen, seen->own[nodes[n].parent], &nodes[n]);
		if (n != STACK_NOBODY && seen->own[n] == SEEN_ROOT)
			return SEEN_ROOT;
	}
	return seen->own[node];
}

/* ---- loops */

struct wanted_loop {
	const struct seen_flow *seen;
	uint32_t context, loop;
};

static bool is_wanted_loop(const void *context, uint32_t index)
{
	const struct wanted_loop *w = context;
	const struct seen_loop *loop = &w->seen->loops[index];
	return loop->context == w->context && loop->loop == w->loop;
}

const struct seen_loop *seen_flow_loop(const struct seen_flow *seen, uint32_t context, uint32_t loop)
{
	const struct wanted_loop wanted = {seen, context, loop};
	uint32_t at = hash_find(&seen->by_loop, hash_of_two(context, loop), is_wanted_loop, &wanted);
	return at == HASH_NONE ? NULL : &seen->loops[at];
}

/* ---- blocks */

struct wanted_block {
	const struct seen_flow *seen;
	uint32_t context, block, next;
};

static bool is_wanted_block(const void *context, uint32_t index)
{
	const struct wanted_block *w = context;
	const struct seen_block *block = &w->seen->blocks[index];
	return block->context == w->context && block->block == w->block && block->next == w->next;
}

static uint32_t find_block(const struct wanted_block *wanted, uint32_t *hash)
{
	*hash = hash_of_two((uint64_t)wanted->context << 32 | wanted->block, wanted->next);
	return hash_find(&wanted->seen->by_block, *hash, is_wanted_block, wanted);
}

const struct seen_block *seen_flow_block(const struct seen_flow *seen, uint32_t context, uint32_t block, uint32_t next)
{
	const struct wanted_block wanted = {seen, context, block, next};
	uint32_t hash, at = find_block(&wanted, &hash);
	return at == HASH_NONE ? NULL : &seen->blocks[at];
}

static bool count_block(struct seen_flow *seen, uint32_t context, uint32_t next)
{
	const struct seen_frame *frame = &seen->frames[context];
	const struct wanted_block wanted = {seen, context, frame->block, next};
	uint32_t hash, at = find_block(&wanted, &hash);
	if (at == HASH_NONE) {
		at = (uint32_t)seen->block_count;
		if (!array_room(&seen->blocks, at + 1u, &seen->block_room) || !hash_add(&seen->by_block, hash, at))
			return false;
		seen->blocks[seen->block_count++] = (struct seen_block){context, frame->block, next, 0};
	}
	if (frame->cycles > seen->blocks[at].most)
		seen->blocks[at].most = frame->cycles;
	return true;
}

/* An execution of the frame's block has ended. */
static bool end_block(struct seen_flow *seen, uint32_t context, uint32_t next)
{
	struct seen_frame *frame = &seen->frames[context];
	if (frame->block == CFG_NONE)
		return true;
	const bool good = count_block(seen, context, next) && count_block(seen, context, SEEN_ANY);
	frame->cycles = 0;
	return good;
}

int seen_flow_end(struct seen_flow *seen)
{
	for (uint32_t c = 1; c < seen->context_count; c++) {
		if (!end_block(seen, c, CFG_NONE))
			return GATHER_ENOMEM;
		seen->frames[c].block = CFG_NONE;
	}
	return GATHER_OK;
}

/* The loops of a block that the block before it was not in are entered. */
static void enter_loops(struct seen_flow *seen, uint32_t context, uint32_t block)
{
	const struct cfg *cfg = seen->cfg;
	for (uint32_t l = cfg->blocks[block].loop; l != CFG_NONE; l = cfg->loops[l].parent) {
		const struct wanted_loop wanted = {seen, context, l};
		if (cfg_in_loop(cfg, seen->frames[context].block, l))
			break; /* and the outer ones are not */
		uint32_t at = hash_find(&seen->by_loop, hash_of_two(context, l), is_wanted_loop, &wanted);
		if (at != HASH_NONE)
			seen->loops[at].now = 0;
	}
}

/* The head of a loop runs in a context. */
static bool run_head(struct seen_flow *seen, uint32_t context, uint32_t loop)
{
	const struct wanted_loop wanted = {seen, context, loop};
	const struct seen_frame *frame = &seen->frames[context];
	const uint32_t hash = hash_of_two(context, loop);
	uint32_t at = hash_find(&seen->by_loop, hash, is_wanted_loop, &wanted);
	if (at == HASH_NONE) {
		at = (uint32_t)seen->loop_count;
		if (!array_room(&seen->loops, at + 1u, &seen->loop_room) ||
		    !array_room(&seen->loop_calls, at + 1u, &seen->call_room) || !hash_add(&seen->by_loop, hash, at))
			return false;
		seen->loops[at] = (struct seen_loop){.context = context, .loop = loop};
		seen->loop_calls[at] = frame->call;
		seen->loop_count++;
	}
	struct seen_loop *s = &seen->loops[at];
	if (seen->loop_calls[at] != frame->call) {
		seen->loop_calls[at] = frame->call;
		s->in_call = s->now = 0;
	}
	s->now++;
	s->in_call++;
	s->most = s->now > s->most ? s->now : s->most;
	s->total = s->in_call > s->total ? s->in_call : s->total;
	return true;
}

static bool is_in(const struct cfg *cfg, uint32_t block, uint64_t address)
{
	return block != CFG_NONE && address >= cfg->blocks[block].start && address < cfg->blocks[block].end;
}

static int enter_block(struct seen_flow *seen, uint32_t context, uint32_t block, uint64_t at)
{
	const struct cfg *cfg = seen->cfg;
	const uint32_t loop = cfg->blocks[block].loop;
	if (!end_block(seen, context, block))
		return GATHER_ENOMEM;
	seen->ran[block] = true;
	enter_loops(seen, context, block);
	const bool head = loop != CFG_NONE && cfg->loops[loop].head == block && at == cfg->blocks[block].start;
	if (head && !run_head(seen, context, loop))
		return GATHER_ENOMEM;
	seen->frames[context].block = block;
	return GATHER_OK;
}

int seen_flow_visit(struct seen_flow *seen, const struct gather_visit *visit)
{
	const struct cfg *cfg = seen->cfg;
	const uint32_t context = own_context(seen, visit->nodes, visit->node);
	if (context == SEEN_ROOT)
		return visit->node == STACK_NOBODY ? GATHER_OK : GATHER_ENOMEM;
	struct seen_frame *frame = &seen->frames[context];
	if (frame->entered != visit->nodes[visit->node].entered) {
		if (!end_block(seen, context, CFG_NONE))
			return GATHER_ENOMEM;
		frame->entered = visit->nodes[visit->node].entered;
		frame->call++;
		frame->block = CFG_NONE;
	}
	/* a visit may run through several blocks of the graph: up to a transfer nothing ends one for the walker */
	uint64_t at = visit->block->start, starts = visit->block->starts;
	for (uint32_t k = 0; k < visit->count; k++, starts &= starts - 1) {
		at = visit->block->start + 2 * (uint32_t)__builtin_ctzll(starts);
		uint32_t block = k > 0 && is_in(cfg, frame->block, at) ? frame->block : cfg_block_at(cfg, at);
		const bool begins = block != CFG_NONE && (block != frame->block || at == cfg->blocks[block].start);
		if (begins && enter_block(seen, context, block, at) != GATHER_OK)
			return GATHER_ENOMEM;
		frame->cycles += visit->parts == NULL ? 0 : visit->parts[k].cycles;
	}
	return GATHER_OK;
}

const struct seen_context *seen_flow_contexts(const struct seen_flow *seen, size_t *count)
{
	*count = seen->context_count;
	return seen->contexts;
}

bool seen_flow_ran(const struct seen_flow *seen, uint32_t block)
{
	return seen->ran[block];
}
