/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/profile/stack.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "common/frame.h"
#include "host/base/array.h"
#include "host/profile/profile.h"

/* 16 MB of stack on a machine of 64 bits */
#define WORDS_MAX (UINT64_C(1) << 21)
#define OBJECTS_MAX (UINT64_C(1) << 20)

void profile_stack_fini(struct profile_stack *s)
{
	free(s->words);
	free(s->objects);
}

const struct profile_stack_word *profile_stack_word(const struct profile_stack *s, uint64_t address)
{
	size_t low;
	ORDER_FIRST(low, 0, s->word_count, s->words[low].address < address);
	return low < s->word_count && s->words[low].address == address ? &s->words[low] : NULL;
}

/* ---------------------------------------------------------------- reading */
static bool read_begin(struct profile *p, uint64_t number, const uint8_t *b, size_t size, size_t at, int *error)
{
	struct profile_stack s = {.number = number};
	uint64_t *const numbers[] = {&s.kind, &s.count, &s.pc, &s.here, &s.thread, &s.back_pc, &s.back_sp};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (frame_get_leb(b, size, &at, numbers[i]) != 0)
			return false;
	}
	if (at != size || s.kind >= PROFILE_STACK_KINDS || s.count == 0 || p->stack_count == PROFILE_STACKS_MAX)
		return false;
	if (array_room(&p->stacks, p->stack_count + 1, &p->stack_room))
		p->stacks[p->stack_count++] = s;
	else
		*error = PROFILE_ENOMEM;
	return true;
}

static bool read_stack_registers(struct profile_stack *s, const uint8_t *b, size_t size, size_t at)
{
	uint64_t first, value;
	if (frame_get_leb(b, size, &at, &first) != 0)
		return false;
	bool sums = (first & 32) != 0;
	for (first &= 31; at < size; first++) {
		if (first > 31 || frame_get_leb(b, size, &at, &value) != 0)
			return false;
		s->x[first] = value;
		s->sums = (s->sums & ~(1u << first)) | (sums ? 1u << first : 0);
	}
	return true;
}

struct stack_words {    /* of one frame */
	unsigned bytes; /* of a word */
	bool sums;
};

static bool read_stack_words(
    struct profile_stack *s, const struct stack_words *words, const uint8_t *b, size_t size, size_t at, int *error)
{
	uint64_t address, skip, value;
	if (frame_get_leb(b, size, &at, &address) != 0)
		return false;
	while (at < size) {
		if (frame_get_leb(b, size, &at, &skip) != 0 || frame_get_leb(b, size, &at, &value) != 0 ||
		    skip > WORDS_MAX || s->word_count == WORDS_MAX)
			return false;
		address += skip * words->bytes;
		if (s->word_count > 0 && address <= s->words[s->word_count - 1].address)
			return false;
		if (!array_room(&s->words, s->word_count + 1, &s->word_room)) {
			*error = PROFILE_ENOMEM;
			return true;
		}
		s->words[s->word_count++] = (struct profile_stack_word){address, value, words->sums};
		address += words->bytes;
	}
	return true;
}

static bool read_stack_objects(struct profile_stack *s, const uint8_t *b, size_t size, size_t at, int *error)
{
	while (at < size) {
		struct profile_stack_object o;
		if (frame_get_leb(b, size, &at, &o.id) != 0 || frame_get_leb(b, size, &at, &o.counters) != 0 ||
		    s->object_count == OBJECTS_MAX)
			return false;
		if (!array_room(&s->objects, s->object_count + 1, &s->object_room)) {
			*error = PROFILE_ENOMEM;
			return true;
		}
		s->objects[s->object_count++] = o;
	}
	return true;
}

bool profile_stack_read(struct profile *p, const uint8_t *content, size_t size, int *error)
{
	size_t at = 2;
	uint64_t part, number;
	if (frame_get_leb(content, size, &at, &part) != 0 || frame_get_leb(content, size, &at, &number) != 0)
		return false;
	if (part == FRAME_STACK_BEGIN)
		return read_begin(p, number, content, size, at, error);
	/* part of a stack whose beginning is missing: it is no other's */
	struct profile_stack *s = p->stack_count > 0 ? &p->stacks[p->stack_count - 1] : NULL;
	if (s == NULL || s->number != number)
		return false;
	switch (part) {
	case FRAME_STACK_REGISTERS:
		return read_stack_registers(s, content, size, at);
	case FRAME_STACK_WORDS:
	case FRAME_STACK_SUMS:
		return read_stack_words(s,
		    &(struct stack_words){p->header.xlen == 64 ? 8 : 4, part == FRAME_STACK_SUMS}, content, size, at,
		    error);
	case FRAME_STACK_OBJECTS:
		return read_stack_objects(s, content, size, at, error);
	default:
		return false;
	}
}

