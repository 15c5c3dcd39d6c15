/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Recursive descent: alternation of sequences of repeated atoms. Code is emitted in order; a split that must stand
 * before what is there already moves it up. */
#include <string.h>

#include "private.h"

struct compiler {
	struct regex *regex;
	const char *at;
	bool failed;
};

static uint16_t emit(struct compiler *c, uint8_t op, uint8_t a, unsigned x, unsigned y)
{
	if (c->regex->size == REGEX_CODE) {
		c->failed = true;
		return 0;
	}
	c->regex->code[c->regex->size] = (struct regex_insn){op, a, (uint16_t)x, (uint16_t)y};
	return c->regex->size++;
}

/* Makes room for one instruction at start; jumps at or behind it move along. */
static void make_room(struct compiler *c, uint16_t start)
{
	struct regex *r = c->regex;
	if (r->size == REGEX_CODE) {
		c->failed = true;
		return;
	}
	memmove(r->code + start + 1, r->code + start, (size_t)(r->size - start) * sizeof *r->code);
	r->size++;
	for (uint16_t i = start + 1; i < r->size; i++) {
		struct regex_insn *insn = &r->code[i];
		if (insn->op != REGEX_SPLIT && insn->op != REGEX_JUMP)
			continue;
		insn->x = (uint16_t)(insn->x + (insn->x >= start));
		insn->y = (uint16_t)(insn->y + (insn->y >= start));
	}
}

static void add(uint8_t set[32], unsigned from, unsigned to)
{
	for (unsigned i = from; i <= to; i++)
		set[i >> 3] |= (uint8_t)(1u << (i & 7));
}

static bool add_escape(uint8_t set[32], char name)
{
	switch (name) {
	case 'd':
		add(set, '0', '9');
		return true;
	case 'w':
		add(set, '0', '9');
		add(set, 'a', 'z');
		add(set, 'A', 'Z');
		add(set, '_', '_');
		return true;
	case 's':
		add(set, '\t', '\r');
		add(set, ' ', ' ');
		return true;
	default:
		return false;
	}
}

static uint8_t *new_class(struct compiler *c, uint8_t *index)
{
	static uint8_t spare[32];
	if (c->regex->class_count == REGEX_CLASSES) {
		c->failed = true;
		return spare;
	}
	*index = c->regex->class_count++;
	return memset(c->regex->classes[*index], 0, 32);
}

static void bracket(struct compiler *c)
{
	uint8_t index = 0;
	uint8_t *set = new_class(c, &index);
	bool negated = *c->at == '^';
	c->at += negated;
	while (*c->at && *c->at != ']') {
		uint8_t from = (uint8_t)*c->at++;
		if (from == '\\' && *c->at) {
			if (add_escape(set, *c->at)) {
				c->at++;
				continue;
			}
			from = (uint8_t)*c->at++;
		}
		uint8_t to = from;
		if (c->at[0] == '-' && c->at[1] && c->at[1] != ']') {
			to = (uint8_t)c->at[1];
			c->at += 2;
		}
		c->failed |= to < from;
		add(set, from, to);
	}
	if (*c->at != ']')
		c->failed = true;
	else
		c->at++;
	for (int i = 0; negated && i < 32; i++)
		set[i] = (uint8_t)~set[i];
	emit(c, REGEX_CLASS, index, 0, 0);
}

static void alternation(struct compiler *c);

static void atom(struct compiler *c)
{
	uint8_t index = 0;
	char ch = *c->at++;
	switch (ch) {
	case '(':
		alternation(c);
		if (*c->at != ')')
			c->failed = true;
		else
			c->at++;
		break;
	case '[':
		bracket(c);
		break;
	case '.':
		emit(c, REGEX_ANY, 0, 0, 0);
		break;
	case '^':
		emit(c, REGEX_BEGIN, 0, 0, 0);
		break;
	case '$':
		emit(c, REGEX_END, 0, 0, 0);
		break;
	case '*':
	case '+':
	case '?':
		c->failed = true; /* nothing to repeat */
		break;
	case '\\':
		ch = *c->at;
		if (ch == '\0') {
			c->failed = true;
			break;
		}
		c->at++;
		if (ch == 'd' || ch == 'w' || ch == 's')
			emit(c, REGEX_CLASS, (add_escape(new_class(c, &index), ch), index), 0, 0);
		else
			emit(c, REGEX_CHAR, (uint8_t)ch, 0, 0);
		break;
	default:
		emit(c, REGEX_CHAR, (uint8_t)ch, 0, 0);
	}
}

/* A split whose preferred way is `take` or, if lazy, the other one. */
static struct regex_insn split(bool lazy, unsigned take, unsigned leave)
{
	return (struct regex_insn){REGEX_SPLIT, 0, (uint16_t)(lazy ? leave : take), (uint16_t)(lazy ? take : leave)};
}

static void repeated(struct compiler *c)
{
	uint16_t start = c->regex->size;
	atom(c);
	char how = *c->at;
	if (how != '*' && how != '+' && how != '?')
		return;
	c->at++;
	bool lazy = *c->at == '?';
	c->at += lazy;
	if (how == '+') {
		uint16_t at = emit(c, REGEX_SPLIT, 0, 0, 0);
		c->regex->code[at] = split(lazy, start, at + 1u);
		return;
	}
	make_room(c, start);
	if (how == '*')
		emit(c, REGEX_JUMP, 0, start, start);
	if (!c->failed)
		c->regex->code[start] = split(lazy, start + 1u, c->regex->size);
}

static void alternation(struct compiler *c)
{
	uint16_t start = c->regex->size;
	while (!c->failed && *c->at && *c->at != '|' && *c->at != ')')
		repeated(c);
	if (c->failed || *c->at != '|')
		return;
	c->at++;
	make_room(c, start);
	uint16_t jump = emit(c, REGEX_JUMP, 0, 0, 0);
	if (c->failed)
		return;
	c->regex->code[start] = split(false, start + 1u, jump + 1u);
	alternation(c);
	c->regex->code[jump].x = c->regex->code[jump].y = c->regex->size;
}

int regex_compile(struct regex *regex, const char *pattern)
{
	struct compiler c = {regex, pattern, false};
	regex->size = 0;
	regex->class_count = 0;
	alternation(&c);
	emit(&c, REGEX_MATCH, 0, 0, 0);
	return c.failed || *c.at ? -1 : 0;
}
