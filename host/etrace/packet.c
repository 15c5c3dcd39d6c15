/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* E-Trace 2.0, chapter "Instruction Trace Encoder Output Packets": payloads, by one walk over the fields for both ways. */
#include "host/etrace/packet.h"

#include <string.h>

#define FORMAT_BITS 2
#define COUNT_BITS 32     /* branch_count */
#define COUNT_IMPLIED 31  /* of predictions, in each packet of format 0.0 */
#define ALIGNED_OPTIONS 6 /* of a support packet */
#define SUPPORT_FREE 32   /* option bits whose number the standard leaves open */
#define PAYLOAD_BITS (8 * ETRACE_PAYLOAD_MAX)

struct etrace_layout etrace_defaults(unsigned address)
{
	return (struct etrace_layout){.address = address, .shift = 1, .privilege = 2, .cause = 4, .mode = 1};
}

unsigned etrace_depth_bits(const struct etrace_layout *layout)
{
	return layout->stack + (layout->stack > 0) + layout->counter;
}

/* ---- a string of bits, read or written ---- */

struct bits {
	bool writes;
	unsigned at, size; /* size: of what is read; behind it the sign goes on */
	bool sign;
	uint8_t bytes[ETRACE_PAYLOAD_MAX];
};

static bool bit_at(const struct bits *b, unsigned at)
{
	return at >= b->size ? b->sign : b->bytes[at / 8] >> at % 8 & 1;
}

static void field(struct bits *b, unsigned width, uint64_t *value)
{
	uint64_t got = 0;
	for (unsigned i = 0; i < width; i++, b->at++) {
		if (b->at >= PAYLOAD_BITS)
			continue;
		if (b->writes)
			b->bytes[b->at / 8] |= (uint8_t)((*value >> i & 1) << b->at % 8);
		else
			got |= (uint64_t)bit_at(b, b->at) << i;
	}
	if (!b->writes)
		*value = got;
}

static void small(struct bits *b, unsigned width, unsigned *value)
{
	uint64_t wide = *value;
	field(b, width, &wide);
	*value = (unsigned)wide;
}

static void flag(struct bits *b, bool *value)
{
	unsigned one = *value;
	small(b, 1, &one);
	*value = one != 0;
}

/* The bit before at, as it stands there. */
static bool bit_before(const struct bits *b)
{
	return b->at > 0 && (b->writes ? b->bytes[(b->at - 1) / 8] >> (b->at - 1) % 8 & 1 : bit_at(b, b->at - 1));
}

/* Set if it differs from the bit before it. */
static void difference(struct bits *b, bool *value)
{
	bool before = bit_before(b), raw = *value != before;
	flag(b, &raw);
	*value = raw != before;
}

static uint64_t extend(uint64_t value, unsigned width)
{
	if (width == 0 || width >= 64)
		return value;
	uint64_t top = UINT64_C(1) << (width - 1);
	return ((value & (top * 2 - 1)) ^ top) - top;
}

/* ---- fields ---- */

/* iaddress: without its lowest bits. */
static void address(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	uint64_t raw = p->address >> l->shift;
	unsigned width = l->address - l->shift;
	field(b, width, &raw);
	p->has_address = true;
	p->address = extend(raw, width) << l->shift;
}

static void irreport(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	if (l->form != ETRACE_RATIFIED)
		return;
	difference(b, &p->irreport);
	unsigned width = etrace_depth_bits(l), copies = bit_before(b) ? (1u << width) - 1 : 0;
	if (!p->irreport)
		p->irdepth = copies;
	small(b, width, &p->irdepth);
}

static void tail(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	difference(b, &p->notify);
	difference(b, &p->updiscon);
	irreport(b, l, p);
}

static bool top_bit(uint64_t address, unsigned bytes)
{
	return address >> (8 * bytes - 1) & 1;
}

/* The sign goes on in whole bytes, at least one. */
static unsigned address_bytes(uint64_t address)
{
	unsigned bytes = 1;
	while (bytes < 4 && (uint32_t)extend(address, 8 * bytes) != (uint32_t)address)
		bytes++;
	return bytes;
}

/* ESP32-P4: notify, updiscon, up to the next byte, then the address in as many bytes as there are. */
static void aligned_address(struct bits *b, struct etrace_packet *p)
{
	unsigned at = b->at, begin = (at + 2 + 7) / 8 * 8, bytes = address_bytes(p->address);
	bool notify = p->notify, updiscon = p->updiscon;
	if (!b->writes)
		bytes = b->size > begin ? (b->size - begin) / 8 : 1;
	if (bytes > 4)
		bytes = 4;
	b->at = begin;
	uint64_t value = p->address;
	field(b, 8 * bytes, &value);
	unsigned end = b->at;
	bool top = top_bit(value, bytes);
	if (b->writes) {
		notify = notify != top;
		updiscon = updiscon != notify;
	}
	b->at = at;
	flag(b, &notify);
	flag(b, &updiscon);
	b->at = end;
	if (!b->writes) {
		p->address = extend(value, 8 * bytes);
		p->notify = notify != top;
		p->updiscon = updiscon != notify;
	}
	p->has_address = true;
}

static void target(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	if (l->form == ETRACE_ALIGNED) {
		aligned_address(b, p);
		return;
	}
	address(b, l, p);
	tail(b, l, p);
}

