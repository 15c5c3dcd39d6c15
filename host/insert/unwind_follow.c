/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * All ways through a function are followed, each instruction once: where two ways meet, only what both hold alike is
 * kept. Places that no way comes to (a jump through a table that is not known) are tried with what the function holds
 * behind its prologue; a return that finds its address says whether the guess was right.
 */
#include "host/insert/unwind_follow.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/insert/graph.h"
#include "host/insert/unwind.h"
#include "isa/isa.h"

#define INSNS_MAX 200000u /* of a function that is followed */
#define CALLER_SAVED 0xF003FCE0u
#define CALLEE_SAVED 0x0FFC0304u /* sp, s0 to s11 */

struct search {
	const struct image *image;
	uint64_t start, goal; /* the function; its instruction */
	bool behind;          /* goal is what lies behind the call that is looked for */
	uint8_t *seen;        /* by halfword of the function */
	uint64_t size;        /* bytes of it */
	struct unwind_state *stack, *jumped;
	size_t depth, room, jump_count, jump_room;
	struct unwind_state *behind_calls; /* ways that go on if a call returns, from call_first on */
	size_t call_first, call_count, call_room;
	struct unwind_state found;
	struct unwind_state *called; /* what holds behind each of its calls */
	unsigned steps;
	bool is_found, no_memory, has_called;
	bool is_trial, is_wrong; /* the state is a guess; it was not the one */
};

/* ---------------------------------------------------------------- what registers hold */
static struct unwind_value *slot_of(struct unwind_state *s, uint8_t base, int64_t at, bool make)
{
	for (unsigned i = 0; i < s->slot_count; i++) {
		if (s->slots[i].base == base && s->slots[i].at == at)
			return &s->slots[i].value;
	}
	if (!make || s->slot_count == UNWIND_SLOTS_MAX)
		return NULL;
	s->slots[s->slot_count] = (struct unwind_slot){.base = base, .at = at};
	return &s->slots[s->slot_count++].value;
}

static bool memory_at(const struct unwind_value *base, int64_t offset, uint8_t *kind, int64_t *at)
{
	*kind = base->kind;
	*at = base->c + offset;
	return base->kind == UNWIND_CONSTANT || (base->kind == UNWIND_ENTRY && base->of == 2);
}

static void load_store(struct unwind_state *s, const struct isa_insn *insn, unsigned word)
{
	uint8_t kind;
	int64_t at;
	bool is_load = (insn->class_bits & ISA_LOAD) != 0, whole = isa_access_bytes(insn) == word;
	bool known = memory_at(&s->r[insn->rs1], insn->imm, &kind, &at);
	if ((insn->class_bits & ISA_STORE) != 0 && known) {
		struct unwind_value *slot = slot_of(s, kind, at, whole);
		if (slot != NULL)
			*slot = whole ? s->r[insn->rs2] : (struct unwind_value){0};
	}
	if (!is_load)
		return;
	struct unwind_value *slot = known && whole ? slot_of(s, kind, at, false) : NULL;
	s->r[insn->rd] = slot != NULL ? *slot : (struct unwind_value){0};
}

static void compute(struct unwind_state *s, const struct isa_insn *insn, unsigned xlen)
{
	struct isa_registers regs;
	struct unwind_value result = {0};
	const struct unwind_value *a = &s->r[insn->rs1], *b = &s->r[insn->rs2];
	isa_registers(insn, &regs);
	bool plain = insn->op == ISA_LW || insn->op == ISA_LD || insn->op == ISA_SW || insn->op == ISA_SD;
	if (plain) {
		load_store(s, insn, xlen / 8);
		s->r[0] = (struct unwind_value){.kind = UNWIND_CONSTANT};
		return;
	}
	if (insn->op == ISA_ADDI && a->kind != UNWIND_UNKNOWN)
		result = (struct unwind_value){a->kind, a->of, a->c + insn->imm};
	else if (insn->op == ISA_LUI)
		result = (struct unwind_value){UNWIND_CONSTANT, 0, (int64_t)(int32_t)(uint32_t)insn->imm};
	else if (insn->op == ISA_AUIPC)
		result = (struct unwind_value){UNWIND_CONSTANT, 0, (int64_t)s->pc + (int32_t)(uint32_t)insn->imm};
	else if (insn->op == ISA_ADD && a->kind != UNWIND_UNKNOWN && b->kind == UNWIND_CONSTANT)
		result = (struct unwind_value){a->kind, a->of, a->c + b->c};
	else if (insn->op == ISA_ADD && a->kind == UNWIND_CONSTANT && b->kind != UNWIND_UNKNOWN)
		result = (struct unwind_value){b->kind, b->of, a->c + b->c};
	else if (insn->op == ISA_SUB && a->kind != UNWIND_UNKNOWN && b->kind == UNWIND_CONSTANT)
		result = (struct unwind_value){a->kind, a->of, a->c - b->c};
	else if (insn->op == ISA_SLLI && a->kind == UNWIND_CONSTANT) /* millicode: what it took too much of the stack */
		result = (struct unwind_value){UNWIND_CONSTANT, 0, (int64_t)((uint64_t)a->c << (insn->imm & 63))};
	if (xlen == 32)
		result.c = (int32_t)(uint32_t)result.c;
	for (unsigned i = 1; i < 32; i++) {
		if ((regs.x_written >> i & 1) != 0)
			s->r[i] = i == insn->rd ? result : (struct unwind_value){0};
	}
}

