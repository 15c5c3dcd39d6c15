/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/probe/probe.h"
#include "common/frame.h"

#define VERSION 1
#define SOURCE_INSERTED 2
#define WAY_EVERY_COUNT 4 /* stream: nothing is left out */
#define START_BASE 0x80000000u
/* Flags, start, history, count: the longest entry. */
#define ENTRY_MAX (1 + 10 + 5 + 10)

static struct rivulet_probe_node *nodes;

__attribute__((weak)) const char rivulet_probe_name[] = "program";

__attribute__((weak)) void rivulet_probe_put(const void *bytes, size_t size)
{
	(void)bytes;
	(void)size;
}

__attribute__((weak)) void rivulet_probe_before(void) {}
__attribute__((weak)) void rivulet_probe_begin(struct rivulet_probe_node *node)
{
	(void)node;
}

void rivulet_probe_register(struct rivulet_probe_node *node)
{
	for (const struct rivulet_probe_node *n = nodes; n != NULL; n = n->next) {
		if (n == node)
			return;
	}
	rivulet_probe_begin(node);
	node->next = nodes;
	nodes = node;
}

void rivulet_probe_clear(struct rivulet_probe_node *node)
{
	volatile uint8_t *at = node->counters;
	for (size_t i = 0; i < (size_t)node->count * node->width; i++)
		at[i] = 0;
}

void rivulet_probe_reset(void)
{
	for (struct rivulet_probe_node *n = nodes; n != NULL; n = n->next)
		rivulet_probe_clear(n);
}

struct sender {
	struct frame frame;
	uint8_t coded[FRAME_CODED_MAX];
	uint8_t sequence;
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
	frame_leb(f, nodes != NULL ? nodes->mode : 0);
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

void rivulet_probe_write(void)
{
	static struct sender sender;
	struct sender *s = &sender;
	uint64_t entries = 0, total = 0;
	rivulet_probe_before();
	s->sequence = 0;
	send_header(s);
	for (const struct rivulet_probe_node *n = nodes; n != NULL; n = n->next) {
		uint64_t before = START_BASE, id = n->id[0] | (uint64_t)n->id[1] << 32;
		int open = 0;
		for (uint32_t i = 0; i < n->count; i++) {
			uint64_t count = n->width == 8 ? ((const volatile uint64_t *)n->counters)[i]
						       : ((const volatile uint32_t *)n->counters)[i];
			if (count == 0)
				continue;
			if (open && frame_room(&s->frame) < ENTRY_MAX) {
				end(s);
				open = 0;
			}
			if (!open) {
				begin(s, FRAME_ENTRIES);
				before = START_BASE;
				open = 1;
			}
			frame_byte(&s->frame, 0);
			frame_leb(&s->frame, frame_zigzag((int64_t)(id - before) / 2));
			frame_leb(&s->frame, (uint64_t)i + 1);
			frame_leb(&s->frame, count);
			before = id;
			entries++;
			total += count;
		}
		if (open)
			end(s);
	}
	begin(s, FRAME_END);
	frame_leb(&s->frame, entries);
	frame_leb(&s->frame, total);
	for (unsigned i = 0; i < 6; i++)
		frame_leb(&s->frame, 0);
	end(s);
}
