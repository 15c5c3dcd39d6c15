/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/unwind.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/insert/graph.h"

#define INSNS_MAX 200000u /* of a function that is followed */
#define SLOTS_MAX 64
#define CALLEE_SAVED 0x0FFC0304u /* sp, s0 to s11 */
#define CALLER_SAVED 0xF003FCE0u

const char *unwind_strerror(int end)
{
	switch (end) {
	case UNWIND_OK:
		return "no error";
	case UNWIND_ENOMEM:
		return "out of memory";
	case UNWIND_END:
		return "the program begins there";
	case UNWIND_EOUTSIDE:
		return "the caller is no code of the program";
	default:
		return "it is not known who called it";
	}
}

/* ---------------------------------------------------------------- what registers hold */
enum kind { UNKNOWN, CONSTANT, ENTRY }; /* ENTRY: what register `of` held at the entry, + c */
struct value {
	uint8_t kind, of;
	int64_t c;
};
struct slot { /* a word at base + at: of the stack pointer at the entry, or of 0 */
	uint8_t base;
	int64_t at;
	struct value value;
};
struct state {
	uint64_t pc;
	struct value r[32];
	struct slot slots[SLOTS_MAX];
	unsigned slot_count;
};
struct search {
	const struct image *image;
	uint64_t start, goal; /* the function; its instruction */
	bool behind;          /* goal is what lies behind the call that is looked for */
	uint8_t *seen;        /* by halfword of the function */
	uint64_t size;        /* bytes of it */
	struct state *stack, *jumped;
	size_t depth, room, jump_count, jump_room;
	struct state found;
	struct state *called; /* what holds behind each of its calls */
	unsigned steps;
	bool is_found, no_memory, has_called;
	bool is_trial, is_wrong; /* the state is a guess; it was not the one */
};

static struct value *slot_of(struct state *s, uint8_t base, int64_t at, bool make)
{
	for (unsigned i = 0; i < s->slot_count; i++) {
		if (s->slots[i].base == base && s->slots[i].at == at)
			return &s->slots[i].value;
	}
	if (!make || s->slot_count == SLOTS_MAX)
		return NULL;
	s->slots[s->slot_count] = (struct slot){.base = base, .at = at};
	return &s->slots[s->slot_count++].value;
}

static bool memory_at(const struct value *base, int64_t offset, uint8_t *kind, int64_t *at)
{
	*kind = base->kind;
	*at = base->c + offset;
	return base->kind == CONSTANT || (base->kind == ENTRY && base->of == 2);
}

static void load_store(struct state *s, const struct isa_insn *insn, unsigned word)
{
	uint8_t kind;
	int64_t at;
	bool is_load = (insn->class_bits & ISA_LOAD) != 0, whole = isa_access_bytes(insn) == word;
	bool known = memory_at(&s->r[insn->rs1], insn->imm, &kind, &at);
	if ((insn->class_bits & ISA_STORE) != 0 && known) {
		struct value *slot = slot_of(s, kind, at, whole);
		if (slot != NULL)
			*slot = whole ? s->r[insn->rs2] : (struct value){0};
	}
	if (!is_load)
		return;
	struct value *slot = known && whole ? slot_of(s, kind, at, false) : NULL;
	s->r[insn->rd] = slot != NULL ? *slot : (struct value){0};
}

