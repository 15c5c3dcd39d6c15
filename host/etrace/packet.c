/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* E-Trace 2.0, chapter "Instruction Trace Encoder Output Packets": payloads, by one walk over the fields for both
 * ways. */
#include "host/etrace/packet.h"

#include <string.h>
#include "host/base/bytes.h"

#define FORMAT_BITS 2
#define COUNT_BITS 32     /* branch_count */
#define COUNT_IMPLIED 31  /* of predictions, in each packet of format 0.0 */
#define ALIGNED_OPTIONS 6 /* of a support packet */
#define SUPPORT_FREE 32   /* bits of ioptions, doptions whose number the standard leaves open */
#define SUPPORT_TOLD 11   /* those of its reference model: ioptions 5, denable, dloss, doptions 4 */
#define PAYLOAD_BITS (8 * ETRACE_PAYLOAD_MAX)

struct etrace_layout etrace_defaults(unsigned address)
{
	return (struct etrace_layout){.address = address, .shift = 1, .privilege = 2, .cause = 4, .mode = 1};
}

/* Bits of irdepth. */
static unsigned etrace_depth_bits(const struct etrace_layout *layout)
{
	return layout->stack + (layout->stack > 0) + layout->counter;
}

/* ---- a string of bits, read or written ---- */

struct bits {
	bool writes;
	unsigned at, size; /* size: of what is read; behind it the sign goes on, in bytes too */
	bool sign;
	uint8_t bytes[ETRACE_PAYLOAD_MAX + 9];
};

static bool bit_at(const struct bits *b, unsigned at)
{
	return at >= b->size ? b->sign : b->bytes[at / 8] >> at % 8 & 1;
}

