/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/probe/probe.h"
#include "common/frame.h"
#include "sw/probe/hash.h"

#define VERSION 1
#define SOURCE_INSERTED 2
#define WAY_EVERY_COUNT 4 /* stream: nothing is left out */
#define START_BASE 0x80000000u
/* Flags, start, history, count: the longest entry. */
#define ENTRY_MAX (1 + 10 + 10 + 10)

struct rivulet_probe_root rivulet_probe_root;
const struct rivulet_probe_bucket rivulet_probe_none = {.path = 0xFFFFFFFFu};
__attribute__((weak)) const uint32_t rivulet_probe_buckets = RIVULET_PROBE_BUCKETS;
__attribute__((weak)) uint32_t rivulet_probe_ready;

__attribute__((weak)) const char rivulet_probe_name[] = "program";

__attribute__((weak)) void rivulet_probe_put(const void *bytes, size_t size)
{
	(void)bytes;
	(void)size;
}

__attribute__((weak)) void rivulet_probe_before(void) {}
static uint64_t first_cycle;

static uint64_t cycles_now(void)
{
	return rivulet_probe_cycles != NULL ? rivulet_probe_cycles() : 0;
}
__attribute__((weak)) void rivulet_probe_begin(struct rivulet_probe_node *node)
{
	(void)node;
}

void rivulet_probe_register(struct rivulet_probe_node *node)
{
	for (const struct rivulet_probe_node *n = rivulet_probe_root.nodes; n != NULL; n = n->next) {
		if (n == node)
			return;
	}
	rivulet_probe_begin(node);
	if (rivulet_probe_root.nodes == NULL)
		first_cycle = cycles_now();
	node->next = rivulet_probe_root.nodes;
	rivulet_probe_root.nodes = node;
	rivulet_probe_root.pool = rivulet_probe_pool;
	rivulet_probe_root.buckets = rivulet_probe_buckets;
	rivulet_probe_root.ready = rivulet_probe_ready = RIVULET_PROBE_READY;
}

void rivulet_probe_clear(struct rivulet_probe_node *node)
{
	volatile uint8_t *at = node->counters;
	for (size_t i = 0; i < (size_t)node->count * node->width; i++)
		at[i] = 0;
}

void rivulet_probe_reset(void)
{
	for (struct rivulet_probe_node *n = rivulet_probe_root.nodes; n != NULL; n = n->next)
		rivulet_probe_clear(n);
	if (rivulet_probe_threads != NULL)
		rivulet_probe_clear_threads();
	for (unsigned level = 0; rivulet_probe_used != NULL && level < RIVULET_PROBE_LEVELS; level++) {
		uint32_t first, count = rivulet_probe_used(level, &first);
		for (uint32_t i = first; i < first + count; i++)
			((volatile struct rivulet_probe_bucket *)rivulet_probe_pool)[i].count = 0;
	}
	rivulet_probe_root.dropped = 0;
}

struct sender {
	struct frame frame;
	uint8_t coded[FRAME_CODED_MAX];
	uint8_t sequence;
	bool open; /* a frame of entries has been begun */
	uint64_t before, entries, total;
};

static void begin(struct sender *s, uint8_t type)
{
	frame_begin(&s->frame, type, s->sequence++);
}

static void end(struct sender *s)
{
	rivulet_probe_put(s->coded, frame_end(&s->frame, s->coded));
}

static void send_header(struct sender *s)
{
	struct frame *f = &s->frame;
	size_t length = 0;
	const volatile char *name =
	    rivulet_probe_name; /* volatile: else compilers make a call of strlen() of the loop */
	begin(s, FRAME_HEADER);
	frame_leb(f, VERSION);
	frame_leb(f, SOURCE_INSERTED);
	frame_leb(f, 8 * sizeof(void *));
	frame_leb(f, 32);
	frame_leb(f, rivulet_probe_root.nodes != NULL ? rivulet_probe_root.nodes->mode : 0);
	frame_leb(f, WAY_EVERY_COUNT);
	frame_leb(f, 1);
	frame_leb(f, 0);
	for (unsigned i = 0; i < 4; i++)
		frame_byte(f, 0);
	while (name[length] != '\0' && length < 100)
		length++;
	frame_leb(f, length);
	for (size_t i = 0; i < length; i++)
		frame_byte(f, (uint8_t)name[i]);
	end(s);
}

