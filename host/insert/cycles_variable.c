/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Instructions whose cycles are known when they are executed: simulation code by their operands (QTY FIG. 6D), a timer
 * around what waits (FIG. 6E), and rows of their own for classes.
 */
#include "host/insert/cycles_private.h"
#include "sw/probe/cycles.h"
#include "isa/isa.h"

#define CSR_CYCLE 0xC00

struct inserter_code cycles_clock(uint8_t var)
{
	return (struct inserter_code){.op = INSERTER_READ_CSR, .var = var, .value = CSR_CYCLE};
}

#define OWN_MAX 0x7FF
/* What lies between the two readings and is not of what waits, as rivulet_cycles_waited() wants it: the second reading,
 * and what is in the block's cycles already. of: the instruction, of the original; a call returns, and the reading
 * behind it waits for its words. */
static uint32_t own_cycles(const struct cycles *c, const struct isa_insn *of, bool call, bool far)
{
	const struct core *core = &c->job->options->original->core;
	const struct isa_insn read = {.op = ISA_CSRRS, .length = 4};
	struct core_insn facts;
	core_facts(core, of, 0, &facts);
	uint32_t own = facts.least + core->rules[ISA_CSRRS].base, more = 0;
	if (call) {
		struct core_state on = CORE_START, off = CORE_START;
		core_facts(core, &read, 0, &facts);
		uint32_t least = core_next(core, &on, &facts, false, 0);
		core_facts(core, &read, 2, &facts);
		more = core_next(core, &off, &facts, false, 0) - least;
		own = least + core->rules[ISA_JAL].base + (far ? core->rules[ISA_AUIPC].base : 0u);
	}
	return (own > OWN_MAX ? OWN_MAX : own) << 8 | more << 20;
}

static size_t put_waited(const struct cycles *c, unsigned class, uint32_t own, struct inserter_code *codes)
{
	codes[0] = cycles_clock(c->later);
	codes[1] = cycles_hook_code(c->waited);
	cycles_add_argument(&codes[1], INSERTER_VARIABLE, 0, c->temporary);
	cycles_add_argument(&codes[1], INSERTER_VARIABLE, 0, c->node);
	cycles_add_argument(&codes[1], INSERTER_CONSTANT, 0, (int64_t)(class | own));
	cycles_add_argument(&codes[1], INSERTER_VARIABLE, 0, c->later);
	return 2;
}

/* The class of a call, or of an instruction that waits; NULL: none. */
const struct insert_wait *cycles_waits_at(const struct cycles *c, const struct edit_atom *atom)
{
	static const struct insert_wait core_waits = {"wait", RIVULET_CYCLES_WAIT};
	struct isa_insn insn;
	if (atom->kind != EDIT_INSN && atom->kind != EDIT_PAIR)
		return NULL;
	if (insert_is_call(c->job, atom))
		return atom->symbol == 0
			   ? NULL
			   : insert_waits(c->job->options, object_symbol_name(c->job->object, atom->symbol));
	graph_insn(c->job->graph, atom, &insn);
	if (insn.op == ISA_ECALL)
		return insert_waits(c->job->options, "ecall");
	return c->job->options->original->core.rules[insn.op].waits ? &core_waits : NULL;
}

/* temporary = what an instruction takes beyond the least. */
static struct inserter_code measure_code(const struct cycles *c, const struct isa_insn *insn)
{
	const struct core_rule *rule = &c->job->options->original->core.rules[insn->op];
	bool is_signed = insn->op == ISA_DIV || insn->op == ISA_REM;
	/* one that saves cycles by its measure has the most of it in its least */
	const uint32_t hooks[] = {[CORE_ZERO_BYTES] = is_signed ? c->divide_signed : c->divide,
	    [CORE_BITS] = c->bits,
	    [CORE_BIT_PAIRS] = c->bit_pairs};
	struct inserter_code code = cycles_hook_code(hooks[rule->measure]);
	code.var = c->temporary;
	cycles_add_argument(&code, INSERTER_VARIABLE, 0, INSERTER_X(insn->rs1));
	cycles_add_argument(&code, INSERTER_VARIABLE, 0, INSERTER_X(insn->rs2));
	cycles_add_argument(&code, INSERTER_CONSTANT, 0, rule->step);
	cycles_add_argument(&code, INSERTER_CONSTANT, 0, rule->step < 0 ? core_largest_measure(rule->measure) : 0);
	return code;
}

