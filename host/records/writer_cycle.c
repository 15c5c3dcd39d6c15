/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Records of a chain that come again and again in the same order, thousands of them: compared with what came before,
 * and copied, instead of looked at one by one.
 *
 *   uses of the chain   7 8 9 3 4 5 6 7 8 9 3 4 5 6 7 ...
 *                             └─ cycle ─┘└─ compared ─┘     keys of the cycle ──copied──► column of the block
 *
 * Which place of the cycle a record has follows from its number in all chains: so a cycle goes on in the next chain,
 * and behind a record that was odd.
 */
#include "host/records/writer_private.h"

#include <stdlib.h>
#include <string.h>

int writer_cycle_init(struct writer_cycle *cycle)
{
	*cycle = (struct writer_cycle){.uses = malloc(CYCLE_MOST * sizeof *cycle->uses),
	    .keys = malloc(CYCLE_MOST * sizeof *cycle->keys),
	    .extras = malloc(CYCLE_MOST * sizeof *cycle->extras),
	    .times = malloc((CYCLE_MOST + 1) * sizeof *cycle->times)};
	return cycle->uses != NULL && cycle->keys != NULL && cycle->extras != NULL && cycle->times != NULL
		   ? RECORDS_OK
		   : RECORDS_ENOMEM;
}

void writer_cycle_fini(struct writer_cycle *cycle)
{
	free(cycle->uses);
	free(cycle->keys);
	free(cycle->extras);
	free(cycle->times);
}

/* What the records of the cycle are in the columns, by the keys that there are now. False: not all of its keys are
 * there, or some of its records become one. */
static bool fill_cycle(struct records_writer *w)
{
	struct writer_cycle *cycle = &w->cycle;
	const struct known *before = &w->known[cycle->uses[cycle->size - 1]];
	if (before->list != w->list)
		return false; /* mostly the last one to come */
	cycle->extra = 0;
	cycle->times[0] = 0;
	for (size_t i = 0; i < cycle->size; i++) {
		const struct known *known = &w->known[cycle->uses[i]];
		if (known->list != w->list || (known->more != 0 && known->index == before->index)) {
			cycle->size = 0;
			return false;
		}
		cycle->keys[i] = known->index;
		cycle->extras[i] = columns_fold(known->cycles, known->base);
		cycle->extra |= cycle->extras[i];
		cycle->times[i + 1] = cycle->times[i] + known->cycles;
		before = known;
	}
	cycle->list = w->list;
	return true;
}

bool writer_cycle_learn(struct records_writer *w, const uint16_t *uses, size_t size, uint64_t number)
{
	struct writer_cycle *cycle = &w->cycle;
	cycle->size = 0;
	if (size > CYCLE_MOST)
		return false;
	do { /* a short one often enough that it is worth to be compared */
		memcpy(cycle->uses + cycle->size, uses, size * sizeof *uses);
		cycle->size += size;
	} while (cycle->size < CYCLE_MOST / 64 && cycle->size + size <= CYCLE_MOST);
	cycle->origin = number;
	cycle->list = 0;
	return fill_cycle(w);
}

static size_t agreeing(const uint16_t *a, const uint16_t *b, size_t count)
{
	enum { SOME = 256 };
	size_t same = 0;
	while (count - same >= SOME && memcmp(a + same, b + same, SOME * sizeof *a) == 0)
		same += SOME;
	while (same < count && a[same] == b[same])
		same++;
	return same;
}

bool writer_cycle_fits(struct records_writer *w, const uint16_t *uses, size_t count, uint64_t number)
{
	const struct writer_cycle *cycle = &w->cycle;
	if (cycle->size == 0 || count < CYCLE_WORTH || (cycle->list != w->list && !fill_cycle(w)))
		return false;
	const size_t at = (size_t)((number - cycle->origin) % cycle->size), left = cycle->size - at;
	const size_t first = left < CYCLE_WORTH ? left : CYCLE_WORTH;
	return agreeing(uses, cycle->uses + at, first) == first &&
	       agreeing(uses + first, cycle->uses, CYCLE_WORTH - first) == CYCLE_WORTH - first;
}

/* Puts `count` records, from place `at` of the cycle on, up to its end at most. */
static void put_part(struct records_writer *w, size_t at, size_t count)
{
	struct columns *c = &w->columns;
	const struct writer_cycle *cycle = &w->cycle;
	const uint32_t n = c->count;
	memcpy(c->key + n, cycle->keys + at, count * sizeof *c->key);
	if (c->ored[0] != 0)
		memset(c->less + n, 0, count * sizeof *c->less);
	if ((cycle->extra | c->ored[1]) != 0)
		memcpy(c->extra + n, cycle->extras + at, count * sizeof *c->extra);
	writer_leave_stretch(c, n, (uint32_t)count, 0, cycle->extra);
	c->count += (uint32_t)count;
}

size_t writer_cycle_follow(struct records_writer *w, const uint16_t *uses, size_t most, uint64_t number, uint64_t *time)
{
	struct columns *c = &w->columns;
	struct writer_cycle *cycle = &w->cycle;
	if (!writer_cycle_fits(w, uses, most, number))
		return 0;
	const size_t room = RECORDS_BLOCK_MAX - c->count;
	size_t at = (size_t)((number - cycle->origin) % cycle->size), done = 0, some, same;
	most = most < room ? most : room;
	do {
		some = most - done < cycle->size - at ? most - done : cycle->size - at;
		same = agreeing(uses + done, cycle->uses + at, some);
		put_part(w, at, same);
		*time += cycle->times[at + same] - cycle->times[at];
		done += same;
		at = at + same == cycle->size ? 0 : at + same;
	} while (same == some && done < most);
	if (done == 0)
		return 0;
	const struct known *known = &w->known[uses[done - 1]];
	c->last = (struct columns_last){known->index, known->base, known->insns, 1, known->cycles, *time};
	c->before = *time - known->cycles;
	w->next += done;
	w->traces += done;
	return done;
}
