/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Abstract codes into instructions. */
#include "host/insert/inserter_private.h"

#define RA 1u
#define SP 2u
#define NONE WORDS_NONE

/* ---------------------------------------------------------------- calls of the runtime */
void words_runtime_call(struct words *o, const struct inserter_code *c, uint32_t live)
{
	const struct inserter *in = o->in;
	bool hook = c->op != INSERTER_CALL;
	static const uint8_t hooked[INSERTER_ARGUMENTS] = {6, 7, 28, 29};
	unsigned link = hook ? 5 : 1, returned = hook ? 6 : 10;
	uint32_t changes = hook ? HOOK_CHANGES : GRAPH_CALLER_SAVED | 2u;
	uint32_t keep = (live | in->f->kept | inserter_held(in, o->block, o->to)) & changes;
	int32_t bytes = 0;
	unsigned result = c->var != INSERTER_NO_VARIABLE && in_register(in, c->var) ? in->variables[c->var].reg : NONE;
	for (unsigned x = 1; x < 32; x++) {
		if ((keep >> x & 1) == 0)
			continue;
		o->saved[x] = (uint32_t)bytes;
		bytes += (int32_t)in->word;
	}
	bytes = (bytes + 15) / 16 * 16;
	words_stack(o, -bytes);
	for (unsigned x = 1; x < 32; x++) {
		if ((keep >> x & 1) == 0)
			continue;
		words_put(o, store_op(in), 0, SP, x, (int32_t)o->saved[x]);
		o->saved[x] -= (uint32_t)o->pushed; /* words_get() adds all that is pushed */
	}
	o->saved_low = keep;
	for (unsigned i = 0; i < c->argument_count; i++) {
		const struct inserter_argument *a = &c->arguments[i];
		unsigned to = hook ? hooked[i] : 10 + i;
		if (a->kind == INSERTER_CONSTANT)
			words_constant(o, to, a->value);
		else if (a->kind == INSERTER_ADDRESS)
			words_address(o, to, a->symbol, a->value);
		else {
			unsigned reg = words_get(o, (unsigned)a->value, to);
			if (c->op == INSERTER_BUCKET && i == 0)
				bucket_number(o, c, to, reg, 7);
			else if (reg != to)
				words_put(o, ISA_ADDI, to, reg, 0, 0);
		}
	}
	words_call(o, link, c->symbol);
	o->saved_low = 0;
	if (c->var != INSERTER_NO_VARIABLE) {
		if (result != NONE && (keep >> result & 1) != 0)
			words_put(o, store_op(in), 0, SP, returned, (int32_t)o->saved[result] + o->pushed);
		else
			words_set(o, c->var, returned);
	}
	for (unsigned x = 1; x < 32; x++) {
		if ((keep >> x & 1) != 0)
			words_put(o, load_op(in), x, SP, 0, (int32_t)o->saved[x] + o->pushed);
	}
	words_stack(o, bytes);
}

/* ---------------------------------------------------------------- one code */
bool words_read_from(unsigned op)
{
	switch (op) {
	case INSERTER_COUNT_FROM:
	case INSERTER_COUNT_AT_FROM:
	case INSERTER_COUNT_TURNS:
	case INSERTER_MOVE:
	case INSERTER_ADD_FROM:
	case INSERTER_SUB_FROM:
	case INSERTER_TAKE_FROM:
	case INSERTER_STORE:
	case INSERTER_MEMORY_ADD_FROM:
		return true;
	default:
		return false;
	}
}

/* s[0] only for a slot or a far one. */
static unsigned count_at_needs(const struct inserter *in, const struct inserter_code *c)
{
	bool carries = in->width == 8 && in->word == 4, far = !fits_twelve_bits(c->value * (int64_t)in->width);
	if (c->op != INSERTER_COUNT_AT)
		return carries || !fits_twelve_bits(c->by) ? 3 : 2;
	return far || !in_register(in, c->var) || in->atomic ? 2 : 1;
}

