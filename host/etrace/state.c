/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/etrace/state.h"

#include <string.h>

#define WEAKLY_NOT_TAKEN 1

void etrace_state_reset(struct etrace_state *state, const struct etrace_layout *layout)
{
	state->layout = layout;
	memset(state->predictor, WEAKLY_NOT_TAKEN, (size_t)1 << layout->predictor);
	for (size_t i = 0; i < (size_t)1 << layout->cache; i++)
		state->cache[i] = ETRACE_NO_TARGET;
	state->top = state->depth = 0;
}

static unsigned table_slot(const struct etrace_state *state, uint64_t address, unsigned bits)
{
	return (unsigned)(address >> state->layout->shift) & ((1u << bits) - 1);
}

bool etrace_predict(const struct etrace_state *state, uint64_t pc)
{
	return state->predictor[table_slot(state, pc, state->layout->predictor)] >> 1;
}

void etrace_train(struct etrace_state *state, uint64_t pc, bool taken)
{
	static const uint8_t next[4][2] = {{0, 1}, {0, 3}, {0, 3}, {2, 3}};
	uint8_t *entry = &state->predictor[table_slot(state, pc, state->layout->predictor)];
	*entry = next[*entry][taken];
}

unsigned etrace_index(const struct etrace_state *state, uint64_t target)
{
	return table_slot(state, target, state->layout->cache);
}

uint64_t *etrace_place(struct etrace_state *state, uint64_t target)
{
	return &state->cache[etrace_index(state, target)];
}

static unsigned table_entries(const struct etrace_state *state)
{
	const struct etrace_layout *l = state->layout;
	return l->stack > 0 ? 1u << l->stack : (1u << l->counter) - 1; /* irdepth has counter bits: no more fits */
}

void etrace_push(struct etrace_state *state, uint64_t address)
{
	unsigned size = table_entries(state);
	state->stack[state->top++ % size] = address;
	state->depth += state->depth < size;
}

uint64_t etrace_top(const struct etrace_state *state)
{
	return state->stack[(state->top - 1) % table_entries(state)];
}

void etrace_pop(struct etrace_state *state)
{
	state->top--;
	state->depth--;
}
