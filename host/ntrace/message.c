/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/ntrace/message.h"

#include <string.h>

#define IDLE 0xFFu
#define MDO_BITS 6u

/* The fields of each message, in order: lower case are fixed (bits in widths[]), upper case variable. */
static const struct shape {
	uint8_t tcode;
	const char *fields, *name;
} shapes[] = {{NTRACE_OWNERSHIP, "P", "Ownership"}, {NTRACE_DIRECT, "I", "DirectBranch"},
    {NTRACE_INDIRECT, "bIU", "IndirectBranch"}, {NTRACE_ERROR, "eE", "Error"}, {NTRACE_SYNC, "sIF", "ProgTraceSync"},
    {NTRACE_DIRECT_SYNC, "sIF", "DirectBranchSync"}, {NTRACE_INDIRECT_SYNC, "sbIF", "IndirectBranchSync"},
    {NTRACE_FULL, "rD", "ResourceFull"}, {NTRACE_INDIRECT_HIST, "bIUH", "IndirectBranchHist"},
    {NTRACE_INDIRECT_HIST_SYNC, "sbIFH", "IndirectBranchHistSync"}, {NTRACE_REPEAT, "B", "RepeatBranch"},
    {NTRACE_STOP, "vcI", "ProgTraceCorrelation"}};

static const struct shape *message_shape_of(unsigned tcode)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		if (shapes[i].tcode == tcode)
			return &shapes[i];
	}
	return NULL;
}

const char *ntrace_name(unsigned tcode)
{
	const struct shape *shape = message_shape_of(tcode);
	if (shape != NULL)
		return shape->name;
	return tcode >= 56 && tcode <= 62 ? "vendor defined" : "reserved";
}

static unsigned fixed_bits(char field)
{
	return field == 'b' || field == 'c' ? 2 : 4;
}

static uint8_t *fixed_place(struct ntrace_message *m, char field)
{
	switch (field) {
	case 's':
		m->has |= NTRACE_HAS_SYNC;
		return &m->sync;
	case 'b':
		m->has |= NTRACE_HAS_BTYPE;
		return &m->btype;
	case 'e':
		return &m->etype;
	case 'r':
		return &m->rcode;
	case 'v':
		return &m->evcode;
	default:
		return &m->cdf;
	}
}

/* Where a variable field is kept; its name for the sentence about one that is too wide. */
static uint64_t *variable_place(struct ntrace_message *m, char field, const char **name)
{
	switch (field) {
	case 'I':
		m->has |= NTRACE_HAS_ICNT;
		*name = "I-CNT has more than 22 bits";
		return &m->icnt;
	case 'F':
		m->has |= NTRACE_HAS_FADDR;
		return &m->address;
	case 'U':
		m->has |= NTRACE_HAS_UADDR;
		return &m->address;
	case 'H':
		m->has |= NTRACE_HAS_HIST;
		*name = "HIST has more than 32 bits";
		return &m->hist;
	case 'B':
		*name = "a repeat count has more than 18 bits";
		return &m->repeat;
	case 'P':
		return &m->process;
	case 'T':
		m->has |= NTRACE_HAS_TIME;
		return &m->time;
	default:
		return &m->ecode;
	}
}

/* Bits of an address that are sent: bit 0 is not. */
static unsigned address_limit(const struct ntrace_layout *layout)
{
	const unsigned bits = layout->address_bits;
	return (bits > 1 && bits < layout->xlen ? bits : layout->xlen) - 1;
}

static unsigned variable_limit(char field, const struct ntrace_layout *layout)
{
	switch (field) {
	case 'I':
		return NTRACE_ICNT_BITS;
	case 'H':
		return NTRACE_HIST_BITS;
	case 'B':
		return NTRACE_REPEAT_BITS;
	case 'F':
	case 'U':
		return address_limit(layout);
	default:
		return 64;
	}
}

/* RDATA is I-CNT or HIST, which the fixed field before it says; what follows may depend on one too. */
static const char *variable_rest(const struct ntrace_message *m, const char *fields)
{
	if (m->tcode == NTRACE_FULL && *fields == 'D')
		return m->rcode < 3 ? (const char *[]){"I", "H", "HB"}[m->rcode] : "E";
	if (m->tcode == NTRACE_STOP && *fields == 'I')
		return m->cdf == 1 ? "IH" : "I";
	return fields;
}

/* ---------------------------------------------------------------- reading */

void ntrace_reader_init(struct ntrace_reader *reader, const struct ntrace_layout *layout, bool lost)
{
	*reader = (struct ntrace_reader){.layout = *layout, .lost = lost};
}

