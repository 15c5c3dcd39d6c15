/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/reserved.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/insert/values.h"
#include "host/object/rewrite.h"
#include "isa/isa.h"

#define NOBODY 0           /* no register's value at entry */
#define ANY_SLOT INT64_MIN /* saved by others, somewhere */

/* What holds before an instruction. Registers are bits. */
struct keeping {
	struct values values;
	uint8_t of[32];   /* whose value at entry a register holds: its number, or NOBODY */
	uint32_t stored;  /* their values at entry are on the stack */
	uint32_t changed; /* they may hold another value than at entry */
	int64_t slot[32]; /* where those are: displacement from the stack pointer at entry */
	bool known;       /* the instruction is reached */
};

/* What a function does with values that its callers keep in registers, and does not save. */
struct found {
	uint32_t used, stored, left; /* read; only stored elsewhere than on the stack; changed when it returns */
	uint32_t computed;           /* of those: not by a load */
};

static unsigned saved_register(int n)
{
	return (unsigned)(n < 2 ? 8 + n : 16 + n);
}

/* ---------------------------------------------------------------- one instruction */
static void use_register(struct found *found, const struct keeping *k, unsigned reg)
{
	unsigned whose = k->of[reg];
	if (whose != NOBODY && (k->stored >> whose & 1) == 0)
		found->used |= UINT32_C(1) << whose;
}

static void take_value(struct keeping *k, unsigned reg, unsigned whose)
{
	k->of[reg] = (uint8_t)whose;
	if ((RESERVED_KEPT >> reg & 1) == 0)
		return;
	uint32_t bit = UINT32_C(1) << reg;
	k->changed = whose == reg ? k->changed & ~bit : k->changed | bit;
}

/* Another function that is called by t0: -msave-restore, or code that clang has taken out of several functions. */
static void step_by_t0(const struct graph *g, const struct edit_atom *atom, struct keeping *k)
{
	int n = values_millicode(g, atom, "__riscv_save_");
	uint32_t saved = n >= 0 ? 0 : RESERVED_KEPT;
	for (int i = 0; n >= 0 && i < values_saved_by(g, n); i++)
		saved |= UINT32_C(1) << saved_register(i);
	for (unsigned reg = 0; reg < 32; reg++) {
		if ((saved >> reg & 1) != 0)
			k->slot[reg] = ANY_SLOT;
		if (n < 0)
			k->of[reg] = NOBODY;
	}
	k->stored |= saved;
	k->changed |= n < 0 ? RESERVED_KEPT : 0;
}

static void step_call(const struct graph *g, const struct edit_atom *atom, const struct isa_insn *insn,
    struct keeping *k, struct found *f)
{
	if (atom->kind == EDIT_INSN && atom->flow == EDIT_INDIRECT_CALL)
		use_register(f, k, insn->rs1);
	if (insn->rd != 1) {
		step_by_t0(g, atom, k);
		return;
	}
	for (unsigned reg = 0; reg < 32; reg++) {
		if ((GRAPH_ARGUMENTS >> reg & 1) != 0)
			use_register(f, k, reg);
		if (((GRAPH_CALLER_SAVED | 2) >> reg & 1) != 0)
			k->of[reg] = NOBODY;
	}
}

static void step_store(const struct graph *g, const struct isa_insn *insn, struct keeping *k, struct found *f)
{
	const struct value *base = &k->values.r[insn->rs1];
	unsigned whose = k->of[insn->rs2];
	bool word = insn->op == (g->edit->object->xlen == 64 ? ISA_SD : ISA_SW);
	use_register(f, k, insn->rs1);
	if (whose == NOBODY || !word) {
		use_register(f, k, insn->rs2);
		return;
	}
	uint32_t bit = UINT32_C(1) << whose;
	if (base->kind != VALUE_STACK && insn->rs1 != 2)
		f->stored |= bit & ~k->stored;
	else if ((k->stored & bit) == 0) {
		k->stored |= bit;
		k->slot[whose] = base->kind == VALUE_STACK ? base->c + insn->imm : ANY_SLOT;
	}
}

