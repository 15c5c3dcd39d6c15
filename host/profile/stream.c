/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/profile/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/crc.h"
#include "host/profile/change.h"
#include "host/profile/place.h"

int damage_describe(const struct damage *d, char *text, size_t size)
{
	switch (d->kind) {
	case DAMAGE_CODE:
	case DAMAGE_CRC:
	case DAMAGE_LENGTH:
	case DAMAGE_CUT:
	case DAMAGE_PAYLOAD:
	case DAMAGE_TYPE: {
		static const char *const why[] = {[DAMAGE_CODE] = "its code is broken",
		    [DAMAGE_CRC] = "its checksum is wrong",
		    [DAMAGE_LENGTH] = "no frame has this length",
		    [DAMAGE_CUT] = "the file ends inside it",
		    [DAMAGE_PAYLOAD] = "its checksum is right, but not its content",
		    [DAMAGE_TYPE] = "its type or version is unknown; a newer rivulet may know it"};
		return snprintf(text, size, "damaged frame at offset %" PRIu64 " (%" PRIu64 " bytes): %s", d->offset,
		    d->size, why[d->kind]);
	}
	case DAMAGE_HOLE:
		return snprintf(text, size, "%" PRIu64 " frame%s missing before offset %" PRIu64 "%s", d->value,
		    d->value == 1 ? " is" : "s are", d->offset, d->value >= 0x80 ? ", or the order is wrong" : "");
	case DAMAGE_REPEATED:
		return snprintf(
		    text, size, "frame at offset %" PRIu64 " came twice: the second is left out", d->offset);
	case DAMAGE_SECOND:
		return snprintf(text, size,
		    "a second profile begins at offset %" PRIu64
		    ": only the first is used; cut the file there to use the other",
		    d->offset);
	case DAMAGE_NO_FRAMES:
		return snprintf(text, size,
		    "no profile in %" PRIu64
		    " bytes; give the captured UART bytes of a whole run, or the file of run --profile",
		    d->size);
	case DAMAGE_NO_HEADER:
		return snprintf(text, size, "the header frame is missing: program, period and build are not known");
	case DAMAGE_NO_END:
		return snprintf(text, size,
		    "the end frame is missing, the file ends at offset %" PRIu64
		    ": counts and cycles may be incomplete",
		    d->offset);
	case DAMAGE_SUM:
		return snprintf(text, size,
		    "the entries do not sum up to what the end frame says: %" PRIu64 " entries are missing", d->value);
	case DAMAGE_HART_CUT:
		return snprintf(text, size,
		    "the end frame of hart %" PRIu64 " is missing before offset %" PRIu64
		    ": its counts and cycles may be incomplete",
		    d->value, d->offset);
	case DAMAGE_HART_NONE:
		return snprintf(text, size, "nothing came of hart %" PRIu64 ": the sums are without it", d->value);
	}
	return snprintf(text, size, "unknown damage");
}

static void report_stream_damage(
    struct profile_reader *reader, enum damage_kind kind, uint64_t offset, uint64_t size, uint64_t value)
{
	const struct damage damage = {kind, offset, size, value};
	if (reader->damage_count < DAMAGE_MAX)
		reader->damage[reader->damage_count] = damage;
	else if (kind >= DAMAGE_NO_FRAMES) /* of the whole profile: more important than one place among many */
		reader->damage[DAMAGE_MAX - 1 - reader->replaced++] = damage;
	reader->damage_count++;
	reader->damaged += kind <= DAMAGE_TYPE;
}

void profile_reader_init(struct profile_reader *reader, struct profile *profile)
{
	memset(reader, 0, sizeof *reader);
	reader->profile = profile;
	reader->expected = -1;
}

/* What may stand behind the name. */
static bool parse_header_rest(struct profile_header *header, const uint8_t *bytes, size_t size, size_t at)
{
	uint64_t hart = 0, harts = 0;
	if (at == size) /* counters of older programs, and other sources, have no number of the program */
		return true;
	if (frame_get_leb(bytes, size, &at, &header->program) != 0)
		return false;
	if (at != size &&
	    (frame_get_leb(bytes, size, &at, &hart) != 0 || frame_get_leb(bytes, size, &at, &harts) != 0 || harts < 2 ||
		harts > PROFILE_HARTS_MAX || hart >= harts))
		return false;
	header->hart = (unsigned)hart;
	header->harts = (unsigned)harts;
	return at == size;
}

