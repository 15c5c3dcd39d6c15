/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

#define MDO_BITS 6
#define MSEO_ENDS_FIELD 1u
#define MSEO_ENDS_MESSAGE 3u
#define ALIGNED 3u

void ntrace_pack_start(struct ntrace *t, const struct ntrace_start *start)
{
	struct ntrace_pack *p = &t->pack;
	const unsigned src_bits = t->config.src_bits, fixed_bits = src_bits + 2u * start->width;
	const uint32_t src = t->regs.src & (uint32_t)ntrace_ones(src_bits);
	p->busy = p->in_head = true;
	p->head = (uint32_t)start->fixed << (MDO_BITS + src_bits) | src << MDO_BITS | start->tcode;
	p->left = (uint8_t)(fixed_bits / MDO_BITS);
	p->align = start->width == 3 ? 0 : start->width;
	p->parts = start->parts;
}

static enum ntrace_part first_part(const struct ntrace_pack *p)
{
	unsigned part = 0;
	while ((p->parts >> part & 1) == 0)
		part++;
	return (enum ntrace_part)part;
}

/* What remains of the head or of the byte before, then six bits of the part: up to eleven bits. */
static unsigned joined_bits(const struct ntrace *t, struct ntrace_chunk chunk)
{
	const struct ntrace_pack *p = &t->pack;
	const unsigned held = p->align == ALIGNED ? 0 : (t->config.src_bits + 2u * p->align) % MDO_BITS;
	return (unsigned)chunk.low << held | (p->head & (unsigned)ntrace_ones(held));
}

bool ntrace_pack_byte(const struct ntrace *t, uint8_t *byte)
{
	const struct ntrace_pack *p = &t->pack;
	*byte = 0;
	if (!p->busy)
		return false;
	if (p->in_head) {
		*byte = (uint8_t)((p->head & 63) << 2);
		return true;
	}
	const enum ntrace_part part = first_part(p);
	const struct ntrace_chunk chunk = ntrace_encode_chunk(t, part);
	const unsigned joined = joined_bits(t, chunk), whole = chunk.last && joined >> MDO_BITS == 0;
	const unsigned mseo = p->parts >> part == 1 ? MSEO_ENDS_MESSAGE : MSEO_ENDS_FIELD;
	*byte = (uint8_t)((joined & 63) << 2 | (whole ? mseo : 0));
	return true;
}

enum ntrace_part ntrace_pack_next(struct ntrace *t, bool *ended)
{
	struct ntrace_pack *p = &t->pack;
	*ended = false;
	if (p->in_head) {
		p->head >>= MDO_BITS;
		p->in_head = p->left-- != 0;
		return NTRACE_PARTS;
	}
	const enum ntrace_part part = first_part(p);
	const struct ntrace_chunk chunk = ntrace_encode_chunk(t, part);
	const unsigned joined = joined_bits(t, chunk);
	*ended = chunk.last && joined >> MDO_BITS == 0;
	p->head = joined >> MDO_BITS;
	if (*ended) {
		p->busy = p->parts >> part != 1;
		p->parts = (uint8_t)(p->parts & ~(1u << part));
		p->align = ALIGNED;
	}
	return part;
}
