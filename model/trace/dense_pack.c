/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/trace/dense_private.h"

#define CRC_POLYNOMIAL 0xEDB88320u

static bool is_special(uint8_t byte)
{
	return byte == DENSE_FLAG_BYTE || byte == DENSE_ESCAPE_BYTE;
}

static bool buffer_has_room(const struct dense *dense)
{
	return dense_held(&dense->buffer, dense->config.buffer) != dense->config.buffer;
}

/* The byte of the stage goes into the buffer whole in this cycle. */
static bool stage_leaves(const struct dense *dense)
{
	const struct dense_pack *p = &dense->pack;
	return buffer_has_room(dense) && (p->raw || p->escaped || !is_special(p->byte));
}

bool dense_pack_ready(const struct dense *dense)
{
	return !dense->pack.stage || stage_leaves(dense);
}

bool dense_pack_empty(const struct dense *dense)
{
	return !dense->pack.stage && dense->buffer.wr == dense->buffer.rd;
}

static uint32_t crc_step(uint32_t crc, uint8_t byte)
{
	crc ^= byte;
	for (unsigned i = 0; i < 8; i++)
		crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
	return crc;
}

static void stage_byte(struct dense_pack *p, uint8_t byte, bool raw)
{
	p->stage = true;
	p->byte = byte;
	p->raw = raw;
}

static void put_content(struct dense_pack *p, unsigned bits)
{
	stage_byte(p, (uint8_t)bits, false);
	p->crc = crc_step(p->crc, (uint8_t)bits);
}

static void take_put(struct dense_pack *p, const struct dense_put *put)
{
	if (put->bits) {
		const unsigned sum = p->acc | (unsigned)put->value << p->fill, fill = p->fill + put->size;
		if (fill >= 8)
			put_content(p, sum & 0xFF);
		p->acc = (uint16_t)(fill >= 8 ? sum >> 8 : sum);
		p->fill = fill & 7;
	} else if (put->pad) {
		if (p->fill)
			put_content(p, p->acc);
		p->acc = 0;
		p->fill = 0;
	} else if (put->check) {
		stage_byte(p, (uint8_t)~p->crc, false);
		p->crc = p->crc >> 8 | p->crc << 24;
	} else if (put->flag) {
		stage_byte(p, DENSE_FLAG_BYTE, true);
		if (put->first)
			p->crc = UINT32_MAX;
	}
}

/* What the stage gives the buffer in this cycle, if there is room. */
static uint8_t stage_output(const struct dense_pack *p)
{
	if (p->escaped)
		return p->byte ^ DENSE_ESCAPE_FLIP;
	return !p->raw && is_special(p->byte) ? DENSE_ESCAPE_BYTE : p->byte;
}

void dense_pack(struct dense *dense, const struct dense_put *put, bool byte_ready)
{
	struct dense_pack *p = &dense->pack;
	struct dense_pointers *b = &dense->buffer;
	const unsigned mask = dense->config.buffer - 1, wrap = 2 * dense->config.buffer - 1;
	const bool ready = dense_pack_ready(dense), push = p->stage && buffer_has_room(dense),
		   leaves = stage_leaves(dense);
	const unsigned rd_next = (b->rd + (b->valid && byte_ready)) & wrap;
	b->valid = b->wr != rd_next; /* what is pushed in this cycle can be read in the next one */
	b->rd = rd_next;
	if (b->valid)
		dense->byte = dense->buffer_mem[rd_next & mask];
	if (push) {
		dense->buffer_mem[b->wr & mask] = stage_output(p);
		b->wr = (b->wr + 1) & wrap;
		p->escaped = !leaves;
		p->stage = !leaves;
	}
	if (ready)
		take_put(p, put);
}