/* All that it takes in execution goes to its class. */
static int put_class(struct cycles *c, uint32_t block, uint32_t atom, const struct isa_insn *insn)
{
	const struct core *core = &c->job->options->original->core;
	struct core_insn facts;
	struct inserter_code codes[3];
	size_t count = 0;
	core_facts(core, insn, 0, &facts);
	if (core->rules[insn->op].measure == CORE_FIXED)
		codes[count++] = (struct inserter_code){.op = INSERTER_SET, .var = c->temporary, .value = facts.least};
	else {
		codes[count++] = measure_code(c, insn);
		codes[count++] = cycles_add_code(c->temporary, facts.least);
	}
	codes[count] = cycles_hook_code(c->class);
	cycles_add_argument(&codes[count], INSERTER_VARIABLE, 0, c->temporary);
	cycles_add_argument(&codes[count], INSERTER_VARIABLE, 0, c->node);
	cycles_add_argument(&codes[count++], INSERTER_CONSTANT, 0, c->job->options->original->apart[insn->op]);
	return inserter_before(c->in, block, atom, codes, count);
}

/* What an instruction takes beyond the least, by its operands; or a timer around it. */
int cycles_put_variable(struct cycles *c, uint32_t block, uint32_t atom, const struct isa_insn *insn)
{
	const struct core_rule *rule = &c->job->options->original->core.rules[insn->op];
	struct inserter_code codes[2] = {{0}};
	uint8_t sum = sum_at(c, block - c->f->blocks);
	const struct insert_wait *wait =
	    cycles_waits_at(c, &c->job->edit->sections[c->job->graph->blocks[block].section].atoms[atom]);
	if (wait != NULL) {
		codes[0] = cycles_clock(c->temporary);
		int error = inserter_before(c->in, block, atom, codes, 1);
		size_t count = put_waited(c, wait->class, own_cycles(c, insn, false, false), codes);
		return error == OBJECT_OK ? inserter_after(c->in, block, atom, codes, count) : error;
	}
	if (c->job->options->original->apart[insn->op] != 0)
		return put_class(c, block, atom, insn);
	bool is_signed = insn->op == ISA_DIV || insn->op == ISA_REM;
	if (rule->measure == CORE_ZERO_BYTES && rule->step < 0 && rule->step > -2048 && c->job->object->xlen == 32 &&
	    insn->rs1 != 2 && insn->rs2 != 2) {
		codes[0] = (struct inserter_code){.op = is_signed ? INSERTER_ADD_BYTES_SIGNED : INSERTER_ADD_BYTES,
		    .var = sum,
		    .from = INSERTER_X(insn->rs1),
		    .by = insn->rs2,
		    .value = -rule->step};
		return inserter_before(c->in, block, atom, codes, 1);
	}
	codes[0] = measure_code(c, insn);
	codes[1] = (struct inserter_code){.op = INSERTER_ADD_FROM, .var = sum, .from = c->temporary};
	return inserter_before(c->in, block, atom, codes, 2);
}

bool cycles_is_variable(const struct cycles *c, const struct edit_atom *atom, struct isa_insn *insn)
{
	if (atom->kind != EDIT_INSN)
		return false;
	graph_insn(c->job->graph, atom, insn);
	const struct core_rule *rule = &c->job->options->original->core.rules[insn->op];
	return rule->measure != CORE_FIXED || c->job->options->original->apart[insn->op] != 0 ||
	       (!insert_is_call(c->job, atom) && cycles_waits_at(c, atom) != NULL);
}

bool cycles_has_variable(const struct cycles *c)
{
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		if (cycles_is_table(c, b))
			continue;
		for (uint32_t a = block->first; a <= block->last; a++) {
			struct isa_insn insn;
			const struct edit_atom *atom = &c->job->edit->sections[block->section].atoms[a];
			if (cycles_is_variable(c, atom, &insn) || cycles_waits_at(c, atom) != NULL)
				return true;
		}
	}
	return false;
}

bool cycles_has_wait(const struct cycles *c)
{
	for (uint32_t b = 0; b < c->f->block_count; b++) {
		const struct graph_block *block = &c->job->graph->blocks[c->f->blocks + b];
		for (uint32_t a = block->first; !cycles_is_table(c, b) && a <= block->last; a++) {
			if (cycles_waits_at(c, &c->job->edit->sections[block->section].atoms[a]) != NULL)
				return true;
		}
	}
	return false;
}

/* The first instruction of a call, as the original's linker left it. */
static bool original_call(const struct cycles *c, uint32_t b, uint32_t number, struct isa_insn *insn)
{
	const struct insert_original *o = c->job->options->original;
	const struct map_function *f = &o->map->functions[c->original];
	for (uint32_t i = 0; i < b; i++)
		number += c->cost.blocks[i].calls;
	return number < f->site_count && image_insn(o->image, o->map->sites[f->sites + number], 0, insn);
}

int cycles_waited_call(const struct cycles *c, uint32_t block, uint32_t number, const struct insert_wait *wait,
    struct inserter_code *codes)
{
	struct isa_insn insn;
	if (!original_call(c, block, number, &insn))
		return OBJECT_EUNSUPPORTED;
	return (int)put_waited(c, wait->class, own_cycles(c, &insn, true, insn.op == ISA_AUIPC), codes);
}
