/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/grammar.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* How a part of the sequence is described best. split: length of the first of two parts; period: length of what is
 * repeated; both 0: it is one phase. */
struct grammar_choice {
	uint16_t symbols, split, period;
};

struct grammar_search {
	const uint32_t *phase; /* the sequence, without equal neighbours */
	uint32_t count;
	struct grammar_choice *choice; /* [length - 1][first] */
	uint16_t *alike;               /* [first][other]: how many phases from there on are the same */
};

static struct grammar_choice *choice_of(const struct grammar_search *g, uint32_t first, uint32_t length)
{
	return &g->choice[(size_t)(length - 1) * g->count + first];
}

/* Suffixes that begin alike, from the end on: one step more than those behind them. */
static void find_alike(struct grammar_search *g)
{
	const uint32_t n = g->count;
	for (uint32_t a = n; a-- > 0;)
		for (uint32_t b = n; b-- > a + 1;) {
			const uint16_t behind = b + 1 < n ? g->alike[(size_t)(a + 1) * n + b + 1] : 0;
			g->alike[(size_t)a * n + b] = g->phase[a] == g->phase[b] ? (uint16_t)(behind + 1) : 0;
		}
}

static void choose_part(struct grammar_search *g, uint32_t first, uint32_t length)
{
	struct grammar_choice best = {.symbols = UINT16_MAX};

	for (uint32_t period = 1; period <= length / 2; period++) {
		if (length % period != 0 || g->alike[(size_t)first * g->count + first + period] < length - period)
			continue;
		const uint16_t symbols = (uint16_t)(choice_of(g, first, period)->symbols + 1);
		if (symbols < best.symbols)
			best = (struct grammar_choice){.symbols = symbols, .period = (uint16_t)period};
	}

	for (uint32_t split = length - 1; split > 0; split--) { /* what repeats comes first */
		const uint16_t symbols = (uint16_t)(choice_of(g, first, split)->symbols +
						    choice_of(g, first + split, length - split)->symbols);
		if (symbols < best.symbols)
			best = (struct grammar_choice){.symbols = symbols, .split = (uint16_t)split};
	}
	*choice_of(g, first, length) = best;
}

static void choose_all(struct grammar_search *g)
{
	for (uint32_t first = 0; first < g->count; first++)
		*choice_of(g, first, 1) = (struct grammar_choice){.symbols = 1};
	for (uint32_t length = 2; length <= g->count; length++)
		for (uint32_t first = 0; first + length <= g->count; first++)
			choose_part(g, first, length);
}

/* As deep as repetitions and splits nest: at most as many calls as the part has phases. */
static void write_grammar_part(
    const struct grammar_search *g, uint32_t first, uint32_t length, struct phase_grammar *out)
{
	const struct grammar_choice *c = choice_of(g, first, length);
	if (c->period != 0) {
		out->item[out->count++] = (struct phase_grammar_item){GRAMMAR_OPEN, 0};
		write_grammar_part(g, first, c->period, out);
		out->item[out->count++] = (struct phase_grammar_item){GRAMMAR_CLOSE, length / c->period};
	} else if (c->split != 0) {
		write_grammar_part(g, first, c->split, out);
		write_grammar_part(g, first + c->split, length - c->split, out);
	} else {
		out->item[out->count++] = (struct phase_grammar_item){GRAMMAR_PHASE, g->phase[first]};
	}
}

int phase_grammar_make(struct phase_grammar *grammar, const struct segments *segments)
{
	uint32_t *phase = calloc((size_t)segments->count + 1, sizeof *phase);
	struct grammar_search g = {.phase = phase};
	*grammar = (struct phase_grammar){0};
	for (uint32_t i = 0; phase != NULL && i < segments->count; i++)
		if (g.count == 0 || phase[g.count - 1] != segments->segment[i].phase)
			phase[g.count++] = segments->segment[i].phase;
	if (g.count == 0 || g.count > PHASE_GRAMMAR_LONGEST) {
		free(phase);
		return phase == NULL ? PHASES_ENOMEM : PHASES_OK;
	}

	g.choice = calloc((size_t)g.count * g.count, sizeof *g.choice);
	g.alike = calloc((size_t)g.count * g.count, sizeof *g.alike);
	grammar->item = calloc(3 * (size_t)g.count, sizeof *grammar->item); /* a repetition has two phases or more */
	const bool ok = g.choice != NULL && g.alike != NULL && grammar->item != NULL;
	if (ok) {
		find_alike(&g);
		choose_all(&g);
		grammar->symbols = choice_of(&g, 0, g.count)->symbols;
		write_grammar_part(&g, 0, g.count, grammar);
	} else {
		phase_grammar_free(grammar);
	}
	free(g.choice);
	free(g.alike);
	free(phase);
	return ok ? PHASES_OK : PHASES_ENOMEM;
}

void phase_grammar_free(struct phase_grammar *grammar)
{
	free(grammar->item);
	*grammar = (struct phase_grammar){0};
}

size_t phase_grammar_text(const struct phase_grammar *grammar, char *text, size_t room)
{
	size_t at = 0;
	unsigned depth = grammar->depth;
	bool behind = false; /* something stands before it that a space must part it from */
	if (room > 0)
		text[0] = '\0';
	for (size_t i = 0; i < grammar->count; i++) {
		const struct phase_grammar_item *item = &grammar->item[i];
		char word[PHASE_NAME_MAX + 16], name[PHASE_NAME_MAX];
		if (item->kind == GRAMMAR_CLOSE) {
			depth--;
			snprintf(word, sizeof word, "%s^%" PRIu32, depth % 2 == 0 ? "]" : ")", item->value);
		} else if (item->kind == GRAMMAR_OPEN) {
			snprintf(word, sizeof word, "%s%s", behind ? " " : "", depth % 2 == 0 ? "[" : "(");
			depth++;
		} else {
			phase_name(item->value, name);
			snprintf(word, sizeof word, "%s%s", behind ? " " : "", name);
		}
		behind = item->kind != GRAMMAR_OPEN;
		at += (size_t)snprintf(at < room ? text + at : NULL, at < room ? room - at : 0, "%s", word);
	}
	return at;
}