static void step_load(const struct graph *g, const struct isa_insn *insn, struct keeping *k, struct found *f)
{
	const struct value *base = &k->values.r[insn->rs1];
	bool word = insn->op == (g->edit->object->xlen == 64 ? ISA_LD : ISA_LW);
	bool stack = base->kind == VALUE_STACK || insn->rs1 == 2;
	unsigned whose = NOBODY;
	use_register(f, k, insn->rs1);
	for (unsigned reg = 1; reg < 32 && word && stack; reg++) {
		bool there = base->kind == VALUE_STACK && k->slot[reg] != ANY_SLOT
				 ? k->slot[reg] == base->c + insn->imm
				 : reg == insn->rd; /* where it is is not known: what was saved is loaded */
		if ((k->stored >> reg & 1) != 0 && there)
			whose = reg;
	}
	take_value(k, insn->rd, whose);
}

static void step_keeping(const struct graph *g, const struct edit_atom *atom, struct keeping *k, struct found *f)
{
	struct isa_insn insn;
	struct isa_registers regs;
	if (atom->kind == EDIT_PAD || atom->kind == EDIT_DATA)
		return;
	graph_insn(g, atom, &insn);
	isa_registers(&insn, &regs);
	if (insn.op == ISA_OTHER || insn.op == ISA_ILLEGAL) /* it says that it reads and writes all */
		return;
	bool call = atom->flow == EDIT_CALL || atom->flow == EDIT_INDIRECT_CALL;
	if (call)
		step_call(g, atom, &insn, k, f);
	else if (insn.op == ISA_SW || insn.op == ISA_SD)
		step_store(g, &insn, k, f);
	else if (insn.op == ISA_LW || insn.op == ISA_LD)
		step_load(g, &insn, k, f);
	else {
		bool move = atom->relocs == 0 && ((insn.op == ISA_ADDI && insn.imm == 0 && insn.rs1 != 0) ||
						     (insn.op == ISA_ADD && (insn.rs1 == 0 || insn.rs2 == 0)));
		unsigned from = insn.rs1 != 0 ? insn.rs1 : insn.rs2;
		unsigned whose = move ? k->of[from] : NOBODY;
		for (unsigned reg = 1; reg < 32; reg++) {
			if ((regs.x_read >> reg & 1) != 0 && !move)
				use_register(f, k, reg);
		}
		for (unsigned reg = 1; reg < 32; reg++) {
			if ((regs.x_written >> reg & 1) == 0)
				continue;
			take_value(k, reg, reg == insn.rd ? whose : NOBODY);
			f->computed |= whose != reg && (k->stored >> reg & 1) == 0 ? UINT32_C(1) << reg : 0;
		}
	}
	values_step(g, atom, &k->values);
}

/* ---------------------------------------------------------------- a function */
static bool meet_keeping(struct keeping *to, const struct keeping *from)
{
	if (!to->known) {
		*to = *from;
		return true;
	}
	bool changed = values_meet(&to->values, &from->values);
	for (unsigned reg = 0; reg < 32; reg++) {
		uint32_t bit = UINT32_C(1) << reg;
		if (to->of[reg] != NOBODY && to->of[reg] != from->of[reg]) {
			to->of[reg] = NOBODY;
			changed = true;
		}
		if ((to->stored & from->stored & bit) != 0 && to->slot[reg] != from->slot[reg] &&
		    to->slot[reg] != ANY_SLOT) {
			to->slot[reg] = ANY_SLOT;
			changed = true;
		}
	}
	changed = changed || (to->stored & ~from->stored) != 0 || (from->changed & ~to->changed) != 0;
	to->stored &= from->stored;
	to->changed |= from->changed;
	return changed;
}

static void begin_keeping(struct keeping *k, bool entry)
{
	memset(k, 0, sizeof *k);
	k->known = true;
	for (unsigned reg = 0; reg < 32; reg++) {
		k->values.r[reg] = (struct value){VALUE_UNKNOWN, 0};
		k->of[reg] = entry && (RESERVED_KEPT >> reg & 1) != 0 ? (uint8_t)reg : NOBODY;
		k->slot[reg] = ANY_SLOT;
	}
	k->values.r[0] = (struct value){VALUE_CONSTANT, 0};
	if (entry) {
		k->values.r[2] = (struct value){VALUE_STACK, 0};
		return;
	}
	/* entered from elsewhere, such as a landing pad: its registers were saved before */
	k->stored = k->changed = RESERVED_KEPT;
}

static bool named_exception(const struct graph *g, uint32_t symbol, const char *begin_of)
{
	const char *name = symbol != 0 ? object_symbol_name(g->edit->object, symbol) : "";
	return strncmp(name, begin_of, strlen(begin_of)) == 0;
}

