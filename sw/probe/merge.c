/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * %m in RIVULET_PROFILE: all runs of a program add up in one file.
 *
 *   NAME (earlier runs) ─┐
 *                        ├─► entries by id and number, counts added; stacks one behind the other ──► OWN.sum ──► NAME
 *   OWN (this run)      ─┘
 *
 * Only counters add up so: a profile with other frames, or with another header, stays beside.
 */
#include "common/frame.h"
#include "sw/probe/linux.h"
#include "sw/probe/probe.h"

#define START_BASE 0x80000000u
#define LOCK_EXCLUSIVE 2
#define LAST_SUM 4 /* enum insert_mode: INSERT_REGIONS */
#define ENTRY_MAX (1 + 3 * FRAME_LEB_MAX)

struct bytes {
	uint8_t *at;
	size_t size, room;
};
struct merged {
	struct merged_entry {
		uint64_t id, number, count; /* count 0: free */
	} * entries;
	size_t entry_room;   /* a power of two */
	struct bytes stacks; /* each: length of its payload in two bytes, payload */
	uint64_t stack_base, stack_count,
	    sums[8];  /* entries, counts, dropped, lost, cycles; of switch.h: offs, on, all */
	int switched; /* some run has these; */
	int untimed;  /* some does not have the times: the sum has none */
	uint8_t header[FRAME_CONTENT_MAX];
	int header_length, ended;
};

static void free_bytes(struct bytes *b)
{
	if (b->at != NULL)
		call(CALL_MUNMAP, (long)b->at, (long)b->room, 0, 0);
	b->at = NULL;
}

static int read_whole(const char *name, struct bytes *b)
{
	static unsigned char about[256]; /* struct statx: its size stands at 40 */
	uint64_t size = 0;
	if (call6(CALL_STATX, AT_FDCWD, (long)name, 0, 0x200, (long)about, 0) < 0)
		return -1;
	for (unsigned i = 0; i < 8; i++)
		size |= (uint64_t)about[40 + i] << 8 * i;
	b->size = 0;
	b->room = (size_t)size + 1;
	b->at = rivulet_probe_map(b->room);
	long file = call(CALL_OPENAT, AT_FDCWD, (long)name, 0, 0), got = -1;
	while (b->at != NULL && file >= 0 && b->size < size &&
	       (got = call(CALL_READ, file, (long)(b->at + b->size), (long)(size - b->size), 0)) > 0)
		b->size += (size_t)got;
	if (file >= 0)
		call(CALL_CLOSE, file, 0, 0, 0);
	return b->at != NULL && b->size == size && size > 0 ? 0 : -1;
}

/* ---- reading ---- */
static int add_entry(struct merged *m, uint64_t id, uint64_t number, uint64_t count)
{
	size_t at = (size_t)((id ^ id >> 29) * 0x9E3779B1u + number * 0x85EBCA6Bu) & (m->entry_room - 1);
	while (m->entries[at].count != 0 && (m->entries[at].id != id || m->entries[at].number != number))
		at = (at + 1) & (m->entry_room - 1);
	if (count > UINT64_MAX - m->entries[at].count)
		return -1;
	m->entries[at].id = id;
	m->entries[at].number = number;
	m->entries[at].count += count;
	return 0;
}

static int take_entries(struct merged *m, const uint8_t *content, size_t length)
{
	uint64_t id = START_BASE, number, count, difference;
	size_t at = 2;
	while (at < length) {
		const uint8_t flags = content[at++];
		if (flags != 0 || frame_get_leb(content, length, &at, &difference) != 0 ||
		    frame_get_leb(content, length, &at, &number) != 0 ||
		    frame_get_leb(content, length, &at, &count) != 0)
			return -1;
		id += 2 * (uint64_t)frame_unzigzag(difference);
		if (count == 0 || add_entry(m, id, number, count) != 0)
			return -1;
	}
	return 0;
}

static int take_stack(struct merged *m, const uint8_t *content, size_t length)
{
	if (m->stacks.size + length > m->stacks.room || length < 4)
		return -1;
	uint8_t *to = m->stacks.at + m->stacks.size;
	uint64_t part, number;
	size_t at = 2;
	if (frame_get_leb(content, length, &at, &part) != 0 || frame_get_leb(content, length, &at, &number) != 0)
		return -1;
	*to++ = (uint8_t)part;
	number += m->stack_base;
	for (unsigned i = 0; i < 4; i++)
		*to++ = (uint8_t)(number >> 8 * i);
	*to++ = (uint8_t)(length - at);
	m->stacks.size += 6 + length - at;
	while (at < length)
		*to++ = content[at++];
	m->stack_count = number + 1 > m->stack_count ? number + 1 : m->stack_count;
	return part < 128 && number < UINT32_MAX ? 0 : -1;
}

