/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/mcdc/origins.h"

#include <stdlib.h>
#include <string.h>
#include "host/mcdc/text.h"
#include "isa/isa.h"

#define NAMES_MAX 8
#define PLACES_MAX 8
#define DEPTH_MAX 4   /* instructions from a branch back */
#define ORDERS_MAX 6u /* conditions of which all orders are tried */
#define PROLOGUE_MAX 40
#define CODE_MAX 65536 /* instructions of a function */

struct origins {
	const char *names[NAMES_MAX];
	size_t name_count;
	struct {
		uint64_t pc;
		int condition;
	} places[PLACES_MAX];
	size_t place_count;
	int64_t constants[2];
	size_t constant_count;
};

struct finder {
	struct scan *scan;
	uint32_t number;
	const char *function; /* of the source */
	uint64_t start;       /* of the compiled function */
	struct origins *origins;
};

/* ---- who wrote a register ---- */

static bool is_caller_saved(unsigned reg)
{
	return reg == 1 || (reg >= 5 && reg <= 7) || (reg >= 10 && reg <= 17) || reg >= 28;
}

static bool writes_register(const struct isa_insn *insn, unsigned reg)
{
	struct isa_registers registers;
	if ((insn->class_bits & ISA_CALL) != 0)
		return is_caller_saved(reg);
	isa_registers(insn, &registers);
	return (registers.x_written >> reg & 1) != 0;
}

static bool leaves_code(const struct isa_insn *insn)
{
	return (insn->class_bits & (ISA_JUMP | ISA_INDIRECT | ISA_RET)) != 0 && (insn->class_bits & ISA_CALL) == 0;
}

/* The instruction that wrote reg last, whatever way led to pc; false: none did for sure. */
static bool find_writer(const struct finder *f, uint64_t pc, unsigned reg, uint64_t *writer)
{
	bool found = false;
	unsigned count = 0;
	struct isa_insn insn;
	for (uint64_t at = f->start; at < pc && count < CODE_MAX; at += insn.length, count++) {
		if (scan_is_target(f->scan, at))
			found = false;
		if (!image_insn(f->scan->image, at, 0, &insn) || insn.length == 0)
			return false;
		if ((insn.class_bits & ISA_INDIRECT) != 0 && (insn.class_bits & (ISA_RETURN | ISA_CALL)) == 0)
			return false; /* a jump table: its targets are not known here */
		if (leaves_code(&insn))
			found = false;
		else if (writes_register(&insn, reg)) {
			found = true;
			*writer = at;
		}
	}
	return found && count < CODE_MAX;
}

/* A register that a function writes once, but for the end, where it gets its caller's value back. */
static bool find_only_writer(const struct finder *f, unsigned reg, uint64_t *writer)
{
	unsigned count = 0, writers = 0;
	int32_t saved = 0;
	bool is_saved = false;
	struct isa_insn insn;
	uint64_t start;
	for (uint64_t at = f->start; count < CODE_MAX; at += insn.length, count++) {
		if (image_function(f->scan->image, at, &start) == NULL || start != f->start)
			break;
		if (!image_insn(f->scan->image, at, 0, &insn) || insn.length == 0)
			return false;
		if (count < PROLOGUE_MAX && !is_saved && (insn.class_bits & ISA_STORE) != 0 && insn.rs1 == 2 &&
		    insn.rs2 == reg) {
			is_saved = true;
			saved = insn.imm;
		}
		bool restores = is_saved && (insn.class_bits & ISA_LOAD) != 0 && insn.rs1 == 2 && insn.imm == saved;
		if (!writes_register(&insn, reg) || restores)
			continue;
		writers++;
		*writer = at;
	}
	return writers == 1 && !is_caller_saved(reg);
}

/* ---- origins ---- */

static void add_name(struct origins *o, const char *name)
{
	if (name != NULL && o->name_count < NAMES_MAX)
		o->names[o->name_count++] = name;
}

static void add_constant(struct origins *o, int64_t value)
{
	if (o->constant_count < 2)
		o->constants[o->constant_count++] = value;
}

static void add_place(struct finder *f, uint64_t pc)
{
	struct origins *o = f->origins;
	int within;
	if (o->place_count == PLACES_MAX || !scan_evaluates(f->scan, f->number, pc, &within) || within < 0)
		return;
	o->places[o->place_count].pc = pc;
	o->places[o->place_count++].condition = within;
}

/* LI, LUI, and an ADDI behind it. */
static bool is_constant(const struct finder *f, uint64_t pc, const struct isa_insn *insn, int64_t *value)
{
	struct isa_insn upper;
	uint64_t writer;
	*value = insn->imm;
	if (insn->op == ISA_LUI)
		return true;
	if (insn->op != ISA_ADDI && insn->op != ISA_ADDIW)
		return false;
	if (insn->rs1 == 0)
		return true;
	if (!find_writer(f, pc, insn->rs1, &writer) || !image_insn(f->scan->image, writer, 0, &upper) ||
	    upper.op != ISA_LUI)
		return false;
	*value = (int64_t)upper.imm + insn->imm;
	return true;
}

static bool resolve_register(struct finder *f, uint64_t pc, unsigned reg, unsigned depth);