size_t ntrace_reader_rest(const struct ntrace_reader *reader)
{
	return reader->lost ? 0 : reader->count;
}

struct bits { /* of one segment: up to a byte with MSEO 01 or 11 */
	const uint8_t *at, *end;
	unsigned used; /* bits of *at */
};

/* Up to `most` bits of the byte at hand; *got: how many. */
static uint64_t take_some(struct bits *bits, unsigned most, unsigned *got)
{
	const unsigned rest = MDO_BITS - bits->used;
	const uint64_t value = *bits->at >> (2 + bits->used);
	*got = most < rest ? most : rest;
	bits->used += *got;
	if (bits->used == MDO_BITS) {
		bits->used = 0;
		bits->at++;
	}
	return value & ((1u << *got) - 1);
}

static bool take_fixed(struct bits *bits, unsigned width, unsigned *value)
{
	unsigned at = 0, got;
	*value = 0;
	for (; at < width; at += got) {
		if (bits->at == bits->end)
			return false;
		*value |= (unsigned)take_some(bits, width - at, &got) << at;
	}
	return true;
}

/* All that is left of the segment. *width: bits; *top: the last of them. False: more than 64 of them count. */
static bool take_variable(struct bits *bits, uint64_t *value, unsigned *width, unsigned *top)
{
	unsigned got;
	*value = 0;
	for (*width = *top = 0; bits->at != bits->end; *width += got) {
		const uint64_t some = take_some(bits, MDO_BITS, &got);
		if (*width < 64)
			*value |= some << *width;
		if (*width + got > 64 && some >> (*width < 64 ? 64 - *width : 0) != 0)
			return false;
		*top = some >> (got - 1) & 1;
	}
	return true;
}

/* Bit 5 of the last MDO fills the bits above it, and the highest bit of an address all bits above that. */
static uint64_t extended_field(uint64_t value, unsigned width, unsigned top, const struct ntrace_layout *layout)
{
	const unsigned limit = address_limit(layout), all = layout->xlen - 1;
	if (layout->extend && top != 0 && width < limit)
		value |= UINT64_MAX << width & UINT64_MAX >> (64 - limit);
	if (limit < all && value >> (limit - 1) == 1)
		value |= UINT64_MAX << limit;
	return value & UINT64_MAX >> (64 - all);
}

static const char *take_field(
    struct ntrace_message *m, char field, struct bits *bits, const struct ntrace_layout *layout)
{
	const char *name = "a field has more than 64 bits";
	uint64_t value, *place = variable_place(m, field, &name);
	unsigned width, top, limit = variable_limit(field, layout);
	if (!take_variable(bits, &value, &width, &top))
		return name;
	if (width == 0)
		return "a field is missing";
	if (field != 'F' && field != 'U') {
		*place = value;
		return limit == 64 || value >> limit == 0 ? NULL : name;
	}
	if (value >> limit != 0 && !layout->extend)
		return "an address is wider than the program's";
	*place = extended_field(value & UINT64_MAX >> (64 - limit), width, top, layout) << 1;
	return NULL;
}

/* The segment that begins at *at. */
static struct bits read_segment(const uint8_t **at, const uint8_t *end)
{
	struct bits bits = {.at = *at};
	while (*at < end && (**at & 3) == 0)
		(*at)++;
	*at += *at < end;
	bits.end = *at;
	return bits;
}

/* Fields of a whole message; what is wrong with it, or NULL. */
static const char *parse_fields(const struct ntrace_reader *reader, const struct shape *shape, struct ntrace_message *m)
{
	const uint8_t *at = reader->bytes, *end = at + reader->count;
	struct bits bits = read_segment(&at, end);
	const char *field = shape->fields, *wrong;
	unsigned value;
	take_fixed(&bits, MDO_BITS, &value);
	if (!take_fixed(&bits, reader->layout.source_bits, &value))
		return "a field is missing";
	m->source = (uint16_t)value;
	for (; *field >= 'a'; field++) {
		if (!take_fixed(&bits, fixed_bits(*field), &value))
			return "a field is missing";
		*fixed_place(m, *field) = (uint8_t)value;
	}
	field = variable_rest(m, field);
	wrong = take_field(m, *field++, &bits, &reader->layout);
	for (; wrong == NULL && *field != '\0'; field++) {
		bits = read_segment(&at, end);
		wrong = take_field(m, *field, &bits, &reader->layout);
	}
	if (wrong == NULL && at < end) {
		bits = read_segment(&at, end);
		wrong = take_field(m, 'T', &bits, &reader->layout);
	}
	return wrong != NULL || at == end ? wrong : "it has more fields than its kind";
}