static void send_entry(struct sender *s, uint64_t id, uint64_t number, uint64_t count)
{
	if (count == 0)
		return;
	if (s->open && frame_room(&s->frame) < ENTRY_MAX) {
		end(s);
		s->open = false;
	}
	if (!s->open) {
		begin(s, FRAME_ENTRIES);
		s->before = START_BASE;
		s->open = true;
	}
	frame_byte(&s->frame, 0);
	frame_leb(&s->frame, frame_zigzag((int64_t)(id - s->before) / 2));
	frame_leb(&s->frame, number + 1);
	frame_leb(&s->frame, count);
	s->before = id;
	s->entries++;
	s->total += count;
}

/* Of a counter, in all threads (thread.c). */
static uint64_t read_counter(const struct rivulet_probe_node *n, uint32_t i)
{
	const volatile uint8_t *at = (const volatile uint8_t *)n->counters + (size_t)i * n->width;
	uint64_t sum = 0;
	for (unsigned k = 0, all = rivulet_probe_threads != NULL ? rivulet_probe_threads() : 0; k <= all; k++) {
		const volatile void *own = k == 0 ? at : at + rivulet_probe_distance(k - 1);
		sum += n->width == 8 ? *(const volatile uint64_t *)own : *(const volatile uint32_t *)own;
	}
	return sum;
}

static void send_counters(struct sender *s, const struct rivulet_probe_node *n)
{
	uint64_t id = n->id[0] | (uint64_t)n->id[1] << 32;
	for (uint32_t i = 0; i < n->count; i++)
		send_entry(s, id, i, read_counter(n, i));
}

static void send_buckets(struct sender *s)
{
	for (unsigned level = 0; rivulet_probe_used != NULL && level < RIVULET_PROBE_LEVELS; level++) {
		uint32_t first, count = rivulet_probe_used(level, &first);
		for (uint32_t i = first; i < first + count; i++) {
			const struct rivulet_probe_bucket *b = &rivulet_probe_pool[i];
			const struct rivulet_probe_table *t = b->table;
			if (t != NULL)
				send_entry(s, t->id[0] | (uint64_t)t->id[1] << 32,
				    (uint64_t)t->function << 32 | b->path, b->count);
		}
	}
}

static void send_active(struct sender *s)
{
	const uintptr_t *addresses = NULL;
	unsigned count = rivulet_probe_active != NULL ? rivulet_probe_active(&addresses) : 0;
	for (unsigned i = 0; i < count; i++)
		send_entry(s, RIVULET_PROBE_STACK_ID, addresses[i], 1);
}

void rivulet_probe_write(void)
{
	static struct sender sender;
	struct sender *s = &sender;
	uint64_t cycles = cycles_now() - first_cycle;
	rivulet_probe_before();
	s->sequence = 0;
	s->entries = s->total = 0;
	send_header(s);
	for (const struct rivulet_probe_node *n = rivulet_probe_root.nodes; n != NULL; n = n->next)
		send_counters(s, n);
	send_buckets(s);
	send_active(s);
	if (s->open)
		end(s);
	s->open = false;
	begin(s, FRAME_END);
	frame_leb(&s->frame, s->entries);
	frame_leb(&s->frame, s->total);
	frame_leb(&s->frame, rivulet_probe_root.dropped);
	frame_leb(&s->frame, 0);
	frame_leb(&s->frame, cycles);
	for (unsigned i = 0; i < 3; i++)
		frame_leb(&s->frame, 0);
	end(s);
}