/* Whether the value is one as the source has it, and not computed from several. */
static bool resolve_writer(struct finder *f, uint64_t pc, unsigned depth)
{
	struct isa_insn insn;
	int64_t value;
	if (!image_insn(f->scan->image, pc, 0, &insn))
		return false;
	add_place(f, pc);
	if ((insn.class_bits & ISA_CALL) != 0) {
		if ((insn.class_bits & ISA_JUMP) != 0)
			add_name(f->origins, image_function(f->scan->image, isa_target(&insn, pc), NULL));
		return true;
	}
	if (is_constant(f, pc, &insn, &value)) {
		add_constant(f->origins, value);
		return true;
	}
	bool moves = (insn.op == ISA_ADDI || insn.op == ISA_ADDIW) && insn.imm == 0;
	bool loads = (insn.class_bits & ISA_LOAD) != 0;
	if (insn.rs1 > 4)
		moves = resolve_register(f, pc, insn.rs1, depth + 1) && moves;
	if (!loads && insn.rs2 > 4)
		(void)resolve_register(f, pc, insn.rs2, depth + 1);
	return moves || loads;
}

static bool resolve_register(struct finder *f, uint64_t pc, unsigned reg, unsigned depth)
{
	const char *names[NAMES_MAX];
	uint64_t writer;
	int64_t value;
	struct isa_insn insn;
	size_t count = image_variables(f->scan->image, pc, reg, f->function, names, NAMES_MAX);
	for (size_t i = 0; i < count; i++)
		add_name(f->origins, names[i]);
	if (count > 0)
		return true;
	if (depth < DEPTH_MAX && find_writer(f, pc, reg, &writer))
		return resolve_writer(f, writer, depth);
	if (find_only_writer(f, reg, &writer) && image_insn(f->scan->image, writer, 0, &insn) &&
	    is_constant(f, writer, &insn, &value))
		add_constant(f->origins, value);
	return false;
}

static void find_origins(struct finder *f, const struct scan_branch *branch)
{
	struct isa_insn insn;
	if (!image_insn(f->scan->image, branch->pc, 0, &insn) ||
	    image_function(f->scan->image, branch->pc, &f->start) == NULL)
		return;
	bool plain = insn.rs1 == 0 || resolve_register(f, branch->pc, insn.rs1, 0);
	bool other = insn.rs2 == 0 || resolve_register(f, branch->pc, insn.rs2, 0);
	if ((insn.rs1 == 0 || insn.rs2 == 0) && plain && other)
		add_constant(f->origins, 0);
}

/* ---- which branch is which condition ---- */

/* A value that another branch uses too tells nothing of its place. */
static bool is_shared(const struct origins *all, unsigned count, unsigned own, uint64_t pc)
{
	for (unsigned i = 0; i < count; i++) {
		for (size_t k = 0; i != own && k < all[i].place_count; k++) {
			if (all[i].places[k].pc == pc)
				return true;
		}
	}
	return false;
}

static bool origins_fit(
    const struct origins *all, unsigned count, unsigned branch, unsigned condition, const char *text)
{
	const struct origins *o = &all[branch];
	for (size_t i = 0; i < o->name_count; i++) {
		if (!text_has_word(text, o->names[i]))
			return false;
	}
	for (size_t i = 0; i < o->constant_count; i++) {
		if (!text_may_have(text, o->constants[i]))
			return false;
	}
	for (size_t i = 0; i < o->place_count; i++) {
		if (o->places[i].condition != (int)condition && !is_shared(all, count, branch, o->places[i].pc))
			return false;
	}
	return true;
}

static bool decide_order(const struct mcdc_decision *d, const unsigned *order, uint32_t values)
{
	int at = 0;
	while (at >= 0)
		at = (values >> order[at] & 1) != 0 ? d->conditions[at].if_true : d->conditions[at].if_false;
	return at == MCDC_TRUE;
}

/* Whether branches that have the conditions in another order would give the decision the same value. */
static bool is_same_decision(const struct mcdc_decision *d, const unsigned *order)
{
	static const unsigned straight[ORDERS_MAX] = {0, 1, 2, 3, 4, 5};
	for (uint32_t values = 0; values < 1u << d->count; values++) {
		if (decide_order(d, order, values) != decide_order(d, straight, values))
			return false;
	}
	return true;
}

struct orders {
	const struct mcdc_decision *decision;
	bool fits[ORDERS_MAX][ORDERS_MAX]; /* branch, condition */
	unsigned order[ORDERS_MAX];        /* by branch */
	unsigned found;
};

static void try_orders(struct orders *o, unsigned branch, uint32_t used)
{
	if (o->found > 1)
		return;
	if (branch == o->decision->count) {
		o->found += is_same_decision(o->decision, o->order);
		return;
	}
	for (unsigned i = 0; i < o->decision->count; i++) {
		if ((used >> i & 1) != 0 || !o->fits[branch][i])
			continue;
		o->order[branch] = i;
		try_orders(o, branch + 1, used | 1u << i);
	}
}

bool origins_identify(struct scan *scan, uint32_t decision, const uint32_t *branches)
{
	const struct mcdc_decision *d = &scan->mapping->decisions[decision];
	struct origins all[ORDERS_MAX] = {{.name_count = 0}};
	struct orders orders = {.decision = d};
	char text[TEXT_MAX];
	if (d->count > ORDERS_MAX || scan->functions[decision] == NULL)
		return false;
	for (unsigned i = 0; i < d->count; i++) {
		struct finder finder = {scan, decision, scan->functions[decision], 0, &all[i]};
		find_origins(&finder, &scan->branches[branches[i]]);
		if (all[i].name_count + all[i].place_count + all[i].constant_count == 0)
			return false;
	}
	for (unsigned i = 0; i < d->count; i++) {
		if (!text_of_span(scan->image, d->file, &d->conditions[i].span, text))
			return false;
		for (unsigned k = 0; k < d->count; k++)
			orders.fits[k][i] = origins_fit(all, d->count, k, i, text);
	}
	for (unsigned i = 0; i < d->count; i++) {
		if (!orders.fits[i][i])
			return false;
	}
	try_orders(&orders, 0, 0);
	return orders.found == 1;
}
