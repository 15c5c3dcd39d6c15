/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cfg/reach.h"

#include <stdlib.h>
#include "host/base/array.h"
#include "isa/isa.h"

struct upper { /* what LUI or AUIPC gave a register */
	unsigned reg;
	uint64_t value;
};

struct reacher {
	struct cfg_reach *reach;
	const struct cfg *cfg;
	uint32_t *stack; /* blocks that are reached, and not followed yet */
	size_t count, room;
	struct upper *uppers; /* of the function at hand */
	size_t upper_count, upper_room;
	uint64_t now[32]; /* what its block gave a register by LUI or AUIPC, where `known` has the bit */
	uint32_t known;
	uint64_t global; /* gp; 0: the program has none */
	bool *formed;    /* by function: its code has been looked at for pointers */
	bool full;       /* out of memory */
};

static void reach_block(struct reacher *r, uint32_t block)
{
	if (block == CFG_NONE || r->reach->blocks[block])
		return;
	r->reach->blocks[block] = true;
	if (!array_room(&r->stack, r->count + 1, &r->room))
		r->full = true;
	else
		r->stack[r->count++] = block;
}

/* What may be the address of code: the block that begins there. */
static void reach_address(struct reacher *r, uint64_t address)
{
	uint32_t block = cfg_block_at(r->cfg, address);
	if (block != CFG_NONE && r->cfg->blocks[block].start == address)
		reach_block(r, block);
}

/* ---- roots ---- */

/* Each word of data that is an address of code; of a program that was moved, before or after the move. */
static void reach_words(struct reacher *r)
{
	size_t count;
	const unsigned size = image_xlen(r->cfg->image) / 8;
	const uint64_t bias = image_bias(r->cfg->image);
	const struct elf_segment *segments = image_segments(r->cfg->image, &count);
	for (size_t i = 0; i < count; i++) {
		for (uint64_t at = 0; at + size <= segments[i].file_size; at += size) {
			uint64_t word = 0;
			if (cfg_block_at(r->cfg, segments[i].address + at) != CFG_NONE)
				continue;
			for (unsigned k = 0; k < size; k++)
				word |= (uint64_t)segments[i].bytes[at + k] << 8 * k;
			reach_address(r, word);
			if (bias != 0)
				reach_address(r, word + bias);
		}
	}
}

/* What another program may call by its name. */
static void reach_exports(struct reacher *r)
{
	struct image_label label;
	size_t size;
	if (image_section(r->cfg->image, ".dynsym", &size) == NULL)
		return;
	for (size_t i = 0; image_label(r->cfg->image, i, &label); i++) {
		if (label.code && label.global)
			reach_address(r, label.address);
	}
}

/* ---- pointers that a function forms ---- */

static void take_upper(struct reacher *r, unsigned reg, uint64_t value)
{
	if (!array_room(&r->uppers, r->upper_count + 1, &r->upper_room))
		r->full = true;
	else
		r->uppers[r->upper_count++] = (struct upper){reg, value};
}

typedef void insn_taker(struct reacher *r, uint64_t pc, const struct isa_insn *insn);

static void each_insn(struct reacher *r, const struct cfg_function *function, insn_taker *take)
{
	for (uint32_t b = 0; b < function->block_count; b++) {
		const struct cfg_block *block = &r->cfg->blocks[function->blocks + b];
		struct isa_insn insn;
		r->known = 0;
		for (uint64_t pc = block->start; pc < block->end; pc += insn.length) {
			if (!image_insn(r->cfg->image, pc, 0, &insn) || insn.length == 0)
				break;
			take(r, pc, &insn);
		}
	}
}

static void take_upper_part(struct reacher *r, uint64_t pc, const struct isa_insn *insn)
{
	if (insn->op == ISA_LUI)
		take_upper(r, insn->rd, (uint64_t)(int64_t)insn->imm);
	else if (insn->op == ISA_AUIPC)
		take_upper(r, insn->rd, pc + (uint64_t)(int64_t)insn->imm);
}