/* clang takes sequences of instructions that several functions have into one of their own. */
#define TAKEN_OUT "OUTLINED_FUNCTION_"

/* What the function's caller finds. */
static void leave_keeping(
    const struct graph *g, const struct graph_block *block, const struct keeping *k, struct found *f)
{
	const struct edit_atom *last = &g->edit->sections[block->section].atoms[block->last];
	int n = values_millicode(g, last, "__riscv_restore_");
	uint32_t changed = k->changed;
	for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
		unsigned kind = g->edges[e].kind;
		/* conditional branches out of a function, and falling out of it: assembler, whose parts share
		 * registers */
		if (g->edges[e].to != GRAPH_NONE || (kind != GRAPH_RETURN && kind != GRAPH_TAIL) ||
		    named_exception(g, last->symbol, TAKEN_OUT))
			continue;
		for (unsigned reg = 10; reg < (kind == GRAPH_RETURN ? 12 : 18); reg++)
			use_register(f, k, reg);
		for (int i = 0; n >= 0 && i < values_saved_by(g, n); i++)
			changed &= ~(UINT32_C(1) << saved_register(i));
		/* with another stack there is no caller, or another one */
		if (n >= 0 || (k->values.r[2].kind == VALUE_STACK && k->values.r[2].c == 0))
			f->left |= changed;
	}
}

/* Without its flow: what it names, and never puts on the stack. */
static uint32_t never_stored(const struct graph *g, const struct graph_function *f, uint32_t *stored)
{
	uint32_t named = 0;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct graph_block *block = &g->blocks[b];
		for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last; at++) {
			const struct edit_atom *atom = &g->edit->sections[block->section].atoms[at];
			struct isa_insn insn;
			struct isa_registers regs;
			if (atom->kind == EDIT_PAD || atom->kind == EDIT_DATA)
				continue;
			graph_insn(g, atom, &insn);
			isa_registers(&insn, &regs);
			int n = values_millicode(g, atom, "__riscv_save_");
			for (int i = 0; n >= 0 && i < values_saved_by(g, n); i++)
				*stored |= UINT32_C(1) << saved_register(i);
			if ((insn.op == ISA_SW || insn.op == ISA_SD) && (insn.rs1 == 2 || insn.rs1 == 8))
				*stored |= UINT32_C(1) << insn.rs2;
			else if (insn.op != ISA_OTHER && insn.op != ISA_ILLEGAL)
				named |= regs.x_read | regs.x_written;
		}
	}
	return named & RESERVED_KEPT;
}

static bool follow_keeping(const struct graph *g, const struct graph_function *f, struct found *found)
{
	struct keeping *states = calloc(f->block_count + 1u, sizeof *states);
	uint32_t *stack = malloc((f->block_count + 1u) * sizeof *stack), depth = 0;
	bool *waits = calloc(f->block_count + 1u, sizeof *waits);
	bool made = states != NULL && stack != NULL && waits != NULL;
	for (uint32_t b = f->block_count; b-- > 0 && made;) {
		if (b != 0 && !g->blocks[f->blocks + b].root)
			continue;
		begin_keeping(&states[b], b == 0);
		waits[b] = true;
		stack[depth++] = b;
	}
	while (made && depth > 0) {
		uint32_t b = stack[--depth];
		const struct graph_block *block = &g->blocks[f->blocks + b];
		struct keeping k = states[b];
		struct found round = {0};
		waits[b] = false;
		for (uint32_t at = block->first; block->section != GRAPH_NONE && at <= block->last; at++)
			step_keeping(g, &g->edit->sections[block->section].atoms[at], &k, &round);
		for (uint32_t e = block->edges; e < block->edges + block->edge_count; e++) {
			uint32_t to = g->edges[e].to;
			if (to == GRAPH_NONE || !meet_keeping(&states[to - f->blocks], &k) || waits[to - f->blocks])
				continue;
			waits[to - f->blocks] = true;
			stack[depth++] = to - f->blocks;
		}
	}
	/* now that it is known what holds at each block */
	for (uint32_t b = 0; b < f->block_count && made; b++) {
		const struct graph_block *block = &g->blocks[f->blocks + b];
		struct keeping k = states[b];
		if (!k.known || block->section == GRAPH_NONE)
			continue;
		for (uint32_t at = block->first; at <= block->last; at++)
			step_keeping(g, &g->edit->sections[block->section].atoms[at], &k, found);
		leave_keeping(g, block, &k, found);
	}
	free(states);
	free(stack);
	free(waits);
	return made;
}