/* ---------------------------------------------------------------- ways through a function */
static bool inside(const struct search *s, uint64_t pc)
{
	uint64_t start;
	if (pc - s->start < s->size)
		return true;
	/* f.cold; but a jump to another function is an exit */
	return image_whole_function(s->image, pc, &start) != NULL && start == s->start;
}

static bool first_time(struct search *s, uint64_t pc)
{
	if (pc - s->start >= s->size) /* in f.cold: `steps` ends what goes round there */
		return true;
	uint8_t *byte = &s->seen[(pc - s->start) / 2 / 8], bit = (uint8_t)(1u << ((pc - s->start) / 2 % 8));
	bool first = (*byte & bit) == 0;
	*byte |= bit;
	return first;
}

static void later(struct search *s, const struct unwind_state *state, uint64_t pc)
{
	if (!inside(s, pc))
		return;
	if (!array_room(&s->stack, s->depth + 1, &s->room)) {
		s->no_memory = true;
		return;
	}
	s->stack[s->depth] = *state;
	s->stack[s->depth++].pc = pc;
}

static bool equal_values(const struct unwind_value *a, const struct unwind_value *b)
{
	return a->kind == b->kind && a->of == b->of && a->c == b->c;
}

/*
 * Nobody knows whether a call returns: what stands behind one that never does is of other ways, with another stack, or
 * of another function. So ways behind calls wait until all others have been followed, and end with the function.
 *
 *     f:   bnez a0, 2f            addi sp, sp, -16 belongs to the way over the branch,
 *          call fail              which comes first
 *     2:   addi sp, sp, -16
 */
static void later_behind_call(struct search *s, const struct unwind_state *state, uint64_t pc)
{
	if (!inside(s, pc))
		return;
	if (!array_room(&s->behind_calls, s->call_count + 1, &s->call_room)) {
		s->no_memory = true;
		return;
	}
	s->behind_calls[s->call_count] = *state;
	s->behind_calls[s->call_count++].pc = pc;
}

/* What is the same in both stays. */
static void meet_states(struct unwind_state *all, struct unwind_state *other)
{
	for (unsigned i = 0; i < 32; i++) {
		if (!equal_values(&all->r[i], &other->r[i]))
			all->r[i] = (struct unwind_value){0};
	}
	for (unsigned i = 0; i < all->slot_count; i++) {
		struct unwind_slot *own = &all->slots[i];
		const struct unwind_value *its = slot_of(other, own->base, own->at, false);
		if (its == NULL || !equal_values(&own->value, its))
			own->value = (struct unwind_value){0};
	}
}

/* Whether the address of the caller is still somewhere behind a call. */
static bool holds_return(const struct unwind_state *s)
{
	for (unsigned i = 1; i < 32; i++) {
		if (((CALLER_SAVED | 2u) >> i & 1) == 0 && s->r[i].kind == UNWIND_ENTRY && s->r[i].of == 1)
			return true;
	}
	for (unsigned i = 0; i < s->slot_count; i++) {
		if (s->slots[i].value.kind == UNWIND_ENTRY && s->slots[i].value.of == 1)
			return true;
	}
	return false;
}

static void after_call(struct search *search, struct unwind_state *s)
{
	for (unsigned i = 1; i < 32; i++) {
		if (((CALLER_SAVED | 2u) >> i & 1) != 0)
			s->r[i] = (struct unwind_value){0};
	}
	if (search->is_trial && !holds_return(s)) {
		search->is_wrong = true;
		return;
	}
	if (search->has_called)
		meet_states(search->called, s);
	else
		*search->called = *s;
	search->has_called = true;
}

