/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/trace/profile.h"
#include "common/frame.h"
#include "common/run_config.h"
#include "sw/trace/trace.h"

#define VERSION 1
#define SOURCE_FIRMWARE 0
#define START_BASE 0x80000000u
/* The longest entry: flags, start, history, count, cycles, instructions, of 8, 33, 32, 32, 40 and 16 bits. */
#define ENTRY_MAX (1 + 5 + 5 + 5 + 6 + 3)

struct sender {
	struct frame frame;
	uint8_t coded[FRAME_CODED_MAX];
	uint8_t sequence;
	void (*put)(void *context, const void *bytes, size_t size);
	void *context;
};

static void begin(struct sender *sender, uint8_t type)
{
	frame_begin(&sender->frame, type, sender->sequence++);
}

static void end(struct sender *sender)
{
	size_t size = frame_end(&sender->frame, sender->coded);
	sender->put(sender->context, sender->coded, size);
}

static void send_header(struct sender *sender, const struct profile_info *info)
{
	struct frame *frame = &sender->frame;
	begin(sender, FRAME_HEADER);
	frame_leb(frame, VERSION);
	frame_leb(frame, SOURCE_FIRMWARE);
	frame_leb(frame, info->xlen);
	frame_leb(frame, info->hist);
	frame_leb(frame, info->ctrl);
	frame_leb(frame, run_way_header(info->way));
	frame_leb(frame, info->period);
	frame_leb(frame, info->dither);
	for (unsigned i = 0; i < 4; i++)
		frame_byte(frame, (uint8_t)(info->build >> (8 * i)));
	size_t length = 0;
	while (info->name[length] != '\0')
		length++;
	/* The length itself takes two bytes at most, and what stands behind the name three. */
	size_t room = frame_room(frame) - 5;
	if (length > room)
		length = room;
	frame_leb(frame, length);
	for (size_t i = 0; i < length; i++)
		frame_byte(frame, (uint8_t)info->name[i]);
	if (info->harts > 0) {
		frame_leb(frame, 0); /* no number of a program: that is of counters */
		frame_leb(frame, info->hart);
		frame_leb(frame, info->harts);
	}
	end(sender);
}

/* Of the run, not of the profile's frames: it has no sequence. */
static void send_phase(struct sender *sender, const struct trace_phase *phase)
{
	const uint32_t *words = (const void *)&phase->rose; /* three, and behind them the three of what sank */
	struct frame *frame = &sender->frame;
	frame_begin(frame, FRAME_KERNEL, 0);
	frame_byte(frame, FRAME_PHASE);
	frame_leb(frame, phase->time);
	for (unsigned i = 0; i < 6; i++)
		frame_leb(frame, words[i]);
	end(sender);
}

void profile_send(const struct profile_info *info, const struct table *table,
    void (*put)(void *context, const void *bytes, size_t size), void *context)
{
	struct sender sender = {.put = put, .context = context};
	uint64_t total = 0;
	uint32_t before = START_BASE;
	uint32_t sent = 0;
	bool open = false;

	send_header(&sender, info);
	for (uint32_t i = 0; i < table->used; i++) {
		struct record entry;
		table_get(table, i, &entry);
		if (entry.count == 0) /* what it counted is counted elsewhere: sw/optimise/counts.h */
			continue;
		sent++;
		if (open && frame_room(&sender.frame) < ENTRY_MAX) {
			end(&sender);
			open = false;
		}
		if (!open) {
			begin(&sender, FRAME_ENTRIES);
			before = START_BASE;
			open = true;
		}
		frame_byte(&sender.frame, frame_entry_flags(entry.reason, info->extras));
		/* Starts are even, so the difference is too: exact, also below zero. */
		frame_leb(&sender.frame, frame_zigzag(((int64_t)entry.start - (int64_t)before) / 2));
		frame_leb(&sender.frame, entry.hist);
		frame_leb(&sender.frame, entry.count);
		if (info->extras) {
			frame_leb(&sender.frame, entry.cycles);
			frame_leb(&sender.frame, entry.insns);
		}
		before = (uint32_t)entry.start;
		total += entry.count;
	}
	if (open)
		end(&sender);

	for (unsigned i = 0; i < info->phase_count; i++)
		send_phase(&sender, &info->phases[i]);
	begin(&sender, FRAME_END);
	frame_leb(&sender.frame, sent);
	frame_leb(&sender.frame, total);
	frame_leb(&sender.frame, table->dropped);
	frame_leb(&sender.frame, info->lost);
	frame_leb(&sender.frame, info->cycles);
	frame_leb(&sender.frame, info->instructions);
	frame_leb(&sender.frame, info->handler_cycles);
	frame_leb(&sender.frame, info->interrupts);
	end(&sender);
}