static int take_end(struct merged *m, const uint8_t *content, size_t length)
{
	size_t at = 2;
	uint64_t value;
	for (unsigned i = 0; i < 5; i++) {
		if (frame_get_leb(content, length, &at, &value) != 0)
			return -1;
		m->sums[i] += value;
	}
	m->ended++;
	for (unsigned i = 0; i < 6 && at < length; i++) { /* three that are 0; ending, two more */
		if (frame_get_leb(content, length, &at, &value) != 0)
			return -1;
	}
	value = 0;
	for (unsigned i = 5; i < 8 && at < length; i++) {
		if (frame_get_leb(content, length, &at, &value) != 0)
			return -1;
		m->sums[i] += value;
		m->switched = 1;
	}
	m->untimed |= value == 0; /* the last one: time in all */
	return at == length ? 0 : -1;
}

static int take_header(struct merged *m, const uint8_t *content, int length)
{
	uint64_t words[5]; /* the last: enum insert_mode */
	size_t at = 2;
	for (unsigned i = 0; i < 5; i++) {
		if (frame_get_leb(content, (size_t)length, &at, &words[i]) != 0)
			return -1;
	}
	if (words[4] > LAST_SUM) /* a tree of calls has numbers of its own in each run */
		return -1;
	const int first = m->header_length == 0;
	if (!first && m->header_length != length)
		return -1;
	m->header_length = length;
	for (int i = 2; i < length; i++) {
		if (!first && m->header[i] != content[i])
			return -1;
		m->header[i] = content[i];
	}
	return 0;
}

static int take_profile(struct merged *m, const struct bytes *b)
{
	uint8_t content[FRAME_CONTENT_MAX];
	int error = 0;
	const int ended = m->ended;
	m->stack_base = m->stack_count;
	for (size_t at = 0, end; at < b->size && error == 0; at = end + 1) {
		for (end = at; end < b->size && b->at[end] != 0; end++)
			;
		if (end == at)
			continue;
		const int length = frame_decode(b->at + at, end - at, content);
		if (length < 2)
			return -1;
		switch (content[0]) {
		case FRAME_HEADER:
			error = take_header(m, content, length);
			break;
		case FRAME_ENTRIES:
			error = take_entries(m, content, (size_t)length);
			break;
		case FRAME_STACK:
			error = take_stack(m, content, (size_t)length);
			break;
		case FRAME_END:
			error = take_end(m, content, (size_t)length);
			break;
		default:
			error = -1;
		}
	}
	return error == 0 && m->ended == ended + 1 && m->header_length > 0 ? 0 : -1;
}

/* ---- writing ---- */
struct writer {
	struct frame frame;
	uint8_t coded[FRAME_CODED_MAX], sequence;
	long file;
	int failed;
};

static void end_frame(struct writer *w)
{
	const size_t size = frame_end(&w->frame, w->coded);
	for (size_t at = 0; at < size && !w->failed;) {
		const long done = call(CALL_WRITE, w->file, (long)(w->coded + at), (long)(size - at), 0);
		at += done > 0 ? (size_t)done : 0;
		w->failed |= done <= 0 && done != -4; /* EINTR */
	}
}

static void write_entries(struct writer *w, struct merged *m)
{
	uint64_t before = START_BASE, entries = 0;
	int open = 0;
	for (size_t i = 0; i < m->entry_room; i++) {
		const struct merged_entry *e = &m->entries[i];
		if (e->count == 0)
			continue;
		if (open && frame_room(&w->frame) < ENTRY_MAX) {
			end_frame(w);
			open = 0;
		}
		if (!open) {
			frame_begin(&w->frame, FRAME_ENTRIES, w->sequence++);
			before = START_BASE;
		}
		open = 1;
		frame_byte(&w->frame, 0);
		frame_leb(&w->frame, frame_zigzag((int64_t)(e->id - before) / 2));
		frame_leb(&w->frame, e->number);
		frame_leb(&w->frame, e->count);
		before = e->id;
		entries++;
	}
	if (open)
		end_frame(w);
	m->sums[0] = entries;
}

