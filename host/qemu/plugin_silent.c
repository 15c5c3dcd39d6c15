/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Silent blocks, where edges alone are counted: qemu adds a number to one word for them, without a call, and the next
 * block that calls finds there which ones ran since. They are chosen so that the word says it without a doubt:
 *
 *   calls ──► depth 1 ──► depth 2 ──► calls      along every way that the code has, the depth grows: each number of
 *     │                     ▲                    the word is of one block at most, and their order is their depth's
 *     └─────────────────────┘
 *
 * A block that ends in an indirect jump or a system call calls, and so do the first block of all, one that is its own
 * successor, and one that is reached for the first time otherwise than by the end of the block before: handlers of
 * signals, code that the program wrote. Behind an indirect jump the word is that of the block which ended in it, so
 * where it goes may be silent: returns and the cases of an interpreter. What still comes irregularly to a silent block
 * (a handler that was called as a function before) is told by the word's count, which is then more than its numbers
 * are.
 *
 * The word is one for the process, so all this holds while that has one thread, and code that was translated then does
 * not run beside another: qemu itself translates all anew for that, with the first thread, or with memory that is
 * shared with other processes. From there on every block calls, and goes by nodes (plugin_nodes.c).
 */
#define _GNU_SOURCE /* RTLD_DEFAULT, MREMAP_MAYMOVE */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "host/qemu/plugin.h"

enum { PAGE_BYTES = 4096, HANDLERS_MAX = 64 };
_Alignas(PAGE_BYTES) uint64_t silent_word[PAGE_BYTES / sizeof(uint64_t)] = {SILENT_NOBODY};
struct processor *silent_processor;

typedef void plugin_adds(struct qemu_plugin_tb *tb, int what, void *word, uint64_t add);
typedef void plugin_begun(qemu_plugin_id_t id, plugin_left *begun);
typedef void plugin_flushed(qemu_plugin_id_t id, void (*flushed)(qemu_plugin_id_t id));
static plugin_adds *add_inline; /* NULL: every block calls */

static struct block *numbered_blocks[CAPTURE_BLOCKS_MAX];
static uint32_t block_count;
static char *edges_place;

/* What is known of code at an address, without its object: a power of two. */
struct silent_place {
	uint64_t address;     /* + 1; 0: free */
	struct block *silent; /* the one that begins here; NULL: none */
	uint64_t target;      /* with its object: what the number is for */
	uint32_t number;      /* of all blocks that go on here and nowhere else; 0: none yet */
	uint8_t depth, above; /* its depth; the most of silent blocks that go on here */
};
static struct silent_place *places;
static size_t place_count, place_room;
static struct block *handlers[HANDLERS_MAX]; /* of signals, that were silent blocks before */
static size_t handler_count;

