/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A profile as the frames that stream.h describes: the header, the entries (each start as the distance from the one
 * before), stacks and places, the end with the sums that a reader checks. */
#include "host/profile/stream.h"

#include <stdlib.h>
#include <string.h>
#include "host/profile/change.h"
#include "host/profile/place.h"

/* Flags, and five numbers of at most 64 bits. */
#define ENTRY_MAX (1 + 5 * FRAME_LEB_MAX)

struct writer {
	struct frame frame;
	uint8_t sequence;
	profile_emit *emit;
	void *context;
};

static int write_frame(struct writer *writer)
{
	uint8_t coded[FRAME_CODED_MAX];
	size_t size = frame_end(&writer->frame, coded);
	return writer->emit(writer->context, coded, size) == 0 ? PROFILE_OK : PROFILE_EWRITE;
}

static void begin_stack(void *context)
{
	struct writer *writer = context;
	frame_begin(&writer->frame, FRAME_STACK, writer->sequence++);
}

static void begin_places(void *context)
{
	struct writer *writer = context;
	frame_begin(&writer->frame, FRAME_PLACES, writer->sequence++);
}

static int end_stream_part(void *context)
{
	return write_frame(context);
}

static int write_profile_header(struct writer *writer, const struct profile_header *header)
{
	struct frame *frame = &writer->frame;
	const uint64_t numbers[] = {PROFILE_STREAM_VERSION, header->source, header->xlen, header->hist, header->ctrl,
	    run_way_header((uint32_t)header->way), header->period, header->dither};
	frame_begin(frame, FRAME_HEADER, writer->sequence++);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		frame_leb(frame, numbers[i]);
	for (unsigned i = 0; i < 4; i++)
		frame_byte(frame, (uint8_t)(header->build >> (8 * i)));
	size_t length = strnlen(header->name, sizeof header->name),
	       room = frame_room(frame) - 2 - FRAME_LEB_MAX; /* the length takes two bytes at most */
	if (length > room)
		length = room;
	frame_leb(frame, length);
	for (size_t i = 0; i < length; i++)
		frame_byte(frame, (uint8_t)header->name[i]);
	if (header->program != 0)
		frame_leb(frame, header->program);
	return write_frame(writer);
}

/* One entry; *open says that a frame has been begun, *before is the start of the last entry in it. */
static int write_entry(
    struct writer *writer, const struct record *entry, bool extras, uint64_t count, bool *open, uint64_t *before)
{
	struct frame *frame = &writer->frame;
	int error = PROFILE_OK;
	if (*open && frame_room(frame) < ENTRY_MAX) {
		error = write_frame(writer);
		*open = false;
	}
	if (error != PROFILE_OK)
		return error;
	if (!*open) {
		frame_begin(frame, FRAME_ENTRIES, writer->sequence++);
		*before = PROFILE_START_BASE;
		*open = true;
	}
	frame_byte(frame, frame_entry_flags(entry->reason, extras));
	frame_leb(frame, frame_zigzag((int64_t)(entry->start - *before) / 2));
	frame_leb(frame, entry->hist);
	frame_leb(frame, count);
	if (extras) {
		frame_leb(frame, entry->cycles);
		frame_leb(frame, entry->insns);
	}
	*before = entry->start;
	return PROFILE_OK;
}

int profile_write(const struct profile *profile, profile_emit *emit, void *context)
{
	struct writer writer = {.emit = emit, .context = context};
	const struct record **sorted;
	bool open = false;
	uint64_t before = PROFILE_START_BASE, entries = 0;
	int error = profile_sort(profile, PROFILE_BY_START, &sorted);
	if (error != PROFILE_OK)
		return error;
	error = write_profile_header(&writer, &profile->header);
	if (error == PROFILE_OK)
		error = profile_place_write(profile, &writer.frame, begin_places, end_stream_part, &writer);
	for (size_t i = 0; i < profile->used && error == PROFILE_OK; i++) {
		const struct record *entry = sorted[i];
		/* counts with and without cycles are two entries: nothing is averaged away */
		if (entry->timed > 0) {
			error = write_entry(&writer, entry, true, entry->timed, &open, &before);
			entries++;
		}
		if (error == PROFILE_OK && entry->count > entry->timed) {
			/* how long a trace was that was cut off does not follow from the program */
			const bool length = entry->timed == 0 && entry->insns > 0 && record_partial(entry);
			error = write_entry(&writer, entry, length, entry->count - entry->timed, &open, &before);
			entries++;
		}
	}
	free(sorted);
	if (error == PROFILE_OK && open)
		error = write_frame(&writer);
	if (error != PROFILE_OK)
		return error;
	for (size_t i = 0; i < profile->change_count; i++) {
		change_put(&profile->changes[i], &writer.frame);
		if ((error = write_frame(&writer)) != PROFILE_OK)
			return error;
	}
	if ((error = profile_stack_write(profile, &writer.frame, begin_stack, end_stream_part, &writer)) != PROFILE_OK)
		return error;
	const struct profile_end *end = &profile->end;
	const uint64_t numbers[] = {entries, profile->total, end->dropped, end->lost, end->cycles, end->instructions,
	    end->handler_cycles, end->interrupts};
	frame_begin(&writer.frame, FRAME_END, writer.sequence++);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		frame_leb(&writer.frame, numbers[i]);
	const bool run = end->run_cycles > 0 || end->run_instructions > 0;
	const bool switched = end->offs > 0 || end->all_time > 0;
	if (end->ending != PROFILE_END_EXIT || run || switched)
		frame_leb(&writer.frame, end->ending);
	if (run || switched) {
		frame_leb(&writer.frame, end->run_cycles);
		frame_leb(&writer.frame, end->run_instructions);
	}
	if (switched) {
		frame_leb(&writer.frame, end->offs);
		frame_leb(&writer.frame, end->on_time);
		frame_leb(&writer.frame, end->all_time);
	}
	return write_frame(&writer);
}