/* What lies behind such a call may belong to other ways, with another stack. */
static bool never_returns(const struct image *image, uint64_t target)
{
	static const char *const names[] = {
	    "abort", "exit", "_exit", "_Exit", "longjmp", "__longjmp_chk", "__libc_fatal", "hal_exit"};
	static const char wrapped[] = "__wrap_";
	uint64_t start;
	const char *name = image_function(image, image_xlen(image) == 32 ? (uint32_t)target : target, &start);
	if (name != NULL && strncmp(name, wrapped, sizeof wrapped - 1) == 0)
		name += sizeof wrapped - 1;
	for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return name != NULL && graph_never_returns(name);
}

static void follow(struct search *s, struct unwind_state *state)
{
	unsigned xlen = image_xlen(s->image);
	struct isa_insn insn;
	while (!s->is_found && !s->is_wrong && !s->no_memory && s->steps++ < INSNS_MAX) {
		uint64_t pc = state->pc;
		bool millicode = !inside(s, pc);
		if ((!millicode && !first_time(s, pc)) || !image_insn(s->image, pc, 0, &insn))
			return;
		uint64_t next = pc + insn.length;
		unsigned bits = insn.class_bits;
		if (s->behind ? next == s->goal && (bits & ISA_CALL) != 0 : pc == s->goal) {
			s->found = *state;
			s->is_wrong = s->is_trial && s->behind && !holds_return(state);
			s->is_found = !s->is_wrong;
			return;
		}
		if ((bits & (ISA_TRAPS | ISA_RET)) != 0 && insn.op != ISA_ECALL && !image_serves(s->image, &insn, pc))
			return;
		if ((bits & ISA_BRANCH) != 0)
			later(s, state, isa_target(&insn, pc));
		else if ((bits & ISA_JUMP) != 0 && insn.rd == 5) { /* -msave-restore */
			state->r[5] = (struct unwind_value){UNWIND_CONSTANT, 0, (int64_t)next};
			next = isa_target(&insn, pc);
		} else if ((bits & ISA_JUMP) != 0 && insn.rd == 0) {
			next = isa_target(&insn, pc);
			if (!millicode && !inside(s, next))
				return;
		} else if ((bits & ISA_INDIRECT) != 0) {
			struct unwind_value to = state->r[insn.rs1];
			if (insn.rd == 5 && to.kind == UNWIND_CONSTANT) {
				state->r[5] = (struct unwind_value){UNWIND_CONSTANT, 0, (int64_t)next};
				next = (uint64_t)(to.c + insn.imm);
			} else if (insn.rd != 0) {
				after_call(s, state);
				if (to.kind != UNWIND_CONSTANT || !never_returns(s->image, (uint64_t)(to.c + insn.imm)))
					later_behind_call(s, state, next);
				return;
			} else if (to.kind == UNWIND_CONSTANT) {
				next = (uint64_t)(to.c + insn.imm);
				if (!inside(s, next))
					return;
			} else {
				/* Where a table leads to is not known: what nobody else reaches. A return without the
				 * caller's address is none: what stands behind a call that never comes back. */
				if (insn.rs1 != 1 && (to.kind != UNWIND_ENTRY || to.of != 1) &&
				    array_room(&s->jumped, s->jump_count + 1, &s->jump_room))
					s->jumped[s->jump_count++] = *state;
				return;
			}
			if (xlen == 32)
				next = (uint32_t)next;
		} else if ((bits & ISA_CALL) != 0) {
			after_call(s, state);
			if (!never_returns(s->image, isa_target(&insn, pc)))
				later_behind_call(s, state, next);
			return;
		} else
			compute(state, &insn, xlen);
		if (!millicode && next == pc + insn.length && !inside(s, next))
			return;
		state->pc = next;
	}
}

static void drain(struct search *s)
{
	while ((s->depth > 0 || s->call_first < s->call_count) && !s->is_found && !s->is_wrong && !s->no_memory) {
		struct unwind_state state = s->depth > 0 ? s->stack[--s->depth] : s->behind_calls[s->call_first++];
		follow(s, &state);
	}
}