/* ---------------------------------------------------------------- adding */
static bool equal_stacks(const struct profile_stack *a, const struct profile_stack *b)
{
	return a->kind == b->kind && a->pc == b->pc && a->here == b->here && a->thread == b->thread &&
	       a->back_pc == b->back_pc && a->back_sp == b->back_sp && memcmp(a->x, b->x, sizeof a->x) == 0 &&
	       a->sums == 0 && b->sums == 0 && a->word_count == b->word_count && a->object_count == b->object_count &&
	       (a->word_count == 0 || memcmp(a->words, b->words, a->word_count * sizeof *a->words) == 0);
}

int profile_stack_add(struct profile *p, const struct profile_stack *from)
{
	bool sums = false;
	for (size_t i = 0; i < from->word_count; i++)
		sums = sums || from->words[i].sum;
	for (size_t i = 0; i < p->stack_count && !sums; i++) {
		if (equal_stacks(&p->stacks[i], from)) {
			p->stacks[i].count += from->count;
			return PROFILE_OK;
		}
	}
	struct profile_stack s = *from;
	s.words = calloc(from->word_count + 1, sizeof *s.words);
	s.objects = calloc(from->object_count + 1, sizeof *s.objects);
	if (s.words == NULL || s.objects == NULL || !array_room(&p->stacks, p->stack_count + 1, &p->stack_room)) {
		profile_stack_fini(&s);
		return PROFILE_ENOMEM;
	}
	for (size_t i = 0; i < from->word_count; i++) /* padding of the structure stays 0 */
		s.words[i] = from->words[i];
	for (size_t i = 0; i < from->object_count; i++)
		s.objects[i] = from->objects[i];
	s.word_room = s.word_count;
	s.object_room = s.object_count;
	p->stacks[p->stack_count++] = s;
	return PROFILE_OK;
}

/* ---------------------------------------------------------------- writing */
struct out {
	struct frame *frame;
	void (*begin)(void *context);
	int (*end)(void *context);
	void *context;
	size_t stack;
	bool open;
	int error;
};

static void close_part(struct out *o)
{
	if (o->open && o->error == PROFILE_OK)
		o->error = o->end(o->context);
	o->open = false;
}

static void open_stack_part(struct out *o, unsigned part)
{
	close_part(o);
	o->begin(o->context);
	frame_leb(o->frame, part);
	frame_leb(o->frame, o->stack);
	o->open = true;
}

static void write_stack(struct out *o, const struct profile_stack *s, unsigned bytes)
{
	const uint64_t numbers[] = {s->kind, s->count, s->pc, s->here, s->thread, s->back_pc, s->back_sp};
	open_stack_part(o, FRAME_STACK_BEGIN);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		frame_leb(o->frame, numbers[i]);
	for (unsigned i = 1; i < 32; i++) {
		bool sum = (s->sums >> i & 1) != 0, before = (s->sums >> (i - 1) & 1) != 0;
		if (i == 1 || sum != before || frame_room(o->frame) < FRAME_LEB_MAX) {
			open_stack_part(o, FRAME_STACK_REGISTERS);
			frame_leb(o->frame, i | (sum ? 32u : 0));
		}
		frame_leb(o->frame, s->x[i]);
	}
	close_part(o);
	uint64_t next = 0;
	for (size_t i = 0; i < s->word_count; i++) {
		const struct profile_stack_word *w = &s->words[i];
		if (!o->open || frame_room(o->frame) < 2 * FRAME_LEB_MAX || w->sum != s->words[i - 1].sum) {
			open_stack_part(o, w->sum ? FRAME_STACK_SUMS : FRAME_STACK_WORDS);
			frame_leb(o->frame, next = w->address);
		}
		frame_leb(o->frame, (w->address - next) / bytes);
		frame_leb(o->frame, w->value);
		next = w->address + bytes;
	}
	close_part(o);
	for (size_t i = 0; i < s->object_count; i++) {
		if (!o->open || frame_room(o->frame) < 2 * FRAME_LEB_MAX)
			open_stack_part(o, FRAME_STACK_OBJECTS);
		frame_leb(o->frame, s->objects[i].id);
		frame_leb(o->frame, s->objects[i].counters);
	}
	close_part(o);
}

int profile_stack_write(const struct profile *p, struct frame *frame, void (*begin)(void *context),
    int (*end)(void *context), void *context)
{
	struct out o = {frame, begin, end, context, 0, false, PROFILE_OK};
	for (; o.stack < p->stack_count; o.stack++)
		write_stack(&o, &p->stacks[o.stack], p->header.xlen == 64 ? 8 : 4);
	return o.error;
}