static void write_stacks(struct writer *w, const struct merged *m)
{
	for (size_t at = 0; at < m->stacks.size;) {
		const uint8_t *from = m->stacks.at + at;
		uint64_t number = 0;
		for (unsigned i = 0; i < 4; i++)
			number |= (uint64_t)from[1 + i] << 8 * i;
		frame_begin(&w->frame, FRAME_STACK, w->sequence++);
		frame_leb(&w->frame, from[0]);
		frame_leb(&w->frame, number);
		w->failed |= frame_room(&w->frame) < from[5];
		for (unsigned i = 0; i < from[5] && !w->failed; i++)
			frame_byte(&w->frame, from[6 + i]);
		end_frame(w);
		at += 6u + from[5];
	}
}

static int write_merged(const char *name, struct merged *m)
{
	static struct writer writer;
	struct writer *w = &writer;
	w->sequence = 0;
	w->failed = 0;
	w->file = call(CALL_OPENAT, AT_FDCWD, (long)name, O_WRONLY_CREAT_TRUNC, 0666);
	if (w->file < 0)
		return -1;
	frame_begin(&w->frame, FRAME_HEADER, w->sequence++);
	for (int i = 2; i < m->header_length; i++)
		frame_byte(&w->frame, m->header[i]);
	end_frame(w);
	write_entries(w, m);
	write_stacks(w, m);
	frame_begin(&w->frame, FRAME_END, w->sequence++);
	for (unsigned i = 0; i < 8; i++)
		frame_leb(&w->frame, i < 5 ? m->sums[i] : 0);
	for (unsigned i = 2; i < 8 && m->switched; i++)
		frame_leb(&w->frame, i < 5 || (i > 5 && m->untimed) ? 0 : m->sums[i]);
	end_frame(w);
	w->failed |= call(CALL_CLOSE, w->file, 0, 0, 0) < 0;
	return w->failed ? -1 : 0;
}

static int add_up(const struct bytes *earlier, const struct bytes *own, const char *sum)
{
	static struct merged m; /* of an earlier time too: daemon() adds up, and so does what it becomes */
	const size_t size = earlier->size + own->size;
	m.stacks.size = 0;
	m.stack_base = m.stack_count = 0;
	for (volatile unsigned i = 0; i < 8; i++)
		m.sums[i] = 0;
	m.header_length = m.ended = m.switched = m.untimed = 0;
	m.entry_room = 64;
	while (m.entry_room < size / 2) /* an entry takes four bytes at least */
		m.entry_room *= 2;
	m.stacks.room = size + 1024;
	m.entries = rivulet_probe_map(m.entry_room * sizeof *m.entries);
	m.stacks.at = rivulet_probe_map(m.stacks.room);
	int error = m.entries == NULL || m.stacks.at == NULL ? -1 : take_profile(&m, earlier);
	if (error == 0)
		error = take_profile(&m, own);
	if (error == 0)
		error = write_merged(sum, &m);
	free_bytes(&m.stacks);
	if (m.entries != NULL)
		call(CALL_MUNMAP, (long)m.entries, (long)(m.entry_room * sizeof *m.entries), 0, 0);
	return error;
}

static void append(char *to, const char *name, const char *suffix)
{
	for (; *name != '\0'; name++)
		*to++ = *name;
	do
		*to++ = *suffix;
	while (*suffix++ != '\0');
}

int rivulet_probe_merge(const char *name, const char *own)
{
	static char lock[1024 + 16], sum[1024 + 32];
	struct bytes earlier = {NULL, 0, 0}, ours = {NULL, 0, 0};
	append(lock, name, ".lock");
	append(sum, own, ".sum");
	const long held = call(CALL_OPENAT, AT_FDCWD, (long)lock, 01102, 0666);
	while (held >= 0 && call(CALL_FLOCK, held, LOCK_EXCLUSIVE, 0, 0) == -4)
		;
	static unsigned char about[256];
	int error = held < 0 ? -1 : 0;
	if (error == 0 && call6(CALL_STATX, AT_FDCWD, (long)name, 0, 1, (long)about, 0) < 0) /* the first run */
		error = call6(CALL_RENAMEAT2, AT_FDCWD, (long)own, AT_FDCWD, (long)name, 0, 0) < 0 ? -1 : 0;
	else if (error == 0) {
		error =
		    read_whole(name, &earlier) != 0 || read_whole(own, &ours) != 0 ? -1 : add_up(&earlier, &ours, sum);
		if (error == 0 && call6(CALL_RENAMEAT2, AT_FDCWD, (long)sum, AT_FDCWD, (long)name, 0, 0) < 0)
			error = -1;
		call(CALL_UNLINKAT, AT_FDCWD, (long)(error == 0 ? own : sum), 0, 0);
	}
	free_bytes(&earlier);
	free_bytes(&ours);
	if (held >= 0)
		call(CALL_CLOSE, held, 0, 0, 0);
	return error;
}
