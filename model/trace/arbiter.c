/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/arbiter.h"

#include <string.h>

enum { ROW = ARBITER_SOURCES_MAX * ARBITER_DEPTH_MAX };

static uint64_t low_bits(uint64_t value, unsigned bits)
{
	return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

void arbiter_config_default(struct arbiter_config *config)
{
	*config = (struct arbiter_config){.sources = 2,
	    .depth = 16,
	    .xlen = 32,
	    .hist = 32,
	    .repeat_bits = 8,
	    .cycle_bits = 16,
	    .insn_bits = 16,
	    .lost_bits = 16};
}

void arbiter_reset(struct arbiter *arbiter, const struct arbiter_config *config)
{
	const struct arbiter_config own = *config;
	memset(arbiter, 0, sizeof *arbiter);
	arbiter->config = own;
}

/* What the ports have of it. */
static void cut_record(const struct arbiter_config *config, const struct record *rec, struct record *cut)
{
	*cut = (struct record){.start = low_bits(rec->start, config->xlen),
	    .hist = low_bits(rec->hist, config->hist),
	    .count = low_bits(rec->count, config->repeat_bits),
	    .cycles = low_bits(rec->cycles, config->cycle_bits),
	    .insns = (uint32_t)low_bits(rec->insns, config->insn_bits),
	    .reason = rec->reason};
}

/* It finds room, or is lost. */
static void take_in(struct arbiter *arbiter, unsigned source, const struct record *rec)
{
	const struct arbiter_config *config = &arbiter->config;
	struct arbiter_entry entry = {.time = low_bits(arbiter->now, config->time_bits),
	    .missed = arbiter->missed[source],
	    .source = (uint8_t)source,
	    .fresh = true};
	cut_record(config, rec, &entry.rec);
	if (arbiter->held[source] < config->depth) {
		arbiter->row[(arbiter->first + arbiter->count++) % ROW] = entry;
		arbiter->held[source]++;
		arbiter->missed[source] = 0;
		return;
	}
	const uint64_t most = low_bits(UINT64_MAX, config->lost_bits), sum = arbiter->missed[source] + entry.rec.count;
	arbiter->missed[source] = (uint32_t)(sum < most ? sum : most);
}

/* With one source nothing is kept. */
static void pass_on(struct arbiter *arbiter, const struct arbiter_in *in, struct arbiter_out *out)
{
	out->valid = out->busy = in->valid & 1;
	if (out->valid) {
		out->head.time = low_bits(arbiter->now, arbiter->config.time_bits);
		cut_record(&arbiter->config, &in->rec[0], &out->head.rec);
	}
	arbiter->now++;
}

void arbiter_cycle(struct arbiter *arbiter, const struct arbiter_in *in, struct arbiter_out *out)
{
	const unsigned sources = arbiter->config.sources;
	*out = (struct arbiter_out){0};
	if (sources == 1) {
		pass_on(arbiter, in, out);
		return;
	}
	struct arbiter_entry *head = &arbiter->row[arbiter->first];
	out->valid = arbiter->count > 0 && !head->fresh;
	out->busy = arbiter->count > 0 || in->valid != 0;
	if (out->valid)
		out->head = *head;
	memcpy(out->lost, arbiter->missed, sizeof out->lost);

	/* What came in the last cycle is at the end of the row, and is seen from the next one on. */
	const unsigned before = arbiter->count;
	for (unsigned i = before; i > 0 && arbiter->row[(arbiter->first + i - 1) % ROW].fresh; i--)
		arbiter->row[(arbiter->first + i - 1) % ROW].fresh = false;
	for (unsigned s = 0; s < sources; s++) {
		if (in->valid >> s & 1)
			take_in(arbiter, s, &in->rec[s]);
	}
	if (out->valid && in->ready) {
		arbiter->held[out->head.source]--;
		arbiter->first = (arbiter->first + 1) % ROW;
		arbiter->count--;
	}
	arbiter->now++;
}
