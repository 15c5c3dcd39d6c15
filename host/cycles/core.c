/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What the rules of a core give for instructions in sequence. */
#include "host/cycles/core.h"
#include "isa/isa.h"

_Static_assert(ISA_OP_COUNT <= CORE_OPS, "CORE_OPS has no room for all instructions");

static bool is_variable_rule(const struct core_rule *rule)
{
	return rule->measure != CORE_FIXED;
}

static unsigned cycles_at(const struct core_rule *rule, unsigned measure)
{
	return (unsigned)((int)rule->base + rule->step * (int)measure);
}

unsigned core_largest_measure(unsigned measure)
{
	static const uint8_t most[] = {[CORE_ZERO_BYTES] = 3, [CORE_BITS] = 32, [CORE_BIT_PAIRS] = 16};
	return most[measure];
}

void core_facts(const struct core *core, const struct isa_insn *insn, uint64_t pc, struct core_insn *facts)
{
	const struct core_rule *rule = &core->rules[insn->op];
	unsigned least = rule->base, most = rule->waits ? CORE_UNBOUNDED : rule->base;
	if (is_variable_rule(rule)) {
		unsigned end = cycles_at(rule, core_largest_measure(rule->measure));
		least = end < rule->base ? end : rule->base;
		most = end < rule->base ? rule->base : end;
	}
	*facts = (struct core_insn){.least = (uint16_t)least,
	    .most = (uint16_t)most,
	    .op = insn->op,
	    .length = insn->length,
	    .transfer =
		(insn->class_bits & (ISA_BRANCH | ISA_JUMP | ISA_INDIRECT | ISA_RET)) != 0 || insn->op == ISA_FENCE_I,
	    .more = core->more[insn->op],
	    .conditional = (insn->class_bits & ISA_BRANCH) != 0,
	    .memory = (insn->class_bits & (ISA_LOAD | ISA_STORE)) != 0,
	    .half = insn->length == 4 && (pc & 2) != 0,
	    .upper = (pc & 2) != 0};
	if ((insn->class_bits & ISA_LOAD) != 0)
		facts->load = insn->rd;
	/* the 5-bit immediate of CSRR*I is in rs1, but reads no register */
	if (insn->op != ISA_CSRRWI && insn->op != ISA_CSRRSI && insn->op != ISA_CSRRCI)
		facts->reads[0] = insn->rs1;
	bool late = core->store_late && (insn->class_bits & ISA_STORE) != 0 && (insn->class_bits & ISA_LOAD) == 0;
	facts->reads[1] = late ? 0 : insn->rs2;
}

static unsigned significant_bits(uint32_t value)
{
	return value == 0 ? 0 : 32 - (unsigned)__builtin_clz(value);
}

unsigned core_cycles(const struct core *core, const struct isa_insn *insn, uint32_t rs1, uint32_t rs2)
{
	const struct core_rule *rule = &core->rules[insn->op];
	bool is_signed = insn->op == ISA_DIV || insn->op == ISA_REM;
	unsigned measure = 0;
	if (rule->measure == CORE_BITS)
		measure = significant_bits(rs2);
	else if (rule->measure == CORE_BIT_PAIRS)
		measure = significant_bits(rs1) / 2;
	else if (rule->measure == CORE_ZERO_BYTES && rs2 != 0) {
		uint32_t size = is_signed && rs1 >> 31 != 0 ? 0 - rs1 : rs1;
		measure = size == 0 ? 3 : (unsigned)__builtin_clz(size) / 8;
	}
	return cycles_at(rule, measure);
}

#define FILLED 15 /* cycles in which any buffer gets as full as it can */

/* The buffered fetch from the last cycle of an instruction until the next one is there: docs/core.md section 3, points
 * 3 and 4. Returns the empty cycles in between. */
static unsigned fetch_next(const struct core *core, struct core_state *state, const struct core_insn *next)
{
	unsigned needed = next->half ? 2 : 1;
	for (unsigned gap = 0;; gap++) {
		state->words = (uint8_t)(state->words + state->inflight);
		bool there = state->words >= needed;
		if (there)
			state->words = (uint8_t)(state->words - (next->upper || next->length == 4));
		state->inflight = !(state->memory && gap == 0) && state->words < core->words;
		if (there)
			return gap;
	}
}

/* The cycles of an instruction but its last. */
static void fill_fetch_buffer(const struct core *core, struct core_state *state, unsigned cycles)
{
	for (unsigned i = 1; i < cycles && i < FILLED; i++) {
		state->words = (uint8_t)(state->words + state->inflight);
		state->inflight = state->words < core->words;
	}
}

unsigned core_next(
    const struct core *core, struct core_state *state, const struct core_insn *insn, bool taken, unsigned extra)
{
	unsigned gap = 0, waiting = 0, more = taken || !insn->conditional ? insn->more : 0u;
	if (state->redirect) {
		gap = core->taken + (core->buffered || !insn->half ? 0u : core->unaligned);
		*state = (struct core_state){.inflight = core->buffered};
	}
	if (core->buffered)
		gap += fetch_next(core, state, insn);
	if (gap == 0 && state->load != 0 && (state->load == insn->reads[0] || state->load == insn->reads[1]))
		waiting = core->load_use; /* in execution: the fetch goes on */
	if (insn->transfer && taken)
		*state = CORE_START;
	else {
		if (core->buffered)
			fill_fetch_buffer(core, state, waiting + insn->least + more + extra);
		state->load = insn->load;
		state->memory = core->buffered && insn->memory;
	}
	return gap + waiting + insn->least + more + extra;
}

unsigned core_state_number(const struct core_state *state)
{
	if (state->redirect)
		return 0;
	return 1u + (state->words | (unsigned)state->inflight << 2 | (unsigned)state->memory << 3 |
			(unsigned)state->load << 4);
}