/* Returns an enum damage_kind, or -1: good. */
static int parse_profile_header(struct profile_header *parsed, const uint8_t *bytes, size_t size)
{
	struct profile_header header = {0};
	uint64_t *const numbers[] = {&header.version, &header.source, &header.xlen, &header.hist, &header.ctrl,
	    &header.way, &header.period, &header.dither};
	size_t at = 2;
	uint64_t length;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (frame_get_leb(bytes, size, &at, numbers[i]) != 0)
			return DAMAGE_PAYLOAD;
		if (i == 0 && header.version != PROFILE_STREAM_VERSION)
			return DAMAGE_TYPE;
	}
	if (size - at < 4)
		return DAMAGE_PAYLOAD;
	for (unsigned i = 0; i < 4; i++)
		header.build |= (uint32_t)bytes[at++] << (8 * i);
	if (frame_get_leb(bytes, size, &at, &length) != 0 || length > size - at || length >= sizeof header.name)
		return DAMAGE_PAYLOAD;
	if (!parse_header_rest(&header, bytes, size, at + length))
		return DAMAGE_PAYLOAD;
	if (header.hist < (header.source == PROFILE_QEMU ? 2 : 8) || header.hist > 64 ||
	    (header.xlen != 32 && header.xlen != 64) || header.source >= PROFILE_SOURCES ||
	    run_way_of_header(header.way) == RUN_WAYS)
		return DAMAGE_PAYLOAD;
	header.way = run_way_of_header(header.way);
	for (size_t i = 0; i < length; i++) /* it is printed: nothing in it may steer a terminal */
		header.name[i] = bytes[at + i] < 0x20 || bytes[at + i] >= 0x7F ? '?' : (char)bytes[at + i];
	*parsed = header;
	return -1;
}

static int read_profile_header(struct profile_reader *reader, const uint8_t *bytes, size_t size)
{
	struct profile *profile = reader->profile;
	const int kind = parse_profile_header(&profile->header, bytes, size);
	if (kind >= 0)
		return kind;
	profile->has_header = true;
	profile->by_length |=
	    profile->header.source == PROFILE_QEMU; /* the length is all that is known of how far one went */
	reader->begun |= 1u << profile->header.hart;
	return -1;
}

static bool same_chip(const struct profile_header *a, const struct profile_header *b)
{
	return a->harts == b->harts && a->source == b->source && a->xlen == b->xlen && a->hist == b->hist &&
	       a->ctrl == b->ctrl && a->way == b->way && a->period == b->period && a->dither == b->dither &&
	       a->build == b->build && a->program == b->program && strcmp(a->name, b->name) == 0;
}

/* Whether the header is that of another hart of the chip whose profile is being read: of the same program, collected in
 * the same way. Then its profile is added to those before it. */
static bool begin_next_hart(struct profile_reader *reader, const uint8_t *content, size_t size)
{
	struct profile *profile = reader->profile;
	const struct profile_header *before = &profile->header;
	struct profile_header next;
	if (content[1] != 0 || before->harts == 0 || parse_profile_header(&next, content, size) >= 0 ||
	    !same_chip(before, &next) || (reader->begun >> next.hart & 1) != 0)
		return false;
	if ((reader->ended >> before->hart & 1) == 0)
		report_stream_damage(reader, DAMAGE_HART_CUT, reader->chunk_start, 0, before->hart);
	memset(reader->seen, 0, sizeof reader->seen);
	reader->expected = -1;
	profile->has_end = false;
	return true;
}

static void add_to_hart(struct profile *profile, const struct record *entry)
{
	struct profile_hart *hart = &profile->hart[profile->header.hart];
	hart->traces += entry->count;
	hart->insns += entry->count * entry->insns;
	hart->cycles += entry->cycles;
}

/* Parses all entries first and adds them only if all are right. Returns an enum damage_kind, -1: good; or *error is
 * set. */
