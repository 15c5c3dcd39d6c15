/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Where edges alone are counted and there is one thread: each block is a trace of its own, and what is counted is
 * how a block that calls was reached, from the one that called before, over silent blocks (plugin_silent.c). The
 * word says all of it, so a call costs a comparison with what came here before, and an addition:
 *
 *   A ──► silent ──► B      word: A's number, the silent block's ── equal to B's word[i]: B's count[i] + 1
 *
 * What was not seen yet goes by the rules (plugin.c), block by block, and is remembered with the keys that it counted
 * if it went as it must. Each block has room for four ways; a hash table has the others.
 */
#define _GNU_SOURCE /* MREMAP_MAYMOVE */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "host/qemu/plugin.h"

#define EDGES_BYTES (CAPTURE_BLOCKS_MAX * sizeof(struct capture_edges))
_Static_assert(EDGES_BYTES == UINT64_C(1) << 27, "a place whose lower 27 bits say the number of the block");

/* Edges that have no room at their block, in a hash table; none as yet. */
static struct capture_more no_more, *first_more = &no_more;
static size_t more_mask;

/* The place is aligned to its size, so a number is all that is left of an address in it. */
static inline uint64_t word_of(const struct capture_edges *edges)
{
	return (uint64_t)(uintptr_t)edges << 37;
}