static struct silent_place *place_in(struct silent_place *all, size_t room, uint64_t address)
{
	size_t at = (address * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (room - 1);
	while (all[at].address != 0 && all[at].address != address + 1)
		at = (at + 1) & (room - 1);
	return &all[at];
}

/* It stays where it is until the next one is asked for. */
static struct silent_place *place_at(uint64_t address)
{
	address = CAPTURE_ADDRESS(address);
	if (2 * place_count >= place_room) {
		const size_t room = place_room == 0 ? 4096 : 2 * place_room;
		struct silent_place *wider = calloc(room, sizeof *wider);
		if (wider == NULL)
			capture_give_up(CAPTURE_NO_MEMORY);
		for (size_t i = 0; i < place_room; i++) {
			if (places[i].address != 0)
				*place_in(wider, room, places[i].address - 1) = places[i];
		}
		free(places);
		places = wider;
		place_room = room;
	}
	struct silent_place *place = place_in(places, place_room, address);
	place_count += place->address == 0;
	place->address = address + 1;
	return place;
}

/* Where it goes on, if that is in the code. Returns how many ways. */
static size_t ways_of(const struct block *b, uint64_t ways[2])
{
	size_t count = 0;
	if (b->end == END_PLAIN || b->end == END_BRANCH)
		ways[count++] = CAPTURE_ADDRESS(b->behind);
	if (b->end == END_JUMP || b->end == END_BRANCH)
		ways[count++] = CAPTURE_ADDRESS(b->target);
	return count;
}

static bool goes_to(const struct block *from, const struct block *to)
{
	uint64_t ways[2];
	const size_t count = ways_of(from, ways);
	for (size_t i = 0; i < count; i++) {
		if (ways[i] == CAPTURE_ADDRESS(to->start))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- the word */

/* What was added, in order, if each is there once and goes on to the next; else 0. */
static size_t decode_regular(uint64_t added, struct block **blocks)
{
	size_t count = 0;
	for (unsigned depth = 1; depth <= CAPTURE_SILENT_DEPTHS; depth++) {
		const uint32_t number = CAPTURE_SILENT_NUMBER(added, depth);
		if (number == 0)
			continue;
		if (silent_block(number) == NULL)
			return 0;
		blocks[count++] = numbered_blocks[number];
		if (count > 1 && !goes_to(blocks[count - 2], blocks[count - 1]))
			return 0;
	}
	return count == CAPTURE_SILENT_COUNT(added) ? count : 0;
}

/* A signal came behind or within a silent block, and its handler is silent too, and perhaps what follows that. */
static size_t decode_handled(uint64_t added, struct block **blocks)
{
	for (size_t i = 0; i < handler_count; i++) {
		struct block *handler = handlers[i];
		uint64_t ways[2];
		size_t count = decode_regular(added - handler->silent, blocks);
		if (count > 0) {
			blocks[count++] = handler;
			return count;
		}
		const size_t way_count = ways_of(handler, ways);
		for (size_t w = 0; w < way_count; w++) {
			struct block *next = place_at(ways[w])->silent;
			if (next == NULL)
				continue;
			count = decode_regular(added - handler->silent - next->silent, blocks);
			if (count > 0) {
				blocks[count++] = handler;
				blocks[count++] = next;
				return count;
			}
		}
	}
	return 0;
}

struct block *silent_block(uint32_t number)
{
	return number < CAPTURE_BLOCKS_MAX ? numbered_blocks[number] : NULL;
}

size_t silent_decode(uint64_t added, struct block **blocks)
{
	if (CAPTURE_SILENT_COUNT(added) == 0)
		return 0;
	size_t count = decode_regular(added, blocks);
	if (count == 0)
		count = decode_handled(added, blocks);
	if (count == 0)
		atomic_fetch_add(&capture->unclear, CAPTURE_SILENT_COUNT(added));
	return count;
}

/* ---------------------------------------------------------------- which blocks are silent */

/* Whether the block before this one, which begins now for the first time, ends so that it goes on here. */
static bool comes_regularly(const struct block *b)
{
	struct block *blocks[SILENT_BLOCKS];
	const struct capture_edges *caller = (const struct capture_edges *)(uintptr_t)silent_word[1];
	const uint64_t added = silent_added(silent_word[0], caller);
	const struct block *before = caller == NULL ? NULL : silent_block(CAPTURE_EDGES_NUMBER(silent_word[1]));
	if (CAPTURE_SILENT_COUNT(added) != 0) {
		const size_t count = decode_regular(added, blocks);
		before = count == 0 ? NULL : blocks[count - 1];
	}
	return before != NULL && (before->end == END_INDIRECT || goes_to(before, b));
}

/* Its depth; 0: it calls. */
static unsigned choose_depth(const struct block *b)
{
	uint64_t ways[2];
	const size_t count = ways_of(b, ways);
	const unsigned depth = place_at(b->start)->above + 1u;
	if (count == 0 || depth > CAPTURE_SILENT_DEPTHS || handler_begins(b->start) || !comes_regularly(b))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (ways[i] == CAPTURE_ADDRESS(b->start) || place_at(ways[i])->silent != NULL)
			return 0;
	}
	return depth;
}

/* In the region of a processor. */
static uint32_t *insns_of(struct processor *p)
{
	return (uint32_t *)((char *)p + CAPTURE_INSNS_AT);
}

/* The code here has one silent block, as long as it is the same code. */
static bool make_silent(struct block *b)
{
	struct silent_place *place = place_at(b->start);
	if (place->silent != NULL) {
		if (handler_begins(b->start) || !same_code(place->silent, b) || !comes_regularly(b))
			return false;
		b->silent = place->silent->silent;
	} else {
		const unsigned depth = choose_depth(b);
		if (depth == 0 || b->number >= CAPTURE_SILENT_MAX)
			return false;
		uint64_t ways[2];
		const size_t count = ways_of(b, ways);
		for (size_t i = 0; i < count; i++) {
			struct silent_place *next = place_at(ways[i]);
			next->above = (uint8_t)(next->above < depth ? depth : next->above);
		}
		b->silent = CAPTURE_SILENT_ONE + ((uint64_t)b->number << (CAPTURE_SILENT_BITS * (depth - 1)));
		place = place_at(b->start);
		place->depth = (uint8_t)depth;
	}
	place->silent = b;
	return true;
}

static bool give_number(struct block *b)
{
	struct processor *p = silent_processor;
	if (block_count + 2 >= CAPTURE_BLOCKS_MAX)
		return false;
	b->number = ++block_count;
	numbered_blocks[b->number] = b;
	if (p != NULL) {
		insns_of(p)[b->number] = b->insns;
		atomic_store_explicit(&p->shared.blocks, b->number, memory_order_release);
	}
	return true;
}

uint64_t silent_target(uint64_t address)
{
	struct silent_place *place = place_at(address);
	if (place->number == 0 && block_count + 2 < CAPTURE_BLOCKS_MAX) {
		place->number = ++block_count; /* of no block */
		place->target = address;
	}
	return place->target == address ? (uint64_t)place->number << 44 : 0;
}

bool silent_translated(struct qemu_plugin_tb *tb, struct block *b)
{
	const uint64_t object = b->start >> CAPTURE_SPACE;
	if (add_inline == NULL)
		return false;
	if (!give_number(b))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, edge_begins_rarely, CALLBACK_READS_NOTHING, b);
	else if (silent_processor != NULL && object != 0 && !maps_made(object) && make_silent(b))
		add_inline(tb, 0, silent_word, b->silent);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(
		    tb, edge_begins, CALLBACK_READS_NOTHING, edges_place + b->number * sizeof(struct capture_edges));
	return true;
}

/* ---------------------------------------------------------------- when */

static void all_blocks_call(void)
{
	if (silent_processor != NULL)
		edges_settle(silent_processor);
	silent_processor = NULL;
	add_inline = NULL;
}

static void thread_begins(qemu_plugin_id_t id, unsigned cpu)
{
	(void)id;
	if (cpu != 0)
		all_blocks_call();
}

static void code_flushed(qemu_plugin_id_t id)
{
	(void)id;
	all_blocks_call();
}

void silent_install(qemu_plugin_id_t id)
{
	plugin_begun *begins = (plugin_begun *)dlsym(RTLD_DEFAULT, "qemu_plugin_register_vcpu_init_cb");
	plugin_flushed *flushed = (plugin_flushed *)dlsym(RTLD_DEFAULT, "qemu_plugin_register_flush_cb");
	plugin_adds *adds = (plugin_adds *)dlsym(RTLD_DEFAULT, "qemu_plugin_register_vcpu_tb_exec_inline");
	if (begins == NULL || flushed == NULL || adds == NULL)
		return;
	edges_place = edges_open();
	if (edges_place == NULL)
		return;
	begins(id, thread_begins);
	flushed(id, code_flushed);
	add_inline = adds;
}

void silent_begin(struct processor *p)
{
	void *at = silent_word;
	if (add_inline == NULL)
		return;
	if (!edges_begin(p, edges_place))
		capture_give_up(CAPTURE_NO_MEMORY);
	if (mremap((char *)p + CAPTURE_SILENT_AT, 0, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED &&
	    mmap(at, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		capture_give_up(CAPTURE_NO_MEMORY);
	silent_word[0] = SILENT_NOBODY;
	silent_word[1] = 0;
	for (uint32_t i = 1; i <= block_count; i++) /* a child has them from its parent */
		insns_of(p)[i] = numbered_blocks[i] == NULL ? 0 : numbered_blocks[i]->insns;
	atomic_store_explicit(&p->shared.blocks, block_count, memory_order_release);
	silent_processor = p;
}

/* A handler of signals begins irregularly: it calls, if that can still be. */
void silent_handler(uint64_t address)
{
	if (add_inline == NULL)
		return;
	struct block *block = place_at(address)->silent;
	if (block != NULL && handler_count < HANDLERS_MAX)
		handlers[handler_count++] = block;
}
