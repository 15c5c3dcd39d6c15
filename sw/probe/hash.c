/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * New buckets of the hash tables. A signal or interrupt handler may come at any instruction, and count too. Without the
 * A extension each level of nesting has a part of the pool for itself. What interrupts code of one level has another
 * level, or has finished when the code goes on, so no two take the same bucket. A bucket that a handler pushed out of
 * its chain is still in the pool, and so in the profile.
 */
#include "sw/probe/hash.h"
#include "common/joined.h"

void rivulet_probe_open_pool(void)
{
	struct rivulet_probe_bucket *room = NULL;
	uintptr_t buckets = 0;
	if (rivulet_probe_root.pool != NULL || rivulet_probe_pool == NULL) /* no object has tables */
		return;
	if (rivulet_probe_room != NULL && rivulet_probe_buckets <= RIVULET_PROBE_BUCKETS)
		room = rivulet_probe_room(&buckets);
	rivulet_probe_root.buckets = room != NULL ? buckets : rivulet_probe_buckets;
	rivulet_probe_root.pool = room != NULL ? room : rivulet_probe_pool;
}

#ifdef __riscv_atomic
static uint32_t used;

uint32_t rivulet_probe_used(unsigned level, uint32_t *first)
{
	*first = 0;
	return level > 0 ? 0 : __atomic_load_n(&used, __ATOMIC_ACQUIRE);
}

static struct rivulet_probe_bucket *take(void)
{
	uint32_t number = __atomic_load_n(&used, __ATOMIC_RELAXED);
	while (number < rivulet_probe_root.buckets &&
	       !__atomic_compare_exchange_n(&used, &number, number + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	return number < rivulet_probe_root.buckets ? &rivulet_probe_root.pool[number] : NULL;
}

static void put_back(void) {}

static int claim(struct rivulet_probe_slot *slot, uintptr_t path)
{
	uintptr_t nobody = 0;
	return __atomic_compare_exchange_n(&slot->path, &nobody, path, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void chain(struct rivulet_probe_bucket **head, struct rivulet_probe_bucket *bucket)
{
	bucket->next = __atomic_load_n(head, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(head, &bucket->next, bucket, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}
#else
static volatile uint32_t used[RIVULET_PROBE_LEVELS], depth;

/* Each level but the first has a sixteenth of the pool, the first has the rest. */
static uint32_t part(unsigned level, uint32_t *first)
{
	uint32_t all = (uint32_t)rivulet_probe_root.buckets, small = all / 16,
		 large = all - (RIVULET_PROBE_LEVELS - 1) * small;
	*first = level == 0 ? 0 : large + (level - 1) * small;
	return level == 0 ? large : small;
}

uint32_t rivulet_probe_used(unsigned level, uint32_t *first)
{
	part(level, first);
	return used[level];
}

static struct rivulet_probe_bucket *take(void)
{
	uint32_t level = depth, first;
	depth = level + 1;
	if (level >= RIVULET_PROBE_LEVELS || used[level] >= part(level, &first))
		return NULL;
	return &rivulet_probe_root.pool[first + used[level]++];
}

static void put_back(void)
{
	depth = depth - 1;
}

/* Only by the outermost level: so nobody comes between. */
static int claim(struct rivulet_probe_slot *slot, uintptr_t path)
{
	volatile struct rivulet_probe_slot *s = slot;
	if (depth != 1 || s->path != 0)
		return 0;
	s->path = path;
	return 1;
}

static void chain(struct rivulet_probe_bucket **head, struct rivulet_probe_bucket *bucket)
{
	bucket->next = *(struct rivulet_probe_bucket *volatile *)head;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* a handler that finds the bucket finds it complete */
	*(struct rivulet_probe_bucket *volatile *)head = bucket;
}
#endif

/* As hash_hook.S. */
#define CONTEXT_SHIFT (sizeof(uintptr_t) == 8 ? JOINED_SHIFT_64 : JOINED_SHIFT_32)

/* What the path register is behind a part that is counted in a bucket; NULL: in none. */
static uintptr_t joined_behind(const struct rivulet_probe_bucket *bucket)
{
	const uintptr_t index = bucket != NULL ? (uintptr_t)(bucket - rivulet_probe_root.pool) : 0;
#if UINTPTR_MAX > UINT32_MAX
	const uintptr_t context = bucket != NULL ? -2 - index : UINTPTR_MAX;
	return (context << JOINED_SHIFT_64) + (uintptr_t)JOINED_BASE_64;
#else
	const int lost = bucket == NULL || index > JOINED_LAST_32;
	const uintptr_t context = lost ? UINTPTR_MAX : JOINED_STEP_32 * index + 1;
	return (context << JOINED_SHIFT_32) + JOINED_BASE_32;
#endif
}

/* NULL: there is no room. */
static struct rivulet_probe_bucket *new_bucket(uintptr_t path, const struct rivulet_probe_table *table)
{
	rivulet_probe_open_pool();
	struct rivulet_probe_bucket *bucket = take();
	if (bucket == NULL)
		rivulet_probe_root.dropped++;
	else {
		bucket->table = table;
		bucket->path = path;
#if UINTPTR_MAX == UINT32_MAX
		bucket->joined = joined_behind(bucket);
#endif
		bucket->count = 1;
		if (claim(&table->slots[path % RIVULET_PROBE_SLOTS], path))
			bucket->count |= RIVULET_PROBE_OWNS;
		chain(&table->heads[(path ^ path >> CONTEXT_SHIFT) & (RIVULET_PROBE_HEADS - 1)], bucket);
	}
	put_back();
	return bucket;
}

void rivulet_probe_new(uintptr_t path, const struct rivulet_probe_table *table)
{
	new_bucket(path, table);
}

/* As hash_hook.S does with a bucket that it found. */
uintptr_t rivulet_probe_new_part(uintptr_t path, const struct rivulet_probe_table *table)
{
	return joined_behind(new_bucket(path, table));
}
