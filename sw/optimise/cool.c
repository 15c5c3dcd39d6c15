/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Traces that are entered no more: those that do not pay, and those whose divisors the program no longer has. The
 * latter are replaced by the next build, behind them in the cache, while their divisions are looked at again:
 *
 *	before   program  patch ──► trace: is the divisor 64000?
 *	cooled   program            trace (old)
 *	behind   program  patch ──────────────────► trace: is the divisor 40960?
 */
#include "sw/optimise/private.h"

#define COOL_LEAST 64u /* counts, below which it is not known whether a trace's questions fail */
#define COOL_CYCLES 8u /* a question that fails takes so many cycles more than the right one */

/* Has it lost so much by its questions as it takes to make it anew? */
static bool is_cool(const struct optimise *optimise, const struct optimise_trace *trace)
{
	return !trace->old && trace->failed >= COOL_LEAST && 2 * (uint64_t)trace->failed > trace->asked &&
	       trace->failed >= (uint64_t)optimise->config.build_cycles * trace->count / COOL_CYCLES;
}

unsigned optimise_cooled(const struct optimise *optimise)
{
	unsigned count = 0;
	for (uint32_t i = 0; i < optimise->trace_count; i++)
		count += is_cool(optimise, &optimise->traces[i]);
	return count;
}

/* Its divisions are asked anew. */
static void ask_anew(struct optimise *optimise, const struct optimise_trace *trace)
{
	for (uint32_t i = 0; i < trace->count; i++) {
		const struct optimise_insn *insn = &optimise->insns[trace->first + i];
		if (insn->kind != KIND_EXIT || !optimise_asks(insn))
			continue;
		struct optimise_divisor *d = optimise_divisor_met(optimise, insn->pc, trace->asked);
		if (d == NULL)
			continue;
		d->wrong = d->value;
		d->seen = d->same = 0;
	}
}

void optimise_cool(struct optimise *optimise)
{
	for (uint32_t i = 0; i < optimise->trace_count; i++) {
		struct optimise_trace *trace = &optimise->traces[i];
		if (!is_cool(optimise, trace))
			continue;
		ask_anew(optimise, trace);
		trace->old = true;
		struct optimise_seed *seed = optimise_seed_at(optimise, trace->pc);
		if (seed != NULL) {
			seed->done = false;
			seed->wanted = 0;
		}
	}
	optimise->epoch++;
	for (uint32_t i = 0; i < optimise->patch_count; i++) {
		struct optimise_patch *patch = &optimise->patches[i];
		struct optimise_trace *trace = &optimise->traces[patch->trace];
		if (patch->until != 0 || (!trace->old && (trace->main == 0 || !optimise->traces[trace->main - 1].old)))
			continue;
		patch->until = optimise->epoch;
		trace->old = true;
		trace->root = false;
	}
}

unsigned optimise_withdraw(struct optimise *optimise, uint32_t pc)
{
	unsigned count = 0;
	for (uint32_t i = 0; i < optimise->patch_count; i++) {
		struct optimise_patch *patch = &optimise->patches[i];
		struct optimise_trace *trace = &optimise->traces[patch->trace];
		if (patch->until != 0 ||
		    (trace->pc != pc && (trace->main == 0 || optimise->traces[trace->main - 1].pc != pc)))
			continue;
		if (count == 0)
			optimise->epoch++;
		patch->until = optimise->epoch;
		trace->root = false;
		count++;
	}
	return count;
}