/* Whether all is stored or loaded and nothing computed: setjmp(), longjmp(), a switch of tasks. */
static bool is_switch(const struct graph *g, const struct found *found)
{
	bool few = (g->edit->object->flags & EF_RISCV_RVE) != 0;
	uint32_t all = few ? UINT32_C(1) << 9 : GRAPH_CALLEE_SAVED & ~(UINT32_C(1) << 8);
	return found->used == 0 && (found->left & found->computed) == 0 && ((found->stored | found->left) & all) == all;
}

bool reserved_find(struct graph *g)
{
	uint32_t stored = 0, taken_out = 0;
	for (size_t i = 0; i < g->function_count; i++) {
		struct graph_function *f = &g->functions[i];
		struct found found = {0};
		uint32_t own = 0, named = never_stored(g, f, &own);
		stored |= own;
		if (named_exception(g, f->symbol, TAKEN_OUT))
			taken_out |= named;
		else if (f->odd != NULL)
			f->reserves = named & ~own;
		else if (named != 0 && !named_exception(g, f->symbol, "__riscv_save_") &&
			 !named_exception(g, f->symbol, "__riscv_restore_")) {
			if (!follow_keeping(g, f, &found))
				return false;
			f->reserves = is_switch(g, &found) ? 0 : found.used | found.stored | found.left;
		}
		g->reserved |= f->reserves;
	}
	g->reserved |= taken_out & ~stored;
	return true;
}

/* ---------------------------------------------------------------- files */
int reserved_of_object(struct object *object, const char *name, struct reserved_by *by, char *detail, size_t size)
{
	struct edit *edit;
	struct graph *g = NULL;
	int error = edit_open(&edit, object, detail, size);
	by->modes.unknown = by->modes.unknown || error != OBJECT_OK;
	if (error != OBJECT_OK)
		return error;
	modes_look(edit, &by->modes);
	error = graph_open(&g, edit, 0);
	for (size_t i = 0; error == OBJECT_OK && i < g->function_count; i++) {
		const struct graph_function *f = &g->functions[i];
		if ((f->reserves & ~by->registers) != 0 && by->who[0] == '\0')
			snprintf(
			    by->who, sizeof by->who, "%.80s in %.70s", object_symbol_name(object, f->symbol), name);
	}
	by->registers |= error == OBJECT_OK ? g->reserved : 0;
	graph_close(g);
	edit_close(edit);
	return error;
}

static int look_for_reserved(void *context, struct object *object, const char *name, char *detail, size_t size)
{
	const char *slash = strrchr(name, '/');
	int error = reserved_of_object(object, slash != NULL ? slash + 1 : name, context, detail, size);
	return error == OBJECT_OK ? OBJECT_EUNSUPPORTED : error; /* it stays as it is */
}

int reserved_of_file(const char *path, struct reserved_by *by, char *detail, size_t size)
{
	const struct rewrite look = {.change = look_for_reserved, .context = by, .keep = true};
	return rewrite_file(&look, path, "/dev/null", NULL, detail, size);
}

/* ---------------------------------------------------------------- names */
void reserved_names(uint32_t registers, char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (unsigned reg = 0; reg < 32 && used < size; reg++) {
		if ((registers >> reg & 1) != 0)
			used += (size_t)snprintf(
			    text + used, size - used, "%s%s", used > 0 ? "," : "", isa_register_names[reg]);
	}
}

static unsigned register_of(const char *name, size_t length)
{
	char number[8];
	for (unsigned reg = 3; reg < 32; reg++) {
		snprintf(number, sizeof number, "x%u", reg);
		const char *abi = isa_register_names[reg];
		if ((strlen(abi) == length && memcmp(abi, name, length) == 0) ||
		    (strlen(number) == length && memcmp(number, name, length) == 0) ||
		    (reg == 8 && length == 2 && memcmp("fp", name, 2) == 0))
			return reg;
	}
	return 0;
}

uint32_t reserved_parse(const char *text)
{
	uint32_t registers = 0;
	for (;; text++) {
		size_t length = strcspn(text, ",");
		unsigned reg = register_of(text, length);
		if (reg == 0)
			return 0;
		registers |= UINT32_C(1) << reg;
		text += length;
		if (*text == '\0')
			return registers;
	}
}