static int read_entries(struct profile_reader *reader, const uint8_t *bytes, size_t size, int *error)
{
	for (int pass = 0; pass < 2; pass++) {
		uint64_t start = PROFILE_START_BASE;
		const struct profile_header *header = &reader->profile->header;
		bool wide = header->xlen == 64 || header->source == PROFILE_COUNTERS;
		uint64_t mask = reader->profile->has_header && wide ? UINT64_MAX : UINT32_MAX;
		for (size_t at = 2; at < size;) {
			struct record entry = {0};
			uint64_t difference, insns = 0;
			uint8_t flags = bytes[at++];
			if ((flags & ~(FRAME_ENTRY_REASON | FRAME_ENTRY_EXTRAS | FRAME_ENTRY_REASON_HIGH)) != 0 ||
			    frame_entry_reason(flags) >= TRACE_REASONS ||
			    frame_get_leb(bytes, size, &at, &difference) != 0 ||
			    frame_get_leb(bytes, size, &at, &entry.hist) != 0 ||
			    frame_get_leb(bytes, size, &at, &entry.count) != 0)
				return DAMAGE_PAYLOAD;
			if ((flags & FRAME_ENTRY_EXTRAS) != 0) {
				if (frame_get_leb(bytes, size, &at, &entry.cycles) != 0 ||
				    frame_get_leb(bytes, size, &at, &insns) != 0)
					return DAMAGE_PAYLOAD;
				entry.timed = entry.cycles > 0 ? entry.count : 0;
			}
			start += 2 * (uint64_t)frame_unzigzag(difference);
			if (entry.hist == 0 || insns > UINT32_MAX || (start & ~mask) != 0)
				return DAMAGE_PAYLOAD;
			entry.start = start;
			entry.reason = frame_entry_reason(flags);
			entry.insns = (uint32_t)insns;
			if (pass == 0)
				continue;
			reader->entries++;
			if (header->harts > 0)
				add_to_hart(reader->profile, &entry);
			*error = profile_add(reader->profile, &entry);
			if (*error != PROFILE_OK)
				return -1;
		}
	}
	return -1;
}

static int read_profile_end(struct profile_reader *reader, const uint8_t *bytes, size_t size)
{
	struct profile_end end = {0};
	uint64_t *const numbers[] = {&end.entries, &end.counts, &end.dropped, &end.lost, &end.cycles, &end.instructions,
	    &end.handler_cycles, &end.interrupts};
	size_t at = 2;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (frame_get_leb(bytes, size, &at, numbers[i]) != 0)
			return DAMAGE_PAYLOAD;
	}
	/* firmware leaves the ending out: it has come to its end */
	if (at != size && (frame_get_leb(bytes, size, &at, &end.ending) != 0 || end.ending >= PROFILE_ENDINGS))
		return DAMAGE_PAYLOAD;
	if (at != size && (frame_get_leb(bytes, size, &at, &end.run_cycles) != 0 ||
			      frame_get_leb(bytes, size, &at, &end.run_instructions) != 0))
		return DAMAGE_PAYLOAD;
	if (at != size &&
	    (frame_get_leb(bytes, size, &at, &end.offs) != 0 || frame_get_leb(bytes, size, &at, &end.on_time) != 0 ||
		frame_get_leb(bytes, size, &at, &end.all_time) != 0 || end.on_time > end.all_time))
		return DAMAGE_PAYLOAD;
	if (at != size)
		return DAMAGE_PAYLOAD;
	if (reader->ended == 0)
		reader->profile->end = end;
	else
		profile_add_end(&reader->profile->end, &end);
	reader->ended |= 1u << reader->profile->header.hart;
	reader->profile->has_end = true;
	return -1;
}

static int read_events(struct profile_reader *reader, const uint8_t *bytes, size_t size)
{
	uint64_t first, event;
	size_t at = 2;
	if (frame_get_leb(bytes, size, &at, &first) != 0)
		return DAMAGE_PAYLOAD;
	while (at < size && frame_get_leb(bytes, size, &at, &event) == 0)
		first++;
	reader->events = first > reader->events ? first : reader->events;
	return at == size ? -1 : DAMAGE_PAYLOAD;
}

static int take_change(struct profile_reader *reader, const uint8_t *content, int size)
{
	struct profile *p = reader->profile;
	struct record_change change;
	if (reader->closed || p->has_end || !p->has_header || !change_read(&change, content, (size_t)size))
		return PROFILE_OK;
	if (p->change_count > 0 && change.cycle <= p->changes[p->change_count - 1].cycle &&
	    memcmp(&change, &p->changes[p->change_count - 1], sizeof change) == 0)
		return PROFILE_OK; /* it came twice */
	if (!array_room(&p->changes, p->change_count + 1, &p->change_room))
		return PROFILE_ENOMEM;
	p->changes[p->change_count++] = change;
	return PROFILE_OK;
}

