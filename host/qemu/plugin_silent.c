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
 * Which blocks these are is chosen when each is translated, from what is there already; then anew by how often each ran
 * (plugin_choose.c): the plugin asks qemu to reset it, which translates all code again.
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
#include "host/qemu/plugin_choose.h"

enum { PAGE_BYTES = 4096, HANDLERS_MAX = 64 };
_Alignas(PAGE_BYTES) uint64_t silent_word[PAGE_BYTES / sizeof(uint64_t)] = {SILENT_NOBODY};
struct processor *silent_processor;

typedef void plugin_adds(struct qemu_plugin_tb *tb, int what, void *word, uint64_t add);
typedef void plugin_begun(qemu_plugin_id_t id, plugin_left *begun);
typedef void plugin_flushed(qemu_plugin_id_t id, void (*flushed)(qemu_plugin_id_t id));
typedef void plugin_resets(qemu_plugin_id_t id, void (*was_reset)(qemu_plugin_id_t id));
static plugin_adds *add_inline;     /* NULL: every block calls */
static plugin_resets *reset_plugin; /* NULL: what is chosen once is not chosen again */
static qemu_plugin_id_t plugin_number;
static void silent_register(qemu_plugin_id_t id);

/* Calls until blocks are chosen again, by how often they ran: some at first, 8 times as many until there is nothing to
 * be learned, and some for each block, because translating takes time. So again when the code has grown. */
enum { WEIGH_FIRST = 1 << 16, WEIGH_MOST = 1 << 22, WEIGH_EACH = 64, CHOOSE_AGAIN = 256 };
uint64_t silent_calls_left = WEIGH_FIRST;
static uint64_t weigh_calls = WEIGH_FIRST;
static bool weighing = true; /* blocks that call count down */
static bool resetting;
static size_t chosen_count; /* how many were there to choose from */

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
	bool calls;           /* it was chosen that what begins here calls */
	bool irregular;       /* it came irregularly, once at least */
	struct block *known;  /* the one that was translated last; NULL: none */
	uint32_t choice;      /* its number among those that are chosen from */
};
static struct silent_place *places;
static size_t place_count, place_room, known_count;
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
	const struct block *before = silent_processor->before;
	if (caller != NULL)
		before = silent_block(CAPTURE_EDGES_NUMBER(silent_word[1]));
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
	if (count == 0 || depth > CAPTURE_SILENT_DEPTHS)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (ways[i] == CAPTURE_ADDRESS(b->start) || place_at(ways[i])->silent != NULL)
			return 0;
	}
	return depth;
}

static bool of_file(const struct block *b)
{
	const uint64_t object = b->start >> CAPTURE_SPACE;
	return object != 0 && !maps_made(object);
}

/* In the region of a processor. */
static uint32_t *insns_of(struct processor *p)
{
	return (uint32_t *)((char *)p + CAPTURE_INSNS_AT);
}

