/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/probe/trace_buffer.h"
#include "common/frame.h"
#include "sw/probe/probe.h"

#define VERSION 1
#define SOURCE_INSERTED 2
#define WAY_EVERY_EVENT 4 /* stream: nothing is left out */
#define MODE_TRACE 6      /* enum insert_mode */
#define EVENT_MAX 5       /* bytes of the longest event */
#define OBJECT_MAX (10 + 5 + 5)
#define IDLE (UINTPTR_MAX - 3)
#define RUNNING 0x52697675u /* no value that memory has by chance */

struct rivulet_trace_buffer rivulet_trace_buffer;
static uint32_t state;                           /* RUNNING while there is a sequence */
static uint64_t sent;                            /* events */
static uint8_t sequence, open;                   /* of frames; the header was sent */
static struct rivulet_probe_node *nodes, *known; /* the newest; the newest that was sent */
static struct frame frame;
static uint8_t coded[FRAME_CODED_MAX];

__attribute__((weak)) const char rivulet_probe_name[] = "program";
__attribute__((weak)) void rivulet_probe_put(const void *bytes, size_t size)
{
	(void)bytes;
	(void)size;
}
__attribute__((weak)) void rivulet_probe_open(void) {}
__attribute__((weak)) void rivulet_probe_begin(struct rivulet_probe_node *node)
{
	(void)node;
}
void rivulet_probe_clear(struct rivulet_probe_node *node)
{
	(void)node; /* there are no counters */
}

static void begin(void)
{
	struct rivulet_trace_buffer *b = &rivulet_trace_buffer;
	sent = 0;
	sequence = open = 0;
	known = NULL;
	b->others = 0;
	__asm__ volatile("mv %0, tp" : "=r"(b->owner));
	state = RUNNING;
	b->used = 0;
}

void rivulet_probe_register(struct rivulet_probe_node *node)
{
	for (const struct rivulet_probe_node *n = nodes; n != NULL; n = n->next) {
		if (n == node)
			return;
	}
	if (state != RUNNING)
		begin();
	node->next = nodes;
	nodes = node;
}

/* A sequence begins anew; what was not sent is forgotten. */
void rivulet_probe_reset(void)
{
	begin();
}

static void send(void)
{
	rivulet_probe_put(coded, frame_end(&frame, coded));
}

static void send_header(void)
{
	const volatile char *name = rivulet_probe_name; /* volatile: no call of strlen() */
	static const uint32_t numbers[] = {
	    VERSION, SOURCE_INSERTED, 8 * sizeof(void *), 32, MODE_TRACE, WAY_EVERY_EVENT, 1, 0};
	size_t length = 0;
	frame_begin(&frame, FRAME_HEADER, sequence++);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		frame_leb(&frame, numbers[i]);
	for (unsigned i = 0; i < 4; i++)
		frame_byte(&frame, 0);
	while (name[length] != '\0' && length < 100)
		length++;
	frame_leb(&frame, length);
	for (size_t i = 0; i < length; i++)
		frame_byte(&frame, (uint8_t)name[i]);
	send();
}

/* Sends the headers of the objects that have registered since the last time. */
static void send_objects(void)
{
	struct rivulet_probe_node *first = nodes;
	if (nodes == known)
		return;
	frame_begin(&frame, FRAME_OBJECTS, sequence++);
	for (const struct rivulet_probe_node *n = nodes; n != known; n = n->next) {
		if (frame_room(&frame) < OBJECT_MAX) {
			send();
			frame_begin(&frame, FRAME_OBJECTS, sequence++);
		}
		frame_leb(&frame, n->id[0] | (uint64_t)n->id[1] << 32);
		frame_leb(&frame, (uint32_t)(uintptr_t)n->counters);
		frame_leb(&frame, n->count);
	}
	send();
	known = first;
}

static void flush(void)
{
	struct rivulet_trace_buffer *b = &rivulet_trace_buffer;
	/* in a signal handler that interrupted the writing: nothing */
	const size_t count = b->used / 4 <= sizeof b->events / 4 ? b->used / 4 : 0;
	b->used = IDLE;
	rivulet_probe_open();
	if (!open)
		send_header();
	open = 1;
	send_objects();
	for (size_t i = 0; i < count;) {
		uint32_t before = 0;
		frame_begin(&frame, FRAME_EVENTS, sequence++);
		frame_leb(&frame, sent + i);
		/* frame_leb() made inline: this runs for each block that the program executes */
		uint8_t *to = frame.content + frame.length, *const full = to + frame_room(&frame) - EVENT_MAX;
		for (; i < count && to <= full; i++) {
			const int32_t difference = (int32_t)(b->events[i] - before);
			uint32_t value = (uint32_t)difference << 1 ^ (uint32_t)(difference >> 31);
			before = b->events[i];
			for (; value >= 0x80; value >>= 7)
				*to++ = (uint8_t)(value | 0x80);
			*to++ = (uint8_t)value;
		}
		frame.length = (size_t)(to - frame.content);
		send();
	}
	sent += count;
}

void rivulet_trace_full(uintptr_t event)
{
	struct rivulet_trace_buffer *b = &rivulet_trace_buffer;
	if (b->used == IDLE && state == RUNNING)
		return;         /* an event of the code that writes the buffer */
	if (state != RUNNING) { /* no object has registered yet, or the sequence has ended */
		b->used = IDLE;
		return;
	}
	flush();
	b->events[0] = (uint32_t)event;
	b->used = 4;
}

void rivulet_probe_write(void)
{
	if (state != RUNNING)
		return;
	flush();
	frame_begin(&frame, FRAME_END, sequence++);
	for (unsigned i = 0; i < 8; i++)
		frame_leb(&frame, i == 2 ? rivulet_trace_buffer.others : 0);
	send();
	state = 0;
}