/* Scratch registers that a code needs; the value of `from`, if it is not in a register, is in the last of them. */
unsigned words_need(const struct inserter *in, const struct inserter_code *c)
{
	bool carries = in->width == 8 && in->word == 4;
	bool outside = words_read_from(c->op) && (!in_register(in, c->from) || c->from == INSERTER_X(SP));
	unsigned more = outside ? 1 : 0;
	int64_t bytes = c->value * (int64_t)in->width;
	switch (c->op) {
	case INSERTER_COUNT_TURNS:
		return 1 + (in_register(in, c->var) ? 0u : 1u) + more;
	case INSERTER_COUNT:
		return 2;
	case INSERTER_COUNT_BY:
		return carries || !fits_twelve_bits(c->by) ? 3 : 2;
	case INSERTER_COUNT_FROM:
		return (carries ? 3 : 2) + more;
	case INSERTER_COUNT_AT:
	case INSERTER_COUNT_AT_BY:
	case INSERTER_COUNT_AT_FROM:
		return count_at_needs(in, c) + more;
	case INSERTER_SET_COUNTER:
		return (in_register(in, c->var) ? 0u : 1u) + (in->thread != 0 ? 1u : 0u);
	case INSERTER_SET:
	case INSERTER_SET_SYMBOL:
	case INSERTER_MOVE:
	case INSERTER_SHIFT:
	case INSERTER_READ_CSR:
	case INSERTER_LOAD:
		return 1 - (in_register(in, c->var) ? 1u : 0u) + more;
	case INSERTER_ADD_COUNTERS:
		return (fits_twelve_bits(bytes) ? 0u : 1u) + (in_register(in, c->var) ? 0u : 1u);
	case INSERTER_ADD:
		return (fits_twelve_bits(c->value) ? 0u : 1u) + (in_register(in, c->var) ? 0u : 1u);
	case INSERTER_ADD_FROM:
	case INSERTER_SUB_FROM:
	case INSERTER_TAKE_FROM:
		return (in_register(in, c->var) ? 0u : 1u) + more;
	case INSERTER_BUCKET:
		return bucket_at_hand(in, c) ? 2 : 3;
	case INSERTER_SWITCH:
		return 1;
	case INSERTER_SINCE_CSR:
		return in_register(in, c->var) ? 1 : 2;
	case INSERTER_STORE:
		return 1 + more;
	case INSERTER_MEMORY_ADD:
		return fits_twelve_bits(c->by) ? 2 : 3;
	case INSERTER_MEMORY_ADD_FROM:
		return 2 + more;
	case INSERTER_CONTEXT_ENTER:
	case INSERTER_CONTEXT_CALL:
	case INSERTER_CONTEXT_LEAVE:
	case INSERTER_CONTEXT_AGAIN:
	case INSERTER_ADD_BYTES:
	case INSERTER_ADD_BYTES_SIGNED:
		return context_needs(in, c);
	default:
		return 0;
	}
}