/* The code here has one silent block, as long as it is the same code. */
static bool make_silent(struct block *b)
{
	const bool regular = comes_regularly(b);
	struct silent_place *place = place_at(b->start);
	place->irregular = place->irregular || !regular;
	if (!regular || place->calls || handler_begins(b->start))
		return false;
	if (place->silent != NULL) {
		if (!same_code(place->silent, b))
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
	if (add_inline == NULL)
		return false;
	if (!give_number(b)) {
		qemu_plugin_register_vcpu_tb_exec_cb(tb, edge_begins_rarely, CALLBACK_READS_NOTHING, b);
		return true;
	}
	struct silent_place *place = place_at(b->start);
	known_count += place->known == NULL;
	place->known = b;
	if (silent_processor != NULL && of_file(b) && make_silent(b))
		add_inline(tb, 0, silent_word, b->silent);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(tb, weighing ? edge_begins_weighed : edge_begins,
		    CALLBACK_READS_NOTHING, edges_place + b->number * sizeof(struct capture_edges));
	if (!weighing && known_count > 2 * chosen_count + CHOOSE_AGAIN)
		silent_weighed();
	return true;
}

/* ---------------------------------------------------------------- which ones, by how often they ran */

static void weigh_blocks(struct processor *p, struct choice *all)
{
	uint64_t *times = edges_times(p);
	for (uint32_t i = 0; times != NULL && i < p->shared.keys; i++) {
		const struct silent_place *place = place_in(places, place_room, CAPTURE_ADDRESS(p->keys[i].start));
		if (place->known != NULL && place->known->start == p->keys[i].start)
			all[place->choice].weight += times[i];
	}
	free(times);
}

/* The blocks that are known, in the order in which they ran first. */
static size_t list_blocks(struct choice *all)
{
	size_t count = 0;
	for (uint32_t i = 1; i <= block_count; i++) {
		const struct block *b = numbered_blocks[i];
		struct silent_place *place = b == NULL ? NULL : place_at(b->start);
		if (place == NULL || place->known != b)
			continue;
		all[count] = (struct choice){.address = CAPTURE_ADDRESS(b->start)};
		all[count].way_count = (uint8_t)ways_of(b, all[count].ways);
		all[count].calls = all[count].way_count == 0 || place->irregular || handler_begins(b->start) ||
				   !of_file(b) || b->number >= CAPTURE_SILENT_MAX;
		place->choice = (uint32_t)count++;
	}
	return count;
}

static void take_choice(struct silent_place *place, const struct choice *choice)
{
	place->calls = choice->depth == 0;
	if (place->calls)
		return;
	place->silent = place->known;
	place->depth = choice->depth;
	place->silent->silent =
	    CAPTURE_SILENT_ONE + ((uint64_t)place->silent->number << (CAPTURE_SILENT_BITS * (choice->depth - 1u)));
}

/* All code will be translated anew. */
static void choose_again(struct processor *p)
{
	struct choice *all = calloc(known_count + 1, sizeof *all);
	const size_t count = all == NULL ? 0 : list_blocks(all);
	if (all != NULL)
		weigh_blocks(p, all);
	if (count == 0 || !choose_silent(all, count)) {
		free(all);
		return;
	}
	handler_count = 0;
	for (size_t i = 0; i < place_room; i++) {
		places[i].silent = NULL;
		places[i].depth = places[i].above = 0;
	}
	for (size_t i = 0; i < count; i++) {
		take_choice(place_at(all[i].address), &all[i]);
		for (size_t w = 0; w < all[i].way_count; w++) {
			struct silent_place *next = place_at(all[i].ways[w]);
			next->above = next->above < all[i].depth ? all[i].depth : next->above;
		}
	}
	free(all);
}

/* No code runs, and none is translated. */
static void plugin_was_reset(qemu_plugin_id_t id)
{
	resetting = false;
	plugin_register(id);
	silent_register(id);
	if (silent_processor == NULL)
		return;
	edges_settle(silent_processor);
	choose_again(silent_processor);
	weighing = weigh_calls < WEIGH_MOST || known_count > 2 * chosen_count + CHOOSE_AGAIN;
	weigh_calls = weigh_calls < WEIGH_MOST ? 8 * weigh_calls : WEIGH_MOST;
	chosen_count = known_count;
	silent_calls_left = weigh_calls > WEIGH_EACH * known_count ? weigh_calls : WEIGH_EACH * known_count;
}

void silent_weighed(void)
{
	if (reset_plugin == NULL || silent_processor == NULL || resetting)
		return;
	resetting = true;
	reset_plugin(plugin_number, plugin_was_reset);
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
	if (!resetting)
		all_blocks_call();
}

static void silent_register(qemu_plugin_id_t id)
{
	plugin_begun *begins = (plugin_begun *)dlsym(RTLD_DEFAULT, "qemu_plugin_register_vcpu_init_cb");
	plugin_flushed *flushed = (plugin_flushed *)dlsym(RTLD_DEFAULT, "qemu_plugin_register_flush_cb");
	begins(id, thread_begins);
	flushed(id, code_flushed);
}

void silent_install(qemu_plugin_id_t id)
{
	plugin_adds *adds = (plugin_adds *)dlsym(RTLD_DEFAULT, "qemu_plugin_register_vcpu_tb_exec_inline");
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_register_vcpu_init_cb") == NULL ||
	    dlsym(RTLD_DEFAULT, "qemu_plugin_register_flush_cb") == NULL || adds == NULL)
		return;
	edges_place = edges_open();
	if (edges_place == NULL)
		return;
	silent_register(id);
	reset_plugin = (plugin_resets *)dlsym(RTLD_DEFAULT, "qemu_plugin_reset");
	plugin_number = id;
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
