/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/mcdc/vectors.h"

#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

#define OPEN_MAX 65536u /* evaluations under way; older ones were left by a jump out of a call */

struct mcdc_open {
	uint32_t decision;
	uint64_t context;
	int next;
	bool echo; /* the decision is known, and the last branch is to say it once more */
	struct mcdc_vector vector;
};

int mcdc_vectors_init(struct mcdc_vectors *vectors, const struct mcdc_mapping *mapping)
{
	*vectors = (struct mcdc_vectors){.mapping = mapping};
	vectors->told = calloc(mapping->count + 1, sizeof *vectors->told);
	return vectors->told == NULL ? MCDC_ENOMEM : MCDC_OK;
}

void mcdc_vectors_free(struct mcdc_vectors *vectors)
{
	for (size_t i = 0; vectors->told != NULL && i < vectors->mapping->count; i++)
		free(vectors->told[i].vectors);
	free(vectors->told);
	free(vectors->open);
	*vectors = (struct mcdc_vectors){0};
}

void mcdc_vectors_cut(struct mcdc_vectors *vectors)
{
	vectors->open_count = 0;
}

static int take_vector(struct mcdc_told *told, const struct mcdc_vector *vector)
{
	told->evaluations++;
	for (size_t i = 0; i < told->count; i++) {
		struct mcdc_vector *known = &told->vectors[i];
		if (known->values == vector->values && known->evaluated == vector->evaluated) {
			known->count++;
			return MCDC_OK;
		}
	}
	if (!array_room(&told->vectors, told->count + 1, &told->room))
		return MCDC_ENOMEM;
	told->vectors[told->count] = *vector;
	told->vectors[told->count++].count = 1;
	return MCDC_OK;
}

/* The latest evaluation of the decision in the same context; open_count: none. */
static size_t find_open(const struct mcdc_vectors *vectors, uint32_t decision, uint64_t context)
{
	for (size_t i = vectors->open_count; i > 0; i--) {
		if (vectors->open[i - 1].decision == decision && vectors->open[i - 1].context == context)
			return i - 1;
	}
	return vectors->open_count;
}

static void drop_open(struct mcdc_vectors *vectors, size_t index)
{
	memmove(&vectors->open[index], &vectors->open[index + 1],
	    (vectors->open_count - index - 1) * sizeof *vectors->open);
	vectors->open_count--;
}

/* A new evaluation begins; its index. An earlier one of the same context was left: a call in a condition did not come
 * back. */
static int begin_open(struct mcdc_vectors *vectors, uint32_t decision, uint64_t context, size_t *index)
{
	size_t before = find_open(vectors, decision, context);
	if (before < vectors->open_count) {
		vectors->told[decision].astray += vectors->open[before].echo;
		drop_open(vectors, before);
	}
	if (vectors->open_count == OPEN_MAX)
		drop_open(vectors, 0);
	if (!array_room(&vectors->open, vectors->open_count + 1, &vectors->open_room))
		return MCDC_ENOMEM;
	*index = vectors->open_count++;
	vectors->open[*index] = (struct mcdc_open){.decision = decision, .context = context};
	return MCDC_OK;
}

/* The value of the condition that was expected. */
static int take_condition(struct mcdc_vectors *vectors, size_t at, const struct mcdc_branch *branch, bool taken)
{
	struct mcdc_open *open = &vectors->open[at];
	const struct mcdc_decision *decision = &vectors->mapping->decisions[branch->decision];
	const struct mcdc_condition *condition = &decision->conditions[branch->condition];
	bool value = taken == branch->taken_is_true;
	open->vector.evaluated |= 1u << branch->condition;
	open->vector.values |= value ? 1u << branch->condition : 0;
	open->next = value ? condition->if_true : condition->if_false;
	if (open->next >= 0)
		return MCDC_OK;
	open->vector.outcome = open->next == MCDC_TRUE;
	struct mcdc_vector vector = open->vector;
	open->echo = (branch->echo & (taken ? MCDC_ECHO_TAKEN : MCDC_ECHO_NOT_TAKEN)) != 0;
	open->next = (int)decision->count - 1;
	if (!open->echo)
		drop_open(vectors, at);
	return take_vector(&vectors->told[branch->decision], &vector);
}