static void reach_formed_by(struct reacher *r, const struct isa_insn *insn)
{
	const uint64_t mask = image_xlen(r->cfg->image) == 32 ? UINT32_MAX : UINT64_MAX;
	const uint64_t low = (uint64_t)(int64_t)insn->imm;
	if ((r->known >> insn->rs1 & 1) != 0) {
		reach_address(r, (r->now[insn->rs1] + low) & mask);
		return;
	}
	for (size_t i = 0; i < r->upper_count; i++) { /* another block gave it: any of the function */
		if (r->uppers[i].reg == insn->rs1)
			reach_address(r, (r->uppers[i].value + low) & mask);
	}
}

static void take_lower_part(struct reacher *r, uint64_t pc, const struct isa_insn *insn)
{
	struct isa_registers registers;
	if (insn->op == ISA_ADDI || insn->op == ISA_ADDIW || (insn->class_bits & ISA_INDIRECT) != 0)
		reach_formed_by(r, insn);
	isa_registers(insn, &registers);
	r->known &= ~(uint32_t)registers.x_written;
	if (insn->op != ISA_LUI && insn->op != ISA_AUIPC)
		return;
	r->known |= UINT32_C(1) << insn->rd;
	r->now[insn->rd] = (insn->op == ISA_AUIPC ? pc : 0) + (uint64_t)(int64_t)insn->imm;
}

static void reach_formed(struct reacher *r, uint32_t function)
{
	if (function == CFG_NONE || r->formed[function])
		return;
	r->formed[function] = true;
	r->upper_count = 0;
	take_upper(r, 0, 0);
	if (r->global != 0)
		take_upper(r, 3, r->global);
	each_insn(r, &r->cfg->functions[function], take_upper_part);
	each_insn(r, &r->cfg->functions[function], take_lower_part);
	for (size_t i = 0; i < r->upper_count; i++)
		reach_address(r, r->uppers[i].value);
}

/* ---- edges ---- */

static void follow_block(struct reacher *r, uint32_t number)
{
	const struct cfg *cfg = r->cfg;
	const struct cfg_block *block = &cfg->blocks[number];
	const struct cfg_function *function = &cfg->functions[block->function];
	reach_formed(r, block->function);
	if (block->call == CFG_CALL && block->callee != CFG_NONE)
		reach_block(r, cfg->functions[block->callee].entry);
	for (uint32_t e = 0; e < block->edge_count; e++) {
		const struct cfg_edge *edge = &cfg->edges[block->edges + e];
		reach_block(r, edge->to);
		if (edge->to == CFG_NONE && edge->target != 0)
			reach_address(r, edge->target);
		if (edge->kind != CFG_UNRESOLVED)
			continue;
		for (uint32_t b = 0; b < function->block_count; b++) /* it may go anywhere in the function */
			reach_block(r, function->blocks + b);
	}
}

static int make_reach(struct reacher *r, const uint64_t *ran, size_t ran_count)
{
	if (image_symbol(r->cfg->image, "__global_pointer$", &r->global) != IMAGE_OK)
		r->global = 0;
	reach_address(r, image_entry(r->cfg->image));
	reach_words(r);
	reach_exports(r);
	for (size_t i = 0; i < ran_count; i++)
		reach_block(r, cfg_block_at(r->cfg, ran[i]));
	while (r->count > 0 && !r->full)
		follow_block(r, r->stack[--r->count]);
	return r->full ? CFG_ENOMEM : CFG_OK;
}

int cfg_reach_make(struct cfg_reach *reach, const struct cfg *cfg, const uint64_t *ran, size_t ran_count)
{
	struct reacher r = {.reach = reach, .cfg = cfg};
	int error = CFG_ENOMEM;
	reach->blocks = calloc(cfg->counts.blocks + 1u, sizeof *reach->blocks);
	r.formed = calloc(cfg->counts.functions + 1u, sizeof *r.formed);
	if (reach->blocks != NULL && r.formed != NULL)
		error = make_reach(&r, ran, ran_count);
	free(r.stack);
	free(r.uppers);
	free(r.formed);
	return error;
}

void cfg_reach_free(struct cfg_reach *reach)
{
	free(reach->blocks);
	*reach = (struct cfg_reach){0};
}

bool cfg_is_dead(const struct cfg_reach *reach, const struct cfg *cfg, uint64_t pc)
{
	uint32_t block = cfg_block_at(cfg, pc);
	return block != CFG_NONE && !reach->blocks[block];
}
