/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/profile/memory.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "common/joined.h"
#include "host/base/array.h"

#define MARK "RVMEMOR4"
#define END "RVENDING"
#define READY 0x52564000u /* RIVULET_PROBE_READY */
#define WHOLE 0x52565357u /* RIVULET_PROBE_SWITCH_WHOLE */

const char profile_memory_script[] =
    "# Dumps the counters of inserted code into rivulet.prof, for `rivulet report PROGRAM rivulet.prof'.\n"
    "# Stop the program where it has done its work, then: source this file. Nothing is run on the target.\n"
    "set language c\n"
    "set $rivulet_root = (unsigned long)&rivulet_probe_root\n"
    "set $rivulet_word = sizeof(long)\n"
    "dump binary value rivulet.prof (unsigned long long)0x34524f4d454d5652\n"
    "append binary value rivulet.prof (unsigned long long)(8 * $rivulet_word)\n"
    "append binary memory rivulet.prof $rivulet_root $rivulet_root+5*$rivulet_word\n"
    "set $rivulet_switched = *(unsigned int **)($rivulet_root + 7 * $rivulet_word)\n"
    "set $rivulet_value = (unsigned long long)0x52565357\n"
    "if $rivulet_switched != 0\n"
    "  set $rivulet_value = (unsigned long long)*$rivulet_switched\n"
    "end\n"
    "append binary value rivulet.prof $rivulet_value\n"
    "set $rivulet_node = *(unsigned long *)($rivulet_root + $rivulet_word)\n"
    "while $rivulet_node != 0\n"
    "  append binary memory rivulet.prof $rivulet_node $rivulet_node+2*$rivulet_word+16\n"
    "  set $rivulet_from = *(unsigned long *)($rivulet_node + $rivulet_word + 8)\n"
    "  set $rivulet_more = $rivulet_node + 2 * $rivulet_word + 8\n"
    "  set $rivulet_size = (unsigned long)*(unsigned int *)$rivulet_more * *(unsigned short *)($rivulet_more + 4)\n"
    "  if $rivulet_size != 0\n"
    "    append binary memory rivulet.prof $rivulet_from $rivulet_from+$rivulet_size\n"
    "  end\n"
    "  set $rivulet_node = *(unsigned long *)$rivulet_node\n"
    "end\n"
    "set $rivulet_pool = *(unsigned long *)($rivulet_root + 2 * $rivulet_word)\n"
    "set $rivulet_left = *(unsigned long *)($rivulet_root + 3 * $rivulet_word)\n"
    "set $rivulet_index = 0\n"
    "while $rivulet_pool != 0 && $rivulet_left != 0\n"
    "  set $rivulet_from = *(unsigned long *)($rivulet_pool + $rivulet_word)\n"
    "  if $rivulet_from != 0\n"
    "    append binary memory rivulet.prof $rivulet_pool $rivulet_pool+2*$rivulet_word+16\n"
    "    append binary memory rivulet.prof $rivulet_from $rivulet_from+16\n"
    "    append binary value rivulet.prof (unsigned long long)$rivulet_index\n"
    "    set $rivulet_more = *(unsigned long *)($rivulet_pool + 2 * $rivulet_word) & 255\n"
    "    set $rivulet_from = *(unsigned long *)($rivulet_from + 16 + $rivulet_word)\n"
    "    set $rivulet_from = $rivulet_from + 2 * $rivulet_word * $rivulet_more + $rivulet_word\n"
    "    append binary value rivulet.prof (unsigned long long)*(unsigned long *)$rivulet_from\n"
    "  end\n"
    "  set $rivulet_pool = $rivulet_pool + 2 * $rivulet_word + 16\n"
    "  set $rivulet_index = $rivulet_index + 1\n"
    "  set $rivulet_left = $rivulet_left - 1\n"
    "end\n"
    "append binary value rivulet.prof (unsigned long long)0x474e49444e455652\n";

