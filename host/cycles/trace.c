/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cycles/trace.h"

#include <stdlib.h>
#include "isa/isa.h"

void trace_costs_free(struct trace_costs *costs)
{
	while (costs->all != NULL) {
		struct trace_facts *next = costs->all->next;
		free(costs->all);
		costs->all = next;
	}
}

const struct core_insn *trace_costs_block(struct trace_costs *costs, struct walk_block *block)
{
	struct trace_facts *facts = block->user;
	if (facts != NULL)
		return facts->all;
	facts = malloc(sizeof *facts + block->count * sizeof *facts->all);
	if (facts == NULL)
		return NULL;
	uint64_t starts = block->starts;
	for (uint32_t k = 0; k < block->count; k++, starts &= starts - 1) {
		struct isa_insn insn;
		uint64_t pc = block->start + 2 * (uint32_t)__builtin_ctzll(starts);
		if (!image_insn(costs->image, pc, 0, &insn))
			insn = (struct isa_insn){0};
		core_facts(costs->core, &insn, pc, &facts->all[k]);
	}
	facts->next = costs->all;
	costs->all = block->user = facts;
	return facts->all;
}

bool trace_costs_parts(struct trace_costs *costs, struct core_state *state, bool known,
    const struct trace_visits *visits, struct split_part *parts, struct trace_bounds *bounds)
{
	const struct core_insn *begin = NULL;
	size_t at = 0;
	*bounds = (struct trace_bounds){0};
	for (size_t i = 0; i < visits->count; i++) {
		const struct core_insn *facts = trace_costs_block(costs, visits->all[i].block);
		if (facts == NULL)
			return false;
		begin = i == 0 ? facts : begin;
		for (uint32_t k = 0; k < visits->all[i].count; k++) {
			bool goes = k + 1 < visits->all[i].count || visits->all[i].outcome != 0;
			split_part(costs->core, state, &facts[k], goes, &parts[at++]);
		}
	}
	if (!known && begin != NULL)
		split_begin(&parts[0], begin);
	for (size_t i = 0; i < at; i++) {
		bounds->least += parts[i].least;
		bounds->room += parts[i].room;
	}
	return true;
}
