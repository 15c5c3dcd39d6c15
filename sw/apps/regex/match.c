/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <string.h>

#include "private.h"

/* Threads in the order of their preference, each place of the code at most once. */
struct list {
	uint16_t count;
	uint16_t pc[REGEX_CODE];
};

struct machine {
	const struct regex *regex;
	size_t size, at;
	uint8_t seen[REGEX_CODE]; /* generation in which the place was added last */
	uint8_t generation;
};

/* Adds the places that are reached from pc without a character. */
static void follow(struct machine *m, struct list *list, uint16_t pc)
{
	while (m->seen[pc] != m->generation) {
		m->seen[pc] = m->generation;
		const struct regex_insn *insn = &m->regex->code[pc];
		switch (insn->op) {
		case REGEX_JUMP:
			pc = insn->x;
			break;
		case REGEX_SPLIT:
			follow(m, list, insn->x);
			pc = insn->y;
			break;
		case REGEX_BEGIN:
			if (m->at != 0)
				return;
			pc++;
			break;
		case REGEX_END:
			if (m->at != m->size)
				return;
			pc++;
			break;
		default:
			list->pc[list->count++] = pc;
			return;
		}
	}
}

static void next_generation(struct machine *m)
{
	if (++m->generation == 0) {
		memset(m->seen, 0, sizeof m->seen);
		m->generation = 1;
	}
}

long regex_match_threads(const struct regex *regex, const char *text, size_t size, size_t from)
{
	static struct list lists[2];
	static struct machine m;
	struct list *now = &lists[0], *then = &lists[1];
	long end = -1;
	memset(&m, 0, sizeof m);
	m.regex = regex;
	m.size = size;
	m.at = from;
	m.generation = 1;
	now->count = 0;
	follow(&m, now, 0);
	for (size_t at = from; now->count; at++) {
		then->count = 0;
		next_generation(&m);
		m.at = at + 1;
		for (uint16_t i = 0; i < now->count; i++) {
			const struct regex_insn *insn = &regex->code[now->pc[i]];
			if (insn->op == REGEX_MATCH) {
				end = (long)at; /* threads behind this one are less preferred */
				break;
			}
			if (at < size && regex_takes(regex, insn, (uint8_t)text[at]))
				follow(&m, then, (uint16_t)(now->pc[i] + 1));
		}
		struct list *swap = now;
		now = then;
		then = swap;
	}
	return end;
}

/* Each pair of place and position is tried once, so time is bounded by their product. */
#define SPAN 96
struct search {
	const struct regex *regex;
	const char *text;
	size_t size, from;
	uint8_t tried[REGEX_CODE][SPAN / 8 + 1];
};

static long backtrack(struct search *s, uint16_t pc, size_t at)
{
	for (;;) {
		size_t span = at - s->from;
		if (span >= SPAN || s->tried[pc][span >> 3] >> (span & 7) & 1)
			return -1;
		s->tried[pc][span >> 3] |= (uint8_t)(1u << (span & 7));
		const struct regex_insn *insn = &s->regex->code[pc];
		switch (insn->op) {
		case REGEX_MATCH:
			return (long)at;
		case REGEX_JUMP:
			pc = insn->x;
			continue;
		case REGEX_SPLIT: {
			long end = backtrack(s, insn->x, at);
			if (end >= 0)
				return end;
			pc = insn->y;
			continue;
		}
		case REGEX_BEGIN:
			if (at != 0)
				return -1;
			break;
		case REGEX_END:
			if (at != s->size)
				return -1;
			break;
		default:
			if (at == s->size || !regex_takes(s->regex, insn, (uint8_t)s->text[at]))
				return -1;
			at++;
		}
		pc++;
	}
}

long regex_match_backtrack(const struct regex *regex, const char *text, size_t size, size_t from)
{
	static struct search s;
	s.regex = regex;
	s.text = text;
	s.size = size;
	s.from = from;
	memset(s.tried, 0, (size_t)regex->size * sizeof s.tried[0]);
	return backtrack(&s, 0, from);
}