char *edges_open(void)
{
	char *at = mmap(NULL, 2 * EDGES_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? NULL : at + (EDGES_BYTES - ((uintptr_t)at & (EDGES_BYTES - 1)));
}

bool edges_begin(struct processor *p, char *edges)
{
	first_more = &no_more;
	more_mask = 0;
	return mremap((char *)p + CAPTURE_EDGES_AT, 0, EDGES_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, edges) !=
		   MAP_FAILED ||
	       mmap(edges, EDGES_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
		   -1, 0) != MAP_FAILED;
}

/* The block is over, and the next one is at `next`. Returns 1 + the key of its trace; 0: it has none. */
static uint32_t end_block(struct processor *p, struct block *b, uint64_t next, bool *regular)
{
	p->before = b;
	p->shared.now = (struct capture_state){.start = b->start, .hist = 1};
	p->ended = 0;
	*regular = finish_block(p, next) && *regular;
	end_trace(p, TRACE_GAP, next);
	return p->ended;
}

/* What the word says up to a block that begins now, in keys; NULL: none does. Returns the last block before it. known:
 * all went as it must. */
static struct block *end_blocks(struct processor *p, uint64_t word, const struct block *b, uint32_t *keys, bool *known)
{
	struct block *blocks[SILENT_BLOCKS];
	const struct capture_edges *caller = (const struct capture_edges *)(uintptr_t)silent_word[1];
	const bool called = caller != NULL;
	struct block *before = called ? silent_block(CAPTURE_EDGES_NUMBER(silent_word[1])) : p->before;
	if (called && caller->jump_key != 0) /* it is over only now */
		p->keys[caller->jump_key - 1].count--;
	const uint64_t added = silent_added(word, caller);
	const size_t count = silent_decode(added, blocks);
	*known = called && count == CAPTURE_SILENT_COUNT(added) && count <= CAPTURE_SILENT_DEPTHS;
	for (size_t i = 0; i <= count; i++) {
		const struct block *next = i < count ? blocks[i] : b;
		const uint32_t key = before == NULL || next == NULL ? 0 : end_block(p, before, next->start, known);
		if (*known && (i > 0 || caller->jump_key == 0))
			keys[i] = key;
		p->returned = p->returned && i == count;
		if (i < count)
			before = blocks[i];
	}
	return before;
}

/* What is under way is this block, and nothing of it is counted. */
static void put_block(struct processor *p, struct block *b)
{
	p->before = b->number != 0 ? NULL : b;
	p->shared.now = (struct capture_state){
	    .start = b->start, .hist = 1, .last = b->number != 0 ? 0 : b->insns, .block = (uintptr_t)b};
	p->returned = false;
}

/* ---------------------------------------------------------------- what came before */

static struct capture_more *all_more(struct processor *p)
{
	return (struct capture_more *)((char *)p + CAPTURE_MORE_AT);
}

static inline size_t more_place(uint64_t word, uint32_t number)
{
	return ((word ^ (uint64_t)number << 20) * UINT64_C(0x9E3779B97F4A7C15) >> 44) & more_mask;
}

static struct capture_more *more_of(uint64_t word, uint32_t number)
{
	size_t at = more_place(word, number);
	while (first_more[at].word != 0 && (first_more[at].word != word || first_more[at].block != number))
		at = (at + 1) & more_mask;
	return &first_more[at];
}

static const struct capture_edges *edges_of(const struct processor *p)
{
	return (const struct capture_edges *)((const char *)p + CAPTURE_EDGES_AT);
}

/* By 1 + the key. */
static void add_times(uint64_t *times, const uint32_t *keys, uint32_t jump_key, uint64_t count)
{
	times[jump_key] += count;
	for (size_t k = 0; k <= CAPTURE_SILENT_DEPTHS; k++)
		times[keys[k]] += count;
}

/* What it has is counted, and learned again: few places are near each other. */
static void widen_more(struct processor *p)
{
	struct capture_more *all = all_more(p);
	const uint32_t room = p->shared.more_room;
	for (uint32_t i = 0; i < room; i++) {
		for (int k = 0; k <= CAPTURE_SILENT_DEPTHS; k++) {
			if (all[i].key[k] != 0)
				p->keys[all[i].key[k] - 1].count += all[i].count;
		}
		const uint32_t jump_key = edges_of(p)[all[i].block].jump_key;
		if (jump_key != 0)
			p->keys[jump_key - 1].count += all[i].count;
		all[i] = (struct capture_more){0};
	}
	p->shared.more = 0;
	if (room < CAPTURE_MORE_MAX)
		p->shared.more_room = room == 0 ? 256 : 2 * room;
	first_more = all;
	more_mask = p->shared.more_room - 1;
}

uint64_t *edges_times(struct processor *p)
{
	const struct capture_edges *edges = edges_of(p);
	const struct capture_more *all = all_more(p);
	uint64_t *times = calloc((size_t)p->shared.keys + 1, sizeof *times);
	if (times == NULL)
		return NULL;
	for (uint32_t i = 1; i <= p->shared.blocks; i++) {
		for (size_t way = 0; way < CAPTURE_EDGES; way++)
			add_times(times, edges[i].key[way], edges[i].jump_key, edges[i].count[way]);
	}
	for (uint32_t i = 0; i < p->shared.more_room; i++)
		add_times(times, all[i].key, edges[all[i].block].jump_key, all[i].count);
	for (uint32_t i = 0; i < p->shared.keys; i++) /* place 0 is of no key */
		times[i] = times[i + 1] + p->keys[i].count;
	return times;
}

static void learn_edge(struct processor *p, struct capture_edges *edges, uint64_t word, const uint32_t *keys)
{
	const uint32_t number = CAPTURE_CALLER(word_of(edges));
	for (size_t i = 0; i < CAPTURE_EDGES; i++) {
		if (edges->word[i] != 0)
			continue;
		memcpy(edges->key[i], keys, sizeof edges->key[i]);
		edges->word[i] = word;
		return;
	}
	if (4 * p->shared.more >= p->shared.more_room)
		widen_more(p);
	struct capture_more *more = more_of(word, number);
	p->shared.more++;
	memcpy(more->key, keys, sizeof more->key);
	more->block = number;
	more->word = word;
}

/* A block that can go one way only has the word of this way, so that what comes there has one way, not one from each
 * block: its own trace is counted when it begins. */
static void leave_edge(struct processor *p, struct block *b, struct capture_edges *edges)
{
	const uint64_t next = b->end == END_JUMP ? b->target : b->behind;
	bool regular = true;
	if (edges->leaves == 0) {
		const uint64_t word = b->end == END_JUMP || b->end == END_PLAIN ? silent_target(next) : 0;
		edges->leaves = word != 0 ? word : word_of(edges);
		if (word != 0)
			edges->jump_key = end_block(p, b, next, &regular);
	} else if (edges->jump_key != 0)
		p->keys[edges->jump_key - 1].count++;
	silent_word[0] = edges->leaves;
	silent_word[1] = (uintptr_t)edges;
}

static void begin_edge(struct processor *p, struct block *b, uint64_t word, struct capture_edges *edges)
{
	uint32_t keys[CAPTURE_SILENT_DEPTHS + SILENT_BLOCKS] = {0};
	bool known;
	end_blocks(p, word, b, keys, &known);
	if (known && edges != NULL && b->end != END_SYSTEM_CALL) /* behind one there may be a signal */
		learn_edge(p, edges, word, keys);
	silent_word[0] = SILENT_NOBODY;
	silent_word[1] = 0;
	if (edges != NULL)
		leave_edge(p, b, edges);
	put_block(p, b);
}

static __attribute__((noinline)) void edge_begins_anew(unsigned cpu, struct capture_edges *edges, uint64_t word)
{
	struct processor *p = silent_processor != NULL ? silent_processor : new_processor(cpu);
	const uint32_t number = CAPTURE_CALLER(word_of(edges));
	struct capture_more *more = more_of(word, number);
	if (more->word != 0) {
		more->count++;
		silent_word[0] = edges->leaves;
		silent_word[1] = (uintptr_t)edges;
	} else
		begin_edge(p, silent_block(number), word, edges);
}

/* The first place in the hash table has it, nearly always. */
static __attribute__((noinline)) void edge_begins_more(unsigned cpu, struct capture_edges *edges, uint64_t word)
{
	const uint32_t number = CAPTURE_CALLER(word_of(edges));
	struct capture_more *more = &first_more[more_place(word, number)];
	if (__builtin_expect(more->word == word && more->block == number, 1)) {
		more->count++;
		silent_word[0] = edges->leaves;
		silent_word[1] = (uintptr_t)edges;
	} else
		edge_begins_anew(cpu, edges, word);
}

void edge_begins(unsigned cpu, void *data)
{
	struct capture_edges *edges = data;
	const uint64_t word = silent_word[0];
	if (edges->word[0] == word)
		edges->count[0]++;
	else if (edges->word[1] == word)
		edges->count[1]++;
	else if (edges->word[2] == word)
		edges->count[2]++;
	else if (edges->word[3] == word)
		edges->count[3]++;
	else {
		edge_begins_more(cpu, edges, word);
		return;
	}
	silent_word[0] = edges->leaves;
	silent_word[1] = (uintptr_t)edges;
}
_Static_assert(CAPTURE_EDGES == 4, "each is looked at");

void edge_begins_weighed(unsigned cpu, void *data)
{
	edge_begins(cpu, data);
	if (--silent_calls_left == 0)
		silent_weighed();
}

void edge_begins_rarely(unsigned cpu, void *block)
{
	struct processor *p = silent_processor != NULL ? silent_processor : new_processor(cpu);
	begin_edge(p, block, silent_word[0], NULL);
}

void edges_settle(struct processor *p)
{
	uint32_t keys[CAPTURE_SILENT_DEPTHS + SILENT_BLOCKS];
	bool known;
	if (p != silent_processor)
		return;
	struct block *last = end_blocks(p, silent_word[0], NULL, keys, &known);
	silent_word[0] = SILENT_NOBODY;
	silent_word[1] = 0;
	p->before = last;
	p->shared.now = (struct capture_state){.hist = 1};
	if (last != NULL)
		p->shared.now = (struct capture_state){
		    .start = last->start, .hist = 1, .last = last->insns, .block = (uintptr_t)last};
}