/* branches and branch_map of format 1 and 0.1; bits above the valid ones are not specified. */
static void branch_map(struct bits *b, unsigned branches, uint32_t *map)
{
	static const unsigned widths[] = {1, 3, 7, 15, 31};
	unsigned i = 0;
	while (widths[i] < branches)
		i++;
	uint64_t raw = *map;
	field(b, widths[i], &raw);
	*map = (uint32_t)(raw & ((UINT64_C(1) << branches) - 1));
}

static void branches(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	unsigned count = p->has_address ? p->branches : 0;
	small(b, 5, &count);
	p->branches = count == 0 ? 31 : count;
	branch_map(b, p->branches, &p->map);
	p->has_address = false;
	if (count != 0)
		target(b, l, p);
}

static const char *predicted(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	uint64_t count = p->right - COUNT_IMPLIED;
	unsigned form = p->has_address ? 2 + p->wrong : 0;
	field(b, COUNT_BITS, &count);
	small(b, 2, &form);
	p->right = count + COUNT_IMPLIED;
	p->wrong = form != 2;
	p->has_address = false;
	if (form == 1)
		return "has the branch format 1, which is reserved";
	if (form != 0)
		target(b, l, p);
	return NULL;
}

static void cached(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	small(b, l->cache, &p->index);
	small(b, 5, &p->branches);
	if (p->branches > 0)
		branch_map(b, p->branches, &p->map);
	irreport(b, l, p);
}

static void state(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	small(b, l->privilege, &p->privilege);
	field(b, l->time, &p->time);
	field(b, l->context, &p->context);
}

static void trap(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	small(b, l->cause, &p->cause);
	flag(b, &p->interrupt);
	if (l->form == ETRACE_FIRST)
		p->handler = true;
	else
		flag(b, &p->handler);
	address(b, l, p);
	if (!p->interrupt || l->form == ETRACE_FIRST)
		field(b, l->address, &p->value);
}

static void support(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	flag(b, &p->enabled);
	small(b, l->mode, &p->mode);
	small(b, 2, &p->status);
	if (l->form == ETRACE_ALIGNED)
		small(b, ALIGNED_OPTIONS, &p->options);
	else if (l->form == ETRACE_RATIFIED)
		small(b, b->writes ? 1 : SUPPORT_FREE, &p->options);
}

static void synchronising(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	unsigned subformat = p->kind < ETRACE_START ? 0 : (unsigned)(p->kind - ETRACE_START);
	small(b, 2, &subformat);
	p->kind = (enum etrace_kind)(ETRACE_START + subformat);
	if (p->kind == ETRACE_SUPPORT) {
		support(b, l, p);
		return;
	}
	if (p->kind != ETRACE_CONTEXT)
		flag(b, &p->not_taken);
	state(b, l, p);
	if (p->kind == ETRACE_TRAP)
		trap(b, l, p);
	else if (p->kind == ETRACE_START)
		address(b, l, p);
}

static const char *optional(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	unsigned which = p->kind == ETRACE_CACHED || (!b->writes && l->predictor == 0);
	if (l->predictor == 0 && l->cache == 0)
		return "is of format 0, but neither a predictor nor a jump cache is set";
	if (l->selector > 0)
		small(b, l->selector, &which);
	if (which > 1)
		return "has a reserved subformat";
	p->kind = which == 0 ? ETRACE_PREDICTED : ETRACE_CACHED;
	if (which == 0)
		return predicted(b, l, p);
	cached(b, l, p);
	return NULL;
}

/* One walk over the fields: reads or writes. */
static const char *walk(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	static const unsigned formats[] = {0, 0, 1, 2, 3, 3, 3, 3};
	unsigned format = formats[p->kind];
	small(b, FORMAT_BITS, &format);
	switch (format) {
	case 0:
		return optional(b, l, p);
	case 1:
		p->kind = ETRACE_BRANCHES;
		branches(b, l, p);
		return NULL;
	case 2:
		p->kind = ETRACE_ADDRESS;
		target(b, l, p);
		return NULL;
	default:
		synchronising(b, l, p);
		return NULL;
	}
}

const char *etrace_parse(
    const struct etrace_layout *layout, const uint8_t *payload, size_t size, struct etrace_packet *packet)
{
	struct bits b = {.size = (unsigned)(8 * size)};
	*packet = (struct etrace_packet){0};
	if (size == 0 || size > ETRACE_PAYLOAD_MAX)
		return "has no payload";
	memcpy(b.bytes, payload, size);
	b.sign = payload[size - 1] >> 7;
	const char *wrong = walk(&b, layout, packet);
	bool open = layout->transport == ETRACE_RECORDS || packet->kind == ETRACE_SUPPORT;
	if (wrong == NULL && !open && b.size > b.at + 7)
		return "is longer than its fields";
	return wrong;
}

size_t etrace_write(
    const struct etrace_layout *layout, const struct etrace_packet *packet, uint8_t payload[ETRACE_PAYLOAD_MAX])
{
	struct bits b = {.writes = true};
	struct etrace_packet p = *packet;
	walk(&b, layout, &p);
	bool sign = bit_before(&b);
	size_t size = (b.at + 7) / 8;
	for (unsigned at = b.at; at < 8 * size; at++)
		b.bytes[at / 8] |= (uint8_t)(sign << at % 8);
	memcpy(payload, b.bytes, ETRACE_PAYLOAD_MAX);
	if (layout->form != ETRACE_RATIFIED)
		return size;
	while (size > 1 && b.bytes[size - 1] == (sign ? 0xFF : 0) && (b.bytes[size - 2] >> 7 != 0) == sign)
		size--;
	return size;
}
