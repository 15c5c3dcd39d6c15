/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_DENSE_PRIVATE_H
#define RIVULET_MODEL_DENSE_PRIVATE_H
/* rivulet_trace_dense_pack.v: bits become bytes of frames, and wait in a buffer. */
#include "model/dense.h"

struct dense_put {        /* what is to be put in this cycle, one of it or nothing */
	bool bits;        /* size of them, from 1 to 6 */
	bool pad;         /* zeros up to a whole byte */
	bool check, flag; /* a byte of the CRC, or a flag */
	bool first;       /* the CRC begins anew; beside a flag */
	uint8_t value, size;
};

bool dense_pack_ready(const struct dense *dense);
/* put: nothing, unless dense_pack_ready(). */
void dense_pack(struct dense *dense, const struct dense_put *put, bool byte_ready);
bool dense_pack_empty(const struct dense *dense);
/* Of a queue of so many places. */
static inline unsigned dense_held(const struct dense_pointers *p, unsigned depth)
{
	return (p->wr - p->rd) & (2 * depth - 1);
}
static inline uint64_t dense_ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}
#endif