/* The size of a function: to the next one. */
static uint64_t size_of(const struct image *image, uint64_t start)
{
	struct image_label label;
	uint64_t end = 0;
	struct image_text text;
	for (size_t i = 0; image_text(image, i, &text); i++) {
		if (start - text.start < text.size)
			end = text.start + text.size;
	}
	for (size_t i = 0; image_label(image, i, &label); i++) {
		if (!label.code || label.address < start)
			continue;
		if (label.address == start && label.function && label.size > 0)
			return label.size;
		if (label.address > start && label.address < end)
			end = label.address;
	}
	return end > start ? end - start : 0;
}

/* Whether nothing goes on to what lies behind an instruction. */
static bool ends_way(const struct search *s, const struct isa_insn *insn, uint64_t pc)
{
	if ((insn->class_bits & (ISA_JUMP | ISA_INDIRECT | ISA_RET)) != 0 && insn->rd == 0)
		return true;
	if ((insn->class_bits & ISA_TRAPS) != 0 && insn->op != ISA_ECALL && !image_serves(s->image, insn, pc))
		return true;
	return (insn->class_bits & ISA_CALL) != 0 &&
	       ((insn->class_bits & ISA_INDIRECT) != 0 || never_returns(s->image, isa_target(insn, pc)));
}

/* Goes on at a place as if in this state. What calls without knowing its own caller was not in it. */
static void try_state(struct search *s, const struct unwind_state *state, uint64_t pc)
{
	const size_t bytes = s->size / 16 + 1;
	uint8_t *seen = malloc(bytes);
	struct unwind_state *copy = malloc(sizeof *copy); /* may be the search's own, which goes on */
	s->no_memory = s->no_memory || seen == NULL || copy == NULL;
	if (!s->no_memory) {
		memcpy(seen, s->seen, bytes);
		*copy = *state;
		s->is_trial = true;
		s->is_wrong = false;
		later(s, copy, pc);
		drain(s);
		s->is_trial = false;
		if (s->is_wrong) {
			s->is_wrong = s->is_found = false;
			s->depth = 0;
			s->call_first = s->call_count = 0;
			memcpy(s->seen, seen, bytes);
		}
	}
	free(copy);
	free(seen);
}

static bool is_seen(const struct search *s, uint64_t pc)
{
	return pc - s->start < s->size && (s->seen[(pc - s->start) / 16] >> ((pc - s->start) / 2 % 8) & 1) != 0;
}

/* What nobody reaches: the targets of a jump by a table that is not known, and landing pads, where what holds behind
 * all calls holds. Pads may be a part of their own, f.cold. */
static void find_unreached(struct search *s, uint64_t from, uint64_t size)
{
	struct isa_insn insn;
	bool gap = from != s->start;
	for (uint64_t pc = from; pc < from + size && !s->is_found && !s->no_memory; pc += insn.length) {
		if (!image_insn(s->image, pc, 0, &insn))
			return;
		const bool open = gap && !is_seen(s, pc);
		if (open && s->jump_count > 0)
			try_state(s, &s->jumped[0], pc);
		if (open && s->has_called && !s->is_found && (s->jump_count == 0 || !is_seen(s, pc)))
			try_state(s, s->called, pc);
		gap = ends_way(s, &insn, pc);
	}
}

int unwind_follow(const struct image *image, uint64_t start, uint64_t goal, bool behind, struct unwind_state *found)
{
	struct search s = {.image = image, .start = start, .goal = goal, .behind = behind};
	struct unwind_state *entry = calloc(1, sizeof *entry);
	uint64_t part;
	s.size = size_of(image, start);
	s.seen = calloc(s.size / 16 + 1, 1);
	s.called = calloc(1, sizeof *s.called);
	if (s.seen == NULL || entry == NULL || s.called == NULL) {
		free(s.seen);
		free(s.called);
		free(entry);
		return UNWIND_ENOMEM;
	}
	entry->pc = start;
	for (unsigned i = 0; i < 32; i++)
		entry->r[i] = (struct unwind_value){i == 0 ? UNWIND_CONSTANT : UNWIND_ENTRY, (uint8_t)i, 0};
	later(&s, entry, start);
	drain(&s);
	if (!s.is_found)
		find_unreached(&s, start, s.size);
	if (!s.is_found && goal - start > s.size && image_function(image, goal - 1, &part) != NULL)
		find_unreached(&s, part, size_of(image, part));
	*found = s.found;
	free(entry);
	free(s.seen);
	free(s.called);
	free(s.stack);
	free(s.jumped);
	free(s.behind_calls);
	if (s.no_memory)
		return UNWIND_ENOMEM;
	return s.is_found ? UNWIND_OK : UNWIND_ELOST;
}
