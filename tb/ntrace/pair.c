/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "tb/ntrace/lockstep.h"

enum { RESET_CYCLES = 2 };

const char *const ntrace_signal_names[NTRACE_SIGNALS] = {
    "reg_rdata", "stall", "byte_valid", "byte", "mem_valid", "mem_addr", "mem_wdata"};

static void signals_of(const struct ntrace_out *out, uint32_t values[NTRACE_SIGNALS])
{
	values[NTRACE_RDATA] = out->rdata;
	values[NTRACE_STALL] = out->stall;
	values[NTRACE_BYTE_VALID] = out->byte_valid;
	values[NTRACE_BYTE] = out->byte;
	values[NTRACE_MEM_VALID] = out->mem_valid;
	values[NTRACE_MEM_ADDR] = out->mem_addr;
	values[NTRACE_MEM_WDATA] = out->mem_wdata;
}

bool ntrace_pair_open(struct ntrace_pair *pair, const struct ntrace_unit *unit, uint64_t seed)
{
	struct ntrace_out out;
	*pair = (struct ntrace_pair){.unit = unit, .inject = NTRACE_SIGNALS};
	pair->model = malloc(sizeof *pair->model);
	pair->rtl = unit->rtl->open((uint32_t)seed);
	if (pair->model == NULL || pair->rtl == NULL) {
		fputs("lockstep: no memory\n", stderr);
		ntrace_pair_close(pair);
		return false;
	}
	for (unsigned i = 0; i < RESET_CYCLES; i++)
		unit->rtl->cycle(pair->rtl, &(struct ntrace_in){.rst = true}, &out);
	ntrace_reset(pair->model, &unit->config);
	return true;
}

void ntrace_pair_close(struct ntrace_pair *pair)
{
	if (pair->rtl != NULL)
		pair->unit->rtl->close(pair->rtl);
	free(pair->model);
	*pair = (struct ntrace_pair){0};
}

bool ntrace_pair_cycle(struct ntrace_pair *pair, const struct ntrace_in *in, struct ntrace_out *out)
{
	struct ntrace_out got;
	uint32_t rtl[NTRACE_SIGNALS], model[NTRACE_SIGNALS];
	pair->unit->rtl->cycle(pair->rtl, in, &got);
	ntrace_cycle(pair->model, in, out);
	signals_of(&got, rtl);
	signals_of(out, model);
	if (pair->inject < NTRACE_SIGNALS && pair->cycle >= pair->inject_from)
		rtl[pair->inject] ^= 1;
	for (unsigned i = 0; i < NTRACE_SIGNALS; i++) {
		const bool idle = (i == NTRACE_RDATA && !out->rdata_known) || (i == NTRACE_BYTE && !out->byte_valid) ||
				  ((i == NTRACE_MEM_ADDR || i == NTRACE_MEM_WDATA) && !out->mem_valid);
		if (rtl[i] == model[i] || idle)
			continue;
		printf("%s: cycle %" PRIu64 ": %s is %" PRIx32 " in the RTL, %" PRIx32 " in the model\n",
		    pair->unit->name, pair->cycle, ntrace_signal_names[i], rtl[i], model[i]);
		return false;
	}
	pair->cycle++;
	return true;
}