static void put_code(struct words *o, const struct inserter_code *c, uint32_t live)
{
	const uint32_t *s = o->scratch;
	unsigned need = words_need(o->in, c), from = NONE, var = NONE;
	int64_t bytes = c->value * (int64_t)o->in->width;
	uint32_t shifted[SCRATCH_MAX] = {s[0], s[0], s[1], s[2]};
	if (c->op == INSERTER_MOVE && c->value == 0 && in_register(o->in, c->var)) /* right into it */
		from = words_get(o, c->from, o->in->variables[c->var].reg);
	else if (words_read_from(c->op))
		from = words_get(o, c->from, need > 0 ? s[need - 1] : NONE);
	switch (c->op) {
	case INSERTER_COUNT:
		counter_add(o, c->value, 1, NONE, s);
		break;
	case INSERTER_COUNT_BY:
		counter_add(o, c->value, c->by, NONE, s);
		break;
	case INSERTER_COUNT_FROM:
		counter_add(o, c->value, 0, from, s);
		break;
	case INSERTER_COUNT_TURNS:
		counter_turns(o, c, from, s);
		break;
	case INSERTER_COUNT_AT:
		counter_add_by(o, c->var, c->value, 1, NONE, need == 1 ? shifted : s);
		break;
	case INSERTER_COUNT_AT_BY:
		counter_add_by(o, c->var, c->value, c->by, NONE, s);
		break;
	case INSERTER_COUNT_AT_FROM:
		counter_add_by(o, c->var, c->value, 0, from, s);
		break;
	case INSERTER_SET_COUNTER:
		var = words_target(o, c->var, s[0]);
		counter_array(o, var, bytes, c->symbol);
		if (o->in->thread != 0)
			counter_thread(o, var, s[need - 1]);
		words_set(o, c->var, var);
		break;
	case INSERTER_SET_SYMBOL:
		var = words_target(o, c->var, s[0]);
		words_address(o, var, c->symbol, c->value);
		words_set(o, c->var, var);
		break;
	case INSERTER_SET:
		var = words_target(o, c->var, s[0]);
		words_constant(o, var, c->value);
		words_set(o, c->var, var);
		break;
	case INSERTER_ADD_COUNTERS:
	case INSERTER_ADD:
		var = words_get(o, c->var, s[0]);
		words_add(o, var, var, c->op == INSERTER_ADD ? c->value : bytes, need > 0 ? s[need - 1] : NONE);
		words_set(o, c->var, var);
		break;
	case INSERTER_MOVE:
		var = c->value == 0 ? from : words_target(o, c->var, s[0]);
		if (c->value != 0)
			words_put(o, ISA_ADDI, var, from, 0, (int32_t)c->value);
		words_set(o, c->var, var);
		break;
	case INSERTER_ADD_FROM:
	case INSERTER_SUB_FROM:
		var = words_get(o, c->var, s[0]);
		words_put(o, c->op == INSERTER_ADD_FROM ? ISA_ADD : ISA_SUB, var, var, from, 0);
		words_set(o, c->var, var);
		break;
	case INSERTER_TAKE_FROM:
		var = words_get(o, c->var, s[0]);
		words_put(o, ISA_SUB, var, from, var, 0);
		words_set(o, c->var, var);
		break;
	case INSERTER_SHIFT:
		var = words_get(o, c->var, s[0]);
		words_put(
		    o, c->value < 0 ? ISA_SLLI : ISA_SRLI, var, var, 0, (int32_t)(c->value < 0 ? -c->value : c->value));
		words_set(o, c->var, var);
		break;
	case INSERTER_KEEP_RETURN:
		words_put(o, ISA_ADDI, SP, SP, 0, -16);
		words_put(o, store_op(o->in), 0, SP, RA, 16 - (int32_t)o->in->word);
		break;
	case INSERTER_LEND:
	case INSERTER_GIVE_BACK:
		words_slot(o, c->var, c->op == INSERTER_LEND, o->in->variables[c->var].reg);
		break;
	case INSERTER_SINCE_CSR:
		words_put(o, ISA_CSRRS, s[need - 1], 0, 0, (int32_t)c->value);
		var = words_get(o, c->var, s[0]);
		words_put(o, ISA_SUB, var, s[need - 1], var, 0);
		words_set(o, c->var, var);
		break;
	case INSERTER_READ_CSR:
		var = words_target(o, c->var, s[0]);
		words_put(o, ISA_CSRRS, var, 0, 0, (int32_t)c->value);
		words_set(o, c->var, var);
		break;
	case INSERTER_LOAD: {
		var = words_target(o, c->var, s[0]);
		size_t high = words_high(o, var, c->symbol, c->value);
		words_low(o, words_open(o, load_op(o->in), var, var, 0), high, false, c->symbol, c->value);
		words_set(o, c->var, var);
		break;
	}
	case INSERTER_STORE: {
		size_t high = words_high(o, s[0], c->symbol, c->value);
		words_low(o, words_open(o, store_op(o->in), 0, s[0], from), high, true, c->symbol, c->value);
		break;
	}
	case INSERTER_MEMORY_ADD:
		counter_memory(o, c, NONE, s);
		break;
	case INSERTER_MEMORY_ADD_FROM:
		counter_memory(o, c, from, s);
		break;
	case INSERTER_BUCKET:
		bucket_put(o, c, live);
		break;
	case INSERTER_CONTEXT_ENTER:
	case INSERTER_CONTEXT_CALL:
	case INSERTER_CONTEXT_LEAVE:
	case INSERTER_CONTEXT_AGAIN:
	case INSERTER_ADD_BYTES:
	case INSERTER_ADD_BYTES_SIGNED:
		context_put(o, c, live);
		break;
	case INSERTER_SWITCH:
		switch_put(o, c);
		break;
	case INSERTER_CALL:
	case INSERTER_HOOK:
		words_runtime_call(o, c, live);
		break;
	default:
		o->full = true;
		break;
	}
}