const char *profile_memory_strerror(int error)
{
	switch (error) {
	case PROFILE_MEMORY_OK:
		return "no error";
	case PROFILE_MEMORY_ENOMEM:
		return "out of memory";
	case PROFILE_MEMORY_ECUT:
		return "the dump of a debugger ends too early: run its commands again, they must not fail";
	case PROFILE_MEMORY_EVERSION:
		return "the dump of a debugger is of another version: make the program and the commands anew "
		       "(rivulet insert --gdb)";
	case PROFILE_MEMORY_EEARLY:
		return "dumped before the program's constructors ran: nothing was counted yet";
	case PROFILE_MEMORY_ECOUNTER:
		return "what was dumped are no counters: the runtime is of another version, or its memory was "
		       "overwritten";
	default:
		return "unknown error";
	}
}

struct dump {
	const uint8_t *at, *end;
	unsigned word; /* bytes */
};

static uint64_t get_field(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

/* The next so many bytes, or NULL. */
static const uint8_t *take_dump_bytes(struct dump *d, size_t bytes)
{
	const uint8_t *at = d->at;
	if ((size_t)(d->end - at) < bytes)
		return NULL;
	d->at += bytes;
	return at;
}

static int add_dumped(struct profile *profile, uint64_t id, uint64_t number, uint64_t count)
{
	const struct record record = {.start = id, .hist = number + 1, .count = count};
	if (count == 0)
		return PROFILE_MEMORY_OK;
	profile->end.entries++;
	int error = profile_add(profile, &record);
	if (error == PROFILE_OK)
		return PROFILE_MEMORY_OK;
	return error == PROFILE_ENOMEM ? PROFILE_MEMORY_ENOMEM : PROFILE_MEMORY_ECOUNTER;
}

static int take_dumped_node(struct dump *d, struct profile *profile, bool *more)
{
	const uint8_t *node = take_dump_bytes(d, 2 * d->word + 16);
	if (node == NULL)
		return PROFILE_MEMORY_ECUT;
	const uint8_t *rest = node + 2 * d->word + 8;
	uint64_t id = get_field(node + d->word, 8), count = get_field(rest, 4), width = get_field(rest + 4, 2);
	if (width != 4 && width != 8)
		return PROFILE_MEMORY_ECOUNTER;
	const uint8_t *counters = take_dump_bytes(d, count * width);
	if (counters == NULL)
		return PROFILE_MEMORY_ECUT;
	profile->header.ctrl = get_field(rest + 6, 2);
	profile_program(&profile->header.program, id);
	*more = get_field(node, d->word) != 0;
	int error = PROFILE_MEMORY_OK;
	for (uint64_t i = 0; i < count && error == PROFILE_MEMORY_OK; i++)
		error = add_dumped(profile, id, i, get_field(counters + i * width, (unsigned)width));
	return error;
}

struct bucket {
	uint64_t index, id, function, key, count;
	bool joined;
};

#define OWNS (UINT64_C(1) << 63) /* RIVULET_PROBE_OWNS */

static bool take_bucket(struct dump *d, struct bucket *b)
{
	const uint8_t *bucket = take_dump_bytes(d, 2 * d->word + 16), *table = take_dump_bytes(d, 16),
		      *index = take_dump_bytes(d, 8), *slot = take_dump_bytes(d, 8);
	if (bucket == NULL || table == NULL || index == NULL || slot == NULL)
		return false;
	*b = (struct bucket){.index = get_field(index, 8),
	    .id = get_field(table, 8),
	    .function = get_field(table + 8, 4),
	    .key = get_field(bucket + 2 * d->word, d->word),
	    .count = get_field(bucket + 2 * d->word + 8, 8),
	    .joined = get_field(table + 12, 4) != 0};
	if ((b->count & OWNS) != 0)
		b->count = (b->count & ~OWNS) + get_field(slot, 8);
	return true;
}

/* The one with an index: they come in this order. */
static const struct bucket *find_bucket(const struct bucket *all, size_t count, uint64_t index)
{
	size_t low;
	ORDER_FIRST(low, 0, count, all[low].index < index);
	return low < count && all[low].index == index ? &all[low] : NULL;
}

/* A key in parts (common/joined.h). */
struct parted {
	uint64_t number, before; /* index of the bucket of the part before */
	bool joined, lost;       /* there is such a part; it is not known */
};

static struct parted part_of(const struct dump *d, const struct bucket *b)
{
	if (d->word == 8) {
		const int64_t context = joined_context_64(b->key);
		return (struct parted){joined_number_64(b->key), (uint64_t)(-2 - context), context < -1, context == -1};
	}
	const uint64_t most = UINT32_MAX >> JOINED_SHIFT_32, context = b->joined ? b->key >> JOINED_SHIFT_32 : 0;
	const uint64_t mask = b->joined ? (UINT64_C(1) << JOINED_SHIFT_32) - 1 : UINT32_MAX;
	return (struct parted){(b->key & mask) - JOINED_BASE_32, (context - 1) / JOINED_STEP_32,
	    context != 0 && context != most, context == most};
}

/* As the runtime sends it (sw/probe/probe.c). */
static int add_bucket(
    const struct dump *d, const struct bucket *all, size_t count, const struct bucket *b, struct profile *profile)
{
	const struct bucket *part = b;
	uint64_t key = 0, id = b->id;
	unsigned parts = 0;
	while (part_of(d, part).joined) {
		const struct bucket *before = find_bucket(all, count, part_of(d, part).before);
		if (before == NULL || parts == count)
			return PROFILE_MEMORY_ECOUNTER;
		if (before->count == 0) {
			id ^= JOINED_LOST;
			break;
		}
		part = before;
		key ^= joined_turn(joined_mix(part->function << 32 | part_of(d, part).number), parts++);
	}
	id ^= part_of(d, part).lost ? JOINED_LOST : 0;
	key ^= joined_turn(id, parts);
	return add_dumped(
	    profile, parts == 0 ? key : JOINED_START(key), b->function << 32 | part_of(d, b).number, b->count);
}

static int take_buckets(struct dump *d, struct profile *profile)
{
	struct bucket *all = NULL;
	size_t count = 0, room = 0;
	int error = PROFILE_MEMORY_OK;
	while (error == PROFILE_MEMORY_OK && d->at < d->end) {
		if (!array_room(&all, count + 1, &room))
			error = PROFILE_MEMORY_ENOMEM;
		else if (!take_bucket(d, &all[count++]))
			error = PROFILE_MEMORY_ECUT;
	}
	for (size_t i = 0; i < count && error == PROFILE_MEMORY_OK; i++)
		error = add_bucket(d, all, count, &all[i], profile);
	free(all);
	return error;
}

bool profile_is_memory(const void *bytes, size_t size)
{
	return size >= 8 && memcmp(bytes, MARK, 7) == 0;
}

int profile_from_memory(struct profile *profile, const void *bytes, size_t size)
{
	struct dump d = {.at = bytes, .end = (const uint8_t *)bytes + size, .word = 4};
	const uint8_t *head = take_dump_bytes(&d, 16);
	if (profile_is_memory(bytes, size) && memcmp(bytes, MARK, 8) != 0)
		return PROFILE_MEMORY_EVERSION;
	if (head == NULL || !profile_is_memory(bytes, size) || size < 24 || memcmp(d.end - 8, END, 8) != 0)
		return PROFILE_MEMORY_ECUT;
	uint64_t xlen = get_field(head + 8, 8);
	if (xlen != 32 && xlen != 64)
		return PROFILE_MEMORY_ECOUNTER;
	d.end -= 8;
	d.word = (unsigned)xlen / 8;
	const uint8_t *root = take_dump_bytes(&d, 5 * d.word);
	const uint8_t *switched = take_dump_bytes(&d, 8);
	if (root == NULL || switched == NULL)
		return PROFILE_MEMORY_ECUT;
	if (get_field(root, d.word) != READY)
		return PROFILE_MEMORY_EEARLY;
	profile->header = (struct profile_header){.version = 1,
	    .source = PROFILE_COUNTERS,
	    .xlen = xlen,
	    .hist = 32,
	    .way = RUN_STREAM,
	    .period = 1,
	    .name = "program"};
	profile->has_header = profile->has_end = true;
	profile->end.dropped = get_field(root + 4 * d.word, d.word);
	profile->end.offs = get_field(switched, 8) != WHOLE;
	int error = PROFILE_MEMORY_OK;
	for (bool more = get_field(root + d.word, d.word) != 0; more && error == PROFILE_MEMORY_OK;)
		error = take_dumped_node(&d, profile, &more);
	if (error == PROFILE_MEMORY_OK)
		error = take_buckets(&d, profile);
	profile->end.entries = profile->used;
	profile->end.counts = profile->total;
	return error;
}