/* All at once: width bits that lie within the payload's room. */
static uint64_t read_field(struct bits *b, unsigned width)
{
	const uint8_t *from = b->bytes + b->at / 8;
	const unsigned shift = b->at % 8;
	uint64_t value = bytes_get64(from) >> shift;
	if (shift + width > 64)
		value |= (uint64_t)from[8] << (64 - shift);
	b->at += width;
	return width >= 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

static void walk_field(struct bits *b, unsigned width, uint64_t *value)
{
	uint64_t got = 0;
	if (!b->writes && b->at + width <= PAYLOAD_BITS) {
		*value = read_field(b, width);
		return;
	}
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

static void walk_small_field(struct bits *b, unsigned width, unsigned *value)
{
	uint64_t wide = *value;
	walk_field(b, width, &wide);
	*value = (unsigned)wide;
}

static void walk_flag(struct bits *b, bool *value)
{
	unsigned one = *value;
	walk_small_field(b, 1, &one);
	*value = one != 0;
}

/* The bit before at, as it stands there. */
static bool bit_before(const struct bits *b)
{
	return b->at > 0 && (b->writes ? b->bytes[(b->at - 1) / 8] >> (b->at - 1) % 8 & 1 : bit_at(b, b->at - 1));
}

/* Set if it differs from the bit before it. */
static void walk_difference(struct bits *b, bool *value)
{
	bool before = bit_before(b), raw = *value != before;
	walk_flag(b, &raw);
	*value = raw != before;
}

static uint64_t extend_sign(uint64_t value, unsigned width)
{
	if (width == 0 || width >= 64)
		return value;
	uint64_t top = UINT64_C(1) << (width - 1);
	return ((value & (top * 2 - 1)) ^ top) - top;
}

/* ---- fields ---- */

/* iaddress: without its lowest bits. */
static void walk_address(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	uint64_t raw = p->address >> l->shift;
	unsigned width = l->address - l->shift;
	walk_field(b, width, &raw);
	p->has_address = true;
	p->address = extend_sign(raw, width) << l->shift;
}

static void walk_irreport(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	if (l->form != ETRACE_RATIFIED)
		return;
	walk_difference(b, &p->irreport);
	unsigned width = etrace_depth_bits(l), copies = bit_before(b) ? (1u << width) - 1 : 0;
	if (!p->irreport)
		p->irdepth = copies;
	walk_small_field(b, width, &p->irdepth);
	p->odd = !p->irreport && p->irdepth != copies;
}

static void walk_tail(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	walk_difference(b, &p->notify);
	walk_difference(b, &p->updiscon);
	walk_irreport(b, l, p);
}

static bool top_bit(uint64_t address, unsigned bytes)
{
	return address >> (8 * bytes - 1) & 1;
}

/* The sign goes on in whole bytes, at least one. */
static unsigned address_bytes(uint64_t address)
{
	unsigned bytes = 1;
	while (bytes < 4 && (uint32_t)extend_sign(address, 8 * bytes) != (uint32_t)address)
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
	walk_field(b, 8 * bytes, &value);
	unsigned end = b->at;
	bool top = top_bit(value, bytes);
	if (b->writes) {
		notify = notify != top;
		updiscon = updiscon != notify;
	}
	b->at = at;
	walk_flag(b, &notify);
	walk_flag(b, &updiscon);
	b->at = end;
	if (!b->writes) {
		p->address = extend_sign(value, 8 * bytes);
		p->notify = notify != top;
		p->updiscon = updiscon != notify;
	}
	p->has_address = true;
}

static void walk_target_fields(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	if (l->form == ETRACE_ALIGNED) {
		aligned_address(b, p);
		return;
	}
	walk_address(b, l, p);
	walk_tail(b, l, p);
}

/* branches and branch_map of format 1 and 0.1; bits above the valid ones are not specified. */
static void branch_map(struct bits *b, unsigned branches, uint32_t *map)
{
	static const unsigned widths[] = {1, 3, 7, 15, 31};
	unsigned i = 0;
	while (widths[i] < branches)
		i++;
	uint64_t raw = *map;
	walk_field(b, widths[i], &raw);
	*map = (uint32_t)(raw & ((UINT64_C(1) << branches) - 1));
}

static void walk_branch_map(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	unsigned count = p->has_address ? p->branches : 0;
	walk_small_field(b, 5, &count);
	p->branches = count == 0 ? 31 : count;
	branch_map(b, p->branches, &p->map);
	p->has_address = false;
	if (count != 0)
		walk_target_fields(b, l, p);
}

static const char *walk_predicted(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	uint64_t count = p->right - COUNT_IMPLIED;
	unsigned form = p->has_address ? 2 + p->wrong : 0;
	walk_field(b, COUNT_BITS, &count);
	walk_small_field(b, 2, &form);
	p->right = count + COUNT_IMPLIED;
	p->wrong = form != 2;
	p->has_address = false;
	if (form == 1)
		return "has the branch format 1, which is reserved";
	if (form != 0)
		walk_target_fields(b, l, p);
	return NULL;
}

static void walk_cached_jump(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	walk_small_field(b, l->cache, &p->index);
	walk_small_field(b, 5, &p->branches);
	if (p->branches > 0)
		branch_map(b, p->branches, &p->map);
	walk_irreport(b, l, p);
}

static void walk_state_bits(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	walk_small_field(b, l->privilege, &p->privilege);
	walk_field(b, l->time, &p->time);
	walk_field(b, l->context, &p->context);
}

static void walk_trap_fields(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	walk_small_field(b, l->cause, &p->cause);
	walk_flag(b, &p->interrupt);
	if (l->form == ETRACE_FIRST)
		p->handler = true;
	else
		walk_flag(b, &p->handler);
	walk_address(b, l, p);
	if (!p->interrupt || l->form == ETRACE_FIRST)
		walk_field(b, l->address, &p->value);
}

static void walk_support(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	walk_flag(b, &p->enabled);
	walk_small_field(b, l->mode, &p->mode);
	walk_small_field(b, 2, &p->status);
	if (l->form == ETRACE_ALIGNED)
		walk_small_field(b, ALIGNED_OPTIONS, &p->options);
	else if (l->form == ETRACE_RATIFIED)
		walk_small_field(b, b->writes ? SUPPORT_TOLD : SUPPORT_FREE, &p->options);
}

static void walk_synchronising(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	unsigned subformat = p->kind < ETRACE_START ? 0 : (unsigned)(p->kind - ETRACE_START);
	walk_small_field(b, 2, &subformat);
	p->kind = (enum etrace_kind)(ETRACE_START + subformat);
	if (p->kind == ETRACE_SUPPORT) {
		walk_support(b, l, p);
		return;
	}
	if (p->kind != ETRACE_CONTEXT)
		walk_flag(b, &p->not_taken);
	walk_state_bits(b, l, p);
	if (p->kind == ETRACE_TRAP)
		walk_trap_fields(b, l, p);
	else if (p->kind == ETRACE_START)
		walk_address(b, l, p);
}

static const char *walk_optional(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	unsigned which = p->kind == ETRACE_CACHED || (!b->writes && l->predictor == 0);
	if (l->predictor == 0 && l->cache == 0)
		return "is of format 0, but neither a predictor nor a jump cache is set";
	if (l->selector > 0)
		walk_small_field(b, l->selector, &which);
	if (which > 1)
		return "has a reserved subformat";
	p->kind = which == 0 ? ETRACE_PREDICTED : ETRACE_CACHED;
	if (which == 0)
		return walk_predicted(b, l, p);
	walk_cached_jump(b, l, p);
	return NULL;
}

/* One walk over the fields: reads or writes. */
static const char *walk_packet_fields(struct bits *b, const struct etrace_layout *l, struct etrace_packet *p)
{
	static const unsigned formats[] = {0, 0, 1, 2, 3, 3, 3, 3};
	unsigned format = formats[p->kind];
	walk_small_field(b, FORMAT_BITS, &format);
	switch (format) {
	case 0:
		return walk_optional(b, l, p);
	case 1:
		p->kind = ETRACE_BRANCHES;
		walk_branch_map(b, l, p);
		return NULL;
	case 2:
		p->kind = ETRACE_ADDRESS;
		walk_target_fields(b, l, p);
		return NULL;
	default:
		walk_synchronising(b, l, p);
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
	b.sign = payload[size - 1] >> 7;
	memset(b.bytes, b.sign ? UINT8_MAX : 0, sizeof b.bytes);
	memcpy(b.bytes, payload, size);
	const char *wrong = walk_packet_fields(&b, layout, packet);
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
	walk_packet_fields(&b, layout, &p);
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