/* A frame with a right checksum. */
static int take_profile_frame(struct profile_reader *reader, const uint8_t *content, int size)
{
	uint8_t type = content[0], sequence = content[1];
	uint32_t crc = base_crc32(0, content, (size_t)size);
	bool repeated = reader->seen[sequence] && reader->seen_crc[sequence] == crc;
	bool used = reader->profile->has_header || reader->profile->has_end || reader->frames > 0;
	int kind = -1, error = PROFILE_OK;
	if (type == FRAME_KERNEL) /* of a run, and of no profile (kernel.h); or a phase change */
		return take_change(reader, content, size);
	if (reader->closed)
		return PROFILE_OK;
	if (repeated) {
		report_stream_damage(reader, DAMAGE_REPEATED, reader->chunk_start, reader->chunk_size, 0);
		return PROFILE_OK;
	}
	/* Behind an end frame, and at another header, something new begins. */
	const bool other = reader->profile->has_end || (type == FRAME_HEADER && used);
	if (other && !(type == FRAME_HEADER && begin_next_hart(reader, content, (size_t)size))) {
		report_stream_damage(reader, DAMAGE_SECOND, reader->chunk_start, reader->chunk_size, 0);
		reader->closed = true;
		return PROFILE_OK;
	}
	if (reader->expected < 0 && type != FRAME_HEADER)
		reader->expected = 0; /* the header, at least, is missing */
	if (reader->expected >= 0 && sequence != reader->expected) {
		unsigned missing = (unsigned)(sequence - reader->expected) & 0xFF;
		report_stream_damage(reader, DAMAGE_HOLE, reader->chunk_start, reader->chunk_size, missing);
	}
	reader->expected = (sequence + 1) & 0xFF;
	reader->seen[sequence] = true;
	reader->seen_crc[sequence] = crc;
	switch (type) {
	case FRAME_HEADER:
		kind = sequence == 0 ? read_profile_header(reader, content, (size_t)size) : DAMAGE_PAYLOAD;
		break;
	case FRAME_ENTRIES:
		kind = read_entries(reader, content, (size_t)size, &error);
		break;
	case FRAME_END:
		kind = read_profile_end(reader, content, (size_t)size);
		break;
	case FRAME_OBJECTS: /* a sequence of events: host/insert/traced.h reads it */
		break;
	case FRAME_STACK:
		kind = profile_stack_read(reader->profile, content, (size_t)size, &error) ? -1 : DAMAGE_PAYLOAD;
		break;
	case FRAME_PLACES:
		kind = profile_place_read(reader->profile, content, (size_t)size, &error) ? -1 : DAMAGE_PAYLOAD;
		break;
	case FRAME_EVENTS:
		kind = read_events(reader, content, (size_t)size);
		break;
	default:
		kind = DAMAGE_TYPE;
	}
	if (kind >= 0)
		report_stream_damage(reader, (enum damage_kind)kind, reader->chunk_start, reader->chunk_size, 0);
	else
		reader->frames++;
	return error;
}

/* A byte of console text, or of a character in it. */
static bool is_console_text(uint8_t c)
{
	return (c >= 0x20 && c != 0x7F) || (c >= 0x07 && c <= 0x0D) || c == 0x1B;
}

/* Console text: printable ASCII, the usual control characters, UTF-8. */
static bool looks_like_text(const uint8_t *bytes, size_t size, bool continued)
{
	unsigned follow = 0;
	size_t first = 0; /* a piece of longer text may begin inside a character */
	while (continued && first < size && first < 3 && (bytes[first] & 0xC0) == 0x80)
		first++;
	for (size_t i = first; i < size; i++) {
		uint8_t c = bytes[i];
		if (follow > 0) {
			if ((c & 0xC0) != 0x80)
				return false;
			follow--;
		} else if (c >= 0xC2 && c <= 0xF4)
			follow = 1u + (c >= 0xE0) + (c >= 0xF0);
		else if (c >= 0x7F || !is_console_text(c))
			return false;
	}
	return true; /* a character that is cut off at the end is text too */
}

static void give_console_text(struct profile_reader *reader, const uint8_t *bytes, size_t size)
{
	reader->text_bytes += size;
	if (reader->text != NULL && size > 0)
		reader->text(reader->context, bytes, size);
}

enum chunk_end {
	END_ZERO,
	END_FILE,
	END_PIECE
}; /* a zero byte follows; nothing follows; the chunk is longer than any frame */