static void compute(struct state *s, const struct isa_insn *insn, unsigned xlen)
{
	struct isa_registers regs;
	struct value result = {0};
	const struct value *a = &s->r[insn->rs1], *b = &s->r[insn->rs2];
	isa_registers(insn, &regs);
	bool plain = insn->op == ISA_LW || insn->op == ISA_LD || insn->op == ISA_SW || insn->op == ISA_SD;
	if (plain) {
		load_store(s, insn, xlen / 8);
		s->r[0] = (struct value){.kind = CONSTANT};
		return;
	}
	if (insn->op == ISA_ADDI && a->kind != UNKNOWN)
		result = (struct value){a->kind, a->of, a->c + insn->imm};
	else if (insn->op == ISA_LUI)
		result = (struct value){CONSTANT, 0, (int64_t)(int32_t)(uint32_t)insn->imm};
	else if (insn->op == ISA_AUIPC)
		result = (struct value){CONSTANT, 0, (int64_t)s->pc + (int32_t)(uint32_t)insn->imm};
	else if (insn->op == ISA_ADD && a->kind != UNKNOWN && b->kind == CONSTANT)
		result = (struct value){a->kind, a->of, a->c + b->c};
	else if (insn->op == ISA_ADD && a->kind == CONSTANT && b->kind != UNKNOWN)
		result = (struct value){b->kind, b->of, a->c + b->c};
	else if (insn->op == ISA_SUB && a->kind != UNKNOWN && b->kind == CONSTANT)
		result = (struct value){a->kind, a->of, a->c - b->c};
	if (xlen == 32)
		result.c = (int32_t)(uint32_t)result.c;
	for (unsigned i = 1; i < 32; i++) {
		if ((regs.x_written >> i & 1) != 0)
			s->r[i] = i == insn->rd ? result : (struct value){0};
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

static void later(struct search *s, const struct state *state, uint64_t pc)
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

static bool equal_values(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->of == b->of && a->c == b->c;
}

/* What is the same in both stays. */
static void meet_states(struct state *all, struct state *other)
{
	for (unsigned i = 0; i < 32; i++) {
		if (!equal_values(&all->r[i], &other->r[i]))
			all->r[i] = (struct value){0};
	}
	for (unsigned i = 0; i < all->slot_count; i++) {
		struct slot *own = &all->slots[i];
		const struct value *its = slot_of(other, own->base, own->at, false);
		if (its == NULL || !equal_values(&own->value, its))
			own->value = (struct value){0};
	}
}

/* Whether the address of the caller is still somewhere behind a call. */
static bool holds_return(const struct state *s)
{
	for (unsigned i = 1; i < 32; i++) {
		if (((CALLER_SAVED | 2u) >> i & 1) == 0 && s->r[i].kind == ENTRY && s->r[i].of == 1)
			return true;
	}
	for (unsigned i = 0; i < s->slot_count; i++) {
		if (s->slots[i].value.kind == ENTRY && s->slots[i].value.of == 1)
			return true;
	}
	return false;
}

static void after_call(struct search *search, struct state *s)
{
	for (unsigned i = 1; i < 32; i++) {
		if (((CALLER_SAVED | 2u) >> i & 1) != 0)
			s->r[i] = (struct value){0};
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

static void follow(struct search *s, struct state *state)
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
			state->r[5] = (struct value){CONSTANT, 0, (int64_t)next};
			next = isa_target(&insn, pc);
		} else if ((bits & ISA_JUMP) != 0 && insn.rd == 0) {
			next = isa_target(&insn, pc);
			if (!millicode && !inside(s, next))
				return;
		} else if ((bits & ISA_INDIRECT) != 0) {
			struct value to = state->r[insn.rs1];
			if (insn.rd == 5 && to.kind == CONSTANT) {
				state->r[5] = (struct value){CONSTANT, 0, (int64_t)next};
				next = (uint64_t)(to.c + insn.imm);
			} else if (insn.rd != 0) {
				after_call(s, state);
				if (to.kind == CONSTANT && never_returns(s->image, (uint64_t)(to.c + insn.imm)))
					return;
			} else if (to.kind == CONSTANT) {
				next = (uint64_t)(to.c + insn.imm);
				if (!inside(s, next))
					return;
			} else {
				/* where a table leads to is not known: what nobody else reaches */
				if ((to.kind != ENTRY || to.of != 1) &&
				    array_room(&s->jumped, s->jump_count + 1, &s->jump_room))
					s->jumped[s->jump_count++] = *state;
				return;
			}
			if (xlen == 32)
				next = (uint32_t)next;
		} else if ((bits & ISA_CALL) != 0) {
			after_call(s, state);
			if (never_returns(s->image, isa_target(&insn, pc)))
				return;
		} else
			compute(state, &insn, xlen);
		state->pc = next;
	}
}

static void drain(struct search *s)
{
	while (s->depth > 0 && !s->is_found && !s->is_wrong && !s->no_memory) {
		struct state state = s->stack[--s->depth];
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
static void try_state(struct search *s, const struct state *state, uint64_t pc)
{
	const size_t bytes = s->size / 16 + 1;
	uint8_t *seen = malloc(bytes);
	struct state *copy = malloc(sizeof *copy); /* may be the search's own, which goes on */
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

/* What the function holds when it comes to a place. */
static int find(const struct image *image, uint64_t start, uint64_t goal, bool behind, struct state *found)
{
	struct search s = {.image = image, .start = start, .goal = goal, .behind = behind};
	struct state *entry = calloc(1, sizeof *entry);
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
		entry->r[i] = (struct value){i == 0 ? CONSTANT : ENTRY, (uint8_t)i, 0};
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
	if (s.no_memory)
		return UNWIND_ENOMEM;
	return s.is_found ? UNWIND_OK : UNWIND_ELOST;
}

/* ---------------------------------------------------------------- frames */
/* A word that was sent. Zeros within it were not. */
bool unwind_word(
    const struct image *image, const struct profile_stack *stack, uint64_t address, uint64_t *value, bool *sum)
{
	if (image_xlen(image) == 32)
		address = (uint32_t)address;
	const struct profile_stack_word *w = profile_stack_word(stack, address);
	*sum = w != NULL && w->sum && stack->count > 1;
	*value = w != NULL ? w->value : 0;
	return w != NULL || (stack->word_count > 0 && address > stack->words[0].address &&
				address < stack->words[stack->word_count - 1].address);
}

int unwind_first(const struct image *image, const struct profile_stack *stack, uint64_t slide, struct unwind_frame *f)
{
	*f = (struct unwind_frame){.pc = stack->pc - slide, .known = UINT32_MAX};
	memcpy(f->x, stack->x, sizeof f->x);
	f->sums = stack->count > 1 ? stack->sums : 0;
	return image_whole_function(image, f->pc, &f->address) == NULL ? UNWIND_EOUTSIDE : UNWIND_OK;
}

/* The kernel's frame of a signal, where a handler returns to: pc, x1 to x31 of what was interrupted. */
#define SIGNAL_REGISTERS 304
static bool signal_frame(const struct image *image, const struct profile_stack *stack, uint64_t slide,
    const struct unwind_frame *f, struct unwind_frame *next)
{
	struct unwind_frame to = {.known = UINT32_MAX};
	size_t available;
	for (unsigned i = 0; i < 32; i++) {
		bool sum;
		if (!unwind_word(image, stack, f->cfa + SIGNAL_REGISTERS + i * image_xlen(image) / 8, &to.x[i], &sum))
			return false;
		to.sums |= sum ? 1u << i : 0;
	}
	to.pc = to.x[0] - slide;
	to.x[0] = 0;
	if ((to.sums & 1) != 0 || to.pc % 2 != 0 || image_code(image, to.pc, &available) == NULL || to.x[2] <= f->cfa ||
	    image_whole_function(image, to.pc, &to.address) == NULL)
		return false;
	*next = to;
	return true;
}

struct unwinding {
	const struct image *image;
	const struct profile_stack *stack;
	const struct unwind_frame *frame;
	const struct state *state;
};

/* Of the frame's own function: what a register held at its entry. */
static bool at_entry(const struct unwinding *u, unsigned reg, uint64_t *value, bool *sum)
{
	const struct unwind_frame *f = u->frame;
	const struct state *s = u->state;
	*sum = false;
	for (unsigned i = 1; i < 32; i++) {
		const struct value *v = &s->r[i];
		if (v->kind != ENTRY || v->of != reg || (f->known >> i & 1) == 0 || (f->sums >> i & 1) != 0)
			continue;
		*value = f->x[i] - (uint64_t)v->c;
		return true;
	}
	if (s->r[reg].kind == ENTRY && s->r[reg].of == reg && s->r[reg].c == 0 && (f->known >> reg & 1) != 0) {
		*value = f->x[reg];
		*sum = (f->sums >> reg & 1) != 0;
		return true;
	}
	for (unsigned i = 0; i < s->slot_count; i++) {
		const struct slot *slot = &s->slots[i];
		if (slot->value.kind != ENTRY || slot->value.of != reg || slot->value.c != 0)
			continue;
		uint64_t address = (uint64_t)slot->at + (slot->base == ENTRY ? f->cfa : 0);
		if (unwind_word(u->image, u->stack, address, value, sum))
			return true;
	}
	return false;
}

static bool after_a_call(const struct image *image, uint64_t pc)
{
	struct isa_insn insn;
	for (unsigned length = 2; length <= 4; length += 2) {
		if (image_insn(image, pc - length, 0, &insn) && insn.length == length &&
		    (insn.class_bits & ISA_CALL) != 0)
			return true;
	}
	return false;
}

/* found: the state at the frame's place, of its function. */
static int find_here(const struct image *image, const struct unwind_frame *f, struct state *s)
{
	bool first = f->known == UINT32_MAX;
	return find(image, f->address, f->pc, !first, s);
}

int unwind_next(const struct image *image, const struct profile_stack *stack, uint64_t slide, struct unwind_frame *f,
    struct unwind_frame *next)
{
	uint64_t mask = image_xlen(image) == 32 ? UINT32_MAX : UINT64_MAX;
	struct state *s = malloc(sizeof *s);
	struct unwind_frame to = {0};
	bool sum;
	int error = s == NULL ? UNWIND_ENOMEM : find_here(image, f, s);
	const struct unwinding u = {image, stack, f, s};
	f->cfa = 0;
	if (error == UNWIND_OK && !at_entry(&u, 2, &f->cfa, &sum))
		error = UNWIND_ELOST;
	f->cfa &= mask;
	for (unsigned i = 1; i < 32 && error == UNWIND_OK; i++) {
		if (((CALLEE_SAVED | 2u) >> i & 1) == 0 || i == 2 || !at_entry(&u, i, &to.x[i], &sum))
			continue;
		to.x[i] &= mask;
		to.known |= 1u << i;
		to.sums |= sum ? 1u << i : 0;
	}
	free(s);
	if (error != UNWIND_OK)
		return error;
	if ((to.known & 2) == 0 || (to.sums & 2) != 0)
		return UNWIND_ELOST;
	if (to.x[1] == 0)
		return UNWIND_END;
	to.x[2] = f->cfa;
	to.known |= 4;
	to.pc = (to.x[1] - slide) & mask;
	to.known &= ~2u;
	size_t available;
	if (image_code(image, to.pc, &available) == NULL && image_code(image, to.pc - 2, &available) == NULL)
		return signal_frame(image, stack, slide, f, next) ? UNWIND_OK : UNWIND_EOUTSIDE;
	if (!after_a_call(image, to.pc))
		return UNWIND_ELOST;
	/* a call that never returns may be the last instruction of its function */
	if (image_whole_function(image, to.pc - 1 - (to.pc & 1), &to.address) == NULL)
		return UNWIND_EOUTSIDE;
	*next = to;
	return UNWIND_OK;
}