/* count[r + x]++; r = y with the address' upper part between load and addition, which would wait for each other. */
static bool count_and_set(struct words *o, const struct inserter_code *count, const struct inserter_code *set_to)
{
	const struct inserter *in = o->in;
	int64_t bytes = count->value * (int64_t)in->width;
	if (count->op != INSERTER_COUNT_AT || set_to->op != INSERTER_SET_COUNTER || set_to->var != count->var ||
	    !in_register(in, count->var) || !fits_twelve_bits(bytes) || in->width != in->word || in->atomic ||
	    in->thread != 0)
		return false;
	unsigned r = in->variables[count->var].reg;
	const uint32_t *s = o->scratch;
	int64_t to = set_to->value * (int64_t)in->width;
	words_put(o, load_op(in), s[0], r, 0, (int32_t)bytes);
	o->array = (uint8_t)(INSERTER_TAG_ARRAY + set_to->symbol);
	size_t high = words_high(o, s[1], in->counters, to);
	words_put(o, ISA_ADDI, s[0], s[0], 0, 1);
	words_put(o, store_op(in), 0, r, s[0], (int32_t)bytes);
	words_low(o, words_open(o, ISA_ADDI, r, s[1], 0), high, false, in->counters, to);
	o->array = 0;
	return true;
}

/* A register without which there would be too few, saved or restored: in the frame's padding, or on top of the
 * stack. */
static void put_spilled(struct words *o, bool save, unsigned reg, unsigned number, bool padding)
{
	int32_t displacement = (int32_t)(o->in->word * number);
	unsigned base = SP;
	if (padding)
		base = frame_base(o->in, o->block, o->atom, (o->in->frame_words + number) * o->in->word, &displacement);
	if (save)
		words_put(o, store_op(o->in), 0, base, reg, displacement);
	else
		words_put(o, load_op(o->in), reg, base, 0, displacement);
}

void words_codes(struct words *o, const struct inserter_code *codes, size_t count, uint32_t live)
{
	const struct inserter *in = o->in;
	struct scratch_found scratch;
	scratch_find(o, codes, count, live, &scratch);
	o->scratch_count = scratch.found + scratch.spilled;
	const unsigned found = scratch.found, spilled = scratch.spilled;
	const uint32_t read = scratch.read;
	/* the frame's padding is room enough, as a rule */
	bool padding = spilled > 0 && frame_padding((struct inserter *)(uintptr_t)in) >= spilled;
	int32_t bytes = padding ? 0 : (int32_t)((spilled * in->word + 15) / 16 * 16);
	if (spilled > 0) {
		words_stack(o, -bytes);
		for (unsigned i = 0; i < spilled; i++)
			put_spilled(o, true, o->scratch[found + i], i, padding);
		((struct inserter *)(uintptr_t)in)->spilled++;
	}
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && found >= 2 && count_and_set(o, &codes[i], &codes[i + 1]))
			i++;
		else
			put_code(o, &codes[i], live | read);
	}
	if (spilled > 0) {
		for (unsigned i = 0; i < spilled; i++)
			put_spilled(o, false, o->scratch[found + i], i, padding);
		words_stack(o, bytes);
	}
}

void words_frame(struct words *o, bool begin)
{
	const struct inserter *in = o->in;
	int32_t bytes = (int32_t)frame_bytes(in);
	if (begin)
		words_put(o, ISA_ADDI, SP, SP, 0, -bytes)->unwind = EDIT_SAID | EDIT_FRAMED;
	for (unsigned i = 0; i < in->variable_count; i++) {
		const struct variable *v = &in->variables[i];
		if (v->kind == INSERTER_SAVED && begin)
			words_put(o, store_op(in), 0, SP, v->reg, (int32_t)v->at);
		else if (v->kind == INSERTER_SAVED)
			words_put(o, load_op(in), v->reg, SP, 0, (int32_t)v->at);
	}
	if (begin && !o->full)
		o->w[o->count - 1].unwind = EDIT_SAID | EDIT_FRAMED | EDIT_KEPT;
	else if (!begin)
		words_put(o, ISA_ADDI, SP, SP, 0, bytes)->unwind = EDIT_SAID;
}
