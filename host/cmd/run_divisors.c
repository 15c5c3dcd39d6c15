/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The divisor of each division that it had most often: a candidate is kept as long as it has more votes than all others
 * together (Boyer and Moore), so one that has more than half of all executions is always found. */
#include "host/cmd/run_divisors.h"
#include <inttypes.h>
#include <stdlib.h>
#include "host/optimise/divisors.h"
#include "isa/isa.h"

#define PLACES (2 * OPTIMISE_DIVISORS_ROOM) /* a power of two */
#define MOSTLY 2u                           /* a divisor repeats if at least one execution in 2 has it */

struct divided {
	uint32_t pc, value; /* 0: empty; the candidate */
	uint64_t votes, same, all;
};

struct run_divisors {
	struct divided places[PLACES];
	unsigned count;
	uint64_t left_out;
};

struct run_divisors *run_divisors_open(void)
{
	return calloc(1, sizeof(struct run_divisors));
}

void run_divisors_close(struct run_divisors *divisors)
{
	free(divisors);
}

static void vote(struct divided *d, uint32_t value)
{
	if (d->votes == 0)
		d->value = value;
	if (d->value == value) {
		d->votes++;
		d->same++;
	} else if (--d->votes == 0) {
		d->same = 0; /* of the next candidate */
	}
	d->all++;
}

void run_divisors_retire(struct run_divisors *divisors, const struct model_out *out)
{
	struct isa_insn insn;
	if (!optimise_division_word(out->insn) || out->trap)
		return;
	isa_decode(out->insn, ISA_CORE, &insn);
	uint32_t at = (out->pc >> 1) * 0x9E3779B1u % PLACES;
	while (divisors->places[at].pc != 0 && divisors->places[at].pc != out->pc)
		at = (at + 1) % PLACES;
	struct divided *d = &divisors->places[at];
	if (d->pc == 0) {
		if (divisors->count == OPTIMISE_DIVISORS_ROOM) {
			divisors->left_out++;
			return;
		}
		divisors->count++;
		d->pc = out->pc;
	}
	vote(d, out->rs2_rdata);
}

static int most_executed_first(const void *a, const void *b)
{
	const struct divided *const *p = a, *const *q = b;
	if ((*p)->all != (*q)->all)
		return (*p)->all < (*q)->all ? 1 : -1;
	return (*p)->pc < (*q)->pc ? -1 : 1;
}

void run_divisors_write(const struct run_divisors *divisors, FILE *file)
{
	static const struct divided *order[OPTIMISE_DIVISORS_ROOM];
	unsigned count = 0;
	for (uint32_t i = 0; i < PLACES; i++)
		if (divisors->places[i].pc != 0 &&
		    divisors->places[i].same >= divisors->places[i].all - divisors->places[i].all / MOSTLY)
			order[count++] = &divisors->places[i];
	qsort(order, count, sizeof *order, most_executed_first);
	fprintf(file,
	    "# address, divisor, executions with it at least, of all; %u of %u divisions have one that repeats\n",
	    count, divisors->count);
	for (unsigned i = 0; i < count; i++)
		fprintf(file, "0x%08" PRIx32 " %" PRIu32 " %" PRIu64 " # of %" PRIu64 "\n", order[i]->pc,
		    order[i]->value, order[i]->same, order[i]->all);
}

uint64_t run_divisors_left_out(const struct run_divisors *divisors)
{
	return divisors->left_out;
}