int mcdc_vectors_branch(struct mcdc_vectors *vectors, const struct mcdc_branch *branch, uint64_t context, bool taken)
{
	struct mcdc_told *told = &vectors->told[branch->decision];
	size_t at;
	if (branch->condition == 0) {
		int error = begin_open(vectors, branch->decision, context, &at);
		return error != MCDC_OK ? error : take_condition(vectors, at, branch, taken);
	}
	at = find_open(vectors, branch->decision, context);
	bool expected = at < vectors->open_count && vectors->open[at].next == branch->condition;
	if (expected && !vectors->open[at].echo)
		return take_condition(vectors, at, branch, taken);
	if (!expected || vectors->open[at].vector.outcome != (taken == branch->taken_is_true))
		told->astray++;
	if (at < vectors->open_count)
		drop_open(vectors, at);
	return MCDC_OK;
}

/* ---- MC/DC ---- */

/* What the decision would be with these values. */
static bool evaluate_decision(const struct mcdc_decision *decision, uint32_t values)
{
	int at = 0;
	while (at >= 0) {
		const struct mcdc_condition *condition = &decision->conditions[at];
		at = (values >> at & 1) != 0 ? condition->if_true : condition->if_false;
	}
	return at == MCDC_TRUE;
}

/* Whether the outcome stays when a condition that was evaluated is different, whatever those not evaluated are: then it
 * was masked. */
static bool is_masked(const struct mcdc_decision *decision, const struct mcdc_vector *vector, unsigned condition)
{
	uint32_t open = ~vector->evaluated & ((1u << decision->count) - 1), values = 0;
	do { /* each choice of those not evaluated */
		if (evaluate_decision(decision, (vector->values | values) ^ 1u << condition) != vector->outcome)
			return false;
		values = (values - open) & open;
	} while (values != 0);
	return true;
}

/*
 * An example: a && b, of which the second is evaluated only if the first is true.
 *
 *   vectors   TT: true      TF and TT differ in b, and so do their outcomes          b is covered
 *             TF: false     F- and TT: of what both evaluated only a differs         a is covered
 *             F-: false     F- and TF have the same outcome: they say nothing
 */
static void judge_pair(const struct mcdc_decision *decision, struct mcdc_told *told, const struct mcdc_vector *a,
    const struct mcdc_vector *b)
{
	uint32_t differ = (a->values ^ b->values) & a->evaluated & b->evaluated;
	if (a->outcome == b->outcome)
		return;
	if (differ != 0 && (differ & (differ - 1)) == 0)
		told->unique |= differ;
	for (unsigned i = 0; i < decision->count; i++) {
		if ((differ >> i & 1) != 0 && !is_masked(decision, a, i) && !is_masked(decision, b, i))
			told->masking |= 1u << i;
	}
}

void mcdc_vectors_judge(struct mcdc_vectors *vectors)
{
	for (size_t i = 0; i < vectors->mapping->count; i++) {
		struct mcdc_told *told = &vectors->told[i];
		told->unique = told->masking = 0;
		for (size_t a = 0; a < told->count; a++) {
			for (size_t b = 0; b < a; b++)
				judge_pair(&vectors->mapping->decisions[i], told, &told->vectors[a], &told->vectors[b]);
		}
	}
}

void mcdc_vector_text(const struct mcdc_vector *vector, unsigned count, char *text)
{
	for (unsigned i = 0; i < count; i++) {
		char value = (vector->values >> i & 1) != 0 ? 'T' : 'F';
		text[i] = (vector->evaluated >> i & 1) != 0 ? value : '-';
	}
	text[count] = '\0';
}