static int end_stream_chunk(struct profile_reader *reader, enum chunk_end end)
{
	uint8_t content[FRAME_CONTENT_MAX];
	int error = PROFILE_OK;
	if (reader->chunk_size == 0)
		return PROFILE_OK;
	if (reader->marked) {
		for (size_t i = 0; i < reader->chunk_size; i++)
			if (!is_console_text(reader->chunk[i]))
				reader->chunk[i] = '?';
		give_console_text(reader, reader->chunk, reader->chunk_size);
		reader->chunk_size = 0;
		return PROFILE_OK;
	}
	int size =
	    end == END_PIECE || !reader->after_zero ? -3 : frame_decode(reader->chunk, reader->chunk_size, content);
	if (size >= 2) {
		error = take_profile_frame(reader, content, size);
		if (end == END_FILE) /* complete, but something may have followed */
			report_stream_damage(reader, DAMAGE_CUT, reader->chunk_start, reader->chunk_size, 0);
	} else if (looks_like_text(reader->chunk, reader->chunk_size, reader->piece)) {
		give_console_text(reader, reader->chunk, reader->chunk_size);
	} else if (!reader->closed) {
		enum damage_kind kind = DAMAGE_LENGTH;
		if (end == END_FILE && reader->after_zero && !reader->piece)
			kind = DAMAGE_CUT;
		else if (end != END_PIECE && !reader->piece) {
			if (size == -1)
				kind = DAMAGE_CODE;
			else if (size == -2)
				kind = DAMAGE_CRC;
			else
				kind = DAMAGE_LENGTH;
		}
		report_stream_damage(reader, kind, reader->chunk_start, reader->chunk_size, 0);
	}
	reader->piece = end == END_PIECE;
	reader->chunk_size = 0;
	return error;
}

int profile_feed(struct profile_reader *reader, const void *bytes, size_t size)
{
	const uint8_t *b = bytes;
	int error = PROFILE_OK;
	for (size_t i = 0; i < size && error == PROFILE_OK; i++, reader->offset++) {
		if (b[i] == 0) {
			error = end_stream_chunk(reader, END_ZERO);
			reader->after_zero = true;
			reader->piece = reader->marked = false;
			reader->chunk_start = reader->offset + 1;
			continue;
		}
		if (reader->chunk_size == CHUNK_MAX) {
			error = end_stream_chunk(reader, END_PIECE);
			reader->chunk_start = reader->offset;
		}
		reader->chunk[reader->chunk_size++] = b[i];
		if (b[i] == FRAME_TEXT_MARK && reader->after_zero && !reader->piece && reader->chunk_size == 2 &&
		    reader->chunk[0] == FRAME_TEXT_MARK) {
			reader->marked = true;
			reader->chunk_size = 0;
		}
	}
	return error;
}

/* The end of a hart is missing, which was told. What the others say is not of all that was counted. */
static void forget_partial_end(struct profile_reader *reader)
{
	struct profile *profile = reader->profile;
	if (profile->header.harts == 0 || reader->begun == reader->ended)
		return;
	profile->end = (struct profile_end){0};
	profile->has_end = false;
}

int profile_finish(struct profile_reader *reader)
{
	struct profile *profile = reader->profile;
	int error = end_stream_chunk(reader, END_FILE);
	if (error != PROFILE_OK)
		return error;
	if (reader->frames == 0) {
		report_stream_damage(reader, DAMAGE_NO_FRAMES, 0, reader->offset, 0);
		return PROFILE_OK;
	}
	if (!profile->has_header)
		report_stream_damage(reader, DAMAGE_NO_HEADER, 0, 0, 0);
	if (!profile->has_end)
		report_stream_damage(reader, DAMAGE_NO_END, reader->offset, 0, 0);
	forget_partial_end(reader);
	if (profile->has_end && (profile->end.entries != reader->entries || profile->end.counts != profile->total))
		report_stream_damage(reader, DAMAGE_SUM, reader->offset, 0,
		    profile->end.entries > reader->entries ? profile->end.entries - reader->entries : 0);
	for (unsigned h = 0; h < profile->header.harts; h++) {
		if ((reader->begun >> h & 1) == 0)
			report_stream_damage(reader, DAMAGE_HART_NONE, reader->offset, 0, h);
	}
	return PROFILE_OK;
}