static enum ntrace_read read_whole_message(struct ntrace_reader *reader, struct ntrace_message *m)
{
	const struct shape *shape = message_shape_of(reader->bytes[0] >> 2);
	*m = (struct ntrace_message){
	    .tcode = reader->bytes[0] >> 2, .offset = reader->begin, .size = (uint32_t)reader->count};
	if (shape == NULL)
		return NTRACE_SKIPPED;
	reader->damage = parse_fields(reader, shape, m);
	return reader->damage == NULL ? NTRACE_MESSAGE : NTRACE_DAMAGED;
}

static enum ntrace_read damaged_message(struct ntrace_reader *reader, const char *why, bool lost)
{
	reader->damage = why;
	reader->lost = lost;
	reader->count = 0;
	return NTRACE_DAMAGED;
}

enum ntrace_read ntrace_read(struct ntrace_reader *reader, uint8_t byte, struct ntrace_message *message)
{
	unsigned mseo = byte & 3;
	reader->offset++;
	if (reader->lost) {
		reader->lost = mseo != 3;
		return NTRACE_MORE;
	}
	if (reader->count == 0) {
		if (byte == IDLE)
			return NTRACE_MORE;
		reader->begin = reader->offset - 1;
		if (mseo != 0)
			return damaged_message(reader, "a message begins with the end of a field", mseo != 3);
	}
	if (mseo == 2)
		return damaged_message(reader, "MSEO 10 is never legal", true);
	if (reader->count == NTRACE_MESSAGE_MAX)
		return damaged_message(reader, "a message has no end", mseo != 3);
	reader->bytes[reader->count++] = byte;
	if (mseo != 3)
		return NTRACE_MORE;
	enum ntrace_read got = read_whole_message(reader, message);
	reader->count = 0;
	return got;
}

/* ---------------------------------------------------------------- writing */

struct writer {
	uint8_t *bytes;
	size_t count;
	unsigned used; /* bits of the last byte; 6 or count 0: it is full */
};

static void put_bit(struct writer *w, unsigned bit)
{
	if (w->count == 0 || w->used == MDO_BITS) {
		w->bytes[w->count++] = 0;
		w->used = 0;
	}
	w->bytes[w->count - 1] |= (uint8_t)(bit << (2 + w->used++));
}

static void put_fixed(struct writer *w, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++)
		put_bit(w, i < 64 ? value >> i & 1 : 0);
}

/* At least one bit; then its byte is full. */
static void put_variable(struct writer *w, uint64_t value)
{
	do {
		put_bit(w, value & 1);
		value >>= 1;
	} while (value != 0 || w->used != MDO_BITS);
	w->bytes[w->count - 1] |= 1;
}

/* Address bits above the last MDO that equal its top bit are left out. */
static void put_extended(struct writer *w, uint64_t value, unsigned limit)
{
	unsigned width = MDO_BITS;
	while (width < limit) {
		uint64_t above = value >> (width - 1); /* with the top bit of the last MDO */
		if (above == 0 || above == UINT64_MAX >> (64 - limit) >> (width - 1))
			break;
		width += MDO_BITS;
	}
	put_fixed(w, width, value);
	w->bytes[w->count - 1] |= 1;
}

static void put_field(struct writer *w, const struct ntrace_layout *layout, struct ntrace_message *m, char field)
{
	const char *name;
	uint64_t value = *variable_place(m, field, &name);
	const unsigned limit = address_limit(layout);
	if (field != 'F' && field != 'U')
		put_variable(w, value);
	else if (layout->extend)
		put_extended(w, value >> 1 & UINT64_MAX >> (64 - limit), limit);
	else
		put_variable(w, value >> 1 & UINT64_MAX >> (64 - limit));
}

size_t ntrace_write(
    const struct ntrace_layout *layout, const struct ntrace_message *message, uint8_t bytes[NTRACE_MESSAGE_MAX])
{
	struct ntrace_message m = *message;
	struct writer w = {.bytes = bytes};
	const struct shape *shape = message_shape_of(m.tcode);
	if (shape == NULL)
		return 0;
	put_fixed(&w, MDO_BITS, m.tcode);
	put_fixed(&w, layout->source_bits, m.source);
	const char *field = shape->fields;
	for (; *field >= 'a'; field++)
		put_fixed(&w, fixed_bits(*field), *fixed_place(&m, *field));
	for (field = variable_rest(&m, field); *field != '\0'; field++)
		put_field(&w, layout, &m, *field);
	if ((message->has & NTRACE_HAS_TIME) != 0)
		put_field(&w, layout, &m, 'T');
	bytes[w.count - 1] |= 3;
	return w.count;
}
