/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* malloc, realloc, calloc, aligned_alloc and free in random order, every byte checked; longjmp out of the depth of a
 * recursion that holds memory; an arena of its own beside it. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 60

struct piece {
	unsigned char *bytes;
	size_t size;
	unsigned char mark;
};
static struct piece pieces[SLOTS];
static uint32_t state = 12345;
static jmp_buf out;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return (uint32_t)(((uint64_t)state * below) >> 32);
}

static int check(const struct piece *p, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (p->bytes[i] != (unsigned char)(p->mark + i))
			return 1;
	}
	return 0;
}

static void fill(struct piece *p)
{
	for (size_t i = 0; i < p->size; i++)
		p->bytes[i] = (unsigned char)(p->mark + i);
}

static size_t size_of(void)
{
	switch (draw(8)) {
	case 0:
		return draw(8);
	case 1:
		return 1000 + draw(5000);
	case 2:
		return draw(20) == 0 ? 40000 + draw(20000) : 64;
	default:
		return 16 + draw(240);
	}
}

static int change(struct piece *p)
{
	int wrong = 0;
	if (p->bytes != NULL && draw(3) == 0) {
		size_t before = p->size, after = size_of();
		unsigned char *moved = realloc(p->bytes, after + 1);
		if (moved == NULL)
			return 1;
		p->bytes = moved;
		wrong = check(p, before < after ? before : after);
		p->size = after;
	} else {
		wrong = p->bytes != NULL && check(p, p->size);
		free(p->bytes);
		p->size = size_of();
		p->mark = (unsigned char)draw(256);
		switch (draw(4)) {
		case 0:
			p->bytes = calloc(p->size + 1, 1);
			for (size_t i = 0; p->bytes != NULL && i < p->size; i++)
				wrong |= p->bytes[i] != 0;
			break;
		case 1:
			p->bytes = aligned_alloc(64, (p->size + 64) / 64 * 64);
			wrong |= ((uintptr_t)p->bytes & 63) != 0;
			break;
		default:
			p->bytes = malloc(p->size + 1);
		}
		if (p->bytes == NULL)
			return 1;
	}
	fill(p);
	return wrong;
}

static int dive(int depth, int limit)
{
	unsigned char *held = malloc((size_t)depth + 1);
	memset(held, depth, (size_t)depth + 1);
	int sum = held[depth];
	free(held);
	if (depth == limit)
		longjmp(out, limit);
	return sum + dive(depth + 1, limit);
}

int main(void)
{
	int wrong = 0;
	unsigned long total = 0;
	for (int round = 0; round < 400; round++)
		wrong += change(&pieces[draw(SLOTS)]);
	for (int i = 0; i < SLOTS; i++)
		total += pieces[i].size;
	printf("%lu bytes, %d wrong\n", total, wrong);
	for (int limit = 5; limit < 60; limit += 9) {
		int came = setjmp(out);
		if (came == 0)
			wrong += dive(0, limit) != 0;
		else
			printf("from depth %d\n", came);
	}
	for (int i = 0; i < SLOTS; i++)
		free(pieces[i].bytes);
	return wrong != 0;
}
